"""Numbers of a page: arrays one after the other, deflated as a whole, and where in it each one is."""

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

TYPES = {
    "i1": "Int8Array",
    "u1": "Uint8Array",
    "i2": "Int16Array",
    "u2": "Uint16Array",
    "u4": "Uint32Array",
    "f4": "Float32Array",
}


class Blob:
    """Collects arrays. `put` says where one is: its JavaScript type, the byte it begins at, how many numbers."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def put(self, values: NDArray[Any]) -> list[object]:
        """Adds an array of a type of `TYPES`, and returns where it is."""
        name = TYPES[values.dtype.newbyteorder("=").str[1:]]
        data = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("<"))).tobytes()
        reference: list[object] = [name, self._size, int(values.size)]
        # typed arrays begin at multiples of their own size
        padding = -len(data) % 4
        self._parts += [data, b"\0" * padding]
        self._size += len(data) + padding
        return reference

    def put_bytes(self, data: bytes) -> list[object]:
        """Adds bytes, such as those of a file, and returns where they are."""
        return self.put(np.frombuffer(data, np.uint8))

    def text(self) -> str:
        """Returns everything, deflated (RFC 1950) and in base 64."""
        return base64.b64encode(zlib.compress(b"".join(self._parts), 9)).decode("ascii")


def varints(values: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Returns integers as variable-length ones: small ones of either sign in a byte, seven bits in each, low ones first
    (LEB128 of the zigzag)."""
    rest = (values.astype(np.int64) << 1 ^ values.astype(np.int64) >> 63).astype(np.uint64)
    rows = np.stack([rest >> np.uint64(7 * place) for place in range(5)], axis=1)
    if (rest >> np.uint64(35)).any():
        raise ValueError("a number is too large for five bytes")
    is_used = rows > 0
    is_used[:, 0] = True
    goes_on = np.zeros_like(is_used)
    goes_on[:, :-1] = is_used[:, 1:]
    digits = (rows & np.uint64(127)) | (goes_on.astype(np.uint64) << np.uint64(7))
    return np.asarray(digits[is_used], dtype=np.uint8)
