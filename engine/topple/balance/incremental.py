"""Incremental statics: whether a tower would stand with one more piece, asked again and again.

Everything that does not depend on the new piece is kept: the tower's contacts, forces that hold it, and the
mechanisms in which it fell under earlier pieces. Two short proofs settle most questions:

* a fall: over the new piece's own motions and the known mechanisms together, gravity gains power;
* forces: the piece's forces are handed down and the tower's own adjusted until everything balances.

Both are exact, because the cones and the equations are those of the whole problem; what neither settles goes
through the whole problem, and the mechanism found there is kept. So the answers are those of `statics.stands`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from scipy.sparse import csr_array, diags_array

from teeter.engine.tolerances import TOUCH_DECLARED, TouchTolerance
from teeter.engine.topple.balance.equilibrium import (
    FRICTIONLESS,
    UNBALANCED,
    Balance,
    ConeSolution,
    balance_of,
    fall,
    fall_within,
    forces_of,
    free_numbers,
    wrenches_at,
)
from teeter.engine.topple.balance.forces import nearest
from teeter.engine.topple.balance.rocking import PointsOnCurves, Rocking, points_on_curves, rocking_of
from teeter.engine.topple.balance.statics import curved_reason, feasible_forces
from teeter.engine.topple.contact.arrays import Array, Ints
from teeter.engine.topple.contact.detection import (
    Contacts,
    Overlap,
    contacts_with_copies,
    deepest_first,
    find_contacts,
    unheld,
)
from teeter.engine.topple.contact.features import Features, departure, of_bodies, sagitta, together
from teeter.engine.topple.contact.patches import axes_across
from teeter.engine.topple.errors import StaticsError
from teeter.engine.world.body import DOWN, Assembly, Body, Vector
from teeter.models.material import pair_coefficient
from teeter.models.piece import Piece

BATCH = 64
"""Pieces whose contacts are found together: with more nothing is gained."""
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
    threads. touch: within which its pieces touch. contacts: all of the tower, where they are known. like: of the same
    tower, with other tolerances. gravity: m/s^2, turned to tilt the table."""

    def __init__(
        self,
        tower: Assembly,
        touch: TouchTolerance = TOUCH_DECLARED,
        *,
        contacts: Contacts | None = None,
        like: IncrementalStatics | None = None,
        gravity: Vector = DOWN,
    ) -> None:
        self.tower, self._touch, self._gravity = tower, touch, gravity
        self._names = {body.name for body in tower.bodies}
        self._features: Features = of_bodies(tower.bodies) if like is None else like._features
        self._contacts = find_contacts(tower, *touch, scene=self._features) if contacts is None else contacts
        self._balance = balance_of(tower, self._contacts, gravity=gravity)
        self._is_curved = any(_is_curved(body.piece) for body in tower.bodies)
        self._falls: list[Array] = []
        self._last: PieceContacts | None = None
        self._held = FeasibleForces.of(self._balance)

    def adding(self, body: Body) -> Added:
        """Returns the tower with a piece. Raises ValueError when its name is taken or it is fixed."""
        self._refuse_unfit([body])
        return self._added(self._joint(body))

    def adding_each(self, bodies: Sequence[Body]) -> list[Added]:
        """Returns the tower with each of some pieces alone, in a fraction of the time. Raises ValueError as `adding`
        does."""
        self._refuse_unfit(bodies)
        if self._is_curved or any(_is_curved(body.piece) for body in bodies):
            # where one touches nothing curves are looked at, unless others of a batch hold what it touches
            return [self._added(self._joint(body)) for body in bodies]
        starts = range(0, len(bodies), BATCH)
        return [self._added(joint) for at in starts for joint in self._joints(bodies[at : at + BATCH])]

    def _refuse_unfit(self, bodies: Sequence[Body]) -> None:
        for body in bodies:
            if body.name in self._names or body.fixed:
                raise ValueError(f"{body.name} cannot be added: give a free piece a name of its own")

    def _added(self, joint: PieceContacts) -> Added:
        self._last = joint
        touches = len(joint.rows) > 0 or bool(joint.found.curved)
        overlaps = deepest_first([*self._contacts.overlaps, *joint.overlaps])
        if self._contacts.curved or joint.found.curved:
            return Added(None, touches, overlaps, "curved", curved_reason(self._whole(joint)))
        try:
            stands, proof = self._judge(joint)
        except StaticsError as error:
            return Added(None, touches, overlaps, "whole", str(error))
        return Added(stands, touches, overlaps, proof)

    def with_piece(self, body: Body) -> Assembly:
        """Returns the tower with the piece, as an assembly of its own."""
        return replace(self.tower, bodies=(*self.tower.bodies, body))

    def rocking(self, body: Body) -> Rocking | None:
        """Returns whether the tower with a piece rocks to rest; None where no piece touches on a curve, or nobody can
        say. What resists rolling is left out."""
        scene, contacts = self.with_piece(body), self.contacts(body)
        try:
            found = rocking_of(scene, contacts, self._gravity, None, known=self._points_on_curves)
            return None if found is None else found.judged(found.balance.acting)
        except StaticsError:
            return None

    @cached_property
    def _points_on_curves(self) -> PointsOnCurves:
        return points_on_curves(self.tower, self._contacts)

    def contacts(self, body: Body) -> Contacts:
        """Returns all contacts of the tower with the piece: the tower's own are those already known."""
        return self._whole(self._joint(body))

    def _whole(self, joint: PieceContacts) -> Contacts:
        """Returns the tower's contacts and those of a piece, as `find_contacts` of the whole would list them but for
        the order."""
        mine, contacts, rows = self._contacts, joint.found, joint.rows
        names, fixed = (*mine.names, joint.body.name), np.append(mine.fixed, False)
        first = np.append(mine.first, contacts.first[rows])
        second = np.append(mine.second, np.full(len(rows), len(mine.names)))
        patch = np.unique(contacts.patch[rows], return_inverse=True)[1]
        curved = tuple(sorted({*mine.curved, *contacts.curved}))
        links = np.array([[names.index(name) for name in pair] for pair in curved], dtype=np.int64)
        ends = np.concatenate([np.stack([first, second], axis=1), links.reshape(-1, 2)])
        return Contacts(
            names=names,
            fixed=fixed,
            first=first,
            second=second,
            points=np.concatenate([mine.points, contacts.points[rows]]),
            normals=np.concatenate([mine.normals, contacts.normals[rows]]),
            patch=np.append(mine.patch, patch + (mine.patch.max(initial=-1) + 1)),
            curved=curved,
            floating=unheld(names, fixed, *ends.T),
            overlaps=deepest_first([*mine.overlaps, *joint.overlaps]),
        )

    def _joint(self, body: Body) -> PieceContacts:
        """Returns the contacts of a piece, kept until another one is asked about."""
        if self._last is None or self._last.body is not body:
            self._last = self._joints([body])[0]
        return self._last

    def _joints(self, bodies: Sequence[Body]) -> list[PieceContacts]:
        """Returns the contacts of each of some pieces with the tower, in the tower's units."""
        count, tower = len(self.tower.bodies), self._balance
        several = [replace(body, name=str(at)) for at, body in enumerate(bodies)]
        copies = several if len(bodies) > 1 else bodies
        scene = together(self._features, of_bodies(bodies), count)
        contacts = contacts_with_copies(self.tower.bodies, copies, scene, *self._touch)
        whose, owner = contacts.second - count, free_numbers(self._contacts.fixed)[contacts.first]
        frames = np.stack([contacts.normals, *axes_across(contacts.normals)], axis=1)
        middles = np.array([body.centre_of_mass for body in bodies]) / tower.length
        points, rubs = contacts.points[:, None] / tower.length, _frictions(self.tower.bodies)[contacts.first]
        own = _significant(-1.0 * wrenches_at(points, middles[whose][:, None], frames))
        centres = np.append(tower.centres, np.zeros((1, 3)), axis=0)[owner]
        below = _significant(wrenches_at(points, centres[:, None], frames))
        below[owner < 0] = 0.0
        friction, pull = (
            pair_coefficient(rubs, _frictions(bodies)[whose]),
            float(np.linalg.norm(self._gravity)),
        )
        joints = []
        for at, (body, copy) in enumerate(zip(bodies, copies, strict=True)):
            rows = np.flatnonzero(whose == at)
            mine = (
                replace(overlap, second=body.name)
                for overlap in contacts.overlaps
                if overlap.second == copy.name
            )
            weight = float(body.piece.mass * pull) / tower.force
            parts = own[rows], below[rows], owner[rows], friction[rows]
            joints.append(PieceContacts(body, contacts, rows, tuple(mine), *parts, weight))
        return joints

    def _judge(self, joint: PieceContacts) -> tuple[bool, Proof]:
        if self._held is not None:
            motion, forces = self._quick_fall(joint)
            if motion:
                return False, "fall"
            if forces is not None and self._held.carries(self._balance, joint, forces):
                return True, "forces"
        balance = balance_of(self.with_piece(joint.body), self._whole(joint), gravity=self._gravity)
        if feasible_forces(balance) is not None:
            return True, "whole"
        answer = fall(balance, balance.friction)
        if answer.value > UNBALANCED:
            self._learn(answer.x, balance)
        return answer.value <= UNBALANCED, "whole"

    def _quick_fall(self, joint: PieceContacts) -> tuple[bool, Array | None]:
        """Returns whether gravity gains power over the piece's own motions and the known falls, and if not
        the forces (k, 3) on the piece that prevent it."""
        if not len(joint.friction):
            return True, None
        gravity = self._balance.load(self._balance.down)
        known = np.array(self._falls).reshape(-1, len(gravity) // 6, 6)
        # in turn, from the first entry to the last: sums that are not reordered are the same everywhere
        pressed = (known[:, joint.owner, None] * joint.below).cumsum(axis=3)[..., -1]
        pressed = pressed.reshape(len(known), 3 * len(joint.friction))
        active = np.flatnonzero(np.abs(pressed).max(axis=1, initial=0.0) > 1e-9)
        matrix = np.concatenate([joint.own.reshape(-1, 6).T, pressed[active]])
        power = known[active].reshape(-1, len(gravity)) @ gravity
        load = np.concatenate([joint.weight * self._balance.down, np.zeros(3), power])
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
    """The contacts of a new piece as columns of equation (1). found: of a batch, of which `rows` (k,) are those of the
    piece.

    own: (k, 3, 6) on the piece; below: (k, 3, 6) on the tower's. owner: (k,) its free pieces, -1 for a fixed one.
    friction: (k,). weight: of the piece.
    """

    body: Body
    found: Contacts
    rows: Ints
    overlaps: tuple[Overlap, ...]
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
        own = joint.own.reshape(-1, 6).T.copy() @ forces.reshape(-1) + joint.weight * np.concatenate(
            [balance.down, np.zeros(3)]
        )
        rest = np.abs(own).sum() / max(joint.weight, 1e-6)
        pressing = np.zeros(6 * len(balance.names))
        parts = forces.reshape(-1, 1) * joint.below.reshape(-1, 6)
        np.add.at(pressing.reshape(-1, 6), np.repeat(joint.owner, 3), parts)
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


def _is_curved(piece: Piece) -> bool:
    return sagitta(piece) + departure(piece) > 0.0


def _frictions(bodies: Sequence[Body]) -> Array:
    return np.array([body.piece.material.friction for body in bodies])


def _significant(wrenches: Array) -> Array:
    """Returns them without what is left of lever arms that cancel, as `contact_matrix` has them."""
    return np.where(np.abs(wrenches) > 1e-13, wrenches, 0.0)


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
