"""What may not happen to who sits at the window: the held piece leaves table or picture, the camera goes below the
table or into the tower, a grey button lays what is held. Without a window; the hand is at once where it is wanted."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest
from skins import FIRST, RATE, SIZE, STEP_S, AtWindow, Moment, Unasked, opening

from teeter.engine.view.camera import seen_at
from teeter.engine.view.window.events import Clicked, Lift, Press
from teeter.engine.view.window.fonts import width_of
from teeter.engine.view.window.layout import lay_out
from teeter.engine.world.body import TABLE
from teeter.games.present import table_screen
from teeter.games.present.hand import OVER_EDGE
from teeter.games.server.messages import Act, Lay, TableView

TOWER = Moment("tower-topple", (FIRST, ("bricks", "exact")))
HELD = Moment("sandbox", players=("Ana",), scene="two_bricks", taken=("take slab",))


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process beside this one."""
    monkeypatch.setattr(
        table_screen,
        "first_view",
        lambda plan: opening(plan.game, tuple(plan.players), tuple(plan.options.items()), plan.scene),
    )
    monkeypatch.setattr("teeter.games.present.asking.Questioner", Unasked)


def pass_time(screen: Any, steps: int = 1) -> None:
    """The held piece is where it is wanted."""
    for number in range(steps):
        client, grip = screen.client, screen.hand.grip
        if grip is not None:
            poses = client.frame.poses.copy()
            goal = (*grip.goal.position, *grip.goal.orientation)
            poses[client.frame.names.index(grip.name)] = goal
            screen.physics.next = [TableView(1, RATE, client.frame.names, poses, grip.name)]
        # what panels leave free is asked now and then, by the clock on the wall
        screen._framed_at = -math.inf if number % 10 == 9 else math.inf
        screen.step(STEP_S)


def test_the_camera_stays_over_the_table_and_out_of_the_tower_and_a_key_brings_it_back() -> None:
    screen = AtWindow(TOWER).screen
    control, client = screen.camera_control, screen.client
    # against the table, then into the tower
    for turn in (-4000, 800):
        control.drag(0, turn, float(SIZE[1]))
        control.zoom(60.0)
        pass_time(screen, 25)
        eye = np.asarray(control.camera.eye)
        assert eye[2] > 0.0, f"the camera is at {eye}, below the table"
        for name in client.in_play:
            local = (eye - client.pose(name).position) @ client.pose(name).matrix
            inside = np.abs(local) < client.pieces[name].extents / 2
            assert not inside.all(), f"the camera is inside {name}"
    screen.handle(Press("home", 640.0, 400.0))
    assert control._goal == control._home


def test_the_held_piece_stays_over_the_table_and_in_the_picture_and_a_key_brings_it_back() -> None:
    screen = AtWindow(HELD).screen
    hand, control = screen.hand, screen.camera_control
    half = screen.client.pieces[TABLE].extents / 2 + OVER_EDGE + 0.01
    for key in ("arrow_down", "arrow_left"):
        screen.window.down.add(key)
        screen.handle(Press(key, 640.0, 400.0))
        pass_time(screen, 25)
        # as far as it goes
        before, same = hand.grip.goal.position, 0
        while same < 10:
            pass_time(screen)
            place = hand.grip.goal.position
            same = same + 1 if math.dist(place, before) < 5e-4 else 0
            before = place
        screen.window.down.discard(key)
        screen.handle(Lift(key, 640.0, 400.0))
        pass_time(screen, 50)
        place = screen.client.pose("slab").position
        assert place == pytest.approx(hand.grip.goal.position)
        # it went somewhere, and not off the table
        assert max(np.abs(place[:2]) / half[:2]) > 0.8
        assert np.all(np.abs(place[:2]) < half[:2]), f"it was carried to {place}"
        seen = seen_at(control.camera, SIZE, place)
        assert seen is not None
        assert 0 < seen[0] < SIZE[0], f"it is seen at {seen}"
        assert 0 < seen[1] < SIZE[1], f"it is seen at {seen}"
    screen.handle(Press("home", 640.0, 400.0))
    pass_time(screen, 5)
    assert math.hypot(*hand.grip.goal.position[:2]) < 0.01


def test_a_grey_button_takes_the_click_and_says_why() -> None:
    """What is in the hand stays there."""
    screen = AtWindow(HELD).screen
    helped = screen.settings.help.model_copy(update={"level": "purist"})
    screen.settings = screen.settings.model_copy(update={"help": helped})
    layout = lay_out(screen.panels(), SIZE, width_of)
    grey = layout.region("undo")
    assert grey is not None
    assert layout.region_at(*grey.rect.middle) is grey
    del screen.physics.orders[:]
    screen.handle(Clicked("undo"))
    pass_time(screen, 25)
    assert any("purist" in line for line in screen.toasts.lines(time.perf_counter()))
    assert not [each for each in screen.physics.orders if isinstance(each, Lay) or each is Act.UNDO]
