"""The table on the screen: what is known of a game becomes a picture and panels, as time passes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from teeter.engine.pose import Pose
from teeter.engine.view.camera import Clear
from teeter.engine.view.frame import Frame, PieceLetter
from teeter.engine.view.overlays import Overlay
from teeter.engine.view.panels import Panel
from teeter.engine.world.body import Body
from teeter.games.core.rules import Choice, Wait
from teeter.games.faults import left_out, or_else
from teeter.games.present import fall_show, hand_panel, hud, hud_state
from teeter.games.present.asking import PlaceAnswer
from teeter.games.present.camera import CameraController, CameraHandicap, Gliding, sphere_of
from teeter.games.present.client_state import BOT_PACE, ClientState
from teeter.games.present.details import details_of
from teeter.games.present.end_screen import broken
from teeter.games.present.fall_show import FallShow
from teeter.games.present.framing import Framing
from teeter.games.present.hand import HandControl
from teeter.games.present.hints import Hints
from teeter.games.present.hud import piece_of, shown_by
from teeter.games.present.hud_state import HudState
from teeter.games.present.impacts import ImpactDetector
from teeter.games.present.letters import Lettering
from teeter.games.present.mouse import Mouse
from teeter.games.present.one_button import OneButton
from teeter.games.present.pages import Pages
from teeter.games.present.settings import Settings
from teeter.games.present.shown_hand import ShownHand
from teeter.games.present.toasts import TOLD_S, Toasts
from teeter.games.present.tutorial import DONE, DONE_S, Tutorial, words_of
from teeter.games.server.client import PhysicsClient
from teeter.games.server.messages import NewBody, Plan, TableView, Waits
from teeter.games.server.protocol import Pause, SetSpeed
from teeter.games.server.setup import first_view

if TYPE_CHECKING:
    from teeter.engine.view.window.window import Window

FRAME_S = 0.2
"""Seconds between two looks at what is to be seen."""
PACES = (BOT_PACE, 2.0 * BOT_PACE, 40.0)
"""How fast the turns of bots run: as one likes to watch them; twice as fast; at once."""
SLOW = 0.25
"""How fast time runs in slow motion."""
HOVER, LIT = "#f2c14e", "#e07a2f"
PASS_AFTER_S = 1.5
"""Seconds for which the table is seen before the seat is passed."""
ENDING = "This would end the game, and not win it. The same once more lays it all the same."
GAIN_END = (0.72, 0.1)
"""Where in the picture changes of the score fly to: beside the panel of the scores; parts of width and height."""


class TableScreen:
    """One table in the window: what is seen. What people do is `GameScreen`'s. Raises SetupError when the game cannot
    begin. physics: that are ready for its game."""

    mouse: Mouse
    camera_class = CameraController

    def __init__(self, window: Window, settings: Settings, plan: Plan, physics: PhysicsClient) -> None:
        self.window, self.settings, self.physics = window, settings, physics
        self.plan: Plan | None = plan
        # how films get on: of the whole game, and by when they began those of falls
        self.films: dict[float | None, str] = {}
        opening = first_view(plan)
        game, state, bodies = opening.game, opening.state, opening.bodies
        physics.begin(plan)
        self._details = details_of(game)
        self.client = ClientState(plan, game, state, bodies, time.perf_counter)
        self.client.remember(opening.past)
        sphere = sphere_of(bodies)
        window.put(bodies, sphere=sphere, unread=self._details.unread(self.client))
        self.camera_control = self.camera_class(sphere, CameraHandicap(game.handicaps.of(state)))
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
        self._seated = self.client.people[0] if len(self.client.people) == 1 else ""
        self._cursor = -1
        self._asked_at = 0.0
        self._state = state
        self._marked: dict[str, str] = {}
        self._lettered: dict[str, PieceLetter] = {}
        self._lettering = Lettering(self.client)
        self._impacts = ImpactDetector()
        people = self.client.people
        self.fall = FallShow(
            self.client.pieces,
            lambda: self.client.in_play,
            self.pause,
            is_on=not game.is_free_building,
            has_people=bool(people),
        )
        self.pace, self._speed = PACES[0], 1.0
        """How fast bots play, and how fast time runs now."""
        self._gliding, self._framing, self._framed_at = Gliding(), Framing(), -FRAME_S
        self._aimed = self.camera_control.camera
        self._warned: PlaceAnswer | None = None
        self._shown_hand = ShownHand()
        self._tutorial: Tutorial | None = None
        self._is_new = True
        self.toasts = Toasts(self.client)
        self.pages = Pages(settings, game, "Leave" if plan.file is None else "Save and leave")
        if game.has_bots:
            self.pages.seats = dict.fromkeys(self.client.people, False)
        if self.client.has_laid:
            self.pages.learn(game.name, is_taught=True)
            self.settings = self.hand.settings = self.pages.settings
        self._teach()

    def step(self, seconds: float) -> None:
        """Hear the physics, move the hand and the camera on, show what there is."""
        now = time.perf_counter()
        is_new = self._hear(now)
        with left_out("the camera"):
            self._frame(now)
        with left_out("a toast"):
            before = self.toasts.count
            self.toasts.hear(now)
            if self.toasts.count > before:
                self._impacts.tick(self.toasts.count, self.window.speaker)
        with left_out("the pace of bots"):
            self._hurry()
        with left_out("what follows from a turn"):
            self._react(now)
        with left_out("the hand"):
            self.hand.follow()
        with left_out("the tutorial"):
            self._learn(now)
        with left_out("the hand"):
            self._move(seconds)
        with left_out("the camera"):
            self._turn_camera(seconds, is_new)
        is_new |= or_else("the hand that is seen", lambda: self._hand_moved(seconds), False)
        marked = self._marks(), or_else("the letters on the pieces", lambda: self._letters(now), {})
        if is_new or self._is_new or marked != (self._marked, self._lettered):
            self._show(*marked)
        with left_out("the hints"):
            x, y = self.camera_control.camera.right
            self.hints.right, self.hints.over = (x, y), self.mouse.over
            self.hints.says_why = self.settings.help.level != "purist"
            self.hints.step(self.hand.grip, seconds)
        with left_out("one-button play"):
            self.one_button.is_on = self.is_scanned
            self.one_button.step(seconds)
        self._guide()

    def _frame(self, now: float) -> None:
        """The camera is told what is to be seen, and where panels leave the picture free."""
        clears, (width, height) = self.window.hud.layout.clears, self.window.size
        is_led = bool(self.fall.state or self.pages.page or self.mouse.is_dragging)
        if not clears or is_led or now - self._framed_at < FRAME_S:
            return
        self._framed_at = now
        self.camera_control.frame(*self._framing.of(self.client), width / height, *clears)

    def _hurry(self) -> None:
        """Time runs faster while a bot plays, where that is wanted; never while something falls."""
        wanted = self.pace if self.client.is_watched and not self.fall.state else 1.0
        wanted *= SLOW if self.pages.is_slow else 1.0
        if wanted != self._speed:
            self._speed = wanted
            self.physics.send(SetSpeed(wanted))

    def _hear(self, now: float) -> bool:
        """Takes in the news of the physics. Returns whether the picture changes."""
        is_new = False
        for news in self.fall.take(self.physics.news(), now):
            with left_out("what happened at the table"):
                is_new |= self.client.hear(news)
            if isinstance(news, TableView):
                camera, (width, height) = self.camera_control.camera, self.window.size
                with left_out("the sound"):
                    self._impacts.play(news, self.client.pieces, self.window.speaker, camera, width / height)
            if isinstance(news, Waits):
                self._asked_at = now
            if isinstance(news, NewBody) and self.window.stage is not None:
                with left_out("the look of a piece"):
                    self.window.stage.add(news.body)
        return is_new

    def _move(self, seconds: float) -> None:
        """The hand goes where mouse and keys want it."""
        self.mouse.step()
        self.camera_control.is_locked = self.camera_control.eye.locks(self.hand.grip is not None)
        self.hand.is_fine, self.hand.is_free = self.is_down("fine"), self.is_down("free")
        self.hand.hold(self.window.down, self.camera_control.camera.right, seconds)

    def _turn_camera(self, seconds: float, is_new: bool) -> None:
        """The camera goes on; it follows what is carried."""
        if self.hand.grip is not None and self.client.view is not None:
            place = self.client.pose(self.hand.grip.name).position
            self.camera_control.look_at(place)
            self.camera_control.keep_in_view(place, self.window.size[0] / self.window.size[1])
        self.camera_control.step(seconds)
        width, height = self.window.size
        self.fall.aspect = width / height
        shown = self.fall.camera(self._clear()) if self.fall.state else None
        if self.fall.state and shown is None:
            shown = self.camera_control.camera
        self._aimed = self._gliding.step(shown, self.camera_control.camera, seconds)
        self.window.aim(self._aimed)
        if is_new:
            self.hand.settle()
            self.camera_control.keep_out_of(self.client.frame, self.client.pieces, self.client.held)

    def _clear(self) -> Clear:
        """What panels leave free below a fall."""
        height = self.window.size[1]
        cards = self.window.hud.layout.cards
        bar = max((height - card.y for card in cards), default=0.0)
        return (0.04, 0.04, 0.96, 0.97 - min(bar / height, 0.4))

    def pause(self) -> None:
        """Time stands still behind a page, and goes on else."""
        self.physics.send(Pause(bool(self.pages.page)))

    def _guide(self) -> None:
        """Shows what lies over the table: where a piece would land, places, arrows."""
        guides: dict[str, Callable[[], list[Overlay]]] = {
            "the hand": self.hand.guides,
            "the hand that is seen": self._shown_hand.guides,
            "the hints": lambda: self.hints.guides(self.hand.grip),
            "one-button play": lambda: self.one_button.guides(self.lit),
        }
        own: list[Overlay] = []
        for what, find in guides.items():
            with left_out(what):
                own += find()
        lines = or_else("the lines on the table", self.more_guides, [])
        with left_out("the lines on the table"):
            self.window.show_overlays([*own, *lines])
            return
        self.window.show_overlays(own)

    def _teach(self) -> None:
        """Begin the tutorial where it is wanted: nobody has gone through it, or somebody wants it again."""
        if self.client.game.name in self.settings.help.taught:
            self._tutorial = None
        elif self._tutorial is None:
            self._tutorial = Tutorial(self._details.lessons)

    def _learn(self, now: float) -> None:
        if self._tutorial is None:
            return
        self._tutorial.step(self.client, self.hand.grip)
        if self._tutorial.is_over:
            self.toasts.say(DONE.format(**self._words()), now, DONE_S)
            self.end_tutorial()

    def end_tutorial(self) -> None:
        """There is no tutorial of this game from now on, unless somebody asks for it."""
        self._tutorial = None
        self.pages.learn(self.client.game.name, is_taught=True)
        self.settings = self.hand.settings = self.pages.settings

    def _words(self) -> dict[str, str]:
        return words_of(self.settings, is_pad=self.window.is_padded, is_scanning=self.is_scanned)

    def _lesson(self) -> str:
        return self._tutorial.told(self.client, self._words()) if self._tutorial is not None else ""

    def _hand_moved(self, seconds: float) -> bool:
        """Moves the hand that is seen. Returns whether the picture changes."""
        stage = self.window.stage
        if stage is None or not self.settings.hand.shown:
            return False
        # a piece is seen in the hand before anybody is asked what to do with it
        is_own = self.client.need.player in self.client.people
        return self._shown_hand.step(self.client, stage, seconds, is_own=is_own)

    def more_guides(self) -> list[Overlay]:
        """Guides of a game of its own kind."""
        grip = self.hand.grip
        lines = self._details.table_lines(self.client)
        return lines if grip is None else [*lines, *self._details.highlights(self.client, grip)]

    def _react(self, now: float) -> None:
        events, self.client.events = self.client.events, []
        before, self._state = self._state, self.client.state
        if self.client.game.handicaps.spins(before, self._state):
            self.camera_control.eye.spin()
        if events:
            self.hints.felt = None
            self.look = hud_state.anew(self.look)
            self._cursor = -1

    def _show(self, marked: dict[str, str], lettered: dict[str, PieceLetter]) -> None:
        frame = self.client.frame
        self._marked, self._lettered = marked, lettered
        known = [name for name in frame.names if name in self.client.pieces]
        if len(known) == len(frame.names):
            unread = self._details.unread(self.client)
            shown = Frame(frame.names, frame.poses, self._marked, unread=unread, marks=self._lettered)
            self.window.show(self._shown_hand.at_table(shown))
        self._is_new = False

    def _letters(self, now: float) -> dict[str, PieceLetter]:
        """Letters on the pieces, for those who cannot tell their colours apart."""
        return self._lettering.on(self._aimed, now) if self.settings.picture.marks else {}

    def _marks(self) -> dict[str, str]:
        marks: dict[str, str] = {}
        name = self.mouse.over
        if name and any(shown_by(choice) == name for choice in self.client.choices):
            marks[name] = HOVER
        if self.hand.grip is not None and self.hints.colour:
            marks[self.hand.grip.name] = self.hints.colour
        lit = self._lit_choice()
        about = [*self.look.pieces, piece_of(lit) if lit is not None else ""]
        with left_out("what the game marks"):
            about += self._details.lit(self.client)
        if self._tutorial is not None:
            with left_out("the tutorial"):
                about += self._tutorial.suggested(self.client, self.hints.easiest)
        for piece in about:
            if piece in self.client.frame.names:
                marks[piece] = LIT
        if self.hints.felt_colour and not self.client.held:
            marks[self.hints.feeling] = self.hints.felt_colour
        return marks

    def panels(self) -> tuple[Panel, ...]:
        """What lies over the table."""
        if self.client.broken:
            return (broken(self.client.broken),)
        if self.pages.page:
            return (self.pages.dialog(),)
        if (line := self.one_button.panel()) is not None:
            return (line,)
        now = time.perf_counter()
        if self.needs_pass:
            # who has just laid a piece sees how it stands; what the next may see is not shown
            is_seen = now - self._asked_at < PASS_AFTER_S
            return () if is_seen else (hud.pass_on(self.client.need.player),)
        if self.fall.state:
            may_keep = self.client.plan.file is not None
            clip = self.films.get(self.fall.began_at, "")
            return (fall_show.panel(self.fall, self.client.told_moment, clip, may_keep=may_keep),)
        most = hud_state.most_choices(self.window.size[0], self.settings.picture.letters)
        self.look = replace(self.look, most=most)
        look = replace(
            self.look,
            now=now,
            refused_at=self.toasts.tried_at,
            film=self.films.get(None, ""),
            pace=self.pace if any(not seat.has_people for seat in self.client.state.seats) else 0.0,
            close=self.mouse.over,
            is_fine=self.hand.is_fine,
            **hand_panel.held(self.hand),
            is_scanning=self.is_scanned,
            is_pad=self.window.is_padded,
            places=None if self.client.places is None else len(self.client.places),
            lit=f"choice:{self._cursor}" if self._cursor >= 0 else self.look.lit,
        )
        look = or_else("what is built", lambda: self._more(look), look)
        look = or_else("the tutorial", lambda: self._with_lesson(look), look)
        look = or_else("the hints", lambda: self._with_hints(look), look)
        look = or_else("a toast", lambda: self._with_toast(look), look)
        panels = hud.panels(self.client, self.settings, look)
        return tuple(sorted(panels, key=_scanned)) if self.is_scanned else panels

    def _more(self, look: HudState) -> HudState:
        """Adds what a game of its own kind tells."""
        return look

    def _with_lesson(self, look: HudState) -> HudState:
        """Adds what the tutorial says."""
        if self._tutorial is None:
            return look
        return replace(look, lesson=self._lesson(), learned=self._tutorial.progress)

    def _with_hints(self, look: HudState) -> HudState:
        """Adds what the checker says."""
        is_warned = self._warned is not None and self._warned is self.hints.ending
        warning = ENDING if is_warned else ""
        return replace(
            look,
            hint=self.hints.word,
            risk=self.hints.risk,
            is_pointed=self.hints.shows_hint and self.hints.nearest is not None,
            warning=warning,
            feel=self.hints.feel_word,
            why=self.hints.why,
        )

    def _with_toast(self, look: HudState) -> HudState:
        """Adds what is said beside the pieces."""
        toasts, camera, size = self.toasts, self.camera_control.camera, self.window.size
        flying, way = toasts.flight(look.now)
        look = replace(look, gains=toasts.gains(look.now), count=toasts.count)
        if way < 1.0:
            x, y = toasts.place(camera, size)
            end = GAIN_END[0] * size[0], GAIN_END[1] * size[1]
            look = replace(look, flying=flying, flies_at=(x + way * (end[0] - x), y + way * (end[1] - y)))
        lines = toasts.lines(look.now)
        if not lines and not look.count:
            return look
        at, off = toasts.place(camera, size), toasts.keep_off(camera, size)
        return replace(look, toast=lines, rank=toasts.rank, toast_at=at, toast_off=off)

    @property
    def is_carrying(self) -> bool:
        """Whether what is moved is the piece in the hand, and no pointer over panels."""
        is_covered = bool(self.pages.page) or self.needs_pass or self.one_button.panel() is not None
        wait = self.client.waits.need.wait if self.client.waits is not None else None
        return self.hand.grip is not None and wait in (Wait.HAND, Wait.PULL) and not is_covered

    @property
    def needs_pass(self) -> bool:
        """Whether somebody else has to sit down before secrets may be shown."""
        client, waits = self.client, self.client.waits
        is_other = waits is not None and len(client.people) > 1 and self._seated != waits.need.player
        return is_other and client.has_secrets

    def _lit_choice(self) -> Choice | None:
        kind, _, number = self.lit.partition(":")
        at = int(number) if kind == "choice" else self._cursor
        return self.client.choices[at] if 0 <= at < len(self.client.choices) else None

    def is_down(self, act: str) -> bool:
        """Whether a key of an act is held down."""
        return any(self.settings.act_of(key) == act for key in self.window.down)

    def say(self, line: str) -> None:
        """Say something for a while."""
        self.toasts.say(line, time.perf_counter(), TOLD_S)

    def come_back(self) -> None:
        """A replay was shown meanwhile: the table is there again."""
        frame = self.client.frame
        bodies = [
            Body(
                name,
                self.client.pieces[name],
                Pose(tuple(row[:3]), tuple(row[3:])),
                self.client.is_fixed(name),
            )
            for name, row in zip(frame.names, frame.poses.tolist(), strict=True)
            if name in self.client.pieces
        ]
        self.window.put(bodies, sphere=sphere_of(bodies), unread=self._details.unread(self.client))
        self._is_new = True

    def keeps_open(self) -> bool:
        """Whether the window stays when it is closed: no game is lost by that."""
        return False

    def close(self) -> None:
        """Leave the table; what is recorded stays."""
        self.hints.close()
        self.physics.close()
        self.window.clear()


def _scanned(panel: Panel) -> int:
    """With one button what is done to a held piece comes first, and what no game is played by last."""
    return {"hand": 0, "tools": 2}.get(panel.name, 1)
