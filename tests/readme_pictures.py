"""The pictures of the README: the menu, and every game in the middle of being played by bots.

xvfb-run -s "-screen 0 1280x720x24" python tests/readme_pictures.py games/pictures
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from teeter.games.present.camera import CameraController
from teeter.games.present.game_screen import GameScreen
from teeter.games.present.settings import load_settings
from teeter.games.present.table_screen import PACES
from teeter.games.registry import game_named
from teeter.games.server.messages import Plan
from teeter.games.ui.app import App

TIMEOUT_S = 240.0
"""For a picture to come about; a busy machine is slow."""
SCENES: dict[str, tuple[Plan, float, float, float]] = {
    "wonky": (
        Plan("wonky", ("bot:steady", "bot:bold", "bot:steady", "Ana"), 4, {"first": "1"}),
        -72.0,
        16.0,
        0.8,
    ),
    "crazy-tower": (
        Plan("crazy-tower", ("bot:steady", "bot:bold", "Ana"), 3, {"first": "1"}),
        -72.0,
        30.0,
        0.8,
    ),
    "bausack": (Plan("bausack", ("Ana", "bot:steady"), 2), -80.0, 34.0, 0.9),
    "tower-topple": (Plan("tower-topple", ("bot:steady", "Ana"), 3, {"first": "1"}), -66.0, 12.0, 1.0),
    "sandbox": (Plan("sandbox", ("Ana",), scene="bridge"), -66.0, 14.0, 0.9),
}
"""By game: what is played, azimuth and elevation of the camera, and how near it is."""


def menu(out: Path) -> Path:
    """The menu."""
    app = App(load_settings())
    try:
        for _ in range(8):
            app.round()
        return _save(app, out / "menu.jpg")
    finally:
        app.close()


def game(name: str, out: Path) -> Path:
    """A game that waits for a person, with a hand in the air where there can be one."""
    plan, azimuth, elevation, near = SCENES[name]
    app = App(load_settings(), plan)
    try:
        screen = app.screen
        assert isinstance(screen, GameScreen)
        screen.pace = PACES[-1]
        _until(app, lambda: screen.client.waits is not None)
        screen.pace = PACES[0]
        _look_from(screen.camera_control, azimuth, elevation, near)
        if game_named(name).is_free_building:
            screen.act("check")
            _until(app, lambda: screen.hints.finding is not None)
        for _ in range(12):
            app.round()
        return _save(app, out / f"{name}.jpg")
    finally:
        app.close()


def _look_from(camera: CameraController, azimuth: float, elevation: float, near: float) -> None:
    """Look from there at once; near: times as far as at home."""
    home, distance = camera._home, near * camera._home.distance
    camera._set(replace(home, azimuth=azimuth % 360.0, elevation=elevation, distance=distance))
    camera.orbit = camera._goal


def _until(app: App, done: Callable[[], bool]) -> None:
    end = time.perf_counter() + TIMEOUT_S
    while not done():
        if not app.round() or time.perf_counter() > end:
            raise TimeoutError("the picture does not come about")


def _save(app: App, file: Path) -> Path:
    app.window.relight(app.window.quality, 1.0)
    save_jpeg(app.window.picture(), file)
    return file


def save_jpeg(picture: NDArray[np.uint8], file: Path) -> None:
    """Write an (h, w, 3) picture as JPEG, without halving its colours."""
    import av

    with av.open(str(file), "w", format="mjpeg") as container:
        stream = container.add_stream("mjpeg", rate=1)
        stream.height, stream.width = picture.shape[:2]
        stream.pix_fmt = "yuvj444p"
        stream.options = {"qmin": "3", "qmax": "3"}
        frame = av.VideoFrame.from_ndarray(picture, format="rgb24").reformat(format="yuvj444p")
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def main() -> int:
    """Make the pictures into a folder; the exit code."""
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "games/pictures")
    out.mkdir(parents=True, exist_ok=True)
    menu(out)
    for name in SCENES:
        game(name, out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
