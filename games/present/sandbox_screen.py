"""The sandbox on the screen: pieces to bring out, the check with its arrows, a push, a tilt, saving the scene."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from teeter.engine.view.camera import Camera, Vector, lean_of
from teeter.engine.view.overlays import Arrow, Overlay
from teeter.engine.view.panels import Button, Gap, Item, Panel, Row, Slider, Text
from teeter.engine.view.window.events import Event
from teeter.engine.world.body import Assembly, Body
from teeter.games.core.rules import Bring, PutAway, Take, Wait
from teeter.games.core.words import capital, listed
from teeter.games.faults import left_out, or_else
from teeter.games.present.camera import CameraController
from teeter.games.present.file_prompt import FilePrompt
from teeter.games.present.game_screen import GameScreen
from teeter.games.present.naming import game_of, piece_name
from teeter.games.present.pictures import of_piece
from teeter.games.present.settings import Settings
from teeter.games.server.messages import Act, BringBody, Do, Order, Plan
from teeter.games.server.protocol import Fetch, Shove, Tilt
from teeter.games.server.setup import folder
from teeter.models.catalogue import catalogue
from teeter.models.catalogue import games as catalogues
from teeter.models.files import OutputError, first_free, whole_or_nothing
from teeter.scenes.dump import dump
from teeter.scenes.load import load
from teeter.scenes.scene import SceneError

if TYPE_CHECKING:
    from teeter.engine.view.window.window import Window
    from teeter.games.server.client import PhysicsClient

LEAN_S, LEAST_LEAN = 0.15, 0.02
"""Seconds in which two thirds of a tilt are seen, and degrees that are none."""
MOST_OFF = 4
"""Pieces on the floor that are listed."""
WEAK = "#e07a2f"
ARROW = 0.035
"""Metres of arrow for the greatest force."""
TONES = {"stands": "good", "topples": "bad", "unsure": "warn"}
MOST_PUSH, MOST_TILT = 5.0, 30.0
"""Newtons, degrees."""
DIRECTIONS = (
    "to the right",
    "away, to the right",
    "away",
    "away, to the left",
    "to the left",
    "nearer, to the left",
    "nearer",
    "nearer, to the right",
)
"""Counter-clockwise, as seen from above."""


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
        self._scene = load(plan.scene, drop=True) if plan.scene is not None else None
        self._shelf = ""
        self._push, self._tilt, self._towards = 1.0, 0.0, 0.0
        self.file = FilePrompt()
        self._read: Body | None = None
        self._said = ""
        self._is_checking = self._clears = self._is_tilting = self._leaves = False
        self._is_saved = True
        self._tilts: list[float] = []
        """How the table was tilted before each push and tilt that can be taken back."""

    def panels(self) -> tuple[Panel, ...]:
        """What lies over the table."""
        found = super().panels()
        if self.client.broken:
            return found
        if any(panel.place in ("cover", "dialog") for panel in found):
            return found
        kept = tuple(panel for panel in found if panel.name != "scores")
        shows_shelf = self._shelf and not self.client.held
        own = or_else("the sandbox's panel", lambda: (self._tools(),), ())
        shelf = or_else("the shelf", lambda: (self._pieces(),), ()) if shows_shelf else ()
        return (*kept, *own, *shelf)

    def _tools(self) -> Panel:
        can = self.client.waits is not None and not self.client.held
        is_built = can and bool(self.client.in_play)
        items: list[Item] = [
            Row(
                (
                    Button("shelf", "Pieces", is_on=bool(self._shelf)),
                    Button("check", "Check", key=self.settings.key_said("check"), is_enabled=is_built),
                )
            ),
            Row((Button("file", "From a file"), Button("save", "Save", is_enabled=is_built))),
        ]
        if self.client.in_play and can:
            items.append(Button("clear", "Put everything away? Once more." if self._clears else "Clear"))
        items += [
            *self.file.items(),
            Slider("push", "push", self._push, 0.0, MOST_PUSH, f"{self._push:.2f} N"),
            Slider("towards", "towards", self._towards, 0.0, 360.0, self._direction()),
            Button("shove", "Push the top piece", is_enabled=is_built),
            Slider("tilt", "tilt", self._tilt, 0.0, MOST_TILT, f"{self._tilt:.1f} degrees"),
        ]
        off = self.client.off_table
        for name in off[:MOST_OFF]:
            fetch = Button(f"fetch:{name}", "Bring back", is_enabled=can)
            items.append(
                Row(
                    (Text(f"{capital(self._called(name))}: on the floor", "warn", "small"), fetch), (1.3, 1.0)
                )
            )
        if len(off) > MOST_OFF:
            items.append(Text(f"and {len(off) - MOST_OFF} more on the floor", "warn", "small"))
        finding = self.hints.finding
        if self._is_checking and finding is None:
            items.append(Text("the checker thinks ...", "quiet"))
        if finding is not None:
            tone = TONES[finding.word]
            items.append(Text(finding.word.upper(), tone, "large", bold=True))  # type: ignore[arg-type]
            if finding.told:
                items.append(Text(finding.told, "quiet", "small"))
            if off:
                items.append(Text(f"{capital(self._called(*off))} on the floor: left out", "quiet", "small"))
            if finding.weakest:
                items.append(
                    Text(f"{capital(self._called(finding.weakest))} goes first", size="small", mark=WEAK)
                )
        if self._said:
            items.append(Text(self._said, "accent", "small"))
        return Panel("sandbox", "top-right", tuple(items), "Sandbox", width=270)

    def _called(self, *names: str) -> str:
        return listed([self._details.called(self.client, name) for name in names])

    def _direction(self) -> str:
        """Where things are pushed, as it is seen."""
        right = self.camera_control.camera.axes[0]
        turned = self._towards - math.degrees(math.atan2(right[1], right[0]))
        return DIRECTIONS[round(turned / 45.0) % 8]

    def _pieces(self) -> Panel:
        shelves = tuple(
            Button(f"shelf:{name}", game_of(name).title, is_on=name == self._shelf) for name in catalogues()
        )
        names = sorted(catalogue(self._shelf), key=piece_name)
        buttons = [Button(f"piece:{name}", piece_name(name), image=of_piece(name)) for name in names]
        rows: list[Item] = [Row(shelves[:2]), Row(shelves[2:]), Gap(4)]
        rows += [Row(tuple(buttons[k : k + 2])) for k in range(0, len(buttons), 2)]
        return Panel("pieces", "left", tuple(rows), "Pieces", width=320)

    @property
    def is_typing(self) -> bool:
        """Whether the name of a file is typed, or a key is awaited."""
        return self.file.path is not None or super().is_typing

    def handle(self, event: Event) -> None:
        """An event of the window."""
        if self.pages.page or not self.file.handle(event):
            super().handle(event)

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

    def _clicked(self, name: str) -> None:
        is_sure, self._clears = self._clears, False
        match name.partition(":"):
            case "shelf", _, rest:
                self._shelf = rest or ("" if self._shelf else catalogues()[0])
            case "piece", _, model:
                self._bring(model)
            case "check", _, _:
                self.act("check")
            case "file", _, _:
                self.file.toggle()
            case "shove", _, _:
                self._shove()
            case "save", _, _:
                self._save()
            case "fetch", _, piece:
                self._order(Fetch(piece))
            case "clear", _, _ if is_sure:
                self._order(Act.CLEAR)
            case "clear", _, _:
                self._clears = True
            case _:
                super()._clicked(name)

    def _slid(self, name: str, value: float) -> None:
        if name == "push":
            self._push = value
        elif name == "towards":
            self._towards = value
        elif name == "tilt":
            if not self._is_tilting:
                self._tilts.append(self._tilt)
            self._is_tilting, self._tilt = True, value
            self.physics.send(Tilt(value, self._towards))

    def act(self, name: str) -> None:
        """Do what a key does."""
        if name == "check":
            if self.client.waits is not None and not self.client.held:
                self._is_checking = True
                self.hints.check()
        else:
            super().act(name)

    def _can(self) -> bool:
        return self.client.waits is not None and self.client.waits.need.wait is Wait.ACTION

    def _bring(self, model: str) -> None:
        if self._can():
            self._order(Do(self.client.bring(model)))

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

    def _shove(self) -> None:
        pieces = [body for body in self.client.lying() if body.name in self.client.in_play]
        if pieces and self._can():
            top = max(pieces, key=lambda body: (body.pose.position[2], body.name))
            self._order(Shove(top.name, self._push, self._towards))

    def _order(self, order: Order) -> None:
        self._forget()
        self._is_tilting = False
        is_taken = isinstance(order, (Shove, BringBody)) or (
            isinstance(order, Do) and isinstance(order.action, (Take, Bring))
        )
        if is_taken:
            self._tilts.append(self._tilt)
        elif order is Act.UNDO and self._tilts:
            self._tilt = self._tilts.pop()
        else:
            self._tilts.clear()
        self._is_saved = False
        super()._order(order)

    def _forget(self) -> None:
        """What the checker said is of another table."""
        self.hints.finding = None
        self._is_checking = False

    def click_at(self, x: float, y: float) -> None:
        """Take what is there; with the key of free turning put it away."""
        self._forget()
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
            off = self.client.off_table
            left_out = f" without what is on the floor ({self._called(*off)})" if off else ""
            self._said = f"saved as {self.save()}{left_out}"
            self._is_saved = True
        except (OutputError, SceneError) as error:
            self._said = str(error).splitlines()[0]

    def save(self) -> Path:
        """Write what lies on the table as a scene file. Returns the file. Raises OutputError, SceneError."""
        place = folder().parent / "scenes"
        assembly = Assembly("Built by hand", self.client.lying())
        text = dump(assembly if self._scene is None else replace(self._scene, assembly=assembly))
        file = first_free(lambda number: place / f"built-{number}.toml")
        with whole_or_nothing(file, makes_folder=True) as part:
            part.write_text(text, encoding="utf-8")
        return file
