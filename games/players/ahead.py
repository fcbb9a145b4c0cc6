"""Looking ahead with the dynamics: what moves when a piece is drawn out, how firm a tower is with one more. Tried in a
world of its own that goes on from the game's; the game's is not touched."""

import math
import time
from collections.abc import Iterable
from dataclasses import replace
from itertools import count

import numpy as np

from teeter.engine.event_detector import farthest, steps_of
from teeter.engine.hand import Hand
from teeter.engine.motions import Ending, draw
from teeter.engine.pose import Pose
from teeter.engine.settings import GRAVITY, PLAY
from teeter.engine.tolerances import FALL_DROP
from teeter.engine.world.body import TABLE, Body, Scale
from teeter.engine.world.world import World
from teeter.engine.worlds import new_world
from teeter.games.play.session import Session
from teeter.models.piece import Array

LOOK = 0.05
"""Seconds between two looks."""
AFTER = 0.4
"""Seconds that a tower is watched after a piece has left it."""
CALM = 0.7
"""Seconds in which a piece that was let go falls, or comes to rest."""
GROWTH, MOST_DEG = 3.0, 9.0
"""Degrees a second, and degrees: more than that is as good as that."""


def drawn(session: Session, name: str, way: Array, most: float) -> float:
    """Metres that a corner of the rest has moved once a piece was drawn out along `way` (3,), metres; infinite when it
    moves by more than `most`, or the piece is stuck."""
    world = session.table.remember().snapshot.restored()
    try:
        start, rest = _Start(world, session.table.bodies.values(), name), steps_of(LOOK, world.rate)
        hand = Hand(world)
        hand.grab(session.table.bodies[name])
        world.set_friction(name, session.table.friction_of(name))
        motion = draw(hand, way)
        for number in count():
            try:
                hand.move(next(motion))
            except StopIteration as end:
                if end.value is not Ending.DONE:
                    return math.inf
                break
            hand.act()
            world.run(1)
            if number % rest == 0 and start.moved() > most:
                return math.inf
        world.remove(name)
        world.run(steps_of(AFTER, world.rate))
        moved = start.moved()
        return moved if moved <= most else math.inf
    finally:
        world.close()


def firmest(
    session: Session,
    tower: Iterable[str],
    body: Body,
    poses: Iterable[Pose],
    enough: float = math.inf,
    patience_s: float = math.inf,
) -> tuple[float, Pose]:
    """Of poses of one more piece that in which a tower, by its pieces, bears most tilt, and how many degrees; the first
    in which it bears `enough`, and no more is tried, nor after so many seconds of processor time. Raises ValueError
    when there is no pose."""
    until = time.process_time() + patience_s
    below = [session.table.bodies[name] for name in (TABLE, *tower) if name != body.name]
    best: tuple[float, Pose] | None = None
    for pose in poses:
        laid = replace(body, pose=pose, fixed=False)
        degrees = firmness([*below, laid], session.table.scale, min(enough, MOST_DEG))
        if best is None or degrees > best[0]:
            best = (degrees, pose)
        if degrees >= enough or time.process_time() > until:
            break
    if best is None:
        raise ValueError(f"there is no pose to try {body.name!r} in")
    return best


def firmness(bodies: Iterable[Body], scale: Scale, most: float = MOST_DEG) -> float:
    """Degrees of tilt that pieces put together at rest bear: a tilt that goes round once a second and grows, until
    something has moved, `most` at most. When they fall by themselves less than 0, the less the sooner. It compares
    places; the tilt itself comes out up to two degrees too large for slender blocks, which go over more slowly than it
    goes round."""
    listed = tuple(bodies)
    with new_world(listed, scale=scale, tuning=PLAY) as world:
        start, steps = _Start(world, listed), steps_of(LOOK, world.rate)
        world.settle()
        for look in range(1, round(CALM / LOOK) + 1):
            world.run(steps)
            if start.moved() > FALL_DROP:
                return LOOK * look - 2 * CALM
        for look in range(round(most / (GROWTH * LOOK))):
            degrees, turn = GROWTH * LOOK * look, math.tau * LOOK * look
            slope = math.tan(math.radians(degrees))
            world.set_gravity((GRAVITY * slope * math.cos(turn), GRAVITY * slope * math.sin(turn), -GRAVITY))
            world.run(steps)
            if start.moved() > FALL_DROP:
                return degrees
        return most


class _Start:
    """Where everything that can move was, but one piece. bodies: all of the world, for their sizes."""

    def __init__(self, world: World, bodies: Iterable[Body], but: str = "") -> None:
        self._world, self._but = world, but
        tick, pieces = world.read(), {body.name: body.piece for body in bodies}
        self._rows = [row for row, name in enumerate(tick.names) if name != but]
        self._poses = tick.poses[self._rows]
        self._extents = np.array([pieces[tick.names[row]].extents for row in self._rows])

    def moved(self) -> float:
        """Metres of the corner that is furthest from where it was."""
        tick = self._world.read()
        rows = [row for row, name in enumerate(tick.names) if name != self._but]
        return float(farthest(self._poses, tick.poses[rows], self._extents).max(initial=0.0))
