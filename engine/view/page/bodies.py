"""Bodies as a page draws them: meshes, surfaces and prints, as `engine.view.render` has them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.view.page.blob import Blob
from engine.view.render import shading
from engine.view.render.decals import EMBOSS_DEPTH_M, EMBOSS_SLOPE_M, decal_area, decal_picture, is_pressed
from engine.view.render.png import png_of
from engine.view.render.shading import FIBRE_TILE, grain_axes, material_of
from engine.world import TABLE, Body
from models.export import skin_of
from models.piece import Piece

SHADERS = (
    *("light.glsl", "piece.vert", "piece.frag", "table.frag", "backdrop.vert", "backdrop.frag"),
    *("depth.vert", "depth.frag", "overlay.vert", "overlay.frag"),
)
POSITION_STEPS, NORMAL_STEPS = 32_000, 127
"""Steps from the middle of a mesh to its farthest corner, and of a normal's components."""


def shaders() -> dict[str, str]:
    """Returns the texts of the shaders, those that draw our own pictures too."""
    folder = resources.files("engine.view").joinpath("shaders")
    return {name: folder.joinpath(name).read_text(encoding="utf-8") for name in SHADERS}


def light() -> dict[str, Any]:
    """Returns the constants of the light."""
    return {
        "constants": {
            **{
                name: list(getattr(shading, name))
                for name in ("SUN", "SUN_LIGHT", "SKY_LIGHT", "GROUND_LIGHT")
            },
            "FIBRE_SCALE": [1 / side for side in FIBRE_TILE],
        },
        "sunAxes": shading.sun_axes().ravel().tolist(),
        "penumbra": shading.PENUMBRA,
    }


class BodyWriter:
    """Writes bodies of one page; equal meshes and prints are written once."""

    def __init__(self, blob: Blob) -> None:
        self._blob = blob
        self.meshes: list[dict[str, Any]] = []
        self.prints: list[list[object]] = []
        self._mesh_of: dict[bytes, int] = {}
        self._print_of: dict[bytes, int] = {}

    def rows(self, bodies: Sequence[Body]) -> list[dict[str, Any]]:
        """Returns what a page needs to know of each body, but for its place."""
        return [self._row(body) for body in bodies]

    def _row(self, body: Body) -> dict[str, Any]:
        material = material_of(body.piece, body.name)
        finish = material.finish
        found = {
            "name": body.name,
            "mesh": self.mesh(body.piece),
            "albedo": [round(value, 5) for value in material.albedo],
            "finish": [finish.roughness, finish.coat, finish.grain, finish.fibre],
            "offset": [round(value, 5) for value in material.offset],
            "isBox": len(body.piece.parts) == 1 and body.piece.parts[0].half_extents is not None,
            "extents": [round(float(side), 6) for side in body.piece.extents],
        }
        area = None if body.piece.face is None or body.name == TABLE else decal_area(body.piece)
        if area is not None:
            step = EMBOSS_SLOPE_M / np.array(area.size)
            found["print"] = {
                "picture": self._print(decal_picture(body.piece, area)),
                "area": [*area.centre, 1 / area.size[0], 1 / area.size[1]],
                "press": [*step.tolist(), EMBOSS_DEPTH_M / (2 * EMBOSS_SLOPE_M)],
                "isPressed": is_pressed(body.piece),
            }
        return found

    def mesh(self, piece: Piece) -> int:
        """Returns the number of a piece's mesh. Points are quantised, to a micrometre for a brick."""
        skin = skin_of(piece)
        scale = float(np.abs(skin.points).max()) / POSITION_STEPS
        points = np.round(skin.points / scale).astype(np.int16)
        normals = np.round(skin.normals * NORMAL_STEPS).astype(np.int8)
        key = points.tobytes() + normals.tobytes() + skin.triangles.tobytes()
        if key not in self._mesh_of:
            self._mesh_of[key] = len(self.meshes)
            self.meshes.append(
                {
                    "points": self._blob.put(points.T),
                    "normals": self._blob.put(normals.T),
                    "triangles": self._blob.put(
                        skin.triangles.astype(np.uint16 if len(points) < 65536 else np.uint32)
                    ),
                    "scale": scale,
                    "grain": grain_axes(piece).ravel().astype(int).tolist(),
                }
            )
        return self._mesh_of[key]

    def _print(self, picture: NDArray[np.uint8]) -> int:
        key = picture.tobytes()
        if key not in self._print_of:
            self._print_of[key] = len(self.prints)
            self.prints.append(self._blob.put_bytes(png_of(picture)))
        return self._print_of[key]
