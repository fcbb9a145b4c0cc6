"""Images of what an environment holds: heights from straight above, exact, and renderings for `render()`.

The renderer is loaded when the first rendering is asked for.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from teeter.engine.geometry.convex import ConvexSolid, solids_at
from teeter.engine.pose import Pose
from teeter.engine.world.body import Body
from teeter.models.build import build
from teeter.models.piece import Array, Piece
from teeter.models.spec import PieceSpec

if TYPE_CHECKING:
    from teeter.engine.view.render.stage import Stage


WALL_RISE = 1e-9
"""A face whose unit normal rises by less than this is a wall: it bounds what is over a point, but is not its height."""
RENDER_SIZE = (640, 480)
"""Pixels: what videos of training are kept in."""
MIN_RADIUS = 0.12
"""Metres: the radius of what is looked at, at least, so that the first block is not seen through a magnifying glass."""


def depth_image(
    bodies: Iterable[Body], middle: tuple[float, float], side: float, pixels: int
) -> NDArray[np.float32]:
    """Returns heights (pixels, pixels) in metres over z = 0 at the centre of every pixel; 0 where nothing rises above
    it.

    middle, side: of the square that is looked at, metres. Row 0 is the far side (+y), column 0 the left one (-x).
    Exact for convex parts.
    """
    centres = (np.arange(pixels) + 0.5) / pixels * side - side / 2
    columns, rows = middle[0] + centres, middle[1] - centres
    image = np.zeros((pixels, pixels))
    for body in bodies:
        for solid in solids_at(body.piece, body.pose):
            low, high = solid.low, solid.high
            across = np.flatnonzero((columns >= low[0]) & (columns <= high[0]))
            down = np.flatnonzero((rows >= low[1]) & (rows <= high[1]))
            if len(across) and len(down):
                x, y = np.meshgrid(columns[across], rows[down])
                part = np.ix_(down, across)
                image[part] = np.maximum(image[part], _tops(solid, x, y))
    return image.astype(np.float32)


def _tops(solid: ConvexSolid, x: Array, y: Array) -> Array:
    """Returns the highest z of a convex solid over points; minus infinity where it is not under one."""
    if solid.radius > 0.0:
        centre = solid.vertices[0]
        under = solid.radius**2 - (x - centre[0]) ** 2 - (y - centre[1]) ** 2
        return np.where(under >= 0.0, centre[2] + np.sqrt(np.maximum(under, 0.0)), -np.inf)
    rise = solid.normals[:, 2]
    free = solid.offsets - np.stack([x, y], axis=-1) @ solid.normals[:, :2].T
    up, down, wall = rise > WALL_RISE, rise < -WALL_RISE, np.abs(rise) <= WALL_RISE
    top = (free[..., up] / rise[up]).min(axis=-1)
    bottom = (free[..., down] / rise[down]).max(axis=-1)
    inside = np.all(free[..., wall] >= 0.0, axis=-1) & (top >= bottom)
    return np.where(inside, top, -np.inf)


def _stand_in() -> Piece:
    return build(PieceSpec.model_validate({"shape": {"box": [1e3 * MIN_RADIUS] * 3}, "material": "beech"}))


class TableRenderer:
    """Draws bodies, on one stage that is kept."""

    def __init__(self) -> None:
        self._stage: Stage | None = None
        self._shown: dict[str, Body] = {}

    def draw(
        self, bodies: Sequence[Body], about: Sequence[Body], unread: frozenset[str] = frozenset()
    ) -> NDArray[np.uint8]:
        """Returns a picture (height, width, 3) of the bodies. about: those the camera looks at; none, the middle of the
        table. unread: those whose print is not shown. Raises engine.view.opengl.ViewError when there is no OpenGL."""
        from teeter.engine.view.camera import BoundingSphere, bounding_sphere, framing
        from teeter.engine.view.frame import frame_of
        from teeter.engine.view.render.stage import Stage

        if self._stage is None:
            # a stage is lit for what it is made with: a stand-in of the middle of the table, never shown
            self._stage = Stage(
                [*bodies, Body("stand-in", _stand_in(), Pose((0.0, 0.0, MIN_RADIUS / 2)))],
                size=RENDER_SIZE,
                quality="low",
            )
            self._shown = {body.name: body for body in bodies}
        for body in bodies:
            # the same name may stand for another piece in the next episode
            if body.name not in self._shown or self._shown[body.name].piece is not body.piece:
                self._stage.add(body)
                self._shown[body.name] = body
        seen = bounding_sphere(about) if about else BoundingSphere((0.0, 0.0, 0.0), MIN_RADIUS)
        seen = BoundingSphere(seen.centre, max(seen.radius, MIN_RADIUS))
        self._stage.aim(framing(seen, aspect=RENDER_SIZE[0] / RENDER_SIZE[1]))
        self._stage.show(replace(frame_of(bodies), unread=unread))
        return self._stage.render()

    def close(self) -> None:
        """Frees the stage."""
        if self._stage is not None:
            self._stage.close()
            self._stage = None
