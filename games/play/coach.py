"""What laying the held piece somewhere would come to, at first sight: by force balance and the rules, without time
passing; and the nearest place where it may lie."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from teeter.engine.geometry.drop import DropTarget
from teeter.engine.pose import Pose
from teeter.engine.tolerances import TOUCH_FOR_HINTS, TouchTolerance
from teeter.engine.topple.balance.equilibrium import balance_of, fall
from teeter.engine.topple.balance.incremental import IncrementalStatics
from teeter.engine.topple.contact.detection import Contacts
from teeter.engine.topple.errors import StaticsError
from teeter.engine.world.body import Assembly, Body
from teeter.games.core.events import Released
from teeter.games.game import Game
from teeter.games.judge.judge import TableScene
from teeter.games.play.preview import LayPreview, Previewer, beside, lie_alike

RINGS = (0.002, 0.005, 0.01, 0.018, 0.03, 0.05)
"""Metres from where a piece is held, at which other places are looked at."""
BEARINGS = 8
CLOSE = 1e-3
"""Metres above or below its place at which a piece still means that place."""
STIRS = 1e-3
"""Metres, and units of a quaternion, by which what lies may creep until it is looked at anew: of 54 bricks that takes
half a second."""
LOOSELY = TouchTolerance(2e-3, 0.05)
"""How pieces touch that come to lie on what is uneven by twice as much as bricks are."""
FINEST = 2.5e-4
"""Metres to which the nearest place on a line is found."""
SPARE = 5e-4
"""Metres that a piece is laid further than where it hardly stands."""
LEAST_LEVEL = 0.2
"""Part of a fall that goes sideways: with less it goes straight down."""


@dataclass(frozen=True, slots=True)
class FirstLook:
    """What would be, as far as force balance and the rules say. stands: None where a balance cannot say. towards: the
    level direction (x, y) in which it falls, None for none. found: by the rules, as if all stayed where it lies."""

    stands: bool | None
    towards: tuple[float, float] | None
    found: LayPreview


class Looker:
    """Looks at places of one piece on a table on which all else lies still. state: of the rules, while it is carried.
    lying: all else."""

    def __init__(self, game: Game, state: Any, lying: Iterable[Body], previewer: Previewer) -> None:
        self._game, self._previewer, self._gravity = game, previewer, previewer.gravity
        self._carried = state
        self._lying = tuple(lying)
        play = game.judge.in_play(state)
        known = tuple(body for body in self._lying if body.fixed or body.name in play)
        self._tower = Assembly("what if", known)
        self._statics = IncrementalStatics(self._tower, TOUCH_FOR_HINTS, gravity=self._gravity)
        self._target = DropTarget.of(self._lying)

    def lies(self, state: Any, lying: Iterable[Body]) -> bool:
        """Returns whether all still lies about as it did, and the rules are where they were."""
        is_there = self._carried == state and self._gravity == self._previewer.gravity
        return is_there and lie_alike(tuple(lying), self._lying, STIRS)

    def look(self, held: Body) -> FirstLook:
        """Returns what letting a piece go where it is would come to. Raises ValueError where nobody can say."""
        held = replace(held, fixed=False)
        there = self._target.dropped(held)
        if there is not None and abs(there.pose.position[2] - held.pose.position[2]) < CLOSE:
            # the tower may have stirred since it was looked at, and a piece a little above it touches nothing
            held = there
        statics, stands = self._asked(held)
        contacts = statics.contacts(held)
        if stands is None:
            return FirstLook(
                _comes_to_rest(statics, held), None, self._judged(held, contacts, has_narrow=True)
            )
        missed = map(self._target.dropped, beside(held) if stands is False else ())
        falls = stands is False and all(there is None or self._asked(there)[1] is False for there in missed)
        return FirstLook(
            False if falls else stands or None,
            self._towards(held, contacts) if falls else None,
            self._judged(held, contacts, has_narrow=True),
        )

    def _asked(self, held: Body) -> tuple[IncrementalStatics, bool | None]:
        """Returns what tells whether a piece stands where it is, and what it says: on uneven bricks it turns until it
        lies."""
        for statics in (self._statics, self._loosely):
            added = statics.adding(held)
            if added.touches and added.stands is not False:
                return statics, added.stands
        return statics, False

    @cached_property
    def _loosely(self) -> IncrementalStatics:
        return IncrementalStatics(self._tower, LOOSELY, like=self._statics, gravity=self._gravity)

    def _judged(self, held: Body, contacts: Contacts, *, has_narrow: bool = False) -> LayPreview:
        """Returns what the rules say of a piece that stays where it is."""
        bodies = {body.name: body for body in self._lying}
        touching = _touching(contacts)
        lain = frozenset(pair for pair in touching if held.name not in pair)
        before = TableScene({**bodies, held.name: held}, lain)
        after = TableScene(before.bodies, touching)
        state = self._game.rules.apply(self._carried, Released(self._carried.step, held.name))
        return self._previewer.judged(
            state, held.name, before, before, after, is_resting=True, has_narrow=has_narrow
        )

    def _towards(self, held: Body, contacts: Contacts) -> tuple[float, float] | None:
        scene = self._statics.with_piece(held)
        balance = balance_of(scene, contacts, gravity=self._gravity)
        try:
            motion = fall(balance, balance.friction).x.reshape(-1, 6)[:, :3]
        except StaticsError:
            return None
        fastest = motion[int(np.argmax(np.linalg.norm(motion, axis=1)))]
        level = float(np.linalg.norm(fastest[:2]))
        if level <= LEAST_LEVEL * float(np.linalg.norm(fastest)) or level == 0.0:
            return None
        return float(fastest[0]) / level, float(fastest[1]) / level

    def nearest(
        self, held: Body, confirms: Callable[[Body], bool], is_over: Callable[[], bool]
    ) -> Pose | None:
        """Returns the nearest place around a piece, turned as it is, where it stands and may lie, of those in
        `BEARINGS` directions; None where none is found. confirms: asked in full before a place is told. is_over:
        whether to stop looking."""
        before, held = 0.0, replace(held, fixed=False)
        for far in RINGS:
            for angle in np.arange(BEARINGS) * (2 * math.pi / BEARINGS):
                if is_over():
                    return None
                if self._at(held, far, angle) is not None:
                    for there in self._closer(held, angle, before, far):
                        if confirms(there):
                            return there.pose
            before = far
        return None

    def _closer(self, held: Body, angle: float, low: float, high: float) -> Iterator[Body]:
        """Yields places on a line: a little beyond the nearest good one, then the good one that is known."""
        known = self._at(held, high, angle)
        while high - low > FINEST:
            middle = (low + high) / 2
            low, high = (low, middle) if self._at(held, middle, angle) is not None else (middle, high)
        closer = self._at(held, high + SPARE, angle)
        yield from (there for there in (closer, known) if there is not None)

    def _at(self, held: Body, far: float, angle: float) -> Body | None:
        """Returns the piece put down so far away; None where it may not lie there, or does not stand."""
        x, y, z = held.pose.position
        place = Pose((x + far * math.cos(angle), y + far * math.sin(angle), z), held.pose.orientation)
        there = self._target.dropped(held.at(place))
        try:
            if there is None or not self._judged(there, self._statics.contacts(there)).is_allowed:
                return None
            stands = self._statics.adding(there).stands
            return there if stands or (stands is None and _comes_to_rest(self._statics, there)) else None
        except ValueError:
            return None


def _comes_to_rest(statics: IncrementalStatics, held: Body) -> bool | None:
    """Returns whether a piece on a curve comes to rest where it is. Of those that fall only a rest that is far
    off is sure: on domes a hair decides."""
    rocking = statics.rocking(held)
    if rocking is None or not (rocking.stands or rocking.is_far):
        return None
    return rocking.stands


def _touching(contacts: Contacts) -> frozenset[tuple[str, str]]:
    names = contacts.names
    pairs = {
        (names[one], names[other])
        for one, other in zip(contacts.first.tolist(), contacts.second.tolist(), strict=True)
    }
    return frozenset((min(pair), max(pair)) for pair in pairs | set(contacts.curved))
