"""The picture of `agreement`: who agrees with whom near the critical point, and what a verdict costs.

python tests/research/agreement_plot.py agreement.csv agreement.png
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import matplotlib
from agreement import Row, read

matplotlib.use("Agg")
import matplotlib.pyplot as plt

NAMES = {
    "statics": "statics",
    "dynamics": "dynamics",
    "mujoco": "MuJoCo, 3 s",
    "rbe": "compas rbe",
    "cra": "compas cra",
}
COLOURS = {
    "statics": "#1b6e53",
    "dynamics": "#7cb342",
    "mujoco": "#e08a1e",
    "rbe": "#3b6fb6",
    "cra": "#9257a8",
}
BINS = (0.0, 0.05, 0.1, 0.2, 0.5, 1.01)
"""Millimetres or degrees from the critical point."""


def draw(rows: Sequence[Row], path: Path) -> None:
    """Shares of right verdicts by distance from the critical point, where that is known; and times by pieces."""
    figure, (near, cost) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    labels = [f"{low:g} to {min(high, 1.0):g}" for low, high in pairwise(BINS)]
    for at, name in enumerate(("dynamics", "mujoco", "rbe", "cra")):
        shares = [_share(rows, name, low, high) for low, high in pairwise(BINS)]
        places = [number + 0.2 * (at - 1.5) for number in range(len(shares))]
        heights = [0.0 if share is None else 100.0 * share for share in shares]
        near.bar(places, heights, 0.18, label=NAMES[name], color=COLOURS[name])
    near.set_xticks(range(len(labels)), labels)
    near.set(xlabel="mm or degrees from the critical point", ylabel="verdicts as built, %", ylim=(0, 100))
    near.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=4, frameon=False, fontsize=8)
    for name in NAMES:
        asked = [row for row in rows if getattr(row, f"{name}_s") > 0 and getattr(row, name) is not None]
        cost.plot(
            [row.pieces for row in asked],
            [getattr(row, f"{name}_s") for row in asked],
            "o",
            markersize=4,
            alpha=0.6,
            label=NAMES[name],
            color=COLOURS[name],
        )
    cost.set(xlabel="pieces", ylabel="seconds a verdict", yscale="log", xticks=range(2, 21, 2))
    cost.legend(
        loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=5, frameon=False, fontsize=8, handletextpad=0.1
    )
    for axes in (near, cost):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def _share(rows: Sequence[Row], name: str, low: float, high: float) -> float | None:
    """Of the stacks so far from their critical point, the share that somebody judges as they were built."""
    some = [row for row in rows if row.off is not None and low <= abs(row.off) < high]
    said = [getattr(row, name) is (row.off > 0) for row in some if row.off and getattr(row, name) is not None]
    return sum(said) / len(said) if said else None


if __name__ == "__main__":
    draw(read(Path(sys.argv[1])), Path(sys.argv[2]))
