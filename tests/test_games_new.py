"""A new game is one folder and one line: a tiny one is played, recorded, verified and filmed like all others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tiny_game
from typer.testing import CliRunner

from teeter.games import cli, registry


@pytest.fixture
def is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one line."""
    monkeypatch.setattr(registry, "GAMES", (*registry.GAMES, tiny_game.GAME))


def test_it_fits_in_a_page() -> None:
    assert len(Path(tiny_game.__file__).read_text(encoding="utf-8").splitlines()) <= 120


@pytest.mark.usefixtures("is_registered")
def test_a_new_game_is_played_recorded_verified_and_filmed(tmp_path: Path) -> None:
    file, still = str(tmp_path / "tiny.teeter"), tmp_path / "tiny.png"

    def told(*words: str) -> str:
        done = CliRunner().invoke(cli.app, words)
        assert done.exit_code == 0, done.output
        return done.stdout

    assert "tiny" in told("games")
    played = json.loads(
        told("play", "tiny", "--players", "bot:steady,bot:bold", "--headless", "--record", file, "--json")
    )
    assert played["winners"] == ["bold"]
    assert played["reason"] == "the last cube is laid"
    assert json.loads(told("verify", file, "--json"))["agrees"]
    told("video", file, "-o", str(still), "--size", "160x90", "--from", "1")
    assert still.stat().st_size > 1000
