"""What all commands have in common: `-` for standard input, `-o`, choices, `-v` and `-q`, a manual."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
import trimesh
import typer.main
from needs import need
from typer.testing import CliRunner

from teeter.engine.topple.mend.changes import Kind
from teeter.engine.view.render.shading import Quality, TableTop
from teeter.engine.view.video.director import CameraName
from teeter.engine.view.video.film import preset
from teeter.engine.view.video.pace import PaceName
from teeter.engine.worlds import ENGINES
from teeter.games.cli import app
from teeter.games.commands import console, mend, recordings
from teeter.scenes.load import SHIPPED
from teeter.scenes.scene import UNITS

ROOT = Path(__file__).resolve().parent.parent
RECORDING = ROOT / "tests" / "recordings" / "wonky-2.teeter"
CLI: Any = typer.main.get_command(app)


def run(*words: str | Path, given: bytes = b"") -> tuple[int, str, str]:
    """Exit code, output and errors of a command that reads these bytes."""
    done = CliRunner().invoke(app, [str(word) for word in words], input=given)
    return done.exit_code, done.stdout, done.stderr


def options() -> dict[tuple[str, str], Any]:
    return {
        (name, option.name): option
        for name, command in CLI.commands.items()
        for option in command.params
        if option.param_type_name == "option"
    }


# -- standard input --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_scene_through_a_pipe_is_the_scene_of_the_file() -> None:
    text = (SHIPPED / "two_bricks.toml").read_bytes()
    piped, named = (
        json.loads(run("check", source, "--json", "--workers", "1", given=text)[1])
        for source in ("-", "two_bricks")
    )
    assert piped.pop("scene") == "standard input"
    assert named.pop("scene") == "two_bricks"
    for found in (piped, named):
        found.pop("wall_s")
    assert piped == named
    for words in (
        ("probe", "-"),
        ("poses", "-", "--piece", "slab"),
        ("sweep", "-", "--piece", "slab", "--x=0:5:2", "--y=0", "--workers", "1"),
    ):
        code, output, errors = run(*words, given=text)
        assert (code, errors) == (0, ""), errors
        assert output


def test_meshes_of_a_piped_scene_are_sought_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trimesh.creation.box((30, 30, 30)).export(tmp_path / "cube.stl")
    text = b'teeter = 1\n[[piece]]\nid = "cube"\nshape = { mesh = "cube.stl" }\nmaterial = "beech"\nposition = [0, 0]\n'
    monkeypatch.chdir(tmp_path)
    code, _, errors = run("convert", "-", "-o", "out.glb", given=text)
    assert (code, errors) == (0, "")
    assert trimesh.load_scene("out.glb").extents == pytest.approx(0.03)


def test_a_recording_through_a_pipe_is_the_recording_of_the_file(tmp_path: Path) -> None:
    piped, named = tmp_path / "piped.glb", tmp_path / "named.glb"
    assert run("export", "-", "-o", piped, given=RECORDING.read_bytes())[0] == 0
    assert run("export", RECORDING, "-o", named)[0] == 0
    assert piped.read_bytes() == named.read_bytes()


@pytest.mark.parametrize(
    ("words", "given", "told"),
    [
        (("check", "-"), b"", "standard input is empty: pipe a scene"),
        (("verify", "-"), b"", "standard input is empty: pipe a recording"),
        (("check", "-"), b"#" * 16_000_001, "more than the 16 MB that a scene may have"),
        (("check", "-"), b"\xff\xfe\x00", "standard input: is not a text file in UTF-8"),
        (("check", "-"), b"teeter = 1\n", "standard input: there are no pieces"),
        (("verify", "-"), b"PK\x03\x04", "standard input: is not a recording"),
        (("replay", "-"), b"PK", "name the file"),
        (("view", "-"), b"teeter = 1", "there is no such file"),
        (("check", "arch", "--add", "-"), b"teeter = 1", "there is no such file"),
    ],
)
def test_what_comes_through_a_pipe_is_refused_by_name(
    words: tuple[str, ...], given: bytes, told: str
) -> None:
    code, output, errors = run(*words, given=given)
    assert (code, output) == (2, "")
    assert told in errors
    assert "teeter-" not in errors


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("check", "{}", "-q"), "two.toml"),
        (("check", "{}", "--json"), "two.toml"),
        *(
            (("convert", "{}", "-o", f"out.{kind}", "-q"), "two.toml")
            for kind in ("toml", "glb", "xml", "urdf")
        ),
        *((("check", "{}"), f"two.{kind}") for kind in ("xml", "urdf", "usda")),
    ],
)
def test_a_name_that_is_no_utf_8_crashes_no_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path(os.fsdecode(b"bad\xff" + name.encode()))
    shutil.copy(ROOT / "scenes" / "two_bricks.toml", path)
    code, _, errors = run(*(word.format(path) for word in words))
    is_read = path.suffix == ".toml"
    assert (code, is_read or "is not UTF-8" in errors) == (0 if is_read else 2, True), errors


# -- options ---------------------------------------------------------------------------------------------------------


def test_what_is_written_is_named_in_one_way() -> None:
    found = {name: option.opts for (name, word), option in options().items() if word == "out"}
    assert set(found) >= {"convert", "demo", "export", "mend", "merge", "models", "sweep", "video"}
    assert all(opts == ["--out", "-o"] for opts in found.values()), found


def test_convert_takes_its_file_as_it_did(tmp_path: Path) -> None:
    code, _, errors = run("convert", "two_bricks", tmp_path / "a.glb", "-o", tmp_path / "b.glb")
    assert (code, "give one of them" in errors) == (2, True)
    assert run("convert", "two_bricks")[0] == 2
    assert run("convert", "two_bricks", tmp_path / "a.glb")[0] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["a.glb"]


def test_help_says_what_an_option_takes() -> None:
    vague = {
        each
        for each, option in options().items()
        if option.type_descriptor.annotation in (str, list[str]) and not option.metavar
    }
    assert not vague, f"help shows <str> for {sorted(vague)}"


def test_choices_are_those_that_are_taken() -> None:
    assert get_args(Kind) == mend.KINDS
    assert get_args(Quality) == recordings.QUALITIES
    assert get_args(CameraName) == recordings.CAMERAS
    assert get_args(PaceName) == recordings.PACES
    assert get_args(TableTop) == recordings.TABLES
    assert all(preset(name) for name in recordings.PRESETS)
    for (name, word), option in options().items():
        if word == "engine":
            assert option.metavar == f"[{'|'.join(ENGINES)}]", name
        if word == "unit":
            assert set(option.metavar.strip("[]").split("|")) == set(UNITS), name
    assert run("video", RECORDING, "-o", "none.mp4", "--camera", "side")[0] == 2


def test_quiet_leaves_the_exit_code_and_verbose_tells_each_step(tmp_path: Path) -> None:
    assert run("check", "tower_gone", "--workers", "1", "-q") == (1, "", "")
    assert run("convert", "two_bricks", "-o", tmp_path / "two.glb", "-q") == (0, "", "")
    assert json.loads(run("probe", "two_bricks", "-q", "--json")[1])["scene"] == "two_bricks"
    code, output, errors = run("probe", "two_bricks", "--piece", "slab", "-v")
    assert (code, errors) == (0, "teeter: probing: 1 of 1\n")
    assert "slab" in output
    assert run("check", "nosuch", "-q")[2].startswith("teeter: nosuch: ")
    assert run("check", "arch", "-q", "-v")[0] == 2


# -- the manual ------------------------------------------------------------------------------------------------------


def test_the_manual_is_what_the_program_says() -> None:
    made = subprocess.run(
        [sys.executable, ROOT / "docs" / "man.py"], capture_output=True, text=True, check=True
    )
    assert made.stdout == (ROOT / "docs" / "teeter.1").read_text(encoding="utf-8"), "run `make man`"


def test_the_manual_is_set_without_a_warning() -> None:
    need("groff")
    page = ROOT / "docs" / "teeter.1"
    done = subprocess.run(["groff", "-ww", "-man", "-Tascii", "-P-c", page], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "--tilt-direction NUMBER" in re.sub(".\b", "", done.stdout)


def test_a_small_file_has_a_size_too() -> None:
    assert [console.bytes_said(size) for size in (29_798, 2_345_678)] == ["30 kB", "2.3 MB"]


def test_progress_is_lines_now_and_then_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [0.0]
    monkeypatch.setattr(console, "_told", [])
    monkeypatch.setattr("time.perf_counter", lambda: clock[0])

    def said(seconds: float) -> list[str]:
        with console.bar("pieces") as progress:
            for done in range(1, 41):
                clock[0] += seconds
                progress(done, 40)
        return capsys.readouterr().err.splitlines()

    assert said(0.1) == []
    # not before a tenth is done: the first may take longer than the others
    lines = said(3.0)
    assert lines[0] == "teeter: pieces: 4 of 40"
    assert lines[1] == "teeter: pieces: 8 of 40, about 96 s left"
    assert lines[-1] == "teeter: pieces: 40 of 40"
