"""Crazy Tower as a state machine for hypothesis: falls and put-backs against a model of where each piece is.

The model is written from the clauses, not from the code: it keeps one place for every piece (`hand 0`, `stack`,
a floor card, `table`, ...) and is asked after every input what has fallen, whether that is a collapse (CT-19), who
caused it and where a piece may go (CT-20).
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from faults_crazy_tower import faults
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from rules_crazy_tower import NAMES, STOCK

from teeter.games.core.events import (
    Condition,
    Fell,
    Met,
    Placed,
    Question,
    RefereeAnswer,
    Released,
    Removed,
    Rested,
)
from teeter.games.core.rules import Take, TakeBack, Wait
from teeter.games.crazy_tower.rules import apply, legal, needs, start
from teeter.games.crazy_tower.state import (
    ACTING,
    CrazyReason,
    Decline,
    Floor,
    GiveBack,
    Pull,
    PutBack,
    RevealCard,
    State,
    Swap,
    boxes_of,
)

CARDS = {card.id: card for card in STOCK.cards}


def colour(block: str) -> str:
    """The colour of a block."""
    return block.partition("_")[0]


class CrazyTower(RuleBasedStateMachine):
    """Competitive games in which single blocks, single cards and whole floors fall all the time."""

    state: State

    @initialize(
        players=st.integers(2, 4), seed=st.integers(0, 999), floors=st.integers(1, 5), luck=st.randoms()
    )
    def begin(self, players: int, seed: int, floors: int, luck: Random) -> None:
        """CT-02, CT-08: a game just begun, or one in which a tower stands already; some have few blocks left."""
        state = start(NAMES[:players], seed, {}, STOCK)
        tower = [Floor("card_01"), *[Floor(card) for card in state.deck[: floors - 1]]]
        hands = [list(hand) for hand in state.hands]
        for at in range(floors if floors > 1 else 0):
            for own in hands:
                block = luck.choice(own)
                if colour(block) not in {colour(each) for each in tower[at].blocks} and luck.random() < 0.7:
                    tower[at] = Floor(tower[at].card, (*tower[at].blocks, block))
                    own.remove(block)
        self.state = replace(
            state, hands=tuple(map(tuple, hands)), floors=tuple(tower), deck=state.deck[floors - 1 :]
        )
        self.place = {block: f"hand {seat}" for seat, hand in enumerate(hands) for block in hand}
        self.place |= {block: floor.card for floor in tower for block in floor.blocks}
        self.floors = [floor.card for floor in tower]
        self.home: dict[str, str] = {}
        """Of every fallen block the floor it fell from."""

    def give(self, given: Any) -> State:
        """Apply an input; the state before."""
        before, self.state = self.state, apply(self.state, given)
        return before

    @property
    def waits(self) -> Wait:
        """What the game waits for."""
        return needs(self.state).wait

    @property
    def down(self) -> set[str]:
        """What lies fallen."""
        cards = set(CARDS) - set(self.floors) - set(self.state.deck) - {self.state.card}
        return cards | {block for block, place in self.place.items() if place == "table"}

    def on(self, card: str) -> list[str]:
        """The blocks on a floor."""
        return [block for block, place in self.place.items() if place == card]

    def owner(self, block: str) -> str:
        """The hand of the player who chose the colour of this block."""
        seat = next(seat for seat, own in enumerate(self.state.colours) if colour(block) in own)
        return f"hand {seat}"

    @precondition(lambda self: self.waits is Wait.ACTION)
    @rule(data=st.data())
    def act(self, data: st.DataObject) -> None:
        """CT-20: while something lies fallen it is put back, and nothing else is done."""
        choices = [choice.action for choice in legal(self.state)]
        assert choices
        mends = {isinstance(action, (PutBack, GiveBack)) for action in choices}
        assert mends == {bool(self.down)}
        if self.down:
            self.check_homes([action for action in choices if isinstance(action, PutBack)])
        action = data.draw(st.sampled_from(choices))
        before = self.give(action)
        if isinstance(action, GiveBack) and not self.state.asked:
            assert not self.homes(action.piece), "CT-20: it had a place"
            self.place[action.piece] = self.owner(action.piece)
        elif isinstance(action, Swap):
            one, two = self.place[action.give], self.place[action.take]
            assert one == f"hand {before.turn}" != two
            self.place[action.give], self.place[action.take] = two, one
        elif isinstance(action, RevealCard):
            assert self.state.card == before.deck[0]
            assert self.on(self.floors[-1]), "CT-12"
        elif isinstance(action, Pull):
            assert self.place[action.piece] in self.floors[:-1], "CT-05"
        elif isinstance(action, Take) and action.piece in self.place:
            assert self.place[action.piece] == f"hand {before.turn}", "CT-10"
            assert colour(action.piece) not in {colour(each) for each in self.on(self.floors[-1])}, "CT-18"

    def homes(self, block: str) -> list[str]:
        """CT-20, CT-18: the floors a fallen block may go to."""
        floors = [card for card in self.floors if card in (self.home.get(block), self.floors[-1])]
        return [card for card in floors if colour(block) not in {colour(each) for each in self.on(card)}]

    def check_homes(self, offered: list[PutBack]) -> None:
        """CT-20: exactly the allowed floors are offered, for every fallen piece."""
        for piece in self.down:
            floors = {action.floor for action in offered if action.piece == piece}
            assert floors == (set(self.homes(piece)) if piece in self.place else {""})

    @precondition(lambda self: self.waits is Wait.HAND)
    @rule(way=st.sampled_from(["release"] * 6 + ["meet", "back"]))
    def carry(self, way: str) -> None:
        """ALL-6: carrying changes nothing."""
        if way == "meet":
            self.give(Met(self.state.step, self.state.held, "table"))
        elif way == "back" and not self.state.met:
            self.give(TakeBack(self.state.player))
        else:
            self.give(Released(self.state.step, self.state.held))

    @precondition(lambda self: self.waits is Wait.PULL)
    @rule(out=st.sampled_from([True, True, False]))
    def pull(self, out: bool) -> None:
        """CT-05: out it is, to the player of its colour; or left alone."""
        if out:
            before = self.give(Removed(self.state.step, self.state.held))
            self.place[before.held] = self.owner(before.held)
        else:
            self.give(Decline(self.state.player))
        assert self.waits is Wait.REST

    @precondition(lambda self: self.waits is Wait.REST)
    @rule(luck=st.integers(0, 9), special=st.booleans())
    def settle(self, luck: int, special: bool) -> None:
        """CT-20, ALL-9: the piece lies, or slips and is taken up again; with none in play all comes to rest."""
        state = self.state
        if not state.held:
            self.give(Rested(state.step, ()))
            return
        if luck == 0 or (not self.floors and state.held in self.place):
            self.give(Placed(state.step, state.held, broken=(Condition.COVERS_NO_RED_BOX,)))
            assert not self.state.held
            return
        target = state.target or (self.floors[-1] if state.held in self.place else "")
        mending = state.held in self.down
        crowded = target and colour(state.held) in {colour(each) for each in self.on(target)}
        boxes = [box for box, sort in boxes_of(CARDS[target]).items() if sort in ACTING] if target else []
        self.give(Placed(state.step, state.held, target, tuple(boxes if special else ())))
        if crowded:
            assert not self.state.held, "CT-18: others of its colour slid there"
        elif target:
            self.place[state.held] = target
            self.home.pop(state.held, None)
        else:
            self.floors.append(state.held)
        if mending:
            assert self.state.boxes == state.boxes or not self.down, "CT-20: no box acts"
            assert self.state.hands == state.hands

    @precondition(lambda self: self.waits is Wait.ANSWER)
    @rule(fits=st.booleans())
    def answer(self, fits: bool) -> None:
        """CT-20: the referee sees no place: to the player of its colour."""
        need = needs(self.state)
        before = self.give(RefereeAnswer(self.state.step, Question.DOES_FIT, need.pieces, fits))
        if before.asked:
            assert list(need.pieces[1:]) == self.homes(before.asked)
        if before.asked and not fits:
            self.place[before.asked] = self.owner(before.asked)

    @precondition(lambda self: self.state.reason is None)
    @rule(data=st.data(), rare=st.integers(0, 12))
    def fall(self, data: st.DataObject, rare: int) -> None:
        """CT-19, CT-20: blocks alone or cards alone are put back; both are a collapse, the player on turn's."""
        state = self.state
        standing = [block for block, place in self.place.items() if place in self.floors]
        if self.waits is Wait.REST and state.held in self.place and state.held not in (*standing, *self.down):
            standing.append(state.held)
        pool = standing if standing and rare > 0 else [*standing, *self.floors[1:]]
        pool = pool or (self.floors if rare == 0 else [])
        if not pool or rare > 3:
            return
        pieces = data.draw(st.sets(st.sampled_from(sorted(pool)), min_size=1, max_size=2))
        pulled = state.held if self.waits is Wait.PULL and state.held in pieces else ""
        before = self.give(Fell(state.step, tuple(sorted(pieces))))
        self.note_fall(before, pieces, pulled)
        kinds = {piece in self.place for piece in self.down}
        assert (self.state.reason is CrazyReason.COLLAPSE) == (len(kinds) == 2), "CT-19"
        if self.state.reason is not None:
            assert before.player not in self.state.winners, "CT-22"
            return
        assert self.state.turn == before.turn
        assert self.waits is Wait.REST

    def note_fall(self, before: State, pieces: set[str], pulled: str) -> None:
        """Where the pieces are now; blocks of a card that slid away lie one floor lower."""
        for piece in pieces & set(self.place):
            if piece == pulled:
                self.place[piece] = self.owner(piece)
                continue
            aim = before.floors[-1].card if before.floors else ""
            self.home[piece] = (
                aim if piece == before.held and self.place[piece][:4] == "hand" else self.place[piece]
            )
            self.place[piece] = "table"
        for card in pieces & set(self.floors):
            below = self.floors[self.floors.index(card) - 1] if card != self.floors[0] else "table"
            for block in self.on(card):
                self.place[block] = below
                if below == "table":
                    self.home[block] = card
            self.floors.remove(card)

    @invariant()
    def agrees(self) -> None:
        """CT-19, CT-20: hands, tower and fallen pieces are where the model has them."""
        state = self.state
        assert faults(state) == ()
        assert [floor.card for floor in state.floors] == self.floors
        for floor in state.floors:
            assert set(floor.blocks) == set(self.on(floor.card))
        for seat, hand in enumerate(state.hands):
            assert set(hand) == set(self.on(f"hand {seat}"))
        assert {each.piece for each in state.fallen} == self.down
        for each in state.fallen:
            if each.piece in self.place and state.reason is None:
                assert each.floor == self.home[each.piece]

    @invariant()
    def over_when_it_must_be(self) -> None:
        """CT-21: an empty hand on the own turn with nothing fallen is the end; with reason nothing is legal."""
        state = self.state
        if state.reason is None:
            assert state.hands[state.turn] or state.fallen or self.waits is Wait.REST
        else:
            assert legal(state) == ()
            assert set(state.winners) <= set(NAMES)

    @precondition(lambda self: self.state.reason is not None)
    @rule()
    def nothing_more(self) -> None:
        """A finished game waits for nothing."""
        assert self.waits is Wait.OVER


CrazyTower.TestCase.settings = settings(
    max_examples=100,
    stateful_step_count=100,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
)
TestCrazyTower = CrazyTower.TestCase
