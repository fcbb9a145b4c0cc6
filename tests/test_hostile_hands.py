"""Who looks for a hole: nobody is out, draws cards or gains by an act that the document forbids to another."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from teeter.engine.hand import packed
from teeter.engine.pose import Pose
from teeter.games.bausack.game import GAME as BAUSACK
from teeter.games.bausack.judge import areas
from teeter.games.bausack.rules import start
from teeter.games.bausack.state import IN, Build, Phase, Push
from teeter.games.core.events import Condition, CountElapsed, Fell, HitNeighbour, Met, Placed
from teeter.games.core.rules import Action, Input, Take, Wait
from teeter.games.crazy_tower.game import GAME as CRAZY
from teeter.games.crazy_tower.rules import start as crazy_start
from teeter.games.crazy_tower.state import Floor, Stock
from teeter.games.game import stock_of
from teeter.games.judge import places
from teeter.games.play.held_piece import MAX_HEIGHT
from teeter.games.play.recording import begin
from teeter.games.play.session import Session
from teeter.games.players.bots import bots_of, play
from teeter.games.registry import game_named
from teeter.games.wonky.state import PlayCard

pytestmark = pytest.mark.slow
CRAZY_STOCK: Stock = stock_of(CRAZY)
OVER = 0.15
"""Metres above the table at which a piece is carried about."""


def bausack(
    towers: tuple[tuple[str, ...], ...],
    told: list[Input],
    phase: Phase = Phase.CHOOSE,
    piece: str = "",
    options: dict[str, object] | None = None,
) -> Session:
    """Ana is on turn; every tower is a foundation in the middle of its area with its pieces piled on it."""
    names = ["Ana", "Ben", "Cem"][: len(towers)]
    fresh = start(names, 1, options or {}, stock_of(BAUSACK))
    used = {piece, *(name for tower in towers for name in tower)}
    supply = tuple(name for name in fresh.supply if name not in used)
    state = replace(fresh, towers=towers, supply=supply, phase=phase, piece=piece)
    session = Session(BAUSACK, BAUSACK.judge, state, tell=[lambda before, given, after: told.append(given)])
    for seat, tower in enumerate(towers):
        height = 0.0
        for name in tower:
            body = BAUSACK.judge.home(state, name)
            low = float(places.bounds(body.piece, body.pose)[0][2])
            area = areas(state)[seat]
            place = Pose(
                (area.x / 1e3, area.y / 1e3, body.pose.position[2] - low + height), body.pose.orientation
            )
            session.table.put(body.at(place))
            height = float(places.highest(session.table.bodies[name])) + 1e-4
    session.table.run_to_rest()
    session._checkpoints.add(session.state)
    return session


def go(session: Session, x: float, y: float, z: float, speed: float = 0.3) -> None:
    """The hand goes straight there, as long as it holds something; metres, m/s."""
    begun = session.table.hand.target
    way = np.subtract((x, y, z), begun.position)
    steps = max(1, int(float(np.linalg.norm(way)) / speed * session.table.rate))
    for step in range(1, steps + 1):
        if session.table.hand.held is None:
            return
        a, b, c = (np.asarray(begun.position) + way * (step / steps)).tolist()
        session.aim(packed(Pose((a, b, c), begun.orientation)))


def over(session: Session, seat: int, height: float = OVER) -> tuple[float, float, float]:
    area = areas(session.state)[seat]
    return area.x / 1e3, area.y / 1e3, height


def carry_over(session: Session, seat: int) -> None:
    x, y, _ = session.table.hand.target.position
    go(session, x, y, OVER)
    go(session, *over(session, seat))


def lies(session: Session, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: np.asarray(session.table.bodies[name].pose.position) for name in names}


TOWERS = (("base_1", "drum"), ("base_2", "cube"))


@pytest.mark.parametrize("act", [None, Build("Ana", 0), Push("Ana")], ids=["let go", "build", "push"])
@pytest.mark.parametrize("seat", [0, 1], ids=["own", "rival"])
@pytest.mark.sampled(2)
def test_BS_13_a_piece_that_is_only_looked_at_goes_back_before_it_falls(
    seat: int, act: Action | None
) -> None:
    """BS-13, BS-14, BS-18: over whichever tower it is held, and however the look ends."""
    told: list[Input] = []
    session = bausack(TOWERS, told)
    before = lies(session, ("base_1", "drum", "base_2", "cube", "egg"))
    session.act(Take("Ana", "egg"))
    carry_over(session, seat)
    assert session.table.hand.held == "egg"
    if act is None:
        session.release()
    else:
        session.act(act)
    assert session.table.hand.held is None
    session.settle()
    assert not [each for each in told if isinstance(each, (Fell, HitNeighbour, Met))]
    assert session.state.out == (IN, IN)
    for name, place in before.items():
        assert session.table.bodies[name].pose.position == pytest.approx(place, abs=1e-4), name
    assert session.state.phase is {type(None): Phase.CHOOSE, Build: Phase.BID, Push: Phase.RECEIVE}[type(act)]
    session.close()


def test_BS_13_a_look_ends_in_the_supply_when_another_tower_falls_meanwhile() -> None:
    """BS-10: Ben's piece comes down while Ana looks; the egg falls on nobody."""
    told: list[Input] = []
    session = bausack((("base_1", "drum"), ("base_2", "cube"), ("base_3", "step")), told)
    home = session.table.bodies["egg"].pose.position
    session.act(Take("Ana", "egg"))
    carry_over(session, 2)
    area, cube = areas(session.state)[1], session.table.bodies["cube"]
    session.table.put(cube.at(Pose(((area.x + 150.0) / 1e3, area.y / 1e3, 0.05), cube.pose.orientation)))
    go(session, *over(session, 2, OVER + 0.05), speed=0.05)
    session.settle()
    assert [step == IN for step in session.state.out] == [True, False, True]
    assert (session.state.phase, session.state.piece) == (Phase.CHOOSE, "")
    assert session.table.bodies["egg"].pose.position == pytest.approx(home, abs=1e-4)
    session.close()


def test_BS_04_an_accepted_piece_goes_home_when_another_tower_falls_meanwhile() -> None:
    """BS-04: what was not let go was not placed; it is taken up once more."""
    told: list[Input] = []
    towers = (("base_1", "drum"), ("base_2", "cube"), ("base_3", "step"))
    session = bausack(towers, told, Phase.PLACE, "egg")
    session.act(Take("Ana", "egg"))
    carry_over(session, 0)
    area, cube = areas(session.state)[1], session.table.bodies["cube"]
    session.table.put(cube.at(Pose(((area.x + 150.0) / 1e3, area.y / 1e3, 0.05), cube.pose.orientation)))
    go(session, *over(session, 0, OVER + 0.05), speed=0.05)
    session.settle()
    assert [step == IN for step in session.state.out] == [True, False, True]
    assert (session.state.phase, session.table.hand.held) == (Phase.CARRY, "egg")
    assert session.table.bodies["egg"].pose.position[2] < 0.05, "it is taken up where the supply keeps it"
    session.close()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("tower", [("base_1", "drum"), ()], ids=["a piece", "a foundation"])
def test_BS_03_a_throw_at_the_tower_of_another_is_the_thrower_s_collapse(
    players: int, tower: tuple[str, ...]
) -> None:
    """BS-03, BS-05, BS-19: the rival's tower is set up again, and nobody wins by a throw."""
    told: list[Input] = []
    towers = (tower, ("base_2", "pole", "cube"), ("base_3", "step"))[:players]
    session = bausack(towers, told, Phase.PLACE, "base_4")
    rival = lies(session, towers[1])
    session.act(Take("Ana", "base_4"))
    carry_over(session, 0)
    x, y, _ = over(session, 1)
    height = 0.09 if tower else 0.05
    side = 1.0 if areas(session.state)[0].y == areas(session.state)[1].y else 0.0
    away = (-side * np.sign(x - over(session, 0)[0]) * 0.2, -0.2 * (1 - side) * np.sign(y))
    go(session, x + away[0], y + away[1], OVER)
    go(session, x + away[0], y + away[1], height)
    go(session, x + 0.35 * away[0], y + 0.35 * away[1], height, speed=1.5)
    session.release()
    session.settle()
    hits = [each for each in told if isinstance(each, (Fell, HitNeighbour))]
    assert [type(each) for each in hits] == [HitNeighbour], hits
    assert [step == IN for step in session.state.out] == [False, True, True][:players]
    for name, place in rival.items():
        assert session.table.bodies[name].pose.position == pytest.approx(place, abs=3e-4), name
    assert (session.outcome is not None) == (players == 2)
    if session.outcome is not None:
        assert session.outcome.winners == ("Ben",)
    session.close()


def test_BS_03_an_own_piece_that_is_batted_at_another_tower_is_the_owner_s_collapse() -> None:
    """BS-03, BS-05, BS-11: Ana lays her piece well, and has sent her cube through the air at Ben's pole with it."""
    told: list[Input] = []
    session = bausack(
        (("base_1", "cube"), ("base_2", "pole"), ("base_3", "step")), told, Phase.PLACE, "base_4"
    )
    rival, cube = lies(session, ("base_2", "pole")), session.table.bodies["cube"]
    session.act(Take("Ana", "base_4"))
    x, y, _ = session.table.hand.target.position
    go(session, x, y, OVER)
    go(session, *over(session, 0))
    go(session, *over(session, 0, 0.055))
    session.release()
    # as if it had been hit by what the hand held
    x, y, _ = over(session, 1)
    session.table.put(cube.at(Pose((x + 0.05, y, 0.06), cube.pose.orientation)))
    session.table.world.launch("cube", (-1.5, 0.0, 0.0))
    session.settle()
    hits = [each for each in told if isinstance(each, (Fell, HitNeighbour))]
    assert hits == [HitNeighbour(hits[0].step, "cube", "Ben")]
    assert [step == IN for step in session.state.out] == [False, True, True]
    for name, place in rival.items():
        assert session.table.bodies[name].pose.position == pytest.approx(place, abs=3e-4), name
    session.close()


@pytest.mark.parametrize("scatter", [False, True])
def test_BS_03_what_a_piece_thrown_on_the_table_fells_of_others_stands_again(scatter: bool) -> None:
    """BS-03, BS-11: it met the table first, so it is no collapse that scatters; it rolls on all the same. With the
    house rule `scatter` what it fells is down."""
    told: list[Input] = []
    towers = (("base_1", "drum"), ("base_2", "cube"), ("base_3", "step"))
    session = bausack(towers, told, Phase.PLACE, "ball", {"scatter": scatter})
    rival = lies(session, ("base_2", "cube"))
    session.act(Take("Ana", "ball"))
    carry_over(session, 0)
    session.release()
    # the rival's cube comes down after the ball has met the table
    area, cube = areas(session.state)[1], session.table.bodies["cube"]
    session.table.put(cube.at(Pose(((area.x + 150.0) / 1e3, area.y / 1e3, 0.30), cube.pose.orientation)))
    x, y, _ = over(session, 0)
    ball = session.table.bodies["ball"]
    session.table.put(ball.at(Pose((x + 0.15, y, 0.06), ball.pose.orientation)))
    session.settle()
    fallen = [each.pieces for each in told if isinstance(each, Fell)]
    assert fallen == ([("ball",), ("cube",)] if scatter else [("ball",)])
    assert [step == IN for step in session.state.out] == [False, not scatter, True]
    if scatter:
        assert session.outcome is not None
        assert session.outcome.winners == ("Cem",)
        session.close()
        return
    for name, place in rival.items():
        assert session.table.bodies[name].pose.position == pytest.approx(place, abs=3e-4), name
    session.close()


def test_BS_02_a_foundation_that_reaches_out_of_its_square_is_laid_again() -> None:
    told: list[Input] = []
    session = bausack(((), ("base_2",)), told, Phase.PLACE, "base_1")
    session.act(Take("Ana", "base_1"))
    carry_over(session, 0)
    area = areas(session.state)[0]
    edge = area.y / 1e3 - 0.5 * area.side / 1e3
    go(session, area.x / 1e3, edge, OVER)
    go(session, area.x / 1e3, edge, 0.009)
    session.release()
    session.settle()
    assert [each.broken for each in told if isinstance(each, Placed)] != [()]
    assert session.state.out == (IN, IN)
    assert (session.state.phase, session.table.hand.held) == (Phase.CARRY, "base_1")
    go(session, area.x / 1e3, edge, 0.05)
    go(session, area.x / 1e3, area.y / 1e3, 0.05)
    go(session, area.x / 1e3, area.y / 1e3, 0.009)
    session.release()
    session.settle()
    assert session.state.towers[0] == ("base_1",)
    session.close()


def test_BS_05_a_push_too_light_to_be_a_touch_is_refused_as_one() -> None:
    """BS-05, BS-02: a foundation that is laid again sweeps past the tower of another; what it moves there it has
    touched, and everything goes back."""
    told: list[Input] = []
    session = bausack(((), ("base_2", "cube")), told, Phase.PLACE, "base_1")
    session.act(Take("Ana", "base_1"))
    carry_over(session, 1)
    rival, cube = lies(session, ("base_2", "cube")), session.table.bodies["cube"]
    x, y, z = cube.pose.position
    go(session, x, y + 0.06, OVER)
    go(session, x, y + 0.034, z)
    assert not [each for each in told if isinstance(each, Met)]
    for step in range(30):
        if session.table.hand.held is None:
            break
        if step < 10:
            # as if it were grazed: it moves, and no touch is told
            session.table.world.push("cube", (0.0, -0.9 * cube.piece.mass * 9.81, 0.0))
        session.aim(packed(Pose((x, y + 0.034, z), session.table.hand.target.orientation)))
    assert [each.other for each in told if isinstance(each, Met)] == ["cube"]
    assert session.state.out == (IN, IN)
    for name, place in rival.items():
        assert session.table.bodies[name].pose.position == pytest.approx(place, abs=1e-4), name
    session.close()


def wonky_with_one_block(told: list[Input]) -> Session:
    """The second block is in the hand of the player on turn."""
    game = game_named("wonky")
    tell = [lambda before, given, after: told.append(given)]
    session = begin(game, ["bot:steady", "bot:steady"], 3, {}, tell=tell)[0]
    bots: dict[str, Any] = bots_of(session, 3)
    while not session.state.tower:
        play(session, bots, session.turns + 1)
    while session.need.wait is Wait.ACTION:
        cards = [each.action for each in session.choices if isinstance(each.action, (PlayCard, Take))]
        session.act(cards[0] if cards else session.choices[0].action)
    assert session.need.wait is Wait.HAND
    told.clear()
    return session


def test_WK_13_a_block_let_go_from_as_high_as_a_hand_goes_does_not_count_as_standing() -> None:
    """WK-13: the hand goes no higher than a person reaches, and at three the block has come down."""
    told: list[Input] = []
    session = wonky_with_one_block(told)
    player, (held,) = session.need.player, session.need.pieces
    x, y, _ = session.table.hand.target.position
    go(session, x, y, 46.0, speed=20.0)
    go(session, 0.0, 0.0, 46.0, speed=2.0)
    assert session.table.bodies[held].pose.position[2] < MAX_HEIGHT + 0.01
    session.release()
    session.settle()
    assert [each for each in told if isinstance(each, (Fell, CountElapsed))]
    assert held not in session.state.tower or session.table.scene().touched_by(held)
    assert isinstance(told[-1], (Fell, CountElapsed)), player
    session.close()


def test_WK_13_the_count_goes_on_while_the_block_is_in_the_air() -> None:
    told: list[Input] = []
    session = wonky_with_one_block(told)
    (held,) = session.need.pieces
    x, y, _ = session.table.hand.target.position
    go(session, x, y, 0.3)
    go(session, 0.0, 0.0, 0.3)
    session.release()
    begun = session.table.step
    body = session.table.bodies[held]
    # as if it had been thrown up: it is in the air at three
    session.table.put(body.at(Pose((0.0, 0.0, 46.0), body.pose.orientation)))
    session.settle()
    ended = next(each for each in told if isinstance(each, (Fell, CountElapsed)))
    assert (ended.step - begun) / session.table.rate > 3.02
    session.close()


def pushing(far: float) -> tuple[Session, list[Input], dict[str, Any]]:
    """Ana lays the yellow cube beside the red one, which it pushes towards a red box by so many metres."""
    told: list[Input] = []
    card = next(
        (card.id, row, column)
        for card in CRAZY_STOCK.cards
        for row, marks in enumerate(card.boxes)
        for column in range(len(marks) - 2)
        if marks[column : column + 3] == "..#"
    )
    name, row, column = card
    fresh = crazy_start(["Ana", "Ben"], 1, {"colours": "yellow,green,red,purple"}, CRAZY_STOCK)
    hands = tuple(tuple(block for block in hand if block != "red_i1") for hand in fresh.hands)
    deck = tuple(each for each in fresh.deck if each != name)
    state = replace(fresh, floors=(Floor(name, ("red_i1",)),), hands=hands, deck=deck)
    session = Session(CRAZY, CRAZY.judge, state, tell=[lambda before, given, after: told.append(given)])
    at = session.table.bodies[name]
    edge = 0.016
    y = (2 - row) * edge
    x = (column + 1 - 2) * edge
    top = float(at.pose.position[2]) + float(at.piece.extents[2]) / 2
    red = session.table.bodies["red_i1"]
    session.table.put(red.at(Pose((x, y, top + edge / 2 + 1e-5), red.pose.orientation)))
    session.table.run_to_rest()
    session._checkpoints.add(session.state)
    before = lies(session, ("red_i1", name))
    session.act(Take("Ana", "yellow_i1"))
    begun = session.table.hand.target.position
    go(session, begun[0], begun[1], 0.1)
    go(session, x - edge - 0.002, y, 0.1)
    go(session, x - edge - 0.002, y, top + edge / 2 + 0.001, speed=0.05)
    go(session, x - edge + far, y, top + edge / 2 + 0.001, speed=0.02)
    go(session, x - edge + far, y, top + edge / 2 + 0.0005, speed=0.02)
    session.release()
    session.settle()
    return session, told, before


def test_ALL_9_a_block_pushed_onto_a_red_box_goes_back_with_all_the_rest() -> None:
    """ALL-9, CT-04: every block is looked at, against its place before."""
    session, told, before = pushing(0.012)
    assert [each.broken for each in told if isinstance(each, Placed)] == [(Condition.COVERS_NO_RED_BOX,)]
    assert session.state.again == "yellow_i1"
    assert session.state.floors[0].blocks == ("red_i1",)
    for name, place in before.items():
        assert session.table.bodies[name].pose.position == pytest.approx(place, abs=1e-4), name
    assert [each.action for each in session.choices if isinstance(each.action, Take)] == [
        Take("Ana", "yellow_i1")
    ]
    session.close()


def test_ALL_9_a_block_pushed_short_of_a_red_box_stays_where_it_is() -> None:
    """CT-04: 1 mm is 6 % of a box."""
    session, told, before = pushing(0.001)
    assert [each.broken for each in told if isinstance(each, Placed)] == [()]
    assert session.state.floors[0].blocks == ("red_i1", "yellow_i1")
    moved = session.table.bodies["red_i1"].pose.position[0] - before["red_i1"][0]
    assert 2e-4 < moved < 3e-3
    session.close()


@pytest.mark.parametrize("is_settled", [False, True])
def test_TT_24_letting_go_of_a_brick_that_is_being_pulled_leaves_nobody_stuck(is_settled: bool) -> None:
    """TT-24: the hand takes hold again when it goes on; the game does not wait for a hand that is empty."""
    session = begin(game_named("tower-topple"), ["Ana", "Ben"], 1, {"bricks": "exact"})[0]
    take = next(each.action for each in session.choices if isinstance(each.action, Take))
    session.act(take)
    session.release()
    hand = session.table.hand
    assert session.need.wait is Wait.PULL
    assert not hand.held
    if is_settled:
        session.settle()
        assert session.table.hand.held == take.piece
    session.aim(packed(session.table.hand.target))
    assert session.table.hand.held == take.piece
    assert session.checkpoint.state.held == "", "no checkpoint in the middle of a pull"
    session.undo()
    assert take in [each.action for each in session.choices]
    assert session.table.hand.held is None
    session.close()
