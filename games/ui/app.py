"""The window of teeter: menu and games, one after the other, until it is closed."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from teeter.engine.record.format import RecordError
from teeter.engine.record.part import is_kept
from teeter.engine.record.reader import Replay, load
from teeter.engine.view.opengl import kind_of
from teeter.engine.view.panels import Panel, Text
from teeter.engine.view.render.png import save_png
from teeter.engine.view.render.shading import Quality
from teeter.engine.view.sound import Speaker
from teeter.engine.view.window.events import Clicked, Closed, Event, Press, Typed
from teeter.engine.view.window.lost_display import say_when_lost
from teeter.engine.view.window.window import Window
from teeter.games.core.errors import RulesError
from teeter.games.core.random_state import draw_seed
from teeter.games.faults import FAULTS, left_out, or_else
from teeter.games.present.menu import of_game
from teeter.games.present.menu_screen import MenuScreen
from teeter.games.present.pictures import Pictures
from teeter.games.present.settings import Settings
from teeter.games.present.switch_scanner import SwitchScanner
from teeter.games.registry import game_named
from teeter.games.server import setup
from teeter.games.server.client import PhysicsClient
from teeter.games.server.messages import Plan
from teeter.games.ui.adaptive_quality import AdaptiveQuality
from teeter.games.ui.pad import PadControl
from teeter.models.errors import TeeterError
from teeter.models.files import first_free, make_folder

if TYPE_CHECKING:
    from teeter.games.present.game_screen import GameScreen
    from teeter.games.ui.replay_screen import Viewer

BEFORE_FALL_S = 2.0
"""Seconds before a fall at which watching it begins."""
WAYS = {"tab": 1, "arrow_down": 1, "arrow_up": -1}
"""Keys that go from button to button where panels alone are asked."""
PAGES = {"page_down": 4, "page_up": -4}
"""Lines that keys scroll a page."""
SLIDES = {"arrow_right": 1, "arrow_left": -1}
"""Keys that move a slider there."""


class App:
    """The window and what is in it: a game, a recording, or the menu."""

    def __init__(
        self, settings: Settings, plan: Plan | None = None, watched: Replay | None = None, at: float = 0.0
    ) -> None:
        """watched: a recording to be seen alone, from the second `at`."""
        self.settings = settings
        physics = None
        if plan is not None:
            # they load while the window opens; what cannot begin is refused before
            physics = PhysicsClient(plan)
            setup.first_view(plan)
        title = "teeter"
        if watched is not None:
            from teeter.games.play.replays import telling_of  # slow to load, and the menu needs none

            title = f"{telling_of(watched).title} - teeter"
        self.window = Window(title, size=(settings.picture.width, settings.picture.height))
        self.window.quality, self.window.top = self._first_quality(), settings.picture.table
        self._quality = self._adapted()
        say_when_lost(self._last_words)
        if watched is not None:
            self._say_wait("the replay")
        self.window.speaker = Speaker(0.0 if settings.sound.mute else settings.sound.volume)
        self.screen: MenuScreen | GameScreen | Viewer = MenuScreen(self.window, settings)
        self._behind: MenuScreen | GameScreen | None = None
        """Where a replay was asked for."""
        if plan is not None:
            self._play(plan, physics)
        elif watched is not None:
            self._watch(watched, at, is_alone=True)
        self.scanner = SwitchScanner(settings.help.scan_s) if settings.help.scan else None
        self.pictures = Pictures(self.window.hud)
        self.pad = PadControl(self.window)
        self._focus: SwitchScanner | None = None
        """Of who goes through panels by keys."""
        self._is_among_panels = False
        """Whether that is at a table, where keys are for the table too."""
        self._last = time.perf_counter()
        self._others: list[subprocess.Popen[bytes]] = []
        self._undrawn: list[Panel] = []
        """Panels that cannot be drawn, until there are others."""
        self._films: list[tuple[GameScreen, subprocess.Popen[bytes], Path, float | None]] = []
        # films of games that go on, whose records may be packed before they are read: what to draw once more then
        self._unpacked: dict[subprocess.Popen[bytes], tuple[Path, tuple[float, float] | None]] = {}
        self._clips: list[tuple[GameScreen, Path, float, tuple[float, float]]] = []
        """Those that are wanted, and seconds of the record from when to when."""

    def _first_quality(self) -> Quality:
        wanted = self.settings.picture.quality
        if wanted != "auto":
            return wanted
        return "high" if kind_of(self.window.renderer) == "gpu" else "medium"

    def _adapted(self) -> AdaptiveQuality:
        is_fixed = self.settings.picture.quality != "auto"
        return AdaptiveQuality(self.window, self._first_quality(), is_fixed=is_fixed)

    def _last_words(self) -> str:
        plan = getattr(self.screen, "plan", None)
        kept = plan.file if isinstance(plan, Plan) else None
        hint = f"; the game is kept: teeter play --resume {kept}" if kept is not None else ""
        return f"the display went away{hint}"

    @property
    def file(self) -> Path | None:
        """Where the game is kept that is played, or was last; None for none."""
        client = getattr(self._played, "client", None)
        return None if client is None else client.plan.file

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
            if not isinstance(event, Closed):
                self._hand_on(event)
            elif or_else("what is not saved", self._played.keeps_open, False):
                self.window.is_closed = False
            else:
                return False
        now = time.perf_counter()
        seconds, self._last = now - self._last, now
        passed = min(seconds, 0.1)
        with left_out("the gamepad"):
            for event in () if self._behind is not None else self.pad.step(self._played, passed):
                self._hand_on(event)
        with left_out("the table"):
            self.screen.step(passed)
        self.screen.is_scanned = self.scanner is not None
        panels = or_else("the panels", self.screen.panels, ())
        played = self._played
        self._is_among_panels &= self._behind is None and not (played.is_carrying or played.pages.page)
        if not self._is_paged:
            self._focus = None
        if (scanner := self.scanner or self._focus) is not None:
            panels = or_else("one-button play", lambda: scanner.step(passed, panels), panels)
        self.screen.lit = self.scanner.lit if self.scanner is not None else ""
        self._show(panels)
        self._quality.before(seconds)
        begin = time.perf_counter()
        if not or_else("the picture", self.window.draw, False):
            self.window.pause()
        else:
            self._quality.took(time.perf_counter() - begin)
        # another process draws them: after the first picture, not at once with it
        with left_out("the pictures on panels"):
            self.pictures.step()
        return self._grant()

    @property
    def _played(self) -> MenuScreen | GameScreen:
        """The menu or the game, also behind a replay."""
        return cast("MenuScreen | GameScreen", self.screen) if self._behind is None else self._behind

    def _show(self, panels: tuple[Panel, ...]) -> None:
        """Shows panels, without those that cannot be drawn, and what was left out."""
        if (fault := FAULTS.recent()) is not None:
            panels = (*panels, fault_panel(fault.line))
        over, scale = self.window.hud, self.settings.picture.letters
        with left_out("the panels"):
            over.show((panel for panel in panels if panel not in self._undrawn), scale=scale)
            return
        drawn: list[Panel] = []
        self._undrawn = []
        for panel in panels:
            with left_out(f"the panel {panel.name!r}"):
                over.show((*drawn, panel), scale=scale)
                drawn.append(panel)
                continue
            self._undrawn.append(panel)

    def _hand_on(self, event: Event) -> None:
        """Give an event to the screen. An act that fails is not done."""
        with left_out("what was pressed"):
            self._pass_on(event)

    def _pass_on(self, event: Event) -> None:
        """In one-button play the one button takes what is lit."""
        went = (
            None if self.screen.is_typing or self._behind is not None else self.pad.cross(event, self._played)
        )
        if went is not None:
            for item in went:
                self.screen.handle(item)
            return
        if self.scanner is not None and isinstance(event, Typed) and event.text == " ":
            # it has taken what was lit
            return
        act = self.settings.act_of(event.key) if isinstance(event, Press) else ""
        # who has one button comes away from a field with it, too
        is_taking = self.scanner is not None and act in ("choose", "lay")
        if isinstance(event, Press) and (is_taking or not self.screen.is_typing):
            act = "choose" if event.key == "mouse1" else act
            if act == "full" and not event.again:
                self.window.fill_screen()
                return
            if act == "scan" and not event.again:
                self.scanner = None if self.scanner is not None else SwitchScanner(self.settings.help.scan_s)
                takes = (
                    f"{self.settings.key_said('choose')} or {self.settings.key_said('lay')} takes what is lit"
                )
                self.screen.say(f"One-button play is {'off' if self.scanner is None else f'on: {takes}'}.")
                return
            if self.scanner is not None and act in ("choose", "lay"):
                if not event.again and (taken := self.scanner.take()) is not None:
                    self.screen.handle(taken)
                return
            if act == "panels" and not event.again and not self._is_paged:
                self._is_among_panels, self._focus = True, SwitchScanner(math.inf)
                return
            if self._is_paged and self._go(event.key):
                return
        self.screen.handle(event)

    @property
    def _is_paged(self) -> bool:
        """Whether panels alone are asked: in the menu, on a page, and where the seat is passed on."""
        screen = self.screen
        return self._behind is None and bool(
            self._is_among_panels
            or isinstance(screen, MenuScreen)
            or self._played.pages.page
            or getattr(screen, "needs_pass", False)
        )

    def _go(self, key: str) -> bool:
        """Goes through the buttons of panels by keys. Returns whether the key was for that."""
        if key in WAYS:
            if self._focus is None:
                self._focus = SwitchScanner(math.inf)
            else:
                self._focus.go(WAYS[key])
            return True
        if key in PAGES and not self._is_among_panels and self.window.hud.scroll_tallest(PAGES[key]):
            return True
        if self._focus is not None and key in SLIDES and (slid := self._focus.slide(SLIDES[key])) is not None:
            self.screen.handle(slid)
            return True
        if key.startswith("mouse"):
            self._focus, self._is_among_panels = None, False
        if self._is_among_panels and self.settings.act_of(key) in ("menu", "panels"):
            self._is_among_panels = False
            return True
        first = {"pause": "back", "": "seat" if getattr(self.screen, "needs_pass", False) else ""}
        lit = Clicked(first.get(self._played.pages.page, ""))
        taken = self._focus.take() if self._focus is not None else lit if lit.name else None
        if key != "enter" or taken is None:
            return False
        self.screen.handle(taken)
        return True

    def _grant(self) -> bool:
        """What the screen wished for."""
        shown, wish = self.screen, self.screen.wish
        shown.wish = ""
        self._look_at_films()
        if shown.settings is not None and shown.settings != self.settings:
            self._obey(shown.settings)
        if self._behind is not None:
            if wish:
                # to import the class, so as to ask for it, would hold the first picture up
                self._come_back(cast("Viewer", shown))
            return True
        screen = self._played
        if isinstance(screen, MenuScreen):
            if wish == "start" and screen.plan is not None:
                self._play(screen.plan)
            elif wish == "resume" and screen.saved:
                self._resume(screen)
            elif wish == "watch" and screen.watched is not None:
                self._watch_file(screen.watched)
            return wish != "quit"
        plan = screen.plan
        if plan is not None and wish in ("menu", "again"):
            screen.close()
            self.screen = MenuScreen(self.window, self.settings, of_game(plan.game, tuple(plan.players)))
            if wish == "again":
                seed = draw_seed()
                self._play(replace(plan, seed=seed, record=setup.new_file(plan.game, seed), resume=None))
        elif plan is not None and wish == "anew":
            screen.close()
            self._play(plan)
        elif wish == "picture":
            self._tell_picture()
        elif wish in ("watch", "fall", "film", "clip"):
            self._show_again(wish)
        return True

    def _show_again(self, wish: str) -> None:
        """The game that is over, as a replay or as a film."""
        from teeter.games.present.game_screen import GameScreen

        screen = self.screen
        if not isinstance(screen, GameScreen) or screen.plan is None or screen.plan.file is None:
            return
        file = screen.plan.file
        if wish == "clip":
            # the record has the fall once the game goes on
            self._clips.append((screen, file, screen.fall.began_at, screen.fall.span))
            screen.films[screen.fall.began_at] = "is drawn as soon as you go on."
        elif wish == "film":
            self._film(screen, file)
        else:
            self._watch_file(file, screen.client.fell_s if wish == "fall" else None)

    def _obey(self, settings: Settings) -> None:
        """Settings were changed."""
        before, self.settings = self.settings, settings
        if (settings.help.scan, settings.help.scan_s) != (before.help.scan, before.help.scan_s):
            # a key that has switched it on or off holds until then
            self.scanner = SwitchScanner(settings.help.scan_s) if settings.help.scan else None
        if self.window.speaker is not None:
            self.window.speaker.volume = 0.0 if settings.sound.mute else settings.sound.volume
        if settings.picture.table != before.picture.table:
            self.window.dress_table(settings.picture.table)
        if settings.picture.quality != before.picture.quality:
            self._quality = self._adapted()
            self.window.relight(self._first_quality(), 1.0)

    def _play(self, plan: Plan, physics: PhysicsClient | None = None) -> None:
        """Sit down to a game."""
        if physics is None:
            screen = self.screen
            physics = screen.physics_for(plan) if isinstance(screen, MenuScreen) else PhysicsClient(plan)
        self.window.clear()
        self._say_wait(game_named(plan.game).title)
        from teeter.games.present.game_screen import GameScreen
        from teeter.games.present.sandbox_screen import SandboxScreen

        kind = SandboxScreen if game_named(plan.game).is_free_building else GameScreen
        try:
            self.screen = kind(self.window, self.settings, plan, physics)
        except TeeterError:
            physics.close()
            raise

    def _resume(self, start: MenuScreen) -> None:
        file = start.saved[0]
        try:
            if setup.is_played(file):
                start.saved = setup.unfinished_games()
                title = setup.title_of(file)
                self._complain(f"{title}{',' * (',' in title)} is being played in another window.")
            else:
                self._play(setup.plan_of(file))
        except (RecordError, RulesError) as error:
            self._complain(str(error))

    def _watch_file(self, file: Path, begin: float | None = None) -> None:
        """Show a replay until the person comes back. begin: seconds, just before a fall."""
        from teeter.engine.record.latest import latest

        self._say_wait("the replay")
        try:
            self._watch(load(latest(file)), max((begin or 0.0) - BEFORE_FALL_S, 0.0))
        except (TeeterError, OSError) as error:
            self._complain(str(error))

    def _watch(self, replay: Replay, at: float, *, is_alone: bool = False) -> None:
        from teeter.games.ui.replay_screen import Viewer

        viewer, before = Viewer(replay, self.window, self.settings, is_alone=is_alone), self._played
        viewer.watching = viewer.watching.sought(at)
        self.screen, self._behind = viewer, before
        # the first picture is slow too; what was pressed until it is seen was not for the replay
        with left_out("the table"):
            viewer.step(0.0)
            self.window.draw()
        self.window.poll()

    def _say_wait(self, what: str) -> None:
        """Say at once what is set up, before it takes its time."""
        self.window.hud.show((wait_panel(what),), scale=self.settings.picture.letters)
        self.window.draw()

    def _come_back(self, viewer: Viewer) -> None:
        """From a replay to where it was asked for; or to the game that goes on from there."""
        before, self._behind = self._behind, None
        viewer.close()
        assert before is not None
        self.screen = before
        if viewer.forked is not None:
            before.close()
            try:
                self._play(setup.plan_of(viewer.forked))
            except (RecordError, RulesError) as error:
                self.screen = MenuScreen(self.window, self.settings)
                self._complain(str(error))
        else:
            before.come_back()

    def _film(
        self,
        screen: GameScreen,
        file: Path,
        fall: float | None = None,
        span: tuple[float, float] | None = None,
    ) -> None:
        """Draw the film of a game beside this window. fall: when that began which it is of; span: its seconds."""
        place = setup.folder().parent / "films"
        try:
            make_folder(place)
            drawn = {path for _, _, path, _ in self._films}
            out = first_free(lambda number: place / f"{file.stem}-{number}.mp4", drawn)
            part = () if span is None else ("--from", f"{span[0]:.2f}", "--to", f"{span[1]:.2f}")
            process = self._start("video", file, "-o", str(out), "--slow-fall", "-q", *part)
        except (TeeterError, OSError) as error:
            screen.films[fall] = str(error)
            return
        self._films.append((screen, process, out, fall))
        if not file.is_file():
            self._unpacked[process] = file, span
        screen.films[fall] = "is drawn, this takes a while ..."

    def _start(self, command: str, file: Path, *words: str) -> subprocess.Popen[bytes]:
        from teeter.engine.record.latest import latest

        process = subprocess.Popen([sys.executable, "-m", "teeter", command, str(latest(file)), *words])
        self._others = [other for other in (*self._others, process) if other.poll() is None]
        return process

    def _complain(self, why: str) -> None:
        if isinstance(self.screen, MenuScreen):
            self.screen.form = replace(self.screen.form, fault=why, page="game")

    def _look_at_films(self) -> None:
        """Draw the clips whose games have gone on; say which films are done."""
        for clip in list(self._clips):
            screen, file, _, (_, end) = clip
            view = screen.client.view
            # who was asked before the fall may be asked still, before there is a checkpoint after it
            has_it = view is not None and not screen.fall.state and is_kept(file, end * view.rate)
            if has_it or screen is not self.screen:
                self._clips.remove(clip)
                self._film(*clip)
        for film in list(self._films):
            screen, process, out, fall = film
            if process.poll() is not None:
                self._films.remove(film)
                again, span = self._unpacked.pop(process, (None, None))
                if process.returncode and again is not None and again.is_file():
                    self._film(screen, again, fall, span)
                    continue
                said = f"is kept as {out}" if process.returncode == 0 else "could not be drawn"
                screen.films[fall] = said
                screen.say(f"The {'film' if fall is None else 'clip'} {said}.")

    def _tell_picture(self) -> None:
        try:
            said = f"The picture is kept as {self.keep_picture()}."
        except (OSError, TeeterError) as error:
            said = f"No picture was kept: {error}."
        self.screen.say(said)

    def keep_picture(self) -> Path:
        """Write what is seen as a PNG beside the games. Returns the file."""
        place = setup.folder().parent / "pictures"
        make_folder(place)
        file = first_free(lambda number: place / f"teeter-{number}.png")
        save_png(self.window.picture(), file)
        return file

    def close(self) -> None:
        """Leave the game, then the window."""
        self.screen.close()
        if self._behind is not None:
            self._behind.close()
        self.pictures.close()
        self.window.close()


def wait_panel(title: str) -> Panel:
    """What stands on the screen until the first picture of a game. title: the game's."""
    return Panel(
        "wait", "centre", (Text("teeter", size="title", bold=True), Text(f"Setting up {title} ...", "quiet"))
    )


def fault_panel(line: str) -> Panel:
    """What failed and is left out of the screen."""
    return Panel("fault", "bottom-left", (Text(line, "bad", "small"),), width=320)
