"""Cameras, looks, frames and the probe: all that needs no graphics card."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from panda3d import core

from teeter.engine.pose import Pose
from teeter.engine.view.camera import PRESETS, BoundingSphere, Camera, bounding_sphere, framing
from teeter.engine.view.frame import frame_of
from teeter.engine.view.opengl import INSTALL_LINE, ViewError, _read, kind_of
from teeter.engine.view.render.png import png_of, save_png
from teeter.engine.view.render.resources import Triangles, geom_of, triangles_of
from teeter.engine.view.render.shading import (
    FINISHES,
    fibres,
    finish_of,
    grain_axes,
    linear_of,
    material_of,
    rings,
)
from teeter.engine.world.body import Body
from teeter.models.build import build
from teeter.models.files import OutputError
from teeter.models.piece import Piece
from teeter.models.spec import parse


def test_a_mesh_of_nothing_is_made() -> None:
    """As of outlines that are all behind the eye."""
    nothing = Triangles(np.zeros((0, 12), dtype=np.float32), np.zeros((0, 3), dtype=np.uint32))
    assert geom_of(nothing).get_vertex_data().get_num_rows() == 0


def piece(shape: dict[str, object], **more: object) -> Piece:
    return build(parse({"shape": shape, "material": "beech", **more}, "test"))


BRICK = piece({"box": [75, 25, 15]})


@pytest.mark.parametrize("view", PRESETS)
@pytest.mark.parametrize("aspect", [16 / 9, 9 / 16, 1.0])
def test_framing_has_the_whole_sphere_in_the_picture(view: str, aspect: float) -> None:
    sphere = BoundingSphere((0.3, -0.2, 0.1), 0.15)
    camera = framing(sphere, view, aspect=aspect)
    half = math.radians(camera.fov) / 2
    narrow = min(half, math.atan(math.tan(half) * aspect))
    angle = math.asin(sphere.radius / math.dist(camera.eye, sphere.centre))
    assert camera.target == sphere.centre
    assert 0.8 * narrow < angle < narrow


@pytest.mark.parametrize(("view", "toward"), [("front", (0, -1, 0)), ("side", (1, 0, 0)), ("top", (0, 0, 1))])
def test_presets_look_from_where_they_say(view: str, toward: tuple[float, float, float]) -> None:
    camera = framing(BoundingSphere((0, 0, 0), 1.0), view)
    assert np.dot(camera.eye, toward) / camera.distance > 0.98


def test_axes_of_a_camera_are_right_handed_and_unit() -> None:
    for camera in (Camera((1, 2, 3), (0, 0, 0)), Camera((0, 0, 3), (0, 0, 0))):
        axes = camera.axes
        assert np.allclose(axes @ axes.T, np.eye(3))
        assert np.linalg.det(axes) == pytest.approx(1)
    # straight down the far side of the table is up
    assert np.allclose(axes[2], (0, 1, 0))


def test_an_unknown_camera_names_the_known() -> None:
    with pytest.raises(ViewError, match='unknown camera "back": use one of front, side, top, three-quarter'):
        framing(BoundingSphere((0, 0, 0), 1), "back")


def test_the_sphere_holds_turned_pieces_and_leaves_out_the_table() -> None:
    turned = Pose((0, 0, 0.0375), (0, math.sin(math.pi / 4), 0, math.cos(math.pi / 4)))
    table = Body("table", piece({"box": [1200, 800, 30]}), Pose((0, 0, -0.015)), fixed=True)
    sphere = bounding_sphere([table, Body("brick", BRICK, turned)])
    assert sphere.centre == pytest.approx((0, 0, 0.0375))
    assert sphere.radius == pytest.approx(math.hypot(75, 25, 15) / 2000)
    with pytest.raises(ViewError, match="nothing to look at"):
        bounding_sphere([table])


def test_grain_runs_along_the_longest_side() -> None:
    for sides, along in (([75, 25, 15], 0), ([25, 75, 15], 1), ([15, 25, 75], 2)):
        axes = grain_axes(piece({"box": sides}))
        assert axes[0].tolist() == np.eye(3)[along].tolist()
        assert np.linalg.det(axes) == pytest.approx(1)


def test_a_look_follows_finish_and_colour_and_differs_by_name() -> None:
    assert finish_of(BRICK) == FINISHES["natural"]
    assert finish_of(piece({"box": [20, 20, 20]}, colour="red")) == FINISHES["painted"]
    assert finish_of(piece({"box": [85, 85, 2]}, material="grey_board", colour="red")) == FINISHES["matte"]
    first, again, other = (
        material_of(BRICK, "brick.01"),
        material_of(BRICK, "brick.01"),
        material_of(BRICK, "brick.02"),
    )
    assert first == again
    assert first.offset != other.offset
    assert np.allclose(first.albedo, linear_of(BRICK.material.colour), rtol=0.15)


def test_linear_light_of_known_colours() -> None:
    assert linear_of("#000000") == (0, 0, 0)
    assert linear_of("#ffffff") == pytest.approx((1, 1, 1))
    assert linear_of("#808080")[0] == pytest.approx(0.2158605, abs=1e-6)


def test_triangles_keep_the_mesh_and_turn_with_the_grain() -> None:
    triangles = triangles_of(piece({"box": [15, 25, 75]}))
    rows = triangles.rows
    assert np.allclose(np.linalg.norm(rows[:, 3:6], axis=1), 1, atol=1e-5)
    # along the grain is z here
    assert np.allclose(rows[:, 6], rows[:, 2])
    assert np.ptp(rows[:, 6]) == pytest.approx(0.075)
    assert triangles.indices.max() < len(rows)


def test_noise_tiles_and_is_the_same_every_time() -> None:
    picture = fibres().astype(int)
    step = np.abs(np.diff(picture, axis=0)).mean()
    seam = np.abs(picture[0] - picture[-1]).mean()
    assert seam < 1.5 * step
    assert fibres().tobytes() == fibres.__wrapped__().tobytes()
    assert rings().shape == (1, 512, 4)


def test_the_frame_of_bodies_has_their_poses() -> None:
    fixed = frame_of([Body("table", BRICK, Pose((0, 0, 1)))])
    assert fixed.poses.tolist() == [[0, 0, 1, 0, 0, 0, 1]]
    assert replace(fixed, labels={"table": "x"}).poses.shape == (1, 7)


def test_png_is_read_back_and_refuses_what_is_none(tmp_path: Path) -> None:
    picture = np.random.default_rng(1).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    image = core.PNMImage()
    assert image.read(core.StringStream(png_of(picture)), "x.png")
    assert (image.get_x_size(), image.get_y_size()) == (7, 5)
    back = [
        [[image.get_red_val(x, y), image.get_green_val(x, y), image.get_blue_val(x, y)] for x in range(7)]
        for y in range(5)
    ]
    assert np.array_equal(back, picture)
    with pytest.raises(ViewError, match=r"pictures are written as \.png"):
        save_png(picture, tmp_path / "x.jpg")
    with pytest.raises(OutputError, match="cannot be written"):
        save_png(picture, tmp_path / "no" / "x.png")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("llvmpipe (LLVM 15.0.6, 256 bits)", "software"),
        ("softpipe", "software"),
        ("NVIDIA GeForce RTX 3060/PCIe/SSE2", "gpu"),
        ("Mesa Intel(R) UHD Graphics 620 (KBL GT2)", "gpu"),
    ],
)
def test_renderers_are_told_by_name(name: str, kind: str) -> None:
    assert kind_of(name) == kind


@pytest.mark.parametrize(
    ("code", "out", "err", "says"),
    [
        (-11, "", "", r"the driver crashed \(signal 11\)"),
        (1, "", "Traceback\nImportError: libGL.so.1: no such file", "ImportError: libGL"),
        (0, "not json", "", "exit code 0"),
    ],
)
def test_a_probe_that_fails_says_how_to_install(code: int, out: str, err: str, says: str) -> None:
    found = _read(code, out, err)
    assert found.kind == "none"
    assert re.search(says, found.remedy)
    assert INSTALL_LINE in str(found)


def test_importing_the_package_opens_and_loads_nothing_heavy() -> None:
    code = (
        "import sys, teeter.engine.view.camera, teeter.engine.view.frame, teeter.engine.view.render.shading;"
        "import teeter.engine.view.render.png, teeter.engine.view.opengl;"
        "assert not [m for m in sys.modules if m.startswith(('panda3d', 'direct', 'pybullet'))]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
