"""Recordings made by an earlier version, two of each game: they load, and agree when they are simulated again."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from teeter.engine.record.format import FORMAT, LAST_TO_VERIFY
from teeter.engine.record.meta import fingerprint
from teeter.engine.record.reader import load
from teeter.games.play.playback import verify

FILES = sorted((Path(__file__).parent / "recordings").glob("*.teeter"))


def test_there_are_two_of_each_game() -> None:
    games = [load(file).meta.game for file in FILES]
    # every second one, which is what is simulated at every run, is one of each game
    assert games[::2] == games[1::2]
    assert sorted(games) == sorted(2 * ["bausack", "crazy-tower", "tower-topple", "wonky"])


def as_it_rounds(platform: str) -> str:
    """A platform but for the revision: what changed of an engine's use must not change these games."""
    return re.sub(r" as used since revision \d+", "", platform)


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.sampled(2)
def test_a_recording_of_an_earlier_version_agrees_bit_for_bit_where_numbers_round_alike(file: Path) -> None:
    replay = load(file)
    found = verify(file)
    if as_it_rounds(replay.meta.platform) != as_it_rounds(fingerprint()) and not found.agrees:
        # another processor may round otherwise: it is told as that, never as a difference
        assert not found.comparable
        return
    assert found.agrees, f"from step {found.difference} on {found.why}"
    assert found.steps >= replay.checkpoints[-1].step


@pytest.mark.slow
def test_a_recording_of_an_older_format_is_told_and_shown_but_not_judged(tmp_path: Path) -> None:
    before = Path(__file__).parent / "recordings" / "format-1" / "wonky-2.teeter"
    teeter = [sys.executable, "-m", "teeter"]
    done = subprocess.run([*teeter, "verify", str(before)], capture_output=True, text=True, check=False)
    told = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 3
    assert f"(format 1, today's is {FORMAT})" in told
    assert LAST_TO_VERIFY[1] in told
    on = [*teeter, "play", "--headless", "--resume", str(before), "--record", str(tmp_path / "on.teeter")]
    done = subprocess.run(on, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "made before" in " ".join((done.stdout + done.stderr).split())
    shown = tmp_path / "shown.html"
    export = [*teeter, "export", str(before), "--out", str(shown)]
    done = subprocess.run(export, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert shown.stat().st_size > 0
