"""A game on a table: the only place where an action moves a body.

Everything that comes from outside is one of five inputs (`act`, `aim`, `release`, `settle`, `answer`); the rest follows
from them, so a record of the inputs repeats the game. At every checkpoint (all at rest, hand empty) the world is
restored from a snapshot: play, undo and resume then go on from the same thing.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic

from teeter.engine.event_detector import steps_of
from teeter.engine.events import Dropped, Released, SceneEvent, Touched
from teeter.engine.hand import Target
from teeter.engine.process import trim_heap
from teeter.engine.world.body import Body
from teeter.engine.worlds import WorldMaker, new_world
from teeter.games.core.errors import MalformedAction
from teeter.games.core.events import Fell, Placed, Question, RefereeAnswer, Removed, TimeUp
from teeter.games.core.rules import Action, Choice, Input, Need, Outcome, TakeBack, Wait
from teeter.games.game import Game
from teeter.games.judge.judge import Judge, TableScene
from teeter.games.play.checkpoints import Checkpoints, GameCheckpoint, Referee, S
from teeter.games.play.held_piece import Handling, HeldPiece, LetGoPiece, handling_of
from teeter.games.play.table import REST_TIMEOUT_S, Moment, Sink, Table

Journal = Callable[[int, dict[str, Any]], None]
"""Is given every input: the step, and a JSON object with a `type`."""

CheckpointSink = Callable[[int, Mapping[str, Body]], None]
"""Is given all bodies at a checkpoint."""

Teller = Callable[[S, Input, S], None]
"""Is told the state before, the input, and the state after."""

IN_HAND = (Wait.HAND, Wait.PULL, Wait.ACTION)
"""What a game waits for while the hand holds the piece it names."""
MAX_RESTS = 8
"""Falls, topples and rests that may follow each other in one settling."""


class Session(Generic[S]):
    """One game being played.

    judge: the physical side of the game. tremor: metres that the players' hands shake (ALL-1), beyond what a player
    brings along. tell: hears every input that the rules took. journal, checkpoint, sink: what a recorder wants to know.
    make_world: where the pieces are simulated.
    """

    def __init__(
        self,
        game: Game,
        judge: Judge,
        state: S,
        *,
        tremor: float = 0.0,
        tell: Iterable[Teller[S]] = (),
        journal: Journal = lambda step, entry: None,
        checkpoint: CheckpointSink = lambda step, bodies: None,
        sink: Sink | None = None,
        make_world: WorldMaker = new_world,
    ) -> None:
        self.game, self.judge, self.state = game, judge, state
        self.turns = 0
        """How often a player chose an action."""
        self.events = 0
        """Of the story: what players did, and what came of it."""
        self.handling: Handling = handling_of(game, state, tremor)
        """What the hand can do in this game, and how it shakes."""
        self._tell, self._journal, self._tell_checkpoint = tuple(tell), journal, checkpoint
        self.before_tidying: Callable[[], None] = lambda: None
        """Called when all lies still, before what has fallen is set up again or put away: who looks on may look."""
        self.after_tidying: Callable[[], None] = lambda: None
        """Called at every checkpoint, once it is told: who looks on may take their time, nothing is lost meanwhile."""
        self._needs: tuple[S, Need] | None = None
        self._held: HeldPiece | None = None
        self._let_go_piece: LetGoPiece[S] | None = None
        self._released_at = 0
        self._tries: tuple[str, Counter[str]] = ("", Counter())
        self._released_height: float | None = None
        self._taken_from: Moment | None = None
        self._checkpoints = Checkpoints(judge, state, self.handling.grip, sink, make_world)
        self._referee = Referee(judge, self._checkpoints)
        self._tell_checkpoint(self.table.step, self.table.bodies)

    # -- what can be asked ---------------------------------------------------------------------------------------

    @property
    def table(self) -> Table:
        """Where the pieces are."""
        return self._checkpoints.table

    @property
    def checkpoint(self) -> GameCheckpoint[S]:
        """The last checkpoint."""
        return self._checkpoints.last

    @property
    def need(self) -> Need:
        """What the game waits for. Asked several times a step: the same state has the same need."""
        if self._needs is None or self._needs[0] is not self.state:
            self._needs = (self.state, self.game.rules.needs(self.state))
        return self._needs[1]

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What may be done now."""
        return self.game.rules.legal(self.state)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, None while it goes on."""
        return self.game.rules.outcome(self.state)

    def summary(self, why: str = "") -> dict[str, Any]:
        """Returns what a record keeps of how the game ended. why: it was broken off, if it was."""
        outcome = self.outcome
        return {
            "winners": list(outcome.winners) if outcome is not None else [],
            "reason": outcome.reason.text if outcome is not None else why,
            "turns": self.turns,
            "ended": outcome is not None,
        }

    @property
    def tries(self) -> int:
        """How often in vain the player who is asked has let go of the piece that is to be laid."""
        return self.tries_of(*self.need.pieces[:1])

    def tries_of(self, *pieces: str) -> int:
        """How often the player who is asked has let go of some pieces, by default all, since one last lay well."""
        who, tries = self._tries
        return sum(tries[piece] for piece in pieces or tries) if who == self.need.who else 0

    @property
    def before(self) -> TableScene:
        """The scene at the last checkpoint, or when the piece in the hand was taken up."""
        return self._checkpoints.before

    # -- the inputs ----------------------------------------------------------------------------------------------

    def act(self, action: Action) -> None:
        """A player's action: refused before anything moves (ALL-8), with the clause. Raises IllegalAction, and
        MalformedAction for an event: what happens on the table only the table says."""
        if not isinstance(action, Action):
            raise MalformedAction(f"{type(action).__name__} happens on the table; no player does it")
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
        """One step of the hand. target: where the player wants the held piece; the hand does what it can. Raises
        ValueError when it is empty."""
        self._journal(self.table.step, {"type": "hand", "target": list(target)})
        if self._held is None and self.need.wait is Wait.PULL:
            # let go of, or slipped from, a piece that is being pulled: the hand takes hold again
            self._grab(self.need.pieces[0])
        held = self._held
        events = self.table.aim(self.handling.of(target, self.table.step, self.table.rate))
        assert held is not None, "an empty hand has refused"
        held.follow()
        for event in events:
            self._judge_while_held(event, held)
            if self._held is not held:
                break
        # asked at every step: a brick that has left the tower in peace makes no event
        if self._held is held and self.need.wait is Wait.PULL and held.is_out():
            self._apply(Removed(self.table.step, held.piece))
        if self._held is held and self.handling.is_late(self.table.step, self.table.rate):
            self._apply(TimeUp(self.table.step))
        if self._held is held and self.table.hand.has_slipped:
            self._release()
        elif self._held is None and self.need.wait in (Wait.ACTION, Wait.OVER):
            self._tidy()

    def release(self) -> None:
        """The hand lets go."""
        self._journal(self.table.step, {"type": "release"})
        self._release()

    def settle(self) -> None:
        """Let the world run until the rules have what they wait for; then tidy up, and a new checkpoint."""
        self._journal(self.table.step, {"type": "settle"})
        if self.need.wait is Wait.COUNT:
            self._count()
        for _ in range(MAX_RESTS):
            if self.need.wait is not Wait.REST:
                break
            self._rest()
        self._tidy()

    def answer(self, yes: bool) -> None:
        """The referee answers; heights are measured by the table itself. Raises ValueError when nothing was asked."""
        need = self.need
        if need.question is None:
            raise ValueError("the referee answers, and nothing was asked")
        self._journal(self.table.step, {"type": "answer", "yes": yes})
        said = RefereeAnswer(self.table.step, need.question, need.pieces, yes)
        is_measured = need.question is Question.HOW_TALL
        self._apply(self._referee.measured(self.state) if is_measured else said)
        self._tidy()

    def wait(self, steps: int) -> None:
        """CT-37 to CT-39: a player has thought for so long, with an empty hand. Raises ValueError while the hand holds
        something, and for fewer than one step."""
        if steps < 1 or not self._checkpoints.is_untouched:
            raise ValueError(f"{steps} steps of thinking: one at least, with an empty hand")
        self._journal(self.table.step, {"type": "wait", "steps": steps})
        self._checkpoints.wait(steps)
        if self.need.wait is Wait.ACTION and self.handling.is_late(self.table.step, self.table.rate):
            self._apply(TimeUp(self.table.step))

    @property
    def left_s(self) -> float | None:
        """Seconds left of a challenge against the clock (CT-37 to CT-39); None while no clock runs."""
        return self.handling.left_s(self.table.step, self.table.rate)

    def undo(self) -> None:
        """ALL-6: what the hand has done since it took up its piece is taken back; the table is, bit for bit, as if it
        never had. Raises IllegalAction when there is nothing to take back, or it is too late."""
        self.act(TakeBack(self.need.player))

    def close(self) -> None:
        """Free the simulator, and what it took."""
        self._checkpoints.close()
        trim_heap()

    # -- what follows --------------------------------------------------------------------------------------------

    def _apply(self, entry: Input) -> None:
        before = self.state
        self.state = self.game.rules.apply(before, entry)
        self.handling.follow(before, self.state, self.table.step)
        if isinstance(entry, Placed) and not entry.broken:
            self._tries = ("", Counter())
        self.events += 1
        for tell in self._tell:
            tell(before, entry, self.state)
        held, need = self.table.hand.held, self.need
        if held is not None and (held not in need.pieces or need.wait not in IN_HAND):
            self._leave_hand(held, entry)

    def _leave_hand(self, held: str, entry: Input) -> None:
        """The rules took a piece out of the hand that still holds it. A fall, the end of the time, a piece that is out
        of the tower and one that is left there leave everything as it is, and the table comes to rest; whatever else
        it was, a touch, a foul, a change of mind, an act, puts everything back."""
        is_left = isinstance(entry, Action) and self.need.wait is Wait.REST
        if not (is_left or isinstance(entry, (Fell, TimeUp, Removed))):
            self._put_back()
        elif self.judge.is_unplaced(self.state, held):
            self.table.release()
            self._held = None
            self.table.put(self.judge.stored(self.state, held))
        else:
            self._let_go()
            if not is_left:
                self._taken_from = None

    def _grab(self, piece: str) -> None:
        back = self._checkpoints.take(self.state, piece)
        self.table.grab(piece)
        self._held = HeldPiece(piece, self.table, back)
        self.handling.taken(self.table.step, self.table.hand.target)

    def _release(self) -> None:
        held = self.table.hand.held
        if held is None:
            return
        # a piece that is only looked at (BS-13) is still in the hand when the rules hear of it, and is put back
        if self.need.wait is not Wait.ACTION:
            self._let_go()
        if self.need.wait is Wait.PULL:
            return
        if self._tries[0] != self.need.who:
            self._tries = (self.need.who, Counter())
        self._tries[1][held] += 1
        self._apply(Released(self.table.step, held))
        if self.need.wait not in (Wait.REST, Wait.COUNT):
            self._tidy()

    def _let_go(self) -> None:
        assert self._held is not None
        self._released_at, self._taken_from = self.table.step, self._held.back
        self._released_height = self._referee.height(self.state, self.need)
        if self.judge.is_instant:
            piece, back = self._held.piece, self._held.back
            self._let_go_piece = LetGoPiece(
                piece, back, self.judge, self._checkpoints, self._referee, self.state
            )
            self.table.watched = piece
        self.table.release()
        self._held = None

    def _put_back(self) -> None:
        """Everything goes back to where it was when the piece was taken up."""
        assert self._held is not None
        back, self._held = self._held.back, None
        self._checkpoints.come_back(back)

    def _judge_while_held(self, event: SceneEvent, held: HeldPiece) -> None:
        lying = self.judge.in_play(self.state)
        is_pulled = self.need.wait is Wait.PULL
        entry: Input | None = held.met(event, lying, is_pulled)
        if entry is None and self.judge.is_instant:
            entry = held.grazed(event, lying)
        if entry is None and self.judge.minds_nudges:
            entry = held.nudged(event, lying)
        if entry is not None:
            self._apply(entry)
        elif isinstance(event, Dropped) or held.sees_landing(event):
            self._judge_falls(held.piece, held.is_lifted)

    def _judge_falls(self, piece: str, is_lifted: bool = True) -> bool:
        """Tell the rules what fell since the last checkpoint. Returns whether anything did."""
        fell = self._referee.fell(self.state, piece, is_lifted)
        if fell is None:
            return False
        let_go = self._let_go_piece
        event, others = (fell, None) if let_go is None else let_go.falls(self.state, fell)
        if event is not None:
            self._apply(event)
        is_over = self.outcome is not None
        if let_go is not None and others is not None and not let_go.set_up_again(self.state) and not is_over:
            self._apply(others)
        return True

    def _strikes(self, piece: str, events: Iterable[SceneEvent]) -> bool:
        """BS-03: whether the piece that was let go, or one that it has set in motion, meets the tower of another."""
        let_go = self._let_go_piece
        hit = None if let_go is None else let_go.strikes(self.state, piece, events)
        if let_go is None or hit is None:
            return False
        self._apply(hit)
        let_go.set_up_again(self.state)
        return True

    def _count(self) -> None:
        """WK-13: the count from the release, whatever moves; a fall ends it at once. It goes on while the block is in
        the air."""
        need = self.need
        last = self._released_at + steps_of(need.seconds, self.table.rate)
        longest = last + steps_of(REST_TIMEOUT_S, self.table.rate)
        piece = need.pieces[0]
        while self.table.step < last or (
            self.table.step < longest and not self.table.scene().touched_by(piece)
        ):
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
        if self.handling.is_late(self.table.step, self.table.rate):
            self._apply(TimeUp(self.table.step))
            return
        hit = self._referee.hit(self.state, piece)
        if hit is not None:
            self._apply(hit)
        if self.need == need:
            # without a piece: a block was left where its pulling brought it
            back, self._taken_from = self._taken_from, None
            is_against = back is not None and self._referee.has_pushed(self.state, piece)
            self._apply(self._referee.placed(self.state, need, self._released_height))
            if back is not None and is_against:
                self._checkpoints.come_back(back, is_touched=True)
            if not piece:
                # BS-09: what was given back is taken away before anything else happens, and may fell more
                self._checkpoints.put_away(self.state)

    def _run_to_rest(self, piece: str) -> bool:
        """Returns whether something fell on the way, in a game in which that counts at once."""
        fell = False

        def stop_when(events: tuple[SceneEvent, ...]) -> bool:
            nonlocal fell
            is_news = any(isinstance(event, (Dropped, Touched)) for event in events)
            if self.judge.is_instant:
                fell = self._strikes(piece, events) or (is_news and self._judge_falls(piece))
            return fell

        self.table.run_to_rest(stop_when)
        return fell

    def _come_to_rest(self) -> None:
        """WK-13: what falls while the table comes to rest after a count belongs to the player on turn by then."""
        self._checkpoints.before = self.table.scene()
        self.table.run_to_rest()
        if self.need.wait is Wait.ACTION:
            self._judge_falls("")

    def _measure(self) -> None:
        """BS-21: in games with a height measurer it is read whenever something was laid or fell."""
        heights = self._referee.measured(self.state)
        if heights.heights_mm and self.need.wait is Wait.ACTION:
            self._apply(heights)

    def _tidy(self) -> None:
        """After an act, with the hand empty: what the rules have put away goes home, and a new checkpoint; a piece
        that must be laid again (ALL-9) is taken up again."""
        self._let_go_piece = self.table.watched = None
        if self.need.wait in (Wait.HAND, Wait.PULL):
            if self.table.hand.held is None:
                self._grab(self.need.pieces[0])
            return
        if self.judge.is_new(self.checkpoint.state, self.state):
            self.before_tidying()
            self._checkpoints.set_up(self.state)
        elif not self._checkpoints.is_untouched:
            self._come_to_rest()
            self.before_tidying()
            self._checkpoints.put_away(self.state)
            self._measure()
        self._referee.begin()
        if self._checkpoints.is_untouched:
            # cards were played, or all was taken back
            self._checkpoints.keep(self.state)
        else:
            self._checkpoints.add(self.state)
        self._tell_checkpoint(self.table.step, self.table.bodies)
        self.after_tidying()
