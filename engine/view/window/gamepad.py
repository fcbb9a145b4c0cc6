"""Gamepads: buttons that go down, repeat and come up as keys do, and two sticks.

All gamepads that are plugged in act as one; they may come and go at any time. Buttons have names of keys: `pad_a`,
`pad_b`, `pad_x`, `pad_y` (A is the lowest of the four, B the one to the right), `pad_left`, `pad_right`, `pad_up`,
`pad_down` (the cross), `pad_lb`, `pad_rb`, `pad_lt`, `pad_rt`, `pad_ls`, `pad_rs`, `pad_back`, `pad_start`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from panda3d import core

Change = Literal["down", "again", "up"]
Stick = tuple[float, float]
"""How far a stick is pushed to the right and up, each -1 to 1."""

DEAD = 0.18
"""Of a stick's way: less is a worn stick at rest."""
FIRM = 0.5
"""Of a trigger's way, from which on it is pressed."""
REPEATS_AFTER_S, REPEATS_S = 0.4, 0.1
"""As keys of a keyboard do."""
KEYS = {
    **{f"face_{letter}": f"pad_{letter}" for letter in "abxy"},
    **{f"dpad_{side}": f"pad_{side}" for side in ("left", "right", "up", "down")},
    "lshoulder": "pad_lb",
    "rshoulder": "pad_rb",
    "ltrigger": "pad_lt",
    "rtrigger": "pad_rt",
    "lstick": "pad_ls",
    "rstick": "pad_rs",
    "back": "pad_back",
    "start": "pad_start",
}
"""Panda3D's names of buttons, and the names of keys."""


@dataclass(frozen=True, slots=True)
class PadState:
    """What is held now. down: buttons, by the names of keys. left, right: the sticks, as the device has them."""

    down: frozenset[str] = frozenset()
    left: Stick = (0.0, 0.0)
    right: Stick = (0.0, 0.0)


class PandaPads:
    """Reads the gamepads that Panda3D finds."""

    def __init__(self) -> None:
        # a machine without a folder of devices is no fault
        core.load_prc_file_data("gamepad", "notify-level-device fatal")
        self._manager = core.InputDeviceManager.get_global_ptr()

    def __call__(self) -> PadState:
        """Returns what is held now."""
        axis = core.InputDevice.Axis
        self._manager.update()
        down: set[str] = set()
        left = right = (0.0, 0.0)
        for device in self._manager.get_devices(core.InputDevice.DeviceClass.gamepad):
            device.poll()
            names = (str(button.handle.name) for button in device.buttons if button.pressed)
            down |= {KEYS[name] for name in names if name in KEYS}
            for trigger, key in ((axis.left_trigger, "pad_lt"), (axis.right_trigger, "pad_rt")):
                if device.find_axis(trigger).value > FIRM:
                    down.add(key)
            left = _further(left, _stick(device, axis.left_x, axis.left_y))
            right = _further(right, _stick(device, axis.right_x, axis.right_y))
        return PadState(frozenset(down), left, right)


def _stick(device: core.InputDevice, x: core.InputDevice.Axis, y: core.InputDevice.Axis) -> Stick:
    return float(device.find_axis(x).value), float(device.find_axis(y).value)


def _further(one: Stick, other: Stick) -> Stick:
    return max(one, other, key=lambda stick: math.hypot(*stick))


class Gamepad:
    """What happens on the gamepads. read: tells what is held now. left, right: the sticks, zero while at rest."""

    def __init__(self, read: Callable[[], PadState]) -> None:
        self.read = read
        self.left: Stick = (0.0, 0.0)
        self.right: Stick = (0.0, 0.0)
        self._due: dict[str, float] = {}

    def heard(self, now: float) -> list[tuple[Change, str]]:
        """Returns what happened to buttons since the last call. now: seconds."""
        state = self.read()
        self.left, self.right = _eased(state.left), _eased(state.right)
        changes: list[tuple[Change, str]] = []
        for key in sorted(self._due.keys() - state.down):
            del self._due[key]
            changes.append(("up", key))
        for key in sorted(state.down):
            due = self._due.get(key)
            if due is None:
                changes.append(("down", key))
                self._due[key] = now + REPEATS_AFTER_S
            elif now >= due:
                changes.append(("again", key))
                self._due[key] = now + REPEATS_S
        return changes


def _eased(stick: Stick) -> Stick:
    """Nothing near the middle, and slow at first: small moves are for fine work."""
    far = math.hypot(*stick)
    if far <= DEAD:
        return 0.0, 0.0
    times = ((min(far, 1.0) - DEAD) / (1.0 - DEAD)) ** 2 / far
    return times * stick[0], times * stick[1]
