"""What `teeter sweep` says: the summary, the safest places, and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from teeter.games.commands.console import plain_table
from teeter.games.commands.sweep_request import SweepRequest
from teeter.games.faults import teeter_version

if TYPE_CHECKING:
    from rich.table import Table

    from teeter.engine.topple.laboratory.sweep import SweepRow

WORDS = {
    "stands": "stand",
    "topples": "topple",
    "unsure": "at the edge",
    "overlaps": "taken",
    "apart": "with nothing below",
}


@dataclass(frozen=True, slots=True)
class SweepReport:
    """request: what was asked. name: of the scene, or the pattern of many. rows: all, safest: the best of them."""

    request: SweepRequest
    name: str
    rows: Sequence[SweepRow]
    safest: Sequence[SweepRow]


def to_json(report: SweepReport) -> dict[str, Any]:
    """The summary; without a table on file with all rows."""
    counts: Counter[str] = Counter(row.verdict for row in report.rows)
    return {
        "teeter": teeter_version(),
        "scene": report.name,
        "piece": report.request.piece,
        "rows": len(report.rows),
        "verdicts": {word: counts[word] for word in WORDS},
        "judged_by": dict(sorted(Counter(row.judge for row in report.rows).items())),
        "best": [_json_row(row) for row in report.safest],
        "out": None if report.request.out is None else str(report.request.out),
        "table": [_json_row(row) for row in report.rows] if report.request.out is None else None,
    }


def _json_row(row: SweepRow) -> dict[str, Any]:
    return {name: value for name, value in asdict(row).items() if name != "key"}


def print_report(report: SweepReport) -> None:
    """Print how many rows have each verdict, and the safest places."""
    console = Console()
    counts = Counter(row.verdict for row in report.rows)
    what = "scenes" if report.request.piece is None else f"places of {escape(report.request.piece)}"
    summary = ", ".join(f"{count} {WORDS[word]}" for word, count in counts.most_common())
    console.print(f"[bold]{escape(report.name)}[/bold]: {len(report.rows)} {what}: {summary}.")
    if report.safest:
        console.print(_table(report))
    for path in (report.request.out, report.request.page):
        if path is not None:
            console.print(f"wrote {path}", markup=False)


def _table(report: SweepReport) -> Table:
    request = report.request
    numbers: tuple[str, ...] = ("x mm", "y mm", "yaw", "can be tilted by")
    where = numbers[:3] if request.piece is not None else ("scene",)
    chance = () if request.noise is None else (f"stands in, of {request.copies}",)
    numbers += chance
    table = plain_table(*where, numbers[3], "goes first then", *chance, right=numbers, title="The safest")
    for row in report.safest:
        spot = [_short(row.x_mm), _short(row.y_mm), _short(row.yaw_deg)]
        tilt = "" if row.tilt_deg is None else f"{row.tilt_deg:.2f} degrees"
        table.add_row(
            *map(escape, [row.scene] if report.request.piece is None else spot),
            tilt,
            escape(row.weakest or ""),
            *([_share(row)] if chance else []),
        )
    return table


def _share(row: SweepRow) -> str:
    if row.chance is None or row.chance_low is None or row.chance_high is None:
        return ""
    return f"{100 * row.chance:.0f} % ({100 * row.chance_low:.0f} to {100 * row.chance_high:.0f})"


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")
