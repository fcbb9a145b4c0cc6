"""Data sets: what is read back is what was judged, splits leak nothing, and nothing is left of what fails."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml  # type: ignore[import-untyped]
from needs import need
from pyarrow import parquet
from random_stacks import SIDE, rooms, stack

import teeter

SCENES = 60
NAMES = ("train", "validation", "test")


def rows_of(folder: Path) -> dict[str, list[dict[str, Any]]]:
    return {name: parquet.read_table(folder / "data" / f"{name}.parquet").to_pylist() for name in NAMES}


@pytest.fixture(scope="module")
def stacks() -> list[teeter.Scene]:
    return [stack(seed, 12.0) for seed in range(SCENES)]


def test_what_is_read_back_is_what_was_judged(stacks: list[teeter.Scene], tmp_path: Path) -> None:
    told = []
    made = teeter.write_dataset(
        tmp_path / "stacks",
        iter(stacks),
        method="statics",
        workers=1,
        progress=lambda *pair: told.append(pair),
    )
    rows = rows_of(made.folder)
    assert made.rows == {name: len(rows[name]) for name in NAMES}
    assert sum(made.rows.values()) == SCENES
    assert min(made.rows.values()) > 0
    assert told[-1] == (SCENES, SCENES)
    found = teeter.check_many(stacks, method="statics", workers=1).rows
    for row in (row for name in NAMES for row in rows[name]):
        scene, answer = stacks[row["number"]], found[row["number"]]
        assert (row["word"], row["scene"], row["tilt_deg"]) == (answer.word, answer.scene, answer.tilt_deg)
        # by the file alone: a cube topples whose load passes outside of the square below
        assert row["word"] in ("unsure", "stands" if rooms(scene) > 0 else "topples")
        cubes = [piece for piece in row["pieces"] if not piece["fixed"]]
        assert [cube["name"] for cube in cubes] == list(scene.ids)
        for cube in cubes:
            piece = scene.pieces[cube["name"]]
            np.testing.assert_allclose(cube["position"], piece.position_mm, atol=1e-6)
            np.testing.assert_allclose(cube["size"], [SIDE] * 3)
            assert cube["mass"] == pytest.approx(piece.mass_g, abs=1e-6)
            assert math.dist(cube["quaternion"], piece.quaternion) < 1e-12
    card = (made.folder / "README.md").read_text("utf-8")
    head = yaml.safe_load(card.split("---")[1])
    files = {each["split"]: each["path"] for each in head["configs"][0]["data_files"]}
    assert files == {name: f"data/{name}.parquet" for name in NAMES}
    for name in NAMES:
        counts = [sum(row["word"] == word for row in rows[name]) for word in ("stands", "topples", "unsure")]
        assert f"| {name} | {made.rows[name]} | {' | '.join(map(str, counts))} |" in card


def test_a_scene_stays_in_its_split_and_equal_scenes_are_in_one(
    stacks: list[teeter.Scene], tmp_path: Path
) -> None:
    def splits(name: str, scenes: list[teeter.Scene], seed: int) -> dict[str, set[str]]:
        made = teeter.write_dataset(tmp_path / name, scenes, method="statics", seed=seed, workers=1)
        return {name: {row["key"] for row in rows} for name, rows in rows_of(made.folder).items()}

    few, many = splits("few", stacks[:30], 3), splits("many", [*stacks, *stacks], 3)
    assert all(few[name] <= many[name] for name in NAMES)
    assert sum(map(len, many.values())) == SCENES
    assert splits("other", stacks, 4) != splits("same", stacks, 3)


@pytest.mark.slow
def test_pictures_are_of_their_scenes(tmp_path: Path) -> None:
    need("OpenGL")
    made = teeter.write_dataset(tmp_path / "two", ["two_bricks", "arch"], pictures=True, workers=1)
    rows = {row["scene"]: row for rows in rows_of(made.folder).values() for row in rows}
    for name, row in rows.items():
        assert row["picture"]["bytes"] == teeter.load(name)._repr_png_()
        assert row["word"] == "stands"


def test_what_cannot_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "kept.txt").write_text("mine")

    def scenes() -> Any:
        raise AssertionError("nothing is judged")
        yield

    for folder, options, told in (
        ("full", {}, "is there already"),
        ("none/where", {}, "there is no folder"),
        ("x", {"splits": {"train": 0.8}}, "add up to 1"),
        ("x", {"splits": {"train": 2.0, "test": -1.0}}, "above 0"),
        ("x", {"splits": {"../train": 1.0}}, "no name of a file"),
    ):
        with pytest.raises(teeter.TeeterError, match=told):
            teeter.write_dataset(tmp_path / folder, scenes(), **options)  # type: ignore[arg-type]
    with pytest.raises(teeter.TeeterError, match="nosuch"):
        teeter.write_dataset(tmp_path / "x", ["two_bricks", "nosuch"], workers=1)
    assert [path.name for path in tmp_path.iterdir()] == ["full"]
