"""While the hand holds something, on the scripted world: what is pushed or falls meanwhile, and what can then be undone
or counted."""

from __future__ import annotations

import pytest
from scripted_world import hold
from test_session_scripted import Script

from engine.hand import packed
from engine.pose import Pose
from games.core.events import Met, Nudged
from games.core.rules import Take, TakeBack, Wait
from games.wonky.state import Phase


def pushed_by(script: Script, mm: float) -> str:
    """The held block touches the topmost of the tower and pushes it along, so far; the name of the pushed one."""
    session = script.session
    top, held, now = session.state.tower[-1], session.need.pieces[0], session.table.step
    lying = session.table.bodies[top].pose
    x, y, z = lying.position
    script.holds.append(hold(held, top, now + 4, now + 40))
    script.paths[top] = [(now + 20, lying), (now + 21, Pose((x + mm / 1e3, y, z), lying.orientation))]
    for _ in range(40):
        if session.table.hand.held is not None:
            session.aim(packed(session.table.world.pose(held)))
    return top


@pytest.mark.parametrize(("mm", "is_foul"), [(0.9, False), (1.5, True)])
def test_WK_12_a_tower_block_that_is_pushed_along_is_a_foul_and_everything_goes_back(
    mm: float, is_foul: bool
) -> None:
    """WK-12: one millimetre is allowed. The same block is then to be taken again, or another that the card admits."""
    script = Script(fall_at=-1)
    session = script.session
    script.until(2, Wait.HAND)
    before, lain = session.state, dict(session.checkpoint.moment.bodies)
    script.heard.clear()
    held = before.held
    top = pushed_by(script, mm)
    assert [type(given) for given in script.heard] == ([Met, Nudged] if is_foul else [Met])
    if is_foul:
        nudge = script.heard[1]
        assert isinstance(nudge, Nudged)
        assert nudge.piece == top
        assert nudge.mm == pytest.approx(mm)
    assert session.state.fouls == int(is_foul)
    assert session.state.tower == before.tower
    assert session.table.hand.held == (None if is_foul else held)
    if is_foul:
        assert session.state.phase is Phase.ADD
        assert session.table.bodies[top].pose == lain[top].pose
        assert session.table.bodies[held].pose == lain[held].pose
        assert Take(session.need.player, held) in [choice.action for choice in session.choices]
        assert session.checkpoint.state == session.state
    session.close()


def test_only_what_a_player_chooses_with_an_empty_hand_counts_as_a_turn() -> None:
    """A card and a block are two; taking the block back is none, nor is its release."""
    script = Script(fall_at=-1)
    session = script.session
    script.until(0, Wait.HAND)
    assert session.turns == 2
    session.undo()
    assert isinstance(script.heard[-1], TakeBack)
    assert session.turns == 2
    script.until(1, Wait.ACTION)
    assert session.turns == 3, "the block was taken once more"
    assert session.summary("left")["turns"] == 3
    session.close()
