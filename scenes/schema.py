"""The tables and keys of a scene file. Lengths in mm, angles in degrees, masses in g, density in kg/m3."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from teeter.models.spec import AnyShape, Colour, NamedMaterial
from teeter.models.tables import FileTable

FORMAT = 1
"""The newest format version this code reads."""
RESERVED = ("table", "floor", "hand")
"""Ids that other bodies of every world have."""

LOADS = ("acceleration", "wind", "together")
MOST_G, MOST_WIND = 100.0, 1e6
"""Of gravity, and pascals: ten times what a charge does at a few metres."""

# a kilometre and beyond is a slip of units
Coordinate = Annotated[float, Field(strict=True, ge=-1e6, le=1e6)]
Length = Annotated[float, Field(strict=True, gt=0, le=1e6)]
Angle = Annotated[float, Field(strict=True, ge=-36000, le=36000)]
# of a cube of a kilometre of osmium, g mm^2
Moment = Annotated[float, Field(strict=True, ge=-1e28, le=1e28)]
Newtons = Annotated[float, Field(strict=True, ge=-1e12, le=1e12)]
Rolling = Annotated[float, Field(strict=True, ge=0, le=1000)]
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
    if value in LOADS:
        raise ValueError(f"is reserved ({', '.join(LOADS)} are loads of their own): choose another id")
    return value


def _quaternion(value: tuple[float, ...]) -> tuple[float, ...]:
    length = math.hypot(*value)
    # looser than rounding to three digits; a quaternion far from unit is Euler angles in the wrong key
    if abs(length - 1) > 0.01:
        raise ValueError(f"a quaternion [x, y, z, w] has length 1, this one {length:.4g}")
    return value


class TableTop(FileTable):
    """The table top: size along x and y in mm, and the friction between two of its surfaces; rolling_mm: see
    `models.material`."""

    size: tuple[Length, Length] = (1200.0, 800.0)
    friction: Annotated[float, Field(strict=True, ge=0, le=10)] = 0.45
    rolling_mm: Rolling = 0.0


class Expect(FileTable):
    """What `teeter check` should say, and why. settle_mm: the `--settle` the scene needs, mm."""

    verdict: Literal["stands", "topples", "unsure"]
    why: Text = ""
    settle_mm: Annotated[float, Field(strict=True, ge=0, le=1000)] = 0.0


class LoadTable(FileTable):
    """One `[[load]]` on a piece: a `force` in newtons along the table's axes, which keeps its direction, or a `mass` in
    g. at: mm from the centre of the piece's bounding box, along its own axes."""

    piece: Annotated[str, Field(strict=True, min_length=1, max_length=100)]
    at: tuple[Coordinate, Coordinate, Coordinate]
    force: tuple[Newtons, Newtons, Newtons] | None = None
    mass: Annotated[float, Field(strict=True, gt=0, le=1e12)] | None = None
    id: Annotated[str, Field(strict=True, min_length=1, max_length=100), AfterValidator(_load_id)] | None = (
        None
    )

    @model_validator(mode="after")
    def _one_of_each(self) -> LoadTable:
        if (self.force is None) == (self.mass is None):
            raise ValueError("give either `force` (N) or `mass` (g)")
        if self.force is not None and not any(self.force):
            raise ValueError("the force is zero: leave the load out")
        return self


class AccelerationTable(FileTable):
    """Of the table, in g: pieces feel it towards `direction`, degrees counter-clockwise from +x, as the table is
    accelerated the other way."""

    g: Annotated[float, Field(strict=True, gt=0, le=MOST_G)]
    direction: Angle = 0.0


class WindTable(FileTable):
    """Wind: its pressure in pascals, towards `direction`, degrees counter-clockwise from +x."""

    pressure: Annotated[float, Field(strict=True, gt=0, le=MOST_WIND)]
    direction: Angle = 0.0


class PairTable(FileTable):
    """One `[[pair]]`, of two pieces or of all pieces of two materials: friction, and rolling resistance in mm, the
    length b of the couple b N that stops what rolls."""

    between: Annotated[tuple[Text, Text], BeforeValidator(_two_names)]
    friction: Annotated[float, Field(strict=True, ge=0, le=10)] | None = None
    rolling_mm: Rolling | None = None

    @model_validator(mode="after")
    def _says_something(self) -> PairTable:
        if self.friction is None and self.rolling_mm is None:
            raise ValueError("give `friction`, `rolling_mm` (mm), or both")
        return self


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
    rolling_mm: Rolling | None = None
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
    acceleration: AccelerationTable | None = None
    wind: WindTable | None = None
    load: Annotated[tuple[LoadTable, ...], Field(max_length=5000)] = ()
    pair: Annotated[tuple[PairTable, ...], Field(max_length=5000)] = ()
    model: tuple[dict[str, Any], ...] = ()
