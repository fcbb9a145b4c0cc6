"""Random stacks to compare verdicts on: columns and layers of boxes, polycubes and cylinders, 2 to 20 pieces, as drawn,
or brought to a known distance from their critical point.

All faces meet exactly, so that a force balance has what it needs; one material throughout, because a peer knows but one
coefficient of friction. Every stack follows from its number and the seed alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
import shapely
import shapely.affinity
from numpy.typing import NDArray

from teeter.engine.bench.rigs import piece, table, wood
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.settings import GRAVITY
from teeter.engine.topple.balance.statics import stands
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.world.body import Assembly, Body, Vector, tilted_gravity
from teeter.models.material import Material
from teeter.models.piece import Piece

Array = NDArray[np.float64]
Kind = Literal["plain", "shift", "tilt"]
KINDS: tuple[Kind, ...] = (
    "plain",
    "shift",
    "tilt",
    "plain",
    "shift",
    "tilt",
    "plain",
    "shift",
    "tilt",
    "plain",
)
"""By the last digit of the number."""
DOWN: Vector = (0.0, 0.0, -GRAVITY)
CELLS = (
    ((0, 0, 0), (1, 0, 0), (1, 1, 0)),
    ((0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 0)),
    ((0, 0, 0), (1, 0, 0), (2, 0, 0), (1, 1, 0)),
    ((0, 0, 0), (1, 0, 0), (1, 1, 0), (2, 1, 0)),
    ((0, 0, 0), (1, 0, 0), (0, 0, 1)),
    ((0, 0, 0), (1, 0, 0), (2, 0, 0), (1, 0, 1)),
)
"""Polycubes: flat ones, and two with a step."""
HEIGHTS = (10.0, 12.0, 15.0, 20.0)
"""Millimetres: pieces of a layer share one, so that what lies on them can lie on several."""
LENGTHS, WIDTHS, RADII = (28.0, 37.0, 50.0, 64.0), (20.0, 27.0, 35.0), (13.0, 17.0, 22.0, 27.0)
"""Millimetres, of boxes and cylinders: a box of so many sorts is built once, however many stacks are drawn from it."""
NEAREST, FURTHEST = 0.02, 1.0
"""Millimetres or degrees from the critical point, drawn evenly in the logarithm, on either side."""
SLIVER = 4e-6
"""Square metres: pieces that overlap by less, seen from above, are drawn again: who carries whom would be rounding."""
MOST_TILT = 40.0
"""Degrees to which a stack is tilted in search of its critical point."""
DRAWS = 400
"""Attempts at a stack of one number before it is given up; three in four succeed at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Stack:
    """A stack to judge. gravity: m/s^2 in the frame of the (tilted) table. friction: of every pair. off: how far it is
    inside (positive) or past its critical point, millimetres for `shift`, degrees for `tilt`, None for `plain`."""

    number: int
    kind: Kind
    assembly: Assembly
    gravity: Vector
    friction: float
    off: float | None

    @property
    def pieces(self) -> int:
        """How many pieces lie on the table."""
        return len(self.assembly.free)


def stacks(count: int, seed: int = 0) -> Iterator[Stack]:
    """The first so many stacks."""
    return (stack(number, seed) for number in range(count))


def stack(number: int, seed: int = 0) -> Stack:
    """One stack. Raises RuntimeError when no draw succeeds, which no number up to 5000 has met."""
    rng = np.random.default_rng((seed, number))
    # small stacks more often: they are decided by fractions of a millimetre, tall ones by how soft contacts are
    kind, count, draw = (
        KINDS[number % 10],
        int(rng.integers(2, 21)),
        _column if rng.random() < 0.5 else _layers,
    )
    friction = float(rng.choice([0.3, 0.4, 0.5, 0.6]))
    for _ in range(DRAWS):
        drawn = draw(rng, wood(friction), count)
        if drawn is None:
            continue
        assembly = Assembly(f"stack {number}", (table(wood(friction)), *drawn))
        made = _MAKERS[kind](rng, assembly)
        if made is not None:
            final, gravity, off = made
            return Stack(number, kind, final, gravity, friction, off)
    raise RuntimeError(f"stack {number} of seed {seed}: nothing stood in {DRAWS} draws")


# -- drawing pieces ----------------------------------------------------------------------------------------------


def _piece(rng: np.random.Generator, material: Material, height: float) -> Piece:
    """A piece of that height (mm), upright; a polycube with a step is higher."""
    sort = rng.integers(3)
    if sort == 0:
        return piece(material, box=(float(rng.choice(LENGTHS)), float(rng.choice(WIDTHS)), height))
    if sort == 1:
        return piece(material, cylinder=(float(rng.choice(RADII)), height))
    cells = [list(cell) for cell in CELLS[int(rng.integers(len(CELLS)))]]
    return piece(material, polycube={"cells": cells, "edge": height})


def _column(rng: np.random.Generator, material: Material, count: int) -> list[Body] | None:
    """Each piece somewhere over the middle of the one before; the taller the column the less far aside."""
    spread = math.exp(rng.uniform(math.log(0.4), math.log(30.0 / count**0.8))) / 1e3
    bodies: list[Body] = []
    x = y = 0.0
    for number in range(count):
        shape = _piece(rng, material, float(rng.choice(HEIGHTS)))
        body = _laid(rng, f"piece.{number:02}", shape, x, y, bodies)
        if body is None:
            return None
        bodies.append(body)
        centre = body.pose.apply(shape.centre_of_mass)
        x, y = (
            float(centre[0] + spread * rng.standard_normal()),
            float(centre[1] + spread * rng.standard_normal()),
        )
    return bodies


def _layers(rng: np.random.Generator, material: Material, count: int) -> list[Body] | None:
    """Layers of one to three pieces, each over one piece of the layer below or between two of them."""
    bodies: list[Body] = []
    below, reach = [np.zeros(2)], 0.024
    while len(bodies) < count:
        height, layer = float(rng.choice(HEIGHTS)), list[Body]()
        for _ in range(int(rng.integers(1, 4))):
            first, second = (below[int(rng.integers(len(below)))] for _ in range(2))
            x, y = (0.5 * (first + second) + reach * rng.uniform(-1.0, 1.0, 2)).tolist()
            shape = _piece(rng, material, height)
            body = _laid(rng, f"piece.{len(bodies) + len(layer):02}", shape, x, y, [*bodies, *layer])
            # two of a layer lie side by side, not on each other
            if body is not None and not any(_rises(body, other) for other in layer):
                layer.append(body)
        if not layer:
            return None
        bodies += layer
        below = [body.centre_of_mass[:2] for body in layer]
        reach = 0.3 * 0.024 + 0.1 * reach
    return bodies[:count]


def _rises(body: Body, other: Body) -> bool:
    """Whether a body lies higher than another of its layer: it was laid on top of it."""
    return _low(body) > _low(other) + 1e-9


def _low(body: Body) -> float:
    return min(bottom for _, bottom, _ in _footprints(body))


def _laid(
    rng: np.random.Generator, name: str, shape: Piece, x: float, y: float, bodies: Sequence[Body]
) -> Body | None:
    """A piece with its centre of mass over a point, turned by any yaw, let down onto the bodies or the table."""
    turn = quaternion_of_rpy(0.0, 0.0, float(rng.uniform(0.0, 2.0 * math.pi)))
    offset = Pose((0.0, 0.0, 0.0), turn).apply(shape.centre_of_mass)
    return _let_down(Body(name, shape, Pose((x - float(offset[0]), y - float(offset[1]), 1.0), turn)), bodies)


def _let_down(body: Body, bodies: Sequence[Body]) -> Body | None:
    """The body straight down at first contact, exact for upright pieces; None when it would hang on a sliver."""
    falls = [min(bottom for _, bottom, _ in _footprints(body))]
    for outline, bottom, _ in _footprints(body):
        for other in bodies:
            for plan, _, top in _footprints(other):
                area = outline.intersection(plan).area
                if 0.0 < area < SLIVER:
                    return None
                if area > 0.0:
                    falls.append(bottom - top)
    x, y, z = body.pose.position
    return body.at(Pose((x, y, z - min(falls)), body.pose.orientation))


def _footprints(body: Body) -> list[tuple[shapely.Geometry, float, float]]:
    """Outline seen from above, bottom and top (metres) of every level part of an upright piece."""
    turn, (x, y, z) = body.pose.matrix, body.pose.position
    carried = [turn[0, 0], turn[0, 1], turn[1, 0], turn[1, 1], x, y]
    return [
        (shapely.affinity.affine_transform(outline, carried), bottom + z, top + z)
        for outline, bottom, top in _plan(body.piece)
    ]


@lru_cache(maxsize=4096)
def _plan(shape: Piece) -> tuple[tuple[shapely.Geometry, float, float], ...]:
    """The same in the piece frame; the sectors of a cylinder, which share their ends, are one outline."""
    levels: dict[tuple[float, float], list[shapely.Geometry]] = {}
    for part in shape.parts:
        heights = part.vertices[:, 2]
        ends = (round(float(heights.min()), 12), round(float(heights.max()), 12))
        levels.setdefault(ends, []).append(shapely.MultiPoint(part.vertices[:, :2]).convex_hull)
    return tuple((shapely.union_all(outlines), bottom, top) for (bottom, top), outlines in levels.items())


# -- bringing them to their critical point -------------------------------------------------------------------------

Made = tuple[Assembly, Vector, float | None]


def _plain(rng: np.random.Generator, assembly: Assembly) -> Made:
    """As drawn; every other one on a table that is tilted by up to 20 degrees."""
    tilt = float(rng.uniform(0.0, 20.0)) if rng.random() < 0.5 else 0.0
    return assembly, tilted(tilt, float(rng.uniform(0.0, 360.0))), None


def _shift(rng: np.random.Generator, assembly: Assembly) -> Made | None:
    """Everything from one piece on slid aside together, to near where it falls."""
    free = assembly.free
    first = int(rng.integers(1, len(free)))
    way = float(rng.uniform(0.0, 2.0 * math.pi))

    def at(mm: float) -> Assembly | None:
        return _slid(assembly, first, mm / 1e3 * math.cos(way), mm / 1e3 * math.sin(way))

    def holds(mm: float) -> bool | None:
        moved = at(mm)
        return None if moved is None else stands(moved)

    critical = _critical(holds, 0.0, 40.0, 4.0, 1e-3)
    if critical is None:
        return None
    off = _off(rng)
    final = at(critical - off)
    # past the critical point something else may carry it again: then the distance would mean nothing
    if final is None or stands(final) is not (off > 0.0):
        return None
    return final, DOWN, off


def _tilt(rng: np.random.Generator, assembly: Assembly) -> Made | None:
    """The table tilted to near where something falls or slides."""
    direction, contacts = float(rng.uniform(0.0, 360.0)), find_contacts(assembly)

    def holds(degrees: float) -> bool | None:
        return stands(assembly, gravity=tilted(degrees, direction), contacts=contacts)

    critical = _critical(holds, 0.0, MOST_TILT, 8.0, 1e-3)
    if critical is None or critical < 2.0 * FURTHEST:
        return None
    off = _off(rng)
    return assembly, tilted(critical - off, direction), off


def tilted(degrees: float, direction: float) -> Vector:
    """Gravity (m/s^2) in the frame of a table tilted downhill towards a direction (degrees from +x)."""
    return tilted_gravity(math.radians(degrees), math.radians(direction))


_MAKERS: dict[Kind, Callable[[np.random.Generator, Assembly], Made | None]] = {
    "plain": _plain,
    "shift": _shift,
    "tilt": _tilt,
}


def _off(rng: np.random.Generator) -> float:
    """A signed distance from the critical point."""
    size = math.exp(rng.uniform(math.log(NEAREST), math.log(FURTHEST)))
    return float(size if rng.random() < 0.5 else -size)


def _critical(
    holds: Callable[[float], bool | None], low: float, most: float, stride: float, within: float
) -> float | None:
    """Where what stands at `low` stops standing; None when it never does, or when it cannot be said."""
    if holds(low) is not True:
        return None
    high = low + stride
    while (answer := holds(high)) is True:
        low, high = high, high + stride
        if low >= most:
            return None
    if answer is None:
        return None
    while high - low > within:
        middle = 0.5 * (low + high)
        answer = holds(middle)
        if answer is None:
            return None
        low, high = (middle, high) if answer else (low, middle)
    return 0.5 * (low + high)


def _slid(assembly: Assembly, first: int, x: float, y: float) -> Assembly | None:
    """The assembly with the free pieces from number `first` on moved aside; None when one would lie lower or higher."""
    fixed = [body for body in assembly.bodies if body.fixed]
    still, moving = assembly.free[:first], assembly.free[first:]
    moved: list[Body] = []
    for body in moving:
        a, b, c = body.pose.position
        aside = body.at(Pose((a + x, b + y, 1.0), body.pose.orientation))
        down = _let_down(aside, [*still, *moved])
        if down is None or abs(down.pose.position[2] - c) > 1e-9:
            return None
        moved.append(body.at(Pose((a + x, b + y, c), body.pose.orientation)))
    return replace(assembly, bodies=(*fixed, *still, *moved))
