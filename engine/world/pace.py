"""How finely a step is taken: from how fast things come together, and how thin they are.

An engine looks where bodies are, step by step: what goes far in one step is through a thing before it is seen, or deep
inside. So a step in which something may be struck fast is taken in several parts. What stands, creeps or is
carried is simulated in whole steps: nothing comes together there. Only the state decides, so a game played again takes
the same parts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from teeter.engine.geometry.rotation import matrices_of
from teeter.engine.settings import GRAVITY
from teeter.engine.world.body import Body, Contact, Scale
from teeter.engine.world.faces import is_round
from teeter.models.hulls import convex_hull
from teeter.models.piece import Array, Part, Piece

QUIET = 0.0165
"""Of the median piece (0.5 mm at the games' size): what two bodies may come together by in a step that is taken whole.
0.12 m/s, less than anything has that fell by 1 mm; where nothing is faster, pairs are not looked at."""
JOSTLING = 0.06
"""Of the median piece (1.8 mm at the games' size): the same for two whose boxes lie in one another, as those of the
stones of an arch do. All of their motion counts, most of which is along each other."""
DEPTH = 0.0145
"""Of the median piece (0.44 mm at the games' size): by how much bodies may go into each other before that is seen."""
THIRD = 1.0 / 3.0
"""Of the thinner of two bodies: by how much it may be gone into at most."""
CROWD = 40
"""Parts of a step times bodies that are about to strike: beyond that they may go in deeper, up to `THIRD`. A few that
fall are stepped as finely as their depth asks for, a whole tower that comes down in real time."""
PARTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
"""Parts a step may be taken in, few numbers so that they seldom change; the most are for a card of 0.3 mm that is
struck at 6 m/s."""
ROLLING_PARTS = 4
"""At least, where something round moves: it climbs over the corners of a polygon, and in whole steps loses 4 % of its
speed in a second to them; 0.3 % in four parts."""
LYING = 0.0165
"""Of the median piece (0.5 mm at the games' size): by how much boxes around bodies overlap at most that lie on each
other or slide; what overlaps more along every axis may meet anyhow."""


@dataclass(slots=True)
class Pace:
    """What a world knows of how fast it is, from one step to the next; snapshots keep it.

    quiet: m/s, below which nothing is fast. fastest: m/s, about which the fastest point of any body is
    no faster in the next step, but for what flies; infinite where that is to be found out. clear: whole steps before
    what flies may meet anything, 0 where nothing does; spinning: the names of what flies and turns fast. parts: of the
    last step. passing: contacts of what pressed in a part of it that was not its last: what jumps up at once is gone at
    its end.
    """

    quiet: float
    fastest: float = math.inf
    clear: int = 0
    spinning: tuple[str, ...] = ()
    parts: int = 1
    passing: frozenset[Contact] = frozenset()

    @classmethod
    def of(cls, scale: Scale) -> Self:
        """Returns that of a new world."""
        return cls(QUIET * scale.size * scale.rate)

    def notice(self, piece: Piece, rate: int) -> None:
        """Take note of a body in a world of so many steps a second: beside a thin card less may go unseen."""
        self.quiet = min(self.quiet, THIRD * float(piece.extents.min()) * rate)

    @property
    def is_quiet(self) -> bool:
        """Whether the next step may be taken whole, and nothing has to be looked at."""
        return self.fastest <= self.quiet

    def look(self, fastest: float, gain: float) -> bool:
        """Take note of how fast the fastest point is, m/s, and of what it may gain in a step. Returns whether the step
        may be taken whole without a look at what meets: where it is half as fast as may go unseen."""
        is_slow = fastest <= 0.5 * self.quiet
        self.fastest, self.clear, self.spinning = fastest + gain if is_slow else math.inf, 0, ()
        return is_slow

    def fly(self, steps: int, fastest: float, gain: float, spinning: Iterable[str] = ()) -> None:
        """Take note that from now on what is fast meets nothing for so many steps: until then only the rest counts,
        whose fastest point has so many m/s and may gain so much in a step. spinning: names of what turns fast."""
        if steps > 1:
            self.fastest, self.clear, self.spinning = fastest + gain, steps - 1, tuple(spinning)

    def go_on(self, gain: float) -> None:
        """A whole step was taken without a look, in which speeds may have grown by so many m/s."""
        self.fastest += gain
        if self.clear:
            self.clear -= 1
            if not self.clear:
                self.fastest = math.inf

    def push(self, gain: float) -> None:
        """Something is pushed, or weighs otherwise: it may become so much faster, m/s."""
        self.fastest = math.inf if self.clear else self.fastest + gain

    def forget(self, name: str) -> None:
        """A body has left the world."""
        self.passing = frozenset(contact for contact in self.passing if name not in (contact.a, contact.b))

    def passed(self, contacts: Iterable[Contact], names: Iterable[str]) -> set[Contact]:
        """Returns the contacts of the last step, of some bodies, whose pairs are not among those that press now."""
        if not self.passing:
            return set()
        asked, pressing = set(names), {(contact.a, contact.b) for contact in contacts}
        return {
            contact
            for contact in self.passing
            if (contact.a, contact.b) not in pressing and asked & {contact.a, contact.b}
        }


@lru_cache(maxsize=1024)
def thickness(piece: Piece) -> float:
    """Returns the metres of the thinnest of the convex parts of a piece, across its faces."""
    return min(_thickness(part) for part in piece.parts)


def is_ball(piece: Piece) -> bool:
    """Returns whether a piece is one exact sphere, which looks alike however it turns."""
    return len(piece.parts) == 1 and piece.parts[0].kind == "sphere"


def is_box(piece: Piece) -> bool:
    """Returns whether a piece is one box."""
    return len(piece.parts) == 1 and piece.parts[0].kind == "box"


def _thickness(part: Part) -> float:
    if part.radius is not None:
        return 2 * part.radius
    if part.half_extents is not None:
        return 2 * float(part.half_extents.min())
    return float(np.ptp(part.vertices @ convex_hull(part.vertices).equations[:, :3].T, axis=0).min())


@dataclass(frozen=True, slots=True, eq=False)
class Shapes:
    """Of bodies, a row each: halves (n, 3) of their bounding boxes, radii (n,) at which they swing about the centre of
    mass, none for a ball; is_ball, is_round (n,): whether they look alike however they turn, or as they turn about z;
    thickness (n,). length: the median piece of the world. Metres. has_round: whether any does."""

    halves: Array
    radii: Array
    is_ball: NDArray[np.bool_]
    is_box: NDArray[np.bool_]
    is_round: NDArray[np.bool_]
    thickness: Array
    length: float
    has_round: bool


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Of a step. count: in how many it is to be taken, 1 where nothing comes together fast; striking (k,): rows of the
    bodies that may strike something fast in it. clear: steps, this one among them, in which nothing that is fast comes
    near anything; flying: the rows of that; slow: m/s, of the fastest of the rest."""

    count: int
    striking: NDArray[np.int_]
    clear: int = 0
    flying: frozenset[int] = frozenset()
    slow: float = 0.0


def parts_of_step(
    shapes: Shapes,
    positions: Array,
    quaternions: Array,
    velocities: Array,
    spins: Array,
    step: float,
    gravity: float,
) -> Parts:
    """Returns in how many parts a step of so many seconds is to be taken.

    positions (n, 3), quaternions (n, 4), velocities (n, 3), spins (n, 3): of all bodies, SI; zero for those that are
    fixed. gravity: m/s^2. Boxes around the bodies, as they lie now, decide who can meet: a pair that stays apart along
    an axis of either box does not, and one that lies together along an axis goes into each other by its closing speed
    there.
    """
    matrices = matrices_of(quaternions)
    if shapes.has_round:
        # what is round comes no nearer by turning about its axis
        round_axes = matrices[:, :, 2] * shapes.is_round[:, None]
        spins = spins - (spins * round_axes).sum(axis=1, keepdims=True) * round_axes
    swings = spins * shapes.radii[:, None]
    speeds = _norms(velocities) + _norms(swings)
    is_fast = speeds * step > 0.5 * min(QUIET * shapes.length, THIRD * 2.0 * float(shapes.halves.min()))
    fast = np.flatnonzero(is_fast)
    if not len(fast):
        return WHOLE
    # whose boxes along the axes of the world may come together
    reach = _reach(shapes, matrices, np.arange(len(speeds))[:, None], np.eye(3)) + step * speeds[:, None]
    away = np.abs(positions[None] - positions[fast][:, None])
    is_near = np.all(away < reach[fast][:, None] + reach[None], axis=2)
    is_near[np.arange(len(fast)), fast] = False
    if not is_near.any():
        clear = _clear_steps(shapes, positions, matrices, speeds, fast, step, gravity)
        slow = float(speeds[~is_fast].max(initial=0.0))
        return Parts(1, NOTHING, clear, frozenset(fast.tolist()), slow)
    least = ROLLING_PARTS if shapes.is_round[fast[is_near.any(axis=1)]].any() else 1
    one, other = np.nonzero(is_near)
    one = fast[one]
    depth, coming, is_inside = _meeting(shapes, positions, matrices, velocities, swings, step, one, other)
    thin = np.minimum(shapes.thickness[one], shapes.thickness[other])
    both = shapes.thickness[one] + shapes.thickness[other]
    flat = 2.0 * shapes.halves.min(axis=1)
    quiet = np.where(is_inside, JOSTLING, QUIET) * shapes.length
    quiet = np.minimum(quiet, THIRD * np.minimum(flat[one], flat[other]))
    # what lies in something already goes in by so much more, as it does on what gives or where it leans
    met = np.minimum(depth, coming + 0.25 * LYING * shapes.length)
    is_deep = met > np.minimum(quiet, 0.25 * both)
    if not is_deep.any():
        return Parts(least, NOTHING)
    depth, coming, thin, crowd = depth[is_deep], coming[is_deep], thin[is_deep], np.unique(one[is_deep])
    # what is in already may go in by so much less
    left = DEPTH * shapes.length - np.clip(depth - coming, 0.0, 0.75 * DEPTH * shapes.length)
    wanted = int(np.ceil((coming / left).max()))
    needed = int(np.ceil((coming / (THIRD * thin)).max()))
    parts = max(least, needed, min(wanted, CROWD // len(crowd)))
    return Parts(next((count for count in PARTS if count >= parts), PARTS[-1]), crowd)


NOTHING = np.zeros(0, dtype=int)
WHOLE = Parts(1, NOTHING)
"""A step in which nothing is fast."""


def _clear_steps(
    shapes: Shapes,
    positions: Array,
    matrices: Array,
    speeds: Array,
    fast: NDArray[np.int_],
    step: float,
    gravity: float,
) -> int:
    """Returns for how many steps spheres around what is fast stay clear of the boxes around everything else, while all
    comes together as fast as it can."""
    away = positions[fast][:, None] - positions[None]
    local = np.abs(np.einsum("knc,ncd->knd", away, matrices))
    gaps = np.linalg.norm(np.maximum(local - shapes.halves, 0.0), axis=2)
    gaps -= np.linalg.norm(shapes.halves[fast], axis=1)[:, None] + LYING * shapes.length
    closest = speeds[fast][:, None] + speeds[None]
    # the time in which a gap closes at a speed that grows as in a fall, for both
    times = 2.0 * gaps / (closest + np.sqrt(closest**2 + 4.0 * gravity * np.maximum(gaps, 0.0)))
    times[np.arange(len(fast)), fast] = np.inf
    return int(np.clip(times.min(initial=np.inf) / step, 0.0, MOST_CLEAR))


MOST_CLEAR = 10_000
"""Steps, where there is nothing to meet."""


def _meeting(
    shapes: Shapes,
    positions: Array,
    matrices: Array,
    velocities: Array,
    swings: Array,
    step: float,
    one: NDArray[np.int_],
    other: NDArray[np.int_],
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Returns by how much pairs of bodies (k,) may go into each other in a step, how far they come together, and
    whether their boxes lie in one another."""
    axes = np.concatenate([matrices[one].transpose(0, 2, 1), matrices[other].transpose(0, 2, 1)], axis=1)
    away = np.einsum("kac,kc->ka", axes, positions[other] - positions[one])
    gaps = np.abs(away) - _reach(shapes, matrices, one[:, None], axes)
    gaps -= _reach(shapes, matrices, other[:, None], axes)
    towards = velocities[one] - velocities[other]
    closing = np.sign(away) * np.einsum("kac,kc->ka", axes, towards)
    # what lies on something gains nothing
    closing += np.where(gaps > 0.0, step * GRAVITY, 0.0)
    for rows in (one, other):
        swing = swings[rows]
        # about an axis nothing swings along it
        along = np.einsum("kac,kc->ka", axes, swing)
        closing += np.sqrt(np.maximum((swing**2).sum(axis=1)[:, None] - along**2, 0.0))
    closing *= step
    is_apart: NDArray[np.bool_] = gaps > -LYING * shapes.length
    # boxes meet where they overlap least
    is_apart |= (shapes.is_box[one] & shapes.is_box[other])[:, None] & (gaps == gaps.max(axis=1)[:, None])
    depths = np.where(is_apart, closing - gaps, np.inf)
    rows, best = np.arange(len(depths)), depths.argmin(axis=1)
    depth, coming = depths[rows, best], closing[rows, best]
    is_inside = np.isinf(depth)
    if not is_inside.any():
        return depth, coming, is_inside
    # boxes around other things that overlap along every axis say nothing: then all of the motion counts
    whole = step * (_norms(towards) + _norms(swings[one]) + _norms(swings[other]))
    return np.where(is_inside, whole, depth), np.where(is_inside, whole, coming), is_inside


def _reach(shapes: Shapes, matrices: Array, rows: NDArray[np.int_], axes: Array) -> Array:
    """Returns how far (k, a) bodies reach from their middles: rows (k, 1), along axes (k, a, 3) or (a, 3)."""
    halves, which = shapes.halves[rows], rows[:, 0]
    local = np.abs(axes @ matrices[which])
    reach: Array = (local * halves).sum(axis=2)
    if not shapes.has_round:
        return reach
    across = np.sqrt(np.maximum(1.0 - local[..., 2] ** 2, 0.0))
    discs = local[..., 2] * halves[..., 2] + across * halves[..., :2].max(axis=2)
    reach = np.where(shapes.is_round[rows], discs, reach)
    return np.asarray(np.where(shapes.is_ball[rows], halves[..., 0], reach))


def _norms(rows: Array) -> Array:
    """Returns the lengths of rows (n, k), to the bit those of `numpy.linalg.norm`, in half the time."""
    return np.asarray(np.sqrt(np.add.reduce(rows * rows, axis=1)))


def shapes_of(bodies: Iterable[Body], radii: Iterable[float], scale: Scale) -> Shapes:
    """Returns the shapes of bodies in their order; radii: metres around their centres of mass."""
    pieces = [body.piece for body in bodies]
    return Shapes(
        0.5 * np.array([piece.extents for piece in pieces]).reshape(-1, 3),
        np.array([0.0 if is_ball(piece) else radius for piece, radius in zip(pieces, radii, strict=True)]),
        np.array([is_ball(piece) for piece in pieces], dtype=bool),
        np.array([is_box(piece) for piece in pieces], dtype=bool),
        np.array([is_round(piece) for piece in pieces], dtype=bool),
        np.array([thickness(piece) for piece in pieces]),
        scale.size,
        any(is_round(piece) or is_ball(piece) for piece in pieces),
    )
