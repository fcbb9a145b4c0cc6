"""Two agents for each environment, to be beaten, and whole episodes run many at a time.

One agent does anything, one looks ahead. An agent is asked `act(environment, observation)`, in the games with the name
of who is on turn as well. The steady ones look at the table rather than at their observation; they never look at what
their seat may not see.
"""

from __future__ import annotations

import math
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tower_tilt import tilt_of

from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.world.body import TABLE, Body
from teeter.games.core.rules import Wait
from teeter.games.judge.places import highest
from teeter.games.learning.building import PlaceBlock
from teeter.games.learning.observation import SIZE, ActionFrame, level_axes, pose_of, sides
from teeter.games.learning.playing import REACH, GameEnv
from teeter.games.players.bots import Bot
from teeter.games.registry import LEARNED
from teeter.models.piece import Array, Piece

SAFE_DEG = 6.0
"""A place where the tower can be tilted by so much is safe enough to gain height there."""
BESIDE = 12
"""Places along each side of the square that are looked at when nothing may go on top."""
MakeEnvironment = Callable[[], PlaceBlock | GameEnv]
"""Makes an environment; sent to other processes, so a class or a `functools.partial` of one."""
MakeAgent = Callable[[int], Any]
"""Makes an agent from a seed."""


def action_of(pose: Pose, piece: Piece, frame: ActionFrame) -> Array:
    """Returns the action (4,) that comes nearest to a pose: of all sides the one that points down most, and the yaw and
    place that bring it there. The inverse of `pose_of` for poses that lie on a side and within the span."""
    lying = sides(piece)
    downs = [float(each.matrix[2] @ pose.matrix[2]) for each in lying]
    best = int(np.argmax(downs))
    rotation = pose.matrix @ lying[best].matrix.T
    yaw = math.atan2(rotation[1, 0] - rotation[0, 1], rotation[0, 0] + rotation[1, 1])
    # a side lies over the origin by the middle of its bounding box, and may be turned about it
    offset = Pose(lying[best].position, (0.0, 0.0, 0.0, 1.0)).then(
        Pose((0.0, 0.0, 0.0), quaternion_of_rpy(0.0, 0.0, yaw))
    )
    east, north = np.subtract(pose.position[:2], offset.position[:2]) - (frame.x, frame.y)
    cosine, sine = math.cos(frame.yaw), math.sin(frame.yaw)
    half_turns = math.remainder(yaw - frame.yaw, 2.0 * math.pi) / math.pi
    return np.array(
        [
            (cosine * east + sine * north) / frame.span,
            (cosine * north - sine * east) / frame.span,
            half_turns,
            (2 * best + 1) / len(lying) - 1.0,
        ]
    )


class RandomBuilder:
    """Lays blocks anywhere in the square."""

    def __init__(self, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)

    def act(self, env: PlaceBlock, observation: dict[str, Any]) -> NDArray[np.float32]:
        """Returns an action drawn evenly from the space."""
        assert env.action_space.shape is not None
        return self._random.uniform(-1.0, 1.0, env.action_space.shape).astype(np.float32)


class SteadyBuilder:
    """Builds as high as it is sure of: over the middle of one of the blocks, where the force balance lets the tower be
    tilted by `SAFE_DEG`; the highest of such places, else beside the tower."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def act(self, env: PlaceBlock, observation: dict[str, Any]) -> NDArray[np.float32]:
        """Returns the action of the best place found."""
        body = env.next_body
        assert body is not None, "an episode that is over has no next block"
        steady = 1.0 / len(sides(body.piece)) - 1.0
        tower, table = env.tower, env.table.bodies[TABLE]
        best = self._on_top(env, body, tower, table, steady) if tower else np.array([0.0, 0.0, 0.0, steady])
        if best is None:
            best = self._beside(env, tower, steady)
        assert env.action_space.shape is not None
        return np.asarray(np.clip(best, -1.0, 1.0)[: env.action_space.shape[0]], np.float32)

    @staticmethod
    def _on_top(
        env: PlaceBlock, body: Body, tower: Sequence[Body], table: Body, steady: float
    ) -> Array | None:
        found: list[tuple[float, Array, Pose]] = []
        for block in tower:
            x, y = np.subtract(block.pose.position[:2], (env.frame.x, env.frame.y)) / env.span
            for yaw in (0.0, 0.5):
                action = np.array([x, y, yaw, steady])
                pose = pose_of(action, body.piece, env.frame, [*tower, table])
                if pose is not None and max(abs(x), abs(y)) <= 1.0:
                    found.append((highest(body.at(pose)), action, pose))
        for _, action, pose in sorted(found, key=lambda each: -round(each[0], 4)):
            tilt = tilt_of(tower, table, body.at(pose))
            if tilt is not None and tilt >= SAFE_DEG:
                return action
        return None

    @staticmethod
    def _beside(env: PlaceBlock, tower: Sequence[Body], steady: float) -> Array:
        """Returns the place on the table that is furthest from all blocks."""
        steps = np.linspace(-0.8, 0.8, BESIDE)
        taken = np.array([block.pose.position[:2] for block in tower]) / env.span
        spots = np.array([(x, y) for x in steps for y in steps])
        free = np.linalg.norm(spots[:, None] - taken[None], axis=2).min(axis=1)
        return np.array([*spots[int(np.argmax(free))], 0.0, steady])


class RandomPlayer:
    """Any legal choice, and any place within the hand's reach."""

    def __init__(self, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)

    def act(self, env: GameEnv, observation: NDArray[np.float32], agent: str) -> dict[str, Any]:
        """Returns an action drawn evenly from the legal ones."""
        count = max(1, len(env.choices(agent)))
        place = self._random.uniform(-1.0, 1.0, SIZE).astype(np.float32)
        return {"choice": int(self._random.integers(count)), "place": place}


class SteadyPlayer:
    """The computer player `bot:steady` in an agent's clothes; or another style."""

    def __init__(self, seed: int = 0, game: str = LEARNED, style: str = "steady") -> None:
        self.bot = Bot(style, game, seed)

    def act(self, env: GameEnv, observation: NDArray[np.float32], agent: str) -> dict[str, Any]:
        """Returns what the computer player would do, as an action."""
        session, need = env.session, env.session.need
        action: dict[str, Any] = {"choice": 0, "place": np.zeros(SIZE, np.float32)}
        if need.wait is Wait.ACTION:
            chosen = self.bot.choose(session, need)
            legal = [choice.action for choice in env.choices(agent)]
            action["choice"] = legal.index(chosen)
            return action
        body = session.table.bodies[need.pieces[0]]
        if need.wait is Wait.HAND:
            place = action_of(self.bot.place(session, need), body.piece, env.view.frame(session, need))
        else:
            place = self._pulled(body, self.bot.pull(session, need))
        action["place"] = np.clip(place, -1.0, 1.0).astype(np.float32)
        return action

    @staticmethod
    def _pulled(body: Body, displacement: Array | None) -> Array:
        """Returns the numbers of an action that draws a piece by a displacement in metres."""
        if displacement is None:
            return np.zeros(SIZE)
        along, across = level_axes(body)
        return np.array([displacement @ along, displacement @ across, 0.0, 0.0]) / REACH


# -- whole episodes ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Episode:
    """One episode. decisions: actions taken. steps: of the simulated world. returns: the sum of rewards of every agent;
    a lone builder is called `builder`. height_mm: of the tower at the end, 0 in games."""

    seed: int
    decisions: int
    steps: int
    returns: dict[str, float]
    height_mm: float = 0.0


def run(
    make_environment: MakeEnvironment, make_agent: MakeAgent, seeds: Iterable[int], workers: int | None = None
) -> Iterator[Episode]:
    """Plays one episode for every seed; they come in the order of the seeds as they are done. make_agent: is given the
    seed. workers: processes, all cores when None. Raises ValueError for less than one."""
    workers = workers if workers is not None else os.cpu_count() or 1
    if workers < 1:
        raise ValueError(f"workers={workers}: at least one process")
    work = partial(play_out, make_environment, make_agent)
    if workers == 1:
        yield from map(work, seeds)
        return
    # fresh interpreters: a forked one would share open simulators and renderers with its parent
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        yield from pool.map(work, seeds)


def play_out(make_environment: MakeEnvironment, make_agent: MakeAgent, seed: int) -> Episode:
    """Plays one episode in this process."""
    env, agent = make_environment(), make_agent(seed)
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


def _play(env: GameEnv, agent: Any, seed: int) -> Episode:
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
