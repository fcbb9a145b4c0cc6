"""Where pieces that are shifted would lie in others, found for many shifts at once.

How deep two convex solids overlap is the least of their widths over the normals of the faces of both and across their
edges (Gottschalk, Lin, Manocha 1996), and a shift adds its own length along each: so the directions and widths of a
pair are found once, and a place costs a product.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product

import numpy as np

from teeter.engine.geometry.convex import ConvexSolid, solids_at
from teeter.engine.tolerances import TOUCH_DECLARED
from teeter.engine.topple.contact.arrays import Array, Bools, Ints
from teeter.engine.topple.contact.features import of_bodies
from teeter.engine.world.body import Assembly, Body

SURELY = 10 * TOUCH_DECLARED.gap
"""Metres of overlap that are refused here: less may be a contact of faces that are not quite parallel."""
MOST_DIRECTIONS = 400
"""Of a pair: rounder ones are left to the contacts."""

Widths = tuple[Array, Array]
"""Directions (d, 3) from the first of two solids, and how far it must go against each to be out of the other (d,)."""


class Clearances:
    """Of all pairs of bodies of an assembly, each found when it is first asked for."""

    def __init__(self, assembly: Assembly) -> None:
        self._bodies = assembly.bodies
        self._solids: dict[int, tuple[ConvexSolid, ...]] = {}
        self._pairs: dict[tuple[int, int], list[Widths]] = {}

    @cached_property
    def boxes(self) -> tuple[Array, Array]:
        """The lowest and the highest corners (b, 3) of the bodies, metres."""
        return of_bodies(self._bodies).body_boxes(len(self._bodies))

    def overlap(self, first: Ints, second: Ints, shifts: Array) -> Bools:
        """Returns in which of k questions two bodies surely overlap. first, second: their numbers; shifts: (k, 3)
        metres, of the first."""
        overlaps = np.zeros(len(first), dtype=np.bool_)
        count = len(self._bodies)
        pairs, which = np.unique(first * count + second, return_inverse=True)
        for at, pair in enumerate(pairs.tolist()):
            mine = np.flatnonzero(which == at)
            for directions, widths in self._of(*divmod(pair, count)):
                depth = (shifts[mine] @ directions.T + widths).min(axis=1)
                overlaps[mine] |= depth > SURELY
        return overlaps

    def _of(self, first: int, second: int) -> list[Widths]:
        if (first, second) not in self._pairs:
            widths = [_widths(*pair) for pair in product(self._at(first), self._at(second))]
            self._pairs[first, second] = [width for width in widths if width is not None]
        return self._pairs[first, second]

    def _at(self, number: int) -> tuple[ConvexSolid, ...]:
        if number not in self._solids:
            body: Body = self._bodies[number]
            self._solids[number] = solids_at(body.piece, body.pose)
        return self._solids[number]


def _widths(first: ConvexSolid, second: ConvexSolid) -> Widths | None:
    """Returns those of two solids; None where they are too round."""
    if first.radius or second.radius:
        return None
    one, other = _ways(first), _ways(second)
    faces = [first.normals, -second.normals]
    if 2 * len(one) * len(other) + sum(map(len, faces)) > MOST_DIRECTIONS:
        return None
    across = np.cross(one[:, None], other[None]).reshape(-1, 3)
    lengths = np.linalg.norm(across, axis=1)
    # edges closer to parallel make a direction of rounding errors; those of faces cover that case
    across = across[lengths > 1e-8] / lengths[lengths > 1e-8, None]
    directions = np.concatenate([*faces, across, -across])
    return directions, first.reach(directions) + second.reach(-directions)


def _ways(solid: ConvexSolid) -> Array:
    """Returns the directions (e, 3) of the edges of a solid, one of those that are parallel."""
    if solid.axes is not None:
        return solid.axes
    along = solid.edges[:, 1] - solid.edges[:, 0]
    along /= np.linalg.norm(along, axis=1)[:, None]
    alike: list[Array] = []
    for way in along:
        if not any(abs(float(way @ other)) > 1 - 1e-12 for other in alike):
            alike.append(way)
    return np.array(alike)
