"""Pieces from files in the sandbox, without a window: what is read, what is offered, what is said."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import patch

import numpy as np
import pytest
import trimesh

from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.view.frame import frame_of
from teeter.engine.view.panels import Button, Row
from teeter.engine.view.window.events import Clicked
from teeter.engine.world.body import Body
from teeter.games.core.errors import SetupError
from teeter.games.core.events import Placed, Released
from teeter.games.core.rules import Bring
from teeter.games.judge.places import bounds
from teeter.games.present.asking import CheckQuestion
from teeter.games.present.client_state import ClientState
from teeter.games.present.file_prompt import MOST_LIKE, FilePrompt, files_like, in_words, offered
from teeter.games.present.hint_process import answer_check
from teeter.games.present.naming import piece_name
from teeter.games.present.sandbox_panel import SandboxLook, built, called, panels
from teeter.games.server.inventory import inventory_of, read_piece, reader
from teeter.games.server.messages import GameUpdate, NewBody, Plan, Several, TableView, Waits
from teeter.games.server.setup import first_view
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.models.export import export_glb
from teeter.scenes.formats.write import lost_in_glb
from teeter.scenes.load import load
from teeter.scenes.scene import SceneError

EXPORTED = ("bausack/base_1", "tower_topple/brick")


@pytest.mark.parametrize("model", EXPORTED)
def test_an_exported_piece_is_read_and_lies_on_what_is_there(model: str, tmp_path: Path) -> None:
    piece = build(find(model))
    export_glb(piece, tmp_path / "own.glb")
    body = read_piece(str(tmp_path / "own.glb"))
    assert isinstance(body, Body)
    assert np.allclose(sorted(body.piece.extents), sorted(piece.extents), atol=2e-4)
    assert body.piece.mass == pytest.approx(piece.mass, rel=0.02)
    tray = inventory_of(None)
    table = {each.name: each for each in tray.layout(Empty())}
    tray.bodies = lambda: table
    kept = tray.keep(body)
    home = tray.home(One(kept.name), kept.name)
    lowest = min(float(home.pose.apply(part.vertices)[:, 2].min()) for part in home.piece.parts)
    assert 0.0 < lowest < 1e-3


class Empty:
    pieces: tuple[One, ...] = ()


class One:
    """The state of a sandbox with one piece, and that piece."""

    def __init__(self, name: str) -> None:
        self.id, self.model = name, name
        self.pieces = (self,)


def test_a_file_of_several_pieces_is_no_piece_but_is_laid_out_when_it_is_wanted() -> None:
    """The first of them alone came to the table, without a word."""
    arch = Path(__file__).parent.parent / "scenes" / "arch.toml"
    found = read_piece(str(arch))
    assert found == Several(str(arch), 13)
    prompt = FilePrompt()
    prompt.path = str(arch)
    prompt._reader = cast(Any, SimpleNamespace(poll=lambda: [(0, found)], close=lambda: None))
    assert prompt.poll() is None
    assert not prompt.fault
    assert any(isinstance(item, Button) and "13 pieces" in item.text for item in prompt.items())
    assert prompt.handle(Clicked("lay_out"))
    assert prompt.wanted == str(arch)


def test_pieces_of_one_name_get_names_of_their_own() -> None:
    tray = inventory_of(None)
    body = Body("b1", build(find("bausack/base_1")), Pose((0.0, 0.0, 0.0)))
    assert [tray.keep(body).name for _ in range(3)] == ["b1", "b1-2", "b1-3"]


def test_a_file_that_is_none_is_refused_in_words_of_a_window(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="no such file"):
        read_piece(str(tmp_path / "none.glb"))
    (tmp_path / "wrong.stl").write_text("solid nothing")
    with pytest.raises((SceneError, SetupError, ValueError)):
        read_piece(str(tmp_path / "wrong.stl"))
    advice = (
        "b overlaps the table by 7.50 mm (--settle MM allows more, --table lowest puts it lower); try again"
    )
    assert in_words(advice) == "b overlaps the table by 7.50 mm; try again"


def test_files_that_can_be_read_are_offered_while_a_path_is_typed(tmp_path: Path) -> None:
    for name in ("b1.glb", "b2.stl", "notes.txt", ".hidden.glb"):
        (tmp_path / name).touch()
    (tmp_path / "below").mkdir()
    assert files_like(f"{tmp_path}/") == [f"{tmp_path}/{name}" for name in ("b1.glb", "b2.stl", "below/")]
    assert files_like(f"{tmp_path}/b1") == [f"{tmp_path}/b1.glb"]
    assert files_like(f"{tmp_path}/b1.glb") == []
    assert files_like(f"{tmp_path}/nowhere/x") == []


def test_scenes_that_were_saved_are_offered_before_a_path_is_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("teeter.games.present.file_prompt.scenes_folder", lambda: tmp_path / "scenes")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.stl").touch()
    assert offered("") == [("here.stl", "here.stl")]
    (tmp_path / "scenes").mkdir()
    for number in range(8):
        file = tmp_path / "scenes" / f"built-{number}.toml"
        file.touch()
        os.utime(file, (number, number))
    files = offered("")
    assert len(files) == MOST_LIKE
    assert files[0] == (f"{tmp_path}/scenes/built-7.toml", "built-7.toml, saved here")
    assert offered("he") == [("here.stl", "here.stl")]


def beginning(body: Body) -> tuple[ClientState, Callable[[Pose], None]]:
    """A sandbox in which one piece was brought out, and what shows it elsewhere."""
    opening = first_view(plan := Plan("sandbox", ("Ana",), 0))
    client = ClientState(plan, opening.game, opening.state, opening.bodies, time.perf_counter)
    rules, name = opening.game.rules, body.name
    for given in (Bring("Ana", name, body.piece.model), Released(1, name), Placed(2, name)):
        after = rules.apply(client.state, given)
        client.hear(GameUpdate(after, type(given).__name__, given))
    client.hear(NewBody(body))
    client.hear(Waits(rules.needs(client.state), rules.legal(client.state), False))

    def show(pose: Pose) -> None:
        frame = frame_of((*opening.bodies, body.at(pose)))
        client.hear(TableView(1, 240, frame.names, frame.poses))

    return client, show


def meshed(mesh: trimesh.Trimesh, file: Path) -> Body:
    mesh.export(file)
    body = read_piece(str(file))
    assert isinstance(body, Body)
    return body


def test_what_lies_on_a_slanted_face_is_not_on_the_floor(tmp_path: Path) -> None:
    """The middle of the box around a corner of a cube lies outside it, and under the table then."""
    corner = trimesh.convex.convex_hull(40.0 * np.vstack([np.zeros(3), np.eye(3)]))
    client, show = beginning(body := meshed(corner, tmp_path / "corner.stl"))
    turned = Pose((0.0, 0.0, 0.0), quaternion_of_rpy(0.0, 0.0, -math.pi / 4))
    pose = turned.then(Pose((0.0, 0.0, 0.0), quaternion_of_rpy(0.0, math.pi - math.atan(math.sqrt(2)), 0.0)))
    pose = pose.then(Pose((0.0, 0.0, -float(bounds(body.piece, pose)[0][2]))))
    assert bounds(body.piece, pose)[1][2] == pytest.approx(0.04 / math.sqrt(3), abs=1e-6), (
        "it lies on its face"
    )
    assert pose.position[2] < -0.005
    show(pose)
    assert not client.off_table
    assert [each.name for each in client.lying()] == ["table", "corner"]
    show(pose.then(Pose((0.9, 0.0, -0.7))))
    assert client.off_table == ("corner",)


@pytest.mark.parametrize(
    ("shape", "ending"),
    [
        (trimesh.creation.icosahedron(), ".toml"),
        (trimesh.creation.torus(20.0, 5.0, major_sections=24, minor_sections=12), ".glb"),
    ],
)
def test_what_was_built_of_a_mesh_is_saved_and_read_again(
    shape: trimesh.Trimesh, ending: str, tmp_path: Path
) -> None:
    """A scene file holds convex solids; a ring it refused, and nothing in the window could save it."""
    shape.apply_scale(40.0 / float(shape.extents.max()))
    client, show = beginning(body := meshed(shape, tmp_path / "mesh.stl"))
    show(Pose((0.01, 0.02, -float(bounds(body.piece, Pose((0.0, 0.0, 0.0)))[0][2]))))
    what = built(client, None)
    assert (what.ending, what.lost) == (ending, "")
    (tmp_path / f"again{ending}").write_bytes(what.content)
    (again,) = load(tmp_path / f"again{ending}", drop=True).assembly.free
    assert again.piece.mass == pytest.approx(body.piece.mass, rel=1e-4)
    assert again.centre_of_mass == pytest.approx(client.lying()[-1].centre_of_mass, abs=1e-6)


PAIR = """
teeter = 1
[[piece]]
id = "roller"
shape = { cylinder = [15, 40] }
position = [0, 0, 15]
rotation = [90, 0, 0]
[[piece]]
id = "box"
shape = { box = [40, 40, 20] }
position = [100, 0, 10]
[[pair]]
between = ["roller", "table"]
rolling_mm = 1.0
[[pair]]
between = ["roller", "box"]
rolling_mm = 2.0
"""


def test_what_was_built_keeps_how_hard_it_rolls(tmp_path: Path) -> None:
    """The saved scene rolled away; a pair whose other piece is not there would be no scene."""
    (tmp_path / "pair.toml").write_text(PAIR)
    plan = Plan("sandbox", ("Ana",), 0, scene=str(tmp_path / "pair.toml"))
    opening = first_view(plan)
    client, scene = (
        ClientState(plan, opening.game, opening.state, opening.bodies, time.perf_counter),
        load(plan.scene),
    )
    with_table, with_box = (frozenset({"roller", other}) for other in ("table", "box"))
    for gone, pairs in (("", {with_table: 1e-3, with_box: 2e-3}), ("box", {with_table: 1e-3})):
        frame = frame_of(body for body in opening.bodies if body.name != gone)
        client.hear(TableView(1, 240, frame.names, frame.poses))
        (tmp_path / "again.toml").write_bytes(built(client, scene).content)
        bodies = load(tmp_path / "again.toml").assembly.bodies
        assert {frozenset({body.name, pair}): size for body in bodies for pair, size in body.rolling} == pairs
    assert "resistances to rolling" in lost_in_glb(scene)
    # and what is checked at the table rests as the file does for `teeter check`
    known = {body.name: body for body in client.lying()}
    rows = tuple((name, body.pose) for name, body in known.items())
    assert answer_check(CheckQuestion(rows), known).word == "stands"


def test_a_file_in_metres_asks_who_brings_it_out(tmp_path: Path) -> None:
    """Its advice was an option of another command."""
    trimesh.creation.box((0.04, 0.02, 0.01)).export(tmp_path / "small.stl")
    read, prompt = reader(), FilePrompt()
    prompt.path = str(tmp_path / "small.stl")
    answers = [(0, read([], (prompt.path, None)))]
    prompt._reader = cast(Any, SimpleNamespace(poll=lambda: answers, close=lambda: None))
    assert prompt.poll() is None
    assert prompt.fault.endswith("is it in metres?")
    (units,) = [item for item in prompt.items() if isinstance(item, Row)]
    assert [button.text for button in units.items if isinstance(button, Button)] == ["mm", "cm", "m", "in"]
    asked: list[object] = []
    prompt._reader = None
    monkey = SimpleNamespace(ask=asked.append, close=lambda: None)
    with patch("teeter.games.present.file_prompt.Questioner", lambda *_: monkey):
        assert prompt.handle(Clicked("unit:m"))
    assert asked == [(prompt.path, "m")]
    found = read([], (prompt.path, "m"))
    assert isinstance(found, Body)
    assert found.piece.extents == pytest.approx([0.04, 0.02, 0.01])


def test_blanks_are_no_name_of_a_file() -> None:
    prompt = FilePrompt()
    prompt.path = "  "
    assert not any(
        isinstance(item, Button) and item.name == "bring" and item.is_enabled for item in prompt.items()
    )
    prompt.read()
    assert prompt._reader is None


def test_a_table_with_everything_on_the_floor_is_not_saved() -> None:
    client, show = beginning(Body("cube", build(find("bausack/cube")), Pose((0.0, 0.0, 0.0))))

    def lies(z: float) -> bool:
        show(Pose((0.0, 0.0, z)))
        (tools,) = panels(client, "", "C", SandboxLook())
        rows = [item for row in tools.items for item in getattr(row, "items", (row,))]
        return next(item.is_enabled for item in rows if isinstance(item, Button) and item.name == "save")

    assert lies(0.02)
    assert b"cube" in built(client, None).content
    assert not lies(-0.7)
    with pytest.raises(SceneError, match=r"^Nothing lies on the table: there is nothing to save$"):
        built(client, None)


def test_pieces_are_called_the_same_in_the_story_the_choices_and_on_the_screen() -> None:
    plan = Plan("sandbox", ("Ana",), 0)
    opening = first_view(plan)
    client = ClientState(plan, opening.game, opening.state, opening.bodies, time.perf_counter)
    rules, piece = opening.game.rules, "arch_small-1"
    for given in (Bring("Ana", piece, "bausack/arch_small"), Released(1, piece), Placed(2, piece)):
        after = rules.apply(client.state, given)
        client.hear(GameUpdate(after, type(given).__name__, given))
    client.hear(Waits(rules.needs(client.state), rules.legal(client.state), False))
    name = piece_name("bausack/arch_small")
    assert name == "small arch"
    assert client.log == [
        f"Ana brings out the {name}.",
        f"Ana lets the {name} go.",
        f"The {name} comes to rest.",
    ]
    assert [each.sentence for each in client.choices] == [f"take the {name}", f"put the {name} away"]
    assert called(client, piece) == f"the {name}"
