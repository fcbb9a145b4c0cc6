"""Incremental statics: whether a tower would stand with one more piece, asked again and again.

Everything that does not depend on the new piece is kept: the tower's contacts, forces that hold it, and the
mechanisms in which it fell under earlier pieces. Two short proofs settle most questions:

* a fall: over the new piece's own motions and the known mechanisms together, gravity gains power;
* forces: the piece's forces are handed down and the tower's own adjusted until everything balances.

Both are exact, because the cones and the equations are those of the whole problem; what neither settles goes
through the whole problem, and the mechanism found there is kept. So the answers are those of `statics.stands`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.sparse import csc_array, csr_array, diags_array

from engine.tolerances import TOUCH_DECLARED
from engine.topple.balance.equilibrium import (
    FRICTIONLESS,
    Balance,
    ConeSolution,
    balance_of,
    fall,
    fall_within,
    forces_of,
    wrenches_at,
)
from engine.topple.balance.forces import nearest
from engine.topple.balance.statics import UNBALANCED, curved_reason, feasible_forces
from engine.topple.contact.arrays import Array, Ints
from engine.topple.contact.detection import Contacts, Overlap, find_contacts, unheld
from engine.topple.contact.features import body_boxes, of_bodies, of_piece, sagitta
from engine.topple.contact.patches import axes_across
from engine.topple.errors import StaticsError
from engine.world import DOWN, Assembly, Body, Vector
from models.material import pair_coefficient

MAX_FALLS = 16
"""Mechanisms that are kept, those used last first: a tower has few weak places."""
MIN_FALL_POWER = UNBALANCED * 2
"""A motion in which gravity gains more than this proves that it falls."""
CORRECTIONS = 36
"""Of the forces that hold the tower, until they hold the piece too."""
STALL_CORRECTIONS = 12
"""Corrections after which a tenth of the error must be gone."""
MIN_COMPLIANCE = 1e-3
"""Of the greatest normal force: what a contact without force may still take up."""
MAX_RESIDUAL = UNBALANCED / 2
"""Forces that leave less than this prove that it stands; the rest is the solver's tolerance."""
STIFFENING = 1e-12
"""Added to the diagonal of the stiffness, relative, for pieces that too few pressed contacts hold."""
MIXED_STEPS = 8
"""Corrections that the next one is mixed from."""

Proof = Literal["curved", "fall", "forces", "whole"]


@dataclass(frozen=True, slots=True)
class Added:
    """A tower with one more piece. stands: None when a force balance cannot say, and `why`. touches: whether
    the piece touches anything. overlaps: bodies it stands inside of. proof: which one settled it."""

    stands: bool | None
    touches: bool
    overlaps: tuple[Overlap, ...]
    proof: Proof
    why: str | None = None


class IncrementalStatics:
    """A tower to which pieces are added for the asking; the tower itself never changes.

    gravity, friction: as in `statics.analyse`. gap, angle: as in `find_contacts`. Not to be shared between
    threads.
    """

    def __init__(
        self,
        tower: Assembly,
        *,
        gravity: Vector = DOWN,
        friction: float | None = None,
        gap: float = TOUCH_DECLARED.gap,
        angle: float = TOUCH_DECLARED.angle,
    ) -> None:
        self.tower = tower
        self._gravity, self._friction, self._gap, self._angle = gravity, friction, gap, angle
        self._names = {body.name for body in tower.bodies}
        self._contacts = find_contacts(tower, gap, angle)
        self._balance = balance_of(tower, self._contacts, gravity=gravity, friction=friction)
        low, high = body_boxes(of_bodies(tower.bodies), len(tower.bodies))
        room = gap + 2 * np.array([sagitta(body.piece) for body in tower.bodies])[:, None]
        self._low, self._high = low - room, high + room
        self._falls: list[Array] = []
        self._held = FeasibleForces.of(self._balance)

    def adding(self, body: Body) -> Added:
        """Returns the tower with a piece. Raises ValueError when its name is taken or it is fixed."""
        if body.name in self._names or body.fixed:
            raise ValueError(f"{body.name} cannot be added: give a free piece a name of its own")
        near, contacts = self._contacts_of(body)
        touches = len(contacts.first) > 0 or bool(contacts.curved)
        whole = self._joined(body, contacts, near)
        if whole.curved:
            return Added(None, touches, contacts.overlaps, "curved", curved_reason(whole))
        try:
            stands, proof = self._judge(body, contacts, near, whole)
        except StaticsError as error:
            return Added(None, touches, contacts.overlaps, "whole", str(error))
        return Added(stands, touches, contacts.overlaps, proof)

    def with_piece(self, body: Body) -> Assembly:
        """Returns the tower with the piece, as an assembly of its own."""
        return replace(self.tower, bodies=(*self.tower.bodies, body))

    def contacts(self, body: Body) -> Contacts:
        """Returns all contacts of the tower with the piece: the tower's own are those already known."""
        near, found = self._contacts_of(body)
        return self._joined(body, found, near)

    def _contacts_of(self, body: Body) -> tuple[list[int], Contacts]:
        """Returns the tower's bodies near a piece, by number, and the piece's contacts with them."""
        points = body.pose.apply(of_piece(body.piece).vertices)
        room = self._gap + 2 * sagitta(body.piece)
        low, high = points.min(axis=0) - room, points.max(axis=0) + room
        near = np.flatnonzero(np.all((self._low <= high) & (low <= self._high), axis=1)).tolist()
        beside = (*(self.tower.bodies[at] for at in near), body)
        return near, find_contacts(Assembly(self.tower.name, beside), self._gap, self._angle, only=body.name)

    def _joined(self, body: Body, found: Contacts, near: list[int]) -> Contacts:
        """Returns the tower's contacts and those of the piece, as `find_contacts` of the whole would list
        them but for the order."""
        mine, count = self._contacts, len(self.tower.bodies)
        index = np.array([*near, count], dtype=np.int64)
        names, fixed = (*mine.names, body.name), np.append(mine.fixed, False)
        first = np.concatenate([mine.first, index[found.first]])
        second = np.concatenate([mine.second, index[found.second]])
        curved = tuple(sorted({*mine.curved, *found.curved}))
        round_ones = np.array([[names.index(name) for name in pair] for pair in curved], np.int64).reshape(
            -1, 2
        )
        overlaps = sorted(
            (*mine.overlaps, *found.overlaps), key=lambda one: (-one.depth, one.first, one.second)
        )
        return Contacts(
            names=names,
            fixed=fixed,
            first=first,
            second=second,
            points=np.concatenate([mine.points, found.points]),
            normals=np.concatenate([mine.normals, found.normals]),
            patch=np.concatenate([mine.patch, found.patch + (mine.patch.max(initial=-1) + 1)]),
            curved=curved,
            floating=unheld(
                names,
                fixed,
                np.concatenate([first, round_ones[:, 0]]),
                np.concatenate([second, round_ones[:, 1]]),
            ),
            overlaps=tuple(overlaps),
        )

    def _judge(self, body: Body, found: Contacts, near: list[int], whole: Contacts) -> tuple[bool, Proof]:
        if self._held is not None:
            joint = self._joint(body, found, near)
            motion, forces = self._quick_fall(joint)
            if motion:
                return False, "fall"
            if forces is not None and self._held.carries(self._balance, joint, forces):
                return True, "forces"
        balance = balance_of(self.with_piece(body), whole, gravity=self._gravity, friction=self._friction)
        if feasible_forces(balance) is not None:
            return True, "whole"
        answer = fall(balance, balance.friction)
        if answer.value > UNBALANCED:
            self._learn(answer.x, balance)
        return answer.value <= UNBALANCED, "whole"

    def _joint(self, body: Body, found: Contacts, near: list[int]) -> PieceContacts:
        """Returns the piece's contacts in the tower's units."""
        length, force = self._balance.length, self._balance.force
        number = np.full(len(self.tower.bodies) + 1, -1, dtype=np.int64)
        number[:-1][~self._contacts.fixed] = np.arange(len(self._balance.names))
        index = np.array([*near, len(self.tower.bodies)], dtype=np.int64)
        mine = found.second == len(near)
        other = index[np.where(mine, found.first, found.second)]
        owner = number[other]
        sign = np.where(mine, -1.0, 1.0)[:, None, None]
        frames = np.stack([found.normals, *axes_across(found.normals)], axis=1)
        points = found.points[:, None] / length
        centre = body.pose.apply(body.piece.centre_of_mass) / length
        own = (sign * wrenches_at(points, centre, frames)).reshape(-1, 6).T
        centres = np.concatenate([self._balance.centres, np.zeros((1, 3))])[owner][:, None]
        below = np.where((owner >= 0)[:, None, None], -sign * wrenches_at(points, centres, frames), 0.0)
        return PieceContacts(
            own,
            below.reshape(-1, 6),
            owner,
            self._pair_friction(body, other),
            float(body.piece.mass * np.linalg.norm(self._gravity)) / force,
        )

    def _pair_friction(self, body: Body, other: Ints) -> Array:
        if self._friction is not None:
            return np.full(len(other), self._friction)
        theirs = np.array([self.tower.bodies[at].piece.material.friction for at in other.tolist()])
        mean: Array = pair_coefficient(theirs, body.piece.material.friction)
        return mean

    def _quick_fall(self, joint: PieceContacts) -> tuple[bool, Array | None]:
        """Returns whether gravity gains power over the piece's own motions and the known falls, and if not
        the forces (k, 3) on the piece that prevent it."""
        known = np.array(self._falls).reshape(-1, len(self._balance.names), 6)
        owner = np.repeat(joint.owner, 3)
        pressed = np.einsum("mci,ci->mc", known[:, owner], joint.below)
        active = np.flatnonzero(np.abs(pressed).max(axis=1, initial=0.0) > 1e-9)
        matrix = csc_array(np.concatenate([joint.own, pressed[active]]))
        gravity = self._balance.load(self._balance.down)
        load = np.concatenate(
            [
                joint.weight * self._balance.down,
                np.zeros(3),
                known[active].reshape(len(active), len(gravity)) @ gravity,
            ]
        )
        limit = np.full(6, 1.0 / max(joint.weight, 1e-6))
        answer = fall_within(
            matrix,
            joint.friction,
            load,
            np.concatenate([-limit, np.zeros(len(active))]),
            np.concatenate([limit, np.ones(len(active))]),
        )
        if answer.value > MIN_FALL_POWER * max(1, len(active)):
            used = [int(at) for at, share in zip(active, answer.x[6:], strict=True) if share > 1e-3]
            chosen = [self._falls[at] for at in used]
            self._falls = chosen + [one for at, one in enumerate(self._falls) if at not in used]
            return True, None
        return False, forces_in(answer, joint.friction)

    def _learn(self, motion: Array, balance: Balance) -> None:
        """Keep the tower's part of a fall; where the tower stays it teaches nothing."""
        tower = motion[: 6 * len(self._balance.names)].reshape(-1, 6).copy()
        if np.abs(tower).max(initial=0.0) <= 1e-6 * np.abs(motion).max():
            return
        tower[:, 3:] *= self._balance.length / balance.length
        tower /= (np.abs(tower) * self._balance.weights[:, None]).max()
        self._falls = [tower, *self._falls][:MAX_FALLS]


@dataclass(frozen=True, slots=True, eq=False)
class PieceContacts:
    """The contacts of a new piece as columns of equation (1).

    own: (6, 3 k) on the piece. below: (3 k, 6) on the tower's free piece `owner` (k,), -1 for a fixed one.
    friction: (k,). weight: of the piece.
    """

    own: Array
    below: Array
    owner: Ints
    friction: Array
    weight: float


@dataclass(frozen=True, slots=True, eq=False)
class FeasibleForces:
    """Forces that hold the tower from deep inside their cones, and how they answer to more load.

    forces: (k, 3) as n, t1, t2. inverse: (6 n, 6 n) of B E B^T and transposed: E B^T by rows, with E how readily
    each force changes: the square of its contact's normal force.
    """

    forces: Array
    inverse: Array
    transposed: csr_array

    @classmethod
    def of(cls, balance: Balance) -> FeasibleForces | None:
        """None for a tower without free pieces, and for one that does not stand by itself."""
        if not balance.names or not len(balance.friction):
            return None
        answer = fall(balance, balance.friction)
        if answer.value > UNBALANCED:
            return None
        # an interior point method ends in the middle of all forces that hold the tower
        forces = forces_in(answer, balance.friction)
        compliance = np.repeat(np.maximum(forces[:, 0], MIN_COMPLIANCE * forces[:, 0].max()) ** 2, 3)
        transposed = diags_array(compliance) @ balance.matrix.T.tocsr()
        stiffness = (balance.matrix @ transposed).toarray()
        size = np.abs(np.diag(stiffness)).max()
        return cls(forces, np.linalg.inv(stiffness + STIFFENING * size * np.eye(len(stiffness))), transposed)

    def carries(self, balance: Balance, joint: PieceContacts, forces: Array) -> bool:
        """Returns whether forces are found that hold the tower with the piece pressing on it; False proves nothing."""
        own = joint.own @ forces.reshape(-1) + joint.weight * np.concatenate([balance.down, np.zeros(3)])
        rest = np.abs(own).sum() / max(joint.weight, 1e-6)
        pressing = np.zeros((len(balance.names), 6))
        free = joint.owner >= 0
        each = np.einsum("kc,kci->ki", forces, joint.below.reshape(-1, 3, 6))
        np.add.at(pressing, joint.owner[free], each[free])
        load = balance.load(balance.down) + pressing.reshape(-1)
        weights = np.maximum(balance.weights, 1e-6)
        velocities = -(self.inverse @ pressing.reshape(-1))
        places: list[Array] = []
        steps: list[Array] = []
        first = np.inf
        for correction in range(CORRECTIONS):
            carried = nearest(self.forces + (self.transposed @ velocities).reshape(-1, 3), balance.friction)
            left = balance.matrix @ carried.reshape(-1) + load
            error = rest + float((np.abs(left).reshape(-1, 6).sum(axis=1) / weights).sum())
            if error <= MAX_RESIDUAL:
                return True
            first = min(first, error) if correction == 0 else first
            if correction == STALL_CORRECTIONS and error > first / 10:
                return False
            places.append(velocities)
            steps.append(-(self.inverse @ left))
            velocities = _mixed(places[-MIXED_STEPS:], steps[-MIXED_STEPS:])
        return False


def _mixed(places: list[Array], steps: list[Array]) -> Array:
    """The next place to try: the mixture of the last ones whose steps cancel best (Anderson 1965), and its step."""
    if len(steps) == 1:
        return places[0] + steps[0]
    across, along = np.diff(steps, axis=0), np.diff(places, axis=0)
    share = np.linalg.lstsq(across.T, steps[-1], rcond=1e-10)[0]
    mixed: Array = places[-1] + steps[-1] - share @ (across + along)
    return mixed


def forces_in(answer: ConeSolution, friction: Array) -> Array:
    """The contact forces (k, 3) in the multipliers, moved into their cones where the solver left them by a hair."""
    rough = friction > FRICTIONLESS
    forces = forces_of(answer.z, friction, rough)
    return nearest(forces, np.where(rough, friction, 0.0))
