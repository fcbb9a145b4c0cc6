"""Where a block may lie on the highest floor of Crazy Tower, and where a new floor card, from best to worst.

Places are tried on a grid of millimetres over the card, in the card's frame. They are ranked by how far the table could
tilt before a floor and all above it tipped over the blocks below.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations, product

import numpy as np
import shapely
from numpy.typing import NDArray

from teeter.engine.geometry.drop import resting_faces
from teeter.engine.geometry.rotation import angle_between
from teeter.engine.pose import Pose
from teeter.engine.tolerances import TOUCH_IN_GAME
from teeter.engine.topple.balance.statics import stands
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.world.body import Assembly, Body
from teeter.games.crazy_tower import judge
from teeter.games.crazy_tower.rules_allowed import top_card
from teeter.games.crazy_tower.rules_flow import of_floors
from teeter.games.crazy_tower.state import SORTS, Sort, State
from teeter.games.judge.judge import TableScene
from teeter.games.judge.places import bounds
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.models.piece import Array, Piece

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
STEADY_DEG = 12.0
"""Degrees that a block on its side bears by itself: a bar on its end bears 18, a corner on the end of one arm 8."""


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
        joint = self._joint(mass, centres)
        high = np.maximum(joint[:, 2] - self.height, 1e-3)
        return np.asarray(np.degrees(np.arctan2(self.room(mass, centres), high)))

    def room(self, mass: float, centres: Array) -> Array:
        """Metres (n,) from the joint centre to the nearest edge of what it stands on; negative: it falls."""
        return np.asarray((self.offsets - self._joint(mass, centres)[:, :2] @ self.normals.T).min(axis=1))

    def _joint(self, mass: float, centres: Array) -> Array:
        return np.asarray((self.mass * self.centre + mass * centres) / (self.mass + mass))


@dataclass(frozen=True, slots=True, eq=False)
class BlockPlace:
    """A pose that a block may take, what it is worth, and how many special boxes it covers."""

    pose: Pose
    worth: float
    tilt: float
    boxes: int


def places(
    state: State,
    scene: TableScene,
    name: str,
    gain: float = 0.0,
    most: int = 60,
    floor: str = "",
    weak: float | None = None,
) -> list[BlockPlace]:
    """The most promising places of a block on a floor, by its card, the highest by default; none when it fits nowhere.
    On a lower floor (CT-20) it is let down from above, past all that lies higher. gain: degrees' worth of a special box
    that is covered where the tower stays firm. weak: those that leave the tower weakest instead, and for the special
    box, but with so many metres from every joint centre to the nearest edge of what it stands on."""
    at = next(
        (index for index, other in enumerate(state.floors) if other.card == floor), len(state.floors) - 1
    )
    card, piece = scene.bodies[state.floors[at].card], build(find(f"crazy_tower/{name}"))
    lying = [scene.bodies[block] for block in state.floors[at].blocks if block != name]
    higher = [scene.bodies[block] for block in of_floors(state.floors[at + 1 :]) if block != name]
    upright = state.challenge is not None and state.challenge.on_side
    grounds = _grounds(card, (*lying, *higher))
    levels = levels_of(state, scene, at, name)
    candidates: list[BlockPlace] = []
    for turned in orientations(piece, upright and piece.extents.max() > 1.01 * piece.extents.min()):
        spots, boxes = _free(piece, turned, grounds)
        turn = turned.turn
        lift = float(card.piece.extents[2]) / 2 + float((np.abs(turn) @ piece.extents)[2]) / 2
        local = np.column_stack([spots / 1e3, np.full(len(spots), lift)])
        centres = card.pose.apply(local + turn @ piece.centre_of_mass)
        tilt = _least([level.tilt(piece.mass, centres) for level in levels], len(centres))
        worth = np.minimum(tilt, 25.0) + _evenness(card, lying, centres) + gain * boxes * (tilt > FIRM_DEG)
        if upright:
            worth -= _unlevel(card, lying, float((np.abs(turn) @ piece.extents)[2]))
        if weak is not None:
            room = _least([level.room(piece.mass, centres) for level in levels], len(centres))
            worth = np.where(room >= weak, gain * boxes - tilt, -np.inf)
        candidates += [
            BlockPlace(
                Pose.of(local[row], turn).then(card.pose),
                float(worth[row]),
                float(tilt[row]),
                int(boxes[row]),
            )
            for row in np.argsort(-worth)[:most].tolist()
            if worth[row] > -np.inf
        ]
    return sorted(candidates, key=lambda spot: -spot.worth)[:most]


def _least(of_levels: list[Array], count: int) -> Array:
    """The least (n,) of all levels; plenty where there is none."""
    return np.asarray(np.min(of_levels, axis=0)) if of_levels else np.full(count, 45.0)


def _evenness(card: Body, lying: list[Body], centres: Array) -> Array:
    """Degrees' worth (n,) of how evenly the blocks of a floor lie around its centre, and how far out."""
    local = (centres - np.asarray(card.pose.position)) @ card.pose.matrix[:, :2]
    there = [
        (body.centre_of_mass - np.asarray(card.pose.position)) @ card.pose.matrix[:, :2] for body in lying
    ]
    if not there:
        return np.asarray(-np.abs(np.linalg.norm(local, axis=1) - 0.018) * 200.0)
    joint = (local + np.sum(there, axis=0)) / (len(there) + 1)
    out = np.minimum(np.linalg.norm(local, axis=1), 0.03)
    return np.asarray(out * 150.0 - np.linalg.norm(joint, axis=1) * 500.0)


def _unlevel(card: Body, lying: list[Body], rise: float) -> float:
    """Degrees that it costs when a block on its side (CT-43) rises so many metres over its card and the others do
    not: the next card would lie on the highest of them alone."""
    over = float(card.pose.position[2]) + float(card.piece.extents[2]) / 2
    high = max((float(bounds(body.piece, body.pose)[1][2]) for body in lying), default=over + SIDEWAYS_M)
    above = over + rise - high
    return HIGHER_DEG if above > LEVEL_M else LOWER_DEG if above < -LEVEL_M else 0.0


SIDEWAYS_M, LEVEL_M = 0.032, 1e-3
"""Metres that most blocks reach on their side, two cubes; and by how much tops that carry a card together differ."""
HIGHER_DEG, LOWER_DEG = 40.0, 15.0
"""Degrees' worth of blocks of one height."""


@dataclass(frozen=True, slots=True, eq=False)
class _Grounds:
    """Spectra of rasters (129, 129) over a card, x along rows: blocks, red boxes, the card, special boxes with
    their mm2. edge: millimetres from the card's middle that a block's middle may be."""

    taken: Spectrum
    red: Spectrum
    card: Spectrum
    special: tuple[tuple[Spectrum, float], ...]
    edge: float


_AXIS = np.arange(-HALF_MM, HALF_MM + 1)
_HALF = np.arange(-HALF_MM // 2, HALF_MM // 2 + 1)
_SIDE = 200
"""Points of a transform: no fewer than a raster and a kernel have together, 193, and quick for being round."""
Spectrum = NDArray[np.complex128]


def _raster(shape: shapely.Geometry, axis: NDArray[np.int64] = _AXIS) -> Array:
    shapely.prepare(shape)
    x, y = np.meshgrid(axis, axis, indexing="ij")
    return np.asarray(shapely.contains_xy(shape, x, y), dtype=np.float64)


@lru_cache(maxsize=32)
def _grounds(card: Body, lying: tuple[Body, ...]) -> _Grounds:
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
    special = [_raster(box) for mark, box in boxes.values() if mark not in plain]
    outline = _raster(judge.outline(card))
    return _Grounds(
        _spectrum(_raster(shapely.union_all(shadows).buffer(CLEAR_MM))),
        _spectrum(_raster(shapely.union_all(red))),
        _spectrum(outline),
        tuple((_spectrum(box), float(box.sum())) for box in special),
        # the middle of the block over the card: what overhangs further tips
        float(outline.sum()) ** 0.5 / 2 - 4.0,
    )


def special(card: Body) -> Sort | None:
    """The sort of the special box that a floor card has; None when it has none."""
    rows = card.piece.face.boxes if card.piece.face is not None else ()
    marks = {mark for row in rows for mark in row} - {Sort.WHITE.mark, Sort.RED.mark}
    return SORTS[min(marks)] if marks else None


def _shadow(parts: list[Array]) -> shapely.Geometry:
    """Convex parts seen from above."""
    return shapely.union_all([shapely.MultiPoint(part[:, :2]).convex_hull for part in parts])


@dataclass(frozen=True, slots=True, eq=False)
class _Turned:
    """A way to lay a block: turn (3, 3); what stands on the floor, its mm2, and the shadow, as spectra of rasters
    (65, 65) about its frame."""

    turn: Array
    foot: Spectrum
    area: float
    shadow: Spectrum


def within_reach(name: str, place: Pose, start: Pose) -> Pose | None:
    """Returns a place of a block, turned so that it looks the same and is the least turn from where it lay; None where
    tied wrists (CT-49) do not get there."""
    alike = [Pose.of(np.zeros(3), turn).then(place) for turn in _symmetries(name)]
    best = min(alike, key=lambda pose: angle_between(pose.orientation, start.orientation))
    return best if angle_between(best.orientation, start.orientation) < math.pi / 2 + TURN_SLACK else None


@lru_cache(maxsize=64)
def _symmetries(name: str) -> tuple[Array, ...]:
    """The turns (3, 3) after which a block stands on the same spots and looks the same from above."""
    piece = build(find(f"crazy_tower/{name}"))
    looks = [kernel.tobytes() for kernel in _kernels(piece, np.eye(3))]
    return tuple(turn for turn in _turns() if [kernel.tobytes() for kernel in _kernels(piece, turn)] == looks)


def _turns() -> Iterator[Array]:
    """The 24 turns (3, 3) by quarters."""
    for axes in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=3):
            turn = np.zeros((3, 3))
            turn[range(3), axes] = signs
            if np.linalg.det(turn) > 0:
                yield turn


TURN_SLACK = 0.05
"""Radians by which a card may lie askew."""


@lru_cache(maxsize=256)
def orientations(piece: Piece, upright: bool = False) -> tuple[_Turned, ...]:
    """The quarter turns in which a block lies flat, or stands on its side without tipping, each outline once."""
    turns: dict[tuple[bytes, ...], _Turned] = {}
    feet = [face.normal for face in resting_faces(piece) if face.tipping_angle() > STEADY_DEG]
    for turn in _turns():
        is_flat = bool((np.abs(turn) @ piece.extents)[2] < 1.01 * piece.extents.min())
        if is_flat == upright or not any((turn @ foot)[2] < -0.99 for foot in feet):
            continue
        foot, shadow = _kernels(piece, turn)
        kernels = [_spectrum(kernel[::-1, ::-1]) for kernel in (foot, shadow)]
        turned = _Turned(turn, kernels[0], float(foot.sum()), kernels[1])
        turns.setdefault((foot.tobytes(), shadow.tobytes()), turned)
    return tuple(turns.values())


def _kernels(piece: Piece, turn: Array) -> tuple[Array, Array]:
    """Rasters (65, 65) of a turned block about its frame: what stands on the floor, and its shadow."""
    parts = [part.vertices @ turn.T * 1e3 for part in piece.parts]
    least = min(float(part[:, 2].min()) for part in parts)
    foot = _shadow([part for part in parts if part[:, 2].min() < least + 0.1])
    return _raster(foot.buffer(0.1), _HALF), _raster(_shadow(parts).buffer(0.1), _HALF)


def _spectrum(raster: Array) -> Spectrum:
    return np.asarray(np.fft.rfft2(raster, (_SIDE, _SIDE)))


def _under(raster: Spectrum, kernel: Spectrum) -> Array:
    """How many points (65, 65) of a kernel lie on a raster, with its middle on every `STEP_MM`th point of it. By
    Fourier transforms, as `scipy.signal.fftconvolve` does it, which takes a second to import."""
    whole = np.fft.irfft2(raster * kernel, (_SIDE, _SIDE))
    first, last = HALF_MM // 2, HALF_MM // 2 + len(_AXIS)
    return np.asarray(np.rint(whole[first:last:STEP_MM, first:last:STEP_MM]))


def _free(piece: Piece, turned: _Turned, grounds: _Grounds) -> tuple[Array, Array]:
    """Millimetres (n, 2) from the card's centre where a turned block may be, and special boxes (n,) it covers."""
    fits = (_under(grounds.taken, turned.shadow) < 0.5) & (_under(grounds.red, turned.foot) < 0.5)
    fits &= _under(grounds.card, turned.foot) >= ON_CARD * turned.area
    x, y = np.meshgrid(_AXIS[::STEP_MM], _AXIS[::STEP_MM], indexing="ij")
    centre = turned.turn @ piece.centre_of_mass * 1e3
    fits &= (np.abs(x + centre[0]) < grounds.edge) & (np.abs(y + centre[1]) < grounds.edge)
    boxes = sum(
        (_under(box, turned.foot) > judge.COVERED_SHARE * area for box, area in grounds.special),
        np.zeros(fits.shape),
    )
    covered = np.asarray(boxes, dtype=np.float64)[fits]
    return np.column_stack([x[fits], y[fits]]).astype(np.float64), covered


def tower_of(state: State, scene: TableScene) -> list[Body]:
    """The pieces of the tower as they lie."""
    return [scene.bodies[name] for name in of_floors(state.floors) if name in scene.bodies]


def levels_of(state: State, scene: TableScene, highest: int, without: str = "") -> list[SupportLevel]:
    """What every floor up to one, by its index, stands on, from the bottom up; nothing for the first."""
    levels: list[SupportLevel] = []
    floors = state.floors
    for at in range(1, highest + 1):
        above = [name for name in of_floors(floors[at:]) if name != without]
        parts = (floors[at - 1].blocks, above)
        level = _level(
            *[tuple(scene.bodies[name] for name in part if name in scene.bodies) for part in parts]
        )
        if level is not None:
            levels.append(level)
    return levels


@lru_cache(maxsize=256)
def _level(below: tuple[Body, ...], above: tuple[Body, ...]) -> SupportLevel | None:
    """None when nothing carries what is above, or only a line."""
    if not below or not above:
        return None
    feet = _tops_of(below).intersection(_shadow_of(above[:1]))
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
    centre = masses @ np.array([body.centre_of_mass for body in above]) / masses.sum()
    top = max(float(bounds(body.piece, body.pose)[1][2]) for body in below)
    return SupportLevel(normals, (normals * starts).sum(axis=1), float(masses.sum()), centre, top)


def _tops_of(blocks: Sequence[Body]) -> shapely.Geometry:
    """What of blocks carries a card, seen from above: the parts that reach highest."""
    parts = [block.pose.apply(part.vertices) for block in blocks for part in block.piece.parts]
    high = max(float(part[:, 2].max()) for part in parts)
    return _shadow([part for part in parts if part[:, 2].max() > high - LEVEL_M])


def _shadow_of(bodies: Sequence[Body]) -> shapely.Geometry:
    parts = [body.pose.apply(part.vertices) for body in bodies for part in body.piece.parts]
    return _shadow(parts)


def card_place(
    state: State, scene: TableScene, name: str, weak: float | None = None, before: int = 0
) -> Pose:
    """A floor card level on the blocks of the highest floor, where it and the tower below it balance best. weak: where
    they balance worst instead, but with so many metres from the middle of its load to the nearest edge below. before:
    how many places were tried in vain; one that is `APART` from the better ones is taken."""
    card = build(find(f"crazy_tower/{name}"))
    below = tuple(scene.bodies[block] for block in state.floors[-1].blocks) if state.floors else ()
    if not below:
        under = scene.bodies[top_card(state)].pose if state.floors else Pose((0.0, 0.0, 0.0))
        return under.then(Pose((0.0, 0.0, 2.0 * float(card.extents[2]))))
    last = scene.bodies[top_card(state)].pose
    height = max(float(bounds(body.piece, body.pose)[1][2]) for body in below)
    spots = np.arange(-0.024, 0.0241, 0.004)
    middle = np.asarray(shapely.get_coordinates(_tops_of(below).convex_hull.centroid))[0]
    offsets = np.array([(x, y, 0.0) for x in spots for y in spots])
    centres = np.array([*middle, height + float(card.extents[2]) / 2]) + offsets
    # a whole floor's load would come to lie where the card is
    levels = levels_of(state, scene, len(state.floors) - 1)
    tilts = [level.tilt(LOAD, centres) for level in levels]
    own = _level(below, (Body(name, card, Pose.of(centres[len(centres) // 2], last.matrix)),))
    if own is not None:
        tilts.append(own.tilt(LOAD, centres))
    tilt = np.min(tilts, axis=0) if tilts else np.zeros(len(centres))
    worth = np.minimum(tilt, 40.0) - 100.0 * np.linalg.norm(offsets, axis=1)
    if weak is not None and own is not None:
        room = np.min([level.room(LOAD, centres) for level in (*levels, own)], axis=0)
        worth = np.where(room >= weak, -room, room - 1.0)
    spots_left = np.argsort(-worth, kind="stable")
    at = int(spots_left[0])
    for _ in range(before):
        spots_left = spots_left[np.linalg.norm(offsets[spots_left] - offsets[at], axis=1) >= APART]
        if not len(spots_left):
            break
        at = int(spots_left[0])
    yaw = math.atan2(last.matrix[1, 0], last.matrix[0, 0])
    turn = [[math.cos(yaw), -math.sin(yaw), 0.0], [math.sin(yaw), math.cos(yaw), 0.0], [0.0, 0.0, 1.0]]
    return Pose.of(centres[at], np.array(turn))


APART = 8e-3
"""Metres between two places of a card that are tried."""
LOAD = 0.06
"""Kilograms of a card and the blocks that will lie on it."""


def would_stand(tower: list[Body], table: Body, body: Body) -> bool | None:
    """Whether the tower with one more piece balances; None when that cannot be judged."""
    assembly = Assembly("tower", (table, *[other for other in tower if other.name != body.name], body))
    contacts = find_contacts(assembly, *TOUCH_IN_GAME)
    return None if contacts.floating else stands(assembly, contacts=contacts)


def way_out(state: State, scene: TableScene, name: str) -> Array:
    """The way (3,), metres, along which a block is pulled."""
    block = scene.bodies[name]
    floor = next(floor for floor in state.floors if name in floor.blocks)
    card = scene.bodies[floor.card]
    local = (np.asarray(block.pose.position) - np.asarray(card.pose.position)) @ card.pose.matrix
    axis = int(np.argmax(np.abs(local[:2])))
    return np.asarray(card.pose.matrix[:, axis] * math.copysign(0.14, local[axis]))
