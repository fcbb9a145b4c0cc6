"""Level directions in the words of who looks at the table."""

import math

Level = tuple[float, float]
"""Along x and y."""
LITTLE = 0.25
"""Part of the larger of two components that is not worth a word."""


def way_said(way: Level, right: Level) -> str:
    """Returns where something goes: "to the left". way: level; right: what is to the right of who looks, both units."""
    across, away = _seen(way, right)
    if abs(across) >= abs(away):
        return "to the right" if across > 0 else "to the left"
    return "to the back" if away > 0 else "to the front"


def shift_said(shift: Level, right: Level) -> str:
    """Returns a shift (metres) in millimetres: "3 mm to the left and 2 mm to the back"."""
    across, away = _seen(shift, right)
    largest = max(abs(across), abs(away))
    parts = [
        f"{_mm(length)} mm {way}"
        for length, way in (
            (across, "to the right" if across > 0 else "to the left"),
            (away, "to the back" if away > 0 else "to the front"),
        )
        if abs(length) > LITTLE * largest
    ]
    return " and ".join(parts) or "0 mm away"


def _seen(way: Level, right: Level) -> Level:
    """Returns the parts to the right and away from who looks."""
    (x, y), (a, b) = way, right
    long = math.hypot(a, b) or 1.0
    return (x * a + y * b) / long, (y * a - x * b) / long


def _mm(metres: float) -> str:
    value = abs(1e3 * metres)
    return f"{value:.0f}" if value >= 3 else f"{value:.1f}"
