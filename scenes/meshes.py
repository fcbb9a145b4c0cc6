"""Scenes from mesh files: every node, or every connected part of one, is a piece where it lies."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from teeter.engine.pose import Pose
from teeter.engine.tolerances import MAX_OVERLAP
from teeter.models.build import build, build_mesh
from teeter.models.catalogue import find
from teeter.models.errors import MeshFileError, ModelError
from teeter.models.export import skin_of
from teeter.models.fit import fit_meshes
from teeter.models.material import Material
from teeter.models.mesh_files import KINDS, UNSAID, GivenMeshes, read_nodes
from teeter.models.mesh_node import Y_UP, MeshNode
from teeter.models.meshes import checked, solids_of
from teeter.models.piece import MM, Array, Ints, Piece
from teeter.scenes import regroup
from teeter.scenes.content import Content, Ground, LoadOptions, floor_of, is_over, unit_name
from teeter.scenes.reading import MAX_PIECES
from teeter.scenes.scene import UNITS, Draft, Fault, SceneError, UnitAskedError, numbered, quote
from teeter.scenes.schema import FORMAT, RESERVED, Head

RIGID = 1e-5
"""How far from a pure turn a matrix may be to count as one: files keep seven digits."""
LEVEL = 1e-5
"""Of its size, by which a sheet may rise and still be level."""
PLATE = 1e-3
"""Metres: how thick a sheet is that is a support."""
LARGEST = 1e12
"""Of any number in a mesh file; beyond it arithmetic itself breaks, and NaN is not below it either."""


MAX_NAME = 100
UPWARDS = {"x": np.eye(3)[[1, 2, 0]], "y": Y_UP, "z": np.eye(3)}
"""Turns from a file's axes to ours, by the axis that points up in it."""
SMALLEST_SCENE, LARGEST_SCENE = 20e-3, 100.0
"""Metres, of the longest side: a scene beyond them is in another unit, or is confirmed. Read in metres the smallest
would be 20 m long, which stacks rarely are; in mm it is a heap of dice."""


def read_meshes(
    path: Path | GivenMeshes,
    file: str,
    material: Material,
    options: LoadOptions,
    progress: Callable[[int, int], None] | None = None,
) -> Content:
    """The pieces of a mesh file, and how it was read. progress: told how many nodes are pieces, and of how many. Raises
    SceneError when nothing can be read at all."""
    aside: list[tuple[str, str]] = []
    nodes = path.nodes if isinstance(path, GivenMeshes) else _nodes(path, file, aside)
    if not nodes:
        raise SceneError.of(file, "there are no triangles in it: export solids, not curves or points")
    if len(nodes) > MAX_PIECES:
        raise SceneError.of(file, f"there are {len(nodes)} meshes; at most {MAX_PIECES} are allowed")
    kind = KINDS[path.suffix.lower()]
    axis = options.up or kind.up
    stem = _clean(path.stem)
    maker = _Maker(file, stem, material)
    turn = UPWARDS[axis]
    unit = UNITS[options.unit] if options.unit else None
    placed = [(node, (unit or node.unit or kind.unit) * turn) for node in nodes]
    length = unit or nodes[0].unit or kind.unit
    placed, ground = _without_ground(placed, stem, options.excused)
    if unit is None and path.suffix.lower() in UNSAID and all(node.unit is None for node in nodes):
        _check_size(
            [(node, axes) for node, axes in placed if _name(node, stem) not in options.excused] or placed,
            file,
        )
    placed = [(replace(node, name=_name(node, stem)), axes) for node, axes in placed]
    placed = [_thickened(node, axes, options.fixed) for node, axes in placed]
    if options.unite:
        placed = regroup.unite(placed, options.unite, file)
    if options.split:
        placed = regroup.split(placed, file)
    words: list[str] = []
    if options.fit_mm > 0:
        level = None if options.table else ground.height if ground else 0.0
        placed, words = _fitted(placed, stem, options.fit_mm * MM, level)
    for done, (node, axes) in enumerate(placed, start=1):
        maker.take(node, axes)
        if progress is not None:
            progress(done, len(placed))
    drafts, faults = _named(maker.drafts, file, maker.faults)
    words += [
        f'node "{_clean(name)}": of type "{kind}", no part of the model, and left out' for name, kind in aside
    ]
    return Content(
        Head(teeter=FORMAT), drafts, faults, tuple(words), unit_name(length), axis, ground, is_floor=True
    )


def _name(node: MeshNode, stem: str) -> str:
    return _clean(node.name) or stem


def _place(node: MeshNode, axes: Array) -> Array:
    """The corners (n, 3) of a node in our axes, metres."""
    return node.vertices @ (axes @ node.matrix[:3, :3]).T + axes @ node.matrix[:3, 3]


def _without_ground(
    placed: list[tuple[MeshNode, Array]], stem: str, excused: Collection[str]
) -> tuple[list[tuple[MeshNode, Array]], Ground | None]:
    """The nodes but for a flat, level sheet under all others, which is the table; and that sheet."""
    places = [_place(node, axes) for node, axes in placed]
    if any(not np.abs(place).max(initial=0.0) < LARGEST for place in places):
        return placed, None
    bounds = [(place.min(axis=0), place.max(axis=0)) for place in places]
    flat = [_is_level(place) for place in places]
    solid = [box for box, is_flat in zip(bounds, flat, strict=True) if not is_flat]
    for number, (low, high) in enumerate(bounds):
        if not flat[number] or not solid or (name := _name(placed[number][0], stem)) in excused:
            continue
        is_under = all(
            high[2] <= bottom[2] + MAX_OVERLAP
            and np.all(low[:2] <= bottom[:2])
            and np.all(top[:2] <= high[:2])
            for bottom, top in solid
        )
        if not is_under:
            continue
        floor = floor_of(places[number][placed[number][0].faces])
        if all(is_over(floor, place) for place, is_flat in zip(places, flat, strict=True) if not is_flat):
            return [*placed[:number], *placed[number + 1 :]], Ground(name, float(high[2]))
    return placed, None


def _thickened(node: MeshNode, axes: Array, fixed: Sequence[str]) -> tuple[MeshNode, Array]:
    """A level sheet that is a support, as a plate below it; any other node as it is."""
    place = _place(node, axes)
    if not any(fnmatchcase(node.name, pattern) for pattern in fixed) or not _is_level(place):
        return node, axes
    edges = np.concatenate([node.faces[:, [0, 1]], node.faces[:, [1, 2]], node.faces[:, [2, 0]]])
    first, second, third = (place[node.faces[:, at], :2] for at in range(3))
    one, other = second - first, third - first
    looks_down = float((one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]).sum()) < 0
    faces, edges = (node.faces[:, ::-1], edges[:, ::-1]) if looks_down else (node.faces, edges)
    there = {*map(tuple, edges.tolist())}
    rim = np.array([edge for edge in edges.tolist() if (edge[1], edge[0]) not in there]).reshape(-1, 2)
    below, count = place - [0.0, 0.0, PLATE], len(place)
    sides = [np.stack([rim[:, 0], rim[:, 0] + count, rim[:, 1]], axis=1)]
    sides += [np.stack([rim[:, 1], rim[:, 0] + count, rim[:, 1] + count], axis=1)]
    whole = np.concatenate([faces, faces[:, ::-1] + count, *sides])
    key = (node.key, "plate")
    return replace(
        node, key=key, vertices=np.concatenate([place, below]), faces=whole, matrix=np.eye(4)
    ), np.eye(3)


def _is_level(place: Array) -> bool:
    low, high = place.min(axis=0), place.max(axis=0)
    return bool(high[2] - low[2] <= LEVEL * float((high - low).max()))


def _check_size(placed: list[tuple[MeshNode, Array]], file: str) -> None:
    """Raises SceneError, which asks for the unit, when mm would make a scene too small or too large to be meant."""
    points = np.concatenate([_place(node, axes) for node, axes in placed])
    sides = np.ptp(points, axis=0)
    if not np.abs(points).max(initial=0.0) < LARGEST or SMALLEST_SCENE <= sides.max() <= LARGEST_SCENE:
        return
    if sides.max() < SMALLEST_SCENE:
        size = " x ".join(f"{side * 1e3:.2g}" for side in sides)
        # less than a millimetre would be nothing in cm either
        is_tiny = sides.max() < 1e-3
        question = (
            "is it in metres? --unit m" if is_tiny else "is it in metres, cm or inches? --unit m, cm or in"
        )
        problem = f"the scene is only {size} mm in size"
    else:
        size, question = " x ".join(f"{side:.4g}" for side in sides), "what is its unit?"
        problem = f"the scene is {size} m in size"
    problem += (
        f", read as mm, and the file does not name its unit: {question} (--unit mm says that this is meant"
    )
    raise UnitAskedError.of(file, f"{problem}; .glb files know their unit and axes)")


def _fitted(
    placed: list[tuple[MeshNode, Array]], stem: str, fit: float, ground: float | None
) -> tuple[list[tuple[MeshNode, Array]], list[str]]:
    """The nodes, solid by solid and made regular, with the axes of each; and what was done to each, in words."""
    solids: list[MeshNode] = []
    spoilt: list[tuple[MeshNode, Array]] = []
    for node, axes in placed:
        where = _place(node, axes)
        if not np.abs(where).max(initial=0.0) < LARGEST:
            spoilt.append((node, axes))
            continue
        parts = solids_of(where, node.faces)
        for name, part in zip(numbered(_name(node, stem), len(parts)), parts, strict=True):
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
    fits = fit_meshes([(node.vertices, node.faces) for node in solids], fit, ground)
    words = [f'node "{node.name}": {said}' for node, (_, _, said) in zip(solids, fits, strict=True)]
    made = [replace(node, vertices=one[0], faces=one[1]) for node, one in zip(solids, fits, strict=True)]
    return [*((node, np.eye(3)) for node in made), *spoilt], words


def _nodes(path: Path, file: str, aside: list[tuple[str, str]]) -> list[MeshNode]:
    try:
        return read_nodes(path, aside)
    except MeshFileError as error:
        raise SceneError.of(file, str(error)) from None
    except OSError as error:
        raise SceneError.of(file, f"cannot be read: {error.strerror or error}") from None


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
        name = _name(node, self.stem)
        place = f'node "{name}"'
        if not all(np.abs(values).max(initial=0.0) < LARGEST for values in (node.matrix, node.vertices)):
            self.faults.append(
                Fault(
                    self.file, "has coordinates that are not finite or far too large: check its unit", place
                )
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
            problem = "; ".join(str(error).splitlines())
            sides = np.ptp(node.vertices[node.faces].reshape(-1, 3) @ linear.T, axis=0)
            if sides.max() > 0 and sides.min() <= LEVEL * sides.max():
                problem = (
                    "is a flat sheet, not a solid, and is not the table, as it does not lie level under everything: "
                    f"give it thickness, leave it out (--without {quote(name)}), or, where it is level, make it a "
                    f"support (--fixed {quote(name)})"
                )
            self.faults.append(Fault(self.file, problem, place))
            return
        for own, (piece, centre) in zip(numbered(name, len(pieces)), pieces, strict=True):
            pose = Pose.of(turn @ centre + origin, turn)
            self.drafts.append(Draft(own, f'node "{own}"', None, piece, pose, node.fixed))

    def _pieces(self, key: Hashable, vertices: Array, faces: Ints, model: str) -> list[tuple[Piece, Array]]:
        import trimesh

        if key not in self._known:
            solids = solids_of(vertices, faces)
            if len(solids) > MAX_PIECES:
                problem = f"there are {len(solids)} parts; at most {MAX_PIECES} are allowed"
                raise SceneError.of(self.file, problem)
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
        raise SceneError.of(file, problem)
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
            faults.append(Fault(file, problem, draft.place, "name", quote(name)))
        result.append(draft if name == draft.id else replace(draft, id=name, place=f'node "{name}"'))
    return result, faults
