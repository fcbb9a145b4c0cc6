"""How firm the tower of a recorded game was after every move, and why it fell."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import teeter
from teeter.engine.record.reader import load
from teeter.engine.topple.verdict import CheckOptions, check
from teeter.engine.view.video.scenery import scenery_of
from teeter.engine.world.body import TABLE, Assembly
from teeter.games.cli import app
from teeter.games.core.events import Fell, Nudged, Released, Removed
from teeter.games.core.rules import Input
from teeter.games.play.causes import _first_to_go, _moved, _why_let_go, causes_of, with_causes
from teeter.games.play.margins import margins_of, moment_of
from teeter.games.play.reasons import UNKNOWN, why_drawn, why_laid
from teeter.games.play.recording import begin
from teeter.games.play.replays import bodies_of, placed, telling_of
from teeter.games.players.bots import bots_of, play
from teeter.games.registry import game_named

RECORDINGS = Path(__file__).parent / "recordings"
NEAR = 1
"""The way in which boxes that meet exactly touch."""


def stack(*rows: tuple[str, tuple[float, float, float], float, float]) -> Assembly:
    """Boxes by name, sizes, x and height of the centre."""
    pieces: list[dict[str, Any]] = [
        {"id": name, "shape": {"box": list(size)}, "material": "beech", "position": [x, 0, z]}
        for name, size, x, z in rows
    ]
    return teeter.build(pieces).loaded.assembly


def test_a_piece_that_was_laid_too_far_out_is_told_with_what_is_missing() -> None:
    scene = stack(("below", (80, 40, 20), 0, 10), ("above", (80, 40, 20), 50, 30))
    rest = replace(scene, bodies=tuple(body for body in scene.bodies if body.name != "above"))
    laid = next(body for body in scene.bodies if body.name == "above")
    said, missing = why_laid(rest, laid, "above", NEAR)
    assert missing == pytest.approx(10.0, abs=0.01)
    assert said == "Above stood 10.0 mm too far out"


def test_a_weight_that_tips_what_it_lies_on_has_to_bring_both_back() -> None:
    """The centre of both lies beyond the edge by e: the weight alone would go back by e times both over its mass."""
    rows = (("pier", (40, 40, 60), 0, 30), ("deck", (160, 40, 10), 10, 65), ("load", (30, 30, 30), 70, 85))
    scene = stack(*rows)
    deck, load = 160 * 40 * 10, 30**3
    beyond = (deck * 10 + load * 70) / (deck + load) - 20
    rest = replace(scene, bodies=tuple(body for body in scene.bodies if body.name != "load"))
    laid = next(body for body in scene.bodies if body.name == "load")
    _, missing = why_laid(rest, laid, "load", NEAR)
    assert 0 < beyond < 10
    assert missing == pytest.approx(beyond * (deck + load) / load, abs=0.05)


def test_what_comes_down_on_a_ball_lies_beside_the_point_or_right_on_it() -> None:
    ball = {"id": "ball", "shape": {"sphere": 20}, "material": "beech", "position": [0, 0, 20]}
    for beside, said in (
        (6.0, "Board came down on a single point, 6.0 mm off its centre of mass"),
        (0.0, "Board was so finely balanced that the least push tips it"),
    ):
        board = {
            "id": "board",
            "shape": {"box": [60, 60, 10]},
            "material": "beech",
            "position": [beside, 0, 45],
        }
        scene = teeter.build([ball, board]).loaded.assembly
        rest = replace(scene, bodies=tuple(body for body in scene.bodies if body.name != "board"))
        laid = next(body for body in scene.bodies if body.name == "board")
        found, missing = why_laid(rest, laid, "board", NEAR)
        assert missing == pytest.approx(beside, abs=0.05)
        assert found == said or (
            beside and found == "Board came down on a single point, 6.0 mm off its centre of mass"
        )


def test_what_was_let_go_beside_the_tower_is_no_question_of_balance() -> None:
    scene = stack(("below", (80, 40, 20), 0, 10), ("beside", (80, 40, 20), 120, 10))
    table = teeter.load("two_bricks").loaded.assembly.bodies[0]
    assert table.name == TABLE
    rest = replace(scene, bodies=(table, *(body for body in scene.bodies if body.name == "below")))
    laid = next(body for body in scene.bodies if body.name == "beside")
    assert why_laid(rest, laid, "beside", NEAR) == ("Beside came down beside the tower, on the table", None)


class Filmed:
    """What is asked of a recording, at 240 steps a second: `x` metres and `z` of one piece by the step, the others
    where they stand."""

    def __init__(self, scene: Assembly, piece: str, path: Callable[[int], tuple[float, float]]) -> None:
        self.bodies = {body.name: body for body in scene.bodies}
        self.meta = SimpleNamespace(rate=240)
        self._piece, self._path = piece, path

    @property
    def replay(self) -> Filmed:
        return self

    def pose_at(self, step: int) -> int:
        return step

    def named(self, step: int) -> dict[str, Any]:
        x, z = self._path(step)
        stand = {name: np.array([*body.pose.position, 0, 0, 0, 1]) for name, body in self.bodies.items()}
        return {**stand, self._piece: np.array([x, 0, z, 0, 0, 0, 1])}


def test_what_stands_beside_the_tower_and_leans_on_it_is_on_the_table() -> None:
    scene = stack(
        ("below", (80, 40, 20), 0, 10), ("on", (80, 40, 20), 0, 30), ("beside", (20, 40, 20), 50, 10)
    )
    rest = replace(scene, bodies=tuple(body for body in scene.bodies if body.name != "beside"))
    beside = next(body for body in scene.bodies if body.name == "beside")
    assert why_laid(rest, beside, "beside", NEAR) == ("Beside came down beside the tower, on the table", None)


def test_a_piece_that_was_nudged_is_not_the_one_that_was_moved() -> None:
    inputs: list[Input] = [Removed(2, "long"), Nudged(3, "short", 1.2)]
    assert _moved([2, 3], inputs, 1) == ("long", None)
    assert _moved([2, 3, 4], [*inputs, Released(4, "long")], 1) == ("long", 4)
    assert _moved([2, 3], inputs, 3) == ("", None)


def test_what_was_let_go_in_motion_is_asked_about_where_it_slid_to() -> None:
    scene = stack(("below", (80, 40, 20), 0, 10), ("above", (80, 40, 20), 30, 30))
    rest = replace(scene, bodies=tuple(body for body in scene.bodies if body.name != "above"))
    named = "above", "above"
    # 0.3 m/s from 30 mm on, where it would stand, until 50 mm, where it does not
    filmed: Any = Filmed(scene, "above", lambda step: (min(0.03 + 0.3 * step / 240, 0.05), 0.036))
    said, missing = _why_let_go(filmed, rest, named, (0, 60), (NEAR, True), alone=True)
    assert said == (
        "Above was let go 6 mm up, moving at 0.30 m/s, and slid 20 mm: there it stood 10.0 mm too far out"
    )
    assert missing == pytest.approx(10.0, abs=0.01)
    filmed = Filmed(scene, "above", lambda step: (min(0.03 + 0.3 * step / 240, 0.035), 0.036))
    said, missing = _why_let_go(filmed, rest, named, (0, 60), (NEAR, True), alone=True)
    assert missing is None
    assert said.endswith("it came from 6 mm up, moving at 0.30 m/s, and slid 5 mm")
    said, missing = _why_let_go(filmed, rest, named, (0, 60), (NEAR, False), alone=True)
    assert said == f"Above had been let go 6 mm up, moving at 0.30 m/s, and slid 5 mm; {UNKNOWN}"


def test_what_goes_along_first_is_told_with_how_far_the_moved_piece_had_come() -> None:
    tower = stack(("below", (80, 40, 20), 0, 10), ("above", (80, 40, 20), 0, 30))
    called = {"above": "card 2", "below": "the red cube", "hand": "the hand"}
    drawn: Any = Filmed(tower, "above", lambda step: (0.001 * step, 0.03))
    assert _first_to_go(drawn, tower, "below", range(100), called) == (
        "; card 2 was the first to move, when the red cube had come 0 mm"
    )
    assert _first_to_go(drawn, tower, "above", range(100), called) == ""
    assert _first_to_go(drawn, tower, "hand", range(100), called) == "; card 2 was the first to move"
    assert _first_to_go(drawn, tower, "below", range(3), called) == ""


def test_what_is_balanced_without_the_drawn_piece_was_dragged() -> None:
    tower = stack(("pier", (40, 40, 60), 0, 30), ("deck", (160, 40, 10), 10, 65))
    said, missing = why_drawn(tower, "load", NEAR)
    assert missing is None
    assert said.startswith("The tower would have stood without load, with ")
    bare = stack(("pier", (40, 40, 60), 0, 30), ("deck", (160, 40, 10), 25, 65))
    said, missing = why_drawn(bare, "counterweight", NEAR)
    assert missing == pytest.approx(5.0, abs=0.01)
    assert said.startswith("Without counterweight, deck tips over the edge")


def test_the_margins_of_a_game_are_those_of_its_friction() -> None:
    found = margins_of(load(RECORDINGS / "crazy-tower-1.teeter"))
    assert [each.number for each in found] == list(range(7))
    assert [each.player for each in found] == ["", *["steady", "clumsy"] * 2, "steady", "steady"]
    # cardboard on the table, wood on wood
    assert found[0].tilt_deg == pytest.approx(math.degrees(math.atan(math.sqrt(0.4 * 0.45))), abs=0.01)
    assert found[-1].tilt_deg == pytest.approx(math.degrees(math.atan(0.4)), abs=0.01)
    replay = load(RECORDINGS / "crazy-tower-1.teeter")
    assert causes_of(replay, found) == ()
    drawn = with_causes(telling_of(replay), replay, has_margins=True).margins
    assert drawn == tuple((each.seconds, each.tilt_deg) for each in found)


def test_what_a_stranger_wrote_as_a_story_is_no_fault() -> None:
    replay = load(RECORDINGS / "crazy-tower-1.teeter")
    for story in (7, None, [["x"], 8, None], "x", {"a": 1}):
        events = tuple((step, {**entry, "story": story}) for step, entry in replay.events)
        forged = replace(replay, events=events, checkpoints=replay.checkpoints[:2])
        assert [each.told for each in margins_of(forged)] == ["", ""]
    refused = replace(replay, events=replay.events[3:])
    with pytest.raises(teeter.TeeterError, match="holds what the game refuses"):
        margins_of(refused)
    telling = telling_of(refused)
    assert with_causes(telling, refused) == telling


@pytest.mark.slow
def test_the_cause_of_a_fall_in_crazy_tower_calls_pieces_as_its_story_does(tmp_path: Path) -> None:
    class DownError(Exception):
        """Something fell."""

    def told(before: object, given: Input, after: object) -> None:
        lines.extend(game.rules.tell(before, given, after))
        if isinstance(given, Fell):
            raise DownError

    game, lines, path = game_named("crazy-tower"), list[str](), tmp_path / "game.teeter"
    session, recorder = begin(game, ["bot:bold", "bot:clumsy"], 501, {}, path=path, tell=(told,))
    assert recorder is not None
    with pytest.raises(DownError):
        play(session, bots_of(session, 501), most_turns=40)
    recorder.close({"winners": [], "reason": ""})
    session.close()
    (cause,) = causes_of(load(path))
    assert cause.piece == "green_l4"
    assert cause.sentence.startswith("The green hook stood 18.1 mm too far out; before that, the tower was ")
    assert any("the green hook" in line for line in lines)


@pytest.mark.slow
def test_a_fall_is_told_where_it_happens() -> None:
    replay = load(RECORDINGS / "tower-topple-1.teeter")
    (cause,) = causes_of(replay)
    # the player's hand took the bricks along
    assert (cause.piece, cause.is_laid, cause.missing_mm) == ("brick.20", False, None)
    assert cause.fell == ("brick.35",)
    assert (
        cause.sentence
        == "The tower would have stood without the left brick of row 17, with 1.8 degrees in hand: it was dragged or "
        "knocked over; the centre yellow brick of row 19 was the first to move, when the left brick of row 17 had come "
        "14 mm; before that, the tower was 1.7 degrees from falling."
    )
    lines = with_causes(telling_of(replay), replay).lines
    assert [line.text for line in lines if line not in telling_of(replay).lines] == [cause.sentence]
    assert [line.seconds for line in lines] == sorted(line.seconds for line in lines)


def test_a_film_that_shows_no_fall_asks_about_none(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr("teeter.games.play.causes._cause", lambda *given: asked.append(given[1]))
    replay = load(RECORDINGS / "tower-topple-1.teeter")
    fall, *_ = [step / replay.meta.rate for step, entry in replay.events if entry["input"]["type"] == "Fell"]
    for until, falls in ((fall - 0.1, 0), (fall + 0.1, 1)):
        asked.clear()
        causes_of(replay, span=(0.0, until))
        assert len(asked) == falls


def test_the_command_prints_them_and_refuses_what_makes_no_sense() -> None:
    file = str(RECORDINGS / "crazy-tower-1.teeter")
    found = CliRunner().invoke(app, ["replay", file, "--margins", "--json"])
    assert found.exit_code == 0, found.output
    moves = json.loads(found.stdout)["moves"]
    assert [each["move"] for each in moves] == list(range(7))
    assert {"step", "seconds", "player", "told", "tilt_deg"} < set(moves[0])
    refused = CliRunner().invoke(app, ["replay", file, "--json"])
    assert refused.exit_code == 2
    assert "give --margins too" in refused.stderr


def test_a_moment_that_is_checked_names_pieces_as_the_story_does() -> None:
    """Two that it calls alike keep the names of the file."""
    replay = load(Path(__file__).parent / "recordings" / "crazy-tower-1.teeter")
    bodies, seconds = placed(replay, bodies_of(replay)), replay.seconds
    told, held = moment_of(scenery_of(replay, bodies), bodies, seconds)
    assert not held
    names = {body.name for body in told.bodies}
    assert {"table", "the yellow tee", "card 1"} <= names
    assert not any("_" in name for name in names)
    assert len(names) == len(told.bodies)


def test_a_moment_that_is_checked_leaves_out_what_a_hand_holds() -> None:
    """What is in the air would be said to topple."""
    replay = load(Path(__file__).parent / "recordings" / "crazy-tower-1.teeter")
    bodies = placed(replay, bodies_of(replay))
    scenery = scenery_of(replay, bodies)
    carry = scenery.motion.carries[-1]
    while_held, held = moment_of(scenery, bodies, (carry.begin + carry.end) / 2)
    lying, nothing = moment_of(scenery, bodies, replay.seconds)
    assert {body.name for body in lying.bodies} - {body.name for body in while_held.bodies} == {held}
    assert held.startswith("the ")
    assert not nothing
    for scene in (while_held, lying):
        assert check(scene, CheckOptions(settle=3e-4, workers=1)).word == "stands"
