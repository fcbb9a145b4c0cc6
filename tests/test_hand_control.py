"""What a pointer means to the hand: a pull that goes on when the brick is out carries it nowhere, and a button that is
lifted late lays nothing else."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from teeter.engine.pose import Pose, vector_of
from teeter.engine.view.camera import Orbit, ray, seen_at
from teeter.engine.view.overlays import Ghost
from teeter.engine.view.window.events import Lift, PointerMoved, Press
from teeter.engine.view.window.picker import pick
from teeter.games.core.events import Removed
from teeter.games.core.rules import Input, TakeBack, Wait
from teeter.games.present.camera import CameraController, CameraHandicap, sphere_of
from teeter.games.present.client_state import ClientState
from teeter.games.present.details import letter_of
from teeter.games.present.fall_show import FallShow
from teeter.games.present.game_screen import GameScreen
from teeter.games.present.hand import CLEAR, OVERRUN, HandControl
from teeter.games.present.letters import Lettering
from teeter.games.present.mouse import Mouse
from teeter.games.present.pages import Pages
from teeter.games.present.settings import load_settings
from teeter.games.present.slots import MAGNET
from teeter.games.server.messages import Act, Aim, Lay, Order, Places, Plan, TableView, Waits
from teeter.games.server.setup import first_view

SIZE = (1280, 720)
EYE = Orbit((0.0, 0.0, 0.12), 0.8, -90.0, 25.0).camera


class Line:
    """Where orders go."""

    def __init__(self) -> None:
        self.sent: list[Order] = []

    def send(self, order: Order) -> None:
        self.sent.append(order)


def at_the_tower() -> tuple[ClientState, HandControl, Line]:
    """A hand that begins to draw the first brick that may be drawn, of those that point to who looks."""
    opening = first_view(plan := Plan("tower-topple", ("Ana", "Ben"), 3, {"first": "Ana", "bricks": "exact"}))
    client = ClientState(plan, opening.game, opening.state, opening.bodies, time.perf_counter)
    heard(client)
    action = next(
        each.action
        for each in client.choices
        if abs(client.pose(each.action.piece).matrix[1, 0]) > 0.9  # type: ignore[attr-defined]
    )
    client.state = client.game.rules.apply(client.state, action)
    held(client, action.piece)  # type: ignore[attr-defined]
    heard(client)
    assert client.need.wait is Wait.PULL
    line = Line()
    hand = HandControl(client, line, load_settings())
    hand.follow()
    return client, hand, line


def heard(client: ClientState, given: Input | None = None) -> None:
    rules = client.game.rules
    if given is not None:
        client.state = rules.apply(client.state, given)
    client.hear(Waits(rules.needs(client.state), rules.legal(client.state), False))


def held(client: ClientState, name: str) -> None:
    client.hear(TableView(0, 240, client.frame.names, client.frame.poses, name, 0.0))


def point(hand: HandControl, x: float, y: float) -> None:
    hand.point(*ray(EYE, SIZE, x, y), (x / SIZE[1], y / SIZE[1]))


def drawn_out() -> tuple[ClientState, HandControl, Line, tuple[float, float]]:
    """The brick has come out under a pointer; where that is."""
    client, hand, line = at_the_tower()
    assert hand.grip is not None
    place = seen_at(EYE, SIZE, hand.grip.start.position)
    assert place is not None
    point(hand, *place)
    point(hand, place[0], place[1] + 30.0)
    assert isinstance(line.sent[-1], Aim)
    heard(client, Removed(10, hand.grip.name))
    hand.follow()
    assert not hand.grip.is_pulling
    return client, hand, line, (place[0], place[1] + 30.0)


def test_a_pull_that_goes_on_when_the_brick_is_out_carries_it_nowhere() -> None:
    _, hand, line, (x, y) = drawn_out()
    grip, count = hand.grip, len(line.sent)
    assert grip is not None
    for far in (0.0, 6.0, 20.0, 0.9 * OVERRUN * SIZE[1]):
        point(hand, x, y + far)
        assert hand.is_just_out
    assert len(line.sent) == count
    assert grip.goal == grip.start
    point(hand, x, y + 1.1 * OVERRUN * SIZE[1])
    assert not hand.is_just_out
    assert math.dist(grip.goal.position, grip.start.position) > 0.01
    # from now on each move counts
    before = grip.goal
    point(hand, x, y + 1.1 * OVERRUN * SIZE[1] - 2.0)
    assert grip.goal != before


def test_a_brick_that_is_out_goes_clear_of_the_tower_before_it_goes_up() -> None:
    """It is out when it touches nothing, which may be with half of it between others."""
    client, hand, line = at_the_tower()
    assert hand.grip is not None
    name, begin = hand.grip.name, np.array(hand.grip.start.position)
    row, way = client.frame.names.index(name), np.array([*hand.grip.lengthways, 0.0])

    def is_at(far: float) -> None:
        poses = client.frame.poses.copy()
        poses[row, :3] = begin + far * way
        client.hear(TableView(0, 240, client.frame.names, poses, name, 0.0))
        hand.follow()

    point(hand, 600.0, 400.0)
    is_at(0.04)
    heard(client, Removed(10, name))
    hand.follow()
    sent = line.sent[-1] if isinstance(line.sent[-1], Aim) else line.sent[-2]
    assert isinstance(sent, Aim)
    whole = float(client.pieces[name].extents.max()) + CLEAR
    assert np.allclose(sent.pose.position, begin + whole * way)
    count = len(line.sent)
    hand.go_to(0.0, 0.0)
    is_at(0.085)
    assert len(line.sent) == count, "it goes on from where the tower may hold it"
    is_at(whole)
    assert isinstance(line.sent[-1], Aim)
    assert len(line.sent) > count
    assert np.allclose(hand.grip.goal.position[:2], 0.0)


def test_a_brick_that_never_comes_clear_goes_on_after_a_while_all_the_same() -> None:
    client, hand, line, _ = drawn_out()
    now = 0.0
    client.clock = lambda: now
    assert hand.grip is not None
    hand._leaving = (vector_of(np.add(hand.grip.start.position, 0.1)), 480.0, 4.0)
    count = len(line.sent)
    hand.go_to(0.0, 0.0)
    hand.follow()
    assert len(line.sent) == count
    # the game stands still while a hand rests
    now = 4.1
    hand.follow()
    assert isinstance(line.sent[-1], Aim)
    assert np.allclose(hand.grip.goal.position[:2], 0.0)


def test_keys_carry_a_brick_on_at_once() -> None:
    _, hand, line, _ = drawn_out()
    hand.act("near", EYE.right)
    assert not hand.is_just_out
    assert isinstance(line.sent[-1], Aim)


class Screen:
    """What a mouse needs of a screen."""

    def __init__(self, hand: HandControl) -> None:
        self.hand, self.said, self.acts = hand, list[str](), list[str]()
        self.say, self.act = self.said.append, self.acts.append


@pytest.mark.parametrize("is_just_out", [True, False])
def test_a_button_lifted_as_the_brick_comes_out_ends_the_pull_and_lays_nothing(is_just_out: bool) -> None:
    _, hand, line, (x, y) = drawn_out()
    if not is_just_out:
        point(hand, x, y + 2.0 * OVERRUN * SIZE[1])
    screen: Any = Screen(hand)
    Mouse(screen)._let_down()
    assert screen.acts == ([] if is_just_out else ["lay"])
    assert bool(screen.said) is is_just_out
    assert not any(isinstance(order, Lay) for order in line.sent)


def test_the_way_of_what_is_carried_is_looked_at_once_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    _, hand, _, (x, y) = drawn_out()
    point(hand, x, y + 2.0 * OVERRUN * SIZE[1])
    hand.settle()
    assert hand.grip is not None
    surface = hand.client.surface(hand.grip.name)
    looks, over = list[Any](), surface.over

    def look(*way: Any) -> float | None:
        looks.append(way)
        return over(*way)

    monkeypatch.setattr(surface, "over", look)
    point(hand, x + 5.0, y + 2.0 * OVERRUN * SIZE[1])
    hand.settle()
    assert len(looks) == 1
    # and while the pointer rests, since the piece goes on
    hand.settle()
    hand.settle()
    assert len(looks) == 3


class Table:
    """A screen of Crazy Tower over which a mouse moves, without a window; lain: what it laid."""

    def __init__(self) -> None:
        opening = first_view(plan := Plan("crazy-tower", ("Ana", "Ben"), 3, {"first": "Ana"}))
        client = ClientState(plan, opening.game, opening.state, opening.bodies, time.perf_counter)
        heard(client)
        self.client, self.line, self.settings = client, Line(), load_settings()
        self.hand = HandControl(client, self.line, load_settings())
        self.camera_control = CameraController(
            sphere_of(opening.bodies), CameraHandicap(client.game.handicaps.of(client.state))
        )
        self.window: Any = SimpleNamespace(
            size=SIZE, hud=SimpleNamespace(layout=SimpleNamespace(covers=lambda x, y: False))
        )
        self.acts, self.taken = list[str](), list[tuple[float, float]]()
        self.act, self.is_early, self.clicked = self.acts.append, False, list[tuple[float, float]]()
        self.mouse = Mouse(self)  # type: ignore[arg-type]

    def take_at(self, x: float, y: float) -> bool:
        """The order is on its way."""
        self.taken.append((x, y))
        self.client.act()
        return True

    def is_awaited(self, x: float, y: float) -> bool:
        """Whatever is pressed on may be taken in a moment."""
        return self.is_early and self.client.waits is None

    def click_at(self, x: float, y: float) -> None:
        """A piece was clicked."""
        self.clicked.append((x, y))

    def comes(self, number: int = 0) -> None:
        """A block comes into the hand."""
        state, rules = self.client.state, self.client.game.rules
        action = rules.legal(state)[number].action
        self.client.state = rules.apply(state, action)
        held(self.client, action.piece)  # type: ignore[attr-defined]
        self.goes_on()

    def goes_on(self) -> None:
        """The game asks again, and a picture is drawn."""
        heard(self.client)
        self.hand.follow()
        self.mouse.step()

    def is_put_back(self) -> None:
        """The hand is empty again."""
        held(self.client, "")
        self.client.act()
        self.client.state = self.client.game.rules.apply(self.client.state, TakeBack("Ana"))
        self.goes_on()


def dragged() -> Table:
    """A block was pressed on, and is on its way into the hand."""
    table = Table()
    table.mouse.pressed(Press("mouse1", 600.0, 400.0))
    table.mouse.moved(PointerMoved(620.0, 400.0))
    assert table.taken == [(600.0, 400.0)]
    return table


def test_a_button_that_is_lifted_before_the_piece_came_lays_it_when_it_comes() -> None:
    table = dragged()
    table.mouse.lifted(Lift("mouse1", 640.0, 400.0))
    table.mouse.step()
    assert table.acts == []
    table.comes()
    assert table.acts == ["lay"]


def test_a_piece_that_never_came_is_not_owed_to_the_next() -> None:
    table = dragged()
    table.mouse.lifted(Lift("mouse1", 640.0, 400.0))
    # refused: the game asks again
    table.goes_on()
    table.comes(1)
    assert table.acts == []


def test_a_piece_that_left_the_hand_while_it_was_dragged_is_not_owed_to_the_next() -> None:
    table = dragged()
    table.comes()
    assert table.hand.grip is not None
    table.is_put_back()
    table.mouse.lifted(Lift("mouse1", 640.0, 400.0))
    table.mouse.step()
    table.comes(1)
    assert table.acts == []


@pytest.mark.parametrize("over", ["page", "pass"])
@pytest.mark.parametrize("button", ["mouse1", "mouse2", "mouse3"])
def test_a_button_that_is_lifted_over_a_page_holds_on_to_nothing(over: str, button: str) -> None:
    """Else the view turns, or a piece is taken, with no button down."""
    table = Table()
    screen: Any = GameScreen.__new__(GameScreen)
    vars(screen).update(vars(table), pages=Pages(load_settings()), take_at=table.take_at, _seated="Ana")
    screen.fall = FallShow({}, frozenset, lambda: None)
    screen.mouse = Mouse(screen)
    screen.handle(Press(button, 600.0, 400.0))
    if over == "page":
        screen.pages.page = "pause"
    else:
        secrets = (screen.client.state, {"secrets": True})
        screen.client.seat, screen.client._kept, screen._seated = None, secrets, "Ben"
    assert bool(screen.pages.page) or screen.needs_pass
    screen.handle(Lift(button, 600.0, 400.0))
    screen.pages.page, screen._seated = "", "Ana"
    before = table.camera_control.orbit
    screen.handle(PointerMoved(700.0, 420.0))
    assert table.camera_control.orbit == before
    assert table.taken == []


def test_a_hand_does_not_go_after_a_tower_that_trembles() -> None:
    """As long as it moves time passes, and the tower goes on trembling."""
    table = Table()
    table.comes()
    card, name = table.client.state.floors[0].card, table.client.held
    table.hand.go_to(*table.client.pose(card).position[:2])
    table.hand.settle()
    row, sent = table.client.frame.names.index(card), len(table.line.sent)

    def rises(metres: float) -> None:
        poses = table.client.frame.poses.copy()
        poses[row, 2] += metres
        table.client.hear(TableView(0, 240, table.client.frame.names, poses, name, 0.0))
        table.hand.settle()

    for metres in (2e-8, 6e-6, -6e-6, 3e-6):
        rises(metres)
    assert len(table.line.sent) == sent
    rises(1e-3)
    assert isinstance(table.line.sent[-1], Aim)
    assert len(table.line.sent) == sent + 1


def test_a_piece_is_tilted_as_it_is_turned_away_and_flipped_back_to_a_face() -> None:
    _, hand, line, _ = drawn_out()
    assert hand.grip is not None
    before = hand.grip.goal.matrix
    for _ in range(6):
        hand.act("tilt", EYE.right)
    turned = hand.grip.goal.matrix @ before.T
    # six times fifteen degrees: what was up lies away from the person
    right = np.array([*EYE.right, 0.0])
    away = np.array([-right[1], right[0], 0.0])
    assert turned @ away == pytest.approx(away)
    assert abs(float(turned[2, 2])) < 1e-9
    assert isinstance(line.sent[-1], Aim)
    hand.act("flip", EYE.right)
    down = hand.grip.goal.matrix.T @ np.array([0.0, 0.0, -1.0])
    assert float(np.abs(down).max()) == pytest.approx(1.0, abs=1e-6)


def test_the_places_of_a_piece_are_gone_through_once_they_are_known() -> None:
    client, hand, line, _ = drawn_out()
    assert hand.grip is not None
    hand.act("places", EYE.right)
    hand.act("places", EYE.right)
    assert line.sent.count(Act.OFFER_PLACES) == 1
    x, y, z = hand.grip.goal.position
    places = tuple(Pose((x + far, y, z), hand.grip.goal.orientation) for far in (0.02, 0.04))
    client.hear(Places(places))
    for number in (0, 1, 0):
        hand.follow() if number == 0 and hand.place < 0 else hand.act("places", EYE.right)
        assert hand.place == number
        assert hand.grip.goal.position[0] == pytest.approx(places[number].position[0])


@pytest.mark.parametrize("is_dragged", [True, False])
def test_a_press_on_a_piece_that_cannot_be_taken_yet_waits_and_takes_it(is_dragged: bool) -> None:
    """And the view stays where it is."""
    table = Table()
    table.is_early = True
    table.client.act()
    before = table.camera_control.orbit
    table.mouse.pressed(Press("mouse1", 600.0, 400.0))
    if is_dragged:
        table.mouse.moved(PointerMoved(700.0, 420.0))
    else:
        table.mouse.lifted(Lift("mouse1", 600.0, 400.0))
    table.mouse.step()
    assert (table.taken, table.clicked) == ([], [])
    assert table.camera_control.orbit == before
    heard(table.client)
    table.mouse.step()
    assert (table.taken, table.clicked) == (([(600.0, 400.0)], []) if is_dragged else ([], [(600.0, 400.0)]))
    table.mouse.step()
    assert len(table.taken) + len(table.clicked) == 1


def test_a_key_that_stays_down_turns_on_to_the_next_quarter() -> None:
    table = Table()
    table.comes()
    grip = table.hand.grip
    assert grip is not None
    screen: Any = table
    screen.act = lambda name: table.hand.act(name, EYE.right)
    for again in (False, *[True] * 20):
        table.mouse.pressed(Press("a", 0.0, 0.0, again))
    assert grip.yaw == pytest.approx(90.0)
    table.mouse.pressed(Press("a", 0.0, 0.0))
    assert grip.yaw == pytest.approx(105.0)


def offered() -> tuple[HandControl, Line, tuple[Pose, ...]]:
    """A brick that is out, and three free places, a little askew as a row may be."""
    client, hand, line, (x, y) = drawn_out()
    assert line.sent[-1] is Act.OFFER_PLACES
    yaw = Pose((0.0, 0.0, 0.0), (0.0, 0.0, math.sin(0.02), math.cos(0.02))).orientation
    slots = tuple(Pose((far, 0.001, 0.278), yaw) for far in (-0.0254, 0.0, 0.0254))
    assert hand.grip is not None
    if abs(hand.grip.start.matrix[0, 0]) < 0.9:
        slots = tuple(Pose((0.001, slot.position[0], 0.278), yaw) for slot in slots)
    client.hear(Places(slots))
    hand.follow()
    point(hand, x, y + 2.0 * OVERRUN * SIZE[1])
    return hand, line, slots


def test_a_free_place_is_shown_and_draws_the_brick_in_square_to_its_row() -> None:
    hand, line, slots = offered()
    grip, luck = hand.grip, np.random.default_rng(3)
    assert grip is not None
    ghosts = [each for each in hand.guides() if isinstance(each, Ghost)]
    assert [ghost.pose for ghost in ghosts] == list(slots)
    for slot in slots:
        # what is seen of it is its top
        top = (*slot.position[:2], slot.position[2] + 0.0075)
        x, y = seen_at(EYE, SIZE, top) or (0.0, 0.0)
        for _ in range(8):
            off = luck.normal(0.0, 2.0, 2)
            point(hand, x + float(off[0]), y + float(off[1]))
            assert grip.goal.position[:2] == slot.position[:2]
            turned = abs(float(slot.matrix[:, 0] @ grip.goal.matrix[:, 0]))
            assert turned == pytest.approx(1.0, abs=1e-9)
        assert len([each for each in hand.guides() if isinstance(each, Ghost)]) == 2
    hand.act("lay", EYE.right)
    assert isinstance(line.sent[-1], Lay)
    # beside the tower nothing draws it in
    point(hand, *(seen_at(EYE, SIZE, (0.2, 0.0, 0.0)) or (0.0, 0.0)))
    assert grip.goal.position[0] > 0.15


def test_a_finger_leaves_a_place_and_finds_the_next_and_fine_mode_is_drawn_nowhere() -> None:
    hand, _, slots = offered()
    hand.act("places", EYE.right)
    assert hand.grip is not None
    assert hand.grip.goal.position[:2] == slots[0].position[:2]
    across, away = (np.subtract(slots[1].position, slots[0].position)[:2] / 25.4).tolist()
    seen = []
    for _ in range(25):
        hand.shift(across, away, reach=MAGNET)
        seen.append(math.dist(hand.grip.goal.position[:2], slots[0].position[:2]))
    assert seen[0] == seen[10] == 0.0
    assert seen[-1] == pytest.approx(0.0254)
    hand.is_fine = True
    hand.shift(5 * across, 5 * away, reach=MAGNET)
    assert math.dist(hand.grip.goal.position[:2], slots[1].position[:2]) > 0.003


def test_letters_lie_on_faces_that_are_seen() -> None:
    client = Table().client
    sphere = sphere_of(client.lying())
    camera = CameraController(sphere, CameraHandicap(client.game.handicaps.of(client.state))).camera
    lettering = Lettering(client)
    found = lettering.on(camera, 0.0)
    assert len(found) > 5
    for name, mark in found.items():
        way = np.subtract(mark.point, camera.eye)
        hit = pick(client.frame, client.pieces, np.asarray(camera.eye), way / np.linalg.norm(way))
        assert hit is not None
        assert (hit.name, mark.letter) == (name, letter_of(client.pieces[name]))
        assert math.dist(hit.point, mark.point) < 1e-6
    # they fall with their pieces, also before faces are looked at again
    client.frame = replace(client.frame, poses=client.frame.poses - np.eye(1, 7, 2) * 0.1)
    for name, mark in lettering.on(camera, 0.1).items():
        assert found[name].point == pytest.approx(np.add(mark.point, (0.0, 0.0, 0.1)), abs=1e-9)
