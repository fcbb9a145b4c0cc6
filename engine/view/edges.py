"""Where pieces have edges that the eye sees: silhouettes and creases. Plain geometry, no graphics library."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.geometry.rotation import matrices_of
from engine.view.camera import Vector
from engine.view.frame import Frame
from models.piece import Piece, Surface

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

# cosine between facets of a curve: they meet in no crease, and are seen as an edge at the silhouette only
SMOOTH = float(np.cos(np.radians(16.0)))
# metres within which corners of facets are the same
SAME = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Straight lines in the world. ends: (n, 2, 3) metres. curved: (n,) whether each is a part of a curve."""

    ends: Array
    curved: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """The edges of one or more solids.

    ends: (e, 2, 3) metres. beside: (e, 2) the facets that meet there. sharp: (e,) a crease that shows when one of
    them does; others show when one of them does and the other does not. curved: (e,) one of a polygon that stands for
    a curve. normals: (f, 3) of the facets, outward. offsets: (f,) metres, of their planes along the normals.
    edge_body, facet_body: whose they are.
    """

    ends: Floats
    beside: NDArray[np.int64]
    sharp: NDArray[np.bool_]
    curved: NDArray[np.bool_]
    normals: Floats
    offsets: Floats
    edge_body: NDArray[np.int64]
    facet_body: NDArray[np.int64]

    def seen(self, places: Array, turns: Array, eye: Array) -> Lines:
        """What an eye sees, were nothing in the way. places, turns: (bodies, 3) and (bodies, 3, 3) of the bodies, NaN
        where absent."""
        local = np.einsum("bji,bj->bi", turns, eye - places).astype(np.float32)
        # what is absent faces nobody
        faces = np.einsum("fi,fi->f", self.normals, local[self.facet_body]) > self.offsets
        first, second = faces[self.beside[:, 0]], faces[self.beside[:, 1]]
        shown = np.flatnonzero((first ^ second) | (self.sharp & first))
        bodies = self.edge_body[shown]
        world = np.einsum("eij,ekj->eki", turns[bodies], self.ends[shown].astype(np.float64))
        return Lines(world + places[bodies, None], self.curved[shown])


def edges_of(surface: Surface) -> Edges:
    """The edges of one solid: where its facets meet."""
    rings = [ring for facet in surface.facets for ring in facet.rings]
    sizes = np.array([len(ring) for ring in rings])
    owners = np.repeat([n for n, facet in enumerate(surface.facets) for _ in facet.rings], sizes)
    points = np.concatenate(rings)
    last = np.cumsum(sizes) - 1
    after = np.arange(1, len(points) + 1)
    after[last] = last - sizes + 1
    _, corner = np.unique(_keys(points), return_inverse=True)
    low, high = np.minimum(corner, corner[after]), np.maximum(corner, corner[after])
    key = low * (int(corner.max()) + 1) + high
    order = np.argsort(key, kind="stable")
    same = key[order[1:]] == key[order[:-1]]
    met = np.flatnonzero(same)
    one, other = order[met], order[met + 1]
    normals = np.array([facet.normal for facet in surface.facets])
    starts = points[(last - sizes + 1)[np.searchsorted(owners[last], np.arange(len(normals)))]]
    beside = np.stack([owners[one], owners[other]], axis=1)
    turn = np.einsum("ei,ei->e", normals[beside[:, 0]], normals[beside[:, 1]])
    bent = turn < 1 - 1e-7
    ends = np.stack([points[one], points[after[one]]], axis=1)
    return Edges(
        ends[bent].astype(np.float32),
        beside[bent],
        (turn < SMOOTH)[bent],
        np.array([facet.curved for facet in surface.facets])[beside].any(axis=1)[bent],
        normals.astype(np.float32),
        np.einsum("fi,fi->f", normals, starts).astype(np.float32),
        np.zeros(int(bent.sum()), dtype=np.int64),
        np.zeros(len(normals), dtype=np.int64),
    )


def _keys(points: Array) -> NDArray[np.int64]:
    """One number for every place."""
    steps = np.round((points - points.min(axis=0)) / SAME).astype(np.int64)
    span = steps.max(axis=0) + 1
    return np.asarray((steps[:, 0] * span[1] + steps[:, 1]) * span[2] + steps[:, 2])


class Outlines:
    """The edges of the bodies of a stage, where a frame has them."""

    def __init__(self) -> None:
        self._pieces: dict[str, Piece] = {}
        self._known: dict[int, tuple[Edges, Surface]] = {}
        self._joined: Edges | None = None
        self._frame: Frame | None = None

    def add(self, name: str, piece: Piece) -> None:
        """One more body, or another piece for one that is known."""
        self._pieces[name] = piece
        self._joined = None

    def show(self, frame: Frame) -> None:
        """Where everything is from now on."""
        self._frame = frame

    def seen(self, eye: Vector) -> Lines:
        """The edges an eye sees, were nothing in the way."""
        if self._frame is None:
            return Lines(np.zeros((0, 2, 3)), np.zeros(0, dtype=np.bool_))
        if self._joined is None:
            self._joined = joined([self._edges(piece) for piece in self._pieces.values()])
        order = {name: number for number, name in enumerate(self._pieces)}
        poses = np.full((len(order), 7), np.nan)
        poses[[order[name] for name in self._frame.names]] = self._frame.poses
        return self._joined.seen(poses[:, :3], matrices_of(poses[:, 3:]), np.array(eye))

    def _edges(self, piece: Piece) -> Edges:
        if id(piece.surface) not in self._known:
            # held beside it, so that no other surface gets its id
            self._known[id(piece.surface)] = (edges_of(piece.surface), piece.surface)
        return self._known[id(piece.surface)][0]


def joined(parts: list[Edges]) -> Edges:
    """The edges of several bodies, numbered as listed."""
    facets = np.array([len(part.normals) for part in parts])
    before = np.cumsum(facets) - facets
    return Edges(
        np.concatenate([part.ends for part in parts]),
        np.concatenate([part.beside + first for part, first in zip(parts, before, strict=True)]),
        np.concatenate([part.sharp for part in parts]),
        np.concatenate([part.curved for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate([part.offsets for part in parts]),
        np.repeat(np.arange(len(parts)), [len(part.ends) for part in parts]),
        np.repeat(np.arange(len(parts)), facets),
    )
