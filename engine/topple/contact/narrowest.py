"""Where the gap between two sets of curved surfaces is narrowest: a search over one of them, polished by Newton."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from teeter.engine.topple.contact.arrays import Array
from teeter.engine.topple.contact.rims import Rim
from teeter.engine.topple.contact.rounds import Round

STEPS = 30
SWITCHES = 4
"""Times the narrowest gap may lie on another band of a turned piece than the one it was looked for on."""
SHARES = 5
"""Places along each band at which is looked first."""
TURNS = 48
STARTS = 12
"""Turns, of those, from which the search goes on: a ball in a cup touches all round."""
LOOKS = 36
FOUND = 1e-6
"""Of the profile's length, and radians: so near Newton's method needs no more looks."""
CLOSE = 0.15
"""Of the smaller piece's size: where a coarse look may lie from the true point of contact."""
APART = 0.04
"""Of the smaller piece's size: starts nearer to each other lead to the same place."""
POLISHED = 0.1
"""Of the smaller piece's size: what is polished stays this near."""
LOST = 3 * POLISHED
"""Of the smaller piece's size: what has gone so far does not come back."""
OPPOSITE = 1e-6
"""The cosine between outward normals of surfaces that touch is this close to -1; searched only, the hundredfold."""
FAN = 0.3
"""Smooth bands turn by twice this much at most where they meet, radians."""
DEEPEST = 2.0
"""Times the gap."""
AROUND = np.array([(0.0, 0.0), *((i, j) for i in (-1.0, 0.0, 1.0) for j in (-1.0, 0.0, 1.0) if i or j)])
CENTRE = 0


@dataclass(frozen=True, slots=True, eq=False)
class Narrowest:
    """place: (3,). normal: (3,) outwards of the second surface. second: (3, 3), the second derivative of the gap. gap:
    metres, negative inside each other. spacing: metres to the next one of many round a circle; 0 where alone."""

    place: Array
    normal: Array
    second: Array
    gap: float
    spacing: float = 0.0


def narrowest(
    surfaces: Sequence[Round], others: Sequence[Round], box: tuple[Array, Array], gap: float, size: float
) -> list[Narrowest]:
    """Returns where the gap has a minimum of `gap` metres at most, either way: on a circle that touches all round,
    points all round it. size: of the smaller piece, metres.

    box: lower and upper corner of what the others fill.
    """
    minima, circles = list[Narrowest](), list[Rim]()
    for start in _searched(surfaces, others, box, gap, size):
        if any(circle.misses(start) <= POLISHED * size for circle in circles):
            continue
        point = start
        for _ in range(SWITCHES):
            pair = _nearest(surfaces, point, gap), _nearest(others, point, gap)
            point = _newton(*pair, point, start, size)
            is_lost = float(np.linalg.norm(point - start)) > LOST * size
            if is_lost or (pair[0].covers(point, gap) and pair[1].covers(point, gap)):
                break
        is_polished = float(np.linalg.norm(point - start)) <= POLISHED * size
        touch = _touch(*pair, point, gap, OPPOSITE) if is_polished else None
        if touch is None:
            pair = _nearest(surfaces, start, gap), _nearest(others, start, gap)
            touch = _touch(*pair, start, gap, 100 * OPPOSITE)
        if touch is None:
            continue
        circle, round_it = _all_round(pair, touch, gap, size)
        minima += round_it or [touch]
        circles += [circle] if round_it else []
    return minima


def _all_round(
    pair: tuple[Round, Round], touch: Narrowest, gap: float, size: float
) -> tuple[Rim, list[Narrowest]]:
    """Returns the circle about the axis of either surface on which a point lies, and points all round it if the gap is
    the same on all of it."""
    for surface in pair:
        foot = surface.origin + float((touch.place - surface.origin) @ surface.axis) * surface.axis
        radius = float(np.linalg.norm(touch.place - foot))
        circle = Rim(foot, surface.axis, radius, np.zeros((2, 2)), None)
        if radius <= APART * size:
            continue
        places = circle.at(circle.all_round)
        gaps = pair[0].near(places, gap) + pair[1].near(places, gap)
        if not np.isfinite(gaps).all() or np.ptp(gaps) > gap / 4:
            continue
        found = [_touch(*pair, place, gap, 100 * OPPOSITE) for place in places]
        touches = [replace(each, spacing=circle.spacing) for each in found if each is not None]
        if len(touches) == len(places):
            return circle, touches
    return circle, []


def _touch(surface: Round, other: Round, point: Array, gap: float, opposite: float) -> Narrowest | None:
    mine, out, bent = surface.distance(point)
    theirs, back, other_bent = other.distance(point)
    # anywhere along the normal the surfaces lie opposite each other: the point has to be between them
    if abs(mine + theirs) > gap or abs(mine - theirs) > gap or float(out @ back) > -1 + opposite:
        return None
    if not (surface.covers(point, gap) and other.covers(point, gap)):
        return None
    return Narrowest(point, back, bent + other_bent, mine + theirs)


def _nearest(rounds: Sequence[Round], point: Array, gap: float) -> Round:
    away = [abs(float(surface.near(point[None], gap)[0])) for surface in rounds]
    return rounds[int(np.argmin(away))]


def _newton(surface: Round, partner: Round, point: Array, start: Array, size: float) -> Array:
    """Newton's method for the point between two surfaces at which their gap is least, as long as it stays about where
    it started."""
    for _ in range(STEPS):
        mine, out, bent = surface.distance(point)
        theirs, back, other_bent = partner.distance(point)
        step = np.linalg.lstsq((bent + other_bent) * size, -(out + back) * size, rcond=1e-6)[0]
        step = step * min(1.0, 0.05 * size / max(float(np.linalg.norm(step)), 1e-300))
        point = point + step - (mine - theirs) / 2 * out
        if np.linalg.norm(step) <= 1e-9 * size or np.linalg.norm(point - start) > LOST * size:
            break
    return point


def _searched(
    surfaces: Sequence[Round], others: Sequence[Round], box: tuple[Array, Array], gap: float, size: float
) -> list[Array]:
    """Points of the surfaces that lie lowest over the others, among their neighbours along and around."""
    room, candidates = CLOSE * size, list[Array]()
    shares, turns = np.linspace(0.0, 1.0, SHARES), np.arange(TURNS) * 2 * np.pi / TURNS

    def heights(points: Array, reach: float) -> Array:
        inside = np.all((points >= box[0] - reach) & (points <= box[1] + reach), axis=1)
        lowest = np.full(len(points), np.inf)
        if inside.any():
            gaps = np.array([other.near(points[inside], gap, FAN) for other in others])
            nearest = np.take_along_axis(gaps, np.argmin(np.abs(gaps), axis=0)[None], axis=0)[0]
            # bodies that touch are not deep in each other: that is a band beyond its place
            lowest[inside] = np.where(nearest < -DEEPEST * gap, -nearest, nearest)
        return lowest

    for surface in surfaces:
        grid = np.array([(share, turn) for turn in turns for share in shares])
        first = heights(surface.at(grid[:, 0], grid[:, 1]), room).reshape(STARTS, -1)
        best = np.argmin(first, axis=1)
        rows = np.flatnonzero(np.abs(first[np.arange(STARTS), best]) <= room)
        if not len(rows):
            continue
        at = grid.reshape(STARTS, -1, 2)[rows, best[rows]]
        width = np.tile([shares[1], turns[1]], (len(at), 1))
        for _ in range(LOOKS):
            trials = at[:, None] + AROUND * width[:, None]
            trials[..., 0] = np.clip(trials[..., 0], 0.0, 1.0)
            flat = trials.reshape(-1, 2)
            values = heights(surface.at(flat[:, 0], flat[:, 1]), room).reshape(len(at), -1)
            lowest = np.argmin(values, axis=1)
            at = trials[np.arange(len(at)), lowest]
            width[lowest == CENTRE] /= 2
            if (width < FOUND).all():
                break
        points = surface.at(at[:, 0], at[:, 1])
        away = heights(points, room)
        candidates += list(points[np.abs(away) <= DEEPEST * gap])
    kept: list[Array] = []
    for point in (candidates[at] for at in np.argsort(heights(np.array(candidates).reshape(-1, 3), room))):
        if all(float(np.linalg.norm(point - other)) > APART * size for other in kept):
            kept.append(point)
    return kept
