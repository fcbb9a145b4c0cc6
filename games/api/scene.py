"""A scene in the hands of a script: what lies where in millimetres, changed by asking for a new one, and shown."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from games.api.showing import in_notebook, png_of_scene, show_in_notebook, show_in_window

if TYPE_CHECKING:
    from engine.world import Assembly, Body
    from scenes.scene import Scene


@dataclass(frozen=True, slots=True)
class ScenePiece:
    """A piece where it lies. position_mm: of the centre of its bounding box as authored; quaternion: x, y, z, w;
    size_mm: along its own axes. fixed: an immovable support."""

    id: str
    model: str
    position_mm: tuple[float, float, float]
    quaternion: tuple[float, float, float, float]
    size_mm: tuple[float, float, float]
    mass_g: float
    material: str
    friction: float
    fixed: bool


@dataclass(frozen=True, slots=True, eq=False)
class PublicScene:
    """A scene, as `teeter.load` and `teeter.build` return it. A notebook shows it as a picture.

    loaded: the same in SI units, as the packages below work with it.
    """

    loaded: Scene

    @property
    def name(self) -> str:
        """The file's name without its ending, or the name given to `build`."""
        return self.loaded.name

    @property
    def title(self) -> str:
        """The `name` key of the file, else the name."""
        return self.loaded.title

    @property
    def path(self) -> Path | None:
        """The file; None for a scene that was built."""
        return self.loaded.path

    @property
    def ids(self) -> tuple[str, ...]:
        """The pieces by name, in order. The table is not one."""
        return self.loaded.ids

    @property
    def assembly(self) -> Assembly:
        """The bodies in SI units."""
        return self.loaded.assembly

    @property
    def pieces(self) -> dict[str, ScenePiece]:
        """Every piece by name: millimetres and grams."""
        ids = set(self.ids)
        return {body.name: _piece(body) for body in self.assembly.bodies if body.name in ids}

    def without(self, *ids: str) -> PublicScene:
        """The scene with these pieces taken out. Raises SceneError for names it does not have."""
        from scenes.scene import without

        return PublicScene(without(self.loaded, ids))

    def add(self, path_or_name: str | Path) -> PublicScene:
        """The scene with the pieces of another file put in. Raises SceneError."""
        from scenes.load import add

        return PublicScene(add(self.loaded, path_or_name))

    def to_toml(self) -> str:
        """The text of a scene file that loads as this scene. Raises SceneError for pieces that came from a mesh."""
        from scenes.dump import dump

        return dump(self.loaded)

    def show(self) -> None:
        """Open a window to look around in, until it is closed; in a notebook show a picture. Raises ViewError."""
        if in_notebook():
            show_in_notebook(self)
        else:
            show_in_window(self.title, self.assembly.bodies)

    def _repr_png_(self) -> bytes:
        return png_of_scene(self.assembly)

    def __repr__(self) -> str:
        return f"<Scene {self.name!r}: {len(self.ids)} pieces>"


def _piece(body: Body) -> ScenePiece:
    x, y, z = (round(1e3 * value, 6) for value in body.pose.position)
    width, depth, height = (round(1e3 * float(value), 6) for value in body.piece.extents)
    material = body.piece.material
    return ScenePiece(
        body.name,
        body.piece.model,
        (x, y, z),
        body.pose.orientation,
        (width, depth, height),
        round(1e3 * body.piece.mass, 6),
        material.name,
        material.friction,
        body.fixed,
    )
