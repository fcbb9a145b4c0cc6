"""Pieces whose mass lies off the middle of their shape: margins by closed form, falls by both engines, files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from teeter.engine.settings import GRAVITY
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.verdict import CheckOptions, check
from teeter.engine.topple.words import rows
from teeter.engine.world.body import Body
from teeter.engine.worlds import installed_engines, new_world, using
from teeter.models.ballast import weighted
from teeter.models.build import build as build_piece
from teeter.models.spec import PieceSpec
from teeter.scenes.dump import dump
from teeter.scenes.load import build, load
from teeter.scenes.scene import Scene, SceneError

BOX = PieceSpec.model_validate({"shape": {"box": [60.0, 40.0, 20.0]}})


def block(**keys: Any) -> dict[str, Any]:
    return {"id": "block", "shape": {"box": [40, 60, 100]}, "position": [0, 0, 50], "friction": 5.0} | keys


def over_the_edge(centre: float) -> Scene:
    """A block 60 mm long with its right end 40 mm over the edge of a fixed one, the table's friction aside."""
    return build(
        [
            {"id": "base", "shape": {"box": [60, 60, 20]}, "position": [0, 0, 10], "fixed": True},
            {
                "id": "loaded",
                "shape": {"box": [60, 60, 20]},
                "position": [40, 0, 30],
                "centre_of_mass": [centre, 0, 0],
            },
        ]
    )


# -- margins and falls -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("centre", "distance", "height", "downhill"),
    [
        ((5, 0, 0), 15, 50, 0),
        ((-12, 0, 20), 8, 70, 180),
        ((0, 25, -30), 5, 20, 90),
        ((0, 0, -25), 20, 25, None),
    ],
)
def test_a_loaded_block_tips_where_its_centre_of_mass_passes_the_edge(
    centre: tuple[float, float, float], distance: float, height: float, downhill: float | None
) -> None:
    """tan = d / h, with d from the centre of mass to the nearest edge and h its height."""
    found = analyse(build([block(centre_of_mass=centre)]).assembly)
    assert found.tilt_deg is not None
    assert found.tilt_deg == pytest.approx(math.degrees(math.atan2(distance, height)), rel=1e-5)
    if downhill is not None:
        assert found.tilt_direction_deg == pytest.approx(downhill, abs=1e-3)


def test_the_push_at_the_top_works_against_the_loaded_weight() -> None:
    """F = m g d / H about the edge."""
    scene = build([block(centre_of_mass=[15, 0, 0], mass=120)])
    assert analyse(scene.assembly).push_n == pytest.approx(0.120 * GRAVITY * 5 / 100, rel=1e-5)


@pytest.mark.parametrize("engine", installed_engines())
@pytest.mark.parametrize(("centre", "word"), [(-9, "topples"), (-11, "stands")])
def test_both_methods_and_every_engine_find_the_edge(engine: str, centre: float, word: str) -> None:
    """Its middle lies 10 mm past the edge: evenly filled it falls."""
    found = check(over_the_edge(centre).assembly, CheckOptions(workers=1, engine=engine))
    assert found.word == word
    assert found.statics.stands is found.dynamics.stands is (word == "stands")


@pytest.mark.parametrize("engine", installed_engines())
def test_a_loaded_piece_spins_in_flight_about_its_centre_of_mass(engine: str) -> None:
    piece = weighted(build_piece(BOX), (0.02, 0.0, 0.0))
    body = Body("loaded", piece, build([block()]).assembly.bodies[1].pose)
    with using(engine), new_world([body]) as world:
        world.launch("loaded", (0.0, 0.0, 0.0), (0.0, 0.0, 6.0))
        start = world.pose("loaded").apply(piece.centre_of_mass)
        world.run(world.rate // 10)
        moved = world.pose("loaded").apply(piece.centre_of_mass) - start
        turned = world.pose("loaded").matrix[:2, 0]
    assert np.abs(moved[:2]).max() < 2e-5
    assert moved[2] == pytest.approx(-0.5 * GRAVITY * 0.01, rel=0.05)
    assert math.atan2(turned[1], turned[0]) == pytest.approx(0.6, rel=0.02)


@pytest.mark.parametrize(("lift", "word"), [(-5, "stands"), (5, "topples")])
def test_a_weighted_ball_rights_itself_or_falls(lift: float, word: str) -> None:
    ball = {"id": "ball", "shape": {"sphere": 20}, "position": [0, 0, 20], "centre_of_mass": [0, 0, lift]}
    assert check(build([ball]).assembly, CheckOptions(workers=1)).word == word


# -- what inertia is assumed -------------------------------------------------------------------------------------


def test_the_inertia_is_that_of_an_even_fill_and_a_load_in_one_point() -> None:
    even = build_piece(BOX)
    loaded = weighted(even, (0.018, 0.0, 0.0))
    # 18 of 30 mm: three fifths of the mass lie on the skin
    masses, places = [0.4 * even.mass, 0.6 * even.mass], np.array([[0.0, 0, 0], [0.03, 0, 0]])
    centre = np.average(places, axis=0, weights=masses)
    arms = places - centre
    points = sum(m * (a @ a * np.eye(3) - np.outer(a, a)) for m, a in zip(masses, arms, strict=True))
    assert loaded.centre_of_mass == pytest.approx(centre)
    assert loaded.inertia == pytest.approx(0.4 * even.inertia + points, rel=1e-12)
    assert loaded.mass == even.mass
    assert weighted(even, (0.018, 0.0, 0.0)) is loaded


@pytest.mark.parametrize(
    "centre", [(0.0299, 0, 0), (0.01, -0.019, 0.004), (0, 0, 0.0095), (-0.02, 0.01, 0.005)]
)
def test_the_assumed_inertia_can_be_had(centre: tuple[float, float, float]) -> None:
    low, middle, high = np.linalg.eigvalsh(weighted(build_piece(BOX), centre).inertia)
    assert low > 0
    assert high <= low + middle + 1e-15


def test_no_shift_changes_nothing() -> None:
    even = build_piece(BOX)
    same = weighted(even, (0.0, 0.0, 0.0))
    assert np.array_equal(same.inertia, even.inertia)
    assert same.off_middle == pytest.approx(0)


# -- files and words ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (
            {"centre_of_mass": [20, 0, 0]},
            "centre_of_mass = [20.0, 0.0, 0.0]: lies outside the piece: in this",
        ),
        ({"centre_of_mass": [0, 0, -51]}, "up to 50 mm off the middle of its shape, and this is 51 mm"),
        ({"centre_of_mass": [0, 0]}, "centre_of_mass[3]: is missing"),
        ({"centre_of_mass": [0, 0, math.nan]}, "centre_of_mass[3] = nan: must be a finite number"),
        ({"mass": 0.0}, "mass = 0.0: must be more than 0"),
        ({"inertia": [1, 1, 3, 0, 0, 0]}, "is the inertia of nothing: its principal moments are 1, 1 and 3"),
        ({"inertia": [1, 1, -1, 0, 0, 0]}, "each must be positive"),
        ({"mass": 100, "inertia": [1e9, 1e9, 1e9, 0, 0, 0]}, "is too much for its mass"),
    ],
)
def test_a_centre_or_inertia_that_cannot_be_is_refused(keys: dict[str, Any], words: str) -> None:
    with pytest.raises(SceneError) as refused:
        build([block(**keys)])
    assert words in str(refused.value)


def test_given_moments_are_used_as_they_are_and_written_again(tmp_path: Path) -> None:
    scene = build(
        [
            block(
                mass=200,
                centre_of_mass=[1, 2, 3],
                inertia=[9e4, 8e4, 5e4, 100, -200, 300],
                rotation=[0, 0, 30],
            )
        ]
    )
    (tmp_path / "again.toml").write_text(dump(scene), encoding="utf-8")
    for found in (scene, load(tmp_path / "again.toml")):
        piece = found.assembly.bodies[1].piece
        assert piece.mass == pytest.approx(0.2)
        assert piece.centre_of_mass == pytest.approx([1e-3, 2e-3, 3e-3])
        expected = [[9e-5, 1e-7, -2e-7], [1e-7, 8e-5, 3e-7], [-2e-7, 3e-7, 5e-5]]
        assert piece.inertia == pytest.approx(np.array(expected))


def test_the_box_says_which_pieces_are_loaded() -> None:
    found = check(over_the_edge(-11).assembly, CheckOptions(workers=1))
    assert ("centre of mass", "loaded: (-11, 0, 0) mm off its middle") in rows(found)
    plain = check(build([block()]).assembly, CheckOptions(workers=1))
    assert "centre of mass" not in dict(rows(plain))
