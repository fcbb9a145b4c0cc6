"""The physical half of a game: a world, an event detector and a hand, kept together when the world is restored. Knows
no rules.

Pieces in the supply are in the world too, but immovable until a hand takes them: what falls can lie against them, and a
table of seventy pieces costs no more than the tower.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from teeter.engine.event_detector import THRESHOLDS, EventDetector, Thresholds, pressing, steps_of
from teeter.engine.events import Rested, SceneEvent
from teeter.engine.hand import GRIP, Grip, Hand, Target
from teeter.engine.motions import HOVER, SINK, lower
from teeter.engine.pose import Pose
from teeter.engine.settings import PLAY
from teeter.engine.world.body import DOWN, FLOOR, TABLE, Body, Scale, Vector, tilted_gravity
from teeter.engine.world.isolation import START_CLEARANCE, IsolatedSimulation, Obstacles, Stillness
from teeter.engine.world.world import Snapshot
from teeter.engine.worlds import WorldMaker, new_world
from teeter.games.judge.judge import TableScene
from teeter.games.play import rigid
from teeter.models.build import build
from teeter.models.spec import PieceSpec

Sink = Callable[[int, Mapping[str, Body]], None]
"""Is given all bodies with their poses, at a step; 60 times a second while the world runs."""

StopWhen = Callable[[tuple[SceneEvent, ...]], bool]
"""Is given the events of a few steps, and says whether that is enough."""

STRIDE_STEPS = 4
"""Steps between two readings of all poses: 60 a second at the games' size. The hand acts at every step."""
REST_TIMEOUT_S = 10.0
"""Seconds (ALL-2) after which the table is judged as it lies."""
SHOVE_S, SHOVE_SPEED = 0.5, 0.3
"""Seconds that a push without the hand lasts, and metres a second at which it follows what gives way: a finger flings
nothing off the table."""
HEAP_AFTER_S = 2.0
"""Seconds after which what still moves is a heap: its bricks lean on each other and creep for want of iterations."""
HEAP_THRESHOLDS = replace(THRESHOLDS, rest=replace(THRESHOLDS.rest, displacement=5e-4))
"""A heap rests when nothing in it gets on by a millimetre a second."""

FLOOR_DEPTH = 0.72
"""Metres from the top of the table to the floor of the room: what falls off the table comes to rest there."""


FLOOR_REACH = 19.0
"""Metres from the middle of the floor, almost at its edge."""


def floor() -> Body:
    """Returns the floor beyond the table: as wide as a ball rolls in the time that is waited for rest."""
    spec = {"model": FLOOR, "shape": {"box": [40000, 40000, 100]}, "material": "table"}
    pose = Pose((0.0, 0.0, -FLOOR_DEPTH - 0.05))
    return Body(FLOOR, build(PieceSpec.model_validate(spec)), pose, fixed=True)


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """A table one can come back to. bodies: as they lay, supplies included. is_still: whether it was at rest."""

    snapshot: Snapshot
    bodies: dict[str, Body]
    is_still: bool = False


class Table:
    """Bodies on a table in a room. bodies: the free ones in play and the immovable ones, the table among them. The
    rate follows from `scale`. step: where the clock begins. sink: sees every reading of the world. gravity: m/s^2,
    turned where the table is tilted. A piece is as hard to draw out as between rigid pieces (`games.play.rigid`)."""

    def __init__(
        self,
        bodies: Iterable[Body],
        scale: Scale,
        grip: Grip = GRIP,
        step: int = 0,
        sink: Sink | None = None,
        make_world: WorldMaker = new_world,
        gravity: Vector = DOWN,
    ) -> None:
        self._slid: str | None = None
        self.bodies = {body.name: body for body in (*bodies, floor())}
        self.sink = sink
        self.watched: str | None = None
        """A piece whose touches are told although no hand holds it."""
        self._rested_at = -1
        self._isolated: IsolatedSimulation | None = None
        self.world = make_world(self.bodies.values(), scale=scale, tuning=PLAY)
        if gravity != DOWN:
            self.world.set_gravity(gravity)
        self.world.settle()
        self.hand = Hand(self.world, grip)
        self.restore(Moment(self.world.snapshot(), self.bodies), step)
        self.run_to_rest()

    # -- what can be asked ---------------------------------------------------------------------------------------

    @property
    def step(self) -> int:
        """Steps since the game began."""
        return self.world.step

    @property
    def rate(self) -> int:
        """Steps per simulated second."""
        return self.world.rate

    @property
    def scale(self) -> Scale:
        """How the world is made non-dimensional."""
        return self.world.scale

    @property
    def touching(self) -> tuple[tuple[str, str], ...]:
        """The pairs of bodies that touch, in order."""
        return self._detector.touching

    def scene(self) -> TableScene:
        """Returns everything as it lies now."""
        tick = self.world.read(contacts=True)
        self._follow(tick.names, tick.poses.tolist())
        touching = frozenset((contact.a, contact.b) for contact in tick.contacts or ())
        return TableScene(dict(self.bodies), touching)

    def pressing(self) -> dict[str, float]:
        """Returns the newtons with which each body is pressed from above, as a finger that taps it feels."""
        felt = pressing(self.world.contacts())
        return felt | rigid.loads(self.bodies, self.touching)

    def friction_of(self, name: str) -> float:
        """Returns by how much the friction of a piece at rest is multiplied while it is drawn out."""
        return rigid.friction(name, self.bodies, self.touching, self.world.contacts())

    # -- pieces and the hand -------------------------------------------------------------------------------------

    def grab(self, name: str) -> None:
        """Close the hand on a piece where it lies."""
        self.hand.grab(self.bodies[name])
        if (times := self.friction_of(name)) != 1.0:
            self._slid = name
            self.world.set_friction(name, times)

    def release(self) -> None:
        """Open the hand."""
        self.hand.release()
        self._end_sliding()

    def _end_sliding(self) -> None:
        """What is drawn out, or let go, rubs like any other piece again."""
        if self._slid is not None:
            self.world.set_friction(self._slid, 1.0)
            self._slid = None

    def lay(self, body: Body, shaken: Callable[[Target], Target] = lambda target: target) -> None:
        """Lower a piece with the hand from just above its place, as people set one down, and let it go. shaken: what a
        hand makes of where it is aimed."""
        x, y, z = body.pose.position
        self.put(body.at(Pose((x, y, z + HOVER), body.pose.orientation)))
        self.rest_here()
        self.hand.grab(self.bodies[body.name])
        for target in lower(self.hand, z - SINK, body.piece.mass):
            self.aim(shaken(target))
            if self.hand.has_slipped:
                break
        self.release()

    def free(self, name: str) -> None:
        """Make a piece of the supply movable, where it lies."""
        self._end_isolation()
        if self.bodies[name].fixed:
            self.put(replace(self.bodies[name], fixed=False))

    def put(self, body: Body) -> None:
        """Put a piece somewhere by decree: back into the supply, or onto the table before it is taken."""
        self._rested_at = -1
        self._end_isolation()
        if body.name in self.bodies:
            self.world.remove(body.name)
        self.world.add(body)
        self.bodies[body.name] = body
        self._detector.add(body)

    def aim(self, target: Target) -> tuple[SceneEvent, ...]:
        """One step with the held piece pulled towards a target."""
        self.hand.move(target)
        self.hand.act()
        isolated = self._isolated
        if isolated is not None and not (isolated.is_clear(self.hand.force) and self._is_level):
            self._end_isolation()
            self.hand.push()
        if self._isolated is not None:
            self._advance_isolated(self._isolated)
            return ()
        self.world.run(1)
        if self.world.step % STRIDE_STEPS:
            return ()
        events = self._look()
        self._isolate()
        return events

    def shove(self, piece: str, newtons: float, direction: float) -> None:
        """Push a piece sideways for a moment as a finger does (radians, counter-clockwise from +x), and run until
        everything lies still. Not recorded: for free building, as `tilt` is."""
        force = (newtons * math.cos(direction), newtons * math.sin(direction), 0.0)
        self._end_isolation()
        last = self.world.pose(piece).position
        for _ in range(round(SHOVE_S * self.rate)):
            now = self.world.pose(piece).position
            speed = self.rate * math.hypot(now[0] - last[0], now[1] - last[1])
            if speed <= SHOVE_SPEED:
                self.world.push(piece, force)
            last = now
            self.world.run(1)
            if self.step % STRIDE_STEPS == 0:
                self._look()
        self.run_to_rest()

    def tilt(self, angle: float, direction: float) -> None:
        """Tilt the table downhill towards a direction (radians, counter-clockwise from +x), which is to turn gravity,
        and run until everything lies still."""
        self.world.set_gravity(tilted_gravity(angle, direction))
        # what lay still may not lie still on a slope
        self._rested_at = -1
        self.run_to_rest()

    @property
    def lean(self) -> tuple[float, float]:
        """Degrees by which the table is tilted, and where downhill is, degrees counter-clockwise from +x."""
        x, y, z = self.world.gravity
        if x == y == 0.0:
            return 0.0, 0.0
        return math.degrees(math.atan2(math.hypot(x, y), -z)), math.degrees(math.atan2(y, x))

    # -- time ----------------------------------------------------------------------------------------------------

    def advance(self) -> tuple[SceneEvent, ...]:
        """A few steps without the hand."""
        self._end_isolation()
        self.world.run(STRIDE_STEPS - self.world.step % STRIDE_STEPS)
        return self._look()

    def run_to_rest(self, stop_when: StopWhen = lambda events: False) -> None:
        """Run until everything lies still, or the time for that is over; not at all when this moment is known to be
        still. stop_when: is given what happens, and may end the run."""
        if self._rested_at == self.world.step:
            return
        self._detector.expect_rest()
        if self._runs(HEAP_AFTER_S, THRESHOLDS, stop_when):
            self._runs(REST_TIMEOUT_S - HEAP_AFTER_S, HEAP_THRESHOLDS, stop_when)

    def _runs(self, seconds: float, thresholds: Thresholds, stop_when: StopWhen) -> bool:
        """Returns whether it still runs when the time is over."""
        self._detector.thresholds = thresholds
        last = self.world.step + steps_of(seconds, self.world.rate)
        while self.world.step < last:
            events = self.advance()
            if any(isinstance(event, Rested) for event in events):
                self._rested_at = self.world.step
                return False
            if stop_when(events):
                return False
            self._catch()
        return True

    def _catch(self) -> None:
        """Hold what slides off the floor at its edge, as from a table that stays tilted: it would fall for ever."""
        for body in [*self.bodies.values()]:
            x, y, z = body.pose.position
            if (
                not body.fixed
                and max(abs(x), abs(y)) > FLOOR_REACH
                and z < 0.0
                and body.name != self.hand.held
            ):
                there = Pose(
                    (x, y, -FLOOR_DEPTH + float(body.piece.extents.max()) / 2), body.pose.orientation
                )
                self.put(replace(body.at(there), fixed=True))

    def rest_here(self) -> None:
        """From now on moves and falls count from how everything lies now."""
        self._detector.rest(self.world.read(contacts=True))

    # -- moments -------------------------------------------------------------------------------------------------

    def remember(self) -> Moment:
        """This moment, to come back to."""
        self.scene()
        return Moment(self.world.snapshot(), dict(self.bodies), self._rested_at == self.world.step)

    def restore(self, moment: Moment, step: int | None = None) -> None:
        """Go back to a moment, or go on from this one as everybody who comes back to it will. The clock runs on, or
        is set to `step`."""
        step = self.world.step if step is None else step
        self._end_isolation()
        self.world.close()
        self._rested_at = -1
        self._slid = None
        self.world = moment.snapshot.at_step(step).restored()
        self.bodies = dict(moment.bodies)
        # contacts of hulls carry their forces again only after a step
        self.world.run(STRIDE_STEPS)
        self._is_still = moment.is_still
        self._stillness = Stillness(self.world.read(), self.bodies.values(), self.world.rate, moment.is_still)
        self.hand.enter(self.world)
        self._detector = EventDetector(self.bodies.values(), self.world.rate)
        self.rest_here()

    def close(self) -> None:
        """Free the simulator."""
        self._end_isolation()
        self.world.close()

    # -- a piece in the air --------------------------------------------------------------------------------------

    def _isolate(self) -> None:
        """Simulate the held piece alone, when all others lie still and it has left them."""
        held = self.hand.held
        if not (held and self._is_still and self._is_level) or any(held in pair for pair in self.touching):
            return
        body = self.bodies[held]
        obstacles = Obstacles(other for other in self.bodies.values() if other is not body)
        if obstacles.are_far(self.world, body, self.hand.force, START_CLEARANCE):
            self._isolated = IsolatedSimulation(self.world, body, obstacles)
            self.hand.world = self._isolated.world

    def _advance_isolated(self, isolated: IsolatedSimulation) -> None:
        """One step in which nothing but the held piece moves, and nothing happens."""
        isolated.advance()
        if self.world.step % STRIDE_STEPS == 0:
            name = self.hand.held or ""
            self.bodies[name] = replace(self.bodies[name], pose=self.world.pose(name))
            if self.sink is not None:
                self.sink(self.world.step, self.bodies)

    def _end_isolation(self) -> None:
        """From now on everything is simulated, as it always is but while a piece is carried through the air."""
        if self._isolated is not None:
            self._isolated.close()
            self._isolated = None
            self.hand.world = self.world

    @property
    def _is_level(self) -> bool:
        """Whether gravity points straight down: on a tilted table nothing is simulated alone."""
        return self.world.gravity[:2] == (0.0, 0.0)

    # -- readings ------------------------------------------------------------------------------------------------

    def _look(self) -> tuple[SceneEvent, ...]:
        watched = self.hand.held or self.watched
        among = (TABLE, FLOOR) if watched is None else (TABLE, FLOOR, watched)
        tick = self.world.read(contacts=among)
        self._is_still = self._stillness.sees(tick, self.hand.held or "")
        self._follow(tick.names, tick.poses.tolist())
        if self.sink is not None:
            self.sink(tick.step, self.bodies)
        events = self._detector.see(tick, among)
        if self._slid is not None and not any(self._slid in pair for pair in self.touching):
            self._end_sliding()
        return events

    def _follow(self, names: tuple[str, ...], rows: list[list[float]]) -> None:
        for name, row in zip(names, rows, strict=True):
            self.bodies[name] = self.bodies[name].at(Pose.of_row(row))
