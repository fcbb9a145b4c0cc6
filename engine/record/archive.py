"""The packed recording: a zip that is the same bytes for the same contents, and is trusted in nothing when read."""

import io
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from numpy.typing import NDArray

from teeter.engine.record.format import (
    ENTRIES,
    EVENTS,
    HASHES,
    JOURNAL,
    MAX_BYTES,
    MAX_BYTES_OF,
    MAX_CHECKPOINTS,
    MAX_ENTRIES,
    MAX_FRAMES,
    MAX_TEXT_BYTES,
    MAX_TRACK_BYTES,
    META,
    POSES,
    STATES,
    STEPS,
    TRACK,
    Contents,
    RecordError,
    array_of,
    is_digest,
    is_step,
    npy_of,
    parse,
)
from teeter.engine.record.meta import read as read_meta
from teeter.models.errors import quote

COMPRESSION = 8
"""Level of deflate: a twelfth smaller than the usual 6, for a second more in five minutes of a game."""
CHUNK = 1 << 20
"""Bytes that are unpacked in one go."""
LOCAL, END = struct.Struct("<4s5H3L2H"), struct.Struct("<4s4H2LH")
"""What stands before an entry of a zip, and at its end."""
_TEXTS = (META, JOURNAL, EVENTS, HASHES)
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
)
"""What zipfile raises for files that are none or are cut off."""


def write(contents: Contents, stream: IO[bytes]) -> None:
    """Pack contents. The order, the times and the modes of the entries are fixed."""
    hashes = [{"sha256": digest, "step": step} for step, digest in contents.hashes]
    entries = {
        META: contents.meta,
        JOURNAL: contents.journal,
        EVENTS: contents.events,
        TRACK: _npz(contents.steps, contents.poses),
        STATES: _npz(contents.state_steps, contents.state_poses),
        HASHES: json.dumps(hashes, indent=1).encode("ascii"),
    }
    _pack(entries, stream)


def read(path: Path) -> Contents:
    """Returns the contents of a packed recording. Raises RecordError for anything but one."""
    file = str(path)
    try:
        with path.open("rb") as stream, _opened(stream, ENTRIES, file, "") as packed:
            texts = {name: packed.read(name) for name in _TEXTS}
            # read through the outer zip: what is unpacked is never in memory packed too
            with packed.open(TRACK) as inner, _opened(inner, (STEPS, POSES), file, TRACK) as arrays:
                track = {name: _array(arrays, name) for name in (STEPS, POSES)}
            with packed.open(STATES) as inner, _opened(inner, (STEPS, POSES), file, STATES) as arrays:
                states = {name: _array(arrays, name) for name in (STEPS, POSES)}
    except OSError as error:
        raise RecordError(file, f"cannot be read: {error.strerror or error}") from None
    bodies = len(read_meta(texts[META], file).bodies)
    steps, poses = _arrays(track, "<f4", bodies, file, TRACK)
    state_steps, state_poses = _arrays(states, "<f8", bodies, file, STATES)
    hashes = _hashes(texts[HASHES], file)
    journal, events = texts[JOURNAL], texts[EVENTS]
    return Contents(
        texts[META], journal, events, steps, poses, state_steps, state_poses, hashes, is_complete=True
    )


def _npz(steps: NDArray[Any], poses: NDArray[Any]) -> bytes:
    stream = io.BytesIO()
    _pack({STEPS: npy_of(steps), POSES: npy_of(poses)}, stream)
    return stream.getvalue()


def _pack(entries: dict[str, bytes], stream: IO[bytes]) -> None:
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in entries.items():
            info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            info.create_system, info.external_attr = 3, 0o644 << 16
            packed = name.endswith(".npz")
            info.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
            archive.writestr(info, data, compresslevel=None if packed else COMPRESSION)


@contextmanager
def _opened(stream: IO[bytes], names: tuple[str, ...], file: str, place: str) -> Iterator[zipfile.ZipFile]:
    """A zip that has exactly these entries. Nothing is unpacked before all that is declared is checked."""
    try:
        _check_directory(stream, file, place)
        with zipfile.ZipFile(stream) as archive:
            _check_entries(archive.infolist(), names, file, place)
            _check_places(archive, stream, file, place)
            yield archive
    except _DAMAGED as error:
        problem = f"is damaged or not a recording: {quote(str(error))}"
        raise RecordError(file, problem, place) from None


def _array(archive: zipfile.ZipFile, name: str) -> memoryview:
    """Returns the bytes of an array. Read in one go, a packed entry takes twice its size for a moment."""
    buffer = memoryview(bytearray(archive.getinfo(name).file_size))
    count = 0
    with archive.open(name) as stream:
        while got := stream.read(CHUNK):
            buffer[count : count + len(got)] = got
            count += len(got)
    if count < len(buffer):
        raise EOFError(f"{name} ends after {count} of {len(buffer)} bytes")
    return buffer


def _check_directory(stream: IO[bytes], file: str, place: str) -> None:
    """Refuse a directory of too many entries before zipfile reads it whole.

    The end of a recording is that of its zip, without a comment: in what is cut off one would find the end of an
    inner zip.
    """
    size = stream.seek(0, os.SEEK_END)
    if size > MAX_BYTES:
        problem = f"has {size / 1e6:.0f} MB; a recording has at most {MAX_BYTES / 1e6:.0f} MB"
        raise RecordError(file, problem, place)
    stream.seek(max(0, size - 42))
    tail = stream.read()
    end = tail[-22:]
    if not (len(end) == 22 and end.startswith(b"PK\x05\x06") and end.endswith(b"\0\0")):
        raise RecordError(file, "is not a recording: a .teeter file is a zip, this is none or cut off", place)
    count, length = int.from_bytes(end[10:12], "little"), int.from_bytes(end[12:16], "little")
    # the marker of a zip64, whose real numbers stand elsewhere, comes 20 bytes before the end
    if count > MAX_ENTRIES or length > 65536 or tail[:-22].startswith(b"PK\x06\x07"):
        problem = f"is a zip of more than {MAX_ENTRIES} entries or 4 GB; a recording has {len(ENTRIES)}"
        raise RecordError(file, problem, place)


def _check_entries(infos: list[zipfile.ZipInfo], names: tuple[str, ...], file: str, place: str) -> None:
    allowed = ", ".join(names)
    for info in infos:
        if info.filename not in names:
            raise RecordError(file, f"has an entry {quote(info.filename)}; allowed are {allowed}", place)
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.flag_bits & 1:
            raise RecordError(file, f"{info.filename} is encrypted or packed in an unknown way", place)
        most = MAX_BYTES_OF.get(info.filename, MAX_TEXT_BYTES)
        if info.filename in _TEXTS and info.file_size > most:
            problem = f"{info.filename} unpacks to {info.file_size} bytes; at most {most} are allowed"
            raise RecordError(file, problem, place)
    entries = [info.filename for info in infos]
    missing = [name for name in names if name not in entries]
    if missing or len(entries) > len(names):
        words = f"has no entry {missing[0]}" if missing else "has an entry twice"
        raise RecordError(file, f"{words}; there must be one each of {allowed}", place)
    total = sum(info.file_size for info in infos)
    if total > MAX_BYTES:
        raise RecordError(file, f"unpacks to {total} bytes; at most {MAX_BYTES} are allowed", place)


def _check_places(archive: zipfile.ZipFile, stream: IO[bytes], file: str, place: str) -> None:
    """Refuse what programs that read a zip in other ways would take for other entries: from its beginning, or by the
    extra fields of its entries. What is written here has none of these, and nothing between its entries."""
    ends, infos = 0, archive.infolist()
    for info in sorted(infos, key=lambda info: info.header_offset):
        stream.seek(info.header_offset)
        header = stream.read(LOCAL.size)
        if info.header_offset != ends or len(header) < LOCAL.size:
            raise RecordError(file, f"other bytes stand before its entry {info.filename}", place)
        _, _, flags, method, _, _, *told, name, extra = LOCAL.unpack(header)
        here = [info.compress_type, info.CRC, info.compress_size, info.file_size, len(info.filename), 0, 0]
        if [method, *told, name, extra, flags] != here or info.flag_bits or info.extra or info.comment:
            raise RecordError(
                file,
                f"its entry {info.filename} is not packed as teeter does it: other programs may find another one there",
                place,
            )
        ends = info.header_offset + LOCAL.size + name + info.compress_size
    stream.seek(-END.size, os.SEEK_END)
    _, *disks, one, all_of_them, _, begin, _ = END.unpack(stream.read(END.size))
    if archive.start_dir != ends or [*disks, one, all_of_them, begin] != [0, 0, len(infos), len(infos), ends]:
        raise RecordError(file, "other bytes stand before its directory", place)


def _arrays(
    entries: dict[str, memoryview], dtype: str, bodies: int, file: str, place: str
) -> tuple[NDArray[Any], NDArray[Any]]:
    steps = array_of(entries[STEPS], "<i8", (None,), file, f"{place}/{STEPS}")
    poses = array_of(entries[POSES], dtype, (None, bodies, 7), file, f"{place}/{POSES}")
    # thinned evenly, a track may have a frame more than fits
    if place == TRACK and poses.nbytes > MAX_TRACK_BYTES + poses[:1].nbytes:
        problem = (
            f"has {poses.nbytes} bytes of poses; a track is thinned to {MAX_TRACK_BYTES} when it is packed"
        )
        raise RecordError(file, problem, place)
    if place == TRACK and len(poses) > MAX_FRAMES + 1:
        problem = f"has {len(poses)} frames; a track is thinned to {MAX_FRAMES} when it is packed"
        raise RecordError(file, problem, place)
    if len(steps) != len(poses):
        raise RecordError(file, f"has {len(steps)} steps and {len(poses)} poses, must be as many", place)
    return steps, poses


def _hashes(text: bytes, file: str) -> tuple[tuple[int, str], ...]:
    data = parse(text, file, HASHES)
    if not isinstance(data, list):
        raise RecordError(file, f"is {quote(data)}, must be a list", HASHES)
    if len(data) > MAX_CHECKPOINTS:
        raise RecordError(file, f"has {len(data)} checkpoints; at most {MAX_CHECKPOINTS} are allowed", HASHES)
    hashes: list[tuple[int, str]] = []
    for number, row in enumerate(data):
        step, digest = (row.get("step"), row.get("sha256")) if isinstance(row, dict) else (None, None)
        if not (is_step(step) and is_digest(digest) and len(row) == 2):
            problem = f"[{number}] is {quote(row)}, must be {{step, sha256}} with a step and 64 hex digits"
            raise RecordError(file, problem, HASHES)
        hashes.append((step, digest))
    return tuple(hashes)
