"""A recording as an animated glTF 2.0 file: a node a piece, and its way through the game reduced to few keys.

glTF is metres and Y-up, so all nodes hang below one that turns Z up; below it are teeter's own numbers. Keys are
kept only where a straight line (or a great arc) between fewer would be off by more than the tolerances (Douglas and
Peucker 1973). A body that is absent has the size 0.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teeter.engine.geometry.rotation import angles_between, continuous, slerp
from teeter.engine.record.reader import Replay
from teeter.engine.world.body import Body
from teeter.models.export import GltfWriter
from teeter.models.piece import Array

Keys = NDArray[np.int64]

TOLERANCE = 4.5e-5
"""Metres. What rounding to 32 bits adds stays far below the 0.05 mm that are promised."""
TURN_TOLERANCE = math.radians(0.09)
"""Radians; quaternions in 16 bits add at most 0.005 degrees to reach the 0.1 that are promised."""
STEEPEST = 32
"""Levels after which spans are split in their middle: where they miss most may be at an end of them each time."""
Z_UP = [-math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)]


def glb_of_replay(replay: Replay, bodies: Sequence[Body], *, title: str = "") -> bytes:
    """The bytes of a `.glb` file. bodies: of the recording, with the pieces to draw; others are left out.

    Raises ValueError when the recording has no frames.
    """
    if not len(replay.steps):
        raise ValueError("the recording has no frames")
    writer = GltfWriter()
    times = replay.steps / replay.meta.rate
    columns = {name: column for column, name in enumerate(replay.meta.names)}
    animation = Animation(writer, times)
    nodes: list[dict[str, Any]] = []
    meshes: dict[int, int] = {}
    for body in bodies:
        if body.name not in columns:
            continue
        key = id(body.piece)
        if key not in meshes:
            meshes[key] = writer.mesh(body.piece)
        nodes.append({"name": body.name, "mesh": meshes[key]})
        poses = replay.poses[:, columns[body.name]].astype(np.float64)
        nodes[-1] |= animation.add(len(nodes), poses)
    root = {"name": "teeter", "rotation": Z_UP, "children": list(range(1, len(nodes) + 1))}
    name = title or replay.meta.game
    return writer.finish([root, *nodes], name, animation.value(name))


class Animation:
    """The ways of all nodes. times: (n,) seconds of the frames. every: what moves has a key for each of them."""

    def __init__(self, writer: GltfWriter, times: Array, *, every: bool = False) -> None:
        # of two frames at one time the later counts, as for a viewer
        self._kept = np.flatnonzero(np.append(np.diff(times) > 0, True))
        self._writer, self._times, self._every = writer, times[self._kept], every
        self._samplers: list[dict[str, Any]] = []
        self._channels: list[dict[str, Any]] = []

    def add(self, node: int, poses: Array) -> dict[str, Any]:
        """Animate a node; the keys of the node where it does not move. poses: (n, 7), NaN where absent."""
        poses = poses[self._kept]
        there: NDArray[np.bool_] = np.asarray(np.isfinite(poses).all(axis=1), dtype=np.bool_)
        if not there.any():
            return {"scale": [0.0, 0.0, 0.0]}
        poses = _filled(poses, there)
        places, turns = poses[:, :3], continuous(poses[:, 3:])
        own: dict[str, Any] = {"translation": places[0].tolist(), "rotation": turns[0].tolist()}
        keys = self._all_or(keys_of_places(self._times, places))
        if len(keys) > 1:
            self._put(node, "translation", keys, self._writer.put(places[keys].astype("<f4"), "VEC3"))
        keys = self._all_or(keys_of_turns(self._times, turns))
        if len(keys) > 1:
            shorts = np.round(turns[keys] * 32767).astype("<i2")
            self._put(node, "rotation", keys, self._writer.put(shorts, "VEC4", normalized=True))
        if not there.all():
            keys = np.flatnonzero(np.r_[True, there[1:] != there[:-1]])
            sizes = np.repeat(there[keys, None], 3, axis=1).astype("<f4")
            self._put(node, "scale", keys, self._writer.put(sizes, "VEC3"), "STEP")
        return own

    def _all_or(self, keys: Keys) -> Keys:
        return np.arange(len(self._times)) if self._every and len(keys) > 1 else keys

    def _put(self, node: int, path: str, keys: Keys, output: int, way: str = "LINEAR") -> None:
        times = self._times[keys].astype("<f4")
        bounds = {"min": [float(times[0])], "max": [float(times[-1])]}
        self._samplers.append(
            {"input": self._writer.put(times, "SCALAR", **bounds), "output": output, "interpolation": way}
        )
        self._channels.append({"sampler": len(self._samplers) - 1, "target": {"node": node, "path": path}})

    def value(self, name: str) -> dict[str, Any] | None:
        """The animation; None when nothing moves."""
        if not self._channels:
            return None
        return {"name": name, "samplers": self._samplers, "channels": self._channels}


def _filled(poses: Array, there: NDArray[np.bool_]) -> Array:
    """Poses with those that are missing taken from the last known before, or the first known after."""
    known = np.maximum.accumulate(np.where(there, np.arange(len(poses)), -1))
    return poses[np.where(known < 0, int(np.argmax(there)), known)]


def keys_of_places(times: Array, places: Array, tolerance: float = TOLERANCE) -> Keys:
    """The frames (k,) whose places (n, 3), joined by straight lines, miss no frame by more than a tolerance; a single
    one when nothing moves."""

    def misses(frames: Keys, first: Keys, last: Keys) -> Array:
        """Metres by which frames miss the lines between two others."""
        part = (times[frames] - times[first]) / (times[last] - times[first])
        line = places[first] + part[:, None] * (places[last] - places[first])
        return np.asarray(np.linalg.norm(places[frames] - line, axis=1))

    return _keys(len(times), misses, tolerance, bool((places[-1] != places[0]).any()))


def keys_of_turns(times: Array, turns: Array) -> Keys:
    """The same for quaternions (n, 4) joined by great arcs; radians."""

    def misses(frames: Keys, first: Keys, last: Keys) -> Array:
        """Radians by which frames miss the arcs between two others."""
        part = (times[frames] - times[first]) / (times[last] - times[first])
        return angles_between(turns[frames], slerp(turns[first], turns[last], part[:, None]))

    return _keys(len(times), misses, TURN_TOLERANCE, float(angles_between(turns[-1:], turns[:1])[0]) > 0.0)


def _keys(
    count: int, misses: Callable[[Keys, Keys, Keys], Array], tolerance: float, ends_differ: bool
) -> Keys:
    """All spans are split at once, a level at a time: whatever moves how wildly, it takes a few dozen passes."""
    kept = np.zeros(count, dtype=np.bool_)
    kept[[0, -1]] = True
    # every frame that is not kept yet, and the two between which it lies
    frames = np.arange(1, count - 1)
    first, last = np.zeros_like(frames), np.full_like(frames, count - 1)
    level = 0
    while len(frames):
        off = misses(frames, first, last)
        begins = np.flatnonzero(np.diff(first, prepend=-1))
        worst = np.repeat(np.maximum.reduceat(off, begins), np.diff(begins, append=len(frames)))
        is_open = worst > tolerance
        frames, first, last = frames[is_open], first[is_open], last[is_open]
        off, worst = off[is_open], worst[is_open]
        _, begins, lengths = np.unique(first, return_index=True, return_counts=True)
        if level < STEEPEST:
            peaks = np.flatnonzero(off == worst)
            splits = frames[peaks[np.unique(first[peaks], return_index=True)[1]]]
        else:
            splits = frames[begins + lengths // 2]
        kept[splits] = True
        split = np.repeat(splits, lengths)
        rest = frames != split
        first, last = np.where(frames < split, first, split), np.where(frames < split, split, last)
        frames, first, last = frames[rest], first[rest], last[rest]
        level += 1
    keys = np.flatnonzero(kept)
    return keys if len(keys) > 2 or ends_differ else keys[:1]
