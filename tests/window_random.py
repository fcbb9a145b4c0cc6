"""Random input at a real window: what nobody means to do, at a size of window; for `test_window_random.py`."""

from __future__ import annotations

import gc
import json
import os
import random
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from test_window_layout import LETTERS, sound
from window_driver import KEYS, Person, seen_at, xdotool
from window_scenarios import opened

from teeter.engine.world.body import TABLE
from teeter.games.present.hand import OVER_EDGE
from teeter.games.registry import GAMES

ACTS_A_GAME = 70
"""Acts after which another game is begun."""
LEAVING = ("quit", "leave", "watch", "fall", "film")
"""Buttons that end the test or begin other programs."""
TYPED = (
    "Tab",
    "Return",
    "space",
    "a",
    "d",
    "f",
    "e",
    "q",
    "u",
    "c",
    "v",
    "g",
    "h",
    "w",
    "t",
    "k",
    "1",
    "2",
    "0",
)
MOVING = ("Left", "Right", "Up", "Down", "Home", "Page_Up", "Page_Down", "Escape", "F1")
UNSEEN_S = 1.5
"""Seconds for which a piece in the hand may be out of the picture, while the camera comes after it."""
BELOW = 0.01
"""Metres below the top of the table at which a piece in the hand is lost: over the edge a card hangs a little lower."""
SHARES = {
    "button": 0.25,
    "piece": 0.15,
    "place": 0.12,
    "drag": 0.14,
    "turn": 0.08,
    "wheel": 0.08,
    "key": 0.14,
}
"""How often each kind of act comes; what is left is another size of window."""


class Watch:
    """Looks for what must never be seen. found: how often each thing was, faults: what it was."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.found: Counter[str] = Counter()
        self.faults: list[str] = []
        self._unseen_since: float | None = None

    def look(self) -> None:
        """Judge what is seen now."""
        app = self.person.app
        self.found["looks"] += 1
        try:
            sound(app.window.hud.layout, app.window.size, type(app.screen).__name__)
        except AssertionError as error:
            self._tell("overlaps", str(error))
        if hasattr(app.screen, "client"):
            self._camera(app)
            self._pieces(app)
            if app.screen.client.broken:
                self._tell("crashes", app.screen.client.broken)

    def _tell(self, kind: str, what: str) -> None:
        self.found[kind] += 1
        if self.found[kind] <= 5:
            self.faults.append(f"{kind}: {what}")
            self.person.keep(f"random-{kind}-{self.found[kind]}")

    def _camera(self, app: Any) -> None:
        eye = np.asarray(app.screen.camera_control.camera.eye)
        client = app.screen.client
        if eye[2] <= 0.0:
            self._tell("camera", f"at {eye.round(3)}, below the table")
        for name, pose in client.frame.placed().items():
            if name not in client.in_play or name == client.held:
                continue
            local = (eye - pose.position) @ pose.matrix
            if np.all(np.abs(local) < client.pieces[name].extents / 2.0):
                self._tell("camera", f"at {eye.round(3)}, inside {name}")

    def _pieces(self, app: Any) -> None:
        client, screen = app.screen.client, app.screen
        if client.waits is not None and not client.game.is_free_building:
            # BS-08: what fell off with a tower may lie there, as long as nobody is asked for it
            taken = {str(getattr(each.action, "piece", "")) for each in client.choices}
            for name in {*client.waits.need.pieces, *taken} & set(client.off_table):
                self._tell(
                    "lost", f"{client.game.name}: {name} lies on the floor of the room, and is asked for"
                )
        grip = screen.hand.grip
        if grip is None or client.held != grip.name:
            self._unseen_since = None
            return
        place = client.pose(grip.name).position
        half = client.pieces[TABLE].extents[:2] / 2.0 + OVER_EDGE + 0.02
        middle = client.pose(TABLE).position[:2]
        if np.any(np.abs(np.subtract(place[:2], middle)) > half) or place[2] < -BELOW:
            self._tell("lost", f"{client.game.name}: {grip.name} is held at {np.round(place, 3)}")
        at, (width, height) = seen_at(screen.camera_control.camera, app.window.size, place), app.window.size
        if at is not None and 0 < at[0] < width and 0 < at[1] < height:
            self._unseen_since = None
        elif self._unseen_since is None:
            self._unseen_since = time.monotonic()
        elif time.monotonic() - self._unseen_since > UNSEEN_S:
            self._tell(
                "lost", f"{client.game.name}: {grip.name} is held at {np.round(place, 3)}, out of the picture"
            )
            self._unseen_since = None


def random_play(width: str, height: str, seconds: str, seed: str) -> None:
    """Every game for so long in a window of a size; prints what was found as JSON."""
    size, luck = (int(width), int(height)), random.Random(int(seed))
    person = opened()
    watch = Watch(person)
    end, rounds, first = time.monotonic() + float(seconds), 0, 0.0
    share = float(seconds) / len(GAMES)
    while time.monotonic() < end:
        _resize(person, size)
        person.app.screen.pages.set("picture", "letters", luck.choice(LETTERS[:2]))
        person.look(3)
        _begin(person, GAMES[rounds % len(GAMES)].name)
        until = min(end, time.monotonic() + share)
        for _ in range(ACTS_A_GAME):
            _act(person, luck, watch, size)
            if not hasattr(person.app.screen, "client") or time.monotonic() > until:
                break
        _leave(person)
        rounds += 1
        if rounds == len(GAMES):
            first = _resident_mb()
    grown = _resident_mb() - first if rounds > len(GAMES) else 0.0
    print(json.dumps({**watch.found, "games": rounds, "grown_mb": round(grown, 1), "faults": watch.faults}))
    person.app.close()


def again(game: str, times: str, acts: str) -> None:
    """One game begun and left so many times; prints the memory after each, megabytes, as JSON."""
    person, luck = opened(), random.Random(3)
    watch = Watch(person)
    _resize(person, (800, 600))
    found = []
    for _ in range(int(times)):
        _begin(person, game)
        for _ in range(int(acts)):
            if hasattr(person.app.screen, "client"):
                _act(person, luck, watch, (800, 600), keeps_quality=True)
        _leave(person)
        gc.collect()
        found.append(round(_resident_mb(), 1))
    print(json.dumps({"resident_mb": found}))
    person.app.close()


def _begin(person: Person, game: str) -> None:
    """From the menu, people in all seats."""
    person.press(f"game:{game}")
    for seat, player in enumerate(person.app.screen.form.players):
        while player.startswith("bot:"):
            person.press(f"kind:{seat}")
            player = person.app.screen.form.players[seat]
    person.press("start")
    person.wait(lambda: hasattr(person.app.screen, "client"), game)
    person.wait(lambda: person.client.waits or person.client.broken, f"{game} begins")


def _leave(person: Person) -> None:
    for button in ("1", "3"):
        xdotool("mouseup", button)
    # a click that is still under way may begin a game from the menu: until nothing comes any more
    calm = 0
    while calm < 5:
        calm = 0 if hasattr(person.app.screen, "client") else calm + 1
        if calm == 0:
            person.app.screen.wish = "menu"
        person.look(2)


def _resize(person: Person, size: tuple[int, int]) -> None:
    xdotool("windowmove", person.number, "0", "0", "windowsize", person.number, str(size[0]), str(size[1]))
    person.wait(partial(lambda size: person.app.window.size == size, size), "another size")


def _act(
    person: Person,
    luck: random.Random,
    watch: Watch,
    size: tuple[int, int],
    *,
    keeps_quality: bool = False,
) -> None:
    """Something that somebody might do by accident. keeps_quality: but for a finer picture, which takes memory."""
    kinds = list(SHARES)
    kind = luck.choices([*kinds, "resize"], [*SHARES.values(), 1.0 - sum(SHARES.values())])[0]
    watch.found["acts"] += 1
    x, y = luck.randrange(size[0]), luck.randrange(size[1])
    if kind == "button":
        regions = [
            each
            for each in person.app.window.hud.layout.regions
            if each.name not in LEAVING and not (keeps_quality and each.name.startswith("quality:"))
        ]
        if regions:
            x, y = (round(value) for value in luck.choice(regions).rect.middle)
        _pointed(person, x, y, "click", "1")
    elif kind == "piece":
        _pointed(person, *_of_a_piece(person, luck, (x, y)), "click", "1")
    elif kind == "place":
        _pointed(person, x, y, *(("click", luck.choice("113")) if luck.random() < 0.5 else ()))
    elif kind == "drag":
        _drag(person, luck, watch, _of_a_piece(person, luck, (x, y)), (x, y))
    elif kind == "turn":
        button = luck.choice("23")
        xdotool("mousedown", button)
        for _ in range(3):
            far = [str(luck.randrange(-150, 150)) for _ in range(2)]
            xdotool("mousemove_relative", "--", *far)
            _look(person, watch, luck.randrange(1, 4))
        xdotool("mouseup", button)
    elif kind == "wheel":
        xdotool("click", "--repeat", str(luck.randrange(1, 12)), "--delay", "1", luck.choice("45"))
    elif kind == "key":
        _type(person, luck, watch)
    else:
        _resize(person, (luck.randrange(480, size[0] + 1), luck.randrange(400, size[1] + 1)))
        _look(person, watch, 3)
        _resize(person, size)
    _look(person, watch, luck.randrange(1, 10))


def _type(person: Person, luck: random.Random, watch: Watch) -> None:
    key = luck.choice((*TYPED, *MOVING))
    if key == "Escape" and not getattr(person.app.screen, "client", None):
        return
    if key in MOVING and key in KEYS and luck.random() < 0.5:
        xdotool("keydown", key)
        _look(person, watch, luck.randrange(4, 30))
        xdotool("keyup", key)
    else:
        xdotool("key", key)


def _drag(
    person: Person, luck: random.Random, watch: Watch, begin: tuple[int, int], end: tuple[int, int]
) -> None:
    _pointed(person, *begin)
    xdotool("mousedown", "1")
    for part in np.linspace(0.2, 1.0, 5):
        x, y = (round(a + part * (b - a)) for a, b in zip(begin, end, strict=True))
        _pointed(person, x, y)
        _look(person, watch, luck.randrange(1, 8))
    xdotool("mouseup", "1")


def _of_a_piece(person: Person, luck: random.Random, other: tuple[int, int]) -> tuple[int, int]:
    """Where a piece that may be taken is in the picture, or any other place."""
    client = getattr(person.app.screen, "client", None)
    if client is None:
        return other
    taken = {str(getattr(each.action, "piece", "")) for each in client.choices} & set(client.frame.names)
    if not taken:
        return other
    middle = seen_at(
        person.app.screen.camera_control.camera,
        person.app.window.size,
        client.pose(luck.choice(sorted(taken))).position,
    )
    width, height = person.app.window.size
    if middle is None or not (0 <= middle[0] < width and 0 <= middle[1] < height):
        return other
    return round(middle[0]), round(middle[1])


def _pointed(person: Person, x: int, y: int, *words: str) -> None:
    xdotool("mousemove", "--window", person.number, str(x), str(y), *words)


def _look(person: Person, watch: Watch, rounds: int) -> None:
    for _ in range(rounds):
        if not person.app.round():
            raise AssertionError("the window was closed")
        watch.look()


def _resident_mb() -> float:
    """Memory of this process, megabytes."""
    if sys.platform != "linux":
        return 0.0
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
