"""How true what tips over is: rocking, toppling, a ladder, dominoes, a cloth that is drawn away; beside closed forms
and integrations as in `engine.bench.turning`."""

import math
from functools import partial

import numpy as np

from teeter.engine.bench.reading import WIDE, Experiment, Reading, seconds_until, standing, within
from teeter.engine.bench.rigs import piece, table, wood
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose, vector_of
from teeter.engine.settings import GRAVITY, Tuning
from teeter.engine.world.body import Body
from teeter.engine.world.world import World
from teeter.engine.worlds import new_world
from teeter.models.piece import Piece

WIDTH, HEIGHT = 0.02, 0.08
"""Metres of the block that rocks and topples."""
SLENDERNESS = math.atan(WIDTH / HEIGHT)
RADIUS = math.hypot(WIDTH, HEIGHT) / 2
"""Metres from the edge on which it turns to its centre."""
ROCKS, TOPPLES = {0.3: 0.06723, 0.6: 0.11745, 0.9: 0.22417}, {1.0: 0.3601, 5.0: 0.2396}
"""Seconds: by the share of what it can bear from which it rocks back, and the degrees past that from which it falls."""


def _block() -> Piece:
    return piece(wood(1.0, restitution=0.0), box=(1e3 * WIDTH, 1e3 * WIDTH, 1e3 * HEIGHT))


def _on_edge(angle: float) -> Pose:
    """Where a block is that has turned by so much (radians) over its edge at +x."""
    lean = SLENDERNESS - angle
    centre = (WIDTH / 2 - RADIUS * math.sin(lean), 0.0, RADIUS * math.cos(lean))
    return Pose(centre, quaternion_of_rpy(0.0, angle, 0.0))


def _lean(world: World, name: str = "piece") -> float:
    """Returns by how much a block has turned, radians."""
    up = world.pose(name).matrix[:, 2]
    return math.atan2(float(up[0]), float(up[2]))


def rocking_time(share: float, tuning: Tuning) -> Reading:
    """Seconds until a block that is let go on its edge, turned by a share of what it can bear, falls back on its face
    (Housner 1963)."""
    with standing(_block(), wood(1.0, restitution=0.0), tuning, _on_edge(share * SLENDERNESS)) as world:
        seconds = seconds_until(world, lambda: _lean(world) <= 0.0)
    return Reading(seconds, ROCKS[share] - 1.5 / world.rate, ROCKS[share] + 1.5 / world.rate)


def rocking_loss(tuning: Tuning) -> Reading:
    """The share of its turning speed that a rocking block keeps as it changes over to its other edge:
    1 - 3/2 sin^2 of its slenderness (Housner 1963)."""
    fastest, speed = 0.0, 0.0
    with standing(_block(), wood(1.0, restitution=0.0), tuning, _on_edge(0.8 * SLENDERNESS)) as world:
        for _ in range(world.rate):
            world.run()
            speed = abs(float(world.motion("piece")[1][1]))
            fastest = max(fastest, speed)
            if (lean := _lean(world)) < -0.1 * SLENDERNESS:
                break
    # what it had at the change, before gravity slowed it
    height = math.cos(SLENDERNESS + lean) - math.cos(SLENDERNESS)
    kept = math.sqrt(speed**2 + 1.5 * GRAVITY / RADIUS * height)
    return within(kept / fastest, 1 - 1.5 * math.sin(SLENDERNESS) ** 2, 0.1)


def toppling_time(beyond: float, tuning: Tuning) -> Reading:
    """Seconds that a block takes to lean by 60 degrees, let go on its edge so many degrees past its balance."""
    pose = _on_edge(SLENDERNESS + math.radians(beyond))
    with standing(_block(), wood(1.0, restitution=0.0), tuning, pose) as world:
        seconds = seconds_until(world, lambda: _lean(world) - SLENDERNESS >= math.pi / 3)
    return within(seconds, TOPPLES[beyond], 0.05)


def ladder(tuning: Tuning, length: float = 0.2, lean: float = 15.0) -> Reading:
    """Seconds until a board slips down a smooth wall from 15 to 45 degrees: 2/3 L lean'' = g sin(lean), until it leaves
    the wall at two thirds of the height from which it came."""
    smooth, thick, angle = wood(0.0, restitution=0.0), 0.003, math.radians(lean)
    board = piece(smooth, box=(1e3 * thick, 40, 1e3 * length))
    across, up = math.sin(angle) / 2, math.cos(angle) / 2
    place = -length * across - thick * up, 0.0, length * up + thick * across
    pose = Pose(place, quaternion_of_rpy(0, angle, 0))
    wall = Body("wall", piece(smooth, box=(40, 200, 400)), Pose((0.02, 0.0, 0.2)), fixed=True)
    with new_world([table(smooth, WIDE), wall, Body("piece", board, pose)], tuning=tuning) as world:
        return within(seconds_until(world, lambda: _lean(world) >= math.pi / 4), 0.2078, 0.05)


def domino_wave(gap: float, tuning: Tuning, count: int = 30) -> Reading:
    """Speed of a wave of dominoes, over sqrt(g h), gap in heights: published ones lie between 0.95 and 1.6 (Stronge
    1987, Larham 2008)."""
    stone = piece(wood(0.2), box=(8, 24, 48))
    places = [n * (0.008 + gap * 0.048) for n in range(count)]
    first, last = count // 2, count - 5
    stones = [Body(f"stone.{n:02d}", stone, Pose((x, 0.0, 0.024))) for n, x in enumerate(places)]
    with new_world([table(wood(0.5), WIDE), *stones], tuning=tuning) as world:
        world.settle()
        world.launch("stone.00", (4 * 0.024, 0.0, 4 * 0.004), (0.0, 4.0, 0.0))
        passed: dict[int, float] = {}
        for _ in range(3 * world.rate):
            world.run()
            for n in (first, last):
                if n not in passed and world.pose(f"stone.{n:02d}").matrix[0, 2] > math.sin(math.radians(3)):
                    passed[n] = world.step / world.rate
            if len(passed) == 2:
                break
    if len(passed) < 2:
        return Reading(0.0, 0.95, 1.6)
    speed = (places[last] - places[first]) / (passed[last] - passed[first])
    return Reading(speed / math.sqrt(GRAVITY * 0.048), 0.95, 1.6)


def tablecloth(tuning: Tuning, speed: float = 3.0, friction: float = 0.3) -> Reading:
    """Millimetres that a brick moves while the card under it is shot away, until both have stopped: mu g forwards
    until the card has left its middle, or all of it, mu g back on the table."""
    material = wood(friction, restitution=0.0)
    brick, card = piece(material, box=(40, 40, 15)), piece(wood(friction, 645, 0.0), box=(160, 85, 2))
    bodies = [
        table(material, WIDE),
        Body("card", card, Pose((0.0, 0.0, 0.001))),
        Body("piece", brick, Pose((-0.03, 0.0, 0.0095))),
    ]
    with new_world(bodies, tuning=tuning) as world:
        world.settle()
        before = world.pose("piece").position[0]
        world.launch("card", (speed, 0.0, 0.0))
        world.run(world.rate // 2)
        return Reading(1e3 * (world.pose("piece").position[0] - before), 0.7, 2.12)


def struck_stack(tuning: Tuning, above: int = 3, speed: float = 1.6) -> tuple[Reading, Reading]:
    """A ball, half as heavy as a brick, meets the middle of the lowest of a stack with a restitution of one half, and
    stops: millimetres by which that slips out, and by which the rest has moved in the end. Friction brakes the one by
    mu g (2 n + 1) and carries the others along by mu g, until all are as fast."""
    friction, side, high = 0.3, 0.04, 0.01
    brick = piece(wood(friction, restitution=0.5), box=(1e3 * side, 1e3 * side, 1e3 * high))
    density = brick.mass / 2 / (math.pi / 6 * high**3)
    ball = Body("ball", piece(wood(0.0, density, 0.5), sphere=1e3 * high / 2), Pose((-0.027, 0.0, high / 2)))
    rows = [Body(f"brick.{n}", brick, Pose((0.0, 0.0, (n + 0.5) * high))) for n in range(above + 1)]
    with new_world([table(wood(friction, restitution=0.5), WIDE), *rows, ball], tuning=tuning) as world:
        world.settle()
        world.launch("ball", (speed, 0.0, 0.0))
        world.run(world.rate // 2)
        lowest, *rest = (1e3 * world.pose(row.name).position[0] for row in rows)
    slips, carried = 1e3 * (speed / 2) ** 2 / (4 * friction * GRAVITY * (above + 1)), sum(rest) / above
    return within(lowest - carried, slips, 0.1), within(carried, slips / (above + 1), 0.1)


BLOCKS = 8


def chimney(tuning: Tuning, beyond: float = 10.0) -> tuple[Reading, Reading]:
    """A stack of loose blocks let go on its lower edge, so many degrees past its balance: which of its joints has
    opened by half a degree first, in heights, and its lean then, degrees. Without tension it breaks where the moment,
    largest at a third of the height, is most beside what presses faces together (Varieschi and Kamiya 2003)."""
    wide, high, material = 0.02, 0.03, wood(1.0, restitution=0.0)
    start = math.atan(wide / (BLOCKS * high)) + math.radians(beyond)
    block, turn = piece(material, box=(20, 20, 30)), quaternion_of_rpy(0.0, start, 0.0)
    turned, middles = Pose((0.0, 0.0, 0.0), turn), [(-wide / 2, 0.0, (n + 0.5) * high) for n in range(BLOCKS)]
    places = [vector_of(turned.apply(np.array(middle))) for middle in middles]
    blocks = [Body(f"block.{n}", block, Pose(place, turn)) for n, place in enumerate(places)]
    with new_world([table(material, WIDE), *blocks], tuning=tuning) as world:
        leans = np.full(BLOCKS, math.degrees(start))
        while np.diff(leans).min() > -0.5 and world.step < world.rate:
            world.run()
            leans = np.degrees([_lean(world, body.name) for body in blocks])
    found = (1 + int(np.diff(leans).argmin())) / BLOCKS
    return within(found, 5 / BLOCKS, 0.2), within(float(leans[0]), 45.63, 0.05)


UPRIGHT: dict[str, tuple[dict[str, object], tuple[float, ...]]] = {
    "cylinder": ({"cylinder": (10, 40)}, (0.0, 22.5, 45.0)),
    "box": ({"box": (20, 20, 40)}, (0.0,)),
}
"""What stands half as wide as it is high, and the directions in degrees in which it is pushed."""


def tips_from(name: str, tuning: Tuning, speed: float = 1.0) -> Reading:
    """The least friction at which something upright that slides tips over, in the worst direction, to 0.01: half its
    width over the height of its centre."""
    shape, directions = UPRIGHT[name]

    def does_tip(friction: float, direction: float) -> bool:
        material = wood(friction, restitution=0.0)
        with standing(piece(material, **shape), material, tuning) as world:
            world.launch("piece", (speed * math.cos(direction), speed * math.sin(direction), 0.0))
            world.run(math.ceil((speed / (friction * GRAVITY) + 0.2) * world.rate))
            return float(world.pose("piece").matrix[2, 2]) < math.cos(math.pi / 4)

    least = 0.6
    for direction in directions:
        low = 0.2
        while least - low > 0.01:
            middle = (low + least) / 2
            low, least = (low, middle) if does_tip(middle, math.radians(direction)) else (middle, least)
    return within(least, 0.5, 0.05)


EXPERIMENTS: dict[str, Experiment] = {
    **{f"block rocks back from {share:g}, s": partial(rocking_time, share) for share in ROCKS},
    "rocking block keeps of its speed": rocking_loss,
    **{f"block topples from {beyond:g} degrees, s": partial(toppling_time, beyond) for beyond in TOPPLES},
    **{f"upright {name} that slides tips from mu": partial(tips_from, name) for name in UPRIGHT},
    "ladder slips down a wall, s": ladder,
    **{f"dominoes {gap:g} h apart, sqrt(gh)": partial(domino_wave, gap) for gap in (0.2, 0.35, 0.5)},
    "brick whose cloth is drawn away, mm": tablecloth,
    "stack struck by a ball: lowest slips out, mm": lambda tuning: struck_stack(tuning)[0],
    "stack struck by a ball: the rest moves, mm": lambda tuning: struck_stack(tuning)[1],
    "falling chimney breaks at, heights": lambda tuning: chimney(tuning)[0],
    "falling chimney leans as it breaks, degrees": lambda tuning: chimney(tuning)[1],
}
