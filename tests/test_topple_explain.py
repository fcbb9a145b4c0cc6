"""Why: mechanisms against closed forms, and the sentences that tell them."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from statics_scenes import G, box, piece, pose, scene, stack
from typer.testing import CliRunner

import teeter
from teeter.engine.topple.balance.equilibrium import balance_of
from teeter.engine.topple.balance.mechanism import Explanation, beginning, explain
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.topple.verdict import CheckOptions, check, contacts_of
from teeter.engine.topple.words import sentences, to_json
from teeter.engine.world.body import Assembly, Body, Vector
from teeter.games.cli import app
from teeter.scenes.load import load

BASE = box("base", (40, 40, 20), pose(0, 0, 10))
WEIGHT = 0.1 * 0.02 * 0.01 * 700 * G


def why_of(assembly: Assembly, gravity: Vector = (0.0, 0.0, -G)) -> Explanation:
    contacts = find_contacts(assembly)
    found = explain(
        assembly, analyse(assembly, contacts=contacts, gravity=gravity), contacts, gravity=gravity
    )
    assert found is not None
    return found


@pytest.mark.parametrize(("force", "told"), [(3e-8, "Next to nothing"), (2e-7, "0.2 uN")])
@pytest.mark.parametrize("beyond", [1.0, -1.5])
def test_no_force_is_told_that_is_none(beyond: float, force: float, told: str) -> None:
    assembly = scene(BASE, box("beam", (100, 20, 10), pose(20 + beyond, 0, 25)))
    why = replace(why_of(assembly), force=math.copysign(force, -beyond))
    whole = " ".join(sentences(why, analyse(assembly)))
    assert told in whole
    assert "0.0 uN" not in whole


def test_what_rolls_off_a_log_is_held_at_its_other_end() -> None:
    log = Body("log", piece(cylinder=[20, 100]), pose(0, 0, 20, roll=90), fixed=True)
    plank, weight = box("plank", (200, 40, 6), pose(0, 0, 43)), box("weight", (20, 20, 20), pose(60, 0, 56))
    why = why_of(scene(log, plank, weight))
    room = 0.06 * weight.piece.mass / (weight.piece.mass + plank.piece.mass)
    assert (why.moves, why.against) == (("plank", "weight"), "log")
    assert why.towards == pytest.approx(0.0, abs=1e-3)
    assert why.room == pytest.approx(-room, abs=1e-6)
    assert why.force == pytest.approx(-0.06 * weight.piece.mass * G / math.hypot(0.1, 0.006), rel=1e-4)


def test_a_ladder_slides_at_both_ends_while_it_turns() -> None:
    """The limit of equal friction mu is atan((1 - mu^2) / 2 mu), here 56.6 degrees."""
    degrees, mu = 45.0, 0.3
    angle = math.radians(degrees)
    x, z = 100 * math.cos(angle) + 2 * math.sin(angle), 100 * math.sin(angle) + 2 * math.cos(angle)
    wall = box("wall", (50, 200, 400), pose(-25, 0, 200), mu, fixed=True)
    why = why_of(scene(wall, box("ladder", (200, 40, 4), pose(x, 0, z, pitch=degrees), mu), mu=mu))
    assert (why.stands, why.kind, why.edge, why.room) == (False, "slides", None, None)
    # of a thin one (sqrt(2) - 1) / 0.3 = 1.38
    assert why.friction_needed == pytest.approx((math.sqrt(2) - 1) / mu, rel=0.04)


@pytest.mark.parametrize("beyond", [1.0, 5.0, -1.5])
@pytest.mark.parametrize(("sides", "chamfer"), [(12, 0.0), (24, 0.0), (72, 0.0), (0, 3.0), (0, 10.0)])
def test_the_edge_is_where_it_turns_not_what_lies_near_it(sides: int, chamfer: float, beyond: float) -> None:
    """A wide lid on a pillar of many sides, and on a square one with two corners cut off: what lies as near to the edge
    as a twentieth of the lid hardly moves either."""
    if sides:
        turns = (np.arange(sides) + 0.5) * 2 * np.pi / sides
        points = 20.0 / np.cos(np.pi / sides) * np.array([np.cos(turns), np.sin(turns)]).T
        half = 20.0 * math.tan(math.pi / sides)
    else:
        cut = 20.0 - chamfer
        points = np.array([[-20, -20], [cut, -20], [20, -cut], [20, cut], [cut, 20], [-20, 20]])
        half = cut
    pillar = Body(
        "pillar", piece(prism={"points": points.tolist(), "height": 60}), pose(0, 0, 30), fixed=True
    )
    why = why_of(scene(pillar, box("lid", (200, 60, 15), pose(20 + beyond, 0, 67.5))))
    assert (why.kind, why.against) == ("tips", "pillar")
    assert why.room == pytest.approx(-beyond / 1e3, abs=1e-6)
    assert why.edge is not None
    ends = np.array([(0.02, -half / 1e3, 0.06), (0.02, half / 1e3, 0.06)])
    assert np.array(sorted(why.edge, key=lambda end: end[1])) == pytest.approx(ends, abs=1e-5)


def test_what_is_beyond_a_corner_is_told_so() -> None:
    points = {"points": [[-20, -20], [20, 0], [-20, 20]], "height": 40}
    wedge = Body("wedge", piece(prism=points), pose(0, 0, 20), fixed=True)
    assembly = scene(wedge, box("lid", (100, 60, 10), pose(23, 0, 45)))
    told = sentences(why_of(assembly), analyse(assembly))
    assert told[0] == "lid tips over the corner at (20.0, 0.0) mm of wedge, towards +x."
    assert told[1] == "Its centre of mass lies 3.00 mm beyond that corner."


def test_on_a_cylinder_it_is_the_tangent() -> None:
    tube = Body("tube", piece(cylinder=[20, 40]), pose(0, 0, 20), fixed=True)
    assembly = scene(tube, box("lid", (100, 60, 10), pose(23, 0, 45)))
    told = sentences(why_of(assembly), analyse(assembly))
    assert told[0] == "lid tips over the line at x = 20.0 mm on tube, towards +x."
    assert told[1] == "Its centre of mass lies 3.00 mm beyond that line."


@pytest.mark.parametrize("beyond", [1.0, 5.0, -1.5])
def test_a_beam_over_an_edge(beyond: float) -> None:
    """The lever of its weight over the lever of the corner."""
    why = why_of(scene(BASE, box("beam", (100, 20, 10), pose(20 + beyond, 0, 25))))
    assert (why.stands, why.kind, why.against, why.moves) == (beyond < 0, "tips", "base", ("beam",))
    assert why.edge is not None
    assert np.array(sorted(why.edge)) == pytest.approx(
        np.array([(0.02, -0.01, 0.02), (0.02, 0.01, 0.02)]), abs=1e-6
    )
    assert why.towards == pytest.approx(0.0, abs=1e-3)
    assert why.room == pytest.approx(-beyond / 1e3, abs=1e-6)
    # the farther end is the faster one
    assert why.point[0] * 1e3 == pytest.approx(70 + beyond if beyond > 0 else -30 + beyond)
    arm = math.hypot(50 + abs(beyond), 10)
    assert why.force == pytest.approx(-WEIGHT * beyond / arm, rel=1e-4)


def test_the_beginning_of_a_fall_is_the_true_acceleration() -> None:
    """About the edge: alpha = m g d / (I + m r^2), the first motion of a beam that was let go."""
    assembly = scene(BASE, box("beam", (100, 20, 10), pose(25, 0, 25)))
    balance = balance_of(assembly, find_contacts(assembly))
    motion = beginning(assembly, balance).reshape(-1, 6)
    # in units of gravity and of the balance's length
    spin = motion[1, 4] * G / balance.length
    inertia = (0.1**2 + 0.01**2) / 12 + 0.005**2 + 0.005**2
    assert spin == pytest.approx(G * 0.005 / inertia, rel=1e-5)
    assert np.abs(motion[0]).max() < 1e-6


def test_what_nothing_carries_drops() -> None:
    why = why_of(scene(box("up", (40, 40, 40), pose(0, 0, 80))))
    assert (why.kind, why.against, why.moves, why.towards) == ("drops", None, ("up",), None)
    assert why.force == pytest.approx(-box("up", (40, 40, 40), pose(0, 0, 80)).piece.mass * G, rel=1e-6)


@pytest.mark.parametrize("degrees", [25.0, 35.0])
def test_what_slides_needs_so_much_more_friction(degrees: float) -> None:
    """tan(slope) / mu times the friction; sin - mu cos of the weight is missing."""
    slope = math.radians(degrees)
    block = box("b", (60, 60, 10), pose(0, 0, 5))
    why = why_of(scene(block), (0.0, G * math.sin(slope), -G * math.cos(slope)))
    assert (why.kind, why.against, why.room) == ("slides", "table", None)
    assert why.towards == pytest.approx(90.0, abs=1e-3)
    assert why.friction_needed == pytest.approx(math.tan(slope) / 0.4, rel=2e-3)
    # associated sliding lifts by mu: its speed along the table is the cosine of the friction angle's share
    missing = block.piece.mass * G * (math.sin(slope) - 0.4 * math.cos(slope)) / math.hypot(1, 0.4)
    assert why.force == pytest.approx(-missing, rel=1e-3)


def test_no_friction_holds_what_only_rests_on_a_wall() -> None:
    steep = math.radians(89.0)
    why = why_of(
        scene(box("b", (60, 60, 10), pose(0, 0, 5))), (G * math.sin(steep), 0.0, -G * math.cos(steep))
    )
    assert why.friction_needed is None or why.kind == "tips"


def test_pieces_that_go_together_are_named_together() -> None:
    why = why_of(stack(6, (40, 60, 30)))
    assert why.stands
    assert set(why.moves) == {f"b{k}" for k in range(6)}
    assert (why.against, why.others) == ("table", ())
    assert why.room == pytest.approx(0.02, abs=1e-5)
    why = why_of(load("leaning_tower_past").assembly)
    assert why.moves == tuple(f"block.{k:02d}" for k in range(2, 11))
    assert why.against == "block.01"
    assert why.room == pytest.approx(-2e-3, abs=1e-6)


def test_an_edge_goes_on_over_neighbours_in_line() -> None:
    """A plank over the edges of two blocks side by side tips over both."""
    pair = (box("left", (40, 30, 20), pose(0, -15, 10)), box("right", (40, 30, 20), pose(0, 15, 10)))
    why = why_of(scene(*pair, box("plank", (100, 60, 10), pose(24, 0, 25))))
    assert why.edge is not None
    assert math.dist(*why.edge) == pytest.approx(0.06, abs=1e-6)
    assert why.room == pytest.approx(-4e-3, abs=1e-6)


def test_an_arch_moves_in_several_parts() -> None:
    why = why_of(load("arch_thin").assembly)
    assert why.others
    assert why.room is None
    assert why.force < 0


def test_where_nothing_moves_there_is_nothing_to_explain() -> None:
    walls = [
        box(f"w{k}", (20, 100, 200) if x else (60, 20, 200), pose(x, y, 100), fixed=True)
        for k, (x, y) in enumerate([(40, 0), (-40, 0), (0, 40), (0, -40)])
    ]
    wedged = scene(*walls, box("b", (60, 60, 60), pose(0, 0, 30)))
    for assembly, word in (
        (wedged, "held from all sides"),
        (load("ball_on_ball").assembly, "curved surface"),
    ):
        contacts = find_contacts(assembly)
        statics = analyse(assembly, contacts=contacts, curves=False)
        assert explain(assembly, statics, contacts) is None
        assert word in sentences(None, statics)[0]


def test_what_rolls_off_is_named_with_what_it_rolls_on() -> None:
    assembly = load("ball_on_ball").assembly
    contacts = find_contacts(assembly)
    why = explain(assembly, analyse(assembly, contacts=contacts), contacts)
    assert why is not None
    assert (why.moves, why.against, why.stands) == (("upper",), "lower", False)


def test_sentences() -> None:
    assembly = scene(BASE, box("beam", (100, 20, 10), pose(25, 0, 25)))
    contacts = find_contacts(assembly)
    statics = analyse(assembly, contacts=contacts)
    told = sentences(explain(assembly, statics, contacts), statics)
    assert told[0] == "beam tips over the edge at x = 20.0 mm of base, towards +x."
    assert told[1] == "Its centre of mass lies 5.00 mm beyond that edge."
    assert told[2].startswith("To hold it takes at least 12.3 mN at the corner")
    statics = analyse(stack(2, (40, 60, 30)))
    told = sentences(why_of(stack(2, (40, 60, 30))), statics)
    assert told[0].startswith(
        "It holds. At 33.69 degrees of table tilt b0 and b1 tip over b0's own edge at x = 20.0"
    )


@pytest.mark.parametrize("off", [0.0, 1e-6, 1e-4, -1e-4])
def test_a_box_balanced_on_its_edge_lies_exactly_over_it(off: float) -> None:
    """Its diagonal stands upright, to a ten thousandth of a degree: what is zero but for rounding is told as zero."""
    height, upright = math.hypot(135.0, 30.0) / 2, math.degrees(math.atan2(135.0, 30.0))
    assembly = scene(box("foot", (135, 94, 30), pose(0, 0, height, pitch=upright + off), 1.0))
    contacts = find_contacts(assembly)
    statics = analyse(assembly, contacts=contacts)
    why = explain(assembly, statics, contacts)
    assert statics.stands is False
    assert why is not None
    assert (why.kind, why.against, why.room) == ("tips", "table", 0.0)
    told = sentences(why, statics)
    assert told[1:] == ("Its centre of mass lies exactly over that edge: the least push decides.",)


def test_what_rocks_on_a_curve_with_degrees_in_hand_is_not_said_to_hang_on_a_push() -> None:
    log = Body("log", piece(cylinder=[15, 60]), pose(0, 0, 15, roll=90), fixed=True)
    assembly = scene(log, box("board", (120, 40, 16), pose(0, 0, 38)))
    contacts = find_contacts(assembly)
    statics = analyse(assembly, contacts=contacts)
    told = sentences(explain(assembly, statics, contacts), statics)
    assert statics.tilt_deg is not None
    assert statics.tilt_deg > 1.0
    assert told in {
        (
            f"It holds: it rocks back to rest, up to {statics.tilt_deg:.2f} degrees of table tilt. "
            f"Then board goes, towards {side}.",
        )
        for side in ("+x", "-x")
    }


def test_the_room_of_one_of_several_slabs_is_its_own() -> None:
    """Half its width inside the edge, as if it stood alone; how contacts yield is no part of the motion."""
    assembly = scene(*(box(f"s{i}", (10.0, 40.0, 80.0), pose(10.0 * i, 0, 40)) for i in range(3)))
    statics = analyse(assembly)
    why = explain(assembly, statics, find_contacts(assembly))
    assert why is not None
    assert why.room is not None
    assert why.room * 1e3 == pytest.approx(5.0, abs=0.005)


def test_a_verdict_keeps_the_pieces_that_statics_saw() -> None:
    verdict = check(load("ruler_stack", settle_mm=0.6).assembly, CheckOptions(settle=6e-4, workers=1))
    assert verdict.pose == "rest"
    why = explain(verdict.judged, verdict.statics, contacts_of(verdict))
    assert why is not None
    assert json.loads(json.dumps(to_json(why, verdict.statics)))["kind"] in {"tips", "slides"}


@pytest.mark.parametrize(("words", "kind"), [(("bridge_bare",), "tips"), (("two_bricks",), "slides")])
def test_check_explains(words: tuple[str, ...], kind: str) -> None:
    result = CliRunner().invoke(app, ["check", *words, "--explain", "--json", "--workers", "1"])
    found = json.loads(result.stdout)["explain"]
    assert found["kind"] == kind
    assert len(found["sentences"]) >= 2
    plain = CliRunner().invoke(app, ["check", *words, "--explain", "--workers", "1"]).stdout
    assert found["sentences"][0][:40] in plain


def test_check_explains_what_rolls_off() -> None:
    result = CliRunner().invoke(app, ["check", "ball_on_ball", "--explain", "--json", "--workers", "1"])
    assert json.loads(result.stdout)["explain"]["moves"] == ["upper"]


def test_unequal_pieces_have_their_own_inertia() -> None:
    """A ball of lead and a box of cork, both in the air, fall alike."""
    light = Body("light", piece(density=100.0, box=[20, 20, 20]), pose(0, 0, 100))
    heavy = Body("heavy", piece(density=9000.0, box=[60, 20, 20]), pose(90, 0, 100))
    assembly = scene(light, heavy)
    motion = beginning(assembly, balance_of(assembly, find_contacts(assembly))).reshape(-1, 6)
    assert motion == pytest.approx(np.tile([0.0, 0.0, -1.0, 0.0, 0.0, 0.0], (2, 1)), abs=1e-6)


def test_a_board_that_turns_about_one_support_slides_on_the_other() -> None:
    """Ten times as rough on the right: it stays there and goes along the left one."""
    scene = teeter.build(
        [
            {"id": "left", "shape": {"box": [20, 100, 10]}, "position": [-90, 0, 5], "fixed": True},
            {"id": "right", "shape": {"box": [20, 100, 10]}, "position": [90, 0, 5], "fixed": True},
            {"id": "board", "shape": {"box": [200, 60, 4]}, "position": [0, 0, 12]},
        ],
        pairs=[
            {"between": ["board", "left"], "friction": 0.1},
            {"between": ["board", "right"], "friction": 0.8},
        ],
    )
    found = teeter.explain(scene)
    assert found is not None
    assert (found.kind, found.against) == ("slides", "left")
