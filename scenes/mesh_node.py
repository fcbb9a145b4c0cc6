"""A mesh as a file holds it, and the solids it falls into: what all mesh formats have in common."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

SINGLE_PRECISION = 2.0**-23
"""Relative error of coordinates stored with 24 bits, as most files do."""
FOLD = 1e-5
"""Radians. Two faces closer than this lie on each other; there is no solid between them."""


@dataclass(frozen=True, slots=True, eq=False)
class MeshNode:
    """A mesh somewhere in a file.

    name: as the file has it, perhaps empty. key: the same for nodes that share one mesh. vertices, faces:
    (n, 3) in the file's unit and axes, (f, 3). matrix: (4, 4), from the mesh to the file's world. fixed: the
    file says that it is a support. unit: metres, where the file itself names its unit.
    """

    name: str
    key: Hashable
    vertices: Array
    faces: Ints
    matrix: Array
    fixed: bool = False
    unit: float | None = None


def solids_of(vertices: Array, faces: Ints) -> list[tuple[Array, Ints]]:
    """The closed solids in a mesh, in the order of their first faces; the mesh itself if it is not so simple.

    Solids that touch may share corners and edges: faces belong together when a solid lies between them. A
    skin that is inside out beside others is a cavity, and the mesh stays whole.
    """
    joined, corners = _joined(vertices, faces)
    skin = _skins(joined, corners)
    if skin is None or skin.max(initial=0) == 0:
        return [(vertices, faces)]
    origin = joined.mean(axis=0)
    sides = joined[corners] - origin
    volumes = np.bincount(skin, np.einsum("fd,fd->f", sides[:, 0], np.cross(sides[:, 1], sides[:, 2])))
    if not (np.all(volumes > 0) or np.all(volumes < 0)):
        return [(vertices, faces)]
    result = []
    for index in range(len(volumes)):
        used, own = np.unique(corners[skin == index], return_inverse=True)
        result.append((joined[used], own.reshape(-1, 3).astype(np.int64)))
    return result


def _joined(vertices: Array, faces: Ints) -> tuple[Array, Ints]:
    """Corners at the same place made one; faces that vanish by it are left out."""
    grain = 4 * SINGLE_PRECISION * max(float(np.abs(vertices).max(initial=0.0)), np.finfo(float).tiny)
    rounded = np.round(vertices / grain)
    _, first, index = np.unique(rounded, axis=0, return_index=True, return_inverse=True)
    corners = index.reshape(-1)[faces]
    corners = corners[(corners != np.roll(corners, 1, axis=1)).all(axis=1)]
    return vertices[first], corners.astype(np.int64)


def _skins(vertices: Array, faces: Ints) -> Ints | None:
    """Which closed skin each face belongs to, numbered by first face; None when some edge has no partner."""
    if len(faces) == 0:
        return None
    start, stop = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    face = np.repeat(np.arange(len(faces)), 3)
    by_edge: dict[tuple[int, int], list[int]] = {}
    for a, b, owner in zip(start.tolist(), stop.tolist(), face.tolist(), strict=True):
        by_edge.setdefault((a, b), []).append(owner)
    pairs: list[tuple[int, int]] = []
    for (a, b), owners in by_edge.items():
        partners = by_edge.get((b, a), [])
        if len(partners) != len(owners):
            return None
        if len(owners) == 1:
            pairs.append((owners[0], partners[0]))
        elif a < b:
            pairs += [(owner, _across(vertices, faces, (a, b), owner, partners)) for owner in owners]
    links = np.array(pairs)
    graph = coo_matrix((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(len(faces), len(faces)))
    label = connected_components(graph, directed=False)[1]
    _, order = np.unique(label, return_index=True)
    rank = np.argsort(np.argsort(order))
    result: Ints = rank[label].astype(np.int64)
    return result


def _across(vertices: Array, faces: Ints, edge: tuple[int, int], face: int, partners: list[int]) -> int:
    """The face that bounds the same solid at an edge: the first met, turning from `face` into the solid."""
    along = vertices[edge[1]] - vertices[edge[0]]
    along /= np.linalg.norm(along)
    normal, inward = _frame(vertices[faces[face]], along)
    angles = []
    for partner in partners:
        away = _frame(vertices[faces[partner]], -along)[1]
        angle = float(np.arctan2(-away @ normal, away @ inward)) % (2 * np.pi)
        angles.append(angle if angle > FOLD else 2 * np.pi)
    return partners[int(np.argmin(angles))]


def _frame(corners: Array, along: Array) -> tuple[Array, Array]:
    """The unit normal of a triangle, and the direction in its plane from one of its edges to its inside."""
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    normal /= max(float(np.linalg.norm(normal)), np.finfo(float).tiny)
    return normal, np.cross(normal, along)
