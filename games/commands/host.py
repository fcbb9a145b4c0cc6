"""`teeter play --host`: a game that others join in their browsers. The terminal shows links, a QR code, the story."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from rich.console import Console

from games.commands.console import Terminated, refuse, stopped

if TYPE_CHECKING:
    from games.host.links import Links
    from games.ui.messages import Plan

OPTION = "--host"
DEFAULT = "default"
"""What `--host` stands for without an address: loopback, or where the game was hosted before."""


def with_address(words: Sequence[str]) -> list[str]:
    """Returns the words of a command line, with an address after a `--host` that has none. An address has a dot or a
    colon, as `0.0.0.0`, `:8377` and `box.local` do, or is `localhost`; names of games have none."""
    found: list[str] = []
    for at, word in enumerate(words):
        found.append(word)
        if word == OPTION:
            after = words[at + 1] if at + 1 < len(words) else ""
            is_address = after == "localhost" or "." in after or ":" in after
            if not is_address or after.startswith("-"):
                found.append(DEFAULT)
    return found


def host_game(plan: Plan, where: str) -> NoReturn:
    """Host a game until Ctrl-C. where: an address, or `DEFAULT`. Raises LinksError, SetupError, RecordError."""
    try:
        from games.host import links, server, table
    except ImportError as error:
        refuse(f"hosting needs the package {error.name}: pip install 'teeter[host]'")
    from games.ui.messages import Broken
    from games.ui.setup import first_view

    console = Console()

    def say(line: str) -> None:
        console.print(line, highlight=False, markup=False)

    opening = first_view(plan)
    found = links.load(plan.file) if plan.resume is not None and plan.file is not None else None
    if found is None:
        found = links.Links(links.Address(), file=None if plan.file is None else links.file_of(plan.file))
    if where != DEFAULT:
        address = links.parse_address(where)
        # a port that was not said is the one that is known to the others
        is_said = ":" in where.rpartition("]")[2]
        found.address = address if is_said else replace(address, port=found.address.port)
    end = server.run(table.Hosting(plan, opening, found, say, lambda ready: _show(console, ready)))
    if isinstance(end, Broken) and end.is_crash:
        raise RuntimeError(end.why)
    if isinstance(end, Broken):
        refuse(end.why)
    hint = f"; go on with: teeter play --resume {plan.file} --host" if plan.file is not None else ""
    stopped(Terminated() if end is signal.SIGTERM else KeyboardInterrupt(), hint)


def _show(console: Console, links: Links) -> None:
    """Print the links, and a QR code of that for seats."""
    import segno

    address = links.address
    for label, secret in (
        ("You, the host", links.host),
        ("Seats", links.seats),
        ("Looking on", links.spectators),
    ):
        # a link is copied as a whole, however narrow the terminal
        console.print(f"{label}: {address.url(secret)}", highlight=False, markup=False, soft_wrap=True)
    if (sys.stdout.encoding or "").lower().startswith("utf"):
        segno.make(address.url(links.seats), error="l").terminal(sys.stdout, compact=True)
    if address.is_local:
        console.print("Only this machine reaches it; `--host 0.0.0.0` lets others in.", highlight=False)
    console.print("Ctrl-C ends it; what was played is kept.", highlight=False)
    sys.stdout.flush()
