"""`teeter sweep`: where could this piece go, and which of these scenes stand."""

from __future__ import annotations

import glob
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from games.commands.console import OK, one_thread_each, refuse, teeter_version
from games.commands.progress import bar
from games.commands.sweep_report import Report, show

if TYPE_CHECKING:
    from engine.topple.laboratory.results_table import ResultsTable
    from engine.topple.laboratory.sweep import Spot, Study, SweepPlace, SweepRow, SweepScene
    from engine.world import Body
    from scenes.scene import Scene

BEST = 5
TABLES, PICTURES = (".csv", ".parquet"), (".png", ".pdf", ".svg")
MOST_WORKERS = 256


@dataclass(frozen=True, slots=True)
class Request:
    """Everything `teeter sweep` was asked, as typed. x, y: mm; yaw: degrees; each a number or `FROM:TO:COUNT`."""

    scene: str | None = None
    scenes: str | None = None
    piece: str | None = None
    x: str | None = None
    y: str | None = None
    yaw: str = "0"
    samples: int | None = None
    keep_height: bool = False
    margins: bool = True
    best: int = BEST
    out: Path | None = None
    plot: Path | None = None
    workers: int | None = None
    dask: str | None = None
    seed: int = 0


def run(request: Request, as_json: bool) -> int:
    """Sweep, print, and draw; the exit code. Raises SceneError, ToppleError or OSError for bad input."""
    one_thread_each()
    _validate(request)
    return _run_scenes(request, as_json) if request.scenes is not None else _run_places(request, as_json)


def _run_places(request: Request, as_json: bool) -> int:
    from engine.topple.laboratory.sweep import best, key_of, study
    from scenes.load import load

    scene = load(request.scene or "")
    body = _piece_of(scene, request.piece or "")
    spots = _spots(request)
    bodies = tuple(other for other in scene.assembly.bodies if other.name != body.name)
    common = study(replace(scene.assembly, bodies=bodies), seed=request.seed, margins=request.margins)
    places = list(places_of(body, bodies, spots, request.keep_height))
    keys = [key_of(common, place) for place in places]
    rows = _filled(request, places, keys, _local_places(common), (common, _parcel_of_places))
    found = [rows[key] for key in keys]
    safest = best(found, request.best)
    if request.plot is not None:
        from games.commands.sweep_plot import draw

        draw(request.plot, found, bodies, body, safest)
    show(Report(scene.name, body.name, found, safest, request.out, request.plot), as_json)
    return OK


def _run_scenes(request: Request, as_json: bool) -> int:
    from engine.topple.laboratory.sweep import best, case, judge_case
    from scenes.load import load

    files = sorted(glob.glob(request.scenes or "", recursive=True))
    if not files:
        refuse(f"--scenes = {request.scenes}: no file has such a name")
    cases = []
    for number, file in enumerate(files):
        scene = load(file)
        cases.append(case(number, replace(scene.assembly, name=file), request.seed))
    keys = [one.key for one in cases]
    rows = _filled(request, cases, keys, judge_case, (None, _parcel_of_cases))
    # two files may hold the same pieces: one row serves both
    found = [replace(rows[one.key], number=one.number, scene=one.assembly.name) for one in cases]
    safest = best(found, request.best)
    show(Report(request.scenes or "", None, found, safest, request.out, None), as_json)
    return OK


def _local_places(common: Study) -> Callable[[Any], SweepRow]:
    from functools import partial

    from engine.topple.laboratory.sweep import judge_place

    return partial(judge_place, common)


def _parcel_of_places(common: Study, places: list[SweepPlace]) -> list[SweepRow]:
    from engine.topple.laboratory.sweep import judge_places

    return judge_places(common, places)


def _parcel_of_cases(common: None, cases: list[SweepScene]) -> list[SweepRow]:
    from engine.topple.laboratory.sweep import judge_case

    return [judge_case(one) for one in cases]


def _filled(
    request: Request,
    inputs: Sequence[Any],
    keys: Sequence[str],
    ask: Callable[[Any], SweepRow],
    parcel: tuple[Any, Any],
) -> dict[str, SweepRow]:
    """The rows of all inputs by key: those of the table on file, and the others, found now and written as they come."""
    ledger = _ledger(request.out)
    rows: dict[str, SweepRow] = {} if ledger is None else ledger.rows
    fresh = {key: one for key, one in zip(keys, inputs, strict=True) if key not in rows}
    done = len(keys) - len(fresh)
    try:
        with bar("sweeping") as told, _answers(request, list(fresh.values()), ask, parcel) as answers:
            for row in answers:
                if ledger is None:
                    rows[row.key] = row
                else:
                    ledger.add(row)
                done += 1
                told(done, len(keys))
        if ledger is not None:
            ledger.finish(keys)
    finally:
        if ledger is not None:
            ledger.close()
    return rows


def _ledger(out: Path | None) -> ResultsTable | None:
    from engine.topple.laboratory.results_table import ResultsTable

    return None if out is None else ResultsTable(out)


@contextmanager
def _answers(
    request: Request, inputs: list[Any], ask: Callable[[Any], SweepRow], parcel: tuple[Any, Any]
) -> Iterator[Iterable[SweepRow]]:
    """The rows, by this machine's processes or a cluster's."""
    if request.dask is not None:
        from engine.topple.laboratory.cluster import on_cluster

        common, many = parcel
        with on_cluster(request.dask, many, common, inputs, teeter_version()) as rows:
            yield rows
        return
    import os

    from engine.workers import in_order

    with in_order(ask, inputs, request.workers or os.cpu_count() or 1) as rows:
        yield rows


def places_of(
    body: Body, bodies: Sequence[Body], spots: Iterable[Spot], keep_height: bool = False
) -> Iterator[SweepPlace]:
    """The piece at every spot, let down onto the others unless it keeps its height."""
    from engine.geometry.drop import DropTarget
    from engine.geometry.rotation import quaternion_of, quaternion_of_rpy
    from engine.pose import Pose
    from engine.topple.laboratory.sweep import SweepPlace

    target = DropTarget.of(bodies)
    height, lying = body.pose.position[2], body.pose.matrix
    turns: dict[float, tuple[float, float, float, float]] = {}
    for number, (x, y, yaw) in enumerate(spots):
        if yaw not in turns:
            turn = Pose((0.0, 0.0, 0.0), quaternion_of_rpy(0.0, 0.0, math.radians(yaw))).matrix
            turns[yaw] = quaternion_of(turn @ lying) if yaw else body.pose.orientation
        there = body.at(Pose((x / 1e3, y / 1e3, height), turns[yaw]))
        yield SweepPlace(number, x, y, yaw, there if keep_height else target.dropped(there))


def _spots(request: Request) -> list[Spot]:
    from engine.topple.laboratory.sweep import axis_of, spots_of

    axes = [
        axis_of(words, option)
        for words, option in ((request.x or "", "--x"), (request.y or "", "--y"), (request.yaw, "--yaw"))
    ]
    return spots_of(axes[0], axes[1], axes[2], request.samples, request.seed)


def _piece_of(scene: Scene, name: str) -> Body:
    from scenes.scene import nearest

    free = {body.name: body for body in scene.assembly.free}
    if name not in free:
        known = sorted(free)
        fixed = name in {body.name for body in scene.assembly.bodies}
        what = (
            f"{name!r} is fixed: it is a support"
            if fixed
            else f"there is no piece {name!r}{nearest(name, known)}"
        )
        refuse(f"{scene.name}: {what}")
    return free[name]


def _validate(request: Request) -> None:
    """Refuse what makes no sense, all of it in one message."""
    wrong = []
    if (request.scene is None) == (request.scenes is None):
        wrong.append("give a scene, or --scenes 'folder/*.toml'")
    if request.scene is not None:
        missing = [name for name in ("piece", "x", "y") if getattr(request, name) is None]
        wrong += [f"--{name} is missing" for name in missing]
    if request.scenes is not None:
        given = [
            name for name in ("piece", "x", "y", "samples", "plot") if getattr(request, name) is not None
        ]
        wrong += [f"--{name} is about one piece of one scene: it does not go with --scenes" for name in given]
    for name, value, least, most in (
        ("--best", request.best, 0, 10_000),
        ("--workers", request.workers, 1, MOST_WORKERS),
        ("--samples", request.samples, 1, 50_000_000),
        ("--seed", request.seed, 0, 2**63 - 1),
    ):
        if value is not None and not least <= value <= most:
            wrong.append(f"{name} = {value}: must be from {least} to {most}")
    if request.workers is not None and request.dask is not None:
        wrong.append("--workers are processes here, --dask those of a cluster: give one of them")
    wrong += _wrong_files(request)
    if wrong:
        refuse("sweep: " + "; ".join(wrong))


def _wrong_files(request: Request) -> list[str]:
    """What cannot be written: found out before the work, not after it."""
    wrong = []
    for name, path, endings in (("--out", request.out, TABLES), ("--plot", request.plot, PICTURES)):
        if path is None:
            continue
        if path.suffix not in endings:
            wrong.append(f"{name} = {path}: must end in {', '.join(endings)}")
        elif not path.absolute().parent.is_dir():
            wrong.append(f"{name} = {path}: there is no folder {path.absolute().parent}")
        elif path.is_dir():
            wrong.append(f"{name} = {path}: is a folder")
    if request.out is not None and request.out.suffix == ".parquet" and find_spec("pyarrow") is None:
        wrong.append("a Parquet table needs pyarrow: pip install 'teeter[parquet]'")
    if request.plot is not None and find_spec("matplotlib") is None:
        wrong.append("--plot needs matplotlib: pip install 'teeter[plot]'")
    return wrong
