"""A game of Crazy Tower between two inputs: modes, house rules, actions, and the state."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from games.rules.base import Action, Reason
from games.rules.crazy_tower.stock import Challenge, Sort, Stock
from games.rules.options import option
from games.rules.seats import Mode, Seat

COMPETITIVE, SABOTEUR, SOLO = "competitive", "saboteur", "solo"

MODES = (
    Mode(COMPETITIVE, "Crazy Tower", 2, 4),
    Mode(SABOTEUR, "Crazy Tower with a saboteur", 3, 4),
    Mode(SOLO, "A Crazy Tower challenge", 1, 1, teams=True),
)


@dataclass(frozen=True, slots=True)
class House:
    """The options of the game."""

    first: str = option(
        "",
        "who starts: a name or a seat number; with an open saboteur it is always the player on their left",
        clause="CT-09",
        modes=(COMPETITIVE, SABOTEUR),
    )
    colours: str = option(
        "", "the colours chosen, in seat order (red,green,...); two players have two each", clause="CT-08"
    )
    saboteur: str = option(
        "", "the saboteur: a name or a seat number, by lot unless given", clause="CT-09", modes=(SABOTEUR,)
    )
    secret: bool = option(
        False, "only the saboteur knows who it is; the first player starts", clause="CT-09", modes=(SABOTEUR,)
    )
    challenge: int = option(1, "the solo challenge", clause="CT-09", least=1, most=20, modes=(SOLO,))
    colour_count: int = option(
        0, "how many colours are in play, 0: as the challenge has it", clause="CT-08", most=4, modes=(SOLO,)
    )


@dataclass(frozen=True, slots=True)
class RevealCard(Action):
    """Way B of a turn: turn up the first floor card of the stack, to lay it on the tower."""


@dataclass(frozen=True, slots=True)
class NothingFits(Action):
    """Say that none of the own blocks fits on the highest floor; the referee decides."""


@dataclass(frozen=True, slots=True)
class PutBack(Action):
    """Take up a fallen piece to put it back: a block on this floor (by its card), a card on top (empty)."""

    piece: str
    floor: str = ""


@dataclass(frozen=True, slots=True)
class GiveBack(Action):
    """Say that a fallen block has no place left, so that it goes to the player of its colour."""

    piece: str


@dataclass(frozen=True, slots=True)
class Pull(Action):
    """A remove box: pull this block out of a lower floor."""

    piece: str


@dataclass(frozen=True, slots=True)
class Decline(Action):
    """A remove box: leave the blocks where they are."""


@dataclass(frozen=True, slots=True)
class Swap(Action):
    """An exchange box: give an unplayed block for an unplayed block of another player."""

    give: str
    take: str


class Stage(Enum):
    """What the turn has come to."""

    CHOOSE = "a block for the highest floor, or a new floor card"
    CARD = "the revealed card is to be laid on the tower"
    BLOCK = "a block is to be put on the new floor"
    LAID = "the block is laid; fallen pieces are put back"
    BOXES = "covered boxes act"


class Hand(Enum):
    """What the hand does."""

    FREE = "nothing; the player chooses"
    CARRY = "it carries a piece to its place"
    PULL = "it pulls a block out of the tower"
    SETTLE = "nothing; the world comes to rest"
    ASK = "nothing; the referee looks whether a block fits"


class CrazyReason(Reason):
    """Why a game of Crazy Tower ends."""

    LAST_BLOCK = ("CT-21", "the last block is laid and the tower stands")
    COLLAPSE = ("CT-22", "the tower collapsed")
    STANDSTILL = ("CT-10", "nobody can move")
    SABOTEUR_DONE = ("CT-25", "the saboteur laid the last block")
    ARCHITECT_COLLAPSE = ("CT-25", "the tower collapsed on an architect's turn")
    ARCHITECT_DONE = ("CT-26", "an architect laid the last block")
    SABOTEUR_COLLAPSE = ("CT-26", "the tower collapsed on the saboteur's turn")
    CHALLENGE_MET = ("CT-27", "the challenge is met and the tower stands")
    CHALLENGE_MISSED = ("CT-27", "the tower is complete, but not as the challenge asks")
    CHALLENGE_COLLAPSE = ("CT-27", "the tower collapsed and the challenge is lost")
    THREE_MINUTES = ("CT-37", "the three minutes are over")
    TWO_MINUTES = ("CT-38", "the two minutes are over")
    ONE_MINUTE = ("CT-39", "the minute is over")


@dataclass(frozen=True, slots=True)
class Floor:
    """A floor card of the tower and the blocks on it, in the order they were laid."""

    card: str
    blocks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fallen:
    """A piece that fell and is not yet put back; of a block, the floor it fell from."""

    piece: str
    floor: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """A game of Crazy Tower between two inputs.

    stock: what of the box is in play; of the challenges the one chosen. luck: random state. turn: seat index.
    member: whose turn it is inside a team. colours: those each seat chose. hands: unplayed blocks of each.
    deck: first card next. floors: bottom up. saboteur: seat index, -1 for none or not known.
    card: revealed and not yet laid. held: in the hand, or just let go. target: the floor a fallen block is
    carried back to. met: a take-back is too late. fallen: blocks, or cards; both are a collapse.
    boxes: covered and yet to act. asked: the fallen block the referee looks at, empty: those of the turn.
    fits: the referee said that something fits. passes: seats in a row that could not move.
    started: the hand has taken up a piece, the clock of a challenge runs.
    """

    seats: tuple[Seat, ...]
    house: House
    stock: Stock
    mode: str
    luck: int
    turn: int
    colours: tuple[tuple[str, ...], ...]
    hands: tuple[tuple[str, ...], ...]
    deck: tuple[str, ...]
    floors: tuple[Floor, ...]
    saboteur: int
    member: int = 0
    stage: Stage = Stage.CHOOSE
    hand: Hand = Hand.FREE
    card: str = ""
    held: str = ""
    target: str = ""
    met: bool = False
    fallen: tuple[Fallen, ...] = ()
    boxes: tuple[Sort, ...] = ()
    asked: str = ""
    fits: bool = False
    passes: int = 0
    started: bool = False
    step: int = 0
    winners: tuple[str, ...] = ()
    reason: CrazyReason | None = None

    @property
    def challenge(self) -> Challenge | None:
        """The solo challenge that is played."""
        return self.stock.challenges[0] if self.stock.challenges else None

    @property
    def player(self) -> str:
        """The name of the seat on turn."""
        return self.seats[self.turn].name
