"""What people see on the screen: pixels of the X server, beside what the program believes to show.

A program that reads back its own picture cannot tell whether anybody sees it. Here the screen is asked.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from window_driver import COLOURS, ROOT, colours_of, play_all, screen, screenshot

RECORDING = ROOT / "tests" / "recordings" / "wonky-1.teeter"
PATIENCE = 90.0
"""Seconds in which a command has to show something; machines that test may be slow."""


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [("play",), ("play", "wonky"), ("view", "arch"), ("replay", str(RECORDING))]
)
def test_a_command_shows_a_picture_on_the_screen(words: tuple[str, ...], tmp_path: Path) -> None:
    with screen() as environment:
        assert colours_of(screenshot(environment)) == 1
        home = {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
        with subprocess.Popen(
            [sys.executable, "-m", "teeter", *words], cwd=ROOT, env=environment | home, stderr=subprocess.PIPE
        ) as program:
            try:
                end = time.monotonic() + PATIENCE
                while (colours := colours_of(screenshot(environment))) <= COLOURS:
                    assert program.poll() is None, program.stderr and program.stderr.read().decode()
                    assert time.monotonic() < end, f"the screen shows {colours} colours"
                    time.sleep(0.25)
            finally:
                program.kill()


@pytest.mark.slow
def test_every_game_begins_from_the_menu_and_the_screen_shows_it_after_a_resize_too() -> None:
    """And what is opened is seen at once."""
    play_all(("window_scenarios:page_seen_at_once",), ("window_scenarios:everything_on_the_screen",))


@pytest.mark.slow
def test_panels_are_gone_through_by_keys_alone_and_the_screen_shows_a_replay_as_the_program_does() -> None:
    play_all(
        ("window_scenarios:panels_by_keys_alone",),
        ("window_scenarios:replay_on_the_screen", str(RECORDING)),
    )
