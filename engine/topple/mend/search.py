"""The search for changes after which an assembly holds what is asked: every kind, every piece, within stated bounds.

All is asked of statics; whoever tells an answer checks it in full.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np

from teeter.engine.topple.balance.equilibrium import LEVEL, Balance
from teeter.engine.topple.contact.arrays import Array
from teeter.engine.topple.contact.detection import Contacts, find_contacts
from teeter.engine.topple.mend import additions, moves
from teeter.engine.topple.mend.changes import KINDS, Change, Kind, effort_of
from teeter.engine.topple.mend.clearance import Clearances
from teeter.engine.topple.mend.demand import Demand
from teeter.engine.topple.mend.known_falls import fall_as_one
from teeter.engine.topple.mend.task import (
    COARSE,
    FINE,
    MOST,
    ON_CURVES,
    PAIRS,
    TURNED,
    Scan,
    Search,
    Task,
    Tried,
    joined,
)
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

TAKES_PART = 1e-6
"""Of the fastest motion in a fall."""
ALIKE = 1.01
"""Times an effort: by less two differ for no reason that a person sees, and fewer pieces are less to do."""


@dataclass(frozen=True, slots=True)
class Hanging:
    """What a fall hangs on. falls: what comes down; places: groups of these that do not touch. near: of the pieces that
    may change those which come down, or touch what does."""

    falls: tuple[str, ...]
    places: int
    near: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far was searched. reach: metres of shifts. asked: places and numbers that were tried. scan: how
    closely shifts were. pairs: of pieces that were shifted together."""

    reach: float
    asked: int
    scan: Scan
    pairs: int = 0
    hanging: Hanging | None = None


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
    falls = _falls(balance, demand, contacts, rows)
    search = Search(assembly, contacts, demand, balance, rows, falls, tuple(kinds), names, kept, apart, scan)
    changes, asked = _scan(search, workers)
    if "move" in kinds and not contacts.curved:
        pairs = tuple(sorted(combinations(names, 2), key=search.promise)[:PAIRS])
        # a place may lie between those of the coarse scan; or one piece does not do
        for last in (
            replace(search, kinds=("move",), scan=FINE),
            replace(search, kinds=("move",), turns=TURNED),
            replace(search, kinds=("move",), pairs=pairs),
        ):
            if not changes:
                search = last
                changes, more = _scan(last, workers)
                asked += more
    hanging = None if contacts.curved else _hanging(search)
    return changes, Bounds(search.reach, asked, search.scan, len(search.pairs), hanging)


def _falls(balance: Balance, demand: Demand, contacts: Contacts, motion: Array) -> tuple[Array, ...]:
    """Returns how it falls: as one body what comes down, or a piece with all that it carries; last as it does
    fastest."""
    names, speeds = balance.names, np.abs(motion).max(axis=1, initial=0.0)
    above = carried_by(contacts)
    groups = {tuple((speeds > TAKES_PART * speeds.max(initial=0.0)).tolist())}
    groups |= {tuple(name == low or name in above[low] for name in names) for low in names}
    if contacts.curved or not speeds.any():
        return (motion,)
    pulls = demand.pulls(balance)
    found = [fall_as_one(balance, pulls, contacts.fixed, np.array(group)) for group in sorted(groups)]
    return (*(fall for fall in found if fall is not None), motion)


def _hanging(search: Search) -> Hanging:
    """Returns what comes down where, and which of the pieces that may change take part in that or touch it."""
    speeds = np.abs(search.motion).max(axis=1, initial=0.0)
    moving = np.flatnonzero(speeds > TAKES_PART * speeds.max(initial=0.0)).tolist()
    falls = {search.balance.names[at] for at in moving}
    names = search.contacts.names
    rows = set(zip(search.contacts.first.tolist(), search.contacts.second.tolist(), strict=True))
    links = [{names[one], names[other]} for one, other in rows]
    groups = joined([{name} for name in sorted(falls)], [link for link in links if link <= falls])
    near = falls.union(*(link for link in links if link & falls))
    return Hanging(tuple(sorted(falls)), len(groups), tuple(name for name in search.names if name in near))


def _scan(search: Search, workers: int | None) -> Tried:
    """Returns the changes that one scan finds, the least effort first, and how many were tried. A later scan, where the
    first found nothing, looks for the least effort alone."""
    most = MOST if search.is_first else 1
    ranking: dict[Kind, list[tuple[float, Change]]] = {kind: [] for kind in KINDS}

    def tasks() -> Iterator[Task]:
        for kind, named in _tasks(search):
            best = ranking[kind]
            yield kind, named, math.inf if len(best) < most else _limit(*best[most - 1], named)

    asked = 0
    processes = (workers or os.cpu_count() or 1) if can_start() else 1
    with in_order(partial(_least_changes, search), tasks(), processes) as answers:
        for changes, tried in answers:
            asked += tried
            for change in changes:
                rows_of = ranking[change.kind]
                rows_of.append((effort_of(search.assembly, change), change))
                rows_of.sort(key=_rank)
    best = sorted((row for rows_of in ranking.values() for row in rows_of[:MOST]), key=_rank)
    return [change for _, change in best], asked


def _rank(row: tuple[float, Change]) -> tuple[float, int, int, tuple[str, ...]]:
    """Returns by what changes are sorted: their effort, as far as it matters, then how few pieces they are about."""
    alike, change = round(math.log(max(row[0], 1e-9), ALIKE)), row[1]
    return alike, len(change.pieces), KINDS.index(change.kind), change.pieces


def _limit(effort: float, change: Change, names: Sequence[str]) -> float:
    """Returns from which effort on a change of some pieces would be sorted behind another."""
    alike = round(math.log(max(effort, 1e-9), ALIKE))
    return math.pow(ALIKE, alike + (0.5 if len(names) <= len(change.pieces) else -0.5))


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
        "move": list(search.pairs)
        or sorted([*alone, *several], key=lambda names: (search.promise(names), len(names))),
        "turn": alone,
        "remove": tops,
        "place": tops,
        "add_mass": [search.names],
        "friction": [(*search.names, *(name for (name,) in below if name not in search.kept))],
        "prop": [search.names],
    }
    return [(kind, names) for kind in search.kinds for names in wanted[kind] if names]


def carried_by(contacts: Contacts) -> dict[str, set[str]]:
    """Returns all that rests on each piece, also through others."""
    above = touch_above(contacts, LEVEL)
    riders: dict[str, set[str]] = {}
    for name in contacts.names:
        reached: set[str] = set()
        ahead = [name]
        while ahead:
            fresh = above[ahead.pop()] - reached
            reached |= fresh
            ahead += fresh
        riders[name] = reached - {name}
    return riders


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


def _least_changes(search: Search, task: Task) -> Tried:
    """Returns the least changes of a task."""
    kind, names, limit = task
    return FINDERS[kind](search, names, limit)
