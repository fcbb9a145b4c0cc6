"""The mouse over a table: what is below it, clicks, and what is dragged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.view.camera import ray
from engine.view.window.events import Lift, PointerMoved, Press
from engine.view.window.picker import Hit, pick
from engine.world import TABLE

if TYPE_CHECKING:
    from games.ui.playing import Playing

CLICK = 4.0
"""Pixels that the pointer may move between press and lift of a click."""
REPEATED = ("lift", "lower", "turn_left", "turn_right")
"""What is done again and again while its key stays down; the ways of the hand go on by themselves."""


@dataclass(frozen=True, slots=True)
class Drag:
    """A button of the mouse is held. kind: what it does. x, y: where the pointer was last."""

    kind: str
    x: float
    y: float


class Mouse:
    """One pointer over one table; keys come along."""

    def __init__(self, table: Playing) -> None:
        self._table = table
        self._drag: Drag | None = None
        self._hit: Hit | None = None

    @property
    def over(self) -> str:
        """The piece below the pointer; empty for none, and for the table."""
        return self._hit.name if self._hit is not None and self._hit.name != TABLE else ""

    def piece_at(self, x: float, y: float) -> str:
        """The piece at a place of the window; empty for none."""
        self._pick(x, y)
        return self.over

    def pressed(self, event: Press) -> None:
        """A button or key went down."""
        table, grip = self._table, self._table.hand.grip
        if event.key == "mouse1":
            self._drag = Drag("left", event.x, event.y)
            return
        if event.key in ("mouse2", "mouse3"):
            is_turn = event.key == "mouse3" and grip is not None and not grip.is_pulling
            kind = "turn" if is_turn else "pan" if event.key == "mouse2" else "orbit"
            self._drag = Drag(kind, event.x, event.y)
            return
        if event.key.isdigit():
            table.number(int(event.key))
            return
        act = table.settings.act_of(event.key)
        if event.again and act not in REPEATED:
            return
        if act in ("lift", "lower") and grip is None and event.key.startswith("wheel"):
            table.sight.zoom(
                1.0 if act == "lift" else -1.0, self._hit.point if self._hit is not None else None
            )
        elif act:
            table.act(act)

    def lifted(self, event: Lift) -> None:
        """A button or key went up."""
        if not event.key.startswith("mouse"):
            return
        drag, self._drag = self._drag, None
        if event.key == "mouse1" and drag is not None and drag.kind == "left":
            self._table.click_at(event.x, event.y)

    def moved(self, event: PointerMoved) -> None:
        """The pointer is elsewhere."""
        if self._drag is not None:
            self._dragged(self._drag, event)
        elif event.over_panel:
            return
        elif self._table.hand.grip is not None:
            size = self._table.window.size
            x = size[0] - event.x if self._table.sight.eye.is_mirrored else event.x
            self._table.hand.point(self._table.sight.camera, size, x, event.y)
        else:
            self._pick(event.x, event.y)

    def _dragged(self, drag: Drag, event: PointerMoved) -> None:
        table, high = self._table, float(self._table.window.size[1])
        right, down = event.x - drag.x, event.y - drag.y
        if drag.kind == "left":
            if abs(right) + abs(down) <= CLICK or table.hand.grip is not None or self.over:
                return
            drag = replace(drag, kind="orbit")
        if drag.kind == "turn":
            table.hand.drag_turn(right, high, is_free=table.is_down("free"))
        else:
            table.sight.drag(right, down, high, is_pan=drag.kind == "pan")
        self._drag = replace(drag, x=event.x, y=event.y)

    def _pick(self, x: float, y: float) -> None:
        origin, way = ray(self._table.sight.camera, self._table.window.size, x, y)
        self._hit = pick(self._table.desk.frame, self._table.desk.pieces, origin, way)
