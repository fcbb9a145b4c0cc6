"""A person at a window in which one part after the other fails, and then all of them at once; for `test_faults.py`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from inspect import getattr_static, isfunction
from pathlib import Path
from typing import Any
from unittest.mock import patch

from window_driver import Person
from window_scenarios import opened, shown_on

from teeter.engine.view.overlays import Line
from teeter.engine.view.panels import Panel, Text
from teeter.engine.view.render.stage import Stage
from teeter.engine.view.window.shapes import Letters
from teeter.games.core.rules import Wait
from teeter.games.faults import FAULTS, MOST_REPORTS
from teeter.games.present import client_state, hud
from teeter.games.present.details import GameDetails
from teeter.games.present.hints import Hints
from teeter.games.present.impacts import ImpactDetector
from teeter.games.present.one_button import OneButton
from teeter.games.present.pictures import Pictures
from teeter.games.present.shown_hand import ShownHand
from teeter.games.present.table_screen import TableScreen
from teeter.games.present.toasts import Toasts
from teeter.games.present.tutorial import Tutorial
from teeter.games.server.messages import Plan
from teeter.games.ui.pad import PadControl

PARTS: tuple[tuple[Any, str], ...] = (
    (Tutorial, "step"),
    (Tutorial, "told"),
    (Tutorial, "suggested"),
    (Hints, "step"),
    (Hints, "guides"),
    (Hints, "word"),
    (Hints, "feel_word"),
    (Toasts, "hear"),
    (Toasts, "lines"),
    (Toasts, "place"),
    (Toasts, "keep_off"),
    (ShownHand, "step"),
    (OneButton, "step"),
    (OneButton, "guides"),
    (PadControl, "step"),
    (Pictures, "step"),
    (TableScreen, "_react"),
    (TableScreen, "_move"),
    (TableScreen, "_turn_camera"),
    (TableScreen, "panels"),
    (Stage, "rest"),
    (hud, "panels"),
    *((hud.PARTS, name) for name in hud.PARTS),
)
"""What is asked for every picture, or nearly."""
RARE: tuple[tuple[Any, str], ...] = (
    (ImpactDetector, "play"),
    (client_state, "told_to"),
    (client_state, "choices_as_called"),
)
"""What is asked when something happens."""


ELSEWHERE = (
    "home",
    "values",
    "shares",
    "moot",
    "called",
    "piece_name",
    "has_slots",
    "drawn",
    "has_print",
    "highlights",
    "model",
    "unread",
)
"""Details that are asked for in the menu, in the sandbox, by pages, and while a piece is held."""


class InjectedError(RuntimeError):
    """What says something else every time."""

    count = 0

    def __init__(self, where: str) -> None:
        InjectedError.count += 1
        super().__init__(f"{where} failed for the time {InjectedError.count}")


def hooks(person: Person) -> list[tuple[Any, str]]:
    """The details of the game, all that are functions."""
    own = type(person.app.screen._details._own)
    names = {name for kind in own.__mro__ for name, value in vars(kind).items() if isfunction(value)}
    return [(own, name) for name in sorted(names) if name in vars(GameDetails) and name != "__init__"]


def failing(where: Any, name: str) -> Any:
    """A part that fails: a context."""

    def fail(*given: Any, **more: Any) -> Any:
        raise InjectedError(name)

    if isinstance(where, dict):
        return patch.dict(where, {name: fail})
    is_property = isinstance(getattr_static(where, name), property)
    return patch.object(where, name, property(fail) if is_property else fail)


def reports() -> list[Path]:
    return sorted(Path(tempfile.gettempdir()).glob("teeter-crash-*.txt"))


@contextmanager
def survived() -> Iterator[None]:
    """Nothing of what is noted within counts as a fault of the tests; reports go to a folder of their own."""
    with tempfile.TemporaryDirectory() as folder, patch.object(tempfile, "tempdir", folder):
        FAULTS.clear()
        yield
        FAULTS.clear()


def goes_on(person: Person, what: str) -> None:
    """The window still makes pictures; the fault is said in it, in a line, and reported once."""
    person.look(4)
    assert FAULTS.noted, f"{what} is not asked for"
    files = reports()
    assert files, what
    assert len(files) <= len(FAULTS.noted) <= MOST_REPORTS
    person.look(8)
    assert reports() == files, f"{what} is reported again and again"
    said = " ".join(each.text for each in person.app.window.hud.layout.shapes if isinstance(each, Letters))
    assert "Internal error in" in said, said
    assert all("Traceback (most recent call last)" in file.read_text() for file in files)
    assert any(what in file.read_text() for file in files), (what, FAULTS.noted)


def one_after_the_other(person: Person) -> None:
    for where, name in (*hooks(person), *PARTS):
        if name in ELSEWHERE:
            continue
        person.app.screen.say("So that there is a toast.")
        with survived(), failing(where, name):
            goes_on(person, name)
    person.look(2)


def undrawable(person: Person) -> None:
    """Panels and lines that nobody can draw."""
    screen = person.app.screen
    bad: Any = object()
    panel = Panel("details", "top-right", (Text(bad),))
    with survived(), patch.dict(hud.PARTS, {"the panel of the game": lambda *given: (panel,)}):
        goes_on(person, "the panel 'details'")
        names = {panel.name for panel in person.app.window.hud._panels}
        assert {"turn", "scores", "tools", "fault"} <= names
        assert "details" not in names
    with survived(), patch.object(screen, "more_guides", lambda: [Line(bad, "#000000", 1e-3)]):
        goes_on(person, "the lines on the table")
    person.look(2)
    assert shown_on(person, "details")


def parts_fail(game: str) -> None:
    """Every part fails by itself; then all at once, and a piece is laid all the same."""
    person = opened(Plan(game, ("Ana", "bot:steady"), 1, {"first": "Ana"}))
    one_after_the_other(person)
    undrawable(person)
    with survived(), ExitStack() as all_of_them:
        for where, name in (*hooks(person), *PARTS, *RARE):
            # the hand and the eye are what one plays with, and buttons
            if name not in ("_move", "_turn_camera", "the panel of the turn", "panels"):
                all_of_them.enter_context(failing(where, name))
        lay(person)
        goes_on(person, "the story")
        assert person.client.log == [] or "lays" not in person.client.log[-1]
        for what in ("the story", "a toast", "the hints", "the tutorial", "the screen of Wonky"):
            assert any(fault.what == what for fault in FAULTS.noted), (what, FAULTS.noted)
    person.wait(lambda: person.client.need.player == "Ana" and person.client.waits, "the game goes on")
    assert person.client.log, "the story goes on"
    assert shown_on(person, "turn")
    person.keep("faults-over")
    person.app.close()


def lay(person: Person) -> None:
    """The first block of Wonky, in the middle of the table."""
    person.choose(lambda each: "medium blue" in each.sentence)
    person.asked(wait=Wait.ACTION)
    name = person.client.choices[0].action.piece
    person.click(*person.place_of(name))
    person.asked(wait=Wait.HAND)
    person.move(*person.place(0.0, -0.02, 0.0))
    grip = person.wait(lambda: person.app.screen.hand.grip, "it is in the hand")
    person.wait(
        lambda: abs(person.client.pose(name).position[0] - grip.goal.position[0]) < 5e-4, "it follows"
    )
    person.click(*person.app.window.pointer)
    person.wait(lambda: name in person.client.state.tower, "it stands")


EVENTS: tuple[Callable[[Person], None], ...] = (
    lambda person: person.key("v"),
    lambda person: person.click(200.0, 300.0),
)


def acts_fail() -> None:
    """What is pressed fails, in a game and in the menu: it is not done, and the window stays."""
    person = opened(Plan("wonky", ("Ana", "bot:steady"), 1, {"first": "Ana"}))
    for name in ("handle", "_pass_on"):
        where = person.app if name == "_pass_on" else person.app.screen
        with survived(), failing(where, name):
            for event in EVENTS:
                event(person) if name == "handle" else person.look(2)
            if name == "handle":
                goes_on(person, "handle")
    person.app.screen.wish = "menu"
    person.wait(lambda: hasattr(person.app.screen, "form"), "the menu")
    menu = type(person.app.screen)
    for name in ("panels", "step"):
        with survived(), failing(menu, name):
            goes_on(person, name)
    person.look(2)
    assert shown_on(person, "menu") or person.app.window.hud._panels
    person.app.close()
