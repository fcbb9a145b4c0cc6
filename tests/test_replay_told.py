"""Recordings as they are told and shown: names, words, marks and pieces, also of what a stranger has written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from video_lab import NAMES, SPEC, bodies, recorded

from teeter.engine.record.meta import BodyMeta
from teeter.engine.record.motion import motion_of
from teeter.engine.record.reader import Replay, load
from teeter.engine.view.video import scenery as sceneries
from teeter.engine.view.video.film import Recipe, film_of
from teeter.engine.view.video.scenery import Scenery
from teeter.engine.world.body import FLOOR, TABLE
from teeter.games.play.recording import first_state
from teeter.games.play.replays import (
    NOWHERE,
    ViewerState,
    assembly_at,
    bodies_of,
    last_bodies,
    marks_of,
    placed,
    telling_of,
)
from teeter.games.registry import game_named
from teeter.games.ui.replay_screen import Viewer
from teeter.models.build import build
from teeter.models.catalogue import find

RECORDINGS = Path(__file__).parent / "recordings"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Replay:
    return recorded(tmp_path_factory.mktemp("told") / "lab.teeter")


def with_meta(replay: Replay, **more: object) -> Replay:
    return replace(replay, meta=replay.meta.model_copy(update=more))


def with_events(replay: Replay, *stories: object, **more: object) -> Replay:
    """A second apart; `more` is added to every one of them."""
    events = [(240 * n, {"type": "input", **more, "story": story}) for n, story in enumerate(stories, 1)]
    return replace(replay, events=tuple(events))


@pytest.mark.parametrize(
    ("game", "players", "seats", "numbers"),
    [
        ("wonky", ["bot:bold", "Ada", "bot:bold"], ("bold-1", "Ada", "bold-2"), "123"),
        ("tower-topple", ["Ada+bot:bold", "Ben+bot:bold"], ("Ada+bold-1", "Ben+bold-2"), "1234"),
    ],
)
def test_equal_bots_and_teams_are_called_as_the_game_calls_them(
    game: str, players: list[str], seats: tuple[str, ...], numbers: str
) -> None:
    replay = with_meta(load(RECORDINGS / f"{game}-1.teeter"), players=players, options={}, outcome=None)
    replay = with_events(replay, [f"{seats[-1]} takes it."], input={"player": seats[-1]})
    named, hidden = telling_of(replay), telling_of(replay, anonymous=True)
    assert named.players == seats
    assert "".join(letter for letter in "".join(hidden.players) if letter.isdigit()) == numbers
    assert hidden.lines[0].who == hidden.players[-1]
    assert hidden.lines[0].text == f"{hidden.players[-1]} takes it."


# -- words ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "mode", "title"),
    [
        ("crazy-tower", "solo", "A Crazy Tower challenge"),
        ("crazy-tower", "competitive", "Crazy Tower"),
        ("tower-topple", "2", "Tower Topple, one point a brick"),
        ("crazy-tower", "two", "Crazy Tower · two"),
        ("wonky", "", "Wonky"),
        ("lab", "", "lab"),
        ("lab", "two", "lab · two"),
    ],
)
def test_a_recording_is_called_by_its_game_and_mode(game: str, mode: str, title: str, lab: Replay) -> None:
    assert telling_of(with_meta(lab, game=game, mode=mode)).title == title


@pytest.mark.parametrize(
    ("outcome", "result"),
    [
        (None, ""),
        ({}, ""),
        ({"winners": ["Ana"], "reason": "no cards left"}, "Ana wins: no cards left"),
        ({"winners": ["Ana", "Ben"], "reason": ""}, "Ana and Ben win"),
        ({"winners": [], "reason": "the tower fell"}, "the tower fell"),
        ({"winners": "Ana", "reason": 7}, ""),
        ({"winners": [7], "reason": None}, "7 wins"),
    ],
)
def test_the_result_is_who_won_and_why_as_far_as_that_is_known(
    outcome: dict[str, Any] | None, result: str, lab: Replay
) -> None:
    assert telling_of(with_meta(lab, outcome=outcome)).result == result


@pytest.mark.parametrize("story", [None, 7, "It lies.", {"It": "lies."}, [7, None, ["It lies."]]])
def test_a_story_that_is_no_list_of_lines_tells_nothing(story: object, lab: Replay) -> None:
    replay = with_events(lab, story, ["It stands."], input={"type": "Placed"})
    assert [(line.seconds, line.text) for line in telling_of(replay).lines] == [(2.0, "It stands.")]
    marks = [mark for mark in marks_of(replay, scenery_of(replay)) if mark.kind == "placed"]
    assert [(mark.seconds, mark.text) for mark in marks] == [(1.0, ""), (2.0, "It stands.")]


def test_an_event_without_an_input_of_the_rules_is_no_mark(lab: Replay) -> None:
    replay = with_events(lab, ["It lies."], ["It stands."], input="Placed")
    assert [mark.text for mark in marks_of(replay, scenery_of(replay))] == ["pieces come down"]


def test_players_without_names_are_numbered_everywhere_and_the_longest_name_first(lab: Replay) -> None:
    """Ana Maria is Player 2, and not Player 1 with a surname; Anatole, who does not play, keeps his name."""
    named = with_meta(
        lab, players=("Ana", "Ana Maria"), outcome={"winners": ["Ana Maria"], "reason": "Ana fell"}
    )
    acted = with_events(named, ["Ana Maria sees Anatole, Ana."], input={"player": "Ana Maria"})
    told = telling_of(acted, anonymous=True)
    assert told.players == ("Player 1", "Player 2")
    assert told.result == "Player 2 wins: Player 1 fell"
    assert [(line.text, line.who) for line in told.lines] == [
        ("Player 2 sees Anatole, Player 1.", "Player 2")
    ]
    assert telling_of(acted).players == ("Ana", "Ana Maria")


def test_nobody_is_numbered_where_nobody_has_a_name(lab: Replay) -> None:
    story = with_events(lab, ["It lies."])
    for players in ((), ("",)):
        told = telling_of(with_meta(story, players=players), anonymous=True)
        assert told == replace(telling_of(with_meta(story, players=players)), players=players)
    told = telling_of(with_meta(story, players=("", "Ben")), anonymous=True)
    assert [line.text for line in told.lines] == ["It lies."]
    assert told.players == ("Player 2",)


# -- pieces --------------------------------------------------------------------------------------------------------


def scenery_of(replay: Replay) -> Scenery:
    extents = np.array([body.piece.extents for body in bodies()])
    return Scenery(replay, motion_of(replay, np.linalg.norm(extents, axis=1) / 2), extents)


def test_every_brick_is_as_uneven_as_its_game_dealt_it() -> None:
    """TT-02: no two of them are of one size, while a game that nobody knows shows what the catalogue says."""
    replay = load(RECORDINGS / "tower-topple-1.teeter")
    game = game_named("tower-topple")
    own = {body.name: body.piece for body in game.judge.layout(first_state(game, replay.meta))}
    found = {body.name: body.piece for body in bodies_of(replay)}
    assert set(found) == set(replay.meta.names) - {FLOOR}
    assert all(tuple(piece.extents) == tuple(own[name].extents) for name, piece in found.items())
    bricks = {tuple(piece.extents) for name, piece in found.items() if name != TABLE}
    assert len(bricks) > 50
    listed = (BodyMeta(id="brick.01", model="tower_topple/brick"), BodyMeta(id=TABLE, model=TABLE))
    plain, table = bodies_of(with_meta(replay, game="lab", bodies=listed))
    assert tuple(plain.piece.extents) == tuple(build(find("tower_topple/brick")).extents)
    assert tuple(table.piece.extents) == tuple(own[TABLE].extents)


def test_a_piece_of_its_own_making_is_as_it_was_written_down(lab: Replay) -> None:
    written = BodyMeta(id="block", spec={**SPEC, "shape": {"box": [30, 20, 10]}})
    listed = BodyMeta(id="brick", model="tower_topple/brick", fixed=True)
    block, brick = bodies_of(with_meta(lab, bodies=(written, listed)))
    assert tuple(block.piece.extents) == pytest.approx((0.03, 0.02, 0.01))
    assert tuple(brick.piece.extents) == tuple(build(find("tower_topple/brick")).extents)
    assert (block.fixed, brick.fixed) == (False, True)


def test_what_is_left_lies_as_at_the_last_checkpoint_and_what_was_not_there_is_not_shown() -> None:
    """The cards of the stack are no bodies until they are revealed."""
    replay = load(RECORDINGS / "crazy-tower-1.teeter")
    poses = replay.named(replay.checkpoints[-1].poses)
    assert len(replay.checkpoints) > 2
    assert set(poses) < set(replay.meta.names)
    found = last_bodies(replay)
    assert {body.name for body in found} == set(poses) - {FLOOR}
    for body in found:
        assert (*body.pose.position, *body.pose.orientation) == tuple(poses[body.name].tolist())


@pytest.mark.parametrize("unseen", ["block", "spare"])
def test_a_piece_stands_where_it_is_shown_first_and_one_that_never_is_with_the_others(
    unseen: str, lab: Replay
) -> None:
    poses = lab.poses.copy()
    poses[:, NAMES.index(unseen)] = np.nan
    seen = next(name for name in NAMES[1:] if name != unseen)
    poses[0, NAMES.index(seen), 0] += 0.5
    poses[:, NAMES.index("base"), 1] = -0.3
    table = BodyMeta(id=TABLE, spec=SPEC)
    metas = tuple(table if each.id == "base" else each for each in lab.meta.bodies)
    laid = [body if body.name != "base" else replace(body, name=TABLE) for body in bodies()]
    replay = replace(with_meta(lab, bodies=metas), poses=poses)
    found = {body.name: body.pose for body in placed(replay, [replace(body, pose=NOWHERE) for body in laid])}
    assert found[seen].position == pytest.approx(poses[0, NAMES.index(seen), :3].tolist())
    assert found[unseen] == found[seen]
    assert found[TABLE].position[1] == pytest.approx(-0.3)


def test_the_scene_of_a_moment_stands_on_its_table_and_leaves_out_what_is_not_there(lab: Replay) -> None:
    poses = lab.poses.copy()
    poses[:, NAMES.index("block")] = np.nan
    table = BodyMeta(id=TABLE, spec=SPEC)
    metas = tuple(table if each.id == "spare" else each for each in lab.meta.bodies)
    laid = [body if body.name != "spare" else replace(body, name=TABLE) for body in bodies()]
    loose = [replace(body, fixed=body.name != TABLE) for body in laid]
    found = assembly_at(scenery_of(replace(with_meta(lab, bodies=metas), poses=poses)), loose, 1.0)
    assert [(body.name, body.fixed) for body in found.bodies] == [(TABLE, True), ("base", False)]


def test_films_and_replays_hide_the_prints_that_nobody_had_seen_yet() -> None:
    """TT-03: a print is seen once its brick is out, and no more in the next round."""
    replay = load(RECORDINGS / "tower-topple-1.teeter")
    pieces, telling = bodies_of(replay), telling_of(replay)
    recipe = Recipe(fps=10, pace="true", captions=False, cards=False, hand=False)
    film = film_of(replay, pieces, telling, recipe)
    viewer: Any = Viewer.__new__(Viewer)
    vars(viewer).update(
        replay=replay, scenery=sceneries.scenery_of(replay, pieces), telling=telling, bodies=pieces
    )
    printed = {
        brick.id for brick in first_state(game_named("tower-topple"), replay.meta).bricks if brick.print
    }
    hidden: list[frozenset[str]] = []
    for seconds in (0.0, 5.0, 6.5):
        number = int(np.searchsorted(film.moments, seconds))
        hidden.append(film.shot(number).frame.unread)
        viewer.watching = ViewerState(replay.seconds, seconds=float(film.moments[number]))
        assert viewer.frame().unread == hidden[-1] <= printed
    begun, drawn, again = hidden
    assert len(begun - drawn) == 1
    assert drawn < begun
    assert again == begun
    assert not telling_of(load(RECORDINGS / "crazy-tower-1.teeter")).unread_at(1.0)
