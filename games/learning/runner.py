"""Whole episodes, many at a time: one process a core, each with worlds of its own. What comes out depends on the seeds
alone, not on how many processes there were or which was faster.

For training step by step use Gymnasium's own vector environments: `gymnasium.make_vec("teeter/PlaceBlock-v0",
num_envs=4, vectorization_mode="async")` after importing `games.learning.registry`.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

from games.learning.building import PlaceBlock
from games.learning.playing import Playing

Make = Callable[[], PlaceBlock | Playing]
"""Makes an environment; sent to other processes, so a class or a `functools.partial` of one."""
Mind = Callable[[int], Any]
"""Makes an agent from a seed."""


@dataclass(frozen=True, slots=True)
class Episode:
    """One episode. decisions: actions taken. steps: of the simulated world. returns: the sum of rewards of every agent;
    a lone builder is called `builder`. height_mm: of the tower at the end, 0 in games."""

    seed: int
    decisions: int
    steps: int
    returns: dict[str, float]
    height_mm: float = 0.0


def run(make: Make, mind: Mind, seeds: Iterable[int], workers: int | None = None) -> Iterator[Episode]:
    """Play one episode for every seed; they come in the order of the seeds as they are done. mind: is given the seed
    too. workers: processes, all cores when None. Raises ValueError for less than one."""
    workers = workers if workers is not None else os.cpu_count() or 1
    if workers < 1:
        raise ValueError(f"workers={workers}: at least one process")
    work = partial(play_out, make, mind)
    if workers == 1:
        yield from map(work, seeds)
        return
    # fresh interpreters: a forked one would share open simulators and pictures with its parent
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        yield from pool.map(work, seeds)


def play_out(make: Make, mind: Mind, seed: int) -> Episode:
    """One episode in this process."""
    env, agent = make(), mind(seed)
    try:
        return _build(env, agent, seed) if isinstance(env, PlaceBlock) else _play(env, agent, seed)
    finally:
        env.close()


def _build(env: PlaceBlock, agent: Any, seed: int) -> Episode:
    seen, info = env.reset(seed=seed)
    total, decisions, is_over = 0.0, 0, False
    while not is_over:
        seen, reward, terminated, truncated, info = env.step(agent.act(env, seen))
        total, decisions, is_over = total + reward, decisions + 1, terminated or truncated
    return Episode(seed, decisions, env.table.step, {"builder": total}, float(info["height_mm"]))


def _play(env: Playing, agent: Any, seed: int) -> Episode:
    env.reset(seed=seed)
    returns, decisions = dict.fromkeys(env.possible_agents, 0.0), 0
    for name in env.agent_iter():
        seen, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        env.step(agent.act(env, seen, name))
        decisions += 1
        for each, reward in env.rewards.items():
            returns[each] += reward
    return Episode(seed, decisions, env.session.table.step, returns)
