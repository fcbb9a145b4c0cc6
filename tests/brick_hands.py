"""Bricks of Tower Topple drawn and laid as the screen asks for it, by rays of a pointer, with the physics and the coach
of a window that nobody draws: one that is outlined, along its arrow; onto a ghost, with one click. Kept in tests/soak.
"""

from __future__ import annotations

import math
import random
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
from window_drag import TIGHT_MM
from window_driver import Person, seen_at

from teeter.engine.pose import Pose
from teeter.engine.view.panels import Panel
from teeter.engine.view.window.events import Clicked, Lift, PointerMoved, Press
from teeter.engine.view.window.layout import Layout, lay_out
from teeter.games.core.rules import Wait
from teeter.games.present.feeling import MOST_FELT
from teeter.games.present.game_screen import GameScreen
from teeter.games.present.hints import Hints
from teeter.games.present.hud import piece_of
from teeter.games.present.settings import load_settings
from teeter.games.server.client import PhysicsClient
from teeter.games.server.messages import Plan

SIZE = (1280, 720)
STEP_S, PER_LAYOUT = 0.02, 5
GOOD = ("Safe", "Risky")
PULL_MM, PULL_STEPS = 3, 40
"""Millimetres by which the pointer goes on, and steps that it waits at most until the brick has come along."""


class Undrawn:
    """A window that shows nothing: panels are laid out, and that is all."""

    def __init__(self) -> None:
        self.size, self.pointer, self.down = SIZE, (SIZE[0] / 2, SIZE[1] / 2), set[str]()
        self.stage = self.speaker = None
        self.is_padded = False
        self.hud = SimpleNamespace(layout=Layout())

    def lay_out(self, panels: tuple[Panel, ...]) -> None:
        self.hud.layout = lay_out(panels, SIZE, lambda text, size, bold: 0.55 * size * len(text))

    def nothing(self, *words: object, **named: object) -> None:
        """Nothing is drawn."""

    put = aim = show = show_overlays = clear = nothing


class Hand(Person):
    """Somebody at such a window, with one button."""

    def __init__(self, plan: Plan) -> None:
        window: Any = Undrawn()
        self.heard, self._rounds = [], 0
        self.app = SimpleNamespace(
            window=window,
            screen=GameScreen(window, load_settings(), plan, PhysicsClient(plan)),
            round=self._round,
        )

    def _round(self) -> bool:
        time.sleep(STEP_S / 2)
        self.app.screen.step(STEP_S)
        self._rounds += 1
        if self._rounds % PER_LAYOUT == 0:
            self.app.window.lay_out(self.app.screen.panels())
        return True

    def move(self, x: float, y: float) -> None:
        self.app.window.pointer = (x, y)
        self.app.screen.handle(PointerMoved(x, y, self.app.window.hud.layout.covers(x, y)))
        self.look(1)

    def press_button(self) -> None:
        x, y = self.app.window.pointer
        self.app.screen.handle(Press("mouse1", x, y))

    def lift_button(self) -> None:
        x, y = self.app.window.pointer
        self.app.screen.handle(Lift("mouse1", x, y))
        self.look(2)


def play(seed: int, count: int) -> dict[str, Any]:
    """So many bricks, of a new game once a tower has toppled. Returns how many of them were drawn with the tower left
    standing, laid with one click, and how often the coach was wrong."""
    tally: dict[str, Any] = {"pulled": 0, "kept": 0, "laid": 0, "first": 0, "wrong": 0, "notes": []}
    luck, number = random.Random(seed), seed
    while tally["pulled"] < count:
        person = Hand(Plan("tower-topple", ("Ana", "Ben"), number, {"first": "Ana"}))
        try:
            while tally["pulled"] < count and not fallen(person):
                one_brick(person, luck, tally)
        except NothingLooseError:
            pass
        finally:
            person.app.screen.close()
        number += 1000
    return tally


class NothingLooseError(Exception):
    """None of the bricks that the rules ask for."""


def is_final(hints: Hints) -> bool:
    """Whether the coach has more to say than a first look."""
    answer = hints._answer
    return answer is not None and not answer.is_first


def fallen(person: Person) -> bool:
    """Whether the tower has toppled in this game."""
    return any(person.client.state.topples)


def one_brick(person: Hand, luck: random.Random, tally: dict[str, Any]) -> None:
    """Draw out a brick that is outlined and lay it on a ghost."""
    client, screen = person.client, person.app.screen
    person.asked(wait=Wait.ACTION)
    hints = screen.hints
    most = min(MOST_FELT, len({piece_of(each) for each in client.choices}))
    person.wait(lambda: hints.loose or len(hints.known) >= most, "some are felt")
    places = {name: at for name in hints.loose if (at := seen(person, name)) is not None}
    if not places:
        # the rules ask for a brick that is not loose: the game begins anew
        tally["notes"].append(f"of {len(hints.known)} bricks none is loose and seen")
        raise NothingLooseError
    name = luck.choice(sorted(places))
    person.move(*places[name])
    person.press_button()
    x, y = person.app.window.pointer
    person.move(x + 6, y - 4)
    person.wait(lambda: client.waits and client.held == name, f"{name} is in the hand")
    tally["pulled"] += 1
    print({**tally, "notes": tally["notes"][-1:]}, flush=True)
    draw_out(person, name)
    person.lift_button()
    person.wait(lambda: client.waits or fallen(person), "what comes of pulling")
    if fallen(person):
        tally["notes"].append(f"{name} (seed {client.plan.seed}) drawn: {client.log[-2:]}")
        return
    tally["kept"] += 1
    if client.need.wait is Wait.HAND:
        lay_by_sight(person, luck, name, tally)
    elif client.held:
        tally["notes"].append(f"{name} does not come: {screen.hints.known.get(name)}")
        screen.handle(Clicked("choice:0"))


def seen(person: Person, name: str) -> tuple[float, float] | None:
    """Where a piece can be pressed on."""
    try:
        return person.place_of(name)
    except AssertionError:
        return None


def draw_out(person: Hand, name: str) -> None:
    """Along the arrow that points to who looks."""
    client, pose = person.client, person.client.pose(name)
    along = pose.matrix[:, int(np.argmax(client.pieces[name].extents))]
    if along @ person.app.screen.camera_control.camera.axes[1] > 0.0:
        along = -along
    begin, camera = np.asarray(pose.position), person.app.screen.camera_control.camera
    shift = np.subtract(person.app.window.pointer, seen_at(camera, SIZE, begin) or (0.0, 0.0))
    for far in range(PULL_MM, 150, PULL_MM):
        x, y = (seen_at(camera, SIZE, begin + far / 1e3 * along) or (0.0, 0.0)) + shift
        person.move(x, y)
        # on a busy machine the brick comes later
        for _ in range(PULL_STEPS):
            person.look(1)
            lags = far / 1e3 - math.dist(client.pose(name).position, begin)
            if client.need.wait is not Wait.PULL:
                return
            if lags < PULL_MM / 1e3:
                break
        if lags > TIGHT_MM / 1e3:
            return


def carried(person: Hand, slot: Pose) -> bool:
    """Whether what is held is over the top of the tower, and still."""
    grip = person.app.screen.hand.grip
    goal, here = grip.goal.position, person.client.pose(grip.name).position
    return math.dist(here, goal) < 1e-3 and goal[2] > slot.position[2] - 1e-3


def lay_by_sight(person: Hand, luck: random.Random, name: str, tally: dict[str, Any]) -> None:
    """Go to one of the ghosts that are seen and click once."""
    client, screen = person.client, person.app.screen
    person.wait(lambda: screen.hand.slots, "ghosts")
    slot = luck.choice(screen.hand.slots)
    for _ in range(4):
        # the camera goes along with what is carried
        person.still()
        at = seen_at(screen.camera_control.camera, SIZE, slot.position)
        assert at is not None
        person.move(*at)
    person.wait(lambda: carried(person, slot) and screen.hints.word, "it comes along")
    person.wait(lambda: screen.hints.word.startswith(GOOD) or is_final(screen.hints), "the coach")
    said, told = screen.hints.word, client.told
    tally["laid"] += 1
    person.press_button()
    person.lift_button()
    if screen._warned is not None and client.held:
        person.press_button()
        person.lift_button()
    person.wait(
        lambda: (
            fallen(person) or (client.told > told and client.waits and (not client.held or client.refused))
        ),
        f"{name} is let go of",
    )
    lies = not fallen(person) and any(name in row for row in client.state.tower[-2:])
    tally["first"] += lies
    tally["wrong"] += lies != said.startswith(GOOD)
    if not lies or not said.startswith(GOOD):
        tally["notes"].append(f"{name} (seed {client.plan.seed}) laid: {said!r}, {client.log[-2:]}")


if __name__ == "__main__":
    import sys

    print(play(*map(int, sys.argv[1:])))
