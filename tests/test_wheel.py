"""The wheel: what is in it, and that it works alone, in an environment and a folder of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("pyproject.toml", "README.md", "LICENSE", "teeter.py", "engine", "games", "models", "scenes")
DATA = {".toml", ".obj", ".vert", ".frag", ".glsl", ".typed"}
BUNDLE = {Path("engine/view/page/page.js"), Path("engine/view/page/page.css")}
STUBS = "teeter-stubs"


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
            shutil.copy(ROOT / part, folder / part)
    said = run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", "dist", ".", cwd=folder)
    assert "Warning" not in said, said
    (made,) = (folder / "dist").glob("teeter-*.whl")
    return made


@pytest.mark.slow
def test_the_wheel_holds_code_and_data_only(wheel: Path) -> None:
    names = [Path(name) for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    assert set(names) >= BUNDLE, "run `make page` first"
    others = {name.suffix for name in set(names) - BUNDLE} - DATA - {".py", ".pyi"}
    assert not others, f"files of these kinds are in the wheel: {others}"
    assert {name.parts[0] for name in names} == {"engine", "games", "models", "scenes", "teeter.py", STUBS}
    assert not [name for name in names if name.name.startswith("test") or "pictures" in name.parts]
    # everything that the packages read is there
    for path in ROOT.glob("*/**/*"):
        is_ours = path.relative_to(ROOT).parts[0] in ("engine", "games", "models", "scenes")
        if is_ours and path.suffix in DATA | {".py"}:
            assert path.relative_to(ROOT) in names, f"{path.relative_to(ROOT)} is missing in the wheel"


@pytest.mark.slow
def test_the_wheel_works_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", "env", cwd=tmp_path)
    binaries = tmp_path / "env" / "bin"
    lock = ROOT / "requirements.lock"
    run(binaries / "python", "-m", "pip", "install", "--quiet", "--constraint", lock, wheel, cwd=tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    teeter = binaries / "teeter"
    assert json.loads(run(teeter, "check", "arch", "--json", cwd=elsewhere))["verdict"] == "stands"
    assert "bausack/eggcup" in run(teeter, "models", "bausack", cwd=elsewhere)
    game = ("--players", "bot:steady,bot:bold", "--headless", "--turns", "2", "--json")
    assert json.loads(run(teeter, "play", "wonky", *game, cwd=elsewhere))["turns"] == 2
    run(teeter, "demo", "--out", "made", cwd=elsewhere)
    assert {".teeter", ".mp4", ".png", ".html"} <= {path.suffix for path in (elsewhere / "made").iterdir()}
    script = "import teeter; print(teeter.__file__, teeter.__version__, teeter.check('two_bricks').word)"
    said = run(binaries / "python", "-c", script, cwd=elsewhere)
    assert str(tmp_path) in said
    assert said.split()[1:] == ["0.1.0", "stands"]
    # type checkers see what scripts use
    (elsewhere / "typed.py").write_text(
        "import teeter\n\ntilt: float | None = teeter.check('arch').statics.tilt_deg\n"
    )
    checker = (sys.executable, "-m", "mypy", "--strict", "--python-executable", binaries / "python")
    run(*checker, "typed.py", cwd=elsewhere)
