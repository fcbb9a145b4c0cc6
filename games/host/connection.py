"""One browser: what waits to be sent to it, how often it may speak, and what it is at the table. And the lines as they
come from outside: how many may knock, how much may wait."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed
from websockets.protocol import State

from teeter.games.host.links import LinksError, Role
from teeter.games.host.scene import dumps
from teeter.games.present.hud_state import HudState
from teeter.games.server.news import SeatNews

BROKEN_RULE, NO_HELLO, TAKEN_OVER, TOO_SLOW, GOING_AWAY = 1008, 4000, 4001, 4002, 1001
FULL, SENT_AWAY, DEALT_ANEW = 4003, 4004, 1012
"""Codes with which connections are closed."""
SEND_BUFFER = 128 * 1024
"""Bytes that the system keeps for a browser that reads slowly: a second of pictures, not a minute of them."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """What one browser may do. rate, burst: messages a second, and at once. faults: refused messages a minute, after
    which it is closed. says, says_burst: lines, and acts that everybody hears of, a second, and at once. waiting:
    messages that may wait to be sent. stuck_s: in which one of them has to be."""

    rate: float = 120.0
    burst: int = 240
    faults: int = 300
    says: float = 4.0
    says_burst: int = 20
    waiting: int = 2000
    stuck_s: float = 20.0
    hello_s: float = 10.0


class Allowance:
    """So many a second, and not more than a burst of them at once."""

    def __init__(self, rate: float, burst: int) -> None:
        self._rate, self._burst = rate, float(burst)
        self._left, self._at = float(burst), time.monotonic()

    def take(self) -> bool:
        """Returns whether one more is allowed."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


class Connection:
    """A browser. everything: returns the poses of all bodies, for one that missed some."""

    def __init__(
        self, socket: ServerConnection, limits: ConnectionLimits, everything: Callable[[], bytes]
    ) -> None:
        self.role: Role | None = None
        self.seat = ""
        """Where it sits; empty while it looks on."""
        self.said: dict[str, str] = {}
        """The last message of each type that repeats, so that only changes are sent."""
        self.panels: set[str] = set()
        """The names of those that it has."""
        self.look = HudState()
        """How it looks at them."""
        self.turn = -1
        """The number of the last question that it heard."""
        self.wanted: set[str] = set()
        self.pictured: set[str] = set()
        """Pictures that its panels have shown, and those that it has."""
        self.limits = limits
        self.messages = Allowance(limits.rate, limits.burst)
        self.faults = Allowance(limits.faults / 60.0, limits.faults)
        self.complaints = Allowance(10.0, 40)
        self.says = Allowance(limits.says, limits.says_burst)
        self.acts = Allowance(40.0, 80)
        """Presses of the hand's keys; each looks at the whole tower."""
        self.number = 0
        """By which a guest is told from others."""
        self.address = ""
        self.is_expected = False
        """It showed a secret as it knocked."""
        self.is_muted = False
        self._socket, self._everything = socket, everything
        self._waiting: deque[str | bytes] = deque()
        self._poses: bytes | None = None
        self._is_behind = False
        self._ready = asyncio.Event()
        self.is_open = True
        _shorten(socket)

    def send(self, message: SeatNews) -> None:
        """Sends news, which are never dropped."""
        self.send_text(dumps(message))

    def send_text(self, text: str | bytes) -> None:
        """Sends a message that is text already, or poses that belong between messages."""
        if len(self._waiting) >= self.limits.waiting:
            self.close(TOO_SLOW, "too slow")
        elif self.is_open:
            self._waiting.append(text)
            self._ready.set()

    def send_change(self, message: SeatNews, kind: str = "", but: str = "") -> None:
        """Sends a message unless the last one of its kind was the same. kind: its type, or what is told of on its own.
        but: a field that is no change by itself."""
        text, kind = dumps(message), kind or str(message["type"])
        same = dumps({**message, but: None}) if but else text
        if self.said.get(kind) != same:
            self.said[kind] = same
            self.send_text(text)

    def send_poses(self, moved: bytes) -> None:
        """Sends poses; while older ones still wait, one picture of everything takes the place of both."""
        if self.is_open:
            self._is_behind |= self._poses is not None
            self._poses = moved
            self._ready.set()

    def refuse(self, clause: str, sentence: str) -> None:
        """Says why something was refused; not to one that asks too often."""
        if self.complaints.take():
            self.send({"type": "refused", "clause": clause, "sentence": sentence})

    def close(self, code: int, why: str) -> None:
        """Ends the connection; what waits is lost."""
        if self.is_open:
            self.is_open = False
            self._waiting.clear()
            self._code, self._why = code, why
            self._ready.set()

    @property
    def name(self) -> str:
        """What others call it: its seat, else what it came as and a number."""
        return self.seat or f"{'host' if self.role == 'host' else 'guest'} {self.number}"

    def abort(self) -> None:
        """Cuts the line at once; nothing more is sent."""
        self.is_open = False
        self._waiting.clear()
        self._socket.transport.abort()

    async def write(self) -> None:
        """Sends what waits, until the connection is closed; news come before pictures."""
        try:
            while True:
                await self._ready.wait()
                self._ready.clear()
                while self._waiting or (self._poses is not None and self.is_open):
                    async with asyncio.timeout(self.limits.stuck_s):
                        await self._socket.send(self._next())
                if not self.is_open:
                    async with asyncio.timeout(self.limits.stuck_s):
                        await self._socket.close(self._code, self._why)
                    return
        except ConnectionClosed:
            return
        except TimeoutError:
            self._socket.transport.abort()
        finally:
            self.is_open = False

    def _next(self) -> str | bytes:
        if self._waiting:
            return self._waiting.popleft()
        assert self._poses is not None
        poses = self._everything() if self._is_behind else self._poses
        self._poses, self._is_behind = None, False
        return poses


def _shorten(connection: ServerConnection) -> None:
    raw = connection.transport.get_extra_info("socket")
    if raw is not None:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


MAX_KNOCKING = 192
"""Lines on which the handshake is not over. For a new one the oldest goes that has asked for nothing yet, of the
address that has most of them."""
MAX_INSIDE = 128
"""Sockets at once; those who have a secret are counted by `HostedTable`, those who have none by the server."""
MAX_AT_ONCE = 128
"""Lines that wait in the system, and that `asyncio` takes in at one go. Some goes may pass until one that is sent away
has given its file back: `GOES`."""
GOES = 4
SPARE_FILES = 40
"""For the physics, the record, pages and pictures, which a host opens later."""
FEWEST = 10
"""Lines of each kind with which a game can be hosted."""
MAX_UNREAD = 8 * 1024 * 1024
"""Bytes that wait for a browser. What the table sends stops long before; answers to pings do not."""


@dataclass(frozen=True, slots=True)
class Room:
    """How many lines a process has files for."""

    knocking: int = MAX_KNOCKING
    inside: int = MAX_INSIDE
    at_once: int = MAX_AT_ONCE


def room() -> Room:
    """Returns what there is room for, once as many files are allowed as this process may ask for. Raises LinksError
    where a game cannot be hosted with them."""
    try:
        import resource
    except ImportError:  # Windows, where sockets are no files
        return Room()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = len(os.listdir("/dev/fd")) + SPARE_FILES
    files = used + 3 * GOES * MAX_AT_ONCE
    if hard != resource.RLIM_INFINITY:
        files = min(files, hard)
    if soft != resource.RLIM_INFINITY and soft < files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    third = (files - used) // 3
    if third < FEWEST:
        raise LinksError(
            f"a process may open no more than {files} files here, too few to host a game: allow "
            f"{used + 3 * FEWEST} or more, as with `ulimit -n 1024`"
        )
    return Room(min(MAX_KNOCKING, third), min(MAX_INSIDE, third), max(1, min(MAX_AT_ONCE, third // GOES)))


class Door:
    """The lines that knock. most: of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._knocking: dict[BoundedConnection, None] = {}

    def line(self, *arguments: Any, **options: Any) -> BoundedConnection:
        """Returns a new line, as `websockets` makes its own."""
        connection = BoundedConnection(*arguments, **options)
        connection.door = self
        return connection

    def knock(self, line: BoundedConnection) -> None:
        """Takes in a line, and sends others away for it."""
        self._knocking = {connection: None for connection in self._knocking if connection.is_knocking}
        if len(self._knocking) >= self._most:
            silent = [connection for connection in self._knocking if connection.request is None]
            most = Counter(connection.address for connection in silent)
            oldest = (connection for connection in silent if most[connection.address] == max(most.values()))
            next(oldest, next(iter(self._knocking))).transport.abort()
        self._knocking[line] = None


class BoundedConnection(ServerConnection):
    """A line of a browser. address: of the machine at its other end."""

    door: Door
    address = ""

    @property
    def is_knocking(self) -> bool:
        """Whether its handshake is not over."""
        return self.protocol.state is State.CONNECTING and not self.transport.is_closing()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody knocks."""
        super().connection_made(transport)
        self.address = address_of(self)
        self.door.knock(self)

    def data_received(self, data: bytes) -> None:
        """Cuts the line of who asks and asks, and reads nothing."""
        super().data_received(data)
        if self.transport.get_write_buffer_size() > MAX_UNREAD:
            self.transport.abort()


def address_of(line: ServerConnection) -> str:
    """Returns the address of the machine at the other end; empty for none."""
    peer = line.remote_address
    return str(peer[0]) if peer else ""
