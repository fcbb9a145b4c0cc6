"""Whole games of Bausack at the window by keys alone, and with one button; for `test_window_whole.py`."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from window_driver import Person
from window_scenarios import ended, opened, own_place

from teeter.games.core.rules import Wait
from teeter.games.server.messages import Plan

Array = NDArray[np.float64]

NEAR_MM = 2.0
"""How far from its place the hand may stop."""
STEP_S = 0.4
"""Seconds for which one button lights each choice: somebody quick."""


class Keys:
    """Somebody who has a keyboard and no mouse."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.presses = 0

    def key(self, name: str) -> None:
        """Press and lift a key."""
        self.person.key(name)
        self.presses += 1

    def choose(self, end: str = "") -> None:
        """Go to a choice by the end of its words, and take it; the first of all where there is no end."""
        person, client = self.person, self.person.client
        person.wait(lambda: any(each.sentence.endswith(end) for each in client.choices), f"a choice {end!r}")
        wanted = next(k for k, each in enumerate(client.choices) if each.sentence.endswith(end))
        for _ in range(wanted + 1 + len(client.choices)):
            if person.app.screen._cursor == wanted:
                break
            self.key("Tab")
        turn = client.waits
        self.key("Return")
        person.wait(lambda: client.waits is not turn, "the choice is taken")

    def carry(self, x: float, y: float) -> None:
        """Move the hand over a place of the table by the arrows: held down at first, then press by press."""
        screen = self.person.app.screen
        for names, axis in ((("Left", "Right"), 0), (("Down", "Up"), 1)):
            for is_coarse in (True, False):
                self._along(screen, np.array([x, y]), names, axis, is_coarse=is_coarse)

    def _along(
        self, screen: Any, place: Array, names: tuple[str, str], axis: int, *, is_coarse: bool
    ) -> None:
        person, hand = self.person, screen.hand

        def off() -> float:
            right = screen.camera_control.camera.axes[0][:2]
            right = right / np.linalg.norm(right)
            away = np.array([-right[1], right[0]])
            return float((place - hand.grip.goal.position[:2]) @ (right, away)[axis])

        person.still()
        if is_coarse:
            begun = off()
            if abs(begun) < 0.03:
                return
            person.hold(names[begun > 0])
            person.wait(lambda: off() * begun <= 0 or abs(off()) < 0.02, "the arrow carries the piece")
            person.lift(names[begun > 0])
            self.presses += 1
            return
        for _ in range(40):
            if abs(off()) < max(NEAR_MM / 1e3, 0.0026):
                break
            self.key(names[off() > 0])


def arrives(person: Person, place: tuple[float, float]) -> None:
    """Wait until what is held is over a place."""
    name = person.client.held
    person.wait(lambda: np.allclose(person.client.pose(name).position[:2], place, atol=1e-3), "it is there")


def bausack_by_keys(file: str) -> None:
    """Two pieces, bid for and laid without a mouse."""
    begin = time.monotonic()
    person = opened(Plan("bausack", ("Ana", "Ben"), 5, {"pieces": 2, "first": "Ana"}, Path(file)))
    # the keys go to the window below the pointer
    person.move(480, 270)
    keys = Keys(person)
    for number in range(2):
        person.wait(lambda: person.client.waits and person.client.need.wait is Wait.ACTION, "a turn")
        keys.choose()
        keys.choose("opening with 1")
        person.wait(lambda: person.client.state.phase.name == "BID" and person.client.waits, "an auction")
        keys.choose("pass")
        person.wait(lambda: person.client.state.phase.name == "PLACE" and person.client.waits, "it is sold")
        keys.choose()
        person.asked(wait=Wait.HAND)
        keys.carry(*own_place(person))
        arrives(person, person.app.screen.hand.grip.goal.position[:2])
        person.keep(f"keys-{number}")
        keys.key("space")
        person.wait(lambda: person.client.waits and not person.client.held, "it lies")
    outcome = ended(person, Path(file))
    person.sees("keys-over")
    told = {"with": "keys", "presses": keys.presses, "seconds": round(time.monotonic() - begin)}
    print(json.dumps({**told, "end": outcome.reason.clause}))
    person.app.close()


def bausack_by_one_button(file: str) -> None:
    """Two pieces, bid for and laid with the space bar alone."""
    begin = time.monotonic()
    person = opened(Plan("bausack", ("Ana", "Ben"), 5, {"pieces": 2, "first": "Ana"}, Path(file)))
    person.move(480, 270)
    person.key("s")
    scanner, presses = person.app.scanner, 0
    scanner.seconds = STEP_S

    def take(wanted: str) -> None:
        """Wait until a button is lit, and press the one button."""
        nonlocal presses
        person.wait(lambda: person.app.scanner.lit == wanted, f"{wanted} is lit")
        person.key("space")
        presses += 1

    def choice(end: str = "") -> None:
        client = person.client
        person.wait(lambda: any(each.sentence.endswith(end) for each in client.choices), f"a choice {end!r}")
        take(f"choice:{next(k for k, each in enumerate(client.choices) if each.sentence.endswith(end))}")

    for _ in range(2):
        person.wait(lambda: person.client.waits and person.client.need.wait is Wait.ACTION, "a turn")
        choice()
        person.wait(lambda: person.client.held and person.client.waits, "a piece in the hand")
        choice("opening with 1")
        person.wait(lambda: person.client.state.phase.name == "BID" and person.client.waits, "an auction")
        choice("pass")
        person.wait(lambda: person.client.state.phase.name == "PLACE" and person.client.waits, "it is sold")
        choice()
        person.asked(wait=Wait.HAND)
        offered = person.wait(lambda: person.client.places, "places are offered")
        take("place:0")
        arrives(person, offered[0].position[:2])
        take("act:lay")
        person.wait(lambda: person.client.waits and not person.client.held, "it lies")
    outcome = ended(person, Path(file))
    person.sees("one-button-over")
    told = {"with": "one button", "presses": presses, "seconds": round(time.monotonic() - begin)}
    print(json.dumps({**told, "end": outcome.reason.clause}))
    person.app.close()
