"""How clear the pictures of a window are: fewer pixels while slow pictures move, all of them at rest."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from teeter.games.ui.adaptive_quality import DECIDING_PICTURES, SHARPNESS, STILL_S, AdaptiveQuality


class FakeWindow:
    """Takes note of how it is lit."""

    def __init__(self, renderer: str = "llvmpipe (LLVM 15.0.6, 256 bits)") -> None:
        self.renderer, self.stage, self.is_new = renderer, SimpleNamespace(), True
        self.lit: list[tuple[str, float]] = []

    def relight(self, quality: str, sharpness: float) -> None:
        self.lit.append((quality, sharpness))


def moving(quality: AdaptiveQuality, window: FakeWindow, took: float, pictures: int) -> None:
    """So many pictures of something that moves, each of which takes seconds."""
    window.is_new = True
    for _ in range(pictures):
        quality.before(took)
        quality.took(took)


def made(window: Any, best: Any = "medium", *, is_fixed: bool = False) -> AdaptiveQuality:
    return AdaptiveQuality(window, best, is_fixed=is_fixed)


def test_slow_pictures_have_fewer_pixels_until_all_is_still() -> None:
    window = FakeWindow()
    quality = made(window, is_fixed=True)
    moving(quality, window, 0.04, DECIDING_PICTURES)
    assert window.lit == [("medium", 0.85)]
    window.is_new = False
    quality.before(STILL_S / 2)
    assert len(window.lit) == 1
    quality.before(STILL_S)
    quality.before(STILL_S)
    assert window.lit[1:] == [("medium", 1.0)]
    # what moves again is as quick as before, from its first picture on
    moving(quality, window, 0.02, 1)
    assert window.lit[2:] == [("medium", 0.85)]


@pytest.mark.parametrize("best", ["medium", "low"])
def test_a_level_that_was_chosen_is_kept(best: str) -> None:
    window = FakeWindow()
    quality = made(window, best, is_fixed=True)
    moving(quality, window, 1.0, 10 * DECIDING_PICTURES)
    assert {level for level, _ in window.lit} == {best}
    assert window.lit[-1][1] == SHARPNESS[-1]


def test_quick_pictures_stay_clear_and_become_clear_again() -> None:
    window = FakeWindow()
    quality = made(window)
    moving(quality, window, 0.015, 5 * DECIDING_PICTURES)
    assert not window.lit
    moving(quality, window, 0.04, 3 * DECIDING_PICTURES)
    assert window.lit[-1] == ("low", 0.85)
    moving(quality, window, 0.005, 3 * DECIDING_PICTURES)
    assert window.lit[-1] == ("medium", 1.0)


def test_a_graphics_card_may_wait_for_a_slow_screen() -> None:
    window = FakeWindow("NVIDIA GeForce RTX 3060/PCIe/SSE2")
    quality = made(window, "high")
    moving(quality, window, 1 / 30, 5 * DECIDING_PICTURES)
    assert not window.lit
