"""Who plays: what a player is asked, and how its hand carries it out on the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import shapely
import shapely.affinity
from numpy.typing import NDArray

from engine.event_detector import steps_of
from engine.hand import packed, unpacked
from engine.hand_noise import Tremor
from engine.motions import LOWER_SPEED, Ending, Motion, carry, draw, lower, wait
from engine.pose import Pose
from engine.world import FLOOR, TABLE
from games.core.events import Condition
from games.core.rules import Action, Need, TakeBack, Wait
from games.judge.places import outline as plan
from games.play.session import Session

Array = NDArray[np.float64]

HOVER = 0.005
"""Metres above its place where a carried piece is stopped, to be lowered from there."""
DROP = 0.026
"""CT-50: metres above its place from where a card is dropped: 20 mm above the tower, and what a card lies aslant."""
SINK = 0.02
"""Metres below its place to which a lowered piece may go until something carries it."""
MOST_TRIES = 60
"""ALL-9 lets a piece that lies against the rules be laid again; a bot that fails so often gives up. One that trembles
and stands on one foot (CT-45) hits a gap of its block's own size at one try in ten."""
REACTION = 0.15
"""Seconds after which a player makes up for the swaying of its own body (CT-41, CT-45, CT-47): so long people take to
correct a hand that they see go astray."""
PAUSE = 0.2
"""Seconds for which a piece that was drawn is held still: only what has touched nothing for a while is out."""
ASIDE = 0.008
"""Metres from all that is above it to which a piece drawn out of a tower goes on, before it is lifted."""
ASIDE_SPEED = 0.15
"""m/s of that: nothing touches the piece any more."""
CLEARANCE = 0.04
"""Metres between a carried piece and whatever is highest on its way."""


class Player(Protocol):
    """A computer player. It sees what its seat may see; the session moves its hand."""

    tremor: Tremor

    def choose(self, session: Session, need: Need) -> Action:
        """One of the legal actions."""

    def place(self, session: Session, need: Need) -> Pose:
        """Where the held piece shall come to lie."""

    def pull(self, session: Session, need: Need) -> Array | None:
        """The way (3,), metres, along which the held piece is drawn; None to leave it."""

    def height(self, session: Session, need: Need) -> float | None:
        """Metres above its place from which the held piece is let go; None to lower it until something carries it."""

    def slide(self, session: Session, need: Need) -> Array | None:
        """The way (3,), metres, along which the lowered piece is pushed on before it is let go; None for no way."""

    def answer(self, session: Session, need: Need) -> bool:
        """The referee's question, answered."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """turns: how often a player has chosen an action in this game. why: in words, why it was broken off; empty when it
    ended."""

    turns: int
    why: str = ""


def play(session: Session, players: Mapping[str, Player], most_turns: int = 2000) -> GameResult:
    """Play to the end, or until so many actions were chosen, or one player has laid one piece `MOST_TRIES` times in a
    row, which is in vain. players: by name, the members of teams too."""
    tries, last = 0, ("", "")
    while session.outcome is None and session.turns < most_turns and tries < MOST_TRIES:
        need = session.need
        player = players[need.who]
        if need.wait is Wait.ACTION:
            session.act(player.choose(session, need))
        elif need.wait is Wait.HAND:
            lay(session, player, need)
            now = need.who, need.pieces[0]
            tries, last = tries + 1 if now == last else 1, now
        elif need.wait is Wait.PULL:
            pull(session, player, need)
        elif need.wait is Wait.ANSWER:
            session.answer(player.answer(session, need))
        else:
            session.settle()
    if session.outcome is not None:
        return GameResult(session.turns)
    laid = f": a piece was laid against the rules {tries} times running" if tries >= MOST_TRIES else ""
    return GameResult(session.turns, f"broken off after {session.turns} turns{laid}")


def lay(session: Session, player: Player, need: Need) -> None:
    """Carry the held piece over its place, lower it until something carries it, and let go."""
    goal = player.place(session, need)
    hand, held = session.table.hand, need.pieces[0]
    way = way_clear(session, held)
    if way is not None:
        _drive(session, player, draw(hand, way, ASIDE_SPEED), Wait.HAND)
    half = 0.5 * float(np.linalg.norm(session.table.bodies[held].piece.extents))
    tops = [
        body.pose.position[2] + 0.5 * float(np.linalg.norm(body.piece.extents))
        for body in session.table.bodies.values()
        if body.name not in (TABLE, FLOOR, held)
    ]
    x, y, z = goal.position
    is_dropped = Condition.DROPPED_FROM_ABOVE in need.conditions
    over = Pose((x, y, z + (DROP if is_dropped else HOVER)), goal.orientation)
    top = min(max(tops, default=0.0), goal.position[2] + 0.15) + half + CLEARANCE
    if hand.held == held:
        _drive(session, player, carry(hand, over, top), Wait.HAND)
    if hand.held == held and not is_dropped:
        height = player.height(session, need)
        lowest = z - SINK if height is None else z + height
        _drive(session, player, lower(hand, lowest, session.table.bodies[held].piece.mass), Wait.HAND)
        further = player.slide(session, need) if hand.held == held else None
        if further is not None:
            _drive(session, player, draw(hand, further, LOWER_SPEED), Wait.HAND)
    if hand.held == held and session.need.wait is Wait.HAND:
        session.release()


def way_clear(session: Session, held: str) -> Array | None:
    """The way (3,), metres, on along which a piece was drawn out of a tower, until nothing above it is near; None when
    nothing is."""
    body, start = session.table.bodies[held], session.before.bodies[held]
    way = np.subtract(body.pose.position, start.pose.position)
    way[2] = 0.0
    length = float(np.linalg.norm(way))
    above = shapely.union_all(
        [
            plan(each)
            for each in session.table.bodies.values()
            if each.name not in (TABLE, FLOOR, held) and each.pose.position[2] > body.pose.position[2]
        ]
    )
    own = plan(body)
    if length < ASIDE or own.distance(above) >= 1e3 * ASIDE:
        return None
    way /= length
    on, most = ASIDE, float(np.linalg.norm(body.piece.extents)) + ASIDE
    while on < most and shapely.affinity.translate(own, *(1e3 * on * way[:2])).distance(above) < 1e3 * ASIDE:
        on += ASIDE
    return np.asarray(on * way)


def pull(session: Session, player: Player, need: Need) -> None:
    """Draw the held piece out; a stuck one is left."""
    way = player.pull(session, need)
    if way is not None:
        ending = _drive(session, player, draw(session.table.hand, way), Wait.PULL)
        if ending is Ending.DONE:
            _drive(session, player, wait(session.table.hand, PAUSE), Wait.PULL)
    if session.need.wait is Wait.PULL:
        for choice in session.choices:
            if not isinstance(choice.action, TakeBack):
                session.act(choice.action)
                return
        session.act(session.choices[0].action)


def _drive(session: Session, player: Player, motion: Motion, wait: Wait) -> Ending:
    """Run a motion, with the player's tremor and against the swaying it has felt, as long as the rules leave the piece
    in the hand."""
    rate = session.table.rate
    while True:
        try:
            target = next(motion)
        except StopIteration as end:
            ending: Ending = end.value
            return ending
        if session.need.wait is not wait or session.table.hand.held is None:
            return Ending.EMPTY
        step = session.table.step
        offset = player.tremor.at(step / rate) - session.handling.swaying(
            step - steps_of(REACTION, rate), rate
        )
        if offset.any():
            pose = unpacked(target)
            x, y, z = (np.asarray(pose.position) + offset).tolist()
            target = packed(Pose((x, y, z), pose.orientation))
        session.aim(target)
