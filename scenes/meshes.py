"""Scenes from mesh files: every node, or every connected part of one, is a piece where it lies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from engine.pose import Pose
from models.build import build, build_mesh
from models.catalogue import find
from models.errors import MeshFileError, ModelError
from models.export import skin_of
from models.fit import fit_meshes
from models.material import Material
from models.mesh_files import GLTF, Y_UP, MeshNode, read_nodes
from models.meshes import checked, solids_of
from models.piece import Array, Ints, Piece
from scenes.reading import MAX_PIECES
from scenes.scene import Draft, Fault, SceneError, shown
from scenes.schema import RESERVED

RIGID = 1e-5
"""How far from a pure turn a matrix may be to count as one: files keep seven digits."""
LARGEST = 1e12
"""Of any number in a mesh file; beyond it arithmetic itself breaks, and NaN is not below it either."""


MAX_NAME = 100


def read_meshes(
    path: Path,
    file: str,
    material: Material,
    unit: float | None,
    fit: float = 0.0,
    ground: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[Draft], list[Fault], tuple[str, ...]]:
    """The pieces of a mesh file, what kept others from being one, and what `fit` did to each.

    unit: metres; None: the format's. fit, ground: metres, as in `models.fit.fit_meshes`; 0: not at all.
    progress: told how many nodes are pieces, and of how many. Raises SceneError when nothing can be read at all.
    """
    nodes = _nodes(path, file)
    if not nodes:
        raise SceneError([Fault(file, "there are no triangles in it")])
    if len(nodes) > MAX_PIECES:
        raise SceneError([Fault(file, f"there are {len(nodes)} meshes; at most {MAX_PIECES} are allowed")])
    is_gltf = path.suffix.lower() in GLTF
    stem = _clean(path.stem)
    maker = _Maker(file, stem, material)
    placed = [
        (node, (unit or node.unit or (1.0 if is_gltf else 1e-3)) * (Y_UP if is_gltf else np.eye(3)))
        for node in nodes
    ]
    words: list[str] = []
    if fit > 0:
        placed, words = _fitted(placed, stem, fit, ground)
    for done, (node, axes) in enumerate(placed, start=1):
        maker.take(node, axes)
        if progress is not None:
            progress(done, len(placed))
    return *_named(maker.drafts, file, maker.faults), tuple(words)


def _fitted(
    placed: list[tuple[MeshNode, Array]], stem: str, fit: float, ground: float | None
) -> tuple[list[tuple[MeshNode, Array]], list[str]]:
    """The nodes, solid by solid and made regular, with the axes of each; and what was done to each, in words."""
    solids: list[MeshNode] = []
    spoilt: list[tuple[MeshNode, Array]] = []
    for node, axes in placed:
        where = node.vertices @ (axes @ node.matrix[:3, :3]).T + axes @ node.matrix[:3, 3]
        if not np.abs(where).max(initial=0.0) < LARGEST:
            spoilt.append((node, axes))
            continue
        parts = solids_of(where, node.faces)
        for number, part in enumerate(parts, start=1):
            own = _clean(node.name) or stem
            name = own if len(parts) == 1 else f"{own}.{number:0{len(str(len(parts)))}}"
            try:
                corners, faces = checked(*part, name)
            except ModelError:
                spoilt.append((node, axes))  # said when it is made a piece
                break
            solids.append(
                replace(
                    node, name=name, key=(name, len(solids)), vertices=corners, faces=faces, matrix=np.eye(4)
                )
            )
    found = fit_meshes([(node.vertices, node.faces) for node in solids], fit, ground)
    words = [f'node "{node.name}": {said}' for node, (_, _, said) in zip(solids, found, strict=True)]
    made = [replace(node, vertices=one[0], faces=one[1]) for node, one in zip(solids, found, strict=True)]
    return [*((node, np.eye(3)) for node in made), *spoilt], words


def _nodes(path: Path, file: str) -> list[MeshNode]:
    try:
        return read_nodes(path)
    except MeshFileError as error:
        raise SceneError([Fault(file, str(error))]) from None
    except OSError as error:
        raise SceneError([Fault(file, f"cannot be read: {error.strerror or error}")]) from None


@dataclass
class _Maker:
    """Makes pieces of nodes; nodes that share a mesh and a scale share the piece."""

    file: str
    stem: str
    material: Material
    drafts: list[Draft] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    _known: dict[Hashable, list[tuple[Piece, Array]]] = field(default_factory=dict)

    def take(self, node: MeshNode, axes: Array) -> None:
        """Add the pieces of a node. axes: (3, 3), from the file's axes and unit to ours."""
        name = _clean(node.name) or self.stem
        place = f'node "{name}"'
        if not all(np.abs(values).max(initial=0.0) < LARGEST for values in (node.matrix, node.vertices)):
            self.faults.append(
                Fault(self.file, "has coordinates that are not finite or far too large", place)
            )
            return
        linear, origin = axes @ node.matrix[:3, :3], axes @ node.matrix[:3, 3]
        size, turn = _rigid(linear)
        own_export = _exported(node) if abs(size - 1) < RIGID and "/" in node.name else None
        if own_export is not None:
            turn = turn @ Y_UP.T
            self.drafts.append(Draft(name, place, None, own_export, Pose.of(origin, turn), node.fixed))
            return
        key = (node.key, f"{size:.12g}") if size else id(node)
        shape = node.vertices * size if size else node.vertices @ linear.T
        try:
            pieces = self._pieces(key, shape, node.faces, f"{self.stem}/{name}")
        except ModelError as error:
            self.faults.append(Fault(self.file, "; ".join(str(error).splitlines()), place))
            return
        for number, (piece, centre) in enumerate(pieces, start=1):
            own = name if len(pieces) == 1 else f"{name}.{number:0{len(str(len(pieces)))}}"
            pose = Pose.of(turn @ centre + origin, turn)
            self.drafts.append(Draft(own, f'node "{own}"', None, piece, pose, node.fixed))

    def _pieces(self, key: Hashable, vertices: Array, faces: Ints, model: str) -> list[tuple[Piece, Array]]:
        import trimesh

        if key not in self._known:
            solids = solids_of(vertices, faces)
            if len(solids) > MAX_PIECES:
                problem = f"there are {len(solids)} parts; at most {MAX_PIECES} are allowed"
                raise SceneError([Fault(self.file, problem)])
            meshes = [trimesh.Trimesh(corners, triangles, process=False) for corners, triangles in solids]
            self._known[key] = [build_mesh(mesh, model, self.material) for mesh in meshes]
        return self._known[key]


def _clean(name: str) -> str:
    """A name as an id may be: without control characters and blanks around it, and not too long."""
    return "".join(letter if letter.isprintable() else "_" for letter in name[:MAX_NAME]).strip()


def _exported(node: MeshNode) -> Piece | None:
    """The piece of the catalogue that was exported as this mesh, under its name; None when it is something else."""
    try:
        piece = build(find(node.name))
    except ModelError:
        return None
    points = skin_of(piece).points @ Y_UP
    is_same = points.shape == node.vertices.shape and np.allclose(points, node.vertices, rtol=0, atol=1e-6)
    return piece if is_same else None


def _rigid(linear: Array) -> tuple[float, Array]:
    """The scale and the turn (3, 3) of a matrix that keeps shapes; 0 and no turn when it skews or mirrors."""
    left, sizes, right = np.linalg.svd(linear)
    if sizes[2] <= 0 or sizes[0] - sizes[2] > RIGID * sizes[0] or np.linalg.det(left @ right) < 0:
        return 0.0, np.eye(3)
    return float(sizes.mean()), left @ right


def _named(drafts: list[Draft], file: str, faults: list[Fault]) -> tuple[list[Draft], list[Fault]]:
    """The drafts with names that are unique: the second `block` is called `block.2`."""
    if len(drafts) > MAX_PIECES:
        problem = f"there are {len(drafts)} parts; at most {MAX_PIECES} are allowed"
        raise SceneError([Fault(file, problem)])
    taken, counts = {draft.id for draft in drafts}, Counter[str]()
    result = []
    for draft in drafts:
        counts[draft.id] += 1
        name, number = draft.id, counts[draft.id]
        while number > 1 and (name := f"{draft.id}.{number}") in taken:
            number += 1
        taken.add(name)
        if name in RESERVED:
            problem = f"is reserved ({', '.join(RESERVED)} are not pieces): rename the node"
            faults.append(Fault(file, problem, draft.place, "name", shown(name)))
        result.append(draft if name == draft.id else replace(draft, id=name, place=f'node "{name}"'))
    return result, faults
