"""Gamepads: from buttons and sticks to events; and a whole game at a real window, which stands in `window_pad`."""

from __future__ import annotations

from pathlib import Path

import pytest
from window_driver import play_out
from window_pad import FakePad

from teeter.engine.view.window.gamepad import Gamepad, PandaPads
from teeter.engine.view.window.shapes import Rect
from teeter.games.present.settings import load_settings, with_key
from teeter.games.ui.pad import next_to


@pytest.mark.slow
@pytest.mark.parametrize("turns", [1, pytest.param(2, marks=pytest.mark.soak)])
def test_a_turn_and_a_whole_game_with_a_gamepad_alone(turns: int, tmp_path: Path) -> None:
    play_out("window_pad:bausack_by_pad", str(tmp_path / "pad.teeter"), str(turns))


def test_buttons_go_down_repeat_and_come_up() -> None:
    fake = FakePad()
    pad = Gamepad(fake)
    assert pad.heard(0.0) == []
    fake.down = {"pad_a", "pad_lb"}
    assert pad.heard(0.1) == [("down", "pad_a"), ("down", "pad_lb")]
    assert pad.heard(0.2) == []
    fake.down = {"pad_lb"}
    assert pad.heard(0.45) == [("up", "pad_a")]
    assert pad.heard(0.55) == [("again", "pad_lb")]
    assert pad.heard(0.6) == []
    assert pad.heard(0.66) == [("again", "pad_lb")]
    fake.down = set()
    assert pad.heard(0.7) == [("up", "pad_lb")]


def test_a_stick_near_its_middle_is_at_rest_and_small_moves_are_slow() -> None:
    fake = FakePad()
    pad = Gamepad(fake)
    fake.left, fake.right = (0.1, -0.1), (0.0, 1.0)
    pad.heard(0.0)
    assert pad.left == (0.0, 0.0)
    assert pad.right == pytest.approx((0.0, 1.0))
    fake.left = (0.59, 0.0)
    pad.heard(0.1)
    assert pad.left == pytest.approx((0.25, 0.0))


def test_without_gamepads_nothing_is_held(capfd: pytest.CaptureFixture[str]) -> None:
    state = PandaPads()()
    assert (state.left, state.right) == ((0.0, 0.0), (0.0, 0.0))
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("towards", "wanted"), [((1, 0), 1), ((0, 1), 2), ((-1, 0), None), ((0, -1), None)], ids=str
)
def test_the_cross_goes_to_what_is_ahead(towards: tuple[int, int], wanted: int | None) -> None:
    places = [Rect(0, 0, 10, 10), Rect(100, 2, 10, 10), Rect(4, 60, 10, 10), Rect(300, 200, 10, 10)]
    found = next_to(places[0].middle, places[1:], towards)
    assert found == (None if wanted is None else places[wanted])


def test_a_button_of_a_gamepad_is_set_without_losing_the_key() -> None:
    settings = load_settings(None)
    assert settings.key_said("lay", is_pad=True) == "(A)"
    changed = with_key(settings, "flip", "pad_guide")
    assert changed.keys_of("flip") == ("pad_guide", "f")
    assert changed.key_said("flip") == "F"
    assert with_key(changed, "flip", "x").keys_of("flip") == ("x", "pad_guide")
