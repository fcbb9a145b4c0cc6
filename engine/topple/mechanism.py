"""A mechanism: the velocities in which pieces begin to move, and what can be asked about them."""

from __future__ import annotations

from typing import Literal

import numpy as np

from engine.topple.contacts import Contacts
from engine.topple.features import of_piece
from engine.topple.margins import Velocities
from engine.topple.ragged import Array
from engine.world import Assembly, Body, Vector

TOGETHER = 0.02
"""Metres a second, of a mechanism whose fastest point makes 1: pieces that move apart by less move as one."""
HINGE = 0.05
"""The same, of points that stay where they are: an edge to tip over."""
ROCKS = 0.1
"""Of the fastest point's speed: more than this from turning about a horizontal axis is tipping, less is sliding."""
NARROW = 1e-4
"""Metres from a line within which points belong to it; shorter edges are corners."""

Kind = Literal["tips", "slides", "drops"]


class Mechanism:
    """Velocities of all bodies, scaled so that the fastest point makes 1 m/s. Metres, seconds, newtons."""

    def __init__(
        self, assembly: Assembly, velocities: Velocities, contacts: Contacts, gravity: Array
    ) -> None:
        self._bodies = {body.name: body for body in assembly.bodies}
        self._free = [body.name for body in assembly.free]
        self._velocities = velocities
        self._contacts = contacts
        self._gravity = gravity
        self._pairs = self._touching()

    def at(self, name: str, points: Array) -> Array:
        """Velocities (n, 3) of points (n, 3) of a body."""
        body = self._bodies[name]
        if body.fixed:
            return np.zeros_like(points)
        velocity, spin = map(np.array, self._velocities[name])
        moved: Array = velocity + np.cross(spin, points - body.pose.apply(body.piece.centre_of_mass))
        return moved

    def _touching(self) -> dict[tuple[str, str], Array]:
        """The contact points (n, 3) of each pair of bodies."""
        found: dict[tuple[str, str], list[Array]] = {}
        for one, other, point in zip(
            self._contacts.first, self._contacts.second, self._contacts.points, strict=True
        ):
            found.setdefault((self._contacts.names[one], self._contacts.names[other]), []).append(point)
        return {pair: np.array(points) for pair, points in found.items()}

    def _apart(self, pair: tuple[str, str]) -> float:
        """How fast two bodies move against each other, over the points of both."""
        points = np.concatenate(
            [_corners(self._bodies[name]) for name in pair if not self._bodies[name].fixed]
        )
        return float(np.linalg.norm(self.at(pair[0], points) - self.at(pair[1], points), axis=1).max())

    def speed(self, name: str) -> float:
        """Of a body's fastest corner."""
        if self._bodies[name].fixed:
            return 0.0
        return float(np.linalg.norm(self.at(name, _corners(self._bodies[name])), axis=1).max())

    def moving(self) -> tuple[str, ...]:
        """All pieces that move."""
        return tuple(name for name in self._free if self.speed(name) > TOGETHER)

    def as_one_with(self, name: str) -> tuple[str, ...]:
        """The pieces that move as one body with this one, joined by contacts, in the assembly's order."""
        joined = [pair for pair in self._pairs if self._apart(pair) <= TOGETHER]
        found, edge = {name}, [name]
        while edge:
            here = edge.pop()
            for pair in joined:
                for one, other in (pair, pair[::-1]):
                    if one == here and other not in found and not self._bodies[other].fixed:
                        found.add(other)
                        edge.append(other)
        return tuple(each for each in self._free if each in found)

    def joint(self, moves: tuple[str, ...]) -> tuple[str | None, tuple[Vector, Vector] | None]:
        """The lowest piece against which the moving ones turn or slide, and the edge about which they turn: contact
        points that stay together, the farthest two of them; neighbours in the same line lengthen it.
        """
        stay: dict[str, list[Array]] = {}
        beside: list[tuple[float, str]] = []
        for pair, points in self._pairs.items():
            inside = [name in moves for name in pair]
            if sum(inside) != 1:
                continue
            other = pair[inside.index(False)]
            apart = np.linalg.norm(self.at(pair[0], points) - self.at(pair[1], points), axis=1)
            stay.setdefault(other, []).extend(points[apart <= HINGE])
            beside.append((float(apart.min()), other))
        hinges = {name: np.array(points) for name, points in stay.items() if points}
        if not hinges:
            return (min(beside)[1] if beside else None), None
        name = min(hinges, key=lambda each: (float(hinges[each][:, 2].min()), each))
        start, end = _farthest(hinges[name])
        length = float(np.linalg.norm(end - start))
        every = np.concatenate(list(hinges.values()))
        if length > NARROW:
            along = (end - start) / length
            aside = np.linalg.norm(np.cross(every - start, along), axis=1)
            start, end = _farthest(every[aside <= NARROW])
        return name, (vector_of(start), vector_of(end))

    def kind(self, moves: tuple[str, ...], against: str | None) -> Kind:
        """Whether they tip, slide, or drop."""
        if against is None:
            return "drops"
        down = self._gravity / np.linalg.norm(self._gravity)
        rocking = [
            np.linalg.norm(np.cross(self._velocities[name][1], down)) * _reach(self._bodies[name])
            for name in moves
        ]
        return "tips" if max(rocking) > ROCKS else "slides"

    def power(self, names: tuple[str, ...] | None = None) -> float:
        """Watts of the weights, of all pieces or some."""
        return float(
            sum(
                self._bodies[name].piece.mass * self._gravity @ np.array(self._velocities[name][0])
                for name in names or self._free
            )
        )

    def room(self, moves: tuple[str, ...], against: str | None) -> float | None:
        """Metres their centre of mass lies inside the edge over which they tip; None when that edge moves itself."""
        if against is None or self.speed(against) > TOGETHER:
            return None
        pull = float(np.linalg.norm(self._gravity))
        turning = sum(
            self._bodies[name].piece.mass
            * float(np.linalg.norm(np.cross(self._velocities[name][1], self._gravity / pull)))
            for name in moves
        )
        return -self.power(moves) / (pull * turning) if turning > 0 else None

    def fastest(self, moves: tuple[str, ...]) -> tuple[Array, Array]:
        """The corner that moves fastest, and its velocity."""
        points = np.concatenate([_corners(self._bodies[name]) for name in moves])
        velocities = np.concatenate([self.at(name, _corners(self._bodies[name])) for name in moves])
        speeds = np.linalg.norm(velocities, axis=1)
        # of equally fast ones the first in space, whatever the order of the pieces
        equal = np.flatnonzero(speeds >= speeds.max() * (1 - 1e-4))
        at = min(equal, key=lambda k: (-round(points[k][2], 6), *np.round(points[k][:2], 6)))
        return points[at], velocities[at]

    def top_velocity(self, moves: tuple[str, ...]) -> Array:
        """Of the highest corner."""
        points = np.concatenate([_corners(self._bodies[name]) for name in moves])
        velocities = np.concatenate([self.at(name, _corners(self._bodies[name])) for name in moves])
        top: Array = velocities[int(np.argmax(points[:, 2]))]
        return top


def _farthest(points: Array) -> tuple[Array, Array]:
    gaps = np.linalg.norm(points[:, None] - points[None], axis=2)
    at = divmod(int(np.argmax(gaps)), len(points))
    return points[at[0]], points[at[1]]


def _corners(body: Body) -> Array:
    return body.pose.apply(of_piece(body.piece).vertices)


def _reach(body: Body) -> float:
    return float(np.linalg.norm(body.piece.extents)) / 2


def vector_of(values: Array) -> Vector:
    """Three numbers of an array."""
    return float(values[0]), float(values[1]), float(values[2])
