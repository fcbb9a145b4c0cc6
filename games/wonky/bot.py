"""How a bot plays Wonky: which block, and where on the tower."""

from __future__ import annotations

import math

import numpy as np

from engine.geometry.rotation import quaternion_of_rpy
from engine.pose import Pose
from engine.world import Body
from games.core.rules import Action, Need, Take
from games.play.session import Session
from games.players.bots import Bot, Skill
from games.wonky.bot_chain import softest
from games.wonky.bot_expert import far_sighted
from games.wonky.rules_turn import card_named, free_blocks
from games.wonky.state import PlayCard, Sort

SLOPPY = {"steady": 0.0, "bold": 0.002, "clumsy": 0.006, "expert": 0.0}
"""Metres: how far from the best place a hand of this style aims, one standard deviation."""


BROAD = 3
"""Blocks of a tower that shall be wide: of four that lie on each other's caps the three lowest, for the best order in
which four still stand (tests/test_wonky_height.py)."""


class WonkySkill(Skill):
    """How a bot plays Wonky."""

    def choose(self, bot: Bot, session: Session, need: Need) -> Action:
        """The widest block for a foot, then the block that the tower bears best, and cards that allow it."""
        choices = session.choices
        takes = [choice.action for choice in choices if isinstance(choice.action, Take)]
        if bot.style == "clumsy":
            return bot.random.choice(takes or [choice.action for choice in choices])
        tower = session.state.tower
        if bot.style == "expert":
            return far_sighted(session.state, [choice.action for choice in choices])
        if not takes:
            return _card(session)
        if not tower:
            return min(takes, key=lambda take: (-_width(session, take.piece), take.piece))
        return max(takes, key=lambda take: (softest((*tower, take.piece))[0], take.piece))

    def place(self, bot: Bot, session: Session, need: Need) -> Pose:
        """Centre of mass over the highest point of the tower, or where its weight holds against the lean that the tower
        resists least; the first block in the middle of the table."""
        held = need.pieces[0]
        east, north = (bot.random.gauss(0.0, SLOPPY[bot.style]) for _ in range(2))
        error = Pose((east, north, 0.0))
        best = _over(session, held)
        if bot.style != "clumsy" and session.state.tower:
            best = best.then(Pose((*_upright(session, held), 0.0)))
        return best.then(error)

    def places(self, session: Session, need: Need) -> list[Pose]:
        """Over the summit of a tower."""
        return [_over(session, need.pieces[0])] if session.state.tower else []

    def height(self, session: Session) -> float | None:
        """After a foul (WK-12) the block is dropped a little: a tall tower yields by a millimetre to a lowered one."""
        return DROPPED if session.state.fouls else None


def _card(session: Session) -> Action:
    """Wide blocks for the lowest rows and small ones above; on a tower that bears no more, the next player's turn."""
    state, actions = session.state, [choice.action for choice in session.choices]
    is_tall = len(state.tower) >= BROAD

    def liking(action: Action) -> float:
        if not isinstance(action, PlayCard):
            return -2.0
        card = card_named(state, action.card)
        if card.sort is Sort.ACTION:
            return 1.0 if is_tall else -1.0
        widths = [_width(session, block) for block in free_blocks(state, card)]
        return -min(widths) if is_tall else max(widths)

    return max(actions, key=liking)


def _over(session: Session, name: str, quarters: int = 0) -> Pose:
    """A block turned by quarters, its centre of mass over the summit of the tower, or over the middle of the table."""
    body = session.table.bodies[name]
    tower = [session.table.bodies[other] for other in session.state.tower]
    summits = summit(max(tower, key=lambda body: body.pose.position[2])) if tower else (0.0, 0.0, 0.0)
    turned = Pose((0.0, 0.0, 0.0), quaternion_of_rpy(0.0, 0.0, quarters * math.pi / 2))
    x, y = np.subtract(summits[:2], (turned.matrix @ body.piece.centre_of_mass)[:2]).tolist()
    return Pose((x, y, summits[2] + float(body.piece.extents[2]) / 2), turned.orientation)


def _upright(session: Session, held: str) -> tuple[float, float]:
    """Metres from over the summit where one more block makes the tower lean no further: over the middle of the points
    on which it rolls, each counted by its share in the lean that the tower resists least."""
    tower = session.state.tower
    feet = np.array([summit(session.table.bodies[name])[:2] for name in tower])
    shares = softest((*tower, held))[1]
    total = float(shares.sum())
    if total <= 0.0:
        return 0.0, 0.0
    x, y = np.clip(shares @ feet / total - feet[-1], -FAR, FAR).tolist()
    return x, y


FAR = 0.004
"""Metres from over the summit within which a block stays where it is let go."""
DROPPED = 4e-4
"""Metres above its place from where a block is let go that must not push."""


def summit(body: Body) -> tuple[float, float, float]:
    """The middle of what of a block is highest, metres: the apex of a cap, or the middle of a flat top."""
    corners = np.concatenate([body.pose.apply(part.vertices) for part in body.piece.parts])
    high = float(corners[:, 2].max())
    x, y = corners[corners[:, 2] > high - 3e-4][:, :2].mean(axis=0).tolist()
    return x, y, high


def _width(session: Session, name: str) -> float:
    return float(session.table.bodies[name].piece.extents[0])
