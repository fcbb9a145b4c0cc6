"""Pieces that no chain of contacts joins but over what is fixed: each such part is balanced by itself, so that what may
roll in one leaves nothing unasked in another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from teeter.engine.topple.balance.answer import Statics
from teeter.engine.topple.balance.margins import top_piece
from teeter.engine.topple.contact.detection import Contacts
from teeter.engine.world.body import Assembly
from teeter.models.hulls import groups_of


def parts_of(
    assembly: Assembly, contacts: Contacts, *, all_apart: bool = False
) -> list[tuple[Assembly, Contacts]]:
    """Returns the parts of a scene: those that touch on curves each by itself, all others as one, or they too each by
    itself. What is fixed is in every part."""
    touching = contacts.touching
    first, second = touching.T
    is_free = ~(contacts.fixed[first] | contacts.fixed[second])
    group = groups_of(len(contacts.names), first[is_free], second[is_free])
    group[contacts.fixed] = -1
    rests = np.unique(group[touching[len(contacts.first) :]])
    if not all_apart:
        group[(group >= 0) & ~np.isin(group, rests)] = len(contacts.names)
    numbers = [part for part in np.unique(group) if part >= 0]
    if len(numbers) < 2:
        return [(assembly, contacts)]
    found = [contacts.among((group == part) | contacts.fixed) for part in numbers]
    return [(assembly.only(part.names), part) for part in found]


def together(assembly: Assembly, parts: Sequence[Statics]) -> Statics:
    """Returns what statics says of a scene, by what it says of its parts: it falls where one does, is unknown where one
    is, and has the smallest of their tilt margins and the push margin of the highest piece."""
    still = {body.name: ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)) for body in assembly.free}
    worst = min(parts, key=lambda part: (part.stands is not False, part.stands is not None))
    if not worst.stands:
        return replace(worst, mechanism=worst.mechanism and still | worst.mechanism)
    clamped = next((part for part in parts if part.wedged), None)
    if clamped is None:
        lowest = min(parts, key=lambda part: -1.0 if part.tilt_deg is None else part.tilt_deg)
    else:
        lowest = clamped
    whole = replace(
        lowest,
        needs_friction=any(part.needs_friction for part in parts),
        loads={name: load for part in parts for name, load in part.loads.items()},
        mechanism=lowest.mechanism and still | lowest.mechanism,
        rolls=tuple(name for part in parts for name in part.rolls),
    )
    top = top_piece(assembly)[0].name
    pushed = next((part for part in parts if part.push_piece == top), None)
    if clamped is not None or pushed is None:
        return whole
    return replace(
        whole,
        push_n=pushed.push_n,
        push_piece=top,
        push_mode=pushed.push_mode,
        push_at_least=pushed.push_at_least,
    )
