"""What gamepads do: the left stick moves the pointer or the hand, the cross goes from button to button.

Every other button of a gamepad has a name as keys have, and does what the settings say.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from teeter.engine.view.window.events import Event, Press
from teeter.engine.view.window.shapes import Rect
from teeter.engine.view.window.window import Window

if TYPE_CHECKING:
    from teeter.games.present.game_screen import GameScreen
    from teeter.games.present.menu_screen import MenuScreen

POINTER_SPEED, TURN_SPEED = 1.1, 0.8
"""Heights of the picture in a second, with a stick pushed all the way: of the pointer, of a drag of the view."""
SCROLL_SPEED = 12.0
"""Lines in a second."""
CROSS = {"pad_left": (-1, 0), "pad_right": (1, 0), "pad_up": (0, -1), "pad_down": (0, 1)}
ASIDE = 3.0
"""How much further away what lies aside of a direction seems than what lies ahead."""


class PadControl:
    """The gamepads of one window."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._lines = 0.0
        self._is_sliding = False

    def step(self, screen: MenuScreen | GameScreen, seconds: float) -> tuple[Event, ...]:
        """Time passes while sticks are pushed. Returns what happened to the pointer."""
        window, pad = self._window, self._window.pad
        window.pad_click = "" if screen.is_carrying else "pad_a"
        self._look(screen, seconds)
        if screen.is_carrying and screen.hand is not None and screen.camera_control is not None:
            if pad.left != (0.0, 0.0):
                screen.hand.slide(*pad.left, screen.camera_control.camera.right, seconds)
            elif self._is_sliding:
                screen.hand.rest()
            self._is_sliding = pad.left != (0.0, 0.0)
            return ()
        self._is_sliding = False
        if pad.left == (0.0, 0.0):
            return ()
        far = POINTER_SPEED * window.size[1] * seconds
        return window.point(window.pointer[0] + far * pad.left[0], window.pointer[1] - far * pad.left[1])

    def _look(self, screen: MenuScreen | GameScreen, seconds: float) -> None:
        """The right stick scrolls what is below the pointer, or else turns the camera."""
        window, (right, up) = self._window, self._window.pad.right
        if (right, up) == (0.0, 0.0):
            return
        if window.hud.layout.scroll_at(*window.pointer) is not None:
            self._lines -= SCROLL_SPEED * seconds * up
            whole = math.trunc(self._lines)
            self._lines -= whole
            if whole:
                window.hud.scroll(*window.pointer, whole)
        elif screen.camera_control is not None:
            far = TURN_SPEED * window.size[1] * seconds
            screen.camera_control.drag(-far * right, far * up, float(window.size[1]))

    def cross(self, event: Event, screen: MenuScreen | GameScreen) -> tuple[Event, ...] | None:
        """Takes a press of the cross that goes to another button. Returns what happened; None if it was another
        event."""
        if not isinstance(event, Press) or event.key not in CROSS or screen.is_carrying:
            return None
        layout, (x, y) = self._window.hud.layout, self._window.pointer
        here = layout.region_at(x, y)
        start = here.rect.middle if here is not None else (x, y)
        to = next_to(start, [region.rect for region in layout.regions if region != here], CROSS[event.key])
        return () if to is None else self._window.point(*to.middle)


def next_to(start: tuple[float, float], places: list[Rect], towards: tuple[int, int]) -> Rect | None:
    """Returns the place that one goes to in a direction (right, down) from a point; None for none."""
    best, nearest = None, math.inf
    for place in places:
        x, y = place.middle
        right, down = x - start[0], y - start[1]
        ahead = right * towards[0] + down * towards[1]
        aside = abs(right * towards[1]) + abs(down * towards[0])
        if ahead > 1.0 and ahead + ASIDE * aside < nearest:
            best, nearest = place, ahead + ASIDE * aside
    return best
