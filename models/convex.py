"""Convex parts: what the dynamics collides with."""

from collections.abc import Iterable
from heapq import heappop, heappush
from itertools import count
from typing import Any

import numpy as np

from teeter.models.hulls import FlatError, convex_hull, corners_within
from teeter.models.piece import Array, Ints, Part
from teeter.models.surface import half_edges_of

# A hull whose corners are this near (as part of its diagonal) to those of a cuboid is one.
CUBOID_FIT = 5e-5
# Simulators slow down with the corners of a hull; beyond this number the outermost in even directions are
# kept.
MAX_CORNERS = 256

# Simulators slow down with the parts of a piece, and Bullet's URDF reader gives up at about 90; then what is left is
# taken whole, less what bulges.
MAX_PARTS = 64
# Inward edges that turn more than this are corners and cut exactly; the others belong to a curve.
SHARP = np.radians(20)
# So many times as large as the face beyond an edge, and so large as part of the diagonal's square, a face is no part of
# a curve, as the floor of a bowl; cut along at first.
WIDER, FLOOR, MAX_FLOORS = 6.0, 0.01, 8
# Planes tried for a cut: those of the longest edges.
MAX_PLANES = 300
# How deep a hollow curve may be within one part, as part of the mesh's diagonal: so much wood is lost there.
HOLLOW = 0.01
# Part of the volume of what is cut that a convex part keeps; of less it is cut again.
KEPT = 0.75
# Of meshes with more triangles small ones are left out, by steps: of the diagonal, how far a corner may be off then.
MANY_TRIANGLES, COARSER = 1500, (1e-4, 3e-4, 1e-3)
# Pairs of a face and a plane looked at in one go: some tens of MB.
CHUNK = 2_000_000
# Triangles lower than this part of their longest side bound nothing that their neighbours do not.
SLIVER = 1e-6
# As parts of the diagonal: what rounding may leave, and of its cube, what is no part any more.
ROUNDING, CRUMB = 1e-6, 1e-9

SIGNS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


def box_part(centre: Array, half_extents: Array, rotation: Array | None = None) -> Part:
    """An exact box: centre (3,) and half extents (3,) in metres, rotation (3, 3)."""
    turn = np.eye(3) if rotation is None else rotation
    return Part("box", centre, turn, centre + (SIGNS * half_extents) @ turn.T, half_extents=half_extents)


def sphere_part(centre: Array, radius: float) -> Part:
    """An exact ball: centre (3,) and radius in metres."""
    return Part("sphere", centre, np.eye(3), np.empty((0, 3)), radius=radius)


def hull_part(vertices: Array) -> Part:
    """The convex hull of points (n, 3) in metres; an exact box when it is a cuboid."""
    hull = convex_hull(vertices)
    corners = vertices[hull.vertices]
    box = _as_box(corners, hull.equations[:, :3])
    if box is not None:
        return box
    if len(corners) > MAX_CORNERS:
        outermost = np.argmax(even_directions(MAX_CORNERS) @ (corners - corners.mean(axis=0)).T, axis=1)
        corners = corners[np.unique(outermost)]
    return Part("hull", corners.mean(axis=0), np.eye(3), corners)


def even_directions(count: int) -> Array:
    """(count, 3) unit vectors spread evenly: the six axes, then a Fibonacci spiral (Gonzalez 2010)."""
    axes = np.concatenate([np.eye(3), -np.eye(3)])
    k = np.arange(count - 6) + 0.5
    z = 1 - 2 * k / (count - 6)
    angle = k * np.pi * (3 - np.sqrt(5))
    spiral = np.stack([np.sqrt(1 - z * z) * np.cos(angle), np.sqrt(1 - z * z) * np.sin(angle), z], axis=1)
    return np.concatenate([axes, spiral])


def hull_volume(vertices: Array) -> float:
    """Volume of the convex hull of points (n, 3), cubic metres; 0 when they lie in a plane."""
    try:
        return float(convex_hull(vertices).volume)
    except FlatError:
        return 0.0


def part_volume(part: Part) -> float:
    """Volume of a part in cubic metres."""
    if part.kind == "sphere" and part.radius is not None:
        return 4 / 3 * float(np.pi) * part.radius**3
    if part.half_extents is not None:
        return 8 * float(np.prod(part.half_extents))
    return hull_volume(part.vertices)


def merge_cells(cells: Iterable[tuple[int, int, int]]) -> list[tuple[Array, Array]]:
    """Unit cells joined into few cuboids: pairs of lowest cell and cell counts along x, y, z, each (3,).

    Greedy: every cuboid starts at the first free cell and grows along one axis after the other; the order of
    the axes that needs the fewest cuboids is taken.
    """
    every = sorted(cells)
    orders = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    return min((_grow(every, order) for order in orders), key=len)


def _grow(cells: list[tuple[int, int, int]], order: tuple[int, int, int]) -> list[tuple[Array, Array]]:
    free = set(cells)
    cuboids = []
    for cell in cells:
        if cell not in free:
            continue
        low, size = np.array(cell), np.ones(3, dtype=int)
        for axis in order:
            while _block(low, size, axis) <= free:
                size[axis] += 1
        free -= {tuple((low + step).tolist()) for step in np.ndindex(*size)}
        cuboids.append((low.astype(float), size.astype(float)))
    return cuboids


def _block(low: Array, size: Array, axis: int) -> set[tuple[int, int, int]]:
    """The layer of cells by which a cuboid would grow along an axis."""
    layer, start = size.copy(), low.copy()
    start[axis] += size[axis]
    layer[axis] = 1
    return {tuple((start + step).tolist()) for step in np.ndindex(*layer.tolist())}


def _as_box(corners: Array, normals: Array) -> Part | None:
    """The box whose eight corners these are, or None. normals: (f, 3) unit, of the hull's faces."""
    if len(corners) != 8:
        return None
    first = normals[0]
    across = normals - np.outer(normals @ first, first)
    second = across[np.argmax(np.linalg.norm(across, axis=1))]
    second = second / np.linalg.norm(second)
    turn = _nearest_axes(np.stack([first, second, np.cross(first, second)], axis=1))
    low, high = (corners @ turn).min(axis=0), (corners @ turn).max(axis=0)
    box = box_part(turn @ (low + high) / 2, (high - low) / 2, turn)
    gaps = np.linalg.norm(box.vertices[:, None] - corners, axis=2).min(axis=1)
    return box if gaps.max() <= CUBOID_FIT * float(np.linalg.norm(high - low)) else None


def _nearest_axes(turn: Array) -> Array:
    """The same three directions, ordered and signed to lie nearest to x, y and z; right-handed."""
    columns: list[Array] = []
    left = list(turn.T)
    for axis in range(3):
        best = max(range(len(left)), key=lambda k: abs(left[k][axis]))
        column = left.pop(best)
        columns.append(np.copysign(1.0, column[axis]) * column)
    if np.linalg.det(np.stack(columns)) < 0:
        columns[2] = -columns[2]
    turned: Array = np.stack(columns, axis=1)
    # an axis-aligned box is exactly so
    return np.eye(3) if np.abs(turned - np.eye(3)).max() < 1e-9 else turned


def decompose(vertices: Array, faces: Ints) -> list[Array]:
    """Returns the corners (n, 3) of convex pieces of a closed mesh, none of which lies outside of it.

    Cut along the faces at inward corners, so exactly; hollow curves are cut across until each part spans a shallow bit
    of them, and there the part ends at a tangent.
    """
    from manifold3d import Manifold, Mesh64  # slow to import, and the catalogues need no cutting

    origin, size = vertices.mean(axis=0), float(np.linalg.norm(np.ptp(vertices, axis=0)))
    whole = Manifold(Mesh64((vertices - origin) / size, faces.astype(np.uint64)))
    for coarseness in COARSER:
        if whole.num_tri() > MANY_TRIANGLES:
            whole = whole.simplify(coarseness)
    solids = [whole]
    for plane in _floors(whole):
        solids = [one for solid in solids for one in _halves(solid, plane)]
    return [part * size + origin for part in _cut_up(solids)]


def _floors(whole: Any) -> list[tuple[Array, float]]:
    """The planes, normals and offsets, of faces that end at an inward edge, as blunt as those of a curve, and are no
    part of it, the largest first."""
    vertices, faces = mesh_of(whole)
    mesh, (a, b, c) = half_edges_of(vertices, faces), vertices[faces].transpose(1, 0, 2)
    rows = np.round(np.column_stack([mesh.normals, (mesh.normals * a).sum(axis=1)]), 5)
    planes, plane = np.unique(rows, axis=0, return_inverse=True)
    area = np.bincount(plane.reshape(-1), np.linalg.norm(np.cross(b - a, c - a), axis=1))
    face, other = np.arange(3 * len(faces)) // 3, mesh.twin // 3
    along = np.diff(vertices[mesh.ends], axis=1)[:, 0]
    is_inward = np.einsum("hd,hd->h", np.cross(mesh.normals[face], mesh.normals[other]), along) < 0
    is_inward &= np.einsum("hd,hd->h", mesh.normals[face], mesh.normals[other]) > np.cos(SHARP)
    mine, beyond = plane.reshape(-1)[face[is_inward]], plane.reshape(-1)[other[is_inward]]
    floors = np.unique(mine[(area[mine] > WIDER * area[beyond]) & (area[mine] > FLOOR)])
    return [(planes[at, :3], float(planes[at, 3])) for at in floors[np.argsort(-area[floors])][:MAX_FLOORS]]


def _halves(solid: Any, plane: tuple[Any, float]) -> list[Any]:
    """What a plane cuts a solid into."""
    halves = solid.split_by_plane(tuple(map(float, plane[0])), plane[1])
    return [one for half in halves for one in half.decompose() if one.volume() > CRUMB]


def _cut_up(solids: list[Any]) -> list[Array]:
    """The convex parts (n, 3) of solids; what loses most is cut first, as there may not be many."""
    waiting: list[tuple[float, int, Any, Array]] = []
    done: list[Array] = []
    number = count()

    def wait(solid: Any) -> None:
        part = _less_bulges(solid)
        heappush(waiting, (hull_volume(part) - solid.volume(), next(number), solid, part))

    for solid in solids:
        wait(solid)
    while waiting:
        lost, _, solid, part = heappop(waiting)
        may_cut = len(waiting) + len(done) < MAX_PARTS - 1
        # of a thin wall that is bent a tangent leaves little
        hollow = HOLLOW if lost > (KEPT - 1.0) * solid.volume() else None
        plane = _cut(solid, hollow) if may_cut else None
        pieces = [] if plane is None else _halves(solid, plane)
        for piece in pieces if len(pieces) > 1 else ():
            wait(piece)
        if len(pieces) < 2:
            done.append(part)
    return [part for part in done if hull_volume(part) > CRUMB and _thickness(part) > 2.0 * ROUNDING]


def _thickness(part: Array) -> float:
    """How far points (n, 3) reach the way in which they do so least."""
    away = part - part.mean(axis=0)
    return float(np.ptp(away @ np.linalg.svd(away, full_matrices=False)[2][2]))


def mesh_of(solid: Any) -> tuple[Array, Ints]:
    """Corners (n, 3) and triangles (f, 3) of a solid of manifold3d."""
    mesh = solid.to_mesh64()
    return np.array(mesh.vert_properties)[:, :3], np.array(mesh.tri_verts).astype(np.int64)


def _cut(solid: Any, hollow: float | None) -> tuple[tuple[float, float, float], float] | None:
    """The plane, normal and offset, along which a solid is cut next; None when it is convex enough. hollow: how deep
    its curves may be; None: they are halved."""
    vertices, faces = mesh_of(solid)
    mesh = half_edges_of(vertices, faces)
    face, other = np.arange(3 * len(faces)) // 3, mesh.twin // 3
    along = np.diff(vertices[mesh.ends], axis=1)[:, 0]
    lengths = np.linalg.norm(along, axis=1)
    outward = np.einsum("hd,hd->h", np.cross(mesh.normals[face], mesh.normals[other]), along)
    turn = np.arccos(np.clip(np.einsum("hd,hd->h", mesh.normals[face], mesh.normals[other]), -1.0, 1.0))
    middles = vertices[faces].mean(axis=1)
    depth = _depths(convex_hull(vertices).equations, middles)
    deepest = int(np.argmax(depth))
    inward = (outward < 0) & (np.maximum(depth[face], depth[other]) > ROUNDING)
    sharp = np.flatnonzero(inward & (turn > SHARP))
    if len(sharp):
        # the plane of a face that holds the most of the inward edges
        longest = sharp[np.argsort(-lengths[sharp], kind="stable")[:MAX_PLANES]]
        normals, ends = mesh.normals[face[longest]], vertices[mesh.ends[longest]]
        offsets = (normals * ends[:, 0]).sum(axis=1)
        aside = np.abs(np.einsum("ekd,pd->pek", ends, normals) - offsets[:, None, None]).max(axis=2)
        best = int(np.argmax(np.round((aside <= ROUNDING) @ lengths[longest], 6)))
        # a hair into the air, or a skin as thin as rounding would stay on the face
        return tuple(normals[best].tolist()), float(offsets[best]) + ROUNDING / 4
    curve = np.flatnonzero(inward)
    if not len(curve) or (hollow is not None and depth[deepest] <= hollow):
        return None
    # across the direction in which the faces turn most
    spread = mesh.normals[face[curve]] * np.sqrt(lengths[curve])[:, None]
    spread -= np.outer(spread @ mesh.normals[deepest], mesh.normals[deepest])
    spread -= spread.mean(axis=0)
    across = np.linalg.svd(spread, full_matrices=False)[2][0]
    at = middles[deepest] @ across if hollow is not None else np.median(middles[face[curve]] @ across)
    return tuple(across.tolist()), float(at)


def _depths(planes: Array, points: Array) -> Array:
    """(n,) how far points (n, 3) lie below the nearest of the planes (p, 4)."""
    rows = max(1, CHUNK // len(planes))
    below = [
        -(points[at : at + rows] @ planes[:, :3].T + planes[:, 3]).max(axis=1)
        for at in range(0, len(points), rows)
    ]
    return np.concatenate(below)


def _less_bulges(solid: Any) -> Array:
    """The corners (n, 3) of the hull of a solid, cut off at the faces that lie below it, the deepest first; of what
    nothing is left none."""
    from scipy.optimize import linprog

    vertices, faces = mesh_of(solid)
    hull = convex_hull(vertices)
    mesh, middles = half_edges_of(vertices, faces), vertices[faces].mean(axis=1)
    sides = np.roll(vertices[faces], 1, axis=1) - vertices[faces]
    # the normal of a sliver is noise
    is_flat = 2.0 * mesh.areas <= SLIVER * np.square(sides).sum(axis=2).max(axis=1)
    depth = np.where(is_flat, 0.0, _depths(hull.equations, middles))
    planes = [hull.equations]
    while depth.max() > ROUNDING:
        normal, middle = mesh.normals[int(np.argmax(depth))], middles[int(np.argmax(depth))]
        planes.append(np.append(normal, -normal @ middle)[None])
        depth = np.minimum(depth, _depths(planes[-1], middles))
    if len(planes) == 1:
        return vertices[hull.vertices]
    within = np.concatenate(planes)
    # the middle of the largest ball inside
    room = np.column_stack([within[:, :3], np.ones(len(within))])
    ball = linprog([0, 0, 0, -1], room, -within[:, 3], bounds=[(None, None)] * 3 + [(0, None)])
    if ball.x is None or ball.x[3] <= ROUNDING:
        return np.zeros((0, 3))
    return corners_within(within, ball.x[:3])
