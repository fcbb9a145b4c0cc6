"""The camera of a person: whatever is done to it, the eye stays over the table."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from teeter.engine.view.camera import BoundingSphere
from teeter.games.core.rules import NO_HANDICAP, Handicap
from teeter.games.present.camera import CameraController, CameraHandicap

SPHERE = BoundingSphere((0.0, 0.0, 0.06), 0.25)
WINDOW = (800, 600)
EYES = {
    "free": NO_HANDICAP,
    "CT-44": Handicap(depth_cues=False),
    "CT-41": Handicap(sway_mm=15.0, sway_period_s=4.0, sway_axes=2),
    "CT-47": Handicap(spins=3),
}


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
    control.shake()
    # panels leave a third of the picture: the eye goes further away
    control.keep_clear(500.0, 760.0, WINDOW)
    for _ in range(40):
        control.step(0.03)
        assert control.camera.eye[2] > 0.0
