"""A verdict in words a layman understands: the headline, the facts behind it, the mechanism in sentences and as JSON.

Numbers are those of `check --json`, rounded for reading.
"""

from __future__ import annotations

import math
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from teeter.engine.geometry.wind import WIND
from teeter.engine.settings import GRAVITY
from teeter.engine.topple.balance.answer import LoadFactor, Statics
from teeter.engine.topple.balance.mechanism import OVER, Explanation
from teeter.engine.topple.balance.wedging import Wedge
from teeter.engine.topple.load_factors import ACCELERATION, TOGETHER
from teeter.engine.topple.verdict import CheckOptions, Verdict, joint

LEAST_FORCE = 1e-7
"""Newtons: less is no number to tell anyone."""
CORNER = 1e-3
"""Metres: what is shorter is no edge."""
NO_TILT = 0.03
"""Degrees: with less in hand a trial's own disturbance takes it."""
NO_SHIFT = 5e-6
"""Metres: a centre of mass this near to the middle is shown as 0.00 mm."""
LISTED = 6
"""Names in a row, at most."""
if TYPE_CHECKING:
    from teeter.engine.topple.one_pose import Missing

COMPASS = ("+x", "+x+y", "+y", "-x+y", "-x", "-x-y", "-y", "+x-y")


def headline(verdict: Verdict) -> str:
    """Returns one sentence: the answer and its reason."""
    statics, dynamics = verdict.statics, verdict.dynamics
    if verdict.word == "stands":
        if statics.rolls:
            return f"It stands, but {may_roll(statics)}."
        if statics.stands_by_itself is None:
            return "It stands: disturbed a little, it comes to rest where it was."
        hold = "friction and balance hold it" if statics.needs_friction else "balance alone holds it"
        return f"It stands: {hold}, and disturbed a little it comes back to rest."
    if verdict.word == "topples":
        first = dynamics.first_to_move
        how = f"{first} goes first" if first else "it does not come to rest"
        if statics.wedged:
            return f"It stands only if wedged tight: {clamped(statics.wedged)}; set down without, {how}."
        return f"It topples: {how}{_down(len(dynamics.fell))}."
    return f"Unsure: {_difference(verdict)}."


def may_roll(statics: Statics) -> str:
    """Returns what rolls at a touch, and what stops it."""
    return f"{listing(statics.rolls)} may roll: only rolling resistance (rolling_mm) stops it, or something in its way"


def coloured(verdict: Verdict) -> tuple[str, str] | None:
    """Returns the piece that pictures colour, and why that one; None where nothing would move."""
    weakest, first = verdict.statics.weakest, verdict.dynamics.first_to_move
    if verdict.word == "stands" and weakest:
        return weakest, f"moves most at the tilt margin: {weakest}"
    if first:
        how = {"topples": "goes first", "unsure": "goes first where it falls", "stands": "may roll"}
        return first, f"{how[verdict.word]}: {first}"
    return (weakest, f"would move most: {weakest}") if weakest else None


def _down(count: int) -> str:
    if count == 0:
        return ""
    return f", and {count} piece{'s' if count > 1 else ''} come{'s' if count == 1 else ''} down"


def _difference(verdict: Verdict) -> str:
    """Returns what the two methods, or the trials, disagree about."""
    trials, witness = verdict.dynamics.trials, verdict.witness
    stood = sum(trial.stands for trial in trials)
    if witness is not None and joint(verdict.statics.stands, verdict.dynamics.stands) != "unsure":
        return f"simulated by {verdict.engine} it {_did(verdict)}, by {witness.engine} it {_did(witness)}"
    if verdict.edges is not None:
        one, other = verdict.edges
        return (
            f"forces balance it only while the edges of {one} and {other} meet exactly; "
            "a hair out of line, one slides along the other in the simulation"
        )
    if verdict.dynamics.stands is None:
        return f"it stood {stood} of {len(trials)} small disturbances; it is at the edge of falling"
    if verdict.statics.wedged:
        return (
            f"it stands only if wedged tight ({clamped(verdict.statics.wedged)}), as it is in the simulation"
        )
    if verdict.statics.stands is None and verdict.dynamics.stands is False:
        return "in the simulation it moves before it lies still, but nothing falls; no force balance tells"
    if verdict.statics.stands:
        return "forces could balance it, but set down in the simulation it falls"
    where = "as it is described" if verdict.pose == "declared" else "where it lies then"
    sentence = f"in the simulation it comes to rest, but no forces balance it {where}"
    if verdict.missing is not None and verdict.missing.force >= LEAST_FORCE:
        sentence += f": {_missing(verdict.missing)}"
    return sentence


def _missing(missing: Missing) -> str:
    """Returns which contact gives way, and by how much."""
    contact = missing.first if missing.second is None else f"{missing.first} on {missing.second}"
    x, y, z = (_mm(value) for value in missing.point)
    return f"{newtons(missing.force)} more would be needed to hold {contact}, at ({x}, {y}, {z}) mm"


def _did(verdict: Verdict) -> str:
    return {True: "stands", False: "falls", None: "stands or falls as it is disturbed"}[
        verdict.dynamics.stands
    ]


def clamped(wedge: Wedge) -> str:
    """Returns which pieces must be pressed together, and how hard."""
    return f"{' and '.join(wedge.between)} must be pressed together with {newtons(wedge.clamping_n)}"


def rows(verdict: Verdict) -> list[tuple[str, str]]:
    """Returns the facts behind the headline, as (label, text) in the order of reading."""
    facts = [*_statics_rows(verdict), *_load_rows(verdict), *_dynamics_rows(verdict), *_mass_rows(verdict)]
    if verdict.witness is not None:
        trials = verdict.witness.dynamics.trials
        stood = f"stood {_of(sum(trial.stands for trial in trials), len(trials))}"
        facts.append(("witness", f"{verdict.witness.engine}: {stood}; first was {verdict.engine}"))
    facts += _carried_rows(verdict)
    if verdict.settled > 0:
        facts.append(("let down", f"the pieces moved up to {verdict.settled * 1e3:.2f} mm to come to rest"))
    facts.append(("time", f"{verdict.wall:.2f} s"))
    return facts


def _carried_rows(verdict: Verdict) -> list[tuple[str, str]]:
    """What nothing carries: in the air, or where the table ends."""
    facts = []
    lost = {*verdict.off_table}
    for group in verdict.loose[:LISTED]:
        if not lost.issuperset(group.names):
            under = (
                "nothing is below" if group.over is None else f"{group.gap * 1e3:.2f} mm over {group.over}"
            )
            facts.append(("in the air", f"{listing(group.names)}: {under}"))
    if verdict.off_table:
        facts.append(("past the edge", f"{listing(verdict.off_table)}: the table ends there"))
    return facts


def _statics_rows(verdict: Verdict) -> list[tuple[str, str]]:
    statics = verdict.statics
    if statics.stands is None:
        return [("force balance", f"not asked: {statics.why}")]
    if not statics.stands:
        return [
            ("force balance", "no set of contact forces holds every piece"),
            ("moves most", str(statics.weakest)),
        ]
    where = "as described" if verdict.pose == "declared" else "where the pieces come to rest"
    friction = "needs friction" if statics.needs_friction else "needs no friction"
    facts = [("force balance", f"holds ({where}; {friction})")]
    if statics.rolls:
        facts.insert(1, ("may roll", f"{listing(statics.rolls)}: nothing brings it back"))
    if statics.wedged:
        facts.insert(1, ("", f"only if wedged tight: {clamped(statics.wedged)}"))
    return facts + _margin_rows(verdict)


def _margin_rows(verdict: Verdict) -> list[tuple[str, str]]:
    """Returns what the margins are; where the simulation does not agree, whose they are."""
    statics, facts = verdict.statics, []
    alone = "" if verdict.word == "stands" else " (by the force balance alone)"
    if statics.rolls and statics.tilt_deg is not None and statics.tilt_deg < NO_TILT:
        facts.append(("tilt margin", f"none: on the least slope it rolls{alone}"))
    elif statics.tilt_deg is not None and statics.tilt_direction_deg is not None:
        tilt = f"{_at_least(statics.tilt_at_least)}{statics.tilt_deg:.2f} degrees of table tilt"
        side = "" if statics.tilt_at_least else f", down towards {compass(statics.tilt_direction_deg)}"
        first = f"; then it {statics.tilt_mode}s: {statics.weakest} moves most" if statics.tilt_mode else ""
        facts.append(("tilt margin", f"{tilt}{side}{first}{alone}"))
    if statics.push_n is not None and statics.push_n >= LEAST_FORCE:
        push = f"{_at_least(statics.push_at_least)}{newtons(statics.push_n)} sideways at the top of"
        mode = "" if statics.push_at_least else f", before anything {statics.push_mode}s"
        where = f"{statics.push_piece}, the highest piece (elsewhere less may do)"
        facts.append(("push margin", f"{push} {where}{mode}{alone}"))
    for field in fields(statics):
        value = getattr(statics, field.name)
        if "row" in field.metadata and value is not None and value >= LEAST_FORCE:
            label, sentence = field.metadata["row"]
            facts.append((label, sentence.format(value, statics.push_piece) + alone))
    return facts


def _load_rows(verdict: Verdict) -> list[tuple[str, str]]:
    """Returns how much of each load the pieces carry."""
    factors, said = verdict.statics.factors, _actions(verdict.options)
    alone = "" if verdict.word != "unsure" else " (by the force balance alone)"
    single = [load for load in factors if load.name != TOGETHER]
    shown = single[:LISTED] + [load for load in factors if load.name == TOGETHER]
    lines = [f"{said.get(load.name, load.name)}: {_factor(load)}{alone}" for load in shown]
    if any(verdict.options.wind) and not any(
        load.name == WIND for body in verdict.judged.free for load in body.loads
    ):
        lines.append(f"{said[WIND]}: no piece stands in it")
    more = [f"and {len(single) - LISTED} more"] if len(single) > LISTED else []
    return [("" if at else "loads", text) for at, text in enumerate([*lines, *more])]


def _actions(options: CheckOptions) -> dict[str, str]:
    """Returns the loads on all pieces, by name, as they are told."""
    names = {TOGETHER: "all of them at once"}
    for name, (x, y, _), unit, one in (
        (ACCELERATION, options.acceleration, "g", GRAVITY),
        (WIND, options.wind, "Pa", 1.0),
    ):
        bearing = compass(math.degrees(math.atan2(y, x)) % 360.0)
        names[name] = f"{name} of {math.hypot(x, y) / one:.3g} {unit} towards {bearing}"
    return names


def _factor(load: LoadFactor) -> str:
    if not load.stands and not load.without and load.least is None:
        return "it falls without it too"
    ends = (
        "holds at any multiple of it" if load.factor is None else f"holds up to {load.factor:.3g} times that"
    )
    return ends if load.least is None else f"{ends}; needs at least {load.least:.3g} times that"


def _at_least(is_least: bool) -> str:
    return "at least " if is_least else ""


def _of(some: int, asked: int) -> str:
    if asked == 1:
        return f"{'one' if some else 'no'} small disturbance"
    return f"{some} of {asked} small disturbances"


def _dynamics_rows(verdict: Verdict) -> list[tuple[str, str]]:
    dynamics = verdict.dynamics
    stood, asked = sum(trial.stands for trial in dynamics.trials), len(dynamics.trials)
    after = f"({dynamics.simulated:.1f} s simulated)"
    if verdict.word == "stands" and not dynamics.stands:
        # what may roll did, and nothing fell
        return [("simulation", f"rolled away after {_of(asked - stood, asked)} {after}")]
    facts = [("simulation", f"stood {_of(stood, asked)} {after}")]
    if dynamics.stands:
        moved = f"{dynamics.shift * 1e3:.2f} mm and {math.degrees(dynamics.turn):.2f} degrees"
        facts.append(("", f"sank {dynamics.sink * 1e3:.2f} mm while settling, moved {moved} after"))
        return facts
    if dynamics.first_to_move:
        facts.append(("first to move", dynamics.first_to_move))
    if dynamics.fell:
        facts.append(("fell", listing(dynamics.fell)))
    return facts


def _mass_rows(verdict: Verdict) -> list[tuple[str, str]]:
    """Returns which pieces have their mass off the middle of their shape, and how far, along their own axes."""
    offsets = []
    for body in verdict.judged.free:
        away = body.piece.off_middle
        if away is not None and float(np.abs(away).max()) >= NO_SHIFT:
            x, y, z = (round(float(value) * 1e3, 2) + 0.0 for value in away)
            offsets.append(f"{body.name}: ({x:g}, {y:g}, {z:g}) mm off its middle")
    more = [f"and {len(offsets) - LISTED} more"] if len(offsets) > LISTED else []
    return [("" if at else "centre of mass", text) for at, text in enumerate([*offsets[:LISTED], *more])]


def listing(names: tuple[str, ...]) -> str:
    """Returns some names in a row, and how many more there are."""
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more


def newtons(force: float) -> str:
    """Returns a force with the unit that keeps the number readable."""
    if force >= 0.1:
        return f"{force:.2f} N"
    return f"{force * 1e3:.1f} mN" if force >= 1e-4 else f"{force * 1e6:.1f} uN"


def compass(degrees: float) -> str:
    """Returns a bearing (from +x, counter-clockwise) as a side of the table, such as `+x+y`."""
    return COMPASS[round(degrees / 45) % 8]


def sentences(why: Explanation | None, statics: Statics) -> tuple[str, ...]:
    """Returns what happens, or what would happen first; and how much is missing, or to spare."""
    if statics.wedged and why is not None:
        sentence = f"It stands only if wedged tight: {clamped(statics.wedged)}, or {_what(why, statics)}"
        return (sentence,)
    if why is None:
        if statics.stands is None:
            return (f"The force balance is silent: {statics.why}.",)
        if statics.rolls:
            return (f"It holds, but {may_roll(statics)}.",)
        if statics.tilt_at_least:
            return (f"It holds, at {statics.tilt_deg:.2f} degrees of table tilt too: it rocks back to rest.",)
        if statics.weakest and statics.tilt_deg and statics.tilt_direction_deg is not None:
            side = compass(statics.tilt_direction_deg)
            return (
                f"It holds: it rocks back to rest, up to {statics.tilt_deg:.2f} degrees of table tilt. "
                f"Then {statics.weakest} goes, towards {side}.",
            )
        return ("Nothing can set it in motion: every piece is held from all sides.",)
    return (_what(why, statics), *(_how_much(why, statics) if why.kind != "drops" else ()))


def _what(why: Explanation, statics: Statics) -> str:
    group = _group(why.moves)
    one = len(why.moves) == 1
    if why.kind == "drops":
        return f"Nothing carries {group}: it drops." if one else f"Nothing carries {group}: they drop."
    side = "" if why.towards is None else f", towards {compass(why.towards)}"
    if why.kind == "slides":
        how = f"slide{'s' if one else ''} on {why.against}{side}"
    elif why.edge is None:
        how = f"tip{'s' if one else ''} against {why.against}{side}"
    else:
        how = f"tip{'s' if one else ''} over {_edge(why)}{side}"
    besides = f" {_group(why.others)} move{'s' if len(why.others) == 1 else ''} too." if why.others else ""
    if not why.stands:
        return f"{group} {how}.{besides}"
    tilt = "" if statics.tilt_deg is None else f" At {statics.tilt_deg:.2f} degrees of table tilt"
    return f"It holds.{tilt} {group} {how}.{besides}"


def _how_much(why: Explanation, statics: Statics) -> list[str]:
    whose = "Its" if len(why.moves) == 1 else "Their"
    lines = []
    if why.room is not None and abs(why.room) < OVER:
        if why.stands and (statics.tilt_deg or 0.0) > NO_TILT:
            # it rocks on a curve, or leans on others: no edge is what keeps it
            return []
        return [f"{whose} centre of mass lies exactly over that {_kind_of(why)}: the least push decides."]
    if why.room is not None:
        side = "inside" if why.room >= 0 else "beyond"
        lines.append(f"{whose} centre of mass lies {abs(why.room) * 1e3:.2f} mm {side} that {_kind_of(why)}.")
    x, y, z = (round(value * 1e3) + 0 for value in why.point)
    where = f"at the corner ({x}, {y}, {z}) mm"
    if abs(why.force) < LEAST_FORCE:
        return [*lines, "Next to nothing would start it." if why.stands else "Next to nothing is missing."]
    force = newtons(abs(why.force))
    if why.stands:
        lines.append(f"{force} {where}, in the direction it moves, would start it.")
    else:
        # another motion may want more
        lines.append(f"To hold it takes at least {force} {where}, opposing the motion.")
    if why.kind == "slides" and not why.stands:
        if why.friction_needed is None:
            lines.append("No friction would hold it.")
        else:
            lines.append(f"It needs {why.friction_needed:.2f} times the friction there is.")
    return lines


def _edge(why: Explanation) -> str:
    """Returns whose edge, and where: a piece on a table tips over its own."""
    assert why.edge is not None
    (a, b, c), (d, e, f) = why.edge
    what, length = _kind_of(why), math.dist((a, b, c), (d, e, f))
    if length < CORNER:
        where = f" at ({_mm(a)}, {_mm(b)}) mm"
    elif abs(a - d) < 1e-2 * length:
        where = f" at x = {_mm((a + d) / 2)} mm"
    elif abs(b - e) < 1e-2 * length:
        where = f" at y = {_mm((b + e) / 2)} mm"
    else:
        where = f" from ({_mm(a)}, {_mm(b)}) to ({_mm(d)}, {_mm(e)}) mm"
    if why.edge_of == why.against:
        return f"the {what}{where} of {why.against}"
    if why.edge_of is None:
        return f"the {what}{where} on {why.against}"
    owner = "its own" if len(why.moves) == 1 else f"{why.edge_of}'s own"
    return f"{owner} {what}{where} on {why.against}"


def _kind_of(why: Explanation) -> str:
    """Returns what they tip over: of a curve a line or a point."""
    assert why.edge is not None
    kinds = ("line", "point") if why.edge_of is None else ("edge", "corner")
    return kinds[math.dist(*why.edge) < CORNER]


def _mm(metres: float) -> str:
    """Millimetres with a tenth, and no minus before nothing."""
    return f"{round(metres * 1e3, 1) + 0.0:.1f}"


def _group(names: tuple[str, ...]) -> str:
    if len(names) <= 2:
        return " and ".join(names)
    return f"{names[0]} and {len(names) - 1} pieces with it"


def to_json(why: Explanation | None, statics: Statics) -> dict[str, Any]:
    """As `teeter check --explain --json` prints it: millimetres, degrees, newtons."""
    data: dict[str, Any] = {"sentences": list(sentences(why, statics))}
    if why is None:
        return data
    return data | {
        "moves": list(why.moves),
        "others": list(why.others),
        "kind": why.kind,
        "against": why.against,
        "edge_of": why.edge_of,
        "edge_mm": None if why.edge is None else [[round(v * 1e3, 4) for v in end] for end in why.edge],
        "towards_deg": None if why.towards is None else round(why.towards, 3),
        "room_mm": None if why.room is None else round(why.room * 1e3, 4),
        "force_n": round(why.force, 6),
        "point_mm": [round(value * 1e3, 4) for value in why.point],
        "friction_needed": None if why.friction_needed is None else round(why.friction_needed, 4),
    }
