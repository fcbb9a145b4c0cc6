"""One process at a time records into a folder; a second one is told who has it, and loses nothing for either."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from window_driver import ROOT

from teeter.engine.record.format import RecordError
from teeter.engine.record.latest import latest
from teeter.engine.record.part import LOCK, FolderLock, check_free, folder_of, is_kept
from teeter.engine.record.reader import load
from teeter.engine.record.writer import Recorder
from teeter.games.play.playback import verify

GAME = ("play", "wonky", "--players", "bot:steady,bot:clumsy", "--seed", "4", "--headless")
HOLD = """
import sys, time
from pathlib import Path
from teeter.engine.record.part import FolderLock
lock = FolderLock(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


def teeter(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "teeter", *words],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def holder(folder: Path) -> subprocess.Popen[str]:
    """Another process that records into a folder."""
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "held\n"
    return other


def test_another_process_is_named_and_a_dead_one_does_not_count(tmp_path: Path) -> None:
    with holder(tmp_path) as other:
        with pytest.raises(RecordError, match=f"is being recorded by process {other.pid}: "):
            FolderLock(tmp_path)
        with pytest.raises(RecordError, match=f"process {other.pid}"):
            check_free(tmp_path)
        other.send_signal(signal.SIGKILL)
    assert (tmp_path / LOCK).exists()
    lock = FolderLock(tmp_path)
    assert (tmp_path / LOCK).read_text() == f"{os.getpid()}\n"
    lock.release()


def test_the_same_process_locks_a_folder_once_and_may_release_twice(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    with pytest.raises(RecordError, match=f"process {os.getpid()}"):
        FolderLock(tmp_path)
    lock.release()
    lock.release()
    FolderLock(tmp_path).release()


def test_asking_gives_no_lock_away(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    with pytest.raises(RecordError):
        check_free(tmp_path)
    probe = f"from teeter.engine.record.part import *; from pathlib import Path; check_free(Path({str(tmp_path)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert f"process {os.getpid()}" in done.stderr
    lock.release()
    check_free(tmp_path / "nowhere")


def until_recorded(game: subprocess.Popen[str], folder: Path, checkpoints: int) -> None:
    end = time.monotonic() + 120
    while (
        not (folder / "hashes.jsonl").exists()
        or (folder / "hashes.jsonl").read_bytes().count(b"\n") < checkpoints
    ):
        assert game.poll() is None, "the game ended too early"
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_file_with_two_names_is_gone_on_with_under_one(tmp_path: Path) -> None:
    one, two = tmp_path / "a.teeter", tmp_path / "b.teeter"
    shutil.copy(ROOT / "tests" / "recordings" / "wonky-1.teeter", one)
    os.link(one, two)
    meta = load(one).meta
    first = Recorder(one, meta, replaces=True)
    with pytest.raises(RecordError, match=r"b\.teeter: is being recorded by another process"):
        Recorder(two, meta, replaces=True)
    assert not folder_of(two).exists()
    first.discard()
    Recorder(two, meta, replaces=True).discard()


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    (tmp_path / LOCK).symlink_to(tmp_path / "mine")
    with pytest.raises(OSError, match="symbolic links"):
        FolderLock(tmp_path)
    assert (tmp_path / "mine").read_text() == "mine"


@pytest.mark.slow
def test_a_second_resume_is_refused_and_the_first_is_not_harmed(tmp_path: Path) -> None:
    file = tmp_path / "game.teeter"
    folder = folder_of(file)
    with teeter(*GAME, "--turns", "40", "--record", str(file)) as game:
        until_recorded(game, folder, 3)
        late = teeter("play", "--resume", str(file), "--headless")
        assert late.communicate(timeout=60)[1].startswith(
            f"teeter: {folder}: is being recorded by process {game.pid}"
        )
        assert late.returncode == 2
        again = teeter(*GAME, "--record", str(file))
        assert f"is being recorded by process {game.pid}" in again.communicate(timeout=60)[1]
        assert again.returncode == 2
        game.kill()
    # what a dead process held is taken over; of two that come at once, one is refused
    one = teeter("play", "--resume", str(file), "--headless", "--turns", "3")
    two = teeter("play", "--resume", str(file), "--headless", "--turns", "3")
    said = [each.communicate(timeout=200)[1] for each in (one, two)]
    assert sorted((one.returncode, two.returncode)) == [0, 2], said
    # who looks between taking the lock and writing the name into it is told of "another process"
    holder = two.pid if one.returncode else one.pid
    assert re.search(f"is being recorded by (process {holder}|another process)", "".join(said))
    assert not folder.exists()
    before = load(file).hashes
    # the file is gone on with, while it is played up to its end: the second neither takes the folder nor removes it
    with teeter("play", "--resume", str(file), "--headless", "--turns", "1") as first:
        end = time.monotonic() + 60
        while not (folder / LOCK).exists():
            assert first.poll() is None
            assert time.monotonic() < end
            time.sleep(0.02)
        assert latest(file) == file
        second = teeter("play", "--resume", str(file), "--headless")
        assert f"is being recorded by process {first.pid}" in second.communicate(timeout=60)[1]
        assert second.returncode == 2
        first.communicate(timeout=200)
        assert first.returncode == 0
    assert len(before) > 3
    # what was there after both: simulated again in one
    assert load(file).hashes[: len(before)] == before
    assert verify(file).agrees


def test_a_folder_that_holds_nothing_yet_is_not_gone_on_with(tmp_path: Path) -> None:
    file = tmp_path / "a.teeter"
    shutil.copy(ROOT / "tests" / "recordings" / "wonky-1.teeter", file)
    folder = folder_of(file)
    folder.mkdir()
    with holder(folder) as other:
        assert latest(file) == file
        assert folder.exists()
        other.send_signal(signal.SIGKILL)
    assert latest(file) == file
    assert not folder.exists()


def test_a_recording_is_there_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looks at any moment of its beginning finds no head, or all of it."""
    seen: list[bytes | None] = []
    head = folder_of(tmp_path / "a.teeter") / "meta.json"
    meta = load(ROOT / "tests" / "recordings" / "wonky-1.teeter").meta

    real = os.fsync

    def synced(number: int) -> None:
        real(number)
        seen.append(head.read_bytes() if head.exists() else None)

    monkeypatch.setattr(os, "fsync", synced)
    Recorder(tmp_path / "a.teeter", meta).leave()
    assert seen[0] is None
    assert {text for text in seen if text is not None} == {head.read_bytes()}


def test_a_record_is_kept_up_to_its_last_checkpoint_and_whole_once_packed(tmp_path: Path) -> None:
    path = tmp_path / "a.teeter"
    recorder = Recorder(path, load(ROOT / "tests" / "recordings" / "wonky-1.teeter").meta)
    assert not is_kept(path, 0)
    recorder.frame(50, {})
    recorder.checkpoint(100, {}, "0" * 64)
    recorder.frame(200, {})
    assert (is_kept(path, 100), is_kept(path, 100.5)) == (True, False)
    recorder.close()
    assert is_kept(path, 1000)
