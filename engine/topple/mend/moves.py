"""Moves on the level: the nearest place of some pieces, and the least turn of one.

Pieces are tried in all directions and in those of the mechanism's dual, at distances that grow by a part; between the
first place that holds and the ring before, the nearest one on that line is found, and the line is turned for as long as
that gets nearer.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np

from teeter.engine.pose import vector_of
from teeter.engine.topple.mend.changes import Change, effort_of
from teeter.engine.topple.mend.places import MovedPieces, Place
from teeter.engine.topple.mend.task import COARSE, NEAREST, PRECISE, Search, Tried

RINGS = 24
"""That are asked at once."""
CUTS = 40
"""Places that are asked at once between two."""
AROUND = 64
"""Bearings in which nothing as near as is wanted is good, where a good place is farther: it is not closed in on."""
SHARP_TURN = math.radians(0.5)
"""Of a line of shifts: by less it is not turned."""
GAIN = 0.9
"""What turning a line makes of its nearest place, at least: where that is more than is wanted it is not turned."""
Along = Callable[[float, float], Place]
"""The place at a bearing and a distance."""
TURNS = tuple(math.radians(angle) for angle in (3, 6, 10, 15, 20, 30, 45, 60, 75, 90, 120, 150, 180))


def _closed_in(places: MovedPieces, at: Callable[[float], Place], low: float, high: float) -> float:
    """Returns a number whose place is good, next to one whose place is not. low: is not; high: is."""
    room = PRECISE * abs(high)
    while abs(high - low) > room:
        cuts = min(CUTS, math.ceil(abs(high - low) / room))
        values = np.linspace(low, high, cuts + 1)[1:-1].tolist()
        index = places.border([at(value) for value in values])
        low, high = [low, *values][index], [*values, high][index]
        if not values:
            break
    return high


def _along(turn: float, angle: float, distance: float) -> Place:
    return Place(distance * math.cos(angle), distance * math.sin(angle), turn=turn)


def move(search: Search, names: tuple[str, ...], limit: float) -> Tried:
    """The nearest place on the level, of those in which the pieces are turned as the search has it."""
    places, changes = MovedPieces(search, names), []
    for turn in search.turns:
        there = _moved_to(search, places, limit, turn)
        if there is not None:
            changes.append(Change("move", names, vector_of(there.shift), turn))
    return sorted(changes, key=partial(effort_of, search.assembly))[:1], places.asked


def _moved_to(search: Search, places: MovedPieces, limit: float, turn: float) -> Place | None:
    """Returns the nearest good place. The rings grow until one has some. turn: radians, of the pieces in all places."""
    names, along = places.names, partial(_along, turn)
    angles = [
        *(2 * math.pi * np.arange(search.scan.bearings) / search.scan.bearings).tolist(),
        *search.towards(names),
    ]
    before, first, reach = 0.0, NEAREST * search.size, search.reach
    while before < reach and before * len(names) < limit:
        every = [before, *(first * search.scan.growth**ring for ring in range(RINGS))]
        rings = [far for near, far in pairwise(every) if near < reach and near * len(names) < limit]
        good = places.first_good([along(angle, distance) for distance in rings for angle in angles])
        if good is not None:
            distance = math.hypot(good.x, good.y)
            if _is_beyond(search, places, along, limit / len(names), distance):
                return good
            within = 0.0 if distance < 1.1 * NEAREST * search.size else distance / search.scan.growth
            angle = math.atan2(good.y, good.x)
            nearest = _closed_in(places, partial(along, angle), within, distance)
            if GAIN * nearest * len(names) < limit:
                return _nearest(places, along, angle, nearest)
            return along(angle, nearest)
        before, first = rings[-1], rings[-1] * search.scan.growth
    return None


def _is_beyond(search: Search, places: MovedPieces, along: Along, wanted: float, distance: float) -> bool:
    """Returns whether no place is good as far away as is wanted, all around, where one is at some distance."""
    if wanted >= distance:
        return False
    around = [*np.linspace(0.0, 2 * math.pi, AROUND, endpoint=False).tolist(), *search.towards(places.names)]
    return places.first_good([along(angle, wanted) for angle in around]) is None


def _nearest(places: MovedPieces, along: Along, angle: float, best: float) -> Place:
    """Returns the nearest good place from one on, before which there is none on its line: along lines turned for as
    long as that gets nearer."""
    step = math.pi / COARSE.bearings
    while step > SHARP_TURN:
        # a line turned by the step that is left gains no more than this
        nearer = best * (1 - max(2 * PRECISE, 0.1 * step**2))
        good = places.first_good([along(angle + turn, nearer) for turn in (step, -step)])
        if good is None:
            step /= 2
            continue
        angle = math.atan2(good.y, good.x)
        best = _closed_in(places, partial(along, angle), 0.7 * nearer, nearer)
    return along(angle, best)


def turn(search: Search, names: tuple[str, ...], limit: float) -> Tried:
    """The least turn about the upright through the middle of the piece."""
    places = MovedPieces(search, names)
    place = _turned_to(search, places, limit)
    return ([] if place is None else [Change("turn", names, turn=place.turn)]), places.asked


def _turned_to(search: Search, places: MovedPieces, limit: float) -> Place | None:
    """Returns the least turn that is good."""
    wanted = [
        value
        for before, value in pairwise((0.0, *TURNS))
        if effort_of(search.assembly, Change("turn", places.names, turn=before)) < limit
    ]
    good = places.first_good([_turned(sign * value) for value in wanted for sign in (1, -1)])
    if good is None:
        return None
    sign, value = math.copysign(1.0, good.turn), abs(good.turn)
    before = max((angle for angle in TURNS if angle < value), default=0.0)
    return _turned(sign * _closed_in(places, lambda angle: _turned(sign * angle), before, value))


def _turned(angle: float) -> Place:
    return Place(0.0, 0.0, turn=angle)
