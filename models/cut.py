"""Builders of sawn and drilled shapes: arches, drilled blocks, convex solids, and blocks with caps."""

from itertools import pairwise

import numpy as np

from teeter.models.builders import SIDE_SAMPLES, extrude, halved, solid_of, strip
from teeter.models.convex import box_part, hull_part
from teeter.models.hulls import alike_rows, convex_hull
from teeter.models.piece import (
    MM,
    Array,
    Detail,
    Facet,
    Flags,
    Ints,
    MassProperties,
    Part,
    Solid,
    Surface,
    TriangleMesh,
)
from teeter.models.shapes import Arch, Drilled, Hull, Wonky

# sides of an opening's half circle, drawn, and as tangents in the parts; of a drilled hole all round likewise
ARC_DRAWN, ARC_PARTS = 36, 8
HOLE_DRAWN, HOLE_PARTS = 72, 12


def build_arch(shape: Arch, detail: Detail) -> Solid:
    """A block less a half cylinder: two piers, and wedges over tangents of the opening."""
    (width, depth, height), radius = (value * MM for value in shape.arch.box), shape.arch.radius * MM
    ring, triangles = arch_outline(width, height, radius, ARC_DRAWN)
    vertices, faces = extrude(ring, triangles, depth)
    count = len(ring)
    soffit = np.arange(1, ARC_DRAWN + 1)  # sides of the outline that stand for the arc
    curved = np.zeros(len(faces), dtype=bool)
    curved[len(faces) - 2 * count + np.concatenate([soffit, soffit + count])] = True
    arc = ring[2 : ARC_DRAWN + 1]
    samples = np.concatenate([np.c_[arc, np.full(len(arc), depth * level)] for level in SIDE_SAMPLES])
    middle = np.array([0.0, height / 2, 0.0])
    parts = _arch_parts(width, depth, height, radius)
    return solid_of(
        upright(vertices),
        faces,
        lambda *_: parts,
        curved=curved,
        samples=upright(samples - middle),
        mass=_arch_mass(width, depth, height, radius),
    )


def arch_outline(width: float, height: float, radius: float, sides: int) -> tuple[Array, list[list[int]]]:
    """Outline (n, 2) in (x, z), z up from the underside, counter-clockwise, with its triangles.

    It begins at the lower left corner; the arc has corners 1 to `sides` + 1, the top has one over each of them.
    """
    angle = np.pi - np.pi * np.arange(sides + 1) / sides
    arc = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    arc[[0, -1], 1] = 0.0
    top = np.stack([arc[::-1, 0], np.full(sides + 1, height)], axis=1)
    half = width / 2
    ring = np.concatenate([[[-half, 0]], arc, [[half, 0], [half, height]], top, [[-half, height]]])
    over = len(ring) - 2  # the corner over the arc's first; they run backwards
    triangles = [[0, 1, over], [0, over, len(ring) - 1]]
    for k in range(1, sides + 1):
        triangles += [[k, k + 1, over - k], [k, over - k, over - k + 1]]
    last = sides + 1
    return ring, [*triangles, [last, last + 1, last + 2], [last, last + 2, last + 3]]


def upright(points: Array) -> Array:
    """Points (n, 3) of an extrusion turned so that its y is up."""
    return np.stack([points[:, 0], -points[:, 2], points[:, 1]], axis=1)


def build_drilled(shape: Drilled, detail: Detail) -> Solid:
    """A block with a hole along z: wedges between tangents of the hole and the outside."""
    size, radius = np.array(shape.drilled.box) * MM, shape.drilled.radius * MM
    corners = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * size[:2] / 2
    vertices, faces, curved = drill(corners, radius, float(size[2]), 0.0)
    parts = _drilled_parts(corners, radius, float(size[2]))
    solid, hole = float(np.prod(size)), float(np.pi * radius**2 * size[2])
    squares = size**2
    inertia = solid / 12 * np.diag(squares.sum() - squares)
    across = hole * (3 * radius**2 + squares[2]) / 12
    inertia -= np.diag([across, across, hole * radius**2 / 2])
    ring = vertices[len(vertices) // 2 : 3 * len(vertices) // 4]
    samples = np.concatenate(
        [np.c_[ring[:, :2], np.full(len(ring), size[2] * level)] for level in SIDE_SAMPLES]
    )
    mass = MassProperties(solid - hole, np.zeros(3), inertia)
    return solid_of(vertices, faces, lambda *_: parts, curved=curved, samples=samples, mass=mass)


def drill(corners: Array, radius: float, height: float, bevel: float) -> tuple[Array, Ints, Flags]:
    """Vertices, faces and which faces are curved, of a straight block over convex corners (k, 2) with a round hole.

    bevel: metres taken off the edges of both ends. Vertices are rings of the outside, from the lowest up, then
    rings of the hole.
    """
    angles = _ray_angles(corners, HOLE_DRAWN)
    rays = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    levels = [(height / 2, 0.0)] if bevel <= 0 else [(height / 2, bevel), (height / 2 - bevel, 0.0)]
    rows = [(-z, inset) for z, inset in levels] + [(z, inset) for z, inset in levels[::-1]]
    outer = [np.c_[_reach(corners, rays, inset)[:, None] * rays, np.full(len(rays), z)] for z, inset in rows]
    inner = [np.c_[(radius + inset) * rays, np.full(len(rays), z)] for z, inset in rows]
    count = len(rays)
    number = len(rows)
    pairs = [(k, k + 1) for k in range(number - 1)] + [(number - 1, 2 * number - 1), (number, 0)]
    walls = [strip(count, a * count, b * count) for a, b in pairs]
    bore = [strip(count, (number + k + 1) * count, (number + k) * count) for k in range(number - 1)]
    faces = np.concatenate([*walls, *bore])
    curved = np.arange(len(faces)) >= sum(map(len, walls))
    return np.concatenate([*outer, *inner]), faces, curved


def build_hull(shape: Hull, detail: Detail) -> Solid:
    """The convex solid over its corners: one exact part."""
    vertices, faces = hull_faces(np.array(shape.hull) * MM)
    return solid_of(vertices, faces, lambda moved, _: [hull_part(moved)])


def hull_faces(points: Array) -> tuple[Array, Ints]:
    """The corners (n, 3) and outward triangles (f, 3) of the convex hull of points."""
    hull = convex_hull(points)
    number = np.full(len(points), -1)
    number[hull.vertices] = np.arange(len(hull.vertices))
    a, b, c = (points[hull.simplices[:, k]] for k in range(3))
    turned = np.einsum("fd,fd->f", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    simplices = np.where(turned[:, None], hull.simplices[:, ::-1], hull.simplices)
    return points[hull.vertices], number[simplices].astype(np.int64)


def _arch_parts(width: float, depth: float, height: float, radius: float) -> list[Part]:
    half = np.pi / ARC_PARTS
    angle = np.pi - half * (np.arange(ARC_PARTS) + 0.5)
    feet = radius / np.cos(half / 2) * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    feet[[0, -1], 0] = [-radius, radius]
    pier = (width / 2 - radius) / 2
    parts = [
        box_part(np.array([sign * (radius + pier), 0.0, 0.0]), np.array([pier, depth / 2, height / 2]))
        for sign in (-1, 1)
    ]
    for (x, z), (right, end) in pairwise(feet.tolist()):
        outline = np.array([[x, z], [right, end], [right, height], [x, height]]) - [0.0, height / 2]
        parts.append(hull_part(upright(extrude(outline, [[0, 1, 2], [0, 2, 3]], depth)[0])))
    return parts


def _arch_mass(width: float, depth: float, height: float, radius: float) -> MassProperties:
    """Block less half cylinder, about the middle of the block; a half disc's centre is 4 r / 3 pi up."""
    block, half = width * depth * height, np.pi * radius**2 / 2 * depth
    up = 4 * radius / (3 * np.pi)
    volume = block - half
    low = -height / 2
    centre = -half * (low + up) / volume
    about = half * radius**2 / 2  # of the half cylinder about its own axis, which lies in the underside
    beside = half * (radius**2 / 4 + depth**2 / 12)
    block_inertia = block / 12 * np.array([depth**2 + height**2, width**2 + height**2, width**2 + depth**2])
    # from the axis in the underside to the half disc's centre, to the middle of the block
    shift = half * ((low + up) ** 2 - up**2)
    removed = np.array([beside + shift, about + shift, half * (radius**2 / 4 + depth**2 / 12)])
    inertia = block_inertia - removed - volume * centre**2 * np.array([1.0, 1.0, 0.0])
    return MassProperties(float(volume), np.array([0.0, 0.0, centre]), np.diag(inertia))


def _drilled_parts(corners: Array, radius: float, height: float) -> list[Part]:
    """Wedges, one for each tangent; a corner of the outside belongs to the wedge it lies in."""
    step = 2 * np.pi / HOLE_PARTS
    parts = []
    for k in range(HOLE_PARTS):
        ends = step * (k - 0.5 + np.arange(2))
        rays = np.stack([np.cos(ends), np.sin(ends)], axis=1)
        far = _reach(corners, rays, 0.0)[:, None] * rays
        turn = (np.arctan2(corners[:, 1], corners[:, 0]) - step * k + np.pi) % (2 * np.pi) - np.pi
        between = corners[np.abs(turn) < step / 2 - 1e-9]
        flat = np.concatenate([rays * radius / np.cos(step / 2), far, between])
        parts.append(
            hull_part(np.concatenate([np.c_[flat, np.full(len(flat), z)] for z in (-height / 2, height / 2)]))
        )
    return parts


def _ray_angles(corners: Array, count: int) -> Array:
    """Even angles all round, and those of the corners."""
    step = 2 * np.pi / count
    own = np.arctan2(corners[:, 1], corners[:, 0]) % (2 * np.pi)
    even = step * np.arange(count)
    far = np.abs((even[:, None] - own + np.pi) % (2 * np.pi) - np.pi).min(axis=1) > step / 4
    return np.sort(np.concatenate([even[far], own]))


def _reach(corners: Array, rays: Array, inset: float) -> Array:
    """How far rays (n, 2) from the origin go until they leave a convex outline (k, 2), its sides moved in."""
    along = np.roll(corners, -1, axis=0) - corners
    normals = np.stack([along[:, 1], -along[:, 0]], axis=1) / np.linalg.norm(along, axis=1)[:, None]
    depth = np.einsum("kd,kd->k", normals, corners) - inset
    facing = rays @ normals.T
    return np.asarray(
        np.where(facing > 1e-12, depth / np.where(facing > 1e-12, facing, 1.0), np.inf).min(axis=1)
    )


# Squares along the edge of a cap: drawn and weighed with a corner at the highest point, in the parts with a level
# square there. On that a simulated block stands as on the true cap; on a corner as on a cap of half the radius.
CAP_DRAWN, CAP_WEIGHED, CAP_PART = 12, 48, 5


def build_wonky(shape: Wonky, detail: Detail) -> Solid:
    """A block with three caps. Its parts are cones from the flat corner to each cap: with two of them under every
    flat face it stands more firmly than with the four contact points of one hull.
    """
    edge, sagitta = shape.wonky.edge * MM, shape.wonky.sagitta * MM
    vertices, faces, curved = capped(edge, sagitta, CAP_DRAWN)
    middle = np.full(3, (edge + sagitta) / 2)
    fine, more, _ = capped(edge, sagitta, CAP_WEIGHED)
    mass = MassProperties.of(fine - middle, more)
    cone = np.concatenate([np.zeros((1, 3)), _cap(edge, sagitta, CAP_PART).reshape(-1, 3)])
    surface = _capped_surface(vertices - middle, faces, curved)
    parts = tuple(hull_part(np.roll(cone, axis, axis=1) - middle) for axis in range(3))
    extents = np.full(3, edge + sagitta)
    return Solid(TriangleMesh(vertices - middle, faces), surface, parts, extents, mass)


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
    faces = halved(np.concatenate([quads + axis * n * n for axis in range(3)]))
    flat = []
    for axis in range(3):
        # from the x cap's rim at z = 0, over the corner, along the y cap's rim at z = 0
        other = (axis + 1) % 3
        rim = np.concatenate([here[:, 0] + axis * n * n, here[0, ::-1][1:] + other * n * n])
        flat += [[3 * n * n, second, first] for first, second in pairwise(rim.tolist())]
    corners = np.concatenate([*points, np.zeros((1, 3))])
    index = np.concatenate([faces, np.array(flat)])
    vertices, number = _shared(corners, edge)
    index = number[index]
    return vertices, index, np.arange(len(index)) < 6 * len(quads)


def _cap(edge: float, sagitta: float, squares: int) -> Array:
    """(n, n, 3) the grid of the cap at +x; the first index runs along y, the second along z."""
    radius = (edge**2 / 2 + sagitta**2) / (2 * sagitta)
    top, share = edge / 2 / (edge + sagitta), np.linspace(-1.0, 1.0, squares + 1)
    # the middle of the grid is the highest point of the cap
    grid = np.where(share < 0.0, top + top * share, top + (1.0 - top) * share)
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
    first, number = alike_rows((corners / size).round(9))
    return corners[first], number
