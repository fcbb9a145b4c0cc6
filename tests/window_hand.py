"""What people do with the hand at the window, each scenario in a process of its own; for `test_window_hand.py`."""

from __future__ import annotations

import math
import time

import numpy as np
from window_driver import Person, seen_at, xdotool
from window_scenarios import opened

from engine.world import TABLE
from games.core.rules import Wait
from games.ui.app import App
from games.ui.hand import OVER_EDGE
from games.ui.messages import Plan
from games.ui.settings import load_settings

BUTTONS = {"mouse1": "1", "mouse3": "3"}


def down(person: Person, button: str = "mouse1") -> None:
    """Press a button of the mouse."""
    xdotool("mousedown", BUTTONS[button])
    person.wait(lambda: button in person.app.window.down, "the button goes down", 20.0)


def up(person: Person, button: str = "mouse1") -> None:
    """Lift a button of the mouse."""
    xdotool("mouseup", BUTTONS[button])
    person.wait(lambda: button not in person.app.window.down, "the button goes up", 20.0)


def block_by_drag() -> None:
    """Wonky: a block is pressed on, carried to the middle, turned on the way, and let go of: it is lowered there."""
    person = opened(Plan("wonky", ("Ana", "bot:steady"), 1, {"first": "Ana"}))
    person.choose(lambda each: "medium blue" in each.sentence)
    person.asked(wait=Wait.ACTION)
    name = person.client.choices[0].action.piece
    x, y = person.place_of(name)
    person.move(x, y)
    down(person)
    person.move(x + 8, y)
    person.asked(wait=Wait.HAND)
    middle = person.place(0.0, -0.02, 0.0)
    person.move((x + middle[0]) / 2, (y + middle[1]) / 2)
    grip = person.wait(lambda: person.app.screen.hand.grip, "the block is in the hand")
    down(person, "mouse3")
    person.move((x + middle[0]) / 2 + 80, (y + middle[1]) / 2)
    assert grip.yaw != 0.0, "the right button does not turn what is carried"
    up(person, "mouse3")
    person.move(*middle)
    person.keep("drag-carried")
    assert person.client.held == name, "it was let go of before the button was"
    up(person)
    person.wait(lambda: name in person.client.state.tower, "it stands")
    place = person.client.pose(name).position
    assert math.hypot(*place[:2]) < 0.06, f"it was laid at {place}, not where the button was lifted"
    person.app.close()


def brick_by_drag() -> None:
    """Tower Topple: a brick is drawn out along the drag, carried on top with the same press, and laid by letting go."""
    person = opened(Plan("tower-topple", ("Ana", "Ben"), 3, {"first": "Ana", "bricks": "exact"}))
    camera_control = person.app.screen.camera_control
    camera_control.orbit = camera_control._goal = camera_control.orbit.turned(-18.0, 4.0)
    person.look(3)
    name = person.client.state.tower[15][1]
    pose = person.client.pose(name)
    along = pose.matrix[:, 0] * (1.0 if pose.matrix[1, 0] < 0.0 else -1.0)
    begin = np.asarray(pose.position)
    person.move(*person.place_of(name))
    down(person)
    start = person.app.window.pointer
    shift = np.subtract(start, person.place(*begin))
    person.move(start[0] + 3, start[1] + 3)
    for far in range(8, 160, 8):
        x, y = person.place(*(begin + far / 1e3 * along)) + shift
        person.move(x, y)
        if far == 8:
            person.asked(wait=Wait.PULL)
        if person.client.need.wait is not Wait.PULL:
            break
        person.look(4)
    person.asked(wait=Wait.HAND)
    person.keep("drag-out")
    hand = person.app.screen.hand
    person.wait(lambda: hand.grip is not None and not hand.grip.is_pulling, "it is carried")
    top = person.client.pose(person.client.state.tower[-1][0]).position[2]
    person.move(*person.place(0.0, 0.0, top + 0.01))
    for _ in range(6):
        person.key("a")
    # until the shadow is in the middle of the row on top
    for _ in range(6):
        goal = hand.grip.goal.position
        if math.hypot(*goal[:2]) < 0.002 and goal[2] > top:
            break
        away = np.subtract(person.place(0.0, 0.0, goal[2]), person.place(*goal))
        person.move(*(person.app.window.pointer + away))
    up(person)
    person.wait(lambda: person.client.waits and not person.client.held, "it lies")
    assert name in person.client.state.tower[-1], person.tell()
    person.app.close()


def grey_buttons() -> None:
    """A grey button takes the click: what is in the hand stays there."""
    settings = load_settings()
    purist = settings.help.model_copy(update={"level": "purist"})
    plan = Plan("sandbox", ("Ana",), scene="two_bricks")
    person = Person(App(settings.model_copy(update={"help": purist}), plan))
    person.asked(wait=Wait.ACTION)
    name = next(each for each in person.client.frame.names if each in person.client.in_play)
    person.click(*person.place_of(name))
    person.asked(wait=Wait.HAND)
    shown = person.app.window.hud.layout
    assert shown.region("undo") is None, "undo is not grey"
    view = shown.region("view").rect
    person.move(person.app.window.size[0] / 2, person.app.window.size[1] / 2)
    # undo stands before it in the row
    person.click(view.x - view.width / 2, view.middle[1])
    person.look(10)
    time.sleep(0.5)
    person.look(5)
    assert person.client.held == name, "a click on a grey button laid the piece"
    person.app.close()


def nothing_lost() -> None:
    """The held piece stays over the table and in the picture, the camera over the table and out of the tower; a key
    brings both back."""
    person = opened(Plan("tower-topple", ("Ana", "Ben"), 3, {"first": "Ana", "bricks": "exact"}))
    control, size = person.app.screen.camera_control, person.app.window.size
    person.move(size[0] / 2, size[1] / 2)
    # against the table, then into the tower
    for right, turn in ((0, -4000), (0, 800)):
        control.drag(right, turn, float(size[1]))
        control.zoom(60.0)
        person.look(5)
        eye = np.asarray(control.camera.eye)
        assert eye[2] > 0.0, f"the camera is at {eye}, below the table"
        for name in person.client.in_play:
            local = (eye - person.client.pose(name).position) @ person.client.pose(name).matrix
            inside = np.abs(local) < person.client.pieces[name].extents / 2
            assert not inside.all(), f"the camera is inside {name}"
    person.key("Home")
    assert control._goal == control._home
    person.app.close()
    person = opened(Plan("sandbox", ("Ana",), scene="two_bricks"))
    name = next(each for each in person.client.frame.names if each in person.client.in_play)
    person.click(*person.place_of(name))
    person.asked(wait=Wait.HAND)
    control = person.app.screen.camera_control
    half = person.client.pieces[TABLE].extents / 2 + OVER_EDGE + 0.01
    for key in ("Down", "Left"):
        person.hold(key)
        end = time.monotonic() + 6.0
        while time.monotonic() < end:
            person.look(1)
        person.lift(key)
        person.look(20)
        place = person.client.pose(name).position
        assert np.all(np.abs(place[:2]) < half[:2]), f"{name} was carried to {place}"
        seen = seen_at(control.camera, size, place)
        assert seen is not None
        assert 0 < seen[0] < size[0], f"{name} is seen at {seen}"
        assert 0 < seen[1] < size[1], f"{name} is seen at {seen}"
    person.keep("edge")
    person.key("Home")
    person.wait(lambda: math.hypot(*person.client.pose(name).position[:2]) < 0.01, "it comes back")
    person.app.close()


def stillness() -> None:
    """Where nothing changes nothing is drawn: in the menu, before a choice, with a piece held still."""
    person = opened()
    person.wait(lambda: person.app.window.stage, "the still life of the menu")
    rests(person, "the menu")
    person.app.close()
    person = opened(Plan("wonky", ("Ana", "bot:steady"), 1, {"first": "Ana"}))
    rests(person, "a game that waits")
    person.choose(lambda each: "medium blue" in each.sentence)
    person.asked(wait=Wait.ACTION)
    person.click(*person.place_of(person.client.choices[0].action.piece))
    person.asked(wait=Wait.HAND)
    person.move(*person.place(0.0, -0.02, 0.0))
    person.wait(lambda: person.app.screen.hints.word, "the coach says something")
    rests(person, "a piece held still")
    person.sees("still-held")
    person.app.close()


def rests(person: Person, what: str) -> None:
    """Before long nothing is drawn any more, but for the same picture every two seconds."""
    window, quiet, end = person.app.window, 0, time.monotonic() + 60.0
    while quiet < 20:
        assert time.monotonic() < end, f"{what}: pictures are drawn on and on"
        before = window._drawn_at
        person.look(1)
        quiet = quiet + 1 if window._drawn_at == before else 0
    drawn = set()
    for _ in range(40):
        person.look(1)
        drawn.add(window._drawn_at)
    assert len(drawn) <= 3, f"{what}: {len(drawn)} pictures in 40 rounds"
