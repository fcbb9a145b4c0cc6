"""What lies below a carried piece, on the whole way it is carried. Exact for convex parts."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping

import numpy as np
from numpy.typing import NDArray

from engine.geometry.convex import ConvexSolid, ConvexSolids
from engine.geometry.drop import DropTarget
from engine.pose import Pose
from engine.view.frame import Frame
from models.piece import Piece

Array = NDArray[np.float64]

Place = Callable[[float], tuple[float, float, float | None]]

HIGH = 10.0
"""Metres: above everything."""


class Under:
    """How high what lies below a piece is at most, by boxes: quickly told.

    low, high: (n, 3) corners of what lies there. solids: of the piece, at the origin.
    """

    def __init__(self, low: Array, high: Array, solids: tuple[ConvexSolid, ...]) -> None:
        self._low, self._high = low, high
        self._least = np.min([solid.low for solid in solids], axis=0)
        self._most = np.max([solid.high for solid in solids], axis=0)

    @property
    def depth(self) -> float:
        """Metres from the piece's place down to its lowest point."""
        return -float(self._least[2])

    def top(self, x: float, y: float) -> float:
        """The height of the highest box below a piece at this place; -inf over nothing."""
        at = np.array((x, y))
        over = (self._low[:, :2] < self._most[:2] + at) & (self._high[:, :2] > self._least[:2] + at)
        return float(self._high[over.all(axis=1), 2].max(initial=-np.inf))


class Ground:
    """Everything a piece may be laid on, as a frame shows it. skip: what is no ground, as the piece in the hand."""

    def __init__(
        self, frame: Frame, pieces: Mapping[str, Piece], solids: ConvexSolids, skip: Container[str] = ()
    ) -> None:
        lying: list[ConvexSolid] = []
        for name, row in zip(frame.names, frame.poses.tolist(), strict=True):
            if name in skip or not np.isfinite(row[0]):
                continue
            x, y, z, a, b, c, d = row
            lying += solids.of(pieces[name], Pose((x, y, z), (a, b, c, d)))
        self._target = DropTarget(lying, solids)
        self._cache = solids

    @property
    def top(self) -> float:
        """The height of what is highest, metres."""
        return float(self._target.high[:, 2].max(initial=0.0))

    def landing(self, piece: Piece, pose: Pose) -> float | None:
        """The z at which a piece, dropped straight from above, meets what is there; None over nothing."""
        x, y, _ = pose.position
        distance = self._target.distance(piece, Pose((x, y, HIGH), pose.orientation))
        return None if distance is None else HIGH - distance

    def over(self, piece: Piece, start: Pose, goal: Pose, samples: int = 9) -> float | None:
        """The greatest `landing` on the straight way from one place to another."""
        under = self._under(piece, goal)
        best: float | None = None
        for part in np.linspace(0.0, 1.0, samples) if _apart(start, goal) > 1e-3 else (1.0,):
            x, y = (
                float(a + part * (b - a)) for a, b in zip(start.position[:2], goal.position[:2], strict=True)
            )
            # what lies lower than what was found already cannot carry it higher
            if best is None or under.top(x, y) + under.depth > best:
                lies = self.landing(piece, Pose((x, y, 0.0), goal.orientation))
                best = lies if best is None or (lies is not None and lies > best) else best
        return best

    def pointed(
        self, piece: Piece, turn: Pose, origin: Array, way: Array, low: float
    ) -> tuple[float, float] | None:
        """Where a piece stands, x and y, whose underside a ray of the pointer meets: the first place on its way down.

        turn: the orientation of the piece. low: how far its lowest point is below its centre, metres.
        """
        if way[2] > -1e-3:
            return None

        under = self._under(piece, turn)

        def place(height: float) -> tuple[float, float, float | None]:
            along = (height - origin[2]) / way[2]
            x, y = (origin + along * way)[:2].tolist()
            # exact only where boxes leave it open
            is_low = under.top(x, y) + under.depth - low < height - 1e-6
            return x, y, None if is_low else self.landing(piece, Pose((x, y, 0.0), turn.orientation))

        above = self.top + 1e-4
        steps = np.linspace(above, 0.0, 17)
        before = above
        for height in steps:
            x, y, lies = place(float(height))
            if lies is not None and lies - low >= height - 1e-6:
                return self._between(place, before, float(height), low)
            before = float(height)
        x, y, _ = place(0.0)
        return x, y

    def _under(self, piece: Piece, turn: Pose) -> Under:
        return Under(
            self._target.low,
            self._target.high,
            self._cache.of(piece, Pose((0.0, 0.0, 0.0), turn.orientation)),
        )

    def _between(self, place: Place, above: float, below: float, low: float) -> tuple[float, float]:
        for _ in range(7):
            middle = 0.5 * (above + below)
            _, _, lies = place(middle)
            if lies is not None and lies - low >= middle - 1e-6:
                below = middle
            else:
                above = middle
        x, y, _ = place(below)
        return x, y


def _apart(start: Pose, goal: Pose) -> float:
    return float(np.hypot(goal.position[0] - start.position[0], goal.position[1] - start.position[1]))
