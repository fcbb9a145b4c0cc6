"""Writing scenes: what is written is read back the same."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from teeter.engine.pose import Pose
from teeter.engine.world.body import Assembly, Body
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.scenes.dump import compose, dump
from teeter.scenes.load import load, shipped
from teeter.scenes.scene import Scene, SceneError
from teeter.scenes.schema import Expect, TableTop

LENGTH = st.floats(1, 200).map(lambda value: round(value, 3))
PLACE = st.floats(-500, 500)
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=20)
NAME = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=12)
SHAPES = st.one_of(
    st.builds(lambda *size: {"box": size}, LENGTH, LENGTH, LENGTH),
    st.builds(lambda radius: {"sphere": radius}, LENGTH),
    st.builds(lambda *size: {"cylinder": size}, LENGTH, LENGTH),
    st.builds(lambda w, h: {"prism": {"points": [(0, 0), (w, 0), (0, h)], "height": w}}, LENGTH, LENGTH),
)
MATERIALS = st.one_of(
    st.sampled_from(["beech", "alder"]),
    st.builds(lambda density, mu: {"density": density, "friction": mu}, st.floats(1, 2e4), st.floats(0, 2)),
)
TURNS = st.one_of(
    st.just({}),
    st.builds(lambda *angles: {"rotation": angles}, *[st.floats(-360, 360)] * 3),
    st.builds(lambda angle: {"quaternion": (0, 0, math.sin(angle), math.cos(angle))}, st.floats(-3, 3)),
)
MORE = st.fixed_dictionaries(
    {},
    optional={
        "friction": st.floats(0, 2),
        "restitution": st.floats(0, 1),
        "colour": st.sampled_from(["red", "#12ab9f"]),
        "fixed": st.booleans(),
        "material": MATERIALS,
    },
)


@st.composite
def files(draw: st.DrawFn) -> str:
    """Scene files of a few pieces, far enough apart."""
    rows: list[dict[str, Any]] = []
    names = draw(st.lists(NAME, min_size=1, max_size=4, unique=True))
    for number, name in enumerate(name for name in names if name not in ("table", "floor", "hand")):
        place = (draw(PLACE), draw(PLACE), 1000.0 * (number + 1))
        rows.append({"id": name, "shape": draw(SHAPES), "position": place} | draw(TURNS) | draw(MORE))
    rows = rows or [{"id": "a", "shape": {"box": (1, 1, 1)}, "position": (0, 0, 50)}]
    table = draw(st.sampled_from([None, TableTop(), TableTop(size=(500.5, 300.0), friction=0.3)]))
    expect = draw(st.sampled_from([None, Expect(verdict="stands", why='a "reason"\n\\', settle_mm=0.5)]))
    return compose(draw(TEXT), table, rows, expect, "a comment\nof two lines")


def same(first: Scene, second: Scene) -> None:
    assert (first.title, first.head.expect, first.written) == (
        second.title,
        second.head.expect,
        second.written,
    )
    assert [body.name for body in first.assembly.bodies] == [body.name for body in second.assembly.bodies]
    for one, other in zip(first.assembly.bodies, second.assembly.bodies, strict=True):
        assert one.fixed == other.fixed
        assert one.piece.material == other.piece.material
        assert one.piece.colour == other.piece.colour
        assert one.piece.mass == other.piece.mass
        assert one.piece.extents == pytest.approx(other.piece.extents, rel=1e-12)
        assert one.pose.position == pytest.approx(other.pose.position, abs=1e-12)
        assert one.pose.orientation == pytest.approx(other.pose.orientation, abs=1e-15)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=files())
def test_any_scene_survives_a_round_trip(tmp_path: Path, text: str) -> None:
    path = tmp_path / "scene.toml"
    path.write_text(text, encoding="utf-8")
    scene = load(path, drop=True)
    written = dump(scene)
    path.write_text(written, encoding="utf-8")
    again = load(path, drop=True)
    # positions were rounded to 1e-9 mm by the first writing
    same(scene, replace(again, written=scene.written))
    assert dump(again) == written


@pytest.mark.parametrize("name", shipped())
def test_every_shipped_scene_survives_a_round_trip(tmp_path: Path, name: str) -> None:
    settle = load_settle(name)
    scene = load(name, settle_mm=settle)
    for mesh in ("egg.obj",):
        (tmp_path / mesh).write_bytes((scene.path or Path()).with_name(mesh).read_bytes())
    path = tmp_path / f"{name}.toml"
    path.write_text(dump(scene, comment="kept"), encoding="utf-8")
    assert path.read_text(encoding="utf-8").startswith("# kept\nteeter = 1\n")
    again = load(path, settle_mm=settle)
    written = {key: table.model_copy(update={"position": ()}) for key, table in scene.written.items()}
    found = {key: table.model_copy(update={"position": ()}) for key, table in again.written.items()}
    assert found == written
    same(scene, replace(again, written=scene.written))


def load_settle(name: str) -> float:
    return 0.5 if name == "ruler_stack" else 0.0


def test_let_down_pieces_are_written_with_their_height() -> None:
    assert "position = [0, 0, 50]" in dump(load("ball_in_saddle"))


def test_poses_are_written_as_they_are_now() -> None:
    scene = load("two_bricks")
    turn = (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5))
    *others, slab = scene.assembly.bodies
    text = dump(replace(scene, assembly=Assembly("moved", (*others, slab.at(Pose((0.001, 0.0, 0.1), turn))))))
    assert "position = [1, 0, 100]\nquaternion = [0, 0, 0.7071067811865476, 0.7071067811865476]" in text


def test_an_assembly_of_catalogue_pieces_needs_no_file(tmp_path: Path) -> None:
    brick = build(find("tower_topple/brick"))
    text = dump(Assembly("mine", (Body("a", brick, Pose((0.0, 0.0, 0.0075))),)))
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    (body,) = load(tmp_path / "a.toml").assembly.bodies
    assert body.piece is brick
    assert text.splitlines()[1:3] == ['name = "mine"', "table = false"]


def test_an_assembly_of_other_pieces_is_refused() -> None:
    scene = load("arch")
    with pytest.raises(SceneError, match=r'arch: piece "voussoir\.01": comes from a mesh') as caught:
        dump(scene.assembly)
    assert len(caught.value.faults) == len(scene.ids)


def test_a_low_table_is_written_at_zero(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text('teeter = 1\n[[piece]]\nid = "a"\nshape = { sphere = 5 }\nposition = [0, 0, -20]\n')
    scene = load(path, table="lowest")
    assert np.isclose(scene.assembly.bodies[0].pose.position[2], -0.040)
    assert "position = [0, 0, 5]" in dump(scene)
