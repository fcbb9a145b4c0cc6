"""The sandbox on the screen: pieces to bring out, the check with its arrows, a push, a tilt, saving the scene."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from teeter.engine.view.camera import Camera, Vector, lean_of
from teeter.engine.view.overlays import Arrow, Overlay
from teeter.engine.view.window.events import Event
from teeter.engine.world.body import Body
from teeter.games.core.rules import Bring, PutAway, Take, Wait
from teeter.games.faults import left_out
from teeter.games.present import hud_state
from teeter.games.present.camera import CameraController
from teeter.games.present.file_prompt import FilePrompt
from teeter.games.present.game_screen import GameScreen
from teeter.games.present.hud_state import HudState
from teeter.games.present.sandbox_panel import WEAK, SandboxLook, built, order_of, saved_as
from teeter.games.present.settings import Settings
from teeter.games.server.messages import Act, BringBody, Do, Fetch, Order, Plan, Shove, Tilt
from teeter.games.server.setup import scenes_folder
from teeter.models.files import OutputError, first_free, whole_or_nothing
from teeter.scenes.load import load
from teeter.scenes.scene import SceneError

if TYPE_CHECKING:
    from teeter.engine.view.window.window import Window
    from teeter.games.server.client import PhysicsClient

LEAN_S, LEAST_LEAN = 0.15, 0.02
"""Seconds in which two thirds of a tilt are seen, and degrees that are none."""
ARROW = 0.035
"""Metres of arrow for the greatest force."""
OWN = ("shelf", "piece", "shove", "fetch", "clear")
"""The buttons of its panels that both skins have."""
UNSAVED_HERE = "What you have built is not saved, and would be lost: close this and Save, or press once more."
UNSAVED = "What you have built is not saved, and would be lost: Continue and Save, or Leave once more."


class LeaningCamera(CameraController):
    """Looks at a table that tilts, while the room stays level. lean: degrees and where downhill is, as it is seen."""

    lean = (0.0, 0.0)
    pivot: Vector = (0.0, 0.0, 0.0)

    @property
    def camera(self) -> Camera:
        """Where it looks from now."""
        camera = super().camera
        return camera.leaned(lean_of(*self.lean), self.pivot) if self.lean[0] else camera

    def lean_to(self, lean: tuple[float, float], seconds: float) -> bool:
        """Lean on towards how the table is tilted. Returns whether that changes anything."""
        if self.lean == lean:
            return False
        (here, from_), (there, to) = self.lean, lean
        part = 1.0 - math.exp(-seconds / LEAN_S)
        level = [
            (1.0 - part) * here * turn(math.radians(from_)) + part * there * turn(math.radians(to))
            for turn in (math.cos, math.sin)
        ]
        away = math.hypot(*level)
        self.lean = away, math.degrees(math.atan2(level[1], level[0]))
        goal = [there * turn(math.radians(to)) for turn in (math.cos, math.sin)]
        if math.dist(level, goal) < LEAST_LEAN:
            self.lean = lean
        return True


class SandboxScreen(GameScreen):
    """The sandbox in the window."""

    camera_class = LeaningCamera
    camera_control: LeaningCamera

    def __init__(self, window: Window, settings: Settings, plan: Plan, physics: PhysicsClient) -> None:
        super().__init__(window, settings, plan, physics)
        self._scene = (
            load(plan.scene, drop=True, unit=plan.unit, up=plan.up) if plan.scene is not None else None
        )
        self.file = FilePrompt()
        self._read: Body | None = None
        self._is_tilting = self._leaves = False
        self._is_saved = True
        self._tilts: list[float] = []
        """How the table was tilted before each push and tilt that can be taken back."""

    @property
    def building(self) -> SandboxLook:
        """What somebody is about to do."""
        return self.look.building

    def _build(self, **changes: Any) -> None:
        self.look = replace(self.look, building=replace(self.building, **changes))

    def _more(self, look: HudState) -> HudState:
        """Adds what the sandbox tells."""
        right = self.camera_control.camera.axes[0]
        findings = {"finding": self.hints.finding, "is_checking": self.hints.is_checking}
        more: Any = {
            "right": (right[0], right[1]),
            "has_files": True,
            "file": tuple(self.file.items()),
            **findings,
        }
        return replace(look, building=replace(look.building, **more))

    @property
    def is_typing(self) -> bool:
        """Whether the name of a file is typed, or a key is awaited."""
        return self.file.path is not None or super().is_typing

    def handle(self, event: Event) -> None:
        """An event of the window."""
        if self.pages.page or not self.file.handle(event):
            super().handle(event)
        if self.file.wanted:
            self._lay_out(self.file.wanted)

    def _lay_out(self, scene: str) -> None:
        """A scene on a table of its own, in place of what was built; that is not lost without a word."""
        self.file.wanted = ""
        if self._is_saved or self._leaves or not self.client.in_play:
            self.plan, self.wish = replace(self.client.plan, scene=scene, unit=self.file.unit), "anew"
        else:
            self.file.fault, self._leaves = UNSAVED_HERE, True

    def _turn_page(self) -> None:
        """What was built and is not saved is not left without a word."""
        if self.pages.wish and not (self._is_saved or self._leaves) and self.client.in_play:
            self.pages.wish, self.pages.page = "", "pause"
            self.pages.fault, self._leaves = UNSAVED, True
        else:
            self._leaves = False
        super()._turn_page()

    def keeps_open(self) -> bool:
        """Whether the window stays when it is closed: what was built would be lost. Closed once more it goes."""
        self.pages.wish = "leave"
        self._turn_page()
        is_kept, self.wish = self.wish != "menu", ""
        return is_kept

    def _click(self, name: str) -> None:
        order, kind = order_of(self.client, self.building, name), name.partition(":")[0]
        self.look = hud_state.pressed(self.look, name)
        if kind == "check":
            self.act("check")
        elif kind == "file":
            self.file.toggle()
        elif kind == "save":
            self._save()
        elif kind not in OWN:
            super()._click(name)
        elif order is not None and self._can():
            self._order(order)

    def _slid(self, name: str, value: float) -> None:
        if name == "tilt" and not self._is_tilting:
            self._tilts.append(self.building.tilt)
        super()._slid(name, value)
        if name == "tilt":
            self._is_tilting = True
            self.physics.send(Tilt(self.building.tilt, self.building.towards))

    def act(self, name: str) -> None:
        """Do what a key does."""
        if name == "check":
            if self.client.waits is not None and not self.client.held:
                self.hints.check()
        else:
            super().act(name)

    def _can(self) -> bool:
        return self.client.waits is not None and self.client.waits.need.wait is Wait.ACTION

    def step(self, seconds: float) -> None:
        """Hear what reads files, too."""
        super().step(seconds)
        with left_out("the tilt"):
            self._lean(seconds)
        self._read = self.file.poll() or self._read
        if self._read is not None and self._can():
            self._order(BringBody(self._read))
            self._read = None

    def _lean(self, seconds: float) -> None:
        """The table is seen to tilt."""
        control, stage = self.camera_control, self.window.stage
        if (
            self.client.view is not None
            and stage is not None
            and control.lean_to(self.client.view.lean, seconds)
        ):
            control.pivot = stage.lean(lean_of(*control.lean))
            self.window.aim(control.camera)

    def close(self) -> None:
        """Leave the table."""
        self.file.stop()
        super().close()

    def _order(self, order: Order) -> None:
        self._is_tilting = False
        is_taken = isinstance(order, (Shove, BringBody, Fetch)) or (
            isinstance(order, Do) and isinstance(order.action, (Take, Bring))
        )
        if is_taken:
            self._tilts.append(self.building.tilt)
        elif order is Act.UNDO and self._tilts:
            self._build(tilt=self._tilts.pop())
        else:
            self._tilts.clear()
        self._is_saved = self._leaves = False
        self._build(said="")
        super()._order(order)

    def click_at(self, x: float, y: float) -> None:
        """Take what is there; with the key of free turning put it away."""
        if self.client.waits is None or self.hand.grip is not None:
            super().click_at(x, y)
            return
        name = self.mouse.piece_at(x, y)
        if name in self.client.in_play and self._can():
            action = PutAway if self.is_down("free") else Take
            self._order(Do(action(self.client.need.player, name)))

    def take_at(self, x: float, y: float) -> bool:
        """Take what is there to drag it. Returns whether there is something to be taken."""
        name = self.mouse.piece_at(x, y)
        if self.client.waits is None or name not in self.client.in_play or not self._can():
            return False
        self._order(Do(Take(self.client.need.player, name)))
        return True

    def _marks(self) -> dict[str, str]:
        marks = super()._marks()
        finding = self.hints.finding
        if finding is not None and finding.weakest in self.client.frame.names:
            marks[finding.weakest] = WEAK
        return marks

    def more_guides(self) -> list[Overlay]:
        """The forces that hold everything, as the check has them."""
        finding = self.hints.finding
        if finding is None or not finding.arrows:
            return []
        greatest = max(math.hypot(*force) for _, force in finding.arrows)
        guides: list[Overlay] = []
        for place, force in finding.arrows:
            x, y, z = (p + f * ARROW / greatest for p, f in zip(place, force, strict=True))
            guides.append(Arrow(place, (x, y, z), "#1f5fa8", 0.0009, 0.9))
        return guides

    def _save(self) -> None:
        try:
            file, lost = self.save()
            self._build(said=saved_as(self.client, file, lost), has_failed=False)
            self._is_saved = True
        except (OutputError, SceneError) as error:
            self._build(said=str(error).splitlines()[0], has_failed=True)

    def save(self) -> tuple[Path, str]:
        """Write what lies on the table as a scene file. Returns the file and what it does not hold. Raises OutputError,
        SceneError."""
        what = built(self.client, self._scene)
        file = first_free(lambda number: scenes_folder() / f"built-{number}{what.ending}")
        with whole_or_nothing(file, makes_folder=True) as part:
            part.write_bytes(what.content)
        return file, what.lost
