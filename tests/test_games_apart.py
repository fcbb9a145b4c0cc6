"""A game is one folder and one object: nothing outside knows which games there are, and its rules know no engine."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from test_layers import LAYERS, ROOT, SIMULATORS, imports, loaded, place, sources, tree

from teeter.games.judge.judge import Judge
from teeter.games.learning.observation import observation_of
from teeter.games.players.bots import skill_of
from teeter.games.present.details import GameDetails, details_of
from teeter.games.registry import GAMES

FOLDERS = tuple(sorted(path.parent.name for path in (ROOT / "games").glob("*/game.py")))
PARTS = ("game.py", "judge*.py", "bot*.py", "screen*.py", "observation.py")
"""What of a game may know the engine."""
NAMES = {game.name for game in GAMES} | set(FOLDERS)
ALLOWED = ("games.core.", "models.errors.", "engine.events.")


def pure(folder: str) -> list[Path]:
    return [
        path for path in sorted((ROOT / "games" / folder).glob("*.py")) if not any(map(path.match, PARTS))
    ]


def dotted(path: Path) -> str:
    return "teeter." + ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def test_every_game_has_its_folder() -> None:
    assert {game.name.replace("-", "_") for game in GAMES} == set(FOLDERS)


def test_only_the_registry_imports_a_game() -> None:
    for path in [*sources(), ROOT / "teeter" / "__init__.py"]:
        if path == ROOT / "games" / "registry.py":
            continue
        games = {name.split(".")[1] for name in imports(path) if name.startswith("games.")} & set(FOLDERS)
        assert games <= {path.parent.name}, f"{place(path)} imports {sorted(games)}"


@pytest.mark.parametrize("path", [path for path in sources() if path.parent.name not in FOLDERS], ids=place)
def test_nobody_compares_the_name_of_a_game(path: Path) -> None:
    for node in ast.walk(tree(path)):
        if isinstance(node, (ast.Compare, ast.MatchValue)):
            words = {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)}
            assert not words & NAMES, (
                f"{place(path)}:{node.lineno} asks for a game by its name; make it a hook"
            )


@pytest.mark.parametrize("folder", ["core", *FOLDERS])
def test_rules_import_the_standard_library_the_core_and_the_events(folder: str) -> None:
    own = f"games.{folder}."
    for path in pure(folder):
        foreign = {
            name
            for name in imports(path)
            if name.split(".")[0] not in sys.stdlib_module_names
            and not f"{name}.".startswith((own, *ALLOWED))
            and name not in LAYERS
        }
        assert not foreign, f"{place(path)} imports {sorted(foreign)}"


@pytest.mark.parametrize("path", [path for folder in ("core", *FOLDERS) for path in pure(folder)], ids=place)
def test_no_file_and_no_function_of_the_rules_is_too_long(path: Path) -> None:
    below = max(
        [node.end_lineno or 0 for node in tree(path).body if isinstance(node, ast.ImportFrom)], default=0
    )
    assert len(path.read_text(encoding="utf-8").splitlines()) - below <= 330
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 40, f"{place(path)}: {node.name} is too long"


def test_rules_load_no_simulator() -> None:
    modules = [dotted(path) for folder in ("core", *FOLDERS) for path in pure(folder)]
    assert len(modules) > 30
    assert not loaded(modules) & SIMULATORS


def test_the_registry_loads_no_simulator() -> None:
    assert not loaded(["teeter.games.registry"]) & SIMULATORS


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_parts_of_a_game_are_what_they_should_be(game: object) -> None:
    from teeter.games.game import Game

    assert isinstance(game, Game)
    assert isinstance(game.judge, Judge)
    assert isinstance(details_of(game), GameDetails)
    if game.has_bots:
        skill_of(game)
        observation_of(game)
