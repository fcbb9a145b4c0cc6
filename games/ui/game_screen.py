"""The screen of a game: joins what is known of it, the hand, the camera and the window."""

from __future__ import annotations

import time
from dataclasses import replace

from engine.view.frame import Frame
from engine.view.panels import Panel
from engine.view.render.overlays import Overlay
from engine.view.window.events import Clicked, Event, Lift, PointerMoved, Press, Slid
from engine.view.window.window import Window
from games.core.rules import Choice, Take, Wait
from games.ui import hud
from games.ui.camera import CameraController, CameraHandicap, sphere_of
from games.ui.details import Tutorial, details_of
from games.ui.end_screen import broken
from games.ui.hand import HandControl
from games.ui.hints import Hints, PlaceAnswer
from games.ui.hud import HudState, piece_of
from games.ui.impacts import ImpactDetector
from games.ui.messages import Do, NewBody, Order, Pause, Plan, PullOut, SetSpeed, TableView, Undo
from games.ui.mouse import Mouse
from games.ui.one_button import OneButton
from games.ui.pages import Pages
from games.ui.physics_client import ClientState, PhysicsClient
from games.ui.settings import Settings
from games.ui.setup import first_view
from games.ui.shown_hand import ShownHand
from games.ui.toasts import Toasts

HOVER, LIT = "#f2c14e", "#e07a2f"
SLOW = (0.35, 1.4)
"""How fast time runs when pieces fall, and seconds for which it does."""
ENDING = "This would end the game, and not win it. The same once more lays it all the same."


class GameScreen:
    """One game in the window. Raises SetupError when it cannot begin."""

    def __init__(self, window: Window, settings: Settings, plan: Plan) -> None:
        self.window, self.settings = window, settings
        self.plan: Plan | None = plan
        self.film = ""
        opening = first_view(plan)
        game, state, bodies = opening.game, opening.state, opening.bodies
        self.physics = PhysicsClient(plan)
        self._details = details_of(game)
        self.client = ClientState(plan, game, state, bodies, time.perf_counter)
        self.client.remember(opening.past)
        sphere = sphere_of(bodies)
        window.put(bodies, sphere=sphere)
        self.camera_control = CameraController(sphere, CameraHandicap(game.handicaps.of(state)))
        window.aim(self.camera_control.camera)
        self.hand = HandControl(self.client, self.physics, settings)
        is_coached = settings.help.level == "coach"
        self.hints = Hints(self.client, ghost=is_coached, hint=is_coached)
        self.look = HudState()
        self.wish = ""
        self.is_scanned = False
        self.lit = ""
        """What the switch scanning is on."""
        self.one_button = OneButton(self.client, self.hand, self.physics)
        self.mouse = Mouse(self)
        self._seated = self.client.people[0] if len(self.client.people) == 1 else ""
        self._cursor = -1
        self._slow_until = 0.0
        self._state = state
        self._marked: dict[str, str] = {}
        self._impacts = ImpactDetector()
        self._warned: PlaceAnswer | None = None
        self._shown_hand = ShownHand()
        self._lesson = Tutorial() if is_coached else None
        self._is_new = True
        self.toasts = Toasts(self.client)
        self.pages = Pages(settings, game, "Leave" if plan.file is None else "Save and leave")

    def step(self, seconds: float) -> None:
        """Hear the physics, move the hand and the camera on, show what there is."""
        now = time.perf_counter()
        is_new = False
        clear = self.window.hud.layout.clear
        if clear.width > 1.0:
            self.camera_control.keep_clear(clear.x, clear.x + clear.width, self.window.size)
        for news in self.physics.news():
            is_new |= self.client.hear(news)
            if isinstance(news, TableView):
                camera, (width, height) = self.camera_control.camera, self.window.size
                self._impacts.play(news, self.client.pieces, self.window.speaker, camera, width / height)
            if isinstance(news, NewBody):
                assert self.window.stage is not None
                self.window.stage.add(news.body)
        self._react(now)
        self.hand.follow()
        self.mouse.step()
        self.camera_control.is_locked = self.camera_control.eye.locks(self.hand.grip is not None)
        self.hand.is_fine = self.is_down("fine")
        self.hand.hold(self.window.down, self.camera_control.camera, seconds)
        if self.hand.grip is not None and self.client.view is not None:
            place = self.client.pose(self.hand.grip.name).position
            self.camera_control.look_at(place)
            self.camera_control.keep_in_view(place, self.window.size[0] / self.window.size[1])
        if self.camera_control.step(seconds):
            self.window.aim(self.camera_control.camera)
        if is_new:
            self.hand.settle()
            self.camera_control.keep_out_of(self.client.frame, self.client.pieces, self.client.held)
        is_new |= self._hand_moved(seconds)
        if is_new or self._is_new or self._marks() != self._marked:
            self._show()
        self.hints.step(self.hand.grip, seconds)
        self.one_button.is_on = self.is_scanned
        self.one_button.step(seconds)
        self.window.show_overlays(
            [
                *self.hand.guides(),
                *self.hints.guides(self.hand.grip),
                *self.one_button.guides(self.lit),
                *self.more_guides(),
            ]
        )

    def _hand_moved(self, seconds: float) -> bool:
        """Moves the hand that is seen. Returns whether the picture changes."""
        stage = self.window.stage
        if stage is None or not self.settings.hand.shown:
            return False
        return self._shown_hand.step(self.client, stage, seconds, is_own=self.hand.grip is not None)

    def more_guides(self) -> list[Overlay]:
        """Guides of a game of its own kind."""
        grip = self.hand.grip
        lines = self._details.table_lines(self.client)
        return lines if grip is None else [*lines, *self._details.highlights(self.client, grip)]

    def _react(self, now: float) -> None:
        events, self.client.events = self.client.events, []
        self.toasts.hear(now)
        if "Fell" in events:
            self.camera_control.shake()
            self.physics.send(SetSpeed(SLOW[0]))
            self._slow_until = now + SLOW[1]
        if self._slow_until and now > self._slow_until:
            self._slow_until = 0.0
            self.physics.send(SetSpeed(1.0))
        before, self._state = self._state, self.client.state
        if self.client.game.handicaps.spins(before, self._state):
            self.camera_control.eye.spin()
        if events:
            self.hints.felt = None
            self.look = replace(self.look, page=0, pieces=())
            self._cursor = -1

    def _show(self) -> None:
        frame = self.client.frame
        self._marked = self._marks()
        known = [name for name in frame.names if name in self.client.pieces]
        if len(known) == len(frame.names):
            unread = self._details.unread(self.client)
            shown = Frame(frame.names, frame.poses, highlights=self._marked, unread=unread)
            self.window.show(self._shown_hand.at_table(shown))
        self._is_new = False

    def _marks(self) -> dict[str, str]:
        marks: dict[str, str] = {}
        name = self.mouse.over
        if name and any(piece_of(each) == name for each in self.client.choices):
            marks[name] = HOVER
        if self.hand.grip is not None and self.hints.colour:
            marks[self.hand.grip.name] = self.hints.colour
        lit = self._lit_choice()
        about = self._details.lit(self.client)
        for piece in (*about, *self.look.pieces, piece_of(lit) if lit is not None else ""):
            if piece in self.client.frame.names:
                marks[piece] = LIT
        return marks

    def panels(self) -> tuple[Panel, ...]:
        """What lies over the table."""
        if self.client.broken:
            return (broken(self.client.broken),)
        if self.pages.page:
            return (self.pages.dialog(),)
        if (line := self.one_button.panel()) is not None:
            return (line,)
        if self.needs_pass:
            return (hud.pass_on(self.client.need.player),)
        grip = self.hand.grip
        now = time.perf_counter()
        told = self.toasts.lines(now)
        look = replace(
            self.look,
            now=now,
            toast=told,
            toast_at=self.toasts.place(self.camera_control.camera, self.window.size) if told else (0.0, 0.0),
            refused_at=self.toasts.tried_at,
            film=self.film,
            close=self.mouse.over,
            is_fine=self.hand.is_fine,
            gap_mm=1e3 * grip.gap if grip is not None else 0.0,
            yaw_deg=grip.yaw if grip is not None else 0.0,
            hint=self.hints.word,
            warning=ENDING if self._warned is not None and self._warned is self.hints.ending else "",
            feel=self.hints.feel_word,
            coach=self._lesson.told(self.client) if self._lesson is not None else "",
            is_scanning=self.is_scanned,
            places=None if self.one_button.places is None else len(self.one_button.places),
            lit=f"choice:{self._cursor}" if self._cursor >= 0 else self.look.lit,
        )
        panels = hud.panels(self.client, self.settings, look)
        # with one button what is done to a held piece comes first
        return tuple(sorted(panels, key=lambda panel: panel.name != "hand")) if self.is_scanned else panels

    @property
    def is_typing(self) -> bool:
        """Whether keys are letters of a text."""
        return bool(self.pages.asked)

    @property
    def needs_pass(self) -> bool:
        """Whether somebody else has to sit down before secrets may be shown."""
        client, waits = self.client, self.client.waits
        is_other = waits is not None and len(client.people) > 1 and self._seated != waits.need.player
        return is_other and client.has_secrets

    def handle(self, event: Event) -> None:
        """An event of the window. What the screen itself cannot do stands in `wish` then: menu, again, picture."""
        if self.pages.handle(event):
            self._turn_page()
        elif isinstance(event, Clicked):
            self._clicked(event.name)
        elif self.pages.page:
            if isinstance(event, Press) and not event.again and self.settings.act_of(event.key) == "menu":
                self.act("menu")
        elif isinstance(event, PointerMoved):
            self.mouse.moved(event)
        elif isinstance(event, Press):
            self.mouse.pressed(event)
        elif isinstance(event, Lift):
            self.mouse.lifted(event)
        elif isinstance(event, Slid):
            self._slid(event.name, event.value)

    def _clicked(self, name: str) -> None:
        kind, _, rest = name.partition(":")
        if kind == "choice":
            if int(rest) < len(self.client.choices):
                self._do(self.client.choices[int(rest)])
        elif kind == "act":
            self.act(rest)
        elif kind == "pull":
            self.physics.send(PullOut())
        elif kind == "place":
            self.one_button.choose(int(rest))
        elif kind == "line":
            self.one_button.press_line()
        elif kind == "page":
            self.look = replace(self.look, page=self.look.page + 1)
        elif kind == "seat":
            self._seated = self.client.need.player
        elif kind in ("undo", "view", "help", "menu"):
            self.act(kind)
        else:
            self.wish = "menu" if kind == "leave" else kind

    def _turn_page(self) -> None:
        """Another page may be open now, and settings may have changed. Time stands still behind a page."""
        self.settings = self.hand.settings = self.pages.settings
        self.physics.send(Pause(bool(self.pages.page)))
        if self.pages.wish:
            self.wish, self.pages.wish = "menu", ""

    def _slid(self, name: str, value: float) -> None:
        """Sliders are the sandbox's."""

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
            self.look = replace(self.look, pieces=())
            return
        found = [each for each in client.choices if piece_of(each) == name]
        if len(found) == 1:
            self._do(found[0])
        elif found:
            self.look = replace(self.look, pieces=(name,), page=0)
        elif client.waits.need.wait is Wait.ACTION:
            # the rules say why not
            self.physics.send(Do(Take(client.waits.need.player, name)))

    def take_at(self, x: float, y: float) -> bool:
        """Take what is there to drag it. Returns whether there is something to be taken."""
        name = self.mouse.piece_at(x, y)
        found = [each for each in self.client.choices if name and piece_of(each) == name]
        if self.client.waits is None or len(found) != 1:
            return False
        self._do(found[0])
        return True

    def number(self, digit: int) -> None:
        """Take the choice of a number; 0 shows more of them."""
        if digit == 0:
            self.look = replace(self.look, page=self.look.page + 1)
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
            choices = self.client.choices
            if (lit := self._lit_choice()) is not None or len(choices) == 1:
                self._do(lit or choices[0])
        elif name == "undo":
            if hud.can_undo(self.client, self.settings):
                self._order(Undo())
        elif name == "view":
            self.camera_control.next_view()
        elif name == "home":
            self.camera_control.go_home()
            self.hand.bring_back()
        elif name == "follow":
            self.camera_control.is_following = not self.camera_control.is_following
        elif name in ("closer", "further"):
            self.camera_control.zoom(1.0 if name == "closer" else -1.0)
        elif name == "help":
            self.pages.page = "keys"
            self._turn_page()
        elif name == "menu":
            if self.pages.page:
                self.pages.back()
            else:
                self.pages.page = "pause"
            self._turn_page()
        elif name == "feel":
            piece = piece_of(lit) if (lit := self._lit_choice()) is not None else self.mouse.over
            if piece in self.client.in_play and self.client.waits is not None and not self.client.held:
                self.hints.feel(piece)
        elif name == "ghost":
            self.hints.shows_ghost = not self.hints.shows_ghost
        elif name == "hint":
            self.hints.shows_hint = not self.hints.shows_hint
        elif name == "picture":
            self.wish = name
        elif not self.hand.act(name, self.camera_control.camera) and name in ("left", "right", "far", "near"):
            turn = {"left": (-12, 0), "right": (12, 0), "far": (0, -12), "near": (0, 12)}[name]
            self.camera_control.drag(turn[0], turn[1], float(self.window.size[1]))

    def _is_to_be_confirmed(self) -> bool:
        """Whether laying the piece would end the game, which has to be wanted twice."""
        ending, warned = self.hints.ending, self._warned
        self._warned = ending
        return ending is not None and ending is not warned

    def _lit_choice(self) -> Choice | None:
        kind, _, number = self.lit.partition(":")
        at = int(number) if kind == "choice" else self._cursor
        return self.client.choices[at] if 0 <= at < len(self.client.choices) else None

    def _do(self, choice: Choice) -> None:
        self.toasts.tried_at = self.window.pointer
        self._order(Do(choice.action))
        self.look = replace(self.look, pieces=(), page=0)

    def _order(self, order: Order) -> None:
        """What is not for a moving hand: nobody is asked until the game asks again."""
        self.physics.send(order)
        self.client.act()

    def is_down(self, act: str) -> bool:
        """Whether a key of an act is held down."""
        return any(self.settings.act_of(key) == act for key in self.window.down)

    def close(self) -> None:
        """Leave the table; what is recorded stays."""
        self.hints.close()
        self.physics.close()
        self.window.clear()
