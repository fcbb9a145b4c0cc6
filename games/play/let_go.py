"""A piece on its way from the hand to rest, in games in which a fall counts at once (BS-03): what it meets first
decides whether it was placed or thrown, and what a throw fells of others is set up again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Generic

from engine.events import SceneEvent, Touched
from games.core.events import Fell, HitNeighbour
from games.judge.judge import Judge
from games.play.checkpoints import Checkpoints, Referee, S
from games.play.table import Moment


class LetGoPiece(Generic[S]):
    """Tells the rules' words for what a piece that was let go has done. back: the table before it was taken up."""

    def __init__(
        self,
        piece: str,
        back: Moment,
        judge: Judge,
        checkpoints: Checkpoints[S],
        referee: Referee[S],
        state: S,
    ) -> None:
        self._piece, self._back = piece, back
        self._judge, self._checkpoints, self._referee = judge, checkpoints, referee
        self._is_placed = judge.bears(state, piece, checkpoints.table.scene().touched_by(piece))
        """It has touched its own tower."""
        self._is_thrown = False
        """It came down elsewhere."""

    def strikes(self, state: S, piece: str, events: Iterable[SceneEvent]) -> HitNeighbour | None:
        """Returns whether the piece meets the tower of another: its owner's collapse, there and then. piece: the one
        that the rules wait for."""
        if self._piece != piece or self._is_thrown:
            return None
        touched = [event for event in events if isinstance(event, Touched) and piece in (event.a, event.b)]
        others = [event.b if event.a == piece else event.a for event in touched]
        self._is_placed |= self._judge.bears(state, piece, others)
        return self._referee.struck(state, piece, others)

    def falls(self, state: S, fell: Fell) -> tuple[HitNeighbour | Fell | None, Fell | None]:
        """Returns what the rules hear of a fall now, and what fell of others by a throw; of a piece that was placed,
        all of it and nothing."""
        if self._is_placed:
            return fell, None
        self._is_thrown |= self._piece in fell.pieces
        own = tuple(name for name in fell.pieces if self._judge.is_of_actor(state, name))
        others = tuple(name for name in fell.pieces if name not in own)
        # who grazed a tower too lightly to touch it (ALL-3) has struck it all the same if it falls
        hit = None if own or self._is_thrown else self._referee.struck(state, self._piece, others)
        told = hit or (replace(fell, pieces=own) if own else None)
        return told, replace(fell, pieces=others) if others else None

    def set_up_again(self, state: S) -> bool:
        """Sets up the towers of others as before the throw: it is no collapse (BS-03). Returns whether it did; not
        where the house lets what scatters count."""
        self._is_thrown = True
        if self._judge.counts_throws(state):
            return False
        self._checkpoints.come_back(self._back, is_touched=True)
        self._referee.begin()
        return True
