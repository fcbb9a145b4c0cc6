"""How fast a known tower answers for one more piece, beside the whole force balance, in the same run."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from engine.bench.rigs import piece, tower, wood
from engine.pose import Pose, quaternion_of_rpy
from engine.topple.known import KnownTower
from engine.topple.statics import stands
from engine.world import Assembly, Body

BODIES = 50
"""The table and 49 bricks: 50 pieces with the new one."""
SHOWN = 40
"""Candidates that the whole balance answers too."""


@dataclass(frozen=True, slots=True)
class Placing:
    """rate: verdicts a second, contacts of the piece found; ratio: to those of the whole balance. agree: of those both
    answered, how many alike."""

    rate: float
    ratio: float
    agree: int
    asked: int


def placing(count: int = 300) -> Placing:
    """Lay a block of 40 x 20 x 15 mm on a tower of 49 bricks, in many places, some of which do not hold it."""
    bricks = tower()[:BODIES]
    known = KnownTower(Assembly("tower", bricks))
    candidates = _candidates(bricks, count)
    started = time.perf_counter()
    answers = [known.adding(body).stands for body in candidates]
    ours = (time.perf_counter() - started) / count
    started = time.perf_counter()
    whole = [stands(known.with_piece(body)) for body in candidates[:SHOWN]]
    theirs = (time.perf_counter() - started) / SHOWN
    agree = sum(one is other for one, other in zip(answers, whole, strict=False))
    return Placing(1 / ours, theirs / ours, agree, SHOWN)


def _candidates(bricks: tuple[Body, ...], count: int) -> list[Body]:
    """Most of them somewhere on the highest row, the others over its sides and beside."""
    rng = np.random.default_rng(1)
    block = piece(wood(), box=(40, 20, 15))
    top = max(body.pose.position[2] for body in bricks) + 0.015
    found = []
    for _ in range(count):
        x, y = rng.uniform(-0.045, 0.045, 2)
        turn = quaternion_of_rpy(0.0, 0.0, float(rng.uniform(0.0, np.pi)))
        found.append(Body("new", block, Pose((float(x), float(y), top), turn)))
    return found
