"""Where rigid pieces come to rest on each other, and what each of them carries then.

Wood yields by a thousandth of what sawn pieces differ by: of three bricks in a row one or two carry, and the rest is
loose. Contacts soft enough for a stable simulation close such gaps (engine/README.md has the figures), and a force
balance does not know of them. Here pieces sink straight down and tip until their contacts hold them,

    minimise  c |f|^2 / 2 + g.f   so that   A f = w,   f >= 0                                             (5)

with g the gaps of the contact points, f their normal forces, w the weights, c how far a contact point yields. The
multipliers u are the motions to that rest: g + A^T u = -c f where a contact presses, and more than nought where it is
open. As c goes to nought this becomes the linear complementarity problem of rigid bodies with one-sided contacts
(Lotstedt 1982). Friction has no part in it, which is right where all contacts that carry are level; elsewhere there is
no answer.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import median

import clarabel
import numpy as np
from scipy.sparse import coo_array, csc_array, csc_matrix, eye_array, vstack

from teeter.engine.geometry.rotation import nudged, rotated
from teeter.engine.settings import GRAVITY
from teeter.engine.topple.balance.equilibrium import SOLVED, free_numbers, solver_settings, wrenches_at
from teeter.engine.topple.contact.arrays import Array, Ints
from teeter.engine.topple.contact.detection import Contacts, find_contacts
from teeter.engine.topple.contact.features import Features, of_bodies
from teeter.engine.topple.perturbation import at_poses
from teeter.engine.world.body import Assembly, Contact, magnification

YIELDING = 1e-7
"""Metres a contact point yields under the weight of a piece, at the games' size. Beech pressed across its grain (0.6
GPa) yields a twentieth of that. With four times as much one row in a hundred has other loose bricks, with less none;
and equal bricks, whose sizes differ by rounding alone, share a load as one expects."""
REACH = 1.2e-3
"""Metres of gap that may close, at the games' size: the thickest and the thinnest of the measured bricks differ by
0.7."""
SHARE_OF_THICKNESS = 0.25
"""No gap is closed that is wider than this part of the thinnest piece."""
TILT = np.radians(2.0)
"""Radians that faces which may come to lie on each other are turned against each other."""
LEVEL = float(np.cos(TILT))
"""Upward part of the normal of a level contact."""
UPRIGHT = 0.1
"""Upward part below which a contact is upright: it carries nothing."""
LEVEL_PARTS = slice(2, 5)
"""Of a wrench or a motion: up, about x, about y."""
ROUNDS = 3
"""Of the motion, which is linear in (5): three millimetre wedges of a tilt of one degree leave 0.1 um after two."""


@dataclass(frozen=True, slots=True, eq=False)
class Resting:
    """Pieces at rest on one-sided contacts. contacts: the level ones, those that are open too. forces: (k,) newtons
    along their normals. motions: (n, 6) of the free pieces from the poses that were given: metres, radians."""

    contacts: Contacts
    forces: Array
    motions: Array

    @property
    def loads(self) -> dict[str, float]:
        """Newtons that each free piece carries from above."""
        return self._sums(self._lower)

    @property
    def pressing(self) -> dict[str, float]:
        """Newtons that press on each free piece from above and from below together: what rubs when it slides."""
        below, above = self._sums(self._lower), self._sums(self._upper)
        return {name: below[name] + above[name] for name in below}

    @property
    def _lower(self) -> Ints:
        rises = self.contacts.normals[:, 2] > 0
        return np.where(rises, self.contacts.second, self.contacts.first)

    @property
    def _upper(self) -> Ints:
        rises = self.contacts.normals[:, 2] > 0
        return np.where(rises, self.contacts.first, self.contacts.second)

    def _sums(self, body: Ints) -> dict[str, float]:
        total = np.bincount(body, self.forces, len(self.contacts.names)).tolist()
        return {name: total[at] for at, name in enumerate(self.contacts.names) if not self.contacts.fixed[at]}


def resting(assembly: Assembly, *, yielding: float = YIELDING) -> Resting | None:
    """Returns how the pieces rest that lie within `REACH` of each other; None where they touch on slopes or curves, or
    nothing holds them. yielding: as `YIELDING`, metres."""
    contacts = _level_contacts(assembly)
    if contacts is None:
        return None
    free = assembly.free
    number = free_numbers(contacts.fixed)
    first, second = number[contacts.first], number[contacts.second]
    centres = np.array([body.centre_of_mass for body in free])
    weights = np.array([body.piece.mass for body in free]) * GRAVITY
    force = float(median(weights))
    length = float(median([body.piece.extents.mean() for body in free]))
    rows = _normal_rows(contacts, centres / length, first, second, length, LEVEL_PARTS)
    gaps = gaps_of(assembly, contacts)
    load = np.stack([weights / force, np.zeros(len(free)), np.zeros(len(free))], axis=1).reshape(-1)
    # of the size of the gaps, so that the solver's tolerances are parts of them
    unit = max(float(np.abs(gaps).max(initial=0.0)), yielding)
    count = len(gaps)
    solver = clarabel.DefaultSolver(
        csc_matrix(eye_array(count) * (yielding * magnification(assembly.bodies) / unit)),
        gaps / unit,
        csc_matrix(vstack([rows, -eye_array(count)])),
        np.concatenate([load, np.zeros(count)]),
        [clarabel.ZeroConeT(len(load)), clarabel.NonnegativeConeT(count)],
        solver_settings(refine=True),
    )
    result = solver.solve()
    if str(result.status) not in SOLVED:
        return None
    motions = np.zeros((len(free), 6))
    motions[:, LEVEL_PARTS] = np.array(result.z[: len(load)]).reshape(-1, 3) * unit
    motions[:, 3:] /= length
    return Resting(contacts, np.maximum(np.array(result.x), 0.0) * force, motions)


def at_rest(assembly: Assembly) -> Assembly | None:
    """Returns the assembly with its pieces where they rest on each other as rigid ones; None as `resting`."""
    for _ in range(ROUNDS):
        rest = resting(assembly)
        if rest is None:
            return None
        assembly = moved(assembly, rest.motions)
    return assembly


def moved(assembly: Assembly, motions: Array) -> Assembly:
    """Returns the assembly with its free pieces moved and turned about their centres of mass: (n, 6)."""
    poses = np.zeros((len(motions), 7))
    for row, body in enumerate(assembly.free):
        poses[row, 3:] = nudged(np.array(body.pose.orientation), motions[row, 3:])
        centre = body.centre_of_mass + motions[row, :3]
        poses[row, :3] = centre - rotated(poses[row, None], body.piece.centre_of_mass)[0]
    return at_poses(assembly, tuple(body.name for body in assembly.free), poses)


def _level_contacts(assembly: Assembly) -> Contacts | None:
    """Returns the level contacts that touch or may close; None where others carry too, or there are none."""
    free = assembly.free
    if not free:
        return None
    thinnest = min(float(body.piece.extents.min()) for body in free)
    reach = min(REACH * magnification(assembly.bodies), SHARE_OF_THICKNESS * thinnest)
    contacts = find_contacts(assembly, reach, TILT)
    rises = np.abs(contacts.normals[:, 2])
    if contacts.curved or contacts.floating or bool(((rises > UPRIGHT) & (rises < LEVEL)).any()):
        return None
    return contacts.some(rises >= LEVEL)


def _normal_rows(
    contacts: Contacts, centres: Array, first: Ints, second: Ints, length: float, parts: slice
) -> csc_array:
    """Returns the wrenches (n m, k) of unit normal forces on each free piece, without dimensions. parts: the m of the
    six that are wanted."""
    values, rows, columns = [], [], []
    for body, sign in ((first, 1.0), (second, -1.0)):
        mine = np.flatnonzero(body >= 0)
        at = contacts.points[mine] / length
        wrench = sign * wrenches_at(at, centres[body[mine]], contacts.normals[mine])[:, parts]
        number = wrench.shape[1]
        values.append(wrench.reshape(-1))
        rows.append((number * body[mine][:, None] + np.arange(number)).reshape(-1))
        columns.append(np.repeat(mine, number))
    shape = (len(range(6)[parts]) * len(centres), len(contacts.points))
    return coo_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=shape
    ).tocsc()


def gaps_of(assembly: Assembly, contacts: Contacts) -> Array:
    """Returns how far apart (k,) the two bodies are at each contact point, along its normal, metres; negative where
    they overlap, 0 where edges cross, whose faces do not tell."""
    first, second = _face_heights(assembly, contacts)
    return first - second


def _face_heights(assembly: Assembly, contacts: Contacts) -> tuple[Array, Array]:
    """Returns how high over each contact point, along its normal, the first and the second body begin (k,) each."""
    scene = of_bodies(assembly.bodies)
    first = _surface_heights(scene, contacts, contacts.first, -1.0)
    second = _surface_heights(scene, contacts, contacts.second, 1.0)
    # an edge or a corner has no face there: the point lies half-way between it and the other's face
    edge, face = ~np.isfinite(first), ~np.isfinite(second)
    first, second = np.where(edge & ~face, -second, first), np.where(face & ~edge, -first, second)
    return np.where(edge & face, 0.0, first), np.where(edge & face, 0.0, second)


def _surface_heights(scene: Features, contacts: Contacts, body: Ints, sign: float) -> Array:
    """Returns how high (k,) over each contact point, along its normal, the nearest face lies of the body whose outward
    normals are `sign` times that normal; infinity where none has it."""
    heights = np.zeros(len(body))
    starts = np.searchsorted(scene.facet_body, np.arange(len(contacts.names) + 1))
    order = np.argsort(body, kind="stable")
    for mine in np.split(order, np.flatnonzero(np.diff(body[order])) + 1) if len(order) else ():
        facets = slice(*starts[body[mine[0]] : body[mine[0]] + 2])
        along = contacts.normals[mine] @ scene.normals[facets].T
        on_face = scene.vertices[scene.facet_start[:-1][facets]]
        to_plane = (
            np.einsum("fj,fj->f", on_face, scene.normals[facets])
            - contacts.points[mine] @ scene.normals[facets].T
        )
        faces = sign * along >= LEVEL
        height = np.where(faces, to_plane / np.where(faces, along, 1.0), np.inf)
        nearest = np.abs(height).argmin(axis=1)
        heights[mine] = height[np.arange(len(mine)), nearest]
    return heights


MATCH_REACH = 2.5e-4
"""Metres of gap at rest, at the games' size, that soft contacts may leave between faces that were to touch."""
MATCH_TILT = np.radians(1.0)
"""Radians of turn for the same reason."""
STAYING = 1e-3
"""Weight of a piece's own motion beside that of a gap: what no contact asks for does not move."""


def rejoined(declared: Assembly, rested: Assembly, reach: float) -> Assembly:
    """Returns an assembly at rest with its pieces moved so that faces touch again that did as declared: the motions of
    least squares over the gaps of all their contact points. reach: metres of gap within which they did."""
    times = magnification(rested.bodies)
    joints = _Joints(declared, find_contacts(declared, reach, MATCH_TILT))
    for _ in range(ROUNDS):
        contacts, gaps = joints.at(rested)
        near = np.abs(gaps) <= MATCH_REACH * times
        touches = find_contacts(rested, MATCH_REACH * times, MATCH_TILT)
        new = ~np.isin(_pairs(touches), _pairs(contacts))
        whole = contacts.some(near).joined(touches.some(new))
        if not len(whole.points):
            break
        open_by = np.concatenate([gaps[near], gaps_of(rested, touches)[new]])
        rested = moved(rested, closing(rested, whole, open_by))
    return rested


class _Joints:
    """Contact points that stay on both bodies: where each lies on its two faces, and its normal, in their frames."""

    def __init__(self, assembly: Assembly, contacts: Contacts) -> None:
        over, under = _face_heights(assembly, contacts)
        self._contacts = contacts
        poses = [body.pose for body in assembly.bodies]
        rows = [
            (point + above * normal, point + below * normal, normal, poses[a], poses[b])
            for point, normal, above, below, a, b in zip(
                contacts.points, contacts.normals, over, under, contacts.first, contacts.second, strict=True
            )
        ]
        self._upper = [(one - first.position) @ first.matrix for one, _, _, first, _ in rows]
        self._lower = [(other - second.position) @ second.matrix for _, other, _, _, second in rows]
        self._normals = [normal @ second.matrix for _, _, normal, _, second in rows]

    def at(self, assembly: Assembly) -> tuple[Contacts, Array]:
        """Returns the contacts where the bodies lie now, and their gaps (k,)."""
        poses, contacts = [body.pose for body in assembly.bodies], self._contacts
        first, second = ([poses[at] for at in numbers] for numbers in (contacts.first, contacts.second))
        upper = [pose.apply(point) for pose, point in zip(first, self._upper, strict=True)]
        lower = [pose.apply(point) for pose, point in zip(second, self._lower, strict=True)]
        normals = [pose.matrix @ normal for pose, normal in zip(second, self._normals, strict=True)]
        one, other, normal = (np.array(rows).reshape(-1, 3) for rows in (upper, lower, normals))
        placed = replace(contacts, points=(one + other) / 2, normals=normal)
        return placed, np.einsum("kj,kj->k", one - other, normal)


def _pairs(contacts: Contacts) -> Ints:
    """Returns a number (k,) for each pair of bodies, whichever is the first."""
    low, high = np.minimum(contacts.first, contacts.second), np.maximum(contacts.first, contacts.second)
    pair: Ints = low * len(contacts.names) + high
    return pair


def closing(assembly: Assembly, contacts: Contacts, gaps: Array) -> Array:
    """Returns the motions (n, 6) of least squares that close the gaps of some contact points: metres, radians."""
    free, number = assembly.free, free_numbers(contacts.fixed)
    from scipy.sparse.linalg import lsqr

    centres = np.array([body.centre_of_mass for body in free])
    length = float(median([body.piece.extents.mean() for body in free]))
    rows = _normal_rows(
        contacts, centres / length, number[contacts.first], number[contacts.second], length, slice(0, 6)
    )
    solution = lsqr(rows.T, -gaps, damp=STAYING, atol=1e-12, btol=1e-12)[0]
    motions = np.array(solution).reshape(-1, 6)
    motions[:, 3:] /= length
    return motions


RATIOS = (0.01, 4.0)
"""Friction is multiplied by no less and no more. A brick that bears nothing may be pressed by fifty bricks in soft
contacts; what soft contacts leave without a force, no friction can make hard to draw."""


def friction_ratios(assembly: Assembly, contacts: Iterable[Contact]) -> dict[str, float]:
    """Returns by how much the friction of each free piece must be multiplied so that it is as hard to slide as between
    rigid pieces; empty where they have no level rest. contacts: of the simulation at rest."""
    rest = resting(assembly)
    if rest is None:
        return {}
    felt = dict.fromkeys(rest.pressing, 0.0)
    for contact in contacts:
        if abs(contact.normal[2]) >= LEVEL:
            for name in (contact.a, contact.b):
                if name in felt:
                    felt[name] += contact.force
    return {
        name: min(max(force / felt[name], RATIOS[0]), RATIOS[1]) if felt[name] > 0 else 1.0
        for name, force in rest.pressing.items()
    }
