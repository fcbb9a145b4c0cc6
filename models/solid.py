"""Solids: geometry and mass distribution before a material is chosen, in the piece frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from models.piece import Array, Flags, Ints, Part, Surface, TriangleMesh
from models.surface import surface_of

MM = 1e-3


@dataclass(frozen=True, slots=True)
class Detail:
    """How finely curves are drawn; numbers of sides divide by 4 so that a circle reaches its bounding box.

    outline: sides of a circle in surfaces and pictures; 144 stay within 0.01 mm of a circle of radius 40 mm; smaller
    turned pieces have fewer, to the same error.
    rim: sides of a circle in the parts of the dynamics. sectors: wedges a disc is cut into there, one is the
    whole disc: a simulator keeps four contact points for each, so that many carry nearer to the rim. ball:
    subdivisions of an icosahedron for a sphere's surface. turn: degrees between the corners of a turned profile.
    """

    outline: int = 144
    rim: int = 64
    sectors: int = 4
    ball: int = 3
    turn: float = 7.5


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A solid of unit density. Fields as in `models.piece.Piece`; inertia in m^5."""

    visual: TriangleMesh
    surface: Surface
    parts: tuple[Part, ...]
    extents: Array
    volume: float
    centre_of_mass: Array
    inertia: Array


@dataclass(frozen=True, slots=True, eq=False)
class MassProperties:
    """Volume (m^3), centre of mass (3,) and inertia (3, 3) about it, of unit density."""

    volume: float
    centre: Array
    inertia: Array


def mass_properties(vertices: Array, faces: Ints) -> MassProperties:
    """Exact for a closed polyhedron, by sums over its tetrahedra (Tonon 2004). vertices: (n, 3), faces: (f,
    3)."""
    origin = vertices.mean(axis=0)
    corners = (vertices - origin)[faces]
    six_volumes = np.einsum("fd,fd->f", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    volume = float(six_volumes.sum() / 6)
    total = corners.sum(axis=1)
    centre = six_volumes @ total / (24 * volume)
    # second moments: the integral of x x^T over a tetrahedron with one corner at the origin
    outer = np.einsum("f,fd,fe->de", six_volumes, total, total)
    outer += np.einsum("f,fkd,fke->de", six_volumes, corners, corners)
    second = outer / 120 - volume * np.outer(centre, centre)
    return MassProperties(volume, centre + origin, np.trace(second) * np.eye(3) - second)


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
    mass = mass or mass_properties(moved, faces)
    surface = surface_of(moved, faces, curved=curved, samples=samples, rounding=rounding)
    solid = Solid(
        visual=TriangleMesh(moved, faces),
        surface=surface,
        parts=tuple(parts(moved, surface)),
        extents=high - low,
        volume=mass.volume,
        centre_of_mass=mass.centre,
        inertia=mass.inertia,
    )
    return locked(solid)


def locked(solid: Solid) -> Solid:
    """The same solid with read-only arrays, so that nobody bends a cached piece for everyone else."""
    surface = solid.surface
    arrays: list[Array | None] = [solid.extents, solid.centre_of_mass, solid.inertia]
    arrays += [surface.edges, surface.corners, surface.curved]
    arrays += [array for facet in surface.facets for array in (*facet.rings, facet.normal)]
    arrays += [
        array
        for part in solid.parts
        for array in (part.centre, part.rotation, part.vertices, part.half_extents)
    ]
    for array in arrays:
        if array is not None:
            array.setflags(write=False)
    return solid
