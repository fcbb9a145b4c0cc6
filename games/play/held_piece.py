"""The piece in the hand: what it has touched since it was taken up and what that means to the rules, how the hand that
carries it may move, and what it does once it was let go.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Generic, TypeVar

import numpy as np

from teeter.engine.events import Moved, SceneEvent, Touched
from teeter.engine.geometry.rotation import angle_between, slerp
from teeter.engine.hand import GRIP, Grip, StiffArm, Sway, Target, Tremor, onset, packed, unpacked
from teeter.engine.pose import Pose
from teeter.engine.world.body import FLOOR, TABLE, Body
from teeter.games.core.events import Fell, HitNeighbour, Met, Nudged
from teeter.games.core.random_state import side_seed
from teeter.games.core.rules import NO_HANDICAPS, Handicap, Running
from teeter.games.game import Game
from teeter.games.judge.judge import Judge
from teeter.games.judge.places import bounds
from teeter.games.play.checkpoints import Checkpoints, Referee, S
from teeter.games.play.table import Moment, Table
from teeter.models.piece import Array

R = TypeVar("R", bound=Running)
Quaternion = tuple[float, float, float, float]

OUT_SHARE = 0.6
"""TT-24: a brick is out when nothing touches it and it has come this part of its length."""
BESIDE = 0.012
"""Metres between two pieces of which one has just pushed the other: what a hand goes between two looks, and more."""
SHOVED = 0.002
"""Metres that a placed piece has gone, for one that the hand has set in motion."""
LIFTED_HEIGHT = 0.002
"""Metres above where it lay from which a piece has left the supply (BS-08), if it touches nothing any more."""


class HeldPiece:
    """What has happened to the piece in the hand since it was taken up. Made when the hand has closed on it.

    back: where everything goes when it is taken back. has_met: it has touched a lying piece, or moved against the
    ones it lay with. is_lifted: it has left what it lay on.
    """

    def __init__(self, piece: str, table: Table, back: Moment) -> None:
        self.piece, self.back = piece, back
        self.has_met = self.is_lifted = False
        self._table = table
        self._start = table.bodies[piece].pose.position
        self._has_told: set[str] = set()
        self._about = {pair for pair in table.touching if piece in pair}

    def follow(self) -> None:
        """Look where the piece is now."""
        if not self.is_lifted:
            risen = self._table.bodies[self.piece].pose.position[2] - self._start[2]
            self.is_lifted = risen > LIFTED_HEIGHT and not self._touches()

    def met(self, event: SceneEvent, lying: Iterable[str], is_pulled: bool) -> Met | None:
        """Returns the first touch of a lying piece (ALL-6) that an event is. A pulled piece meets those it lay with
        when it moves."""
        lying = frozenset(lying) - {self.piece}
        if isinstance(event, Touched) and self.piece in (event.a, event.b):
            other = event.b if event.a == self.piece else event.a
            if other not in lying or (event.a, event.b) in self._about:
                return None
        elif isinstance(event, Moved) and event.piece == self.piece and is_pulled and not self.has_met:
            beside = sorted({name for pair in self._about for name in pair} & lying)
            if not beside:
                return None
            other = beside[0]
        else:
            return None
        return self._tell(event.step, other)

    def grazed(self, event: SceneEvent, lying: Iterable[str]) -> Met | None:
        """Returns that a lying piece beside this one moves, though the touch was too light and short to be one (ALL-3):
        nothing else can have moved it."""
        if not isinstance(event, Moved) or event.piece not in frozenset(lying) - {self.piece}:
            return None
        bodies = self._table.bodies
        return (
            self._tell(event.step, event.piece) if _beside(bodies[self.piece], bodies[event.piece]) else None
        )

    def _tell(self, step: int, other: str) -> Met | None:
        if other in self._has_told:
            return None
        self.has_met = True
        self._has_told.add(other)
        return Met(step, self.piece, other)

    def nudged(self, event: SceneEvent, lying: Iterable[str]) -> Nudged | None:
        """Returns the push of a lying piece that an event is."""
        if isinstance(event, Moved) and event.piece in frozenset(lying) - {self.piece} and self.has_met:
            return Nudged(event.step, event.piece, event.mm)
        return None

    def sees_landing(self, event: SceneEvent) -> bool:
        """Returns whether an event is a piece touching the table or the floor; the held one does once it was lifted
        (BS-08)."""
        if not isinstance(event, Touched) or not {event.a, event.b} & {TABLE, FLOOR}:
            return False
        return self.is_lifted or self.piece not in (event.a, event.b)

    def is_out(self) -> bool:
        """TT-24: whether a pulled piece is out of the tower."""
        body = self._table.bodies[self.piece]
        moved = math.dist(body.pose.position, self._start)
        # a brick of the lowest row is out while it still lies on the table
        return moved > OUT_SHARE * float(body.piece.extents.max()) and not self._touches(but=TABLE)

    def _touches(self, but: str = "") -> bool:
        return any(self.piece in pair and but not in pair for pair in self._table.touching)


def _beside(one: Body, other: Body) -> bool:
    """Returns whether two pieces are so near each other that one may just have pushed the other."""
    (low, high), (other_low, other_high) = (bounds(body.piece, body.pose) for body in (one, other))
    return bool((low - BESIDE < other_high).all() and (other_low < high + BESIDE).all())


WOBBLE_SIZE = 0.006
"""CT-47: metres to either side by which the hand of somebody who has spun round three times wobbles, at first."""
WOBBLE_PERIOD_S = 1.2
"""Seconds: dizzy people sway at 0.5 to 1 Hz."""
MAX_HAND_SPEED = 2.0
"""m/s: as fast as people reach across a table. A wish that leaps is followed no faster, or it would fling a cube of 3 g
out of the room."""
MOST_TURN, TURN_SPEED = math.pi / 2, 1.0
"""CT-49: radians to either side, and a second, that two wrists turn which stay together."""
MAX_HEIGHT = 1.2
"""Metres above the table that a hand reaches, standing beside it; no tower of these games comes near it."""
MAX_TREMOR = 0.02
"""Metres: a hand that shakes more holds nothing."""


class Handling:
    """What the hand can do in a game, and how it shakes: the players' own tremor, and the handicaps of a challenge that
    belong to the hand (CT-40 to CT-50). Those that belong to the eye are for whoever draws the table.

    It stands between what a player wants and what the hand is told; the journal keeps the wish, and the same things
    are done to it when it is played again.

    handicap: of the challenge that is played. tremor: metres, root mean square along each axis. seed: of the tremor.
    limit_s: seconds that the game may take from the first grab, 0 without a limit.
    spins: whether the player spins round between two states.
    """

    def __init__(
        self,
        handicap: Handicap,
        tremor: float,
        seed: int,
        limit_s: float = 0.0,
        spins: Callable[[Any, Any], bool] = NO_HANDICAPS.spins,
    ) -> None:
        self.grip: Grip = GRIP if handicap.grip == 1.0 else GRIP.weakened(handicap.grip)
        """CT-46: without thumbs the hand is weaker, and a piece slips and turns sooner."""
        self.shakes = handicap.tremor
        """CT-40: times the tremor that a player brings along."""
        self.limit_s = limit_s
        self._spins = spins
        self._tremor = Tremor(handicap.tremor * (tremor or handicap.tremor_mm / 1e3), seed)
        self._sway = Sway(handicap.sway_mm / 1e3, handicap.sway_period_s or 1.0, handicap.sway_axes)
        self._dizzy_s = handicap.wobble_s
        self.is_tied = handicap.reach_mm > 0.0
        """CT-49: two wrists that stay together turn slowly, and not far."""
        self._straight: Quaternion = (0.0, 0.0, 0.0, 1.0)
        self._orientation = self._straight
        self._arm_length = handicap.arm_mm / 1e3
        self._arm: StiffArm | None = None
        self._taken_at = 0
        self._place = np.zeros(3)
        self._first_at: int | None = None
        self._spun_at: int | None = None

        self.is_plain = not (
            self._tremor.size or self._sway.size or self._dizzy_s or self.is_tied or self._arm_length
        )
        """Whether a hand that is held still stays still: nothing shakes it."""

    def taken(self, step: int, pose: Pose) -> None:
        """The hand has closed on a piece, here."""
        self._taken_at, self._place = step, np.asarray(pose.position)
        self._straight = self._orientation = pose.orientation
        # CT-42: the player has walked to where the piece is within reach
        self._arm = StiffArm(self._arm_length, self._place) if self._arm_length else None
        self._first_at = step if self._first_at is None else self._first_at

    def left_s(self, step: int, rate: int) -> float | None:
        """CT-37 to CT-39: seconds left of the challenge, which run from the first grab; None while no clock runs."""
        if not self.limit_s or self._first_at is None:
            return None
        return self.limit_s - (step - self._first_at) / rate

    def is_late(self, step: int, rate: int) -> bool:
        """CT-37 to CT-39: whether the time of the challenge is over."""
        left = self.left_s(step, rate)
        return left is not None and left < 0.0

    def follow(self, before: Any, after: Any, step: int) -> None:
        """CT-47: when the handicap says so the player spins round."""
        if self._dizzy_s and self._spins(before, after):
            self._spun_at = step

    def of(self, target: Target, step: int, rate: int) -> Target:
        """Returns where the hand goes when the player wants it at a target; rate: steps a second."""
        pose, seconds = unpacked(target), step / rate
        wanted = np.asarray(pose.position)
        if wanted[2] > MAX_HEIGHT:
            wanted[2] = MAX_HEIGHT
            x, y, z = wanted.tolist()
            target = packed(Pose((x, y, z), pose.orientation))
        offset = wanted - self._place
        leap = float(np.linalg.norm(offset)) * rate / MAX_HAND_SPEED
        if leap <= 1.0 and self.is_plain:
            self._place = wanted
            return target
        self._place = self._place + offset / max(1.0, leap)
        place = self._place + self._tremor.at(seconds)
        place += self.swaying(step, rate)
        if self._arm is not None:
            place = self._arm.at(place, rate)
        x, y, z = place.tolist()
        return packed(Pose((x, y, z), self._turned(pose, rate) if self.is_tied else pose.orientation))

    def _turned(self, wanted: Pose, rate: int) -> Quaternion:
        """CT-49: wrists that stay together rise together, but turn slowly, and no further than they go."""
        goal = _towards(self._straight, wanted.orientation, MOST_TURN)
        self._orientation = _towards(self._orientation, goal, TURN_SPEED / rate)
        return self._orientation

    def swaying(self, step: int, rate: int) -> Array:
        """Returns the metres (3,) by which the player's body carries the hand off at a step; rate: steps a second."""
        swaying = self._sway.at(step / rate) + self._wobble(step, rate)
        return np.asarray(onset((step - self._taken_at) / rate) * swaying)

    def _wobble(self, step: int, rate: int) -> Array:
        """CT-47: dizziness wears off evenly."""
        if self._spun_at is None or step < self._spun_at:
            return np.zeros(3)
        left = 1.0 - (step - self._spun_at) / rate / self._dizzy_s
        return max(0.0, left) * Sway(WOBBLE_SIZE, WOBBLE_PERIOD_S, 2).at((step - self._spun_at) / rate)


def _towards(first: Quaternion, second: Quaternion, most: float) -> Quaternion:
    """Returns the orientation on the short way to another, by so many radians at most."""
    share = min(1.0, most / max(angle_between(first, second), 1e-12))
    x, y, z, w = slerp(np.array([first]), np.array([second]), share)[0].tolist()
    return x, y, z, w


def handling_of(game: Game[R], state: R, tremor: float = 0.0) -> Handling:
    """Returns the handling of a game from its first state. tremor: metres. Raises ValueError for one no hand has."""
    if not 0.0 <= tremor <= MAX_TREMOR:
        raise ValueError(f"a tremor of {tremor * 1e3:g} mm: a hand shakes by 0 to {MAX_TREMOR * 1e3:g} mm")
    seed = side_seed(state.luck)
    handicaps = game.handicaps
    return Handling(handicaps.of(state), tremor, seed, handicaps.limit_s(state), handicaps.spins)


class LetGoPiece(Generic[S]):
    """Tells the rules' words for what a piece that was let go has done. back: the table before it was taken up."""

    def __init__(
        self,
        piece: str,
        back: Moment,
        judge: Judge,
        checkpoints: Checkpoints[S],
        referee: Referee[S],
        state: S,
    ) -> None:
        self._piece, self._back = piece, back
        self._judge, self._checkpoints, self._referee = judge, checkpoints, referee
        self._is_placed = judge.bears(state, piece, checkpoints.table.scene().touched_by(piece))
        """It has touched its own tower."""
        self._is_thrown = False
        """It came down elsewhere."""

    def strikes(self, state: S, piece: str, events: Iterable[SceneEvent]) -> HitNeighbour | None:
        """Returns whether the piece, or one that it has set in motion, meets the tower of another: its owner's
        collapse, there and then. piece: the one that the rules wait for."""
        if self._piece != piece or self._is_thrown:
            return None
        touched = [event for event in events if isinstance(event, Touched) and piece in (event.a, event.b)]
        others = [event.b if event.a == piece else event.a for event in touched]
        self._is_placed |= self._judge.bears(state, piece, others)
        return self._referee.struck(state, piece, others) or self._shoved(state, events)

    def _shoved(self, state: S, events: Iterable[SceneEvent]) -> HitNeighbour | None:
        """Returns whether a piece of the own tower that the hand has set in motion pushes the tower of another."""
        bodies = self._checkpoints.table.bodies
        for event in events:
            if not isinstance(event, Moved) or self._judge.is_of_actor(state, event.piece):
                continue
            for name, was in self._back.bodies.items():
                is_on_its_way = math.dist(was.pose.position, bodies[name].pose.position) > SHOVED
                if (
                    is_on_its_way
                    and self._judge.is_of_actor(state, name)
                    and _beside(bodies[name], bodies[event.piece])
                ):
                    return self._referee.struck(state, name, (event.piece,))
        return None

    def falls(self, state: S, fell: Fell) -> tuple[HitNeighbour | Fell | None, Fell | None]:
        """Returns what the rules hear of a fall now, and what fell of others by a throw; of a piece that was placed,
        all of it and nothing."""
        if self._is_placed:
            return fell, None
        self._is_thrown |= self._piece in fell.pieces
        own = tuple(name for name in fell.pieces if self._judge.is_of_actor(state, name))
        others = tuple(name for name in fell.pieces if name not in own)
        # who grazed a tower too lightly to touch it (ALL-3) has struck it all the same if it falls
        hit = None if own or self._is_thrown else self._referee.struck(state, self._piece, others)
        event = hit or (replace(fell, pieces=own) if own else None)
        return event, replace(fell, pieces=others) if others else None

    def set_up_again(self, state: S) -> bool:
        """Sets up the towers of others as before the throw: it is no collapse (BS-03). Returns whether it did; not
        where the house lets what scatters count."""
        self._is_thrown = True
        if self._judge.counts_throws(state):
            return False
        self._checkpoints.come_back(self._back, is_touched=True)
        self._referee.begin()
        return True
