"""What a pointer means to the hand: a pull that goes on when the brick is out carries it nowhere."""

from __future__ import annotations

import math
import time
from typing import Any

import pytest

from engine.view.camera import Orbit, seen_at
from games.core.events import Removed
from games.core.rules import Input, Wait
from games.ui.hand import OVERRUN, HandControl
from games.ui.messages import Aim, Lay, Order, Plan, TableView, Waits
from games.ui.mouse import Mouse
from games.ui.physics_client import ClientState
from games.ui.settings import load_settings
from games.ui.setup import first_view

SIZE = (1280, 720)
EYE = Orbit((0.0, 0.0, 0.12), 0.8, -90.0, 25.0).camera


class Line:
    """Where orders go."""

    def __init__(self) -> None:
        self.sent: list[Order] = []

    def send(self, order: Order) -> None:
        self.sent.append(order)


def at_the_tower() -> tuple[ClientState, HandControl, Line]:
    """A hand that begins to draw the first brick that may be drawn."""
    opening = first_view(plan := Plan("tower-topple", ("Ana", "Ben"), 3, {"first": "Ana", "bricks": "exact"}))
    client = ClientState(plan, opening.game, opening.state, opening.bodies, time.perf_counter)
    heard(client)
    action = client.choices[0].action
    client.state = client.game.rules.apply(client.state, action)
    held(client, action.piece)  # type: ignore[attr-defined]
    heard(client)
    assert client.need.wait is Wait.PULL
    line = Line()
    hand = HandControl(client, line, load_settings())  # type: ignore[arg-type]
    hand.follow()
    return client, hand, line


def heard(client: ClientState, given: Input | None = None) -> None:
    rules = client.game.rules
    if given is not None:
        client.state = rules.apply(client.state, given)
    client.hear(Waits(rules.needs(client.state), rules.legal(client.state), False))


def held(client: ClientState, name: str) -> None:
    client.hear(TableView(0, 240, client.frame.names, client.frame.poses, name, 0.0))


def drawn_out() -> tuple[ClientState, HandControl, Line, tuple[float, float]]:
    """The brick has come out under a pointer; where that is."""
    client, hand, line = at_the_tower()
    assert hand.grip is not None
    place = seen_at(EYE, SIZE, hand.grip.start.position)
    assert place is not None
    hand.point(EYE, SIZE, *place)
    hand.point(EYE, SIZE, place[0], place[1] + 30.0)
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
        hand.point(EYE, SIZE, x, y + far)
        assert hand.is_just_out
    assert len(line.sent) == count
    assert grip.goal == grip.start
    hand.point(EYE, SIZE, x, y + 1.1 * OVERRUN * SIZE[1])
    assert not hand.is_just_out
    assert math.dist(grip.goal.position, grip.start.position) > 0.01
    # from now on each move counts
    before = grip.goal
    hand.point(EYE, SIZE, x, y + 1.1 * OVERRUN * SIZE[1] - 2.0)
    assert grip.goal != before


def test_keys_carry_a_brick_on_at_once() -> None:
    _, hand, line, _ = drawn_out()
    hand.act("near", EYE)
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
        hand.point(EYE, SIZE, x, y + 2.0 * OVERRUN * SIZE[1])
    screen: Any = Screen(hand)
    Mouse(screen)._let_down()
    assert screen.acts == ([] if is_just_out else ["lay"])
    assert bool(screen.said) is is_just_out
    assert not any(isinstance(order, Lay) for order in line.sent)


def test_the_way_of_what_is_carried_is_looked_at_once_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    _, hand, _, (x, y) = drawn_out()
    hand.point(EYE, SIZE, x, y + 2.0 * OVERRUN * SIZE[1])
    hand.settle()
    assert hand.grip is not None
    surface = hand.client.surface(hand.grip.name)
    looks, over = list[Any](), surface.over

    def look(*way: Any) -> float | None:
        looks.append(way)
        return over(*way)

    monkeypatch.setattr(surface, "over", look)
    hand.point(EYE, SIZE, x + 5.0, y + 2.0 * OVERRUN * SIZE[1])
    hand.settle()
    assert len(looks) == 1
    # and while the pointer rests, since the piece goes on
    hand.settle()
    hand.settle()
    assert len(looks) == 3
