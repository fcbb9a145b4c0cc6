"""Wonky on the table: nine blocks in a row, how a block has to stand on the tower, and what has fallen."""

import math
from collections.abc import Callable

from teeter.engine.pose import Pose
from teeter.engine.world.body import FLOOR, TABLE, Body
from teeter.games.core.events import Condition
from teeter.games.judge.judge import Judge, TableScene, fell
from teeter.games.wonky.state import Phase, State
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.scenes.assemble import table_body
from teeter.scenes.schema import TableTop

CENTRE_MM = 100.0
"""WK-05: how far from the middle of the table a tower may begin; still clear of the free blocks."""
HIGHER_MM = 0.5
"""WK-11: how much higher than all others a block's centre must be. Blocks side by side differ by less, as they sink
into what they stand on by tenths; of two that lie level neither is the highest."""
SUPPLY_MM = 260.0
"""WK-05: the free blocks stand so far behind the middle of the table: a tower that falls seldom reaches them."""
GAP_MM = 25.0
"""WK-05: between free blocks: room for a hand to grip one."""


class WonkyJudge(Judge[State]):
    """The physical side of Wonky."""

    def in_play(self, state: State) -> frozenset[str]:
        """The tower, and the block in the hand."""
        return frozenset((*state.tower, state.held)) - {""}

    def meets(
        self, state: State, piece: str, condition: Condition, after: TableScene, released_mm: float | None
    ) -> bool:
        """WK-05, WK-11."""
        return TESTS[condition](state, piece, after)

    def layout(self, state: State) -> tuple[Body, ...]:
        """The table, and the blocks in a tidy row on its far side, each on a flat face, in the order of the box."""
        pieces = [(block.id, build(find(f"wonky/{block.id}"))) for block in state.stock.blocks]
        widths = [float(piece.extents[0]) for _, piece in pieces]
        x = -(sum(widths) + GAP_MM / 1e3 * (len(widths) - 1)) / 2
        bodies = [table_body(TableTop())]
        for (name, piece), width in zip(pieces, widths, strict=True):
            bodies.append(
                Body(name, piece, Pose((x + width / 2, SUPPLY_MM / 1e3, float(piece.extents[2]) / 2)))
            )
            x += width + GAP_MM / 1e3
        return tuple(bodies)

    def fallen(
        self, state: State, piece: str, before: TableScene, after: TableScene, is_lifted: bool = True
    ) -> tuple[str, ...]:
        """ALL-4, WK-14: the blocks of the tower that fell, sorted; and the one just let go, if it is down.

        Free blocks stand beside the tower and cannot fall. A block may stand on the table only to begin a tower.
        """
        down = [name for name in state.tower if fell(name, before, after)]
        if state.phase is Phase.COUNT:
            grounds = (TABLE, FLOOR) if state.tower else (FLOOR,)
            down += [piece] if any(after.touch(piece, ground) for ground in grounds) else []
        return tuple(sorted(down))


def _is_in_the_centre(state: State, piece: str, after: TableScene) -> bool:
    """WK-05: on the table, near its middle."""
    x, y, _ = after.bodies[piece].pose.position
    return after.touch(piece, TABLE) and 1e3 * math.hypot(x, y) <= CENTRE_MM


def _is_highest(state: State, piece: str, after: TableScene) -> bool:
    """WK-11: its centre is higher than that of every other block of the tower."""
    height = after.bodies[piece].pose.position[2]
    others = [after.bodies[name].pose.position[2] for name in state.tower]
    return all(1e3 * (height - other) > HIGHER_MM for other in others)


def _touches_tower_only(state: State, piece: str, after: TableScene) -> bool:
    """WK-11: it touches no table, floor or free block; WK-13: in the air for an instant, it touches nothing else."""
    return set(after.touched_by(piece)) <= set(state.tower)


TESTS: dict[Condition, Callable[[State, str, TableScene], bool]] = {
    Condition.IN_THE_CENTRE: _is_in_the_centre,
    Condition.HIGHEST_OF_THE_TOWER: _is_highest,
    Condition.TOUCHES_TOWER_ONLY: _touches_tower_only,
}
"""How each condition of the rules is measured."""
