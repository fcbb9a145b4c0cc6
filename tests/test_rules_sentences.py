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
from teeter.games.play.old_words import says_the_same

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


@pytest.mark.parametrize(
    ("before", "today", "is_same"),
    [
        (["Too tight. It stays where it is now."], ["Ana leaves it where it is now."], True),
        (["The whole tower comes down!"], ["The small red block falls!"], True),
        (["The whole tower comes down!"], ["... three! It stands, 3 blocks high."], False),
        (["The measurer reads Ana 30 mm, Ben 0 mm."], [], True),
        (["Ben passes."], [], False),
        (["No cards are left to draw; Ana has to start again."], ["Ana lays the block again."], True),
        (["Ana lays the block again."], ["Ana draws medium red and has to start again."], False),
        (["Two bricks more."], ["Two more bricks come down."], True),
        (["Two bricks more come down."], ["Two more bricks come down."], True),
        (["One brick more."], ["One more brick comes down."], True),
        (
            ["Ana and Ben sit round 54 bricks, 18 rows high."],
            ["Ana and Ben sit around a tower of 54 bricks, 18 rows high."],
            True,
        ),
        (["Ana puts the egg down to begin anew."], ["Ana puts the egg down to start over."], True),
        (["- Ana: an edge brick"], ["- Ana must pull an edge brick"], True),
        (["- Ana: an edge brick"], ["- Ben must pull an edge brick"], False),
        (["- Ana: 2 blocks left, 7 points"], ["- Ana: 2 blocks left, worth 7"], True),
        (["- Ana: 2 blocks left, 7 points"], ["- Ana: 2 blocks left, worth 8"], False),
    ],
)
def test_a_story_of_then_is_held_against_that_of_today(
    before: list[str], today: list[str], is_same: bool
) -> None:
    assert says_the_same(before, today) is is_same


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
