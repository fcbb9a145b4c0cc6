"""Tower Topple, clause by clause: what is printed on the bricks, and what it makes the next player owe."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from rules_tower_topple import (
    after,
    b,
    crash,
    gained,
    lay,
    on_turn,
    out,
    play,
    position,
    pullable,
    refusal,
    reset,
)

from teeter.games.core.errors import MalformedAction
from teeter.games.core.events import Fell, Placed, Question, RefereeAnswer, Released, Removed
from teeter.games.core.rules import Need, Take, Wait
from teeter.games.core.words import capital
from teeter.games.tower_topple.rules import apply, legal, needs, opening, seen_by, tell
from teeter.games.tower_topple.state import COLOUR_OF, FREE, Phase, Print, Sort, State, Task
from teeter.games.tower_topple.story import demand

TWO, EDGE, CENTRE = Task(Sort.TWO), Task(Sort.EDGE), Task(Sort.CENTRE)
SECOND = Task(Sort.SECOND)
COLOURS = {10: "blue", 13: "blue", 16: "red", 19: "red", 22: "green", 25: "yellow"}
"""Painted bricks of the positions below; 1 to 9 carry the prints."""


def blue(sort: Sort = Sort.COLOUR) -> Task:
    """A brick owed because of DRAW BLUE."""
    return Task(sort, "blue")


def printed(*stamps: Print, **more: Any) -> State:
    """A position in which bricks 1, 2, 3, ... carry these prints."""
    faces: dict[int, Any] = dict(enumerate(stamps, 1))
    return position(faces={**COLOURS, **faces}, **more)


def answer(state: State, yes: bool) -> State:
    """The referee's answer to what was asked."""
    return after(state, RefereeAnswer(state.step, Question.WOULD_TOPPLE, needs(state).pieces, yes))


WORTH = {
    Print.LOSE_TWO: ((-2, 0, 0), (-2, 0, 0)),
    Print.ALL_OTHERS_GAIN_ONE: ((0, 1, 1), (0, 1, 1)),
    Print.ADD_TWO: ((0, 0, 0), (2, 0, 0)),
    Print.ADD_THREE: ((0, 0, 0), (3, 0, 0)),
}
"""Scores when the brick is out, and when it lies; all others: nothing, and one point."""


@pytest.mark.parametrize("stamp", [each for each in Print if each is not Print.UNSEEN])
def test_TT_09__what_a_brick_is_worth(stamp: Print) -> None:
    """TT-08, TT-09, TT-10, TT-13 to TT-18: one point once it lies; TT-19 to TT-22: their own numbers."""
    when_out, when_laid = WORTH.get(stamp, ((0, 0, 0), (1, 0, 0)))
    pulled = out(printed(stamp), 1)
    assert pulled.scores == when_out
    assert lay(pulled).scores == when_laid


@pytest.mark.parametrize("number", [10, 16, 22, 25])
def test_TT_09__a_coloured_brick_nobody_required(number: int) -> None:
    """TT-09: one point."""
    assert play(printed(), number).scores == (1, 0, 0)


@pytest.mark.parametrize("stamp", list(COLOUR_OF))
def test_TT_10__the_next_player_draws_the_colour(stamp: Print) -> None:
    """TT-10: the next player has to pull a brick of that colour, for three points instead of one."""
    colour = stamp.name.split("_")[1].lower()
    state = position(faces={1: stamp, 10: colour, 13: colour, 16: "blue" if colour != "blue" else "red"})
    state = answer(play(state, 1), yes=False)
    assert (state.turn, state.owed, state.phase) == (1, (Task(Sort.COLOUR, colour),), Phase.CHOOSE)
    assert pullable(state) == [10, 13]
    for number in (2, 16):
        assert refusal(state, Take("Ben", b(number))) == f"TT-10: a {colour} brick is to be pulled"
    done = play(state, 13)
    assert (done.scores, done.owed, done.turn) == ((1, 3, 0), (FREE,), 2)


def test_TT_10__no_points_if_it_does_not_get_there() -> None:
    """TT-10, TT-08: three points only once the brick lies."""
    state = answer(play(printed(Print.DRAW_BLUE), 1), yes=False)
    assert crash(out(state, 10), 2).scores == (1, 0, 0)


def test_TT_10__colour_points_by_house_rule() -> None:
    """TT-10, TT-04: by house rule the required colour is worth more or less."""
    state = printed(Print.DRAW_BLUE, mode="4", house={"colour_points": "7"})
    assert play(answer(play(state, 1), yes=False), 10).scores == (1, 7, 0)


def test_TT_11__the_referee_is_asked() -> None:
    """TT-11, ALL-2: when the colour falls due the referee is asked about the bricks in play, first."""
    state = play(printed(Print.DRAW_BLUE), 1)
    asked = Need(Wait.ANSWER, "Ben", (b(10), b(13)), question=Question.WOULD_TOPPLE)
    assert (state.phase, needs(state), legal(state)) == (Phase.ASK, asked, ())
    assert refusal(state, Take("Ben", b(10))) == "ALL-2: the referee has yet to answer"
    for wrong in (
        RefereeAnswer(1, Question.WOULD_TOPPLE, (b(10),), True),
        RefereeAnswer(1, Question.DOES_FIT, (b(10), b(13)), True),
    ):
        with pytest.raises(MalformedAction, match="this answers another question than the one the referee"):
            apply(state, wrong)
    known = answer(state, yes=True)
    again = RefereeAnswer(1, Question.WOULD_TOPPLE, (b(10), b(13)), True)
    assert refusal(known, again) == "TT-11: the referee was not asked"


def either(**more: Any) -> State:
    """Ana has to draw blue, and the referee has said that either would topple the tower."""
    return answer(printed(owed=(blue(),), phase=Phase.ASK, **more), yes=True)


def test_TT_11__two_others_one_point_each() -> None:
    """TT-11: a brick of another colour and any one, one point each, brick by brick, two in all."""
    state = either()
    assert (state.owed, len(pullable(state))) == ((blue(Sort.EITHER),), 51)
    one = play(state, 16)
    assert (one.turn, one.scores, one.owed) == (0, (1, 0, 0), (SECOND,))
    assert len(pullable(one)) == 50
    two = play(one, 2)
    assert (two.turn, two.scores, two.owed) == (1, (2, 0, 0), (FREE,))


def test_TT_11__in_either_order() -> None:
    """TT-11: after a brick without colour the second has to be of a colour other than the required one."""
    one = play(either(), 2)
    assert (one.turn, one.scores, one.owed) == (0, (1, 0, 0), (blue(Sort.OTHER_COLOUR),))
    assert pullable(one) == [16, 19, 22, 25]
    for number in (10, 3):
        said = refusal(one, Take("Ana", b(number)))
        assert said == "TT-11: a brick of a colour other than blue is to be pulled"
    assert play(one, 25).scores == (2, 0, 0)


@pytest.mark.parametrize("second", [10, 3, 19])
def test_TT_11__the_other_may_be_any(second: int) -> None:
    """TT-11: after another colour any brick, even one of the required colour, is worth one point."""
    assert play(either(), 22, second).scores == (2, 0, 0)


def test_TT_11__trying_the_required_colour_stays_allowed() -> None:
    """TT-11: the required colour after all is a success, for three points, and no second brick is owed."""
    done = play(either(), 13)
    assert (done.turn, done.scores) == (1, (3, 0, 0))


def test_TT_11__no_other_colour_in_play() -> None:
    """TT-11: with no other colour in play any two."""
    faces = {10: "blue", 13: "blue", 53: "red"}
    state = answer(position(faces=faces, owed=(blue(),), phase=Phase.ASK), yes=True)
    one = play(state, 2)
    assert one.owed == (SECOND,)
    assert play(one, 3).scores == (2, 0, 0)


def test_TT_11__the_other_colour_goes_out_of_play() -> None:
    """TT-11, TT-23: whether the second can be another colour is looked at when it falls due."""
    faces = {10: "blue", 13: "blue", 52: "red"}
    owed = (blue(Sort.OTHER_COLOUR),)
    gone = play(position(faces=faces, owed=(SECOND, *owed)), 2)
    assert gone.owed == (SECOND,)
    assert play(gone, 3).scores == (2, 0, 0)
    first = answer(position(faces=faces, owed=(blue(),), phase=Phase.ASK, up="1 2"), yes=True)
    assert play(first, 4).owed == owed
    back = play(position(faces=faces, owed=(SECOND, *owed), up="1 2"), 4)
    assert (back.owed, pullable(back)) == (owed, [52])


def test_TT_11__instructions_hold() -> None:
    """TT-11, TT-25: the brick pulled instead is followed, and worth one point whatever it says."""
    one = play(_either_printed(Print.ADD_THREE, Print.EDGE), 1)
    assert one.scores == (1, 0, 0)
    two = play(replace(one, owed=(SECOND,)), 2)
    assert (two.scores, two.owed, two.turn) == ((2, 0, 0), (EDGE,), 1)


def _either_printed(*stamps: Print) -> State:
    return answer(printed(*stamps, owed=(blue(),), phase=Phase.ASK), yes=True)


def test_TT_11__not_by_house_rule() -> None:
    """TT-11, TT-04: with escape=no the colour must be pulled, and lapses when none is in play."""
    house = {"escape": "no"}
    state = play(printed(Print.DRAW_BLUE, mode="4", house=house), 1)
    assert (state.phase, pullable(state)) == (Phase.CHOOSE, [10, 13])
    lapsed = play(position(mode="4", house=house, faces={1: Print.DRAW_BLUE, 52: "blue", 53: "blue"}), 1)
    assert (lapsed.phase, lapsed.owed) == (Phase.CHOOSE, (FREE,))


def test_TT_12__one_out_of_play() -> None:
    """TT-12: the other must be pulled; the referee is asked about that one alone, and then it is TT-11."""
    state = play(position(faces={1: Print.DRAW_BLUE, 10: "blue", 52: "blue", 16: "red"}), 1)
    assert needs(state).pieces == (b(10),)
    must = answer(state, yes=False)
    assert pullable(must) == [10]
    assert refusal(must, Take("Ben", b(16))) == "TT-10: a blue brick is to be pulled"
    assert refusal(must, Take("Ben", b(52))).startswith("TT-06")
    may = answer(state, yes=True)
    assert may.owed == (blue(Sort.EITHER),)
    assert play(may, 16, 2).scores == (1, 2, 0)


def test_TT_12__both_out_of_play() -> None:
    """TT-12: two others, and the referee is not asked."""
    state = play(position(faces={1: Print.DRAW_BLUE, 53: "blue", 52: "blue", 16: "red"}), 1)
    assert (state.phase, state.owed, needs(state).wait) == (Phase.CHOOSE, (blue(Sort.EITHER),), Wait.ACTION)
    assert play(state, 2, 16).scores == (1, 2, 0)


def test_TT_13__draw_two() -> None:
    """TT-13: the next player moves any two bricks, one at a time, for one point in all, after the last."""
    state = play(printed(Print.DRAW_TWO), 1)
    assert (state.turn, state.owed) == (1, (TWO, TWO))
    one = play(state, 2)
    assert (one.turn, one.scores, one.phase) == (1, (1, 0, 0), Phase.CHOOSE)
    two = play(one, 10)
    assert (two.turn, two.scores, two.owed) == (2, (1, 1, 0), (FREE,))
    assert crash(one).scores == (1, 0, 0)


def test_TT_13__instructions_in_the_order_pulled() -> None:
    """TT-13, TT-23: both instructions are followed, each with its own brick and score."""
    state = printed(Print.EDGE, Print.CENTRE, owed=(TWO, TWO))
    assert play(state, 1, 2).owed == (EDGE, CENTRE)
    assert play(state, 2, 1).owed == (CENTRE, EDGE)
    done = play(play(state, 1, 2), 30, 32)
    assert (done.scores, done.turn) == ((1, 2, 0), 2)


@pytest.mark.parametrize(
    ("stamp", "scores"),
    [
        (Print.ADD_TWO, (1, 0, 0)),
        (Print.ADD_THREE, (1, 0, 0)),
        (Print.LOSE_TWO, (-1, 0, 0)),
        (Print.ALL_OTHERS_GAIN_ONE, (1, 1, 1)),
    ],
)
@pytest.mark.parametrize("owed", [(TWO, TWO), (EDGE,), (SECOND,), (blue(Sort.OTHER_COLOUR),)])
def test_TT_25__a_limit_replaces_the_bricks_own_worth(
    owed: tuple[Task, ...], stamp: Print, scores: tuple[int, ...]
) -> None:
    """TT-25: where the gain is limited it is one point whatever the brick; what is lost or given holds."""
    faces: dict[int, Any] = {1: stamp, 10: "red"}
    state = position(faces=faces, owed=owed)
    if owed[0].sort is Sort.OTHER_COLOUR:
        state = replace(state, bricks=(replace(state.bricks[0], colour="red"), *state.bricks[1:]))
    done = play(state, 1)
    if len(owed) == 2:
        done = play(done, 5)
    if stamp is Print.ALL_OTHERS_GAIN_ONE and len(owed) == 1:
        # it pays its puller nothing, whatever demand it fulfils; of two bricks the other one does
        scores = (0, 1, 1)
    assert (done.scores, done.turn) == (scores, 1)


def test_TT_25__under_a_draw_one_more_too() -> None:
    """TT-25, TT-15: bricks that no longer score still lose, give, and are followed."""
    for stamp, scores in (
        (Print.ADD_TWO, (1, 0, 0)),
        (Print.LOSE_TWO, (-1, 0, 0)),
        (Print.ALL_OTHERS_GAIN_ONE, (1, 1, 1)),
    ):
        assert play(printed(Print.DRAW_ONE_MORE, stamp), 1, 2).scores == scores
    assert play(printed(Print.DRAW_ONE_MORE, Print.DRAW_TWO), 1, 2).owed == (TWO, TWO)


def test_TT_14__skip() -> None:
    """TT-14: the next turn of the player who pulled it is left out, once."""
    state = play(printed(Print.SKIP), 1)
    assert (state.skips, state.turn) == ((1, 0, 0), 1)
    order = []
    for number in (4, 5, 6, 7):
        order.append(on_turn(state))
        state = play(state, number)
    assert order == ["Ben", "Cem", "Ben", "Cem"]
    assert (state.skips, on_turn(state)) == ((0, 0, 0), "Ana")


def test_TT_14__between_two_players() -> None:
    """TT-14: the other plays twice; what they ask of the next player binds themselves (TT-23)."""
    state = play(printed(Print.SKIP, Print.EDGE, people=2), 1, 2)
    assert (on_turn(state), state.owed, state.skips) == ("Ben", (EDGE,), (0, 0))


def test_TT_14__everybody_skips() -> None:
    """TT-14, TT-23: skips are used up one by one until somebody may play; a skipped seat pulls nobody on."""
    state = position(skips=(0, 1, 2))
    one = play(state, 1)
    assert (one.turn, one.skips) == (0, (0, 0, 1))
    two = play(one, 2)
    assert (two.turn, two.skips) == (1, (0, 0, 1))
    all_out = play(position(skips=(1, 1, 1)), 1)
    assert (all_out.turn, all_out.skips) == (1, (0, 0, 0))
    assert play(position(skips=(1, 1, 2)), 1).skips == (0, 0, 1)


def test_TT_23__skips_add_up() -> None:
    """TT-23: two skips in one turn leave out two turns."""
    state = play(printed(Print.SKIP, Print.SKIP, owed=(TWO, TWO)), 1, 2)
    assert state.skips == (2, 0, 0)
    order = []
    for number in (4, 5, 6, 7, 8):
        order.append(on_turn(state))
        state = play(state, number)
    assert order == ["Ben", "Cem", "Ben", "Cem", "Ben"]
    assert play(state, 11).turn == 0


def test_TT_15__draw_one_more() -> None:
    """TT-15: a point once it lies, then another brick this turn, which earns nothing but is followed."""
    state = printed(Print.DRAW_ONE_MORE, Print.SKIP)
    assert crash(out(state, 1), 3).scores == (0, 0, 0)
    one = play(state, 1)
    assert (one.turn, one.scores, one.owed, one.silent) == (0, (1, 0, 0), (FREE,), True)
    two = play(one, 2)
    assert (two.turn, two.scores, two.skips, two.silent) == (1, (1, 0, 0), (1, 0, 0), False)


def test_TT_15__one_more_and_one_more() -> None:
    """TT-15: a second one owes a third brick; none of them scores."""
    state = play(printed(Print.DRAW_ONE_MORE, Print.DRAW_ONE_MORE, Print.ADD_THREE), 1, 2)
    assert (state.turn, state.scores, state.owed) == (0, (1, 0, 0), (FREE,))
    assert play(state, 3).scores == (1, 0, 0)
    assert play(state, 3).turn == 1


def test_TT_15__the_next_players_score_follows_their_own_play() -> None:
    """TT-15: a requirement on a brick that earns nothing works and scores as usual for the next player."""
    state = play(printed(Print.DRAW_ONE_MORE, Print.DRAW_BLUE), 1, 2)
    assert (state.turn, state.phase) == (1, Phase.ASK)
    assert play(answer(state, yes=False), 10).scores == (1, 3, 0)


@pytest.mark.parametrize(
    ("order", "totals"), [((1, 4), (1, 1, 1)), ((4, 1), (0, 1, 1))], ids=["first", "second"]
)
def test_TT_15__among_the_bricks_of_a_draw_two(order: tuple[int, int], totals: tuple[int, ...]) -> None:
    """TT-15, TT-13, TT-23: it earns the one point at once; the other and the brick it adds last earn none."""
    state = printed(Print.DRAW_ONE_MORE, owed=(TWO, TWO))
    earned = []
    for number in (*order, 7):
        assert state.turn == 0
        state = play(state, number)
        earned.append(state.scores[0])
    assert (tuple(earned), state.turn) == (totals, 1)


def test_TT_15__requirements_still_owed_earn_nothing() -> None:
    """TT-15, TT-23: what is owed after it this turn is played, before the free brick, and earns nothing."""
    state = play(printed(Print.DRAW_ONE_MORE, owed=(EDGE, CENTRE, blue())), 1)
    assert (state.scores, state.owed) == ((1, 0, 0), (CENTRE, blue(), FREE))
    state = play(state, 32)
    assert play(answer(state, yes=False), 10, 33).scores == (1, 0, 0)


def test_TT_15__not_under_one_point_a_brick() -> None:
    """TT-15, TT-04: by house rule every brick is worth one point, these too."""
    house = {"points": "one"}
    state = printed(Print.DRAW_ONE_MORE, Print.ADD_THREE, mode="4", house=house)
    assert play(state, 1, 2).scores == (2, 0, 0)


def test_TT_16__reverse() -> None:
    """TT-16: with three players the direction turns, until the next reverse."""
    state = play(printed(Print.REVERSE, Print.PLAIN, Print.REVERSE), 1)
    assert (state.direction, on_turn(state)) == (-1, "Cem")
    state = play(state, 2)
    assert on_turn(state) == "Ben"
    state = play(state, 3)
    assert (state.direction, on_turn(state)) == (1, "Cem")


def test_TT_16__until_the_end_of_the_round() -> None:
    """TT-16, TT-07: a new round runs to the left again, from the player left of who toppled."""
    state = reset(crash(play(printed(Print.REVERSE), 1)))
    assert (state.direction, on_turn(state)) == (1, "Ana")


@pytest.mark.parametrize(("people", "direction", "turn"), [(2, 1, 1), (3, -1, 2), (4, -1, 3)])
def test_TT_16__with_three_or_more(people: int, direction: int, turn: int) -> None:
    """TT-16: between two players nothing turns; the point counts."""
    state = play(printed(Print.REVERSE, people=people), 1)
    assert (state.direction, state.turn, state.scores[0]) == (direction, turn, 1)


def test_TT_16__two_reverses_in_a_turn_cancel() -> None:
    """TT-16: the direction is what it was."""
    state = play(printed(Print.REVERSE, Print.REVERSE, owed=(TWO, TWO)), 1, 2)
    assert (state.direction, on_turn(state)) == (1, "Ben")


def test_TT_17__edge() -> None:
    """TT-17: an outer brick of a row of three; of a row of two with the centre left the other; one point."""
    state = play(printed(Print.EDGE, gone="7 11"), 1)
    assert state.owed == (EDGE,)
    assert pullable(state)[:7] == [3, 4, 6, 9, 10, 12, 13]
    assert refusal(state, Take("Ben", b(8))) == "TT-17: an edge brick is to be pulled"
    assert refusal(state, Take("Ben", b(5))) == "TT-17: an edge brick is to be pulled"
    assert refusal(state, Take("Ben", b(52))).startswith("TT-06")
    done = play(state, 9)
    assert (done.scores, done.owed) == ((1, 1, 0), (FREE,))


@pytest.mark.parametrize(("gone", "left"), [("1", [3]), ("2", [1, 3]), ("1 2", [3]), ("1 3", [])])
def test_TT_17__the_slots_bricks_were_laid_in(gone: str, left: list[int]) -> None:
    """TT-17: in a row without its centre any brick is an edge; the centre alone is none."""
    state = position(gone=gone, owed=(EDGE,))
    assert [number for number in pullable(state) if number <= 3] == left


def test_TT_18__centre() -> None:
    """TT-18: the centre of a row of three, with both outer bricks; one point."""
    state = play(printed(Print.CENTRE, gone="7 11 15"), 1)
    assert state.owed == (CENTRE,)
    assert pullable(state)[:4] == [5, 17, 20, 23]
    for number in (2, 8, 13, 4):
        said = refusal(state, Take("Ben", b(number)))
        assert said == "TT-18: the centre brick of a row of three is to be pulled"
    done = play(state, 5)
    assert (done.scores, done.owed) == ((1, 1, 0), (FREE,))


def none_of(sort: Sort) -> State:
    """A position of two rows in play in which no such brick is."""
    low = " ".join(str(number) for number in range(1, 46))
    rest = {Sort.EDGE: "46 48 49 51", Sort.CENTRE: "46 50"}[sort]
    return position(gone=f"{low} {rest}", owed=(FREE,), coming=(Task(sort),), up="1")


@pytest.mark.parametrize(("sort", "number"), [(Sort.EDGE, 50), (Sort.CENTRE, 48)])
def test_TT_17__lapses_when_there_is_none(sort: Sort, number: int) -> None:
    """TT-17, TT-18, TT-23: with no such brick in play any brick, at its normal score."""
    state = play(none_of(sort), 47)
    assert (state.turn, state.owed, state.phase) == (1, (FREE,), Phase.CHOOSE)
    state = replace(state, bricks=tuple([replace(each, print=Print.ADD_TWO) for each in state.bricks]))
    assert gained(state, play(state, number)) == (0, 2, 0)


def test_TT_19__lose_two() -> None:
    """TT-19: two points lost when it is out; two more if the tower topples before it lies; not after."""
    state = printed(Print.LOSE_TWO, owed=(FREE, FREE))
    assert crash(after(state, Take("Ana", b(1))), 2).scores == (0, 0, 0)
    pulled = out(state, 1)
    assert pulled.scores == (-2, 0, 0)
    assert crash(pulled, 2).scores == (-4, 0, 0)
    assert crash(after(pulled, Released(0, b(1))), 2).scores == (-4, 0, 0)
    assert crash(after(pulled, Released(0, b(1))), 1, 2).scores == (-4, 0, 0)
    laid = lay(pulled)
    assert laid.scores == (-2, 0, 0)
    assert crash(laid, 2).scores == (-2, 0, 0)
    assert crash(out(laid, 4), 2).scores == (-2, 0, 0)
    # it slips out of the tower to the table and takes others with it: out, and not laid
    assert crash(after(state, Take("Ana", b(1))), 1, 2).scores == (-4, 0, 0)


def test_TT_20__all_others_gain_one() -> None:
    """TT-20: nothing for the player, one for each other; three more for each at a topple before it lies."""
    pulled = out(printed(Print.ALL_OTHERS_GAIN_ONE), 1)
    assert pulled.scores == (0, 1, 1)
    assert crash(pulled, 2).scores == (0, 4, 4)
    assert crash(lay(pulled), 2).scores == (0, 1, 1)
    assert crash(lay(pulled), 2).topples == (0, 1, 0)


@pytest.mark.parametrize(("stamp", "points"), [(Print.ADD_TWO, 2), (Print.ADD_THREE, 3)])
def test_TT_21__add_two_and_three(stamp: Print, points: int) -> None:
    """TT-21, TT-22: two and three points, instead of the one, once it lies."""
    pulled = out(printed(stamp), 1)
    assert (pulled.scores, lay(pulled).scores) == ((0, 0, 0), (points, 0, 0))
    assert crash(pulled, 2).scores == (0, 0, 0)


def test_TT_23__binds_whoever_plays_next() -> None:
    """TT-23: fixed at the end of the turn, after reverses and skips, in whatever order they were pulled."""
    one = play(printed(Print.EDGE, Print.REVERSE, owed=(TWO, TWO)), 1, 2)
    assert (on_turn(one), one.owed) == ("Cem", (EDGE,))
    skipped = play(printed(Print.EDGE, skips=(0, 1, 0)), 1)
    assert (on_turn(skipped), skipped.owed, skipped.coming) == ("Cem", (EDGE,), ())
    back = play(printed(Print.EDGE, people=2, skips=(0, 1)), 1)
    assert (on_turn(back), back.owed) == ("Ana", (EDGE,))


def test_TT_23__several_are_met_in_order() -> None:
    """TT-23: each with its own brick and score; one brick does not meet two."""
    state = printed(Print.DRAW_BLUE, Print.CENTRE, owed=(TWO, TWO))
    state = play(state, 1, 2)
    assert (state.owed, state.phase) == ((blue(), CENTRE), Phase.ASK)
    state = play(answer(state, yes=False), 10)
    assert (state.scores, state.owed, state.phase, state.turn) == ((1, 3, 0), (CENTRE,), Phase.CHOOSE, 1)
    assert play(state, 32).scores == (1, 4, 0)


def test_TT_23__two_draw_twos() -> None:
    """TT-23, TT-13: four bricks, one point in all."""
    state = play(printed(Print.DRAW_TWO, Print.DRAW_TWO, owed=(TWO, TWO)), 1, 2)
    assert state.owed == (TWO,) * 4
    earned = []
    for number in (4, 5, 6, 7):
        assert on_turn(state) == "Ben"
        state = play(state, number)
        earned.append(state.scores[1])
    assert (earned, on_turn(state)) == ([0, 0, 0, 1], "Cem")


def test_TT_23__draw_twos_with_something_between() -> None:
    """TT-23, TT-13: the one point of two draw twos comes with the last of their bricks."""
    state = printed(owed=(TWO, TWO, EDGE, TWO, TWO))
    earned = []
    for number in (4, 5, 30, 7, 8):
        state = play(state, number)
        earned.append(state.scores[0])
    assert earned == [0, 0, 1, 1, 2]


def test_TT_23__what_else_is_owed_stays_owed() -> None:
    """TT-23, TT-11, TT-12: lapsing, answering and escaping change the first requirement and no other."""
    asked = printed(owed=(blue(), CENTRE), phase=Phase.ASK)
    assert answer(asked, yes=False).owed == (blue(), CENTRE)
    state = answer(asked, yes=True)
    assert state.owed == (blue(Sort.EITHER), CENTRE)
    assert out(state, 10).owed == (blue(), CENTRE)
    assert out(state, 16).owed == (SECOND, SECOND, CENTRE)
    assert out(state, 4).owed == (SECOND, blue(Sort.OTHER_COLOUR), CENTRE)
    lapsed = play(replace(none_of(Sort.EDGE), coming=(EDGE, TWO, TWO)), 47)
    assert lapsed.owed == (FREE, TWO, TWO)


def test_TT_23__checked_when_it_falls_due() -> None:
    """TT-23: a requirement is looked at when the one before it is met, not at the start of the turn."""
    state = position(faces={52: "blue"}, owed=(EDGE, blue()), up="1 2")
    assert play(state, 4).phase is Phase.ASK
    assert needs(play(state, 4)).pieces == (b(52),)
    gone = position(faces={4: "blue"}, owed=(EDGE, blue()))
    assert play(gone, 4).owed == (blue(Sort.EITHER),)


def test_TT_24__under_a_requirement_only_permitted_bricks_are_loosened() -> None:
    """TT-24: a hand may not even take hold of others."""
    state = position(owed=(CENTRE,))
    assert refusal(state, Take("Ana", b(1))).startswith("TT-18")
    assert apply(state, Take("Ana", b(2))).phase is Phase.PULL


@pytest.mark.parametrize(
    ("owed", "words"),
    [
        ((FREE,), ""),
        ((blue(),), "a blue brick"),
        ((blue(Sort.EITHER),), "two bricks, one of a colour other than blue"),
        ((TWO, TWO, EDGE), "two bricks, then an edge brick"),
        ((TWO,) * 8, "six bricks"),
        ((CENTRE, blue(), FREE), "a centre brick, then a blue brick"),
    ],
)
def test_what_is_owed_in_words(owed: tuple[Task, ...], words: str) -> None:
    """The story says what a player owes."""
    assert demand(position(owed=owed)) == words


@pytest.mark.parametrize("stamp", [each for each in Print if each is not Print.UNSEEN])
def test_who_sees_the_tower_reads_a_print_as_the_brick_comes_out(stamp: Print) -> None:
    """TT-03: nobody sees it before, and everybody from then on."""
    hidden = printed(stamp)
    held = after(hidden, Take(on_turn(hidden), b(1)))
    removed = Removed(held.step, b(1))
    told, seen = (
        tell(held, removed, apply(held, removed)),
        tell(masked(held), removed, masked(apply(held, removed))),
    )
    assert seen == told
    assert any(f'"{capital(stamp.value)}."' in line for line in seen) is (stamp is not Print.PLAIN)


def masked(state: State) -> State:
    return seen_by(state, state.seats[0].name)


def test_the_story_of_rare_things() -> None:
    """What golden transcripts seldom have: nothing left to pull, a target, play that turns."""
    low = "".join(f"{number} " for number in range(1, 51))
    state = position(gone=low, house={"topple_bricks": "12"})
    held = after(out(state, 51), Released(0, b(51)))
    done = lay(out(state, 51))
    lines = tell(held, _placed(held), done)
    assert lines == ("Nothing is left to pull, which counts as a topple: Ana topples the tower. Ana +1 (1).",)
    aim = position(house={"target": "9"}, scores=(8, 0, 0))
    assert opening(aim)[1] == "Points as printed, instructions as printed; first to 9 points. Ana begins."
    held = after(out(aim, 1), Released(0, b(1)))
    assert tell(held, _placed(held), play(aim, 1))[1:] == ("Ana wins: the target is reached.",)
    assert tell(crash(aim), Fell(1, (b(1),)), crash(aim)) == ("One more brick comes down.",)
    back = printed(Print.REVERSE)
    held = after(out(back, 1), Released(0, b(1)))
    assert "The direction of play turns." in tell(held, _placed(held), play(back, 1))


def _placed(state: State) -> Placed:
    return Placed(0, state.held, "left")
