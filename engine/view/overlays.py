"""What may be drawn over a scene besides its bodies, as values: lines, spots, arrows and ghosts of pieces.

Metres. Colours are `#rrggbb`; cover is opacity, 0 to 1. No graphics library.
"""

from dataclasses import dataclass

from teeter.engine.pose import Pose
from teeter.engine.view.camera import Vector
from teeter.models.piece import Piece


@dataclass(frozen=True, slots=True)
class Line:
    """A round line through points."""

    points: tuple[Vector, ...]
    colour: str
    radius: float = 0.0006
    cover: float = 1.0


@dataclass(frozen=True, slots=True)
class Spot:
    """A flat, convex patch with an edge, its corners counter-clockwise seen from its upper side."""

    corners: tuple[Vector, ...]
    colour: str
    cover: float = 0.35
    edge: float = 0.0006


@dataclass(frozen=True, slots=True)
class Arrow:
    """A line with a head at its end."""

    start: Vector
    end: Vector
    colour: str
    radius: float = 0.0012
    cover: float = 1.0


@dataclass(frozen=True, slots=True)
class Ghost:
    """A piece that is not there."""

    piece: Piece
    pose: Pose
    colour: str
    cover: float = 0.4


Overlay = Line | Spot | Arrow | Ghost
