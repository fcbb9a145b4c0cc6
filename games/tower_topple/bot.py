"""How a bot plays Tower Topple: it feels for a brick that carries little and whose absence the tower bears.

An expert remembers the prints that were out and pulls what brings most for its risk; ahead in the last round it weakens
the foot, because whoever topples the tower then, the expert has won.
"""

import math
from dataclasses import replace

import numpy as np

from teeter.engine.pose import Pose
from teeter.engine.settings import GRAVITY
from teeter.engine.tolerances import TOUCH_IN_TALL_TOWER
from teeter.engine.topple.balance.statics import stands
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.world.body import FLOOR, Assembly, Body
from teeter.games.core.rules import Action, Need, Take, TakeBack
from teeter.games.play.session import Session
from teeter.games.players.ahead import drawn
from teeter.games.players.bots import Bot, Skill
from teeter.games.tower_topple import judge
from teeter.games.tower_topple.judge import OpenRow, lying, to_the_left
from teeter.games.tower_topple.rules_rows import CENTRE
from teeter.games.tower_topple.rules_turns import gain
from teeter.games.tower_topple.state import COLOUR_OF, Print
from teeter.models.piece import Array

CANDIDATES = 16
"""Bricks whose absence is thought through at most."""
RISK = 1.5
"""Points: what it costs an expert that a brick is of those that bots draw late, for every such reason."""
PRESSED = 6
"""Bricks at the foot that an expert tries, to leave the tower as weak as it stands."""
LOOSE = 0.15
"""Weights of a brick: what is pressed by less is loose. Rows of unlike bricks rest on one or two of the three."""
CALM, DOWN_BY = 2e-3, 25e-3
"""Metres that a tower may move when a brick is drawn out: then it is taken; one that moves by more comes down."""
WEIGHTY = 3
"""Full rows above a brick that hold its neighbours where they lie; what rests on fewer is dragged along."""
LIGHT = 6
"""Full rows above a brick that weigh little: under more the tower leans to the side of an edge that is gone."""
BORNE_MM = 29.0
"""From the middle of the row below, which reaches 37.5: a brick's centre no further out lies safely."""
ASKEW = math.radians(7.0)
"""How far from a right angle to the row below a brick is laid beside one that lies further askew; ten are allowed."""
WIDE_MM = 37.5
"""From the middle of a row to the end of the bricks below."""
ABOVE = 3e-4
"""Metres above its row at which a brick is pushed in from beside it."""
OUT = 0.012
"""Metres beyond its own length that a brick is drawn, so that it is clear of the tower."""

EFFECT = {
    **dict.fromkeys(COLOUR_OF, -1.5),
    Print.UNSEEN: -0.2,
    Print.SKIP: -0.6,
    Print.LOSE_TWO: -2.0,
    Print.ALL_OTHERS_GAIN_ONE: -1.0,
    Print.DRAW_TWO: 0.3,
}
"""Points that a print is worth beyond those its puller gains: what it costs later, less what it brings the next player.
Who draws a colour gains three for one, or two, where both of it would topple the tower."""


class ToppleSkill(Skill):
    """How a bot plays Tower Topple."""

    def choose(self, bot: Bot, session: Session, need: Need) -> Action:
        """The first brick, as `_ranked` likes them, that comes out in a trial without moving the tower; else the
        one that moves it least. Of an expert who is ahead at last: the one at the foot that moves it most."""
        actions = [choice.action for choice in session.choices if not isinstance(choice.action, TakeBack)]
        takes = [action for action in actions if isinstance(action, Take)]
        if not takes:
            return actions[0]
        if bot.style == "clumsy" or len(takes) == 1:
            return bot.random.choice(takes)
        ranked, loose = _ranked(session, need, takes, is_greedy=bot.style == "expert")
        if bot.style == "expert":
            moves = {
                take: drawn(session, take.piece, way_out(session, take.piece), DOWN_BY)
                for take in _at_the_foot(session, need, takes)[:PRESSED]
            }
            stands = [take for take, moved in moves.items() if moved <= DOWN_BY]
            if stands:
                return max(stands, key=moves.__getitem__)
        likely, scene = ranked[:CANDIDATES], assembly_of(session)
        borne = (take for take in likely if take.piece in loose or bears(scene, take.piece))
        least, best = DOWN_BY, None
        # of a tower that leans a force balance may bear no brick's absence: then a trial tells of all
        for candidates in (borne, likely):
            for take in candidates:
                if bot.style == "bold":
                    return take
                moved = drawn(session, take.piece, way_out(session, take.piece), least)
                if moved <= CALM:
                    return take
                if best is None or moved < least:
                    least, best = min(moved, least), take
            if least < DOWN_BY:
                break
        return best or ranked[0]

    def place(self, bot: Bot, session: Session, need: Need) -> Pose:
        """The free slot nearest to the middle of the tower. Where a neighbour lies so far out that the slot is off the
        tower: beside the row, as high as that, to be pushed in."""
        scene = session.table.scene()
        middle = np.mean([body.pose.position[:2] for body in scene.bodies.values() if not body.fixed], axis=0)
        slots = judge.slots(session.state, scene)
        slot = min(slots, key=lambda slot: float(np.linalg.norm(np.subtract(slot.position[:2], middle))))
        row, held = judge.open_row_of(session.state, scene), session.table.bodies[need.pieces[0]]
        way = _across(row)
        pose = lying(1e3 * np.asarray(slot.position[:2]), way, held.piece.extents, row.below)
        if _is_borne(row, held.at(pose)):
            return pose
        level = lying(row.middle, way, held.piece.extents, row.below).position[2]
        return Pose((*pose.position[:2], level), pose.orientation)

    def places(self, session: Session, need: Need) -> list[Pose]:
        """The free slots, with the brick as it comes to lie there."""
        scene = session.table.scene()
        below = judge.open_row_of(session.state, scene).below
        piece = session.table.bodies[need.pieces[0]].piece
        return [judge.rested(slot, piece.extents, below) for slot in judge.slots(session.state, scene)]

    def pull(self, bot: Bot, session: Session, need: Need) -> Array | None:
        """Straight out along the brick, towards the side where its centre lies already."""
        return way_out(session, need.pieces[0])

    def answer(self, session: Session, need: Need) -> bool:
        """TT-11: whether each of these bricks would bring the tower down when it is drawn. Of a tower that leans a
        force balance may bear no brick's absence, and says nothing here."""
        return not any(
            drawn(session, piece, way_out(session, piece), DOWN_BY) <= DOWN_BY for piece in need.pieces
        )

    def height(self, session: Session) -> float | None:
        """A brick that is pushed in from beside its row is not lowered past it."""
        row = judge.open_row_of(session.state, session.table.scene())
        return None if _is_borne(row, session.table.bodies[session.need.pieces[0]]) else ABOVE

    def slide(self, session: Session) -> Array | None:
        """A brick for which the row has left no room but beyond the edge is pushed in, and pushes its neighbours:
        over the bricks below, which bear it no further out than that."""
        row = judge.open_row_of(session.state, session.table.scene())
        along, across = row.offset(session.table.bodies[session.need.pieces[0]])
        if not row.own or abs(across) <= BORNE_MM or abs(along) > BORNE_MM:
            return None
        way = -math.copysign(abs(across) - BORNE_MM, across) * 1e-3 * to_the_left(row.along)
        return np.array([way[0], way[1], 0.0])


def _ranked(
    session: Session, need: Need, takes: list[Take], is_greedy: bool = False
) -> tuple[list[Take], set[str]]:
    """The bricks as a bot likes them: last those that leave a single one in their row, at its edge above all, then
    those right below the top, and edges with many rows above; loose ones before others, unless one as loose lies on
    them, which comes along, coloured ones first, whose point is sure: others may bear a bad print; those of the
    middle; those that carry least. is_greedy: what brings more is worth some risk. And which are loose."""
    felt = session.table.pressing()
    tower = session.state.tower
    rows = {
        name: (row, above) for row, above in zip(tower, (*tower[1:], ()), strict=True) for name in row if name
    }
    weighty = {name for row in tower[: -WEIGHTY - 1] for name in row}
    low = {name for row in tower[: -LIGHT - 1] for name in row}
    effects = _effects(session, need)

    weights = {name: session.table.bodies[name].piece.mass * GRAVITY for name in rows}
    loose = {name for name in rows if felt.get(name, 0.0) < LOOSE * weights[name]}

    def liking(name: str) -> tuple[float, ...]:
        row, above = rows[name]
        edge = name != row[CENTRE]
        # the higher a row, the less a tower leans without its edge; of centres the lowest are best drawn soon
        of = weights[name] if edge else max(sum(felt.get(brick, 0.0) for brick in row), weights[name])
        share = 0.0 if name in loose else felt[name] / of
        takes_along = not loose.isdisjoint(above)
        left = [brick for brick in row if brick not in ("", name)]
        # one of the middle carries a tower, one of an edge does not
        alone = 0 if len(left) == 2 else 1 if left == [row[CENTRE]] else 2
        why_late = (alone, name not in weighty, edge and name in low, name not in loose, takes_along)
        risky = name in loose and effects[name] < 0.0
        cost = RISK * sum(why_late) - worth[name] if is_greedy else 0.0
        return (cost, *why_late, risky, edge, share)

    worth = _worths(session, need, takes) if is_greedy else {}
    return sorted(takes, key=lambda take: (liking(take.piece), take.piece)), loose


def _effects(session: Session, need: Need) -> dict[str, float]:
    """What the print of every brick does beyond its points, as far as the seat may know: TT-03."""
    state = session.game.rules.seen_by(session.state, need.player)
    is_printed = state.house.points == "printed"
    return {
        brick.id: EFFECT.get(brick.print, 0.0) if is_printed and not brick.colour else 0.0
        for brick in state.bricks
    }


def _worths(session: Session, need: Need, takes: list[Take]) -> dict[str, float]:
    """Points that each brick brings in the end, as far as the seat may know."""
    state, effects = session.game.rules.seen_by(session.state, need.player), _effects(session, need)
    return {take.piece: gain(replace(state, held=take.piece)) + effects[take.piece] for take in takes}


def _at_the_foot(session: Session, need: Need, takes: list[Take]) -> list[Take]:
    """What an expert draws that is ahead in the last round: the lowest bricks first, those of prints that may cost
    something last; none when it is not."""
    state = session.game.rules.seen_by(session.state, need.player)
    own, *others = state.scores[state.turn :] + state.scores[: state.turn]
    is_last = not state.house.target and state.round == state.house.rounds
    if not is_last or own - state.house.topple_loses <= max(others):
        return []
    effects = _effects(session, need)
    row = {name: number for number, row in enumerate(state.tower) for name in row}
    return sorted(
        takes, key=lambda take: (effects[take.piece] < EFFECT[Print.UNSEEN], row[take.piece], take.piece)
    )


def _across(row: OpenRow) -> Array:
    """(2,) along the bricks of the row, as near to a right angle to those below as the rules allow, less a few degrees:
    no further from it than `ASKEW`, or where a knock has turned the row further, no further from its bricks."""
    square, along = to_the_left(row.way_below), row.along
    square = square * math.copysign(1.0, float(square @ along))
    turn = math.atan2(float(to_the_left(square) @ along), float(square @ along))
    turn = turn - math.copysign(ASKEW, turn) if row.is_aslant else min(max(turn, -ASKEW), ASKEW)
    return np.asarray(math.cos(turn) * square + math.sin(turn) * to_the_left(square))


def _is_borne(row: OpenRow, brick: Body) -> bool:
    """Whether a brick has its centre over the row below."""
    return not row.below or abs(row.offset(brick)[1]) < WIDE_MM


def way_out(session: Session, name: str) -> Array:
    """The way (3,), metres, along which a brick is drawn."""
    body = session.table.bodies[name]
    longest = int(np.argmax(body.piece.extents))
    axis = body.pose.matrix[:, longest].copy()
    axis[2] = 0.0
    axis /= np.linalg.norm(axis)
    others = [body.pose.position for body in session.table.bodies.values() if not body.fixed]
    outwards = float(np.subtract(body.pose.position, np.mean(others, axis=0)) @ axis)
    sign = 1.0 if outwards >= 0 else -1.0
    return np.asarray(sign * axis * (float(body.piece.extents[longest]) + OUT))


def assembly_of(session: Session) -> Assembly:
    """The tower as it stands."""
    bodies = (body for name, body in session.table.scene().bodies.items() if name != FLOOR)
    return Assembly("tower", tuple(bodies))


def bears(scene: Assembly, piece: str) -> bool:
    """Whether the tower could stand without a brick."""
    without = Assembly(scene.name, tuple(body for body in scene.bodies if body.name != piece))
    return stands(without, contacts=find_contacts(without, *TOUCH_IN_TALL_TOWER)) is not False
