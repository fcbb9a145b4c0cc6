"""`teeter schema`: what `--json` prints, for programs."""

from __future__ import annotations

from typing import Annotated

import typer

from teeter.games.commands.console import OK, print_json, refuse

COMMANDS = (
    *("check", "steps", "scenes", "mend", "design", "probe", "sweep", "poses"),
    *("verify", "verify-certificate", "errors", "scene-list", "games", "rules", "models"),
    *("doctor", "bench", "play", "replay", "export", "video"),
)


def run(command: Annotated[str, typer.Argument(help=f"Whose: {', '.join(COMMANDS)}.")] = "check") -> int:
    """Print the JSON Schema of a command's --json output. Its version goes up when a key is removed."""
    if command not in COMMANDS:
        refuse(f"{command}: must be one of {', '.join(COMMANDS)}")
    from teeter.games.api.schema import schema

    print_json(schema(command))
    return OK
