"""How surely a scene stands: against closed forms, and against a simulation of every sample."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from noise_scenes import SCENES, at_edge
from statics_scenes import box, pose, scene
from typer.testing import CliRunner

from teeter.engine.topple.balance.rolled import carried_on
from teeter.engine.topple.balance.safety_margin import safe_verdict, widened
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.topple.laboratory.noise import Noise, Sample, chance, counted, noisy, sample, wilson
from teeter.engine.world.body import Assembly
from teeter.games.cli import app
from teeter.scenes.load import load

DOWN = (0.0, 0.0, -9.81)


# -- the interval ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stood", "samples", "low", "high"),
    [(181, 200, 0.8564, 0.9383), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (1, 1, 0.2065, 1.0)],
)
def test_wilson_interval(stood: int, samples: int, low: float, high: float) -> None:
    """Worked values; for 0 of n the upper end is z^2 / (n + z^2)."""
    assert wilson(stood, samples) == pytest.approx((low, high), abs=1e-4)


@pytest.mark.parametrize("p", [0.5, 0.8, 0.9, 0.97])
def test_the_interval_covers_the_truth_as_often_as_it_says(p: float) -> None:
    """Exact coverage over the binomial distribution."""
    n = 200
    weights = [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    covered = sum(w for k, w in enumerate(weights) if wilson(k, n)[0] <= p <= wilson(k, n)[1])
    assert 0.92 <= covered <= 0.98


@pytest.mark.slow
def test_a_brick_near_the_edge_stands_as_often_as_the_normal_distribution_says() -> None:
    """It stands while its centre is over the table: with probability Phi(inside / sigma)."""
    found = chance(at_edge(1.0), Noise(position=1e-3, seed=5), 160)
    truth = 0.5 * (1 + math.erf(1 / math.sqrt(2)))
    assert found.share == pytest.approx(truth, abs=3.5 * math.sqrt(truth * (1 - truth) / 160))
    assert found.first == {"b": found.samples - found.stood}
    assert min(found.judged.values()) > 10


# -- noise -----------------------------------------------------------------------------------------------------


def test_noise_has_the_spread_that_was_asked_for() -> None:
    brick = box("a", (60, 30, 15), pose(0, 0, 7.5, yaw=30))
    moves, turns, slopes = [], [], []
    for number in range(600):
        copy, gravity = noisy(scene(brick), Noise(2e-3, math.radians(1.5), seed=4), number, DOWN)
        here = copy.free[0].pose
        assert here.position[2] == brick.pose.position[2]
        moves.append(np.subtract(here.position, brick.pose.position)[:2])
        turn = here.matrix @ brick.pose.matrix.T
        turns.append(math.atan2(turn[1, 0], turn[0, 0]))
        assert np.linalg.norm(gravity) == pytest.approx(9.81)
        slopes.append(
            np.arctan2(np.hypot(*gravity[:2]), -gravity[2]) * np.array(gravity[:2]) / np.hypot(*gravity[:2])
        )
    assert np.std(moves, axis=0) == pytest.approx([2e-3, 2e-3], rel=0.1)
    # a point at half the length of 60 mm moves by 2 mm
    assert np.std(turns) == pytest.approx(2 / 30, rel=0.1)
    assert np.std(slopes, axis=0) == pytest.approx([math.radians(1.5)] * 2, rel=0.1)
    assert np.abs(np.mean(moves, axis=0)).max() < 3e-4


def test_random_numbers_are_common_to_designs_that_share_pieces() -> None:
    one = scene(box("a", (60, 30, 15), pose(0, 0, 7.5)), box("b", (60, 30, 15), pose(5, 0, 22.5)))
    two = scene(box("b", (50, 30, 15), pose(5, 0, 7.5)), box("c", (60, 30, 15), pose(0, 0, 22.5)))
    noise = Noise(2e-3, 0.01, seed=9)
    (first, pull), (second, other_pull) = noisy(one, noise, 3, DOWN), noisy(two, noise, 3, DOWN)
    shift = [
        np.subtract(copy.free[at].pose.position, design.free[at].pose.position)
        for copy, design, at in ((first, one, 1), (second, two, 0))
    ]
    assert np.allclose(shift[0], shift[1], atol=1e-15)
    assert pull == other_pull
    assert noisy(one, noise, 4, DOWN)[0].free[1].pose != first.free[1].pose
    assert noisy(one, replace(noise, seed=8), 3, DOWN)[0].free[1].pose != first.free[1].pose


def test_supports_stay_and_friction_lies_in_its_range() -> None:
    fixed = box("wall", (20, 20, 60), pose(80, 0, 30), fixed=True)
    values = []
    for number in range(200):
        copy, _ = noisy(
            scene(box("a", (60, 30, 15), pose(0, 0, 7.5)), fixed), Noise(friction=(0.3, 0.5)), number, DOWN
        )
        assert copy.bodies[2].pose == fixed.pose
        assert copy.bodies[1].pose == pose(0, 0, 7.5)
        values.append(copy.bodies[1].piece.material.friction)
    assert min(values) > 0.3
    assert max(values) < 0.5
    assert np.mean(values) == pytest.approx(0.4, abs=0.015)


def test_the_same_for_any_number_of_workers_and_every_time() -> None:
    noise = Noise(1.5e-3, seed=2)
    found = [chance(at_edge(1.0), noise, 12, workers=workers) for workers in (1, 2, 1)]
    facts = [(one.samples, one.stood, one.first, one.judged) for one in found]
    assert facts[0] == facts[1] == facts[2]
    assert 0 < found[0].stood < 12


def test_it_stops_when_the_interval_is_narrow_enough() -> None:
    sure = chance(load("two_bricks").assembly, Noise(1e-3), 1000, until=0.1)
    assert (sure.samples, sure.stood, sure.stopped) == (50, 50, True)
    assert sure.high - sure.low <= 0.1
    assert not chance(load("two_bricks").assembly, Noise(1e-3), 40, until=0.01).stopped


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Noise(position=float("nan")), "position"),
        (lambda: Noise(tilt=-1.0), "tilt"),
        (lambda: Noise(friction=(0.5, 0.3)), "smaller one comes first"),
        (lambda: chance(scene(), Noise(), 0), "at least one"),
        (lambda: chance(scene(), Noise(), 10, until=1.5), "between 0 and 1"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


# -- where statics may decide alone ----------------------------------------------------------------------------


def test_contact_areas_grow_and_shrink_on_all_sides() -> None:
    contacts = find_contacts(
        scene(box("a", (60, 30, 15), pose(0, 0, 7.5, yaw=20)), box("b", (9, 9, 9), pose(0, 0, 19.5)))
    )
    for by in (-1e-3, 2e-3):
        other = widened(contacts, by)
        for patch, size in ((0, (0.06, 0.03)), (1, (0.009, 0.009))):
            points = other.points[other.patch == patch]
            sides = np.linalg.norm(np.diff([*points, points[0]], axis=0), axis=1)
            assert sorted(sides) == pytest.approx(sorted(np.add(size * 2, 2 * by)), abs=1e-9)
    assert len(widened(contacts, -5e-3).points) == 4


@pytest.mark.parametrize(("inside", "expected"), [(0.7, True), (0.3, None), (-0.3, None), (-0.7, False)])
def test_statics_decides_beyond_half_a_millimetre(inside: float, expected: bool | None) -> None:
    found = safe_verdict(at_edge(inside))
    assert (None if found is None else found.stands) is expected


def test_what_falls_onto_something_near_is_left_to_the_simulation() -> None:
    """Tipping by 0.3 mm and lying on a neighbour is no fall."""
    base = box("base", (40, 40, 90), pose(0, 0, 45))
    beam = box("beam", (100, 20, 10), pose(25, 0, 95))
    neighbour = box("low", (20, 20, 89.7), pose(60, 0, 44.85))
    assert safe_verdict(scene(base, beam)) == safe_verdict(
        scene(base, beam, box("far", (20, 20, 5), pose(60, 0, 2.5)))
    )
    assert safe_verdict(scene(base, beam)) is not None
    assert safe_verdict(scene(base, beam, neighbour)) is None
    assert sample(scene(base, beam, neighbour), Noise(), 0).stands


def test_a_screw_motion_about_an_edge_stays_on_its_circle() -> None:
    body = box("a", (40, 20, 10), pose(0, 0, 5))
    spin, edge = np.array([0.0, 3.0, 0.0]), np.array([0.02, 0.0, 0.0])
    velocity = np.cross(spin, np.asarray(body.pose.position) - edge)
    moved = carried_on(body, (velocity[0], velocity[1], velocity[2]), (0.0, 3.0, 0.0), 0.2)
    corner = moved.apply(np.array([0.02, 0.0, -0.005]))
    assert corner == pytest.approx(edge, abs=1e-12)
    assert math.degrees(math.acos(moved.matrix[0, 0])) == pytest.approx(math.degrees(0.6))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "mm", "deg"), [each[1:] for each in SCENES], ids=[each[0] for each in SCENES]
)
@pytest.mark.sampled(3)
def test_the_rule_changes_no_verdict_of_the_simulation(
    make: Callable[[], Assembly], mm: float, deg: float
) -> None:
    """Ours, sample by sample, beside the simulation of every one. The soak goes on to 150 of each scene."""
    assembly, noise = make(), Noise(mm / 1e3, math.radians(deg), seed=7)
    ours = [sample(assembly, noise, number) for number in range(4)]
    theirs = [sample(assembly, noise, number, simulate=True) for number in range(4)]
    assert [one.stands for one in ours] == [one.stands for one in theirs]
    assert all(one.judge == "dynamics" for one in theirs)


def test_counting() -> None:
    taken = [Sample(True, None, "statics"), Sample(False, "b", "dynamics"), Sample(False, "a", "statics")] * 2
    found = counted(Noise(), [*taken, Sample(False, "b", "statics")])
    assert (found.stood, found.samples, list(found.first.items())) == (2, 7, [("b", 3), ("a", 2)])
    assert found.judged == {"statics": 5, "dynamics": 2}


# -- the command -----------------------------------------------------------------------------------------------


def teeter(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(words))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def test_check_tells_the_noise() -> None:
    words = ("check", "two_bricks", "--noise", "4", "--tilt-noise", "0.5", "--samples", "20", "--seed", "3")
    code, out, err = teeter(*words, "--workers", "1", "--json")
    found = json.loads(out)["noise"]
    assert (code, err) == (0, "")
    assert found.keys() >= {"samples", "stood", "p_stand", "low", "high", "position_mm", "tilt_deg", "seed"}
    assert (found["samples"], found["position_mm"], found["tilt_deg"], found["seed"]) == (20, 4.0, 0.5, 3)
    assert found["p_stand"] == found["stood"] / 20
    assert (found["low"], found["high"]) == pytest.approx(wilson(found["stood"], 20), abs=1e-6)
    assert Counter(found["first_to_move"]).total() == 20 - found["stood"]
    code, out, _ = teeter(*words, "--workers", "1")
    assert "how surely" in out
    assert f"stood {found['stood']} of 20" in out


def test_check_without_noise_has_no_noise() -> None:
    assert "noise" not in json.loads(teeter("check", "two_bricks", "--workers", "1", "--json")[1])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--noise", "nan"), "--noise = nan"),
        (("--noise", "-1"), "--noise = -1"),
        (("--tilt-noise", "inf"), "--tilt-noise = inf"),
        (("--noise", "1", "--samples", "-5"), "--samples = -5"),
        (("--noise", "1", "--samples", "0"), "--samples = 0"),
        (("--noise", "1", "--until", "2"), "--until = 2"),
        (("--samples", "20"), "give --noise"),
        (("--friction-range", "0.5:0.3"), "the smaller one first"),
        (("--friction-range", "smooth"), "0.3:0.5"),
    ],
)
def test_bad_noise_is_refused(words: tuple[str, ...], message: str) -> None:
    code, out, err = teeter("check", "two_bricks", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
