"""Bausack as a state machine for hypothesis: auctions and pushes against a model that only keeps accounts.

The model is written from the clauses, not from the code: a ring of players in clockwise order, what each has,
who has passed, and what the next pass costs. It says who must act and what they may do, and is asked after
every input; towers fall at any moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from faults_bausack import faults
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from teeter.games.bausack.game import GAME
from teeter.games.bausack.rules import apply, legal, needs, outcome, start
from teeter.games.bausack.state import Accept, Bid, Build, Pass, PassOn, Phase, Push, State, owner_of
from teeter.games.core.events import Fell, Placed, Released, Rested
from teeter.games.core.rules import Take, TakeBack, Wait
from teeter.games.game import stock_of

STOCK = stock_of(GAME)


class Bausack(RuleBasedStateMachine):
    """Random games with few pieces, so that the supply runs out (BS-20) and comes back (BS-10)."""

    state: State

    @initialize(players=st.integers(2, 6), seed=st.integers(0, 99), pieces=st.integers(1, 14))
    def begin(self, players: int, seed: int, pieces: int) -> None:
        """BS-01: ten tokens each, nobody has built."""
        self.names = [f"P{number}" for number in range(players)]
        self.state = start(self.names, seed, {"pieces": pieces}, STOCK)
        self.tokens = dict.fromkeys(self.names, 10)
        self.alive = list(self.names)
        self.on_turn = self.names[0]
        self.asked: list[str] = []
        """Who is still to be asked in an auction, in order; the highest bidder is last."""
        self.highest = 0
        self.price = 0
        self.placer = ""

    def give(self, given: Any) -> None:
        """Apply an input."""
        self.state = apply(self.state, given)

    def after(self, name: str) -> str:
        """The next player clockwise who is in."""
        at = self.names.index(name)
        ring = self.names[at + 1 :] + self.names[: at + 1]
        return next(each for each in ring if each in self.alive)

    def waits_in(self, *phases: Phase) -> bool:
        """Whether a player's act is asked for, in one of these phases."""
        return needs(self.state).wait in (Wait.ACTION, Wait.HAND) and self.state.phase in phases

    def choices(self) -> Sequence[Any]:
        """The legal actions; all of them are the asked player's."""
        actions = [choice.action for choice in legal(self.state)]
        assert {action.player for action in actions} == {needs(self.state).player}
        return actions

    # ---- choosing ----

    @precondition(lambda self: self.waits_in(Phase.CHOOSE))
    @rule(data=st.data())
    def look(self, data: st.DataObject) -> None:
        """BS-13, BS-17: whose turn it is picks up any piece of the supply."""
        actions = self.choices()
        assert actions == [Take(self.on_turn, piece) for piece in self.state.supply]
        self.give(data.draw(st.sampled_from(actions)))

    @precondition(lambda self: self.waits_in(Phase.LOOK))
    @rule(way=st.sampled_from(["build", "build", "build", "push", "push", "back"]), data=st.data())
    def choose(self, way: str, data: st.DataObject) -> None:
        """BS-14, BS-18: a bid of 0 up to what there is, or a push."""
        name, most = self.on_turn, self.tokens[self.on_turn]
        builds = [Build(name, bid) for bid in range(most + 1)]
        assert self.choices() == [TakeBack(name), Push(name), *builds]
        if way == "back":
            self.give(TakeBack(name))
        elif way == "push":
            self.give(Push(name))
            self.price, self.placer = 1, self.after(name)
        else:
            self.highest = data.draw(st.integers(0, most) | st.integers(0, min(2, most)))
            self.give(Build(name, self.highest))
            at = self.names.index(name)
            ring = self.names[at + 1 :] + self.names[: at + 1]
            self.asked = [each for each in ring if each in self.alive]

    # ---- the auction ----

    @precondition(lambda self: self.waits_in(Phase.BID))
    @rule(passes=st.booleans(), data=st.data())
    def bid(self, passes: bool, data: st.DataObject) -> None:
        """BS-14, BS-15: the first in the queue passes and is gone, or bids more and goes to its end."""
        name = self.asked.pop(0)
        most = self.tokens[name]
        bids = [Bid(name, bid) for bid in range(self.highest + 1, most + 1)]
        assert self.choices() == [Pass(name), *bids]
        if passes or not bids:
            self.give(Pass(name))
            self.knock_down()
            return
        self.highest = data.draw(st.sampled_from(bids)).bid
        self.give(Bid(name, self.highest))
        self.asked.append(name)

    def knock_down(self) -> None:
        """BS-16: one is left in the queue: they pay and place."""
        if len(self.asked) == 1:
            self.placer = self.asked[0]
            self.tokens[self.placer] -= self.highest

    # ---- the push ----

    @precondition(lambda self: self.waits_in(Phase.RECEIVE))
    @rule(keeps=st.sampled_from([False, False, True]))
    def receive(self, keeps: bool) -> None:
        """BS-18: accept, or pay one token more than the one before."""
        name = self.placer
        can_pay = self.tokens[name] >= self.price
        assert self.choices() == [Accept(name), PassOn(name)][: 1 + can_pay]
        if keeps or not can_pay:
            self.give(Accept(name))
            return
        self.give(PassOn(name))
        self.tokens[name] -= self.price
        self.price += 1
        self.placer = self.after(name)

    # ---- placing ----

    @precondition(lambda self: self.waits_in(Phase.PLACE, Phase.CARRY))
    @rule()
    def place(self) -> None:
        """BS-04: the piece is taken up, then let go."""
        assert needs(self.state).player == self.placer
        if self.state.phase is Phase.PLACE:
            assert self.choices() == [Take(self.placer, self.state.piece)]
            self.give(Take(self.placer, self.state.piece))
        else:
            self.give(Released(self.state.step, self.state.piece))

    @precondition(lambda self: self.state.reason is None and self.state.phase is Phase.SETTLE)
    @rule()
    def lies(self) -> None:
        """BS-12, BS-17, BS-20: the piece lies."""
        self.give(Placed(self.state.step + 1, self.state.piece))
        if needs(self.state).wait is not Wait.REST:
            self.turn_is_over()

    def turn_is_over(self) -> None:
        """BS-17: an outbid player who is in chooses again, else the turn passes; BS-20: or it ends."""
        if not self.state.supply:
            return
        outbid = bool(self.asked) and self.placer != self.on_turn
        if not (outbid and self.on_turn in self.alive):
            self.on_turn = self.after(self.on_turn)
        self.asked, self.price, self.placer = [], 0, ""

    # ---- collapse ----

    @precondition(lambda self: self.state.reason is None and any(self.state.towers))
    @rule(data=st.data(), many=st.sampled_from([0, 0, 0, 1, 1, 2]))
    def fall(self, data: st.DataObject, many: int) -> None:
        """BS-08, BS-09, BS-19: towers fall at any time, though not at every chance."""
        if not many:
            return
        towers = self.state.towers
        close = [*towers[self.state.actor], *(towers[self.state.leader] if self.state.leader >= 0 else ())]
        pieces = close or [piece for tower in towers for piece in tower]
        if data.draw(st.booleans()):
            pieces = [piece for tower in towers for piece in tower]
        down = tuple(data.draw(st.lists(st.sampled_from(pieces), min_size=1, max_size=many, unique=True)))
        for piece in down:
            name = self.names[owner_of(self.state, piece)]
            if name in self.alive:
                self.alive.remove(name)
            self.tokens[name] = 0
        self.give(Fell(self.state.step + 1, down))
        over = outcome(self.state)
        assert (over is not None) == (len(self.alive) < 2)
        if over is not None and self.alive:
            assert over.winners == tuple(self.alive)

    @precondition(lambda self: needs(self.state).wait is Wait.REST and self.state.phase is not Phase.SETTLE)
    @rule()
    def rest(self) -> None:
        """BS-09: the pieces return; then play goes on from where it was, without those who are out."""
        self.give(Rested(self.state.step + 1, ()))
        if needs(self.state).wait is Wait.REST:
            return
        if self.price and not self.placer_is_known():
            self.placer = self.after(self.placer)
        elif self.asked and not self.placer:
            self.auction_goes_on()
        elif self.placer and (self.placer not in self.alive or self.state.phase is not Phase.CARRY):
            if self.state.phase not in (Phase.PLACE, Phase.RECEIVE):
                self.turn_is_over()
        elif not self.placer and self.on_turn not in self.alive:
            self.on_turn = self.after(self.on_turn)

    def placer_is_known(self) -> bool:
        """BS-18: the receiver is in, or the push is past receiving."""
        return self.placer in self.alive or self.state.phase is not Phase.RECEIVE

    def auction_goes_on(self) -> None:
        """BS-09: without its highest bidder an auction is void; other bidders are only missed."""
        if self.asked[-1] in self.alive:
            self.asked = [each for each in self.asked if each in self.alive]
            self.knock_down()
            return
        self.asked = []
        if self.on_turn not in self.alive:
            self.on_turn = self.after(self.on_turn)

    # ---- always ----

    @invariant()
    def accounts_agree(self) -> None:
        """BS-07, BS-16, BS-18: everyone has what the model says; the rest of the tokens is in the bank."""
        state = self.state
        assert faults(state) == ()
        assert state.tokens == tuple(self.tokens[name] for name in self.names)
        assert state.bank == 10 * len(self.names) - sum(self.tokens.values())
        assert all(
            (when == -1) == (name in self.alive) for name, when in zip(self.names, state.out, strict=True)
        )

    @invariant()
    def who_acts_agrees(self) -> None:
        """BS-12, BS-14, BS-18: the player who is asked is the one the model asks."""
        if not self.waits_in(Phase.CHOOSE, Phase.LOOK, Phase.BID, Phase.RECEIVE, Phase.PLACE, Phase.CARRY):
            return
        expected = self.on_turn
        if self.state.phase is Phase.BID:
            expected = self.asked[0]
        elif self.state.phase not in (Phase.CHOOSE, Phase.LOOK):
            expected = self.placer
        assert needs(self.state).player == expected

    @invariant()
    def ends_in_time(self) -> None:
        """BS-19, BS-20: over when one is left, or when the last piece lies; never before."""
        state = self.state
        placed_all = not state.supply and not state.piece and needs(state).wait is not Wait.REST
        assert (state.reason is not None) == (len(self.alive) < 2 or placed_all)

    @precondition(lambda self: self.state.reason is not None)
    @rule()
    def nothing_more(self) -> None:
        """A finished game has nothing legal."""
        assert legal(self.state) == ()


Bausack.TestCase.settings = settings(
    max_examples=120,
    stateful_step_count=100,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
)
TestBausack = Bausack.TestCase
