"""Symmetries of a force balance about the vertical: what holds in one direction holds in its images.

A half turn, and mirrors across and along the principal axes or an edge of a contact; turns by the spacing of points
that stand for a circle. They count only where contacts, weights and loads are the same in the image, each on the
piece's image. Where pieces are moved far the bodies themselves have to be their own images.
"""

from dataclasses import dataclass

import numpy as np

from teeter.engine.topple.balance.equilibrium import Balance
from teeter.engine.topple.contact.arrays import Array, Bools, Ints
from teeter.engine.topple.contact.features import corners_of
from teeter.engine.topple.contact.rims import AROUND
from teeter.engine.world.body import TABLE, Assembly, Body
from teeter.engine.world.faces import is_round
from teeter.models.hulls import pairs_within

SAME = 1e-7
"""Piece sizes and weights: what differs by less is the same."""

WIDE = 4.0
"""Times as far from the middle as the pieces reach an edge is never reached."""

ROUND = 1e-6
"""Spreads so alike, relative, have no principal axes."""


@dataclass(frozen=True, slots=True, eq=False)
class Symmetry:
    """plane: (2, 2) orthogonal, from a load of the two to its image. pieces: (n,) the image of every free piece."""

    plane: Array
    pieces: Ints


def symmetries_of(balance: Balance, east: Array, north: Array, loads: Array) -> tuple[Symmetry, ...]:
    """Returns the symmetries, without the identity, of a balance with loads (6 n, 2) along east and north (3,)."""
    if len(balance.pulled) or np.abs(np.stack([east, north]) @ balance.down).max() > SAME:
        return ()
    planes = [-np.eye(2), *(np.eye(2) - 2 * np.outer(axis, axis) for axis in _axes(balance, east, north))]
    axes = np.stack([east, north])

    def found(plane: Array, rows: Bools | None = None) -> list[Symmetry]:
        turn = axes.T @ plane @ axes + np.outer(balance.down, balance.down)
        pieces = _image(balance, turn, loads, plane, rows)
        return [] if pieces is None else [Symmetry(plane, pieces)]

    symmetries = [symmetry for plane in planes for symmetry in found(plane)]
    if not balance.contacts.curved:
        return tuple(symmetries)
    # what lies in a hole all round is the same however it is turned, and in a mirror, as the faces it stands on are
    rest = ~_is_round(balance)
    angle = 2 * np.pi / AROUND
    step = found(np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]), rest)
    mirror = found(np.diag([1.0, -1.0]), rest)
    if step and mirror:
        turned = [Symmetry(np.eye(2), np.arange(len(balance.names))), *mirror]
        symmetries = mirror
        for _ in range(1, AROUND):
            turned = [Symmetry(step[0].plane @ one.plane, step[0].pieces[one.pieces]) for one in turned]
            symmetries += turned
    return tuple(symmetries)


class ShapeSymmetry:
    """What bodies are like towards bearings about the upright line through the middle of the free ones. A table counts
    only where it is not wide."""

    def __init__(self, assembly: Assembly) -> None:
        centres = np.array([body.centre_of_mass for body in assembly.free])
        self._middle = np.append(centres[:, :2].mean(axis=0), 0.0)
        reach = max(np.abs(corners_of(body)[:, :2] - self._middle[:2]).max() for body in assembly.pieces)
        bodies = [body for body in assembly.bodies if not self._is_wide(body, WIDE * reach)]
        self._rows = [self._row(body, reach) for body in bodies if not self._is_upright(body, SAME * reach)]

    def are_alike(self, one: float, other: float) -> bool:
        """Returns whether a turn or a mirror that takes one bearing (radians) to the other keeps every body."""
        turn, both = other - one, other + one
        east, north = np.cos([turn, both]), np.sin([turn, both])
        planes = (
            np.array([[east[0], -north[0]], [north[0], east[0]]]),
            np.array([[east[1], north[1]], [north[1], -east[1]]]),
        )
        return any(all(self._keeps(plane, rows) for rows in self._rows) for plane in planes)

    def _keeps(self, plane: Array, rows: Array) -> bool:
        image = rows.copy()
        image[:, :2], image[:, 3:5] = rows[:, :2] @ plane.T, rows[:, 3:5] @ plane.T
        return _matches(rows, image) is not None

    def _is_wide(self, body: Body, reach: float) -> bool:
        if not body.fixed or body.name != TABLE:
            return False
        low, high = (limit(corners_of(body)[:, :2] - self._middle[:2], axis=0) for limit in (np.min, np.max))
        return bool(max(*low, *-high) < -reach)

    def _is_upright(self, body: Body, eps: float) -> bool:
        """Returns whether a body is round about the line itself, and so is its weight."""
        x, y, _ = (np.asarray(body.pose.position) - self._middle).tolist()
        axis, centre = body.pose.matrix[:, 2], body.piece.centre_of_mass
        off = max(abs(x), abs(y), float(np.hypot(*centre[:2])))
        return off <= eps and float(np.hypot(*axis[:2])) <= SAME and is_round(body.piece)

    def _row(self, body: Body, size: float) -> Array:
        """Returns the middles and normals (k, 6) of the faces of a body, and its centre of mass."""
        facets, turn = body.piece.surface.facets, body.pose.matrix
        places = [facet.rings[0].mean(axis=0) for facet in facets]
        places = turn @ np.array([*places, body.piece.centre_of_mass]).T
        normals = np.array([*(facet.normal for facet in facets), np.zeros(3)])
        offset = places.T + body.pose.position - self._middle
        return np.hstack([offset / size, normals @ turn.T])


def _axes(balance: Balance, east: Array, north: Array) -> Array:
    """Returns the principal axes (2, 2), as rows, of the pieces' places; where there are none, along an edge."""
    frame = np.stack([east, north], axis=1)
    flat = (balance.centres - balance.centres.mean(axis=0)) @ frame
    sizes, axes = np.linalg.eigh(flat.T @ flat)
    if sizes[1] - sizes[0] > ROUND * sizes[1] or len(balance.contacts.points) < 2:
        return np.asarray(axes.T)
    edge = (balance.contacts.points[1] - balance.contacts.points[0]) @ frame
    length = float(np.linalg.norm(edge))
    east_of, north_of = edge / length if length > 0 else np.array([1.0, 0.0])
    return np.array([[east_of, north_of], [-north_of, east_of]])


def _is_round(balance: Balance) -> Bools:
    """Returns which contact points (k,) are corners of a regular polygon about the middle that is all but a circle."""
    contacts, middle = balance.contacts, balance.centres.mean(axis=0)
    offset = contacts.points / balance.length - middle
    across = offset - np.outer(offset @ balance.down, balance.down)
    count = np.bincount(contacts.patch)[contacts.patch]
    is_round = count >= AROUND
    for patch in np.unique(contacts.patch[is_round]):
        rows = np.flatnonzero(contacts.patch == patch)
        sides = np.linalg.norm(np.diff(across[rows], axis=0, append=across[rows[:1]]), axis=1)
        is_round[rows] = max(np.ptp(np.linalg.norm(across[rows], axis=1)), np.ptp(sides)) <= SAME
    return is_round


def _image(
    balance: Balance, turn: Array, loads: Array, plane: Array, rows: Bools | None = None
) -> Ints | None:
    """Returns the images of the pieces under an orthogonal map (3, 3); None where something has no image. rows: contact
    points (k,) that are to have one, all if None."""
    middle = balance.centres.mean(axis=0)
    centres, weights = balance.centres - middle, balance.weights[:, None]
    pieces = _matches(np.hstack([centres, weights]), np.hstack([centres @ turn.T, weights]))
    if pieces is None:
        return None
    # a torque, like a spin, keeps its sense in a mirror
    wrenches = loads.reshape(-1, 2, 3, 2)
    turned = np.einsum("ij,nwjl->nwil", turn, wrenches) * np.array([1.0, np.linalg.det(turn)])[:, None, None]
    if np.abs(turned - wrenches[pieces] @ plane).max(initial=0.0) > SAME:
        return None
    rows = np.ones(len(balance.friction), dtype=np.bool_) if rows is None else rows
    points, normals = balance.contacts.points[rows] / balance.length - middle, balance.contacts.normals[rows]
    rub = balance.friction[rows, None]
    moved = np.append(pieces, -1)
    first, second = balance.first[rows, None], balance.second[rows, None]
    both = np.vstack(
        [np.hstack([points, normals, rub, first, second]), np.hstack([points, -normals, rub, second, first])]
    )
    image = np.hstack([points @ turn.T, normals @ turn.T, rub, moved[first], moved[second]])
    matches = _matches(both, image)
    if matches is None or len(np.unique(matches % max(len(points), 1))) < len(points):
        return None
    return pieces


def _matches(known: Array, image: Array) -> Ints | None:
    """Returns which of the known rows each row of the image is; None unless each is another one."""
    if not len(image):
        return np.zeros(0, dtype=np.int64)
    rows, near = pairs_within(image, known, 2 * SAME)
    nearest_first = np.lexsort((np.linalg.norm(image[rows] - known[near], axis=1), rows))
    rows, first = np.unique(rows[nearest_first], return_index=True)
    at = near[nearest_first][first]
    if len(rows) < len(image) or len(np.unique(at)) < len(at):
        return None
    return at
