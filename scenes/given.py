"""Pieces as scripts have them, with meshes and matrices, as the tables of a scene file."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from teeter.engine.geometry.rotation import quaternion_of
from teeter.models.errors import MeshFileError
from teeter.models.mesh_files import nodes_of
from teeter.models.piece import MM, Array, Ints
from teeter.scenes.reading import place_of
from teeter.scenes.scene import Fault, SceneError

PURE = 1e-6
"""How far from a pure turn the matrix of a pose may be: what rounding leaves of one."""
Mesh = tuple[Array, Ints]
"""Corners (n, 3) in metres, and triangles (f, 3)."""


def as_table(piece: Mapping[str, Any], number: int, file: str) -> tuple[dict[str, Any], Mesh | None]:
    """Returns the `[[piece]]` table of a piece that may have `pose` and `mesh`, and its mesh. Raises SceneError."""
    if not isinstance(piece, Mapping):
        raise SceneError.of(
            file, f"piece {number} is {piece!r}: give a list of tables, as [{{'id': 'a', ...}}]"
        )
    row, mesh = dict(piece), None
    blank = Fault(file, "", place_of(number, row.get("id")))
    centre = np.zeros(3)
    if "mesh" in row:
        if "shape" in row or "model" in row:
            raise _refused(blank, "mesh", "give one of `mesh`, `shape` and `model`")
        mesh = _mesh_of(row.pop("mesh"), blank)
        centre = (mesh[0].min(axis=0) + mesh[0].max(axis=0)) / 2 / MM
        row["shape"] = {"box": [1, 1, 1]}  # stands for the mesh until it is built
    if "pose" in row:
        if {"position", "rotation", "quaternion"} & row.keys():
            raise _refused(blank, "pose", "give either `pose`, or `position` and a rotation")
        turn, move = _turn_and_move(row.pop("pose"), blank)
        row["position"], row["quaternion"] = turn @ centre + move, quaternion_of(turn)
    elif mesh is not None and "position" not in row:
        row["position"] = centre
    return row, mesh


def _mesh_of(source: object, blank: Fault) -> Mesh:
    try:
        nodes = nodes_of(source, "mesh")
    except MeshFileError as error:
        raise _refused(blank, "mesh", str(error)) from None
    if len(nodes) != 1:
        raise _refused(
            blank, "mesh", f"must be one mesh (found {len(nodes)}); `load` takes scenes of several"
        )
    node = nodes[0]
    if not np.isfinite(node.vertices).all():
        raise _refused(blank, "mesh", "a coordinate is not a finite number")
    corners = node.vertices @ node.matrix[:3, :3].T + node.matrix[:3, 3]
    return corners * (node.unit or MM), node.faces


def _turn_and_move(pose: object, blank: Fault) -> tuple[Array, Array]:
    """The turn (3, 3) and the move (3,) of a pose."""
    try:
        matrix = np.asarray(pose, dtype=float)
    except (TypeError, ValueError):
        matrix = np.zeros(0)
    if matrix.shape != (4, 4) or not np.isfinite(matrix).all() or np.any(matrix[3] != (0, 0, 0, 1)):
        raise _refused(blank, "pose", "must be a (4, 4) matrix of numbers, its last row 0, 0, 0, 1")
    turn = matrix[:3, :3]
    if np.abs(turn @ turn.T - np.eye(3)).max() > PURE or np.linalg.det(turn) < 0:
        raise _refused(blank, "pose", "must be a turn and a move: scale or mirror the mesh itself")
    return turn, matrix[:3, 3]


def _refused(blank: Fault, key: str, problem: str) -> SceneError:
    return SceneError.of(blank.file, problem, blank.table, key)
