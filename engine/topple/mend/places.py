"""Pieces of an assembly in other places: whether it would hold what is asked there, asked hundreds of times.

The rest stays as it is, and so do its contacts; those of the moved pieces with the rest are found for many places at
once. A place is refused at once where one of the falls that are known already, joined by the moved pieces' own motions,
gains power: exact, because any motion that no contact forbids proves that it falls (`known_falls`). Else the whole is
asked, and the fall found there is known from then on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from teeter.engine.pose import Pose
from teeter.engine.tolerances import TOUCH_DECLARED
from teeter.engine.topple.balance.equilibrium import free_numbers
from teeter.engine.topple.contact.arrays import Array, Bools, Ints
from teeter.engine.topple.contact.detection import Contacts, contacts_with_copies
from teeter.engine.topple.contact.features import Features, of_bodies, repeated, sagitta, together
from teeter.engine.topple.contact.patches import axes_across
from teeter.engine.topple.mend.changes import moved, turned
from teeter.engine.topple.mend.clearance import Clearances
from teeter.engine.topple.mend.known_falls import KnownFalls, Touches
from teeter.engine.topple.mend.task import Search, joined
from teeter.engine.world.body import Assembly, Body

AT_ONCE = 500
"""Places that are looked at together before contacts are."""
FEW_TURNED = 10
FEW, MANY = 60, 200
"""Places of those that are left whose contacts are found together: first, and then."""


@dataclass(frozen=True, slots=True)
class Place:
    """A shift (metres) of the moved pieces, and a turn (radians) about the first one's upright."""

    x: float
    y: float
    z: float = 0.0
    turn: float = 0.0

    @property
    def shift(self) -> Array:
        """The shift as an array (3,)."""
        return np.array([self.x, self.y, self.z])


@dataclass(frozen=True, slots=True, eq=False)
class Joints:
    """What may be relied on of the contacts between the moved pieces and the rest, in many places. contacts: of all
    places, the first place's first; touches: the same. overlapping: places in which pieces lie in each other; curved:
    those with contacts on curves, which are not among them."""

    contacts: Contacts
    touches: Touches
    overlapping: frozenset[int]
    curved: frozenset[int]

    def at(self, place: int) -> Contacts:
        """Returns the contacts in a place."""
        return self.contacts.some(np.flatnonzero(self.touches.place == place))


class MovedPieces:
    """Some pieces of a search, the first of which is turned on its place, and where they may be."""

    def __init__(self, search: Search, names: Sequence[str]) -> None:
        assembly, demand = search.assembly, search.demand
        self.assembly, self.names, self.demand = assembly, tuple(names), demand
        self._clearances = {0.0: search.clearances}
        self._mine = np.array([body.name in self.names for body in assembly.bodies], dtype=np.bool_)
        self._moved = [body for body in assembly.bodies if body.name in self.names]
        self._rest = [body for body in assembly.bodies if body.name not in self.names]
        lead = next(body for body in self._moved if body.name == self.names[0])
        self._pivot = np.array(lead.pose.position)
        self._balance, strict = search.balance, search.balance.contacts
        of_mine = self._mine[strict.first], self._mine[strict.second]
        self._kept = strict.some(~of_mine[0] & ~of_mine[1])
        self._inner = strict.some(of_mine[0] & of_mine[1])
        linked = set(zip(self._inner.first.tolist(), self._inner.second.tolist(), strict=True))
        numbers = np.flatnonzero(self._mine).tolist()
        groups = joined([{number} for number in numbers], linked)
        self._parts = np.array([[number in group for number in numbers] for group in groups])
        gripped = np.array([body.name in self.names for body in assembly.free], dtype=np.bool_)
        frictions = np.array([body.piece.material.friction for body in assembly.bodies])
        self.known = KnownFalls(self._balance, demand, gripped, self._pivot, frictions, search.contacts.fixed)
        for fall in search.falls:
            self.known.learn(fall)
        self.is_curved = bool(search.contacts.curved)
        room = TOUCH_DECLARED.gap + 2 * max(sagitta(body.piece) for body in assembly.bodies)
        low, high = search.clearances.boxes
        self._boxes = low - room, high + room
        self._numbers = free_numbers(search.contacts.fixed)
        self.asked = 0

    @cached_property
    def _features(self) -> Features:
        return of_bodies(self._rest)

    def at(self, place: Place) -> Assembly:
        """Returns the assembly with the pieces there."""
        there = {body.name: moved(body, self._pivot, place.shift, place.turn) for body in self._moved}
        return replace(
            self.assembly, bodies=tuple(there.get(body.name, body) for body in self.assembly.bodies)
        )

    def first_good(self, places: Sequence[Place]) -> Place | None:
        """Returns the first of some places that holds what is asked."""
        for at in range(0, len(places), AT_ONCE):
            left, near = self.left(places[at : at + AT_ONCE])
            low, high = 0, FEW
            while low < len(left):
                some = _Some(self, left[low:high], near[low:high])
                while some.left:
                    if some.is_good(some.left[0]):
                        return some.places[some.left[0]]
                low, high = high, high + MANY
        return None

    def is_good(self, place: Place) -> bool:
        """Returns whether a place does."""
        return self.first_good([place]) is not None

    def border(self, places: Sequence[Place]) -> int:
        """Returns the number of a good place on a line whose predecessor is not; as many as there are if the last is
        not. So few are asked: which one, where good places follow bad ones more than once, is not said."""
        some = _Some(self, *self.left(places))
        good, is_first = len(some.places), True
        while ahead := [at for at in some.left if at < good]:
            # the first that no known fall refuses, which mostly is it; then the middle of those that are left
            asked = ahead[0 if is_first else len(ahead) // 2]
            if some.is_good(asked):
                good = asked
            else:
                some.left = [at for at in some.left if at > asked]
            is_first = not is_first
        return len(places) if good == len(some.places) else places.index(some.places[good])

    def fall_at(self, place: Place, joint: Contacts) -> Array | None:
        """Returns how it falls in a place. joint: the contacts of the moved pieces with the rest."""
        return self.demand.fall_of(self.demand.balance(self.at(place), self._whole(place, joint)))

    def left(self, places: Sequence[Place]) -> tuple[list[Place], Bools]:
        """Returns the places but those in which pieces surely lie in each other, or a known fall goes on whatever they
        touch; and which of the moved pieces (p, g) might touch anything in each."""
        self.asked += len(places)
        others = ~self._mine
        shifts = np.array([place.shift for place in places])
        turns = np.array([place.turn for place in places])
        pairs = self._near(shifts, turns)
        refused: Bools = np.zeros(len(places), dtype=np.bool_)
        for turn, count in zip(*np.unique(turns, return_counts=True), strict=True):
            if turn and count < FEW_TURNED:
                # widths of pieces that are turned cost more than the contacts of a few
                continue
            at, mine, other = np.nonzero(pairs & (turns == turn)[:, None, None])
            first, second = np.flatnonzero(self._mine)[mine], np.flatnonzero(others)[other]
            refused[at[self._clear(float(turn)).overlap(first, second, shifts[at])]] = True
        if not self.is_curved:
            free = self._numbers[others] >= 0
            near = np.zeros((len(self._parts), len(places), len(self._balance.names) + 1), dtype=np.bool_)
            for part, around in zip(self._parts, near, strict=True):
                touched: Bools = np.asarray(pairs[:, part].any(axis=1))
                around[:, self._numbers[others][free]] = touched[:, free]
                around[:, -1] = touched[:, ~free].any(axis=1)
            refused |= self.known.refuse_riding(shifts, turns, self._parts, near)
        left = np.flatnonzero(~refused)
        return [places[each] for each in left.tolist()], np.asarray(pairs[left].any(axis=2))

    def _clear(self, turn: float) -> Clearances:
        """Returns the clearances with the pieces turned on their place."""
        if turn not in self._clearances:
            self._clearances[turn] = Clearances(self.at(Place(0.0, 0.0, turn=turn)))
        return self._clearances[turn]

    def _near(self, shifts: Array, turns: Array) -> Bools:
        """Returns the moved pieces (p, g, r) that others might touch in each place, by boxes, those of turned boxes for
        pieces that are turned."""
        (low, high), mine, others = self._boxes, self._mine, ~self._mine
        across, along = np.sin(turns)[:, None], np.cos(turns)[:, None]
        x, y = ((low + high) / 2 - self._pivot)[mine, :2].T
        wide, deep = ((high - low) / 2)[mine, :2].T
        middles = np.stack([along * x - across * y, across * x + along * y], axis=2) + self._pivot[:2]
        across, along = abs(across), abs(along)
        halves = np.stack([along * wide + across * deep, across * wide + along * deep], axis=2)
        close = np.ones((len(shifts), int(mine.sum()), int(others.sum())), dtype=np.bool_)
        for axis in range(3):
            far = shifts[:, axis, None]
            if axis < 2:
                ends = [middles[..., axis] + far + sign * halves[..., axis] for sign in (-1, 1)]
            else:
                ends = [low[mine, axis] + far, high[mine, axis] + far]
            close &= (ends[0][..., None] <= high[others, axis]) & (low[others, axis] <= ends[1][..., None])
        return close

    def _copies(self, places: Sequence[Place], near: Bools) -> tuple[list[Body], Ints, Ints, Features]:
        """Returns those of the moved pieces that are near anything in all places; the place (c,) and the number (c,)
        of each; and the features of the rest and of these."""
        bodies: list[Body] = []
        is_turned = any(place.turn for place in places)
        shifts, scene = np.array([place.shift for place in places]), self._features
        for body, here in zip(self._moved, near.T, strict=True):
            name, way, start = body.name, body.pose.orientation, len(bodies)
            there = np.flatnonzero(here)
            if is_turned:
                every = [moved(body, self._pivot, places[at].shift, places[at].turn) for at in there.tolist()]
                bodies += [replace(body, name=f"{at}\n{name}") for at, body in zip(there, every, strict=True)]
            else:
                spots = (np.array(body.pose.position) + shifts[there]).tolist()
                bodies += [
                    Body(f"{at}\n{name}", body.piece, Pose((x, y, z), way))
                    for at, (x, y, z) in zip(there.tolist(), spots, strict=True)
                ]
            if len(there):
                more = of_bodies(bodies[start:]) if is_turned else repeated(of_bodies([body]), shifts[there])
                scene = together(scene, more, len(self._rest) + start)
        of_place = np.concatenate([np.flatnonzero(here) for here in near.T])
        number = np.repeat(np.flatnonzero(self._mine), near.sum(axis=0))
        return bodies, of_place, number, scene

    def joints(self, places: Sequence[Place], near: Bools) -> Joints:
        """Returns the contacts in some places. near: (p, g), which of the moved pieces might touch anything."""
        if not self._rest:
            none = self._kept.some(np.zeros(0, dtype=np.int64))
            return Joints(none, self._touches(places, none, none.first), frozenset(), frozenset())
        copies, of_copy, numbers, scene = self._copies(places, near)
        contacts = contacts_with_copies(self._rest, copies, scene)
        inside = {
            int(side.split("\n")[0])
            for one in contacts.overlaps
            for side in (one.first, one.second)
            if "\n" in side
        }
        # as numbers in the whole assembly, and the place each contact belongs to
        number = np.concatenate([np.flatnonzero(~self._mine), numbers])
        owner = np.append(np.full(len(self._rest), -1), of_copy)
        at_name = {name: at for at, name in enumerate(contacts.names)} if contacts.curved else {}
        curved = frozenset(int(max(owner[at_name[name]] for name in pair)) for pair in contacts.curved)
        strict = self.demand.strict(contacts)
        of_place = np.maximum(owner[strict.first], owner[strict.second])
        order = np.argsort(of_place, kind="stable")
        strict = replace(strict, first=number[strict.first], second=number[strict.second], curved=())
        strict = strict.some(order)
        of_place = of_place[order]
        return Joints(strict, self._touches(places, strict, of_place), frozenset(inside), curved)

    def _touches(self, places: Sequence[Place], joint: Contacts, of_place: Ints) -> Touches:
        return Touches(
            shifts=np.array([place.shift for place in places]),
            turns=np.array([place.turn for place in places]),
            place=of_place,
            first=joint.first,
            second=joint.second,
            points=joint.points,
            frames=np.stack([joint.normals, *axes_across(joint.normals)], axis=1),
        )

    def _whole(self, place: Place, joint: Contacts) -> Contacts:
        """Returns the contacts of the rest, of the moved pieces among themselves, and between both."""
        rotation, inner = turned(place.turn), self._inner
        inner = replace(
            inner,
            points=self._pivot + place.shift + (inner.points - self._pivot) @ rotation.T,
            normals=inner.normals @ rotation.T,
        )
        return replace(self._kept.joined(inner, joint), floating=(), overlaps=())


class _Some:
    """Places whose contacts are found together, and which of them are left: not refused yet."""

    def __init__(self, moved_pieces: MovedPieces, places: Sequence[Place], touching: Bools) -> None:
        self._of, self.places = moved_pieces, places
        self.left: list[int] = []
        if self.places:
            self._joints = moved_pieces.joints(self.places, touching)
            self.left = [at for at in range(len(self.places)) if at not in self._joints.overlapping]
            self._refuse()

    def _refuse(self, last: int | None = None) -> None:
        refused = self._of.known.refuse(self._joints.touches, self.left, last).tolist()
        self.left = [at for at, falls in zip(self.left, refused, strict=True) if not falls]

    def is_good(self, at: int) -> bool:
        """Returns whether one that is left holds what is asked. If not it is not left, nor are those in which the same
        fall goes on."""
        if self._is_good(at):
            return True
        self.left = [number for number in self.left if number != at]
        return False

    def _is_good(self, at: int) -> bool:
        place, known, touches = self.places[at], self._of.known, self._joints.touches
        if at in self._joints.curved or self._of.is_curved:
            return self._of.demand.holds(self._of.at(place))
        if not known.falls(touches, at):
            motion = self._of.fall_at(place, self._joints.at(at))
            if motion is None:
                return True
            if not known.learn(motion, touches, at):
                return False
        self._refuse(last=1)
        return False
