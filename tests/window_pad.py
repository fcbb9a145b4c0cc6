"""What people do with a gamepad at the window; for `test_window_pad.py`. The gamepad itself is made up: its buttons and
sticks are set where Panda3D's would be read."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from window_driver import Person
from window_hand import changed
from window_scenarios import opened, shown_on

from teeter.engine.record.reader import load as read_replay
from teeter.engine.view.window.gamepad import PadState
from teeter.games.bausack.judge import areas
from teeter.games.core.rules import Wait
from teeter.games.server.messages import Plan

NEAR_PX = 3.0


class FakePad:
    """A gamepad in somebody's hands."""

    def __init__(self) -> None:
        self.down: set[str] = set()
        self.left = self.right = (0.0, 0.0)

    def __call__(self) -> PadState:
        """Returns what is held now."""
        return PadState(frozenset(self.down), self.left, self.right)


class PadPerson:
    """Somebody with a gamepad, and nothing else, at the window of an app."""

    def __init__(self, person: Person) -> None:
        self.person, self.app = person, person.app
        self.pad = FakePad()
        self.app.window.pad.read = self.pad

    def tap(self, key: str) -> None:
        """Press a button and let it go."""
        self.pad.down.add(key)
        self.person.look(2)
        self.pad.down.discard(key)
        self.person.look(2)

    def choose(self, name: str) -> None:
        """Go to a button of a panel by the cross, as the eye leads, and press it."""
        region = self.person.wait(lambda: self.app.window.hud.layout.region(name), f"a button {name}")
        tried: set[tuple[float, float]] = set()
        for _ in range(40):
            layout, (x, y) = self.app.window.hud.layout, self.app.window.pointer
            here = layout.region_at(x, y)
            if here is not None and here.name == name:
                break
            right, down = np.subtract(region.rect.middle, (x, y))
            ways = [("pad_right", right), ("pad_left", -right), ("pad_down", down), ("pad_up", -down)]
            ways.sort(key=lambda way: -way[1])
            # where one way ends one goes another
            way = ways[1] if (x, y) in tried else ways[0]
            tried.add((x, y))
            self.tap(way[0])
        else:
            raise AssertionError(f"the cross does not lead to {name}: {self.app.window.pointer}")
        self.tap("pad_a")

    def sentence(self, end: str) -> None:
        """Choose by the end of its words."""
        choices = self.person.wait(lambda: self.person.client.choices, "choices")
        self.choose(f"choice:{next(n for n, each in enumerate(choices) if each.sentence.endswith(end))}")

    def point(self, x: float, y: float) -> None:
        """Bring the pointer to a place with the left stick."""

        def is_there() -> bool:
            away = np.subtract((x, y), self.app.window.pointer)
            far = float(np.hypot(*away))
            push = min(1.0, 0.3 + far / 150.0) / max(far, 1e-9)
            self.pad.left = (float(push * away[0]), float(-push * away[1]))
            return far < NEAR_PX

        self.person.wait(is_there, "the stick moves the pointer")
        self.pad.left = (0.0, 0.0)
        self.person.look(1)

    def carry(self, x: float, y: float) -> None:
        """Bring what is held over a place of the table with the left stick."""
        hand, control = self.app.screen.hand, self.app.screen.camera_control

        def is_there() -> bool:
            away = np.subtract((x, y), hand.grip.goal.position[:2])
            far = float(np.hypot(*away))
            right = control.camera.axes[0][:2] / np.linalg.norm(control.camera.axes[0][:2])
            push = min(1.0, 0.3 + far / 0.05) / max(far, 1e-9)
            self.pad.left = (float(push * (away @ right)), float(push * (away @ (-right[1], right[0]))))
            return far < 1e-3

        self.person.wait(is_there, "the stick carries the piece")
        self.pad.left = (0.0, 0.0)
        name = hand.grip.name
        self.person.wait(
            lambda: math.dist(self.person.client.pose(name).position, hand.grip.goal.position) < 1e-3,
            "it is there",
        )


def ring_on(person: Person) -> bool:
    """Whether the ring of the pointer is on the screen, at its place."""
    person.look(2)
    x, y = (round(each) for each in person.app.window.pointer)
    shown = person.on_screen().astype(int)[max(y - 9, 0) : y + 9, max(x - 9, 0) : x + 9]
    return bool((np.abs(shown - (194, 87, 26)).max(axis=2) < 40).sum() > 30)


def bausack_by_pad(file: str, turns: str) -> None:
    """Bausack with two pieces, from the menu on, with a gamepad alone: one turn, or both and the rematch."""
    person = opened()
    padded = PadPerson(person)
    padded.choose("game:bausack")
    assert ring_on(person), "the pointer of the gamepad is not on the screen"
    assert person.app.screen.form.game == "bausack"
    padded.choose("page:settings")
    padded.tap("pad_b")
    assert not person.app.screen.pages.page, "B does not go back"
    person.app._play(Plan("bausack", ("Ana", "Ben"), 5, {"pieces": 2, "first": "Ana"}, Path(file)))
    person.asked(wait=Wait.ACTION)
    looks_round(padded)
    for turn in range(int(turns)):
        person.wait(lambda: person.client.waits and person.client.need.wait is Wait.ACTION, "a turn")
        padded.point(*person.place_of(person.client.choices[0].action.piece))
        padded.tap("pad_a")
        person.wait(lambda: person.client.held and person.client.waits, "a piece in the hand")
        padded.sentence("opening with 1")
        person.wait(lambda: person.client.state.phase.name == "BID" and person.client.waits, "an auction")
        padded.sentence("pass")
        person.wait(lambda: person.client.state.phase.name == "PLACE" and person.client.waits, "it is sold")
        padded.choose("choice:0")
        person.asked(wait=Wait.HAND)
        if turn == 0:
            takes_back(padded)
        lays(padded)
    if int(turns) == 2:
        ends(padded, Path(file))
    person.app.close()


def ends(padded: PadPerson, file: Path) -> None:
    """The end is on the screen and in the record; a rematch, and the way out by the pause."""
    person = padded.person
    person.wait(lambda: person.client.game.rules.outcome(person.client.state), "the end")
    person.asked(wait=Wait.OVER)
    person.wait(lambda: shown_on(person, "over"), "the end on the screen")
    person.sees("pad-over")
    kept = read_replay(file).meta.outcome
    assert kept is not None
    assert kept["ended"] is True
    padded.choose("again")
    person.wait(lambda: hasattr(person.app.screen, "client") and person.client.waits, "the rematch")
    assert person.client.state.towers == ((), ())
    padded.tap("pad_start")
    padded.choose("leave")
    person.wait(lambda: hasattr(person.app.screen, "form"), "the menu")


def looks_round(padded: PadPerson) -> None:
    """The right stick turns the camera, triggers come nearer, Start pauses."""
    control = padded.app.screen.camera_control
    before = padded.person.picture()
    padded.pad.right = (1.0, 0.0)
    padded.person.look(10)
    padded.pad.right = (0.0, 0.0)
    padded.person.look(3)
    assert changed(before, padded.person.picture()) > 0.2, "the right stick does not turn the view"
    distance = control._goal.distance
    padded.point(640, 200)
    padded.tap("pad_rt")
    assert control._goal.distance < distance, "the trigger does not come nearer"
    padded.tap("pad_ls")
    padded.tap("pad_start")
    assert shown_on(padded.person, "pause")
    padded.tap("pad_b")
    assert not padded.app.screen.pages.page


def takes_back(padded: PadPerson) -> None:
    """What was taken is put back by B, and taken again."""
    person = padded.person
    phase = person.client.need.wait
    person.wait(lambda: person.client.waits and person.client.waits.can_undo, "something to take back")
    padded.tap("pad_b")
    person.wait(lambda: person.client.waits and person.client.need.wait is not phase, "it is put back")
    padded.choose("choice:0")
    person.asked(wait=Wait.HAND)


def lays(padded: PadPerson) -> None:
    """The piece is turned, lifted, lowered, brought over its place and laid."""
    person: Any = padded.person
    grip = padded.app.screen.hand.grip
    padded.tap("pad_lb")
    assert grip.yaw != 0.0, "the shoulder button does not turn it"
    padded.tap("pad_rb")
    assert abs(grip.yaw) < 1e-6
    before = grip.lift
    padded.tap("pad_rt")
    assert grip.lift > before, "the trigger does not lift it"
    padded.tap("pad_lt")
    area = areas(person.client.state)[person.client.state.actor]
    tower = person.client.state.towers[person.client.state.actor]
    x, y = person.client.pose(tower[-1]).position[:2] if tower else (area.x / 1e3, area.y / 1e3)
    padded.carry(x, y)
    person.sees(f"pad-carried-{len(tower)}")
    padded.tap("pad_a")
    if padded.app.screen._warned is not None:
        padded.tap("pad_a")
    person.wait(lambda: person.client.waits and not person.client.held, "it lies")
