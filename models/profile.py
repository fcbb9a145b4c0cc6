"""Profiles of turned pieces: half sections in the (r, z) plane, drawn with lines, arcs and quarters of ellipses.

A profile starts at the lower end and goes up the outside of the piece, so that the wood is on its left; where
there is a hollow it comes down again inside. Lengths in whatever unit the steps are in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import shapely

from models.piece import Array

Bend = float | Literal["round", "hollow"]
Step = tuple[float, float] | tuple[float, float, Bend]
Point = tuple[float, float]
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
    found = []
    for part in shapely.get_parts(shape):
        if isinstance(part, shapely.Polygon) and part.area > 0:
            ring = shapely.get_coordinates(shapely.orient_polygons(part).exterior)[:-1]
            found.append(np.asarray(ring, dtype=np.float64))
    return found


def section_fault(section: Array, smallest: float = 1e-6) -> str | None:
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
    if polygon.area < smallest:
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
