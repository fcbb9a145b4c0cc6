"""`teeter play --host` as people type it: links, exit codes, a host that is killed and goes on, no process left."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
from host_client import Seat
from host_thread import played
from needs import need
from typer.testing import CliRunner

from teeter.games.cli import app
from teeter.games.play.playback import verify

ROOT = Path(__file__).resolve().parent.parent
WAIT_S = 120.0


class Command:
    """The real command, in a session of its own."""

    def __init__(self, words: tuple[str, ...], home: Path, before: Sequence[str] = ()) -> None:
        self.process = subprocess.Popen(
            [*before, sys.executable, "-m", "teeter", "play", *words],
            cwd=home,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "HOME": str(home),
                "DISPLAY": "",
                "PYTHONUNBUFFERED": "1",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )

    def lines(self, until: str) -> list[str]:
        """What it prints, up to the line that has some words."""
        found: list[str] = []
        out: IO[str] | None = self.process.stdout
        assert out is not None
        for line in out:
            found.append(line)
            if until in line:
                return found
        raise AssertionError(f"it ended without {until!r}: {found}")

    def links(self) -> dict[str, str]:
        """The links it prints, by what they are for."""
        text = "".join(self.lines("Ctrl-C"))
        return dict(re.findall(r"^(.+): (http://\S+)$", text, re.M))

    def end(self, number: signal.Signals) -> tuple[int, str]:
        """Ends it by a signal. Returns its exit code, and the last line it has for people."""
        self.process.send_signal(number)
        _, error = self.process.communicate(timeout=WAIT_S)
        return self.process.returncode, error

    def left(self) -> str:
        """Processes of its session that live on, once they have had their time."""
        need("ps")
        deadline, found = time.monotonic() + WAIT_S, "?"
        while found and time.monotonic() < deadline:
            time.sleep(0.2)
            words = ["ps", "-s", str(self.process.pid), "-o", "pid=,args="]
            found = subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()
        return found


@contextmanager
def command(words: tuple[str, ...], home: Path, before: Sequence[str] = ()) -> Iterator[Command]:
    """The command; whatever happens, it is gone in the end. before: what runs it."""
    found = Command(words, home, before)
    try:
        yield found
    finally:
        if found.process.poll() is None:
            found.process.kill()
        found.process.communicate()


def seat_of(link: str, name: str = "", token: str = "") -> Seat:
    address, _, secret = link.partition("/#")
    return Seat(address.replace("http", "ws", 1), secret, name, token=token)


async def first_turn(seat: Seat) -> None:
    """Sits until it is asked."""
    await seat.join()
    while not seat.last.get("turn", {}).get("mine"):
        await seat.hear(WAIT_S)


@pytest.mark.slow
def test_a_host_that_was_killed_goes_on_and_seats_come_back_by_their_links(tmp_path: Path) -> None:
    record = tmp_path / "game.teeter"
    words = ("wonky", "--players", "Ada,Ben", "--seed", "3", "--record", record.name, "--host", "127.0.0.1:0")
    with command(words, tmp_path) as host:
        links = host.links()
        assert set(links) == {"You, the host", "Seats", "Looking on"}
        ada = seat_of(links["Seats"], name="Ada")

        async def play_a_card() -> None:
            await first_turn(ada)
            card = next(each for each in ada.last["turn"]["choices"] if each["group"] == "card")
            await ada.say(type="choose", turn=ada.last["turn"]["turn"], choice=card["choice"])
            before = len(ada.cards)
            while len(ada.cards) == before:
                await ada.hear(WAIT_S)
            ada.kill()

        played(play_a_card())
        (kept,) = (tmp_path / ".local/share/teeter/hosted").iterdir()
        assert not list(tmp_path.glob("*.links"))
        assert kept.stat().st_mode & 0o777 == 0o600
        host.end(signal.SIGKILL)
        assert host.left() == ""
    with command(("--resume", record.name, "--host"), tmp_path) as host:
        assert host.links() == links
        again = seat_of(links["Seats"], token=ada.token)
        stranger = seat_of(links["Seats"], name="Ada")

        async def come_back() -> None:
            await stranger.join()
            await stranger.settled()
            assert stranger.last["welcome"]["seat"] == ""
            await first_turn(again)
            assert again.last["welcome"]["seat"] == "Ada"
            for seat in (stranger, again):
                await seat.leave()

        played(come_back())
        assert again.cards == ada.cards
        code, error = host.end(signal.SIGINT)
        assert code == 130
        assert error.strip() == f"teeter: stopped; go on with: teeter play --resume {record.name} --host"
        assert host.left() == ""
    assert verify(record).agrees
    secrets = [link.partition("#")[2] for link in links.values()] + [ada.token]
    data = record.read_bytes()
    assert not [secret for secret in secrets if secret.encode() in data]


def in_a_process(words: tuple[str, ...], home: Path) -> tuple[int, str, str]:
    """How the real command ends: its exit code and what it says."""
    with command(words, home) as host:
        out, error = host.process.communicate(timeout=WAIT_S)
    return host.process.returncode, out, error


def in_here(words: tuple[str, ...]) -> tuple[int, str, str]:
    """The same in this process, for what is refused before anything begins."""
    found = CliRunner().invoke(app, ["play", *words])
    return found.exit_code, found.stdout, found.stderr


def test_the_door_is_shut_before_a_window_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong is said in a line, with exit code 2, and nothing is left."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        in_use = ("wonky", "--host", f"127.0.0.1:{port}", "--record", "game.teeter")
        cases = {
            ("--host",): "which game",
            in_use: "in use",
            ("wonky", "--host", "127.0.0.1:http"): "the port is a number",
            ("wonky", "--host", "127.0.0.1:0", "--headless"): "leave out --headless",
            ("wonky", "--host", "127.0.0.1:0", "--players", "Ada,Ada"): "names must differ",
            ("--resume", "nothing.teeter", "--host", "127.0.0.1:0"): "nothing.teeter",
        }
        for words, said in cases.items():
            is_real = words in (("--host",), in_use)
            code, out, error = in_a_process(words, tmp_path) if is_real else in_here(words)
            assert code == 2, error
            assert said in error
            assert len(error.splitlines()) == 1
            assert "http://" not in out
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == []


@pytest.mark.slow
def test_a_second_host_of_one_recording_is_refused_under_every_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its own name, by a link to it, and by a folder that is a link; the first one goes on."""
    words = ("wonky", "--players", "Ada,Ben", "--record", "game.teeter", "--host", "127.0.0.1:0")
    with command(words, tmp_path) as host:
        link = host.links()["Seats"]
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.chdir(tmp_path)
        (tmp_path / "folder").symlink_to(tmp_path)
        (tmp_path / "link.teeter").symlink_to("game.teeter")
        (tmp_path / "link.teeter.part").symlink_to("game.teeter.part")
        # links are there before the physics has begun the recording
        end = time.monotonic() + WAIT_S
        while not (tmp_path / "game.teeter.part" / "meta.json").exists():
            assert time.monotonic() < end
            time.sleep(0.05)
        for name in ("game.teeter", "folder/game.teeter", "link.teeter"):
            again = ("--resume", name, "--host", "127.0.0.1:0")
            code, out, error = in_a_process(again, tmp_path) if name == "game.teeter" else in_here(again)
            assert code == 2, (name, error)
            assert "is being recorded by process" in error, error
            assert "http://" not in out

        async def look() -> None:
            seat = seat_of(link, name="Ada")
            await first_turn(seat)
            await seat.leave()

        played(look())
        code, error = host.end(signal.SIGINT)
        assert code == 130
        assert error.strip().endswith(
            f"--resume game.teeter --host {link.partition('//')[2].partition('/')[0]}"
        )


@pytest.mark.slow
def test_a_game_that_is_over_is_refused_before_anybody_gets_a_link(tmp_path: Path) -> None:
    bots = ("bausack", "--house", "pieces=2", "--players", "bot:steady,bot:bold", "--seed", "3")
    with command((*bots, "--headless", "--record", "game.teeter"), tmp_path) as game:
        assert game.process.wait(WAIT_S) == 0
    code, out, error = in_a_process(("--resume", "game.teeter", "--host", "127.0.0.1:0"), tmp_path)
    assert (code, out) == (2, "")
    assert "this game is over" in error
    assert "`teeter replay game.teeter` shows it" in error
