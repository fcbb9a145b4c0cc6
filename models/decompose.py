"""Convex pieces of a concave mesh, remembered on disk because finding them takes seconds.

The pieces come from CoACD (Wei et al. 2022; extra `mesh`). The same mesh, down to a millionth of its size,
must give the same pieces whatever was decomposed before, or a replay would depend on the history of the
machine: so the mesh is rounded first, and the rounded mesh is both what is decomposed and what names the
entry.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import zipfile
from itertools import pairwise
from pathlib import Path

import numpy as np

from models.errors import MeshError, MissingExtraError
from models.piece import Array, Ints

# how far, as part of the mesh's size, a piece may bulge out of the mesh; half of CoACD's own default
CONCAVITY = 0.03
# raise it when the decomposition itself changes, so that old entries are not read any more
VERSION = 1
# seconds; meshes of real pieces take one to ten
TIMEOUT_S = 90.0


def decompose(vertices: Array, faces: Ints) -> list[Array]:
    """Returns the corners (n, 3) of convex pieces that fill a closed mesh.

    Raises MissingExtraError when the pieces are not known yet and `coacd` is not installed, MeshError when it
    fails or takes longer than `TIMEOUT_S`.
    """
    step = 2.0 ** np.floor(np.log2(float(np.linalg.norm(np.ptp(vertices, axis=0))) * 1e-6))
    grid = np.round(vertices / step).astype(np.int64)
    recipe = f"{VERSION} {CONCAVITY} {step!r} {grid.shape} {faces.shape}".encode()
    name = hashlib.sha256(recipe + grid.tobytes() + faces.astype(np.int64).tobytes()).hexdigest()
    path = cache_folder() / f"{name}.npz"
    pieces = _load(path)
    if pieces is None:
        pieces = _run(grid.astype(float) * 1e-6, faces)
        _save(path, pieces)
    return [piece * (step * 1e6) for piece in pieces]


def cache_folder() -> Path:
    """Where decompositions are kept: `$XDG_CACHE_HOME/teeter/convex`, or below `~/.cache`."""
    # the XDG rules: a relative path is to be ignored
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".cache") / "teeter" / "convex"


def _run(vertices: Array, faces: Ints) -> list[Array]:
    """The pieces, found in a process of its own so that a mesh that CoACD chokes on cannot hang the caller."""
    if not _has_coacd():
        raise MissingExtraError(
            "this mesh is not convex, and cutting it into convex parts needs the package coacd: "
            'install it with  pip install "teeter[mesh]"'
        )
    mesh = io.BytesIO()
    np.savez(mesh, vertices=vertices, faces=faces, threshold=CONCAVITY)
    command = [sys.executable, "-m", "models.decompose"]
    advice = "repair or simplify it, or save it as several convex meshes"
    try:
        done = subprocess.run(
            command, input=mesh.getvalue(), capture_output=True, timeout=TIMEOUT_S, check=True
        )
    except subprocess.TimeoutExpired:
        raise MeshError(
            f"a mesh of {len(faces)} triangles could not be cut into convex parts in {TIMEOUT_S:g} s: {advice}"
        ) from None
    except subprocess.CalledProcessError as error:
        raise MeshError(
            f"cutting {len(faces)} triangles into convex parts failed (exit code {error.returncode}): {advice}"
        ) from None
    with np.load(io.BytesIO(done.stdout), allow_pickle=False) as answer:
        corners, bounds = answer["corners"], answer["bounds"]
    return [corners[first:last] for first, last in pairwise(bounds.tolist())]


def _has_coacd() -> bool:
    try:
        return importlib.util.find_spec("coacd") is not None
    except ValueError:  # it is marked as not importable
        return False


def _load(path: Path) -> list[Array] | None:
    """The pieces of an entry; None when there is none, or what lies there is damaged."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as entry:
            corners, bounds = entry["corners"], entry["bounds"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    is_sound = (
        corners.dtype == np.float64
        and corners.ndim == 2
        and corners.shape[1] == 3
        and bool(np.isfinite(corners).all())
        and bounds.dtype == np.int64
        and bounds.ndim == 1
        and len(bounds) >= 2
        and bounds[0] == 0
        and bounds[-1] == len(corners)
        and bool((np.diff(bounds) >= 4).all())
    )
    return [corners[first:last] for first, last in pairwise(bounds.tolist())] if is_sound else None


def _save(path: Path, pieces: list[Array]) -> None:
    """Write an entry whole or not at all. A folder that cannot be written costs time, not the piece."""
    bounds = np.cumsum([0, *(len(piece) for piece in pieces)]).astype(np.int64)
    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
            temporary = file.name
            np.savez_compressed(file, corners=np.concatenate(pieces), bounds=bounds)
        os.replace(temporary, path)
    except OSError:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def main() -> None:
    """Runs CoACD in this process, which can be stopped: `python -m models.decompose < mesh.npz > pieces.npz`.

    On meshes that cross themselves CoACD can search for minutes, deaf to interrupts. Reads `vertices`, `faces` and
    `threshold`, writes `corners` and `bounds` (where each piece ends).
    """
    import coacd

    with np.load(io.BytesIO(sys.stdin.buffer.read()), allow_pickle=False) as mesh:
        vertices, faces, threshold = mesh["vertices"], mesh["faces"], float(mesh["threshold"])
    coacd.set_log_level("off")
    answer = os.dup(1)
    # what CoACD prints must not mix with the answer
    os.dup2(2, 1)
    pieces = coacd.run_coacd(coacd.Mesh(vertices, faces), threshold=threshold, seed=0)
    corners = [np.asarray(points, dtype=np.float64) for points, _ in pieces]
    buffer = io.BytesIO()
    np.savez(buffer, corners=np.concatenate(corners), bounds=np.cumsum([0, *map(len, corners)]))
    with os.fdopen(answer, "wb") as out:
        out.write(buffer.getvalue())


if __name__ == "__main__":
    main()
