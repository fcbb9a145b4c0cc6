"""Tower Topple, clause by clause: players, bricks, the tower, one turn, the topple and the rounds."""

from __future__ import annotations

from collections import Counter
from dataclasses import is_dataclass, replace
from typing import Any, cast

import pytest
from faults_tower_topple import faults
from rules_lab import Table, begin, count_leaves
from rules_tower_topple import (
    LAB,
    NAMES,
    STOCK,
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

from teeter.games.core.errors import MalformedAction, SetupError
from teeter.games.core.events import Condition, Fell, Met, Nudged, Placed, Released, Removed, Rested
from teeter.games.core.rules import Input, Need, Outcome, Take, TakeBack, Wait
from teeter.games.core.setup import options_of
from teeter.games.tower_topple import state as state_module
from teeter.games.tower_topple.rules import apply, legal, needs, outcome, scores, seen_by, start
from teeter.games.tower_topple.rules_rows import in_play
from teeter.games.tower_topple.rules_turns import has_toppled
from teeter.games.tower_topple.state import (
    FREE,
    House,
    Leave,
    Paint,
    Phase,
    Print,
    Sort,
    State,
    Task,
    ToppleReason,
    read_stock,
)

ALONE = (Condition.IN_TOP_ROW, Condition.FLAT_IN_ROW, Condition.ACROSS_THE_ROW_BELOW)
BESIDE = (*ALONE, Condition.BESIDE_ITS_ROW)


def seats_of(people: int, **options: Any) -> list[str]:
    """The seats at a table of so many single players."""
    state = start([f"P{number}" for number in range(1, people + 1)], 1, options, STOCK)
    return [seat.name for seat in state.seats]


def test_TT_01__two_to_six_sit_alone() -> None:
    """TT-01: up to six players are seats of their own; one is too few, twenty-five too many."""
    assert seats_of(2) == ["P1", "P2"]
    assert seats_of(6) == ["P1", "P2", "P3", "P4", "P5", "P6"]
    for people in (0, 1, 25):
        with pytest.raises(SetupError, match=f"Tower Topple is for 2 to 24 players; {people} given"):
            seats_of(people)


@pytest.mark.parametrize(
    ("people", "teams"),
    [
        (7, (3, 2, 2)),
        (8, (2,) * 4),
        (9, (3, 2, 2, 2)),
        (11, (3, 2, 2, 2, 2)),
        (12, (2,) * 6),
        (13, (3, *[2] * 5)),
    ],
)
def test_TT_01__seven_and_more_form_teams(people: int, teams: tuple[int, ...]) -> None:
    """TT-01: teams of two or more, six at most, so that the turns go round the table as people sit."""
    seats = seats_of(people)
    assert tuple(seat.count("+") + 1 for seat in seats) == teams
    assert [seat.split("+")[0] for seat in seats] == [f"P{number + 1}" for number in range(len(teams))]
    assert seats[0].split("+")[1] == f"P{len(teams) + 1}"
    assert seats_of(24)[5] == "P6+P12+P18+P24"


def test_TT_01__unless_the_option_says_no() -> None:
    """TT-01: with teams=no everyone plays alone."""
    assert len(seats_of(7, teams="no")) == 7
    assert len(seats_of(24, teams="no")) == 24


def test_TT_01__the_game_waits_for_the_member_whose_turn_it_is() -> None:
    """TT-01: who acts for a team is the member, also within a team that begins with a computer player."""
    state = start(["bot:steady+Ana", "Ben"], 1, {}, STOCK)
    assert (needs(state).player, needs(state).who) == ("steady+Ana", "steady")
    later = replace(state, pullers=(1, 0))
    assert (needs(later).player, needs(later).who) == ("steady+Ana", "Ana")
    pulling = apply(later, Take("steady+Ana", later.tower[0][0]))
    assert (needs(pulling).wait, needs(pulling).who) == (Wait.PULL, "Ana")
    assert needs(replace(later, turn=1)).who == "Ben"
    assert [seat.has_people for seat in state.seats] == [True, True]
    assert not start(["bot:steady+bot:bold", "Ben"], 1, {}, STOCK).seats[0].has_people


def test_TT_01__a_team_is_the_player_and_its_members_pull_in_rotation() -> None:
    """TT-01: the turn, the score and what binds are the team's; each of its turns is the next member's."""
    state = start(("Ana+Ben", "Cem", "Dora+Emil+Fay"), 1, {}, STOCK)
    assert [seat.name for seat in state.seats] == ["Ana+Ben", "Cem", "Dora+Emil+Fay"]
    state = replace(state, bricks=position().bricks, tower=position().tower)
    pulled = []
    for number in (1, 4, 7, 10, 13, 16, 19, 22, 25):
        seat = state.seats[state.turn]
        pulled.append(seat.members[state.pullers[state.turn]].name)
        assert needs(state).player == seat.name
        state = play(state, number)
    assert pulled == ["Ana", "Cem", "Dora", "Ben", "Cem", "Emil", "Ana", "Cem", "Fay"]
    assert state.scores == (3, 3, 3)
    with pytest.raises(MalformedAction, match="unknown player 'Ben'"):
        apply(state, Take("Ben", b(28)))
    # the turn in which the tower topples is a turn too
    assert crash(state).pullers == (0, 0, 0)
    assert crash(replace(state, pullers=(1, 0, 0))).pullers == (0, 0, 0)


@pytest.mark.parametrize(
    ("first", "seat", "puller"), [("", 0, 0), ("2", 1, 0), ("Cem+Dora", 1, 0), ("Dora", 1, 1), ("Ben", 0, 1)]
)
def test_TT_01__who_begins(first: str, seat: int, puller: int) -> None:
    """TT-01, ALL-5: the first named begins, or a seat by name or number, or a member of a team."""
    state = start(("Ana+Ben", "Cem+Dora"), 1, {"first": first}, STOCK)
    assert (state.turn, state.pullers) == (seat, (puller, 0) if seat == 0 else (0, puller))
    with pytest.raises(SetupError, match="option first: unknown player 'Zoe'"):
        start(("Ana", "Ben"), 1, {"first": "Zoe"}, STOCK)


@pytest.mark.parametrize("seats", [7, 8])
def test_TT_01__a_seat_number_is_that_of_a_player_whoever_plays_together(seats: int) -> None:
    """TT-01, ALL-5: every seat that can be chosen begins, and the player who sits there draws first."""
    names = ["Ana", "Ben", "Cem", "Dora", "Eli", "Fay", "Gus", "Hal"][:seats]
    for number, name in enumerate(names, start=1):
        for first in (str(number), name):
            state = start(names, 1, {"first": first}, STOCK)
            assert state.seats[state.turn].members[state.pullers[state.turn]].name == name


def test_TT_02__fifty_four_bricks_in_eighteen_rows() -> None:
    """TT-02: 54 bricks, 18 rows of three; the option says whether they vary."""
    state = start(("Ana", "Ben"), 1, {}, STOCK)
    assert (len(state.bricks), len(state.tower)) == (54, 18)
    assert sorted(brick for row in state.tower for brick in row) == [b(number) for number in range(1, 55)]
    assert state.house.bricks == "real"
    assert start(("Ana", "Ben"), 1, {"bricks": "exact"}, STOCK).house.bricks == "exact"
    with pytest.raises(SetupError, match="option bricks: 'round' is not allowed; it takes real, exact"):
        start(("Ana", "Ben"), 1, {"bricks": "round"}, STOCK)


@pytest.mark.parametrize(("bricks", "rows", "row"), [(53, 18, 3), (54, 27, 2), (3, 1, 3)])
def test_TT_02__rows_of_three(bricks: int, rows: int, row: int) -> None:
    """TT-02: a box that does not make two rows of three or more is refused."""
    stock = replace(STOCK, tower=replace(STOCK.tower, bricks=bricks, rows=rows, row=row))
    with pytest.raises(SetupError, match=f"^{bricks} bricks do not make {rows} rows of three, two at least$"):
        start(("Ana", "Ben"), 1, {}, stock)


def test_TT_03__colours_and_prints() -> None:
    """TT-03: two bricks of each colour, without print; the counts of the prints; 23 plain ones."""
    state = start(("Ana", "Ben"), 7, {}, STOCK)
    assert Counter(brick.colour for brick in state.bricks if brick.colour) == {
        "blue": 2,
        "green": 2,
        "red": 2,
        "yellow": 2,
    }
    assert {brick.print for brick in state.bricks if brick.colour} == {Print.PLAIN}
    assert Counter(brick.print.name.lower() for brick in state.bricks if not brick.colour) == {
        "draw_blue": 1,
        "draw_green": 1,
        "draw_red": 1,
        "draw_yellow": 1,
        "draw_two": 2,
        "skip": 2,
        "draw_one_more": 2,
        "reverse": 2,
        "edge": 2,
        "centre": 2,
        "lose_two": 2,
        "all_others_gain_one": 1,
        "add_two": 2,
        "add_three": 2,
        "plain": 23,
    }


def test_TT_03__too_many_prints() -> None:
    """TT-03: more colours and prints than bricks are refused; as many as there are bricks are not."""
    with pytest.raises(SetupError, match=r"^55 colours and prints are too many for 54 bricks$"):
        start(("Ana", "Ben"), 1, {}, replace(STOCK, paints=(*STOCK.paints, Paint("pink", 24))))
    full = start(("Ana", "Ben"), 1, {}, replace(STOCK, paints=(*STOCK.paints, Paint("pink", 23))))
    assert not [brick for brick in full.bricks if not brick.colour and brick.print is Print.PLAIN]


def test_TT_03__the_seed_deals_them() -> None:
    """TT-03, ALL-7: the seed deals prints to bricks and stacks the tower; every round stacks it anew."""
    one, same, two = (start(("Ana", "Ben"), seed, {}, STOCK) for seed in (1, 1, 2))
    assert one == same
    assert one.bricks != two.bricks
    assert one.tower != two.tower
    again = reset(crash(one))
    assert again.bricks == one.bricks
    assert again.tower != one.tower
    assert sorted(again.tower) != sorted(one.tower)
    stacked = [brick for row in one.tower for brick in row]
    assert stacked != sorted(stacked)


def test_TT_03__prints_are_seen_when_a_brick_is_out() -> None:
    """TT-03: colours are seen always, a print from when its brick is out until the tower is set up again."""
    state = position(faces={1: Print.SKIP, 2: "blue", 5: Print.ADD_TWO})
    looked = seen_by(state, "Ben")
    assert (looked.bricks[0].print, looked.bricks[1].print, looked.bricks[1].colour) == (
        Print.UNSEEN,
        Print.PLAIN,
        "blue",
    )
    assert (looked.bricks[2].print, looked.luck) == (Print.UNSEEN, 0)
    pulling = after(state, Take("Ana", b(1)))
    assert seen_by(pulling, "Ana").bricks[0].print is Print.UNSEEN
    pulled = after(pulling, Removed(1, b(1)))
    assert seen_by(pulled, "Ben").bricks[0].print is Print.SKIP
    assert seen_by(pulled, "Ben").bricks[4].print is Print.UNSEEN
    assert seen_by(lay(pulled), "Cem").bricks[0].print is Print.SKIP
    assert lay(pulled).seen == (b(1),)
    assert reset(crash(pulled, 2)).seen == ()
    again = out(replace(pulled, seen=(b(1), b(2)), phase=Phase.CHOOSE, held=""), 2)
    assert again.seen == (b(1), b(2))


@pytest.mark.parametrize(
    ("mode", "points", "instructions"), [("1", "printed", True), ("2", "one", False), ("3", "none", False)]
)
def test_TT_04__versions(mode: str, points: str, instructions: bool) -> None:
    """TT-04: 1 as printed; 2 a point a brick; 3 none; 2 and 3 follow no instructions."""
    state = start(("Ana", "Ben"), 1, {"mode": mode}, STOCK)
    assert (state.house.points, state.house.instructions, state.mode) == (points, instructions, mode)
    assert start(("Ana", "Ben"), 1, {}, STOCK).mode == "1"


ALL_PRINTS = tuple(each for each in Print if each is not Print.UNSEEN)


@pytest.mark.parametrize("stamp", ALL_PRINTS)
@pytest.mark.parametrize(("mode", "points"), [("2", 1), ("3", 0)])
def test_TT_04__every_brick_alike(mode: str, points: int, stamp: Print) -> None:
    """TT-04: in versions 2 and 3 no print has any effect, nor a topple; it is one brick a turn."""
    state = position(mode=mode, faces={1: stamp})
    pulled = out(state, 1)
    assert pulled.scores == (0, 0, 0)
    assert crash(pulled, 2).scores == (0, 0, 0)
    done = lay(pulled)
    assert done.scores == (points, 0, 0)
    assert (done.turn, done.owed, done.skips, done.direction, done.phase) == (
        1,
        (FREE,),
        (0,) * 3,
        1,
        Phase.CHOOSE,
    )
    assert (done.coming, done.silent) == ((), False)


@pytest.mark.parametrize("mode", ["1", "2", "3", "4"])
def test_TT_01__teams_in_every_version(mode: str) -> None:
    """TT-01, TT-04: every version is played in teams as well."""
    assert len(start(("Ana+Ben", "Cem+Dora"), 1, {"mode": mode}, STOCK).seats) == 2


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("rounds", 1, 99),
        ("target", 0, 999),
        ("topple_bricks", 1, 12),
        ("colour_points", 0, 20),
        ("topple_loses", 0, 20),
    ],
)
def test_TT_04__what_the_options_take(name: str, least: int, most: int) -> None:
    """TT-04, TT-07: the ranges of the options, and no further."""
    for value in (least, most):
        house = start(("Ana", "Ben"), 1, {"mode": "4", name: value}, STOCK).house
        assert getattr(house, name) == value
    for value in (least - 1, most + 1):
        with pytest.raises(SetupError, match=f"it takes a whole number from {least} to {most}"):
            start(("Ana", "Ben"), 1, {"mode": "4", name: value}, STOCK)


def test_values_are_frozen_and_slotted() -> None:
    """Everything a state is made of can be shared and compared, and nothing can be hung on it."""
    kinds: list[Any] = [
        kind for kind in vars(state_module).values() if isinstance(kind, type) and is_dataclass(kind)
    ]
    assert len(kinds) >= 10
    for kind in kinds:
        assert kind.__dataclass_params__.frozen, kind
        assert "__slots__" in vars(kind), kind


def test_TT_04__house_rules() -> None:
    """TT-04: version 4 has options of its own; the other versions refuse them, and say so."""
    own = [option.name for option in options_of(House) if option.modes == ("4",)]
    assert own == ["points", "instructions", "colour_points", "escape"]
    for mode in ("1", "2", "3"):
        with pytest.raises(SetupError, match=f"option escape belongs to mode 4, not to mode {mode}"):
            start(("Ana", "Ben"), 1, {"mode": mode, "escape": "no"}, STOCK)
    assert start(("Ana", "Ben"), 1, {"mode": "4"}, STOCK).house == House()
    chosen = start(("Ana", "Ben"), 1, {"mode": "4", "points": "none", "instructions": "no"}, STOCK).house
    assert (chosen.points, chosen.instructions) == ("none", False)
    for mode in ("1", "2", "4"):
        assert start(("Ana", "Ben"), 1, {"mode": mode, "topple_loses": "5"}, STOCK).house.topple_loses == 5
    with pytest.raises(SetupError, match="option topple_loses belongs to modes 1, 2 and 4, not to mode 3"):
        start(("Ana", "Ben"), 1, {"mode": "3", "topple_loses": "5"}, STOCK)
    with pytest.raises(SetupError, match="option topple_loses needs points; points=none counts topples"):
        start(("Ana", "Ben"), 1, {"mode": "4", "points": "none", "topple_loses": "5"}, STOCK)


def test_TT_01__teams_are_as_even_as_those_who_came_together_allow() -> None:
    """TT-01: nine people, two pairs among them, make three threes."""
    names = ("Ana+Ben", "Cem", "Dora", "Eli+Finn", "Gus", "Hal", "Ida")
    seats = start(names, 1, {}, STOCK).seats
    assert sorted(len(seat.members) for seat in seats) == [3, 3, 3]
    together = [{member.name for member in seat.members} for seat in seats]
    assert all(any(pair <= team for team in together) for pair in ({"Ana", "Ben"}, {"Eli", "Finn"}))


@pytest.mark.parametrize(
    ("points", "instructions", "first", "second"),
    [
        ("printed", "no", (3, 0, 0), (0, -2, 0)),
        ("one", "yes", (1, 0, 0), (0, 1, 0)),
        ("none", "yes", (0,) * 3, (0,) * 3),
    ],
)
def test_TT_04__points_and_instructions_apart(
    points: str, instructions: str, first: tuple[int, ...], second: tuple[int, ...]
) -> None:
    """TT-04: by house rule points without instructions, or instructions without the printed points."""
    house = {"points": points, "instructions": instructions}
    faces = {1: Print.ADD_THREE, 4: Print.LOSE_TWO, 7: Print.SKIP, 10: Print.EDGE}
    state = position(mode="4", house=house, faces=faces)
    one = play(state, 1)
    assert gained(state, one) == first
    two = play(one, 4)
    assert gained(one, two) == second
    three = play(two, 7)
    assert three.skips == ((0, 0, 1) if instructions == "yes" else (0, 0, 0))
    four = play(three, 10)
    assert four.owed == ((Task(Sort.EDGE),) if instructions == "yes" else (FREE,))


def test_TT_04__who_topples_may_lose_points() -> None:
    """TT-04: topple_loses takes points from whoever topples the tower."""
    state = position(mode="4", house={"topple_loses": "4"})
    assert crash(state).scores == (-4, 0, 0)
    assert crash(position()).scores == (0, 0, 0)


def test_TT_05__rows_of_three_on_top() -> None:
    """TT-05: a pulled brick goes into the row on top; a full row opens the next."""
    state = position()
    for number, where in ((1, "right"), (5, "left")):
        state = after(
            state,
            Take(on_turn(state), b(number)),
            Removed(0, b(number)),
            Released(0, b(number)),
            Placed(0, b(number), where),
        )
    assert state.tower[18] == (b(5), "", b(1))
    assert state.tower[0] == ("", b(2), b(3))
    state = play(state, 9)
    assert state.tower[18:] == ((b(5), b(9), b(1)),)
    state = play(state, 10)
    assert state.tower[18:] == ((b(5), b(9), b(1)), (b(10), "", ""))


def test_TT_05__where_it_lies_is_told() -> None:
    """TT-05: a slot that is free must be named; the last free one need not be."""
    state = after(out(position(up="1"), 4), Released(0, b(4)))
    with pytest.raises(
        MalformedAction, match="slot 'left' of the row on top is not free; free: centre, right"
    ):
        apply(state, Placed(1, b(4), "left"))
    with pytest.raises(MalformedAction, match="slot '' of the row on top is not free; free: centre, right"):
        apply(state, Placed(1, b(4)))
    with pytest.raises(MalformedAction, match=r"unknown slot 'middle'; .*allowed: left, centre, right"):
        apply(state, Placed(1, b(4), "middle"))
    last = after(out(position(up="1 2"), 4), Released(0, b(4)))
    assert apply(last, Placed(1, b(4))).tower[18] == (b(1), b(2), b(4))
    with pytest.raises(MalformedAction, match="slot 'centre' of the row on top is not free; free: right"):
        apply(last, Placed(1, b(4), "centre"))


def test_TT_06__the_topmost_full_row_is_out_of_play() -> None:
    """TT-06: all below the topmost full row may be pulled, and nothing else."""
    refused = "TT-06: the topmost full row and what lies above it may not be pulled from"
    state = position()
    assert pullable(state) == list(range(1, 52))
    assert refusal(state, Take("Ana", b(52))) == refused
    assert refusal(state, Take("Ana", b(54))) == refused


@pytest.mark.parametrize(
    ("up", "most", "refused"), [("1", 51, (1, 52, 54)), ("1 2", 51, (1, 2, 52)), ("1 2 4", 54, (1, 2, 4))]
)
def test_TT_06__an_unfinished_row_too(up: str, most: int, refused: tuple[int, ...]) -> None:
    """TT-06: an unfinished row above is out of play as well; once full it is the topmost."""
    state = position(up=up)
    assert pullable(state) == [number for number in range(1, most + 1) if str(number) not in up.split()]
    for number in refused:
        assert refusal(state, Take("Ana", b(number))).startswith("TT-06: ")


def test_TT_06__within_one_turn() -> None:
    """TT-06: a row filled with the first of two bricks brings the one below into play for the second."""
    state = position(up="1 2", owed=(Task(Sort.TWO), Task(Sort.TWO)))
    assert refusal(state, Take("Ana", b(52))).startswith("TT-06")
    assert play(state, 4, 52).tower[18:] == ((b(1), b(2), b(4)), (b(52), "", ""))


@pytest.mark.parametrize("moment", ["choosing", "pulling", "carrying", "let go", "loosened"])
def test_TT_07__any_brick_that_falls(moment: str) -> None:
    """TT-07: at any moment of a turn any brick but the one being moved makes a topple."""
    state = position(direction=-1, skips=(0, 2, 1))
    if moment != "choosing":
        state = after(state, Take("Ana", b(1)), Met(0, b(1), b(2)))
    if moment == "loosened":
        state = after(state, Leave("Ana"))
    if moment in ("carrying", "let go"):
        state = after(state, Removed(0, b(1)), Met(0, b(1), b(2)))
    if moment == "let go":
        state = after(state, Released(0, b(1)))
    down = after(state, Fell(5, (b(30),)))
    assert (down.phase, down.turn, down.topples, down.scores) == (Phase.TOPPLED, 0, (1, 0, 0), (0, 0, 0))
    assert (down.held, down.met, down.tower, down.fallen, down.owed, down.step) == ("", False, (), (), (), 5)
    assert needs(down) == Need(Wait.REST, "Ana")
    assert legal(down) == ()
    assert refusal(down, Leave("Ana")) == "ALL-2: nothing is decided while things move"
    # what else comes down belongs to the same topple
    assert apply(down, Fell(6, (b(1), b(2)))) == replace(down, step=6)
    again = after(down, Rested(7, ()))
    assert (again.phase, again.turn, again.round, again.direction) == (Phase.CHOOSE, 1, 2, 1)
    assert (again.skips, again.owed, len(again.tower)) == ((0, 0, 0), (FREE,), 18)


def test_TT_07__the_brick_being_moved_is_laid_again() -> None:
    """TT-07: fallen alone it is picked up and laid again, from wherever it fell; out is out (TT-08)."""
    pulling = after(position(faces={1: Print.LOSE_TWO}), Take("Ana", b(1)), Met(0, b(1), b(2)))
    carrying = after(pulling, Removed(0, b(1)), Met(0, b(1), b(2)))
    slipped = after(pulling, Fell(0, (b(1),)))
    assert slipped == replace(carrying, met=False)
    assert slipped.scores == (-2, 0, 0)
    assert after(carrying, Fell(0, (b(1),))) == slipped
    settling = after(carrying, Released(0, b(1)))
    assert after(settling, Fell(0, (b(1),))) == slipped
    assert lay(slipped).scores == (-2, 0, 0)
    assert crash(settling, 1, 30).phase is Phase.TOPPLED


def test_TT_07__what_was_laid_before_is_not_the_one_being_moved() -> None:
    """TT-07: a brick laid earlier in the turn makes a topple when it falls."""
    state = play(position(owed=(Task(Sort.TWO), Task(Sort.TWO))), 1)
    assert crash(out(state, 4), 1).phase is Phase.TOPPLED


def test_TT_07__what_falls_is_named() -> None:
    """TT-07: a fall of nothing, or of what is no brick, is malformed."""
    state = position()
    with pytest.raises(MalformedAction, match=r"^nothing fell: name the bricks$"):
        apply(state, Fell(1, ()))
    with pytest.raises(MalformedAction, match=r"unknown brick 'brick.99'"):
        apply(state, Fell(1, (b(1), "brick.99")))


def test_TT_07__three_rounds_and_the_highest_total() -> None:
    """TT-07: three rounds by default; after the last the highest total wins; then nothing is accepted."""
    state = position(scores=(5, 7, 6))
    for number in (1, 2):
        assert (outcome(state), state.round) == (None, number)
        state = reset(crash(state))
    assert state.round == 3
    down = crash(state)
    assert (outcome(down), needs(down).wait) == (None, Wait.REST)
    over = reset(down)
    assert outcome(over) == Outcome(("Ben",), ToppleReason.LAST_ROUND)
    assert (over.round, scores(over), over.topples) == (3, (5, 7, 6), (1, 1, 1))
    assert needs(over) == Need(Wait.OVER, "Cem")
    assert legal(over) == ()
    assert refusal(over, Take("Cem", b(1))) == "TT-07: the game is over: the last round is over"
    assert faults(OVER) == ()


def test_TT_07__ties_share() -> None:
    """TT-07: equal totals share the win; the option says how many rounds."""
    over = reset(crash(position(house={"rounds": "1"}, scores=(5, 7, 7))))
    assert outcome(over) == Outcome(("Ben", "Cem"), ToppleReason.LAST_ROUND)


def test_TT_07__without_points_the_fewest_topples() -> None:
    """TT-07: in version 3 the fewest topples win; every topple counts -1."""
    begun = replace(position(mode="3", house={"rounds": 1}), topples=(0, 1, 2))
    over = reset(crash(begun))
    assert outcome(over) == Outcome(("Ana", "Ben"), ToppleReason.FEWEST_TOPPLES)
    assert scores(over) == (-1, -1, -2)


def test_TT_07__a_target_instead_of_rounds() -> None:
    """TT-07: with a target the game ends with the turn in which a total reaches it, not with a round."""
    state = position(house={"target": "9", "rounds": "1"}, scores=(7, 3, 0), faces={1: Print.ADD_TWO})
    again = reset(crash(state))
    assert (outcome(again), again.round) == (None, 2)
    assert outcome(play(state, 4)) is None
    won = play(state, 1)
    assert outcome(won) == Outcome(("Ana",), ToppleReason.TARGET)
    assert (won.turn, won.owed, needs(won).wait) == (0, (), Wait.OVER)
    assert legal(won) == ()
    one = play(position(house={"target": "1"}), 4)
    assert outcome(one) == Outcome(("Ana",), ToppleReason.TARGET)
    # not before the turn is over
    more = play(replace(state, scores=(9, 3, 0), owed=(Task(Sort.TWO), Task(Sort.TWO))), 4)
    assert outcome(more) is None
    assert outcome(play(more, 7)) is not None


def test_TT_07__a_target_reached_by_a_topple() -> None:
    """TT-07, TT-20: points for the others at a topple count towards the target once the tower lies still."""
    state = out(position(house={"target": "9"}, scores=(8, 3, 5), faces={1: Print.ALL_OTHERS_GAIN_ONE}), 1)
    down = crash(state, 2)
    assert (down.scores, outcome(down)) == ((8, 7, 9), None)
    assert outcome(reset(down)) == Outcome(("Cem",), ToppleReason.TARGET)


def test_TT_07__no_target_without_points() -> None:
    """TT-07: a target needs points."""
    with pytest.raises(SetupError, match="option target belongs to modes 1, 2 and 4, not to mode 3"):
        start(("Ana", "Ben"), 1, {"mode": "3", "target": "5"}, STOCK)
    with pytest.raises(SetupError, match=r"^option target needs points; points=none counts topples$"):
        start(("Ana", "Ben"), 1, {"mode": "4", "points": "none", "target": "5"}, STOCK)
    assert start(("Ana", "Ben"), 1, {"mode": "4", "points": "none"}, STOCK).house.target == 0
    assert start(("Ana", "Ben"), 1, {"mode": "4", "target": "5"}, STOCK).house.target == 5


@pytest.mark.parametrize(("direction", "toppler", "begins"), [(1, 0, 1), (-1, 0, 1), (1, 2, 0), (-1, 1, 2)])
def test_TT_07__the_player_left_of_who_toppled(direction: int, toppler: int, begins: int) -> None:
    """TT-07, TT-16: the next round starts left of who toppled the tower, whatever the direction was."""
    state = reset(crash(position(turn=toppler, direction=direction)))
    assert (state.turn, state.direction) == (begins, 1)


def test_TT_07__requirements_lapse_at_the_reset() -> None:
    """TT-07: neither what was owed nor what was to come binds the next round."""
    state = position(
        faces={1: Print.DRAW_TWO, 4: "blue"},
        owed=(Task(Sort.TWO), Task(Sort.TWO), Task(Sort.EDGE)),
        silent=True,
    )
    state = play(state, 1)
    assert state.coming == (Task(Sort.TWO), Task(Sort.TWO))
    down = crash(state, 2)
    assert (down.coming, down.owed, down.silent) == ((), (), False)
    assert reset(down).owed == (FREE,)


HOUSE = {"topple_bricks": "3"}


def test_TT_07__more_bricks_for_a_topple() -> None:
    """TT-07: by option more bricks have to fall; fewer are laid on top first, and then the turn goes on."""
    state = crash(position(house=HOUSE), 30)
    assert (state.phase, state.fallen, state.topples) == (Phase.GATHER, (b(30),), (0, 0, 0))
    assert state.tower[9] == (b(28), b(29), "")
    assert legal(state) == (legal(state)[0],)
    assert legal(state)[0].action == Take("Ana", b(30))
    assert legal(state)[0].conditions == ALONE
    assert refusal(state, Take("Ana", b(1))) == "TT-07: fallen bricks are laid on top first"
    held = after(state, Take("Ana", b(30)))
    assert (held.phase, held.fallen, held.gathered) == (Phase.CARRY, (), True)
    done = lay(held)
    assert (done.turn, done.phase, done.owed, done.gathered) == (0, Phase.CHOOSE, (FREE,), False)
    assert (done.scores, done.seen, done.tower[18]) == ((0, 0, 0), (), (b(30), "", ""))


def test_TT_07__fallen_bricks_are_worth_nothing() -> None:
    """TT-07: a fallen brick laid again scores nothing and its print is not followed, nor lost at a topple."""
    state = crash(position(house=HOUSE, faces={30: Print.LOSE_TWO, 33: Print.DRAW_TWO}), 30, 33)
    held = after(state, Take("Ana", b(30)))
    assert held.fallen == (b(33),)
    down = crash(held, 1, 2, 4)
    assert (down.phase, down.scores, down.gathered) == (Phase.TOPPLED, (0, 0, 0), False)
    one = lay(held)
    assert (one.phase, one.scores) == (Phase.GATHER, (0, 0, 0))
    two = lay(after(one, Take("Ana", b(33))))
    assert (two.phase, two.scores, two.coming, two.turn) == (Phase.CHOOSE, (0, 0, 0), (), 0)


def test_TT_07__fallen_while_a_brick_is_moved() -> None:
    """TT-07: the brick on its way is laid first, then those that fell, and only then is the turn over."""
    state = crash(out(position(house=HOUSE, faces={1: Print.SKIP}), 1), 30)
    assert (state.phase, state.held, state.fallen) == (Phase.CARRY, b(1), (b(30),))
    laid = lay(state)
    assert (laid.phase, laid.turn, laid.scores, laid.skips) == (Phase.GATHER, 0, (1, 0, 0), (1, 0, 0))
    assert laid.owed == ()
    assert faults(replace(laid, bricks=start(NAMES[:3], 1, {}, STOCK).bricks)) == ()
    done = lay(after(laid, Take("Ana", b(30))))
    assert (done.turn, done.owed, done.scores) == (1, (FREE,), (1, 0, 0))
    for before, phase in (
        (after(position(house=HOUSE), Take("Ana", b(1))), Phase.PULL),
        (after(out(position(house=HOUSE), 1), Released(0, b(1))), Phase.SETTLE),
        (after(position(house=HOUSE), Take("Ana", b(1)), Leave("Ana")), Phase.LOOSE),
    ):
        assert crash(before, 30).phase is phase
    pulling = crash(after(position(house=HOUSE), Take("Ana", b(1))), 30)
    assert after(pulling, TakeBack("Ana")).phase is Phase.GATHER
    assert after(pulling, Leave("Ana"), Rested(1, ())).phase is Phase.GATHER


def test_TT_07__fallen_bricks_add_up() -> None:
    """TT-07: those on the table count together; the one being moved and one told twice do not."""
    two = crash(crash(position(house=HOUSE), 30), 33)
    assert two.fallen == (b(30), b(33))
    assert crash(two, 33).phase is Phase.GATHER
    assert crash(two, 36).phase is Phase.TOPPLED
    assert crash(crash(position(house=HOUSE), 30, 33), 30, 36).phase is Phase.TOPPLED
    moved = crash(out(position(house=HOUSE), 1), 1, 30, 33)
    assert (moved.phase, moved.fallen) == (Phase.CARRY, (b(30), b(33)))
    # once laid again they no longer count
    laid = lay(after(crash(position(house=HOUSE), 30, 33), Take("Ana", b(30))))
    assert crash(laid, 36).phase is Phase.GATHER


def test_TT_07__a_requirement_is_looked_at_anew() -> None:
    """TT-07, TT-23: after fallen bricks were laid the requirement at work falls due again."""
    state = position(house=HOUSE, faces={1: "blue", 4: "blue"}, owed=(Task(Sort.COLOUR, "blue"),))
    fallen = crash(state, 1)
    assert lay(after(fallen, Take("Ana", b(1)))).phase is Phase.ASK
    # one told twice does not bring the question back
    either = replace(fallen, phase=Phase.CHOOSE)
    assert crash(either, 1).phase is Phase.CHOOSE


def test_TT_07__rows_that_fell_are_no_rows() -> None:
    """TT-07, TT-06: a row on top of which nothing is left is gone, and the one below is the topmost again."""
    state = crash(position(up="1", house=HOUSE), 1)
    assert len(state.tower) == 18
    assert lay(after(state, Take("Ana", b(1)))).tower[18] == (b(1), "", "")
    broken = crash(position(house=HOUSE), 53)
    assert broken.tower[17] == (b(52), "", b(54))
    assert lay(after(broken, Take("Ana", b(53)))).tower[17:] == ((b(52), b(53), b(54)),)
    assert pullable(lay(after(broken, Take("Ana", b(53))))) == list(range(1, 52))
    low = crash(position(up="1", house={"topple_bricks": "12"}), 1, 52, 53, 54)
    assert len(low.tower) == 17


def test_TT_07__nothing_left_to_pull() -> None:
    """TT-07: a tower with nothing below its topmost row has toppled, however many bricks it takes."""
    low = "".join(f"{number} " for number in range(1, 51))
    state = position(gone=low, house={"topple_bricks": "12"})
    assert not has_toppled(state)
    assert pullable(state) == [51]
    assert crash(state, 51).phase is Phase.TOPPLED
    done = play(state, 51)
    assert (done.phase, done.topples, done.scores) == (Phase.TOPPLED, (1, 0, 0), (1, 0, 0))
    assert crash(state, 51, 52, 53, 54).phase is Phase.TOPPLED
    full, begun = (b(1), b(2), b(3)), (b(4), "", "")
    for tower in ((), (begun,), (full,), (full, begun)):
        assert in_play(replace(state, tower=tower)) == []
    assert in_play(replace(state, tower=(begun, full))) == [b(4)]


def test_TT_08__one_brick_a_turn() -> None:
    """TT-08: one brick is pulled and laid on top; then it is the next player's turn."""
    state = position()
    assert needs(state) == Need(Wait.ACTION, "Ana")
    taken = after(state, Take("Ana", b(1)))
    assert (taken.phase, taken.held) == (Phase.PULL, b(1))
    assert needs(taken) == Need(Wait.PULL, "Ana", (b(1),), ALONE)
    pulled = after(taken, Removed(3, b(1)))
    assert needs(pulled) == Need(Wait.HAND, "Ana", (b(1),), ALONE)
    assert (pulled.phase, pulled.step, pulled.scores) == (Phase.CARRY, 3, (0, 0, 0))
    gone = after(pulled, Released(4, b(1)))
    assert needs(gone) == Need(Wait.REST, "Ana", (b(1),), ALONE)
    assert (gone.scores, legal(gone)) == ((0, 0, 0), ())
    done = after(gone, Placed(9, b(1), "centre"))
    assert (done.turn, done.scores, done.held, done.step, done.phase) == (1, (1, 0, 0), "", 9, Phase.CHOOSE)
    assert refusal(done, Take("Ana", b(4))) == "TT-08: it is Ben's turn, not Ana's"


def test_TT_08__gains_count_once_the_brick_lies() -> None:
    """TT-08: a topple before the brick lies earns nothing; what was laid before is kept."""
    state = position(scores=(4, 0, 0), faces={1: Print.ADD_THREE, 4: Print.ADD_THREE})
    assert crash(after(out(state, 1), Released(0, b(1))), 2).scores == (4, 0, 0)
    one = play(replace(state, owed=(FREE, FREE)), 1)
    assert crash(out(one, 4), 2).scores == (7, 0, 0)


def moments() -> list[tuple[str, State]]:
    """One state in every phase of an undisturbed turn."""
    state = position()
    taken = after(state, Take("Ana", b(1)))
    pulled = after(taken, Removed(0, b(1)))
    return [
        ("choose", state),
        ("pull", taken),
        ("carry", pulled),
        ("settle", after(pulled, Released(0, b(1)))),
        ("loose", after(taken, Leave("Ana"))),
    ]


@pytest.mark.parametrize(
    ("given", "phases", "clause"),
    [
        (Removed(0, b(1)), {"pull"}, "TT-08: no brick is on its way to the top there"),
        (Released(0, b(1)), {"carry"}, "TT-08: no brick is on its way to the top there"),
        (Placed(0, b(1), "left"), {"settle"}, "TT-08: no brick is on its way to the top there"),
        (Met(0, b(1), b(2)), {"pull", "carry"}, "TT-08: no brick is on its way to the top there"),
        (Nudged(0, b(2), 1.0), {"pull", "carry"}, "TT-24: only a brick in the hand can push others"),
        (Rested(0, ()), {"loose"}, "ALL-2: nothing waits for the tower to rest"),
    ],
)
def test_TT_08__every_event_at_its_moment(given: Input, phases: set[str], clause: str) -> None:
    """TT-08, ALL-2: an event of another moment of the turn is refused."""
    for name, state in moments():
        if name in phases:
            apply(state, given)
        else:
            assert refusal(state, given) == clause
    for _, state in moments()[1:4]:
        if not isinstance(given, (Nudged, Rested)):
            with pytest.raises(
                (MalformedAction, Exception), match="is not the brick in play|no brick is on its way"
            ):
                apply(state, replace(cast(Any, given), piece=b(7)))


def test_ALL_1__one_brick_in_the_hand() -> None:
    """ALL-1: a hand that holds a brick takes no other; an event about another brick is malformed."""
    for name, state in moments()[1:3]:
        assert refusal(state, Take("Ana", b(4))).startswith("ALL-1: one hand holds one piece"), name
    with pytest.raises(MalformedAction, match=r"^'brick.04' is not the brick in play, 'brick.01' is$"):
        apply(moments()[1][1], Removed(0, b(4)))
    with pytest.raises(MalformedAction, match=r"unknown brick 'brick.1'; did you mean"):
        apply(position(), Take("Ana", "brick.1"))
    with pytest.raises(MalformedAction, match="unknown brick 'hat'"):
        apply(moments()[1][1], Nudged(0, "hat", 1.0))


def test_ALL_6__take_back() -> None:
    """ALL-6: the grip on a brick that has not moved may be taken back, one that has moved not."""
    state = position()
    taken = after(state, Take("Ana", b(1)))
    assert apply(taken, TakeBack("Ana")) == state
    assert [choice.action for choice in legal(taken)] == [Leave("Ana"), TakeBack("Ana")]
    moved = after(taken, Met(1, b(1), b(2)))
    assert [choice.action for choice in legal(moved)] == [Leave("Ana")]
    assert (
        refusal(moved, TakeBack("Ana"))
        == "ALL-6: the brick has touched another piece and can no longer be taken back"
    )
    assert refusal(state, TakeBack("Ana")) == "ALL-6: only a piece still in the hand can be taken back"


def test_ALL_9__laid_again_without_penalty() -> None:
    """ALL-9, TT-24: a brick that does not lie as it must is taken up and laid again."""
    for broken in BESIDE:
        state = after(out(position(up="4"), 1), Met(0, b(1), b(4)), Released(0, b(1)))
        again = apply(state, Placed(0, b(1), "", (), (broken,)))
        assert again == out(position(up="4"), 1)
        assert lay(again).scores == (1, 0, 0)
        assert not lay(apply(again, Met(0, b(1), b(4)))).met


def test_TT_24__how_it_has_to_lie() -> None:
    """TT-24, TT-05: in the row on top, flat, across the row below, and beside what lies there already."""
    for up, conditions in (("", ALONE), ("4", BESIDE), ("4 5", BESIDE), ("4 5 6", ALONE)):
        state = position(up=up)
        assert {choice.conditions for choice in legal(state)} == {conditions}
        held = out(state, 1)
        assert needs(held).conditions == conditions
        assert needs(after(held, Released(0, b(1)))).conditions == conditions


def test_TT_24__loosened_and_left() -> None:
    """TT-24: a brick may be loosened and left; after a rest any other may be chosen, or the same."""
    state = position()
    loose = after(state, Take("Ana", b(1)), Met(1, b(1), b(2)), Leave("Ana"))
    assert (loose.phase, loose.held, loose.met, loose.tower) == (Phase.LOOSE, "", False, state.tower)
    assert needs(loose) == Need(Wait.REST, "Ana")
    again = after(loose, Rested(2, ()))
    assert again == replace(state, step=2)
    assert len(pullable(again)) == 51
    for name, other in moments():
        if name in ("choose", "carry"):
            assert (
                refusal(other, Leave("Ana")) == "TT-24: only a brick that is still being pulled can be left"
            )


def test_TT_24__out_is_chosen() -> None:
    """TT-24: once a brick is out the choice is fixed; neighbours may be pushed and dragged."""
    pulled = out(position(), 1)
    assert legal(pulled) == ()
    assert (
        refusal(pulled, TakeBack("Ana")) == "TT-24: a brick that is out is laid on top; the choice is fixed"
    )
    assert apply(pulled, Nudged(3, b(2), 9.0)) == replace(pulled, step=3)


def test_choices_in_words() -> None:
    """Every choice says which brick, by colour and place."""
    said = [choice.sentence for choice in legal(position(faces={2: "blue"}))]
    assert said[:3] == [
        "pull the left brick of row 1",
        "pull the centre blue brick of row 1",
        "pull the right brick of row 1",
    ]
    fallen = crash(position(faces={2: "blue"}, house={"topple_bricks": "9"}), 2, 30, 32)
    assert [choice.sentence for choice in legal(fallen)] == [
        "take up the fallen blue brick",
        "take up the first fallen brick",
        "take up the second fallen brick",
    ]
    assert [choice.sentence for choice in legal(after(position(), Take("Ana", b(1))))] == [
        "leave the brick where it is now, and choose again",
        "put the brick back as it was, and choose again",
    ]


SOUND = start(("Ana", "Ben", "Cem"), 1, {}, STOCK)
UP = after(SOUND, Take("Ana", SOUND.tower[0][0]))
CARRIED = after(UP, Removed(0, UP.held))
WON = play(replace(SOUND, house=replace(SOUND.house, target=1)), int(SOUND.tower[0][1][-2:]))
OVER = reset(crash(replace(SOUND, round=3)))


@pytest.mark.parametrize(
    ("state", "fault"),
    [
        (
            replace(SOUND, seats=SOUND.seats[:1], scores=(0,), topples=(0,), skips=(0,), pullers=(0,)),
            "1 seats",
        ),
        (replace(SOUND, scores=(0, 0)), "scores do not fit 3 seats"),
        (replace(SOUND, skips=(0, 0), pullers=()), "skips, pullers do not fit 3 seats"),
        (replace(SOUND, turn=3), "turn 3 is no seat"),
        (replace(SOUND, turn=-1), "turn -1 is no seat"),
        (replace(SOUND, pullers=(0, 1, 0)), "a puller who is no member of the team"),
        (replace(SOUND, pullers=(0, -1, 0)), "a puller who is no member of the team"),
        (replace(SOUND, skips=(0, -1, 0)), "skips or topples below zero"),
        (replace(SOUND, topples=(0, -1, 0)), "skips or topples below zero"),
        (replace(SOUND, direction=0), "direction 0 is neither 1 nor -1"),
        (replace(start(("Ana", "Ben"), 1, {}, STOCK), direction=-1), "two players cannot play to the right"),
        (replace(SOUND, round=0), "round 0"),
        (replace(OVER, winners=()), "winners and reason do not agree"),
        (replace(SOUND, winners=("Ana",)), "winners and reason do not agree"),
        (replace(OVER, winners=("Zoe",)), "a winner without a seat"),
        (replace(SOUND, tower=SOUND.tower[:-1]), "bricks lost or doubled"),
        (replace(SOUND, fallen=("brick.01",)), "bricks lost or doubled"),
        (replace(SOUND, tower=(*SOUND.tower, ("", "", ""))), "an empty row on top"),
        (replace(crash(SOUND), fallen=("brick.01",)), "bricks in a tower that toppled"),
        (replace(crash(SOUND), tower=SOUND.tower), "bricks in a tower that toppled"),
        (replace(crash(SOUND), held="brick.01"), "bricks in a tower that toppled"),
        (replace(SOUND, bricks=position().bricks), "colours or prints lost or doubled"),
        (replace(SOUND, seen=("brick.99",)), "an unknown brick was seen"),
        (replace(SOUND, held="brick.01"), "held 'brick.01' in phase CHOOSE"),
        (replace(UP, held=""), "held '' in phase PULL"),
        (
            replace(CARRIED, phase=Phase.PULL, tower=SOUND.tower, held="brick.99"),
            "the brick being pulled is not in the tower",
        ),
        (replace(SOUND, phase=Phase.GATHER), "nothing to gather"),
        (replace(UP, gathered=True), "a gathered brick that is not in the hand"),
        (replace(crash(SOUND), owed=(FREE,)), "bricks owed when nobody is to pull"),
        (replace(OVER, owed=(FREE,)), "bricks owed when nobody is to pull"),
        (replace(WON, owed=(FREE,)), "bricks owed when nobody is to pull"),
        (replace(SOUND, owed=()), "nothing owed"),
    ],
)
def test_faults(state: State, fault: str) -> None:
    """ALL-7: a state no game can be in is told what is wrong with it."""
    assert fault in faults(state)


def test_no_faults() -> None:
    """States of every moment are sound."""
    gathering = crash(
        replace(CARRIED, house=replace(SOUND.house, topple_bricks=2)), int(SOUND.tower[0][1][-2:])
    )
    laid = lay(gathering)
    carried = after(laid, Take("Ana", laid.fallen[0]))
    for state in (
        SOUND,
        UP,
        CARRIED,
        after(CARRIED, Released(0, UP.held)),
        crash(SOUND),
        OVER,
        gathering,
        laid,
        carried,
    ):
        assert faults(state) == ()
    assert faults(WON) == ()
    assert faults(replace(SOUND, direction=-1)) == ()
    twenty = start([f"P{number}" for number in range(24)], 1, {"teams": "no"}, STOCK)
    assert faults(twenty) == ()
    assert faults(start(("Ana", "Ben"), 1, {}, STOCK)) == ()
    assert faults(replace(SOUND, seen=tuple([brick.id for brick in SOUND.bricks]), topples=(0, 2, 0))) == ()
    assert faults(play(SOUND, *[int(brick[-2:]) for brick in SOUND.tower[1]])) == ()
    # of all rows only the last may not be empty
    loose = replace(SOUND, tower=SOUND.tower[:16], fallen=SOUND.tower[16], phase=Phase.GATHER)
    loose = replace(loose, tower=(*loose.tower, ("", "", ""), SOUND.tower[17]))
    assert faults(loose) == ()


def test_stock_without_tables() -> None:
    """A catalogue without the tables is refused with the place."""
    with pytest.raises(ValueError, match="tower: 'bricks' is missing"):
        read_stock({})


def small(rows: int) -> State:
    """A tower of so many rows, all plain."""
    stock = replace(STOCK, tower=replace(STOCK.tower, bricks=3 * rows, rows=rows), paints=(), stamps=())
    return start(("Ana", "Ben"), 1, {}, stock)


@pytest.mark.parametrize(("depth", "leaves"), [(0, 1), (1, 3), (2, 6), (3, 14), (4, 30), (5, 68)])
def test_count_leaves(depth: int, leaves: int) -> None:
    """Sequences of pulls from a tower of two rows: TT-05..TT-07.

    By hand: 3 bricks, then 2. Of these 6 ways 4 leave a single edge and topple the tower, which is set up
    anew (3 bricks, then 2, ...); the 2 that leave the centre go on with that 1 brick, and topple:
    4 * 3 + 2 * 1 = 14, 4 * 6 + 2 * 3 = 30, 4 * 14 + 2 * 6 = 68.
    """
    assert count_leaves(LAB, small(2), depth) == leaves


@pytest.mark.parametrize(("depth", "leaves"), [(1, 51), (2, 51 * 50)])
def test_count_leaves_of_the_whole_tower(depth: int, leaves: int) -> None:
    """TT-06: 17 rows are in play; the first brick laid opens no other."""
    assert count_leaves(LAB, position(people=2), depth) == leaves


def test_table_of_the_laboratory() -> None:
    """The laboratory seats every player it draws."""
    state = begin(LAB, Table(NAMES[:3], {}), 1, "1")
    assert [seat.name for seat in state.seats] == list(NAMES[:3])
