"""What a director knows of a recording: where everything is at any moment, which pieces make the tower, how they are
held."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from teeter.engine.geometry.rotation import rotated
from teeter.engine.record.format import JOURNAL, TRACK, RecordError
from teeter.engine.record.motion import Carry, Motion, motion_of
from teeter.engine.record.reader import Replay
from teeter.engine.view.camera import BOX_CORNERS
from teeter.engine.view.render import mannequin
from teeter.engine.world.body import FLOOR, TABLE, Body
from teeter.models.piece import Array

MAX_SHOWN_S = 6 * 3600.0
"""Seconds of a recording: timing, camera and sound have many points in each. Time at a table stands still while nobody
acts, so that of a game of hours minutes are recorded."""
MAX_CARRIED = 1_000_000
"""Bodies, counted once for each carry: a director looks at all of them then."""
MAX_SHOWN_POSES = 8_000_000
"""Of all bodies in all frames of a page or a film: twice those of the largest track, 28 bytes each."""
TOUCH_DISTANCE = 0.004
"""Metres between boxes of pieces that still stand together."""
MIN_TOWER = 8
"""Pieces: what a piece stands together with before it is taken is its tower when there are more."""
SETTLE_S = 0.5
"""Seconds after the hand opened at which a piece lies."""


@dataclass(frozen=True, slots=True, eq=False)
class Scenery:
    """A recording to be filmed. extents: (bodies, 3) metres, in the order of the recording."""

    replay: Replay
    motion: Motion
    extents: Array
    _towers: dict[Carry, Array] = field(default_factory=dict)
    _groups: dict[tuple[int, int], Array] = field(default_factory=dict)

    def poses(self, moment: float, bodies: Sequence[int] | None = None) -> Array:
        """Returns the poses (bodies, 7) of everything or of these, at a second of the recording; what is put elsewhere
        goes there on an arc."""
        poses = self.replay.frame_at(moment, bodies)
        motion = self.motion
        if len(motion.speeds):
            interval = motion.at(moment)
            asked = np.arange(len(self.extents)) if bodies is None else np.array(bodies)
            put = np.flatnonzero(motion.put[interval, asked])
            begin, end = motion.times[interval], motion.times[interval + 1]
            if len(put) and begin < moment < end:
                part = (moment - begin) / (end - begin)
                eased = part * part * (3 - 2 * part)
                first = self.replay.poses[interval, asked[put]].astype(np.float64)
                last = self.replay.poses[interval + 1, asked[put]].astype(np.float64)
                poses[put, :3] = first[:, :3] + eased * (last[:, :3] - first[:, :3])
                distance = np.linalg.norm(last[:, :3] - first[:, :3], axis=1)
                poses[put, 2] += 0.35 * distance * 4 * part * (1 - part)
        return poses

    def pieces(self) -> list[int]:
        """Returns the columns of all that is neither table nor floor."""
        return [n for n, name in enumerate(self.replay.meta.names) if name not in (TABLE, FLOOR)]

    def corners(self, moment: float, bodies: Sequence[int]) -> Array:
        """Returns (8 for each body that is there, 3) corners of their boxes; one point in the middle when there is
        none."""
        poses = self.poses(moment, bodies)
        there = np.isfinite(poses).all(axis=1)
        if not there.any():
            return np.zeros((1, 3))
        return _boxes(poses[there], self.extents[list(bodies)][there]).reshape(-1, 3)

    def spheres(self, moment: float, without: int) -> tuple[Array, Array]:
        """Returns middles (n, 3) and radii (n,) of all pieces but one."""
        bodies = [n for n in self.pieces() if n != without]
        poses = self.poses(moment)[bodies]
        there = np.isfinite(poses).all(axis=1)
        return poses[there, :3], np.linalg.norm(self.extents[bodies][there], axis=1) / 2

    def around(self, moment: float, body: int) -> Array:
        """Returns corners of the pieces that stand together with one: box to box, from neighbour to neighbour."""
        key = (round(moment * 240), body)
        if key not in self._groups:
            points, members = self._around(moment, body)
            # whoever stands there stands with the same ones
            self._groups.update(((key[0], member), points) for member in (body, *members))
        return self._groups[key]

    def _around(self, moment: float, body: int) -> tuple[Array, list[int]]:
        poses = self.poses(moment)
        bodies = np.array([n for n in self.pieces() if np.isfinite(poses[n]).all()])
        if body not in bodies:
            return np.zeros((1, 3)), []
        points = _boxes(poses[bodies], self.extents[bodies])
        low, high = points.min(axis=1) - TOUCH_DISTANCE / 2, points.max(axis=1) + TOUCH_DISTANCE / 2
        members = bodies == body
        while True:
            ends = np.flatnonzero(members)
            meets = (low[:, None] <= high[ends]).all(axis=2) & (low[ends] <= high[:, None]).all(axis=2)
            grown = members | meets.any(axis=1)
            if (grown == members).all():
                return np.asarray(points[members].reshape(-1, 3)), bodies[members].tolist()
            members = grown

    def tower(self, carry: Carry) -> Array:
        """Returns corners of what a piece is laid on, with the piece as it lies there; of what it is drawn from."""
        if carry not in self._towers:
            after = self.around(carry.end + SETTLE_S, carry.body)
            before = [self.around(carry.begin, carry.body)] if self.is_drawn(carry) else []
            self._towers[carry] = np.concatenate([after, *before])
        return self._towers[carry]

    def is_drawn(self, carry: Carry) -> bool:
        """Returns whether a piece is drawn from a tower."""
        return len(self.around(carry.begin, carry.body)) > MIN_TOWER * len(BOX_CORNERS)

    def shot_at(self, moment: float) -> tuple[Carry, float] | None:
        """Returns the carry that is being filmed: the one that goes on, the next from half a second before, or the
        last; and when it ends."""
        last = None
        for carry in self.motion.carries:
            if carry.begin - 0.5 > moment:
                break
            last = carry
        return None if last is None else (last, last.end)

    def everything(self) -> Array:
        """Returns corners of all places where pieces were laid, or of all pieces when no hand took any."""
        places = [self.tower(carry) for carry in self.motion.carries]
        if places:
            return np.concatenate(places)
        return self.corners(float(self.motion.times[0]) if len(self.motion.times) else 0.0, self.pieces())


def _boxes(poses: Array, extents: Array) -> Array:
    """Returns (n, 8, 3): corners of the boxes around bodies."""
    return np.asarray(rotated(poses, extents[:, None, :] / 2 * BOX_CORNERS) + poses[:, None, :3])


def scenery_of(replay: Replay, bodies: Sequence[Body]) -> Scenery:
    """Returns the scenery of a recording. bodies: of the recording, with their pieces; others are not drawn. Raises
    RecordError for one that is too long, or in which too much is carried about, to be shown."""
    if replay.seconds > MAX_SHOWN_S:
        problem = f"is {replay.seconds:.0f} s long; at most {MAX_SHOWN_S:.0f} s can be shown"
        raise RecordError(replay.path, problem, TRACK)
    known = {body.name: body.piece.extents for body in bodies}
    sizes = [known.get(name, np.zeros(3)) for name in replay.meta.names]
    extents = np.array(sizes, dtype=np.float64).reshape(-1, 3)
    motion = motion_of(replay, np.linalg.norm(extents, axis=1) / 2)
    if (count := len(motion.carries)) * len(extents) > MAX_CARRIED:
        problem = f"carries {count} times, among {len(extents)} bodies: too much to be shown"
        raise RecordError(replay.path, problem, JOURNAL)
    return Scenery(replay, motion, extents)


class Holder:
    """How one carry holds its piece: from above, or from outside where something lies on it."""

    def __init__(self, scenery: Scenery, body: Body, carry: Carry) -> None:
        self._scenery, self._body, self._carry_of = scenery, body, carry
        self._direction = self._drawn()

    def _drawn(self) -> Array | None:
        """Returns the level direction in which a piece is drawn from under others; None when it is free."""
        carry, scenery = self._carry_of, self._scenery
        poses = scenery.poses(carry.begin)
        place = poses[carry.body, :3]
        others = [n for n in scenery.pieces() if n != carry.body]
        off = poses[others, :3] - place
        reach = np.linalg.norm(self._body.piece.extents) / 2
        up, aside = off[:, 2], np.linalg.norm(off[:, :2], axis=1)
        with np.errstate(invalid="ignore"):
            above = (up > 0.008) & (up < 2 * reach) & (aside < 0.6 * reach)
        if not above.any():
            return None
        times = np.linspace(carry.begin, carry.end, 24)
        path = np.array([scenery.poses(t, (carry.body,))[0, :3] - place for t in times])
        level = np.linalg.norm(path[:, :2], axis=1)
        far = np.flatnonzero(level > 0.004)
        return path[far[0]] if len(far) else np.array([0.0, -1.0, 0.0])

    def at(self, moment: float) -> mannequin.Grasp:
        """Returns the hand at a moment; after the carry, where it was when it opened."""
        pose = self._scenery.poses(min(moment, self._carry_of.end), (self._carry_of.body,))[0]
        if not np.isfinite(pose).all():
            # a piece that is put on the table only when it is taken
            pose = self._scenery.poses(self._carry_of.begin + 0.05)[self._carry_of.body]
        if self._direction is not None:
            return mannequin.from_outside(self._body.piece, pose, self._direction)
        return mannequin.from_above(self._body.piece, pose)
