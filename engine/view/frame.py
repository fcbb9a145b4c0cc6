"""What a stage shows: one moment, as plain values. Live play, replays and videos all produce frames."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from teeter.engine.pose import Pose
from teeter.engine.view.camera import Vector
from teeter.engine.world.body import Body

Poses = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PieceLetter:
    """A letter on a body. point: where it is, metres."""

    letter: str
    point: Vector


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """The poses of the bodies at one moment, and what is pointed out.

    names: the bodies to show; bodies of the stage that are not named are hidden.
    poses: (n, 7) metres and xyzw, of the piece frames; a row of NaN hides its body.
    highlights: colours `#rrggbb` in which bodies are outlined, by name.
    labels: short texts that stand above bodies, by name. marks: those that lie on them, at a point of the world.
    unread: bodies whose print is not shown, such as bricks that nobody has drawn yet.
    airy: bodies that shade nothing, such as a hand.
    """

    names: tuple[str, ...]
    poses: Poses
    highlights: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    labels: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    unread: frozenset[str] = frozenset()
    airy: frozenset[str] = frozenset()
    marks: Mapping[str, PieceLetter] = field(default_factory=lambda: MappingProxyType({}))
    _placed: dict[str, Pose] = field(default_factory=dict, init=False, repr=False)

    def placed(self) -> Mapping[str, Pose]:
        """Returns where the bodies are that are shown, by name."""
        # asked for several times a picture
        if not self._placed:
            rows = zip(self.names, self.poses.tolist(), strict=True)
            self._placed.update(
                (name, Pose.of_row(row)) for name, row in rows if row[0] == row[0]
            )  # NaN hides
        return MappingProxyType(self._placed)


def frame_of(bodies: Iterable[Body]) -> Frame:
    """Returns the frame of bodies where they are."""
    shown = tuple(bodies)
    rows = [body.pose.row for body in shown]
    return Frame(tuple(body.name for body in shown), np.array(rows, dtype=np.float64).reshape(-1, 7))
