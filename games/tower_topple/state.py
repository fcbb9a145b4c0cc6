"""Tower Topple between two inputs: bricks, prints, house rules, the state, and what makes it sound."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from teeter.games.core import codec
from teeter.games.core.rules import Action, Reason
from teeter.games.core.setup import Mode, Seat, option

MOST_PLAYERS = 24
"""Six teams of four; with `teams=no` as many sit around one tower."""
MOST_TEAMS = 6

MODES = (
    Mode("1", "Tower Topple", 2, MOST_PLAYERS, teams=True),
    Mode("2", "Tower Topple, one point a brick", 2, MOST_PLAYERS, teams=True),
    Mode("3", "Tower Topple without points", 2, MOST_PLAYERS, teams=True),
    Mode("4", "Tower Topple, house rules", 2, MOST_PLAYERS, teams=True),
)


class Print(Enum):
    """What is stamped on a brick, in the words people read out."""

    PLAIN = "nothing"
    DRAW_BLUE = "the next player must draw a blue brick"
    DRAW_GREEN = "the next player must draw a green brick"
    DRAW_RED = "the next player must draw a red brick"
    DRAW_YELLOW = "the next player must draw a yellow brick"
    DRAW_TWO = "the next player must draw two bricks"
    SKIP = "skip your next turn"
    DRAW_ONE_MORE = "draw one more brick this turn"
    REVERSE = "reverse the direction of play"
    EDGE = "the next player must draw an edge brick"
    CENTRE = "the next player must draw a centre brick"
    LOSE_TWO = "you lose 2 points"
    ALL_OTHERS_GAIN_ONE = "all other players gain one point"
    ADD_TWO = "add 2 points to your score"
    ADD_THREE = "add 3 points to your score"
    UNSEEN = "not yet seen"


COLOUR_OF = {
    Print.DRAW_BLUE: "blue",
    Print.DRAW_GREEN: "green",
    Print.DRAW_RED: "red",
    Print.DRAW_YELLOW: "yellow",
}
"""TT-10: the colour each of these asks the next player for."""


@dataclass(frozen=True, slots=True)
class Brick:
    """One brick; a painted one has a colour and no print."""

    id: str
    colour: str = ""
    print: Print = Print.PLAIN


@dataclass(frozen=True, slots=True)
class Stamp:
    """How many bricks have this print."""

    id: Print
    count: int


@dataclass(frozen=True, slots=True)
class Paint:
    """How many bricks have this colour."""

    colour: str
    count: int


@dataclass(frozen=True, slots=True)
class Tower:
    """The tower at the start of a round; `row` bricks make a row."""

    bricks: int
    rows: int
    row: int


@dataclass(frozen=True, slots=True)
class Numbers:
    """The points of the rule book (table `[numbers]` of the catalogue).

    more: added at a topple before the brick lies. draw_two: how many bricks DRAW TWO asks for.
    """

    brick: int
    add_two: int
    add_three: int
    lose: int
    lose_more: int
    others: int
    others_more: int
    draw_two: int


@dataclass(frozen=True, slots=True)
class Stock:
    """Everything that is in the box."""

    tower: Tower
    paints: tuple[Paint, ...]
    stamps: tuple[Stamp, ...]
    numbers: Numbers


def read_stock(tables: Mapping[str, Any]) -> Stock:
    """The stock from the tables of `models/tower_topple.toml`. Raises codec.MisfitError."""
    return Stock(
        tower=codec.record(Tower, tables.get("tower", {}), "tower"),
        paints=codec.rows(Paint, tables, "paint"),
        stamps=codec.rows(Stamp, tables, "print"),
        numbers=codec.record(Numbers, tables.get("numbers", {}), "numbers"),
    )


@dataclass(frozen=True, slots=True)
class House:
    """The options of the game; those of version 4 alone are what the other versions have settled."""

    first: str = option("", "who goes first: a name or a seat number", clause="ALL-5")
    rounds: int = option(3, "how many rounds are played", clause="TT-07", least=1, most=99)
    target: int = option(
        0,
        "play until a total reaches this instead of counting rounds (0: off)",
        clause="TT-07",
        most=999,
        modes=("1", "2", "4"),
    )
    topple_bricks: int = option(
        1,
        "how many bricks have to fall to make a topple",
        clause="TT-07",
        least=1,
        most=12,
        told="the tower has toppled once {} bricks have fallen",
    )
    teams: bool = option(
        True, "seven or more players form teams", clause="TT-01", told="nobody is put into a team"
    )
    bricks: str = option(
        "real",
        "bricks vary as real ones do, or are all alike",
        clause="TT-02",
        choices=("real", "exact"),
        told="all bricks are exactly alike",
    )
    points: str = option(
        "printed",
        "points as printed, one for every brick, or none",
        clause="TT-04",
        choices=("printed", "one", "none"),
        modes=("4",),
    )
    instructions: bool = option(True, "the printed instructions are followed", clause="TT-04", modes=("4",))
    colour_points: int = option(
        3,
        "points for a brick of the required colour",
        clause="TT-10",
        most=20,
        modes=("4",),
        told="a brick of the required colour earns {points}",
    )
    escape: bool = option(
        True,
        "two other bricks if the required colour would topple the tower",
        clause="TT-11",
        modes=("4",),
        told="the required colour has to be drawn even if that topples the tower",
    )
    topple_loses: int = option(
        0,
        "points lost by whoever topples the tower, so nobody topples it on purpose",
        clause="TT-04",
        most=20,
        modes=("1", "2", "4"),
        told="whoever topples the tower loses {points}",
    )


@dataclass(frozen=True, slots=True)
class Leave(Action):
    """Let go of the brick that is being pulled and leave it where it has come to be."""


class Phase(Enum):
    """Where in a turn the game is."""

    ASK = "the referee is asked whether the required colour would topple the tower"
    CHOOSE = "a brick is to be chosen"
    PULL = "a brick is being pulled"
    LOOSE = "a loosened brick was left; the tower has yet to come to rest"
    CARRY = "the brick is out, and in the hand"
    SETTLE = "the brick was let go on top"
    GATHER = "a brick that fell without a topple is to be taken up"
    TOPPLED = "the tower is coming down"


class Sort(Enum):
    """What a player owes for one brick: which bricks it may be, in words."""

    FREE = "any brick"
    COLOUR = "a brick of the required colour"
    EITHER = "a brick of the required colour, or two others"
    OTHER_COLOUR = "a brick of a colour other than the required one"
    SECOND = "any brick as one of two"
    TWO = "any brick of those to be drawn"
    EDGE = "an edge brick"
    CENTRE = "a centre brick"


@dataclass(frozen=True, slots=True)
class Task:
    """One brick owed this turn; `colour` is the required colour, empty where there is none."""

    sort: Sort
    colour: str = ""


FREE = Task(Sort.FREE)


class ToppleReason(Reason):
    """Why a game of Tower Topple ends."""

    LAST_ROUND = ("TT-07", "the last round is over")
    TARGET = ("TT-07", "the target is reached")
    FEWEST_TOPPLES = ("TT-07", "the last round is over, and the fewest topples count")


Row = tuple[str, str, str]
"""The bricks of a row by slot (left, centre, right as seen along the bricks); empty: nothing lies there."""


@dataclass(frozen=True, slots=True)
class State:
    """A game of Tower Topple between two inputs.

    luck: random state. tower: rows from the table up, the last never empty. turn: seat index. pullers: whose
    turn it is within every seat. skips: turns to sit out, by seat. direction: 1 to the left (clockwise).
    owed: the bricks to be moved this turn, the first at work. coming: the same for whoever plays next.
    silent: nothing more scores this turn. held: the brick being pulled, in the hand, or just let go.
    gathered: the held brick is one that had fallen. met: it has touched another since it was taken.
    fallen: bricks on the table without a topple. seen: bricks that were out this round.
    """

    seats: tuple[Seat, ...]
    mode: str
    house: House
    stock: Stock
    bricks: tuple[Brick, ...]
    luck: int
    tower: tuple[Row, ...]
    turn: int
    scores: tuple[int, ...]
    topples: tuple[int, ...]
    skips: tuple[int, ...]
    pullers: tuple[int, ...]
    round: int = 1
    direction: int = 1
    phase: Phase = Phase.CHOOSE
    owed: tuple[Task, ...] = (FREE,)
    coming: tuple[Task, ...] = ()
    silent: bool = False
    held: str = ""
    gathered: bool = False
    met: bool = False
    fallen: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    step: int = 0
    winners: tuple[str, ...] = ()
    reason: ToppleReason | None = None
