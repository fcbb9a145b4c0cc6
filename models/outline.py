"""Polygons in the plane: are they simple, which way round, and the convex pieces they fall into."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

Point = tuple[float, float]
Loop = list[int]


def cross(o: Point, a: Point, b: Point) -> float:
    """Twice the area of the triangle o, a, b; positive counter-clockwise."""
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


def signed_area(points: Sequence[Point]) -> float:
    """Area of a polygon, positive counter-clockwise (shoelace formula)."""
    return sum(cross(points[0], a, b) for a, b in pairwise(points[1:])) / 2


def outline_fault(points: Sequence[Point]) -> str | None:
    """What keeps these corners from bounding one region, in words; None when nothing does."""
    count = len(points)
    first_at: dict[Point, int] = {}
    for index, point in enumerate(points):
        if point in first_at:
            where = f"corners {first_at[point]} and {index} are the same point {list(point)}"
            return where + ": leave one out (the outline closes by itself)"
        first_at[point] = index
    for i in range(count):
        for j in range(i + 1, count):
            a, b, c, d = points[i], points[(i + 1) % count], points[j], points[(j + 1) % count]
            if j == i + 1 or (i == 0 and j == count - 1):
                tip, arms = (b, (a, d)) if j == i + 1 else (a, (b, c))
                if cross(tip, *arms) == 0 and _dot(tip, *arms) > 0:
                    return f"the outline doubles back on itself at corner {points.index(tip)}, {list(tip)}"
            elif _cross_or_touch(a, b, c, d):
                return (
                    f"sides {i} and {j} (from {list(a)} and from {list(c)}) cross or touch: "
                    "give the corners in order around the outline"
                )
    return None


def _dot(o: Point, a: Point, b: Point) -> float:
    return (a[0] - o[0]) * (b[0] - o[0]) + (a[1] - o[1]) * (b[1] - o[1])


def _cross_or_touch(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Do the segments ab and cd have a point in common?"""
    abc, abd, cda, cdb = cross(a, b, c), cross(a, b, d), cross(c, d, a), cross(c, d, b)
    if abc * abd < 0 and cda * cdb < 0:
        return True
    return any(
        turn == 0 and _dot(p, first, second) <= 0
        for turn, p, first, second in ((abc, c, a, b), (abd, d, a, b), (cda, a, c, d), (cdb, b, c, d))
    )


def triangulate(points: Sequence[Point]) -> list[Loop]:
    """Triangles of a simple counter-clockwise polygon, as corner numbers (ear clipping, Meisters 1975).

    Of all ears the one with the largest smallest angle is cut, so that convex pieces do not end in needles.
    Corners on a straight side stay corners of some triangle: the result meets its neighbours edge to edge.
    """
    left = list(range(len(points)))
    triangles: list[Loop] = []
    while len(left) > 3:
        ears = [
            (_bluntness(points, ear), k)
            for k in range(len(left))
            if _is_ear(points, left, ear := _at(left, k))
        ]
        k = max(ears)[1]
        triangles.append(_at(left, k))
        del left[k]
    return [*triangles, left]


def _at(loop: Loop, k: int) -> Loop:
    return [loop[k - 1], loop[k], loop[(k + 1) % len(loop)]]


def _is_ear(points: Sequence[Point], left: Loop, ear: Loop) -> bool:
    a, b, c = (points[i] for i in ear)
    if cross(a, b, c) <= 0:
        return False
    return not any(
        cross(a, b, points[i]) >= 0 and cross(b, c, points[i]) >= 0 and cross(c, a, points[i]) >= 0
        for i in left
        if i not in ear
    )


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
        for j, i in combinations(range(len(pieces)), 2):
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
