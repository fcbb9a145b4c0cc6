"""The replay viewer without a window: time runs both ways, marks, jumps, the scene of a moment, and what is shown."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from video_lab import END, LAID, NAMES, SET_OFF, SPEC, TELLING, TIDY, TOP, bodies, recorded

from teeter.engine.record.meta import BodyMeta
from teeter.engine.record.motion import motion_of
from teeter.engine.record.reader import load
from teeter.engine.view.panels import Button, Row, Slider, Text
from teeter.engine.view.video.captions import Caption
from teeter.engine.view.video.scenery import Scenery
from teeter.engine.view.window.fonts import width_of
from teeter.engine.view.window.layout import lay_out
from teeter.engine.view.window.shapes import Letters
from teeter.engine.world.body import FLOOR, TABLE
from teeter.games.play.playback import resume
from teeter.games.play.replays import (
    FRAME_S,
    LEAD_S,
    NOWHERE,
    ORDERS,
    SPEEDS,
    Mark,
    ViewerState,
    assembly_at,
    bodies_of,
    line_at,
    marks_of,
    ordered,
    panels,
    placed,
    result_of,
    telling_of,
)
from teeter.games.ui.replay_screen import Viewer

RECORDING = Path(__file__).parent / "recordings" / "wonky-1.teeter"


@pytest.fixture(scope="module")
def scenery(tmp_path_factory: pytest.TempPathFactory) -> Scenery:
    replay = recorded(tmp_path_factory.mktemp("viewer") / "lab.teeter")
    extents = np.array([body.piece.extents for body in bodies()])
    return Scenery(replay, motion_of(replay, np.linalg.norm(extents, axis=1) / 2), extents)


@pytest.mark.parametrize("letters", [1.0, 1.21, 1.44])
@pytest.mark.parametrize("size", [(640, 480), (800, 600), (1024, 600), (1280, 720), (390, 844)])
def test_no_word_on_a_button_is_broken(size: tuple[int, int], letters: float) -> None:
    bar = panels(ViewerState(20.0, seconds=3.0), (), None, "Crazy Tower", "")
    layout = lay_out(tuple(bar), size, width_of, scale=letters)
    said = " ".join(shape.text for shape in layout.shapes if isinstance(shape, Letters)).split()
    rows = [item.items for panel in bar for item in panel.items if isinstance(item, Row)]
    words = {word for row in rows for each in row if isinstance(each, Button) for word in each.text.split()}
    assert words <= set(said)


@pytest.mark.slow
def test_a_game_that_goes_on_from_a_replay_is_free_for_the_process_that_plays_it(tmp_path: Path) -> None:
    """Where the viewer kept it, Play on ended the window."""
    file = tmp_path / "kept.teeter"
    shutil.copy(RECORDING, file)
    viewer: Any = SimpleNamespace(
        replay=load(file),
        watching=ViewerState(60.0, seconds=20.0),
    )
    Viewer._fork(viewer)
    assert (viewer.wish, viewer.forked) == ("fork", tmp_path / "kept-1.teeter")
    session, recorder = resume(viewer.forked)
    assert session.outcome is None
    recorder.leave()
    session.close()


def test_time_runs_at_its_speed_forward_and_backward_and_stops_at_the_ends() -> None:
    watching = ViewerState(10.0, seconds=4.0, speed=2.0)
    assert watching.after(0.5).seconds == pytest.approx(5.0)
    assert ordered(watching, "reverse", ()).after(0.5).seconds == pytest.approx(3.0)
    late = watching.after(60.0)
    assert (late.seconds, late.is_playing) == (10.0, False)
    early = ordered(watching, "reverse", ()).after(60.0)
    assert (early.seconds, early.is_playing) == (0.0, False)
    again = ordered(late, "play", ())
    assert (again.seconds, again.is_playing) == (0.0, True)


def test_steps_are_frames_and_stop_the_play() -> None:
    watching = ViewerState(10.0, seconds=4.0)
    assert ordered(watching, "on", ()).seconds == pytest.approx(4.0 + FRAME_S)
    back = ordered(watching, "back", ())
    assert back.seconds == pytest.approx(4.0 - FRAME_S)
    assert not back.is_playing
    assert ordered(ViewerState(10.0), "back", ()).seconds == 0.0


def test_speeds_go_from_a_sixteenth_to_sixteen() -> None:
    watching = ViewerState(10.0)
    for _ in range(20):
        watching = ordered(watching, "faster", ())
    assert watching.speed == 16.0
    for _ in range(20):
        watching = ordered(watching, "slower", ())
    assert watching.speed == 1 / 16
    assert SPEEDS[0] == 1 / 16


def test_jumps_land_before_the_next_fall_and_the_last() -> None:
    marks = (Mark(3.0, "fell"), Mark(5.0, "placed"), Mark(7.0, "fell"))
    watching = ViewerState(10.0)
    first = ordered(watching, "fall-on", marks)
    second = ordered(first, "fall-on", marks)
    assert (first.seconds, second.seconds) == (3.0 - LEAD_S, 7.0 - LEAD_S)
    assert ordered(second, "fall-on", marks).seconds == second.seconds
    assert ordered(second, "fall-back", marks).seconds == first.seconds


def test_marks_are_what_the_rules_took_note_of_and_collapses(scenery: Scenery) -> None:
    marks = marks_of(scenery.replay, scenery)
    assert [mark.kind for mark in marks] == ["fell", "fell"]
    assert marks[0].seconds == pytest.approx(SET_OFF, abs=0.05)
    assert marks[1].text == "It falls!"


def test_any_moment_gives_the_same_picture_from_either_side(scenery: Scenery) -> None:
    later = scenery.poses(9.0)
    for moment in (2.0, SET_OFF + 0.07, 5.0, 13.0):
        once = scenery.poses(moment).copy()
        scenery.poses(0.5)
        assert np.array_equal(once, scenery.poses(moment))
    assert np.array_equal(later, scenery.poses(9.0))
    block = NAMES.index("block")
    assert scenery.poses(5.0)[block, 2] == pytest.approx(TOP, abs=1e-4)


def test_what_is_put_elsewhere_goes_there_on_an_arc(scenery: Scenery) -> None:
    heights = [scenery.poses(t)[NAMES.index("spare"), 2] for t in np.linspace(TIDY - FRAME_S, TIDY, 9)]
    assert max(heights) > heights[0] + 0.05
    assert heights[0] == pytest.approx(heights[-1], abs=1e-4)


def test_the_scene_of_a_moment_can_be_checked(scenery: Scenery) -> None:
    from teeter.engine.topple.verdict import CheckOptions, check

    assembly = assembly_at(scenery, bodies(), 13.0)
    assert [body.name for body in assembly.bodies] == list(NAMES)
    held = tuple(
        body if body.name != "base" else type(body)(body.name, body.piece, body.pose, True)
        for body in assembly.bodies
    )
    two = tuple(body for body in held if body.name != "spare")
    verdict = check(type(assembly)("moment", two), CheckOptions(settle=3e-4, workers=1))
    assert verdict.word == "stands"


def test_the_bar_shows_time_marks_and_what_holds(scenery: Scenery) -> None:
    marks = marks_of(scenery.replay, scenery)
    watching = ViewerState(END, seconds=8.5, speed=0.25, camera="free")
    line = line_at(TELLING.lines, 8.5)
    assert line is not None
    assert line.text == "It falls!"
    assert line_at(TELLING.lines, 0.5) is None
    shown = {panel.name: panel for panel in panels(watching, marks, line, "Lab", "It stands.")}
    slider = next(item for item in shown["bar"].items if isinstance(item, Slider))
    assert (slider.value, slider.high) == (8.5, END)
    assert slider.marks == tuple(mark.seconds for mark in marks)
    assert slider.shown == "0:08.5 / 0:14.0"
    buttons = [
        item
        for row in shown["bar"].items
        if isinstance(row, Row)
        for item in row.items
        if isinstance(item, Button)
    ]
    assert {button.name for button in buttons if button.is_on} == {"play", "camera-free"}
    assert "1/4 x" in {button.text for button in buttons}
    assert set(ORDERS.values()) - {"start", "end"} <= {button.name for button in buttons}
    assert "said" in shown


def test_pieces_stand_where_they_are_first_seen(scenery: Scenery) -> None:
    found = {body.name: body.pose.position for body in placed(scenery.replay, bodies())}
    assert found["block"] == pytest.approx((0.3, 0.0, 0.015), abs=1e-4)
    assert found["spare"] == pytest.approx((0.2, 0.2, 0.015), abs=1e-4)


def test_what_is_never_shown_lies_with_the_first_piece_and_not_with_the_table(scenery: Scenery) -> None:
    table, piece, unseen = NAMES
    laid = [body if body.name != table else replace(body, name=TABLE) for body in bodies()]
    poses = scenery.replay.poses.copy()
    poses[:, NAMES.index(unseen)] = np.nan
    named = tuple(
        replace_id(each, TABLE) if each.id == table else each for each in scenery.replay.meta.bodies
    )
    replay = replace(
        scenery.replay, meta=scenery.replay.meta.model_copy(update={"bodies": named}), poses=poses
    )
    bare = [replace(body, pose=NOWHERE) for body in laid]
    found = {body.name: body.pose for body in placed(replay, bare)}
    assert found[unseen] == found[piece] != found[TABLE]


def replace_id(body: BodyMeta, name: str) -> BodyMeta:
    """A body by another name."""
    return body.model_copy(update={"id": name})


def test_a_table_of_its_own_is_drawn_as_it_is_and_the_floor_not_at_all(scenery: Scenery) -> None:
    own = BodyMeta(id=TABLE, spec={**SPEC, "shape": {"box": [300, 200, 20]}}, fixed=True)
    plain = BodyMeta(id=TABLE, model=TABLE, fixed=True)
    floor = BodyMeta(id=FLOOR, model=FLOOR, fixed=True)
    extents = {}
    for table in (own, plain):
        meta = scenery.replay.meta.model_copy(update={"bodies": (table, floor)})
        (found,) = bodies_of(replace(scenery.replay, meta=meta))
        extents[table.model] = tuple(found.piece.extents)
    assert extents[None] == pytest.approx((0.3, 0.2, 0.02))
    assert extents[TABLE] != extents[None]


def test_captions_say_who_acted_last_and_leave_out_turns_and_empty_lines(scenery: Scenery) -> None:
    acts = (
        (240, {"type": "input", "input": {"type": "Take", "player": "Ana"}, "story": ["Ana takes it.", ""]}),
        (480, {"type": "input", "input": {"type": "Placed"}, "story": ["It lies.", "- Ben's turn"]}),
        (720, {"type": "input", "input": {"type": "Take", "player": "Ben"}, "story": ["Ben takes it."]}),
        (960, {"type": "verdict", "story": ["It stands."]}),
    )
    found = telling_of(replace(scenery.replay, events=acts)).lines
    assert [(line.seconds, line.text, line.who) for line in found] == [
        (1.0, "Ana takes it.", "Ana"),
        (2.0, "It lies.", "Ana"),
        (3.0, "Ben takes it.", "Ben"),
        (4.0, "It stands.", "Ben"),
    ]


@pytest.mark.parametrize(
    ("line", "texts"),
    [
        (None, []),
        (Caption(1.0, "It falls!", ""), ["It falls!"]),
        (Caption(1.0, "Ana lets go.", "Ana"), ["Ana", "Ana lets go."]),
    ],
)
def test_what_was_told_is_shown_with_who_did_it(line: Caption | None, texts: list[str]) -> None:
    shown = {panel.name: panel for panel in panels(ViewerState(10.0), (), line, "Lab", "")}
    assert [item.text for item in shown["told"].items if isinstance(item, Text)] == texts
    assert "said" not in shown, "nothing was checked"


def test_the_camera_is_chosen_by_name() -> None:
    watching = ViewerState(10.0, seconds=4.0)
    assert ordered(watching, ORDERS["3"], ()) == replace(watching, camera="follow")
    assert ordered(watching, "check", ()) == watching


def test_a_broken_file_is_refused_before_a_window_opens(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from teeter.games.cli import app

    path = tmp_path / "bad.teeter"
    path.write_bytes(b"PK not really")
    found = CliRunner().invoke(app, ["replay", str(path)])
    assert found.exit_code == 2
    assert "bad.teeter" in found.output
    assert LAID < SET_OFF


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        ({"ended": True, "winners": ["Ben"], "reason": "no cards left"}, "Ben wins: no cards left"),
        ({"ended": False, "winners": ["Ben"], "reason": ""}, ""),
        (
            {"ended": False, "winners": ["Ben"], "reason": "broken off after 1 turn"},
            "broken off after 1 turn",
        ),
        ({"ended": 0, "winners": ["Ben"], "reason": "Ben wins: no cards left"}, "broken off"),
        ({"ended": False, "winners": [], "reason": "broken off after \u0663 turns"}, "broken off"),
    ],
)
def test_who_breaks_a_game_off_does_not_say_who_won_it(
    outcome: dict[str, object], said: str, scenery: Scenery
) -> None:
    assert result_of(scenery.replay.meta.model_copy(update={"outcome": outcome})) == said
