"""Lines that knock and say nothing, lines that never read, a disk that takes nothing more: the others play on."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import time
from pathlib import Path

import pytest
from host_thread import answer, at_table, begun, hosted, played
from test_host_command import command, seat_of

from games.host.door import MAX_KNOCKING, MAX_UNREAD

HANDSHAKE = (
    b"GET /table HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
PING = b"\x89\xfd\0\0\0\0" + b"x" * 125
"""A ping with as much in it as one may have, masked with zeros."""


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def ask_on(line: socket.socket) -> None:
    """Far more pings than the host may keep answers to."""
    for _ in range(8 * MAX_UNREAD // (200 * len(PING))):
        line.sendall(PING * 200)


def test_lines_that_ask_for_nothing_take_no_place() -> None:
    """More than are kept: a seat comes in, and the host has no more files open than it allows."""
    with hosted() as host:
        played(begun(host))
        before, lines = open_files(), []
        for number in range(2 * MAX_KNOCKING):
            line = socket.socket()
            line.setblocking(False)
            line.connect_ex(("127.0.0.1", host.links.address.port))
            lines.append(line)
            if number % 50 == 49:
                # the system has taken them in
                time.sleep(0.05)

        async def come() -> None:
            ada = await at_table(host, "Ada")
            assert ada.last["welcome"]["seat"] == "Ada"
            assert (await answer(ada, type="chat", text="x"))["type"] == "pong"

        played(come())
        kept = open_files() - before - len(lines)
        for line in lines:
            line.close()
    assert MAX_KNOCKING / 2 < kept <= MAX_KNOCKING + 5


@pytest.mark.parametrize("is_guest", [False, True])
def test_who_asks_and_never_reads_is_cut(is_guest: bool) -> None:
    """Answers to pings do not pile up in the host; somebody else is answered meanwhile."""
    with hosted() as host:
        played(begun(host))
        with socket.create_connection(("127.0.0.1", host.links.address.port), timeout=30.0) as line:
            line.sendall(HANDSHAKE)
            assert line.recv(12) == b"HTTP/1.1 101"
            if is_guest:
                hello = b'{"type":"hello","secret":"%s"}' % host.links.spectators.encode()
                line.sendall(bytes((0x81, 0x80 | len(hello), 0, 0, 0, 0)) + hello)
            # a host that cuts the line; one that stops to listen is a timeout
            with pytest.raises(ConnectionError):
                ask_on(line)

        async def come() -> None:
            assert (await answer(await at_table(host), type="chat", text="x"))["type"] == "pong"

        played(come())


@pytest.mark.slow
def test_seats_are_taken_though_nothing_can_be_written_down(tmp_path: Path) -> None:
    """The folder of links is gone in mid-game, as a disk that is full: people sit down, and the host is told."""
    words = ("wonky", "--players", "Ada,Ben", "--record", "g.teeter", "--host", "127.0.0.1:0")
    with command(words, tmp_path) as host:
        links = host.links()
        folder = tmp_path / ".local/share/teeter/hosted"
        shutil.rmtree(folder)
        folder.write_text("no folder")

        async def sit() -> None:
            owner, ada = seat_of(links["You, the host"]), seat_of(links["Seats"], name="Ada")
            for each in (owner, ada):
                await each.join()
                await each.wait_for("seats")
            assert ada.last["welcome"]["seat"] == "Ada"
            assert ada.token
            while "Links and seats are not kept" not in str(owner.last.get("chat")):
                await owner.hear(60.0)
            ada.kill()
            again = seat_of(links["Seats"], token=ada.token)
            await again.join()
            await again.wait_for("seats")
            assert again.last["welcome"]["seat"] == "Ada"
            assert not any(
                "Internal error" in str(each) or "not kept" in str(each) for each in again.received
            )

        played(sit())
        assert host.end(signal.SIGINT)[0] == 130
    assert (tmp_path / "g.teeter").exists() or (tmp_path / "g.teeter.part").exists()
