"""What a verdict rests on, as tables: contact points with forces, interfaces, how the pieces moved and came to rest.

A table is a dict of columns of one length, numpy arrays, as pandas, polars and xarray take it. Forces are not unique;
these are those of least squares. They are nan where statics has none: where pieces touch on curves, and where no forces
hold them. mm, degrees, newtons.
"""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from numpy.typing import NDArray

from teeter.engine.topple.balance.equilibrium import balance_of, pair_friction
from teeter.engine.topple.balance.forces import least_squares
from teeter.engine.topple.contact.patches import axes_across
from teeter.engine.topple.errors import StaticsError
from teeter.engine.topple.verdict import contacts_of

if TYPE_CHECKING:
    from teeter.engine.topple.contact.detection import Contacts
    from teeter.engine.topple.verdict import Verdict
    from teeter.scenes.scene import Scene

Columns = dict[str, NDArray[Any]]
Array = NDArray[np.float64]
TABLES = ("contacts", "interfaces", "rest", "trajectory")
"""Of a `teeter.CheckResult`."""


def contacts(verdict: Verdict) -> Columns:
    """A row for each contact point: `first`, `second` the pieces, `interface` its number, `x_mm`, `y_mm`, `z_mm`; the
    normal `nx`, `ny`, `nz` from the second towards the first; `normal_n`, and `fx_n`, `fy_n`, `fz_n`, the force on the
    first; `friction`, the coefficient, and `used`, the share of it that the force needs."""
    touches, force, friction = _points(verdict)
    pressing = np.einsum("ij,ij->i", force, touches.normals)
    return {
        **_pair(touches, np.arange(len(touches.points))),
        "interface": _interface(touches),
        **_vector("xyz", "_mm", 1e3 * touches.points),
        **_vector(("nx", "ny", "nz"), "", touches.normals),
        "normal_n": pressing,
        **_vector(("fx", "fy", "fz"), "_n", force),
        "friction": friction,
        "used": _used(force, touches.normals, friction),
    }


def interfaces(verdict: Verdict) -> Columns:
    """A row for each face, line or point in which two pieces touch, numbered as in `contacts`: its normal, `area_mm2`;
    the resultant `fx_n`, `fy_n`, `fz_n` on the first; `x_mm`, `y_mm`, `z_mm`, where it passes; `room_mm` from there to
    the nearest edge; `used`, the share of the friction that it needs."""
    touches, force, friction = _points(verdict)
    number = _interface(touches)
    heads = np.flatnonzero(np.diff(number, prepend=-1))
    count = len(heads)
    total = np.zeros((count, 3))
    np.add.at(total, number, force)
    weight = np.einsum("ij,ij->i", force, touches.normals)
    sums = np.bincount(number, weight, count)
    place = np.zeros((count, 3))
    np.add.at(place, number, weight[:, None] * touches.points)
    with np.errstate(divide="ignore", invalid="ignore"):
        place = place / sums[:, None]
    rows = [
        _face(touches.points[number == row], touches.normals[at], place[row]) for row, at in enumerate(heads)
    ]
    return {
        **_pair(touches, heads),
        **_vector(("nx", "ny", "nz"), "", touches.normals[heads]),
        "area_mm2": np.array([area for area, _ in rows]),
        **_vector(("fx", "fy", "fz"), "_n", total),
        **_vector("xyz", "_mm", 1e3 * place),
        "room_mm": np.array([room for _, room in rows]),
        "used": _used(total, touches.normals[heads], friction[heads]),
    }


def rest(verdict: Verdict) -> Columns:
    """A row for each free piece: where the first trial left it (`x_mm`, `y_mm`, `z_mm`, quaternion `qx` to `qw`), and
    whether it `fell` there."""
    trial = verdict.dynamics.trials[0]
    return {
        "piece": np.array(trial.names, dtype=np.str_),
        **_poses(trial.poses),
        "fell": np.isin(trial.names, trial.fell),
    }


def trajectory(scene: Scene, verdict: Verdict) -> Columns:
    """A row for each free piece and each reading, 60 a second, of the trial that decided, which is run again: `time_s`
    and the columns of `rest`."""
    from teeter.games.check_record import deciding_run

    _, ticks, rate = deciding_run(scene, verdict)
    names = ticks[0].names if ticks else ()
    poses = np.concatenate([np.zeros((0, 7)), *(tick.poses for tick in ticks)])
    return {
        "time_s": np.repeat([tick.step / rate for tick in ticks], len(names)),
        "piece": np.array(names * len(ticks), dtype=np.str_),
        **_poses(poses),
    }


def as_lists(columns: Columns) -> dict[str, list[Any]]:
    """Returns a table as JSON has it: what is not known is null."""
    return {
        name: [None if isinstance(value, float) and math.isnan(value) else value for value in column.tolist()]
        for name, column in columns.items()
    }


def _points(verdict: Verdict) -> tuple[Contacts, Array, Array]:
    """The contacts, the force on the first body of each, newtons (k, 3), and the coefficients of friction (k,)."""
    touches, assembly, options = contacts_of(verdict), verdict.judged, verdict.options
    force = np.full((len(touches.points), 3), np.nan)
    if not touches.curved and assembly.free:
        with suppress(StaticsError):
            force = least_squares(balance_of(assembly, touches, gravity=options.gravity))
    return touches, force, pair_friction(assembly, touches.first, touches.second)


def _interface(touches: Contacts) -> NDArray[np.int64]:
    return np.unique(touches.patch, return_inverse=True)[1].reshape(-1)


def _pair(touches: Contacts, rows: NDArray[np.int64]) -> Columns:
    names = np.array(touches.names, dtype=np.str_)
    return {"first": names[touches.first[rows]], "second": names[touches.second[rows]]}


def _vector(names: Any, unit: str, values: Array) -> Columns:
    return {f"{name}{unit}": values[:, at] for at, name in enumerate(names)}


def _poses(poses: Array) -> Columns:
    return _vector("xyz", "_mm", 1e3 * poses[:, :3]) | _vector(("qx", "qy", "qz", "qw"), "", poses[:, 3:])


def _used(force: Array, normals: Array, friction: Array) -> Array:
    """Share of the friction: nought where nothing presses."""
    pressing = np.einsum("ij,ij->i", force, normals)
    sliding = np.linalg.norm(force - pressing[:, None] * normals, axis=1)
    least = 1e-9 * np.abs(pressing).max(initial=0.0)
    allowed = np.maximum(friction * pressing, least if least > 0 else 1e-300)
    return np.asarray(np.where(sliding <= least, 0.0 * pressing, sliding / allowed))


def _face(points: Array, normal: Array, place: Array) -> tuple[float, float]:
    """Area of a polygon, mm^2, and how far a place in it is from its edge, mm; lines and points have neither."""
    if len(points) < 3:
        return 0.0, 0.0
    across = np.stack([axis[0] for axis in axes_across(normal[None])], axis=1)
    polygon = shapely.Polygon(1e3 * (points - points[0]) @ across)
    if not np.isfinite(place).all():
        return float(polygon.area), math.nan
    return float(polygon.area), float(
        polygon.exterior.distance(shapely.Point(1e3 * (place - points[0]) @ across))
    )
