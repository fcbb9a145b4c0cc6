"""Blocks with caps: three flat faces that meet in a corner, three faces swollen to spherical caps."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from models.convex import hull_part
from models.net import Flags, Ints
from models.piece import Array, Facet, Surface, TriangleMesh
from models.shapes_cut import Wonky
from models.solid import MM, Detail, Solid, bulk_of, locked

# squares along the edge of a cap, an even number: drawn, weighed, and in the parts
CAP_DRAWN, CAP_WEIGHED, CAP_PART = 12, 48, 8


def build_wonky(shape: Wonky, detail: Detail) -> Solid:
    """A block with three caps. Its parts are cones from the flat corner to each cap: with two of them under every
    flat face it stands more firmly than with the four contact points of one hull.
    """
    edge, sagitta = shape.wonky.edge * MM, shape.wonky.sagitta * MM
    vertices, faces, curved = capped(edge, sagitta, CAP_DRAWN)
    middle = np.full(3, (edge + sagitta) / 2)
    fine, more, _ = capped(edge, sagitta, CAP_WEIGHED)
    bulk = bulk_of(fine - middle, more)
    cone = np.concatenate([np.zeros((1, 3)), _cap(edge, sagitta, CAP_PART).reshape(-1, 3)])
    solid = Solid(
        visual=TriangleMesh(vertices - middle, faces),
        surface=_capped_surface(vertices - middle, faces, curved),
        parts=tuple(hull_part(np.roll(cone, axis, axis=1) - middle) for axis in range(3)),
        extents=np.full(3, edge + sagitta),
        volume=bulk.volume,
        centre_of_mass=bulk.centre,
        inertia=bulk.inertia,
    )
    return locked(solid)


def _capped_surface(vertices: Array, faces: Ints, curved: Flags) -> Surface:
    """Three flat facets, and every triangle of a cap for itself: its squares are not quite flat.

    Edges are those of the flat facets; corners are where two of these meet a cap, and all three each other.
    """
    low = vertices.min()
    facets = [
        Facet((vertices[face],), normal, curved=True)
        for face, normal in zip(faces[curved], _normals(vertices[faces[curved]]), strict=True)
    ]
    edges: list[Array] = []
    for axis in range(3):
        normal = -np.eye(3)[axis]
        flat = vertices[vertices[:, axis] == low]
        u, v = flat[:, (axis + 1) % 3], flat[:, (axis + 2) % 3]
        origin = np.full(3, low)
        rim = flat[(u > low) | (v > low)]
        turn = np.arctan2(rim[:, (axis + 2) % 3] - low, rim[:, (axis + 1) % 3] - low)
        rim = rim[np.argsort(-turn)]  # counter-clockwise seen from below
        facets.append(Facet((np.concatenate([[origin], rim]),), normal, curved=False))
        edges += [np.array([origin, rim[0]]), *np.stack([rim[:-1], rim[1:]], axis=1)]
    corners = np.array(
        [edge[0] for edge in edges if (edge[0] == low).all()][:1]
        + [edge[1] for edge in edges if (edge[0] == low).all()]
    )
    is_sample = np.ones(len(vertices), dtype=bool)
    is_sample[faces[~curved]] = False
    return Surface(tuple(facets), np.array(edges), corners, vertices[is_sample])


def _normals(triangles: Array) -> Array:
    """Unit normals (f, 3) of triangles (f, 3, 3)."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    return np.asarray(normals / np.linalg.norm(normals, axis=1)[:, None])


def capped(edge: float, sagitta: float, squares: int) -> tuple[Array, Ints, Flags]:
    """Vertices, faces and which faces are curved, of a cube from the origin whose three far faces are caps.

    Each cap belongs to a sphere through the four corners of the cube's face. Seen from the origin the caps are
    the three far faces of a cube, which gives them a grid each.
    """
    cap = _cap(edge, sagitta, squares).reshape(-1, 3)
    n = squares + 1
    here = np.arange(n * n).reshape(n, n)
    a, b, c, d = here[:-1, :-1], here[1:, :-1], here[1:, 1:], here[:-1, 1:]
    quads = np.stack([a, b, c, d], axis=-1).reshape(-1, 4)
    points = [np.roll(cap, axis, axis=1) for axis in range(3)]
    faces = [quads[:, [0, 1, 2]] + axis * n * n for axis in range(3)]
    faces += [quads[:, [0, 2, 3]] + axis * n * n for axis in range(3)]
    flat = []
    for axis in range(3):
        # from the x cap's rim at z = 0, over the corner, along the y cap's rim at z = 0
        other = (axis + 1) % 3
        rim = np.concatenate([here[:, 0] + axis * n * n, here[0, ::-1][1:] + other * n * n])
        flat += [[3 * n * n, second, first] for first, second in pairwise(rim.tolist())]
    corners = np.concatenate([*points, np.zeros((1, 3))])
    index = np.concatenate([*faces, np.array(flat)])
    vertices, number = _shared(corners, edge)
    index = number[index]
    return vertices, index, np.arange(len(index)) < 6 * len(quads)


def _cap(edge: float, sagitta: float, squares: int) -> Array:
    """(n, n, 3) the grid of the cap at +x; the first index runs along y, the second along z."""
    radius = (edge**2 / 2 + sagitta**2) / (2 * sagitta)
    # the highest point of a cap is a corner of its grid
    top, half = edge / 2 / (edge + sagitta), squares // 2 + 1
    grid = np.concatenate([np.linspace(0, top, half), np.linspace(top, 1, half)[1:]])
    u, v = np.meshgrid(grid, grid, indexing="ij")
    ray = np.stack([np.ones_like(u), u, v], axis=-1).reshape(-1, 3)
    centre = np.array([edge + sagitta - radius, edge / 2, edge / 2])
    along, square = ray @ centre, (ray**2).sum(axis=1)
    cap: Array = (
        ray * ((along + np.sqrt(along**2 - square * (centre @ centre - radius**2))) / square)[:, None]
    )
    return cap.reshape(*u.shape, 3)


def _shared(corners: Array, size: float) -> tuple[Array, Ints]:
    """Corners at the same place made one, and the new number of each."""
    _, first, number = np.unique((corners / size).round(9), axis=0, return_index=True, return_inverse=True)
    return corners[first], number.reshape(-1).astype(np.int64)
