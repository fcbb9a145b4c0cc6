"""Whole games by dragging pieces at the window, with the mouse alone; for `test_window_drag.py`.

Where a piece is laid is what a player with an eye for it sees: a place that the computer players would think of.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from window_driver import COLOURS, Person, colours_of
from window_hand import down, up
from window_scenarios import opened, shown_on

from engine.pose import Pose
from engine.record.reader import load as read_replay
from games.core.rules import Choice, Wait
from games.ui.hud import piece_of
from games.ui.messages import Act, Plan

PLANS = {
    "bausack": Plan("bausack", ("Ana", "Ben"), 5, {"pieces": 4, "first": "Ana"}),
    "crazy-tower": Plan("crazy-tower", ("Ana",), 3, {"mode": "solo", "colour_count": 1}),
    "tower-topple": Plan("tower-topple", ("Ana", "Ben"), 3, {"first": "Ana", "rounds": 1}),
    "wonky": Plan("wonky", ("Ana", "Ben"), 3, {"first": "Ana"}),
}
MISS_MM = 4.0
"""How far from its place a piece may be let go: half a fingertip."""
STUCK = 120
"""Acts in which every one of these games is over."""


def whole_game(game: str, file: str) -> None:
    """One game to its end: what is taken from the table is dragged to its place, the rest is clicked."""
    plan = PLANS[game]
    begin = time.monotonic()
    person = opened(Plan(plan.game, plan.players, plan.seed, plan.options, Path(file)))
    tally = {"acts": 0, "drags": 0}
    while not over(person):
        assert tally["acts"] < STUCK, person.tell()
        tally["acts"] += 1
        person.wait(lambda: over(person) or person.client.waits or shown_on(person, "pass"), "a turn")
        if over(person):
            break
        if shown_on(person, "pass"):
            person.press("seat")
            continue
        if (choice := to_drag(person)) is not None:
            drag(person, piece_of(choice))
            tally["drags"] += 1
        elif person.client.waits is not None:
            wanted = liked(person)
            person.choose(lambda each, wanted=wanted: each is wanted)  # type: ignore[misc]
            person.look(5)
    person.asked(wait=Wait.OVER)
    person.wait(lambda: shown_on(person, "over"), "the end on the screen")
    person.sees(f"drag-{game}-over")
    kept = read_replay(Path(file)).meta.outcome
    assert kept is not None
    assert kept["ended"] is True
    outcome = person.client.game.rules.outcome(person.client.state)
    told = {"game": game, **tally, "seconds": round(time.monotonic() - begin), "end": outcome.reason.clause}
    print(json.dumps(told))
    person.app.close()


def over(person: Person) -> bool:
    """Whether the game is over."""
    return person.client.game.rules.outcome(person.client.state) is not None


def to_drag(person: Person) -> Choice | None:
    """A choice that a drag of its piece takes: the only one about it."""
    client = person.client
    if client.waits is None or client.need.wait is not Wait.ACTION or client.held:
        return None
    on_table = [each for each in client.choices if piece_of(each) in client.frame.names]
    return next((each for each in on_table if seen(person, piece_of(each))), None)


def seen(person: Person, name: str) -> bool:
    """Whether a piece can be pressed on."""
    try:
        person.place_of(name)
    except AssertionError:
        return False
    return True


def liked(person: Person) -> Choice:
    """What is clicked where nothing is dragged: a cheap bid, or to pass, or else the first there is."""
    choices: tuple[Choice, ...] = person.client.choices
    for end in ("opening with 1", "pass"):
        found = next((each for each in choices if each.sentence.endswith(end)), None)
        if found is not None:
            return found
    return choices[0]


def drag(person: Person, name: str) -> None:
    """Press on a piece, carry it to a place that is offered, and let go; one that is only looked at stays in the
    hand."""
    client, hand = person.client, person.app.screen.hand
    person.move(*person.place_of(name))
    down(person)
    x, y = person.app.window.pointer
    person.move(x + 6, y - 4)
    person.wait(lambda: (client.waits and client.held == name) or over(person), f"{name} is in the hand")
    if over(person) or client.need.wait is not Wait.HAND:
        up(person)
        return
    client.places = None
    person.app.screen.physics.send(Act.OFFER_PLACES)
    places: tuple[Pose, ...] = person.wait(lambda: client.places, f"a place for {name}", 60.0)
    # the keys of the hand turn what the mouse carries
    hand.grip.orient(places[0])
    steer(person, lambda: places[0].position)
    before = person.on_screen().astype(int)
    up(person)
    person.wait(lambda: not client.held, f"{name} is let go of")
    person.wait(lambda: client.waits or over(person), "what comes of it")
    shown = person.on_screen().astype(int)
    assert colours_of(shown) > COLOURS
    assert np.abs(shown - before).max() > 24, f"nothing is seen of {name} being laid"


def steer(person: Person, wanted: Callable[[], Any]) -> None:
    """Move the pointer until what is carried is over a place, by what is seen of it."""
    hand, pose = person.app.screen.hand, person.client.pose
    for _ in range(60):
        goal = hand.grip.goal.position
        if math.dist(goal[:2], wanted()[:2]) < MISS_MM / 1e3:
            break
        height = goal[2]
        there = wanted()
        away = np.subtract(person.place(there[0], there[1], height), person.place(goal[0], goal[1], height))
        far = float(np.hypot(*away))
        x, y = np.asarray(person.app.window.pointer) + (away if far < 200 else away * 200 / far)
        width, high = person.app.window.size
        person.move(min(max(x, 2), width - 3), min(max(y, 2), high - 3))
        person.look(2)
    name = hand.grip.name
    person.wait(
        lambda: math.dist(pose(name).position, hand.grip.goal.position) < 2e-3, "it comes along", 30.0
    )
