"""Pages in a browser: what they show is the recording and the verdict, nothing in them runs but their own script, and
proofs are checked there once more."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from chromium import Opened, opened, picture
from hostile_texts import HOSTILE
from playwright.sync_api import Browser
from typer.testing import CliRunner

from teeter.engine.geometry.rotation import angle_between
from teeter.engine.record.format import MEANING
from teeter.engine.record.motion import impacts_of
from teeter.engine.record.reader import load
from teeter.engine.view.camera import Camera
from teeter.engine.view.frame import Frame
from teeter.engine.view.page import html
from teeter.engine.view.page.blob import Blob
from teeter.engine.view.page.recording import TIME_S, recording_data
from teeter.engine.view.render.stage import Stage
from teeter.engine.view.sound import RATE, Samples, impact_samples
from teeter.engine.view.video.scenery import Scenery, scenery_of
from teeter.engine.world.body import TABLE, Body
from teeter.games.cli import app
from teeter.games.play.replays import bodies_of, marks_of, placed, telling_of

RECORDINGS = Path(__file__).parent / "recordings"
GAME = RECORDINGS / "wonky-1.teeter"
POSITION, DEGREES = 2.0e-5, 0.02
"""What quantised poses may be off by: metres, degrees."""
LIMIT_BYTES = 2_000_000
OVERLAP, SIZE = 0.97, (960, 540)
"""Of silhouettes, in pictures of so many pixels."""


def scenery_from(file: Path) -> tuple[Scenery, tuple[Body, ...]]:
    replay = load(file)
    bodies = placed(replay, bodies_of(replay))
    return scenery_of(replay, bodies), bodies


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game as the command exports it."""
    out = tmp_path_factory.mktemp("pages") / "game.html"
    done = CliRunner().invoke(app, ["export", str(GAME), "-o", str(out), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["bytes"] == out.stat().st_size < LIMIT_BYTES
    return out


@pytest.fixture(scope="module")
def exported(game: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The page of a recording by its name, made once: margins after every move take seconds."""
    folder = tmp_path_factory.mktemp("exported")

    @cache
    def export(name: str) -> Path:
        if name == GAME.stem:
            return game
        out = folder / f"{name}.html"
        done = CliRunner().invoke(app, ["export", str(RECORDINGS / f"{name}.teeter"), "-o", str(out)])
        assert done.exit_code == 0, done.output
        assert out.stat().st_size < LIMIT_BYTES
        return out

    return export


@pytest.fixture(scope="module")
def tab(browser: Browser, game: Path) -> Iterator[Opened]:
    with opened(browser, game, "?t=3.5") as found:
        yield found


@pytest.fixture
def played(tab: Opened) -> Iterator[Opened]:
    """The game at the second of its address, the director at the camera."""
    tab.run(
        "() => { const view = teeter.view; view.isPlaying = false; view.seek(3.5); view.look('director'); }"
    )
    yield tab
    assert tab.faults == []


def test_a_picture_that_the_graphics_card_lost_comes_back(browser: Browser, game: Path) -> None:
    with opened(browser, game, "?t=3.5") as found:
        before = picture(found)
        found.run(
            "() => { globalThis.old = teeter.stage.device.gl.getExtension('WEBGL_lose_context');"
            " globalThis.old.loseContext(); }"
        )
        found.page.wait_for_selector("p.fault")
        assert "Reload" in found.text("p.fault")
        with found.page.expect_navigation():
            found.run("() => setTimeout(() => globalThis.old.restoreContext(), 0)")
        found.page.wait_for_selector("html[data-ready]")
        found.page.wait_for_function("() => teeter.view.loop.pictures > 1")
        assert found.page.locator("p.fault").count() == 0
        assert np.abs(picture(found).astype(int) - before).mean() < 2.0


# -- a recording -----------------------------------------------------------------------------------------------------


def test_a_page_opens_from_disk_shows_a_picture_and_asks_for_nothing_else(played: Opened, game: Path) -> None:
    assert played.requests == [f"{game.as_uri()}?t=3.5"]
    assert len(np.unique(picture(played).reshape(-1, 3), axis=0)) > 500


def test_a_page_says_that_it_is_not_verified_and_what_would_be(played: Opened, game: Path) -> None:
    words = "Not verified: a page proves nothing."
    assert words in played.page.inner_text("header")
    played.page.click("summary")
    told = played.page.inner_text("header details p")
    assert told.startswith("teeter verify ")
    assert told.endswith(" plays the recording again. If it agrees, " + " ".join(MEANING))
    played.page.click("summary")


def test_nothing_before_the_first_pieces_is_cut_off(played: Opened) -> None:
    """A page of a seat knows the sphere of the pieces that were there first; later ones lie far outside it."""
    before = picture(played).astype(int)
    radius = played.run(
        "() => { const s = teeter.stage.props.sphere; const r = s[3]; s[3] = 0.004; return r; }"
    )
    played.run("() => { teeter.view.loop.touch(); }")
    played.page.wait_for_timeout(300)
    after = picture(played).astype(int)
    played.run("radius => { teeter.stage.props.sphere[3] = radius; teeter.view.loop.touch(); }", radius)
    # the edges of shadows are as wide as the sphere lets them
    assert (np.abs(after - before).max(axis=2) > 40).mean() < 0.02


@pytest.mark.parametrize("size", [(320, 568), (640, 360), (1280, 720)])
def test_what_is_told_stands_clear_of_the_controls(
    browser: Browser, game: Path, size: tuple[int, int]
) -> None:
    with opened(browser, game, "?t=3.5", size=size) as found:
        write = "text => { teeter.view.bar.line.textContent = text; }"
        found.run(write, "Ada takes the large purple block for a new tower, on all the others. " * 2)
        line, bar = (found.page.locator(each).bounding_box() for each in (".line", "footer"))
    assert line is not None
    assert bar is not None
    assert line["y"] + line["height"] < bar["y"]
    assert line["x"] >= 0.0
    assert line["x"] + line["width"] <= size[0]


def test_who_wants_no_movement_begins_it(browser: Browser, game: Path) -> None:
    for is_moved in (False, True):
        context = browser.new_context(reduced_motion="no-preference" if is_moved else "reduce")
        page = context.new_page()
        page.goto(game.as_uri())
        page.wait_for_selector("html[data-ready]")
        page.wait_for_timeout(500)
        seen = page.evaluate("() => [teeter.view.seconds > 0, teeter.view.camera]")
        assert seen == [is_moved, "director" if is_moved else "free"]
        context.close()


def test_poses_are_those_of_the_recording(played: Opened) -> None:
    scenery, _ = scenery_from(GAME)
    moments = np.linspace(0.0, scenery.replay.seconds, 120)
    moments = scenery.motion.times[
        np.searchsorted(scenery.motion.times, moments).clip(0, len(scenery.motion.times) - 1)
    ]
    # a page keeps the times of frames to 0.1 ms, in which what spins turns by more than poses are rounded by
    moments = np.round(moments / TIME_S) * TIME_S
    names, rows, seen = played.run(
        """moments => [teeter.data.bodies.map(b => b.name), ...["poses", "seen"].map(what =>
            moments.map(t => { const view = teeter.view; view.tracks.sample(t, view.poses, view.seen);
                return [...view[what]]; }))]""",
        moments.tolist(),
    )
    poses = np.array(rows).reshape(len(moments), len(names), 7)
    for column, name in enumerate(scenery.replay.meta.names):
        if name not in names:
            continue
        n = names.index(name)
        for number, moment in enumerate(moments):
            own = scenery.poses(float(moment))[column]
            assert bool(seen[number][n]) == bool(np.isfinite(own).all()), (name, moment)
            if seen[number][n]:
                assert np.abs(poses[number, n, :3] - own[:3]).max() <= POSITION, (name, moment)
                # rounded quaternions are a little longer or shorter than 1, which turns nothing
                one, other = (each / np.linalg.norm(each) for each in (poses[number, n, 3:], own[3:]))
                assert np.degrees(angle_between(tuple(one), tuple(other))) <= DEGREES, (name, moment)


def test_an_address_jumps_there_and_waits(played: Opened) -> None:
    assert played.text(".clock").startswith("0:03.5")
    assert played.text("footer button:nth-of-type(2)") == "Play"
    assert played.text("h1") == telling_of(load(GAME)).title


def test_keys_scrub_bar_and_marks(played: Opened) -> None:
    scenery, _ = scenery_from(GAME)
    marks = marks_of(scenery.replay, scenery)
    assert played.page.locator(".mark:not(.turn)").count() == len(marks)
    players = telling_of(load(GAME)).players
    assert set(
        played.run("() => [...document.querySelectorAll('.mark.turn')].map(mark => mark.title)")
    ) == set(players)
    falls = [mark.seconds for mark in marks if mark.kind == "fell"]
    assert played.page.locator(".mark.fell").count() == len(falls) > 0
    played.page.keyboard.press("n")
    assert played.run("() => teeter.view.seconds") == pytest.approx(max(falls[0] - 0.6, 0.0), abs=1e-6)
    played.page.keyboard.press("ArrowRight")
    assert played.run("() => teeter.view.seconds") == pytest.approx(falls[0] - 0.6 + 1 / 60, abs=1e-6)
    played.page.locator("input").fill("6")
    assert played.text(".clock").startswith("0:06.0")
    played.page.keyboard.press(" ")
    while played.run("() => teeter.view.seconds") == 6.0:
        played.page.wait_for_timeout(50)
    played.page.keyboard.press(" ")
    assert played.run("() => teeter.view.isPlaying") is False


def test_a_drag_takes_the_camera_from_where_the_director_looks(played: Opened) -> None:
    before = played.run("() => teeter.view.view()")
    mouse = played.page.mouse
    mouse.move(300, 60)
    mouse.down()
    mouse.move(301, 60)
    near = played.run("() => teeter.view.view()")
    assert np.allclose(near["eye"], before["eye"], atol=0.01)
    mouse.move(380, 90, steps=4)
    mouse.up()
    assert played.run("() => teeter.view.camera") == "free"
    after = played.run("() => teeter.view.view()")
    assert np.linalg.norm(np.subtract(after["eye"], before["eye"])) > 0.05
    away = np.linalg.norm(np.subtract(after["eye"], after["target"]))
    mouse.wheel(0, -300)
    played.page.wait_for_timeout(100)
    closer = played.run("() => teeter.view.view()")
    assert np.linalg.norm(np.subtract(closer["eye"], closer["target"])) < away


def test_impacts_sound_as_in_films(played: Opened) -> None:
    scenery, bodies = scenery_from(GAME)
    known = {body.name: body for body in bodies}
    names = scenery.replay.meta.names
    masses = [known[n].piece.mass if n in known and n != TABLE else 0.0 for n in names]
    impacts = impacts_of(scenery.replay, scenery.motion, scenery.extents, masses)
    told = played.run("() => teeter.data.sound.impacts")
    assert [each[0] for each in told] == [round(impact.seconds, 4) for impact in impacts]
    loudest = max(range(len(impacts)), key=lambda n: impacts[n].impulse)
    impact = impacts[loudest]
    other = names[impact.other] if impact.other >= 0 else ""
    on = known[other].piece if other in known and other != TABLE else other
    ours = impact_samples(known[names[impact.body]].piece, impact.impulse, on)
    theirs = (
        np.array(played.run(f"n => [...teeter.view.sound.samples(n, {RATE})]", told[loudest][1]))
        * told[loudest][2]
    )
    # two blows of one pair differ in their noise, and their modes by 3 %: they sound alike in every octave
    assert octaves_db(theirs) == pytest.approx(octaves_db(ours), abs=4.0)
    assert np.abs(theirs).max() == pytest.approx(np.abs(ours).max(), rel=0.4)


def octaves_db(samples: Samples) -> list[float]:
    """The energy in each octave, from that of the whole; at least -30 dB."""
    power = np.abs(np.fft.rfft(samples)) ** 2
    hertz = np.fft.rfftfreq(len(samples), 1 / RATE)
    bands = [power[(low <= hertz) & (hertz < 2 * low)].sum() for low in (62.5 * 2.0**n for n in range(8))]
    return [max(10 * float(np.log10(band / power.sum())), -30.0) for band in bands]


# -- nothing else runs -----------------------------------------------------------------------------------------------


def test_200_hostile_texts_are_shown_and_do_nothing(browser: Browser, tmp_path: Path) -> None:
    scenery, bodies = scenery_from(GAME)
    blob = Blob()
    data = recording_data(scenery, bodies, telling_of(scenery.replay), (), blob)
    assert len(HOSTILE) == 200
    data |= {"title": HOSTILE[0] + HOSTILE[25], "players": HOSTILE, "result": HOSTILE[41]}
    data["lines"] = [[0.03 * number, text, text] for number, text in enumerate(HOSTILE)]
    data["marks"] = [[0.03 * number, "fell", text] for number, text in enumerate(HOSTILE)]
    for number, row in enumerate(data["bodies"]):
        row["name"] = HOSTILE[number]
    file = tmp_path / "hostile.html"
    html.save(file, html.page({"kind": "recording", **data}, blob))
    with opened(browser, file, "?t=0") as found:
        shown = found.run(
            """lines => lines.map(([t]) => { teeter.view.seek(t);
                return [".who", ".line"].map(name => document.querySelector(name).textContent); })""",
            data["lines"],
        )
        for (who, line), text in zip(shown, HOSTILE, strict=True):
            assert who == text
            assert line == text
        assert found.run("() => [...document.querySelectorAll('.mark')].map(mark => mark.title)") == HOSTILE
        tags = "script, img, svg, iframe, link, meta, base, form, object, style, a"
        assert (
            found.run(
                "tags => document.querySelectorAll('body ' + tags.split(', ').join(', body ')).length", tags
            )
            == 3
        )
        assert found.run("() => [window.pwned, window.length, {}.pwned]") == [None, 0, None]
        assert found.requests == [f"{file.as_uri()}?t=0"]
        assert found.faults == []


DEEDS = (
    "() => fetch('https://example.com/')",
    "() => { const script = document.createElement('script'); script.textContent = 'window.pwned = 1';"
    " document.body.append(script); if (!window.pwned) throw new Error('blocked'); }",
    "() => { document.body.innerHTML = '<img src=x onerror=window.pwned=1>'; }",
    "() => new Promise((resolve, reject) => { const image = new Image(); image.onload = resolve;"
    " image.onerror = reject; image.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACw='; })",
    "() => new Worker(URL.createObjectURL(new Blob(['1'])))",
)


def test_the_policy_forbids_what_a_page_does_not_need(browser: Browser, game: Path) -> None:
    with opened(browser, game, "?t=0") as found:
        for deed in DEEDS:
            answer = found.run(
                f"async () => {{ try {{ await ({deed})(); return 'done'; }} catch {{ return 'refused'; }} }}"
            )
            assert answer == "refused", deed
        assert found.run("() => window.pwned") is None
        assert [each for each in found.requests if not each.startswith("data:")] == [f"{game.as_uri()}?t=0"]


# -- beside our own pictures -----------------------------------------------------------------------------------------

VIEWS = (
    # the tower close by, the whole table with its legs, and another corner of the room
    Camera((0.35, -0.55, 0.35), (0.0, 0.0, 0.1), 40.0),
    Camera((1.5, -1.8, 0.8), (0.0, 0.0, -0.1), 40.0),
    Camera((-0.8, 0.9, 0.25), (0.1, 0.0, 0.0), 45.0),
)
NEAR, FAR = 3.0, 0.01
"""Of pictures of one moment: the mean difference in steps of 8 bits; the part of the pixels that differs by over 20."""


def test_table_room_and_shadows_are_those_of_our_own_pictures(played: Opened) -> None:
    scenery, bodies = scenery_from(GAME)
    columns = [scenery.replay.meta.names.index(body.name) for body in bodies]
    frame = Frame(tuple(body.name for body in bodies), scenery.poses(3.5)[columns])
    played.run(
        """() => { const view = teeter.view;
            view.hidden = new Set(teeter.data.bodies.flatMap((body, n) => body.name.startsWith("hand.") ? [n] : []));
            document.querySelector("main").classList.add("bare"); }"""
    )
    box = picture(played).shape
    stage = Stage(bodies, size=(box[1], box[0]), quality="low")
    stage.show(frame)
    try:
        for camera in VIEWS:
            told = {"eye": list(camera.eye), "target": list(camera.target), "fov": camera.fov}
            played.run(
                "camera => { teeter.view.look('free', camera); teeter.view.loop.isFull = false; }", told
            )
            # a slow machine draws smaller pictures until all rests
            played.page.wait_for_function("() => teeter.view.loop.isFull && !teeter.view.loop.due")
            stage.aim(camera)
            off = np.abs(picture(played).astype(int) - stage.render())
            assert off.mean() < NEAR, camera
            assert (off.max(axis=2) > 20).mean() < FAR, camera
    finally:
        stage.close()
        played.run(
            "() => { teeter.view.hidden.clear(); document.querySelector('main').classList.remove('bare'); }"
        )


ALONE = """([seconds, eye, target, fov, isEmpty]) => {
    const view = teeter.view; view.isPlaying = false; view.seek(seconds);
    view.hidden = new Set(teeter.data.bodies.map((_, n) => n).filter(n => isEmpty || n === teeter.data.table));
    view.look("free", { eye, target, fov }); view.loop.picture(); }"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "moments"),
    [
        *(("wonky-1", 2), ("crazy-tower-1", 2)),
        *(
            pytest.param(name, 6, marks=pytest.mark.soak)
            for name in ("wonky-1", "tower-topple-2", "crazy-tower-1")
        ),
    ],
)
def test_silhouettes_are_those_of_our_own_pictures(
    browser: Browser, name: str, moments: int, exported: Callable[[str], Path], row: Callable[..., None]
) -> None:
    scenery, bodies = scenery_from(RECORDINGS / f"{name}.teeter")
    pieces = [body for body in bodies if body.name != TABLE]
    columns = [scenery.replay.meta.names.index(body.name) for body in pieces]
    # without smoothed edges, as Chromium draws without a graphics card
    stage = Stage(pieces, size=SIZE, quality="low")
    nothing = Frame((), np.zeros((0, 7)))
    worst = 1.0
    with opened(browser, exported(name), "?t=0&bare&full", SIZE) as found:
        names = found.run("() => teeter.data.bodies.map(body => body.name)")
        hand = [n for n, each in enumerate(names) if each.startswith("hand.")]
        for seconds in np.linspace(0.05, 0.95, moments) * scenery.replay.seconds:
            view = found.run(
                "t => { teeter.view.seek(t); teeter.view.camera = 'director'; return teeter.view.view(); }",
                seconds,
            )
            camera = Camera(tuple(view["eye"]), tuple(view["target"]), view["fov"])
            stage.aim(camera)
            masks = []
            for is_empty in (False, True):
                found.run(ALONE, [seconds, *map(list, (camera.eye, camera.target)), camera.fov, is_empty])
                found.run(
                    "hand => { hand.forEach(n => teeter.view.hidden.add(n)); teeter.view.loop.picture(); }",
                    hand,
                )
                frame = Frame(tuple(body.name for body in pieces), scenery.poses(float(seconds))[columns])
                stage.show(nothing if is_empty else frame)
                masks.append((picture(found).astype(int), stage.render().astype(int)))
            page, ours = (np.abs(masks[0][k] - masks[1][k]).max(axis=2) > 6 for k in (0, 1))
            worst = min(worst, (page & ours).sum() / (page | ours).sum())
    stage.close()
    row("pages beside our own pictures", game=name, overlap=f"{worst:.4f}")
    assert worst >= OVERLAP


FROM = """([eye, fov]) => {
    const view = teeter.view; view.isPlaying = false;
    view.look("free", { eye, target: [0, 0, 0], fov }); view.loop.picture(); }"""


@pytest.mark.slow
def test_a_thin_card_is_seen_where_a_picture_has_few_pixels(
    browser: Browser, exported: Callable[[str], Path]
) -> None:
    """As a page draws that is slow, from where a phone looks at a whole table."""
    few = (60, 130)
    with opened(browser, exported("crazy-tower-1"), "?t=0&bare&full", few) as found:
        for away, height, fov in ((1.0, 0.2, 35.0), (1.0, 0.35, 60.0), (1.5, 0.5, 45.0), (0.7, 0.15, 60.0)):
            found.run(FROM, [[0.0, -away, height], fov])
            rows = picture(found).astype(int)[int(0.45 * few[1]) : int(0.55 * few[1])]
            assert (rows.min(axis=2) > 150).sum() > 10, "of the card, which is white"
