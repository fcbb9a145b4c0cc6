"""Verdicts as pictures and as recordings: forces in newtons that balance, and the trial that decided."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from teeter.engine.record.reader import load
from teeter.engine.settings import GRAVITY
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.topple.verdict import CheckOptions
from teeter.engine.view.render.verdict_picture import contact_forces, convex_hull
from teeter.engine.world.body import Assembly
from teeter.games.check_record import MOST_CORNERS, hull_of
from teeter.games.cli import app
from teeter.games.play.replays import bodies_of, telling_of
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.scenes.load import load as scene


def forces(name: str) -> tuple[Assembly, list[tuple[str, str, np.ndarray]]]:
    assembly = scene(name).assembly
    found = contact_forces(assembly, find_contacts(assembly), CheckOptions())
    return assembly, [(push.upper, push.lower, push.force) for push in found]


@pytest.mark.parametrize("name", ["tower", "arch", "bridge", "pyramid"])
def test_the_arrows_on_every_piece_add_up_to_its_weight(name: str) -> None:
    assembly, found = forces(name)
    total = {body.name: np.array([0.0, 0.0, -GRAVITY * body.piece.mass]) for body in assembly.free}
    for upper, lower, force in found:
        if upper in total:
            total[upper] += force
        if lower in total:
            total[lower] -= force
    weights = [GRAVITY * body.piece.mass for body in assembly.free]
    assert max(float(np.abs(left).max()) for left in total.values()) < 1e-4 * max(weights)


def test_arrows_point_up_from_below_and_thrust_goes_along_the_arch() -> None:
    assembly, found = forces("tower")
    heights = {body.name: body.pose.position[2] for body in assembly.bodies}
    # bricks of one row stand side by side: neither is above the other
    rows = [force for upper, lower, force in found if heights[upper] - heights[lower] > 0.005]
    assert len(rows) > 100
    assert all(force[2] > 0 for force in rows)
    _, found = forces("arch")
    assert max(abs(float(force[0])) for _, _, force in found) > 0.05


def test_where_nothing_balances_there_are_no_arrows() -> None:
    assert forces("tower_gone")[1] == []
    assert forces("ball_on_ring")[1] == []


def test_the_support_polygon_is_the_hull_and_a_line_has_none() -> None:
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5]], float)
    assert len(convex_hull(square)) == 4
    assert len(convex_hull(square[[0, 2, 4]])) == 0
    assert len(convex_hull(square[:1])) == 0


def test_a_picture_and_a_replay_of_a_fall(tmp_path: Path) -> None:
    png, replay = tmp_path / "fall.png", tmp_path / "fall.teeter"
    found = CliRunner().invoke(
        app, ["check", "bridge_bare", "--picture", str(png), "--record", str(replay), "--workers", "1"]
    )
    assert found.exit_code == 1, found.output
    assert struct.unpack(">II", png.read_bytes()[16:24]) == (1600, 1000)
    recording = load(replay)
    assert recording.meta.outcome is not None
    assert recording.meta.outcome["verdict"] == "topples"
    deck = recording.meta.names.index("deck")
    start, end = recording.frame_at(0.0)[deck], recording.frame_at(recording.seconds)[deck]
    assert start[2] - end[2] > 0.01
    assert "topples" in telling_of(recording).result
    drawn = {body.name: body.piece.extents for body in bodies_of(recording)}
    checked = {body.name: body.piece.extents for body in scene("bridge_bare").assembly.bodies}
    assert all(np.allclose(drawn[name], extents) for name, extents in checked.items() if name != "table")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--picture", "x.jpg"], "written as .png"),
        (["--picture", "no/such/x.png"], "no folder"),
        (["--record", "there.teeter"], "is there already"),
    ],
)
def test_what_cannot_be_written_is_said_before_anything_is_simulated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.teeter").write_bytes(b"mine")
    found = CliRunner().invoke(app, ["check", "arch", *more])
    assert found.exit_code == 2
    assert words in found.output
    assert [path.name for path in tmp_path.iterdir()] == ["there.teeter"]


def test_a_hull_of_few_corners_keeps_the_size_of_a_round_piece() -> None:
    egg = build(find("bausack/egg"))
    corners = np.array(hull_of(egg))
    assert len(corners) <= MOST_CORNERS
    assert np.allclose(np.ptp(corners, axis=0), 1e3 * egg.extents, atol=0.01)
