"""Tower Topple on the table: the tower of 54 bricks, how a brick has to lie on top of it, and what has fallen.

A row is seen from above, in millimetres: `along` its bricks, and `across` them, counted to the left. Everything is
measured on the bricks that really lie there, so a tower may be turned or lean and is still built on.
"""

import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import shapely

from teeter.engine.geometry.rotation import Array
from teeter.engine.pose import Pose
from teeter.engine.world.body import FLOOR, TABLE, Body
from teeter.games.core.events import Condition
from teeter.games.judge.judge import Judge, TableScene, fell
from teeter.games.judge.places import outline
from teeter.games.tower_topple.rules_rows import CENTRE, SLOTS, open_row, top_row
from teeter.games.tower_topple.state import Brick, Phase, Print, State
from teeter.models.bricks import NOMINAL, draw
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.models.piece import Piece
from teeter.models.spec import dressed
from teeter.scenes.assemble import table_body
from teeter.scenes.schema import TableTop

PITCH_MM = 25.4
"""TT-02, TT-05: from slot to slot. The widest brick there is (25.35 mm) fits between two others."""
CLEAR_MM = 0.5
"""TT-05: air beside a brick that is to be laid, so that it goes down without scraping."""
BETWEEN_MM = 27.0
"""TT-05: room that is kept for a slot that stays free between two bricks; 1.6 mm more than is asked for."""
OUTLINE_MM = 10.0
"""TT-05: how far beyond the outline of the tower set up a brick on top may lie. Its centre is then still 2 mm
inside the row below, and two bricks laid `SLOT_MM` off leave the third a place to lie in."""
SLOT_MM = 4.0
"""TT-05, TT-24: how far across from its place in the slot a brick may lie; more, and the row cannot be filled."""
FLAT_DEG = 3.0
"""TT-24: how far a flat brick may lean against the row below, which may lean itself. Bricks of unlike height tilt it
by a degree or two; one that lies with an edge on its neighbour leans by more than ten."""
LEAST_ACROSS = math.cos(math.radians(10.0))
"""TT-24: cosine of how far from a right angle to the row below; or, where a knock has turned its bricks by more, from
them."""
LAP_MM = 1.0
"""TT-24: how far a brick seems to lie over another of its row, from above, when both only lean or are rounded."""
ROOM_MM = PITCH_MM
"""TT-05: what two bricks must leave between them for the third."""
ASIDE_MM = (90.0, 35.0)
"""TT-07: from place to place of the bricks that lie beside the tower: room to grip each."""
ASIDE_COLUMNS = 9
ASIDE_FROM_MM = (-360.0, 370.0)
"""TT-07: the first of these places, at the far left of the table."""


class ToppleJudge(Judge[State]):
    """The physical side of Tower Topple."""

    minds_nudges = False

    def in_play(self, state: State) -> frozenset[str]:
        """All bricks: there is no supply."""
        return frozenset(brick.id for brick in state.bricks)

    def unread(self, state: State) -> frozenset[str]:
        """TT-03: those that were not out this round. Colours are always seen."""
        printed = (brick for brick in state.bricks if not brick.colour and brick.print.name != "PLAIN")
        return frozenset(brick.id for brick in printed) - frozenset(state.seen)

    def is_new(self, before: State, after: State) -> bool:
        """TT-07: the tower is set up again."""
        return before.round != after.round

    def meets(
        self, state: State, piece: str, condition: Condition, after: TableScene, released_mm: float | None
    ) -> bool:
        """TT-05, TT-24."""
        return TESTS[condition](open_row_of(state, after), piece, after)

    def layout(self, state: State) -> tuple[Body, ...]:
        """The table and all bricks: the tower as the state has it, row upon row, each brick level on the thickest one
        below it; bricks that are in no row lie beside it."""
        pieces = _pieces(state.bricks, state.house.bricks == "exact")
        tower: list[Body] = []
        below: list[Body] = []
        for at, row in enumerate(state.tower):
            below = [_stacked(name, pieces[name], at, slot, below) for slot, name in enumerate(row) if name]
            tower += below
        stacked = {body.name for body in tower}
        aside = [
            Body(brick.id, pieces[brick.id], _aside(pieces[brick.id], number))
            for number, brick in enumerate(state.bricks)
            if brick.id not in stacked
        ]
        return (table_body(TableTop()), *tower, *aside)

    def where(self, state: State, piece: str, after: TableScene) -> str:
        """TT-05: the name of the free slot of the row on top that the brick lies nearest to."""
        return SLOTS[open_row_of(state, after).nearest(after.bodies[piece])[0]]

    def fallen(
        self, state: State, piece: str, before: TableScene, after: TableScene, is_lifted: bool = True
    ) -> tuple[str, ...]:
        """ALL-4, TT-07: the bricks that fell, sorted. Those of the bottom row stand on the table anyway."""
        bottom = state.tower[0] if state.tower else ()
        # the bottom row counts as standing on the table, even a brick that others have lifted off it
        standing = {(min(name, TABLE), max(name, TABLE)) for name in bottom}
        earlier = TableScene(before.bodies, before.touching | standing)
        down = [name for name in after.bodies if name != piece and fell(name, earlier, after)]
        if piece in after.bodies and _is_off(state, piece, after):
            down.append(piece)
        return tuple(sorted(down))


def heading(row: int) -> Array:
    """(2,) the way the bricks of a row point when the tower is set up; rows are counted from 0, at the table."""
    return np.array([1.0, 0.0]) if row % 2 == 0 else np.array([0.0, 1.0])


def to_the_left(way: Array) -> Array:
    """(2,) a direction turned by a right angle, counter-clockwise as seen from above."""
    return np.array([-way[1], way[0]])


def mean_way(ways: Sequence[Array], nominal: Array) -> Array:
    """The mean direction of ways, each or its opposite, whichever is nearer to nominal; without any the nominal one."""
    total = np.sum([nominal * 0.0, *(way if way @ nominal > 0 else -way for way in ways)], axis=0)
    length = float(np.linalg.norm(total))
    return nominal if length < 1e-6 else np.asarray(total / length)


@dataclass(frozen=True, slots=True, eq=False)
class OpenRow:
    """The row being built on top.

    index: from 0, at the table. below: the bricks of the row below; own: those of the row itself by slot.
    """

    index: int
    below: tuple[Body, ...]
    own: Mapping[int, Body]

    @property
    def way_below(self) -> Array:
        """(2,) the direction of the bricks of the row below."""
        return mean_way([body.pose.matrix[:2, 0] for body in self.below], heading(self.index - 1))

    @property
    def upright(self) -> Array:
        """(3,) the mean direction that is up for the bricks of the row below; that of gravity where none lies."""
        ways = [body.pose.matrix[:, 2] for body in self.below]
        return mean_way([way for way in ways if abs(way[2]) > 0.5], np.array([0.0, 0.0, 1.0]))

    @property
    def along(self) -> Array:
        """(2,) the direction of its bricks; of an empty row, at right angles to the row below."""
        turned, nominal = to_the_left(self.way_below), heading(self.index)
        ways = [body.pose.matrix[:2, 0] for body in self.own.values()]
        return mean_way(ways, turned if turned @ nominal > 0 else -turned)

    @property
    def is_aslant(self) -> bool:
        """Whether its bricks were knocked further from a right angle to the row below than one may be laid."""
        return abs(float(self.along @ to_the_left(self.way_below))) < LEAST_ACROSS

    @property
    def middle(self) -> Array:
        """(2,) over the middle of the row below, millimetres."""
        places = [body.pose.position[:2] for body in self.below]
        return 1e3 * np.mean(places, axis=0) if places else np.zeros(2)

    def offset(self, body: Body) -> tuple[float, float]:
        """Millimetres of a brick's centre from the middle of the row: along it, and across it to the left."""
        way = self.along
        from_middle = np.multiply(body.pose.position[:2], 1e3) - self.middle
        return float(from_middle @ way), float(from_middle @ to_the_left(way))

    def free(self) -> tuple[int, ...]:
        """The slots that are free, from the left: 0, 1, 2."""
        return tuple(slot for slot in range(3) if slot not in self.own)

    def place(self, slot: int, width_mm: float) -> float:
        """Where in a free slot the centre of a brick belongs, millimetres to the left of the row's middle.

        As when the tower is set up, unless the bricks that lie in the row leave it no room there, or it would
        leave none for a brick between.
        """
        reach = {at: self._reach(body) for at, body in self.own.items()}
        room = {at: width_mm / 2 + CLEAR_MM + BETWEEN_MM * (abs(at - slot) - 1) for at in reach}
        lefts, rights = [at for at in reach if at < slot], [at for at in reach if at > slot]
        most = reach[max(lefts)][0] - room[max(lefts)] if lefts else np.inf
        least = reach[min(rights)][1] + room[min(rights)] if rights else -np.inf
        if least > most:
            return (least + most) / 2
        return float(min(max((1 - slot) * PITCH_MM, least), most))

    def nearest(self, body: Body) -> tuple[int, float]:
        """The free slot a brick lies nearest to, and how far across from its place in it, millimetres."""
        across = self.offset(body)[1]
        width = 1e3 * float(body.piece.extents[1])
        return min(
            ((slot, abs(across - self.place(slot, width))) for slot in self.free()), key=lambda one: one[1]
        )

    def pose(self, slot: int, extents: Array) -> Pose:
        """Where a brick of that size (3,), metres, is laid in a free slot."""
        centre = self.middle + self.place(slot, 1e3 * float(extents[1])) * to_the_left(self.along)
        return lying(centre, self.along, extents, self.below)

    def _reach(self, body: Body) -> tuple[float, float]:
        """How far a brick reaches across, millimetres: its right side and its left one."""
        across = (shapely.get_coordinates(outline(body)) - self.middle) @ to_the_left(self.along)
        return float(across.min()), float(across.max())


def lying(centre: Array, way: Array, extents: Array, below: Sequence[Body]) -> Pose:
    """A brick that lies level with its centre over a point (2,), mm, and its length along `way`, on the highest that
    is beneath it, or on the table. extents: (3,) metres."""
    left = to_the_left(way)
    plan = _plan(centre, way, extents)
    level = max([0.0, *(height_under(plan, body) for body in below)])
    matrix = np.array([[way[0], left[0], 0.0], [way[1], left[1], 0.0], [0.0, 0.0, 1.0]])
    return Pose.of(np.array([*centre / 1e3, level + float(extents[2]) / 2]), matrix)


def _plan(centre: Array, way: Array, extents: Array) -> shapely.Geometry:
    """What a level brick covers seen from above, mm. centre: (2,) mm."""
    left, half = to_the_left(way), 500 * extents
    corners = np.array([way * half[0] * a + left * half[1] * b for a in (-1, 1) for b in (-1, 1)])
    return shapely.MultiPoint(corners + centre).convex_hull


def rested(pose: Pose, extents: Array, below: Sequence[Body]) -> Pose:
    """A brick that would lie level as it comes to lie on tops that lean and differ in height: on those three corners
    of them that carry its centre. extents: (3,) metres."""
    plan = _plan(1e3 * np.asarray(pose.position[:2]), pose.matrix[:2, 0], extents)
    tops = [top for body in below if len(top := top_under(plan, body))]
    centre = np.asarray(pose.position)
    for corners in combinations(np.concatenate(tops) if tops else (), 3):
        carried = np.array(corners)
        share, *_ = np.linalg.lstsq(np.vstack([carried[:, :2].T, np.ones(3)]), [*centre[:2], 1.0], rcond=None)
        up = np.cross(carried[1] - carried[0], carried[2] - carried[0])
        size = float(np.linalg.norm(up))
        if size < 1e-7 or min(share) < 0.0 or abs(up[2]) < 0.9 * size:
            continue
        up *= np.sign(up[2]) / size
        if max(float(((top - carried[0]) @ up).max()) for top in tops) < 1e-7:
            along = pose.matrix[:, 0] - float(pose.matrix[:, 0] @ up) * up
            along /= np.linalg.norm(along)
            foot = np.array([*centre[:2], float(share @ carried[:, 2])])
            return Pose.of(
                foot + up * float(extents[2]) / 2, np.column_stack([along, np.cross(up, along), up])
            )
    return pose


def top_under(plan: shapely.Geometry, brick: Body) -> Array:
    """(n, 3) metres: the corners of what is beneath an outline (mm) of the top of a lying brick."""
    common = shapely.get_coordinates(plan.intersection(outline(brick))) / 1e3
    axis = int(np.argmax(np.abs(brick.pose.matrix[2])))
    normal = brick.pose.matrix[:, axis] * np.sign(brick.pose.matrix[2, axis])
    top = np.asarray(brick.pose.position) + normal * brick.piece.extents[axis] / 2
    return np.column_stack([common, top[2] - (common - top[:2]) @ normal[:2] / normal[2]])


def height_under(plan: shapely.Geometry, brick: Body) -> float:
    """How high a lying brick reaches beneath an outline (mm), metres; minus infinity where it does not."""
    return float(top_under(plan, brick)[:, 2].max(initial=-np.inf))


def slots(state: State, scene: TableScene) -> tuple[Pose, ...]:
    """TT-05: where a brick may be laid on top now: for every free slot, in the order of the rules' `free_slots`, where
    the brick in the hand would lie level on those that are there.
    """
    piece = _pieces(state.bricks, state.house.bricks == "exact")[state.held]
    row = open_row_of(state, scene)
    return tuple(row.pose(slot, piece.extents) for slot in row.free())


@lru_cache(maxsize=16)
def _pieces(bricks: tuple[Brick, ...], exact: bool) -> dict[str, Piece]:
    """The piece of every brick. Their sizes are drawn from the order of the colours, which the seed dealt: it stays
    the same all through a game, and everyone may see it."""
    seed = zlib.crc32(" ".join(brick.colour or "-" for brick in bricks).encode())
    specs = zip(bricks, draw(seed, exact), strict=True)
    return {
        brick.id: build(dressed(spec, find(look)) if (look := look_of(brick)) else spec)
        for brick, spec in specs
    }


def look_of(brick: Brick) -> str:
    """Returns the catalogue piece with this brick's paint or print; empty for a plain one."""
    if brick.colour:
        return f"{NOMINAL}_{brick.colour}"
    return "" if brick.print in (Print.PLAIN, Print.UNSEEN) else f"{NOMINAL}_{brick.print.name.lower()}"


def _stacked(name: str, piece: Piece, row: int, slot: int, below: Sequence[Body]) -> Body:
    """A brick in its slot of the tower set up."""
    centre = to_the_left(heading(row)) * (CENTRE - slot) * PITCH_MM
    return Body(name, piece, lying(centre, heading(row), piece.extents, below))


def _aside(piece: Piece, number: int) -> Pose:
    """A brick flat on the table beside the tower, each at a place of its own."""
    row, column = divmod(number, ASIDE_COLUMNS)
    x, y = ASIDE_FROM_MM[0] + column * ASIDE_MM[0], ASIDE_FROM_MM[1] - row * ASIDE_MM[1]
    return Pose((x / 1e3, y / 1e3, float(piece.extents[2]) / 2))


def open_row_of(state: State, scene: TableScene) -> OpenRow:
    """TT-05: the row being built on top, and the bricks it is built on and of; without the one in the hand."""
    at = top_row(state.tower)
    below = state.tower[at] if at >= 0 else ()
    own = enumerate(open_row(state.tower))
    return OpenRow(
        at + 1,
        tuple(scene.bodies[name] for name in below if name in scene.bodies),
        {slot: scene.bodies[name] for slot, name in own if name in scene.bodies},
    )


def _names_below(row: OpenRow) -> tuple[str, ...]:
    """What a brick of the row lies on."""
    return tuple(body.name for body in row.below) or (TABLE,)


def _is_off(state: State, piece: str, after: TableScene) -> bool:
    """ALL-4: whether the brick being moved ended off the tower. One that is pulled out of the bottom row slides over
    the table; one in the hand has not ended yet; one let go must lie on the row below or on its own."""
    grounded = after.touch(piece, TABLE) or after.touch(piece, FLOOR)
    if state.phase is not Phase.SETTLE:
        return state.phase is not Phase.CARRY and grounded and piece not in state.tower[0]
    row = open_row_of(state, after)
    lies_on = (*_names_below(row), *(body.name for body in row.own.values()))
    return (grounded and bool(row.below)) or not any(after.touch(piece, name) for name in lies_on)


def _is_in_top_row(row: OpenRow, piece: str, after: TableScene) -> bool:
    """TT-05: on the topmost full row, within its outline, and in a slot if it is the first of its row."""
    body = after.bodies[piece]
    along, across = row.offset(body)
    is_within = abs(along) <= OUTLINE_MM and abs(across) <= PITCH_MM + OUTLINE_MM
    lies = any(after.touch(piece, name) for name in _names_below(row))
    return lies and is_within and (bool(row.own) or row.nearest(body)[1] <= SLOT_MM)


def _is_flat(row: OpenRow, piece: str, after: TableScene) -> bool:
    """TT-24: on one of its two broad faces."""
    cosine = float(after.bodies[piece].pose.matrix[:, 2] @ row.upright)
    return abs(cosine) >= math.cos(math.radians(FLAT_DEG))


def _is_beside(row: OpenRow, piece: str, after: TableScene) -> bool:
    """TT-24: in its slot, over no other brick of the row, and with room for one that is still to come between."""
    body = after.bodies[piece]
    slot, away = row.nearest(body)
    plan, others = outline(body), {at: outline(own) for at, own in row.own.items()}
    if away > SLOT_MM or any(plan.buffer(-LAP_MM).intersects(other) for other in others.values()):
        return False
    opposite = 2 * CENTRE - slot  # of the centre itself: free as well
    if CENTRE in others or opposite not in others:
        return True
    return bool(plan.distance(others[opposite]) >= ROOM_MM)


def _is_across(row: OpenRow, piece: str, after: TableScene) -> bool:
    """TT-24: its length at right angles to the row below, or along bricks of its row that were knocked aslant; of a
    brick that stands on end, to nothing."""
    way = row.along if row.is_aslant else to_the_left(row.way_below)
    return abs(float(after.bodies[piece].pose.matrix[:2, 0] @ way)) >= LEAST_ACROSS


TESTS: dict[Condition, Callable[[OpenRow, str, TableScene], bool]] = {
    Condition.IN_TOP_ROW: _is_in_top_row,
    Condition.FLAT_IN_ROW: _is_flat,
    Condition.BESIDE_ITS_ROW: _is_beside,
    Condition.ACROSS_THE_ROW_BELOW: _is_across,
}
