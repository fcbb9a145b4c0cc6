"""Limit analysis of dry blocks from the textbook, on its own: imports nothing of teeter.

Equilibrium of rigid blocks under contact forces within Coulomb's cone (Livesley 1978), as a second-order cone program
that Clarabel solves. Contacts are found here too: corners, edges and faces of one convex solid that lie in a face of
another. Millimetres, grams, newtons of a gravity of 1 per gram.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

import clarabel
import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.sparse import csc_matrix
from scipy.spatial import ConvexHull

Array = NDArray[np.float64]
NEAR = 1e-5
"""Millimetres: closer than this is touching."""
SAME = 1e-7
"""Of normals."""
TABLE_FRICTION = 0.45
MOST = 100.0
"""Times a load: nothing more is looked for."""
ARM = 30.0
"""Millimetres, in which torques are measured."""


@dataclass(frozen=True, eq=False)
class Block:
    """A piece: convex solids by their corners (n, 3) in the world. mass: g; None for an even fill of 1 g/cm3.

    pulls: (place, force) in mm and in weights of a gram."""

    name: str
    solids: tuple[Array, ...]
    friction: float
    fixed: bool = False
    mass: float | None = None
    pulls: tuple[tuple[tuple[float, float, float], tuple[float, float, float]], ...] = ()
    spec: dict[str, Any] = field(default_factory=dict)

    @property
    def fill(self) -> tuple[float, Array]:
        """Volume in mm3 and centroid."""
        volume, moment = 0.0, np.zeros(3)
        for corners in self.solids:
            hull, middle = ConvexHull(corners), corners.mean(axis=0)
            for triangle in corners[hull.simplices]:
                part = abs(float(np.linalg.det(triangle - middle))) / 6
                volume, moment = volume + part, moment + part * (triangle.sum(axis=0) + middle) / 4
        return volume, moment / volume

    @property
    def weight(self) -> float:
        """In grams."""
        return self.mass if self.mass is not None else self.fill[0] * 1e-3


def box(low: Sequence[float], high: Sequence[float]) -> Array:
    """The corners of a box."""
    return np.array(
        [[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    )


def _faces(corners: Array) -> list[tuple[Array, float]]:
    """Normals and offsets, each once."""
    found: list[tuple[Array, float]] = []
    for *normal, offset in ConvexHull(corners).equations.tolist():
        if not any(np.abs(np.array(normal) - other).max() < SAME for other, _ in found):
            found.append((np.array(normal), -offset))
    return found


def _flat(points: Array, normal: Array) -> tuple[Array, Array]:
    """Two axes in a plane, and points (n, 3) along them."""
    axis = np.eye(3)[int(np.abs(normal).argmin())]
    one = np.cross(normal, axis)
    one = one / np.linalg.norm(one)
    axes = np.stack([one, np.cross(normal, one)])
    return axes, points @ axes.T


def _touching(upper: Array, lower: Array, *, whole: bool) -> Iterator[tuple[Array, Array]]:
    """Yields places and normals (towards `upper`) where corners of one solid lie in faces of the other, from both
    sides. whole: only where they share an area: solids that are parts of a piece meet others beside it in lines."""
    for mine, other, sign in ((upper, lower, 1.0), (lower, upper, -1.0)):
        for normal, offset in _faces(other):
            away = mine @ normal - offset
            if abs(away.min()) > NEAR:
                continue
            axes, flat = _flat(mine[away < away.min() + NEAR], normal)
            face = other[np.abs(other @ normal - offset) < NEAR] @ axes.T
            outline = shapely.MultiPoint(face).convex_hull.buffer(1e-7)
            shared = shapely.MultiPoint(flat).convex_hull.intersection(outline)
            if not whole or shared.area > NEAR:
                for place in np.unique(np.round(shapely.get_coordinates(shared), 5), axis=0):
                    yield place @ axes + normal * offset, sign * normal


def _apart(one: Array, other: Array) -> bool:
    gaps = np.maximum(one.min(axis=0) - other.max(axis=0), other.min(axis=0) - one.max(axis=0))
    return bool(gaps.max() > NEAR)


@dataclass(frozen=True, eq=False)
class Program:
    """Equilibrium as matrices: rows of wrenches (6 n,), torques over `ARM`; columns of forces (3 k,). is_level: all
    contacts are, so that nothing can be wedged."""

    matrix: Array
    weights: Array
    friction: Array
    centres: Array
    grams: Array
    is_level: bool

    def tilted(self, bearing: float) -> Array:
        """The wrench of a unit of level gravity."""
        pull = np.zeros((len(self.grams), 6))
        pull[:, :2] = self.grams[:, None] * [math.cos(bearing), math.sin(bearing)]
        return pull.ravel()

    def most(self, load: Array) -> float | None:
        """How many times a load can be added; None where what acts is not balanced at any multiple from 0 to `MOST`."""
        rows, count = self.matrix.shape
        # unknowns: forces, then the multiple
        size = float(self.grams.mean())
        equal = np.hstack([self.matrix, load[:, None] / size])
        cones: list[Any] = [clarabel.ZeroConeT(rows)]
        blocks, right = [equal], [-self.weights / size]
        for at, friction in enumerate(self.friction):
            rough = np.zeros((3, count + 1))
            rough[0, 3 * at], rough[1, 3 * at + 1], rough[2, 3 * at + 2] = -friction, -1.0, -1.0
            blocks.append(rough)
            right.append(np.zeros(3))
            cones.append(clarabel.SecondOrderConeT(3))
        ends = np.zeros((2, count + 1))
        ends[0, -1], ends[1, -1] = 1.0, -1.0
        blocks.append(ends)
        right.append(np.array([MOST, 0.0]))
        cones.append(clarabel.NonnegativeConeT(2))
        goal = np.zeros(count + 1)
        goal[-1] = -1.0
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        answer = clarabel.DefaultSolver(
            csc_matrix((count + 1, count + 1)),
            goal,
            csc_matrix(np.vstack(blocks)),
            np.concatenate(right),
            cones,
            settings,
        ).solve()
        return float(answer.x[-1]) if str(answer.status) in ("Solved", "AlmostSolved") else None


def program(blocks: Sequence[Block], acceleration: tuple[float, float] = (0.0, 0.0)) -> Program:
    """The program of blocks on a table, top at z = 0. acceleration: that they feel, in g."""
    ground = Block("table", (box((-1e4, -1e4, -20), (1e4, 1e4, 0)),), TABLE_FRICTION, fixed=True)
    everyone = [ground, *blocks]
    free = {block.name: number for number, block in enumerate(block for block in blocks if not block.fixed)}
    moving = [block for block in blocks if not block.fixed]
    grams = np.array([block.weight for block in moving])
    centres = np.array([block.fill[1] for block in moving])
    columns: list[Array] = []
    friction: list[float] = []
    normals: list[Array] = []
    for upper, lower in combinations(everyone, 2):
        if upper.fixed and lower.fixed:
            continue
        whole = max(len(upper.solids), len(lower.solids)) > 1
        for one, other in product(upper.solids, lower.solids):
            for place, normal in () if _apart(one, other) else _touching(one, other, whole=whole):
                axes = np.vstack([normal, _flat(np.zeros((1, 3)), normal)[0]])
                column = np.zeros((3, len(moving), 6))
                for block, sign in ((upper, 1.0), (lower, -1.0)):
                    if not block.fixed:
                        number = free[block.name]
                        column[:, number, :3] = sign * axes
                        column[:, number, 3:] = sign * np.cross(place - centres[number], axes) / ARM
                columns.append(column.reshape(3, -1))
                friction.append(math.sqrt(upper.friction * lower.friction))
                normals.append(normal)
    acting = np.zeros((len(moving), 6))
    acting[:, :3] = grams[:, None] * [*acceleration, -1.0]
    for number, block in enumerate(moving):
        for at, pull in block.pulls:
            acting[number, :3] += pull
            acting[number, 3:] += np.cross(np.array(at) - centres[number], pull) / ARM
    matrix = np.vstack(columns).T if columns else np.zeros((6 * len(moving), 0))
    is_level = bool((np.abs(np.array(normals).reshape(-1, 3)[:, 2]) > 1 - SAME).all())
    return Program(matrix, acting.ravel(), np.array(friction), centres, grams, is_level)
