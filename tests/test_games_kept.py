"""Games that a window keeps: those begun from the command line too, and what is seen of one before it goes on."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from teeter.engine.hand import packed
from teeter.engine.pose import Pose
from teeter.engine.record import archive
from teeter.engine.record.format import RecordError
from teeter.engine.record.latest import latest
from teeter.engine.record.meta import fingerprint
from teeter.engine.record.part import FolderLock
from teeter.engine.record.reader import Replay, load
from teeter.engine.world.body import FLOOR
from teeter.engine.worlds import using
from teeter.games.commands.play import PlayRequest, _plan_of
from teeter.games.core.events import Condition, CountElapsed, Placed
from teeter.games.core.rules import TakeBack, Wait
from teeter.games.crazy_tower.state import NothingFits
from teeter.games.game import stock_of
from teeter.games.play.playback import fork, left_at, past_of, resume, verify
from teeter.games.play.recording import Tape, begin, meta_of
from teeter.games.players.bots import Bot, lay, referees
from teeter.games.present.client_state import ClientState
from teeter.games.registry import game_named
from teeter.games.server.messages import Waits
from teeter.games.server.setup import first_view, folder, open_game, plan_of, unfinished_games
from teeter.games.server.setup import kept as kept_games
from teeter.games.ui.app import App

PLAYERS = ("Ana", "Ben")
RECORDINGS = Path(__file__).parent / "recordings"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def test_a_game_begun_from_the_command_line_is_kept_among_those_of_the_menu() -> None:
    plan = _plan_of(PlayRequest(game="crazy-tower", players="Ana,Ben", seed=4))
    assert plan is not None
    assert plan.record == folder() / "crazy-tower-4-1.teeter"
    assert _plan_of(PlayRequest(game="sandbox")).record is None  # type: ignore[union-attr]


def test_a_record_is_where_one_says(tmp_path: Path) -> None:
    plan = _plan_of(PlayRequest(game="wonky", record=tmp_path / "mine.teeter"))
    assert plan is not None
    assert plan.record == tmp_path / "mine.teeter"


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, dict[str, Any], list[str]]:
    """A game of Wonky that was left after a block was laid: its file, state, poses and story."""
    path = tmp_path_factory.mktemp("left") / "wonky.teeter"
    game, lines = game_named("wonky"), list[str]()
    session, recorder = begin(
        game, PLAYERS, 3, {}, path=path, tell=(lambda *told: lines.extend(game.rules.tell(*told)),)
    )
    assert recorder is not None
    bot = Bot("steady", "wonky", 3)
    while not session.state.tower or session.need.wait is not Wait.ACTION:
        need = session.need
        if need.wait is Wait.ACTION:
            session.act(bot.choose(session, need))
        elif need.wait is Wait.HAND:
            lay(session, bot, need)
        else:
            session.settle()
    recorder.leave()
    poses = {name: body.pose for name, body in session.table.bodies.items() if name != FLOOR}
    what = path, session.state, poses, lines
    session.close()
    return what


def test_a_game_on_file_is_gone_on_with_where_one_says(left: Any, tmp_path: Path) -> None:
    path = left[0]
    assert _plan_of(PlayRequest(resume=path)).file == path  # type: ignore[union-attr]
    before, new = load(latest(path)), tmp_path / "new.teeter"
    plan = _plan_of(PlayRequest(resume=path, record=new))
    assert plan is not None
    assert (plan.resume, plan.record, plan.file) == (path, new, new)
    active = open_game(plan, lambda *told: None, lambda step, bodies: None, lambda done, of: None)
    active.close()
    assert load(latest(path)).hashes == before.hashes
    assert load(new).meta.players == before.meta.players
    assert load(new).hashes == before.hashes


def test_a_game_that_is_being_played_is_not_offered_to_be_gone_on_with(left: Any) -> None:
    older, newer = (folder() / f"wonky-{seed}-1.teeter.part" for seed in (4, 5))
    for number, part in enumerate((older, newer)):
        shutil.copytree(left[0].with_name("wonky.teeter.part"), part)
        os.utime(part, (number, number))
    file = newer.with_suffix("")
    assert unfinished_games() == (file,)
    lock = FolderLock(newer)
    assert unfinished_games() == (older.with_suffix(""),)
    assert [game.ended for game in kept_games()] == ["being played now", "not ended"]
    # it may be played elsewhere since the menu was opened
    said: list[str] = []
    start = SimpleNamespace(saved=(file,))
    app: Any = SimpleNamespace(_complain=said.append)
    App._resume(app, cast(Any, start))
    lock.release()
    assert said == ["Wonky, seed 5, is being played in another window."]
    assert start.saved == (older.with_suffix(""),)


def test_what_is_seen_of_a_game_that_is_gone_on_with_is_what_was_left(left: Any) -> None:
    path, state, poses, lines = left
    opening = first_view(plan_of(path))
    assert opening.state == state
    assert {body.name for body in opening.bodies} == set(poses)
    for body in opening.bodies:
        assert np.allclose(body.pose.position, poses[body.name].position, atol=1e-12)
    client = ClientState(plan_of(path), opening.game, opening.state, opening.bodies, lambda: 0.0)
    client.remember(opening.past)
    assert len(client.log) == len(lines[-60:])
    assert any("stands" in line for line in client.log), client.log
    assert client.busy == "checking what was played"


@pytest.mark.parametrize("name", ["bausack-1", "crazy-tower-1", "tower-topple-1", "wonky-1"])
def test_a_game_of_every_kind_is_seen_before_it_goes_on(name: str, tmp_path: Path) -> None:
    """The cards of Crazy Tower that nobody has revealed lie nowhere yet."""
    path = tmp_path / f"{name}.teeter"
    shutil.copy(RECORDINGS / path.name, path)
    replay = load(path)
    opening = first_view(plan_of(path))
    assert {body.name for body in opening.bodies} == set(replay.named(replay.checkpoints[-1].poses)) - {FLOOR}
    # its last act was to take a piece
    assert opening.state == left_at(replay)[0] != past_of(replay)[0]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["bausack", "crazy-tower", "tower-topple", "wonky"])
def test_what_was_in_the_hand_is_not_when_a_game_goes_on(name: str, tmp_path: Path) -> None:
    """People were told to carry a piece that lay on the table, and read twice that it was taken."""
    path = tmp_path / "held.teeter"
    session, recorder = begin(game_named(name), PLAYERS, 3, {}, path=path)
    assert recorder is not None
    while session.table.hand.held is None:
        session.act(session.choices[0].action)
    recorder.close(session.summary())
    session.close()
    opening = first_view(plan_of(path))
    again, recorder = resume(path)
    recorder.leave()
    assert opening.state == again.state
    assert again.table.hand.held is None
    client = ClientState(plan_of(path), opening.game, opening.state, opening.bodies, lambda: 0.0)
    client.remember(opening.past)
    client.hear(Waits(again.need, again.choices, False))
    assert client.need == again.need
    assert not any("take" in line for line in client.log)
    assert len(opening.past) < len(past_of(load(path))[1])
    again.close()


def test_a_piece_that_was_laid_wrong_teaches_nobody(left: Any) -> None:
    """It ended the tutorial of that game for good."""
    opening = first_view(plan_of(left[0]))
    client = ClientState(plan_of(left[0]), opening.game, opening.state, opening.bodies, lambda: 0.0)
    wrong = [
        (before, replace(given, broken=(Condition.IN_THE_CENTRE,)), after)
        if isinstance(given, Placed | CountElapsed)
        else (before, given, after)
        for before, given, after in opening.past
    ]
    assert wrong != list(opening.past)
    client.remember(tuple(wrong))
    assert not client.has_laid


def test_somebody_who_has_laid_a_piece_before_is_known(left: Any) -> None:
    path = left[0]
    opening = first_view(plan_of(path))
    client = ClientState(plan_of(path), opening.game, opening.state, opening.bodies, lambda: 0.0)
    assert not client.has_laid
    client.remember(opening.past)
    assert client.has_laid


def test_a_record_that_the_rules_refuse_is_said_so(left: Any) -> None:
    replay = load(left[0].with_name(left[0].name + ".part"))
    step, entry = replay.events[0]
    other = {**entry, "input": {**entry["input"], "player": "Zoe"}}
    with pytest.raises(RecordError, match="holds what the game refuses"):
        past_of(replace(replay, events=((step, other), *replay.events[1:])))


# -- what a record says of a game, and what is made of one that says something else ---------------------------------


def with_meta(replay: Replay, **more: object) -> Replay:
    return replace(replay, meta=replay.meta.model_copy(update=more))


@pytest.fixture(scope="module")
def kept(left: Any) -> Replay:
    """The record of that game, at its last checkpoint."""
    return load(latest(left[0]))


def test_a_record_keeps_options_as_they_were_given_and_a_tremor_only_where_there_is_one() -> None:
    game = game_named("crazy-tower")
    options: dict[str, object] = {"mode": "solo", "challenge": 9, "colour_count": 1}
    state = game.rules.start(("Ana",), 1, options, stock_of(game))
    calm, shaking = (meta_of(game, state, ("Ana",), 1, options, tremor) for tremor in (0.0, 0.002))
    assert (calm.mode, calm.options) == ("solo", {"challenge": 9, "colour_count": 1})
    assert calm.settings == {"contacts": "rigid"}
    assert shaking.settings == {"contacts": "rigid", "tremor_mm": 2.0}
    odd = meta_of(game, state, ("Ana",), 1, {**options, "share": Fraction(1, 2)})
    assert odd.options["share"] == "1/2", "what JSON has no word for is kept as text"


def test_a_game_is_simulated_by_the_engine_of_its_record_and_a_new_one_by_the_one_in_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("teeter.games.play.recording.maker_of", asked.append)
    monkeypatch.setattr("teeter.games.play.recording.engine_in_use", lambda: "bullet")
    Tape(game_named("wonky"))
    Tape(game_named("wonky"), engine="rapier")
    assert asked == ["bullet", "rapier"]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"players": ()}, "cannot be gone on with: .* the game refuses: .* players"),
        (
            {"engine": "newton"},
            "cannot be gone on with: it was simulated by the engine 'newton', and here are",
        ),
    ],
)
def test_a_fork_that_nobody_records_says_why_it_cannot_be(
    more: dict[str, object], words: str, kept: Replay
) -> None:
    with pytest.raises(RecordError, match=words):
        fork(with_meta(kept, **more))


def test_a_record_that_lost_its_inputs_is_forked_where_they_lead(kept: Replay) -> None:
    assert len(kept.checkpoints) > 1
    bare = replace(kept, journal=())
    session, _ = fork(bare, 0)
    assert session.table.step == kept.checkpoints[0].step
    session.close()
    with pytest.raises(RecordError, match="does not reach the checkpoints of the record"):
        fork(bare, 1)


def test_the_moment_before_the_first_turn_is_compared_too(kept: Replay) -> None:
    """What lies elsewhere than in the record from the start is no game to go on with."""
    first, *others = kept.checkpoints
    other = replace(kept, checkpoints=(replace(first, digest="0" * len(first.digest)), *others))
    with pytest.raises(RecordError, match=f"the poses at the checkpoint of step {first.step} differ"):
        fork(other)


@pytest.mark.parametrize("is_forged", [False, True])
def test_CT_10_what_the_referee_said_is_said_again(tmp_path: Path, is_forged: bool) -> None:
    """CT-10: a record holds the answer, and is played on from it; that it was so is verified."""
    path = tmp_path / "asked.teeter"
    session, recorder = begin(game_named("crazy-tower"), PLAYERS, 1, {}, path=path)
    assert recorder is not None
    session.act(next(each.action for each in session.choices if isinstance(each.action, NothingFits)))
    session.answer(referees(session, session.need) is not is_forged)
    state = session.state
    recorder.close(session.summary())
    session.close()
    found = verify(path)
    assert found.agrees is not is_forged
    assert ("the answer no, where the referee here says yes" in found.why) is is_forged
    again, _ = fork(load(path))
    assert again.state == state
    again.close()


def test_CT_10_nor_does_it_agree_when_another_version_is_named(tmp_path: Path) -> None:
    """CT-10: whoever forges an answer chooses the version, too."""
    path = tmp_path / "asked.teeter"
    session, recorder = begin(game_named("crazy-tower"), PLAYERS, 1, {}, path=path)
    assert recorder is not None
    session.act(next(each.action for each in session.choices if isinstance(each.action, NothingFits)))
    session.answer(not referees(session, session.need))
    recorder.close(session.summary())
    session.close()
    contents = archive.read(path)
    head = json.loads(contents.meta)
    head["versions"]["teeter"] = "0.1"
    meta = json.dumps(head, sort_keys=True).encode("ascii")
    with path.open("wb") as stream:
        archive.write(replace(contents, meta=meta), stream)
    found = verify(path)
    assert (found.agrees, found.comparable) == (False, False)
    assert "It names version '0.1', whose rules may have been others" in found.why


def test_a_game_that_is_gone_on_with_is_marked_with_the_engine_that_simulates_it(tmp_path: Path) -> None:
    """And with the machine, as that engine is on it."""
    paths = tmp_path / "a.teeter", tmp_path / "b.teeter"
    with using("rapier"):
        session, recorder = begin(game_named("wonky"), PLAYERS, 3, {}, path=paths[0])
    assert recorder is not None
    recorder.close(session.summary())
    session.close()
    session, recorder = fork(load(paths[0]), path=paths[1])
    assert recorder is not None
    recorder.close(session.summary())
    session.close()
    metas = [load(path).meta for path in paths]
    assert [meta.engine for meta in metas] == ["rapier", "rapier"]
    assert [meta.platform for meta in metas] == [fingerprint("rapier")] * 2


def test_an_input_of_another_kind_is_named(kept: Replay) -> None:
    step = kept.journal[0][0]
    with pytest.raises(RecordError, match="a journal entry of the unknown type 'dance'"):
        fork(replace(kept, journal=((step, {"type": "dance"}),)))


def test_ALL_6_records_that_say_undo_are_played_as_those_that_take_back(tmp_path: Path) -> None:
    """ALL-6: older records have an input of their own for it."""
    path = tmp_path / "back.teeter"
    session, recorder = begin(game_named("wonky"), PLAYERS, 3, {}, path=path)
    assert recorder is not None
    while session.table.hand.held is None:
        session.act(session.choices[0].action)
    session.undo()
    recorder.close(session.summary())
    session.close()
    replay = load(path)
    step, entry = replay.journal[-1]
    assert entry["input"]["type"] == TakeBack.__name__
    again, _ = fork(replace(replay, journal=(*replay.journal[:-1], (step, {"type": "undo"}))))
    assert again.table.step == replay.checkpoints[-1].step
    again.close()
    assert verify(path).agrees


def test_all_that_the_rules_took_is_on_record_with_its_story(tmp_path: Path) -> None:
    """What is told as the game is played is what a viewer and the list of moves read from its record."""
    path, game = tmp_path / "told.teeter", game_named("wonky")
    told: list[tuple[Any, list[str]]] = []
    session, recorder = begin(
        game,
        PLAYERS,
        3,
        {},
        path=path,
        tell=(
            lambda before, given, after: told.append((given, list(game.rules.tell(before, given, after)))),
        ),
    )
    assert recorder is not None
    while session.table.hand.held is None:
        session.act(session.choices[0].action)
    session.undo()
    recorder.close(session.summary())
    session.close()
    replay = load(path)
    events = [entry for _, entry in replay.events if entry["type"] == "input"]
    assert [(game.read_input(json.dumps(each["input"])), each["story"]) for each in events] == told
    assert len(told) >= 3
    assert past_of(replay)[0] == session.state


def test_a_record_shows_how_a_block_was_lifted_and_came_down_again(tmp_path: Path) -> None:
    path = tmp_path / "seen.teeter"
    session, recorder = begin(game_named("wonky"), PLAYERS, 3, {}, path=path)
    assert recorder is not None
    while session.table.hand.held is None:
        session.act(session.choices[0].action)
    held, target = session.table.hand.held, session.table.hand.target
    for step in range(60):
        x, y, z = target.position
        session.aim(packed(Pose((x, y, z + 2e-4 * step), target.orientation)))
    lifted = session.table.bodies[held].pose.position
    session.release()
    session.settle()
    session.close()
    recorder.close()
    replay = load(path)
    heights = replay.poses[:, replay.meta.names.index(held), 2]
    assert float(heights.max()) == pytest.approx(lifted[2], abs=2e-3)
    assert float(heights.max()) > float(heights[0]) + 0.008
    assert float(heights[-1]) == pytest.approx(float(heights[0]), abs=2e-3)
