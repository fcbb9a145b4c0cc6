"""What is said beside the pieces: what just happened, and where a refusal belongs."""

import math

import numpy as np

from teeter.engine.view.camera import BOX_CORNERS, Camera, all_seen_at, seen_at
from teeter.games.core.rules import Wait
from teeter.games.present.client_state import ClientState, Rank
from teeter.games.present.details import COIN, details_of

TOLD_S = 4.0
"""Seconds for which what is said stands there."""
SHOWN_S: dict[Rank, float] = {"routine": 1.2, "event": 2.5, "moment": 1.8}
"""Seconds for which what just happened is made much of: at the edge, beside its piece, large at the top."""

GAINED_S, FLIGHT_S = 2.5, 0.9
"""Seconds for which a change of the score stands beside it, and in which it flies there from its piece."""
TOWER = 0.11
"""Metres from a piece, within which others belong to the same tower."""
TOGETHER_S = 2.0
"""Seconds after which what comes next stands alone."""
MOST_LINES = 3


class Toasts:
    """Of one screen. tried_at: where in the window somebody wanted something last, pixels."""

    def __init__(self, client: ClientState) -> None:
        self._client = client
        self._heard = client.told_last
        self._told: tuple[str, ...] = ()
        self._since = self._until = -TOLD_S
        self.tried_at = (0.0, 0.0)
        self.rank: Rank = "event"
        """How much is made of what is said."""
        self._scores = client.game.scoring(client.state)[1]
        self._changes: tuple[int, ...] = ()
        self._purse = details_of(client.game).purse(client)
        self._flying = ("", "")
        self.count = 0
        """What is counted aloud: how far it has come, from 1; 0 for nothing."""
        self._counts_from: float | None = None
        self._changed = -GAINED_S

    def hear(self, now: float) -> None:
        """Take note of what was told. now: seconds on the wall."""
        self._count()
        scores = self._client.game.scoring(self._client.state)[1]
        if scores != self._scores and len(scores) == len(self._scores):
            self._changes = tuple(b - a for a, b in zip(self._scores, scores, strict=True))
            self._changed, self._flying = now, (f"{max(self._changes, key=abs):+d}", "")
        purse = details_of(self._client.game).purse(self._client)
        if purse != self._purse and len(purse) == len(self._purse):
            self._changes, self._changed = (), now
            self._flying = (str(max(b - a for a, b in zip(self._purse, purse, strict=True))), COIN)
        self._scores, self._purse = scores, purse
        if self._client.told_last is self._heard:
            return
        self._heard = self._client.told_last
        before = self._told if now - self._since < TOGETHER_S else ()
        if before and self.rank != self._client.told_rank:
            before = ()
        self.rank = self._client.told_rank
        self._told, self._since = (*before, *self._heard)[-MOST_LINES:], now
        self._until = now + SHOWN_S[self.rank]

    def _count(self) -> None:
        need, view = self._client.need, self._client.view
        if need.wait is not Wait.COUNT or view is None:
            self.count, self._counts_from = 0, None
            return
        seconds = view.step / view.rate
        self._counts_from = seconds if self._counts_from is None else self._counts_from
        self.count = min(1 + int(seconds - self._counts_from), math.ceil(need.seconds))

    def say(self, line: str, now: float, seconds: float) -> None:
        """Say something else for so long, until something happens."""
        self._told, self._since, self._until, self.rank = (line,), -TOGETHER_S, now + seconds, "event"

    def lines(self, now: float) -> tuple[str, ...]:
        """Returns what is said now."""
        return self._told if now < self._until else ()

    def gains(self, now: float) -> tuple[int, ...]:
        """Returns by how much the score of each seat has just changed; empty when that is a while ago."""
        return self._changes if now - self._changed < GAINED_S else ()

    def flight(self, now: float) -> tuple[tuple[str, str], float]:
        """Returns what flies from the piece to the scores, words and a mark, and how far it has come, 0 to 1."""
        way = min(max((now - self._changed) / FLIGHT_S, 0.0), 1.0)
        return self._flying, way * way * (3.0 - 2.0 * way)

    def keep_off(self, camera: Camera, size: tuple[int, int]) -> tuple[float, float, float, float]:
        """Returns what is seen of the tower that it is about, which a toast must not cover: x, y, width and height,
        pixels; all zero for none."""
        client, piece = self._client, self._client.told_piece
        if piece not in client.frame.names:
            return 0.0, 0.0, 0.0, 0.0
        middle = client.pose(piece).position[:2]
        corners = [
            pose.apply(BOX_CORNERS * client.pieces[name].extents / 2.0)
            for name, pose in client.frame.placed().items()
            if name in client.in_play and math.dist(pose.position[:2], middle) < TOWER
        ]
        seen = all_seen_at(camera, size, np.concatenate(corners)) if corners else np.zeros((0, 2))
        if not len(seen):
            return 0.0, 0.0, 0.0, 0.0
        (left, top), (right, bottom) = seen.min(axis=0).tolist(), seen.max(axis=0).tolist()
        return left, top, right - left, bottom - top

    def place(self, camera: Camera, size: tuple[int, int]) -> tuple[float, float]:
        """Returns where in the window what it is about is seen, or else what the camera looks at. size: pixels."""
        piece = self._client.told_piece
        is_there = piece in self._client.frame.names
        point = self._client.pose(piece).position if is_there else camera.target
        return seen_at(camera, size, point) or (size[0] / 2, size[1] / 2)
