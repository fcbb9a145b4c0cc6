"""Drives a real window with real events: a screen that nobody sees (Xvfb), a mouse and keys (xdotool).

A scenario runs in a process of its own, because a process has one window at a time: `play_out(scenario, plan)` starts
it under Xvfb, `play_all` several that come one after the other, and it fails with what the scenario said. A scenario
makes a `Person` and does what people do.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from needs import need
from numpy.typing import NDArray

from teeter.engine.view.camera import Camera
from teeter.engine.view.window.events import Press

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 150.0
"""Seconds in which what a person waits for has to happen; machines that test may be slow."""

STILL_S = 10.0
"""Seconds in which a camera comes to a stand."""
STANDS_S = 0.35
"""Seconds for which it has not moved then: what panels leave free is asked about five times a second."""
SHARP_S = 3.0
"""Seconds in which a picture becomes clear after something has moved."""
ALIKE = 0.5
"""Mean difference, of 255, up to which the screen shows what the program believes to show."""
COLOURS = 1000
"""A picture of the game has more; a window that shows nothing has one."""
SETTINGS = """
[picture]
quality = "low"
width = 960
height = 540
"""
"""Of everybody who tests: as quick as can be without a graphics card."""
KEYS = {
    "Escape": "escape",
    "Return": "enter",
    "Next": "page_down",
    "Prior": "page_up",
    "Tab": "tab",
    "Down": "arrow_down",
    "Up": "arrow_up",
    "Left": "arrow_left",
    "Right": "arrow_right",
    "Home": "home",
    "F11": "f11",
    "F12": "f12",
    "shift": "lshift",
}
"""What X11 calls keys, and what the window calls them."""


RUN = """
import json, sys
from importlib import import_module
from teeter.games.faults import FAULTS
for scenario, *words in json.loads(sys.argv[1]):
    module, _, function = scenario.partition(":")
    getattr(import_module(module), function)(*words)
    assert not FAULTS.noted, (scenario, FAULTS.noted)
"""
"""Scenarios, by no file: every process that a game starts would load that too."""
PAUSE_S = 0.02
"""Seconds between two pictures: other tests need the processor."""


def seen_at(
    camera: Camera, size: tuple[int, int], point: tuple[float, float, float] | NDArray[np.float64]
) -> tuple[float, float] | None:
    """Where a point in the world is in a picture, pixels from the upper left; None when it is behind the eye."""
    right, ahead, up = (camera.axes @ (np.asarray(point) - camera.eye)).tolist()
    if ahead <= 1e-9:
        return None
    tangent = math.tan(math.radians(camera.fov) / 2.0)
    x = (right / ahead / tangent * size[1] / size[0] + 1.0) * size[0] / 2.0 - 0.5
    y = (1.0 - up / ahead / tangent) * size[1] / 2.0 - 0.5
    return x, y


class Person:
    """Somebody at the window of an app."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.heard: list[str] = []
        hand_on = app._hand_on

        def listen(event: Any) -> None:
            if isinstance(event, Press):
                self.heard.append(event.key)
            hand_on(event)

        app._hand_on = listen

    @property
    def client(self) -> Any:
        """What the window knows of the game."""
        return self.app.screen.client

    def wait(self, until: Callable[[], Any], what: str = "", seconds: float = PATIENCE) -> Any:
        """Look on until something is so."""
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            assert self.app.round(), "the window was closed"
            found = until()
            if found:
                return found
            fall = getattr(self.app.screen, "fall", None)
            if fall is not None and fall.state == "wreck":
                # what fell was seen
                fall.leave()
            time.sleep(PAUSE_S)
        raise AssertionError(f"waited {seconds:.0f} s in vain{': ' + what if what else ''}; {self.tell()}")

    def tell(self) -> str:
        """Where things stand, for messages."""
        client = getattr(self.app.screen, "client", None)
        if client is None:
            return f"screen {type(self.app.screen).__name__}"
        need = client.waits.need.wait.name if client.waits is not None else None
        asked = (
            f"busy {client.busy!r}, waits for {need}, refused {client.refused!r}, broken {client.broken!r}"
        )
        return f"{asked}, log {client.log[-4:]}"

    @property
    def number(self) -> str:
        """What X11 calls the window."""
        return number_of(self.app.window)

    def look(self, rounds: int = 3) -> None:
        """Let a few pictures pass."""
        for _ in range(rounds):
            assert self.app.round(), "the window was closed"
            time.sleep(PAUSE_S)

    def still(self) -> None:
        """Look on until the camera stands: where something is seen now is where it will be clicked.

        A handicap may sway it without end.
        """
        control, since = self.app.screen.camera_control, time.perf_counter()
        before, end = control.camera, since + STILL_S
        while time.perf_counter() < min(since + STANDS_S, end):
            self.look(3)
            if control.camera != before:
                before, since = control.camera, time.perf_counter()

    def until_closed(self, seconds: float = 20.0) -> None:
        """Look on until the window wants to be closed."""
        end = time.perf_counter() + seconds
        while self.app.round():
            assert time.perf_counter() < end, "the window stays open"

    def asked(self, **kind: Any) -> Any:
        """Wait until a person is asked for something; the need."""

        def is_asked() -> Any:
            waits = self.client.waits
            return (
                waits is not None
                and all(getattr(waits.need, key) == value for key, value in kind.items())
                and waits
            )

        return self.wait(is_asked, f"asked for {kind}").need

    # -- hands on mouse and keys -------------------------------------------------------------------------------------

    def move(self, x: float, y: float) -> None:
        """Move the pointer to a place of the window."""
        xdotool("mousemove", "--window", self.number, str(round(x)), str(round(y)))
        self.wait(lambda: np.allclose(self.app.window.pointer, (round(x), round(y))), "the pointer moves")

    def click(self, x: float, y: float, button: int = 1) -> None:
        """Click at a place."""
        self.move(x, y)
        name = f"mouse{button}"
        xdotool("mousedown", str(button))
        self.wait(lambda: name in self.app.window.down, "the button goes down", 20.0)
        xdotool("mouseup", str(button))
        self.wait(lambda: name not in self.app.window.down, "the button goes up", 20.0)
        self.look(1)

    def press(self, name: str) -> None:
        """Click a button of a panel by its name; panels that do not fit are scrolled until it is seen."""
        layout = self.app.window.hud.layout
        for scroll in layout.scrolls if layout.region(name) is None else ():
            x, y = scroll.rect.middle
            xdotool("mousemove", "--window", self.number, str(round(x)), str(round(y)))
            for turns, wheel in ((scroll.last, "4"), *((1, "5"),) * (scroll.last + 1)):
                if self.app.window.hud.layout.region(name) is None:
                    xdotool("click", "--repeat", str(max(turns, 1)), "--delay", "1", wheel)
                    self.look(2)
        region = self.wait(lambda: self.app.window.hud.layout.region(name), f"a button {name}")
        self.click(*region.rect.middle)

    def key(self, *keys: str) -> None:
        """Press and lift keys, each when the window has heard of the one before."""
        for each in keys:
            name, before = KEYS.get(each, each), len(self.heard)
            xdotool("key", each)
            self.wait(partial(self._has_heard, name, before), f"{each} is heard", 20.0)
            self.look(1)

    def _has_heard(self, name: str, before: int) -> bool:
        return name in self.heard[before:]

    def hold(self, key: str) -> None:
        """Press a key and keep it down."""
        xdotool("keydown", key)
        self.look(2)

    def lift(self, key: str) -> None:
        """Lift a key."""
        xdotool("keyup", key)
        self.look(2)

    def choose(self, wanted: Callable[[Any], bool] = lambda choice: True) -> Any:
        """Click the button of the first choice that fits."""
        choice = next(each for each in self.client.choices if wanted(each))
        self.press(f"choice:{self.client.choices.index(choice)}")
        return choice

    # -- what is seen ------------------------------------------------------------------------------------------------

    def place_of(self, name: str) -> tuple[float, float]:
        """A place of the window where a piece is seen, its centre if that is not hidden."""
        from teeter.engine.view.camera import ray
        from teeter.engine.view.window.picker import pick

        self.still()
        camera, size = self.app.screen.camera_control.camera, self.app.window.size
        middle = seen_at(camera, size, self.client.pose(name).position)
        assert middle is not None, f"{name} is behind the eye"
        for away in range(0, 60, 6):
            for turn in range(8):
                x = middle[0] + away * np.cos(turn * np.pi / 4)
                y = middle[1] + away * np.sin(turn * np.pi / 4)
                hit = pick(self.client.frame, self.client.pieces, *ray(camera, size, x, y))
                if hit is not None and hit.name == name and not self.app.window.hud.layout.covers(x, y):
                    return float(x), float(y)
        raise AssertionError(f"{name} is nowhere to be seen")

    def mask(self, name: str, step: int = 8) -> NDArray[np.bool_]:
        """Where a piece must be in the picture: (h, w) on every `step`th pixel, panels left out."""
        from teeter.engine.view.camera import ray
        from teeter.engine.view.window.picker import pick

        camera, size = self.app.screen.camera_control.camera, self.app.window.size
        cover = self.app.window.hud.layout.covers
        found = np.zeros((size[1], size[0]), dtype=bool)
        centre = np.array(self.client.pose(name).position)
        reach = float(np.linalg.norm(self.client.pieces[name].extents)) / 2.0
        # no ray goes past farther than it reaches, but for those that lean off the middle of the picture
        middle = seen_at(camera, size, centre)
        assert middle is not None, f"{name} is behind the eye"
        away = float((centre - camera.eye) @ camera.axes[1]) - reach
        wide = reach / away / math.tan(math.radians(camera.fov) / 2.0) * size[1]
        for y in range(step // 2, size[1], step):
            for x in range(step // 2, size[0], step):
                if math.dist(middle, (x, y)) > wide or cover(x, y):
                    continue
                eye, direction = ray(camera, size, x, y)
                if np.linalg.norm(np.cross(centre - eye, direction)) <= reach:
                    hit = pick(self.client.frame, self.client.pieces, eye, direction)
                    found[y, x] = hit is not None and hit.name == name
        return found

    def picture(self) -> NDArray[np.int_]:
        """What the screen shows of the window, as clear as it becomes at rest: (h, w, 3), red first."""
        end = time.perf_counter() + SHARP_S
        self.look(1)
        while self.app.window.sharpness < 1.0 and time.perf_counter() < end:
            self.look(1)
        return self.on_screen().astype(int)

    def on_screen(self) -> NDArray[np.uint8]:
        """What the X server has of the window now: (h, w, 3), red first."""
        return on_screen(self.app.window)

    def sees(self, name: str) -> None:
        """The screen shows what the program believes to show; kept under this name."""
        sees(self.app.window, self.look, name)
        self.keep(name)

    def keep(self, name: str) -> None:
        """Write what the screen shows where `TEETER_SHOTS` says, for people to look at."""
        folder = os.environ.get("TEETER_SHOTS")
        if folder:
            from teeter.engine.view.render.png import save_png

            save_png(self.on_screen(), Path(folder) / f"{name}.png")

    def place(self, x: float, y: float, z: float, *, waits: bool = True) -> tuple[float, float]:
        """The place of the window at which a point of the world is seen; as soon as the camera stands, or at once."""
        if waits:
            self.still()
        found = seen_at(self.app.screen.camera_control.camera, self.app.window.size, (x, y, z))
        assert found is not None
        return found


def xdotool(*words: str) -> str:
    """One act of mouse or keys, or a question; what it said."""
    return subprocess.run(
        ["xdotool", *words], check=True, timeout=20, stdout=subprocess.PIPE, text=True
    ).stdout


def screenshot(environment: Mapping[str, str] = os.environ) -> NDArray[np.uint8]:
    """The whole screen as the X server has it in its memory: (h, w, 3) bytes, red first.

    Xvfb keeps it as a file in the format of xwd: a head of big-endian words, colours of 12 bytes, rows of pixels.
    """
    data = Path(environment["SCREEN_FILE"]).read_bytes()
    head = struct.unpack(">25I", data[:100])
    length, _, _, depth, width, height = head[:6]
    is_low_first, row, colours = head[7] == 0, head[12], head[19]
    assert (depth, head[11], is_low_first) == (24, 32, True), "the screen has another layout"
    begin = length + 12 * colours
    pixels = np.frombuffer(data, np.uint8, row * height, begin).reshape(height, row)[:, : 4 * width]
    return np.ascontiguousarray(pixels.reshape(height, width, 4)[..., 2::-1])


def on_screen(window: Any) -> NDArray[np.uint8]:
    """What the X server has of a window now, not what the program believes: (h, w, 3), red first."""
    told = xdotool("getwindowgeometry", "--shell", number_of(window))
    words = dict(line.split("=") for line in told.split())
    x, y, width, height = (int(words[name]) for name in ("X", "Y", "WIDTH", "HEIGHT"))
    return screenshot()[max(y, 0) : y + height, max(x, 0) : x + width]


def sees(window: Any, look: Callable[[], object], name: str, seconds: float = 20.0) -> None:
    """The screen comes to show what the program believes to show, and that is a picture.

    A picture is on the screen a moment after it was drawn, so the screen has some time to come to it.
    """
    end = time.perf_counter() + seconds
    while True:
        believed, shown = window.picture().astype(int), on_screen(window).astype(int)
        is_alike = shown.shape == believed.shape and np.abs(shown - believed).mean() < ALIKE
        if is_alike and colours_of(shown) > COLOURS:
            return
        found = f"{colours_of(shown)} colours in {shown.shape[:2]}"
        wanted = f"{colours_of(believed)} in {believed.shape[:2]}"
        assert time.perf_counter() < end, f"{name}: the screen shows {found}, the program {wanted}"
        look()


def number_of(window: Any) -> str:
    """What X11 calls a window."""
    return str(window._window.get_window_handle().get_int_handle())


def colours_of(picture: NDArray[Any]) -> int:
    """How many different colours a picture has; (h, w, 3)."""
    values = picture.astype(np.int64) @ (1 << 16, 1 << 8, 1)
    return len(np.unique(values))


@contextlib.contextmanager
def screen(size: tuple[int, int] = (1280, 720)) -> Iterator[dict[str, str]]:
    """A screen that nobody sees; the environment in which programs and `screenshot` find it."""
    need("Xvfb", "xdotool")
    read, write = os.pipe()
    memory = tempfile.TemporaryDirectory(prefix="teeter-screen-")
    server = subprocess.Popen(
        [
            *("Xvfb", "-displayfd", str(write), "-screen", "0", f"{size[0]}x{size[1]}x24"),
            *("-fbdir", memory.name, "-nolisten", "tcp"),
        ],
        pass_fds=(write,),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        with os.fdopen(read) as told:
            number = told.readline().strip()
        assert number, "Xvfb does not start"
        yield {
            **os.environ,
            "DISPLAY": f":{number}",
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "SCREEN_PID": str(server.pid),
            "SCREEN_FILE": str(Path(memory.name) / "Xvfb_screen0"),
        }
    finally:
        server.terminate()
        server.wait(10)
        memory.cleanup()


def play_out(
    scenario: str, *words: str, size: tuple[int, int] = (1280, 720), seconds: float = 400.0, code: int = 0
) -> str:
    """Run a scenario (`module:function`) in a process of its own, on a screen of its own; what it printed.

    Fails with what the scenario said when it does not end with this exit code.
    """
    return play_all((scenario, *words), size=size, seconds=seconds, code=code)


def play_all(
    *scenarios: tuple[str, ...], size: tuple[int, int] = (1280, 720), seconds: float = 900.0, code: int = 0
) -> str:
    """Run scenarios, each with its words, one after the other in one process: a window each, what was loaded and built
    for the first there for the others. Fails with what they said, and which it was."""
    with screen(size) as environment, tempfile.TemporaryDirectory() as home:
        settings = Path(home) / "teeter" / "settings.toml"
        settings.parent.mkdir()
        settings.write_text(SETTINGS, encoding="utf-8")
        # the tree that is tested, whatever is installed
        path = os.pathsep.join((str(ROOT / "tests"), str(ROOT)))
        environment |= {"XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home, "PYTHONPATH": path}
        done = subprocess.run(
            [sys.executable, "-c", RUN, json.dumps(scenarios)],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    names = ", ".join(name for name, *_ in scenarios)
    assert done.returncode == code, f"{names}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr
