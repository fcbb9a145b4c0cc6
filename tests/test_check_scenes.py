"""`teeter check --scenes`: a folder of designs as one table and one exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import trimesh
from typer.testing import CliRunner

from teeter.games.cli import app

SCENE = """
teeter = 1
[[piece]]
id = "under"
shape = {{ box = [40, 40, 20] }}
position = [0, 0, 10]
[[piece]]
id = "over"
shape = {{ box = [40, 40, 20] }}
position = [{offset}, 0, 30]
"""
OFFSETS = {"stands": 5, "topples": 25, "unsure": 20.0}


def folder(where: Path, *names: str) -> Path:
    for name in names:
        (where / f"{name}.toml").write_text(SCENE.format(offset=OFFSETS[name]))
    return where


def said(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["check", "--workers", "1", *words])
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("names", "code", "last"),
    [
        (("stands",), 0, "1 scene: 1 stands, 0 topple"),
        (("stands", "topples"), 1, "2 scenes: 1 stands, 1 topples"),
        (("stands", "unsure"), 3, "2 scenes: 1 stands, 0 topple, 1 unsure"),
        (("stands", "topples", "unsure"), 1, "3 scenes: 1 stands, 1 topples, 1 unsure"),
    ],
)
def test_the_worst_verdict_is_the_exit_code(
    names: tuple[str, ...], code: int, last: str, tmp_path: Path
) -> None:
    found, out, err = said("--scenes", str(folder(tmp_path, *names)))
    assert (found, err) == (code, "")
    assert out.splitlines()[-1] == last
    for name in names:
        assert [line for line in out.splitlines() if f"{name}.toml" in line.replace(" ", "") and name in line]


def test_folders_within_are_looked_at_and_hidden_ones_are_not(tmp_path: Path) -> None:
    for name in ("more", ".git", "folder.toml"):
        (tmp_path / name).mkdir()
    folder(tmp_path / "more", "topples")
    folder(tmp_path / ".git", "unsure")
    code, out, _ = said("--scenes", str(folder(tmp_path, "stands")))
    assert (code, out.splitlines()[-1]) == (1, "2 scenes: 1 stands, 1 topples")
    assert any(line.split()[:1] == ["more/topples.toml"] for line in out.splitlines())


def test_rows_are_those_of_single_checks(tmp_path: Path) -> None:
    code, out, _ = said("--scenes", str(folder(tmp_path, "stands", "topples")), "--json")
    many = json.loads(out)
    assert (code, many["verdict"], many["counts"]) == (1, "topples", {"topples": 1, "unsure": 0, "stands": 1})
    for row in many["scenes"]:
        one = json.loads(said(row["scene"], "--json")[1])
        assert row["verdict"] == one["verdict"]
        if row["verdict"] == "stands":
            assert row["tilt_deg"] == pytest.approx(one["statics"]["tilt_deg"], abs=1e-4)


def test_a_mesh_that_a_scene_is_made_of_is_no_design(tmp_path: Path) -> None:
    trimesh.creation.box((40, 40, 20)).export(tmp_path / "block.stl")
    (tmp_path / "made.toml").write_text(
        'teeter = 1\n[[piece]]\nid = "a"\nshape = { mesh = "block.stl" }\nposition = [0, 0, 10]\n'
    )
    (tmp_path / "notes.json").write_text("{}")
    code, out, _ = said("--scenes", str(tmp_path))
    assert (code, out.splitlines()[-1]) == (0, "1 scene: 1 stands, 0 topple")


def test_every_file_that_cannot_be_read_is_named_and_nothing_is_judged(tmp_path: Path) -> None:
    folder(tmp_path, "stands")
    for name in ("a", "b"):
        (tmp_path / f"{name}.toml").write_text("teeter = ")
    code, out, err = said("--scenes", str(tmp_path))
    assert (code, out) == (2, "")
    assert "a.toml" in err
    assert "b.toml" in err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "give a scene, or --scenes with a folder of them"),
        (("arch", "--scenes", "."), "give a scene, or --scenes with a folder of them"),
        (("--scenes", ".", "--noise", "1", "--page", "a.html"), "leave out --page, --noise"),
        (("--scenes", "nowhere/*.toml"), "no file has such a name"),
        (("--scenes", "FOLDER"), "no scene is in it"),
    ],
)
def test_what_makes_no_sense_is_refused(words: tuple[str, ...], told: str, tmp_path: Path) -> None:
    code, out, err = said(*(str(tmp_path) if word == "FOLDER" else word for word in words))
    assert (code, out) == (2, "")
    assert told in err
