"""What an environment costs beside the bare simulator: steps of the simulated world a second, in the same run."""

from __future__ import annotations

import time
from dataclasses import dataclass

from engine.worlds import new_world
from games.learning.agents import RandomBuilder
from games.learning.building import PlaceBlock


@dataclass(frozen=True, slots=True)
class Pace:
    """placements: actions a second, resets included. steps: simulated steps a second in the environment. bare: of the
    same blocks in a loop that only calls Bullet's step."""

    placements: float
    steps: float
    bare: float


def pace(episodes: int = 12) -> Pace:
    """Time random episodes of building, and every tower they end with stepped bare for as many steps."""
    env, agent = PlaceBlock(), RandomBuilder(0)
    actions = steps = 0
    inside = bare = 0.0
    for seed in range(episodes):
        started = time.perf_counter()
        seen, _ = env.reset(seed=seed)
        is_over = False
        while not is_over:
            seen, _, is_over, _, _ = env.step(agent.act(env, seen))
            actions += 1
        inside += time.perf_counter() - started
        taken = env.table.step
        steps += taken
        with new_world(env.table.bodies.values()) as world:
            started = time.perf_counter()
            world.run(taken)
            bare += time.perf_counter() - started
    env.close()
    return Pace(actions / inside, steps / inside, steps / bare)
