"""`teeter play --host`: a game that others join in their browsers. The terminal shows links, a QR code, the story."""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING, NoReturn

from teeter.games.commands.console import Terminated, exit_on_interrupt, refuse
from teeter.models.extras import install_line

if TYPE_CHECKING:
    from teeter.games.host.links import Links
    from teeter.games.server.messages import Plan

OPTION = "--host"
DEFAULT = "default"
"""What `--host` stands for without an address: loopback, or where the game was hosted before."""


MAX_LINES = 1000
"""That wait for a terminal which takes none."""
LAST_WORDS_S = 1.0
"""Seconds for which they are waited for at the end."""
NOT_ENCRYPTED = (
    "The connection is not encrypted: who can read this network can read the links and the game. "
    "Elsewhere than at home, host on 127.0.0.1 behind a tunnel with HTTPS, such as ssh -R."
)


def with_address(words: Sequence[str]) -> list[str]:
    """Returns the words of a command line, with an address after a `--host` that has none. An address has a dot or a
    colon, as `0.0.0.0`, `:8377` and `box.local` do, or is `localhost`; names of games have none."""
    arguments: list[str] = []
    for at, word in enumerate(words):
        arguments.append(word)
        if word == OPTION:
            after = words[at + 1] if at + 1 < len(words) else ""
            is_address = after == "localhost" or "." in after or ":" in after
            if not is_address or after.startswith("-"):
                arguments.append(DEFAULT)
    return arguments


def host_game(plan: Plan, where: str) -> NoReturn:
    """Host a game until Ctrl-C. where: an address, or `DEFAULT`. Raises LinksError, SetupError, RecordError."""
    try:
        from teeter.games.host import links, server, table
    except ImportError as error:
        refuse(f"hosting needs the package {error.name}: {install_line(error.name or 'websockets')}")
    from teeter.games.server.messages import Broken
    from teeter.games.server.setup import first_view, left_as
    from teeter.models.files import OutputError

    # a window that is closed hangs up on the physics too, which inherit this
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    terminal = Terminal()
    say = terminal.say
    opening = first_view(plan)
    if (outcome := opening.game.rules.outcome(opening.state)) is not None:
        refuse(
            f"{plan.file}: this game is over ({outcome.reason.text}); `teeter replay {plan.file}` shows it"
        )
    invites = None
    if plan.resume is not None and plan.file is not None:
        invites = links.load(plan.file, plan.seed)
    if invites is None:
        file = None if plan.file is None else links.file_of(plan.file, plan.seed)
        # a game that others dealt has no links of ours: its seed may be known, however long
        invites = links.Links(links.Address(), is_drawn=plan.is_drawn, file=file)
    try:
        invites.save()
    except OutputError as error:
        say(f"The links are not kept, and change when the game is hosted again: {error}")
        invites.file = None
    if where != DEFAULT:
        address = links.parse_address(where)
        # a port that was not said is the one that is known to the others
        is_said = ":" in where.rpartition("]")[2]
        invites.address = address if is_said else replace(address, port=invites.address.port)

    def show(ready: Links) -> None:
        say(_links_text(ready, is_kept=plan.file is not None))

    try:
        end, plan = server.run(table.Hosting(plan, opening, invites, say, show))
    finally:
        terminal.close()
    if isinstance(end, Broken) and end.is_crash:
        raise RuntimeError(end.why)
    if isinstance(end, Broken):
        refuse(end.why)
    hint = left_as(plan.file, " --host" + ("" if where == DEFAULT else f" {invites.address.text}"))
    exit_on_interrupt(Terminated() if end is signal.SIGTERM else KeyboardInterrupt(), hint)


def _links_text(links: Links, *, is_kept: bool) -> str:
    """The links, and a QR code of that for seats."""
    import segno

    address = links.address
    said = StringIO()
    for label, secret in (
        ("You, the host", links.host),
        ("Seats", links.seats),
        ("Looking on", links.spectators),
    ):
        print(f"{label}: {address.url(secret)}", file=said)
    if (getattr(sys.stdout, "encoding", "") or "").lower().startswith("utf"):
        segno.make(address.url(links.seats), error="l").terminal(said, compact=True)
    if address.is_local:
        print("Only this machine reaches it; `--host 0.0.0.0` lets others in.", file=said)
    else:
        print(NOT_ENCRYPTED, file=said)
    print("Ctrl-C ends it; what was played is kept." if is_kept else "Ctrl-C ends it.", file=said, end="")
    return said.getvalue()


class Terminal:
    """Standard output, which may be closed, full or stuck: a thread writes, and what it cannot take is dropped. The
    game goes on."""

    def __init__(self) -> None:
        self._lines: queue.Queue[str | None] = queue.Queue(MAX_LINES)
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def say(self, line: str) -> None:
        """Prints a line as soon as the terminal takes it; never waits, never fails."""
        with suppress(queue.Full):
            self._lines.put_nowait(line)

    def close(self) -> None:
        """Gives the terminal a moment for what is left."""
        with suppress(queue.Full):
            self._lines.put_nowait(None)
        self._thread.join(LAST_WORDS_S)

    def _write(self) -> None:
        while (line := self._lines.get()) is not None:
            try:
                print(line, flush=True)
            except (OSError, ValueError, AttributeError):
                # closed or full: what is in its buffer would be tried again, and complained of at the end
                sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
