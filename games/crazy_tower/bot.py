"""How the computer players play Crazy Tower: which block, where on the highest floor, and how a card is laid.

Places come from `crazy_tower_places`; the force balance has the last word on the best few.
"""

from __future__ import annotations

import math

import numpy as np

from engine.pose import Pose
from engine.world import TABLE
from games.core.rules import Action, Need, Take
from games.crazy_tower.bot_places import (
    FIRM_DEG,
    BlockPlace,
    card_place,
    places,
    special,
    tower_of,
    would_stand,
)
from games.crazy_tower.rules_allowed import is_card, top_card
from games.crazy_tower.state import (
    COMPETITIVE,
    Decline,
    GiveBack,
    NothingFits,
    Pull,
    PutBack,
    RevealCard,
    Sort,
    Swap,
)
from games.play.session import Session
from games.players.ahead import drawn
from games.players.bots import Bot, Skill
from models.piece import Array

GAIN = {Sort.AGAIN: 10.0, Sort.REMOVE: 6.0}
"""Degrees' worth of a covered box to a steady player in a race: one block more laid, or one more for others to lay."""
BOLD_GAIN = 4.0
"""The same of any box to a bold player."""
CALM, DOWN_BY = 2e-3, 4e-3
"""Metres that a tower may move when a block is pulled out of it, and at which it is left alone."""
SHARP_DEG = 3.0
"""What a saboteur likes to leave."""
GREED_DEG = 2.0
"""What each cube of a block is worth: large blocks are good feet, small ones do for the last floors."""
TRIES = 4
"""Places that the force balance looks at."""
NOISE_DEG = {"steady": 0.3, "bold": 2.0, "clumsy": 30.0}
"""How much of the ranking is left to chance."""


class CrazySkill(Skill):
    """How a bot plays Crazy Tower."""

    def choose(self, bot: Bot, session: Session, need: Need) -> Action:
        """One of the legal actions."""
        actions = [choice.action for choice in session.choices]
        if any(isinstance(action, (PutBack, GiveBack)) for action in actions):
            return _mend(session, actions)
        if any(isinstance(action, (Pull, Decline, Swap)) for action in actions):
            return _act_on_box(bot, session, actions)
        takes = [action for action in actions if isinstance(action, Take)]
        if takes and is_card(session.state, takes[0].piece):
            return takes[0]
        other = next((a for a in actions if isinstance(a, (RevealCard, NothingFits))), None)
        best, tilt = _best_block(bot, session, takes)
        if best is None:
            return other or bot.random.choice(actions)
        is_bare = not session.state.floors[-1].blocks
        # a new floor is rather begun than a block laid that leaves less
        if isinstance(other, RevealCard) and not is_bare and bot.style == "steady" and tilt < FIRM_DEG:
            return other
        return best

    def place(self, bot: Bot, session: Session, need: Need) -> Pose:
        """Where the held piece shall come to lie."""
        held = need.pieces[0]
        scene = session.table.scene()
        if is_card(session.state, held):
            return card_place(session.state, scene, held)
        # a block that has no place goes to the middle of its floor
        floor = session.state.target or top_card(session.state)
        found = _ranked(bot, session, places(session.state, scene, held, _gain(bot, session), floor=floor))
        tower = tower_of(session.state, scene)
        for each in found[:TRIES]:
            if would_stand(tower, scene.bodies[TABLE], scene.bodies[held].at(each.pose)) is not False:
                return each.pose
        if found:
            return found[0].pose
        card = scene.bodies[floor]
        up = float(card.piece.extents[2] + scene.bodies[held].piece.extents[2]) / 2
        return Pose(card.pose.position, card.pose.orientation).then(Pose((0.0, 0.0, up)))

    def places(self, session: Session, need: Need) -> list[Pose]:
        """The best places of a block on the highest floor."""
        if is_card(session.state, need.pieces[0]):
            return []
        return [each.pose for each in places(session.state, session.table.scene(), need.pieces[0])]

    def pull(self, bot: Bot, session: Session, need: Need) -> Array | None:
        """Straight out of the tower, away from its axis."""
        return way_out(session, need.pieces[0])

    def answer(self, bot: Bot, session: Session, need: Need) -> bool:
        """CT-10, CT-20: whether any of the blocks finds a place on any of the floors."""
        return self.example(session, need) is not None

    def example(self, session: Session, need: Need) -> tuple[str, Pose] | None:
        """A block that finds a place on one of the floors, and its best place there."""
        state, scene = session.state, session.table.scene()
        floors = [floor.card for floor in state.floors if floor.card in need.pieces]
        blocks = [piece for piece in need.pieces if not is_card(state, piece)]
        tried = ((piece, places(state, scene, piece, floor=floor)) for floor in floors for piece in blocks)
        return next(((piece, found[0].pose) for piece, found in tried if found), None)


def way_out(session: Session, name: str) -> Array:
    """The way (3,), metres, along which a block is pulled."""
    scene = session.table.scene()
    block = scene.bodies[name]
    floor = next(each for each in session.state.floors if name in each.blocks)
    card = scene.bodies[floor.card]
    local = (np.asarray(block.pose.position) - np.asarray(card.pose.position)) @ card.pose.matrix
    axis = int(np.argmax(np.abs(local[:2])))
    return np.asarray(card.pose.matrix[:, axis] * math.copysign(0.14, local[axis]))


def _mend(session: Session, actions: list[Action]) -> Action:
    """Put back what fell, on top or where it was; what has no place is given back."""
    state, scene = session.state, session.table.scene()
    backs = [action for action in actions if isinstance(action, PutBack)]
    for action in sorted(backs, key=lambda back: back.floor != top_card(state)):
        if is_card(state, action.piece) or places(state, scene, action.piece, floor=action.floor):
            return action
    return next((action for action in actions if isinstance(action, GiveBack)), actions[0])


def _act_on_box(bot: Bot, session: Session, actions: list[Action]) -> Action:
    """Swap a dear block for a cheap one; pull out a block of others when the tower bears it, or when one is bold."""
    state = session.state
    value: dict[str, int] = {block.id: block.value for block in state.stock.blocks}
    swaps = [action for action in actions if isinstance(action, Swap)]
    if swaps:
        return max(swaps, key=lambda swap: (value[swap.give] - value[swap.take], bot.random.random()))
    own = state.colours[state.turn]
    pulls = [a for a in actions if isinstance(a, Pull) and not a.piece.startswith(own)]
    if _races(bot, session):
        felt = session.table.pressing()
        for each in sorted(pulls, key=lambda one: (felt.get(one.piece, 0.0), one.piece))[:TRIES]:
            if drawn(session, each.piece, way_out(session, each.piece), DOWN_BY) <= CALM:
                return each
    elif pulls and bot.style != "steady" and bot.random.random() < 0.5:
        return pulls[-1]
    return next(action for action in actions if isinstance(action, Decline))


def _best_block(bot: Bot, session: Session, takes: list[Take]) -> tuple[Take | None, float]:
    """The block to lay, large ones first where they do no harm, and how far the table may tilt then."""
    scene, value = session.table.scene(), {block.id: block.value for block in session.state.stock.blocks}
    best: tuple[float, Take, float] | None = None
    by_shape = {take.piece.partition("_")[2]: take for take in bot.random.sample(takes, len(takes))}
    for take in by_shape.values():
        found = _ranked(bot, session, places(session.state, scene, take.piece, _gain(bot, session)))
        if not found:
            continue
        greed = GREED_DEG * value[take.piece]
        if best is None or found[0].worth + greed > best[0]:
            best = (found[0].worth + greed, take, found[0].tilt)
    return (None, 0.0) if best is None else (best[1], best[2])


def _races(bot: Bot, session: Session) -> bool:
    """Whether this player minds who lays the last block first (CT-21)."""
    return bool(bot.style == "steady" and session.state.mode == COMPETITIVE)


def _gain(bot: Bot, session: Session) -> float:
    """What covering the special box of the highest card is worth to this player, degrees."""
    if bot.style == "bold":
        return BOLD_GAIN
    if not _races(bot, session):
        return 0.0
    sort = special(session.table.scene().bodies[top_card(session.state)])
    return GAIN.get(sort, 0.0) if sort is not None else 0.0


def _ranked(bot: Bot, session: Session, found: list[BlockPlace]) -> list[BlockPlace]:
    """The places in the order this player likes them."""
    state = session.state
    sly = state.saboteur == state.turn

    def worth(each: BlockPlace) -> float:
        liked = -abs(each.tilt - SHARP_DEG) if sly else each.worth
        return float(liked + bot.random.uniform(0.0, NOISE_DEG[bot.style]))

    scored = [(worth(each), each) for each in found]
    return [each for _, each in sorted(scored, key=lambda pair: -pair[0])]
