"""The hand at a real window: real mouse and key events; what is done stands in `window_hand`."""

from __future__ import annotations

import pytest
from window_driver import play_all, play_out

from teeter.engine.view.panels import Button, Panel
from teeter.engine.view.window.layout import lay_out


@pytest.mark.slow
@pytest.mark.parametrize(
    "scenarios",
    [
        # of one game in one process, which builds its pieces once
        "block_by_drag, camera_by_drag, stillness",
        "brick_by_drag",
        pytest.param("one_button, one_button_line", marks=pytest.mark.soak),
        pytest.param("sandbox_floor, sandbox_by_keys", marks=pytest.mark.soak),
    ],
)
def test_the_hand_at_the_window(scenarios: str) -> None:
    play_all(*((f"window_hand:{each}",) for each in scenarios.split(", ")))


@pytest.mark.soak
def test_what_rolled_off_is_brought_back() -> None:
    play_out("window_hand:sandbox_floor", "whole")


def test_a_grey_button_covers_the_scene_and_reports_nothing() -> None:
    button = Button("undo", "Undo", is_enabled=False)
    layout = lay_out(
        [Panel("tools", "top-left", (button,), is_bare=True)], (800, 600), lambda text, size, bold: 8.0
    )
    (card,) = layout.cards
    assert layout.covers(*card.middle)
    assert layout.region_at(*card.middle) is None
