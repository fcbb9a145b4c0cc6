"""Random input at a real window: nothing overlaps or is lost, the camera stays where it may be, nothing breaks, and no
memory is kept."""

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
TIMES, WARM = 8, 3
"""Games of the same kind one after the other, and those by which everything is there that is kept on purpose."""
MOST_GROWN_MB = 40.0


def played(size: tuple[int, int], seconds: int, seed: int) -> dict[str, object]:
    """Returns what was found."""
    words = (*(str(side) for side in size), str(seconds), str(seed))
    said = play_out("window_random:random_play", *words, size=(1920, 1080), seconds=10.0 * seconds + 300.0)
    line = next(line for line in reversed(said.splitlines()) if line.startswith("{"))
    found: dict[str, object] = json.loads(line)
    return found


@pytest.mark.soak
@pytest.mark.slow
def test_some_seconds_of_random_input_break_nothing() -> None:
    found = played((800, 600), SHORT_S, 5)
    assert not found["faults"]


@pytest.mark.soak
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_random_input_breaks_nothing(size: tuple[int, int], row: Callable[..., None]) -> None:
    found = played(size, LONG_S, 7)
    names = {"lost": "pieces lost", "camera": "camera below or inside", "overlaps": "panels overlap"}
    told = {names.get(name, name): found.get(name, 0) for name in NEVER}
    acts = {name: found[name] for name in ("games", "acts", "looks", "grown_mb")}
    row(TITLE, window=f"{size[0]} x {size[1]}", seconds=LONG_S, **acts, **told)
    assert not found["faults"], "\n".join(found["faults"])  # type: ignore[arg-type]


@pytest.mark.soak
@pytest.mark.parametrize("game", ["bausack", "tower-topple"])
def test_a_window_keeps_nothing_of_its_games(game: str, row: Callable[..., None]) -> None:
    """Bausack has most pieces, and the bricks of every Tower Topple are others."""
    said = play_out("window_random:again", game, str(TIMES), "25", size=(1920, 1080), seconds=1500.0)
    found = json.loads(next(line for line in reversed(said.splitlines()) if line.startswith("{")))
    after = found["resident_mb"]
    row(
        "memory of a window that plays one game again and again",
        game=game,
        **{f"after {number} MB": round(mb) for number, mb in enumerate(after, 1)},
    )
    assert after[-1] - after[WARM - 1] <= MOST_GROWN_MB
