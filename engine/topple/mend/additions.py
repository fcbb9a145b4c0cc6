"""Pieces taken away or laid on top, weights, friction, props.

Weights: what does not hold has a mechanism, and a mechanism's power names the least weight that stops it; they are
gathered until that weight holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from statistics import median

import numpy as np
import shapely

from teeter.engine.geometry.drop import DropTarget
from teeter.engine.pose import Pose, vector_of
from teeter.engine.topple.balance.equilibrium import Balance, free_numbers
from teeter.engine.topple.contact.arrays import Array, crossed
from teeter.engine.topple.contact.detection import Contacts, contacts_with_copies
from teeter.engine.topple.contact.features import corners_of, of_bodies
from teeter.engine.topple.mend.changes import PROP_SIDE, Change, changed, effort_of, prop_of
from teeter.engine.topple.mend.known_falls import LOOSE, MIN_POWER, SURE, parting_of
from teeter.engine.topple.mend.places import MovedPieces, Place
from teeter.engine.topple.mend.task import MOST, NEAREST, PRECISE, Search, Tried
from teeter.engine.world.body import Assembly, Body
from teeter.models.material import pair_coefficient

MOST_WEIGHT = 20.0
"""Times the mass of the median piece."""
MOST_MECHANISMS = 40
"""That are gathered for one weight."""
BEYOND = 1e-4
"""Of the least weight: so much more is laid on."""
FRICTIONS = (1.05, 1.15, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0)
"""Times the friction of a piece."""
MOST_FRICTION = 1.2
"""Coefficient of a piece: beyond rubber on dry wood nothing is promised."""
SPOTS = 9
"""MovedPieces along each side of the outline in which a piece is tried on top."""


def remove(search: Search, names: tuple[str, ...], limit: float) -> Tried:
    """The scene without a piece on which none rests."""
    change = Change("remove", names)
    if effort_of(search.assembly, change) >= limit:
        return [], 0
    after = changed(search.assembly, change)
    return ([change] if after.free and search.demand.holds(after) else []), 1


def place(search: Search, names: tuple[str, ...], limit: float) -> Tried:
    """The nearest spot at another height, wherever the piece comes to lie there."""
    body = next(body for body in search.assembly.free if body.name == names[0])
    others = [other for other in search.assembly.bodies if other.name != body.name]
    free = [corners_of(other)[:, :2] for other in others if not other.fixed]
    if not free:
        return [], 0
    target, start = DropTarget.of(others), np.array(body.pose.position)
    corners = np.concatenate(free)
    axes = [
        np.linspace(low, high, SPOTS)
        for low, high in zip(corners.min(axis=0), corners.max(axis=0), strict=True)
    ]
    spots = []
    for x in axes[0].tolist():
        for y in axes[1].tolist():
            there = target.dropped(body.at(Pose((x, y, float(start[2])), body.pose.orientation)))
            shift = None if there is None else np.array(there.pose.position) - start
            if shift is not None and NEAREST * search.size < abs(shift[2]):
                spots.append(Place(*shift.tolist()))
    spots.sort(key=lambda spot: float(np.linalg.norm(spot.shift)))
    spots = [spot for spot in spots if np.linalg.norm(spot.shift) < limit]
    places = MovedPieces(search, names)
    good = places.first_good(spots)
    return ([] if good is None else [Change("place", names, vector_of(good.shift))]), places.asked


def weight(search: Search, names: tuple[str, ...], limit: float) -> Tried:
    """The least weights, on open tops of all pieces. Where no contact changes a mechanism stays one, whatever is laid
    on: its power, over that of a unit of weight at a point, is the least that stops it there."""
    points = [
        (name, point)
        for body in search.assembly.free
        if (name := body.name) in names
        for point in _tops(search.assembly, body)
    ]
    known = [search.motion]
    if search.contacts.curved:
        return [], 0
    strict, pull = search.demand.strict(search.contacts), float(np.linalg.norm(search.demand.gravity))
    best: dict[str, Change] = {}
    asked = 0
    typical = float(median([body.piece.mass for body in search.assembly.free]))
    least = {at: _least(search, known, *points[at]) for at in range(len(points))}
    while least:
        at = min(least, key=lambda at: (round(least[at], 9), at))
        name, point = points[at]
        mass = (1 + BEYOND) * least[at] * search.balance.force / pull
        done = len(best) >= MOST or len(known) > MOST_MECHANISMS
        if done or not 0 < mass <= MOST_WEIGHT * typical:
            break
        if name in best:
            del least[at]
            continue
        change = Change("add_mass", (name,), amount=mass, point=vector_of(point))
        after = changed(search.assembly, change)
        balance = search.demand.balance(after, strict)
        asked += 1
        motion = search.demand.fall_of(balance)
        if motion is None:
            best[name] = change
            del least[at]
        elif not np.any(motion):
            del least[at]
        else:
            known.append(_in_units(search, balance, motion))
            tried = (1 + BEYOND) * least[at]
            least = {
                piece: max(old, _least(search, known[-1:], *points[piece])) for piece, old in least.items()
            }
            if least[at] <= tried:
                del least[at]
    return list(best.values()), asked


def _least(search: Search, motions: Sequence[Array], name: str, point: Array) -> float:
    """Returns the least weight at a point (metres) of a piece that stops mechanisms (n, 6), in units of the balance;
    infinite where none does."""
    balance = search.balance
    at = balance.names.index(name)
    arm = point / balance.length - balance.centres[at]
    least = 0.0
    for rows in motions:
        for down in search.demand.pulls(balance):
            power = float(replace(balance, down=down).acting @ rows.reshape(-1))
            stopping = -float(down @ (rows[at, :3] + crossed(rows[at, 3:], arm)))
            if power > MIN_POWER * float(np.abs(rows).max()):
                least = max(least, power / stopping if stopping > 0 else math.inf)
    return least


def _in_units(search: Search, balance: Balance, motion: Array) -> Array:
    """Returns a motion (6 n,) of another balance of the same pieces, with other masses, as rows of the search's."""
    rows, mine = motion.reshape(-1, 6).copy(), search.balance
    apart = mine.centres * mine.length - balance.centres * balance.length
    rows[:, :3] = (rows[:, :3] * balance.length + crossed(rows[:, 3:], apart)) / mine.length
    return rows


def _tops(assembly: Assembly, body: Body) -> list[Array]:
    """Returns where a weight may lie on a piece, below nothing else: in the middle of its top, half-way to its sides
    and corners, and near them."""
    corners = corners_of(body)
    high = float(corners[:, 2].max())
    middle, ends = _outline(corners[corners[:, 2] > high - 1e-6])
    every = np.array([middle, *((middle + ends) / 2), *(0.1 * middle + 0.9 * ends)])
    is_open = np.ones(len(every), dtype=np.bool_)
    for other in assembly.bodies:
        above = corners_of(other)
        if other.name != body.name and above[:, 2].max() > high + 1e-6:
            is_open &= ~shapely.contains_xy(shapely.MultiPoint(above[:, :2]).convex_hull, every[:, :2])
    return list(every[is_open])


def _outline(points: Array) -> tuple[Array, Array]:
    """Returns the middle of a level face of some corners, and the middles of its sides followed by its corners."""
    corners = np.unique(points.round(9), axis=0)
    middle = corners.mean(axis=0)
    corners = corners[np.argsort(np.arctan2(*(corners - middle)[:, 1::-1].T), kind="stable")]
    return middle, np.concatenate([(corners + np.roll(corners, 1, axis=0)) / 2, corners])


def friction(search: Search, names: tuple[str, ...], limit: float) -> Tried:
    """The least friction of each piece, where more of it helps at all."""
    asked = 0

    def holds(value: float, *pieces: str) -> bool:
        nonlocal asked
        asked += 1
        after = search.assembly
        for name in pieces:
            after = changed(after, Change("friction", (name,), amount=value))
        return search.demand.holds(after)

    known = {body.name: body.piece.material.friction for body in search.assembly.bodies}
    low = [name for name in names if 0 < known[name] < MOST_FRICTION]
    changes: list[Change] = []
    for name in low if low and holds(MOST_FRICTION, *low) else ():
        if holds(MOST_FRICTION, name):
            values = [value for factor in FRICTIONS if (value := known[name] * factor) < MOST_FRICTION]
            least = nearest_of(lambda value: holds(value, name), [*values, MOST_FRICTION], known[name])  # noqa: B023
            if least is not None:
                # to what is told of it
                changes.append(Change("friction", (name,), amount=math.ceil(1e3 * least) / 1e3))
    return changes, asked


def prop(search: Search, names: tuple[str, ...], limit: float) -> Tried:
    """A post below a piece that comes down, from the support under it; not through others."""
    assembly = search.assembly
    if effort_of(assembly, Change("prop", names[:1])) >= limit:
        return [], 0
    posts = [change for name in names for change in _posts(search, name)]
    bodies = [replace(prop_of(assembly, post), name=f"{at}\npost") for at, post in enumerate(posts)]
    joint = contacts_with_copies(assembly.bodies, bodies, of_bodies((*assembly.bodies, *bodies)))
    inside = {name for one in joint.overlaps for name in (one.first, one.second)}
    owner = np.maximum(joint.first, joint.second) - len(assembly.bodies)
    props = dict[str, Change]()
    for at, (body, post) in enumerate(zip(bodies, posts, strict=True)):
        if len(props) == MOST or post.pieces[0] in props or body.name in inside:
            continue
        own = joint.some(np.flatnonzero(owner == at))
        falls = not joint.curved and any(_goes_on(search, motion, own, body) for motion in search.falls)
        if not falls and search.demand.holds(changed(assembly, post)):
            props[post.pieces[0]] = post
    return list(props.values()), len(posts)


def _goes_on(search: Search, motion: Array, own: Contacts, post: Body) -> bool:
    """Returns whether a fall (n, 6) goes on over a post. own: the contacts of the post."""
    balance, bodies = search.balance, search.assembly.bodies
    free = free_numbers(np.array([body.fixed for body in bodies] + [True]))
    first, second = (free[np.minimum(side, len(bodies))] for side in (own.first, own.second))
    parting = parting_of(motion[None], balance.centres, own.points / balance.length, first, second)[0]
    away = np.einsum("ki,ki->k", parting, own.normals)
    across = np.linalg.norm(parting - away[:, None] * own.normals, axis=1)
    other = np.minimum(own.first, own.second)
    frictions = np.array([body.piece.material.friction for body in bodies])[other]
    rubbing = pair_coefficient(frictions, post.piece.material.friction) / search.demand.friction_factor
    is_free = bool(np.all(away - rubbing * across >= -LOOSE))
    return is_free and any(
        float(replace(balance, down=down).acting @ motion.reshape(-1)) > SURE
        for down in search.demand.pulls(balance)
    )


def _posts(search: Search, name: str) -> Iterator[Change]:
    """Yields posts below a piece, well inside the sides and then the corners of what it stands on; first where it comes
    down fastest."""
    body = next(body for body in search.assembly.free if body.name == name)
    corners, side = corners_of(body), PROP_SIDE * search.size
    low = float(corners[:, 2].min())
    middle, every = _outline(corners[corners[:, 2] < low + 1e-6])
    at = search.balance.names.index(name)
    for ends in np.split(every, 2):
        ways = middle - ends
        far = np.linalg.norm(ways, axis=1)
        points = ends[far > side] + ways[far > side] * (0.75 * side / far[far > side, None])
        arms = points / search.balance.length - search.balance.centres[at]
        rises = (search.motion[at, :3] + np.cross(search.motion[at, 3:], arms))[:, 2].round(9)
        for number in np.argsort(rises, kind="stable").tolist():
            height = low - _floor_under(search.assembly, points[number])
            if rises[number] <= 0 and side / 4 <= height < math.inf:
                yield Change("prop", (name,), point=vector_of(points[number]), height=height)


def _floor_under(assembly: Assembly, point: Array) -> float:
    """Returns the height of the support under a point, metres; minus infinity where there is none."""
    height = -math.inf
    for corners in (corners_of(body) for body in assembly.bodies if body.fixed):
        low, high = corners.min(axis=0), corners.max(axis=0)
        if np.all(low[:2] <= point[:2]) and np.all(point[:2] <= high[:2]) and high[2] < point[2]:
            height = max(height, float(high[2]))
    return height


def nearest_of(is_good: Callable[[float], bool], values: Sequence[float], low: float) -> float | None:
    """Returns the least number that is good between the first good one of some ascending values and the one before;
    None when none is. low: where nothing is changed."""
    for high in values:
        if is_good(high):
            while high - low > PRECISE * high:
                middle = (low + high) / 2
                low, high = (low, middle) if is_good(middle) else (middle, high)
            return high
        low = high
    return None
