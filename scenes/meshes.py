"""Scenes from mesh files: every node, or every connected part of one, is a piece where it lies."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.pose import Pose
from models.build import build_mesh
from models.errors import ModelError
from models.material import Material
from models.piece import Piece
from scenes.faults import Fault, SceneError, shown
from scenes.gltf import MOST_BYTES, MOST_TRIANGLES, GltfError, read_gltf
from scenes.mesh_node import Array, Ints, MeshNode, solids_of
from scenes.reading import MOST_PIECES
from scenes.scene import Draft
from scenes.schema import RESERVED

GLTF = (".glb", ".gltf")
Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""From glTF's axes, Y up, to ours, Z up: a quarter turn about x."""
RIGID = 1e-5
"""How far from a pure turn a matrix may be to count as one: files keep seven digits."""
LARGEST = 1e12
"""Of any number in a mesh file; beyond it arithmetic itself breaks, and NaN is not below it either."""
FILE_UNITS = {
    "micron": 1e-6,
    "millimeter": 1e-3,
    "centimeter": 1e-2,
    "meter": 1.0,
    "inch": 0.0254,
    "foot": 0.3048,
}
"""Metres, of the units a 3MF file may name."""


def read_meshes(
    path: Path, file: str, material: Material, unit: float | None
) -> tuple[list[Draft], list[Fault]]:
    """The pieces of a mesh file, and what kept others from being one. unit: metres; None: the format's.

    Raises SceneError when nothing can be read at all.
    """
    nodes = _nodes(path, file)
    if not nodes:
        raise SceneError([Fault(file, "there are no triangles in it")])
    if len(nodes) > MOST_PIECES:
        raise SceneError([Fault(file, f"there are {len(nodes)} meshes; at most {MOST_PIECES} are allowed")])
    is_gltf = path.suffix.lower() in GLTF
    maker = _Maker(file, path.stem, material)
    for node in nodes:
        scale = unit or node.unit or (1.0 if is_gltf else 1e-3)
        maker.take(node, scale * (Y_UP if is_gltf else np.eye(3)))
    return _named(maker.drafts, file, maker.faults)


def _nodes(path: Path, file: str) -> list[MeshNode]:
    try:
        return read_gltf(path) if path.suffix.lower() in GLTF else _read_other(path)
    except GltfError as error:
        raise SceneError([Fault(file, str(error))]) from None
    except OSError as error:
        raise SceneError([Fault(file, f"cannot be read: {error.strerror or error}")]) from None


def _read_other(path: Path) -> list[MeshNode]:
    """Formats that trimesh reads. Raises GltfError in words, for want of anything better to call it."""
    import trimesh

    kind = path.suffix.lower().removeprefix(".")
    _check_size(path, kind)
    options: dict[str, Any] = {"split_objects": True, "skip_materials": True} if kind == "obj" else {}
    try:
        scene = trimesh.load_scene(path, file_type=kind, process=False, **options)
    except ImportError as error:
        remedy = "install them with: pip install 'teeter[mesh]'"
        raise GltfError(f"needs packages to read {path.suffix} ({error}): {remedy}") from None
    except Exception as error:  # the readers raise whatever a broken file leads them to
        raise GltfError(f"cannot be read as {path.suffix}: {error or type(error).__name__}") from None
    nodes = []
    order = {key: number for number, key in enumerate(scene.geometry)}
    # the graph's own order changes from run to run
    for name in sorted(scene.graph.nodes_geometry, key=lambda name: (order[scene.graph[name][1]], name)):
        matrix, key = scene.graph[name]
        mesh = scene.geometry[key]
        if isinstance(mesh, trimesh.Trimesh) and len(mesh.faces):
            vertices, faces = np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces, dtype=np.int64)
            if vertices.shape[1:] != (3,) or faces.min() < 0 or faces.max() >= len(vertices):
                raise GltfError(
                    f"cannot be read as {path.suffix}: corners have no three numbers, or are not there"
                )
            unit = FILE_UNITS.get(str(mesh.units).removesuffix("s")) if kind == "3mf" else None
            label = path.stem if len(scene.geometry) == 1 else str(name)
            nodes.append(MeshNode(label, key, vertices, faces, np.asarray(matrix, dtype=float), unit=unit))
    if sum(len(node.faces) for node in nodes) > MOST_TRIANGLES:
        raise GltfError(f"has more than {MOST_TRIANGLES} triangles")
    return nodes


def _check_size(path: Path, kind: str) -> None:
    size = path.stat().st_size
    if kind == "3mf":
        try:
            with zipfile.ZipFile(path) as archive:
                size = max(size, sum(entry.file_size for entry in archive.infolist()))
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise GltfError(f"cannot be read as .3mf: {error}") from None
    if size > MOST_BYTES:
        raise GltfError(f"has {size / 1e6:.0f} MB; at most {MOST_BYTES / 1e6:.0f} MB are read")


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
        name = node.name or self.stem
        place = f'node "{name}"'
        if not all(np.abs(values).max(initial=0.0) < LARGEST for values in (node.matrix, node.vertices)):
            self.faults.append(
                Fault(self.file, "has coordinates that are not finite or far too large", place)
            )
            return
        linear, origin = axes @ node.matrix[:3, :3], axes @ node.matrix[:3, 3]
        size, turn = _rigid(linear)
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
            if len(solids) > MOST_PIECES:
                problem = f"there are {len(solids)} parts; at most {MOST_PIECES} are allowed"
                raise SceneError([Fault(self.file, problem)])
            meshes = [trimesh.Trimesh(corners, triangles, process=False) for corners, triangles in solids]
            self._known[key] = [build_mesh(mesh, model, self.material) for mesh in meshes]
        return self._known[key]


def _rigid(linear: Array) -> tuple[float, Array]:
    """The scale and the turn (3, 3) of a matrix that keeps shapes; 0 and no turn when it skews or mirrors."""
    left, sizes, right = np.linalg.svd(linear)
    if sizes[2] <= 0 or sizes[0] - sizes[2] > RIGID * sizes[0] or np.linalg.det(left @ right) < 0:
        return 0.0, np.eye(3)
    return float(sizes.mean()), left @ right


def _named(drafts: list[Draft], file: str, faults: list[Fault]) -> tuple[list[Draft], list[Fault]]:
    """The drafts with names that are unique: the second `block` is called `block.2`."""
    if len(drafts) > MOST_PIECES:
        problem = f"there are {len(drafts)} parts; at most {MOST_PIECES} are allowed"
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
