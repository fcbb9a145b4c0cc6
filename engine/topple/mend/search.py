"""The search for changes after which an assembly holds what is asked: every kind, every piece, within stated bounds.

All is asked of statics; whoever tells an answer checks it in full.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from teeter.engine.topple.balance.equilibrium import LEVEL
from teeter.engine.topple.contact.detection import Contacts, find_contacts
from teeter.engine.topple.mend import additions, moves
from teeter.engine.topple.mend.changes import KINDS, Change, Kind, effort_of
from teeter.engine.topple.mend.clearance import Clearances
from teeter.engine.topple.mend.demand import Demand
from teeter.engine.topple.mend.task import COARSE, FINE, MOST, ON_CURVES, Scan, Search, Task, Tried
from teeter.engine.workers import can_start, in_order
from teeter.engine.world.body import Assembly

FINDERS: dict[Kind, Callable[[Search, tuple[str, ...], float], Tried]] = {
    "move": moves.move,
    "turn": moves.turn,
    "remove": additions.remove,
    "place": additions.place,
    "add_mass": additions.weight,
    "friction": additions.friction,
    "prop": additions.prop,
}


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far was searched. reach: metres of shifts. asked: places and numbers that were tried. scan: how
    closely shifts were."""

    reach: float
    asked: int
    scan: Scan


def candidates(
    assembly: Assembly,
    demand: Demand,
    *,
    kinds: Sequence[Kind] = KINDS,
    pieces: Sequence[str] = (),
    keep: Sequence[str] = (),
    workers: int | None = None,
) -> tuple[list[Change], Bounds]:
    """Returns the changes after which an assembly holds what is asked by statics, the least effort first, `MOST` of a
    kind; and how far was searched.

    assembly: whose faces meet, and which does not hold it. pieces: that may change, all free ones when empty. keep:
    that may not, nor be moved with others. Raises StaticsError where statics is silent.
    """
    contacts, kept = find_contacts(assembly), frozenset(keep)
    balance = demand.balance(assembly, demand.strict(contacts))
    motion = None if contacts.curved else demand.fall_of(balance)
    rows = np.zeros((len(balance.names), 6)) if motion is None else motion.reshape(-1, 6)
    free = [body.name for body in assembly.free]
    names = tuple(name for name in (pieces or free) if name not in kept)
    scan = ON_CURVES if contacts.curved else COARSE
    apart = Clearances(assembly)
    search = Search(assembly, contacts, demand, balance, rows, tuple(kinds), names, kept, apart, scan)
    changes, asked = _found(search, workers)
    if not changes and "move" in kinds and not contacts.curved:
        # a place may lie between those of the coarse scan
        search = replace(search, kinds=("move",), scan=FINE)
        changes, more = _found(search, workers)
        asked += more
    return changes, Bounds(search.reach, asked, search.scan)


def _found(search: Search, workers: int | None) -> Tried:
    """Returns the changes that one scan finds, the least effort first, and how many were tried."""
    found: dict[Kind, list[tuple[float, Change]]] = {kind: [] for kind in KINDS}

    def tasks() -> Iterator[Task]:
        for kind, named in _tasks(search):
            best = found[kind]
            yield kind, named, math.inf if len(best) < MOST else best[MOST - 1][0]

    asked = 0
    processes = (workers or os.cpu_count() or 1) if can_start() else 1
    with in_order(partial(_done, search), tasks(), processes) as answers:
        for changes, tried in answers:
            asked += tried
            for change in changes:
                rows_of = found[change.kind]
                rows_of.append((effort_of(search.assembly, change), change))
                rows_of.sort(key=lambda row: (round(row[0], 9), row[1].pieces))
    best = [row for rows_of in found.values() for row in rows_of[:MOST]]
    best.sort(key=lambda row: (round(row[0], 9), KINDS.index(row[1].kind), row[1].pieces))
    return [change for _, change in best], asked


def _tasks(search: Search) -> list[tuple[Kind, tuple[str, ...]]]:
    """Returns what is to be tried: a kind, and the pieces; first what promises most."""
    above = carried_by(search.contacts)
    order = [body.name for body in sorted(search.assembly.free, key=lambda body: body.pose.position[2])]
    groups = {name: (name, *(other for other in order if other in above[name])) for name in search.names}
    alone: list[tuple[str, ...]] = [(name,) for name in search.names]
    several = [group for group in groups.values() if len(group) > 1 and not search.kept & set(group)]
    tops: list[tuple[str, ...]] = [(name,) for name in search.names if not above[name]]
    below = [(body.name,) for body in search.assembly.bodies if body.fixed]
    wanted: dict[Kind, list[tuple[str, ...]]] = {
        "move": sorted([*alone, *several], key=search.promise),
        "turn": alone,
        "remove": tops,
        "place": tops,
        "add_mass": [search.names],
        "friction": [(*search.names, *(name for (name,) in below if name not in search.kept))],
        "prop": alone,
    }
    return [(kind, names) for kind in search.kinds for names in wanted[kind] if names]


def carried_by(contacts: Contacts) -> dict[str, set[str]]:
    """Returns all that rests on each piece, also through others."""
    above = touch_above(contacts, LEVEL)
    found: dict[str, set[str]] = {}
    for name in contacts.names:
        reached: set[str] = set()
        ahead = [name]
        while ahead:
            fresh = above[ahead.pop()] - reached
            reached |= fresh
            ahead += fresh
        found[name] = reached - {name}
    return found


def touch_above(contacts: Contacts, level: float) -> dict[str, set[str]]:
    """Returns which pieces rest on each. level: normals that rise less carry nothing."""
    above: dict[str, set[str]] = {name: set() for name in contacts.names}
    for first, second, rises in zip(
        contacts.first.tolist(), contacts.second.tolist(), contacts.normals[:, 2].tolist(), strict=True
    ):
        if abs(rises) >= level:
            upper, lower = (first, second) if rises > 0 else (second, first)
            above[contacts.names[lower]].add(contacts.names[upper])
    for upper_name, lower_name in contacts.curved:
        above[lower_name].add(upper_name)
    return above


def _done(search: Search, task: Task) -> Tried:
    """Returns the least changes of a task."""
    kind, names, limit = task
    return FINDERS[kind](search, names, limit)
