"""CoACD in a process of its own, which can be stopped: `python -m models.coacd_worker < mesh.npz > pieces.npz`.

On meshes that cross themselves CoACD can search for minutes, deaf to interrupts.
"""

from __future__ import annotations

import io
import os
import sys

import numpy as np


def main() -> None:
    """Read `vertices`, `faces` and `threshold`, write `corners` and `bounds` (where each piece ends)."""
    import coacd

    with np.load(io.BytesIO(sys.stdin.buffer.read()), allow_pickle=False) as mesh:
        vertices, faces, threshold = mesh["vertices"], mesh["faces"], float(mesh["threshold"])
    coacd.set_log_level("off")
    answer = os.dup(1)
    # what CoACD prints must not mix with the answer
    os.dup2(2, 1)
    pieces = coacd.run_coacd(coacd.Mesh(vertices, faces), threshold=threshold, seed=0)
    corners = [np.asarray(points, dtype=np.float64) for points, _ in pieces]
    buffer = io.BytesIO()
    np.savez(buffer, corners=np.concatenate(corners), bounds=np.cumsum([0, *map(len, corners)]))
    with os.fdopen(answer, "wb") as out:
        out.write(buffer.getvalue())


if __name__ == "__main__":
    main()
