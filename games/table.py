"""The physical half of a game: a world, a watch and a hand, kept together through rebuilds. Knows no rules.

Pieces in the supply are in the world too, but immovable until a hand takes them: what falls can lie against them, and a
table of seventy pieces costs no more than the tower.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from engine.bullet import BulletWorld
from engine.events import Rested, SceneEvent
from engine.flight import MORE_ROOM, Flight, Obstacles, Stillness
from engine.hand import GRIP, Grip, Hand, Target
from engine.pose import Pose
from engine.settings import PLAY, Scale
from engine.snapshot import Snapshot
from engine.watch import THRESHOLDS, Thresholds, Watch, steps_of
from engine.world import FLOOR, TABLE, Body, pressing
from games.judge.scene import Scene
from models.build import build
from models.spec import PieceSpec

Sink = Callable[[int, Mapping[str, Body]], None]
"""Is shown all bodies with their poses, at a step; 60 times a second while the world runs."""

Heed = Callable[[tuple[SceneEvent, ...]], bool]
"""Is shown the events of a few steps, and says whether that is enough."""

STRIDE = 4
"""Steps between two looks at all poses: 60 a second at the games' size. The hand acts at every step."""
PATIENCE = 10.0
"""Seconds (ALL-2) after which the table is judged as it lies."""
HEAP = 2.0
"""Seconds after which what still moves is a heap: its bricks lean on each other and creep for want of iterations."""
HEAPED = replace(THRESHOLDS, rest_way=5e-4)
"""A heap rests when nothing in it gets on by a millimetre a second."""

DEEP = 0.72
"""Metres from the top of the table to the floor of the room: what falls off the table comes to rest there."""


def floor() -> Body:
    """The floor beyond the table: as wide as a ball rolls in the time that is waited for rest."""
    spec = {"model": FLOOR, "shape": {"box": [40000, 40000, 100]}, "material": "table"}
    return Body(FLOOR, build(PieceSpec.model_validate(spec)), Pose((0.0, 0.0, -DEEP - 0.05)), fixed=True)


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """A table one can come back to. bodies: as they lay, supplies included. is_still: whether it was at rest."""

    snapshot: Snapshot
    bodies: dict[str, Body]
    is_still: bool = False


class Table:
    """Bodies on a table in a room. bodies: the free ones in play and the immovable ones, the table among them. The
    rate follows from `scale`. step: where the clock begins. sink: sees every look at the world."""

    def __init__(
        self, bodies: Iterable[Body], scale: Scale, grip: Grip = GRIP, step: int = 0, sink: Sink | None = None
    ) -> None:
        self.bodies = {body.name: body for body in (*bodies, floor())}
        self.sink = sink
        self._rested_at = -1
        self._flight: Flight | None = None
        self.world = BulletWorld(self.bodies.values(), scale=scale, tuning=PLAY)
        self.world.settle()
        self.hand = Hand(self.world, grip)
        self.restore(Moment(self.world.snapshot(), self.bodies), step)
        self.run_to_rest()

    @property
    def step(self) -> int:
        """Steps since the game began."""
        return self.world.step

    def scene(self) -> Scene:
        """Everything as it lies now."""
        tick = self.world.read(contacts=True)
        self._follow(tick.names, tick.poses.tolist())
        forces: dict[tuple[str, str], float] = {}
        for contact in tick.contacts or ():
            forces[contact.a, contact.b] = forces.get((contact.a, contact.b), 0.0) + contact.force
        return Scene(dict(self.bodies), frozenset(forces))

    def pressing(self) -> dict[str, float]:
        """Newtons with which each body is pressed from above, as a finger that taps it feels."""
        return pressing(self.world.contacts())

    def land(self) -> None:
        """From now on everything moves, as it always does but while a piece is carried through the air."""
        if self._flight is not None:
            self._flight.close()
            self._flight = None
            self.hand.world = self.world

    def free(self, name: str) -> None:
        """Make a piece of the supply movable, where it lies."""
        self.land()
        body = replace(self.bodies[name], fixed=False)
        if self.bodies[name].fixed:
            self._swap(body)

    def put(self, body: Body) -> None:
        """Put a piece somewhere by decree: back into the supply, or onto the table before it is taken."""
        self._swap(body)

    def aim(self, target: Target) -> tuple[SceneEvent, ...]:
        """One step with the held piece pulled towards a target."""
        self.hand.move(target)
        self.hand.act()
        if self._flight is not None and not (self._flight.is_clear(self.hand.force) and self._is_level):
            self.land()
            self.hand.push()
        if self._flight is not None:
            self._fly(self._flight)
            return ()
        self.world.run(1)
        if self.world.step % STRIDE:
            return ()
        events = self._look()
        self._take_off()
        return events

    def _fly(self, flight: Flight) -> None:
        """One step in which nothing but the held piece moves, and nothing happens."""
        flight.go()
        if self.world.step % STRIDE == 0:
            name = self.hand.held or ""
            self.bodies[name] = replace(self.bodies[name], pose=self.world.pose(name))
            if self.sink is not None:
                self.sink(self.world.step, self.bodies)

    def _take_off(self) -> None:
        """Leave all others as they are, when they lie still and the held piece has left them."""
        held = self.hand.held
        if not (held and self._is_still and self._is_level) or any(
            held in pair for pair in self.watch.touching
        ):
            return
        body = self.bodies[held]
        obstacles = Obstacles(each for each in self.bodies.values() if each is not body)
        if obstacles.are_far(self.world, body, self.hand.force, MORE_ROOM):
            self._flight = Flight(self.world, body, obstacles)
            self.hand.world = self._flight.world

    @property
    def _is_level(self) -> bool:
        """Whether gravity is as it should be: on a table that someone tilts nothing is left alone."""
        return self.world.gravity[:2] == (0.0, 0.0)

    def advance(self) -> tuple[SceneEvent, ...]:
        """A few steps without the hand."""
        self.land()
        self.world.run(STRIDE - self.world.step % STRIDE)
        return self._look()

    def run_to_rest(self, heed: Heed = lambda events: False) -> None:
        """Run until everything lies still, or patience ends; not at all when this moment is known to be still. heed:
        is shown what happens, and ends the run when it says so."""
        if self._rested_at == self.world.step:
            return
        self.watch.expect_rest()
        if self._runs(HEAP, THRESHOLDS, heed):
            self._runs(PATIENCE - HEAP, HEAPED, heed)

    def _runs(self, seconds: float, thresholds: Thresholds, heed: Heed) -> bool:
        """Whether it runs still when the time is over."""
        self.watch.thresholds = thresholds
        last = self.world.step + steps_of(seconds, self.world.rate)
        while self.world.step < last:
            events = self.advance()
            if any(isinstance(event, Rested) for event in events):
                self._rested_at = self.world.step
                return False
            if heed(events):
                return False
        return True

    def remember(self) -> Moment:
        """This moment, to come back to."""
        self.scene()
        return Moment(self.world.snapshot(), dict(self.bodies), self._rested_at == self.world.step)

    def restore(self, moment: Moment, step: int | None = None) -> None:
        """Go back to a moment, or go on from this one as everybody who comes back to it will. The clock runs on, or
        is set to `step`."""
        step = self.world.step if step is None else step
        self.land()
        self.world.close()
        self._rested_at = -1
        self.world = BulletWorld.rebuilt(replace(moment.snapshot, step=step))
        self.bodies = dict(moment.bodies)
        # contacts of hulls carry their forces again only after a step
        self.world.run(STRIDE)
        self._wake(moment.is_still)

    def rest_here(self) -> None:
        """From now on moves and falls count from how everything lies now."""
        self.watch.rest(self.world.read(contacts=True))

    def close(self) -> None:
        """Free the simulator."""
        self.land()
        self.world.close()

    def _wake(self, is_still: bool) -> None:
        self._is_still = is_still
        self._stillness = Stillness(self.world.read(), self.bodies.values(), self.world.rate, is_still)
        self.hand.enter(self.world)
        self.watch = Watch(self.bodies.values(), self.world.rate)
        self.rest_here()

    def _swap(self, body: Body) -> None:
        self._rested_at = -1
        self.land()
        if body.name in self.bodies:
            self.world.remove(body.name)
        self.world.add(body)
        self.bodies[body.name] = body
        self.watch.add(body)

    def _look(self) -> tuple[SceneEvent, ...]:
        among = (TABLE, FLOOR) if self.hand.held is None else (TABLE, FLOOR, self.hand.held)
        tick = self.world.read(contacts=among)
        self._is_still = self._stillness.sees(tick, self.hand.held or "")
        self._follow(tick.names, tick.poses.tolist())
        if self.sink is not None:
            self.sink(tick.step, self.bodies)
        return self.watch.see(tick, among)

    def _follow(self, names: tuple[str, ...], rows: list[list[float]]) -> None:
        for name, (x, y, z, a, b, c, d) in zip(names, rows, strict=True):
            self.bodies[name] = replace(self.bodies[name], pose=Pose((x, y, z), (a, b, c, d)))
