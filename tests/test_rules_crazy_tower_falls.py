"""Crazy Tower, clause by clause: falls, collapse, putting back, and how the game ends."""

from __future__ import annotations

from dataclasses import replace

import pytest
from faults_crazy_tower import faults
from rules_crazy_tower import FIRST, NAMES, actions, after, lay, position, refusal
from test_rules_crazy_tower_boxes import AGAIN, EXCHANGE, REMOVE, box

from teeter.games.core.errors import MalformedAction
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
from teeter.games.core.rules import Input, Need, Outcome, Take, TakeBack, Wait
from teeter.games.crazy_tower.game import GAME
from teeter.games.crazy_tower.rules import apply, legal, needs, outcome, scores, tell
from teeter.games.crazy_tower.state import (
    SOLO,
    CrazyReason,
    Decline,
    Fallen,
    Floor,
    GiveBack,
    HandPhase,
    NothingFits,
    Pull,
    PutBack,
    RevealCard,
    Sort,
    State,
    Swap,
    TurnStage,
)

TOWER = f"{FIRST} red_i1 green_i1 / card_02 yellow_i1 green_i3"
BACK = (Condition.ON_NAMED_FLOOR, Condition.LAID_FLAT, Condition.COVERS_NO_RED_BOX)


def moments() -> list[tuple[str, State]]:
    """Every moment of Ana's turn at which something can fall."""
    state = position(TOWER)
    held = apply(state, Take("Ana", "red_i3"))
    card = apply(state, RevealCard("Ana"))
    removing = position(f"{TOWER} / {REMOVE}", boxes=(Sort.REMOVE,), stage=TurnStage.BOXES)
    pulling = apply(removing, Pull("Ana", "green_i1"))
    asking = replace(position(f"{TOWER} / card_03", stage=TurnStage.BLOCK), hand=HandPhase.ASK)
    return [
        ("at rest", state),
        ("carrying a block", held),
        ("after a touch", apply(held, Met(1, "red_i3", "green_i3"))),
        ("block let go", apply(held, Released(1, "red_i3"))),
        ("carrying a card", apply(card, Take("Ana", card.card))),
        ("a card let go", after(card, Take("Ana", card.card), Released(1, card.card))),
        ("pulling", pulling),
        ("after a pull", apply(pulling, Removed(1, "green_i1"))),
        ("while the referee looks", asking),
    ]


@pytest.mark.parametrize(("moment", "state"), moments(), ids=[row[0] for row in moments()])
def test_CT_19__collapse(moment: str, state: State) -> None:
    """CT-19: at least one block and one card, at any moment, at once or one after the other; the game ends."""
    blocks, card = Fell(2, ("yellow_i1",)), Fell(2, (state.floors[-1].card,))
    both = apply(state, Fell(2, tuple(sorted((*blocks.pieces, *card.pieces)))))
    for over in (both, after(state, blocks, card), after(state, card, blocks)):
        assert over.reason is CrazyReason.COLLAPSE
        assert needs(over) == Need(Wait.OVER, "Ana")
        assert {each.piece for each in over.fallen} >= {"yellow_i1", state.floors[-1].card}
        assert (over.held, over.target, over.asked, over.boxes, over.met) == ("", "", "", (), False)
        assert over.hand is HandPhase.FREE
        assert faults(over) == ()
        assert refusal(over, Rested(3, ())) == "CT-22: the game is over: the tower collapsed"


@pytest.mark.parametrize(("moment", "state"), moments(), ids=[row[0] for row in moments()])
def test_CT_20__only_a_block_fell(moment: str, state: State) -> None:
    """CT-20: no collapse; everything comes to rest, and the same player puts the block back first."""
    fallen = apply(state, Fell(2, ("yellow_i1",)))
    assert (fallen.reason, fallen.turn, fallen.fallen) == (None, 0, (Fallen("yellow_i1", "card_02"),))
    assert "yellow_i1" not in fallen.floors[1].blocks
    assert needs(fallen).wait is Wait.REST
    assert legal(fallen) == ()
    assert faults(fallen) == ()
    settling = state.hand is HandPhase.SETTLE and state.held != ""
    assert needs(fallen).pieces == ((state.held,) if settling else ())
    rest = Placed(3, state.held) if settling else Rested(3, ())
    still = apply(fallen, rest)
    assert (still.hand, still.held, still.met) == (HandPhase.FREE, "", False)
    put = PutBack("Ana", "yellow_i1", "card_02")
    assert put in actions(still)
    assert {type(action) for action in actions(still)} == {PutBack, GiveBack}
    first = "CT-20: the yellow cube must be put back first"
    for action in (Take("Ana", "red_o4"), RevealCard("Ana"), NothingFits("Ana"), Pull("Ana", "green_i1")):
        assert refusal(still, action) == first
    for other in (Decline("Ana"), Swap("Ana", "red_o4", "green_o4")):
        assert refusal(still, other) == first
    back = after(still, put, Released(4, "yellow_i1"), Placed(4, "yellow_i1"))
    assert back.fallen == ()
    assert "yellow_i1" in back.floors[1].blocks


@pytest.mark.parametrize(
    ("moment", "stage", "turn", "laid"),
    [
        ("at rest", TurnStage.CHOOSE, 0, False),
        ("carrying a block", TurnStage.CHOOSE, 0, False),
        ("block let go", TurnStage.CHOOSE, 1, True),
        ("carrying a card", TurnStage.CARD, 0, False),
        ("a card let go", TurnStage.BLOCK, 0, True),
        ("pulling", TurnStage.BOXES, 0, False),
        ("after a pull", TurnStage.CHOOSE, 1, False),
        ("while the referee looks", TurnStage.BLOCK, 0, False),
    ],
)
def test_CT_20__then_the_turn_goes_on(moment: str, stage: TurnStage, turn: int, laid: bool) -> None:
    """CT-20: the turn goes on from where it was: a piece in the hand is taken up anew, one let go is laid."""
    state = dict(moments())[moment]
    fallen = apply(state, Fell(2, ("yellow_i1",)))
    still = apply(fallen, Placed(2, state.held) if laid else Rested(2, ()))
    inputs = PutBack("Ana", "yellow_i1", "card_02"), Released(2, "yellow_i1"), Placed(2, "yellow_i1")
    back = after(still, *inputs)
    assert (back.stage, back.turn) == (stage, turn)
    assert back.card == (state.card if stage is TurnStage.CARD else "")
    if moment == "pulling":
        assert back.boxes == (Sort.REMOVE,), "the box is not used up"


def fallen_block(floors: str = TOWER, piece: str = "green_i1", **more: object) -> State:
    """A block fell at the beginning of Ana's turn, and all is still."""
    return after(position(floors, **more), Fell(1, (piece,)), Rested(1, ()))  # type: ignore[arg-type]


def test_CT_20__where_a_block_goes() -> None:
    """CT-20: on the floor it fell from or on the highest, as the player likes; CT-18 holds there too."""
    state = fallen_block(f"{FIRST} red_i1 green_i1 / card_02 yellow_i1 / card_03 yellow_i3")
    assert actions(state) == [
        PutBack("Ana", "green_i1", FIRST),
        PutBack("Ana", "green_i1", "card_03"),
        GiveBack("Ana", "green_i1"),
    ]
    assert [choice.sentence for choice in legal(state)] == [
        "put the green cube back on the first floor",
        "put the green cube back on the third floor",
        "give the green cube back: it has no place",
    ]
    for floor in ("card_02", "card_04", ""):
        assert refusal(state, PutBack("Ana", "green_i1", floor)) == (
            "CT-20: a block goes back on the floor it fell from or on the highest"
        )
    with pytest.raises(MalformedAction, match="unknown floor card 'card_99'"):
        apply(state, PutBack("Ana", "green_i1", "card_99"))
    up = PutBack("Ana", "green_i1", "card_03"), Released(2, "green_i1"), Placed(2, "green_i1", "card_03")
    assert after(state, *up).floors[2] == Floor("card_03", ("yellow_i3", "green_i1"))
    taken = fallen_block()
    assert refusal(taken, PutBack("Ana", "green_i1", "card_02")) == "CT-18: green already lies on this floor"
    assert PutBack("Ana", "green_i1", "card_02") not in actions(taken)


def test_CT_20__carrying_it_back() -> None:
    """CT-20, CT-04, CT-18, ALL-6, ALL-9: the same care as ever; a slip and it is taken up again."""
    state = fallen_block()
    held = apply(state, PutBack("Ana", "green_i1", FIRST))
    assert legal(state)[0].conditions == BACK
    assert needs(held) == Need(Wait.HAND, "Ana", ("green_i1",), BACK)
    assert actions(held) == [TakeBack("Ana")]
    assert apply(held, TakeBack("Ana")) == state
    settled = apply(held, Released(2, "green_i1"))
    assert needs(settled) == Need(Wait.REST, "Ana", ("green_i1",), BACK)
    for slip in (Placed(2, "green_i1", broken=(BACK[2],)), Placed(2, "green_i1", where="card_02")):
        again = apply(settled, slip)
        assert again == replace(state, step=2)
    dropped = after(settled, Fell(2, ("green_i1",)))
    assert needs(dropped) == Need(Wait.REST, "Ana")
    assert (dropped.held, dropped.target) == ("", "")
    assert apply(dropped, Rested(2, ())) == replace(state, step=2)
    for action in (PutBack("Ana", "green_i1", FIRST), GiveBack("Ana", "green_i1")):
        assert refusal(held, action)[:5] == "ALL-1"
    with pytest.raises(MalformedAction, match="unknown piece of the tower 'green_i1'"):
        apply(held, Fell(2, ("green_i1",)))


def test_CT_20__another_falls_meanwhile() -> None:
    """CT-20: several blocks without a card: one after the other; a card too is a collapse (CT-19)."""
    held = apply(fallen_block(), PutBack("Ana", "green_i1", FIRST))
    more = after(held, Fell(2, ("red_i1", "yellow_i1")), Rested(2, ()))
    assert {each.piece for each in more.fallen} == {"green_i1", "red_i1", "yellow_i1"}
    assert refusal(more, Take("Ana", "red_o4")) == (
        "CT-20: the green cube, the red cube and the yellow cube must be put back first"
    )
    inputs: list[Input] = []
    for piece, floor in (("yellow_i1", "card_02"), ("green_i1", FIRST), ("red_i1", "card_02")):
        inputs += [PutBack("Ana", piece, floor), Released(2, piece), Placed(2, piece)]
    done = after(more, *inputs)
    assert done.fallen == ()
    assert done.floors[:2] == (
        Floor(FIRST, ("green_i1",)),
        Floor("card_02", ("green_i3", "yellow_i1", "red_i1")),
    )
    assert apply(held, Fell(2, ("card_02",))).reason is CrazyReason.COLLAPSE


def test_CT_19__while_putting_back() -> None:
    """CT-19: nothing is held, meant or asked any more when the game is over."""
    still = fallen_block()
    for state in (apply(still, PutBack("Ana", "green_i1", FIRST)), apply(still, GiveBack("Ana", "green_i1"))):
        for moment in (state, *([apply(state, Released(1, "green_i1"))] if state.held else [])):
            over = apply(moment, Fell(1, ("card_02",)))
            assert over.reason is CrazyReason.COLLAPSE
            assert (over.hand, over.held, over.target, over.asked) == (HandPhase.FREE, "", "", "")
            assert faults(over) == ()


def test_CT_20__a_revealed_card_waits() -> None:
    """CT-20: a block falls after the last card was revealed: the card is laid, whatever else is possible."""
    state = apply(position(f"{FIRST} red_i1 green_i1", stack="card_04"), RevealCard("Ana"))
    still = after(state, Fell(1, ("green_i1",)), Rested(1, ()))
    back = after(still, PutBack("Ana", "green_i1", FIRST), Released(1, "green_i1"), Placed(1, "green_i1"))
    assert (back.turn, back.stage, actions(back)) == (0, TurnStage.CARD, [Take("Ana", "card_04")])


def test_CT_20__one_fits_and_one_does_not() -> None:
    """CT-20: a place found for one block does not stop another, which has none by the rules."""
    tower = f"{FIRST} red_i1 green_i1 green_i3 / card_02 green_o4"
    state = after(position(tower), Fell(1, ("green_i1", "red_i1")), Rested(1, ()), GiveBack("Ana", "red_i1"))
    pieces = ("red_i1", FIRST, "card_02")
    yes = apply(state, RefereeAnswer(1, Question.DOES_FIT, pieces, True))
    assert GiveBack("Ana", "green_i1") in actions(yes)
    given = apply(yes, GiveBack("Ana", "green_i1"))
    assert given.hands[2][-1] == "green_i1"
    assert faults(given) == ()


def test_CT_20__no_place_by_the_rules() -> None:
    """CT-20: where its colour lies on both floors it goes to the player of its colour, no referee needed."""
    tower = f"{FIRST} green_i1 green_i3 / card_02 green_o4 red_i1"
    state = fallen_block(tower)
    assert actions(state) == [GiveBack("Ana", "green_i1")]
    given = apply(state, GiveBack("Ana", "green_i1"))
    assert "green_i1" in given.hands[2]
    assert faults(given) == ()
    assert (given.fallen, given.turn, given.stage, given.hand) == ((), 0, TurnStage.CHOOSE, HandPhase.FREE)
    assert tell(state, GiveBack("Ana", "green_i1"), given) == ("The green cube goes back to Cem.",)


def test_CT_20__no_place_in_the_world() -> None:
    """CT-20: else the referee says whether it fits on any floor it may go to."""
    state = fallen_block(f"{FIRST} green_i1 / card_02 red_i1 / card_03 yellow_i1")
    asked = apply(state, GiveBack("Ana", "green_i1"))
    pieces = ("green_i1", FIRST, "card_03")
    assert needs(asked) == Need(Wait.ANSWER, "Ana", pieces, question=Question.DOES_FIT)
    no = apply(asked, RefereeAnswer(2, Question.DOES_FIT, pieces, False))
    assert "green_i1" in no.hands[2]
    assert (no.fallen, no.turn, no.asked) == ((), 0, "")
    yes = apply(asked, RefereeAnswer(2, Question.DOES_FIT, pieces, True))
    assert actions(yes) == [PutBack("Ana", "green_i1", FIRST), PutBack("Ana", "green_i1", "card_03")]
    assert refusal(yes, GiveBack("Ana", "green_i1")) == "CT-20: the referee has found a place"
    assert yes.asked == ""
    fell_again = after(yes, Fell(3, ("yellow_i1",)), Rested(3, ()))
    assert GiveBack("Ana", "green_i1") in actions(fell_again), "what falls changes the question"
    cut_short = apply(asked, Fell(2, ("red_i1",)))
    assert (cut_short.asked, cut_short.hand) == ("", HandPhase.SETTLE)


def test_CT_20__a_card_is_laid_on_top_again() -> None:
    """CT-20: a card that fell alone goes on top, touching a block of the floor below."""
    state = fallen_block(f"{TOWER} / card_03", "card_03")
    assert actions(state) == [PutBack("Ana", "card_03")]
    assert legal(state)[0].sentence == "lay card 3 on top again"
    how = (Condition.CARD_ON_TOP, Condition.CARD_TOUCHES_BLOCK)
    assert legal(state)[0].conditions == how
    held = apply(state, PutBack("Ana", "card_03"))
    assert needs(held) == Need(Wait.HAND, "Ana", ("card_03",), how)
    back = after(held, Released(2, "card_03"), Placed(2, "card_03"))
    assert (back.floors[2], back.turn, back.stage) == (Floor("card_03"), 0, TurnStage.CHOOSE)
    again = after(held, Released(2, "card_03"), Placed(2, "card_03", broken=how[1:]))
    assert again == replace(state, step=2)
    on_top = "CT-20: card 3 is laid on top again"
    assert refusal(state, PutBack("Ana", "card_03", "card_02")) == on_top
    assert refusal(state, GiveBack("Ana", "card_03")) == on_top
    assert refusal(state, PutBack("Ana", "card_02")) == "CT-20: card 2 has not fallen"
    assert refusal(state, GiveBack("Ana", "red_i1")) == "CT-20: the red cube has not fallen"
    with pytest.raises(MalformedAction, match="unknown piece 'hat'"):
        apply(state, PutBack("Ana", "hat"))


def test_CT_20__a_card_on_an_empty_floor() -> None:
    """CT-12, CT-20: a card laid again over a floor without blocks has none to touch."""
    state = fallen_block(f"{FIRST} / card_03", "card_03")
    assert legal(state)[0].conditions == (Condition.CARD_ON_TOP,)


def test_CT_20__a_card_slides_from_under_its_blocks() -> None:
    """CT-19, CT-20: blocks that did not fall lie on the floor below, and are laid on from there."""
    state = fallen_block(f"{FIRST} red_i1 green_i1 / card_02 red_i3 yellow_i1", "card_02")
    assert state.floors == (Floor(FIRST, ("red_i1", "green_i1", "red_i3", "yellow_i1")),)
    assert state.fallen == (Fallen("card_02"),)


@pytest.mark.parametrize(
    ("tower", "over"), [(f"{FIRST} red_i1", True), (FIRST, False), (f"{FIRST} / card_02 red_i1", False)]
)
def test_CT_19__the_lowest_card(tower: str, over: bool) -> None:
    """CT-19: without the lowest card its blocks have no floor and fell too; an empty one is laid again."""
    state = apply(position(tower), Fell(1, (FIRST,)))
    assert (state.reason is CrazyReason.COLLAPSE) == over
    if over:
        assert state.fallen == (Fallen(FIRST), Fallen("red_i1", FIRST))
        return
    still = apply(state, Rested(1, ()))
    assert needs(apply(still, PutBack("Ana", FIRST))).conditions == (
        (Condition.CARD_ON_TOP, Condition.CARD_TOUCHES_BLOCK) if still.floors else ()
    )
    back = after(still, PutBack("Ana", FIRST), Released(1, FIRST), Placed(1, FIRST))
    assert back.floors[-1] == Floor(FIRST)
    assert back.fallen == ()


def test_CT_20__no_floor_in_the_air() -> None:
    """CT-19, CT-20: the only card slips away while a block is in the air: it is laid again, or fell as well."""
    state = after(position(), Take("Ana", "red_i1"), Released(1, "red_i1"), Fell(1, (FIRST,)))
    assert needs(state).pieces == ("red_i1",)
    lies = apply(state, Placed(1, "red_i1"))
    assert (lies.floors, lies.fallen, "red_i1" in lies.hands[0]) == ((), (Fallen(FIRST),), True)
    fell = apply(state, Fell(1, ("red_i1",)))
    assert fell.reason is CrazyReason.COLLAPSE
    assert fell.fallen == (Fallen(FIRST), Fallen("red_i1"))


def test_CT_20__others_slid_on_its_floor() -> None:
    """CT-18, CT-20, ALL-9: a block that lands among others of its colour, because a card slid, is taken up."""
    tower = f"{FIRST} green_i1 / card_02 red_i1 / card_03"
    air = after(position(tower), Take("Ana", "red_i3"), Released(1, "red_i3"), Fell(1, ("card_03",)))
    assert apply(air, Placed(1, "red_i3")).floors == air.floors
    empty = after(position(tower), Take("Ana", "red_i3"), Released(1, "red_i3"), Fell(1, ("red_i1",)))
    assert apply(empty, Placed(1, "red_i3", "card_03")).floors[2] == Floor("card_03", ("red_i3",))


def test_CT_20__the_block_of_the_turn() -> None:
    """CT-20, ALL-4: the block just let go falls: put back on the highest floor, it is laid; no box acts."""
    state = position(f"{FIRST} green_i1 / {AGAIN}")
    air = after(state, Take("Ana", "red_i1"), Released(1, "red_i1"))
    fell = apply(air, Fell(1, ("red_i1",)))
    assert (fell.fallen, fell.stage) == ((Fallen("red_i1", AGAIN),), TurnStage.LAID)
    assert "red_i1" not in fell.hands[0]
    still = apply(fell, Rested(1, ()))
    assert actions(still) == [PutBack("Ana", "red_i1", AGAIN), GiveBack("Ana", "red_i1")]
    put = PutBack("Ana", "red_i1", AGAIN), Released(1, "red_i1")
    done = after(still, *put, Placed(1, "red_i1", AGAIN, (box(AGAIN),)))
    assert (done.turn, done.stage) == (1, TurnStage.CHOOSE)
    assert done.floors[1].blocks == ("red_i1",)


def test_CT_20__the_card_of_the_turn() -> None:
    """CT-20, ALL-4: the card just let go falls: it is laid again and the turn goes on with its block."""
    state = after(position(f"{FIRST} green_i1", stack="card_04"), RevealCard("Ana"), Take("Ana", "card_04"))
    fell = after(state, Released(1, "card_04"), Fell(1, ("card_04",)))
    assert (fell.fallen, fell.card, fell.stage) == ((Fallen("card_04"),), "", TurnStage.BLOCK)
    still = apply(fell, Rested(1, ()))
    back = after(still, PutBack("Ana", "card_04"), Released(1, "card_04"), Placed(1, "card_04"))
    assert (back.stage, back.turn, back.floors[1]) == (TurnStage.BLOCK, 0, Floor("card_04"))


def test_CT_20__boxes_wait() -> None:
    """CT-05, CT-20: after rest come falls, then the last block, then the box."""
    state = position(f"{FIRST} green_i1 / {REMOVE}", "red_i1")
    air = after(state, Take("Ana", "red_i1"), Released(1, "red_i1"), Fell(1, ("green_i1",)))
    laid = apply(air, Placed(1, "red_i1", REMOVE, (box(REMOVE),)))
    assert (laid.stage, laid.boxes, laid.reason) == (TurnStage.LAID, (Sort.REMOVE,), None)
    assert {type(action) for action in actions(laid)} == {PutBack, GiveBack}
    put = PutBack("Ana", "green_i1", FIRST), Released(1, "green_i1"), Placed(1, "green_i1")
    assert after(laid, *put).reason is CrazyReason.LAST_BLOCK
    more = replace(laid, hands=(("red_i3",), *laid.hands[1:]))
    assert after(more, *put).stage is TurnStage.BOXES


def test_CT_20__the_new_floor_is_full() -> None:
    """CT-10, CT-20: blocks put back leave no place for a block of the turn: the turn ends."""
    state = after(position(f"{FIRST} red_i1 / card_02 green_i1 / card_03", stage=TurnStage.BLOCK))
    still = after(state, Fell(1, ("red_i1",)), Rested(1, ()))
    done = after(still, PutBack("Ana", "red_i1", "card_03"), Released(1, "red_i1"), Placed(1, "red_i1"))
    assert (done.turn, done.stage) == (1, TurnStage.CHOOSE)


def test_CT_20__a_fall_makes_room() -> None:
    """CT-10, CT-20: what falls or is pulled out changes who can move: a standstill is counted anew."""
    state = position(f"{TOWER} / card_03", passes=2)
    assert apply(state, Fell(1, ("red_i1",))).passes == 0
    pulling = apply(replace(state, stage=TurnStage.BOXES, boxes=(Sort.REMOVE,)), Pull("Ana", "red_i1"))
    assert apply(pulling, Removed(1, "red_i1")).passes == 0


def test_CT_05__a_pulled_block_slips() -> None:
    """CT-05, CT-20: a block that drops while it is pulled out is out; others that fall are put back."""
    state = position(f"{TOWER} / {REMOVE}", boxes=(Sort.REMOVE,), stage=TurnStage.BOXES)
    pulling = apply(state, Pull("Ana", "green_i1"))
    out = apply(pulling, Fell(1, ("green_i1", "red_i1")))
    assert "green_i1" in out.hands[2]
    assert out.fallen == (Fallen("red_i1", FIRST),)
    assert (out.boxes, out.held, out.hand, out.met) == ((), "", HandPhase.SETTLE, False)
    assert after(pulling, Fell(1, ("green_i1",)), Rested(1, ())).turn == 1
    assert apply(pulling, Fell(1, (REMOVE,))).reason is None
    assert apply(pulling, Fell(1, ("green_i1", REMOVE))).reason is None, "only a card fell"


@pytest.mark.parametrize(
    ("pieces", "sentence"),
    [
        ((), "nothing fell: name the pieces"),
        (("red_o4",), "unknown piece of the tower 'red_o4'"),
        (("card_09",), "unknown piece of the tower 'card_09'"),
        (("",), "unknown piece of the tower ''"),
    ],
)
def test_CT_19__what_can_fall(pieces: tuple[str, ...], sentence: str) -> None:
    """CT-19: pieces of the tower, and the one just let go; not one in the hand or in the box."""
    with pytest.raises(MalformedAction, match=sentence):
        apply(position(TOWER), Fell(1, pieces))
    settling = apply(position(TOWER), Fell(1, ("red_i1",)))
    with pytest.raises(MalformedAction, match="unknown piece of the tower ''"):
        apply(settling, Fell(1, ("",)))
    held = apply(position(TOWER), Take("Ana", "red_o4"))
    with pytest.raises(MalformedAction, match="unknown piece of the tower 'red_o4'"):
        apply(held, Fell(1, ("red_o4",)))
    let_go = apply(held, Released(1, "red_o4"))
    assert apply(let_go, Fell(1, ("red_o4",))).fallen == (Fallen("red_o4", "card_02"),)


def test_CT_21__last_block() -> None:
    """CT-21: who lays the last block wins, when all is at rest; the last but one does not."""
    state = position(f"{FIRST} green_i1", "red_i1 red_i3", stack="")
    assert after(state, *lay("red_i1")).reason is None
    air = after(position(f"{FIRST} green_i1", "red_i1"), Take("Ana", "red_i1"), Met(1, "red_i1", FIRST))
    air = apply(air, Released(1, "red_i1"))
    assert outcome(air) is None
    won = apply(air, Placed(1, "red_i1"))
    assert outcome(won) == Outcome(("Ana",), CrazyReason.LAST_BLOCK)
    assert (won.hand, won.held, won.met, won.target, won.turn) == (HandPhase.FREE, "", False, "", 0)
    assert needs(won) == Need(Wait.OVER, "Ana")


def test_CT_21__it_must_be_laid() -> None:
    """CT-21: to have no block is no victory; to lay the last one is."""
    state = position(f"{FIRST} green_i1", "red_i1 red_i3", "", "green_o4")
    assert after(state, *lay("red_i1")).reason is None


def test_CT_21__not_if_it_falls() -> None:
    """CT-21: with a collapse it is no victory; put back it is; given back it is not the last any more."""
    air = after(position(f"{FIRST} green_i1", "red_i1"), Take("Ana", "red_i1"), Released(1, "red_i1"))
    crash = apply(air, Fell(1, (FIRST, "red_i1")))
    assert outcome(crash) is not None
    assert crash.reason is CrazyReason.COLLAPSE
    still = after(air, Fell(1, ("red_i1",)), Rested(1, ()))
    put = PutBack("Ana", "red_i1", FIRST), Released(1, "red_i1"), Placed(1, "red_i1")
    assert after(still, *put).reason is CrazyReason.LAST_BLOCK
    asked = apply(still, GiveBack("Ana", "red_i1"))
    given = apply(asked, RefereeAnswer(1, Question.DOES_FIT, ("red_i1", FIRST), False))
    assert (given.reason, given.turn, given.hands[0]) == (None, 1, ("red_i1",))


@pytest.mark.parametrize("laid", [False, True])
def test_CT_21__a_swapped_block_that_finds_no_place_was_not_laid(laid: bool) -> None:
    """CT-20, CT-21: Ana's last block is one of Ben's; it falls at once, or as another is put back, and has no place: it
    goes to Ben, and Ana has won nothing. With her own last block laid, and his given back, she has."""
    state = position(f"{FIRST} green_i1", "yellow_i3", "yellow_o4", stack="card_02")
    if laid:
        lying = after(state, Take("Ana", "yellow_i3"), Released(1, "yellow_i3"), Fell(1, ("green_i1",)))
        lying = after(lying, Placed(1, "yellow_i3"), PutBack("Ana", "green_i1", FIRST))
        still = after(lying, Fell(2, ("yellow_i3",)), Rested(2, ()), PutBack("Ana", "green_i1", FIRST))
        still = after(still, Released(2, "green_i1"), Placed(2, "green_i1", FIRST))
    else:
        air = after(state, Take("Ana", "yellow_i3"), Released(1, "yellow_i3"))
        still = after(air, Fell(1, ("yellow_i3",)), Rested(1, ()))
    asked = apply(still, GiveBack("Ana", "yellow_i3"))
    given = apply(asked, RefereeAnswer(3, Question.DOES_FIT, ("yellow_i3", FIRST), False))
    assert given.reason is None
    assert (given.turn, given.hands[0], given.hands[1]) == (1, (), ("yellow_o4", "yellow_i3"))
    # without a block she lays cards only, as long as there are any
    assert actions(replace(given, turn=0)) == [RevealCard("Ana")]


def test_CT_21__the_own_last_block_lies_and_another_is_given_back() -> None:
    """CT-21: what is given back then is not the block that was laid."""
    air = after(position(f"{FIRST} yellow_i1", "red_i3"), Take("Ana", "red_i3"), Released(1, "red_i3"))
    still = after(air, Fell(1, ("yellow_i1",)), Placed(1, "red_i3"), GiveBack("Ana", "yellow_i1"))
    won = apply(still, RefereeAnswer(2, Question.DOES_FIT, ("yellow_i1", FIRST), False))
    assert outcome(won) == Outcome(("Ana",), CrazyReason.LAST_BLOCK)


CRASH = Fell(1, (FIRST, "green_o4"))


@pytest.mark.parametrize(
    ("hands", "turn", "winners"),
    [
        (("red_v5", "yellow_i3", "green_i1"), 0, ("Cem",)),
        (("red_v5", "yellow_i3", "green_i1"), 2, ("Ben",)),
        (("red_i1", "yellow_i3", "green_i1"), 0, ("Cem",)),
        (("red_v5", "yellow_o4", "green_i1 green_i3"), 0, ("Ben",)),
        (("red_v5", "yellow_i1 yellow_i3", "green_t4"), 0, ("Cem",)),
        (("red_v5", "yellow_i3", "green_l3"), 0, ("Ben", "Cem")),
    ],
)
def test_CT_22__collapse(hands: tuple[str, ...], turn: int, winners: tuple[str, ...]) -> None:
    """CT-22, CT-23, CT-24: the causer is out; lowest value, then fewest blocks, then shared."""
    state = position(f"{FIRST} green_o4", *hands, turn=turn)
    assert outcome(apply(state, CRASH)) == Outcome(winners, CrazyReason.COLLAPSE)


@pytest.mark.parametrize("moment", ["putting back", "pulling out"])
def test_CT_22__the_causer(moment: str) -> None:
    """CT-22: the player on turn is the causer, also while putting back or pulling out."""
    tower = f"{FIRST} green_i1 red_i1 / card_02 yellow_i1"
    if moment == "putting back":
        state = apply(fallen_block(tower), PutBack("Ana", "green_i1", FIRST))
        over = apply(state, Fell(2, ("card_02",)))
    else:
        removing = position(tower, "red_i3", boxes=(Sort.REMOVE,), stage=TurnStage.BOXES)
        over = after(removing, Pull("Ana", "green_i1"), Fell(2, ("card_02", "yellow_i1")))
    assert over.reason is CrazyReason.COLLAPSE
    assert "Ana" not in over.winners


def test_CT_23__values() -> None:
    """CT-23: the score is the printed value of the unplayed blocks."""
    state = position(FIRST, "red_i1 red_i3 red_o4 red_v5", "", "green_t4 green_l4 green_l3")
    assert scores(state) == (13, 0, 11)


@pytest.mark.parametrize(
    ("turn", "saboteur", "reason", "winners"),
    [
        (0, "Ana", CrazyReason.SABOTEUR_DONE, ("Ana",)),
        (0, "Ben", CrazyReason.ARCHITECT_DONE, ("Ana", "Cem")),
    ],
)
def test_CT_25__last_block(turn: int, saboteur: str, reason: CrazyReason, winners: tuple[str, ...]) -> None:
    """CT-25, CT-26: the last block held, whatever its colour: the saboteur alone, or the architects together."""
    options = {"saboteur": saboteur}
    state = position(f"{FIRST} green_i1", "yellow_i3", mode="saboteur", options=options, turn=turn)
    won = after(state, *lay("yellow_i3"))
    assert outcome(won) == Outcome(winners, reason)
    assert reason.clause == ("CT-25" if saboteur == "Ana" else "CT-26")


@pytest.mark.parametrize(
    ("turn", "reason", "winners"),
    [
        (0, CrazyReason.ARCHITECT_COLLAPSE, ("Ben",)),
        (1, CrazyReason.SABOTEUR_COLLAPSE, ("Ana", "Cem", "Dora")),
        (2, CrazyReason.ARCHITECT_COLLAPSE, ("Ben",)),
    ],
)
def test_CT_26__collapse(turn: int, reason: CrazyReason, winners: tuple[str, ...]) -> None:
    """CT-25, CT-26: on an architect's turn the saboteur wins; on the saboteur's turn the architects."""
    options = {"saboteur": "Ben"}
    state = position(f"{FIRST} green_o4", mode="saboteur", players=4, options=options, turn=turn)
    over = apply(state, CRASH)
    assert outcome(over) == Outcome(winners, reason)
    assert reason.clause == ("CT-26" if turn == 1 else "CT-25")
    assert set(winners) <= set(NAMES)


def given_back(state: State, laid: str, lower: str, card: str) -> State:
    """Ana lays a block on the box of a card and knocks one of its colour out below; hers falls too, without a place."""
    return after(
        state,
        Take("Ana", laid),
        Released(1, laid),
        Fell(2, (lower,)),
        Placed(3, laid, card, (box(card),)),
        Fell(4, (laid,)),
        Rested(5, ()),
        PutBack("Ana", lower, card),
        Released(6, lower),
        Placed(7, lower, card),
        GiveBack("Ana", laid),
    )


@pytest.mark.parametrize("card", [REMOVE, AGAIN, EXCHANGE])
def test_CT_20__no_box_acts_for_a_block_that_was_given_back(card: str) -> None:
    """CT-20, CT-07: the block that covered it fell and has no place; without any block there is nothing to swap."""
    lower, other = "yellow_l4", "yellow_i1"
    state = position(f"{FIRST} {lower} green_i3 / {card} green_l4", other, players=3)
    state = given_back(state, other, lower, card)
    assert (state.boxes, state.player, state.stage) == ((), "Ben", TurnStage.CHOOSE)
    assert legal(state)


def test_CT_20__a_box_that_an_earlier_block_covered_acts_all_the_same() -> None:
    """CT-20, CT-06: Ana plays again for two boxes; the block of the second time is given back."""
    lower, other = "red_l4", "red_i1"
    state = position(f"{FIRST} {lower} green_i3 / {AGAIN} green_l4", players=3, boxes=(Sort.AGAIN,))
    state = given_back(state, other, lower, AGAIN)
    assert (state.boxes, state.player, state.stage) == ((), "Ana", TurnStage.CHOOSE)


def test_CT_47_spins_follow_a_new_card_and_not_one_that_is_put_back() -> None:
    """CT-47: after every new floor card, once, though it slips; an old one that is put back is none, whatever is
    revealed meanwhile."""
    state = position(f"{FIRST} red_i1 / {REMOVE} yellow_i1", mode=SOLO, players=1, options={"challenge": 17})
    new = apply(state, RevealCard("Ana"))
    seen: list[tuple[str, bool]] = []
    for given in (
        Take("Ana", new.card),
        Fell(1, (REMOVE,)),
        Rested(2, ()),
        PutBack("Ana", REMOVE),
        Released(3, REMOVE),
        Placed(4, REMOVE),
        Take("Ana", new.card),
        Released(5, new.card),
        Fell(6, (new.card,)),
        Rested(7, ()),
        PutBack("Ana", new.card),
        Released(8, new.card),
        Placed(9, new.card),
    ):
        before, state = (new if not seen else state), apply(new if not seen else state, given)
        seen.append((type(given).__name__, GAME.handicaps.spins(before, state)))
    assert [number for number, (_, spins) in enumerate(seen) if spins] == [8], seen
