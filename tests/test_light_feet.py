"""Heavy pieces on light feet, by both methods and in both engines."""

from __future__ import annotations

import math

import pytest

import teeter
from teeter.engine.topple.light_feet import ENOUGH, sturdy
from teeter.engine.world.body import DOWN


def on_feet(foot: float, places: list[tuple[float, float]], top: tuple[float, float, float]) -> teeter.Scene:
    pieces = [
        {"id": f"foot{at}", "shape": {"box": [foot] * 3}, "position": [x, y, foot / 2]}
        for at, (x, y) in enumerate(places)
    ]
    pieces.append({"id": "top", "shape": {"box": list(top)}, "position": [0, 0, foot + top[2] / 2]})
    return teeter.build(pieces)


SLAB = on_feet(2, [(-15, -15), (15, -15), (0, 15)], (60, 60, 20))
"""A slab of 3000 times the load of its feet: it slides at atan(0.4), before anything tips."""
CUBE = on_feet(1, [(30, 0), (-15, math.sqrt(675)), (-15, -math.sqrt(675))], (100, 100, 100))
"""A cube of a million times the mass of each foot: it tips with two of them over their outer edges on the table, 15.5
mm off and 51 mm below its centre; over their inner ones it would fall at 16.2 degrees, and stands at 16.6."""


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("engine", ["bullet", "rapier"])
@pytest.mark.parametrize(
    ("scene", "direction", "margin"),
    [(SLAB, 0.0, math.degrees(math.atan(0.4))), (CUBE, 180.0, math.degrees(math.atan(15.5 / 51)))],
    ids=["slab", "cube"],
)
def test_what_stands_on_light_feet_stands_in_the_simulation_too(
    engine: str, scene: teeter.Scene, direction: float, margin: float
) -> None:
    level = teeter.Checker(engine=engine).check(scene)
    assert level.word == "stands"
    assert level.statics is not None
    assert level.statics.tilt_deg == pytest.approx(margin, rel=1e-4)
    assert level.dynamics.sink_mm < 0.03
    steep = teeter.Checker(engine=engine, tilt_deg=0.98 * margin, tilt_direction_deg=direction)
    assert steep.check(scene).word == "stands"
    # the cube's edge meets the table after 1.7 degrees, and a tilt much beyond the margin is needed to turn it over
    over = teeter.Checker(engine=engine, tilt_deg=1.25 * margin, tilt_direction_deg=direction)
    assert over.check(scene).word == "topples"


def test_what_weighs_more_in_a_trial_is_held_up_by_as_much() -> None:
    bodies = CUBE.loaded.assembly.bodies
    heavier = {body.name: body for body in sturdy(bodies, DOWN)}
    for body in bodies:
        other = heavier[body.name]
        lift = sum(load.force[2] for load in other.loads)
        assert other.piece.mass * DOWN[2] + lift == pytest.approx(body.piece.mass * DOWN[2], rel=1e-6)
        if body.name.startswith("foot"):
            assert other.piece.mass * ENOUGH == pytest.approx(bodies[-1].piece.mass / 3, rel=0.02)
    brick = {"shape": {"box": [75, 25, 15]}}
    tower = teeter.build([brick | {"id": str(at), "position": [0, 0, 15 * at + 7.5]} for at in range(30)])
    bodies = tower.loaded.assembly.bodies
    assert sturdy(bodies, DOWN) is bodies
