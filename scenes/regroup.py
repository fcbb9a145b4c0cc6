"""Which bodies of a mesh file are one piece, where the file does not say it: several united, or one cut into blocks."""

import fnmatch
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from teeter.models.convex import decompose, hull_volume, mesh_of
from teeter.models.errors import ModelError
from teeter.models.hulls import convex_hull
from teeter.models.mesh_node import SINGLE_PRECISION, MeshNode
from teeter.models.meshes import checked, solids_of
from teeter.models.piece import Array, Ints, MassProperties
from teeter.scenes.scene import SceneError, nearest, numbered

Placed = tuple[MeshNode, Array]
"""A node, and the axes (3, 3) from its file's axes and unit to ours."""
FILLED = 1e-3
"""Share of a solid's volume by which blocks may differ from it and still be what it was made of."""


def unite(placed: Sequence[Placed], globs: Sequence[str], file: str) -> list[Placed]:
    """Returns the nodes, those that a name or pattern fits as one solid. Raises SceneError where they do not touch."""
    left = list(placed)
    for glob in globs:
        chosen = [one for one in left if fnmatch.fnmatchcase(one[0].name, glob)]
        if not chosen:
            names = [node.name for node, _ in placed]
            problem = f"there is no node of this name{nearest(glob, names)}"
            raise SceneError.of(file, problem, key="--unite", value=glob)
        first = chosen[0][0]
        vertices, faces = _union([_world(*one) for one in chosen], glob, file)
        node = replace(
            first,
            key=("united", glob),
            vertices=vertices,
            faces=faces,
            matrix=np.eye(4),
            fixed=any(one.fixed for one, _ in chosen),
        )
        place = left.index(chosen[0])
        left = [one for one in left if one not in chosen]
        left.insert(place, (node, np.eye(3)))
    return left


def _world(node: MeshNode, axes: Array) -> tuple[Array, Ints]:
    linear = axes @ node.matrix[:3, :3]
    faces = node.faces if np.linalg.det(linear) > 0 else node.faces[:, ::-1]
    return node.vertices @ linear.T + axes @ node.matrix[:3, 3], faces


def _union(meshes: Sequence[tuple[Array, Ints]], glob: str, file: str) -> tuple[Array, Ints]:
    from manifold3d import Error, Manifold, Mesh64, OpType

    # faces that touch are the same to the last bit only if they are rounded alike
    grain = 4 * SINGLE_PRECISION * max(float(np.abs(vertices).max()) for vertices, _ in meshes)
    solids: list[Any] = []
    for vertices, faces in meshes:
        for corners, triangles in solids_of(np.round(vertices / grain) * grain, faces):
            try:
                corners, triangles = checked(corners, triangles, f'"{glob}"')
            except ModelError as error:
                raise SceneError.of(file, str(error), key="--unite", value=glob) from None
            solid = Manifold(Mesh64(corners, triangles.astype(np.uint64)))
            if solid.status() != Error.NoError:
                raise SceneError.of(file, "is not the skin of a solid", key="--unite", value=glob)
            solids.append(solid)
    whole = Manifold.batch_boolean(solids, OpType.Add)
    if (count := len(whole.decompose())) > 1 and len(solids) > 1:
        problem = f"there are {count} bodies that do not touch: only what touches can be one piece"
        raise SceneError.of(file, problem, key="--unite", value=glob)
    return mesh_of(whole)


def split(placed: Sequence[Placed], file: str) -> list[Placed]:
    """Returns the nodes, each solid that is not convex as convex blocks. Raises SceneError where none fill it."""
    return [part for one in placed for part in _blocks(*one, file)]


def _blocks(node: MeshNode, axes: Array, file: str) -> list[Placed]:
    vertices, faces = _world(node, axes)
    parts: list[tuple[Array, Ints]] = []
    for solid in solids_of(vertices, faces):
        try:
            corners, triangles = checked(*solid, node.name)
        except ModelError:
            return [(node, axes)]  # said when it is made a piece
        volume = MassProperties.of(corners, triangles).volume
        blocks = decompose(corners, triangles) if volume < hull_volume(corners) * (1 - FILLED) else []
        if blocks and abs(sum(map(hull_volume, blocks)) - volume) > FILLED * volume:
            problem = "is not made of convex blocks: cut it in the program that made it"
            raise SceneError.of(file, problem, f'node "{node.name}"', "--split")
        parts += [_skin(block) for block in blocks] or [(corners, triangles)]
    return [
        (replace(node, name=name, key=(name, "split"), vertices=v, faces=f, matrix=np.eye(4)), np.eye(3))
        for name, (v, f) in zip(numbered(node.name, len(parts)), parts, strict=True)
    ]


def _skin(points: Array) -> tuple[Array, Ints]:
    """The hull of some points, its triangles wound outward."""
    hull = convex_hull(points / np.abs(points).max())
    faces = hull.simplices.astype(np.int64)
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.einsum("fd,fd->f", normals, hull.equations[:, :3]) < 0
    return points, np.where(inward[:, None], faces[:, ::-1], faces)
