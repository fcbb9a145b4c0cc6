"""The power of the recording: a process killed at any moment leaves what loads up to the last checkpoint."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from test_record_roundtrip import digest, meta, play, poses

from teeter.engine.record import part
from teeter.engine.record.format import RecordError
from teeter.engine.record.reader import Replay, load
from teeter.engine.record.writer import Recorder

TESTS = Path(__file__).resolve().parent
SLAUGHTER = """
import json, os, random, signal, sys, time
from pathlib import Path
from test_record_roundtrip import digest, meta, poses
from teeter.engine.record.writer import Recorder

def play(path, pipe):
    recorder = Recorder(path, meta())
    for step in range(0, 1000000, 4):
        recorder.journal(step, {"type": "hand", "pose": [step, 2, 3, 0, 0, 0, 1000000]})
        recorder.frame(step, poses(step))
        if step % 40 == 0:
            recorder.event(step, {"type": "rested", "pieces": ["lower", "slab"]})
            recorder.checkpoint(step, poses(step), digest(step))
            os.write(pipe, b"%d\\n" % step)

chance = random.Random(0)
for run in range(20):
    source, sink = os.pipe()
    player = os.fork()
    if player == 0:
        play(Path(sys.argv[1]) / f"{run}.teeter", sink)
    os.close(sink)
    told = b""
    for _ in range(chance.randint(1, 20)):
        told += os.read(source, 100)
    time.sleep(chance.random() * 0.02)
    os.kill(player, signal.SIGKILL)
    os.waitpid(player, 0)
    while more := os.read(source, 100):
        told += more
    print(json.dumps([int(step) for step in told.split()]))
"""
"""Twenty games, each killed at a random moment; prints which checkpoints each was told to be safe."""


def check_up_to(replay: Replay, last: int) -> None:
    """The game of SLAUGHTER, whole up to a checkpoint."""
    assert not replay.is_complete
    assert replay.hashes == tuple((step, digest(step)) for step in range(0, last + 1, 40))
    assert [step for step, _ in replay.events] == [step for step, _ in replay.hashes]
    assert [entry["pose"][0] for _, entry in replay.journal] == list(range(0, last + 1, 4))
    assert replay.steps.tolist() == list(range(0, last + 1, 4))
    assert replay.checkpoints[-1].poses[1, 0] == poses(last)["slab"][0]


def test_a_killed_game_loads_up_to_its_last_boundary(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SLAUGHTER, str(tmp_path)]
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 20
    for run, line in enumerate(lines):
        told = json.loads(line)
        replay = load(tmp_path / f"{run}.teeter.part")
        # one checkpoint may be on the disk of which the process could not tell any more
        assert replay.hashes[-1][0] - told[-1] in (0, 40)
        check_up_to(replay, replay.hashes[-1][0])


def abandoned(tmp_path: Path) -> Path:
    """The folder of a game with checkpoints at 0, 40 and 80, and more after them."""
    recorder = Recorder(tmp_path / "a.teeter", meta())
    for step in range(0, 101, 4):
        recorder.journal(step, {"type": "hand", "pose": [step, 2, 3, 0, 0, 0, 1000000]})
        recorder.frame(step, poses(step))
        if step % 40 == 0:
            recorder.event(step, {"type": "rested"})
            recorder.checkpoint(step, poses(step), digest(step))
    recorder.__exit__(KeyError, KeyError(), None)
    return recorder.folder


@pytest.mark.parametrize("name", [*part.GROWING, part.COMMITS])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_a_torn_file_falls_back_to_the_boundary_before(tmp_path: Path, name: str, share: float) -> None:
    folder = abandoned(tmp_path)
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data[: int(share * len(data))])
    replay = load(folder)
    if replay.hashes:
        check_up_to(replay, replay.hashes[-1][0])
    assert len(replay.hashes) <= (3 if name in ("journal.jsonl", "track.bin") else 2)
    assert len(replay.hashes) >= int(3 * share)


@pytest.mark.parametrize(
    "tail", [b"\0" * 100, b'{"step": 90', b"null\n", b'{"step":1,"sha256":"","lengths":{}}\n']
)
def test_rubbish_after_the_last_commit_is_left_out(tmp_path: Path, tail: bytes) -> None:
    folder = abandoned(tmp_path)
    for name in (*part.GROWING, part.COMMITS):
        with (folder / name).open("ab") as stream:
            stream.write(tail)
    check_up_to(load(folder), 80)


def test_a_game_that_only_began_loads(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.teeter", meta())
    recorder.journal(0, {"type": "release"})
    replay = load(recorder.folder)
    assert (replay.meta, replay.journal, replay.checkpoints, replay.is_complete) == (meta(), (), (), False)
    recorder.close()


def test_a_running_game_can_be_read(tmp_path: Path) -> None:
    with Recorder(tmp_path / "a.teeter", meta()) as recorder:
        for step in range(0, 81, 4):
            recorder.frame(step, poses(step))
            if step % 40 == 0:
                recorder.checkpoint(step, poses(step), digest(step))
                assert load(recorder.folder).hashes[-1][0] == step


def test_the_folder_of_a_whole_game_and_its_file_agree(tmp_path: Path) -> None:
    play(tmp_path / "b.teeter", steps=80)
    folder, packed = load(abandoned(tmp_path)), load(tmp_path / "b.teeter")
    assert folder.journal == packed.journal
    assert folder.hashes == packed.hashes
    assert np.array_equal(folder.poses, packed.poses, equal_nan=True)


def go_on(recorder: Recorder, begin: int) -> None:
    for step in range(begin, 201, 4):
        recorder.journal(step, {"type": "hand", "pose": [step, 2, 3, 0, 0, 0, 1000000]})
        recorder.frame(step, poses(step))
        if step % 40 == 0:
            recorder.event(step, {"type": "rested"})
            recorder.checkpoint(step, poses(step), digest(step))
    recorder.close({"winners": ["Ana"]})


def test_a_resumed_game_is_the_one_that_was_never_interrupted(tmp_path: Path) -> None:
    abandoned(tmp_path)
    resumed = Recorder.resume(tmp_path / "a.teeter")
    with pytest.raises(ValueError, match="journal at step 79 after step 80"):
        resumed.journal(79, {"type": "release"})
    go_on(resumed, 84)
    go_on(Recorder(tmp_path / "b.teeter", meta()), 0)
    assert (tmp_path / "a.teeter").read_bytes() == (tmp_path / "b.teeter").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.teeter", "b.teeter"]


def test_a_game_without_a_boundary_is_resumed_from_its_start(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        lost_at_once(tmp_path / "a.teeter")
    go_on(Recorder.resume(tmp_path / "a.teeter"), 0)
    assert len(load(tmp_path / "a.teeter").checkpoints) == 6


def lost_at_once(path: Path) -> None:
    with Recorder(path, meta()) as recorder:
        recorder.journal(3, {"type": "release"})
        raise KeyError


def test_a_commit_names_no_other_files(tmp_path: Path) -> None:
    folder, victim = abandoned(tmp_path), tmp_path / "victim"
    victim.write_text("precious")
    line = part.Commit(80, digest(80), {**part.ends_of(folder), "../victim": 0}).line()
    *first, _ = (folder / part.COMMITS).read_bytes().splitlines(keepends=True)
    (folder / part.COMMITS).write_bytes(b"".join([*first, line]))
    go_on(Recorder.resume(tmp_path / "a.teeter"), 84)
    assert victim.read_text() == "precious"


def test_what_cannot_be_resumed(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"a\.teeter\.part: there is no such file"):
        Recorder.resume(tmp_path / "a.teeter")
    folder = abandoned(tmp_path)
    (tmp_path / "a.teeter").write_bytes(b"another")
    with pytest.raises(RecordError, match=r"a\.teeter: is there already"):
        Recorder.resume(tmp_path / "a.teeter")
    assert (tmp_path / "a.teeter").read_bytes() == b"another"
    check_up_to(load(folder), 80)


def test_a_hint_leads_to_the_folder(tmp_path: Path) -> None:
    abandoned(tmp_path)
    with pytest.raises(RecordError, match=r"no such file; an unfinished recording is at .*a\.teeter\.part$"):
        load(tmp_path / "a.teeter")


FULL = """
import resource, sys
from pathlib import Path
from test_record_roundtrip import digest, meta, poses
from teeter.engine.record.format import RecordError
from teeter.engine.record.writer import Recorder

recorder = Recorder(Path(sys.argv[1]), meta())
sys.dont_write_bytecode = True
resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
try:
    for step in range(0, 100000, 4):
        recorder.frame(step, poses(step))
        if step % 40 == 0:
            recorder.checkpoint(step, poses(step), digest(step))
            print(step)
except RecordError as error:
    print(error)
try:
    recorder.close()
except RecordError as error:
    print(error)
"""


def test_a_full_disk_is_said_and_loses_nothing(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk: the writes fail in the same way."""
    command = [sys.executable, "-c", FULL, str(tmp_path / "a.teeter")]
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, check=True)
    *steps, said, again = done.stdout.splitlines()
    assert "a.teeter: cannot be written (File too large): make room or choose another folder" in said
    assert said.endswith(f"is safe in {tmp_path / 'a.teeter.part'}")
    assert "is not recorded any more: cannot be written (File too large)" in again
    assert load(tmp_path / "a.teeter.part").hashes[-1][0] == int(steps[-1])
    assert [path.name for path in tmp_path.iterdir()] == ["a.teeter.part"]


def hostile_folders() -> dict[str, tuple[str, str]]:
    """What is done to a file of the folder, and what is said of it."""
    return {
        "no meta": ("meta.json", "is a folder without meta.json: a recording is a .teeter file or its"),
        "link": ("journal.jsonl", "journal.jsonl is not a plain file"),
        "folder": ("track.bin", "track.bin is not a plain file"),
        "line": ("events.jsonl", "events.jsonl, line 1: is not JSON"),
        "records": ("hashes.jsonl", "track.bin has 3 bytes, must be whole records of 92"),
        "pose": ("states.bin", "states.npz: poses[0, 0] = [0.0, 0.0, 0.0, 0.0] is not a unit quaternion"),
    }


@pytest.mark.parametrize("deed", hostile_folders())
def test_a_folder_that_is_no_recording(tmp_path: Path, deed: str) -> None:
    folder = abandoned(tmp_path)
    name, words = hostile_folders()[deed]
    path = folder / name
    data = path.read_bytes()
    path.unlink()
    if deed == "link":
        (tmp_path / "elsewhere").write_bytes(data)
        path.symlink_to(tmp_path / "elsewhere")
    elif deed == "folder":
        path.mkdir()
    elif deed == "line":
        path.write_bytes(b"{" * (len(data) - 1) + b"\n")
    elif deed == "records":
        path.write_bytes(part.Commit(0, "0" * 64, {**dict.fromkeys(part.GROWING, 0), part.TRACK: 3}).line())
    elif deed == "pose":
        path.write_bytes(b"\0" * len(data))
    with pytest.raises(RecordError) as caught:
        load(folder)
    assert words in str(caught.value)
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="is a folder without meta"):
        load(tmp_path)
