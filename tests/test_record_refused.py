"""What a recorder refuses, and that a refusal spoils nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_record_roundtrip import digest, meta, play, poses, upright

from teeter.engine.record.format import RecordError
from teeter.engine.record.reader import load
from teeter.engine.record.writer import Recorder

WRONG_ENTRIES = [
    (0, {"piece": "slab"}, "needs a `type`"),
    (0, {"type": 3}, "needs a `type`"),
    (0, {"type": "grab", "step": 3}, "no `step` of its own"),
    (0, {"type": "grab", "at": float("nan")}, "is not JSON"),
    (0, {"type": "grab", "at": np.float32(3)}, "is not JSON"),
    (0, {"type": "grab", "at": {1, 2}}, "is not JSON"),
    (-1, {"type": "grab"}, "step -1 after step 0: steps never run backwards"),
    (2**53 + 1, {"type": "grab"}, "steps never run backwards"),
]


@pytest.mark.parametrize(("step", "entry", "words"), WRONG_ENTRIES)
def test_what_is_no_entry_is_refused(tmp_path: Path, step: int, entry: dict[str, Any], words: str) -> None:
    recorder = Recorder(tmp_path / "a.teeter", meta())
    with pytest.raises(ValueError, match=words):
        recorder.journal(step, entry)
    recorder.journal(0, {"type": "release"})  # and nothing is spoilt
    recorder.close()
    assert len(load(tmp_path / "a.teeter").journal) == 1


def test_steps_never_run_backwards(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.teeter", meta())
    recorder.journal(10, {"type": "release"})
    recorder.event(8, {"type": "moved"})  # each kind of record has a clock of its own
    with pytest.raises(ValueError, match="journal at step 9 after step 10: steps never run backwards"):
        recorder.journal(9, {"type": "release"})
    with pytest.raises(ValueError, match="checkpoint at step 9 after step 10"):
        recorder.checkpoint(9, poses(), digest(0))
    recorder.checkpoint(20, poses(), digest(0))
    with pytest.raises(ValueError, match="journal at step 19 after step 20"):
        recorder.journal(19, {"type": "release"})
    recorder.frame(20, poses())
    with pytest.raises(ValueError, match="frame at step 16 after step 20"):
        recorder.frame(16, poses())
    with pytest.raises(ValueError, match="event at step 7 after step 8"):
        recorder.event(7, {"type": "moved"})
    recorder.close()


WRONG_POSES = [
    ({"egg": upright(0, 0, 0)}, "no body is called 'egg'"),
    ({"slab": [0, 0, 0, 0, 0, 0, 0]}, "the pose of 'slab' .* is not a unit quaternion"),
    ({"slab": [float("inf"), 0, 0, 0, 0, 0, 1]}, "the pose of 'slab' .* is not seven finite numbers"),
    ({"slab": [float("nan"), 0, 0, 0, 0, 0, 1]}, "the pose of 'slab' .* is not seven finite numbers"),
    ({"slab": [0, 0, 0]}, r"poses have the shape \(1, 3\); each is a row of 7"),
]


@pytest.mark.parametrize(("rows", "words"), WRONG_POSES)
def test_what_is_no_pose_is_refused(tmp_path: Path, rows: dict[str, Any], words: str) -> None:
    recorder = Recorder(tmp_path / "a.teeter", meta())
    with pytest.raises(ValueError, match=words):
        recorder.frame(0, rows)
    with pytest.raises(ValueError, match=words):
        recorder.checkpoint(0, rows, digest(0))
    with pytest.raises(ValueError, match="is not a SHA-256"):
        recorder.checkpoint(0, poses(), "a" * 63)
    recorder.close()
    assert load(tmp_path / "a.teeter").checkpoints == ()


def test_what_is_there_is_never_overwritten(tmp_path: Path) -> None:
    play(tmp_path / "a.teeter")
    before = (tmp_path / "a.teeter").read_bytes()
    with pytest.raises(RecordError, match=r"a\.teeter: is there already: choose another name"):
        Recorder(tmp_path / "a.teeter", meta())
    open_one = Recorder(tmp_path / "b.teeter", meta())
    with pytest.raises(RecordError, match=r"b\.teeter\.part: is being recorded by process \d+"):
        Recorder(tmp_path / "b.teeter", meta())
    open_one.leave()
    with pytest.raises(RecordError, match=r"b\.teeter\.part: holds an unfinished recording"):
        Recorder(tmp_path / "b.teeter", meta())
    assert (tmp_path / "a.teeter").read_bytes() == before


def test_a_closed_recording_takes_nothing_more(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.teeter", meta())
    recorder.close()
    recorder.close()
    with pytest.raises(ValueError, match=r"a\.teeter is closed"):
        recorder.journal(0, {"type": "release"})


def test_an_outcome_that_is_not_json_leaves_the_recording_open(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.teeter", meta())
    for outcome in ({"winners": {1, 2}}, {"margin": float("inf")}, {"name": "\ud800"}):
        with pytest.raises(ValueError):
            recorder.close(outcome)
    recorder.close({"winners": []})
    assert load(tmp_path / "a.teeter").meta.outcome == {"winners": []}


def test_an_error_in_the_block_leaves_the_folder(tmp_path: Path) -> None:
    def game() -> None:
        with Recorder(tmp_path / "a.teeter", meta()) as recorder:
            recorder.checkpoint(3, poses(), digest(3))
            raise KeyError("a fault of the game")

    with pytest.raises(KeyError):
        game()
    assert [path.name for path in tmp_path.iterdir()] == ["a.teeter.part"]
    assert [checkpoint.step for checkpoint in load(tmp_path / "a.teeter.part").checkpoints] == [3]


@pytest.mark.parametrize("place", ["nowhere/a.teeter", "file/a.teeter"])
def test_where_nothing_can_be_written(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(
        RecordError, match=r"a\.teeter: cannot be written \(.*\): make room or choose another"
    ):
        Recorder(tmp_path / place, meta())
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_disk_that_fills_while_packing_keeps_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = Recorder(tmp_path / "a.teeter", meta())
    recorder.checkpoint(0, poses(), digest(0))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("teeter.engine.record.archive.write", full)
    with pytest.raises(RecordError, match=r"No space left on device.* is safe in .*a\.teeter\.part$"):
        recorder.close()
    assert [path.name for path in tmp_path.iterdir()] == ["a.teeter.part"]
    assert load(tmp_path / "a.teeter.part").hashes == ((0, digest(0)),)
    assert not (tmp_path / "a.teeter.part" / "packed").exists()


def test_a_journal_that_is_full_can_still_be_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("teeter.engine.record.writer.MAX_TEXT_BYTES", 100)
    recorder = Recorder(tmp_path / "a.teeter", meta())
    for step in range(3):
        recorder.journal(step, {"type": "release"})
    with pytest.raises(RecordError, match=r"journal\.jsonl is full at 100 bytes: close and begin a new one"):
        recorder.journal(4, {"type": "release"})
    recorder.close()
    assert len(load(tmp_path / "a.teeter").journal) == 3
