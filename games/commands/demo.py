"""`teeter demo`: the main job, in a minute and without a screen."""

from __future__ import annotations

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.table import Table

from games.commands.check import COLOUR, Request, verdict_of
from games.commands.console import OK

SCENES = ("arch", "leaning_tower", "tower_gone")


def show() -> int:
    """Check three scenes and print the verdicts as a table."""
    table = Table(title="Would it topple?", title_justify="left", show_lines=True)
    for heading in ("scene", "verdict", "what the check says"):
        table.add_column(heading)
    errors = Console(stderr=True)
    # without its thread, which would keep the checks from forking their workers
    with Progress(
        SpinnerColumn(), TextColumn("{task.description}"), console=errors, transient=True, auto_refresh=False
    ) as progress:
        task = progress.add_task("")
        for name in SCENES:
            progress.update(task, description=f"checking {name}", refresh=True)
            table.add_row(*_row(name))
    console = Console()
    console.print(table)
    console.print(f"Look closer with [bold]teeter check {SCENES[0]}[/bold], or at your own scene file.")
    return OK


def _row(name: str) -> tuple[str, str, str]:
    from engine.topple.words import headline, newtons

    verdict = verdict_of(Request(name))
    statics, colour = verdict.statics, COLOUR[verdict.word]
    lines = [headline(verdict)]
    if statics.stands and statics.tilt_deg is not None:
        push = f" or a push of {newtons(statics.push_n)}" if statics.push_n is not None else ""
        lines.append(
            f"{statics.tilt_deg:.2f} degrees of tilt{push} would topple it; {statics.weakest} is weakest."
        )
    lines.append(f"[dim]{verdict.wall:.1f} s[/dim]")
    return name, f"[{colour}]{verdict.word}[/{colour}]", "\n".join(lines)
