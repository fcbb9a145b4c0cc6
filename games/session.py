"""A game on a table: the only place where an action moves a body.

Everything that comes from outside comes in by five doors (`act`, `aim`, `release`, `settle`, `answer`); the rest
follows from them, so a record of what went through the doors repeats the game. At every action boundary (all at rest,
hand empty) the world is rebuilt from a snapshot: play, undo and resume then go on from the same thing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.events import Dropped, Released, SceneEvent, Touched
from engine.hand import Target
from engine.memory import give_back
from engine.watch import steps_of
from engine.world import Body
from games.ground import Ground, Saved
from games.handling import Handling, handling_of
from games.holding import Holding
from games.judge.registry import GameJudge
from games.judge.scene import Scene
from games.referee import Referee
from games.rules.base import Action, Choice, Game, Input, Need, Outcome, TakeBack, Wait
from games.rules.conditions import Question
from games.rules.errors import IllegalAction
from games.rules.events import Nudged, RefereeAnswer, Removed, TimeUp
from games.table import Sink, Table

Journal = Callable[[int, dict[str, Any]], None]
"""Is given everything that comes through the doors: the step, and a JSON object with a `type`."""

Boundary = Callable[[int, Mapping[str, Body]], None]
"""Is shown all bodies at an action boundary."""

Teller = Callable[[Any, Input, Any], None]
"""Is told the state before, the input, and the state after."""

IN_HAND = (Wait.HAND, Wait.PULL, Wait.ACTION)
"""What a game waits for while the hand holds the piece it names."""
MOST_RESTS = 8
"""Falls, topples and rests that may follow each other in one settling."""


class Session:
    """One game being played.

    judge: the physical side of the game. tremor: metres that the players' hands shake (ALL-1), beyond what a player
    brings along. tell: hears every input that the rules took. journal, boundary, sink: what a recorder wants to know.
    """

    def __init__(
        self,
        game: Game,
        judge: GameJudge,
        state: Any,
        *,
        tremor: float = 0.0,
        tell: Iterable[Teller] = (),
        journal: Journal = lambda step, entry: None,
        boundary: Boundary = lambda step, bodies: None,
        sink: Sink | None = None,
    ) -> None:
        self.game, self.judge, self.state = game, judge, state
        self.turns = 0
        """How often a player chose an action."""
        self.refused: IllegalAction | None = None
        """Why the rules last took a piece out of the hand: it touched what it may not."""
        self.handling: Handling = handling_of(state, tremor)
        """What the hand can do in this game, and how it shakes."""
        self._tell, self._journal, self._tell_boundary = tuple(tell), journal, boundary
        self._holding: Holding | None = None
        self._released_at = 0
        self._released_height: float | None = None
        self._ground = Ground(judge, state, self.handling.grip, sink)
        self._referee = Referee(judge, self._ground)
        self._tell_boundary(self.table.step, self.table.bodies)

    # -- what can be asked ---------------------------------------------------------------------------------------

    @property
    def table(self) -> Table:
        """Where the pieces are."""
        return self._ground.table

    @property
    def saved(self) -> Saved:
        """The last action boundary."""
        return self._ground.saved

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
        """The scene at the last action boundary, or when the piece in the hand was taken up."""
        return self._ground.before

    # -- the doors -----------------------------------------------------------------------------------------------

    def act(self, action: Action) -> None:
        """A player's action: refused before anything moves (ALL-8), with the clause. Raises IllegalAction."""
        step, waited = self.table.step, self.need.wait
        self._apply(action)
        # written when the rules have taken it: a refused wish never happened
        self._journal(step, {"type": "action", "input": json.loads(self.game.write_input(action))})
        self.turns += waited is Wait.ACTION
        need = self.need
        if self.table.hand.held is not None or need.wait in (Wait.REST, Wait.COUNT):
            return
        if need.pieces and need.wait in IN_HAND:
            self._grab(need.pieces[0])
        else:
            self._tidy()

    def aim(self, target: Target) -> None:
        """One step of the hand. target: where the player wants the held piece; the hand does what it can."""
        self._journal(self.table.step, {"type": "hand", "target": list(target)})
        holding = self._holding
        events = self.table.aim(self.handling.of(target, self.table.step, self.table.world.rate))
        if holding is None or self.table.hand.held is None:
            return
        holding.follow()
        for event in events:
            self._judge_while_held(event, holding)
            if self._holding is not holding:
                break
        # asked at every step: a brick that has left the tower in peace makes no event
        if self._holding is holding and self.need.wait is Wait.PULL and holding.is_out():
            self._apply(Removed(self.table.step, holding.piece))
        if self._holding is holding and self.handling.is_late(self.table.step, self.table.world.rate):
            self._apply(TimeUp(self.table.step))
        if self._holding is holding and self.table.hand.has_slipped:
            self._release()
        elif self._holding is None and self.need.wait in (Wait.ACTION, Wait.OVER):
            self._tidy()

    def release(self) -> None:
        """The hand lets go."""
        self._journal(self.table.step, {"type": "release"})
        self._release()

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
            self._apply(self._referee.measured(self.state))
        elif need.question is not None:
            self._apply(RefereeAnswer(self.table.step, need.question, need.pieces, yes))
        if self.need.wait in (Wait.ACTION, Wait.OVER):
            self._tidy()

    def undo(self) -> None:
        """ALL-6: what the hand has done since it took up its piece is taken back; the table is, bit for bit, as if it
        never had. Raises IllegalAction when there is nothing to take back, or it is too late."""
        self.act(TakeBack(self.need.player))

    def close(self) -> None:
        """Free the simulator, and what it took."""
        self._ground.close()
        give_back()

    # -- what follows --------------------------------------------------------------------------------------------

    def _apply(self, given: Input) -> None:
        before = self.state
        self.state = self.game.rules.apply(before, given)
        self.handling.follow(before, self.state, self.table.step)
        for tell in self._tell:
            tell(before, given, self.state)
        held, need = self.table.hand.held, self.need
        if held is not None and (held not in need.pieces or need.wait not in IN_HAND):
            # the rules took it out of the hand: a foul or a change of mind puts everything back, a fall does not
            if isinstance(given, (Nudged, TakeBack)):
                self._put_back()
            else:
                self._let_go()

    def _grab(self, piece: str) -> None:
        back = self._ground.take(self.state, piece)
        self.table.hand.grab(self.table.bodies[piece])
        self._holding = Holding(piece, self.table, back)
        self.handling.taken(self.table.step, self.table.hand.target)

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

    def _let_go(self) -> None:
        assert self._holding is not None
        self._released_at = self.table.step
        self._released_height = self._referee.height(self.state, self.need)
        self.table.hand.release()
        self._holding = None

    def _put_back(self) -> None:
        """Everything goes back to where it was when the piece was taken up."""
        assert self._holding is not None
        back, self._holding = self._holding.back, None
        self._ground.come_back(back)

    def _judge_while_held(self, event: SceneEvent, holding: Holding) -> None:
        lying = self.judge.in_play(self.state)
        is_pulled = self.need.wait is Wait.PULL
        given: Input | None = holding.met(event, lying, is_pulled)
        if given is None and self.judge.minds_nudges:
            given = holding.nudged(event, lying)
        if given is not None:
            self._apply_or_refuse(given)
        elif isinstance(event, Dropped) or holding.sees_landing(event):
            self._judge_falls(holding.piece, holding.is_lifted)

    def _apply_or_refuse(self, given: Input) -> None:
        """BS-05, BS-13: a piece that touches what it may not goes back, unless it is too late for that."""
        try:
            self._apply(given)
        except IllegalAction as refused:
            self.refused = refused
            if any(isinstance(choice.action, TakeBack) for choice in self.choices):
                self._apply(TakeBack(self.need.player))

    def _judge_falls(self, piece: str, is_lifted: bool = True) -> bool:
        """Tell the rules what fell since the last boundary; whether anything did."""
        fell = self._referee.fell(self.state, piece, is_lifted)
        if fell is not None:
            self._apply(fell)
        return fell is not None

    def _count(self) -> None:
        """WK-13: the count from the release, whatever moves; a fall ends it at once."""
        need = self.need
        last = self._released_at + steps_of(need.seconds, self.table.world.rate)
        piece = need.pieces[0]
        while self.table.step < last:
            is_news = any(isinstance(event, (Dropped, Touched)) for event in self.table.advance())
            if is_news and self._judge_falls(piece):
                return
        if not self._judge_falls(piece):
            self._apply(self._referee.elapsed(self.state, need))

    def _rest(self) -> None:
        """Run until all lies still, then judge it; where falls are instantaneous (BS-08), until the first of them."""
        need = self.need
        piece = need.pieces[0] if need.pieces else ""

        if self._run_to_rest(piece) or self._judge_falls(piece):
            return
        if self.handling.is_late(self.table.step, self.table.world.rate):
            self._apply(TimeUp(self.table.step))
            return
        hit = self._referee.hit(self.state, piece)
        if hit is not None:
            self._apply(hit)
        if self.need == need:
            self._apply(self._referee.placed(self.state, need, self._released_height))
            if not piece:
                # BS-09: what was given back is taken away before anything else happens, and may fell more
                self._ground.put_away(self.state)

    def _run_to_rest(self, piece: str) -> bool:
        """Whether something fell on the way, in a game in which that counts at once."""
        fell = False

        def heed(events: tuple[SceneEvent, ...]) -> bool:
            nonlocal fell
            is_news = any(isinstance(event, (Dropped, Touched)) for event in events)
            fell = is_news and self.judge.is_instant and self._judge_falls(piece)
            return fell

        self.table.run_to_rest(heed)
        return fell

    def _tidy(self) -> None:
        """After an act, with the hand empty: what the rules have put away goes home, and a new boundary; a piece
        that must be laid again (ALL-9) is taken up again."""
        if self.need.wait is Wait.HAND:
            self._grab(self.need.pieces[0])
            return
        if self.judge.is_new(self.saved.state, self.state):
            self._ground.set_up(self.state)
        elif not self._ground.is_untouched:
            self.table.run_to_rest()
            self._ground.put_away(self.state)
        self._referee.begin()
        if self._ground.is_untouched:
            # cards were played, or all was taken back
            self._ground.keep(self.state)
        else:
            self._ground.bound(self.state)
        self._tell_boundary(self.table.step, self.table.bodies)
