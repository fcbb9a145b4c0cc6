"""How a saboteur plays Crazy Tower (CT-08): like everybody else at first, then so that the tower still stands, but
bears the next player as little as can be."""

from __future__ import annotations

import math

from engine.pose import Pose
from engine.tolerances import TOUCH_IN_GAME
from engine.topple.balance.statics import stands
from engine.topple.contact.detection import find_contacts
from engine.world import TABLE, Assembly, Body, tilted_gravity
from games.core.rules import Take
from games.crazy_tower.bot_places import places, special, tower_of, way_out
from games.crazy_tower.rules_allowed import top_card
from games.crazy_tower.state import Pull, RevealCard, Sort
from games.judge.judge import TableScene
from games.play.session import Session
from games.players.ahead import drawn
from games.players.bots import Bot

CARRIES = 2
"""Blocks of a floor on which a saboteur lays the next one."""
HIDDEN_FLOORS = 1
"""Floors that a saboteur helps to build: nobody suspects who lays the first blocks firmly."""
SAFE_M, SAFE_DEG = 2e-3, 1.5
"""Metres from every joint centre to the nearest edge of what it stands on, and degrees of tilt that the tower bears,
when a saboteur has laid a block: a calm hand needs no more."""
CARD_M = 6e-3
"""The same for a new card and what will lie on it."""
WANTED = {Sort.AGAIN: 100.0, Sort.REMOVE: 100.0}
"""Degrees' worth of a box that gives a saboteur a turn more, or an architect one more block to lay: all there are."""
LOOKED_AT, APART = 5, 0.005
"""Places of a block that the force balance looks at, and metres between two of them."""
WAYS = 6
"""Directions in which the tower is tilted."""
LOOSENED_M, PULLS = 6e-3, 5
"""Metres that the tower may move when a block is pulled out of it, and blocks that are tried."""


def sabotages(bot: Bot, session: Session) -> bool:
    """Whether the player on turn wants the tower to fall, and no longer hides it. What has to be put back, or laid once
    more, is laid as by anybody; a clumsy player lays nothing to the millimetre."""
    state = session.state
    is_mending = bool(state.fallen or state.target or state.again)
    if is_mending or bot.style == "clumsy":
        return False
    return bool(state.saboteur == state.turn and len(state.floors) > HIDDEN_FLOORS)


def undermine(session: Session, takes: list[Take], reveal: RevealCard | None) -> Take | RevealCard | None:
    """Returns a new card once the highest floor carries one: the tower grows, no later block mends what lies below, and
    the box of the card is the saboteur's. Else the block that leaves the tower weakest; None when none is safe."""
    state, scene = session.state, session.table.scene()
    if reveal is not None and len(state.floors[-1].blocks) >= CARRIES:
        return reveal
    by_shape = {take.piece.partition("_")[2]: take for take in takes}
    found = [
        (place.worth, take)
        for take in by_shape.values()
        for place in places(state, scene, take.piece, _gain(scene, top_card(state)), most=1, weak=SAFE_M)
    ]
    return max(found, key=lambda each: each[0])[1] if found else reveal


def _gain(scene: TableScene, card: str) -> float:
    sort = special(scene.bodies[card])
    return 0.0 if sort is None else WANTED.get(sort, 0.0)


def weakest(session: Session, name: str) -> Pose | None:
    """Returns where a block on the highest floor leaves the tower weakest and yet standing; None when it is safe
    nowhere."""
    state, scene = session.state, session.table.scene()
    tower, body = [scene.bodies[TABLE], *tower_of(state, scene)], scene.bodies[name]
    seen: list[Pose] = []
    for place in places(state, scene, name, _gain(scene, top_card(state)), weak=SAFE_M):
        if any(math.dist(place.pose.position, pose.position) < APART for pose in seen):
            continue
        if bears([*tower, body.at(place.pose)], SAFE_DEG):
            return place.pose
        seen.append(place.pose)
        if len(seen) == LOOKED_AT:
            break
    return None


def bears(bodies: list[Body], degrees: float) -> bool:
    """Whether a tower on its table balances however the table is tilted by so much."""
    assembly = Assembly("tower", tuple(bodies))
    contacts = find_contacts(assembly, *TOUCH_IN_GAME)
    tilts = [tilted_gravity(math.radians(degrees), math.tau * way / WAYS) for way in range(WAYS)]
    return not contacts.floating and all(
        stands(assembly, gravity=tilt, contacts=contacts) is not False for tilt in tilts
    )


def loosened(session: Session, pulls: list[Pull]) -> Pull | None:
    """Returns the block to pull out: one of the architect who has fewest left to lay, whose absence the tower bears but
    feels; None when none comes out."""
    felt, state, scene = session.table.pressing(), session.state, session.table.scene()
    left = {colour: len(hand) for hand, own in zip(state.hands, state.colours, strict=True) for colour in own}
    others = [pull for pull in pulls if pull.piece.partition("_")[0] not in state.colours[state.turn]]
    liked = sorted(
        others, key=lambda pull: (left[pull.piece.partition("_")[0]], -felt.get(pull.piece, 0.0), pull.piece)
    )
    for pull in liked[:PULLS]:
        way = way_out(state, scene, pull.piece)
        if not math.isinf(drawn(session, pull.piece, way, LOOSENED_M)):
            return pull
    return None
