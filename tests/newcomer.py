"""Somebody who plays a first game at a page, and knows only what it offers: texts, buttons, what is lit, ghosts."""

from __future__ import annotations

import random
import time
from typing import Any

from chromium import Opened
from playwright.sync_api import TimeoutError

WAIT_MS, PRESS_MS = 180_000, 20_000
"""In which what was asked is answered, and what is seen can be pressed; on a busy machine a picture takes a second."""
STEP_S = 0.1
"""Of a drag, forty of which draw a brick out: gently."""
BACKWARD = ("Put", "Leave", "Let go", "Say that", "Push", "Pass")
"""How choices begin that lead no further, or away from the piece."""
IN_VAIN, LATELY = 3, 20
"""Times, of so many acts."""
NO_PLACE = "has no place"
"""In the choice that gives a piece back."""
SEEN = """want => {
    const view = teeter.view, stage = teeter.stage, box = stage.canvas.getBoundingClientRect();
    const felt = view.felt?.may ? view.felt.pieces : {}, found = [];
    for (const [name, n] of view.numbers) {
        const choices = view.choices.filter(each => each.piece === name);
        if (!choices.length || !view.live.seen[n]) continue;
        const at = view.outlook.seen([...view.live.poses.subarray(7 * n, 7 * n + 3)]);
        if (!at) continue;
        // as a finger would hit it, around its middle
        for (const [u, v] of [[0, 0], [12, 0], [-12, 0], [0, 8], [0, -8], [24, 0], [-24, 0]]) {
            const [x, y] = [at[0] + u, at[1] + v];
            if (x < 0 || y < 0 || x >= box.width || y >= box.height) continue;
            if (document.elementFromPoint(x, y) !== stage.canvas) continue;
            const hit = view.pick(2 * x / box.width - 1, 1 - 2 * y / box.height, false);
            if (hit !== n) continue;
            found.push({ name, x, y, felt: felt[name] ?? '', count: choices.length,
                lit: (view.turn.lit ?? []).includes(name) });
            break;
        }
    }
    return found;
}"""
"""Pieces that may be chosen and can be hit where they are seen."""
RAIL = """() => {
    const { hand, outlook, live } = teeter.view, { grip, landing } = hand, [x, y, half] = landing.rail;
    const pose = [...live.poses.subarray(7 * grip.body, 7 * grip.body + 3)];
    const at = far => outlook.seen([pose[0] + far * x, pose[1] + far * y, pose[2]]);
    const size = 2 * half + 0.03, out = at(size), back = at(-size), eye = outlook.camera.eye;
    const near = Math.hypot(pose[0] + size * x - eye[0], pose[1] + size * y - eye[1]);
    const far = Math.hypot(pose[0] - size * x - eye[0], pose[1] - size * y - eye[1]);
    return [at(0), near < far ? out : back];
}"""
"""Where the brick in the hand is seen, and where the arrow that points to who looks leads to."""


class Newcomer:
    """acts: what was done so far. mistakes: what was refused, or did nothing. first: acts until a piece was laid."""

    def __init__(self, tab: Opened, seat: str, seed: int, *, has_touch: bool) -> None:
        self.tab, self._luck, self._has_touch = tab, random.Random(seed), has_touch
        self.acts: list[str] = []
        self.mistakes: list[str] = []
        self.first = 0
        self._tried: set[str] = set()
        self._looks = 0
        tab.page.wait_for_selector(f"[data-sit='{seat}']")
        self._press(f"[data-sit='{seat}']", "sit down")
        tab.page.wait_for_function("name => teeter.view.welcome.seat === name", arg=seat)

    @property
    def is_over(self) -> bool:
        return self.tab.page.is_visible(".over h1")

    def step(self) -> bool:
        """Do one thing, if something is asked. Returns whether something was."""
        page = self.tab.page
        if page.is_visible(".refusal"):
            said = f"refused: {page.text_content('.refusal')}"
            if said not in self.mistakes[-1:]:
                self.mistakes.append(said)
        if page.is_visible(".fall [data-act=go_on]"):
            self._press(".fall [data-act=go_on]", "continue")
            page.wait_for_selector(".fall [data-act=go_on]", state="hidden")
        elif page.is_visible(".bottom:not(.laid) .hand"):
            self._draw() if page.is_visible(".hand [data-act=pull_out]") else self._place()
        elif page.is_visible(".is-mine .turn") and not self.tab.run("() => teeter.view.busy"):
            return self._choose()
        else:
            return False
        return True

    # -- a turn ------------------------------------------------------------------------------------------------------

    def _choose(self) -> bool:
        page = self.tab.page
        turn = self.tab.run("() => teeter.view.turn.turn")
        if page.is_visible(".tools [data-act=feel], .turn [data-act=feel]") and self._looks < 40:
            # what is loose is coloured in a moment
            self._looks += 1
            if not any(each["felt"] == "stands" for each in self.tab.run(SEEN, None)):
                time.sleep(0.5)
                return True
        self._looks = 0
        seen = self._seen()
        for listed in (".fan [data-choice]:enabled", ".turn [data-choice]:enabled"):
            buttons = page.locator(listed)
            labels = [(at, text) for at, text in enumerate(buttons.all_text_contents())]
            # what came to nothing three times is not tried on, where there is another way
            vain = [each[1] for each in labels if self.acts[-LATELY:].count(f"choose {each[1]}") >= IN_VAIN]
            ahead = [each for each in labels if not each[1].startswith(BACKWARD)]
            forward = ahead if len(vain) < len(ahead) else [each for each in labels if each[1] not in vain]
            if forward or (labels and not seen):
                at, label = self._luck.choice(forward or labels)
                self._tap(buttons.nth(at), f"choose {label}")
                return self._settle(turn, label)
        if not seen:
            self._press("[data-act=view]", "look from elsewhere")
            time.sleep(1.5)
            return True
        best = [each for each in seen if each["felt"] == "stands"] or [each for each in seen if each["lit"]]
        chosen = self._luck.choice(best or seen)
        self._tried.add(chosen["name"])
        self._at(chosen["x"], chosen["y"], f"take {chosen['name']}")
        return self._settle(turn, chosen["name"])

    def _seen(self) -> list[dict[str, Any]]:
        """Pieces that can be hit, once the picture is still."""
        found: list[dict[str, Any]] = []
        for _ in range(20):
            before, found = found, self.tab.run(SEEN, None)
            if found == before:
                break
            time.sleep(0.4)
        return [each for each in found if each["name"] not in self._tried] or found

    def _settle(self, turn: int, what: str) -> bool:
        script = """turn => teeter.view.turn.turn !== turn || teeter.view.hand.grip
            || document.querySelector('.refusal:not([hidden])') || teeter.view.only"""
        try:
            self.tab.page.wait_for_function(script, arg=turn, timeout=WAIT_MS)
        except TimeoutError:
            self.mistakes.append(f"nothing came of it: {what}")
        return True

    def _draw(self) -> None:
        """Along the arrow, slowly, until the brick is out."""
        self.tab.page.wait_for_function("() => teeter.view.hand.landing", timeout=WAIT_MS)
        if self.tab.run("() => !!teeter.view.hand.landing.rail"):
            (x, y), (u, v) = self.tab.run(RAIL)
            steps = [(x + k / 40 * (u - x), y + k / 40 * (v - y)) for k in range(41)]
            self._drag(steps, "draw the brick")
        if self.tab.run("() => !!teeter.view.hand.grip?.isPulling"):
            time.sleep(1.0)
        if self.tab.run("() => !!teeter.view.hand.grip?.isPulling"):
            self._press(".hand [data-act=pull_out]", "pull it out")
            try:
                self.tab.page.wait_for_function("() => !teeter.view.hand.grip?.isPulling", timeout=20_000)
            except TimeoutError:
                self.mistakes.append("the brick does not come")
                self._press(".hand [data-act=let_go]", "let go")

    def _place(self) -> None:
        """By the places that are offered, until the coach likes one."""
        page = self.tab.page
        for _ in range(8):
            if not page.is_visible(".bottom:not(.laid) .hand [data-act=places]"):
                return
            self._press(".hand [data-act=places]", "next place")
            try:
                page.wait_for_function(
                    "() => !teeter.view.hand.grip || (teeter.view.hand.coached && !teeter.view.hand.coached.is_first)",
                    timeout=WAIT_MS,
                )
            except TimeoutError:
                self.mistakes.append("the coach says nothing")
            word = self.tab.run("() => teeter.view.hand.coached?.verdict ?? ''")
            if word in ("stands", "unsure"):
                break
            if page.is_visible(".hand [data-act=nearest]"):
                self._press(".hand [data-act=nearest]", "carry it there")
                page.wait_for_function(
                    "() => !teeter.view.hand.grip || (teeter.view.hand.coached && !teeter.view.hand.coached.is_first)",
                    timeout=WAIT_MS,
                )
                break
        else:
            # none of them is liked, and no other is pointed to
            back = page.locator(".turn [data-choice]:enabled", has_text=NO_PLACE)
            if back.count():
                self._tap(back.first, "give it back")
                self.tab.page.wait_for_function("() => !teeter.view.hand.grip", timeout=WAIT_MS)
                return
        for _ in range(2):
            if page.is_visible(".bottom:not(.laid) .hand [data-act=lay]"):
                self._press(".hand [data-act=lay]", "lay")
        self.first = self.first or len(self.acts)
        try:
            page.wait_for_function("() => !teeter.view.hand.grip", timeout=WAIT_MS)
        except TimeoutError:
            self.mistakes.append("it was not laid")

    # -- by mouse or finger ------------------------------------------------------------------------------------------

    def _press(self, selector: str, what: str) -> None:
        self._tap(self.tab.page.locator(selector).first, what)

    def _tap(self, target: Any, what: str) -> None:
        self.acts.append(what)
        try:
            target.tap(timeout=PRESS_MS) if self._has_touch else target.click(timeout=PRESS_MS)
        except TimeoutError:
            # unless it went from under the pointer
            if target.is_visible():
                self.mistakes.append(f"cannot be pressed: {what}")

    def _at(self, x: float, y: float, what: str) -> None:
        self.acts.append(what)
        page = self.tab.page
        page.touchscreen.tap(x, y) if self._has_touch else page.mouse.click(x, y)

    def _drag(self, steps: list[tuple[float, float]], what: str) -> None:
        self.acts.append(what)
        page = self.tab.page
        if not self._has_touch:
            page.mouse.move(*steps[0])
            page.mouse.down()
            for place in steps:
                page.mouse.move(*place)
                time.sleep(STEP_S)
                if not self.tab.run("() => !!teeter.view.hand.grip?.isPulling"):
                    break
            page.mouse.up()
            return
        line = page.context.new_cdp_session(page)

        def send(kind: str, points: list[tuple[float, float]]) -> None:
            touched = [{"x": x, "y": y} for x, y in points]
            line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touched})

        send("touchStart", steps[:1])
        for place in steps:
            send("touchMove", [place])
            time.sleep(STEP_S)
            if not self.tab.run("() => !!teeter.view.hand.grip?.isPulling"):
                break
        send("touchEnd", [])
