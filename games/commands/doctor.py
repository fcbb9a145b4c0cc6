"""`teeter doctor`: what this machine has, and the line that installs what is missing."""

from __future__ import annotations

import os
import platform
import re
import sys
from dataclasses import dataclass
from importlib import metadata

from rich.console import Console
from rich.text import Text

from games.commands.console import Json, plain_table, print_json, teeter_version

COLLECTIONS = ("all", "dev")
"""Extras made of other extras, and what only developing needs."""


@dataclass(frozen=True, slots=True)
class DoctorLine:
    """One line of the report. fix: the command that mends it, empty when nothing is wrong."""

    what: str
    found: str
    fix: str = ""
    is_needed: bool = True


def findings() -> list[DoctorLine]:
    """Everything that is looked at, in order."""
    found = [
        DoctorLine("teeter", teeter_version()),
        _python(),
        DoctorLine("system", f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"),
    ]
    for line in metadata.requires("teeter") or ():
        name, extra = re.match(r"[\w.-]+", line), re.search(r"extra == .(\w+)", line)
        if name is not None and (extra is None or extra[1] not in COLLECTIONS):
            found.append(_package(name[0], "" if extra is None else extra[1]))
    return [*found, renderer(), display()]


def _python() -> DoctorLine:
    version = platform.python_version()
    tested = "3.11 is the tested one"
    return DoctorLine("python", version if sys.version_info[:2] == (3, 11) else f"{version} ({tested})")


def _package(name: str, extra: str) -> DoctorLine:
    label = f"{name} ({extra})" if extra else name
    fix = f"pip install 'teeter[{extra}]'" if extra else "pip install teeter"
    try:
        return DoctorLine(label, metadata.version(name), is_needed=not extra)
    except metadata.PackageNotFoundError:
        return DoctorLine(label, "missing", fix, is_needed=not extra)


def renderer() -> DoctorLine:
    """What draws pictures here: a graphics card, software GL, or nothing."""
    from engine.view.opengl import describe

    seen = describe()
    return DoctorLine("renderer", str(seen), seen.remedy)


def display() -> DoctorLine:
    """Whether a window can be opened here; everything but `teeter play` and `teeter view` works without."""
    named = os.environ.get("DISPLAY", "")
    if named:
        return DoctorLine("display", f"{named}: windows can be opened", is_needed=False)
    fix = "log in to a desktop, or sudo apt-get install --yes xvfb xauth and put xvfb-run before teeter"
    return DoctorLine("display", "none: no windows", fix, is_needed=False)


def run(as_json: Json = False) -> int:
    """Versions, the renderer found, and the line that installs what is missing."""
    found = findings()
    missing = [finding for finding in found if finding.is_needed and finding.fix]
    if as_json:
        print_json(
            {
                "ok": not missing,
                "findings": [
                    {"what": each.what, "found": each.found, "fix": each.fix, "needed": each.is_needed}
                    for each in found
                ],
            }
        )
        return 1 if missing else 0
    table = plain_table("what", "found", "to mend it")
    for finding in found:
        style = "red" if finding.fix and finding.is_needed else "dim" if finding.fix else ""
        table.add_row(*(Text(text, style) for text in (finding.what, finding.found, finding.fix)))
    Console().print(table)
    return 1 if missing else 0
