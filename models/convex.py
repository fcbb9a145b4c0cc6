"""Convex parts, what the dynamics collides with; of concave meshes they are remembered on disk.

Those come from CoACD (Wei et al. 2022; extra `mesh`), which takes seconds. The same mesh, down to a millionth of its
size, must give the same pieces whatever was decomposed before, or a replay would depend on the history of the
machine: so the mesh is rounded first, and the rounded mesh is both what is decomposed and what names the entry.
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
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from models.errors import MeshError, MissingExtraError
from models.piece import Array, Ints, Part

# A hull whose corners are this near (as part of its diagonal) to those of a cuboid is one.
CUBOID_FIT = 5e-5
# Simulators slow down with the corners of a hull; beyond this number the outermost in even directions are
# kept.
MAX_CORNERS = 256

# how far, as part of the mesh's size, a piece may bulge out of the mesh; half of CoACD's own default
CONCAVITY = 0.03
# raise it when the decomposition itself changes, so that old entries are not read any more
VERSION = 1
# seconds; meshes of real pieces take one to ten
TIMEOUT_S = 90.0

SIGNS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


def box_part(centre: Array, half_extents: Array, rotation: Array | None = None) -> Part:
    """An exact box: centre (3,) and half extents (3,) in metres, rotation (3, 3)."""
    turn = np.eye(3) if rotation is None else rotation
    return Part("box", centre, turn, centre + (SIGNS * half_extents) @ turn.T, half_extents=half_extents)


def sphere_part(centre: Array, radius: float) -> Part:
    """An exact ball: centre (3,) and radius in metres."""
    return Part("sphere", centre, np.eye(3), np.empty((0, 3)), radius=radius)


def hull_part(vertices: Array) -> Part:
    """The convex hull of points (n, 3) in metres; an exact box when it is a cuboid."""
    hull = ConvexHull(vertices)
    corners = vertices[hull.vertices]
    box = _as_box(corners, hull.equations[:, :3])
    if box is not None:
        return box
    if len(corners) > MAX_CORNERS:
        outermost = np.argmax(even_directions(MAX_CORNERS) @ (corners - corners.mean(axis=0)).T, axis=1)
        corners = corners[np.unique(outermost)]
    return Part("hull", corners.mean(axis=0), np.eye(3), corners)


def even_directions(count: int) -> Array:
    """(count, 3) unit vectors spread evenly: the six axes, then a Fibonacci spiral (Gonzalez 2010)."""
    axes = np.concatenate([np.eye(3), -np.eye(3)])
    k = np.arange(count - 6) + 0.5
    z = 1 - 2 * k / (count - 6)
    angle = k * np.pi * (3 - np.sqrt(5))
    spiral = np.stack([np.sqrt(1 - z * z) * np.cos(angle), np.sqrt(1 - z * z) * np.sin(angle), z], axis=1)
    return np.concatenate([axes, spiral])


def hull_volume(vertices: Array) -> float:
    """Volume of the convex hull of points (n, 3), cubic metres; 0 when they lie in a plane."""
    try:
        return float(ConvexHull(vertices).volume)
    except QhullError:
        return 0.0


def part_volume(part: Part) -> float:
    """Volume of a part in cubic metres."""
    if part.kind == "sphere" and part.radius is not None:
        return 4 / 3 * float(np.pi) * part.radius**3
    if part.half_extents is not None:
        return 8 * float(np.prod(part.half_extents))
    return hull_volume(part.vertices)


def merge_cells(cells: Iterable[tuple[int, int, int]]) -> list[tuple[Array, Array]]:
    """Unit cells joined into few cuboids: pairs of lowest cell and cell counts along x, y, z, each (3,).

    Greedy: every cuboid starts at the first free cell and grows along one axis after the other; the order of
    the axes that needs the fewest cuboids is taken.
    """
    every = sorted(cells)
    orders = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    return min((_grow(every, order) for order in orders), key=len)


def _grow(cells: list[tuple[int, int, int]], order: tuple[int, int, int]) -> list[tuple[Array, Array]]:
    free = set(cells)
    cuboids = []
    for cell in cells:
        if cell not in free:
            continue
        low, size = np.array(cell), np.ones(3, dtype=int)
        for axis in order:
            while _block(low, size, axis) <= free:
                size[axis] += 1
        free -= {tuple((low + step).tolist()) for step in np.ndindex(*size)}
        cuboids.append((low.astype(float), size.astype(float)))
    return cuboids


def _block(low: Array, size: Array, axis: int) -> set[tuple[int, int, int]]:
    """The layer of cells by which a cuboid would grow along an axis."""
    layer, start = size.copy(), low.copy()
    start[axis] += size[axis]
    layer[axis] = 1
    return {tuple((start + step).tolist()) for step in np.ndindex(*layer.tolist())}


def _as_box(corners: Array, normals: Array) -> Part | None:
    """The box whose eight corners these are, or None. normals: (f, 3) unit, of the hull's faces."""
    if len(corners) != 8:
        return None
    first = normals[0]
    across = normals - np.outer(normals @ first, first)
    second = across[np.argmax(np.linalg.norm(across, axis=1))]
    second = second / np.linalg.norm(second)
    turn = _nearest_axes(np.stack([first, second, np.cross(first, second)], axis=1))
    low, high = (corners @ turn).min(axis=0), (corners @ turn).max(axis=0)
    box = box_part(turn @ (low + high) / 2, (high - low) / 2, turn)
    gaps = np.linalg.norm(box.vertices[:, None] - corners, axis=2).min(axis=1)
    return box if gaps.max() <= CUBOID_FIT * float(np.linalg.norm(high - low)) else None


def _nearest_axes(turn: Array) -> Array:
    """The same three directions, ordered and signed to lie nearest to x, y and z; right-handed."""
    columns: list[Array] = []
    left = list(turn.T)
    for axis in range(3):
        best = max(range(len(left)), key=lambda k: abs(left[k][axis]))
        column = left.pop(best)
        columns.append(np.copysign(1.0, column[axis]) * column)
    if np.linalg.det(np.stack(columns)) < 0:
        columns[2] = -columns[2]
    turned: Array = np.stack(columns, axis=1)
    # an axis-aligned box is exactly so
    return np.eye(3) if np.abs(turned - np.eye(3)).max() < 1e-9 else turned


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
    command = [sys.executable, "-m", "models.convex"]
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
    """Runs CoACD in this process, which can be stopped: `python -m models.convex < mesh.npz > pieces.npz`.

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
