"""The fingerprint of a state: equal digests mean equal poses, bit for bit."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

_SHA256 = re.compile("[0-9a-f]{64}")


def is_digest(value: object) -> TypeGuard[str]:
    """Whether a value is a SHA-256 in 64 lower-case hex digits."""
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


def state_digest(names: Sequence[str], poses: NDArray[np.float64]) -> str:
    """SHA-256 (64 hex digits) of bodies and where they are, whatever order they come in.

    poses: (n, 7) metres and xyzw, a row for each name. Hashed are, in the order of the names, the length of the
    name's UTF-8 (4 bytes), the name, and its row as seven float64; all numbers little-endian. Two zeros of
    different sign differ. Raises ValueError when rows and names do not match or a name stands twice.
    """
    rows = np.asarray(poses, dtype="<f8")
    if rows.shape != (len(names), 7):
        raise ValueError(f"poses have the shape {rows.shape}; {len(names)} names need ({len(names)}, 7)")
    if len(set(names)) != len(names):
        raise ValueError("a name stands twice: a body has one pose")
    total = hashlib.sha256()
    for place in sorted(range(len(names)), key=names.__getitem__):
        name = names[place].encode("utf-8")
        total.update(len(name).to_bytes(4, "little") + name + rows[place].tobytes())
    return total.hexdigest()
