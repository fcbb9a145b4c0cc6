"""Keys and mouse buttons of one window, as Panda3D reports them."""

from typing import Any

from panda3d import core

DOWN, AGAIN, UP, TYPED, CLOSE = "teeter-down", "teeter-again", "teeter-up", "teeter-typed", "teeter-close"
"""Names of the events Panda3D is told to send."""


class Keyboard:
    """Keys and mouse buttons of one window as Panda3D reports them, in order."""

    def __init__(self, window: Any) -> None:
        self._data = core.NodePath("input")
        device = self._data.attach_new_node(core.MouseAndKeyboard(window, 0, "mouse and keyboard"))
        thrower = core.ButtonThrower("buttons")
        thrower.set_button_down_event(DOWN)
        thrower.set_button_repeat_event(AGAIN)
        thrower.set_button_up_event(UP)
        thrower.set_keystroke_event(TYPED)
        # shift and control do not change the names of keys
        thrower.set_modifier_buttons(core.ModifierButtons())
        device.attach_new_node(thrower)
        self._walk = core.DataGraphTraverser()
        self._queue = core.EventQueue.get_global_event_queue()

    def heard(self) -> list[tuple[str, str]]:
        """Returns what happened since the last call: (event name, key); the key is empty for other events."""
        self._walk.traverse(self._data.node())
        events: list[tuple[str, str]] = []
        while not self._queue.is_queue_empty():
            event = self._queue.dequeue_event()
            name = str(event.get_name())
            if name == TYPED:
                events.append((name, str(event.get_parameter(0).get_wstring_value())))
            elif name in (DOWN, AGAIN, UP):
                events.append((name, str(event.get_parameter(0).get_string_value())))
            else:
                events.append((name, ""))
        return events
