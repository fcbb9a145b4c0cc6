"""The sandbox's pieces: those a scene begins with, those brought out of a catalogue, those read from mesh files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.geometry.convex import ConvexSolids
from engine.geometry.drop import drop
from engine.pose import Pose
from engine.world import FLOOR, TABLE, Body
from games.core.errors import SetupError
from games.judge import places
from games.judge.judge import Judge
from models.build import build
from models.catalogue import find
from scenes.load import load
from scenes.scene import Scene

SPOT = (0.0, -0.24)
"""Metres: where new pieces come out, near the person."""
AWAY = Pose((0.0, 0.0, -5.0))
"""Where pieces are that were put away."""


class Inventory(Judge[Any]):
    """The judge of one sandbox. scene: what lies there at first. Raises SetupError when the scene has no table."""

    is_fine = True

    def __init__(self, scene: Scene | None = None) -> None:
        self.bodies: Callable[[], Mapping[str, Body]] = dict
        """What lies on the table now; the session's table answers."""
        self._solids = ConvexSolids()
        self._homes: dict[str, Body] = {}
        self._table: Body | None = places.table(*places.TABLE_MM)
        if scene is not None and all(body.name != TABLE for body in scene.assembly.bodies):
            self._table = None
        for body in scene.assembly.bodies if scene is not None else ():
            if body.name == TABLE:
                self._table = body
            else:
                self._homes[body.name] = body
        self._fixed = {name for name, body in self._homes.items() if body.fixed}

    def know(self, body: Body) -> None:
        """A piece that no catalogue has."""
        self._homes[body.name] = body

    def in_play(self, state: Any) -> frozenset[str]:
        """All pieces that were brought out."""
        return frozenset(piece.id for piece in state.pieces)

    def tables(self) -> dict[str, Any]:
        """What the rules may take up, as the tables of a catalogue: everything that is not a support."""
        named = [(name, body) for name, body in self._homes.items() if name not in self._fixed]
        return {"piece": [{"id": name, "model": body.piece.model or name} for name, body in named]}

    def layout(self, state: Any) -> tuple[Body, ...]:
        """The table, the supports, and the pieces where the scene has them."""
        return (*self._tables, *self._homes.values())

    @property
    def _tables(self) -> tuple[Body, ...]:
        return () if self._table is None else (self._table,)

    def home(self, state: Any, piece: str) -> Body:
        """A new piece: beside the person, on whatever lies there. One that was put away: out of sight."""
        named = next((each for each in state.pieces if each.id == piece), None)
        if named is None:
            known = self.bodies().get(piece) or self._homes[piece]
            return known.at(AWAY)
        solid = self._homes[piece].piece if piece in self._homes else build(find(named.model))
        pose = places.moved(places.steady(solid), SPOT[0] * 1e3, SPOT[1] * 1e3)
        high = pose.then(Pose((0.0, 0.0, 2.0)))
        others = [body for name, body in self.bodies().items() if name not in (FLOOR, piece)] or [
            *self._tables
        ]
        below = [part for body in others for part in self._solids.of(body.piece, body.pose)]
        free = drop(self._solids.of(solid, high), below)
        if free is not None:
            x, y, z = high.position
            pose = Pose((x, y, z - free + 5e-4), high.orientation)
        return Body(piece, solid, pose)

    def read(self, path: str) -> Body:
        """The first piece of a mesh or scene file, named after the file. Raises SetupError, SceneError, ModelError."""
        file = Path(path).expanduser()
        if not file.is_file():
            raise SetupError(f"{path}: there is no such file")
        scene = load(file)
        body = next((each for each in scene.assembly.bodies if each.name != TABLE), None)
        if body is None:
            raise SetupError(f"{path}: holds no piece")
        taken = {*self._homes, *self.bodies()}
        name = file.stem
        number = 2
        while name in taken:
            name, number = f"{file.stem}-{number}", number + 1
        return replace(body, name=name, fixed=False)


def inventory_of(scene: str | None) -> Inventory:
    """Returns the inventory of a scene by its name or file; an empty one for none. Raises SceneError."""
    return Inventory(load(scene) if scene is not None else None)
