"""What a handicap does to the camera (CT-40 to CT-48); `games.play.held_piece` does the same to the hand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeVar

import numpy as np

from engine.hand import Sway
from engine.view.camera import Camera, Orbit
from games.core.rules import NO_HANDICAP, Handicap
from games.game import Game

S = TypeVar("S")
SPIN_S = 1.1
"""Seconds for one turn of the camera."""
FLAT_FOV = 1.5
"""Degrees: so far away and so near at once that nothing seems deep."""


class CameraHandicap:
    """Stands between where a person looks from and what is seen."""

    def __init__(self, handicap: Handicap) -> None:
        self._handicap = handicap
        self._sway = Sway(handicap.sway_mm / 1e3, handicap.sway_period_s or 1.0, handicap.sway_axes)
        self._now = 0.0
        self._spun = math.inf

    @property
    def is_free(self) -> bool:
        """Whether nothing is done to it."""
        return self._handicap == NO_HANDICAP

    @property
    def is_mirrored(self) -> bool:
        """CT-40: left and right of the input are swapped."""
        return self._handicap.mirrored

    @property
    def is_moving(self) -> bool:
        """Whether the picture changes by itself."""
        return self._handicap.sway_mm > 0.0 or self._spun < self._handicap.spins * SPIN_S

    def locks(self, is_holding: bool) -> bool:
        """CT-44: whether the camera may not be turned now."""
        return is_holding and not self._handicap.turns_while_holding

    def spin(self) -> None:
        """CT-47: a new floor card was laid."""
        self._spun = 0.0

    def step(self, seconds: float) -> None:
        """Time passes."""
        self._now += seconds
        self._spun += seconds

    def of(self, orbit: Orbit) -> Camera:
        """What is seen."""
        handicap = self._handicap
        if self._spun < handicap.spins * SPIN_S:
            orbit = orbit.turned(360.0 * self._spun / SPIN_S, 0.0)
        if handicap.eye_mm > 0.0:
            rise = handicap.eye_mm / 1e3 - orbit.target[2]
            orbit = replace(
                orbit, elevation=math.degrees(math.asin(max(-0.4, min(0.9, rise / orbit.distance))))
            )
        camera = orbit.camera
        if not handicap.depth_cues:
            times = math.tan(math.radians(camera.fov) / 2) / math.tan(math.radians(FLAT_FOV) / 2)
            camera = replace(replace(orbit, distance=orbit.distance * times).camera, fov=FLAT_FOV)
        if handicap.sway_mm > 0.0:
            x, y, z = (np.asarray(camera.eye) + self._sway.at(self._now)).tolist()
            camera = replace(camera, eye=(x, y, z))
        return camera


def handicap_of(game: Game[S], state: S) -> CameraHandicap:
    """Returns what a game does to the camera."""
    return CameraHandicap(game.handicaps.of(state))
