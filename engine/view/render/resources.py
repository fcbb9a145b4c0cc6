"""What shaders draw with: shader programs, triangle meshes and textures."""

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d import core

from teeter.engine.view.render import shading
from teeter.engine.view.render.shading import FIBRE_TILE, grain_axes
from teeter.models.piece import Piece

Floats = NDArray[np.float32]

GLSL_VERSION = "#version 150\n"
LIGHTING_CONSTANTS = ("SUN", "SUN_LIGHT", "SKY_LIGHT", "GROUND_LIGHT", "WINDOW")
"""Names in `shading` that shaders know too."""
FULL_SCREEN = np.array([[-1, -1], [3, -1], [-1, 3]])
"""One triangle that covers the picture."""
UP = 0.99
"""Prints are shown where the normal points up at least this much."""


@dataclass(frozen=True, slots=True, eq=False)
class Triangles:
    """A mesh to draw. rows: (n, 12) position, normal, position and normal along the grain axes; metres.

    indices: (f, 3) rows of the corners, counter-clockwise seen from outside.
    """

    rows: Floats
    indices: NDArray[np.uint32]


def triangles_of(piece: Piece) -> Triangles:
    """Returns the visual mesh of a piece."""
    # what it needs takes half a second to load, and a window opens before its pieces are there
    from teeter.models.export import skin_of

    skin = skin_of(piece)
    axes = grain_axes(piece).astype(np.float32)
    rows = np.concatenate([skin.points, skin.normals, skin.points @ axes.T, skin.normals @ axes.T], axis=1)
    return Triangles(np.ascontiguousarray(rows), skin.triangles)


def parted(triangles: Triangles) -> tuple[Triangles, Triangles]:
    """Returns what faces sideways or down, and what faces up, where there may be a print.

    `piece.frag` has the same limit. Sampling the print costs as much as all else, and most of a piece shows none.
    """
    up = triangles.rows[triangles.indices, 5].max(axis=1) > UP
    return Triangles(triangles.rows, triangles.indices[~up]), Triangles(triangles.rows, triangles.indices[up])


@cache
def shader(vertex: str, *fragments: str, **defines: int) -> Any:
    """Returns a shader of a vertex file and joined fragment files, with lighting and numbers as constants.

    What the compiler knows costs less than uniforms.
    """
    constants = {name: f"vec3{getattr(shading, name)}" for name in LIGHTING_CONSTANTS}
    constants["FIBRE_SCALE"] = f"vec2{tuple(1 / side for side in FIBRE_TILE)}"
    head = GLSL_VERSION + "".join(
        f"#define {name} {value}\n" for name, value in (constants | defines).items()
    )
    folder = resources.files("teeter.engine.view").joinpath("shaders")
    vertices, body = (
        head + "".join(folder.joinpath(name).read_text("utf-8").replace(GLSL_VERSION, "") for name in names)
        for names in ((vertex,), fragments)
    )
    return core.Shader.make(core.Shader.SL_GLSL, vertex=vertices, fragment=body)


def _format() -> Any:
    array = core.GeomVertexArrayFormat()
    roles = (core.Geom.C_point, core.Geom.C_normal, core.Geom.C_other, core.Geom.C_other)
    for name, role in zip(("vertex", "normal", "grain", "grain_normal"), roles, strict=True):
        array.add_column(name, 3, core.Geom.NT_float32, role)
    return core.GeomVertexFormat.register_format(core.GeomVertexFormat(array))


def geom_of(triangles: Triangles) -> Any:
    """Returns a mesh for the graphics card."""
    rows = np.ascontiguousarray(triangles.rows, dtype=np.float32)
    data = core.GeomVertexData("piece", _format(), core.Geom.UH_static)
    data.unclean_set_num_rows(len(rows))
    # nothing has no bytes to look at
    if len(rows):
        memoryview(data.modify_array(0)).cast("B")[:] = rows.data.cast("B")
    return indexed(data, triangles.indices)


def indexed(data: Any, indices: NDArray[Any]) -> Any:
    """Returns a mesh of vertex data and triangles (f, 3)."""
    indices = np.ascontiguousarray(indices, dtype=np.uint32)
    primitive = core.GeomTriangles(core.Geom.UH_static)
    primitive.set_index_type(core.Geom.NT_uint32)
    array = primitive.modify_vertices()
    array.unclean_set_num_rows(indices.size)
    if indices.size:
        memoryview(array).cast("B")[:] = indices.data.cast("B")
    geom = core.Geom(data)
    geom.add_primitive(primitive)
    return geom


def fan(count: int) -> NDArray[np.uint32]:
    """Returns (count - 2, 3): the triangles of a convex polygon."""
    second = np.arange(1, count - 1, dtype=np.uint32)
    return np.stack([np.zeros_like(second), second, second + 1], axis=1)


def unculled(name: str) -> Any:
    """Returns a node for geoms that is drawn wherever the camera looks."""
    node = core.GeomNode(name)
    node.set_bounds(core.OmniBoundingVolume())
    node.set_final(True)
    return node


def screen_geom(corners: NDArray[Any] = FULL_SCREEN) -> Any:
    """Returns a convex part of the picture, for `screen.vert`. corners: (n, 2), (-1, -1) at the lower left."""
    rows = np.zeros((len(corners), 12), dtype=np.float32)
    rows[:, (0, 2)] = corners
    return geom_of(Triangles(rows, fan(len(corners))))


def wrap(texture: Any, mode: Any) -> None:
    """Sets what lies beyond the sides of a texture."""
    texture.set_wrap_u(mode)
    texture.set_wrap_v(mode)


def decal_texture(pixels: Any, anisotropy: int) -> Any:
    """Returns a texture of (h, w, 4) bytes, sRGB and opacity, top row first."""
    texture = texture_of("decal", pixels[::-1], mipmaps=True)
    texture.set_format(core.Texture.F_srgb_alpha)
    if anisotropy > 1:
        texture.set_minfilter(core.SamplerState.FT_linear_mipmap_linear)
        texture.set_anisotropic_degree(anisotropy)
    wrap(texture, core.SamplerState.WM_clamp)
    return texture


def texture_of(name: str, pixels: Any, *, mipmaps: bool) -> Any:
    """Returns a texture of (h, w, 4) bytes that repeats."""
    height, width = pixels.shape[:2]
    texture = core.Texture(name)
    texture.setup_2d_texture(width, height, core.Texture.T_unsigned_byte, core.Texture.F_rgba8)
    # Panda3D keeps blue first
    texture.set_ram_image(np.ascontiguousarray(pixels[..., [2, 1, 0, 3]]).tobytes())
    texture.set_minfilter(
        core.SamplerState.FT_linear_mipmap_nearest if mipmaps else core.SamplerState.FT_linear
    )
    texture.set_magfilter(core.SamplerState.FT_linear)
    wrap(texture, core.SamplerState.WM_repeat)
    return texture
