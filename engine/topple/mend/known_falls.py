"""Falls that are known of an assembly while some of its pieces are tried in other places, and where they prove that
it falls there too: any motion that no contact forbids, and over which gravity gains power, is a proof.

Quickly, of many places at once: a fall as it was, with the moved pieces still, going on as they did, or riding on a
piece that they touch; without the contacts where all that is near moves as one. Else all known falls together with the
moved pieces' own motion: a small program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import clarabel
import numpy as np
from scipy.sparse import csc_matrix

from teeter.engine.topple.balance.equilibrium import (
    FRICTIONLESS,
    SOLVED,
    UNBALANCED,
    Balance,
    free_numbers,
    solver_settings,
)
from teeter.engine.topple.contact.arrays import Array, Bools, Ints, crossed, expand
from teeter.engine.topple.contact.patches import axes_across
from teeter.engine.topple.mend.changes import turned
from teeter.engine.topple.mend.demand import Demand
from teeter.models.material import pair_coefficient

KEPT, KNOWN = 40, 12
"""Falls that are kept, those that refused a place last first, and those that are joined."""
MIN_POWER = UNBALANCED * 2
"""Of gravity, that proves a fall."""
LOOSE, SURE = 1e-7, 1e-4
"""How far a motion that is only looked at may go into a contact, and the power that then proves a fall."""
STILL, ON = -2, -1
"""What moved pieces do in a fall, but ride on a piece: nothing, or what they did."""


@dataclass(frozen=True, slots=True, eq=False)
class Touches:
    """The contacts between moved pieces and the rest in p places. shifts: (p, 3) metres; turns: (p,) radians. place:
    (k,) ascending; first, second: (k,) bodies of the assembly; points: (k, 3) metres; frames: (k, 3, 3), rows normal
    and two across."""

    shifts: Array
    turns: Array
    place: Ints
    first: Ints
    second: Ints
    points: Array
    frames: Array


class KnownFalls:
    """The falls. balance: of the assembly as it is; gripped: (n,), the moved ones of its pieces; pivot: (3,) metres,
    about which they are turned. frictions, fixed: (b,) of all bodies."""

    def __init__(
        self, balance: Balance, demand: Demand, gripped: Bools, pivot: Array, frictions: Array, fixed: Bools
    ) -> None:
        self._balance, self._demand, self._gripped = balance, demand, gripped
        self._pivot, self._frictions = pivot / balance.length, frictions
        self._numbers = free_numbers(fixed)
        # motions (n, 6), those of the moved pieces as if they were not turned
        self._falls: list[Array] = []

    def learn(self, motion: Array, touches: Touches | None = None, at: int = 0) -> bool:
        """Keep a fall (6 n,) that was found in a place, or where the pieces are; False for none."""
        rows = motion.reshape(-1, 6)
        if np.abs(rows).max(initial=0.0) <= 0.0:
            return False
        turn = 0.0 if touches is None else float(touches.turns[at])
        fall = self._turned(rows / (np.abs(rows) * self._balance.weights[:, None]).max(), -turn)
        self._falls = [fall, *self._falls][:KEPT]
        return True

    def refuse_riding(self, shifts: Array, turns: Array, parts: Bools, near: Bools) -> Bools:
        """Returns in which of p places a known fall goes on with each part of the moved pieces as a piece of what alone
        it is near, whatever the contacts there; or a part is near nothing. shifts: (p, 3) metres; turns: (p,) radians;
        parts: (q, g), of pieces that do not touch those of another; near: (q, p, n + 1), which free pieces, and at the
        end whether a fixed one."""
        refused: Bools = np.asarray(~near.any(axis=2).all(axis=0))
        base, others = self._balance, ~self._gripped
        known = np.array(self._falls)
        if not len(known) or (len(base.pulled) and turns.any()):
            return refused
        ways = np.zeros((len(known), near.shape[2], 6))
        ways[:, :-1, 3:] = known[..., 3:]
        ways[:, :-1, :3] = known[..., :3] - crossed(known[..., 3:], base.centres)
        goes_on, leads = np.ones((len(known), len(shifts)), dtype=np.bool_), []
        for around in near:
            # places near the same are asked about together
            short = np.packbits(around, axis=1)
            _, at, which = np.unique(short, axis=0, return_index=True, return_inverse=True)
            sets = around[at]
            first = ways[:, sets.argmax(axis=1)]
            # all of them move as one body with the first
            apart = np.abs(ways[:, None] - first[:, :, None]).max(axis=3)
            goes_on &= (~sets | (apart < LOOSE)).all(axis=2)[:, which.reshape(-1)]
            leads.append(first[:, which.reshape(-1)])
        centres = self._centres(shifts, turns)
        for down in self._demand.pulls(base):
            load = replace(base, down=down).acting.reshape(-1, 6)
            power = np.einsum("mni,ni->m", known[:, others], load[others])[:, None]
            for part, lead in zip(parts, leads, strict=True):
                forces, moments = np.split(load[self._gripped][part], 2, axis=1)
                arms = centres[:, part]
                spinning = (moments + crossed(arms, np.broadcast_to(forces, arms.shape))).sum(axis=1)
                power = power + lead[..., :3] @ forces.sum(axis=0)
                power = power + np.einsum("mpi,pi->mp", lead[..., 3:], spinning)
            refused |= (goes_on & (power > SURE)).any(axis=0)
        return refused

    def _turned(self, rows: Array, turn: float) -> Array:
        """Returns motions (n, 6) with those of the moved pieces turned with them."""
        if turn:
            rotation = turned(turn)
            rows = rows.copy()
            mine = rows[self._gripped].reshape(-1, 3) @ rotation.T
            rows[self._gripped] = mine.reshape(-1, 6)
        return rows

    def _centres(self, shifts: Array, turns: Array) -> Array:
        """Returns the centres of mass of the moved pieces in p places (p, g, 3). shifts: metres; turns: radians."""
        arms = self._balance.centres[self._gripped] - self._pivot
        shifts = self._pivot + shifts / self._balance.length
        if not turns.any():
            return np.asarray(shifts[:, None] + arms)
        rotations = np.array([turned(turn) for turn in turns.tolist()])
        return np.asarray(shifts[:, None] + arms @ rotations.transpose(0, 2, 1))

    def _rubbing(self, touches: Touches, rows: Ints) -> Array:
        first, second = self._frictions[touches.first[rows]], self._frictions[touches.second[rows]]
        return np.asarray(pair_coefficient(first, second) / self._demand.friction_factor)

    def refuse(self, touches: Touches, some: Sequence[int], last: int | None = None) -> Bools:
        """Returns in which of some places a known fall, by itself, goes on. last: look at the newest only."""
        known = self._falls[:last]
        refused = np.zeros(len(some), dtype=np.bool_)
        if not known or not len(some):
            return refused
        base, mine = self._balance, self._gripped
        if len(base.pulled) and touches.turns.any():
            # forces that act beside the centre of mass turn with a piece that is turned
            return refused
        places = np.asarray(some, dtype=np.int64)
        centres = self._centres(touches.shifts[places], touches.turns[places])
        low = np.searchsorted(touches.place, places)
        counts = np.searchsorted(touches.place, places, side="right") - low
        of, rows = expand(low, counts)
        numbers = self._numbers[touches.first[rows]], self._numbers[touches.second[rows]]
        is_first = (numbers[0] >= 0) & mine[numbers[0]]
        other = np.where(is_first, numbers[1], numbers[0])
        held = np.where(is_first, numbers[0], numbers[1])
        slot = np.cumsum(mine)[held] - 1
        # what moved pieces may do in each place
        free = other >= 0
        count = len(base.names) + 2
        rides = np.unique(of[free] * count + other[free] + 2)
        usual = np.arange(len(places))[:, None] * count + np.arange(2)
        owner, way = np.divmod(np.concatenate([usual.reshape(-1), rides]), count)
        motions = np.array(known)
        moves = self._moves(motions, centres, touches.turns[places], owner, way - 2)
        every, contact = expand(np.searchsorted(of, owner), counts[owner])
        arms = touches.points[rows] / base.length
        sign = np.where(is_first, 1.0, -1.0)[:, None, None]
        axes = sign * touches.frames[rows]
        own = moves[:, every, slot[contact]]
        arm = arms[contact] - centres[owner[every], slot[contact]]
        parting = own[..., :3] + crossed(own[..., 3:], arm)
        theirs = motions[:, other]
        resting = theirs[..., :3] + crossed(theirs[..., 3:], arms - base.centres[other])
        resting[:, ~free] = 0.0
        sliding = np.einsum("mki,kci->mkc", parting - resting[:, contact], axes[contact])
        room = sliding[..., 0] - self._rubbing(touches, rows)[contact] * np.hypot(
            sliding[..., 1], sliding[..., 2]
        )
        least = np.zeros((len(known), len(owner)))
        if len(every):
            begins = np.flatnonzero(np.append(True, every[1:] != every[:-1]))
            least[:, every[begins]] = np.minimum.reduceat(room, begins, axis=1)
        may = least >= -LOOSE
        gains = np.zeros_like(may)
        for down in self._demand.pulls(base):
            load = replace(base, down=down).acting.reshape(-1, 6)
            power = np.einsum("mni,ni->m", motions[:, ~mine], load[~mine])[:, None]
            gains |= power + np.einsum("mqgi,gi->mq", moves, load[mine]) > SURE
        np.logical_or.at(refused, owner, (may & gains).any(axis=0))
        return refused

    def _moves(self, motions: Array, centres: Array, turns: Array, owner: Ints, way: Ints) -> Array:
        """Returns motions (m, q, g, 6) of the moved pieces. motions: (m, n, 6) of all; owner: (q,) the place, way: (q,)
        `STILL`, `ON` or the piece they ride on."""
        own = motions[:, self._gripped]
        moves = np.zeros((len(motions), len(owner), *own.shape[1:]))
        on = np.flatnonzero(way == ON)
        moves[:, on] = own[:, None]
        for at in np.flatnonzero(turns[owner] != 0).tolist():
            if way[at] == ON:
                rotation = turned(float(turns[owner[at]]))
                moves[:, at] = (own.reshape(-1, 3) @ rotation.T).reshape(own.shape)
        ride = np.flatnonzero(way >= 0)
        carrier = motions[:, way[ride], None]
        arms = centres[owner[ride]] - self._balance.centres[way[ride], None]
        spins = np.broadcast_to(carrier[..., 3:], (len(motions), *arms.shape))
        moves[:, ride, :, :3] = carrier[..., :3] + crossed(spins, np.broadcast_to(arms, spins.shape))
        moves[:, ride, :, 3:] = spins
        return moves

    def falls(self, touches: Touches, at: int) -> bool:
        """Returns whether gravity gains power over the known falls and the moved pieces' motions as one body; that
        fall is known then."""
        base = self._balance
        if touches.turns[at] and len(base.pulled):
            return False
        centres = base.centres.copy()
        centres[self._gripped] = self._centres(touches.shifts[[at]], touches.turns[[at]])[0]
        rows = np.flatnonzero(touches.place == at)
        motions = [self._turned(fall, float(touches.turns[at])) for fall in self._falls[:KNOWN]]
        # what came down last comes down over what was moved below it, about another edge
        falling = ~self._gripped & (np.abs(motions[0]).max(axis=1) > LOOSE if motions else False)
        groups = [group for group in (self._gripped, falling) if group.any()]
        known = np.array([*motions, *(way for group in groups for way in _as_one(group, centres))])
        first, second = self._numbers[touches.first[rows]], self._numbers[touches.second[rows]]
        # and that parts from the rest where it lay on it
        mine, moves = np.append(self._gripped, False), np.append(falling, False)
        held = np.flatnonzero(
            (moves[base.first] != moves[base.second]) & ~mine[base.first] & ~mine[base.second]
        )
        first, second = np.append(first, base.first[held]), np.append(second, base.second[held])
        points = np.concatenate([touches.points[rows], base.contacts.points[held]]) / base.length
        friction = np.append(self._rubbing(touches, rows), base.friction[held])
        frames = np.concatenate([touches.frames[rows], base.frames[held]])
        parting = np.einsum("mki,kci->kcm", parting_of(known, centres, points, first, second), frames)
        limits = np.repeat([1.0 / float(base.sizes[group].sum()) for group in groups], 6)
        count = len(motions)
        low = np.concatenate([np.zeros(count), -limits])
        high = np.concatenate([np.ones(count), limits])
        for down in self._demand.pulls(base):
            load = known.reshape(len(known), -1) @ replace(base, down=down).acting
            power, share = _fall_within(parting, friction, load, low, high)
            if power > MIN_POWER * max(1, count):
                used = np.flatnonzero(share[:count] > 1e-3).tolist()
                chosen = [self._falls[at] for at in used]
                self._falls = chosen + [fall for at, fall in enumerate(self._falls) if at not in used]
                return True
        return False


def fall_as_one(balance: Balance, pulls: Sequence[Array], fixed: Bools, group: Bools) -> Array | None:
    """Returns the fastest motion (n, 6) in which some pieces fall as one body and all others stay; None for none.
    pulls: directions (3,) of gravity. fixed: (b,), of all bodies; group: (n,), which pieces."""
    numbers, contacts = free_numbers(fixed), balance.contacts
    first, second = numbers[contacts.first], numbers[contacts.second]
    # the last of them is a fixed one
    mine = np.append(group, False)
    rows = np.flatnonzero(mine[first] != mine[second])
    motions, normals = _as_one(group, balance.centres), contacts.normals[rows]
    points = contacts.points[rows] / balance.length
    parting = parting_of(motions, balance.centres, points, first[rows], second[rows])
    frames = np.stack([normals, *axes_across(normals)], axis=1)
    sliding = np.einsum("mki,kci->kcm", parting, frames)
    high = np.full(6, 1.0 / float(balance.sizes[group].sum()))
    for down in pulls:
        load = motions.reshape(6, -1) @ replace(balance, down=down).acting
        power, share = _fall_within(sliding, balance.friction[rows], load, -high, high)
        if power > MIN_POWER:
            return np.asarray(np.tensordot(share, motions, axes=1))
    return None


def _as_one(group: Bools, centres: Array) -> Array:
    """Returns the six motions (6, n, 6) of some pieces as one body. centres: (n, 3), of mass."""
    found = np.zeros((6, len(centres), 6))
    middle = centres[group].mean(axis=0)
    for at in np.flatnonzero(group).tolist():
        found[:3, at, :3] = found[3:, at, 3:] = np.eye(3)
        found[3:, at, :3] = crossed(np.eye(3), centres[at] - middle)
    return found


def parting_of(motions: Array, centres: Array, points: Array, first: Ints, second: Ints) -> Array:
    """Returns how fast the first piece of each contact parts from the second (m, k, 3) under motions (m, n, 6).
    first, second: (k,), -1 for a fixed one."""
    found = np.zeros((len(motions), len(points), 3))
    for body, sign in ((first, 1.0), (second, -1.0)):
        free = np.flatnonzero(body >= 0)
        arm = points[free] - centres[body[free]]
        motion = motions[:, body[free]]
        found[:, free] += sign * (motion[..., :3] + crossed(motion[..., 3:], arm))
    return found


def _fall_within(
    parting: Array, friction: Array, load: Array, low: Array, high: Array
) -> tuple[float, Array]:
    """Solves `fall_within` of `balance.equilibrium` for few unknowns, with full matrices. parting: (k, 3, m),
    how each motion parts and slides each contact. Returns the power and the motions' shares; nought where it fails."""
    unit = np.eye(len(load))
    rough = friction > FRICTIONLESS
    grip = parting[rough].copy()
    grip[:, 0] /= friction[rough, None]
    whole = np.concatenate([-parting[~rough, 0], -grip.reshape(-1, len(load)), unit, -unit])
    right = np.concatenate([np.zeros(len(whole) - 2 * len(load)), high, -low])
    cones: list[object] = [clarabel.NonnegativeConeT(int((~rough).sum()))] if not rough.all() else []
    cones += [clarabel.SecondOrderConeT(3)] * int(rough.sum()) + [clarabel.NonnegativeConeT(2 * len(load))]
    size = len(load)
    # every entry, zeros too: that costs less than to look for them
    count = len(whole)
    entries = (whole.T.reshape(-1), np.tile(np.arange(count), size), count * np.arange(size + 1))
    rows = csc_matrix(entries, shape=(count, size))
    nothing = csc_matrix((size, size))
    solver = clarabel.DefaultSolver(nothing, -load, rows, right, cones, solver_settings(refine=False))
    solution = solver.solve()
    if str(solution.status) not in SOLVED:
        return 0.0, np.zeros(size)
    return -float(solution.obj_val), np.array(solution.x)
