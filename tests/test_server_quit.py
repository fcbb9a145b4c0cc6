"""Who closes the window in the middle of an act leaves a record that is true."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from teeter.games.play.playback import verify
from teeter.games.server.messages import Act, Busy, Plan, TableView
from teeter.games.server.physics import serve
from teeter.games.server.protocol import SetSpeed

WAITING = {"settles": "waiting until all is still", "counts": "one ... two ... three ..."}


class Line:
    """The window's end of the line: it wants no more at a view after the first in which something is said."""

    def __init__(self, words: str, views: int) -> None:
        self._words, self._views = words, views
        self._orders: list[Any] = [SetSpeed(type="speed", factor=32.0)]
        self._is_due = False

    def send(self, news: object) -> None:
        if isinstance(news, Busy) and news.why == self._words:
            self._is_due = True
        elif self._is_due and isinstance(news, TableView):
            self._views -= 1
            if self._views == 0:
                self._orders.append(Act.QUIT)

    @property
    def is_left_open(self) -> bool:
        """Whether the order to stop was never given, or never taken."""
        return self._views > 0 or bool(self._orders)

    def poll(self, seconds: float | None = 0.0) -> bool:
        return bool(self._orders)

    def recv(self) -> object:
        return self._orders.pop(0)


@pytest.mark.parametrize(("game", "words"), [("wonky", "counts"), ("crazy-tower", "settles")])
@pytest.mark.parametrize("views", [1, 4])
def test_a_window_closed_while_pieces_come_to_rest_leaves_a_record_that_agrees(
    game: str, words: str, views: int, tmp_path: Path
) -> None:
    path, line = tmp_path / "game.teeter", Line(WAITING[words], views)
    serve(cast(Any, line), Plan(game, ("bot:steady", "bot:bold"), 1, record=path))
    assert not line.is_left_open
    found = verify(path)
    assert found.agrees, found.why
