"""The mechanism of a verdict in plain sentences, and as JSON."""

from __future__ import annotations

import math
from typing import Any

from engine.topple.explain import Why
from engine.topple.statics import Statics
from engine.topple.words import COMPASS, newtons

UPRIGHT = 0.7
"""A force this much along the vertical is called up or down."""


def sentences(why: Why | None, statics: Statics) -> tuple[str, ...]:
    """What happens, or what would happen first; and how much is missing, or to spare."""
    if why is None:
        if statics.stands is None:
            return (f"The force balance is silent: {statics.why}.",)
        return ("Nothing can set it in motion: every piece is held from all sides.",)
    return (_what(why, statics), *(_how_much(why) if why.kind != "drops" else ()))


def _what(why: Why, statics: Statics) -> str:
    group = _group(why.moves)
    one = len(why.moves) == 1
    if why.kind == "drops":
        return f"Nothing carries {group}: it drops." if one else f"Nothing carries {group}: they drop."
    way = "" if why.towards is None else f", towards {_side(why.towards)}"
    if why.kind == "slides":
        how = f"slide{'s' if one else ''} on {why.against}{way}"
    else:
        how = f"tip{'s' if one else ''} over the {_edge(why)} of {why.against}{way}"
    besides = f" {_group(why.others)} move{'s' if len(why.others) == 1 else ''} too." if why.others else ""
    if not why.stands:
        return f"{_capital(group)} {how}.{_capital(besides, 1)}"
    tilt = "" if statics.tilt_deg is None else f" At {statics.tilt_deg:.2f} degrees of table tilt"
    return f"It holds.{tilt} {group} {how}.{_capital(besides, 1)}"


def _how_much(why: Why) -> list[str]:
    whose = "its" if len(why.moves) == 1 else "their"
    found = []
    if why.room is not None:
        side = "inside" if why.room >= 0 else "beyond"
        found.append(f"{_capital(whose)} centre of mass lies {abs(why.room) * 1e3:.2f} mm {side} that edge.")
    x, y, z = (value * 1e3 for value in why.point)
    where = f"at the corner ({x:.0f}, {y:.0f}, {z:.0f}) mm"
    force = newtons(abs(why.force))
    if why.stands:
        found.append(f"{force} {where}, the way it moves, would start it.")
    else:
        found.append(f"{force} are missing: so much {where}, against the way it moves, would hold it.")
    if why.kind == "slides" and not why.stands:
        if why.friction_needed is None:
            found.append("No friction would hold it.")
        else:
            found.append(f"It needs {why.friction_needed:.2f} times the friction there is.")
    return found


def _edge(why: Why) -> str:
    if why.edge is None:
        return "edge"
    (a, b, c), (d, e, f) = why.edge
    length = math.dist((a, b, c), (d, e, f))
    if length < 1e-3:
        return f"corner at ({a * 1e3:.1f}, {b * 1e3:.1f}) mm"
    if abs(a - d) < 1e-2 * length:
        return f"edge at x = {(a + d) / 2 * 1e3:.1f} mm"
    if abs(b - e) < 1e-2 * length:
        return f"edge at y = {(b + e) / 2 * 1e3:.1f} mm"
    return f"edge from ({a * 1e3:.1f}, {b * 1e3:.1f}) to ({d * 1e3:.1f}, {e * 1e3:.1f}) mm"


def _group(names: tuple[str, ...]) -> str:
    if len(names) <= 2:
        return " and ".join(names)
    return f"{names[0]} and {len(names) - 1} pieces with it"


def _side(degrees: float) -> str:
    return COMPASS[round(degrees / 45) % 8]


def _capital(text: str, at: int = 0) -> str:
    """With a capital where the sentence begins, unless it begins with a piece's name, which is left as it is."""
    words = ("its", "their")
    return text[:at] + text[at:].capitalize() if text[at:] in words else text


def to_json(why: Why | None, statics: Statics) -> dict[str, Any]:
    """As `teeter check --explain --json` prints it: millimetres, degrees, newtons."""
    found: dict[str, Any] = {"sentences": list(sentences(why, statics))}
    if why is None:
        return found
    return found | {
        "moves": list(why.moves),
        "others": list(why.others),
        "kind": why.kind,
        "against": why.against,
        "edge_mm": None if why.edge is None else [[round(v * 1e3, 4) for v in end] for end in why.edge],
        "towards_deg": None if why.towards is None else round(why.towards, 3),
        "room_mm": None if why.room is None else round(why.room * 1e3, 4),
        "force_n": round(why.force, 6),
        "point_mm": [round(value * 1e3, 4) for value in why.point],
        "friction_needed": None if why.friction_needed is None else round(why.friction_needed, 4),
    }
