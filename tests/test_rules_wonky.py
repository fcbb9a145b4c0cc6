"""Wonky, clause by clause: a state, an input, and what must come of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, cast

import pytest
from faults_wonky import faults
from rules_lab import Lab, Table, begin, count_leaves
from rules_wonky import LAB, NAMES

from teeter.games.core.errors import IllegalAction, MalformedAction, SetupError
from teeter.games.core.events import Condition, CountElapsed, Fell, Met, Nudged, Released, Rested
from teeter.games.core.rules import Input, Need, Outcome, Take, TakeBack, Wait
from teeter.games.game import stock_of
from teeter.games.wonky.game import GAME
from teeter.games.wonky.rules import apply, legal, needs, outcome, scores, seen_by, start, tell
from teeter.games.wonky.rules_turn import free_blocks, the_block, the_card
from teeter.games.wonky.state import (
    Card,
    DrawCards,
    Effect,
    House,
    KeepCard,
    Phase,
    PlayCard,
    Sort,
    State,
    Stock,
    WonkyReason,
)

STOCK: Stock = stock_of(GAME)
DECK = [card.id for card in STOCK.cards for _ in range(card.count)]
BLOCKS = tuple(block.id for block in STOCK.blocks)
SIZES, COLOURS = ("small", "medium", "large"), ("green", "blue", "purple")


def position(
    *hands: str,
    tower: int | tuple[str, ...] = 0,
    top: str = "",
    discard: str = "",
    house: House | None = None,
    no_deck: bool = False,
    **more: Any,
) -> State:
    """A state by its interesting parts: hands, tower (or its height), top of the deck; cards as words.

    The cards not named make up the rest of the deck, or with `no_deck` are in nobody's hands at all.
    """
    held = tuple(tuple(hand.split()) for hand in hands)
    rest = Counter(DECK)
    for pile in (*held, top.split(), discard.split()):
        rest.subtract(pile)
    assert min(rest.values()) >= 0, "more cards than there are"
    state = start(NAMES[: len(held)], 1, {}, STOCK)
    return replace(
        state,
        house=house or House(),
        hands=held,
        tower=BLOCKS[:tower] if isinstance(tower, int) else tower,
        deck=(*top.split(), *([] if no_deck else rest.elements())),
        discard=tuple(discard.split()),
        **more,
    )


def after(state: State, *inputs: Input) -> State:
    """The state after all these inputs."""
    for given in inputs:
        state = apply(state, given)
    return state


def add(block: str, player: str = "Ana") -> tuple[Input, ...]:
    """A block taken, let go, and standing at three."""
    return Take(player, block), Released(1, block), CountElapsed(1, block)


def refusal(state: State, given: Input) -> str:
    """The full refusal of an illegal input."""
    with pytest.raises(IllegalAction) as caught:
        apply(state, given)
    return str(caught.value)


def playable(state: State) -> list[str]:
    """The cards that may be played."""
    return [choice.action.card for choice in legal(state) if isinstance(choice.action, PlayCard)]


def test_WK_01__nine_blocks() -> None:
    """WK-01: small, medium and large, each in green, blue and purple."""
    assert {(block.size, block.colour) for block in STOCK.blocks} == {(s, c) for s in SIZES for c in COLOURS}
    assert len(STOCK.blocks) == 9


def test_WK_02__the_deck() -> None:
    """WK-02: 54 cards; the exact kinds and counts."""
    assert len(DECK) == 54
    assert Counter((card.sort, card.effect) for card in STOCK.cards for _ in range(card.count)) == {
        (Sort.BLOCK, Effect.NONE): 45,
        (Sort.ACTION, Effect.PASS): 3,
        (Sort.ACTION, Effect.REVERSE): 2,
        (Sort.COMBO, Effect.DRAW): 2,
        (Sort.COMBO, Effect.REVERSE): 2,
    }
    blocks = {(card.size, card.colour): card.count for card in STOCK.cards if card.sort is Sort.BLOCK}
    assert blocks == {(s, c): 3 for s in (*SIZES, "") for c in (*COLOURS, "") if s or c}


@pytest.mark.parametrize(
    ("players", "cards"), [(2, 7), (3, 7), (6, 7), (7, 6), (8, 6), (9, 5), (10, 4), (12, 4), (13, 3), (16, 3)]
)
def test_WK_02__cards_dealt(players: int, cards: int) -> None:
    """WK-02: seven each; more than six players get fewer, at least three, and a draw deck remains."""
    state = begin(LAB, Table([f"P{number}" for number in range(players)], {}), 3, "standard")
    assert {len(hand) for hand in state.hands} == {cards}
    assert len(state.deck) == 54 - players * cards >= 6


def test_WK_02__a_deck_too_small() -> None:
    """WK-02: cards must be left to draw, or the game cannot begin."""
    small = replace(STOCK, cards=(Card("any_blue", 6, Sort.BLOCK, colour="blue"),))
    with pytest.raises(SetupError, match="6 cards are too few to deal 3 to each of 2 players"):
        start(("Ana", "Ben"), 1, {}, small)
    enough = replace(STOCK, cards=(Card("any_blue", 7, Sort.BLOCK, colour="blue"),))
    assert len(start(("Ana", "Ben"), 1, {}, enough).deck) == 1


def test_WK_02__shuffled_by_the_seed() -> None:
    """WK-02, ALL-7: the seed shuffles; every card is dealt out of one deck."""
    one, two = (begin(LAB, Table(("Ana", "Ben"), {}), seed, "standard") for seed in (1, 2))
    assert one.hands != two.hands
    assert Counter([*one.deck, *one.hands[0], *one.hands[1]]) == Counter(DECK)
    assert list(one.hands[0] + one.hands[1] + one.deck) != DECK


@pytest.mark.parametrize(("first", "turn"), [("", 0), ("Cem", 2), ("2", 1)])
def test_WK_03__who_begins(first: str, turn: int) -> None:
    """WK-03, ALL-5: the first named begins, or who the option names; then clockwise."""
    state = begin(LAB, Table(("Ana", "Ben", "Cem"), {"first": first} if first else {}), 1, "standard")
    assert state.turn == turn
    order = [turn]
    for _ in range(3):
        state = apply(replace(state, hands=(("pass", "pass"),) * 3), PlayCard(NAMES[state.turn], "pass"))
        order.append(state.turn)
    assert order == [(turn + add) % 3 for add in range(4)]


def test_WK_03__not_out_of_turn() -> None:
    """WK-03: only the player on turn acts."""
    state = position("pass pass", "pass")
    assert refusal(state, PlayCard("Ben", "pass")) == "WK-03: it is Ana's turn, not Ben's"


def test_WK_04__card_then_block() -> None:
    """WK-04: one card goes to the discard pile, then its block is asked for; no second card."""
    state = position("large_blue pass pass", "pass", discard="any_blue")
    assert refusal(state, Take("Ana", "large_blue")) == "WK-04: a card comes first, then the block"
    assert refusal(state, PlayCard("Ana", "any_small")) == "WK-04: Ana does not hold the any-small card"
    played = apply(state, PlayCard("Ana", "large_blue"))
    assert played.discard == ("any_blue", "large_blue")
    assert played.hands == (("pass", "pass"), ("pass",))
    assert (played.phase, played.turn) == (Phase.ADD, 0)
    once = "WK-04: one card a turn; the large blue card is played and asks for its block"
    assert refusal(played, PlayCard("Ana", "pass")) == once
    assert refusal(apply(played, Take("Ana", "large_blue")), PlayCard("Ana", "pass")) == once


def test_WK_04__one_of_two_equal_cards() -> None:
    """WK-04: of two equal cards one is played; equal cards are one choice."""
    state = position("pass large_blue pass", "pass")
    assert playable(state) == ["pass", "large_blue"]
    assert apply(state, PlayCard("Ana", "pass")).hands[0] == ("large_blue", "pass")


@pytest.mark.parametrize(
    ("card", "blocks"),
    [
        ("large_blue", {"large_blue"}),
        ("any_blue", {"small_blue", "medium_blue", "large_blue"}),
        ("any_small", {"small_green", "small_blue", "small_purple"}),
        ("combo_draw", set(BLOCKS)),
        ("combo_reverse", set(BLOCKS)),
    ],
)
def test_WK_05__matching_blocks(card: str, blocks: set[str]) -> None:
    """WK-05, WK-10: a card asks for a matching block; a combo card takes any."""
    state = apply(position(f"{card} pass", "pass"), PlayCard("Ana", card))
    assert {cast(Take, choice.action).piece for choice in legal(state)} == blocks
    for block in BLOCKS:
        if block in blocks:
            assert apply(state, Take("Ana", block)).held == block
        else:
            said = f"WK-05: {the_block(block)} does not match {the_card(card)}"
            assert refusal(state, Take("Ana", block)) == said


def test_WK_05__from_outside_the_tower() -> None:
    """WK-05: a block in the tower is not taken."""
    state = apply(position("any_blue pass", "pass", tower=("large_blue",)), PlayCard("Ana", "any_blue"))
    assert refusal(state, Take("Ana", "large_blue")) == "WK-05: the large blue block is part of the tower"
    assert "large_blue" not in {cast(Take, choice.action).piece for choice in legal(state)}


def test_WK_05__a_new_tower_in_the_centre() -> None:
    """WK-05, WK-11: the first block stands in the centre; the others are highest and touch only the tower."""
    for tower, conditions in (
        (0, (Condition.IN_THE_CENTRE,)),
        (1, (Condition.HIGHEST_OF_THE_TOWER, Condition.TOUCHES_TOWER_ONLY)),
    ):
        state = apply(position("large_blue pass", "pass", tower=tower), PlayCard("Ana", "large_blue"))
        assert legal(state)[0].conditions == conditions
        held = apply(state, Take("Ana", "large_blue"))
        assert needs(held) == Need(Wait.HAND, "Ana", ("large_blue",), conditions)
        assert needs(apply(held, Released(1, "large_blue"))).conditions == conditions


def test_WK_06__only_with_a_matching_block() -> None:
    """WK-06: a card whose blocks all stand in the tower cannot be played."""
    tower = ("small_blue", "medium_blue", "large_blue")
    state = position("large_blue any_blue any_large", "pass", tower=tower)
    assert playable(state) == ["any_large"]
    assert (
        refusal(state, PlayCard("Ana", "large_blue"))
        == "WK-06: no block outside the tower matches the large blue card"
    )
    assert (
        refusal(state, PlayCard("Ana", "any_blue"))
        == "WK-06: no block outside the tower matches the any-blue card"
    )


BLUE = ("small_blue", "medium_blue", "large_blue")


def test_WK_07__draw_until_playable() -> None:
    """WK-07: without a playable card draw until one is; it may be played at once, and no other."""
    state = position("large_blue any_blue", "pass", tower=BLUE, top="small_blue any_large any_small")
    assert [choice.action for choice in legal(state)] == [DrawCards("Ana")]
    drawn = apply(state, DrawCards("Ana"))
    assert drawn.hands[0] == ("large_blue", "any_blue", "small_blue", "any_large")
    assert drawn.deck[0] == "any_small"
    assert [choice.action for choice in legal(drawn)] == [PlayCard("Ana", "any_large"), KeepCard("Ana")]
    played = apply(drawn, PlayCard("Ana", "any_large"))
    assert (played.phase, played.card, played.turn) == (Phase.ADD, "any_large", 0)
    other = replace(drawn, tower=())
    assert refusal(other, PlayCard("Ana", "large_blue")) == (
        "WK-07: only the card just drawn may be played: the any-large card"
    )


def test_WK_07__declining_ends_the_turn() -> None:
    """WK-07: the drawn card may be kept; that ends the turn."""
    drawn = apply(position("large_blue", "pass", tower=BLUE, top="any_large"), DrawCards("Ana"))
    kept = apply(drawn, KeepCard("Ana"))
    assert (kept.turn, kept.phase, kept.card) == (1, Phase.PLAY, "")
    assert kept.hands[0] == ("large_blue", "any_large")


def test_WK_07__who_can_play_must() -> None:
    """WK-07: no drawing and no keeping with a playable card in hand, or at another moment."""
    state = position("large_blue any_green", "pass", tower=BLUE)
    assert refusal(state, DrawCards("Ana")) == "WK-07: a player who holds a playable card must play one"
    assert refusal(state, KeepCard("Ana")) == "WK-07: only a playable card just drawn can be kept"
    played = apply(state, PlayCard("Ana", "any_green"))
    assert refusal(played, DrawCards("Ana")) == (
        "WK-07: cards are drawn only at the start of a turn, with nothing to play"
    )
    assert refusal(played, KeepCard("Ana")) == "WK-07: only a playable card just drawn can be kept"


def test_WK_07__nothing_left_to_draw() -> None:
    """WK-07, WK-15: with deck and discard pile used up the turn passes."""
    state = position(
        "large_blue", "any_green", tower=BLUE, top="any_blue", discard="small_blue", no_deck=True
    )
    passed = apply(state, DrawCards("Ana"))
    assert passed.hands[0] == ("large_blue", "any_blue", "small_blue")
    assert (passed.deck, passed.discard, passed.turn, passed.phase) == ((), (), 1, Phase.PLAY)
    empty = replace(state, deck=(), discard=())
    assert [choice.action for choice in legal(empty)] == [DrawCards("Ana")]
    assert apply(empty, DrawCards("Ana")).turn == 1


@pytest.mark.parametrize("tower", [0, 2])
def test_WK_08__pass(tower: int) -> None:
    """WK-08: a pass ends the turn without a block (a standing tower comes to rest first, ALL-2)."""
    state = apply(position("pass any_blue", "pass", "pass", tower=tower), PlayCard("Ana", "pass"))
    if tower:
        assert needs(state) == Need(Wait.REST, "Ana")
        assert refusal(state, PlayCard("Ben", "pass")) == "ALL-2: nothing is decided while things move"
        state = apply(state, Rested(9, ()))
    assert (state.turn, state.direction, state.phase) == (1, 1, Phase.PLAY)
    assert len(state.tower) == tower
    assert refusal(state, Rested(9, ())) == "ALL-2: nothing waits for the tower to rest"


@pytest.mark.parametrize(("players", "direction", "turn"), [(2, 1, 1), (3, -1, 2), (4, -1, 3)])
def test_WK_09__reverse(players: int, direction: int, turn: int) -> None:
    """WK-09: the direction turns; between two players the turn passes and that is all."""
    state = apply(position("reverse any_blue", *["any_small"] * (players - 1)), PlayCard("Ana", "reverse"))
    assert (state.direction, state.turn) == (direction, turn)


def test_WK_09__and_back() -> None:
    """WK-09: a second reverse turns it back."""
    state = position("reverse pass", "any_blue", "reverse pass")
    state = after(state, PlayCard("Ana", "reverse"), PlayCard("Cem", "reverse"))
    assert (state.direction, state.turn) == (1, 0)


@pytest.mark.parametrize(
    ("card", "players", "turn", "direction", "drawn"),
    [
        ("combo_draw", 3, 1, 1, 1),
        ("combo_reverse", 3, 2, -1, 0),
        ("combo_reverse", 2, 1, 1, 0),
        ("any_blue", 3, 1, 1, 0),
    ],
)
def test_WK_10__combo(card: str, players: int, turn: int, direction: int, drawn: int) -> None:
    """WK-10: first the block, then the effect: the next player draws one and plays as usual, or reverse."""
    state = position(f"{card} pass", *["pass any_green"] * (players - 1), top="any_small")
    begun = apply(state, PlayCard("Ana", card))
    assert (begun.direction, begun.hands[1]) == (1, ("pass", "any_green"))
    done = after(begun, *add("small_blue"))
    assert (done.turn, done.direction, done.phase) == (turn, direction, Phase.PLAY)
    assert done.hands[turn] == ("pass", "any_green", *["any_small"] * drawn)


def test_WK_10__no_effect_after_a_fall() -> None:
    """WK-10, WK-14: a combo whose block falls has no effect; the next card's effect counts instead."""
    state = position(
        "combo_reverse combo_draw", "pass", "pass", tower=2, top="pass reverse reverse any_small"
    )
    fallen = after(
        state,
        PlayCard("Ana", "combo_reverse"),
        Take("Ana", BLOCKS[5]),
        Released(1, BLOCKS[5]),
        Fell(2, BLOCKS[1:2]),
    )
    assert fallen.direction == 1
    done = after(replace(fallen, step=0), PlayCard("Ana", "combo_draw"), *add(BLOCKS[0]))
    assert (done.turn, done.direction, done.hands[1]) == (1, 1, ("pass", "any_small"))


@pytest.mark.parametrize("broken", [Condition.HIGHEST_OF_THE_TOWER, Condition.TOUCHES_TOWER_ONLY])
def test_WK_11__not_on_top_is_a_fall(broken: Condition) -> None:
    """WK-11, ALL-9: a block that does not end on top counts as a fall; it is not laid again."""
    state = after(
        position("large_blue pass", "pass", tower=2), PlayCard("Ana", "large_blue"), Take("Ana", "large_blue")
    )
    fallen = after(state, Released(1, "large_blue"), CountElapsed(1, "large_blue", (broken,)))
    assert (fallen.phase, fallen.tower, len(fallen.hands[0]), fallen.turn) == (Phase.RESTART, (), 4, 0)
    counted = CountElapsed(1, "large_blue", (broken,))
    told = tell(apply(state, Released(1, "large_blue")), counted, fallen)
    assert told[0].startswith(f"... three, but {broken.missed}.")


HELD = after(
    position("large_blue pass", "pass", tower=2), PlayCard("Ana", "large_blue"), Take("Ana", "large_blue")
)
"""Ana carries the large blue block to a tower of two."""


def test_ALL_1__one_piece_in_the_hand() -> None:
    """ALL-1, WK-11: a hand that holds a block takes no other, and lets go only what it holds."""
    assert (
        refusal(HELD, Take("Ana", "small_blue"))
        == "ALL-1: one hand holds one piece at a time; it holds the large blue block"
    )
    free = apply(HELD, TakeBack("Ana"))
    assert refusal(free, Released(1, "large_blue")) == "ALL-1: no block is in the hand"
    with pytest.raises(MalformedAction, match="'small_blue' is not the block in play, 'large_blue' is"):
        apply(HELD, Released(1, "small_blue"))


def test_WK_12__a_nudge_is_a_foul() -> None:
    """WK-12: more than 1 mm is a foul: the block goes back and is placed again; less is nothing."""
    assert apply(HELD, Nudged(3, BLOCKS[0], 1.0)) == replace(HELD, step=3)
    foul = apply(apply(HELD, Met(2, "large_blue", BLOCKS[0])), Nudged(3, BLOCKS[0], 1.01))
    assert foul == replace(HELD, phase=Phase.ADD, held="", fouls=1, step=3)
    assert refusal(foul, Nudged(4, BLOCKS[0], 2.0)) == "WK-12: only a held block can nudge"
    with pytest.raises(MalformedAction, match="unknown tower block 'large_blue'"):
        apply(HELD, Nudged(3, "large_blue", 2.0))


@pytest.mark.parametrize(("house", "falls"), [(House(third_foul_falls=True), True), (House(), False)])
def test_WK_12__the_third_foul(house: House, falls: bool) -> None:
    """WK-12: by option the third foul in a turn is a fall; each turn and each fall start the count anew."""
    state = replace(HELD, house=house)
    for fouls in (1, 2):
        state = after(state, Nudged(1, BLOCKS[0], 2.0), Take("Ana", "large_blue"))
        assert (state.fouls, state.tower) == (fouls, BLOCKS[:2])
    third = apply(state, Nudged(1, BLOCKS[0], 2.0))
    assert (third.phase is Phase.RESTART, third.fouls) == ((True, 0) if falls else (False, 3))
    assert len(third.hands[0]) == (4 if falls else 1)
    next_turn = after(state, Released(1, "large_blue"), CountElapsed(1, "large_blue"))
    assert next_turn.fouls == 0


def test_WK_13__count_to_three() -> None:
    """WK-13: three seconds from the release; what stands then is a success, and the next turn begins."""
    counting = apply(HELD, Released(1, "large_blue"))
    assert needs(counting) == Need(Wait.COUNT, "Ana", ("large_blue",), legal_conditions(), 3.0)
    assert legal(counting) == ()
    assert refusal(counting, TakeBack("Ana")) == "ALL-2: nothing is decided while things move"
    done = apply(counting, CountElapsed(700, "large_blue"))
    assert (done.turn, done.phase, done.tower) == (1, Phase.PLAY, (*BLOCKS[:2], "large_blue"))
    assert (done.card, done.held, done.step) == ("", "", 700)
    assert not after(HELD, Met(1, "large_blue", BLOCKS[0]), *add("large_blue")[1:]).met
    assert refusal(done, CountElapsed(701, "large_blue")) == "WK-13: no count is on"
    assert refusal(HELD, CountElapsed(701, "large_blue")) == "WK-13: no count is on"


def legal_conditions() -> tuple[Condition, ...]:
    """How a block on a tower has to lie."""
    return (Condition.HIGHEST_OF_THE_TOWER, Condition.TOUCHES_TOWER_ONLY)


def test_WK_13__a_later_fall_is_the_next_players() -> None:
    """WK-13: a fall within the count is the player's, one after it the next player's."""
    counting = apply(HELD, Released(1, "large_blue"))
    own = apply(counting, Fell(2, ("large_blue",)))
    assert (own.turn, len(own.hands[0]), len(own.hands[1])) == (0, 4, 1)
    later = after(counting, CountElapsed(2, "large_blue"), Fell(3, ("large_blue",)))
    assert (later.turn, len(later.hands[0]), len(later.hands[1])) == (1, 1, 4)


def test_WK_13__the_order_at_the_end_of_a_turn() -> None:
    """WK-13: ninth block before empty hand before effect: each is told by its reason."""
    ninth = position("combo_draw", "pass", tower=8)
    assert after(ninth, PlayCard("Ana", "combo_draw"), *add(BLOCKS[8])).reason is WonkyReason.NINTH_BLOCK
    last = after(position("combo_draw", "pass", tower=7), PlayCard("Ana", "combo_draw"), *add(BLOCKS[7]))
    assert last.reason is WonkyReason.EMPTY_HAND
    assert len(last.hands[1]) == 1


def moments() -> list[tuple[str, State, tuple[str, ...]]]:
    """Every moment of a turn at which a tower of two can fall, with Ana's hand after the three cards."""
    start_hand = position("any_blue pass", "pass", tower=2, top="any_small any_large pass any_green")
    played = apply(start_hand, PlayCard("Ana", "any_blue"))
    held = apply(played, Take("Ana", "large_blue"))
    drew = replace(
        position("pass", "pass", tower=2, top="any_small any_large pass any_green"), phase=Phase.DRAWN
    )
    three = ("any_small", "any_large", "pass")
    return [
        ("before a card", start_hand, ("any_blue", "pass", *three)),
        ("with a card drawn", replace(drew, card="pass"), ("pass", *three)),
        ("before the block", played, ("pass", *three)),
        ("while carrying", held, ("pass", *three)),
        ("after a touch", apply(held, Met(1, "large_blue", BLOCKS[0])), ("pass", *three)),
        ("in the count", apply(held, Released(1, "large_blue")), ("pass", *three)),
        ("after a pass", apply(start_hand, PlayCard("Ana", "pass")), ("any_blue", *three)),
    ]


@pytest.mark.parametrize(("moment", "state", "hand"), moments(), ids=[row[0] for row in moments()])
def test_WK_14__a_fall_at_any_point(moment: str, state: State, hand: tuple[str, ...]) -> None:
    """WK-14: three cards at once, all blocks free, another block or combo card, a new tower this turn."""
    fallen = apply(state, Fell(5, (BLOCKS[1],)))
    assert fallen.hands[0] == hand
    assert (fallen.phase, fallen.turn, fallen.tower, fallen.held) == (Phase.RESTART, 0, (), "")
    assert (fallen.card, fallen.met, fallen.step) == ("", False, 5)
    assert playable(fallen) == list(dict.fromkeys(card for card in hand if card != "pass"))
    assert (
        refusal(fallen, PlayCard("Ana", "pass"))
        == "WK-14: a new tower needs a block or combo card, not the pass card"
    )
    assert refusal(fallen, Fell(6, (BLOCKS[1],))) == "WK-14: no tower is standing"
    done = after(replace(fallen, step=0), PlayCard("Ana", "any_small"), *add(BLOCKS[0]))
    assert (done.turn, done.tower) == (1, BLOCKS[:1])
    assert free_blocks(fallen, next(card for card in STOCK.cards if card.id == "combo_draw")) == BLOCKS


def test_WK_14__the_first_block_of_a_tower() -> None:
    """WK-14, WK-05: a first block that rolls off the table is a fall; one that stands elsewhere is laid again."""
    state = after(position("any_blue pass", "pass"), PlayCard("Ana", "any_blue"), Take("Ana", "large_blue"))
    assert refusal(state, Fell(1, ("large_blue",))) == "WK-14: no tower is standing"
    counting = apply(state, Released(1, "large_blue"))
    fallen = apply(counting, Fell(2, ("large_blue",)))
    assert (fallen.phase, len(fallen.hands[0])) == (Phase.RESTART, 4)
    again = apply(counting, CountElapsed(2, "large_blue", (Condition.IN_THE_CENTRE,)))
    assert (again.phase, again.held, again.hands) == (Phase.CARRY, "large_blue", counting.hands)
    assert not legal(again), "it, and no other"
    said = "ALL-6: the large blue block was let go, or has touched something, and can no longer be taken back"
    assert refusal(again, TakeBack("Ana")) == said


def test_WK_14__what_fell_must_have_stood() -> None:
    """WK-14: only blocks of the tower, or the one just let go, can fall."""
    for state, pieces in (
        (HELD, ("large_blue",)),
        (HELD, ("hat",)),
        (apply(HELD, Released(1, "large_blue")), ()),
    ):
        with pytest.raises(MalformedAction, match=r"unknown tower block|nothing fell"):
            apply(state, Fell(2, pieces))


def test_WK_14__without_a_block_card_draw_on() -> None:
    """WK-14: after the three cards, draw until there is a block or combo card; with none the turn ends."""
    state = position("pass", "reverse pass", tower=2, top="pass reverse combo_draw any_small")
    # two of the three cards are actions, the third is not: no more are drawn
    assert apply(state, Fell(1, BLOCKS[:1])).hands[0] == ("pass", "pass", "reverse", "combo_draw")
    dry = position("any_small", "any_small any_small", tower=2)
    dry = replace(
        dry, hands=(("pass",), dry.hands[1]), deck=("pass", "reverse", "pass", "reverse", "any_blue", "pass")
    )
    fallen = apply(dry, Fell(1, BLOCKS[:1]))
    assert fallen.hands[0] == ("pass", "pass", "reverse", "pass", "reverse", "any_blue")
    assert (fallen.phase, fallen.turn, fallen.deck) == (Phase.RESTART, 0, ("pass",))
    none = apply(replace(dry, deck=("pass", "reverse", "pass", "reverse")), Fell(1, BLOCKS[:1]))
    assert (none.phase, none.turn, none.tower, len(none.hands[0])) == (Phase.PLAY, 1, (), 5)


@pytest.mark.parametrize(("card", "direction"), [("pass", 1), ("reverse", -1)])
def test_WK_14__after_an_action_card_it_stands(card: str, direction: int) -> None:
    """WK-14: a fall after a pass or reverse: the action stands, and a new tower is started likewise."""
    state = position(f"{card} any_blue", "any_green", "any_green", tower=2, top="pass reverse any_small")
    fallen = after(state, PlayCard("Ana", card), Fell(0, BLOCKS[:1]))
    assert (fallen.turn, fallen.direction, fallen.phase) == (0, direction, Phase.RESTART)
    done = after(fallen, PlayCard("Ana", "any_blue"), *add("small_blue"))
    assert (done.turn, done.direction) == (1 if direction == 1 else 2, direction)


def test_WK_15__the_discard_pile_is_shuffled() -> None:
    """WK-15: in the middle of a draw the discard pile becomes the deck, shuffled by the luck in the state."""
    pile = "any_blue any_green any_purple any_small any_medium any_large small_green"
    state = position("pass any_blue", "pass", tower=2, top="large_green", discard=pile, no_deck=True)
    fallen = apply(state, Fell(1, BLOCKS[:1]))
    assert fallen.hands[0][:3] == ("pass", "any_blue", "large_green")
    assert len(fallen.hands[0]) == 5
    assert fallen.discard == ()
    assert Counter(fallen.hands[0][3:] + fallen.deck) == Counter(pile.split())
    assert fallen.luck != state.luck
    orders = {apply(replace(state, luck=luck), Fell(1, BLOCKS[:1])).deck for luck in range(20)}
    assert len(orders) > 10


def test_WK_15__the_card_just_played_comes_back() -> None:
    """WK-15: the played card is part of the discard pile, so there is always something to draw after it."""
    state = position("any_blue", "pass", tower=2, no_deck=True)
    fallen = after(state, PlayCard("Ana", "any_blue"), Fell(1, BLOCKS[:1]))
    assert fallen.hands[0] == ("any_blue",)
    assert fallen.phase is Phase.RESTART


def test_WK_15__both_empty_the_draw_is_skipped() -> None:
    """WK-15: with deck and discard pile empty a combo's draw gives nothing."""
    state = position("any_blue pass", "pass", no_deck=True)
    state = replace(state, hands=(("combo_draw", "pass"), ("any_blue",)), deck=(), discard=())
    played = replace(apply(state, PlayCard("Ana", "combo_draw")), discard=())
    done = after(played, *add("small_blue"))
    assert (done.turn, done.hands[1]) == (1, ("any_blue",))


@pytest.mark.parametrize("card", ["any_blue", "combo_draw", "combo_reverse"])
def test_WK_16__the_first_without_cards_wins(card: str) -> None:
    """WK-16: at the end of the own turn, when the last block stands; a combo's effect is void."""
    state = apply(position(card, "pass", "pass", tower=2), PlayCard("Ana", card))
    assert outcome(state) is None
    took, *rest = add(BLOCKS[4])
    won = after(state, took, Met(1, BLOCKS[4], BLOCKS[0]), *rest)
    assert (won.card, won.held, won.met) == ("", "", False)
    assert outcome(won) == Outcome(("Ana",), WonkyReason.EMPTY_HAND)
    assert (won.direction, won.hands[1:], won.turn) == (1, (("pass",), ("pass",)), 0)
    assert needs(won) == Need(Wait.OVER, "Ana")
    assert (
        refusal(won, PlayCard("Ben", "pass"))
        == "WK-16: the game is over: no cards left at the end of the turn"
    )


def test_WK_16__not_while_the_block_may_fall() -> None:
    """WK-16: the last card is out but its block falls: the game goes on."""
    state = after(position("any_blue", "pass", tower=2), PlayCard("Ana", "any_blue"), Fell(1, BLOCKS[:1]))
    assert outcome(state) is None
    assert len(state.hands[0]) == 3


@pytest.mark.parametrize("card", ["pass", "reverse"])
def test_WK_16__no_action_card_last(card: str) -> None:
    """WK-16, WK-07: an action card held alone is not playable; one drawn beside another card is."""
    alone = position(card, "pass", tower=2, top="pass any_blue")
    assert refusal(alone, PlayCard("Ana", card)) == (
        f"WK-16: the last card may not be an action card, as the {card} card is"
    )
    assert [choice.action for choice in legal(alone)] == [DrawCards("Ana")]
    drawn = apply(alone, DrawCards("Ana"))
    assert drawn.hands[0] == (card, "pass")
    assert [choice.action for choice in legal(drawn)] == [PlayCard("Ana", "pass"), KeepCard("Ana")]


def test_WK_17__the_ninth_block_wins() -> None:
    """WK-17: however many cards are left; the eighth does not."""
    eight = after(
        position("any_small any_large", "pass", tower=7), PlayCard("Ana", "any_large"), *add(BLOCKS[7])
    )
    assert outcome(eight) is None
    nine = after(
        position("any_small any_large", "pass", tower=8), PlayCard("Ana", "any_large"), *add(BLOCKS[8])
    )
    assert outcome(nine) == Outcome(("Ana",), WonkyReason.NINTH_BLOCK)
    assert scores(nine) == (1, 1)


@pytest.mark.parametrize("players", [0, 1, 17])
def test_WK_18__two_to_sixteen(players: int) -> None:
    """WK-18: 2 to 16 players, nobody else."""
    with pytest.raises(SetupError, match=f"Wonky is for 2 to 16 players; {players} given"):
        start([f"P{number}" for number in range(players)], 1, {}, STOCK)
    for enough in (2, 16):
        assert len(start([f"P{number}" for number in range(enough)], 1, {}, STOCK).seats) == enough


def test_ALL_6__take_back() -> None:
    """ALL-6: a block may be put back until it meets another or is let go; cards stay played and drawn."""
    assert apply(HELD, TakeBack("Ana")) == replace(HELD, phase=Phase.ADD, held="")
    assert [choice.action for choice in legal(HELD)] == [TakeBack("Ana")]
    met = apply(HELD, Met(2, "large_blue", BLOCKS[1]))
    assert legal(met) == ()
    assert (
        refusal(met, TakeBack("Ana"))
        == "ALL-6: the large blue block has touched another piece and can no longer be taken back"
    )
    assert (
        refusal(apply(HELD, TakeBack("Ana")), Met(2, "large_blue", "table"))
        == "ALL-6: no block is in the hand"
    )
    # a block taken anew has met nothing
    again = after(met, Nudged(2, BLOCKS[0], 2.0), Take("Ana", "large_blue"))
    assert not again.met
    drawn = apply(position("large_blue", "pass", tower=BLUE, top="any_large"), DrawCards("Ana"))
    for state in (drawn, apply(HELD, TakeBack("Ana")), position("pass pass", "pass")):
        assert refusal(state, TakeBack("Ana")) == "ALL-6: only a piece still in the hand can be taken back"


def test_unknown_names() -> None:
    """A block or card that does not exist is malformed, and the nearest is suggested."""
    with pytest.raises(MalformedAction, match="unknown block 'large_blu'; did you mean 'large_blue'"):
        apply(apply(HELD, TakeBack("Ana")), Take("Ana", "large_blu"))
    with pytest.raises(MalformedAction, match="unknown card 'any blue'; did you mean 'any_blue'"):
        apply(position("pass pass", "pass"), PlayCard("Ana", "any blue"))


def test_seen_by_hides_cards() -> None:
    """Nobody sees another hand, the deck, the luck, or the card another player has just drawn."""
    state = position("large_blue", "pass any_green", tower=BLUE, top="any_large")
    seen = seen_by(state, "Ben")
    assert seen.hands == (("?",), ("pass", "any_green"))
    assert set(seen.deck) == {"?"}
    assert len(seen.deck) == len(state.deck)
    assert seen.luck == 0
    drawn = apply(state, DrawCards("Ana"))
    assert (seen_by(drawn, "Ben").card, seen_by(drawn, "Ana").card) == ("?", "any_large")
    played = apply(drawn, PlayCard("Ana", "any_large"))
    assert seen_by(played, "Ben").card == "any_large"


SOUND = position("large_blue pass", "pass", tower=2)


@pytest.mark.parametrize(
    ("state", "fault"),
    [
        (replace(SOUND, hands=(("pass",), ("pass",))), "cards lost or doubled: {'large_blue': 1}"),
        (replace(SOUND, discard=("pass", "pass")), "cards lost or doubled: {'pass': 2}"),
        (replace(SOUND, hands=SOUND.hands[:1], deck=("pass", *SOUND.deck)), "1 hands for 2 seats"),
        (replace(SOUND, seats=SOUND.seats[:1]), "1 seats"),
        (replace(SOUND, turn=2), "turn 2 is no seat"),
        (replace(SOUND, turn=-1), "turn -1 is no seat"),
        (replace(SOUND, direction=0), "direction 0 is neither 1 nor -1"),
        (replace(SOUND, tower=(BLOCKS[0], BLOCKS[0])), "a block is in two places"),
        (replace(SOUND, tower=("hat",)), "unknown blocks ['hat']"),
        (replace(SOUND, held=BLOCKS[5]), "held 'medium_purple' in phase PLAY"),
        (replace(SOUND, phase=Phase.COUNT, card="pass"), "held '' in phase COUNT"),
        (replace(HELD, held=""), "held '' in phase CARRY"),
        (replace(HELD, held=BLOCKS[0]), "a block is in two places"),
        (replace(SOUND, met=True), "an empty hand has met a piece"),
        (replace(HELD, card="hat"), "unknown card 'hat'"),
        (replace(HELD, card=""), "a block without a card"),
        (replace(SOUND, phase=Phase.ADD), "no card in phase ADD"),
        (replace(SOUND, phase=Phase.DRAWN), "no card in phase DRAWN"),
        (replace(SOUND, phase=Phase.RESTART), "a tower stands that fell"),
        (replace(SOUND, winners=("Ana",)), "winners and reason do not agree"),
        (replace(SOUND, reason=WonkyReason.NINTH_BLOCK), "winners and reason do not agree"),
        (replace(SOUND, reason=WonkyReason.NINTH_BLOCK), "the game is over in phase PLAY"),
        (replace(SOUND, reason=WonkyReason.NINTH_BLOCK, winners=("Zoe",)), "a winner without a seat"),
    ],
)
def test_faults(state: State, fault: str) -> None:
    """A broken state is told everything that is wrong."""
    assert [each for each in faults(state) if fault in each], faults(state)


def test_sound_states_have_no_faults() -> None:
    assert faults(SOUND) == faults(HELD) == faults(apply(HELD, Met(1, "large_blue", "table"))) == ()
    assert faults(replace(SOUND, direction=-1)) == ()
    for players in (2, 16):
        assert faults(start([f"P{number}" for number in range(players)], 1, {}, STOCK)) == ()


@pytest.mark.parametrize(("depth", "leaves"), [(1, 3), (2, 6), (3, 11), (4, 19), (5, 33)])
def test_perft(depth: int, leaves: int) -> None:
    """Counts of legal sequences from a small start, counted by hand as well: few cards, calm physics."""
    few = tuple(
        card for card in STOCK.cards if card.id in ("large_blue", "any_small", "pass", "combo_reverse")
    )
    lab: Lab = LAB
    state = start(("Ana", "Ben"), 5, {}, replace(STOCK, cards=few))
    assert count_leaves(lab, state, depth) == leaves
