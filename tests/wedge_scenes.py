"""Pieces between supports that stand by themselves, only if wedged tight, or not at all: each with its closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from teeter.engine.bench.rigs import piece, wood
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.settings import GRAVITY
from teeter.engine.world.body import DOWN, Assembly, Body, Vector

Answer = Literal["stands", "wedged", "falls"]
Points = list[tuple[float, float]]

DEPTH = 0.12
"""Metres of all pieces along y: deep enough that none tips that way."""


@dataclass(frozen=True, slots=True, eq=False)
class WedgeCase:
    """clamping: newtons of the pair pressed hardest when wedged tight, where a closed form says so."""

    name: str
    assembly: Assembly
    friction: float
    answer: Answer
    gravity: Vector = DOWN
    clamping: float | None = None


def body(name: str, points: Points, mu: float, fixed: bool = False) -> Body:
    """A prism with this outline (mm) in the plane of x and z."""
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    middle = (low + high) / 2
    outline = [[float(x - middle[0]), float(z - middle[1])] for x, z in points]
    shape = piece(wood(mu), prism={"points": outline, "height": DEPTH * 1e3})
    upright = quaternion_of_rpy(math.pi / 2, 0.0, 0.0)
    return Body(name, shape, Pose((middle[0] / 1e3, 0.0, middle[1] / 1e3), upright), fixed)


def notch(half: float, mu: float) -> Assembly:
    """A block in a notch whose faces stand `half` degrees from upright."""
    width, rise = 30.0, 30.0 / math.tan(math.radians(half))
    left: Points = [(-100, -20), (0, -20), (0, 0), (-width, rise), (-100, rise)]
    right: Points = [(0, -20), (100, -20), (100, rise), (width, rise), (0, 0)]
    block: Points = [(0, 0), (width, rise), (width, rise + 20), (-width, rise + 20), (-width, rise)]
    return Assembly(
        "notch", (body("left", left, mu, True), body("right", right, mu, True), body("block", block, mu))
    )


def between(blocks: list[tuple[str, Points]], mu: float, lean: float = 0.0) -> Assembly:
    """Blocks between pillars 40 mm apart at z = 0, whose faces lean together by so many degrees."""
    slope = math.tan(math.radians(lean))
    left: Points = [(-70, -30), (-20 - 30 * slope, -30), (-20 + 40 * slope, 40), (-70, 40)]
    right: Points = [(20 + 30 * slope, -30), (70, -30), (70, 40), (20 - 40 * slope, 40)]
    free = [body(name, points, mu) for name, points in blocks]
    return Assembly("between", (body("left", left, mu, True), body("right", right, mu, True), *free))


def leaning(lean: float, mu: float) -> Assembly:
    """A block that fits between such pillars; wider below when they lean together."""
    slope = 30 * math.tan(math.radians(lean))
    return between([("block", [(-20, 0), (20, 0), (20 - slope, 30), (-20 + slope, 30)])], mu, lean)


def weight(assembly: Assembly) -> float:
    """Newtons of the free pieces together."""
    return sum(each.piece.mass for each in assembly.free) * GRAVITY


def along(degrees: float) -> Vector:
    """Gravity on a table tilted along the notch."""
    angle = math.radians(degrees)
    return (0.0, GRAVITY * math.sin(angle), -GRAVITY * math.cos(angle))


def across(degrees: float) -> Vector:
    """The same across it."""
    angle = math.radians(degrees)
    return (GRAVITY * math.sin(angle), 0.0, -GRAVITY * math.cos(angle))


def notch_slides(half: float, mu: float) -> float:
    """Degrees at which a block in a notch begins to slide along it: each face bears W cos / (2 sin half)."""
    return math.degrees(math.atan(mu / math.sin(math.radians(half))))


def wedge_cases() -> list[WedgeCase]:
    """Twelve assemblies."""
    found = []
    for half, mu in ((30.0, 0.84), (60.0, 0.84), (45.0, 0.4)):
        limit = notch_slides(half, mu)
        # past the limit forces exist while friction across the notch can squeeze: tan(half) < mu, or close to it
        squeezed: Answer = "wedged" if math.tan(math.radians(half)) < mu else "falls"
        found.append(WedgeCase(f"notch {half:g} before", notch(half, mu), mu, "stands", along(limit - 1.5)))
        past = limit + (6 if squeezed == "falls" else 1.5)
        found.append(WedgeCase(f"notch {half:g} past", notch(half, mu), mu, squeezed, along(past)))
    found.append(WedgeCase("notch on its side", notch(30, 0.84), 0.84, "stands", across(90)))
    upright = leaning(0.0, 0.5)
    found.append(WedgeCase("upright pillars", upright, 0.5, "wedged", clamping=weight(upright) / (2 * 0.5)))
    found.append(WedgeCase("narrower below", leaning(-5.0, 0.5), 0.5, "stands"))
    wider, angle = leaning(5.0, 0.5), math.radians(5.0)
    clamping = weight(wider) / (2 * (0.5 * math.cos(angle) - math.sin(angle)))
    found.append(WedgeCase("wider below", wider, 0.5, "wedged", clamping=clamping))
    found.append(WedgeCase("too wide below", leaning(30.0, 0.5), 0.5, "falls"))
    third = 40 / 3
    row: list[tuple[str, Points]] = [
        (f"stone {at}", [(x, 0.0), (x + third, 0.0), (x + third, 30.0), (x, 30.0)])
        for at, x in enumerate((-20.0, -20 + third, -20 + 2 * third))
    ]
    stones = between(row, 0.5)
    # a row held up by its ends alone: friction there carries half the weight each
    found.append(WedgeCase("three in a row", stones, 0.5, "wedged", clamping=weight(stones) / (2 * 0.5)))
    return found
