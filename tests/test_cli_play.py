"""`teeter play --headless` and `teeter verify`: what they print, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from games.cli import app

RUN = CliRunner()


@pytest.mark.slow
def test_a_game_is_played_recorded_and_verified(tmp_path: Path) -> None:
    path = tmp_path / "game.teeter"
    found = RUN.invoke(
        app, ["play", "wonky", "--headless", "--seed", "3", "--turns", "4", "--record", str(path), "--json"]
    )
    assert found.exit_code == 0, found.output
    summary = json.loads(found.stdout)
    assert summary.keys() == {
        "game",
        "mode",
        "seed",
        "players",
        "winners",
        "reason",
        "turns",
        "scores",
        "events",
        "replay",
    }
    assert (summary["game"], summary["turns"], summary["replay"]) == ("wonky", 4, str(path))
    again = RUN.invoke(app, ["verify", str(path), "--json"])
    assert again.exit_code == 0
    report = json.loads(again.stdout)
    assert report["agrees"] is True
    assert report["first_difference"] is None
    told = RUN.invoke(app, ["play", "wonky", "--headless", "--seed", "3", "--turns", "2"])
    assert "for a new tower" in told.stdout
    assert "broken off after 2 turns" in told.stdout
    twice = RUN.invoke(app, ["play", "wonky", "--headless", "--record", str(path)])
    assert twice.exit_code == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["play", "wonki", "--headless"], "did you mean 'wonky'"),
        (["play", "wonky"], "--headless"),
        (["play", "wonky", "--headless", "--players", "Ana,bot:steady"], "'Ana' is a person"),
        (["play", "wonky", "--headless", "--players", "bot:wild"], "is no bot"),
        (["play", "wonky", "--headless", "--players", "bot:steady"], "2 to 16"),
        (["play", "wonky", "--headless", "--mode", "9"], "mode"),
        (["play", "wonky", "--headless", "--house", "colour=red"], "colour"),
        (["play", "wonky", "--headless", "--turns", "0"], "--turns 0"),
        (["play", "sandbox", "--headless"], "bots do not play sandbox"),
        (["verify", "nothing.teeter"], "nothing.teeter"),
    ],
)
def test_bad_input_is_one_clear_message(words: list[str], message: str) -> None:
    found = RUN.invoke(app, words)
    assert found.exit_code == 2
    assert message in found.stderr
    assert "Traceback" not in found.output
