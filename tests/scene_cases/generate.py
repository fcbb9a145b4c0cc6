"""Writes the shipped scenes and their table in the README: `python tests/scene_cases/generate.py`.

To add a scene, add a `Case` to `overhang_cases`, `other_cases` or `piece_cases` and run this. A test holds
the files to it.
"""

from __future__ import annotations

import math
import textwrap
from pathlib import Path

from case import Case
from other_cases import EGG
from other_cases import cases as other_cases
from overhang_cases import cases as overhang_cases
from piece_cases import cases as piece_cases

from teeter import scenes
from teeter.scenes.dump import compose
from teeter.scenes.schema import PieceTable

HERE = Path(scenes.__file__).resolve().parent
WRITTEN = "<!-- {}: written by tests/scene_cases/generate.py -->\n", "<!-- end of {} -->\n"
BEGIN, END = (each.format("scenes") for each in WRITTEN)


def cases() -> tuple[Case, ...]:
    """All shipped scenes, in the order of the README's table."""
    return (*overhang_cases(), *other_cases(), *piece_cases())


def files() -> dict[str, str]:
    """The text of every generated file, by its name."""
    return {f"{case.name}.toml": text_of(case) for case in cases()} | {"egg.obj": egg()}


def text_of(case: Case) -> str:
    """A scene as TOML: what to expect and why on top, then the tables."""
    settle = f" after --settle {case.settle_mm:g}" if case.settle_mm else ""
    said = textwrap.fill(f"{case.title}: {case.verdict}{settle}, because {case.why}.", 110)
    return compose(
        case.title, case.table, case.rows, case.expect, f"{said}\nWritten by tests/scene_cases/generate.py."
    )


def table() -> str:
    """The README's table of scenes, as Markdown."""
    lines = ["| scene | verdict | why |", "|---|---|---|"]
    for case in cases():
        settle = f" (`--settle {case.settle_mm:g}`)" if case.settle_mm else ""
        lines.append(f"| `{case.name}` | {case.verdict}{settle} | {case.why} |")
    return "\n".join(lines) + "\n"


def keys(of: type[PieceTable] = PieceTable) -> str:
    """The README's table of the keys of a piece, as Markdown."""
    lines = [f"| `{name}` | {field.description} |" for name, field in of.model_fields.items()]
    return "\n".join(["| key of a piece | means |", "|---|---|", *lines]) + "\n"


def readme(text: str) -> str:
    """The README with its tables up to date."""
    for what, rows in (("scenes", table()), ("keys", keys())):
        begin, end = (each.format(what) for each in WRITTEN)
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}{rows}{end}{rest.partition(end)[2]}"
    return text


def egg(around: int = 24, up: int = 12) -> str:
    """An ellipsoid of revolution as OBJ text, mm, one corner at each tip; see `EGG` for its size."""
    wide, high = EGG
    corners = [(0.0, 0.0, -high)]
    for ring in range(1, up):
        latitude = math.pi * ring / up
        radius = wide * math.sin(latitude)
        for step in range(around):
            angle = 2 * math.pi * step / around
            corners.append((radius * math.cos(angle), radius * math.sin(angle), -high * math.cos(latitude)))
    corners.append((0.0, 0.0, high))
    lines = ["# An egg, in mm. Written by tests/scene_cases/generate.py."]
    lines += [f"v {x:.6f} {y:.6f} {z:.6f}".replace("-0.000000", "0.000000") for x, y, z in corners]
    lines += [f"f {a} {b} {c}" for a, b, c in _egg_faces(around, up)]
    return "\n".join(lines) + "\n"


def _egg_faces(around: int, up: int) -> list[tuple[int, int, int]]:
    """Corner numbers from one, counter-clockwise seen from outside."""
    last = 2 + (up - 1) * around
    faces = []
    for step in range(around):
        after = (step + 1) % around
        faces.append((1, 2 + after, 2 + step))
        for ring in range(up - 2):
            lower, upper = 2 + ring * around, 2 + (ring + 1) * around
            faces.append((lower + step, lower + after, upper + after))
            faces.append((lower + step, upper + after, upper + step))
        faces.append((last, last - around + step, last - around + after))
    return faces


def main() -> None:
    """Write all files into the package `scenes`."""
    for name, text in files().items():
        (HERE / name).write_text(text, encoding="utf-8")
    page = HERE / "README.md"
    page.write_text(readme(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
