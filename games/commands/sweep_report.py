"""What a sweep found, in words and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from games.commands.console import print_json, teeter_version

if TYPE_CHECKING:
    from engine.topple.laboratory.sweep import SweepRow

WORDS = {
    "stands": "stand",
    "topples": "topple",
    "unsure": "at the edge",
    "overlaps": "taken",
    "apart": "with nothing below",
}


@dataclass(frozen=True, slots=True)
class Report:
    """name: of the scene, or the pattern of many; piece: None for many scenes. rows: all, safest: the best of them."""

    name: str
    piece: str | None
    rows: Sequence[SweepRow]
    safest: Sequence[SweepRow]
    out: Path | None
    plot: Path | None


def show(report: Report, as_json: bool) -> None:
    """Print it."""
    if as_json:
        print_json(to_json(report))
    else:
        _print(report)


def to_json(report: Report) -> dict[str, Any]:
    """The summary; without a table on file with all rows."""
    counts: Counter[str] = Counter(row.verdict for row in report.rows)
    words = ("stands", "topples", "unsure", "overlaps", "apart")
    return {
        "teeter": teeter_version(),
        "scene": report.name,
        "piece": report.piece,
        "rows": len(report.rows),
        "verdicts": {word: counts[word] for word in words},
        "judged_by": dict(sorted(Counter(row.judge for row in report.rows).items())),
        "best": [_json_row(row) for row in report.safest],
        "out": None if report.out is None else str(report.out),
        "table": [_json_row(row) for row in report.rows] if report.out is None else None,
    }


def _json_row(row: SweepRow) -> dict[str, Any]:
    return {name: value for name, value in asdict(row).items() if name != "key"}


def _print(report: Report) -> None:
    console = Console()
    counts = Counter(row.verdict for row in report.rows)
    what = "scenes" if report.piece is None else f"places of {escape(report.piece)}"
    told = ", ".join(f"{count} {WORDS[word]}" for word, count in counts.most_common())
    console.print(f"[bold]{escape(report.name)}[/bold]: {len(report.rows)} {what}: {told}.")
    if report.safest:
        console.print(_table(report))
    for path in (report.out, report.plot):
        if path is not None:
            console.print(f"wrote {path}", markup=False)


def _table(report: Report) -> Table:
    table = Table(title="The safest", title_justify="left", box=None, padding=(0, 2))
    if report.piece is None:
        table.add_column("scene")
    else:
        for label in ("x mm", "y mm", "yaw"):
            table.add_column(label, justify="right")
    table.add_column("can be tilted by", justify="right")
    table.add_column("goes first then")
    for row in report.safest:
        spot = [_short(row.x_mm), _short(row.y_mm), _short(row.yaw_deg)]
        where = [row.scene] if report.piece is None else spot
        tilt = "" if row.tilt_deg is None else f"{row.tilt_deg:.2f} degrees"
        table.add_row(*map(escape, where), tilt, escape(row.weakest or ""))
    return table


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")
