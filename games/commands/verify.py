"""`teeter verify FILE`: a record played again, and compared."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from games.commands.console import OK, TOPPLES, UNSURE, print_json
from games.commands.progress import bar

DIFFERS, NOT_COMPARABLE = TOPPLES, UNSURE


def run(path: Path, as_json: bool) -> int:
    """Play a record again and say whether it agrees; the exit code. Raises RecordError."""
    from games.play.playback import verify

    with bar("playing again") as done:
        found = verify(path, done)
    if as_json:
        difference = None if found.difference is None else {"step": found.difference, "why": found.why}
        print_json(
            {
                "agrees": found.agrees,
                "comparable": found.comparable,
                "steps": found.steps,
                "first_difference": difference,
            }
        )
    elif found.agrees:
        Console().print(f"[green]agrees[/green]: {found.steps} steps simulated again, bit for bit")
    else:
        where = "" if found.difference is None else f" from step {found.difference} on"
        Console().print(f"[red]differs[/red]{where}: {found.why}", highlight=False)
        if not found.comparable:
            Console().print("It was recorded on another platform, where numbers may round differently.")
    if found.agrees:
        return OK
    return DIFFERS if found.comparable else NOT_COMPARABLE
