"""How a frame is exposed: while the shutter is open things move, and through an open lens only the tower is sharp.

Both are sampled: a frame is the mean of a few pictures, each a little later and from another place of the lens.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from teeter.engine.pose import vector_of
from teeter.engine.record.motion import Collapse
from teeter.engine.view.camera import Camera
from teeter.engine.view.video.pace import Timing
from teeter.models.piece import Array

SHUTTER, BLUR_PX, MAX_SAMPLES = 0.5, 3.0, 6
"""The part of a frame for which the shutter is open; pixels of motion that one picture may leave out, and pictures a
frame at most."""
LENS_SAMPLES = 4
"""Pictures of a frame while the lens is open and nothing moves fast: more are not told apart in a film."""
STILL_SAMPLES = 16
"""Pictures of a still, which nobody waits for long."""
STOP, SENSOR_M = 8.0, 0.024
"""The lens is stopped down to f/8, before a picture as high as 35 mm film is."""
OPENING_S = 0.5
"""Seconds of the film in which the lens opens before a fall is in full swing, and closes after it."""
GOLDEN_ANGLE = math.pi * (3.0 - math.sqrt(5.0))


def motion_samples(
    moments: Array,
    poses: NDArray[np.float32],
    eyes: Array,
    fov: float,
    height: int,
    collapses: Sequence[Collapse],
) -> list[int]:
    """Returns how many pictures make each frame: what comes down is blurred by its motion while the shutter is open.

    moments: (n,) seconds of the recording. poses: (n, bodies, 7). eyes: (n, 3) metres. height: of the picture, pixels.
    """
    counts, scale = [1] * len(moments), height / 2 / math.tan(math.radians(fov) / 2)
    for number in range(len(moments) - 1):
        if any(fall.begin <= moments[number] <= fall.end for fall in collapses):
            way = np.linalg.norm(poses[number + 1, :, :3] - poses[number, :, :3], axis=1)
            away = np.linalg.norm(poses[number, :, :3] - eyes[number], axis=1)
            pixels = SHUTTER * scale * float(np.nanmax(way / away, initial=0.0))
            counts[number] = min(max(math.ceil(pixels / BLUR_PX), 1), MAX_SAMPLES)
    return counts


def openings(collapses: Sequence[Collapse], timing: Timing, screen: Array) -> NDArray[np.float64]:
    """Returns how far the lens is open (n,), 0 to 1, in each frame: it opens as something collapses. screen: (n,)
    seconds of the film after its title."""
    opening = np.zeros(len(screen))
    for collapse in collapses:
        begin, end = timing.seen(np.array([collapse.begin, collapse.end]))
        inside = np.clip(np.minimum(screen - begin, end - screen) / OPENING_S, 0.0, 1.0)
        opening = np.maximum(opening, inside * inside * (3.0 - 2.0 * inside))
    return opening


def lens_radius(fov: float) -> float:
    """Returns the radius of the open lens, metres. fov: degrees, vertical."""
    return SENSOR_M / 2.0 / math.tan(math.radians(fov) / 2.0) / STOP / 2.0


def through_lens(camera: Camera, sample: int, count: int, opening: float) -> Camera:
    """Returns the camera at one of the places of the lens, evenly spread (Vogel 1979): what is as far away as the
    target stays where it is seen. opening: 0 to 1."""
    if opening <= 0.0 or count <= 1:
        return camera
    radius = opening * lens_radius(camera.fov) * math.sqrt((sample + 0.5) / count)
    right, _, up = camera.axes
    aside = radius * (math.cos(sample * GOLDEN_ANGLE) * right + math.sin(sample * GOLDEN_ANGLE) * up)
    return replace(camera, eye=vector_of(np.asarray(camera.eye) + aside))
