"""Scenes with which other physics engines are tested, with the parameters of their sources, as assemblies of ours.

Nothing of ours was tuned to them. Each names where it comes from; its right answer follows from a closed form or is
proven by a certificate (`tests/test_outside_scenes.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from engine.bench.rigs import on_slope, piece, table, wood
from engine.pose import Pose
from engine.world import Assembly, Body

Box = tuple[str, tuple[float, float, float], tuple[float, float, float], float]
"""Name, size and centre in metres, kg."""


def of_boxes(name: str, boxes: Iterable[Box], friction: float, ground: float = 20.0) -> Assembly:
    """Level boxes on a square slab of so many metres whose top is at z = 0."""
    bodies = [table(wood(friction), (ground * 1e3, ground * 1e3, 200.0))]
    for label, size, centre, mass in boxes:
        density = mass / math.prod(size)
        shape = piece(wood(friction, density), box=tuple(1e3 * side for side in size))
        bodies.append(Body(label, shape, Pose(centre)))
    return Assembly(name, tuple(bodies))


def kapla_tower(friction: float = 0.5, floors: int = 6) -> Assembly:
    """The Kapla tower of SimBenchmark: 17 blocks of 10 kg a floor, 102 in all."""
    boxes: list[Box] = []
    for i in range(floors):
        boxes += [
            (f"base.{i}.{j}", (0.05, 0.25, 0.1), (0.2 * j, 0.0, 0.2 * i + 0.05), 10.0) for j in range(8)
        ]
        walls = [(0.4 * j + 0.1, -0.1) for j in range(4)] + [(0.4 * j + 0.3, 0.1) for j in range(3)]
        walls += [(0.1, 0.1), (1.3, 0.1)]
        boxes += [
            (f"wall.{i}.{k}", (0.2, 0.05, 0.1), (x, y, 0.2 * i + 0.15), 10.0)
            for k, (x, y) in enumerate(walls)
        ]
    return of_boxes("kapla", boxes, friction)


def jenga_stack(layers: int = 30, friction: float = 0.6) -> Assembly:
    """Box3D's Jenga Stack: layers of two bars, each layer turned by a right angle."""
    boxes: list[Box] = []
    for layer in range(layers):
        for side in (-0.8, 0.8):
            size, at = ((2.0, 0.2, 0.2), (0.0, side)) if layer % 2 == 0 else ((0.2, 2.0, 0.2), (side, 0.0))
            boxes.append((f"bar.{layer}.{side:+.1f}", size, (*at, 0.2 * layer + 0.1), 80.0))
    return of_boxes("jenga", boxes, friction)


def pyramid(base: int, *, density: float = 100.0, top_times: float = 1.0, friction: float = 0.6) -> Assembly:
    """The pyramids of Box2D and Box3D: unit boxes, a row one shorter on every row. top_times: of the top box's mass,
    as in the high mass ratios of Solver2D and PEEL."""
    boxes: list[Box] = []
    for row in range(base):
        for k in range(base - row):
            mass = density * (top_times if row == base - 1 else 1.0)
            centre = (1.1 * k + 0.55 * row - 0.55 * (base - 1), 0.0, row + 0.5)
            boxes.append((f"box.{row}.{k}", (1.0, 1.0, 1.0), centre, mass))
    return of_boxes(f"pyramid.{base}", boxes, friction, 4.0 * base)


def siconos_stack(kind: str, count: int = 5, friction: float = 0.3) -> Assembly:
    """The box stacks of the Siconos tutorials: a column, a wall and a pyramid, boxes 0.01 apart sideways."""
    pitch, boxes = 1.01, list[Box]()
    for level in range(count):
        wide = {"column": 1, "wall": count, "pyramid": count - level}[kind]
        deep = wide if kind == "pyramid" else 1
        for i in range(wide):
            for j in range(deep):
                x, y = pitch * (i - (wide - 1) / 2), pitch * (j - (deep - 1) / 2)
                boxes.append((f"box.{level}.{i}.{j}", (1.0, 1.0, 1.0), (x, y, level + 0.5), 1.0))
    return of_boxes(f"siconos.{kind}", boxes, friction)


def friction_slope(mu: float, degrees: float) -> Assembly:
    """Newton's friction grid and rigid IPC's slope: a flat box at rest on an incline."""
    shape = piece(wood(mu), box=(400, 400, 100))
    return Assembly(f"slope.{mu}.{degrees}", on_slope(shape, math.radians(degrees), 0.0, wood(mu)))
