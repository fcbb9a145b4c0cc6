"""The table of a game on the scripted world: when it is looked at, and how what is drawn out rubs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pytest
from scripted_world import Hold, Keyframes, ScriptedWorld, hold

from teeter.engine.bench.rigs import piece, table, wood
from teeter.engine.events import Moved
from teeter.engine.hand import packed
from teeter.engine.pose import Pose
from teeter.engine.world.body import TABLE, Body, Scale
from teeter.games.play.table import STRIDE_STEPS, Table

BLOCK = piece(wood(), box=(40, 40, 20))
FOREVER = 10**9


class Scripted:
    """Two blocks one upon the other."""

    def __init__(self) -> None:
        self.paths: dict[str, Keyframes] = {}
        self.holds: list[Hold] = []
        self.seen: list[int] = []
        bodies = (
            table(),
            *(Body(name, BLOCK, Pose((0.0, 0.0, z))) for name, z in (("low", 0.01), ("top", 0.03))),
        )
        self.table = Table(
            bodies,
            Scale.of(bodies),
            sink=self._see,
            make_world=partial(ScriptedWorld, paths=self.paths, holds=self.holds),
        )
        self.seen.clear()

    def _see(self, step: int, bodies: Mapping[str, Body]) -> None:
        self.seen.append(step)

    def hold_still(self, steps: int) -> None:
        """The hand stays where it is for so long."""
        for _ in range(steps):
            self.table.aim(packed(self.table.hand.target))

    def friction(self) -> list[tuple[str, float]]:
        """What the world was told of it so far."""
        world = self.table.world
        assert isinstance(world, ScriptedWorld)
        found = [call.arguments for call in world.calls if call.method == "set_friction"]
        return [(str(name), float(times)) for name, times in found]


@pytest.mark.parametrize("steps", [40, 41, 42, 43])
def test_a_table_is_looked_at_in_one_beat_whenever_the_hand_lets_go(steps: int) -> None:
    """Sixty times a second: a recording has no more frames, and no fewer."""
    scripted = Scripted()
    laid = scripted.table
    laid.grab("top")
    scripted.hold_still(steps)
    laid.release()
    laid.run_to_rest()
    first, last = scripted.seen[0], scripted.seen[-1]
    assert scripted.seen == list(range(first, last + 1, STRIDE_STEPS))
    assert first % STRIDE_STEPS == 0
    assert last == laid.step
    assert len(scripted.seen) > 20
    laid.close()


def test_a_push_and_a_tilt_are_looked_at_in_the_same_beat() -> None:
    scripted = Scripted()
    laid = scripted.table
    begun = laid.step
    laid.shove("top", 0.1, 0.0)
    laid.tilt(0.01, 0.0)
    first, last = scripted.seen[0], scripted.seen[-1]
    assert scripted.seen == list(range(first, last + 1, STRIDE_STEPS))
    assert begun < first <= begun + STRIDE_STEPS
    laid.close()


@pytest.mark.parametrize("is_drawn_out", [True, False])
def test_TT_24_what_is_drawn_out_rubs_like_any_other_once_it_touches_nothing(
    is_drawn_out: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TT-24: while it is held already, for it may be laid against something; else when it is let go. Told once."""
    scripted = Scripted()
    laid = scripted.table
    monkeypatch.setattr(laid, "friction_of", lambda name: 0.25)
    now = laid.step
    scripted.holds += [
        hold("low", TABLE, now, FOREVER),
        hold("top", "low", now, now + 60 if is_drawn_out else FOREVER),
    ]
    laid.rest_here()
    assert ("low", "top") in laid.touching
    laid.grab("top")
    assert scripted.friction() == [("top", 0.25)]
    scripted.hold_still(20)
    assert scripted.friction() == [("top", 0.25)]
    scripted.hold_still(60)
    assert scripted.friction() == [("top", 0.25), ("top", 1.0)][: 1 + is_drawn_out]
    laid.release()
    laid.run_to_rest()
    assert scripted.friction() == [("top", 0.25), ("top", 1.0)]
    laid.close()


def test_what_rubs_as_it_is_is_not_told_to_the_world(monkeypatch: pytest.MonkeyPatch) -> None:
    scripted = Scripted()
    monkeypatch.setattr(scripted.table, "friction_of", lambda name: 1.0)
    scripted.table.grab("top")
    scripted.hold_still(20)
    scripted.table.release()
    assert scripted.friction() == []
    scripted.table.close()


def test_who_comes_back_to_a_moment_leaves_no_world_behind_and_knows_what_touches() -> None:
    scripted = Scripted()
    laid = scripted.table
    now = laid.step
    scripted.holds += [hold("low", TABLE, now, FOREVER), hold("top", "low", now, FOREVER)]
    laid.rest_here()
    old, moment = laid.world, laid.remember()
    laid.restore(moment)
    with pytest.raises(RuntimeError, match="this world is closed"):
        old.read()
    assert laid.touching == (("low", TABLE), ("low", "top"))
    assert laid.step == now + STRIDE_STEPS
    assert laid.advance() == (), "what lay together touches no more than before"
    laid.close()


def test_a_run_to_rest_may_be_ended_by_what_happens() -> None:
    scripted = Scripted()
    laid = scripted.table
    laid.advance()
    now = laid.step
    scripted.paths["top"] = [(now, laid.bodies["top"].pose), (now + 400, Pose((0.1, 0.0, 0.03)))]
    laid.run_to_rest(lambda events: any(isinstance(event, Moved) for event in events))
    assert now < laid.step <= now + 2 * STRIDE_STEPS
    laid.run_to_rest()
    assert laid.step > now + 400
    laid.close()


@pytest.mark.parametrize(("moves_s", "waits_s"), [(1.0, 1.5), (4.0, 4.5), (9.9, 10.0), (30.0, 10.0)])
def test_ALL_2_rest_is_waited_for_ten_seconds_and_no_longer(moves_s: float, waits_s: float) -> None:
    """ALL-2: then the table is judged as it lies."""
    scripted = Scripted()
    laid = scripted.table
    laid.advance()
    now, moves = laid.step, round(moves_s * laid.rate)
    scripted.paths["top"] = [(now, laid.bodies["top"].pose), (now + moves, Pose((0.05 * moves_s, 0.0, 0.03)))]
    laid.run_to_rest()
    assert laid.step == pytest.approx(now + waits_s * laid.rate, abs=0.2 * laid.rate if moves_s < 9.0 else 0)
    laid.close()
