"""`teeter view SCENE`: a scene in a window, to be looked at and checked."""

from __future__ import annotations

from engine.view.frame import frame_of
from engine.view.panels import Button, Panel, Text
from engine.view.window.events import Clicked, Event, Press
from games.commands.console import OK
from games.commands.looking import Looker
from scenes.load import load
from scenes.scene import Scene


def run(name: str) -> int:
    """Open the window and stay until it is closed; the exit code. Raises SceneError and ViewError."""
    SceneViewer(load(name)).run()
    return OK


class SceneViewer(Looker):
    """The window of one scene."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        super().__init__(f"{scene.title} - teeter", scene.assembly.bodies)
        self.window.show(frame_of(scene.assembly.bodies))

    def handle(self, event: Event) -> None:
        """A button or a key."""
        name = event.name if isinstance(event, Clicked) else event.key if isinstance(event, Press) else ""
        if name in ("check", "c"):
            self.judge.ask(self.scene.assembly, self.sphere)

    def step(self, seconds: float) -> None:
        """Time passes; show what there is."""
        self.judge.hear()
        self.window.aim(self.orbit.camera)
        self.draw_over(self.judge.guides)
        free = len(self.scene.assembly.free)
        about = Text(f"{free} pieces, {len(self.scene.ids) - free} supports", "quiet")
        items = (about, Button("check", "Would it topple?", key="c"))
        panels = [Panel("scene", "top-left", items, title=self.scene.title, width=280.0)]
        if self.judge.said:
            texts = tuple(Text(each, "plain", "small") for each in self.judge.said.splitlines())
            panels.append(Panel("said", "top-right", texts, title="Verdict", width=280.0))
        self.window.hud.show(panels)
