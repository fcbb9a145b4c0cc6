"""`teeter sweep`: the table, the map, going on after an interruption, clusters, and bad input."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]
from typer.testing import CliRunner

from teeter.games.cli import app

ROOT = Path(__file__).resolve().parent.parent
BRIDGE = ("bridge", "--piece", "counterweight", "--y", "0")
COLUMNS = "number,scene,x_mm,y_mm,z_mm,yaw_deg,verdict,judge,tilt_deg,weakest,key"


def teeter(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["sweep", *words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_table_a_map_and_advice(tmp_path: Path) -> None:
    out, page = tmp_path / "t.csv", tmp_path / "map.html"
    code, said, err = teeter(
        *BRIDGE, "--x=-40:40:9", "--best", "2", "--out", str(out), "--page", str(page), "--workers", "1"
    )
    assert (code, err) == (0, "")
    assert "9 places of counterweight" in said
    assert "The safest" in said
    assert out.read_text().splitlines()[0] == COLUMNS
    rows = rows_of(out)
    assert [float(row["x_mm"]) for row in rows] == [-40.0 + 10.0 * k for k in range(9)]
    # the counterweight holds the plank only on the far side of the pillar
    assert [row["verdict"] for row in rows][4:] == ["topples"] * 5
    assert {row["verdict"] for row in rows[:3]} == {"stands"}
    assert page.stat().st_size > 20_000


def test_json_without_a_file_holds_the_table() -> None:
    code, out, _ = teeter(*BRIDGE, "--x=-30:30:3", "--json", "--workers", "1", "--best", "1")
    found = json.loads(out)
    assert code == 0
    assert found["rows"] == len(found["table"]) == sum(found["verdicts"].values()) == 3
    assert found["best"][0]["x_mm"] == -30.0
    assert found["best"][0]["tilt_deg"] == pytest.approx(9.8761, abs=1e-3)


def test_the_same_for_any_number_of_workers(tmp_path: Path) -> None:
    texts = []
    for workers in ("1", "2"):
        out = tmp_path / f"{workers}.csv"
        assert (
            teeter(*BRIDGE, "--x=-40:40:9", "--yaw", "0:90:2", "--out", str(out), "--workers", workers)[0]
            == 0
        )
        texts.append(out.read_bytes())
    assert texts[0] == texts[1]


def test_an_interrupted_sweep_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "t.csv"
    words = (*BRIDGE, "--x=-40:40:9", "--out", str(out), "--workers", "1")
    assert teeter(*words)[0] == 0
    whole = out.read_bytes()
    # what is left when the power fails in the fifth row; one row is marked to see that it is not judged again
    marked = whole.replace(b",deck,", b",marked,", 1)
    out.write_bytes(marked[: marked.index(b"4,bridge") + 11])
    assert teeter(*words)[0] == 0
    assert out.read_bytes() == marked
    # a finer grid goes on with it too: a place has one row, and its number there
    assert teeter(*words, "--x=-40:40:17")[0] == 0
    assert [int(row["number"]) for row in rows_of(out)] == list(range(17))
    assert [float(row["x_mm"]) for row in rows_of(out)] == [-40.0 + 5.0 * k for k in range(17)]
    assert b"marked" in out.read_bytes()


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_table_holds_rows_of_one_sweep(tmp_path: Path, ending: str) -> None:
    scene, out, fresh = tmp_path / "s.toml", tmp_path / f"t{ending}", tmp_path / f"fresh{ending}"
    text = (
        "teeter = 1\n[[piece]]\nid = 'base'\nshape = { box = [60, 40, 30] }\nposition = [0, 0, 15]\n"
        "[[piece]]\nid = 'top'\nshape = { box = [80, 30, 10] }\nposition = [0, 0]\n"
    )
    words = (str(scene), "--piece", "top", "--x=0:40:2", "--y", "0", "--workers", "1")
    scene.write_text(text)
    assert teeter(*words, "--out", str(out))[0] == 0
    before = out.read_bytes()
    scene.write_text(text.replace("60,", "90,"))
    for more in ((), ("--friction", "0.1", "--tilt", "7")):
        code, said, err = teeter(*words, *more, "--out", str(out))
        told = f"teeter: {out} holds 2 rows of another sweep: give another name, or keep this one only with --force\n"
        assert (code, said, err, out.read_bytes()) == (2, "", told, before)
    assert teeter(*words, "--out", str(out), "--force")[0] == 0
    assert teeter(*words, "--out", str(fresh))[0] == 0
    assert out.read_bytes() == fresh.read_bytes() != before


def test_many_scenes(tmp_path: Path) -> None:
    for name, x in (("a", 0), ("b", 100), ("c", 5)):
        (tmp_path / f"{name}.toml").write_text(
            "teeter = 1\n[[piece]]\nid = 'low'\nshape = { box = [60, 60, 90] }\nposition = [0, 0, 45]\n"
            f"[[piece]]\nid = 'top'\nshape = {{ box = [80, 40, 10] }}\nposition = [{x}, 0, {95 if x < 50 else 5}]\n"
        )
    out = tmp_path / "all.csv"
    code, said, _ = teeter("--scenes", str(tmp_path / "*.toml"), "--out", str(out), "--workers", "1")
    assert code == 0
    rows = rows_of(out)
    assert [Path(row["scene"]).stem for row in rows] == ["a", "b", "c"]
    assert {row["verdict"] for row in rows} == {"stands"}
    assert "3 scenes" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give a scene"),
        (("bridge",), "--piece is missing; --x is missing; --y is missing"),
        ((*BRIDGE, "--x", "1:2"), "--x = 1:2"),
        ((*BRIDGE, "--x", "nan"), "--x = nan"),
        ((*BRIDGE, "--x", "0:1:0"), "--x = 0:1:0"),
        ((*BRIDGE, "--x", "0:9:99999", "--yaw", "0:90:99999"), "places: must be from 1 to"),
        (("bridge", "--piece", "counterwait", "--x", "0", "--y", "0"), "counterweight"),
        (("bridge", "--piece", "table", "--x", "0", "--y", "0"), "support"),
        ((*BRIDGE, "--x", "0", "--samples", "-4"), "--samples = -4"),
        ((*BRIDGE, "--x", "0", "--workers", "0"), "--workers = 0"),
        ((*BRIDGE, "--x", "0", "--out", "t.xlsx"), "must end in .csv, .parquet"),
        ((*BRIDGE, "--x", "0", "--out", "/nowhere/t.csv"), "there is no folder /nowhere"),
        ((*BRIDGE, "--x", "0", "--page", "map.gif"), "must end in .html"),
        ((*BRIDGE, "--x", "0", "--dask", "tcp://127.0.0.1:1", "--workers", "2"), "give one of them"),
        (("--scenes", "/nowhere/*.toml"), "no file has such a name"),
        (("--scenes", "*.toml", "--piece", "a"), "does not go with --scenes"),
        (("nosuchscene", "--piece", "a", "--x", "0", "--y", "0"), "nosuchscene"),
    ],
)
def test_bad_input(words: tuple[str, ...], message: str) -> None:
    code, out, err = teeter(*words)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_a_full_disk_keeps_what_is_finished(tmp_path: Path) -> None:
    """The file may not grow beyond 1 kB, as on a full disk."""
    out = tmp_path / "t.csv"
    words = [
        sys.executable,
        "-m",
        "games",
        "sweep",
        *BRIDGE,
        "--x=-40:40:33",
        "--out",
        str(out),
        "--workers",
        "1",
    ]
    limited = f"ulimit -f 1; exec {' '.join(words)}"
    # what counts covered lines writes a file too, and so does what compiles modules
    alone = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    alone["PYTHONDONTWRITEBYTECODE"] = "1"
    done = subprocess.run(
        ["bash", "-c", limited], env=alone, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 2, done.stderr
    assert re.search(r"The \d+ rows that are finished stay in", done.stderr)
    assert "Traceback" not in done.stderr
    kept = rows_of(out)
    assert len(kept) >= 8
    assert all(row["key"] and len(row["key"]) == 16 for row in kept)
    assert subprocess.run(words, capture_output=True, timeout=120, check=False).returncode == 0
    assert rows_of(out)[: len(kept)] == kept
    assert len(rows_of(out)) == 33


# -- a cluster -------------------------------------------------------------------------------------------------


def test_a_scheduler_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("teeter.engine.topple.laboratory.cluster.SCHEDULER_TIMEOUT_S", 1.0)
    code, out, err = teeter(*BRIDGE, "--x", "0", "--dask", "tcp://127.0.0.1:9")
    assert (code, out) == (2, "")
    assert "no scheduler answers at tcp://127.0.0.1:9" in err


@contextmanager
def process(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = subprocess.Popen([sys.executable, "-m", *words], **quiet)  # type: ignore[call-overload]
    try:
        yield started
    finally:
        started.kill()
        started.wait()


def until(found: object, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not found():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.slow
def test_a_cluster_gives_the_same_table_though_workers_are_killed(tmp_path: Path) -> None:
    """A real scheduler and two workers. One is killed when a third of the rows are on file: the table is the same. The
    other is killed in another sweep: it says so, and keeps what is done."""
    local, far, part = (tmp_path / f"{name}.csv" for name in ("local", "far", "part"))
    file, said = tmp_path / "scheduler.json", tmp_path / "said"
    words = (*BRIDGE, "--x=-44:44:23", "--yaw", "0:45:2")
    assert teeter(*words, "--out", str(local), "--workers", "1")[0] == 0
    scheduler = ("distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--host", "127.0.0.1")
    worker = ("distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", "--no-dashboard")
    where = ("--scheduler-file", str(file))

    @contextmanager
    def swept(out: Path) -> Iterator[subprocess.Popen[bytes]]:
        dask = ("--out", str(out), "--dask", address, "--dask-timeout", "2")
        command = [sys.executable, "-m", "teeter", "sweep", *words, *dask]
        with (
            said.open("wb") as stderr,
            subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr) as sweep,
        ):
            yield sweep

    with process(*scheduler, *where):
        until(lambda: file.exists() and file.read_text().endswith("}"))
        address = json.loads(file.read_text())["address"]
        folders = [("--local-directory", str(tmp_path / name)) for name in ("one", "two")]
        with process(*worker, *where, *folders[0]) as one, process(*worker, *where, *folders[1]) as two:
            with swept(far) as sweep:
                until(lambda: far.exists() and len(rows_of(far)) >= 15)
                os.kill(one.pid, signal.SIGKILL)
                assert sweep.wait(timeout=180) == 0
            assert "1 worker lost, 1 left" in said.read_text()
            assert far.read_bytes() == local.read_bytes()
            assert len(rows_of(far)) == 46
            with swept(part) as sweep:
                until(lambda: part.exists() and len(rows_of(part)) >= 8)
                os.kill(two.pid, signal.SIGKILL)
                assert sweep.wait(timeout=60) == 2
    assert "1 worker lost, none left: waiting 2 s for another" in said.read_text()
    assert "the last worker was lost" in said.read_text()
    kept = rows_of(part)
    assert 8 <= len(kept) < 46
    # the same command goes on, here
    assert teeter(*words, "--out", str(part), "--workers", "2")[0] == 0
    assert part.read_bytes() == local.read_bytes()


# -- array jobs ------------------------------------------------------------------------------------------------


def merge(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["merge", *words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_shards_put_together_are_the_sweep(tmp_path: Path, ending: str) -> None:
    from pyarrow import parquet

    words = (*BRIDGE, "--x=-40:40:11", "--workers", "1")
    whole, parts = tmp_path / f"whole{ending}", [tmp_path / f"{number}{ending}" for number in (1, 2, 3)]
    assert teeter(*words, "--out", str(whole))[0] == 0
    for number, part in enumerate(parts, start=1):
        assert teeter(*words, "--out", str(part), "--shard", f"{number}/3")[0] == 0
    out = tmp_path / f"out{ending}"
    code, said, _ = merge(*map(str, reversed(parts)), "--out", str(out))
    assert (code, f"wrote {out}: 11 rows of 3 tables" in said.replace("\n", "")) == (0, True)
    assert out.read_bytes() == whole.read_bytes()
    code, _, err = merge(*map(str, parts), "--out", str(out))
    assert (code, "exists" in err or "there already" in err) == (2, True), err
    code, said, _ = merge(str(parts[0]), str(parts[2]), "--out", str(out), "--force")
    assert code == 2
    assert "rows that are missing, 4: 1, 4, 7, 10" in said
    # all shards stopped early, as by a limit of time: what is missing at the end is named too
    for part in parts:
        if ending == ".csv":
            part.write_text("".join(part.read_text("utf-8").splitlines(keepends=True)[:3]), "utf-8")
        else:
            parquet.write_table(parquet.read_table(part)[:2], part)
    code, said, _ = merge(*map(str, parts), "--out", str(out), "--force")
    assert (code, "6 rows of 3 tables" in said.replace("\n", " ")) == (2, True)
    assert "rows that are missing, 5: 6, 7, 8, 9, 10" in said


def test_a_row_that_was_cut_off_is_missing(tmp_path: Path) -> None:
    whole, out = tmp_path / "whole.csv", str(tmp_path / "out.csv")
    assert teeter(*BRIDGE, "--x=-40:40:3", "--workers", "1", "--out", str(whole))[0] == 0
    lines = whole.read_text("utf-8")
    code, said, _ = merge(str(whole), "--out", out)
    # as tables were before: how many rows there are is not in them
    assert (code, "some may be missing after the last" in said) == (0, True)
    for cut, number in ((60, True), (len(lines.splitlines()[-1]), False)):
        whole.write_text(lines[:-cut], "utf-8")
        code, said, _ = merge(str(whole), "--out", out, "--force")
        assert (code, "its last line was cut off" in said) == (2, True)
        assert ("rows that are missing, 1: 2" in said) is number
    whole.write_text(lines.splitlines(keepends=True)[0], "utf-8")
    assert merge(str(whole), "--out", out, "--force")[0] == 2


def test_shards_of_different_sweeps_are_refused(tmp_path: Path) -> None:
    """Their rows have other numbers: the rows alone do not show it."""
    one, other, out = (str(tmp_path / name) for name in ("one.csv", "other.csv", "out.csv"))
    assert teeter(*BRIDGE, "--x=-40:40:2", "--workers", "1", "--shard", "1/2", "--out", one)[0] == 0
    assert teeter(*BRIDGE, "--x=-41:40:2", "--workers", "1", "--shard", "2/2", "--out", other)[0] == 0
    code, _, err = merge(one, other, "--out", out)
    assert (code, "are not of one sweep" in err.replace("\n", " ")) == (2, True)


@pytest.mark.slow
def test_the_array_job_of_the_docs_is_the_sweep(tmp_path: Path) -> None:
    """Its script, as SLURM would start it."""
    script = ROOT / "docs" / "cluster" / "sweep.sbatch"
    text = script.read_text("utf-8")
    small = tmp_path / "sweep.sbatch"
    small.write_text(text.replace("--x=-60:60:25 --y=-10:10:5", "--x=-60:-50:3 --y=0"))
    assert small.read_text() != text
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for shard in (2, 1):
        env = os.environ | {"PATH": path, "SLURM_ARRAY_TASK_ID": str(shard), "SLURM_ARRAY_TASK_COUNT": "2"}
        subprocess.run(["bash", small], cwd=tmp_path, env=env, check=True)
    parts = sorted(map(str, tmp_path.glob("part-*.csv")))
    assert merge(*parts, "-o", str(tmp_path / "map.csv"))[0] == 0
    words = ("bridge", "--piece", "counterweight", "--x=-60:-50:3", "--y=0", "--workers", "1")
    assert teeter(*words, "-o", str(tmp_path / "whole.csv"))[0] == 0
    assert (tmp_path / "map.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_the_manifest_starts_commands_that_dask_has_and_our_image() -> None:
    manifest = yaml.safe_load((ROOT / "docs" / "cluster" / "dask.yaml").read_text("utf-8"))
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    for part in ("worker", "scheduler"):
        (container,) = manifest["spec"][part]["spec"]["containers"]
        assert container["image"].endswith(f"/teeter:{version}")
        told = subprocess.run(
            [sys.executable, "-m", "dask", part, "--help"], capture_output=True, text=True, check=True
        )
        assert all(word in told.stdout for word in container["args"] if word.startswith("--"))
        assert container["args"][:2] == ["dask", part]


def test_what_cannot_be_put_together_is_refused(tmp_path: Path) -> None:
    one, other, out = (str(tmp_path / name) for name in ("one.csv", "other.csv", "out.csv"))
    assert teeter(*BRIDGE, "--x=-40:40:3", "--workers", "1", "--out", one)[0] == 0
    assert teeter(*BRIDGE, "--x=-30:30:3", "--workers", "1", "--out", other)[0] == 0
    (tmp_path / "text.csv").write_text("a,b\n1,2\n")
    for words, told in (
        ((one, other, "--out", out), "differ in row 0: they are not of one sweep"),
        ((one, str(tmp_path / "none.csv"), "--out", out), "there is no such file"),
        ((one, str(tmp_path / "text.csv"), "--out", out), "is no table"),
        ((one, "--out", str(tmp_path / "out.txt")), "must end in .csv, .parquet"),
        ((one, "--out", one, "--force"), "one.csv"),
    ):
        code, _, err = merge(*words)
        assert (code, told in err.replace("\n", "")) == (2, True), (words, err)
    assert not Path(out).exists()
    for shard in ("0/3", "4/3", "x", "1/0", "1/3/5", "-1/3"):
        code, _, err = teeter(*BRIDGE, "--x", "0", f"--shard={shard}")
        assert (code, f"--shard = {shard}" in err) == (2, True)
