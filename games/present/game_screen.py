"""The screen of a game: what people do at the table, by mouse, keys, buttons and gamepads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from teeter.engine.view.window.events import Clicked, Event, Lift, PointerMoved, Press, Slid
from teeter.games.core.rules import Choice, Take, Wait
from teeter.games.present import hud, hud_state
from teeter.games.present.hud import piece_of, shown_by
from teeter.games.present.mouse import Mouse
from teeter.games.present.settings import Settings
from teeter.games.present.table_screen import PACES, TableScreen
from teeter.games.server.messages import Act, Do, Order, Plan, SetBot

if TYPE_CHECKING:
    from teeter.engine.view.window.window import Window
    from teeter.games.server.client import PhysicsClient


class GameScreen(TableScreen):
    """One game in the window. Raises SetupError when it cannot begin."""

    def __init__(self, window: Window, settings: Settings, plan: Plan, physics: PhysicsClient) -> None:
        super().__init__(window, settings, plan, physics)
        self.mouse = Mouse(self)

    @property
    def is_typing(self) -> bool:
        """Whether keys are letters of a text."""
        return bool(self.pages.asked)

    def handle(self, event: Event) -> None:
        """An event of the window. What the screen itself cannot do stands in `wish` then: menu, again, picture."""
        if self.pages.handle(event):
            self._turn_page()
        elif self.fall.state and not self.pages.page:
            self._watch(event)
        elif isinstance(event, Clicked):
            self._click(event.name)
        elif isinstance(event, Lift) and (self.pages.page or self.needs_pass):
            self.mouse.let_be(event)
        elif self.pages.page:
            if isinstance(event, Press) and not event.again and self._goes_back(event.key):
                self.act("menu")
        elif self.needs_pass and not (isinstance(event, Press) and self._goes_back(event.key)):
            # it is not yet who is asked that sits here
            return
        elif isinstance(event, PointerMoved):
            self.mouse.moved(event)
        elif isinstance(event, Press):
            self.mouse.pressed(event)
        elif isinstance(event, Lift):
            self.mouse.lifted(event)
        elif isinstance(event, Slid):
            self._slid(event.name, event.value)

    def _watch(self, event: Event) -> None:
        """While something falls, and as long as it lies there."""
        is_key = isinstance(event, Press) and not event.again
        act = self.settings.act_of(event.key) if isinstance(event, Press) and is_key else ""
        name = event.name if isinstance(event, Clicked) else ""
        if name == "go_on" or self.fall.key(act):
            self.fall.leave()
        elif name == "watch_again":
            self.fall.again()
        elif name == "clip":
            self.wish = name
        elif isinstance(event, Press) and is_key and self._goes_back(event.key):
            self.act("menu")
        elif isinstance(event, Lift):
            self.mouse.let_be(event)

    def _goes_back(self, key: str) -> bool:
        return key == "pad_b" or self.settings.act_of(key) == "menu"

    def _click(self, name: str) -> None:
        kind, _, rest = name.partition(":")
        if kind == "choice":
            if int(rest) < len(self.client.choices):
                self._do(self.client.choices[int(rest)])
        elif kind == "act":
            self.act(rest)
        elif kind == "place":
            self.one_button.choose(int(rest))
        elif kind == "line":
            self.one_button.press_line()
        elif kind in ("page", "list", "all"):
            self.look = hud_state.pressed(self.look, kind)
        elif kind == "skip":
            self.end_tutorial()
        elif kind == "bot" and rest in self.pages.seats:
            is_bot = self.pages.seats[rest] = not self.pages.seats[rest]
            self.physics.send(SetBot(rest, "steady" if is_bot else ""))
        elif kind == "seat":
            self._seated = self.client.need.player
        elif kind in ("undo", "view", "help", "menu", "hurry"):
            self.act(kind)
        else:
            self.wish = "menu" if kind == "leave" else kind

    def _turn_page(self) -> None:
        """Another page may be open now, and settings may have changed. Time stands still behind a page."""
        self.settings = self.hand.settings = self.pages.settings
        self._teach()
        self.pause()
        if self.pages.wish:
            self.wish, self.pages.wish = "menu", ""

    def _slid(self, name: str, value: float) -> None:
        """A slider was dragged; others are the sandbox's."""
        self.look = hud_state.slid(self.look, name, value)

    def click_at(self, x: float, y: float) -> None:
        """A click on the table: take what is there, lay what is held."""
        client = self.client
        if client.waits is None:
            return
        if self.hand.grip is not None:
            self.act("lay")
            return
        name, self.toasts.tried_at = self.mouse.piece_at(x, y), (x, y)
        if not name:
            self.look = hud_state.pressed(self.look, "all")
            return
        choices = [choice for choice in client.choices if shown_by(choice) == name]
        if len(choices) == 1:
            self._do(choices[0])
        elif choices:
            self.look = hud_state.pressed(self.look, f"only:{name}")
        elif client.waits.need.wait is Wait.ACTION:
            # the rules say why not
            self.physics.send(Do(Take(client.waits.need.player, name)))

    def take_at(self, x: float, y: float) -> bool:
        """Take what is there to drag it. Returns whether there is something to be taken."""
        name = self.mouse.piece_at(x, y)
        choices = [choice for choice in self.client.choices if name and shown_by(choice) == name]
        if self.client.waits is None or len(choices) != 1:
            return False
        self._do(choices[0])
        return True

    def is_awaited(self, x: float, y: float) -> bool:
        """Whether what is there may be taken in a moment: a person is to act who has not been asked yet."""
        client = self.client
        is_next = client.waits is None and not client.held and client.need.player in client.people
        return is_next and bool(self.mouse.piece_at(x, y))

    def number(self, digit: int) -> None:
        """Take the choice of a number; 0 shows more of them."""
        if digit == 0:
            self.look = hud_state.pressed(self.look, "page")
            return
        offered, _ = hud.offered(self.client, replace(self.look, is_scanning=self.is_scanned))
        if digit <= len(offered):
            self._do(offered[digit - 1])

    def act(self, name: str) -> None:
        """Do what a key does."""
        if name in ("lay", "let_go") and self._is_to_be_confirmed():
            return
        if name == "next":
            self._cursor = (self._cursor + 1) % max(len(self.client.choices), 1)
        elif name == "choose":
            # what one holds is not put back by a key that means yes
            only = self.client.choices if not self.client.held else ()
            if (lit := self._lit_choice()) is not None or len(only) == 1:
                self._do(lit or only[0])
        elif name == "undo":
            if why := hud.why_no_undo(self.client, self.settings):
                self.say(why)
            else:
                self._order(Act.UNDO)
        elif name == "hurry":
            self.pace = PACES[(PACES.index(self.pace) + 1) % len(PACES)]
        elif name == "view":
            self.camera_control.next_view()
        elif name == "home":
            self.camera_control.go_home()
            # over the middle of the table
            self.hand.go_to(0.0, 0.0)
        elif name == "follow":
            self.camera_control.is_following = not self.camera_control.is_following
        elif name in ("closer", "further"):
            self.camera_control.zoom(1.0 if name == "closer" else -1.0)
        elif name == "help":
            self.pages.open_help()
            self._turn_page()
        elif name == "menu":
            if self.pages.page:
                self.pages.back()
            else:
                self.pages.page = "pause"
            self._turn_page()
        elif name == "feel" and self.hand.grip is not None:
            # a gamepad has no button left for it
            self.hand.act("places", self.camera_control.camera.right)
        elif name == "feel":
            piece = piece_of(lit) if (lit := self._lit_choice()) is not None else self.mouse.over
            if piece in self.client.in_play and self.client.waits is not None and not self.client.held:
                self.hints.feel(piece)
        elif name == "ghost":
            self.hints.shows_ghost = not self.hints.shows_ghost
        elif name == "hint":
            self.hints.shows_hint = not self.hints.shows_hint
        elif name == "nearest":
            if self.hints.nearest is not None and self.is_carrying:
                self.hand.carry_to(self.hints.nearest)
        elif name == "picture":
            self.wish = name
        elif not self.hand.act(name, self.camera_control.camera.right) and name in (
            "left",
            "right",
            "far",
            "near",
        ):
            turn = {"left": (-12, 0), "right": (12, 0), "far": (0, -12), "near": (0, 12)}[name]
            self.camera_control.drag(turn[0], turn[1], float(self.window.size[1]))

    def _is_to_be_confirmed(self) -> bool:
        """Whether laying the piece would end the game, which has to be wanted twice."""
        ending, warned = self.hints.ending, self._warned
        self._warned = ending
        return ending is not None and ending is not warned

    def _do(self, choice: Choice) -> None:
        self.toasts.tried_at = self.window.pointer
        self._order(Do(choice.action))
        self.look = hud_state.anew(self.look)

    def _order(self, order: Order) -> None:
        """What is not for a moving hand: nobody is asked until the game asks again."""
        self.physics.send(order)
        self.client.act()
