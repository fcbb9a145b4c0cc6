"""Runs every command and every script of the README with an installed teeter, and looks at the files they make.

`python tests/readme_commands.py ENVIRONMENT SOURCE [ROW ...]`: the environment teeter is installed in, the folder its
wheel was built from, and the rows of EXPECTED to be run, by default all and the scripts. A command without a row stops
the run, and so does a row without a command.
"""

from __future__ import annotations

import csv
import fcntl
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import av
import numpy as np
import trimesh
from PIL import Image
from pygltflib import GLTF2
from window_driver import COLOURS, PATIENCE, SETTINGS, colours_of, screen, screenshot

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = (ROOT / "engine" / "view" / "page" / "page.js").read_text(encoding="utf-8")
GATE = {"make demo", "make test"}
"""What `.ci/run` runs in a checkout of its own."""
STANDS, TOPPLES, ENDED = 0, 1, 128 + signal.SIGTERM


def film(path: Path) -> None:
    """A film whose frames decode and differ, with sound."""
    with av.open(str(path)) as file:
        assert file.streams.audio, f"{path.name} has no sound"
        frames = [frame.to_ndarray(format="rgb24") for frame in file.decode(video=0)]
    assert len(frames) > 100, f"{path.name}: {len(frames)} frames"
    assert colours_of(frames[0]) > COLOURS
    assert np.abs(frames[0].astype(int) - frames[-1]).max() > 50, "nothing moves"


def picture(path: Path) -> None:
    """A picture of something."""
    assert colours_of(np.asarray(Image.open(path).convert("RGB"))) > COLOURS


def page(path: Path) -> None:
    """A page that holds its script."""
    text = path.read_text(encoding="utf-8")
    assert SCRIPT in text
    assert 'id="data"' in text


def model(path: Path) -> None:
    """A binary glTF with an animation whose meshes load."""
    read = GLTF2().load(str(path))
    assert read is not None
    assert read.animations
    assert trimesh.load_scene(path).geometry


def table(path: Path) -> None:
    """A row for each place of the sweep, with both verdicts among them."""
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert len(rows) > 100
    assert {"stands", "topples"} <= {value for row in rows for value in row.values()}


def filled(path: Path) -> None:
    """A file whose content the README's next commands check."""
    assert path.stat().st_size > 500


def scanned_wall(folder: Path) -> None:
    """wall.obj: three courses of stones whose corners are off by up to 0.1 mm."""
    noise = np.random.default_rng(1)
    stones = [
        trimesh.creation.box(
            (100, 60, 40), trimesh.transformations.translation_matrix((0, 0, 20 + 40 * course))
        )
        for course in range(3)
    ]
    scene = trimesh.Scene()
    for number, stone in enumerate(stones):
        stone.vertices += noise.uniform(-0.1, 0.1, stone.vertices.shape)
        scene.add_geometry(stone, node_name=f"stone{number}", geom_name=f"stone{number}")
    scene.export(folder / "wall.obj")


def designs(folder: Path) -> None:
    """designs/: a block on a block, and one that is half over."""
    (folder / "designs").mkdir()
    for name, offset in (("firm", 5), ("loose", 25)):
        rows = ((10, 0), (30, offset))
        pieces = "".join(
            f"[[piece]]\nid = 'block{z}'\nshape = {{ box = [40, 40, 20] }}\nposition = [{x}, 0, {z}]\n"
            for z, x in rows
        )
        (folder / "designs" / f"{name}.toml").write_text(f"teeter = 1\n{pieces}", encoding="utf-8")


def pile(folder: Path) -> None:
    """pile.sdf: a block on a block."""
    models = "".join(
        f'<model name="block{level}"><pose>0 0 {0.05 + 0.1 * level} 0 0 0</pose><link name="link"><collision name="c">'
        "<geometry><box><size>0.2 0.2 0.1</size></box></geometry></collision></link></model>"
        for level in range(2)
    )
    ground = "<include><uri>model://ground_plane</uri></include>"
    text = f'<sdf version="1.7"><world name="pile">{ground}{models}</world></sdf>'
    (folder / "pile.sdf").write_text(text, encoding="utf-8")


@dataclass(frozen=True)
class Expected:
    """codes: exit codes that are right. shows: what is printed. files: what is made, and how it is looked at.
    is_window, is_host: runs until it is ended, once it shows a picture, or serves its page."""

    codes: frozenset[int] = frozenset({STANDS})
    shows: str = ""
    files: Mapping[str, Callable[[Path], None]] | None = None
    before: Callable[[Path], None] | None = None
    is_window: bool = False
    is_host: bool = False


TOPPLED = frozenset({TOPPLES})
WINDOW = Expected(frozenset({ENDED}), is_window=True)
EXPECTED = {
    "teeter check arch": Expected(shows="STANDS"),
    "teeter check tower --without": Expected(shows="STANDS"),
    "teeter check arch --friction": Expected(TOPPLED, "TOPPLES"),
    "teeter check bridge --without": Expected(TOPPLED, "tips over the edge"),
    "teeter mend bridge_bare": Expected(shows="Move deck"),
    "teeter design overhang": Expected(shows="over the edge"),
    "teeter check leaning_tower --noise": Expected(shows="of 100"),
    "teeter check arch --picture": Expected(files={"arch.png": picture}),
    "teeter check arch --certificate": Expected(files={"arch.json": filled}),
    "teeter verify-certificate": Expected(shows="stands"),
    "teeter check arch --page": Expected(files={"arch.html": page}),
    "teeter check wall.obj": Expected(shows="STANDS", before=scanned_wall),
    "teeter check pile.sdf": Expected(shows="STANDS", before=pile),
    "teeter convert arch -o arch.xml": Expected(files={"arch.xml": filled}),
    "teeter probe two_bricks": Expected(shows="slab"),
    "teeter check two_bricks --accelerate": Expected(shows="up to"),
    "teeter check two_bricks --steps": Expected(shows="It stands after every step"),
    "teeter check --scenes": Expected(TOPPLED, "1 stands, 1 topples", before=designs),
    "teeter poses bridge": Expected(shows="69.44 degrees"),
    "teeter sweep bridge": Expected(files={"map.csv": table}),
    "teeter play": WINDOW,
    "teeter play tower-topple": WINDOW,
    "teeter play crazy-tower": Expected(frozenset({ENDED}), is_host=True),
    "teeter play sandbox": WINDOW,
    "teeter play wonky": Expected(files={"game.teeter": filled}),
    "teeter verify game.teeter": Expected(shows="agree"),
    "teeter replay game.teeter": WINDOW,
    "teeter video game.teeter": Expected(files={"game.mp4": film}),
    "teeter export game.teeter -o game.html": Expected(files={"game.html": page}),
    "teeter export game.teeter -o game.glb": Expected(files={"game.glb": model}),
}
"""By how a command begins; the longest beginning counts."""


def of_kind(kind: str) -> list[str]:
    """The fenced blocks of one kind."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return [found[1] for found in re.finditer(rf"^```{kind}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)]


def commands() -> list[str]:
    """The command lines, without their comments, in order."""
    lines = [line[2:] for block in of_kind("console") for line in block.splitlines() if line.startswith("$ ")]
    return [line.split(" #")[0].strip() for line in lines]


def row_of(command: str) -> str:
    """The key of EXPECTED for a command; raises AssertionError when there is none."""
    begins = [key for key in EXPECTED if f"{command} ".startswith(f"{key} ")]
    assert begins, f"the README shows {command!r}, of which EXPECTED says nothing"
    return max(begins, key=len)


def until(look: Callable[[], bool], done: subprocess.Popen[str], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not look():
        assert done.poll() is None, f"{what}: ended with {done.poll()}"
        assert time.monotonic() < end, f"{what}: nothing came"
        time.sleep(0.2)


def run_until_seen(command: str, row: Expected, folder: Path, env: Mapping[str, str]) -> tuple[int, str]:
    """Runs what does not end by itself until it shows a picture, or serves its page. Returns exit code and output."""
    said = folder / "said.txt"
    with said.open("w") as out:
        # a group of its own: a window has children
        done = subprocess.Popen(
            ["bash", "-c", f"exec {command}"],
            cwd=folder,
            env=env,
            stdout=out,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            if row.is_host:
                links = re.compile(r"^Seats: (\S+)$", re.MULTILINE)
                until(lambda: links.search(said.read_text()) is not None, done, command)
                found = links.search(said.read_text())
                assert found is not None
                with urllib.request.urlopen(found[1].split("#")[0]) as answer:
                    assert SCRIPT in answer.read().decode()
            else:
                until(lambda: colours_of(screenshot(env)) > COLOURS, done, command)
            done.terminate()
            code = done.wait(PATIENCE)
        except AssertionError as error:
            raise AssertionError(f"{error}: {said.read_text()}") from None
        finally:
            if done.poll() is None:
                done.kill()
    return code if code >= 0 else 128 - code, said.read_text()


def run(command: str, folder: Path, env: Mapping[str, str]) -> None:
    """Runs one command and looks at what it made. Raises AssertionError."""
    row = EXPECTED[row_of(command)]
    if row.before is not None:
        row.before(folder)
    if row.is_window or row.is_host:
        # the port that the README names is one, and several environments are tried at once
        with screen() as shown, open(Path(tempfile.gettempdir(), "teeter-readme-port"), "w") as port:
            fcntl.flock(port, fcntl.LOCK_EX)
            code, said = run_until_seen(command, row, folder, {**shown, **env})
    else:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=env,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        code, said = done.returncode, done.stdout + done.stderr
    assert code in row.codes, f"{command}: exit code {code}\n{said}"
    # sentences go over lines
    assert row.shows in " ".join(said.split()), f"{command}: no {row.shows!r} in\n{said}"
    for name, look in (row.files or {}).items():
        look(folder / name)


def pip_install(command: str, environment: Path, source: Path, env: Mapping[str, str]) -> None:
    """Installs over the wheel from its source: the same files."""

    def files() -> set[str]:
        (record,) = environment.glob("lib/python*/site-packages/teeter-*.dist-info/RECORD")
        names = {line.split(",")[0] for line in record.read_text().splitlines()}
        return {name for name in names if "__pycache__" not in name and ".dist-info/" not in name}

    before = files()
    subprocess.run(["bash", "-c", f"{command} --quiet"], cwd=source, env=env, check=True)
    assert files() == before, f"{command} installs other files than the wheel: {files() ^ before}"


def main(environment: Path, source: Path, only: Sequence[str] = ()) -> None:
    """Runs all, or only some rows; says how long each took."""
    gate = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    seen: set[str] = set()
    with TemporaryDirectory(prefix="teeter-readme-") as name:
        home = Path(name) / "home"
        (home / "teeter").mkdir(parents=True)
        (home / "teeter" / "settings.toml").write_text(SETTINGS, encoding="utf-8")
        kept = {
            key: value
            for key, value in os.environ.items()
            if key not in ("PYTHONPATH", "VIRTUAL_ENV", "DISPLAY")
        }
        env = kept | {
            "PATH": f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "XDG_CONFIG_HOME": str(home),
            "XDG_DATA_HOME": str(home),
        }
        folder = Path(name) / "work"
        folder.mkdir()
        for command in commands():
            begun = time.monotonic()
            if only and (not command.startswith("teeter ") or row_of(command) not in only):
                continue
            if command in GATE:
                assert command in gate, f".ci/run does not run {command}"
            elif command.startswith("pip "):
                pip_install(command, environment, source, env)
            else:
                seen.add(row_of(command))
                run(command, folder, env)
            print(f"{time.monotonic() - begun:6.1f} s  {command}", flush=True)
        for number, code in enumerate(of_kind("python") if not only else ()):
            subprocess.run([environment / "bin" / "python", "-c", code], cwd=folder, env=env, check=True)
            print(f"script {number + 1} ran")
    wanted = set(only) or set(EXPECTED)
    assert seen == wanted, f"the README shows no {wanted - seen}"


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute(), sys.argv[3:])
