"""The wheel: what is in it, and that it works alone, in an environment of its own.

An environment with only what the wheel says it needs is put together of links to packages that are here already.
`.ci/installed` makes empty ones and has pip fill them from the index.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parent.parent
PARTS = (
    "pyproject.toml",
    "setup.py",
    "README.md",
    "LICENSE",
    "teeter",
    "engine",
    "games",
    "models",
    "scenes",
    "docs/teeter.1",
)
DATA = {".toml", ".obj", ".vert", ".frag", ".glsl", ".typed"}
BUNDLE = {Path("teeter/engine/view/page/page.js"), Path("teeter/engine/view/page/page.css")}


def run(*words: str | Path, cwd: Path) -> str:
    """What a command prints; fails with its errors. Nothing of this checkout is on its paths."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, env=clean, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{words}: {done.stdout[-2000:]}{done.stderr[-4000:]}"
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that nothing is left in the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (folder / part).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / part, folder / part)
    said = run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", "dist", ".", cwd=folder)
    assert "Warning" not in said, said
    (made,) = (folder / "dist").glob("teeter-*.whl")
    return made


@pytest.mark.slow
def test_the_wheel_holds_code_and_data_only(wheel: Path) -> None:
    names = [Path(name) for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    (data,) = (name for name in names if name.parts[0].endswith(".data"))
    assert data.parts[1:] == ("data", "share", "man", "man1", "teeter.1")
    names.remove(data)
    assert set(names) >= BUNDLE
    others = {name.suffix for name in set(names) - BUNDLE} - DATA - {".py"}
    assert not others, f"files of these kinds are in the wheel: {others}"
    assert {name.parts[0] for name in names} == {"teeter"}
    assert not [name for name in names if name.name.startswith("test") or "pictures" in name.parts]
    # everything that the packages read is there
    for path in ROOT.glob("*/**/*"):
        is_ours = path.relative_to(ROOT).parts[0] in ("engine", "games", "models", "scenes")
        if is_ours and path.suffix in DATA | {".py"}:
            inside = "teeter" / path.relative_to(ROOT)
            assert inside in names, f"{inside} is missing in the wheel"


def needed(name: str, found: set[str]) -> set[str]:
    """The packages that one needs here without extras, and those that these need."""
    from packaging.requirements import Requirement

    for words in distribution(name).requires or ():
        need = Requirement(words)
        word = re.sub("[-_.]+", "-", need.name).lower()
        if word not in found and (need.marker is None or need.marker.evaluate({"extra": ""})):
            found.add(word)
            needed(word, found)
    return found


def linked_environment(folder: Path, wheel: Path) -> Path:
    """An environment with a wheel, and links to what it needs and nothing else. Returns its Python."""
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    python = folder / "bin" / "python"
    (site,) = folder.glob("lib/python*/site-packages")
    for name in sorted(needed("teeter", set())):
        for path in distribution(name).files or ():
            first = Path(path.parts[0])
            if first.name not in ("..", "__pycache__") and not (site / first).exists():
                (site / first).symlink_to(Path(str(path.locate())).parents[len(path.parts) - 1] / first)
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-compile")
    run(*pip, wheel, cwd=folder.parent)
    return python


@pytest.mark.slow
def test_the_wheel_works_with_what_it_needs_and_nothing_else(wheel: Path, tmp_path: Path) -> None:
    python = linked_environment(tmp_path / "env", wheel)
    extras = "('pytest', 'dask', 'pyarrow', 'lxml', 'mujoco')"
    found = f"import importlib.util as u; print([each for each in {extras} if u.find_spec(each)])"
    assert run(python, "-c", found, cwd=tmp_path).strip() == "[]"
    works(python, tmp_path)
    doctor_names_what_is_missing(python, tmp_path)
    # type checkers see what scripts use
    (tmp_path / "typed.py").write_text(
        "import teeter\n\ntilt: float | None = teeter.check('arch').statics.tilt_deg\n"
    )
    checker = (sys.executable, "-m", "mypy", "--strict", "--python-executable", python)
    run(*checker, "--follow-imports=silent", "typed.py", cwd=tmp_path)


def doctor_names_what_is_missing(python: Path, folder: Path) -> None:
    """Takes parts out of an environment; the doctor names each, and the line that brings it back."""
    (site,) = (python.parent.parent / "lib").glob("python*/site-packages")
    parts = {
        "script of pages": site / "teeter" / "engine" / "view" / "page" / "page.js",
        "font": site / "font_source_sans_pro",
        "segno": next(site.glob("segno-*.dist-info")),
    }

    def found() -> tuple[int, dict[str, dict[str, str]]]:
        done = subprocess.run(
            [python.parent / "teeter", "doctor", "--json"], cwd=folder, capture_output=True, text=True
        )
        return done.returncode, {row["what"]: row for row in json.loads(done.stdout)["findings"]}

    code, rows = found()
    assert code == 0, [row for row in rows.values() if row["fix"]]
    assert rows["pyarrow (parquet)"]["fix"] == "pip install 'pyarrow>=17'"
    for what, path in parts.items():
        away = path.rename(folder / path.name)
        code, rows = found()
        away.rename(path)
        assert code == 1
        assert [row["what"] for row in rows.values() if row["fix"] and row["needed"]] == [what]
        assert "missing" in rows[what]["found"]
    # the doctor itself is made of these
    for name in ("typer", "rich"):
        gone = [
            path.rename(folder / path.name) for path in (*site.glob(name), *site.glob(f"{name}-*.dist-info"))
        ]
        code, rows = found()
        for path in gone:
            path.rename(site / path.name)
        assert (code, rows[name]["found"]) == (1, "missing")
        assert rows[name]["fix"].startswith(f"pip install '{name}")


OLDEST = "3.11.2"
"""Python of Debian 12, on which `make demo` and `make test` begin."""


def test_what_is_locked_installs_on_the_oldest_python() -> None:
    """pip of a newer one writes the lock, and knows nothing of an older one."""
    tried = 0
    for line in (ROOT / "requirements.lock").read_text().splitlines():
        name, _, version = line.partition("==")
        with suppress(PackageNotFoundError):
            found = distribution(name)
            asked = SpecifierSet(found.metadata["Requires-Python"] or "")
            tried += 1
            assert found.version != version or OLDEST in asked, f"{line} needs Python {asked}"
    assert tried > 100


def test_debian_packages_are_installed_or_named() -> None:
    """By somebody who may not install, on a machine that has none: dpkg asks an empty list of what is installed."""
    tools = ("bash", "awk", "dirname", "dpkg-query", "apt-get", "id")
    if shutil.which("dpkg-query") is None:
        pytest.skip("this is no Debian")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in (".ci/packages", "engine/view/debian.toml"):
            (folder / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / part, folder / part)
        for inside in ("bin", "dpkg"):
            (folder / inside).mkdir()
        for tool in tools:
            (folder / "bin" / tool).symlink_to(str(shutil.which(tool)))
        (folder / "dpkg" / "status").touch()
        folder.chmod(0o755)
        nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups") if os.geteuid() == 0 else ()
        done = subprocess.run(
            [
                *(str(shutil.which(word) or word) for word in nobody),
                str(folder / "bin/bash"),
                ".ci/packages",
                "run",
                "test",
            ],
            cwd=folder,
            env={"PATH": str(folder / "bin"), "DPKG_ADMINDIR": str(folder / "dpkg")},
            capture_output=True,
            text=True,
            check=True,
        )
    groups = tomllib.loads((ROOT / "engine/view/debian.toml").read_text())
    assert done.stderr.strip().endswith(
        "sudo apt-get install --yes " + " ".join([*groups["run"], *groups["test"]])
    )
    assert done.stdout == ""


def works(python: Path, folder: Path) -> Path:
    """Uses the commands that are installed beside a Python, from a folder of their own. Returns that."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    teeter = python.parent / "teeter"
    assert json.loads(run(teeter, "check", "arch", "--json", cwd=elsewhere))["verdict"] == "stands"
    assert "bausack/eggcup" in run(teeter, "models", "bausack", cwd=elsewhere)
    game = ("--players", "bot:steady,bot:bold", "--headless", "--turns", "2", "--json")
    played = json.loads(run(teeter, "play", "wonky", *game, "--record", "a.teeter", cwd=elsewhere))
    assert played["turns"] == 2
    run(teeter, "video", "a.teeter", "-o", "a.png", "--size", "320x180", cwd=elsewhere)
    assert (elsewhere / "a.png").stat().st_size > 5000
    script = "import teeter; print(teeter.__file__, teeter.__version__, teeter.check('two_bricks').word)"
    said = run(python, "-c", script, cwd=elsewhere)
    assert str(folder) in said
    assert said.split()[1:] == [
        tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"],
        "stands",
    ]
    return elsewhere
