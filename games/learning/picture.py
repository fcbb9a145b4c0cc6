"""Pictures of what an environment holds, for `render()`. The renderer is loaded when the first one is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.pose import Pose
from engine.world import Body
from models.build import build
from models.piece import Piece
from models.spec import PieceSpec

if TYPE_CHECKING:
    from engine.view.stage import Stage

SIZE = (640, 480)
"""Pixels: what videos of training are kept in."""
LEAST = 0.12
"""Metres: the radius of what is looked at, at least, so that the first block is not seen through a magnifying glass."""


def _stand_in() -> Piece:
    return build(PieceSpec.model_validate({"shape": {"box": [1e3 * LEAST] * 3}, "material": "beech"}))


class Pictures:
    """Draws bodies, with one stage kept from picture to picture."""

    def __init__(self) -> None:
        self._stage: Stage | None = None
        self._shown: dict[str, Body] = {}

    def of(
        self, bodies: Sequence[Body], about: Sequence[Body], unread: frozenset[str] = frozenset()
    ) -> NDArray[np.uint8]:
        """A picture (height, width, 3) of the bodies. about: those the camera looks at; none, the middle of the table.
        unread: those whose print is not shown. Raises engine.view.errors.ViewError when there is no OpenGL."""
        from engine.view.camera import Sphere, bounding_sphere, framing
        from engine.view.frame import frame_of
        from engine.view.stage import Stage

        if self._stage is None:
            # a stage is lit for what it is made with: a stand-in of the middle of the table, never shown
            self._stage = Stage(
                [*bodies, Body("stand-in", _stand_in(), Pose((0.0, 0.0, LEAST / 2)))],
                size=SIZE,
                quality="low",
            )
            self._shown = {body.name: body for body in bodies}
        for body in bodies:
            # the same name may stand for another piece in the next episode
            if body.name not in self._shown or self._shown[body.name].piece is not body.piece:
                self._stage.add(body)
                self._shown[body.name] = body
        seen = bounding_sphere(about) if about else Sphere((0.0, 0.0, 0.0), LEAST)
        seen = Sphere(seen.centre, max(seen.radius, LEAST))
        self._stage.aim(framing(seen, aspect=SIZE[0] / SIZE[1]))
        self._stage.show(replace(frame_of(bodies), unread=unread))
        return self._stage.render()

    def close(self) -> None:
        """Free the stage."""
        if self._stage is not None:
            self._stage.close()
            self._stage = None
