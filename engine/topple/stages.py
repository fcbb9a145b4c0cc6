"""What a check is at, for whoever waits for it: told in words, once a stage begins."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Tell = Callable[[str], None]
_tell: ContextVar[Tell | None] = ContextVar("tell", default=None)


@contextmanager
def telling(tell: Tell) -> Iterator[None]:
    """Inside the block every stage of a check is told; not those in other threads and processes."""
    token = _tell.set(tell)
    try:
        yield
    finally:
        _tell.reset(token)


def stage(words: str) -> None:
    """Tell what is asked now."""
    tell = _tell.get()
    if tell is not None:
        tell(words)
