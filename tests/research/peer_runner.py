"""What the bench wants of an engine: a rig goes in, steps are taken, places come out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from teeter.engine.world.body import DOWN, Body, Vector
from teeter.models.piece import Array as Array


@dataclass(frozen=True, slots=True)
class Rig:
    """Bodies of one convex part each, as they are let go. gravity: m/s^2. launched: what sets out at a speed, m/s."""

    bodies: tuple[Body, ...]
    gravity: Vector = DOWN
    launched: dict[str, Vector] = field(default_factory=dict)

    @property
    def free(self) -> tuple[Body, ...]:
        """The bodies that can move."""
        return tuple(body for body in self.bodies if not body.fixed)


class Runner(Protocol):
    """An engine with a rig in it. version: the engine's. settings: in words. rate: steps a second."""

    version: str
    settings: str
    rate: int

    @property
    def elsewhere(self) -> float:
        """Seconds of processor time that it took in other processes."""
        return 0.0

    def run(self, steps: int) -> None:
        """Simulate."""

    def places(self) -> Array:
        """Returns where the free bodies are (n, 3), metres, whichever of their points that is."""

    def penetration(self) -> float:
        """Returns metres: the deepest contact."""

    def close(self) -> None:
        """Free the simulator, where that has to be done by hand."""
        return


def mass_frame_pose(body: Body) -> tuple[tuple[float, ...], tuple[float, float, float, float]]:
    """Returns where the centre of mass is (metres), and the orientation (xyzw)."""
    return tuple(float(x) for x in body.centre_of_mass), body.pose.orientation


def hulls_of(body: Body) -> list[Array]:
    """Returns the corners (n, 3) of each part of a piece, metres from its centre of mass. Raises ValueError for a
    ball."""
    if any(part.kind == "sphere" for part in body.piece.parts):
        raise ValueError(f"{body.name} is round; only pieces with corners can be given")
    return [part.vertices - body.piece.centre_of_mass for part in body.piece.parts]


def corners_of(body: Body) -> Array:
    """Returns the corners (n, 3) of a piece of one part, metres from its centre of mass. Raises ValueError for another
    piece."""
    (corners,) = hulls_of(body)
    return corners


def half_extents_of(body: Body) -> Array | None:
    """Returns half the sides (3,) of a piece that is a box, metres; None for other pieces."""
    parts = body.piece.parts
    return body.piece.extents / 2 if len(parts) == 1 and parts[0].kind == "box" else None
