"""The protocol every game's judge fits: how a game is laid out, and how a lying piece is judged."""

from __future__ import annotations

from typing import Any, Protocol

from engine.world import Body
from games.judge.scene import Scene
from games.rules.conditions import Condition


class Judge(Protocol):
    """The physical side of one game; pure functions of the rules' state and a scene.

    Names of bodies are the names of pieces in the rules' state, so nothing needs translating.
    """

    def layout(self, state: Any) -> tuple[Body, ...]:
        """Every body of the game where it lies before the first turn: the table first, supplies beside the play
        area, towers that are set up. Deterministic; pieces lie in stable poses and do not overlap."""

    def home(self, state: Any, piece: str) -> Body:
        """The body of a piece where the supply keeps it: where a piece that goes back, or a new one, is put."""

    def broken(
        self, state: Any, piece: str, conditions: tuple[Condition, ...], before: Scene, after: Scene
    ) -> tuple[Condition, ...]:
        """Which of the conditions the piece at rest does not meet, in their order.

        before: the scene when the piece was grabbed, without the piece. after: the scene at rest.
        """

    def where(self, state: Any, piece: str, after: Scene) -> str:
        """The place the rules call it by: a floor, a slot, a tower; empty when there is only one."""

    def covers(self, state: Any, piece: str, before: Scene, after: Scene) -> tuple[str, ...]:
        """What it newly covers by at least half, for games that have boxes; else nothing."""

    def fallen(self, state: Any, piece: str, before: Scene, after: Scene) -> tuple[str, ...]:
        """Pieces that fell (ALL-4, BS-08), sorted: the moved piece is judged only by where it ends. piece: the one
        being moved, empty for none."""
