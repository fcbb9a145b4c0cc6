"""What acts on a piece besides its own weight."""

from dataclasses import dataclass

Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Load:
    """A force at a point of a piece: it moves with the piece and keeps its direction; or a weight there.

    name: what is asked for a factor; those of one name on several pieces are one load. point: metres, in the piece
    frame. force: newtons, in the frame of the table. mass: kilograms of a weight, already part of the piece's own mass.
    """

    name: str
    point: Vector
    force: Vector = (0.0, 0.0, 0.0)
    mass: float = 0.0

    @property
    def is_force(self) -> bool:
        """Whether it is more than a part of the piece's own weight."""
        return any(self.force)
