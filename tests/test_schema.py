"""What commands print as JSON is what `teeter schema` says."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

from teeter.games.api.design import GOALS
from teeter.games.api.schema import KINDS, schema
from teeter.games.cli import app
from teeter.games.commands.schema import COMMANDS
from teeter.scenes.load import SHIPPED


def printed(*words: str) -> tuple[int, Any]:
    done = CliRunner().invoke(app, list(words))
    assert done.stdout, done.stderr
    return done.exit_code, json.loads(done.stdout)


@pytest.fixture(scope="module")
def schemas() -> dict[str, Any]:
    found = {kind: schema(kind) for kind in COMMANDS}
    command = [sys.executable, "-m", "teeter.games", "schema", COMMANDS[0]]
    said = subprocess.run(command, capture_output=True, check=True).stdout
    assert json.loads(said) == found[COMMANDS[0]], "the command prints another"
    for each in found.values():
        jsonschema.Draft202012Validator.check_schema(each)
    return found


def test_every_kind_is_named_by_the_command() -> None:
    assert tuple(KINDS) == COMMANDS
    assert schema("design")["$defs"]["DesignResult"]["properties"]["goal"]["enum"] == list(GOALS)
    refused = subprocess.run(
        [sys.executable, "-m", "teeter.games", "schema", "chekc"], capture_output=True, text=True, check=False
    )
    assert (refused.returncode, refused.stdout) == (2, "")


ONE = ("--workers", "1", "--json")
RECORDING = str(Path(__file__).parent / "recordings" / "wonky-2.teeter")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("check", ("check", "arch", "--explain", "--data", *ONE)),
        ("check", ("check", "tower_gone", "--explain", *ONE)),
        (
            "check",
            ("check", "two_bricks", "--noise", "1", "--friction-range", "0.3:0.5", "--samples", "3", *ONE),
        ),
        ("check", ("check", "two_bricks", "--witness", "--accelerate", "0.1", *ONE)),
        ("check", ("check", "ball_on_ball", "--certificate", "FILE", *ONE)),
        ("check", ("check", "ruler_stack", "--settle", "0.5", *ONE)),
        ("steps", ("check", "two_bricks", "--steps", *ONE)),
        ("scenes", ("check", "--scenes", "SCENES", *ONE)),
        ("mend", ("mend", "bridge_bare", "--best", "7", *ONE)),
        ("mend", ("mend", "bridge_bare", "--kind", "turn", *ONE)),
        ("design", ("design", "tower", "--pieces", "two_bricks", *ONE)),
        ("probe", ("probe", "bridge", "--json")),
        ("sweep", ("sweep", "two_bricks", "--piece", "slab", "--x=-60:60:4", "--y", "0", *ONE)),
        ("poses", ("poses", "egg_on_tip", "--json")),
        ("verify", ("verify", RECORDING, "--json")),
        ("verify-certificate", ("verify-certificate", "PROOF", "--json")),
        ("scene-list", ("scenes", "--json")),
        ("games", ("games", "--json")),
        ("rules", ("rules", "wonky", "--json")),
        ("models", ("models", "crazy-tower", "--json")),
        ("doctor", ("doctor", "--json")),
        ("play", ("play", "wonky", "--headless", "--players", "bot:bold,bot:bold", "--turns", "1", "--json")),
        ("replay", ("replay", RECORDING, "--margins", "--json")),
        ("export", ("export", RECORDING, "-o", "MADE.glb", "--json")),
        ("video", ("video", RECORDING, "-o", "MADE.png", "--from", "1", "--json")),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value[:3]),
)
@pytest.mark.sampled(4)
def test_what_is_printed_fits(
    schemas: dict[str, Any], kind: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    folder = tmp_path / "scenes"
    folder.mkdir()
    shutil.copy(SHIPPED / "two_bricks.toml", folder)
    named = {"FILE": str(tmp_path / "proof.json"), "SCENES": str(folder)}
    if "PROOF" in words:
        named["PROOF"] = named["FILE"]
        assert printed("check", "two_bricks", "--certificate", named["FILE"], *ONE)[0] == 0
    made = str(tmp_path / "made")
    code, found = printed(*(named.get(word, word).replace("MADE", made) for word in words))
    assert code in (0, 1, 3)
    jsonschema.validate(found, schemas[kind], cls=jsonschema.Draft202012Validator)
    # and a key that nobody announced does not
    more = [{**found[0], "unheard": 1}] if isinstance(found, list) else {**found, "unheard": 1}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(more, schemas[kind])


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("check", "arhc", "--json"), 2, "arhc: there is no such file"),
        (("check", "arch", "--friction", "-3", "--time=0", "--json"), 2, "--friction = -3"),
        (("check", "--json", "arch", "--no-such-option"), 2, "--no-such-option"),
        (("sweep", "arch", "--json"), 2, "--piece is missing"),
        (("verify", "no.teeter", "--json"), 2, "no.teeter"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_errors_too_are_json_where_it_is_asked_for(
    schemas: dict[str, Any], words: tuple[str, ...], code: int, said: str
) -> None:
    found, errors = printed(*words)
    jsonschema.validate(errors, schemas["errors"], cls=jsonschema.Draft202012Validator)
    assert (found, errors["exit"]) == (code, code)
    assert said in " ".join(errors["errors"])
