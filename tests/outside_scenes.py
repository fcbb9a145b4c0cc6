"""Scenes with which other physics engines are tested, with the parameters of their sources, as assemblies of ours.

No engine's settings were tuned to them. Each names where it comes from; its right answer follows from a closed form or
is proven by a certificate (`tests/test_outside_scenes.py`).
"""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise

import numpy as np
from peer_scenes import SCENES as QUICK
from peer_scenes import Box, Maker, StackRun, kapla_tower, level_slope, of_boxes, pyramid

from teeter.engine.bench.rigs import on_slope, piece, table, wood
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.settings import GRAVITY
from teeter.engine.world.body import Assembly, Body, Vector


def jenga_stack(layers: int = 30, friction: float = 0.6) -> Assembly:
    """Box3D's Jenga Stack: layers of two bars, each layer turned by a right angle."""
    boxes: list[Box] = []
    for layer in range(layers):
        for side in (-0.8, 0.8):
            size, at = ((2.0, 0.2, 0.2), (0.0, side)) if layer % 2 == 0 else ((0.2, 2.0, 0.2), (side, 0.0))
            boxes.append((f"bar.{layer}.{side:+.1f}", size, (*at, 0.2 * layer + 0.1), 80.0))
    return of_boxes("jenga", boxes, friction)


def far_pyramid(base: int = 6, metres: float = 4e4) -> Assembly:
    """Solver2D's far stack: a pyramid forty kilometres from the origin, where 32 bits resolve four millimetres."""
    return moved(pyramid(base), (metres, 0.0, 0.0))


def moved(assembly: Assembly, by: Vector) -> Assembly:
    """Returns the same elsewhere; by: metres."""
    bodies = (body.at(body.pose.then(Pose(by))) for body in assembly.bodies)
    return Assembly(f"{assembly.name}.far", tuple(bodies))


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


def card_house(
    storeys: int, *, lean: float, length: float, thick: float, wide: float, friction: float
) -> Assembly:
    """The card houses of PEEL, Box3D and rigid IPC, with edges that meet: pairs of cards lean together at `lean`
    degrees from the vertical, and level cards from the top of one pair to the next carry the pairs above. Metres."""
    lean_rad, material = math.radians(lean), wood(friction, 700.0)
    across, up = _half_reach(length, thick, lean_rad)
    card = piece(material, box=(1e3 * thick, 1e3 * wide, 1e3 * length))
    # level cards end in the middle of a top, so that each of its two cards carries one
    roof = piece(material, box=(4e3 * across, 1e3 * wide, 1e3 * thick))
    bodies, floor = [table(wood(friction), (2e4, 2e4, 200.0))], 0.0
    for storey in range(storeys):
        pairs = storeys - storey
        for k in range(pairs):
            top = 4.0 * across * (k - (pairs - 1) / 2)
            for side in (-1.0, 1.0):
                turn = quaternion_of_rpy(0.0, -side * lean_rad, 0.0)
                pose = Pose((top + side * across, 0.0, floor + up), turn)
                bodies.append(Body(f"card.{storey}.{k}{'l' if side < 0 else 'r'}", card, pose))
        floor += 2.0 * up
        for k in range(pairs - 1):
            pose = Pose((4.0 * across * (k - (pairs - 2) / 2), 0.0, floor + thick / 2))
            bodies.append(Body(f"roof.{storey}.{k}", roof, pose))
        floor += thick
    return Assembly(f"cards.{storeys}", tuple(bodies))


def _half_reach(length: float, thick: float, lean: float) -> tuple[float, float]:
    """Returns half of how far a leaning card reaches sideways and upwards."""
    sine, cosine = math.sin(lean), math.cos(lean)
    return (length * sine + thick * cosine) / 2, (length * cosine + thick * sine) / 2


def peel_cards(storeys: int = 5) -> Assembly:
    """PEEL's cards, mu 0.7."""
    return card_house(storeys, lean=25.0, length=0.4, thick=0.002, wide=0.2, friction=0.7)


def ipc_cards(storeys: int = 4, friction: float = 0.5) -> Assembly:
    """Rigid IPC's cards, 65 degrees to the ground."""
    return card_house(storeys, lean=25.0, length=2.5, thick=0.05, wide=1.25, friction=friction)


def ipc_arch(stones: int = 25, friction: float = 0.5) -> Assembly:
    """Rigid IPC's arch: a weighted catenary 60 high on a span of 60, which grows from 7 to 10 thick; feet cut level."""
    height, half_span, base, top = 60.0, 30.0, 100.0, 49.0
    rise, slenderness = height / (base / top - 1.0), math.acosh(base / top)

    def arc(x: float) -> float:
        return rise * slenderness / half_span * math.sinh(slenderness * x / half_span)

    # stones of equal length along the middle line
    xs = np.linspace(-half_span, half_span, 20001)
    ys = height - rise * (np.cosh(slenderness * xs / half_span) - 1.0)
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(xs), np.diff(ys)))])
    joints = np.interp(np.linspace(0.0, lengths[-1], stones + 1), lengths, xs)
    inner, outer = [], []
    for x in joints.tolist():
        z = height - rise * (math.cosh(slenderness * x / half_span) - 1.0)
        thick = math.sqrt(base) + (math.sqrt(top) - math.sqrt(base)) * min(max(z / height, 0.0), 1.0)
        slope = arc(x)
        along = thick / 2 / math.hypot(1.0, slope)
        inner.append((x - slope * along, z - along))
        outer.append((x + slope * along, z + along))
    for end, beside in ((0, 1), (-1, -2)):
        # the outer line goes on to the level on which the inner one ends, or back to it
        (x0, z0), (x1, z1) = outer[beside], outer[end]
        outer[end] = (x0 + (x1 - x0) * (inner[end][1] - z0) / (z1 - z0), inner[end][1])
    return _voussoirs(f"ipc.arch.{stones}", list(zip(inner, outer, strict=True)), 8.0, friction, 700.0)


def box3d_arch(friction: float = 0.6) -> Assembly:
    """Box3D's arch: 17 voussoirs, four slabs on the key."""
    half = list(zip(_BOX3D_INNER, _BOX3D_OUTER, strict=True))
    left = [((-a, b), (-c, d)) for (a, b), (c, d) in half]
    joints = [((a / 4, b / 4), (c / 4, d / 4)) for (a, b), (c, d) in left + half[::-1]]
    arch = _voussoirs("box3d.arch", joints, 1.0, friction, 200.0)
    slab, crown = piece(wood(friction, 200.0), box=(4000, 1000, 1000)), _BOX3D_OUTER[-1][1] / 4
    slabs = (Body(f"slab.{i}", slab, Pose((0.0, 0.0, crown + i + 0.5))) for i in range(4))
    return Assembly(arch.name, (*arch.bodies, *slabs))


Point = tuple[float, float]
_BOX3D_INNER: tuple[Point, ...] = (
    (16.0, 0.0), (14.93803712795643, 5.133601056842984), (13.79871746027416, 10.24928069555078),
    (12.56252963284711, 15.34107019122473), (11.20040987372525, 20.39856541571217),
    (9.66521217819836, 25.40369899225096), (7.87179930638133, 30.3179337000085),
    (5.635199558196225, 35.03820717801641), (2.405937953536585, 39.09554102558315),
)  # fmt: skip
_BOX3D_OUTER: tuple[Point, ...] = (
    (24.0, 0.0), (22.33619528222415, 6.02299846205841), (20.54936888969905, 12.00964361211476),
    (18.60854610798073, 17.9470321677465), (16.46769273811807, 23.81367936585418),
    (14.05325025774858, 29.57079353071012), (11.23551045834022, 35.13775818285372),
    (7.752568160730571, 40.30450679009583), (3.016931552701656, 44.28891593799322),
)  # fmt: skip


def _voussoirs(
    name: str, joints: list[tuple[Point, Point]], depth: float, friction: float, density: float
) -> Assembly:
    """Stones between joints, each (inner, outer) in the plane y = 0; metres. The lowest joints lie on the ground."""
    ground = min(z for joint in joints for _, z in joint)
    bodies = [table(wood(friction), (200e3, 200e3, 200.0))]
    for number, (one, other) in enumerate(pairwise(joints)):
        corners = np.array([one[0], other[0], other[1], one[1]])
        middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
        # turned by a quarter about x, y of the outline is up
        points = (1e3 * (corners - middle)).tolist()
        stone = piece(wood(friction, density), prism={"points": points, "height": 1e3 * depth})
        pose = Pose(
            (float(middle[0]), 0.0, float(middle[1]) - ground), quaternion_of_rpy(math.pi / 2, 0.0, 0.0)
        )
        bodies.append(Body(f"stone.{number + 1:03d}", stone, pose))
    return Assembly(name, tuple(bodies))


def keva_block(width: int = 1, layers: int = 9, friction: float = 0.5) -> Assembly:
    """A block of Rapier's Keva towers: planks of 0.2 x 4 x 1 m on edge (ten times a real one), 3 `width` + 1 side by
    side and `width` end to end a layer, each layer turned by a right angle, flat planks on top."""
    thick, long, high, across = 0.2, 4.0, 1.0, 3 * width + 1
    pitch, boxes = (long * width - thick) / (across - 1), list[Box]()
    for layer in range(layers):
        for j in range(across):
            for k in range(width):
                aside, along = thick / 2 + pitch * j, long / 2 + long * k
                middle, height = long * width / 2, high * (layer + 0.5)
                size, centre = (thick, long, high), (aside - middle, along - middle, height)
                if layer % 2:
                    size, centre = (long, thick, high), (along - middle, aside - middle, height)
                boxes.append((f"plank.{layer}.{j}.{k}", size, centre, thick * long * high))
    for i in range(width):
        for j in range(round(long * width / high)):
            at = (long * (i + 0.5) - long * width / 2, high * (j + 0.5) - long * width / 2)
            boxes.append(
                (f"top.{i}.{j}", (long, high, thick), (*at, high * layers + thick / 2), thick * long * high)
            )
    return of_boxes(f"keva.{width}", boxes, friction, 40.0)


def cube_on_a_cube() -> Assembly:
    """Bullet's resting contact: half a metre on a fixed metre."""
    below = table(wood(0.5), (1000.0, 1000.0, 1000.0))
    return Assembly(
        "cubes", (below, Body("cube", piece(wood(0.5), box=(500, 500, 500)), Pose((0.0, 0.0, 0.25))))
    )


def cube_on_a_wall() -> tuple[Assembly, Vector]:
    """Genesis' cube of 1 kg that 20 N press against a wall with mu 1. The pressure is gravity's, which is the same for
    one body. Returns the gravity too, m/s^2."""
    cube = piece(wood(1.0, 1000.0), box=(100, 100, 100))
    wall = table(wood(1.0), (200.0, 2000.0, 2000.0))
    bodies = (wall.at(Pose((0.15, 0.0, 1.0))), Body("cube", cube, Pose((0.0, 0.0, 1.0))))
    return Assembly("wall", bodies), (20.0, 0.0, -GRAVITY)


def pinched_roller(sides: int = 32) -> tuple[Assembly, Vector]:
    """MuJoCo's 45 g of 4 mm radius, between two pads with mu 0.7, that hang in them by friction: a prism, because most
    adapters take hulls. One pad is fixed; gravity pushes the other, 2 kg, by 30 N, of which its foot takes no more than
    14: what is left is 50 times what holds the roller. Returns the gravity too, m/s^2."""
    inner, half, push = 4.0, 15.0, 15.0
    turns = 2.0 * math.pi * (np.arange(sides) + 0.5) / sides
    ring = inner / math.cos(math.pi / sides) * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    corners = [[float(x), y, float(z)] for y in (-half, half) for x, z in ring]
    area = sides * (1e-3 * inner) ** 2 * math.tan(math.pi / sides)
    roller = piece(wood(0.7, 0.045 / (area * 2e-3 * half)), hull=corners)
    pad = piece(wood(0.7, 2000.0), box=(100, 100, 100))
    wall = piece(wood(0.7), box=(50, 200, 200))
    bodies = (
        table(wood(0.7), (1000.0, 1000.0, 100.0)),
        Body("wall", wall, Pose((1e-3 * inner + 0.025, 0.0, 0.1)), fixed=True),
        Body("roller", roller, Pose((0.0, 0.0, 0.05))),
        Body("pad", pad, Pose((-1e-3 * inner - 0.05, 0.0, 0.05))),
    )
    return Assembly("pinch", bodies), (push, 0.0, -GRAVITY)


def sliding_block(friction: float, speed: float, side: float = 0.1) -> tuple[Assembly, Vector, float]:
    """Newton's and Genesis' block on level ground. Returns also how fast it sets out (m/s) and how far it gets (m)."""
    ground = table(wood(friction), (40e3, 40e3, 200.0))
    block = Body("block", piece(wood(friction), box=(1e3 * side,) * 3), Pose((0.0, 0.0, side / 2)))
    reach = speed**2 / (2.0 * friction * GRAVITY)
    return Assembly(f"stop.{friction}", (ground, block)), (speed, 0.0, 0.0), reach


def friction_slope(mu: float, degrees: float) -> Assembly:
    """Newton's friction grid and rigid IPC's slope: a flat box at rest on an incline."""
    shape = piece(wood(mu), box=(400, 400, 100))
    return Assembly(f"slope.{mu}.{degrees}", on_slope(shape, math.radians(degrees), 0.0, wood(mu)))


SLIDES = "R3 slope, mu 0.49, 26.565 degrees"
"""The one that does not stand."""
SCENES: dict[str, Maker] = {
    "K1 Kapla tower, 102 blocks": kapla_tower,
    "P1 PEEL's cards, 5 storeys": peel_cards,
    "R1 IPC's cards, 4 storeys": ipc_cards,
    "R2 arch of 25 stones": ipc_arch,
    "R2 arch of 101 stones": partial(ipc_arch, 101),
    SLIDES: partial(level_slope, 0.49, 26.565),
    "R3 slope, mu 1, 26.565 degrees": partial(level_slope, 1.0, 26.565),
    "B2 Jenga stack, 30 layers": jenga_stack,
    "B3 arch of 17 stones, 4 slabs": box3d_arch,
    "B4 pyramid of base 20": partial(pyramid, 20),
    "B4 1240 boxes": partial(siconos_stack, "pyramid", 15, 0.6),
    "S1 pyramid, top 300 x": partial(pyramid, 3, top_times=300.0),
    "S1 pyramid, 40 km away": far_pyramid,
    "S2 column": partial(siconos_stack, "column"),
    "S2 wall": partial(siconos_stack, "wall"),
    "S2 pyramid": partial(siconos_stack, "pyramid"),
    "V1 Keva block of 40": keva_block,
    "V1 Keva block of 198": partial(keva_block, 2, 13),
    "G1 cube on a wall": cube_on_a_wall,
    "M1 roller between pads": pinched_roller,
    "N1 slope, mu 0.5, 26 degrees": partial(level_slope, 0.5, 26.0),
    "B1 cube on a cube": cube_on_a_cube,
}
assert QUICK.keys() <= SCENES.keys()


def is_right(found: StackRun) -> bool:
    """Whether it stood or fell as it should, for as long as it was simulated."""
    return (found.collapsed is None) is (found.scene != SLIDES)
