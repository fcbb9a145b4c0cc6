"""Wind on pieces: pressure on what of each is seen from where it blows."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from teeter.engine.geometry.convex import ConvexSolid, solids_at
from teeter.engine.load import Load, Vector
from teeter.engine.pose import vector_of
from teeter.engine.world.body import Assembly, Body
from teeter.models.piece import Array

WIND = "wind"
"""The name of the load."""
ROUND = 32
"""Corners of a quarter of a ball's outline, whose area is taken as the circle's."""
UPWIND = 1e-6
"""Metres: what begins so little further upwind stands beside."""


def with_wind(assembly: Assembly, pressure: Vector) -> Assembly:
    """Returns the assembly with wind on its free pieces. pressure: pascals along the level direction it blows in.

    The force on a piece is the pressure times the area of its outline as seen from where the wind comes from, less what
    lies behind pieces that begin further upwind, at the middle of that area: what drag is with a coefficient of one.
    Multiply the pressure by another one; there is neither suction nor lift.
    """
    size = math.hypot(*pressure)
    if not size:
        return assembly
    along = np.asarray(pressure) / size
    up = np.array([0.0, 0.0, 1.0])
    frame = np.stack([np.cross(up, along), up], axis=1)
    blown = {
        name: Load(WIND, _in_piece(body, along, frame, outline), vector_of(size * outline.area * along))
        for name, body, outline in _seen(assembly.bodies, along, frame)
    }
    bodies = (
        replace(body, loads=(*body.loads, blown[body.name])) if body.name in blown else body
        for body in assembly.bodies
    )
    return Assembly(assembly.name, tuple(bodies))


def _seen(bodies: Iterable[Body], along: Array, frame: Array) -> Iterator[tuple[str, Body, BaseGeometry]]:
    """Yields the free bodies that the wind meets, and what of their outlines, across `along`, it meets."""
    outlines = []
    for body in bodies:
        solids = solids_at(body.piece, body.pose)
        begins = min(float((solid.vertices @ along).min()) - solid.radius for solid in solids)
        outlines.append(
            (round(begins / UPWIND), body, shapely.union_all([_outline(solid, frame) for solid in solids]))
        )
    upwind: list[tuple[int, BaseGeometry]] = []
    for begins, body, outline in sorted(outlines, key=lambda one: (one[0], one[1].name)):
        hidden = [other for start, other in upwind if start < begins]
        seen = outline.difference(shapely.union_all(hidden)) if hidden else outline
        upwind.append((begins, outline))
        if not body.fixed and seen.area > 0:
            yield body.name, body, seen


def _outline(solid: ConvexSolid, frame: Array) -> BaseGeometry:
    """Returns the outline of a convex solid in the plane of the columns of `frame`."""
    points = shapely.MultiPoint(solid.vertices @ frame)
    if not solid.radius:
        return points.convex_hull
    round_area = math.pi / (2 * ROUND * math.sin(math.pi / (2 * ROUND)))
    return points.buffer(solid.radius * math.sqrt(round_area), quad_segs=ROUND)


def _in_piece(body: Body, along: Array, frame: Array, outline: BaseGeometry) -> Vector:
    """Returns the middle of what is seen, as deep in the wind as the centre of mass, in the piece frame (metres)."""
    centre = body.centre_of_mass
    middle = outline.centroid
    place = frame @ np.array([middle.x, middle.y]) + along * float(centre @ along)
    return vector_of(body.pose.matrix.T @ (place - np.asarray(body.pose.position)))
