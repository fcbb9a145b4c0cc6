"""Nothing is written over unasked: what exists, what is read, what is no plain file."""

from __future__ import annotations

import os
import shutil
import socket
import stat
from collections.abc import Callable
from functools import cache
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import pytest
import trimesh
from typer.testing import CliRunner

import teeter
from teeter.engine.record.reader import load
from teeter.games.cli import app

RUN = CliRunner()
ROOT = Path(__file__).resolve().parent
GAME = ROOT / "recordings" / "wonky-2.teeter"
MEND = ("mend", "falls.toml", "--kind", "move", "--workers", "1")
FALLS = """
teeter = 1
[[piece]]
id = "under"
shape = { box = [40, 40, 20] }
position = [0, 0]
[[piece]]
id = "over"
shape = { box = [40, 40, 20] }
position = [25, 0]
"""
WRITERS: dict[str, tuple[tuple[str, ...], str]] = {
    "certificate": (("check", "scene.toml", "--workers", "1", "--certificate"), "out.json"),
    "assembly": (("check", "scene.toml", "--workers", "1", "--compas"), "out.json"),
    "page": (("check", "scene.toml", "--workers", "1", "--page"), "out.html"),
    "picture": (("check", "scene.toml", "--workers", "1", "--picture"), "out.png"),
    "trial": (("check", "scene.toml", "--workers", "1", "--record"), "out.teeter"),
    "map": (
        ("sweep", "scene.toml", "--piece", "slab", "--x=0:5:2", "--y=0", "--workers", "1", "--page"),
        "out.html",
    ),
    "film": (("video", "game.teeter", "--to", "0.2", "--size", "128x72", "--fps", "5", "-o"), "out.mp4"),
    "still": (("video", "game.teeter", "--size", "64x36", "-o"), "out.png"),
    "model": (("export", "game.teeter", "-o"), "out.glb"),
    "replay page": (("export", "game.teeter", "-o"), "replay.html"),
    "piece": (("models", "export", "tower_topple/brick", "-o"), "out.glb"),
    "sheet": (("models", "wonky", "--sheet"), "out.png"),
    "scene": (("convert", "scene.toml", "-o"), "out.xml"),
    "scene, as it was said once": (("convert", "scene.toml"), "out.xml"),
    "table": (
        ("sweep", "scene.toml", "--piece", "slab", "--x=0:5:2", "--y=0", "--workers", "1", "--out"),
        "out.csv",
    ),
    "mended": ((*MEND, "--apply", "1", "--out"), "out.toml"),
    "change": ((*MEND, "--picture"), "out.png"),
    "change's page": ((*MEND, "--page"), "out.html"),
    "design": (("design", "tower", "--pieces", "scene.toml", "--workers", "1", "-o"), "out.toml"),
    "merged": (("merge", "rows.csv", "--out"), "out.csv"),
    "game": (("play", "wonky", "--headless", "--turns", "1", "--record"), "out.teeter"),
}
REFUSES_ALWAYS = {"game", "table"}
"""A game is never replaced by the command, nor is a table: go on with it, or move it away."""
READS = {writer: next((word for word in words if "." in word), "") for writer, (words, _) in WRITERS.items()}
"""The file that each command reads."""


NOT_WRITTEN = {"add", "file", "resume", "tables"}
"""Files that commands are given to read."""


def test_no_command_that_writes_is_left_out() -> None:
    written = {
        (command.name, name)
        for command in app.registered_commands
        for name, each in signature(cast("Callable[..., int]", command.callback)).parameters.items()
        if "Path" in str(each.annotation) and name not in NOT_WRITTEN
    }
    options = {"-o": "out", "scene.toml": "target"}
    tried = {
        (words[0], options.get(words[-1], words[-1].removeprefix("--"))) for words, _ in WRITERS.values()
    }
    # which has files of its own in the folder
    assert written == {*tried, ("demo", "out")}


@cache
def rows() -> bytes:
    """A table of one row."""
    with TemporaryDirectory() as folder:
        out, words = Path(folder) / "rows.csv", ("--piece", "slab", "--x=0", "--y=0", "--workers", "1")
        assert RUN.invoke(app, ["sweep", "two_bricks", *words, "--out", str(out)]).exit_code == 0
        return out.read_bytes()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(ROOT.parent / "scenes" / "two_bricks.toml", tmp_path / "scene.toml")
    shutil.copy(GAME, tmp_path / "game.teeter")
    (tmp_path / "rows.csv").write_bytes(rows())
    (tmp_path / "falls.toml").write_text(FALLS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.sampled(2)
def test_what_is_there_stays(writer: str, here: Path) -> None:
    words, name = WRITERS[writer]
    out = here / name
    out.write_text("mine")
    refused = RUN.invoke(app, [*words, name])
    assert (refused.exit_code, out.read_text()) == (2, "mine"), refused.output
    assert name in refused.stderr
    if writer not in REFUSES_ALWAYS:
        assert RUN.invoke(app, [*words, name, "--force"]).exit_code == 0
        assert out.read_bytes() != b"mine"
        assert out.stat().st_size > 100


@pytest.mark.slow
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("kind", ["link", "dangling link", "pipe"])
def test_what_is_no_plain_file_is_neither_followed_nor_replaced(kind: str, writer: str, here: Path) -> None:
    words, name = WRITERS[writer]
    out, target = here / name, here / f"elsewhere{Path(name).suffix}"
    if kind == "pipe":
        os.mkfifo(out)
    else:
        out.symlink_to(target)
        if kind == "link":
            target.write_text("mine")
    force = () if writer in REFUSES_ALWAYS else ("--force",)
    refused = RUN.invoke(app, [*words, name, *force])
    assert refused.exit_code == 2, refused.output
    assert stat.S_ISFIFO(out.lstat().st_mode) if kind == "pipe" else out.is_symlink()
    assert target.read_text() == "mine" if kind == "link" else not target.exists()


def _device(file: Path) -> None:
    """A device, where this process may make one; else a socket, which is no plain file either."""
    try:
        os.mknod(file, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    except PermissionError:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(file.name)


@pytest.mark.slow
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize(
    "kind", ["a folder", "a device", "in no folder", "where nobody may", "what is read", "a link to that"]
)
@pytest.mark.sampled(4)
def test_what_cannot_or_must_not_be_written_is_refused(kind: str, writer: str, here: Path) -> None:
    words, name = WRITERS[writer]
    read = READS[writer]
    if kind == "a folder":
        (here / name).mkdir()
    elif kind == "a device":
        _device(here / name)
    elif kind in ("what is read", "a link to that") and not read:
        return  # it reads no file
    elif kind == "a link to that":
        os.link(here / read, here / name)
    places = {"in no folder": f"nosuch/{name}", "where nobody may": f"/proc/{name}", "what is read": read}
    before = {path: path.is_file() and path.read_bytes() for path in here.iterdir()}
    kinds = {path: stat.S_IFMT(path.lstat().st_mode) for path in before}
    force = () if writer in REFUSES_ALWAYS else ("--force",)
    found = RUN.invoke(app, [*words, places.get(kind, name), *force])
    assert found.exit_code == 2, found.output
    assert 1 <= len(found.stderr.splitlines()) <= 2, found.stderr
    assert {path: path.is_file() and path.read_bytes() for path in here.iterdir()} == before
    assert {path: stat.S_IFMT(path.lstat().st_mode) for path in before} == kinds


@pytest.mark.parametrize(
    "words",
    [
        ("check", "scene.toml", "--certificate", "scene.toml", "--force"),
        ("check", "scene.toml", "--certificate", "other.toml", "--force"),
        ("export", "game.glb", "-o", "game.glb", "--force"),
        ("video", "game.png", "-o", "game.png", "--force"),
    ],
)
def test_nothing_is_written_over_what_is_read(words: tuple[str, ...], here: Path) -> None:
    """Under whatever name: `other.toml` is the same file by a hard link."""
    os.link(here / "scene.toml", here / "other.toml")
    for name in ("game.glb", "game.png"):
        shutil.copy(GAME, here / name)
    before = {path.name: path.read_bytes() for path in here.iterdir()}
    assert RUN.invoke(app, [*words]).exit_code == 2
    assert {path.name: path.read_bytes() for path in here.iterdir()} == before


def test_two_outputs_are_two_files(here: Path) -> None:
    assert (
        RUN.invoke(app, ["check", "scene.toml", "--picture", "a.png", "--certificate", "a.png"]).exit_code
        == 2
    )
    assert not (here / "a.png").exists()
    (here / "here").symlink_to(here)
    found = RUN.invoke(app, ["check", "scene.toml", "--certificate", "a.teeter", "--record", "here/A.teeter"])
    assert (found.exit_code, "are one file" in found.stderr) == (2, True)


MESH_SCENE = """
teeter = 1
[[piece]]
id = "block"
shape = { mesh = "block.stl" }
position = [0, 0, 5]
"""


@pytest.mark.slow
def test_nothing_is_written_over_the_meshes_that_a_scene_names_nor_over_a_shipped_scene(here: Path) -> None:
    trimesh.creation.box((10, 10, 10)).export(here / "block.stl")
    (here / "scene.toml").write_text(MESH_SCENE)
    os.link(here / "block.stl", here / "other.json")
    before = (here / "block.stl").read_bytes()
    for name in ("block.stl", "other.json"):
        found = RUN.invoke(app, ["check", "scene.toml", "--certificate", name, "--force"])
        assert found.exit_code == 2, found.output
        assert "is what is read here" in found.stderr
    shipped = str(ROOT.parent / "scenes" / "arch.toml")
    found = RUN.invoke(app, ["check", "arch", "--certificate", shipped, "--force"])
    assert (found.exit_code, "is what is read here" in found.stderr) == (2, True)
    assert (here / "block.stl").read_bytes() == before
    with pytest.raises(teeter.TeeterError, match="is what is read here"):
        teeter.check(here / "scene.toml", workers=1).record(here / "block.stl", force=True)


def test_the_demo_leaves_alone_what_others_have_named_like_its_files(here: Path) -> None:
    (here / "game.html").write_text("mine")
    found = RUN.invoke(app, ["demo", "--out", "."])
    assert found.exit_code == 2
    assert "game.html: is there already" in found.stderr
    assert "game.teeter: is there already" in found.stderr
    assert (here / "game.html").read_text() == "mine"
    assert not (here / "check.png").exists()


@pytest.mark.slow
def test_python_records_over_nothing_unasked(here: Path) -> None:
    out = here / "out.teeter"
    out.write_text("mine")
    verdict = teeter.check("two_bricks", workers=1)
    with pytest.raises(teeter.TeeterError, match="is there already"):
        verdict.record(out)
    with pytest.raises(teeter.TeeterError, match="is there already"):
        teeter.play("wonky", turns=1, record=out)
    assert out.read_text() == "mine"
    assert load(verdict.record(out, force=True)).meta.game == "check"
    teeter.play("wonky", turns=1, record=out, force=True)
    assert load(out).meta.game == "wonky"


def test_a_table_is_not_made_of_what_is_none(here: Path) -> None:
    (here / "t.csv").write_text("mine")
    asked = ["sweep", "scene.toml", "--piece", "slab", "--x=0", "--y=0", "--workers", "1", "--out", "t.csv"]
    assert RUN.invoke(app, asked).exit_code == 2
    assert (here / "t.csv").read_text() == "mine"


@pytest.mark.slow
def test_python_refuses_as_the_command_does(here: Path) -> None:
    out = here / "out.glb"
    out.write_text("mine")
    with pytest.raises(teeter.TeeterError, match="is there already"):
        teeter.export(here / "game.teeter", out)
    with pytest.raises(teeter.TeeterError, match="is there already"):
        teeter.check("two_bricks", workers=1).picture(out)
    assert out.read_text() == "mine"
    assert teeter.export(here / "game.teeter", out, force=True).size > 1000
