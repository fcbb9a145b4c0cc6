"""Events of a window, as values. Positions are pixels from the upper left corner.

Keys have Panda3D's names: `a`, `1`, `space`, `enter`, `escape`, `arrow_left`, `page_up`, `lshift`,
`mouse1` (left), `mouse2` (middle), `mouse3` (right), `wheel_up`, `wheel_down`.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Press:
    """A key or mouse button was pressed over the scene. again: it repeats because it is held."""

    key: str
    x: float
    y: float
    again: bool = False


@dataclass(frozen=True, slots=True)
class Lift:
    """A key or mouse button was released."""

    key: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class PointerMoved:
    """The pointer moved. over_panel: a panel is below it, not the scene."""

    x: float
    y: float
    over_panel: bool = False


@dataclass(frozen=True, slots=True)
class Clicked:
    """A button or field of a panel was clicked."""

    name: str


@dataclass(frozen=True, slots=True)
class Slid:
    """A slider of a panel was moved."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Typed:
    """A character was typed."""

    text: str


@dataclass(frozen=True, slots=True)
class Resized:
    """The window was resized."""

    size: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Closed:
    """The window was closed, by a person or by the system; nothing can be drawn any more."""


Event = Press | Lift | PointerMoved | Clicked | Slid | Typed | Resized | Closed
