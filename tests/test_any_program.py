"""Right in any program: threads, asyncio, pools of processes, forks, daemons; nothing foreign is deleted."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

import teeter
from teeter.engine import scratch
from teeter.engine.certificate.checker import check
from teeter.engine.certificate.maker import certify
from teeter.scenes.load import load

pytestmark = pytest.mark.slow
THREADS = 8
RECORDINGS = Path(__file__).parent / "recordings"
DRAWN = {"play", "video", "export"}
"""Asked in `test_any_program_pictures`, or below."""


def probed(scene: str) -> str:
    return repr(sorted(teeter.probe(scene, workers=1).items()))


def checked(scene: str) -> str:
    found = teeter.check(scene, workers=1)
    return repr((found.word, found.statics.tilt_deg, found.dynamics, found.settled_mm))


def swept(scene: str) -> str:
    return repr(teeter.sweep(scene, "slab", x=(-10, 10, 3), y=0, workers=1))


def shaken(scene: str) -> str:
    return repr(teeter.noise(scene, position_mm=2, samples=20, workers=1))


def explained(scene: str) -> str:
    return repr(teeter.explain(scene, workers=1))


def built(scene: str) -> str:
    cube = {"shape": {"box": [30, 30, 30]}, "material": "beech"}
    rows = [cube | {"id": "below", "position": [0, 0]}, cube | {"id": "above", "position": [14, 0]}]
    stack = teeter.build(rows)
    return repr((stack.ids, {name: piece.position_mm for name, piece in stack.pieces.items()}))


def mended(scene: str) -> str:
    found = teeter.mend(scene, kinds=["move", "friction"], best=2, workers=1)
    return repr([(each.sentence, each.effort, each.check.dynamics) for each in found.changes])


def designed(scene: str) -> str:
    found = teeter.design("overhang", "tower_topple/brick:2", margin_deg=1.0, workers=1)
    return repr((found.pieces, found.reach_mm, found.tilt_deg, found.check.dynamics))


def stepped(scene: str) -> str:
    return repr(teeter.steps(scene, workers=1))


def posed(scene: str) -> str:
    return repr(teeter.poses(scene, "slab"))


def steep(scene: str) -> str:
    found = teeter.Checker(tilt_deg=8, workers=1).check(scene)
    return repr((found.word, found.statics.tilt_deg, found.dynamics))


def labelled(scene: str) -> str:
    table = teeter.check_many([scene, "harmonic_outside"], workers=1)
    return repr({name: column.tolist() for name, column in table.columns.items()})


def collected(scene: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        made = teeter.write_dataset(Path(folder) / "set", [scene], splits={"all": 1.0}, workers=1)
        rows = parquet.read_table(made.folder / "data" / "all.parquet").to_pylist()
    return repr((made.words, rows))


def certified(scene: str) -> str:
    loaded = load(scene)
    proof = certify(loaded.assembly, stands=True)
    check(proof)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "proof.json"
        file.write_text(json.dumps(proof))
        found = teeter.verify_certificate(file, scene)
    assert found.proven, found.why
    return repr((proof, found))


def verified(scene: str) -> str:
    found = teeter.verify(RECORDINGS / f"{scene}.teeter")
    return repr((found.agrees, found.steps, found.difference))


ASKED: tuple[tuple[Any, str], ...] = (
    (probed, "two_bricks"),
    (checked, "two_bricks"),
    (collected, "two_bricks"),
    (checked, "harmonic_inside"),
    (probed, "bridge"),
    (swept, "two_bricks"),
    (shaken, "two_bricks"),
    (explained, "bridge_bare"),
    (checked, "harmonic_outside"),
    (mended, "bridge_bare"),
    (built, ""),
    (designed, ""),
    (stepped, "two_bricks"),
    (posed, "two_bricks"),
    (steep, "two_bricks"),
    (labelled, "two_bricks"),
    (certified, "two_bricks"),
    (verified, "crazy-tower-2"),
)
"""What every thread and process is asked, and of what."""


def test_every_public_function_is_asked() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    functions = {name for name in teeter.__all__ if name[0].islower()} - DRAWN
    assert functions
    assert {name for name in functions if f"teeter.{name}(" not in source} <= {"load"}


@pytest.fixture(scope="module")
def alone() -> list[str]:
    return [ask(scene) for ask, scene in ASKED]


def test_eight_threads_answer_as_one_alone(alone: list[str]) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        # all at once: each kind of question beside every other
        asked = [pool.submit(ask, scene) for ask, scene in ASKED]
        assert [each.result() for each in asked] == alone
        probes = [pool.submit(probed, "two_bricks") for _ in range(THREADS)]
        assert {each.result() for each in probes} == {alone[0]}


@pytest.mark.soak
def test_a_tower_that_falls_in_eight_threads_falls_as_in_one_alone() -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        assert set(pool.map(checked, ["tower_gone"] * THREADS)) == {checked("tower_gone")}


def test_asyncio_answers_as_one_alone(alone: list[str]) -> None:
    """Whose threads are those that are asked everything above."""
    some = slice(None, None, 3)

    async def some_of_them() -> list[str]:
        found: list[str] = await asyncio.gather(
            *(asyncio.to_thread(ask, scene) for ask, scene in ASKED[some])
        )
        return found

    assert asyncio.run(some_of_them()) == alone[some]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_pool_of_processes_answers_as_one_alone(method: str, alone: list[str]) -> None:
    # how the processes begin is one thing, what they are asked another: one way is asked all
    some = slice(None, None, 1 if method == "fork" else 3)
    with ProcessPoolExecutor(2, mp_context=get_context(method)) as pool:
        asked = [pool.submit(ask, scene) for ask, scene in ASKED[some]]
        assert [each.result() for each in asked] == alone[some]


def test_games_in_threads_go_as_one_alone(tmp_path: Path) -> None:
    def played(number: int) -> tuple[Any, ...]:
        file = tmp_path / f"{number}.teeter"
        found = teeter.play("wonky", ["bot:steady", "bot:clumsy"], seed=2, turns=2, record=file)
        return found.scores, found.turns, teeter.verify(file).agrees

    first = played(0)
    with ThreadPoolExecutor(3) as pool:
        assert set(map(repr, pool.map(played, range(1, 4)))) == {repr(first)}


def program(words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(words)],
        env={**os.environ, "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_daemon_keeps_its_folder_when_its_parent_has_gone(tmp_path: Path) -> None:
    """Twice forked, as daemons are; a sibling that starts meanwhile sweeps up what is left."""
    done = program(
        """
        import os, sys, time
        import teeter
        alone = teeter.check("two_bricks", workers=1).dynamics
        read, write = os.pipe()
        if os.fork() == 0:
            if os.fork():
                os._exit(0)
            time.sleep(0.5)
            sibling = "from teeter.engine.scratch import scratch_folder; scratch_folder()"
            os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", sibling])
            same = teeter.check("two_bricks", workers=1).dynamics == alone
            probe = teeter.probe("two_bricks", workers=1)
            os.write(write, b"same" if same and len(probe) == 2 else b"other")
            os._exit(0)
        os.wait()
        import atexit
        atexit._run_exitfuncs()
        os.close(write)
        print(os.read(read, 100).decode())
        """,
        tmp_path,
    )
    assert done.stdout == "same\n", done.stderr


def test_the_first_use_in_many_threads_gives_one_folder(tmp_path: Path) -> None:
    done = program(
        """
        from concurrent.futures import ThreadPoolExecutor
        from teeter.engine import scratch
        from teeter.engine.scratch import scratch_folder
        with ThreadPoolExecutor(16) as pool:
            found = set(pool.map(lambda number: (scratch_folder(), scratch._sweep())[0], range(400)))
        (folder,) = found
        print((folder / scratch.LOCK).exists())
        """,
        tmp_path,
    )
    assert done.stdout == "True\n", done.stderr
    assert not list(tmp_path.iterdir())


def test_only_folders_with_our_mark_and_no_process_are_removed(tmp_path: Path) -> None:
    left, foreign, linked, busy, copied = (
        tmp_path / f"teeter-{name}" for name in ("left", "foreign", "linked", "busy", "copied")
    )
    for folder in (left, foreign, busy):
        folder.mkdir()
        (folder / "data").write_text("mine")
        (folder / scratch.LOCK).write_bytes(b"" if folder is foreign else scratch._mark(folder))
    shutil.copytree(left, copied)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / scratch.LOCK).write_bytes(scratch._mark(elsewhere))
    linked.symlink_to(elsewhere)
    done = program(
        f"""
        import fcntl, subprocess, sys
        held = open({str(busy / scratch.LOCK)!r})
        fcntl.flock(held, fcntl.LOCK_EX)
        subprocess.run([sys.executable, "-c", "from teeter.engine.scratch import scratch_folder as f; f()"], check=True)
        """,
        tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "elsewhere",
        "teeter-busy",
        "teeter-copied",
        "teeter-foreign",
        "teeter-linked",
    ]
    assert (elsewhere / scratch.LOCK).exists()
