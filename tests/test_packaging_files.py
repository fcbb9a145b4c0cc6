"""Files that say again what `pyproject.toml` says, or name our commands: they say the same."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml  # type: ignore[import-untyped]
from typer.testing import CliRunner

from teeter.games.cli import app

ROOT = Path(__file__).resolve().parent.parent


def project() -> dict[str, object]:
    found: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return found


def test_a_citation_names_the_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert cited["version"] == project()["version"]
    assert cited["license"] == project()["license"]


def test_workflows_run_commands_that_there_are() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8"))["jobs"]
    lines = "\n".join(step.get("run", "") for job in jobs.values() for step in job["steps"]).splitlines()
    commands = [line.split()[1:] for line in lines if line.startswith("teeter ")]
    assert len(commands) >= 3
    for words in commands:
        told = CliRunner().invoke(app, [words[0], "--help"]).stdout
        assert all(word in told for word in words if re.fullmatch(r"--\w+", word)), words
    pythons = jobs["elsewhere"]["strategy"]["matrix"]["python"]
    classified = re.findall(r"Python :: (3\.\d+)", str(project()["classifiers"]))
    assert pythons == classified


def test_help_groups_every_command_and_shells_complete_them() -> None:
    told = CliRunner().invoke(app, ["--help"]).stdout
    for panel in ("Would it topple?", "Play", "Watch again", "This machine"):
        assert f"─ {panel} ─" in told
    assert "─ Commands ─" not in told
    asked = {"_TEETER_COMPLETE": "complete_bash", "COMP_WORDS": "teeter ver", "COMP_CWORD": "1"}
    teeter = Path(sys.executable).with_name("teeter")
    found = subprocess.run([teeter], env=os.environ | asked, capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["verify-certificate", "verify"]


def test_the_app_is_teeter_and_the_python_that_it_asks(tmp_path: Path) -> None:
    """Before it is put in a folder: what it does with words, and with those that teeter starts Python with."""
    start = str(ROOT / "docs" / "app" / "start.py")

    def said(*words: str) -> str:
        return subprocess.run(
            [sys.executable, start, *words], capture_output=True, text=True, check=True
        ).stdout

    assert said("--version") == said("-m", "teeter", "--version") == f"{project()['version']}\n"
    assert said("-c", "import sys; print(sys.argv[1:])", "a", "b") == "['a', 'b']\n"
    compile((ROOT / "docs" / "app" / "teeter.spec").read_text("utf-8"), "teeter.spec", "exec")
