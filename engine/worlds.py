"""The one place that says which engine simulates: Bullet wherever it is installed, else Rapier."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from importlib.util import find_spec
from typing import Literal, get_args

from engine.settings import TUNING, Tuning
from engine.world import Body, Scale, World
from models.errors import TeeterError

Engine = Literal["bullet", "rapier"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
"""The first one that is installed is used unless another is asked for."""
WorldMaker = Callable[..., World]
"""Makes worlds, given what a `World` is: an engine's class, or `new_world`."""
PACKAGES: dict[Engine, str] = {"bullet": "pybullet", "rapier": "rapier3d"}
_CLASSES = {"bullet": "BulletWorld", "rapier": "RapierWorld"}
_asked: ContextVar[Engine | None] = ContextVar("engine", default=None)


class EngineError(TeeterError):
    """An engine that is unknown or not installed; the message says which ones are."""


def installed_engines() -> tuple[Engine, ...]:
    """Returns the engines that can be used here, the default one first."""
    return tuple(engine for engine in ENGINES if find_spec(PACKAGES[engine]) is not None)


def engine_in_use() -> Engine:
    """Returns the engine of new worlds. Raises EngineError when none is installed."""
    asked = _asked.get()
    if asked is not None:
        return asked
    there = installed_engines()
    if not there:
        raise EngineError("no physics engine is installed: pip install pybullet, or pip install rapier3d")
    return there[0]


@contextmanager
def using(engine: str | None) -> Iterator[None]:
    """New worlds are made by this engine inside the block, also in processes forked there; None changes nothing.

    Raises EngineError for an engine that is unknown or not installed.
    """
    if engine is None:
        yield
        return
    there = installed_engines()
    known = next((each for each in ENGINES if each == engine), None)
    if known is None or known not in there:
        what = "no engine of that name" if known is None else f"not installed: pip install {PACKAGES[known]}"
        raise EngineError(f"engine {engine!r}: {what}; here are {', '.join(there) or 'none'}")
    token = _asked.set(known)
    try:
        yield
    finally:
        _asked.reset(token)


def maker_of(engine: Engine) -> WorldMaker:
    """Returns what makes worlds of an engine."""
    maker: WorldMaker = getattr(import_module(f"engine.{engine}"), _CLASSES[engine])
    return maker


def new_world(
    bodies: Iterable[Body] = (),
    *,
    rate: int | None = None,
    scale: Scale | None = None,
    tuning: Tuning = TUNING,
) -> World:
    """Makes a world on the engine in use; close it (or use it as a context manager)."""
    return maker_of(engine_in_use())(bodies, rate=rate, scale=scale, tuning=tuning)
