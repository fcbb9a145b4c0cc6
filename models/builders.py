"""Builders of the regular shapes: millimetres in, a `Solid` in metres out.

Whatever is flat is exact. A circle is a fine polygon in the surface; its parts are coarser sectors of equal
area, so that they fill the true volume, and its mass comes from closed forms.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise, product

import numpy as np

from teeter.models.convex import box_part, hull_part, merge_cells, sphere_part
from teeter.models.errors import ModelError
from teeter.models.outline import convex_pieces, signed_area, triangulate
from teeter.models.piece import (
    MM,
    Array,
    Detail,
    Flags,
    Ints,
    MassProperties,
    Part,
    Solid,
    Surface,
    TriangleMesh,
)
from teeter.models.shapes import Box, Cylinder, Polycube, Prism, Sphere
from teeter.models.surface import surface_of

# heights along a cylinder's side where contact with its curve is looked for, as parts of the height; away
# from the ends, so that a standing cylinder does not touch with its side
SIDE_SAMPLES = np.linspace(-0.45, 0.45, 9)

# corners are counted in binary, x first: 1 is above 0, 4 is beside it along x
BOX_FACES = np.array(
    [
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
        [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
    ]
)  # fmt: skip


def solid_of(
    vertices: Array,
    faces: Ints,
    parts: Callable[[Array, Surface], Sequence[Part]],
    *,
    curved: Flags | None = None,
    samples: Array | None = None,
    mass: MassProperties | None = None,
    rounding: float = 0.0,
) -> Solid:
    """A solid from a closed triangle mesh in metres, moved so that its bounding box is centred.

    parts: makes the convex parts from the moved vertices and their surface. curved, samples, rounding: as in
    `surface_of`. mass: closed forms where the mesh only approximates the shape, about the bounding box
    centre.
    """
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    moved = vertices - (low + high) / 2
    mass = mass or MassProperties.of(moved, faces)
    surface = surface_of(moved, faces, curved=curved, samples=samples, rounding=rounding)
    return Solid(TriangleMesh(moved, faces), surface, tuple(parts(moved, surface)), high - low, mass)


def build_box(shape: Box, detail: Detail) -> Solid:
    """A cuboid: one exact part."""
    size = np.array(shape.box) * MM
    x, y, z = size
    vertices = size / 2 * np.array(list(product((-1.0, 1.0), repeat=3)))
    inertia = np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) * (x * y * z / 12)
    mass = MassProperties(float(x * y * z), np.zeros(3), inertia)
    return solid_of(vertices, BOX_FACES, lambda *_: [box_part(np.zeros(3), size / 2)], mass=mass)


def build_cylinder(shape: Cylinder, detail: Detail) -> Solid:
    """A disc or pole along z, cut into sectors."""
    radius, height = (value * MM for value in shape.cylinder)
    ring = _circle(radius, detail.outline)
    vertices, faces = extrude(ring, [[0, i, i + 1] for i in range(1, len(ring) - 1)], height)
    curved = np.arange(len(faces)) >= len(faces) - 2 * len(ring)
    samples = np.concatenate([np.c_[ring, np.full(len(ring), height * level)] for level in SIDE_SAMPLES])
    volume = float(np.pi * radius**2 * height)
    across = volume * (3 * radius**2 + height**2) / 12
    mass = MassProperties(volume, np.zeros(3), np.diag([across, across, volume * radius**2 / 2]))
    parts = _sectors(radius, height, detail)
    return solid_of(vertices, faces, lambda *_: parts, curved=curved, samples=samples, mass=mass)


def build_sphere(shape: Sphere, detail: Detail) -> Solid:
    """A ball: one exact part, all of its surface curved."""
    radius = shape.sphere * MM
    vertices, faces = _icosphere(radius, detail.ball)
    volume = float(4 / 3 * np.pi * radius**3)
    mass = MassProperties(volume, np.zeros(3), np.eye(3) * (0.4 * volume * radius**2))
    curved = np.ones(len(faces), dtype=bool)
    return solid_of(vertices, faces, lambda *_: [sphere_part(np.zeros(3), radius)], curved=curved, mass=mass)


A, B = 0.5257311121191336, 0.85065080835204
CORNERS = np.array(
    [
        *((-A, B, 0.0), (A, B, 0.0), (-A, -B, 0.0), (A, -B, 0.0), (0.0, -A, B), (0.0, A, B)),
        *((0.0, -A, -B), (0.0, A, -B), (B, 0.0, -A), (B, 0.0, A), (-B, 0.0, -A), (-B, 0.0, A)),
    ]
)
TRIANGLES = """0 11 5 0 5 1 0 1 7 0 7 10 0 10 11 1 5 9 5 11 4 11 10 2 10 7 6 7 1 8
3 9 4 3 4 2 3 2 6 3 6 8 3 8 9 4 9 5 2 4 11 6 2 10 8 6 7 9 8 1"""
"""Of an icosahedron: its corners (12, 3) on a sphere of radius 1, and its faces by them."""


def _icosphere(radius: float, times: int) -> tuple[Array, Ints]:
    """A sphere as an icosahedron whose triangles are divided into four, so many times: vertices (n, 3), faces (m, 3).
    Bit for bit trimesh's, which takes 0.4 s to import."""
    vertices, faces = CORNERS, np.array(TRIANGLES.split(), dtype=np.int64).reshape(-1, 3)
    for _ in range(times):
        edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        numbers = edges[:, 1] * len(vertices) + edges[:, 0]
        _, first, which = np.unique(numbers, return_index=True, return_inverse=True)
        (a, b, c), (d, e, f) = faces.T, len(vertices) + which.reshape(-1, 3).T
        faces = np.stack([a, d, f, d, b, e, f, e, c, d, e, f], axis=1).reshape(-1, 3)
        vertices = np.concatenate([vertices, vertices[edges[first]].mean(axis=1)])
        away = np.sqrt((vertices**2) @ np.ones(3))[:, None]
        vertices = vertices + vertices / away * (radius - away)
    return vertices, faces


def build_prism(shape: Prism, detail: Detail) -> Solid:
    """A polygon stood up along z; each of its convex pieces becomes a part."""
    points = [(x * MM, y * MM) for x, y in shape.prism.points]
    if signed_area(points) < 0:
        points.reverse()
    ring = np.array(points)
    vertices, faces = extrude(ring, triangulate(points), shape.prism.height * MM)
    pieces = convex_pieces(points)

    def parts(moved: Array, _: Surface) -> list[Part]:
        return [hull_part(moved[[*piece, *(len(ring) + corner for corner in piece)]]) for piece in pieces]

    return solid_of(vertices, faces, parts)


def build_polycube(shape: Polycube, detail: Detail) -> Solid:
    """Cubes glued face to face; each row or block of them becomes one exact box."""
    edge = shape.polycube.edge * MM
    cells = shape.polycube.cells
    low = np.array(cells).min(axis=0)
    high = np.array(cells).max(axis=0) + 1
    vertices, faces = _cell_faces(cells)

    def parts(*_: object) -> list[Part]:
        return [
            box_part((start + size / 2 - (low + high) / 2) * edge, size * edge / 2)
            for start, size in merge_cells(cells)
        ]

    try:
        return solid_of(vertices * edge, faces, parts)
    except ValueError as error:
        raise ModelError(
            "polycube.cells: some cells touch only along an edge, which no wooden piece does: "
            "add a cell that shares a face with both, or take one away"
        ) from error


def strip(count: int, low: int, high: int) -> Ints:
    """Faces (2 count, 3) between two rings of so many corners, that of the upper one above it, seen from outside; low,
    high: their first corners."""
    here = np.arange(count)
    there = np.roll(here, -1)
    sides = [np.c_[low + here, low + there, high + there], np.c_[low + here, high + there, high + here]]
    return np.concatenate(sides).astype(np.int64)


def halved(quads: Ints) -> Ints:
    """Quads (n, 4) as triangles (2 n, 3)."""
    return np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]).astype(np.int64)


def extrude(ring: Array, triangles: list[list[int]], height: float) -> tuple[Array, Ints]:
    """A counter-clockwise ring (n, 2) with its triangles, stood up along z about z = 0.

    Vertices are the lower ring, then the upper; faces are the lower end, the upper end, then two for each
    side.
    """
    count = len(ring)
    cap = np.array(triangles)
    vertices = np.concatenate(
        [np.c_[ring, np.full(count, -height / 2)], np.c_[ring, np.full(count, height / 2)]]
    )
    return vertices, np.concatenate([cap[:, ::-1], cap + count, strip(count, 0, count)])


def _circle(radius: float, sides: int) -> Array:
    """(sides, 2) points on a circle, starting on the x axis."""
    angle = 2 * np.pi * np.arange(sides) / sides
    return np.asarray(radius * np.stack([np.cos(angle), np.sin(angle)], axis=1))


def _sectors(radius: float, height: float, detail: Detail) -> list[Part]:
    """A disc as wedges about its axis. Their polygon has the circle's area: half the sagitta out, half in."""
    angle = 2 * np.pi / detail.rim
    ring = _circle(radius * float(np.sqrt(angle / np.sin(angle))), detail.rim)
    if detail.sectors < 2:
        return [hull_part(extrude(ring, [[0, 1, 2]], height)[0])]
    bounds = np.linspace(0, detail.rim, detail.sectors + 1).round().astype(int)
    parts = []
    for first, last in pairwise(bounds.tolist()):
        wedge = np.concatenate([[[0.0, 0.0]], ring[np.arange(first, last + 1) % detail.rim]])
        parts.append(hull_part(extrude(wedge, [[0, 1, 2]], height)[0]))
    return parts


def _cell_faces(cells: tuple[tuple[int, int, int], ...]) -> tuple[Array, Ints]:
    """The outer faces of unit cells as triangles, corners shared."""
    filled = set(cells)
    quads = []
    for cell in cells:
        for axis in range(3):
            for side in (0, 1):
                beside = tuple(c + (2 * side - 1) * (axis == k) for k, c in enumerate(cell))
                if beside not in filled:
                    quads.append(_cell_side(cell, axis, side))
    corners = np.concatenate(quads)
    vertices, index = np.unique(corners, axis=0, return_inverse=True)
    return vertices.astype(float), halved(index.reshape(-1, 4))


def _cell_side(cell: tuple[int, int, int], axis: int, side: int) -> Ints:
    """(4, 3) corners of one side of a unit cell, counter-clockwise seen from outside."""
    u, v = np.eye(3, dtype=np.int64)[[(axis + 1) % 3, (axis + 2) % 3]]
    base = np.array(cell) + side * np.eye(3, dtype=np.int64)[axis]
    ring = [base, base + u, base + u + v, base + v]
    return np.array(ring if side else ring[::-1])
