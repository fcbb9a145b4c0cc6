"""How exact the physics is: each measurement beside its closed form, in millimetres, degrees and per cent; and how
still towers stand.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from teeter.engine.bench.rigs import on_slope, over_edge, piece, table, tower, wood
from teeter.engine.pose import Pose
from teeter.engine.settings import GRAVITY, TUNING, Tuning
from teeter.engine.topple.balance.statics import analyse, stands
from teeter.engine.world.body import Assembly, Body
from teeter.engine.worlds import new_world
from teeter.models.piece import Piece

YAWS = (0.0, 17.0, 45.0, 73.0)


def polygon(sides: int, radius: float) -> list[tuple[float, float]]:
    """Corners of a regular polygon, in the unit of `radius`."""
    angles = [2 * math.pi * side / sides for side in range(sides)]
    return [(radius * math.cos(rotation), radius * math.sin(rotation)) for rotation in angles]


def shapes() -> dict[str, Piece]:
    """Returns the pieces of the edge test: 40 mm across, 20 mm thick; polycubes of 16 mm cubes."""
    oak = wood()
    bent = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 0)]
    tee = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (1, 1, 0)]
    return {
        "box": piece(oak, box=(40, 40, 20)),
        "cylinder": piece(oak, cylinder=(20, 20)),
        "triangular prism": piece(oak, prism={"points": polygon(3, 20), "height": 20}),
        "hexagonal prism": piece(oak, prism={"points": polygon(6, 20), "height": 20}),
        "32-gon": piece(oak, prism={"points": polygon(32, 20), "height": 20}),
        "polycube L4": piece(oak, polycube={"cells": bent, "edge": 16}),
        "polycube T4": piece(oak, polycube={"cells": tee, "edge": 16}),
    }


def bisect(is_true: Callable[[float], bool], low: float, high: float, within: float) -> float:
    """Returns where a condition that is false at `low` and true at `high` becomes true. Raises ValueError otherwise."""
    if is_true(low) or not is_true(high):
        raise ValueError(f"nothing changes between {low:g} and {high:g}")
    while high - low > within:
        middle = (low + high) / 2
        low, high = (low, middle) if is_true(middle) else (middle, high)
    return (low + high) / 2


def edge_statics(shape: Piece, yaw: float) -> float:
    """Returns where statics says a piece tips over an edge, in mm from the true point (positive: inside)."""
    rotation = math.radians(yaw)
    return 1e3 * bisect(
        lambda inside: stands(Assembly("edge", over_edge(shape, inside, rotation))) is True, -3e-3, 6e-3, 1e-6
    )


def edge_dynamics(shape: Piece, yaw: float) -> float:
    """Returns where the simulation tips a piece over an edge, in mm from the true point (positive: inside)."""
    return bisect(lambda inside: stays_over_edge(shape, inside, yaw), -3.0, 6.0, 4e-3)


def stays_over_edge(shape: Piece, inside: float, yaw: float) -> bool:
    """Returns whether the simulation lets a piece lie, so many mm inside of where it tips over an edge: in two seconds
    it turns by less than two degrees."""
    with new_world(over_edge(shape, inside / 1e3, math.radians(yaw))) as world:
        world.settle()
        before = world.pose("piece").matrix
        for _ in range(20):
            world.advance(world.rate // 10)
            cosine = (np.trace(before.T @ world.pose("piece").matrix) - 1) / 2
            if cosine < math.cos(math.radians(2.0)):
                return False
    return True


def slide_statics(friction: float, yaw: float) -> float:
    """Per cent by which statics misses the slide angle atan(mu)."""
    true, block = math.atan(friction), piece(wood(friction), box=(40, 40, 10))

    def slides(angle: float) -> bool:
        return stands(Assembly("slope", on_slope(block, angle, math.radians(yaw), wood(friction)))) is False

    return 100 * (bisect(slides, 0.9 * true, 1.1 * true, 1e-5 * true) / true - 1)


def slide_dynamics(friction: float, yaw: float, shape: Piece | None = None) -> float:
    """Per cent by which the simulation misses the slide angle atan(mu)."""
    return 100 * (bisect(lambda times: slides_at(times, friction, yaw, shape), 0.9, 1.1, 1e-3) - 1)


def slides_at(times: float, friction: float, yaw: float, shape: Piece | None = None) -> bool:
    """Returns whether the simulation lets a piece slide at so many times atan(mu)."""
    angle, block = times * math.atan(friction), shape or piece(wood(friction), box=(40, 40, 10))
    with new_world(on_slope(block, angle, math.radians(yaw), wood(friction))) as world:
        world.settle()
        world.advance(world.rate // 2)
        before = np.array(world.pose("piece").position)
        world.advance(3 * world.rate // 2)
        return bool(np.linalg.norm(np.array(world.pose("piece").position) - before) > 5e-4)


def free_fall(rate: int) -> float:
    """Per cent by which half a second of falling misses g t^2 / 2."""
    with new_world([Body("piece", piece(wood(), box=(40, 40, 10)), Pose((0, 0, 10.0)))], rate=rate) as world:
        steps = rate // 2
        world.advance(steps)
        fallen = 10.0 - world.pose("piece").position[2]
    return 100 * (fallen / (0.5 * GRAVITY * (steps / rate) ** 2) - 1)


def coulomb_stop(rate: int, speed: float = 0.5, friction: float = 0.5) -> float:
    """Per cent by which a block launched on a table misses the stopping distance v^2 / (2 mu g)."""
    slab = wood(friction, restitution=0.0)
    block = Body("piece", piece(slab, box=(40, 40, 10)), Pose((0, 0, 0.005)))
    with new_world([table(slab, (4000, 4000, 50)), block], rate=rate) as world:
        world.settle()
        start = world.pose("piece").position[0]
        world.launch("piece", (speed, 0.0, 0.0))
        world.advance(rate)
        gone = world.pose("piece").position[0] - start
    return 100 * (gone / (speed**2 / (2 * friction * GRAVITY)) - 1)


def slope_acceleration(rate: int, angle: float = 35.0, friction: float = 0.35) -> float:
    """Per cent by which a sliding block misses the acceleration g (sin - mu cos)."""
    slope, slab = math.radians(angle), wood(friction, restitution=0.0)
    with new_world(on_slope(piece(slab, box=(40, 40, 10)), slope, 0.0, slab), rate=rate) as world:
        world.settle()
        world.advance(rate // 5)
        steps, places = rate // 8, [np.array(world.pose("piece").position)]
        for _ in range(2):
            world.advance(steps)
            places.append(np.array(world.pose("piece").position))
    first, second = (float(np.linalg.norm(b - a)) for a, b in pairwise(places))
    true = GRAVITY * (math.sin(slope) - friction * math.cos(slope))
    return 100 * ((second - first) * (rate / steps) ** 2 / true - 1)


def tilt_stack(count: int, yaw: float, size: tuple[float, float, float] = (40, 30, 15)) -> float:
    """Per cent by which the tilt margin of n aligned blocks misses atan(width / (n height)), friction permitting."""
    rough = wood(2.0)
    block, height = piece(rough, box=size), size[2] / 1e3
    rotation = Pose((0, 0, 0), (0, 0, math.sin(math.radians(yaw) / 2), math.cos(math.radians(yaw) / 2)))
    bodies = [table(rough)]
    bodies += [
        Body(f"block.{n}", block, Pose((0, 0, (n + 0.5) * height)).then(rotation)) for n in range(count)
    ]
    true = math.degrees(math.atan(min(size[:2]) / (count * size[2])))
    measured = analyse(Assembly("stack", tuple(bodies)), loads=False).tilt_deg
    assert measured is not None
    return 100 * (measured / true - 1)


READINGS_PER_S = 60


@dataclass(frozen=True, slots=True)
class StandStill:
    """sink_mm: of the first half second; shift_mm: after it; late_mm: in the last third of the run."""

    sink_mm: float
    shift_mm: float
    late_mm: float


@dataclass(frozen=True, slots=True)
class Rest:
    """rest_s: from when on everything stayed slower than 1 mm/s, None if never; growth_mj: the largest rise of
    kinetic and potential energy above an earlier value; fell: whether the top row came down by 8 mm."""

    rest_s: float | None
    growth_mj: float
    fell: bool


def stand_still(bodies: Sequence[Body], seconds: float = 30.0, tuning: Tuning = TUNING) -> StandStill:
    """Let a tower stand and measure how it creeps."""
    with new_world(bodies, tuning=tuning) as world:
        start = world.read().poses[:, :3]
        world.settle()
        frames = [world.advance(world.rate // 2 - world.step).poses[:, :3]]
        sink = float((start - frames[0])[:, 2].max())
        frames += [world.advance(world.rate // 10).poses[:, :3] for _ in range(round(10 * seconds) - 5)]
    late = len(frames) * 2 // 3
    return StandStill(
        sink_mm=1e3 * sink,
        shift_mm=1e3 * max(float(np.linalg.norm(frame - frames[0], axis=1).max()) for frame in frames),
        late_mm=1e3
        * max(float(np.linalg.norm(frame - frames[late], axis=1).max()) for frame in frames[late:]),
    )


def come_to_rest(bodies: Sequence[Body], seconds: float = 7.0, tuning: Tuning = TUNING) -> Rest:
    """Let a tower find its rest and follow its energy. A rest counts when it is kept to the end of the run."""
    with new_world(bodies, tuning=tuning) as world:
        top = max(body.pose.position[2] for body in bodies)
        energies, since = [sum(world.energy())], None
        world.settle()
        energies.append(sum(world.energy()))
        tick = world.read()
        while tick.step < seconds * world.rate:
            tick = world.advance(world.rate // READINGS_PER_S)
            energies.append(sum(world.energy()))
            is_quiet = float(tick.speeds.max()) < 1e-3
            since = (since if since is not None else tick.step) if is_quiet else None
        lowest = np.minimum.accumulate(np.array(energies))
        return Rest(
            rest_s=None if since is None else since / world.rate,
            growth_mj=1e3 * float((np.array(energies) - lowest).max()),
            fell=bool(top - tick.poses[:, 2].max() > 8e-3),
        )


def scattered(seeds: Sequence[int], tuning: Tuning = TUNING) -> list[Rest]:
    """Uneven towers, one a seed."""
    return [come_to_rest(tower(seed), tuning=tuning) for seed in seeds]
