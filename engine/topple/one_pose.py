"""Statics at the pose where the simulation came to rest, so that both methods speak of the same thing.

The simulation's contacts are soft: what touched as declared lies in each other or apart by hundredths of a millimetre,
and a hull is smaller than its piece. So pieces are first moved by that much (`engine.topple.resting`): level ones until
they rest on each other like wood, others so that faces touch again that did before.
"""

from dataclasses import dataclass, replace

import numpy as np

from teeter.engine.topple.balance.answer import Statics
from teeter.engine.topple.balance.mechanism import explain
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.contact.detection import Contacts, contacts_at_rest
from teeter.engine.topple.perturbation import Dynamics, at_poses
from teeter.engine.topple.resting import at_rest, rejoined, resting
from teeter.engine.world.body import Assembly, Vector


@dataclass(frozen=True, slots=True)
class Missing:
    """The contact that gives way by statics although the pieces stood in the simulation. first: the piece that would
    move there; second: what it rests on, None where nothing is below. force: newtons that are missing at `point`
    (metres)."""

    first: str
    second: str | None
    force: float
    point: Vector


def missing_force(judged: Assembly, statics: Statics, gravity: Vector) -> Missing | None:
    """Returns where the fall begins that statics expects at a pose of rest, and what would stop it."""
    why = explain(judged, statics, contacts_at_rest(judged), gravity=gravity)
    return None if why is None else Missing(why.moves[0], why.against, abs(why.force), why.point)


def sunk(assembly: Assembly, gravity: Vector) -> tuple[Assembly, Statics] | None:
    """Returns pieces that do not all touch as declared, such as uneven bricks in rows, where they have sunk onto each
    other, and statics there; None where they do not rest there either."""
    lower = at_rest(assembly) if _is_level(assembly, gravity) else None
    if lower is None:
        return None
    statics = _at(lower, gravity, is_level=True)
    return (lower, statics) if statics.stands else None


def statics_at_rest(
    declared: Assembly, contacts: Contacts, dynamics: Dynamics, reach: float, gravity: Vector
) -> tuple[Assembly, Statics]:
    """Returns where the pieces came to rest that do not meet as declared, and statics there; without a rest, the pieces
    as declared and why there is nothing to balance. contacts: those found first. reach: metres of gap between declared
    faces that are to touch."""
    rest = next((trial for trial in dynamics.trials if trial.stands), None)
    if rest is None:
        return declared, Statics(stands=None, why=_why_not(contacts))
    rested = at_poses(declared, rest.names, rest.poses)
    level = at_rest(rested) if _is_level(rested, gravity) else None
    place = rejoined(declared, rested, reach) if level is None else level
    statics = _at(place, gravity, is_level=level is not None)
    if statics.stands is False:
        # what is closed here may gape there: the pose of the simulation itself is asked too
        other = _at(rested, gravity, is_level=False)
        if other.stands:
            return rested, other
    return place, statics


def _at(place: Assembly, gravity: Vector, *, is_level: bool) -> Statics:
    statics = analyse(place, gravity=gravity, contacts=contacts_at_rest(place))
    rest = resting(place) if is_level and statics.stands else None
    return statics if rest is None else replace(statics, loads=rest.loads)


def _is_level(assembly: Assembly, gravity: Vector) -> bool:
    """Returns whether nothing but weights acts, straight down."""
    return not np.any(gravity[:2]) and not any(load.is_force for body in assembly.free for load in body.loads)


def _why_not(contacts: Contacts) -> str:
    apart = ", ".join(contacts.floating[:3])
    if contacts.overlaps:
        apart = apart or f"{contacts.overlaps[0].first} and {contacts.overlaps[0].second}"
    where = f" ({apart})" if apart else ""
    return (
        f"the faces do not meet as declared{where} and the pieces do not come to rest: "
        "there is nothing to balance"
    )
