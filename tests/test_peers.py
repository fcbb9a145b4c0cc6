"""Peers as oracles: random stacks at a known distance from falling, and what MuJoCo and compas-cra say of them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
import random_stacks
from agreement import AGAIN, Row, ask_again, collect, is_decided, is_near, judge, read, together, write
from cra_worker import cra_says
from falls import points_of, why
from peer_oracles import AS_IT_COMES, RECOMMENDED, mujoco_says
from stacks import DOWN, stack

import teeter
from teeter.engine.bench.motion import EXPERIMENTS
from teeter.engine.bench.rigs import piece, table, wood
from teeter.engine.pose import Pose
from teeter.engine.settings import TUNING
from teeter.engine.topple.balance.statics import stands
from teeter.engine.topple.verdict import joint
from teeter.engine.world.body import Assembly, Body

RESEARCH = Path(__file__).resolve().parent / "research"
SMALL = (409, 403, 209)
"""Stacks of two and three pieces: one stands by far, one is limited by sliding, one tips off a low block."""


def over_the_edge(mm: float) -> Assembly:
    """A cube whose centre is so far past the edge of the one below."""
    cube = piece(wood(0.5), box=(30, 30, 30))
    below = Body("below", cube, Pose((0.0, 0.0, 0.015)))
    above = Body("above", cube, Pose((0.015 + mm / 1e3, 0.0, 0.045)))
    return Assembly("edge", (table(wood(0.5)), below, above))


@pytest.mark.parametrize(("mm", "verdict"), [(-1.0, True), (1.0, False)])
def test_all_peers_know_where_a_cube_tips(mm: float, verdict: bool) -> None:
    scene = over_the_edge(mm)
    assert stands(scene) is verdict
    assert mujoco_says(scene).stands is verdict
    for solver in ("rbe", "cra"):
        assert cra_says(scene, 0.5, solver, DOWN, 60.0).stands is verdict, solver


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "rights"), [(15, (27, 29)), pytest.param(40, (72, 79), marks=pytest.mark.soak)]
)
def test_random_stacks_of_four_cubes_are_right_here_and_mostly_in_mujoco(
    count: int, rights: tuple[int, int]
) -> None:
    """Beside the closed form."""
    scenes = [random_stacks.stack(seed, spread) for spread in (12.0, 14.0) for seed in range(count)]
    truth = [random_stacks.rooms(scene) > 0 for scene in scenes]
    found = teeter.check_many(scenes, workers=1)
    assert [row.word == "stands" for row in found.rows] == truth
    assert {row.word for row in found.rows} == {"stands", "topples"}
    for tuning, right in zip((AS_IT_COMES, RECOMMENDED), rights, strict=True):
        said = [mujoco_says(scene.assembly, tuning=tuning).stands for scene in scenes]
        assert sum(one == other for one, other in zip(said, truth, strict=True)) == right


@pytest.mark.parametrize(("degrees", "verdict"), [(25.0, True), (28.0, False)])
def test_all_peers_know_when_a_cube_slides(degrees: float, verdict: bool) -> None:
    from stacks import tilted

    cube = piece(wood(0.5), box=(40, 40, 10))
    scene = Assembly("slope", (table(wood(0.5)), Body("cube", cube, Pose((0.0, 0.0, 0.005)))))
    # atan 0.5 = 26.57 degrees, downhill along a side of compas-cra's pyramid, where it is exact
    gravity = tilted(degrees, 0.0)
    assert stands(scene, gravity=gravity) is verdict
    assert mujoco_says(scene, gravity).stands is verdict
    assert cra_says(scene, 0.5, "rbe", gravity, 60.0).stands is verdict


def test_a_stack_follows_from_its_number() -> None:
    first, again, other = stack(409), stack(409), stack(403)
    assert [body.pose for body in first.assembly.bodies] == [body.pose for body in again.assembly.bodies]
    assert first.pieces != other.pieces


@pytest.mark.slow
@pytest.mark.parametrize("number", [4, 201, 405])
def test_a_stack_brought_near_its_critical_point_is_that_near(number: int) -> None:
    made = stack(number)
    assert made.off is not None
    assert stands(made.assembly, gravity=made.gravity) is (made.off > 0)


def test_rows_are_kept_and_read_back(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    row = judge(stack(SMALL[0]), with_cra=False)
    assert (row.statics, row.dynamics, row.verdict, row.mujoco) == (True, True, "stands", True)
    write(file, [row])
    (kept,) = read(file)
    assert (kept.number, kept.off, kept.statics, kept.rbe, kept.why) == (
        row.number,
        None,
        True,
        None,
        row.why,
    )
    # what is on file is not judged again
    assert list(collect([SMALL[0]], file)) == [kept]


def test_rapier_is_asked_once_about_a_stack_of_an_older_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, (row,) = (
        tmp_path / "rows.csv",
        [row for row in read(RESEARCH / "agreement.csv") if row.number == 409],
    )
    write(file, [row])
    with file.open(newline="", encoding="utf-8") as text:
        older = [
            {key: value for key, value in cells.items() if key != "rapier"} for cells in csv.DictReader(text)
        ]
    with file.open("w", newline="", encoding="utf-8") as text:
        table = csv.DictWriter(text, list(older[0]))
        table.writeheader()
        table.writerows(older)
    assert [found.rapier for found in read(file)] == [""]
    assert [found.rapier for found in ask_again("rapier", [409], file)] == ["stands"]
    assert [found.rapier for found in read(file)] == ["stands"]
    monkeypatch.setitem(AGAIN, "rapier", lambda row: pytest.fail("asked twice"))
    assert list(ask_again("rapier", [409], file)) == []


def test_three_opinions_on_every_stack() -> None:
    """Rapier falls early where discs slide and where tall towers have little in hand; it never stands alone."""
    rows = read(RESEARCH / "agreement.csv")
    assert len(rows) == 520
    assert {row.rapier for row in rows} == {"stands", "topples", "unsure"}
    assert [row.number for row in rows if row.statics is False and row.rapier == "stands"] == []
    decided = [row for row in rows if is_decided(row)]
    alone = [row.number for row in decided if row.rapier != joint(row.statics, row.dynamics)]
    assert alone == [58, 185, 267, 325, 388, 415]


@pytest.mark.slow
def test_everybody_agrees_on_small_stacks() -> None:
    rows = [judge(stack(number)) for number in SMALL]
    for row in rows:
        assert row.statics is row.dynamics is row.mujoco is row.rbe, row
    assert {row.statics for row in rows} == {True, False}


def test_four_points_carry_a_cube_that_stands_and_not_one_that_tips() -> None:
    found = points_of(over_the_edge(-5.0), DOWN)
    # four below each cube: MuJoCo finds no more of a face
    assert len(found.points) == 8
    for mm in (-5.0, 1.0):
        scene = over_the_edge(mm)
        assert stands(scene, contacts=points_of(scene, DOWN)) is (mm < 0)


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "cause"),
    [
        (463, "coarse steps, soft contacts"),
        (297, "too few contact points"),
        (435, "slides below its friction"),
        (216, "late first contact"),
    ],
)
def test_a_fall_of_mujoco_alone_has_a_cause(number: int, cause: str) -> None:
    kept = {row.number: row for row in read(RESEARCH / "agreement.csv")}
    assert why(kept[number]).cause == cause
    with (RESEARCH / "falls.csv").open(encoding="utf-8") as file:
        assert {row["number"]: row["cause"] for row in csv.DictReader(file)}[str(number)] == cause


def test_all_falls_of_mujoco_alone_were_looked_into() -> None:
    alone = [
        row
        for row in read(RESEARCH / "agreement.csv")
        if row.statics and row.mujoco is False and is_decided(row)
    ]
    with (RESEARCH / "falls.csv").open(encoding="utf-8") as file:
        looked = {int(row["number"]): row["cause"] for row in csv.DictReader(file)}
    assert sorted(looked) == sorted(row.number for row in alone)
    assert "not found" not in looked.values()


@pytest.mark.soak
def test_the_whole_set() -> None:
    # the table in the repository grows until it is whole
    file = RESEARCH / "agreement.csv"
    rows: list[Row] = list(collect(range(520), file, cra_every=5))
    assert sum(is_near(row) for row in rows) >= 250
    # closer than that rbe's pyramid of friction and the tension it is forgiven decide
    count, agreed = together([row for row in rows if is_decided(row)], "statics", "rbe")
    assert agreed == count > 0
    few = [row for row in rows if row.pieces < 10 and is_decided(row)]
    count, agreed = together(few, "statics", "dynamics")
    assert agreed >= 0.99 * count > 0


def test_the_bench_of_motion_asks_mujoco() -> None:
    from peer_motion import in_mujoco

    asked = [
        "brick: 20 rad/s stop after, s",
        "ring rolls 1.5 s: loss, %",
        "block topples from 5 degrees, s",
        "box, restitution 0.5",
    ]
    with in_mujoco(AS_IT_COMES):
        found = {what: EXPERIMENTS[what](TUNING) for what in asked}
    # it knows no restitution, and a ring is made of hulls
    assert [reading.holds for reading in found.values()] == [True, False, True, False]
    table = (RESEARCH / "PEERS.md").read_text(encoding="utf-8")
    for what, reading in found.items():
        assert f"| {what} | {reading.low:.3g} to {reading.high:.3g} | " in table
        (row,) = [line for line in table.splitlines() if line.startswith(f"| {what} | ")]
        assert float(row.split("|")[3].strip(" *")) == pytest.approx(reading.value, rel=0.01)
