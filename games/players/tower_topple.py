"""How a bot plays Tower Topple: it feels for a brick that carries little and whose absence the tower bears."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.pose import Pose
from engine.settings import GRAVITY
from engine.topple.contacts import Contacts, find_contacts
from engine.topple.equilibrium import GRAVITY as DOWN
from engine.topple.equilibrium import balance_of
from engine.topple.statics import analyse, stands, tilt_margin
from engine.world import FLOOR, Assembly
from games.judge import tower_topple as judge
from games.rules.base import Action, Need, Take, TakeBack
from games.session import Session

if TYPE_CHECKING:
    from games.players.bots import Bot

Array = NDArray[np.float64]

CANDIDATES = 12
"""Bricks whose absence is thought through, those that carry least."""
GAP, ANGLE = 5e-4, math.radians(0.6)
"""Metres and radians: faces of bricks at rest within this of each other touch. The lowest rows press into each other by
two tenths of a millimetre."""
LIGHT = (0.3, 1.5)
"""Weights of a brick: what carries less is loose, what carries more is held down by two rows or more."""
OUT = 0.012
"""Metres beyond its own length that a brick is drawn, so that it is clear of the tower."""


def choose(bot: Bot, session: Session, need: Need) -> Action:
    """Of the bricks that carry least, the one without which the tower stands most safely."""
    actions = [choice.action for choice in session.choices if not isinstance(choice.action, TakeBack)]
    takes = [action for action in actions if isinstance(action, Take)]
    if not takes:
        return actions[0]
    if bot.style == "clumsy" or len(takes) == 1:
        return bot.luck.choice(takes)
    scene = assembly_of(session)
    loads = analyse(scene, contacts=_contacts(scene), margins=False).loads
    takes = [take for take in takes if not _drags(session, take.piece, loads)] or takes
    # one of the middle first: the row keeps both its outer bricks
    middles = {row[1] for row in session.state.tower}
    takes.sort(key=lambda take: (take.piece not in middles, loads.get(take.piece, 0.0), take.piece))
    margins = [(margin(scene, take.piece), -number) for number, take in enumerate(takes[:CANDIDATES])]
    best = max(margins)
    if best[0] <= 0.0 or bot.style == "steady":
        return takes[-best[1]]
    return bot.luck.choice([takes[-number] for degrees, number in margins if degrees > 0.0])


def place(bot: Bot, session: Session, need: Need) -> Pose:
    """The free slot nearest to the middle of the tower."""
    scene = session.table.scene()
    middle = np.mean([body.pose.position[:2] for body in scene.bodies.values() if not body.fixed], axis=0)
    slots = judge.slots(session.state, scene)
    return min(slots, key=lambda pose: float(np.linalg.norm(np.subtract(pose.position[:2], middle))))


def pull(bot: Bot, session: Session, need: Need) -> Array | None:
    """Straight out along the brick, towards the side where its centre lies already."""
    body = session.table.bodies[need.pieces[0]]
    longest = int(np.argmax(body.piece.extents))
    axis = body.pose.matrix[:, longest].copy()
    axis[2] = 0.0
    axis /= np.linalg.norm(axis)
    others = [each.pose.position for each in session.table.bodies.values() if not each.fixed]
    outwards = float(np.subtract(body.pose.position, np.mean(others, axis=0)) @ axis)
    sign = 1.0 if outwards >= 0 else -1.0
    return np.asarray(sign * axis * (float(body.piece.extents[longest]) + OUT))


def answer(bot: Bot, session: Session, need: Need) -> bool:
    """TT-11: whether the tower needs every one of these bricks."""
    scene = assembly_of(session)
    return not any(bears(scene, piece) for piece in need.pieces)


def assembly_of(session: Session) -> Assembly:
    """The tower as it stands."""
    bodies = (body for name, body in session.table.scene().bodies.items() if name != FLOOR)
    return Assembly("tower", tuple(bodies))


def _drags(session: Session, name: str, loads: dict[str, float]) -> bool:
    """Whether what lies on a brick is so light that it comes along: a single brick, but something."""
    weight = session.table.bodies[name].piece.mass * GRAVITY
    return LIGHT[0] * weight < loads.get(name, 0.0) < LIGHT[1] * weight


def margin(scene: Assembly, piece: str) -> float:
    """Degrees that the table could tilt without a brick before the rest falls; 0 when it needs the brick."""
    without = Assembly(scene.name, tuple(body for body in scene.bodies if body.name != piece))
    contacts = _contacts(without)
    if stands(without, contacts=contacts) is not True:
        return 0.0
    balance = balance_of(without, contacts, gravity=DOWN, friction=None)
    # a tenth of a degree decides nothing, and the brick that carries less is taken
    return round(tilt_margin(balance).degrees, 1)


def bears(scene: Assembly, piece: str) -> bool:
    """Whether the tower could stand without a brick."""
    without = Assembly(scene.name, tuple(body for body in scene.bodies if body.name != piece))
    return stands(without, contacts=_contacts(without)) is not False


def _contacts(scene: Assembly) -> Contacts:
    return find_contacts(scene, GAP, ANGLE)
