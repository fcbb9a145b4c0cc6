"""Pieces whose mass is not spread evenly: loaded crates, weighted blocks, hollow prints."""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from teeter.models.errors import ModelError
from teeter.models.hulls import convex_hull
from teeter.models.piece import Array, Piece

LEAST_FILL = 1e-3
"""Of the mass that stays spread out: a point load alone has no moment of inertia, and no simulation turns it."""
LOOSE = 1e-6
"""Relative: how far moments may miss an inequality, as files round them."""


@lru_cache(maxsize=4096)
def weighted(
    piece: Piece,
    centre: tuple[float, float, float] | None = None,
    moments: tuple[float, float, float, float, float, float] | None = None,
) -> Piece:
    """Returns the piece, of the same mass, with its centre of mass elsewhere; the same one every time.

    centre: metres in the piece frame; None: where it is. moments: kg m^2 about that centre along the axes of the
    piece frame, as xx, yy, zz, xy, xz, yz; None: those of an even fill and a load in one point, where the line from
    the middle of the fill through the centre of mass meets the convex hull. With a share s of the mass m in a load at
    the distance L along the unit vector u,

        I = (1 - s) I_even + m s (1 - s) L^2 (1 - u u^T),   s L = how far the centre lies off the middle.

    Raises ModelError for a centre outside the hull, or moments that nothing within it has.
    """
    corners = np.concatenate([ring for facet in piece.surface.facets for ring in facet.rings])
    goal = piece.centre_of_mass if centre is None else np.array(centre)
    inertia = _loaded(piece, goal, corners)
    if moments is not None:
        xx, yy, zz, xy, xz, yz = moments
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        _check(inertia, piece.mass, float(np.linalg.norm(corners - goal, axis=1).max()))
    goal.setflags(write=False)
    inertia.setflags(write=False)
    return replace(piece, centre_of_mass=goal, inertia=inertia, off_middle=goal - piece.centre_of_mass)


@lru_cache(maxsize=4096)
def with_weight(piece: Piece, mass: float, point: tuple[float, float, float]) -> Piece:
    """Returns the piece with a weight that is small and fixed to it. mass: kilograms; point: metres, in the piece
    frame."""
    share = mass / (piece.mass + mass)
    away = np.array(point) - piece.centre_of_mass
    about = piece.mass * share * (away @ away * np.eye(3) - np.outer(away, away))
    off = np.zeros(3) if piece.off_middle is None else piece.off_middle
    return replace(
        piece,
        mass=piece.mass + mass,
        centre_of_mass=piece.centre_of_mass + share * away,
        inertia=piece.inertia + about,
        off_middle=off + share * away,
    )


def _loaded(piece: Piece, goal: Array, corners: Array) -> Array:
    """Returns the inertia (3, 3) of an even fill and a load in one point. Raises ModelError: none has that centre."""
    away = goal - piece.centre_of_mass
    off = float(np.linalg.norm(away))
    if off <= LOOSE * float(piece.extents.max()):
        return piece.inertia.copy()
    unit = away / off
    planes = convex_hull(corners).equations
    towards = planes[:, :3] @ unit
    room = -(planes[:, :3] @ piece.centre_of_mass + planes[:, 3])
    reach = float((room[towards > 0] / towards[towards > 0]).min())
    share = off / reach
    if share > 1 - LEAST_FILL:
        raise ModelError(
            f"lies outside the piece: in this direction its mass can lie up to {reach * 1e3:.4g} mm off the middle of "
            f"its shape, and this is {off * 1e3:.4g} mm"
        )
    spread = np.eye(3) - np.outer(unit, unit)
    return np.asarray((1 - share) * piece.inertia + piece.mass * share * (1 - share) * reach**2 * spread)


def _check(inertia: Array, mass: float, radius: float) -> None:
    """Raises ModelError for moments that no mass within a radius around its centre has."""
    low, middle, high = np.linalg.eigvalsh(inertia).tolist()
    if low <= 0 or high > (low + middle) * (1 + LOOSE):
        raise ModelError(
            "is the inertia of nothing: its principal moments are "
            f"{low * 1e9:.4g}, {middle * 1e9:.4g} and {high * 1e9:.4g} g mm^2, and each must be positive and at most "
            "the sum of the others"
        )
    most = mass * radius**2
    if (low + middle + high) / 2 > most * (1 + LOOSE):
        raise ModelError(
            f"is too much for its mass: all of it lies within {radius * 1e3:.4g} mm of the centre of mass, so half the "
            f"sum of the moments is at most {most * 1e9:.4g} g mm^2 (1 kg m^2 = 1e9 g mm^2)"
        )
