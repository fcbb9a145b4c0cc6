"""A game on a table: the only place where an action moves a body.

Everything that comes from outside comes in by five doors (`act`, `aim`, `release`, `settle`, `answer`); the rest
follows from them, so a record of what went through the doors repeats the game. At every action boundary (all at rest,
hand empty) the world is rebuilt from a snapshot: play, undo and resume then go on from the same thing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.events import Dropped, Grabbed, Moved, Released, Rested, SceneEvent, Touched
from engine.hand import GRIP, Grip, Target
from engine.settings import Scale
from engine.watch import steps_of
from engine.world import FLOOR, TABLE, Body
from games.judge.registry import GameJudge
from games.judge.scene import Scene
from games.rules.base import Action, Choice, Game, Input, Need, Outcome, TakeBack, Wait
from games.rules.conditions import Question
from games.rules.events import (
    CountElapsed,
    Fell,
    HitNeighbour,
    Measured,
    Met,
    Nudged,
    Placed,
    RefereeAnswer,
    Removed,
)
from games.table import Moment, Sink, Table

Journal = Callable[[int, dict[str, Any]], None]
"""Is given everything that comes through the doors: the step, and a JSON object with a `type`."""

Boundary = Callable[[int, Mapping[str, Body]], None]
"""Is shown all bodies at an action boundary."""

Teller = Callable[[Any, Input, Any], None]
"""Is told the state before, the input, and the state after."""

CLEAR = 0.6
"""TT-24: a brick is out when nothing touches it and it has come this part of its length."""


@dataclass(frozen=True, slots=True, eq=False)
class Saved:
    """An action boundary: the state of the rules and the table."""

    state: Any
    moment: Moment


class Session:
    """One game being played.

    judge: the physical side of the game. tell: hears every input that the rules took. journal, boundary, sink: what a
    recorder wants to know.
    """

    def __init__(
        self,
        game: Game,
        judge: GameJudge,
        state: Any,
        *,
        grip: Grip = GRIP,
        tell: Iterable[Teller] = (),
        journal: Journal = lambda step, entry: None,
        boundary: Boundary = lambda step, bodies: None,
        sink: Sink | None = None,
    ) -> None:
        self.game, self.judge, self.state = game, judge, state
        self._tell = tuple(tell)
        self._grip, self._journal, self._tell_boundary, self._sink = grip, journal, boundary, sink
        bodies = judge.layout(state)
        self._scale = Scale.of(bodies)
        self.table = Table(judge.supplied(state, bodies), self._scale, grip, sink=sink)
        self.saved = self._boundary()
        self._before = self.table.scene()
        self._released_at = 0
        self._lifted: Moment | None = None
        self._about: set[tuple[str, str]] = set()
        self._has_met = False
        self._told: set[str] = set()

    # -- what can be asked ---------------------------------------------------------------------------------------

    @property
    def need(self) -> Need:
        """What the game waits for."""
        return self.game.rules.needs(self.state)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What may be done now."""
        return self.game.rules.legal(self.state)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, None while it goes on."""
        return self.game.rules.outcome(self.state)

    @property
    def before(self) -> Scene:
        """The scene at the last action boundary."""
        return self._before

    # -- the doors -----------------------------------------------------------------------------------------------

    def act(self, action: Action) -> None:
        """A player's action: refused before anything moves (ALL-8), with the clause. Raises IllegalAction."""
        step = self.table.step
        self._apply(action)
        # written when the rules have taken it: a refused wish never happened
        self._journal(step, {"type": "action", "input": json.loads(self.game.write_input(action))})
        need = self.need
        if self.table.hand.held is not None or need.wait in (Wait.REST, Wait.COUNT):
            return
        if need.pieces and need.wait in (Wait.HAND, Wait.PULL, Wait.ACTION):
            self._grab(need.pieces[0])
        else:
            self._tidy()

    def aim(self, target: Target) -> None:
        """One step of the hand."""
        self._journal(self.table.step, {"type": "hand", "target": list(target)})
        held = self.table.hand.held
        for event in self.table.aim(target):
            if self.table.hand.held != held or held is None:
                return
            self._judge_while_held(event, held)
        if self.table.hand.held is not None and self.table.hand.has_slipped:
            self._release()

    def release(self) -> None:
        """The hand lets go."""
        self._journal(self.table.step, {"type": "release"})
        self._release()

    def _release(self) -> None:
        held = self.table.hand.held
        if held is None:
            return
        self._let_go()
        if self.need.wait is Wait.PULL:
            return
        self._apply(Released(self.table.step, held))
        if self.need.wait not in (Wait.REST, Wait.COUNT):
            self._tidy()

    def settle(self) -> None:
        """Let the world run until the rules have what they wait for; then tidy up, and a new boundary."""
        self._journal(self.table.step, {"type": "settle"})
        if self.need.wait is Wait.COUNT:
            self._count()
        for _ in range(MOST_RESTS):
            if self.need.wait is not Wait.REST:
                break
            self._rest()
        self._tidy()

    def answer(self, yes: bool = False) -> None:
        """The referee answers; heights are measured by the table itself."""
        self._journal(self.table.step, {"type": "answer", "yes": yes})
        need = self.need
        if need.question is Question.HOW_TALL:
            heights = self.judge.heights(self.state, self.table.scene())
            self._apply(Measured(self.table.step, heights))
        elif need.question is not None:
            self._apply(RefereeAnswer(self.table.step, need.question, need.pieces, yes))
        if self.need.wait in (Wait.ACTION, Wait.OVER):
            self._tidy()

    def undo(self) -> None:
        """ALL-6: back to the last action boundary."""
        self._journal(self.table.step, {"type": "undo"})
        self.state = self.saved.state
        self.table.restore(self.saved.moment)
        self._before = self.table.scene()

    def close(self) -> None:
        """Free the simulator."""
        self.table.close()

    # -- what follows --------------------------------------------------------------------------------------------

    def _apply(self, given: Input) -> None:
        before = self.state
        self.state = self.game.rules.apply(before, given)
        for tell in self._tell:
            tell(before, given, self.state)
        held = self.table.hand.held
        if held is not None and held not in self._wanted():
            # the rules took it out of the hand: a foul or a change of mind puts everything back, a fall does not
            if isinstance(given, (Nudged, TakeBack)):
                self.table.restore(self._lifted or self.saved.moment)
            else:
                self._let_go()

    def _wanted(self) -> tuple[str, ...]:
        need = self.need
        return need.pieces if need.wait in (Wait.HAND, Wait.PULL, Wait.ACTION) else ()

    def _grab(self, piece: str) -> None:
        if piece not in self.table.bodies:
            self.table.put(self.judge.home(self.state, piece))
        self._lifted = self.table.remember()
        self._before = self.table.scene()
        self.table.free(piece)
        self.table.rest_here()
        event: Grabbed = self.table.hand.grab(self.table.bodies[piece])
        self._has_met = False
        self._about = {pair for pair in self.table.watch.touching if event.piece in pair}

    def _let_go(self) -> None:
        self._released_at = self.table.step
        self.table.hand.release()

    def _judge_while_held(self, event: SceneEvent, held: str) -> None:
        lying = self.judge.in_play(self.state)
        if isinstance(event, Touched) and held in (event.a, event.b):
            other = event.b if event.a == held else event.a
            if other in lying and (event.a, event.b) not in self._about:
                self._has_met = True
                self._apply(Met(event.step, held, other))
        elif (
            isinstance(event, Moved)
            and event.piece == held
            and self.need.wait is Wait.PULL
            and not self._has_met
        ):
            for other in sorted({name for pair in self._about for name in pair} & (lying - {held})):
                self._has_met = True
                self._apply(Met(event.step, held, other))
                break
        elif isinstance(event, Moved) and event.piece in lying - {held}:
            if self._has_met and self.judge.minds_nudges:
                self._apply(Nudged(event.step, event.piece, event.mm))
        elif isinstance(event, Dropped) or (
            isinstance(event, Touched)
            and {event.a, event.b} & {TABLE, FLOOR}
            and held not in (event.a, event.b)
        ):
            self._judge_falls(held)
        if self.table.hand.held == held and self.need.wait is Wait.PULL:
            self._judge_removed(held)

    def _judge_removed(self, held: str) -> None:
        start, now = self._before.bodies[held], self.table.bodies[held]
        way = sum((a - b) ** 2 for a, b in zip(now.pose.position, start.pose.position, strict=True)) ** 0.5
        touches = [pair for pair in self.table.watch.touching if held in pair]
        if way > CLEAR * float(now.piece.extents.max()) and not touches:
            self._apply(Removed(self.table.step, held))

    def _judge_falls(self, held: str) -> bool:
        """Tell the rules what fell since the last boundary; whether anything did."""
        down = self.judge.fallen(self.state, held, self._before, self.table.scene())
        # the piece in play may fall again and again; others are down once
        down = tuple(name for name in down if name == held or name not in self._told)
        if down:
            self._told.update(down)
            self._apply(Fell(self.table.step, down))
        return bool(down)

    def _count(self) -> None:
        """WK-13: the count from the release, whatever moves; a fall ends it at once."""
        need = self.need
        last = self._released_at + steps_of(need.seconds, self.table.world.rate)
        piece = need.pieces[0]
        while self.table.step < last:
            is_news = any(isinstance(event, (Dropped, Touched)) for event in self.table.advance())
            if is_news and self._judge_falls(piece):
                return
        scene = self.table.scene()
        if not self._judge_falls(piece):
            broken = self.judge.broken(self.state, piece, need.conditions, self._before, scene)
            self._apply(CountElapsed(self.table.step, piece, broken))

    def _rest(self) -> None:
        """Run until all lies still, then judge it."""
        self.table.run_to_rest()
        need = self.need
        piece = need.pieces[0] if need.pieces else ""
        scene = self.table.scene()
        if self._judge_falls(piece):
            return
        owner = self.judge.hit(self.state, piece, scene) if piece else None
        if owner is not None:
            self._apply(HitNeighbour(self.table.step, piece, owner))
        if self.need != need:
            return
        if not piece:
            self._apply(Rested(self.table.step, tuple(sorted(self.judge.in_play(self.state)))))
            return
        where = self.judge.where(self.state, piece, scene)
        covers = self.judge.covers(self.state, piece, self._before, scene)
        broken = self.judge.broken(self.state, piece, need.conditions, self._before, scene)
        self._apply(Placed(self.table.step, piece, where, covers, broken))

    def _tidy(self) -> None:
        """After an act, with the hand empty: what the rules have put away goes home, and a new boundary; a piece
        that must be laid again (ALL-9) is taken up again."""
        if self.need.wait is Wait.HAND:
            self._grab(self.need.pieces[0])
            return
        if self.judge.is_new(self.saved.state, self.state):
            self.table.close()
            bodies = self.judge.layout(self.state)
            step = self.table.step
            self.table = Table(
                self.judge.supplied(self.state, bodies), self._scale, self._grip, step, self._sink
            )
        else:
            if self.table.step > self.saved.moment.snapshot.step:
                self.table.run_to_rest()
            self._put_away()
        self._told.clear()
        self.saved = self._boundary()
        self._before = self.table.scene()

    def _put_away(self) -> None:
        play = self.judge.in_play(self.state)
        for name, body in sorted(self.table.bodies.items()):
            if not body.fixed and name not in play:
                self.table.put(self.judge.stored(self.state, name))

    def _boundary(self) -> Saved:
        moment = self.table.remember()
        self.table.restore(moment)
        saved = Saved(self.state, self.table.remember())
        self._tell_boundary(self.table.step, self.table.bodies)
        return saved


MOST_RESTS = 8
"""Falls, topples and rests that may follow each other in one settling."""
