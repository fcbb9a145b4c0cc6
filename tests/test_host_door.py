"""Lines that knock and say nothing, lines that never read, a disk that takes nothing more: the others play on."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from host_thread import answer, at_table, begun, hosted, played
from test_host_command import command, seat_of

from teeter.games.host.connection import MAX_KNOCKING, MAX_UNREAD

HANDSHAKE = (
    b"GET /table HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
PING = b"\x89\xfd\0\0\0\0" + b"x" * 125
"""A ping with as much in it as one may have, masked with zeros."""


def ask_on(line: socket.socket) -> None:
    """Far more pings than the host may keep answers to."""
    for _ in range(8 * MAX_UNREAD // (200 * len(PING))):
        line.sendall(PING * 200)


@pytest.mark.slow
@pytest.mark.parametrize(("soft", "hard"), [(300, 300), (200, 20_000)])
def test_seven_hundred_lines_keep_no_seat_out_of_a_host_of_few_files(
    soft: int, hard: int, tmp_path: Path
) -> None:
    """Where more files may be asked for they are; elsewhere fewer lines are kept. The terminal stays quiet."""
    limited = ("bash", "-c", f'ulimit -Sn {soft}; ulimit -Hn {hard}; exec "$@"', "bash")
    words = ("wonky", "--players", "Ada,Ben", "--record", "g.teeter", "--host", "127.0.0.1:0")
    with command(words, tmp_path, limited) as host, ExitStack() as lines:
        link = host.links()["Seats"]
        port = int(link.partition("/#")[0].rpartition(":")[2])
        for number in range(700):
            line = lines.enter_context(socket.socket())
            line.setblocking(False)
            line.connect_ex(("127.0.0.1", port))
            if number % 100 == 99:
                time.sleep(0.1)

        async def sit() -> None:
            ada = seat_of(link, name="Ada")
            await ada.join()
            await ada.settled()
            assert ada.last["welcome"]["seat"] == "Ada"
            assert (await answer(ada, type="chat", text="x"))["type"] == "pong"

        played(sit())
        # a busy machine takes its time to close what it refused
        most = soft if soft == hard else MAX_KNOCKING + 60
        until = time.monotonic() + 20
        while (kept := len(os.listdir(f"/proc/{host.process.pid}/fd"))) >= most and time.monotonic() < until:
            time.sleep(0.2)
        assert MAX_KNOCKING / 4 < kept < most
        code, said = host.end(signal.SIGINT)
    assert (code, len(said.splitlines())) == (130, 1), said[:1000]


@pytest.mark.slow
def test_a_host_that_may_open_hardly_a_file_says_so(tmp_path: Path) -> None:
    limited = ("bash", "-c", 'ulimit -n 60; exec "$@"', "bash")
    words = ("wonky", "--players", "Ada,Ben", "--record", "g.teeter", "--host", "127.0.0.1:0")
    with command(words, tmp_path, limited) as host:
        out, said = host.process.communicate(timeout=60.0)
    assert (host.process.returncode, out) == (2, "")
    assert "no more than 60 files" in said
    assert not (tmp_path / "g.teeter.part").exists()


def test_who_asks_and_never_reads_is_cut() -> None:
    """Answers to pings do not pile up in the host; somebody else is answered meanwhile."""
    with hosted() as host:
        played(begun(host))
        hello = b'{"type":"hello","secret":"%s"}' % host.links.spectators.encode()
        for said in (b"", bytes((0x81, 0x80 | len(hello), 0, 0, 0, 0)) + hello):
            with socket.create_connection(("127.0.0.1", host.links.address.port), timeout=30.0) as line:
                line.sendall(HANDSHAKE)
                assert line.recv(12) == b"HTTP/1.1 101"
                line.sendall(said)
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
                await each.settled()
            assert ada.last["welcome"]["seat"] == "Ada"
            assert ada.token
            while "Links and seats are not kept" not in str(owner.last.get("chat")):
                await owner.hear(60.0)
            ada.kill()
            again = seat_of(links["Seats"], token=ada.token)
            await again.join()
            await again.settled()
            assert again.last["welcome"]["seat"] == "Ada"
            assert not any(
                "Internal error" in str(each) or "not kept" in str(each) for each in again.received
            )

        played(sit())
        assert host.end(signal.SIGINT)[0] == 130
    assert (tmp_path / "g.teeter").exists() or (tmp_path / "g.teeter.part").exists()
