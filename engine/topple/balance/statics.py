"""Statics: can contact forces hold the pieces where they are, how far from toppling, what carries what.

Works on the poses as they are; says nothing about gaps, drops and impacts (dynamics does), nor about rocking
on curved surfaces, where the answer is None and `why` says so. See `engine.topple.balance.equilibrium` for the
theory.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from teeter.engine.topple.balance.answer import Statics
from teeter.engine.topple.balance.apart import parts_of, together
from teeter.engine.topple.balance.equilibrium import MAX_PULL, UNBALANCED, Balance, balance_of, fall
from teeter.engine.topple.balance.forces import (
    QUICK_STEPS,
    RUNAWAY,
    carried,
    in_world,
    least_squares,
    newton,
    out_of_balance,
)
from teeter.engine.topple.balance.margins import (
    TiltMargin,
    margins_of,
    mechanism_of,
    mode_of,
    tilt_of,
    weakest,
)
from teeter.engine.topple.balance.rocking import RockingBalance, hangs, rocking_of
from teeter.engine.topple.balance.rolled import margin_of, pulls_of
from teeter.engine.topple.balance.wedging import called_up, can_wedge, clamping
from teeter.engine.topple.contact.arrays import Array
from teeter.engine.topple.contact.detection import Contacts, find_contacts
from teeter.engine.topple.errors import StaticsError
from teeter.engine.world.body import DOWN, Assembly, Vector
from teeter.engine.world.rolling import resists

SEARCHED_FIRST = 1000
"""Pieces beyond which forces without friction are searched for before that program is solved: a fifth of its time for a
wall of 1660, twice its time for a pyramid of 400."""


def analyse(
    assembly: Assembly,
    *,
    margins: bool = True,
    loads: bool = True,
    gravity: Vector = DOWN,
    friction: float | None = None,
    contacts: Contacts | None = None,
    curves: bool = True,
    follow: bool = True,
    declared: Assembly | None = None,
) -> Statics:
    """Everything statics has to say. margins: with tilt and push; loads: with what each piece carries.

    gravity: m/s^2, turned to tilt the table and all supports. friction: overrides every pair's coefficient.
    contacts: those already found. curves: where pieces touch on curves too, by the second variation of the energy.
    follow: pieces that roll far before they fall, to where they do; else the margin is told as the least.
    declared: where pieces were that rolled to where they are.
    Raises ValueError for zero gravity or negative friction.
    """
    contacts = contacts or find_contacts(assembly)
    try:
        flat = None if contacts.curved else balance_of(assembly, contacts, gravity=gravity, friction=friction)
        parts = []
        if curves and (flat is None or hangs(flat)):
            parts = parts_of(assembly, contacts, all_apart=flat is not None)
        if len(parts) > 1:
            judge = partial(
                analyse, margins=margins, loads=loads, gravity=gravity, friction=friction, follow=follow
            )
            found = [
                judge(part, contacts=held, declared=declared and declared.only(held.names))
                for part, held in parts
            ]
            return together(assembly, found)
        if flat is not None:
            return _analysed(assembly, flat, friction, margins=margins, loads=loads, follow=follow)
        rolling = rocking_of(assembly, contacts, gravity, friction) if curves else None
        if rolling is None:
            return Statics(stands=None, why=curved_reason(contacts))

        def said(rocking: RockingBalance, *, margins: bool) -> Statics:
            if rocking.can_roll:
                return _rocking(
                    assembly, rocking, friction, declared, margins=margins, loads=loads, follow=follow
                )
            return _analysed(assembly, rocking.balance, friction, margins=margins, loads=loads, follow=follow)

        if not (rolling.can_roll and resists(assembly.bodies)):
            return said(rolling, margins=margins)
        held = rocking_of(assembly, contacts, gravity, friction, resisting=True)
        comes_back = rolling.judged(rolling.balance.acting).comes_back
        free = said(rolling, margins=margins and comes_back)
        return free if held is None else _firmer(free, said(held, margins=margins), comes_back=comes_back)
    except StaticsError as error:
        return Statics(stands=None, why=str(error))


def stands(
    assembly: Assembly,
    *,
    gravity: Vector = DOWN,
    friction: float | None = None,
    contacts: Contacts | None = None,
) -> bool | None:
    """Returns whether some set of contact forces balances every piece; None on curves, and where none can be found."""
    return analyse(
        assembly,
        margins=False,
        loads=False,
        gravity=gravity,
        friction=friction,
        contacts=contacts,
        curves=False,
    ).stands


def holds(balance: Balance) -> bool:
    """Returns whether forces balance what acts on pieces, and are called up."""
    answer = _judged(balance)
    return answer.balanced and (answer.smooth or not can_wedge(balance) or called_up(balance)[0])


def tilt_margin(balance: Balance, *, is_quick: bool = False) -> TiltMargin:
    """Returns the tilt margin of a balance; 0 degrees, with the mechanism of the fall, when it does not stand.
    is_quick: whether pieces that wedge may reach their forces is left out: an upper bound then."""
    answer = _judged(balance)
    if answer.balanced:
        return tilt_of(balance, is_quick=is_quick)
    return TiltMargin(0.0, 0.0, weakest(balance, answer.velocities), mechanism_of(balance, answer.velocities))


def curved_reason(contacts: Contacts) -> str:
    """Returns the sentence that says why statics is silent."""
    upper, lower = contacts.curved[0]
    more = f" (and {len(contacts.curved) - 1} more)" if len(contacts.curved) > 1 else ""
    return f"{upper} and {lower} touch on a curved surface{more}: a force balance says nothing about rocking"


def _analysed(
    assembly: Assembly, balance: Balance, friction: float | None, *, margins: bool, loads: bool, follow: bool
) -> Statics:
    if not balance.names:
        return Statics(stands=True, needs_friction=False, tilt_deg=90.0, tilt_direction_deg=0.0)
    if hangs(balance):
        return _rocking(
            assembly, RockingBalance(balance), friction, None, margins=margins, loads=loads, follow=follow
        )
    answer = _judged(balance)
    if not answer.balanced:
        return Statics(
            stands=False,
            needs_friction=True,
            tilt_deg=0.0 if margins else None,
            weakest=weakest(balance, answer.velocities),
            mechanism=mechanism_of(balance, answer.velocities),
        )
    forces = in_world(balance, answer.forces) if answer.forces is not None else None
    carry = carried(balance, least_squares(balance) if forces is None else forces) if loads else {}
    if not answer.smooth and can_wedge(balance):
        held, motion = called_up(balance)
        if not held:
            return Statics(
                stands=True,
                needs_friction=True,
                weakest=weakest(balance, motion),
                loads=carry,
                mechanism=mechanism_of(balance, motion),
                wedged=clamping(balance),
            )
    if not margins:
        return Statics(stands=True, needs_friction=not answer.smooth, loads=carry)
    tilt, push = margins_of(balance, assembly)
    return Statics(
        stands=True,
        needs_friction=not answer.smooth,
        tilt_deg=tilt.degrees,
        tilt_direction_deg=tilt.direction,
        tilt_mode=tilt.mode,
        push_n=push.newtons,
        push_piece=push.piece,
        push_mode=push.mode,
        weakest=tilt.weakest,
        loads=carry,
        mechanism=tilt.mechanism,
    )


def _rocking(
    assembly: Assembly,
    rocking: RockingBalance,
    friction: float | None,
    declared: Assembly | None,
    *,
    margins: bool,
    loads: bool,
    follow: bool,
) -> Statics:
    """What statics says of pieces some of which touch on curves."""
    balance = rocking.balance
    load = balance.acting
    answer = rocking.judged(load)
    if not answer.stands:
        return Statics(
            stands=False,
            needs_friction=True,
            tilt_deg=0.0 if margins else None,
            weakest=weakest(balance, answer.motion),
            mechanism=mechanism_of(balance, answer.motion),
        )
    carry = carried(balance, in_world(balance, answer.forces)) if loads and answer.forces is not None else {}
    smooth = fall(balance, np.zeros_like(balance.friction)).value <= UNBALANCED
    rolls = tuple(balance.names[at] for at in answer.rolls)
    if not margins:
        return Statics(stands=True, needs_friction=not smooth, loads=carry, rolls=rolls)
    tilting, pushing, piece = pulls_of(assembly, balance)
    tilt = margin_of(assembly, rocking, tilting, friction, follow=follow, declared=declared)
    push = margin_of(assembly, rocking, pushing, friction, follow=False)
    # forces that do not turn with gravity would take another round for each tilt
    turns = not len(balance.pulled)
    return Statics(
        stands=True,
        needs_friction=not smooth,
        tilt_deg=(math.degrees(math.atan(tilt.distance)) if tilt.distance < MAX_PULL else 90.0)
        if turns
        else None,
        tilt_direction_deg=math.degrees(math.atan2(*tilt.direction[::-1])) % 360.0 if turns else None,
        tilt_mode=mode_of(tilt.balance, tilt.motion) if np.any(tilt.motion) and not tilt.is_least else None,
        push_n=push.distance * float(balance.weights[balance.names.index(piece)]) * balance.force
        if push.distance < MAX_PULL
        else None,
        push_piece=piece,
        push_mode="topple" if push.distance < MAX_PULL else None,
        weakest=None if tilt.is_least else weakest(balance, tilt.motion),
        loads=carry,
        # what was followed moves from where it rolled to, not from here
        mechanism=mechanism_of(balance, tilt.motion) if tilt.balance is balance and not tilt.is_least else {},
        rolls=rolls,
        tilt_at_least=tilt.is_least,
        push_at_least=push.is_least,
    )


def feasible_forces(balance: Balance) -> Array | None:
    """Contact forces (k, 3) as n, t1, t2 that hold every piece, if a quick search finds them: a proof that it
    stands, several times cheaper than the proof that it cannot. None proves nothing."""
    load = balance.acting
    forces = newton(balance, load, steps=QUICK_STEPS, limit=RUNAWAY)
    return None if forces is None or out_of_balance(balance, forces, load) > UNBALANCED / 10 else forces


def _firmer(free: Statics, held: Statics, *, comes_back: bool) -> Statics:
    """Joins what statics says of pieces with nothing that stops their rolling, and without any rolling. comes_back:
    something rocks; what it does besides, against a resistance, is not computed, so that the larger margin is the
    least."""
    if not held.stands_by_itself:
        return free if free.stands else held
    if not (comes_back and free.stands) or held.tilt_deg is None:
        return replace(held, tilt_at_least=comes_back, push_at_least=comes_back)
    firmer = free if (free.tilt_deg or 0.0) > held.tilt_deg else held
    pushes = [statics.push_n for statics in (free, held)]
    push = None if None in pushes else max(value for value in pushes if value is not None)
    return replace(firmer, rolls=(), tilt_at_least=True, push_n=push, push_at_least=push is not None)


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """balanced: it can stand; smooth: without friction too. forces: (k, 3) that hold it, where they are
    known. velocities: (6 n,) of the fall if it falls."""

    balanced: bool
    smooth: bool
    forces: Array | None
    velocities: Array


def _judged(balance: Balance) -> _Judged:
    """Judges without friction first, because most towers need none and that program is a fifth as large; then
    a search for forces; and the whole cone program only when they are not found."""
    none = np.zeros_like(balance.friction)
    if len(balance.names) > SEARCHED_FIRST and feasible_forces(replace(balance, friction=none)) is not None:
        return _Judged(True, True, None, np.zeros(6 * len(balance.names)))
    answer = fall(balance, none)
    if answer.value <= UNBALANCED:
        return _Judged(True, True, None, answer.x)
    forces = feasible_forces(balance)
    if forces is not None:
        return _Judged(True, False, forces, answer.x)
    answer = fall(balance, balance.friction)
    return _Judged(answer.value <= UNBALANCED, False, None, answer.x)
