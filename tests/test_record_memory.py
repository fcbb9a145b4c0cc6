"""Recordings that are small on the disk and large in memory: read in little room, or refused with a sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from teeter.engine.record import archive
from teeter.engine.record.format import MAX_FRAMES, MAX_TRACK_BYTES, Contents

MOST_MB = 700
"""Of a command: the interpreter with its libraries takes 150, the largest track and what is computed of it the rest."""
BRICK = "tower_topple/brick"


def head(count: int, **more: Any) -> bytes:
    bodies = [{"id": f"b{number}", "model": BRICK} for number in range(count)]
    versions = dict.fromkeys(("teeter", "python", "numpy", "pybullet"), "1")
    given = {"format": 1, "game": "x", "seed": 1, "rate": 240, "bodies": bodies, "versions": versions}
    return json.dumps({**given, "platform": "x", **more}, separators=(",", ":")).encode()


def still(frames: int, bodies: int, kind: str = "<f4", stride: int = 4) -> tuple[Any, Any]:
    poses = np.zeros((frames, bodies, 7), kind, order="F" if kind == "<f4" else "C")
    poses[..., 6] = 1
    return np.arange(frames, dtype="<i8") * stride, poses


def lines(line: str, size: int) -> bytes:
    return (line + "\n").encode() * (size // (len(line) + 1))


def recording(bodies: int = 2, meta: bytes = b"", **more: Any) -> Contents:
    steps, poses = more.pop("track", None) or still(2, bodies)
    states = still(0, bodies, "<f8")
    given: dict[str, Any] = {"journal": b"", "events": b"", "hashes": ()}
    given |= {"steps": steps, "poses": poses, "state_steps": states[0], "state_poses": states[1]}
    return Contents(meta or head(bodies), **{**given, **more}, is_complete=True)


def doubled(value: str, count: int) -> str:
    return "[" + ",".join([value] * count) + "]"


def far(last: int) -> tuple[Any, Any]:
    steps, poses = still(2, 2)
    steps[1] = last
    return steps, poses


HAND = '{"step":0,"type":"hand","target":[0,0,0,0,0,0,1]}'
RELEASED = '{"step":%d,"type":"hand","target":[0,0,0,0,0,0,1]}\n{"step":%d,"type":"release"}\n'
CARRIED = "".join(RELEASED % (step, step) for step in range(0, 96_000, 240)).encode()

READ: dict[str, Callable[[], Contents]] = {
    "many bodies": lambda: recording(5000, track=still(MAX_TRACK_BYTES // 28 // 5000, 5000)),
    "many frames": lambda: recording(1, track=still(MAX_FRAMES, 1)),
    "nested journal": lambda: recording(
        journal=lines('{"step":0,"type":"x","a":' + doubled("[]", 200) + "}", 6_000_000)
    ),
    "a journal of the hand": lambda: recording(journal=lines(HAND, 6_000_000)),
}
"""What is within all limits: read, and told not to be verifiable."""

REFUSED: dict[str, tuple[Callable[[], Contents], str]] = {
    "too many frames": (lambda: recording(1, track=still(MAX_FRAMES + 2, 1)), "300002 frames"),
    "a long line": (
        lambda: recording(journal=lines('{"step":0,"type":"x","a":' + doubled("[]", 10**6) + "}", 4 * 10**6)),
        "journal.jsonl, line 1: has 30000",
    ),
    "long events": (lambda: recording(events=lines(HAND, 9_000_000)), "events.jsonl unpacks to 9000000"),
    "a large head": (
        lambda: recording(meta=head(2, settings={"a": [[]] * 2_000_000})),
        "commas and brackets; at most 1000000 are allowed",
    ),
    "a longer head": (lambda: recording(meta=head(2) + b" " * 20_000_000), "meta.json unpacks to 200"),
    "many checkpoints": (lambda: recording(hashes=((0, "0" * 64),) * 150_000), "has 150000 checkpoints"),
    "a file of this machine": (
        lambda: recording(
            meta=head(
                1, bodies=[{"id": "a", "spec": {"shape": {"mesh": "/etc/passwd"}, "material": "beech"}}]
            )
        ),
        "a recording names no files",
    ),
}
"""What no command reads."""

NOT_SHOWN: dict[str, tuple[Callable[[], Contents], str]] = {
    "long": (lambda: recording(track=far(240 * 7 * 3600)), "is 25200 s long; at most 21600 s can be shown"),
    "longer": (lambda: recording(track=far(2**53)), "at most 21600 s can be shown"),
    "much carried": (
        lambda: recording(3000, track=still(8, 3000, stride=12_000), journal=CARRIED),
        "among 3000 bodies: too much to be shown",
    ),
    "a long story": (
        lambda: recording(events=lines('{"step":0,"type":"x","story":' + doubled('"a"', 200) + "}", 900_000)),
        "tells more than 100000 lines",
    ),
}
"""What can be read, and is too much for a page."""


def packed(contents: Contents, folder: Path) -> Path:
    path = folder / "a.teeter"
    with path.open("wb") as stream:
        archive.write(contents, stream)
    assert path.stat().st_size < 1_500_000
    return path


def run(*words: str) -> tuple[int, str, float]:
    """The exit code of a command, what it says, and the most MB that it took."""
    code = f"import resource, subprocess, sys\ndone = subprocess.run({[sys.executable, '-m', 'teeter', *words]!r})\n"
    code += "print('MB', resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)\nsys.exit(done.returncode)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    said, _, peak = done.stdout.rpartition("MB ")
    return done.returncode, " ".join((said + done.stderr).split()), float(peak)


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """How commands about the recordings end. A process that has loaded everything forks for each: a command loads in a
    second what it needs for a moment."""
    made = dict(READ)
    made |= {name: make for name, (make, _) in (REFUSED | NOT_SHOWN).items()}
    lines = []
    for name, make in made.items():
        path = packed(make(), tmp_path_factory.mktemp("recording"))
        is_page = name in NOT_SHOWN
        lines.append(
            ["export", str(path), "-o", str(path.with_name("a.html"))] if is_page else ["verify", str(path)]
        )
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("fuzz_processes.py")), "--lines"],
        input=json.dumps(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    rows = json.loads(done.stdout)
    for line, row in zip(lines, rows, strict=True):
        row["left"] = [each.name for each in Path(line[1]).parent.iterdir()]
    return dict(zip(made, rows, strict=True))


def is_refused(end: dict[str, Any], words: str) -> None:
    said = " ".join(end["said"].split())
    assert (end["code"], words in said) == (2, True), said
    assert end["faults"] == []
    assert end["left"] == ["a.teeter"]
    assert end["memory_mb"] < MOST_MB / 2


@pytest.mark.slow
@pytest.mark.parametrize("name", READ)
def test_what_is_within_the_limits_is_read_in_little_room(
    name: str, ended: dict[str, dict[str, Any]]
) -> None:
    is_refused(ended[name], "is not known here")


@pytest.mark.slow
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_beyond_them_is_refused_by_name(name: str, ended: dict[str, dict[str, Any]]) -> None:
    is_refused(ended[name], REFUSED[name][1])


@pytest.mark.slow
@pytest.mark.parametrize("name", NOT_SHOWN)
def test_what_no_viewer_holds_is_refused_by_name(name: str, ended: dict[str, dict[str, Any]]) -> None:
    is_refused(ended[name], NOT_SHOWN[name][1])


@pytest.mark.slow
def test_a_track_of_a_hundred_megabytes_is_a_page_in_little_room(tmp_path: Path) -> None:
    """Of three hundred bodies: what is drawn of each takes its time, not its room."""
    path = packed(recording(300, track=still(MAX_TRACK_BYTES // 28 // 300, 300)), tmp_path)
    code, said, peak = run("export", str(path), "-o", str(tmp_path / "a.html"))
    print(f"a page: {peak:.0f} MB")
    assert code == 0, said
    assert peak < MOST_MB


LARGE: dict[str, tuple[int, Any, tuple[str, ...]]] = {
    "a hundred megabytes of 300 pieces": (
        300,
        lambda: still(MAX_TRACK_BYTES // 28 // 300, 300),
        ("film.mp4", "model.glb", "page.html"),
    ),
    "5,000 pieces": (5000, lambda: still(8, 5000, stride=40), ("picture.png", "model.glb", "page.html")),
}
"""Recordings of at most 120 kB: of so many pieces, and what is made of each."""


@pytest.mark.soak
@pytest.mark.parametrize("name", LARGE)
def test_what_is_made_of_a_small_file_takes_little_room(
    name: str, tmp_path: Path, row: Callable[..., None]
) -> None:
    count, make, outputs = LARGE[name]
    path = packed(recording(count, track=make()), tmp_path)
    for out in outputs:
        words = ("export",) if out.startswith(("model", "page")) else ("video", "--size", "320x180")
        few = ("--to", "2", "--fps", "10") if out.endswith("mp4") else ()
        code, said, peak = run(*words, str(path), "-o", str(tmp_path / out), *few)
        assert code == 0, said
        size = path.stat().st_size / 1e3
        row("Memory of what is made of recordings", recording=name, kB=size, made=out, MB=peak)
        assert peak < MOST_MB
