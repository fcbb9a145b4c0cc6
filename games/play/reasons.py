"""Why a tower falls on which a piece is laid, or out of which one is drawn, and by how many millimetres."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import shapely

from teeter.engine.tolerances import TOUCH_FOR_HINTS
from teeter.engine.topple.balance.answer import Statics
from teeter.engine.topple.balance.mechanism import Explanation
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.topple.words import sentences
from teeter.engine.world.body import TABLE, Assembly, Body
from teeter.games.core.words import capital
from teeter.games.play.firmness import WAYS, by, fall_in, near

POINT = 1e-3
"""Metres: a shorter edge is a point."""
LEAST = 0.05
"""Millimetres: less is not told."""
UNKNOWN = "how firmly the tower stood before is not known"
HARD = "it was knocked, or put down too hard"


def why_laid(
    rest: Assembly, laid: Body | None, piece: str, way: int, *, is_known: bool = True
) -> tuple[str, float | None]:
    """Returns why a tower falls on which a piece was laid, and the missing millimetres. way: of `WAYS`, in which it
    stood before. is_known: forces balance it in that way; else only the piece's own fall is believed."""
    if laid is None:
        return f"{capital(piece)} was let go with nothing known to lie below it", None
    scene = replace(rest, bodies=(*rest.bodies, laid))
    touched = _touched(scene, piece) if rest.free else set()
    found = fall_in(scene, way)
    if touched == {TABLE} or (found is None and TABLE in touched):
        return f"{capital(piece)} came down beside the tower, on the table", None
    if not is_known and (found is None or found[0].moves != (piece,)):
        # what nobody knows to stand lies as it does: does the piece lie on it?
        lying = tuple(replace(body, fixed=True) for body in rest.bodies)
        found = fall_in(replace(rest, bodies=(*lying, laid)), WAYS.index(near))
        if found is not None and found[0].edge is not None:
            found = replace(found[0], room=None), found[1]
    if not is_known and (found is None or found[0].moves != (piece,)):
        return f"{capital(piece)} had been let go; {UNKNOWN}", None
    if found is None:
        held = f"{capital(piece)} would have stood where it was let go{by(scene, way)}"
        return f"{held}: {HARD}", None
    why, statics = found
    beyond = _beyond(scene, why)
    if beyond is None or piece not in why.moves:
        return _told(why, statics, beyond)
    if beyond < LEAST:
        return f"{capital(piece)} was so finely balanced that the least push tips it", 0.0
    if why.room is None and why.edge is not None and math.dist(*why.edge) < POINT:
        return f"{capital(piece)} came down on a single point, {beyond:.1f} mm off its centre of mass", beyond
    # the others stay where they are: the piece alone has to bring their common centre back
    missing = beyond * sum(body.piece.mass for body in scene.free if body.name in why.moves) / laid.piece.mass
    return f"{capital(piece)} stood {missing:.1f} mm too far out", missing


def _touched(scene: Assembly, piece: str) -> set[str]:
    """Returns what a piece touches."""
    contacts = find_contacts(scene, *TOUCH_FOR_HINTS, only={piece})
    pairs = zip(contacts.first.tolist(), contacts.second.tolist(), strict=True)
    links = [{contacts.names[one], contacts.names[other]} for one, other in pairs] + [
        *map(set, contacts.curved)
    ]
    return {name for link in links if piece in link for name in link} - {piece}


def _beyond(scene: Assembly, why: Explanation) -> float | None:
    """Returns the level millimetres from the edge over which pieces tip to their centre of mass; None where they slide
    or drop. Where what is below gives way too `Explanation.room` is not known, the edge is."""
    if why.room is not None or why.kind != "tips":
        return None if why.room is None else -1e3 * why.room
    mine = [body for body in scene.free if body.name in why.moves]
    masses = np.array([body.piece.mass for body in mine])
    centres = np.array([body.centre_of_mass for body in mine])
    middle = (masses @ centres / masses.sum())[:2]
    if why.edge is None:
        contacts = find_contacts(scene, *TOUCH_FOR_HINTS)
        is_mine = np.isin(contacts.names, why.moves)
        around = is_mine[contacts.first] != is_mine[contacts.second]
        hull = shapely.MultiPoint(contacts.points[around, :2]).convex_hull
        return 1e3 * float(hull.distance(shapely.Point(middle))) or None
    start, end = (np.array(each)[:2] for each in why.edge)
    arm, along = middle - start, end - start
    length = float(np.linalg.norm(along))
    across = arm if length < POINT else arm - along * (arm @ along) / length**2
    return 1e3 * float(np.linalg.norm(across))


def why_drawn(rest: Assembly, piece: str, way: int) -> tuple[str, float | None]:
    """Returns why a tower falls out of which a piece is drawn, and the missing millimetres."""
    found = fall_in(rest, way)
    if found is None:
        said = f"The tower would have stood without {piece}{by(rest, way)}: it was dragged or knocked over"
        return said, None
    said, missing = _told(*found, _beyond(rest, found[0]))
    return f"Without {piece}, {said[0].lower()}{said[1:]}", missing


def _told(why: Explanation, statics: Statics, beyond: float | None) -> tuple[str, float | None]:
    told = sentences(why, statics)[0].rstrip(".").replace(f" {TABLE}", f" the {TABLE}")
    said = ". ".join(map(capital, told.split(". ")))
    if beyond is None or beyond < LEAST:
        # several give way, and no edge is to blame
        held = f"; {-why.force:.2g} N would have held it" if beyond is not None and why.force < 0.0 else ""
        return said + held, None if beyond is None else 0.0
    return f"{said}; {beyond:.1f} mm are missing", beyond
