"""A recording as an animated glTF 2.0 file: a node a piece, and its way through the game reduced to few keys.

glTF is metres and Y-up, so all nodes hang below one that turns Z up; below it are teeter's own numbers. Keys are
kept only where a straight line (or a great arc) between fewer would be off by more than the tolerances (Douglas and
Peucker 1973). A body that is absent has the size 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.geometry.rotation import angles_between, slerp
from engine.record.reader import Replay
from engine.world import Body
from models.export import GltfWriter
from models.piece import Array

Keys = NDArray[np.int64]

TOLERANCE = 4.5e-5
"""Metres. What rounding to 32 bits adds stays far below the 0.05 mm that are promised."""
TURN_TOLERANCE = math.radians(0.09)
"""Radians; quaternions in 16 bits add at most 0.005 degrees to reach the 0.1 that are promised."""
_Z_UP = [-math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)]


def glb_of_replay(replay: Replay, bodies: Sequence[Body], *, title: str = "") -> bytes:
    """The bytes of a `.glb` file. bodies: of the recording, with the pieces to draw; others are left out.

    Raises ValueError when the recording has no frames.
    """
    if not len(replay.steps):
        raise ValueError("the recording has no frames")
    writer = GltfWriter()
    times = replay.steps / replay.meta.rate
    columns = {name: column for column, name in enumerate(replay.meta.names)}
    animation = _Animation(writer, times)
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
    root = {"name": "teeter", "rotation": _Z_UP, "children": list(range(1, len(nodes) + 1))}
    name = title or replay.meta.game
    return writer.finish([root, *nodes], name, animation.value(name))


class _Animation:
    """The ways of all nodes. times: (n,) seconds of the frames."""

    def __init__(self, writer: GltfWriter, times: Array) -> None:
        # of two frames at one time the later counts, as for a viewer
        self._kept = np.flatnonzero(np.append(np.diff(times) > 0, True))
        self._writer, self._times = writer, times[self._kept]
        self._samplers: list[dict[str, Any]] = []
        self._channels: list[dict[str, Any]] = []

    def add(self, node: int, poses: Array) -> dict[str, Any]:
        """Animate a node; the keys of the node where it does not move. poses: (n, 7), NaN where absent."""
        poses = poses[self._kept]
        there: NDArray[np.bool_] = np.asarray(np.isfinite(poses).all(axis=1), dtype=np.bool_)
        if not there.any():
            return {"scale": [0.0, 0.0, 0.0]}
        poses = _filled(poses, there)
        places, turns = poses[:, :3], _continuous(poses[:, 3:])
        own: dict[str, Any] = {"translation": places[0].tolist(), "rotation": turns[0].tolist()}
        keys = keys_of_places(self._times, places)
        if len(keys) > 1:
            self._put(node, "translation", keys, self._writer.put(places[keys].astype("<f4"), "VEC3"))
        keys = keys_of_turns(self._times, turns)
        if len(keys) > 1:
            shorts = np.round(turns[keys] * 32767).astype("<i2")
            self._put(node, "rotation", keys, self._writer.put(shorts, "VEC4", normalized=True))
        if not there.all():
            keys = np.flatnonzero(np.r_[True, there[1:] != there[:-1]])
            sizes = np.repeat(there[keys, None], 3, axis=1).astype("<f4")
            self._put(node, "scale", keys, self._writer.put(sizes, "VEC3"), "STEP")
        return own

    def _put(self, node: int, path: str, keys: Keys, output: int, way: str = "LINEAR") -> None:
        times = self._times[keys].astype("<f4")
        bounds = {"min": [float(times[0])], "max": [float(times[-1])]}
        self._samplers.append(
            {
                "input": self._writer.put(times, "SCALAR", **bounds),
                "output": output,
                "interpolation": way,
            }
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


def _continuous(turns: Array) -> Array:
    """Quaternions (n, 4) of unit length, each on the side of the one before it."""
    turns = turns / np.linalg.norm(turns, axis=1, keepdims=True)
    flips = np.where((turns[1:] * turns[:-1]).sum(axis=1) < 0, -1.0, 1.0)
    return np.asarray(turns * np.cumprod(np.r_[1.0, flips])[:, None])


def keys_of_places(times: Array, places: Array, tolerance: float = TOLERANCE) -> Keys:
    """The frames (k,) whose places (n, 3), joined by straight lines, miss no frame by more than a tolerance; a single
    one when nothing moves."""
    return _keys(len(times), lambda a, b: _straight(times, places, a, b), tolerance)


def keys_of_turns(times: Array, turns: Array, tolerance: float = TURN_TOLERANCE) -> Keys:
    """The same for quaternions (n, 4) joined by great arcs; radians."""
    return _keys(len(times), lambda a, b: _arc(times, turns, a, b), tolerance)


def _keys(count: int, misses: Any, tolerance: float) -> Keys:
    if count == 1:
        return np.array([0])
    kept, open_spans = {0, count - 1}, [(0, count - 1)]
    is_moving = False
    while open_spans:
        first, last = open_spans.pop()
        if last - first < 2:
            continue
        off = misses(first, last)
        worst = int(np.argmax(off))
        if off[worst] > tolerance:
            is_moving = True
            middle = first + 1 + worst
            kept.add(middle)
            open_spans += [(first, middle), (middle, last)]
    keys = np.array(sorted(kept))
    ends_differ = float(misses(-1, count)[0]) > 0.0
    return keys if is_moving or ends_differ else keys[:1]


def _straight(times: Array, places: Array, first: int, last: int) -> Array:
    """Metres by which frames between two miss the line from one to the other; (-1, n): how far the ends are apart."""
    if first < 0:
        return np.array([np.linalg.norm(places[-1] - places[0])])
    part = (times[first + 1 : last] - times[first]) / (times[last] - times[first])
    line = places[first] + part[:, None] * (places[last] - places[first])
    return np.asarray(np.linalg.norm(places[first + 1 : last] - line, axis=1))


def _arc(times: Array, turns: Array, first: int, last: int) -> Array:
    """Radians by which frames between two miss the arc; (-1, n): how far the ends are apart."""
    if first < 0:
        return angles_between(turns[-1:], turns[:1])
    part = (times[first + 1 : last] - times[first]) / (times[last] - times[first])
    found = slerp(turns[first : first + 1], turns[last : last + 1], part[:, None])
    return angles_between(turns[first + 1 : last], found)
