"""Throws that are hard on an engine: ten kinds of scenes, and what may go wrong in each.

python tests/hostile_throws.py bullet 0 1000        # a row for each that gains energy or goes deep, then the worst
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from teeter.engine.bench.motion import SETTINGS
from teeter.engine.bench.rigs import piece, table, wood
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.settings import Tuning
from teeter.engine.world.body import Body, Vector
from teeter.engine.world.bullet import BulletWorld
from teeter.engine.world.faces import is_round
from teeter.engine.world.pace import is_box, thickness
from teeter.engine.world.world import World
from teeter.engine.worlds import new_world, using
from teeter.models.piece import Array, Piece

Launch = tuple[Vector, Vector]
Scene = tuple[list[Body], dict[str, Launch]]
Generator = np.random.Generator

THROWN: dict[str, dict[str, object]] = {
    "brick": {"box": (75, 25, 15)},
    "large brick": {"box": (90, 45, 30)},
    "paper": {"box": (60, 40, 0.3)},
    "card": {"box": (85, 85, 2)},
    "disc": {"cylinder": (20, 8)},
    "coin": {"cylinder": (12, 2)},
    "column": {"cylinder": (10, 50)},
    "ring": {"ring": (20, 12, 8)},
    "cone": {"cone": (15, 0, 40)},
    "frustum": {"cone": (18, 8, 20)},
    "spool": {
        "turned": {"profile": [(0, 0), (15, 0), (15, 8), (8, 12), (8, 28), (15, 32), (15, 40), (0, 40)]}
    },
    "ball": {"sphere": 12},
    "polycube": {"polycube": {"cells": [(0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 0)], "edge": 16}},
}
CARDS = (0.3, 0.5, 1.0, 2.0, 5.0)
"""Millimetres."""
SPEED, SPIN = (1.0, 5.0), 40.0
"""m/s, and rad/s at most."""
SECONDS = 0.3
THIN = 0.0051
"""Metres: whose middle plane nothing may pass."""


def _thrown(rng: Generator, name: str) -> Piece:
    return piece(wood(density=float(rng.uniform(400, 900))), **THROWN[name])


def _any(rng: Generator) -> Piece:
    return _thrown(rng, list(THROWN)[int(rng.integers(len(THROWN)))])


def _card(rng: Generator, thick: float | None = None) -> Piece:
    chosen = float(rng.choice(CARDS)) if thick is None else thick
    return piece(wood(density=645), box=(120, 90, chosen))


def _turn(rng: Generator) -> tuple[float, float, float, float]:
    return quaternion_of_rpy(*rng.uniform(-math.pi, math.pi, 3).tolist())


def _launch(rng: Generator, way: Vector) -> Launch:
    """Returns a motion in about a direction."""
    aimed = np.array(way) + rng.uniform(-0.15, 0.15, 3)
    velocity = float(rng.uniform(*SPEED)) * aimed / np.linalg.norm(aimed)
    spin = rng.normal(size=3)
    spin *= float(rng.uniform(0, SPIN)) / np.linalg.norm(spin)
    return tuple(velocity.tolist()), tuple(spin.tolist())


def _towards(rng: Generator, shape: Piece, target: Vector, way: Vector, name: str = "piece") -> Body:
    """Returns a piece that is to fly to about a target, clear of what has 10 mm around that."""
    clear = float(np.linalg.norm(shape.extents)) / 2 + 0.012
    place = np.array(target) - clear * np.array(way) + 0.01 * rng.normal(size=3) * (np.array(way) == 0)
    return Body(name, shape, Pose(tuple(place.tolist()), _turn(rng)))


def _posts(*places: float) -> list[Body]:
    post = piece(wood(), box=(20, 90, 60))
    return [Body(f"post.{n}", post, Pose((x, 0.0, 0.03)), fixed=True) for n, x in enumerate(places)]


DOWN, ALONG, BACK, UP = (0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def at_a_card_that_lies(rng: Generator, shape: Piece | None = None) -> Scene:
    card = _card(rng)
    lying = Body("card", card, Pose((0.0, 0.0, 0.06 + card.extents[2] / 2)), fixed=bool(rng.integers(2)))
    flying = _towards(rng, shape or _any(rng), (0.0, 0.0, 0.07), DOWN)
    return [table(), *_posts(-0.045, 0.045), lying, flying], {"piece": _launch(rng, DOWN)}


def at_a_card_that_stands(rng: Generator) -> Scene:
    upright = Pose((0.0, 0.0, 0.06), quaternion_of_rpy(0.0, math.pi / 2, 0.0))
    card = Body("card", _card(rng), upright, fixed=bool(rng.integers(2)))
    return [table(), card, _towards(rng, _any(rng), (0.0, 0.0, 0.07), ALONG)], {"piece": _launch(rng, ALONG)}


def at_a_card_that_flies(rng: Generator) -> Scene:
    card = Body("card", _card(rng), Pose((0.06, 0.0, 0.15), _turn(rng)))
    flying = _towards(rng, _any(rng), (-0.01, 0.0, 0.15), ALONG)
    return [table(), card, flying], {"piece": _launch(rng, ALONG), "card": _launch(rng, BACK)}


def at_cards_on_one_another(rng: Generator) -> Scene:
    bodies, top = [table(), *_posts(-0.045, 0.045)], 0.06
    for n in range(3):
        card = _card(rng)
        bodies.append(Body(f"card.{n}", card, Pose((0.0, 0.0, top + card.extents[2] / 2))))
        top += float(card.extents[2])
    return [*bodies, _towards(rng, _any(rng), (0.0, 0.0, top), DOWN)], {"piece": _launch(rng, DOWN)}


def from_both_sides(rng: Generator) -> Scene:
    card = Body("card", _card(rng), Pose((0.0, 0.0, 0.2), quaternion_of_rpy(0.0, math.pi / 2, 0.0)))
    ways = {"piece": ALONG, "other": BACK}
    flying = [_towards(rng, _any(rng), (0.0, 0.0, 0.2), way, name) for name, way in ways.items()]
    return [table(), card, *flying], {name: _launch(rng, way) for name, way in ways.items()}


def onto_what_lies_on_a_card(rng: Generator) -> Scene:
    card, lying = _card(rng), piece(wood(), **THROWN[str(rng.choice(["brick", "disc", "coin", "card"]))])
    top = 0.06 + float(card.extents[2])
    bodies = [
        Body("card", card, Pose((0.0, 0.0, 0.06 + card.extents[2] / 2))),
        Body("lying", lying, Pose((0.0, 0.0, top + lying.extents[2] / 2))),
        _towards(rng, _any(rng), (0.0, 0.0, top + float(lying.extents[2])), DOWN),
    ]
    return [table(), *_posts(-0.045, 0.045), *bodies], {"piece": _launch(rng, DOWN)}


def at_the_edge_of_a_table(rng: Generator) -> Scene:
    edge = table(size=(200, 200, 30))
    return [edge, _towards(rng, _any(rng), (0.1, 0.0, 0.01), DOWN)], {"piece": _launch(rng, DOWN)}


def at_the_corner_of_a_post(rng: Generator) -> Scene:
    bodies = [table(), *_posts(0.0), _towards(rng, _any(rng), (0.01, 0.045, 0.06), DOWN)]
    return bodies, {"piece": _launch(rng, DOWN)}


def edge_of_a_card_on_that_of_another(rng: Generator) -> Scene:
    card = _card(rng)
    lying = Body("card", card, Pose((0.02, 0.0, 0.06 + card.extents[2] / 2)))
    flying = _towards(rng, _card(rng, 0.3), (0.0, 0.0, 0.07), DOWN)
    return [table(), *_posts(-0.035, 0.075), lying, flying], {"piece": _launch(rng, DOWN)}


ROUNDS = ("disc", "coin", "column", "ring", "cone", "frustum", "spool", "ball")


def round_things_at_a_card(rng: Generator) -> Scene:
    return at_a_card_that_lies(rng, _thrown(rng, str(rng.choice(ROUNDS))))


KINDS: tuple[Callable[[Generator], Scene], ...] = (
    at_a_card_that_lies,
    at_a_card_that_stands,
    at_a_card_that_flies,
    at_cards_on_one_another,
    from_both_sides,
    onto_what_lies_on_a_card,
    at_the_edge_of_a_table,
    at_the_corner_of_a_post,
    edge_of_a_card_on_that_of_another,
    round_things_at_a_card,
)


@dataclass(slots=True)
class Outcome:
    """Of a throw. number, kind: which; what: is thrown.

    through: whether the middle of one thing passed through that of a thin one. deepest: mm that something was in
    something else; share: of the thinner of two, the most it was gone into; moved: the most that two came together in a
    part of a step, at more than 0.12 m/s. gained: by how much energy rose above an earlier value, as a share of what it
    began with above the table; kept: the same without what contacts hold of a blow and give back within a fortieth of
    a second.
    """

    number: int
    kind: str
    what: str
    through: bool = False
    deepest: float = 0.0
    share: float = 0.0
    moved: float = 0.0
    gained: float = 0.0
    kept: float = 0.0


def throw(number: int, tuning: Tuning) -> Outcome:
    """Returns what comes of one of the throws."""
    kind, rng = KINDS[number % len(KINDS)], np.random.default_rng([36, number])
    bodies, launches = kind(rng)
    shapes = {body.name: body.piece for body in bodies}
    found = Outcome(number, kind.__name__, shapes["piece"].model)
    pairs = [
        (one, other)
        for pair in combinations([body for body in bodies if body.name != "table"], 2)
        for one, other in (pair, pair[::-1])
        if one.piece.extents.min() < THIN and not other.name.startswith("post")
    ]
    with new_world(bodies, tuning=tuning) as world:
        for name, launch in launches.items():
            world.launch(name, *launch)
        energies = [sum(world.energy())]
        before = _across(world, pairs)
        for _ in range(round(SECONDS * world.rate)):
            motions = {body.name: world.motion(body.name) for body in bodies if not body.fixed}
            world.run()
            here = _across(world, pairs)
            found.through |= any(
                was[axis] * now[axis] < 0.0 and _is_inside(was, now, one.piece, axis)
                for (one, _), was, now in zip(pairs, before, here, strict=True)
                for axis in [int(one.piece.extents.argmin())]
            )
            before = here
            energies.append(sum(world.energy()))
            _look(world, shapes, motions, found)
    found.gained = _rise(energies, 1)
    found.kept = _rise(energies, 1 + world.rate // 40)
    return found


def _rise(energies: list[float], window: int) -> float:
    """Returns by how much energy rises above what it was at most in an earlier window of so many steps, as a share of
    the first."""
    highest = [max(energies[n : n + window]) for n in range(len(energies) - window + 1)]
    lowest = np.minimum.accumulate(highest)
    return float(max(np.array(energies[window - 1 :]) - lowest)) / energies[0]


def _look(
    world: World, shapes: dict[str, Piece], motions: dict[str, tuple[Array, Array]], found: Outcome
) -> None:
    """Take note of how deep things are in one another after a step, and how far they came in a part of it."""
    inner: Any = world
    parts = (inner._steps.pace if isinstance(world, BulletWorld) else inner._pace).parts
    for contact in world.contacts():
        both = contact.a, contact.b
        thin = min(_across_of(shapes[name], world.pose(name), contact.normal) for name in both)
        found.deepest = max(found.deepest, -1e3 * contact.distance)
        found.share = max(found.share, -contact.distance / thin)
        fast = [_speed_at(world, motions.get(name), name, contact.point) for name in both]
        coming = float((fast[1] - fast[0]) @ contact.normal)
        found.moved = max(found.moved, coming / (world.rate * parts * thin))


def _across_of(shape: Piece, pose: Pose, normal: Vector) -> float:
    """Returns how thick a piece is, metres: a box along a normal, what has other parts where it is thinnest."""
    if not is_box(shape):
        return thickness(shape)
    return float(np.abs(pose.matrix.T @ normal) @ shape.extents)


def _speed_at(world: World, motion: tuple[Array, Array] | None, name: str, point: Vector) -> Array:
    if motion is None:
        return np.zeros(3)
    return np.asarray(motion[0] + np.cross(motion[1], np.subtract(point, world.pose(name).position)))


def _across(world: World, pairs: list[tuple[Body, Body]]) -> list[Array]:
    """Returns where the middle of the second of each pair is, in the frame of the first, a thin one (3,)."""
    poses = {body.name: world.pose(body.name) for pair in pairs for body in pair}
    return [
        np.asarray(poses[a.name].matrix.T @ np.subtract(_middle(poses[b.name], b), _middle(poses[a.name], a)))
        for a, b in pairs
    ]


def _is_inside(was: Array, now: Array, thin: Piece, axis: int) -> bool:
    """Returns whether the way between two places meets the middle plane of a thin piece inside of its outline."""
    met = np.abs(was + was[axis] / (was[axis] - now[axis]) * (now - was))
    if is_round(thin):
        return bool(np.hypot(*np.delete(met, axis)) < thin.extents.max() / 2)
    return bool(np.all(np.delete(met < thin.extents / 2, axis)))


def _middle(pose: Pose, body: Body) -> Array:
    return np.asarray(pose.apply(body.piece.centre_of_mass))


def throws(numbers: range, tuning: Tuning) -> Iterator[Outcome]:
    """Yields what comes of each."""
    for number in numbers:
        yield throw(number, tuning)


def main() -> None:
    """Print what goes wrong."""
    who, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    engine, tuning = SETTINGS[{"bullet": "bullet in play"}.get(who, who)]
    with using(engine):
        for found in throws(range(first, last), tuning):
            if found.through or found.gained > 0.005 or found.share > 1 or found.moved > 0.5:
                print(found, flush=True)
    print("done")


if __name__ == "__main__":
    main()
