"""What this machine has, and the line that installs what is missing. Loads none of the packages that may be missing."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata

from teeter.games.exits import missing
from teeter.games.faults import teeter_version
from teeter.models.extras import install_line

TESTED = ((3, 11), (3, 12), (3, 13))
NO_BULLET = (3, 12)
"""The first Python that pybullet has no wheels for."""
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
    lines = [
        _own(),
        _python(),
        DoctorLine("system", f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"),
    ]
    lines += _try("engine", engines)
    for line in _requirements():
        extra = re.search(r"extra == .(\w+)", line)
        is_here = "python_version" not in line or sys.version_info < NO_BULLET
        if is_here and (extra is None or extra[1] not in COLLECTIONS):
            lines.append(_package(line.partition(";")[0].strip(), "" if extra is None else extra[1]))
    looks: tuple[tuple[str, Callable[[], DoctorLine]], ...] = (
        ("script of pages", page),
        ("font", font),
        ("renderer", renderer),
    )
    for what, look in looks:
        lines += _try(what, lambda look=look: [look()])  # type: ignore[misc]
    return [*lines, display(), *_try("tests", tools)]


def _requirements() -> list[str]:
    try:
        return metadata.requires("teeter") or []
    except metadata.PackageNotFoundError:
        return []


def _try(what: str, look: Callable[[], list[DoctorLine]]) -> list[DoctorLine]:
    """What a look finds, where the packages for it are here."""
    try:
        return look()
    except ImportError as error:
        return [
            DoctorLine(
                what, f"not looked at: {error}", "install the packages that are missing", is_needed=False
            )
        ]


def _own() -> DoctorLine:
    version = teeter_version()
    is_here = bool(_requirements())
    return DoctorLine(
        "teeter", version if is_here else "not installed", "" if is_here else "pip install . in its folder"
    )


def _python() -> DoctorLine:
    version = platform.python_version()
    tested = sys.version_info[:2] in TESTED
    return DoctorLine("python", version if tested else f"{version} (3.11, 3.12 and 3.13 are tested)")


def _package(requirement: str, extra: str) -> DoctorLine:
    """Whether a package is here. requirement: as `numpy<3,>=2.1`."""
    name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
    label = f"{name} ({extra})" if extra else name
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        version = ""
    return DoctorLine(
        label, version or "missing", "" if version else f"pip install '{requirement}'", is_needed=not extra
    )


def engines() -> list[DoctorLine]:
    """Which engine simulates here, and why."""
    from teeter.engine.settings import PACKAGES
    from teeter.engine.worlds import ENGINES, installed_engines

    there = installed_engines()
    if not there:
        return [DoctorLine("engine", "none: nothing can be simulated", install_line(PACKAGES[ENGINES[-1]]))]
    if there[0] == ENGINES[0]:
        return [DoctorLine("engine", f"{there[0]}: the default; another one with --engine", is_needed=False)]
    if sys.version_info >= NO_BULLET or sys.platform == "win32":
        why = "pybullet has no wheels for Python 3.12 and later, nor for Windows"
        return [DoctorLine("engine", f"{there[0]}: {why}", is_needed=False)]
    return [
        DoctorLine("engine", f"{there[0]}: pybullet is not installed", install_line(PACKAGES[ENGINES[0]]))
    ]


def page() -> DoctorLine:
    """Whether HTML pages can be written."""
    from teeter.engine.view.page.html import FOLDER, SCRIPT, STYLE

    missing = [name for name in (SCRIPT, STYLE) if not FOLDER.joinpath(name).is_file()]
    if missing:
        fix = "install teeter again, or run `make page` in a checkout"
        return DoctorLine("script of pages", f"missing: {', '.join(missing)}", fix)
    return DoctorLine("script of pages", "here")


def font() -> DoctorLine:
    """Whether the letters of windows, films and pictures are here."""
    fix = "pip install --force-reinstall font-source-sans-pro"
    try:
        from teeter.engine.view.opengl import ViewError
        from teeter.engine.view.window.fonts import FONT_FILES, font_folder

        missing = [name for name in FONT_FILES.values() if not (font_folder() / name).is_file()]
    except (ImportError, ViewError) as error:
        return DoctorLine("font", f"missing: {error}", fix)
    return DoctorLine(
        "font", f"missing: {', '.join(missing)}" if missing else "Source Sans Pro", fix if missing else ""
    )


def tools() -> list[DoctorLine]:
    """What the tests take from Debian, where they can be run."""
    from importlib.util import find_spec

    from teeter.engine.view.opengl import debian_packages

    if find_spec("pytest") is None or shutil.which("dpkg-query") is None:
        return []
    return [_debian(name, use) for name, use in debian_packages("test").items()]


def _debian(name: str, use: str) -> DoctorLine:
    asked = subprocess.run(
        ["dpkg-query", "-W", "-f", "${db:Status-Status}", name], capture_output=True, text=True, check=False
    )
    is_here = asked.stdout == "installed"
    fix = "" if is_here else f"sudo apt-get install --yes {name}"
    return DoctorLine(f"{name} (tests)", use if is_here else "missing", fix, is_needed=False)


def renderer() -> DoctorLine:
    """What draws pictures here: a graphics card, software GL, or nothing."""
    from teeter.engine.view.opengl import describe

    seen = describe()
    return DoctorLine("renderer", str(seen), seen.remedy)


def display() -> DoctorLine:
    """Whether a window can be opened here; everything but `teeter play` and `teeter view` works without."""
    named = os.environ.get("DISPLAY", "")
    if named:
        return DoctorLine("display", f"{named}: windows can be opened", is_needed=False)
    fix = "log in to a desktop, or sudo apt-get install --yes xvfb xauth and put xvfb-run before teeter"
    return DoctorLine("display", "none: no windows", fix, is_needed=False)


def as_json(lines: list[DoctorLine]) -> str:
    """The report as `--json` prints it."""
    rows = [
        {"what": line.what, "found": line.found, "fix": line.fix, "needed": line.is_needed} for line in lines
    ]
    return json.dumps({"ok": code_of(lines) == 0, "findings": rows}, indent=2)


def code_of(lines: list[DoctorLine]) -> int:
    """The exit code of `teeter doctor`: 1 when something that is needed is missing."""
    return int(any(line.is_needed and line.fix for line in lines))


def print_plainly(words: list[str], error: ModuleNotFoundError) -> int:
    """`teeter doctor` where its own packages are missing: the same lines. words: its options. error: what it could not
    load. Returns the exit code."""
    lines = findings()
    why = missing(error)
    name = str(error.name).partition(".")[0]
    if why and not any(line.what == name and line.fix for line in lines):
        # its metadata are here, and it is not
        lines.append(DoctorLine(name, why, install_line(name)))
    if "--json" in words:
        print(as_json(lines))
    else:
        for line in lines:
            print(f"{line.what}: {line.found}" + (f"  ({line.fix})" if line.fix else ""))
    return code_of(lines)
