"""Bausack on the table: the supply in the middle, an area for every player, and where a piece came to lie.

All towers stand on one table in one world, so that a falling piece can hit any of them (BS-11). Players sit along
two sides, clockwise: the near side from right to left, then the far side from left to right.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from teeter.engine.world.body import Body
from teeter.games.bausack.state import IN, NOBODY, Phase, State, name_of, owner_of, players_in
from teeter.games.core.events import Condition
from teeter.games.judge import places
from teeter.games.judge.judge import Judge, TableScene
from teeter.models.build import build
from teeter.models.catalogue import find

SUPPLY_MM = 620.0
"""Width of the supply's rows: as a player's area, and in reach of all (BS-01); 70 pieces fill six rows."""
AISLE_MM = 30.0
"""Between the supply and the areas: a piece at the edge of either does not touch the other."""
RIM_MM = 40.0
"""Of table around the areas: a foundation at the edge of an area lies on the table."""
AREA_SLACK_MM = 1.0
"""BS-02: how far a foundation may reach out of its area; a line drawn on a table is about as broad."""


@dataclass(frozen=True, slots=True)
class PlayerArea:
    """A player's square of the table: its centre and side in mm."""

    x: float
    y: float
    side: float

    def holds(self, body: Body) -> bool:
        """BS-02: whether a body lies inside, seen from above."""
        low, high = places.bounds(body.piece, body.pose)
        half = self.side / 2 + AREA_SLACK_MM
        return all(
            at - half <= float(least) * 1e3 and float(most) * 1e3 <= at + half
            for at, least, most in zip((self.x, self.y), low[:2], high[:2], strict=True)
        )


class BausackJudge(Judge[State]):
    """The physical side of Bausack."""

    is_instant = True

    def in_play(self, state: State) -> frozenset[str]:
        """The towers, and the piece in the hand or on offer."""
        towers = {name for tower in state.towers for name in tower}
        return frozenset(towers | {state.piece}) - {""}

    def meets(
        self, state: State, piece: str, condition: Condition, after: TableScene, released_mm: float | None
    ) -> bool:
        """BS-02, BS-03, BS-05."""
        match condition:
            case Condition.IN_OWN_AREA:
                return areas(state)[state.actor].holds(after.bodies[piece])
            case Condition.ON_OWN_TOWER:
                on_own = _touches(after, piece, state.towers[state.actor])
                return on_own and not _is_down(state, piece, after, moved=True)
            case Condition.CLEAR_OF_OTHER_TOWERS:
                return _neighbour(state, piece, after) is None
        raise ValueError(f"{condition.name} is no condition of Bausack")

    def layout(self, state: State) -> tuple[Body, ...]:
        """The table, as large as the areas need, and all pieces in steady poses, in rows in the middle."""
        supply, depth = _supply(_boxed(state))
        side = state.stock.numbers.area_mm
        columns = (len(state.seats) + 1) // 2
        width = max(columns * side, SUPPLY_MM) + 2 * RIM_MM
        return (places.table(width, depth + 2 * (side + AISLE_MM + RIM_MM)), *supply)

    def home(self, state: State, piece: str) -> Body:
        """A piece at its place in the supply, which it keeps all game long."""
        return next(body for body in _supply(_boxed(state))[0] if body.name == piece)

    def where(self, state: State, piece: str, after: TableScene) -> str:
        """The owner of the tower on which a piece lies, the own one first; empty when it touches none."""
        owner = owner_of(state, piece)
        seats = sorted(range(len(state.seats)), key=lambda seat: seat != owner)
        touched = (name_of(state, seat) for seat in seats if _touches(after, piece, state.towers[seat]))
        return next(touched, "")

    def fallen(
        self, state: State, piece: str, before: TableScene, after: TableScene, is_lifted: bool = True
    ) -> tuple[str, ...]:
        """BS-08: pieces of standing towers, but no foundation, that touch the table, whether at rest or not.

        is_lifted: whether the piece in the hand has left the supply; until then it may touch what it lies on.
        """
        fell = []
        for name in _standing(state):
            if name == piece and not is_lifted:
                continue
            if _is_foundation(state, name):
                down = float(after.bodies[name].centre_of_mass[2]) < places.top_of(after)
            else:
                down = _is_down(state, name, after, moved=name == piece)
            if down:
                fell.append(name)
        return tuple(sorted(fell))

    def hit(self, state: State, piece: str, before: TableScene, after: TableScene) -> tuple[str, str] | None:
        """BS-03: a piece that lies against another tower: the one just laid, else of two that touch the one that has
        moved further, and the owner of the other's tower."""
        pairs = [(name, _neighbour(state, name, after)) for name in _standing(state)]
        leaning = [(name, owner) for name, owner in pairs if owner is not None]

        def liking(pair: tuple[str, str]) -> tuple[bool, float, str]:
            name = pair[0]
            was, now = before.bodies.get(name, after.bodies[name]), after.bodies[name]
            return name != piece, -math.dist(was.pose.position, now.pose.position), name

        return min(leaning, key=liking, default=None)

    def bears(self, state: State, piece: str, touched: Iterable[str]) -> bool:
        """BS-03: whether it touches the own tower."""
        return any(other in state.towers[state.actor] for other in touched)

    def struck(self, state: State, piece: str, touched: Iterable[str]) -> str | None:
        """BS-03: the owner of the standing tower that it touched, by seat."""
        owners = {owner_of(state, other) for other in touched} - {NOBODY, owner_of(state, piece)}
        return next((name_of(state, seat) for seat in sorted(owners) if state.out[seat] == IN), None)

    def is_of_actor(self, state: State, piece: str) -> bool:
        """Whether a piece is of the actor's tower, or in their hand."""
        return owner_of(state, piece) == state.actor

    def counts_throws(self, state: State) -> bool:
        """BS-03, BS-11: where the house lets everything that scatters count."""
        return state.house.scatter

    def is_unplaced(self, state: State, piece: str) -> bool:
        """BS-13, BS-04: a piece that is looked at, or still in the hand when another's tower falls."""
        return not any(piece in tower for tower in state.towers)

    def heights(self, state: State, scene: TableScene) -> tuple[float, ...]:
        """BS-21: how far every seat's tower rises above the table, in mm; 0 where none stands."""
        ground = places.top_of(scene)
        return tuple(
            max([0.0, *((places.highest(scene.bodies[name]) - ground) * 1e3 for name in tower)])
            if out == IN
            else 0.0
            for tower, out in zip(state.towers, state.out, strict=True)
        )


@lru_cache(maxsize=8)
def _supply(pieces: tuple[str, ...]) -> tuple[tuple[Body, ...], float]:
    """Of the pieces of a box, as its game begins: areas are drawn, and asked for, with every picture."""
    named = [(piece, build(find(f"bausack/{piece}"))) for piece in pieces]
    return places.supply(named, SUPPLY_MM)


def _boxed(state: State) -> tuple[str, ...]:
    return tuple(piece.id for piece in state.stock.pieces)


def areas(state: State) -> tuple[PlayerArea, ...]:
    """BS-01: the area of every seat, in seat order."""
    side, count = state.stock.numbers.area_mm, len(state.seats)
    away = _supply(_boxed(state))[1] / 2 + AISLE_MM + side / 2
    near, far = (count + 1) // 2, count // 2
    right_to_left = [((near - 1) / 2 - at) * side for at in range(near)]
    left_to_right = [(at - (far - 1) / 2) * side for at in range(far)]
    return (
        *(PlayerArea(x, -away, side) for x in right_to_left),
        *(PlayerArea(x, away, side) for x in left_to_right),
    )


def _is_foundation(state: State, name: str) -> bool:
    """BS-02: whether a piece of a tower may touch the table: the first of it, also while it is being placed."""
    tower = state.towers[owner_of(state, name)]
    return not tower or name == tower[0]


def _standing(state: State) -> Iterator[str]:
    """Pieces of the towers of those still in, and the accepted piece from the moment it is taken up."""
    for tower, out in zip(state.towers, state.out, strict=True):
        if out == IN:
            yield from tower
    if state.phase in (Phase.CARRY, Phase.SETTLE):
        yield state.piece


def _is_down(state: State, name: str, after: TableScene, *, moved: bool) -> bool:
    """BS-08: on the table, below it, or on pieces that lie there.

    The piece being placed may touch no such piece. Another may: a rolling ball that comes to lie against a tower
    is no fall; but where it touches such pieces and none of its own tower it lies on them.
    """
    if places.on_support(after, name):
        return True
    towers = {name for tower, out in zip(state.towers, state.out, strict=True) if out == IN for name in tower}
    loose = [other for other in after.touched_by(name) if other not in towers and other != state.piece]
    return bool(loose) and (moved or not _touches(after, name, state.towers[owner_of(state, name)]))


def _neighbour(state: State, piece: str, after: TableScene) -> str | None:
    """BS-03: the owner of the standing tower of another player against which a piece of a tower lies."""
    owner = owner_of(state, piece)
    others = [seat for seat in players_in(state) if seat != owner]
    owners = (name_of(state, seat) for seat in others if _touches(after, piece, state.towers[seat]))
    return next(owners, None)


def _touches(scene: TableScene, piece: str, tower: tuple[str, ...]) -> bool:
    return any(scene.touch(piece, other) for other in tower)
