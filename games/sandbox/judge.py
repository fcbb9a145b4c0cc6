"""The sandbox on the table as its rules know it: the pieces that have a model, laid out in rows (SB-2)."""

from teeter.engine.world.body import Body
from teeter.games.judge import places
from teeter.games.judge.free import Building, FreeJudge
from teeter.models.build import build
from teeter.models.catalogue import find

ROWS_MM = 600.0
"""Width of the rows in which pieces are laid out: in reach of one player."""


class SandboxJudge(FreeJudge):
    """The physical side of the sandbox, without a scene."""

    def layout(self, state: Building) -> tuple[Body, ...]:
        """The table, and the pieces that have a model, in rows; one without has its place from a scene."""
        named = [(piece.id, build(find(piece.model))) for piece in state.pieces if piece.model]
        return (places.table(*places.TABLE_MM), *places.supply(named, ROWS_MM)[0])
