"""The boxes of a floor card that a held block would cover, as they light up while it is carried."""

import numpy as np
import shapely

from teeter.engine.pose import Pose
from teeter.engine.view.overlays import Overlay, Spot
from teeter.engine.world.body import Body
from teeter.games.crazy_tower import judge
from teeter.games.crazy_tower.judge import COVERED_SHARE, RED_SHARE
from teeter.games.crazy_tower.rules_allowed import is_card, top_card
from teeter.games.crazy_tower.state import Sort, State
from teeter.games.present.carry import CarryTarget
from teeter.games.present.client_state import ClientState

FORBIDDEN, ACTING, PLAIN = "#b0301c", "#1f6d8c", "#8a8378"


def lit_boxes(desk: ClientState[State], grip: CarryTarget) -> list[Overlay]:
    """Returns the boxes that the held block would cover; red ones may not be."""
    card = _card(desk)
    if card is None or card.piece.face is None:
        return []
    squares, marks = judge.boxes(card), card.piece.face.boxes
    lit: list[Overlay] = []
    for (row, column), may in covered(desk, grip):
        mark = marks[row - 1][column - 1]
        colour = FORBIDDEN if not may else ACTING if mark.strip(" .") else PLAIN
        lit.append(
            Spot(_corners(squares[row, column], card), colour, 0.55 if colour != PLAIN else 0.25, 0.0006)
        )
    return lit


def covered(desk: ClientState[State], grip: CarryTarget) -> list[tuple[tuple[int, int], bool]]:
    """Row and column of every box that the held block would cover if it were let go here, and whether it may."""
    card = _card(desk)
    if card is None or grip.landing is None or is_card(desk.state, grip.name) or card.piece.face is None:
        return []
    x, y, _ = grip.goal.position
    block = Body(grip.name, grip.piece, Pose((x, y, grip.landing), grip.goal.orientation))
    under = judge.footprint(block, card)
    boxes = []
    for (row, column), box in judge.boxes(card).items():
        is_red = card.piece.face.boxes[row - 1][column - 1] == Sort.RED.mark
        if judge.share(box, under) > (RED_SHARE if is_red else COVERED_SHARE):
            boxes.append(((row, column), not is_red))
    return boxes


def _card(desk: ClientState[State]) -> Body | None:
    name = desk.state.target or top_card(desk.state)
    if not name or name not in desk.frame.names:
        return None
    return Body(name, desk.pieces[name], desk.pose(name))


def _corners(square: shapely.Geometry, card: Body) -> tuple[tuple[float, float, float], ...]:
    ring = shapely.get_coordinates(shapely.geometry.polygon.orient(square).exterior)[:-1] / 1e3
    top = float(card.piece.extents[2]) / 2 + 6e-4
    world = card.pose.apply(np.column_stack([ring, np.full(len(ring), top)]))
    return tuple((float(x), float(y), float(z)) for x, y, z in world)
