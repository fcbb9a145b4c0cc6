"""Zips that are none, are cut off, damaged, or larger than they say."""

from __future__ import annotations

import contextlib
import io
import os
import struct
import tempfile
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_record_hostile import changed, entries, good, said_of, text, zipped

from teeter.engine.record import archive
from teeter.engine.record.format import MAX_TEXT_BYTES, RecordError
from teeter.engine.record.reader import load


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK",
        b"teeter = 1\n",
        b"PK\x05\x06",
        b"\0" * 100000,
        b"PK\x05\x06" + b"\xff" * 18,
        b"x" + b"PK\x05\x06" * 9,
    ],
)
def test_what_is_no_zip(tmp_path: Path, data: bytes) -> None:
    assert "zip" in said_of(tmp_path, data) or "damaged" in said_of(tmp_path, data)


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5, 0.9, 0.99])
def test_what_is_cut_off(tmp_path: Path, share: float) -> None:
    cut = good()[: int(share * len(good()))]
    assert said_of(tmp_path, cut) == "is not a recording: a .teeter file is a zip, this is none or cut off"


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    bomb = changed(text("journal.jsonl", b"\n" * (MAX_TEXT_BYTES + 1)))
    assert len(bomb) < 200_000
    expected = f"journal.jsonl unpacks to {MAX_TEXT_BYTES + 1} bytes; at most {MAX_TEXT_BYTES} are allowed"
    assert said_of(tmp_path, bomb) == expected


def declared(data: bytes, name: str, size: int) -> bytes:
    """A zip that declares another size of an entry in its directory."""
    at = data.rindex(b"PK\1\2", 0, data.rindex(name.encode()))
    return data[: at + 24] + struct.pack("<I", size) + data[at + 28 :]


def test_declared_sizes_are_added_up(tmp_path: Path) -> None:
    assert "unpacks to 4000" in said_of(tmp_path, declared(good(), "track.npz", 4_000_000_000))
    inner = entries(good())
    inner["track.npz"] = declared(inner["track.npz"], "poses.npy", 4_000_000_000)
    words = said_of(tmp_path, zipped(inner))
    assert words.startswith("track.npz: unpacks to 4000")
    assert words.endswith("bytes; at most 300000000 are allowed")


def test_an_entry_larger_than_it_declares_is_damaged(tmp_path: Path) -> None:
    bomb = changed(text("journal.jsonl", b"\n" * 50_000_000))
    smaller = declared(bomb, "journal.jsonl", 10)
    assert (
        said_of(tmp_path, smaller)
        == "its entry journal.jsonl is not packed as teeter does it: other programs may find another one there"
    )
    at = smaller.index(b"journal.jsonl") - 30
    assert "damaged" in said_of(tmp_path, smaller[: at + 22] + struct.pack("<I", 10) + smaller[at + 26 :])


@pytest.mark.parametrize("more", [b"#!/bin/sh\n", b"\0" * 100, b"PK"])
def test_bytes_before_a_recording_or_after_it(more: bytes, tmp_path: Path) -> None:
    """A zip may have both; nobody would look at them."""
    assert said_of(tmp_path, more + good()) == "other bytes stand before its entry meta.json"
    assert said_of(tmp_path, good() + more).startswith("is not a recording: a .teeter file is a zip")
    assert said_of(tmp_path, good() + good()) == "other bytes stand before its entry meta.json"


def placed(hidden: bytes, at: str) -> bytes:
    """A recording with other bytes before an entry, of which its directory knows where it is, or before that."""
    data = bytearray(good())
    directory = int.from_bytes(data[-6:-2], "little")
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        place = directory if not at else opened.getinfo(at).header_offset
    row = directory
    while data[row : row + 4] == b"PK\1\2":
        (offset,) = struct.unpack_from("<I", data, row + 42)
        struct.pack_into("<I", data, row + 42, offset + len(hidden) * (bool(at) and offset >= place))
        row += 46 + sum(struct.unpack_from("<3H", data, row + 28))
    struct.pack_into("<I", data, len(data) - 6, directory + len(hidden))
    return bytes(data[:place] + hidden + data[place:])


@pytest.mark.parametrize("at", ["journal.jsonl", ""])
def test_an_entry_that_its_directory_does_not_name(at: str, tmp_path: Path) -> None:
    """Whoever reads a zip from its beginning finds it."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as opened:
        opened.writestr("meta.json", b'{"outcome":{"winners":["Ben"]}}')
        ends = opened.fp.tell() if opened.fp else 0
    hidden = stream.getvalue()[:ends]
    assert zipfile.ZipFile(io.BytesIO(placed(hidden, at))).testzip() is None
    before = f"before its entry {at}" if at else "before its directory"
    assert said_of(tmp_path, placed(hidden, at)) == f"other bytes stand {before}"


@pytest.mark.parametrize(
    ("at", "format", "value"), [(18, "<I", 5), (6, "<H", 8), (14, "<I", 0), (28, "<H", 1)]
)
def test_an_entry_that_is_another_one_in_the_directory(
    at: int, format: str, value: int, tmp_path: Path
) -> None:
    """Its size, that its size follows it, its checksum, and that more stands before it."""
    data = bytearray(good())
    struct.pack_into(format, data, at, value)
    assert (
        said_of(tmp_path, bytes(data))
        == "its entry meta.json is not packed as teeter does it: other programs may find another one there"
    )


def test_an_entry_with_another_name_for_other_programs(tmp_path: Path) -> None:
    """Unicode Path: Info-ZIP takes the name that stands there."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as opened:
        for name, content in entries(good()).items():
            info = zipfile.ZipInfo(name)
            other = b"events.jsonl" if name == "journal.jsonl" else b""
            unicode = b"\1" + struct.pack("<I", zlib.crc32(name.encode())) + other
            info.extra = struct.pack("<HH", 0x7075, len(unicode)) + unicode if other else b""
            opened.writestr(info, content)
    assert (
        said_of(tmp_path, stream.getvalue())
        == "its entry journal.jsonl is not packed as teeter does it: other programs may find another one there"
    )


@pytest.mark.parametrize(("at", "value"), [(-12, 5), (-14, 5), (-18, 1), (-6, 46)])
def test_an_end_that_tells_of_another_directory(at: int, value: int, tmp_path: Path) -> None:
    data = bytearray(good())
    struct.pack_into("<H", data, len(data) + at, value)
    said = said_of(tmp_path, bytes(data))
    assert "directory" in said or "damaged" in said or "bytes stand" in said


def test_a_doubled_entry(tmp_path: Path) -> None:
    stream = io.BytesIO(zipped(entries(good())))
    with zipfile.ZipFile(stream, "a") as opened, pytest.warns(UserWarning, match="Duplicate name"):
        opened.writestr("meta.json", b"{}")
    assert said_of(tmp_path, stream.getvalue()).startswith("has an entry twice; there must be one each of")


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_of_packing(tmp_path: Path, kind: int) -> None:
    assert "packed in an unknown way" in said_of(tmp_path, zipped(entries(good()), kind))


def test_an_encrypted_entry(tmp_path: Path) -> None:
    data = good()
    at = data.rindex(b"PK\1\2", 0, data.rindex(b"meta.json")) + 8
    assert "is encrypted or" in said_of(tmp_path, data[:at] + b"\1" + data[at + 1 :])


def test_a_directory_of_too_many_entries(tmp_path: Path) -> None:
    many = zipped({str(number): b"" for number in range(1000)})
    assert said_of(tmp_path, many).startswith("is a zip of more than 20 entries or 4 GB")


def test_a_large_file_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_BYTES", 1000)
    assert said_of(tmp_path, good()).startswith("has 0 MB; a recording has at most")


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, words in (
        ("none", "none: there is no such file"),
        ("pipe", "pipe: is neither a file nor a folder"),
        ("zero\0byte", ": there is no such file"),
        ("x" * 300, "cannot be read: "),
    ):
        with pytest.raises(RecordError) as caught:
            load(tmp_path / name)
        assert words in str(caught.value)


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_any_damage_is_a_recording_or_a_record_error(data: st.DataObject) -> None:
    broken = bytearray(good())
    for _ in range(data.draw(st.integers(1, 8))):
        broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    check_harmless(bytes(broken))


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_any_damage_of_an_entry_is_a_recording_or_a_record_error(data: st.DataObject) -> None:
    content = entries(good())
    name = data.draw(st.sampled_from([*content]))
    broken = bytearray(content[name])
    for _ in range(data.draw(st.integers(1, 8))):
        broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    content[name] = bytes(broken)
    check_harmless(zipped(content))


def check_harmless(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "broken.teeter"
        path.write_bytes(data)
        with contextlib.suppress(RecordError):
            load(path)


def test_a_track_longer_than_any_that_was_packed_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer thins it: thousands of equal frames pack to little, and are drawn one by one."""
    monkeypatch.setattr(archive, "MAX_TRACK_BYTES", 1)
    problem = said_of(tmp_path, good())
    assert problem.startswith("track.npz: has ")
    assert problem.endswith(" bytes of poses; a track is thinned to 1 when it is packed")
