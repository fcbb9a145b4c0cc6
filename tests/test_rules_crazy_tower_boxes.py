"""Crazy Tower, clause by clause: the special boxes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from faults_crazy_tower import faults
from rules_crazy_tower import FIRST, STOCK, actions, after, lay, position, refusal

from teeter.games.core.errors import MalformedAction
from teeter.games.core.events import Fell, Met, Placed, Released, Removed, Rested
from teeter.games.core.rules import Need, Take, TakeBack, Wait
from teeter.games.crazy_tower.rules import apply, legal, needs, tell
from teeter.games.crazy_tower.rules_allowed import said
from teeter.games.crazy_tower.rules_laying import ordered
from teeter.games.crazy_tower.state import (
    COMPETITIVE,
    SOLO,
    CrazyReason,
    Decline,
    Floor,
    HandPhase,
    NothingFits,
    Pull,
    RevealCard,
    Sort,
    State,
    Swap,
    TurnStage,
    boxes_of,
)

REMOVE, AGAIN, EXCHANGE = "card_04", "card_10", "card_16"
"""A card with a box of each sort."""


def box(card: str) -> str:
    """The special box of a card."""
    boxes = boxes_of(next(each for each in STOCK.cards if each.id == card))
    return next(name for name, sort in boxes.items() if sort not in (Sort.WHITE, Sort.RED))


def covered(card: str, lower: str = "red_i3 green_i3 yellow_i3", *hands: str | None, **more: object) -> State:
    """Ana has laid red_i1 on the box of the upper of two floors."""
    state = position(f"{FIRST} {lower} / {card}", *hands, **more)  # type: ignore[arg-type]
    return after(state, *lay("red_i1", box(card)))


def test_CT_05__remove() -> None:
    """CT-05: any block of a lower floor, own ones too, or none; nothing else may be done."""
    state = covered(REMOVE)
    assert (state.turn, state.stage, state.boxes) == (0, TurnStage.BOXES, (Sort.REMOVE,))
    assert actions(state) == [Pull("Ana", f"{c}_i3") for c in ("red", "green", "yellow")] + [Decline("Ana")]
    assert [choice.sentence for choice in legal(state)][-2:] == [
        "pull the yellow bar out",
        "leave all blocks where they are",
    ]
    acts_first = "CT-05: the remove box acts first"
    assert refusal(state, Take("Ana", "red_i3")) == acts_first
    assert refusal(state, RevealCard("Ana")) == "CT-10: a card is revealed at the beginning of a turn"
    assert refusal(state, NothingFits("Ana")) == "CT-10: no block is due to be laid now"
    assert refusal(state, Swap("Ana", "red_o4", "green_o4")) == "CT-07: no exchange box is covered"


@pytest.mark.parametrize("piece", ["red_i1", "red_o4", REMOVE])
def test_CT_05__lower_floors_only(piece: str) -> None:
    """CT-05: not a block of the highest floor, not an unplayed one, not a card."""
    assert (
        refusal(covered(REMOVE), Pull("Ana", piece)) == f"CT-05: {said(piece)} does not lie on a lower floor"
    )
    with pytest.raises(MalformedAction, match="unknown piece 'hat'"):
        apply(covered(REMOVE), Pull("Ana", "hat"))
    three = position(f"{FIRST} green_i1 / card_02 yellow_i1 / {REMOVE} red_i1", boxes=(Sort.REMOVE,))
    three = replace(three, stage=TurnStage.BOXES)
    assert [action.piece for action in actions(three) if isinstance(action, Pull)] == [
        "green_i1",
        "yellow_i1",
    ]
    assert apply(three, Pull("Ana", "yellow_i1")).held == "yellow_i1"
    assert refusal(three, Pull("Ana", "red_i1")) == "CT-05: the red cube does not lie on a lower floor"


def test_CT_05__the_hand_pulls() -> None:
    """CT-05: the block comes out, goes to its player, the tower comes to rest, and the turn is over."""
    state = apply(covered(REMOVE), Pull("Ana", "green_i3"))
    assert needs(state) == Need(Wait.PULL, "Ana", ("green_i3",))
    assert (
        refusal(state, TakeBack("Ana"))
        == "ALL-6: the green bar has touched another piece and can no longer be taken back"
    )
    one = "ALL-1: one hand holds one piece at a time; it holds the green bar"
    assert refusal(state, Pull("Ana", "yellow_i3")) == one
    with pytest.raises(MalformedAction, match="'red_i3' is not the block being pulled, 'green_i3' is"):
        apply(state, Removed(2, "red_i3"))
    out = after(state, Met(1, "green_i3", "red_i3"), Removed(2, "green_i3"))
    assert needs(out) == Need(Wait.REST, "Ana")
    assert out.floors[0] == Floor(FIRST, ("red_i3", "yellow_i3"))
    assert out.hands[2][-1] == "green_i3"
    assert (out.held, out.met, out.boxes) == ("", False, ())
    done = apply(out, Rested(3, ()))
    assert (done.turn, done.stage, done.hand) == (1, TurnStage.CHOOSE, HandPhase.FREE)


def test_CT_05__to_the_player_of_its_colour() -> None:
    """CT-05: to the one who chose the colour, even if the block had been swapped and laid by another."""
    state = covered(REMOVE, "green_i3", "red_i1 green_o4", "red_i3 yellow_i1", players=2)
    assert state.colours == (("red", "yellow"), ("green", "purple"))
    for lower, owner in (("yellow_i3", 0), ("green_i3", 1)):
        floors = (Floor(FIRST, (lower,)), *state.floors[1:])
        out = after(replace(state, floors=floors), Pull("Ana", lower), Removed(1, lower))
        assert lower in out.hands[owner]
        assert lower not in out.hands[1 - owner]


@pytest.mark.parametrize("is_out", [True, False], ids=["as all comes to rest", "as it slips out"])
def test_CT_05__what_brought_the_tower_down_counts_for_nobody(is_out: bool) -> None:
    """CT-05, CT-22: Cem chose green; a green bar that Ana pulls out as the tower falls does not count against him."""
    state = covered(REMOVE)
    before = apply(state, Pull("Ana", "green_i3"))
    if is_out:
        before = apply(before, Removed(2, "green_i3"))
        assert before.hands[2][-1] == "green_i3"
    crash = Fell(
        3, tuple(sorted({state.floors[1].card, *state.floors[1].blocks, *(() if is_out else ("green_i3",))}))
    )
    end = apply(before, crash)
    assert (end.reason, "Ana" in end.winners) == (CrazyReason.COLLAPSE, False)
    assert all("green_i3" not in hand for hand in end.hands)
    assert end.hands[2] == state.hands[2]
    assert [each.piece for each in end.fallen].count("green_i3") == 1
    assert faults(end) == ()
    told = tell(before, crash, end)
    assert "The green bar counts for nobody: pulling it brought the tower down." in told


def test_CT_05__a_later_collapse_takes_nothing_back() -> None:
    """CT-05: once all is at rest the block is given back for good."""
    state = covered(REMOVE)
    calm = after(state, Pull("Ana", "green_i3"), Removed(2, "green_i3"), Rested(3, ()))
    end = apply(calm, Fell(4, tuple(sorted((state.floors[1].card, *state.floors[1].blocks)))))
    assert end.reason is CrazyReason.COLLAPSE
    assert end.hands[2][-1] == "green_i3"


def test_CT_05__declined() -> None:
    """CT-05: it may be declined, until the block is out; a tower that was pulled at comes to rest first."""
    state = covered(REMOVE)
    assert apply(state, Decline("Ana")).turn == 1
    pulling = apply(state, Pull("Ana", "green_i3"))
    assert actions(pulling) == [Decline("Ana")]
    assert legal(pulling)[0].sentence == "leave the green bar in the tower"
    left = apply(pulling, Decline("Ana"))
    assert needs(left) == Need(Wait.REST, "Ana")
    assert (left.held, left.met, left.floors) == ("", False, state.floors)
    assert apply(left, Rested(1, ())).turn == 1
    assert refusal(position(), Decline("Ana")) == "CT-05: no remove box is covered"


def test_CT_05__lapses() -> None:
    """CT-05: no block on a lower floor: the box lapses."""
    assert covered(REMOVE, "").turn == 1
    first = position("card_04")
    assert after(first, *lay("red_i1", box("card_04"))).turn == 1


def test_CT_06__play_again() -> None:
    """CT-06: another full turn at once, A or B; and once more if it covers again."""
    state = covered(AGAIN, players=2)
    assert (state.turn, state.stage, state.boxes) == (0, TurnStage.CHOOSE, ())
    assert RevealCard("Ana") in actions(state)
    assert after(state, *lay("yellow_i1")).turn == 1
    again = after(state, *lay("yellow_i1", box(AGAIN)))
    assert (again.turn, again.stage) == (0, TurnStage.CHOOSE)


def test_CT_06__lapses() -> None:
    """CT-06: neither a block nor a card possible: the next player."""
    state = covered(AGAIN, stack="")
    assert (state.turn, state.reason) == (1, None)
    late = after(position(f"{FIRST} / {AGAIN}", stack="", passes=2), *lay("red_i1", box(AGAIN)))
    assert (late.turn, late.passes, late.reason) == (1, 1, None), (
        "something was laid, so others may move again"
    )


def test_CT_06__last_of_several() -> None:
    """CT-06, CT-07: several boxes at once: in the player's order, play again last."""
    assert ordered((Sort.AGAIN, Sort.REMOVE)) == (Sort.REMOVE, Sort.AGAIN)
    assert ordered((Sort.AGAIN, Sort.EXCHANGE)) == (Sort.EXCHANGE, Sort.AGAIN)
    card = replace(next(each for each in STOCK.cards if each.id == REMOVE), boxes=("-+x..", *["....."] * 4))
    state = position(f"{FIRST} green_i3 / {REMOVE}")
    cards = tuple(card if each.id == REMOVE else each for each in STOCK.cards)
    state = replace(state, stock=replace(state.stock, cards=cards))
    names = [f"{REMOVE}.r1c{column}" for column in (2, 1, 3, 4)]
    state = after(state, *lay("red_i1", *names))
    assert set(state.boxes) == {Sort.REMOVE, Sort.EXCHANGE, Sort.AGAIN}
    assert state.boxes[-1] is Sort.AGAIN
    swap, decline = Swap("Ana", "red_o4", "green_o4"), Decline("Ana")
    assert {swap, decline, Pull("Ana", "green_i3")} <= set(actions(state))
    for one, two in ((swap, decline), (decline, swap)):
        half = apply(state, one)
        assert (half.turn, half.stage, len(half.boxes)) == (0, TurnStage.BOXES, 2)
        assert refusal(half, one)[:5] == ("CT-07" if one is swap else "CT-05")
        done = apply(half, two)
        assert (done.turn, done.stage, done.boxes) == (0, TurnStage.CHOOSE, ())
    assert refusal(apply(state, decline), Take("Ana", "red_i3")) == "CT-07: the exchange box acts first"


def test_CT_06__two_at_once() -> None:
    """CT-06: every covered play-again box is a full turn of its own."""
    card = replace(next(each for each in STOCK.cards if each.id == AGAIN), boxes=("++...", *["....."] * 4))
    state = position(f"{FIRST} / {AGAIN}", players=2)
    cards = tuple(card if each.id == AGAIN else each for each in STOCK.cards)
    state = replace(state, stock=replace(state.stock, cards=cards))
    state = after(state, *lay("red_i1", f"{AGAIN}.r1c1", f"{AGAIN}.r1c2"))
    assert (state.turn, state.boxes) == (0, (Sort.AGAIN,))
    second = after(state, *lay("yellow_i1"))
    assert (second.turn, second.boxes, second.stage) == (0, (), TurnStage.CHOOSE)


def test_CT_07__exchange() -> None:
    """CT-07: one of the own unplayed blocks for one of any other player's; partner and blocks by choice."""
    state = covered(EXCHANGE, "", "red_i1 red_o4", "yellow_i1", "green_i1 green_i3")
    assert actions(state) == [Swap("Ana", "red_o4", b) for b in ("yellow_i1", "green_i1", "green_i3")]
    assert legal(state)[0].sentence == "swap the red square for the yellow cube"
    done = apply(state, Swap("Ana", "red_o4", "green_i3"))
    assert done.hands == (("green_i3",), ("yellow_i1",), ("green_i1", "red_o4"))
    assert (done.turn, done.stage) == (1, TurnStage.CHOOSE)
    assert refusal(state, Decline("Ana")) == "CT-05: no remove box is covered"
    assert refusal(state, Take("Ana", "red_o4")) == "CT-07: the exchange box acts first"


@pytest.mark.parametrize(
    ("give", "take", "sentence"),
    [
        ("red_i1", "green_i1", "CT-07: the red cube is not an unplayed block of Ana"),
        ("yellow_i1", "green_i1", "CT-07: the yellow cube is not an unplayed block of Ana"),
        ("red_o4", "red_i1", "CT-07: the red cube is not an unplayed block of another player"),
        ("red_o4", "red_o4", "CT-07: the red square is not an unplayed block of another player"),
    ],
)
def test_CT_07__unplayed_blocks_only(give: str, take: str, sentence: str) -> None:
    """CT-07: both blocks are unplayed; not one's own against one's own."""
    state = covered(EXCHANGE, "")
    assert refusal(state, Swap("Ana", give, take)) == sentence
    for swap in (Swap("Ana", "hat", take), Swap("Ana", "red_o4", "hat")):
        with pytest.raises(MalformedAction, match="unknown piece 'hat'"):
            apply(state, swap)


def test_CT_07__one_hand() -> None:
    """CT-07, ALL-1: no swap while a block is pulled at."""
    state = apply(covered(REMOVE), Pull("Ana", "green_i3"))
    assert refusal(state, Swap("Ana", "red_o4", "green_o4"))[:5] == "ALL-1"


def test_CT_07__the_colour_stays() -> None:
    """CT-07, CT-18: a swapped block keeps its colour."""
    state = covered(EXCHANGE, "", "red_i1 red_o4", "yellow_i1 yellow_i3", "green_i1")
    ben = apply(state, Swap("Ana", "red_o4", "yellow_i1"))
    assert refusal(ben, Take("Ben", "red_o4")) == "CT-18: red already lies on this floor"
    assert Take("Ben", "yellow_i3") in actions(ben)


def test_CT_07__lapses() -> None:
    """CT-07: with no unplayed block on one side; alone and in a team."""
    alone = position(f"{FIRST} green_i1 / {EXCHANGE}", mode=SOLO, players=2)
    assert after(alone, *lay("red_i1", box(EXCHANGE), player="Ana+Ben")).stage is TurnStage.CHOOSE
    nobody = covered(EXCHANGE, "", "red_i1 red_o4", "", "")
    assert nobody.boxes == ()
    empty = replace(position(f"{FIRST} / {EXCHANGE}", "red_i1", "yellow_i1"), boxes=(Sort.EXCHANGE,))
    assert empty.mode == COMPETITIVE
    assert after(empty, *lay("red_i1", box(EXCHANGE))).reason is not None, "the last block is looked at first"


def test_CT_07__with_a_saboteur() -> None:
    """CT-07: saboteur and architects swap with anyone."""
    state = covered(EXCHANGE, "", mode="saboteur", options={"saboteur": "Cem"})
    assert {action.take.partition("_")[0] for action in actions(state) if isinstance(action, Swap)} == {
        "yellow",
        "green",
    }


def test_boxes_have_names() -> None:
    """CT-05: a box that the card does not have is malformed, of another card too."""
    held = after(position(f"{FIRST} / {REMOVE}"), Take("Ana", "red_i1"), Released(1, "red_i1"))
    for wrong in (f"{REMOVE}.r6c1", f"{FIRST}.r1c1", "remove"):
        with pytest.raises(MalformedAction, match="unknown box"):
            apply(held, Placed(1, "red_i1", REMOVE, (wrong,)))
    red = f"{REMOVE}.r1c1"
    assert apply(held, Placed(1, "red_i1", REMOVE, (red,))).turn == 1
