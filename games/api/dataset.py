"""A folder of labelled scenes that learning tools read: Parquet files by split, pictures within, and a card."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from teeter.engine.settings import GRAVITY
from teeter.games.api.arguments import ArgumentError, checked, list_of
from teeter.games.api.checker import Checker, Progress, unheard
from teeter.games.api.many import ManyResult, ManyRow, ManyScenes, Method, tasks_of
from teeter.games.api.one_thread import one_thread
from teeter.models.errors import TeeterError, Untrue
from teeter.models.extras import install_line
from teeter.models.files import check_new_folder, whole_folder

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from teeter.engine.world.body import Assembly

SPLITS = {"train": 0.8, "validation": 0.1, "test": 0.1}
MM = 1e3
GROUP = 256
"""Rows that are written at a time."""
CARD = """---
configs:
- config_name: default
  data_files:
{files}
tags:
- physics
- stability
---
# {name}

{total} scenes of rigid pieces, each with the answer to one question: would it topple?

| split | scenes | {words} |
|---|---:|{lines}
{counts}

**Labels** (`word`): `stands`, `topples`, or `unsure` where the method cannot tell; leave those out to learn from.
Found by {method}, with teeter {teeter}{engine}. `tilt_deg` is the angle by which the table can be tilted
until something goes, 0 of what topples, empty where it is not known; `first` is the piece that goes first; `why` says
why `unsure`.

**Scenes.** `pieces`: a row for each, fixed ones too. Lengths in mm, masses in g; `quaternion` is x, y, z, w; `size` is
that of the bounding box in the piece's own frame, `friction` the coefficient of the piece (two that touch rub with the
geometric mean unless the scene says otherwise). Shapes other than boxes are known by their `model`. Gravity is
{gravity:g} m/s2 along -z. {pictures}

**Splits** are drawn by the scene itself and the seed {seed}: equal scenes are never in two splits, and a scene stays in
its split when others are added. Shares asked for: {shares}.
"""


@dataclass(frozen=True, slots=True)
class DatasetResult(Untrue):
    """What `teeter.write_dataset` wrote. folder: where. rows: scenes by split. words: how many have which label."""

    asked = "rows"

    folder: Path
    rows: dict[str, int]
    words: dict[str, int]


@checked
@one_thread()
def write_dataset(
    folder: str | Path,
    scenes: ManyScenes,
    *,
    method: Method = "full",
    pictures: bool = False,
    splits: Mapping[str, float] = SPLITS,
    friction: float | None = None,
    seed: int = 0,
    workers: int | None = None,
    engine: str | None = None,
    executor: Executor | None = None,
    progress: Progress = unheard,
) -> DatasetResult:
    """Write labelled scenes for learning: a Parquet file for each split, pieces and picture in every row, and a card
    that says what is in them. Needs the extra `parquet`.

    scenes, method, executor: as for `check_many`. pictures: with a PNG of every scene, which takes a tenth of a second
    each and more. splits: shares by name; a scene's split is drawn by its pieces and the seed, so that equal scenes are
    never in two. progress: told how many scenes are labelled, of how many, and then how many are written. Nothing is
    left of what fails. Raises TeeterError.
    """
    from teeter.engine.topple.verdict import as_asked
    from teeter.engine.worlds import engine_in_use, using
    from teeter.games.api.scene import png_of_scene

    where = Path(folder)
    _check(where, splits)
    checker = Checker(friction=friction, seed=seed, workers=workers, engine=engine)
    cases = scenes if isinstance(scenes, tuple) else list(list_of("scenes", scenes))
    results = checker.check_many(cases, method=method, executor=executor, progress=progress)
    with using(engine):
        used = engine_in_use()
    return _write(
        where,
        (as_asked(*task) for task in tasks_of(cases, checker.options_of)),
        results,
        method=method,
        engine=used,
        seed=seed,
        splits=splits,
        draw=png_of_scene if pictures else None,
        progress=progress,
    )


def _check(folder: Path, splits: Mapping[str, float]) -> None:
    """Raises TeeterError for what cannot be written there, before anything is judged."""
    if find_spec("pyarrow") is None:
        raise TeeterError(f"a data set needs pyarrow: {install_line('pyarrow')}")
    total = sum(splits.values())
    if not splits or any(not share > 0 for share in splits.values()) or abs(total - 1.0) > 1e-9:
        raise ArgumentError(f"splits = {dict(splits)}: must be shares above 0 that add up to 1")
    if wrong := [name for name in splits if not (name.isascii() and name.isidentifier())]:
        raise ArgumentError(f"splits: {wrong[0]!r} is no name of a file: letters, digits and _")
    check_new_folder(folder)


def split_of(key: str, seed: int, splits: Mapping[str, float]) -> str:
    """Returns the split of a scene. key: of its pieces, as of a sweep."""
    drawn = int.from_bytes(hashlib.sha256(f"{seed} {key}".encode()).digest()[:8], "big") / 2.0**64
    for name, share in splits.items():
        drawn -= share
        if drawn < 0.0:
            return name
    return list(splits)[-1]


def _write(
    folder: Path,
    scenes: Iterable[Assembly],
    results: ManyResult,
    *,
    method: str,
    engine: str,
    seed: int,
    splits: Mapping[str, float],
    draw: Callable[[Assembly], bytes] | None,
    progress: Callable[[int, int], None],
) -> DatasetResult:
    """Writes the whole folder, or none. scenes: of the rows found, in their order. draw: makes a PNG; None without
    pictures. Raises OutputError."""
    with whole_folder(folder) as part:
        (part / "data").mkdir()
        rows, counts = _tables(part / "data", scenes, results, seed, splits, draw, progress)
        words = ("stands", "topples", "unsure")
        card = CARD.format(
            files="\n".join(f"  - split: {name}\n    path: data/{name}.parquet" for name in splits),
            name=folder.name,
            total=len(results),
            words=" | ".join(words),
            lines="---:|" * len(words),
            counts="\n".join(
                f"| {name} | {rows[name]} | {' | '.join(str(counts[name][word]) for word in words)} |"
                for name in splits
            ),
            method="forces alone (`statics`)"
            if method == "statics"
            else "forces and simulation, which agree (`full`)",
            gravity=GRAVITY,
            teeter=version("teeter"),
            engine="" if method == "statics" else f" on {engine}",
            pictures="`picture`: a PNG of the scene as it begins." if draw else "",
            seed=seed,
            shares=", ".join(f"{name} {share:g}" for name, share in splits.items()),
        )
        (part / "README.md").write_text(card, encoding="utf-8")
    return DatasetResult(folder, rows, dict(sum(counts.values(), Counter())))


def _tables(
    folder: Path,
    scenes: Iterable[Assembly],
    results: ManyResult,
    seed: int,
    splits: Mapping[str, float],
    draw: Callable[[Assembly], bytes] | None,
    progress: Callable[[int, int], None],
) -> tuple[dict[str, int], dict[str, Counter[str]]]:
    from pyarrow import Table, parquet

    from teeter.engine.topple.laboratory.sweep import case

    schema = _schema(draw is not None)
    counts: dict[str, Counter[str]] = {name: Counter() for name in splits}
    waiting: dict[str, list[dict[str, Any]]] = {name: [] for name in splits}
    writers = {name: parquet.ParquetWriter(folder / f"{name}.parquet", schema) for name in splits}

    def flush(name: str) -> None:
        writers[name].write_table(Table.from_pylist(waiting[name], schema=schema))
        waiting[name].clear()

    try:
        for number, (scene, row) in enumerate(zip(scenes, results.rows, strict=True), start=1):
            key = case(0, scene).key
            name = split_of(key, seed, splits)
            entry = asdict(row) | {"key": key, "pieces": _pieces(scene)}
            if draw is not None:
                entry["picture"] = {"bytes": draw(scene), "path": f"{row.number}.png"}
            counts[name][row.word] += 1
            waiting[name].append(entry)
            if len(waiting[name]) == GROUP:
                flush(name)
            progress(number, len(results))
        for name in splits:
            flush(name)
    finally:
        for writer in writers.values():
            writer.close()
    return {name: sum(counter.values()) for name, counter in counts.items()}, counts


def _pieces(scene: Assembly) -> list[dict[str, Any]]:
    return [
        {
            "name": body.name,
            "fixed": body.fixed,
            "position": [MM * value for value in body.pose.position],
            "quaternion": list(body.pose.orientation),
            "size": (MM * body.piece.extents).tolist(),
            "mass": MM * body.piece.mass,
            "friction": body.piece.material.friction,
            "model": body.piece.model,
        }
        for body in scene.bodies
    ]


def _schema(has_pictures: bool) -> Any:
    import pyarrow as arrow

    numbers = arrow.list_(arrow.float64())
    piece = {"name": arrow.string(), "fixed": arrow.bool_(), "position": numbers, "quaternion": numbers}
    piece |= {"size": numbers, "mass": arrow.float64(), "friction": arrow.float64(), "model": arrow.string()}
    kinds = {"number": arrow.int64(), "tilt_deg": arrow.float64()}
    columns = {field.name: kinds.get(field.name, arrow.string()) for field in fields(ManyRow)}
    columns |= {"key": arrow.string(), "pieces": arrow.list_(arrow.struct(list(piece.items())))}
    if has_pictures:
        # as data sets of pictures have them
        columns["picture"] = arrow.struct([("bytes", arrow.binary()), ("path", arrow.string())])
    return arrow.schema(list(columns.items()))
