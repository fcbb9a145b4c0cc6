"""Small pictures for panels: a piece without its surroundings, and cards made of such pictures and words."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d import core

from teeter.engine.pose import Pose
from teeter.engine.view.camera import Camera, bounding_sphere, framing
from teeter.engine.view.frame import Frame, frame_of
from teeter.engine.view.overlays import Overlay
from teeter.engine.view.render import mannequin
from teeter.engine.view.render.shading import srgb_of
from teeter.engine.view.render.stage import Stage
from teeter.engine.view.window.fonts import FONT_FILES, font_folder
from teeter.engine.world.body import Body
from teeter.models.piece import Piece

Pixels = NDArray[np.uint8]
"""(h, w, 4) bytes, RGBA, top row first."""
SIZE_PX = (256, 192)
SEEN_FROM = (-58.0, 28.0)
"""Azimuth and elevation of the eye, degrees."""
TOWER_REACH = 0.09
"""Metres around a piece in which its tower is."""
CARD_PX = (180, 252)
SCENE_PX, CARD_HIGH, CARD_GAP_PX = (640, 360), 0.5, 14
"""Of the picture of a scene: its size, and how high cards are on it, as a share, and how far from its edge."""
ROUNDING_PX, EDGE_PX, LETTER_PX, MARGIN_PX = 16.0, 3.0, 20, 11
BAND = 0.14
"""Of the height of a card, in its colour."""
TEXT_SHARE = 0.86
"""Of the width of a card, that its words may take."""
PAPER, EDGE, INK = "#fbf8f1", "#b9ad98", "#2b2620"


def piece_image(piece: Piece, *, from_above: bool = False, reach: float = 0.0) -> Pixels:
    """Returns a picture of a piece on nothing, which it fills; or, of pieces to one scale, what reaches so many metres
    from its middle would."""
    body = Body("piece", piece, Pose((0.0, 0.0, 0.0)))
    sphere = bounding_sphere([body])
    sphere = replace(sphere, radius=max(sphere.radius, reach))
    stage = Stage([body], size=SIZE_PX, quality="medium", top="none")
    try:
        view = (-90.0, 89.0) if from_above else SEEN_FROM
        stage.aim(framing(sphere, view, aspect=SIZE_PX[0] / SIZE_PX[1]))
        return stage.render()
    finally:
        stage.close()


def scene_image(
    bodies: Sequence[Body],
    camera: Camera,
    overlays: Sequence[Overlay] = (),
    *,
    held: str = "",
    cards: Sequence[Pixels] = (),
) -> Pixels:
    """Returns a picture of bodies on their table. held: the one that a hand holds from above. cards: pictures that lie
    before it, from the lower left corner on."""
    frame = frame_of(bodies)
    hand = mannequin.hand_bodies() if held else ()
    stage = Stage([*bodies, *hand], size=SCENE_PX, quality="medium")
    try:
        stage.aim(camera)
        if held:
            at = frame.names.index(held)
            rows = mannequin.poses(mannequin.from_above(bodies[at].piece, frame.poses[at]))
            names = (*frame.names, *mannequin.names())
            poses = np.concatenate([frame.poses, rows])
            frame = Frame(names, poses, airy=frozenset(mannequin.names()))
        stage.show(frame)
        stage.show_overlays(overlays)
        seen = np.asarray(stage.render(), np.float64) / 255.0
    finally:
        stage.close()
    for number, card in enumerate(cards):
        scale = CARD_HIGH * SCENE_PX[1] / card.shape[0]
        left = CARD_GAP_PX + number * (CARD_GAP_PX + scale * card.shape[1])
        _paste(seen, card, left, SCENE_PX[1] - CARD_GAP_PX - scale * card.shape[0], scale)
    return np.dstack([np.round(255 * seen).astype(np.uint8), np.full(seen.shape[:2], 255, np.uint8)])


def towards(bodies: Sequence[Body], name: str) -> Camera:
    """Returns a camera that looks at a body and what is near it; at everything for an empty name."""
    at = next((body.pose.position[:2] for body in bodies if body.name == name), None)
    near = [body for body in bodies if at is None or math.dist(body.pose.position[:2], at) < TOWER_REACH]
    return framing(bounding_sphere(near), SEEN_FROM, aspect=SCENE_PX[0] / SCENE_PX[1])


def card_image(title: str, pieces: Sequence[Pixels], colour: str) -> Pixels:
    """Returns a card: a band in a colour, the words of a title one below the other at the left, where a fan of fifteen
    cards leaves them to be read, and pictures of pieces."""
    width, height = CARD_PX
    card = np.zeros((height, width, 3))
    card[:] = srgb_of(PAPER)
    x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    off_x, off_y = np.abs(x - width / 2) - width / 2, np.abs(y - height / 2) - height / 2
    corner = np.hypot(np.maximum(off_x + ROUNDING_PX, 0.0), np.maximum(off_y + ROUNDING_PX, 0.0))
    outside = corner + np.minimum(np.maximum(off_x, off_y) + ROUNDING_PX, 0.0) - ROUNDING_PX
    card[y < BAND * height] = srgb_of(colour)
    top = round((BAND + 0.02) * height)
    for word in title.split():
        ink = _written(word, width)[:, :, None]
        rows = card[top : top + ink.shape[0]]
        rows += (np.array(srgb_of(INK)) - rows) * ink
        top += round(1.15 * LETTER_PX)
    room = (0.98 * height - top) / max(len(pieces), 1)
    for number, image in enumerate(pieces):
        scale = min(0.86 * width / image.shape[1], room / image.shape[0])
        high = top + room * number + (room - scale * image.shape[0]) / 2
        _paste(card, image, (width - scale * image.shape[1]) / 2, high, scale)
    card[outside > -EDGE_PX] = srgb_of(EDGE)
    opacity = np.clip(0.5 - outside, 0.0, 1.0)
    return np.round(255 * np.dstack([card, opacity])).astype(np.uint8)


def _paste(card: NDArray[np.float64], image: Pixels, left: float, top: float, scale: float) -> None:
    """Lays a picture on a card, smaller."""
    high, wide = round(image.shape[0] * scale), round(image.shape[1] * scale)
    rows = np.minimum((np.arange(high) / scale).astype(int), image.shape[0] - 1)
    columns = np.minimum((np.arange(wide) / scale).astype(int), image.shape[1] - 1)
    part = image[rows][:, columns] / 255.0
    place = card[round(top) : round(top) + high, round(left) : round(left) + wide]
    place += (part[:, :, :3] - place) * part[:, :, 3:]


def _written(line: str, width: int) -> NDArray[np.float64]:
    """A line of letters at the left: (h, width), 1 where there is ink."""
    longest = float(_text_maker(LETTER_PX).calc_width(line))
    # of another size it needs letters of its own: a maker keeps those it has
    maker = _text_maker(math.floor(LETTER_PX * min(1.0, TEXT_SHARE * width / max(longest, 1.0))))
    maker.set_fg(core.LColor(1, 1, 1, 1))
    image = core.PNMImage(width, round(1.4 * LETTER_PX), 1)
    maker.generate_into(line, image, MARGIN_PX, LETTER_PX)
    texture = core.Texture()
    texture.load(image)
    pixels = np.frombuffer(texture.get_ram_image(), np.uint8)
    return pixels.reshape(image.get_y_size(), width)[::-1] / 255.0


def _text_maker(size: int) -> Any:
    """Writes bold letters of so many pixels."""
    maker = core.PNMTextMaker(core.Filename.from_os_specific(str(font_folder() / FONT_FILES[True])), 0)
    maker.set_pixel_size(size)
    return maker
