"""Small assemblies with known answers, for the tests of contacts and statics. Millimetres and degrees."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from teeter.engine.geometry.rotation import matrix_of, quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.world.body import TABLE, Assembly, Body
from teeter.models.build import build
from teeter.models.piece import Piece
from teeter.models.spec import PieceSpec

G = 9.81


def piece(mu: float = 0.4, density: float = 700.0, **shape: object) -> Piece:
    return _piece(mu, density, json.dumps(shape))


@lru_cache(maxsize=256)
def _piece(mu: float, density: float, shape: str) -> Piece:
    material = {"density_kg_m3": density, "friction": mu}
    return build(PieceSpec.model_validate({"shape": json.loads(shape), "material": material}))


def pose(x: float, y: float, z: float, roll: float = 0.0, pitch: float = 0.0, yaw: float = 0.0) -> Pose:
    turn = quaternion_of_rpy(math.radians(roll), math.radians(pitch), math.radians(yaw))
    return Pose((x / 1e3, y / 1e3, z / 1e3), turn)


def box(
    name: str, size: tuple[float, float, float], at: Pose, mu: float = 0.4, *, fixed: bool = False
) -> Body:
    return Body(name, piece(mu, box=size), at, fixed=fixed)


def table(mu: float = 0.4, size: tuple[float, float] = (2000.0, 2000.0), x: float = 0.0) -> Body:
    return box(TABLE, (*size, 20.0), pose(x, 0.0, -10.0), mu, fixed=True)


def scene(*bodies: Body, mu: float = 0.4) -> Assembly:
    return Assembly("test", (table(mu), *bodies))


def tower(rows: int = 18, mu: float = 0.4) -> Assembly:
    """Rows of three bricks 75 x 25 x 15, each row turned by 90 degrees, faces exactly together."""
    bricks = []
    for row in range(rows):
        for i in range(3):
            aside = 25.0 * (i - 1)
            x, y, yaw = (0.0, aside, 0.0) if row % 2 == 0 else (aside, 0.0, 90.0)
            bricks.append(
                box(f"brick.{3 * row + i:02d}", (75.0, 25.0, 15.0), pose(x, y, 15 * row + 7.5, yaw=yaw), mu)
            )
    return scene(*bricks, mu=mu)


def stack(count: int, size: tuple[float, float, float], mu: float = 0.9, yaw: float = 0.0) -> Assembly:
    """Aligned boxes on the table."""
    height = size[2]
    return scene(
        *(box(f"b{i}", size, pose(0, 0, height * (i + 0.5), yaw=yaw), mu) for i in range(count)), mu=mu
    )


def pyramid(count: int, mu: float = 0.4) -> Assembly:
    """A flat running-bond pyramid with gaps between the bricks of a row."""
    width = math.ceil((math.sqrt(8 * count + 1) - 1) / 2)
    places = [(31.0 * (i - (width - row - 1) / 2), row) for row in range(width) for i in range(width - row)]
    return scene(
        *(
            box(f"p{k:03d}", (30.0, 15.0, 15.0), pose(x, 0, 15 * row + 7.5), mu)
            for k, (x, row) in enumerate(places[:count])
        ),
        mu=mu,
    )


def overhang(centres: Iterable[tuple[float, int]], length: float = 75.0, mu: float = 0.4) -> Assembly:
    """Blocks by the x of their centre (from the table's edge at x = 0) and their level."""
    blocks = [
        box(f"b{i}", (length, 25.0, 15.0), pose(x, 0, 15 * level + 7.5), mu)
        for i, (x, level) in enumerate(centres)
    ]
    return Assembly("overhang", (table(mu, (1000.0, 1000.0), x=-500.0), *blocks))


def harmonic(count: int, beyond: float, length: float = 75.0) -> Assembly:
    """The harmonic stack; every block's resultant `beyond` mm past (negative: inside) the edge under it."""
    edge, centres = 0.0, []
    for level in range(count):
        above = count - level - 1
        # the centre of mass of these blocks lies over the edge below, theirs over this block's end
        centre = edge + beyond - above / (above + 1) * (length / 2 + beyond)
        centres.append((centre, level))
        edge = centre + length / 2
    return overhang(centres, length)


def arch(count: int, ratio: float, radius: float = 100.0, mu: float = 0.8) -> Assembly:
    """A semicircular arch of equal voussoirs with radial cuts on two fixed springers. ratio: thickness to
    radius.
    """
    half = math.pi / (2 * count)
    inner, outer = radius * (1 - ratio / 2), radius * (1 + ratio / 2)
    angles = np.linspace(-half, half, max(3, 2 * round(12 / count) + 1))
    ring = [
        (r * math.sin(a), r * math.cos(a)) for r, run in ((outer, angles), (inner, angles[::-1])) for a in run
    ]
    heights = [y for _, y in ring]
    centre = (min(heights) + max(heights)) / 2
    stone = piece(mu, prism={"points": [list(point) for point in ring], "height": 30.0})
    upright = matrix_of(quaternion_of_rpy(math.pi / 2, 0.0, 0.0))
    bodies = [box("ground", (400.0, 100.0, 20.0), pose(0, 0, -10), mu, fixed=True)]
    for k in range(count):
        turn = math.pi / 2 - half * (2 * k + 1)
        tilt = matrix_of(quaternion_of_rpy(0.0, turn, 0.0))
        at = tilt @ np.array([0.0, 0.0, centre]) / 1e3
        bodies.append(Body(f"voussoir.{k:02d}", stone, Pose.of(at, tilt @ upright)))
    return Assembly("arch", tuple(bodies))


def card_tent(lean: float, mu: float, length: float = 100.0, thickness: float = 0.1) -> Assembly:
    """Two cards leaning against each other, `lean` degrees from upright, cut so that faces meet."""
    a = math.radians(lean)
    up = np.array([math.sin(a), math.cos(a)])
    aside = np.array([math.cos(a), -math.sin(a)])
    foot = np.array([0.0, 0.0])
    # bottom cut level, top cut upright: a parallelogram
    top = foot + length * up
    run = thickness / aside[0]
    corners: list[Any] = [foot, np.array([run, 0.0]), [top[0], (top[0] - run) / math.tan(a)], top]
    shift = -top[0]
    bodies = [table(mu)]
    for name, mirror in (("left", 1.0), ("right", -1.0)):
        ring = np.array([[mirror * (x + shift), z] for x, z in corners])
        middle = (ring.min(axis=0) + ring.max(axis=0)) / 2
        card = piece(mu, prism={"points": [list(map(float, point)) for point in ring], "height": 60.0})
        bodies.append(Body(name, card, pose(middle[0], 0, middle[1], roll=90.0)))
    return Assembly("tent", tuple(bodies))
