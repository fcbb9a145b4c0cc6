"""Golden transcripts: whole games told in sentences.

`pytest tests/test_rules_golden.py --remake-golden` remakes them; read what changed before you commit.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from rules_lab import Golden, Lab, golden_name, transcript
from rules_labs import LABS, MODES

FOLDER = Path(__file__).parent / "golden"
ALL = [(lab, golden) for lab in LABS for golden in lab.goldens]


@pytest.mark.parametrize(("lab", "golden"), ALL, ids=[golden_name(lab, golden) for lab, golden in ALL])
def test_golden(lab: Lab, golden: Golden, request: pytest.FixtureRequest) -> None:
    path = FOLDER / golden_name(lab, golden)
    told = transcript(lab, golden)
    if request.config.getoption("--remake-golden"):
        FOLDER.mkdir(exist_ok=True)
        path.write_text(told, encoding="utf-8")
    assert path.exists(), f"{path.name} is missing: run pytest --remake-golden, read it, commit it"
    assert path.read_text(encoding="utf-8") == told


def test_every_game_and_mode_has_one() -> None:
    told = {(lab.game.name, golden.mode) for lab, golden in ALL}
    assert told == {(lab.game.name, mode) for lab, mode in MODES}


def test_at_least_four_for_every_game_that_ends() -> None:
    assert all(len(lab.goldens) >= 4 for lab in LABS if not lab.game.endless)


def test_no_transcript_without_its_game() -> None:
    assert {path.name for path in FOLDER.glob("*.txt")} == {golden_name(lab, golden) for lab, golden in ALL}
