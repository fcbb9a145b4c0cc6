"""Margins: how far the table can tilt, and how hard the top can be pushed, before a mechanism starts.

Both are the distance from the origin to the boundary of a convex set in the plane that is known by its support
function: tilts and pushes of any direction that forces can balance.
"""

import math
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np

from teeter.engine.topple.balance.boundary import ROUND_QUERIES, NearestBoundary, Query, nearest_boundary
from teeter.engine.topple.balance.equilibrium import (
    MAX_PULL,
    Balance,
    SupportFunction,
    balance_of,
    wrenches_at,
)
from teeter.engine.topple.balance.few import MANY, nearest_by_few
from teeter.engine.topple.balance.reached import nearest_reached
from teeter.engine.topple.balance.rocking import hangs, rocking_of
from teeter.engine.topple.balance.symmetry import Symmetry, symmetries_of
from teeter.engine.topple.balance.wedging import can_wedge
from teeter.engine.topple.contact.arrays import Array, Bools, Ints, crossed
from teeter.engine.topple.contact.detection import Contacts
from teeter.engine.topple.contact.features import corners_of
from teeter.engine.topple.stages import stage
from teeter.engine.world.body import Assembly, Body, Vector

R = TypeVar("R")

SAME = 1e-4
"""Pieces whose speeds, heights or distances agree to this part are alike: the first by name is taken."""
MANY_POINTS = 300
"""Contact points beyond which a query takes so long that half the queries must do."""
ROTATES = 0.1
"""A mechanism in which rocking gives more than this part of the greatest speed topples; else it slides."""
TOUCHING, STILL, SPANS = 1e-3, 1e-5, 1e-3
"""What rises by less than this part of the fastest point of its pair goes on touching, and what does by less than this
part of the fastest piece; what is narrower than this part of a piece is a line to it."""
WITHIN = 0.5
"""Nor does one slide whose fastest piece turns about an axis no further off than what moves is high, by this part."""

MAX_ROUNDS, CLOSE_ENOUGH = 12, 1e-5
"""Of the tilt under forces that do not turn with gravity, and degrees that settle it."""

Velocities = dict[str, tuple[Vector, Vector]]
Mode = Literal["topple", "slide"]


@dataclass(frozen=True, slots=True)
class TiltMargin:
    """degrees: the smallest tilt at which equilibrium is lost, at most 90. direction: degrees, the downhill side,
    counter-clockwise from +x. weakest: the piece that moves fastest in the mechanism. mechanism: velocities (m/s of the
    centre of mass, rad/s) of all free pieces, scaled so that the fastest point moves at 1 m/s. mode: of it, None where
    nothing moves."""

    degrees: float
    direction: float
    weakest: str | None
    mechanism: Velocities
    mode: Mode | None = None


@dataclass(frozen=True, slots=True)
class PushMargin:
    """newtons: the smallest horizontal force at the top centre of `piece` that moves anything, None for none; mode."""

    newtons: float | None
    piece: str
    mode: Mode | None


def margins_of(balance: Balance, assembly: Assembly) -> tuple[TiltMargin, PushMargin]:
    """Returns both margins of pieces that stand, of many beside each other. Raises StaticsError when the solver gives
    up."""
    # whether states are reached is asked in many small steps, for which two threads only wait for each other
    if len(balance.names) < MANY or can_wedge(balance):
        return tilt_of(balance), push_of(balance, assembly)
    pushing = beside(lambda: push_of(balance, assembly))
    return tilt_of(balance), pushing()


def beside(work: Callable[[], R]) -> Callable[[], R]:
    """Starts work in a thread and returns what waits for its result: solvers leave the interpreter to each other. An
    interrupted process does not wait for it."""
    result: Future[R] = Future()

    def run() -> None:
        try:
            result.set_result(work())
        except BaseException as error:
            result.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return result.result


def tilt_of(balance: Balance, *, is_quick: bool = False) -> TiltMargin:
    """Returns the tilt margin of pieces that stand. is_quick: what is not reached where pieces wedge counts. Raises
    StaticsError when the solver gives up.

    A table tilted by theta towards d pulls the pieces like gravity (tan(theta) d, -1), up to its size, which no contact
    law here notices. The loads h = tan(theta) d that can be carried form a convex set; its boundary is the margin.
    """
    stage("force balance: tilt margin")
    margin = _tilt_of(balance, is_quick)
    if len(balance.pulled):
        # tan(theta) d and -1 are gravity over cos(theta); so are then the forces that do not turn with it
        # on curves what is reached is no closer known for more rounds, and each takes a second
        for _ in range(MAX_ROUNDS // 2 if balance.contacts.curved else MAX_ROUNDS):
            last = margin.degrees
            upright = max(math.cos(math.radians(last)), 1e-6)
            margin = _tilt_of(replace(balance, pulls=balance.pulls / upright), is_quick)
            if abs(margin.degrees - last) <= CLOSE_ENOUGH:
                break
    return margin


def tilt_while_accelerated(
    assembly: Assembly, contacts: Contacts, gravity: Vector, acceleration: Vector
) -> TiltMargin | None:
    """Returns the tilt margin of pieces that stand on a table that is accelerated: what they feel of that (m/s^2) does
    not turn with gravity. None where they may roll or hang. Raises StaticsError."""
    pull = float(np.linalg.norm(gravity))
    rocking = rocking_of(assembly, contacts, gravity, None)
    if contacts.curved and (rocking is None or rocking.can_roll):
        return None
    balance = rocking.balance if rocking else balance_of(assembly, contacts, gravity=gravity)
    if hangs(balance):
        return None
    felt = balance.weights[:, None] * np.asarray(acceleration) / pull
    return tilt_of(
        replace(
            balance,
            pulled=np.append(np.arange(len(felt)), balance.pulled),
            pulls=np.concatenate([felt, balance.pulls.reshape(-1, 3)]),
            arms=np.concatenate([0.0 * felt, balance.arms.reshape(-1, 3)]),
        )
    )


def _tilt_of(balance: Balance, is_quick: bool) -> TiltMargin:
    east, north = horizontal(balance.down)
    loads = np.stack([balance.load(east), balance.load(north)], axis=1)
    ask = SupportFunction(balance.matrix, balance.friction, balance.acting, loads)
    same = symmetries_of(balance, east, north, loads)
    nearest = _search_of(balance, east, north, same)(ask)
    if not is_quick:
        nearest = nearest_reached(balance, loads, nearest, bearings(balance, east, north), same)
    direction = math.degrees(math.atan2(*nearest.direction[::-1])) % 360.0
    if nearest.lower >= MAX_PULL / 2:
        return TiltMargin(90.0, 0.0, None, {})
    degrees, motion = math.degrees(math.atan(nearest.distance)), nearest.velocities
    return TiltMargin(
        degrees,
        direction,
        weakest(balance, motion),
        mechanism_of(balance, motion),
        mode_of(balance, motion) if np.any(motion) else None,
    )


def push_of(balance: Balance, assembly: Assembly) -> PushMargin:
    """Returns the push margin of pieces that stand: the same distance, for forces at the top of the highest piece."""
    stage("force balance: push margin")
    name, loads = push_loads(balance, assembly)
    at = balance.names.index(name)
    east, north = np.eye(3)[:2]
    same = symmetries_of(balance, east, north, loads)
    nearest = nearest_by_few(balance, loads, at, same, _search_of(balance, east, north, same))
    nearest = nearest_reached(balance, loads, nearest, bearings(balance, east, north), same, at)
    if nearest.lower >= MAX_PULL / 2:
        return PushMargin(None, name, None)
    weight = float(balance.weights[balance.names.index(name)]) * balance.force
    return PushMargin(nearest.distance * weight, name, mode_of(balance, nearest.velocities))


def push_loads(balance: Balance, assembly: Assembly) -> tuple[str, Array]:
    """Returns the highest piece and the wrenches (6 n, 2) of its weight pushing at its top centre along +x and +y."""
    body, height = top_piece(assembly)
    index = balance.names.index(body.name)
    point = np.array([body.pose.position[0], body.pose.position[1], height]) / balance.length
    loads = np.zeros((len(balance.names), 6, 2))
    loads[index] = wrenches_at(point, balance.centres[index], balance.weights[index] * np.eye(3)[:2]).T
    return body.name, loads.reshape(-1, 2)


def _search_of(
    balance: Balance, east: Array, north: Array, same: tuple[Symmetry, ...]
) -> Callable[[Query], NearestBoundary]:
    queries = ROUND_QUERIES if len(balance.friction) <= MANY_POINTS else ROUND_QUERIES // 2
    angles = bearings(balance, east, north)
    images = np.array([symmetry.plane for symmetry in same]).reshape(-1, 2, 2)
    return lambda query: nearest_boundary(query, MAX_PULL, angles, queries, images)


def top_piece(assembly: Assembly) -> tuple[Body, float]:
    """Returns the highest free piece and the height of its top, metres; of several the most central one, then
    by name."""
    free = assembly.free
    tops = np.array([corners_of(body)[:, 2].max() for body in free])
    spread = max(float(np.ptp(tops)), float(tops.max()), 1e-9)
    highest = [body for body, top in zip(free, tops, strict=True) if top >= tops.max() - SAME * spread]
    places = np.array([body.pose.position[:2] for body in highest])
    away = np.linalg.norm(places - places.mean(axis=0), axis=1)
    tie = away.min() + SAME * max(away.max(), 1e-9)
    central = [body for body, distance in zip(highest, away, strict=True) if distance <= tie]
    return min(central, key=lambda body: body.name), float(tops.max())


def horizontal(down: Array) -> tuple[Array, Array]:
    """Two unit vectors across gravity: the parts of +x and +y when gravity points down."""
    north = crossed(-down, np.array([1.0, 0.0, 0.0]))
    if np.linalg.norm(north) < 1e-6:
        north = np.array([0.0, 1.0, 0.0])
    north = north / np.linalg.norm(north)
    return crossed(north, -down), north


def bearings(balance: Balance, east: Array, north: Array) -> Array:
    """Angles, ascending in [0, 2 pi), across edges of contacts and along their normals: where pieces tip or slip."""
    points, patch = balance.contacts.points, balance.contacts.patch
    following = np.arange(1, len(points) + 1)
    ends = np.flatnonzero(np.append(patch[1:] != patch[:-1], True)) if len(points) else np.zeros(0, np.int64)
    following[ends] = np.append(0, ends[:-1] + 1)[: len(ends)]
    directions = np.concatenate([points[following] - points, balance.contacts.normals])
    flat = np.stack([directions @ east, directions @ north], axis=1)
    length = np.linalg.norm(directions, axis=1)
    # a nearly upright direction has no bearing
    flat = flat[np.linalg.norm(flat, axis=1) > 1e-3 * np.maximum(length, 1e-300)]
    quarters = np.add.outer(np.arctan2(flat[:, 1], flat[:, 0]), np.arange(4) * np.pi / 2).ravel() % (
        2 * np.pi
    )
    return np.asarray(quarters[np.unique(np.round(quarters, 7), return_index=True)[1]])


def speeds(balance: Balance, velocities: Array) -> Array:
    """Bound (n,) on the speed of the fastest point of each piece, from its bounding sphere."""
    motion = velocities.reshape(-1, 6)
    shift, spin = np.linalg.norm(motion[:, :3], axis=1), np.linalg.norm(motion[:, 3:], axis=1)
    return np.asarray(shift + balance.radii * spin)


def weakest(balance: Balance, velocities: Array) -> str | None:
    """Returns the piece that moves fastest; None when nothing moves."""
    fast = speeds(balance, velocities)
    if not fast.max(initial=0.0) > 0:
        return None
    return min(balance.names[at] for at in np.flatnonzero(fast >= (1 - SAME) * fast.max()))


def mode_of(balance: Balance, velocities: Array) -> Mode:
    """Returns whether a mechanism rocks somewhere or only slides (turning about the vertical is sliding)."""
    motion, fast = velocities.reshape(-1, 6), speeds(balance, velocities)
    tilting = np.linalg.norm(np.cross(motion[:, 3:], balance.down), axis=1)
    if (balance.radii * tilting).max() > ROTATES * fast.max():
        # what turns about the vertical rubs more here than there, and rises with it
        tilting[_stay_flat(balance, velocities)] = 0.0
    if (balance.radii * tilting).max() > ROTATES * fast.max():
        return "topple"
    # a tall column that tips as one turns slowly for its pieces' size, but about an axis within its own height
    first, moving = int(fast.argmax()), fast > SAME * fast.max()
    height = float(np.ptp((balance.centres @ balance.down)[moving])) if moving.any() else 0.0
    return "topple" if tilting[first] * height > WITHIN * np.linalg.norm(motion[first, :3]) else "slide"


def _stay_flat(balance: Balance, velocities: Array) -> Bools:
    """Returns which free pieces (n,) go on lying flat in a mechanism, on what is fixed or goes on lying flat.

    In it what rubs rises by friction times the way it slides, which is no lifting: so does a base that turns, where it
    is pressed, and is not level then. A piece lies flat as long as three points of one plane, not in a line, rise no
    faster than that.
    """
    moves = (balance.matrix.T @ velocities).reshape(-1, 3)
    away = moves[:, 0] - balance.friction * np.linalg.norm(moves[:, 1:], axis=1)
    count, greatest = len(balance.names), float(speeds(balance, velocities).max())
    ends = np.stack([balance.first, balance.second], axis=1) % (count + 1)
    _, pair = np.unique(ends @ (count + 1, 1), return_inverse=True)
    fastest = np.zeros(len(moves))
    np.maximum.at(fastest, pair, np.linalg.norm(moves, axis=1))
    touch = away <= np.maximum(TOUCHING * fastest[pair], STILL * greatest)
    flat = np.append(np.zeros(count, bool), True)
    grew = True
    while grew:
        grew = False
        asked = touch & (flat[ends[:, 0]] != flat[ends[:, 1]])
        owner = np.where(flat[ends[:, 0]], ends[:, 1], ends[:, 0])
        for body in np.unique(owner[asked]):
            mine = np.flatnonzero(asked & (owner == body))
            if any(
                _spans(balance.contacts.points[mine[facing]], SPANS * balance.radii[body] * balance.length)
                for facing in _by_plane(balance.contacts.normals[mine])
            ):
                flat[body] = grew = True
    return flat[:-1]


def _by_plane(normals: Array) -> list[Ints]:
    """Returns the rows of unit normals (k, 3) that are alike, whichever way they point."""
    alike = np.abs(normals @ normals.T) > 1.0 - SAME
    return [np.flatnonzero(alike[row]) for row in np.unique(alike.argmax(axis=1))]


def _spans(points: Array, width: float) -> bool:
    """Returns whether points (k, 3) are further than `width` metres from every line."""
    return bool(len(points) > 2 and np.linalg.svd(points - points.mean(axis=0), compute_uv=False)[1] > width)


def mechanism_of(balance: Balance, velocities: Array) -> Velocities:
    """Velocities by name, scaled to a fastest point of 1 m/s; empty when nothing moves."""
    top = float(speeds(balance, velocities).max(initial=0.0))
    if top <= 0:
        return {}
    motion = velocities.reshape(-1, 6) / top
    motion[:, 3:] /= balance.length
    rows = zip(balance.names, motion.tolist(), strict=True)
    return {name: ((a, b, c), (d, e, f)) for name, (a, b, c, d, e, f) in rows}
