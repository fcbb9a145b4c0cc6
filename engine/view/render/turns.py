"""Whose turn it is to draw: OpenGL is one thread's at a time, and no process's that was forked from one that has it."""

import ctypes
import threading
import time

from teeter.engine.view.opengl import ViewError

PATIENCE_S = 60.0
"""Seconds in which a thread that has a stage open draws something; another one waits no longer for it to end."""
LOOK_S = 1.0
"""Seconds between two looks at the thread that is waited for."""


class Turns:
    """Gives the OpenGL of this process to one thread at a time, which keeps it while it has a stage open."""

    def __init__(self) -> None:
        self._free = threading.Condition()
        self._thread: threading.Thread | None = None
        self._stages = 0
        self._drawn_at = 0.0
        self._is_for_good = False

    def take(self, *, for_good: bool = False) -> None:
        """Waits until no other thread has a stage open. for_good: as a window does, for which nobody waits. Raises
        ViewError when the other one may never be done."""
        me = threading.current_thread()
        with self._free:
            while self._thread not in (None, me):
                self._check()
                self._free.wait(LOOK_S)
            self._thread = me
            self._stages += 1
            self._is_for_good |= for_good
            self._drawn_at = time.monotonic()

    def _check(self) -> None:
        assert self._thread is not None
        name = self._thread.name
        if self._is_for_good:
            raise ViewError(
                f"the pictures of this process are drawn by the thread {name!r}: draw there, or in a process of its own"
            )
        if not self._thread.is_alive() or time.monotonic() - self._drawn_at > PATIENCE_S:
            raise ViewError(
                f"the thread {name!r} has not closed what it draws with: close it, or draw in a process of its own"
            )

    def use(self) -> None:
        """Says that something is drawn now. Raises ViewError in another thread than that whose turn it is."""
        with self._free:
            if self._thread is not None and self._thread is not threading.current_thread():
                raise ViewError(f"this is drawn by the thread {self._thread.name!r} alone, which made it")
            self._drawn_at = time.monotonic()

    def give(self) -> None:
        """A stage is closed; with the last one the turn ends."""
        with self._free:
            self._stages -= 1
            # a context is let go by the thread that has it, and by no other
            if self._stages or self._thread is not threading.current_thread():
                return
            self._is_for_good = not let_go()
            if not self._is_for_good:
                self._thread = None
                self._free.notify()

    @property
    def is_taken(self) -> bool:
        """Whether a thread is drawing."""
        return self._thread is not None


def let_go() -> bool:
    """Takes the context from this thread, so that another can have it. Returns whether that can be done here."""
    try:
        return bool(ctypes.CDLL("libEGL.so.1").eglReleaseThread())
    except (OSError, AttributeError):
        return False


turns = Turns()
_is_copied = False
"""Whether this process was forked from one that had OpenGL: driver and threads of it are not here."""


def check_process() -> None:
    """Raises ViewError in a process that was forked from one that draws."""
    if _is_copied:
        raise ViewError(
            "this process was forked from one that had made pictures, and OpenGL does not outlive that: start "
            "processes that draw by 'spawn' or 'forkserver', or before the first picture"
        )


def begin_anew(has_opengl: bool) -> None:
    """In a forked process. has_opengl: whether the parent had opened it."""
    global turns, _is_copied
    _is_copied |= has_opengl or turns.is_taken
    turns = Turns()
