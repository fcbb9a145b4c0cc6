"""People at a real window, on a screen that nobody sees: real mouse and key events, judged by state and by masks.

What they do stands in `window_scenarios`. Without Xvfb and xdotool these tests fail and say what to install.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

import av
import numpy as np
import pytest
from window_driver import COLOURS, PATIENCE, ROOT, colours_of, play_all, screen, screenshot

from teeter.engine.record.reader import load

TEETER = (sys.executable, "-m", "teeter")


@pytest.mark.slow
def test_wonky_by_mouse_then_a_display_that_goes_away_leaves_the_game(tmp_path: Path) -> None:
    """Refused, carried, laid and resumed. With the display goes the process, and all windows."""
    file = tmp_path / "lost.teeter"
    said = play_all(
        ("window_scenarios:wonky_by_mouse", str(tmp_path / "wonky.teeter")),
        ("window_scenarios:display_lost", str(file)),
        code=2,
    )
    assert f"teeter: the display went away; the game is kept: teeter play --resume {file}" in said
    end = time.monotonic() + 60.0
    while not file.exists() and time.monotonic() < end:
        time.sleep(0.1)
    replay = load(file)
    assert replay.meta.players == ("Ana", "Ben")
    assert any(
        "plays the medium blue card" in line for _, entry in replay.events for line in entry.get("story", ())
    )


@pytest.mark.slow
def test_ctrl_c_says_how_the_game_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "game.teeter"
    words = (*TEETER, "play", "wonky", "--players", "Ana,Ben", "--record", str(file))
    with screen() as environment:
        environment |= {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
        window = subprocess.Popen(words, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)
        try:
            end = time.monotonic() + PATIENCE
            while (
                colours_of(screenshot(environment)) < COLOURS
                or not file.with_name("game.teeter.part").exists()
            ):
                assert window.poll() is None
                assert time.monotonic() < end, "no window"
                time.sleep(0.2)
            window.send_signal(signal.SIGINT)
            _, said = window.communicate(timeout=60.0)
        finally:
            window.kill()
    assert (window.returncode, said) == (
        130,
        f"teeter: stopped; go on with: teeter play --resume {file}\n",
    )
    assert load(file).meta.players == ("Ana", "Ben")


@pytest.mark.soak
def test_bausack_is_finished_by_hand_and_what_ends_it_is_wanted_twice_and_seen_again(tmp_path: Path) -> None:
    said = play_all(
        ("window_scenarios:small_game_by_hand", str(tmp_path / "small.teeter")),
        ("window_scenarios:collapse_shown_again", str(tmp_path / "collapse.teeter")),
        seconds=1300.0,
    )
    assert "BS-20" in said
    assert "BS-19" in said


@pytest.mark.soak
def test_a_brick_by_keys_alone_and_a_wreck_that_lies_there_and_is_kept_as_a_film(tmp_path: Path) -> None:
    """The brick is pulled, laid and undone; the wreck lies there until somebody goes on."""
    play_all(
        ("window_scenarios:brick_by_keys",),
        ("window_scenarios:fall_watched_and_kept", str(tmp_path / "fall.teeter")),
    )
    # at the end of the film the tower lies there still: what stands high is the wall behind it
    with av.open(str(tmp_path / "fall.mp4")) as film:
        frames = film.decode(video=0)
        shown = next(frames), *deque(frames, maxlen=1)
        first, last = (frame.to_ndarray(format="rgb24").astype(int) for frame in shown)
    changed = np.abs(last - first).max(axis=2) > 40
    tall, wide = changed.shape
    assert changed[: tall // 2].sum() > 0.005 * tall * wide, "nothing has come down in it"


@pytest.mark.slow
def test_the_sandbox_checks_brings_out_and_saves_and_an_exported_piece_comes_in_by_its_file(
    tmp_path: Path,
) -> None:
    done = teeter("models", "export", "bausack/base_1", "-o", str(tmp_path / "b1.glb"))
    assert done.returncode == 0, done.stderr
    play_all(("window_scenarios:sandbox_checked",), ("window_scenarios:piece_from_a_file", str(tmp_path)))


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
