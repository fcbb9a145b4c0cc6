"""The tables and keys of a scene file. Lengths in mm, angles in degrees, masses in g, density in kg/m3."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from models.spec import AnyShape, Colour, NamedMaterial
from models.tables import FileTable

FORMAT = 1
"""The newest format version this code reads."""
RESERVED = ("table", "floor", "hand")
"""Ids that other bodies of every world have."""

# a kilometre and beyond is a slip of units
Coordinate = Annotated[float, Field(strict=True, ge=-1e6, le=1e6)]
Length = Annotated[float, Field(strict=True, gt=0, le=1e6)]
Angle = Annotated[float, Field(strict=True, ge=-36000, le=36000)]
# of a cube of a kilometre of osmium, g mm^2
Moment = Annotated[float, Field(strict=True, ge=-1e28, le=1e28)]
Text = Annotated[str, Field(strict=True, max_length=2000)]


def _none_for_false(value: Any) -> Any:
    if value is True:
        raise ValueError("must be a table, or false for none")
    return None if value is False else value


def _id(value: str) -> str:
    if value in RESERVED:
        raise ValueError(f"is reserved ({', '.join(RESERVED)} are not pieces): choose another id")
    if value != value.strip() or not value.isprintable():
        raise ValueError("an id has no blanks around it and no control characters")
    return value


def _quaternion(value: tuple[float, ...]) -> tuple[float, ...]:
    length = math.hypot(*value)
    # looser than rounding to three digits; a quaternion far from unit is Euler angles in the wrong key
    if abs(length - 1) > 0.01:
        raise ValueError(f"a quaternion [x, y, z, w] has length 1, this one {length:.4g}")
    return value


class TableTop(FileTable):
    """The table top: size along x and y in mm, and the friction between two of its surfaces."""

    size: tuple[Length, Length] = (1200.0, 800.0)
    friction: Annotated[float, Field(strict=True, ge=0, le=10)] = 0.45


class Expect(FileTable):
    """What `teeter check` should say, and why. settle_mm: the `--settle` the scene needs, mm."""

    verdict: Literal["stands", "topples", "unsure"]
    why: Text = ""
    settle_mm: Annotated[float, Field(strict=True, ge=0, le=1000)] = 0.0


class PieceTable(FileTable):
    """One `[[piece]]`: what it is (`model` or `shape`) and where its bounding box has its centre.

    centre_of_mass: mm from that centre, along the piece's own axes. inertia: g mm^2 about the centre of mass along
    those axes, as xx, yy, zz, xy, xz, yz; left out: as `models.ballast.weighted` assumes.
    """

    id: Annotated[str, Field(strict=True, min_length=1, max_length=100), AfterValidator(_id)]
    model: Annotated[str, Field(strict=True, min_length=1, max_length=200)] | None = None
    shape: AnyShape | None = None
    position: Annotated[tuple[Coordinate, ...], Field(min_length=2, max_length=3)]
    rotation: tuple[Angle, Angle, Angle] | None = None
    quaternion: (
        Annotated[tuple[Coordinate, Coordinate, Coordinate, Coordinate], AfterValidator(_quaternion)] | None
    ) = None
    material: NamedMaterial | None = None
    friction: Annotated[float, Field(strict=True, ge=0, le=10)] | None = None
    restitution: Annotated[float, Field(strict=True, ge=0, le=1)] | None = None
    mass: Annotated[float, Field(strict=True, gt=0, le=1e12)] | None = None
    centre_of_mass: tuple[Coordinate, Coordinate, Coordinate] | None = None
    inertia: tuple[Moment, Moment, Moment, Moment, Moment, Moment] | None = None
    colour: Colour | None = None
    fixed: Annotated[bool, Field(strict=True)] = False

    @model_validator(mode="after")
    def _one_of_each(self) -> PieceTable:
        if (self.model is None) == (self.shape is None):
            raise ValueError("give either `model` (from the catalogue) or `shape`")
        if self.rotation is not None and self.quaternion is not None:
            raise ValueError("give either `rotation` or `quaternion`, not both")
        return self


class Head(FileTable):
    """Everything in a file but its pieces."""

    teeter: Annotated[int, Field(strict=True)]
    name: Annotated[str, Field(strict=True, max_length=200)] = ""
    table: Annotated[TableTop | None, BeforeValidator(_none_for_false)] = TableTop()
    expect: Expect | None = None
