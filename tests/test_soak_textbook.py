"""Five hundred random scenes of eighteen kinds beside the textbook's program."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textbook_kinds import KINDS
from textbook_scenes import DEGREES, RELATIVE, Beside, beside, fault

SCENES = 500
pytestmark = pytest.mark.soak


def apart(found: Beside) -> float:
    """How much smaller teeter's margin is, in degrees."""
    return found.along - (found.statics.tilt_deg or 0.0)


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_a_kind_of_scenes(kind: int, row: Callable[..., None]) -> None:
    found = [beside(number) for number in range(kind, SCENES, len(KINDS))]
    stand = [one for one in found if one.stands and not one.statics.wedged]
    equal = [one for one in stand if abs(apart(one)) <= RELATIVE * one.along + DEGREES]
    row(
        "random scenes beside the textbook",
        kind=KINDS[kind].__name__,
        scenes=len(found),
        stand=sum(one.stands for one in found),
        fall=sum(not one.stands for one in found),
        only_wedged=sum(one.statics.wedged is not None for one in found),
        margins_equal=len(equal),
        smaller_as_not_reached=len(stand) - len(equal),
        worst_of_equal_deg=f"{max((abs(apart(one)) for one in equal), default=0.0):.5f}",
    )
    assert [(one.number, fault(one)) for one in found if fault(one)] == []
