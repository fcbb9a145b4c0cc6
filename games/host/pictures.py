"""Pictures of pieces and cards for browsers: drawn by a process of its own when first asked for, kept as data links."""

from __future__ import annotations

import base64

import numpy as np
from numpy.typing import NDArray

from engine.view.render.png import png_of
from games.present.pictures import PictureSource

SHARE = 2
"""Pixels in each direction that become one: browsers show the pictures small, and every turn has some."""


class PicturePainter(PictureSource):
    """Gives pictures by their names, each as soon as there is one. is_on: whether any are drawn."""

    def __init__(self, is_on: bool = True) -> None:
        super().__init__()
        self._is_on = is_on
        self._data: dict[str, str] = {}
        self._missing: dict[str, None] = {}

    def data(self, name: str) -> str:
        """Returns a picture as `data:image/png;...`; empty while there is none, which is then drawn."""
        if name not in self._data and self._is_on:
            self._missing[name] = None
        return self._data.get(name, "")

    @property
    def is_busy(self) -> bool:
        """Whether pictures are being drawn."""
        return bool(self._missing)

    def step(self) -> bool:
        """Takes in what was drawn, asks for what is missing. Returns whether there is something new."""
        found = self.found(tuple(self._missing))
        for name, pixels in found.items():
            # without OpenGL there are no pictures; the words of a choice say enough
            self._data[name] = "" if pixels is None else _link(pixels)
            del self._missing[name]
        return bool(found)


def _link(pixels: NDArray[np.uint8]) -> str:
    height, width = (side // SHARE * SHARE for side in pixels.shape[:2])
    if min(height, width) < SHARE:
        return ""
    cells = (
        pixels[:height, :width].reshape(height // SHARE, SHARE, width // SHARE, SHARE, 4).astype(np.float64)
    )
    opacity = cells[..., 3:]
    weight = np.maximum(opacity.sum(axis=(1, 3)), 1e-9)
    colour = (cells[..., :3] * opacity).sum(axis=(1, 3)) / weight
    small = np.dstack([colour, opacity.mean(axis=(1, 3))])
    return "data:image/png;base64," + base64.b64encode(png_of(np.round(small).astype(np.uint8))).decode(
        "ascii"
    )
