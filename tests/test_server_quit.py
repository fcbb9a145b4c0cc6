"""Who closes the window in the middle of an act leaves a record that is true, and what was shown is on file."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from teeter.engine.record.reader import load
from teeter.games.play.playback import past_of, resume, verify
from teeter.games.server.messages import Act, Busy, GameUpdate, Plan, TableView, Wreck
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


@pytest.mark.sampled(2)
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


@dataclass
class Looker:
    """Looks at the first wreck, and copies the folder of the game before it goes on."""

    folder: Path
    copy: Path
    state: Any = None
    orders: list[Any] = field(default_factory=lambda: [SetSpeed(type="speed", factor=100.0)])
    later: list[object] = field(default_factory=list)
    """What was said while it looked."""
    is_looking: bool = False

    def send(self, news: object) -> None:
        if self.is_looking:
            self.later.append(news)
        elif isinstance(news, GameUpdate):
            self.state = news.state
        self.is_looking |= isinstance(news, Wreck)

    def poll(self, seconds: float | None = 0.0) -> bool:
        if self.is_looking and seconds is None and not self.copy.exists():
            shutil.copytree(self.folder, self.copy)
            self.orders.append(Act.QUIT)
        return bool(self.orders)

    def recv(self) -> object:
        return self.orders.pop(0)


@pytest.mark.slow
def test_a_fall_that_is_shown_is_on_file_while_somebody_looks_at_it(tmp_path: Path) -> None:
    line = Looker(tmp_path / "game.teeter.part", tmp_path / "killed.teeter.part")
    serve(cast(Any, line), Plan("wonky", ("bot:clumsy", "bot:clumsy"), 1, record=line.folder.with_suffix("")))
    assert line.later == []
    replay = load(line.copy)
    assert "Fell" in [type(entry).__name__ for _, entry, _ in past_of(replay)[1]]
    session, recorder = resume(line.copy)
    try:
        assert session.state == line.state
    finally:
        recorder.leave()
        session.close()
    assert verify(line.folder.with_suffix("")).agrees
