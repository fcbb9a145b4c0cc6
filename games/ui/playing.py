"""The screen of a game: joins what is known of it, the hand, the camera and the window."""

from __future__ import annotations

import time
from dataclasses import replace

from engine.view.audio.impact_sound import RATE, impact_samples
from engine.view.frame import Frame
from engine.view.panels import Panel
from engine.view.render.overlays import Overlay
from engine.view.window.events import Clicked, Event, Lift, PointerMoved, Press, Slid
from engine.view.window.window import Window
from games.core.rules import Choice, Take, Wait
from games.ui import details, hud
from games.ui.camera_handicap import handicap_of
from games.ui.counsel import Counsel
from games.ui.desk import Desk
from games.ui.hand import HandControl
from games.ui.hud import Look, piece_of
from games.ui.knocks import Knocks
from games.ui.link import Link
from games.ui.messages import Do, New, Pace, Plan, Undo, View
from games.ui.mouse import Mouse
from games.ui.opening import first_state
from games.ui.settings import Settings
from games.ui.sight import Sight, sphere_of
from games.ui.tutorial import Tutorial

HOVER, LIT = "#f2c14e", "#e07a2f"
SLOW = (0.35, 1.4)
"""How fast time runs when pieces fall, and seconds for which it does."""


class Playing:
    """One game in the window. Raises SetupError when it cannot begin."""

    def __init__(self, window: Window, settings: Settings, plan: Plan) -> None:
        self.window, self.settings = window, settings
        self.plan: Plan | None = plan
        game, state, bodies = first_state(plan)
        self.link = Link(plan)
        self.desk = Desk(plan, game, state, bodies, time.perf_counter)
        sphere = sphere_of(bodies)
        window.put(bodies, sphere=sphere)
        self.sight = Sight(sphere, handicap_of(game, state))
        window.aim(self.sight.camera)
        self.hand = HandControl(self.desk, self.link, settings)
        is_coached = settings.help.level == "coach"
        self.counsel = Counsel(self.desk, ghost=is_coached, hint=is_coached)
        self.look = Look()
        self.wish = ""
        self.is_scanned = False
        self.mouse = Mouse(self)
        self._seated = self.desk.people[0] if len(self.desk.people) == 1 else ""
        self._cursor = -1
        self._slow_until = 0.0
        self._state = state
        self._marked: dict[str, str] = {}
        self._knocks = Knocks()
        self._lesson = Tutorial() if is_coached else None
        self._is_new = True

    # -- what happens by itself --------------------------------------------------------------------------------------

    def step(self, seconds: float) -> None:
        """Hear the physics, move the hand and the camera on, show what there is."""
        now = time.perf_counter()
        is_new = False
        for news in self.link.news():
            is_new |= self.desk.hear(news)
            if isinstance(news, View):
                self._sound(news)
            if isinstance(news, New):
                assert self.window.stage is not None
                self.window.stage.add(news.body)
        self.desk.fresh.clear()
        self._react(now)
        self.hand.follow()
        self.sight.is_locked = self.sight.eye.locks(self.hand.grip is not None)
        self.hand.is_fine = self.is_down("fine")
        self.hand.hold(self.window.down, self.sight.camera, seconds)
        if self.hand.grip is not None and self.desk.view is not None:
            self.sight.look_at(self.desk.pose(self.hand.grip.name).position)
        if self.sight.step(seconds):
            self.window.aim(self.sight.camera)
        if is_new:
            self.hand.settle()
        if is_new or self._is_new or self._marks() != self._marked:
            self._show()
        self.counsel.step(self.hand.grip, seconds)
        self.window.show_overlays(
            [*self.hand.guides(), *self.counsel.guides(self.hand.grip), *self.more_guides()]
        )

    def more_guides(self) -> list[Overlay]:
        """Guides of a game of its own kind."""
        return details.highlights(self.desk, self.hand.grip)

    def _sound(self, view: View) -> None:
        speaker = self.window.speaker
        if speaker is None or speaker.is_silent:
            return
        for knock in self._knocks.of(view, self.desk.pieces):
            piece = self.desk.pieces[knock.piece]
            speaker.play(impact_samples(piece, knock.impulse, on_table=knock.on_table), RATE)
        speaker.step()

    def _react(self, now: float) -> None:
        events, self.desk.events = self.desk.events, []
        if "Fell" in events:
            self.sight.shake()
            self.link.send(Pace(SLOW[0]))
            self._slow_until = now + SLOW[1]
        if self._slow_until and now > self._slow_until:
            self._slow_until = 0.0
            self.link.send(Pace(1.0))
        before, self._state = self._state, self.desk.state
        if self.desk.game.handicaps.spins(before, self._state):
            self.sight.eye.spin()
        if events:
            self.counsel.felt = None
            self.look = replace(self.look, page=0, pieces=())
            self._cursor = -1

    def _show(self) -> None:
        frame = self.desk.frame
        self._marked = self._marks()
        known = [name for name in frame.names if name in self.desk.pieces]
        if len(known) == len(frame.names):
            unread = details.unread(self.desk)
            self.window.show(Frame(frame.names, frame.poses, highlights=self._marked, unread=unread))
        self._is_new = False

    def _marks(self) -> dict[str, str]:
        marks: dict[str, str] = {}
        name = self.mouse.over
        if name and any(piece_of(each) == name for each in self.desk.choices):
            marks[name] = HOVER
        if self.hand.grip is not None and self.counsel.colour:
            marks[self.hand.grip.name] = self.counsel.colour
        lit = self._lit_choice()
        for piece in (*self.look.pieces, piece_of(lit) if lit is not None else ""):
            if piece in self.desk.frame.names:
                marks[piece] = LIT
        return marks

    def panels(self) -> tuple[Panel, ...]:
        """What lies over the table."""
        if self.desk.broken:
            return (hud.broken(self.desk.broken),)
        if self.needs_pass:
            return (hud.pass_on(self.desk.need.player),)
        grip = self.hand.grip
        look = replace(
            self.look,
            now=time.perf_counter(),
            is_fine=self.hand.is_fine,
            gap_mm=1e3 * grip.gap if grip is not None else 0.0,
            yaw_deg=grip.yaw if grip is not None else 0.0,
            hint=self.counsel.word,
            feel=self.counsel.feel_word,
            coach=self._lesson.told(self.desk) if self._lesson is not None else "",
            is_scanning=self.is_scanned,
            lit=f"choice:{self._cursor}" if self._cursor >= 0 else self.look.lit,
        )
        return hud.panels(self.desk, self.settings, look)

    @property
    def is_typing(self) -> bool:
        """Whether keys are letters of a text."""
        return False

    @property
    def needs_pass(self) -> bool:
        """Whether somebody else has to sit down before secrets may be shown."""
        desk = self.desk
        if desk.waits is None or len(desk.people) < 2 or self._seated == desk.waits.need.player:
            return False
        return desk.has_secrets

    # -- what a person does ------------------------------------------------------------------------------------------

    def handle(self, event: Event) -> None:
        """An event of the window. What the screen itself cannot do stands in `wish` then: menu, again, picture."""
        if isinstance(event, Clicked):
            self._clicked(event.name)
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
            self._choose(int(rest))
        elif kind == "act":
            self.act(rest)
        elif kind == "page":
            self.look = replace(self.look, page=self.look.page + 1)
        elif kind == "seat":
            self._seated = self.desk.need.player
        elif kind in ("undo", "view", "help"):
            self.act(kind)
        else:
            self.wish = kind

    def _slid(self, name: str, value: float) -> None:
        """Sliders are the sandbox's."""

    def click_at(self, x: float, y: float) -> None:
        """A click on the table: take what is there, lay what is held."""
        desk = self.desk
        if desk.waits is None:
            return
        if self.hand.grip is not None:
            self.hand.act("lay", self.sight.camera)
            return
        name = self.mouse.piece_at(x, y)
        if not name:
            self.look = replace(self.look, pieces=())
            return
        found = [each for each in desk.choices if piece_of(each) == name]
        if len(found) == 1:
            self._do(found[0])
        elif found:
            self.look = replace(self.look, pieces=(name,), page=0)
        elif desk.waits.need.wait is Wait.ACTION:
            # the rules say why not
            self.link.send(Do(Take(desk.waits.need.player, name)))

    def number(self, digit: int) -> None:
        """Take the choice of a number; 0 shows more of them."""
        if digit == 0:
            self.look = replace(self.look, page=self.look.page + 1)
            return
        offered = hud.listed(self.desk, replace(self.look, is_scanning=self.is_scanned))
        pages = max(-(-len(offered) // hud.MOST), 1)
        at = (self.look.page % pages) * hud.MOST + digit - 1
        if at < len(offered):
            self._do(offered[at])

    def act(self, name: str) -> None:
        """Do what a key does."""
        if name == "next":
            self._cursor = (self._cursor + 1) % max(len(self.desk.choices), 1)
        elif name == "choose":
            if 0 <= self._cursor < len(self.desk.choices):
                self._choose(self._cursor)
        elif name == "undo":
            if (
                self.desk.waits is not None
                and self.desk.waits.can_undo
                and self.settings.help.level != "purist"
            ):
                self.link.send(Undo())
                self.desk.act()
        elif name == "view":
            self.sight.next_view()
        elif name == "follow":
            self.sight.is_following = not self.sight.is_following
        elif name in ("closer", "further"):
            self.sight.zoom(1.0 if name == "closer" else -1.0)
        elif name == "help":
            self.look = replace(self.look, is_helping=not self.look.is_helping)
        elif name == "feel":
            piece = piece_of(lit) if (lit := self._lit_choice()) is not None else self.mouse.over
            if piece in self.desk.in_play and self.desk.waits is not None and not self.desk.held:
                self.counsel.feel(piece)
        elif name == "ghost":
            self.counsel.shows_ghost = not self.counsel.shows_ghost
        elif name == "hint":
            self.counsel.shows_hint = not self.counsel.shows_hint
        elif name in ("menu", "picture"):
            self.wish = name
        elif not self.hand.act(name, self.sight.camera) and name in ("left", "right", "far", "near"):
            turn = {"left": (-12, 0), "right": (12, 0), "far": (0, -12), "near": (0, 12)}[name]
            self.sight.drag(turn[0], turn[1], float(self.window.size[1]))

    def _lit_choice(self) -> Choice | None:
        return self.desk.choices[self._cursor] if 0 <= self._cursor < len(self.desk.choices) else None

    def _choose(self, index: int) -> None:
        if index < len(self.desk.choices):
            self._do(self.desk.choices[index])

    def _do(self, choice: Choice) -> None:
        self.link.send(Do(choice.action))
        self.desk.act()
        self.look = replace(self.look, pieces=(), page=0)

    def is_down(self, act: str) -> bool:
        """Whether a key of an act is held down."""
        said = {"lshift": "shift", "rshift": "shift", "lcontrol": "control", "rcontrol": "control"}
        return any(said.get(key, key) in self.settings.keys_of(act) for key in self.window.down)

    def close(self) -> None:
        """Leave the table; what is recorded stays."""
        self.counsel.close()
        self.link.close()
        self.window.clear()
