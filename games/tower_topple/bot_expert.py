"""How an expert counts bricks in Tower Topple: of a full row either the centre comes out, or an edge and then the
other; three bricks on top are a row more. Who finds no brick left topples the tower. After U. Zwick, Jenga, SODA
2002."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from games.core.rules import Take
from games.tower_topple.rules_rows import CENTRE, is_full, open_row, rows_in_play
from games.tower_topple.state import State

MOST_FULL = 24
"""Full rows that are counted; a tower has 18 and loses them."""


@cache
def wins(full: int, begun: int, on_top: int) -> bool:
    """Whether the player on turn finds a brick last, if both play well. full: rows of three that may be pulled from.
    begun: rows whose one edge is gone. on_top: bricks of the row on top, 0 to 2."""
    more, on_top = divmod(on_top + 1, 3)
    after = []
    if full:
        after += [(full - 1, begun), (full - 1, begun + 1)]
    if begun:
        after.append((full, begun - 1))
    return any(not wins(min(rows + more, MOST_FULL), edges, on_top) for rows, edges in after)


def leaves_none(state: State, take: Take) -> bool:
    """Whether the next player is the one who finds no brick, when this one is pulled and both play well."""
    rows = rows_in_play(state)
    full = sum(map(is_full, rows))
    begun = sum(bool(row[CENTRE]) and sum(map(bool, row)) == 2 for row in rows)
    row = next((row for row in rows if take.piece in row), None)
    if row is None:
        return False
    if is_full(row):
        full -= 1
        begun += row[CENTRE] != take.piece
    elif row[CENTRE] and row[CENTRE] != take.piece:
        begun -= 1
    more, on_top = divmod(_on_top(open_row(state.tower)) + 1, 3)
    return not wins(min(full + more, MOST_FULL), begun, on_top)


def _on_top(row: Sequence[str]) -> int:
    return sum(map(bool, row)) % 3
