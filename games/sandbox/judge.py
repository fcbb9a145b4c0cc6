"""The sandbox on the table: everything is allowed, and nothing falls that anyone counts (SB-1)."""

from teeter.engine.world.body import Body
from teeter.games.core.events import Condition
from teeter.games.judge import places
from teeter.games.judge.judge import Judge, TableScene
from teeter.games.sandbox.rules import State
from teeter.models.build import build
from teeter.models.catalogue import find

ROWS_MM = 600.0
"""Width of the rows in which pieces are laid out: in reach of one player."""


class SandboxJudge(Judge[State]):
    """The physical side of the sandbox."""

    minds_nudges = False
    """Whoever builds freely may push one piece with another."""
    is_fine = True
    """As the sandbox is played, so that the coach lets stand what stands there."""

    def in_play(self, state: State) -> frozenset[str]:
        """All pieces that were brought out."""
        return frozenset(piece.id for piece in state.pieces)

    def meets(
        self, state: State, piece: str, condition: Condition, after: TableScene, released_mm: float | None
    ) -> bool:
        """Any pose will do."""
        return True

    def layout(self, state: State) -> tuple[Body, ...]:
        """The table, and the pieces that have a model, in rows; one without has its place from a scene."""
        named = [(piece.id, build(find(piece.model))) for piece in state.pieces if piece.model]
        return (places.table(*places.TABLE_MM), *places.supply(named, ROWS_MM)[0])
