"""What an agent sees of a game as numbers: a row for every piece, for every seat, and what is its own.

Everything is read from a state that `seen_by` has blotted out for the seat, and from where bodies lie, which all can
see; so what is hidden from a player is hidden from its agent. What the numbers mean stands in README.md. Each game
has its own `Observation` in `games/<game>/observation.py`; `Observer` turns it into arrays.
Poses as actions are place, yaw and side as numbers from -1 to 1, let down to first contact.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import lru_cache
from numbers import Real
from typing import Any, Generic, TypeVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from teeter.engine.geometry.drop import DropTarget
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.world.body import Body
from teeter.games.api.arguments import ArgumentError
from teeter.games.core.errors import SetupError
from teeter.games.core.rules import Choice, Need, Wait
from teeter.games.game import Game, stock_of
from teeter.games.judge.places import laid, steady
from teeter.games.play.session import Session
from teeter.games.players.tower_places import faces, let_down
from teeter.models.piece import Array, Piece

S = TypeVar("S", contravariant=True)
Numbers = tuple[float, ...]
SPAN = 0.15
"""Metres on either side of the middle of a tower that an agent's hand can aim at."""
WAITS = tuple(Wait)
BOUND = 1e4
"""No observed number is larger: tokens, points and millimetres stay far below."""


SIZE = 4
"""Numbers of an action that stand for a pose: x, y, yaw, side; each from -1 to 1."""


@dataclass(frozen=True, slots=True)
class ActionFrame:
    """Where (0, 0, 0) of an action lies. x, y: metres. yaw: radians. span: metres that 1 stands for."""

    x: float
    y: float
    yaw: float
    span: float


@lru_cache(maxsize=512)
def sides(piece: Piece) -> tuple[Pose, ...]:
    """Returns the poses in which a piece lies, over the origin: the steady one first, then on its other flat faces."""
    poses = [steady(piece)]
    for face in faces(piece):
        pose = laid(piece, face.turn)
        # what points down decides; a rotation on the table is the yaw's business
        if all(float(pose.matrix[2] @ lying.matrix[2]) < 1.0 - 1e-6 for lying in poses):
            poses.append(pose)
    return tuple(poses)


def level_axes(body: Body) -> tuple[Array, Array]:
    """Returns the level unit vectors along the longest side of a piece and across it."""
    along = body.pose.matrix[:, int(np.argmax(body.piece.extents))] * (1.0, 1.0, 0.0)
    size = float(np.linalg.norm(along))
    along = along / size if size > 1e-6 else np.array([1.0, 0.0, 0.0])
    return along, np.array([-along[1], along[0], 0.0])


def numbers_of(action: object, count: int, called: str) -> Array:
    """Returns the numbers (count,) of an action. Raises ArgumentError for anything else."""
    values = np.array(np.nan)
    with suppress(TypeError, ValueError):
        values = np.asarray(action, dtype=np.float64)
    if values.shape != (count,) or not np.isfinite(values).all():
        raise ArgumentError(f"{called}={action!r}: must be {count} numbers from -1 to 1")
    return values


def pose_of(action: Array, piece: Piece, frame: ActionFrame, bodies: Sequence[Body]) -> Pose | None:
    """Returns the pose (metres) that an action (4,) means, let down on the bodies; None where nothing is below."""
    x, y, yaw, side = np.clip(np.asarray(action, dtype=np.float64), -1.0, 1.0).tolist()
    lying = sides(piece)
    chosen = lying[min(int((side + 1.0) / 2.0 * len(lying)), len(lying) - 1)]
    rotation = quaternion_of_rpy(0.0, 0.0, frame.yaw + math.pi * yaw)
    cosine, sine = math.cos(frame.yaw), math.sin(frame.yaw)
    at = (frame.x + frame.span * (cosine * x - sine * y), frame.y + frame.span * (sine * x + cosine * y), 0.0)
    return let_down(piece, chosen.then(Pose(at, rotation)), DropTarget.of(bodies))


class Observation(ABC, Generic[S]):
    """How one game is seen. All functions take a state with what is hidden blotted out."""

    most = 64
    """Actions that may be legal at once, at most."""

    @abstractmethod
    def pieces(self, state: S) -> tuple[str, ...]:
        """Returns the names of all bodies the game may bring out."""

    def words(self, state: S) -> tuple[str, ...]:
        """Returns all names that actions speak of."""
        return self.pieces(state)

    @abstractmethod
    def tag(self, state: S, name: str) -> float:
        """Returns a number for a piece."""

    @abstractmethod
    def seat(self, state: S, seat: int) -> Numbers:
        """Returns numbers of a seat that everyone knows."""

    @abstractmethod
    def own(self, state: S, seat: int) -> Numbers:
        """Returns numbers of the turn, and what only this seat knows."""

    @abstractmethod
    def frame(self, session: Session, need: Need) -> ActionFrame:
        """Returns where the hand of the player on turn aims from."""

    def unread(self, state: S) -> frozenset[str]:
        """Returns the bodies whose print is not for everybody's eyes."""
        return frozenset()


def observation_of(game: Game[S]) -> Observation[S]:
    """Returns how a game is seen. Raises SetupError for one that no agent learns."""
    if not game.observation_class:
        raise SetupError(f"no agent learns {game.title}")
    observation: Observation[S] = game.part(game.observation_class, Observation)  # type: ignore[type-abstract]
    return observation


def index_of(names: Sequence[Any], name: Any) -> int:
    """Returns the place of a name, counted from 1; 0 for what is not there or not known."""
    return names.index(name) + 1 if name in names else 0


def numbers(*shape: int, bound: float = BOUND) -> spaces.Box:
    """A space of arrays of single precision, from -bound to bound."""
    return spaces.Box(-bound, bound, shape, np.float32)


class Observer:
    """Looks at a game for its agents. `structure` is the space of what they see, `pieces` the rows of pieces in it,
    `words` what numbers of named things count. Raises SetupError for options the game does not know."""

    def __init__(
        self, game: Game, view: Observation[Any], agents: Sequence[str], options: Mapping[str, object]
    ) -> None:
        # a game that is begun on paper only shows how many of everything there are
        state = game.rules.start(agents, 0, options, stock_of(game))
        self.game, self.view, self.agents = game, view, tuple(agents)
        self.pieces, self.words = view.pieces(state), view.words(state)
        count = len(self.pieces)
        self.structure = spaces.Dict(
            {
                "choices": numbers(view.most, 3),
                "need": numbers(3),
                "own": numbers(len(view.own(state, 0))),
                "poses": numbers(count, 7),
                "seats": numbers(len(self.agents), len(view.seat(state, 0)) + 2),
                "sizes": numbers(count, 3),
                "tags": numbers(count),
                "there": numbers(count),
            }
        )

    def seen(self, session: Session, agent: str, choices: Sequence[Choice]) -> dict[str, NDArray[np.float32]]:
        """What an agent sees. choices: what it may do now."""
        state = self.game.rules.seen_by(session.state, agent)
        seat, need = self.agents.index(agent), session.need
        view, held = self.view, session.table.hand.held
        scores = self.game.rules.scores(state)
        poses, sizes, there = self._bodies(session)
        parts: dict[str, Any] = {
            "poses": poses,
            "sizes": sizes,
            "there": there,
            "tags": [view.tag(state, name) for name in self.pieces],
            "seats": [
                (*view.seat(state, at), float(scores[at]), float(at == seat))
                for at in range(len(self.agents))
            ],
            "own": view.own(state, seat),
            "need": (
                WAITS.index(need.wait),
                self.agents.index(need.player) + 1 if need.player in self.agents else 0,
                self._word(held or ""),
            ),
            "choices": self._choices(choices),
        }
        return {name: np.asarray(value, np.float32) for name, value in parts.items()}

    def _bodies(self, session: Session) -> tuple[Array, Array, Array]:
        """Poses (n, 7), sizes (n, 3) in metres, and 0 for not there, 1 in the supply, 2 in play, 3 in the hand."""
        poses, sizes = np.zeros((len(self.pieces), 7)), np.zeros((len(self.pieces), 3))
        there = np.zeros(len(self.pieces))
        for row, name in enumerate(self.pieces):
            body = session.table.bodies.get(name)
            if body is not None:
                poses[row] = body.pose.row
                sizes[row] = body.piece.extents
                there[row] = 3 if name == session.table.hand.held else 1 if body.fixed else 2
        return poses, sizes, there

    def _choices(self, choices: Sequence[Choice]) -> Array:
        """(most, 3): the kind of every legal action from 1, and the first two things it names."""
        rows = np.zeros((self.view.most, 3))
        for row, choice in enumerate(choices):
            action = choice.action
            named = [getattr(action, field.name) for field in fields(action) if field.name != "player"]
            values = [self._word(value) for value in named[:2]]
            rows[row, : 1 + len(values)] = (self.game.actions.index(type(action)) + 1, *values)
        return rows

    def _word(self, value: object) -> float:
        """A name by its place among the words of the game, from 1; a number as it is; 0 for none."""
        if isinstance(value, str):
            return float(self.words.index(value) + 1) if value in self.words else 0.0
        return float(value) if isinstance(value, (int, float)) else 0.0


def require_tremor(tremor_mm: object) -> None:
    """Raises ArgumentError for a shaking that no hand has."""
    if not isinstance(tremor_mm, Real) or not 0.0 <= float(tremor_mm) <= 20.0:
        raise ArgumentError(f"tremor_mm={tremor_mm!r}: from 0 to 20; a nervous hand has 2")
