"""What is printed on pieces, as the graphics card wants it."""

from __future__ import annotations

from typing import Any

import numpy as np
from panda3d import core

from engine.view.device import face_texture
from engine.view.faces import DEPTH, Area, area_of, is_pressed, picture_of
from engine.view.look import grain_axes
from models.piece import Piece

# metres: how broad the slope of a pressed edge is, to either side
SLOPE = 0.00022


class Prints:
    """The pictures of the faces of a stage's pieces; equal faces share one."""

    def __init__(self, slant: int) -> None:
        self._slant = slant
        self._textures: dict[int, tuple[Any, Any]] = {}

    def dress(self, path: Any, piece: Piece) -> int:
        """Give a node the picture of its piece.

        The answer is the `FACE` its shader is made with: 0 when nothing is printed, 2 when it is pressed in.
        """
        area = None if piece.face is None else area_of(piece)
        if area is None:
            return 0
        axes = grain_axes(piece)
        path.set_shader_input("u_face", self._texture(piece, area))
        # Panda3D multiplies from the left, and knows no smaller matrix here
        path.set_shader_input("u_face_axes", core.LMatrix4(core.LMatrix3(*axes.ravel().tolist())))
        path.set_shader_input("u_face_area", core.LVecBase4(*area.centre, 1 / area.size[0], 1 / area.size[1]))
        step = SLOPE / np.array(area.size)
        path.set_shader_input("u_face_press", core.LVecBase3(*step.tolist(), DEPTH / (2 * SLOPE)))
        path.set_shader_input("u_face_shown", 1.0)
        return 2 if is_pressed(piece) else 1

    def _texture(self, piece: Piece, area: Area) -> Any:
        picture = picture_of(piece, area)
        # held beside its texture, so that no other picture gets its id
        if id(picture) not in self._textures:
            self._textures[id(picture)] = (face_texture("face", picture, self._slant), picture)
        return self._textures[id(picture)][0]
