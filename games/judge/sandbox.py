"""The sandbox on the table: everything is allowed, and nothing falls that anyone counts (SB-1)."""

from __future__ import annotations

from engine.world import Body
from games.judge import places
from games.judge.scene import Scene
from games.rules.conditions import Condition
from games.rules.sandbox.game import State
from models.build import build
from models.catalogue import find

TABLE_MM = (1200.0, 800.0)
"""As large as the table of scenes."""
ROWS_MM = 600.0
"""Width of the rows in which pieces are laid out: in reach of one player."""


def layout(state: State) -> tuple[Body, ...]:
    """The table, and the pieces that have a model, in rows; one without comes with a scene, which knows its place."""
    named = [(piece.id, build(find(piece.model))) for piece in state.pieces if piece.model]
    return (places.table(*TABLE_MM), *places.supply(named, ROWS_MM)[0])


def home(state: State, piece: str) -> Body:
    """A piece at its place in the rows; a new one is the last of them. Raises KeyError for one without a model."""
    return {body.name: body for body in layout(state)}[piece]


def broken(
    state: State, piece: str, conditions: tuple[Condition, ...], before: Scene, after: Scene
) -> tuple[Condition, ...]:
    """Nothing: any pose will do."""
    return ()


def where(state: State, piece: str, after: Scene) -> str:
    """There is only one place."""
    return ""


def covers(state: State, piece: str, before: Scene, after: Scene) -> tuple[str, ...]:
    """There are no boxes."""
    return ()


def fallen(state: State, piece: str, before: Scene, after: Scene) -> tuple[str, ...]:
    """Nothing: on the table is as good as anywhere."""
    return ()
