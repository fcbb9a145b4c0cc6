"""How pieces at rest touch, how firmly they stand, and how they fall: force balances of the towers of games."""

from __future__ import annotations

from collections.abc import Callable

from teeter.engine.tolerances import TOUCH_FOR_HINTS
from teeter.engine.topple.balance.answer import Statics
from teeter.engine.topple.balance.equilibrium import balance_of
from teeter.engine.topple.balance.mechanism import Explanation, explain
from teeter.engine.topple.balance.statics import analyse, stands, tilt_margin
from teeter.engine.topple.contact.detection import Contacts, contacts_at_rest, find_contacts
from teeter.engine.topple.errors import StaticsError
from teeter.engine.topple.resting import REACH, TILT, at_rest
from teeter.engine.world.body import Assembly

Touching = tuple[Assembly, Contacts]


def _sunk(scene: Assembly) -> Touching | None:
    """Returns level pieces where they rest on each other like wood, with their contacts."""
    lower = at_rest(scene)
    return None if lower is None else (lower, contacts_at_rest(lower))


def near(scene: Assembly) -> Touching:
    """Returns a scene with contacts between faces that nearly meet."""
    return scene, find_contacts(scene, *TOUCH_FOR_HINTS)


def _leaning(scene: Assembly) -> Touching:
    """Returns a scene with contacts between faces that lean by as much as those of a tower pressed askew."""
    return scene, find_contacts(scene, REACH, TILT)


WAYS: tuple[Callable[[Assembly], Touching | None], ...] = (_sunk, near, _leaning)
"""How pieces at rest are taken to touch: the first way in which a tower stands that did stand."""


def firmness(scene: Assembly) -> tuple[int, float | None]:
    """Returns the way in which a scene at rest stands, and its tilt margin (degrees); None where none balances it."""
    for number, way in enumerate(WAYS if scene.free else ()):
        touching = way(scene)
        tilt = None if touching is None else _tilt(*touching)
        if tilt is not None:
            return number, tilt
    return 0, None


def _tilt(scene: Assembly, contacts: Contacts) -> float | None:
    try:
        if contacts.curved:
            found = analyse(scene, contacts=contacts, loads=False, follow=False)
            return found.tilt_deg if found.stands else None
        if stands(scene, contacts=contacts):
            return float(tilt_margin(balance_of(scene, contacts)).degrees)
    except (StaticsError, ValueError):
        return None
    return None


def fall_in(scene: Assembly, way: int) -> tuple[Explanation, Statics] | None:
    """Returns how a scene falls; None where forces balance it, or statics is silent."""
    place, contacts = WAYS[way](scene) or near(scene)
    try:
        statics = analyse(place, contacts=contacts, loads=False, margins=False)
        why = explain(place, statics, contacts)
    except (StaticsError, ValueError):
        return None
    return None if why is None or why.stands else (why, statics)


def by(scene: Assembly, way: int) -> str:
    """Returns how firmly a scene stands, as the end of a sentence."""
    touching = WAYS[way](scene)
    tilt = None if touching is None else _tilt(*touching)
    return "" if tilt is None else f", with {tilt:.1f} degrees in hand"
