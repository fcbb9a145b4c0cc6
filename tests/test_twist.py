"""The twist margin beside closed forms, beside an integration of its own, and beside both engines."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import roots_jacobi
from statics_scenes import G, box, piece, pose, scene, tower

from teeter.engine.bench.rigs import piece as shaped
from teeter.engine.bench.rigs import tower as uneven_tower
from teeter.engine.bench.rigs import wood
from teeter.engine.bench.turning import FOOTINGS, mean_distance
from teeter.engine.settings import TUNING
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.topple.twist import PLACES, bearing, twist_margin
from teeter.engine.topple.verdict import check
from teeter.engine.topple.verdict_json import to_json
from teeter.engine.topple.words import rows
from teeter.engine.world.body import DOWN, Assembly, Body
from teeter.engine.worlds import Engine, installed_engines, new_world, using

MU = 0.4


def margin(assembly: Assembly) -> float:
    found = twist_margin(assembly, find_contacts(assembly), DOWN)
    assert found is not None
    return found


def weight(*bodies: Body) -> float:
    return G * sum(body.piece.mass for body in bodies)


def footing(name: str, yaw: float = 0.0) -> Body:
    shape = shaped(wood(MU), **FOOTINGS[name].shape)
    return Body(name, shape, pose(0, 0, 5e2 * float(shape.extents[2]), yaw=yaw))


@pytest.mark.parametrize("yaw", [0.0, 17.0])
@pytest.mark.parametrize("name", FOOTINGS)
def test_a_face_bears_mu_n_times_the_mean_distance_of_its_points(name: str, yaw: float) -> None:
    """2/3 R of a disc."""
    body = footing(name, yaw)
    assert margin(scene(body)) == pytest.approx(MU * weight(body) * FOOTINGS[name].mean, rel=0.01)


def test_what_turns_is_what_bears_least() -> None:
    """A broad block on a slender one turns with it on the table when that is smooth, else alone."""
    foot, block = box("foot", (20, 20, 20), pose(0, 0, 10)), box("block", (60, 60, 20), pose(0, 0, 30))
    arm = mean_distance(0.02, 0.02)
    assert margin(scene(foot, block)) == pytest.approx(MU * weight(block) * arm, rel=2e-3)
    smooth = math.sqrt(MU * 0.01)
    assert margin(scene(foot, block, mu=0.01)) == pytest.approx(smooth * weight(foot, block) * arm, rel=2e-3)


def test_a_block_that_bears_on_part_of_its_face_presses_there_like_soft_matting() -> None:
    """25 mm wide, 45 mm shared, the centre 7.5 mm from the edge: pressed over three times that, 22.5 mm, a triangle."""
    low, top = box("low", (75, 25, 15), pose(0, 0, 7.5)), box("top", (75, 25, 15), pose(30, 0, 22.5))
    x, y = np.meshgrid(22.5e-3 * (np.arange(400) + 0.5) / 400, 25e-3 * ((np.arange(200) + 0.5) / 200 - 0.5))
    presses = 1 - x / 22.5e-3
    presses /= presses.sum()
    least = min(float((presses * np.hypot(x - at, y)).sum()) for at in np.linspace(0, 15e-3, 151))
    assert margin(scene(low, top)) == pytest.approx(MU * weight(top) * least, rel=0.02)


@pytest.mark.parametrize("height", [10.0, 80.0])
def test_a_deck_that_is_turned_slides_on_its_pillars_or_tips_them(height: float) -> None:
    """F h = N w + W w / 2 where the deck bears on the far edge of pillars w wide, whose tops rub the rest."""
    pillars = [box(f"p{x}", (10, 10, height), pose(x, 0, height / 2)) for x in (-400, 400)]
    deck = box("deck", (820, 10, 10), pose(0, 0, height + 5))
    bears = weight(deck) / 2
    tips = (bears * 0.01 + weight(pillars[0]) * 0.005) / (height / 1e3)
    side = min(tips, MU * bears)
    rubs = 0.005 * math.sqrt((MU * bears) ** 2 - side**2)
    assert (tips < MU * bears) is (height > 30)
    assert margin(scene(*pillars, deck)) == pytest.approx(0.8 * side + 2 * rubs, rel=5e-3)


def test_only_bricks_that_bear_hold_an_uneven_tower() -> None:
    bodies = uneven_tower(3, 2)
    verdict = check(Assembly("uneven", bodies))
    assert verdict.pose == "rest"
    contacts = bearing(verdict.judged)
    assert contacts is not None
    pairs = {*zip(contacts.first.tolist(), contacts.second.tolist(), strict=True)}
    assert 4 + 3 <= len(pairs) < 9 + 3
    even, found = margin(tower(2)), verdict.statics.twist_n_mm
    assert found is not None
    assert 0.5 * even < found / 1e3 < 2 * even


def test_it_is_silent_where_no_level_face_presses() -> None:
    ball = Body("ball", piece(MU, sphere=10), pose(0, 0, 10))
    askew = box("askew", (20, 20, 20), pose(0, 0, 20))
    for assembly, gravity in ((scene(ball), DOWN), (scene(), DOWN), (scene(askew), (1.0, 0.0, -9.7))):
        assert twist_margin(assembly, find_contacts(assembly), gravity) is None


def test_a_check_tells_it() -> None:
    body = footing("disc 20 x 8")
    verdict = check(scene(body))
    expected = 1e3 * MU * weight(body) * FOOTINGS[body.name].mean
    assert to_json(verdict, "0")["statics"]["twist_n_mm"] == pytest.approx(expected, rel=2e-3)
    assert f"{verdict.statics.twist_n_mm:.3g} N mm turn disc 20 x 8" in dict(rows(verdict))["twist margin"]


@pytest.mark.parametrize("engine", installed_engines())
@pytest.mark.parametrize("name", ["disc 20 x 8", "ring 20, 12 x 8", "box 40 x 40 x 8", "brick"])
def test_engines_brake_what_turns_by_no_less_and_by_little_more(engine: Engine, name: str) -> None:
    """What spins is braked by less than the margin, and speeds up by more than points at the rim bear."""
    body = footing(name)
    even = margin(scene(body))
    rim = even * FOOTINGS[name].farthest / FOOTINGS[name].mean

    def spin_after(torque: float) -> float:
        with using(engine), new_world(scene(body).bodies, tuning=TUNING) as world:
            world.settle()
            world.launch(name, (0.0, 0.0, 0.0), (0.0, 0.0, 20.0))
            for _ in range(world.rate // 10):
                world.push(name, (0.0, 0.0, 0.0), torque=(0.0, 0.0, torque))
                world.run()
            return float(world.motion(name)[1][2])

    assert spin_after(0.9 * even) < 18.0
    assert spin_after(1.5 * rim) > 22.0


@pytest.mark.parametrize(("count", "growth"), PLACES)
def test_the_places_are_those_of_gauss_and_jacobi(count: int, growth: int) -> None:
    place, share = PLACES[count, growth]
    found, weight = roots_jacobi(count, 0.0, float(growth))
    assert np.allclose(place, (found + 1) / 2, rtol=1e-14, atol=0.0)
    assert np.allclose(share, weight / weight.sum(), rtol=1e-14, atol=0.0)
