"""Records played again: what agrees and what differs, from which step on; and nothing is left open behind one that was
refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from test_session_resume import a_moment, another_hand, edited, with_meta

from teeter.engine.hand import packed
from teeter.engine.record.format import RecordError
from teeter.engine.record.reader import load
from teeter.games.core.rules import Take
from teeter.games.play.playback import fork, resume, verify
from teeter.games.play.recording import begin
from teeter.games.play.session import Session
from teeter.games.registry import game_named

Lines = dict[str, bytes]
Change = Callable[[Lines], None]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game of Wonky in which one block was laid."""
    path = tmp_path_factory.mktemp("kept") / "moment.teeter"
    a_moment(path)
    return path


@pytest.fixture
def moment(kept: Path, tmp_path: Path) -> Path:
    """A copy of its record."""
    return Path(shutil.copy(kept, tmp_path / "a.teeter"))


@pytest.fixture(autouse=True)
def open_sessions(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Session]]:
    """Those that were begun and are not closed."""
    found: list[Session] = []
    begun, closed = Session.__init__, Session.close

    def begin_one(self: Session, *given: object, **more: object) -> None:
        begun(self, *given, **more)  # type: ignore[arg-type]
        found.append(self)

    def close_one(self: Session) -> None:
        closed(self)
        found.remove(self)

    monkeypatch.setattr(Session, "__init__", begin_one)
    monkeypatch.setattr(Session, "close", close_one)
    yield found
    assert found == [], "a session was left open"


def without_lines(name: str, count: int) -> Change:
    """The last lines of an entry are lost."""

    def change(entries: Lines) -> None:
        lines = entries[name].splitlines()
        entries[name] = b"\n".join(lines[: len(lines) - count]) + b"\n"

    return change


# -- agreeing ------------------------------------------------------------------------------------------------------


def test_a_record_that_agrees_was_played_to_its_end(moment: Path) -> None:
    replay, heard = load(moment), list[tuple[int, int]]()
    found = verify(moment, lambda *done: heard.append(done))
    assert (found.agrees, found.comparable, found.difference, found.why) == (True, True, None, "")
    assert found.steps == replay.checkpoints[-1].step > 1000
    assert heard == [(number, len(replay.journal)) for number in range(1, len(replay.journal) + 1)]


def test_a_record_of_another_platform_may_agree_but_is_not_comparable(moment: Path) -> None:
    edited(moment, with_meta(platform="vax VMS"))
    found = verify(moment)
    assert (found.agrees, found.comparable) == (True, False)


# -- differing -----------------------------------------------------------------------------------------------------


def another_step(entries: Lines) -> None:
    """Every input comes a step later than it did."""
    lines = entries["journal.jsonl"].decode().splitlines()
    moved = [json.dumps({**(entry := json.loads(line)), "step": entry["step"] + 1}) for line in lines]
    entries["journal.jsonl"] = ("\n".join(moved) + "\n").encode()


@pytest.mark.parametrize(
    ("change", "place", "words"),
    [
        (another_hand, -1, "the poses at the checkpoint of step {step} differ"),
        (
            without_lines("journal.jsonl", 1),
            -1,
            "the simulation does not reach the checkpoints of the record",
        ),
        (with_meta(players=["Ana"]), None, "the record asks for what the game refuses: "),
        (with_meta(settings={"tremor_mm": "much"}), None, "the record asks for what the game refuses: "),
        (with_meta(settings={"contacts": "soft"}), None, "is {{'contacts': 'soft'}}, played again it is"),
        (another_step, None, "the record goes on at step {one}, the simulation is at {none}"),
    ],
)
def test_a_record_that_differs_says_from_which_step_on_and_why(
    change: Change, place: int | None, words: str, moment: Path
) -> None:
    before = load(moment)
    edited(moment, change)
    found = verify(moment)
    assert not found.agrees
    assert found.comparable, "it was made here"
    first = before.journal[0][0]
    step = 0 if place is None else before.checkpoints[place].step
    assert found.why.startswith(words.format(step=step, one=first + 1, none=first))
    assert found.difference == (first + 1 if "goes on at step" in words else step)
    assert (found.steps > 0) == ("refuses" not in words and "soft" not in words)
    with pytest.raises(RecordError, match="cannot be gone on with: played again, from step") as refused:
        resume(moment)
    assert "platform" not in str(refused.value)
    assert [each.name for each in moment.parent.iterdir()] == ["a.teeter"]


# -- going on ------------------------------------------------------------------------------------------------------


def test_who_stops_a_game_from_being_played_again_leaves_nothing_behind(moment: Path) -> None:
    """Nor open: the fixture looks."""
    before = moment.read_bytes()

    def enough(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        resume(moment, progress=enough)
    assert [each.name for each in moment.parent.iterdir()] == ["a.teeter"]
    assert moment.read_bytes() == before


@pytest.mark.parametrize("reason", ["", " (no cards left)"])
def test_a_game_that_says_it_is_over_is_not_gone_on_with(reason: str, moment: Path) -> None:
    edited(moment, with_meta(outcome={"ended": True, **({"reason": reason[2:-1]} if reason else {})}))
    with pytest.raises(RecordError) as refused:
        resume(moment)
    assert str(refused.value).endswith(f"this game is over{reason}: there is no turn left to go on with")


@pytest.mark.parametrize("is_closed", [True, False])
def test_nor_is_one_that_turns_out_to_be_over(is_closed: bool, tmp_path: Path) -> None:
    """CT-39: the minute was over while Ana held her first block, and nobody wrote down how the game ended."""
    path = tmp_path / "a.teeter"
    options: dict[str, object] = {"mode": "solo", "challenge": 9}
    session, recorder = begin(game_named("crazy-tower"), ("Ana",), 1, options, path=path)
    assert recorder is not None
    take = next(each.action for each in session.choices if isinstance(each.action, Take))
    session.act(take)
    session.undo()
    session.wait(round((60.0 - 0.2) * session.table.rate))
    session.act(take)
    while session.outcome is None:
        session.aim(packed(session.table.hand.target))
    assert session.outcome is not None
    session.close()
    recorder.close(session.summary()) if is_closed else recorder.leave()
    if is_closed:
        assert verify(path).agrees
        with pytest.raises(
            RecordError, match=r"this game is over \(the minute is over\): there is no turn left"
        ):
            resume(path)
        assert [each.name for each in tmp_path.iterdir()] == ["a.teeter"]
    else:
        again, recorder = resume(path)
        assert again.outcome == session.outcome
        again.close()
        recorder.leave()


def test_a_fork_that_nobody_names_goes_on_from_the_last_checkpoint(moment: Path) -> None:
    replay = load(moment)
    steps = [checkpoint.step for checkpoint in replay.checkpoints]
    assert len(set(steps)) > 1
    for asked, step in ((None, steps[-1]), (-2, steps[-2]), (0, steps[0]), (len(steps) - 1, steps[-1])):
        session, recorder = fork(replay) if asked is None else fork(replay, asked)
        assert (session.table.step, recorder) == (step, None)
        session.close()
