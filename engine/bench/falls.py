"""How true falls and impacts are: rebounds, momentum, energy, depth, and that nothing goes through anything; as
`engine.bench.turning`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from teeter.engine.bench.reading import WIDE, Experiment, Reading, within
from teeter.engine.bench.rigs import piece, table, wood
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.settings import GRAVITY, Tuning
from teeter.engine.world.body import Body
from teeter.engine.world.world import World
from teeter.engine.worlds import new_world
from teeter.models.piece import Array, Piece

Turn = tuple[float, float, float]
FLAT: Turn = (0.0, 0.0, 0.0)
ON_EDGE: Turn = (math.radians(50.0), 0.0, 0.0)
ON_CORNER: Turn = (math.radians(35.0), math.radians(40.0), 0.0)


def corners(shape: Piece) -> Array:
    """Returns all corners (n, 3) of the parts of a piece."""
    return np.concatenate([part.vertices for part in shape.parts])


def dropped(shape: Piece, drop: float, turn: Turn, tuning: Tuning, friction: float = 0.4) -> World:
    """Returns a world in which a piece, turned, is `drop` metres above the table."""
    matrix = Pose((0.0, 0.0, 0.0), quaternion_of_rpy(*turn)).matrix
    lowest = float((corners(shape) @ matrix.T)[:, 2].min()) if len(corners(shape)) else -shape.extents[2] / 2
    pose = Pose((0.0, 0.0, drop - float(lowest)), quaternion_of_rpy(*turn))
    bed = table(wood(friction, restitution=shape.material.restitution), WIDE)
    return new_world([bed, Body("piece", shape, pose)], tuning=tuning)


# -- impacts -----------------------------------------------------------------------------------------------------


JUMPING: dict[str, dict[str, object]] = {"ball": {"sphere": 15}, "box": {"box": (40, 40, 20)}}


def rebound(name: str, restitution: float, tuning: Tuning, drop: float = 0.2) -> Reading:
    """The share of its speed with which something that falls flat jumps up again: the restitution."""
    with dropped(piece(wood(restitution=restitution), **JUMPING[name]), drop, FLAT, tuning) as world:
        fastest = 0.0
        for _ in range(world.rate // 3):
            world.run()
            fastest = max(fastest, float(world.motion("piece")[0][2]))
    return Reading(fastest / math.sqrt(2 * GRAVITY * drop), restitution - 0.05, restitution + 0.05)


def corner_rebound(tuning: Tuning, restitution: float = 0.5, drop: float = 0.2) -> tuple[Reading, Reading]:
    """A smooth box that falls on a corner: the share of its speed with which that jumps up again, and the spin it
    gets, rad/s: I^-1 (r x J), where the impulse J is m (1 + e) v over 1 + m (r x n) I^-1 (r x n)."""
    box = piece(wood(0.0, restitution=restitution), box=(40, 40, 20))
    with dropped(box, drop, ON_CORNER, tuning, 0.0) as world:
        matrix = world.pose("piece").matrix
        corner = min(corners(box) @ matrix.T, key=lambda place: float(place[2]))
        while not world.motion("piece")[1].any() and world.step < world.rate:
            world.run()
        velocity, spin = world.motion("piece")
    speed, arm = math.sqrt(2 * GRAVITY * drop), np.cross(corner, (0.0, 0.0, 1.0))
    turns = matrix @ np.linalg.solve(box.inertia, matrix.T @ arm)
    impulse = box.mass * (1 + restitution) * speed / (1 + box.mass * float(arm @ turns))
    up = float(velocity[2] + np.cross(spin, corner)[2]) / speed
    right = within(float(np.linalg.norm(spin)), impulse * float(np.linalg.norm(turns)), 0.05)
    return Reading(up, restitution - 0.05, restitution + 0.05), right


def oblique_rebound(tuning: Tuning, speed: float = 3.0, friction: float = 0.2) -> Reading:
    """m/s of its sideways speed that a ball loses as it bounces: mu (1 + e) times the speed of its fall, as long as it
    slides."""
    restitution, drop = 0.5, 0.2
    ball = piece(wood(friction, restitution=restitution), sphere=15)
    with dropped(ball, drop, FLAT, tuning, friction) as world:
        world.launch("piece", (speed, 0.0, 0.0))
        world.run(math.ceil(1.15 * math.sqrt(2 * drop / GRAVITY) * world.rate))
        loss = speed - float(world.motion("piece")[0][0])
    return within(loss, friction * (1 + restitution) * math.sqrt(2 * GRAVITY * drop), 0.15)


def collision(tuning: Tuning) -> tuple[Reading, Reading]:
    """Two bricks that meet askew in the air: by how much linear and angular momentum change, in per cent of those of
    one."""
    brick = piece(wood(), box=(75, 25, 15))
    one = Body("one", brick, Pose((-0.06, 0.004, 1.0), quaternion_of_rpy(0.3, 0.2, 0.1)))
    other = Body("other", brick, Pose((0.06, -0.003, 1.005), quaternion_of_rpy(-0.2, 0.5, 1.0)))
    with new_world([one, other], tuning=tuning) as world:
        world.set_gravity((0.0, 0.0, 0.0))
        world.launch("one", (1.0, 0.0, 0.0), (3.0, 0.0, 5.0))
        world.launch("other", (-1.5, 0.1, 0.0), (0.0, 4.0, 0.0))
        before = _momenta(world, brick)
        world.run(world.rate // 5)
        after = _momenta(world, brick)
        if abs(float(world.motion("one")[0][0]) - 1.0) < 0.1:
            raise RuntimeError("the bricks of the benchmark must meet")
    linear, angular = (float(np.linalg.norm(b - a)) for a, b in zip(before, after, strict=True))
    reach = brick.mass * 1.5
    return Reading(100 * linear / reach, 0.0, 0.1), Reading(100 * angular / (reach * 0.04), 0.0, 1.0)


def _momenta(world: World, shape: Piece) -> tuple[Array, Array]:
    """Returns linear and angular momentum (3,) of all free bodies of one shape."""
    linear, angular = np.zeros(3), np.zeros(3)
    for name in world.read().names:
        pose, (velocity, spin) = world.pose(name), world.motion(name)
        push = shape.mass * velocity
        linear += push
        angular += np.cross(pose.position, push) + pose.matrix @ shape.inertia @ pose.matrix.T @ spin
    return linear, angular


# -- depth and energy --------------------------------------------------------------------------------------------


def deepest(drop: float, tuning: Tuning, shape: Piece | None = None) -> Reading:
    """Millimetres by which a brick that falls flat, on an edge and on a corner goes into the table at most."""
    brick, worst = shape or piece(wood(), box=(75, 25, 15)), 0.0
    for turn in (FLAT, ON_EDGE, ON_CORNER):
        with dropped(brick, drop, turn, tuning) as world:
            for _ in range(math.ceil((math.sqrt(2 * drop / GRAVITY) + 0.1) * world.rate)):
                world.run()
                worst = max(worst, -1e3 * float(world.pose("piece").apply(corners(brick))[:, 2].min()))
    return Reading(worst, 0.0, 0.5)


BRICK: dict[str, object] = {"box": (75, 25, 15)}
MIXED: tuple[dict[str, object], ...] = (
    {"cylinder": (20, 8)},
    {"cylinder": (10, 50)},
    {"ring": (20, 12, 8)},
    {"cone": (15, 0, 30)},
    {"box": (85, 85, 2)},
    {"sphere": 12},
)


def energy_gained(seed: int, tuning: Tuning, shapes: Sequence[dict[str, object]]) -> float:
    """Returns by how much the energy of pieces thrown together onto a table rises above an earlier value at most, as a
    share of what they begin with above the table."""
    rng = np.random.default_rng(seed)
    bodies = [table()]
    for n, shape in enumerate(shapes):
        place = (*rng.uniform(-0.03, 0.03, 2).tolist(), 0.06 + 0.06 * n)
        turn = quaternion_of_rpy(*rng.uniform(-3.0, 3.0, 3).tolist())
        bodies.append(Body(f"piece.{n}", piece(wood(), **shape), Pose(place, turn)))
    with new_world(bodies, tuning=tuning) as world:
        for body in bodies[1:]:
            world.launch(
                body.name,
                (*rng.uniform(-0.5, 0.5, 2).tolist(), float(rng.uniform(-2.0, 0.0))),
                tuple(rng.uniform(-10, 10, 3).tolist()),
            )
        begun, lowest, gained = sum(world.energy()), math.inf, 0.0
        for _ in range(round(0.8 * world.rate)):
            world.run()
            here = sum(world.energy())
            lowest = min(lowest, here)
            gained = max(gained, here - lowest)
    return gained / begun


def most_energy_gained(seeds: Sequence[int], shapes: Sequence[dict[str, object]], tuning: Tuning) -> Reading:
    """Per cent: the worst of some random falls."""
    return Reading(100 * max(energy_gained(seed, tuning, shapes) for seed in seeds), 0.0, 1.0)


# -- through nothing ---------------------------------------------------------------------------------------------

THICKNESSES = (0.3, 2.0, 5.0)
"""Millimetres: paper, a card of the games, a shelf."""


THROWN: tuple[dict[str, object], ...] = (
    BRICK,
    {"box": (16, 16, 16)},
    {"box": (90, 45, 30)},
    {"box": (85, 85, 2)},
    {"cylinder": (20, 8)},
    {"sphere": 12},
    {"polycube": {"cells": [(0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 0)], "edge": 16}},
)
"""Small and large, thick and thin."""


def goes_through(
    shape: Piece, thick: float, rng: np.random.Generator, tuning: Tuning, held: bool = False
) -> bool:
    """Returns whether a piece that is thrown down at 1 to 5 m/s has its middle pass through a card 180 x 100 mm that
    lies on two supports, loose or held."""
    paper = piece(wood(density=645), box=(180, 100, thick))
    card = Body("card", paper, Pose((0, 0, 0.06 + thick / 2e3)), fixed=held)
    post = piece(wood(), box=(30, 100, 60))
    posts = [Body(f"post.{x}", post, Pose((x, 0.0, 0.03)), fixed=True) for x in (-0.075, 0.075)]
    turn = quaternion_of_rpy(*rng.uniform(-math.pi, math.pi, 3).tolist())
    x, y, z = (float(rng.uniform(*span)) for span in ((-0.04, 0.04), (-0.03, 0.03), (0.0, 0.02)))
    high = 0.08 + float(np.linalg.norm(shape.extents)) / 2
    piece_ = Body("piece", shape, Pose((x, y, z + high), turn))
    with new_world([table(), *posts, card, piece_], tuning=tuning) as world:
        sideways = rng.uniform(-0.5, 0.5, 2).tolist()
        world.launch(
            "piece", (*sideways, -float(rng.uniform(1.0, 5.0))), tuple(rng.uniform(-20, 20, 3).tolist())
        )
        before = _across(world)
        for _ in range(world.rate // 4):
            world.run()
            here = _across(world)
            if before[2] > 0.0 >= here[2] and _is_inside(before, here, card.piece):
                return True
            before = here
    return False


def _across(world: World) -> Array:
    """Returns where the middle of the piece is, in the card's frame (3,)."""
    card = world.pose("card")
    away = np.subtract(world.pose("piece").position, card.position)
    return np.asarray(card.matrix.T @ away)


def _is_inside(before: Array, here: Array, card: Piece) -> bool:
    """Returns whether the way between two places meets the middle plane of the card inside of its outline."""
    share = before[2] / (before[2] - here[2])
    met = np.abs(before + share * (here - before))
    return bool(met[0] < card.extents[0] / 2 and met[1] < card.extents[1] / 2)


def tunnelling(count: int, thick: float, tuning: Tuning, seed: int = 1, held: bool | None = None) -> Reading:
    """How many of so many throws go through a card, one piece after another. held: None, for a shelf that is and cards
    that are not."""
    is_held = thick >= THICKNESSES[-1] if held is None else held
    rng, pieces = np.random.default_rng(seed), [piece(wood(), **shape) for shape in THROWN]
    passes = sum(goes_through(pieces[n % len(pieces)], thick, rng, tuning, is_held) for n in range(count))
    return Reading(passes, 0.0, 0.0)


EXPERIMENTS: dict[str, Experiment] = {
    **{f"{name}, restitution {e:g}": partial(rebound, name, e) for name in JUMPING for e in (0.15, 0.5)},
    "box on its corner, restitution 0.5": lambda tuning: corner_rebound(tuning)[0],
    "box on its corner gets, rad/s": lambda tuning: corner_rebound(tuning)[1],
    "ball that bounces askew loses, m/s": oblique_rebound,
    "two bricks meet: momentum, %": lambda tuning: collision(tuning)[0],
    "two bricks meet: angular momentum, %": lambda tuning: collision(tuning)[1],
    **{f"brick falls {drop:g} m: depth, mm": partial(deepest, drop) for drop in (0.1, 0.35, 0.75)},
    "150 falls of bricks: energy gained, %": partial(most_energy_gained, range(150), 5 * (BRICK,)),
    "50 of discs, rings, cones, cards: energy gained, %": partial(most_energy_gained, range(50), MIXED),
    **{f"of 140 thrown through {thick:g} mm": partial(tunnelling, 140, thick) for thick in THICKNESSES},
}
