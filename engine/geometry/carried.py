"""What nothing carries: pieces in the air, how far they are over what lies below, and letting them down onto it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from teeter.engine.geometry.convex import bounds_of, is_near, slack_of, solids_at
from teeter.engine.geometry.drop import drop
from teeter.engine.pose import Pose
from teeter.engine.tolerances import MAX_OVERLAP
from teeter.engine.world.body import TABLE, Assembly, Body
from teeter.models.piece import Ints

Bools = np.ndarray[Any, np.dtype[np.bool_]]

ROUNDING = 1e-9
"""Metres by which arithmetic may put pieces farther apart than they were written."""


@dataclass(frozen=True, slots=True)
class Floating:
    """Pieces that hang together in the air. names: the lowest first. over: what they would fall onto, None where there
    is nothing below them; gap: metres of air between, infinite then."""

    names: tuple[str, ...]
    gap: float
    over: str | None


class _Places:
    """Bodies with their convex solids and bounding boxes."""

    def __init__(self, bodies: Sequence[Body]) -> None:
        self.bodies = list(bodies)
        self.solids = [solids_at(body.piece, body.pose) for body in bodies]
        bounds = [bounds_of(solids) for solids in self.solids]
        self.low = np.array([low for low, _ in bounds]).reshape(-1, 3)
        self.high = np.array([high for _, high in bounds]).reshape(-1, 3)
        self.slack = np.array([slack_of(body) for body in bodies])

    def groups(self) -> list[list[int]]:
        """The free bodies that nothing carries, those together that are near each other, the lowest first."""
        carried = [index for index, body in enumerate(self.bodies) if body.fixed]
        left = np.array([not body.fixed for body in self.bodies], dtype=np.bool_)
        self._spread(carried, left)
        groups = []
        for lowest in np.lexsort((np.arange(len(left)), self.low[:, 2])).tolist():
            if left[lowest]:
                left[lowest] = False
                groups.append(self._spread([lowest], left))
        return groups

    def _spread(self, reached: list[int], left: Bools) -> list[int]:
        """All bodies that hang together with some; they are taken out of those that are left."""
        waiting = list(reached)
        while waiting:
            index = waiting.pop()
            for other in self._neighbours(index, np.flatnonzero(left)):
                left[other] = False
                reached.append(other)
                waiting.append(other)
        return reached

    def _neighbours(self, index: int, others: Ints) -> list[int]:
        limits = np.minimum(self.slack[others], self.slack[index]) + ROUNDING
        apart = np.maximum(self.low[others] - self.high[index], self.low[index] - self.high[others])
        near = np.all(apart <= limits[:, None], axis=1)
        pairs = zip(others[near].tolist(), limits[near].tolist(), strict=True)
        return [other for other, limit in pairs if self._is_near(index, other, limit)]

    def _is_near(self, index: int, other: int, limit: float) -> bool:
        return is_near(
            self.bodies[index], self.bodies[other], limit, (self.solids[index], self.solids[other])
        )

    def lower(self, group: Sequence[int], distance: float) -> None:
        """Move a group straight down."""
        for index in group:
            body = self.bodies[index]
            x, y, z = body.pose.position
            self.bodies[index] = body.at(Pose((x, y, z - distance), body.pose.orientation))
            self.solids[index] = solids_at(body.piece, self.bodies[index].pose)
            self.low[index, 2] -= distance
            self.high[index, 2] -= distance

    def below(self, group: Sequence[int]) -> tuple[float, str | None]:
        """How far a group falls until it first touches another body, and which."""
        inside, nearest, over = set(group), np.inf, None
        for index in group:
            meets = np.minimum(self.high, self.high[index]) - np.maximum(self.low, self.low[index])
            lower = np.all(meets[:, :2] > 0, axis=1) & (self.low[:, 2] < self.high[index, 2])
            for other in np.flatnonzero(lower).tolist():
                if other in inside:
                    continue
                gap = drop(self.solids[index], self.solids[other])
                # what is above it, or beside it in a hollow, is none that it falls onto
                if gap is not None and 0 <= gap < nearest:
                    nearest, over = gap, self.bodies[other].name
        return float(nearest), over


def floating(bodies: Sequence[Body]) -> tuple[Floating, ...]:
    """Returns what no chain of neighbours joins to a support, the lowest first. Neighbours are bodies no farther apart
    than pieces of their size may overlap (`engine.geometry.convex.slack_of`)."""
    places = _Places(bodies)
    return tuple(
        Floating(tuple(places.bodies[index].name for index in group), *places.below(group))
        for group in places.groups()
    )


def seated(assembly: Assembly, reach: float) -> Assembly:
    """Returns the assembly with gaps and overlaps of up to `reach` metres closed straight up and down, from the lowest
    piece on: what stands deep in something below is lifted out of it, what floats is let down. The assembly itself
    where there is nothing to close."""
    places = _Places(assembly.bodies)
    _lift(places, reach)
    groups = places.groups()
    gaps = [places.below(group)[0] for group in groups]
    for group, gap in zip(groups, gaps, strict=True):
        # what lies below has been let down before, and may be farther off by now
        if gap <= reach + ROUNDING:
            places.lower(group, places.below(group)[0])
    is_same = all(one is other for one, other in zip(places.bodies, assembly.bodies, strict=True))
    return assembly if is_same else Assembly(assembly.name, tuple(places.bodies))


def _lift(places: _Places, reach: float) -> None:
    """Lift every free body out of those below it. Overlaps that careful measuring leaves stay: pieces at rest in a
    simulation have them too; and so do those sideways, which no lift within reach would part."""
    lifted = np.zeros(len(places.bodies))
    free = [index for index, body in enumerate(places.bodies) if not body.fixed]
    for index in sorted(free, key=lambda index: (places.low[index, 2], index)):
        shared = np.minimum(places.high, places.high[index]) - np.maximum(places.low, places.low[index])
        middle = (places.low[:, 2] + places.high[:, 2]) < (places.low[index, 2] + places.high[index, 2])
        needed = [0.0]
        for other in np.flatnonzero(np.all(shared > MAX_OVERLAP, axis=1) & middle).tolist():
            gap = drop(places.solids[index], places.solids[other])
            if gap is not None and MAX_OVERLAP < -gap <= reach + lifted[other] + ROUNDING:
                needed.append(-gap)
        if (up := max(needed)) > 0:
            places.lower([index], -up)
            lifted[index] = up


def beyond_table(bodies: Sequence[Body], aloft: Sequence[Floating]) -> tuple[str, ...]:
    """Returns the free bodies under which the table ends: in the air over nothing, or at the height of its top with
    lowest corners beside it, whether they stand or not. None where there is no table.

    aloft: what `floating` returns of the same bodies.
    """
    table = next((body for body in bodies if body.name == TABLE), None)
    if table is None:
        return ()
    low, high = bounds_of(solids_at(table.piece, table.pose))
    lost = {name for group in aloft if group.over is None for name in group.names}
    for body in bodies:
        if body.fixed or body.name in lost:
            continue
        corners = np.concatenate(
            [part.vertices - [0, 0, part.radius] for part in solids_at(body.piece, body.pose)]
        )
        feet = corners[corners[:, 2] < corners[:, 2].min() + slack_of(body)]
        beside = np.any((feet < low - ROUNDING) | (feet > high + ROUNDING), axis=1, where=[True, True, False])
        if abs(feet[:, 2].min() - high[2]) <= slack_of(body) and beside.any():
            lost.add(body.name)
    return tuple(body.name for body in bodies if body.name in lost)
