"""What a game is set up with: who sits where (ALL-5), the modes, and the house options (`--house KEY=VALUE`).

Options are declared as fields of a frozen dataclass:

    @dataclass(frozen=True, slots=True)
    class House:
        rounds: int = option(3, "how many rounds are played", clause="TT-07", least=1, most=99)

`options_of(House)` lists them for help; `take_house(House, {"rounds": "5"}, mode)` returns a House with
rounds == 5. The kind of an option is the type of its default: yes or no, a whole number, or a text.
"""

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from teeter.games.core.errors import SetupError, unknown
from teeter.games.core.words import counted, listed
from teeter.models.errors import quote

LONGEST_NAME = 40
"""Characters; longer ones break every table and panel."""

BOT = "bot:"
STYLES = ("steady", "bold", "clumsy", "expert")
"""The kinds of computer players, in the order in which a person comes across them. By strength: expert, steady, clumsy;
bold takes chances."""


@dataclass(frozen=True, slots=True)
class Member:
    """One person or computer player; `bot` is the kind of computer player, empty for a person."""

    name: str
    bot: str = ""


@dataclass(frozen=True, slots=True)
class Seat:
    """A place at the table: one player, or a team that plays as one and is named `Ana+Ben`."""

    name: str
    members: tuple[Member, ...]

    @property
    def has_people(self) -> bool:
        """Whether not only computer players sit here."""
        return not all(member.bot for member in self.members)

    def turn_of(self, member: int) -> str:
        """The name of a member of a team; empty for a player alone, whose name is the seat's."""
        return self.members[member].name if len(self.members) > 1 else ""


@dataclass(frozen=True, slots=True)
class Mode:
    """A way to play a game. least, most: how many seats; teams: whether a seat may hold several players."""

    name: str
    title: str
    least: int
    most: int
    teams: bool = False

    @property
    def players(self) -> str:
        """How many may play, in words."""
        if self.least == self.most == 1:
            return "one player or one team" if self.teams else "one player"
        return f"{self.least} players" if self.least == self.most else f"{self.least} to {self.most} players"


def take_mode(modes: Sequence[Mode], name: object = None) -> Mode:
    """The mode of that name, the first one by default. Raises SetupError with the modes there are."""
    if name is None or name == "":
        return modes[0]
    for mode in modes:
        if mode.name == name:
            return mode
    raise SetupError(unknown("mode", name, [mode.name for mode in modes]))


def take_seats(players: Sequence[str], mode: Mode) -> tuple[Seat, ...]:
    """Seats in the order given, clockwise, from texts such as `Ana`, `Ana+Ben`, `bot:steady`.

    Equal computer players are numbered: `steady-1`, `steady-2`. Raises SetupError for a wrong number of
    seats, an empty or doubled name, a team where there are none.
    """
    if isinstance(players, str):
        raise SetupError(f"players must be a list of names, not the text {quote(players)}")
    teams = [_members(text) for text in players]
    if not mode.least <= len(teams) <= mode.most:
        raise SetupError(f"{mode.title} is for {mode.players}; {len(teams)} given")
    seats = _numbered(teams)
    names = Counter(member.name.casefold() for seat in seats for member in seat.members)
    for seat in seats:
        if len(seat.members) > 1 and not mode.teams:
            raise SetupError(f"{mode.title} has no teams: {quote(seat.name)} must be one player")
        for member in seat.members:
            if names[member.name.casefold()] > 1:
                raise SetupError(f"two players are called {quote(member.name)}; names must differ")
    return seats


def _members(text: object) -> tuple[Member, ...]:
    if not isinstance(text, str):
        raise SetupError(f"a player's name must be text, not {quote(text)}")
    return tuple(_member(part.strip()) for part in text.split("+"))


def _member(name: str) -> Member:
    bot = name[len(BOT) :] if name.startswith(BOT) else ""
    plain = name.removeprefix(BOT)
    if not plain:
        raise SetupError("a player's name is empty; give names like `Ana,Ben,bot:steady`")
    if len(plain) > LONGEST_NAME or "," in plain or not plain.isprintable():
        raise SetupError(
            f"{quote(plain)} is no name: at most {LONGEST_NAME} printable characters, no comma, no +, "
            "nothing that joins others"
        )
    return Member(plain, bot)


def _numbered(teams: Sequence[tuple[Member, ...]]) -> tuple[Seat, ...]:
    kinds = Counter(member.bot for team in teams for member in team if member.bot)
    seen: Counter[str] = Counter()
    seats = []
    for team in teams:
        members = []
        for member in team:
            seen[member.bot] += 1
            several = kinds[member.bot] > 1
            members.append(Member(f"{member.bot}-{seen[member.bot]}", member.bot) if several else member)
        seats.append(Seat("+".join(member.name for member in members), tuple(members)))
    return tuple(seats)


def first_seat(seats: Sequence[Seat], first: str) -> int:
    """The index of the seat that starts: a name, of a team or in one, or a number counted from 1; the first one by
    default. Raises SetupError."""
    if not first:
        return 0
    people = {member.name: index for index, seat in enumerate(seats) for member in seat.members}
    named = {seat.name: index for index, seat in enumerate(seats)} | people
    # who is called 2 is meant before the second seat is
    numbered = {str(index + 1): index for index in range(len(seats))} | named
    if first not in numbered:
        raise SetupError(
            f"option first: {unknown('player', first, named)}, or a seat's number up to {len(seats)}"
        )
    return numbered[first]


def seat_index(seats: Sequence[Seat], name: str) -> int:
    """The index of the seat of that name, -1 when there is none."""
    return next((index for index, seat in enumerate(seats) if seat.name == name), -1)


H = TypeVar("H")

Value = bool | int | str

YES = ("yes", "true", "on", "1")
NO = ("no", "false", "off", "0")


@dataclass(frozen=True, slots=True)
class Option:
    """One option as help shows it.

    least, most: range of a number. choices: what a text may be, empty: anything.
    modes: the only modes it belongs to, empty: all. clause: the clause it comes from. told: what the opening says where
    it is not as printed, with {} for the value; empty where the story of the game says it itself.
    """

    default: Value
    help: str
    clause: str
    least: int
    most: int
    choices: tuple[str, ...]
    modes: tuple[str, ...]
    told: str = ""
    name: str = ""

    @property
    def allowed(self) -> str:
        """The values it takes, in words."""
        if isinstance(self.default, bool):
            return "yes or no"
        if isinstance(self.default, int):
            return f"a whole number from {self.least} to {self.most}"
        return ", ".join(self.choices) or "a text"

    def take(self, raw: object) -> Value:
        """The value from a text or a plain value. Raises SetupError with what is allowed."""
        value = self._value(raw)
        if value is None:
            raise SetupError(f"option {self.name}: {quote(raw)} is not allowed; it takes {self.allowed}")
        return value

    def _value(self, raw: object) -> Value | None:
        if isinstance(self.default, bool):
            word = str(raw).strip().lower()
            return True if word in YES else False if word in NO else None
        if isinstance(self.default, int):
            return self._whole(raw)
        text = raw.strip() if isinstance(raw, str) else ""
        return text if isinstance(raw, str) and (not self.choices or text in self.choices) else None

    def _whole(self, raw: object) -> int | None:
        try:
            number = int(raw) if isinstance(raw, str) else raw
        except ValueError:
            return None
        return number if type(number) is int and self.least <= number <= self.most else None


def option(
    default: Value,
    help: str,
    *,
    clause: str = "",
    least: int = 0,
    most: int = 0,
    choices: Sequence[str] = (),
    modes: Sequence[str] = (),
    told: str = "",
) -> Any:
    """A dataclass field that is an option of the game."""
    spec = Option(default, help, clause, least, most, tuple(choices), tuple(modes), told)
    return dataclasses.field(default=default, metadata={"option": spec})


def options_of(house: Any) -> tuple[Option, ...]:
    """The options a House class declares, in its order."""
    fields = dataclasses.fields(house)
    return tuple(dataclasses.replace(field.metadata["option"], name=field.name) for field in fields)


def house_told(house: Any) -> str:
    """What is not played as printed, in a sentence; empty for nothing that the story of the game does not say."""
    values = ((entry, getattr(house, entry.name)) for entry in options_of(house) if entry.told)
    told = [
        entry.told.format(value, points=counted(value, "point"))
        for entry, value in values
        if value != entry.default
    ]
    return f"House rules: {'; '.join(told)}." if told else ""


def take_house(house: type[H], values: Mapping[str, object], mode: Mode) -> H:
    """The House that `values` asks for; what is not given keeps its default. Raises SetupError."""
    options = {entry.name: entry for entry in options_of(house)}
    chosen = {}
    for name, value in values.items():
        if name not in options:
            raise SetupError(unknown("option", name, [*options, "mode"]))
        wanted = options[name]
        if wanted.modes and mode.name not in wanted.modes:
            several = "s" if len(wanted.modes) > 1 else ""
            raise SetupError(
                f"option {name} belongs to mode{several} {listed(wanted.modes)}, not to mode {mode.name}"
            )
        chosen[name] = wanted.take(value)
    return house(**chosen)


def split_texts(texts: Sequence[str]) -> dict[str, str]:
    """`KEY=VALUE` texts of a command line as a mapping. Raises SetupError."""
    options: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name:
            raise SetupError(f"{quote(text)} is not an option; write KEY=VALUE")
        if name in options:
            raise SetupError(f"option {name} is given twice")
        options[name] = value.strip()
    return options
