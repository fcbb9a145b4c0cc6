"""Forces that hold a tower, and a quick search for those that hold it with one more piece on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, diags_array

from engine.topple.conic import FLAT, Answer, fall, forces_of
from engine.topple.equilibrium import Balance
from engine.topple.forces import nearest
from engine.topple.ragged import Array, Ints
from engine.topple.statics import UNBALANCED

CORRECTIONS = 36
"""Of the forces that hold the tower, until they hold the piece too."""
PATIENCE = 12
"""Corrections after which a tenth of the error must be gone."""
LEAST_EASE = 1e-3
"""Of the greatest normal force: what a contact without force may still take up."""
BALANCED = UNBALANCED / 2
"""Forces that leave less than this prove that it stands; the rest is the solver's tolerance."""
STIFFENING = 1e-12
"""Added to the diagonal of that matrix, relative, for pieces that too few pressed contacts hold."""
MEMORY = 8
"""Corrections that the next one is mixed from."""


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
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
class Held:
    """Forces that hold the tower from deep inside their cones, and how they answer to more load.

    forces: (k, 3) as n, t1, t2. inverse: (6 n, 6 n) of B E B^T and transposed: E B^T by rows, with E how readily
    each force changes: the square of its contact's normal force.
    """

    forces: Array
    inverse: Array
    transposed: csr_array

    @classmethod
    def of(cls, balance: Balance) -> Held | None:
        """None for a tower without free pieces, and for one that does not stand by itself."""
        if not balance.names or not len(balance.friction):
            return None
        answer = fall(balance, balance.friction)
        if answer.value > UNBALANCED:
            return None
        # an interior point method ends in the middle of all forces that hold the tower
        forces = forces_in(answer, balance.friction)
        ease = np.repeat(np.maximum(forces[:, 0], LEAST_EASE * forces[:, 0].max()) ** 2, 3)
        transposed = diags_array(ease) @ balance.matrix.T.tocsr()
        stiffness = (balance.matrix @ transposed).toarray()
        size = np.abs(np.diag(stiffness)).max()
        return cls(forces, np.linalg.inv(stiffness + STIFFENING * size * np.eye(len(stiffness))), transposed)

    def carries(self, balance: Balance, joint: Joint, forces: Array) -> bool:
        """Whether forces are found that hold the tower with the piece pressing on it; False proves nothing."""
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
        for turn in range(CORRECTIONS):
            carried = nearest(self.forces + (self.transposed @ velocities).reshape(-1, 3), balance.friction)
            left = balance.matrix @ carried.reshape(-1) + load
            error = rest + float((np.abs(left).reshape(-1, 6).sum(axis=1) / weights).sum())
            if error <= BALANCED:
                return True
            first = min(first, error) if turn == 0 else first
            if turn == PATIENCE and error > first / 10:
                return False
            places.append(velocities)
            steps.append(-(self.inverse @ left))
            velocities = _mixed(places[-MEMORY:], steps[-MEMORY:])
        return False


def _mixed(places: list[Array], steps: list[Array]) -> Array:
    """The next place to try: the mixture of the last ones whose steps cancel best (Anderson 1965), and its step."""
    if len(steps) == 1:
        return places[0] + steps[0]
    across, along = np.diff(steps, axis=0), np.diff(places, axis=0)
    share = np.linalg.lstsq(across.T, steps[-1], rcond=1e-10)[0]
    mixed: Array = places[-1] + steps[-1] - share @ (across + along)
    return mixed


def forces_in(answer: Answer, friction: Array) -> Array:
    """The contact forces (k, 3) in the multipliers, moved into their cones where the solver left them by a hair."""
    rough = friction > FLAT
    forces = forces_of(answer.z, friction, rough)
    return nearest(forces, np.where(rough, friction, 0.0))
