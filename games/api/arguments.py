"""What functions and commands refuse: numbers out of range, and names that no free piece has."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from models.errors import TeeterError

if TYPE_CHECKING:
    from engine.world import Body
    from scenes.scene import Scene

Limit = tuple[str, float | None, float, float]
"""An argument, its value, and from where to where it may be."""


class ArgumentError(TeeterError, ValueError):
    """Arguments out of range; the message names all of them."""


def piece_fault(scene: Scene, name: str) -> str:
    """Returns what is wrong with a name that should be that of a free piece; empty for nothing."""
    from scenes.scene import nearest

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


def out_of_range(limits: Iterable[Limit]) -> list[str]:
    """Returns a sentence for every value outside its limits; None is no value."""
    return [
        f"{name} = {_number(value)}: must be from {_number(low)} to {_number(high)}"
        for name, value, low, high in limits
        if value is not None and not (math.isfinite(value) and low <= value <= high)
    ]


def require_in_range(**given: tuple[float | None, float, float]) -> None:
    """Raises ArgumentError naming every value that is not between its two limits."""
    if wrong := out_of_range((name, *value) for name, value in given.items()):
        raise ArgumentError("; ".join(wrong))


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:g}"
