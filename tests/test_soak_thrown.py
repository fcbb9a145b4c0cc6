"""Nothing goes through a card, however thin, loose or held: a thousand throws at each, in both engines."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hostile_throws import KINDS, throw

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


@pytest.mark.soak
@pytest.mark.parametrize("kind", range(len(KINDS)))
@pytest.mark.parametrize("who", HERE)
def test_hostile_throws(row: Callable[..., None], who: str, kind: int) -> None:
    """What goes in deep comes out again, and takes no energy with it that was not there before a blow."""
    engine, tuning = SETTINGS[who]
    with using(engine):
        found = [throw(number, tuning) for number in range(kind, THROWS, len(KINDS))]
    most = {
        name: float(np.max([getattr(each, name) for each in found]))
        for name in ("deepest", "share", "moved", "gained", "kept")
    }
    row(
        "Hostile throws",
        engine=who,
        scene=KINDS[kind].__name__.replace("_", " "),
        thrown=len(found),
        through=sum(each.through for each in found),
        deepest_mm=most["deepest"],
        deepest_of_thinner=most["share"],
        moved_in_a_part_of_thinner=most["moved"],
        energy_gained_pct=100 * most["gained"],
        beyond_a_blow_pct=100 * most["kept"],
    )
    assert not any(each.through for each in found)
    assert most["deepest"] < 1.5
    # a third, and what a fall adds in a step
    assert most["moved"] < 0.34
    # what turns freely in Rapier gains up to 0.5 %
    assert most["kept"] < (0.01 if engine == "rapier" else 0.005)
