"""What an agent sees of each game as numbers: a row for every piece, for every seat, and what is its own.

Everything is read from a state that `seen_by` has blotted out for the seat, and from where bodies lie, which all can
see; so what is hidden from a player is hidden from its agent. What the numbers mean stands in README.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from games.judge.bausack import areas
from games.learning.poses import ActionFrame
from games.play.session import Session
from games.players.wonky import summit
from games.rules.base import Need
from games.rules.crazy_tower.allowed import top_card
from games.rules.crazy_tower.state import Stage
from games.rules.tower_topple.state import COLOUR_OF, Print, Sort

Row = tuple[float, ...]
SPAN = 0.15
"""Metres on either side of the middle of a tower that an agent's hand can aim at."""


@dataclass(frozen=True, slots=True)
class View:
    """How one game is seen. All functions take a state with what is hidden blotted out.

    pieces: the names of all bodies the game may bring out. words: all names that actions speak of. tag: a number for a
    piece. seat: numbers of a seat that everyone knows. own: numbers of the turn, and what only this seat knows. frame:
    where the hand of the player on turn aims from. most: as many actions as may be legal at once. unread: bodies whose
    print is not for everybody's eyes.
    """

    pieces: Callable[[Any], tuple[str, ...]]
    words: Callable[[Any], tuple[str, ...]]
    tag: Callable[[Any, str], float]
    seat: Callable[[Any, int], Row]
    own: Callable[[Any, int], Row]
    frame: Callable[[Session, Need], ActionFrame]
    most: int
    unread: Callable[[Any], frozenset[str]] = lambda state: frozenset()


def _index(names: Sequence[Any], name: Any) -> int:
    """Counted from 1; 0 for what is not there or not known."""
    return names.index(name) + 1 if name in names else 0


# -- Wonky -------------------------------------------------------------------------------------------------------


def _wonky_blocks(state: Any) -> tuple[str, ...]:
    return tuple(block.id for block in state.stock.blocks)


def _wonky_cards(state: Any) -> tuple[str, ...]:
    return tuple(card.id for card in state.stock.cards)


def _wonky_words(state: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*_wonky_blocks(state), *_wonky_cards(state))))


def _wonky_own(state: Any, seat: int) -> Row:
    cards = _wonky_cards(state)
    hand = state.hands[seat]
    return (
        float(state.direction),
        float(_index(cards, state.card)),
        float(state.fouls),
        float(len(state.deck)),
        *(float(hand.count(card)) for card in cards),
    )


def _wonky_frame(session: Session, need: Need) -> ActionFrame:
    tower = [session.table.bodies[name] for name in session.state.tower if name not in need.pieces]
    if not tower:
        return ActionFrame(0.0, 0.0, 0.0, SPAN)
    x, y, _ = summit(max(tower, key=lambda body: body.pose.position[2]))
    return ActionFrame(x, y, 0.0, SPAN)


# -- Tower Topple ------------------------------------------------------------------------------------------------

_COLOURS = tuple(COLOUR_OF.values())
_PRINTS = tuple(Print)


def _topple_bricks(state: Any) -> tuple[str, ...]:
    return tuple(brick.id for brick in state.bricks)


def _topple_tag(state: Any, name: str) -> float:
    """Positive: the colour. Negative: the print; 0 where it is not yet seen."""
    brick = next(brick for brick in state.bricks if brick.id == name)
    if brick.colour:
        return float(_index(_COLOURS, brick.colour))
    return 0.0 if brick.print is Print.UNSEEN else -float(_index(_PRINTS, brick.print))


def _topple_unread(state: Any) -> frozenset[str]:
    return frozenset(brick.id for brick in state.bricks if brick.id not in state.seen)


def _topple_own(state: Any, seat: int) -> Row:
    owed = state.owed[0] if state.owed else None
    return (
        float(state.direction),
        float(state.round),
        float(len(state.owed)),
        float(len(state.coming)),
        0.0 if owed is None else float(_index(tuple(Sort), owed.sort)),
        0.0 if owed is None else float(_index(_COLOURS, owed.colour)),
    )


def _topple_frame(session: Session, need: Need) -> ActionFrame:
    """The middle of the highest row; x along its bricks."""
    row = [session.table.bodies[name] for name in session.state.tower[-1] if name and name not in need.pieces]
    bodies = row or [session.table.bodies[name] for name in session.state.tower[-2] if name]
    x, y, _ = (
        sum(values) / len(bodies) for values in zip(*(body.pose.position for body in bodies), strict=True)
    )
    return ActionFrame(x, y, 0.0, SPAN)


# -- Bausack -----------------------------------------------------------------------------------------------------


def _bausack_pieces(state: Any) -> tuple[str, ...]:
    return tuple(piece.id for piece in state.stock.pieces)


def _bausack_tag(state: Any, name: str) -> float:
    """Whose tower it belongs to, from 1."""
    return float(next((at + 1 for at, tower in enumerate(state.towers) if name in tower), 0))


def _bausack_frame(session: Session, need: Need) -> ActionFrame:
    state = session.state
    tower = [name for name in state.towers[state.actor] if name not in need.pieces]
    if not tower:
        area = areas(state)[state.actor]
        return ActionFrame(area.x / 1e3, area.y / 1e3, 0.0, SPAN)
    x, y, _ = session.table.bodies[tower[-1]].pose.position
    return ActionFrame(x, y, 0.0, SPAN)


# -- Crazy Tower -------------------------------------------------------------------------------------------------


def _crazy_pieces(state: Any) -> tuple[str, ...]:
    return (*(block.id for block in state.stock.blocks), *(card.id for card in state.stock.cards))


def _crazy_tag(state: Any, name: str) -> float:
    """Positive: the floor it lies on, from 1. Negative: in whose hands it is, from -1."""
    for number, floor in enumerate(state.floors):
        if name == floor.card or name in floor.blocks:
            return float(number + 1)
    return -float(next((seat + 1 for seat, hand in enumerate(state.hands) if name in hand), 0))


def _crazy_own(state: Any, seat: int) -> Row:
    return (
        float(_index(tuple(Stage), state.stage)),
        float(state.saboteur + 1),
        float(len(state.deck)),
        float(_index(_crazy_pieces(state), state.card)),
        float(len(state.boxes)),
        float(len(state.fallen)),
    )


def _crazy_frame(session: Session, need: Need) -> ActionFrame:
    """The middle of the highest floor card, and as it is turned."""
    card = session.table.bodies.get(top_card(session.state))
    if card is None:
        return ActionFrame(0.0, 0.0, 0.0, SPAN)
    x, y, _ = card.pose.position
    return ActionFrame(x, y, math.atan2(card.pose.matrix[1, 0], card.pose.matrix[0, 0]), SPAN)


VIEWS: dict[str, View] = {
    "wonky": View(
        _wonky_blocks,
        _wonky_words,
        lambda state, name: float(_index(state.tower, name)),
        lambda state, seat: (float(len(state.hands[seat])),),
        _wonky_own,
        _wonky_frame,
        64,
    ),
    "tower-topple": View(
        _topple_bricks,
        _topple_bricks,
        _topple_tag,
        lambda state, seat: (float(state.scores[seat]), float(state.topples[seat]), float(state.skips[seat])),
        _topple_own,
        _topple_frame,
        64,
        _topple_unread,
    ),
    "bausack": View(
        _bausack_pieces,
        _bausack_pieces,
        _bausack_tag,
        lambda state, seat: (
            float(state.tokens[seat]),
            float(state.out[seat] < 0),
            float(state.best_mm[seat]),
        ),
        lambda state, seat: (
            float(state.bid),
            float(state.leader + 1),
            float(state.price),
            float(state.bank),
        ),
        _bausack_frame,
        96,
    ),
    "crazy-tower": View(
        _crazy_pieces,
        _crazy_pieces,
        _crazy_tag,
        lambda state, seat: (float(len(state.hands[seat])),),
        _crazy_own,
        _crazy_frame,
        224,
    ),
}
"""By the names of `games.rules.registry`."""
