"""Mesh files of all formats, read with care, and the solids a mesh falls into."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from models import gltf
from models.errors import MeshFileError
from models.gltf import MAX_BYTES, MAX_TRIANGLES, MeshNode
from models.piece import Array, Ints

SINGLE_PRECISION = 2.0**-23
"""Relative error of coordinates stored with 24 bits, as most files do."""
FOLD = 1e-5
"""Radians. Two faces closer than this lie on each other; there is no solid between them."""
FILE_UNITS = {
    "micron": 1e-6,
    "millimeter": 1e-3,
    "centimeter": 1e-2,
    "meter": 1.0,
    "inch": 0.0254,
    "foot": 0.3048,
}
"""Metres, of the units a 3MF file may name."""


def read_nodes(path: Path) -> list[MeshNode]:
    """Returns the meshes of a file in its order. Raises MeshFileError, in words without the file's name, or OSError."""
    return gltf.read_gltf(path) if path.suffix.lower() in gltf.SUFFIXES else _read_other(path)


def _read_other(path: Path) -> list[MeshNode]:
    """Formats that trimesh reads."""
    import trimesh

    kind = path.suffix.lower().removeprefix(".")
    check_size(path)
    options: dict[str, Any] = {"split_objects": True, "skip_materials": True} if kind == "obj" else {}
    try:
        scene = trimesh.load_scene(path, file_type=kind, process=False, **options)
    except ImportError as error:
        remedy = "install them with: pip install 'teeter[mesh]'"
        raise MeshFileError(f"needs packages to read {path.suffix} ({error}): {remedy}") from None
    except Exception as error:  # the readers raise whatever a broken file leads them to
        raise MeshFileError(f"cannot be read as {path.suffix}: {error or type(error).__name__}") from None
    nodes = []
    order = {key: number for number, key in enumerate(scene.geometry)}
    # the graph's own order changes from run to run
    for name in sorted(scene.graph.nodes_geometry, key=lambda name: (order[scene.graph[name][1]], name)):
        matrix, key = scene.graph[name]
        mesh = scene.geometry[key]
        if isinstance(mesh, trimesh.Trimesh) and len(mesh.faces):
            vertices, faces = np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces, dtype=np.int64)
            if vertices.shape[1:] != (3,) or faces.min() < 0 or faces.max() >= len(vertices):
                raise MeshFileError(
                    f"cannot be read as {path.suffix}: corners have no three numbers, or are not there"
                )
            unit = FILE_UNITS.get(str(mesh.units).removesuffix("s")) if kind == "3mf" else None
            label = path.stem if len(scene.geometry) == 1 else str(name)
            nodes.append(MeshNode(label, key, vertices, faces, np.asarray(matrix, dtype=float), unit=unit))
    if sum(len(node.faces) for node in nodes) > MAX_TRIANGLES:
        raise MeshFileError(f"has more than {MAX_TRIANGLES} triangles")
    return nodes


def check_size(path: Path, at_most: int = MAX_BYTES) -> None:
    """Raises MeshFileError when a mesh file, unpacked, has more bytes than that; OSError when there is none."""
    size = path.stat().st_size
    if path.suffix.lower() == ".3mf":
        try:
            with zipfile.ZipFile(path) as archive:
                size = max(size, sum(entry.file_size for entry in archive.infolist()))
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise MeshFileError(f"cannot be read as .3mf: {error}") from None
    if size > at_most:
        raise MeshFileError(f"has {size / 1e6:.0f} MB; at most {at_most / 1e6:.0f} MB are read")


def solids_of(vertices: Array, faces: Ints) -> list[tuple[Array, Ints]]:
    """Returns the closed solids in a mesh, in the order of their first faces; the mesh itself if it is not so simple.

    Solids that touch may share corners and edges: faces belong together when a solid lies between them. A
    skin that is inside out beside others is a cavity, and the mesh stays whole.
    """
    joined, corners = merged_corners(vertices, faces)
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


def merged_corners(vertices: Array, faces: Ints) -> tuple[Array, Ints]:
    """Returns the mesh with corners at the same place, as files round it, made one; faces that vanish are left out."""
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
