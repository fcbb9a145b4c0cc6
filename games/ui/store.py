"""Where games are kept that nobody gave a file for, and those that can be gone on with."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

LISTED = 8
"""Games that the menu shows."""
SUFFIX = ".teeter"
PART = ".teeter.part"


@dataclass(frozen=True, slots=True)
class Kept:
    """A game on file. when: it was played last, to be read."""

    file: Path
    when: str


def folder() -> Path:
    """The folder of a person's games."""
    named = os.environ.get("XDG_DATA_HOME")
    return (Path(named) if named else Path.home() / ".local" / "share") / "teeter" / "games"


def new_file(game: str, seed: int) -> Path | None:
    """A file for a new game that no other game has; None where nothing can be written: then it is not kept."""
    try:
        folder().mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    if not os.access(folder(), os.W_OK):
        return None
    number = 1
    while True:
        file = folder() / f"{game}-{seed}-{number}{SUFFIX}"
        if not file.exists() and not file.with_name(file.name + ".part").exists():
            return file
        number += 1


def saved() -> tuple[Path, ...]:
    """Games that were kept, the one played last first."""
    if not folder().is_dir():
        return ()
    found = {path.with_name(path.name.removesuffix(".part")) for path in folder().iterdir() if _is_game(path)}
    return tuple(sorted(found, key=lambda path: (-_time(path), path.name)))


def unfinished() -> tuple[Path, ...]:
    """Those of them that have not ended."""
    from engine.record.format import RecordError
    from engine.record.reader import load
    from games.play.playback import found

    going: list[Path] = []
    for path in saved():
        try:
            outcome = load(found(path)).meta.outcome or {}
        except (RecordError, OSError):
            continue
        if outcome.get("ended") is not True:
            going.append(path)
        if going:
            break
    return tuple(going)


def kept() -> tuple[Kept, ...]:
    """The games played last, to be watched."""
    return tuple(
        Kept(path, time.strftime("%Y-%m-%d %H:%M", time.localtime(_time(path)))) for path in saved()[:LISTED]
    )


def _is_game(path: Path) -> bool:
    return path.name.endswith((SUFFIX, PART))


def _time(path: Path) -> float:
    both = (path, path.with_name(path.name + ".part"))
    return max((each.stat().st_mtime for each in both if each.exists()), default=0.0)
