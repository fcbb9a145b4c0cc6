"""How true what tips over is: rocking, toppling, a ladder, dominoes, a cloth that is drawn away; beside closed forms
and integrations as in `engine.bench.turning`."""

import math
from functools import partial

import numpy as np

from teeter.engine.bench.reading import WIDE, Experiment, Reading, seconds_until, standing, swing_time, within
from teeter.engine.bench.rigs import piece, table, wood
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.settings import GRAVITY, Tuning
from teeter.engine.world.body import Body
from teeter.engine.world.world import World
from teeter.engine.worlds import new_world
from teeter.models.piece import Array, Piece

WIDTH, HEIGHT = 0.02, 0.08
"""Metres of the block that rocks and topples."""
SLENDERNESS = math.atan(WIDTH / HEIGHT)
RADIUS = math.hypot(WIDTH, HEIGHT) / 2
"""Metres from the edge on which it turns to its centre."""
PULL = 0.75 * GRAVITY / RADIUS
"""1/s^2, of the lean of its centre from the upright above that edge: I = 4/3 m R^2."""


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
    begun = share * SLENDERNESS
    with standing(_block(), wood(1.0, restitution=0.0), tuning, _on_edge(begun)) as world:
        found = seconds_until(world, lambda: _lean(world) <= 0.0)
    true = swing_time(SLENDERNESS - begun, SLENDERNESS, PULL)
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
    return within(found, swing_time(angle, math.pi / 3, PULL), 0.05)


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
    return within(found, swing_time(angle, math.pi / 4, 1.5 * GRAVITY / length), 0.05)


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


BLOCKS, BLOCK = 8, (0.02, 0.03)
"""Of a chimney, and how wide and high each is, metres."""
OPEN = math.radians(0.5)
"""By how much a joint has opened that is broken."""


def _turned(x: float, z: float, lean: float) -> Array:
    """Returns where a place (x, z) is in the world, on something that has turned by so much over its edge at +x."""
    return np.array([x * math.cos(lean) + z * math.sin(lean), z * math.cos(lean) - x * math.sin(lean)])


def chimney(tuning: Tuning, beyond: float = 10.0) -> tuple[Reading, Reading]:
    """A stack of loose blocks let go on its lower edge, so many degrees past its balance: at which of its joints it
    breaks, in heights, and its lean then, degrees. Before, the upper part bends what carries it most at a third of
    the height (Varieschi and Kamiya 2003); what has no tension opens a little above its middle, where that is most
    beside the force that presses its faces together."""
    (wide, high), material = BLOCK, wood(1.0, restitution=0.0)
    start = math.atan(wide / (BLOCKS * high)) + math.radians(beyond)
    block, turn = (
        piece(material, box=(1e3 * wide, 1e3 * wide, 1e3 * high)),
        quaternion_of_rpy(0.0, start, 0.0),
    )
    places = [_turned(-wide / 2, (n + 0.5) * high, start).tolist() for n in range(BLOCKS)]
    blocks = [Body(f"block.{n}", block, Pose((x, 0.0, z), turn)) for n, (x, z) in enumerate(places)]
    with new_world([table(material, WIDE), *blocks], tuning=tuning) as world:
        leans = [start] * BLOCKS
        while min(np.diff(leans)) > -OPEN and leans[0] < math.pi / 2:
            world.run()
            leans = [_lean(world, body.name) for body in blocks]
    joint, lean = _broken_chimney(start, math.radians(beyond))
    found = (1 + int(np.argmin(np.diff(leans)))) / BLOCKS
    return Reading(found, (joint - 1) / BLOCKS, (joint + 1) / BLOCKS), within(
        math.degrees(leans[0]), math.degrees(lean), 0.08
    )


def _broken_chimney(lean: float, beyond: float) -> tuple[int, float]:
    """Returns at which joint a chimney breaks, and its lean once that is open. It turns as one until the force between
    what is above a joint and below leaves their faces."""
    (wide, high), whole, step, speed = BLOCK, BLOCKS * BLOCK[1], 1e-4, 0.0
    while True:
        gain = 1.5 * GRAVITY / math.hypot(wide, whole) * math.sin(beyond)
        weight = GRAVITY * _turned(0.0, 1.0, lean) * (-1, 1)
        for joint in range(1, BLOCKS):
            left = whole - joint * high
            x, z = -wide / 2, whole - left / 2
            along, up = weight + gain * np.array([z, -x]) - speed**2 * np.array([x, z])
            if x - (left / 2 * along + gain * (wide**2 + left**2) / 12) / up < -wide:
                return joint, _opened(joint, lean, speed)
        speed += step * gain
        lean, beyond = lean + step * speed, beyond + step * speed


def _opened(joint: int, lean: float, speed: float) -> float:
    """Returns the lean at which a joint is open whose upper part begins to turn on its rear edge: a double pendulum."""
    (wide, high), step, ours, others = BLOCK, 1e-4, joint, BLOCKS - joint
    below, above, upper, fast = ours * high, others * high, lean, speed
    inertia = (ours / 3 + others) * (wide**2 + below**2), others * (wide**2 + above**2) / 3
    while lean - upper < OPEN:
        hinge, arm = _turned(-wide, below, lean), _turned(wide / 2, above / 2, upper)
        both, across = others * (hinge @ arm), others * (hinge[0] * arm[1] - hinge[1] * arm[0])
        weights = ours * _turned(-wide / 2, below / 2, lean)[0] + others * hinge[0], others * arm[0]
        torques = GRAVITY * np.array(weights) + across * np.array([-(fast**2), speed**2])
        gains = np.linalg.solve([[inertia[0], both], [both, inertia[1]]], torques)
        speed, fast = speed + step * gains[0], fast + step * gains[1]
        lean, upper = lean + step * speed, upper + step * fast
    return lean


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
    "stack struck by a ball: lowest slips out, mm": lambda tuning: struck_stack(tuning)[0],
    "stack struck by a ball: the rest moves, mm": lambda tuning: struck_stack(tuning)[1],
    "falling chimney breaks at, heights": lambda tuning: chimney(tuning)[0],
    "falling chimney leans as it breaks, degrees": lambda tuning: chimney(tuning)[1],
}
