"""What is taken back of what contacts turn a round thing by in Rapier, from what Rapier says of them: see
`world.rubbing`. Of faces that turn nothing can be told: it gives no friction of single contact points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from teeter.engine.geometry.vectors import ZERO, Vector, scaled
from teeter.engine.pose import Pose, vector_of
from teeter.engine.world.body import Contact
from teeter.engine.world.rubbing import Point, Pressing, Turning, climbing, middle_of


def climbs(
    name: str,
    pose: Pose,
    centre: Vector,
    motion: tuple[Vector, Vector],
    contacts: Iterable[Contact],
    slow: float,
) -> Iterator[tuple[str, Vector]]:
    """Yields a round body, and the others it lies on, each with the torque to be added in the next step, N m.

    centre: of its mass, metres, where its contacts were found; motion: velocity and spin; slow: m/s of
    `rubbing.SLIPPING`.
    """
    touching: dict[str, list[Point]] = {}
    for contact in contacts:
        other, sign = (contact.b, 1.0) if contact.a == name else (contact.a, -1.0)
        touching.setdefault(other, []).append(
            Point(contact.point, scaled(contact.normal, sign), contact.force, ZERO)
        )
    if not touching:
        return
    pressings = [Pressing(points, *middle_of(points), 0.0, lambda: 0.0, 0.0) for points in touching.values()]
    body = Turning(centre, *motion, pose.orientation, None)
    torques = climbing(body, vector_of(pose.matrix[:, 2]), pressings, slow)
    for other, torque in zip(touching, torques, strict=True):
        yield name, torque
        yield other, scaled(torque, -1.0)
