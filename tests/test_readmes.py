"""Every fenced block of the READMEs: code runs, command lines parse, shown output is what is printed."""

from __future__ import annotations

import fnmatch
import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import readme_commands
import typer.main
from typer.testing import CliRunner

from teeter.engine.pose import Pose
from teeter.engine.view.frame import frame_of
from teeter.engine.world.body import Body
from teeter.games.cli import app
from teeter.games.commands.host import with_address
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.scenes.load import load

ROOT = Path(__file__).resolve().parent.parent
PARTLY = (
    "from teeter.engine.view.window.window import Window",
    "from teeter.engine.view.video.make import make",
)
"""A block that opens a window, or draws a whole film, is compiled and its imports are made, no more."""
OTHER_PROGRAMS = {"pip", "dask", "python", "pytest", "sbatch", "kubectl"}


class Block(NamedTuple):
    page: Path
    line: int
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks() -> list[Block]:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
    for layer in ("models", "engine", "scenes", "games"):
        pages += sorted((ROOT / layer).rglob("README.md"))
    pages += sorted((ROOT / "docs").rglob("*.md"))
    found = []
    for page in pages:
        text = page.read_text(encoding="utf-8")
        found += [
            Block(page, text.count("\n", 0, match.start()) + 1, match[1], match[2])
            for match in re.finditer(r"^```(\S*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        ]
    return found


def of_kind(*kinds: str) -> list[Any]:
    return [pytest.param(block, id=str(block)) for block in blocks() if block.kind in kinds]


def commands(block: Block) -> list[tuple[list[str], list[str]]]:
    """The command lines of a console block in words, and the lines of output that are shown below each."""
    found: list[tuple[list[str], list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append((shlex.split(line[2:], comments=True), []))
        elif line.strip():
            found[-1][1].append(line)
    return found


def sentences() -> list[str]:
    """What the first page says outside blocks, tables, headings and pictures."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    prose = "\n".join(line for line in text.splitlines() if not line.startswith(("#", "|", "![")))
    parts = [" ".join(part.split()).removeprefix("- ") for part in re.split(r"\n\s*\n|\n(?=- )", prose)]
    return [found for part in parts if part for found in re.split(r"(?<=\.) (?=[A-Z`\[])", part)]


def is_there(evidence: str) -> bool:
    """Whether a test, a file of tests, a script of the gate or a page exists."""
    file, _, name = evidence.partition("::")
    path = ROOT / "tests" / file if file.startswith("test_") else ROOT / file
    return path.is_file() and (not name or f"\ndef {name}(" in path.read_text(encoding="utf-8"))


def test_what_the_readme_claims_has_its_evidence() -> None:
    read = tomllib.loads((ROOT / "tests" / "readme_claims.toml").read_text(encoding="utf-8"))
    kept: dict[str, list[str]] = read["claims"]
    assert sentences() == sorted({*kept, *read["statements"]}, key=sentences().index), (
        "tests/readme_claims.toml"
    )
    for claim, evidence in kept.items():
        assert evidence, f"nothing shows: {claim}"
        missing = [each for each in evidence if not is_there(each)]
        assert not missing, f"{claim}: there is no {missing}"


def test_every_command_of_the_readme_is_run_where_it_is_installed() -> None:
    shown = [command for command in readme_commands.commands() if command.startswith("teeter ")]
    assert {readme_commands.row_of(command) for command in shown} == set(readme_commands.EXPECTED)
    others = {command for command in readme_commands.commands() if not command.startswith("teeter ")}
    assert others == {"pip install .", *readme_commands.GATE}
    gate = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert set(gate) >= readme_commands.GATE
    assert ".ci/installed &" in gate


def test_every_block_says_what_it_is() -> None:
    kinds = {"console", "python", "toml", "json", "text", "output"}
    # a brace begins a directive of the site
    unknown = [str(block) for block in blocks() if block.kind not in kinds and block.kind[:1] != "{"]
    assert not unknown, f"mark output as ```text: {unknown}"


@pytest.mark.parametrize("block", of_kind("console"))
def test_command_lines_are_right(block: Block) -> None:
    group: Any = typer.main.get_command(app)
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for words, _ in commands(block):
        if words[0] == "make":
            assert words[1] in targets, f"{block}: make {words[1]}"
        elif words[0] == "teeter":
            command = group.commands[words[1]]
            # parses names, types and required arguments; runs nothing
            command.make_context(words[1], with_address(words[2:]))
        else:
            assert words[0] in OTHER_PROGRAMS, f"{block}: {words}"


@pytest.mark.slow
@pytest.mark.parametrize("block", [each for each in of_kind("console") if "\n╭" in each.values[0].text])
def test_shown_output_is_what_is_printed(block: Block) -> None:
    for words, shown in commands(block):
        if words[0] != "teeter" or not shown:
            continue
        printed = CliRunner().invoke(app, words[1:]).stdout.splitlines()
        for number, line in enumerate(shown):
            pattern = re.sub(r"([\[?*])", r"[\1]", line).replace("...", "*")
            assert fnmatch.fnmatchcase(printed[number], pattern), f"{block}: {printed[number]!r}"


@pytest.mark.slow
@pytest.mark.parametrize("block", of_kind("python"))
def test_code_runs(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = compile(block.text, str(block), "exec")
    if any(line in block.text for line in PARTLY):
        imports = [line for line in block.text.splitlines() if line.startswith(("import ", "from "))]
        exec("\n".join(imports), {})
        return
    bodies = load("two_bricks").assembly.bodies
    slab = Body("slab", build(find("tower_topple/brick")), Pose((0.0, 0.0, 0.0225)))
    rows = np.array([[*slab.pose.position, *slab.pose.orientation]])
    given = {
        "bodies": bodies,
        "frame": frame_of(bodies),
        "path": tmp_path / "kept.teeter",
        "poses": {"slab": rows[0]},
        "rows": rows,
    }
    exec(code, given)


@pytest.mark.parametrize("block", of_kind("toml"))
def test_tables_are_toml_and_scenes_load(block: Block, tmp_path: Path) -> None:
    table = tomllib.loads(block.text)
    if "teeter" in table:
        file = tmp_path / "scene.toml"
        file.write_text(block.text)
        assert len(load(file).ids) == len(table["piece"])


@pytest.mark.parametrize("block", of_kind("json"))
def test_entries_are_json_a_line(block: Block) -> None:
    for line in block.text.splitlines():
        assert "type" in json.loads(line)
