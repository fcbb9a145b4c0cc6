"""Foreign meshes: read, judged, and made into solids.

A mesh must be the closed skin of one solid, wound outward (a mesh that is inside out as a whole is turned).
Its flat faces, edges and corners are taken as they are; which facets stand for a curve is judged by
`models.surface.curved_facets`. The convex parts are, in this order: the hull of a convex mesh (a cuboid is an
exact box), the exact pieces of a straight prism, or what `models.decompose` finds.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from models.convex import hull_part, hull_volume
from models.decompose import decompose
from models.errors import MeshError
from models.net import Ints, net_of
from models.outline import convex_pieces
from models.piece import Array, Part, Surface
from models.shapes import Mesh
from models.solid import MM, Detail, Solid, bulk_of, solid_of

MOST_TRIANGLES = 200_000
MOST_BYTES = 100_000_000
SUFFIXES = (".3mf", ".glb", ".gltf", ".obj", ".off", ".ply", ".stl")
# glTF is in metres and Y-up by its standard
GLTF = (".glb", ".gltf")
Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
# metres: below a hundredth of a millimetre and above a kilometre the units are wrong
SMALLEST, LARGEST = 1e-5, 1e3
# of the cube of the diagonal; a sheet of paper of 1 m has 1e-5
LEAST_VOLUME = 1e-9
# a mesh that fills its hull to this part is convex
CONVEX_FILL = 1 - 1e-4
# a straight prism with more convex pieces than this is an arc: fewer, slightly bulging pieces serve better
MOST_PRISM_PIECES = 16
INSIDE_OUT = "some faces of the mesh are inside out: recalculate its normals outward"
# coordinates are often stored with 24 bits
SINGLE_PRECISION = 2.0**-23


def build_file(shape: Mesh, detail: Detail) -> Solid:
    """The solid in a mesh file."""
    path = Path(shape.mesh)
    vertices, faces = read_mesh(path)
    return solid_of_mesh(vertices * shape.scale, faces, str(path))


def read_mesh(path: Path) -> tuple[Array, Ints]:
    """Vertices (n, 3) in metres, Z-up, and faces (f, 3) of a file in mm (glTF: metres and Y-up).

    Raises MeshError when it cannot be read.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise MeshError(f'{path}: "{suffix}" is not a known mesh format: use one of {", ".join(SUFFIXES)}')
    try:
        size = path.stat().st_size
    except OSError as error:
        raise MeshError(f"{path}: there is no such mesh file") from error
    if size > MOST_BYTES:
        raise MeshError(f"{path}: {size / 1e6:.0f} MB is too large for one piece: at most 100 MB")
    import trimesh  # slow to import, and the catalogues need no file

    try:
        mesh = trimesh.load_mesh(path)
        vertices, faces = np.array(mesh.vertices, dtype=np.float64), np.array(mesh.faces, dtype=np.int64)
    except Exception as error:  # the readers raise whatever a broken file leads them to
        raise MeshError(f"{path}: cannot be read as {suffix}: {error or type(error).__name__}") from error
    return (vertices @ Y_UP.T, faces) if suffix in GLTF else (vertices * MM, faces)


def solid_of_mesh(vertices: Array, faces: Ints, where: str) -> Solid:
    """A solid from a foreign mesh in metres, moved so that its bounding box is centred.

    `where` names the mesh in messages. Raises MeshError when it is not a closed solid of sensible size.
    """
    vertices, faces = checked(vertices, faces, where)
    rounding = SINGLE_PRECISION * float(np.abs(vertices).max())

    def parts(moved: Array, surface: Surface) -> list[Part]:
        return convex_parts(moved, faces, surface)

    return solid_of(vertices, faces, parts, rounding=rounding)


def checked(vertices: Array, faces: Ints, where: str) -> tuple[Array, Ints]:
    """The same mesh with shared corners, wound outward. Raises MeshError when it bounds no solid."""
    if len(faces) == 0:
        raise MeshError(f"{where}: the mesh has no triangles")
    if len(faces) > MOST_TRIANGLES:
        raise MeshError(f"{where}: {len(faces)} triangles are too many: at most {MOST_TRIANGLES} a piece")
    if not np.isfinite(vertices).all():
        raise MeshError(f"{where}: a coordinate is not a finite number: export the mesh again")
    vertices, faces = _joined(vertices, faces, where)
    size = np.ptp(vertices, axis=0)
    if size.max() < SMALLEST or size.max() > LARGEST:
        raise MeshError(f"{where}: {_mm(size)} mm is no size for a piece: check the unit or the scale")
    label, volumes = _bodies(vertices, faces)
    if abs(volumes.sum()) < LEAST_VOLUME * float(np.linalg.norm(size)) ** 3:
        raise MeshError(f"{where}: the mesh of size {_mm(size)} mm has no volume: give it thickness")
    if volumes.sum() < 0:
        faces, volumes = np.ascontiguousarray(faces[:, ::-1]), -volumes
    if (volumes > 0).sum() > 1:
        count = int((volumes > 0).sum())
        raise MeshError(
            f"{where}: the mesh is {count} separate bodies: unite them, or give each a mesh of its own"
        )
    hollows = vertices[faces[volumes[label] <= 0]]
    outside = vertices[faces[volumes[label] > 0]]
    if hollows.size and not (np.ptp(outside, axis=(0, 1)) == size).all():
        raise MeshError(f"{where}: {INSIDE_OUT}")
    return vertices, faces


def _bodies(vertices: Array, faces: Ints) -> tuple[Ints, Array]:
    """(f,) the number of the connected skin each face belongs to, and what each encloses, cubic metres.

    A skin that is inside out encloses a negative volume: a hollow, when it lies within another.
    """
    face = np.arange(3 * len(faces)) // 3
    links = coo_matrix((np.ones(len(face)), (face, face[net_of(vertices, faces).twin])))
    label = connected_components(links, directed=False)[1].astype(np.int64)
    corners = (vertices - vertices.mean(axis=0))[faces]
    six_volumes = np.einsum("fd,fd->f", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    return label, np.bincount(label, six_volumes).astype(np.float64) / 6


def _joined(vertices: Array, faces: Ints, where: str) -> tuple[Array, Ints]:
    """Corners at the same place made one, unless the mesh is closed and sound as it is."""
    used, number = np.unique(faces, return_inverse=True)
    vertices, faces = vertices[used], number.reshape(-1, 3).astype(np.int64)
    lengths = np.linalg.norm(vertices[faces] - vertices[np.roll(faces, 1, axis=1)], axis=2)
    if lengths.min() > 0 and _edge_fault(vertices, faces) is None:
        return vertices, faces
    # files split corners for normals and textures, and round them one by one
    grain = 4 * SINGLE_PRECISION * max(float(np.abs(vertices).max()), np.finfo(float).tiny)
    _, first, index = np.unique(np.round(vertices / grain), axis=0, return_index=True, return_inverse=True)
    vertices, faces = vertices[first], index.reshape(-1)[faces]
    faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]
    fault = _edge_fault(vertices, faces)
    if fault:
        raise MeshError(f"{where}: {fault}")
    return vertices, faces


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
        net_of(vertices, faces)
    except ValueError:
        return INSIDE_OUT
    return None


def convex_parts(vertices: Array, faces: Ints, surface: Surface) -> list[Part]:
    """The convex parts of a closed mesh; see the head of this file."""
    corners = np.unique(np.concatenate([ring for facet in surface.facets for ring in facet.rings]), axis=0)
    if bulk_of(vertices, faces).volume >= CONVEX_FILL * hull_volume(corners):
        return [hull_part(corners)]
    pieces = _prism_pieces(surface)
    return [hull_part(piece) for piece in pieces or decompose(vertices, faces)]


def _prism_pieces(surface: Surface) -> list[Array] | None:
    """The exact convex pieces of a straight prism without holes; None for any other solid."""
    normals = np.array([facet.normal for facet in surface.facets])
    for facet, normal in zip(surface.facets, normals, strict=True):
        along = normals @ normal
        ends, sides = np.abs(along) > 1 - 1e-6, np.abs(along) < 1e-3
        if len(facet.rings) > 1 or ends.sum() != 2 or not (ends | sides).all() or along[ends].min() > 0:
            continue
        u = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
        u /= np.linalg.norm(u)
        ring = facet.rings[0]
        pieces = convex_pieces(
            [(float(x), float(y)) for x, y in ring @ np.stack([u, np.cross(normal, u)], axis=1)]
        )
        if len(pieces) > MOST_PRISM_PIECES:
            return None
        far = surface.facets[int(np.argmin(along))].rings[0][0]
        down = float((far - ring[0]) @ normal) * normal
        return [np.concatenate([ring[piece], ring[piece] + down]) for piece in pieces]
    return None


def _mm(values: Array) -> str:
    return "[" + ", ".join(f"{value / MM:.4g}" for value in values) + "]"
