"""The server process: the page, the WebSocket beside it, and the pulse that joins browsers and physics."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import urlsplit

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from teeter.engine.view.page.html import seat_page
from teeter.games.core.random_state import draw_seed
from teeter.games.faults import left_out
from teeter.games.host.audience import Audience
from teeter.games.host.connection import (
    DEALT_ANEW,
    GOING_AWAY,
    NO_HELLO,
    Connection,
    Door,
    Room,
    address_of,
    room,
)
from teeter.games.host.links import LinksError, file_of
from teeter.games.host.rules_page import rules_page
from teeter.games.host.table import HostedTable, Hosting
from teeter.games.server.client import PhysicsClient
from teeter.games.server.messages import Broken, Plan
from teeter.games.server.protocol import MAX_BYTES
from teeter.games.server.setup import first_view, next_file

TABLE_PATH, RULES_PATH = "/table", "/rules"
MAX_STRANGERS, MAX_STRANGERS_OF_ONE = 24, 8
"""Browsers that have not said hello yet, of all and of one address. The one that waits longest goes for a new one, of
the address that has most of them."""
MAX_EXPECTED = 32
"""Browsers that have shown a secret as they knocked, and have not said hello yet: no stranger takes their place."""
PROTOCOL = Subprotocol("teeter")
"""What a page offers to speak, and its secrets behind it: a header, so they are in no address and no log."""
PULSE_S, IDLE_S = 1.0 / 120.0, 1.0
"""Seconds from one look at what is to be done to the next, and while nothing is."""
PING_S, PONG_S = 10.0, 20.0
"""Seconds between two pings, and in which one is answered by a line that is not lost."""
CLOSE_S = 2.0
"""Seconds that browsers have to hear that the host stops."""
SILENT = logging.getLogger("teeter.host")
SILENT.addHandler(logging.NullHandler())
SILENT.propagate = False
"""Whoever knocks with garbage is refused, and not worth a line on the terminal."""


class HostServer:
    """One hosted game, from the first listener to the last. `async with` begins and ends it."""

    def __init__(self, hosting: Hosting) -> None:
        self._hosting = hosting
        self._page = _page(hosting.opening.game.title)
        self._news = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._connections: set[Connection] = set()
        self._count = 0
        self._pulse: asyncio.Task[None] | None = None
        self._end: asyncio.Future[signal.Signals | Broken] = self._loop.create_future()
        self._server: Server | None = None
        self._room = Room()
        self.physics: PhysicsClient | None = None
        self.table: HostedTable | None = None

    async def __aenter__(self) -> HostServer:
        """Listens, and lets the physics begin. Raises LinksError for an address that cannot be used, and for too few
        files."""
        hosting, address = self._hosting, self._hosting.links.address
        self._loop.set_exception_handler(_note)
        self._room = room()
        try:
            self._server = await serve(
                self._handle,
                address.name,
                address.port,
                process_request=self._answer,
                select_subprotocol=_spoken,
                max_size=MAX_BYTES,
                max_queue=16,
                compression=None,
                server_header=None,
                ping_interval=PING_S,
                ping_timeout=PONG_S,
                close_timeout=CLOSE_S,
                logger=SILENT,
                create_connection=cast("type[ServerConnection]", Door(self._room.knocking).line),
                backlog=self._room.at_once,
            )
        except OSError as error:
            raise LinksError(
                f"--host {address.name}:{address.port}: {error.strerror or error}; give another one, such as "
                f"--host {address.name}:{address.port + 1}"
            ) from error
        port = next(iter(self._server.sockets)).getsockname()[1]
        hosting.links.address = replace(address, port=port)
        hosting.links.keep()
        self.physics = PhysicsClient(hosting.plan, self._wake)
        self.physics.begin(hosting.plan)
        self.table = HostedTable(hosting, self.physics)
        self._pulse = asyncio.create_task(self._run())
        self._pulse.add_done_callback(self._pulse_ended)
        hosting.ready(hosting.links)
        return self

    async def __aexit__(self, *error: object) -> None:
        """Tells everybody that the host stops, and keeps what is recorded."""
        assert self._pulse is not None
        self._pulse.cancel()
        await asyncio.wait([self._pulse])
        for connection in self._connections:
            connection.close(GOING_AWAY, "the host has stopped the game")
        if self._server is not None:
            self._server.close(close_connections=True)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_S):
                    await self._server.wait_closed()
        if self.table is not None:
            self.table.close()
        if self.physics is not None:
            # packing a long record takes its time
            await asyncio.to_thread(self.physics.close)

    def _wake(self) -> None:
        """There are news of the physics; called by another thread."""
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
            self._loop.call_soon_threadsafe(self._news.set)

    async def _run(self) -> None:
        assert self.table is not None
        while True:
            table = self.table
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PULSE_S if table.is_busy else IDLE_S):
                    await self._news.wait()
            self._news.clear()
            with left_out("the news of the table"):
                table.hear()
            with left_out("the table"):
                table.tick()
            if table.audience.broken is not None:
                self._stop(table.audience.broken)
            elif table.is_left:
                await self._deal_anew(table)
            await asyncio.sleep(PULSE_S)

    async def _deal_anew(self, before: HostedTable) -> None:
        """Begins another game of the same people: their pages come back to their seats by themselves."""
        assert self.physics is not None
        self._hosting = hosting = rematch(self._hosting)
        ended, self.physics = self.physics, PhysicsClient(hosting.plan, self._wake)
        self.physics.begin(hosting.plan)
        self.table = HostedTable(hosting, self.physics)
        for name, chair in before.chairs.all.items():
            now = self.table.chairs.all[name]
            now.is_muted = chair.is_muted
            # nobody has to wait again for who has not come back
            now.left_at = None if chair.state == "free" else now.left_at
        before.audience.connections.clear()
        for connection in self._connections:
            connection.close(DEALT_ANEW, "the game is dealt anew")
        before.close()
        await asyncio.to_thread(ended.close)

    def _pulse_ended(self, pulse: asyncio.Task[None]) -> None:
        """Without its pulse a host would live on and answer nobody: it ends in order instead."""
        error = None if pulse.cancelled() else pulse.exception()
        if error is not None and self.table is not None:
            why = Broken(f"the host cannot go on: {type(error).__name__}: {error}", is_crash=True)
            self.table.audience.broken = why
            self.table.audience.send_all({"type": "broken", "why": why.why})
            self._stop(why)

    @property
    def plan(self) -> Plan:
        """The game that is hosted now."""
        return self._hosting.plan

    async def stopped(self) -> signal.Signals | Broken:
        """Waits for Ctrl-C, SIGTERM, or a game that cannot go on. Returns which of them came. A signal that whoever
        started this ignores stays ignored."""
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) == signal.SIG_IGN:
                continue
            try:
                self._loop.add_signal_handler(number, self._stop, number)
            except NotImplementedError:
                # Windows: the handler runs between two steps of the loop, and wakes it
                signal.signal(number, self._came)
        return await self._end

    def _came(self, number: int, frame: object) -> None:
        self._loop.call_soon_threadsafe(self._stop, signal.Signals(number))

    def _stop(self, why: signal.Signals | Broken) -> None:
        if not self._end.done():
            self._end.set_result(why)

    # -- HTTP --------------------------------------------------------------------------------------------------------

    def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """The page, or nothing; None lets a WebSocket through."""
        path = request.path.partition("?")[0]
        if path == "/":
            return self._page
        if path == RULES_PATH and self.table is not None:
            return self._rules(self.table.audience)
        if path != TABLE_PATH:
            return _plain(HTTPStatus.NOT_FOUND)
        origins, hosts = request.headers.get_all("Origin"), request.headers.get_all("Host")
        if origins and (len(origins) != 1 or len(hosts) != 1 or urlsplit(origins[0]).netloc != hosts[0]):
            # a page from elsewhere, in the browser of somebody who sits here
            return _plain(HTTPStatus.FORBIDDEN)
        is_full = len(self._connections) >= self._room.inside
        if self._is_expected(request):
            self._make_room("", is_full=is_full)
            return None
        self._make_room(address_of(connection), is_full=False)
        return _plain(HTTPStatus.SERVICE_UNAVAILABLE) if is_full else None

    def _rules(self, audience: Audience) -> Response:
        game, has_pictures = self._hosting.opening.game, self._hosting.has_pictures
        house = game.house_rules(self._hosting.opening.state)
        text, policy = rules_page(game, audience.painter.data, is_drawing=has_pictures, house=house)
        self._news.set()
        return _response(HTTPStatus.OK, "text/html; charset=utf-8", text.encode("utf-8"), policy)

    def _is_expected(self, request: Request) -> bool:
        """Whether who knocks shows a secret, which the hello will say again."""
        links = self._hosting.links
        offered = [
            word.strip()
            for header in request.headers.get_all("Sec-WebSocket-Protocol")
            for word in header.split(",")
        ]
        is_known = any(links.role(word) or links.seat_of(word) for word in offered[1:4])
        waiting = sum(connection.is_expected and connection.role is None for connection in self._connections)
        return is_known and waiting < MAX_EXPECTED

    def _make_room(self, address: str, *, is_full: bool) -> None:
        """Shuts out who has waited longest without a hello, when too many do: of the address that has most of them."""
        strangers = sorted(
            (
                connection
                for connection in self._connections
                if connection.role is None and connection.is_open and not connection.is_expected
            ),
            key=lambda connection: connection.number,
        )
        most = Counter(connection.address for connection in strangers)
        if most[address] >= MAX_STRANGERS_OF_ONE:
            crowd = address
        elif strangers and (is_full or len(strangers) >= MAX_STRANGERS):
            crowd = max(most, key=lambda address: most[address])
        else:
            return
        next(connection for connection in strangers if connection.address == crowd).abort()

    async def _handle(self, socket: ServerConnection) -> None:
        """One browser, from the first message to the last."""
        assert self.table is not None
        table, limits = self.table, self._hosting.limits
        connection = Connection(socket, limits, table.audience.scene.everything)
        self._count += 1
        connection.number, connection.address = self._count, address_of(socket)
        connection.is_expected = socket.request is not None and self._is_expected(socket.request)
        self._connections.add(connection)
        writer = asyncio.create_task(connection.write())
        late = self._loop.call_later(limits.hello_s, _expect_hello, connection)
        try:
            async for text in socket:
                if connection.is_open:
                    with left_out("what a browser said"):
                        table.receive(connection, text)
                    self._news.set()
        except ConnectionClosed:
            pass
        finally:
            late.cancel()
            connection.is_open = False
            self._connections.discard(connection)
            with left_out("the leaving of a browser"):
                table.leave(connection)
            writer.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await writer


def rematch(hosting: Hosting) -> Hosting:
    """Returns the next game of those who sit at a table: dealt from another seed, in a file of its own."""
    plan, seed = hosting.plan, draw_seed()
    file = None if plan.file is None else next_file(plan.file, plan.game, seed)
    plan = replace(plan, seed=seed, record=file, resume=None, is_drawn=True)
    kept = None if file is None or hosting.links.file is None else file_of(file, seed)
    links = replace(hosting.links, is_drawn=True, file=kept)
    links.keep()
    return replace(hosting, plan=plan, opening=first_view(plan), links=links)


def _spoken(socket: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """The answer to what a page offers to speak; a client that offers nothing is fine."""
    return PROTOCOL if PROTOCOL in offered else None


def _note(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What goes wrong with a line is its own affair; a fault of ours is noted. Nothing is written meanwhile: who reads
    standard error may have stopped."""
    error = context.get("exception")
    if isinstance(error, Exception) and not isinstance(error, OSError):
        with left_out("a line of a browser"):
            raise error


def _expect_hello(connection: Connection) -> None:
    if connection.role is None:
        connection.close(NO_HELLO, "no hello")


def _page(title: str) -> Response:
    """The page of a seat. It holds nothing of the game: that comes over the WebSocket, to who has a secret."""
    text, policy = seat_page(title)
    return _response(HTTPStatus.OK, "text/html; charset=utf-8", text.encode("utf-8"), policy)


def _plain(status: HTTPStatus) -> Response:
    return _response(status, "text/plain; charset=utf-8", f"{status.phrase}\n".encode(), "default-src 'none'")


def _response(status: HTTPStatus, kind: str, body: bytes, policy: str) -> Response:
    headers = Headers(
        {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Connection": "close",
            "Cache-Control": "no-store",
            "Content-Security-Policy": policy,
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }
    )
    return Response(status.value, status.phrase, headers, body)


def run(hosting: Hosting) -> tuple[signal.Signals | Broken, Plan]:
    """Hosts games until Ctrl-C or SIGTERM, or until one cannot go on. Returns which of them came, and the last game.
    Raises LinksError and OutputError."""

    async def host() -> tuple[signal.Signals | Broken, Plan]:
        async with HostServer(hosting) as server:
            return await server.stopped(), server.plan

    return asyncio.run(host())
