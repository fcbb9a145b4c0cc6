"""Bevelled edges, for the picture only: statics and dynamics keep the sharp ones.

Convex solids are shrunk and swollen again by a ball; straight prisms get a rounded outline and rounded ends; turned
pieces a rounded profile. What is none of these keeps its edges. Cards have round corners.
"""

from functools import lru_cache
from itertools import product
from weakref import WeakKeyDictionary

import numpy as np
import shapely

from teeter.models.builders import halved, strip
from teeter.models.cut import ARC_DRAWN, arch_outline, drill, hull_faces, upright
from teeter.models.hulls import convex_hull, corners_within
from teeter.models.outline import outlines, signed_area, sines, triangulate
from teeter.models.piece import MM, Array, Detail, Ints, Solid, TriangleMesh
from teeter.models.revolve import revolve, section_of, sides_of
from teeter.models.shapes import AnyTurned, Arch, Box, Cylinder, Drilled, Hull, Polycube, Prism, Shape, Wonky

# corners of a rounding of a right angle, less one
STEPS = 3
# corners that turn less than this (radians) belong to a curve and need no bevel
SMOOTH = np.radians(20)
# millimetres: of the corners of cards
CARD_CORNER = 2.0
# a box's corner as `_fan` rounds it, where all normals point to positive axes: these are its points 0 to 2; 3 to 8 lie
# between two of them, nearer to the first, counter-clockwise round the middle, 9
BOX_RING = ((0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2))
BOX_CORNER = np.array(
    [(0, 3, 8), (1, 5, 4), (2, 7, 6), *((9, 3 + k, 3 + (k + 1) % 6) for k in range(6))], dtype=np.int64
)
# its points along the edges between the first and the second face, the second and the third, the third and the first
BOX_STRIPS = np.array([(0, 3, 4, 1), (1, 5, 6, 2), (2, 7, 8, 0)], dtype=np.int64)
# of a box's shortest side: a wider bevel leaves no flat face
BOX_SHARE = 0.45
# an outline's corners are rounded this much wider than its ends, so that no rounding shrinks to a point
WIDER = 1.3


_meshes: WeakKeyDictionary[Solid, dict[tuple[float, Detail], TriangleMesh]] = WeakKeyDictionary()
"""What was made before, as long as its solid is there."""


def bevelled(shape: Shape, solid: Solid, bevel: float, detail: Detail) -> TriangleMesh:
    """The mesh of a solid with edges rounded by `bevel` millimetres, in the piece frame; the same one every time."""
    made = _meshes.setdefault(solid, {})
    if (bevel, detail) not in made:
        made[bevel, detail] = _bevelled(shape, solid, bevel * MM, detail)
    return made[bevel, detail]


def _bevelled(shape: Shape, solid: Solid, size: float, detail: Detail) -> TriangleMesh:
    if isinstance(shape, AnyTurned):
        return _revolved(section_of(shape, detail), size, detail)
    if isinstance(shape, Cylinder):
        radius, height = (value * MM for value in shape.cylinder)
        section = np.array([[0, -1], [radius, -1], [radius, 1], [0, 1]]) * [1, height / 2]
        return _revolved(section, size, detail)
    if isinstance(shape, Box) and size < BOX_SHARE * min(shape.box) * MM:
        return _rounded_box(np.array(shape.box) * MM / 2, size)
    if isinstance(shape, (Box, Hull, Wonky)):
        return _swollen(solid, size)
    if isinstance(shape, Drilled):
        return _drilled(shape, size)
    if isinstance(shape, Arch):
        (width, depth, height), radius = (value * MM for value in shape.arch.box), shape.arch.radius * MM
        ring = arch_outline(width, height, radius, ARC_DRAWN)[0]
        middle = np.array([0.0, 0.0, height / 2])
        mesh = _extruded(_plain(ring), depth, size)
        return TriangleMesh(upright(np.array(mesh.vertices)) - middle, mesh.faces)
    ring_height = _flat_outline(shape)
    return solid.visual if ring_height is None else _extruded(*ring_height, size)


@lru_cache(maxsize=64)
def card(size: tuple[float, float, float]) -> TriangleMesh:
    """The mesh of a card with round corners. size: millimetres."""
    wide, deep, high = (side * MM for side in size)
    ring, _ = _rounded(
        np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [wide / 2, deep / 2], CARD_CORNER * MM
    )
    count, here = len(ring), np.arange(len(ring))
    cap = np.c_[np.zeros(count - 2, dtype=np.int64), here[1:-1], here[2:]]
    levels = [np.c_[ring, np.full(count, z)] for z in (-high / 2, high / 2)]
    return TriangleMesh(
        np.concatenate(levels), np.concatenate([cap[:, ::-1], cap + count, strip(count, 0, count)])
    )


def _revolved(section: Array, bevel: float, detail: Detail) -> TriangleMesh:
    """A half section with its convex corners rounded, revolved about z."""
    section = section - [0.0, (section[:, 1].min() + section[:, 1].max()) / 2]
    rounded, _ = _rounded(section, bevel, on_axis=True)
    revolved = revolve(rounded, sides_of(section, detail))
    return TriangleMesh(revolved.vertices, revolved.faces)


def _rounded(ring: Array, radius: float, on_axis: bool = False) -> tuple[Array, float]:
    """A counter-clockwise outline (n, 2) with arcs of a radius, or less where a side is short, at convex corners;
    and the smallest radius used.

    on_axis: corners at x = 0 are kept; the outline is a half section.
    """
    points: list[Array] = []
    count, smallest = len(ring), radius
    for k in range(count):
        here, before, after = ring[k], ring[k - 1], ring[(k + 1) % count]
        back, onward = before - here, after - here
        short = min(float(np.linalg.norm(back)), float(np.linalg.norm(onward)))
        back, onward = back / np.linalg.norm(back), onward / np.linalg.norm(onward)
        turn = float(np.arctan2(onward[1] * -back[0] - onward[0] * -back[1], -back @ onward))
        if turn < SMOOTH or (on_axis and here[0] <= 0):
            points.append(here)
            continue
        reach = min(radius * float(np.tan(turn / 2)), 0.45 * short)
        own = reach / float(np.tan(turn / 2))
        smallest = min(smallest, own)
        middle = here + (back + onward) / np.linalg.norm(back + onward) * np.hypot(reach, own)
        first = here + back * reach - middle
        steps = max(2, int(np.ceil(STEPS * turn / (np.pi / 2))))
        for angle in np.linspace(0, turn, steps + 1):
            c, s = np.cos(angle), np.sin(angle)
            points.append(middle + np.array([c * first[0] - s * first[1], s * first[0] + c * first[1]]))
    return np.array(points), smallest


def _swollen(solid: Solid, bevel: float) -> TriangleMesh:
    """A convex solid shrunk by the bevel and swollen again by a ball of that radius."""
    hull = convex_hull(np.array(solid.visual.vertices))
    planes = np.unique(hull.equations.round(12), axis=0)
    inside = planes.copy()
    inside[:, 3] += bevel
    corners = np.unique(corners_within(inside, solid.mass.centre).round(9), axis=0)
    points: list[Array] = []
    for corner in corners:
        normals = planes[np.abs(inside[:, :3] @ corner + inside[:, 3]) < 2e-8][:, :3]
        points.append(corner + bevel * _fan(normals))
    vertices, faces = hull_faces(np.unique(np.concatenate(points).round(8), axis=0))
    return TriangleMesh(vertices, faces)


def _rounded_box(half: Array, bevel: float) -> TriangleMesh:
    """What `_swollen` makes of a box, without scipy's hulls: a tower has 54 boxes of its own, and to load those takes a
    third of a second. half: (3,) half sides, metres."""
    near = [2 * np.eye(3)[i] + np.eye(3)[j] for i, j in BOX_RING]
    rays = np.concatenate([np.eye(3), near, np.ones((1, 3))])
    rays /= np.linalg.norm(rays, axis=1)[:, None]
    first = {signs: len(rays) * number for number, signs in enumerate(product((-1, 1), repeat=3))}
    points = np.array(list(first))[:, None] * (half - bevel + bevel * rays)
    faces = []
    for signs, start in first.items():
        faces.append((start + BOX_CORNER)[:, :: int(np.prod(signs))])
        for one, edge in enumerate(BOX_STRIPS):
            other, along = (one + 1) % 3, (one + 2) % 3
            if signs[along] < 0:
                low, high = start + edge, first[_with(signs, along, 1)] + edge
                quads = np.stack([low[:-1], low[1:], high[1:], high[:-1]], axis=1)
                faces.append(halved(quads)[:, :: signs[one] * signs[other]])
    for axis, side in product(range(3), (-1, 1)):
        ring = [
            first[_with(_with(_with((0, 0, 0), axis, side), (axis + 1) % 3, a), (axis + 2) % 3, b)] + axis
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        faces.append(halved(np.array([ring]))[:, ::side])
    return TriangleMesh(points.reshape(-1, 3), np.concatenate(faces))


def _with(signs: tuple[int, ...], axis: int, sign: int) -> tuple[int, ...]:
    return (*signs[:axis], sign, *signs[axis + 1 :])


def _fan(normals: Array) -> Array:
    """Unit vectors that round the corner between faces: their normals and, between far ones, steps from one to the
    other and the middle of all."""
    rays = list(normals)
    is_corner = False
    angles = np.arccos(np.clip(normals @ normals.T, -1, 1))
    is_far = (angles > SMOOTH) & (angles < np.pi - 0.1)
    for i in range(len(normals)):
        for j in range(i):
            if is_far[i, j]:
                is_corner = True
                rays += [normals[i] * (1 - t) + normals[j] * t for t in np.linspace(0, 1, STEPS + 1)[1:-1]]
    if is_corner and len(normals) >= 3:
        rays.append(normals.sum(axis=0))
    directions = np.array(rays)
    return np.asarray(directions / np.linalg.norm(directions, axis=1)[:, None])


def _drilled(shape: Drilled, bevel: float) -> TriangleMesh:
    x, y, height = (value * MM for value in shape.drilled.box)
    corners = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * [x / 2, y / 2]
    vertices, faces, _ = drill(_rounded(corners, bevel)[0], shape.drilled.radius * MM, height, bevel)
    return TriangleMesh(vertices, faces)


def _flat_outline(shape: Shape) -> tuple[Array, float] | None:
    """Outline (n, 2) and height of a prism along z, about the bounding box's centre; None for other shapes."""
    if isinstance(shape, Prism):
        points = [(x * MM, y * MM) for x, y in shape.prism.points]
        ring = np.array(points if signed_area(points) > 0 else points[::-1])
        height = shape.prism.height * MM
    elif isinstance(shape, Polycube) and len({z for _, _, z in shape.polycube.cells}) == 1:
        whole = shapely.union_all([shapely.box(x, y, x + 1, y + 1) for x, y, _ in shape.polycube.cells])
        if shapely.get_num_interior_rings(whole) != 0:
            return None
        height = shape.polycube.edge * MM
        ring = outlines(whole)[0] * height
        ring = np.roll(ring, -np.lexsort(ring.T[::-1])[0], axis=0)
    else:
        return None
    return _plain(ring - (ring.min(axis=0) + ring.max(axis=0)) / 2), height


def _plain(ring: Array) -> Array:
    """The outline without corners on straight sides."""
    return np.asarray(ring[np.abs(sines(ring)) > 1e-9])


def _extruded(ring: Array, height: float, bevel: float) -> TriangleMesh:
    """A prism along z about z = 0 with rounded sides and ends."""
    outline, smallest = _rounded(ring, WIDER * bevel)
    bevel = smallest / WIDER
    angle = np.linspace(0, np.pi / 2, STEPS + 1)
    up = height / 2 - bevel * (1 - np.sin(angle))
    inset = bevel * (1 - np.cos(angle))
    levels = [(-z, d) for z, d in zip(up[::-1], inset[::-1], strict=True)]
    levels += list(zip(up, inset, strict=True))
    normals = _corner_normals(outline)
    rings = [np.c_[outline - d * normals, np.full(len(outline), z)] for z, d in levels]
    count = len(outline)
    cap = np.array(triangulate([(float(x), float(y)) for x, y in rings[-1][:, :2]]))
    faces: list[Ints] = [cap[:, ::-1], cap + (len(rings) - 1) * count]
    faces += [strip(count, k * count, (k + 1) * count) for k in range(len(rings) - 1)]
    return TriangleMesh(np.concatenate(rings), np.concatenate(faces))


def _corner_normals(ring: Array) -> Array:
    """(n, 2) how each corner moves when every side moves out by one."""
    along = np.roll(ring, -1, axis=0) - ring
    along /= np.linalg.norm(along, axis=1)[:, None]
    after = np.stack([along[:, 1], -along[:, 0]], axis=1)
    before = np.roll(after, 1, axis=0)
    return np.asarray((before + after) / (1 + np.einsum("nd,nd->n", before, after))[:, None])
