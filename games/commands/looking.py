"""A window that is looked around in, and verdicts asked for meanwhile: what `teeter replay` stands on."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor

from engine.topple.verdict import CheckOptions, Verdict, check
from engine.topple.words import headline, rows
from engine.view.camera import DEGREES_PER_PIXEL, BoundingSphere, Orbit, orbit_of
from engine.view.render.overlays import Overlay
from engine.view.render.verdict_picture import overlays_on
from engine.view.window.events import Closed, Event, PointerMoved, Press
from engine.view.window.window import Window
from engine.world import Assembly, Body

REST = 0.004
"""Seconds that an idle round sleeps."""
ZOOM = 0.9
SETTLE = 3e-4
"""Metres of gap and overlap that are closed before a moment of a game is judged."""

Answer = tuple[Verdict, list[Overlay]]


def judged(assembly: Assembly, sphere: BoundingSphere) -> Answer:
    """A verdict and what it draws; runs in a process of its own."""
    options = CheckOptions(settle=SETTLE, workers=1)
    verdict = check(assembly, options)
    return verdict, overlays_on(assembly, verdict, options, sphere)


class Judge:
    """Judges scenes beside the window, one at a time."""

    def __init__(self) -> None:
        self._pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
        self._asked: Future[Answer] | None = None
        self.said = ""
        self.guides: list[Overlay] = []

    def ask(self, assembly: Assembly, sphere: BoundingSphere) -> None:
        """Ask about a scene, unless one is being judged."""
        if self._asked is None:
            self.said, self.guides = "Checking ...", []
            self._asked = self._pool.submit(judged, assembly, sphere)

    def hear(self) -> bool:
        """Take in the answer; whether there is a new one."""
        if self._asked is None or not self._asked.done():
            return False
        asked, self._asked = self._asked, None
        error = asked.exception()
        if error is not None:
            self.said = f"It cannot be judged: {error}"
            return True
        verdict, self.guides = asked.result()
        facts = [f"{label}: {text}" if label else text for label, text in rows(verdict)]
        self.said = "\n".join([headline(verdict), *facts])
        return True

    def forget(self) -> bool:
        """Drop what was said, once the scene is another one; whether anything was."""
        had = bool(self.said or self.guides) and self._asked is None
        if had:
            self.said, self.guides = "", []
        return had

    def close(self) -> None:
        """Stop judging."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class Looker:
    """A window around which a person looks: left drag turns, right drag moves, the wheel zooms."""

    def __init__(self, title: str, bodies: Sequence[Body]) -> None:
        self.window = Window(title)
        stage = self.window.put(bodies)
        self.sphere = stage.sphere
        self.orbit: Orbit = orbit_of(stage.sphere)
        self.judge = Judge()
        self._last: tuple[float, float] | None = None

    def run(self) -> None:
        """Until the window is closed."""
        before = time.perf_counter()
        try:
            while not self.window.is_closed:
                now = time.perf_counter()
                self.round(now - before)
                before = now
        finally:
            self.judge.close()
            self.window.close()

    def round(self, seconds: float) -> None:
        """Events, time, a picture."""
        for event in self.window.poll():
            if isinstance(event, Closed):
                return
            self._turn(event)
            self.handle(event)
        self.step(seconds)
        if not self.window.draw():
            time.sleep(REST)

    def handle(self, event: Event) -> None:
        """An event of the window."""

    def step(self, seconds: float) -> None:
        """Time passes; show what there is."""

    def draw_over(self, guides: Sequence[Overlay]) -> None:
        """Show these guides, seen through the pieces they lie in."""
        if self.window.stage is not None and self.window.stage.show_overlays(guides, through=True):
            self.window.touch()

    def took_over(self) -> None:
        """The person turns the camera."""

    def _turn(self, event: Event) -> None:
        if isinstance(event, Press) and event.key in ("wheel_up", "wheel_down"):
            self.took_over()
            self.orbit = self.orbit.zoomed(ZOOM if event.key == "wheel_up" else 1 / ZOOM)
        if not isinstance(event, PointerMoved):
            return
        last, self._last = self._last, (event.x, event.y)
        held = self.window.down & {"mouse1", "mouse3"}
        if last is None or not held or event.over_panel:
            return
        right, down = event.x - last[0], event.y - last[1]
        high = float(self.window.size[1])
        self.took_over()
        if "mouse1" in held:
            self.orbit = self.orbit.turned(
                -right * DEGREES_PER_PIXEL * 720 / high, down * DEGREES_PER_PIXEL * 720 / high
            )
        else:
            self.orbit = self.orbit.panned(-right / high, down / high)
