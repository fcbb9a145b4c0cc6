"""A film as a model: a key for every frame, where things are then; the camera of the film; wood with its grain."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pygltflib
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

import teeter
from teeter.engine.geometry.rotation import matrix_of
from teeter.engine.record.reader import load
from teeter.engine.view.render.shading import SUN
from teeter.engine.view.video.film import Recipe, film_of
from teeter.games.cli import app
from teeter.games.play.replays import bodies_of, telling_of
from teeter.models.export import TILE_M

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parent.parent
RECORDING = ROOT / "tests" / "recordings" / "tower-topple-1.teeter"
FPS = 12


class Model:
    """A `.glb` file, its numbers by accessor."""

    def __init__(self, path: Path) -> None:
        self.gltf: Any = pygltflib.GLTF2().load(str(path))
        self._bytes: bytes = self.gltf.binary_blob()

    def values(self, number: int) -> NDArray[np.float64]:
        accessor = self.gltf.accessors[number]
        view = self.gltf.bufferViews[accessor.bufferView]
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[accessor.type]
        kind = {5126: "<f4", 5122: "<i2", 5123: "<u2", 5125: "<u4"}[accessor.componentType]
        found = np.frombuffer(self._bytes, kind, accessor.count * width, view.byteOffset or 0).astype(float)
        return (found / 32767 if accessor.normalized else found).reshape(-1, width)

    def keys(self, node: str, path: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Times (k,) and values (k, n) of a node's way."""
        (animation,) = self.gltf.animations
        for channel in animation.channels:
            if self.gltf.nodes[channel.target.node].name == node and channel.target.path == path:
                sampler = animation.samplers[channel.sampler]
                return self.values(sampler.input)[:, 0], self.values(sampler.output)
        raise AssertionError(f"{node} does not move")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    path = tmp_path_factory.mktemp("film") / "film.glb"
    done = CliRunner().invoke(app, ["export", str(RECORDING), "-o", str(path), "--fps", str(FPS)])
    assert done.exit_code == 0, done.stderr
    return Model(path)


def test_every_frame_has_a_key_where_pieces_are_then(model: Model) -> None:
    replay = load(RECORDING)
    moving = 0
    for column, name in enumerate(replay.meta.names):
        try:
            times, places = model.keys(name, "translation")
        except AssertionError:
            continue
        moving += 1
        assert len(times) == round(replay.seconds * FPS)
        np.testing.assert_allclose(times, np.arange(len(times)) / FPS, atol=1e-6)
        for number in range(0, len(times), 50):
            pose = replay.frame_at(number / FPS)[column]
            if np.isfinite(pose).all():
                np.testing.assert_allclose(places[number], pose[:3], atol=1e-4)
    assert moving > 3


def test_the_camera_is_that_of_the_film_and_the_sun_shines_from_where_it_stands(model: Model) -> None:
    replay = load(RECORDING)
    recipe = Recipe(fps=FPS, pace="true", captions=False, cards=False, hand=False)
    film = film_of(replay, bodies_of(replay), telling_of(replay), recipe)
    times, places = model.keys("camera director", "translation")
    _, turns = model.keys("camera director", "rotation")
    assert len(times) == len(film) == len(turns)
    np.testing.assert_allclose(places, film.path.eyes, atol=1e-5)
    for number in range(0, len(film), 40):
        turn = turns[number] / np.linalg.norm(turns[number])
        ahead = film.path.targets[number] - film.path.eyes[number]
        forward, up = -matrix_of(tuple(turn))[:, 2], matrix_of(tuple(turn))[:, 1]
        assert forward @ ahead / np.linalg.norm(ahead) > np.cos(np.radians(0.05))
        assert up[2] > 0
    (camera,) = model.gltf.cameras
    assert np.degrees(camera.perspective.yfov) == pytest.approx(film.path.fov)
    (sun,) = (node for node in model.gltf.nodes if node.name == "sun")
    np.testing.assert_allclose(matrix_of(tuple(sun.rotation))[:, 2], SUN, atol=1e-6)
    (light,) = model.gltf.extensions["KHR_lights_punctual"]["lights"]
    assert (light["type"], light["intensity"]) == ("directional", pytest.approx(3.45))
    assert sun.extensions["KHR_lights_punctual"]["light"] == 0


def test_wood_has_its_grain_along_the_piece_at_its_size(model: Model) -> None:
    bricks = [mesh for mesh in model.gltf.meshes if mesh.name.startswith("tower_topple/brick")]
    materials = model.gltf.materials
    textures = [
        materials[mesh.primitives[0].material].pbrMetallicRoughness.baseColorTexture for mesh in bricks
    ]
    # two bricks of each of four colours show no wood; a texture of one's own lies on them the same way
    assert (len(bricks), textures.count(None)) == (54, 8)
    for mesh in bricks:
        (primitive,) = mesh.primitives
        points, places = (
            model.values(number)
            for number in (primitive.attributes.POSITION, primitive.attributes.TEXCOORD_0)
        )
        span = np.ptp(points, axis=0)
        # on every side that shows its length the grain runs along it, and is not stretched
        assert np.ptp(places[:, 0]) == pytest.approx(span.max() / TILE_M, rel=0.01)
        edges = points.reshape(-1, 3, 3)[:, 1] - points.reshape(-1, 3, 3)[:, 0]
        laid = places.reshape(-1, 3, 2)[:, 1] - places.reshape(-1, 3, 2)[:, 0]
        flat = np.sort(np.abs(edges), axis=1)[:, 0] < 1e-7
        assert flat.any()
        lengths = np.linalg.norm(laid, axis=1) * TILE_M
        assert (lengths <= np.linalg.norm(edges, axis=1) + 1e-6).all()
    assert textures[0].index == 0
    view = model.gltf.bufferViews[model.gltf.images[model.gltf.textures[0].source].bufferView]
    png = model.gltf.binary_blob()[view.byteOffset : view.byteOffset + view.byteLength]
    assert struct.unpack(">II", png[16:24]) == (512, 512)


def test_frames_that_cannot_be_are_refused(tmp_path: Path) -> None:
    for name, fps, told in (
        ("a.glb", 0, "--fps 0"),
        ("a.glb", 100_000, "--fps 100000"),
        ("a.html", 24, "a page"),
    ):
        with pytest.raises(teeter.TeeterError, match=told):
            teeter.export(RECORDING, tmp_path / name, fps=fps)
    assert not list(tmp_path.iterdir())
