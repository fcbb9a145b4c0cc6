"""How true what tips over is: rocking, toppling, a ladder, dominoes, a cloth that is drawn away; beside closed forms
and integrations as in `engine.bench.turning`."""

import math
from collections.abc import Callable
from functools import partial

from teeter.engine.bench.reading import WIDE, Experiment, Reading, seconds_until, standing, within
from teeter.engine.bench.rigs import piece, table, wood
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
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


def _block() -> Piece:
    return piece(wood(1.0, restitution=0.0), box=(1e3 * WIDTH, 1e3 * WIDTH, 1e3 * HEIGHT))


def _on_edge(angle: float) -> Pose:
    """Where a block is that has turned by so much (radians) over its edge at +x."""
    lean = SLENDERNESS - angle
    centre = (WIDTH / 2 - RADIUS * math.sin(lean), 0.0, RADIUS * math.cos(lean))
    return Pose(centre, quaternion_of_rpy(0.0, angle, 0.0))


def _lean(world: World) -> float:
    """Returns by how much the block has turned, radians."""
    up = world.pose("piece").matrix[:, 2]
    return math.atan2(float(up[0]), float(up[2]))


def _swing(lean: float, speed: float, is_over: Callable[[float], bool]) -> float:
    """Returns the seconds a block on its edge takes, its centre leaning by so much from the upright above the edge,
    outwards positive, until that lean is as asked. I = 4/3 m R^2: 4/3 R lean'' = g sin(lean)."""
    time, step = 0.0, 1e-5
    while not is_over(lean):
        speed += step * 0.75 * GRAVITY / RADIUS * math.sin(lean)
        lean += step * speed
        time += step
    return time


def rocking_time(share: float, tuning: Tuning) -> Reading:
    """Seconds until a block that is let go on its edge, turned by a share of what it can bear, falls back on its face
    (Housner 1963)."""
    begun = share * SLENDERNESS
    with standing(_block(), wood(1.0, restitution=0.0), tuning, _on_edge(begun)) as world:
        found = seconds_until(world, lambda: _lean(world) <= 0.0)
    true = _swing(begun - SLENDERNESS, 0.0, lambda lean: lean <= -SLENDERNESS)
    return Reading(found, true - 1.5 / world.rate, true + 1.5 / world.rate)


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
    angle = math.radians(beyond)
    with standing(_block(), wood(1.0, restitution=0.0), tuning, _on_edge(SLENDERNESS + angle)) as world:
        found = seconds_until(world, lambda: _lean(world) - SLENDERNESS >= math.pi / 3)
    return within(found, _swing(angle, 0.0, lambda lean: lean >= math.pi / 3), 0.05)


def ladder(tuning: Tuning, length: float = 0.2, lean: float = 15.0) -> Reading:
    """Seconds until a board slips down a smooth wall from 15 to 45 degrees: 2/3 L lean'' = g sin(lean), until it leaves
    the wall at two thirds of the height from which it came."""
    smooth, thick, angle = wood(0.0, restitution=0.0), 0.003, math.radians(lean)
    board = piece(smooth, box=(1e3 * thick, 40, 1e3 * length))
    centre = (-(length * math.sin(angle) + thick * math.cos(angle)) / 2,)
    pose = Pose(
        (*centre, 0.0, (length * math.cos(angle) + thick * math.sin(angle)) / 2),
        quaternion_of_rpy(0, angle, 0),
    )
    wall = Body("wall", piece(smooth, box=(40, 200, 400)), Pose((0.02, 0.0, 0.2)), fixed=True)
    with new_world([table(smooth, WIDE), wall, Body("piece", board, pose)], tuning=tuning) as world:
        found = seconds_until(world, lambda: _lean(world) >= math.pi / 4)
    time, step, fast, here = 0.0, 1e-5, 0.0, angle
    while here < math.pi / 4:
        fast += step * 1.5 * GRAVITY / length * math.sin(here)
        here += step * fast
        time += step
    return within(found, time, 0.05)


def domino_wave(gap: float, tuning: Tuning, count: int = 30) -> Reading:
    """Speed of a wave of dominoes, over sqrt(g h), gap in heights: published ones lie between 0.95 and 1.6 (Stronge
    1987, Larham 2008)."""
    material = wood(0.2)
    stone = piece(material, box=(8, 24, 48))
    places = [n * (0.008 + gap * 0.048) for n in range(count)]
    stones = [Body(f"stone.{n:02d}", stone, Pose((x, 0.0, 0.024))) for n, x in enumerate(places)]
    with new_world([table(wood(0.5), WIDE), *stones], tuning=tuning) as world:
        world.settle()
        world.launch("stone.00", (4 * 0.024, 0.0, 4 * 0.004), (0.0, 4.0, 0.0))
        passed: dict[int, float] = {}
        for _ in range(3 * world.rate):
            world.run()
            for n in (count // 2, count - 5):
                if n not in passed and world.pose(f"stone.{n:02d}").matrix[0, 2] > math.sin(math.radians(3)):
                    passed[n] = world.step / world.rate
            if len(passed) == 2:
                break
    if len(passed) < 2:
        return Reading(0.0, 0.95, 1.6)
    first, last = count // 2, count - 5
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
        found = 1e3 * (world.pose("piece").position[0] - before)
    drag = friction * GRAVITY * (2 * brick.mass + card.mass) / card.mass
    low, high = (1e3 * _carried(0.05 + more, speed, drag, friction) for more in (0.0, 0.02))
    return Reading(found, 0.8 * low, 1.2 * high)


def _carried(gap: float, speed: float, drag: float, friction: float) -> float:
    """Returns the metres that a brick moves until it has stopped, when the cloth under it, so fast and braked by so
    many m/s^2, has to get ahead of it by a gap."""
    ours, ahead, along, step = 0.0, 0.0, 0.0, 1e-5
    while ahead < gap and speed > ours:
        ours, speed = ours + step * friction * GRAVITY, speed - step * drag
        along, ahead = along + step * ours, ahead + step * (speed - ours)
    return along + ours**2 / (2 * friction * GRAVITY)


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
    **{f"block rocks back from {share:g}, s": partial(rocking_time, share) for share in (0.3, 0.6, 0.9)},
    "rocking block keeps of its speed": rocking_loss,
    **{f"block topples from {beyond:g} degrees, s": partial(toppling_time, beyond) for beyond in (1.0, 5.0)},
    **{f"upright {name} that slides tips from mu": partial(tips_from, name) for name in UPRIGHT},
    "ladder slips down a wall, s": ladder,
    **{f"dominoes {gap:g} h apart, sqrt(gh)": partial(domino_wave, gap) for gap in (0.2, 0.35, 0.5)},
    "brick whose cloth is drawn away, mm": tablecloth,
}
