"""Files that are no recordings, broken ones and evil ones: one sentence each, and nothing in them is executed."""

from __future__ import annotations

import io
import json
import pickle
import struct
import tempfile
import time
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_record_roundtrip import play

from teeter.engine.record.format import FORMAT, RecordError, npy_of
from teeter.engine.record.reader import load

Entries = dict[str, bytes]
Change = Callable[[Entries], object]


@cache
def good() -> bytes:
    """A recording of 31 frames and 4 checkpoints of three bodies."""
    with tempfile.TemporaryDirectory() as folder:
        play(Path(folder) / "good.teeter")
        return (Path(folder) / "good.teeter").read_bytes()


def entries(data: bytes) -> Entries:
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def zipped(content: Entries, kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", kind) as opened:
        for name, data in content.items():
            opened.writestr(name, data)
    return stream.getvalue()


def said_of(tmp_path: Path, data: bytes) -> str:
    """What `load` says of a file."""
    path = tmp_path / "bad.teeter"
    path.write_bytes(data)
    begin = time.perf_counter()
    with pytest.raises(RecordError) as caught:
        load(path)
    words = str(caught.value)
    assert words.startswith(f"{path}: ")
    assert "\n" not in words
    assert len(words) < len(str(path)) + 400
    assert time.perf_counter() - begin < 5
    return words.removeprefix(f"{path}: ")


def changed(change: Change) -> bytes:
    content = entries(good())
    change(content)
    return zipped(content)


def text(name: str, new: bytes | str) -> Change:
    return lambda content: content.update({name: new.encode() if isinstance(new, str) else new})


def meta(**change: Any) -> Change:
    """Change keys of meta.json; None takes a key out."""

    def apply(content: Entries) -> None:
        data = {**json.loads(content["meta.json"]), **change}
        kept = {key: value for key, value in data.items() if value is not None or key not in change}
        content["meta.json"] = json.dumps(kept).encode()

    return apply


def array(name: str, member: str, new: bytes | Callable[[Any], Any]) -> Change:
    """Change an array of an npz: to bytes, or to what a function makes of it."""

    def apply(content: Entries) -> None:
        inner = entries(content[name])
        if isinstance(new, bytes):
            inner[member] = new
        else:
            old = np.load(io.BytesIO(inner[member]), allow_pickle=False)
            inner[member] = npy_of(np.ascontiguousarray(new(old.copy())))
        content[name] = zipped(inner)

    return apply


def put(place: int | tuple[int, ...], value: float) -> Callable[[Any], Any]:
    def apply(values: Any) -> Any:
        values[place] = value
        return values

    return apply


def npy(header: str, data: bytes = b"", version: bytes = b"\1\0") -> bytes:
    return b"\x93NUMPY" + version + struct.pack("<H", len(header) + 1) + header.encode() + b"\n" + data


class Evil:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.path,))


BODY = {"id": "slab", "model": "tower_topple/brick"}
STEP = '{"step":%s,"type":"release"}\n'

META = [
    (text("meta.json", "{"), "meta.json: is not JSON: Expecting property name"),
    (text("meta.json", b"\xff"), "meta.json: is not UTF-8 (byte 0)"),
    (text("meta.json", '{"seed": 1, "format": 2, "seed": 2}'), "meta.json: has the key 'seed' twice"),
    (text("meta.json", '{"settings": {"a": 1, "a": 1}}'), "meta.json: has the key 'a' twice"),
    (text("meta.json", "[1]"), "meta.json: is [1], must be an object"),
    (text("meta.json", "[" * 100000), "meta.json: is nested too deeply"),
    (text("meta.json", '{"format": NaN}'), "meta.json: is not JSON: a number in it is infinite, NaN, or"),
    (text("meta.json", '{"format": ' + "9" * 5000 + "}"), "meta.json: is not JSON: a number in it is"),
    (meta(format=None), f"meta.json: format is None, must be a number from 1 to {FORMAT}"),
    (meta(format="1"), f"meta.json: format is '1', must be a number from 1 to {FORMAT}"),
    (meta(format=True), "meta.json: format is True, must be a number"),
    (
        meta(format=FORMAT + 1, shiny=3),
        f"meta.json: format {FORMAT + 1} is newer than this teeter, which reads up to {FORMAT}: update teeter",
    ),
    (meta(seed=None), "meta.json: seed: Field required"),
    (meta(seed="7"), "meta.json: seed: Input should be a valid integer (got '7')"),
    (meta(sead=7), "meta.json: sead: Extra inputs are not permitted (got 7)"),
    (meta(**{"a\nb" * 1000: 7}), "Extra inputs are not permitted"),
    (meta(rate=0), "meta.json: rate: Input should be greater than or equal to 1 (got 0)"),
    (meta(players=["a", 3]), "meta.json: players[2]: Input should be a valid string (got 3)"),
    (meta(game="\x1b[31mred"), "meta.json: game: String should match pattern"),
    (meta(players=["x" * 1000]), "meta.json: players[1]: String should have at most 200 characters"),
    (meta(bodies=[BODY, BODY]), "meta.json: two bodies have the id 'slab'"),
    (
        meta(bodies=[{"id": "slab"}]),
        "meta.json: bodies[1]: give either `model` (from the catalogue) or `spec`",
    ),
    (meta(bodies=[{**BODY, "spec": {}}]), "meta.json: bodies[1]: give either `model`"),
    (meta(bodies=[BODY] * 5001), "meta.json: bodies: Tuple should have at most 5000 items"),
    (
        meta(bodies=[BODY]),
        "track.npz/poses.npy: is '<f4' of shape (31, 3, 7), must be '<f4' of shape (n, 1, 7)",
    ),
    (meta(options={"name": "\ud800"}), "meta.json: Invalid JSON"),
]
LINES = [
    (text("journal.jsonl", STEP % 1 + '{"step":'), "journal.jsonl: the last line is cut off"),
    (text("journal.jsonl", STEP % 1 + "\n"), "journal.jsonl, line 2: is not JSON"),
    *(
        (text(name, '{"step":1,"step":132,"type":"x"}\n'), f"{name}, line 1: has the key 'step' twice")
        for name in ("journal.jsonl", "events.jsonl")
    ),
    (text("journal.jsonl", STEP % 3 + STEP % 2), "journal.jsonl, line 2: step 2 comes after step 3"),
    (text("journal.jsonl", STEP % -1), "journal.jsonl, line 1: step is -1, must be an integer from 0 to"),
    (text("journal.jsonl", STEP % 1.0), "journal.jsonl, line 1: step is 1.0, must be an integer"),
    (text("journal.jsonl", STEP % "true"), "journal.jsonl, line 1: step is True, must be an integer"),
    (
        text("journal.jsonl", STEP % "NaN"),
        "journal.jsonl, line 1: is not JSON: a number in it is infinite, NaN",
    ),
    (
        text("journal.jsonl", STEP % "-Infinity"),
        "journal.jsonl, line 1: is not JSON: a number in it is infinite",
    ),
    (text("journal.jsonl", STEP % 2**60), "journal.jsonl, line 1: step is 1152921504606846976, must be"),
    (text("journal.jsonl", STEP % ("[" * 90000)), "journal.jsonl, line 1: is nested too deeply"),
    (text("journal.jsonl", STEP % ("[" * 200 + "]" * 200)), "line 1: step is [[[[[[[...]]]]]]], must be"),
    (text("events.jsonl", '{"step":1}\n'), "events.jsonl, line 1: type is None, must be a word"),
    (
        text("events.jsonl", '{"step":1,"type":["a"]}\n'),
        "events.jsonl, line 1: type is ['a'], must be a word",
    ),
    (text("events.jsonl", "[]\n"), "events.jsonl, line 1: is [], must be an object with step and type"),
    (text("events.jsonl", b"\xff\n"), "events.jsonl, line 1: is not UTF-8"),
]
ARRAYS = [
    (text("track.npz", b"no zip"), "track.npz: is not a recording: a .teeter file is a zip"),
    (array("track.npz", "poses.npy", b"no array"), "track.npz/poses.npy: is not a plain array"),
    (array("track.npz", "poses.npy", npy("print('evil')")), "track.npz/poses.npy: is not a plain array"),
    (
        array("track.npz", "more.npy", b""),
        "track.npz: has an entry 'more.npy'; allowed are steps.npy, poses.npy",
    ),
    (
        array("track.npz", "poses.npy", lambda old: old.astype(np.float64)),
        "track.npz/poses.npy: is '<f8' of shape (31, 3, 7), must be '<f4' of shape (n, 3, 7)",
    ),
    (array("track.npz", "poses.npy", lambda old: old.astype(">f4")), "is '>f4' of shape"),
    (array("track.npz", "poses.npy", lambda old: old[:, :, :6]), "is '<f4' of shape (31, 3, 6), must be"),
    (array("track.npz", "poses.npy", lambda old: old[:, 0]), "is '<f4' of shape (31, 7), must be"),
    (array("track.npz", "poses.npy", lambda old: old[:-1]), "track.npz: has 31 steps and 30 poses"),
    (array("track.npz", "poses.npy", put((3, 1, 2), np.nan)), "track.npz: poses[3, 1] = [0.0499"),
    (
        array("track.npz", "poses.npy", put((3, 1, 2), np.inf)),
        "is not seven finite numbers (or seven NaN for absent)",
    ),
    (
        array("track.npz", "poses.npy", put((3, 1, 6), 0.5)),
        "track.npz: poses[3, 1] = [0.0, 0.0, 0.0, 0.5] is not a unit",
    ),
    (
        array("track.npz", "steps.npy", lambda old: old * np.nan),
        "track.npz/steps.npy: is '<f8' of shape (31,), must be",
    ),
    (
        array("track.npz", "steps.npy", lambda old: old.astype(np.int32)),
        "track.npz/steps.npy: is '<i4' of shape",
    ),
    (
        array("track.npz", "steps.npy", put(4, 5)),
        "track.npz: steps[4] = 5 comes after 12: steps never run backwards",
    ),
    (array("track.npz", "steps.npy", put(0, -1)), "track.npz: steps[0] = -1, must be from 0 to"),
    (array("track.npz", "steps.npy", put(30, 2**60)), "track.npz: steps[30] = 1152921504606846976, must be"),
    (
        array(
            "track.npz",
            "poses.npy",
            npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 3, 7), }"),
        ),
        "track.npz/poses.npy: has 0 bytes of data, shape (99999999999, 3, 7) needs 8399999999916",
    ),
    (
        array(
            "track.npz",
            "poses.npy",
            npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 3, 7), }", b"1234"),
        ),
        "track.npz/poses.npy: has 4 bytes of data, shape (1, 3, 7) needs 84",
    ),
    (
        array("track.npz", "steps.npy", npy("{'descr': '<i8', 'fortran_order': False, 'shape': (), }")),
        "shape ()",
    ),
    (array("states.npz", "poses.npy", lambda old: old.astype(np.float32)), "states.npz/poses.npy: is '<f4'"),
    (array("states.npz", "poses.npy", put((1, 0, 0), np.nan)), "states.npz: poses[1, 0] = [nan, 0.2"),
    (
        array("states.npz", "steps.npy", put(1, 41)),
        "hashes.json: the steps here and in states.npz differ first at [1]",
    ),
]
HASHES = [
    (text("hashes.json", "{}"), "hashes.json: is {}, must be a list"),
    (text("hashes.json", "[]"), "hashes.json: the steps here and in states.npz are 0 and 4 in number"),
    (
        text("hashes.json", "[3]"),
        "hashes.json: [0] is 3, must be {step, sha256} with a step and 64 hex digits",
    ),
    (text("hashes.json", json.dumps([{"step": 0, "sha256": "A" * 64}])), "hashes.json: [0] is {"),
    (text("hashes.json", json.dumps([{"step": 0.5, "sha256": "a" * 64}])), "hashes.json: [0] is {"),
    (text("hashes.json", json.dumps([{"step": 0, "sha256": "a" * 64, "x": 1}])), "hashes.json: [0] is {"),
]
NAMES = [
    (text("../evil.py", "x"), "has an entry '../evil.py'; allowed are meta.json, journal.jsonl"),
    (text("/etc/passwd", "x"), "has an entry '/etc/passwd'; allowed are"),
    (text("track/", ""), "has an entry 'track/'; allowed are"),
    (text("a\nb" * 500, "x"), "; allowed are meta.json"),
    (
        lambda content: content.update({f"{n}.txt": b"" for n in range(20)}),
        "is a zip of more than 20 entries",
    ),
    (
        lambda content: content.pop("hashes.json"),
        "has no entry hashes.json; there must be one each of meta.json",
    ),
    (lambda content: content.clear(), "has no entry meta.json; there must be one each of"),
]


@pytest.mark.parametrize(("change", "words"), [*META, *LINES, *ARRAYS, *HASHES, *NAMES])
def test_what_is_wrong_inside(tmp_path: Path, change: Change, words: str) -> None:
    assert words in said_of(tmp_path, changed(change))


def test_what_these_tests_change_was_right(tmp_path: Path) -> None:
    (tmp_path / "a.teeter").write_bytes(changed(lambda content: None))
    assert load(tmp_path / "a.teeter").is_complete


def test_pickles_are_never_opened(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    objects = np.array([Evil(trace)], dtype=object)
    stream = io.BytesIO()
    np.lib.format.write_array(stream, objects, allow_pickle=True)
    for data in (stream.getvalue(), pickle.dumps(Evil(trace)), b"\x93NUMPY\3\0" + stream.getvalue()[8:]):
        for name in ("track.npz", "states.npz"):
            assert "is " in said_of(tmp_path, changed(array(name, "poses.npy", data)))
    assert not trace.exists()
    pickle.loads(pickle.dumps(Evil(trace)))
    assert trace.exists()  # the bait works
