"""ALL-6 on the table: what is taken back leaves no trace, bit for bit; and what cannot be taken back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from teeter.engine.hand import packed
from teeter.engine.pose import Pose
from teeter.games.bausack.state import IN
from teeter.games.core.errors import IllegalAction
from teeter.games.core.rules import Take, TakeBack, Wait
from teeter.games.play.recording import begin
from teeter.games.play.session import Session
from teeter.games.players.bots import Bot, play
from teeter.games.registry import GAMES

BY_NAME = {game.name: game for game in GAMES}
OPTIONS: dict[str, dict[str, object]] = {
    "wonky": {},
    "bausack": {"pieces": 12},
    "crazy-tower": {"mode": "solo", "colour_count": 2},
    "tower-topple": {"mode": "3"},
}


def session_of(name: str, turns: int = 0) -> Session:
    players = ("bot:steady",) if name == "crazy-tower" else ("bot:steady", "bot:steady")
    session = begin(BY_NAME[name], players, 4, OPTIONS[name])[0]
    bots = {seat.name: Bot("steady", name, 4) for seat in session.state.seats}
    play(session, bots, turns)
    return session


def take_up(session: Session) -> str:
    """The first choices until the hand holds something; its name."""
    while session.table.hand.held is None:
        actions = [choice.action for choice in session.choices if not isinstance(choice.action, TakeBack)]
        session.act(next((action for action in actions if isinstance(action, Take)), actions[0]))
    return session.table.hand.held


def move(session: Session, steps: int, way: tuple[float, float, float]) -> None:
    """So many steps of the hand along a way, metres a step; it ends when the hand is empty."""
    start = session.table.hand.target
    for step in range(1, steps + 1):
        if session.table.hand.held is None:
            return
        x, y, z = (at + step * each for at, each in zip(start.position, way, strict=True))
        session.aim(packed(Pose((x, y, z), start.orientation)))


def poses(session: Session) -> dict[str, tuple[float, ...]]:
    bodies = session.table.scene().bodies
    return {name: (*body.pose.position, *body.pose.orientation) for name, body in bodies.items()}


def state(session: Session) -> Any:
    """The state of the rules without the clock, which runs on: its step, and in Bausack those of the collapses."""
    known = replace(session.state, step=0)
    return replace(known, out=[each == IN for each in known.out]) if hasattr(known, "out") else known


def go_on(session: Session) -> list[Any]:
    """Take something up, move it, let it go or leave it; everything that is so at its end."""
    take_up(session)
    move(session, 61, (1e-4, 2e-5, 3e-4))
    found: list[Any] = [poses(session)]
    if session.need.wait is Wait.PULL:
        session.act(session.choices[0].action)
    elif session.table.hand.held is not None:
        session.release()
    if session.need.wait in (Wait.REST, Wait.COUNT):
        session.settle()
    return [*found, poses(session), state(session)]


def taken_back(session: Session) -> None:
    """Take something up and move it, but not so that it meets anything; and take it back."""
    before, known = poses(session), state(session)
    held = take_up(session)
    # a brick in a tower is only held: moving it meets the bricks around it. After 41 steps no look at the table is due
    move(session, 41, (0.0, 0.0, 0.0 if session.need.wait is Wait.PULL else 4e-4))
    if session.need.wait is not Wait.PULL:
        assert poses(session)[held] != before.get(held)
    session.undo()
    assert session.table.hand.held is None
    assert poses(session) == before
    assert state(session).seats == known.seats


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", OPTIONS)
def test_what_was_taken_back_leaves_no_trace(name: str) -> None:
    plain, other = session_of(name), session_of(name)
    for _ in range(2):
        taken_back(other)
    assert other.table.step > plain.table.step
    # cards that were played stay played, the clock of a challenge has begun to run
    take_up(plain)
    plain.undo()
    assert state(other) == state(plain)
    assert go_on(other) == go_on(plain)
    plain.close()
    other.close()


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("name", OPTIONS)
def test_nor_does_it_in_the_middle_of_a_game(name: str) -> None:
    turns = 1 if name == "tower-topple" else 3
    plain, other = session_of(name, turns), session_of(name, turns)
    assert poses(plain) == poses(other)
    take_up(plain)
    plain.undo()
    taken_back(other)
    assert go_on(other) == go_on(plain)
    plain.close()
    other.close()


def test_what_was_let_go_cannot_be_taken_back() -> None:
    session = session_of("wonky")
    with pytest.raises(IllegalAction, match="ALL-6: only a piece still in the hand"):
        session.undo()
    take_up(session)
    x, y, _ = session.table.hand.target.position
    move(session, 20, (0.0, 0.0, 4e-4))
    # above the middle of the table: a first block elsewhere is laid again
    move(session, 600, (-x / 600, -y / 600, 0.0))
    session.release()
    before = poses(session)
    with pytest.raises(IllegalAction, match="ALL-2: nothing is decided while things move"):
        session.undo()
    session.settle()
    with pytest.raises(IllegalAction, match="ALL-6"):
        session.undo()
    assert poses(session) != before
    session.close()


def test_what_has_met_another_piece_cannot_be_taken_back() -> None:
    session = session_of("tower-topple")
    held = take_up(session)
    body = session.table.bodies[held]
    along = body.pose.matrix[:, int(body.piece.extents.argmax())] * 1e-4
    for _ in range(400):
        move(session, 1, (float(along[0]), float(along[1]), 0.0))
        if session.state.met:
            break
    assert session.state.met
    with pytest.raises(IllegalAction, match="ALL-6: .* has touched another piece"):
        session.undo()
    assert session.table.hand.held == held
    session.close()
