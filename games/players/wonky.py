"""How a bot plays Wonky: which block, and where on the tower."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine.pose import Pose
from engine.world import Body
from games.rules.base import Action, Need, Take
from games.session import Session

if TYPE_CHECKING:
    from games.players.bots import Bot

SLOPPY = {"steady": 0.0, "bold": 0.002, "clumsy": 0.006}
"""Metres: how far from the best place a hand of this style aims, one standard deviation."""


def choose(bot: Bot, session: Session, need: Need) -> Action:
    """The widest block that may be taken while the tower is low, for a broad foot; of cards, block cards first."""
    choices = session.choices
    takes = [choice.action for choice in choices if isinstance(choice.action, Take)]
    if takes:
        if bot.style == "clumsy":
            return bot.luck.choice(takes)
        return max(takes, key=lambda take: (_width(session, take.piece), take.piece))
    return bot.luck.choice([choice.action for choice in choices])


def place(bot: Bot, session: Session, need: Need) -> Pose:
    """Centre of mass over the highest point of the tower, or the middle of the table."""
    state: Any = session.state
    held = session.table.bodies[need.pieces[0]]
    half = float(held.piece.extents[2]) / 2
    centre = held.piece.centre_of_mass
    east, north = (bot.luck.gauss(0.0, SLOPPY[bot.style]) for _ in range(2))
    if not state.tower:
        return Pose((east, north, half))
    top = max((session.table.bodies[name] for name in state.tower), key=lambda body: body.pose.position[2])
    x, y, z = summit(top)
    return Pose((x - float(centre[0]) + east, y - float(centre[1]) + north, z + half))


def summit(body: Body) -> tuple[float, float, float]:
    """The middle of what of a block is highest, metres: the apex of a cap, or the middle of a flat top."""
    corners = np.concatenate([body.pose.apply(part.vertices) for part in body.piece.parts])
    high = float(corners[:, 2].max())
    x, y = corners[corners[:, 2] > high - 3e-4][:, :2].mean(axis=0).tolist()
    return x, y, high


def _width(session: Session, name: str) -> float:
    return float(session.table.bodies[name].piece.extents[0])
