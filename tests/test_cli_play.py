"""`teeter play --headless` and `teeter verify`: what they print, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from teeter.engine.record.reader import load
from teeter.games.cli import app

RUN = CliRunner()
GO_ON = ["play", "--resume", str(Path(__file__).parent / "recordings" / "wonky-1.teeter")]
"""The words that go on with a game on file."""


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


def test_a_game_is_played_on_the_engine_that_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "game.teeter"
    words = ["play", "wonky", "--headless", "--seed", "3", "--turns", "1"]
    found = RUN.invoke(app, [*words, "--engine", "rapier", "--record", str(path), "--json"])
    assert found.exit_code == 0, found.output
    assert load(path).meta.engine == "rapier"
    refused = RUN.invoke(app, [*words, "--engine", "havok"])
    assert refused.exit_code == 2
    assert "engine 'havok': no engine of that name" in refused.stderr
    # a game on file has its engine
    resumed = RUN.invoke(app, ["play", "--resume", str(path), "--headless", "--engine", "rapier"])
    assert resumed.exit_code == 2
    assert "leave out --engine" in resumed.stderr


@pytest.mark.slow
def test_a_game_broken_off_is_gone_on_with_in_its_file_or_in_another(tmp_path: Path) -> None:
    whole, path, other = (tmp_path / f"{name}.teeter" for name in ("whole", "game", "other"))
    words = ["play", "wonky", "--headless", "--seed", "3", "--json"]
    for file, turns in ((whole, "4"), (path, "2")):
        assert RUN.invoke(app, [*words, "--turns", turns, "--record", str(file)]).exit_code == 0
    again = ["play", "--resume", str(path), "--headless", "--turns", "4"]
    before = path.read_bytes()
    left = load(path)
    # whoever reads its seed knows what is hidden until its end
    assert path.stat().st_mode & 0o777 == 0o600
    end = left.checkpoints[-1].step / left.meta.rate
    told = RUN.invoke(app, [*again, "--record", str(other), "--from", str(end)])
    assert told.exit_code == 0, told.output
    assert "… after 1 turn and" in told.stdout or "… after 2 turns and" in told.stdout
    assert path.read_bytes() == before
    found = RUN.invoke(app, [*again, "--json"])
    summary = json.loads(found.stdout)
    assert (summary["game"], summary["seed"], summary["turns"]) == ("wonky", 3, 4)
    # of the whole game, not only of what was played now
    assert summary["events"] == len(load(path).events)
    assert path.read_bytes() == other.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(
    ("words", "players"),
    [
        (["crazy-tower", "--mode", "solo", "--house", "challenge=1"], ["steady"]),
        (["crazy-tower", "--players", "bot:bold+bot:clumsy", "--mode", "solo"], ["bold+clumsy"]),
        (["crazy-tower", "--mode", "saboteur"], ["steady-1", "steady-2", "steady-3"]),
    ],
)
def test_teams_of_bots_play_and_a_mode_gets_as_many_as_it_needs(words: list[str], players: list[str]) -> None:
    """CT-51, TT-01: a team of bots is no person; a challenge is for one."""
    found = RUN.invoke(app, ["play", *words, "--headless", "--turns", "1", "--json"])
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["players"] == players


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
        (["play", "sandbox", "--host", "127.0.0.1:0", "--record", "a.teeter"], "sandbox is not recorded"),
        (["play", "wonky", "--headless", "--house", "challenge=3"], "challenge"),
        (["play", "crazy-tower", "--headless", "--mode", "solo", "--house", "challenge=21"], "from 1 to 20"),
        (["play", "wonky", "--headless", "--tremor", "-1"], "--tremor = -1: must be from 0 to 20 mm"),
        (["play", "wonky", "--headless", "--tremor", "nan"], "--tremor = nan"),
        (["play", "wonky", "--headless", "--from", "3"], "give --resume FILE too"),
        ([*GO_ON, "--record", "new.teeter", "--headless", "--from", "99999"], "the recording is "),
        ([*GO_ON, "--record", "new.teeter", "--headless", "--from", "-1"], "--from -1: seconds from"),
        ([*GO_ON, "--record", "new.teeter", "--headless", "--from", "nan"], "--from nan: seconds from"),
        ([*GO_ON, "--record", "new.teeter", "--from", "3"], "--from 3: for --headless; `teeter replay FILE`"),
        (["play", "--headless"], "which game?"),
        (["play", "--resume", "nothing.teeter", "--headless"], "nothing.teeter: there is no such file"),
        (["play", "wonky", "--resume", "a.teeter", "--headless"], "knows its game: leave out GAME"),
        (["play", "--resume", "a.teeter", "--seed", "3", "--headless"], "knows its game: leave out --seed"),
        (["play", "--resume", "a.teeter", "--from", "3", "--headless"], "name the new game with --record"),
        (
            ["play", "tower-topple", "--headless", "--house", "rounds=1", "--house", "rounds=2"],
            "rounds is given twice",
        ),
        (["play", "wonky", "--headless", "--seed", "-1"], "seed = -1: must be from 0 to 2**256 - 1"),
        (["play", "wonky", "--headless", "--seed", str(2**256)], "must be from 0 to 2**256 - 1"),
        (["play", "wonky", "--headless", "--scene", "arch"], "--scene arch: scenes belong to the sandbox"),
        (
            ["play", "--resume", "a.teeter", "--scene", "arch", "--headless"],
            "knows its game: leave out --scene",
        ),
        (["verify", "nothing.teeter"], "nothing.teeter"),
        *(
            (words, "names no recording: name its file")
            for path in (".", "/", "", ".part")
            for words in (
                ["play", "wonky", "--headless", "--record", path],
                ["play", "--resume", path],
                ["play", "--resume", path, "--headless"],
            )
        ),
        (["play", "wonky", "--headless", "--record", "x.part"], "x.part: ends in .part like the folder"),
    ],
)
def test_bad_input_is_one_clear_message(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = RUN.invoke(app, words)
    assert found.exit_code == 2
    assert not list(tmp_path.iterdir())
    assert message in found.stderr
    assert "Traceback" not in found.output
