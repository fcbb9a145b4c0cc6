"""What other distributions add: their entry points. A game names its `Game`, an engine the class of its `World`, a
catalogue the package in whose folder its TOML files lie.
"""

import sys
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

Group = Literal["teeter.games", "teeter.engines", "teeter.catalogues"]


@cache
def installed(group: Group) -> dict[str, EntryPoint]:
    """Returns the entry points of a group by name, in the order of their names; of two alike the first."""
    plugins: dict[str, EntryPoint] = {}
    for plugin in sorted(entry_points(group=group), key=lambda one: (one.name, one.value)):
        plugins.setdefault(plugin.name, plugin)
    return plugins


@cache
def loaded(point: EntryPoint) -> Any:
    """Returns what an entry point names. One that cannot be loaded is told once on standard error, and None."""
    try:
        return point.load()
    except Exception as error:  # a fault of the other distribution, whatever it is, is not one of ours
        whose = f" of {point.dist.name}" if point.dist is not None else ""
        said = " ".join(f"{type(error).__name__}: {error}".split())
        sys.stderr.write(f"teeter: {point.group} {point.name}{whose} is left out: {said}\n")
        return None
