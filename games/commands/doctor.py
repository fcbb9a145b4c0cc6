"""`teeter doctor`: what this machine has, and the line that installs what is missing."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from games.commands.console import Json, plain_table
from games.health import as_json as json_of
from games.health import code_of, findings


def run(as_json: Json = False) -> int:
    """Versions, the renderer found, and the line that installs what is missing."""
    found = findings()
    if as_json:
        print(json_of(found))
        return code_of(found)
    table = plain_table("what", "found", "to mend it")
    for finding in found:
        style = "red" if finding.fix and finding.is_needed else "dim" if finding.fix else ""
        table.add_row(*(Text(text, style) for text in (finding.what, finding.found, finding.fix)))
    Console().print(table)
    return code_of(found)
