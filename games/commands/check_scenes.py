"""`teeter check --scenes FOLDER`: a whole folder of designs, one table, one exit code."""

from __future__ import annotations

import glob
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from teeter.games.commands.console import OK, TOPPLES, UNSURE, bar, plain_table, print_json, refuse
from teeter.games.faults import teeter_version

if TYPE_CHECKING:
    from teeter.games.api.checker import Checker
    from teeter.games.api.many import ManyResult
    from teeter.games.commands.scene_request import SceneRequest
    from teeter.scenes.scene import Scene

NO_SCENES = (".json",)
"""What other programs write scenes in, and everybody all kinds of things: read where it is named."""
WORST = (("topples", TOPPLES), ("unsure", UNSURE), ("stands", OK))
"""Verdicts and exit codes, the worst first."""


def run(words: str, request: SceneRequest, checker: Checker, *, as_json: bool) -> int:
    """Check every scene of a folder or a pattern. Exit code 1: some topple, 3: some are unsure and none topples, 0: all
    stand. request: how each is read."""
    from teeter.games.api.scene import PublicScene

    scenes = _load_all(words, request)
    with bar("scenes") as progress:
        results = checker.check_many([PublicScene(scene) for scene in scenes.values()], progress=progress)
    counts: Counter[str] = Counter(row.word for row in results.rows)
    word, code = next((word, code) for word, code in WORST if counts[word])
    if as_json:
        print_json(_json(list(scenes), results, word, counts))
    else:
        is_folder = Path(words).is_dir()
        _print([os.path.relpath(name, words) if is_folder else name for name in scenes], results, counts)
    return code


def files_of(words: str) -> list[Path]:
    """Returns the scene files of a folder and of those in it that are not hidden, or those of a pattern such as
    `designs/**/*.toml`, sorted."""
    from teeter.scenes.load import FORMATS, MESHES

    if not Path(words).is_dir():
        return [Path(name) for name in sorted(glob.glob(words, recursive=True))]
    endings = {".toml", *MESHES, *FORMATS} - {*NO_SCENES}
    paths = (path for path in Path(words).rglob("*") if path.suffix.lower() in endings and path.is_file())
    return sorted(path for path in paths if not any(p[0] == "." for p in path.relative_to(words).parts))


def _load_all(words: str, request: SceneRequest) -> dict[str, Scene]:
    """The scenes by file. All that cannot be read are told at once; a mesh that a scene is made of is no design."""
    from teeter.models.errors import TeeterError

    files = files_of(words)
    if not files:
        refuse(
            f"--scenes = {words}: {'no scene is in it' if Path(words).is_dir() else 'no file has such a name'}"
        )
    scenes: dict[Path, Scene] = {}
    wrong = []
    parts: set[Path] = set()
    # those that may be made of others first
    for path in sorted(files, key=lambda path: (path.suffix.lower() != ".toml", path)):
        if path.resolve() in parts:
            continue
        try:
            scenes[path] = request.loaded(str(path))
        except (TeeterError, OSError) as error:
            wrong.append(str(error))
            continue
        parts |= {file.resolve() for file in scenes[path].files if file.resolve() != path.resolve()}
    if wrong:
        refuse("\n".join(wrong))
    return {str(path): scenes[path] for path in sorted(scenes)}


def _json(names: list[str], results: ManyResult, word: str, counts: Counter[str]) -> dict[str, Any]:
    return {
        "teeter": teeter_version(),
        "verdict": word,
        "counts": {word: counts[word] for word, _ in WORST},
        "scenes": [
            {
                "scene": name,
                "verdict": row.word,
                "tilt_deg": None if row.tilt_deg is None else round(row.tilt_deg, 5),
                "first": row.first,
            }
            for name, row in zip(names, results.rows, strict=True)
        ],
    }


def _print(names: list[str], results: ManyResult, counts: Counter[str]) -> None:
    table = plain_table("scene", "verdict", "tilt margin", "first to fall", right=("tilt margin",))
    for name, row in zip(names, results.rows, strict=True):
        tilt = f"{row.tilt_deg:.2f} degrees" if row.word == "stands" and row.tilt_deg is not None else ""
        table.add_row(escape(name), row.word, tilt, escape(row.first or ""))
    console = Console()
    console.print(table)
    stand, topple = counts["stands"], counts["topples"]
    said = [f"{stand} stand{'s' * (stand == 1)}", f"{topple} topple{'s' * (topple == 1)}"]
    said += [f"{counts['unsure']} unsure"] if counts["unsure"] else []
    console.print(f"{len(names)} scene{'s' * (len(names) != 1)}: {', '.join(said)}", highlight=False)
