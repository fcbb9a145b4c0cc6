"""Pictures, judged by masks and brightness. Without OpenGL these tests fail and say what to install."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.ndimage import label

from teeter.engine.pose import Pose
from teeter.engine.view.camera import Camera, framing, seen_at
from teeter.engine.view.frame import Frame, PieceLetter, frame_of
from teeter.engine.view.opengl import INSTALL_LINE, ViewError, describe
from teeter.engine.view.render.shading import QUALITY_LEVELS, Quality
from teeter.engine.view.render.sheet import CELL, caption, sheet
from teeter.engine.view.render.stage import Stage
from teeter.engine.world.body import Body
from teeter.models.build import build
from teeter.models.piece import Piece
from teeter.models.spec import parse

Picture = NDArray[np.uint8]
SIZE = (320, 180)


@cache
def piece(kind: str, *numbers: float, material: str = "beech", colour: str | None = None) -> Piece:
    shape: dict[str, Any] = {kind: list(numbers) if len(numbers) > 1 else numbers[0]}
    table: dict[str, Any] = {"shape": shape, "material": material}
    return build(parse(table if colour is None else {**table, "colour": colour}, "test"))


TABLE = Body("table", piece("box", 1200, 800, 30, material="table"), Pose((0, 0, -0.015)), fixed=True)
BLOCK = Body("block", piece("box", 60, 60, 60, material="grey_board", colour="white"), Pose((0, 0, 0.03)))
PLANK = Body("plank", piece("box", 60, 40, 20), Pose((-0.07, 0, 0.01)))
PAINTED = Body("painted", piece("box", 60, 40, 20, colour="red"), Pose((0.07, 0, 0.01)))
BODIES = (TABLE, BLOCK, PLANK, PAINTED)
ALL = frame_of(BODIES)


@cache
def _stage(quality: Quality) -> Stage:
    return Stage(BODIES, size=SIZE, quality=quality)


def stage(quality: Quality = "medium") -> Stage:
    """One stage of each quality for all tests of a process: making one takes longer than a picture."""
    return _stage(quality)


@pytest.fixture(autouse=True)
def _fresh() -> None:
    """Every test finds the shared stage as it was made."""
    stage().aim(framing(stage().sphere))
    stage().show(ALL)


def shot(frame: Frame = ALL, quality: Quality = "medium") -> NDArray[np.int_]:
    stage(quality).show(frame)
    return stage(quality).render().astype(int)


def without(*names: str) -> Frame:
    return frame_of(body for body in BODIES if body.name not in names)


def mask(name: str) -> NDArray[np.bool_]:
    """Where a body is: what is green when it is."""
    own, before = next(body for body in BODIES if body.name == name), shot()
    stage().add(replace(own, piece=replace(own.piece, colour="#00ff00")))
    try:
        found: NDArray[np.bool_] = np.abs(shot() - before).max(axis=2) > 40
    finally:
        stage().add(own)
        stage().show(ALL)
    return found


def grey(picture: NDArray[np.int_]) -> NDArray[np.float64]:
    return np.asarray(picture @ np.array([0.2126, 0.7152, 0.0722]))


def grown(area: NDArray[np.bool_], by: int) -> NDArray[np.bool_]:
    """The area and so many pixels around it."""
    for axis in (0, 1):
        area = np.any([np.roll(area, step, axis) for step in range(-by, by + 1)], axis=0)
    return area


def test_this_machine_draws() -> None:
    found = describe()
    assert found.kind in ("gpu", "software"), str(found)


@pytest.mark.parametrize("quality", QUALITY_LEVELS)
def test_every_level_shows_all_bodies_in_good_light(quality: Quality) -> None:
    picture = shot(quality=quality)
    assert picture.shape == (180, 320, 3)
    light = grey(picture)
    assert 90 < light.mean() < 200
    # neither crushed nor burnt out
    assert np.quantile(light, 0.01) > 15
    assert (light > 252).mean() < 0.01
    for name in ("block", "plank", "painted"):
        changed = np.abs(shot(without(name), quality) - picture).max(axis=2) > 30
        assert 0.005 < changed.mean() < 0.3, name


def test_the_same_frame_gives_the_same_picture() -> None:
    assert np.array_equal(shot(), shot())


@pytest.mark.parametrize("quality", QUALITY_LEVELS)
def test_what_changes_is_drawn_into_the_picture_before_as_if_all_were_new(quality: Quality) -> None:
    """Only the part that a moved piece, its shadow or its mark can change is drawn anew."""
    kept, anew = (Stage(BODIES, size=SIZE, quality=quality) for _ in range(2))
    draw = np.random.default_rng(3)
    poses = ALL.poses.copy()
    try:
        for step in range(8):
            poses = poses.copy()
            poses[1 + step % 3, :3] += draw.normal(0, 0.015, 3)
            poses[1 + step % 3, 2] = max(poses[1 + step % 3, 2], 0.02)
            if step == 5:
                poses[2] = np.nan
            frame = Frame(ALL.names, poses, highlights={"block": "#00ff00"} if step % 4 == 3 else {})
            # a turn and back: nothing of the picture before is kept
            camera = anew.camera
            anew.aim(framing(anew.sphere, "top"))
            anew.aim(camera)
            pictures = []
            for each in (kept, anew):
                each.show(frame)
                pictures.append(each.render().astype(int))
            off = np.abs(pictures[0] - pictures[1]).max(axis=2)
            # two ways to cut the table into triangles may round the last bit of a colour otherwise
            assert off.max() <= 2
            assert (off > 0).mean() < 0.002
    finally:
        kept.close()
        anew.close()


def test_a_body_lies_where_the_camera_says() -> None:
    rows, columns = np.nonzero(mask("block"))
    # the block stands in the middle of the scene, which the camera looks at
    assert abs(columns.mean() - 160) < 12
    stage().aim(Camera((0, -0.5, 0.03), (0, 0, 0.03), 30))
    rows, columns = np.nonzero(mask("block"))
    # 60 mm at 470 mm through 30 degrees: 43 pixels
    assert np.ptp(rows) == pytest.approx(43, abs=3)
    assert np.ptp(columns) == pytest.approx(43, abs=3)


def test_the_eye_is_where_it_is_told_and_not_at_a_place_close_by_it_was_before() -> None:
    """Pictures of a film are shared out among processes: none may depend on those before it."""
    for step in range(300):
        stage().aim(Camera((0.3 + 2e-8 * step, -0.5, 0.2), (0.1, 0.2, 0.0), 30))
        told = np.array([*stage().camera.axes[1], *stage().camera.eye], dtype=np.float32)
        is_at = [stage()._eye.get_mat()[row][column] for row in (1, 3) for column in range(3)]
        assert np.array_equal(np.array(is_at, dtype=np.float32), told)


@pytest.mark.parametrize("height", [0.15, 0.25, 0.5])
def test_a_thin_card_is_seen_on_the_table_in_a_picture_of_few_pixels(height: float) -> None:
    card = Body("card", piece("box", 100, 100, 0.8, colour="white"), Pose((0.0, 0.0, 0.0004)))
    found = Stage((TABLE, card), size=(96, 54), quality="medium")
    try:
        found.aim(Camera((0.0, -0.9, height), (0.0, 0.0, 0.0), 35))
        seen = found.render().min(axis=2) > 150
    finally:
        found.close()
    high = 54 / 2 / math.tan(math.radians(17.5)) / math.hypot(0.9, height)
    assert seen.sum() > 0.6 * (0.1 * high) * (0.1 * high * height / math.hypot(0.9, height))


def test_left_is_left_and_up_is_up() -> None:
    stage().aim(framing(stage().sphere, "front"))
    middle = {name: np.argwhere(mask(name)).mean(axis=0) for name in ("block", "plank", "painted")}
    assert middle["plank"][1] < middle["block"][1] < middle["painted"][1]
    assert middle["block"][0] < middle["plank"][0]


def test_bodies_out_of_the_frame_and_nowhere_are_hidden() -> None:
    nowhere = ALL.poses.copy()
    nowhere[ALL.names.index("plank")] = np.nan
    assert np.array_equal(shot(Frame(ALL.names, nowhere)), shot(without("plank")))
    assert not np.array_equal(shot(), shot(without("plank")))


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ViewError, match='no body "ghost"'):
        stage().show(Frame(("ghost",), np.zeros((1, 7))))
    with pytest.raises(ViewError, match='no body "ghost"'):
        stage().show(Frame(ALL.names, ALL.poses, labels={"ghost": "boo"}))


def test_a_shadow_begins_at_the_foot_and_is_not_black() -> None:
    stage().aim(framing(stage().sphere, "top"))
    light = grey(shot())
    bare = grey(shot(without("block")))
    own = mask("block")
    ratio = np.where(own, 1.0, light / bare)
    shaded = ratio < 0.75
    assert 0.002 < shaded.mean() < 0.2
    # the sun stands left in front: the shadow lies right behind, and touches the block
    rows, columns = np.nonzero(shaded)
    middle = np.argwhere(own).mean(axis=0)
    assert columns.mean() > middle[1]
    assert rows.mean() < middle[0]
    # the pixel next to the block is partly block
    assert (grown(own, 2) & ~grown(own, 1) & (ratio < 0.8)).sum() > 30
    assert light[shaded].min() > 15


def test_a_shadow_is_darkest_at_the_contact_and_fades_away_from_it() -> None:
    tall = replace(BLOCK, piece=piece("box", 30, 30, 160, colour="white"), pose=Pose((0, 0, 0.08)))
    own = Stage((TABLE, tall), size=SIZE)
    try:
        own.aim(Camera((0, 0, 1.2), (0.05, 0.05, 0), 20))
        light = grey(own.render().astype(int))
        own.show(frame_of([TABLE]))
        bare = grey(own.render().astype(int))
        # along the shadow, away from the sun
        places = [seen_at(own.camera, SIZE, (0.42 * far, 0.55 * far, 0.0)) for far in (0.06, 0.10, 0.17)]
    finally:
        own.close()
    found = []
    for place in places:
        assert place is not None
        x, y = (round(part) for part in place)
        found.append((light[y - 1 : y + 2, x - 1 : x + 2] / bare[y - 1 : y + 2, x - 1 : x + 2]).mean())
    assert found[0] < found[1] < found[2]
    assert found[0] < found[2] - 0.03
    assert found[2] < 0.75


def test_a_size_that_comes_again_gives_the_same_picture() -> None:
    own = Stage(BODIES, size=SIZE)
    try:
        before = own.render()
        for size in ((160, 90), (200, 120), (100, 100), SIZE, (160, 90), SIZE):
            own.resize(size)
            assert own.render().shape == (size[1], size[0], 3)
        assert np.array_equal(own.render(), before)
    finally:
        own.close()


def test_lit_faces_are_even() -> None:
    """No acne: a face in full sun has no stripes of its own shadow."""
    stage().aim(framing(stage().sphere, "top"))
    own = mask("block")
    light = grey(shot())[~grown(~own, 3)]
    assert light.std() < 0.03 * light.mean()
    assert light.mean() > 190


def test_contact_darkens_the_table() -> None:
    stage().aim(Camera((0, -0.5, 0.25), (0, 0, 0.0), 25))
    own = mask("block")
    ratio = grey(shot()) / grey(shot(without("block")))
    column = int(np.argwhere(own).mean(axis=0)[1])
    foot = int(np.nonzero(own[:, column])[0].max())
    # in front of the block, in full sun
    assert ratio[foot + 4, column] < 0.97
    assert ratio[foot + 40, column] == pytest.approx(1, abs=0.02)


def test_the_table_is_seen_to_its_edges_and_its_side_lies_in_less_light() -> None:
    camera = Camera((0, -1.4, 0.8), (0, 0, 0), 40)
    stage().aim(camera)
    picture = shot(frame_of([TABLE]))[:, SIZE[0] // 2]

    def row(y: float, z: float) -> int:
        _, deep, up = camera.axes @ (np.array([0, y, z]) - camera.eye)
        return int(SIZE[1] / 2 * (1 - up / deep / np.tan(np.radians(camera.fov) / 2)))

    far, near, below, apron = row(0.4, 0), row(-0.4, 0), row(-0.4, -0.03), row(-0.35, -0.11)
    is_brown = picture[:, 0] > 1.5 * picture[:, 2]
    assert is_brown[far + 1 : apron - 1].all()
    assert not is_brown[: far - 1].any()
    # below the apron the floor is seen
    assert not is_brown[apron + 2 :].any()
    light = grey(picture)
    assert light[near + 1 : below - 1].mean() < 0.9 * light[near - 12 : near - 2].mean()


@pytest.mark.parametrize("sides", [(1200, 800), (800, 1200)])
def test_the_planks_of_a_table_run_along_its_longer_side(sides: tuple[int, int]) -> None:
    table = Body("table", piece("box", *sides, 30, material="table"), Pose((0, 0, -0.015)), fixed=True)
    own = Stage((table, BLOCK), size=SIZE)
    try:
        own.aim(Camera((0, 0, 1.6), (0, 0, 0), 12))
        own.show(frame_of([table]))
        light = grey(own.render().astype(int))
    finally:
        own.close()
    # a seam between two planks darkens a whole row of the picture, or a whole column
    rows, columns = (np.abs(np.diff(light.mean(axis=axis), 2)).max() for axis in (1, 0))
    along_x = sides[0] > sides[1]
    assert (rows > 3 * columns) if along_x else (columns > 3 * rows)


def test_a_table_stands_on_four_legs_and_shades_the_floor_of_a_room() -> None:
    camera = Camera((0, -2.0, 0.1), (0, 0, -0.35), 45)
    stage().aim(camera)
    picture = shot(frame_of([TABLE]))
    is_brown = picture[:, :, 0] > 1.5 * picture[:, :, 2]

    def at(x: float, y: float, z: float) -> tuple[int, int]:
        right, deep, up = camera.axes @ (np.array([x, y, z]) - camera.eye)
        scale = SIZE[1] / 2 / np.tan(np.radians(camera.fov) / 2) / deep
        return int(SIZE[1] / 2 - up * scale), int(SIZE[0] / 2 + right * scale)

    half_way = at(0, -0.337, -0.45)[0]
    legs = np.flatnonzero(np.diff(is_brown[half_way].astype(int)) == 1)
    assert len(legs) == 4
    assert is_brown[at(-0.537, -0.337, -0.70)]
    light = grey(picture)
    assert light[at(0.1, 0.1, -0.72)] < 0.85 * light[at(-1.1, 0.1, -0.72)]
    # the room turns with the camera
    stage().aim(Camera((0.4, -2.0, 0.1), (0, 0, -0.35), 45))
    turned = shot(frame_of([TABLE]))
    assert np.abs(turned - picture)[:40].mean() > 2


def test_a_thin_table_is_a_sheet_of_paper() -> None:
    paper = Body("table", piece("box", 1200, 800, 1, material="table"), Pose((0, 0, -0.0005)), fixed=True)
    own = Stage((paper, BLOCK), size=SIZE)
    try:
        own.aim(Camera((0, -2.0, 0.1), (0, 0, -0.35), 45))
        own.show(frame_of([paper]))
        picture = own.render().astype(int)
    finally:
        own.close()
    assert not (picture[110:, :, 0] > 1.5 * picture[110:, :, 2]).any()


def test_grain_runs_along_and_paint_covers_it() -> None:
    stage().aim(Camera((-0.07, -0.0001, 0.25), (-0.07, 0, 0.02), 16))
    wood = grey(shot(without("block")))[50:130, 95:225]
    along, across = np.abs(np.diff(wood, axis=1)).mean(), np.abs(np.diff(wood, axis=0)).mean()
    assert across > 1.6 * along
    stage().aim(Camera((0.07, -0.0001, 0.25), (0.07, 0, 0.02), 16))
    paint = grey(shot(without("block")))[50:130, 95:225]
    assert np.abs(np.diff(paint, axis=0)).mean() < 0.6 * across


def test_colours_come_out_as_written() -> None:
    red, green, blue = np.median(shot()[mask("painted")], axis=0)
    assert red > 2 * green
    assert red > 2 * blue
    red, green, blue = np.median(shot()[mask("plank")], axis=0)
    assert red > green > blue


def test_marks_and_labels_show_where_they_belong_and_go() -> None:
    before = shot()
    own = mask("plank")
    assert (np.abs(shot(Frame(ALL.names, ALL.poses, highlights={"plank": "#2b5c9e"})) - before) > 8)[
        own
    ].any()
    assert np.array_equal(shot(), before)
    text = np.abs(shot(Frame(ALL.names, ALL.poses, labels={"plank": "weakest"})) - before).max(axis=2) > 10
    rows, columns = np.nonzero(text)
    middle = np.argwhere(own).mean(axis=0)
    assert abs(columns.mean() - middle[1]) < 25
    assert rows.mean() < middle[0]
    assert np.array_equal(shot(), before)


@pytest.mark.parametrize("quality", QUALITY_LEVELS)
def test_what_is_pointed_out_is_outlined_and_keeps_its_colour(quality: Quality) -> None:
    stage(quality).aim(Camera((0.3, -0.35, 0.25), (0, 0, 0.02), 30))
    before = shot(quality=quality)
    marked = shot(Frame(ALL.names, ALL.poses, highlights={"painted": "#20d0ff"}), quality)
    changed = np.abs(marked - before).max(axis=2) > 8
    # the colour as it was asked for, in a line and in a ring on the table
    assert (np.abs(marked - (32, 208, 255)).max(axis=2) < 24).sum() > 150
    is_red = (before[..., 0] > 1.6 * before[..., 2]) & (before[..., 0] > 1.9 * before[..., 1])
    own, _ = label(is_red)
    largest = own == 1 + int(np.argmax(np.bincount(own[own > 0])[1:]))
    assert largest.sum() > 400
    # edges and outline take some of it, the sides stay as they are
    assert changed[largest].mean() < 0.6
    rows, columns = np.nonzero(changed)
    around_rows, around_columns = np.nonzero(largest)
    # the ring goes round the piece
    assert columns.min() < around_columns.min() - 3
    assert columns.max() > around_columns.max() + 3
    assert rows.max() > around_rows.max()


def test_an_outline_is_hidden_by_what_stands_before_it() -> None:
    stage().aim(Camera((0, -0.5, 0.03), (0, 0, 0.03), 20))
    poses = ALL.poses.copy()
    poses[ALL.names.index("plank"), :3] = (0, 0.15, 0.03)
    marked, plain = (Frame(ALL.names, poses, highlights=marks) for marks in ({"plank": "#20d0ff"}, {}))
    assert np.array_equal(shot(marked), shot(plain))


def test_shadows_reach_what_flies_off() -> None:
    poses = ALL.poses.copy()
    poses[ALL.names.index("block"), :3] = (0.2, 0.05, 0.03)
    away = Frame(ALL.names, poses)
    stage().aim(Camera((0.2, 0.05, 1.0), (0.2, 0.05, 0.0), 25))
    none = Frame(away.names, np.where(np.array(ALL.names)[:, None] == "block", np.nan, poses))
    assert (grey(shot(away)) < 0.93 * grey(shot(none))).mean() > 0.002


@pytest.mark.parametrize("size", [(1, 1), (33, 17), (90, 160)])
def test_any_size_makes_a_picture(size: tuple[int, int]) -> None:
    small = Stage((BLOCK,), size=size)
    try:
        assert small.render().shape == (size[1], size[0], 3)
    finally:
        small.close()


@pytest.mark.parametrize("size", [(0, 10), (10, 100_000)])
def test_impossible_sizes_are_refused(size: tuple[int, int]) -> None:
    with pytest.raises(ViewError, match=f"a picture of {size[0]} x {size[1]} cannot be made"):
        Stage((BLOCK,), size=size)


def test_bad_stages_are_refused() -> None:
    with pytest.raises(ViewError, match="use one of low, medium, high"):
        Stage((BLOCK,), quality="best")  # type: ignore[arg-type]
    with pytest.raises(ViewError, match="nothing to look at"):
        Stage((TABLE,))


def test_a_sheet_shows_every_piece_with_a_caption() -> None:
    pieces = [("plank", PLANK.piece), ("ball", piece("sphere", 20, colour="blue")), ("block", BLOCK.piece)]
    picture = sheet(pieces, quality="low").astype(int)
    assert picture.shape[0] % CELL[1] == picture.shape[1] % CELL[0] == 0
    columns = picture.shape[1] // CELL[0]
    paper = np.median(picture.reshape(-1, 3), axis=0)
    for number in range(3):
        row, column = divmod(number, columns)
        cell = picture[row * CELL[1] : (row + 1) * CELL[1], column * CELL[0] : (column + 1) * CELL[0]]
        unlike = np.abs(cell - paper).max(axis=2) > 30
        assert unlike[: int(0.8 * CELL[1])].mean() > 0.02, number
        assert unlike[int(0.88 * CELL[1]) :].mean() > 0.005, number
    assert caption("ball", pieces[1][1]) == "ball\n40 x 40 x 40 mm"
    with pytest.raises(ViewError, match="1 to"):
        sheet([])


def test_a_machine_without_opengl_is_told_what_to_install() -> None:
    code = (
        "from panda3d import core\n"
        "import teeter.engine.view.render.device as device\n"
        "from teeter.engine.view.opengl import ViewError\n"
        "device.core = type('Without', (), {'__getattr__': lambda self, name: getattr(core, name)})()\n"
        "device.core.GraphicsPipeSelection = type('None_', (), {'get_global_ptr': staticmethod(\n"
        "    lambda: type('S', (), {'make_module_pipe': staticmethod(lambda name: None)})())})\n"
        "try:\n    device.device()\nexcept ViewError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert INSTALL_LINE in done.stdout


def test_a_mark_lies_on_its_body_also_when_the_camera_moves() -> None:
    one = stage()
    try:
        for azimuth in (-58.0, -100.0):
            camera = framing(one.sphere, (azimuth, 30.0))
            pictures = []
            at = ALL.placed()["plank"].position
            no_marks: dict[str, PieceLetter] = {}
            for marks in (no_marks, {"plank": PieceLetter("R", at)}):
                one.aim(framing(one.sphere, (0.0, 10.0)))
                one.show(Frame(ALL.names, ALL.poses, marks=marks))
                one.aim(camera)
                pictures.append(one.render().astype(int))
            rows, columns = np.nonzero(np.abs(pictures[1] - pictures[0]).max(axis=2) > 10)
            middle = seen_at(camera, one.size, ALL.placed()["plank"].position)
            assert middle is not None
            assert math.dist(middle, (columns.mean(), rows.mean())) < 0.05 * one.size[1]
    finally:
        one.show(ALL)


def test_a_stage_that_cannot_be_made_leaves_nothing_that_is_drawn_with_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Stage, "aim", lambda self, camera: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            Stage(BODIES, size=SIZE)
    own = Stage(BODIES, size=SIZE)
    own.pixels()
    own.close()
