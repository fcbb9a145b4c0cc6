"""What has happened on the table, in the words of the rules: the game's judge is asked, and answers become events."""

from __future__ import annotations

from typing import Any

from games.ground import Ground
from games.judge.registry import GameJudge
from games.rules.base import Need
from games.rules.conditions import Condition
from games.rules.events import CountElapsed, Fell, HitNeighbour, Measured, Placed, Rested


class Referee:
    """Looks at the table of a game. It decides nothing that the rules decide, and moves nothing."""

    def __init__(self, judge: GameJudge, ground: Ground) -> None:
        self._judge, self._ground = judge, ground
        self._told: set[str] = set()

    def begin(self) -> None:
        """A new act: what falls from now on is news."""
        self._told.clear()

    def fell(self, state: Any, piece: str, is_lifted: bool = True) -> Fell | None:
        """What fell since the last boundary (ALL-4). piece: in the hand, or just let go; is_lifted: whether it has left
        what it lay on. It may fall again and again; others are down once."""
        after = self._ground.table.scene()
        down = self._judge.fallen(state, piece, self._ground.before, after, is_lifted)
        news = tuple(name for name in down if name == piece or name not in self._told)
        self._told.update(news)
        return Fell(self._step, news) if news else None

    def height(self, state: Any, need: Need) -> float | None:
        """CT-50: millimetres of the piece in the hand above the tower, where the rules ask for it."""
        if Condition.DROPPED_FROM_ABOVE not in need.conditions:
            return None
        return self._judge.height(state, need.pieces[0], self._ground.table.scene())

    def hit(self, state: Any, piece: str) -> HitNeighbour | None:
        """BS-03: whether a piece lies against the tower of another."""
        owner = self._judge.hit(state, piece, self._ground.table.scene()) if piece else None
        return None if owner is None else HitNeighbour(self._step, piece, owner)

    def placed(self, state: Any, need: Need, height: float | None) -> Placed | Rested:
        """How the piece that is waited for lies; without one, that all lies still. height: of `GameJudge.height`."""
        if not need.pieces:
            return Rested(self._step, tuple(sorted(self._judge.in_play(state))))
        piece, before, after = need.pieces[0], self._ground.before, self._ground.table.scene()
        where = self._judge.where(state, piece, after)
        covers = self._judge.covers(state, piece, before, after)
        broken = self._judge.broken(state, piece, need.conditions, before, after, height)
        return Placed(self._step, piece, where, covers, broken)

    def elapsed(self, state: Any, need: Need) -> CountElapsed:
        """WK-13: how the piece stands when the count is over."""
        piece, before, after = need.pieces[0], self._ground.before, self._ground.table.scene()
        return CountElapsed(
            self._step, piece, self._judge.broken(state, piece, need.conditions, before, after)
        )

    def measured(self, state: Any) -> Measured:
        """BS-21: how high everybody's tower is."""
        return Measured(self._step, self._judge.heights(state, self._ground.table.scene()))

    @property
    def _step(self) -> int:
        return self._ground.table.step
