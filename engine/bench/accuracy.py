"""How exact the physics is: each measurement beside its closed form, in millimetres, degrees and per cent."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np

from engine.bench.rigs import on_slope, over_edge, piece, table, wood
from engine.bullet import BulletWorld
from engine.pose import Pose
from engine.settings import GRAVITY
from engine.topple.statics import analyse, stands
from engine.world import Assembly, Body
from models.piece import Piece

YAWS = (0.0, 17.0, 45.0, 73.0)


def polygon(sides: int, radius: float) -> list[tuple[float, float]]:
    """Corners of a regular polygon, in the unit of `radius`."""
    turns = [2 * math.pi * side / sides for side in range(sides)]
    return [(radius * math.cos(turn), radius * math.sin(turn)) for turn in turns]


def shapes() -> dict[str, Piece]:
    """The pieces of the edge test: 40 mm across, 20 mm thick; polycubes of 16 mm cubes."""
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
    """Where a condition that is false at `low` and true at `high` becomes true. Raises ValueError otherwise."""
    if is_true(low) or not is_true(high):
        raise ValueError(f"nothing changes between {low:g} and {high:g}")
    while high - low > within:
        middle = (low + high) / 2
        low, high = (low, middle) if is_true(middle) else (middle, high)
    return (low + high) / 2


def edge_statics(shape: Piece, yaw: float) -> float:
    """Where statics says a piece tips over an edge, in mm from the true point (positive: inside)."""
    turn = math.radians(yaw)
    return 1e3 * bisect(
        lambda inside: stands(Assembly("edge", over_edge(shape, inside, turn))) is True, -3e-3, 6e-3, 1e-6
    )


def edge_dynamics(shape: Piece, yaw: float) -> float:
    """Where the simulation tips a piece over an edge, in mm from the true point (positive: inside)."""
    turn = math.radians(yaw)
    return 1e3 * bisect(lambda inside: _stays(over_edge(shape, inside, turn)), -3e-3, 6e-3, 4e-6)


def _stays(bodies: tuple[Body, ...], seconds: float = 2.0) -> bool:
    """Whether `piece` turns by less than two degrees."""
    with BulletWorld(bodies) as world:
        world.settle()
        before = world.pose("piece").matrix
        for _ in range(round(10 * seconds)):
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
    true, block = math.atan(friction), shape or piece(wood(friction), box=(40, 40, 10))

    def slides(angle: float) -> bool:
        with BulletWorld(on_slope(block, angle, math.radians(yaw), wood(friction))) as world:
            world.settle()
            world.advance(world.rate // 2)
            before = np.array(world.pose("piece").position)
            world.advance(3 * world.rate // 2)
            return bool(np.linalg.norm(np.array(world.pose("piece").position) - before) > 5e-4)

    return 100 * (bisect(slides, 0.9 * true, 1.1 * true, 1e-3 * true) / true - 1)


def free_fall(rate: int) -> float:
    """Per cent by which half a second of falling misses g t^2 / 2."""
    with BulletWorld(
        [Body("piece", piece(wood(), box=(40, 40, 10)), Pose((0, 0, 10.0)))], rate=rate
    ) as world:
        steps = rate // 2
        world.advance(steps)
        fallen = 10.0 - world.pose("piece").position[2]
    return 100 * (fallen / (0.5 * GRAVITY * (steps / rate) ** 2) - 1)


def coulomb_stop(rate: int, speed: float = 0.5, friction: float = 0.5) -> float:
    """Per cent by which a block launched on a table misses the stopping distance v^2 / (2 mu g)."""
    slab = wood(friction, restitution=0.0)
    block = Body("piece", piece(slab, box=(40, 40, 10)), Pose((0, 0, 0.005)))
    with BulletWorld([table(slab, (4000, 4000, 50)), block], rate=rate) as world:
        world.settle()
        start = world.pose("piece").position[0]
        world.launch("piece", (speed, 0.0, 0.0))
        world.advance(rate)
        gone = world.pose("piece").position[0] - start
    return 100 * (gone / (speed**2 / (2 * friction * GRAVITY)) - 1)


def slope_acceleration(rate: int, angle: float = 35.0, friction: float = 0.35) -> float:
    """Per cent by which a sliding block misses the acceleration g (sin - mu cos)."""
    slope, slab = math.radians(angle), wood(friction, restitution=0.0)
    with BulletWorld(on_slope(piece(slab, box=(40, 40, 10)), slope, 0.0, slab), rate=rate) as world:
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
    turn = Pose((0, 0, 0), (0, 0, math.sin(math.radians(yaw) / 2), math.cos(math.radians(yaw) / 2)))
    bodies = [table(rough)]
    bodies += [Body(f"block.{n}", block, Pose((0, 0, (n + 0.5) * height)).then(turn)) for n in range(count)]
    true = math.degrees(math.atan(min(size[:2]) / (count * size[2])))
    measured = analyse(Assembly("stack", tuple(bodies)), loads=False).tilt_deg
    assert measured is not None
    return 100 * (measured / true - 1)


def scaled(assembly: Assembly, times: float) -> Assembly:
    """The assembly with every length multiplied."""
    return Assembly(assembly.name, tuple(_scaled(body, times) for body in assembly.bodies))


def _scaled(body: Body, times: float) -> Body:
    piece = body.piece
    surface = replace(
        piece.surface,
        facets=tuple(
            replace(facet, rings=tuple(ring * times for ring in facet.rings))
            for facet in piece.surface.facets
        ),
        edges=piece.surface.edges * times,
        corners=piece.surface.corners * times,
        curved=piece.surface.curved * times,
    )
    parts = tuple(
        replace(
            part,
            centre=part.centre * times,
            vertices=part.vertices * times,
            half_extents=None if part.half_extents is None else part.half_extents * times,
            radius=None if part.radius is None else part.radius * times,
        )
        for part in piece.parts
    )
    larger = replace(
        piece,
        surface=surface,
        parts=parts,
        extents=piece.extents * times,
        volume=piece.volume * times**3,
        mass=piece.mass * times**3,
        centre_of_mass=piece.centre_of_mass * times,
        inertia=piece.inertia * times**5,
    )
    x, y, z = body.pose.position
    return replace(body, piece=larger, pose=Pose((x * times, y * times, z * times), body.pose.orientation))
