"""Bodies as nodes of a stage: mesh, surface, print and shader; and the light they stand in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d import core

from engine.view.casters import Casters
from engine.view.device import geom_of, shader, texture_of
from engine.view.frame import Frame
from engine.view.geometry import parted, triangles_of
from engine.view.grain import fibres, rings
from engine.view.look import Level, linear_of, look_of
from engine.view.passes import CASTS, DEEP, covering
from engine.view.prints import Prints
from engine.view.table import TableTop
from engine.world import TABLE, Body
from models.piece import Piece

# a highlight lets the rest of the piece's own look through
MARK_STRENGTH = 0.72


class Nodes:
    """The bodies of one stage. root: its scene. paths: their nodes by name. halves: half sides of pieces, metres.
    table: None where there is none. casters: the pieces once more, for depths."""

    def __init__(self, root: Any, level: Level) -> None:
        self._root, self._level = root, level
        self.paths: dict[str, Any] = {}
        self.halves: dict[str, NDArray[np.float64]] = {}
        self.table: TableTop | None = None
        self._kinds: dict[str, tuple[bool, int]] = {}
        self._geoms: dict[tuple[int, bool], tuple[list[Any], Any]] = {}
        self._prints = Prints(level.slant)
        self.casters = Casters(root)
        self._marked: set[str] = set()
        self._unread: frozenset[str] = frozenset()
        self._light()

    def add(self, body: Body) -> None:
        """One more body; one of a known name takes its place."""
        if body.name in self.paths:
            self.paths.pop(body.name).remove_node()
            self._marked.discard(body.name)
            self._unread -= {body.name}
        path = self.paths[body.name] = self._root.attach_new_node(core.GeomNode(body.name))
        look = look_of(body.piece, body.name)
        finish = look.finish
        path.set_shader_input("u_albedo", core.LVecBase3(*look.albedo))
        path.set_shader_input(
            "u_finish", core.LVecBase4(finish.roughness, finish.coat, finish.grain, finish.fibre)
        )
        path.set_shader_input("u_offset", core.LVecBase3(*look.offset))
        face = 0 if body.name == TABLE else self._prints.dress(path, body.piece)
        for geom in self._mesh(body.piece, face > 0):
            path.node().add_geom(geom)
        if body.name == TABLE:
            self.table = TableTop(body, path)
            self.table.shine(*self._table_shaders())
            return
        self._kinds[body.name] = (finish.coat > 0, face)
        self._shade(body.name)
        path.set_bin("pieces", 0)
        path.hide(CASTS | DEEP)
        self.casters.add(body.name, body.piece)
        self.halves[body.name] = body.piece.extents / 2

    def _mesh(self, piece: Piece, is_printed: bool) -> list[Any]:
        """What of a piece shows no print, and what may. Pieces of one kind share it on the card."""
        key = (id(piece.visual), is_printed)
        if key not in self._geoms:
            whole = triangles_of(piece)
            parts = parted(whole) if is_printed else (whole,)
            # the mesh is held beside it, so that no other gets its id
            self._geoms[key] = ([geom_of(part) for part in parts], piece.visual)
        return self._geoms[key][0]

    def _shade(self, name: str) -> None:
        """Give a piece its shaders."""
        path, (is_coated, face) = self.paths[name], self._kinds[name]
        path.set_shader(self._piece_shader(is_coated, 0))
        if face:
            printed = core.ShaderAttrib.make(self._piece_shader(is_coated, face))
            path.node().set_geom_state(1, core.RenderState.make(printed))

    def mark(self, frame: Frame) -> None:
        """Show the marks of a frame and no others, and hide the prints it keeps hidden."""
        for name in self._marked - set(frame.highlights):
            self.paths[name].clear_shader_input("u_mark")
        for name, colour in frame.highlights.items():
            self.paths[name].set_shader_input("u_mark", core.LVecBase4(*linear_of(colour), MARK_STRENGTH))
        self._marked = set(frame.highlights)
        for name in self._unread ^ frame.unread:
            self.paths[name].set_shader_input("u_face_shown", float(name not in frame.unread))
        self._unread = frame.unread

    def relight(self, level: Level) -> None:
        """Shade everything as another level does."""
        self._level = level
        for name in self._kinds:
            self._shade(name)
        if self.table is not None:
            self.table.shine(*self._table_shaders())
        self._backdrop.set_shader(self._backdrop_shader())

    def _table_shaders(self) -> tuple[Any, Any]:
        """Where nothing is near, and where shadows fall."""
        far, close = (self._shader("table.frag", TABLE=1, CLOSE=close) for close in (0, 1))
        return far, close

    def _backdrop_shader(self) -> Any:
        return self._shader("backdrop.frag", vertex="backdrop.vert")

    def _piece_shader(self, is_coated: bool, face: int) -> Any:
        """The shader of pieces of a kind: lacquered or not, and `FACE` as `Prints.dress` answers it."""
        coat: dict[str, int] = {"COAT": 1} if is_coated else {}
        return self._shader("piece.frag", vertex="piece.vert", **coat, **({"FACE": face} if face else {}))

    def _shader(self, *fragments: str, vertex: str = "piece.vert", **defines: int) -> Any:
        level = self._level
        defines |= {"TAPS": level.taps, "SIDE": level.side, "OCCLUSION": level.occlusion}
        return shader(vertex, "light.glsl", *fragments, **defines)

    def _light(self) -> None:
        root = self._root
        root.set_shader_input("u_mark", core.LVecBase4(0, 0, 0, 0))
        root.set_shader_input("u_fibres", texture_of("fibres", fibres(), mipmaps=True))
        root.set_shader_input("u_rings", texture_of("rings", rings(), mipmaps=False))
        self._backdrop = covering(self._backdrop_shader())
        self._backdrop.set_bin("fixed", 10)
        self._backdrop.hide(CASTS | DEEP)
        self._backdrop.reparent_to(root)
