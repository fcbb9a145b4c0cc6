"""Two people play on while eight look on and hundreds without a secret fill the door: the real command, real sockets,
strangers in a process of their own."""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from host_client import Seat
from host_thread import FAST, played
from test_host_command import command
from websockets.exceptions import ConnectionClosed

SPECTATORS = 8
DROPS_AT = (1, 2)
"""Questions after which Ben's machine loses its power; his page comes back by its token."""
ECHO_S = 0.1
"""Seconds from an answer to the next question of how long one takes."""
ANSWERED_S = 10.0
"""In which the host has to answer a player, on a busy machine too."""
LONGEST_S = 1200.0
STRANGERS = Path(__file__).with_name("host_strangers.py")


@contextmanager
def strangers_at(link: str, count: int) -> Iterator[dict[str, Any]]:
    """So many at the door until the end of the block; then what became of them."""
    where, found = urlsplit(link), dict[str, Any]()
    words = [sys.executable, str(STRANGERS), str(where.hostname), str(where.port), str(count)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        yield found
        said, _ = running.communicate(timeout=60.0)
    found.update(json.loads(said))


class Timed(Seat):
    """A seat that asks for an echo as it plays, and remembers how long each took, seconds. drops: questions after which
    its line is cut; it comes back by its token."""

    async def echo(self, delays: list[float]) -> None:
        """Until it is cancelled."""
        number = 0
        while True:
            number, line, begin = number + 1, self._socket, time.monotonic()
            try:
                await self.say(type="ping", number=number)
                # a line that is lost answers nothing
                while line is self._socket and self.last.get("pong", {}).get("number") != number:
                    await asyncio.sleep(0.002)
                    assert time.monotonic() - begin < 60.0, f"{self.name} is not answered"
            except ConnectionClosed:
                line = None
            if line is self._socket:
                delays.append(time.monotonic() - begin)
            await asyncio.sleep(ECHO_S)

    async def whole_game(self, drops: tuple[int, ...] = ()) -> int:
        """Plays to the end. Returns how often it came back."""
        backs = 0
        for turns in (*drops, 0):
            await self.play(turns)
            if not turns or self.end:
                break
            self.kill()
            # nobody may have taken the seat meanwhile
            await self.join()
            await self.settled()
            assert self.last["welcome"]["seat"] == self.name, self.last["welcome"]
            backs += 1
        return backs


async def game(links: dict[str, str], strangers: int, *, stacks: bool) -> dict[str, object]:
    """A whole game. Returns what is to be told of it. stacks: of the seats, how they lay."""

    def come(link: str, name: str = "") -> Timed:
        address, _, secret = links[link].partition("/#")
        return Timed(address.replace("http", "ws", 1), secret, name, stacks=stacks)

    owner, *watchers = [come("You, the host"), *(come("Looking on") for _ in range(SPECTATORS))]
    delays: dict[str, list[float]] = {"Ada": [], "Ben": []}
    seats = {name: come("Seats", name) for name in delays}
    with strangers_at(links["Seats"], strangers) as stormed:
        # those who sit down come in the middle of it
        await asyncio.sleep(2.0)
        for each in (owner, *watchers, *seats.values()):
            await each.join()
            await each.settled()
            assert each.last["welcome"]["seat"] == each.name
        await owner.say(type="speed", factor=FAST)
        looking = [asyncio.create_task(each.play()) for each in (owner, *watchers)]
        echoes = [asyncio.create_task(seat.echo(delays[name])) for name, seat in seats.items()]
        try:
            async with asyncio.timeout(LONGEST_S):
                found = await asyncio.gather(seats["Ada"].whole_game(), seats["Ben"].whole_game(DROPS_AT))
                ends = [each.end for each in seats.values()] + await asyncio.gather(*looking)
            # a tower may topple before the second one
            assert found[0] == 0 < found[1] <= len(DROPS_AT)
            assert ends == ends[:1] * len(ends)
            assert not any(each.done() for each in echoes), echoes
        finally:
            for task in (*echoes, *looking):
                task.cancel()
            await asyncio.gather(*echoes, *looking, return_exceptions=True)
    # no seat, no place and no word for them, and not one of them has given up
    assert stormed["faults"] == []
    assert "welcome" not in stormed
    every = sorted(each for found in delays.values() for each in found)
    assert every[-1] < ANSWERED_S
    return {
        "strangers": strangers,
        "knocks": stormed.get("knocks", 0),
        "came in": stormed.get("came in", 0),
        "Ben came back": found[1],
        "questions": seats["Ada"].last["turn"]["turn"],
        "answers": len(every),
        "median ms": round(1e3 * statistics.median(every)),
        "99 % ms": round(1e3 * every[int(0.99 * (len(every) - 1))]),
        "longest ms": round(1e3 * every[-1]),
        "end": ends[0]["result"],
    }


GAMES: dict[str, tuple[str, ...]] = {
    "wonky": (),
    "tower-topple": ("--mode", "2", "--house", "rounds=1"),
}


@pytest.mark.soak
@pytest.mark.parametrize("strangers", [0, 200])
@pytest.mark.parametrize("name", GAMES)
def test_a_game_in_a_storm(name: str, strangers: int, tmp_path: Path, row: Callable[..., None]) -> None:
    words = (name, "--players", "Ada,Ben", "--seed", "3", *GAMES[name], "--host", "127.0.0.1:0")
    with command(words, tmp_path) as host:
        links = host.links()
        found = played(game(links, strangers, stacks=name == "wonky"))
        assert host.process.poll() is None
    row("a game of two with eight spectators and strangers at the door", game=name, **found)
