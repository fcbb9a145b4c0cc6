"""A scene in the hands of a script: what lies where in millimetres, changed by asking for a new one, and shown."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from teeter.games.api.arguments import checked, names_in, names_of

if TYPE_CHECKING:
    from teeter.engine.topple.verdict import Verdict
    from teeter.engine.view.camera import BoundingSphere, Orbit
    from teeter.engine.view.window.events import Event
    from teeter.engine.view.window.window import Window
    from teeter.engine.world.body import Assembly, Body
    from teeter.scenes.scene import Scene

SIZE = (960, 640)
"""Pixels of a picture in a notebook."""
ZOOM = 0.9
"""Of the distance, for a click of the wheel."""


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

    def without(self, *ids: str | Iterable[str]) -> PublicScene:
        """The scene with these pieces taken out, by name or in lists. Raises SceneError for names it does not have."""
        from teeter.scenes.scene import without

        return PublicScene(
            without(self.loaded, [name for each in ids for name in names_in(names_of("ids", each))])
        )

    @checked
    def add(self, path_or_name: str | Path, *, drop: bool = False) -> PublicScene:
        """The scene with the pieces of another file put in. drop: as for `load`. Raises SceneError."""
        from teeter.scenes.load import add

        return PublicScene(add(self.loaded, path_or_name, drop=drop))

    def to_toml(self) -> str:
        """The text of a scene file that loads as this scene. Raises SceneError for pieces that came from a mesh."""
        from teeter.scenes.dump import dump

        return dump(self.loaded)

    def show(self) -> None:
        """Open a window to look around in, until it is closed; in a notebook show a picture. Raises ViewError."""
        if in_notebook():
            show_in_notebook(self)
        else:
            look_around(self.title, self.assembly.bodies)

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


# -- pictures and windows ----------------------------------------------------------------------------------------


def in_notebook() -> bool:
    """Whether a notebook runs this: IPython with a front end that shows pictures."""
    shell = sys.modules.get("IPython")
    return shell is not None and getattr(shell.get_ipython(), "kernel", None) is not None


def show_in_notebook(what: object) -> None:
    """Show something that has a picture of itself, below the running cell."""
    sys.modules["IPython"].display.display(what)


def show_verdict_in_window(verdict: Verdict) -> None:
    """Open a window on a verdict, with its forces and its facts, and return when it is closed. Raises ViewError."""
    from teeter.engine.topple.words import headline, rows
    from teeter.engine.view.panels import Panel, Text
    from teeter.engine.view.render.verdict_picture import overlays_on

    facts = [f"{label}: {text}" if label else text for label, text in rows(verdict) if label != "time"]
    lines = tuple(Text(line, "plain", "small") for line in (headline(verdict), *facts))

    def prepare(window: Window, sphere: BoundingSphere) -> None:
        if window.stage is not None:
            window.stage.show_overlays(overlays_on(verdict, sphere)[0], through=True)
        window.hud.show([Panel("verdict", "top-left", lines, title=verdict.scene, width=300.0)])

    look_around(f"{verdict.scene}: {verdict.word}", verdict.judged.bodies, prepare)


class OrbitPointer:
    """How the pointer moves a camera: left drag turns, right drag pans, the wheel zooms."""

    def __init__(self) -> None:
        self._last: tuple[float, float] | None = None

    def turned(self, orbit: Orbit, event: Event, window: Window) -> Orbit:
        """Returns the orbit after an event; the same one where that moves no camera."""
        from teeter.engine.view.window.events import PointerMoved, Press

        if isinstance(event, Press) and event.key in ("wheel_up", "wheel_down"):
            return orbit.zoomed(ZOOM if event.key == "wheel_up" else 1 / ZOOM)
        if not isinstance(event, PointerMoved):
            return orbit
        last, self._last = self._last, (event.x, event.y)
        held = window.down & {"mouse1", "mouse3"}
        if last is None or not held or event.over_panel:
            return orbit
        right, down = event.x - last[0], event.y - last[1]
        return orbit.dragged(right, down, float(window.size[1]), is_pan="mouse1" not in held)


def look_around(
    title: str,
    bodies: Sequence[Body],
    prepare: Callable[[Window, BoundingSphere], None] = lambda window, sphere: None,
) -> None:
    """Open a window on these bodies and return when it is closed. Raises ViewError without a display."""
    from teeter.engine.view.camera import orbit_of
    from teeter.engine.view.window.window import Window

    window = Window(f"{title} - teeter")
    try:
        sphere = window.put(bodies).sphere
        prepare(window, sphere)
        orbit, pointer = orbit_of(sphere), OrbitPointer()
        while not window.is_closed:
            for event in window.poll():
                orbit = pointer.turned(orbit, event, window)
            window.aim(orbit.camera)
            if not window.draw():
                window.pause()
    finally:
        window.close()


def png_of_scene(assembly: Assembly) -> bytes:
    """A picture of a scene, as the bytes of a PNG file. Raises ViewError without OpenGL."""
    from teeter.engine.view.camera import framing
    from teeter.engine.view.frame import frame_of
    from teeter.engine.view.render.png import png_of
    from teeter.engine.view.render.stage import Stage

    stage = Stage(assembly.bodies, size=SIZE)
    try:
        stage.show(frame_of(assembly.bodies))
        stage.aim(framing(stage.sphere, aspect=SIZE[0] / SIZE[1]))
        return png_of(stage.render())
    finally:
        stage.close()


def png_of_verdict(verdict: Verdict) -> bytes:
    """A small picture of a verdict with its forces, in 64 steps a colour, as a PNG. Raises ViewError."""
    from teeter.engine.view.render.png import png_of
    from teeter.engine.view.render.verdict_picture import drawn

    large = drawn(verdict)
    height, width, _ = large.shape
    return png_of(large.reshape(height // 2, 2, width // 2, 2, 3).mean(axis=(1, 3)).astype("u1") & 0xFC)


AnyScene = str | Path | PublicScene
"""A file, the name of a shipped scene, or a loaded scene."""


def loaded_of(scene: AnyScene, settle_mm: float = 0.0, *, drop: bool = False) -> Scene:
    """Returns a scene as the engine knows it. Raises TeeterError."""
    if isinstance(scene, PublicScene):
        return scene.loaded
    from teeter.scenes.load import load

    return load(scene, settle_mm=settle_mm, drop=drop)
