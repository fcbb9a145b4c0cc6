"""How bricks lie in rows of three: where a row runs, and which places are free in it.

A row is seen from above, in millimetres: `along` its bricks, and `across` them, counted to the left. Everything is
measured on the bricks that really lie there, so a tower may be turned or lean and is still built on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from engine.geometry.rotation import Array
from engine.pose import Pose
from engine.world import Body
from games.judge.places import outline

PITCH_MM = 25.4
"""TT-02, TT-05: from slot to slot. The widest brick there is (25.35 mm) fits between two others."""
CLEAR_MM = 0.5
"""TT-05: air beside a brick that is to be laid, so that it goes down without scraping."""
BETWEEN_MM = 27.0
"""TT-05: room that is kept for a slot that stays free between two bricks; 1.6 mm more than is asked for."""


def heading(row: int) -> Array:
    """(2,) the way the bricks of a row point when the tower is set up; rows are counted from 0, at the table."""
    return np.array([1.0, 0.0]) if row % 2 == 0 else np.array([0.0, 1.0])


def to_the_left(way: Array) -> Array:
    """(2,) a direction turned by a right angle, counter-clockwise as seen from above."""
    return np.array([-way[1], way[0]])


def mean_way(bodies: Sequence[Body], nominal: Array) -> Array:
    """(2,) the mean direction of bricks, seen from above; of the two ways along a brick the one nearer to nominal.

    The nominal one where there are no bricks, or none that lies.
    """
    ways = [body.pose.matrix[:2, 0] for body in bodies]
    total = np.sum([way if way @ nominal > 0 else -way for way in ways], axis=0) if ways else np.zeros(2)
    length = float(np.linalg.norm(total))
    return nominal if length < 1e-6 else total / length


@dataclass(frozen=True, slots=True, eq=False)
class OpenRow:
    """The row being built on top.

    index: from 0, at the table. below: the bricks of the row below; own: those of the row itself by slot.
    """

    index: int
    below: tuple[Body, ...]
    own: Mapping[int, Body]

    @property
    def way_below(self) -> Array:
        """(2,) the direction of the bricks of the row below."""
        return mean_way(self.below, heading(self.index - 1))

    @property
    def upright(self) -> Array:
        """(3,) the mean direction that is up for the bricks of the row below; that of gravity where none lies."""
        ways = [body.pose.matrix[:, 2] for body in self.below]
        total = np.sum([way if way[2] > 0 else -way for way in ways if abs(way[2]) > 0.5], axis=0)
        length = float(np.linalg.norm(total))
        return np.array([0.0, 0.0, 1.0]) if length < 1e-6 else np.asarray(total / length)

    @property
    def along(self) -> Array:
        """(2,) the direction of its bricks; of an empty row, at right angles to the row below."""
        turned, nominal = to_the_left(self.way_below), heading(self.index)
        return mean_way(tuple(self.own.values()), turned if turned @ nominal > 0 else -turned)

    @property
    def middle(self) -> Array:
        """(2,) over the middle of the row below, millimetres."""
        places = [body.pose.position[:2] for body in self.below]
        return 1e3 * np.mean(places, axis=0) if places else np.zeros(2)

    def offset(self, body: Body) -> tuple[float, float]:
        """Millimetres of a brick's centre from the middle of the row: along it, and across it to the left."""
        way = self.along
        from_middle = np.multiply(body.pose.position[:2], 1e3) - self.middle
        return float(from_middle @ way), float(from_middle @ to_the_left(way))

    def free(self) -> tuple[int, ...]:
        """The slots that are free, from the left: 0, 1, 2."""
        return tuple(slot for slot in range(3) if slot not in self.own)

    def place(self, slot: int, width_mm: float) -> float:
        """Where in a free slot the centre of a brick belongs, millimetres to the left of the row's middle.

        As when the tower is set up, unless the bricks that lie in the row leave it no room there, or it would
        leave none for a brick between.
        """
        reach = {at: self._reach(body) for at, body in self.own.items()}
        room = {at: width_mm / 2 + CLEAR_MM + BETWEEN_MM * (abs(at - slot) - 1) for at in reach}
        lefts, rights = [at for at in reach if at < slot], [at for at in reach if at > slot]
        most = reach[max(lefts)][0] - room[max(lefts)] if lefts else np.inf
        least = reach[min(rights)][1] + room[min(rights)] if rights else -np.inf
        if least > most:
            return (least + most) / 2
        return float(min(max((1 - slot) * PITCH_MM, least), most))

    def nearest(self, body: Body) -> tuple[int, float]:
        """The free slot a brick lies nearest to, and how far across from its place in it, millimetres."""
        across = self.offset(body)[1]
        width = 1e3 * float(body.piece.extents[1])
        return min(
            ((slot, abs(across - self.place(slot, width))) for slot in self.free()), key=lambda one: one[1]
        )

    def pose(self, slot: int, extents: Array) -> Pose:
        """Where a brick of that size (3,), metres, is laid in a free slot."""
        centre = self.middle + self.place(slot, 1e3 * float(extents[1])) * to_the_left(self.along)
        return lying(centre, self.along, extents, self.below)

    def _reach(self, body: Body) -> tuple[float, float]:
        """How far a brick reaches across, millimetres: its right side and its left one."""
        across = (shapely.get_coordinates(outline(body)) - self.middle) @ to_the_left(self.along)
        return float(across.min()), float(across.max())


def lying(centre: Array, way: Array, extents: Array, below: Sequence[Body]) -> Pose:
    """A brick that lies level with its centre over a point (2,), mm, and its length along `way`, on the highest that
    is beneath it, or on the table. extents: (3,) metres."""
    left, half = to_the_left(way), 500 * extents[:2]
    corners = np.array([way * half[0] * a + left * half[1] * b for a in (-1, 1) for b in (-1, 1)])
    plan = shapely.MultiPoint(corners + centre).convex_hull
    level = max([0.0, *(height_under(plan, body) for body in below)])
    matrix = np.array([[way[0], left[0], 0.0], [way[1], left[1], 0.0], [0.0, 0.0, 1.0]])
    return Pose.of(np.array([*centre / 1e3, level + float(extents[2]) / 2]), matrix)


def height_under(plan: shapely.Geometry, brick: Body) -> float:
    """How high a lying brick reaches beneath an outline (mm), metres; minus infinity where it does not."""
    common = shapely.get_coordinates(plan.intersection(outline(brick))) / 1e3
    if len(common) == 0:
        return -np.inf
    axis = int(np.argmax(np.abs(brick.pose.matrix[2])))
    normal = brick.pose.matrix[:, axis] * np.sign(brick.pose.matrix[2, axis])
    top = np.asarray(brick.pose.position) + normal * brick.piece.extents[axis] / 2
    return float((top[2] - (common - top[:2]) @ normal[:2] / normal[2]).max())
