"""Pieces as glTF 2.0 binary files, for other people's viewers."""

from __future__ import annotations

import numpy as np

from models.net import Ints
from models.piece import Array

CREASE = np.radians(30.0)
"""Faces that meet at a smaller turn are shaded as one curve: a circle of 13 sides or more looks round."""
# a corner where more faces meet than this is not worth the quadratic number of pairs; its faces look flat
MOST_FACES_AT_CORNER = 600


def corner_normals(vertices: Array, faces: Ints, crease: float = CREASE) -> Array:
    """(f, 3, 3) unit normals at the corners of the faces, for shading.

    Each is the mean of the face normals around the corner that turn less than `crease` (radians) from its own
    face, weighted by area, so that broad flat faces stay flat and narrow bevels carry the bend.
    """
    corners = vertices[faces]
    doubled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(doubled, axis=1)
    unit = doubled / np.maximum(area, np.finfo(float).tiny)[:, None]
    span = max(float(np.ptp(vertices, axis=0).max()), np.finfo(float).tiny)
    # meshes come with a corner of their own for every face, so corners are told by their place
    _, place = np.unique(np.round(vertices / span, 7), axis=0, return_inverse=True)
    flat = place.reshape(-1)[faces].reshape(-1)
    order = np.argsort(flat, kind="stable")
    counts = np.bincount(flat)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    total = np.repeat(unit, 3, axis=0)
    for size in np.unique(counts[(counts > 1) & (counts <= MOST_FACES_AT_CORNER)]):
        chunk = max(1, 4_000_000 // int(size * size))
        chosen = starts[counts == size]
        for begin in range(0, len(chosen), chunk):
            members = order[chosen[begin : begin + chunk, None] + np.arange(size)]
            own = unit[members // 3]
            near = np.einsum("cid,cjd->cij", own, own) > np.cos(crease)
            total[members] = np.einsum("cij,cjd->cid", near, doubled[members // 3])
    length = np.linalg.norm(total, axis=1)
    good = length > np.finfo(float).tiny
    total[good] /= length[good, None]
    total[~good] = (0.0, 0.0, 1.0)
    normals: Array = total.reshape(-1, 3, 3)
    return normals
