"""Bodies as nodes of a stage: mesh, material, decal and shader; and the table they stand on."""

from typing import Any

import numpy as np
from panda3d import core

from teeter.engine.view.camera import Vector
from teeter.engine.view.frame import Frame
from teeter.engine.view.render.decals import Decals
from teeter.engine.view.render.passes import CASTS, DEEP, ShadowCasters
from teeter.engine.view.render.resources import (
    geom_of,
    parted,
    shader,
    texture_of,
    triangles_of,
    unculled,
    wrap,
)
from teeter.engine.view.render.room import room_mesh, room_picture
from teeter.engine.view.render.shading import (
    FLOOR_DEPTH_M,
    TABLE_TOPS,
    QualityLevel,
    TableTop,
    fibres,
    material_of,
    rings,
)
from teeter.engine.view.render.table import TableNode
from teeter.engine.world.body import TABLE, Body
from teeter.models.piece import Array, Piece, TriangleMesh


class Nodes:
    """The bodies of one stage.

    root: its scene. top: what lies on the table. paths: their nodes by name. halves: half sides of pieces, metres.
    table: None where there is none. casters: the pieces once more, for depths.
    """

    def __init__(self, root: Any, level: QualityLevel, top: TableTop = "wood") -> None:
        self._root, self._level, self.top = root, level, top
        self.paths: dict[str, Any] = {}
        self.halves: dict[str, Array] = {}
        self.table: TableNode | None = None
        self._kinds: dict[str, tuple[tuple[str, ...], int]] = {}
        self._geoms: dict[tuple[TriangleMesh, bool], list[Any]] = {}
        self._decals = Decals(level.anisotropy)
        self.casters = ShadowCasters(root)
        self._unread: frozenset[str] = frozenset()
        self._undrawn: dict[str, Piece] = {}
        self._light()

    def add(self, body: Body, *, is_unread: bool = False) -> None:
        """Adds a body; it replaces one of the same name. is_unread: its print is hidden, until a frame shows it."""
        if body.name in self.paths:
            self.paths.pop(body.name).remove_node()
            self._unread -= {body.name}
            self._undrawn.pop(body.name, None)
        path = self.paths[body.name] = self._root.attach_new_node(core.GeomNode(body.name))
        material = material_of(body.piece, body.name)
        finish = material.finish
        path.set_shader_input("u_albedo", core.LVecBase3(*material.albedo))
        surface = core.LVecBase4(finish.roughness, finish.coat, finish.grain, finish.fibre)
        path.set_shader_input("u_finish", surface)
        path.set_shader_input("u_offset", core.LVecBase3(*material.offset))
        face = 0 if body.name == TABLE else self._decals.dress(path, body.piece, is_hidden=is_unread)
        if is_unread:
            self._undrawn[body.name] = body.piece
        if body.name == TABLE:
            self.table = TableNode(body, path)
            self.table.shine(*self._table_shaders())
            self.furnish()
            return
        for geom in self._mesh(body.piece, face > 0):
            path.node().add_geom(geom)
        self._kinds[body.name] = (material.kind, face)
        self._shade(body.name)
        path.set_bin("pieces", 0)
        path.hide(CASTS | DEEP)
        self.casters.add(body.name, body.piece)
        self.halves[body.name] = body.piece.extents / 2

    def _mesh(self, piece: Piece, is_printed: bool) -> list[Any]:
        """Returns what of a piece shows no print, and what may. Pieces of one kind share it on the card."""
        key = (piece.visual, is_printed)
        if key not in self._geoms:
            whole = triangles_of(piece)
            self._geoms[key] = [geom_of(part) for part in (parted(whole) if is_printed else (whole,))]
        return self._geoms[key]

    def _shade(self, name: str) -> None:
        """Gives a piece its shaders."""
        path, (kind, face) = self.paths[name], self._kinds[name]
        path.set_shader(self._piece_shader(kind, 0))
        if face:
            printed = core.ShaderAttrib.make(self._piece_shader(kind, face))
            path.node().set_geom_state(1, core.RenderState.make(printed))

    def dress(self, frame: Frame) -> None:
        """Hides the prints a frame keeps hidden, and no others."""
        for name in self._undrawn.keys() - frame.unread:
            self._decals.reveal(self.paths[name], self._undrawn.pop(name))
        for name in self._unread ^ frame.unread:
            self.paths[name].set_shader_input("u_face_shown", float(name not in frame.unread))
        self._unread = frame.unread

    def dress_table(self, top: TableTop) -> None:
        """Lays something else on the table."""
        self.top = top
        self.furnish()
        if self.table is not None:
            self.table.shine(*self._table_shaders())

    def relight(self, level: QualityLevel) -> None:
        """Shades everything at another level."""
        self._level = level
        for name in self._kinds:
            self._shade(name)
        if self.table is not None:
            self.table.shine(*self._table_shaders())

    def _table_shaders(self) -> tuple[Any, Any]:
        """Returns the shaders for where nothing is near, and for where shadows fall."""
        cloth = TABLE_TOPS.index(self.top)
        wanted = {"TABLE": 1, **({"CLOTH": cloth} if cloth else {})}
        far, close = (
            self._shader("table.frag", vertex="piece.vert", CLOSE=close, **wanted) for close in (0, 1)
        )
        return far, close

    def _piece_shader(self, kind: tuple[str, ...], face: int) -> Any:
        """Returns the shader of pieces of a kind, and `FACE` as `Decals.dress` returns it."""
        wanted = dict.fromkeys(kind, 1) | {"FACE": face}
        return self._shader("piece.frag", vertex="piece.vert", **{name: n for name, n in wanted.items() if n})

    def _shader(self, *fragments: str, vertex: str = "piece.vert", **defines: int) -> Any:
        level = self._level
        defines |= {"TAPS": level.taps, "SIDE": level.side, "OCCLUSION": level.occlusion}
        return shader(vertex, "light.glsl", *fragments, **defines)

    def _light(self) -> None:
        root = self._root
        root.set_shader_input("u_fibres", texture_of("fibres", fibres(), mipmaps=True))
        root.set_shader_input("u_rings", texture_of("rings", rings(), mipmaps=False))
        node = unculled("room")
        node.add_geom(geom_of(room_mesh()))
        self._room = root.attach_new_node(node)
        self._room.set_shader(shader("backdrop.vert", "backdrop.frag"))
        self._room.set_depth_write(False)
        # it lies as far away as the depths a picture begins with
        self._room.set_attrib(core.DepthTestAttrib.make(core.RenderAttrib.M_less_equal))
        self._room.set_bin("fixed", 10)
        self._room.hide(CASTS | DEEP)

    def lean(self, turn: Array) -> Vector:
        """Turns the room (3, 3) about the middle of the table. Returns that."""
        x, y, top = self._stand
        p, q, r = (np.array(self._stand) + turn @ (0.0, 0.0, -FLOOR_DEPTH_M)).tolist()
        self._room.set_mat(core.LMatrix4(*turn[:, 0], 0, *turn[:, 1], 0, *turn[:, 2], 0, p, q, r, 1))
        return x, y, top

    def furnish(self) -> None:
        """Puts the room around the table."""
        x, y, wide, deep = (0.0, 0.0, 0.0, 0.0) if self.table is None else self.table.area
        top = 0.0 if self.table is None else self.table.height
        self._stand = (x, y, top)
        self.lean(np.eye(3))
        painted = room_picture((wide, deep))
        picture = texture_of("room", 0 * painted if self.top == "none" else painted, mipmaps=False)
        wrap(picture, core.SamplerState.WM_clamp)
        self._room.set_shader_input("u_room", picture)
