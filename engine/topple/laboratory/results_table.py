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
from collections.abc import Container, Sequence
from contextlib import suppress
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


class ResultsTable:
    """A table being filled. rows: those found so far, by key, the earlier ones of the file too. columns: with those of
    noise, or without. keys: of the sweep, None for of any; rows that are none of its are refused, or dropped by force.

    Raises SweepError when the file is something else than such a table, or the disk is full.
    """

    def __init__(
        self,
        path: Path,
        columns: Columns = COLUMNS,
        keys: Container[str] | None = None,
        *,
        force: bool = False,
    ) -> None:
        self.path, self.columns = path, columns
        self._growing = path.with_name(path.name + ".part.csv") if path.suffix == PARQUET else path
        self.rows: dict[str, SweepRow] = {}
        if path.suffix == PARQUET and path.exists():
            self._keep(_from_parquet(path, columns))
        whole = self._read() if self._growing.exists() else 0
        others = [] if keys is None else [key for key in self.rows if key not in keys]
        if others and not force:
            held = f"{len(others)} row{'s' * (len(others) > 1)} of another sweep"
            raise SweepError(f"{path} holds {held}: give another name, or keep this one only with --force")
        for key in others:
            del self.rows[key]
        # without a buffer, which would write what failed once more when the file is closed
        self._file: FileIO = open(self._growing, "ab", buffering=0, opener=_own)  # noqa: SIM115
        self._file.truncate(0 if others else whole)
        self._synced = time.monotonic()
        if others or whole == 0:
            kept = self.rows.values() if others else ()
            self._append(",".join(columns) + "\n" + "".join(_line(row, columns) for row in kept))

    def add(self, row: SweepRow) -> None:
        """One more row, safe on disk within a second."""
        self.rows[row.key] = row
        self._append(_line(row, self.columns))

    def finish(self, rows: Sequence[SweepRow]) -> None:
        """Write the table anew, of these rows."""
        if KEEPS_OPEN_FILES:
            self.close()
        try:
            write(self.path, rows, self.columns, force=True)
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

    def _read(self) -> int:
        """Take over the rows of the growing file; how many of its bytes are whole lines."""
        rows, whole = _from_csv(self._growing, self.columns)
        self._keep(rows)
        return whole

    def _keep(self, rows: Sequence[SweepRow]) -> None:
        self.rows.update((row.key, row) for row in rows)


def write(path: Path, rows: Sequence[SweepRow], columns: Columns = COLUMNS, *, force: bool = False) -> None:
    """Write a whole table, or nothing. force: in the place of a file that is there. Raises OutputError and OSError."""
    with whole_or_nothing(path, (), force=force) as fresh:
        if path.suffix == PARQUET:
            _to_parquet(rows, fresh, columns)
            return
        with fresh.open("w", newline="", encoding="utf-8") as file:
            file.write(",".join(columns) + "\n" + "".join(_line(row, columns) for row in rows))
            file.flush()
            os.fsync(file.fileno())


def merged(paths: Sequence[Path]) -> tuple[list[SweepRow], Columns]:
    """Returns the rows of several tables of one sweep, such as its shards, by number, and their columns. Raises
    SweepError for what is no such table, and for tables of different sweeps."""
    columns = NOISY_COLUMNS if paths and _is_noisy(paths[0]) else COLUMNS
    table: dict[int, tuple[SweepRow, Path]] = {}
    for path in paths:
        if path.suffix != PARQUET and not path.is_file():
            raise SweepError(f"{path}: there is no such file")
        for row in _from_parquet(path, columns) if path.suffix == PARQUET else _from_csv(path, columns)[0]:
            before, where = table.setdefault(row.number, (row, path))
            if before != row:
                raise SweepError(f"{where} and {path} differ in row {row.number}: they are not of one sweep")
    return [table[number][0] for number in sorted(table)], columns


def _is_noisy(path: Path) -> bool:
    """Whether a table begins as one under noise; False for what is no table."""
    if path.suffix == PARQUET:
        return path.is_file() and _parquet_of(path)[0] == NOISY_COLUMNS
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.readline().decode("utf-8", "replace").rstrip() == ",".join(NOISY_COLUMNS)


def _from_csv(path: Path, columns: Columns) -> tuple[list[SweepRow], int]:
    """The rows of a file, and how many of its bytes are whole lines."""
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    header, begun = ",".join(columns), data.partition(b"\n")[0].decode("utf-8", "replace").strip()
    if begun != header if whole else not header.startswith(begun):
        raise SweepError(f"{path} is no table of {_kind(columns)}: give another name")
    lines = csv.DictReader(io.StringIO(data[:whole].decode("utf-8", "replace"), newline=""))
    try:
        return [_row(_without_quotes(line)) for line in lines], whole
    except (ValueError, TypeError, csv.Error) as error:
        raise SweepError(f"{path} is damaged ({str(error)[:100]}): give another name") from error


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


def _line(row: SweepRow, columns: Columns) -> str:
    text = io.StringIO()
    cells = ["" if value is None else _quoted(value) for value in (getattr(row, name) for name in columns)]
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


def _to_parquet(rows: Sequence[SweepRow], path: Path, names: Columns) -> None:
    import pyarrow as arrow
    from pyarrow import parquet

    kinds = {name: arrow.float64() for name in NUMBERS} | {"number": arrow.int64()}
    schema = arrow.schema([(name, kinds.get(name, arrow.string())) for name in names])
    columns = {name: [getattr(row, name) for row in rows] for name in names}
    parquet.write_table(arrow.table(columns, schema=schema), path)


def _from_parquet(path: Path, columns: Columns) -> list[SweepRow]:
    names, lines = _parquet_of(path)
    if names != columns:
        raise SweepError(f"{path} is no table of {_kind(columns)}: give another name to --out")
    try:
        return [_row(line) for line in lines]
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
