"""People at a real window, on a screen that nobody sees: real mouse and key events, judged by state and by masks.

What they do stands in `window_scenarios`. Without Xvfb and xdotool these tests fail and say what to install.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

import av
import numpy as np
import pytest
from window_driver import ROOT, play_out

from teeter.engine.record.reader import load

TEETER = (sys.executable, "-m", "teeter")


@pytest.mark.slow
def test_wonky_by_mouse_refused_carried_laid_and_resumed(tmp_path: Path) -> None:
    play_out("window_scenarios:wonky_by_mouse", str(tmp_path / "wonky.teeter"))


@pytest.mark.slow
def test_a_brick_pulled_and_laid_by_keys_alone_and_undone() -> None:
    play_out("window_scenarios:brick_by_keys")


@pytest.mark.slow
def test_a_small_game_is_finished_by_hand(tmp_path: Path) -> None:
    assert "BS-20" in play_out("window_scenarios:small_game_by_hand", str(tmp_path / "small.teeter"))


@pytest.mark.slow
def test_what_ends_the_game_is_wanted_twice_and_is_seen_again(tmp_path: Path) -> None:
    file = str(tmp_path / "collapse.teeter")
    assert "BS-19" in play_out("window_scenarios:collapse_shown_again", file, seconds=900.0)


@pytest.mark.slow
def test_a_wreck_lies_there_until_somebody_goes_on_and_is_kept_as_a_film(tmp_path: Path) -> None:
    play_out("window_scenarios:fall_watched_and_kept", str(tmp_path / "fall.teeter"))
    # at the end of the film the tower lies there still: what stands high is the wall behind it
    with av.open(str(tmp_path / "fall.mp4")) as film:
        frames = film.decode(video=0)
        shown = next(frames), *deque(frames, maxlen=1)
        first, last = (frame.to_ndarray(format="rgb24").astype(int) for frame in shown)
    changed = np.abs(last - first).max(axis=2) > 40
    tall, wide = changed.shape
    assert changed[: tall // 2].sum() > 0.005 * tall * wide, "nothing has come down in it"


@pytest.mark.slow
def test_the_sandbox_checks_brings_out_and_saves() -> None:
    play_out("window_scenarios:sandbox_checked")


@pytest.mark.slow
def test_an_exported_piece_comes_into_the_sandbox_by_its_file(tmp_path: Path) -> None:
    done = teeter("models", "export", "bausack/base_1", "-o", str(tmp_path / "b1.glb"))
    assert done.returncode == 0, done.stderr
    play_out("window_scenarios:piece_from_a_file", str(tmp_path))


@pytest.mark.slow
def test_a_display_that_goes_away_leaves_the_game(tmp_path: Path) -> None:
    file = tmp_path / "lost.teeter"
    said = play_out("window_scenarios:display_lost", str(file), code=2)
    assert f"teeter: the display went away; the game is kept: teeter play --resume {file}" in said
    end = time.monotonic() + 60.0
    while not file.exists() and time.monotonic() < end:
        time.sleep(0.1)
    replay = load(file)
    assert replay.meta.players == ("Ana", "Ben")
    assert any(
        "plays the medium blue card" in line for _, entry in replay.events for line in entry.get("story", ())
    )


def teeter(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    plain = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run(
        [*TEETER, *words],
        cwd=ROOT,
        env=plain | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_without_a_display_the_message_says_what_to_do() -> None:
    done = teeter("play", "wonky")
    assert done.returncode == 2
    assert "no window can be opened" in done.stderr
    assert "xvfb-run" in done.stderr
    assert "Traceback" not in done.stderr


def test_broken_settings_are_told_with_all_their_faults(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('[picture]\nquality = "best"\n[keys]\nlay = "enter"\nfly = "w"\n')
    done = teeter("play", "wonky", TEETER_SETTINGS=str(file))
    assert done.returncode == 2
    assert str(file) in done.stderr
    assert "picture.quality" in done.stderr
    assert "Traceback" not in done.stderr
    file.write_text("[picture\n")
    assert "is not TOML" in teeter("play", "wonky", TEETER_SETTINGS=str(file)).stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("play", "wonkey"), "wonky"),
        (("play", "wonky", "--players", "Ana"), "2 to 16 players"),
        (("play", "sandbox", "--scene", "nowhere.toml"), "nowhere.toml"),
    ],
)
def test_a_game_that_cannot_begin_opens_no_window(words: tuple[str, ...], said: str) -> None:
    done = teeter(*words)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
