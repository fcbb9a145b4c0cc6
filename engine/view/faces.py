"""The pictures printed on pieces, drawn from their `models.spec.Face` on first use. No graphics library.

A floor card is printed all over: a tile for each box. Words and signs are burnt into bare wood, and cream or dark
on paint, whichever stands out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.view import icons
from engine.view.ink import Array, Paper, box
from engine.view.letters import fitted, size_of, write
from engine.view.look import finish_of, linear_of
from models.face import Face
from models.material import hex_of
from models.piece import Piece

Bytes = NDArray[np.uint8]

# pixels to a millimetre: a card held close still has sharp edges
CARD_FINE, PRINT_FINE = 8.0, 10.0
# of a card: what is between the boxes, and half a gap between two, millimetres
GROUND, GAP, CORNER = "#3a4149", 0.55, 1.3
# box and sign by mark; they differ in lightness too, and reds and greens do not meet (Okabe and Ito, 2008)
TILES = {
    ".": ("#f6f2e8", ""),
    "#": ("#b3202a", "#fbf3ec"),
    "-": ("#1d66ad", "#ffffff"),
    "+": ("#f0b429", "#2b2620"),
    "x": ("#168a76", "#ffffff"),
}
BURNT, CREAM, DARK = "#3b2210", "#f3ead8", "#2a2019"
# paint darker than this is printed cream; linear light
DARK_PAINT = 0.25
# how much of the wood the print covers: burnt wood keeps its grain
BURNT_COVER, PAINT_COVER = 0.88, 0.95
# metres that a print is pressed into wood
DEPTH = 0.0006
# millimetres: margins of a print, the sign's width, between sign and text
MARGIN, SIGN, BETWEEN = 3.0, 14.0, 3.5
# millimetres: the highest letters, alone and beside a sign
LETTER, LETTER_BESIDE = 13.0, 9.0


@dataclass(frozen=True, slots=True)
class Area:
    """Where on the top of a piece its face is: centre and size, metres in the piece frame."""

    centre: tuple[float, float]
    size: tuple[float, float]


def area_of(piece: Piece) -> Area | None:
    """All of a rectangular top, else the square around the largest circle on it; None without a flat top."""
    import shapely

    flat = [facet for facet in piece.surface.facets if facet.normal[2] > 0.999 and not facet.curved]
    if not flat:
        return None
    tops = [shapely.Polygon(f.rings[0][:, :2], [ring[:, :2] for ring in f.rings[1:]]) for f in flat]
    top = max(tops, key=lambda shape: float(shape.area))
    x0, y0, x1, y1 = top.bounds
    if top.area > 0.999 * (x1 - x0) * (y1 - y0):
        return Area(((x0 + x1) / 2, (y0 + y1) / 2), (x1 - x0, y1 - y0))
    (x, y), (rim_x, rim_y) = shapely.maximum_inscribed_circle(top, tolerance=1e-4).coords
    side = 2 * float(np.hypot(rim_x - x, rim_y - y))
    return Area((float(x), float(y)), (side, side))


def is_pressed(piece: Piece) -> bool:
    """Whether the face is pressed into the surface, as into wood; card is printed flat."""
    return finish_of(piece).fibre == 0


def picture_of(piece: Piece, area: Area) -> Bytes:
    """(h, w, 4) of the face of a piece: colours as on a screen, and how much they cover; upper row first."""
    if piece.face is None:
        raise ValueError(f"{piece.model} has no face")
    size = (round(1000 * area.size[0], 2), round(1000 * area.size[1], 2))
    if piece.face.boxes:
        return card(piece.face, size)
    if piece.colour is None:
        return words(piece.face, size, BURNT, BURNT_COVER)
    light = float(np.dot(linear_of(piece.colour), (0.2126, 0.7152, 0.0722)))
    return words(piece.face, size, CREAM if light < DARK_PAINT else DARK, PAINT_COVER)


def _rgb(colour: str) -> Array:
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], dtype=np.float64)


def _laid(picture: Array, colour: str, cover: Array) -> Array:
    """A colour over a picture (h, w, 3), where it covers."""
    laid: Array = picture + cover[..., None] * (_rgb(colour) - picture)
    return laid


def _bytes(colours: Array, cover: Array) -> Bytes:
    rows = np.concatenate([colours, 255 * cover[..., None]], axis=-1)
    made: Bytes = np.clip(np.rint(rows), 0, 255).astype(np.uint8)
    made.setflags(write=False)
    return made


@lru_cache(maxsize=64)
def tile(mark: str, side: float) -> Array:
    """(n, n, 3) of one box and the ground around it, `side` millimetres."""
    paper = Paper.of(side, side, CARD_FINE)
    back, front = TILES[mark]
    picture = np.broadcast_to(_rgb(GROUND), (*paper.x.shape, 3))
    picture = _laid(picture, back, paper.cover(box(paper, (side / 2 - GAP,) * 2, CORNER)))
    if mark in icons.BOXES:
        scale = side / 16
        picture = _laid(picture, front, paper.cover(scale * icons.BOXES[mark](paper.moved(0, 0, scale))))
    return picture


@lru_cache(maxsize=64)
def card(face: Face, size: tuple[float, float]) -> Bytes:
    """A floor card of so many millimetres: its boxes in the middle of the ground."""
    rows = [np.concatenate([tile(mark, face.box_mm) for mark in row], axis=1) for row in face.boxes]
    grid = np.concatenate(rows, axis=0)
    high, wide = (round(side * CARD_FINE) for side in (size[1], size[0]))
    picture = np.broadcast_to(_rgb(GROUND), (high, wide, 3)).copy()
    # a grid larger than its card is cut off around
    down, right = (high - grid.shape[0]) // 2, (wide - grid.shape[1]) // 2
    seen = grid[max(-down, 0) :, max(-right, 0) :][:high, :wide]
    down, right = max(down, 0), max(right, 0)
    picture[down : down + seen.shape[0], right : right + seen.shape[1]] = seen
    return _bytes(picture, np.ones((high, wide)))


@lru_cache(maxsize=256)
def words(face: Face, size: tuple[float, float], colour: str, cover: float) -> Bytes:
    """A print of so many millimetres: the sign, and the text as large as there is room for."""
    paper = Paper.of(*size, PRINT_FINE)
    margin = min(MARGIN, 0.14 * min(size))
    wide, high = size[0] - 2 * margin, size[1] - 2 * margin
    scale = min(1.0, high / SIGN, wide / SIGN) if face.icon else 0.0
    taken = scale * (SIGN + (BETWEEN if face.text else 0.0))
    lines, letter = fitted(face.text, max(wide - taken, 1.0), high) if face.text else ([], 0.0)
    letter = min(letter, LETTER_BESIDE if face.icon else LETTER)
    length = letter * size_of(lines)[0] if lines else 0.0
    left = -(taken + length) / 2
    drawn = paper.empty()
    colours = np.broadcast_to(_rgb(colour), (*paper.x.shape, 3))
    ink = np.zeros(paper.x.shape)
    if face.icon:
        within = paper.moved(left + scale * SIGN / 2, 0.0, scale)
        drawn = np.minimum(drawn, scale * icons.ICONS[face.icon](within))
        if face.ink and face.icon == "brick":
            # a little below the outline, so that no bare wood shows between them
            ink = paper.cover(scale * (icons.swatch(within) - 0.3))
            colours = _laid(_laid(colours, hex_of(face.ink), ink), colour, paper.cover(drawn))
    if lines:
        drawn = np.minimum(drawn, write(paper, lines, letter, (left + taken + length / 2, 0.0)))
    return _bytes(colours, np.maximum(paper.cover(drawn) * cover, ink * PAINT_COVER))
