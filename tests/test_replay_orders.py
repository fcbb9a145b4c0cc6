"""What the buttons and keys of the replay viewer do, and what its panels say; no window is opened."""

from __future__ import annotations

from dataclasses import replace

import pytest

from teeter.engine.view.panels import Button, Row, Slider, Text
from teeter.engine.view.video.captions import Caption
from teeter.games.play.replays import LEAD_S, Mark, ViewerState, line_at, ordered, panels

SPEEDS = ["1/16 x", "1/8 x", "1/4 x", "1/2 x", "1 x", "2 x", "4 x", "8 x", "16 x"]
FALLS = (Mark(3.0, "fell"), Mark(5.0, "fell"), Mark(6.0, "placed"), Mark(7.0, "fell"))


def shown(
    state: ViewerState, marks: tuple[Mark, ...] = (), line: Caption | None = None
) -> tuple[Slider, dict[str, Button]]:
    """The scrub bar and the buttons by name."""
    bar = next(panel for panel in panels(state, marks, line, "Lab", "") if panel.name == "bar")
    slider = next(item for item in bar.items if isinstance(item, Slider))
    rows = [item for item in bar.items if isinstance(item, Row)]
    buttons = [item for row in rows for item in row.items if isinstance(item, Button)]
    return slider, {button.name: button for button in buttons}


def test_every_speed_is_twice_the_last_and_is_written_on_its_button() -> None:
    watching, told = ViewerState(10.0, speed=1 / 16), list[str]()
    for _ in SPEEDS:
        told.append(shown(watching)[1]["faster"].text)
        watching = ordered(watching, "faster", ())
    assert told == SPEEDS
    back = []
    for _ in SPEEDS:
        back.append(watching.speed)
        watching = ordered(watching, "slower", ())
    assert back == [16.0, 8.0, 4.0, 2.0, 1.0, 0.5, 0.25, 0.125, 0.0625]
    assert watching.speed == 0.0625, "and there is none slower"
    between = replace(watching, speed=1.1)
    assert (ordered(between, "faster", ()).speed, ordered(between, "slower", ()).speed) == (2.0, 0.5)


def test_what_is_paused_stays_where_it_is() -> None:
    paused = ViewerState(10.0, seconds=4.0, is_playing=False)
    assert paused.after(2.0) == paused
    assert ordered(paused, "play", ()).after(2.0).seconds == 6.0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (ViewerState(10.0, 4.0, is_playing=True), ViewerState(10.0, 4.0, is_playing=False)),
        (ViewerState(10.0, 4.0, is_playing=False), ViewerState(10.0, 4.0, is_playing=True)),
        (ViewerState(10.0, 10.0, is_playing=False), ViewerState(10.0, 0.0, is_playing=True)),
        (
            ViewerState(10.0, 10.0, is_playing=False, backward=True),
            ViewerState(10.0, 10.0, is_playing=True, backward=True),
        ),
        (
            ViewerState(10.0, 4.0, is_playing=False, backward=True),
            ViewerState(10.0, 4.0, is_playing=True, backward=True),
        ),
    ],
)
def test_play_begins_anew_at_the_end_but_not_backward(before: ViewerState, after: ViewerState) -> None:
    assert ordered(before, "play", ()) == after


@pytest.mark.parametrize(
    ("order", "after"),
    [
        ("reverse", ViewerState(10.0, 4.0, is_playing=True, backward=True)),
        ("forces", ViewerState(10.0, 4.0, is_playing=False, forces=True)),
        ("on", ViewerState(10.0, 4.0 + 1 / 60, is_playing=False)),
        ("back", ViewerState(10.0, 4.0 - 1 / 60, is_playing=False)),
        ("start", ViewerState(10.0, 0.0, is_playing=False)),
        ("end", ViewerState(10.0, 10.0, is_playing=False)),
        ("camera-free", ViewerState(10.0, 4.0, is_playing=False, camera="free")),
        ("fork", ViewerState(10.0, 4.0, is_playing=False)),
    ],
)
def test_orders_to_a_paused_viewer(order: str, after: ViewerState) -> None:
    paused = ViewerState(10.0, 4.0, is_playing=False)
    assert ordered(paused, order, ()) == after
    if order in ("reverse", "forces"):
        again = ordered(after, order, ())
        assert (again.backward, again.forces) == (False, False)


@pytest.mark.parametrize(
    ("seconds", "order", "place"),
    [
        (0.0, "fall-on", 3.0 - LEAD_S),
        (3.0 - LEAD_S, "fall-on", 5.0 - LEAD_S),
        (9.0, "fall-back", 7.0 - LEAD_S),
        (7.0 - LEAD_S, "fall-back", 5.0 - LEAD_S),
        (9.0, "fall-on", 9.0),
        (1.0, "fall-back", 1.0),
    ],
)
@pytest.mark.parametrize("marks", [FALLS, FALLS[::-1]])
def test_a_jump_goes_to_the_nearest_fall_and_to_no_other_mark(
    seconds: float, order: str, place: float, marks: tuple[Mark, ...]
) -> None:
    assert ordered(ViewerState(10.0, seconds), order, marks).seconds == pytest.approx(place)


def test_a_fall_in_the_first_moment_is_jumped_to_from_its_beginning() -> None:
    early = (Mark(0.2, "fell"),)
    assert ordered(ViewerState(10.0, 4.0), "fall-back", early).seconds == 0.0


@pytest.mark.parametrize(
    ("seconds", "clock"), [(0.0, "0:00.0"), (59.96, "0:59.9"), (60.0, "1:00.0"), (125.37, "2:05.3")]
)
def test_the_clock_counts_minutes_and_tenths(seconds: float, clock: str) -> None:
    slider, _ = shown(ViewerState(600.0, seconds))
    assert slider.shown == f"{clock} / 10:00.0"


def test_the_bar_marks_falls_and_scores_and_says_what_its_button_will_do() -> None:
    marks = (Mark(1.0, "placed"), Mark(2.0, "score"), Mark(3.0, "fell"), Mark(4.0, "turn"))
    slider, playing = shown(ViewerState(10.0, is_playing=True), marks)
    assert slider.marks == (2.0, 3.0)
    _, paused = shown(ViewerState(10.0, is_playing=False), marks)
    assert (playing["play"].text, paused["play"].text) == ("Pause", "Play")
    assert shown(ViewerState(0.0))[0].high > 0, "a record of one moment has a bar too"


def test_a_line_stays_until_the_next_and_whose_turn_it_is_stands_out() -> None:
    lines = (Caption(1.0, "Ana lets go.", "Ana"), Caption(2.0, "It lies.", "Ben"))
    told = [line_at(lines, seconds) for seconds in (0.99, 1.0, 1.99, 2.0, 9.0)]
    assert told == [None, lines[0], lines[0], lines[1], lines[1]]
    card = next(each for each in panels(ViewerState(10.0), (), lines[0], "Lab", "") if each.name == "told")
    assert card.items == (Text("Ana", "accent", "normal", bold=True), Text("Ana lets go."))
