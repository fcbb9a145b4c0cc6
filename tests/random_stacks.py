"""Random stacks of cubes, and by how much they stand: worked out from the squares alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from shapely.affinity import rotate

import teeter

SIDE = 30.0
"""Millimetres."""
CUBE: dict[str, Any] = {"shape": {"box": [SIDE] * 3}, "material": "beech"}


def stack(seed: int, spread: float, pieces: int = 4) -> teeter.Scene:
    """Cubes on each other, each turned anyhow and beside the one below by up to `spread` mm along x and along y."""
    random = np.random.default_rng(seed)
    x = y = 0.0
    rows = []
    for number in range(pieces):
        if number:
            x, y = x + random.uniform(-spread, spread), y + random.uniform(-spread, spread)
        place = {"position": [x, y, SIDE * (number + 0.5)], "rotation": [0, 0, float(random.uniform(0, 90))]}
        rows.append(CUBE | {"id": f"cube.{number}"} | place)
    return teeter.build(rows, name=f"stack {seed}")


def rooms(scene: teeter.Scene) -> float:
    """How far the common centre of all that lies above an interface is inside the polygon of it, mm; the least over
    all interfaces, negative outside."""
    pieces = sorted(scene.pieces.values(), key=lambda piece: piece.position_mm[2])
    squares = []
    for piece in pieces:
        x, y, _ = piece.position_mm
        square = shapely.box(x - SIDE / 2, y - SIDE / 2, x + SIDE / 2, y + SIDE / 2)
        turn = 2.0 * np.degrees(np.arctan2(piece.quaternion[2], piece.quaternion[3]))
        squares.append(rotate(square, turn, origin=(x, y)))
    found = []
    for number, square in enumerate(squares):
        polygon = square if number == 0 else shapely.intersection(square, squares[number - 1])
        centre = shapely.Point(np.mean([piece.position_mm[:2] for piece in pieces[number:]], axis=0))
        inside = 1.0 if polygon.contains(centre) else -1.0
        found.append(inside * shapely.distance(polygon.exterior, centre))
    return float(min(found))
