"""How a person's hand lays a piece: down to its place, slowly at the end, until something carries it."""

from __future__ import annotations

from engine.motions import Ending, Motion, draw, glide, lower
from engine.pose import Pose
from games.play.session import Session
from games.play.table import Table
from games.players.bots import way_clear

CLOSE_BY = 0.004
"""Metres above its place from which a piece is lowered slowly."""
TOO_DEEP = 0.05
"""Metres below its place to which a piece is lowered until something carries it."""


def clearing(session: Session, held: str) -> Motion | None:
    """A brick that was just pulled out is drawn on until nothing of the tower is above it; None when nothing is."""
    way = way_clear(session, held)
    return None if way is None else draw(session.table.hand, way)


def laying(table: Table, gap: float) -> Motion:
    """The held piece is laid. gap: metres that are free below it."""
    hand = table.hand
    body = table.bodies[hand.held or ""]
    x, y, z = hand.target.position
    if gap > CLOSE_BY:
        yield from glide(hand, Pose((x, y, z - gap + CLOSE_BY), hand.target.orientation))
    if hand.held != body.name:
        return Ending.EMPTY
    return (yield from lower(hand, z - gap - TOO_DEEP, body.piece.mass))
