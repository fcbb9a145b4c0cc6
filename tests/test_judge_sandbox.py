"""The judge of the sandbox: pieces are laid out, and nothing that happens is wrong."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from teeter.engine.geometry.convex import deepest, solids_at
from teeter.engine.hand import packed
from teeter.engine.pose import Pose, vector_of
from teeter.engine.world.body import TABLE, Scale
from teeter.games.core.events import Condition
from teeter.games.core.rules import Take
from teeter.games.judge.judge import TableScene
from teeter.games.play.preview import Previewer
from teeter.games.registry import game_named
from teeter.games.sandbox import rules as free
from teeter.games.sandbox.judge import SandboxJudge
from teeter.games.server.inventory import Inventory
from teeter.games.server.messages import Plan
from teeter.games.server.setup import open_game

SANDBOX = SandboxJudge()
NOTHING = TableScene({})
PIECE = """
[[piece]]
id = "{}"
shape = {{ box = [30, 30, 30] }}
position = [{}, 0, 15]
"""


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
    assert not Inventory.minds_nudges


def test_in_the_sandbox_one_piece_is_pushed_with_another(tmp_path: Path) -> None:
    """SB-1: at a table that is played at, too, whose judge knows what a scene has laid there."""
    file = tmp_path / "apart.toml"
    file.write_text("teeter = 1\n" + "".join(PIECE.format(*row) for row in (("a", 0), ("b", 60), ("c", 95))))
    plan = Plan("sandbox", ("Ana",), 1, scene=str(file))
    active = open_game(plan, lambda *_: None, lambda *_: None, lambda *_: None)
    session = active.session
    takes = [choice.action for choice in session.choices if isinstance(choice.action, Take)]
    session.act(next(take for take in takes if take.piece == "a"))
    at, heard = np.array(session.table.bodies["a"].pose.position), session.state
    for way in ((0.0, 0.0, 0.005), (0.06, 0.0, 0.0)):
        end = at + way
        while (far := float(np.linalg.norm(end - at))) > 1e-9:
            at = at + (end - at) * min(1.0, 3e-4 / far)
            session.aim(packed(Pose(vector_of(at))))
    moved = session.table.bodies["c"].pose.position[0] - 0.095
    active.close()
    assert session.state != heard, "nobody was told that they met"
    assert moved > 0.01


def test_the_coach_tries_a_place_in_steps_as_fine_as_those_of_the_game() -> None:
    """SB-1: an arch that stands on the table stands where it is only tried, too."""
    assert SANDBOX.is_fine == Inventory.is_fine
    bodies = SANDBOX.layout(sandbox_state())
    previewer = Previewer(game_named("sandbox"))
    assert previewer._laid(bodies).rate == Scale.of(bodies).finer.rate
    previewer.close()
