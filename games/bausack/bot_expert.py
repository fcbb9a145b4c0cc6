"""How an expert plays Bausack: it pushes what the next player cannot place and it can, should the piece come round; it
pays and bids what a piece is worth to its tower; and it counts the tokens of those to whom it passes a piece on."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from games.bausack.state import Accept, Bid, Build, Pass, PassOn, Phase, Push, State, next_in
from games.core.rules import Action, Take
from games.play.session import Session

Worth = Callable[[Session, int, str], float]
"""Is given a seat and a piece; returns degrees that the piece could be tilted on the seat's tower."""

LOOKED_AT = 8
"""Pieces of the supply that are thought about in a turn."""
FIRM_DEG = 12.0
"""A place that bears more is no better."""
PRICES = ((6.0, 0), (4.0, 1), (2.0, 3), (0.5, 5), (-1.0, 10))
"""How many tokens it is worth to be rid of a piece, by how many degrees it bears on the own tower."""
BARGAIN = 2
"""Tokens more that it is worth when the next player is too poor to pass it on."""
RICH, SPITE = 6, 2.0
"""Tokens with which a player may push what fits nobody; how much more it counts that a piece does not fit the next
player than that it fits the own tower."""
HEIGHT = 3
"""Tokens that a firm piece is worth where the tallest tower wins (BS-21)."""


def calculating(session: Session, dice: Random, worth: Worth) -> Action:
    """Returns what to do now."""
    state, actions = session.state, [choice.action for choice in session.choices]
    match state.phase:
        case Phase.CHOOSE:
            takes = [action for action in actions if isinstance(action, Take)]
            seen: list[Take] = dice.sample(takes, min(LOOKED_AT, len(takes)))
            return _spiteful(session, seen, worth)
        case Phase.PLACE:
            return next(action for action in actions if isinstance(action, Take))
        case Phase.LOOK:
            return _sold(session, actions, worth)
        case Phase.RECEIVE:
            return _received(session, actions, worth)
    own = worth(session, state.actor, state.piece)
    most = HEIGHT if state.house.tallest and own >= FIRM_DEG / 2.0 else 0
    bids = [action for action in actions if isinstance(action, Bid) and action.bid <= most]
    return bids[0] if bids else next(action for action in actions if isinstance(action, Pass))


def _spiteful(session: Session, takes: list[Take], worth: Worth) -> Take:
    """The piece that fits the own tower, if it comes round, and the next player's least; a foundation for who has
    none."""
    state = session.state
    seat, after = state.turn, next_in(state, state.turn)
    if not state.towers[seat]:
        everything = [choice.action for choice in session.choices if isinstance(choice.action, Take)]
        return next((take for take in everything if take.piece.startswith("base")), takes[0])

    def gain(take: Take) -> float:
        own, other = worth(session, seat, take.piece), worth(session, after, take.piece)
        # who can pay longer is rid of what fits nobody
        own = (
            FIRM_DEG / 2.0 if state.tokens[seat] > state.tokens[after] and state.tokens[seat] >= RICH else own
        )
        return min(own, FIRM_DEG) - SPITE * min(other, FIRM_DEG)

    return max(takes, key=gain)


def _sold(session: Session, actions: list[Action], worth: Worth) -> Action:
    """What is pushed makes another tower higher, not the own one: only a foundation is wanted, and height where it
    counts."""
    state = session.state
    own = worth(session, state.actor, state.piece)
    wanted = not state.towers[state.actor] or (state.house.tallest and own >= FIRM_DEG / 2.0)
    return next(action for action in actions if isinstance(action, Build if wanted else Push))


def _received(session: Session, actions: list[Action], worth: Worth) -> Action:
    """Accept what is cheaper to place than to pass on."""
    state = session.state
    refusal = next((action for action in actions if isinstance(action, PassOn)), None)
    accept = next(action for action in actions if isinstance(action, Accept))
    if refusal is None:
        return accept
    own = worth(session, state.actor, state.piece)
    most = next(tokens for least, tokens in PRICES if own >= least)
    if most and _is_poor(state, next_in(state, state.actor)):
        most += BARGAIN
    return accept if state.price > most else refusal


def _is_poor(state: State, seat: int) -> bool:
    """Whether a player cannot pay the next price."""
    return state.tokens[seat] <= state.price
