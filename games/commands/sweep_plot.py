"""The map of a sweep: verdict and margin of every place, over the tower seen from above."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial import ConvexHull

from engine.geometry.convex import bounds_of, solids_at
from models.files import whole_or_nothing
from models.piece import Array

if TYPE_CHECKING:
    from engine.topple.laboratory.sweep import SweepRow
    from engine.world import Body


MOST_PANELS = 6
"""Yaws drawn side by side; of more, so many are chosen evenly."""
COLOURS = {"topples": "#c9503c", "unsure": "#e6b422", "overlaps": "#b9b6b0", "apart": "#ffffff"}
LABELS = {"topples": "topples", "unsure": "unsure", "overlaps": "place is taken", "apart": "nothing below"}
INK = "#33302b"
SMALL = 1e-9


def draw(
    path: Path,
    rows: Sequence[SweepRow],
    bodies: Sequence[Body],
    piece: Body,
    safest: Sequence[SweepRow],
    *,
    force: bool = False,
) -> None:
    """Draw the map into a file; the kind is that of its name. force: a file that is there may be replaced. Raises
    OutputError when it cannot be written."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"font.size": 9, "axes.edgecolor": INK, "text.color": INK, "axes.labelcolor": INK}):
        yaws = sorted({row.yaw_deg for row in rows if row.yaw_deg is not None})
        is_grid = _is_grid(rows)
        groups = _groups(rows, yaws, is_grid)
        low, high = _limits(rows, bodies)
        across = min(1 if high[0] - low[0] > 2 * (high[1] - low[1]) else 3, len(groups))
        down = -(-len(groups) // across)
        wide, tall = (high - low) / (high - low).max()
        size = (1.9 + 4.6 * across * max(wide, 0.35), 1.4 + (4.6 * max(tall, 0.2) + 0.5) * down)
        figure = Figure(figsize=size, dpi=150, layout="constrained")
        axes = list(figure.subplots(down, across, squeeze=False).ravel())
        scale = _scale(rows)
        for axis, (title, group) in zip(axes, groups, strict=False):
            _tower(axis, bodies)
            _field(axis, group, scale, is_grid)
            _best(axis, [row for row in safest if row in group], safest)
            axis.set_title(title)
        for axis in axes[len(groups) :]:
            axis.set_axis_off()
        _frame(axes[: len(groups)], low, high)
        _legend(figure, axes, rows, scale, piece)
        with whole_or_nothing(path, force=force) as part:
            figure.savefig(part, format=path.suffix[1:])


def _groups(rows: Sequence[SweepRow], yaws: list[float], is_grid: bool) -> list[tuple[str, list[SweepRow]]]:
    if not is_grid or len(yaws) == 1:
        turned = f"turned by {yaws[0]:g}°" if len(yaws) == 1 and yaws[0] else ""
        return [(turned, list(rows))]
    chosen = [
        yaws[at]
        for at in np.unique(np.linspace(0, len(yaws) - 1, min(MOST_PANELS, len(yaws))).round().astype(int))
    ]
    return [(f"turned by {yaw:g}°", [row for row in rows if row.yaw_deg == yaw]) for yaw in chosen]


def _is_grid(rows: Sequence[SweepRow]) -> bool:
    sizes = [len({getattr(row, name) for row in rows}) for name in ("x_mm", "y_mm", "yaw_deg")]
    return math.prod(sizes) == len(rows)


def _scale(rows: Sequence[SweepRow]) -> Any:
    """Colours of the tilt margin, from 0 to the greatest."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    tilts = [row.tilt_deg for row in rows if row.verdict == "stands" and row.tilt_deg is not None]
    colours = LinearSegmentedColormap.from_list("calm", ["#eef3c8", "#8cc08a", "#2f7f79", "#173f5c"])
    return ScalarMappable(Normalize(0.0, max(tilts, default=1.0) or 1.0), colours)


def _field(axis: Any, rows: Sequence[SweepRow], scale: Any, is_grid: bool) -> None:
    colours = [_colour(row, scale) for row in rows]
    x = np.array([row.x_mm for row in rows], dtype=np.float64)
    y = np.array([row.y_mm for row in rows], dtype=np.float64)
    columns, lines = np.unique(x), np.unique(y)
    if is_grid and len(columns) > 1 and len(lines) > 1:
        image = np.zeros((len(lines), len(columns), 4))
        image[np.searchsorted(lines, y), np.searchsorted(columns, x)] = colours
        # cells reach half a step beyond the outermost places
        half_x, half_y = (columns[1] - columns[0]) / 2, (lines[1] - lines[0]) / 2
        ends = (columns[0] - half_x, columns[-1] + half_x, lines[0] - half_y, lines[-1] + half_y)
        axis.imshow(image, extent=ends, origin="lower", interpolation="nearest", zorder=2, aspect="equal")
    else:
        axis.scatter(x, y, c=colours, s=max(6.0, min(60.0, 9000.0 / len(rows))), linewidths=0, zorder=2)


def _colour(row: SweepRow, scale: Any) -> tuple[float, float, float, float]:
    from matplotlib.colors import to_rgba

    if row.verdict == "stands":
        red, green, blue, _ = scale.to_rgba(row.tilt_deg or 0.0)
        return float(red), float(green), float(blue), 0.88
    return to_rgba(COLOURS[row.verdict], 0.0 if row.verdict == "apart" else 0.75)


def _hulls(body: Body) -> list[Array]:
    """The convex parts of a body from above, millimetres, counter-clockwise."""
    found = []
    for part in body.piece.parts:
        if part.radius is not None:
            around = np.linspace(0, 2 * np.pi, 48, endpoint=False)
            points = body.pose.apply(part.centre[None])[:, :2] + part.radius * np.stack(
                [np.cos(around), np.sin(around)], 1
            )
        else:
            points = body.pose.apply(part.vertices)[:, :2]
        found.append(points[ConvexHull(points).vertices] * 1e3)
    return found


def _top(body: Body) -> float:
    return float(bounds_of(solids_at(body.piece, body.pose))[1][2])


def _tower(axis: Any, bodies: Sequence[Body]) -> None:
    """The pieces from above, the higher ones lighter and on top, with their outlines over the map."""
    from matplotlib.patches import Polygon

    tops = {body.name: _top(body) for body in bodies}
    low, high = min(tops.values()), max(tops.values())
    for body in sorted(bodies, key=lambda one: tops[one.name]):
        share = (tops[body.name] - low) / max(high - low, SMALL)
        shade = (
            (0.93, 0.92, 0.90)
            if body.fixed
            else (0.62 + 0.28 * share, 0.52 + 0.28 * share, 0.38 + 0.28 * share)
        )
        is_top = not body.fixed and tops[body.name] > high - 1e-4
        width, strength = (1.4, 0.9) if is_top else (0.6, 0.35)
        for hull in _hulls(body):
            axis.add_patch(Polygon(hull, facecolor=shade, edgecolor="none", zorder=1))
            axis.add_patch(
                Polygon(hull, facecolor="none", edgecolor=INK, linewidth=width, alpha=strength, zorder=3)
            )


def _best(axis: Any, here: Sequence[SweepRow], safest: Sequence[SweepRow]) -> None:
    for row in here:
        rank = list(safest).index(row) + 1
        axis.plot(row.x_mm, row.y_mm, "o", color="white", markeredgecolor=INK, markersize=9, zorder=4)
        axis.text(row.x_mm, row.y_mm, str(rank), ha="center", va="center_baseline", fontsize=6, zorder=5)


def _limits(rows: Sequence[SweepRow], bodies: Sequence[Body]) -> tuple[Array, Array]:
    """The corners of the map: the places, and all free pieces."""
    points = [np.array([[row.x_mm, row.y_mm] for row in rows], dtype=np.float64)]
    points += [hull for body in bodies if not body.fixed for hull in _hulls(body)]
    low, high = np.concatenate(points).min(axis=0), np.concatenate(points).max(axis=0)
    room = 0.06 * float((high - low).max()) + 2.0
    return low - room, high + room


def _frame(axes: Sequence[Any], low: Array, high: Array) -> None:
    """The same limits for all panels."""
    for axis in axes:
        axis.set_xlim(low[0], high[0])
        axis.set_ylim(low[1], high[1])
        axis.set_aspect("equal")
        axis.set_xlabel("x, mm")
        axis.set_ylabel("y, mm")
        axis.spines[["top", "right"]].set_visible(False)


def _legend(figure: Any, axes: Sequence[Any], rows: Sequence[SweepRow], scale: Any, piece: Body) -> None:
    from matplotlib.patches import Patch

    shown = list(dict.fromkeys(row.verdict for row in rows))
    if any(row.verdict == "stands" and row.tilt_deg is not None for row in rows):
        figure.colorbar(scale, ax=list(axes), label="stands, and can be tilted by, degrees", shrink=0.8)
    handles = [
        Patch(facecolor=COLOURS[word], edgecolor=INK, linewidth=0.4, alpha=0.85, label=LABELS[word])
        for word in COLOURS
        if word in shown
    ]
    if handles:
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
    figure.suptitle(f"Where could {piece.name} go?", fontsize=12, x=0.02, ha="left")
