"""How firmly Wonky's blocks stand on each other, in closed form: a chain of bodies that roll on caps.

Every block lies with a flat face on the cap of the one below. Of leans p the potential energy is, to the second order,
half p' K p with K tridiagonal: a block of weight w whose centre is c above its foot, with weight W on and in it, on a
cap of radius r, and weight V on its own cap, whose centre of curvature is h above its foot, has W r - V h - w c on the
diagonal, and -W r beside it. The tower stands where K is positive definite.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from engine.settings import GRAVITY
from models.build import build
from models.catalogue import find
from models.piece import Array
from models.shapes import Wonky

FIRM = -0.0055
"""N m for each radian of lean. A cap is a hull of small facets in the simulation, on which a block that is laid exactly
stays: towers of -0.0043 stand in play, and of -0.0078 fall."""


@dataclass(frozen=True, slots=True)
class _Link:
    """A block: its weight, N; height of its centre of mass and of its cap's centre of curvature over its foot, and the
    radius of the cap, metres."""

    weight: float
    centre: float
    bend: float
    radius: float


@cache
def _link(name: str) -> _Link:
    spec, piece = find(f"wonky/{name}"), build(find(f"wonky/{name}"))
    assert isinstance(spec.shape, Wonky)
    edge, rise = spec.shape.wonky.edge / 1e3, spec.shape.wonky.sagitta / 1e3
    radius = (edge**2 / 4.0 + rise**2) / (2.0 * rise)
    high = float(piece.extents[2])
    centre = float(piece.centre_of_mass[2]) + high / 2.0
    return _Link(piece.mass * GRAVITY, centre, high - radius, radius)


@cache
def softest(tower: tuple[str, ...]) -> tuple[float, Array]:
    """Returns how a tower, by its blocks from the bottom up, resists the lean that it resists least, N m for each
    radian; and the share (n - 1,) of each joint in that lean. A single block does not lean."""
    links = [_link(name) for name in tower]
    count = len(links) - 1
    if count < 1:
        return np.inf, np.zeros(0)
    above = np.cumsum([link.weight for link in links][::-1])[::-1]
    stiff = np.zeros((count, count))
    for at, (below, link) in enumerate(pairwise(links)):
        carried = above[at + 1]
        stiff[at, at] = (
            carried * below.radius - (carried - link.weight) * link.bend - link.weight * link.centre
        )
        if at:
            stiff[at, at - 1] = stiff[at - 1, at] = -carried * below.radius
    values, ways = np.linalg.eigh(stiff)
    leans = ways[:, 0] * (1.0 if ways[:, 0].sum() >= 0.0 else -1.0)
    return float(values[0]), np.diff(leans, prepend=0.0)


def is_firm(tower: tuple[str, ...]) -> bool:
    """Whether a tower stands when a calm hand has built it."""
    return softest(tower)[0] > FIRM


def can_go_on(tower: tuple[str, ...], free: tuple[str, ...]) -> bool:
    """Whether the next player, free to choose among blocks, can make the one after run out of them first."""
    return _wins(tower, tuple(sorted(free, key=_size)))


@cache
def _wins(tower: tuple[str, ...], free: tuple[str, ...]) -> bool:
    seen: set[str] = set()
    for at, name in enumerate(free):
        # blocks of one size are alike
        if _size(name) in seen:
            continue
        seen.add(_size(name))
        higher = (*tower, name)
        if is_firm(higher) and not _wins(higher, free[:at] + free[at + 1 :]):
            return True
    return False


def _size(name: str) -> str:
    return name.partition("_")[0]
