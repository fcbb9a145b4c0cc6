"""`-` in the place of a file that is read: a scene in TOML, or a recording, from standard input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from teeter.models.errors import TeeterError

if TYPE_CHECKING:
    from teeter.scenes.reading import GivenText

STANDARD_INPUT = "-"
NAME = "standard input"
_kept: list[Path] = []
"""The file that it was written to, if any."""


class InputError(TeeterError):
    """Standard input that holds nothing, or too much; the message says which."""


def scene_of(source: str) -> str | GivenText:
    """Returns what `load` takes for a scene as typed: its file or name, or the text that stands for `-`. Raises
    InputError."""
    if source != STANDARD_INPUT:
        return source
    from teeter.scenes.reading import MAX_BYTES, GivenText

    return GivenText(_read(MAX_BYTES, "a scene"), NAME)


def recording_of(file: Path) -> Path:
    """Returns the file of a recording as typed; for `-` a temporary one, which goes with this process. Raises
    InputError and ScratchError."""
    if str(file) != STANDARD_INPUT:
        return file
    from teeter.engine.record.format import MAX_BYTES
    from teeter.engine.scratch import scratch_files, scratch_folder

    data = _read(MAX_BYTES, "a recording")
    with scratch_files():
        path = scratch_folder() / NAME
        path.write_bytes(data)
    _kept.append(path)
    return path


def renamed(message: str) -> str:
    """Returns a message in which that temporary file is called standard input."""
    return message.replace(str(_kept[0]), NAME) if _kept else message


def _read(most: int, what: str) -> bytes:
    stream = getattr(sys.stdin, "buffer", None)
    data = b"" if stream is None else stream.read(most + 1)
    if not data:
        raise InputError(f"{NAME} is empty: pipe {what} into it, or name a file")
    if len(data) > most:
        raise InputError(f"{NAME} holds more than the {most / 1e6:.0f} MB that {what} may have")
    return bytes(data)
