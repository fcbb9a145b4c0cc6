"""Contact sheets: many pieces in one lit picture, each with its name and size below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.pose import Pose
from engine.view.camera import Camera
from engine.view.errors import ViewError
from engine.view.look import Quality
from engine.view.stage import Stage
from engine.world import TABLE, Body
from models.build import build
from models.piece import Piece
from models.spec import parse

MOST_PIECES = 240
# pixels of a cell, and the least size of a sheet
CELL = (240, 230)
# of the cell: the part that the widest piece takes
FILL = 0.76
# nearly parallel, so that all pieces are drawn to one scale
FOV = 0.6
ELEVATION = math.radians(38)
# where captions stand below the middle of a cell, as a part of it, and their height in pixels
CAPTION = 0.36
TEXT = 13
# of the cell: how far above its middle pieces stand, for the caption's sake
LIFT = 0.09
# each pixel is the mean of so many by so many
FINE = 2
PAPER = "#e9e4da"
# turned a little, so that three faces show
YAW = math.radians(24)


@dataclass(frozen=True, slots=True)
class Grid:
    """How a sheet is laid out: columns, rows, and the metres between the middles of two cells."""

    columns: int
    rows: int
    pitch: float
    depth: float

    def place(self, number: int) -> tuple[float, float]:
        """The middle of a cell on the table, row by row from the back left."""
        row, column = divmod(number, self.columns)
        return (column - (self.columns - 1) / 2) * self.pitch, ((self.rows - 1) / 2 - row) * self.depth


def grid_for(pieces: Sequence[Piece]) -> Grid:
    """About as many columns as fill a picture of 3 by 2, cells as large as the largest piece needs."""
    count = len(pieces)
    columns = min(count, max(1, math.ceil(math.sqrt(count * 1.5))))
    pitch = max(max(_footprint(piece) for piece in pieces), max(_height(piece) for piece in pieces)) / FILL
    # a cell is as high in the picture as `CELL` says
    return Grid(columns, math.ceil(count / columns), pitch, pitch * CELL[1] / CELL[0] / math.sin(ELEVATION))


def _height(piece: Piece) -> float:
    """Metres that a piece takes in the picture from its lowest point to its highest."""
    across = float(piece.extents[0]) * math.sin(YAW) + float(piece.extents[1]) * math.cos(YAW)
    return across * math.sin(ELEVATION) + float(piece.extents[2]) * math.cos(ELEVATION)


def _footprint(piece: Piece) -> float:
    """Metres across of a piece turned by `YAW`."""
    x, y = float(piece.extents[0]), float(piece.extents[1])
    return x * math.cos(YAW) + y * math.sin(YAW)


def caption(label: str, piece: Piece) -> str:
    """Two lines: the label, and the size in millimetres."""
    return f"{label}\n" + " x ".join(f"{1000 * side:.4g}" for side in piece.extents) + " mm"


def sheet(pieces: Sequence[tuple[str, Piece]], *, quality: Quality = "high") -> NDArray[np.uint8]:
    """A picture (h, w, 3) of labelled pieces standing as authored, on a grid.

    Raises ViewError when there are no pieces, too many for one picture, or no OpenGL.
    """
    if not 1 <= len(pieces) <= MOST_PIECES:
        raise ViewError(f"a sheet shows 1 to {MOST_PIECES} pieces (got {len(pieces)})")
    grid = grid_for([piece for _, piece in pieces])
    turn = (0.0, 0.0, math.sin(YAW / 2), math.cos(YAW / 2))
    bodies = [_paper(grid)]
    for number, (label, piece) in enumerate(pieces):
        x, y = grid.place(number)
        half = float(piece.extents[2]) / 2
        # back by what it rises, so that its picture is in the middle of the cell
        y += LIFT * grid.depth - half / math.tan(ELEVATION)
        bodies.append(Body(f"{number} {label}", piece, Pose((x, y, half), turn)))
    size = (FINE * grid.columns * CELL[0], FINE * grid.rows * CELL[1])
    stage = Stage(bodies, size=size, quality=quality)
    try:
        stage.aim(_camera(grid))
        for number, (label, piece) in enumerate(pieces):
            x, y = grid.place(number)
            stage.caption(caption(label, piece), (x, y - CAPTION * grid.depth, 0.0), height=FINE * TEXT)
        return _reduced(stage.render())
    finally:
        stage.close()


def _paper(grid: Grid) -> Body:
    """The sheet the pieces stand on, larger than the picture."""
    size = [8000 * grid.columns * grid.pitch, 8000 * grid.rows * grid.depth, 1.0]
    spec = parse({"shape": {"box": size}, "material": {"like": "grey_board", "colour": PAPER}}, "sheet")
    return Body(TABLE, build(spec), Pose((0.0, 0.0, -0.0005)), fixed=True)


def _reduced(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    height, width, _ = picture.shape
    blocks = picture.reshape(height // FINE, FINE, width // FINE, FINE, 3)
    mean: NDArray[np.uint8] = np.rint(blocks.mean(axis=(1, 3))).astype(np.uint8)
    return mean


def _camera(grid: Grid) -> Camera:
    """From the front and above, so that the grid fills the picture."""
    away = grid.rows * grid.depth * math.sin(ELEVATION) / 2 / math.tan(math.radians(FOV) / 2)
    return Camera((0.0, -away * math.cos(ELEVATION), away * math.sin(ELEVATION)), (0.0, 0.0, 0.0), FOV)
