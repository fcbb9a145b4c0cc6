"""The command line: answers, exit codes, JSON keys that other people's scripts hold on to, and bad input."""

from __future__ import annotations

import doctest
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import teeter
from teeter.games.cli import app
from teeter.scenes.load import shipped

ROOT = Path(__file__).resolve().parent.parent


def teeter_says(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(words))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def checked(*words: str) -> tuple[int, dict[str, Any]]:
    code, out, _ = teeter_says("check", *words, "--workers", "1", "--json")
    return code, json.loads(out)


def test_check_prints_every_key_of_the_contract() -> None:
    code, found = checked("two_bricks")
    assert code == 0
    assert {
        "teeter",
        "scene",
        "verdict",
        "pose",
        "settled_mm",
        "floating",
        "off_table",
        "statics",
        "dynamics",
        "wall_s",
    } <= found.keys()
    assert found["statics"].keys() >= {
        "stands",
        "needs_friction",
        "tilt_deg",
        "tilt_direction_deg",
        "push_n",
        "push_piece",
        "push_mode",
        "weakest",
        "pieces",
        "why",
    }
    assert found["dynamics"].keys() >= {
        "stands",
        "simulated_s",
        "sink_mm",
        "max_shift_mm",
        "max_turn_deg",
        "first_to_move",
        "fell",
    }
    assert (found["scene"], found["verdict"], found["pose"]) == ("two_bricks", "stands", "declared")
    assert found["statics"]["pieces"]["lower"]["load_n"] == pytest.approx(
        0.06 * 0.03 * 0.015 * 690 * 9.81, rel=1e-4
    )


@pytest.mark.parametrize(
    ("words", "code", "verdict"),
    [
        (("two_bricks",), 0, "stands"),
        (("slope_above",), 1, "topples"),
        (("ball_on_ball",), 1, "topples"),
        (("slope_above", "--friction", "0.9"), 0, "stands"),
        (("slope_below", "--friction", "0.1"), 1, "topples"),
        (("two_bricks", "--tilt", "23"), 1, "topples"),
        (("bridge", "--without", "counterweight"), 1, "topples"),
        (("ruler_stack", "--settle", "0.6"), 0, "stands"),
    ],
)
def test_the_exit_code_is_the_answer(words: tuple[str, ...], code: int, verdict: str) -> None:
    found_code, found = checked(*words)
    assert (found_code, found["verdict"]) == (code, verdict)


def test_statics_has_a_margin_where_a_piece_rests_on_a_curve() -> None:
    _, found = checked("ball_in_saddle")
    assert found["statics"]["stands"] is True
    assert 15 < found["statics"]["tilt_deg"] < 30
    assert found["statics_why"] is None
    assert found["verdict"] == "stands"


def test_time_simulates_exactly_that_long() -> None:
    _, found = checked("two_bricks", "--time", "0.7")
    assert found["dynamics"]["simulated_s"] == pytest.approx(0.7)


def test_pieces_are_added_from_another_file(tmp_path: Path) -> None:
    more = tmp_path / "more.toml"
    more.write_text(
        'teeter = 1\ntable = false\n[[piece]]\nid = "top"\nshape = { box = [20, 20, 20] }\nposition = [0, 0]\n'
    )
    code, found = checked("two_bricks", "--add", str(more))
    assert code == 0
    assert set(found["statics"]["pieces"]) == {"lower", "slab", "top"}


def test_people_read_a_panel_with_verdict_margin_and_weakest_piece() -> None:
    code, out, err = teeter_says("check", "bridge", "--workers", "1")
    assert code == 0
    assert err == ""
    for words in ("STANDS", "degrees of table tilt", "then it ", "sideways at the top of"):
        assert words in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("check", "arhc"), "did you mean 'arch'"),
        (("check", "two_bricks", "--without", "lowr"), "did you mean 'lower'"),
        (("check", "two_bricks", "--tilt", "100"), "--tilt = 100: must be from 0 to 89"),
        (("check", "two_bricks", "--friction", "nan"), "--friction = nan: must be from 0 to 10"),
        (("check", "two_bricks", "--time", "-1"), "--time = -1: must be from 0.25 to 3600"),
        (("check", "two_bricks", "--settle", "inf"), "--settle"),
        (("check", "two_bricks", "--material", "beach"), "beech"),
        (("check", "two_bricks", "--fixed", "nobody*"), "no piece of this name"),
        (("rules", "wonk"), "did you mean 'wonky'"),
        (("models", "bausak"), "bausack"),
        (("models", "export"), "give a piece and a file"),
    ],
)
def test_bad_input_gets_one_clear_message_and_exit_code_2(words: tuple[str, ...], message: str) -> None:
    code, out, err = teeter_says(*words)
    assert code == 2
    assert out == ""
    assert message in err
    assert "Traceback" not in err


def test_all_faults_of_a_scene_are_listed_at_once(tmp_path: Path) -> None:
    scene = tmp_path / "bad.toml"
    scene.write_text(
        'teeter = 1\n[[piece]]\nid = "a"\nshape = { box = [0, 10, 10] }\nposition = [0, 0, 5]\n'
        '[[piece]]\nid = "a"\nshape = { sphere = nan }\nposition = [0, 0, 5]\ncolor = "red"\n'
    )
    code, _, err = teeter_says("check", str(scene))
    assert code == 2
    for words in ("box[1] = 0", "sphere", "color", "bad.toml:6"):
        assert words in err


def test_overlapping_pieces_are_named_with_their_depth(tmp_path: Path) -> None:
    scene = tmp_path / "overlap.toml"
    scene.write_text(
        'teeter = 1\n[[piece]]\nid = "a"\nshape = { box = [20, 20, 20] }\nposition = [0, 0, 10]\n'
        '[[piece]]\nid = "b"\nshape = { box = [20, 20, 20] }\nposition = [0, 0, 29]\n'
    )
    code, _, err = teeter_says("check", str(scene))
    assert code == 2
    assert '"a"' in err
    assert '"b"' in err
    assert "1.00 mm" in err


def test_help_imports_no_simulator_and_shows_an_example() -> None:
    code = (
        "import sys; from typer.testing import CliRunner; from teeter.games.cli import app; "
        "out = CliRunner().invoke(app, ['check', '--help']).stdout; "
        "print([name for name in ('pybullet', 'panda3d', 'trimesh', 'scipy', 'numpy') if name in sys.modules], out)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found.startswith("[] ")
    assert "Example: teeter check" in found


def test_nothing_but_json_reaches_the_output() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "teeter", "check", "two_bricks", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(found.stdout)["verdict"] == "stands"
    assert found.stderr == ""


def test_doctor_names_what_is_here_and_what_installs_the_rest() -> None:
    _, out, _ = teeter_says("doctor", "--json")
    findings = {row["what"]: row for row in json.loads(out)["findings"]}
    assert {
        "teeter",
        "python",
        "engine",
        "pybullet",
        "panda3d",
        "renderer",
        "mujoco-core (bench)",
    } <= findings.keys()
    assert all(row["fix"] for row in findings.values() if row["found"] == "missing")


def test_games_and_rules_tell_modes_options_and_clauses() -> None:
    _, out, _ = teeter_says("games", "--json")
    games = {game["name"]: game for game in json.loads(out)}
    assert {"crazy-tower", "wonky", "bausack", "tower-topple", "sandbox"} == games.keys()
    _, out, _ = teeter_says("rules", "wonky", "--json")
    clauses = {clause["id"]: clause for clause in json.loads(out)["clauses"]}
    assert {f"WK-{number:02}" for number in range(1, 19)} <= clauses.keys()
    assert any(clause["decision"] for clause in clauses.values())


@pytest.mark.parametrize("columns", ["0", "1", "10", "\u00b2"])
def test_columns_too_few_for_words_are_not_heard(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    usual, told = (CliRunner().invoke(app, ["games"], env=env) for env in ({}, {"COLUMNS": columns}))
    assert (told.exit_code, told.stdout) == (0, usual.stdout)
    assert "crazy-tower" in told.stdout


def test_a_result_is_told_where_columns_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "0")
    assert "STANDS" in str(teeter.check("arch"))


def test_scenes_lists_what_is_shipped_with_the_expected_verdicts() -> None:
    _, out, _ = teeter_says("scenes", "--json")
    rows = {row["name"]: row for row in json.loads(out)}
    assert set(rows) == set(shipped())
    assert (rows["tower"]["pieces"], rows["tower"]["verdict"]) == (54, "stands")
    assert rows["arch_thin"]["verdict"] == "topples"
    assert "Milankovitch" in rows["arch_thin"]["why"]
    _, out, _ = teeter_says("scenes")
    assert all(row["name"] in out and row["title"].split()[0] in out for row in rows.values())


def test_models_lists_a_catalogue_and_exports_a_piece(tmp_path: Path) -> None:
    _, out, _ = teeter_says("models", "tower-topple", "--json")
    brick = next(row for row in json.loads(out) if row["model"] == "tower_topple/brick")
    assert brick["size_mm"] == [75.0, 25.0, 15.0]
    target = tmp_path / "brick.glb"
    assert teeter_says("models", "export", "tower_topple/brick", "-o", str(target))[0] == 0
    assert target.read_bytes()[:4] == b"glTF"


def test_the_examples_of_the_public_module_run() -> None:
    assert doctest.testmod(teeter).failed == 0


def test_every_file_the_readmes_point_to_is_there() -> None:
    for page in ROOT.glob("**/README.md"):
        if {".venv", "build", "dist"} & {*page.relative_to(ROOT).parts}:
            continue
        for target in re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} points to {target}"
