"""Whole games by dragging pieces at the window, with the mouse alone; for `test_window_drag.py`.

What is chosen and where it is laid is what a player with an eye for it sees: broad pieces below, each over the middle
of what carries it or where the window offers a place, and nothing laid of which the screen says that it falls.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Container, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from window_driver import COLOURS, Person, colours_of, seen_at
from window_hand import down, up
from window_scenarios import opened, shown_on

from teeter.engine.pose import Pose
from teeter.engine.record.reader import load as read_replay
from teeter.engine.view.window.shapes import Letters
from teeter.games.core.rules import Choice, Wait
from teeter.games.crazy_tower.state import Pull
from teeter.games.present.hud import piece_of
from teeter.games.server.messages import Act, Plan
from teeter.games.wonky.bot import summit
from teeter.games.wonky.rules_turn import card_named, free_blocks
from teeter.games.wonky.state import PlayCard, Sort

PLANS = {
    "bausack": Plan("bausack", ("Ana", "Ben"), 5, {"pieces": 4, "first": "Ana"}),
    "crazy-tower": Plan("crazy-tower", ("Ana",), 3, {"mode": "solo", "colour_count": 1}),
    "tower-topple": Plan("tower-topple", ("Ana", "Ben"), 3, {"first": "Ana", "rounds": 1}),
    "wonky": Plan("wonky", ("Ana", "Ben"), 3, {"first": "Ana"}),
}
MISS_MM, NEAR_MM = 0.7, 6.0
"""How far from its place a piece may be let go, and from where on the hand goes there in fine mode."""
TIGHT_MM = 12.0
"""How far a brick stays behind the pointer that draws it, before it is left alone."""
STUCK = 160
"""Acts in which every one of these games is over: a careful player needs less than a third of them."""
TALL = 3
"""Blocks of a Wonky tower on which only small ones go."""
BAD = ("It falls", "It would", "The card would", "Another piece would fall")
"""How hints begin that tell a player to look for another place."""
HINT_S = 15.0
"""Seconds for which a hint is waited for: without one the player lays the piece."""


def whole_game(game: str, file: str) -> None:
    """One game to its end: what is taken from the table is dragged to its place, the rest is clicked."""
    plan = PLANS[game]
    begin = time.monotonic()
    person = opened(Plan(plan.game, plan.players, plan.seed, plan.options, Path(file)))
    tally, tight = {"acts": 0, "drags": 0, "warned": 0}, set[str]()
    while not over(person):
        assert tally["acts"] < STUCK, f"{tally}; {person.tell()}"
        tally["acts"] += 1
        person.wait(lambda: over(person) or person.client.waits or shown_on(person, "pass"), "a turn")
        if over(person):
            break
        if person.app.screen.needs_pass:
            person.wait(lambda: shown_on(person, "pass"), "the seat is to be passed on")
            person.press("seat")
            continue
        if person.client.held and person.client.need.wait is Wait.HAND:
            lay_held(person, tally)
        elif (choice := to_drag(person, tight)) is not None:
            name = piece_of(choice)
            tight = set() if drag(person, name, tally) else tight | {name}
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
    """A choice that a drag of its piece takes: the only one about it, the best first. Those that were too tight are not
    tried again."""
    client = person.client
    if client.waits is None or client.need.wait is not Wait.ACTION or client.held:
        return None
    pieces = [piece_of(each) for each in client.choices]
    found = [
        each
        for each, name in zip(client.choices, pieces, strict=True)
        if name in client.frame.names
        and pieces.count(name) == 1
        and name not in tight
        # nothing is to be won by what comes out of a tower of one's own
        and not isinstance(each.action, Pull)
    ]
    found.sort(key=lambda each: late(client, piece_of(each)))
    return next((each for each in found if seen(person, piece_of(each))), None)


def late(client: Any, name: str) -> float:
    """Of pieces that may be taken, the one for which this is least comes first."""
    if client.game.name == "tower-topple":
        # the upper bricks of a tower are looser
        return -float(client.pose(name).position[2])
    if client.game.name == "crazy-tower":
        return -float(client.pieces[name].mass)
    if client.game.name == "wonky":
        return float(client.pieces[name].extents[0]) * (-1.0 if len(client.state.tower) < TALL else 1.0)
    return 0.0


def seen(person: Person, name: str) -> bool:
    """Whether a piece can be pressed on."""
    try:
        person.place_of(name)
    except AssertionError:
        return False
    return True


def liked(person: Person) -> Choice:
    """What is clicked where nothing is dragged: a card that suits the tower, a cheap bid, or to pass; to leave alone
    what stands, and a new floor card where no block is to be laid; or else the first there is."""
    client, choices = person.client, tuple[Choice, ...](person.client.choices)
    if client.game.name == "wonky":
        return min(choices, key=lambda each: late_card(client, each))
    for end in ("opening with 1", "pass", "leave all blocks where they are", "floor card"):
        found = next((each for each in choices if each.sentence.endswith(end)), None)
        if found is not None:
            return found
    return choices[0]


def late_card(client: Any, choice: Choice) -> float:
    """Of Wonky's cards: those for broad blocks while the tower is low, then those for none, then for small blocks."""
    if not isinstance(choice.action, PlayCard):
        return 2.0
    state, is_tall = client.state, len(client.state.tower) >= TALL
    card = card_named(state, choice.action.card)
    if card.sort is Sort.ACTION:
        return -1.0 if is_tall else 1.0
    widths = [float(client.pieces[name].extents[0]) for name in free_blocks(state, card)]
    return min(widths) if is_tall else -max(widths)


def drag(person: Person, name: str, tally: dict[str, int]) -> bool:
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
    if not carry_to_its_place(person, name, tally):
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


def lay_held(person: Person, tally: dict[str, int]) -> None:
    """What was clicked into the hand goes where the pointer goes, and is laid by a click."""
    name = person.client.held
    if carry_to_its_place(person, name, tally):
        let_go(person, name, lambda: person.click(*person.app.window.pointer))


def carry_to_its_place(person: Person, name: str, tally: dict[str, int]) -> bool:
    """Carry what is held over the first place of which the screen says nothing bad, or the first of all. Returns
    whether it got there: it may touch something on the way, and where that is a foul it is put back."""
    client, hand = person.client, person.app.screen.hand
    person.wait(lambda: hand.grip is not None and not hand.grip.is_pulling, f"{name} is carried")
    places = list(places_for(person, name))
    # the next one where the last was refused
    again = sum("taken up again" in line for line in client.log[-4:]) % len(places)
    for place in (*places[again:], *places[:again], places[0]):
        carry_over(person, place)
        if client.held != name:
            return False
        if not hinted(person).startswith(BAD):
            break
        tally["warned"] += 1
    return bool(client.held == name)


def places_for(person: Person, name: str) -> Iterator[Pose | None]:
    """Where a player thinks of laying a piece, the best place first; None for the middle of the table."""
    client = person.client
    if client.game.name == "wonky":
        yield over_summit(client, name)
        return
    client.places = None
    person.app.screen.physics.send(Act.OFFER_PLACES)
    person.wait(lambda: client.places is not None, f"places for {name}")
    yield from client.places or (None,)


def over_summit(client: Any, name: str) -> Pose | None:
    """A block of Wonky as it was taken up, its centre of mass over the highest point of the tower."""
    tower = [body for body in client.lying(name) if body.name in client.state.tower]
    if not tower:
        return None
    x, y, z = summit(max(tower, key=lambda body: body.pose.position[2]))
    pose = client.pose(name)
    east, north = (pose.matrix @ client.pieces[name].centre_of_mass)[:2].tolist()
    return Pose((x - east, y - north, z), pose.orientation)


def hinted(person: Person) -> str:
    """What the screen says of the place that the held piece is over; empty when it says nothing in time."""
    hints, end = person.app.screen.hints, time.perf_counter() + HINT_S
    while time.perf_counter() < end and person.client.held:
        person.look(1)
        shapes = person.app.window.hud.layout.shapes
        text = " ".join(shape.text for shape in shapes if isinstance(shape, Letters))
        if hints.word and all(word in text for word in hints.word.split()):
            return str(hints.word)
    return ""


def carry_over(person: Person, place: Pose | None) -> None:
    """Bring what is held over a place, or over the middle of the table."""
    grip = person.app.screen.hand.grip
    if place is not None and grip is not None:
        # the keys of the hand turn what the mouse carries
        grip.orient(place)
    goal = place.position if place is not None else (0.0, 0.0, 0.0)
    steer(person, lambda: goal)


def let_go(person: Person, name: str, act: Callable[[], None]) -> None:
    """Lay what is held, once more where the screen warns that it would end the game, and see what comes of it."""
    screen, client, before = person.app.screen, person.client, person.on_screen().astype(int)
    told = client.told
    act()
    if screen._warned is not None and client.held:
        person.look(2)
        person.click(*person.app.window.pointer)
    # it may be in the hand again before anybody looks: what the rules took tells
    person.wait(lambda: client.told > told, f"{name} is let go of")
    person.wait(lambda: client.waits or over(person), "what comes of it")
    shown = person.on_screen().astype(int)
    assert colours_of(shown) > COLOURS
    assert np.abs(shown - before).max() > 24, f"nothing is seen of {name} being laid"


def steer(person: Person, wanted: Callable[[], Any]) -> None:
    """Move the pointer until what is carried is over a place, by what is seen of it, or is carried no more. The last
    millimetres go with Shift: a pixel is more than what some places leave."""
    hand, pose, times = person.app.screen.hand, person.client.pose, 1.0
    for _ in range(60):
        if hand.grip is None:
            break
        goal, there = hand.grip.goal.position, wanted()
        off = math.dist(goal[:2], there[:2])
        if off < MISS_MM / 1e3:
            break
        if times == 1.0 and off < NEAR_MM / 1e3:
            person.hold("shift")
            times = 1.0 / hand.fine
        person.still()
        camera, (width, high) = person.app.screen.camera_control.camera, person.app.window.size
        at, here = (seen_at(camera, (width, high), (*place[:2], goal[2])) for place in (there, goal))
        assert at is not None
        assert here is not None
        away = times * np.subtract(at, here)
        far = float(np.hypot(*away))
        x, y = np.asarray(person.app.window.pointer) + (away if far < 200 else away * 200 / far)
        person.move(min(max(x, 2), width - 3), min(max(y, 2), high - 3))
        person.look(2)
    if times != 1.0:
        person.lift("shift")
    person.wait(
        lambda: hand.grip is None or math.dist(pose(hand.grip.name).position, hand.grip.goal.position) < 2e-3,
        "it comes along",
        30.0,
    )
