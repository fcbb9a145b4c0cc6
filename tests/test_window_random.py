"""Random input at a real window: nothing overlaps or is lost, the camera stays where it may be, nothing breaks."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from window_driver import play_out

SIZES = [(1280, 720), (1920, 1080), (800, 600), (640, 480)]
NEVER = ("lost", "camera", "overlaps", "crashes")
TITLE = "Random input at four sizes of window"
SHORT_S, LONG_S = 12, 150
"""Seconds at one size: the long runs are ten minutes together."""
MOST_GROWN_MB = 50.0


def played(size: tuple[int, int], seconds: int, seed: int) -> dict[str, object]:
    """Returns what was found."""
    words = (*(str(side) for side in size), str(seconds), str(seed))
    said = play_out("window_random:random_play", *words, size=(1920, 1080), seconds=10.0 * seconds + 300.0)
    line = next(line for line in reversed(said.splitlines()) if line.startswith("{"))
    found: dict[str, object] = json.loads(line)
    return found


@pytest.mark.slow
def test_some_seconds_of_random_input_break_nothing() -> None:
    found = played((800, 600), SHORT_S, 5)
    assert not found["faults"]


@pytest.mark.soak
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_random_input_breaks_nothing_and_keeps_no_memory(
    size: tuple[int, int], row: Callable[..., None]
) -> None:
    found = played(size, LONG_S, 7)
    names = {"lost": "pieces lost", "camera": "camera below or inside", "overlaps": "panels overlap"}
    told = {names.get(name, name): found.get(name, 0) for name in NEVER}
    acts = {name: found[name] for name in ("games", "acts", "looks", "grown_mb")}
    row(TITLE, window=f"{size[0]} x {size[1]}", seconds=LONG_S, **acts, **told)
    assert not found["faults"], "\n".join(found["faults"])  # type: ignore[arg-type]
    assert float(str(found["grown_mb"])) <= MOST_GROWN_MB
