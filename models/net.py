"""Triangle meshes as half-edges, and which triangles lie in one plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from models.piece import Array

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

# Coplanar means: all corners within this part of the mesh's diagonal of the plane (60 mm: about 1 um) ...
PLANE_DISTANCE = 2e-5
# ... and normals within this angle, plus what rounding can do to a needle of a triangle.
PLANE_ANGLE = np.radians(0.05)


@dataclass(frozen=True, slots=True, eq=False)
class Net:
    """Half-edges of a closed triangle mesh: half-edge 3 f + k leads from corner k of face f to the next
    corner.

    twin: (3 f,) the half-edge along the same edge the other way. normals: (f, 3) unit. areas: (f,) m^2.
    """

    vertices: Array
    faces: Ints
    twin: Ints
    normals: Array
    areas: Array

    @property
    def ends(self) -> Ints:
        """(3 f, 2) the corners each half-edge leads from and to."""
        pairs: Ints = self.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        return pairs


def net_of(vertices: Array, faces: Ints) -> Net:
    """The half-edges of a closed, consistently wound mesh. Raises ValueError when it is not one."""
    ends = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    there = ends[:, 0] * len(vertices) + ends[:, 1]
    back = ends[:, 1] * len(vertices) + ends[:, 0]
    order, reverse = np.argsort(there), np.argsort(back)
    if not np.array_equal(there[order], back[reverse]) or np.any(np.diff(there[order]) == 0):
        raise ValueError("every edge must belong to exactly two faces, wound the same way")
    twin = np.empty_like(order)
    twin[order] = reverse
    corners = vertices[faces]
    doubled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(doubled, axis=1)
    normals = doubled / np.maximum(size, np.finfo(float).tiny)[:, None]
    return Net(vertices, faces, twin, normals, size / 2)


def merge_coplanar(net: Net, rounding: float = 0.0) -> Ints:
    """(f,) the facet number of each triangle, numbered from 0; neighbours in one plane share a number."""
    count = len(net.faces)
    diagonal = float(np.linalg.norm(np.ptp(net.vertices, axis=0)))
    longest = np.linalg.norm(np.diff(net.vertices[net.ends], axis=1)[:, 0], axis=1).reshape(-1, 3).max(axis=1)
    height = 2 * net.areas / longest
    # rounding moves a corner off the plane: the lower the triangle, the more its normal turns
    doubt = np.minimum((rounding + 1e-12 * diagonal) / np.maximum(height, 1e-300), np.pi)
    face = np.arange(3 * count) // 3
    other = face[net.twin]
    turn = angles_between(net.normals[face], net.normals[other])
    is_flat = turn <= PLANE_ANGLE + doubt[face] + doubt[other]
    links = coo_matrix((np.ones(is_flat.sum()), (face[is_flat], other[is_flat])), shape=(count, count))
    label = connected_components(links, directed=False)[1].astype(np.int64)
    return _split_drifting(net, label, is_flat, doubt, PLANE_DISTANCE * diagonal + rounding)


def _split_drifting(net: Net, label: Ints, is_flat: Flags, doubt: Array, distance: float) -> Ints:
    """Grow facets anew from the largest triangle where a chain of small turns has left the plane."""
    largest = np.argsort(-net.areas, kind="stable")
    seed = np.empty(label.max() + 1, dtype=np.int64)
    seed[label[largest[::-1]]] = largest[::-1]
    fits = _lies_in(net, np.arange(len(label)), seed[label], doubt, distance)
    drifting = np.isin(label, label[~fits])
    if not drifting.any():
        return label
    label = label.copy()
    label[drifting] = -1
    next_label = int(label.max()) + 1
    for start in largest[drifting[largest]]:
        if label[start] >= 0:
            continue
        label[start] = next_label
        front = [int(start)]
        while front:
            halves = 3 * front.pop() + np.arange(3)
            beside = net.twin[halves[is_flat[halves]]] // 3
            beside = np.unique(beside[label[beside] < 0])
            inside = beside[_lies_in(net, beside, np.full(len(beside), start), doubt, distance)]
            label[inside] = next_label
            front.extend(inside.tolist())
        next_label += 1
    numbers: Ints = np.unique(label, return_inverse=True)[1].astype(np.int64)
    return numbers


def _lies_in(net: Net, faces: Ints, seeds: Ints, doubt: Array, distance: float) -> Flags:
    """Whether each face lies in the plane of its seed face."""
    normal = net.normals[seeds]
    offset = np.einsum(
        "fkd,fd->fk", net.vertices[net.faces[faces]] - net.vertices[net.faces[seeds, :1]], normal
    )
    near: Flags = np.abs(offset).max(axis=1, initial=0.0) <= distance
    alike: Flags = angles_between(net.normals[faces], normal) <= PLANE_ANGLE + doubt[faces] + doubt[seeds]
    return near & alike


def angles_between(a: Array, b: Array) -> Array:
    """Angles between rows of unit vectors, exact for tiny ones."""
    angles: Array = 2 * np.arctan2(np.linalg.norm(a - b, axis=1), np.linalg.norm(a + b, axis=1))
    return angles
