"""Handicaps that belong to the hand (CT-40 to CT-50), tremor, and the time of a challenge, on the table without a
window; and what a held piece does that counts (BS-08)."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from multiprocessing import Pipe
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.hand import BALANCE_TIME_S, SHOULDER_HEIGHT, StiffArm, packed, unpacked
from teeter.engine.pose import Pose
from teeter.engine.record.reader import load
from teeter.engine.view.panels import Text
from teeter.engine.world.body import TABLE
from teeter.games.bausack.state import IN
from teeter.games.core.events import Condition, Fell, Placed
from teeter.games.core.rules import Handicap, Input, Take, Wait
from teeter.games.crazy_tower.game import GAME
from teeter.games.crazy_tower.state import CrazyReason, RevealCard
from teeter.games.play.held_piece import Handling
from teeter.games.play.playback import verify
from teeter.games.play.recording import begin
from teeter.games.play.session import Session
from teeter.games.players import bots as players
from teeter.games.players.bots import bots_of, lay, play
from teeter.games.present.client_state import ClientState
from teeter.games.present.details import details_of
from teeter.games.registry import GAMES
from teeter.games.server import messages
from teeter.games.server.physics import Abandoned, PhysicsServer
from teeter.games.server.protocol import Pause

BY_NAME = {game.name: game for game in GAMES}
RATE = 240
START = packed(Pose((0.1, -0.2, 0.05)))


def solo(challenge: int, tremor: float = 0.0, told: list[Input] | None = None) -> Session:
    """A challenge with one colour."""
    options: dict[str, object] = {"mode": "solo", "challenge": challenge}
    # some challenges want more colours; those here do not
    options["colour_count"] = 1
    tell = [lambda before, given, after: told.append(given)] if told is not None else []
    return begin(BY_NAME["crazy-tower"], ("bot:steady",), 2, options, tremor=tremor, tell=tell)[0]


def taken(session: Session, piece: str = "") -> Pose:
    """Take up a piece, the first there is if none is named; where the hand holds it."""
    takes = [each.action for each in session.choices if isinstance(each.action, Take)]
    session.act(next(take for take in takes if piece in ("", take.piece)))
    return session.table.hand.target


def hold(session: Session, x: float, y: float, z: float, steps: int) -> NDArray[np.float64]:
    """Aim at one place all the time; where the piece was (steps, 3), metres."""
    held, turned = session.table.hand.held, session.table.hand.target.orientation
    assert held is not None
    found = []
    for _ in range(steps):
        if session.table.hand.held is None:
            break
        session.aim(packed(Pose((x, y, z), turned)))
        found.append(session.table.world.pose(held).position)
    return np.array(found)


def lift(session: Session, height: float) -> tuple[float, float, float]:
    """Lift the held piece straight up, 0.1 m/s; where the hand is then."""
    x, y, z = session.table.hand.target.position
    for step in range(1, int(height * 2400) + 1):
        hold(session, x, y, z + step / 2400, 1)
    return x, y, z + height


def touched(session: Session, held: str) -> set[str]:
    return {name for pair in session.table.touching if held in pair for name in pair}


def offsets(handling: Handling, seconds: float, begin_s: float = 0.0) -> NDArray[np.float64]:
    """What is added to one and the same wish, (steps, 3), metres."""
    handling.taken(0, Pose((0.1, -0.2, 0.05)))
    steps = range(int(begin_s * RATE), int((begin_s + seconds) * RATE))
    return np.array(
        [np.subtract(unpacked(handling.of(START, step, RATE)).position, (0.1, -0.2, 0.05)) for step in steps]
    )


@pytest.fixture
def wonky_session() -> Iterator[Session]:
    session = begin(BY_NAME["wonky"], ("Ana", "Ben"), 1, {})[0]
    yield session
    session.close()


def test_a_calm_hand_without_a_challenge_does_what_is_wanted() -> None:
    handling = Handling(Handicap(), 0.0, 1)
    handling.taken(0, Pose((0.1, -0.2, 0.05)))
    assert handling.of(START, 77, RATE) == START


def test_a_wish_that_leaps_is_followed_as_fast_as_people_reach() -> None:
    """Otherwise a hand throws: 6 N on a cube of 3 g are 9 m/s after one step."""
    session = solo(1)
    taken(session, "red_i1")
    x, y, z = lift(session, 0.04)
    found = hold(session, 0.5 * x, y, z, 60)
    speeds = np.linalg.norm(np.diff(found, axis=0), axis=1) * RATE
    assert 1.9 < speeds.max() < 4.0  # a light piece overshoots in the first steps
    assert session.table.hand.held == "red_i1"
    assert found[-1] == pytest.approx((0.5 * x, y, z), abs=1e-3)
    session.close()


def test_tremor_is_as_large_as_asked_and_differs_with_the_seed() -> None:
    found = offsets(Handling(Handicap(), 0.001, 1), 20.0)
    assert np.sqrt((found**2).mean(axis=0)) == pytest.approx([0.001] * 3, rel=0.15)
    assert not np.allclose(found, offsets(Handling(Handicap(), 0.001, 2), 20.0))


def test_CT_40_the_other_hand_trembles_twice_as_much() -> None:
    session = solo(10, tremor=0.001)
    plain = solo(1, tremor=0.001)
    assert bots_of(session, 1)["steady"].tremor.size == 2 * bots_of(plain, 1)["steady"].tremor.size
    twice, once = offsets(session.handling, 2.0), offsets(plain.handling, 2.0)
    assert np.abs(twice - 2 * once).max() < 3e-6  # targets are whole micrometres
    session.close()
    plain.close()


@pytest.mark.parametrize(("challenge", "size", "period", "axes"), [(11, 0.008, 5.0, 2), (15, 0.016, 3.0, 1)])
def test_CT_41_CT_45_the_hand_sways_with_the_body(
    challenge: int, size: float, period: float, axes: int
) -> None:
    """CT-41, CT-45: the piece in the hand goes to and fro, though the player wants it to stay."""
    session = solo(challenge)
    taken(session)
    x, y, z = lift(session, 0.05)
    found = hold(session, x, y, z, int(period * RATE))
    reach = np.ptp(found, axis=0) / 2
    assert reach[0] == pytest.approx(size, rel=0.05)
    assert bool(reach[1] > 0.3 * size) is (axes == 2)
    assert reach[2] < 1e-3
    session.close()


@pytest.mark.slow
@pytest.mark.parametrize(("challenge", "most"), [(11, 2.5e-3), (15, 6e-3)])
def test_CT_41_CT_45_players_make_up_for_the_swaying_they_felt(challenge: int, most: float) -> None:
    """By reacting after 0.15 s, 2 sin(pi 0.15 / period) of the swaying is left, 1.5 and 5 mm: without, 8 and 16."""
    session = solo(challenge)
    bot = bots_of(session, 2)["steady"]
    session.act(bot.choose(session, session.need))
    held, goal = session.need.pieces[0], bot.place(session, session.need)
    lay(session, bot, session.need)
    session.settle()
    off = np.subtract(session.table.bodies[held].pose.position, goal.position)
    assert np.linalg.norm(off[:2]) < most
    session.close()


def test_CT_46_without_thumbs_a_piece_slips_that_a_hand_would_hold() -> None:
    for challenge, is_held in ((1, True), (16, False)):
        session = solo(challenge)
        x, y, z = taken(session).position
        for step in range(40):
            # pressed upon the table, the piece stays behind
            if session.table.hand.held is not None:
                hold(session, x, y, z - 4e-4 * step, 1)
        assert (session.table.hand.held is not None) is is_held
        session.close()


def test_CT_47_the_hand_wobbles_for_five_seconds_after_a_new_card() -> None:
    handling = Handling(Handicap(spins=3, wobble_s=5.0), 0.0, 1, spins=GAME.handicaps.spins)
    lower, higher = SimpleNamespace(card="card_01"), SimpleNamespace(card="")
    assert np.abs(offsets(handling, 1.0)).max() < 1e-9
    handling.follow(lower, higher, 2 * RATE)
    handling.follow(higher, higher, 3 * RATE)
    wobble = np.abs(offsets(handling, 5.0, 2.0))
    assert wobble[:RATE].max() > 0.003
    assert wobble[-RATE // 2 :].max() < 0.001
    assert np.abs(offsets(handling, 1.0, 7.01)).max() < 1e-9


def test_CT_42_a_straight_arm_goes_along_an_arc_until_the_body_has_come_after_it() -> None:
    """The hand is as far from the shoulder as the arm is long, wherever it is wanted."""
    start, length = np.array([0.1, -0.2, 0.05]), 0.6
    arm = StiffArm(length, start)
    assert np.linalg.norm(start - arm.shoulder) == pytest.approx(length)
    assert arm.shoulder[2] == SHOULDER_HEIGHT
    assert arm.at(start, RATE) == pytest.approx(start, abs=1e-12)
    # lifted by 100 mm in a tenth of a second: the arc first carries the hand away from the body
    rise = np.array([0.0, 0.0, 0.1])
    wishes = [start + min(1.0, 10.0 * step / RATE) * rise for step in range(2 * RATE)]
    found, shoulders = [], []
    for wish in wishes:
        found.append(arm.at(wish, RATE))
        shoulders.append(arm.shoulder)
    ways = np.linalg.norm(np.array(found) - shoulders, axis=1)
    assert ways == pytest.approx(np.full(len(ways), length), abs=1e-12)
    assert 0.01 < (np.array(found)[:, 1] - start[1]).max() < 0.05
    assert found[-1] == pytest.approx(start + rise, abs=1e-6)


def test_CT_42_the_body_goes_along_with_what_is_slow_and_even() -> None:
    """Critically damped, a change of speed by v leaves the shoulder behind by v t exp(-t / T)."""
    start, speed = np.array([0.0, 0.0, 0.1]), np.array([0.03, 0.0, 0.0])
    arm = StiffArm(0.6, start)
    for step in range(1, RATE + 1):
        arm.at(start + speed * step / RATE, RATE)
        seconds = step / RATE
        behind = start[0] + speed[0] * seconds - arm.shoulder[0]
        assert behind == pytest.approx(speed[0] * seconds * math.exp(-seconds / BALANCE_TIME_S), abs=1e-12)


def test_CT_42_in_a_game_the_hand_swings_aside_and_comes_back() -> None:
    session = solo(12)
    taken(session, "red_i1")
    x, y, z = session.table.hand.target.position
    found = [hold(session, x, y, z + step / RATE, 1)[0] for step in range(1, RATE // 10 + 1)]
    off = np.array(found)[:, 1] - y
    assert 0.005 < off.max() < 0.05
    assert hold(session, x, y, z + 0.1, 2 * RATE)[-1] == pytest.approx((x, y, z + 0.1), abs=5e-4)
    session.close()


def test_CT_49_both_hands_rise_together() -> None:
    session = solo(19)
    taken(session)
    x, y, z = lift(session, 0.25)
    assert z > 0.25
    assert hold(session, x, y, z, 60)[-1, 2] == pytest.approx(z, abs=5e-4)
    session.close()


@pytest.mark.parametrize(("asked", "reached"), [(45.0, 45.0), (-90.0, -90.0), (170.0, 90.0), (-120.0, -90.0)])
def test_CT_49_wrists_that_stay_together_turn_slowly_and_not_far(asked: float, reached: float) -> None:
    handling = Handling(Handicap(reach_mm=150.0), 0.0, 1)
    start = Pose((0.1, 0.0, 0.3))
    handling.taken(0, start)
    wanted = packed(Pose(start.position, quaternion_of_rpy(0.0, 0.0, math.radians(asked))))
    turned = []
    for step in range(1, 2 * RATE):
        found = unpacked(handling.of(wanted, step, RATE))
        assert found.position == pytest.approx(start.position, abs=1e-6)
        turned.append(math.degrees(2.0 * math.atan2(found.orientation[2], found.orientation[3])))
    assert turned[-1] == pytest.approx(reached, abs=0.1)
    # a second for a radian
    assert abs(turned[RATE // 2]) == pytest.approx(min(abs(reached), math.degrees(0.5)), abs=0.5)


def test_CT_40_a_hand_that_never_trembles_does_with_the_other_hand() -> None:
    session = solo(10)
    found = offsets(session.handling, 5.0)
    assert np.sqrt((found**2).mean(axis=0)) == pytest.approx([0.002] * 3, rel=0.3)
    session.close()


@pytest.mark.slow
@pytest.mark.parametrize(("drop", "is_high_enough"), [(players.DROP, True), (0.012, False)])
def test_CT_50_a_card_is_dropped_from_above(
    drop: float, is_high_enough: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CT-50: one that is let go too low is taken up and laid again (ALL-9)."""
    monkeypatch.setattr(players, "DROP", drop)
    told: list[Input] = []
    session = solo(20, told=told)
    bot = bots_of(session, 2)["steady"]
    while not session.state.floors[0].blocks:
        play(session, {"steady": bot}, session.turns + 1)
        if session.need.wait is not Wait.ACTION:
            lay(session, bot, session.need)
            session.settle()
    session.act(RevealCard(session.need.player))
    card = session.state.card
    taken(session, card)
    lay(session, bot, session.need)
    session.settle()
    broken = [each.broken for each in told if isinstance(each, Placed) and each.piece == card]
    assert broken == [() if is_high_enough else (Condition.DROPPED_FROM_ABOVE,)]
    assert (session.state.card == card) is not is_high_enough
    session.close()


@pytest.mark.parametrize("is_in_the_air", [True, False])
def test_CT_39_the_time_runs_from_the_first_grab(is_in_the_air: bool) -> None:
    session = solo(9)
    assert session.handling.limit_s == 60.0
    session.handling.limit_s = 0.5
    x, y, z = taken(session).position
    hold(session, x, y, z + 0.02, 110)
    assert session.outcome is None
    if is_in_the_air:
        hold(session, x, y, z + 0.02, 20)
    else:
        # what rests when the time is over has not rested within it
        session.release()
        session.settle()
    assert session.outcome is not None
    assert session.outcome.reason is CrazyReason.ONE_MINUTE
    assert session.table.hand.held is None
    session.close()


def test_CT_39_thinking_counts_from_the_first_grab_on(tmp_path: Path) -> None:
    """CT-37 to CT-39: time passes while a player thinks and nothing moves; a later grab begins no new minute."""
    path = tmp_path / "a.teeter"
    options: dict[str, object] = {"mode": "solo", "challenge": 9}
    session, recorder = begin(BY_NAME["crazy-tower"], ("Ana",), 1, options, path=path)
    assert recorder is not None
    session.wait(10 * RATE)
    assert session.left_s is None, "no clock before the first grab"
    taken(session)
    lift(session, 0.02)
    with pytest.raises(ValueError, match="with an empty hand"):
        session.wait(RATE)
    session.undo()
    left, before = session.left_s, dict(session.table.scene().bodies)
    assert left is not None
    assert 58.0 < left < 60.0
    session.wait(40 * RATE)
    assert session.left_s == pytest.approx(left - 40.0, abs=0.05)
    for name, body in session.table.bodies.items():
        assert body.pose.position == pytest.approx(before[name].pose.position, abs=1e-6), "nothing has moved"
    taken(session)
    session.undo()
    assert session.left_s == pytest.approx(left - 40.0, abs=0.2), "the second grab begins no new minute"
    session.wait(15 * RATE)
    assert session.outcome is None
    session.wait(5 * RATE)
    assert session.outcome is not None
    assert session.outcome.reason is CrazyReason.ONE_MINUTE
    recorder.close(session.summary())
    session.close()
    assert verify(path).agrees


def test_CT_39_at_the_window_the_clock_runs_while_a_person_thinks() -> None:
    """CT-37 to CT-39: the window is told the seconds that are left, and the game is lost when they are over."""
    line, other = Pipe()
    plan = messages.Plan("crazy-tower", ("Ana",), 1, {"mode": "solo", "challenge": 9})
    server = PhysicsServer(other, plan)
    server.session.handling.limit_s = 2.5
    worker = Thread(target=run, args=(server,), daemon=True)
    worker.start()

    def hear(until: Callable[[messages.News], bool]) -> list[messages.News]:
        heard: list[messages.News] = []
        end = time.monotonic() + 60.0
        while not heard or not until(heard[-1]):
            assert line.poll(max(end - time.monotonic(), 0.0)), "the physics does not say it"
            heard.append(line.recv())
        return heard

    def waits(news: messages.News) -> bool:
        return isinstance(news, messages.Waits)

    hear(waits)
    line.send(messages.Do(Take("Ana", "red_i1")))
    hear(waits)
    line.send(messages.Act.UNDO)
    hear(waits)
    # longer than what is left: nobody thinks while the clock stands still
    line.send(Pause(True))
    time.sleep(3.0)
    line.send(Pause(False))
    said = hear(lambda news: isinstance(news, messages.GameUpdate) and news.event == "TimeUp")
    left = [news.left_s for news in said if isinstance(news, messages.TableView)]
    assert len(left) >= 2
    assert all(later < earlier for earlier, later in pairwise(cast(list[float], left)))
    assert server.session.outcome is not None
    assert server.session.outcome.reason is CrazyReason.ONE_MINUTE
    line.send(messages.Act.QUIT)
    worker.join(60.0)
    assert not worker.is_alive()


def run(server: PhysicsServer) -> None:
    with contextlib.suppress(Abandoned):
        server.run()
    server.session.close()


@pytest.mark.parametrize(
    ("left", "shown"), [(None, "3:00 left"), (179.2, "3:00 left"), (59.9, "1:00 left"), (8.1, "0:09 left")]
)
def test_CT_37_the_clock_is_shown(left: float | None, shown: str) -> None:
    def shown_in(number: int) -> list[str]:
        session = solo(number)
        bodies = tuple(session.table.bodies.values())
        client = ClientState(
            messages.Plan("crazy-tower", ("Ana",), 1), GAME, session.state, bodies, time.perf_counter
        )
        client.view = messages.TableView(0, RATE, (), np.zeros((0, 7)), left_s=left)
        return [each.text for each in details_of(GAME).items(client) if isinstance(each, Text)]

    assert shown_in(7)[-1] == shown
    assert "left" not in shown_in(1)[-1]


def test_nobody_thinks_for_no_time(wonky_session: Session) -> None:
    with pytest.raises(ValueError, match="0 steps of thinking: one at least"):
        wonky_session.wait(0)
    wonky_session.wait(RATE)
    assert wonky_session.left_s is None
    assert wonky_session.outcome is None


def test_a_game_of_trembling_hands_agrees_with_its_record(tmp_path: Path) -> None:
    path = tmp_path / "a.teeter"
    options: dict[str, object] = {"mode": "solo", "colour_count": 1}
    session, recorder = begin(BY_NAME["crazy-tower"], ("Ana",), 1, options, tremor=0.002, path=path)
    assert recorder is not None
    taken(session)
    lift(session, 0.02)
    session.release()
    session.settle()
    recorder.close(session.summary())
    session.close()
    assert load(path).meta.settings == {"contacts": "rigid", "tremor_mm": 2.0}
    assert verify(path).agrees


def test_a_tremor_that_no_hand_has() -> None:
    with pytest.raises(ValueError, match="a tremor of 30 mm: a hand shakes by 0 to 20 mm"):
        solo(1, tremor=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("is_lifted", [True, False])
def test_BS_08_a_held_piece_counts_from_when_it_was_lifted(is_lifted: bool) -> None:
    """BS-08: back on the table before it was let go it is a collapse; while it still lies in the supply it is none."""
    told: list[Input] = []
    names = ("bot:steady", "bot:steady")
    session: Session = begin(
        BY_NAME["bausack"], names, 2, {"pieces": 10}, tell=[lambda before, given, after: told.append(given)]
    )[0]
    bots: dict[str, Any] = bots_of(session, 2)
    while not (session.need.wait is Wait.HAND and session.state.towers[session.state.actor]):
        play(session, bots, session.turns + 1)
        if session.need.wait is Wait.HAND and not session.state.towers[session.state.actor]:
            lay(session, bots[session.need.player], session.need)
    seat, held = session.state.actor, session.table.hand.held
    assert held is not None
    told.clear()
    x, y, z = lift(session, 0.012 if is_lifted else 0.0)
    assert not is_lifted or TABLE not in touched(session, held)
    for step in range(160):
        if session.table.hand.held is not None:
            hold(session, x, y, z - 1e-4 * step, 1)
    assert is_lifted or TABLE in touched(session, held)
    assert [each.pieces for each in told if isinstance(each, Fell)] == ([(held,)] if is_lifted else [])
    assert (session.state.out[seat] == IN) is not is_lifted
    session.close()
