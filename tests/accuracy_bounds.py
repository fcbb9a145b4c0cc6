"""Whether what a bench measures lies within bounds: by a look on either side, where a measurement takes a dozen."""

from __future__ import annotations

from teeter.engine.bench.accuracy import slides_at, stays_over_edge
from teeter.models.piece import Piece


def tips_within(mm: float, shape: Piece, yaw: float) -> bool:
    """Whether the simulation tips a piece over an edge so near to where it should."""
    return stays_over_edge(shape, mm, yaw) and not stays_over_edge(shape, -mm, yaw)


def slides_within(per_cent: float, friction: float, yaw: float, shape: Piece | None = None) -> bool:
    """Whether the simulation lets a piece slide so near to atan(mu)."""
    late, early = 1 + per_cent / 100, 1 - per_cent / 100
    return slides_at(late, friction, yaw, shape) and not slides_at(early, friction, yaw, shape)
