"""What people do with the hand at the window, scenarios of one game in one process; for `test_window_hand.py`."""

from __future__ import annotations

import math
import time
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray
from window_driver import Person, xdotool
from window_scenarios import opened, shown_on

from teeter.engine.view.window.window import REDRAW_S
from teeter.games.core.rules import Wait
from teeter.games.server.messages import Plan
from teeter.scenes.load import load

BUTTONS = {"mouse1": "1", "mouse2": "2", "mouse3": "3"}


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
        x, y = person.place(*(begin + far / 1e3 * along), waits=False) + shift
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
    # until a free place has drawn it in
    for _ in range(40):
        # the table may still be on its way to where panels leave it free
        person.look(3)
        goal = hand.grip.goal.position
        if any(math.dist(goal[:2], slot.position[:2]) < 1e-6 for slot in hand.slots):
            break
        away = np.subtract(person.place(0.0, 0.0, goal[2]), person.place(*goal))
        person.move(*(person.app.window.pointer + away))
    up(person)
    person.wait(lambda: person.client.waits and not person.client.held, "it lies")
    assert name in person.client.state.tower[-1], person.tell()
    person.app.close()


def camera_by_drag() -> None:
    """The view turns with the right button, moves with the middle one and comes nearer by the wheel: the screen shows
    another picture each time, and the table where the camera says that it is."""
    person = opened(Plan("wonky", ("Ana", "bot:steady"), 1, {"first": "Ana"}))
    # until panels and camera are where they stay
    for _ in range(30):
        person.look(2)
    size = person.app.window.size
    for button, name in (("mouse3", "turned"), ("mouse2", "moved"), ("wheel", "nearer")):
        before = person.picture()
        person.move(size[0] / 2, size[1] * 0.4)
        if button == "wheel":
            xdotool("click", "--repeat", "3", "--delay", "20", "4")
        else:
            down(person, button)
            person.move(size[0] / 2 + 90, size[1] * 0.4)
            up(person, button)
        person.wait(partial(looks_otherwise, person, before), f"the view is {name}", 30.0)
        person.keep(f"camera-{name}")
        assert person.app.window.stage.camera == person.app.screen.camera_control.camera
    person.app.close()


def looks_otherwise(person: Person, before: NDArray[np.int_]) -> bool:
    """Whether so much of the screen shows something else that no panel alone does it."""
    return changed(before, person.picture()) > 0.08


def changed(before: NDArray[np.int_], after: NDArray[np.int_]) -> float:
    """The share of a picture that is another one."""
    return float((np.abs(after - before).max(axis=2) > 16).mean())


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
    """Before long nothing is drawn any more, but for the same picture every two seconds. Pictures of rules come late
    on a busy machine."""
    end = time.monotonic() + 60.0
    while (found := drawn_more(person, 40)) > 1:
        assert time.monotonic() < end, f"{what}: {found} pictures more in 40 rounds, on and on"


def drawn_more(person: Person, rounds: int) -> int:
    """How many pictures more are drawn than one every two seconds: a busy machine takes seconds for some rounds."""
    window, began = person.app.window, time.monotonic()
    drawn = {window._drawn_at}
    for _ in range(rounds):
        person.look(1)
        drawn.add(window._drawn_at)
    return len(drawn) - 1 - int((time.monotonic() - began) / REDRAW_S + 1.0)


def sandbox_floor(whole: str = "") -> None:
    """A ball rolls off: the check and the scene leave it out and say so; a tilt is taken back; all is put away.

    whole: it rolls off again, too, and is brought back.
    """
    person = opened(Plan("sandbox", ("Ana",), scene="two_bricks"))
    person.press("shelf")
    person.press("shelf:bausack")
    for _ in range(4):
        if person.app.window.hud.layout.region("piece:bausack/ball") is not None:
            break
        person.press("pieces-more")
    person.press("piece:bausack/ball")
    person.asked(wait=Wait.HAND)
    name = person.client.held
    person.move(*person.place(0.0, -0.25, 0.0))
    person.look(10)
    person.key("space")
    person.asked(wait=Wait.ACTION)
    stood = {each: person.client.pose(each).position for each in person.client.in_play}
    person.app.screen._build(towards=270.0)
    person.app.screen._slid("tilt", 6.0)
    person.wait(
        lambda: name in person.client.off_table and person.client.waits, "the ball rolls off the table"
    )
    person.keep("floor-listed")
    person.key("k")
    finding = person.wait(lambda: person.app.screen.hints.finding, "the checker's answer")
    assert finding.word != "topples", finding
    person.press("save")
    assert "on the floor (the ball)" in person.app.screen.building.said
    assert (
        name
        not in load(person.app.screen.building.said.removeprefix("saved as ").partition(" without")[0]).ids
    )
    person.press("undo")
    person.wait(
        lambda: person.client.waits and not person.client.off_table, "it is as it was before the tilt"
    )
    for each, place in stood.items():
        assert math.dist(person.client.pose(each).position, place) < 1e-3, each
    if whole:
        brought_back(person, name)
    person.press("clear")
    person.press("clear")
    person.wait(lambda: person.client.waits and not person.client.in_play, "the table is empty")
    person.app.close()


def brought_back(person: Person, name: str) -> None:
    """The ball rolls off again, and comes back into the hand."""
    person.app.screen._slid("tilt", 6.0)
    person.wait(lambda: name in person.client.off_table and person.client.waits, "it rolls off again")
    person.press(f"fetch:{name}")
    person.asked(wait=Wait.HAND)
    assert person.client.held == name
    assert person.client.pose(name).position[2] > 0.0
    person.key("u")
    person.asked(wait=Wait.ACTION)


def take(person: Person, wanted: str) -> None:
    """Wait until a button is lit, and press the one button."""
    person.wait(lambda: person.app.scanner.lit == wanted, f"{wanted} is lit")
    person.key("space")


def sandbox_by_keys() -> None:
    """The sandbox without a pointer: the table is tilted, a brick pushed: by L, arrows and Enter, and by one button."""
    person = opened(Plan("sandbox", ("Ana",), scene="two_bricks"))
    screen = person.app.screen
    person.asked(wait=Wait.ACTION)

    def reach(name: str) -> None:
        for _ in range(20):
            if person.app._focus is not None and person.app._focus.lit == name:
                return
            person.key("Down")
            person.look(2)
        raise AssertionError(f"no key goes to {name}")

    person.key("l")
    reach("tilt")
    for _ in range(4):
        person.key("Right")
        person.look(2)
    person.key("Left")
    person.wait(lambda: screen.building.tilt == pytest.approx(4.5), "three steps of 1.5 degrees")
    person.wait(lambda: person.client.view.lean[0] == pytest.approx(4.5) and person.client.waits, "the tilt")
    person.keep("sandbox-keys")
    reach("push")
    person.key("Right")
    person.wait(lambda: screen.building.push == pytest.approx(1.25), "a step of the push")
    reach("shove")
    person.key("Return")
    person.wait(lambda: person.client.waits is None, "a push")
    person.wait(lambda: person.client.waits, "it has been pushed")
    assert not screen.pages.page
    person.key("Escape")
    person.look(2)
    assert not screen.pages.page, "Esc ends going through panels"
    person.key("s")
    person.app.scanner.seconds = 0.6
    take(person, "push")
    person.wait(lambda: screen.building.push == pytest.approx(1.5), "a step by the one button")
    take(person, "towards")
    person.wait(lambda: screen.building.towards == pytest.approx(45.0), "an eighth of a turn")
    take(person, "file")
    person.wait(lambda: screen.file.path == "", "a field that is typed into")
    take(person, "file")
    person.wait(lambda: screen.file.path is None, "the one button comes away from it")
    person.app.close()


def one_button() -> None:
    """Crazy Tower with one button: a block is taken, a place chosen, and the block is laid there."""
    person = opened(Plan("crazy-tower", ("Ana", "Ben"), 3, {"first": "Ana"}))
    person.key("s")
    scanner = person.app.scanner
    assert scanner.seconds == 1.2
    # somebody quick
    scanner.seconds = 0.6

    block = next(k for k, each in enumerate(person.client.choices) if getattr(each.action, "piece", ""))
    name = person.client.choices[block].action.piece
    person.wait(lambda: scanner.lit == f"choice:{block}", "the block is lit")
    person.look(2)
    assert person.app.screen._marked[name], "what is lit is not lit on the table"
    person.key("space")
    person.asked(wait=Wait.HAND)
    begin = time.monotonic()
    offered = person.wait(lambda: person.client.places, "places are offered")
    take(person, "place:0")
    person.wait(
        lambda: math.dist(person.client.pose(name).position[:2], offered[0].position[:2]) < 1e-3,
        "it is there",
    )
    person.keep("one-button")
    took = time.monotonic()
    take(person, "act:lay")
    person.wait(lambda: person.client.waits and not person.client.held, "it lies")
    print(
        f"taken to chosen {took - begin:.1f} s, to laid {time.monotonic() - begin:.1f} s, of {len(offered)} places"
    )
    assert any(name in floor.blocks for floor in person.client.state.floors), person.tell()
    person.app.close()


def one_button_line() -> None:
    """Tower Topple with one button: a brick is pulled out, and a line that sweeps over the table says where it goes."""
    person = opened(Plan("tower-topple", ("Ana", "Ben"), 3, {"first": "Ana", "bricks": "exact"}))
    person.key("s")
    person.app.scanner.seconds = 0.4
    name = person.client.state.tower[15][1]
    brick = next(k for k, each in enumerate(person.client.choices) if each.action.piece == name)
    person.app.screen._do(person.client.choices[brick])
    person.asked(wait=Wait.PULL)
    take(person, "act:pull_out")
    person.asked(wait=Wait.HAND)
    take(person, "line")
    person.wait(lambda: person.app.scanner.lit == "line" and not shown_on(person, "turn"), "the line sweeps")
    hand = person.app.screen.hand
    for _ in range(2):
        person.look(30)
        person.key("space")
    person.wait(lambda: shown_on(person, "turn"), "the line is gone")
    assert hand.grip.goal.position[:2] != (0.0, 0.0)
    left, _, near, _ = hand.reach
    x, y, _ = hand.grip.goal.position
    assert left <= x < left + 0.6, "the line began at the left edge"
    assert near <= y < near + 0.6, "the line began at the near edge"
    person.wait(lambda: math.dist(person.client.pose(name).position[:2], (x, y)) < 2e-3, "it is there")
    person.app.close()
