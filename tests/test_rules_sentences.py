"""What the games say, kept as a list that is read like a golden transcript.

`pytest tests/test_rules_sentences.py --remake-golden` remakes it; read what changed before you commit.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from rules_lab import Lab, playthrough
from rules_labs import LABS
from sentences import spoken

from teeter.games.core.events import Fell

FOLDER = Path(__file__).parent / "golden" / "sentences"


@pytest.mark.slow
@pytest.mark.parametrize("lab", LABS, ids=[lab.game.name for lab in LABS])
def test_every_sentence_is_one_that_was_read(lab: Lab, request: pytest.FixtureRequest) -> None:
    path, said = FOLDER / f"{lab.game.name.replace('-', '_')}.txt", spoken(lab)
    if request.config.getoption("--remake-golden"):
        FOLDER.mkdir(exist_ok=True)
        path.write_text(said, encoding="utf-8")
    assert path.exists(), f"{path.name} is missing: run pytest --remake-golden, read it, commit it"
    assert path.read_text(encoding="utf-8") == said


def test_a_list_for_every_game() -> None:
    assert {path.stem.replace("_", "-") for path in FOLDER.glob("*.txt")} == {lab.game.name for lab in LABS}


def test_the_whole_tower_comes_down_only_where_there_was_one() -> None:
    """WK-14: of a tower of one block, or of the new block alone, the blocks are named."""
    lab = next(lab for lab in LABS if lab.game.name == "wonky")
    told: dict[int, set[str]] = {}
    for seed in range(40):
        for before, given, after in playthrough(lab, "standard", seed):
            if isinstance(given, Fell):
                is_all = set(before.tower) <= set(given.pieces) and len(before.tower) > 1
                told.setdefault(is_all, set()).add(lab.game.rules.tell(before, given, after)[0])
    assert told[True] == {"The whole tower comes down!"}
    assert "The whole tower comes down!" not in told[False]
