"""Where a piece comes to lie when it is let down onto a scene, asked for many places."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from engine.pose import Pose
from engine.world import Body
from scenes.letdown import drop
from scenes.solids import Solid, Solids, bounds


class Ground:
    """What a piece may be let down onto; it never changes."""

    def __init__(self, bodies: Iterable[Body]) -> None:
        self._solids = Solids()
        each = [part for body in bodies for part in self._solids.of(body.piece, body.pose)]
        self._parts: list[Solid] = sorted(each, key=lambda part: -float(part.high[2]))
        self._low = np.array([part.low for part in self._parts]).reshape(-1, 3)
        self._high = np.array([part.high for part in self._parts]).reshape(-1, 3)

    def let_down(self, body: Body) -> Body | None:
        """The body straight below or above its place, in first contact; None when nothing lies below it."""
        falling = self._solids.of(body.piece, body.pose)
        low, high = bounds(falling)
        least: float | None = None
        beside = np.all(
            np.minimum(self._high[:, :2], high[:2]) > np.maximum(self._low[:, :2], low[:2]), axis=1
        )
        for at in np.flatnonzero(beside).tolist():
            # the parts come from the highest down: what is wholly below the contact found cannot be met first
            if least is not None and float(low[2]) - float(self._high[at, 2]) > least:
                break
            way = drop(falling, (self._parts[at],))
            if way is not None and (least is None or way < least):
                least = way
        if least is None:
            return None
        x, y, z = body.pose.position
        return body.at(Pose((x, y, z - least), body.pose.orientation))
