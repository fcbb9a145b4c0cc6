"""The least weight on a semicircular arch by its line of thrust (Heyman 1966): joint by joint, in the plane."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import linprog

from teeter.models.piece import Array


def _turning(point: Array, force: Array) -> float:
    return float(point[0] * force[1] - point[1] * force[0])


def least_weight(
    count: int, radius: float, thick: float, friction: float, tilt: float, stone: int, point: Array
) -> float:
    """Returns the least weight, in those of one stone, that lets the thrust run inside every joint and within its
    friction. tilt: radians about y, down towards +x. stone: the one it lies on, from 1 at +x; point: (2,) where, mm
    from the middle of the springing."""
    down = np.array([math.sin(tilt), -math.cos(tilt)])
    inner, outer = radius - thick / 2, radius + thick / 2
    # the unknowns: the force and its moment on the first joint, the weight; then what is known
    force, moment = np.zeros((2, 5)), np.zeros(5)
    force[0, 0] = force[1, 1] = moment[2] = 1.0
    above, below = [], []
    here = np.array([radius, 0.0])
    for joint in range(count + 1):
        angle = math.pi * joint / count
        out = np.array([math.cos(angle), math.sin(angle)])
        if joint:
            half = math.pi / count / 2
            # of a trapezium between two parallel sides
            low, high = inner * math.cos(half), outer * math.cos(half)
            middle = low + (high - low) / 3 * (inner + 2 * outer) / (inner + outer)
            before = angle - half
            force[:, 4] += down
            moment[4] += _turning(middle * np.array([math.cos(before), math.sin(before)]), down)
        if joint == stone:
            force[:, 3] = down
            moment[3] = _turning(point, down)
        place = radius * out
        about = moment.copy()
        about[:2] += [-here[1], here[0]]
        about -= place[0] * force[1] - place[1] * force[0]
        pressing, sliding = np.array([-out[1], out[0]]) @ force, out @ force
        for row in (
            -pressing,
            about - pressing * thick / 2,
            -about - pressing * thick / 2,
            sliding - friction * pressing,
            -sliding - friction * pressing,
        ):
            above.append(row[:4])
            below.append(-row[4])
    found = linprog([0, 0, 0, 1], np.array(above), below, bounds=[(None, None)] * 3 + [(0, None)])
    return math.inf if found.fun is None else float(found.fun)
