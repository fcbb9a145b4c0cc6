"""What must be changed so that it stands: closed forms, bounds, sentences, files."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mend_scenes import ANYWHERE, SHARES, better, toppling
from scipy.optimize import brentq
from thrust_line import least_weight
from typer.testing import CliRunner

import teeter
from teeter.engine.topple.contact.arrays import Array
from teeter.engine.topple.contact.detection import Contacts
from teeter.engine.topple.mend.changes import effort_of
from teeter.engine.topple.mend.demand import Demand
from teeter.engine.topple.mend.places import MovedPieces, Place
from teeter.engine.topple.mend.search import candidates
from teeter.engine.world.body import DOWN
from teeter.games.cli import app

SLOPE = math.tan(math.radians(2))
"""Of the margin that is asked for."""


def box(name: str, size: tuple[float, float, float], x: float, z: float, **more: Any) -> dict[str, Any]:
    shape = {"id": name, "shape": {"box": list(size)}, "material": "beech", "position": [x, 0, z]}
    return shape | more


def mended(stack: list[dict[str, Any]], **asked: Any) -> teeter.MendResult:
    return teeter.Checker(workers=1).mend(teeter.build(stack), **asked)


def overhang() -> list[dict[str, Any]]:
    """A board whose centre lies 10 mm beyond the edge below it."""
    return [box("below", (80, 40, 20), 0, 10), box("above", (80, 40, 20), 50, 30)]


@pytest.mark.parametrize("piece", ["above", "below"])
def test_an_overhang_is_pulled_back_by_what_is_missing(piece: str) -> None:
    """Over the edge, plus height times the slope of the margin."""
    found = mended(overhang(), margin_deg=2, kinds=["move"], pieces=[piece]).changes[0]
    assert found.move_mm is not None
    sign = -1 if piece == "above" else 1
    # the lower board carries the other along when it is not moved alone
    assert found.pieces == (piece,)
    assert found.move_mm == pytest.approx((sign * (10 + 10 * SLOPE), 0), abs=0.1)
    assert found.tilt_deg == pytest.approx(2.0, abs=0.05)
    assert found.check.word == "stands"


def test_an_overhang_is_weighed_down_by_what_is_missing() -> None:
    found = mended(overhang(), margin_deg=2, kinds=["add_mass"], pieces=["above"], best=1).changes[0]
    mass = teeter.build(overhang()).pieces["above"].mass_g
    # near its end, where the least is enough: 26 mm inside the edge and 20 above, against 10 beyond it and 10 above
    assert found.point_mm is not None
    assert found.point_mm[0] == pytest.approx(14)
    assert found.mass_g == pytest.approx(mass * (10 + 10 * SLOPE) / (26 - 20 * SLOPE), rel=0.01)


def test_weights_and_props_are_put_in_the_open_and_in_the_middle() -> None:
    leaning = [box(f"b{n}", (60, 60, 20), 6.4 * n, 10 + 20 * n) for n in range(10)]
    found = mended(leaning, kinds=["add_mass"], best=1).changes[0]
    # on the strip that the block above leaves open
    assert found.pieces == ("b2",)
    assert found.point_mm == pytest.approx((12.8 - 27, 0, 60))
    deck = [box("pier", (40, 40, 60), 0, 30, fixed=True), box("deck", (200, 40, 10), 60, 65)]
    post = mended(deck, kinds=["prop"]).changes[0]
    assert post.point_mm is not None
    assert post.point_mm[1] == pytest.approx(0)
    tiny = [
        one
        | {"shape": {"box": [side / 50 for side in one["shape"]["box"]]}}
        | {"position": [side / 50 for side in one["position"]]}
        for one in deck
    ]
    assert re.search(r"bears [1-9][\d.]* uN:", mended(tiny, kinds=["prop"]).changes[0].sentence)


def test_a_tall_tower_tips_and_the_fewest_pieces_are_told_first() -> None:
    """Nine above centre 32 mm out, 2 mm beyond the edge: as far together whichever of them move."""
    found = mended([box(f"b{n}", (60, 60, 20), 6.4 * n, 10 + 20 * n) for n in range(10)], kinds=["move"])
    assert found.why.startswith("b1 and 8 pieces with it tip over the edge at x = 30.0 mm of b0")
    counts, efforts = [len(each.pieces) for each in found.changes], [each.effort for each in found.changes]
    assert counts == sorted(counts)
    assert max(efforts) <= 1.01 * min(efforts)


def test_of_many_pieces_one_change_is_checked_and_the_next_are_said_to_be_not() -> None:
    """Sixteen more lie apart on the table."""
    apart = [
        box(f"apart{n}", (20, 20, 10), 0, 5) | {"position": [200.0 + 30 * n, 0.0, 5.0]} for n in range(16)
    ]
    stack = [*overhang(), *apart]
    found = mended(stack, kinds=["move"], pieces=["above", "below"])
    both = mended(overhang(), kinds=["move"], pieces=["above", "below"])
    assert [change.sentence for change in found.changes] == [both.changes[0].sentence]
    assert [f"{unchecked}: it stands" for unchecked in found.unchecked] == [
        both.changes[1].sentence.partition(",")[0]
    ]
    assert f"By forces alone, not simulated: {found.unchecked[0]}." in str(found)
    assert found.to_json()["unchecked"] == list(found.unchecked)
    assert not both.unchecked


@pytest.mark.parametrize(("margin", "trials"), [(None, 1), (0.8, 4)])
def test_where_forces_have_their_safety_margin_one_disturbance_is_enough(
    margin: float | None, trials: int
) -> None:
    (change,) = mended(overhang(), margin_deg=margin, kinds=["move"], pieces=["above"]).changes
    assert len(change.check.verdict.dynamics.trials) == trials
    assert change.check.verdict.dynamics.stands


def test_a_fall_over_what_was_moved_below_it_is_refused_at_each_place_without_the_whole_balance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A tower on two blocks, one of which is far from where it has to be: it tips over that one's edge wherever that
    is."""
    below = [box(f"low{n}", (20, 40, 20), x, 10) for n, x in enumerate((-40, -15))]
    scene = teeter.build([*below, *(box(f"b{n}", (100, 40, 20), 0, 30 + 20 * n) for n in range(4))])
    wholes: list[bool] = []
    asked = MovedPieces.fall_at

    def counted(self: MovedPieces, place: Place, joint: Contacts) -> Array | None:
        motion = asked(self, place, joint)
        wholes.append(motion is None)
        return motion

    monkeypatch.setattr(MovedPieces, "fall_at", counted)
    demand = Demand.on(scene.assembly, DOWN, None)
    (change, *_), _ = candidates(scene.assembly, demand, kinds=["move"], pieces=["low1"], workers=1)
    assert change.pieces == ("low1",)
    assert 5 < 1e3 * change.shift[0] < 8
    assert wholes.count(False) <= 2


def test_a_counterweight_is_moved_as_far_as_the_lever_says() -> None:
    pieces = [
        box("pier", (40, 40, 60), 0, 30, fixed=True),
        box("deck", (200, 40, 10), 60, 65),
        box("counterweight", (30, 30, 30), 0, 85, mass=80.0),
    ]
    mass = {name: piece.mass_g for name, piece in teeter.build(pieces).pieces.items()}
    whole = mass["deck"] + mass["counterweight"]
    centre = mass["deck"] * 60 / whole
    height = (mass["deck"] * 5 + mass["counterweight"] * 25) / whole
    missing = (centre - 20 + height * SLOPE) * whole / mass["counterweight"]
    found = mended(pieces, margin_deg=2, kinds=["move"], pieces=["counterweight"]).changes[0]
    assert 0 < missing < 40
    assert found.move_mm == pytest.approx((-missing, 0), abs=0.1)
    told = f"Move counterweight {missing:.1f} mm towards -x: it stands, 2.0 degrees in hand."
    assert found.sentence == told


def test_a_leaning_tower_is_mended_by_its_upper_part() -> None:
    """Every joint asks that what is above it be moved by what it misses, shared by all that is above."""
    count, lean, side, high = 6, 9.0, 40.0, 20.0
    pieces = [box(f"b{n}", (side, side, high), lean * n, high * (n + 0.5)) for n in range(count)]

    def missing(joint: int) -> float:
        above = range(joint + 1, count)
        over = sum(lean * n for n in above) / len(above) - lean * joint - side / 2
        return (over + high * len(above) / 2 * SLOPE) * len(above)

    needed = max(missing(joint) for joint in range(2))
    found = mended(pieces, margin_deg=2, kinds=["move"], pieces=["b3"], keep=["b0"]).changes[0]
    together = 3
    assert found.pieces == ("b3", "b4", "b5")
    assert found.move_mm == pytest.approx((-needed / together, 0), abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(("count", "lean"), [(20, 4.4), pytest.param(40, 2.2, marks=pytest.mark.soak)])
def test_a_tall_tower_of_slabs_is_mended_and_stands_by_a_full_check(count: int, lean: float) -> None:
    """Let go at once it buckles on soft contacts: it is put down in short steps."""
    slabs = [box(f"b{n}", (80, 40, 6), lean * n, 6 * (n + 0.5)) for n in range(count)]
    (change,) = mended(slabs, kinds=["move"], best=1).changes
    assert change.pieces[-1] == f"b{count - 1}"
    assert change.move_mm is not None
    assert change.move_mm[0] < -20
    assert len(change.check.verdict.dynamics.trials) == 1
    assert teeter.check(change.scene).word == "stands"


def test_a_block_on_a_slope_is_roughened_to_the_tangent() -> None:
    pieces = [box("block", (60, 60, 20), 0, 10, friction=0.2)]
    found = teeter.Checker(tilt_deg=20, workers=1).mend(
        teeter.build(pieces), margin_deg=2, kinds=["friction"], pieces=["block"]
    )
    change = next(each for each in found.changes if each.pieces == ("block",))
    # of the pair: the geometric mean with the table's 0.45
    assert change.friction == pytest.approx(math.tan(math.radians(22)) ** 2 / 0.45, abs=0.01)


def test_what_stands_on_feet_of_a_millimetre_is_roughened_too() -> None:
    """Their areas are narrower than what is taken off others; two of three feet may slip when the third holds."""
    feet = [
        box(f"foot{number}", (1, 1, 1), 30 * math.cos(turn), 0.5)
        | {"position": [30 * math.cos(turn), 30 * math.sin(turn), 0.5]}
        for number, turn in enumerate(np.radians([0, 120, 240]).tolist())
    ]
    stack = teeter.build([*feet, box("block", (100, 100, 100), 0, 51, friction=0.3)])
    found = teeter.Checker(tilt_deg=20, workers=1).mend(stack, kinds=["friction"], pieces=["block"])
    (change,) = found.changes
    assert change.friction is not None
    # of the pairs: the geometric mean with the feet's 0.4; a tenth more than the tangent
    assert math.sqrt(change.friction * 0.4) == pytest.approx(1.1 * math.tan(math.radians(20)), abs=0.001)


def test_a_ladder_is_roughened_to_what_its_slope_needs() -> None:
    """mu / (1 + mu^2) L (sin a + mu cos a) = L cos a / 2 - t sin a / 2, by moments about the foot."""
    length, thick, angle = 120.0, 4.0, math.radians(50)
    run, rise = length * math.cos(angle), length * math.sin(angle)
    x = run / 2 - thick / 2 * math.sin(angle)
    z = rise / 2 + thick / 2 * math.cos(angle)
    pieces = [
        box("wall", (20, 60, 160), run + 10, 80, fixed=True, friction=0.3),
        box("ground", (200, 60, 10), 0, -5, fixed=True, friction=0.3),
        box("ladder", (length, 40, thick), x, z, friction=0.3, rotation=[0, -50, 0]),
    ]

    def moment(mu: float) -> float:
        return mu / (1 + mu * mu) * (math.sin(angle) + mu * math.cos(angle)) - x / length

    needed = brentq(moment, 0.05, 2.0)
    assert needed > 0.3
    scene = teeter.build(pieces, has_table=False)
    found = teeter.Checker(workers=1).mend(scene, kinds=["friction"], pieces=["ladder"], margin_deg=0)
    change = next(each for each in found.changes if each.pieces == ("ladder",))
    assert change.friction is not None
    assert math.sqrt(change.friction * 0.3) == pytest.approx(needed, abs=0.01)


def test_an_arch_too_thin_for_its_slope_is_weighed_down_until_it_holds_its_line_of_thrust() -> None:
    found = teeter.Checker(tilt_deg=4.5, workers=1).mend("arch", margin_deg=2, kinds=["add_mass"], best=1)
    (change,) = found.changes
    assert change.mass_g is not None
    assert change.point_mm is not None
    stone = int(change.pieces[0].partition(".")[2])
    point = np.array([change.point_mm[0], change.point_mm[2] - 30])
    least = least_weight(11, 100, 20, 0.4, math.radians(6.5), stone, point)
    mass = teeter.load("arch").pieces[change.pieces[0]].mass_g
    assert change.mass_g == pytest.approx(mass * least, rel=0.01)
    # where it is thin on level ground both halves give way, and no single weight helps
    thin = [
        least_weight(15, 100, 7, 0.4, 0.0, at, np.array([x, 100.0]))
        for at in range(1, 16)
        for x in (-90, 0, 90)
    ]
    assert min(thin) == math.inf
    assert not teeter.Checker(workers=1).mend("arch_thin", margin_deg=0, kinds=["add_mass"]).changes


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_no_place_nearer_by_a_twentieth_was_missed(seed: int) -> None:
    assembly = toppling(seed, most=4)
    demand = Demand.on(assembly, DOWN, None)
    found, bounds = candidates(assembly, demand, kinds=["move"], workers=1)
    effort = effort_of(assembly, found[0]) if found else bounds.reach
    tried = better(assembly, demand, effort, SHARES if found else ANYWHERE)
    nearest = min((effort_of(assembly, each) for each in tried), default=effort)
    assert nearest >= effort / 1.05 if found else nearest == effort


def test_what_stands_needs_nothing_and_what_cannot_be_mended_is_told_with_its_bounds() -> None:
    stands = teeter.mend("two_bricks", workers=1)
    assert stands.stands
    assert not stands.changes
    assert "there is nothing to mend" in stands.why
    none = teeter.mend("bridge_bare", kinds=["turn"], workers=1)
    assert not none.stands
    assert not none.changes
    assert none.complete
    assert none.none_because == (
        "No single change was found: deck would fall, whichever of pier, deck is changed. "
        "Tried: turning pieces on the spot."
    )
    with pytest.raises(teeter.TeeterError, match=r"ask \.stands"):
        bool(none)


def test_what_stands_without_the_margin_asked_for_is_not_said_to_fall() -> None:
    """Two cubes one on another keep 26.6 degrees at most, however they are turned."""
    tower = [box("low", (20, 20, 20), 0, 10), box("high", (20, 20, 20), 0, 30)]
    none = mended(tower, margin_deg=30, kinds=["turn"])
    assert none.none_because is not None
    assert none.none_because.startswith("No single change was found: whichever of low, high is changed, ")
    assert "not keep 30 degrees" in none.none_because
    towers = [
        each | {"id": f"{each['id']}{y}", "position": [0, y, each["position"][2]]}
        for y in (0, 200)
        for each in tower
    ]
    apart = mended(towers, margin_deg=30, kinds=["turn"])
    assert apart.none_because is not None
    assert (
        "not keep 30 degrees in 2 places apart, and one change mends only one of them" in apart.none_because
    )
    for said in (none.none_because, apart.none_because):
        assert "fall" not in said


def test_two_pieces_are_moved_together_where_one_does_not_do() -> None:
    pairs = [
        (box(f"low{n}", (80, 40, 20), 0, 10) | {"position": [0, y, 10]}, overhang()[1] | {"id": f"on{n}"})
        for n, y in enumerate((0, 200, -200))
    ]
    stack = [
        each | {"position": [*each["position"][:1], low["position"][1], each["position"][2]]}
        for low, high in pairs
        for each in (low, high)
    ]
    change = mended(stack[:4], margin_deg=2, kinds=["move"], keep=["low0", "low1"]).changes[0]
    assert change.pieces == ("on0", "on1")
    assert change.move_mm == pytest.approx((-10 - 10 * SLOPE, 0), abs=0.1)
    assert change.sentence.startswith("Move on0 and on1 10.3 mm towards -x: it stands")
    # three fall, each by itself
    none = mended(stack, margin_deg=2, kinds=["move"], keep=["low0", "low1", "low2"])
    assert none.none_because is not None
    assert "on0, on1, on2 fall in 3 places apart, and one change mends only one" in none.none_because
    assert "3 pairs of them together" in none.none_because


def test_a_piece_is_moved_and_turned_where_neither_does_alone() -> None:
    """On one rail it bears 11 degrees across; it reaches both once it is turned."""
    rails = [
        box(f"rail{n}", (30, 4, 40), 0, 20, fixed=True) | {"position": [0, y, 20]}
        for n, y in enumerate((30, -30))
    ]
    beam = box("beam", (100, 12, 20), 0, 50) | {"position": [0, 36, 50]}
    change = mended([*rails, beam], margin_deg=15, kinds=["move"]).changes[0]
    assert change.turn_deg == pytest.approx(90)
    # its end lies in the middle of the far rail at least by as much as the margin asks
    assert change.tilt_deg is not None
    assert change.tilt_deg >= 15
    assert "towards -y, turned 90.0 degrees counter-clockwise seen from above: it stands" in change.sentence


def test_pieces_can_be_kept_and_named() -> None:
    kept = teeter.mend("bridge_bare", kinds=["move"], keep=["deck"], workers=1)
    assert {each.pieces for each in kept.changes} == {("pier",)}
    with pytest.raises(teeter.TeeterError, match="there is no piece 'dekc'"):
        teeter.mend("bridge_bare", pieces=["dekc"])
    with pytest.raises(teeter.TeeterError, match="kinds = 'shove': must be of move, turn"):
        teeter.mend("bridge_bare", kinds=["shove"])
    with pytest.raises(teeter.TeeterError, match="no piece is left that may be changed"):
        teeter.mend("bridge_bare", pieces=["deck"], keep=["deck"])
    with pytest.raises(teeter.TeeterError, match="margin_deg = -1"):
        teeter.mend("bridge_bare", margin_deg=-1)


def test_a_push_is_borne_after_it() -> None:
    """A block of 60 mm tips over its edge under F at its top when F h > W (b/2)."""
    pieces = [box("tall", (30, 30, 60), 0, 30, friction=0.9), box("on", (30, 30, 10), 0, 65, friction=0.9)]
    weight = sum(each.mass_g for each in teeter.build(pieces).pieces.values()) * 9.80665e-3
    push = 1.05 * weight * 15 / 70
    checker = teeter.Checker(workers=1)
    assert checker.mend(teeter.build(pieces)).stands
    found = checker.mend(teeter.build(pieces), push_n=push, kinds=["add_mass"], margin_deg=0, best=1)
    assert not found.stands
    assert found.changes[0].check.word == "stands"


def says(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(words))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def test_where_there_is_no_change_the_command_says_what_it_has_not_written(tmp_path: Path) -> None:
    out = tmp_path / "q.toml"
    code, said, _ = says("mend", "two_bricks", "--apply", "1", "-o", str(out), "--workers", "1")
    assert (code, out.exists()) == (0, False)
    assert f"not written, for there is no change: {out}\n" in said


def test_the_command_tells_and_writes_what_then_stands(tmp_path: Path) -> None:
    out = tmp_path / "mended.toml"
    words = ("mend", "bridge_bare", "--kind", "move", "--workers", "1")
    code, told, _ = says(*words, "--json")
    found = json.loads(told)
    assert code == 0
    assert found["changes"][0]["pieces"] == ["deck"]
    assert found["changes"][0]["kind"] == "move"
    code, told, _ = says(*words, "--apply", "1", "-o", str(out))
    assert code == 0
    assert "Move deck" in told
    assert teeter.check(out, workers=1).stands
    assert says(*words, "--apply", "1", "-o", str(out))[0] == 2
    assert says(*words, "--apply", "9", "-o", str(tmp_path / "no.toml"))[0] == 2
    assert says("mend", "bridge_bare", "--kind", "turn", "--workers", "1")[0] == 1
    assert says("mend", "two_bricks", "--workers", "1")[0] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--apply", "1"), "give both or neither"),
        (("--margin", "90"), "--margin = 90: must be from 0 to 89"),
        (("--kind", "shove"), "must be of move"),
        (("--piece", "deckk"), "did you mean 'deck'?"),
        (("--apply", "1", "-o", "x.glb"), "scenes are written as .toml"),
        (("--picture", "x.jpg"), "pictures are written as .png"),
        (("--drop",), "mend works on where they are"),
        (("--best", "2", "--apply", "3", "-o", "x.toml"), "--apply 3: must be from 1 to 2"),
        (("--best", "0"), "best = 0: must be from 1 to 10000"),
    ],
)
def test_what_makes_no_sense_is_refused(words: tuple[str, ...], message: str) -> None:
    code, _, err = says("mend", "bridge_bare", *words)
    assert code == 2
    assert message in err


def test_a_scene_in_metres_is_asked_about_its_unit(tmp_path: Path) -> None:
    file = tmp_path / "metres.toml"
    piece = '[[piece]]\nid = "a"\nshape = { box = [0.2, 0.1, 0.05] }\nposition = [0, 0, 0.025]\n'
    file.write_text(f"teeter = 1\n{piece}", encoding="utf-8")
    code, _, err = says("mend", str(file))
    assert code == 2
    assert "lengths are in mm: is it written in metres?" in err


@pytest.mark.parametrize("kind", ["add_mass", "friction", "prop", "remove", "place"])
def test_every_kind_of_change_is_written_and_read_back(kind: str, tmp_path: Path) -> None:
    scenes = {
        "add_mass": "overhang_outside",
        "friction": "slope_above",
        "prop": "bridge_bare",
        "remove": "bridge_bare",
        "place": "",
    }
    scene: Any = scenes[kind]
    if kind == "place":
        high = [box("pier", (40, 40, 60), 0, 30, fixed=True), box("deck", (200, 40, 10), 40, 65)]
        scene = teeter.build([*high, box("load", (30, 30, 30), 100, 15, mass=80.0)])
    found = teeter.mend(scene, kinds=[kind], best=1, workers=1)
    assert [each.kind for each in found.changes] == [kind]
    file = tmp_path / "mended.toml"
    file.write_text(found.changes[0].scene.to_toml(), encoding="utf-8")
    assert teeter.check(file, workers=1).stands
