"""Building freely: everything is allowed, and nothing falls that anyone counts (SB-1)."""

from collections.abc import Sequence
from typing import Protocol

from teeter.games.core.events import Condition
from teeter.games.judge.judge import Judge, TableScene


class Named(Protocol):
    """A piece in the rules of free building."""

    @property
    def id(self) -> str:
        """Its name."""

    @property
    def model(self) -> str:
        """Its name in the catalogues; empty where it came from a file."""


class Building(Protocol):
    """The state of free building."""

    @property
    def pieces(self) -> Sequence[Named]:
        """All that were brought out."""


class FreeJudge(Judge[Building]):
    """What all judges of free building say alike, wherever their pieces come from."""

    is_fine, minds_nudges = True, False

    def in_play(self, state: Building) -> frozenset[str]:
        """All pieces that were brought out."""
        return frozenset(piece.id for piece in state.pieces)

    def meets(
        self, state: Building, piece: str, condition: Condition, after: TableScene, released_mm: float | None
    ) -> bool:
        """Any pose will do."""
        return True
