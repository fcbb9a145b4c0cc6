"""Pieces that bear many times their weight, as trials simulate them: heavier, and held up by as much.

Engines go from contact to contact and forget at each a part of what they passed on: under a block of a million times
its mass a foot yields as if nothing were above it, and the block sinks past it. What a piece weighs more here is
taken off again by a force at its centre of mass, so that what balances is the same and only its own motion is slower.
"""

from dataclasses import replace

import numpy as np

from teeter.engine.load import Load
from teeter.engine.tolerances import TOUCH_IN_GAME
from teeter.engine.world.body import Assembly, Body, Vector, magnification

MUCH = 100.0
"""Times its own weight: the bottom of most towers bears a tenth of that."""
ENOUGH = 10.0
"""Times its simulated weight, of what bears more than `MUCH`: three feet of 2 mm under a slab of 9000 times their
mass sink by 8 um; with 100 by 0.15 mm, and then fall at half of the tilt that they bear."""
LIFT = "lift"


def sturdy(bodies: tuple[Body, ...], gravity: Vector) -> tuple[Body, ...]:
    """Returns the bodies with those heavier that bear more than `MUCH` times their weight. gravity: m/s^2."""
    free = [body for body in bodies if not body.fixed]
    weights = np.array([body.piece.mass for body in free])
    # what bears that much of its like is a column of a hundred pieces, which has to bear its own sway
    if len(free) < 2 or weights.sum() <= MUCH * weights.min():
        return bodies
    times = dict(zip([body.name for body in free], _borne(bodies, weights, gravity) / weights, strict=True))
    return tuple(
        _heavier(body, times[body.name] / ENOUGH, gravity) if times.get(body.name, 0.0) > MUCH else body
        for body in bodies
    )


def _borne(bodies: tuple[Body, ...], weights: np.ndarray, gravity: Vector) -> np.ndarray:
    """Returns about what each free piece bears (n,), itself included, in kilograms."""
    # imported here because that takes a quarter of a second, which most trials need not wait for
    from teeter.engine.topple.balance.equilibrium import borne_by, free_numbers
    from teeter.engine.topple.contact.detection import find_contacts

    gap = TOUCH_IN_GAME.gap * magnification(bodies)
    contacts = find_contacts(Assembly("trial", bodies), gap, TOUCH_IN_GAME.angle)
    number = free_numbers(contacts.fixed)
    rises = -(contacts.normals @ np.asarray(gravity)) / float(np.linalg.norm(gravity))
    return borne_by(weights, number[contacts.first], number[contacts.second], rises)


def _heavier(body: Body, times: float, gravity: Vector) -> Body:
    piece = replace(body.piece, mass=times * body.piece.mass, inertia=times * body.piece.inertia)
    x, y, z = piece.centre_of_mass.tolist()
    along, across, up = (-(times - 1.0) * body.piece.mass * pull for pull in gravity)
    return replace(body, piece=piece, loads=(*body.loads, Load(LIFT, (x, y, z), (along, across, up))))
