"""`teeter probe`: its table, its JSON, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import trimesh
from typer.testing import CliRunner

from teeter.games.api.results import ProbeResult
from teeter.games.cli import app
from teeter.games.commands.probe import advice, best_first


def teeter_says(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(words))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def probed(
    *, load: float = 0.0, pull: float | None = 1.0, stands: bool = True, loose: bool = False
) -> ProbeResult:
    return ProbeResult(load, pull, stands, loose)


def test_json_has_the_keys_of_the_contract_and_nothing_else_on_the_output() -> None:
    code, out, err = teeter_says("probe", "two_bricks", "--json")
    found: dict[str, Any] = json.loads(out)
    assert (code, err) == (0, "")
    assert set(found["pieces"]) == {"lower", "slab"}
    for one in found["pieces"].values():
        assert one.keys() == {"load_n", "pull_n", "stands_without", "loose"}
    assert found["pieces"]["lower"]["stands_without"] is False
    assert found["pieces"]["slab"]["stands_without"] is True
    assert found["pieces"]["slab"]["loose"] is True
    assert found["pieces"]["lower"]["load_n"] == pytest.approx(0.06 * 0.03 * 0.015 * 690 * 9.81, rel=1e-3)


def test_pieces_can_be_picked() -> None:
    code, out, _ = teeter_says("probe", "pyramid", "--piece", "block.4.1", "--piece", "block.1.1", "--json")
    assert code == 0
    assert set(json.loads(out)["pieces"]) == {"block.1.1", "block.4.1"}


def test_people_read_a_table_with_the_safest_pull_first_and_a_sentence() -> None:
    code, out, err = teeter_says("probe", "two_bricks")
    assert (code, err) == (0, "")
    assert out.index("slab") < out.index("lower")
    for words in ("carries", "pull", "stands", "topples", "loose", "Pull out slab, loose: at most 0.0"):
        assert words in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("two_bricks", "--piece", "lowr"), "there is no piece 'lowr'; did you mean 'lower'?"),
        (("two_bricks", "--piece", "table"), "'table' is fixed"),
        (("arhc",), "did you mean 'arch'"),
        (("overhang_outside",), "does not stand by itself"),
    ],
)
def test_bad_input_gets_one_clear_message_and_exit_code_2(words: tuple[str, ...], message: str) -> None:
    code, out, err = teeter_says("probe", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_a_scene_of_supports_alone_has_nothing_to_pull(tmp_path: Path) -> None:
    file = tmp_path / "post.toml"
    file.write_text(
        'teeter = 1\n[[piece]]\nid = "post"\nfixed = true\nshape = { box = [20, 20, 20] }\nposition = [0, 0, 10]\n'
    )
    code, _, err = teeter_says("probe", str(file))
    assert code == 2
    assert "every piece is fixed" in err


def test_help_shows_an_example() -> None:
    code, out, _ = teeter_says("probe", "--help")
    assert code == 0
    assert "Example: teeter probe" in out


# -- what is best ----------------------------------------------------------------------------------------------

FOUND = {
    "stuck": probed(pull=None),
    "falls": probed(pull=0.1, stands=False, loose=True),
    "tight": probed(pull=0.4),
    "loose": probed(pull=0.5, loose=True),
    "easy": probed(pull=0.2, loose=True),
}


def test_safe_comes_before_loose_and_loose_before_little_force() -> None:
    assert best_first(FOUND) == ["easy", "loose", "tight", "stuck", "falls"]


def test_the_advice_names_the_loose_ones_or_else_the_easiest() -> None:
    assert advice(FOUND) == (
        "Pull out [bold]easy[/bold] or [bold]loose[/bold], loose: at most 0.50 N, and the rest stands."
    )
    tight = {name: probed(pull=n / 10) for n, name in enumerate("abcd", start=1)}
    assert "[bold]a[/bold], [bold]b[/bold] or [bold]c[/bold], at most 0.30 N" in advice(tight)


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (["stuck"], "No piece can be pulled out."),
        (["falls"], "No piece comes out without bringing others down."),
        (["stuck", "falls"], "What is stuck cannot be pulled out, and every other piece brings others down."),
    ],
    ids=str,
)
def test_where_no_pull_is_safe_the_advice_says_why(found: list[str], sentence: str) -> None:
    assert advice({name: FOUND[name] for name in found}) == sentence


def test_the_unit_that_is_asked_for_can_be_given(tmp_path: Path) -> None:
    """A file that names none is refused with what to say; every command that opens it takes that."""
    file = tmp_path / "cube.obj"
    trimesh.creation.box((0.05, 0.05, 0.05)).apply_translation((0.0, 0.0, 0.025)).export(file)
    for words in (["probe", str(file)], ["sweep", str(file), "--piece", "cube", "--x", "0", "--y", "0"]):
        asked = CliRunner().invoke(app, words)
        assert (asked.exit_code, "--unit m" in asked.output) == (2, True), asked.output
        answered = CliRunner().invoke(app, [*words, "--unit", "m", "--json"])
        assert answered.exit_code == 0, answered.output
    # 0.05 cubed of wood, on wood
    found = json.loads(CliRunner().invoke(app, ["probe", str(file), "--unit", "m", "--json"]).stdout)
    assert 0.1 < found["pieces"]["cube"]["pull_n"] < 1.0
