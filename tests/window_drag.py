"""Whole games by dragging pieces at the window, with the mouse alone; for `test_window_drag.py`.

Where a piece is laid is what a player with an eye for it sees: a place that the computer players would think of.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Container
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
MISS_MM = 2.0
"""How far from its place a piece may be let go: what a pixel or two are."""
TIGHT_MM = 12.0
"""How far a brick stays behind the pointer that draws it, before it is left alone."""
STUCK = 120
"""Acts in which every one of these games is over."""


def whole_game(game: str, file: str) -> None:
    """One game to its end: what is taken from the table is dragged to its place, the rest is clicked."""
    plan = PLANS[game]
    begin = time.monotonic()
    person = opened(Plan(plan.game, plan.players, plan.seed, plan.options, Path(file)))
    tally, tight = {"acts": 0, "drags": 0}, set[str]()
    while not over(person):
        assert tally["acts"] < STUCK, person.tell()
        tally["acts"] += 1
        person.wait(lambda: over(person) or person.client.waits or shown_on(person, "pass"), "a turn")
        if over(person):
            break
        if person.app.screen.needs_pass:
            person.wait(lambda: shown_on(person, "pass"), "the seat is to be passed on")
            person.press("seat")
            continue
        if person.client.held and person.client.need.wait is Wait.HAND:
            lay_held(person)
        elif (choice := to_drag(person, tight)) is not None:
            name = piece_of(choice)
            tight = set() if drag(person, name) else tight | {name}
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


def to_drag(person: Person, tight: Container[str]) -> Choice | None:
    """A choice that a drag of its piece takes: the only one about it. Of bricks in a tower the upper ones are looser;
    those that were too tight are not tried again."""
    client = person.client
    if client.waits is None or client.need.wait is not Wait.ACTION or client.held:
        return None
    on_table = [each for each in client.choices if piece_of(each) in client.frame.names]
    if client.game.name == "tower-topple":
        on_table.sort(key=lambda each: client.pose(piece_of(each)).position[2], reverse=True)
    return next(
        (each for each in on_table if piece_of(each) not in tight and seen(person, piece_of(each))), None
    )


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


def drag(person: Person, name: str) -> bool:
    """Press on a piece, carry it to a place that is offered, and let go; one that is only looked at stays in the
    hand. Returns whether the hand has done something with it."""
    client = person.client
    person.move(*person.place_of(name))
    down(person)
    x, y = person.app.window.pointer
    person.move(x + 6, y - 4)
    person.wait(lambda: (client.waits and client.held == name) or over(person), f"{name} is in the hand")
    if not over(person) and client.need.wait is Wait.PULL:
        draw_out(person, name)
        person.wait(lambda: client.waits or over(person), "what comes of pulling")
    if over(person) or client.need.wait is not Wait.HAND:
        up(person)
        return over(person) or client.need.wait is not Wait.PULL
    if not carry_to_its_place(person, name):
        up(person)
        return True
    let_go(person, name, lambda: up(person))
    return True


def draw_out(person: Person, name: str) -> None:
    """Go on with the drag along the brick, towards who looks, until it is out or there is no going on."""
    client, pose = person.client, person.client.pose(name)
    along = pose.matrix[:, int(np.argmax(client.pieces[name].extents))]
    if along @ person.app.screen.camera_control.camera.axes[1] > 0.0:
        along = -along
    begin = np.asarray(pose.position)
    shift = np.subtract(person.app.window.pointer, person.place(*begin))
    for far in range(6, 150, 6):
        x, y = person.place(*(begin + far / 1e3 * along)) + shift
        person.move(x, y)
        person.look(4)
        lags = far / 1e3 - math.dist(client.pose(name).position, begin)
        if client.need.wait is not Wait.PULL or lags > TIGHT_MM / 1e3:
            return


def lay_held(person: Person) -> None:
    """What was clicked into the hand goes where the pointer goes, and is laid by a click."""
    name = person.client.held
    if carry_to_its_place(person, name):
        let_go(person, name, lambda: person.click(*person.app.window.pointer))


def carry_to_its_place(person: Person, name: str) -> bool:
    """Carry what is held over a place that is offered for it. Returns whether it got there: it may touch something on
    the way, and where that is a foul it is put back."""
    client, hand = person.client, person.app.screen.hand
    person.wait(lambda: hand.grip is not None and not hand.grip.is_pulling, f"{name} is carried")
    client.places = None
    person.app.screen.physics.send(Act.OFFER_PLACES)
    person.wait(lambda: client.places is not None, f"places for {name}")
    # the next one where the last was refused
    again = sum("taken up again" in line for line in client.log[-4:])
    place: Pose | None = next(iter((*client.places[again:], *client.places)), None)
    if place is not None:
        # the keys of the hand turn what the mouse carries
        hand.grip.orient(place)
    # where nothing is offered a person tries the middle
    goal = place.position if place is not None else (0.0, 0.0, 0.0)
    steer(person, lambda: goal)
    return bool(client.held == name)


def let_go(person: Person, name: str, act: Callable[[], None]) -> None:
    """Lay what is held, and see what comes of it."""
    client, before = person.client, person.on_screen().astype(int)
    act()
    person.wait(lambda: not client.held, f"{name} is let go of")
    person.wait(lambda: client.waits or over(person), "what comes of it")
    shown = person.on_screen().astype(int)
    assert colours_of(shown) > COLOURS
    assert np.abs(shown - before).max() > 24, f"nothing is seen of {name} being laid"


def steer(person: Person, wanted: Callable[[], Any]) -> None:
    """Move the pointer until what is carried is over a place, by what is seen of it, or is carried no more."""
    hand, pose = person.app.screen.hand, person.client.pose
    for _ in range(60):
        if hand.grip is None:
            return
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
    person.wait(
        lambda: hand.grip is None or math.dist(pose(hand.grip.name).position, hand.grip.goal.position) < 2e-3,
        "it comes along",
        30.0,
    )
