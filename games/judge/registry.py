"""Which judge looks after which game, with what the session asks beyond the protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from engine.world import TABLE, Body
from games.judge import bausack, crazy_tower, sandbox, tower_topple, wonky
from games.judge.judge import Judge
from games.judge.scene import Scene
from games.rules.conditions import Condition
from games.rules.tower_topple.state import Phase as TopplePhase


@dataclass(frozen=True, slots=True)
class GameJudge:
    """A judge at one game. in_play: the pieces that lie or are carried as part of the game; all others are supply.
    is_instant: whether a fall counts in the step in which it happens (BS-08), and not only when all lies still.
    is_new: whether everything is set up afresh between two states. minds_nudges: whether the rules care for pieces
    that are pushed along. is_fine: whether the world takes twice as many steps, as arches need to stand."""

    judge: Judge
    in_play: Callable[[Any], frozenset[str]]
    is_new: Callable[[Any, Any], bool] = lambda before, after: False
    minds_nudges: bool = True
    is_instant: bool = False
    is_fine: bool = False

    def layout(self, state: Any) -> tuple[Body, ...]:
        """As `Judge.layout`."""
        return self.judge.layout(state)

    def supplied(self, state: Any, bodies: Iterable[Body]) -> tuple[Body, ...]:
        """The bodies with those of the supply immovable."""
        play = self.in_play(state)
        return tuple(
            body if body.name == TABLE or body.name in play else replace(body, fixed=True) for body in bodies
        )

    def home(self, state: Any, piece: str) -> Body:
        """As `Judge.home`."""
        return self.judge.home(state, piece)

    def stored(self, state: Any, piece: str) -> Body:
        """A piece back in the supply, immovable."""
        return replace(self.judge.home(state, piece), fixed=True)

    def broken(
        self,
        state: Any,
        piece: str,
        conditions: tuple[Condition, ...],
        before: Scene,
        after: Scene,
        released_height_mm: float | None = None,
    ) -> tuple[Condition, ...]:
        """As `Judge.broken`. released_height_mm: of `height`, where the game asks for it (CT-50)."""
        if self.judge is crazy_tower:
            return crazy_tower.broken(
                state, piece, conditions, before, after, released_height_mm=released_height_mm
            )
        return self.judge.broken(state, piece, conditions, before, after)

    def height(self, state: Any, piece: str, scene: Scene) -> float | None:
        """CT-50: millimetres of a piece in the hand above the tower; None in games that do not ask."""
        if self.judge is crazy_tower:
            return crazy_tower.height_above_tower(state, scene.bodies[piece], scene)
        return None

    def where(self, state: Any, piece: str, after: Scene) -> str:
        """As `Judge.where`."""
        return self.judge.where(state, piece, after)

    def covers(self, state: Any, piece: str, before: Scene, after: Scene) -> tuple[str, ...]:
        """As `Judge.covers`."""
        return self.judge.covers(state, piece, before, after)

    def fallen(
        self, state: Any, piece: str, before: Scene, after: Scene, is_lifted: bool = True
    ) -> tuple[str, ...]:
        """As `Judge.fallen`. is_lifted: whether the piece in the hand has left the supply (BS-08)."""
        if self.judge is bausack:
            return bausack.fallen(state, piece, before, after, lifted=is_lifted)
        return self.judge.fallen(state, piece, before, after)

    def hit(self, state: Any, piece: str, after: Scene) -> str | None:
        """The owner of another tower the piece lies against; None in games without neighbours."""
        return bausack.hit(state, piece, after) if self.judge is bausack else None

    def heights(self, state: Any, scene: Scene) -> tuple[float, ...]:
        """Millimetres of every tower, in games that measure."""
        return bausack.heights(state, scene)


def _of_wonky(state: Any) -> frozenset[str]:
    return frozenset((*state.tower, state.held)) - {""}


def _of_tower_topple(state: Any) -> frozenset[str]:
    return frozenset(brick.id for brick in state.bricks)


def _of_sandbox(state: Any) -> frozenset[str]:
    return frozenset(piece.id for piece in state.pieces)


def _of_bausack(state: Any) -> frozenset[str]:
    towers = {name for tower in state.towers for name in tower}
    return frozenset(towers | {state.piece}) - {""}


def _of_crazy_tower(state: Any) -> frozenset[str]:
    laid = {name for floor in state.floors for name in (floor.card, *(getattr(floor, "blocks", ()) or ()))}
    fallen = {getattr(each, "piece", each) for each in getattr(state, "fallen", ())}
    return frozenset(laid | fallen | {state.held}) - {""}


def _next_round(before: Any, after: Any) -> bool:
    """TT-07: the tower is set up again."""
    return bool(before.round != after.round) or (
        after.phase is not TopplePhase.TOPPLED and len(after.tower) > len(before.tower) + 1
    )


JUDGES: dict[str, GameJudge] = {
    "wonky": GameJudge(wonky, _of_wonky),
    "tower-topple": GameJudge(tower_topple, _of_tower_topple, _next_round, minds_nudges=False),
    "bausack": GameJudge(bausack, _of_bausack, is_instant=True),
    "crazy-tower": GameJudge(crazy_tower, _of_crazy_tower),
    "sandbox": GameJudge(sandbox, _of_sandbox),
}
"""By the names of `games.rules.registry`."""
