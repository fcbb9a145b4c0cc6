"""The window of teeter: menu and games, one after the other, until it is closed."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from engine.files import first_free
from engine.record.format import RecordError
from engine.view.opengl import kind_of
from engine.view.panels import Button, Item, Panel, Row, Text
from engine.view.render.png import save_png
from engine.view.render.shading import Quality
from engine.view.sound import Speaker
from engine.view.window.events import Clicked, Closed, Event, Press
from engine.view.window.window import Window, say_when_lost
from games.core.errors import RulesError
from games.registry import game_named
from games.ui.adaptive_quality import AdaptiveQuality
from games.ui.menu import of_game
from games.ui.menu_screen import MenuScreen
from games.ui.messages import Plan
from games.ui.settings import Settings
from games.ui.setup import folder, new_file, plan_of


class Screen(Protocol):
    """What fills the window for a while."""

    wish: str
    is_scanned: bool
    lit: str
    plan: Plan | None

    @property
    def is_typing(self) -> bool:
        """Whether keys are letters of a text."""

    def handle(self, event: Event) -> None:
        """An event of the window."""

    def step(self, seconds: float) -> None:
        """Time passes."""

    def panels(self) -> tuple[Panel, ...]:
        """What lies over the scene."""

    def close(self) -> None:
        """Another screen comes."""


class App:
    """The window and what is in it."""

    def __init__(self, settings: Settings, plan: Plan | None = None) -> None:
        self.settings = settings
        self.window = Window("teeter", size=(settings.picture.width, settings.picture.height))
        self.window.quality = self._first_quality()
        is_auto = settings.picture.quality == "auto"
        self._quality = AdaptiveQuality(self.window, self.window.quality) if is_auto else None
        say_when_lost(self._last_words)
        self.window.speaker = Speaker(0.0 if settings.sound.mute else settings.sound.volume)
        self.screen: Screen = MenuScreen(self.window, settings)
        if plan is not None:
            self._play(plan)
        self.scanner = SwitchScanner(settings.help.scan_s) if settings.help.scan else None
        self._last = time.perf_counter()
        self._replays: list[subprocess.Popen[bytes]] = []

    def _first_quality(self) -> Quality:
        wanted = self.settings.picture.quality
        if wanted != "auto":
            return wanted
        return "high" if kind_of(self.window.renderer) == "gpu" else "medium"

    def _last_words(self) -> str:
        plan = getattr(self.screen, "plan", None)
        kept = plan.resume or plan.record if isinstance(plan, Plan) else None
        hint = f"; the game is kept: teeter play --resume {kept}" if kept is not None else ""
        return f"the display went away{hint}"

    def run(self) -> None:
        """Until the window is closed."""
        try:
            while self.round():
                pass
        finally:
            self.close()

    def round(self) -> bool:
        """One round: events, time, a picture. Returns whether to go on."""
        for event in self.window.poll():
            if isinstance(event, Closed):
                return False
            self._hand_on(event)
        now = time.perf_counter()
        seconds, self._last = now - self._last, now
        self.screen.step(min(seconds, 0.1))
        self.screen.is_scanned = self.scanner is not None
        panels = self.screen.panels()
        if self.scanner is not None:
            panels = self.scanner.step(min(seconds, 0.1), panels)
        self.screen.lit = self.scanner.lit if self.scanner is not None else ""
        self.window.hud.show(panels, scale=self.settings.picture.letters)
        if self._quality is not None:
            self._quality.before(seconds)
        begin = time.perf_counter()
        if not self.window.draw():
            self.window.pause()
        elif self._quality is not None:
            self._quality.took(time.perf_counter() - begin)
        return self._grant()

    def _hand_on(self, event: Event) -> None:
        """Give an event to the screen; in one-button play the one button takes what is lit."""
        if isinstance(event, Press) and not self.screen.is_typing:
            act = "choose" if event.key == "mouse1" else self.settings.act_of(event.key)
            if act == "scan" and not event.again:
                self.scanner = None if self.scanner is not None else SwitchScanner(self.settings.help.scan_s)
                return
            if self.scanner is not None and act in ("choose", "lay"):
                if not event.again and self.scanner.lit:
                    self.screen.handle(Clicked(self.scanner.lit))
                return
        self.screen.handle(event)

    def _grant(self) -> bool:
        """What the screen wished for."""
        screen, wish = self.screen, self.screen.wish
        screen.wish = ""
        if isinstance(screen, MenuScreen):
            if screen.settings.help != self.settings.help:
                helping = screen.settings.help
                self.scanner = SwitchScanner(helping.scan_s) if helping.scan else None
            self.settings = screen.settings
            if self.window.speaker is not None:
                sound = self.settings.sound
                self.window.speaker.volume = 0.0 if sound.mute else sound.volume
            if wish == "start" and screen.plan is not None:
                self._play(screen.plan)
            elif wish == "resume" and screen.saved:
                self._resume(screen)
            elif wish == "watch" and screen.watched is not None:
                self._watch(screen, screen.watched)
            return wish != "quit"
        plan = screen.plan
        if plan is not None and wish in ("menu", "again"):
            screen.close()
            self.screen = MenuScreen(self.window, self.settings, of_game(plan.game))
            if wish == "again":
                seed = plan.seed + 1
                self._play(replace(plan, seed=seed, record=new_file(plan.game, seed), resume=None))
        elif wish == "picture":
            self.keep_picture()
        return True

    def _play(self, plan: Plan) -> None:
        """Sit down to a game."""
        self.window.clear()
        self.window.hud.show((_wait(plan.game),))
        self.window.draw()
        from games.ui.game_screen import GameScreen
        from games.ui.sandbox_screen import SandboxScreen

        kind = SandboxScreen if game_named(plan.game).is_free_building else GameScreen
        self.screen = kind(self.window, self.settings, plan)

    def _resume(self, start: MenuScreen) -> None:
        try:
            self._play(plan_of(start.saved[0]))
        except (RecordError, RulesError) as error:
            start.form = replace(start.form, fault=str(error))

    def _watch(self, start: MenuScreen, file: Path) -> None:
        """Open a replay beside the menu: a process has one window."""
        from games.play.playback import found

        self._replays = [each for each in self._replays if each.poll() is None]
        try:
            self._replays.append(
                subprocess.Popen([sys.executable, "-m", "games", "replay", str(found(file))])
            )
        except (RecordError, OSError) as error:
            start.form = replace(start.form, fault=str(error), page="game")

    def keep_picture(self) -> Path:
        """Write what is seen as a PNG beside the games. Returns the file."""
        place = folder().parent / "pictures"
        place.mkdir(parents=True, exist_ok=True)
        file = first_free(lambda number: place / f"teeter-{number}.png")
        save_png(self.window.picture(), file)
        return file

    def close(self) -> None:
        """Leave the game, then the window."""
        self.screen.close()
        self.window.close()


def _wait(game: str) -> Panel:
    return Panel(
        "wait", "centre", (Text("teeter", size="title", bold=True), Text(f"setting up {game} ...", "quiet"))
    )


class SwitchScanner:
    """One-button play: buttons light up in turn, `seconds` on each, and the one button takes the lit one."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.lit = ""
        self._names: tuple[str, ...] = ()
        self._since = 0.0

    def step(self, passed: float, panels: Iterable[Panel]) -> tuple[Panel, ...]:
        """The panels with the button lit whose turn it is."""
        listed = tuple(panels)
        covers = tuple(panel for panel in listed if panel.place == "cover")
        names = tuple(name for panel in covers or listed for name in _names(panel.items))
        if names != self._names:
            # what is lit stays lit when it is still there
            self._names, self._since = names, 0.0
            self.lit = self.lit if self.lit in names else (names[0] if names else "")
        self._since += passed
        if self._since >= self.seconds and names:
            self._since = 0.0
            self.lit = names[(names.index(self.lit) + 1) % len(names)]
        return tuple(replace(panel, items=_lit(panel.items, self.lit)) for panel in listed)


def _names(items: tuple[Item, ...]) -> list[str]:
    found: list[str] = []
    for item in items:
        if isinstance(item, Row):
            found += _names(item.items)
        elif isinstance(item, Button) and item.is_enabled:
            found.append(item.name)
    return found


def _lit(items: tuple[Item, ...], name: str) -> tuple[Item, ...]:
    found: list[Item] = []
    for item in items:
        if isinstance(item, Row):
            found.append(replace(item, items=_lit(item.items, name)))
        elif isinstance(item, Button) and item.name == name:
            found.append(replace(item, is_lit=True))
        else:
            found.append(item)
    return tuple(found)
