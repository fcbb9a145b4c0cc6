"""The camera of a person: whatever is done to it, the eye stays over the table."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from teeter.engine.view.camera import BOX_CORNERS, WHOLE, BoundingSphere, Camera, Clear, Orbit, all_seen_at
from teeter.games.core.rules import NO_HANDICAP, Handicap
from teeter.games.present.camera import CameraController, CameraHandicap, Gliding
from teeter.models.piece import Array

SPHERE = BoundingSphere((0.0, 0.0, 0.06), 0.25)
WINDOW = (800, 600)
EYES = {
    "free": NO_HANDICAP,
    "CT-44": Handicap(depth_cues=False),
    "CT-41": Handicap(sway_mm=15.0, sway_period_s=4.0, sway_axes=2),
    "CT-47": Handicap(spins=3),
}

NOTHING: Array = np.zeros((0, 3))
PICTURES: dict[str, tuple[tuple[int, int], Clear]] = {
    "wide": ((1280, 720), (0.27, 0.02, 0.8, 0.98)),
    "narrow": ((800, 600), (0.33, 0.02, 0.74, 0.8)),
    "a phone": ((390, 844), (0.0, 0.07, 1.0, 0.52)),
}
"""Sizes, and what panels leave free of them."""


def tower(high: float, x: float = 0.0) -> Array:
    return BOX_CORNERS * (0.0375, 0.0375, high / 2) + (x, 0.0, high / 2)


@pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES)
@pytest.mark.parametrize("high", [0.14, 0.27, 0.5])
def test_the_tower_takes_half_of_what_panels_leave_free(
    picture: tuple[tuple[int, int], Clear], high: float
) -> None:
    size, clear = picture
    control = CameraController(SPHERE, CameraHandicap(NO_HANDICAP))
    control.frame(tower(high), NOTHING, size[0] / size[1], clear)
    left, top, right, bottom = (part * side for part, side in zip(clear, (*size, *size), strict=True))
    seen = all_seen_at(control.camera, size, tower(high))
    assert 0.5 < float(np.ptp(seen[:, 1])) / (bottom - top) < 0.6
    assert np.allclose((seen.min(axis=0) + seen.max(axis=0))[0] / 2, (left + right) / 2, atol=0.05 * size[0])
    # what may be taken is seen too
    supply = tower(0.05, 0.5)
    control.go_home()
    control.frame(tower(high), supply, size[0] / size[1], clear)
    for _ in range(200):
        control.step(0.02)
    seen = all_seen_at(control.camera, size, supply)
    assert (seen > (left, top)).all()
    assert (seen < (right, bottom)).all()


def test_the_camera_never_jumps() -> None:
    control = CameraController(SPHERE, CameraHandicap(NO_HANDICAP))
    control.frame(tower(0.27), NOTHING, 16 / 9, WHOLE)
    begin = np.array(control.camera.eye)
    control.frame(tower(0.5, 0.3), NOTHING, 16 / 9, WHOLE)
    places = [begin]
    for _ in range(100):
        control.step(0.02)
        places.append(np.array(control.camera.eye))
    way = np.linalg.norm(np.array(places) - places[-1], axis=1) / np.linalg.norm(begin - places[-1])
    assert way[10] > 0.2, "after 0.2 s it still is on its way"
    assert way[40] < 0.05


def test_the_eye_glides_to_a_director_and_back() -> None:
    own, other = (
        Orbit((0.0, 0.0, 0.1), 0.9, -72.0, 24.0).camera,
        Orbit((0.1, 0.0, 0.05), 0.6, 20.0, 8.0).camera,
    )
    gliding = Gliding()
    assert gliding.step(None, own, 0.03) == own
    away = [math.dist(gliding.step(other, own, 0.02).eye, own.eye) for _ in range(100)]
    assert away[0] < 0.03 < 0.2 < away[20]
    assert away[-1] == pytest.approx(math.dist(other.eye, own.eye), rel=0.01)
    assert max(abs(later - before) for before, later in pairwise(away)) < 0.06
    for _ in range(200):
        back = gliding.step(None, own, 0.02)
    assert back == own


@pytest.mark.parametrize("eye", EYES.values(), ids=EYES)
@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(*[st.floats(-600.0, 600.0)] * 2, st.booleans()), max_size=6), st.floats(-12.0, 12.0)
)
def test_the_eye_stays_over_the_table(
    eye: Handicap, drags: list[tuple[float, float, bool]], notches: float
) -> None:
    control = CameraController(SPHERE, CameraHandicap(eye))
    for right, down, is_pan in drags:
        control.drag(right, down, WINDOW[1], is_pan=is_pan)
        control.zoom(notches / 3.0, (0.4, 0.2, 0.1))
    # panels leave a third of the picture
    control.frame(tower(0.27), NOTHING, WINDOW[0] / WINDOW[1], (0.62, 0.0, 0.95, 1.0))
    for _ in range(40):
        control.step(0.03)
        assert control.camera.eye[2] > 0.0


def test_what_fills_a_picture_fills_the_part_above_a_bar() -> None:
    whole = Camera((0.3, -1.1, 0.4), (0.02, 0.01, 0.1))
    across, _, up = whole.axes
    reach = math.tan(math.radians(whole.fov) / 2) * whole.distance
    corners = np.array(
        [whole.target + reach * (x * across + z * up) for x in (-1.5, 0, 1.5) for z in (-1, 0, 1)]
    )
    before, after = (all_seen_at(camera, (900, 600), corners) for camera in (whole, whole.above(0.7)))
    assert after[:, 1] + 0.5 == pytest.approx(0.7 * (before[:, 1] + 0.5))
    assert after[:, 0] - 449.5 == pytest.approx(0.7 * (before[:, 0] - 449.5))
    assert whole.above(1.0).eye == pytest.approx(whole.eye)
