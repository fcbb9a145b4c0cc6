"""The mouse over a table: it takes and lays pieces, drags them, turns them, and moves the camera; keys come along.

A click takes a piece and another lays it; or one presses on a piece, carries it and lifts the button where it shall be
lowered. The right button turns what is carried, also while the left one is down.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from teeter.engine.view.camera import ray
from teeter.engine.view.window.events import Lift, PointerMoved, Press
from teeter.engine.view.window.picker import Hit, pick
from teeter.engine.world.body import TABLE
from teeter.games.present.camera import CameraController
from teeter.games.present.carry import CarryTarget
from teeter.games.present.client_state import ClientState
from teeter.games.present.hand import HandControl
from teeter.games.present.settings import Settings

if TYPE_CHECKING:
    from teeter.engine.view.window.window import Window

CLICK = 4.0
"""Pixels that the pointer may move between press and lift of a click."""
OVER_PANEL = "Still in the hand: let go over the table."
JUST_OUT = "It is out, and in the hand: carry it, and click to lay it."
REPEATED = ("lift", "lower", "turn_left", "turn_right")
"""What is done again and again while its key stays down; the hand moved by keys goes on by itself."""

TURNS = ("turn_left", "turn_right")
"""Stop at each quarter turn while their key stays down."""


def _is_quarter(degrees: float) -> bool:
    return abs(degrees) > 1.0 and abs(degrees / 90.0 - round(degrees / 90.0)) < 1e-6


class MouseTarget(Protocol):
    """What the mouse needs of the screen it moves over."""

    window: Window
    settings: Settings
    client: ClientState
    hand: HandControl
    camera_control: CameraController

    def number(self, digit: int) -> None:
        """A digit was pressed."""

    def act(self, name: str) -> None:
        """A key was pressed that does something."""

    def click_at(self, x: float, y: float) -> None:
        """The table was clicked."""

    def take_at(self, x: float, y: float) -> bool:
        """Take what is there to drag it. Returns whether there is something to be taken."""

    def is_awaited(self, x: float, y: float) -> bool:
        """Whether what is there may be taken in a moment."""

    def is_down(self, act: str) -> bool:
        """Whether a key of an act is held down."""

    def say(self, line: str) -> None:
        """Say something for a while."""


@dataclass(frozen=True, slots=True)
class Drag:
    """A button of the mouse is held. kind: what it does. x, y: where the pointer was last."""

    kind: str
    x: float
    y: float


class Mouse:
    """One pointer over one table."""

    def __init__(self, screen: MouseTarget) -> None:
        self._screen = screen
        self._left: Drag | None = None
        self._other: Drag | None = None
        self._hit: Hit | None = None
        self._pointer = (0.0, 0.0)
        self._carried: CarryTarget | None = None
        self._owes_lay = False
        self._has_let_be = False
        self._clicked: tuple[float, float] | None = None
        """Where a piece was clicked that could not be taken yet."""

    @property
    def over(self) -> str:
        """The piece below the pointer; empty for none, and for the table."""
        return self._hit.name if self._hit is not None and self._hit.name != TABLE else ""

    @property
    def is_dragging(self) -> bool:
        """Whether a button is held with which something is moved."""
        return self._left is not None or self._other is not None

    def piece_at(self, x: float, y: float) -> str:
        """The piece at a place of the window; empty for none."""
        self._pick(x, y)
        return self.over

    def step(self) -> None:
        """Time passes: a piece that was pressed on has come into the hand."""
        grip = self._screen.hand.grip
        self._take_awaited()
        if self._screen.client.waits is not None and not self._screen.client.held:
            # the piece did not come, or has left the hand again: what is taken next is not laid for it
            self._owes_lay = False
        is_dragged = self._left is not None and self._left.kind == "carry"
        if grip is None or grip is self._carried or not (is_dragged or self._owes_lay):
            return
        self._carried = grip
        if grip.is_pulling and self._left is not None:
            # it is pulled by as much as the pointer has come since it was pressed on
            self._point(self._left.x, self._left.y)
        self._point(*self._pointer)
        if self._owes_lay:
            self._owes_lay = False
            self._let_down()

    def _take_awaited(self) -> None:
        """A piece that was pressed on too early is taken as soon as it may be."""
        if self._screen.client.waits is None:
            return
        left, clicked, self._clicked = self._left, self._clicked, None
        if left is not None and left.kind == "wait":
            self._left = replace(left, kind="carry" if self._screen.take_at(left.x, left.y) else "orbit")
        elif clicked is not None:
            self._screen.click_at(*clicked)

    def pressed(self, event: Press) -> None:
        """A button or key went down."""
        screen, grip = self._screen, self._screen.hand.grip
        if event.key.startswith("mouse"):
            self._clicked = None
        if event.key == "mouse1":
            self._left, self._owes_lay, self._has_let_be = Drag("press", event.x, event.y), False, False
            return
        if event.key in ("mouse2", "mouse3"):
            is_turn = event.key == "mouse3" and grip is not None and not grip.is_pulling
            kind = "turn" if is_turn else "pan" if event.key == "mouse2" else "orbit"
            self._other = Drag(kind, event.x, event.y)
            return
        if event.key.isdigit():
            screen.number(int(event.key))
            return
        act = screen.settings.act_of(event.key)
        if event.again and (
            act not in REPEATED or (act in TURNS and grip is not None and _is_quarter(grip.yaw))
        ):
            return
        if act in ("lift", "lower") and grip is None and event.key.startswith(("wheel", "pad")):
            screen.camera_control.zoom(
                1.0 if act == "lift" else -1.0, self._hit.point if self._hit is not None else None
            )
        elif act:
            screen.act(act)

    def lifted(self, event: Lift) -> None:
        """A button or key went up."""
        if event.key in ("mouse2", "mouse3"):
            self._other = None
        if event.key != "mouse1":
            return
        left, self._left = self._left, None
        if left is None:
            return
        if left.kind in ("press", "wait") and self._screen.is_awaited(left.x, left.y):
            self._clicked = (left.x, left.y)
        elif left.kind == "press":
            self._screen.click_at(event.x, event.y)
        elif left.kind == "carry":
            self._pointer = (event.x, event.y)
            if self._screen.hand.grip is None:
                # the piece is not in the hand yet: it is laid when it is
                self._owes_lay = True
            elif self._screen.window.hud.layout.covers(event.x, event.y):
                self._screen.say(OVER_PANEL)
            else:
                self._let_down()

    def let_be(self, event: Lift) -> None:
        """A button went up where it means nothing, as over a page: nothing is laid, and nothing goes on moving."""
        if event.key == "mouse1":
            self._left = None
            self._screen.hand.rest()
        elif event.key in ("mouse2", "mouse3"):
            self._other = None

    def _let_down(self) -> None:
        """A piece that was dragged is let go of: lowered, or no longer pulled."""
        grip = self._screen.hand.grip
        if grip is not None and grip.is_pulling:
            self._has_let_be = True
            self._screen.hand.rest()
        elif self._screen.hand.is_just_out:
            # the button was lifted to end the pull, not to lay what came of it
            self._screen.say(JUST_OUT)
        else:
            self._screen.act("lay")

    def moved(self, event: PointerMoved) -> None:
        """The pointer is elsewhere."""
        self._pointer = (event.x, event.y)
        if self._left is not None and self._left.kind == "press":
            self._begin_drag(self._left, event)
        if self._other is not None:
            self._other = self._dragged(self._other, event)
        elif self._left is not None and self._left.kind == "wait":
            return
        elif self._left is not None and self._left.kind != "carry":
            self._left = self._dragged(self._left, event)
        elif event.over_panel:
            return
        elif self._screen.hand.grip is not None:
            if not (self._has_let_be and self._screen.hand.grip.is_pulling):
                self._point(event.x, event.y)
        else:
            self._pick(event.x, event.y)

    def _begin_drag(self, left: Drag, event: PointerMoved) -> None:
        if abs(event.x - left.x) + abs(event.y - left.y) <= CLICK:
            return
        grip = self._screen.hand.grip
        self._carried = grip
        if grip is None and self._screen.is_awaited(left.x, left.y):
            self._left = replace(left, kind="wait")
            return
        is_carried = grip is not None or self._screen.take_at(left.x, left.y)
        self._left = replace(left, kind="carry" if is_carried else "orbit")

    def _point(self, x: float, y: float) -> None:
        screen, size = self._screen, self._screen.window.size
        x = size[0] - x if screen.camera_control.eye.is_mirrored else x
        screen.hand.point(*ray(screen.camera_control.camera, size, x, y), (x / size[1], y / size[1]))

    def _dragged(self, drag: Drag, event: PointerMoved) -> Drag:
        screen, high = self._screen, float(self._screen.window.size[1])
        right, down = event.x - drag.x, event.y - drag.y
        if drag.kind == "press":
            return drag
        if drag.kind == "turn":
            screen.hand.drag_turn(right, high, is_free=screen.is_down("free"))
        else:
            screen.camera_control.drag(right, down, high, is_pan=drag.kind == "pan")
        return replace(drag, x=event.x, y=event.y)

    def _pick(self, x: float, y: float) -> None:
        origin, direction = ray(self._screen.camera_control.camera, self._screen.window.size, x, y)
        self._hit = pick(self._screen.client.frame, self._screen.client.pieces, origin, direction)
