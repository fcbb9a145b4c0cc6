"""What hosting costs, and how it bears a bad line. Their tables are kept in tests/soak."""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from bad_line import BadLine, bad_line, why_not
from chromium import Opened, started
from host_client import end_of
from host_driver import Player, at_table, hosted, play, result_of
from playwright.sync_api import Page
from test_host_command import ROOT, command
from test_host_games import cards_in

from teeter.engine.record.reader import load
from teeter.games.play.playback import past_of, verify
from teeter.games.present.naming import opening_for, told_to
from teeter.games.registry import game_named

DELAY_S, LOSS = 0.075, 0.02
"""One way, so 150 ms there and back; of all packets."""
LONGEST_S = 3000.0
KILLED_AT = 6
"""The question after which one of the clients is killed."""
SPECTATORS = 8
WINDOW_S = 15.0
ROUNDS = 4
TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")
LISTEN = """
import asyncio, sys
from websockets.asyncio.client import connect

async def listen(link):
    address, _, secret = link.partition("/#")
    async with connect(address.replace("http", "ws") + "/table", max_size=None, compression=None) as socket:
        await socket.send('{"type":"hello","secret":"%s"}' % secret)
        async for _ in socket:
            pass

async def main(link, count):
    await asyncio.gather(*(listen(link) for _ in range(count)))

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""
"""Browsers that look on, in a process of their own."""


def used_s(pid: int) -> float:
    """Processor seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK_S


def children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def physics_of(pid: int) -> int:
    """The process below the server that works most."""
    return max(children(pid), key=used_s)


@pytest.mark.soak
def test_spectators_cost_next_to_nothing(tmp_path: Path) -> None:
    """Bots play; windows of some seconds with eight spectators and without, in turn. What the server takes is set
    against what the physics take meanwhile, so that a busy machine changes nothing."""
    words = ("crazy-tower", "--players", "bot:clumsy,bot:clumsy", "--seed", "5", "--host", "127.0.0.1:0")
    shares: dict[int, list[float]] = {0: [], SPECTATORS: []}
    with command((*words, "--record", "game.teeter"), tmp_path) as host:
        link = host.links()["Looking on"]
        host.lines("")  # the story begins: the physics are there
        server, physics = host.process.pid, physics_of(host.process.pid)
        for number in range(2 * ROUNDS):
            count = SPECTATORS * (number % 2)
            listeners = subprocess.Popen([sys.executable, "-c", LISTEN, link, str(count)])
            time.sleep(4.0)  # the table is sent to those who come; that is no part of looking on
            before = used_s(server), used_s(physics)
            time.sleep(WINDOW_S)
            after = used_s(server), used_s(physics)
            listeners.kill()
            listeners.wait()
            time.sleep(0.5)
            shares[count].append((after[0] - before[0]) / max(after[1] - before[1], 1e-9))
        host.end(signal.SIGINT)
    alone, watched = (statistics.median(shares[count]) for count in (0, SPECTATORS))
    each = (watched - alone) / SPECTATORS / (1.0 + alone)
    table = Path(__file__).parent / "soak" / "host_spectators.txt"
    table.write_text(
        "Processor time of the server, as a share of the physics', by spectators (Crazy Tower, two bots)\n"
        + "".join(
            f"{count}: median {statistics.median(rows):.3f} of {', '.join(f'{row:.3f}' for row in rows)}\n"
            for count, rows in shares.items()
        )
        + f"each spectator adds {100 * each:.2f} % to what the host takes\n",
        encoding="utf-8",
    )
    assert each <= 0.10, shares


def wonky_in(folder: Path) -> tuple[Path, tuple[str, ...], float]:
    """The record of a game of Wonky, the words that host it, and when it begins; skips where no line can be bad."""
    why = why_not()
    if why:
        pytest.skip(why)
    record = folder / "game.teeter"
    words = ("wonky", "--players", "Ada,Ben,bot:clumsy", "--seed", "3", "--record", str(record))
    return record, words, time.monotonic()


@pytest.mark.soak
def test_a_game_on_a_bad_line_with_a_client_that_is_killed(tmp_path: Path) -> None:
    """150 ms there and back, 2 % of all packets lost; Ben is killed in the middle, and back by his token."""
    record, words, begun = wonky_in(tmp_path)
    with (
        bad_line(DELAY_S, LOSS) as line,
        command((*words, "--host", f"{line.near_address}:8377"), tmp_path, line.at(line.near)) as host,
    ):
        links = host.links()
        files = {name: tmp_path / f"{name}.jsonl" for name in ("Ada", "Ben", "")}
        running = {name: client(line.at(line.far), links, name, file) for name, file in files.items()}
        while last_turn(files["Ben"]) < KILLED_AT:
            time.sleep(0.2)
            assert time.monotonic() < begun + LONGEST_S
            assert all(each.poll() is None for each in running.values())
        running["Ben"].kill()
        running["Ben"].wait()
        time.sleep(2.0)
        running["Ben"] = client(line.at(line.far), links, "Ben", files["Ben"])
        for each in running.values():
            assert each.wait(max(1.0, begun + LONGEST_S - time.monotonic())) == 0
        seconds = time.monotonic() - begun
        code, _ = host.end(signal.SIGINT)
        assert code == 130
    assert verify(record).agrees
    texts = {name: heard(file) for name, file in files.items()}
    overs = [
        next(end_of(json.loads(text)["panel"]) for text in found if '"name":"over"' in text)
        for found in texts.values()
    ]
    assert overs[0]["reason"]
    assert overs[0] == overs[1] == overs[2]
    assert sum('"seat":"Ben","token"' in text for text in texts["Ben"]) >= 2
    searched = sum(check_never_seen(record, name, found) for name, found in texts.items())
    (Path(__file__).parent / "soak" / "host_bad_line.txt").write_text(
        f"Wonky, two seats, a bot and a spectator over {2e3 * DELAY_S:.0f} ms and {100 * LOSS:.0f} % loss, "
        f"one client killed and back\n{overs[0]['result']} {overs[0]['reason']} ({overs[0]['clause']}); "
        f"{seconds:.0f} s; verified; {searched} messages searched for hidden cards, none found\n",
        encoding="utf-8",
    )


class Tap:
    """Hears all texts that a page's own line brings it."""

    def __init__(self, page: Page) -> None:
        self.texts: list[str] = []
        page.on("websocket", lambda line: line.on("framereceived", self._take))

    def _take(self, frame: str | bytes) -> None:
        if isinstance(frame, str):
            self.texts.append(frame)


def browser_beyond(line: BadLine, folder: Path) -> str:
    """A script that starts Chromium at the far end of a line."""
    script = folder / "chromium-beyond"
    script.write_text(f'#!/bin/sh\nexec {" ".join(line.at(line.far))} chromium "$@"\n')
    script.chmod(0o755)
    return str(script)


@pytest.mark.soak
def test_two_browsers_on_a_bad_line_and_one_is_closed(tmp_path: Path) -> None:
    """Two pages and a bot play Wonky over that line; one page is closed in the middle, and opened again."""
    record, words, begun = wonky_in(tmp_path)
    with (
        bad_line(DELAY_S, LOSS) as line,
        hosted(*words, prefix=line.at(line.near), address=f"{line.near_address}:8377") as host,
        started(browser_beyond(line, tmp_path)) as browser,
        at_table(browser, host.links["You, the host"], (480, 320)) as one,
        at_table(browser, host.links["Seats"], (480, 320)) as other,
    ):
        one.run("factor => teeter.view.send({ type: 'speed', factor })", 20.0)
        taps = {name: Tap(tab.page) for name, tab in (("Ada", one), ("Ben", other))}
        for tab in (one, other):
            # from now on everything is heard
            tab.page.reload()
            tab.page.wait_for_function(
                "() => teeter.view.table !== null && teeter.stage.props.bodies.length > 0"
            )
        ada, ben = Player(one, "Ada", 3), Player(other, "Ben", 4)
        while len(ben.done) < KILLED_AT and not ben.is_over:
            assert time.monotonic() < begun + LONGEST_S
            if not ada.step() + ben.step():
                time.sleep(0.05)
        # a new tab of the same browser: it finds its seat again by what that keeps of it
        again = other.page.context.new_page()
        other.page.close()
        tab, tap = Opened(again), Tap(again)
        again.set_default_timeout(240_000)
        again.goto(host.links["Seats"])
        again.wait_for_function(
            "() => globalThis.teeter?.view?.table && teeter.stage.props.bodies.length > 0"
        )
        again.get_by_title("It is yours: Ben").click()
        # which opens the page anew
        again.wait_for_function(
            "() => globalThis.teeter?.view?.welcome?.seat === 'Ben' && teeter.stage.props.bodies.length > 0"
        )
        ben.tab = tab
        play([ada, ben], LONGEST_S - (time.monotonic() - begun))
        ends = [player.tab.text(".over h1") for player in (ada, ben)]
        assert ends[0] == ends[1] != ""
    assert "agrees" in result_of(record)
    taps["Ben"].texts += tap.texts
    searched = sum(check_never_seen(record, name, each.texts) for name, each in taps.items())
    (Path(__file__).parent / "soak" / "host_bad_line_browsers.txt").write_text(
        f"Wonky, two pages of Chromium and a bot over {2e3 * DELAY_S:.0f} ms and {100 * LOSS:.0f} % loss, one page "
        f"closed and opened again\n{ends[0]}; {time.monotonic() - begun:.0f} s; verified; {searched} messages searched "
        "for hidden cards, none found\n",
        encoding="utf-8",
    )


def client(before: list[str], links: dict[str, str], name: str, file: Path) -> subprocess.Popen[bytes]:
    """A seat, or for an empty name somebody who looks on, as a program of its own."""
    link = links["Seats" if name else "Looking on"]
    script = str(ROOT / "tests" / "host_client.py")
    return subprocess.Popen([*before, sys.executable, script, link, name, str(file)])


def heard(file: Path) -> list[str]:
    """The messages of a client that are text."""
    found = []
    for line in file.read_text().splitlines():
        text = json.loads(line)
        found += [text] if text.startswith("{") else []
    return found


def last_turn(file: Path) -> int:
    """The number of the last question that a client has heard of."""
    texts = heard(file) if file.exists() else []
    return max((json.loads(text)["turn"] for text in texts if '"type":"turn"' in text[:20]), default=0)


def check_never_seen(record: Path, seat: str, texts: list[str]) -> int:
    """No card that a seat had not seen by then is in what it was sent. When that was, the story tells: every line of
    it belongs to something that the rules took. Returns how many texts were searched."""
    game = game_named("wonky")
    _, past = past_of(load(record))
    start = past[0][0]
    seen = seen_in(start, seat)
    known, lines = [set(seen)], [len(opening_for(game, start, seat))]
    for before, given, after in past:
        told = len(told_to(game, before, given, after, seat))
        seen |= seen_in(after, seat)
        if told:
            known.append(set(seen))
            lines.append(lines[-1] + told)
        else:
            known[-1] |= seen
    ids = [card.id for card in start.stock.cards]
    heard_of = at = searched = 0
    is_new = False
    for text in texts:
        message = json.loads(text)
        if message["type"] == "story":
            # who comes, sits down or comes back is told the whole story; everybody else the next lines
            heard_of = len(message["lines"]) if is_new else heard_of + len(message["lines"])
            at = max(n for n, count in enumerate(lines) if n == 0 or count <= heard_of)
        is_new = message["type"] in ("welcome", "bodies")
        if message["type"] == "bodies":
            continue
        hidden = cards_in(text, ids) - known[at]
        assert not hidden, (seat, hidden, text[:300])
        searched += 1
    return searched


def seen_in(state: Any, seat: str) -> set[str]:
    """The cards that a seat sees in a state: its own, and those that were played."""
    hands = dict(zip((each.name for each in state.seats), state.hands, strict=True))
    return {*hands.get(seat, ()), *state.discard}
