"""Plane figures: polygons and the convex pieces they fall into, and the half sections of turned pieces.

A profile is a half section in the (r, z) plane, drawn with lines, arcs and quarters of ellipses. It starts at the lower
end and goes up the outside of the piece, so that the wood is on its left; where there is a hollow it comes down again
inside. Lengths in whatever unit the corners are in.
"""

import math
from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Literal

import numpy as np
import shapely

from teeter.models.piece import Array

# in the square of whatever unit the corners are in
SMALLEST_AREA = 1e-6
Point = tuple[float, float]
Loop = list[int]


def cross(o: Point, a: Point, b: Point) -> float:
    """Twice the area of the triangle o, a, b; positive counter-clockwise."""
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


def signed_area(points: Sequence[Point]) -> float:
    """Area of a polygon, positive counter-clockwise (shoelace formula)."""
    return sum(cross(points[0], a, b) for a, b in pairwise(points[1:])) / 2


def sines(ring: Array) -> Array:
    """(n,) the sine of the turn at each corner of a closed outline, positive to the left."""
    before, after = ring - np.roll(ring, 1, axis=0), np.roll(ring, -1, axis=0) - ring
    size = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    return np.asarray((before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]) / size)


def outline_fault(points: Sequence[Point]) -> str | None:
    """What keeps these corners from bounding one region, in words; None when nothing does."""
    first_at: dict[Point, int] = {}
    for index, point in enumerate(points):
        if point in first_at:
            where = f"corners {first_at[point]} and {index} are the same point {list(point)}"
            return where + ": leave one out (the outline closes by itself)"
        first_at[point] = index
    sides = [shapely.LineString(ends) for ends in pairwise([*points, points[0]])]
    for i, j in combinations(range(len(sides)), 2):
        if not shapely.intersects(sides[i], sides[j]):
            continue
        if j == i + 1 or (i == 0 and j == len(sides) - 1):
            tip = j if j == i + 1 else 0
            if shapely.length(shapely.intersection(sides[i], sides[j])) > 0:
                return f"the outline doubles back on itself at corner {tip}, {list(points[tip])}"
        else:
            return (
                f"sides {i} and {j} (from {list(points[i])} and from {list(points[j])}) cross or touch: "
                "give the corners in order around the outline"
            )
    return None


def _dot(o: Point, a: Point, b: Point) -> float:
    return (a[0] - o[0]) * (b[0] - o[0]) + (a[1] - o[1]) * (b[1] - o[1])


def triangulate(points: Sequence[Point]) -> list[Loop]:
    """Triangles of a simple counter-clockwise polygon, as corner numbers (ear clipping, Meisters 1975).

    Of all ears the one with the largest smallest angle is cut, so that convex pieces do not end in needles.
    Corners on a straight side stay corners of some triangle: the result meets its neighbours edge to edge.
    """
    left = list(range(len(points)))
    triangles: list[Loop] = []
    # of each corner its worth as an ear, or the corner that keeps it from being one: few change when an ear is cut
    worth: dict[int, float | None] = {}
    barrier: dict[int, int | None] = {}
    stale = set(left)
    while len(left) > 3:
        for k, corner in enumerate(left):
            if corner in stale:
                ear = _at(left, k)
                barrier[corner] = _barrier(points, left, ear)
                worth[corner] = _bluntness(points, ear) if barrier[corner] is None else None
        ears = [(value, k) for k, corner in enumerate(left) if (value := worth[corner]) is not None]
        k = max(ears)[1]
        triangles.append(_at(left, k))
        gone = left.pop(k)
        stale = {triangles[-1][0], triangles[-1][2]} | {c for c in left if barrier[c] == gone}
    return [*triangles, left]


def _at(loop: Loop, k: int) -> Loop:
    return [loop[k - 1], loop[k], loop[(k + 1) % len(loop)]]


def _barrier(points: Sequence[Point], left: Loop, ear: Loop) -> int | None:
    """The corner that lies in a triangle, its own tip when it is bent inwards; None for an ear."""
    a, b, c = (points[i] for i in ear)
    if cross(a, b, c) <= 0:
        return ear[1]
    for i in left:
        p = points[i]
        if i not in ear and cross(a, b, p) >= 0 and cross(b, c, p) >= 0 and cross(c, a, p) >= 0:
            return i
    return None


def _bluntness(points: Sequence[Point], ear: Loop) -> float:
    """Smallest height of a triangle over its longest side: 0 for a needle, 0.87 when equilateral."""
    a, b, c = (points[i] for i in ear)
    return cross(a, b, c) / max(_dot(a, b, b), _dot(b, c, c), _dot(c, a, a))


def convex_pieces(points: Sequence[Point]) -> list[Loop]:
    """Convex pieces that fill a simple counter-clockwise polygon exactly, as corner numbers.

    Triangles merged over every diagonal that is not needed (Hertel and Mehlhorn 1983): at most four times as
    many as the fewest possible.
    """
    pieces = triangulate(points)
    merged = True
    while merged:
        merged = False
        owner = {(a, b): k for k, piece in enumerate(pieces) for a, b in pairwise([*piece, piece[0]])}
        beside = {(owner[b, a], k) for (a, b), k in owner.items() if owner.get((b, a), k) < k}
        for j, i in sorted(beside):
            joined = _join(pieces[i], pieces[j])
            if joined and _is_convex(points, joined):
                pieces[j] = joined
                del pieces[i]
                merged = True
                break
    return pieces


def _join(first: Loop, second: Loop) -> Loop | None:
    """Two loops joined over the side they share, or None when they share none."""
    for k, a in enumerate(first):
        b = first[(k + 1) % len(first)]
        if a in second and b in second and second[(second.index(b) + 1) % len(second)] == a:
            start, at = (k + 1) % len(first), second.index(a)
            return first[start:] + first[:start] + (second[at + 1 :] + second[: at + 1])[:-2]
    return None


def _is_convex(points: Sequence[Point], loop: Loop) -> bool:
    return all(cross(*(points[i] for i in _at(loop, k))) >= 0 for k in range(len(loop)))


Bend = float | Literal["round", "hollow"]
Step = tuple[float, float] | tuple[float, float, Bend]
# degrees of turn between corners; between tangents of hollow curves, None for corners; fewest pieces of a curve
Fineness = tuple[float, float | None, int]


def trace(steps: Sequence[Step], degrees: float, tangents: float | None = None, least: int = 1) -> Array:
    """(n, 2) corners of the closed half section, counter-clockwise, the last unlike the first.

    Curves are drawn by corners on them, at most `degrees` of turn apart, in at least
    `least` pieces. With `tangents`, hollow curves are drawn
    by tangents so many degrees apart instead, so that nothing lies outside the wood.
    """
    points: list[Point] = [(steps[0][0], steps[0][1])]
    for step in steps[1:]:
        end = (step[0], step[1])
        bend = step[2] if len(step) == 3 else 0.0
        points += _bent(points[-1], end, bend, (degrees, tangents, least))
        points.append(end)
    if len(points) > 1 and math.dist(points[0], points[-1]) < 1e-9:
        points.pop()
    return np.array(points)


def bored(section: Array, radius: float) -> list[Array]:
    """What is left of a half section after drilling along the axis: closed outlines, counter-clockwise."""
    if radius <= 0:
        return [section]
    low, high = section.min(axis=0) - 1.0, section.max(axis=0) + 1.0
    if radius >= high[0]:
        return []
    left = shapely.polygons(section).intersection(shapely.box(radius, low[1], high[0], high[1]))
    return outlines(left)


def outlines(shape: shapely.Geometry) -> list[Array]:
    """The outlines of the polygons of a geometry, counter-clockwise, without repeating the first corner."""
    rings = []
    for part in shapely.get_parts(shape):
        if isinstance(part, shapely.Polygon) and part.area > 0:
            ring = shapely.get_coordinates(shapely.orient_polygons(part).exterior)[:-1]
            rings.append(np.asarray(ring, dtype=np.float64))
    return rings


def section_fault(section: Array) -> str | None:
    """What keeps a closed outline from being a half section, in words; None when nothing does."""
    if len(section) < 3:
        return "a profile needs at least three corners"
    polygon = shapely.Polygon(section)
    if not polygon.is_valid:
        reason = shapely.is_valid_reason(polygon)
        where = reason[reason.find("[") :] if "[" in reason else ""
        return (
            f"the profile crosses or touches itself near {where}: give its corners in order, up the outside"
        )
    if polygon.area < SMALLEST_AREA:
        return "the profile encloses nothing: give it a radius"
    if not polygon.exterior.is_ccw:
        return "the profile runs the wrong way round: begin at the lower end and go up the outside"
    return None


def _bent(start: Point, end: Point, bend: Bend, fineness: Fineness) -> list[Point]:
    """The corners between the ends of one step."""
    if bend == "round" or bend == "hollow":
        return _quarter(start, end, bend == "round", fineness)
    return _arc(start, end, float(bend), fineness) if bend else []


def _arc(start: Point, end: Point, sagitta: float, fineness: Fineness) -> list[Point]:
    """A circle's arc whose middle lies `sagitta` to the right of the chord (to the left when negative)."""
    p, q = np.array(start), np.array(end)
    chord = q - p
    length = float(np.linalg.norm(chord))
    half = 2 * math.atan(abs(sagitta) / (length / 2))  # half of the angle the arc turns through
    radius = length / 2 / math.sin(half)
    right = np.array([chord[1], -chord[0]]) / length * math.copysign(1.0, sagitta)
    centre = (p + q) / 2 + right * (abs(sagitta) - radius)
    angles, stretch = _angles(-half, half, sagitta > 0, fineness)
    along = chord / length
    spokes = np.outer(np.cos(angles), right) + np.outer(np.sin(angles), along)
    return [(float(r), float(z)) for r, z in centre + radius * stretch * spokes]


def _quarter(start: Point, end: Point, is_round: bool, fineness: Fineness) -> list[Point]:
    """A quarter of an ellipse with axes along r and z, its centre beside one end and level with the other."""
    p, q = np.array(start), np.array(end)
    chord = q - p
    centre = np.array([p[0], q[1]])
    side = chord[0] * (centre - p)[1] - chord[1] * (centre - p)[0]
    if bool(side > 0) is not is_round:
        centre = np.array([q[0], p[1]])
    angles, stretch = _angles(0.0, math.pi / 2, is_round, fineness)
    spokes = np.outer(np.cos(angles), p - centre) + np.outer(np.sin(angles), q - centre)
    return [(float(r), float(z)) for r, z in centre + stretch * spokes]


def _angles(first: float, last: float, is_round: bool, fineness: Fineness) -> tuple[Array, float]:
    """Where the corners between the ends of a curve are, in radians, and how far beyond the curve they lie."""
    degrees, tangents, least = fineness
    if is_round or tangents is None:
        count = max(least, math.ceil(math.degrees(last - first) / degrees - 1e-9))
        return np.linspace(first, last, count + 1)[1:-1], 1.0
    count = max(1, math.ceil(math.degrees(last - first) / tangents - 1e-9))
    angles = np.linspace(first, last, count + 1)
    return (angles[1:] + angles[:-1]) / 2, 1 / math.cos((last - first) / count / 2)
