"""How the computer players play Bausack: which piece, what it is worth, and where on the own tower it lies.

An expert tries in its mind how much a tower bears with a piece: it pushes what the next player cannot place and it can,
should the piece come round, pays for what would fell its own tower and for little else, and counts who is out of tokens
first where nobody can place it.
"""

import math
from dataclasses import replace
from random import Random

from teeter.engine.geometry.drop import DropTarget
from teeter.engine.pose import Pose
from teeter.engine.world.body import TABLE, Body
from teeter.games.bausack.judge import areas
from teeter.games.bausack.state import Accept, Bid, Build, Pass, PassOn, Phase, Push, next_in
from teeter.games.core.rules import Action, Need, Take, TakeBack
from teeter.games.judge.places import steady
from teeter.games.play.session import Session
from teeter.games.players.ahead import firmest, firmness
from teeter.games.players.bots import Bot, Skill
from teeter.games.players.tower_places import TowerPlace, first, in_hollows, let_down, places
from teeter.models.build import build
from teeter.models.catalogue import find

GOOD_DEG = 8.0
"""A piece that lies so firmly on the own tower is wanted."""
PRICES = ((4.0, 0), (1.5, 1), (-math.inf, 3))
"""How many tokens it is worth at most to be rid of a pushed piece, by how many degrees it bears on the own tower."""
LOOKED_AT = 8
"""Pieces of the supply that a player thinks about in a turn."""
TRIES = 4
"""Places on flat tops that are tried."""
HOLLOWS = 4
"""Hollows that a round piece is tried in."""
FIRM_DEG = 6.0
"""A place in which the tower bears so much tilt is taken without looking at others."""
NOISE_DEG = {"steady": 0.3, "bold": 4.0, "clumsy": 12.0, "expert": 0.0}
"""How much of the ranking is left to chance."""
BUILDS = {"steady": 0.1, "bold": 0.5}
"""How often a piece that fits well is kept instead of pushed."""
MOST_BID = {"steady": 1, "bold": 3, "clumsy": 2}
"""Tokens that a piece which fits well is worth."""


class BausackSkill(Skill):
    """How a bot plays Bausack."""

    def choose(self, bot: Bot, session: Session, need: Need) -> Action:
        """Build with what fits the own tower, push what does not; pay to be rid of it."""
        if bot.style == "expert":
            return calculating(session, bot.random)
        state, actions = session.state, [choice.action for choice in session.choices]
        if state.phase is Phase.CHOOSE:
            return _pick(bot, session, [action for action in actions if isinstance(action, Take)])
        if state.phase is Phase.PLACE:
            return next(action for action in actions if isinstance(action, Take))
        if bot.style == "clumsy":
            return _anything(bot, actions)
        degrees = worth(session, state.actor, state.piece)
        if state.phase is Phase.LOOK:
            # what is pushed makes another tower higher, not the own one; a foundation is needed, though
            wanted = degrees >= GOOD_DEG and (
                not state.towers[state.actor] or bot.random.random() < BUILDS[bot.style]
            )
            return next(action for action in actions if isinstance(action, Build if wanted else Push))
        if state.phase is Phase.RECEIVE:
            refusal = next((action for action in actions if isinstance(action, PassOn)), None)
            accept = next(action for action in actions if isinstance(action, Accept))
            most = next(tokens for least, tokens in PRICES if degrees >= least)
            return accept if refusal is None or state.price > most else refusal
        bids = [a for a in actions if isinstance(a, Bid) and a.bid <= MOST_BID[bot.style]]
        if degrees >= GOOD_DEG and bids and bot.random.random() < 0.25:
            return bids[0]
        return next(action for action in actions if isinstance(action, Pass))

    def place(self, bot: Bot, session: Session, need: Need) -> Pose:
        """The middle of the own area, or where the own tower bears the piece firmly."""
        state, held = session.state, session.table.bodies[need.pieces[0]]
        tower = tower_of(session, state.actor)
        if not tower:
            area = areas(state)[state.actor]
            return first(held.piece, area.x, area.y)
        noise = NOISE_DEG[bot.style]
        ranked = sorted(
            places(held.piece, tower), key=lambda spot: -spot.worth - bot.random.uniform(0.0, noise)
        )
        spots = _spots(held, tower, ranked)
        if bot.style == "clumsy":
            return spots[0]
        return firmest(session, state.towers[state.actor], held, spots, FIRM_DEG, bot.patience_s)[1]

    def places(self, session: Session, need: Need) -> list[Pose] | None:
        """On the own tower, where it bears the piece best by what is above its foundation."""
        held, tower = session.table.bodies[need.pieces[0]], tower_of(session, session.state.actor)
        return (tower and _spots(held, tower, places(held.piece, tower))) or None


def _anything(bot: Bot, actions: list[Action]) -> Action:
    """Whatever comes to mind, but neither a high bid nor second thoughts."""
    dear = [
        action for action in actions if isinstance(action, (Build, Bid)) and action.bid > MOST_BID[bot.style]
    ]
    minded = [action for action in actions if action not in dear and not isinstance(action, TakeBack)]
    action: Action = bot.random.choice(minded)
    return action


def worth(session: Session, seat: int, name: str) -> float:
    """Degrees that a piece could be tilted on a seat's tower; 0 when it finds no place."""
    piece, tower = build(find(f"bausack/{name}")), tower_of(session, seat)
    if not tower:
        # a foundation should be flat and broad; what stands at all is better than a price
        return 20.0 if name.startswith("base") else 4.0
    return next((spot.worth for spot in places(piece, tower, 1)), 0.0)


def bearing(session: Session, seat: int, name: str) -> float:
    """Degrees of tilt that a seat's tower bears with one more piece, tried; less than 0 where it falls by itself, and
    hardly more than that where the piece leaves no room for another."""
    tower, body = tower_of(session, seat), session.table.bodies[name]
    if not tower:
        return worth(session, seat, name)
    spots = _spots(body, tower, places(body.piece, tower))
    degrees, pose = firmest(session, session.state.towers[seat], body, spots, SURE_DEG)
    if degrees < SURE_DEG:
        return degrees
    # what would be the last piece to lie there costs more than it seems
    laid, plain = [*tower, replace(body, pose=pose, fixed=False)], build(find(PLAIN))
    next_one = (Body("next", plain, spot.pose) for spot in places(plain, laid, PLAINS))
    below, scale = [session.table.bodies[TABLE], *laid], session.table.scale
    is_roomy = any(firmness([*below, body], scale, FALLS_DEG) >= FALLS_DEG for body in next_one)
    return degrees if is_roomy else CROWDED_DEG


def _spots(body: Body, tower: list[Body], ranked: list[TowerPlace]) -> list[Pose]:
    """Where a piece is tried: the first of the flat places, and in hollows."""
    poses = [spot.pose for spot in ranked[:TRIES]] + in_hollows(body.piece, tower)[:HOLLOWS]
    return poses or [_over(body, tower)]


def tower_of(session: Session, seat: int) -> list[Body]:
    """The pieces of a seat's tower as they lie, the foundation first."""
    return [session.table.bodies[name] for name in session.state.towers[seat]]


def _pick(bot: Bot, session: Session, takes: list[Take]) -> Take:
    """The piece that fits the own tower best: it will be pushed, and may come back. For a foundation one that is made
    for it."""
    seen: list[Take] = bot.random.sample(takes, min(LOOKED_AT, len(takes)))
    if bot.style == "clumsy":
        return seen[0]
    seat = session.state.turn
    if not session.state.towers[seat]:
        return next((take for take in takes if take.piece.startswith("base")), seen[0])
    return max(seen, key=lambda take: worth(session, seat, take.piece))


def _over(held: Body, tower: list[Body]) -> Pose:
    """On top of the last piece, come what may."""
    x, y, _ = tower[-1].pose.position
    pose = steady(held.piece).then(Pose((x, y, 0.0)))
    return let_down(held.piece, pose, DropTarget.of(tower)) or pose


ENOUGH_DEG = 12.0
"""A place that bears more is no better."""
FALLS_DEG, CROWDED_DEG, SURE_DEG = 1.0, 1.2, 4.5
"""A tower that bears no more falls when a piece is laid so; what one is worth on which nothing more can be laid; one
that bears so much is safe."""
PLAIN, PLAINS = "bausack/cube", 2
"""A piece that is laid on in thought, and how many places it is tried in."""
EXPERT_PRICES = ((3.0, 0), (1.5, 1), (FALLS_DEG, 3), (-math.inf, 99))
"""How many tokens it is worth to be rid of a piece, by how many degrees the own tower bears with it."""
SPITE = 2.0
"""How much more it counts that a piece does not fit the next player than that it fits the own tower."""
HEIGHT = 3
"""Tokens that a firm piece is worth where the tallest tower wins (BS-21)."""


def calculating(session: Session, dice: Random) -> Action:
    """Returns what to do now."""
    state, actions = session.state, [choice.action for choice in session.choices]
    match state.phase:
        case Phase.CHOOSE:
            takes = [action for action in actions if isinstance(action, Take)]
            seen: list[Take] = dice.sample(takes, min(LOOKED_AT, len(takes)))
            return _spiteful(session, seen)
        case Phase.PLACE:
            return next(action for action in actions if isinstance(action, Take))
        case Phase.LOOK:
            return _sold(session, actions)
        case Phase.RECEIVE:
            return _receive(session, actions)
    own = worth(session, state.actor, state.piece)
    most = HEIGHT if state.house.tallest and own >= ENOUGH_DEG / 2.0 else 0
    bids = [action for action in actions if isinstance(action, Bid) and action.bid <= most]
    return bids[0] if bids else next(action for action in actions if isinstance(action, Pass))


def _spiteful(session: Session, takes: list[Take]) -> Take:
    """The piece that fits the own tower, if it comes round, and the next player's least; a foundation for who has
    none."""
    state = session.state
    seat, after = state.turn, next_in(state, state.turn)
    if not state.towers[seat]:
        everything = [choice.action for choice in session.choices if isinstance(choice.action, Take)]
        return next((take for take in everything if take.piece.startswith("base")), takes[0])

    def gain(take: Take) -> float:
        own, other = worth(session, seat, take.piece), worth(session, after, take.piece)
        # what fits neither: who can pay longer is rid of it
        if not max(own, other):
            own = ENOUGH_DEG if _outlasts(state.tokens[seat], state.tokens[after]) else -ENOUGH_DEG
        return min(own, ENOUGH_DEG) - SPITE * min(other, ENOUGH_DEG)

    return max(takes, key=gain)


def _outlasts(own: int, other: int) -> bool:
    """Whether who pushes a piece is rid of it for good, when both pass it on as long as they can (BS-18)."""
    price, tokens = 1, [other, own]
    while tokens[(price - 1) % 2] >= price:
        tokens[(price - 1) % 2] -= price
        price += 1
    return price % 2 == 1


def _sold(session: Session, actions: list[Action]) -> Action:
    """What is pushed makes another tower higher, not the own one: only a foundation is wanted, and height where it
    counts."""
    state = session.state
    own = worth(session, state.actor, state.piece)
    wanted = not state.towers[state.actor] or (state.house.tallest and own >= ENOUGH_DEG / 2.0)
    return next(action for action in actions if isinstance(action, Build if wanted else Push))


def _receive(session: Session, actions: list[Action]) -> Action:
    """Accept what is cheaper to place than to pass on."""
    state = session.state
    refusal = next((action for action in actions if isinstance(action, PassOn)), None)
    accept = next(action for action in actions if isinstance(action, Accept))
    if refusal is None:
        return accept
    own = bearing(session, state.actor, state.piece)
    most = next(tokens for least, tokens in EXPERT_PRICES if own >= least)
    return accept if state.price > most else refusal
