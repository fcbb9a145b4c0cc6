"""A piece as the text Bullet loads: its convex parts in the frame of its mass, in units of the world's scale.

URDF is the only way to load a body of several hulls with a mass frame of its own.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError

from engine.settings import COLLISION_MARGIN, Tuning
from engine.world import Scale
from models.piece import Part, Piece

Array = NDArray[np.float64]

LEVEL_COSINE = 0.7
"""Cosine of the angle from the vertical up to which a face looks up or down: 45 degrees, so every box has one."""


@dataclass(frozen=True, slots=True, eq=False)
class MassFrame:
    """Where a piece's mass is: centre (3,) metres in the piece frame, axes (3, 3) columns, moments (3,) kg m^2."""

    centre: Array
    axes: Array
    moments: Array


@lru_cache(maxsize=1024)
def mass_frame(piece: Piece) -> MassFrame:
    """Returns the principal frame of a piece; the piece's own axes when they are principal already."""
    inertia = piece.inertia
    off_diagonal = np.abs(inertia - np.diag(np.diag(inertia))).max()
    if off_diagonal <= 1e-9 * np.diag(inertia).max():
        return MassFrame(piece.centre_of_mass, np.eye(3), np.diag(inertia).copy())
    moments, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0:
        axes[:, 2] *= -1.0
    return MassFrame(piece.centre_of_mass, axes, moments)


def write(piece: Piece, scale: Scale, tuning: Tuning, fixed: bool, up: Array) -> Path:
    """Returns the URDF file of a piece, made once per content in a folder that goes with the process.

    up: (3,) the world's vertical in the piece frame. Boxes wear their skin on the faces that look up and down as
    they are put in: between neighbours side by side it would squeeze, and a row of bricks would creep apart.
    """
    frame = mass_frame(piece)
    blocks, meshes = [], {}
    for part in piece.parts:
        block, mesh = _collision(part, frame, scale, tuning, up)
        blocks.append(block)
        meshes.update(mesh)
    mass = 0.0 if fixed else piece.mass / scale.mass
    moments = np.zeros(3) if fixed else frame.moments / (scale.mass * scale.length**2)
    text = (
        f'<robot name="piece"><link name="piece"><inertial><mass value="{mass!r}"/>'
        f'<inertia ixx="{moments[0]:.17g}" ixy="0" ixz="0" iyy="{moments[1]:.17g}" iyz="0" izz="{moments[2]:.17g}"/>'
        f"</inertial>{''.join(blocks)}</link></robot>"
    )
    folder = _folder()
    for name, content in meshes.items():
        _write(folder / name, content)
    return _write(folder / f"{_digest(text)}.urdf", text)


def _collision(
    part: Part, frame: MassFrame, scale: Scale, tuning: Tuning, up: Array
) -> tuple[str, dict[str, str]]:
    """One <collision> element, and the mesh file it needs (none or one)."""
    if part.kind == "hull":
        text = _hull(part, frame, scale)
        name = f"{_digest(text)}.obj"
        return f'<collision><geometry><mesh filename="{name}"/></geometry></collision>', {name: text}
    centre = (part.centre - frame.centre) @ frame.axes / scale.length
    if part.kind == "sphere":
        assert part.radius is not None
        shape = f'<sphere radius="{part.radius / scale.length:.17g}"/>'
        roll = pitch = yaw = 0.0
    else:
        assert part.half_extents is not None
        is_level = np.abs(part.rotation.T @ up) > LEVEL_COSINE
        size = 2.0 * (part.half_extents / scale.length + np.where(is_level, tuning.skin, 0.0))
        shape = f'<box size="{size[0]:.17g} {size[1]:.17g} {size[2]:.17g}"/>'
        roll, pitch, yaw = _rpy(frame.axes.T @ part.rotation)
    return (
        f'<collision><origin xyz="{centre[0]:.17g} {centre[1]:.17g} {centre[2]:.17g}" '
        f'rpy="{roll:.17g} {pitch:.17g} {yaw:.17g}"/><geometry>{shape}</geometry></collision>'
    ), {}


@lru_cache(maxsize=4096)
def _hull(part: Part, frame: MassFrame, scale: Scale) -> str:
    """Returns the mesh of a hull: a curved one takes tens of milliseconds, and worlds are rebuilt all the time."""
    return _obj(shrunk((part.vertices - frame.centre) @ frame.axes / scale.length, COLLISION_MARGIN))


def shrunk(corners: Array, margin: float) -> Array:
    """Returns the corners (n, 3) of a convex hull with every face moved inwards by the margin.

    Bullet adds its margin outside a hull's corners; shrinking first keeps the outer surface where it belongs. A
    hull too thin for that is shrunk by a quarter of its thickness instead.
    """
    hull = ConvexHull(corners)
    planes = np.unique(np.round(hull.equations, 9), axis=0)
    centre = corners[hull.vertices].mean(axis=0)
    depth = float(-(planes[:, :3] @ centre + planes[:, 3]).max())
    planes = planes.copy()
    planes[:, 3] += min(margin, 0.25 * depth)
    try:
        found: Array = HalfspaceIntersection(planes, centre).intersections
    except QhullError:
        found = centre + (corners - centre) * (1.0 - min(margin, 0.25 * depth) / depth)
    return found


def _obj(corners: Array) -> str:
    """Wavefront text of the convex hull of corners (n, 3), faces counter-clockwise from outside."""
    hull = ConvexHull(corners)
    order = {int(old): new for new, old in enumerate(hull.vertices, start=1)}
    lines = [f"v {x:.17g} {y:.17g} {z:.17g}" for x, y, z in corners[hull.vertices]]
    for triangle, plane in zip(hull.simplices, hull.equations, strict=True):
        a, b, c = corners[triangle]
        face = triangle if np.cross(b - a, c - a) @ plane[:3] > 0 else triangle[::-1]
        lines.append("f " + " ".join(str(order[int(corner)]) for corner in face))
    return "o part\n" + "\n".join(lines) + "\n"


def _rpy(m: Array) -> tuple[float, float, float]:
    """Returns roll, pitch, yaw in radians of a rotation matrix (3, 3)."""
    pitch = float(np.arctan2(-m[2, 0], np.hypot(m[0, 0], m[1, 0])))
    if np.hypot(m[0, 0], m[1, 0]) > 1e-12:
        return float(np.arctan2(m[2, 1], m[2, 2])), pitch, float(np.arctan2(m[1, 0], m[0, 0]))
    return 0.0, pitch, float(np.arctan2(-m[0, 1], m[1, 1]))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def _write(path: Path, text: str) -> Path:
    """Write a file whose name tells its content; nothing to do when it is there."""
    if not path.exists():
        path.write_text(text, encoding="ascii")
    return path


_FOLDERS: dict[int, Path] = {}


def _folder() -> Path:
    """Returns a temporary folder of this process: a forked worker gets its own, so none removes another's files."""
    process = os.getpid()
    if process not in _FOLDERS:
        _FOLDERS[process] = Path(tempfile.mkdtemp(prefix="teeter-"))
        atexit.register(_remove, process)
    return _FOLDERS[process]


def scratch(name: str) -> Path:
    """Returns a path in this process's temporary folder, for a file that is read back at once."""
    return _folder() / name


def _remove(process: int) -> None:
    if os.getpid() == process:
        shutil.rmtree(_FOLDERS[process], ignore_errors=True)
