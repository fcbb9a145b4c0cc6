"""What laying the held piece somewhere would come to: tried on a table of its own, judged as the session judges."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from teeter.engine.event_detector import steps_of
from teeter.engine.events import Dropped, SceneEvent, Touched
from teeter.engine.pose import Pose
from teeter.engine.tolerances import FALL_DROP_SEEN
from teeter.engine.world.body import DOWN, Body, Scale, Vector
from teeter.games.core.errors import RulesError
from teeter.games.core.events import Condition, CountElapsed, Fell, HitNeighbour, Placed, Released
from teeter.games.core.rules import Input, Outcome, Wait
from teeter.games.game import Game
from teeter.games.judge.judge import TableScene
from teeter.games.play.table import Table
from teeter.models.errors import TeeterError

WATCHED_S = 4.0
"""Seconds for which a piece that was let go is watched; one that still moves then has no place."""
SHIFT = 0.003
"""Metres by which a hand that lowers a piece may miss its place: what is allowed must be allowed so far off too."""
HAIR = 5e-4
"""Metres by which a piece lies otherwise than it did in a trial, at least: what it missed by less may be met."""
STIRRED = 1e-3
"""Metres that pieces at rest may move when they are set up anew for their fall to be believed: a tower of bricks that
went 1.7 mm fell under the next, and stood in the game."""
SAME_PLACE = 1e-4
"""Metres and units of a quaternion within which a table lies as it did."""


class UnsteadyError(TeeterError, RuntimeError):
    """What lies on the table hardly stands: no simulation of it tells what a piece more would come to."""


@dataclass(frozen=True, slots=True)
class LayPreview:
    """What would be. rest: where the piece ends; None when it does not come to rest. fell: the pieces that would fall,
    hit: the owner of the tower it would lie against, broken: the conditions it would not meet, narrow: those it would
    not meet if the hand missed by a little, is_close: so it might meet all of them, is_hairline: by a hair.
    outcome: how the game would end, None when it would go on."""

    rest: Pose | None
    fell: tuple[str, ...] = ()
    hit: str | None = None
    broken: tuple[Condition, ...] = ()
    narrow: tuple[Condition, ...] = ()
    is_close: bool = False
    is_hairline: bool = False
    outcome: Outcome | None = None

    @property
    def is_allowed(self) -> bool:
        """Whether the rules have nothing against it."""
        return not (self.fell or self.hit or self.broken)


class Previewer:
    """Tries places on a table that is kept from one question to the next, as long as all else lies as it did."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._table: Table | None = None
        self._lying: tuple[Body, ...] = ()
        self._stirred = self.off = 0.0
        """How far the table moved as it was set up, and from where it should lie by now anything lies, metres."""
        self.earlier: dict[str, Body] = {}
        """What lay elsewhere when the piece was taken up: it was pushed since, and the rules go by where it lay."""
        self.gravity: Vector = DOWN
        """m/s^2, of the table as it is tilted by now."""

    def lay(self, state: Any, lying: Iterable[Body]) -> Table:
        """Set the table up, unless it lies so already. state: of the rules, while a piece is carried. lying: all else.

        Raises UnsteadyError where that does not stand.
        """
        table = self._laid(self._game.judge.supplied(state, sorted(lying, key=lambda body: body.name)))
        if self._stirred > FALL_DROP_SEEN:
            raise UnsteadyError("what lies there falls when it is set up again")
        return table

    def preview(
        self,
        state: Any,
        lying: Iterable[Body],
        held: Body,
        *,
        by_hand: bool = False,
        is_over_with_fall: bool = False,
    ) -> LayPreview:
        """What if the held piece were let go where it is? state: of the rules, while it is carried. lying: all else.
        by_hand: lowered there first, by a hand that yields to what it meets. is_over_with_fall: nothing is watched
        any longer once something has fallen and the piece is far from its place.

        Raises ValueError or RuntimeError when the simulation cannot tell; UnsteadyError where nothing stands firmly.
        """
        judge, piece = self._game.judge, held.name
        table = self.lay(state, lying)
        lain, moment = table.scene(), table.remember()
        before = TableScene({**lain.bodies, piece: held}, lain.touching)
        state = self._game.rules.apply(state, Released(state.step, piece))
        counts_at_once = judge.is_instant or self._game.rules.needs(state).wait is Wait.COUNT
        last = 0
        down: tuple[str, ...] = ()

        def is_far() -> bool:
            return math.dist(table.bodies[piece].pose.position, held.pose.position) > FALL_DROP_SEEN

        def stop_when(events: tuple[SceneEvent, ...]) -> bool:
            nonlocal down
            has_come_down = counts_at_once and any(isinstance(event, (Dropped, Touched)) for event in events)
            if has_come_down or (is_over_with_fall and is_far()):
                down = judge.fallen(state, piece, before, table.scene())
            return bool(down) or table.step >= last

        try:
            held = replace(held, fixed=False)
            if by_hand:
                table.lay(held)
            else:
                table.put(held)
            last = table.step + steps_of(WATCHED_S, table.rate)
            table.rest_here()
            released = table.scene()
            table.run_to_rest(stop_when)
            after, is_resting = table.scene(), not down and table.step < last
        finally:
            table.restore(moment)
        found = self.judged(state, piece, before, released, after, is_resting)
        if self._stirred > STIRRED and {*found.fell} - {piece}:
            raise UnsteadyError("what lies there had stirred before, and falls with it")
        return found

    def judged(
        self,
        state: Any,
        piece: str,
        before: TableScene,
        released: TableScene,
        after: TableScene,
        is_resting: bool,
        *,
        has_narrow: bool = True,
    ) -> LayPreview:
        """Returns what the rules say of a piece that was let go. state: of the rules, after that. before, released,
        after: the scene as it was taken up, let go and at the end. has_narrow: with what a hand that misses would
        break."""
        judge, rules = self._game.judge, self._game.rules
        need, before = rules.needs(state), replace(before, bodies={**before.bodies, **self.earlier})
        height = judge.height(state, piece, released)
        fell = judge.fallen(state, piece, before, after)
        hit = judge.hit(state, piece, before, after)
        broken = judge.broken(state, piece, need.conditions, before, after, height)

        def missed_by(shift: float) -> list[tuple[Condition, ...]]:
            there = ({**after.bodies, piece: copy} for copy in beside(after.bodies[piece], shift))
            scenes = (replace(after, bodies=bodies) for bodies in there)
            return [judge.broken(state, piece, need.conditions, before, scene, height) for scene in scenes]

        missed = missed_by(SHIFT) if has_narrow else []
        narrow = tuple(dict.fromkeys(condition for broken_there in missed for condition in broken_there))
        is_close = bool(broken) and not all(missed)
        is_hairline = has_narrow and bool(broken) and not all(missed_by(max(HAIR, self.off)))
        step = state.step
        event: Input
        if fell:
            event = Fell(step, fell)
        elif hit is not None:
            event = HitNeighbour(step, *hit)
        elif need.wait is Wait.COUNT:
            event = CountElapsed(step, piece, broken)
        else:
            where, covers = judge.where(state, piece, after), judge.covers(state, piece, before, after)
            event = Placed(step, piece, where, covers, broken)
        try:
            outcome = rules.outcome(rules.apply(state, event))
        except RulesError:
            # the rules wait for something else by now, as for a second fall
            outcome = None
        there = after.bodies[piece]
        # what has left the table may roll on as it likes
        rest = there.pose if is_resting or there.centre_of_mass[2] < 0.0 else None
        return LayPreview(rest, fell, hit and hit[1], broken, narrow, is_close, is_hairline, outcome)

    def _laid(self, bodies: tuple[Body, ...]) -> Table:
        # a tower that stirs when it is set up is known no better than that
        within = min(max(SAME_PLACE, self._stirred), STIRRED)
        is_kept = self._table is not None and self._table.world.gravity == self.gravity
        if self._table is None or not (is_kept and lie_alike(bodies, self._lying, within)):
            self.close()
            scale = Scale.of(bodies)
            scale = scale.finer if self._game.judge.is_fine else scale
            self._table = Table(bodies, scale, gravity=self.gravity)
            self._lying = bodies
            self._stirred = _farthest(bodies, self._table)
        self.off = _farthest(bodies, self._table)
        return self._table

    def close(self) -> None:
        """Free the simulator."""
        if self._table is not None:
            self._table.close()
            self._table = None


def _farthest(bodies: Iterable[Body], table: Table) -> float:
    """Returns how far from where it lies on a table anything lies, metres."""
    there = table.bodies
    return max(
        (math.dist(each.pose.position, there[each.name].pose.position) for each in bodies), default=0.0
    )


def lie_alike(these: Sequence[Body], others: Sequence[Body], within: float) -> bool:
    """Whether these are the same pieces as others, in the same order and places. within: metres, and units of a
    quaternion."""
    here, there = ([(body.name, id(body.piece), body.fixed) for body in bodies] for bodies in (these, others))
    now, then = (np.array([body.pose.row for body in bodies]) for bodies in (these, others))
    return here == there and np.allclose(now, then, rtol=0.0, atol=within)


def beside(body: Body, shift: float = SHIFT) -> list[Body]:
    """Returns a body shifted (metres) to each of four sides, as a hand may miss its place."""
    x, y, z = body.pose.position
    places = [(x + shift, y, z), (x - shift, y, z), (x, y + shift, z), (x, y - shift, z)]
    return [body.at(Pose(place, body.pose.orientation)) for place in places]
