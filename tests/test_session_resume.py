"""ALL-7: games left and gone on with are, bit for bit, the games that were never left; forks; and what is refused."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from teeter.engine.hand import packed
from teeter.engine.pose import Pose
from teeter.engine.record.format import FORMAT, RecordError
from teeter.engine.record.reader import load
from teeter.engine.record.writer import Recorder
from teeter.games.cli import app
from teeter.games.core.rules import Take, TakeBack, Wait
from teeter.games.play.playback import checkpoint_at, fork, resume, verify
from teeter.games.play.recording import begin
from teeter.games.play.session import Session
from teeter.games.players.bots import bots_of, play
from teeter.games.registry import GAMES

BY_NAME = {game.name: game for game in GAMES}
SHORT: dict[str, tuple[tuple[str, ...], dict[str, object], int, int]] = {
    "wonky": (("bot:steady", "bot:clumsy"), {}, 2, 4),
    "tower-topple": (("bot:steady", "bot:bold"), {"mode": "3", "rounds": 1}, 0, 1),
    "bausack": (("bot:steady", "bot:bold"), {"pieces": 8}, 5, 9),
    "crazy-tower": (("bot:steady",), {"mode": "solo", "colour_count": 1}, 1, 3),
}
"""Players, options, the turn after which a game is left, and the one after which it is broken off."""
SEED = 3


class LeftError(Exception):
    """Somebody leaves in the middle of a turn."""


def start(name: str, path: Path) -> tuple[Session, Recorder]:
    players, options, _, _ = SHORT[name]
    session, recorder = begin(BY_NAME[name], players, SEED, options, path=path)
    assert recorder is not None
    return session, recorder


def finish(session: Session, recorder: Recorder, turns: int) -> Session:
    play(session, bots_of(session, SEED), turns)
    recorder.close(session.summary())
    session.close()
    return session


def leave(session: Session, recorder: Recorder, after: int, steps: int) -> None:
    """Play so many turns and some steps of the hand more, and go."""
    taken = 0

    def aim(target: Any, real: Callable[[Any], None] = session.aim) -> None:
        nonlocal taken
        if session.turns > after:
            taken += 1
            if taken > steps:
                raise LeftError
        real(target)

    session.aim = aim  # type: ignore[method-assign]
    with pytest.raises(LeftError):
        play(session, bots_of(session, SEED), 100)
    session.close()
    recorder.leave()


def poses(session: Session) -> dict[str, tuple[float, ...]]:
    bodies = session.table.scene().bodies
    return {name: (*body.pose.position, *body.pose.orientation) for name, body in bodies.items()}


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("name", SHORT)
def test_a_game_left_in_the_middle_of_a_turn_goes_on_as_if_it_never_was(name: str, tmp_path: Path) -> None:
    """ALL-7: state, poses, random streams and record."""
    _, _, left, turns = SHORT[name]
    never = finish(*start(name, tmp_path / "never.teeter"), turns)
    path = tmp_path / "left.teeter"
    leave(*start(name, path), left, 37)
    session, recorder = resume(path)
    assert (
        load(recorder.folder).hashes
        == load(tmp_path / "never.teeter").hashes[: len(load(recorder.folder).hashes)]
    )
    assert session.table.step == load(recorder.folder).checkpoints[-1].step
    finish(session, recorder, turns)
    assert session.state == never.state
    assert path.read_bytes() == (tmp_path / "never.teeter").read_bytes()
    assert not recorder.folder.exists()


@pytest.mark.slow
def test_a_fork_goes_on_from_an_earlier_checkpoint_and_leaves_the_record_alone(tmp_path: Path) -> None:
    finish(*start("wonky", tmp_path / "a.teeter"), 4)
    replay, before = load(tmp_path / "a.teeter"), (tmp_path / "a.teeter").read_bytes()
    middle = len(replay.checkpoints) // 2
    # played on by the same bots it becomes the same game
    session, recorder = fork(replay, middle, path=tmp_path / "b.teeter")
    assert recorder is not None
    assert session.table.step == replay.checkpoints[middle].step
    finish(session, recorder, 4)
    assert (tmp_path / "b.teeter").read_bytes() == before
    # by another hand another one, which agrees with itself
    session, recorder = fork(replay, middle, path=tmp_path / "c.teeter")
    assert recorder is not None
    by_hand(session)
    recorder.close(session.summary())
    assert load(tmp_path / "c.teeter").hashes[:middle] == replay.hashes[:middle]
    assert verify(tmp_path / "c.teeter").agrees
    assert (tmp_path / "a.teeter").read_bytes() == before


# -- games of a moment, played by a hand of the test -------------------------------------------------------------


def by_hand(session: Session) -> None:
    """Take up the first thing there is, bring it to the middle of the table, let it go, and close the session."""
    while session.table.hand.held is None:
        actions = [choice.action for choice in session.choices if not isinstance(choice.action, TakeBack)]
        session.act(next((action for action in actions if isinstance(action, Take)), actions[0]))
    start = session.table.hand.target
    x, y, z = start.position
    for step in range(200):
        if session.table.hand.held is None:
            break  # a foul: it has pushed the tower
        part = min(1.0, step / 160)
        session.aim(packed(Pose((x - part * x, y - part * y, z + 4e-5 * step), start.orientation)))
    if session.table.hand.held is not None:
        session.release()
    if session.need.wait in (Wait.REST, Wait.COUNT):
        session.settle()
    session.close()


def a_moment(path: Path, close: bool = True, outcome: dict[str, Any] | None = None) -> Recorder:
    session, recorder = start("wonky", path)
    by_hand(session)
    if close:
        recorder.close(session.summary() if outcome is None else outcome)
    return recorder


def edited(path: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    with zipfile.ZipFile(path) as whole:
        entries = {name: whole.read(name) for name in whole.namelist()}
    change(entries)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)


def with_meta(**more: object) -> Callable[[dict[str, bytes]], None]:
    def change(entries: dict[str, bytes]) -> None:
        entries["meta.json"] = json.dumps({**json.loads(entries["meta.json"]), **more}).encode()

    return change


def another_hand(entries: dict[str, bytes]) -> None:
    lines = entries["journal.jsonl"].splitlines()
    row = max(number for number, line in enumerate(lines) if b'"hand"' in line)
    entry = json.loads(lines[row])
    entry["target"][0] += 3000
    lines[row] = json.dumps(entry).encode()
    entries["journal.jsonl"] = b"\n".join(lines) + b"\n"


def another_hand_elsewhere(entries: dict[str, bytes]) -> None:
    another_hand(entries)
    with_meta(platform="vax VMS")(entries)


REFUSED: list[tuple[str, Callable[[dict[str, bytes]], None] | None, str]] = [
    (
        "over",
        with_meta(outcome={"ended": True, "reason": "no cards left"}),
        r"this game is over \(no cards left\)",
    ),
    (
        "newer",
        with_meta(format=FORMAT + 1),
        f"format {FORMAT + 1} is newer than this teeter, which reads up to {FORMAT}: update teeter",
    ),
    ("made before", with_meta(format=1), "cannot be gone on with: made before things fell as they do today"),
    ("unknown", with_meta(game="chess"), "is of a game 'chess' that is not known here"),
    ("players", with_meta(players=[]), "cannot be gone on with: .* the game refuses: .* 2 to 16"),
    (
        "tremor",
        with_meta(settings={"contacts": "rigid", "tremor_mm": 1e9}),
        "cannot be gone on with: .* a hand shakes by 0 to 20 mm",
    ),
    ("changed", another_hand, "cannot be gone on with: played again, from step .* the poses .* differ"),
    (
        "platform",
        another_hand_elsewhere,
        r"differ; it was recorded on another platform \(vax VMS\)",
    ),
    ("truncated", None, "is not a recording: a .teeter file is a zip, this is none or cut off"),
    ("foreign", None, "is not a recording"),
    ("missing", None, "there is no such file"),
]


@pytest.mark.parametrize(("what", "change", "words"), REFUSED, ids=[each[0] for each in REFUSED])
def test_what_cannot_be_gone_on_with_is_said_and_left_alone(
    what: str, change: Callable[[dict[str, bytes]], None] | None, words: str, tmp_path: Path, moment: Path
) -> None:
    path = tmp_path / "a.teeter"
    if what == "foreign":
        path.write_text("a letter")
    elif what != "missing":
        shutil.copy(moment, path)
    if what == "truncated":
        path.write_bytes(path.read_bytes()[:-300])
    if change is not None:
        edited(path, change)
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    with pytest.raises(RecordError, match=words):
        resume(path)
    found = CliRunner().invoke(app, ["play", "--resume", str(path), "--headless"])
    assert found.exit_code == 2
    assert found.stderr.count("\n") == 1
    assert "Traceback" not in found.output
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before


@pytest.fixture(scope="module")
def moment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("moment") / "moment.teeter"
    a_moment(path)
    return path


def test_a_file_gone_on_with_stays_until_the_new_one_is_whole(tmp_path: Path, moment: Path) -> None:
    path = tmp_path / "a.teeter"
    shutil.copy(moment, path)
    first = load(path)
    session, recorder = resume(path)
    assert poses(session).keys() == first.named(first.checkpoints[-1].poses).keys()
    assert load(path).hashes == first.hashes
    session.close()
    recorder.leave()
    # left at once, the folder holds nothing that the file does not: it makes room
    session, recorder = resume(path)
    by_hand(session)
    recorder.leave()
    further = load(recorder.folder).hashes
    assert further[: len(first.hashes)] == first.hashes
    assert len(further) > len(first.hashes)
    # left later, the folder is what is gone on with, whichever is named
    session, recorder = resume(recorder.folder)
    assert session.table.step == further[-1][0]
    session.close()
    recorder.close(session.summary())
    assert load(path).hashes == further
    assert [each.name for each in tmp_path.iterdir()] == ["a.teeter"]


def test_two_games_of_one_name_are_told_apart(tmp_path: Path, moment: Path) -> None:
    path = tmp_path / "a.teeter"
    session, recorder = begin(BY_NAME["wonky"], ("Ana", "Ben"), 99, {}, path=path)
    by_hand(session)
    assert recorder is not None
    recorder.leave()
    shutil.copy(moment, path)
    with pytest.raises(
        RecordError, match=r"a\.teeter\.part: is another game than the one in a\.teeter: move one"
    ):
        resume(path)


def test_a_game_left_before_its_first_checkpoint_begins_anew(tmp_path: Path, moment: Path) -> None:
    meta = load(moment).meta.model_copy(update={"outcome": None})
    Recorder(tmp_path / "a.teeter", meta).leave()
    session, recorder = resume(tmp_path / "a.teeter")
    by_hand(session)
    recorder.close(session.summary())
    assert (tmp_path / "a.teeter").read_bytes() == moment.read_bytes()


def test_watchers_hear_nothing_of_what_is_only_played_again(tmp_path: Path, moment: Path) -> None:
    path = tmp_path / "a.teeter"
    shutil.copy(moment, path)
    told: list[int] = []
    looks: list[int] = []
    done: list[tuple[int, int]] = []
    session, recorder = resume(
        path,
        tell=[lambda before, given, after: told.append(1)],
        sink=lambda step, bodies: looks.append(step),
        progress=lambda *pair: done.append(pair),
    )
    begun = session.table.step
    assert (told, looks) == ([], [])
    assert done[-1][0] <= done[-1][1]
    by_hand(session)
    recorder.discard()
    assert told
    assert min(looks) > begun


def test_a_folder_is_free_again_when_going_on_was_broken_off(tmp_path: Path, moment: Path) -> None:
    path = tmp_path / "a.teeter"
    shutil.copy(moment, path)
    session, recorder = resume(path)
    by_hand(session)
    recorder.leave()

    def enough(done: int, total: int) -> None:
        raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            resume(recorder.folder, progress=enough)
    session, recorder = resume(recorder.folder)
    session.close()
    recorder.leave()


def test_a_record_of_an_engine_that_is_not_here_is_not_compared(
    moment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("engine.worlds", "games.play.playback"):
        monkeypatch.setattr(f"teeter.{module}.installed_engines", lambda: ("rapier",))
    found = verify(moment)
    assert not found.agrees
    assert not found.comparable
    assert found.steps == 0
    assert "simulated by the engine 'bullet', and here are rapier" in found.why


def test_the_checkpoint_at_a_moment(moment: Path) -> None:
    replay = load(moment)
    steps = [boundary.step for boundary in replay.checkpoints]
    found = [checkpoint_at(replay, seconds) for seconds in (0.0, steps[-1] / replay.meta.rate, 1e9)]
    assert found == [0, len(steps) - 1, len(steps) - 1]
    with pytest.raises(IndexError):
        fork(replay, 99)


def test_an_undo_in_a_resumed_game_is_recorded_and_agrees(tmp_path: Path, moment: Path) -> None:
    """ALL-6: the checkpoint after it has the poses of the one before."""
    path = tmp_path / "a.teeter"
    shutil.copy(moment, path)
    session, recorder = resume(path)
    session.act(session.choices[0].action)
    while session.table.hand.held is None:
        session.act(session.choices[0].action)
    start = session.table.hand.target
    for step in range(30):
        x, y, z = start.position
        session.aim(packed(Pose((x, y, z + 3e-4 * step), start.orientation)))
    before = len(load(recorder.folder).hashes)
    session.undo()
    session.close()
    recorder.close(session.summary())
    hashes = load(path).hashes
    assert len(hashes) == before + 1
    assert hashes[-1][1] == hashes[-2][1]
    assert verify(path).agrees
