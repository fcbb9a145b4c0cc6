"""One seat in a browser at the sandbox of a real host: the hand, the line, what is shown, and what does nothing."""

from __future__ import annotations

import math
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from chromium import Opened
from host_driver import HELD, Hosted, Player, at_table, hosted, pose, spot
from hostile_texts import HOSTILE
from late_hand import lateness
from playwright.sync_api import Browser
from skins import CARRIED
from two_skins import ROWS
from wire import wired

pytestmark = pytest.mark.slow

PAUSE_MS = 30
"""Between pictures, where no key is pressed and no time is measured."""
SIZES = {"desktop": (1280, 720), "phone": (390, 844), "low": (640, 360)}
NEAR_M = 0.004
"""How near to where the pointer is a piece comes to lie."""
LATE_S = 0.15
"""Each way."""
MOST_BEHIND_MS, MOST_JUMP_MM = 50.0, 10.0
MOST_SILENT_S = 6.0
"""Until a page says that its line is silent: four seconds and what a busy machine takes."""


@pytest.fixture(scope="module")
def host() -> Iterator[Hosted]:
    with hosted("sandbox", "--seed", "1") as found:
        yield found


@contextmanager
def seated(
    browser: Browser, link: str, size: tuple[int, int], *, has_touch: bool = False, pause_ms: int = PAUSE_MS
) -> Iterator[Opened]:
    """Somebody who sits at the sandbox, with an empty hand; in the end the seat is free again."""
    with at_table(browser, link, size, has_touch=has_touch, pause_ms=pause_ms) as tab:
        Player(tab, str(tab.page.get_attribute("[data-sit]", "data-sit")))
        tab.page.wait_for_function("() => teeter.view.turn?.mine && !teeter.view.busy")
        try:
            yield tab
        finally:
            put_away(tab)
            tab.run("() => document.querySelector('.desk').classList.add('reads')")
            tab.page.click("[data-act=stand_up]")
            tab.page.wait_for_function("() => teeter.view.welcome.seat === ''")
        assert tab.faults == []


@pytest.fixture
def seat(browser: Browser, host: Hosted) -> Iterator[Opened]:
    with seated(browser, host.links["You, the host"], SIZES["desktop"], pause_ms=0) as found:
        yield found


def put_away(tab: Opened) -> None:
    if tab.run("() => Boolean(teeter.view.hand.grip)"):
        tab.page.click(".turn [data-choice]")
        tab.page.wait_for_function("() => !teeter.view.hand.grip && !teeter.view.busy")


def bring(tab: Opened, model: str) -> str:
    """A piece of the shelf into the hand. Returns its name."""
    if not tab.page.is_visible(".pieces"):
        tab.page.click(".sandbox [data-act=shelf]")
    tab.page.click(f".pieces [data-shelf='{model.partition('/')[0]}']")
    tab.page.click(f".pieces [data-piece='{model}']")
    tab.page.wait_for_function("() => teeter.view.hand.grip")
    name: str = tab.run("() => teeter.view.names[teeter.view.hand.grip.body]")
    return name


def lay(tab: Opened, click: bool) -> None:
    if click:
        tab.page.mouse.down()
        tab.page.mouse.up()
    else:
        # twice where the coach warns, as of a piece that hangs askew
        for _ in range(2):
            if tab.page.is_visible(f"{HELD} [data-act=lay]"):
                tab.page.click(f"{HELD} [data-act=lay]")
    tab.page.wait_for_function("() => !teeter.view.hand.grip && teeter.view.turn.mine && !teeter.view.busy")


def apart(tab: Opened, name: str, place: tuple[float, float]) -> float:
    return math.dist(pose(tab, name)[:2], place)


def point_at(tab: Opened, place: tuple[float, float, float]) -> None:
    """Moves the mouse there; again where the picture has moved on meanwhile, as it does once something is held."""
    for _ in range(20):
        tab.page.mouse.move(*spot(tab, place))
        tab.page.wait_for_function("() => teeter.view.hand.landing && !teeter.view.hand.isOld")
        goal = tab.run("() => teeter.view.hand.grip.goal")
        if math.dist(goal[:2], place[:2]) < NEAR_M:
            return


def test_a_piece_goes_where_the_mouse_is_and_lies_where_one_clicks(seat: Opened) -> None:
    page, base = seat.page, bring(seat, "bausack/base_1")
    point_at(seat, (-0.08, -0.05, 0.0))
    # what is free is soon looked at by the coach
    page.wait_for_selector(".hand p.good")
    lay(seat, click=True)
    assert apart(seat, base, (-0.08, -0.05)) < NEAR_M
    # on its top, by keys and buttons: flipped, turned, a place's width aside
    top = 2 * pose(seat, base)[2]
    cube = bring(seat, "bausack/cube")
    point_at(seat, (-0.08, -0.05, top))
    page.keyboard.press("f")
    page.keyboard.press("a")
    page.click("[data-act=turn_right]")
    page.wait_for_function("() => teeter.view.hand.grip.number === teeter.view.table.number")
    lay(seat, click=False)
    assert apart(seat, cube, (-0.08, -0.05)) < NEAR_M
    assert pose(seat, cube)[2] > top
    assert re.search(r"cube( \(\d+\))? comes to rest", seat.text(".lines"))


def test_fingers_take_drag_and_turn_a_piece(browser: Browser, host: Hosted) -> None:
    with seated(browser, host.links["Seats"], SIZES["phone"], has_touch=True) as tab:
        name = bring(tab, "bausack/cube")
        before = tab.run("() => teeter.view.hand.grip.goal")
        touch = tab.page.context.new_cdp_session(tab.page)

        def fingers(kind: str, *places: tuple[float, float]) -> None:
            points = [{"x": x, "y": y, "id": n} for n, (x, y) in enumerate(places)]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        fingers("touchStart", (150.0, 250.0))
        for step in range(1, 9):
            fingers("touchMove", (150.0 + 8 * step, 250.0))
        fingers("touchEnd")
        after = tab.run("() => teeter.view.hand.grip.goal")
        right = tab.run("() => teeter.view.outlook.axes[0]")
        went = [b - a for a, b in zip(before[:2], after[:2], strict=True)]
        assert went[0] * right[0] + went[1] * right[1] > 0.02
        assert tab.page.is_visible(".bottom:not(.laid) .hand")
        fingers("touchStart", (100.0, 250.0), (200.0, 250.0))
        for step in range(1, 7):
            fingers("touchMove", (100.0, 250.0), (200.0, 250.0 + 10 * step))
        fingers("touchEnd")
        assert abs(tab.run("() => teeter.view.hand.grip.turned")) > 10.0
        lay(tab, click=False)
        x, y = spot(tab, pose(tab, name)[:3])
        tab.page.touchscreen.tap(x, y)
        tab.page.wait_for_selector(".turn [data-choice]:has-text('Put')")


def test_the_own_hand_does_not_wait_for_the_line(browser: Browser, host: Hosted) -> None:
    link = urlsplit(host.links["Seats"])
    assert link.port is not None
    with (
        wired(link.port, LATE_S) as wire,
        seated(
            browser, link._replace(netloc=f"127.0.0.1:{wire.port}").geturl(), (320, 240), pause_ms=0
        ) as tab,
    ):
        name = bring(tab, "bausack/cube")
        tab.page.wait_for_function("() => teeter.view.hand.grip.number === teeter.view.table.number")
        # it was taken up, and hangs still
        tab.page.wait_for_function(
            """name => { const n = 7 * teeter.view.numbers.get(name), before = globalThis.hung;
                globalThis.hung = [...teeter.view.live.truth.subarray(n, n + 3)];
                return before && Math.hypot(...before.map((value, k) => value - hung[k])) < 1e-4; }""",
            arg=name,
            polling=300,
        )
        x, y = spot(tab, (0.05, 0.05, 0.02))
        # both are looked at before what the hand wants can have come back
        drawn, true = tab.run(
            """([x, y, name, late]) => new Promise(done => {
                const n = teeter.view.numbers.get(name), at = rows => [...rows.subarray(7 * n, 7 * n + 3)];
                const poses = () => [at(teeter.view.hand.posed(teeter.view.live.poses)), at(teeter.view.live.truth)];
                const before = poses(), begun = performance.now(), moved = k =>
                    Math.hypot(...poses()[k].map((value, i) => value - before[k][i]));
                const box = teeter.stage.canvas.getBoundingClientRect();
                teeter.view.hand.point(2 * x / box.width - 1, 1 - 2 * y / box.height);
                let pictures = 0;
                const look = () => {
                    if (++pictures > 3 || performance.now() - begun > 2000 * late) done([moved(0), moved(1)]);
                    else { teeter.view.step(0.03); setTimeout(look, 0); }
                };
                look();
            })""",
            [x, y, name, LATE_S],
        )
        # what was held still swings a little
        assert true < 0.001
        assert drawn > 0.002
        # whatever the line does, and where the server sees what the page cannot
        assert lateness(tab, LATE_S)[0] <= MOST_BEHIND_MS
        for case in ({}, {"obstacle": 0.03}, {"edge": 0.12}):
            assert lateness(tab, LATE_S, **case)[1] <= MOST_JUMP_MM, case
        # and then it is where the server has it
        tab.page.wait_for_function("() => teeter.view.hand.grip.number === teeter.view.table.number")
        tab.page.wait_for_function("() => teeter.view.hand.grip.weight === 0")
        tab.page.wait_for_function(
            """name => { const { hand, live, numbers } = teeter.view, n = 7 * numbers.get(name);
                return Math.hypot(...[0, 1, 2].map(k => hand.drawn[k] - live.truth[n + k])) < 1e-3; }""",
            arg=name,
        )


DEAD = "given => [...new Set([...document.querySelectorAll(given)].map(each => each.inert))]"


def test_a_line_that_is_lost_comes_back_to_its_seat(browser: Browser, host: Hosted) -> None:
    link = urlsplit(host.links["Seats"])
    assert link.port is not None
    with (
        wired(link.port) as wire,
        seated(browser, link._replace(netloc=f"127.0.0.1:{wire.port}").geturl(), (640, 400)) as tab,
    ):
        bring(tab, "bausack/cube")
        seat = tab.run("() => teeter.view.welcome.seat")
        wire.cut()
        tab.page.wait_for_selector(".lost:not([hidden])")
        assert tab.text(".lost") == "Line lost, coming back ..."
        ink = tab.run(
            "() => { const { color, backgroundColor: under } = getComputedStyle(document.querySelector('.lost'));"
            " return [color, under]; }"
        )
        assert ink == ["rgb(255, 255, 255)", "rgb(43, 38, 32)"]
        # what needs the line is no use, and what does not goes on
        assert tab.run(DEAD, ".at button, .say, [data-act=stand_up], [data-act=undo]") == [True]
        assert tab.run(DEAD, "[data-act=view], [data-act=sound], [data-act=story]") == [False]
        tab.run("() => (teeter.view.line.lostAt -= 60_001)")
        tab.page.wait_for_selector(".lost:has-text('Line lost; trying since ')")
        wire.is_cut = False
        tab.page.wait_for_function("() => teeter.view.line.state === 'open' && teeter.view.hand.grip")
        assert tab.run("() => teeter.view.welcome.seat") == seat
        assert not tab.page.is_visible(".lost")
        assert tab.run(DEAD, ".at button, .say, .tools button") == [False]
        tab.page.wait_for_selector(".bottom:not(.laid) .hand")
        lay(tab, click=False)
        assert re.search(r"cube( \(\d+\))? comes to rest", tab.text(".lines"))
        # the same window, opened anew
        tab.page.reload()
        tab.page.wait_for_function("() => globalThis.teeter?.view.welcome?.seat")
        assert tab.run("() => teeter.view.welcome.seat") == seat
        # browsers say of every line that cannot be opened that it could not
        tab.faults[:] = [each for each in tab.faults if not each.startswith("WebSocket connection")]


def test_a_line_that_says_nothing_is_lost_and_what_is_wanted_meanwhile_is_not_done(
    browser: Browser, host: Hosted
) -> None:
    link = urlsplit(host.links["Seats"])
    assert link.port is not None
    with (
        wired(link.port) as wire,
        seated(browser, link._replace(netloc=f"127.0.0.1:{wire.port}").geturl(), SIZES["desktop"]) as tab,
    ):
        name = bring(tab, "bausack/cube")
        tab.page.wait_for_function("() => teeter.view.line.pinged === 0 && teeter.view.line.ping > 1")
        socket, before = (
            tab.run("() => (globalThis.socketWas = teeter.view.line.socket) && 1"),
            pose(tab, name),
        )
        assert socket == 1
        wire.is_silent, begun = True, time.monotonic()
        # a busy host may say nothing for two seconds
        tab.page.wait_for_timeout(2000)
        assert not tab.page.is_visible(".lost")
        tab.page.wait_for_selector(".lost:not([hidden])")
        assert time.monotonic() - begun < MOST_SILENT_S
        assert tab.text(".lost") == "Line lost, coming back ..."
        assert tab.run(DEAD, ".at button, .say, [data-act=stand_up], [data-act=undo]") == [True]
        for x in range(400, 900, 25):
            tab.page.mouse.move(x, 400)
        tab.page.keyboard.press("u")
        tab.run("() => teeter.view.deeds.choose(0)")
        wire.is_silent = False
        tab.page.wait_for_selector(".lost", state="hidden")
        tab.page.wait_for_function("() => teeter.view.line.pinged === 0")
        assert tab.run("() => globalThis.socketWas === teeter.view.line.socket")
        # what was pressed meanwhile is not waited for
        assert tab.run("() => teeter.view.busy") == ""
        tab.page.wait_for_timeout(500)
        assert pose(tab, name) == pytest.approx(before, abs=1e-3)
        assert pose(tab, name, "drawn") == pytest.approx(before, abs=1e-3)


def test_a_host_that_stops_says_so(browser: Browser) -> None:
    with hosted("sandbox") as host, at_table(browser, host.links["Seats"], pause_ms=PAUSE_MS) as tab:
        host.process.send_signal(signal.SIGTERM)
        tab.page.wait_for_selector(".lost:not([hidden])")
        # and after tries to come back
        tab.page.wait_for_function("() => teeter.view.line.tries > 2")
        assert tab.text(".lost") == "The host has stopped the game."


def test_a_seat_that_is_open_in_another_window_is_played_on_here(browser: Browser, host: Hosted) -> None:
    with at_table(browser, host.links["Seats"], SIZES["desktop"], pause_ms=PAUSE_MS) as one:
        seat = str(one.page.get_attribute("[data-sit]", "data-sit"))
        Player(one, seat)
        button, line = f".scores [data-come_back='{seat}']", f"{seat}'s seat is open elsewhere"
        # another browser has no key of the seat
        with at_table(browser, host.links["Seats"], SIZES["phone"], pause_ms=PAUSE_MS) as stranger:
            stranger.page.wait_for_selector(f'.scores p:visible:has-text("{line}")')
            assert not stranger.page.is_visible(button)
        other = one.page.context.new_page()
        other.goto(host.links["Seats"])
        other.wait_for_selector(f'.scores p:has-text("{line}")')
        assert other.text_content(button) == "Play here"
        other.click(button)
        other.wait_for_function("seat => globalThis.teeter?.view.welcome?.seat === seat", arg=seat)
        one.page.wait_for_selector(".lost:not([hidden])")
        assert one.text(".lost") == "You went on in another window; reload this page to play here"
        other.click("[data-act=stand_up]")
        # who stood up has nothing to come back to
        with at_table(browser, host.links["Seats"], SIZES["desktop"], pause_ms=PAUSE_MS) as stranger:
            Player(stranger, seat)
            other.wait_for_selector(f'.scores p:has-text("{line}")')
            assert not other.is_visible(button)
            stranger.page.click("[data-act=stand_up]")
            stranger.page.wait_for_function("() => teeter.view.welcome.seat === ''")


def test_a_phone_has_the_name_of_a_card_for_its_picture(browser: Browser, host: Hosted) -> None:
    with at_table(browser, host.links["Looking on"], SIZES["phone"], pause_ms=PAUSE_MS) as tab:
        tab.run(
            """() => teeter.view.desk.panels.show({ order: 1, panel: { name: "details", place: "top-right", items: [
                { kind: "row", items: [{ kind: "text", text: "Played last:" }, { kind: "picture",
                    image: "card|combo draw||#8a8378", width: 58, height: 80 }] }] } })"""
        )
        assert tab.page.inner_text(".details .picture") == "combo draw"
        assert not tab.page.is_visible(".details img")


def test_who_looks_on_has_no_controls(browser: Browser, host: Hosted) -> None:
    with at_table(browser, host.links["Looking on"], (640, 400), pause_ms=PAUSE_MS) as tab:
        for selector in ("[data-sit]", ".say", "[data-choice]", ".hand", "[data-act=undo]"):
            assert not tab.page.is_visible(selector), selector
        assert tab.faults == []


def test_more_choices_are_read_from_their_beginning(browser: Browser, host: Hosted) -> None:
    with at_table(browser, host.links["Looking on"], SIZES["phone"], pause_ms=PAUSE_MS) as tab:
        tab.run(
            """() => { const items = [...Array(30).keys()].map(n => ({ kind: "text", text: `${n}`, size: "title" }));
                items.push({ kind: "button", name: "page", text: "More" });
                teeter.view.desk.panels.show({ order: 1, panel: { name: "turn", place: "top-left", items } });
                document.querySelector(".turn").style.width = "60px"; }"""
        )
        tab.page.locator(".turn [data-act=page]").scroll_into_view_if_needed()
        assert tab.run("() => document.querySelector('.turn').scrollTop") > 0
        tab.page.click(".turn [data-act=page]")
        assert tab.run("() => document.querySelector('.turn').scrollTop") == 0


def test_a_clip_has_the_full_size_on_a_page_that_draws_smaller(browser: Browser, host: Hosted) -> None:
    with at_table(browser, host.links["Looking on"], (360, 640), pause_ms=PAUSE_MS) as tab:
        size = "[teeter.stage.canvas.width, teeter.stage.canvas.height]"
        # in one go: a picture at rest is drawn in full again
        small = "teeter.view.loop.level = 5; teeter.view.loop.isFull = false; teeter.view.loop.picture();"
        assert max(tab.run(f"() => {{ {small} return {size}; }}")) < 300
        fall = (
            "state => teeter.view.fall.hear({ type: 'fall', state, eye: [], target: [], fov: 30, told: '' })"
        )
        with tab.page.expect_download() as film:
            tab.run("() => teeter.view.fall.keep()")
            for state in ("falls", "wreck"):
                tab.run(fall, state)
                drawn = tab.run("() => { teeter.view.loop.touch(); return teeter.view.loop.pictures; }")
                tab.page.wait_for_function("drawn => teeter.view.loop.pictures > drawn", arg=drawn)
                assert tab.run(f"() => {size}") == [360, 640]
        assert film.value.suggested_filename.startswith("fall.")


def test_hostile_texts_are_said_and_do_nothing(seat: Opened) -> None:
    texts = [text for text in HOSTILE[:20] if text.isprintable()]
    assert len(texts) > 15
    seat.run("() => document.querySelector('.desk').classList.add('reads')")
    for text in texts:
        seat.page.fill(".say input", text)
        seat.page.press(".say input", "Enter")
        seat.page.wait_for_function(
            "text => [...document.querySelectorAll('.chat span')].some(each => each.textContent === text)",
            arg=text,
        )
    # and from a server that is not to be trusted, everywhere it is shown
    seat.run(
        """texts => { const view = teeter.view, t = texts[1];
            for (const text of texts) view.desk.tell([text]);
            view.desk.refuse(t, t); view.desk.toast(t); view.desk.lose(t);
            view.desk.lose("");
            const text = { kind: "text", text: t, mark: t }, button = { kind: "button", name: t, text: t, image: t },
                slider = { kind: "slider", name: t, text: t, value: 1 }, card = { name: t, image: t };
            view.desk.panels.show({ order: 1, panel: { name: "details", place: "top-right", title: t, mark: t,
                items: [text, button, slider, { kind: "row", items: [text, button] }, { kind: "fan", cards: [card] },
                    { kind: "picture", image: t }, { kind: "field", name: t, label: t, text: t }] } });
            view.desk.pictures.keep({ [t]: "https://example.com/x.png" }); }""",
        texts,
    )
    tags = "script, svg, iframe, link, meta, base, object, style, a, img[src]:not([src^='data:image/png'])"
    assert (
        seat.run("tags => document.querySelectorAll('body ' + tags.split(', ').join(', body ')).length", tags)
        == 3
    )
    assert seat.run("() => [window.pwned, window.length, {}.pwned]") == [None, 0, None]
    assert all(urlsplit(each).hostname == "127.0.0.1" for each in seat.requests)
    seat.run(
        "() => teeter.view.desk.panels.show({ order: 1, panel: { name: 'details', place: 'top', items: [] } })"
    )


def test_the_keys_are_listed_and_one_button_plays_until_esc(seat: Opened) -> None:
    page = seat.page
    assert page.get_attribute("[data-act=sound]", "title") == "Sound on or off (M)"
    page.keyboard.press("F1")
    listed = page.locator(".keys dt").all_text_contents()
    assert {"F1", "S", "M", "Space"} <= set(listed)
    assert "F12" not in listed
    # what lies below hears no key
    page.keyboard.press("m")
    page.keyboard.press("F1")
    assert not page.is_visible(".keys")
    assert page.get_attribute("[data-act=sound]", "aria-pressed") == "false"
    page.click("[data-act=help]")
    page.click(".keys button:has-text('One-button play')")
    page.wait_for_selector(".scanned")
    assert "Esc ends it" in seat.text(".scans")
    page.keyboard.press("Escape")
    assert not page.is_visible(".scans, .scanned")


def test_one_button_moves_a_slider_by_steps(seat: Opened) -> None:
    seat.run(
        """() => { window.slid = []; teeter.view.deeds.slide = (name, value) => slid.push([name, value]);
            const slider = { kind: "slider", name: "bid", text: "bid", value: 3, low: 0, high: 4,
                marks: [0, 1, 2, 3, 4], steps: 4 };
            teeter.view.desk.panels.show({ order: 1, panel: { name: "details", place: "top-right", items: [slider] } });
            teeter.view.deeds.act("scan"); }"""
    )
    for _ in range(3):
        seat.page.wait_for_selector("input[data-act=bid].scanned")
        seat.page.keyboard.press("x")
    seat.page.keyboard.press("Escape")
    assert seat.run("() => slid") == [["bid", 4], ["bid", 0], ["bid", 1]]


AT = "selector => document.activeElement.matches(selector)"


def test_the_keyboard_goes_on_from_what_it_pressed(browser: Browser, host: Hosted) -> None:
    with at_table(browser, host.links["Seats"], (640, 400)) as tab:
        page, keys = tab.page, tab.page.keyboard
        while not tab.run(AT, "[data-sit]"):
            keys.press("Tab")
        seat = tab.run("() => document.activeElement.dataset.sit")
        assert tab.run("() => document.activeElement.ariaLabel") == f"Sit here: {seat}"
        keys.press("Enter")
        page.wait_for_function("() => teeter.view.turn?.mine && !teeter.view.busy")
        page.wait_for_function(AT, arg=".sandbox button")
        for selector in ("[data-act=shelf]", "[data-shelf=bausack]", "[data-piece='bausack/cube']"):
            page.focus(selector)
            keys.press("Enter")
        page.wait_for_function(AT, arg=".hand [data-act=lay]")
        keys.press("Enter")
        page.wait_for_function("() => !teeter.view.hand.grip && !teeter.view.busy")
        page.wait_for_function(AT, arg=".panel button")
        # a pointer that presses is followed by no keyboard
        page.click("[data-act=view]")
        tab.run("() => { document.activeElement.blur(); teeter.view.desk.focus.keep(); }")
        assert tab.run(AT, "body")
        tab.run("() => document.querySelector('.desk').classList.add('reads')")
        page.click("[data-act=stand_up]")
        page.wait_for_function("() => teeter.view.welcome.seat === ''")
        assert tab.faults == []


OVERLAPS = """() => {
    const shown = [...document.querySelectorAll('.desk .panel')].filter(each =>
        each.checkVisibility() && each.getBoundingClientRect().height > 0);
    const boxes = shown.map(each => [each.className, each.getBoundingClientRect()]), found = [];
    boxes.forEach(([a, p], n) => {
        if (p.left < 0 || p.top < 0 || p.right > innerWidth + 0.5 || p.bottom > innerHeight + 0.5)
            found.push(a + ' is cut off');
        for (const [b, q] of boxes.slice(n + 1))
            if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 0.5 &&
                Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 0.5) found.push(a + ' lies on ' + b);
    });
    return found;
}"""


@pytest.mark.parametrize("size", SIZES)
def test_nothing_lies_on_anything_else(browser: Browser, host: Hosted, size: str) -> None:
    with seated(browser, host.links["Seats"], SIZES[size]) as tab:
        assert tab.run(OVERLAPS) == []
        if size != "desktop":
            # a second tap on the same place closes it again
            place = tab.page.locator("[data-act=story]").bounding_box()
            tab.page.click("[data-act=story]")
            assert tab.page.locator("[data-act=story]").bounding_box() == place
            tab.page.click("[data-act=story]")
        tab.run(
            "() => { teeter.view.desk.toast('told '.repeat(30)); teeter.view.desk.refuse('TT-1', 'no '.repeat(60)); }"
        )
        assert tab.run(OVERLAPS) == []
        bring(tab, "bausack/cube")
        assert tab.run(OVERLAPS) == []
        # each button of the hand is seen whole
        assert tab.run(
            "() => [...document.querySelectorAll('.hand')].every(e => e.scrollHeight <= e.clientHeight)"
        )
        # enough of the table is seen
        free = tab.run(
            "() => { const at = document.querySelector('.messages').getBoundingClientRect(),"
            " hand = document.querySelector('.hand').getBoundingClientRect(); return hand.top - at.top; }"
        )
        assert free > 0.3 * SIZES[size][1]


def test_acts_of_both_skins_are_done_by_keys_and_buttons_of_the_page(seat: Opened) -> None:
    """Rows of the table of acts: first with a piece in the hand, then with an empty one."""
    rows = [row for row in ROWS if row.chromium is not None]
    assert len(rows) >= 10
    name = bring(seat, "bausack/cube")
    seat.page.wait_for_function("() => teeter.view.hand.landing")
    for row in sorted(rows, key=lambda row: row.at is not CARRIED):
        if row.at is not CARRIED and seat.run("() => Boolean(teeter.view.hand.grip)"):
            lay(seat, click=False)
            seat.run("name => teeter.view.deeds.tell(`only:${name}`)", name)
        assert row.chromium is not None
        (pushes, script) = row.chromium
        before = seat.run(script)
        for kind, _, act in (push.partition(":") for push in pushes):
            if kind == "key":
                seat.page.keyboard.press(act)
            else:
                seat.page.click(f"[data-act={act}]")
        seat.page.wait_for_function(f"before => ({script})() !== before", arg=before)
    seat.page.wait_for_function("() => teeter.view.turn.mine && !teeter.view.busy")
