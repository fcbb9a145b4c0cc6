"""Margins of pieces that roll far before they fall: the pull grows, and they are followed to where they rest under it.

`rocking` judges by the curvature of the energy where the pieces are. A dome on a slope rests turned by as much as 90
degrees, on a boat's keel things fall where the curve of rests turns back; so here the pieces are moved along their
rolling motions, step by step (Newton's method on the energy, no step longer than contacts can follow), the gaps that a
finite step leaves are closed, and the contacts are found again. What finds no rest any more has fallen.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from teeter.engine.pose import Pose
from teeter.engine.tolerances import TOUCH_AT_REST
from teeter.engine.topple.balance.equilibrium import MAX_PULL, Balance, balance_of, wrenches_at
from teeter.engine.topple.balance.margins import horizontal, push_loads, top_piece
from teeter.engine.topple.balance.rocking import (
    BEYOND,
    FINEST,
    PRECISE,
    RockingBalance,
    cross_matrix,
    rocking_of,
    with_curves,
)
from teeter.engine.topple.balance.symmetry import ShapeSymmetry
from teeter.engine.topple.contact.arrays import Array
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.topple.contact.rounds import rounds_of
from teeter.engine.topple.resting import closing, gaps_of, moved
from teeter.engine.world.body import Assembly, Body, Vector, magnification
from teeter.engine.world.faces import is_round
from teeter.engine.world.pace import is_ball

MAX_SURFACES = 40
"""Curved surfaces of all pieces beyond which each look takes too long: a turned mesh of another program has
hundreds."""
LONGEST = np.radians(8.0)
"""Of a step: neighbouring facets are hardly further apart."""
FAR = 0.02
"""Of the size of the pieces: where a contact has rolled further before the fall the pieces are followed."""
SURELY = 0.9
"""Part of a margin under which pieces surely stand."""
ALIKE = 4e-3
"""Of a margin: another direction has to be this much worse to count."""
STILL = 1e-5
"""Radians: nearer to its rest nothing need be brought."""
FARTHEST = np.radians(30.0)
"""From one pull to the next: what rolls on is falling, or the pull grew too fast."""
OVER = float(np.cos(np.radians(89.0)))
"""Of the angle by which a piece leans from where it began: what lies on its side has fallen, and may rest there."""
STEPS = 30
CLOSINGS = 3
"""Looks at the gaps, the last without closing them: each round leaves the square of what was open."""
FIRST = 0.05
"""Of the weight: the first pull."""
GROWS = 2.0
NEARER = 0.8
"""Of the way to where rests seem to end."""
LEAST = 1e-3
"""Of the weight: a smaller pull is none."""
CLOSED = 1e-3
"""Of the gap at which things touch: what is open by less is closed."""

Pull = Callable[[Assembly, Balance, Array], Array]
"""The load (6 n,) of a pull (2,) on pieces where they are now."""


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Pieces at rest under a pull, and their balance there."""

    assembly: Assembly
    rocking: RockingBalance


@dataclass(frozen=True, slots=True, eq=False)
class RollingMargin:
    """distance: the least pull at which the pieces fall, in weights. direction: (2,) of it. balance, motion: of the
    pieces where they rested last, (6 n,) in which they fall from there. is_least: it is no less; more is not computed.
    """

    distance: float
    direction: Array
    balance: Balance
    motion: Array
    is_least: bool = False


def pulls_of(assembly: Assembly, balance: Balance) -> tuple[Pull, Pull, str]:
    """Returns the pull of a tilted table on all pieces, that at the top centre of the highest, and which that is."""
    piece, _ = push_loads(balance, assembly)
    top, height = top_piece(assembly)
    x, y, _ = top.pose.position
    # the push goes where that point of the piece goes
    local = (np.array([x, y, height]) - top.pose.position) @ top.pose.matrix
    at, (east, north) = balance.names.index(piece), horizontal(balance.down)

    def tilting(_: Assembly, now: Balance, pull: Array) -> Array:
        return now.load(pull[0] * east + pull[1] * north)

    def pushing(moved: Assembly, now: Balance, pull: Array) -> Array:
        wrench = np.zeros((len(now.names), 6))
        point = moved.free[at].pose.apply(local) / now.length
        wrench[at] = wrenches_at(point, now.centres[at], now.weights[at] * np.append(pull, 0.0))
        return wrench.reshape(-1)

    return tilting, pushing, piece


def margin_of(
    assembly: Assembly,
    rocking: RockingBalance,
    pull: Pull,
    friction: float | None,
    *,
    follow: bool,
    declared: Assembly | None = None,
) -> RollingMargin:
    """Returns how far a pull can grow in its worst direction before pieces that rock fall: by the curvature where they
    are and, where they roll too far for that and `follow` is wanted, by following them. friction: overrides every
    pair's. declared: where they were before they rolled to where they are."""
    balance = rocking.balance
    load = balance.acting
    more = np.stack([pull(assembly, balance, unit) for unit in np.eye(2)], axis=1)
    distance, direction = rocking.margin(load, more, MAX_PULL)
    kept, lost = (
        rocking.judged(load + more @ (share * distance * direction)) for share in (SURELY, 1 + BEYOND)
    )
    # where contacts have rolled away by then they hold in other directions than here
    is_far = lost.is_far or (kept.stands and rocking.travel(kept.motion) > FAR)
    # forces at a place would have to go where the pieces go
    if follow and is_far and not len(balance.pulled):
        follower = _Follower(assembly, balance, pull, friction, declared or assembly)
        followed = follower.margin(float(np.arctan2(*direction[::-1])), MAX_PULL)
        if followed is not None and followed.distance > distance:
            return followed
    return RollingMargin(distance, direction, balance, lost.motion, is_far)


def rest_under(assembly: Assembly, gravity: Vector) -> Assembly | None:
    """Returns where pieces come to rest that touch on curves and rest on a level table, when it is tilted slowly until
    gravity (m/s^2) pulls like that; None where nothing rolls, or something falls."""
    x, y, z = gravity
    if not (x or y) or z >= 0.0:
        return None
    contacts = find_contacts(assembly)
    rocking = rocking_of(assembly, contacts, (0.0, 0.0, -1.0), None) if contacts.meet else None
    if rocking is None or not rocking.can_roll or len(rocking.balance.pulled):
        return None
    tilting, _, _ = pulls_of(assembly, rocking.balance)
    if not rocking.judged(rocking.balance.acting).stands:
        return None
    follower = _Follower(assembly, rocking.balance, tilting, None, assembly)
    rest = follower.rest_at(np.array([x, y]) / -z)
    return None if rest is None else rest.assembly


class _Follower:
    """Follows pieces that roll under pulls of one kind. declared: where they were before they rolled."""

    def __init__(
        self, assembly: Assembly, balance: Balance, pull: Pull, friction: float | None, declared: Assembly
    ) -> None:
        x, y, z = balance.down.tolist()
        # of what is round the axis counts, about which it may roll; of a ball of one weight nothing
        lines = [
            None
            if is_ball(body.piece) and not np.any(body.piece.centre_of_mass)
            else body.pose.matrix[:, 2] @ body.pose.matrix
            if is_round(body.piece)
            else body.pose.matrix[2]
            for body in declared.free
        ]
        self._lines = [
            (line, None if line is None else body.pose.matrix @ line)
            for line, body in zip(lines, declared.free, strict=True)
        ]
        self._gravity, self._friction, self._pull = (x, y, z), friction, pull
        self._shapes = ShapeSymmetry(assembly)
        self._gap = TOUCH_AT_REST.gap * magnification(assembly.bodies)
        self._start = self._placed(assembly)

    def margin(self, first: float, most: float) -> RollingMargin | None:
        """Returns the least pull of any direction that moves the pieces on and on, up to `most`; None where that is
        not found. first: radians, the direction in which they yield most."""
        if self._start is None:
            return None
        best, angle, place = most, first, self._start
        looked: list[float] = []
        for bearing in self._unlike(looked, first + np.arange(4) * np.pi / 2):
            distance, rest = self._followed(bearing, best)
            if distance < best:
                best, angle, place = distance, bearing, rest
        if not 0 < best < most:
            return None
        step = np.pi / 4
        while step > FINEST:
            around = np.array([angle - step, angle + step])
            sides = [(*self._followed(side, best), side) for side in self._unlike(looked, around)]
            distance, rest, bearing = min(sides, key=lambda side: side[0], default=(best, place, angle))
            if distance >= best:
                break
            best, angle, place, step = distance, bearing, rest, step / 2
        direction = np.array([np.cos(angle), np.sin(angle)])
        # the motion that begins just beyond it, from where the pieces rested just before
        motion = place.rocking.judged(self._load(place, (1.0 + BEYOND) * best * direction)).motion
        return RollingMargin(best, direction, place.rocking.balance, motion)

    def _unlike(self, looked: list[float], bearings: Array) -> Iterator[float]:
        """Yields the bearings that are like none that was looked at, and adds them to those."""
        for bearing in bearings.tolist():
            if self._gravity[:2] != (0.0, 0.0) or not any(
                self._shapes.are_alike(each, bearing) for each in looked
            ):
                looked.append(bearing)
                yield bearing

    def rest_at(self, pull: Array) -> _Place | None:
        """Returns where the pieces rest under a pull (2,) that grows from nothing; None where they fall before."""
        if self._start is None:
            return None
        high = float(np.linalg.norm(pull)) / (1 - ALIKE)
        distance, place = self._followed(float(np.arctan2(*pull[::-1])), high)
        return place if distance >= high else None

    def _followed(self, angle: float, high: float) -> tuple[float, _Place]:
        """Returns how far a pull in one direction can grow, `high` if no less, and where the pieces rested last."""
        unit = np.array([np.cos(angle), np.sin(angle)])
        place, low, step, stiff = self._start, 0.0, FIRST, 0.0
        assert place is not None
        while step > PRECISE * max(low, LEAST):
            at = min(low + step, (1 - ALIKE) * high)
            rest = self._rest(place, at * unit)
            if rest is None:
                # close to where no rest is left a long step goes past the one there is
                step = (at - low) / 4
            elif at >= (1 - ALIKE) * high:
                return high, rest
            else:
                softer = self._stiffness(rest, at * unit)
                step = GROWS * step
                if 0.0 < softer < stiff:
                    # where rests end, the square of the stiffness goes to nothing as straight as the pull grows
                    left = (at - low) * softer / (stiff - softer)
                    step = min(step, max(NEARER * left, 2 * PRECISE * at))
                place, low, stiff = rest, at, softer
        return low, place

    def _stiffness(self, place: _Place, pull: Array) -> float:
        """Returns how much more of a pull (2,) turns pieces at rest by so much, squared; 0 where nothing turns."""
        motions = [place.rocking.downhill(self._load(place, times * pull)) for times in (1.0, 1.001)]
        if motions[0] is None or motions[1] is None:
            return 0.0
        turn = float(np.linalg.norm((motions[1] - motions[0]).reshape(-1, 6)[:, 3:]))
        return float(pull @ pull) / turn**2 if turn > STILL**2 else 0.0

    def _rest(self, place: _Place, pull: Array) -> _Place | None:
        """Returns where pieces come to rest under a pull (2,) that rested under a smaller one; None where they fall."""
        left = FARTHEST
        for _ in range(STEPS):
            load = self._load(place, pull)
            motion = place.rocking.downhill(load)
            if motion is None:
                return None
            turned = motion.reshape(-1, 6)
            angle = float(np.linalg.norm(turned[:, 3:], axis=1).max(initial=0.0))
            if angle <= STILL:
                return place if place.rocking.judged(load).stands else None
            left -= min(angle, LONGEST)
            further = self._placed(_rolled(place, min(1.0, LONGEST / angle) * turned))
            if further is None or left < 0 or self._is_over(further):
                return None
            place = further
        return None

    def _is_over(self, place: _Place) -> bool:
        """Returns whether a piece lies on its side."""
        return any(
            line is not None and float((body.pose.matrix @ line) @ before) < OVER
            for body, (line, before) in zip(place.assembly.free, self._lines, strict=True)
        )

    def _load(self, place: _Place, pull: Array) -> Array:
        balance = place.rocking.balance
        load = balance.load(balance.down) + self._pull(place.assembly, balance, pull)
        return np.asarray(load / max(1.0, float(np.linalg.norm(pull))))

    def _placed(self, assembly: Assembly) -> _Place | None:
        """Returns pieces with the gaps between them closed, and their balance; None where a curve is not known."""
        if sum(len(rounds_of(body.piece)) for body in assembly.bodies) > MAX_SURFACES:
            return None
        contacts = find_contacts(assembly, self._gap)
        for left in reversed(range(CLOSINGS)):
            rolling = with_curves(assembly, contacts)
            if rolling is None or not len(rolling.contacts.points):
                return None
            gaps = np.append(gaps_of(assembly, contacts) if len(contacts.points) else [], rolling.gaps)
            if left and float(np.abs(gaps).max()) > CLOSED * self._gap:
                assembly = moved(assembly, closing(assembly, rolling.contacts, gaps))
                # which curves meet stays so by the little that was open; points of flat faces go with them
                if len(contacts.points):
                    contacts = find_contacts(assembly, self._gap)
                continue
            balance = balance_of(assembly, rolling.contacts, gravity=self._gravity, friction=self._friction)
            return _Place(assembly, RockingBalance(balance, rolling.mobility))
        return None


def _rolled(place: _Place, motion: Array) -> Assembly:
    """Returns the pieces moved along (n, 6), metres over the length of the balance and radians. Each contact goes on
    meanwhile: what turns about a third of that way, and is brought together then, has rolled but for the fifth power of
    the turn, whether a board rolls on a cylinder or the other way round."""
    balance = place.rocking.balance
    slides = -np.cross(*place.rocking.shifts(motion)) / 3
    free = np.eye(len(motion) + 1)[:, :-1]
    motion = motion.copy()
    motion[:, :3] += np.linalg.lstsq(free[balance.first] - free[balance.second], slides, rcond=None)[0]
    velocity = dict(zip(balance.names, motion, strict=True))
    bodies = []
    for body in place.assembly.bodies:
        if not body.fixed:
            shift, spin = balance.length * velocity[body.name][:3], velocity[body.name][3:]
            body = body.at(carried_on(body, (shift[0], shift[1], shift[2]), (spin[0], spin[1], spin[2]), 1.0))
        bodies.append(body)
    return Assembly(place.assembly.name, tuple(bodies))


def carried_on(body: Body, velocity: Vector, spin: Vector, time: float) -> Pose:
    """Where a body is after so many seconds of one steady screw motion (velocity of its centre of mass, m/s,
    and spin, rad/s): the exponential of the twist."""
    angle = np.asarray(spin) * time
    size = float(np.linalg.norm(angle))
    turn = cross_matrix(angle)
    if size < 1e-8:
        about, along = turn, np.eye(3)
    else:
        about = np.sin(size) / size * turn + (1 - np.cos(size)) / size**2 * turn @ turn
        along = (
            np.eye(3) + (1 - np.cos(size)) / size**2 * turn + (size - np.sin(size)) / size**3 * turn @ turn
        )
    centre = body.centre_of_mass
    arm = np.asarray(body.pose.position) - centre
    position = centre + along @ (np.asarray(velocity) * time) + arm + about @ arm
    return Pose.of(position, body.pose.matrix + about @ body.pose.matrix)
