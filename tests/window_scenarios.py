"""What people do at the window, each scenario in a process of its own; `test_window_play.py` runs them."""

from __future__ import annotations

import numpy as np
from window_driver import Person

from games.rules.base import Wait
from games.ui.app import App
from games.ui.messages import Plan
from games.ui.settings import load_settings


def opened(game: str, players: tuple[str, ...] = ("Ana", "Ben"), seed: int = 1, **options: object) -> Person:
    """A person at the window of a game that waits for somebody."""
    person = Person(App(load_settings(), Plan(game, players, seed, options)))
    person.wait(lambda: person.desk.waits, "the game begins")
    return person


def a_block_by_mouse() -> None:
    """Wonky: play a card, take its block, carry it to the middle by mouse, click; it stands and counts."""
    person = opened("wonky", ("Ana", "bot:steady"), first="Ana")
    choice = person.choose(lambda each: "medium blue" in each.sentence)
    person.asked(wait=Wait.ACTION)
    assert len(person.desk.state.hands[0]) == 6, choice
    name = person.desk.choices[0].action.piece
    before = person.mask(name)
    shown = person.picture()
    person.click(*person.place_of(name))
    person.asked(wait=Wait.HAND)
    person.move(*person.place(0.0, -0.02, 0.0))
    goal = person.wait(lambda: person.app.screen.hand.grip, "a grip").goal.position
    assert np.hypot(*goal[:2]) < 0.06, goal
    person.wait(
        lambda: np.allclose(
            person.desk.pose(name).position, person.app.screen.hand.grip.goal.position, atol=5e-4
        )
    )
    now = person.mask(name)
    picture = person.picture()
    changed = np.abs(picture - shown).max(axis=2) > 24
    assert changed[before].mean() > 0.8, "the block is still seen where it was"
    assert changed[now].mean() > 0.8, "the block is not seen where it is carried"
    person.keep("wonky-carried")
    person.click(*person.app.window.pointer)
    person.wait(lambda: name in person.desk.state.tower, "it stands")


def a_brick_pulled() -> None:
    """Tower Topple: pull a brick out by dragging, lay it on top by mouse; undo before it has moved."""
    person = opened("tower-topple", ("Ana", "Ben"), seed=3, first="Ana", bricks="exact")
    state = person.desk.state
    name = state.tower[15][1]
    person.app.screen.sight.orbit = person.app.screen.sight._goal = person.app.screen.sight.orbit.turned(
        -18.0, -8.0
    )
    person.look(3)
    person.click(*person.place_of(name))
    person.asked(wait=Wait.PULL)
    person.keep("topple-pull")
    person.press("undo")
    person.asked(wait=Wait.ACTION)
    assert person.desk.state.tower[15][1] == name
    person.click(*person.place_of(name))
    person.asked(wait=Wait.PULL)
    for _ in range(60):
        person.key("Down")
        if person.desk.need.wait is not Wait.PULL:
            break
    person.keep("topple-out")
    print(person.tell())
