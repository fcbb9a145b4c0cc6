"""How deep bodies stand inside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.geometry.convex import ConvexSolids
from engine.geometry.overlap import deepest
from engine.topple.contact.arrays import Array, Ints, touching
from engine.world import Body

_SOLIDS = ConvexSolids()


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two bodies inside each other. depth: metres, the shortest way out."""

    first: str
    second: str
    depth: float


def overlaps_of(
    bodies: Sequence[Body], extent: tuple[Array, Array], first: Ints, second: Ints, gap: float
) -> tuple[Overlap, ...]:
    """Returns the overlaps deeper than `gap` (m) among the body pairs (first, second), deepest first.

    extent: lower and upper corners of the bodies' boxes.
    """
    low, high = extent
    deep = touching(low[first], high[first], low[second], high[second], -2 * gap)
    found = []
    for i, j in zip(first[deep], second[deep], strict=True):
        one, two = bodies[i], bodies[j]
        depth = deepest(_SOLIDS.of(one.piece, one.pose), _SOLIDS.of(two.piece, two.pose), gap)
        if depth > gap:
            found.append(Overlap(one.name, two.name, depth))
    return tuple(sorted(found, key=lambda one: (-one.depth, one.first, one.second)))
