"""How hard the highest piece can be turned about the vertical before it turns, or what carries it does.

A balance of forces does not tell where a face presses on a face: at its corners alone, friction turns it back by mu N
times the distance of the farthest; all over, by mu N times the mean distance of its points (2/3 mu N R for a disc).
Here faces press as evenly as the balance allows, as if on soft matting (Winkler): the pressures p are those that

    minimise  sum A p^2   so that they balance all that pulls down and tips,   p >= 0                       (6)

and the friction t at a point of area A bears the greatest torque T for which

    t balances T on the highest piece, and nothing on the others,   |t| <= mu A p                           (7)

the least, over all ways to turn and shift the pieces, of what friction takes. Sides that touch add nothing. Where a
smaller torque than that has no balance at all (equation (1) of `balance.equilibrium`), it counts: a deck that is turned
tips the pillars it lies on.
"""

from __future__ import annotations

from statistics import median

import clarabel
import numpy as np
import shapely
from scipy.sparse import coo_array, csc_array, csc_matrix, diags_array, eye_array, hstack, vstack

from teeter.engine.settings import GRAVITY
from teeter.engine.topple.balance.equilibrium import (
    SOLVED,
    Balance,
    SupportFunction,
    balance_of,
    contact_matrix,
    solver_settings,
)
from teeter.engine.topple.balance.margins import top_piece
from teeter.engine.topple.contact.arrays import Array, Bools, Ints
from teeter.engine.topple.contact.detection import Contacts
from teeter.engine.topple.contact.features import is_convex
from teeter.engine.topple.errors import StaticsError
from teeter.engine.topple.resting import UPRIGHT, resting
from teeter.engine.world.body import Assembly, Body, Vector

LEVEL = float(np.cos(np.radians(0.5)))
"""Upward part of the normal of a contact that counts as level: uneven bricks lie askew by half of that."""
BEARS = 1e-6
"""Of the median weight: what presses by less is loose."""
FINE = 4
"""Points towards and along each side of a contact area."""
PLACES = {
    (1, 0): (np.array([0.5]), np.array([1.0])),
    (1, 1): (np.array([0.6666666666666666]), np.array([1.0])),
    (FINE, 0): (
        np.array([0.06943184420297371, 0.33000947820757187, 0.6699905217924281, 0.9305681557970262]),
        np.array([0.1739274225687269, 0.3260725774312731, 0.3260725774312731, 0.1739274225687269]),
    ),
    (FINE, 1): (
        np.array([0.13975986434378057, 0.41640956763108317, 0.7231569863618762, 0.9428958038854823]),
        np.array([0.06236194190001611, 0.25969509521646494, 0.4069291360205429, 0.271013826862976]),
    ),
}
"""Of Gauss and Jacobi, by how many there are and the power of the place with which what they sum up grows: places
between 0 and 1, and their shares. `scipy.special`, which computes them, takes a tenth of a second to load."""
ROUND = 12
"""Corners from which on the sides of a contact area are so short that one point along each will do."""
MANY = 12
"""Contact areas beyond which one point a side will do: distances between areas count then."""
BANDS = 16
"""Of equal area, in what is not as wide as its hull."""
WHOLE = 0.999
"""Share of its hull that an area fills at least, to count as that."""
SLIVER = 0.01
"""Of the median piece: as wide counts an edge that presses, and a corner."""


def bearing(assembly: Assembly) -> Contacts | None:
    """Returns the contacts by which pieces of unlike size bear each other at rest; None where they touch on slopes."""
    rest = resting(assembly)
    if rest is None:
        return None
    contacts = rest.contacts
    presses = np.bincount(contacts.patch, rest.forces)
    least = BEARS * GRAVITY * float(median([body.piece.mass for body in assembly.free]))
    return contacts.some(presses[contacts.patch] > least)


def twist_margin(assembly: Assembly, contacts: Contacts, gravity: Vector) -> float | None:
    """Returns the least torque about the vertical, N m, on the highest piece at which anything turns or tips; None
    where pieces touch on slopes or curves, or on walls alone, or something pulls sideways."""
    rises = np.abs(contacts.normals[:, 2])
    sloping = (rises < LEVEL) & (rises > UPRIGHT)
    if contacts.curved or bool(sloping.any()) or any(gravity[:2]) or not bool((rises >= LEVEL).any()):
        return None
    balance = balance_of(assembly, contacts, gravity=gravity)
    if bool(balance.acting.reshape(-1, 6)[:, [0, 1, 5]].any()):
        return None
    at = 6 * balance.names.index(top_piece(assembly)[0].name) + 5
    # more than friction anywhere could bear
    most = float(balance.weights.sum() * np.ptp(contacts.points, axis=0).max(initial=0.0)) / balance.length
    loads = np.zeros((6 * len(balance.names), 2))
    loads[at, 0] = most
    ask = SupportFunction(balance.matrix, balance.friction, balance.acting, loads)
    try:
        least = min(
            _turned_by(assembly, balance, rises >= LEVEL, at),
            *(most * ask(np.array([way, 0.0]))[0] for way in (1.0, -1.0)),
        )
    except StaticsError:
        return None
    return max(least, 0.0) * balance.force * balance.length


def _turned_by(assembly: Assembly, balance: Balance, level: Bools, at: int) -> float:
    """Returns the torque of (7) on row `at` of the balance."""
    rows, points, areas = _spread(assembly, balance, level)
    contacts = balance.contacts
    frames = np.zeros((len(rows), 3, 3))
    frames[:, 0, 2] = np.sign(contacts.normals[rows, 2])
    frames[:, 1, 0] = frames[:, 2, 1] = 1.0
    whole = contact_matrix(
        frames, points / balance.length, balance.centres, balance.first[rows], balance.second[rows]
    )
    parts = np.arange(whole.shape[0]) % 6
    down, across = np.flatnonzero((parts > 1) & (parts < 5)), np.flatnonzero((parts < 2) | (parts == 5))
    presses = _pressures(whole[down][:, ::3], areas, balance.acting[down])
    bears = balance.friction[rows] * presses
    return _torque(whole[across], bears, int(np.searchsorted(across, at)))


def _pressures(normal: csc_array, areas: Array, acting: Array) -> Array:
    """Returns the forces (q,) of (6) at points of some areas."""
    count = len(areas)
    scale = areas.mean()
    return _solved(
        csc_matrix(diags_array(scale / areas)),
        np.zeros(count),
        csc_matrix(vstack([normal, -eye_array(count)])),
        np.concatenate([-acting, np.zeros(count)]),
        [clarabel.ZeroConeT(len(acting)), clarabel.NonnegativeConeT(count)],
    ).clip(0.0)


def _torque(friction: csc_array, bears: Array, at: int) -> float:
    """Returns the greatest torque on row `at` that friction bears, with so much at each point (q,) at most.

    friction: (m, 3 q), columns of normals too."""
    slides = np.flatnonzero(bears > 1e-9 * max(float(bears.max(initial=0.0)), 1e-12))
    count = len(slides)
    if not count:
        return 0.0
    columns: Ints = (3 * slides[:, None] + np.array([1, 2])).ravel()
    turn = coo_array((np.ones(1), (np.array([at]), np.zeros(1, np.int64))), shape=(friction.shape[0], 1))
    # of each point: how much it bears, then its two forces
    places = (3 * np.arange(count)[:, None] + np.array([1, 2])).ravel()
    cone = coo_array((-np.ones(2 * count), (places, np.arange(2 * count))), shape=(3 * count, 2 * count + 1))
    limits = np.zeros(3 * count)
    limits[::3] = bears[slides]
    goal = np.zeros(2 * count + 1)
    goal[-1] = -1.0
    solution = _solved(
        csc_matrix((2 * count + 1, 2 * count + 1)),
        goal,
        csc_matrix(vstack([hstack([friction[:, columns], turn]), cone])),
        np.concatenate([np.zeros(friction.shape[0]), limits]),
        [clarabel.ZeroConeT(friction.shape[0]), *[clarabel.SecondOrderConeT(3)] * count],
    )
    return float(solution[-1])


def _solved(square: csc_matrix, line: Array, rows: csc_matrix, b: Array, cones: list[object]) -> Array:
    result = clarabel.DefaultSolver(square, line, rows, b, cones, solver_settings(refine=True)).solve()
    if str(result.status) not in SOLVED:
        raise StaticsError(f"how evenly the pieces press could not be decided ({result.status})")
    return np.array(result.x)


def _spread(assembly: Assembly, balance: Balance, level: Bools) -> tuple[Ints, Array, Array]:
    """Returns points all over the level contact areas: a row of the contacts they belong to (q,), their places (q, 3)
    in metres, and the area (q,) of each."""
    contacts = balance.contacts
    patches = np.unique(contacts.patch[level]).tolist()
    few = len(patches) <= MANY
    rows, points, areas = [], [], []
    for patch in patches:
        mine = np.flatnonzero(contacts.patch == patch)
        bodies = [assembly.bodies[at[mine[0]]] for at in (contacts.first, contacts.second)]
        corners = contacts.points[mine]
        height = float(corners[:, 2].mean())
        flat, area = _over(corners[:, :2], bodies, height, few, SLIVER * balance.length)
        rows.append(np.full(len(area), mine[0]))
        points.append(np.column_stack([flat, np.full(len(area), height)]))
        areas.append(area)
    return np.concatenate(rows), np.concatenate(points), np.concatenate(areas)


def _over(corners: Array, bodies: list[Body], height: float, few: bool, width: float) -> tuple[Array, Array]:
    """Returns points (q, 2) over a convex contact area and the area of each; only those on the faces of both bodies at
    that height, where these fill less than it. few: more points. width: of what has none."""
    if len(corners) == 1:
        return corners, np.array([width**2])
    if len(corners) == 2:
        places, share = PLACES[FINE, 0]
        length = float(np.linalg.norm(corners[1] - corners[0]))
        return corners[0] + places[:, None] * (corners[1] - corners[0]), width * length * share
    hull, faces = (
        shapely.Polygon(corners),
        [_face(body, height) for body in bodies if not is_convex(body.piece)],
    )
    common = shapely.intersection_all([hull, *faces]) if faces else hull
    along = FINE if few and len(corners) < ROUND else 1
    if common.area >= WHOLE * hull.area:
        return _fan(corners, *PLACES[FINE if few else 1, 1], along)
    bands = BANDS if few else BANDS // 4
    flat, area = _fan(corners, np.sqrt((np.arange(bands) + 0.5) / bands), np.full(bands, 1 / bands), along)
    inside = shapely.contains_xy(common, flat)
    return (flat[inside], area[inside]) if inside.any() else (flat, area)


def _fan(corners: Array, out: Array, share: Array, along: int) -> tuple[Array, Array]:
    """Returns points in the triangles between the middle and the sides, and the area of each: at some shares of the way
    out, as many along."""
    middle = np.array(shapely.Polygon(corners).centroid.coords[0])
    edges, sides = corners - middle, np.roll(corners, -1, axis=0) - corners
    areas = np.abs(edges[:, 0] * sides[:, 1] - edges[:, 1] * sides[:, 0]) / 2
    place, weight = PLACES[along, 0]
    spots = edges[:, None] + place[:, None] * sides[:, None]
    flat = middle + out[:, None, None, None] * spots
    return flat.reshape(-1, 2), (share[:, None, None] * (areas[:, None] * weight)).reshape(-1)


def _face(body: Body, height: float) -> shapely.Geometry:
    """Returns the level faces of a body at about a height, seen from above."""
    shapes = []
    near = SLIVER * float(body.piece.extents.min())
    for facet in body.piece.surface.facets:
        rings = [body.pose.apply(np.asarray(ring)) for ring in facet.rings]
        if np.abs(rings[0][:, 2] - height).max() <= near:
            shapes.append(shapely.Polygon(rings[0][:, :2], [ring[:, :2] for ring in rings[1:]]))
    return shapely.union_all(shapes)
