"""From a description to a piece: the one place that knows which builder makes which shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from teeter.models import shapes
from teeter.models.builders import build_box, build_cylinder, build_polycube, build_prism, build_sphere
from teeter.models.cut import build_arch, build_drilled, build_hull, build_wonky
from teeter.models.face import Face
from teeter.models.material import Material, hex_of
from teeter.models.meshes import build_file, solid_of_mesh
from teeter.models.piece import Array, Detail, Piece, Solid, TriangleMesh
from teeter.models.revolve import build_turned
from teeter.models.shapes import Mesh, Shape
from teeter.models.spec import PieceSpec

if TYPE_CHECKING:
    import trimesh

# a builder takes its own shape class; the dictionary cannot say so
BUILDERS: dict[type[Shape], Callable[[Any, Detail], Solid]] = {
    shapes.Box: build_box,
    shapes.Cylinder: build_cylinder,
    shapes.Sphere: build_sphere,
    shapes.Prism: build_prism,
    shapes.Polycube: build_polycube,
    shapes.Mesh: build_file,
    shapes.Turned: build_turned,
    shapes.Cone: build_turned,
    shapes.Ring: build_turned,
    shapes.Arch: build_arch,
    shapes.Drilled: build_drilled,
    shapes.Hull: build_hull,
    shapes.Wonky: build_wonky,
}
DETAIL = Detail()
# time and size of a mesh file
Stamp = tuple[int, int] | None


def build(spec: PieceSpec, *, folder: Path | None = None, detail: Detail = DETAIL) -> Piece:
    """The piece of a spec; the same one every time.

    folder: what a mesh path is relative to, the current folder when None. detail: how finely curves are
    drawn. Raises ModelError when the shape cannot be built.
    """
    if not isinstance(spec.shape, Mesh):
        return _piece(spec, spec.shape, None, detail)
    path = (folder or Path()).absolute() / spec.shape.mesh
    return _piece(spec, spec.shape.model_copy(update={"mesh": str(path)}), _stamp(path), detail)


def build_mesh(
    mesh: trimesh.Trimesh,
    model: str,
    material: Material,
    colour: str | None = None,
    *,
    is_compound: bool = False,
) -> tuple[Piece, Array]:
    """A piece from a mesh that lies where it belongs, and where its piece frame is: (3,) metres.

    mesh: metres, world axes, Z-up. is_compound: it may be several bodies that nothing joins.
    The piece frame keeps the axes; its origin is the bounding box centre.
    Raises MeshError, naming `model`, when the mesh is not a closed solid of sensible size.
    """
    vertices, faces = np.array(mesh.vertices, dtype=np.float64), np.array(mesh.faces, dtype=np.int64)
    solid = solid_of_mesh(vertices, faces, model, is_compound=is_compound)
    corners = vertices[faces].reshape(-1, 3)
    return piece_of(solid, model, material, colour), (corners.min(axis=0) + corners.max(axis=0)) / 2


@lru_cache(maxsize=4096)
def _piece(spec: PieceSpec, shape: Shape, stamp: Stamp, detail: Detail) -> Piece:
    solid = _solid(shape, stamp, detail)
    piece = piece_of(solid, spec.model, spec.material, spec.colour, spec.face)
    if spec.face is not None and spec.face.boxes and isinstance(shape, shapes.Box):
        return replace(piece, drawn=partial(_card, shape))
    return replace(piece, drawn=partial(_bevelled, shape, solid, spec.bevel, detail)) if spec.bevel else piece


def _card(shape: shapes.Box) -> TriangleMesh:
    from teeter.models.bevel import card

    x, y, z = shape.box
    return card((x, y, z))


def _bevelled(shape: Shape, solid: Solid, bevel: float, detail: Detail) -> TriangleMesh:
    from teeter.models.bevel import bevelled  # needs Qhull, which is slow to import

    return bevelled(shape, solid, bevel, detail)


@lru_cache(maxsize=1024)
def _solid(shape: Shape, stamp: Stamp, detail: Detail) -> Solid:
    """Pieces of one shape share it, whatever they are made of."""
    return BUILDERS[type(shape)](shape, detail)


def _stamp(path: Path) -> Stamp:
    """What changes when a file does, so that a mesh that was exported again is built again."""
    try:
        state = path.stat()
    except OSError:
        return None  # the reader says what is wrong
    return state.st_mtime_ns, state.st_size


def piece_of(
    solid: Solid, model: str, material: Material, colour: str | None, face: Face | None = None
) -> Piece:
    """A solid made of a material: mass and inertia follow from the density."""
    inertia = solid.mass.inertia * material.density_kg_m3
    inertia.setflags(write=False)
    return Piece(
        model=model,
        material=material,
        colour=None if colour is None else hex_of(colour),
        drawn=partial(getattr, solid, "visual"),
        surface=solid.surface,
        parts=solid.parts,
        extents=solid.extents,
        volume=solid.mass.volume,
        mass=solid.mass.volume * material.density_kg_m3,
        centre_of_mass=solid.mass.centre,
        inertia=inertia,
        face=face,
    )
