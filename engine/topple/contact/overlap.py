"""How deep bodies stand inside each other, by their convex parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.spatial import ConvexHull

from engine.topple.contact.arrays import Array, Ints, touching
from engine.world import Body
from models.piece import Part

MAX_CROSSES = 4096
"""Pairs of edge directions tried per pair of parts; rounder parts are well served by their face normals
alone."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two bodies inside each other. depth: metres, the shortest way out."""

    first: str
    second: str
    depth: float


@dataclass(frozen=True, slots=True, eq=False)
class _ConvexPart:
    """A convex part as the separating axis test needs it; a sphere is a point with a radius."""

    vertices: Array
    axes: Array
    edges: Array
    radius: float


def overlaps_of(
    bodies: Sequence[Body], extent: tuple[Array, Array], first: Ints, second: Ints, gap: float
) -> tuple[Overlap, ...]:
    """Returns the overlaps deeper than `gap` (m) among the body pairs (first, second), deepest first.

    extent: lower and upper corners of the bodies' boxes. Depth is exact for boxes, spheres and hulls of few
    edges.
    """
    low, high = extent
    deep = touching(low[first], high[first], low[second], high[second], -2 * gap)
    found = []
    for i, j in zip(first[deep], second[deep], strict=True):
        depth = max(
            (
                _depth(bodies[i], a, bodies[j], b, gap)
                for a in bodies[i].piece.parts
                for b in bodies[j].piece.parts
            ),
            default=0.0,
        )
        if depth > gap:
            found.append(Overlap(bodies[i].name, bodies[j].name, depth))
    return tuple(sorted(found, key=lambda one: (-one.depth, one.first, one.second)))


def _depth(a: Body, part_a: Part, b: Body, part_b: Part, gap: float) -> float:
    """Returns the smallest penetration over the separating axes of two convex parts (Gottschalk, Lin & Manocha 1996),
    metres."""
    one, two = _placed(a, part_a), _placed(b, part_b)
    low = np.maximum(one.vertices.min(axis=0) - one.radius, two.vertices.min(axis=0) - two.radius)
    high = np.minimum(one.vertices.max(axis=0) + one.radius, two.vertices.max(axis=0) + two.radius)
    if np.any(high - low <= gap):
        return 0.0
    axes = np.concatenate([one.axes, two.axes])
    if one.radius or two.radius:
        axes = np.concatenate([axes, _centre_lines(one, two)])
    depth = _min_overlap(one, two, axes)
    if depth > gap and 0 < len(one.edges) * len(two.edges) <= MAX_CROSSES:
        crosses = np.cross(one.edges[:, None], two.edges[None]).reshape(-1, 3)
        length = np.linalg.norm(crosses, axis=1)
        crosses = crosses[length > 1e-6] / length[length > 1e-6, None]
        depth = min(depth, _min_overlap(one, two, crosses)) if len(crosses) else depth
    return depth


def _min_overlap(one: _ConvexPart, two: _ConvexPart, axes: Array) -> float:
    """Returns the smallest overlap of the two projections on the axes (n, 3)."""
    x, y = one.vertices @ axes.T, two.vertices @ axes.T
    right = x.max(axis=0) - y.min(axis=0)
    left = y.max(axis=0) - x.min(axis=0)
    return float(np.minimum(right, left).min() + one.radius + two.radius)


def _centre_lines(one: _ConvexPart, two: _ConvexPart) -> Array:
    """Axes from a sphere's centre to the other part's corners and, at right angles, to its edges."""
    ball, other = (one, two) if one.radius else (two, one)
    lines = other.vertices - ball.vertices[0]
    along = np.einsum("ik,jk->ij", lines, other.edges)
    feet = lines[:, None] - along[:, :, None] * other.edges[None]
    lines = np.concatenate([lines, feet.reshape(-1, 3)])
    length = np.linalg.norm(lines, axis=1)
    unit: Array = lines[length > 0] / length[length > 0, None]
    return unit


def _placed(body: Body, part: Part) -> _ConvexPart:
    solid = _solid(part)
    rotation = body.pose.matrix
    return _ConvexPart(
        body.pose.apply(solid.vertices), solid.axes @ rotation.T, solid.edges @ rotation.T, solid.radius
    )


@lru_cache(maxsize=4096)
def _solid(part: Part) -> _ConvexPart:
    """Face normals and edge directions of a part in the piece frame."""
    if part.kind == "sphere":
        none = np.zeros((0, 3))
        return _ConvexPart(part.centre[None], none, none, float(part.radius or 0.0))
    if part.kind == "box":
        axes = part.rotation.T
        return _ConvexPart(part.vertices, axes, axes, 0.0)
    hull = ConvexHull(part.vertices)
    normals = _distinct(hull.equations[:, :3])
    triangles = part.vertices[hull.simplices]
    edges = (np.roll(triangles, 1, axis=1) - triangles).reshape(-1, 3)
    neighbours = np.roll(hull.neighbors, -1, axis=1).reshape(-1)
    own = np.repeat(hull.equations[:, :3], 3, axis=0)
    # an edge inside a flat face is the triangulation's, not the solid's
    real = np.einsum("ij,ij->i", own, hull.equations[neighbours, :3]) < 1 - 1e-9
    edges = edges[real] if real.any() else edges
    return _ConvexPart(part.vertices, normals, _distinct(edges / np.linalg.norm(edges, axis=1)[:, None]), 0.0)


def _distinct(axes: Array) -> Array:
    """Axes (n, 3) without repeats, a direction and its opposite being one."""
    signed = (
        axes
        * np.where(axes[np.arange(len(axes)), np.argmax(np.abs(axes) > 1e-9, axis=1)] < 0, -1.0, 1.0)[:, None]
    )
    index = np.unique(np.round(signed, 7), axis=0, return_index=True)[1]
    unique: Array = signed[np.sort(index)]
    return unique
