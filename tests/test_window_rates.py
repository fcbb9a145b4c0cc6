"""How many pictures a second the window makes; what is done stands in `window_rates`."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from window_driver import play_out

ASKED_S = {"carrying": 30.0, "turning": 35.0}
"""On two idle cores. It is told, not tested: on a busy machine what runs beside it would be measured."""


@pytest.mark.soak
def test_pictures_a_second_of_54_bricks(row: Callable[..., None]) -> None:
    said = play_out("window_rates:rates", seconds=600.0)
    told = json.loads(next(line for line in reversed(said.splitlines()) if line[:1] == "{"))
    assert told["bricks"] == 54
    for act, least in ASKED_S.items():
        row("Pictures a second of 54 bricks at 1280 x 720, medium", act=act, asked=least, **told[act])
