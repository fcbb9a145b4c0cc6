"""Convex parts: what the dynamics collides with."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from models.piece import Array, Part

# A hull whose corners are this near (as part of its diagonal) to those of a cuboid is one.
CUBOID_FIT = 5e-5
# Simulators slow down with the corners of a hull; beyond this number the outermost in even directions are
# kept.
MAX_CORNERS = 256

SIGNS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


def box_part(centre: Array, half_extents: Array, rotation: Array | None = None) -> Part:
    """An exact box: centre (3,) and half extents (3,) in metres, rotation (3, 3)."""
    turn = np.eye(3) if rotation is None else rotation
    return Part("box", centre, turn, centre + (SIGNS * half_extents) @ turn.T, half_extents=half_extents)


def sphere_part(centre: Array, radius: float) -> Part:
    """An exact ball: centre (3,) and radius in metres."""
    return Part("sphere", centre, np.eye(3), np.empty((0, 3)), radius=radius)


def hull_part(vertices: Array) -> Part:
    """The convex hull of points (n, 3) in metres; an exact box when it is a cuboid."""
    hull = ConvexHull(vertices)
    corners = vertices[hull.vertices]
    box = _as_box(corners, hull.equations[:, :3])
    if box is not None:
        return box
    if len(corners) > MAX_CORNERS:
        outermost = np.argmax(even_directions(MAX_CORNERS) @ (corners - corners.mean(axis=0)).T, axis=1)
        corners = corners[np.unique(outermost)]
    return Part("hull", corners.mean(axis=0), np.eye(3), corners)


def even_directions(count: int) -> Array:
    """(count, 3) unit vectors spread evenly: the six axes, then a Fibonacci spiral (Gonzalez 2010)."""
    axes = np.concatenate([np.eye(3), -np.eye(3)])
    k = np.arange(count - 6) + 0.5
    z = 1 - 2 * k / (count - 6)
    angle = k * np.pi * (3 - np.sqrt(5))
    spiral = np.stack([np.sqrt(1 - z * z) * np.cos(angle), np.sqrt(1 - z * z) * np.sin(angle), z], axis=1)
    return np.concatenate([axes, spiral])


def hull_volume(vertices: Array) -> float:
    """Volume of the convex hull of points (n, 3), cubic metres; 0 when they lie in a plane."""
    try:
        return float(ConvexHull(vertices).volume)
    except QhullError:
        return 0.0


def part_volume(part: Part) -> float:
    """Volume of a part in cubic metres."""
    if part.kind == "sphere" and part.radius is not None:
        return 4 / 3 * float(np.pi) * part.radius**3
    if part.half_extents is not None:
        return 8 * float(np.prod(part.half_extents))
    return hull_volume(part.vertices)


def merge_cells(cells: Iterable[tuple[int, int, int]]) -> list[tuple[Array, Array]]:
    """Unit cells joined into few cuboids: pairs of lowest cell and cell counts along x, y, z, each (3,).

    Greedy: every cuboid starts at the first free cell and grows along one axis after the other; the order of
    the axes that needs the fewest cuboids is taken.
    """
    every = sorted(cells)
    orders = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    return min((_grow(every, order) for order in orders), key=len)


def _grow(cells: list[tuple[int, int, int]], order: tuple[int, int, int]) -> list[tuple[Array, Array]]:
    free = set(cells)
    cuboids = []
    for cell in cells:
        if cell not in free:
            continue
        low, size = np.array(cell), np.ones(3, dtype=int)
        for axis in order:
            while _block(low, size, axis) <= free:
                size[axis] += 1
        free -= {tuple((low + step).tolist()) for step in np.ndindex(*size)}
        cuboids.append((low.astype(float), size.astype(float)))
    return cuboids


def _block(low: Array, size: Array, axis: int) -> set[tuple[int, int, int]]:
    """The layer of cells by which a cuboid would grow along an axis."""
    layer, start = size.copy(), low.copy()
    start[axis] += size[axis]
    layer[axis] = 1
    return {tuple((start + step).tolist()) for step in np.ndindex(*layer.tolist())}


def _as_box(corners: Array, normals: Array) -> Part | None:
    """The box whose eight corners these are, or None. normals: (f, 3) unit, of the hull's faces."""
    if len(corners) != 8:
        return None
    first = normals[0]
    across = normals - np.outer(normals @ first, first)
    second = across[np.argmax(np.linalg.norm(across, axis=1))]
    second = second / np.linalg.norm(second)
    turn = _nearest_axes(np.stack([first, second, np.cross(first, second)], axis=1))
    low, high = (corners @ turn).min(axis=0), (corners @ turn).max(axis=0)
    box = box_part(turn @ (low + high) / 2, (high - low) / 2, turn)
    gaps = np.linalg.norm(box.vertices[:, None] - corners, axis=2).min(axis=1)
    return box if gaps.max() <= CUBOID_FIT * float(np.linalg.norm(high - low)) else None


def _nearest_axes(turn: Array) -> Array:
    """The same three directions, ordered and signed to lie nearest to x, y and z; right-handed."""
    columns: list[Array] = []
    left = list(turn.T)
    for axis in range(3):
        best = max(range(len(left)), key=lambda k: abs(left[k][axis]))
        column = left.pop(best)
        columns.append(np.copysign(1.0, column[axis]) * column)
    if np.linalg.det(np.stack(columns)) < 0:
        columns[2] = -columns[2]
    turned: Array = np.stack(columns, axis=1)
    # an axis-aligned box is exactly so
    return np.eye(3) if np.abs(turned - np.eye(3)).max() < 1e-9 else turned
