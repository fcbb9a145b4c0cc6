"""The tables and keys of a scene file. Lengths in mm, angles in degrees, masses in g, density in kg/m3."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from teeter.models.material import Material
from teeter.models.spec import AnyShape, Colour, NamedMaterial
from teeter.models.tables import FileTable

FORMAT = 1
"""The newest format version this code reads."""
RESERVED = ("table", "floor", "hand")
"""Ids that other bodies of every world have."""

MOST_G, MOST_WIND = 100.0, 1e6
"""Of gravity, and pascals: ten times what a charge does at a few metres."""

# a kilometre and beyond is a slip of units
Coordinate = Annotated[float, Field(strict=True, ge=-1e6, le=1e6)]
Triple = tuple[Coordinate, Coordinate, Coordinate]
Length = Annotated[float, Field(strict=True, gt=0, le=1e6)]
Angle = Annotated[float, Field(strict=True, ge=-36000, le=36000)]
# of a cube of a kilometre of osmium, g mm^2
Moment = Annotated[float, Field(strict=True, ge=-1e28, le=1e28)]
Newtons = Annotated[float, Field(strict=True, ge=-1e12, le=1e12)]
Rolling = Annotated[float, Field(strict=True, ge=0, le=1000)]
Friction = Annotated[float, Field(strict=True, ge=0, le=10)]
Restitution = Annotated[float, Field(strict=True, ge=0, le=1)]
Grams = Annotated[float, Field(strict=True, gt=0, le=1e12)]
Name = Annotated[str, Field(strict=True, min_length=1, max_length=100)]
LongName = Annotated[str, Field(strict=True, min_length=1, max_length=200)]
Text = Annotated[str, Field(strict=True, max_length=2000)]


def _none_for_false(value: Any) -> Any:
    if value is True:
        raise ValueError("must be a table, or false for none")
    return None if value is False else value


def _two_names(value: Any) -> Any:
    if not (
        isinstance(value, list | tuple) and len(value) == 2 and all(isinstance(one, str) for one in value)
    ):
        raise ValueError('must be two names of pieces or materials, such as ["log", "table"]')
    return tuple(value)


def _id(value: str) -> str:
    if value in RESERVED:
        raise ValueError(f"is reserved ({', '.join(RESERVED)} are not pieces): choose another id")
    if value != value.strip() or not value.isprintable():
        raise ValueError("an id has no blanks around it and no control characters")
    return value


def _load_id(value: str) -> str:
    reserved = (*TABLES_OF_ALL, "together")
    if value in reserved:
        raise ValueError(f"is reserved ({', '.join(reserved)} are loads of their own): choose another id")
    return value


def _quaternion(value: tuple[float, ...]) -> tuple[float, ...]:
    length = math.hypot(*value)
    # looser than rounding to three digits; a quaternion far from unit is Euler angles in the wrong key
    if abs(length - 1) > 0.01:
        raise ValueError(f"a quaternion [x, y, z, w] has length 1, this one {length:.4g}")
    return value


Quaternion = Annotated[tuple[Coordinate, Coordinate, Coordinate, Coordinate], AfterValidator(_quaternion)]


class TableTop(FileTable):
    """The table top: size along x and y in mm, and the friction between two of its surfaces; rolling_mm: see
    `models.material`."""

    size: tuple[Length, Length] = (1200.0, 800.0)
    friction: Friction = 0.45
    rolling_mm: Rolling = 0.0


class Expect(FileTable):
    """What `teeter check` should say, and why. settle_mm: the `--settle` the scene needs, mm."""

    verdict: Literal["stands", "topples", "unsure"]
    why: Text = ""
    settle_mm: Annotated[float, Field(strict=True, ge=0, le=1000)] = 0.0


class LoadTable(FileTable):
    """One `[[load]]` on a piece: a `force` in newtons along the table's axes, which keeps its direction, or a `mass` in
    g. at: mm from the centre of the piece's bounding box, along its own axes."""

    piece: Name
    at: Triple
    force: tuple[Newtons, Newtons, Newtons] | None = None
    mass: Grams | None = None
    id: Annotated[Name, AfterValidator(_load_id)] | None = None

    @model_validator(mode="after")
    def _one_of_each(self) -> LoadTable:
        if (self.force is None) == (self.mass is None):
            raise ValueError("give either `force` (N) or `mass` (g)")
        if self.force is not None and not any(self.force):
            raise ValueError("the force is zero: leave the load out")
        return self


class TableOfAll(FileTable):
    """A table about what acts on all pieces."""


class AccelerationTable(TableOfAll):
    """Of the table, in g: pieces feel it towards `direction`, degrees counter-clockwise from +x, as the table is
    accelerated the other way."""

    g: Annotated[float, Field(strict=True, gt=0, le=MOST_G)]
    direction: Angle = 0.0


class WindTable(TableOfAll):
    """Wind: its pressure in pascals, towards `direction`, degrees counter-clockwise from +x."""

    pressure: Annotated[float, Field(strict=True, gt=0, le=MOST_WIND)]
    direction: Angle = 0.0


class PairTable(FileTable):
    """One `[[pair]]`, of two pieces or of all pieces of two materials: friction, and rolling resistance in mm, the
    length b of the couple b N that stops what rolls."""

    between: Annotated[tuple[Text, Text], BeforeValidator(_two_names)]
    friction: Friction | None = None
    rolling_mm: Rolling | None = None

    @model_validator(mode="after")
    def _says_something(self) -> PairTable:
        if self.friction is None and self.rolling_mm is None:
            raise ValueError("give `friction`, `rolling_mm` (mm), or both")
        return self


INSTEAD = Field(description="for this piece, instead of its material's")


class PieceTable(FileTable):
    """One `[[piece]]`: what it is and where its bounding box has its centre. A key is declared here alone: reader,
    writer, messages and the README's table have it from here. What `Material` has too goes before the material's."""

    id: Annotated[Name, Field(description="unique; not table, floor or hand"), AfterValidator(_id)]
    model: Annotated[LongName | None, Field(description="an id of the catalogue or of a `[[model]]`")] = None
    shape: Annotated[AnyShape | None, Field(description="instead of a model: one of those below")] = None
    position: Annotated[
        tuple[Coordinate, ...],
        Field(min_length=2, max_length=3, description="`[x, y, z]`, or `[x, y]`: dropped onto what is below"),
    ]
    rotation: Annotated[
        tuple[Angle, Angle, Angle] | None,
        Field(description="roll, pitch, yaw about the fixed x, y, z axes, in degrees; left out: as authored"),
    ] = None
    quaternion: Annotated[Quaternion | None, Field(description="the same as `[x, y, z, w]`")] = None
    material: Annotated[NamedMaterial | None, Field(description="its name, or its values")] = None
    friction: Annotated[Friction | None, INSTEAD] = None
    restitution: Annotated[Restitution | None, INSTEAD] = None
    rolling_mm: Annotated[Rolling | None, INSTEAD] = None
    mass: Annotated[Grams | None, Field(description="in g, instead of that of its material")] = None
    centre_of_mass: Annotated[
        Triple | None,
        Field(
            description="`[x, y, z]` from the centre of the bounding box, along the piece's own axes: a loaded crate, "
            "a weighted block"
        ),
    ] = None
    inertia: Annotated[
        tuple[Moment, Moment, Moment, Moment, Moment, Moment] | None,
        Field(
            description="`[xx, yy, zz, xy, xz, yz]` in g mm² about the centre of mass; left out: that of an even fill "
            "and a load in one point, where the line from the middle through the centre of mass leaves the piece"
        ),
    ] = None
    colour: Annotated[Colour | None, Field(description='a name, or `"#rrggbb"`')] = None
    fixed: Annotated[
        bool,
        Field(
            strict=True,
            description="`true`: an immovable support, which may overlap the table and other supports",
        ),
    ] = False

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
    acceleration: AccelerationTable | None = None
    wind: WindTable | None = None
    load: Annotated[tuple[LoadTable, ...], Field(max_length=5000)] = ()
    pair: Annotated[tuple[PairTable, ...], Field(max_length=5000)] = ()
    model: tuple[dict[str, Any], ...] = ()

    def without_expectation(self) -> Head:
        """Returns the same of a scene that has been changed: what it should be no longer holds."""
        return self.model_copy(update={"expect": None})


def tables_in(head: type[Head]) -> dict[str, type[FileTable]]:
    """Returns the tables of a file but its pieces, by their keys."""
    return {
        name: kind
        for name, field in head.model_fields.items()
        for kind in (field.annotation, *get_args(field.annotation))
        if isinstance(kind, type) and issubclass(kind, FileTable)
    }


TABLES = tables_in(Head)
TABLES_OF_ALL = tuple(name for name, kind in TABLES.items() if issubclass(kind, TableOfAll))
OF_MATERIAL = tuple(
    name for name in Material.model_fields if name in PieceTable.model_fields and name != "colour"
)
"""Keys of a piece that go before those of its material; its colour is paint."""
SURFACE = tuple(name for name in OF_MATERIAL if name in TableTop.model_fields)
"""What a table top has of a material."""


def tables_of_all(head: Head) -> dict[str, TableOfAll]:
    """Returns what a file says of what acts on all pieces, by key."""
    said = {name: getattr(head, name) for name in TABLES_OF_ALL}
    return {name: table for name, table in said.items() if table is not None}
