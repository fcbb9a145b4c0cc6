"""CT-04: a person cannot let go of a block over a red box; the process that plays says why, and the hand goes on."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing import Pipe
from threading import Thread
from typing import Any

import pytest
from rules_crazy_tower import STOCK, position
from test_session_handicaps import run

from teeter.engine.pose import Pose
from teeter.games.core.events import Condition
from teeter.games.core.rules import Take, Wait
from teeter.games.crazy_tower.game import GAME
from teeter.games.crazy_tower.judge import boxes
from teeter.games.crazy_tower.state import Sort
from teeter.games.play.session import Session
from teeter.games.server import messages, physics
from teeter.games.server.setup import ActiveGame

CARD = "card_04"
LAYS = (Condition.ON_HIGHEST_FLOOR, Condition.LAID_FLAT, Condition.COVERS_NO_RED_BOX)


@pytest.mark.slow
@pytest.mark.parametrize("order", [messages.Act.LET_GO, messages.Lay(0.02)], ids=["let go", "lay"])
def test_CT_04_a_red_box_is_refused_before_the_release(
    order: messages.Order, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CT-04: and beside it the block is laid."""
    red, white = (
        next((row, column) for row, column in boxes_of_kind(kind) if row in (2, 3, 4))
        for kind in (Sort.RED, Sort.WHITE)
    )
    line, server, worker = opened(monkeypatch)
    news: list[messages.News] = []

    def hear(what: str, until: Callable[[messages.News], bool]) -> messages.News:
        end = time.monotonic() + 60.0
        while time.monotonic() < end:
            if line.poll(0.2):
                news.append(line.recv())
                if until(news[-1]):
                    return news[-1]
        raise AssertionError(f"the process does not say {what}")

    def is_asked(wait: Wait) -> Callable[[messages.News], bool]:
        return lambda each: isinstance(each, messages.Waits) and each.need.wait is wait

    def goes_to(x: float, y: float, z: float) -> None:
        turned = server.session.table.hand.target.orientation
        line.send(messages.Aim(Pose((x, y, z), turned)))
        hear("it is there", lambda each: abs(x - at()[0]) + abs(y - at()[1]) + abs(z - at()[2]) < 1e-3)

    def at() -> tuple[float, float, float]:
        return server.session.table.bodies["red_i1"].pose.position

    try:
        hear("who is asked", is_asked(Wait.ACTION))
        line.send(messages.Do(Take("Ana", "red_i1")))
        hear("it is in the hand", is_asked(Wait.HAND))
        for place in (red, white):
            x, y = middle(server, place)
            goes_to(at()[0], at()[1], 0.1)
            goes_to(x, y, 0.1)
            goes_to(x, y, 0.03)
            line.send(order)
            if place == red:
                said = hear("no", lambda each: isinstance(each, messages.Refused))
                assert isinstance(said, messages.Refused)
                assert (said.clause, said.sentence) == ("CT-04", "a red box is covered")
                hear("the hand has it still", is_asked(Wait.HAND))
                assert server.session.table.hand.held == "red_i1"
        hear("it lies", lambda each: isinstance(each, messages.GameUpdate) and each.event == "Placed")
        assert server.session.state.again == ""
    finally:
        line.send(messages.Act.QUIT)
        worker.join(60.0)
    assert not worker.is_alive()


def opened(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, physics.PhysicsServer, Thread]:
    """A game whose only floor has red boxes, which no first one has."""
    state = position(CARD, players=3)
    state = replace(state, deck=tuple(card.id for card in STOCK.cards if card.id != CARD))
    monkeypatch.setattr(
        physics,
        "open_game",
        lambda plan, tell, sink, progress: ActiveGame(
            Session(GAME, GAME.judge, state, tell=(tell,), sink=sink)
        ),
    )
    line, other = Pipe()
    server = physics.PhysicsServer(other, messages.Plan("crazy-tower", ("Ana", "Ben", "Cem"), 1))
    worker = Thread(target=run, args=(server,), daemon=True)
    worker.start()
    return line, server, worker


def boxes_of_kind(kind: Sort) -> list[tuple[int, int]]:
    card = next(each for each in STOCK.cards if each.id == CARD)
    rows = enumerate(card.boxes, 1)
    return [(row, column) for row, marks in rows for column, mark in enumerate(marks, 1) if mark == kind.mark]


def middle(server: physics.PhysicsServer, place: tuple[int, int]) -> tuple[float, float]:
    """Metres, of a box of the card, which lies in the middle of the table."""
    x, y = boxes(server.session.table.bodies[CARD])[place].centroid.coords[0]
    return x / 1e3, y / 1e3
