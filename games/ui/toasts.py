"""What is said beside the pieces: what just happened, and where a refusal belongs."""

from __future__ import annotations

from engine.view.camera import Camera, seen_at
from games.ui.physics_client import ClientState

TOLD_S = 4.0
"""Seconds for which what just happened stands beside its piece."""


class Toasts:
    """Of one screen. tried_at: where in the window somebody wanted something last, pixels."""

    def __init__(self, client: ClientState) -> None:
        self._client = client
        self._told, self._until = client.told_last, 0.0
        self.tried_at = (0.0, 0.0)

    def hear(self, now: float) -> None:
        """Take note of what was told. now: seconds on the wall."""
        if self._client.told_last is not self._told:
            self._told, self._until = self._client.told_last, now + TOLD_S

    def lines(self, now: float) -> tuple[str, ...]:
        """Returns what is said now."""
        return self._told if now < self._until else ()

    def place(self, camera: Camera, size: tuple[int, int]) -> tuple[float, float]:
        """Returns where in the window what it is about is seen, or else what the camera looks at. size: pixels."""
        piece = self._client.told_piece
        is_there = piece in self._client.frame.names
        point = self._client.pose(piece).position if is_there else camera.target
        return seen_at(camera, size, point) or (size[0] / 2, size[1] / 2)
