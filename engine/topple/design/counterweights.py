"""The longest overhang of equal blocks with counterweights: stacks of Paterson and Zwick's kind ("Overhang", American
Mathematical Monthly 116, 2009).

A stack has a spine, one block a level, which reaches out; behind it a column, whose blocks rest on the tail of the
spine's next block and on each other; and behind that a tower on the column's tail. What rests on what is fixed, the
blocks' places are not: the stack is balanced if every contact has a force f, and a moment g = f p about the edge with p
where both blocks reach, so that every block's forces and moments add up to nothing. That is linear in f and g where the
places are known, and nearly so close by: a chain of linear programs, each allowed to go as far as the last one proved
right. Lengths are in blocks, forces in weights of a block; the edge is at 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from teeter.engine.topple.contact.arrays import Array, Ints

PIER = -1
PUBLISHED = {3: 1.0, 4: 1.16789, 20: 2.32014, 30: 2.70909}
"""Overhangs that are published as optimal, by blocks (Paterson and Zwick, "Overhang", 2009)."""
APART = 2e-3
"""Between blocks beside each other, lengths: they do not touch."""
DRIFT = 0.28
"""Lengths from level to level, at first."""
MISSING = 20.0
"""Lengths of overhang that a weight out of balance is as bad as."""
BALANCED = 1e-4
"""Lengths of overhang: what is out of balance is worth no more."""
STEPS, SHORTEST = 150, 1e-6
"""Programs in a chain; and lengths below which a step is none."""
FEWEST_WITH_TOWER = 12
"""Blocks: fewer have their counterweights in one column."""


@dataclass(frozen=True, slots=True, eq=False)
class Stack:
    """What rests on what. levels: (n,) from the top one down; the first is the tip's. upper, lower: (c,) blocks of each
    contact, `PIER` last. left, right: (s,) blocks beside each other. start: (n,) middles to begin with."""

    levels: Ints
    upper: Ints
    lower: Ints
    left: Ints
    right: Ints
    start: Array


def stack_of(spine: int, column: int, tower: int) -> Stack:
    """Returns a stack of so many blocks in each part; the tower stands two levels above the column's foot."""
    rows = [("spine", level) for level in range(1, spine + 1)]
    rows += [("column", level) for level in range(spine - 1, spine - 1 - column, -1)]
    rows += [("tower", level) for level in range(spine - 3, spine - 3 - tower, -1)]
    number = {row: at for at, row in enumerate(rows)}
    below = {"spine": ("spine",), "column": ("spine", "column"), "tower": ("column", "tower")}
    touching = [
        (number[part, level], number[under, level + 1])
        for part, level in rows
        for under in below[part]
        if (under, level + 1) in number
    ]
    beside = [
        (number[part, level], number[other, level])
        for part, other in (("column", "spine"), ("tower", "column"))
        for name, level in rows
        if name == part and (other, level) in number
    ]
    # each part leans with the spine, a block behind the one before
    start = {"spine": -0.5, "column": -1.45, "tower": -2.4}
    rest = {"spine": spine, "column": spine, "tower": spine - 3}
    places = [start[part] + DRIFT * (rest[part] - max(level, 2)) for part, level in rows]
    pairs = np.array([*touching, (spine - 1, PIER)], dtype=np.int64)
    (upper, lower), sides = pairs.T, np.array(beside, dtype=np.int64).reshape(-1, 2)
    levels = np.array([level for _, level in rows], dtype=np.int64)
    return Stack(levels, upper, lower, sides[:, 0], sides[:, 1], np.array(places))


def longest(count: int, inset: float, slope: float = 0.0, highest: float = np.inf) -> Stack | None:
    """Returns the stack of so many blocks that reaches farthest; None where none is balanced. inset: as for `placed`,
    at least. slope: lengths of inset for each height of a block by which its middle is over the pier; that is `highest`
    at most. Climbs from one number of blocks in spine and column to the next for as long as that reaches farther."""
    known: dict[tuple[int, int], float] = {}

    def reach(at: tuple[int, int]) -> float:
        spine, column = at
        tower = count - spine - column
        if spine < 2 or column < 1 or tower < 0 or (count < FEWEST_WITH_TOWER and tower):
            return -np.inf
        if at not in known:
            stack = stack_of(spine, column, tower)
            middle = middle_of(stack)
            places = placed(stack, max(inset, slope * middle)) if middle <= highest else None
            known[at] = -np.inf if places is None else float(places[0])
        return known[at]

    spine = round(count / 3)
    best = spine, round(0.65 * (count - spine))
    if count < FEWEST_WITH_TOWER:
        # a spine of more than half of them has too little behind it
        spines = range(2, (count + 1) // 2 + 1)
        best = max(((spine, count - spine) for spine in spines), key=reach, default=best)
    else:
        while True:
            near = [(best[0] + a, best[1] + b) for a, b in ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))]
            better = max(near, key=reach)
            if better == best:
                break
            best = better
    return None if reach(best) == -np.inf else stack_of(*best, count - sum(best))


def middle_of(stack: Stack) -> float:
    """Returns how high the middle of a stack is above the pier, in heights of a block."""
    return float((stack.levels.max() - stack.levels).mean()) + 0.5


def placed(stack: Stack, inset: float) -> Array | None:
    """Returns the middles (n,) of a stack that reaches as far as it can; None where it is not balanced. inset: lengths
    that forces keep away from the ends of contacts."""
    program = _Program(stack, inset)
    places = stack.start
    solution = program.solved(places, np.ones(len(stack.upper)), 0.0)
    cost, forces, step = np.inf, np.ones(len(stack.upper)), 0.3
    if solution is not None:
        cost, forces = solution[0], solution[2]
    for _ in range(STEPS):
        ahead = program.solved(places, forces, step)
        # at those places, whether it is balanced there
        there = None if ahead is None else program.solved(ahead[1], forces, 0.0)
        if there is not None and there[0] < cost - 1e-9:
            cost, places, forces = there[0], there[1], there[2]
            step = min(1.5 * step, 0.5)
        else:
            step /= 2
        if step < SHORTEST:
            break
    return places if cost <= -float(places[0]) - 0.5 + BALANCED else None


class _Program:
    """The linear program near some places. Unknown are the middles (n,), the forces and the moments (c,) of contacts,
    and how far it is out of balance."""

    def __init__(self, stack: Stack, inset: float) -> None:
        self._count, self._contacts = len(stack.levels), len(stack.upper)
        self._half, self._inset = 0.5 - inset, inset
        at = np.arange(self._contacts)
        # four ends of each contact, two of each block, but none of the pier's
        body = np.concatenate([stack.upper, stack.upper, stack.lower, stack.lower])
        side = np.tile(np.repeat([1.0, -1.0], self._contacts), 2)
        real = body != PIER
        self._body, self._side, self._of = body[real], side[real], np.tile(at, 4)[real]
        self._sides = stack.left, stack.right
        size = self._count + 2 * self._contacts + 1
        equal = np.zeros((2 * self._count, size))
        for block, sign in ((stack.upper, 1.0), (stack.lower, -1.0)):
            mine = block != PIER
            equal[block[mine], self._count + at[mine]] += sign
            equal[self._count + block[mine], self._count + self._contacts + at[mine]] += sign
        equal[self._count + np.arange(self._count), np.arange(self._count)] = -1.0
        self._equal, self._right = equal, np.repeat([1.0, 0.0], self._count)
        self._aim = np.zeros(size)
        self._aim[0], self._aim[-1] = -1.0, MISSING

    def solved(self, places: Array, forces: Array, step: float) -> tuple[float, Array, Array] | None:
        """Returns the cost, middles and forces of the best stack within a step of some places; None where there is
        none. Products of a place and a force are as they are near the ones given; exact without a step."""
        count, contacts, (left, right) = self._count, self._contacts, self._sides
        ends, rows = len(self._body), np.arange(len(self._body))
        bound = np.zeros((ends + 1 + len(left), len(self._aim)))
        bound[rows, count + contacts + self._of] = self._side
        bound[rows, count + self._of] = -self._side * places[self._body] - self._half
        bound[rows, self._body] = -self._side * forces[self._of]
        # on the pier behind its edge
        bound[ends, count + 2 * contacts - 1], bound[ends, count + contacts - 1] = 1.0, self._inset
        bound[: ends + 1, -1] = -1.0
        beside = ends + 1 + np.arange(len(left))
        bound[beside, left], bound[beside, right] = 1.0, -1.0
        high = np.zeros(len(bound))
        high[:ends] = -self._side * forces[self._of] * places[self._body]
        high[beside] = -1.0 - APART
        limits = [
            *zip(places - step, places + step, strict=True),
            *[(0.0, None)] * contacts,
            *[(None, None)] * contacts,
            (0.0, None),
        ]
        result = linprog(self._aim, bound, high, self._equal, self._right, limits, method="highs")
        if not result.success:
            return None
        answer = np.array(result.x)
        return float(self._aim @ answer) - 0.5, answer[:count], answer[count : count + contacts]
