"""Sweeps: rows agree with checks, tables are never lost, and advice is sound."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from statics_scenes import box, piece, pose, scene

from teeter.engine.geometry.drop import DropTarget
from teeter.engine.pose import Pose
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.errors import SweepError
from teeter.engine.topple.laboratory.noise import Noise
from teeter.engine.topple.laboratory.results_table import ResultsTable, merged
from teeter.engine.topple.laboratory.spots import axis_of, spots_of
from teeter.engine.topple.laboratory.sweep import (
    COLUMNS,
    NOISY_COLUMNS,
    SweepPlace,
    SweepRow,
    Terms,
    best,
    case,
    judge_case,
    judge_place,
    key_of,
    study,
)
from teeter.engine.topple.verdict import CheckOptions, check
from teeter.engine.world.body import Assembly, Body
from teeter.scenes.load import load

BASE = box("base", (60, 40, 60), pose(0, 0, 30))
TOP = box("top", (60, 30, 10), pose(0, 0, 65))


def place(number: int, x: float, body: Body = TOP) -> SweepPlace:
    at = body.at(Pose((x / 1e3, 0.0, body.pose.position[2]), body.pose.orientation))
    return SweepPlace(number, x, 0.0, 0.0, at)


# -- rows ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("x", [-45.0, -30.2, -10.0, 0.0, 29.0, 30.1, 33.0])
def test_a_row_is_what_a_check_says(x: float) -> None:
    """The top's centre leaves the base at 30 mm; within half a millimetre of that the simulation is asked."""
    row = judge_place(study(scene(BASE)), place(0, x))
    whole = scene(BASE, TOP.at(Pose((x / 1e3, 0.0, 0.065))))
    assert row.verdict == check(whole, CheckOptions(workers=1)).word
    assert row.judge == ("dynamics" if abs(abs(x) - 30.0) < 0.5 else "statics")
    if row.verdict == "stands":
        assert row.tilt_deg == pytest.approx(analyse(whole).tilt_deg, abs=1e-3)
        assert row.weakest == "top"


def test_places_that_are_taken_or_in_the_air() -> None:
    wall = box("wall", (20, 40, 90), pose(50, 0, 45))
    common = study(scene(BASE, wall))
    assert judge_place(common, place(0, 20.0)).verdict == "overlaps"
    lifted = place(1, 0.0, TOP.at(pose(0, 0, 140)))
    assert judge_place(common, lifted).verdict == "apart"
    assert judge_place(common, SweepPlace(2, 900.0, 0.0, 0.0, None)).verdict == "apart"
    assert judge_place(common, place(3, 0.0)).verdict == "stands"


def test_rows_do_not_hang_on_each_other() -> None:
    common = study(scene(BASE))
    places = [place(number, x) for number, x in enumerate((-40.0, 31.0, 12.0, -3.0))]
    rows = [judge_place(common, place) for place in places]
    assert rows[::-1] == [judge_place(study(scene(BASE)), place) for place in places[::-1]]
    assert [row.key for row in rows] == [key_of(common, one) for one in places]


def test_keys_tell_whatever_changes_an_answer() -> None:
    smooth = box("base", (60, 40, 60), pose(0, 0, 30), 0.1)
    moved = box("base", (60, 40, 60), pose(0, 1e-3, 30))
    studies = [
        study(scene(BASE)),
        study(scene(BASE), Terms(CheckOptions(seed=1, workers=1))),
        study(scene(BASE), Terms(CheckOptions(tilt=0.1, workers=1))),
        study(scene(BASE), Terms(CheckOptions(tilt=0.1, tilt_direction=1.0, workers=1))),
        study(scene(BASE), Terms(CheckOptions(engine="rapier", workers=1))),
        study(scene(BASE), Terms(noise=Noise(0.001), copies=10)),
        study(scene(BASE), Terms(noise=Noise(0.001), copies=20)),
        study(scene(BASE), Terms(noise=Noise(0.002), copies=10)),
        study(scene(BASE), margins=False),
        study(scene(smooth)),
        study(scene(moved)),
    ]
    longer = SweepPlace(0, 0.0, 0.0, 0.0, Body("top", piece(box=[61, 30, 10]), pose(0, 0, 65)))
    keys = [key_of(one, place(0, 0.0)) for one in studies] + [key_of(studies[0], longer)]
    assert len(set(keys)) == len(keys)
    assert key_of(study(scene(BASE)), place(7, 0.0)) == keys[0]


def test_whole_scenes() -> None:
    rows = [
        judge_case(case(number, load(name).assembly))
        for number, name in enumerate(("two_bricks", "slope_above"))
    ]
    assert [row.verdict for row in rows] == ["stands", "topples"]
    assert rows[0].tilt_deg == pytest.approx(21.8014, abs=1e-3)


def test_advice_prefers_margin_then_room() -> None:
    def row(number: int, x: float, verdict: str, tilt: float | None) -> SweepRow:
        return SweepRow(number, "s", x, 0.0, 0.0, 0.0, verdict, "statics", tilt, None, str(number))  # type: ignore[arg-type]

    rows = [
        row(0, 0, "topples", 0.0),
        row(1, 10, "stands", 5.0),
        row(2, 20, "stands", 5.0),
        row(3, 30, "stands", 4.0),
    ]
    rows.append(row(4, 40, "unsure", 9.0))
    assert [one.number for one in best(rows, 3)] == [2, 1, 3]
    assert best(rows, 0) == []


# -- where a piece comes to lie --------------------------------------------------------------------------------


@pytest.mark.parametrize(("x", "height"), [(0.0, 65.0), (50.0, 95.0), (300.0, 5.0), (5000.0, None)])
def test_a_piece_is_let_down_to_first_contact(x: float, height: float | None) -> None:
    wall = box("wall", (20, 40, 90), pose(50, 0, 45))
    found = DropTarget.of(scene(BASE, wall).bodies).dropped(TOP.at(pose(x, 0, 500)))
    assert (None if found is None else found.pose.position[2] * 1e3) == (
        None if height is None else pytest.approx(height, abs=1e-6)
    )


def test_letting_down_agrees_with_loading_a_scene() -> None:
    tower = load("tower").assembly
    target = DropTarget.of(tower.bodies)
    for x in (0.0, 13.0, 35.0, 52.0, 120.0):
        alone = max(
            (DropTarget.of([body]).dropped(TOP.at(pose(x, 3, 700))) for body in tower.bodies),
            key=lambda body: -1.0 if body is None else body.pose.position[2],
        )
        assert target.dropped(TOP.at(pose(x, 3, 700))) == alone


# -- axes ------------------------------------------------------------------------------------------------------


def test_axes_and_their_combinations() -> None:
    assert axis_of("-20:20:5", "--x") == [-20.0, -10.0, 0.0, 10.0, 20.0]
    assert axis_of("7.5", "--x") == [7.5]
    spots = spots_of([1.0, 2.0], [5.0, 6.0], [0.0, 90.0], None, 0)
    assert spots[:3] == [(1.0, 5.0, 0.0), (2.0, 5.0, 0.0), (1.0, 6.0, 0.0)]
    assert len(spots) == 8
    random = spots_of([-20.0, 20.0], [0.0], [0.0, 90.0], 500, 3)
    assert (
        random
        == spots_of([-20.0, 20.0], [0.0], [0.0, 90.0], 500, 3)
        != spots_of([-20, 20], [0], [0, 90], 500, 4)
    )
    assert all(-20 <= x <= 20 and y == 0 and 0 <= yaw <= 90 for x, y, yaw in random)
    assert len({x for x, _, _ in random}) == 500


@pytest.mark.parametrize(
    "words", ["", "a", "1:2", "1:2:0", "1:2:-3", "1:2:3:4", "nan", "0:inf:3", "1:2:1", "1:2:2.5"]
)
def test_axes_that_make_no_sense(words: str) -> None:
    with pytest.raises(SweepError, match="--x = "):
        axis_of(words, "--x")


# -- the table -------------------------------------------------------------------------------------------------


def row(number: int) -> SweepRow:
    return SweepRow(
        number, "a,b", number / 3, -0.1, 25.0, 90.0, "stands", "statics", 5.25, None, f"{number:016x}"
    )


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_table_is_gone_on_with(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t{ending}"
    table = ResultsTable(path)
    for number in (2, 0):
        table.add(row(number))
    table.close()
    # cut off in the middle of a row, as by a power cut
    growing = next(iter(tmp_path.iterdir()))
    growing.write_bytes(growing.read_bytes() + b"1,a")
    table = ResultsTable(path)
    assert list(table.rows.values()) == [row(2), row(0)]
    table.add(row(1))
    table.finish([row(number) for number in (0, 1, 2)])
    assert sorted(each.name for each in tmp_path.iterdir()) == [path.name]
    again = ResultsTable(path)
    assert list(again.rows.values()) == [row(0), row(1), row(2)]
    again.close()
    # a finer grid keeps the rows it knows, another sweep none that are not its own
    ResultsTable(path, keys={row(number).key for number in range(6)}).close()
    before = path.read_bytes()
    with pytest.raises(SweepError, match="holds 2 rows of another sweep: give another name, or keep this"):
        ResultsTable(path, keys={row(1).key, row(5).key})
    assert path.read_bytes() == before
    last = ResultsTable(path, keys={row(1).key, row(5).key}, force=True)
    assert list(last.rows.values()) == [row(1)]
    last.finish([row(1)])
    assert merged([path]).rows == [row(1)]


@pytest.mark.parametrize("begun", [None, (4, "ab")])
@pytest.mark.parametrize("whole", [None, (4, "ab")])
def test_a_shard_begun_by_an_earlier_version_goes_on_and_says_of_what(
    tmp_path: Path, begun: tuple[int, str] | None, whole: tuple[int, str] | None
) -> None:
    path = tmp_path / "t.csv"
    first = ResultsTable(path, whole=begun)
    first.add(row(1))
    first.close()
    table = ResultsTable(path, whole=whole)
    table.add(row(2))
    # cut off there, and finished
    last = whole if begun else None
    assert (merged([path]).rows, merged([path]).is_certain) == ([row(1), row(2)], last is not None)
    table.finish([row(1), row(2)])
    assert merged([path]).missing == ([0, 3] if whole else [0])
    assert path.read_text("utf-8").splitlines()[0].endswith(",sweep_rows,sweep") is (whole is not None)


def test_parquet_holds_numbers(tmp_path: Path) -> None:
    from pyarrow import parquet

    table = ResultsTable(tmp_path / "t.parquet")
    table.finish([replace(row(1), x_mm=None)])
    found = parquet.read_table(tmp_path / "t.parquet")
    assert tuple(found.column_names) == COLUMNS
    assert found.to_pylist()[0]["x_mm"] is None
    assert found.to_pylist()[0]["tilt_deg"] == 5.25


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_text("name,value\n1,2\n"),
        lambda path: path.write_text(",".join(COLUMNS) + "\n1,2\n"),
        lambda path: path.write_bytes(b"\x00\xff\n\n"),
    ],
)
def test_another_file_of_that_name_is_left_alone(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    path = tmp_path / "t.csv"
    spoil(path)
    before = path.read_bytes()
    with pytest.raises(SweepError, match="another name"):
        ResultsTable(path)
    assert path.read_bytes() == before


def test_a_parquet_file_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_text("no parquet")
    with pytest.raises(SweepError, match="damaged"):
        ResultsTable(path)


def test_an_assembly_named_alike_but_different_has_other_keys() -> None:
    one, two = Assembly("s", scene(BASE).bodies), Assembly("s", scene(BASE, TOP).bodies)
    assert case(0, one).key != case(0, two).key
    assert not math.isnan(float(judge_case(case(0, one)).tilt_deg or 0.0))


@pytest.mark.parametrize(
    "name", ["=1+1", "@b", "+3", "-2+3", "\tx", "\rx", "'quoted", "''=1", "＝1", "plain"]
)
def test_a_spreadsheet_shows_names_as_text_and_a_table_gives_them_back(tmp_path: Path, name: str) -> None:
    row = replace(judge_place(study(scene(BASE)), place(0, 0.0)), weakest=name, scene=name)
    table = ResultsTable(tmp_path / "t.csv")
    table.add(row)
    table.close()
    for _ in range(2):  # while it grows, and when it was finished and is gone on with
        again = ResultsTable(tmp_path / "t.csv")
        assert [(each.weakest, each.scene) for each in again.rows.values()] == [(name, name)]
        again.finish([row])
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        cells = next(csv.DictReader(file))
    assert cells["weakest"][0] not in "=+-@\t\r＝"
    assert cells["x_mm"] == "0.0"


# -- terms ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("x", [22.0, 36.0])
def test_the_share_of_noisy_copies_is_that_of_two_normal_displacements(x: float) -> None:
    """The slab stands as long as its middle lies above the base, 30 mm to each side; both are misplaced."""
    noise, copies = Noise(0.006, seed=4), 100
    row = judge_place(study(scene(BASE), Terms(noise=noise, copies=copies)), place(0, x))
    assert row.chance is not None
    assert row.chance_low is not None
    assert row.chance_high is not None
    exact = (1 + math.erf((30.0 - x) / (6.0 * math.sqrt(2)) / math.sqrt(2))) / 2
    assert abs(row.chance - exact) <= 3 * math.sqrt(exact * (1 - exact) / copies) + 0.01
    assert row.chance_low < row.chance < row.chance_high


def test_a_tilted_table_takes_its_tilt_off_the_margin() -> None:
    level = judge_place(study(scene(BASE)), place(0, 20.0))
    assert level.tilt_deg is not None
    for off, word in ((-0.5, "stands"), (0.5, "topples")):
        tilt = math.radians(level.tilt_deg + off)
        row = judge_place(study(scene(BASE), Terms(CheckOptions(tilt=tilt, workers=1))), place(0, 20.0))
        assert row.verdict == word
        assert row.verdict == check(scene(BASE, place(0, 20.0).body or TOP), CheckOptions(tilt=tilt)).word


def test_a_table_with_noise_is_no_table_without(tmp_path: Path) -> None:
    row = judge_place(study(scene(BASE), Terms(noise=Noise(0.001), copies=20)), place(0, 5.0))
    for ending in ("csv", "parquet"):
        path = tmp_path / f"rows.{ending}"
        table = ResultsTable(path, NOISY_COLUMNS)
        table.add(row)
        table.finish([row])
        again = ResultsTable(path, NOISY_COLUMNS)
        again.close()
        assert again.rows == {row.key: row}
        with pytest.raises(SweepError, match="without --noise"):
            ResultsTable(path)
        assert (merged([path]).rows, merged([path]).columns) == ([row], NOISY_COLUMNS)
    plain = tmp_path / "plain.csv"
    ResultsTable(plain).close()
    with pytest.raises(SweepError, match="with --noise"):
        merged([tmp_path / "rows.csv", plain])
