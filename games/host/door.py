"""Lines as they come from outside, before and beside what is said on them: how many may knock, how much may wait."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.protocol import State

MAX_KNOCKING = 192
"""Lines on which the handshake is not over, far fewer than a process may have files. For a new one the oldest goes that
has asked for nothing yet, of the address that has most of them."""
MAX_UNREAD = 8 * 1024 * 1024
"""Bytes that wait for a browser. What the table sends stops long before; answers to pings do not."""


class Door:
    """The lines that knock."""

    def __init__(self) -> None:
        self._knocking: dict[BoundedConnection, None] = {}

    def line(self, *given: Any, **options: Any) -> BoundedConnection:
        """Returns a new line, as `websockets` makes its own."""
        found = BoundedConnection(*given, **options)
        found.door = self
        return found

    def knock(self, line: BoundedConnection) -> None:
        """Takes in a line, and sends others away for it."""
        self._knocking = {each: None for each in self._knocking if each.is_knocking}
        if len(self._knocking) >= MAX_KNOCKING:
            silent = [each for each in self._knocking if each.request is None]
            most = Counter(each.address for each in silent)
            oldest = (each for each in silent if most[each.address] == max(most.values()))
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
