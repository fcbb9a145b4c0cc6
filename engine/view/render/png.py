"""Writing pictures as PNG, with nothing but the standard library."""

import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from teeter.engine.view.opengl import ViewError
from teeter.models.files import whole_or_nothing


def png_of(picture: NDArray[np.uint8]) -> bytes:
    """Returns an (h, w, 3) picture, or one with opacity (h, w, 4), as the bytes of an 8 bit PNG file."""
    height, width, channels = picture.shape
    # each row is stored as its difference from the row above (filter 2): smooth pictures compress to half
    above = np.concatenate([np.zeros_like(picture[:1]), picture[:-1]])
    rows = np.empty((height, 1 + channels * width), dtype=np.uint8)
    rows[:, 0] = 2
    rows[:, 1:] = (picture - above).reshape(height, -1)
    head = struct.pack(">IIBBBBB", width, height, 8, {3: 2, 4: 6}[channels], 0, 0, 0)
    chunks = ((b"IHDR", head), (b"sRGB", b"\0"), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def save_png(picture: NDArray[np.uint8], path: Path, *, force: bool = False) -> None:
    """Writes an (h, w, 3) picture. force: a file that is there may be replaced. Raises ViewError for another ending,
    OutputError when it cannot be written."""
    if path.suffix.lower() != ".png":
        raise ViewError(f'{path}: pictures are written as .png (got "{path.suffix}")')
    with whole_or_nothing(path, force=force) as part:
        part.write_bytes(png_of(picture))
