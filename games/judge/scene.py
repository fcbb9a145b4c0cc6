"""What a judge looks at: named pieces with poses at rest, and who touches whom. No simulator, no clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.world import Body


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Everything on the table at one moment.

    bodies: by name, supports too (`engine.world.TABLE`), with their present poses. touching: pairs of names in
    order that carry force between them.
    """

    bodies: Mapping[str, Body]
    touching: frozenset[tuple[str, str]] = frozenset()

    def touch(self, one: str, other: str) -> bool:
        """Whether two bodies carry force between them."""
        return (min(one, other), max(one, other)) in self.touching

    def touched_by(self, name: str) -> tuple[str, ...]:
        """All that a body touches, sorted."""
        return tuple(sorted(b if a == name else a for a, b in self.touching if name in (a, b)))
