"""How true what turns is: spins that friction stops, free flight, rolling; each beside its closed form or an
integration of its own, which shares nothing with the worlds but gravity.
"""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from teeter.engine.bench.reading import Experiment, Reading, seconds_until, standing, within
from teeter.engine.bench.rigs import piece, table, wood
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.settings import GRAVITY, Tuning
from teeter.engine.world.body import Body, tilted_gravity
from teeter.engine.world.world import World
from teeter.engine.worlds import new_world
from teeter.models.piece import Array, Piece

# -- friction that turns -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Footing:
    """A shape and the distances of its underside from the middle, metres: the mean, and that of the farthest point."""

    shape: dict[str, object]
    mean: float
    farthest: float


def round_footing(outer: float, inner: float, height: float) -> Footing:
    """A ring, or a disc where its hole has no radius; mm."""
    mean = 2 / 3 * (outer**3 - inner**3) / (outer**2 - inner**2)
    shape: dict[str, object] = {"ring": (outer, inner, height)} if inner else {"cylinder": (outer, height)}
    return Footing(shape, mean / 1e3, outer / 1e3)


def box_footing(x: float, y: float, z: float) -> Footing:
    """A box; mm."""
    return Footing({"box": (x, y, z)}, mean_distance(x, y) / 1e3, math.hypot(x, y) / 2e3)


def mean_distance(x: float, y: float) -> float:
    """Returns the mean distance of the points of a rectangle from its middle."""
    half, other, diagonal = x / 2, y / 2, math.hypot(x, y) / 2
    logs = half**2 * math.asinh(other / half) / other + other**2 * math.asinh(half / other) / half
    return (2 * diagonal + logs) / 6


FOOTINGS = {
    "disc 20 x 8": round_footing(20, 0, 8),
    "coin 12 x 2": round_footing(12, 0, 2),
    "column 10 x 50": round_footing(10, 0, 50),
    "ring 20, 12 x 8": round_footing(20, 12, 8),
    "box 40 x 40 x 8": box_footing(40, 40, 8),
    "brick": box_footing(75, 25, 15),
}


def spin_down(footing: Footing, tuning: Tuning, spin: float = 20.0, friction: float = 0.3) -> Reading:
    """Seconds until a spinning piece stops on a table. Under Coulomb friction the torque is mu m g times the mean
    distance of where it presses: of all its face, or of its rim alone at least."""
    material = wood(friction, restitution=0.0)
    shape = piece(material, **footing.shape)
    impulse = float(shape.inertia[2, 2]) * spin / (friction * shape.mass * GRAVITY)
    with standing(shape, material, tuning) as world:
        world.launch("piece", (0.0, 0.0, 0.0), (0.0, 0.0, spin))
        seconds = seconds_until(world, lambda: abs(float(world.motion("piece")[1][2])) < 0.02 * spin)
    return Reading(seconds, 0.9 * impulse / footing.farthest, 1.15 * impulse / footing.mean)


def brick_turned_on_another(tuning: Tuning, spin: float = 8.0) -> Reading:
    """Degrees by which a brick turns that spins on one that lies across, which is held. Between those of pressure at
    the corners of what the two share alone and those of even pressure over it."""
    material = wood(restitution=0.0)
    brick = piece(material, box=(75, 25, 15))
    lower = Body("lower", brick, Pose((0.0, 0.0, 0.0075), quaternion_of_rpy(0, 0, math.pi / 2)), fixed=True)
    bodies = [table(material), lower, Body("piece", brick, Pose((0.0, 0.0, 0.0225)))]
    with new_world(bodies, tuning=tuning) as world:
        world.settle()
        world.launch("piece", (0.0, 0.0, 0.0), (0.0, 0.0, spin))
        world.run(world.rate // 2)
        return Reading(math.degrees(2 * math.asin(abs(world.pose("piece").orientation[2]))), 11.5, 28.2)


def slide_with_spin(tuning: Tuning, speed: float = 0.4, spin: float = 30.0) -> Reading:
    """Metres that a disc slides while it spins: farther than without spin, because friction then points elsewhere."""
    material = wood(0.3, restitution=0.0)
    with standing(piece(material, cylinder=(20, 4)), material, tuning) as world:
        start = np.array(world.pose("piece").position)
        world.launch("piece", (speed, 0.0, 0.0), (0.0, 0.0, spin))
        world.run(world.rate)
        return within(float(np.linalg.norm(np.array(world.pose("piece").position) - start)), 0.0435, 0.1)


# -- flight ------------------------------------------------------------------------------------------------------

TUMBLE = (12.0, 13.0, 9.0)
"""rad/s about the axes of a brick: 20 in all."""


def tumble(tuning: Tuning, seconds: float = 2.0) -> tuple[Reading, Reading]:
    """A brick that turns freely where nothing pulls it: per cent by which energy and angular momentum change at
    most."""
    brick, worst = piece(wood(), box=(75, 25, 15)), [0.0, 0.0]
    with new_world([Body("piece", brick, Pose((0.0, 0.0, 1.0)))], tuning=tuning) as world:
        world.set_gravity((0.0, 0.0, 0.0))
        world.launch("piece", (0.0, 0.0, 0.0), TUMBLE)
        energy, momentum = _turning(world, brick)
        for _ in range(round(60 * seconds)):
            world.run(world.rate // 60)
            here, there = _turning(world, brick)
            off = float(np.linalg.norm(there - momentum) / np.linalg.norm(momentum))
            worst = [max(worst[0], 100 * abs(here / energy - 1)), max(worst[1], 100 * off)]
    return Reading(worst[0], 0.0, 1.0), Reading(worst[1], 0.0, 1.0)


def _turning(world: World, shape: Piece) -> tuple[float, Array]:
    """Returns the energy and the momentum (3,) with which the piece turns."""
    matrix, spin = world.pose("piece").matrix, world.motion("piece")[1]
    local = matrix.T @ spin
    return float(local @ shape.inertia @ local), np.asarray(matrix @ shape.inertia @ local)


def racket_flip(tuning: Tuning) -> Reading:
    """Seconds until a brick that spins about its middle axis has flipped over twice."""
    brick = piece(wood(), box=(75, 25, 15))
    with new_world([Body("piece", brick, Pose((0.0, 0.0, 1.0)))], tuning=tuning) as world:
        world.set_gravity((0.0, 0.0, 0.0))
        world.launch("piece", (0.0, 0.0, 0.0), (0.4, 20.0, 0.4))
        seconds = [seconds_until(world, partial(_has_flipped, world, way)) for way in (1, -1)]
        return within(sum(seconds), 1.4036, 0.02)


def _has_flipped(world: World, way: int) -> bool:
    """Returns whether the piece no longer spins that way (of either sign) about its middle axis."""
    return way * float((world.pose("piece").matrix.T @ world.motion("piece")[1])[1]) < 0.0


# -- rolling -----------------------------------------------------------------------------------------------------

RIM, SPOOL, CONE = 15.0, ((15.0, 8.0), (8.0, 24.0), (15.0, 8.0)), (15.0, 40.0)
"""Millimetres: the radius of what rolls; radius and height of the parts of a spool, of a cone."""
ROUND: dict[str, tuple[dict[str, object], float]] = {
    "ball": ({"sphere": RIM}, 0.4),
    "cylinder": ({"cylinder": (RIM, 40)}, 0.5),
    "ring": ({"ring": (RIM, 8, 20)}, 0.5 * (1 + (8 / RIM) ** 2)),
    "spool": (
        {"turned": {"profile": [(0, 0), (15, 0), (15, 8), (8, 8), (8, 32), (15, 32), (15, 40), (0, 40)]}},
        sum(r**4 * high for r, high in SPOOL) / (2 * RIM**2 * sum(r**2 * high for r, high in SPOOL)),
    ),
}
"""What rolls straight on, with its moment of inertia as a share of m r^2."""
ON_ITS_SIDE = quaternion_of_rpy(math.pi / 2, 0.0, 0.0)


def _rolls(name: str, tuning: Tuning, friction: float = 0.4, resists: float = 0.0) -> tuple[World, float]:
    """Returns a world with something round that lies on its side, and its share. resists: rolling, mm."""
    material = wood(friction, restitution=0.0).model_copy(update={"rolling_mm": resists})
    shape, share = ROUND[name]
    world = standing(piece(material, **shape), material, tuning, Pose((0.0, 0.0, RIM / 1e3), ON_ITS_SIDE))
    world.settle()
    return world, share


def _cone_rolls(tuning: Tuning) -> tuple[World, float, float]:
    """Returns a world with a cone that lies on its side, its tip at +x; half the angle of its tip; and how far from
    that its centre of mass is."""
    (radius, high), material = CONE, wood(restitution=0.0)
    shape, half, away = piece(material, cone=(radius, 0, high)), math.atan(radius / high), 0.75e-3 * high
    turn = quaternion_of_rpy(0.0, math.pi / 2 + half, 0.0)
    middle = np.array([0.0, 0.0, away * math.sin(half)])
    x, y, z = (middle - Pose((0.0, 0.0, 0.0), turn).apply(shape.centre_of_mass)).tolist()
    world = standing(shape, material, tuning, Pose((x, y, z), turn))
    world.settle()
    return world, half, away


def cone_loss(tuning: Tuning, speed: float = 0.15) -> Reading:
    """Per cent of its speed that a cone loses in 1.5 s, which rolls about its tip on a level table."""
    world, half, away = _cone_rolls(tuning)
    with world:
        world.launch("piece", (0.0, speed, 0.0), (-speed / (away * math.sin(half)), 0.0, 0.0))
        world.run(round(1.5 * world.rate))
        return Reading(100 * (1 - float(np.linalg.norm(world.motion("piece")[0])) / speed), -1.0, 5.0)


def cone_swing(tuning: Tuning, angle: float = 5.0) -> Reading:
    """Seconds in which a cone that lies across a slope rolls about its tip until it points uphill."""
    world, *_ = _cone_rolls(tuning)
    with world:
        world.set_gravity(tilted_gravity(math.radians(angle), math.pi / 2))
        return within(seconds_until(world, lambda: world.pose("piece").matrix[0, 2] <= 0.0), 0.43, 0.05)


def resisted(name: str, tuning: Tuning, speed: float = 0.3, resists: float = 0.5) -> Reading:
    """Metres that something round rolls until its rolling resistance, a length b, has stopped it:
    v^2 (1 + I / m r^2) r / 2 b g."""
    world, share = _rolls(name, tuning, resists=resists)
    with world:
        world.launch("piece", (speed, 0.0, 0.0), (0.0, 1e3 * speed / RIM, 0.0))
        world.run(2 * world.rate)
        stops = speed**2 * (1 + share) * RIM / (2 * resists * GRAVITY)
        return within(float(world.pose("piece").position[0]), stops, 0.05)


def rolling_loss(name: str, tuning: Tuning, speed: float = 0.3, seconds: float = 1.5) -> Reading:
    """Per cent of its speed that something round loses as it rolls over a level table: wood, less than 5."""
    world, _ = _rolls(name, tuning)
    with world:
        world.launch("piece", (speed, 0.0, 0.0), (0.0, 1e3 * speed / RIM, 0.0))
        world.run(round(seconds * world.rate))
        return Reading(100 * (1 - float(world.motion("piece")[0][0]) / speed), -1.0, 5.0)


def rolling_down(name: str, tuning: Tuning, angle: float = 5.0) -> Reading:
    """m/s^2 of something that rolls down a slope: g sin over 1 + I / m r^2."""
    world, share = _rolls(name, tuning)
    with world:
        world.set_gravity(tilted_gravity(math.radians(angle), 0.0))
        world.run(world.rate // 2)
        before = float(world.motion("piece")[0][0])
        world.run(world.rate // 2)
        acceleration = 2 * (float(world.motion("piece")[0][0]) - before)
    return within(acceleration, GRAVITY * math.sin(math.radians(angle)) / (1 + share), 0.05)


def slides_into_rolling(name: str, tuning: Tuning, speed: float = 0.5) -> Reading:
    """m/s that are left of a speed once what slid rolls: 1 over 1 + I / m r^2 of it."""
    world, share = _rolls(name, tuning)
    with world:
        world.launch("piece", (speed, 0.0, 0.0))
        # it slides for a tenth of a second at most
        world.run(world.rate // 6)
        return within(float(world.motion("piece")[0][0]), speed / (1 + share), 0.05)


EXPERIMENTS: dict[str, Experiment] = {
    **{f"{name}: 20 rad/s stop after, s": partial(spin_down, footing) for name, footing in FOOTINGS.items()},
    "brick on another: 8 rad/s turn it, degrees": brick_turned_on_another,
    "disc that slides and spins, m": slide_with_spin,
    "flight: energy changes, %": lambda tuning: tumble(tuning)[0],
    "flight: angular momentum changes, %": lambda tuning: tumble(tuning)[1],
    "flight: second tennis racket flip, s": racket_flip,
    **{f"{name} rolls 1.5 s: loss, %": partial(rolling_loss, name) for name in ROUND},
    **{f"{name} rolls down 5 degrees, m/s^2": partial(rolling_down, name) for name in ROUND},
    **{f"{name} slides into rolling, m/s": partial(slides_into_rolling, name) for name in ROUND},
    **{f"{name} rolls against 0.5 mm, m": partial(resisted, name) for name in ROUND},
    "cone rolls 1.5 s: loss, %": cone_loss,
    "cone rolls to its lowest on 5 degrees, s": cone_swing,
}
