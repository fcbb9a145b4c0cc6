"""Scenes and verdicts shown: a picture in a notebook, else a window to look around in."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.topple.verdict import CheckOptions, Verdict
    from engine.view.camera import BoundingSphere
    from engine.view.window.window import Window
    from engine.world import Assembly, Body

SIZE = (960, 640)
"""Pixels of a picture in a notebook."""
ZOOM = 0.9
"""Of the distance, for a click of the wheel."""


def in_notebook() -> bool:
    """Whether a notebook runs this: IPython with a front end that shows pictures."""
    shell = sys.modules.get("IPython")
    return shell is not None and getattr(shell.get_ipython(), "kernel", None) is not None


def show_in_notebook(what: object) -> None:
    """Show something that has a picture of itself, below the running cell."""
    sys.modules["IPython"].display.display(what)


def show_in_window(title: str, bodies: Sequence[Body]) -> None:
    """Open a window on these bodies and return when it is closed. Raises ViewError without a display."""
    _look_around(title, bodies, lambda window, sphere: None)


def show_verdict_in_window(assembly: Assembly, verdict: Verdict, options: CheckOptions) -> None:
    """The same for a verdict, with its forces and its facts. assembly: as it was checked."""
    from engine.topple.words import headline, rows
    from engine.view.panels import Panel, Text
    from engine.view.render.verdict_picture import overlays_on

    facts = [f"{label}: {text}" if label else text for label, text in rows(verdict) if label != "time"]
    lines = tuple(Text(line, "plain", "small") for line in (headline(verdict), *facts))

    def prepare(window: Window, sphere: BoundingSphere) -> None:
        if window.stage is not None:
            window.stage.show_overlays(overlays_on(assembly, verdict, options, sphere), through=True)
        window.hud.show([Panel("verdict", "top-left", lines, title=verdict.scene, width=300.0)])

    _look_around(f"{verdict.scene}: {verdict.word}", assembly.bodies, prepare)


def _look_around(
    title: str, bodies: Sequence[Body], prepare: Callable[[Window, BoundingSphere], None]
) -> None:
    """A window until it is closed: left drag turns, right drag pans, the wheel zooms."""
    from engine.view.camera import DEGREES_PER_PIXEL, orbit_of
    from engine.view.window.events import PointerMoved, Press
    from engine.view.window.window import Window

    window = Window(f"{title} - teeter")
    try:
        sphere = window.put(bodies).sphere
        prepare(window, sphere)
        orbit, last = orbit_of(sphere), window.pointer
        while not window.is_closed:
            for event in window.poll():
                if isinstance(event, Press) and event.key in ("wheel_up", "wheel_down"):
                    orbit = orbit.zoomed(ZOOM if event.key == "wheel_up" else 1 / ZOOM)
                if isinstance(event, PointerMoved):
                    (x, y), last = last, (event.x, event.y)
                    right, down = (event.x - x) / window.size[1], (event.y - y) / window.size[1]
                    if "mouse1" in window.down:
                        orbit = orbit.turned(-right * DEGREES_PER_PIXEL * 720, down * DEGREES_PER_PIXEL * 720)
                    elif "mouse3" in window.down:
                        orbit = orbit.panned(-right, down)
            window.aim(orbit.camera)
            if not window.draw():
                window.pause()
    finally:
        window.close()


def png_of_scene(assembly: Assembly) -> bytes:
    """A picture of a scene, as the bytes of a PNG file. Raises ViewError without OpenGL."""
    from engine.view.camera import framing
    from engine.view.frame import frame_of
    from engine.view.render.png import png_of
    from engine.view.render.stage import Stage

    stage = Stage(assembly.bodies, size=SIZE)
    try:
        stage.show(frame_of(assembly.bodies))
        stage.aim(framing(stage.sphere, aspect=SIZE[0] / SIZE[1]))
        return png_of(stage.render())
    finally:
        stage.close()


def png_of_verdict(assembly: Assembly, verdict: Verdict, options: CheckOptions) -> bytes:
    """A picture of a verdict with its forces, as the bytes of a PNG file. Raises ViewError without OpenGL."""
    from engine.view.render.verdict_picture import picture

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "verdict.png"
        picture(assembly, verdict, options, path)
        return path.read_bytes()
