"""Where the camera of a film looks when something comes down."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.record.motion import Collapse
from engine.view.video.director import CLOSE_S, FramedCylinder, _of_collapse
from engine.view.video.scenery import Scenery

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
        return corners(moment, (body,))

    return cast(Scenery, SimpleNamespace(corners=corners, around=around))


def holds(drum: FramedCylinder, x: float, y: float) -> bool:
    return float(np.hypot(x - drum.centre[0], y - drum.centre[1])) <= drum.radius + 1e-9


@pytest.mark.parametrize("name", ["director", "follow"])
def test_all_that_comes_down_is_seen_though_the_first_piece_stood_apart(name: str) -> None:
    last = _of_collapse("director" if name == "director" else "follow", scenery(), COLLAPSE, COLLAPSE.end)
    for x, y in ((0.5, 0.0), (0.0, 0.0), (0.0, -0.5)):
        assert holds(last, x, y)
    assert not holds(last, 4.0, 0.0), "what flies far is let go"


def test_the_piece_that_sets_off_is_seen_close() -> None:
    moment = COLLAPSE.crash - CLOSE_S
    near = _of_collapse("director", scenery(), COLLAPSE, moment)
    wide = _of_collapse("follow", scenery(), COLLAPSE, moment)
    assert near.radius < wide.radius
    assert near.centre[:2] == pytest.approx((0.5, 0.0))
