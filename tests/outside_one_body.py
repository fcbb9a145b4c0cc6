"""One block that slides, and one that should not: closed forms that every engine can be held to."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from outside_scenes import sliding_block
from peer_runner import Rig
from peer_scenes import level_slope, runners

from teeter.engine.settings import GRAVITY

FRICTIONS, ANGLES = (0.1, 0.3, 0.5, 0.7, 1.0), (3.0, 10.0, 20.0, 30.0, 40.0)
"""Newton's friction grid, with one angle more."""
GRID_S = 2.0
STOOD = 0.02
"""Metres in that time: Newton's own limit between standing and sliding."""
STOPS = ((2.0, 0.2), (2.0, 0.4), (2.0, 0.7))
"""Metres a second and friction of Newton's stopping distances."""
FAST = (6.0, 0.5)
"""Of Genesis' sliding cube, which its convex relaxation lifts by 318 mm."""


@dataclass(frozen=True, slots=True)
class OneBody:
    """grid: slopes of `FRICTIONS` and `ANGLES` told rightly, of 25. stop: worst miss of a stopping distance, per cent.
    lift: metres by which a fast cube rises. cost: seconds of processor time."""

    engine: str
    version: str
    grid: int
    stop: float
    lift: float
    cost: float


def one_body(engine: str) -> OneBody:
    """Asks one engine all of it."""
    make, started, elsewhere = runners()[engine], time.process_time(), 0.0
    right = 0
    for mu in FRICTIONS:
        for degrees in ANGLES:
            assembly, gravity = level_slope(mu, degrees)
            runner = make(Rig(assembly.bodies, gravity))
            first = runner.places()
            runner.run(round(GRID_S * runner.rate))
            moved = float(np.linalg.norm(runner.places() - first))
            right += (moved < STOOD) is bool(np.tan(np.radians(degrees)) < mu)
            elsewhere += runner.elsewhere
            runner.close()
    stops, lift = [], 0.0
    for speed, mu in (*STOPS, FAST):
        assembly, velocity, reach = sliding_block(mu, speed)
        runner = make(Rig(assembly.bodies, launched={"block": velocity}))
        places = [runner.places()[0]]
        # twice as long as it takes to stop
        for _ in range(round(20 * speed / (mu * GRAVITY))):
            runner.run(max(1, runner.rate // 10))
            places.append(runner.places()[0])
        stops.append(100.0 * abs(float(places[-1][0] - places[0][0]) / reach - 1.0))
        lift = max([lift, *(float(after[2] - before[2]) for before, after in pairwise(places))])
        elsewhere += runner.elsewhere
        runner.close()
    return OneBody(engine, runner.version, right, max(stops), lift, time.process_time() - started + elsewhere)
