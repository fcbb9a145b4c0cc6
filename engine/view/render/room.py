"""The room a table stands in: walls, a floor and what stands there, out of focus, baked into one small texture.

It is drawn behind everything and costs one sample a pixel. Colours are those of the screen. Its frame: metres from the
middle of the table on the floor.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from teeter.engine.view.render.resources import Triangles
from teeter.models.piece import Array

Triple = tuple[float, float, float]

HALF = (2.4, 2.2, 1.35)
"""Half sides of the room, metres."""
FACE_PX = 160
"""Side of the picture of a wall: nothing on it is sharp."""
DARK, LIGHT = np.array([0.625, 0.59, 0.56]), np.array([0.875, 0.85, 0.82])
"""Walls far from the window, and beside it."""
GROUND = np.array([0.60, 0.535, 0.475])
SHADOW_TO = (0.34, 0.42)
"""Metres by which the light from the left moves the shadow of the table."""
# axis and side of the inner faces; the axes that run along them
FACES = ((0, -1, 1), (0, 1, 1), (1, -1, 0), (1, 1, 0), (2, -1, 0), (2, 1, 0))


def _soft(off: Array, half: float, blur: float) -> Array:
    """Returns 1 where `off` is within a half side, 0 half a blur further out."""
    part = np.clip((half - np.abs(off)) / blur + 0.5, 0.0, 1.0)
    return np.asarray(part * part * (3 - 2 * part))


class _Wall:
    """A face of the room being painted. at: (n, n, 3) metres. picture: (n, n, 3)."""

    def __init__(self, axis: int, side: int, along: int) -> None:
        steps = (np.arange(FACE_PX) + 0.5) / FACE_PX * 2 - 1
        self.at = np.zeros((FACE_PX, FACE_PX, 3))
        up = 1 if axis == 2 else 2
        self.at[..., axis] = side
        self.at[..., along], self.at[..., up] = np.meshgrid(steps, steps)
        self.at = self.at * HALF + (0.0, 0.0, HALF[2])
        bright = np.clip(0.60 - 0.17 * self.at[..., :1] - 0.06 * self.at[..., 1:2], 0.0, 1.0)
        self.picture = DARK + bright * (LIGHT - DARK)
        self._across, self._up = self.at[..., along], self.at[..., up]
        self.bright = bright

    def shade(self, part: Array) -> None:
        """Multiplies everything by a part (n, n) of the light."""
        self.picture = self.picture * part[..., None]

    def lay(
        self, colour: Triple, middle: tuple[float, float], half: tuple[float, float], blur: float = 0.10
    ) -> None:
        """Paints a rectangle with soft edges. middle, half: metres across and up."""
        cover = _soft(self._across - middle[0], half[0], blur) * _soft(self._up - middle[1], half[1], blur)
        light = 0.75 + 0.45 * self.bright
        self.picture = self.picture + cover[..., None] * (np.array(colour) * light - self.picture)


def _floor(wall: _Wall, table: Sequence[float]) -> None:
    x, y = wall.at[..., 0], wall.at[..., 1]
    boards = (
        np.abs((y * 6.5) % 1.0 - 0.5) * 0.05 + np.abs((x * 0.9 + np.floor(y * 6.5) * 0.37) % 1.0 - 0.5) * 0.03
    )
    wall.picture = GROUND * (0.82 + 0.30 * wall.bright) * (0.97 + boards[..., None])
    # a carpet, and light that falls through the window
    wall.lay((0.56, 0.50, 0.47), (0.0, 0.0), (1.35, 1.05), 0.08)
    wall.picture += 0.07 * (_soft(x + 1.2, 0.75, 0.5) * _soft(y - 0.9, 0.45, 0.4))[..., None]
    if table[0] > 0:
        # dark close under the table, and the shadow from the window behind it
        beyond = np.hypot(*(np.maximum(np.abs(p) - half, 0.0) for p, half in zip((x, y), table, strict=True)))
        wall.shade(1.0 - 0.30 * np.exp(-beyond / 0.15))
        wall.shade(
            1.0 - 0.28 * _soft(x - SHADOW_TO[0], table[0], 0.30) * _soft(y - SHADOW_TO[1], table[1], 0.30)
        )


def _furnish(number: int, wall: _Wall) -> None:
    """Paints what stands at a wall or hangs on it: left, right, front, back."""
    wall.lay((0.83, 0.81, 0.79), (0.0, 0.05), (9.0, 0.05), 0.05)
    if number in (0, 2):
        # a window, its cross, and its curtains
        middle = 0.55 if number == 0 else -0.4
        for off in (-0.86, 0.86):
            wall.lay((0.80, 0.77, 0.74), (middle + off, 1.40), (0.17, 0.85), 0.12)
        wall.lay((0.95, 0.95, 0.945), (middle, 1.50), (0.66, 0.62), 0.10)
        wall.lay((0.80, 0.79, 0.78), (middle, 1.50), (0.03, 0.62), 0.08)
    elif number == 1:
        # a door
        wall.lay((0.70, 0.665, 0.635), (-0.5, 1.0), (0.48, 1.02), 0.09)
        wall.lay((0.74, 0.705, 0.675), (-0.5, 1.0), (0.40, 0.94), 0.09)
    else:
        # a cupboard with a plant, a bowl and books on it, and a picture above
        wall.lay((0.45, 0.455, 0.45), (-0.55, 0.04), (0.95, 0.05), 0.10)
        wall.lay((0.545, 0.58, 0.575), (-0.55, 0.35), (0.98, 0.30), 0.09)
        wall.lay((0.66, 0.645, 0.61), (-0.55, 0.65), (1.0, 0.025), 0.06)
        for off in (-0.49, 0.0, 0.49):
            wall.lay((0.475, 0.51, 0.505), (-0.55 + off, 0.35), (0.012, 0.26), 0.05)
        wall.lay((0.80, 0.76, 0.71), (-1.22, 0.76), (0.10, 0.09), 0.07)
        for x, z, half in (
            (-1.22, 1.02, 0.13),
            (-1.34, 1.10, 0.10),
            (-1.10, 1.12, 0.09),
            (-1.22, 1.22, 0.09),
        ):
            wall.lay((0.45, 0.52, 0.42), (x, z), (half, half), 0.17)
        for x, colour in (
            (-0.02, (0.55, 0.38, 0.34)),
            (0.06, (0.40, 0.46, 0.52)),
            (0.15, (0.66, 0.58, 0.42)),
        ):
            wall.lay(colour, (x, 0.80), (0.035, 0.13), 0.05)
        wall.lay((0.52, 0.475, 0.44), (-0.45, 1.52), (0.40, 0.30), 0.07)
        wall.lay((0.84, 0.815, 0.78), (-0.45, 1.52), (0.36, 0.26), 0.07)
        wall.lay((0.64, 0.665, 0.66), (-0.50, 1.48), (0.20, 0.12), 0.16)
        # a lamp in the corner
        wall.lay((0.45, 0.42, 0.40), (1.55, 0.75), (0.014, 0.74), 0.05)
        wall.lay((0.93, 0.885, 0.80), (1.55, 1.58), (0.19, 0.15), 0.09)


@lru_cache(maxsize=8)
def room_picture(table: tuple[float, float], noise: float = 0.002) -> NDArray[np.uint8]:
    """Returns (h, w, 4): the faces of the room above each other. table: half sides, metres; 0 for none. noise: breaks
    the steps of 8 bits in what is smooth; in a file it is most of the bytes."""
    pictures = []
    for number, face in enumerate(FACES):
        wall = _Wall(*face)
        if number < 4:
            _furnish(number, wall)
            # corners are darker
            wall.shade(1.0 - 0.10 * np.exp(-wall.at[..., 2] / 0.25))
        elif number == 4:
            _floor(wall, table)
        pictures.append(wall.picture)
    colours = np.concatenate(pictures)
    colours += np.random.default_rng(3).uniform(-noise, noise, colours.shape[:2])[..., None]
    rows = np.clip(255 * np.concatenate([colours, np.ones((*colours.shape[:2], 1))], axis=2) + 0.5, 0, 255)
    return rows.astype(np.uint8)


def room_mesh() -> Triangles:
    """Returns the room, seen from inside; in place of a normal where in its picture each corner is."""
    rows, indices = [], []
    inset = 0.5 / FACE_PX
    for number, (axis, side, along) in enumerate(FACES):
        up = 1 if axis == 2 else 2
        for across, high in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            point = np.zeros(3)
            point[axis], point[along], point[up] = side, across, high
            u, v = (0.5 + part * (0.5 - inset) for part in (across, high))
            rows.append([*(point * HALF + (0, 0, HALF[2])), u, (number + v) / len(FACES), *[0.0] * 7])
        corners = np.array([(0, 1, 2), (0, 2, 3)]) + 4 * number
        normal = np.cross(np.eye(3)[along], np.eye(3)[up])[axis]
        indices += (corners if normal * side < 0 else corners[:, ::-1]).tolist()
    return Triangles(np.array(rows, dtype=np.float32), np.array(indices, dtype=np.uint32))
