"""Bodies as a page draws them: meshes, surfaces and prints, as `engine.view.render` has them."""

from collections.abc import Sequence
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teeter.engine.view.camera import BoundingSphere
from teeter.engine.view.page.blob import Blob
from teeter.engine.view.render import shading
from teeter.engine.view.render.decals import (
    EMBOSS_DEPTH_M,
    EMBOSS_SLOPE_M,
    decal_area,
    decal_picture,
    is_pressed,
)
from teeter.engine.view.render.outlines import MIN_WIDTH_PX, WIDTH
from teeter.engine.view.render.png import png_of
from teeter.engine.view.render.resources import LIGHTING_CONSTANTS, Triangles, triangles_of
from teeter.engine.view.render.room import room_mesh, room_picture
from teeter.engine.view.render.shading import FIBRE_TILE, FLOOR_DEPTH_M, grain_axes, material_of
from teeter.engine.view.render.table import EDGE_MM, table_area, table_height, table_mesh
from teeter.engine.world.body import TABLE, Body

SHADERS = (
    *("light.glsl", "piece.vert", "piece.frag", "table.frag", "backdrop.vert", "backdrop.frag"),
    *("depth.vert", "depth.frag", "overlay.vert", "overlay.frag"),
)
POSITION_STEPS, NORMAL_STEPS = 32_000, 127
"""Steps from the middle of a mesh to its farthest corner, and of a normal's components."""


def shaders() -> dict[str, str]:
    """Returns the texts of the shaders, those that draw our own pictures too, without their comments."""
    folder = resources.files("teeter.engine.view").joinpath("shaders")
    return {name: _code(folder.joinpath(name).read_text(encoding="utf-8")) for name in SHADERS}


def _code(text: str) -> str:
    lines = (line.partition("//")[0].strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def light() -> dict[str, Any]:
    """Returns the constants of the light."""
    return {
        "constants": {
            **{name: list(getattr(shading, name)) for name in LIGHTING_CONSTANTS},
            "FIBRE_SCALE": [1 / side for side in FIBRE_TILE],
        },
        "sunAxes": shading.sun_axes().ravel().tolist(),
        "penumbra": shading.PENUMBRA,
        "tableEdge": EDGE_MM / 1000,
        "outline": [WIDTH, MIN_WIDTH_PX],
    }


class BodyWriter:
    """Writes bodies of one page; equal meshes and prints are written once."""

    def __init__(self, blob: Blob) -> None:
        self._blob = blob
        self._meshes: list[dict[str, Any]] = []
        self._prints: list[list[object]] = []
        self._mesh_of: dict[bytes, int] = {}
        self._print_of: dict[bytes, int] = {}

    def scene(self, bodies: Sequence[Body], sphere: BoundingSphere) -> dict[str, Any]:
        """Returns what a page needs to know of bodies, but for their places, and of the room around them."""
        table = next((n for n, body in enumerate(bodies) if body.name == TABLE), -1)
        return {
            **self.pieces(bodies),
            "table": table,
            "room": self._room(bodies[table] if table >= 0 else None),
            "sphere": [*sphere.centre, sphere.radius],
        }

    def pieces(self, bodies: Sequence[Body]) -> dict[str, Any]:
        """Returns the same of bodies alone, such as those that come into a room that is known."""
        return {
            "bodies": [self._row(body) for body in bodies],
            "meshes": self._meshes,
            "prints": self._prints,
        }

    def _row(self, body: Body) -> dict[str, Any]:
        material = material_of(body.piece, body.name)
        finish = material.finish
        row = {
            "name": body.name,
            "mesh": self._mesh(body),
            "albedo": [round(value, 5) for value in material.albedo],
            "finish": [finish.roughness, finish.coat, finish.grain, finish.fibre],
            "offset": [round(value, 5) for value in material.offset],
            "kind": material.kind,
            "isBox": len(body.piece.parts) == 1 and body.piece.parts[0].half_extents is not None,
            "extents": [round(float(side), 6) for side in body.piece.extents],
        }
        area = None if body.piece.face is None or body.name == TABLE else decal_area(body.piece)
        if area is not None:
            step = EMBOSS_SLOPE_M / np.array(area.size)
            row["print"] = {
                "picture": self._print(decal_picture(body.piece, area)),
                "area": [*area.centre, 1 / area.size[0], 1 / area.size[1]],
                "press": [*step.tolist(), EMBOSS_DEPTH_M / (2 * EMBOSS_SLOPE_M)],
                "isPressed": is_pressed(body.piece),
            }
        return row

    def _mesh(self, body: Body) -> int:
        """Returns the number of a body's mesh. Points are quantised, to a micrometre for a brick."""
        is_table = body.name == TABLE
        mesh = table_mesh(body) if is_table else triangles_of(body.piece)
        scale = float(np.abs(mesh.rows[:, :3]).max()) / POSITION_STEPS
        points = np.round(mesh.rows[:, :3] / scale).astype(np.int16)
        normals = np.round(mesh.rows[:, 3:6] * NORMAL_STEPS).astype(np.int8)
        key = bytes([is_table]) + points.tobytes() + normals.tobytes() + mesh.indices.tobytes()
        if key not in self._mesh_of:
            self._mesh_of[key] = len(self._meshes)
            self._meshes.append(
                {
                    "points": self._blob.put(points.T),
                    "normals": self._blob.put(normals.T),
                    "triangles": self._triangles(mesh),
                    "scale": scale,
                    "grain": grain_axes(body.piece).ravel().astype(int).tolist(),
                    # a table is cut from planks: where, no turning tells
                    "along": [self._blob.put(mesh.rows[:, k : k + 3]) for k in (6, 9)] if is_table else None,
                }
            )
        return self._mesh_of[key]

    def _triangles(self, mesh: Triangles) -> list[object]:
        return self._blob.put(mesh.indices.astype(np.uint16 if len(mesh.rows) < 65536 else np.uint32))

    def _room(self, table: Body | None) -> dict[str, Any]:
        """Returns the room: its mesh, its picture, and where it is."""
        x, y, wide, deep = (0.0, 0.0, 0.0, 0.0) if table is None else table_area(table)
        top = 0.0 if table is None else table_height(table)
        mesh = room_mesh()
        return {
            "points": self._blob.put(mesh.rows[:, :3].T),
            "places": self._blob.put(mesh.rows[:, 3:6].T),
            "triangles": self._triangles(mesh),
            "picture": self._blob.put_bytes(png_of(room_picture((wide, deep), 0.0)[..., :3])),
            "position": [x, y, top - FLOOR_DEPTH_M],
        }

    def _print(self, picture: NDArray[np.uint8]) -> int:
        key = picture.tobytes()
        if key not in self._print_of:
            self._print_of[key] = len(self._prints)
            self._prints.append(self._blob.put_bytes(png_of(picture)))
        return self._print_of[key]
