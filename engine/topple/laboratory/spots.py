"""The places of a sweep: values along axes as they are typed, and their combinations."""

from numbers import Integral, Real

import numpy as np

from teeter.engine.topple.errors import SweepError

MAX_STEPS = 100_000
MAX_DISTANCE = 100_000.0
_BOUNDS = f"from {-MAX_DISTANCE:g} to {MAX_DISTANCE:g}, with a count of 1 to {MAX_STEPS}"
"""Millimetres or degrees; nothing stands on a table 100 m away."""
MAX_PLACES = 50_000_000
"""A table of this many rows fills a disk of 5 GB."""

Spot = tuple[float, float, float]
"""x and y in millimetres, yaw in degrees."""


def axis_of(words: str, option: str) -> list[float]:
    """Returns the values of `A:B:N` (N from A to B, both included) or of a single number. Raises SweepError."""
    parts = words.split(":")
    try:
        ends, count = [float(part) for part in parts[:2]], int(parts[2]) if len(parts) == 3 else 1
    except ValueError:
        ends, count = [], 0
    if len(parts) not in (1, 3) or not ends:
        raise SweepError(
            f"{option} = {words}: must be a number, or FROM:TO:COUNT such as -20:20:9, {_BOUNDS}"
        )
    return _values(ends[0], ends[-1], count, f"{option} = {words}")


def values_of(axis: float | tuple[float, float, int], name: str) -> list[float]:
    """Returns the values of (first, last, count), both included, or of a single number. Raises SweepError."""
    parts = axis if isinstance(axis, tuple) else (axis, axis, 1)
    if len(parts) != 3 or not all(isinstance(part, Real) and not isinstance(part, bool) for part in parts):
        raise SweepError(f"{name} = {axis!r}: must be a number, or (first, last, count), {_BOUNDS}")
    return _values(float(parts[0]), float(parts[1]), parts[2], f"{name} = {axis!r}")


def _values(first: float, last: float, count: int, words: str) -> list[float]:
    is_within = all(abs(value) <= MAX_DISTANCE for value in (first, last))  # not of nan either
    if not is_within or not isinstance(count, Integral) or not 0 < count <= MAX_STEPS:
        raise SweepError(f"{words}: must be {_BOUNDS}")
    if count == 1 and first != last:
        raise SweepError(f"{words}: one step cannot lead from {first:g} to {last:g}")
    return [round(float(value), 9) for value in np.linspace(first, last, count)]


def spots_of(x: list[float], y: list[float], yaw: list[float], samples: int | None, seed: int) -> list[Spot]:
    """All combinations, x fastest and yaw slowest; or so many places at random between the ends. Raises
    SweepError for more than a table holds."""
    count = len(x) * len(y) * len(yaw) if samples is None else samples
    if not 0 < count <= MAX_PLACES:
        raise SweepError(f"{count} places: must be from 1 to {MAX_PLACES}")
    if samples is None:
        return [(a, b, c) for c in yaw for b in y for a in x]
    random = np.random.default_rng(seed)
    ends = np.array([[min(axis), max(axis)] for axis in (x, y, yaw)])
    return [
        (round(float(a), 6), round(float(b), 6), round(float(c), 6))
        for a, b, c in ends[:, 0] + random.random((samples, 3)) * (ends[:, 1] - ends[:, 0])
    ]
