"""Browser seats at a hosted table: the real command, and pages that are played by clicks and taps alone."""

from __future__ import annotations

import os
import queue
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chromium import Opened
from playwright.sync_api import Browser, Locator, TimeoutError

LINK = re.compile(r"(You, the host|Seats|Looking on): (http://\S+)")
START_S = 240.0
"""In which a hosted game prints its links, on a busy machine."""
PATIENCE_MS = 240_000
"""In which what was pressed has happened there."""

HELD = ".bottom:not(.laid) .hand"
GONE_MS = 10_000
"""After which what is not there to be pressed has gone."""
PLACES_TRIES = 4
STUCK_MS = 20_000
"""In which a brick has come out, if it comes."""


@dataclass
class Hosted:
    """A running `teeter play --host`. links: by what they are called."""

    process: subprocess.Popen[str]
    links: dict[str, str]
    said: list[str]

    @property
    def pid(self) -> int:
        return self.process.pid


@contextmanager
def hosted(*words: str, prefix: Sequence[str] = (), address: str = "127.0.0.1:0") -> Iterator[Hosted]:
    """The command, until the end of the block; Ctrl-C ends it. prefix: words before it, as of `ip netns exec`."""
    command = [*prefix, sys.executable, "-m", "teeter", "play", *words, "--host", address]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    found = Hosted(process, {}, [])
    lines: queue.Queue[str] = queue.Queue()
    assert process.stdout is not None
    out = process.stdout

    def listen() -> None:
        for line in out:
            found.said.append(line)
            lines.put(line)

    ears = threading.Thread(target=listen, daemon=True)
    ears.start()
    try:
        end = time.monotonic() + START_S
        while len(found.links) < 3:
            try:
                line = lines.get(timeout=max(end - time.monotonic(), 0.01))
            except queue.Empty:
                raise AssertionError("".join(found.said) or "nothing was printed") from None
            if (link := LINK.match(line)) is not None:
                found.links[link[1]] = link[2]
        yield found
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        ears.join(10)
        out.close()


FEW_PICTURES = """
const soon = requestAnimationFrame;
globalThis.requestAnimationFrame = draw => setTimeout(() => soon(draw), %d);
"""
"""A page that draws so many milliseconds later. Without a graphics card every page draws all the time, for whom nobody
looks; a screen that is slow it draws smaller, too."""


@contextmanager
def at_table(
    browser: Browser,
    link: str,
    size: tuple[int, int] = (640, 400),
    *,
    has_touch: bool = False,
    pause_ms: int = 0,
) -> Iterator[Opened]:
    """A window of its own, as of another machine, once it is at the table. pause_ms: before each picture; keys that are
    only looked at for a picture may be missed then."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, has_touch=has_touch)
    if pause_ms:
        context.add_init_script(FEW_PICTURES % pause_ms)
    page = context.new_page()
    found = Opened(page)
    page.set_default_timeout(PATIENCE_MS)
    page.goto(link)
    page.wait_for_selector("html[data-ready], html[data-fault]")
    assert page.get_attribute("html", "data-fault") is None, page.get_attribute("html", "data-fault")
    try:
        page.wait_for_function("() => teeter.view.table !== null && teeter.stage.props.bodies.length > 0")
    except TimeoutError as error:
        raise AssertionError(found.faults or page.text_content("main")) from error
    yield found
    context.close()


class Player:
    """Somebody at a page: presses what can be pressed, by a seed. choose: of the labels that are offered, which one;
    None: any."""

    def __init__(
        self, tab: Opened, seat: str, seed: int = 0, choose: Callable[[list[str]], int | None] | None = None
    ) -> None:
        self.tab, self.seat = tab, seat
        self._luck, self._choose = random.Random(seed), choose
        self.done: list[str] = []
        tab.page.click(f"[data-sit='{seat}']")
        tab.page.wait_for_function("name => teeter.view.welcome.seat === name", arg=seat)

    @property
    def is_over(self) -> bool:
        return self.tab.page.is_visible(".over h1")

    def step(self) -> bool:
        """Do one thing, if there is one to do. Returns whether there was."""
        page = self.tab.page
        if page.is_visible(HELD):
            return self._place()
        offered = page.locator(".turn [data-choice]:enabled, .fan [data-choice]:enabled")
        # what is offered may go between two looks: one look says whether there is any, and what it is called
        labels = offered.all_text_contents()
        if not labels:
            return page.locator("[data-act=list]").count() > 0 and self._press("[data-act=list]")
        chosen = self._choose(labels) if self._choose is not None else None
        at = self._luck.randrange(len(labels)) if chosen is None else chosen
        turn = self.tab.run("() => teeter.view.turn.turn")
        if not self._press(offered.nth(at)):
            return True
        self.done.append(labels[at])
        self._until("turn => teeter.view.turn.turn !== turn || !teeter.view.busy", turn)
        return True

    def _place(self) -> bool:
        page = self.tab.page
        if page.is_visible("[data-act=pull_out]"):
            if not self._press("[data-act=pull_out]"):
                return True
            self.done.append("pull out")
            try:
                page.wait_for_function("() => !teeter.view.hand.grip?.isPulling", timeout=STUCK_MS)
            except TimeoutError:
                # too tight, or another brick lies on it: who only let go of it could take hold again
                self._press(page.locator(".turn [data-choice]:enabled", has_text="Leave the brick"))
                self._until("() => !teeter.view.hand.grip?.isPulling")
            return True
        if not self._finds_places():
            return True
        for _ in range(self._luck.randrange(3)):
            self._press("[data-act=places]")
        # the hand gets there
        self._until(
            "() => { const grip = teeter.view.hand.grip; return !grip || grip.number <= teeter.view.table.number; }"
        )
        for _ in range(2):
            # twice where the coach warns
            if page.is_visible(f"{HELD} [data-act=lay]"):
                self._press(f"{HELD} [data-act=lay]")
        if page.is_visible(".hand"):
            self.done.append("lay")
            self._until("() => !teeter.view.hand.grip || !teeter.view.hand.grip.isLaid")
        return True

    def _finds_places(self) -> bool:
        """Ask for places until they are told, or the hand is empty. Returns False where there is nobody to ask."""
        told = (
            "() => teeter.view.line.state !== 'open' || !teeter.view.hand.grip || "
            "/ place \\d|no place/.test(document.querySelector('.hand p').textContent)"
        )
        for _ in range(PLACES_TRIES):
            if not self._press("[data-act=places]"):
                return False
            try:
                self.tab.page.wait_for_function(told, timeout=STUCK_MS)
            except TimeoutError:
                # asked while the line was lost for a moment, which is not asked again by itself
                continue
            return True
        hand = "() => [teeter.view.line.state, teeter.view.busy, document.querySelector('.hand').textContent]"
        raise AssertionError(f"no places are told: {self.tab.run(hand)}")

    def _press(self, what: str | Locator) -> bool:
        """Click. Returns False where it went from under the pointer: the tower fell, or the hand was emptied."""
        try:
            (self.tab.page.locator(what) if isinstance(what, str) else what).click(timeout=GONE_MS)
        except TimeoutError:
            return False
        return True

    def _until(self, script: str, given: Any = None) -> None:
        self.tab.page.wait_for_function(
            f"given => ({script})(given) || teeter.view.line.state !== 'open'", arg=given
        )


def play(players: Sequence[Player], limit_s: float) -> None:
    """Let them play until all see the end. Raises AssertionError when they do not within so many seconds."""
    end = time.monotonic() + limit_s
    while not all(player.is_over for player in players):
        assert time.monotonic() < end, [player.tab.text(".turn") for player in players]
        if not sum(player.step() for player in players):
            time.sleep(0.05)


def result_of(record: Path) -> str:
    """What `teeter verify` says of a record."""
    done = subprocess.run(
        [sys.executable, "-m", "teeter", "verify", str(record)], capture_output=True, text=True, check=False
    )
    return f"{done.returncode} {done.stdout}{done.stderr}"


SPOT = """([x, y, z]) => {
    const { eye, target, fov } = teeter.view.outlook.camera, box = teeter.stage.canvas.getBoundingClientRect();
    const minus = (a, b) => a.map((v, k) => v - b[k]), dot = (a, b) => a.reduce((s, v, k) => s + v * b[k], 0);
    const unit = v => { const size = Math.hypot(...v); return v.map(each => each / size); };
    const forward = unit(minus(target, eye)), right = unit([forward[1], -forward[0], 0]);
    const up = [right[1] * forward[2] - right[2] * forward[1], right[2] * forward[0] - right[0] * forward[2],
        right[0] * forward[1] - right[1] * forward[0]];
    const off = minus([x, y, z], eye), half = box.height / 2 / dot(off, forward) / Math.tan(fov * Math.PI / 360);
    return [box.width / 2 + half * dot(off, right), box.height / 2 - half * dot(off, up)];
}"""


def spot(tab: Opened, place: Sequence[float]) -> tuple[float, float]:
    """Where a place of the table is in the page, pixels, once the eye rests."""
    tab.page.wait_for_function(
        """() => { const { eye } = teeter.view.outlook.camera, before = globalThis.eyeWas;
            globalThis.eyeWas = eye; return before && Math.hypot(...eye.map((v, k) => v - before[k])) < 1e-4; }""",
        polling=700,
    )
    x, y = tab.run(SPOT, [float(value) for value in place])
    return x, y


def pose(tab: Opened, name: str, which: str = "truth") -> list[float]:
    """Where a body is: in truth, or as it is drawn."""
    found: list[float] = tab.run(
        "([name, which]) => { const n = teeter.view.numbers.get(name); "
        "const rows = which === 'drawn' ? teeter.view.hand.posed(teeter.view.live.poses) : teeter.view.live[which];"
        "return [...rows.subarray(7 * n, 7 * n + 7)]; }",
        [name, which],
    )
    return found
