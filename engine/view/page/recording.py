"""A recording as a page plays it: where everything is, what is heard, what is told, and where the director looks from.

Between frames a page goes straight, so there are more of them than the recording has where a piece is put elsewhere on
an arc, and where the hand comes and goes.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teeter.engine.geometry.rotation import continuous
from teeter.engine.record.format import MEANING, TRACK, RecordError
from teeter.engine.record.motion import Motion, impacts_of
from teeter.engine.record.reader import Replay
from teeter.engine.view.camera import bounding_sphere
from teeter.engine.view.page.blob import Blob, varints
from teeter.engine.view.page.bodies import BodyWriter
from teeter.engine.view.render import mannequin
from teeter.engine.view.sound import (
    CLICK_S,
    DURATION_S,
    FULL_SCALE_IMPULSE_NS,
    click_of,
    contact_time,
    partials_of,
)
from teeter.engine.view.video import director
from teeter.engine.view.video.captions import MAX_LINE_LETTERS, Telling, clean
from teeter.engine.view.video.film import REACH_IN_S, REACH_OUT_S, hands_of
from teeter.engine.view.video.pace import timing_of
from teeter.engine.view.video.scenery import MAX_SHOWN_POSES, Scenery
from teeter.engine.world.body import FLOOR, TABLE, Body
from teeter.models.piece import Detail, Piece

Array = NDArray[np.float64]

POSITION_M = 2e-5
"""Metres of a step of a quantised place."""
ROTATION = 1 / 8000
"""A step of a quantised component of a quaternion; four such roundings turn a piece by less than 0.02 degrees."""
TIME_S = 1e-4
"""Seconds of a step of time."""
EXTRA_RATE = 30
"""Frames a second where the recording has none, but something is seen to move."""
CAMERA_RATE = 5
"""Places of the director's camera for a second; between them it goes straight."""
ASPECT = 16 / 9
HAND = Detail(outline=16, turn=30.0)
"""Half of all triangles would be the hand's, and most machines without a graphics card are slow at corners."""
UNPROVEN = "Not verified: a page proves nothing."
IF_IT_AGREES = "plays the recording again. If it agrees,"
Marks = Sequence[tuple[float, str, str]]
"""Seconds of the recording, a kind such as `fell`, and what happened."""


def recording_data(
    scenery: Scenery, bodies: Sequence[Body], telling: Telling, marks: Marks, blob: Blob
) -> dict[str, Any]:
    """Returns what a page is told of a recording. bodies: of the recording, with their pieces, where first seen. Raises
    RecordError for one that is too much for a page."""
    replay, motion = scenery.replay, scenery.motion
    known = {body.name: body for body in bodies}
    names = replay.meta.names
    times = frame_times(replay, motion)
    columns = [n for n, name in enumerate(names) if name != FLOOR]
    shown = [known[names[n]] for n in columns]
    hand = mannequin.hand_bodies(HAND) if motion.carries else ()
    if (count := len(times) * (len(shown) + len(hand))) > MAX_SHOWN_POSES:
        problem = f"has {count} poses to be shown; a page has at most {MAX_SHOWN_POSES}"
        raise RecordError(replay.path, problem, TRACK)
    # filled row by row: a list of the rows of a long recording takes as much room again
    poses = np.empty((len(times), len(shown) + len(hand), 7), dtype=np.float32)
    for row, moment in zip(poses, times.tolist(), strict=True):
        row[: len(shown)] = scenery.poses(moment)[columns]
    if hand:
        timing = timing_of(motion, (0.0, max(replay.seconds, 1e-3)), pace="true")
        poses[:, len(shown) :] = hands_of(scenery, known, timing, times, times, 1.0)
    sphere = bounding_sphere([*shown, *(part.at(shown[-1].pose) for part in hand)])
    scene = BodyWriter(blob).scene([*shown, *hand], sphere)
    for row, ways in zip(scene["bodies"], np.moveaxis(poses, 1, 0), strict=True):
        row["track"] = track_of(ways.astype(np.float64), blob)
    path_times = np.arange(0.0, replay.seconds + 1 / CAMERA_RATE, 1 / CAMERA_RATE)
    path = director.path("director", scenery, path_times, CAMERA_RATE, ASPECT)
    return {
        "title": clean(telling.title),
        "players": [clean(name) for name in telling.players],
        "result": clean(telling.result, MAX_LINE_LETTERS),
        "proof": [
            UNPROVEN,
            f"{clean(f'teeter verify {replay.path.name}')} {IF_IT_AGREES} {' '.join(MEANING)}",
        ],
        "seconds": replay.seconds,
        **scene,
        "quanta": [POSITION_M, ROTATION, TIME_S],
        "times": blob.put(_differences(np.round(times / TIME_S))),
        "frames": len(times),
        "director": {
            "rate": CAMERA_RATE,
            "fov": path.fov,
            "path": blob.put(np.concatenate([path.eyes, path.targets], axis=1).T.astype(np.float32)),
        },
        "lines": [
            [line.seconds, clean(line.text, MAX_LINE_LETTERS), clean(line.who)] for line in telling.lines
        ],
        "marks": [[seconds, kind, clean(text)] for seconds, kind, text in (*marks, *_turns(telling))],
        "margins": [[seconds, None if tilt is None else round(tilt, 2)] for seconds, tilt in telling.margins],
        "sound": _sound(scenery, known),
    }


def _turns(telling: Telling) -> list[tuple[float, str, str]]:
    """Returns marks of where another player's turn begins."""
    own = [line for line in telling.lines if line.who]
    before = [""] + [line.who for line in own]
    return [
        (line.seconds, "turn", line.who) for line, who in zip(own, before, strict=False) if line.who != who
    ]


def frame_times(replay: Replay, motion: Motion) -> Array:
    """Returns the seconds (n,) of all frames of a page, rising."""
    own = replay.steps / replay.meta.rate
    spans = [(carry.begin - REACH_IN_S, carry.end + REACH_OUT_S) for carry in motion.carries]
    if len(motion.put):
        put = np.flatnonzero(motion.put.any(axis=1))
        spans += [(float(motion.times[n]), float(motion.times[n + 1])) for n in put]
    extra = [np.arange(max(begin, 0.0), min(end, replay.seconds), 1 / EXTRA_RATE) for begin, end in spans]
    ends = [end for span in spans for end in span if 0.0 <= end <= replay.seconds]
    rounded = np.round(np.concatenate([own, *extra, ends]) / TIME_S).astype(np.int64)
    return np.asarray(np.unique(rounded) * TIME_S, dtype=np.float64)


def track_of(poses: Array, blob: Blob) -> dict[str, Any]:
    """Writes the poses (n, 7) of a body: only those frames that differ from the one before, as differences.

    NaN where it is absent; `there` says from which frames on it is there and not there, in turn.
    """
    there = np.isfinite(poses).all(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], there]).astype(np.int8)))
    if not there.any():
        return {"there": [], "keys": 0, "gaps": blob.put(varints(np.zeros(0, np.int64))), "steps": []}
    rows = poses[np.maximum.accumulate(np.where(there, np.arange(len(poses)), int(np.argmax(there))))]
    steps = np.concatenate([rows[:, :3] / POSITION_M, continuous(rows[:, 3:]) / ROTATION], axis=1)
    steps = np.round(steps).astype(np.int64)
    keys = np.flatnonzero(np.concatenate([[True], (steps[1:] != steps[:-1]).any(axis=1)]))
    return {
        "there": edges.tolist(),
        "keys": len(keys),
        "gaps": blob.put(_differences(keys)),
        "steps": [blob.put(_differences(column)) for column in steps[keys].T],
    }


def _differences(values: NDArray[Any]) -> NDArray[np.uint8]:
    """Returns whole numbers as differences, each from the one before it."""
    whole = values.astype(np.int64)
    return varints(np.concatenate([whole[:1], whole[1:] - whole[:-1]]))


def _sounding(on: Piece | str) -> object:
    """What tells apart how things sound."""
    return on if isinstance(on, str) else (id(on.visual), round(on.mass, 4))


def _sound(scenery: Scenery, known: dict[str, Body]) -> dict[str, Any]:
    """Returns the impacts, and how each sounds; impacts that cannot be told apart share their sound."""
    names = scenery.replay.meta.names
    masses = [known[n].piece.mass if n in known and n != TABLE else 0.0 for n in names]
    sounds: dict[tuple[object, ...], int] = {}
    rows: list[Any] = []
    impacts = []
    for impact in impacts_of(scenery.replay, scenery.motion, scenery.extents, masses):
        if names[impact.body] not in known:
            continue
        piece = known[names[impact.body]].piece
        other = names[impact.other] if impact.other >= 0 else ""
        on = known[other].piece if other in known and other != TABLE else other
        # as loud as its impulse; what it excites is known well enough by octaves
        octave = round(np.log2(max(impact.impulse, 1e-6)))
        key = (_sounding(piece), octave, _sounding(on))
        if key not in sounds:
            sounds[key] = len(rows)
            modes = partials_of(piece, 2.0**octave, on)
            strength, softness = click_of(contact_time(piece, 2.0**octave))
            rows.append(
                {
                    "modes": [
                        [round(m.frequency, 1), round(m.decay, 5), round(m.strength, 5)] for m in modes
                    ],
                    "click": [CLICK_S, round(strength, 5), round(softness, 6)],
                }
            )
        loudness = impact.impulse / FULL_SCALE_IMPULSE_NS
        impacts.append(
            [round(impact.seconds, 4), sounds[key], round(loudness, 4), *(round(v, 3) for v in impact.place)]
        )
    return {"sounds": rows, "impacts": impacts, "seconds": DURATION_S}
