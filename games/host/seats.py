"""The seats of a hosted game: taken by links, kept for a while when a line is lost, given to bots by the host."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from teeter.games.core.errors import unknown
from teeter.games.core.setup import STYLES, Seat
from teeter.games.host.connection import TAKEN_OVER, Connection
from teeter.games.host.links import Links
from teeter.models.errors import TeeterError

AWAY_S = 300.0
"""Seconds for which a seat is kept for who lost the line."""
Clock = Callable[[], float]


class WishError(TeeterError):
    """A wish that is not passed on; clause and sentence, as the rules say it."""

    def __init__(self, sentence: str, clause: str = "") -> None:
        self.clause, self.sentence = clause, sentence
        super().__init__(sentence)


@dataclass(slots=True)
class Chair:
    """A seat, and who sits there. people: members that are no computer players. style: of the bot that plays for them.
    left_at: when the line was lost, for a seat that is kept. is_muted: by the host, whoever sits there."""

    name: str
    members: tuple[str, ...]
    people: tuple[str, ...]
    style: str = ""
    connection: Connection | None = None
    left_at: float | None = None
    is_muted: bool = False

    @property
    def state(self) -> Literal["free", "here", "away", "bot"]:
        """What everybody is told of it."""
        if self.style or not self.people:
            return "bot"
        if self.connection is not None:
            return "here"
        return "free" if self.left_at is None else "away"


class Chairs:
    """All seats of one game. bots: hears of people whom a bot plays for from now on, and its style; an empty one when
    they play again."""

    def __init__(
        self,
        seats: Sequence[Seat],
        links: Links,
        has_bots: bool,
        bots: Callable[[str, str], None],
        clock: Clock = time.monotonic,
    ) -> None:
        self._links, self._has_bots, self._bots, self._clock = links, has_bots, bots, clock
        self.all = {
            seat.name: Chair(
                seat.name,
                tuple(member.name for member in seat.members),
                tuple(member.name for member in seat.members if not member.bot),
                "" if seat.has_people else seat.members[0].bot,
            )
            for seat in seats
        }
        for name, style in links.bots.items():
            if name in self.all and style in STYLES:
                self._give(self.all[name], style)
        for name in links.tokens:
            # who sat there before the host was gone has the same five minutes to come back
            if name in self.all:
                self.all[name].left_at = self._clock()

    def of(self, name: str) -> Chair:
        """Returns a seat. Raises WishError for none, with the nearest."""
        if name not in self.all:
            raise WishError(unknown("seat", name, self.all))
        return self.all[name]

    def come_back(self, connection: Connection, token: str) -> str:
        """Seats who has the token of a seat. Returns its name, empty for a token that is worth nothing."""
        chair = self.all.get(self._links.seat_of(token))
        if chair is None or not chair.people:
            return ""
        if chair.connection is not None and chair.connection is not connection:
            chair.connection.seat = ""
            chair.connection.close(TAKEN_OVER, "you went on in another window; reload this page to play here")
        self._seat(connection, chair)
        return chair.name

    def sit(self, connection: Connection, name: str) -> str:
        """Seats who wants to. Returns the token. Raises WishError."""
        chair = self.of(name)
        if connection.role == "spectator":
            raise WishError("This link is for looking on")
        if connection.seat:
            raise WishError(f"You sit at {connection.seat}: stand up first")
        if chair.state != "free":
            why = {"here": "is taken", "away": "is kept for who lost the line", "bot": "is played by a bot"}
            raise WishError(f"{name} {why[chair.state]}")
        self._seat(connection, chair)
        return self._links.new_token(name)

    def _seat(self, connection: Connection, chair: Chair) -> None:
        chair.connection, chair.left_at = connection, None
        connection.seat = chair.name

    def stand_up(self, connection: Connection) -> None:
        """Frees the seat of who leaves it. Raises WishError for who sits nowhere."""
        if not connection.seat:
            raise WishError("You sit at no seat")
        chair, connection.seat = self.all[connection.seat], ""
        chair.connection, chair.left_at = None, None
        self._links.tokens.pop(chair.name, None)
        self._links.keep()

    def free(self, name: str) -> None:
        """The host takes a seat from who sits there, or whom it is kept for; no seat is nothing to free."""
        chair = self.all.get(name)
        if chair is not None and self._links.tokens.pop(name, None) is not None:
            chair.connection, chair.left_at, chair.is_muted = None, None, False
            self._links.keep()

    def lose(self, connection: Connection) -> str:
        """The line of a browser is lost. Returns the seat that is kept for it, empty for none."""
        chair = self.all.get(connection.seat)
        if chair is None or chair.connection is not connection:
            return ""
        chair.connection, chair.left_at = None, self._clock()
        return chair.name

    def seconds_left(self, name: str) -> int:
        """Returns for how long a seat is kept for who lost the line."""
        left_at = self.all[name].left_at
        return 0 if left_at is None else max(0, round(left_at + AWAY_S - self._clock()))

    def given_up(self) -> list[str]:
        """Returns the seats that were kept long enough; they are free now."""
        now = self._clock()
        chairs = [
            chair
            for chair in self.all.values()
            if chair.left_at is not None and chair.left_at + AWAY_S <= now
        ]
        for chair in chairs:
            chair.left_at = None
        return [chair.name for chair in chairs]

    def to_bot(self, name: str, style: str) -> None:
        """A bot plays for a seat from now on. Raises WishError."""
        chair = self.of(name)
        if not self._has_bots:
            raise WishError("No bot plays this game")
        if not chair.people:
            raise WishError(f"{name} is a bot already")
        if style not in STYLES:
            raise WishError(unknown("bot", style, STYLES))
        self._give(chair, style)
        self._links.bots[name] = style
        self._links.keep()

    def to_person(self, name: str) -> None:
        """The people of a seat play again. Raises WishError."""
        chair = self.of(name)
        if not chair.style or not chair.people:
            raise WishError(f"{name} is not played by a bot that can leave")
        self._give(chair, "")
        self._links.bots.pop(name, None)
        self._links.keep()

    def _give(self, chair: Chair, style: str) -> None:
        chair.style = style
        for person in chair.people:
            self._bots(person, style)
