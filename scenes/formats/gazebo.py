"""What Gazebo makes of surfaces and of solids, as SDF and URDF give them."""

from collections.abc import Mapping, Sequence

import numpy as np

from teeter.models.build import build
from teeter.models.piece import MassProperties
from teeter.models.spec import parse
from teeter.scenes.formats.description import BodyPart, Mass, RigidBody
from teeter.scenes.reading import plain

GAZEBO_MU = 1.0
"""Of a surface for which Gazebo is told none."""


def filled(part: BodyPart, density: float) -> Mass:
    """Returns the mass of a solid of kg/m3, in the frame of its body. Raises ModelError."""
    if part.shape is not None:
        piece = build(parse({"shape": plain(part.shape)}, "shape"))
        ratio = density / piece.material.density_kg_m3
        return Mass(piece.mass * ratio, piece.centre_of_mass, piece.inertia * ratio).moved(part.matrix)
    assert part.vertices is not None
    assert part.faces is not None
    with np.errstate(all="ignore"):  # what has no volume is refused as a piece
        even = MassProperties.of(part.vertices, part.faces)
    return Mass(abs(even.volume) * density, even.centre, np.sign(even.volume) * even.inertia * density).moved(
        part.matrix
    )


def least_friction(
    given: Mapping[str, float], usual: Sequence[str], place: str, notes: list[str]
) -> float | None:
    """Returns the least friction of a surface along any direction, in any engine. usual: names that have Gazebo's own
    value where it is not given, the first that of the direction and engine that is meant by one number."""
    if not given:
        return None
    every = dict.fromkeys(usual, GAZEBO_MU) | dict(given)
    least = min(every.values())
    if {*given.values()} != {least} or usual[0] not in given:
        said = ", ".join(f"{name} {value:g}" for name, value in every.items())
        notes.append(f"{place} has a friction of {said}: here it has one, the least of them")
    return least


GAZEBO_MU = 1.0
"""Of a surface for which Gazebo is told none."""


def use_least_friction(
    bodies: Sequence[RigidBody], ground: float | None, frictions: set[float], notes: list[str]
) -> float | None:
    """Gives all bodies the least friction of Gazebo's, which takes the smaller of a pair: their mean would hold what
    slides there. ground: its friction. frictions: the values in the file. Returns what the ground has then."""
    if not frictions:
        return ground
    untold = ground is None or any(body.friction is None for body in bodies)
    own = {body.friction for body in bodies if body.friction is not None}
    values = frictions | own | ({GAZEBO_MU} if untold else set())
    if len(values) == 1:
        return ground
    least = min(values)
    for body in bodies:
        body.friction = least
    notes.append(
        f"friction from {least:g} to {max(values):g}: Gazebo takes the smaller of a pair, here all have the least, so "
        "that what stands stands there too; --friction sets another for all"
    )
    return least
