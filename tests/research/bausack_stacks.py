"""Random stacks of Bausack pieces, 2 to 6, each on any of its six sides and turned any way, let down one on another.

Most touch on curves, rims and tips, and most topple.

python tests/research/bausack_stacks.py 0:200        # what statics says of each, and why where it says nothing
"""

from __future__ import annotations

import json
import math
import sys
import time
from functools import lru_cache

import numpy as np
from scipy.spatial.transform import Rotation

from teeter.engine.pose import Pose
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.world.body import Assembly
from teeter.models.build import build
from teeter.models.catalogue import catalogue, find
from teeter.models.piece import Piece
from teeter.scenes.assemble import Builder, table_body
from teeter.scenes.scene import Draft
from teeter.scenes.schema import TableTop

SIDES = ((0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (-0.5, 0.0), (0.0, 0.5), (0.0, -0.5))
"""Roll and pitch, in half turns."""
NEAREST, FURTHEST = 0.3, 8.0
"""Millimetres: how far the pieces of a stack lie off the centre of the one below, drawn evenly in the logarithm."""


@lru_cache(maxsize=1)
def pieces() -> tuple[tuple[str, Piece], ...]:
    """All pieces by name."""
    names = [name.removeprefix("bausack/") for name in catalogue("bausack")]
    return tuple((name, build(find(f"bausack/{name}"))) for name in names)


def stack(number: int, seed: int = 0) -> Assembly:
    """One stack; it follows from its number and the seed alone."""
    rng = np.random.default_rng((seed, number))
    builder = Builder([table_body(TableTop())])
    chosen = rng.choice(len(pieces()), int(rng.integers(2, 7)), replace=False)
    x = y = 0.0
    spread = math.exp(rng.uniform(math.log(NEAREST), math.log(FURTHEST))) / 1e3
    for layer, at in enumerate(chosen):
        name, piece = pieces()[at]
        roll, pitch = (math.pi * share for share in SIDES[int(rng.integers(len(SIDES)))])
        yaw = Rotation.from_euler("z", rng.uniform(0.0, 2 * math.pi))
        i, j, k, w = (yaw * Rotation.from_euler("xyz", [roll, pitch, 0.0])).as_quat().tolist()
        offset = Pose((0.0, 0.0, 0.0), (i, j, k, w)).apply(piece.centre_of_mass)
        if layer:
            x, y = x + spread * rng.standard_normal(), y + spread * rng.standard_normal()
        pose = Pose((float(x - offset[0]), float(y - offset[1]), 0.0), (i, j, k, w))
        body = builder.place(Draft(name, "", None, piece, pose, False, True, None))
        assert body is not None, "there is always the table"
        x, y = body.pose.apply(piece.centre_of_mass)[:2].tolist()
    return Assembly(f"bausack {number}", tuple(builder.bodies))


def main(span: str) -> None:
    low, high = map(int, span.split(":"))
    for number in range(low, high):
        assembly, started = stack(number), time.process_time()
        found = analyse(assembly, margins=False, loads=False)
        row = {"number": number, "pieces": len(assembly.free), "stands": found.stands, "why": found.why}
        print(json.dumps(row | {"seconds": round(time.process_time() - started, 3)}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
