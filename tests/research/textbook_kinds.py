"""Eighteen kinds of random scenes, as blocks of `textbook`: near their limit as often as not."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.random import Generator
from textbook import Array, Block, box

MU = 0.5
"""Usual friction of a material; with the table's 0.45 a little less."""
Blocks = list[Block]


def _brick(
    name: str, at: tuple[float, float, float], size: tuple[float, float, float], **more: object
) -> Block:
    low = [place - side / 2 for place, side in zip(at, size, strict=True)]
    high = [place + side / 2 for place, side in zip(at, size, strict=True)]
    return Block(name, (box(low, high),), MU, **more)  # type: ignore[arg-type]


def _turned(block: Block, degrees: float, about: tuple[float, float] = (0.0, 0.0)) -> Block:
    angle = math.radians(degrees)
    turn = np.array(
        [[math.cos(angle), -math.sin(angle), 0], [math.sin(angle), math.cos(angle), 0], [0, 0, 1]]
    )
    middle = np.array([*about, 0.0])
    return replace(block, solids=tuple((corners - middle) @ turn.T + middle for corners in block.solids))


def column(rng: Generator) -> Blocks:
    """Boxes over each other, each set off."""
    z, x, y, found = 0.0, 0.0, 0.0, []
    for number in range(int(rng.integers(2, 7))):
        size = rng.uniform([30, 30, 10], [60, 60, 30])
        found.append(_brick(f"b{number}", (x, y, z + size[2] / 2), tuple(size)))
        z, x, y = z + size[2], x + rng.uniform(-12, 12), y + rng.uniform(-8, 8)
    return found


def turned_column(rng: Generator) -> Blocks:
    """The same, each turned about the vertical."""
    return [
        _turned(block, rng.uniform(0, 90), tuple(block.solids[0].mean(axis=0)[:2])) for block in column(rng)
    ]


def overhang(rng: Generator) -> Blocks:
    """A harmonic stack, a little more or less."""
    count, length = int(rng.integers(3, 6)), 60.0
    x, found = 0.0, []
    for number in range(count):
        found.append(_brick(f"b{number}", (x, 0, 20 * number + 10), (length, 30, 20)))
        x += rng.uniform(0.85, 1.1) * length / (2 * (count - number - 1)) if number < count - 1 else 0
    return found


def pyramid(rng: Generator) -> Blocks:
    """Rows of boxes, each over two."""
    rows, gap = int(rng.integers(2, 5)), float(rng.uniform(0, 20))
    return [
        _brick(f"b{row}.{at}", ((at - (rows - row - 1) / 2) * (40 + gap), 0, 30 * row + 15), (40, 30, 30))
        for row in range(rows)
        for at in range(rows - row)
    ]


def wall(rng: Generator) -> Blocks:
    """Running bond, stones of all masses, one of the upper rows pulled out in part."""
    rows, found = int(rng.integers(2, 5)), []
    for row in range(rows):
        for at in range(3):
            out = float(rng.uniform(0, 14)) if rng.random() < 0.3 else 0.0
            place = ((at - 1) * 60 + 24 * (row % 2), out, 20 * row + 10)
            found.append(_brick(f"s{row}.{at}", place, (60, 30, 20), mass=float(rng.uniform(20, 60))))
    return found


def lintel(rng: Generator) -> Blocks:
    """A beam on two piers, with a load off its middle and past them."""
    found = [_brick(f"pier{side}", (60 * side, 0, 40), (24, 30, 80)) for side in (-1, 1)]
    found.append(_brick("beam", (rng.uniform(-20, 20), 0, 90), (220, 30, 20)))
    found.append(
        _brick("load", (rng.uniform(-100, 100), 0, 110), (30, 30, 20), mass=float(rng.uniform(20, 400)))
    )
    return found


def table_of_legs(rng: Generator) -> Blocks:
    """A slab on three or four legs and a weight on it."""
    legs = (
        [(-40, -30), (40, -30), (0, 40)]
        if rng.random() < 0.5
        else [(-40, -30), (40, -30), (40, 30), (-40, 30)]
    )
    found = [_brick(f"leg{n}", (x, y, 30), (12, 12, 60)) for n, (x, y) in enumerate(legs)]
    found.append(_brick("slab", (0, 0, 65), (120, 90, 10)))
    place = (rng.uniform(-45, 45), rng.uniform(-30, 30), 80)
    found.append(_brick("weight", place, (30, 30, 20), mass=float(rng.uniform(50, 430))))
    return found


def _slope(angle: float) -> tuple[Block, Array]:
    """A fixed wedge, and axes (3, 3) in columns: downhill, across, up from it."""
    profile = [(0.0, 0.0), (120 * math.cos(angle), 0.0), (0.0, 120 * math.sin(angle))]
    corners = np.array([(x, y, z) for x, z in profile for y in (-40, 40)])
    axes = np.array(
        [[math.cos(angle), 0, -math.sin(angle)], [0, 1, 0], [math.sin(angle), 0, math.cos(angle)]]
    ).T
    return Block("slope", (corners,), MU, fixed=True), axes


def slope(rng: Generator) -> Blocks:
    """One or two boxes on a slope."""
    wedge, axes = _slope(math.radians(rng.uniform(18, 34)))
    found, height = [wedge], 0.0
    top = np.array([0, 0, wedge.solids[0][:, 2].max()])
    for number in range(int(rng.integers(1, 3))):
        size = rng.uniform([20, 20, 15], [40, 40, 50])
        local = box(
            (60 - size[0] / 2, -size[1] / 2, height), (60 + size[0] / 2, size[1] / 2, height + size[2])
        )
        found.append(Block(f"b{number}", (top + local @ axes.T,), MU))
        height += size[2]
    return found


def ladder(rng: Generator) -> Blocks:
    """A plank leans with its edge on a wall."""
    angle, long, thick = math.radians(rng.uniform(35, 75)), 100.0, 6.0
    local = box((0, -15, 0), (long, 15, thick))
    turn = np.array(
        [[math.cos(angle), 0, -math.sin(angle)], [0, 1, 0], [math.sin(angle), 0, math.cos(angle)]]
    )
    corners = local @ turn.T
    wall_x = float(corners[:, 0].max())
    wall = Block(
        "wall", (box((wall_x, -40, 0), (wall_x + 20, 40, 160)),), float(rng.uniform(0.1, 0.8)), fixed=True
    )
    return [wall, Block("plank", (corners,), float(rng.uniform(0.2, 0.9)))]


def roof(rng: Generator) -> Blocks:
    """Two blocks that lean on each other over a gap, on fixed sides."""
    lean, half, tall = float(rng.uniform(2, 12)), float(rng.uniform(15, 40)), 40.0
    mu = float(rng.uniform(0.2, 0.8))
    found = []
    for side in (-1, 1):
        profile = np.array(
            [(side * (half + 20), 0), (side * half, 0), (0, tall), (0, tall + lean), (side * 20, tall + lean)]
        )
        corners = np.array([(x, y, z) for x, z in profile for y in (-15, 15)])
        found.append(Block(f"half{side}", (corners,), mu))
    return found


def arch(rng: Generator) -> Blocks:
    """A round arch of wedge stones between fixed springers."""
    count, radius, thick = int(rng.integers(3, 8)), 60.0, float(rng.uniform(5, 20))
    mu, half = float(rng.uniform(0.3, 0.8)), math.radians(float(rng.uniform(50, 88)))
    ends = np.linspace(math.pi / 2 + half, math.pi / 2 - half, count + 1)
    lift = 40 - (radius - thick) * math.sin(ends[0])
    found, inner, outer = [], radius - thick / 2, radius + thick / 2
    for number, (one, other) in enumerate(pairwise(ends.tolist())):
        ring = [(r * math.cos(a), r * math.sin(a) + lift) for a in (one, other) for r in (inner, outer)]
        found.append(Block(f"v{number}", (np.array([(x, y, z) for x, z in ring for y in (-10, 10)]),), mu))
    for name, end in (("left", ends[0]), ("right", ends[-1])):
        foot = [(r * math.cos(end), r * math.sin(end) + lift) for r in (inner - 4, outer + 4)]
        away = np.array([-math.sin(end), math.cos(end)]) * (12 if name == "left" else -12)
        ring = [*foot, *[(x + away[0], z + away[1]) for x, z in foot]]
        found.append(
            Block(name, (np.array([(x, y, z) for x, z in ring for y in (-10, 10)]),), mu, fixed=True)
        )
    return found


def cantilever(rng: Generator) -> Blocks:
    """A beam over an edge, held down by a weight."""
    found = [
        _brick("pier", (0, 0, 30), (40, 40, 60)),
        _brick("beam", (rng.uniform(0, 60), 0, 65), (140, 30, 10)),
    ]
    beam = found[1].solids[0]
    x = float(beam[:, 0].min()) + 15
    found.append(_brick("weight", (x, 0, 80), (30, 30, 20), mass=float(rng.uniform(5, 120))))
    return found


def keystone(rng: Generator) -> Blocks:
    """A wedge hangs between two fixed jaws."""
    lean, mu = float(rng.uniform(4, 20)), float(rng.uniform(0.05, 0.9))

    def jaw(side: int) -> Array:
        profile = [(side * 20, 0), (side * (20 + lean), 40), (side * 60, 40), (side * 60, 0)]
        return np.array([(x, y, z) for x, z in profile for y in (-15, 15)])

    wedge = [(-20 - lean / 2, 20), (20 + lean / 2, 20), (20 + lean, 40), (-20 - lean, 40)]
    return [
        Block("left", (jaw(-1),), mu, fixed=True),
        Block("right", (jaw(1),), mu, fixed=True),
        Block("wedge", (np.array([(x, y, z) for x, z in wedge for y in (-15, 15)]),), mu),
    ]


def slabs(rng: Generator) -> Blocks:
    """Upright slabs side by side, one or more lower."""
    x, found = 0.0, []
    for number in range(int(rng.integers(2, 5))):
        thick, tall = float(rng.uniform(8, 20)), float(rng.uniform(50, 90))
        found.append(_brick(f"s{number}", (x + thick / 2, 0, tall / 2), (thick, 40, tall)))
        x += thick
    return found


def hexagons(rng: Generator) -> Blocks:
    """Six-sided prisms over each other."""
    z, x, y, found = 0.0, 0.0, 0.0, []
    for number in range(int(rng.integers(2, 6))):
        radius, tall, turn = rng.uniform(18, 34), rng.uniform(12, 30), rng.uniform(0, 60)
        angles = np.radians(turn + 60 * np.arange(6))
        ring = np.stack([x + radius * np.cos(angles), y + radius * np.sin(angles)], axis=1)
        found.append(
            Block(f"h{number}", (np.array([(a, b, c) for a, b in ring for c in (z, z + tall)]),), MU)
        )
        z, x, y = z + tall, x + rng.uniform(-12, 12), y + rng.uniform(-12, 12)
    return found


def frusta(rng: Generator) -> Blocks:
    """Blocks that grow wider upwards, each on the narrow foot of its own."""
    z, x, found = 0.0, 0.0, []
    for number in range(int(rng.integers(2, 5))):
        foot, top, tall = rng.uniform(16, 26), rng.uniform(26, 40), rng.uniform(15, 35)
        lean = rng.uniform(-8, 8)
        corners = [(x + a * foot / 2, b * foot / 2, z) for a in (-1, 1) for b in (-1, 1)]
        corners += [(x + lean + a * top / 2, b * top / 2, z + tall) for a in (-1, 1) for b in (-1, 1)]
        found.append(Block(f"f{number}", (np.array(corners),), MU))
        z, x = z + tall, x + lean + rng.uniform(-5, 5)
    return found


def polycubes(rng: Generator) -> Blocks:
    """Ls and Ts of cubes, let down upon each other without touching sides."""
    found: Blocks = []
    below = [(0, 0)]
    shapes = ([(0, 0), (1, 0), (2, 0)], [(0, 0), (1, 0), (1, 1)], [(0, 0), (1, 0), (2, 0), (1, 1)])
    for level in range(int(rng.integers(2, 5))):
        cells = shapes[int(rng.integers(3))]
        if rng.random() < 0.5:
            cells = [(y, x) for x, y in cells]
        # one of its cells over one of those below
        (x, y), (below_x, below_y) = (each[int(rng.integers(len(each)))] for each in (cells, below))
        dx, dy = 16 * (below_x - x), 16 * (below_y - y)
        below = [(x + dx // 16, y + dy // 16) for x, y in cells]
        solids = tuple(
            box((16 * x + dx, 16 * y + dy, 16 * level), (16 * x + dx + 16, 16 * y + dy + 16, 16 * level + 16))
            for x, y in cells
        )
        found.append(Block(f"p{level}", solids, MU, spec={"cells": cells, "at": (dx, dy, 16 * level)}))
    return found


def loaded(rng: Generator) -> Blocks:
    """A column with forces on its pieces."""
    found = column(rng)[:4]
    for at in {len(found) - 1, int(rng.integers(len(found)))}:
        corners = found[at].solids[0]
        place = rng.uniform(corners.min(axis=0), corners.max(axis=0))
        force = rng.uniform([-1, -1, -1], [1, 1, 0.3]) * found[at].weight * rng.uniform(0.1, 0.5)
        pull = (
            (float(place[0]), float(place[1]), float(place[2])),
            (float(force[0]), float(force[1]), float(force[2])),
        )
        found[at] = replace(found[at], pulls=(pull,))
    return found


KINDS: tuple[Callable[[Generator], Blocks], ...] = (
    column,
    turned_column,
    overhang,
    pyramid,
    wall,
    lintel,
    table_of_legs,
    slope,
    ladder,
    roof,
    arch,
    cantilever,
    keystone,
    slabs,
    hexagons,
    frusta,
    polycubes,
    loaded,
)


def scene(number: int) -> tuple[str, Blocks]:
    """The kind and the blocks of a scene."""
    kind = KINDS[number % len(KINDS)]
    return kind.__name__, kind(np.random.default_rng([34, number]))
