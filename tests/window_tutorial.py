"""Somebody who has never played, and does what the screen says and nothing else; for `test_tutorial.py`."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable

import numpy as np
from window_drag import seen
from window_driver import Person
from window_scenarios import opened, shown_on

from teeter.engine.view.window.shapes import Letters
from teeter.games.bausack.judge import areas
from teeter.games.core.rules import Wait
from teeter.games.present.hud import piece_of
from teeter.games.server.messages import Plan

PLANS = {
    "bausack": Plan("bausack", ("Ana", "Ben"), 5, {"pieces": 6, "first": "Ana"}),
    "crazy-tower": Plan("crazy-tower", ("Ana", "Ben"), 3, {"first": "Ana"}),
    "tower-topple": Plan("tower-topple", ("Ana", "Ben"), 3, {"first": "Ana", "bricks": "exact"}),
    "wonky": Plan("wonky", ("Ana", "bot:steady"), 1, {"first": "Ana"}),
}
MOST_ACTS = 6


class Reader:
    """Reads the turn's panel and does what it says. acts: what was done."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.acts: list[str] = []

    @property
    def text(self) -> str:
        """The words on the screen, line after line."""
        shapes = self.person.app.window.hud.layout.shapes
        return " ".join(shape.text for shape in shapes if isinstance(shape, Letters))

    def obey(self) -> None:
        """Do one act that is asked for."""
        said = self.person.wait(self._asked, "something is asked for")
        does, act = next(READS[pattern] for pattern in READS if re.search(pattern, said))
        slips = self._slips()
        does(self)
        self.person.wait(
            lambda: self._is_done(said) or self._slips() > slips, f"the lesson goes on after: {said}", 60.0
        )
        # TT-07: a brick that slips off is in the hand again, and the same is asked for
        if self._slips() == slips:
            self.acts.append(act)

    def _slips(self) -> int:
        client = getattr(self.person.app.screen, "client", None)
        return sum("slips" in line for line in client.log) if client is not None else 0

    def _asked(self) -> str:
        person = self.person
        if person.client.waits is None:
            return ""
        person.look(1)
        found = person.app.screen._lesson()
        # what the program means to say is what is written there
        return found if found and all(word in self.text for word in found.split()) else ""

    def _is_done(self, said: str) -> bool:
        screen = self.person.app.screen
        return not hasattr(screen, "client") or (screen.client.waits is not None and screen._lesson() != said)

    def _turn(self) -> None:
        self.person.key("a")

    def _play_card(self) -> None:
        layout = self.person.app.window.hud.layout
        self.person.click(
            *next(each for each in layout.regions if each.name.startswith("choice:")).rect.middle
        )

    def _bid(self) -> None:
        self.person.choose(lambda each: each.sentence.endswith("opening with 1"))
        self.person.wait(lambda: self.person.client.need.player == "Ben" and self.person.client.waits)
        # the other at the table, who knows the game
        self.person.choose(lambda each: each.sentence == "pass")

    def _take(self) -> None:
        marked = self.person.wait(lambda: self.person.app.screen._marked, "a lit piece")
        name = next(each for each in marked if seen(self.person, each))
        self.person.click(*self.person.place_of(name))

    def _pull(self) -> None:
        person = self.person
        grip = person.wait(lambda: person.app.screen.hand.grip, "the brick in the hand")
        along = grip.start.matrix[:, int(np.argmax(grip.piece.extents))]
        # towards who looks
        if along @ person.app.screen.camera_control.camera.axes[1] > 0.0:
            along = -along
        begin = np.asarray(grip.start.position)
        shift = np.subtract(person.app.window.pointer, person.place(*begin))
        for far in range(6, 200, 6):
            x, y = person.place(*(begin + far / 1e3 * along), waits=False) + shift
            person.move(x, y)
            person.look(4)
            if person.client.need.wait is not Wait.PULL:
                return

    def _carry(self) -> None:
        x, y, z = self._goal()
        hand = self.person.app.screen.hand
        self.person.wait(lambda: hand.grip is not None and not hand.grip.is_pulling, "it is in the hand")
        self._point(*self.person.place(x, y, z))
        for _ in range(40):
            self.person.look(3)
            goal = hand.grip.goal.position
            if math.dist(goal[:2], (x, y)) < 0.004:
                break
            away = np.subtract(self.person.place(x, y, goal[2]), self.person.place(*goal))
            self._point(*(self.person.app.window.pointer + away))

    def _point(self, x: float, y: float) -> None:
        """Move the pointer there, or as near as the window goes: the view comes after what is carried."""
        width, height = self.person.app.window.size
        self.person.move(min(max(x, 5), width - 5), min(max(y, 5), height - 90))

    def _goal(self) -> tuple[float, float, float]:
        """The place that the words name."""
        client = self.person.client
        if client.game.name == "crazy-tower":
            x, y, z = client.pose(client.state.floors[-1].card).position
            return x, y, z
        if client.game.name == "bausack":
            area = areas(client.state)[client.state.actor]
            return area.x / 1e3, area.y / 1e3, 0.0
        if client.game.name == "tower-topple":
            return 0.0, 0.0, client.pose(client.state.tower[-1][0]).position[2]
        return 0.0, 0.0, 0.0

    def _lay(self) -> None:
        grip = self.person.app.screen.hand.grip
        self.person.wait(
            lambda: math.dist(self.person.client.pose(grip.name).position, grip.goal.position) < 1e-3,
            "it has come along",
        )
        self.person.click(*self.person.app.window.pointer)
        self.person.wait(lambda: not self.person.client.held, "it is let go of")


READS: dict[str, tuple[Callable[[Reader], None], str]] = {
    r"^Click again to lay it": (Reader._lay, "lay it"),
    r"^Click one of your cards": (Reader._play_card, "play a card"),
    r"^Set your bid": (Reader._bid, "bid"),
    r"^(The piece is yours\. )?Click .*(block|brick|piece|it)\b": (Reader._take, "take the lit piece"),
    r"^Move the pointer to draw it out": (Reader._pull, "draw it out"),
    r"^Move the pointer: ": (Reader._carry, "carry it"),
    r"^Turn it with A": (Reader._turn, "turn it"),
}
"""What somebody does who reads a lesson that begins so, and what that is called."""


def first_piece(game: str) -> None:
    """The first piece is laid by doing what the screen says; prints the acts. Then the tutorial is over or goes on, and
    can be skipped: the next game of that kind has none."""
    person = opened(PLANS[game])
    reader = Reader(person)
    while "lay it" not in reader.acts:
        assert len(reader.acts) < 12, reader.acts
        reader.obey()
        if reader.acts[-1] == "carry it":
            person.sees(f"tutorial-{game}")
    laid = person.wait(lambda: person.client.waits and not person.client.held and person.client, "it lies")
    print(f"{game}: {len(reader.acts)} acts: {', '.join(reader.acts)}; {laid.log[-2:]}")
    assert len(reader.acts) <= MOST_ACTS, reader.acts
    if person.app.screen._tutorial is not None:
        end = time.monotonic() + 60.0
        while not person.app.screen._lesson() and time.monotonic() < end:
            person.look(3)
        person.keep(f"tutorial-{game}-on")
        person.press("skip")
    person.look(3)
    assert game in person.app.settings.help.taught
    assert not person.app.screen._lesson()
    person.app.screen.wish = "menu"
    person.wait(lambda: hasattr(person.app.screen, "form"), "the menu")
    again = Plan(game, PLANS[game].players, PLANS[game].seed, PLANS[game].options)
    person.app._play(again)
    person.wait(lambda: person.client.waits, "the next game")
    assert person.app.screen._tutorial is None, "the tutorial comes again"
    person.key("Escape")
    person.wait(lambda: shown_on(person, "pause"), "the pause")
    person.press(f"learn:{game}")
    person.key("Escape")
    person.wait(lambda: person.app.screen._lesson(), "the tutorial that was asked for")
    assert piece_of(person.client.choices[0]) is not None
    person.app.close()
