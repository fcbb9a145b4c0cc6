"""Crazy Tower, clause by clause: the solo challenges, and what a sound state is."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
from faults_crazy_tower import faults
from rules_crazy_tower import FIRST, STOCK, actions, after, lay, position, refusal, takes
from rules_lab import kept
from test_rules_crazy_tower_boxes import REMOVE, box

from teeter.games.core.errors import MalformedAction, SetupError
from teeter.games.core.events import Condition, Fell, Placed, Released, Removed, Rested, TimeUp
from teeter.games.core.rules import Handicap, Take
from teeter.games.crazy_tower import state as rules_state
from teeter.games.crazy_tower import state as stock
from teeter.games.crazy_tower.game import GAME
from teeter.games.crazy_tower.rules import apply, legal, needs, outcome, start
from teeter.games.crazy_tower.state import (
    CrazyReason,
    Decline,
    Fallen,
    Floor,
    GiveBack,
    HandPhase,
    Pull,
    PutBack,
    RevealCard,
    Sort,
    State,
    TurnStage,
)

CLAUSES = [f"CT-{number}" for number in range(31, 51)]


def solo(challenge: int, floors: str = FIRST, *hands: str | None, **more: Any) -> State:
    """A position of a challenge, played by Ana."""
    options = {"challenge": challenge, **more.pop("options", {})}
    return position(floors, *hands, mode="solo", players=more.pop("players", 1), options=options, **more)


def test_CT_31__twenty_challenges() -> None:
    """CT-09, CT-31..50: one of twenty is chosen, the first by default; the state knows it."""
    assert [challenge.number for challenge in STOCK.challenges] == list(range(1, 21))
    assert [challenge.clause for challenge in STOCK.challenges] == CLAUSES
    for number in range(1, 21):
        state = solo(number)
        assert state.challenge is not None
        assert (state.challenge.number, state.stock.challenges) == (number, (state.challenge,))
    assert start(("Ana",), 1, {"mode": "solo"}, STOCK).stock.challenges[0].number == 1
    assert position().challenge is None
    few = replace(STOCK, challenges=STOCK.challenges[:2])
    with pytest.raises(SetupError, match="option challenge: there is no challenge 3; allowed: 1, 2"):
        start(("Ana",), 1, {"mode": "solo", "challenge": 3}, few)
    with pytest.raises(SetupError, match="there is no challenge 1; allowed: none"):
        start(("Ana",), 1, {"mode": "solo"}, replace(STOCK, challenges=()))
    with pytest.raises(SetupError, match="option challenge: 21 is not allowed"):
        start(("Ana",), 1, {"mode": "solo", "challenge": 21}, STOCK)
    with pytest.raises(SetupError, match="option colour_count: 5 is not allowed; .* from 0 to 4"):
        start(("Ana",), 1, {"mode": "solo", "colour_count": 5}, STOCK)


@pytest.mark.parametrize("number", range(1, 21))
def test_CT_08__colours_of_a_challenge(number: int) -> None:
    """CT-08, CT-39: challenges 3 and 6 four colours, 9 one, the others three; what may be chosen."""
    allowed = {2: (1, 2, 3), 3: (3, 4), 6: (2, 3, 4)}.get(number, (1, 2, 3, 4))
    assert len(solo(number).colours[0]) == {3: 4, 6: 4, 9: 1}.get(number, 3)
    for count in (1, 2, 3, 4):
        options = {"colour_count": count}
        if count in allowed:
            state = solo(number, options=options)
            assert (len(state.colours[0]), len(state.stock.blocks)) == (count, 7 * count)
            continue
        sentence = f"challenge {number} is played with {allowed[0]} to {allowed[-1]} colours, not {count}"
        with pytest.raises(SetupError, match=sentence):
            solo(number, options=options)


def test_CT_08__named_colours_of_a_challenge() -> None:
    """CT-08: naming the colours says how many; both must agree."""
    assert solo(1, options={"colours": "purple,red"}).colours == (("purple", "red"),)
    assert solo(1, options={"colours": "purple", "colour_count": 1}).colours == (("purple",),)
    with pytest.raises(SetupError, match="option colours: 2 colours are in play, 1 are chosen"):
        solo(1, options={"colours": "purple", "colour_count": 2})
    with pytest.raises(SetupError, match="challenge 3 is played with 3 to 4 colours, not 2"):
        solo(3, options={"colours": "purple,red"})


def test_CT_27__complete() -> None:
    """CT-27, CT-31: all blocks in play laid, and the tower stands."""
    state = solo(1, f"{FIRST} green_i1", "red_i1 red_i3", stack="card_02")
    one = after(state, *lay("red_i1"))
    assert one.reason is None
    won = after(one, RevealCard("Ana"), *lay("card_02"), *lay("red_i3"))
    assert outcome(won) is not None
    assert (won.winners, won.reason) == (("Ana",), CrazyReason.CHALLENGE_MET)


def test_CT_27__collapse() -> None:
    """CT-27: a collapse loses, also with the last block."""
    air = after(solo(1, f"{FIRST} green_i1", "red_i1"), Take("Ana", "red_i1"), Released(1, "red_i1"))
    over = apply(air, Fell(1, (FIRST, "green_i1")))
    assert (over.winners, over.reason) == ((), CrazyReason.CHALLENGE_COLLAPSE)
    assert over.reason is not None
    assert over.reason.clause == "CT-27"


def test_CT_32__one_block_a_floor() -> None:
    """CT-32: a second block is refused; a floor's only block may not be pulled out, so the box lapses."""
    state = solo(2, f"{FIRST} green_i1", stack=REMOVE)
    assert actions(state) == [RevealCard("Ana")]
    assert refusal(state, Take("Ana", "red_i1")) == "CT-32: a floor takes exactly 1 block"
    up = after(state, RevealCard("Ana"), *lay(REMOVE))
    done = after(up, *lay("red_i1", box(REMOVE)))
    assert done.stage is TurnStage.CHOOSE
    pulling = replace(up, boxes=(Sort.REMOVE,), stage=TurnStage.BOXES)
    assert refusal(pulling, Pull("Ana", "green_i1")) == "CT-32: a floor must keep exactly 1 block"


def test_CT_32__met_or_missed() -> None:
    """CT-32, CT-27: complete with exactly one on every floor; a floor that lost its block is a miss."""
    assert after(solo(2, f"{FIRST} green_i1 / card_02", "red_i1"), *lay("red_i1")).winners == ("Ana",)
    three = f"{FIRST} green_i1 / card_02 green_i3 / card_03"
    assert after(solo(2, three, "red_i1"), *lay("red_i1")).winners == ("Ana",)
    for tower in (
        f"{FIRST} / card_02 green_i1 / card_03",
        f"{FIRST} green_i1 / card_02 / card_03",
        f"{FIRST} green_i1 / card_02 green_i3 yellow_i1 / card_03",
        f"{FIRST} green_i1 green_i3 / card_02",
    ):
        missed = after(solo(2, tower, "red_i1"), *lay("red_i1"))
        assert (missed.winners, missed.reason) == ((), CrazyReason.CHALLENGE_MISSED)
        assert missed.reason is not None
        assert missed.reason.clause == "CT-27"


def test_CT_33__three_blocks_a_floor() -> None:
    """CT-33: no fourth; no new card on fewer; no removal from a floor that must keep three."""
    state = solo(3, f"{FIRST} red_i1 green_i1", stack="card_02")
    assert refusal(state, RevealCard("Ana")) == "CT-33: a floor needs exactly 3 blocks before the next card"
    assert RevealCard("Ana") not in actions(state)
    full = after(state, *lay("yellow_i1"))
    assert actions(full) == [RevealCard("Ana")]
    assert refusal(full, Take("Ana", "purple_i1")) == "CT-33: a floor takes exactly 3 blocks"
    boxes = {"boxes": (Sort.REMOVE,), "stage": TurnStage.BOXES}
    pulling = solo(3, f"{FIRST} red_i1 green_i1 yellow_i1 / card_02", **boxes)
    assert refusal(pulling, Pull("Ana", "red_i1")) == "CT-33: a floor must keep exactly 3 blocks"
    slid = solo(3, f"{FIRST} red_i1 green_i1 yellow_i1 red_i3 / card_02", **boxes)
    assert apply(slid, Pull("Ana", "red_i1")).hand is HandPhase.PULL


@pytest.mark.parametrize(
    ("last", "lower", "met"),
    [("", 3, True), ("green_i3 yellow_i3", 3, True), ("green_i3", 3, False), ("", 2, False), ("", 4, False)],
)
def test_CT_33__met_or_missed(last: str, lower: int, met: bool) -> None:
    """CT-33: exactly three on every floor, three or one on the last."""
    blocks = " ".join(["red_i1", "green_i1", "yellow_i1", "purple_i1"][:lower])
    done = after(solo(3, f"{FIRST} {blocks} / card_02 {last}", "red_i3"), *lay("red_i3"))
    assert (done.reason is CrazyReason.CHALLENGE_MET) == met
    middle = "red_o4 green_o4 yellow_o4"
    more = after(solo(3, f"{FIRST} {blocks} / card_03 {middle} / card_02 {last}", "red_i3"), *lay("red_i3"))
    assert more.reason is done.reason
    assert done.winners == (("Ana",) if met else ())


def test_CT_34__one_block_on_the_first_floor() -> None:
    """CT-34: on the first floor a second block is refused, also when one is put back; not above."""
    state = solo(4, f"{FIRST} green_i1", stack="card_02")
    assert actions(state) == [RevealCard("Ana")]
    assert refusal(state, Take("Ana", "red_i1")) == "CT-34: the first floor takes only 1 block"
    above = solo(4, f"{FIRST} green_i1 / card_02 green_i3")
    assert "red_i1" in takes(above)
    assert "red_i1" in takes(solo(4))
    slid = after(solo(4, f"{FIRST} / card_02 red_i1 green_i1"), Fell(1, ("red_i1",)), Rested(1, ()))
    back = after(slid, PutBack("Ana", "red_i1", "card_02"))
    assert back.target == "card_02"


def test_CT_34__the_only_block_of_the_first_floor_is_not_pulled_out() -> None:
    """CT-34, CT-05: neither offered nor allowed; one of two that slid there is, and what lies higher."""
    boxes = {"boxes": (Sort.REMOVE,), "stage": TurnStage.BOXES}
    state = solo(4, f"{FIRST} green_i1 / card_02 green_i3 / card_03", **boxes)
    assert actions(state) == [Pull("Ana", "green_i3"), Decline("Ana")]
    assert refusal(state, Pull("Ana", "green_i1")) == "CT-34: the first floor must keep exactly 1 block"
    two = solo(4, f"{FIRST} green_i1 yellow_i1 / card_02", **boxes)
    assert Pull("Ana", "green_i1") in actions(two)
    nothing = solo(4, f"{FIRST} green_i1 / {REMOVE}", "red_i1 red_i3", stack="")
    assert after(nothing, *lay("red_i1", box(REMOVE))).boxes == ()


@pytest.mark.parametrize(("first", "met"), [("green_i1", True), ("", False), ("green_i1 yellow_i1", False)])
def test_CT_34__met_or_missed(first: str, met: bool) -> None:
    """CT-34: exactly one block on the first floor when the tower is complete."""
    done = after(solo(4, f"{FIRST} {first} / card_02 green_i3", "red_i1"), *lay("red_i1"))
    assert (done.reason is CrazyReason.CHALLENGE_MET) == met


def test_CT_35__shapes_differ() -> None:
    """CT-35: the same shape is refused on a floor, in whatever colour; put back as well."""
    state = solo(5, f"{FIRST} green_i1")
    assert refusal(state, Take("Ana", "red_i1")) == "CT-35: a block of that shape already lies on this floor"
    assert "red_i3" in takes(state)
    assert "red_i1" not in takes(state)
    still = after(solo(5, f"{FIRST} green_i1 / card_02 red_i1"), Fell(1, ("green_i1",)), Rested(1, ()))
    assert actions(still) == [PutBack("Ana", "green_i1", FIRST), GiveBack("Ana", "green_i1")]


@pytest.mark.parametrize(("floors", "met"), [(13, False), (14, True)])
def test_CT_36__fourteen_cards(floors: int, met: bool) -> None:
    """CT-36: at least 14 floor cards, the first counts."""
    tower = " / ".join(f"card_{number:02}" for number in range(1, floors + 1))
    done = after(solo(6, tower, "red_i1"), *lay("red_i1"))
    assert (done.reason is CrazyReason.CHALLENGE_MET) == met


@pytest.mark.parametrize(
    ("number", "seconds", "reason"),
    [
        (7, 180, CrazyReason.THREE_MINUTES),
        (8, 120, CrazyReason.TWO_MINUTES),
        (9, 60, CrazyReason.ONE_MINUTE),
    ],
)
def test_CT_37__against_the_clock(number: int, seconds: int, reason: CrazyReason) -> None:
    """CT-37, CT-38, CT-39: three, two, one minute from the first grab to the last rest, or it is lost."""
    state = solo(number, f"{FIRST} green_i1", "red_i1")
    assert state.challenge is not None
    assert state.challenge.limit_s == seconds
    early = f"CT-{30 + number}: the clock starts with the first grab"
    assert refusal(state, TimeUp(1)) == early
    assert refusal(after(state, RevealCard("Ana")), TimeUp(1)) == early
    held = apply(state, Take("Ana", "red_i1"))
    for moment in (held, apply(held, Released(1, "red_i1"))):
        over = apply(moment, TimeUp(1))
        assert (over.winners, over.reason, over.held) == ((), reason, "")
        assert over.reason is not None
        assert over.reason.clause == f"CT-{30 + number}"
    assert after(state, *lay("red_i1")).reason is CrazyReason.CHALLENGE_MET


def test_CT_37__at_any_moment() -> None:
    """CT-37: the time also runs out while boxes act and while the referee looks; nothing is left to do then."""
    tower = f"{FIRST} red_i1 green_i1 / card_02 yellow_i1"
    boxes = solo(7, tower, started=True, stage=TurnStage.BOXES, boxes=(Sort.REMOVE,))
    fallen = after(solo(7, tower, started=True), Fell(1, ("red_i1",)), Rested(1, ()))
    for state in (boxes, apply(boxes, Pull("Ana", "green_i1")), apply(fallen, GiveBack("Ana", "red_i1"))):
        over = apply(state, TimeUp(1))
        assert (over.reason, over.boxes, over.asked) == (CrazyReason.THREE_MINUTES, (), "")
        assert (over.hand, over.held, over.met) == (HandPhase.FREE, "", False)
        assert faults(over) == ()


def test_CT_37__no_clock_without_the_challenge() -> None:
    """CT-37: nobody else is in a hurry."""
    for state in (solo(1, started=True), position(started=True)):
        with pytest.raises(MalformedAction, match="no challenge against the clock is played"):
            apply(state, TimeUp(1))
    assert [each.limit_s for each in STOCK.challenges if each.limit_s] == [180, 120, 60]


HANDICAPS: dict[str, dict[str, object]] = {
    "CT-40": {"mirrored": True, "tremor": 2.0, "tremor_mm": 1.0},
    "CT-41": {"sway_mm": 8.0, "sway_period_s": 5.0, "sway_axes": 2},
    "CT-42": {"arm_mm": 600.0},
    "CT-44": {"depth_cues": False, "turns_while_holding": False},
    "CT-45": {"sway_mm": 16.0, "sway_period_s": 3.0, "sway_axes": 1},
    "CT-46": {"grip": 0.35},
    "CT-47": {"spins": 3, "wobble_s": 5.0},
    "CT-48": {"eye_mm": 60.0},
    "CT-49": {"reach_mm": 150.0},
    "CT-50": {"drop_mm": 20.0},
}


@pytest.mark.parametrize("clause", CLAUSES)
def test_CT_40__handicaps(clause: str) -> None:
    """CT-40..42, CT-44..50: the handicap of the hand and the eye is declared; the others have none."""
    challenge = next(each for each in STOCK.challenges if each.clause == clause)
    declared = {
        field.name: getattr(challenge.handicap, field.name)
        for field in fields(Handicap)
        if getattr(challenge.handicap, field.name) != field.default
    }
    assert declared == HANDICAPS.get(clause, {})
    assert challenge.on_side == (clause == "CT-43")


def test_CT_40__no_handicap() -> None:
    """CT-40..50: what is not declared is as usual."""
    assert Handicap() == Handicap(False, 1.0, 0.0, 0.0, 0.0, 0, 0.0, 1.0, True, True, 0, 0.0, 0.0, 0.0, 0.0)


def test_values_do_not_change() -> None:
    """States and all they are made of are frozen and slotted."""
    kinds = [
        kind for module in (rules_state, stock) for kind in vars(module).values() if isinstance(kind, type)
    ]
    for kind in kinds:
        if is_dataclass(kind) and kind.__module__.startswith("teeter.games.crazy_tower"):
            assert "__slots__" in vars(kind), kind
            assert kind.__dataclass_params__.frozen, kind  # type: ignore[attr-defined]


def test_CT_45__stronger_than_on_tiptoes() -> None:
    """CT-41, CT-45: one foot sways more than tiptoes, and around one axis."""
    tiptoes, one_foot = (STOCK.challenges[number - 1].handicap for number in (11, 15))
    assert one_foot.sway_mm > tiptoes.sway_mm > 0
    assert (tiptoes.sway_axes, one_foot.sway_axes) == (2, 1)


def test_CT_43__on_their_side() -> None:
    """CT-43: blocks stand on their side; the single cube is exempt; put back ones too."""
    how = {
        choice.action.piece: choice.conditions[1]
        for choice in legal(solo(13))
        if isinstance(choice.action, Take)
    }
    assert how.pop("red_i1") is Condition.LAID_FLAT
    assert {how.pop("green_i1"), how.pop("yellow_i1")} == {Condition.LAID_FLAT}
    assert {choice.conditions[1] for choice in legal(solo(12)) if choice.conditions} == {Condition.LAID_FLAT}
    assert set(how.values()) == {Condition.ON_ITS_SIDE}
    still = after(solo(13, f"{FIRST} red_i3"), Fell(1, ("red_i3",)), Rested(1, ()))
    assert legal(still)[0].conditions[1] is Condition.ON_ITS_SIDE


def test_CT_50__cards_are_dropped() -> None:
    """CT-50: a card is let go above the tower, or it is taken up again; put back ones too."""
    state = after(solo(20, f"{FIRST} red_i1", stack="card_02"), RevealCard("Ana"))
    how = (Condition.CARD_ON_TOP, Condition.CARD_TOUCHES_BLOCK, Condition.DROPPED_FROM_ABOVE)
    assert legal(state)[0].conditions == how
    held = after(state, Take("Ana", "card_02"), Released(1, "card_02"))
    assert needs(held).conditions == how
    assert apply(held, Placed(1, "card_02", broken=how[2:])).stage is TurnStage.CARD
    still = after(held, Placed(1, "card_02"), Fell(1, ("card_02",)), Rested(1, ()))
    assert legal(still)[0].conditions == how
    usual = after(solo(19, f"{FIRST} red_i1", stack="card_02"), RevealCard("Ana"))
    assert legal(usual)[0].conditions == how[:2]
    assert legal(solo(20))[0].conditions[1:] == (Condition.LAID_FLAT, Condition.COVERS_NO_RED_BOX)


def test_CT_51__a_team() -> None:
    """CT-51: several players as one team, in turns; play again is the same member's; one seat, all blocks."""
    state = solo(1, f"{FIRST} / card_10", players=3)
    team = "Ana+Ben+Cem"
    assert [seat.name for seat in state.seats] == [team]
    members = []
    for piece in ("red_i1", "green_i1", "yellow_i1"):
        members.append(state.seats[0].members[state.member].name)
        state = after(state, *lay(piece, player=team))
    assert [*members, state.seats[0].members[state.member].name] == ["Ana", "Ben", "Cem", "Ana"]
    again = after(solo(1, f"{FIRST} / card_10", players=3), *lay("red_i1", box("card_10"), player=team))
    assert (again.member, again.stage) == (0, TurnStage.CHOOSE)
    with pytest.raises(SetupError, match="has no teams"):
        start(("Ana+Ben", "Cem"), 1, {}, STOCK)


SOUND = position(f"{FIRST} red_i1 green_i1 / card_02 yellow_i1", card="")
CARRY = apply(SOUND, Take("Ana", "red_i3"))
CARD = apply(SOUND, RevealCard("Ana"))
BOXES = replace(SOUND, stage=TurnStage.BOXES, boxes=(Sort.REMOVE,))
PULLING = apply(BOXES, Pull("Ana", "green_i1"))
FELL = after(SOUND, Fell(0, ("red_i1",)), Rested(0, ()))
MENDING = apply(FELL, PutBack("Ana", "red_i1", FIRST))
ASKED = apply(FELL, GiveBack("Ana", "red_i1"))
PULLED = apply(PULLING, Removed(0, "green_i1"))
CRASHED = apply(PULLING, Fell(0, ("card_02", "yellow_i1")))
SLIPPED = after(PULLING, Fell(0, ("green_i1", "red_i1")), Rested(0, ()))
THREE = position(f"{FIRST} red_i1 / card_02 yellow_i1 / card_03", stage=TurnStage.BOXES, boxes=(Sort.REMOVE,))
AIR = after(CARRY, Released(0, "red_i3"), Fell(0, ("yellow_i1",)))
OVER = apply(SOUND, Fell(0, ("card_02", "yellow_i1")))
SOLO = solo(1)
SABOTEUR = position(mode="saboteur", options={"saboteur": "Ben"})


@pytest.mark.parametrize(
    "state",
    [
        SOUND,
        CARRY,
        CARD,
        BOXES,
        PULLING,
        FELL,
        MENDING,
        ASKED,
        OVER,
        PULLED,
        CRASHED,
        SLIPPED,
        AIR,
        apply(THREE, Pull("Ana", "yellow_i1")),
        replace(SOLO, winners=("Ana",), reason=CrazyReason.CHALLENGE_MET),
        SOLO,
        SABOTEUR,
        solo(1, players=2, member=1),
    ],
)
def test_sound_states_have_no_faults(state: State) -> None:
    assert faults(state) == ()
    assert kept(GAME, state) == state


@pytest.mark.parametrize(
    ("state", "fault"),
    [
        (replace(SOUND, mode="duel"), "unknown mode 'duel'"),
        (replace(SOUND, seats=SOUND.seats[:1]), "1 seats"),
        (replace(SOUND, seats=SOUND.seats * 2), "6 seats"),
        (replace(SOUND, hands=SOUND.hands[:2]), "2 hands for 3 seats"),
        (replace(SOUND, turn=3), "turn 3 is no seat"),
        (replace(SOUND, turn=-1), "turn -1 is no seat"),
        (replace(SOUND, member=1), "member 1 is nobody"),
        (replace(SOUND, member=-1), "member -1 is nobody"),
        (replace(SOUND, turn=3, member=1), "member 1 is nobody"),
        (replace(SOUND, passes=3), "3 passes of 3 seats"),
        (replace(SOUND, passes=-1), "-1 passes of 3 seats"),
        (replace(SOUND, colours=SOUND.colours[:2]), "colours of 2 seats for 3"),
        (replace(SOUND, colours=(("red",), ("red",), ("green",))), "colours ['green', 'red', 'red'] are not"),
        (replace(SABOTEUR, saboteur=3), "saboteur 3 is no seat"),
        (replace(SABOTEUR, saboteur=-2), "saboteur -2 is no seat"),
        (replace(SABOTEUR, saboteur=-1), "saboteur -1 in mode saboteur"),
        (replace(SOUND, saboteur=0), "saboteur 0 in mode competitive"),
        (
            replace(SOUND, stock=replace(SOUND.stock, challenges=STOCK.challenges[:1])),
            "challenges in mode comp",
        ),
        (replace(SOLO, stock=replace(SOLO.stock, challenges=())), "challenges in mode solo"),
        (replace(OVER, winners=("Zoe",)), "a winner without a seat"),
        (replace(SOUND, winners=("Ana",)), "winners without a reason"),
        (replace(SOUND, hands=((), *SOUND.hands[1:])), "blocks lost or doubled: {'red_i3': 1"),
        (
            replace(SOUND, hands=(("green_i1",) + SOUND.hands[0], *SOUND.hands[1:])),
            "doubled: {'green_i1': 1}",
        ),
        (replace(SOUND, fallen=(Fallen("red_i1"),)), "blocks lost or doubled: {'red_i1': 1}"),
        (replace(SOUND, deck=SOUND.deck[1:]), f"cards lost or doubled: {{'{SOUND.deck[0]}': 1}}"),
        (replace(SOUND, floors=(*SOUND.floors, Floor("card_02"))), "cards lost or doubled: {'card_02': 1}"),
        (replace(SOUND, fallen=(Fallen("card_02"),)), "cards lost or doubled: {'card_02': 1}"),
        (replace(SOUND, card=SOUND.deck[0]), "cards lost or doubled"),
        (replace(OVER, reason=None, winners=()), "a block and a card fell, and the game goes on"),
        (replace(SOUND, floors=(), hands=OVER.hands), "blocks lost or doubled"),
        (replace(SOUND, card=SOUND.deck[0], deck=SOUND.deck[1:]), "in stage CHOOSE"),
        (replace(CARD, card="", deck=(CARD.card, *CARD.deck)), "card '' in stage CARD"),
        (replace(CARRY, held=""), "nothing held while the hand has CARRY"),
        (replace(PULLING, held="", met=False), "nothing held while the hand has PULL"),
        (replace(SOUND, held="red_i3"), "held 'red_i3' while the hand has FREE"),
        (replace(ASKED, held="red_i1"), "held 'red_i1' while the hand has ASK"),
        (replace(PULLING, held="yellow_i1"), "'yellow_i1' is pulled out"),
        (replace(PULLING, boxes=()), "'green_i1' is pulled out"),
        (replace(CARRY, held="green_i3"), "held 'green_i3' in stage CHOOSE"),
        (replace(MENDING, held="red_i3", target=""), "held 'red_i3' in stage CHOOSE"),
        (replace(CARD, hand=HandPhase.CARRY, held="red_i3"), "held 'red_i3' in stage CARD"),
        (replace(CARRY, target=FIRST), f"target '{FIRST}' without a block to put back"),
        (replace(SOUND, met=True), "an empty hand has met something"),
        (replace(ASKED, asked=""), "asked about ''"),
        (replace(ASKED, fallen=(), floors=SOUND.floors), "asked about 'red_i1', which has not fallen"),
        (replace(SOUND, asked="red_i1"), "asked about 'red_i1', which has not fallen"),
        (replace(SOUND, boxes=(Sort.WHITE,)), "a box that does not act"),
        (replace(SOUND, stage=TurnStage.BOXES), "no box to act in stage BOXES"),
        (replace(SOUND, stage=TurnStage.BOXES, boxes=(Sort.AGAIN,)), "no box to act in stage BOXES"),
    ],
)
def test_faults(state: State, fault: str) -> None:
    """A broken state is told what is wrong."""
    assert [each for each in faults(state) if fault in each], faults(state)


def test_no_tower() -> None:
    """A tower has at least its first card, unless that lies fallen."""
    empty = solo(1, stack="").stock
    state = replace(solo(1), floors=(), deck=tuple(card.id for card in empty.cards))
    assert faults(state) == ("no tower stands",)
    fallen = after(solo(1), Fell(0, (FIRST,)))
    assert faults(fallen) == faults(apply(fallen, Rested(0, ()))) == ()


def test_all_faults_at_once() -> None:
    """Everything that is wrong is told, not the first only."""
    state = replace(SOUND, passes=9, turn=7, hands=SOUND.hands[:1])
    assert len(faults(state)) >= 4
