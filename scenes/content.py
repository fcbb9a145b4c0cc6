"""How a scene is loaded, and what a file holds before it is put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import shapely

from teeter.models.piece import Array
from teeter.scenes.scene import UNITS, Draft, Fault
from teeter.scenes.schema import Head


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How a scene is loaded; see `scenes.load.load`."""

    settle_mm: float = 0.0
    table: Literal["lowest", "none"] | None = None
    fixed: tuple[str, ...] = ()
    material: str | None = None
    unit: str | None = None
    fit_mm: float = 0.0
    up: str | None = None
    drop: bool = False
    size: tuple[float, float] | None = None
    excused: frozenset[str] = frozenset()
    unite: tuple[str, ...] = ()
    split: bool = False


@dataclass(frozen=True, slots=True)
class Ground:
    """A sheet that a file has for its table. height: metres."""

    name: str
    height: float


SEAM = 1e-6
"""Of its width, by which a sheet reaches further than its triangles say: seams between them are no gaps."""


def floor_of(triangles: Array) -> Any:
    """Returns what level triangles (f, 3, 3) cover as seen from above, for `is_over`."""
    flat = shapely.polygons(triangles[:, :, :2])
    floor = shapely.union_all(flat[shapely.area(flat) > 0])
    floor = floor.buffer(SEAM * float(np.ptp(triangles, axis=(0, 1)).max()))
    shapely.prepare(floor)
    return floor


def is_over(floor: Any, points: Array) -> bool:
    """Whether the convex hull of points (n, 3) lies over a floor, seen from above."""
    return bool(floor.covers(shapely.convex_hull(shapely.multipoints(points[:, :2]))))


def unit_name(metres: float) -> str:
    """Returns how a unit is called."""
    return next((name for name, size in UNITS.items() if size == metres), f"{metres:g} m")


@dataclass(frozen=True, slots=True)
class Content:
    """What a file holds, before it is put together. faults: what kept others from being pieces. fitted: what was made
    of each, in words. unit, up: as they were taken. left_out: could be no piece, and need not. is_floor: nothing free
    lies lower than the table, not even beside it."""

    head: Head
    drafts: list[Draft]
    faults: list[Fault]
    fitted: tuple[str, ...] = ()
    unit: str = "mm"
    up: str = "z"
    ground: Ground | None = None
    left_out: tuple[str, ...] = ()
    is_floor: bool = False
