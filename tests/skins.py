"""The two skins of a game, driven by hand: the window's presenter without OpenGL, the hosted table without a line. The
physics of both only take note of orders."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from websockets.asyncio.server import ServerConnection

from teeter.engine.view.frame import frame_of
from teeter.engine.view.window.events import Event, Lift, Press
from teeter.engine.view.window.layout import Layout
from teeter.games.core.rules import Input, Wait
from teeter.games.host.connection import Connection, ConnectionLimits
from teeter.games.host.links import Address, Links
from teeter.games.host.table import HostedTable, Hosting
from teeter.games.present.game_screen import GameScreen
from teeter.games.present.menu_screen import MenuScreen
from teeter.games.present.sandbox_screen import SandboxScreen
from teeter.games.present.settings import load_settings
from teeter.games.server.client import PhysicsClient
from teeter.games.server.messages import (
    Busy,
    GameUpdate,
    News,
    Order,
    Places,
    Plan,
    TableView,
    Waits,
    Wreck,
)
from teeter.games.server.setup import FirstView, first_view

SIZE, MIDDLE = (1280, 720), (640.0, 400.0)
STEP_S, STEPS = 0.02, 25
"""Of the presenter, and how many pass after an act: longer than a key has to be down to go on."""
RATE = 240


# -- where an act is tried --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Moment:
    """A game at which an act is tried. taken: how the choices begin that were made before. off: pieces that lie on the
    floor. fallen: a wreck lies there."""

    game: str
    options: tuple[tuple[str, object], ...] = ()
    taken: tuple[str, ...] = ()
    players: tuple[str, ...] = ("Ana", "Ben")
    scene: str | None = None
    off: tuple[str, ...] = ()
    fallen: bool = False

    @property
    def plan(self) -> Plan:
        """The game."""
        return Plan(self.game, self.players, 3, dict(self.options), scene=self.scene)

    def news(self) -> list[News]:
        """What the physics say until somebody is asked at that moment."""
        first = opening(self.plan.game, self.players, self.options, self.scene)
        rules, state, frame = first.game.rules, first.state, frame_of(first.bodies)
        poses = frame.poses.copy()
        poses[[frame.names.index(name) for name in self.off], 2] = -0.7
        found: list[News] = [GameUpdate(state, "Opening")]
        for words in self.taken:
            action = next(each.action for each in rules.legal(state) if each.sentence.startswith(words))
            state = rules.apply(state, action)
            found.append(GameUpdate(state, type(action).__name__, cast(Input, action)))
        need = rules.needs(state)
        held = need.pieces[0] if need.wait in (Wait.HAND, Wait.PULL) else ""
        if self.fallen:
            return [*found, *falling(first), Wreck()]
        found.append(TableView(0, RATE, frame.names, poses, held))
        if need.player.startswith("steady"):
            return [*found, Busy("the bot thinks")]
        found.append(Waits(need, rules.legal(state), can_undo=True))
        return [*found, Places((first.bodies[-1].pose,))] if held else found


@cache
def opening(
    game: str, players: tuple[str, ...], options: tuple[tuple[str, object], ...], scene: str | None
) -> FirstView:
    """A game before anybody has acted; what cannot change is built once."""
    return first_view(Plan(game, players, 3, dict(options), scene=scene))


def falling(first: FirstView) -> list[TableView]:
    """All pieces come down within a second, from where they stand."""
    frame = frame_of(first.bodies)
    rows = [n for n, name in enumerate(frame.names) if name != "table"]
    found = []
    for number in range(100):
        poses, since = frame.poses.copy(), min(max(number / 60 - 0.5, 0.0), 1.0)
        poses[rows, 2] = np.maximum(poses[rows, 2] - 4.9 * since**2, np.minimum(poses[rows, 2], 0.0075))
        found.append(TableView(round(number / 60 * RATE), RATE, frame.names, poses))
    return found


FIRST = ("first", "Ana")
ASKED = Moment("tower-topple", (FIRST,))
PULLED = Moment("tower-topple", (FIRST,), ("pull",))
FALLEN = Moment("tower-topple", (FIRST,), fallen=True)
WAITING = Moment("tower-topple", players=("bot:steady", "Ana"))
CARRIED = Moment("crazy-tower", (FIRST,), ("take",))
CARDS = Moment("wonky", (FIRST,))
BIDS = Moment("bausack", (FIRST, ("pieces", 12)), ("look",))
BUILT = Moment("sandbox", players=("Ana",), scene="two_bricks")
DROPPED = Moment("sandbox", players=("Ana",), scene="two_bricks", off=("slab",))
MENU = Moment("menu")


# -- the skins --------------------------------------------------------------------------------------------------------


class Physics:
    """Stands where the physics do: takes note of orders, says what it is to say."""

    def __init__(self, *given: object) -> None:
        self.orders: list[Order] = []
        self.next: list[News] = []

    def send(self, order: Order) -> None:
        """An order."""
        self.orders.append(order)

    def news(self) -> list[News]:
        """What is new."""
        found, self.next = self.next, []
        return found

    def begin(self, plan: Plan) -> None:
        """The game begins."""

    def close(self) -> None:
        """It has no process."""


class Unasked:
    """Stands where the processes do that look at places and feel pieces: takes seconds to answer."""

    is_busy = False

    def __class_getitem__(cls, kinds: object) -> type[Unasked]:
        return cls

    def __init__(self, *given: object) -> None: ...

    def tell(self, fact: object) -> None:
        """A body."""

    def ask(self, question: object) -> int:
        """A question."""
        return 1

    def poll(self) -> tuple[()]:
        """No answer yet."""
        return ()

    def close(self) -> None:
        """It has no process."""


class Glass:
    """Stands where the window does, with nothing drawn."""

    size, pointer, stage, speaker, is_padded = SIZE, MIDDLE, None, None, False

    def __init__(self) -> None:
        self.down: set[str] = set()
        self.hud = SimpleNamespace(layout=Layout(size=SIZE))

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name not in ("put", "aim", "show", "show_overlays", "clear"):
            raise AttributeError(name)
        return lambda *given, **named: None


Push = str | Event | Callable[[Any], Event]
"""A key that is pressed; one that goes down and stays, with a plus before it; an event; what makes one of a screen."""


class AtWindow:
    """Somebody at the window. screen: its presenter."""

    def __init__(self, at: Moment) -> None:
        if at is MENU:
            self.screen: Any = MenuScreen(cast(Any, Glass()), load_settings())
            return
        kind = SandboxScreen if at.game == "sandbox" else GameScreen
        physics = Physics()
        self.screen = kind(cast(Any, Glass()), load_settings(), at.plan, cast(PhysicsClient, physics))
        self.screen._seated = "Ana"
        physics.next = at.news()
        for _ in range(3):
            self.screen.step(STEP_S)

    def do(self, pushes: tuple[Push, ...]) -> None:
        """What a person pushes, and half a second after it."""
        screen = self.screen
        for each in pushes:
            if isinstance(each, str) and each.startswith("+"):
                screen.window.down.add(each[1:])
            elif isinstance(each, str):
                screen.handle(Press(each, *MIDDLE))
                screen.handle(Lift(each, *MIDDLE))
            else:
                screen.handle(each(screen) if callable(each) else each)
            screen.step(STEP_S)
        for _ in range(STEPS):
            screen.step(STEP_S)


Said = Mapping[str, object] | Callable[[Any], Mapping[str, object]]
"""A message of a page; what makes one of the window's screen, as where its pointer is."""


class AtPage:
    """Somebody at a browser, who hosts and plays Ana. table: the hosted one. beside: the window's screen, whose picture
    the page has too."""

    def __init__(self, at: Moment, beside: Any) -> None:
        self.physics, self._beside = Physics(), beside
        links = Links(Address(), host="h" * 24, seats="s" * 24, spectators="o" * 24, is_drawn=True)
        first = opening(at.game, at.players, at.options, at.scene)
        hosting = Hosting(at.plan, first, links, lambda line: None, lambda ready: None, has_pictures=False)
        self.table = HostedTable(hosting, cast(PhysicsClient, self.physics))
        socket = SimpleNamespace(transport=SimpleNamespace(get_extra_info=lambda name: None))
        self.line = Connection(
            cast(ServerConnection, socket), ConnectionLimits(), self.table.audience.scene.everything
        )
        self.say({"type": "hello", "secret": links.host, "seat": "Ana"})
        self.physics.next = at.news()
        self.table.hear()
        self.table.tick()

    def say(self, message: Said) -> None:
        """A message of the page; a choice is given by words of its sentence."""
        given = dict(message(self._beside) if callable(message) else message)
        if given["type"] == "choose":
            choices = self.table.audience.views["Ana"].choices
            given["choice"] = next(
                n for n, each in enumerate(choices) if str(given["choice"]) in each.sentence
            )
            given["turn"] = self.table._wishes.turn
        self.table.receive(self.line, json.dumps(given))

    def do(self, messages: tuple[Said, ...]) -> None:
        """What a page says, one after the other. Raises AssertionError where something is refused."""
        for each in messages:
            self.say(each)
            self.table.tick()
        refused = [text for text in map(str, self.line._waiting) if text.startswith('{"type":"refused"')]
        assert not refused, refused
