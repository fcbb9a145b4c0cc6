"""The documentation as a site: every link leads somewhere, every command, clause and public name is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import teeter
from teeter.games.cli import app
from teeter.games.registry import GAMES, clauses_of

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, ROOT / "docs" / "build.py", folder, "--no-gallery"], capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr
    return folder


@pytest.mark.slow
def test_the_site_has_every_command_clause_and_public_name(site: Path) -> None:
    """A link that leads nowhere fails the build."""
    commands = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    for command in app.registered_commands:
        assert f"teeter {command.name}<" in commands
    for game in GAMES:
        page = (site / "rules" / f"{game.name}.html").read_text(encoding="utf-8")
        assert all(clause.id in page for clause in clauses_of(game))
    python = (site / "reference" / "python.html").read_text(encoding="utf-8")
    functions = {name for name in teeter.__all__ if name.islower() and not name.startswith("_")}
    assert not {name for name in functions if f'id="teeter.{name}"' not in python}


@pytest.mark.slow
def test_pages_are_named_in_the_contents_and_show_pictures_that_are_there(site: Path) -> None:
    first = (site / "index.html").read_text(encoding="utf-8")
    for page in sorted(site.rglob("*.html")):
        name = page.relative_to(site).as_posix()
        assert name in ("index.html", "search.html", "genindex.html") or f'href="{name}"' in first, name
