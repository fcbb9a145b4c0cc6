"""Another distribution adds a game, a catalogue and an engine: installed with pip, played, verified, checked."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
PROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "tiny-pile"
version = "1.0"
[project.entry-points."teeter.games"]
tiny = "tiny_game:GAME"
broken = "tiny_game:NOTHING"
[project.entry-points."teeter.catalogues"]
pile = "tiny_pile"
[project.entry-points."teeter.engines"]
softer = "tiny_pile.engine:SofterWorld"
[tool.setuptools]
py-modules = ["tiny_game"]
packages = ["tiny_pile"]
[tool.setuptools.package-data]
tiny_pile = ["*.toml"]
"""
CATALOGUE = """
[[piece]]
id = "block"
material = "beech"
shape = { box = [40, 40, 20] }
"""
ENGINE = """
from teeter.engine.world.rapier import RapierWorld


class SofterWorld(RapierWorld):
    pass
"""
SCENE = """
teeter = 1
[[piece]]
id = "below"
model = "pile/block"
position = [0, 0]
[[model]]
id = "tile"
shape = { box = [40, 40, 5] }
material = "alder"
[[piece]]
id = "above"
model = "tile"
position = [OFFSET, 0]
[[piece]]
id = "top"
model = "tile"
mass = 2
position = [OFFSET, 0]
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a process that has the other distribution."""
    source, target = tmp_path_factory.mktemp("tiny"), tmp_path_factory.mktemp("site")
    (source / "pyproject.toml").write_text(PROJECT)
    shutil.copy(HERE / "tiny_game.py", source)
    package = source / "tiny_pile"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "engine.py").write_text(ENGINE)
    (package / "pile.toml").write_text(CATALOGUE)
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target"]
    subprocess.run([*pip, str(target), str(source)], check=True, capture_output=True)
    return {**os.environ, "PYTHONPATH": str(target)}


def teeter(installed: dict[str, str], *words: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "teeter", *words]
    done = subprocess.run(command, capture_output=True, text=True, env=installed, check=False)
    return done.returncode, done.stdout, done.stderr


def test_its_game_is_listed_played_and_verified(installed: dict[str, str], tmp_path: Path) -> None:
    file = str(tmp_path / "game.teeter")
    code, said, err = teeter(installed, "games")
    assert (code, "tiny" in said) == (0, True)
    # what it names but does not have is told, and takes nothing else away
    assert "teeter: teeter.games broken of tiny-pile is left out: AttributeError" in err
    words = ("--players", "bot:steady,bot:bold", "--headless", "--record", file, "--json")
    code, said, _ = teeter(installed, "play", "tiny", *words)
    played: dict[str, Any] = json.loads(said)
    assert (code, played["winners"], played["reason"]) == (0, ["bold"], "the last cube is laid")
    assert json.loads(teeter(installed, "verify", file, "--json")[1])["agrees"]
    # without it the recording is of a game that is not here
    assert teeter({**os.environ}, "verify", file)[0] == 2


def test_its_pieces_are_in_the_catalogue_and_in_scenes_beside_models_of_their_own(
    installed: dict[str, str], tmp_path: Path
) -> None:
    assert "pile/block" in teeter(installed, "models", "pile")[1]
    for offset, code in ((15, 0), (25, 1)):
        file = tmp_path / f"at_{offset}.toml"
        file.write_text(SCENE.replace("OFFSET", str(offset)))
        assert teeter(installed, "check", str(file), "--workers", "1")[0] == code


def test_its_engine_simulates_when_it_is_asked_for(installed: dict[str, str]) -> None:
    words = ("check", "two_bricks", "--workers", "1", "--json")
    code, said, err = teeter(installed, *words, "--engine", "softer")
    assert (code, err) == (0, "")
    own = json.loads(said)
    assert own["engine"] == "softer"
    same = json.loads(teeter(installed, *words, "--engine", "rapier")[1])
    assert own["dynamics"] == same["dynamics"]
    # nobody is given it who did not ask
    assert json.loads(teeter(installed, *words)[1])["engine"] != "softer"
    code, _, err = teeter({**os.environ}, *words, "--engine", "softer")
    assert (code, "no engine of that name" in err) == (2, True)
