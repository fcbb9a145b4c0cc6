"""Pieces of an assembly in other places: whether it would hold what is asked there, asked hundreds of times.

The rest stays as it is, and so do its contacts; those of the moved pieces with the rest are found for many places at
once. A place is refused at once where one of the falls that are known already, joined by the moved pieces' own motions,
gains power: a small program, exact because any motion that no contact forbids proves that it falls. Else the whole is
asked, and the fall found there is known from then on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import clarabel
import numpy as np
from scipy.sparse import csc_matrix

from teeter.engine.tolerances import TOUCH_DECLARED
from teeter.engine.topple.balance.equilibrium import (
    FRICTIONLESS,
    SOLVED,
    UNBALANCED,
    free_numbers,
    solver_settings,
)
from teeter.engine.topple.contact.arrays import Array, Bools, Ints
from teeter.engine.topple.contact.detection import Contacts, find_contacts
from teeter.engine.topple.contact.features import body_boxes, corners_of, of_bodies, sagitta
from teeter.engine.topple.contact.patches import axes_across
from teeter.engine.topple.mend.changes import moved, turned
from teeter.engine.topple.mend.demand import Demand
from teeter.engine.world import Assembly, Body
from teeter.models.material import pair_coefficient

KNOWN_FALLS = 12
"""Falls that are kept, those that refused a place last first."""
AT_ONCE = 48
"""MovedPieces whose contacts are found together."""
MIN_POWER = UNBALANCED * 2
"""Of gravity, that proves a fall."""
LOOSE, SURE = 1e-7, 1e-4
"""How far a motion that is only looked at may go into a contact, and the power that then proves a fall."""


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
class _Joint:
    """What may be relied on of the contacts between the moved pieces and the rest. frames: (k, 3, 3), rows normal and
    two across. is_curved: some are on curves, and not among them."""

    contacts: Contacts
    frames: Array
    is_curved: bool


class MovedPieces:
    """Some pieces of an assembly, the first of which is turned on its place, and where they may be."""

    def __init__(self, assembly: Assembly, contacts: Contacts, names: Sequence[str], demand: Demand) -> None:
        self.assembly, self.names, self._demand = assembly, tuple(names), demand
        self._mine = np.array([body.name in self.names for body in assembly.bodies], dtype=np.bool_)
        self._moved = [body for body in assembly.bodies if body.name in self.names]
        self._rest = [body for body in assembly.bodies if body.name not in self.names]
        lead = next(body for body in self._moved if body.name == self.names[0])
        self._pivot = np.array(lead.pose.position)
        strict = demand.strict(contacts)
        of_mine = self._mine[strict.first], self._mine[strict.second]
        self._kept = _chosen(strict, ~of_mine[0] & ~of_mine[1])
        self._inner = _chosen(strict, of_mine[0] & of_mine[1])
        self._balance = demand.balance(assembly, strict)
        self._numbers = free_numbers(contacts.fixed)
        self._frictions = np.array([body.piece.material.friction for body in assembly.bodies])
        self._gripped = np.array([body.name in self.names for body in assembly.free], dtype=np.bool_)
        self._falls: list[Array] = []
        low, high = (
            body_boxes(of_bodies(self._rest), len(self._rest)) if self._rest else (np.zeros((0, 3)),) * 2
        )
        room = np.array([TOUCH_DECLARED.gap + 2 * sagitta(body.piece) for body in self._rest]).reshape(-1, 1)
        self._low, self._high = low - room, high + room
        corners = np.concatenate([corners_of(body) for body in self._moved])
        # however they are turned about the pivot
        radius = np.linalg.norm((corners - self._pivot)[:, :2], axis=1).max()
        level = self._pivot[:2] - radius, self._pivot[:2] + radius
        self._reach = np.append(level[0], corners[:, 2].min()), np.append(level[1], corners[:, 2].max())
        self.asked = 0

    def at(self, place: Place) -> Assembly:
        """Returns the assembly with the pieces there."""
        there = {body.name: moved(body, self._pivot, place.shift, place.turn) for body in self._moved}
        return replace(
            self.assembly, bodies=tuple(there.get(body.name, body) for body in self.assembly.bodies)
        )

    def first_good(self, places: Sequence[Place]) -> Place | None:
        """Returns the first of some places that holds what is asked."""
        for at in range(0, len(places), AT_ONCE):
            some = places[at : at + AT_ONCE]
            for place, joint in zip(some, self._joints(some), strict=True):
                if joint is not None and self._holds(place, joint):
                    return place
        return None

    def is_good(self, place: Place) -> bool:
        """Returns whether a place does."""
        return self.first_good([place]) is not None

    def _joints(self, places: Sequence[Place]) -> list[_Joint | None]:
        """Returns what may be relied on of the contacts between the moved pieces and the rest in each place; None where
        pieces overlap."""
        copies: list[Body] = []
        for at, place in enumerate(places):
            there = [moved(body, self._pivot, place.shift, place.turn) for body in self._moved]
            copies += [replace(body, name=f"{at}\n{body.name}") for body in there]
        shifts = np.array([place.shift for place in places])
        low, high = self._reach[0] + shifts.min(axis=0), self._reach[1] + shifts.max(axis=0)
        near = np.all((self._low <= high) & (low <= self._high), axis=1)
        rest = [body for body, is_near in zip(self._rest, near, strict=True) if is_near]
        beside = Assembly(self.assembly.name, (*rest, *copies))
        found = find_contacts(beside, only={body.name for body in copies})
        inside = {
            int(each.split("\n")[0])
            for one in found.overlaps
            for each in (one.first, one.second)
            if "\n" in each
        }
        # as numbers in the whole assembly, and the place each contact belongs to
        names = [body.name for body in self.assembly.bodies]
        number = np.array([names.index(body.name.split("\n")[-1]) for body in beside.bodies])
        owner = np.array([-1] * len(rest) + [at for at in range(len(places)) for _ in self._moved])
        curved = {max(owner[found.names.index(each)] for each in pair) for pair in found.curved}
        strict = self._demand.strict(found)
        every: list[_Joint | None] = []
        of_place = np.maximum(owner[strict.first], owner[strict.second])
        frames = np.stack([strict.normals, *axes_across(strict.normals)], axis=1)
        strict = replace(strict, first=number[strict.first], second=number[strict.second], curved=())
        for at in range(len(places)):
            mine = np.flatnonzero(of_place == at)
            joint = _Joint(_chosen(strict, mine), frames[mine], at in curved)
            every.append(None if at in inside else joint)
        return every

    def _whole(self, place: Place, joint: Contacts) -> Contacts:
        """Returns the contacts of the rest, of the moved pieces among themselves, and between both."""
        rotation, inner = turned(place.turn), self._inner
        inner = replace(
            inner,
            points=self._pivot + place.shift + (inner.points - self._pivot) @ rotation.T,
            normals=inner.normals @ rotation.T,
        )
        parts, base = [], 0
        for part in (self._kept, inner, joint):
            parts.append(replace(part, patch=part.patch + base))
            base += int(part.patch.max(initial=-1)) + 1
        return replace(
            self._kept,
            first=np.concatenate([part.first for part in parts]),
            second=np.concatenate([part.second for part in parts]),
            points=np.concatenate([part.points for part in parts]),
            normals=np.concatenate([part.normals for part in parts]),
            patch=np.concatenate([part.patch for part in parts]),
            floating=(),
            overlaps=(),
        )

    def _holds(self, place: Place, joint: _Joint) -> bool:
        self.asked += 1
        if joint.is_curved or self._kept.curved:
            return self._demand.holds(self.at(place))
        # forces that act beside the centre of mass turn with a piece that is turned
        if not (place.turn and len(self._balance.pulled)) and self._falls_as_known(place, joint):
            return False
        whole = self.at(place)
        motion = self._demand.fall_of(self._demand.balance(whole, self._whole(place, joint.contacts)))
        if motion is not None:
            self._learn(place, motion)
        return motion is None

    def _learn(self, place: Place, motion: Array) -> None:
        rows = motion.reshape(-1, 6).copy()
        if np.abs(rows).max(initial=0.0) <= 0.0:
            return
        rows /= (np.abs(rows) * self._balance.weights[:, None]).max()
        self._falls = [self._turned(rows, -place.turn), *self._falls][:KNOWN_FALLS]

    def _turned(self, rows: Array, turn: float) -> Array:
        """Returns motions (n, 6) with those of the moved pieces turned with them."""
        if turn:
            rotation = turned(turn)
            rows = rows.copy()
            mine = rows[self._gripped].reshape(-1, 3) @ rotation.T
            rows[self._gripped] = mine.reshape(-1, 6)
        return rows

    def _falls_as_known(self, place: Place, joint: _Joint) -> bool:
        """Returns whether gravity gains power over the known falls and the moved pieces' motions as one body."""
        base = self._balance
        centres = base.centres.copy()
        pivot = self._pivot / base.length
        centres[self._gripped] = (
            pivot + place.shift / base.length + (centres[self._gripped] - pivot) @ turned(place.turn).T
        )
        first, second, frames = joint.contacts.first, joint.contacts.second, joint.frames
        motions = [self._turned(each, place.turn) for each in self._falls]
        known = np.array([*motions, *self._as_one(centres)])
        points, friction = joint.contacts.points / base.length, self._rubbing(first, second)
        loads = [replace(base, down=down).acting.reshape(-1, 6) for down in self._demand.pulls(base)]
        if motions:
            riding = self._riding(np.array(motions), centres, first, second)
            sliding = np.einsum("mki,kci->mkc", self._parting(riding, centres, points, first, second), frames)
            room = sliding[..., 0] - friction * np.hypot(sliding[..., 1], sliding[..., 2])
            free = riding[room.min(axis=1, initial=0.0) >= -LOOSE]
            if any(np.einsum("mni,ni->m", free, load).max(initial=0.0) > SURE for load in loads):
                return True
        rows = np.einsum("mki,kci->kcm", self._parting(known, centres, points, first, second), frames)
        limit = 1.0 / float(base.sizes[self._gripped].sum())
        count = len(self._falls)
        low = np.concatenate([np.zeros(count), np.full(6, -limit)])
        high = np.concatenate([np.ones(count), np.full(6, limit)])
        for acting in loads:
            load = known.reshape(len(known), -1) @ acting.reshape(-1)
            power, share = _fall_within(rows, friction, load, low, high)
            if power > MIN_POWER * max(1, count):
                used = np.flatnonzero(share[:count] > 1e-3).tolist()
                chosen = [self._falls[at] for at in used]
                self._falls = chosen + [each for at, each in enumerate(self._falls) if at not in used]
                return True
        return False

    def _riding(self, motions: Array, centres: Array, first: Ints, second: Ints) -> Array:
        """Returns motions (m, n, 6) of the rest, with the moved pieces still, as they were, or riding on each piece
        that they touch."""
        still = motions.copy()
        still[:, self._gripped] = 0.0
        every = [still, motions]
        touched = self._numbers[np.union1d(first, second)]
        for at in touched[touched >= 0].tolist():
            if not self._gripped[at]:
                ride = still.copy()
                arms = centres[self._gripped] - centres[at]
                spins = motions[:, at, None, 3:]
                ride[:, self._gripped, :3] = motions[:, at, None, :3] + crossed(spins, arms)
                ride[:, self._gripped, 3:] = spins
                every.append(ride)
        return np.concatenate(every)

    def _rubbing(self, first: Ints, second: Ints) -> Array:
        return np.asarray(
            pair_coefficient(self._frictions[first], self._frictions[second]) / self._demand.friction_factor
        )

    def _parting(self, motions: Array, centres: Array, points: Array, first: Ints, second: Ints) -> Array:
        """Returns how fast the first body of each contact parts from the second (m, k, 3) under motions (m, n, 6)."""
        found = np.zeros((len(motions), len(points), 3))
        for body, sign in ((self._numbers[first], 1.0), (self._numbers[second], -1.0)):
            free = np.flatnonzero(body >= 0)
            arm = points[free] - centres[body[free]]
            motion = motions[:, body[free]]
            found[:, free] += sign * (motion[..., :3] + crossed(motion[..., 3:], arm))
        return found

    def _as_one(self, centres: Array) -> Array:
        """Returns the six motions (6, 6 n) of the moved pieces as one body."""
        found = np.zeros((6, len(centres), 6))
        middle = centres[self._gripped].mean(axis=0)
        for at in np.flatnonzero(self._gripped).tolist():
            found[:3, at, :3] = found[3:, at, 3:] = np.eye(3)
            found[3:, at, :3] = crossed(np.eye(3), centres[at] - middle)
        return found


def crossed(one: Array, other: Array) -> Array:
    """Returns the cross product (..., 3); numpy's own spends most of its time on checks."""
    found: Array = one[..., [1, 2, 0]] * other[..., [2, 0, 1]] - one[..., [2, 0, 1]] * other[..., [1, 2, 0]]
    return found


def _fall_within(rows: Array, friction: Array, load: Array, low: Array, high: Array) -> tuple[float, Array]:
    """Solves `fall_within` of `balance.equilibrium` for few unknowns, with matrices that are full. rows: (k, 3, m), how
    each motion parts and slides each contact. Returns the power and the motions' shares; no power where it fails."""
    unit = np.eye(len(load))
    rough = friction > FRICTIONLESS
    grip = rows[rough].copy()
    grip[:, 0] /= friction[rough, None]
    whole = np.concatenate([-rows[~rough, 0], -grip.reshape(-1, len(load)), unit, -unit])
    right = np.concatenate([np.zeros(len(whole) - 2 * len(load)), high, -low])
    cones: list[object] = [clarabel.NonnegativeConeT(int((~rough).sum()))] if not rough.all() else []
    cones += [clarabel.SecondOrderConeT(3)] * int(rough.sum()) + [clarabel.NonnegativeConeT(2 * len(load))]
    size = len(load)
    solver = clarabel.DefaultSolver(
        csc_matrix((size, size)), -load, csc_matrix(whole), right, cones, solver_settings(refine=False)
    )
    found = solver.solve()
    if str(found.status) not in SOLVED:
        return 0.0, np.zeros(size)
    return -float(found.obj_val), np.array(found.x)


def _chosen(contacts: Contacts, rows: Bools | Ints) -> Contacts:
    """Returns the contact points of some rows."""
    return replace(
        contacts,
        first=contacts.first[rows],
        second=contacts.second[rows],
        points=contacts.points[rows],
        normals=contacts.normals[rows],
        patch=contacts.patch[rows],
    )


def touch_above(contacts: Contacts, level: float) -> dict[str, set[str]]:
    """Returns which pieces rest on each. level: normals that rise less carry nothing."""
    above: dict[str, set[str]] = {name: set() for name in contacts.names}
    for first, second, rises in zip(
        contacts.first.tolist(), contacts.second.tolist(), contacts.normals[:, 2].tolist(), strict=True
    ):
        if abs(rises) >= level:
            upper, lower = (first, second) if rises > 0 else (second, first)
            above[contacts.names[lower]].add(contacts.names[upper])
    for upper_name, lower_name in contacts.curved:
        above[lower_name].add(upper_name)
    return above
