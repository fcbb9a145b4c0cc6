"""The hand that people see: a jointed wooden one, as artists use. It follows what is held and moves nothing.

Its frame: the origin between the fingertips, x from the thumb to the fingers, z away from the piece into the palm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np

from teeter.engine.geometry.rotation import matrix_of, quaternion_of
from teeter.engine.pose import Pose
from teeter.engine.world.body import Body
from teeter.models.build import build
from teeter.models.piece import Array, Detail, Piece
from teeter.models.spec import parse

Shape = dict[str, object]

PREFIX = "hand."
# it is in most frames of a film, and nobody looks at it closely
COARSE = Detail(outline=36, turn=15.0)
WOOD, CLOTH = {"like": "beech", "colour": "#ead9bd"}, {"like": "beech", "colour": "#41635d"}
# in millimetres: radius of a fingertip, lengths of the links, positions of the fingers along y, height of the knuckles
TIP_MM, FINGER_MM, THUMB_MM = 6.6, (46.0, 40.0), (44.0, 38.0)
FINGERS_Y_MM, KNUCKLES_MM = (-18.0, 0.0, 18.0), 82.0
PALM_MM, WRIST_MM, SLEEVE_MM = (56.0, 66.0, 30.0), 40.0, 130.0
"""Without a sleeve it looks like a man without a head."""
MAX_WIDTH_MM = 96.0
"""Between the tips; what is wider is held by a part of it."""
OPENING_MM = 16.0
GRIP_DEPTH_MM = 9.0
"""How far the tips reach down the sides of a piece."""
FLAT = 0.1
"""Height by width of a card, which is held at its far end: what is printed on it has to be read."""
CARD_LEAN, CARD_END_MM = math.radians(50.0), 22.0
"""How far the palm leans back then, and how far from the end the middle finger holds it."""
AHEAD = (-0.42, 0.91)
"""Away from a viewer at the front right."""


@dataclass(frozen=True, slots=True, eq=False)
class Grasp:
    """Where a hand is. origin: (3,) metres. axes: (3, 3), x, y and z as columns. width: metres between the tips. lean:
    of the palm from z to y, radians."""

    origin: Array
    axes: Array
    width: float
    lean: float = 0.0

    def away(self, metres: float) -> Grasp:
        """Returns the open hand, withdrawn along its own axis."""
        opening = OPENING_MM * 2e-3 * min(metres / 0.03, 1.0)
        back = self.axes @ (0.0, math.sin(self.lean), math.cos(self.lean))
        return replace(self, origin=self.origin + back * metres, width=self.width + opening)


@cache
def hand_bodies(detail: Detail = COARSE) -> tuple[Body, ...]:
    """Returns the parts of the hand for a stage; out of sight until a frame names them."""
    nowhere = Pose((0.0, 0.0, -10.0))
    pieces = {
        name: build(
            parse({"shape": shape, "material": CLOTH if name == "sleeve" else WOOD}, "hand"), detail=detail
        )
        for name, shape in _shapes().items()
    }
    return tuple(Body(PREFIX + name, piece, nowhere, fixed=True) for name, piece in pieces.items())


@cache
def fingertip() -> Piece:
    """Returns the end of a finger."""
    return build(parse({"shape": _limb(TIP_MM, TIP_MM), "material": WOOD}, "hand"), detail=COARSE)


def fingertips(hand: Array) -> list[Pose]:
    """Returns where the ends of middle finger and thumb are. hand: as of `poses`."""
    rows = [hand[names().index(PREFIX + f"{finger}.tip")].tolist() for finger in ("middle", "thumb")]
    ends = [Pose((0.0, 0.0, 5e-4 * (links[1] - TIP_MM))) for links in (FINGER_MM, THUMB_MM)]
    return [end.then(Pose((x, y, z), tuple(turn))) for end, (x, y, z, *turn) in zip(ends, rows, strict=True)]


def names() -> tuple[str, ...]:
    """Returns the names of the parts, in the order of `poses`."""
    return tuple(body.name for body in hand_bodies())


def _shapes() -> dict[str, Shape]:
    parts: dict[str, Shape] = {}
    for finger in ("index", "middle", "ring"):
        parts[f"{finger}.root"] = _limb(TIP_MM + 0.9, FINGER_MM[0])
        parts[f"{finger}.tip"] = _limb(TIP_MM, FINGER_MM[1])
    parts["thumb.root"] = _limb(TIP_MM + 2.2, THUMB_MM[0])
    parts["thumb.tip"] = _limb(TIP_MM + 0.8, THUMB_MM[1])
    parts["palm"] = {"hull": _palm()}
    parts["wrist"] = _turned([[0, 0], [15, 6, "round"], [14, 14], [16, WRIST_MM - 6], [0, WRIST_MM, "round"]])
    parts["sleeve"] = _turned(
        [[0, 0], [27, 3, "round"], [24, 12], [31, SLEEVE_MM - 12], [0, SLEEVE_MM, "round"]]
    )
    return parts


def _limb(radius: float, length: float) -> Shape:
    """Returns a rod with round ends; its joints are the centres of the ends."""
    whole = length + 2 * radius
    return _turned([[0, 0], [radius, radius, "round"], [radius, whole - radius], [0, whole, "round"]])


def _turned(profile: list[list[object]]) -> Shape:
    return {"turned": {"profile": profile}}


def _palm() -> list[list[float]]:
    """Returns points of a rounded block: a superellipsoid of exponent 4."""
    up, around = np.meshgrid(
        np.radians([-66.0, -48.0, -30.0, 30.0, 48.0, 66.0]),
        np.linspace(0, 2 * math.pi, 17)[:-1],
        indexing="ij",
    )
    rays = np.stack([np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up)], axis=-1).reshape(
        -1, 3
    )
    rays /= (np.abs(rays) ** 4).sum(axis=1, keepdims=True) ** 0.25
    points: list[list[float]] = np.round(rays * np.array(PALM_MM[::-1]) / 2, 2).tolist()
    return points


def poses(grasp: Grasp) -> Array:
    """Returns (parts, 7), metres and xyzw: the hand closed on a width."""
    width = min(max(grasp.width, 0.004), (MAX_WIDTH_MM + 2 * OPENING_MM) * 1e-3)
    positions, rotations = _closed_on(round(1e3 * width, 1), grasp.lean)
    x, y, z, w = rotations.T
    p, q, r, s = quaternion_of(grasp.axes)
    rows = np.empty((len(positions), 7))
    rows[:, :3] = grasp.origin + positions @ grasp.axes.T
    rows[:, 3] = s * x + p * w + q * z - r * y
    rows[:, 4] = s * y - p * z + q * w + r * x
    rows[:, 5] = s * z + p * y - q * x + r * w
    rows[:, 6] = s * w - p * x - q * y - r * z
    return rows


@lru_cache(maxsize=512)
def _closed_on(width: float, lean: float) -> tuple[Array, Array]:
    """Returns (parts, 3) metres and (parts, 4) xyzw in the frame of the hand. width: millimetres between the tips."""
    half = width / 2
    back = np.array([0.0, math.sin(lean), math.cos(lean)])
    # the palm leans, and with it the row of knuckles; its foot comes nearer, or the fingers would be too short
    leant, foot = (
        np.array([[1.0, 0.0, 0.0], [0.0, back[2], -back[1]], back]),
        np.array([0.0, -24.0 * back[1], 0.0]),
    )
    rows: list[tuple[Array, Array]] = []
    for y in FINGERS_Y_MM:
        knuckle, tip = np.array([15.0, 1.15 * y, KNUCKLES_MM]), np.array([half + TIP_MM, 0.8 * y, 0.0])
        rows += _bent(foot + knuckle @ leant, tip, FINGER_MM, +1.0)
    knuckle, tip = np.array([-13.0, 6.0, KNUCKLES_MM + 4]), np.array([-half - TIP_MM - 0.8, 0.0, 2.0])
    rows += _bent(foot + knuckle @ leant, tip, THUMB_MM, -1.0)
    rows.append((foot + (KNUCKLES_MM + 0.40 * PALM_MM[0]) * back, back))
    wrist = KNUCKLES_MM + 0.86 * PALM_MM[0]
    rows += [(foot + (wrist + up) * back, back) for up in (WRIST_MM / 2, 0.6 * WRIST_MM + SLEEVE_MM / 2)]
    centres, axes = zip(*rows, strict=True)
    return 1e-3 * np.array(centres), np.array([quaternion_of(_rotation_to(axis)) for axis in axes])


def _bent(root: Array, tip: Array, links: tuple[float, float], side: float) -> list[tuple[Array, Array]]:
    """Returns centres and directions of two links from a knuckle to a tip, the joint between them bent outward."""
    direction = tip - root
    span = min(float(np.linalg.norm(direction)), 0.999 * sum(links))
    direction /= np.linalg.norm(direction)
    first, second = links
    along = (first**2 - second**2 + span**2) / (2 * span)
    out = np.array([side, 0.0, 0.0]) - direction * (side * direction[0])
    joint = root + along * direction + math.sqrt(max(first**2 - along**2, 0.0)) * out / np.linalg.norm(out)
    end = root + span * direction
    return [((root + joint) / 2, joint - root), ((joint + end) / 2, end - joint)]


def _rotation_to(along: Array) -> Array:
    """Returns a rotation (3, 3) that takes z to a direction."""
    z = along / np.linalg.norm(along)
    # the cross product of y and z, and of z and that
    x = np.array([z[2], 0.0, -z[0]])
    size = math.hypot(x[0], x[2])
    x = x / size if size > 1e-6 else np.array([1.0, 0.0, 0.0])
    y = np.array([z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]])
    return np.stack([x, y, z], axis=1)


def from_above(piece: Piece, pose: Array, before: Array | None = None) -> Grasp:
    """Returns a hand that holds a piece from above, across its narrower side; a card at its far end.

    pose: (7,). before: its last x axis, kept when two sides are as good.
    """
    matrix = matrix_of((pose[3], pose[4], pose[5], pose[6]))
    high = int(np.argmax(np.abs(matrix[2])))
    sides = [axis for axis in range(3) if axis != high]
    narrow, other = sorted(sides, key=lambda axis: (round(float(piece.extents[axis]), 4), axis))
    height = float(np.abs(matrix[2]) @ piece.extents) / 2
    is_card = 2 * height < FLAT * float(piece.extents[narrow])
    if is_card and piece.extents[other] < 1.01 * piece.extents[narrow]:
        # of a square the side that leads away from the viewer, or from where the hand was
        ahead = np.array([*AHEAD, 0.0]) if before is None else np.array([-before[1], before[0], 0.0])
        narrow, other = sorted(sides, key=lambda axis: abs(float(matrix[:, axis] @ ahead)))
    x = matrix[:, narrow] * (1, 1, 0)
    x /= np.linalg.norm(x)
    # the thumb on the side of a viewer at the front right; that of a card at its left, with the palm behind it
    towards = before if before is not None else np.array([0.91, 0.42, 0.0] if is_card else [0.5, 0.85, 0.0])
    x = x if x @ towards >= 0 else -x
    origin = pose[:3] + np.array([0.0, 0.0, height - min(GRIP_DEPTH_MM * 1e-3, 0.8 * height)])
    axes = np.array([[x[0], -x[1], 0.0], [x[1], x[0], 0.0], [0.0, 0.0, 1.0]])
    width = min(float(piece.extents[narrow]), MAX_WIDTH_MM * 1e-3)
    if not is_card:
        return Grasp(origin, axes, width)
    origin += axes[:, 1] * max(float(piece.extents[other]) / 2 - CARD_END_MM * 1e-3, 0.0)
    return Grasp(origin, axes, width, CARD_LEAN)


def long_axis(piece: Piece, pose: Array) -> Array:
    """Returns the level direction (3,) along which a piece is longest. pose: (7,)."""
    matrix = matrix_of((pose[3], pose[4], pose[5], pose[6]))
    level = [axis for axis in range(3) if axis != int(np.argmax(np.abs(matrix[2])))]
    along = matrix[:, max(level, key=lambda axis: float(piece.extents[axis]))] * (1.0, 1.0, 0.0)
    return np.asarray(along / np.linalg.norm(along))


def from_outside(piece: Piece, pose: Array, direction: Array) -> Grasp:
    """Returns a hand that pulls a piece out. direction: (3,), of the pull; only its horizontal part counts."""
    matrix = matrix_of((pose[3], pose[4], pose[5], pose[6]))
    out = direction * (1.0, 1.0, 0.0)
    out /= np.linalg.norm(out)
    x = np.array([-out[1], out[0], 0.0])
    half = np.abs(matrix.T @ out) @ piece.extents / 2
    width = float(np.abs(matrix.T @ x) @ piece.extents)
    origin = pose[:3] + out * (float(half) - GRIP_DEPTH_MM * 1e-3)
    axes = np.array([[x[0], 0.0, out[0]], [x[1], 0.0, out[1]], [0.0, 1.0, 0.0]])
    return Grasp(origin, axes, min(width, MAX_WIDTH_MM * 1e-3))
