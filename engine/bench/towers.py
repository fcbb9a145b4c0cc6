"""Towers that must stand still: how far they creep, how soon uneven ones rest, whether energy ever grows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.bench.rigs import tower
from engine.settings import TUNING, Tuning
from engine.world import Body
from engine.worlds import new_world

FRAMES = 60


@dataclass(frozen=True, slots=True)
class StandStill:
    """sink_mm: of the first half second; shift_mm: after it; late_mm: in the last third of the run."""

    sink_mm: float
    shift_mm: float
    late_mm: float


@dataclass(frozen=True, slots=True)
class Rest:
    """rest_s: from when on everything stayed slower than 1 mm/s, None if never; growth_mj: the largest rise of
    kinetic and potential energy above an earlier value; fell: whether the top row came down by 8 mm."""

    rest_s: float | None
    growth_mj: float
    fell: bool


def stand_still(bodies: Sequence[Body], seconds: float = 30.0, tuning: Tuning = TUNING) -> StandStill:
    """Let a tower stand and measure how it creeps."""
    with new_world(bodies, tuning=tuning) as world:
        start = world.read().poses[:, :3]
        world.settle()
        frames = [world.advance(world.rate // 2 - world.step).poses[:, :3]]
        sink = float((start - frames[0])[:, 2].max())
        frames += [world.advance(world.rate // 10).poses[:, :3] for _ in range(round(10 * seconds) - 5)]
    late = len(frames) * 2 // 3
    return StandStill(
        sink_mm=1e3 * sink,
        shift_mm=1e3 * max(float(np.linalg.norm(frame - frames[0], axis=1).max()) for frame in frames),
        late_mm=1e3
        * max(float(np.linalg.norm(frame - frames[late], axis=1).max()) for frame in frames[late:]),
    )


def come_to_rest(bodies: Sequence[Body], seconds: float = 7.0, tuning: Tuning = TUNING) -> Rest:
    """Let a tower find its rest and follow its energy. A rest counts when it is kept to the end of the run."""
    with new_world(bodies, tuning=tuning) as world:
        top = max(body.pose.position[2] for body in bodies)
        energies, since = [sum(world.energy())], None
        world.settle()
        energies.append(sum(world.energy()))
        tick = world.read()
        while tick.step < seconds * world.rate:
            tick = world.advance(world.rate // FRAMES)
            energies.append(sum(world.energy()))
            is_quiet = float(tick.speeds.max()) < 1e-3
            since = (since if since is not None else tick.step) if is_quiet else None
        lowest = np.minimum.accumulate(np.array(energies))
        return Rest(
            rest_s=None if since is None else since / world.rate,
            growth_mj=1e3 * float((np.array(energies) - lowest).max()),
            fell=bool(top - tick.poses[:, 2].max() > 8e-3),
        )


def scattered(seeds: Sequence[int], tuning: Tuning = TUNING) -> list[Rest]:
    """Uneven towers, one a seed."""
    return [come_to_rest(tower(seed), tuning=tuning) for seed in seeds]
