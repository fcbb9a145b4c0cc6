"""What is said beside the pieces: what just happened, and where a refusal belongs."""

from __future__ import annotations

from engine.view.camera import Camera, seen_at
from games.ui.physics_client import ClientState

TOLD_S = 4.0
"""Seconds for which what just happened stands beside its piece."""

TOGETHER_S = 2.0
"""Seconds after which what comes next stands alone."""
MOST_LINES = 3


class Toasts:
    """Of one screen. tried_at: where in the window somebody wanted something last, pixels."""

    def __init__(self, client: ClientState) -> None:
        self._client = client
        self._heard = client.told_last
        self._told: tuple[str, ...] = ()
        self._since = -TOLD_S
        self.tried_at = (0.0, 0.0)

    def hear(self, now: float) -> None:
        """Take note of what was told. now: seconds on the wall."""
        if self._client.told_last is self._heard:
            return
        self._heard = self._client.told_last
        before = self._told if now - self._since < TOGETHER_S else ()
        self._told, self._since = (*before, *self._heard)[-MOST_LINES:], now

    def lines(self, now: float) -> tuple[str, ...]:
        """Returns what is said now."""
        return self._told if now - self._since < TOLD_S else ()

    def place(self, camera: Camera, size: tuple[int, int]) -> tuple[float, float]:
        """Returns where in the window what it is about is seen, or else what the camera looks at. size: pixels."""
        piece = self._client.told_piece
        is_there = piece in self._client.frame.names
        point = self._client.pose(piece).position if is_there else camera.target
        return seen_at(camera, size, point) or (size[0] / 2, size[1] / 2)
