"""Random piles of polycubes that touch on all sides; whether forces balance them, by a linear program of its own."""

from __future__ import annotations

import json
from functools import lru_cache

import numpy as np
from scipy.optimize import linprog
from statics_scenes import scene

from teeter.engine.pose import Pose
from teeter.engine.world.body import Assembly, Body, Vector
from teeter.models.build import build
from teeter.models.errors import ModelError
from teeter.models.piece import Array, Piece
from teeter.models.spec import PieceSpec

EDGE = 16.0
"""Millimetres."""
ROOM = (5, 4, 4)
"""Cells: a narrow box, so that pieces lean on each other."""
Cell = tuple[int, int, int]


def pile(seed: int) -> Assembly:
    """Three to six polycubes of three to five cells, grown at random and let down in a grid; the first on the table."""
    rng = np.random.default_rng(seed)
    filled: set[Cell] = set()
    bodies = []
    for number in range(int(rng.integers(3, 7))):
        cells = _let_down(_grown(rng), filled, rng)
        if cells is None:
            continue
        low, high = np.min(cells, axis=0), np.max(cells, axis=0) + 1
        try:
            shape = _piece(json.dumps(sorted(tuple(np.subtract(cell, low).tolist()) for cell in cells)))
        except ModelError:
            continue
        filled |= set(cells)
        centre = (low + high) / 2 * EDGE / 1e3
        at = Pose((float(centre[0]), float(centre[1]), float(centre[2])))
        bodies.append(Body(f"p{number}", shape, at))
    return scene(*bodies)


def _grown(rng: np.random.Generator) -> list[Cell]:
    cells: list[Cell] = [(0, 0, 0)]
    size = int(rng.integers(3, 6))
    steps = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    while len(cells) < size:
        x, y, z = cells[int(rng.integers(len(cells)))]
        i, j, k = steps[int(rng.integers(6))]
        if (x + i, y + j, z + k) not in cells:
            cells.append((x + i, y + j, z + k))
    return cells


def _let_down(cells: list[Cell], filled: set[Cell], rng: np.random.Generator) -> list[Cell] | None:
    """Over a random place, down to the first contact; None where it does not fit into the room."""
    low = np.min(cells, axis=0)
    size = np.ptp(cells, axis=0) + 1
    room = np.array(ROOM) - size
    if (room[:2] < 0).any():
        return None
    x, y = (int(rng.integers(room[axis] + 1)) for axis in (0, 1))

    def at(z: int) -> list[Cell]:
        return [(int(a - low[0]) + x, int(b - low[1]) + y, int(c - low[2]) + z) for a, b, c in cells]

    height = 12
    while height > 0 and not filled & set(at(height - 1)):
        height -= 1
    return at(height)


@lru_cache(maxsize=4096)
def _piece(cells: str) -> Piece:
    spec = {"shape": {"polycube": {"cells": json.loads(cells), "edge": EDGE}}}
    material = {"density_kg_m3": 700.0, "friction": 0.4}
    return build(PieceSpec.model_validate({**spec, "material": material}))


SIDES = 24
"""Of the pyramids inside and around Coulomb's cone."""


def cells_of(body: Body) -> set[Cell]:
    """The cells of a free body, by their low corners."""
    boxes = [part.vertices.min(axis=0) for part in body.piece.parts]
    sizes = [np.ptp(part.vertices, axis=0) for part in body.piece.parts]
    found: set[Cell] = set()
    for low, size in zip(boxes, sizes, strict=True):
        start = np.round((np.asarray(body.pose.position) + low) * 1e3 / EDGE).astype(int)
        counts = np.round(size * 1e3 / EDGE).astype(int)
        found |= {tuple((start + each).tolist()) for each in np.ndindex(*counts)}
    return found


def balanced_by_cells(assembly: Assembly, gravity: Vector) -> bool | None:
    """Whether forces at the corners of shared cell faces balance every piece; None where the pyramids differ."""
    inner, outer = (_feasible(assembly, gravity, scale) for scale in (1.0, 1.0 / np.cos(np.pi / SIDES)))
    return inner if inner == outer else None


def _feasible(assembly: Assembly, gravity: Vector, scale: float) -> bool:
    free = assembly.free
    owner = {cell: at for at, body in enumerate(free) for cell in cells_of(body)}
    columns = []
    for cell, at in owner.items():
        for axis in range(3):
            above = tuple(np.add(cell, np.eye(3, dtype=int)[axis]).tolist())
            if axis == 2 and cell[2] == 0:
                columns += _presses(cell, axis, None, at, scale, free)
            if owner.get(above, at) != at:
                columns += _presses(above, axis, at, owner[above], scale, free)
    masses = np.array([body.piece.mass for body in free])
    loads = np.zeros((len(free), 6))
    loads[:, :3] = masses[:, None] * np.asarray(gravity)
    size = np.abs(loads).max()
    rows = np.array(columns).T if columns else np.zeros((loads.size, 1))
    return bool(
        linprog(np.zeros(rows.shape[1]), A_eq=rows, b_eq=-loads.reshape(-1) / size, method="highs").status
        == 0
    )


def _presses(
    cell: Cell, axis: int, below: int | None, above: int, scale: float, free: tuple[Body, ...]
) -> list[Array]:
    """Columns of wrenches, lengths in edges: along the sides of the pyramid at the corners of a low face of a cell."""
    across = [each for each in range(3) if each != axis]
    found = []
    for shift in np.ndindex(2, 2):
        point = np.array(cell, dtype=float)
        point[across] += shift
        for side in range(SIDES):
            angle = 2 * np.pi * side / SIDES
            force = np.zeros(3)
            force[axis] = 1.0
            force[across] = 0.4 * scale * np.array([np.cos(angle), np.sin(angle)])
            column = np.zeros((len(free), 6))
            for body, sign in ((above, 1.0), (below, -1.0)):
                if body is not None:
                    centre = free[body].pose.apply(free[body].piece.centre_of_mass) * 1e3 / EDGE
                    column[body] = sign * np.concatenate([force, np.cross(point - centre, force)])
            found.append(column.reshape(-1))
    return found
