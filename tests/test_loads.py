"""Loads beside closed forms: an acceleration of the table, weights and forces at a place, the wind; in statics and in
both engines, through the command, in files."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scipy.optimize import brentq
from typer.testing import CliRunner

import teeter
from teeter.engine.geometry.wind import with_wind
from teeter.engine.topple.balance.answer import Statics
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.topple.load_factors import load_factors
from teeter.engine.world.body import DOWN
from teeter.engine.worlds import installed_engines
from teeter.games.api.scene import PublicScene
from teeter.games.cli import app
from teeter.scenes.schema import tables_of_all

G = 9.81
BLOCK = {"id": "b", "shape": {"box": [20, 20, 60]}, "mass": 100, "position": [0, 0, 30]}
STONE = {"density": 2000, "friction": 0.45}


def run_teeter(*words: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def factors(scene: PublicScene, **options: Any) -> dict[str, float | None]:
    """The factor of every load."""
    found = teeter.check(scene, workers=1, **options)
    return {load.name: load.factor for load in found.statics.factors}


def block(*loads: dict[str, Any], **more: Any) -> PublicScene:
    """A block of 20 x 20 x 60 mm and 100 g."""
    return teeter.build([BLOCK | more], loads=[{"piece": "b"} | load for load in loads])


@pytest.mark.parametrize(("friction", "limit"), [(0.6, 20 / 60), (0.2, 0.2)])
def test_a_block_tips_at_b_over_h_or_slides_at_mu(friction: float, limit: float) -> None:
    scene = block()
    for bearing in (0.0, 90.0):
        asked = {"friction": friction, "accelerate_g": 0.1, "direction_deg": bearing}
        assert factors(scene, **asked)["acceleration"] == pytest.approx(limit / 0.1, rel=1e-5)


@pytest.mark.parametrize("engine", installed_engines())
@pytest.mark.parametrize(("share", "word"), [(0.9, "stands"), (1.1, "topples")])
@pytest.mark.parametrize("friction", [0.6, 0.2])
def test_engines_agree_about_an_accelerated_block(
    engine: str, share: float, word: str, friction: float
) -> None:
    limit = min(friction, 20 / 60)
    found = teeter.check(block(), accelerate_g=share * limit, friction=friction, engine=engine, workers=1)
    assert found.word == word


def test_the_seismic_coefficient_of_a_wall_is_its_thickness_over_its_height() -> None:
    """Running bond, half blocks at the ends: across its plane it tips as one about its foot."""
    rows, thick, tall = 4, 24.0, 20.0
    pieces: list[dict[str, Any]] = []
    for row in range(rows):
        widths = [60.0] * 3 if row % 2 == 0 else [30.0, 60.0, 60.0, 30.0]
        x = -90.0
        for width in widths:
            place = [x + width / 2, 0, (row + 0.5) * tall]
            shape = {"box": [width, thick, tall]}
            name = f"{row}.{len(pieces)}"
            pieces.append({"id": name, "shape": shape, "position": place, "material": STONE})
            x += width
    found = teeter.check(teeter.build(pieces), accelerate_g=0.1, direction_deg=90, friction=0.6, workers=1)
    (load,) = found.statics.factors
    assert load.factor == pytest.approx(10 * thick / (rows * tall), rel=1e-4)


def test_a_weight_tips_a_slab_over_the_edge_of_its_pier() -> None:
    """Moments about the edge: m (70 - 20) = M 20."""
    pier = {"id": "pier", "shape": {"box": [40, 40, 40]}, "position": [0, 0, 20], "mass": 500}
    slab = {"id": "slab", "shape": {"box": [160, 40, 10]}, "position": [0, 0, 45], "mass": 200}
    scene = teeter.build([pier, slab], loads=[{"piece": "slab", "at": [70, 0, 5], "mass": 40}])
    assert factors(scene)["load 1"] == pytest.approx(200 * 20 / 50 / 40, rel=1e-5)
    assert scene.pieces["slab"].mass_g == pytest.approx(240)
    heavy = teeter.build([pier, slab], loads=[{"piece": "slab", "at": [70, 0, 5], "mass": 84}])
    found = teeter.check(heavy, workers=1)
    assert found.word == "topples"
    (load,) = found.statics.factors
    assert load.without
    assert load.factor == pytest.approx(80 / 84, rel=1e-5)


def test_what_needs_its_counterweight_says_how_much() -> None:
    """Deck 55 mm off the pier's middle, half width 20: it needs m (20 + 40) >= M 35."""
    pier = {"id": "pier", "shape": {"box": [40, 40, 40]}, "position": [0, 0, 20], "mass": 500}
    deck = {"id": "deck", "shape": {"box": [200, 40, 10]}, "position": [55, 0, 45], "mass": 100}
    scene = teeter.build([pier, deck], loads=[{"piece": "deck", "at": [-95, 0, 5], "mass": 80, "id": "cw"}])
    (load,) = teeter.check(scene, workers=1).statics.factors
    assert load.least == pytest.approx(100 * 35 / 60 / 80, rel=1e-5)
    # about the other edge: m (40 - 20) <= M (55 + 20)
    assert load.factor == pytest.approx(100 * 75 / 20 / 80, rel=1e-5)
    assert not load.without


@pytest.mark.parametrize("engine", installed_engines())
def test_a_force_at_the_top_tips_at_half_the_weight_times_b_over_h(engine: str) -> None:
    limit = 0.1 * G * 10 / 60
    scene = block({"at": [0, 0, 30], "force": [0, limit / 2, 0]}, friction=0.6)
    assert factors(scene, engine=engine)["load 1"] == pytest.approx(2.0, rel=1e-5)
    for share, word in ((0.9, "stands"), (1.1, "topples")):
        pushed = block({"at": [0, 0, 30], "force": [0, share * limit, 0]}, friction=0.6)
        assert teeter.check(pushed, engine=engine, workers=1).word == word


def test_loads_grow_together_and_one_by_one() -> None:
    """The moments of both forces about the edge are what one limit allows."""
    limit = 0.1 * G * 10 / 60
    loads = [{"at": [0, 0, 30], "force": [0, share * limit, 0]} for share in (0.2, 0.3)]
    found = factors(block(*loads, friction=0.6))
    assert found == {
        "load 1": pytest.approx((1 - 0.3) / 0.2, rel=1e-5),
        "load 2": pytest.approx((1 - 0.2) / 0.3, rel=1e-5),
        "together": pytest.approx(1 / (0.2 + 0.3), rel=1e-5),
    }


def test_a_mass_that_grows_with_its_acceleration() -> None:
    """Of k times both, moments about the edge: k a (30 M + 60 k m) = 10 (M + k m)."""
    scene = block({"at": [0, 0, 30], "mass": 25}, friction=0.9)
    found = factors(scene, accelerate_g=0.1)
    a, b, c = 0.1 * 60 * 25, 0.1 * 30 * 100 - 10 * 25, -10 * 100
    assert found["together"] == pytest.approx((-b + math.sqrt(b * b - 4 * a * c)) / (2 * a), rel=1e-4)


def test_a_tilt_under_a_force_that_tilts_with_the_table() -> None:
    force = 0.08
    scene = block({"at": [0, 0, 0], "force": [force, 0, 0]}, friction=0.9)
    found = teeter.check(scene, workers=1)

    def moment(angle: float) -> float:
        return 0.1 * G * (30 * math.sin(angle) - 10 * math.cos(angle)) + force * 30

    assert math.radians(found.statics.tilt_deg or 0) == pytest.approx(brentq(moment, 0, 1), rel=1e-5)
    limit = math.degrees(brentq(moment, 0, 1))
    for tilt, word in ((0.9 * limit, "stands"), (1.1 * limit, "topples")):
        assert teeter.check(scene, tilt_deg=tilt, workers=1).word == word


@pytest.mark.parametrize(("share", "friction"), [(0.49, 0.5), (0.9, 1.2), (1.0, 1.2), (0.1, 1.2)])
def test_a_tilt_under_an_acceleration_that_does_not_turn_with_gravity(share: float, friction: float) -> None:
    """It slides where sin t + a = mu cos t, unless it tips first, where sin t + a = cos t b / h; what is left of a
    tilt is the rest."""
    flat = teeter.build(
        [
            {
                "id": "slab",
                "shape": {"box": [200, 200, 20 if friction < 1.2 else 100]},
                "position": [0, 0, 10 if friction < 1.2 else 50],
            }
        ]
    )
    least = min(friction, 10.0 if friction < 1.2 else 2.0)
    limit = math.degrees(brentq(lambda t: math.sin(t) + share - least * math.cos(t), 0, 1.5, xtol=1e-12))
    for tilt in (0.0, limit / 2):
        found = teeter.check(flat, accelerate_g=share, friction=friction, tilt_deg=tilt, workers=1)
        assert found.word == "stands"
        assert found.statics.tilt_deg == pytest.approx(limit - tilt, abs=2e-4)
    (row,) = teeter.check_many([flat], accelerate_g=share, friction=friction, workers=1)
    assert row.tilt_deg == pytest.approx(limit, abs=2e-4)


@pytest.mark.parametrize(("share", "word"), [(0.8, "stands"), (1.4, "topples")])
def test_a_force_on_a_ball_with_a_low_centre_of_mass(share: float, word: str) -> None:
    """It turns about its middle: W c holds it up, a dead force P at the top turns it over from P R = W c."""
    limit = 0.1 * G * 10 / 25
    ball = {"id": "ball", "shape": {"sphere": 25}, "mass": 100, "position": [0, 0, 25]}
    scene = teeter.build(
        [ball | {"centre_of_mass": [0, 0, -10]}],
        loads=[{"piece": "ball", "at": [0, 0, 25], "force": [0, 0, -share * limit]}],
    )
    found = teeter.check(scene, workers=1)
    assert found.word == word
    (load,) = found.statics.factors
    assert load.factor == pytest.approx(1 / share, rel=1e-3)


def judged(scene: PublicScene) -> Statics:
    """What statics alone says, with the factors."""
    contacts = find_contacts(scene.assembly)
    found = analyse(scene.assembly, contacts=contacts, margins=False)
    return replace(found, factors=load_factors(scene.assembly, contacts, found, DOWN, (0.0, 0.0, 0.0)))


def chocked(friction: float, height: float, **more: Any) -> PublicScene:
    """A cylinder of radius 20 mm and 1 N that lies between two fixed boxes."""
    away = math.sqrt(20**2 - (20 - height) ** 2)
    rough = {"material": {"density": 700, "friction": friction}}
    chock = rough | {"shape": {"box": [20, 120, height]}, "fixed": True}
    lying = rough | {"shape": {"cylinder": [20, 80]}, "rotation": [90, 0, 0], "mass": 1000 / G}
    return teeter.build(
        [
            lying | {"id": "c", "position": [0, 0, 20]},
            *(chock | {"id": f"at {x}", "position": [x * (away + 10), 0, height / 2]} for x in (-1, 1)),
            *more.pop("beside", ()),
        ],
        **more,
    )


@pytest.mark.parametrize(("friction", "height"), [(0.3, 8), (0.9, 8), (0.6, 12), (0.9, 12)])
def test_no_friction_holds_a_cylinder_that_rolls_over_its_chock(friction: float, height: float) -> None:
    """F (R - h) = W dx, in which it leaves the other chock: that squeezes nothing, however steep friction is."""
    limit = math.sqrt(20**2 - (20 - height) ** 2) / (20 - height)
    for share, stands in ((0.1, True), (0.99, True), (1.01, False)):
        scene = chocked(
            friction, height, loads=[{"piece": "c", "at": [0, 0, 0], "force": [share * limit, 0, 0]}]
        )
        statics = judged(scene)
        assert statics.stands_by_itself is stands
        (load,) = statics.factors
        assert load.factor == pytest.approx(1 / share, rel=2e-3)
        assert (load.stands, load.without) == (stands, True)


def test_what_rolls_elsewhere_calls_up_no_chock() -> None:
    ball = {"id": "ball", "shape": {"sphere": 15}, "mass": 10, "position": [0, 200, 15]}
    force = {"piece": "c", "at": [0, 0, 0]}
    for newtons, stands in ((0.1, True), (1.4, False)):
        (load,) = judged(chocked(0.9, 8, beside=[ball], loads=[force | {"force": [newtons, 0, 0]}])).factors
        assert load.factor == pytest.approx(16 / 12 / newtons, rel=2e-3)
        assert load.stands is stands


def test_a_chocked_cylinder_on_an_accelerated_table() -> None:
    """The tilt t that is left: sin t + a = cos t dx / (R - h)."""
    found = teeter.check(chocked(0.9, 8), accelerate_g=0.2, friction=0.9, workers=1)
    assert found.statics.factors[0].factor == pytest.approx(16 / 12 / 0.2, rel=2e-3)
    limit = brentq(lambda t: math.sin(t) + 0.2 - math.cos(t) * 16 / 12, 0, 1.5)
    assert found.statics.tilt_deg == pytest.approx(math.degrees(limit), abs=0.05)


def test_a_cylinder_in_a_groove_rolls_out_over_its_wall() -> None:
    """Of walls 30 degrees from upright: F = W tan 60."""
    wall, reach = math.radians(30), 45 * math.tan(math.radians(30))
    points = [[-reach - 10, 0], [reach + 10, 0], [reach + 10, 50], [reach, 50], [0, 5], [-reach, 50]]
    groove = {"prism": {"points": [*points, [-reach - 10, 50]], "height": 200}}
    rough = {"material": {"density": 700, "friction": 0.7}, "rotation": [90, 0, 0]}
    scene = teeter.build(
        [
            rough | {"id": "v", "shape": groove, "position": [0, 0, 25], "fixed": True},
            rough
            | {
                "id": "c",
                "shape": {"cylinder": [20, 80]},
                "position": [0, 0, 5 + 20 / math.sin(wall)],
                "mass": 1000 / G,
            },
        ],
        loads=[{"piece": "c", "at": [0, 0, 0], "force": [0.15, 0, 0]}],
    )
    (load,) = judged(scene).factors
    assert load.factor == pytest.approx(math.tan(math.radians(60)) / 0.15, rel=2e-3)


def test_what_falls_with_its_load_and_without_it_stands_between() -> None:
    """Deck 55 mm off the pier's middle, half width 20: m (20 + 40) >= M 35, and m (40 - 20) <= M (55 + 20)."""
    pier = {"id": "pier", "shape": {"box": [40, 40, 40]}, "position": [0, 0, 20], "mass": 500}
    deck = {"id": "deck", "shape": {"box": [200, 40, 10]}, "position": [55, 0, 45], "mass": 100}
    for mass, at in ((40, -95), (500, -95), (40, 95)):
        load = {"piece": "deck", "at": [at, 0, 5], "mass": mass, "id": "cw"}
        found = teeter.check(teeter.build([pier, deck], loads=[load]), workers=1)
        (told,) = found.statics.factors
        assert not told.stands
        assert not told.without
        if at > 0:
            assert (told.least, told.factor) == (None, None)
            assert "it falls without it too" in str(found)
        else:
            assert told.least == pytest.approx(100 * 35 / 60 / mass, rel=1e-5)
            assert told.factor == pytest.approx(100 * 75 / 20 / mass, rel=1e-5)
            assert f"needs at least {told.least:.3g} times that" in " ".join(
                str(found).replace("│", "").split()
            )


@pytest.mark.parametrize("engine", installed_engines())
def test_wind_topples_a_slab_at_its_weight_times_t_over_its_area_and_height(engine: str) -> None:
    """p A H / 2 = W t / 2."""
    slab = {
        "id": "slab",
        "shape": {"box": [80, 12, 100]},
        "mass": 60,
        "position": [0, 0, 50],
        "friction": 0.9,
    }
    scene = teeter.build([slab])
    limit = 0.06 * G * 0.012 / (0.08 * 0.1 * 0.1)
    assert factors(scene, wind_pa=limit / 3, direction_deg=90)["wind"] == pytest.approx(3, rel=1e-5)
    for share, word in ((0.9, "stands"), (1.1, "topples")):
        found = teeter.check(scene, wind_pa=share * limit, direction_deg=90, engine=engine, workers=1)
        assert found.word == word


def test_what_stands_behind_is_sheltered() -> None:
    slabs = [
        {"id": name, "shape": {"box": [20, 80, tall]}, "position": [x, 0, tall / 2], "mass": 60}
        for name, x, tall in (("front", -40, 60), ("behind", 40, 100))
    ]
    ball = {"id": "ball", "shape": {"sphere": 20}, "position": [0, 200, 20], "mass": 60}
    blown = with_wind(teeter.build([*slabs, ball]).assembly, (10.0, 0.0, 0.0))
    loads = {body.name: load for body in blown.free for load in body.loads}
    assert loads["front"].force == pytest.approx((10 * 0.08 * 0.06, 0, 0))
    assert loads["behind"].force == pytest.approx((10 * 0.08 * 0.04, 0, 0))
    assert loads["behind"].point[2] == pytest.approx(0.08 - 0.05)
    assert loads["ball"].force == pytest.approx((10 * math.pi * 0.02**2, 0, 0), rel=1e-6)
    turned = with_wind(teeter.build([*slabs, ball]).assembly, (0.0, 10.0, 0.0))
    along = {body.name: load.force[1] for body in turned.free for load in body.loads}
    assert along == {
        "front": pytest.approx(10 * 0.02 * 0.06),
        "behind": pytest.approx(10 * 0.02 * 0.1),
        "ball": pytest.approx(10 * math.pi * 0.02**2, rel=1e-6),
    }


def test_that_no_piece_stands_in_the_wind_is_said() -> None:
    wall = {"id": "wall", "shape": {"box": [20, 90, 120]}, "position": [-40, 0, 60], "fixed": True}
    brick = {"id": "brick", "shape": {"box": [20, 80, 60]}, "position": [40, 0, 30]}
    scene = teeter.build([wall, brick])
    said = "wind of 5 Pa towards +x: no piece stands in it"
    assert said in str(teeter.check(scene, wind_pa=5, workers=1))
    assert "stands in it" not in str(teeter.check(scene, wind_pa=5, direction_deg=90, workers=1))


def test_wind_leaves_what_pairs_say_of_rolling() -> None:
    ball = {"id": "ball", "shape": {"sphere": 20}, "position": [0, 0, 20]}
    scene = teeter.build([ball], pairs=[{"between": ["ball", "table"], "rolling_mm": 2}])
    (before,), (after,) = (
        [each for each in bodies if each.name == "ball"]
        for bodies in (scene.assembly.bodies, with_wind(scene.assembly, (10.0, 0.0, 0.0)).bodies)
    )
    assert len(after.loads) == 1
    assert after.rolling == before.rolling != ()


FILE = """teeter = 1
[acceleration]
g = 0.1
direction = 180
[wind]
pressure = 5.0
[[piece]]
id = "b"
shape = { box = [20, 20, 60] }
mass = 100
position = [0, 0, 30]
[[load]]
id = "crate"
piece = "b"
at = [0, 0, 30]
mass = 25
[[load]]
piece = "b"
at = [0, 0, 30]
force = [0.0, 0.05, 0]
"""


def test_a_file_with_loads_through_the_command(tmp_path: Path) -> None:
    path = tmp_path / "loads.toml"
    path.write_text(FILE)
    found = run_teeter("check", path, "--json", "--workers", "1", "--page", tmp_path / "page.html")
    assert found[0] == 0
    told = json.loads(found[1])
    assert [load["load"] for load in told["loads"]] == ["crate", "load 2", "wind", "acceleration", "together"]
    assert told["read"]["loads"] == ["crate", "load 2"]
    assert "wind of 5 Pa towards +x" in (tmp_path / "page.html").read_text(encoding="utf-8")
    box = run_teeter("check", path, "--workers", "1", "--accelerate", "0.4", "--direction", "90")
    assert box[0] == 1
    assert "acceleration of 0.4 g towards +y" in " ".join(box[1].split())
    again = tmp_path / "again.toml"
    assert run_teeter("convert", path, again)[0] == 0
    first, second = teeter.load(path), teeter.load(again)
    assert [body.loads for body in first.assembly.bodies] == [body.loads for body in second.assembly.bodies]
    assert tables_of_all(first.loaded.head) == tables_of_all(second.loaded.head)
    assert first.pieces == second.pieces


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (('piece = "b"\nat', 'piece = "c"\nat'), 'load[1]: piece = "c": there is no such piece'),
        (("at = [0, 0, 30]\nmass", "at = [0, 0, 60]\nmass"), "load[1]: at = [0, 0, 60]: lies 30 mm outside"),
        (("mass = 25", "mass = 25\nforce = [0, 0, 1]"), "load[1]: give either `force` (N) or `mass` (g)"),
        (("force = [0.0, 0.05, 0]", "force = [0, 0, 0]"), "load[2]: the force is zero: leave the load out"),
        (('id = "crate"', 'id = "wind"'), "is reserved"),
        (("pressure = 5.0", "pressure = 5.0\nspeed = 3"), "[wind]: speed: unknown key"),
        (("mass = 100", "fixed = true"), "is a support, which carries any load"),
    ],
)
def test_what_makes_no_sense_is_refused(change: tuple[str, str], told: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    assert change[0] in FILE
    path.write_text(FILE.replace(*change, 1))
    with pytest.raises(teeter.TeeterError) as refused:
        teeter.load(path)
    assert told in str(refused.value)


def test_what_takes_no_loads_says_so(tmp_path: Path) -> None:
    path = tmp_path / "loads.toml"
    path.write_text(FILE)
    for arguments in (
        ("probe", path),
        ("sweep", path, "--piece", "b", "--x", "0:1:2", "--y", "0"),
        ("convert", path, tmp_path / "out.xml"),
        ("check", "arch", "--direction", "90"),
    ):
        code, _, err = run_teeter(*arguments)
        assert code == 2
        assert "load" in err or "--accelerate" in err
    noisy = teeter.noise(teeter.load(path), position_mm=0.1, samples=4, workers=1)
    assert noisy.p_stand == 1.0
