"""Strangers at the door of a hosted game, as a program of their own: HOST PORT COUNT. They come again at once until
standard input ends; then it prints what became of their knocks, as JSON."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import socket
import sys
from collections import Counter

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

KINDS = ("knocks", "half open", "silent", "talks")
ADDRESSES = 50
"""Of this machine, from which they come."""
LINES = ("hello", "not JSON", json.dumps({"type": "chat", "text": "x"}), "x" * 70_000)


class Strangers:
    """Everybody who has no link. counts: what became of their knocks."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self.counts: Counter[str] = Counter()

    async def come(self, number: int) -> None:
        """One of them, until it is cancelled."""
        chance, kind = random.Random(number), KINDS[number % len(KINDS)]
        own = f"127.0.1.{1 + number % ADDRESSES}"
        while True:
            self.counts["knocks"] += 1
            # whatever ends a line, it comes again
            with contextlib.suppress(OSError, EOFError, TimeoutError, InvalidHandshake, ConnectionClosed):
                await (self._half_open(own, chance) if kind == "half open" else self._talk(own, kind, chance))
            await asyncio.sleep(0.02)

    async def _half_open(self, own: str, chance: random.Random) -> None:
        """Begins to ask, and does not go on."""
        loop = asyncio.get_running_loop()
        with socket.socket() as line:
            line.setblocking(False)
            line.bind((own, 0))
            await loop.sock_connect(line, (self._host, self._port))
            await loop.sock_sendall(line, b"GET /table HTTP/1.1\r\nHost: x"[: chance.randrange(30)])
            await asyncio.sleep(chance.uniform(0.0, 2.0))

    async def _talk(self, own: str, kind: str, chance: random.Random) -> None:
        line = await connect(
            f"ws://{self._host}:{self._port}/table",
            compression=None,
            ping_interval=None,
            open_timeout=5.0,
            local_addr=(own, 0),
        )
        try:
            self.counts["came in"] += 1
            if kind == "silent":
                await asyncio.sleep(chance.uniform(0.0, 2.0))
            elif kind == "talks":
                for _ in range(20):
                    await line.send(chance.choice(LINES))
            else:
                await line.send(json.dumps({"type": "hello", "secret": "x" * 24}))
                if "welcome" in str(await line.recv()):
                    self.counts["welcome"] += 1
        finally:
            line.transport.abort()


async def main() -> None:
    """As the words on the command line have it."""
    host, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    strangers = Strangers(host, port)
    running = [asyncio.create_task(strangers.come(number)) for number in range(count)]
    await asyncio.to_thread(sys.stdin.read)
    # one that has ended by itself says why
    faults = [str(each.exception()) for each in running if each.done()]
    for each in running:
        each.cancel()
    print(json.dumps({**strangers.counts, "faults": faults}))


if __name__ == "__main__":
    asyncio.run(main())
