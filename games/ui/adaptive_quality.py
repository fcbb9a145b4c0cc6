"""How clear the picture is: its level and its pixels, by how long pictures take; sharp when all is still."""

from teeter.engine.view.opengl import kind_of
from teeter.engine.view.render.shading import Quality
from teeter.engine.view.window.window import Window

RUNGS: tuple[tuple[Quality, float], ...] = (
    ("high", 1.0),
    ("high", 0.7),
    ("medium", 1.0),
    ("medium", 0.85),
    ("medium", 0.7),
    ("low", 0.85),
    ("low", 0.7),
    ("low", 0.55),
)
"""Level, and pixels along a side of a pixel of the window; from the clearest to the quickest."""
SHARPNESS = (1.0, 0.85, 0.7, 0.6)
"""The pixels of a level that was chosen, which has no quicker one."""
SLOW_S, FAST_S = 1 / 45, 1 / 90
"""Seconds a picture takes when the next one is less clear, and clearer again: what comes before it on the processor
takes as long once more."""
SLOW_ON_CARD_S, FAST_ON_CARD_S = 1 / 20, 1 / 45
"""The same with a graphics card, which may wait for a screen that shows 30 pictures a second."""
DECIDING_PICTURES = 6
"""Pictures whose time decides."""
STILL_S = 0.3
"""Seconds without anything new after which the picture is made as clear as can be."""


class AdaptiveQuality:
    """Keeps the pictures of a window quick while something moves. best: the level that is tried first, and shown when
    all is still. is_fixed: there is no other level, only fewer pixels."""

    def __init__(self, window: Window, best: Quality, *, is_fixed: bool = False) -> None:
        self._window = window
        fixed = tuple((best, sharpness) for sharpness in SHARPNESS)
        self._rungs = fixed if is_fixed else RUNGS[RUNGS.index((best, 1.0)) :]
        is_card = kind_of(window.renderer) == "gpu"
        self._slow, self._fast = (SLOW_ON_CARD_S, FAST_ON_CARD_S) if is_card else (SLOW_S, FAST_S)
        self._rung = 0
        self._times: list[float] = []
        self._idle = 0.0
        self._is_raised = False

    def before(self, seconds: float) -> None:
        """Ask before every picture; seconds: since the one before."""
        if self._window.stage is None:
            return
        if self._window.is_new:
            self._idle = 0.0
            if self._is_raised:
                self._is_raised = False
                self._window.relight(*self._rungs[self._rung])
            return
        self._idle += seconds
        if self._idle > STILL_S and self._rung and not self._is_raised:
            self._is_raised = True
            self._window.relight(*self._rungs[0])

    def took(self, seconds: float) -> None:
        """A picture took so long."""
        if self._is_raised:
            return
        self._times.append(seconds)
        if len(self._times) < DECIDING_PICTURES:
            return
        middle = sorted(self._times)[DECIDING_PICTURES // 2]
        self._times.clear()
        if middle > self._slow and self._rung + 1 < len(self._rungs):
            self._rung += 1
        elif middle < self._fast and self._rung:
            self._rung -= 1
        else:
            return
        self._window.relight(*self._rungs[self._rung])
