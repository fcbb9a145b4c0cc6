"""Whole games at hosted tables: how they end, that records verify, and that no seat is sent what it may not see."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from host_client import Json, Seat
from host_thread import hosted, played

from teeter.games.host.connection import Connection
from teeter.games.host.table import HostedTable
from teeter.games.play.playback import verify
from teeter.games.registry import clauses_of, game_named
from teeter.games.wonky.rules_turn import said

LONGEST_S = 1800.0
"""Seconds in which a game has to end, on a busy machine too."""


@dataclass
class Sent:
    """Everything that was sent: to which seat (empty: to who looks on), the text, the true state of the game then."""

    rows: list[tuple[str, str | bytes, Any]] = field(default_factory=list)
    tables: list[HostedTable] = field(default_factory=list)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """Notes what leaves the server, and the true state of the game at that moment."""
    found, send = Sent(), Connection.send_text

    def noting(self: Connection, text: str | bytes) -> None:
        if found.tables:
            found.rows.append((self.seat, text, found.tables[0]._client.state))
        send(self, text)

    monkeypatch.setattr(Connection, "send_text", noting)
    return found


def whole_game(
    game: str,
    players: tuple[str, ...],
    seed: int,
    folder: Path,
    sent: Sent | None = None,
    turns: int = 0,
    options: dict[str, object] | None = None,
) -> tuple[Json, list[Seat], Path]:
    """Two seats and a spectator to the end of a game; or so many turns of it."""
    record = folder / f"{game}.teeter"
    with hosted(game, players, seed, record, options=options) as host:
        if sent is not None:
            assert host.server.table is not None
            sent.tables.append(host.server.table)
        people = [name for name in players if not name.startswith("bot:")]
        stacks = game == "wonky"  # whose bots think long about places
        seats = [Seat(host.url, host.links.seats, name, seed, stacks=stacks) for name in people]
        seats.append(Seat(host.url, host.links.spectators))

        async def play() -> Json:
            for seat in seats:
                await seat.join()
            async with asyncio.timeout(LONGEST_S):
                found = await asyncio.gather(*(seat.play(turns) for seat in seats))
            for seat in seats:
                await seat.leave()
            return found[0]

        over = played(play())
    return over, seats, record


def cards_in(text: str, ids: list[str]) -> set[str]:
    """The cards that a text names, in any of the ways in which the game writes them; blocks have names of their own."""
    found = set()
    for name in ids:
        words = re.escape(said(name)).replace("\\ ", "[ _-]")
        if name.startswith(("any_", "combo_")):
            is_there = re.search(words, text)
        elif "_" in name:
            # "small green block" is a block, and `small_green` its name on the table
            is_there = re.search(rf"(?<![\w/])(?:{re.escape(said(name))})(?! block)", text)
        else:
            is_there = re.search(rf"card\|{name}\||(?<!combo )\b{name} card|(?:: |, |draws ){name}\b", text)
        if is_there or f"card|{said(name)}|" in text:
            found.add(name)
    return found


def check_secrets(sent: Sent) -> int:
    """Searches all that was sent for cards that the seat had never seen by then. Returns how many were searched."""
    known: dict[str, set[str]] = {}
    searched = 0
    for seat, text, state in sent.rows:
        ids = [card.id for card in state.stock.cards]
        seen = known.setdefault(seat, set())
        hands = dict(zip((each.name for each in state.seats), state.hands, strict=True))
        seen |= {*hands.get(seat, ()), *state.discard}
        if not isinstance(text, str) or text.startswith('{"type":"bodies"'):
            continue
        searched += 1
        hidden = cards_in(text, ids) - seen
        assert not hidden, f"{seat or 'a spectator'} was told of {sorted(hidden)}: {text[:400]}"
    return searched


def test_the_search_finds_a_card_in_all_its_forms() -> None:
    ids = ["small_green", "any_blue", "pass", "combo_draw"]
    for text in (
        "draws small green, pass",
        "the small green card",
        "card|small green|wonky/small_green|#fff",
    ):
        assert "small_green" in cards_in(text, ids)
    for text in ("Take the small green block", '"piece":"small_green"', "wonky/small_green"):
        assert not cards_in(text, ids)
    for text in ("any-blue", "any_blue", "any blue"):
        assert cards_in(text, ids) == {"any_blue"}
    assert cards_in("Ada: any blue, pass", ids) == {"any_blue", "pass"}
    assert cards_in("card|combo draw||#8a8378", ids) == {"combo_draw"}


@pytest.mark.slow
def test_nobody_is_sent_a_card_of_another_hand(tmp_path: Path, sent: Sent) -> None:
    _, seats, _ = whole_game("wonky", ("Ada", "Ben", "bot:clumsy"), 4, tmp_path, sent, turns=6)
    assert check_secrets(sent) > 50
    told = [str(text) for seat in seats for text in seat.received if isinstance(text, str)]
    assert any("draws" in text or "plays" in text for text in told)
    assert len({seat for seat, _, _ in sent.rows}) == 3


GAMES: dict[str, tuple[int, dict[str, object]]] = {
    "wonky": (3, {}),
    "bausack": (2, {"pieces": 8}),
    "crazy-tower": (2, {}),
    "tower-topple": (2, {"rounds": 1}),
}
"""Seeds and options."""


@pytest.mark.soak
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_ends_and_verifies(game: str, tmp_path: Path, sent: Sent) -> None:
    seed, options = GAMES[game]
    over, seats, record = whole_game(
        game, ("Ada", "Ben", "bot:clumsy"), seed, tmp_path, sent, options=options
    )
    assert over["reason"]
    assert all(seat.end == over for seat in seats)
    assert verify(record).agrees
    if game == "wonky":
        assert check_secrets(sent) > 200
    clauses = {clause.text for clause in clauses_of(game_named(game))}
    assert over["clause"] in clauses
