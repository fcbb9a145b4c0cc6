"""Wonky as a state machine for hypothesis: draws, reshuffles and falls against a model that only counts.

The model is written from the clauses, not from the code: it knows how many cards each pile must hold, and
which cards may have moved, and is asked after every input.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from faults_wonky import faults
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from teeter.games.core.events import Condition, CountElapsed, Fell, Met, Nudged, Released, Rested
from teeter.games.core.rules import TakeBack, Wait
from teeter.games.game import stock_of
from teeter.games.wonky.game import GAME
from teeter.games.wonky.rules import apply, legal, needs, start
from teeter.games.wonky.state import DrawCards, KeepCard, Phase, PlayCard, Sort, State

STOCK = stock_of(GAME)
SORT = {card.id: card.sort for card in STOCK.cards}


class Wonky(RuleBasedStateMachine):
    """Random games with a short deck, so that reshuffles are common (WK-15)."""

    state: State

    @initialize(players=st.integers(2, 5), seed=st.integers(0, 999), short=st.booleans(), foul=st.booleans())
    def begin(self, players: int, seed: int, short: bool, foul: bool) -> None:
        """WK-02: deal; with a short deck most cards are out of the game, as if never printed."""
        names = [f"P{number}" for number in range(players)]
        stock = STOCK
        if short:
            stock = replace(STOCK, cards=tuple(replace(card, count=1) for card in STOCK.cards))
            stock = replace(stock, numbers=replace(stock.numbers, dealt=3))
        self.state = start(names, seed, {"third_foul_falls": foul}, stock)
        self.whole = Counter({card.id: card.count for card in stock.cards})

    def give(self, given: Any) -> tuple[State, State]:
        """Apply an input; before and after."""
        before, self.state = self.state, apply(self.state, given)
        return before, self.state

    @property
    def waits(self) -> Wait:
        """What the game waits for."""
        return needs(self.state).wait

    def player(self) -> str:
        """The player on turn."""
        return self.state.seats[self.state.turn].name

    @precondition(lambda self: self.waits is Wait.ACTION)
    @rule(data=st.data())
    def act(self, data: st.DataObject) -> None:
        """WK-04..07: any legal action; drawing is legal exactly when nothing can be played."""
        choices = [choice.action for choice in legal(self.state)]
        action = data.draw(st.sampled_from(choices))
        hand = self.state.hands[self.state.turn]
        before, after = self.give(action)
        if isinstance(action, DrawCards):
            self.check_draw(before, after)
        elif isinstance(action, PlayCard):
            assert Counter(hand) - Counter(after.hands[before.turn]) == Counter([action.card])
            assert after.discard == (*before.discard, action.card)
        elif isinstance(action, KeepCard):
            assert after.hands == before.hands
            assert after.turn != before.turn

    def check_draw(self, before: State, after: State) -> None:
        """WK-07: nothing in hand was playable; all drawn cards but the last are not either."""
        old, new = before.hands[before.turn], after.hands[before.turn]
        assert new[: len(old)] == old
        drawn = new[len(old) :]
        for number, card in enumerate(drawn):
            alone = len(old) + number == 0
            last = number == len(drawn) - 1 and after.phase is Phase.DRAWN
            assert self.is_playable(before, card, alone=alone) == last
        for card in old:
            assert not self.is_playable(before, card, alone=len(old) == 1)
        if after.phase is not Phase.DRAWN:
            assert after.deck == after.discard == (), "WK-15: all cards are out"

    def is_playable(self, state: State, name: str, *, alone: bool) -> bool:
        """WK-06, WK-16 in the model's own words."""
        card = next(card for card in state.stock.cards if card.id == name)
        if card.sort is Sort.ACTION:
            return not alone
        free = [block for block in state.stock.blocks if block.id not in state.tower]
        return any(card.size in ("", b.size) and card.colour in ("", b.colour) for b in free)

    @precondition(lambda self: self.waits is Wait.HAND)
    @rule(way=st.sampled_from(["release", "release", "release", "back", "meet", "nudge"]), mm=st.floats(0, 3))
    def carry(self, way: str, mm: float) -> None:
        """WK-11, WK-12, ALL-6: carrying a block moves no card, unless a third foul makes it a fall."""
        state = self.state
        if way == "back" and not state.met:
            self.give(TakeBack(self.player()))
        elif way == "meet":
            self.give(Met(state.step, state.held, "table"))
        elif way == "nudge" and state.tower:
            before, after = self.give(Nudged(state.step, state.tower[0], mm))
            if before.house.third_foul_falls and before.fouls == 2 and mm > 1:
                self.check_fall(before, after)
                return
            assert after.fouls == before.fouls + (mm > 1)
        else:
            self.give(Released(state.step, state.held))
        assert self.state.hands == state.hands
        assert self.state.tower == state.tower

    @precondition(lambda self: self.waits is Wait.COUNT)
    @rule(stands=st.sampled_from([True, True, True, False]))
    def count(self, stands: bool) -> None:
        """WK-13: it stands and the turn is over, or it does not lie as it must."""
        state = self.state
        broken = () if stands else (Condition.TOUCHES_TOWER_ONLY,)
        before, after = self.give(CountElapsed(state.step + 700, state.held, broken))
        if stands:
            assert after.tower == (*before.tower, before.held)
        else:
            self.check_fall(before, after)

    @precondition(lambda self: self.waits is Wait.REST)
    @rule()
    def rest(self) -> None:
        """WK-08, WK-09: after an action card the tower holds."""
        before, after = self.give(Rested(self.state.step, ()))
        assert after.tower == before.tower
        assert after.hands == before.hands

    @precondition(lambda self: self.state.tower and self.state.reason is None)
    @rule(data=st.data())
    def fall(self, data: st.DataObject) -> None:
        """WK-14: a fall at any point."""
        before, after = self.give(Fell(self.state.step, (data.draw(st.sampled_from(self.state.tower)),)))
        self.check_fall(before, after)

    def check_fall(self, before: State, after: State) -> None:
        """WK-14, WK-15: three cards, or all there are; more only while no block card is among them."""
        assert after.tower == ()
        old, new = before.hands[before.turn], after.hands[before.turn]
        drawn = new[len(old) :]
        there_were = len(before.deck) + len(before.discard)
        assert len(drawn) >= min(3, there_were)
        if len(drawn) > 3:
            assert all(SORT[card] is Sort.ACTION for card in (*old, *drawn[:-1]))
        if after.phase is Phase.RESTART:
            assert after.turn == before.turn
            assert any(SORT[card] is not Sort.ACTION for card in new)
        else:
            assert len(drawn) == there_were
            assert all(SORT[card] is Sort.ACTION for card in new)
        expected = before.deck[: len(drawn)]
        assert drawn[: len(expected)] == expected, "the deck is drawn from the top before it is made anew"
        if len(drawn) <= len(before.deck):
            assert after.discard == before.discard, "WK-15: a deck that suffices is not made anew"

    @invariant()
    def sound(self) -> None:
        """WK-16, WK-17: cards and blocks are conserved; the game is over when it must be, and only then."""
        state = self.state
        assert faults(state) == ()
        piles: Counter[str] = Counter()
        for pile in (state.deck, state.discard, *state.hands):
            piles.update(pile)
        assert piles == self.whole
        empty = [seat for seat, hand in enumerate(state.hands) if not hand]
        assert all(seat == state.turn for seat in empty)
        won = len(state.tower) == 9 or (bool(empty) and state.card == "" and state.phase is not Phase.RESTART)
        assert (state.reason is not None) == won

    @precondition(lambda self: self.state.reason is not None)
    @rule()
    def nothing_more(self) -> None:
        """A finished game has nothing legal."""
        assert legal(self.state) == ()


Wonky.TestCase.settings = settings(
    max_examples=60,
    stateful_step_count=60,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
)
TestWonky = Wonky.TestCase
