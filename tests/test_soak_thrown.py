"""Nothing goes through a card, however thin, loose or held: a thousand throws at each, in both engines."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from teeter.engine.bench.falls import THICKNESSES, tunnelling
from teeter.engine.bench.motion import SETTINGS
from teeter.engine.world import pace
from teeter.engine.worlds import installed_engines, using

THROWS = 1000
SEED = 36
HELD = {"loose": False, "held": True}
TITLE = "Thrown through cards"
HERE = [who for who in ("bullet in play", "rapier") if SETTINGS[who][0] in installed_engines()]


@pytest.mark.soak
@pytest.mark.parametrize("lies", HELD)
@pytest.mark.parametrize("thick", THICKNESSES)
@pytest.mark.parametrize("who", HERE)
def test_nothing_goes_through_a_card(row: Callable[..., None], who: str, thick: float, lies: str) -> None:
    engine, tuning = SETTINGS[who]
    with using(engine):
        found = tunnelling(THROWS, thick, tuning, SEED, HELD[lies])
    through = f"{found.value:g}"
    row(TITLE, engine=who, mm=thick, card=lies, steps="in parts", thrown=THROWS, through=through)
    assert found.holds


@pytest.mark.soak
@pytest.mark.parametrize("thick", THICKNESSES)
def test_in_whole_steps_things_go_through(
    row: Callable[..., None], monkeypatch: pytest.MonkeyPatch, thick: float
) -> None:
    """What finer steps are for, and that the throws above are able to find it."""
    monkeypatch.setattr(pace, "PARTS", (1,))
    who, count = HERE[0], THROWS // 5
    engine, tuning = SETTINGS[who]
    with using(engine):
        found = tunnelling(count, thick, tuning, SEED, held=False)
    through = f"{found.value:g}"
    row(TITLE, engine=who, mm=thick, card="loose", steps="whole", thrown=count, through=through)
    assert found.value > 0
