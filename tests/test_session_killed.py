"""Games of bots in processes of their own, killed (SIGKILL) at random moments: what is on the disk loads, agrees when
it is played again, and is gone on with to the very bytes of the game that was never killed."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

from teeter.engine.record.part import COMMITS
from teeter.engine.record.reader import Replay, load
from teeter.games.play.playback import verify

GAMES = {
    "wonky": ("--turns", "6"),
    "tower-topple": ("--turns", "4", "--mode", "3", "--house", "rounds=1"),
    "bausack": ("--turns", "14", "--house", "pieces=10"),
    "crazy-tower": (
        *("--turns", "5", "--players", "bot:steady"),
        *("--mode", "solo", "--house", "colour_count=1"),
    ),
}
"""Short games: enough that every kind of action comes in them, and that a kill falls into many of them."""
TITLE = "Games killed at a random moment"
MOST_SECONDS = 600.0


def command(name: str, path: Path) -> list[str]:
    start = [sys.executable, "-m", "teeter", "play", name, "--headless", "--seed", "3", "--json"]
    return [*start, *GAMES[name], "--record", str(path)]


@cache
def whole(name: str) -> Path:
    """The file of the game that nobody kills."""
    path = Path(mkdtemp()) / f"{name}.teeter"
    subprocess.run(command(name, path), capture_output=True, check=True)
    return path


def killed(name: str, path: Path, chance: random.Random) -> float:
    """Play, and kill after a checkpoint drawn by lot and a moment more; the seconds it lived."""
    boundaries = len(load(whole(name)).checkpoints)
    last, moment = chance.randrange(boundaries - 1), chance.random() * 1.5
    began = time.monotonic()
    with subprocess.Popen(command(name, path), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as game:
        commits = path.with_name(path.name + ".part") / COMMITS
        while time.monotonic() - began < MOST_SECONDS and game.poll() is None:
            if commits.exists() and commits.read_bytes().count(b"\n") > last:
                break
            time.sleep(0.01)
        time.sleep(moment)
        game.send_signal(signal.SIGKILL)
        complaint = game.communicate()[1].decode()
    assert complaint == ""
    return time.monotonic() - began


def is_start_of(part: Replay, replay: Replay) -> bool:
    """Whether a record is the beginning of another, up to one of its checkpoints."""
    return (
        part.hashes == replay.hashes[: len(part.hashes)]
        and part.journal == replay.journal[: len(part.journal)]
        and part.events == replay.events[: len(part.events)]
        and part.steps.tolist() == replay.steps[: len(part.steps)].tolist()
    )


def check(name: str, seed: int, folder: Path, row: Callable[..., None]) -> None:
    chance = random.Random(seed)
    path = folder / "game.teeter"
    lived = killed(name, path, chance)
    replay = load(whole(name))
    if path.exists():
        # the machine was quick, and the game over before its end: that is a moment, too
        assert path.read_bytes() == whole(name).read_bytes()
        row(TITLE, game=name, seed=seed, lived_s=round(lived, 1), boundaries="all", same_bytes=True)
        return
    part = load(path.with_name("game.teeter.part"))
    assert not part.is_complete
    assert is_start_of(part, replay)
    agrees = verify(part.path).agrees
    assert agrees
    again = [sys.executable, "-m", "teeter", "play", "--resume", str(path), "--headless", "--json"]
    resumed = subprocess.run([*again, *GAMES[name][:2]], capture_output=True, text=True, check=True)
    is_same = path.read_bytes() == whole(name).read_bytes()
    row(
        TITLE,
        game=name,
        seed=seed,
        lived_s=round(lived, 1),
        boundaries=f"{len(part.hashes)} of {len(replay.hashes)}",
        steps=part.hashes[-1][0] if part.hashes else 0,
        verified=agrees,
        resumed_to_turn=json.loads(resumed.stdout)["turns"],
        same_bytes=is_same,
    )
    assert is_same
    assert [each.name for each in folder.iterdir()] == ["game.teeter"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.soak)])
def test_a_killed_game_goes_on_as_if_nothing_had_happened(
    seed: int, tmp_path: Path, row: Callable[..., None]
) -> None:
    check("wonky", seed, tmp_path, row)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(50))
def test_fifty_games_killed(seed: int, tmp_path: Path, row: Callable[..., None]) -> None:
    check([*GAMES][seed % len(GAMES)], seed, tmp_path, row)
