"""Pictures, pages and films in any program: from threads, in pools and daemons, after a fork."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from needs import need

import teeter

pytestmark = pytest.mark.slow
REPLAY = Path(__file__).parent / "recordings" / "wonky-1.teeter"


def pictured(folder: Path) -> Path:
    return teeter.check("two_bricks", workers=1).picture(folder / "verdict.png")


def shown(folder: Path) -> Path:
    out = folder / "scene.png"
    out.write_bytes(teeter.load("bridge")._repr_png_())
    return out


def filmed(folder: Path) -> Path:
    teeter.video(REPLAY, folder / "film.png", size=(160, 90), end_s=1.0, workers=1)
    return folder / "film.png"


def modelled(folder: Path) -> Path:
    teeter.export(REPLAY, folder / "model.glb")
    return folder / "model.glb"


def paged(folder: Path) -> Path:
    # of a trial: a page of a game asks for the margin after every move first
    trial = teeter.check("two_bricks", workers=1).record(folder / "trial.teeter")
    teeter.export(trial, folder / "page.html")
    return folder / "page.html"


ASKED: tuple[Callable[[Path], Path], ...] = (pictured, shown, filmed, paged, modelled)


def digests(folder: Path, asked: tuple[Callable[[Path], Path], ...] = ASKED) -> list[str]:
    """What is drawn in a folder of its own."""
    folder.mkdir()
    return [hashlib.sha256(draw(folder).read_bytes()).hexdigest() for draw in asked]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Drawn by a process that does nothing else."""
    need("OpenGL")
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(digests, (tmp_path_factory.mktemp("alone") / "alone",))


def test_five_threads_draw_what_one_alone_draws(alone: list[str], tmp_path: Path) -> None:
    def one(number: int) -> bool:
        # each beside every other, and beside itself
        at = number % len(ASKED)
        return digests(tmp_path / str(number), (ASKED[at],)) == [alone[at]]

    with ThreadPoolExecutor(5) as pool:
        assert all(pool.map(one, range(5)))
    assert digests(tmp_path / "main") == alone


@pytest.mark.soak
def test_asyncio_draws_what_one_alone_draws(alone: list[str], tmp_path: Path) -> None:
    async def all_of_them() -> list[list[str]]:
        folders = [tmp_path / f"task {number}" for number in range(2)]
        return await asyncio.gather(*(asyncio.to_thread(digests, folder) for folder in folders))

    assert asyncio.run(all_of_them()) == [alone] * 2


@pytest.mark.parametrize(
    ("kind", "method"),
    [
        ("executor", "forkserver"),
        pytest.param("pool", "spawn", marks=pytest.mark.soak),
        pytest.param("executor", "spawn", marks=pytest.mark.soak),
        pytest.param("pool", "forkserver", marks=pytest.mark.soak),
    ],
)
def test_processes_draw_what_one_alone_draws(
    alone: list[str], tmp_path: Path, method: str, kind: str
) -> None:
    """Those of a `multiprocessing.Pool` are daemons."""
    folders = [tmp_path / name for name in ("a", "b")]
    if kind == "pool":
        with get_context(method).Pool(2) as pool:
            assert pool.map(digests, folders) == [alone, alone]
    else:
        with ProcessPoolExecutor(2, mp_context=get_context(method)) as executor:
            assert list(executor.map(digests, folders)) == [alone, alone]


def in_a_daemon(record: Path, folder: Path) -> tuple[str, ...]:
    """With as many workers as each takes by itself."""
    verdict = teeter.check("tower_gone")
    margins = teeter.sweep("two_bricks", "slab", x=(-10, 10, 3), y=0)
    teeter.video(record, folder / "film.mp4", size=(64, 48), end_s=1.0, workers=2)
    return verdict.word, *(row.verdict for row in margins), *sorted(teeter.probe("two_bricks"))


def test_a_daemon_answers_with_its_default_workers(tmp_path: Path) -> None:
    need("OpenGL")
    with get_context("spawn").Pool(1) as pool:
        found = pool.apply(in_a_daemon, (REPLAY, tmp_path))
    rows = tuple(row.verdict for row in teeter.sweep("two_bricks", "slab", x=(-10, 10, 3), y=0))
    assert found == ("topples", *rows, "lower", "slab")
    assert (tmp_path / "film.mp4").stat().st_size > 0


def asked_of_a_worker() -> str:
    from teeter.engine.workers import Worker

    try:
        Worker(repr, start_method="spawn").close()
    except teeter.TeeterError as error:
        return str(error)
    return "started"


def test_a_daemon_that_cannot_start_a_process_says_so() -> None:
    with get_context("fork").Pool(1) as pool:
        assert re.match(
            r"ForkPoolWorker-\d+ is a daemon .*ProcessPoolExecutor", pool.apply(asked_of_a_worker)
        )


def run(words: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(words)],
        env={**os.environ, "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_process_forked_from_one_that_draws_is_refused_with_a_sentence(tmp_path: Path) -> None:
    """And one that was forked before draws."""
    need("OpenGL")
    said = run(
        f"""
        import os
        from pathlib import Path
        import teeter
        verdict = teeter.check("two_bricks", workers=1)
        def forked(name):
            child = os.fork()
            if child == 0:
                try:
                    verdict.picture(Path({str(tmp_path)!r}) / name)
                    print("drawn", flush=True)
                except teeter.TeeterError as error:
                    print(error, flush=True)
                os._exit(0)
            os.waitpid(child, 0)
        forked("a.png")
        verdict.picture(Path({str(tmp_path)!r}) / "b.png")
        forked("c.png")
        """,
        tmp_path,
    ).splitlines()
    assert said[0] == "drawn"
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    assert "forked from one that had made pictures" in said[1]
    assert len(said) == 2
    assert not (tmp_path / "c.png").exists()


def test_who_keeps_a_stage_open_is_named_to_who_waits(tmp_path: Path) -> None:
    """A thread that draws nothing more and closes nothing; then it does, and the other one draws."""
    need("OpenGL")
    said = run(
        f"""
        import threading
        from pathlib import Path
        import teeter
        from teeter.engine.view.render import turns
        from teeter.engine.view.render.stage import Stage
        turns.PATIENCE_S = 1.0
        verdict = teeter.check("two_bricks", workers=1)
        opened, close, closed = threading.Event(), threading.Event(), threading.Event()
        def keep():
            stage = Stage(teeter.load("two_bricks").assembly.bodies, size=(64, 48))
            stage.render()
            kept.append(stage)
            opened.set()
            close.wait()
            stage.close()
            stage.close()
            closed.set()
            forever.wait()
        kept, forever = [], threading.Event()
        threading.Thread(target=keep, name="keeper", daemon=True).start()
        opened.wait()
        for deed in (lambda: verdict.picture(Path({str(tmp_path)!r}) / "a.png"), kept[0].render):
            try:
                deed()
            except teeter.TeeterError as error:
                print(error)
        close.set()
        closed.wait()
        print(verdict.picture(Path({str(tmp_path)!r}) / "a.png").stat().st_size > 0)
        """,
        tmp_path,
    ).splitlines()
    assert said[0].startswith("the thread 'keeper' has not closed what it draws with")
    assert said[1] == "this is drawn by the thread 'keeper' alone, which made it"
    assert said[2:] == ["True"]


def test_a_fork_in_the_middle_of_a_row_leaves_the_child_able_to_judge(tmp_path: Path) -> None:
    """Another thread is in a row, and holds what rows are judged under."""
    said = run(
        """
        import os, threading
        import teeter
        from teeter.engine.topple.laboratory import sweep
        ask = lambda: [row.verdict for row in teeter.sweep("two_bricks", "slab", x=(-10, 10, 3), y=0, workers=1)]
        alone = ask()
        held, go = threading.Event(), threading.Event()
        def hold():
            with sweep._guard:
                held.set()
                go.wait()
        threading.Thread(target=hold).start()
        held.wait()
        child = os.fork()
        if child == 0:
            print(ask() == alone, flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        go.set()
        """,
        tmp_path,
    )
    assert said == "True\n"


def test_a_folder_that_was_cleaned_away_is_made_anew(tmp_path: Path) -> None:
    """Whole or in parts, also a worker's inside its parent's; nothing is left."""
    said = run(
        f"""
        import shutil
        from multiprocessing import get_context
        from pathlib import Path
        import teeter
        from teeter.engine.scratch import scratch_folder
        ask = lambda: repr(sorted(teeter.probe("two_bricks", workers=1).items()))
        alone, first = ask(), scratch_folder()
        shutil.rmtree(first)
        print(ask() == alone, scratch_folder() != first, scratch_folder().is_dir())
        for file in scratch_folder().glob("*.urdf"):
            file.unlink()
        print(ask() == alone)
        def work():
            folder = scratch_folder()
            print(folder.parent == parent, ask() == alone, flush=True)
            shutil.rmtree(folder)
            print(ask() == alone, flush=True)
            shutil.rmtree(parent)
            print(ask() == alone, flush=True)
        parent = scratch_folder()
        for _ in range(2):
            child = get_context("fork").Process(target=work)
            child.start()
            child.join()
            parent = scratch_folder()
            print(child.exitcode, [each.name for each in Path({str(tmp_path)!r}).glob("teeter-*/*") if each.is_dir()])
        """,
        tmp_path,
    ).splitlines()
    assert said[:2] == ["True True True", "True"]
    assert said[2:] == 2 * ["True True", "True", "True", "0 []"]
    assert not list(tmp_path.iterdir())


def test_a_file_for_the_simulator_is_never_half_there(tmp_path: Path) -> None:
    """Threads that ask for the same file at once: whoever has its path reads all of it."""
    from teeter.engine.world.bullet_body import _write

    text = "x" * 2_000_000
    start = threading.Barrier(8)

    def look(number: int) -> set[int]:
        found = set()
        for turn in range(20):
            start.wait()
            found.add(len(_write(tmp_path / f"{turn}.urdf", text).read_text()))
        return found

    with ThreadPoolExecutor(8) as pool:
        assert set().union(*pool.map(look, range(8))) == {len(text)}
    assert len(list(tmp_path.iterdir())) == 20


def test_two_threads_that_write_one_file_leave_one_of_both(tmp_path: Path) -> None:
    from teeter.models.files import whole_or_nothing

    def write(number: int) -> Any:
        with whole_or_nothing(tmp_path / "out", force=True) as part:
            part.write_text(str(number) * 500_000)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(9)))
    assert len(set((tmp_path / "out").read_text())) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
