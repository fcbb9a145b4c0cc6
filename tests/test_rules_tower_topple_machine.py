"""Tower Topple as a state machine for hypothesis: skips and requirements against a model of the clauses.

The model is written from the clauses TT-05..TT-23, not from the code: it keeps its own tower, who is bound by
what, and every score, and is asked after every input. Nearly all its bricks carry a colour or a print.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from rules_tower_topple import STOCK

from teeter.games.core.events import (
    Condition,
    Fell,
    Placed,
    Question,
    RefereeAnswer,
    Released,
    Removed,
    Rested,
)
from teeter.games.core.rules import Take, Wait
from teeter.games.tower_topple.rules import apply, legal, needs, outcome, start
from teeter.games.tower_topple.state import FREE, Brick, Leave, Phase, Print, State

COLOURS = ("blue", "green", "red", "yellow")
PRINTS = tuple(stamp.name.lower() for stamp in Print if stamp is not Print.UNSEEN)
SLOTS = ("left", "centre", "right")


class Model:
    """What the rule book says, in its plainest form. A demand is a word and a colour."""

    def __init__(self, people: int, faces: dict[str, str], rows: list[list[str]]) -> None:
        self.people, self.faces = people, faces
        self.points, self.skips = [0] * people, [0] * people
        self.player = 0
        self.new_round(0, rows)

    def new_round(self, player: int, rows: list[list[str]]) -> None:
        """TT-07, TT-16: nothing is left of the round before."""
        self.player, self.rows = player, rows
        self.left, self.skips = True, [0] * self.people
        self.now: list[tuple[str, str]] = [("any", "")]
        self.later: list[tuple[str, str]] = []
        self.mute = False
        self.look()

    def reachable(self) -> list[str]:
        """TT-06."""
        full = [at for at, row in enumerate(self.rows) if at >= len(self.rows) - 2 and all(row)]
        return [brick for row in self.rows[: full[-1]] for brick in row if brick]

    def allowed(self) -> set[str]:
        """TT-10, TT-11, TT-17, TT-18: which bricks meet the first demand."""
        word, colour = self.now[0]
        free = set(self.reachable())
        if word == "colour":
            return {brick for brick in free if self.faces[brick] == colour}
        if word == "another colour":
            return {b for b in free if self.faces[b] in COLOURS and self.faces[b] != colour}
        if word == "edge":
            return free & {row[at] for row in self.rows for at in (0, 2)}
        if word == "centre":
            return free & {row[1] for row in self.rows if all(row)}
        return free

    def look(self) -> None:
        """TT-12, TT-17, TT-18, TT-23: a demand is looked at when it falls due."""
        word, colour = self.now[0]
        self.asks = word == "colour" and bool(self.allowed())
        if not self.allowed():
            instead = {"colour": ("two others", colour), "another colour": ("one of two", "")}
            self.now[0] = instead.get(word, ("any", ""))

    def answer(self, topples: bool) -> None:
        """TT-11."""
        self.asks = False
        if topples:
            self.now[0] = ("two others", self.now[0][1])

    def out(self, brick: str) -> None:
        """TT-08, TT-11, TT-19, TT-20."""
        for row in self.rows:
            if brick in row:
                row[row.index(brick)] = ""
        face = self.faces[brick]
        word, colour = self.now[0]
        if word == "two others" and face == colour:
            self.now[0] = ("colour", colour)
        elif word == "two others":
            second = ("one of two", "") if face in COLOURS else ("another colour", colour)
            self.now[:1] = [("one of two", ""), second]
        if face == "lose_two":
            self.points[self.player] -= 2
        if face == "all_others_gain_one":
            self.all_others(1)

    def all_others(self, points: int) -> None:
        """TT-20."""
        for other in range(self.people):
            self.points[other] += points * (other != self.player)

    def laid(self, brick: str, slot: int) -> None:
        """TT-05, TT-09 to TT-18, TT-21 to TT-23, TT-25."""
        if all(self.rows[-1]):
            self.rows.append(["", "", ""])
        self.rows[-1][slot] = brick
        face, (word, _) = self.faces[brick], self.now.pop(0)
        self.points[self.player] += 0 if self.mute else self.worth(face, word)
        if face.startswith("draw_") and face[5:] in COLOURS:
            self.later.append(("colour", face[5:]))
        if face == "draw_two":
            self.later += [("two", ""), ("two", "")]
        if face in ("edge", "centre"):
            self.later.append((face, ""))
        if face == "skip":
            self.skips[self.player] += 1
        if face == "reverse" and self.people > 2:
            self.left = not self.left
        if face == "draw_one_more":
            self.now.append(("any", ""))
            self.mute = True
        if not self.now:
            self.next_player()
        self.look()

    def worth(self, face: str, word: str) -> int:
        """TT-09, TT-10, TT-13, TT-15, TT-21, TT-22, TT-25."""
        if word == "any" or face == "all_others_gain_one":
            return {"add_two": 2, "add_three": 3, "lose_two": 0, "all_others_gain_one": 0}.get(face, 1)
        if word == "colour":
            return 3
        if word == "two":
            return 1 if face == "draw_one_more" or ("two", "") not in self.now else 0
        return 1

    def next_player(self) -> None:
        """TT-14, TT-16, TT-23."""
        while True:
            self.player = (self.player + (1 if self.left else -1)) % self.people
            if self.skips[self.player] == 0:
                break
            self.skips[self.player] -= 1
        self.now, self.later, self.mute = self.later or [("any", "")], [], False

    def topple(self, held: str) -> None:
        """TT-19, TT-20: what is in the hand was not laid on top."""
        if held and self.faces[held] == "lose_two":
            self.points[self.player] -= 2
        if held and self.faces[held] == "all_others_gain_one":
            self.all_others(3)


class ToppleMachine(RuleBasedStateMachine):
    """Random games of two to five players; the tower topples seldom."""

    state: State
    model: Model

    @initialize(people=st.integers(2, 5), seed=st.integers(0, 9999), data=st.data())
    def begin(self, people: int, seed: int, data: st.DataObject) -> None:
        """TT-02, TT-03: a tower whose bricks carry anything."""
        names = [f"P{number}" for number in range(people)]
        state = start(names, seed, {"rounds": 99}, STOCK)
        faces = data.draw(st.lists(st.sampled_from(COLOURS + PRINTS), min_size=54, max_size=54))
        bricks = [
            Brick(old.id, face) if face in COLOURS else Brick(old.id, "", Print[face.upper()])
            for old, face in zip(state.bricks, faces, strict=True)
        ]
        self.state = replace(state, bricks=tuple(bricks))
        named = dict(zip([brick.id for brick in bricks], faces, strict=True))
        self.model = Model(people, named, [list(row) for row in state.tower])

    def give(self, *inputs: Any) -> None:
        """Apply inputs one after the other."""
        for given in inputs:
            self.state = apply(self.state, given)

    @property
    def waits(self) -> Wait:
        """What the game waits for."""
        return needs(self.state).wait

    @precondition(lambda self: self.waits is Wait.ACTION)
    @rule(data=st.data(), leave=st.sampled_from([False, False, False, True]), slips=st.booleans())
    def pull(self, data: st.DataObject, leave: bool, slips: bool) -> None:
        """TT-10..TT-18: any brick that may be pulled, out or left where it is; it may slip to the table."""
        action = data.draw(st.sampled_from([choice.action for choice in legal(self.state)]))
        assert isinstance(action, Take)
        if leave:
            self.give(action, Leave(action.player), Rested(0, ()))
            return
        self.give(action, Fell(0, (action.piece,)) if slips else Removed(0, action.piece))
        self.model.out(action.piece)

    @precondition(lambda self: self.waits is Wait.HAND)
    @rule(data=st.data(), wrong=st.sampled_from([False, False, False, True]))
    def lay(self, data: st.DataObject, wrong: bool) -> None:
        """TT-05: the brick goes into a free slot on top, or lies badly and is taken up again."""
        held, row = self.state.held, self.model.rows[-1]
        self.give(Released(0, held))
        if wrong:
            self.give(Placed(0, held, "", (), (Condition.FLAT_IN_ROW,)))
            return
        slot = data.draw(st.sampled_from([at for at in range(3) if all(row) or not row[at]]))
        self.give(Placed(0, held, SLOTS[slot]))
        self.model.laid(held, slot)

    @precondition(lambda self: self.waits is Wait.ANSWER)
    @rule(topples=st.booleans())
    def answer(self, topples: bool) -> None:
        """TT-11, TT-12: the referee's answer about the bricks in play."""
        asked = needs(self.state).pieces
        assert set(asked) == self.model.allowed()
        self.give(RefereeAnswer(0, Question.WOULD_TOPPLE, asked, topples))
        self.model.answer(topples)

    @precondition(lambda self: self.waits is not Wait.REST)
    @rule(seldom=st.integers(0, 9))
    def topple(self, seldom: int) -> None:
        """TT-07, TT-08, TT-19, TT-20: a brick of the top row falls."""
        if seldom:
            return
        lies = next(brick for brick in self.state.tower[-1] if brick)
        held = self.state.held if self.state.phase is Phase.CARRY else ""
        self.give(Fell(0, (lies,)))
        self.model.topple(held)
        assert list(self.state.scores) == self.model.points
        toppler = self.state.turn
        self.give(Rested(0, ()))
        rows = [list(row) for row in self.state.tower]
        self.model.new_round((toppler + 1) % self.model.people, rows)
        assert self.state.owed == (FREE,)

    @invariant()
    def as_the_rule_book_says(self) -> None:
        """TT-05..TT-23: whose turn, the scores, the skips, the direction, the tower, and what may be pulled."""
        state, model = self.state, self.model
        assert list(state.scores) == model.points
        assert [list(row) for row in state.tower] == model.rows
        assert outcome(state) is None
        assert (state.turn, state.direction == 1) == (model.player, model.left)
        assert list(state.skips) == model.skips
        assert len(state.owed) == len(model.now)
        if state.phase in (Phase.CHOOSE, Phase.ASK):
            assert (state.phase is Phase.ASK) == model.asks
            taken = {choice.action.piece for choice in legal(state) if isinstance(choice.action, Take)}
            assert taken == (set() if model.asks else model.allowed())


ToppleMachine.TestCase.settings = settings(
    max_examples=60,
    stateful_step_count=80,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
)
TestTowerTopple = ToppleMachine.TestCase
