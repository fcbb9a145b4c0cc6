"""Margins: how far the table can tilt, and how hard the top can be pushed, before a mechanism starts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.topple.balance.equilibrium import MAX_PULL, Balance, SupportFunction, wrenches_at
from engine.topple.balance.support_function import ROUND_QUERIES, NearestBoundary, nearest_boundary
from engine.topple.contact.arrays import Array
from engine.topple.contact.features import corners_of
from engine.world import Assembly, Body

SAME = 1e-4
"""Pieces whose speeds, heights or distances agree to this part move, stand or lie alike: the first by name is
taken."""
MANY_POINTS = 300
"""Contact points beyond which a query takes so long that half the queries must do."""
ROTATES = 0.1
"""A mechanism in which rocking gives more than this part of the greatest speed topples; else it slides."""

Velocities = dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]]
Mode = Literal["topple", "slide"]


@dataclass(frozen=True, slots=True)
class TiltMargin:
    """degrees: the smallest tilt at which equilibrium is lost, at most 90. direction: degrees, the downhill side,
    counter-clockwise from +x. weakest: the piece that moves fastest in the mechanism. mechanism: velocities (m/s of the
    centre of mass, rad/s) of all free pieces, scaled so that the fastest point moves at 1 m/s.
    """

    degrees: float
    direction: float
    weakest: str | None
    mechanism: Velocities


@dataclass(frozen=True, slots=True)
class PushMargin:
    """newtons: the smallest horizontal force that moves something, None when no force does. piece: where it
    acts, at its top centre. mode: what then happens."""

    newtons: float | None
    piece: str
    mode: Mode | None


def tilt_of(balance: Balance) -> TiltMargin:
    """Returns the tilt margin of pieces that stand. Raises StaticsError when the solver gives up.

    A table tilted by theta towards d pulls the pieces like gravity (tan(theta) d, -1), up to its size, which
    no contact law here notices. The loads h = tan(theta) d that can be carried form a convex set; the margin
    is the distance to its boundary.
    """
    east, north = horizontal(balance.down)
    loads = np.stack([balance.load(east), balance.load(north)], axis=1)
    found = _nearest(balance, loads, east, north)
    direction = math.degrees(math.atan2(found.direction[1], found.direction[0])) % 360.0
    if found.lower >= MAX_PULL / 2:
        return TiltMargin(90.0, 0.0, None, {})
    return TiltMargin(
        degrees=math.degrees(math.atan(found.distance)),
        direction=direction,
        weakest=weakest(balance, found.velocities),
        mechanism=mechanism_of(balance, found.velocities),
    )


def push_of(balance: Balance, assembly: Assembly) -> PushMargin:
    """Returns the push margin of pieces that stand: the same distance, for forces at the top of the highest piece."""
    body, height = top_piece(assembly)
    index = balance.names.index(body.name)
    point = np.array([body.pose.position[0], body.pose.position[1], height]) / balance.length
    east, north = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    loads = np.zeros((len(balance.names), 6, 2))
    loads[index] = wrenches_at(point, balance.centres[index], np.stack([east, north])).T
    unit = float(balance.weights[index])
    found = _nearest(balance, unit * loads.reshape(-1, 2), east, north)
    if found.lower >= MAX_PULL / 2:
        return PushMargin(None, body.name, None)
    return PushMargin(
        newtons=found.distance * unit * balance.force,
        piece=body.name,
        mode=mode_of(balance, found.velocities),
    )


def _nearest(balance: Balance, loads: Array, east: Array, north: Array) -> NearestBoundary:
    round_queries = ROUND_QUERIES if len(balance.friction) <= MANY_POINTS else ROUND_QUERIES // 2
    return nearest_boundary(
        SupportFunction(balance, loads), MAX_PULL, bearings(balance, east, north), round_queries
    )


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
    north = np.cross(-down, [1.0, 0.0, 0.0])
    if np.linalg.norm(north) < 1e-6:
        north = np.array([0.0, 1.0, 0.0])
    north = north / np.linalg.norm(north)
    return np.cross(north, -down), north


def bearings(balance: Balance, east: Array, north: Array) -> Array:
    """Angles, ascending in [0, 2 pi), across the edges of contacts and along their normals: where pieces tip
    or slip."""
    points, patch = balance.contacts.points, balance.contacts.patch
    following = np.arange(1, len(points) + 1)
    ends = np.flatnonzero(np.append(patch[1:] != patch[:-1], True)) if len(points) else np.zeros(0, np.int64)
    following[ends] = np.append(0, ends[:-1] + 1)[: len(ends)]
    directions = np.concatenate([points[following] - points, balance.contacts.normals])
    flat = np.stack([directions @ east, directions @ north], axis=1)
    length = np.linalg.norm(directions, axis=1)
    # a nearly upright direction has no bearing
    flat = flat[np.linalg.norm(flat, axis=1) > 1e-3 * np.maximum(length, 1e-300)]
    angle = np.arctan2(flat[:, 1], flat[:, 0])
    quarters = (angle[:, None] + np.arange(4) * np.pi / 2).reshape(-1) % (2 * np.pi)
    keep = np.unique(np.round(quarters, 7), return_index=True)[1]
    result: Array = quarters[keep]
    return result


def speeds(balance: Balance, velocities: Array) -> Array:
    """Bound (n,) on the speed of the fastest point of each piece, from its bounding sphere."""
    motion = velocities.reshape(-1, 6)
    total: Array = np.linalg.norm(motion[:, :3], axis=1) + balance.radii * np.linalg.norm(
        motion[:, 3:], axis=1
    )
    return total


def weakest(balance: Balance, velocities: Array) -> str | None:
    """Returns the piece that moves fastest; None when nothing moves."""
    fast = speeds(balance, velocities)
    if not len(fast) or not fast.max() > 0:
        return None
    return min(
        name for name, speed in zip(balance.names, fast, strict=True) if speed >= (1 - SAME) * fast.max()
    )


def mode_of(balance: Balance, velocities: Array) -> Mode:
    """Returns whether a mechanism rocks somewhere or only slides (turning about the vertical is sliding)."""
    tilting = velocities.reshape(-1, 6)[:, 3:] - np.outer(
        velocities.reshape(-1, 6)[:, 3:] @ balance.down, balance.down
    )
    rocking = balance.radii * np.linalg.norm(tilting, axis=1)
    return "topple" if rocking.max() > ROTATES * speeds(balance, velocities).max() else "slide"


def mechanism_of(balance: Balance, velocities: Array) -> Velocities:
    """Velocities by name, scaled to a fastest point of 1 m/s; empty when nothing moves."""
    top = float(speeds(balance, velocities).max(initial=0.0))
    if top <= 0:
        return {}
    motion = velocities.reshape(-1, 6) / top
    motion[:, 3:] /= balance.length
    return {
        name: ((float(row[0]), float(row[1]), float(row[2])), (float(row[3]), float(row[4]), float(row[5])))
        for name, row in zip(balance.names, motion, strict=True)
    }
