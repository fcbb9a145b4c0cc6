"""Answers as data: forces, interfaces and poses beside closed forms, in Python and as JSON."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from random_stacks import rooms, stack

import teeter

G = 9.81


def test_interfaces_carry_what_is_above_them_where_the_squares_say() -> None:
    scene = stack(4, 8.0)
    verdict = teeter.check(scene, workers=1)
    found, points = verdict.interfaces, verdict.contacts
    weight = scene.pieces["cube.0"].mass_g * 1e-3 * G
    carried = sorted(np.abs(found["fz_n"]))
    assert carried == pytest.approx([weight * count for count in (1, 2, 3, 4)], rel=1e-6)
    assert found["room_mm"].min() == pytest.approx(rooms(scene), abs=1e-4)
    assert found["used"] == pytest.approx(0.0, abs=1e-5)
    assert found["area_mm2"].max() == pytest.approx(900.0)
    # the points of an interface pass on its resultant
    for number, total in enumerate(found["fz_n"]):
        assert points["fz_n"][points["interface"] == number].sum() == pytest.approx(total)
    top = verdict.rest["z_mm"][verdict.rest["piece"].tolist().index("cube.3")]
    assert top == pytest.approx(105.0, abs=0.1)
    assert not verdict.rest["fell"].any()


def test_the_share_of_the_friction_is_that_of_the_slope() -> None:
    brick = {"id": "brick", "shape": {"box": [90, 60, 15]}, "material": "beech", "position": [0, 0]}
    verdict = teeter.check(teeter.build([brick]), tilt_deg=10, tilt_direction_deg=90, friction=0.4, workers=1)
    share = math.tan(math.radians(10)) / 0.4
    assert verdict.interfaces["used"] == pytest.approx(share, rel=1e-6)
    assert verdict.contacts["friction"] == pytest.approx(0.4)
    # the line of force leans downhill: half the height times the slope
    assert abs(verdict.interfaces["y_mm"][0]) == pytest.approx(7.5 * math.tan(math.radians(10)), rel=1e-4)


def test_the_trajectory_is_that_of_the_trial_that_decided() -> None:
    stands = teeter.check("two_bricks", workers=1)
    path = stands.trajectory
    assert {len(column) for column in path.values()} == {len(path["time_s"])}
    assert set(path["piece"]) == {"lower", "slab"}
    assert np.diff(path["time_s"][::2]) == pytest.approx(1 / 60, abs=1e-9)
    # it ends where the piece came to rest
    assert path["z_mm"][-2:].tolist() == stands.rest["z_mm"].tolist()
    falls = teeter.check(stack(8, 25.0), workers=1)
    path = falls.trajectory
    top = path["z_mm"][path["piece"] == "cube.3"]
    assert (top[0] > 100, top[-1] < 50) == (True, True)


def test_compas_reads_blocks_interfaces_and_forces(tmp_path: Path) -> None:
    import compas

    verdict = teeter.check("arch", workers=1)
    found = compas.json_load(str(verdict.compas(tmp_path / "arch.json")))
    blocks = {node: found.graph.node_attribute(node, "block") for node in found.graph.nodes()}
    assert {block.name for block in blocks.values()} == {*verdict.loaded.ids, "ground"}
    sizes, weight = [], 0.0
    for edge in found.graph.edges():
        (one,) = found.graph.edge_attribute(edge, "interfaces")
        sizes.append(one.size * 1e6)
        (line,) = one.resultantforce
        if "springer.left" in {blocks[node].name for node in edge}:
            weight += abs(line.vector.z)
    assert sorted(sizes) == pytest.approx(sorted(verdict.interfaces["area_mm2"]))
    at = verdict.interfaces["second"] == "springer.left"
    at |= verdict.interfaces["first"] == "springer.left"
    assert weight == pytest.approx(np.abs(verdict.interfaces["fz_n"][at]).sum())
    # and so does teeter: supports, blocks, the same margin
    again = teeter.check(tmp_path / "arch.json", friction=0.45, workers=1)
    alone = teeter.check("arch", friction=0.45, workers=1)
    assert again.statics.tilt_deg == pytest.approx(alone.statics.tilt_deg, abs=0.01)


def test_forces_that_nobody_knows_are_nan_and_null() -> None:
    verdict = teeter.check("ball_between_cylinders", workers=1)
    assert verdict.statics.stands is not None
    assert np.isnan(verdict.contacts["fz_n"]).all()
    gone = teeter.check(stack(8, 25.0), workers=1)
    assert gone.word == "topples"
    assert np.isnan(gone.contacts["normal_n"]).all()
    assert gone.rest["fell"].any()
    written = gone.to_json(data=True)
    assert written["contacts"]["normal_n"] == [None] * len(gone.contacts["normal_n"])
    assert json.loads(json.dumps(written, allow_nan=False)) == written


def test_the_command_adds_them_when_asked() -> None:
    command = [sys.executable, "-m", "teeter.games", "check", "two_bricks", "--workers", "1"]
    found = subprocess.run([*command, "--json", "--data"], capture_output=True, text=True, check=True)
    written = json.loads(found.stdout)
    verdict = teeter.check("two_bricks", workers=1)
    assert written["interfaces"]["second"] == verdict.interfaces["second"].tolist()
    assert len(written["contacts"]["x_mm"]) == len(verdict.contacts["x_mm"]) == 8
    assert written["rest"]["piece"] == ["lower", "slab"]
    refused = subprocess.run([*command, "--data"], capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--json" in refused.stderr
