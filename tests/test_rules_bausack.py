"""Bausack, clause by clause: choosing, auctions, pushes, and the end of the supply.

What the hand does and how towers collapse is proved in `test_rules_bausack_collapse.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from faults_bausack import faults
from rules_bausack import LAB, NAMES
from rules_lab import count_leaves

from teeter.games.bausack.game import GAME
from teeter.games.bausack.rules import apply, legal, needs, outcome, scores, seen_by, start
from teeter.games.bausack.state import (
    IN,
    NOBODY,
    Accept,
    BausackReason,
    Bid,
    Build,
    House,
    Numbers,
    Pass,
    PassOn,
    Phase,
    Push,
    State,
    Stir,
    Stock,
    SupplyPiece,
    read_stock,
    said,
)
from teeter.games.core.codec import MisfitError
from teeter.games.core.errors import IllegalAction, MalformedAction, SetupError
from teeter.games.core.events import Condition, Fell, Measured, Placed, Question, Released, Rested
from teeter.games.core.rules import Action, Input, Need, Outcome, Take, TakeBack, Wait
from teeter.games.game import stock_of

STOCK: Stock = stock_of(GAME)


def position(*towers: str, supply: str = "egg bell cone", tokens: tuple[int, ...] = (), **more: Any) -> State:
    """A state by its interesting parts: a text for every player's tower, and what lies in the supply."""
    stacks = tuple(tuple(tower.split()) for tower in towers)
    ids = [*supply.split(), *(piece for stack in stacks for piece in stack)]
    ids += [more["piece"]] if "piece" in more else []
    stock = Stock(tuple(piece for piece in STOCK.pieces if piece.id in ids), STOCK.numbers)
    state = start(NAMES[: len(towers)], 1, {}, stock)
    left = tokens or state.tokens
    lying = tuple(piece.id for piece in stock.pieces if piece.id in supply.split())
    more = {"actor": more.get("turn", 0), **more}
    bank = sum(state.tokens) - sum(left)
    return replace(state, towers=stacks, supply=lying, tokens=left, bank=bank, **more)


def after(state: State, *inputs: Input) -> State:
    """The state after all these inputs; sound all the way."""
    for given in inputs:
        state = apply(state, given)
        assert faults(state) == ()
    return state


def lay(piece: str, player: str = "Ana", step: int = 1) -> tuple[Input, ...]:
    """The accepted piece taken up, let go, and lying well."""
    return Take(player, piece), Released(step, piece), Placed(step, piece)


def refusal(state: State, given: Input) -> str:
    """The full refusal of an illegal input."""
    with pytest.raises(IllegalAction) as caught:
        apply(state, given)
    return str(caught.value)


def actions(state: State) -> list[Action]:
    """The legal actions."""
    return [choice.action for choice in legal(state)]


def on_offer(*bids: int, tokens: tuple[int, ...] = (10, 10, 10)) -> State:
    """Ana, Ben and Cem; Ana has opened the auction of the egg, others have bid in turn (-1: passed)."""
    state = after(position("", "", "", tokens=tokens), Take("Ana", "egg"), Build("Ana", bids[0]))
    for bid in bids[1:]:
        player = NAMES[state.actor]
        state = apply(state, Pass(player) if bid < 0 else Bid(player, bid))
    return state


# ---- the box and the seats ----


def test_BS_01__seventy_pieces_ten_tokens() -> None:
    """BS-01: 70 pieces in the middle, eight of them bases; 10 tokens each; an area of 610 mm."""
    state = start(NAMES[:3], 1, {}, STOCK)
    assert len(state.supply) == len(set(state.supply)) == 70
    assert len([piece for piece in state.supply if piece.startswith("base_")]) == 8
    assert state.tokens == (10, 10, 10)
    assert state.bank == 0
    assert STOCK.numbers == Numbers(tokens=10, area_mm=610.0)
    assert state.towers == ((), (), ())
    assert (state.phase, state.stir, state.piece) == (Phase.CHOOSE, Stir.STILL, "")
    assert needs(state) == Need(Wait.ACTION, "Ana")


def test_BS_01__always_visible() -> None:
    """BS-01: tokens and all else are open to everyone."""
    state = on_offer(2)
    assert seen_by(state, "Cem") == state


def test_BS_01__fewer_pieces_drawn_by_lot() -> None:
    """BS-01: by option a few pieces are in play, drawn by the seed, in the order of the stock."""
    drawn = [start(NAMES[:2], seed, {"pieces": 5}, STOCK).supply for seed in range(40)]
    order = [piece.id for piece in STOCK.pieces]
    for supply in drawn:
        assert len(supply) == 5
        assert list(supply) == sorted(supply, key=order.index)
    assert len(set(drawn)) > 35
    assert len({piece for supply in drawn for piece in supply}) > 60
    assert drawn[3] == start(NAMES[:2], 3, {"pieces": "5"}, STOCK).supply
    assert len(start(NAMES[:2], 3, {"pieces": 70}, STOCK).supply) == 70
    with pytest.raises(SetupError, match="option pieces: 71 is not allowed; it takes a whole number from 0"):
        start(NAMES[:2], 1, {"pieces": 71}, STOCK)
    with pytest.raises(SetupError, match="there are no pieces to build with"):
        start(NAMES[:2], 1, {}, replace(STOCK, pieces=()))


def test_BS_01__the_catalogue() -> None:
    """BS-01: pieces and numbers are read from the tables; what other readers need is passed over."""
    tables = {"piece": [{"id": "egg", "material": "beech"}], "numbers": {"tokens": 3, "area_mm": 500}}
    assert read_stock(tables) == Stock((SupplyPiece("egg"),), Numbers(3, 500.0))
    assert read_stock({"piece": []}) == Stock((), Numbers(10, 610.0))
    with pytest.raises(MisfitError, match="numbers.tokens: 'ten' is not a whole number"):
        read_stock({"piece": [], "numbers": {"tokens": "ten"}})


@pytest.mark.parametrize(
    ("id", "words"),
    [
        ("base_1", "base 1"),
        ("egg_half", "the half egg"),
        ("t", "the T"),
        ("golf_tee", "the golf tee"),
        ("", ""),
    ],
)
def test_names_as_people_say_them(id: str, words: str) -> None:
    assert said(id) == words


@pytest.mark.parametrize("players", [0, 1, 9])
def test_BS_22__two_to_eight(players: int) -> None:
    """BS-22: 2 to 8 players."""
    with pytest.raises(SetupError, match=f"Bausack is for 2 to 8 players; {players} given"):
        start([f"P{number}" for number in range(players)], 1, {}, STOCK)
    for enough in (2, 8):
        assert len(start([f"P{number}" for number in range(enough)], 1, {}, STOCK).seats) == enough


@pytest.mark.parametrize(("first", "turn"), [("", 0), ("Cem", 2), ("2", 1)])
def test_BS_12__the_youngest_starts(first: str, turn: int) -> None:
    """BS-12, ALL-5: the first named starts, or who the option names; then clockwise, a piece a turn."""
    state = start(NAMES[:3], 1, {"first": first} if first else {}, STOCK)
    order = [state.turn]
    for piece in ("egg", "bell", "cone"):
        player = NAMES[state.turn]
        state = after(state, Take(player, piece), Build(player, 0))
        while state.phase is Phase.BID:
            state = apply(state, Pass(NAMES[state.actor]))
        state = after(state, *lay(piece, player))
        order.append(state.turn)
    assert order == [(turn + add) % 3 for add in range(4)]
    assert scores(state) == (1, 1, 1)


def test_BS_12__not_out_of_turn() -> None:
    """BS-12: only the player on turn chooses."""
    state = position("", "", "")
    assert refusal(state, Take("Ben", "egg")) == "BS-12: it is Ana's turn, not Ben's"
    looking = apply(state, Take("Ana", "egg"))
    assert refusal(looking, Build("Ben", 0)) == "BS-12: it is Ana's turn, not Ben's"


@pytest.mark.parametrize("gone", [1, 2])
def test_BS_12__those_out_are_skipped(gone: int) -> None:
    """BS-12, BS-19: the turn passes to the next player who is still in; a push goes to them too."""
    out = tuple(5 if seat == gone else IN for seat in range(3))
    tokens = tuple(0 if seat == gone else 10 for seat in range(3))
    state = position("", "", "", tokens=tokens, out=out, turn=(gone - 1) % 3, step=5)
    me, other = NAMES[state.turn], NAMES[(gone + 1) % 3]
    pushed = after(state, Take(me, "egg"), Push(me))
    assert NAMES[pushed.actor] == other
    built = after(state, Take(me, "egg"), Build(me, 0), Pass(other), *lay("egg", me, 6))
    assert NAMES[built.turn] == other
    assert refusal(state, Take(NAMES[gone], "egg")) == f"BS-09: {NAMES[gone]} is out of the game"


# ---- choosing ----


def test_BS_13__pick_up_and_look() -> None:
    """BS-13: any piece of the supply may be picked up and put back; the bid or the Push chooses it."""
    state = position("cube", "", supply="egg bell")
    assert actions(state) == [Take("Ana", "egg"), Take("Ana", "bell")]
    looking = after(state, Take("Ana", "egg"))
    assert (looking.phase, looking.piece, looking.supply) == (Phase.LOOK, "egg", ("bell",))
    assert needs(looking) == Need(Wait.ACTION, "Ana", ("egg",))
    assert actions(looking) == [TakeBack("Ana"), Push("Ana"), *[Build("Ana", bid) for bid in range(11)]]
    assert after(looking, TakeBack("Ana")) == state
    assert after(looking, Released(0, "egg")) == state
    assert after(looking, TakeBack("Ana"), Take("Ana", "bell")).piece == "bell"
    for chosen in (after(looking, Build("Ana", 0)), after(looking, Push("Ana"))):
        assert (chosen.piece, chosen.actor) == ("egg", 1)
    first = "BS-13: a piece of the supply is picked up first"
    for action in (Build("Ana", 0), Push("Ana"), Bid("Ana", 1), Pass("Ana"), Accept("Ana"), PassOn("Ana")):
        assert refusal(state, action) == first
    choose = "BS-13: the piece in the hand is put up for auction, pushed, or put back"
    for action in (Bid("Ana", 1), Pass("Ana"), Accept("Ana"), PassOn("Ana")):
        assert refusal(looking, action) == choose


def test_ALL_1__one_piece_in_the_hand() -> None:
    """ALL-1, BS-13: one piece is looked at after the other."""
    looking = after(position("", ""), Take("Ana", "egg"))
    assert (
        refusal(looking, Take("Ana", "bell")) == "ALL-1: one hand holds one piece at a time; it holds the egg"
    )


def test_BS_13__only_when_choosing() -> None:
    """BS-13: no other piece is picked up in an auction, a push, or before the accepted piece is placed."""
    looking = after(position("", ""), Take("Ana", "egg"))
    bidding, pushed = after(looking, Build("Ana", 0)), after(looking, Push("Ana"))
    assert refusal(bidding, Take("Ben", "bell")) == "BS-14: an auction is on: bid more, or pass"
    assert refusal(pushed, Take("Ben", "bell")) == "BS-18: a pushed piece is accepted or passed on"
    assert refusal(bidding, Take("Ben", "egg")) == "BS-14: an auction is on: bid more, or pass"
    assert refusal(pushed, Take("Ben", "egg")) == "BS-18: a pushed piece is accepted or passed on"
    placing = after(bidding, Pass("Ben"))
    waits = "BS-04: the accepted piece must be placed before play goes on"
    assert refusal(placing, Take("Ana", "bell")) == waits
    assert refusal(placing, Build("Ana", 0)) == waits
    carrying = apply(placing, Take("Ana", "egg"))
    assert refusal(carrying, Push("Ana")) == waits
    with pytest.raises(MalformedAction, match="unknown piece 'eg'; did you mean 'egg'"):
        apply(position("", ""), Take("Ana", "eg"))


# ---- Build ----


@pytest.mark.parametrize("tokens", [10, 3, 0])
def test_BS_14__opening_bid(tokens: int) -> None:
    """BS-14: the player on turn opens with 0 up to what they have."""
    state = after(position("", "", tokens=(tokens, 10)), Take("Ana", "egg"))
    assert [action for action in actions(state) if isinstance(action, Build)] == [
        Build("Ana", bid) for bid in range(tokens + 1)
    ]
    for bid in (-1, tokens + 1):
        said_no = f"BS-14: Ana may open with a bid of 0 to {tokens}, not {bid}"
        assert refusal(state, Build("Ana", bid)) == said_no
    for bid in (0, tokens):
        opened = after(state, Build("Ana", bid))
        assert (opened.phase, opened.bid, opened.leader, opened.actor) == (Phase.BID, bid, 0, 1)
        assert opened.tokens == (tokens, 10)


@pytest.mark.parametrize(("bid", "has", "bids"), [(0, 10, 10), (4, 6, 2), (4, 5, 1), (4, 4, 0), (4, 0, 0)])
def test_BS_14__pass_or_bid_more(bid: int, has: int, bids: int) -> None:
    """BS-14: clockwise, everyone passes or bids more than the last, up to the tokens they have."""
    state = on_offer(bid, tokens=(10, has, 10))
    assert actions(state) == [Pass("Ben"), *[Bid("Ben", bid + more) for more in range(1, bids + 1)]]
    for low in (-1, bid - 1, bid):
        assert refusal(state, Bid("Ben", low)) == f"BS-14: the bid is {bid}; bid more, or pass"
    much = max(has, bid) + 1
    assert refusal(state, Bid("Ben", much)) == f"BS-14: Ben has {has} tokens and cannot bid {much}"
    assert refusal(state, Bid("Cem", 9)) == "BS-14: it is Ben's turn, not Cem's"
    on = "BS-14: an auction is on: bid more, or pass"
    for action in (Build("Ben", 9), Push("Ben"), Accept("Ben"), PassOn("Ben")):
        assert refusal(state, action) == on


@pytest.mark.parametrize(
    ("bids", "actor", "leader", "bid"),
    [
        ((0,), 1, 0, 0),
        ((0, 2), 2, 1, 2),
        ((0, -1), 2, 0, 0),
        ((0, 2, 5), 0, 2, 5),
        ((0, 2, 5, 6), 1, 0, 6),
        ((0, -1, 5), 0, 2, 5),
        ((0, -1, 5, 6), 2, 0, 6),
        ((0, 2, -1, 3), 1, 0, 3),
        ((0, 2, 3, -1, 4), 2, 1, 4),
    ],
)
def test_BS_14__round_and_round(bids: tuple[int, ...], actor: int, leader: int, bid: int) -> None:
    """BS-14, BS-15: clockwise, the opener included, without those who passed, and as often as it takes."""
    state = on_offer(*bids)
    assert (state.phase, state.actor, state.leader, state.bid) == (Phase.BID, actor, leader, bid)
    assert state.tokens == (10, 10, 10)


@pytest.mark.parametrize(
    ("bids", "winner", "price"),
    [
        ((0, -1, -1), 0, 0),
        ((4, -1, -1), 0, 4),
        ((0, 1, -1, -1), 1, 1),
        ((0, -1, 10, -1), 2, 10),
        ((0, 2, 3, -1, -1), 2, 3),
        ((0, -1, 5, 6, -1), 0, 6),
        ((0, 1, 2, 3, 4, 5, -1, -1), 2, 5),
    ],
)
def test_BS_16__the_highest_pays_and_places(bids: tuple[int, ...], winner: int, price: int) -> None:
    """BS-14, BS-16: when all others have passed the highest bidder pays the bank and places at once."""
    state = on_offer(*bids)
    assert (state.phase, state.actor, state.piece) == (Phase.PLACE, winner, "egg")
    assert state.tokens == tuple(10 - price if seat == winner else 10 for seat in range(3))
    assert state.bank == price
    assert (state.passed, state.bid) == ((), 0)
    name = NAMES[winner]
    assert actions(state) == [Take(name, "egg")]
    assert refusal(state, Take(NAMES[(winner + 1) % 3], "bell")).startswith("BS-04: it is ")


def test_BS_15__passed_is_out_of_this_auction() -> None:
    """BS-15: who has passed bids no more for this piece; in the next auction they bid again."""
    state = on_offer(0, -1, 2)
    for action in (Bid("Ben", 5), Pass("Ben"), Take("Ben", "bell")):
        assert refusal(state, action) == "BS-15: Ben has passed and is out of this auction"
    done = after(state, Pass("Ana"), *lay("egg", "Cem"))
    again = after(done, Take("Ana", "bell"), Build("Ana", 0))
    assert (again.passed, again.actor) == ((), 1)
    assert Bid("Ben", 5) in actions(again)


def test_BS_07__tokens_are_never_gained() -> None:
    """BS-07: what is paid goes to the bank, and a piece given up pays nothing back."""
    state = after(on_offer(0, 4, -1, -1), *lay("egg", "Ben"))
    assert (state.tokens, state.bank) == ((10, 6, 10), 4)
    assert (outcome(state), state.winners) == (None, ())


def test_BS_17__outbid_chooses_again() -> None:
    """BS-17: the player on turn who was outbid chooses again when the other has placed: Build or Push."""
    placed = after(on_offer(0, 2, -1, -1), *lay("egg", "Ben"))
    assert (placed.turn, placed.actor, placed.phase) == (0, 0, Phase.CHOOSE)
    assert (placed.leader, placed.bid, placed.piece) == (NOBODY, 0, "")
    assert actions(placed) == [Take("Ana", "cone"), Take("Ana", "bell")]
    twice = after(placed, Take("Ana", "bell"), Build("Ana", 0), Pass("Ben"), Bid("Cem", 1), Pass("Ana"))
    again = after(twice, *lay("bell", "Cem"))
    assert (again.turn, again.actor) == (0, 0)
    pushed = after(again, Take("Ana", "cone"), Push("Ana"), Accept("Ben"), *lay("cone", "Ben")[:2])
    assert pushed.turn == 0


def test_BS_17__not_outbid_the_turn_passes() -> None:
    """BS-17, BS-12: who gets the own auction's piece, even after bidding on, has had the turn."""
    assert after(on_offer(0, -1, 5, 6, -1), *lay("egg")).turn == 1
    assert after(on_offer(0, -1, -1), *lay("egg")).turn == 1


def test_BS_17__after_a_push_the_turn_passes() -> None:
    """BS-17, BS-18: a push is over when the piece is placed, whoever placed it; the next turn follows."""
    for receivers in (1, 2, 3):
        state = after(position("", "", ""), Take("Ana", "egg"), Push("Ana"))
        for seat in range(1, receivers):
            state = after(state, PassOn(NAMES[seat]))
        taker = NAMES[state.actor]
        assert after(state, Accept(taker), *lay("egg", taker)).turn == 1


def test_BS_17__no_piece_left() -> None:
    """BS-17, BS-20: an outbid player finds the supply empty: the game ends."""
    state = after(position("cube", "tile", supply="egg"), Take("Ana", "egg"), Build("Ana", 0), Bid("Ben", 1))
    done = after(state, Pass("Ana"), *lay("egg", "Ben"))
    assert outcome(done) == Outcome(("Ana", "Ben"), BausackReason.ALL_PLACED)


# ---- Push ----


def test_BS_18__accept_or_pay_and_pass_on() -> None:
    """BS-18: the next player accepts, or pays 1; the one after pays 2, and so on, round and round."""
    state = after(position("", "", ""), Take("Ana", "egg"), Push("Ana"))
    paid = [0, 0, 0]
    for price in range(1, 8):
        seat = price % 3
        name = NAMES[seat]
        assert (state.phase, state.actor, state.price) == (Phase.RECEIVE, seat, price)
        assert needs(state) == Need(Wait.ACTION, name)
        if paid[seat] + price > 10:
            assert actions(state) == [Accept(name)]
            break
        assert actions(state) == [Accept(name), PassOn(name)]
        taken = after(state, Accept(name))
        assert (taken.phase, taken.actor, taken.piece, taken.price) == (Phase.PLACE, seat, "egg", 0)
        assert (taken.tokens, taken.leader) == (state.tokens, NOBODY)
        state = after(state, PassOn(name))
        paid[seat] += price
        assert state.tokens == tuple(10 - each for each in paid)
        assert state.bank == sum(paid)
    assert price == 7


@pytest.mark.parametrize(("tokens", "can"), [(0, False), (1, False), (2, True), (3, True)])
def test_BS_18__who_cannot_pay_accepts(tokens: int, can: bool) -> None:
    """BS-18: the price must be paid in full; the pusher is treated alike when it comes round."""
    state = after(position("", "", tokens=(tokens, 5)), Take("Ana", "egg"), Push("Ana"), PassOn("Ben"))
    assert (NAMES[state.actor], state.price) == ("Ana", 2)
    assert (PassOn("Ana") in actions(state)) == can
    if can:
        assert after(state, PassOn("Ana")).tokens == (tokens - 2, 4)
    else:
        assert refusal(state, PassOn("Ana")) == f"BS-18: passing on costs 2, Ana has {tokens} and accepts"
    placed = after(state, Accept("Ana"), *lay("egg"))
    assert (placed.towers, placed.turn) == ((("egg",), ()), 1)


def test_BS_18__only_the_receiver() -> None:
    """BS-18: the one the piece has come to decides, and nothing else goes on."""
    state = after(position("", "", ""), Take("Ana", "egg"), Push("Ana"))
    assert refusal(state, Accept("Cem")) == "BS-18: it is Ben's turn, not Cem's"
    for action in (Build("Ben", 0), Push("Ben"), Bid("Ben", 1), Pass("Ben")):
        assert refusal(state, action) == "BS-18: a pushed piece is accepted or passed on"


# ---- the end of the supply ----


def test_BS_20__all_placed_is_a_draw() -> None:
    """BS-20: all pieces placed and more than one player left: a draw of those who are left."""
    state = position("cube", "", "", supply="egg bell", tokens=(10, 10, 0), out=(IN, IN, 4), step=4)
    one = after(state, Take("Ana", "egg"), Push("Ana"), Accept("Ben"), *lay("egg", "Ben", 5))
    assert outcome(one) is None
    two = after(one, Take("Ben", "bell"), Build("Ben", 0), Pass("Ana"), *lay("bell", "Ben", 6))
    assert outcome(two) == Outcome(("Ana", "Ben"), BausackReason.ALL_PLACED)
    assert two.reason is not None
    assert two.reason.clause == "BS-20"
    assert needs(two).wait is Wait.OVER
    assert legal(two) == ()
    assert refusal(two, Take("Ana", "egg")).startswith("BS-20: the game is over: all pieces are placed")


def test_BS_20__not_while_a_piece_is_in_play() -> None:
    """BS-20: judged when the last piece rests, not when the supply is empty."""
    state = after(position("cube", "tile", supply="egg"), Take("Ana", "egg"), Build("Ana", 0), Pass("Ben"))
    assert state.supply == ()
    assert outcome(state) is None
    let_go = after(state, Take("Ana", "egg"), Released(3, "egg"))
    assert outcome(let_go) is None
    assert outcome(after(let_go, Fell(4, ("egg",)))) == Outcome(("Ben",), BausackReason.LAST_STANDING)


def test_BS_20__returned_pieces_go_on() -> None:
    """BS-20, BS-09: when the last piece's chain fells a tower, its pieces come back and play goes on."""
    state = position("cube", "tile ball", "step", supply="egg")
    let_go = after(
        state, Take("Ana", "egg"), Build("Ana", 0), Pass("Ben"), Pass("Cem"), *lay("egg", step=3)[:2]
    )
    fallen = after(let_go, Fell(3, ("ball",)), Placed(4, "egg"))
    assert (fallen.supply, fallen.phase, outcome(fallen)) == (("tile", "ball"), Phase.DONE, None)
    on = after(fallen, Rested(5, ()))
    assert (NAMES[on.turn], on.phase) == ("Cem", Phase.CHOOSE)


# ---- the height measurer ----

LAST = after(
    replace(position("cube", "", "ball", supply="egg"), house=House(tallest=True)),
    Take("Ana", "egg"),
    Push("Ana"),
    Accept("Ben"),
    *lay("egg", "Ben"),
)


def test_BS_21__the_tallest_wins() -> None:
    """BS-21: by option the tallest standing tower wins when all pieces are placed."""
    assert needs(LAST) == Need(Wait.ANSWER, "Ben", question=Question.HOW_TALL)
    assert (LAST.phase, legal(LAST), outcome(LAST)) == (Phase.MEASURE, (), None)
    assert refusal(LAST, Take("Ben", "egg")) == "ALL-2: the referee has yet to answer"
    for heights, winners in (
        ((15.0, 45.0, 30.0), ("Ben",)),
        ((46.0, 45.4, 30.0), ("Ana",)),
        ((15.032, 15.016, 14.4), ("Ana", "Ben")),
        ((45.0, 30.0, 45.0), ("Ana", "Cem")),
    ):
        won = apply(LAST, Measured(2, heights))
        assert outcome(won) == Outcome(winners, BausackReason.TALLEST)
        assert faults(won) == ()


def test_BS_21__only_standing_towers() -> None:
    """BS-21: who is out does not win, whatever the measurer says."""
    state = replace(
        LAST, towers=(("cube", "ball"), ("egg",), ()), out=(IN, IN, 0), tokens=(10, 10, 0), bank=10
    )
    assert faults(state) == ()
    assert outcome(apply(state, Measured(2, (30.0, 15.0, 99.0)))) == Outcome(("Ana",), BausackReason.TALLEST)


def test_BS_21__heights_and_their_best() -> None:
    """BS-21: every reading is kept, with the best so far; before the end of the supply it decides nothing."""
    state = position("cube", "ball", house=House(tallest=True))
    read = after(state, Measured(3, (15.0, 30.0)), Measured(9, (20.0, 10.0)))
    assert (read.heights_mm, read.best_mm, read.step) == ((20.0, 10.0), (20.0, 30.0), 9)
    assert outcome(read) is None
    for heights in ((1.0,), (1.0, 2.0, 3.0), (1.0, -0.1)):
        with pytest.raises(MalformedAction, match="heights are one number from 0 for each of 2 seats"):
            apply(state, Measured(3, heights))


def test_BS_21__a_tower_falls_before_the_reading() -> None:
    """BS-21, BS-09: a tower falls while it is measured: its pieces come back and the game goes on."""
    fallen = after(LAST, Fell(2, ("ball",)))
    read = after(fallen, Measured(2, (15.0, 15.0, 0.0)))
    assert outcome(read) is None
    on = after(read, Rested(3, ()), Rested(4, ()))
    assert (on.phase, on.supply, NAMES[on.turn]) == (Phase.CHOOSE, ("ball",), "Ben")


def test_BS_21__without_the_option_a_draw() -> None:
    """BS-21, BS-20: heights alone decide nothing."""
    state = position("cube", "ball", supply="egg", heights_mm=(15.0, 40.0), best_mm=(15.0, 40.0))
    done = after(state, Take("Ana", "egg"), Push("Ana"), Accept("Ben"), *lay("egg", "Ben"))
    assert outcome(done) == Outcome(("Ana", "Ben"), BausackReason.ALL_PLACED)


# ---- saves ----

SOUND = position("cube tile", "ball", supply="egg bell")
BIDDING = on_offer(2, 3)
GONE = replace(SOUND, towers=(("cube", "tile"), ()), out=(IN, 4), tokens=(10, 0), bank=10)
THREE = position("cube", "", "ball", out=(IN, 4, IN), tokens=(10, 0, 10))


@pytest.mark.parametrize(
    ("state", "fault"),
    [
        (replace(SOUND, seats=SOUND.seats[:1]), "1 seats"),
        (replace(SOUND, seats=SOUND.seats * 5), "10 seats"),
        (replace(SOUND, tokens=(10, 10, 0)), "tokens for 3 of 2 seats"),
        (replace(SOUND, towers=((),)), "towers for 1 of 2 seats"),
        (replace(SOUND, out=(IN,)), "out for 1 of 2 seats"),
        (replace(SOUND, heights_mm=()), "heights_mm for 0 of 2 seats"),
        (replace(SOUND, best_mm=()), "best_mm for 0 of 2 seats"),
        (replace(SOUND, turn=2), "turn 2 is no seat"),
        (replace(SOUND, turn=-1), "turn -1 is no seat"),
        (replace(SOUND, actor=-1), "actor -1 is no seat"),
        (replace(SOUND, leader=2), "leader 2 is no seat"),
        (replace(SOUND, leader=-2), "leader -2 is no seat"),
        (replace(SOUND, supply=("egg",)), "pieces lost or doubled: {'bell': 1}"),
        (replace(SOUND, supply=("egg", "bell", "cube")), "pieces lost or doubled: {'cube': 1}"),
        (replace(SOUND, tokens=(9, 10)), "19 tokens instead of 20"),
        (replace(SOUND, tokens=(-1, 21)), "tokens below zero"),
        (replace(SOUND, tokens=(11, 10), bank=-1), "tokens below zero"),
        (replace(THREE, tokens=(10, 1, 9)), "a player who is out has tokens"),
        (replace(THREE, towers=(("cube",), ("ball",), ())), "1 fallen towers, STILL"),
        (replace(THREE, stir=Stir.FALLING), "0 fallen towers, FALLING"),
        (replace(SOUND, heights_mm=(-1.0, 0.0)), "a height below zero"),
        (replace(SOUND, best_mm=(-1.0, 0.0)), "a height below zero"),
        (replace(SOUND, piece="egg", supply=("bell",)), "'egg' in phase CHOOSE"),
        (replace(SOUND, phase=Phase.LOOK), "'' in phase LOOK"),
        (GONE, "the game goes on with one player left"),
        (replace(THREE, turn=1, actor=1), "a player who is out is to act"),
        (replace(SOUND, phase=Phase.DONE), "nothing is waited for"),
        (
            replace(SOUND, supply=(), towers=(("cube", "tile", "egg"), ("ball", "bell"))),
            "nothing to choose from",
        ),
        (replace(SOUND, phase=Phase.MEASURE), "measured before the end"),
        (replace(SOUND, phase=Phase.MEASURE, house=House(tallest=True)), "measured before the end"),
        (replace(LAST, house=House()), "measured before the end"),
        (replace(SOUND, actor=1), "another than the player on turn chooses"),
        (replace(SOUND, leader=1), "a highest bidder without an auction"),
        (replace(BIDDING, leader=NOBODY), "nobody leads the auction"),
        (replace(BIDDING, leader=2), "nobody leads the auction, or bids on alone"),
        (replace(BIDDING, bid=11), "a bid of more than there is"),
        (replace(BIDDING, passed=(2,)), "one who has passed bids on"),
        (replace(BIDDING, passed=(1,)), "one who has passed bids on"),
        (replace(SOUND, passed=(1,)), "someone passed without an auction"),
        (replace(BIDDING, passed=(3,)), "someone without a seat passed"),
        (replace(SOUND, bid=1), "a bid of 1 in CHOOSE"),
        (replace(BIDDING, bid=-1), "a bid of -1 in BID"),
        (replace(SOUND, price=1), "price 1 in CHOOSE"),
        (replace(SOUND, met=True), "met in phase CHOOSE"),
        (replace(SOUND, winners=("Ana",)), "winners and reason do not agree"),
        (replace(SOUND, reason=BausackReason.ALL_PLACED), "winners and reason do not agree"),
        (replace(SOUND, reason=BausackReason.ALL_PLACED, winners=("Zoe",)), "a winner without a seat"),
    ],
)
def test_ALL_7__faults(state: State, fault: str) -> None:
    """ALL-7: a broken state is told everything that is wrong."""
    assert [each for each in faults(state) if each.startswith(fault)], faults(state)


def test_sound_states_have_no_faults() -> None:
    eight = start(NAMES, 1, {}, STOCK)
    for state in (
        SOUND,
        BIDDING,
        THREE,
        LAST,
        eight,
        replace(BIDDING, bid=10),
        replace(BIDDING, passed=(0,)),
    ):
        assert faults(state) == ()


@pytest.mark.parametrize(
    "kind",
    [State, SupplyPiece, Numbers, Stock, House, Build, Push, Bid, Pass, Accept, PassOn],
    ids=lambda kind: kind.__name__,
)
def test_values_are_frozen(kind: Any) -> None:
    """No input changes a state that someone else still holds: every value is frozen, and has its fields only."""
    assert kind.__dataclass_params__.frozen
    assert "__slots__" in vars(kind)


# ---- counts ----


def test_BS_14__perft_of_a_small_start() -> None:
    """BS-14, BS-18: legal sequences of two players with a token each and one piece, counted by hand as well.

    Take 1; put back, push, build 0, build 1: 4; take; accept, pass on; pass, bid 1; pass: 6. Then the same 4
    again after the second take and one choice after each of the five others: 9, and so on: 6 + 5, 9 + 5.
    """
    stock = Stock((SupplyPiece("egg"),), Numbers(1, 610.0))
    state = start(("Ana", "Ben"), 1, {}, stock)
    assert [count_leaves(LAB, state, depth) for depth in range(7)] == [1, 1, 4, 6, 9, 11, 14]


def auctions(state: State) -> Iterator[State]:
    """All ends of the auction that is on."""
    if state.phase is Phase.PLACE:
        yield state
        return
    for action in actions(state):
        yield from auctions(apply(state, action))


@pytest.mark.parametrize("tokens", range(5))
def test_BS_14__perft_of_auctions_of_two(tokens: int) -> None:
    """BS-14: between two an auction is a rising run of bids: a subset of 0..n but the empty one."""
    looking = after(position("", "", tokens=(tokens, tokens)), Take("Ana", "egg"))
    ends = [end for bid in range(tokens + 1) for end in auctions(apply(looking, Build("Ana", bid)))]
    assert len(ends) == 2 ** (tokens + 1) - 1
    assert all(20 - sum(end.tokens) == end.bank for end in ends)


def rising(tokens: tuple[int, ...], bidders: tuple[int, ...], bid: int) -> int:
    """How many auctions there are from here, in words of its own: bidders in order, the leader last."""
    if len(bidders) == 1:
        return 1
    first, *rest = bidders
    more = [rising(tokens, (*rest, first), higher) for higher in range(bid + 1, tokens[first] + 1)]
    return rising(tokens, tuple(rest), bid) + sum(more)


@pytest.mark.parametrize("tokens", [(2, 2, 2), (3, 1, 2), (0, 2, 3), (1, 0, 1, 2), (3, 2, 3, 1)])
def test_BS_14__perft_of_auctions_of_more(tokens: tuple[int, ...]) -> None:
    """BS-14, BS-15: the auction tree of three and four players, against a count in other words."""
    looking = after(position(*[""] * len(tokens), tokens=tokens), Take("Ana", "egg"))
    opened = [apply(looking, Build("Ana", bid)) for bid in range(tokens[0] + 1)]
    order = (*range(1, len(tokens)), 0)
    assert [len(list(auctions(state))) for state in opened] == [
        rising(tokens, order, bid) for bid in range(tokens[0] + 1)
    ]


def test_conditions_come_with_the_choice() -> None:
    """BS-02, BS-03: the choice to take a piece says how it will have to lie."""
    first = on_offer(0, -1, -1)
    assert legal(first)[0].conditions == (Condition.IN_OWN_AREA, Condition.CLEAR_OF_OTHER_TOWERS)
