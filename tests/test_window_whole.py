"""Whole games at a real window by keys alone and with one button; what is done stands in `window_whole`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from window_driver import play_out

from teeter.engine.record.reader import load


@pytest.mark.soak
@pytest.mark.parametrize("hands", ["keys", "one_button"])
def test_a_whole_game(hands: str, tmp_path: Path, row: Callable[..., None]) -> None:
    file = tmp_path / "game.teeter"
    said = play_out(f"window_whole:bausack_by_{hands}", str(file), seconds=900.0)
    told = json.loads(next(line for line in reversed(said.splitlines()) if line[:1] == "{"))
    outcome = load(file).meta.outcome
    assert outcome is not None
    assert outcome["ended"] is True
    row("Whole games without a mouse", **told)
