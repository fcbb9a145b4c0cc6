"""The tower as rows of three: which bricks are in play, where the next one goes, edges and centres; and what the player
on turn owes: which bricks may be pulled, and what becomes of a demand nobody can meet."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from teeter.games.core.errors import MalformedAction, SetupError, unknown
from teeter.games.core.events import Condition
from teeter.games.core.random_state import shuffled
from teeter.games.tower_topple.state import FREE, Brick, Phase, Print, Row, Sort, State, Stock, Task

SLOTS = ("left", "centre", "right")
CENTRE = 1
"""Index of the centre slot of a row (TT-17, TT-18)."""

ALONE = (Condition.IN_TOP_ROW, Condition.FLAT_IN_ROW, Condition.ACROSS_THE_ROW_BELOW)
BESIDE = (*ALONE, Condition.BESIDE_ITS_ROW)


def deal(stock: Stock, luck: int) -> tuple[tuple[Brick, ...], int]:
    """TT-03: colours and prints dealt to the bricks; those that get none are plain. Raises SetupError."""
    tower = stock.tower
    if tower.row != len(SLOTS) or tower.bricks != tower.rows * tower.row or tower.rows < 2:
        raise SetupError(f"{tower.bricks} bricks do not make {tower.rows} rows of three, two at least")
    faces = [(paint.colour, Print.PLAIN) for paint in stock.paints for _ in range(paint.count)]
    faces += [("", stamp.id) for stamp in stock.stamps for _ in range(stamp.count)]
    if len(faces) > tower.bricks:
        raise SetupError(f"{len(faces)} colours and prints are too many for {tower.bricks} bricks")
    faces += [("", Print.PLAIN)] * (tower.bricks - len(faces))
    order, luck = shuffled(luck, faces)
    bricks = [Brick(f"brick.{at + 1:02}", colour, stamp) for at, (colour, stamp) in enumerate(order)]
    return tuple(bricks), luck


def set_up(state: State) -> State:
    """TT-02, TT-07: the bricks stacked anew in an order of chance, three to a row."""
    order, luck = shuffled(state.luck, [brick.id for brick in state.bricks])
    thirds = zip(order[::3], order[1::3], order[2::3], strict=True)
    return replace(state, tower=tuple(thirds), luck=luck, seen=())


def brick_of(state: State, name: str) -> Brick:
    """The brick of that id, which must be known."""
    return next(brick for brick in state.bricks if brick.id == name)


def is_full(row: Row) -> bool:
    """TT-05: whether all three slots are taken."""
    return "" not in row


def top_row(tower: Sequence[Row]) -> int:
    """TT-06: the index of the topmost row that was completed; a row begun above it does not count."""
    return len(tower) - (1 if tower and is_full(tower[-1]) else 2)


def rows_in_play(state: State) -> tuple[Row, ...]:
    """TT-06: the rows below the topmost full one, from the table up."""
    return state.tower[: max(top_row(state.tower), 0)]


def in_play(state: State) -> list[str]:
    """TT-06: the bricks below the topmost full row, from the table up."""
    return [brick for row in rows_in_play(state) for brick in row if brick]


def edges(state: State) -> list[str]:
    """TT-17: bricks in play in an outer slot of their row."""
    return [
        brick for row in rows_in_play(state) for slot, brick in enumerate(row) if brick and slot != CENTRE
    ]


def centres(state: State) -> list[str]:
    """TT-18: bricks in play in the centre of a row of three."""
    return [row[CENTRE] for row in rows_in_play(state) if is_full(row)]


def open_row(tower: Sequence[Row]) -> Row:
    """TT-05: the unfinished row on top, or an empty one when the last is full."""
    return ("", "", "") if is_full(tower[-1]) else tower[-1]


def conditions(state: State) -> tuple[Condition, ...]:
    """TT-05, TT-24: how the next brick has to lie."""
    return BESIDE if any(open_row(state.tower)) else ALONE


def free_slots(state: State) -> list[str]:
    """TT-05: the names of the slots that are free in the row on top."""
    row = open_row(state.tower)
    return [slot for slot, brick in zip(SLOTS, row, strict=True) if not brick]


def laid(state: State, where: str) -> State:
    """TT-05: the held brick in that slot of the row on top; the last free slot need not be named."""
    free = free_slots(state)
    if where and where not in SLOTS:
        raise MalformedAction(unknown("slot", where, SLOTS))
    if where not in free and (where or len(free) > 1):
        raise MalformedAction(f"slot {where!r} of the row on top is not free; free: {', '.join(free)}")
    at = SLOTS.index(where or free[0])
    row = open_row(state.tower)
    left, centre, right = [state.held if slot == at else brick for slot, brick in enumerate(row)]
    below = state.tower if is_full(state.tower[-1]) else state.tower[:-1]
    return replace(state, tower=(*below, (left, centre, right)))


def without(tower: Sequence[Row], gone: Iterable[str]) -> tuple[Row, ...]:
    """The tower without these bricks; rows on top that are empty now are no rows any more."""
    lost = set(gone)
    # most rows lose nothing and stay as they are: this is for speed alone
    rows = [row if lost.isdisjoint(row) else _thinned(row, lost) for row in tower]
    while rows and not any(rows[-1]):
        rows.pop()
    return tuple(rows)


def _thinned(row: Row, lost: set[str]) -> Row:
    left, centre, right = ["" if brick in lost else brick for brick in row]
    return left, centre, right


def place_of(state: State, name: str) -> tuple[int, int]:
    """Row (from 0, at the table) and slot of a brick that lies in the tower."""
    return next((at, row.index(name)) for at, row in enumerate(state.tower) if name in row)


def permitted(state: State) -> list[str]:
    """The bricks that may be pulled for the task at work."""
    task = state.owed[0]
    if task.sort is Sort.EDGE:
        return edges(state)
    if task.sort is Sort.CENTRE:
        return centres(state)
    if task.sort is Sort.COLOUR:
        return of_colour(state, task.colour)
    if task.sort is Sort.OTHER_COLOUR:
        return of_another_colour(state, task.colour)
    return in_play(state)


def of_colour(state: State, colour: str) -> list[str]:
    """TT-10: the bricks of a colour that are in play."""
    painted = {brick.id for brick in state.bricks if brick.colour == colour}
    return [brick for brick in in_play(state) if brick in painted]


def of_another_colour(state: State, colour: str) -> list[str]:
    """TT-11: the bricks in play of any colour but this one."""
    painted = {brick.id for brick in state.bricks if brick.colour and brick.colour != colour}
    return [brick for brick in in_play(state) if brick in painted]


def why_not(task: Task) -> tuple[str, str]:
    """Clause and sentence for a brick in play that is none of those permitted."""
    if task.sort is Sort.COLOUR:
        return "TT-10", f"a {task.colour} brick is to be pulled"
    if task.sort is Sort.OTHER_COLOUR:
        return "TT-11", f"a brick of a colour other than {task.colour} is to be pulled"
    if task.sort is Sort.EDGE:
        return "TT-17", "an edge brick is to be pulled"
    return "TT-18", "the centre brick of a row of three is to be pulled"


def fall_due(state: State) -> State:
    """TT-23: the first task owed comes to work; one that cannot be met lapses, or opens the way out.

    The state is one in which a brick is to be chosen.
    """
    task = state.owed[0]
    may_escape = task.sort is Sort.COLOUR and state.house.escape
    if permitted(state):
        return replace(state, phase=Phase.ASK) if may_escape else state
    instead = FREE
    if may_escape:
        instead = Task(Sort.EITHER, task.colour)
    elif task.sort is Sort.OTHER_COLOUR:
        instead = Task(Sort.SECOND)
    return replace(state, owed=(instead, *state.owed[1:]))


def answered(state: State, would_topple: bool) -> State:
    """TT-11, TT-12: whether, says the referee, all bricks of the required colour would topple the tower."""
    if not would_topple:
        return replace(state, phase=Phase.CHOOSE)
    either = Task(Sort.EITHER, state.owed[0].colour)
    return replace(state, phase=Phase.CHOOSE, owed=(either, *state.owed[1:]))


def decide(state: State) -> State:
    """TT-11: the brick that is out decides: the required colour after all, or one of two others."""
    task = state.owed[0]
    if task.sort is not Sort.EITHER:
        return state
    colour = brick_of(state, state.held).colour
    if colour == task.colour:
        return replace(state, owed=(Task(Sort.COLOUR, colour), *state.owed[1:]))
    second = Task(Sort.SECOND) if colour else Task(Sort.OTHER_COLOUR, task.colour)
    return replace(state, owed=(Task(Sort.SECOND), second, *state.owed[1:]))
