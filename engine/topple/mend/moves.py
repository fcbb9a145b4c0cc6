"""Moves on the level: the nearest place of some pieces, and the least turn of one.

Pieces are tried in all directions and in those of the mechanism's dual, at distances that grow by a part; between the
first place that holds and the ring before, the nearest one on that line is found, and the line is turned for as long as
that gets nearer.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from teeter.engine.pose import vector_of
from teeter.engine.topple.mend.changes import Change, effort_of
from teeter.engine.topple.mend.places import MovedPieces, Place
from teeter.engine.topple.mend.task import COARSE, NEAREST, PRECISE, Search, Tried

RINGS = 3
"""That are asked at once."""
CUTS = 7
"""Places that are asked at once between two."""
SHARP_TURN = math.radians(0.5)
"""Of a line of shifts: by less it is not turned."""
TURNS = tuple(math.radians(angle) for angle in (3, 6, 10, 15, 20, 30, 45, 60, 75, 90, 120, 150, 180))


def _closed_in(places: MovedPieces, at: Callable[[float], Place], low: float, high: float) -> float:
    """Returns the same for places, several of which are asked at once."""
    room = PRECISE * abs(high)
    while abs(high - low) > room:
        values = np.linspace(low, high, CUTS + 2)[1:-1].tolist()
        asked = [at(value) for value in values]
        good = places.first_good(asked)
        found = CUTS if good is None else asked.index(good)
        low, high = [low, *values][found], [*values, high][found]
    return high


def _along(angle: float, distance: float) -> Place:
    return Place(distance * math.cos(angle), distance * math.sin(angle))


def move(search: Search, names: tuple[str, ...], limit: float) -> Tried:
    """The nearest place on the level. The rings grow until one has a good place."""
    places = MovedPieces(search.assembly, search.contacts, names, search.demand)
    angles = [
        *(2 * math.pi * np.arange(search.scan.bearings) / search.scan.bearings).tolist(),
        *search.towards(names),
    ]
    before, first = 0.0, NEAREST * search.size
    while before < search.reach and before * len(names) < limit:
        rings = [first * search.scan.growth**ring for ring in range(RINGS)]
        good = places.first_good([_along(angle, distance) for distance in rings for angle in angles])
        if good is not None:
            distance = math.hypot(good.x, good.y)
            within = 0.0 if distance < 1.1 * NEAREST * search.size else distance / search.scan.growth
            found = _nearest(places, math.atan2(good.y, good.x), within, distance)
            return [Change("move", names, vector_of(found.shift))], places.asked
        before, first = rings[-1], rings[-1] * search.scan.growth
    return [], places.asked


def _nearest(places: MovedPieces, angle: float, low: float, high: float) -> Place:
    """Returns the nearest good place from a good one on: along its line, and along lines turned for as long as that
    gets nearer."""
    best = _closed_in(places, partial(_along, angle), low, high)
    step = math.pi / COARSE.bearings
    while step > SHARP_TURN:
        # a line turned by the step that is left gains no more than this
        nearer = best * (1 - max(2 * PRECISE, 0.1 * step**2))
        good = places.first_good([_along(angle + turn, nearer) for turn in (step, -step)])
        if good is None:
            step /= 2
            continue
        angle = math.atan2(good.y, good.x)
        best = _closed_in(places, partial(_along, angle), 0.7 * nearer, nearer)
    return _along(angle, best)


def turn(search: Search, names: tuple[str, ...], limit: float) -> Tried:
    """The least turn about the upright through the middle of the piece."""
    places = MovedPieces(search.assembly, search.contacts, names, search.demand)
    before = 0.0
    for value in TURNS:
        if effort_of(search.assembly, Change("turn", names, turn=before)) >= limit:
            break
        good = places.first_good([_turned(value), _turned(-value)])
        if good is not None:
            sign = math.copysign(1.0, good.turn)
            angle = sign * _closed_in(places, lambda angle: _turned(sign * angle), before, value)  # noqa: B023
            return [Change("turn", names, turn=angle)], places.asked
        before = value
    return [], places.asked


def _turned(angle: float) -> Place:
    return Place(0.0, 0.0, turn=angle)
