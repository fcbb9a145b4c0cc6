"""What of a table is to be seen: the tower as large as it can be, and what the person who is asked may reach for."""

import math

import numpy as np

from teeter.engine.geometry.rotation import rotated
from teeter.engine.view.camera import BOX_CORNERS, Camera, Clear, fitted
from teeter.games.core.rules import Wait
from teeter.games.present.client_state import ClientState
from teeter.games.present.hud import shown_by
from teeter.models.piece import Array

SHARE = 0.55
"""Of the height that panels leave free, what the tower takes."""
LEAST_M, ROOM_M = 0.12, 0.07
"""Metres: a lower tower is looked at as if it were so high, and the way from its middle to what is seen beside it."""
EDGE = 0.04
"""Of what panels leave free, along each side: empty."""
BY, AWAY = 0.14, 0.26
"""Metres from the tower at which a piece in the hand belongs to it, and no longer does."""
OFF_TABLE_M = -0.1


class Framing:
    """Of one table."""

    def __init__(self) -> None:
        self._is_by = False

    def of(self, client: ClientState) -> tuple[Array, Array]:
        """Returns corners (n, 3) of the tower, and of what else must be seen."""
        poses = client.frame.placed()
        tower = [name for name in client.in_play if name in poses and name != client.held]
        lying = self._corners(client, tower)
        middle = lying.reshape(-1, 3).mean(axis=0) if len(lying) else np.zeros(3)
        room = ROOM_M * max(1.0 - float(lying[:, 2].max(initial=0.0)) / (2.0 * LEAST_M), 0.0)
        ring = np.array([(x * room, y * room, z) for x in (-1, 1) for y in (-1, 1) for z in (0.0, LEAST_M)])
        subject = np.concatenate([lying, ring + np.array([middle[0], middle[1], 0.0])])
        others = self._corners(client, self._others(client, middle))
        if not len(lying) and not len(others):
            # all lies on the floor: an empty table from close by says nothing
            others = self._corners(client, [name for name in client.frame.names if client.is_fixed(name)])
        return subject, others

    def _others(self, client: ClientState, middle: Array) -> list[str]:
        """The piece in the hand until it comes to the tower; else what may be taken, or all that could be."""
        waits = client.waits
        if client.held in client.frame.names:
            x, y, _ = client.pose(client.held).position
            away = math.hypot(x - middle[0], y - middle[1])
            self._is_by = away < (AWAY if self._is_by else BY)
            return [] if self._is_by else [client.held]
        if waits is None or waits.need.wait is not Wait.ACTION:
            return []
        wanted = {shown_by(choice) for choice in client.choices} & set(client.frame.names)
        supply = [name for name in client.frame.names if name in client.pieces and not client.is_fixed(name)]
        return sorted(wanted or supply)

    def _corners(self, client: ClientState, names: list[str]) -> Array:
        frame = client.frame
        rows = [row for row, name in enumerate(frame.names) if name in set(names) and name in client.pieces]
        rows = [row for row in rows if frame.poses[row, 2] > OFF_TABLE_M]
        if not rows:
            return np.zeros((0, 3))
        half = np.array([client.pieces[frame.names[row]].extents / 2.0 for row in rows])
        poses = frame.poses[rows]
        return np.asarray((rotated(poses, half[:, None] * BOX_CORNERS) + poses[:, None, :3]).reshape(-1, 3))


def framed(towards: Camera, tower: Array, others: Array, aspect: float, clear: Clear) -> Camera:
    """Returns the camera that looks the same way, has the tower in its share of what panels leave free, and all of the
    others there too. aspect: width by height."""
    left, top, right, bottom = clear
    wide, high = right - left, bottom - top
    spare = (1.0 - SHARE) / 2.0 * high
    near = fitted(
        tower, towards, aspect, (left + EDGE * wide, top + spare, right - EDGE * wide, bottom - spare)
    )
    if not len(others):
        return near
    inner = (left + EDGE * wide, top + EDGE * high, right - EDGE * wide, bottom - EDGE * high)
    return fitted(np.concatenate([tower, others]), towards, aspect, inner, near.eye)
