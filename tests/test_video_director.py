"""Where the camera of a film looks when something comes down."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray
from video_lab import LANDS, SET_OFF, TELLING, TOP, bodies, recorded

from teeter.engine.pose import vector_of
from teeter.engine.record.motion import Collapse
from teeter.engine.view.camera import seen_at
from teeter.engine.view.panels import Text
from teeter.engine.view.render.bounds import seen
from teeter.engine.view.video.captions import _cards, clean
from teeter.engine.view.video.director import FramedCylinder, _of_collapse
from teeter.engine.view.video.exposure import (
    LENS_SAMPLES,
    OPENING_S,
    STILL_SAMPLES,
    lens_radius,
    through_lens,
)
from teeter.engine.view.video.film import Film, Recipe, film_of
from teeter.engine.view.video.make import Painter
from teeter.engine.view.video.scenery import Scenery
from teeter.engine.view.window.fonts import width_of
from teeter.engine.view.window.layout import lay_out
from teeter.engine.view.window.shapes import Fill, Letters

Array = NDArray[np.float64]
COLLAPSE = Collapse(begin=1.0, crash=10.0, end=12.0, first=0, fallen=(0, 1, 2))


def scenery() -> Scenery:
    """A tower half a metre high of two pieces, and one that sets off early, apart from it; after the crash the tower
    lies stretched out, and one piece has flown away."""
    before = np.array([[0.5, 0.0, 0.02], [0.0, 0.0, 0.05], [0.0, 0.0, 0.5]])
    after = np.array([[4.0, 0.0, -0.7], [0.0, 0.0, 0.02], [0.0, -0.5, 0.02]])

    def corners(moment: float, bodies: tuple[int, ...]) -> Array:
        return np.asarray((before if moment < COLLAPSE.crash else after)[list(bodies)])

    def around(moment: float, body: int) -> Array:
        return corners(moment, (0,) if body == 0 else (1, 2))

    return cast(Scenery, SimpleNamespace(corners=corners, around=around))


def holds(drum: FramedCylinder, x: float, y: float) -> bool:
    return float(np.hypot(x - drum.centre[0], y - drum.centre[1])) <= drum.radius + 1e-9


def test_all_that_comes_down_is_seen_though_the_first_piece_stood_apart() -> None:
    last = _of_collapse(scenery(), COLLAPSE, COLLAPSE.crash)
    for x, y in ((0.5, 0.0), (0.0, 0.0), (0.0, -0.5)):
        assert holds(last, x, y)
    assert not holds(last, 4.0, 0.0), "what flies far is let go"


def test_of_a_tower_that_has_come_down_the_wreck_is_looked_at() -> None:
    falls, lies = (_of_collapse(scenery(), COLLAPSE, moment) for moment in (COLLAPSE.crash, COLLAPSE.end))
    assert lies.half < 0.3 * falls.half
    assert holds(lies, 0.0, 0.0)
    assert holds(lies, 0.0, -0.5)
    assert not holds(lies, 4.0, 0.0), "what fell off the table is not"


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Film:
    replay = recorded(tmp_path_factory.mktemp("lab") / "lab.teeter")
    return film_of(replay, bodies(), TELLING, Recipe(slow_fall=True, size=(640, 360)))


def frames_between(film: Film, begin: float, end: float) -> list[int]:
    return np.flatnonzero((film.moments >= begin) & (film.moments <= end)).tolist()


def test_a_fall_is_seen_from_low_down_and_fills_half_of_the_frame(film: Film) -> None:
    frames = frames_between(film, SET_OFF, LANDS + 0.3)
    assert len(frames) > 10
    # the block on its pillar of air, where it stood
    tower = np.array([[x, y, z] for x in (-0.03, 0.03) for y in (-0.02, 0.02) for z in (0.0, TOP + 0.015)])
    for number in frames:
        area = seen(tower, film.shot(number).camera, film.recipe.size)
        assert area is not None
        assert area.high - area.low > 0.5
    away = film.path.eyes - film.path.targets
    elevation = np.degrees(np.arcsin(away[:, 2] / np.linalg.norm(away, axis=1)))
    assert elevation[frames].min() < elevation[frames_between(film, 5.0, 5.2)[0]] - 7


def test_a_fall_is_said_as_it_begins_and_no_card_lies_over_what_falls(film: Film) -> None:
    begin = film.motion.collapses[0].begin
    said = [panel for number in frames_between(film, begin + 0.01, LANDS) for panel in film.panels[number]]
    lines = {item for panel in said if panel.name == "line" for item in panel.items}
    assert {item.text for item in lines if isinstance(item, Text)} == {"It falls!"}
    before = film.panels[frames_between(film, SET_OFF - 0.2, SET_OFF - 0.1)[0]]
    assert "It falls!" not in str(before)
    width, height = film.recipe.size
    for number in range(0, len(film), 4):
        block = film.poses[number, film.names.index("block"), :3].astype(float)
        corners = block + np.array(list(product((-0.03, 0.03), (-0.02, 0.02), (-0.015, 0.015))))
        area = seen(corners, film.shot(number).camera, film.recipe.size)
        cards = tuple(panel for panel in film.panels[number] if panel.name == "line")
        layout = lay_out(cards, film.recipe.size, width_of)
        for shape in layout.shapes:
            if area is None or not isinstance(shape, Fill):
                continue
            rect = shape.rect
            beside = rect.x > area.right * width or rect.x + rect.width < area.left * width
            above = rect.y > (1 - area.low) * height or rect.y + rect.height < (1 - area.high) * height
            assert beside or above, number


@pytest.mark.parametrize("size", [(1280, 720), (320, 180), (720, 1280), (480, 480), (1280, 200), (100, 1000)])
def test_a_long_line_of_the_story_is_written_out_at_every_size(size: tuple[int, int]) -> None:
    why = (
        "The tower would have stood without brick 20, with 1.7 degrees in hand: it was dragged or knocked over; "
        "the tower had been 1.7 degrees from falling since move 12."
    )
    for texts in ([why], [f"{why} ", why]):
        layout = lay_out(_cards(texts, "Ana", size), size, width_of)
        lines = [shape for shape in layout.shapes if isinstance(shape, Letters)]
        assert " ".join(line.text for line in lines[:-1]) == " ".join(text.strip() for text in texts)
        assert all(
            line.x >= 0 and line.x + width_of(line.text, line.size, line.bold) <= size[0] for line in lines
        )
        assert all(0 <= line.y <= size[1] for line in lines)
    # what is too long even so ends with a whole word
    assert clean("word " * 100).endswith("word…")
    assert clean(f"{40 * 'stood '}long; it fell; {40 * 'word '}", 260) == f"{40 * 'stood '}long; it fell."


def test_what_falls_is_blurred_by_its_motion_and_nothing_else_is(film: Film) -> None:
    samples = np.array(film.samples)
    falling = frames_between(film, SET_OFF + 0.5 * (LANDS - SET_OFF), LANDS - 0.01)
    assert samples[falling].max() > 1
    still = np.setdiff1d(np.arange(len(film)), frames_between(film, SET_OFF - 0.02, LANDS + 0.1))
    assert samples[still].max() == 1
    number = falling[-2]
    opening = float(film.openings[number])
    painter = Painter(film, "rgb24")
    try:
        film.openings[number] = 0.0
        blurred = painter.paint(number).astype(int)
        film.samples[number] = 1
        sharp = painter.paint(number).astype(int)
    finally:
        film.samples[number], film.openings[number] = int(samples[number]), opening
        painter.close()
    changed = np.abs(blurred - sharp).max(axis=2) > 12
    assert 0.001 < changed.mean() < 0.2
    columns = np.nonzero(changed)[1]
    block = film.poses[number, film.names.index("block"), :3].astype(float)
    corners = block + np.array(list(product((-0.03, 0.03), (-0.02, 0.02), (-0.03, 0.03))))
    area = seen(corners, film.shot(number).camera, film.recipe.size)
    assert area is not None
    inside = (columns / 640 > area.left - 0.05) & (columns / 640 < area.right + 0.05)
    assert inside.mean() > 0.6


def test_in_a_fall_the_lens_opens_and_closes_without_a_jump(film: Film) -> None:
    falling = frames_between(film, SET_OFF, LANDS)
    assert film.openings.max() > 0.5
    assert film.openings[falling].max() > 0.1
    assert film.openings[[0, -1]].max() == 0.0
    assert np.abs(np.diff(film.openings)).max() < 2.0 / (OPENING_S * film.recipe.fps)
    assert (np.array(film.samples) >= LENS_SAMPLES * film.openings).all()


def test_the_lens_keeps_its_target_sharp_and_softens_the_rest(film: Film) -> None:
    camera = film.path.camera(0)
    cameras = [through_lens(camera, sample, 16, 1.0) for sample in range(16)]
    _, forward, up = camera.axes
    for away, least, most in ((0.0, 0.0, 0.8), (0.5 * camera.distance, 2.0, 40.0)):
        point = vector_of(np.asarray(camera.target) + away * forward + 0.02 * up)
        places = np.array([seen_at(each, (1280, 720), point) for each in cameras])
        assert least <= np.ptp(places, axis=0).max() <= most
    assert through_lens(camera, 3, 16, 0.0) == camera
    middle = np.mean([each.eye for each in cameras], axis=0)
    assert np.allclose(middle, camera.eye, atol=0.15 * lens_radius(camera.fov))


def test_a_still_is_taken_through_an_open_lens_and_at_one_moment(film: Film) -> None:
    still = replace(film, is_still=True)
    shots = list(still.exposures(0))
    assert len(shots) == STILL_SAMPLES
    assert len({shot.camera.eye for shot in shots}) == STILL_SAMPLES
    assert all(np.array_equal(shot.frame.poses, shots[0].frame.poses, equal_nan=True) for shot in shots)
    # a film that is cut off in the middle of a fall has no frame after its last
    assert len(list(still.exposures(len(still) - 1))) == STILL_SAMPLES
