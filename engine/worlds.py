"""The one place that says which engine simulates: Bullet wherever it is installed, else Rapier."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import TypeVar

from teeter.engine.settings import PACKAGES, TUNING, Tuning
from teeter.engine.world.body import Body, Scale
from teeter.engine.world.world import World
from teeter.models.errors import TeeterError
from teeter.models.plugins import installed, loaded

Q = TypeVar("Q")
R = TypeVar("R")
Engine = str
ENGINES: tuple[Engine, ...] = tuple(PACKAGES)
"""The first one that is installed is used unless another is asked for. Others are entry points `teeter.engines`, each
the class of a `World`: used where they are asked for by name."""
WorldMaker = Callable[..., World]
"""Makes worlds, given what a `World` is: an engine's class, or `new_world`."""
_asked: ContextVar[Engine | None] = ContextVar("engine", default=None)


class EngineError(TeeterError):
    """An engine that is unknown or not installed; the message says which ones are."""


def installed_engines() -> tuple[Engine, ...]:
    """Returns the engines that can be used here, the default one first."""
    return tuple(filter(_is_installed, ENGINES))


def _is_installed(engine: Engine) -> bool:
    return find_spec(PACKAGES[engine]) is not None


def package_of(engine: Engine) -> str:
    """Returns the name of the package that an engine comes in."""
    point = installed("teeter.engines").get(engine) if engine not in PACKAGES else None
    return PACKAGES.get(engine) or (
        point.dist.name if point is not None and point.dist is not None else engine
    )


def engine_in_use() -> Engine:
    """Returns the engine of new worlds. Raises EngineError when none is installed."""
    asked = _asked.get()
    if asked is not None:
        return asked
    # to look for one that is not there takes as long as to put a brick into a world
    first = next(filter(_is_installed, ENGINES), None)
    if first is None:
        raise EngineError("no physics engine is installed: pip install pybullet, or pip install rapier3d")
    return first


def require_engine(engine: str | None) -> Engine | None:
    """Returns the engine of that name; None for None. Raises EngineError for one that is unknown or not installed."""
    if engine is None:
        return None
    there = installed_engines()
    if engine in there or (str(engine) not in ENGINES and str(engine) in installed("teeter.engines")):
        return engine
    known = engine in ENGINES
    what = f"not installed: pip install {PACKAGES[engine]}" if known else "no engine of that name"
    names = ", ".join((*there, *installed("teeter.engines"))) or "none"
    raise EngineError(f"engine {engine!r}: {what}; here are {names}")


@contextmanager
def using(engine: str | None) -> Iterator[None]:
    """New worlds are made by this engine inside the block, also in processes forked there; None changes nothing.

    Raises EngineError for an engine that is unknown or not installed.
    """
    known = require_engine(engine)
    if known is None:
        yield
        return
    token = _asked.set(known)
    try:
        yield
    finally:
        _asked.reset(token)


def by_this_engine(ask: Callable[[Q], R]) -> Callable[[Q], R]:
    """Returns what asks the same by the engine in use here, in whatever process."""
    return partial(_by, engine_in_use(), ask)


def _by(engine: Engine, ask: Callable[[Q], R], question: Q) -> R:
    with using(engine):
        return ask(question)


def maker_of(engine: Engine) -> WorldMaker:
    """Returns what makes worlds of an engine. Raises EngineError for one of another distribution that cannot be
    loaded."""
    if engine in ENGINES:
        maker: WorldMaker = getattr(
            import_module(f"teeter.engine.world.{engine}"), f"{engine.capitalize()}World"
        )
        return maker
    point = installed("teeter.engines").get(engine)
    other: WorldMaker | None = None if point is None else loaded(point)
    if other is None:
        raise EngineError(f"engine {engine!r} cannot be loaded")
    return other


def new_world(
    bodies: Iterable[Body] = (),
    *,
    rate: int | None = None,
    scale: Scale | None = None,
    tuning: Tuning = TUNING,
) -> World:
    """Makes a world on the engine in use; close it (or use it as a context manager)."""
    return maker_of(engine_in_use())(bodies, rate=rate, scale=scale, tuning=tuning)
