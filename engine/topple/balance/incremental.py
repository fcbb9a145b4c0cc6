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

from teeter.engine.tolerances import TOUCH_DECLARED, TouchTolerance
from teeter.engine.topple.balance.equilibrium import (
    FRICTIONLESS,
    UNBALANCED,
    Balance,
    ConeSolution,
    balance_of,
    contact_matrix,
    fall,
    fall_within,
    forces_of,
    free_numbers,
    pair_friction,
)
from teeter.engine.topple.balance.forces import nearest
from teeter.engine.topple.balance.statics import curved_reason, feasible_forces
from teeter.engine.topple.contact.arrays import Array
from teeter.engine.topple.contact.detection import Contacts, Overlap, deepest_first, find_contacts, unheld
from teeter.engine.topple.contact.features import body_boxes, corners_of, of_bodies, sagitta
from teeter.engine.topple.contact.patches import axes_across
from teeter.engine.topple.errors import StaticsError
from teeter.engine.world.body import DOWN, Assembly, Body

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
    """A tower to which pieces are added for the asking; the tower itself never changes. Not to be shared between
    threads. touch: within which its pieces touch. contacts: all of the tower, where they are known."""

    def __init__(
        self, tower: Assembly, touch: TouchTolerance = TOUCH_DECLARED, *, contacts: Contacts | None = None
    ) -> None:
        self.tower, self._touch = tower, touch
        self._names = {body.name for body in tower.bodies}
        self._contacts = find_contacts(tower, *touch) if contacts is None else contacts
        self._balance = balance_of(tower, self._contacts)
        low, high = body_boxes(of_bodies(tower.bodies), len(tower.bodies))
        room = np.array([self._room(body) for body in tower.bodies])[:, None]
        self._low, self._high = low - room, high + room
        self._falls: list[Array] = []
        self._last: tuple[Body | None, Contacts] = None, self._contacts
        self._held = FeasibleForces.of(self._balance)

    def adding(self, body: Body) -> Added:
        """Returns the tower with a piece. Raises ValueError when its name is taken or it is fixed."""
        if body.name in self._names or body.fixed:
            raise ValueError(f"{body.name} cannot be added: give a free piece a name of its own")
        whole, touches = self._joined(body)
        self._last = body, whole
        if whole.curved:
            return Added(None, touches, whole.overlaps, "curved", curved_reason(whole))
        try:
            stands, proof = self._judge(body, whole)
        except StaticsError as error:
            return Added(None, touches, whole.overlaps, "whole", str(error))
        return Added(stands, touches, whole.overlaps, proof)

    def with_piece(self, body: Body) -> Assembly:
        """Returns the tower with the piece, as an assembly of its own."""
        return replace(self.tower, bodies=(*self.tower.bodies, body))

    def contacts(self, body: Body) -> Contacts:
        """Returns all contacts of the tower with the piece: the tower's own are those already known."""
        asked, known = self._last
        return known if asked is body else self._joined(body)[0]

    def _room(self, body: Body) -> float:
        """Metres around a body's corners within which others may touch it."""
        return self._touch.gap + 2 * sagitta(body.piece)

    def _joined(self, body: Body) -> tuple[Contacts, bool]:
        """Returns the tower's contacts and those of the piece, as `find_contacts` of the whole would list them but for
        the order; and whether the piece touches anything."""
        points, room = corners_of(body), self._room(body)
        low, high = points.min(axis=0) - room, points.max(axis=0) + room
        near = np.flatnonzero(np.all((self._low <= high) & (low <= self._high), axis=1)).tolist()
        beside = (*(self.tower.bodies[at] for at in near), body)
        found = find_contacts(Assembly(self.tower.name, beside), *self._touch, only={body.name})
        mine, index = self._contacts, np.array([*near, len(self.tower.bodies)], dtype=np.int64)
        names, fixed = (*mine.names, body.name), np.append(mine.fixed, False)
        first = np.concatenate([mine.first, index[found.first]])
        second = np.concatenate([mine.second, index[found.second]])
        curved = tuple(sorted({*mine.curved, *found.curved}))
        links = [[names.index(name) for name in pair] for pair in curved]
        round_ones = np.array(links, dtype=np.int64).reshape(-1, 2)
        floating = unheld(
            names, fixed, np.append(first, round_ones[:, 0]), np.append(second, round_ones[:, 1])
        )
        whole = Contacts(
            names=names,
            fixed=fixed,
            first=first,
            second=second,
            points=np.concatenate([mine.points, found.points]),
            normals=np.concatenate([mine.normals, found.normals]),
            patch=np.concatenate([mine.patch, found.patch + (mine.patch.max(initial=-1) + 1)]),
            curved=curved,
            floating=floating,
            overlaps=deepest_first([*mine.overlaps, *found.overlaps]),
        )
        return whole, len(found.first) > 0 or bool(found.curved)

    def _judge(self, body: Body, whole: Contacts) -> tuple[bool, Proof]:
        if self._held is not None:
            joint = self._joint(body, whole)
            motion, forces = self._quick_fall(joint)
            if motion:
                return False, "fall"
            if forces is not None and self._held.carries(self._balance, joint, forces):
                return True, "forces"
        balance = balance_of(self.with_piece(body), whole)
        if feasible_forces(balance) is not None:
            return True, "whole"
        answer = fall(balance, balance.friction)
        if answer.value > UNBALANCED:
            self._learn(answer.x, balance)
        return answer.value <= UNBALANCED, "whole"

    def _joint(self, body: Body, whole: Contacts) -> PieceContacts:
        """Returns the piece's contacts, the last of the whole, in the tower's units."""
        tower, mine = self._balance, slice(len(self._contacts.first), None)
        first, second, normals = whole.first[mine], whole.second[mine], whole.normals[mine]
        centre = body.pose.apply(body.piece.centre_of_mass) / tower.length
        number = free_numbers(whole.fixed)
        matrix = contact_matrix(
            np.stack([normals, *axes_across(normals)], axis=1),
            whole.points[mine] / tower.length,
            np.concatenate([tower.centres, centre[None]]),
            number[first],
            number[second],
        ).tocsr()
        return PieceContacts(
            own=matrix[-6:].toarray(),
            below=matrix[:-6],
            friction=pair_friction(self.with_piece(body), first, second),
            weight=float(body.piece.mass * np.linalg.norm(DOWN)) / tower.force,
        )

    def _quick_fall(self, joint: PieceContacts) -> tuple[bool, Array | None]:
        """Returns whether gravity gains power over the piece's own motions and the known falls, and if not
        the forces (k, 3) on the piece that prevent it."""
        gravity = self._balance.load(self._balance.down)
        known = np.array(self._falls).reshape(-1, len(gravity))
        pressed = known @ joint.below
        active = np.flatnonzero(np.abs(pressed).max(axis=1, initial=0.0) > 1e-9)
        matrix = csc_array(np.concatenate([joint.own, pressed[active]]))
        load = np.concatenate([joint.weight * self._balance.down, np.zeros(3), known[active] @ gravity])
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

    own: (6, 3 k) on the piece. below: (6 n, 3 k) on the tower's free pieces. friction: (k,). weight: of the piece.
    """

    own: Array
    below: csr_array
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
        pressing = joint.below @ forces.reshape(-1)
        load = balance.load(balance.down) + pressing
        weights = np.maximum(balance.weights, 1e-6)
        velocities = -(self.inverse @ pressing)
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
