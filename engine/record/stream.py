"""A file that only grows, with a buffer of its own: what could not be written is kept and said, not lost twice."""

from __future__ import annotations

import os
from pathlib import Path

BUFFER = 1 << 20
"""Bytes that may wait in memory between boundaries."""


class Stream:
    """Appends to a new file, or with a length to what is left of one cut there. Every method may raise OSError."""

    def __init__(self, path: Path, length: int | None = None) -> None:
        self._file = path.open("xb" if length is None else "ab", buffering=0)
        if length is not None:
            self._file.truncate(length)
        self._waiting = bytearray()
        self._is_dirty = False
        self.length = length or 0
        """Bytes given so far, waiting ones too."""

    def add(self, data: bytes) -> None:
        """Append; written out when the buffer is full."""
        self._waiting += data
        self.length += len(data)
        if len(self._waiting) > BUFFER:
            self.flush()

    def flush(self) -> None:
        """Hand everything to the operating system: safe from the end of this process."""
        while self._waiting:
            count = self._file.write(self._waiting)
            del self._waiting[:count]
            self._is_dirty = True

    def sync(self) -> None:
        """Bring everything to the disk: safe from the end of the machine."""
        self.flush()
        if self._is_dirty:
            os.fsync(self._file.fileno())
            self._is_dirty = False

    def close(self) -> None:
        """Let the file go; what still waits is dropped. Closing twice is fine."""
        self._waiting.clear()
        self._file.close()
