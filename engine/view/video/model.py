"""A film as an animated glTF model, for those who render it elsewhere: pieces of wood with a key for every frame, the
camera of the film, and its sun."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teeter.engine.geometry.rotation import quaternion_of
from teeter.engine.record.gltf import Z_UP, Animation
from teeter.engine.view.camera import Camera
from teeter.engine.view.render.png import png_of
from teeter.engine.view.render.shading import SUN_LIGHT, fibres, sun_axes
from teeter.engine.view.video.film import Film
from teeter.engine.world.body import TABLE
from teeter.models.export import GltfWriter
from teeter.models.piece import Array

Pixels = NDArray[np.uint8]

NEAR_M = 0.01
LIGHTS = "KHR_lights_punctual"


def glb_of_film(film: Film, title: str) -> bytes:
    """The bytes of a `.glb` file. Frame n of the film is the key at n / fps seconds."""
    writer = GltfWriter()
    recipe = film.recipe
    animation = Animation(writer, np.arange(len(film)) / recipe.fps, every=True)
    grain = writer.picture(png_of(_grain()))
    nodes: list[dict[str, Any]] = []
    meshes: dict[int, int] = {}
    columns = {name: column for column, name in enumerate(film.names)}
    for body in film.bodies:
        if id(body.piece) not in meshes:
            meshes[id(body.piece)] = writer.mesh(body.piece, grain=grain)
        nodes.append({"name": body.name, "mesh": meshes[id(body.piece)]})
        if body.name == TABLE:
            nodes[-1] |= {"translation": list(body.pose.position), "rotation": list(body.pose.orientation)}
        else:
            nodes[-1] |= animation.add(len(nodes), film.poses[:, columns[body.name]].astype(np.float64))
    cameras = [film.path.camera(number) for number in range(len(film))]
    nodes.append({"name": f"camera {recipe.camera}", "camera": 0})
    nodes[-1] |= animation.add(
        len(nodes), np.array([(*camera.eye, *_looking(camera.axes)) for camera in cameras])
    )
    nodes.append(
        {"name": "sun", "rotation": list(_looking(sun_axes())), "extensions": {LIGHTS: {"light": 0}}}
    )
    brightest = max(SUN_LIGHT)
    sun = {
        "name": "sun",
        "type": "directional",
        "color": [part / brightest for part in SUN_LIGHT],
        "intensity": brightest,
    }
    root = {"name": "teeter", "rotation": Z_UP, "children": list(range(1, len(nodes) + 1))}
    return writer.finish(
        [root, *nodes],
        title,
        animation.value(title),
        cameras=[
            {"name": recipe.camera, "type": "perspective", "perspective": _lens(cameras[0], recipe.size)}
        ],
        extensionsUsed=[LIGHTS],
        extensions={LIGHTS: {"lights": [sun]}},
    )


def _grain() -> Pixels:
    """Light and dark fibres (h, w, 3): what the colour of a wood is multiplied by."""
    tone, flecks = (fibres()[..., channel].astype(float) / 255 for channel in (0, 1))
    light = np.clip(0.92 + 0.3 * (tone - 0.5) - 0.35 * flecks, 0.0, 1.0)
    return np.repeat(np.round(255 * light).astype(np.uint8)[..., None], 3, axis=2)


def _looking(axes: Array) -> tuple[float, float, float, float]:
    """The turn of a glTF camera or light, which looks along its own -z with y up. axes: right, forward, up as rows."""
    right, forward, up = axes
    return quaternion_of(np.stack([right, up, -forward], axis=1))


def _lens(camera: Camera, size: tuple[int, int]) -> dict[str, float]:
    return {"yfov": math.radians(camera.fov), "aspectRatio": size[0] / size[1], "znear": NEAR_M}
