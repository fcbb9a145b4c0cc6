"""Hulls cut up for Rapier, which looks at four corners of a face: nothing is lost, nothing is there twice."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from teeter.engine.world.rapier_body import CORNERS, cells
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.models.piece import Part

Array = NDArray[np.float64]
WIDE, HIGH = 0.03, 0.01
"""Metres."""


def frustum(corners: int, top: float = 1.0) -> Part:
    """A regular prism, or a frustum whose upper end is so many times as wide as the lower."""
    angles = np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False) + 0.3
    rim = WIDE * np.stack([np.cos(angles), np.sin(angles), np.zeros(corners)], axis=1)
    return hull(np.concatenate([rim, rim * (top, top, 1.0) + (0.0, 0.0, HIGH)]))


def hull(corners: Array) -> Part:
    return Part("hull", corners.mean(axis=0), np.eye(3), corners)


def most_corners(cell: Array, solid: Array) -> int:
    """Of any face of a cell that is part of a face of the solid: what is inside touches nothing."""
    planes = np.unique(ConvexHull(solid).equations.round(9), axis=0)
    on = np.abs(cell @ planes[:, :3].T + planes[:, 3]) < 1e-8
    return int(on.sum(axis=0).max())


def depth(solid: Array, points: Array) -> Array:
    """Metres that points are inside of a solid; negative outside."""
    faces = ConvexHull(solid).equations
    return np.asarray(-(points @ faces[:, :3].T + faces[:, 3]).max(axis=1))


def parts_of(name: str) -> list[Part]:
    return [part for part in build(find(name)).parts if part.kind == "hull"]


SOLIDS = {
    **{f"prism of {count}": [frustum(count)] for count in (3, 4, 5, 6, 7, 8, 13, 64)},
    **{f"frustum of {count}": [frustum(count, 0.6)] for count in (5, 8, 24)},
    "a long slab": [hull(frustum(6).vertices * (1.0, 0.1, 1.0))],
    "bausack disc": parts_of("bausack/disc"),
    "bausack cone": parts_of("bausack/cone"),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_a_hull_is_cut_into_cells_whose_faces_have_few_corners(name: str) -> None:
    assert SOLIDS[name]
    rng = np.random.default_rng(1)
    for part in SOLIDS[name]:
        found = cells(part)
        assert max(most_corners(each, part.vertices) for each in found) <= CORNERS
        whole = ConvexHull(part.vertices).volume
        assert sum(ConvexHull(each).volume for each in found) == pytest.approx(whole, rel=1e-6)
        low, high = part.vertices.min(axis=0), part.vertices.max(axis=0)
        points = rng.uniform(low, high, (500, 3))
        inside = points[depth(part.vertices, points) > 1e-6]
        held = np.array([depth(each, inside) > -1e-9 for each in found])
        assert held.any(axis=0).all(), "every point is in a cell"
        deep = np.array([depth(each, inside) > 1e-7 for each in found])
        assert deep.sum(axis=0).max() == 1, "and in one only"


@pytest.mark.parametrize(("count", "cut"), [(3, 1), (4, 1), (5, 2), (6, 2), (8, 4), (64, 32)])
def test_a_prism_is_cut_into_few_cells(count: int, cut: int) -> None:
    assert len(cells(frustum(count))) == cut


def test_the_corners_of_a_disc_are_those_of_its_cells() -> None:
    """It stands on its rim as it did."""
    part = frustum(64)
    kept = np.unique(np.concatenate(cells(part)).round(9), axis=0)
    assert kept == pytest.approx(np.unique(part.vertices.round(9), axis=0))
