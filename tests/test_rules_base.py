"""The foundation of the rules: names, options, luck, JSON, errors, and what the rules may import."""

from __future__ import annotations

import json
import math
import pickle
import sys
from collections import Counter
from dataclasses import dataclass, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from teeter.games import game as catalogue
from teeter.games.core import codec
from teeter.games.core.errors import (
    IllegalAction,
    MalformedAction,
    RulesError,
    SetupError,
    unknown,
)
from teeter.games.core.events import Condition, Event, Fell, Placed, Question, RefereeAnswer, Rested
from teeter.games.core.random_state import below, seeded, shuffled
from teeter.games.core.rules import Action, Need, Outcome, Reason, Take, Wait, admit, prepare
from teeter.games.core.setup import (
    Member,
    Mode,
    Seat,
    first_seat,
    house_told,
    option,
    options_of,
    seat_index,
    split_texts,
    take_house,
    take_mode,
    take_seats,
)
from teeter.games.registry import GAMES, clauses_of, game_named
from teeter.games.wonky.game import GAME as WONKY
from teeter.models.errors import quote

ALONE = Mode("alone", "The solo game", 1, 1)
OPEN = Mode("open", "The game", 2, 4)
TEAMS = Mode("teams", "The team game", 2, 3, teams=True)


# ---- seats ----


@pytest.mark.parametrize(
    ("players", "mode", "names"),
    [
        (["Ana", " Ben "], OPEN, ["Ana", "Ben"]),
        (["bot:steady", "Ana"], OPEN, ["steady", "Ana"]),
        (["bot:steady", "Ana", "bot:steady", "bot:bold"], OPEN, ["steady-1", "Ana", "steady-2", "bold"]),
        (["Ana+Ben", "Cem+bot:bold"], TEAMS, ["Ana+Ben", "Cem+bold"]),
        (["Ana + bot:bold", "bot:bold+Cem"], TEAMS, ["Ana+bold-1", "bold-2+Cem"]),
    ],
)
def test_ALL_5__seats(players: list[str], mode: Mode, names: list[str]) -> None:
    """ALL-5: seated in the order given; equal computer players are numbered, teams named by their members."""
    seats = take_seats(players, mode)
    assert [seat.name for seat in seats] == names
    assert [seat.name for seat in seats] == [
        "+".join(member.name for member in seat.members) for seat in seats
    ]


def test_ALL_5__who_is_a_computer_player() -> None:
    """ALL-5: the kind of a computer player is kept beside its name."""
    seats = take_seats(["Hannah+bot:steady", "bot:steady"], TEAMS)
    assert seats[0] == Seat("Hannah+steady-1", (Member("Hannah"), Member("steady-1", "steady")))
    assert seats[1] == Seat("steady-2", (Member("steady-2", "steady"),))


@pytest.mark.parametrize(
    ("players", "mode", "sentence"),
    [
        (["Ana"], OPEN, "The game is for 2 to 4 players; 1 given"),
        (["A", "B", "C", "D", "E"], OPEN, "The game is for 2 to 4 players; 5 given"),
        (["Ana", "Ben"], ALONE, "The solo game is for one player; 2 given"),
        (["Ana", ""], OPEN, "a player's name is empty; give names like `Ana,Ben,bot:steady`"),
        (["Ana", "bot:"], OPEN, "a player's name is empty; give names like `Ana,Ben,bot:steady`"),
        (["Ana+", "Ben"], TEAMS, "a player's name is empty; give names like `Ana,Ben,bot:steady`"),
        (["Ana", "ANA"], OPEN, "two players are called 'Ana'; names must differ"),
        (["Ana+Ben", "Ben"], TEAMS, "two players are called 'Ben'; names must differ"),
        (
            ["steady-1", "bot:steady", "bot:steady"],
            OPEN,
            "two players are called 'steady-1'; names must differ",
        ),
        (["Ana+Ben", "Cem"], OPEN, "The game has no teams: 'Ana+Ben' must be one player"),
        (["Ana", "B\n"], OPEN, None),
        (
            ["Ana", "B\tC"],
            OPEN,
            "'B\\tC' is no name: at most 40 printable characters, no comma, no +, nothing that joins others",
        ),
        (
            ["Ana", "B,C"],
            OPEN,
            "'B,C' is no name: at most 40 printable characters, no comma, no +, nothing that joins others",
        ),
        (
            ["Ana", "b" * 41],
            OPEN,
            f"'{'b' * 41}' is no name: at most 40 printable characters, no comma, no +, nothing that joins others",
        ),
        (["Ana", "b" * 40], OPEN, None),
        (["Ana", 7], OPEN, "a player's name must be text, not 7"),
        ("Ana,Ben", OPEN, "players must be a list of names, not the text 'Ana,Ben'"),
    ],
)
def test_ALL_5__bad_names(players: Any, mode: Mode, sentence: str | None) -> None:
    """ALL-5: wrong numbers, empty, doubled and unprintable names; None: nothing wrong."""
    if sentence is None:
        assert len(take_seats(players, mode)) == 2
        return
    with pytest.raises(SetupError) as caught:
        take_seats(players, mode)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(("first", "index"), [("", 0), ("Ana+Ben", 0), ("Cem", 1), ("2", 1), ("Ben", 0)])
def test_ALL_5__first(first: str, index: int) -> None:
    """ALL-5: who starts is the first named, or a name, or a seat counted from one."""
    assert first_seat(take_seats(["Ana+Ben", "Cem"], TEAMS), first) == index
    # a name goes before a number
    assert first_seat(take_seats(["Ana", "Cem", "2"], OPEN), "2") == 2


def test_ALL_5__first_is_nobody() -> None:
    """ALL-5: an unknown starter is refused with the names there are."""
    for nobody in ("3", "0", "Zoe"):
        with pytest.raises(
            SetupError, match=rf"option first: unknown player '{nobody}'; .*allowed: Ana, Cem"
        ):
            first_seat(take_seats(["Ana", "Cem"], OPEN), nobody)


def test_seat_index() -> None:
    seats = take_seats(["Ana", "Cem"], OPEN)
    assert [seat_index(seats, name) for name in ("Ana", "Cem", "Zoe")] == [0, 1, -1]


def test_modes() -> None:
    """The first mode is the default; an unknown one is refused with the nearest."""
    for nothing in (None, ""):
        assert take_mode((OPEN, TEAMS), nothing) is OPEN
    assert take_mode((OPEN, TEAMS), "teams") is TEAMS
    with pytest.raises(
        SetupError, match=r"^unknown mode 'team'; did you mean 'teams'\? allowed: open, teams$"
    ):
        take_mode((OPEN, TEAMS), "team")


# ---- options ----


@dataclass(frozen=True, slots=True)
class House:
    rounds: int = option(3, "how many rounds", clause="TT-07", least=1, most=9)
    secret: bool = option(False, "hidden", modes=["teams"])
    bricks: str = option("real", "which bricks", choices=["real", "exact"])
    first: str = option("", "who starts")


@pytest.mark.parametrize(
    ("given", "house"),
    [
        ({}, House()),
        ({"rounds": "9"}, House(rounds=9)),
        ({"rounds": 1}, House(rounds=1)),
        ({"secret": " Yes "}, House(secret=True)),
        ({"secret": True}, House(secret=True)),
        ({"secret": "off"}, House()),
        ({"bricks": " exact "}, House(bricks="exact")),
        ({"first": "Ana"}, House(first="Ana")),
    ],
)
def test_options(given: dict[str, object], house: House) -> None:
    """Texts of a command line and plain values of a program give the same typed options."""
    assert take_house(House, given, TEAMS) == house


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"round": 3},
            "unknown option 'round'; did you mean 'rounds'? allowed: rounds, secret, bricks, first, mode",
        ),
        ({"rounds": "many"}, "option rounds: 'many' is not allowed; it takes a whole number from 1 to 9"),
        ({"rounds": 0}, "option rounds: 0 is not allowed; it takes a whole number from 1 to 9"),
        ({"rounds": "10"}, "option rounds: '10' is not allowed; it takes a whole number from 1 to 9"),
        ({"rounds": True}, "option rounds: True is not allowed; it takes a whole number from 1 to 9"),
        ({"rounds": 3.0}, "option rounds: 3.0 is not allowed; it takes a whole number from 1 to 9"),
        ({"secret": "perhaps"}, "option secret: 'perhaps' is not allowed; it takes yes or no"),
        ({"bricks": "soft"}, "option bricks: 'soft' is not allowed; it takes real, exact"),
        ({"first": 7}, "option first: 7 is not allowed; it takes a text"),
    ],
)
def test_bad_options(given: dict[str, object], sentence: str) -> None:
    """An option that is none, or out of its range, is told what is allowed."""
    with pytest.raises(SetupError) as caught:
        take_house(House, given, TEAMS)
    assert str(caught.value) == sentence


def test_option_of_another_mode() -> None:
    with pytest.raises(SetupError, match=r"^option secret belongs to mode teams, not to mode open$"):
        take_house(House, {"secret": "yes"}, OPEN)


def test_options_for_help() -> None:
    """Help lists each option with its clause and range."""
    rounds = options_of(House)[0]
    assert (rounds.name, rounds.default, rounds.clause, rounds.help) == (
        "rounds",
        3,
        "TT-07",
        "how many rounds",
    )
    assert [(each.least, each.most) for each in options_of(House)] == [(1, 9), (0, 0), (0, 0), (0, 0)]
    assert [each.allowed for each in options_of(House)] == [
        "a whole number from 1 to 9",
        "yes or no",
        "real, exact",
        "a text",
    ]


def test_split_texts() -> None:
    """`KEY=VALUE` as typed on a command line."""
    assert split_texts(["rounds=3", " third-foul-falls = yes=no"]) == {
        "rounds": "3",
        "third_foul_falls": "yes=no",
    }
    for text in ("rounds", "=3"):
        with pytest.raises(SetupError, match=rf"^'{text}' is not an option; write KEY=VALUE$"):
            split_texts([text])
    with pytest.raises(SetupError, match="option rounds is given twice"):
        split_texts(["rounds=3", "rounds=4"])


def test_prepare() -> None:
    """Mode, seats and house options of a start, checked together."""
    mode, seats, house = prepare((OPEN, TEAMS), House, ["Ana", "Ben"], 1, {"mode": "teams", "secret": "yes"})
    assert (mode, len(seats), house) == (TEAMS, 2, House(secret=True))
    for seed in ("1", 1.0, True):
        with pytest.raises(SetupError, match=f"^the seed must be a whole number, not {seed!r}$"):
            prepare((OPEN,), House, ["Ana", "Ben"], seed, {})


class Ending(Reason):
    WON = ("XX-9", "it is won")


@dataclass(frozen=True, slots=True)
class Running:
    """As much of a state as the shared checks look at."""

    seats: tuple[Seat, ...] = (Seat("Ana", (Member("Ana"),)), Seat("Ben", (Member("Ben"),)))
    step: int = 5
    reason: Reason | None = None
    luck: int = 0
    winners: tuple[str, ...] = ()


@pytest.mark.parametrize(
    ("state", "given", "wait", "sentence"),
    [
        (Running(), Take("Ana", "x"), Wait.ACTION, None),
        (Running(), Take("Ana", "x"), Wait.HAND, None),
        (Running(), Fell(5, ()), Wait.REST, None),
        (Running(), Fell(5, ()), Wait.ANSWER, None),
        (Running(), Fell(4, ()), Wait.ACTION, "step 4 comes before step 5; events come in step order"),
        (Running(), Action("Ana"), Wait.ACTION, "unknown input 'Action'; allowed: Take, Fell"),
        (Running(), Take("Zoe", "x"), Wait.REST, "unknown player 'Zoe'; allowed: Ana, Ben"),
        (Running(), Take("Ana", "x"), Wait.REST, "ALL-2: nothing is decided while things move"),
        (Running(), Take("Ben", "x"), Wait.COUNT, "ALL-2: nothing is decided while things move"),
        (Running(), Take("Ben", "x"), Wait.ACTION, "XX-3: it is Ana's turn, not Ben's"),
        (Running(), Take("Ana", "x"), Wait.ANSWER, "ALL-2: the referee has yet to answer"),
        (Running(reason=Ending.WON), Take("Zoe", "x"), Wait.OVER, "XX-9: the game is over: it is won"),
        (Running(reason=Ending.WON), Fell(1, ()), Wait.OVER, "XX-9: the game is over: it is won"),
    ],
)
def test_ALL_2__what_every_game_checks(state: Running, given: Any, wait: Wait, sentence: str | None) -> None:
    """ALL-2, ALL-5, ALL-8: unknown inputs and players; after the end, while things move, out of turn."""
    kinds = {Take: "take", Fell: "fell"}
    if sentence is None:
        assert admit(state, given, Need(wait, "Ana"), kinds, "XX-3") == kinds[type(given)]
        return
    with pytest.raises(RulesError) as caught:
        admit(state, given, Need(wait, "Ana"), kinds, "XX-3")
    assert str(caught.value) == sentence


def test_outcome() -> None:
    """An outcome names its winners and cites the clause that decided."""
    outcome = Outcome(("Ana",), Ending.WON)
    assert (outcome.reason.clause, outcome.reason.text) == ("XX-9", "it is won")


def test_inputs_as_json() -> None:
    """An input of the game is read with its type; one of another game, or nothing at all, is malformed."""
    taken = Take("Ana", "large_blue")
    assert WONKY.write_input(taken) == '{"type":"Take","player":"Ana","piece":"large_blue"}'
    assert WONKY.read_input(WONKY.write_input(taken)) == taken
    for text in ("null", '{"type":"Measured","step":1,"heights_mm":[]}', "{"):
        with pytest.raises(MalformedAction, match=r"^input: "):
            WONKY.read_input(text)


def test_broken_states() -> None:
    """JSON that is no state is refused with its place; so is one that a player or a program cut short."""
    with pytest.raises(codec.MisfitError, match=r"^state: not JSON"):
        codec.read(WONKY.state, "{", "state")
    with pytest.raises(codec.MisfitError, match=r"^state: 'seats' is missing$"):
        codec.read(WONKY.state, "{}", "state")


# ---- luck ----


def test_luck_is_splitmix64() -> None:
    """The stream is the published one: the first outputs of SplitMix64 for the state 0."""
    luck, words = 0, []
    for _ in range(3):
        value, luck = below(luck, 1 << 64)
        words.append(value)
    assert words == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_luck_is_fair() -> None:
    """Every number and every order comes up about equally often; nothing is lost in a shuffle."""
    luck, counts, orders = seeded(1), Counter[int](), Counter[tuple[int, ...]]()
    for _ in range(6000):
        value, luck = below(luck, 6)
        counts[value] += 1
        order, luck = shuffled(luck, range(3))
        orders[order] += 1
    for counter in (counts, orders):
        assert len(counter) == 6
        assert all(850 < count < 1150 for count in counter.values())
    assert shuffled(5, ()) == ((), 5)


def test_seeds() -> None:
    """Neighbouring, negative and huge seeds are all good for a game."""
    states = [seeded(seed) for seed in (0, 1, 2, -1, 1 << 80)]
    assert len(set(states)) == 4, "seeds are taken modulo 2**64"
    assert all(0 <= state < 1 << 64 for state in states)


# ---- errors ----


def test_ALL_8__refusal() -> None:
    """ALL-8: a refusal is the clause's ID and a sentence, and survives a pickle."""
    error = IllegalAction("CT-18", "red already lies on this floor")
    assert str(error) == "CT-18: red already lies on this floor"
    again = pickle.loads(pickle.dumps(error))
    assert (again.clause, again.sentence, str(again)) == (error.clause, error.sentence, str(error))
    assert isinstance(again, RulesError)


def test_unknown() -> None:
    """The nearest word is suggested whatever its case; without one the list must do."""
    assert unknown("game", "WONKI", ["wonky", "Sandbox"]) == (
        "unknown game 'WONKI'; did you mean 'wonky'? allowed: wonky, Sandbox"
    )
    assert unknown("game", "sandbux", ["wonky", "Sandbox"]).startswith(
        "unknown game 'sandbux'; did you mean 'Sandbox'?"
    )
    assert "did you mean 'abcde'?" in unknown("game", "abcd", ["abcexx", "abcde"]), (
        "the nearest, not the first"
    )
    assert unknown("game", "zzz", ["wonky"]) == "unknown game 'zzz'; allowed: wonky"
    assert unknown("piece", "zzz", []) == "unknown piece 'zzz'; allowed: none"
    assert quote("x" * 58) == repr("x" * 58)
    assert quote("x" * 70) == "'" + "x" * 27 + "..." + "x" * 28 + "'"


# ---- JSON ----


class Colour(Enum):
    RED = 1
    DARK_BLUE = 2


@dataclass(frozen=True, slots=True)
class Dot:
    at: tuple[int, float]
    colour: Colour = Colour.RED


@dataclass(frozen=True, slots=True)
class Line:
    dots: tuple[Dot, ...]
    name: str | None
    thin: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    parts: tuple[Dot | Line, ...]
    paint: Colour | None = None


DRAWING = Drawing((Dot((1, 2.5)), Line((Dot((3, 4.0), Colour.DARK_BLUE),), None, thin=True)), Colour.RED)


def test_json_both_ways() -> None:
    text = codec.write(Drawing, DRAWING)
    assert json.loads(text) == {
        "parts": [
            {"type": "Dot", "at": [1, 2.5], "colour": "red"},
            {"type": "Line", "dots": [{"at": [3, 4.0], "colour": "dark_blue"}], "name": None, "thin": True},
        ],
        "paint": "red",
    }
    assert codec.read(Drawing, text) == DRAWING
    assert codec.from_json(Dot, {"at": [1, 2]}) == Dot((1, 2.0)), "a field with a default may be missing"
    assert type(codec.from_json(Dot, {"at": [1, 2]}).at[1]) is float
    assert codec.write(str, "ä") == '"ä"'
    assert codec.read(tuple[float, float], "[1e300, -1e300]") == (1e300, -1e300)


@pytest.mark.parametrize(
    ("kind", "text", "sentence"),
    [
        (Dot, "{", "value: not JSON: "),
        (Dot, "[" * 200_000, "value: nested too deeply"),
        (Dot, "[]", "value: [] is not a Dot (an object)"),
        (Dot, "{}", "value: 'at' is missing"),
        (Dot, '{"at": [1, 2], "size": 3}', "value: unknown field 'size'; allowed: at, colour"),
        (Dot, '{"at": [1]}', "value.at: [1] is not a list of 2"),
        (Dot, '{"at": 1}', "value.at: 1 is not a list of 2"),
        (Dot, '{"at": [1.5, 2]}', "value.at[0]: 1.5 is not a whole number"),
        (Dot, '{"at": [true, 2]}', "value.at[0]: True is not a whole number"),
        (Dot, '{"at": [1, true]}', "value.at[1]: True is not a finite number"),
        (Dot, '{"at": [1, NaN]}', "value.at[1]: nan is not a finite number"),
        (Dot, '{"at": [1, 1e999]}', "value.at[1]: inf is not a finite number"),
        (Dot, '{"at": [1, 1' + "0" * 400 + "]}", "value.at[1]: 1000000000"),
        (Dot, '{"at": [1' + "0" * 5000 + ", 2]}", "value: not JSON: "),
        (Dot, '{"at": [1, 2], "colour": "rad"}', "value.colour: unknown colour 'rad'; did you mean 'red'?"),
        (Dot, '{"at": [1, 2], "colour": ["red"]}', "value.colour: unknown colour ['red']"),
        (Line, '{"dots": 3, "name": null}', "value.dots: 3 is not a list"),
        (Line, '{"dots": [], "name": 3}', "value.name: 3 is not one of str, NoneType"),
        (Line, '{"dots": [], "name": {"type": "Dot"}}', "value.name: unknown type 'Dot'; allowed: none"),
        (Line, '{"dots": [], "name": null, "thin": 1}', "value.thin: 1 is not true or false"),
        (
            Line,
            '{"dots": [{"at": [1, 2], "colour": 3}], "name": null}',
            "value.dots[0].colour: unknown colour 3",
        ),
        (Drawing, '{"parts": [{"at": [1, 2]}]}', "value.parts[0]: {'at': [1, 2]} is not one of Dot, Line"),
        (Drawing, '{"parts": [7]}', "value.parts[0]: 7 is not one of Dot, Line"),
        (
            Drawing,
            '{"parts": [{"type": "Lime"}]}',
            "value.parts[0]: unknown type 'Lime'; did you mean 'Line'?",
        ),
        (Drawing, '{"parts": [{"type": []}]}', "value.parts[0]: unknown type []"),
        (Drawing, '{"parts": [{"type": "Dot"}]}', "value.parts[0]: 'at' is missing"),
        (Drawing, '{"parts": [], "paint": "blue"}', "value.paint: unknown colour 'blue'"),
        (str, "null", "value: None is not text"),
    ],
)
def test_json_misfits(kind: Any, text: str, sentence: str) -> None:
    """Whatever does not fit is refused with its place, what was found and what is allowed."""
    with pytest.raises(codec.MisfitError) as caught:
        codec.read(kind, text)
    assert str(caught.value).startswith(sentence)


def test_json_of_something_else() -> None:
    """A type without JSON is a programmer's mistake, told at once."""
    for kind in (dict[str, int], bytes, "Dot", DRAWING):
        with pytest.raises(TypeError, match="no JSON for"):
            codec.to_json(kind, {})
    with pytest.raises(codec.MisfitError, match="not JSON"):
        codec.read(str, None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="Out of range"):
        codec.write(float, math.inf)
    with pytest.raises(ValueError, match="shorter"):
        codec.write(tuple[int, int], (1,))


def test_json_of_events() -> None:
    """Every judged event can be written down, with conditions and questions by name."""
    placed = Placed(3, "red_l", "floor.2", ("box.1",), (Condition.COVERS_NO_RED_BOX,))
    answer = RefereeAnswer(4, Question.WOULD_TOPPLE, ("brick.1",), True)
    for event in (placed, answer, Fell(5, ("a", "b")), Rested(6, ("a",))):
        assert codec.read(Event, codec.write(Event, event)) == event
    assert '"broken":["covers_no_red_box"]' in codec.write(Event, placed)


def test_catalogue_rows() -> None:
    """Rows of a catalogue: other readers' columns are passed over, faults name row and column."""
    tables = {"dot": [{"at": [1, 2], "material": "beech"}], "one": {"at": [3, 4], "looks": "nice"}}
    assert codec.rows(Dot, tables, "dot") == (Dot((1, 2.0)),)
    assert codec.record(Dot, tables["one"], "one") == Dot((3, 4.0))
    assert codec.rows(Dot, tables, "none") == ()
    with pytest.raises(codec.MisfitError, match=r"dot\[0\].at: 3 is not a list of 2"):
        codec.rows(Dot, {"dot": [{"at": 3}]}, "dot")
    with pytest.raises(codec.MisfitError, match=r"dot\[0\]: 3 is not a Dot"):
        codec.rows(Dot, {"dot": [3]}, "dot")
    with pytest.raises(codec.MisfitError, match="dot: 3 is not a list of tables"):
        codec.rows(Dot, {"dot": 3}, "dot")


def test_stock_of_a_broken_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalogue that does not fit is a SetupError with file and key."""
    monkeypatch.setattr("teeter.games.game.resources.files", lambda _: tmp_path)
    catalogue.stock_of.cache_clear()
    try:
        (tmp_path / "wonky.toml").write_text("[numbers")
        with pytest.raises(SetupError, match=r"^wonky.toml: "):
            catalogue.stock_of(WONKY)
        (tmp_path / "wonky.toml").write_text("")
        with pytest.raises(SetupError, match=r"wonky.toml: numbers: 'dealt' is missing"):
            catalogue.stock_of(WONKY)
    finally:
        catalogue.stock_of.cache_clear()


# ---- words and clauses ----


def test_words_cite_their_clause() -> None:
    """Conditions and questions are words with the clause that asks for them."""
    assert (Condition.COVERS_NO_RED_BOX.clause, Condition.COVERS_NO_RED_BOX.text) == (
        "CT-04",
        "covers no red box",
    )
    assert Question.WOULD_TOPPLE.clause == "TT-11"
    assert Question.DOES_FIT.text.endswith("?")
    assert Need(Wait.OVER, "Ana").pieces == ()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_clauses(game: Any) -> None:
    """`teeter rules` has every clause of a game, the shared ones first, without a gap in the numbers."""
    clauses = clauses_of(game)
    assert [clause.id for clause in clauses[:9]] == [f"ALL-{number}" for number in range(1, 10)]
    own = [clause.id for clause in game.clauses]
    assert own == sorted(own)
    assert all(clause.text.endswith((".", "?")) and not clause.text.startswith(" ") for clause in clauses)
    assert {each.clause for each in options_of(game.house)} <= {clause.id for clause in clauses}


# ---- layers ----


def test_values_are_frozen() -> None:
    """ALL-7: no state, stock, action or event can be changed in place, nor be given a field it does not have."""
    files = {game.state.__module__.rpartition(".")[0] for game in GAMES} | {"teeter.games.core"}
    modules = [module for name, module in sys.modules.items() if name.rpartition(".")[0] in files]
    values = {each for module in modules for each in vars(module).values() if isinstance(each, type)}
    # a judge may have values of its own, which hold bodies
    values = {each for each in values if is_dataclass(each) and each.__module__.rpartition(".")[0] in files}
    values = {each for each in values if "judge" not in each.__module__ and "bot" not in each.__module__}
    assert {game.state for game in GAMES} <= values
    for value in values:
        assert value.__dataclass_params__.frozen, value  # type: ignore[attr-defined]
        assert "__slots__" in vars(value), value


def test_game_named() -> None:
    assert game_named("sandbox").endless
    with pytest.raises(SetupError, match="unknown game 'chess'; allowed: "):
        game_named("chess")


TOLD_OTHERWISE = {
    *("first", "colours", "saboteur", "secret", "challenge", "colour_count"),
    *("pieces", "rounds", "target", "points", "instructions"),
}
"""House rules that the story says in words of its own, or that say who sits where."""


@pytest.mark.parametrize("game", GAMES, ids=[game.name for game in GAMES])
def test_what_is_not_played_as_printed_is_told_at_the_opening(game: Any) -> None:
    assert house_told(game.house()) == ""
    for each in options_of(game.house):
        if each.name in TOLD_OTHERWISE:
            assert not each.told
            continue
        other = not each.default if isinstance(each.default, bool) else each.most or each.choices[-1]
        told = house_told(game.house(**{each.name: other}))
        assert told.startswith("House rules: "), each.name
        assert "{" not in told
        assert isinstance(other, (bool, str)) or str(other) in told


def test_several_house_rules_are_one_line_of_the_story() -> None:
    game = game_named("tower-topple")
    options = {"topple_bricks": 3, "topple_loses": 1}
    state = game.rules.start(["Ana", "Ben"], 1, options, catalogue.stock_of(game))
    told = game.opening(state)
    assert told[:-1] == game.rules.opening(state)
    assert told[-1] == (
        "House rules: the tower has toppled once 3 bricks have fallen; whoever topples the tower loses one point."
    )
