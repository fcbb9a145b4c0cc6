"""What people do at the window, scenarios of one game in one process; `test_window_play.py` runs them."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from window_driver import ALIKE, PATIENCE, Person, colours_of, on_screen, sees, xdotool

from teeter.engine.geometry.rotation import angle_between
from teeter.engine.pose import Pose
from teeter.engine.record.reader import Replay
from teeter.engine.record.reader import load as read_replay
from teeter.engine.view.camera import all_seen_at
from teeter.engine.view.video import director
from teeter.games.core.random_state import is_drawn
from teeter.games.core.rules import Wait
from teeter.games.present.settings import load_settings
from teeter.games.registry import GAMES
from teeter.games.server.messages import Plan
from teeter.games.server.setup import folder, plan_of
from teeter.games.ui import replay_screen
from teeter.games.ui.app import App
from teeter.scenes.load import load

GRID = 8
"""Pixels between two looks at a mask."""


def opened(plan: Plan | None = None, *, is_coached: bool = True) -> Person:
    """A person at the window: of a game that waits for somebody, or of the menu. is_coached: else they have switched
    hints off, which try every place and every brick while the person thinks."""
    person = Person(App(load_settings(), plan))
    if not is_coached:
        hints = person.app.screen.hints
        hints.shows_hint = hints.shows_ghost = False
    if plan is not None:
        person.wait(lambda: person.client.waits or person.client.broken, "the game begins")
        assert not person.client.broken, person.client.broken
    return person


def left(person: Person) -> None:
    """Leave a game for the menu: first the pause, then the way out."""
    person.key("Escape")
    person.wait(lambda: shown_on(person, "pause"), "the pause")
    person.press("leave")
    person.wait(lambda: hasattr(person.app.screen, "form"), "the menu")


def shown_on(person: Person, name: str) -> bool:
    """Whether a panel of this name is on the screen."""
    return any(panel.name == name for panel in person.app.screen.panels())


def is_at(person: Person, name: str, goal: Pose) -> bool:
    """Whether a piece is where it is wanted, to a millimetre and a degree."""
    pose = person.client.pose(name)
    near = np.allclose(pose.position, goal.position, atol=1e-3)
    return bool(near and angle_between(pose.orientation, goal.orientation) < 0.02)


def wonky_by_mouse(file: str) -> None:
    """A refusal with its clause; a card, its block carried to the middle and laid by mouse; the game resumed."""
    person = opened(Plan("wonky", ("Ana", "bot:steady"), 1, {"first": "Ana"}, Path(file)))
    before = person.client.frame.poses.copy()
    person.click(*person.place_of("large_green"))
    refused = person.wait(lambda: person.client.refused, "a refusal")
    assert refused.clause == "WK-04"
    assert "card" in refused.sentence
    person.look()
    assert shown_on(person, "refusal")
    assert np.array_equal(person.client.frame.poses, before)
    person.keep("wonky-refused")

    person.choose(lambda each: "medium blue" in each.sentence)
    person.asked(wait=Wait.ACTION)
    assert len(person.client.state.hands[0]) == 6
    name = person.client.choices[0].action.piece
    # one view of both places: as whoever has zoomed keeps it
    person.app.screen.camera_control._is_mine = True
    person.still()
    there, empty = person.mask(name, GRID), person.picture()
    person.click(*person.place_of(name))
    person.asked(wait=Wait.HAND)
    person.move(*person.place(0.0, -0.02, 0.0))
    grip = person.app.screen.hand.grip
    assert np.hypot(*grip.goal.position[:2]) < 0.06
    person.wait(
        lambda: np.allclose(person.client.pose(name).position, grip.goal.position, atol=5e-4), "it follows"
    )
    carried, here = person.picture(), person.mask(name, GRID)
    changed = np.abs(carried - empty).max(axis=2) > 24
    assert there.sum() > 5 < here.sum()
    assert changed[there].mean() > 0.8, "the block is still seen where it was"
    assert changed[here].mean() > 0.8, "the block is not seen where it is carried"
    person.keep("wonky-carried")
    person.click(*person.app.window.pointer)
    person.wait(lambda: name in person.client.state.tower, "it stands")
    # the boundary after the count is what is gone on from
    person.wait(lambda: person.client.need.player == "steady", "the bot's turn")
    person.wait(lambda: person.client.busy.startswith("steady"), "the bot thinks")
    tower, hands = person.client.state.tower, person.client.state.hands
    place = person.client.pose(name).position
    person.app.close()

    again = opened(plan_of(Path(file)))
    assert again.client.state.tower[: len(tower)] == tower
    assert again.client.state.hands[0] == hands[0]
    assert np.allclose(again.client.pose(name).position, place, atol=3e-3)
    again.app.close()


def brick_by_keys() -> None:
    """Tower Topple by keys alone: a brick chosen, taken back, chosen again, pulled out, laid on top."""
    plan = Plan("tower-topple", ("Ana", "Ben"), 3, {"first": "Ana", "bricks": "exact"})
    person = opened(plan, is_coached=False)
    camera_control = person.app.screen.camera_control
    camera_control.orbit = camera_control._goal = camera_control.orbit.turned(-18.0, 4.0)
    person.move(480, 520)
    name = person.client.state.tower[15][1]
    at = next(k for k, each in enumerate(person.client.choices) if each.action.piece == name)
    person.app.screen._cursor = at - 1
    person.key("Tab")
    unlit = person.mask(name, 5)
    person.look(3)
    picture = person.picture()
    assert unlit.any()
    assert np.median((picture[..., 0] - picture[..., 2])[unlit]) > 90, "the chosen brick is not lit"
    person.key("Return")
    person.asked(wait=Wait.PULL)
    person.key("u")
    person.asked(wait=Wait.ACTION)
    assert person.client.state.tower[15][1] == name
    person.app.screen._cursor = at - 1
    person.key("Tab", "Return")
    person.asked(wait=Wait.PULL)
    for _ in range(60):
        person.key("Down")
        if person.client.need.wait is not Wait.PULL:
            break
    person.asked(wait=Wait.HAND)
    person.keep("topple-out")
    # over the row on top; it came out square to it
    hand = person.app.screen.hand
    hand._go(0.0, 0.0)
    tall = person.client.pose(person.client.state.tower[-1][0]).position[2]
    person.wait(lambda: is_at(person, name, hand.grip.goal), "carried on top")
    assert person.client.pose(name).position[2] > tall
    person.keep("topple-on-top")
    person.key("space")
    person.wait(
        lambda: person.client.waits and name in person.client.state.tower[-1], "it lies in the row on top"
    )
    person.app.close()


def everything_on_the_screen() -> None:
    """From the menu by mouse every game begins and is left again, and the screen has what the program believes, also
    after the window was resized; the window may shrink to a point."""
    person = opened()
    window = person.app.window
    person.wait(lambda: window.stage, "the still life of the menu")
    person.sees("screen-menu")
    person.press("page:rules")
    hud = window.hud
    person.wait(lambda: all(hud.has_image(f"guide|crazy-tower|{number}") for number in range(4)), "the rules")
    person.sees("screen-rules")
    person.key("Escape")
    for number, game in enumerate(GAMES):
        person.press(f"game:{game.name}")
        assert person.app.screen.form.game == game.name
        person.press("start")
        person.wait(lambda: hasattr(person.app.screen, "client") and person.client.frame.names, game.name)
        person.wait(
            lambda: person.client.waits or person.client.busy.endswith(("thinks", "plays")), "it goes on"
        )
        assert person.client.game.name == game.name
        person.wait(lambda: person.client.waits, "somebody is asked")
        person.sees(f"screen-{game.name}")
        shades = person.picture()[::8, ::8].reshape(-1, 3).std(axis=0)
        assert shades.min() > 12, "there is nothing to be seen"
        if number == 0:
            resized(person, 1000, 600)
            person.sees("screen-resized")
        left(person)
    for width, height in ((1, 1), (700, 400), (960, 540)):
        resized(person, width, height)
        person.look(3)
    assert person.picture().shape == (540, 960, 3)
    xdotool("key", "Escape")
    person.until_closed()
    person.app.close()


def resized(person: Person, width: int, height: int) -> None:
    """Give the window another size, in pixels."""
    xdotool("windowsize", person.number, str(width), str(height))
    person.wait(lambda: person.app.window.size == (width, height), "the window has another size")


def page_seen_at_once() -> None:
    """What a key opens is on the screen after the next picture, not only when something is drawn again."""
    person = opened()
    person.look(10)
    for key in ("page:settings", "page:keys"):
        person.press(key)
        person.look(1)
        time.sleep(0.3)
        shown = person.on_screen().astype(int)
        believed = person.app.window.picture().astype(int)
        assert np.abs(shown - believed).mean() < ALIKE, f"{key} is not on the screen"
    person.app.close()


def replay_on_the_screen(file: str) -> None:
    """A replay, while it stands still: the screen has what the program believes. Until it is set up the window says so,
    and what is pressed meanwhile is not for it."""

    class Slow(replay_screen.Viewer):
        def __init__(self, replay: Replay, window: Any, *more: Any, **how: Any) -> None:
            end = time.perf_counter() + PATIENCE
            while colours_of(on_screen(window)) < 30:
                assert time.perf_counter() < end, "the window is empty until the replay is set up"
                time.sleep(0.1)
            xdotool("key", "space")
            super().__init__(replay, window, *more, **how)

    with mock.patch.object(replay_screen, "Viewer", Slow):
        app = App(load_settings(), watched=read_replay(Path(file)))
    viewer: Any = app.screen
    for _ in range(3):
        app.round()
    assert viewer.watching.is_playing, "what was pressed before it was seen"
    viewer.watching = replace(viewer.watching, is_playing=False)
    for _ in range(3):
        app.round()
    sees(viewer.window, app.round, "screen-replay")
    bar = viewer.window.hud.layout.region("seek")
    assert bar is not None
    feet = director.subject_at(viewer.scenery, viewer.watching.seconds)
    seen = all_seen_at(viewer.camera(), viewer.window.size, feet)
    assert seen[:, 1].max() < bar.rect.y, "the scrub bar lies over what is played"
    viewer.window.close()


def panels_by_keys_alone() -> None:
    """From the menu to the settings and back; a seat that is passed on; the pause and on: Tab, arrows and Enter."""
    person = opened()
    app = person.app
    for key in ("Tab", *["Down"] * 40):
        person.key(key)
        person.look(2)
        if app._focus.lit == "page:settings":
            break
    person.keep("keys-menu")
    person.key("Return")
    person.wait(lambda: app.screen.pages.page == "settings", "the settings")
    person.press("page:keys")
    person.wait(lambda: app.screen.pages.page == "keys", "the list of keys")
    person.look(3)

    def first() -> int:
        return int(app.window.hud.layout.scrolls[0].first)

    person.key("Tab")
    person.wait(lambda: app._focus is not None and app._focus.lit, "a lit button at the top")
    for key, at in (("Next", 4), ("Next", 8), ("Prior", 4)):
        person.key(key)
        person.look(4)
        assert first() == at, (
            f"{key} scrolls to {first()} of {app.window.hud.layout.scrolls}, whatever is lit"
        )
    person.key("Tab")
    person.wait(lambda: first() == 0, "what is lit is seen")
    person.key("Escape")
    app.close()
    person = opened(Plan("wonky", ("Ana", "Ben"), 3, {"first": "Ana"}))
    screen = person.app.screen
    person.wait(lambda: shown_on(person, "pass"), "the seat is to be passed on")
    person.key("Escape")
    person.wait(lambda: screen.pages.page == "pause", "the pause before anybody sits there")
    person.key("Return")
    person.wait(lambda: not screen.pages.page, "on, and not yet to the seat")
    assert screen.needs_pass, "nobody has said who sits there"
    person.key("Return")
    person.wait(lambda: not screen.needs_pass, "Ana sits there")
    person.key("Escape")
    person.wait(lambda: shown_on(person, "pause"), "the pause")
    for key in ("Tab", "Down"):
        person.key(key)
        person.look(2)
    person.keep("keys-pause")
    person.key("Return")
    person.wait(lambda: screen.pages.page == "rules", "the rules, the second button")
    person.key("Escape")
    person.key("Return")
    person.wait(lambda: not screen.pages.page, "the game goes on")
    person.app.close()


def small_game_by_hand(file: str) -> None:
    """Bausack with two pieces between two people: bids, both pieces laid by mouse; the end on the screen, the record
    packed and watched from there, and a rematch."""
    plan = Plan("bausack", ("Ana", "Ben"), 5, {"pieces": 2, "first": "Ana"}, Path(file))
    person = opened(plan, is_coached=False)
    for number in range(2):
        buys(person)
        carries(person, *own_place(person))
        person.keep(f"bausack-{number}")
        person.key("space")
        person.wait(lambda: person.client.waits and not person.client.held, "it lies")
    print(ended(person, Path(file)))
    person.keep("bausack-over")
    person.press("watch")
    person.wait(lambda: shown_on(person, "bar"), "the replay, in the same window")
    person.key("Escape")
    person.wait(lambda: shown_on(person, "over"), "the end again")
    before = person.app.window.size
    person.key("F11")
    person.wait(lambda: person.app.window.size != before, "the whole screen")
    person.key("F11")
    person.wait(lambda: person.app.window.size == before, "the window again")
    person.press("again")
    person.wait(lambda: hasattr(person.app.screen, "client") and person.client.waits, "the rematch")
    assert is_drawn(person.app.screen.plan.seed)
    assert person.client.state.towers == ((), ())
    person.app.close()


def buys(person: Person) -> None:
    """Who is asked picks a piece, bids one token for it, the other passes; then the piece is in the hand."""
    person.wait(lambda: person.client.waits and person.client.need.wait is Wait.ACTION, "a turn")
    for each in person.client.choices:
        # some of the supply lie hidden behind others or below a panel
        with contextlib.suppress(AssertionError):
            person.click(*person.place_of(each.action.piece))
            break
    person.wait(lambda: person.client.held and person.client.waits, "a piece in the hand")
    person.choose(lambda each: each.sentence.endswith("opening with 1"))
    person.wait(lambda: person.client.state.phase.name == "BID" and person.client.waits, "an auction")
    person.choose(lambda each: each.sentence == "pass")
    person.wait(
        lambda: person.client.state.phase.name == "PLACE" and person.client.waits, "the piece is sold"
    )
    person.choose()
    person.asked(wait=Wait.HAND)


def own_place(person: Person) -> tuple[float, float]:
    """On the own tower, or in the middle of the own area."""
    from teeter.games.bausack.judge import areas

    state = person.client.state
    if tower := state.towers[state.actor]:
        x, y, _ = person.client.pose(tower[-1]).position
        return x, y
    area = areas(state)[state.actor]
    return area.x / 1e3, area.y / 1e3


def carries(person: Person, x: float, y: float) -> None:
    """The piece goes where it was pointed to last, and the keys to the window below the pointer."""
    person.move(480, 270)
    hand = person.app.screen.hand
    hand._go(x, y)
    name, goal = hand.grip.name, hand.grip.goal.position
    person.wait(lambda: np.allclose(person.client.pose(name).position, goal, atol=1e-3), "it is there")


def ended(person: Person, file: Path) -> Any:
    """Wait for the end on the screen, and for the record; the outcome."""
    outcome = person.wait(lambda: person.client.game.rules.outcome(person.client.state), "the end")
    # a fall is watched before
    person.wait(lambda: shown_on(person, "over"), "the end on the screen")
    person.asked(wait=Wait.OVER)
    kept = read_replay(file).meta.outcome
    assert kept is not None
    assert kept["ended"] is True
    # what is over has no secrets; until then only its owner may read it
    assert file.stat().st_mode & 0o777 == 0o666 & ~mask()
    return outcome


def mask() -> int:
    """What this process takes away from the modes of its files."""
    os.umask(found := os.umask(0o022))
    return found


def collapse_shown_again(file: str) -> None:
    """Bausack: a piece that would end the game is laid only when it is wanted twice; the fall is watched, from two
    seconds before it, and a film is drawn. A picture that cannot be kept is no reason to stop."""
    person = opened(Plan("bausack", ("Ana", "Ben"), 5, {"pieces": 4, "first": "Ana"}, Path(file)))
    for _ in range(2):
        buys(person)
        carries(person, *own_place(person))
        person.key("space")
        person.wait(lambda: person.client.waits and not person.client.held, "it lies")
    buys(person)
    x, y = own_place(person)
    carries(person, x + 0.15, y)
    screen = person.app.screen
    person.wait(lambda: screen.hints.ending, "the coach sees the end coming")
    held = person.client.held
    person.key("space")
    person.look(10)
    assert person.client.held == held, "one press was enough to lose the game"
    panel = next(panel for panel in screen.panels() if panel.name == "hand")
    assert any("would end the game" in getattr(item, "text", "") for item in panel.items)
    person.sees("ending-warned")
    person.key("space")
    print(ended(person, Path(file)))
    why = person.wait(lambda: screen.hints.why, "why it fell")
    assert "came down beside the tower, on the table" in why, why
    panel = next(panel for panel in screen.panels() if panel.name == "over")
    assert any(why in getattr(item, "text", "") for item in panel.items)
    person.keep("end-with-why")

    pictures = folder().parent / "pictures"
    pictures.write_text("no folder")
    person.key("F12")
    person.wait(
        lambda: any("No picture was kept" in line for line in screen.toasts.lines(time.perf_counter()))
    )
    pictures.unlink()
    person.key("F12")
    person.wait(lambda: (pictures / "teeter-1.png").exists(), "a picture")

    assert person.client.fell_s is not None
    begins = max(person.client.fell_s - 2.0, 0.0)
    person.press("fall")
    viewer = person.wait(
        lambda: person.app.screen if person.app.screen is not screen else None, "the fall is shown"
    )
    assert begins <= viewer.watching.seconds < begins + 2.0
    person.key("Escape")
    person.wait(lambda: person.app.screen is screen, "Esc goes back to the end of the game")
    person.press("film")
    person.look(5)
    ((_, film, out, _),) = person.app._films
    assert film.args[3:6] == ["video", file, "-o"]
    assert out.parent == folder().parent / "films"
    assert "is drawn" in screen.films[None]
    # as if its record was packed before it was read: it is drawn once more
    person.app._unpacked[film] = Path(file), None
    film.terminate()
    ((_, again, _, _),) = person.wait(
        lambda: [each for each in person.app._films if each[1] is not film], "the film once more"
    )
    # a whole film takes a while: here it is broken off, and that is told
    again.terminate()
    person.wait(lambda: screen.films[None] == "could not be drawn", "word of the film")
    person.app.close()


def sandbox_checked() -> None:
    """The sandbox: a shipped scene, checked by a key; a piece brought out and laid; the scene saved and loaded."""
    person = opened(Plan("sandbox", ("Ana",), scene="bridge"))
    person.click(480, 30)
    person.key("k")
    finding = person.wait(lambda: person.app.screen.hints.finding, "the checker's answer")
    assert finding.word == "stands", finding
    assert finding.arrows
    person.look(3)
    person.keep("sandbox-bridge")
    weakest, picture = person.mask(finding.weakest, 5), person.picture()
    assert np.median((picture[..., 0] - picture[..., 2])[weakest]) > 60, "the weakest piece is not lit"
    person.press("shelf")
    person.press("shelf:tower_topple")
    person.press("piece:tower_topple/brick")
    person.asked(wait=Wait.HAND)
    name = person.client.held
    person.move(*person.place(0.0, -0.2, 0.0))
    person.look(10)
    person.key("space")
    person.asked(wait=Wait.ACTION)
    assert abs(person.client.pose(name).position[2] - 0.0075) < 1e-3
    person.press("save")
    saved = person.app.screen.building.said.removeprefix("saved as ")
    assert name in load(saved).ids
    person.app.close()


def piece_from_a_file(folder: str) -> None:
    """The sandbox: a file that is none is refused, its path kept; an own export comes into the hand and is laid."""
    (Path(folder) / "wrong.stl").write_text("solid nothing")
    person = opened(Plan("sandbox", ("Ana",)))
    screen = person.app.screen
    person.press("file")
    screen.file.path = f"{folder}/wrong.st"
    person.key("l")
    person.key("Return")
    person.wait(lambda: screen.file.fault, "a refusal")
    assert "--" not in screen.file.fault
    person.look()
    assert screen.file.path == f"{folder}/wrong.stl"
    assert any(panel.name == "sandbox" for panel in screen.panels())
    person.keep("file-refused")
    screen.file.path = f"{folder}/b1"
    person.look()
    person.press(f"like:{folder}/b1.glb")
    person.press("bring")
    person.asked(wait=Wait.HAND)
    assert person.client.held == "b1"
    person.move(*person.place(0.0, -0.2, 0.0))
    person.look(10)
    person.key("space")
    person.asked(wait=Wait.ACTION)
    assert abs(person.client.pose("b1").position[2] - 0.0075) < 1e-3
    person.keep("file-laid")
    person.app.close()


def display_lost(file: str) -> None:
    """Two people pass the seat, one plays a card; then the display goes away, and with it this process."""
    person = opened(Plan("wonky", ("Ana", "Ben"), 1, {"first": "Ana"}, Path(file)))
    # two people at one window: nobody's cards are seen before the seat was passed
    person.wait(lambda: shown_on(person, "pass"), "the seat is passed")
    assert [panel.name for panel in person.app.screen.panels()] == ["pass"]
    person.keep("pass")
    person.press("seat")
    person.choose(lambda each: "medium blue" in each.sentence)
    person.asked(wait=Wait.ACTION)
    os.kill(int(os.environ["SCREEN_PID"]), signal.SIGKILL)
    person.until_closed()


def fall_watched_and_kept(path: str) -> None:
    """Tower Topple: a brick is torn out and swept through the tower until it falls. The wreck lies there until Ana goes
    on; it is watched again, and kept as a film that shows it."""
    plan = Plan("tower-topple", ("Ana", "Ben"), 3, {"first": "Ana", "bricks": "exact"}, Path(path))
    person = opened(plan, is_coached=False)
    app, fall = person.app, person.app.screen.fall
    name = person.client.state.tower[2][0]
    app.screen._cursor = (
        next(k for k, each in enumerate(person.client.choices) if each.action.piece == name) - 1
    )
    person.key("Tab", "Return")
    person.asked(wait=Wait.PULL)
    xdotool("keydown", "Control_L")
    while person.client.need.wait is Wait.PULL and not fall.state:
        person.key("Down")
    xdotool("keyup", "Control_L")
    (x, y), end = person.place(0.0, 0.0, 0.1), time.perf_counter() + 120.0
    for way in range(0, 100_000, 20):
        if fall.state or time.perf_counter() > end:
            break
        # it is lowered all the while, and goes to and fro
        xdotool(
            "mousemove", "--window", person.number, str(round(x - 250 + abs(way % 1000 - 500))), str(round(y))
        )
        xdotool("click", "5")
        app.round()
    rounds(person, lambda: fall.state == "wreck")
    assert highest(person) < 0.15, "the wreck is not there"
    person.keep("fall-wreck")
    pressed(person, "watch_again")
    rounds(person, lambda: fall.state == "falls" and highest(person) > 0.25)
    rounds(person, lambda: fall.state == "wreck")
    assert highest(person) < 0.15
    start = app._start
    # a sixteenth of the pixels, and a sixth of the pictures, or so
    app._start = lambda *words: start(*words, "--size", "320x180", "--quality", "low", "--fps", "5")
    pressed(person, "clip")
    pressed(person, "go_on")
    person.asked(wait=Wait.ACTION)
    assert highest(person) > 0.25, "the tower was not set up again"
    person.wait(lambda: not app._clips and not app._films, "the film is drawn")
    assert [key is None for key in app.screen.films] == [False], "a clip is no film of the game"
    assert "is kept as" in app.screen.films[fall.began_at]
    print("film", next((folder().parent / "films").glob("*.mp4")).rename(Path(path).with_suffix(".mp4")))
    app.close()


def rounds(person: Person, until: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Look on until something is so, and leave a wreck where it lies."""
    end = time.perf_counter() + seconds
    while not until():
        assert time.perf_counter() < end, f"{person.tell()}, fall {person.app.screen.fall.state!r}"
        person.look(1)


def highest(person: Person) -> float:
    """Metres of the highest piece that is seen."""
    return float(np.nanmax(person.client.frame.poses[:, 2]))


def pressed(person: Person, name: str) -> None:
    """Click a button of the panel below a fall."""
    x, y = person.app.window.hud.layout.region(name).rect.middle
    xdotool("mousemove", "--window", person.number, str(round(x)), str(round(y)), "click", "1")
    rounds(person, lambda: person.app.window.hud.layout.region(name) is None or name == "clip")
    person.look(5)
