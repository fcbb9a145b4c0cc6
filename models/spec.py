"""A piece as people describe it: shape, material, colour, print. Says nothing about where it stands."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    model_validator,
)

from teeter.models.errors import SpecError, faults_of
from teeter.models.face import Face
from teeter.models.material import Material, hex_of, material_named
from teeter.models.shapes import Shape
from teeter.models.tables import FileTable

SHAPES: tuple[type[Shape], ...] = tuple(Shape.__subclasses__())
"""In the order of their definitions."""


def _kind(value: Any) -> str | None:
    """The one shape key of a table, or None when there is none or more than one."""
    if isinstance(value, Shape):
        return value.key()
    if not isinstance(value, dict):
        return None
    keys = [shape.key() for shape in SHAPES if shape.key() in value]
    return keys[0] if len(keys) == 1 else None


if TYPE_CHECKING:
    AnyShape = Shape
else:
    AnyShape = Annotated[
        Union[tuple(Annotated[shape, Tag(shape.key())] for shape in SHAPES)],  # noqa: UP007
        Discriminator(
            _kind,
            custom_error_type="shape",
            custom_error_message="give exactly one shape of: " + ", ".join(shape.key() for shape in SHAPES),
        ),
    ]


def _material(value: Any) -> Any:
    return material_named(value) if isinstance(value, str) else value


def _colour(value: str) -> str:
    hex_of(value)
    return value


NamedMaterial = Annotated[Material, BeforeValidator(_material)]
"""A material by its name, or its values."""
Colour = Annotated[str, Field(strict=True), AfterValidator(_colour)]
"""A colour by its name, or `#rrggbb`."""


class PieceSpec(FileTable):
    """What to build. Equal specs build the same piece, so a spec may serve as a key.

    model: the id, such as `tower_topple/brick`; made up from the contents when left out. material: a name or
    the values themselves, beech when left out. colour: a name or `#rrggbb`; the material's own when left out.
    bevel: millimetres its edges are rounded by, in the picture only. value: what a game counts it for.
    face: what is printed on its top, in the picture only.
    """

    model: Annotated[str, Field(max_length=200)] = ""
    shape: AnyShape
    material: NamedMaterial = Field(default_factory=lambda: material_named("beech"))
    colour: Colour | None = None
    bevel: Annotated[float, Field(strict=True, ge=0, le=1e3)] = 0.0
    value: Annotated[int, Field(strict=True)] | None = None
    face: Face | None = None

    @model_validator(mode="after")
    def _name(self) -> PieceSpec:
        if not self.model:
            # pieces without a face keep the names they have always had
            left_out = {"bevel", "value"} if self.face else {"bevel", "value", "face"}
            digest = hashlib.sha256(self.model_dump_json(exclude=left_out).encode()).hexdigest()[:8]
            # the model is frozen for everyone but its own validation
            object.__setattr__(self, "model", f"inline/{self.shape.key()}-{digest}")
        return self


def parse(table: Mapping[str, Any], where: str) -> PieceSpec:
    """A spec from a TOML table. Raises SpecError with all faults at once; `where` names file and table."""
    try:
        return PieceSpec.model_validate(table)
    except ValidationError as error:
        raise SpecError(where, faults_of(error)) from None


def dressed(spec: PieceSpec, like: PieceSpec) -> PieceSpec:
    """The same solid under the same name, with the paint and print of another: how prints get onto uneven bricks."""
    return spec.model_copy(update={"colour": like.colour, "face": like.face})
