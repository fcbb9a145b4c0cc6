"""Disks that are full or read-only, names that are folders, a bare environment: what each command says, and leaves."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
RECORDING = str(ROOT / "tests" / "recordings" / "wonky-2.teeter")
BRIDGE = ("sweep", "bridge", "--piece", "counterweight", "--y=0", "--x=-40:40:5", "--workers", "1")
WRITERS: dict[str, tuple[str, ...]] = {
    "check --picture": ("check", "arch", "--workers", "1", "--picture", "OUT.png"),
    "check --record": ("check", "arch", "--workers", "1", "--record", "OUT.teeter"),
    "check --certificate": ("check", "arch", "--workers", "1", "--certificate", "OUT.json"),
    "check --page": ("check", "two_bricks", "--workers", "1", "--page", "OUT.html"),
    "sweep --out csv": (*BRIDGE, "--out", "OUT.csv"),
    "sweep --out parquet": (*BRIDGE, "--out", "OUT.parquet"),
    "sweep --page": (*BRIDGE, "--page", "OUT.html"),
    "play --record": ("play", "wonky", "--headless", "--turns", "6", "--record", "OUT.teeter"),
    "video mp4": ("video", RECORDING, "-o", "OUT.mp4", "--to", "1", "--size", "320x240"),
    "video gif": ("video", RECORDING, "-o", "OUT.gif", "--to", "1", "--size", "320x240"),
    "video png": ("video", RECORDING, "-o", "OUT.png"),
    "export glb": ("export", RECORDING, "-o", "OUT.glb"),
    "export html": ("export", RECORDING, "-o", "OUT.html"),
    "models export": ("models", "export", "bausack/egg", "-o", "OUT.glb"),
    "models --sheet": ("models", "wonky", "--sheet", "OUT.png"),
    "demo --out": ("demo", "--out", "OUT"),
}
"""Commands that write a file, `OUT` is where."""
KEPT = (".csv", ".teeter.part")
"""Rows and games up to the last whole one are kept: a name ends so, or what it lies in."""
READERS: dict[str, tuple[str, ...]] = {
    "check": ("check", "two_bricks", "--workers", "2"),
    "probe": ("probe", "two_bricks"),
    "sweep": BRIDGE,
    "play": ("play", "wonky", "--headless", "--turns", "2", "--record", "game.teeter"),
    "verify": ("verify", RECORDING),
    "video": ("video", RECORDING, "-o", "still.png"),
    "models": ("models", "wonky"),
    "scenes": ("scenes",),
    "games": ("games",),
    "rules": ("rules", "wonky"),
}
BARE: dict[str, Callable[[dict[str, str]], dict[str, str]]] = {
    "no HOME": lambda all_: {name: value for name, value in all_.items() if name != "HOME"},
    "HOME that is not there": lambda all_: all_ | {"HOME": "/nonexistent"},
    "TMPDIR that is not there": lambda all_: all_ | {"TMPDIR": "/nonexistent"},
    "LANG=C": lambda all_: all_ | {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"},
    "nothing but PATH": lambda all_: {"PATH": all_["PATH"], "PYTHONPATH": str(ROOT)},
}


def teeter(
    *words: str, cwd: Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "teeter", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)} if environment is None else environment,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MB of its own, as only root can mount one."""
    where = tmp_path / "disk"
    where.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(where)], check=True)
    yield where
    subprocess.run(["umount", "-l", str(where)], check=True)


def files_of(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def is_refused(done: subprocess.CompletedProcess[str]) -> bool:
    """Exit code 2 and one line that says where."""
    lines = done.stderr.splitlines()
    return done.returncode == 2 and len(lines) == 1 and "OUT" in lines[0] and len(lines[0]) < 400


def leftovers(files: list[str]) -> list[str]:
    return [name for name in files if not any(part.endswith(KEPT) for part in name.split("/"))]


@pytest.mark.soak
@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk(name: str, disk: Path, row: Callable[..., None]) -> None:
    """Full from the start, and full in the middle of it: a line, and no half file."""
    words = tuple(word.replace("OUT", str(disk / "OUT")) for word in WRITERS[name])
    said = []
    for room in (0, 2, 24):
        (disk / "filler").write_bytes(b"\0" * 4096 * (256 - room))
        done = teeter(*words, cwd=disk)
        left = leftovers([each for each in files_of(disk) if each not in ("filler", "OUT/game.teeter")])
        fitted = done.returncode in (0, 1, 3) and room > 0
        whole = [each for each in left if not each.startswith((".", "OUT/."))] if fitted else []
        row(
            "Faults: a full disk of 1 MB",
            command=name,
            room=f"{4 * room} kB",
            exit=done.returncode,
            left=", ".join(files_of(disk)[:3]),
        )
        said.append((room, done.returncode, done.stderr[-300:], left))
        assert fitted or is_refused(done), said
        assert left == whole, said
        subprocess.run(["find", str(disk), "-mindepth", "1", "-delete"], check=True)


@pytest.mark.soak
@pytest.mark.parametrize("name", WRITERS)
def test_a_read_only_disk_and_a_name_that_is_a_folder(
    name: str, disk: Path, row: Callable[..., None]
) -> None:
    words = tuple(word.replace("OUT", str(disk / "OUT")) for word in WRITERS[name])
    out = next(Path(word) for word in words if "OUT" in word)
    out.mkdir()
    if name != "demo --out":
        done = teeter(*words, cwd=disk)
        row(
            "Faults: where a file cannot be",
            command=name,
            fault="a folder of that name",
            exit=done.returncode,
        )
        assert is_refused(done), (done.returncode, done.stderr)
        assert files_of(disk) == []
    out.rmdir()
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    done = teeter(*words, cwd=disk)
    row("Faults: where a file cannot be", command=name, fault="a read-only disk", exit=done.returncode)
    assert is_refused(done), (done.returncode, done.stderr)


@pytest.mark.soak
@pytest.mark.parametrize("lack", BARE)
def test_a_bare_environment(lack: str, tmp_path: Path, row: Callable[..., None]) -> None:
    """Every command does the same without what a desktop has."""
    environment = BARE[lack]({**os.environ, "PYTHONPATH": str(ROOT)})
    codes = {}
    for name, words in READERS.items():
        done = teeter(*words, cwd=tmp_path, environment=environment)
        codes[name] = done.returncode
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode == 0, (name, done.stderr)
        for path in tmp_path.glob("*.*"):
            path.unlink()
    row(
        "Faults: a bare environment",
        lacking=lack,
        commands=len(codes),
        exits=str(sorted(set(codes.values()))),
    )


@pytest.mark.soak
@pytest.mark.parametrize(
    ("words", "lack"),
    [
        (("play", "wonky"), {"DISPLAY": ""}),
        (("play",), {"DISPLAY": ":77"}),
        (("view", "arch"), {"DISPLAY": ""}),
        (("replay", RECORDING), {"DISPLAY": ""}),
        (("video", RECORDING, "-o", "a.png"), {"__EGL_VENDOR_LIBRARY_FILENAMES": "/none", "DISPLAY": ""}),
        (("check", "arch", "--picture", "a.png"), {"__EGL_VENDOR_LIBRARY_FILENAMES": "/none", "DISPLAY": ""}),
        (("models", "wonky", "--sheet", "a.png"), {"__EGL_VENDOR_LIBRARY_FILENAMES": "/none", "DISPLAY": ""}),
    ],
)
def test_no_screen_and_no_opengl(
    words: tuple[str, ...], lack: dict[str, str], tmp_path: Path, row: Callable[..., None]
) -> None:
    home = {"XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path), **lack, **home}
    done = teeter(*words, cwd=tmp_path, environment=environment)
    row(
        "Faults: no screen, no OpenGL",
        command=words[0],
        lacking=", ".join(lack),
        exit=done.returncode,
        said=done.stderr.strip().splitlines()[-1][:80] if done.stderr.strip() else "",
    )
    assert done.returncode == 2, done.stderr
    # what is missing, and how to install it
    assert len(done.stderr.splitlines()) <= 3, done.stderr
    assert not list(tmp_path.rglob("*.png"))
