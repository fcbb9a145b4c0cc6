"""From a description to a piece: the one place that knows which builder makes which shape."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from models.builders import build_box, build_cylinder, build_polycube, build_prism, build_sphere
from models.colours import hex_of
from models.material import Material
from models.piece import Piece
from models.shapes import Box, Cylinder, Polycube, Prism, Shape, Sphere
from models.solid import Detail, Solid
from models.spec import PieceSpec

# a builder takes its own shape class; the dictionary cannot say so
BUILDERS: dict[type[Shape], Callable[[Any, Detail], Solid]] = {
    Box: build_box,
    Cylinder: build_cylinder,
    Sphere: build_sphere,
    Prism: build_prism,
    Polycube: build_polycube,
}
DETAIL = Detail()


def build(spec: PieceSpec, *, folder: Path | None = None, detail: Detail = DETAIL) -> Piece:
    """The piece of a spec; the same one every time.

    folder: what a mesh path is relative to, the current folder when None. detail: how finely curves are
    drawn. Raises ModelError when the shape cannot be built.
    """
    return _piece(spec, detail)


@lru_cache(maxsize=4096)
def _piece(spec: PieceSpec, detail: Detail) -> Piece:
    return piece_of(_solid(spec.shape, detail), spec.model, spec.material, spec.colour)


@lru_cache(maxsize=1024)
def _solid(shape: Shape, detail: Detail) -> Solid:
    return BUILDERS[type(shape)](shape, detail)


def piece_of(solid: Solid, model: str, material: Material, colour: str | None) -> Piece:
    """A solid made of a material: mass and inertia follow from the density."""
    inertia = solid.inertia * material.density_kg_m3
    inertia.setflags(write=False)
    return Piece(
        model=model,
        material=material,
        colour=None if colour is None else hex_of(colour),
        visual=solid.visual,
        surface=solid.surface,
        parts=solid.parts,
        extents=solid.extents,
        volume=solid.volume,
        mass=solid.volume * material.density_kg_m3,
        centre_of_mass=solid.centre_of_mass,
        inertia=inertia,
    )
