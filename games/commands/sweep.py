"""`teeter sweep`: where could this piece go, and which of these scenes stand."""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from teeter.games.api.arguments import out_of_range, piece_named
from teeter.games.commands.console import OK, bar, print_json, refuse
from teeter.games.commands.standard_input import scene_of
from teeter.games.commands.sweep_report import SweepReport, print_report, to_json
from teeter.games.commands.sweep_request import SweepRequest
from teeter.games.faults import teeter_version
from teeter.models.extras import install_line

if TYPE_CHECKING:
    from teeter.engine.topple.laboratory.spots import Spot
    from teeter.engine.topple.laboratory.sweep import SweepRow, Terms

T = TypeVar("T")
TABLES = (".csv", ".parquet")


def run(request: SweepRequest) -> int:
    """Where could this piece go, and how safely? Or which of many scenes stand?"""
    _validate(request)
    report = _swept_scenes(request) if request.scenes is not None else _swept_places(request)
    if request.as_json:
        print_json(to_json(report))
    else:
        print_report(report)
    return OK


def _swept_places(request: SweepRequest) -> SweepReport:
    from teeter.engine.topple.laboratory.sweep import best, judge_place, key_of, places_of, study
    from teeter.engine.topple.verdict import with_friction
    from teeter.scenes.load import load
    from teeter.scenes.loads import refuse_loads

    scene = load(scene_of(request.scene or ""), unit=request.unit, up=request.up)
    refuse_loads(scene, "sweep")
    _keep_inputs(request, scene.files)
    name = piece_named(scene, request.piece or "").name
    spots = _spots(request)
    assembly = with_friction(scene.assembly, request.friction)
    body = next(body for body in assembly.bodies if body.name == name)
    tower = assembly.without({name})
    common = study(tower, _terms(request), margins=request.margins)
    places = list(places_of(body, tower.bodies, spots, request.keep_height))
    keys = [key_of(common, place) for place in places]
    results = _filled(request, places, keys, [scene.name] * len(places), partial(judge_place, common))
    safest = best(results, request.best)
    if request.page is not None:
        from teeter.games.api.pages import sweep_page

        noise = None if request.noise is None else (request.noise, request.copies)
        tried = _part(request, places)
        sweep_page(request.page, common.tower, body, tried, results, safest, noise=noise, force=request.force)
    return SweepReport(request, scene.name, results, safest)


def _swept_scenes(request: SweepRequest) -> SweepReport:
    from teeter.engine.topple.laboratory.sweep import best, case, judge_case
    from teeter.engine.topple.verdict import with_friction
    from teeter.scenes.load import load
    from teeter.scenes.loads import refuse_loads

    files = sorted(glob.glob(request.scenes or "", recursive=True))
    if not files:
        refuse(f"--scenes = {request.scenes}: no file has such a name")
    cases = []
    for number, file in enumerate(files):
        scene = load(file, unit=request.unit, up=request.up)
        refuse_loads(scene, "sweep")
        _keep_inputs(request, scene.files)
        assembly = replace(with_friction(scene.assembly, request.friction), name=file)
        cases.append(case(number, assembly, _terms(request)))
    keys, names = [one.key for one in cases], [one.assembly.name for one in cases]
    results = _filled(request, cases, keys, names, judge_case)
    return SweepReport(request, request.scenes or "", results, best(results, request.best))


def _terms(request: SweepRequest) -> Terms:
    """What all rows are asked under."""
    from teeter.games.api.checker import Checker

    conditions = Checker(
        tilt_deg=request.tilt,
        tilt_direction_deg=request.tilt_direction,
        engine=request.engine,
        seed=request.seed,
        workers=1,
    )
    return conditions.terms(request.noise, request.copies)


def _part(request: SweepRequest, inputs: Sequence[T]) -> Sequence[T]:
    """Those of the shard: every so manieth, so that all shards take about as long."""
    number, of = shard_of(request.shard)
    return inputs[number - 1 :: of]


def shard_of(words: str | None) -> tuple[int, int]:
    """Which of how many; (0, 0) for words that say nothing of the kind."""
    if words is None:
        return 1, 1
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", words)
    number, of = (int(match[1]), int(match[2])) if match else (0, 0)
    return (number, of) if 1 <= number <= of else (0, 0)


def _filled(
    request: SweepRequest,
    inputs: Sequence[Any],
    keys: Sequence[str],
    names: Sequence[str],
    ask: Callable[[Any], SweepRow],
) -> list[SweepRow]:
    """The rows of the shard's inputs: those of the table on file, and the others, found now and written as they come.
    inputs, keys, names: of the whole sweep."""
    from teeter.engine.topple.laboratory.results_table import ResultsTable
    from teeter.engine.topple.laboratory.sweep import COLUMNS, NOISY_COLUMNS, whole_of

    whole = None if request.shard is None else whole_of(keys)
    inputs, keys, names = _part(request, inputs), _part(request, keys), _part(request, names)
    columns = COLUMNS if request.noise is None else NOISY_COLUMNS
    out = request.out
    ledger = None if out is None else ResultsTable(out, columns, {*keys}, force=request.force, whole=whole)
    rows: dict[str, SweepRow] = {} if ledger is None else ledger.rows
    fresh = {key: one for key, one in zip(keys, inputs, strict=True) if key not in rows}
    done = len(keys) - len(fresh)
    try:
        with bar("sweeping") as progress, _answers(request, list(fresh.values()), ask) as answers:
            for row in answers:
                if ledger is None:
                    rows[row.key] = row
                else:
                    ledger.add(row)
                done += 1
                progress(done, len(keys))
        # in a coarser grid a place had another number, and two files may hold the same pieces: one row serves both
        results = [
            replace(rows[key], number=one.number, scene=name)
            for key, one, name in zip(keys, inputs, names, strict=True)
        ]
        if ledger is not None:
            ledger.finish(results)
    finally:
        if ledger is not None:
            ledger.close()
    return results


@contextmanager
def _answers(
    request: SweepRequest, inputs: list[Any], ask: Callable[[Any], SweepRow]
) -> Iterator[Iterable[SweepRow]]:
    """The rows, by this machine's processes or a cluster's."""
    if request.dask is not None:
        from teeter.engine.topple.laboratory.cluster import on_cluster

        def tell(words: str) -> None:
            sys.stderr.write(f"teeter: {words}\n")

        with on_cluster(request.dask, ask, inputs, teeter_version(), request.dask_timeout, tell) as rows:
            yield rows
        return
    from teeter.engine.workers import in_order

    with in_order(ask, inputs, request.workers or os.cpu_count() or 1) as rows:
        yield rows


def _spots(request: SweepRequest) -> list[Spot]:
    from teeter.engine.topple.laboratory.spots import axis_of, spots_of

    axes = [
        axis_of(words, option)
        for words, option in ((request.x or "", "--x"), (request.y or "", "--y"), (request.yaw, "--yaw"))
    ]
    return spots_of(axes[0], axes[1], axes[2], request.samples, request.seed)


def _validate(request: SweepRequest) -> None:
    """Refuse what makes no sense, all of it in one message."""
    wrong = []
    if (request.scene is None) == (request.scenes is None):
        wrong.append("give a scene, or --scenes 'folder/*.toml'")
    if request.scene is not None:
        missing = [name for name in ("piece", "x", "y") if getattr(request, name) is None]
        wrong += [f"--{name} is missing" for name in missing]
    if request.scenes is not None:
        options = [
            name for name in ("piece", "x", "y", "samples", "page") if getattr(request, name) is not None
        ]
        wrong += [
            f"--{name} is about one piece of one scene: it does not go with --scenes" for name in options
        ]
    wrong += out_of_range(
        (
            ("--best", "best", request.best),
            ("--workers", "workers", request.workers),
            ("--samples", "samples", request.samples),
            ("--seed", "seed", request.seed),
            ("--dask-timeout", "time", request.dask_timeout),
            ("--noise", "position_mm", request.noise),
            ("--copies", "samples", request.copies),
            ("--tilt", "tilt_deg", request.tilt),
            ("--tilt-direction", "tilt_direction_deg", request.tilt_direction),
            ("--friction", "friction", request.friction),
        )
    )
    if shard_of(request.shard) == (0, 0):
        wrong.append(
            f"--shard = {request.shard}: must be a part of a whole, such as 3/64, from 1/64 to 64/64"
        )
    if request.workers is not None and request.dask is not None:
        wrong.append("--workers are processes here, --dask those of a cluster: give one of them")
    named = [request.scene] if request.scene is not None else glob.glob(request.scenes or "", recursive=True)
    wrong += _wrong_files(request, list(map(Path, named)))
    if wrong:
        refuse("sweep: " + "; ".join(wrong))


def _wrong_files(request: SweepRequest, inputs: Sequence[Path]) -> list[str]:
    """What cannot be written: found out before the work, not after it. inputs: the files that are read."""
    from teeter.models.files import output_fault, same_output

    wrong = []
    asked = (("--out", request.out, TABLES), ("--page", request.page, (".html",)))
    for name, path, endings in asked:
        if path is None:
            continue
        if path.suffix not in endings:
            wrong.append(f"{name} = {path}: must end in {', '.join(endings)}")
        elif fault := output_fault(
            path.absolute(),
            # a table that was begun is gone on with, or refused by what stands in it
            force=request.force or path == request.out,
            inputs=inputs,
        ):
            wrong.append(f"{name} = {path}: {fault}")
    if pair := same_output([path for _, path, _ in asked if path is not None]):
        wrong.append(f"{pair[0]} and {pair[1]} are one file: give each output a file of its own")
    if request.out is not None and request.out.suffix == ".parquet" and find_spec("pyarrow") is None:
        wrong.append(f"a Parquet table needs pyarrow: {install_line('pyarrow')}")
    return wrong


def _keep_inputs(request: SweepRequest, inputs: Sequence[Path]) -> None:
    """Refuse what would be written over a file that a scene names. inputs: the files that were read for it."""
    if wrong := _wrong_files(request, inputs):
        refuse("sweep: " + "; ".join(wrong))
