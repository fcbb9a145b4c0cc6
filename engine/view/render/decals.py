"""Decals: what is printed on pieces, drawn from their `models.face.Face` on first use.

A floor card is printed all over: a tile for each box. Words and signs are burnt into bare wood, and cream or dark on
paint, whichever stands out. Signs are drawn with signed distances in millimetres around (0, 0), and differ in shape:
nobody needs to see colours, or to hold them the right way up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d import core

from teeter.engine.view.render.drawing import (
    Paper,
    Place,
    arc,
    box,
    disc,
    fitted,
    polygon,
    size_of,
    stroke,
    union,
    without,
    write,
)
from teeter.engine.view.render.resources import decal_texture
from teeter.engine.view.render.shading import finish_of, grain_axes, linear_of, srgb_of
from teeter.models.face import Face
from teeter.models.material import hex_of
from teeter.models.piece import Array, Piece

LINE_MM = 1.7
SIGN_MARGIN_MM = 1.5
"""Around a sign, within which everything of it is."""


def arrow(paper: Paper, points: Sequence[Place], width: float = LINE_MM, head: float = 2.5) -> Array:
    """Draws a line with a head at its last point. head: half its width."""
    (ax, ay), (bx, by) = points[-2], points[-1]
    length = float(np.hypot(bx - ax, by - ay))
    dx, dy = (bx - ax) / length, (by - ay) / length
    tip = (bx + dx * 1.3 * head, by + dy * 1.3 * head)
    left, right = (bx - dy * head, by + dx * head), (bx + dy * head, by - dx * head)
    return union(stroke(paper, points, width), polygon(paper, [tip, left, right], rounding=0.35))


# a floor card's boxes: 16 mm


def red(paper: Paper) -> Array:
    """A cross from corner to corner: keep off."""
    return union(*(stroke(paper, [(-4.3, -y), (4.3, y)], 2.5) for y in (4.3, -4.3)))


def remove(paper: Paper) -> Array:
    """An arrow up, out of a row of blocks."""
    up = arrow(paper, [(0, 1.1), (0, 2.4)], 2.1, 2.8)
    blocks = [box(paper, (1.8, 1.8), 0.4, (x, -4.6)) for x in (-4.3, 4.3)]
    return union(up, box(paper, (1.8, 1.8), 0.4, (0, -2.5)), *blocks)


def again(paper: Paper) -> Array:
    """An arrow that goes round: once more."""
    return arrow(paper.moved(0.5, -0.2), arc((0, 0), 4.1, 40, -205), 2.1, 2.6)


def exchange(paper: Paper) -> Array:
    """Two arrows past each other."""
    one = arrow(paper.moved(0, 2.6), [(-4.6, 0), (1.9, 0)], 2.1, 2.7)
    return union(one, arrow(paper.moved(0, -2.6).rotated(), [(-4.6, 0), (1.9, 0)], 2.1, 2.7))


# a brick's prints: 15 mm wide at most


def _brick(paper: Paper, y: float) -> Array:
    return box(paper, (6.6, 2.3), 0.7, (0, y))


def swatch(paper: Paper) -> Array:
    """The part of `brick` that shows the ink."""
    return box(paper, (5.9, 2.6), 0.4, (0, -3.6))


def brick(paper: Paper) -> Array:
    """A brick's outline, to be filled with ink, and an arrow up."""
    hull = box(paper, (6.9, 3.6), 1.0, (0, -3.6))
    return union(without(hull, swatch(paper)), arrow(paper, [(0, 1.6), (0, 3.6)], 1.8, 2.5))


def pair(paper: Paper) -> Array:
    """Two bricks, one above the other, and an arrow up."""
    head = polygon(paper, [(0, 6.8), (-2.3, 4.4), (2.3, 4.4)], rounding=0.3)
    return union(_brick(paper, -4.9), _brick(paper, 0.5), head)


def more(paper: Paper) -> Array:
    """A brick and a plus."""
    plus = union(
        stroke(paper, [(-2.7, 2.7), (2.7, 2.7)], LINE_MM), stroke(paper, [(0, 0.0), (0, 5.4)], LINE_MM)
    )
    return union(_brick(paper, -4.4), plus)


def skip(paper: Paper) -> Array:
    """A hop over what is left out."""
    hop = arrow(paper, [*arc((-0.6, -1.8), 4.6, 180, 8), (4.1, -2.0)], LINE_MM, 2.4)
    return union(hop, disc(paper, 1.6, (-0.6, -3.2)))


def reverse(paper: Paper) -> Array:
    """A U-turn."""
    return arrow(paper, [(-5.8, -3.4), *arc((2.4, 0.0), 3.4, -90, 90), (-3.2, 3.4)], LINE_MM, 2.5)


def _row(paper: Paper, full: Sequence[bool]) -> Array:
    """Three bricks of a row, seen on their ends."""
    ends = [box(paper, (2.15, 2.15), 0.5, (x, 0.0)) for x in (-5.1, 0.0, 5.1)]
    return union(
        *(end if is_full else np.abs(end + 0.3) - 0.3 for end, is_full in zip(ends, full, strict=True))
    )


def edge(paper: Paper) -> Array:
    """A row whose outer bricks are marked."""
    return _row(paper, (True, False, True))


def centre(paper: Paper) -> Array:
    """A row whose middle brick is marked."""
    return _row(paper, (False, True, False))


def _person(paper: Paper) -> Array:
    shoulders = np.maximum(box(paper, (2.9, 3.2), 2.6, (0, -4.2)), -5.2 - paper.y)
    return union(disc(paper, 1.9, (0, 1.7)), shoulders)


def others(paper: Paper) -> Array:
    """Three people, the middle one in front."""
    front = _person(paper)
    behind = union(_person(paper.moved(-4.4, 1.1, 0.85)), _person(paper.moved(4.4, 1.1, 0.85)))
    return union(front, without(behind, front, 0.7))


BOX_ICONS = {"#": red, "-": remove, "+": again, "x": exchange}
ICONS = {icon.__name__: icon for icon in (brick, pair, more, skip, reverse, edge, centre, others)}


Bytes = NDArray[np.uint8]

# pixels per millimetre: a card held close still has sharp edges
CARD_RESOLUTION, PRINT_RESOLUTION = 8.0, 10.0
# of a card: its ground, half the gap between two boxes, the rounding of their corners
CARD_GROUND, HALF_GAP_MM, CORNER_MM = "#3a4149", 0.55, 1.3
# box and sign by mark; they differ in lightness too, and reds and greens do not meet (Okabe and Ito, 2008)
TILES = {
    ".": ("#f6f2e8", ""),
    "#": ("#b3202a", "#fbf3ec"),
    "-": ("#1d66ad", "#ffffff"),
    "+": ("#f0b429", "#2b2620"),
    "x": ("#168a76", "#ffffff"),
}
BURNT, CREAM, DARK = "#3b2210", "#f3ead8", "#2a2019"
# paint darker than this is printed cream; linear luminance
DARK_PAINT = 0.25
# opacity of the print: burnt wood keeps its grain
BURNT_COVER, PAINT_COVER = 0.88, 0.95
# how deep a print is pressed into wood, and how wide the slope of a pressed edge is, to either side
EMBOSS_DEPTH_M, EMBOSS_SLOPE_M = 0.0006, 0.00022
MARGIN_MM, SIGN_MM, SIGN_TO_TEXT_MM = 3.0, 14.0, 3.5
# the highest letters, alone and beside a sign
MAX_LETTER_MM, MAX_LETTER_BESIDE_MM = 13.0, 9.0


@dataclass(frozen=True, slots=True)
class DecalArea:
    """Where on the top of a piece its decal is: centre and size, metres in the piece frame."""

    centre: tuple[float, float]
    size: tuple[float, float]


def decal_area(piece: Piece) -> DecalArea | None:
    """Returns a whole rectangular top, else the square around its largest inscribed circle; None if nothing is flat."""
    import shapely

    flat = [facet for facet in piece.surface.facets if facet.normal[2] > 0.999 and not facet.curved]
    if not flat:
        return None
    tops = [shapely.Polygon(f.rings[0][:, :2], [ring[:, :2] for ring in f.rings[1:]]) for f in flat]
    top = max(tops, key=lambda shape: float(shape.area))
    x0, y0, x1, y1 = top.bounds
    if top.area > 0.999 * (x1 - x0) * (y1 - y0):
        return DecalArea(((x0 + x1) / 2, (y0 + y1) / 2), (x1 - x0, y1 - y0))
    (x, y), (rim_x, rim_y) = shapely.maximum_inscribed_circle(top, tolerance=1e-4).coords
    side = 2 * float(np.hypot(rim_x - x, rim_y - y))
    return DecalArea((float(x), float(y)), (side, side))


def is_pressed(piece: Piece) -> bool:
    """Returns whether the decal is pressed into the surface, as into wood; card is printed flat."""
    return finish_of(piece).fibre == 0


def decal_picture(piece: Piece, area: DecalArea) -> Bytes:
    """Returns (h, w, 4), the decal of a piece: sRGB and opacity, top row first."""
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
    return 255 * np.array(srgb_of(colour))


def _laid(picture: Array, colour: str, cover: Array) -> Array:
    """Returns a picture (h, w, 3) with a colour blended over it."""
    return np.asarray(picture + cover[..., None] * (_rgb(colour) - picture))


def _bytes(colours: Array, cover: Array) -> Bytes:
    rows = np.concatenate([colours, 255 * cover[..., None]], axis=-1)
    made: Bytes = np.clip(np.rint(rows), 0, 255).astype(np.uint8)
    made.setflags(write=False)
    return made


@lru_cache(maxsize=64)
def tile(mark: str, side: float) -> Array:
    """Returns (n, n, 3): one box and the ground around it, `side` millimetres."""
    paper = Paper.of(side, side, CARD_RESOLUTION)
    back, front = TILES[mark]
    picture = np.broadcast_to(_rgb(CARD_GROUND), (*paper.x.shape, 3))
    picture = _laid(picture, back, paper.cover(box(paper, (side / 2 - HALF_GAP_MM,) * 2, CORNER_MM)))
    if mark in BOX_ICONS:
        scale = side / 16
        picture = _laid(picture, front, paper.cover(scale * BOX_ICONS[mark](paper.moved(0, 0, scale))))
    return picture


@lru_cache(maxsize=64)
def card(face: Face, size: tuple[float, float]) -> Bytes:
    """Returns a floor card of a size in millimetres: its boxes in the middle of the ground."""
    rows = [np.concatenate([tile(mark, face.box_mm) for mark in row], axis=1) for row in face.boxes]
    grid = np.concatenate(rows, axis=0)
    high, wide = (round(side * CARD_RESOLUTION) for side in (size[1], size[0]))
    picture = np.broadcast_to(_rgb(CARD_GROUND), (high, wide, 3)).copy()
    # a grid larger than its card is cropped
    down, right = (high - grid.shape[0]) // 2, (wide - grid.shape[1]) // 2
    seen = grid[max(-down, 0) :, max(-right, 0) :][:high, :wide]
    down, right = max(down, 0), max(right, 0)
    picture[down : down + seen.shape[0], right : right + seen.shape[1]] = seen
    return _bytes(picture, np.ones((high, wide)))


@lru_cache(maxsize=256)
def words(face: Face, size: tuple[float, float], colour: str, cover: float) -> Bytes:
    """Returns a print of a size in millimetres: the sign, and the text as large as there is room for."""
    paper = Paper.of(*size, PRINT_RESOLUTION)
    margin = min(MARGIN_MM, 0.14 * min(size))
    wide, high = size[0] - 2 * margin, size[1] - 2 * margin
    scale = min(1.0, high / SIGN_MM, wide / SIGN_MM) if face.icon else 0.0
    taken = scale * (SIGN_MM + (SIGN_TO_TEXT_MM if face.text else 0.0))
    lines, letter = fitted(face.text, max(wide - taken, 1.0), high) if face.text else ([], 0.0)
    letter = min(letter, MAX_LETTER_BESIDE_MM if face.icon else MAX_LETTER_MM)
    length = letter * size_of(lines)[0] if lines else 0.0
    left = -(taken + length) / 2
    drawn = paper.empty()
    colours = np.broadcast_to(_rgb(colour), (*paper.x.shape, 3))
    ink = np.zeros(paper.x.shape)
    if face.icon:
        middle, reach = left + scale * SIGN_MM / 2, scale * (SIGN_MM / 2 + SIGN_MARGIN_MM)
        # only around the sign: most of the sheet is far from it
        rows, columns = paper.window((middle - reach, -reach), (middle + reach, reach))
        part = Paper(paper.x[rows, columns], paper.y[rows, columns], paper.resolution)
        drawn[rows, columns] = scale * ICONS[face.icon](part.moved(middle, 0.0, scale))
        within = paper.moved(middle, 0.0, scale)
        if face.ink and face.icon == "brick":
            # a little below the outline, so that no bare wood shows between them
            ink = paper.cover(scale * (swatch(within) - 0.3))
            colours = _laid(_laid(colours, hex_of(face.ink), ink), colour, paper.cover(drawn))
    if lines:
        drawn = np.minimum(drawn, write(paper, lines, letter, (left + taken + length / 2, 0.0)))
    return _bytes(colours, np.maximum(paper.cover(drawn) * cover, ink * PAINT_COVER))


class Decals:
    """The decal textures of a stage; equal faces share one."""

    def __init__(self, anisotropy: int) -> None:
        self._anisotropy = anisotropy
        self._textures: dict[int, tuple[Any, Any]] = {}
        self._blank = decal_texture(np.zeros((4, 4, 4), np.uint8), anisotropy)

    def dress(self, path: Any, piece: Piece, *, is_hidden: bool = False) -> int:
        """Gives a node the decal of its piece. Returns `FACE` for its shader: 0 without a decal, 2 when pressed in.
        is_hidden: nobody may see it yet, so that it need not be drawn before `reveal`."""
        area = None if piece.face is None else decal_area(piece)
        if area is None:
            return 0
        axes = grain_axes(piece)
        path.set_shader_input("u_face", self._blank if is_hidden else self._texture(piece, area))
        # Panda3D multiplies from the left, and knows no smaller matrix here
        path.set_shader_input("u_face_axes", core.LMatrix4(core.LMatrix3(*axes.ravel().tolist())))
        path.set_shader_input("u_face_area", core.LVecBase4(*area.centre, 1 / area.size[0], 1 / area.size[1]))
        step = [EMBOSS_SLOPE_M / side for side in area.size]
        path.set_shader_input("u_face_press", core.LVecBase3(*step, EMBOSS_DEPTH_M / (2 * EMBOSS_SLOPE_M)))
        path.set_shader_input("u_face_shown", 1.0)
        return 2 if is_pressed(piece) else 1

    def reveal(self, path: Any, piece: Piece) -> None:
        """Draws the decal of a piece that was hidden."""
        area = decal_area(piece)
        if area is not None:
            path.set_shader_input("u_face", self._texture(piece, area))

    def _texture(self, piece: Piece, area: DecalArea) -> Any:
        picture = decal_picture(piece, area)
        # kept with its texture, so that no other picture gets its id
        if id(picture) not in self._textures:
            self._textures[id(picture)] = (decal_texture(picture, self._anisotropy), picture)
        return self._textures[id(picture)][0]
