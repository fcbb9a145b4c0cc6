"""Foreign meshes: read, judged, and made into solids.

A mesh must be the closed skin of one solid, wound outward (a mesh that is inside out as a whole is turned).
Its flat faces, edges and corners are taken as they are; which facets stand for a curve is judged by
`models.surface.curved_facets`. The convex parts are the hull of a convex mesh (a cuboid is an exact box), or what
`models.convex.decompose` cuts.
"""

from pathlib import Path

import numpy as np

from teeter.models.builders import solid_of
from teeter.models.convex import decompose, hull_part, hull_volume
from teeter.models.errors import MeshError, MeshFileError
from teeter.models.hulls import groups_of, pairs_within
from teeter.models.mesh_files import ELSEWHERE, KINDS, read_nodes
from teeter.models.mesh_node import SINGLE_PRECISION, Y_UP, merged_corners
from teeter.models.piece import MM, Array, Detail, Ints, MassProperties, Part, Solid, Surface, six_volumes
from teeter.models.shapes import Mesh
from teeter.models.surface import half_edges_of

MAX_TRIANGLES = 200_000
# metres: below a hundredth of a millimetre and above a kilometre the units are wrong
MIN_SIZE, MAX_SIZE = 1e-5, 1e3
# of the cube of the diagonal; a sheet of paper of 1 m has 1e-5
MIN_VOLUME = 1e-9
# a mesh that fills its hull to this part is convex
CONVEX_FILL = 1 - 1e-4
# part of its volume that the convex parts of a mesh hold at least
KEPT_IN_ALL = 0.75
FOLD = 1e-5
"""Radians. Two faces closer than this lie on each other; there is no solid between them."""
# parts of the diagonal: corners nearer than this are one, a hole narrower than this is closed
CRACK, PINHOLE = 5e-5, 0.02
# part of the surface that one missing triangle may be; without more it is no solid that has lost a face
LOST_FACE = 0.15
# solids that may meet in one edge
MAX_AROUND = 50
INSIDE_OUT = "some faces of the mesh are inside out: recalculate its normals outward"


def build_file(shape: Mesh, detail: Detail) -> Solid:
    """The solid in a mesh file."""
    path = Path(shape.mesh)
    vertices, faces = read_mesh(path)
    return solid_of_mesh(vertices * shape.scale, faces, str(path))


def read_mesh(path: Path) -> tuple[Array, Ints]:
    """Vertices (n, 3) in metres, Z-up, and faces (f, 3) of a file in mm (glTF: metres and Y-up), all nodes together.

    Raises MeshError when it cannot be read.
    """
    suffix = path.suffix.lower()
    if suffix not in KINDS:
        how = ELSEWHERE.get(suffix, f"use one of {', '.join(sorted(KINDS))}")
        raise MeshError(f'{path}: "{suffix}" is not a known mesh format: {how}')
    try:
        nodes = read_nodes(path)
    except MeshFileError as error:
        raise MeshError(f"{path}: {error}") from error
    except OSError as error:
        raise MeshError(f"{path}: there is no such mesh file") from error
    vertices, faces, count = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.int64)], 0
    for node in nodes:
        vertices.append(node.vertices @ node.matrix[:3, :3].T + node.matrix[:3, 3])
        # a mirrored node is inside out
        is_mirrored = np.linalg.det(node.matrix[:3, :3]) < 0
        faces.append((node.faces[:, ::-1] if is_mirrored else node.faces) + count)
        count += len(node.vertices)
    kind = KINDS[suffix]
    axes = kind.unit * (Y_UP if kind.up == "y" else np.eye(3))
    return np.concatenate(vertices) @ axes.T, np.concatenate(faces)


def solid_of_mesh(vertices: Array, faces: Ints, where: str, *, is_compound: bool = False) -> Solid:
    """A solid from a foreign mesh in metres, moved so that its bounding box is centred.

    `where` names the mesh in messages. is_compound: it may be several bodies that nothing joins,
    rigid all the same. Raises MeshError when it is not a closed solid of sensible size.
    """
    vertices, faces = checked(vertices, faces, where, is_compound=is_compound)
    rounding = SINGLE_PRECISION * float(np.abs(vertices).max())

    def parts(moved: Array, surface: Surface) -> list[Part]:
        bodies = solids_of(moved, faces) if is_compound else []
        if len(bodies) > 1:
            return [part for own, triangles in bodies for part in _parts(own, triangles, own, where)]
        rings = [ring for facet in surface.facets for ring in facet.rings]
        return _parts(moved, faces, np.unique(np.concatenate(rings), axis=0), where)

    return solid_of(vertices, faces, parts, rounding=rounding)


def _parts(vertices: Array, faces: Ints, corners: Array, where: str) -> list[Part]:
    """The convex parts of a body. corners: (n, 3) of its faces. Raises MeshError where they hold too little of it."""
    label, volumes = _bodies(vertices, faces)
    # where its walls are too thin, without the hollows that it closes in: little can be in there
    for skin in (faces, faces[volumes[label] > 0])[: len(volumes)]:
        volume = MassProperties.of(vertices, skin).volume
        if volume >= CONVEX_FILL * hull_volume(corners):
            return [hull_part(corners)]
        pieces = decompose(vertices, skin)
        kept = sum(map(hull_volume, pieces)) / volume
        if KEPT_IN_ALL <= kept <= 2.0 - CONVEX_FILL:
            return [hull_part(piece) for piece in pieces]
    many = f"{len(pieces)} convex parts hold {100 * kept:.0f} % of it"
    raise MeshError(
        f"{where}: its walls are too thin for their curves: {many}. Make them thicker or less round"
    )


def checked(vertices: Array, faces: Ints, where: str, *, is_compound: bool = False) -> tuple[Array, Ints]:
    """The same mesh with shared corners, wound outward. Raises MeshError when it bounds no solid."""
    if len(faces) == 0:
        raise MeshError(f"{where}: the mesh has no triangles")
    if len(faces) > MAX_TRIANGLES:
        raise MeshError(f"{where}: {len(faces)} triangles are too many: at most {MAX_TRIANGLES} a piece")
    if not np.isfinite(vertices).all():
        raise MeshError(f"{where}: a coordinate is not a finite number: export the mesh again")
    vertices, faces = _joined(vertices, faces, where)
    size = np.ptp(vertices, axis=0)
    if size.max() < MIN_SIZE or size.max() > MAX_SIZE:
        raise MeshError(f"{where}: {_mm(size)} mm is no size for a piece: check the unit or the scale")
    label, volumes = _bodies(vertices, faces)
    if abs(volumes.sum()) < MIN_VOLUME * float(np.linalg.norm(size)) ** 3:
        # what cancels out lies side by side; a thin wall's inner skin lies within the other
        if volumes.any() and not _is_size(vertices[faces[label == np.abs(volumes).argmax()]], size):
            raise MeshError(f"{where}: {INSIDE_OUT}")
        raise MeshError(f"{where}: the mesh of size {_mm(size)} mm has no volume: give it thickness")
    if volumes.sum() < 0:
        faces, volumes = np.ascontiguousarray(faces[:, ::-1]), -volumes
    if (volumes > 0).sum() > 1 and not is_compound:
        count = int((volumes > 0).sum())
        raise MeshError(
            f"{where}: the mesh is {count} separate bodies: unite them, or give each a mesh of its own"
        )
    hollows = vertices[faces[volumes[label] <= 0]]
    outside = vertices[faces[volumes[label] > 0]]
    if hollows.size and not _is_size(outside, size):
        raise MeshError(f"{where}: {INSIDE_OUT}")
    return vertices, faces


def _is_size(triangles: Array, size: Array) -> bool:
    return bool((np.ptp(triangles, axis=(0, 1)) == size).all())


def _bodies(vertices: Array, faces: Ints) -> tuple[Ints, Array]:
    """(f,) the number of the connected skin each face belongs to, and what each encloses, cubic metres.

    A skin that is inside out encloses a negative volume: a hollow, when it lies within another.
    """
    face = np.arange(3 * len(faces)) // 3
    label = groups_of(len(faces), face, face[half_edges_of(vertices, faces).twin])
    corners = (vertices - vertices.mean(axis=0))[faces]
    return label, np.bincount(label, six_volumes(corners)).astype(np.float64) / 6


def _joined(vertices: Array, faces: Ints, where: str) -> tuple[Array, Ints]:
    """Corners at the same place made one, unless the mesh is closed and sound as it is."""
    used, number = np.unique(faces, return_inverse=True)
    vertices, faces = vertices[used], number.reshape(-1, 3).astype(np.int64)
    lengths = np.linalg.norm(vertices[faces] - vertices[np.roll(faces, 1, axis=1)], axis=2)
    if lengths.min() > 0 and _edge_fault(vertices, faces) is None:
        return vertices, faces
    # files split corners for normals and textures, and round them one by one
    vertices, faces = merged_corners(vertices, faces)
    fault = _edge_fault(vertices, faces)
    if fault is None:
        return vertices, faces
    mended = _mended(vertices, faces)
    if _edge_fault(*mended) is not None:
        raise MeshError(f"{where}: {fault}")
    return mended


def _mended(vertices: Array, faces: Ints) -> tuple[Array, Ints]:
    """The mesh without cracks, doubled faces and small holes, its faces wound alike; its solids stay as they were. What
    is small is so beside the solid that has the hole, not beside all in the file."""
    size = float(np.linalg.norm(np.ptp(vertices, axis=0)))
    place = groups_of(len(vertices), *pairs_within(vertices, vertices, CRACK * size))
    _, first = np.unique(place, return_index=True)
    vertices, faces = vertices[first], place[faces]
    faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]
    _, first = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
    faces = _wound_alike(faces[np.sort(first)])
    body, whole = groups_of(len(vertices), faces.ravel(), np.roll(faces, 1, axis=1).ravel()), vertices[faces]
    for loop in _holes(faces):
        own = vertices[faces[body[faces[:, 0]] == body[loop[0]]]]
        extent = float(np.linalg.norm(np.ptp(own, axis=(0, 1))))
        # a loose sheet has no solid
        if abs(six_volumes(own - own[0, 0]).sum()) < MIN_VOLUME * extent**3:
            own, extent = whole, size
        a, b, c = vertices[loop[:3]]
        area = np.linalg.norm(np.cross(*(own[:, 1:] - own[:, :1]).transpose(1, 0, 2)), axis=1).sum()
        is_one_face = len(loop) == 3 and np.linalg.norm(np.cross(b - a, c - a)) < LOST_FACE * area
        if is_one_face or np.ptp(vertices[loop], axis=0).max() < PINHOLE * extent:
            fan = [[loop[0], loop[k + 1], loop[k]] for k in range(1, len(loop) - 1)]
            faces = np.concatenate([faces, np.array(fan)])
    used, number = np.unique(faces, return_inverse=True)
    return vertices[used], number.reshape(-1, 3).astype(np.int64)


def _wound_alike(faces: Ints) -> Ints:
    """The faces, each turned so that it runs along its shared edges against its neighbours."""
    by_edge: dict[tuple[int, int], list[tuple[int, bool]]] = {}
    for face, (a, b, c) in enumerate(faces.tolist()):
        for start, stop in ((a, b), (b, c), (c, a)):
            by_edge.setdefault((min(start, stop), max(start, stop)), []).append((face, start < stop))
    beside: list[list[tuple[int, bool]]] = [[] for _ in faces]
    for users in by_edge.values():
        if len(users) == 2:
            (one, way), (other, back) = users
            beside[one].append((other, way is back))
            beside[other].append((one, way is back))
    turned: dict[int, bool] = {}
    for seed in range(len(faces)):
        front = [] if seed in turned else [seed]
        turned.setdefault(seed, False)
        while front:
            face = front.pop()
            for other, is_against in beside[face]:
                if other not in turned:
                    turned[other] = turned[face] is not is_against
                    front.append(other)
    flip = np.array([turned[face] for face in range(len(faces))])
    return np.where(flip[:, None], faces[:, ::-1], faces)


def _holes(faces: Ints) -> list[list[int]]:
    """The loops of corners along edges that have one face only."""
    edges = set(zip(faces.ravel().tolist(), np.roll(faces, -1, axis=1).ravel().tolist(), strict=True))
    onward = {a: b for a, b in sorted(edges) if (b, a) not in edges}
    loops = []
    while onward:
        loop = [min(onward)]
        while (step := onward.pop(loop[-1], None)) is not None and step != loop[0]:
            loop.append(step)
        if step is not None:
            loops.append(loop)
    return loops


def _edge_fault(vertices: Array, faces: Ints) -> str | None:
    """What keeps the faces from closing, in words; None when nothing does."""
    ends = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    edges, count = np.unique(np.sort(ends, axis=1), axis=0, return_counts=True)
    for is_bad, words, remedy in (
        (count == 1, "is not watertight: open", "close the holes"),
        (count > 2, "is not one solid: more than two faces meet in", "unite touching or overlapping bodies"),
    ):
        if is_bad.any():
            number = f"{is_bad.sum()} edge" + "s" * int(is_bad.sum() > 1)
            middle = vertices[edges[is_bad][0]].mean(axis=0)
            return f"the mesh {words} {number}, one at {_mm(middle)} mm: {remedy}"
    try:
        half_edges_of(vertices, faces)
    except ValueError:
        return INSIDE_OUT
    return None


def _mm(values: Array) -> str:
    return "[" + ", ".join(f"{value / MM:.4g}" for value in values) + "]"


def solids_of(vertices: Array, faces: Ints) -> list[tuple[Array, Ints]]:
    """Returns the closed solids in a mesh, in the order of their first faces; the mesh itself if it is not so simple.
    Small holes are closed where there are several.

    Solids that touch may share corners and edges: faces belong together when a solid lies between them. A skin that is
    inside out is a cavity of the smallest solid around it.
    """
    joined, corners = merged_corners(vertices, faces)
    skin = _skins(joined, corners)
    if skin is None and len(faces):
        joined, corners = _mended(joined, corners)
        skin = _skins(joined, corners)
    if skin is None or skin.max(initial=0) == 0:
        return [(vertices, faces)]
    origin = joined.mean(axis=0)
    sides = joined[corners] - origin
    volumes = np.bincount(skin, six_volumes(sides))
    # the largest skin is no cavity: when it is inside out, everything is
    volumes *= np.sign(volumes[np.abs(volumes).argmax()])
    owner = np.arange(len(volumes))
    for hollow in np.flatnonzero(volumes <= 0):
        point = sides[skin == hollow].reshape(-1, 3)[0]
        outer = [
            solid
            for solid in np.flatnonzero(volumes > -volumes[hollow])
            if _winding(point, sides[skin == solid]) > 0.5
        ]
        if not outer:
            return [(vertices, faces)]
        owner[hollow] = min(outer, key=lambda solid: volumes[solid])
    result = []
    for index in np.flatnonzero(volumes > 0):
        used, own = np.unique(corners[owner[skin] == index], return_inverse=True)
        result.append((joined[used], own.reshape(-1, 3).astype(np.int64)))
    return result


def _winding(point: Array, triangles: Array) -> float:
    """How often a closed skin goes round a point: the solid angles of its triangles (van Oosterom, Strackee 1983)."""
    a, b, c = (triangles - point).transpose(1, 0, 2)
    la, lb, lc = (np.linalg.norm(corner, axis=1) for corner in (a, b, c))
    triple = np.einsum("fd,fd->f", a, np.cross(b, c))
    rest = la * lb * lc + (a * b).sum(1) * lc + (b * c).sum(1) * la + (c * a).sum(1) * lb
    return abs(float(np.arctan2(triple, rest).sum()) / (2 * np.pi))


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
        if len(partners) != len(owners) or len(owners) > MAX_AROUND:
            return None
        if len(owners) == 1:
            pairs.append((owners[0], partners[0]))
        elif a < b:
            pairs += [(owner, _across(vertices, faces, (a, b), owner, partners)) for owner in owners]
    label = groups_of(len(faces), *np.array(pairs).T)
    _, order = np.unique(label, return_index=True)
    rank = np.argsort(np.argsort(order))
    return np.asarray(rank[label].astype(np.int64))


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
