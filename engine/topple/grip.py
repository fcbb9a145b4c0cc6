"""How much friction the contacts of a simulated scene have at rest, and how to keep it within Coulomb's cones.

Bullet limits friction along two directions, each by mu times the normal force: contacts that stick may have up to
sqrt(2) mu between the two.
"""

import math

from teeter.engine.world.body import Assembly
from teeter.engine.world.world import World
from teeter.models.material import pair_coefficient

LOADED = 0.01
"""Part of the greatest force: a contact with less is not asked for its grip."""
MAX_GRIP = 1.05
"""Up to which a contact at rest obeys Coulomb's law, but for what the solver has not finished."""


def grip_of(world: World, assembly: Assembly) -> float:
    """Returns the most friction of a loaded contact, over what Coulomb allows it; 0 where the engine does not tell."""
    mu = {body.name: body.piece.material.friction for body in assembly.bodies}
    contacts = [
        (contact.force, math.hypot(*contact.friction), pair_coefficient(mu[contact.a], mu[contact.b]))
        for contact in world.contacts()
        if contact.friction is not None
    ]
    least = LOADED * max((force for force, _, _ in contacts), default=0.0)
    grips = (rubs / (force * limit) for force, rubs, limit in contacts if force > least and limit > 0.0)
    return float(max(grips, default=0.0))


def within_cones(assembly: Assembly) -> Assembly:
    """Returns the assembly with friction divided by sqrt(2): no contact then has more than Coulomb allows."""
    less = (body.rubbing(body.piece.material.friction / math.sqrt(2.0)) for body in assembly.bodies)
    return Assembly(assembly.name, tuple(less))
