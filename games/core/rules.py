"""What every game's rules are: pure functions over a frozen state, and the values they speak in.

The rules of a game are a module (`games/<game>/rules.py`) that fits the `Rules` protocol. They know no poses,
no pictures and no clock: an action says what a player wants, an event says what the world did, `needs`
tells the session what the game waits for, and a handicap what is done to the hand and the eye.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Generic, Protocol, TypeVar

from teeter.games.core.clauses import Cited
from teeter.games.core.errors import IllegalAction, MalformedAction, SetupError, unknown
from teeter.games.core.events import Condition, Event, Question
from teeter.games.core.setup import Mode, Seat, seat_index, take_house, take_mode, take_seats
from teeter.models.errors import quote

S = TypeVar("S")
T_contra = TypeVar("T_contra", contravariant=True)
H = TypeVar("H")
T = TypeVar("T")
R = TypeVar("R", bound="Running")


@dataclass(frozen=True, slots=True)
class Action:
    """What a player (a seat, by name) wants to do; every game adds its own."""

    player: str


@dataclass(frozen=True, slots=True)
class Take(Action):
    """The hand takes up this piece in order to lay it."""

    piece: str


@dataclass(frozen=True, slots=True)
class TakeBack(Action):
    """The hand puts the piece it holds back where it came from, as if it had never been taken (ALL-6)."""


@dataclass(frozen=True, slots=True)
class Bring(Action):
    """Bring out a new piece of this model, into the hand: free building."""

    piece: str
    model: str


@dataclass(frozen=True, slots=True)
class PutAway(Action):
    """Take a lying piece off the table for good: free building."""

    piece: str


Input = Action | Event


class Reason(Cited):
    """Why a game ended. Each game has its own subclass; a member is (clause, sentence)."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: the seats that won (none: nobody; several: shared or together), and why."""

    winners: tuple[str, ...]
    reason: Reason


class Wait(Enum):
    """What a game waits for; the session does it and reports."""

    ACTION = "the player chooses one of the legal actions"
    HAND = "the player carries the held piece and lets it go: Met, Nudged, Fell, Released"
    PULL = "the player pulls the piece out of the tower: Met, Nudged, Fell, Removed"
    REST = "the world runs until it rests: Placed or Rested, Fell, HitNeighbour"
    COUNT = "the world runs for `seconds` from the release: Fell, CountElapsed"
    ANSWER = "the referee answers `question` about `pieces`: RefereeAnswer"
    OVER = "nothing: the game is over"


@dataclass(frozen=True, slots=True)
class Need:
    """What must happen next. player: the seat whose act it is. pieces: the held piece, or those asked about.

    conditions: what the session must find out about the piece once it lies. member: whose turn it is within a team.
    """

    wait: Wait
    player: str
    pieces: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    seconds: float = 0.0
    question: Question | None = None
    member: str = ""

    @property
    def who(self) -> str:
        """The person or computer player who acts."""
        return self.member or self.player


@dataclass(frozen=True, slots=True)
class Choice:
    """A legal action with a short sentence for people, and how its piece will have to lie."""

    action: Action
    sentence: str
    conditions: tuple[Condition, ...] = ()


class Rules(Protocol[S]):
    """The rules of one game as pure functions; a module fits when it has them."""

    @property
    def HANDLERS(self) -> Mapping[type, Any]:  # noqa: N802
        """Everything that apply() takes, actions first, and what it is handled by."""

    def start(self, players: Sequence[str], seed: int, options: Mapping[str, object], stock: Any) -> S:
        """The state before the first turn. options: `mode` and house options. Raises SetupError."""

    def legal(self, state: S) -> tuple[Choice, ...]:
        """Every action that may be taken now; empty while the world decides or the game is over."""

    def needs(self, state: S) -> Need:
        """What the game waits for."""

    def apply(self, state: S, given: Input) -> S:
        """The state after an action or an event.

        Raises IllegalAction or MalformedAction, and changes nothing.
        """

    def outcome(self, state: S) -> Outcome | None:
        """How the game ended, None while it goes on."""

    def scores(self, state: S) -> tuple[int, ...]:
        """One number for every seat; what it counts is the game's `score_word`."""

    def seen_by(self, state: S, player: str) -> S:
        """The state with all that this player may not see blotted out (`?`, and the luck).

        legal() and needs() still work on it when this player is the one to act.
        """

    def opening(self, state: S) -> tuple[str, ...]:
        """The first lines of the story of a game."""

    def called(self, state: S, piece: str) -> str:
        """What the story calls a piece, with its article."""

    def tell(self, before: S, given: Input, after: S) -> tuple[str, ...]:
        """The next lines of the story, for people who know the game: captions, logs, golden transcripts."""


@dataclass(frozen=True, slots=True)
class Handicap:
    """What is done to the hand and the eye.

    mirrored: left and right of the input are swapped. tremor: times the player's own, or `tremor_mm` of a player who
    has none.
    sway_mm, sway_period_s, sway_axes: viewpoint and hand sway slowly, around so many axes.
    arm_mm: the hand stays so far from the shoulder; 0: free. grip: share of the usual force and torque.
    depth_cues: shadows and perspective. turns_while_holding: the camera may turn while a piece is held.
    spins: turns of the camera after each new floor card; wobble_s: the hand wobbles so long after them.
    eye_mm: the camera stays at this height above the table; 0: free.
    reach_mm: the wrists stay so near to each other that both turn, slowly and not far; 0: free.
    drop_mm: a floor card is let go at least so high above the tower.
    """

    mirrored: bool = False
    tremor: float = 1.0
    tremor_mm: float = 0.0
    sway_mm: float = 0.0
    sway_period_s: float = 0.0
    sway_axes: int = 0
    arm_mm: float = 0.0
    grip: float = 1.0
    depth_cues: bool = True
    turns_while_holding: bool = True
    spins: int = 0
    wobble_s: float = 0.0
    eye_mm: float = 0.0
    reach_mm: float = 0.0
    drop_mm: float = 0.0


NO_HANDICAP = Handicap()


class Handicaps(Generic[T_contra]):
    """Which handicap holds in a game; by default none."""

    def of(self, state: T_contra) -> Handicap:
        """The handicap of the player."""
        return NO_HANDICAP

    def limit_s(self, state: T_contra) -> float:
        """Seconds that the game may take from the first grab; 0 without a limit."""
        return 0.0

    def spins(self, before: T_contra, after: T_contra) -> bool:
        """Whether the player spins round between these states (`spins`, `wobble_s`)."""
        return False


NO_HANDICAPS: Handicaps[Any] = Handicaps()


class Running(Protocol):
    """What every state has, as far as the shared checks go."""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats in clockwise order."""

    @property
    def luck(self) -> int:
        """The random state; 0 in a game without chance."""

    @property
    def step(self) -> int:
        """The step of the last event."""

    @property
    def reason(self) -> Reason | None:
        """Why the game ended, None while it goes on."""

    @property
    def winners(self) -> tuple[str, ...]:
        """The seats that won; nobody while it goes on."""


def outcome(state: Running) -> Outcome | None:
    """How a game ended; the reason cites the clause."""
    return None if state.reason is None else Outcome(state.winners, state.reason)


def refuse(refusal: tuple[str, str] | None) -> None:
    """Raises IllegalAction for a clause and a sentence; None is nothing to refuse."""
    if refusal is not None:
        raise IllegalAction(*refusal)


def prepare(
    modes: Sequence[Mode], house: type[H], players: Sequence[str], seed: object, options: Mapping[str, object]
) -> tuple[Mode, tuple[Seat, ...], H]:
    """What start() is given, checked: the mode (key `mode` of the options), the seats, the house rules."""
    if type(seed) is not int:
        raise SetupError(f"the seed must be a whole number, not {quote(seed)}")
    mode = take_mode(modes, options.get("mode"))
    chosen = take_house(house, {name: value for name, value in options.items() if name != "mode"}, mode)
    return mode, take_seats(players, mode), chosen


def admit(state: Running, entry: Input, need: Need, kinds: Mapping[type, Any], turn_clause: str) -> Any:
    """The handler in `kinds` for this input, after the checks every game shares.

    Raises MalformedAction for what the game does not know, IllegalAction for anything after the end, for
    actions while things move (ALL-2), out of turn (`turn_clause`), and for events that do not come in step
    order.
    """
    handler = kinds.get(type(entry))
    if handler is None:
        raise MalformedAction(unknown("input", type(entry).__name__, [kind.__name__ for kind in kinds]))
    if state.reason is not None:
        raise IllegalAction(state.reason.clause, f"the game is over: {state.reason.text}")
    if not isinstance(entry, Action):
        if entry.step < state.step:
            raise MalformedAction(
                f"step {entry.step} comes before step {state.step}; events come in step order"
            )
        return handler
    if seat_index(state.seats, entry.player) < 0:
        raise MalformedAction(unknown("player", entry.player, [seat.name for seat in state.seats]))
    if need.wait in (Wait.REST, Wait.COUNT):
        raise IllegalAction("ALL-2", "nothing is decided while things move")
    if entry.player != need.player:
        raise IllegalAction(turn_clause, f"it is {need.player}'s turn, not {entry.player}'s")
    if need.wait is Wait.ANSWER:
        raise IllegalAction("ALL-2", "the referee has yet to answer")
    return handler


def applied(state: R, entry: Input, need: Need, kinds: Mapping[type, Any], turn_clause: str) -> R:
    """The state after an input, by its handler in `kinds`; an event sets the step. Raises what `admit` raises."""
    after: Any = admit(state, entry, need, kinds, turn_clause)(state, entry)
    stepped: R = after if isinstance(entry, Action) else replace(after, step=entry.step)
    return stepped


def replaced(values: tuple[T, ...], at: int, value: T) -> tuple[T, ...]:
    """The values with another one at an index."""
    return (*values[:at], value, *values[at + 1 :])


def require_piece(piece: str, known: Sequence[str], what: str = "piece") -> None:
    """Refuse a name that no piece of this game has. Raises MalformedAction with the nearest."""
    if piece not in known:
        raise MalformedAction(unknown(what, piece, known))


def require_held(piece: str, held: str, what: str = "piece") -> None:
    """Refuse an event about another piece than the one in play. Raises MalformedAction."""
    if piece != held:
        raise MalformedAction(f"{piece!r} is not the {what} in play, {held!r} is")


def hold_one(held: str) -> None:
    """ALL-1: a hand that holds something takes nothing else."""
    if held:
        raise IllegalAction("ALL-1", f"one hand holds one piece at a time; it holds {held}")


def may_take_back(held: str, met: bool) -> None:
    """ALL-6: a move of the hand may be taken back until the release or the first contact."""
    if not held:
        raise IllegalAction("ALL-6", "only a piece still in the hand can be taken back")
    if met:
        raise IllegalAction("ALL-6", f"{held} has touched another piece and can no longer be taken back")
