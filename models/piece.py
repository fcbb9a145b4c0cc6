"""The geometry and mass of a piece as the rest of teeter sees it; built by `models.build`, never by hand.

Everything is in SI units (metres, kilograms) in the *piece frame*: axes as authored, origin at the centre of
the piece's bounding box. A piece has three bodies of geometry, each for one purpose:

* `visual`: the mesh people see (bevels included);
* `surface`: the true outer surface as planar facets, edges and corners; statics reads it;
* `parts`: convex solids that fill the piece; dynamics collides with them.
"""

from __future__ import annotations

import hashlib
import io
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

if TYPE_CHECKING:
    from teeter.models.face import Face
    from teeter.models.material import Material

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

MM = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class TriangleMesh:
    """Triangles to look at. vertices: (n, 3) metres. faces: (m, 3), counter-clockwise seen from outside."""

    vertices: Array
    faces: NDArray[np.int64]

    @property
    def triangles(self) -> Array:
        """The corners of every face (m, 3, 3), metres."""
        return self.vertices[self.faces]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A convex solid for the collision shape.

    kind: `box` is an exact box, `sphere` an exact sphere, `hull` the convex hull of `vertices`.
    centre, rotation: of a box or sphere in the piece frame, (3,) metres and (3, 3).
    half_extents: (3,) metres, of a box. radius: metres, of a sphere.
    vertices: (n, 3) metres, the exact corners (of a box too; empty for a sphere). The collision margin is not
    taken off here: the world that needs a margin shrinks the hull itself.
    """

    kind: Literal["box", "hull", "sphere"]
    centre: Array
    rotation: Array
    vertices: Array
    half_extents: Array | None = None
    radius: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Facet:
    """A planar face of the outer surface.

    rings: the outline first, counter-clockwise seen from outside, then holes clockwise; each (n, 3) metres.
    normal: (3,) unit, outward. curved: True where the facet only approximates a curved surface (the side of a
    cylinder, any part of a sphere): a force balance on such a facet says nothing about rocking.
    """

    rings: tuple[Array, ...]
    normal: Array
    curved: bool


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """The outer surface of a piece, for contact finding.

    facets: all planar faces, coplanar neighbours merged.
    edges: (m, 2, 3) metres, the *convex* edges that belong to at least one flat facet; an edge between two
    curved facets, or where a curve runs smoothly into a flat face, is not an edge of the real piece and is
    left out. The rim of a cylinder's end is an edge, in as many straight pieces as its outline has sides.
    corners: (k, 3) metres, the convex corners where three or more real edges meet; a point of such a rim is
    none.
    curved: (j, 3) metres, sample points on curved facets, to notice contact on a curve. None lies on the rim
    of a flat facet, so a standing cylinder does not touch with its side.
    """

    facets: tuple[Facet, ...]
    edges: Array
    corners: Array
    curved: Array


@dataclass(frozen=True, eq=False)
class Piece:
    """A solid piece: what it is made of, how it looks, collides and weighs.

    drawn: makes `visual`, which a verdict has no use for. colour: paint as `#rrggbb`; None shows the colour of the
    material. face: what is printed on its top.
    extents: (3,) metres, of the bounding box. centre_of_mass: (3,) metres in the piece frame.
    inertia: (3, 3) kg m^2 about the centre of mass, along the axes of the piece frame. off_middle: (3,) metres from the
    middle of its shape to the centre of mass; None where the mass is spread evenly.
    """

    model: str
    material: Material = field(repr=False)
    colour: str | None
    drawn: Callable[[], TriangleMesh] = field(repr=False)
    surface: Surface = field(repr=False)
    parts: tuple[Part, ...] = field(repr=False)
    extents: Array = field(repr=False)
    volume: float
    mass: float
    centre_of_mass: Array = field(repr=False)
    inertia: Array = field(repr=False)
    face: Face | None = None
    off_middle: Array | None = field(default=None, repr=False)

    @cached_property
    def visual(self) -> TriangleMesh:
        """The mesh people see; the same one every time."""
        return self.drawn()

    def __reduce__(self) -> tuple[Callable[[bytes], Piece], tuple[bytes]]:
        content = io.BytesIO()
        _Packer(content).dump([getattr(self, field.name) for field in fields(self)])
        return _received, (content.getvalue(),)


class _Packer(pickle.Pickler):
    """Packs equal pieces into equal bytes in every process: pydantic keeps a set, whose order hangs on the process."""

    def reducer_override(self, item: object) -> Any:
        if isinstance(item, BaseModel):
            return _unpacked, (type(item), item.__dict__, sorted(item.model_fields_set))
        return NotImplemented


def _unpacked(kind: type[BaseModel], values: dict[str, Any], names: list[str]) -> BaseModel:
    return kind.model_construct(set(names), **values)


_here: WeakValueDictionary[bytes, Piece] = WeakValueDictionary()
"""Pieces that came from other processes, by their content."""


def _received(content: bytes) -> Piece:
    """The piece of this content that came before, as long as somebody has it: what is kept by piece, its features,
    meshes and hulls, is made and kept once however often a process is sent it."""
    key = hashlib.blake2b(content, digest_size=16).digest()
    piece = _here.get(key)
    if piece is None:
        piece = _here[key] = Piece(*pickle.loads(content))
    return piece


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


def six_volumes(corners: Array) -> Array:
    """Returns six times the signed volume (f,) between the origin and each triangle (f, 3, 3)."""
    return np.asarray(np.einsum("fd,fd->f", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])))


@dataclass(frozen=True, slots=True, eq=False)
class MassProperties:
    """Volume (m^3), centre of mass (3,) and inertia (3, 3) about it (m^5), of unit density."""

    volume: float
    centre: Array
    inertia: Array

    @classmethod
    def of(cls, vertices: Array, faces: Ints) -> MassProperties:
        """Exact for a closed polyhedron (n, 3), (f, 3), by sums over its tetrahedra (Tonon 2004)."""
        origin = vertices.mean(axis=0)
        corners = (vertices - origin)[faces]
        parts = six_volumes(corners)
        volume = float(parts.sum() / 6)
        total = corners.sum(axis=1)
        centre = parts @ total / (24 * volume)
        # second moments: the integral of x x^T over a tetrahedron with one corner at the origin
        outer = np.einsum("f,fd,fe->de", parts, total, total)
        outer += np.einsum("f,fkd,fke->de", parts, corners, corners)
        second = outer / 120 - volume * np.outer(centre, centre)
        return cls(volume, centre + origin, np.trace(second) * np.eye(3) - second)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Solid:
    """Geometry and mass distribution before a material is chosen, in the piece frame; fields as in `Piece`."""

    visual: TriangleMesh
    surface: Surface
    parts: tuple[Part, ...]
    extents: Array
    mass: MassProperties

    def __post_init__(self) -> None:
        """Locks the arrays, so that nobody bends a cached piece for everyone else."""
        surface = self.surface
        arrays = [self.extents, self.mass.centre, self.mass.inertia]
        arrays += [surface.edges, surface.corners, surface.curved]
        arrays += [array for facet in surface.facets for array in (*facet.rings, facet.normal)]
        arrays += [array for part in self.parts for array in (part.centre, part.rotation, part.vertices)]
        arrays += [part.half_extents for part in self.parts if part.half_extents is not None]
        for array in arrays:
            array.setflags(write=False)
