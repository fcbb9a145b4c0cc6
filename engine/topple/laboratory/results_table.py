"""The table of a sweep on file: rows are on disk as soon as they are found, and a table can be gone on with.

While a sweep runs, rows are appended to a CSV file as they come; when it is done the file is written anew, in order.
A Parquet table grows as `F.parquet.part.csv` beside it. A last line that was cut off is dropped; else only what another
sweep left is, when asked to.
"""

from __future__ import annotations

import csv
import io
import math
import os
import time
from collections.abc import Container, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any, get_args

from teeter.engine.topple.errors import SweepError
from teeter.engine.topple.laboratory.sweep import COLUMNS, NOISY_COLUMNS, Method, SweepRow, Word
from teeter.models.files import whole_or_nothing
from teeter.models.system import KEEPS_OPEN_FILES, NO_LINK, lock

SYNC = 1.0
"""Seconds after which rows are forced onto the disk: what a power cut may cost."""
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""How a text begins that a spreadsheet would compute."""
QUOTE = "'"
"""Before such a text, and before one that begins with it: a spreadsheet shows text, and reading takes one away."""
NUMBERS = {"x_mm", "y_mm", "z_mm", "yaw_deg", "tilt_deg", "chance", "chance_low", "chance_high"}
Columns = tuple[str, ...]
PARQUET = ".parquet"
OF_SHARD = ("sweep_rows", "sweep")
"""Columns of a shard's table alone, the same in each row: how many rows the whole sweep has, and a digest of them."""
Whole = tuple[int, str]
"""The values of those columns."""


@dataclass(frozen=True, slots=True)
class TableOnFile:
    """What a file holds. is_shard: it has those columns. whole: what its last row says in them. size: bytes of whole
    lines. torn: a last line that was cut off."""

    rows: list[SweepRow]
    is_shard: bool
    whole: Whole | None
    size: int = 0
    torn: str = ""


@dataclass(frozen=True, slots=True)
class MergedTable:
    """Rows of several tables, by number. missing: numbers that no table has. is_certain: a table says how many rows
    there are; else some may be missing after the last. torn: the tables whose last line was cut off, then."""

    rows: list[SweepRow]
    columns: Columns
    missing: list[int]
    is_certain: bool
    torn: list[Path]


class ResultsTable:
    """A table being filled. rows: those found so far, by key, the earlier ones of the file too. columns: with those of
    noise, or without. keys: of the sweep, None for of any; rows that are none of its are refused, or dropped by force.
    whole: the sweep that this is a shard of.

    Raises SweepError when the file is something else than such a table, or the disk is full.
    """

    def __init__(
        self,
        path: Path,
        columns: Columns = COLUMNS,
        keys: Container[str] | None = None,
        *,
        force: bool = False,
        whole: Whole | None = None,
    ) -> None:
        self.path, self.columns, self._whole = path, columns, whole
        self._growing = path.with_name(path.name + ".part.csv") if path.suffix == PARQUET else path
        self.rows: dict[str, SweepRow] = {}
        if path.suffix == PARQUET and path.exists():
            self._keep(_from_parquet(path, columns).rows)
        known = _from_csv(self._growing, columns) if self._growing.exists() else None
        self._keep(known.rows if known else ())
        others = [] if keys is None else [key for key in self.rows if key not in keys]
        if others and not force:
            held = f"{len(others)} row{'s' * (len(others) > 1)} of another sweep"
            raise SweepError(f"{path} holds {held}: give another name, or keep this one only with --force")
        for key in others:
            del self.rows[key]
        # without a buffer, which would write what failed once more when the file is closed
        self._file: FileIO = open(self._growing, "ab", buffering=0, opener=_own)  # noqa: SIM115
        is_kept = known is not None and known.size > 0 and not others
        self._file.truncate(known.size if known and is_kept else 0)
        self._synced = time.monotonic()
        # what was begun without the columns of a shard, or with them, grows as it was
        is_shard = known.is_shard if known and is_kept else whole is not None
        self._more: tuple[int | str, ...] = (whole or ("", "")) if is_shard else ()
        if not is_kept:
            self._append(_text(list(self.rows.values()) if others else [], columns, self._more))

    def add(self, row: SweepRow) -> None:
        """One more row, safe on disk within a second."""
        self.rows[row.key] = row
        self._append(_line(row, self.columns, self._more))

    def finish(self, rows: Sequence[SweepRow]) -> None:
        """Write the table anew, of these rows."""
        if KEEPS_OPEN_FILES:
            self.close()
        try:
            write(self.path, rows, self.columns, force=True, whole=self._whole)
        except OSError as error:
            raise self._trouble(error) from error
        self.close()
        if self._growing != self.path:
            self._growing.unlink()

    def close(self) -> None:
        """Let go of the file; what is in it stays."""
        if not self._file.closed:
            self._file.close()

    def _append(self, text: str) -> None:
        at = self._file.seek(0, os.SEEK_END)
        try:
            data = memoryview(text.encode())
            while len(data):
                data = data[self._file.write(data) :]
            if time.monotonic() - self._synced > SYNC:
                os.fsync(self._file.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            self._cut(at)
            raise self._trouble(error) from error

    def _cut(self, at: int) -> None:
        """Take half a row away again; where even that fails the next run drops it."""
        with suppress(OSError):
            self._file.truncate(at)

    def _trouble(self, error: OSError) -> SweepError:
        return SweepError(
            f"{self.path}: {error.strerror or error}. The {len(self.rows)} rows that are finished stay in "
            f"{self._growing}; make room and give the same command again to go on"
        )

    def _keep(self, rows: Sequence[SweepRow]) -> None:
        self.rows.update((row.key, row) for row in rows)


def write(
    path: Path,
    rows: Sequence[SweepRow],
    columns: Columns = COLUMNS,
    *,
    force: bool = False,
    whole: Whole | None = None,
) -> None:
    """Write a whole table, or nothing. force: in the place of a file that is there. whole: the sweep that it is a shard
    of. Raises OutputError and OSError."""
    with whole_or_nothing(path, (), force=force) as fresh:
        if path.suffix == PARQUET:
            _to_parquet(rows, fresh, columns, whole or ())
            return
        with fresh.open("w", newline="", encoding="utf-8") as file:
            file.write(_text(rows, columns, whole or ()))
            file.flush()
            os.fsync(file.fileno())


def merged(paths: Sequence[Path]) -> MergedTable:
    """Returns the rows of several tables of one sweep, such as its shards. Raises SweepError for what is no such table,
    and for tables of different sweeps."""
    columns = NOISY_COLUMNS if paths and _is_noisy(paths[0]) else COLUMNS
    table: dict[int, tuple[SweepRow, Path]] = {}
    wholes: dict[Whole, Path] = {}
    torn: dict[Path, str] = {}
    for path in paths:
        if path.suffix != PARQUET and not path.is_file():
            raise SweepError(f"{path}: there is no such file")
        found = (_from_parquet if path.suffix == PARQUET else _from_csv)(path, columns)
        if found.whole:
            wholes.setdefault(found.whole, path)
        if len(wholes) > 1:
            one, other = wholes.values()
            raise SweepError(f"{one} and {other} are not of one sweep: its scene, places or options differ")
        if found.torn:
            torn[path] = found.torn
        for row in found.rows:
            before, where = table.setdefault(row.number, (row, path))
            if before != row:
                raise SweepError(f"{where} and {path} differ in row {row.number}: they are not of one sweep")
    # of a row that was cut off the number may be left
    cut = [line.partition(",") for line in torn.values()]
    begun = [int(number) for number, comma, _ in cut if comma and number.isdecimal()]
    count = next(iter(wholes))[0] if wholes else max((*table, *begun), default=-1) + 1
    return MergedTable(
        rows=[table[number][0] for number in sorted(table)],
        columns=columns,
        missing=[number for number in range(count) if number not in table],
        is_certain=bool(wholes),
        torn=[] if wholes else list(torn),
    )


def _is_noisy(path: Path) -> bool:
    """Whether a table begins as one under noise; False for what is no table."""
    if path.suffix == PARQUET:
        return path.is_file() and _parquet_of(path)[0][: len(NOISY_COLUMNS)] == NOISY_COLUMNS
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.readline().decode("utf-8", "replace").startswith(",".join(NOISY_COLUMNS))


def _from_csv(path: Path, columns: Columns) -> TableOnFile:
    data = path.read_bytes()
    size = data.rfind(b"\n") + 1
    headers = [",".join(names) for names in (columns, columns + OF_SHARD)]
    begun = data.partition(b"\n")[0].decode("utf-8", "replace").strip()
    if begun not in headers if size else not headers[1].startswith(begun):
        raise SweepError(f"{path} is no table of {_kind(columns)}: give another name")
    whole, torn = (part.decode("utf-8", "replace") for part in (data[:size], data[size:]))
    lines = csv.DictReader(io.StringIO(whole, newline=""))
    try:
        rows, sweep = _rows(_without_quotes(line) for line in lines)
    except (ValueError, TypeError, csv.Error) as error:
        raise SweepError(f"{path} is damaged ({str(error)[:100]}): give another name") from error
    return TableOnFile(rows, begun == headers[1], sweep, size, torn if size else "")


def _own(path: str, flags: int) -> int:
    """Open a table for this process alone, and no link to something else. Raises SweepError, or OSError."""
    file = os.open(path, flags | NO_LINK, 0o666)
    is_free = True
    with suppress(OSError):  # a file system without locks
        is_free = lock(file)
    if not is_free:
        os.close(file)
        raise SweepError(f"{path}: another process is filling this table: wait, or name another")
    return file


def _kind(columns: Columns) -> str:
    return f"`teeter sweep` {'with' if columns == NOISY_COLUMNS else 'without'} --noise"


def _text(rows: Sequence[SweepRow], columns: Columns, more: Sequence[int | str]) -> str:
    """A table's header and rows. more: what stands last in each row of a shard."""
    header = ",".join([*columns, *OF_SHARD[: len(more)]])
    return header + "\n" + "".join(_line(row, columns, more) for row in rows)


def _line(row: SweepRow, columns: Columns, more: Sequence[int | str]) -> str:
    text = io.StringIO()
    values = [*(getattr(row, name) for name in columns), *more]
    cells = ["" if value is None else _quoted(value) for value in values]
    # the writer puts no quotes round a carriage return, which ends a line to every reader
    has_return = any("\r" in str(cell) for cell in cells)
    csv.writer(
        text, lineterminator="\n", quoting=csv.QUOTE_ALL if has_return else csv.QUOTE_MINIMAL
    ).writerow(cells)
    return text.getvalue()


def _quoted(value: object) -> object:
    is_risky = isinstance(value, str) and value.startswith((*FORMULA, QUOTE))
    return f"{QUOTE}{value}" if is_risky else value


def _without_quotes(line: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value.removeprefix(QUOTE) if isinstance(value, str) and name not in NUMBERS else value
        for name, value in line.items()
    }


def _rows(lines: Iterable[dict[str, Any]]) -> tuple[list[SweepRow], Whole | None]:
    """Returns rows, and what the last one says of the sweep. Raises ValueError and TypeError for what is none."""
    rows, count, sweep = [], None, None
    for line in lines:
        count, sweep = (line.pop(name, None) for name in OF_SHARD)
        rows.append(_row(line))
    return rows, (int(count), str(sweep)) if count and sweep else None


def _row(line: dict[str, Any]) -> SweepRow:
    """A row from texts, or from values. Raises ValueError for what is none."""
    values: dict[str, Any] = {}
    for name in line:
        value: Any = line[name] if line[name] != "" else None
        if name == "number":
            value = int(line[name])
        elif name in NUMBERS and value is not None:
            value = float(value)
            if not math.isfinite(value):
                raise ValueError(f"{name} is {value}")
        values[name] = value
    if (
        not values["key"]
        or values["verdict"] not in get_args(Word)
        or values["judge"] not in get_args(Method)
    ):
        raise ValueError(f"row {values['number']} has no verdict, no judge or no key")
    return SweepRow(**values)


def _to_parquet(rows: Sequence[SweepRow], path: Path, names: Columns, more: Sequence[int | str]) -> None:
    import pyarrow as arrow
    from pyarrow import parquet

    kinds = {name: arrow.float64() for name in NUMBERS}
    kinds |= {name: arrow.int64() for name in ("number", OF_SHARD[0])}
    columns = {name: [getattr(row, name) for row in rows] for name in names}
    columns |= {name: [value] * len(rows) for name, value in zip(OF_SHARD, more, strict=False)}
    schema = arrow.schema([(name, kinds.get(name, arrow.string())) for name in columns])
    parquet.write_table(arrow.table(columns, schema=schema), path)


def _from_parquet(path: Path, columns: Columns) -> TableOnFile:
    names, lines = _parquet_of(path)
    if names not in (columns, columns + OF_SHARD):
        raise SweepError(f"{path} is no table of {_kind(columns)}: give another name to --out")
    try:
        rows, whole = _rows(lines)
        return TableOnFile(rows, names != columns, whole)
    except (TypeError, ValueError) as error:
        raise SweepError(f"{path} is damaged ({error}): give another name to --out") from error


def _parquet_of(path: Path) -> tuple[Columns, list[dict[str, Any]]]:
    """The columns of a file, and its rows."""
    import pyarrow as arrow
    from pyarrow import parquet

    try:
        table = parquet.read_table(path)
        return tuple(table.column_names), table.to_pylist()
    except (arrow.ArrowException, ValueError) as error:
        raise SweepError(f"{path} is damaged ({error}): give another name to --out") from error
