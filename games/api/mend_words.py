"""What a change is in words, and what is drawn of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from teeter.engine.pose import vector_of
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.topple.mend.changes import Change, Kind
from teeter.engine.topple.mend.search import Bounds, carried_by
from teeter.engine.topple.mend.task import FINE, ON_CURVES
from teeter.engine.topple.words import compass, newtons
from teeter.engine.view.overlays import Arrow, Ghost, Overlay
from teeter.engine.world.body import Assembly, Body, typical_size
from teeter.models.material import pair_coefficient
from teeter.models.piece import Array

STRAIGHT = 0.01
"""Part of a shift that may go sideways and not be told."""
COLOUR = "#2c8c4a"
SHORTEST = 0.8
"""Of the median piece: the shortest arrow."""


def words_of(change: Change, before: Assembly, force: float | None) -> str:
    """Returns what to do, as one says it."""
    name, more = change.pieces[0], len(change.pieces) - 1
    x, y, z = (1e3 * value for value in change.shift)
    named = name if not more else f"{name} and what rests on it ({more} piece{'s' * (more > 1)})"
    if more == 1 and change.pieces[1] not in carried_by(find_contacts(before))[name]:
        named = " and ".join(change.pieces)
    side = "counter-clockwise" if change.turn > 0 else "clockwise"
    angle = f"{abs(math.degrees(change.turn)):.1f} degrees {side}"
    px, py = (1e3 * value for value in change.point[:2])
    if change.kind == "move":
        return f"Move {named} {_way(x, y)}{f', turned {angle} seen from above' if change.turn else ''}"
    if change.kind == "turn":
        return f"Turn {name} on the spot, {angle} seen from above"
    if change.kind == "remove":
        return f"Take {name} away"
    if change.kind == "place":
        up = "up" if z > 0 else "down"
        return f"Put {name} elsewhere: {_way(x, y)} and {abs(z):.1f} mm {up}"
    if change.kind == "add_mass":
        return f"Put {1e3 * change.amount:.3g} g on {name} at x = {px:.1f}, y = {py:.1f} mm"
    if change.kind == "prop":
        bears = "" if force is None else f", where it bears {newtons(force)}"
        height = 1e3 * change.height
        return f"Prop up {name} with a post {height:.1f} mm high at x = {px:.1f}, y = {py:.1f} mm{bears}"
    was = next(body for body in before.bodies if body.name == name).piece.material.friction
    return f"Roughen {name} from a friction of {was:.3g} to {change.amount:.3g}{_on(change, before)}"


def _on(change: Change, before: Assembly) -> str:
    """Returns what the friction of the pairs is then."""
    contacts = find_contacts(before)
    names = {
        contacts.names[other]
        for pair in zip(contacts.first.tolist(), contacts.second.tolist(), strict=True)
        if change.pieces[0] in (contacts.names[pair[0]], contacts.names[pair[1]])
        for other in pair
    } - {change.pieces[0]}
    other = {body.name: body.piece.material.friction for body in before.bodies}
    lines = [
        f"{pair_coefficient(change.amount, other[name]):.3f} against {name}" for name in sorted(names)[:3]
    ]
    return f" ({', '.join(lines)})" if lines else ""


def _way(x: float, y: float) -> str:
    """Returns a shift in millimetres, as one says it."""
    size = math.hypot(x, y)
    if min(abs(x), abs(y)) <= STRAIGHT * size:
        return f"{_mm(size)} towards {compass(math.degrees(math.atan2(y, x)) % 360)}"
    sides = [f"{_mm(abs(v))} towards {'-' if v < 0 else '+'}{axis}" for v, axis in ((x, "x"), (y, "y"))]
    return " and ".join(sides)


def _mm(size: float) -> str:
    """Returns millimetres: less than a tenth is no 0.0."""
    return f"{size:.{1 if size >= 0.1 else 3}f} mm"


def none_because(kinds: Sequence[Kind], bounds: Bounds, *, refused: bool, margin: float | None = None) -> str:
    """Returns why no change is told. refused: statics found some, the simulation did not agree. margin: degrees, which
    are all that the scene lacks: by itself it stands."""
    if refused:
        return "What the force balance accepts falls in the simulation: `teeter check` would call it unsure."
    reach = 1e3 * bounds.reach
    pairs = f", and {bounds.pairs} pair{'s' * (bounds.pairs > 1)} of them together" if bounds.pairs else ""
    tried: dict[Kind, str] = {
        "move": f"shifting pieces by up to {reach:.0f} mm ({FINE.bearings} directions, distances "
        f"{100 * (FINE.growth - 1):.0f} % apart), alone or with all that rests on them, also turned by 45 or 90 "
        f"degrees{pairs}"
        if bounds.scan is not ON_CURVES
        else f"shifting pieces by up to {reach:.0f} mm ({ON_CURVES.bearings} directions)",
        "turn": "turning pieces on the spot",
        "remove": "taking a piece away",
        "place": "putting a piece elsewhere on top",
        "add_mass": "weights of up to 20 times the median piece on open tops",
        "friction": "roughening up to a friction of 1.2",
        "prop": "props below corners and sides",
    }
    because = f": {why}" if (why := _because(bounds, margin)) else ""
    return f"No single change was found{because}. Tried: {'; '.join(tried[kind] for kind in kinds)}."


def _because(bounds: Bounds, margin: float | None) -> str:
    """Returns what the fall has to do with the pieces that may change; empty where that is not known. margin: degrees
    to which it must be tilted to fall."""
    hanging = bounds.hanging
    if hanging is None:
        return ""
    if not hanging.falls:
        return "only friction that must be there before it is let go would hold it"
    falls, many = _some(hanging.falls), len(hanging.falls) > 1
    if margin is not None:
        fails = f"{falls} {'do' if many else 'does'} not keep {margin:g} degrees"
        if not hanging.near:
            return f"{fails}, and {'touch' if many else 'touches'} nothing that may be changed"
        if hanging.places > 1:
            return f"{fails} in {hanging.places} places apart, and one change mends only one of them"
        return f"whichever of {_some(hanging.near)} is changed, {fails}"
    if not hanging.near:
        return f"{falls} would fall without touching anything that may be changed"
    if hanging.places > 1:
        return f"{falls} fall in {hanging.places} places apart, and one change mends only one of them"
    near = "them" if {*hanging.near} == {*hanging.falls} else _some(hanging.near)
    return f"{falls} would fall, whichever of {near} is changed"


def _some(names: Sequence[str]) -> str:
    """Returns some names, the first of many."""
    more = len(names) - 4
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:4])} and {more} more"


def overlays_of(change: Change, before: Assembly, after: Assembly) -> tuple[Overlay, ...]:
    """Returns ghosts of pieces where they were, and an arrow on the first one, or on what is laid on it."""
    gone = [body for body in before.bodies if body.name in change.pieces]
    long = SHORTEST * typical_size(before.bodies)
    down = np.array([0.0, 0.0, -long])
    if change.kind == "add_mass":
        point = np.array(change.point)
        return (_arrow(point - 1.05 * down, point, long),)
    if change.kind == "remove":
        top = gone[0].centre_of_mass
        return (*_ghosts(gone), _arrow(top, top - 2 * down, long))
    if change.kind not in ("move", "turn", "place"):
        return ()
    now = next(body for body in after.bodies if body.name == change.pieces[0])
    start, end = gone[0].centre_of_mass, now.centre_of_mass
    way = end - start
    size = float(np.linalg.norm(way))
    if size <= 1e-9:
        return tuple(_ghosts(gone))
    # a shift of a millimetre is seen by the arrow that ends with it
    return (*_ghosts(gone), _arrow(end - way * max(1.0, long / size), end, long))


def _ghosts(bodies: list[Body]) -> list[Overlay]:
    return [Ghost(body.piece, body.pose, COLOUR, 0.3) for body in bodies]


def _arrow(start: Array, end: Array, long: float) -> Arrow:
    return Arrow(vector_of(start), vector_of(end), COLOUR, long / 14)
