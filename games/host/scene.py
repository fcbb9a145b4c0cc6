"""The table as browsers draw it: bodies once, as text; poses of what moved, as bytes; encoded once for everybody."""

import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from teeter.engine.pose import Pose
from teeter.engine.view.camera import BoundingSphere, bounding_sphere
from teeter.engine.view.page.blob import Blob
from teeter.engine.view.page.bodies import BodyWriter
from teeter.engine.world.body import FLOOR, Body
from teeter.games.server.messages import TableView
from teeter.models.piece import Piece

MOVED_M, TURNED = 1e-5, 2e-5
"""Metres, and a component of a quaternion, by which a body has to move to be sent again: less than is seen."""
EMPTY_SPHERE = BoundingSphere((0.0, 0.0, 0.0), 0.3)
"""What a camera looks at over an empty table."""
MAX_BODIES = 65535
"""Numbers of bodies are two bytes."""

Rows = NDArray[np.float32]


def dumps(message: Mapping[str, object]) -> str:
    """Returns a message as text."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


class SharedScene:
    """What everybody at the table sees. bodies: those of the beginning. unread: names of pieces whose print nobody may
    see yet; they are sent without it."""

    def __init__(self, bodies: Sequence[Body], unread: frozenset[str]) -> None:
        self.texts: list[str] = []
        """All `bodies` messages so far; whoever joins gets them all."""
        self._pieces: dict[str, Piece] = {}
        self._unread = unread
        self._number: dict[str, int] = {}
        self._count = 0
        self._sent = np.zeros((0, 7), np.float32)
        self.step = 0
        shown = [body for body in bodies if body.name != FLOOR]
        self._write(shown, bounding_sphere(shown) if any(not body.fixed for body in shown) else EMPTY_SPHERE)

    def number(self, name: str) -> int:
        """Returns the number of a body; -1 for none."""
        return self._number.get(name, -1)

    def numbers(self, names: Iterable[str]) -> list[int]:
        """Returns the numbers of those bodies that are known."""
        return [self._number[name] for name in names if name in self._number]

    def add(self, body: Body) -> str:
        """Takes in a body. Returns the message about it, empty when it looks as it did."""
        known = self._pieces.get(body.name)
        if known is not None and _is_same(known, body.piece):
            return ""
        return self._write([body])

    def read(self, unread: frozenset[str]) -> str:
        """Some prints may be seen now, or no more. Returns the message about it, empty when nothing changed."""
        changed = sorted((self._unread ^ unread) & set(self._pieces))
        self._unread = unread
        if not changed:
            return ""
        place = Pose((0.0, 0.0, 0.0))
        return self._write([Body(name, self._pieces[name], place) for name in changed])

    def _write(self, bodies: Sequence[Body], sphere: BoundingSphere | None = None) -> str:
        """Adds bodies; sphere: of the whole table, which has the room around it."""
        if self._count + len(bodies) > MAX_BODIES:
            raise ValueError(f"more than {MAX_BODIES} pieces were brought out")
        first, blob = self._count, Blob()
        rows = np.array([[*body.pose.position, *body.pose.orientation] for body in bodies], np.float32)
        for number, body in enumerate(bodies, first):
            if body.name in self._number:
                # another print on the same piece: it is where it was
                rows[number - first] = self._sent[self._number[body.name]]
            self._pieces[body.name] = body.piece
            self._number[body.name] = number
        self._count += len(bodies)
        seen = [
            replace(body, piece=replace(body.piece, face=None)) if body.name in self._unread else body
            for body in bodies
        ]
        writer = BodyWriter(blob)
        scene = writer.pieces(seen) if sphere is None else writer.scene(seen, sphere)
        text = dumps({"type": "bodies", "first": first, "scene": scene, "blob": blob.text()})
        self.texts.append(text)
        self._sent = np.concatenate([self._sent, rows.reshape(-1, 7)])
        return text

    def moved(self, view: TableView) -> bytes:
        """Returns the poses of what moved since this was last called; empty when nothing did."""
        self.step = view.step
        known = [at for at, name in enumerate(view.names) if name in self._number]
        numbers = np.array([self._number[view.names[at]] for at in known], dtype=np.intp)
        rows = view.poses[known].astype(np.float32)
        away = np.abs(rows - self._sent[numbers])
        has_moved = (away[:, :3] > MOVED_M).any(axis=1) | (away[:, 3:] > TURNED).any(axis=1)
        if not has_moved.any():
            return b""
        self._sent[numbers[has_moved]] = rows[has_moved]
        return _packed(view.step, numbers[has_moved], rows[has_moved])

    def everything(self) -> bytes:
        """Returns the poses of everything, as last sent; after `bodies`, and to who missed some."""
        there = np.array(sorted(self._number.values()), dtype=np.intp)
        return _packed(self.step, there, self._sent[there])


def _packed(step: int, numbers: NDArray[np.intp], rows: Rows) -> bytes:
    """u32 step, then for each body u16 number and seven f32, little-endian."""
    record = np.zeros(len(numbers), dtype=np.dtype([("number", "<u2"), ("pose", "<f4", 7)]))
    record["number"], record["pose"] = numbers, rows
    return struct.pack("<I", step % 2**32) + record.tobytes()


def _is_same(one: Piece, other: Piece) -> bool:
    """Whether two pieces look the same; they came through a pipe, so they are never the same object."""
    return one is other or (
        (one.model, one.mass, one.face) == (other.model, other.mass, other.face)
        and np.array_equal(one.visual.vertices, other.visual.vertices)
    )
