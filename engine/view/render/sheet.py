"""Contact sheets: many pieces in one lit picture, each with its name and size below."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from teeter.engine.pose import Pose
from teeter.engine.view.camera import Camera
from teeter.engine.view.opengl import ViewError
from teeter.engine.view.render.shading import Quality
from teeter.engine.view.render.stage import Stage
from teeter.engine.world.body import TABLE, Body
from teeter.models.build import build
from teeter.models.piece import Piece
from teeter.models.spec import parse

MAX_PIECES = 240
# pixels of a cell, and the smallest sheet
CELL = (240, 230)
# in cells: the widest piece, captions below the middle, pieces above it
FILL, CAPTION_OFFSET, LIFT = 0.76, 0.36, 0.09
CAPTION_PX = 13
# degrees; nearly parallel, so that all pieces are drawn to one scale
FOV = 0.6
ELEVATION = math.radians(38)
# each pixel is the mean of so many by so many
SUPERSAMPLING = 2
PAPER = "#e9e4da"
# rotated a little, so that three faces show
YAW = math.radians(24)


def _size_in_picture(piece: Piece) -> tuple[float, float]:
    """Returns the width and height of a piece rotated by `YAW`, metres."""
    x, y, z = piece.extents.tolist()
    deep = x * math.sin(YAW) + y * math.cos(YAW)
    return x * math.cos(YAW) + y * math.sin(YAW), deep * math.sin(ELEVATION) + z * math.cos(ELEVATION)


def caption(label: str, piece: Piece) -> str:
    """Returns two lines: the label, and the size in millimetres."""
    return f"{label}\n" + " x ".join(f"{1000 * side:.4g}" for side in piece.extents) + " mm"


def sheet(pieces: Sequence[tuple[str, Piece]], *, quality: Quality = "high") -> NDArray[np.uint8]:
    """Returns a picture (h, w, 3) of labelled pieces on a grid, standing as authored.

    Raises ViewError when there are no pieces, too many for one picture, or no OpenGL.
    """
    if not 1 <= len(pieces) <= MAX_PIECES:
        raise ViewError(f"a sheet shows 1 to {MAX_PIECES} pieces (got {len(pieces)})")
    # about 3 by 2, each cell as large as the largest piece needs and as high in the picture as `CELL` says
    columns = min(len(pieces), math.ceil(math.sqrt(len(pieces) * 1.5)))
    rows = math.ceil(len(pieces) / columns)
    pitch = max(max(_size_in_picture(piece)) for _, piece in pieces) / FILL
    depth = pitch * CELL[1] / CELL[0] / math.sin(ELEVATION)
    cells = [
        ((number % columns - (columns - 1) / 2) * pitch, ((rows - 1) / 2 - number // columns) * depth)
        for number in range(len(pieces))
    ]
    rotation = (0.0, 0.0, math.sin(YAW / 2), math.cos(YAW / 2))
    bodies = [_paper(columns * pitch, rows * depth)]
    for number, ((label, piece), (x, y)) in enumerate(zip(pieces, cells, strict=True)):
        half = float(piece.extents[2]) / 2
        # back by what it rises, so that its picture is in the middle of the cell
        place = (x, y + LIFT * depth - half / math.tan(ELEVATION), half)
        bodies.append(Body(f"{number} {label}", piece, Pose(place, rotation)))
    size = (SUPERSAMPLING * columns * CELL[0], SUPERSAMPLING * rows * CELL[1])
    away = rows * depth * math.sin(ELEVATION) / 2 / math.tan(math.radians(FOV) / 2)
    eye = (0.0, -away * math.cos(ELEVATION), away * math.sin(ELEVATION))
    stage = Stage(bodies, size=size, quality=quality)
    try:
        stage.aim(Camera(eye, (0.0, 0.0, 0.0), FOV))
        for (label, piece), (x, y) in zip(pieces, cells, strict=True):
            below = (x, y - CAPTION_OFFSET * depth, 0.0)
            stage.caption(caption(label, piece), below, height=SUPERSAMPLING * CAPTION_PX)
        blocks = stage.render().reshape(rows * CELL[1], SUPERSAMPLING, -1, SUPERSAMPLING, 3)
        return np.asarray(np.rint(blocks.mean(axis=(1, 3))), dtype=np.uint8)
    finally:
        stage.close()


def _paper(width: float, depth: float) -> Body:
    """Returns the paper the pieces stand on, larger than the picture, whose sides are given in metres."""
    shape = {"box": [8000 * width, 8000 * depth, 1.0]}
    spec = parse({"shape": shape, "material": {"like": "grey_board", "colour": PAPER}}, "sheet")
    return Body(TABLE, build(spec), Pose((0.0, 0.0, -0.0005)), fixed=True)
