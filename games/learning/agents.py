"""Two agents for each environment, to start from and to be beaten: one that does anything, one that looks ahead.

An agent is asked `act(environment, observation)`, in the games with the name of who is on turn as well. The steady ones
look at the table rather than at their observation; they never look at what their seat may not see.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.pose import Pose
from engine.world import TABLE, Body
from games.judge.places import highest
from games.learning.building import PlaceBlock
from games.learning.playing import REACH, Playing
from games.learning.poses import SIZE, action_of, pose_of, sides
from games.players.bausack_places import tilt_of
from games.players.bots import Bot
from games.rules.base import Wait

Array = NDArray[np.float64]

SAFE_DEG = 6.0
"""A place where the tower can be tilted by so much is safe enough to gain height there."""
BESIDE = 12
"""Places on the table around the tower that are looked at when nothing may go on top."""


class RandomBuilder:
    """Lays blocks anywhere in the square."""

    def __init__(self, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)

    def act(self, env: PlaceBlock, observation: dict[str, Any]) -> NDArray[np.float32]:
        """An action drawn evenly from the space."""
        assert env.action_space.shape is not None
        return self._random.uniform(-1.0, 1.0, env.action_space.shape).astype(np.float32)


class SteadyBuilder:
    """Builds as high as it is sure of: over the middle of one of the blocks, where the force balance lets the tower be
    tilted by `SAFE_DEG`; the highest of such places, else beside the tower."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def act(self, env: PlaceBlock, observation: dict[str, Any]) -> NDArray[np.float32]:
        """The action of the best place found."""
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
        ways: list[tuple[float, Array, Pose]] = []
        for block in tower:
            x, y = np.subtract(block.pose.position[:2], (env.frame.x, env.frame.y)) / env.span
            for yaw in (0.0, 0.5):
                action = np.array([x, y, yaw, steady])
                pose = pose_of(action, body.piece, env.frame, [*tower, table])
                if pose is not None and max(abs(x), abs(y)) <= 1.0:
                    ways.append((highest(body.at(pose)), action, pose))
        for _, action, pose in sorted(ways, key=lambda way: -round(way[0], 4)):
            tilt = tilt_of(tower, table, body.at(pose))
            if tilt is not None and tilt >= SAFE_DEG:
                return action
        return None

    @staticmethod
    def _beside(env: PlaceBlock, tower: Sequence[Body], steady: float) -> Array:
        """The place on the table that is furthest from all blocks."""
        steps = np.linspace(-0.8, 0.8, BESIDE)
        taken = np.array([block.pose.position[:2] for block in tower]) / env.span
        spots = np.array([(x, y) for x in steps for y in steps])
        free = np.linalg.norm(spots[:, None] - taken[None], axis=2).min(axis=1)
        return np.array([*spots[int(np.argmax(free))], 0.0, steady])


class RandomPlayer:
    """Any legal choice, and any place within the hand's reach."""

    def __init__(self, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)

    def act(self, env: Playing, observation: NDArray[np.float32], agent: str) -> dict[str, Any]:
        """An action drawn evenly from the legal ones."""
        count = max(1, len(env.choices(agent)))
        place = self._random.uniform(-1.0, 1.0, SIZE).astype(np.float32)
        return {"choice": int(self._random.integers(count)), "place": place}


class SteadyPlayer:
    """The computer player `bot:steady` in an agent's clothes; or another style."""

    def __init__(self, seed: int = 0, game: str = "wonky", style: str = "steady") -> None:
        self.bot = Bot(style, game, seed)

    def act(self, env: Playing, observation: NDArray[np.float32], agent: str) -> dict[str, Any]:
        """What the computer player would do, as an action."""
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
    def _pulled(body: Body, way: Array | None) -> Array:
        """A way in the axes of the piece, as an agent speaks of it."""
        if way is None:
            return np.zeros(SIZE)
        along = body.pose.matrix[:, int(np.argmax(body.piece.extents))] * (1.0, 1.0, 0.0)
        along = along / np.linalg.norm(along)
        across = np.array([-along[1], along[0], 0.0])
        return np.array([way @ along, way @ across, 0.0, 0.0]) / REACH


def would_lie(env: PlaceBlock, action: Array) -> Pose | None:
    """Where an action would lay the next block: for agents that look ahead with `teeter.check`."""
    body = env.next_body
    if body is None:
        return None
    full = np.concatenate([np.asarray(action, dtype=np.float64), -np.ones(SIZE - len(action))])
    return pose_of(full, body.piece, env.frame, [*env.tower, env.table.bodies[TABLE]])
