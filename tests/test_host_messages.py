"""What browsers must not send to a hosted game: wrong, huge, too frequent, too slow. Nothing of it changes the game."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from host_client import Seat
from host_thread import ACTS, HostThread, answer, at_table, begun, closed, hosted, played

from teeter.games.host.connection import NO_HELLO, ConnectionLimits
from teeter.games.server import protocol
from teeter.games.server.protocol import MessageError

STRICT = ConnectionLimits(rate=20.0, burst=60, faults=60, stuck_s=2.0, hello_s=5.0)


@pytest.fixture(scope="module")
def host() -> Iterator[HostThread]:
    with hosted(limits=STRICT) as found:
        played(begun(found))
        yield found


def test_who_says_nothing_is_asked_to_leave(host: HostThread) -> None:
    async def wait() -> int:
        seat = Seat(host.url, "")
        await seat.open()
        return await closed(seat)

    assert played(wait()) == NO_HELLO


BAD = (
    "",
    "null",
    "[]",
    "{}",
    '"hello"',
    "{'type': 'ping'}",
    '{"type": "ping"}',
    '{"type": "ping", "number": -1}',
    '{"type": "ping", "number": 1.5}',
    '{"type": "ping", "number": 9007199254740992}',
    '{"type": "ping", "number": "1"}',
    '{"type": "ping", "number": true}',
    '{"type": "ping", "number": 1, "more": 2}',
    '{"type": "ping", "number": 1, "number": 2}',
    '{"type": ["ping"], "number": 1}',
    '{"type": "quit"}',
    '{"type": "do", "action": {}}',
    '{"type": "aim", "pose": [0, 0, NaN, 0, 0, 0, 1], "number": 1}',
    '{"type": "aim", "pose": [0, 0, Infinity, 0, 0, 0, 1], "number": 1}',
    '{"type": "aim", "pose": [0, 0, 1e999, 0, 0, 0, 1], "number": 1}',
    '{"type": "aim", "pose": [0, 0, 6, 0, 0, 0, 1], "number": 1}',
    '{"type": "aim", "pose": [0, 0, 0, 0, 0, 0, 0], "number": 1}',
    '{"type": "aim", "pose": [0, 0, 0, 0, 0, 0, 2], "number": 1}',
    '{"type": "aim", "pose": [0, 0, 0, 0, 0, 1], "number": 1}',
    '{"type": "aim", "pose": {"x": 0}, "number": 1}',
    '{"type": "hand", "name": "lay", "right": [1, 1], "number": 1}',
    '{"type": "hand", "name": "drop", "right": [1, 0], "number": 1}',
    '{"type": "chat", "text": ""}',
    '{"type": "chat", "text": "' + "x" * 301 + '"}',
    '{"type": "slide", "name": "push", "value": 1e9}',
    '{"type": "speed", "factor": 0}',
    '{"type": "to_bot", "seat": "", "style": "steady"}',
    "[" * 30_000,
    '{"a":' * 10_000,
)


@pytest.mark.parametrize("text", BAD, ids=lambda text: text[:50])
def test_what_does_not_fit_is_no_message(text: str) -> None:
    with pytest.raises(MessageError) as error:
        protocol.read(text)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) <= 300


def test_a_goal_has_a_quaternion_of_length_one() -> None:
    given = protocol.read('{"type": "aim", "pose": [0, 0, 1, 0, 0, 0.006, 1.0], "number": 4}')
    assert isinstance(given, protocol.AimAt)
    assert sum(value**2 for value in given.goal.orientation) == pytest.approx(1.0, abs=1e-15)


def test_what_is_said_moves_no_cursor() -> None:
    assert protocol.clean(" a\x1b[31m\u202eb\n\0 ") == "a [31m b"


def noise(chance: random.Random, seat: Seat) -> str | bytes:
    """Something that a broken or hostile browser could send."""
    kind = chance.randrange(6)
    if kind == 0:
        return chance.randbytes(chance.randrange(200))
    if kind == 1:
        return chance.choice(BAD)
    message = dict(chance.choice(ACTS[1:9]))
    junk: tuple[Any, ...] = (
        None,
        -1,
        0,
        2**63,
        1e308,
        "",
        "\ud7ff",
        "x" * 5000,
        [],
        {},
        [[[]]],
        True,
        "Ada",
        "../../etc",
    )
    if kind == 2:
        message[chance.choice(("type", "turn", "pose", "piece", "choice", chance.choice("abc")))] = (
            chance.choice(junk)
        )
    elif kind == 3:
        text = json.dumps(message)
        at = chance.randrange(len(text))
        return text[:at] + chr(chance.randrange(1, 0xD7FF)) + text[at + chance.randrange(3) :]
    elif kind == 4:
        message = {key: chance.choice(junk) for key in message} | {"type": message["type"]}
    else:
        message["turn"] = seat.last["turn"]["turn"] + chance.choice((-1, 1, 7))
        message["choice"] = chance.randrange(100)
        message["type"] = "choose"
    return json.dumps(message)


def resident_kb() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4


@pytest.mark.parametrize("count", [2_000, pytest.param(10_000, marks=pytest.mark.soak)])
def test_fuzzed_messages_change_nothing(count: int) -> None:
    """The one who sends them is not on turn, so that none of them can be right by chance."""
    generous = ConnectionLimits(rate=1e6, burst=10**6, faults=10**6)
    with hosted(limits=generous) as host:

        async def shout() -> None:
            ada = await at_table(host, "Ada")
            while not ada.last["turn"]["turn"]:
                await ada.hear()
            ben = await at_table(host, "Ben")
            on_turn, other = (ada, ben) if ada.last["turn"]["mine"] else (ben, ada)
            before, chance = host.state(), random.Random(20)
            kept = 0
            for number in range(count):
                await other.say_raw(noise(chance, other))
                if number % 250 == 249:
                    await other.say(type="ping", number=number)
                    await other.wait_for("pong")
                    other.received.clear()
                    other.refused.clear()
                    kept = kept or (resident_kb() if number > count // 4 else 0)
            assert resident_kb() - kept < 8_000
            assert host.state() is before
            assert other.last["welcome"]["seat"] == other.name
            assert (await answer(on_turn, type="spin", degrees=1, number=1))[
                "sentence"
            ] == "The hand is empty"

        played(shout())


def test_a_huge_message_ends_its_own_line_alone(host: HostThread) -> None:
    async def try_it() -> None:
        quiet, loud = await at_table(host), await at_table(host)
        before = host.state()
        await loud.say(type="chat", text="x" * 70_000)
        assert await closed(loud) == 1009
        assert (await answer(quiet))["type"] == "refused"
        assert host.state() is before
        await quiet.leave()

    played(try_it())


def test_too_many_messages_are_refused_and_then_the_line_is_ended(host: HostThread) -> None:
    async def shout() -> None:
        seat = await at_table(host)
        for number in range(400):
            await seat.say(type="ping", number=number)
        assert await closed(seat) == 1008
        assert sum('"pong"' in str(text) for text in seat.received) < 200

    played(shout())


def deaf(host: HostThread) -> socket.socket:
    """A browser that says hello, and never reads what it is sent; the system keeps next to nothing for it."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.settimeout(20.0)
    line.connect(("127.0.0.1", host.links.address.port))
    line.sendall(
        b"GET /table HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    assert line.recv(12) == b"HTTP/1.1 101"
    hello = json.dumps({"type": "hello", "secret": host.links.spectators}).encode()
    assert len(hello) < 126
    # masked with zeros
    line.sendall(bytes((0x81, 0x80 | len(hello), 0, 0, 0, 0)) + hello)
    return line


def test_a_reader_that_is_slow_blocks_nobody(host: HostThread) -> None:
    """It does not read at all; everybody else hears everything, and it is cut off."""
    with deaf(host) as line:

        async def try_it() -> None:
            good = await at_table(host)
            begun = time.monotonic()
            while host.ask(lambda server: len(server._connections)) == 2:
                assert time.monotonic() < begun + 60.0
                assert (await answer(good, type="chat", text="x" * 300))["type"] == "pong"
                await asyncio.sleep(0.3)
            assert (await answer(good, type="chat", text="still here"))["type"] == "pong"
            scene = next(text for text in good.received if '"bodies"' in str(text)[:30])
            heard = 0
            with contextlib.suppress(ConnectionResetError):
                while data := line.recv(65536):
                    heard += len(data)
            assert heard < len(scene)
            await good.leave()

        played(try_it())
