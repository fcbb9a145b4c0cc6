"""Where a block may lie on the highest floor of Crazy Tower, and where a new floor card, from best to worst.

Places are tried on a grid of millimetres over the card, in the card's frame. They are ranked by how far the table could
tilt before a floor and all above it tipped over the blocks below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations, product

import numpy as np
import shapely
from numpy.typing import NDArray

from engine.pose import Pose
from engine.tolerances import TOUCH_IN_GAME
from engine.topple.balance.statics import stands
from engine.topple.contact.detection import find_contacts
from engine.world import Assembly, Body
from games.crazy_tower import judge
from games.crazy_tower.rules_allowed import top_card
from games.crazy_tower.rules_flow import of_floors
from games.crazy_tower.state import SORTS, Sort, State
from games.judge.judge import TableScene
from games.judge.places import bounds, centre_of
from models.build import build
from models.catalogue import find
from models.piece import Array, Piece

HALF_MM = 64
"""Half the grid over a card: a block of 48 mm that overhangs its edge is still on it."""
STEP_MM = 2
"""Between two places that are tried."""
CLEAR_MM = 1.2
"""Between two blocks: more than the hand errs."""
RED_SLIP_MM = 1.0
"""A block may reach so far onto a red box: 12 % of it from two sides."""
ON_CARD = 0.7
"""The least share of a block's foot that lies on the card."""
FIRM_DEG = 6.0
"""Degrees that the table may tilt under a firm tower."""


@dataclass(frozen=True, slots=True, eq=False)
class SupportLevel:
    """What a floor and all above it stand on: half planes `normals @ x <= offsets`, metres, of the hull of the blocks
    below; mass, centre (3,) of what they carry, and the height of the blocks' tops."""

    normals: Array
    offsets: Array
    mass: float
    centre: Array
    height: float

    def tilt(self, mass: float, centres: Array) -> Array:
        """Degrees (n,) until it tips with one more mass at each of these centres (n, 3); negative: it falls."""
        joint = (self.mass * self.centre + mass * centres) / (self.mass + mass)
        room = (self.offsets - joint[:, :2] @ self.normals.T).min(axis=1)
        return np.asarray(np.degrees(np.arctan2(room, np.maximum(joint[:, 2] - self.height, 1e-3))))


@dataclass(frozen=True, slots=True, eq=False)
class BlockPlace:
    """A pose that a block may take, what it is worth, and how many special boxes it covers."""

    pose: Pose
    worth: float
    tilt: float
    boxes: int


def places(
    state: State, scene: TableScene, name: str, gain: float = 0.0, most: int = 60, floor: str = ""
) -> list[BlockPlace]:
    """The most promising places of a block on a floor, by its card, the highest by default; none when it fits nowhere.
    On a lower floor (CT-20) it is let down from above, past all that lies higher. gain: degrees' worth of a special box
    that is covered where the tower stays firm."""
    at = next((index for index, each in enumerate(state.floors) if each.card == floor), len(state.floors) - 1)
    card, piece = scene.bodies[state.floors[at].card], build(find(f"crazy_tower/{name}"))
    lying = [scene.bodies[block] for block in state.floors[at].blocks if block != name]
    higher = [scene.bodies[each] for each in of_floors(state.floors[at + 1 :]) if each != name]
    upright = state.challenge is not None and state.challenge.on_side
    grounds = _grounds(card, [*lying, *higher])
    levels = levels_of(state, scene, at, name)
    found: list[BlockPlace] = []
    for turn in orientations(piece, upright and piece.extents.max() > 1.01 * piece.extents.min()):
        spots, boxes = _free(piece, turn, grounds)
        lift = float(card.piece.extents[2]) / 2 + float((np.abs(turn) @ piece.extents)[2]) / 2
        local = np.column_stack([spots / 1e3, np.full(len(spots), lift)])
        centres = card.pose.apply(local + turn @ piece.centre_of_mass)
        tilt = _least_tilt(levels, piece.mass, centres)
        worth = np.minimum(tilt, 25.0) + _evenness(card, lying, centres) + gain * boxes * (tilt > FIRM_DEG)
        found += [
            BlockPlace(
                Pose.of(local[each], turn).then(card.pose),
                float(worth[each]),
                float(tilt[each]),
                int(boxes[each]),
            )
            for each in np.argsort(-worth)[:most].tolist()
        ]
    return sorted(found, key=lambda each: -each.worth)[:most]


def _least_tilt(levels: list[SupportLevel], mass: float, centres: Array) -> Array:
    tilts = [level.tilt(mass, centres) for level in levels]
    return np.asarray(np.min(tilts, axis=0)) if tilts else np.full(len(centres), 45.0)


def _evenness(card: Body, lying: list[Body], centres: Array) -> Array:
    """Degrees' worth (n,) of how evenly the blocks of a floor lie around its centre, and how far out."""
    local = (centres - np.asarray(card.pose.position)) @ card.pose.matrix[:, :2]
    there = [(centre_of(body) - np.asarray(card.pose.position)) @ card.pose.matrix[:, :2] for body in lying]
    if not there:
        return np.asarray(-np.abs(np.linalg.norm(local, axis=1) - 0.018) * 200.0)
    joint = (local + np.sum(there, axis=0)) / (len(there) + 1)
    out = np.minimum(np.linalg.norm(local, axis=1), 0.03)
    return np.asarray(out * 150.0 - np.linalg.norm(joint, axis=1) * 500.0)


@dataclass(frozen=True, slots=True, eq=False)
class _Grounds:
    """Rasters (129, 129) over a card, x along rows: what is free of red boxes and blocks, the card, special boxes."""

    taken: Array
    red: Array
    card: Array
    special: tuple[Array, ...]


_AXIS = np.arange(-HALF_MM, HALF_MM + 1)


def _raster(shape: shapely.Geometry, axis: NDArray[np.int64] = _AXIS) -> Array:
    shapely.prepare(shape)
    x, y = np.meshgrid(axis, axis, indexing="ij")
    return np.asarray(shapely.contains_xy(shape, x, y), dtype=np.float64)


def _grounds(card: Body, lying: list[Body]) -> _Grounds:
    shadows = [
        _shadow([judge.on_card(body.pose.apply(p.vertices), card) for p in body.piece.parts])
        for body in lying
    ]
    marks = card.piece.face.boxes if card.piece.face is not None else ()
    boxes = {at: (marks[at[0] - 1][at[1] - 1], box) for at, box in judge.boxes(card).items()}
    red = [
        box.buffer(-RED_SLIP_MM, join_style="mitre") for mark, box in boxes.values() if mark == Sort.RED.mark
    ]
    plain = (Sort.RED.mark, Sort.WHITE.mark)
    return _Grounds(
        _raster(shapely.union_all(shadows).buffer(CLEAR_MM)),
        _raster(shapely.union_all(red)),
        _raster(judge.outline(card)),
        tuple(_raster(box) for mark, box in boxes.values() if mark not in plain),
    )


def special(card: Body) -> Sort | None:
    """The sort of the special box that a floor card has; None when it has none."""
    rows = card.piece.face.boxes if card.piece.face is not None else ()
    marks = {mark for row in rows for mark in row} - {Sort.WHITE.mark, Sort.RED.mark}
    return SORTS[min(marks)] if marks else None


def _shadow(parts: list[Array]) -> shapely.Geometry:
    """Convex parts seen from above."""
    return shapely.union_all([shapely.MultiPoint(part[:, :2]).convex_hull for part in parts])


@lru_cache(maxsize=256)
def orientations(piece: Piece, upright: bool = False) -> tuple[Array, ...]:
    """The quarter turns (3, 3) in which a block lies flat, or stands on its side, each outline once."""
    turns: dict[tuple[bytes, ...], Array] = {}
    for axes in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=3):
            turn = np.zeros((3, 3))
            turn[range(3), axes] = signs
            is_flat = bool(piece.extents[axes[2]] < 1.01 * piece.extents.min())
            if np.linalg.det(turn) < 0 or is_flat == upright:
                continue
            turns.setdefault(tuple(kernel.tobytes() for kernel in _kernels(piece, turn)), turn)
    return tuple(turns.values())


def _kernels(piece: Piece, turn: Array) -> tuple[Array, Array]:
    """Rasters (65, 65) of a turned block about its frame: what stands on the floor, and its shadow."""
    parts = [part.vertices @ turn.T * 1e3 for part in piece.parts]
    least = min(float(part[:, 2].min()) for part in parts)
    axis = np.arange(-HALF_MM // 2, HALF_MM // 2 + 1)
    foot = _shadow([part for part in parts if part[:, 2].min() < least + 0.1])
    return _raster(foot.buffer(0.1), axis), _raster(_shadow(parts).buffer(0.1), axis)


def _correlated(raster: Array, kernel: Array) -> Array:
    """How much of a kernel lies on a raster, with its middle on each point of it. By Fourier transforms, as
    `scipy.signal.fftconvolve` does it, which takes a second to import."""
    size = [one + other - 1 for one, other in zip(raster.shape, kernel.shape, strict=True)]
    spectrum = np.fft.rfft2(raster, size) * np.fft.rfft2(kernel[::-1, ::-1], size)
    first = [(side - 1) // 2 for side in kernel.shape]
    whole = np.fft.irfft2(spectrum, size)
    return np.asarray(
        whole[tuple(slice(at, at + side) for at, side in zip(first, raster.shape, strict=True))]
    )


def _free(piece: Piece, turn: Array, grounds: _Grounds) -> tuple[Array, Array]:
    """Millimetres (n, 2) from the card's centre where a turned block may be, and special boxes (n,) it covers."""
    foot, shadow = _kernels(piece, turn)

    def under(raster: Array, kernel: Array) -> Array:
        return _correlated(raster, kernel)[::STEP_MM, ::STEP_MM]

    fits = (under(grounds.taken, shadow) < 0.5) & (under(grounds.red, foot) < 0.5)
    fits &= under(grounds.card, foot) >= ON_CARD * foot.sum()
    # the middle of the block over the card: what overhangs further tips
    edge = float(grounds.card.sum()) ** 0.5 / 2 - 4.0
    x, y = np.meshgrid(_AXIS[::STEP_MM], _AXIS[::STEP_MM], indexing="ij")
    centre = turn @ piece.centre_of_mass * 1e3
    fits &= (np.abs(x + centre[0]) < edge) & (np.abs(y + centre[1]) < edge)
    boxes = sum(
        (under(box, foot) > judge.COVERED_SHARE * box.sum() for box in grounds.special), np.zeros(fits.shape)
    )
    return np.column_stack([x[fits], y[fits]]).astype(np.float64), np.asarray(boxes)[fits]


def tower_of(state: State, scene: TableScene) -> list[Body]:
    """The pieces of the tower as they lie."""
    return [scene.bodies[name] for name in of_floors(state.floors) if name in scene.bodies]


def levels_of(state: State, scene: TableScene, highest: int, without: str = "") -> list[SupportLevel]:
    """What every floor up to one, by its index, stands on, from the bottom up; nothing for the first."""
    found: list[SupportLevel] = []
    floors = state.floors
    for at in range(1, highest + 1):
        above = [name for name in of_floors(floors[at:]) if name != without]
        below = [scene.bodies[name] for name in floors[at - 1].blocks if name in scene.bodies]
        level = _level(below, [scene.bodies[name] for name in above if name in scene.bodies])
        if level is not None:
            found.append(level)
    return found


def _level(below: list[Body], above: list[Body]) -> SupportLevel | None:
    """None when nothing carries what is above, or only a line."""
    if not below or not above:
        return None
    feet = _shadow_of(below).intersection(_shadow_of(above[:1]))
    hull = shapely.get_coordinates(shapely.convex_hull(feet))
    if len(hull) < 4:
        return None
    if not shapely.LinearRing(hull).is_ccw:
        hull = hull[::-1]
    sides = np.diff(hull, axis=0)
    sides = sides[np.linalg.norm(sides, axis=1) > 1e-6]
    starts = hull[:-1][np.linalg.norm(np.diff(hull, axis=0), axis=1) > 1e-6]
    normals = np.stack([sides[:, 1], -sides[:, 0]], axis=1) / np.linalg.norm(sides, axis=1)[:, None]
    masses = np.array([body.piece.mass for body in above])
    centre = masses @ np.array([centre_of(body) for body in above]) / masses.sum()
    top = max(float(bounds(body.piece, body.pose)[1][2]) for body in below)
    return SupportLevel(normals, (normals * starts).sum(axis=1), float(masses.sum()), centre, top)


def _shadow_of(bodies: list[Body]) -> shapely.Geometry:
    parts = [body.pose.apply(part.vertices) for body in bodies for part in body.piece.parts]
    return _shadow(parts)


def card_place(state: State, scene: TableScene, name: str) -> Pose:
    """A floor card level on the blocks of the highest floor, where it and the tower below it balance best."""
    card = build(find(f"crazy_tower/{name}"))
    below = [scene.bodies[block] for block in state.floors[-1].blocks] if state.floors else []
    if not below:
        under = scene.bodies[top_card(state)].pose if state.floors else Pose((0.0, 0.0, 0.0))
        return under.then(Pose((0.0, 0.0, 2.0 * float(card.extents[2]))))
    last = scene.bodies[top_card(state)].pose
    height = max(float(bounds(body.piece, body.pose)[1][2]) for body in below)
    spots = np.arange(-0.024, 0.0241, 0.004)
    middle = np.asarray(shapely.get_coordinates(_shadow_of(below).convex_hull.centroid))[0]
    offsets = np.array([(x, y, 0.0) for x in spots for y in spots])
    centres = np.array([*middle, height + float(card.extents[2]) / 2]) + offsets
    # a whole floor's load would come to lie where the card is
    levels = levels_of(state, scene, len(state.floors) - 1)
    tilts = [level.tilt(LOAD, centres) for level in levels]
    own = _level(below, [Body(name, card, Pose.of(centres[len(centres) // 2], last.matrix))])
    if own is not None:
        tilts.append(own.tilt(LOAD, centres))
    worth = np.minimum(np.min(tilts, axis=0), 40.0) if tilts else np.zeros(len(centres))
    at = int(np.argmax(worth - 100.0 * np.linalg.norm(offsets, axis=1)))
    yaw = math.atan2(last.matrix[1, 0], last.matrix[0, 0])
    turn = [[math.cos(yaw), -math.sin(yaw), 0.0], [math.sin(yaw), math.cos(yaw), 0.0], [0.0, 0.0, 1.0]]
    return Pose.of(centres[at], np.array(turn))


LOAD = 0.06
"""Kilograms of a card and the blocks that will lie on it."""


def would_stand(tower: list[Body], table: Body, body: Body) -> bool | None:
    """Whether the tower with one more piece balances; None when that cannot be judged."""
    assembly = Assembly("tower", (table, *[each for each in tower if each.name != body.name], body))
    contacts = find_contacts(assembly, *TOUCH_IN_GAME)
    return None if contacts.floating else stands(assembly, contacts=contacts)
