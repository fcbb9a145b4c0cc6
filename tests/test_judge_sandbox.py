"""The judge of the sandbox: pieces are laid out, and nothing that happens is wrong."""

from __future__ import annotations

from itertools import combinations

import pytest

from engine.geometry.convex import deepest, solids_at
from engine.world import TABLE
from games.core.events import Condition
from games.judge.judge import TableScene
from games.sandbox import rules as free
from games.sandbox.judge import SandboxJudge

SANDBOX = SandboxJudge()
NOTHING = TableScene({})


def sandbox_state() -> free.State:
    rows = (("a", "bausack/cube"), ("b", "bausack/egg"), ("shape", ""), ("c", "crazy_tower/red_v5"))
    return free.start(["Ana"], 1, {}, free.Stock(tuple(free.NamedPiece(*row) for row in rows)))


def test_the_sandbox_lays_out_pieces_with_a_model() -> None:
    """SB-1, SB-2: by their own names; a shape of its own comes with its scene."""
    state = sandbox_state()
    bodies = SANDBOX.layout(state)
    assert [each.name for each in bodies] == ["table", "a", "b", "c"]
    assert SANDBOX.home(state, "c").pose == bodies[3].pose
    for one, other in combinations(bodies, 2):
        assert deepest(solids_at(one.piece, one.pose), solids_at(other.piece, other.pose)) <= 2e-5
    with pytest.raises(KeyError):
        SANDBOX.home(state, "shape")


def test_in_the_sandbox_nothing_is_wrong() -> None:
    """SB-1: and nobody is told of pieces that are pushed along."""
    state, after = sandbox_state(), TableScene({}, frozenset({("a", TABLE)}))
    assert SANDBOX.broken(state, "a", (Condition.LAID_FLAT,), NOTHING, after) == ()
    assert SANDBOX.where(state, "a", after) == ""
    assert SANDBOX.covers(state, "a", NOTHING, after) == ()
    assert SANDBOX.fallen(state, "a", NOTHING, after) == ()
    assert not SANDBOX.minds_nudges
