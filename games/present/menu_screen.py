"""The screen of the menu: the form, over the picture of the chosen game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from teeter.engine.view.panels import Panel
from teeter.engine.view.window.events import Clicked, Event, Press, Typed
from teeter.games.faults import left_out
from teeter.games.game import Game
from teeter.games.present import menu
from teeter.games.present.guide import guide_of
from teeter.games.present.menu import Form
from teeter.games.present.pages import Pages
from teeter.games.present.settings import Settings
from teeter.games.server import setup
from teeter.games.server.client import PhysicsClient
from teeter.games.server.messages import Plan
from teeter.games.server.setup import SavedGame, first_view
from teeter.models.errors import TeeterError

if TYPE_CHECKING:
    from teeter.engine.view.window.window import Window

WARM_UP, LOOKED = 2, 12
"""Rounds until the menu has been seen; after which who looks at a game may want to play it."""


class MenuScreen:
    """The menu. wish: `start`, `resume`, `watch` or `quit`; plan: what to start, watched: the game to be watched."""

    def __init__(self, window: Window, settings: Settings, form: Form | None = None) -> None:
        self.window, self.pages = window, Pages(settings)
        self.form = form or menu.of_last(settings.last)
        self.wish = ""
        self.is_scanned = False
        self.lit = ""
        self.plan: Plan | None = None
        self.saved: tuple[Path, ...] = setup.unfinished_games()
        self.watched: Path | None = None
        self._kept: tuple[SavedGame, ...] = ()
        self._not_kept = setup.why_not_kept()
        self.hand = self.camera_control = None
        self.is_carrying = False
        self._dressed = ""
        """The game whose picture is behind the menu."""
        self._ready: Iterator[None] = iter(())
        """Gets that game ready, bit by bit."""
        self._physics: PhysicsClient | None = None
        self._rounds = 0

    @property
    def settings(self) -> Settings:
        """What was set."""
        return self.pages.settings

    @property
    def is_typing(self) -> bool:
        """Whether a field of the form is typed into, or a key is awaited."""
        return bool(self.form.active or self.pages.asked)

    def handle(self, event: Event) -> None:
        """An event of the window."""
        if self.pages.handle(event):
            self.form = menu.clicked(self.form, "")
        elif isinstance(event, Clicked):
            self._click(event.name)
        elif isinstance(event, Typed) and self.form.active:
            self.form = menu.typed(self.form, event.text)
        elif isinstance(event, Press) and (not event.again or self.form.active):
            # a key that still is down from the game before opens and closes nothing
            self._press(event.key)

    def _press(self, key: str) -> None:
        key = {"pad_b": "escape", "pad_start": "enter"}.get(key, key)
        if self.form.active:
            if key == "backspace":
                self.form = menu.erased(self.form)
            elif key in ("enter", "escape", "tab"):
                self.form = menu.clicked(self.form, "")
        elif key == "escape" and self.pages.page:
            self.pages.back()
        elif key == "escape" and self.form.page != "game":
            self.form = menu.clicked(self.form, "page:game")
        elif key == "escape":
            self.wish = "quit"
        elif key == "enter" and not self.pages.page:
            self._begin()

    def _click(self, name: str) -> None:
        kind, _, rest = name.partition(":")
        if name == "start":
            self._begin()
        elif name in ("quit", "resume"):
            self.wish = name
        elif kind == "replay":
            self.watched, self.wish = self._kept[int(rest)].file, "watch"
        else:
            if name == "page:replays":
                self._kept = setup.kept()
            self.pages.page = ""
            self.form = menu.clicked(self.form, name)

    def _begin(self) -> None:
        form = self.form
        try:
            plan = form.plan(self.settings, None)
            if not form.chosen.is_free_building:
                plan = replace(plan, record=setup.new_file(plan.game, plan.seed))
            first_view(plan)
        except (TeeterError, ValueError) as error:
            self.form = replace(form, fault=str(error))
            return
        self.plan, self.wish = plan, "start"
        self.pages.set("last", "game", form.game)
        self.pages.set("last", "players", form.players)

    def step(self, seconds: float) -> None:
        """The picture of the chosen game comes when the menu has been seen."""
        self._rounds += 1
        game = self.form.chosen
        self.pages.game = game
        if self._rounds > WARM_UP and self._dressed != game.name:
            self._dressed = game.name
            with left_out("the picture of the game"):
                self._dress(game)
            self._ready, self._rounds = self._get_ready(game), WARM_UP
        if self._rounds > WARM_UP + LOOKED:
            with left_out("getting the game ready"):
                next(self._ready, None)

    def _get_ready(self, game: Game) -> Iterator[None]:
        """Lets the physics of the chosen game load, and builds its pieces, one a round, while people look."""
        # what they need takes long to load, and the menu is seen before
        from teeter.games.judge.places import steady
        from teeter.models.build import build
        from teeter.models.catalogue import catalogue
        from teeter.models.catalogue import games as catalogues

        likely = self.form.plan(self.settings, None)
        self._physics = self.physics_for(likely)
        yield
        for spec in catalogue(game.catalogue).values() if game.catalogue in catalogues() else ():
            steady(piece := build(spec))
            assert piece.visual
            yield
        first_view(likely)

    def physics_for(self, plan: Plan) -> PhysicsClient:
        """Hands over the physics that are ready for a game, or others."""
        ready, self._physics = self._physics, None
        if ready is not None and ready.is_ready_for(plan):
            return ready
        if ready is not None:
            ready.close()
        return PhysicsClient(plan)

    def _dress(self, game: Game) -> None:
        from teeter.games.present.guide_scene import scene_of

        guide = guide_of(game)
        if guide is None:
            return
        shown = scene_of(game, guide.still)
        self.window.put(shown.bodies)
        self.window.aim(shown.camera)

    def come_back(self) -> None:
        """A replay was shown meanwhile."""
        self._dressed, self._rounds = "", 0

    def panels(self) -> tuple[Panel, ...]:
        """The menu."""
        return menu.panels(self.form, self.pages, self.saved, self._kept, self._not_kept)

    def say(self, line: str) -> None:
        """Say something."""
        self.form = replace(self.form, fault=line)

    def keeps_open(self) -> bool:
        """Whether the window stays when it is closed."""
        return False

    def close(self) -> None:
        """Another screen comes."""
        if self._physics is not None:
            self._physics.close()
        self.window.clear()
