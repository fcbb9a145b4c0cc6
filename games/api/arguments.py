"""What functions and commands refuse: values out of range or of another kind, and names that no free piece has."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import wraps
from inspect import Parameter, signature
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar, cast

from teeter.models.errors import TeeterError, quote

if TYPE_CHECKING:
    from teeter.engine.world.body import Body, Vector
    from teeter.scenes.scene import Scene

F = TypeVar("F", bound=Callable[..., Any])
LIMITS: dict[str, tuple[float, float]] = {
    "accelerate_g": (0.0, 100.0),
    "best": (1, 10_000),
    "direction_deg": (-360.0, 360.0),
    "friction": (0.0, 10.0),
    "gap_mm": (1e-3, 1e6),
    "margin_deg": (0.0, 89.0),
    "position_mm": (0.0, 1000.0),
    "push_n": (0.0, 1e9),
    "samples": (1, 50_000_000),
    "seed": (0, 2**63 - 1),
    "settle_mm": (0.0, 1000.0),
    "tilt_deg": (0.0, 89.0),
    "tilt_direction_deg": (-360.0, 360.0),
    "tilt_noise_deg": (0.0, 45.0),
    "time": (0.25, 3600.0),
    "turns": (1, 1_000_000),
    "until": (1e-4, 0.99),
    "wind_pa": (0.0, 1e6),
    "workers": (1, 256),
}
"""The least and the greatest value of every number that may be given, by its name in Python."""


class ArgumentError(TeeterError, ValueError):
    """Arguments out of range; the message names all of them."""


def piece_fault(scene: Scene, name: str) -> str:
    """Returns what is wrong with a name that should be that of a free piece; empty for nothing."""
    from teeter.scenes.scene import nearest

    free = {body.name for body in scene.assembly.free}
    if name in free:
        return ""
    if name in {body.name for body in scene.assembly.bodies}:
        return f"{name!r} is fixed: it is a support"
    return f"there is no piece {name!r}{nearest(name, sorted(free))}"


def piece_named(scene: Scene, name: str) -> Body:
    """A piece that can move. Raises ArgumentError."""
    if fault := piece_fault(scene, name):
        raise ArgumentError(f"{scene.name}: {fault}")
    return next(body for body in scene.assembly.free if body.name == name)


def actions_on(
    scene: Scene, accelerate_g: float | None, wind_pa: float | None, direction_deg: float | None
) -> tuple[Vector, Vector]:
    """The acceleration that pieces feel (m/s^2) and the wind (Pa), as asked or else as the scene says."""
    from teeter.engine.settings import GRAVITY

    towards = direction_deg or 0.0
    shaken, blown = (accelerate_g or 0.0, towards), (wind_pa or 0.0, towards)
    if accelerate_g is None and scene.head.acceleration is not None:
        shaken = scene.head.acceleration.g, scene.head.acceleration.direction
    if wind_pa is None and scene.head.wind is not None:
        blown = scene.head.wind.pressure, scene.head.wind.direction
    return _level(GRAVITY * shaken[0], shaken[1]), _level(*blown)


def _level(size: float, degrees: float) -> Vector:
    angle = math.radians(degrees)
    return size * math.cos(angle), size * math.sin(angle), 0.0


def out_of_range(values: Iterable[tuple[str, str, object]]) -> list[str]:
    """Returns a sentence for every value outside its limits. values: what it is called, the name of its limits, and
    the value, None where there is none."""
    return [wrong for called, name, value in values if (wrong := fault(called, LIMITS[name], value))]


def require_in_range(**values: object) -> None:
    """Raises ArgumentError naming every value that is not between its two limits."""
    if wrong := out_of_range((name, name, value) for name, value in values.items()):
        raise ArgumentError("; ".join(wrong))


def fault(called: str, limits: tuple[float, float], value: object) -> str:
    """Returns what is wrong with a number; empty for nothing, and for None. Whole limits want whole numbers."""
    if value is None:
        return ""
    bounds = f"from {_number(limits[0])} to {_number(limits[1])}"
    try:
        number = whole_of(called, value) if isinstance(limits[0], int) else number_of(called, value)
    except ArgumentError as error:
        return f"{error} {bounds}"
    return "" if limits[0] <= number <= limits[1] else f"{called} = {_number(number)}: must be {bounds}"


def whole_of(called: str, value: object) -> int:
    """Returns a whole number of any library as one of Python's. Raises ArgumentError."""
    if not isinstance(value, bool):
        with suppress(TypeError):
            return operator.index(value)  # type: ignore[arg-type]
    raise ArgumentError(f"{called} = {quote(value)}: must be a whole number")


def number_of(called: str, value: object) -> float:
    """Returns a number of any library as one of Python's. Raises ArgumentError."""
    if isinstance(value, Real) and not isinstance(value, bool):
        with suppress(OverflowError):
            return float(value)
    raise ArgumentError(f"{called} = {quote(value)}: must be a number")


def truth_of(called: str, value: object) -> bool:
    """Returns True or False of Python or numpy as one of Python's. Raises ArgumentError."""
    if isinstance(value, bool):
        return value
    from numpy import bool_

    if isinstance(value, bool_):
        return bool(value)
    raise ArgumentError(f"{called} = {quote(value)}: must be True or False")


def _must(test: Callable[[object], bool], words: str) -> Callable[[str, Any], Any]:
    """Returns what refuses values that do not pass a test."""

    def passed(called: str, value: Any) -> Any:
        if test(value):
            return value
        raise ArgumentError(f"{called} = {quote(value)}: must be {words}")

    return passed


text_of = _must(lambda value: isinstance(value, str), "a text")


def path_of(called: str, value: object) -> Path:
    """Returns where a file is. Raises ArgumentError."""
    if isinstance(value, str | PathLike) and "\0" not in str(value):
        with suppress(TypeError):
            return Path(value)
    raise ArgumentError(f"{called} = {quote(value)}: must be the path of a file, as text or as a Path")


def size_of(called: str, value: Iterable[SupportsIndex]) -> tuple[int, int]:
    """Returns width and height. Raises ArgumentError."""
    with suppress(TypeError, ValueError):
        width, height = (whole_of(called, side) for side in value)
        return width, height
    raise ArgumentError(
        f"{called} = {quote(value)}: must be two whole numbers of pixels, such as (1280, 720)"
    )


def list_of(called: str, value: object, words: str = "a list") -> Any:
    """Returns what can be gone through, as it is. Raises ArgumentError."""
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return value
    raise ArgumentError(f"{called} = {quote(value)}: must be {words}")


def names_of(called: str, value: object) -> str | tuple[str, ...]:
    """Returns one name, or several as a tuple. Raises ArgumentError."""
    if isinstance(value, str):
        return value
    names = enumerate(list_of(called, value, "a list of names"))
    return tuple(text_of(f"{called}[{place}]", name) for place, name in names)


def shares_of(called: str, value: object) -> dict[str, float]:
    """Returns numbers by name. Raises ArgumentError."""
    if isinstance(value, Mapping):
        return {text_of(called, name): number_of(f"{called}[{name!r}]", one) for name, one in value.items()}
    raise ArgumentError(f"{called} = {quote(value)}: must be numbers by name")


KINDS: dict[str, Callable[[str, Any], Any]] = {
    "bool": truth_of,
    "float": number_of,
    "int": whole_of,
    "str": text_of,
    "str | Path": path_of,
    "Iterable[str]": names_of,
    "Iterable[Mapping[str, Any]]": _must(lambda value: isinstance(value, Iterable), "a list of tables"),
    "Mapping[str, float]": shares_of,
    "Progress": _must(callable, "a function"),
    "Executor": _must(lambda value: hasattr(value, "submit"), "an executor, as of concurrent.futures"),
}
"""What returns a value of a kind, by how the kind is written."""


def checked(function: F) -> F:
    """Decorates what scripts call: what is given is of the kinds that are written there, numbers within their limits.
    Flags, paths and names become Python's own. Raises ArgumentError with all that is wrong."""
    if isinstance(function, type):
        function.__init__ = checked(function.__init__)  # type: ignore[misc]
        return cast(F, function)
    written = signature(function)
    called = function.__qualname__.removesuffix(".__init__")
    takes_more = any(one.kind is Parameter.VAR_KEYWORD for one in written.parameters.values())

    @wraps(function)
    def asked(*given: Any, **named: Any) -> Any:
        if not takes_more:
            refuse_unknown(named, written.parameters)
        try:
            bound = written.bind(*given, **named)
        except TypeError as error:
            raise ArgumentError(f"{called}: {error}") from None
        wrong = []
        for name, value in bound.arguments.items():
            kind = str(written.parameters[name].annotation)
            make = KINDS.get(kind.removesuffix(" | None"))
            if make is None or (value is None and kind.endswith(" | None")):
                continue
            limits = LIMITS.get(name) if make in (number_of, whole_of) else None
            try:
                if limits is not None and (told := fault(name, limits, value)):
                    raise ArgumentError(told)
                bound.arguments[name] = make(name, value)
            except ArgumentError as error:
                wrong.append(str(error))
        if wrong:
            raise ArgumentError("; ".join(wrong))
        return function(*bound.args, **bound.kwargs)

    return cast(F, asked)


def refuse_unknown(given: Mapping[str, object], known: Iterable[str], others: Iterable[str] = ()) -> None:
    """Raises ArgumentError for the first name that is not known. others: that may have been meant too."""
    from teeter.scenes.scene import nearest

    names = {*known}
    for name in given:
        if name not in names:
            near = nearest(name, sorted(names.union(others)))
            raise ArgumentError(f"{name} = {quote(given[name])}: no such argument{near}")


def names_in(given: str | Iterable[str]) -> tuple[str, ...]:
    """Returns names: a string is one, not its letters."""
    return (given,) if isinstance(given, str) else tuple(given)


def friction_range_fault(called: str, value: object) -> str:
    """Returns what is wrong with two coefficients of friction, from and to; empty for nothing, and for None."""
    low, high = LIMITS["friction"]
    if value is None:
        return ""
    pair = list(value) if isinstance(value, tuple | list) else []
    if len(pair) == 2 and not any(fault("", (low, high), value) for value in pair) and pair[0] <= pair[1]:
        return ""
    return f"{called} = {value}: must be two numbers from {low:g} to {high:g}, the smaller one first"


def _number(value: Real | float) -> str:
    return str(value) if isinstance(value, Integral) else f"{float(value):g}"
