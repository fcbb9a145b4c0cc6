"""How a bot plays Wonky: which block, and where on the tower. An expert knows which towers stand, and leaves the next
player one that bears nothing more.

How firmly the blocks stand on each other is known in closed form: a chain of bodies that roll on caps.
Every block lies with a flat face on the cap of the one below. Of leans p the potential energy is, to the second order,
half p' K p with K tridiagonal: a block of weight w whose centre is c above its foot, with weight W on and in it, on a
cap of radius r, and weight V on its own cap, whose centre of curvature is h above its foot, has W r - V h - w c on the
diagonal, and -W r beside it. The tower stands where K is positive definite.
"""

import math
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.settings import GRAVITY
from teeter.engine.world.body import Body
from teeter.games.core.rules import Action, Need, Take
from teeter.games.play.session import Session
from teeter.games.players.bots import Bot, Skill
from teeter.games.wonky.rules_turn import card_named, free_blocks
from teeter.games.wonky.state import KeepCard, PlayCard, Sort, State
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.models.piece import Array
from teeter.models.shapes import Wonky

SLOPPY = {"steady": 0.0, "bold": 0.002, "clumsy": 0.006, "expert": 0.0}
"""Metres: how far from the best place a hand of this style aims, one standard deviation."""
BROAD = 3
"""Blocks of a tower that shall be wide: the large ones, with the small ones on top (tests/test_wonky_height.py)."""


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

    def places(self, session: Session, need: Need) -> list[Pose] | None:
        """Over the summit of a tower."""
        return [_over(session, need.pieces[0])] if session.state.tower else None

    def height(self, session: Session) -> float | None:
        """After a foul (WK-12) the block is dropped a little: a tall tower yields by a millimetre to a lowered one."""
        return DROPPED if session.state.fouls else None


def _card(session: Session) -> Action:
    """A block that stands, a wide one for the lowest rows and a small one above; an action card where none does."""
    state, actions = session.state, [choice.action for choice in session.choices]
    is_tall = len(state.tower) >= BROAD

    def liking(action: Action) -> float:
        if not isinstance(action, PlayCard):
            return -2.0
        card = card_named(state, action.card)
        if card.sort is Sort.ACTION:
            return 1.0 if _must_go(state) else -0.5
        stand = [block for block in free_blocks(state, card) if is_firm((*state.tower, block))]
        widths = [_width(session, block) for block in stand]
        if not widths:
            return -1.0
        return (-min(widths) if is_tall else max(widths)) - _kept(card.sort)

    return max(actions, key=liking)


def _must_go(state: State) -> bool:
    """Whether action cards have to be played now: WK-16, they may not be the last."""
    hand = state.hands[state.turn]
    return sum(card_named(state, card).sort is not Sort.ACTION for card in hand) <= 1


def _kept(sort: Sort) -> float:
    """What it is worth to keep a card of a sort: a combo takes any block, when nothing else fits."""
    return 0.2 if sort is Sort.COMBO else 0.0


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


RUIN, TRAP = -10.0, 4.0
"""What it is worth to bring the tower down, and to leave one on which the next player, playing well, runs out of
blocks first."""
SPARED = 2.0
"""What it is worth to keep an action card for a tower that bears nothing more."""


def far_sighted(state: State, actions: list[Action]) -> Action:
    """Returns the action that is worth most; of equals the first."""
    return max(actions, key=lambda action: _worth(state, action))


def _worth(state: State, action: Action) -> float:
    match action:
        case Take():
            return _laid(state, action.piece)
        case PlayCard():
            return _played(state, action.card)
        case KeepCard():
            return -3.0
    return -100.0


def _played(state: State, name: str) -> float:
    card = card_named(state, name)
    if card.sort is not Sort.ACTION:
        worth = max(_laid(state, block) for block in free_blocks(state, card))
        return worth - _kept(card.sort)
    return TRAP + 1.0 if _must_go(state) else -SPARED


def _laid(state: State, block: str) -> float:
    """What it is worth that this block lies on the tower."""
    tower = (*state.tower, block)
    firm = softest(tower)[0]
    if firm < FIRM:
        # of what falls, what may yet stand
        return RUIN + 10.0 * max(firm - FIRM, -0.1)
    free = tuple(block.id for block in state.stock.blocks if block.id not in tower)
    left = sum(is_firm((*tower, block)) for block in free)
    is_trap = not can_go_on(tower, free)
    return (TRAP if is_trap else 0.0) - 0.5 * left + min(firm, 0.1)


FIRM = -0.007
"""N m for each radian of lean. What falls slowly outlasts the count of three: -0.006 stands in play, -0.009 falls."""


@dataclass(frozen=True, slots=True)
class _Link:
    """A block: its weight, N; height of its centre of mass and of its cap's centre of curvature over its foot, and the
    radius of the cap, metres."""

    weight: float
    centre: float
    bend: float
    radius: float


@cache
def _link(name: str) -> _Link:
    spec, piece = find(f"wonky/{name}"), build(find(f"wonky/{name}"))
    assert isinstance(spec.shape, Wonky)
    edge, rise = spec.shape.wonky.edge / 1e3, spec.shape.wonky.sagitta / 1e3
    radius = (edge**2 / 2.0 + rise**2) / (2.0 * rise)
    high = float(piece.extents[2])
    centre = float(piece.centre_of_mass[2]) + high / 2.0
    return _Link(piece.mass * GRAVITY, centre, high - radius, radius)


@cache
def softest(tower: tuple[str, ...]) -> tuple[float, Array]:
    """Returns how a tower, by its blocks from the bottom up, resists the lean that it resists least, N m for each
    radian; and the share (n - 1,) of each joint in that lean. A single block does not lean."""
    links = [_link(name) for name in tower]
    count = len(links) - 1
    if count < 1:
        return np.inf, np.zeros(0)
    above = np.cumsum([link.weight for link in links][::-1])[::-1]
    stiff = np.zeros((count, count))
    for at, (below, link) in enumerate(pairwise(links)):
        carried = above[at + 1]
        stiff[at, at] = (
            carried * below.radius - (carried - link.weight) * link.bend - link.weight * link.centre
        )
        if at:
            stiff[at, at - 1] = stiff[at - 1, at] = -carried * below.radius
    values, ways = np.linalg.eigh(stiff)
    leans = ways[:, 0] * (1.0 if ways[:, 0].sum() >= 0.0 else -1.0)
    return float(values[0]), np.diff(leans, prepend=0.0)


def is_firm(tower: tuple[str, ...]) -> bool:
    """Whether a tower stands when a calm hand has built it."""
    return softest(tower)[0] > FIRM


def can_go_on(tower: tuple[str, ...], free: tuple[str, ...]) -> bool:
    """Whether the next player, free to choose among blocks, can make the one after run out of them first."""
    return _wins(tower, tuple(sorted(free, key=_size)))


@cache
def _wins(tower: tuple[str, ...], free: tuple[str, ...]) -> bool:
    seen: set[str] = set()
    for at, name in enumerate(free):
        # blocks of one size are alike
        if _size(name) in seen:
            continue
        seen.add(_size(name))
        higher = (*tower, name)
        if is_firm(higher) and not _wins(higher, free[:at] + free[at + 1 :]):
            return True
    return False


def _size(name: str) -> str:
    return name.partition("_")[0]
