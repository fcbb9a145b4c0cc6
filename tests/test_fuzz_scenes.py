"""Broken scene and mesh files: whatever is in them, they load or are refused in a few short lines."""

from __future__ import annotations

import json
import struct
from functools import cache
from pathlib import Path

import pytest
import trimesh
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from teeter.models.errors import TeeterError
from teeter.scenes.load import load

CORPUS = Path(__file__).parent / "corpus"
"""What once did harm, a file each."""
EXAMPLES = 100
ALL_EXAMPLES = 290
"""As many in the soak."""
KINDS = ("toml", "glb", "gltf", "obj", "stl", "ply", "3mf")
WORDS = [b"nan", b"inf", b"-1", b"1e308", b"\0", b"\x1b[31m", b"99999999999", b"[", b"]]", b'"', b"\xff\xfe"]
WORDS += [b"0", b"null", b"{}"]

SCENE = b"""teeter = 1
name = "fuzzed"
[table]
size = [300, 200]
[[piece]]
id = "low"
shape = { box = [60, 30, 15] }
position = [0, 0, 7.5]
[[piece]]
id = "top"
shape = { prism = { points = [[0, 0], [20, 0], [0, 20]], height = 10 } }
material = { like = "beech", density = 700 }
position = [0, 0]
rotation = [0, 0, 30]
mass = 5.0
colour = "red"
"""


@cache
def seed_of(kind: str) -> bytes:
    """A small sound file of a kind."""
    if kind == "toml":
        return SCENE
    mesh = trimesh.creation.box((20.0, 20.0, 20.0))
    mesh.apply_translation((0, 0, 10))
    if kind == "gltf":
        head, _ = _parts(mesh.export(file_type="glb"))
        return json.dumps(head).encode()
    exported = trimesh.Scene(mesh).export(file_type=kind) if kind == "3mf" else mesh.export(file_type=kind)
    return exported.encode() if isinstance(exported, str) else bytes(exported)


def _parts(data: bytes) -> tuple[dict[str, object], bytes]:
    """The head of a `.glb` with its buffer inside it, and the buffer."""
    import base64

    size = struct.unpack_from("<I", data, 12)[0]
    head, binary = json.loads(data[20 : 20 + size]), data[28 + size :]
    head["buffers"] = [
        {
            "byteLength": len(binary),
            "uri": "data:application/octet-stream;base64," + base64.b64encode(binary).decode(),
        }
    ]
    return head, binary


EDITS = st.lists(
    st.tuples(
        st.sampled_from(["flip", "drop", "put", "copy", "cut", "number"]),
        st.floats(0, 1, exclude_max=True),
        st.integers(0, 255),
        st.sampled_from(WORDS),
    ),
    min_size=1,
    max_size=6,
)


def edited(data: bytes, edits: list[tuple[str, float, int, bytes]]) -> bytes:
    """A file with some places changed; of a `.glb` the length is told anew, or little else would be read."""
    was = len(data)
    for kind, where, value, word in edits:
        at = int(where * len(data))
        if kind == "flip":
            data = data[:at] + bytes([value]) + data[at + 1 :]
        elif kind == "drop":
            data = data[:at] + data[at + value % 16 :]
        elif kind == "put":
            data = data[:at] + word + data[at:]
        elif kind == "copy":
            data = data[:at] + data[at // 2 : at // 2 + value] + data[at:]
        elif kind == "cut":
            data = data[: max(at, 1)]
        else:
            digits = [k for k, letter in enumerate(data) if letter in b"0123456789"]
            at = digits[int(where * len(digits))] if digits else 0
            data = data[:at] + word + data[at + 1 :]
    if data.startswith(b"glTF") and len(data) != was and len(data) > 12:
        data = data[:8] + struct.pack("<I", len(data)) + data[12:]
    return data


def is_read_or_refused(path: Path) -> None:
    try:
        load(path)
    except TeeterError as error:
        lines = str(error).splitlines()
        assert len(lines) <= 21
        assert all(len(line) <= 300 and line.isprintable() for line in lines), lines


@pytest.mark.parametrize("kind", KINDS)
def test_a_sound_file_is_read(kind: str, tmp_path: Path) -> None:
    (tmp_path / f"seed.{kind}").write_bytes(seed_of(kind))
    assert load(tmp_path / f"seed.{kind}", table=None if kind == "toml" else "lowest").ids


@pytest.mark.parametrize("examples", [EXAMPLES, pytest.param(ALL_EXAMPLES, marks=pytest.mark.soak)])
@pytest.mark.parametrize("kind", KINDS)
def test_a_broken_file_is_read_or_refused(
    kind: str, examples: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / f"fuzzed.{kind}"

    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(EDITS)
    def broken(edits: list[tuple[str, float, int, bytes]]) -> None:
        path.write_bytes(edited(seed_of(kind), edits))
        is_read_or_refused(path)

    broken()


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.*")), ids=lambda path: path.name)
def test_what_once_did_harm_is_refused(path: Path) -> None:
    is_read_or_refused(path)
