"""Writes the manual page: `python docs/man.py > docs/teeter.1`. All of it is what the program says of itself."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import typer.main

from teeter.games.cli import COMMANDS, app

KINDS: dict[Any, str] = {
    float: "NUMBER",
    int: "NUMBER",
    str: "TEXT",
    list[str]: "TEXT",
    Path: "FILE",
    list[Path]: "FILE",
}
"""What an option takes."""
EXITS = (
    ("0", "Yes: it stands, agrees, is proven; or it is done."),
    ("1", "No: it topples, differs, is refused."),
    ("2", "Bad input: a line on standard error says what, where, and what to do."),
    ("3", "Unsure, or not verifiable here."),
    ("70", "A fault of the program or of the machine: no verdict."),
    ("130, 143", "Stopped by an interrupt, by SIGTERM."),
)


def roff(text: str) -> str:
    """Returns text for roff: nothing in it is a request, and hyphens can be copied into a shell."""
    plain = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    plain = re.sub(r"`([^`]*)`", lambda found: f"\\fB{found[1]}\\fR", plain)
    return f"\\&{plain}" if plain[:1] in (".", "'") else plain


def spelled(option: Any) -> str:
    """Returns an option as it is typed, with what it takes."""
    words = ", ".join(f"\\fB{roff(word)}\\fR" for word in (*option.opts, *option.secondary_opts))
    if option.is_flag:
        return words
    return f"{words} \\fI{roff(option.metavar or KINDS[option.type_descriptor.annotation])}\\fR"


def described(name: str, command: Any) -> list[str]:
    """Returns the lines about one command."""
    arguments = [each for each in command.params if each.param_type_name == "argument" and not each.hidden]
    options = [each for each in command.params if each.param_type_name == "option" and not each.hidden]
    words = [f"[{each.name.upper()}]" if not each.required else each.name.upper() for each in arguments]
    lines = [f".SS {roff(' '.join([name, *words]))}"]
    for paragraph in (command.help or "").split("\n\n"):
        lines += [roff(paragraph), ".PP"]
    for each in arguments:
        lines += [".TP", f"\\fI{roff(each.name.upper())}\\fR", roff(each.help or "What it is about.")]
    for each in options:
        default = f" By default {each.default}." if each.default and not each.is_flag else ""
        lines += [".TP", spelled(each), roff(f"{each.help or ''}{default}")]
    example = (command.epilog or "").partition("Example: ")[2]
    return (
        [*lines, ".PP", "Example:", ".PP", ".nf", f".RS\n{roff(example)}\n.RE", ".fi"] if example else lines
    )


def manual() -> str:
    """Returns the page as roff, of the `man` macros."""
    group: Any = typer.main.get_command(app)
    lines = [
        '.\\" made by docs/man.py of what the program says of itself',
        ".TH TEETER 1",
        ".SH NAME",
        roff(f"teeter - {(group.help or '').strip().rstrip('.')}"),
        ".SH SYNOPSIS",
        ".B teeter",
        "\\fICOMMAND\\fR [\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]",
    ]
    for panel, rows in COMMANDS.items():
        lines.append(f".SH {roff(panel).upper()}")
        for name, *_ in rows:
            lines += described(name, group.commands[name])
    lines.append(".SH EXIT STATUS")
    for code, meaning in EXITS:
        lines += [".TP", roff(code), roff(meaning)]
    lines += [".SH SEE ALSO", roff("`teeter COMMAND --help` prints the same of one command.")]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(manual())
