"""After a release, on the scripted world: what falls until all lies still, and what is told of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scripted_world import hold
from test_play_crazy_tower import position
from test_rules_wonky import position as wonky
from test_session_scripted import FOREVER, Played

from teeter.engine.pose import Pose
from teeter.engine.world.body import TABLE
from teeter.games.bausack.game import GAME as BAUSACK
from teeter.games.bausack.state import BausackReason, Phase
from teeter.games.core.events import Fell, HitNeighbour, Measured, Placed, Released, Rested, TimeUp
from teeter.games.core.rules import Take, Wait
from teeter.games.crazy_tower.game import GAME as CRAZY
from teeter.games.crazy_tower.state import CrazyReason, Floor
from teeter.games.game import stock_of
from teeter.games.judge import places
from teeter.games.play.table import STRIDE_STEPS
from teeter.games.wonky.game import GAME as WONKY
from teeter.games.wonky.state import PlayCard


def fall(played: Played, piece: str, seconds: float) -> int:
    """The piece drops by 30 mm so long from now, having slid a little all the while; the step at which it is down."""
    table = played.session.table
    now, pose = table.step, table.bodies[piece].pose
    x, y, z = pose.position
    down = now + round(seconds * table.rate)
    slid, low = ((x + 0.03, y, z - lower) for lower in (0.0, 0.03))
    played.paths[piece] = [
        (now, pose),
        (down - 20, Pose(slid, pose.orientation)),
        (down, Pose(low, pose.orientation)),
    ]
    return down


def test_ALL_2_what_falls_at_different_times_is_told_together_when_all_lies_still() -> None:
    """ALL-2, CT-20: two blocks without a card are no collapse, whichever of them was down first."""
    one, other = "green_o4", "green_i3"
    played = Played(CRAZY, position(Floor("card_01", (one, other))))
    session = played.session
    session.act(Take("Ana", "red_i1"))
    first, last = fall(played, one, 0.3), fall(played, other, 1.2)
    session.release()
    session.settle()
    assert [type(given) for given in played.heard[:3]] == [Take, Released, Fell]
    falls = [given for given in played.heard if isinstance(given, Fell)]
    assert [given.pieces for given in falls] == [tuple(sorted((one, other)))]
    assert first < last < falls[0].step
    assert {each.piece for each in session.state.fallen} == {one, other}
    session.close()


def test_WK_13_what_has_happened_while_a_tower_was_watched_is_a_moment_to_come_back_to() -> None:
    """WK-13, ALL-6: after an action card nothing was touched, but time has passed, and blocks may have crept."""
    played = Played(WONKY, wonky("pass pass any_small any_small", "pass", tower=2))
    session = played.session
    first = session.checkpoint
    top = session.state.tower[-1]
    pose, now = session.table.bodies[top].pose, session.table.step
    x, y, z = pose.position
    crept = Pose((x + 5e-4, y, z), pose.orientation)
    played.paths[top] = [(now, pose), (now + 40, crept)]
    session.act(next(each.action for each in session.choices if isinstance(each.action, PlayCard)))
    waits: Wait = session.need.wait
    assert waits == Wait.REST
    assert session.checkpoint is first, "nothing is decided while things may move (ALL-2)"
    session.settle()
    after: Wait = session.need.wait
    assert after == Wait.ACTION
    assert session.checkpoint.step == session.table.step > first.step
    assert session.checkpoint.state == session.state
    assert session.checkpoint.moment.bodies[top].pose == crept
    session.close()


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5, 239])
def test_CT_39_no_less_time_passes_than_a_player_has_thought(steps: int) -> None:
    """CT-37 to CT-39: in the beat in which the table is looked at."""
    played = Played(CRAZY, position(Floor("card_01"), challenge=9))
    session = played.session
    before = session.table.step
    session.wait(steps)
    assert session.table.step % STRIDE_STEPS == 0
    assert before + steps <= session.table.step < before + steps + 2 * STRIDE_STEPS
    assert session.checkpoint.step == session.table.step
    with pytest.raises(ValueError, match="0 steps of thinking: one at least"):
        session.wait(0)
    session.close()


def test_CT_39_a_game_that_is_over_is_not_over_time_once_more() -> None:
    """CT-37 to CT-39: whoever still looks at the table loses nothing by it."""
    played = Played(CRAZY, position(Floor("card_01"), challenge=9))
    session = played.session
    session.act(Take("Ana", "red_i1"))
    session.undo()
    for _ in range(2):
        session.wait(61 * session.table.rate)
        assert session.outcome is not None
        assert session.outcome.reason is CrazyReason.ONE_MINUTE
    assert sum(isinstance(given, TimeUp) for given in played.heard) == 1
    session.close()


@pytest.mark.parametrize("yes", [True, False])
def test_BS_21_how_tall_a_tower_is_the_table_says_and_not_the_referee(yes: bool) -> None:
    """BS-21: Ben has a cube on his base, and wins, whatever anybody says."""
    fresh = BAUSACK.rules.start(("Ana", "Ben"), 1, {"tallest": True}, stock_of(BAUSACK))
    towers = (("base_1",), ("base_2", "cube"))
    played = Played(BAUSACK, replace(fresh, towers=towers, supply=(), phase=Phase.MEASURE))
    session = played.session
    assert session.need.wait is Wait.ANSWER
    table = session.table
    base, cube = table.bodies["base_2"], table.bodies["cube"]
    x, y, _ = base.pose.position
    height = float(base.piece.extents[2] + cube.piece.extents[2] / 2)
    table.put(cube.at(Pose((x, y, height), cube.pose.orientation)))
    session.answer(yes)
    (measured,) = played.heard
    assert isinstance(measured, Measured)
    assert measured.heights_mm[1] > measured.heights_mm[0]
    assert session.outcome is not None
    assert session.outcome.winners == ("Ben",)
    session.close()


def test_a_session_that_is_closed_gives_back_what_it_took(monkeypatch: pytest.MonkeyPatch) -> None:
    trimmed: list[bool] = []
    monkeypatch.setattr("teeter.games.play.session.trim_heap", lambda: trimmed.append(True))
    session = Played(CRAZY, position(Floor("card_01"))).session
    session.close()
    with pytest.raises(RuntimeError, match="this world is closed"):
        session.table.world.read()
    assert trimmed == [True]


@pytest.mark.parametrize(
    ("seats", "touches", "told", "reason"),
    [
        (2, ["base_1"], [Placed, Measured], None),
        (2, [TABLE], [Fell], BausackReason.LAST_STANDING),
        (2, ["base_1", "base_2"], [HitNeighbour], BausackReason.LAST_STANDING),
        (3, ["base_1", "base_2"], [HitNeighbour, Rested, Rested, Measured], None),
    ],
)
def test_BS_21_heights_are_read_after_what_was_laid_or_fell_as_long_as_the_game_goes_on(
    seats: int, touches: list[str], told: list[type], reason: BausackReason | None
) -> None:
    """BS-21, BS-03, BS-08: the cube lies well; on the table; or against Ben's tower as well."""
    fresh = BAUSACK.rules.start(("Ana", "Ben", "Cem")[:seats], 1, {}, stock_of(BAUSACK))
    towers = tuple((f"base_{number}",) for number in range(1, seats + 1))
    used = {"cube", *(name for tower in towers for name in tower)}
    supply = tuple(name for name in fresh.supply if name not in used)
    state = replace(fresh, towers=towers, supply=supply, phase=Phase.SETTLE, piece="cube")
    played = Played(BAUSACK, state)
    session, now = played.session, played.session.table.step
    played.holds += [hold(base, TABLE, now, FOREVER) for (base,) in towers]
    played.holds += [hold("cube", other, now, FOREVER) for other in touches]
    session.settle()
    assert [type(given) for given in played.heard] == told
    assert (None if session.outcome is None else session.outcome.reason) == reason
    if HitNeighbour in told:
        hit = played.heard[0]
        assert isinstance(hit, HitNeighbour)
        assert (hit.piece, hit.owner) == ("cube", "Ben")
    if Measured in told:
        standing = [
            1e3 * places.highest(session.table.bodies[name]) for name in ("base_1", "base_2", "base_3")
        ]
        cube = 1e3 * places.highest(session.table.bodies["cube"])
        heights = [cube, standing[1]] if seats == 2 else [0.0, *standing[1:]]
        assert session.state.heights_mm == pytest.approx(heights)
    session.close()
