"""A verdict as the command line prints it: a box with its headline, its facts, and how surely it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from engine.topple.laboratory.noise import Chance
    from engine.topple.verdict import Verdict

COLOUR = {"stands": "green", "topples": "red", "unsure": "yellow"}
NAMED = 4
"""Pieces named that go first, at most."""


def panel(verdict: Verdict, chance: Chance | None = None) -> Panel:
    """The verdict as people read it."""
    from engine.topple.words import headline, rows

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", justify="right")
    grid.add_column()
    for label, text in [*rows(verdict), *(noise_rows(chance) if chance is not None else [])]:
        grid.add_row(label, text)
    colour = COLOUR[verdict.word]
    title = Text.assemble(
        (f" {verdict.word.upper()} ", f"bold white on {colour}"), "  ", (verdict.scene, "bold")
    )
    return Panel(Group(headline(verdict), "", grid), title=title, title_align="left", border_style=colour)


def noise_rows(found: Chance) -> list[tuple[str, str]]:
    """How surely it stands, in words, as (label, text)."""
    least, most = 100 * found.low, 100 * found.high
    text = (
        f"stood {found.stood} of {found.samples} noisy copies: {100 * found.share:.1f} %, "
        f"with 95 % confidence {least:.1f} to {most:.1f} %"
    )
    lines = [("how surely", text)]
    if found.first:
        falls = found.samples - found.stood
        named = [f"{name} in {count} of {falls} falls" for name, count in list(found.first.items())[:NAMED]]
        lines.append(("goes first", ", ".join(named)))
    return lines
