"""What a recording holds, as bytes and arrays that are not looked into yet, and what its parts are called."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

META = "meta.json"
JOURNAL = "journal.jsonl"
EVENTS = "events.jsonl"
TRACK = "track.npz"
STATES = "states.npz"
HASHES = "hashes.json"
ENTRIES = (META, JOURNAL, EVENTS, TRACK, STATES, HASHES)
"""Of the zip, in this order."""
STEPS = "steps.npy"
POSES = "poses.npy"


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """The parts of a recording.

    steps: int64 (n,). poses: float32 (n, bodies, 7). state_steps: int64 (m,). state_poses: float64 (m, bodies, 7).
    hashes: the step and the SHA-256 of each boundary. is_complete: the recording was closed.
    """

    meta: bytes
    journal: bytes
    events: bytes
    steps: NDArray[np.int64]
    poses: NDArray[np.float32]
    state_steps: NDArray[np.int64]
    state_poses: NDArray[np.float64]
    hashes: tuple[tuple[int, str], ...]
    is_complete: bool
