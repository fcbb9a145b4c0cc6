"""Recordings exported as animated glTF: read back by pygltflib and compared with the recording, pose by pose."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pygltflib
import pytest
from typer.testing import CliRunner

from teeter.engine.geometry.rotation import angle_between
from teeter.engine.pose import Pose
from teeter.engine.record.format import state_digest
from teeter.engine.record.gltf import TOLERANCE, glb_of_replay, keys_of_places, keys_of_turns
from teeter.engine.record.meta import BodyMeta, Meta, Versions, fingerprint
from teeter.engine.record.reader import Replay, load
from teeter.engine.record.writer import Recorder
from teeter.engine.world.body import Body
from teeter.games.cli import app
from teeter.models.build import build
from teeter.models.spec import parse

BOX = build(parse({"model": "test/box", "shape": {"box": [60, 30, 15]}, "material": "beech"}, "test"))
RATE = 240
COMPONENTS = {5126: "<f4", 5122: "<i2", 5123: "<u2"}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


def tumbling(seconds: float) -> np.ndarray[Any, Any]:
    """A piece that flies a parabola and spins faster and faster."""
    angle = 3.0 * seconds + 2.0 * seconds**2
    axis = np.array([1.0, 2.0, -0.5]) / np.linalg.norm([1.0, 2.0, -0.5])
    place = [0.3 * seconds, 0.05 * math.sin(9 * seconds), 0.2 + 1.5 * seconds - 4.905 * seconds**2]
    return np.array([*place, *(axis * math.sin(angle / 2)), math.cos(angle / 2)])


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Replay:
    path = tmp_path_factory.mktemp("export") / "toss.teeter"
    meta = Meta(
        game="toss",
        seed=0,
        rate=RATE,
        bodies=tuple(
            BodyMeta(id=name, spec={"shape": {"box": [60, 30, 15]}}) for name in ("flier", "guest", "rock")
        ),
        versions=Versions.installed(),
        platform=fingerprint(),
    )
    still = np.array([0.2, 0.1, 0.0075, 0, 0, 0, 1.0])
    with Recorder(path, meta) as recorder:
        recorder.checkpoint(0, {"rock": still}, state_digest(("rock",), still[None]))
        for step in range(0, 2 * RATE, 4):
            frame = {"flier": tumbling(step / RATE), "rock": still}
            if 100 <= step < 300:
                frame["guest"] = still + np.array([0, step / 1000, 0.1, 0, 0, 0, 0])
            recorder.frame(step, frame)
        recorder.close({"winners": [], "reason": "over"})
    return load(path)


def bodies() -> list[Body]:
    return [Body(name, BOX, Pose((0.0, 0.0, 0.0))) for name in ("flier", "guest", "rock")]


class Player:
    """A glTF viewer's arithmetic, written from the specification and sharing nothing with the exporter."""

    def __init__(self, data: bytes) -> None:
        self.file = pygltflib.GLTF2.load_from_bytes(data)
        self.blob = self.file.binary_blob()
        self.nodes = {node.name: number for number, node in enumerate(self.file.nodes)}

    def values(self, number: int) -> np.ndarray[Any, Any]:
        accessor = self.file.accessors[number]
        view = self.file.bufferViews[accessor.bufferView]
        kind, width = np.dtype(COMPONENTS[accessor.componentType]), WIDTHS[accessor.type]
        assert view.byteOffset % kind.itemsize == 0
        assert accessor.count * width * kind.itemsize == view.byteLength
        flat = np.frombuffer(self.blob, kind, accessor.count * width, view.byteOffset).astype(float)
        return (flat / 32767 if accessor.normalized else flat).reshape(-1, width)

    def at(self, name: str, seconds: float) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], float]:
        node = self.file.nodes[self.nodes[name]]
        found = {
            "translation": np.array(node.translation or [0, 0, 0], float),
            "rotation": np.array(node.rotation or [0, 0, 0, 1], float),
            "scale": np.array(node.scale or [1, 1, 1], float),
        }
        animation = self.file.animations[0]
        for channel in animation.channels:
            if channel.target.node != self.nodes[name]:
                continue
            sampler = animation.samplers[channel.sampler]
            times, rows = self.values(sampler.input)[:, 0], self.values(sampler.output)
            assert (np.diff(times) > 0).all()
            key = int(np.clip(np.searchsorted(times, seconds, side="right") - 1, 0, len(times) - 1))
            if sampler.interpolation == "STEP" or key + 1 == len(times) or seconds <= times[0]:
                row = rows[key]
            else:
                part = (seconds - times[key]) / (times[key + 1] - times[key])
                row = self.mixed(channel.target.path, rows[key], rows[key + 1], part)
            found[channel.target.path] = row
        return found["translation"], found["rotation"], float(found["scale"][0])

    @staticmethod
    def mixed(
        path: str, a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], part: float
    ) -> np.ndarray[Any, Any]:
        if path != "rotation":
            return np.asarray(a + part * (b - a))
        a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
        cosine = float(a @ b)
        if cosine < 0:
            b, cosine = -b, -cosine
        angle = math.acos(min(cosine, 1.0))
        if angle < 1e-6:
            return a
        return np.asarray((math.sin((1 - part) * angle) * a + math.sin(part * angle) * b) / math.sin(angle))


def test_poses_read_back_at_50_random_times_are_those_of_the_recording(replay: Replay) -> None:
    player = Player(glb_of_replay(replay, bodies()))
    rng = np.random.default_rng(7)
    worst_mm = worst_deg = 0.0
    for seconds in rng.uniform(0.0, replay.seconds, 50):
        poses = replay.frame_at(float(seconds))
        for row, name in zip(poses, replay.meta.names, strict=True):
            place, turn, size = player.at(name, float(seconds))
            assert size == (0.0 if np.isnan(row).any() else 1.0)
            if size:
                worst_mm = max(worst_mm, 1e3 * float(np.linalg.norm(place - row[:3])))
                angle = angle_between(tuple(turn / np.linalg.norm(turn)), tuple(row[3:]))
                worst_deg = max(worst_deg, math.degrees(angle))
    assert 0.0 < worst_mm <= 0.05
    assert 0.0 < worst_deg <= 0.1


def test_what_lies_still_has_no_keys_and_pieces_of_a_kind_one_mesh(replay: Replay) -> None:
    player = Player(glb_of_replay(replay, bodies()))
    moved = {channel.target.node for channel in player.file.animations[0].channels}
    assert player.nodes["rock"] not in moved
    assert {player.nodes["flier"], player.nodes["guest"]} <= moved
    assert len(player.file.meshes) == 1
    place, turn, _ = player.at("rock", 1.0)
    assert np.allclose(place, [0.2, 0.1, 0.0075], atol=2e-5)
    assert np.allclose(turn, [0, 0, 0, 1], atol=1e-4)


def test_all_hang_below_a_node_that_turns_z_up_to_y_up(replay: Replay) -> None:
    file = Player(glb_of_replay(replay, bodies())).file
    root = file.nodes[file.scenes[0].nodes[0]]
    assert sorted(root.children) == [1, 2, 3]
    x, y, z, w = root.rotation
    up = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]
    assert np.allclose(up, [0, 1, 0], atol=1e-7)


@pytest.mark.parametrize("tolerance", [1e-5, TOLERANCE, 1e-3])
def test_fewer_keys_never_miss_a_frame_by_more_than_the_tolerance(tolerance: float) -> None:
    times = np.sort(np.random.default_rng(3).uniform(0, 4, 400))
    places = np.array([tumbling(t)[:3] for t in times])
    keys = keys_of_places(times, places, tolerance)
    joined = np.stack([np.interp(times, times[keys], places[keys, axis]) for axis in range(3)], axis=1)
    assert np.linalg.norm(joined - places, axis=1).max() <= tolerance * (1 + 1e-9)
    assert len(keys) < 400


def test_an_even_spin_needs_a_key_each_half_turn_at_most() -> None:
    times = np.linspace(0, 2, 241)
    turns = np.array([[0, 0, math.sin(t), math.cos(t)] for t in times])
    assert len(keys_of_turns(times, turns)) <= 6
    assert len(keys_of_turns(times, np.tile(turns[:1], (241, 1)))) == 1


@pytest.mark.parametrize(
    ("out", "words"),
    [
        ("x.obj", "exported as .html or .glb"),
        ("no/such/x.glb", "no folder"),
        (".", "is a folder; name a file"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused(
    replay: Replay, tmp_path: Path, out: str, words: str
) -> None:
    found = CliRunner().invoke(app, ["export", str(replay.path), "-o", str(tmp_path / out)])
    assert found.exit_code == 2
    assert words in found.output
    assert not list(tmp_path.iterdir())


def test_a_foreign_file_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.teeter"
    foreign.write_bytes(b"not a recording")
    found = CliRunner().invoke(app, ["export", str(foreign), "-o", str(tmp_path / "x.glb")])
    assert found.exit_code == 2
    assert "foreign.teeter" in found.output
    assert list(tmp_path.iterdir()) == [foreign]
