"""The places of a sweep: values along axes as they are typed, and their combinations."""

from __future__ import annotations

import math

import numpy as np

from engine.topple.errors import SweepError

MOST_STEPS = 100_000
MOST_PLACES = 50_000_000
"""A table of this many rows fills a disk of 5 GB."""

Spot = tuple[float, float, float]
"""x and y in millimetres, yaw in degrees."""


def axis_of(words: str, option: str) -> list[float]:
    """The values of `A:B:N` (N from A to B, both included) or of a single number. Raises SweepError."""
    parts = words.split(":")
    try:
        values = [float(part) for part in parts[:2]]
        count = int(parts[2]) if len(parts) == 3 else 1
    except ValueError:
        values, count = [], 0
    if len(parts) not in (1, 3) or not all(map(math.isfinite, values)) or not 0 < count <= MOST_STEPS:
        raise SweepError(
            f"{option} = {words}: must be a number, or FROM:TO:COUNT such as -20:20:9, "
            f"with a count of 1 to {MOST_STEPS}"
        )
    if count == 1 and len(parts) == 3 and values[0] != values[1]:
        raise SweepError(f"{option} = {words}: one step cannot lead from {values[0]:g} to {values[1]:g}")
    return [round(float(value), 9) for value in np.linspace(values[0], values[-1], count)]


def spots_of(x: list[float], y: list[float], yaw: list[float], samples: int | None, seed: int) -> list[Spot]:
    """All combinations, x fastest and yaw slowest; or so many places at random between the ends. Raises SweepError
    for more than a table holds.
    """
    count = len(x) * len(y) * len(yaw) if samples is None else samples
    if not 0 < count <= MOST_PLACES:
        raise SweepError(f"{count} places: must be from 1 to {MOST_PLACES}")
    if samples is None:
        return [(a, b, c) for c in yaw for b in y for a in x]
    random = np.random.default_rng(seed)
    ends = np.array([[min(axis), max(axis)] for axis in (x, y, yaw)])
    return [
        (round(float(a), 6), round(float(b), 6), round(float(c), 6))
        for a, b, c in ends[:, 0] + random.random((samples, 3)) * (ends[:, 1] - ends[:, 0])
    ]
