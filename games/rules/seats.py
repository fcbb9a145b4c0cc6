"""Who sits where (ALL-5): names, teams, computer players, and whose turn comes next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from games.rules.errors import SetupError, shown, unknown

LONGEST_NAME = 40
"""Characters; longer ones break every table and panel."""

BOT = "bot:"


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


@dataclass(frozen=True, slots=True)
class Mode:
    """A way to play a game. least, most: how many seats; teams: whether a seat may hold several players."""

    name: str
    title: str
    least: int
    most: int
    teams: bool = False


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
        raise SetupError(f"players must be a list of names, not the text {shown(players)}")
    teams = [_members(text) for text in players]
    if not mode.least <= len(teams) <= mode.most:
        allowed = f"{mode.least}" if mode.least == mode.most else f"{mode.least} to {mode.most}"
        raise SetupError(f"{mode.title} is for {allowed} players; {len(teams)} given")
    seats = _numbered(teams)
    names = Counter(member.name.casefold() for seat in seats for member in seat.members)
    for seat in seats:
        if len(seat.members) > 1 and not mode.teams:
            raise SetupError(f"{mode.title} has no teams: {shown(seat.name)} must be one player")
        for member in seat.members:
            if names[member.name.casefold()] > 1:
                raise SetupError(f"two players are called {shown(member.name)}; names must differ")
    return seats


def _members(text: object) -> tuple[Member, ...]:
    if not isinstance(text, str):
        raise SetupError(f"a player's name must be text, not {shown(text)}")
    return tuple(_member(part.strip()) for part in text.split("+"))


def _member(name: str) -> Member:
    bot = name[len(BOT) :] if name.startswith(BOT) else ""
    plain = name.removeprefix(BOT)
    if not plain:
        raise SetupError("a player's name is empty; give names like `Ana,Ben,bot:steady`")
    if len(plain) > LONGEST_NAME or "," in plain or not plain.isprintable():
        raise SetupError(
            f"{shown(plain)} is no name: at most {LONGEST_NAME} printable characters, no comma, no +"
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
    """The index of the seat that starts: a name or a number counted from 1; the first one by default."""
    if not first:
        return 0
    for index, seat in enumerate(seats):
        if first in (seat.name, str(index + 1)) or first in [member.name for member in seat.members]:
            return index
    raise SetupError(f"option first: {unknown('player', first, [seat.name for seat in seats])}")


def seat_index(seats: Sequence[Seat], name: str) -> int:
    """The index of the seat of that name, -1 when there is none."""
    for index, seat in enumerate(seats):
        if seat.name == name:
            return index
    return -1
