"""Crazy Tower on the table: where cards and blocks begin, and whether a card or block lies as the rules ask.

The floor cards of the stack are no bodies. Their order is hidden, they are never touched but from the top, and a
stack of them would only cost time; a card comes into the world where the stack is (`home`) when it is revealed.
A block keeps its own place beside the player who chose its colour, also when it is swapped: who may lay it is
for the rules to know. What of a block lies on a card is a plane figure in the card's frame, millimetres: origin in
the middle of the card's top, x and y along its sides as authored, z out of the print.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
import shapely

from teeter.engine.geometry.rotation import Array
from teeter.engine.pose import Pose
from teeter.engine.tolerances import FALL_DROP, has_fallen
from teeter.engine.world.body import Body
from teeter.games.core.events import Condition
from teeter.games.crazy_tower.rules_allowed import is_card, top_card
from teeter.games.crazy_tower.rules_flow import of_floors, standing_pieces
from teeter.games.crazy_tower.state import RevealCard, Sort, State, box_name
from teeter.games.judge import places
from teeter.games.judge.judge import Judge, TableScene
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.models.piece import Piece, TriangleMesh
from teeter.models.spec import PieceSpec

TABLE_MM = (1200.0, 1000.0)
"""Room for four rows of blocks before one player."""
STACK_MM = (350.0, -350.0)
"""The place of the stack, in a corner that no row of blocks reaches."""
DECK_MM = (250.0, -250.0)
"""Where the stack is seen, between the rows of two sides, near the place where its top card is turned up."""
BACK = {"colour": "#e6ddc8", "face": {"text": "CRAZY TOWER"}}
"""How the stack looks from above, and its edges."""
SLIP_MM, TWIST_DEG = 0.7, 1.5
"""By how much a card of the stack is seen to lie beside the one below, and to be turned, at most."""
FIRST_ROW_MM = 200.0
"""From the centre to a player's first row: outside the reach of a card that leans over the tower's edge."""
ROW_MM = 62.0
"""From row to row: the largest block and a gap."""
SIDES = {1: (0,), 2: (0, 2), 3: (0, 1, 2), 4: (0, 1, 2, 3)}
"""ALL-5: where seats are, in quarter turns clockwise from the near side."""

RED_SHARE = 0.15
"""CT-04: a block that covers more of a red box lies on it; less is the width of a slip."""
CREEP_MM = 0.5
"""CT-04: what a block may creep over its card as the tower settles, without having been pushed."""
COVERED_SHARE = 0.5
"""CT-05..07: a box acts when at least so much of it is covered."""
LEAN_DEG = 10.0
"""CT-14, CT-43: how far from flat, or from upright on its side, a block may lie."""
LEAST_FOOT_MM2 = 1.0
"""CT-11: a block lies on a card when at least so much of it does; one that leans by 10 degrees has 8 on a corner."""
CARD_LEAN_DEG = 30.0
"""CT-10: a steeper card does not lie but lean; friction holds none beyond 22 degrees."""
NEAR_MM = 0.5
"""CT-03: what of a block is so close to the card's top lies on it; rounded edges and settling stay well below."""


class CrazyJudge(Judge[State]):
    """The physical side of Crazy Tower."""

    def in_play(self, state: State) -> frozenset[str]:
        """The tower, what fell off it, and the piece in the hand."""
        fallen = {block.piece for block in state.fallen}
        return frozenset({*of_floors(state.floors), *fallen, state.held}) - {""}

    def later_models(self, state: State) -> dict[str, str]:
        """The cards of the stack."""
        return {card: f"crazy_tower/{card}" for card in state.deck}

    def scenery(self, state: State) -> tuple[Body, ...]:
        """The stack, of which only the number of cards is seen, and beside it the card that was turned up."""
        shown = (self.home(state, state.card),) if state.card else ()
        if not state.deck:
            return shown
        x, y = DECK_MM
        pile = _pile(len(state.deck))
        return (*shown, Body(RevealCard.shown_by, pile, Pose((x / 1e3, y / 1e3, float(pile.extents[2]) / 2))))

    def comes_from(self, state: State, piece: str) -> Pose | None:
        """A card that is revealed: face down from the top of the stack."""
        if piece != state.card or state.held:
            return None
        x, y = DECK_MM
        top = 2.0 * _half(piece) * (len(state.deck) + 0.5)
        return Pose((x / 1e3, y / 1e3, top), (0.0, 1.0, 0.0, 0.0))

    def meets(
        self, state: State, piece: str, condition: Condition, after: TableScene, released_mm: float | None
    ) -> bool:
        """CT-04, CT-10 to CT-14, CT-20, CT-43, CT-50."""
        body = after.bodies[piece]
        match condition:
            case Condition.CARD_ON_TOP:
                return _is_on_top(state, body, after)
            case Condition.CARD_TOUCHES_BLOCK:
                return any(after.touch(body.name, block) for block in state.floors[-1].blocks)
            case Condition.DROPPED_FROM_ABOVE:
                assert state.challenge is not None
                return released_mm is None or released_mm >= state.challenge.handicap.drop_mm
        card = after.bodies[state.target or top_card(state)]
        match condition:
            case Condition.ON_HIGHEST_FLOOR | Condition.ON_NAMED_FLOOR:
                return _foot(body, card) >= LEAST_FOOT_MM2
            case Condition.LAID_FLAT | Condition.ON_ITS_SIDE:
                return lean(body, card, upright=condition is Condition.ON_ITS_SIDE) <= LEAN_DEG
            case Condition.COVERS_NO_RED_BOX:
                return all(share <= RED_SHARE for share in _red_shares(body, card))
        raise ValueError(f"{condition.name} is no condition of Crazy Tower")

    def broken(
        self,
        state: State,
        piece: str,
        conditions: tuple[Condition, ...],
        before: TableScene,
        after: TableScene,
        released_height_mm: float | None = None,
    ) -> tuple[Condition, ...]:
        """CT-04, ALL-9: also of a block that was pushed onto a red box by the one laid."""
        faults = super().broken(state, piece, conditions, before, after, released_height_mm)
        if Condition.COVERS_NO_RED_BOX in faults or not self.has_pushed(state, piece, before, after):
            return faults
        return (*faults, Condition.COVERS_NO_RED_BOX)

    def refuses(
        self, state: State, piece: str, conditions: tuple[Condition, ...], bodies: Mapping[str, Body]
    ) -> Condition | None:
        """CT-04: a block that would cover a red box, straight below where it is held."""
        if Condition.COVERS_NO_RED_BOX not in conditions:
            return None
        block, card = bodies[piece], bodies[state.target or top_card(state)]
        # as it would lie: turned as little as it takes to be level on the card, straight below in the world
        up = card.pose.matrix[:, 2]
        turn = np.append(np.cross((0.0, 0.0, 1.0), up), 1.0 + up[2])
        a, b, c, d = (float(part) for part in turn / np.linalg.norm(turn))
        level = Pose((0.0, 0.0, 0.0), block.pose.orientation).then(Pose((0.0, 0.0, 0.0), (a, b, c, d)))
        x, y, z = block.pose.position
        over = block.at(Pose((x, y, z), level.orientation))
        heights = [on_card(over.pose.apply(part.vertices), card)[:, 2].min() for part in block.piece.parts]
        fall = max(0.0, float(min(heights))) / 1e3 / float(up[2])
        lying = block.at(Pose((x, y, z - fall), level.orientation))
        is_against = any(share > RED_SHARE for share in _red_shares(lying, card))
        return Condition.COVERS_NO_RED_BOX if is_against else None

    def has_pushed(self, state: State, piece: str, before: TableScene, after: TableScene) -> bool:
        """CT-04: whether a lying block came onto a red box of its floor, where it covered less of it before."""
        for floor in state.floors:
            for block in floor.blocks:
                if block == piece or not {block, floor.card} <= before.bodies.keys() & after.bodies.keys():
                    continue
                was, now = [(scene.bodies[block], scene.bodies[floor.card]) for scene in (before, after)]
                if np.abs(_corners(*now) - _corners(*was)).max() < CREEP_MM:
                    continue
                shares = zip(_red_shares(*now), _red_shares(*was), strict=True)
                if any(red > RED_SHARE and red > less for red, less in shares):
                    return True
        return False

    def layout(self, state: State) -> tuple[Body, ...]:
        """The table, the first card in its centre, and every player's blocks, flat, in a row for each colour."""
        table = places.table(*TABLE_MM)
        first = state.floors[0].card
        card = _body(first, Pose((0.0, 0.0, _half(first))))
        blocks = [self.home(state, block.id) for block in state.stock.blocks]
        return (table, card, *blocks)

    def home(self, state: State, piece: str) -> Body:
        """A block at its own place beside the player who chose its colour; a card where the stack is, face up."""
        if is_card(state, piece):
            return _body(piece, Pose((STACK_MM[0] / 1e3, STACK_MM[1] / 1e3, _half(piece))))
        colour = next(block.colour for block in state.stock.blocks if block.id == piece)
        seat, rank = next(
            (seat, colours.index(colour)) for seat, colours in enumerate(state.colours) if colour in colours
        )
        row = [block.id for block in state.stock.blocks if block.colour == colour]
        widths = [float(_piece(block).extents[0]) * 1e3 for block in row]
        at = row.index(piece)
        left = -(sum(widths) + places.GAP_MM * (len(row) - 1)) / 2
        x = left + sum(widths[:at]) + places.GAP_MM * at + widths[at] / 2
        pose = places.moved(Pose((0.0, 0.0, _half(piece))), x, -FIRST_ROW_MM - rank * ROW_MM)
        quarter = SIDES[len(state.seats)][seat]
        return _body(piece, pose.then(places.moved(Pose((0.0, 0.0, 0.0)), 0.0, 0.0, -quarter * math.pi / 2)))

    def height(self, state: State, piece: str, scene: TableScene) -> float:
        """CT-50: millimetres from the highest point of the tower up to the lowest of a card in the hand."""
        card = scene.bodies[piece]
        tower = [scene.bodies[name] for name in of_floors(state.floors)]
        top = max((places.highest(body) for body in tower), default=places.top_of(scene))
        return (float(places.bounds(card.piece, card.pose)[0][2]) - top) * 1e3

    def where(self, state: State, piece: str, after: TableScene) -> str:
        """The floor card on which most of a block lies; empty for none, and for a card."""
        if is_card(state, piece):
            return ""
        block, cards = after.bodies[piece], [floor.card for floor in state.floors]
        feet = {"": LEAST_FOOT_MM2} | {card: _foot(block, after.bodies[card]) for card in cards}
        return max(feet, key=lambda card: feet[card])

    def covers(self, state: State, piece: str, before: TableScene, after: TableScene) -> tuple[str, ...]:
        """CT-03..07: the boxes of the highest floor that a block of the turn covers and none covered before."""
        if is_card(state, piece) or state.target:
            return ()
        name = top_card(state)
        card, lain = after.bodies[name], before.bodies[name]
        under = footprint(after.bodies[piece], card)
        others = [before.bodies[block] for block in state.floors[-1].blocks]
        there = shapely.union_all([footprint(block, lain) for block in others])
        squares = boxes(card)
        new = [at for at, box in squares.items() if share(box, under) >= COVERED_SHARE > share(box, there)]
        return tuple(box_name(name, row, column) for row, column in new)

    def fallen(
        self, state: State, piece: str, before: TableScene, after: TableScene, is_lifted: bool = True
    ) -> tuple[str, ...]:
        """ALL-4, CT-19: what of the tower, and of the piece just let go, lies on the table, off the tower, or lower.

        The moved piece falls only when it ends on the table or off the tower; on a lower floor than it was meant for
        it lies, against the rules (ALL-9).
        """
        # a card that is laid while no other lies is the first, and lies on the table
        ground = state.floors[0].card if state.floors else piece if is_card(state, piece) else ""
        fell = []
        for name in standing_pieces(state):
            if name not in after.bodies:
                continue
            if name == ground:
                off = float(after.bodies[name].centre_of_mass[2]) < places.top_of(after)
            else:
                off = _is_off(state, name, after) or (name != piece and _sank(name, before, after))
            if off:
                fell.append(name)
        return tuple(sorted(fell))


def _is_on_top(state: State, card: Body, after: TableScene) -> bool:
    """CT-10: face up, not leaning, its centre over the plane of the highest floor, and carried by the tower."""
    upward = math.degrees(math.acos(max(-1.0, min(1.0, float(card.pose.matrix[2, 2])))))
    top = after.bodies[top_card(state)]
    over = float(on_card(card.centre_of_mass[None], top)[0, 2]) > 0
    return upward <= CARD_LEAN_DEG and over and not _is_off(state, card.name, after)


def _is_off(state: State, name: str, after: TableScene) -> bool:
    """Whether a piece lies on the table, or against something but nothing of the tower."""
    touched = after.touched_by(name)
    return places.on_support(after, name) or (
        bool(touched) and not set(touched) & set(standing_pieces(state))
    )


def _sank(name: str, before: TableScene, after: TableScene) -> bool:
    """ALL-4: lower than at the last rest."""
    if name not in before.bodies:
        return False
    body = after.bodies[name]
    drop = float(before.bodies[name].centre_of_mass[2] - body.centre_of_mass[2]) * 1e3
    return bool(has_fallen(drop, float(body.piece.extents.min()) * 1e3, FALL_DROP * 1e3))


def _foot(block: Body, card: Body) -> float:
    """Square millimetres of a block that lie on the card and not beside it (CT-15)."""
    return float(footprint(block, card).intersection(outline(card)).area)


def _corners(block: Body, card: Body) -> Array:
    """(8, 3) the corners of a block's box on its card, millimetres."""
    half = block.piece.extents / 2
    box = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    return on_card(block.pose.apply(box), card)


def _red_shares(block: Body, card: Body) -> Iterator[float]:
    """How much of every red box is under a block."""
    under, face = footprint(block, card), card.piece.face
    assert face is not None
    for (row, column), box in boxes(card).items():
        if face.boxes[row - 1][column - 1] == Sort.RED.mark:
            yield share(box, under)


def _body(name: str, pose: Pose) -> Body:
    return Body(name, _piece(name), pose)


def _piece(name: str) -> Piece:
    return build(find(f"crazy_tower/{name}"))


@lru_cache(maxsize=32)
def _pile(count: int) -> Piece:
    """So many floor cards, one on the other."""
    card = find("crazy_tower/card_01")
    sides = [1e3 * float(side) for side in build(card).extents]
    shape = {"box": [*sides[:2], sides[2] * count]}
    spec = {"model": RevealCard.shown_by, "shape": shape, "material": card.material} | BACK
    return replace(build(PieceSpec.model_validate(spec)), drawn=partial(_stacked, count))


def _stacked(count: int) -> TriangleMesh:
    """So many cards as they are seen: nobody lays them quite on each other."""
    card = build(find("crazy_tower/card_01"))
    points, faces = card.visual.vertices, card.visual.faces
    placed = []
    for number in range(count):
        half_turn = math.radians(TWIST_DEG * math.sin(3.9 * number)) / 2.0
        z = float(card.extents[2]) * (number - (count - 1) / 2.0)
        pose = Pose(
            (SLIP_MM / 1e3 * math.sin(2.4 * number), 0.0, z),
            (0.0, 0.0, math.sin(half_turn), math.cos(half_turn)),
        )
        placed.append(pose.apply(points))
    every = np.concatenate([faces + number * len(points) for number in range(count)])
    return TriangleMesh(np.concatenate(placed), every)


def _half(name: str) -> float:
    return float(_piece(name).extents[2]) / 2


def on_card(points: Array, card: Body) -> Array:
    """World points (n, 3), metres, in the frame of a card's print, millimetres."""
    local: Array = (points - np.asarray(card.pose.position)) @ card.pose.matrix
    return np.asarray((local - np.array([0.0, 0.0, float(card.piece.extents[2]) / 2])) * 1e3)


def footprint(block: Body, card: Body) -> shapely.Geometry:
    """The outline of what of a block lies within `NEAR_MM` of the plane of a card's top; it may overhang the card.

    Exact for blocks of convex parts with corners, as all blocks are.
    """
    return shapely.union_all(
        [_slice(on_card(block.pose.apply(part.vertices), card)) for part in block.piece.parts]
    )


def _slice(corners: Array) -> shapely.Geometry:
    """The part of a convex solid with -NEAR_MM <= z <= NEAR_MM, seen from above."""
    z = corners[:, 2]
    points = [corners[np.abs(z) <= NEAR_MM, :2]]
    for level in (-NEAR_MM, NEAR_MM):
        over, under = corners[z > level], corners[z < level]
        # every segment between two corners lies in the solid; those that are no edges add nothing to the outline
        share = (level - under[:, None, 2]) / (over[None, :, 2] - under[:, None, 2])
        cut = under[:, None, :2] + share[..., None] * (over[None] - under[:, None])[..., :2]
        points.append(cut.reshape(len(under) * len(over), 2))
    return shapely.MultiPoint(np.concatenate(points)).convex_hull


def outline(card: Body) -> shapely.Geometry:
    """The card itself."""
    x, y = card.piece.extents[:2] * 500
    return shapely.box(-x, -y, x, y)


def boxes(card: Body) -> dict[tuple[int, int], shapely.Geometry]:
    """The squares printed on a card by row and column, which count from 1 at the far left (-x, +y)."""
    face = card.piece.face
    if face is None:
        return {}
    edge, squares = face.box_mm, {}
    for row, marks in enumerate(face.boxes):
        for column in range(len(marks)):
            x, y = (column - len(marks) / 2) * edge, (len(face.boxes) / 2 - row) * edge
            squares[row + 1, column + 1] = shapely.box(x, y - edge, x + edge, y)
    return squares


def share(box: shapely.Geometry, under: shapely.Geometry) -> float:
    """The share of a box that is under something, 0 to 1."""
    return float(box.intersection(under).area / box.area)


def lean(block: Body, card: Body, *, upright: bool) -> float:
    """Degrees between a card's normal and the block's thickness, its shortest sides; 90 at most.

    upright: its longer sides instead, which point along the normal of a block that stands on its side; 90 for a
    cube, which has none.
    """
    short = block.piece.extents < block.piece.extents.min() * 1.01
    axes = block.pose.matrix[:, ~short if upright else short]
    return math.degrees(math.acos(min(1.0, float(np.abs(card.pose.matrix[:, 2] @ axes).max(initial=0.0)))))
