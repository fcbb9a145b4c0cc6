"""Crazy Tower, clause by clause: the box, the setup, the turn."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from rules_crazy_tower import FIRST, LAB, NAMES, STOCK, actions, after, lay, position, refusal, takes
from rules_lab import count_leaves

from teeter.games.core import codec
from teeter.games.core.errors import IllegalAction, MalformedAction, SetupError
from teeter.games.core.events import (
    Condition,
    Fell,
    Met,
    Nudged,
    Placed,
    Question,
    RefereeAnswer,
    Released,
    Removed,
    Rested,
)
from teeter.games.core.rules import Need, Take, TakeBack, Wait
from teeter.games.crazy_tower.rules import apply, legal, needs, seen_by, start
from teeter.games.crazy_tower.state import (
    SORTS,
    Block,
    Card,
    CrazyReason,
    Fallen,
    Floor,
    HandPhase,
    House,
    NothingFits,
    PutBack,
    RevealCard,
    Sort,
    State,
    Stock,
    TurnStage,
    boxes_of,
    read_stock,
)

COLOURS = ("red", "yellow", "green", "purple")
VALUES = {"i1": 1, "i3": 3, "l3": 3, "o4": 4, "t4": 4, "l4": 4, "v5": 5}
FLAT = (Condition.ON_HIGHEST_FLOOR, Condition.LAID_FLAT, Condition.COVERS_NO_RED_BOX)
ON_TOP = (Condition.CARD_ON_TOP, Condition.CARD_TOUCHES_BLOCK)


def test_CT_01__blocks() -> None:
    """CT-01, CT-23: 28 blocks, seven shapes in four colours, with their values."""
    assert len(STOCK.blocks) == 28
    assert {block.id: block.value for block in STOCK.blocks} == {
        f"{colour}_{shape}": value for colour in COLOURS for shape, value in VALUES.items()
    }
    assert STOCK.colours == COLOURS


def test_CT_02__floor_cards() -> None:
    """CT-02: 21 cards of 5 x 5 boxes; three plain; 18 with one special box, six of each sort; 12-16 white."""
    assert len({card.id for card in STOCK.cards}) == 21
    plain = [card for card in STOCK.cards if card.is_plain]
    assert len(plain) == 3
    kinds: Counter[Sort] = Counter()
    for card in STOCK.cards:
        assert [len(row) for row in card.boxes] == [5] * 5
        counts = Counter(boxes_of(card).values())
        if card not in plain:
            assert 12 <= counts[Sort.WHITE] <= 16
            special = {sort for sort in counts if sort not in (Sort.WHITE, Sort.RED)}
            assert sum(counts[sort] for sort in special) == 1
            kinds.update(special)
    assert kinds == {Sort.REMOVE: 6, Sort.AGAIN: 6, Sort.EXCHANGE: 6}


def test_CT_02__the_start() -> None:
    """CT-02: a card without special boxes is the first floor; the other 20 are shuffled by the seed."""
    one, two = (start(NAMES[:3], seed, {}, STOCK) for seed in (1, 2))
    assert one.floors == (Floor(FIRST),)
    assert next(card for card in STOCK.cards if card.id == FIRST).is_plain
    assert set(one.deck) == {card.id for card in STOCK.cards} - {FIRST}
    assert len(one.deck) == 20
    assert one.deck != two.deck
    assert list(one.deck) != sorted(one.deck)


def test_CT_02__a_forbidden_box_is_special() -> None:
    """CT-02: a card with red boxes only does not start; without a plain one the game cannot begin."""
    red = Card("card_00", ("#....", *["....."] * 4))
    assert not red.is_plain
    cards = (red, *STOCK.cards)
    assert start(("Ana", "Ben"), 1, {}, replace(STOCK, cards=cards)).floors == (Floor(FIRST),)
    with pytest.raises(SetupError, match="no floor card without special boxes to start with"):
        start(("Ana", "Ben"), 1, {}, replace(STOCK, cards=(red,)))


def test_CT_03__marks_of_boxes() -> None:
    """CT-03..07: every box has its mark and its clause; boxes are named by row and column from the far left."""
    assert {mark: sort.clause for mark, sort in SORTS.items()} == {
        ".": "CT-03",
        "#": "CT-04",
        "-": "CT-05",
        "+": "CT-06",
        "x": "CT-07",
    }
    boxes = boxes_of(Card("c", (".#", "-+")))
    assert boxes == {"c.r1c1": Sort.WHITE, "c.r1c2": Sort.RED, "c.r2c1": Sort.REMOVE, "c.r2c2": Sort.AGAIN}


def test_CT_03__white_boxes_do_nothing() -> None:
    """CT-03: covering white boxes, one or many, is just a block laid."""
    done = after(position(), *lay("red_v5", f"{FIRST}.r1c1", f"{FIRST}.r1c2"))
    assert (done.turn, done.floors, done.boxes) == (1, (Floor(FIRST, ("red_v5",)),), ())


@pytest.mark.parametrize(
    ("tables", "sentence"),
    [
        ({"card": [{"id": "c", "boxes": ["?"]}]}, r"card 'c': unknown marks \['\?'\]; allowed: \. # - \+ x"),
        (
            {"piece": [{"id": "blue_i1", "colour": "red", "value": 1}]},
            "block 'blue_i1': its id must begin with its colour 'red'",
        ),
        ({"piece": [{"id": "_i1", "value": 1}]}, "block '_i1': its id must begin with its colour ''"),
        ({"challenge": [{"number": 1}]}, r"challenge\[0\]: 'clause' is missing"),
    ],
)
def test_catalogue_faults(tables: dict[str, object], sentence: str) -> None:
    """A catalogue that does not fit is refused with the row."""
    with pytest.raises(codec.MisfitError, match=sentence):
        read_stock(tables)


def test_catalogue() -> None:
    """Cards are pieces too, but no blocks; columns of other readers are passed over."""
    rows = {"piece": [{"id": "red_i1", "colour": "red", "value": 1, "bevel": 1}, {"id": "card_01"}]}
    assert read_stock(rows) == Stock((Block("red_i1", "red", 1),), ())


@pytest.mark.parametrize("broken", FLAT)
def test_CT_04__a_block_that_slips_is_laid_again(broken: Condition) -> None:
    """CT-04, CT-11, CT-14, ALL-9: a block on a red box, beside its floor or not flat is taken up again."""
    state = apply(position(), Take("Ana", "red_i3"))
    assert needs(state) == Need(Wait.HAND, "Ana", ("red_i3",), FLAT)
    again = after(
        state, Met(1, "red_i3", FIRST), Released(1, "red_i3"), Placed(1, "red_i3", broken=(broken,))
    )
    assert (again.turn, again.stage, again.hand, again.held) == (0, TurnStage.CHOOSE, HandPhase.FREE, "")
    assert (again.hands, again.floors, again.met) == (state.hands, state.floors, False)
    assert after(again, *lay("red_i3")).turn == 1


def slipped(floors: str = FIRST, *hands: str | None, **more: Any) -> State:
    """Ana's red bar has come to lie against the rules."""
    state = position(floors, *hands, **more)
    return after(state, Take("Ana", "red_i3"), Released(1, "red_i3"), Placed(1, "red_i3", broken=FLAT[:1]))


def test_ALL_9_a_block_that_slipped_is_laid_again_before_any_other() -> None:
    """ALL-9, CT-10: no other block, no new card instead; a take-back (ALL-6) leads nowhere else."""
    again = slipped(f"{FIRST} green_i1", stack="card_02")
    claim = NothingFits("Ana")
    assert actions(again) == [Take("Ana", "red_i3"), claim]
    assert legal(again)[1].sentence == "say that the red bar fits nowhere"
    first = "ALL-9: the red bar is laid again first"
    assert refusal(again, Take("Ana", "red_i1")) == first
    assert refusal(again, RevealCard("Ana")) == first
    assert after(again, Take("Ana", "red_i3"), TakeBack("Ana")) == replace(again, started=True)
    assert "red_i3" not in after(again, *lay("red_i3")).hands[0]
    assert after(again, *lay("red_i3")).again == ""


def test_ALL_9_a_block_that_fits_nowhere_is_let_off_by_the_referee() -> None:
    """ALL-9, CT-10: asked about this block alone; then the player chooses anew, or lays it where there is a place."""
    again = slipped(f"{FIRST} green_i1", stack="card_02")
    asked = apply(again, NothingFits("Ana"))
    assert needs(asked).pieces == ("red_i3", FIRST)
    no = apply(asked, RefereeAnswer(2, Question.DOES_FIT, ("red_i3", FIRST), False))
    assert (no.turn, no.again) == (0, "")
    assert {Take("Ana", "red_i1"), RevealCard("Ana")} < set(actions(no))
    yes = apply(asked, RefereeAnswer(2, Question.DOES_FIT, ("red_i3", FIRST), True))
    assert actions(yes) == [Take("Ana", "red_i3")]
    assert refusal(yes, NothingFits("Ana")) == "CT-10: the referee has found a place"
    once_more = after(yes, Take("Ana", "red_i3"), Released(3, "red_i3"), Placed(3, "red_i3", broken=FLAT[:1]))
    assert actions(once_more) == actions(again)


def test_ALL_9_a_block_that_may_not_be_laid_any_more_is_let_go_of() -> None:
    """ALL-9, CT-18: once another of its colour has slid onto the floor, or it falls itself."""
    again = slipped(f"{FIRST} red_i1 / card_02 yellow_i1", stack="card_03")
    card = after(again, Fell(2, ("card_02",)), Rested(2, ()))
    assert card.again == "red_i3"
    back = after(card, PutBack("Ana", "card_02"), Released(2, "card_02"), Placed(2, "card_02"))
    assert (back.again, actions(back)) == ("red_i3", [Take("Ana", "red_i3"), NothingFits("Ana")])
    away = replace(again, floors=(Floor(FIRST, ("red_i1",)),), deck=("card_02", "card_03"))
    away = replace(away, hands=(away.hands[0], away.hands[1] + ("yellow_i1",), *away.hands[2:]))
    moved = after(away, Fell(3, ("red_i1",)), Rested(3, ()), PutBack("Ana", "red_i1", FIRST))
    assert after(moved, Released(3, "red_i1"), Placed(3, "red_i1", FIRST)).again == ""
    fell = after(again, Take("Ana", "red_i3"), Released(4, "red_i3"), Fell(4, ("red_i3",)))
    assert (fell.again, fell.laid) == ("", "red_i3")


@pytest.mark.parametrize(
    ("players", "mode", "colours"),
    [
        (2, "competitive", (("red", "yellow"), ("green", "purple"))),
        (3, "competitive", (("red",), ("yellow",), ("green",))),
        (4, "competitive", (("red",), ("yellow",), ("green",), ("purple",))),
        (3, "saboteur", (("red",), ("yellow",), ("green",))),
        (4, "saboteur", (("red",), ("yellow",), ("green",), ("purple",))),
    ],
)
def test_CT_08__colours(players: int, mode: str, colours: tuple[tuple[str, ...], ...]) -> None:
    """CT-08: two players have two colours each, three or four one; what nobody chose is out of the game."""
    state = start(NAMES[:players], 1, {"mode": mode}, STOCK)
    assert state.colours == colours
    for chosen, hand in zip(colours, state.hands, strict=True):
        assert hand == tuple(f"{colour}_{shape}" for colour in chosen for shape in VALUES)
    assert {block.colour for block in state.stock.blocks} == {colour for each in colours for colour in each}


def test_CT_08__chosen_colours() -> None:
    """CT-08: players choose their colours, in seat order."""
    state = start(NAMES[:3], 1, {"colours": "purple, red ,green"}, STOCK)
    assert state.colours == (("purple",), ("red",), ("green",))
    two = start(NAMES[:2], 1, {"colours": "purple,red,green,yellow"}, STOCK)
    assert two.colours == (("purple", "red"), ("green", "yellow"))
    assert two.hands[0][0] == "purple_i1"


@pytest.mark.parametrize(
    ("colours", "sentence"),
    [
        ("red,blue,green", r"option colours: unknown colour 'blue'; .*allowed: red, yellow, green, purple"),
        ("red,red,green", "option colours: a colour is chosen twice in 'red,red,green'"),
        ("red,green", "option colours: 3 colours are in play, 2 are chosen"),
        ("red,green,purple,yellow", "option colours: 3 colours are in play, 4 are chosen"),
    ],
)
def test_CT_08__bad_colours(colours: str, sentence: str) -> None:
    """CT-08: as many colours as are in play, each once."""
    with pytest.raises(SetupError, match=sentence):
        start(NAMES[:3], 1, {"colours": colours}, STOCK)


def test_CT_08__too_few_colours() -> None:
    """CT-08: every player needs a colour."""
    red = replace(STOCK, blocks=STOCK.blocks[:7])
    with pytest.raises(SetupError, match="1 colours are too few for 2 players"):
        start(NAMES[:2], 1, {}, red)
    assert (
        start(("Ana",), 1, {"mode": "solo", "challenge": 1, "colour_count": 1}, red).hands[0][0] == "red_i1"
    )


@pytest.mark.parametrize(
    ("mode", "players", "allowed"),
    [
        ("competitive", (1, 5), "2 to 4 players"),
        ("saboteur", (2, 5), "3 to 4 players"),
        ("solo", (0, 2), "one player or one team"),
    ],
)
def test_CT_08__players(mode: str, players: tuple[int, int], allowed: str) -> None:
    """CT-08: 2-4 players, 3-4 with a saboteur, one alone (or one team)."""
    for count in players:
        with pytest.raises(SetupError, match=f"is for {allowed}; {count} given"):
            start([f"P{number}" for number in range(count)], 1, {"mode": mode}, STOCK)


@pytest.mark.parametrize(("first", "turn"), [("", 0), ("Cem", 2), ("2", 1)])
def test_CT_09__who_starts(first: str, turn: int) -> None:
    """CT-09, ALL-5: competitive: the first named, or who the option names."""
    assert start(NAMES[:3], 1, {"first": first}, STOCK).turn == turn


def test_CT_09__left_of_the_saboteur() -> None:
    """CT-09: the player on the saboteur's left starts; the saboteur is named, or drawn by lot."""
    for number, name in enumerate(NAMES[:3]):
        state = start(NAMES[:3], 1, {"mode": "saboteur", "saboteur": name}, STOCK)
        assert (state.saboteur, state.turn) == (number, (number + 1) % 3)
    drawn = {start(NAMES[:3], seed, {"mode": "saboteur"}, STOCK).saboteur for seed in range(20)}
    assert drawn == {0, 1, 2}
    assert position().saboteur == -1


def test_CT_09__a_secret_saboteur() -> None:
    """CT-09: by option only the saboteur knows; the start does not tell; the end does."""
    secret = {"mode": "saboteur", "secret": "yes", "saboteur": "Ben"}
    state = start(NAMES[:3], 1, {**secret, "first": "Cem"}, STOCK)
    assert (state.saboteur, state.turn) == (1, 2)
    assert start(NAMES[:3], 1, secret, STOCK).turn == 0
    assert seen_by(state, "Ben").saboteur == 1
    hidden = seen_by(state, "Ana")
    assert (hidden.saboteur, hidden.house.saboteur, hidden.luck, set(hidden.deck)) == (-1, "", 0, {"?"})
    assert seen_by(hidden, "Ana") == hidden
    assert seen_by(replace(state, reason=CrazyReason.SABOTEUR_DONE), "Ana").saboteur == 1
    open_game = start(NAMES[:3], 1, {"mode": "saboteur", "saboteur": "Ben"}, STOCK)
    seen = seen_by(open_game, "Ana")
    assert (seen.saboteur, seen.luck, len(seen.deck)) == (1, 0, 20)
    assert seen.house.saboteur == "Ben"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"saboteur": "Zoe"}, r"option saboteur: unknown player 'Zoe'; .*allowed: Ana, Ben, Cem"),
        (
            {"first": "Ana"},
            r"option first: the player on the saboteur's left starts \(CT-09\), unless secret",
        ),
        ({"challenge": 3}, "option challenge belongs to mode solo, not to mode saboteur"),
    ],
)
def test_CT_09__bad_options(options: dict[str, object], sentence: str) -> None:
    """CT-09: an unknown saboteur, a start that is not the saboteur's left neighbour's."""
    with pytest.raises(SetupError, match=sentence):
        start(NAMES[:3], 1, {"mode": "saboteur", **options}, STOCK)


def test_CT_10__a_or_b() -> None:
    """CT-10: a block on the highest floor, or the next card and then a block on it; exactly one of the two."""
    state = position(f"{FIRST} red_i3 / card_04 green_i1", stack="card_10 card_16", turn=1)
    assert takes(state) == [block for block in state.hands[1] if block.startswith("yellow")]
    assert actions(state)[-1] == RevealCard("Ben")
    way_a = after(state, *lay("yellow_i1", player="Ben"))
    assert way_a.floors[1] == Floor("card_04", ("green_i1", "yellow_i1"))
    assert "yellow_i1" not in way_a.hands[1]
    assert (way_a.turn, way_a.deck) == (2, state.deck)
    revealed = apply(state, RevealCard("Ben"))
    assert (revealed.card, revealed.deck, revealed.stage) == ("card_10", ("card_16",), TurnStage.CARD)
    assert legal(revealed)[0].conditions == ON_TOP
    assert actions(revealed) == [Take("Ben", "card_10")]
    assert refusal(revealed, Take("Ben", "yellow_i1")) == "CT-10: card 10 is laid first, then a block"
    assert refusal(revealed, RevealCard("Ben")) == "CT-10: a card is revealed at the beginning of a turn"
    assert refusal(revealed, NothingFits("Ben")) == "CT-10: no block is due to be laid now"
    floor = after(revealed, *lay("card_10", player="Ben"))
    assert (floor.stage, floor.card, floor.turn, floor.floors[2]) == (
        TurnStage.BLOCK,
        "",
        1,
        Floor("card_10"),
    )
    assert refusal(floor, RevealCard("Ben")) == "CT-10: a card is revealed at the beginning of a turn"
    assert takes(floor) == list(state.hands[1])
    way_b = after(floor, *lay("yellow_i1", player="Ben"))
    assert (way_b.turn, way_b.stage) == (2, TurnStage.CHOOSE)
    assert way_b.floors[1:] == (Floor("card_04", ("green_i1",)), Floor("card_10", ("yellow_i1",)))


def test_CT_10__only_own_unplayed_blocks() -> None:
    """CT-10: not another player's block, not one of the tower, not a card of the stack."""
    state = position(f"{FIRST} red_i3", stack="card_04")
    for piece, said in (("yellow_i1", "the yellow cube"), ("red_i3", "the red bar"), ("card_04", "card 4")):
        assert refusal(state, Take("Ana", piece)) == f"CT-10: {said} is not an unplayed block of Ana"
    with pytest.raises(MalformedAction, match="unknown piece 'red_i2'; did you mean 'red_i"):
        apply(state, Take("Ana", "red_i2"))


def test_CT_10__a_impossible() -> None:
    """CT-10: with the own colour on the highest floor and a card left, B is compulsory."""
    state = position(f"{FIRST} red_i3", stack="card_04")
    assert actions(state) == [RevealCard("Ana")]
    assert refusal(state, NothingFits("Ana")) == "CT-10: a new floor card can be laid instead"


def test_CT_10__nothing_fits_on_the_new_card() -> None:
    """CT-10: if no block fits on the new card, the card stays and the turn ends; the referee says so."""
    state = after(position(f"{FIRST} red_i3", "red_i1", stack="card_04"), RevealCard("Ana"), *lay("card_04"))
    assert actions(state) == [Take("Ana", "red_i1"), NothingFits("Ana")]
    asked = apply(state, NothingFits("Ana"))
    pieces = ("red_i1", "card_04")
    assert needs(asked) == Need(Wait.ANSWER, "Ana", pieces, question=Question.DOES_FIT)
    assert legal(asked) == ()
    ended = apply(asked, RefereeAnswer(1, Question.DOES_FIT, pieces, False))
    assert (ended.turn, ended.stage, ended.hand, ended.passes) == (1, TurnStage.CHOOSE, HandPhase.FREE, 0)
    assert ended.floors[1] == Floor("card_04")
    found = apply(asked, RefereeAnswer(1, Question.DOES_FIT, pieces, True))
    assert actions(found) == [Take("Ana", "red_i1")]
    assert (found.turn, found.stage, found.fits) == (0, TurnStage.BLOCK, True)
    assert refusal(found, NothingFits("Ana")) == "CT-10: the referee has found a place"
    assert not after(found, *lay("red_i1")).fits


def test_CT_10__a_new_floor_that_is_not_empty() -> None:
    """CT-10, CT-20: on a new floor with a block put back only a block is laid; no second card in the turn."""
    state = position(f"{FIRST} green_i1 / card_02 green_i3", stage=TurnStage.BLOCK)
    assert actions(state)[-1] == NothingFits("Ana")
    assert RevealCard("Ana") not in actions(state)
    assert apply(state, NothingFits("Ana")).hand is HandPhase.ASK


def test_CT_10__the_referee() -> None:
    """CT-10: the referee answers what was asked, and only then."""
    state = position()
    pieces = (*state.hands[0], FIRST)
    answer = RefereeAnswer(1, Question.DOES_FIT, pieces, True)
    assert refusal(state, answer) == "CT-10: the referee was not asked"
    asked = apply(state, NothingFits("Ana"))
    assert refusal(asked, Take("Ana", "red_i1")) == "ALL-2: the referee has yet to answer"
    for wrong in (replace(answer, pieces=pieces[1:]), replace(answer, question=Question.WOULD_TOPPLE)):
        with pytest.raises(
            MalformedAction, match="the question was DOES_FIT about red_i1, red_i3, .*card_01"
        ):
            apply(asked, wrong)


def test_CT_10__the_turn_passes() -> None:
    """CT-10: neither a block nor a card: the turn passes, past everybody who cannot move."""
    state = position(f"{FIRST} green_i1 yellow_i3", "red_i1", "yellow_i1", "green_i3", stack="", players=4)
    asked = apply(state, NothingFits("Ana"))
    passed = apply(asked, RefereeAnswer(1, Question.DOES_FIT, ("red_i1", FIRST), False))
    assert (passed.turn, passed.passes) == (3, 3), "Ben and Cem have their colour there already"
    laid = after(passed, *lay("purple_i1", player="Dora"))
    assert laid.turn == 0, "Ana may try again: something was laid"
    assert laid.passes == 0


@pytest.mark.parametrize(
    ("mode", "winners"), [("competitive", ("Ben",)), ("saboteur", ("Ana", "Cem")), ("solo", ())]
)
def test_CT_10__standstill(mode: str, winners: tuple[str, ...]) -> None:
    """CT-10, CT-22, CT-26, CT-27: nobody can move all round: no causer; the architects; lost."""
    options = {"saboteur": "Ben"} if mode == "saboteur" else {"challenge": 1} if mode == "solo" else {}
    tower = f"{FIRST} red_i3 yellow_i3 green_i3"
    hands = ("red_o4", "yellow_i1", "green_v5") if mode != "solo" else ("red_o4",)
    players = 1 if mode == "solo" else 3
    state = position(tower, *hands, mode=mode, stack="card_02", options=options, turn=0, players=players)
    state = after(state, RevealCard("Ana"), *lay("card_02"), NothingFits("Ana"))
    over = apply(state, RefereeAnswer(1, Question.DOES_FIT, ("red_o4", "card_02"), False))
    assert over.reason is None, "an empty floor: everybody may try"
    for number in [1, 2, 0][-players:]:
        assert (over.turn, over.reason) == (number, None)
        over = apply(over, NothingFits(NAMES[number]))
        over = apply(over, RefereeAnswer(1, Question.DOES_FIT, (hands[number], "card_02"), False))
    assert (over.winners, over.reason) == (winners, CrazyReason.STANDSTILL)
    assert over.reason is not None
    assert over.reason.clause == "CT-10"
    assert needs(over).wait is Wait.OVER
    assert legal(over) == ()
    assert refusal(over, Take("Ana", "red_o4")) == "CT-10: the game is over: nobody can move"


def test_CT_11__only_the_highest_floor() -> None:
    """CT-11: a block that comes to lie on another floor is taken up again; where it lies need not be said."""
    state = position(f"{FIRST} green_i3 / card_04", turn=0)
    held = after(state, Take("Ana", "red_i1"), Released(1, "red_i1"))
    assert apply(held, Placed(1, "red_i1", where=FIRST)).floors == state.floors
    assert apply(held, Placed(1, "red_i1", where="card_04")).floors[1].blocks == ("red_i1",)
    with pytest.raises(MalformedAction, match="unknown floor card 'card_99'"):
        apply(held, Placed(1, "red_i1", where="card_99"))


def test_CT_12__the_first_turn_is_a_block() -> None:
    """CT-12: a card must touch a block of the floor below, so there must be one."""
    state = position()
    no_block = "CT-12: a new card has to touch a block of the floor below, and none lies there"
    assert refusal(state, RevealCard("Ana")) == no_block
    assert RevealCard("Ana") not in actions(state)
    empty_floor = position(f"{FIRST} red_i1 / card_04")
    assert refusal(empty_floor, RevealCard("Ana")) == no_block
    no_card = position(f"{FIRST} green_i1", stack="")
    assert refusal(no_card, RevealCard("Ana")) == "CT-10: no floor card is left in the stack"


@pytest.mark.parametrize("broken", ON_TOP)
def test_CT_12__a_card_that_slips_is_laid_again(broken: Condition) -> None:
    """CT-12, ALL-9: a card that touches no block below, or lies beside the tower, is taken up again."""
    state = after(position(f"{FIRST} green_i1", stack="card_04"), RevealCard("Ana"))
    held = after(state, Take("Ana", "card_04"), Released(1, "card_04"))
    assert needs(held) == Need(Wait.REST, "Ana", ("card_04",), ON_TOP)
    again = apply(held, Placed(1, "card_04", broken=(broken,)))
    assert (again.stage, again.card, again.hand) == (TurnStage.CARD, "card_04", HandPhase.FREE)
    assert len(again.floors) == 1
    assert len(after(again, *lay("card_04")).floors) == 2
    for lies_on in (FIRST, "card_04"):
        lies = apply(held, Placed(1, "card_04", where=lies_on))
        assert len(lies.floors) == 2, "what it lies on does not matter"


def test_CT_13__clockwise() -> None:
    """CT-13: to the left, round and round; nobody plays out of turn."""
    state = position(players=4)
    assert refusal(state, Take("Ben", "yellow_i1")) == "CT-13: it is Ana's turn, not Ben's"
    order = []
    for colour in COLOURS:
        order.append(state.turn)
        state = after(state, *lay(f"{colour}_i1", player=NAMES[state.turn]))
    assert [*order, state.turn] == [0, 1, 2, 3, 0]


def test_CT_14__what_is_asked_of_a_block() -> None:
    """CT-14, CT-15, CT-16: flat, off red boxes, on the highest floor; overhang and offset are not asked about."""
    assert legal(position())[0].conditions == FLAT
    card = after(position(f"{FIRST} green_i1", stack="card_04"), RevealCard("Ana"))
    assert legal(card)[0].conditions == ON_TOP
    held = apply(position(), Take("Ana", "red_v5"))
    assert needs(apply(held, Released(1, "red_v5"))) == Need(Wait.REST, "Ana", ("red_v5",), FLAT)


def test_CT_17__one_hand() -> None:
    """CT-17, ALL-1: a hand that holds something takes nothing else and lets go only what it holds."""
    held = apply(position(f"{FIRST} green_i1", stack="card_04"), Take("Ana", "red_i1"))
    one = "ALL-1: one hand holds one piece at a time; it holds the red cube"
    for action in (Take("Ana", "red_i3"), RevealCard("Ana"), NothingFits("Ana")):
        assert refusal(held, action) == one
    with pytest.raises(MalformedAction, match="'red_i3' is not the piece in play, 'red_i1' is"):
        apply(held, Released(1, "red_i3"))
    free = apply(held, TakeBack("Ana"))
    assert refusal(free, Released(1, "red_i1")) == "ALL-1: nothing is in the hand"
    assert refusal(free, Met(1, "red_i1", FIRST)) == "ALL-1: nothing is in the hand"
    assert refusal(free, Nudged(1, "green_i1", 1.0)) == "ALL-1: nothing is in the hand"
    assert refusal(free, Placed(1, "red_i1")) == "ALL-1: nothing was let go"
    assert refusal(held, Placed(1, "red_i1")) == "ALL-1: nothing was let go"
    assert refusal(held, Removed(1, "red_i1")) == "CT-05: no block is being pulled out"


def test_CT_18__no_colour_twice_on_a_floor() -> None:
    """CT-18: whoever laid it; on another floor it may lie."""
    state = position(f"{FIRST} red_i3 green_i3 / card_04 yellow_i1", players=2, turn=0)
    assert set(takes(state)) == {block for block in state.hands[0] if block.startswith("red")}
    assert refusal(state, Take("Ana", "yellow_i3")) == "CT-18: yellow already lies on this floor"
    swapped = replace(state, hands=(("green_o4", "yellow_l3"), state.hands[1]))
    assert takes(swapped) == ["green_o4"]
    four = position(f"{FIRST} red_i3 green_i3 purple_i3 yellow_i3", players=2)
    assert actions(four) == [RevealCard("Ana")]


def test_ALL_2__while_things_move() -> None:
    """ALL-2: between release and rest nothing is legal, and only what was let go is placed."""
    moving = after(position(), Take("Ana", "red_i1"), Released(1, "red_i1"))
    assert legal(moving) == ()
    assert refusal(moving, TakeBack("Ana")) == "ALL-2: nothing is decided while things move"
    assert (
        refusal(moving, Rested(1, ())) == "ALL-2: the red cube was let go; say where it lies, or that it fell"
    )
    assert refusal(position(), Rested(1, ())) == "ALL-2: nothing waits for the tower to rest"
    with pytest.raises(MalformedAction, match="'red_i3' is not the piece in play"):
        apply(moving, Placed(1, "red_i3"))


def test_ALL_6__take_back() -> None:
    """ALL-6: until it meets a piece or is let go; a revealed card stays revealed."""
    state = position(f"{FIRST} green_i1", stack="card_04")
    held = apply(state, Take("Ana", "red_i1"))
    assert actions(held) == [TakeBack("Ana")]
    assert apply(held, TakeBack("Ana")) == replace(state, started=True)
    late = "ALL-6: the red cube has touched another piece and can no longer be taken back"
    for touch in (Met(2, "red_i1", "green_i1"), Nudged(2, "green_i1", 0.5)):
        met = apply(held, touch)
        assert legal(met) == ()
        assert refusal(met, TakeBack("Ana")) == late
        assert not after(met, Released(2, "red_i1"), Placed(2, "red_i1")).met
    with pytest.raises(MalformedAction, match="unknown piece 'hat'"):
        apply(held, Nudged(2, "hat", 1.0))
    card = after(state, RevealCard("Ana"), Take("Ana", "card_04"), TakeBack("Ana"))
    assert (card.card, card.stage, card.deck) == ("card_04", TurnStage.CARD, ())
    assert refusal(card, TakeBack("Ana")) == "ALL-6: only a piece still in the hand can be taken back"


def test_house_and_sentences() -> None:
    """Choices are told in short sentences; the house is what was asked for."""
    state = position(f"{FIRST} green_i1", "red_i1", stack="card_04")
    assert state.house == House()
    assert [choice.sentence for choice in legal(state)] == ["take the red cube", "reveal the next floor card"]
    assert [choice.sentence for choice in legal(apply(state, Take("Ana", "red_i1")))] == [
        "put the red cube down again"
    ]
    assert [choice.sentence for choice in legal(apply(state, RevealCard("Ana")))] == ["take card 4"]
    assert legal(position())[-1].sentence == "say that no block fits"


def small(cards: str, hands: tuple[str, str]) -> State:
    """A game of few blocks for two, with these cards in the stack."""
    return position(FIRST, *hands, players=2, stack=cards)


@pytest.mark.parametrize(("depth", "leaves"), [(1, 3), (2, 8), (3, 12), (4, 16), (5, 30), (6, 44), (7, 48)])
def test_perft(depth: int, leaves: int) -> None:
    """Counts of legal sequences from a small start: two blocks each, one card is left.

    By hand: two blocks or the claim; then two blocks or the card, or after the claim two blocks; then the card
    only (the own colour lies there already), and so on.
    """
    state = small("card_02", ("red_i1 red_i3", "green_i1 green_i3"))
    assert count_leaves(LAB, state, depth) == leaves


def test_perft_fallen_is_sound() -> None:
    """The helper of these tests makes sound states, and steps never run backwards."""
    state = position(f"{FIRST} red_i3", fallen=(Fallen("green_i1", FIRST),))
    assert "green_i1" in state.hands[2]
    steps = [apply(position(), Take("Ana", "red_i1")).step, after(position(), *lay("red_i1")).step]
    assert all(one <= two for one, two in pairwise(steps))
    with pytest.raises(IllegalAction):
        apply(state, Take("Ana", "red_i1"))
