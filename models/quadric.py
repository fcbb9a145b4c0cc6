"""Where a curved surface that is drawn with facets is lowest: on the quadric through its corners.

A quadric has spheres, ellipsoids, cylinders and cones exactly; of other smooth surfaces it is near enough where it is
fitted to what lies close by.
"""

from typing import NamedTuple

import numpy as np

from teeter.models.piece import Array

FITS = 1e-4
"""Of the size of what it is fitted to: what its corners may be off."""
CONES = np.cos(np.radians([25.0, 12.0, 6.0, 3.0]))
"""Around the direction down, of the normals of facets to which it is fitted: the widest in which it fits."""
TIMES = 3
"""That it is fitted, each time about where the last one is lowest."""
FEWEST = 10
"""Corners, of as many unknowns less one."""
STEPS = 50
CLOSE = np.cos(np.radians(15.0))
"""Between the lowest facet and the lowest point: coarse facets are as far from each other."""
BENDS = 1e-4
"""Of a unit matrix: less may be from fitting, as of a ball that rolls either way."""
LOOSE = 1e-5
"""Of the stiffest way: less comes from fitting, and nothing goes along it."""
FREE = 1e-3
"""Of a unit matrix: by less it does not rise that way."""
WEAK = 1e-3
"""What the middles of edges and the directions of facets count for beside corners: two circles lie on many quadrics, of
which the cylinder has the edges."""


class Lowest(NamedTuple):
    """point: (3,) metres from the centre of mass. free: (3,) unit, the way it may roll without rising."""

    point: Array
    free: Array | None


def lowest_point(rings: list[Array], normals: Array, down: Array) -> Lowest | None:
    """Returns where a surface touches a level table at rest, from the centre of mass, which is at the
    origin; None where it has none near `down` (3,). rings: of its facets, metres. normals: (n, 3)."""
    for _ in range(TIMES):
        found = _lowest(rings, normals, down)
        if found is None:
            return None
        down = found.point / np.linalg.norm(found.point)
    return found


def _lowest(rings: list[Array], normals: Array, down: Array) -> Lowest | None:
    for cone in CONES:
        near = np.flatnonzero(normals @ down >= cone)
        if not len(near):
            return None
        corners = np.unique(np.concatenate([rings[at] for at in near]), axis=0)
        if len(corners) < FEWEST:
            return None
        size = float(np.ptp(corners, axis=0).max())
        middles = np.array([rings[at].mean(axis=0) for at in near])
        edges = np.concatenate([(rings[at] + np.roll(rings[at], 1, axis=0)) / 2 for at in near])
        matrix, vector, constant = _fitted(corners / size, edges / size, middles / size, normals[near])
        slope = 2 * (corners / size @ matrix + vector)
        off = np.einsum("ij,ij->i", corners / size, slope / 2 + vector) + constant
        # a quadric has no slope at the tip of a cone
        if (np.abs(off) <= FITS * np.linalg.norm(slope, axis=1) + FITS**2).all():
            height = float((corners @ down).max())
            found = _foot(matrix, vector, constant, height / size * down)
            if found is None or found.point @ down < CLOSE * np.linalg.norm(found.point):
                return None
            return Lowest(size * found.point, found.free)
    return None


def _fitted(corners: Array, edges: Array, middles: Array, normals: Array) -> tuple[Array, Array, float]:
    """The quadric x A x + 2 b x + k = 0 through corners, and nearly through the middles of edges and with gradients
    along the normals at the middles of facets."""
    base = corners.mean(axis=0)
    x, y, z = (middles - base).T
    none, one = np.zeros(len(x)), np.ones(len(x))
    gradient = np.array(
        [
            [x, none, none, none, z, y, one, none, none, none],
            [none, y, none, z, none, x, none, one, none, none],
            [none, none, z, y, x, none, none, none, one, none],
        ]
    )
    across = np.cross(gradient.transpose(2, 1, 0), normals[:, None, :]).transpose(0, 2, 1).reshape(-1, 10)
    rows = np.concatenate([_terms(corners - base), WEAK * _terms(edges - base), WEAK * across])
    a, b, c, d, e, f, *linear, constant = np.linalg.svd(rows, full_matrices=False)[2][-1].tolist()
    matrix, vector = np.array([[a, f, e], [f, b, d], [e, d, c]]), np.array(linear)
    return matrix, vector - matrix @ base, float(base @ matrix @ base - 2 * vector @ base + constant)


def _terms(points: Array) -> Array:
    """What each coefficient of a quadric is multiplied by, (n, 10)."""
    x, y, z = points.T
    ones = np.ones(len(x))
    return np.column_stack([x * x, y * y, z * z, 2 * y * z, 2 * x * z, 2 * x * y, 2 * x, 2 * y, 2 * z, ones])


def _foot(matrix: Array, vector: Array, constant: float, start: Array) -> Lowest | None:
    """The point of a quadric near `start` whose normal goes through the origin, if the origin rises however the quadric
    rolls from there: y = m (A y + b), and 1 - m A positive across the normal. By Newton's method."""
    y = start
    slope = matrix @ y + vector
    m = float(y @ slope) / float(slope @ slope)
    for _ in range(STEPS):
        slope = matrix @ y + vector
        miss = np.append(y - m * slope, y @ slope + vector @ y + constant)
        rows = np.block([[np.eye(3) - m * matrix, -slope[:, None]], [2 * slope[None], np.zeros((1, 1))]])
        # a ball about its middle is at rest everywhere, but for the fit: the least step
        step = np.linalg.lstsq(rows, -miss, rcond=LOOSE)[0]
        y, m = y + step[:3], m + float(step[3])
        if np.abs(step).max() < 1e-12:
            break
    slope = matrix @ y + vector
    across = np.linalg.svd(slope[None])[2][1:]
    bends, ways = np.linalg.eigh(across @ (np.eye(3) - m * matrix) @ across.T)
    if np.abs(step).max() >= 1e-9 or bends[0] <= -BENDS:
        return None
    return Lowest(y, ways[:, 0] @ across if bends[0] < FREE else None)
