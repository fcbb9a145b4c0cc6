"""A hosted game in a thread of its own: the real server and the real physics, for tests whose clients run elsewhere."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from host_client import Seat, close_all
from websockets.exceptions import ConnectionClosed

from teeter.games.faults import FAULTS
from teeter.games.host.connection import ConnectionLimits
from teeter.games.host.links import Address, Links
from teeter.games.host.server import HostServer
from teeter.games.host.table import Hosting
from teeter.games.server.messages import Plan
from teeter.games.server.protocol import SetSpeed
from teeter.games.server.setup import first_view

R = TypeVar("R")
FAST = 100.0
ACTS: tuple[dict[str, Any], ...] = (
    {"type": "sit", "seat": "Ada"},
    {"type": "choose", "turn": 1, "choice": 0},
    {"type": "aim", "pose": [0, 0, 0.2, 0, 0, 0, 1], "number": 1},
    {"type": "hand", "name": "lay", "right": [1, 0], "number": 2},
    {"type": "hand", "name": "let_go", "right": [1, 0], "number": 3},
    {"type": "go_on"},
    {"type": "undo"},
    {"type": "hand", "name": "pull_out", "right": [1, 0], "number": 4},
    {"type": "feel", "piece": "small_red"},
    {"type": "chat", "text": "hello"},
    {"type": "to_bot", "seat": "Ada", "style": "steady"},
    {"type": "to_person", "seat": "Ada"},
    {"type": "speed", "factor": 2},
    {"type": "pause", "is_paused": True},
    {"type": "mute", "name": "Ada", "is_muted": True},
    {"type": "send_away", "name": "Ada"},
    {"type": "press", "name": "take:small_red"},
    {"type": "stand_up"},
)
"""Everything that changes something."""


class HostThread:
    """What a test sees of it. told: the story on the terminal."""

    def __init__(
        self, server: HostServer, links: Links, told: list[str], loop: asyncio.AbstractEventLoop
    ) -> None:
        self.server, self.links, self.told, self._loop = server, links, told, loop
        self.http = f"http://127.0.0.1:{links.address.port}"
        self.url = f"ws://127.0.0.1:{links.address.port}"

    def ask(self, question: Callable[[HostServer], R]) -> R:
        """What the server says, asked in its own thread."""

        async def inside() -> R:
            return question(self.server)

        return asyncio.run_coroutine_threadsafe(inside(), self._loop).result(180.0)

    def state(self) -> Any:
        """The game, with all secrets."""
        return self.ask(lambda server: server.table and server.table._client.state)


@contextmanager
def hosted(
    game: str = "wonky",
    players: tuple[str, ...] = ("Ada", "Ben"),
    seed: int = 3,
    record: Path | None = None,
    limits: ConnectionLimits | None = None,
    speed: float = FAST,
    options: dict[str, object] | None = None,
    is_drawn: bool = False,
) -> Iterator[HostThread]:
    """A game that is hosted on this machine, at a free port."""
    plan = Plan(game, players, seed, options or {}, record=record)
    links = Links(Address("127.0.0.1", 0), is_drawn=is_drawn)
    told: list[str] = []
    hosting = Hosting(
        plan,
        first_view(plan),
        links,
        told.append,
        lambda ready: None,
        limits or ConnectionLimits(),
        has_pictures=False,
    )
    ready, done = threading.Event(), asyncio.Event()
    found: dict[str, Any] = {}

    async def serve() -> None:
        async with HostServer(hosting) as server:
            found["host"] = HostThread(server, links, told, asyncio.get_running_loop())
            if server.physics is not None:
                server.physics.send(SetSpeed(speed))
            ready.set()
            await done.wait()

    def run() -> None:
        try:
            asyncio.run(serve())
        finally:
            ready.set()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    ready.wait(180.0)
    host: HostThread = found["host"]
    try:
        yield host
    finally:
        host._loop.call_soon_threadsafe(done.set)
        thread.join(180.0)
    assert not FAULTS.noted, FAULTS.noted


def played(work: Coroutine[Any, Any, R]) -> R:
    """What clients have done, in a loop of their own."""

    async def inside() -> R:
        try:
            return await work
        finally:
            await close_all()

    # in a thread of its own: the loop of a browser that is driven may live in this one
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, inside()).result()


async def begun(host: HostThread) -> None:
    """Wait until somebody is asked."""
    seat = Seat(host.url, host.links.spectators)
    await seat.join()
    while not seat.last.get("turn", {}).get("turn"):
        await seat.hear()
    await seat.leave()


async def at_table(host: HostThread, name: str = "", secret: str = "", **more: Any) -> Seat:
    """A seat that has heard all it is told first."""
    seat = Seat(host.url, secret or host.links.seats, name, **more)
    await seat.join()
    await seat.settled()
    return seat


async def answer(seat: Seat, /, **message: Any) -> dict[str, Any]:
    """What is said about a message: a refusal, or the `pong` that comes after nothing was said."""
    await seat.say(**message)
    await seat.say(type="ping", number=len(seat.received))
    while True:
        found = await seat.hear()
        if found["type"] in ("refused", "pong"):
            if found["type"] == "refused":
                await seat.wait_for("pong")
            return found


async def closed(seat: Seat) -> int:
    """The code with which the line is ended, after all that still comes."""
    try:
        while True:
            await seat.hear()
    except ConnectionClosed as error:
        return error.rcvd.code if error.rcvd is not None else 1006
