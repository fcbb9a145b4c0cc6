"""Many scenes at once: the batch beside one at a time, beside a closed form, and what is left by an interrupt."""

from __future__ import annotations

import math
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pyarrow
import pytest
from random_stacks import CUBE, rooms, stack

import teeter
from teeter.engine.topple.balance.safety_margin import safe_verdict, safety_margin_of
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.topple.laboratory.crowd import contacts_of_crowd, labels
from teeter.engine.world.body import DOWN, tilted_gravity
from teeter.scenes.load import shipped

SPREAD = (6.0, 12.0, 16.0)
"""Millimetres between neighbours, at most: all stand, some fall, most fall."""


def test_labels_are_those_of_the_closed_form() -> None:
    stacks = [stack(seed, SPREAD[seed % 3]) for seed in range(150)]
    found = teeter.check_many(stacks, method="statics", workers=1)
    margin = 1e3 * safety_margin_of(stacks[0].assembly)
    for scene, row in zip(stacks, found.rows, strict=True):
        room = rooms(scene)
        if abs(room) > margin + 1e-6:
            assert row.word == ("stands" if room > 0 else "topples") or row.why, row
            assert room < 0 or row.word == "stands", row
        elif abs(room) < margin - 1e-6:
            assert (row.word, bool(row.why)) == ("unsure", True), row
    words = [row.word for row in found.rows]
    assert all(words.count(word) > 5 for word in ("stands", "topples", "unsure"))


def test_the_batch_says_what_one_at_a_time_says() -> None:
    stacks = [stack(seed, SPREAD[seed % 3], pieces=seed % 4 + 2).assembly for seed in range(60)]
    pulls = [DOWN if seed % 2 else tilted_gravity(0.05 * (seed % 5), seed) for seed in range(60)]
    for scene, pull, label in zip(stacks, pulls, labels(stacks, pulls), strict=True):
        one = safe_verdict(scene, gravity=pull)
        assert label.stands == (None if one is None else one.stands)
        assert label.first == (None if one is None else one.first)
        if label.tilt_deg is not None:
            assert label.tilt_deg == pytest.approx(analyse(scene).tilt_deg, abs=1e-4)


def test_scenes_side_by_side_have_the_contacts_they_have_alone() -> None:
    scenes = [
        teeter.load(name).assembly
        for name in ("bridge", "arch", "two_bricks", "ball_between_cylinders", "egg_in_eggcup")
    ]
    for scene, found in zip(scenes, contacts_of_crowd(scenes), strict=True):
        alone = find_contacts(scene)
        for name in ("names", "curved", "floating"):
            assert getattr(found, name) == getattr(alone, name), (scene.name, name)
        assert [(each.first, each.second) for each in found.overlaps] == [
            (each.first, each.second) for each in alone.overlaps
        ]
        for name in ("first", "second"):
            assert np.array_equal(getattr(found, name), getattr(alone, name)), (scene.name, name)
        assert np.array_equal(np.diff(found.patch), np.diff(alone.patch)), scene.name
        # a polygon may begin at another of its corners
        ours, theirs = (
            sorted(zip(each.patch - each.patch.min(initial=999), each.points.round(7).tolist(), strict=True))
            for each in (found, alone)
        )
        assert np.allclose([point for _, point in ours], [point for _, point in theirs], atol=2e-7), (
            scene.name
        )
        assert np.allclose(found.normals, alone.normals, atol=1e-9)


def test_what_statics_is_not_sure_of_is_said_with_its_reason() -> None:
    hung = teeter.build([CUBE | {"id": "a", "position": [0, 0, 80]}], drop=True)
    found = teeter.check_many([hung, "ball_on_ball", stack(3, 15.0)], method="statics", workers=1)
    assert [row.word for row in found.rows[:2]] == ["unsure", "unsure"]
    assert found.rows[0].why == "a rests on nothing that stands"
    assert "curved" in (found.rows[1].why or "")
    scene = teeter.build([CUBE | {"id": "a", "position": [0, 0]}, CUBE | {"id": "b", "position": [60, 0]}])
    poses = np.array([[[0, 0, 15, 0, 0, 0, 1], [10.0, 0, 15, 0, 0, 0, 1]]])
    assert teeter.check_many((scene, poses), method="statics").rows[0].why == "a and b overlap by 20 mm"


def poses_of(scene: Any) -> Any:
    return [[*(1e3 * np.array(body.pose.position)), *body.pose.orientation] for body in scene.assembly.free]


def test_poses_are_scenes_without_building_them() -> None:
    stacks = [stack(seed, 14.0) for seed in range(40)]
    poses = np.array([poses_of(scene) for scene in stacks])
    one, other = (
        teeter.check_many(many, method="statics", workers=1) for many in (stacks, (stacks[0], poses))
    )
    assert [row.word for row in one.rows] == [row.word for row in other.rows]
    assert {row.scene for row in other.rows} == {stacks[0].name}
    for wrong, words in (
        (poses[:, :3], r"\(40, 3, 7\): .* has 4 free pieces"),
        (poses * [1, 1, 1, 2, 2, 2, 2], "length 1"),
        (poses * [np.nan, 1, 1, 1, 1, 1, 1], "finite"),
    ):
        with pytest.raises(teeter.TeeterError, match=words):
            teeter.check_many((stacks[0], wrong))
    with pytest.raises(teeter.TeeterError, match="is one scene; give a list"):
        teeter.check_many("arch")
    with pytest.raises(teeter.TeeterError, match="method = 'fast'"):
        teeter.check_many(stacks, method="fast")  # type: ignore[arg-type]


def test_a_full_check_of_many_is_the_check_of_each_in_order_whoever_does_it() -> None:
    stacks = [stack(seed, 16.0, pieces=2) for seed in range(4)]
    alone = [teeter.check(scene, workers=1) for scene in stacks]
    with ProcessPoolExecutor(2) as processes, ThreadPoolExecutor(2) as threads:
        many = [
            teeter.check_many(stacks, workers=2),
            teeter.check_many(stacks, executor=processes),
            teeter.check_many(stacks, executor=threads),
        ]
    for found in many:
        assert found.rows == many[0].rows
        assert found.columns["word"].tolist() == [each.word for each in alone]
        assert found.columns["scene"].tolist() == [each.scene for each in alone]
        assert found.columns["number"].tolist() == [0, 1, 2, 3]
        # where the closed form has it, to the solver's rounding
        assert found.columns["tilt_deg"].tolist() == pytest.approx(
            [each.statics.tilt_deg for each in alone], abs=1e-5
        )
    assert {"stands", "topples"} == set(many[0].columns["word"])


def test_noise_and_sweeps_are_the_same_whoever_does_them() -> None:
    """Also by another engine than workers have by themselves."""

    def asked(**how: Any) -> tuple[Any, Any]:
        noise = teeter.noise(leaning, position_mm=1.0, samples=10, engine="rapier", **how)
        sweep = teeter.sweep("two_bricks", "slab", x=(-60, 60, 5), y=0, noise_mm=1, copies=2, **how)
        return noise, sweep

    leaning = stack(2, 12.0, pieces=2)
    alone = asked(workers=1)
    assert {"stands", "topples"} <= {row.verdict for row in alone[1]}
    with ProcessPoolExecutor(2, get_context("spawn")) as processes, ThreadPoolExecutor(2) as threads:
        assert asked(executor=processes) == asked(executor=threads) == alone


def test_the_columns_make_a_table() -> None:
    found = teeter.check_many([stack(1, 6.0), stack(2, 20.0), "ball_on_ball"], method="statics")
    table = pyarrow.table(found.columns)
    assert table.column_names == ["number", "scene", "word", "judge", "tilt_deg", "first", "why"]
    assert table.column("word").to_pylist() == ["stands", "topples", "unsure"]
    tilts = table.column("tilt_deg").to_pylist()
    assert (tilts[1], math.isnan(tilts[2])) == (0.0, True)


@pytest.mark.parametrize("executor", [None, "threads"])
def test_an_interrupt_keeps_what_was_found(executor: str | None) -> None:
    stacks = [stack(seed, 6.0) for seed in range(100)]

    def stop(done: int, of: int) -> None:
        if done >= 64:
            os.kill(os.getpid(), signal.SIGINT)
            threading.Event().wait(1.0)

    with ThreadPoolExecutor(1) as threads, pytest.raises(teeter.Interrupted) as stopped:
        teeter.check_many(
            stacks, method="statics", executor=threads if executor else None, workers=1, progress=stop
        )
    found = stopped.value.done
    assert isinstance(stopped.value, KeyboardInterrupt)
    assert (len(found), found.total) == (64, 100)
    assert [row.number for row in found] == list(range(64))
    assert found.rows == teeter.check_many(stacks[:64], method="statics", workers=1).rows


def test_every_shipped_scene_that_statics_is_sure_of_has_the_verdict_it_is_shipped_with() -> None:
    names = [name for name in shipped() if name != "ruler_stack"]
    found = teeter.check_many(names, method="statics", workers=1)
    sure = {row.scene: row.word for row in found.rows if row.word != "unsure"}
    assert len(sure) > 3
    for name, word in sure.items():
        assert (expect := teeter.load(name).loaded.head.expect) is None or expect.verdict == word, name
