"""The four games for several agents: PettingZoo's turn-based interface around a session on the true table.

An agent chooses among the legal actions, and its hand carries, lays and pulls as those of the computer players do; the
judge and the rules say what came of it. What the referee asks is answered by the steady player's eye, from the table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from teeter.engine.hand import Tremor
from teeter.engine.pose import Pose
from teeter.engine.record.writer import Recorder
from teeter.engine.world.body import FLOOR
from teeter.games.api.arguments import ArgumentError
from teeter.games.core.errors import SetupError, unknown
from teeter.games.core.rules import Choice, Need, Wait
from teeter.games.learning.images import TableRenderer
from teeter.games.learning.observation import (
    SIZE,
    Observer,
    level_axes,
    numbers,
    numbers_of,
    observation_of,
    pose_of,
    require_tremor,
)
from teeter.games.play.recording import begin
from teeter.games.play.session import Session
from teeter.games.players.bots import Player, lay, pull, referees
from teeter.games.registry import LEARNED, game_named, games
from teeter.models.piece import Array

REACH = 0.15
"""Metres that a pull of 1 draws a piece."""
MIN_PULL = 1e-3
"""Metres: who pulls less than this lets the piece be."""


@dataclass(slots=True)
class _Hand(Player):
    """What an agent has decided, as the player that the hand's motions ask."""

    goal: Pose
    displacement: Array | None
    tremor: Tremor

    def place(self, session: Session, need: Need) -> Pose:
        return self.goal

    def pull(self, session: Session, need: Need) -> Array | None:
        return self.displacement


class GameEnv(AECEnv):  # type: ignore[misc]
    """One of the four games.

    game: as `teeter games` lists it. seats: how many agents, `player_0` on. mode, house: as in `teeter play`.
    most_tries: a piece laid against the rules so often in a row breaks the game off, at the cost of who laid it.
    most_turns: decisions after which a game is broken off. tremor_mm: root mean square of the hands' shaking along each
    axis. record: a folder in which every game is kept as `game-0001.teeter`, to be watched and verified.
    Raises SetupError for what the game does not know.

    An action is a dictionary: `choice`, the number of a legal action, and `place`, four numbers from -1 to 1. Which one
    counts is told by `infos[agent]["wait"]`: `ACTION` (choice), `HAND` (place: x, y, yaw, side, around the top of the
    tower) or `PULL` (place: the first two are how far along the piece and across it to draw). The mask in
    `infos[agent]["action_mask"]` goes to `action_space(agent).sample(mask)`.
    An observation is one row of numbers; `structure(agent)` is the same as a dictionary space for
    `gymnasium.spaces.unflatten`. Rewards come at the end: 1 to who wins, -1 to who does not, 0 when nobody does.
    """

    metadata: dict[str, Any]

    def __init__(
        self,
        game: str = LEARNED,
        seats: int = 2,
        mode: str | None = None,
        house: Mapping[str, object] | None = None,
        most_tries: int = 3,
        most_turns: int = 500,
        tremor_mm: float = 0.0,
        record: str | PathLike[str] | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        learned = sorted(game.name for game in games() if game.observation_class)
        if game not in learned:
            raise SetupError(unknown("game", game, learned))
        if render_mode not in (None, "rgb_array"):
            raise ArgumentError(f"render_mode={render_mode!r}: 'rgb_array', or None")
        for called, count in (("seats", seats), ("most_tries", most_tries), ("most_turns", most_turns)):
            _require_whole(called, count, 1)
        require_tremor(tremor_mm)
        if not (record is None or isinstance(record, (str, PathLike))):
            raise ArgumentError(f"record={record!r}: a folder, or None")
        self.metadata = {
            "name": f"teeter_{game.replace('-', '_')}_v0",
            "render_modes": ["rgb_array"],
            "is_parallelizable": False,
            "render_fps": 1,
        }
        self.game, self.render_mode = game_named(game), render_mode
        self.view = observation_of(self.game)
        self.options: dict[str, object] = dict(house or {}) | ({"mode": mode} if mode is not None else {})
        self.most_tries, self.most_turns = most_tries, most_turns
        self._tremor, self._games = float(tremor_mm) / 1e3, 0
        self._record = None if record is None else Path(record)
        self.possible_agents = [f"player_{number}" for number in range(seats)]
        self.agents: list[str] = []
        self._random = np.random.default_rng()
        self._renderer = TableRenderer()
        self._session: Session | None = None
        self._recorder: Recorder | None = None
        self.eyes = Observer(self.game, self.view, self.possible_agents, self.options)
        agents = self.possible_agents
        self.observation_spaces = {agent: spaces.flatten_space(self.eyes.structure) for agent in agents}
        self.action_spaces = {
            agent: spaces.Dict({"choice": spaces.Discrete(self.view.most), "place": numbers(SIZE, bound=1.0)})
            for agent in agents
        }

    # -- what can be asked ---------------------------------------------------------------------------------------

    @property
    def session(self) -> Session:
        """Returns the game being played. Raises RuntimeError before the first `reset`."""
        if self._session is None:
            raise RuntimeError("call reset() first: there is no game yet")
        return self._session

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Returns the space of one row of numbers."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Returns the space of a choice and a place."""
        return self.action_spaces[agent]

    def structure(self, agent: str) -> spaces.Dict:
        """Returns the observation as a dictionary, for `gymnasium.spaces.unflatten(env.structure(agent),
        observation)`."""
        return self.eyes.structure

    def choices(self, agent: str) -> tuple[Choice, ...]:
        """Returns the legal actions of an agent now, in the order of their numbers; none while it has nothing to
        choose."""
        need = self.session.need
        if need.wait is not Wait.ACTION or need.player != agent:
            return ()
        return self.session.choices[: self.view.most]

    def observe(self, agent: str) -> NDArray[np.float32]:
        """Returns what the agent's seat may see."""
        seen = self.eyes.seen(self.session, agent, self.choices(agent))
        return np.asarray(spaces.flatten(self.eyes.structure, seen), np.float32)

    # -- PettingZoo's interface ----------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a new game. seed: of this game and of those that follow it without one. options: none are known."""
        if seed is not None:
            _require_whole("seed", seed, 0)
        self._finish()
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self._games += 1
        path = None if self._record is None else self._record / f"game-{self._games:04}.teeter"
        number = int(self._random.integers(2**31))
        self._session, self._recorder = begin(
            self.game, self.possible_agents, number, self.options, path=path
        )
        self._shaking = Tremor(self._tremor, number)
        self._tries = self._turns = 0
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._go_on()

    def step(self, action: dict[str, Any] | None) -> None:
        """Takes the decision of the agent on turn. Raises ArgumentError for a choice that is not legal, and for an
        action to somebody whose game is over."""
        if self._session is None:
            raise RuntimeError("call reset() first: there is no game yet")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._clear_rewards()
        self._cumulative_rewards[agent] = 0.0
        self._decide(agent, action)
        self._turns += 1
        self._go_on()
        self._accumulate_rewards()

    def render(self) -> NDArray[np.uint8] | None:
        """Returns a picture (height, width, 3) when `render_mode` is `rgb_array`: what lies on the table, prints
        unread."""
        if self.render_mode != "rgb_array":
            return None
        bodies = [body for name, body in self.session.table.bodies.items() if name != FLOOR]
        return self._renderer.draw(
            bodies, [body for body in bodies if not body.fixed], self.view.unread(self.session.state)
        )

    def close(self) -> None:
        """Frees the simulator and the renderer; a record is closed as it stands."""
        self._finish()
        self._renderer.close()

    # -- what follows --------------------------------------------------------------------------------------------

    def _finish(self) -> None:
        if self._session is None:
            return
        if self._recorder is not None:
            summary = self._session.summary(f"broken off after {self._turns} decisions")
            self._recorder.close(summary)
        self._session.close()
        self._session = self._recorder = None

    def _decide(self, agent: str, action: dict[str, Any] | None) -> None:
        session, need = self.session, self.session.need
        if (
            not isinstance(action, Mapping)
            or ("choice" if need.wait is Wait.ACTION else "place") not in action
        ):
            raise ArgumentError(f"it is {agent}'s turn: give an action with `choice` and `place`")
        if need.wait is Wait.ACTION:
            choices, choice = self.choices(agent), action["choice"]
            number = int(choice)
            if number != choice or not 0 <= number < len(choices):
                raise ArgumentError(
                    f"choice {choice} is not legal: {agent} has {len(choices)}, counted from 0"
                )
            session.act(choices[number].action)
            self._tries = 0
        elif need.wait is Wait.HAND:
            lay(session, self._hand(need, action["place"]), need)
            self._tries += 1
        else:
            pull(session, self._hand(need, action["place"]), need)

    def _hand(self, need: Need, place: Sequence[float]) -> _Hand:
        """Returns the motions that four numbers mean for the held piece."""
        table, values = self.session.table, np.clip(numbers_of(place, SIZE, "place"), -1.0, 1.0)
        body = table.bodies[need.pieces[0]]
        along, across = level_axes(body)
        drawn = REACH * (values[0] * along + values[1] * across)
        lying = [other for name, other in table.bodies.items() if name not in (FLOOR, body.name)]
        goal = pose_of(values, body.piece, self.view.frame(self.session, need), lying)
        # off the table there is nothing to lay it on; it is put down over where it was
        return _Hand(goal or body.pose, drawn if np.linalg.norm(drawn) > MIN_PULL else None, self._shaking)

    def _go_on(self) -> None:
        """Lets the world and the referee do their part, until an agent must decide or the game is over."""
        session = self.session
        while session.outcome is None and session.need.wait not in (Wait.ACTION, Wait.HAND, Wait.PULL):
            if session.need.wait is Wait.ANSWER:
                session.answer(referees(session, session.need))
            else:
                session.settle()
        self._judge()
        if session.outcome is None:
            self.agent_selection = session.need.player
        self.infos = {agent: self._info(agent) for agent in self.agents}

    def _judge(self) -> None:
        outcome = self.session.outcome
        if outcome is not None:
            self.terminations = dict.fromkeys(self.agents, True)
            alone = len(self.possible_agents) == 1
            for agent in self.agents:
                wins = agent in outcome.winners
                self.rewards[agent] = 1.0 if wins else -1.0 if outcome.winners or alone else 0.0
        elif self._tries >= self.most_tries and self.session.need.wait is Wait.HAND:
            self.truncations = dict.fromkeys(self.agents, True)
            self.rewards[self.session.need.player] = -1.0
        elif self._turns >= self.most_turns:
            self.truncations = dict.fromkeys(self.agents, True)

    def _info(self, agent: str) -> dict[str, Any]:
        count = len(self.choices(agent))
        mask = np.zeros(self.view.most, np.int8)
        # where there is nothing to choose any number will do
        mask[: count or 1] = 1
        return {"wait": self.session.need.wait.name, "action_mask": {"choice": mask, "place": None}}


def _require_whole(called: str, value: object, least: int) -> None:
    if not isinstance(value, Integral) or int(value) < least:
        raise ArgumentError(f"{called}={value!r}: must be a whole number, at least {least}")
