"""All pieces as one mesh of places and nothing else: what the sun sees, and ambient occlusion.

Every node costs the processor more than its few triangles do; here are none, and only what moved is written anew.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d import core

from engine.geometry.rotation import matrix_of
from engine.view.frame import Frame
from engine.view.passes import GUIDES, SEEN
from models.piece import Piece

Floats = NDArray[np.float32]

# metres: where nobody looks, for what is not there
NOWHERE = (0.0, 0.0, -1e3)
_BOX = np.array(list(product((-1.0, 1.0), repeat=3)), dtype=np.float32)
# counter-clockwise seen from outside
_SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
_BOX_FACES = np.array(
    [corners for a, b, c, d in _SIDES for corners in ((a, b, c), (a, c, d))], dtype=np.uint32
)


class Casters:
    """The pieces of one stage. root: its scene."""

    def __init__(self, root: Any) -> None:
        self._node = core.GeomNode("casters")
        self._node.set_bounds(core.OmniBoundingVolume())
        self._node.set_final(True)
        root.attach_new_node(self._node).hide(SEEN | GUIDES)
        self._pieces: dict[str, Piece] = {}
        self._places: dict[str, tuple[slice, Floats]] = {}
        self._shown: dict[str, tuple[float, ...] | None] = {}
        self._data: Any = None

    def add(self, name: str, piece: Piece) -> None:
        """One more piece, or another one for a name that is known."""
        self._pieces[name] = piece
        self._data = None

    def show(self, frame: Frame) -> bool:
        """Put pieces where a frame has them; whether anything moved."""
        if not self._pieces:
            return False
        if self._data is None:
            self._join()
        there = {
            name: tuple(row)
            for name, row in zip(frame.names, frame.poses.tolist(), strict=True)
            if name in self._pieces and np.isfinite(sum(row))
        }
        moved = [name for name in self._pieces if there.get(name) != self._shown[name]]
        if moved:
            rows = np.frombuffer(memoryview(self._data.modify_array(0)).cast("B"), np.float32).reshape(-1, 3)
            for name in moved:
                part, points = self._places[name]
                pose = self._shown[name] = there.get(name)
                if pose is None:
                    rows[part] = NOWHERE
                else:
                    x, y, z, *turn = pose
                    rows[part] = points @ matrix_of((turn[0], turn[1], turn[2], turn[3])).T + (x, y, z)
        return bool(moved)

    def _join(self) -> None:
        """One mesh of all pieces, none of them there yet."""
        first, faces = 0, []
        for name, piece in self._pieces.items():
            points, corners = _mesh(piece)
            self._places[name] = (slice(first, first + len(points)), points)
            faces.append(corners + np.uint32(first))
            first += len(points)
        array = core.GeomVertexArrayFormat("vertex", 3, core.Geom.NT_float32, core.Geom.C_point)
        layout = core.GeomVertexFormat.register_format(core.GeomVertexFormat(array))
        self._data = core.GeomVertexData("casters", layout, core.Geom.UH_dynamic)
        self._data.unclean_set_num_rows(first)
        memoryview(self._data.modify_array(0)).cast("B")[:] = np.full(
            (first, 3), NOWHERE, np.float32
        ).tobytes()
        self._shown = dict.fromkeys(self._pieces)
        primitive = core.GeomTriangles(core.Geom.UH_static)
        primitive.set_index_type(core.Geom.NT_uint32)
        indices = np.concatenate(faces).astype(np.uint32)
        table = primitive.modify_vertices()
        table.unclean_set_num_rows(indices.size)
        memoryview(table).cast("B")[:] = indices.tobytes()
        geom = core.Geom(self._data)
        geom.add_primitive(primitive)
        self._node.remove_all_geoms()
        self._node.add_geom(geom)
        self._data = self._node.modify_geom(0).modify_vertex_data()


def _mesh(piece: Piece) -> tuple[Floats, NDArray[np.uint32]]:
    """Points and faces of a piece; of a box without its rounded edges."""
    parts = piece.parts
    if len(parts) == 1 and parts[0].half_extents is not None:
        return (_BOX * (piece.extents / 2)).astype(np.float32), _BOX_FACES
    return piece.visual.vertices.astype(np.float32), piece.visual.faces.astype(np.uint32)
