"""Putting pieces where they belong: letting down those without a height, and finding overlaps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.pose import Pose
from engine.world import TABLE, Body
from scenes.faults import Fault
from scenes.letdown import drop
from scenes.overlap import deepest
from scenes.scene import Draft
from scenes.solids import Solid, Solids, bounds
from scenes.surfaces import depth_of_surfaces, is_bulging

Array = NDArray[np.float64]

OVERLAP = 0.2e-3
"""Metres that two pieces may overlap: what careful measuring leaves, and less than any verdict hangs on."""
MOST_OVERLAPS = 20
"""Overlaps listed one by one: a scene in the wrong unit has them by the thousand."""
LOWEST_REMEDY = "--table lowest puts the table under everything"
_ROUNDING = 1e-9


def lowest(drafts: Sequence[Draft]) -> float:
    """The height of the lowest point of all pieces that have a height, metres; 0 when none has."""
    solids = Solids()
    lows = [bounds(solids.of(draft.piece, draft.pose))[0][2] for draft in drafts if not draft.falls]
    return float(min(lows, default=0.0))


class Builder:
    """A scene being built, piece by piece: bodies with their convex solids and bounding boxes."""

    def __init__(self, bodies: Sequence[Body] = ()):
        self._solids = Solids()
        self.bodies: list[Body] = []
        self._drafts: list[Draft | None] = []
        self._parts: list[tuple[Solid, ...]] = []
        self._low: list[Array] = []
        self._high: list[Array] = []
        for body in bodies:
            self._keep(body, None)

    def place(self, draft: Draft) -> Body | None:
        """Put a piece in, letting it down if it has no height; None when nothing lies below it."""
        body = Body(draft.id, draft.piece, draft.pose, draft.fixed)
        if draft.falls:
            parts = self._solids.of(body.piece, body.pose)
            height = drop(parts, self._below(parts))
            if height is None:
                return None
            x, y, z = body.pose.position
            body = body.at(Pose((x, y, z - height), body.pose.orientation))
        self._keep(body, draft)
        return body

    def overlaps(self, allowed: float, since: int = 0) -> list[tuple[Draft, Draft | Body, float]]:
        """Pairs that overlap by more than `allowed` metres, the later one first, and by how much.

        since: pairs of bodies before this index are taken as known. Stops after `MOST_OVERLAPS` and one.
        """
        found: list[tuple[Draft, Draft | Body, float]] = []
        low, high = np.array(self._low), np.array(self._high)
        for index in range(since, len(self.bodies)):
            draft = self._drafts[index]
            assert draft is not None
            shared = np.minimum(high[:index], high[index]) - np.maximum(low[:index], low[index])
            for other in np.flatnonzero(np.all(shared > allowed, axis=1)):
                depth = self._depth(index, int(other), allowed)
                if depth > allowed + _ROUNDING:
                    found.append((draft, self._drafts[other] or self.bodies[other], depth))
                if len(found) > MOST_OVERLAPS:
                    return found
        return found

    def under_the_table(self) -> list[Draft]:
        """The free pieces wholly under the table, too deep to overlap it."""
        table = next((index for index, body in enumerate(self.bodies) if body.name == TABLE), None)
        if table is None:
            return []
        low, high = self._low[table], self._high[table]
        return [
            draft
            for draft, body, top in zip(self._drafts, self.bodies, self._high, strict=True)
            if draft and not body.fixed and top[2] <= low[2] + OVERLAP
            if np.all(np.abs(np.array(body.pose.position) - (low + high) / 2)[:2] < (high - low)[:2] / 2)
        ]

    def _keep(self, body: Body, draft: Draft | None) -> None:
        parts = self._solids.of(body.piece, body.pose)
        low, high = bounds(parts)
        self.bodies.append(body)
        self._drafts.append(draft)
        self._parts.append(parts)
        self._low.append(low)
        self._high.append(high)

    def _below(self, falling: tuple[Solid, ...]) -> list[Solid]:
        low, high = bounds(falling)
        if not self.bodies:
            return []
        meets = np.minimum(np.array(self._high), high) - np.maximum(np.array(self._low), low)
        return [
            part for index in np.flatnonzero(np.all(meets[:, :2] > 0, axis=1)) for part in self._parts[index]
        ]

    def _depth(self, index: int, other: int, allowed: float) -> float:
        one, two = self.bodies[index], self.bodies[other]
        if one.fixed and two.fixed:
            return 0.0
        depth = deepest(self._parts[index], self._parts[other], allowed)
        if depth > allowed and (is_bulging(one.piece) or is_bulging(two.piece)):
            # convex parts of a concave mesh bulge beyond it, so they accuse neighbours that only touch
            return min(depth, depth_of_surfaces(one, two))
        return depth


def put_together(
    drafts: Sequence[Draft], builder: Builder, allowed: float, file: str, *, is_whole: bool
) -> tuple[tuple[Body, ...], list[Fault]]:
    """All bodies in order, and the faults of how they lie. allowed: metres of overlap.

    is_whole: False when faults were found before, so that pieces are missing: nothing is let down then.
    """
    faults: list[Fault] = []
    since = len(builder.bodies)
    for draft in drafts:
        if draft.falls and not is_whole:
            continue
        if builder.place(draft) is None:
            problem = "there is nothing below to let it down on: give a height, [x, y, z]"
            faults.append(Fault(file, problem, draft.place, "position", line=draft.line))
    pairs = builder.overlaps(allowed, since)
    faults += [_overlap(*pair, allowed, file) for pair in pairs[:MOST_OVERLAPS]]
    if len(pairs) > MOST_OVERLAPS:
        faults.append(Fault(file, "there are more overlaps: is the scene in the right unit?"))
    for draft in builder.under_the_table():
        problem = f"lies under the table ({LOWEST_REMEDY})"
        faults.append(Fault(file, problem, draft.place, line=draft.line))
    return tuple(builder.bodies), faults


def _overlap(draft: Draft, other: Draft | Body, depth: float, allowed: float, file: str) -> Fault:
    remedy = "--settle MM allows more"
    if isinstance(other, Draft):
        what = other.place
    elif other.name == TABLE:
        what = "the table"
        remedy += f", {LOWEST_REMEDY}"
    else:
        what = f'"{other.name}"'
    problem = f"overlaps {what} by {depth * 1e3:.2f} mm; at most {allowed * 1e3:g} mm is allowed ({remedy})"
    return Fault(file, problem, draft.place, line=draft.line)
