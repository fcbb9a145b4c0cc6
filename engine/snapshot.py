"""A world at one moment, as a value: any number of equal worlds can be made from it.

Why not the poses alone: what holds a tower still is the forces in its contacts, and where its friction last stuck. A
world put together from poses alone finds other ones, and a tower rebuilt so 200 times wanders by centimetres.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.settings import Scale, Tuning
from engine.world import Body, Vector


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """Made by `BulletWorld.snapshot`, turned into a world by `BulletWorld.rebuilt`.

    slots: the bodies as they were added, in that order (their shapes depend on how they lay then), None where one was
    removed. data: Bullet's record of poses,
    velocities and contacts. Never read `data` from a file that came from elsewhere: Bullet does not check it.
    """

    step: int
    scale: Scale
    tuning: Tuning
    gravity: Vector
    slots: tuple[Body | None, ...]
    data: bytes
