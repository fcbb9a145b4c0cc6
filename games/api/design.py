"""What `teeter.design` answers: a scene built of boxes for a purpose, checked by both methods."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from teeter.games.api.arguments import ArgumentError
from teeter.games.api.scene import PublicScene
from teeter.games.core.words import capital, counted
from teeter.models.errors import Untrue
from teeter.models.printed import KEPT, as_json

if TYPE_CHECKING:
    from teeter.engine.topple.design.counterweights import Stack
    from teeter.engine.topple.design.stacks import Laid
    from teeter.engine.topple.verdict import Word
    from teeter.engine.world.body import Assembly, Body
    from teeter.games.api.results import CheckResult
    from teeter.scenes.scene import Scene

Goal = Literal["overhang", "tower", "bridge"]
GOALS: tuple[Goal, ...] = get_args(Goal)

MOST_PIECES = 100
MET = 0.999
"""Of the margin asked for: what is designed for it has it but for rounding."""
PIER_MM = 100.0
"""How high piers are."""
BEHIND_MM = 50.0
"""How far they reach beyond what lies on them."""
LEAST_INSET = 5e-4
"""Of a block's length, that forces keep away from the ends of contacts, whatever the margin."""
FEWEST = 4
"""Blocks of which some weigh others down and reach farther than one on one."""
FEWER = 0.95
"""Times the blocks that are tried next where so many keep no margin."""
SPARE = 1.0005
"""Times the inset that a margin wants by moments: what rounding takes."""
ROUNDS, ENOUGH = 8, 1.1
"""In which that is fitted to the margin, and times the margin that are close enough."""


@dataclass(frozen=True, slots=True, eq=False)
class DesignResult(Untrue):
    """A scene that was built. reach_mm: what it is about: how far it hangs over the edge, how high it is, or how wide
    the gap is. pieces: that it takes, left: that were not needed. how: what was laid on what. of_published: the share
    of the overhang that is published as optimal for so many equal blocks, where one is. check: the answer of `check`;
    tilt_deg: the margin."""

    asked = "check"
    also = ("verdict", "sentence")

    goal: Goal
    reach_mm: float
    pieces: tuple[str, ...]
    left: tuple[str, ...]
    how: str
    of_published: float | None
    margin_deg: float
    tilt_deg: float | None
    check: CheckResult = field(metadata=KEPT)
    scene: PublicScene = field(metadata=KEPT)

    @property
    def verdict(self) -> Word:
        """Of what was built."""
        return self.check.word

    @property
    def sentence(self) -> str:
        """All of it in words."""
        return str(self)

    def __str__(self) -> str:
        reach = f"{self.reach_mm:.1f} mm"
        says = {
            "overhang": f"reaches {reach} over the edge",
            "tower": f"is {reach} high",
            "bridge": f"bridges a gap of {reach}",
        }[self.goal]
        how = f", {self.how}" if len(self.pieces) > 1 else ""
        text = f"{capital(counted(len(self.pieces), 'piece'))}{how}: it {says}"
        if self.of_published is not None:
            text += f", {self.of_published:.3f} of the longest that is published for equal blocks"
        hand = "no margin that is known" if self.tilt_deg is None else f"{self.tilt_deg:.2f} degrees in hand"
        end = (
            "it stands"
            if self.check.word == "stands"
            else f"forces balance it, the verdict is {self.check.word}"
        )
        return f"{text}; {end}, with {hand}."

    def to_json(self) -> dict[str, Any]:
        """What `teeter design --json` prints."""
        found: dict[str, Any] = as_json(self, 6)
        return found


class NoDesignError(ArgumentError):
    """The pieces do not do."""


class NoneFoundError(NoDesignError):
    """None was found, though there may be one."""


def supply(pieces: Iterable[str | PublicScene]) -> list[tuple[Body, Any]]:
    """Returns the boxes of scenes and of models with their number (`tower_topple/brick:30`), each with the table it is
    written as, if any. Raises ArgumentError and SceneError."""
    boxes: dict[str, tuple[Body, Any]] = {}
    for source in pieces:
        scene = supplied(source)
        for body in scene.assembly.free:
            name, number = body.name, 2
            while name in boxes:
                name, number = f"{body.name}.{number}", number + 1
            written = scene.written.get(body.name)
            table = written and written.model_copy(update={"id": name})
            boxes[name] = (replace(body, name=name, loads=()), table)
    if not boxes:
        raise ArgumentError("there are no pieces to build with")
    if len(boxes) > MOST_PIECES:
        raise ArgumentError(f"{len(boxes)} pieces to build with: {MOST_PIECES} are the most")
    wrong = [f"{name} ({why})" for name, (body, _) in boxes.items() if (why := _no_box(body))]
    if wrong:
        raise ArgumentError(f"designs are built of boxes; these are none: {', '.join(wrong[:6])}")
    return list(boxes.values())


def supplied(source: str | PublicScene) -> Scene:
    """Returns the scene of a supply. Raises ArgumentError and SceneError."""
    from teeter.games.api.scene import loaded_of
    from teeter.scenes.load import build

    model, _, count = source.rpartition(":") if isinstance(source, str) else ("", "", "")
    if not model or not count.removeprefix("-").isdigit():
        return loaded_of(source, drop=True)
    if not 0 < int(count) <= MOST_PIECES:
        raise ArgumentError(f"{source}: the number of pieces must be from 1 to {MOST_PIECES}")
    name = model.rsplit("/", 1)[-1]
    rows = [
        {"id": f"{name}.{at:02d}", "model": model, "position": [0.0, 0.0, 1000.0 * at]}
        for at in range(1, int(count) + 1)
    ]
    # a model that is not there is told once
    build(rows[:1], name=model, drop=True)
    return build(rows, name=name, drop=True)


def _no_box(body: Body) -> str:
    """Returns why a piece is no box with its weight in the middle; empty where it is one."""
    import numpy as np

    piece = body.piece
    part = piece.parts[0]
    half = part.half_extents
    if len(piece.parts) > 1 or half is None or not np.allclose(2 * half, piece.extents, rtol=1e-6):
        return "another shape"
    away = float(np.abs(piece.centre_of_mass - part.centre).max())
    return "its weight is not in its middle" if away > 1e-6 else ""


def designed(
    goal: Goal,
    pieces: Sequence[tuple[Body, Any]],
    check: Callable[[Scene], CheckResult],
    *,
    margin: float,
    gap: float | None,
    single: bool,
) -> DesignResult:
    """Returns the best that is found. margin: degrees; gap: mm. Raises NoDesignError where nothing is."""
    from teeter.engine.topple.design import stacks
    from teeter.engine.topple.design.counterweights import PUBLISHED

    boxes = [
        stacks.flat(at, body.piece.extents.tolist(), body.piece.mass) for at, (body, _) in enumerate(pieces)
    ]
    slope = stacks.slope_of(margin)
    published = None
    if goal == "tower":
        laid, how = stacks.tower(boxes, slope), "one on another"
        reach = sum(box.sides[2] for box in laid)
        edges: tuple[float, ...] = ()
    elif goal == "bridge":
        bridge = stacks.bridge(boxes, 1e-3 * (gap or 0.0), slope)
        if bridge is None:
            raise _no_bridge(boxes, gap or 0.0)
        laid, reach, edges = bridge, 1e-3 * (gap or 0.0), (0.0, 1e-3 * (gap or 0.0))
        how = "a deck" if len(laid) == 1 else f"{len(laid) // 2} from each side and a deck"
    else:
        laid, how, edges = stacks.farthest(boxes, slope), "one on one", (0.0,)
        are_equal = len({(box.sides, box.weight) for box in boxes}) == 1
        more = _counterweighted(pieces, boxes, margin) if are_equal and not single else None
        if more is not None and stacks.reach_of(more[0]) > stacks.reach_of(laid):
            laid, how = more
        reach = stacks.reach_of(laid)
        known = PUBLISHED.get(len(boxes)) if are_equal else None
        published = None if known is None else reach / (known * boxes[0].sides[0])
    if not laid:
        raise NoDesignError(f"none of these pieces stands by itself on a table tilted by {margin:g} degrees")
    laid = _bottom_up(pieces, laid)
    scene = _scene(goal, pieces, laid, edges)
    answer = check(scene)
    tilt = answer.statics.tilt_deg
    if answer.statics.stands is False or (tilt is not None and tilt < MET * margin):
        keeps = f"the best that was found keeps {tilt or 0.0:.2f}"
        raise NoDesignError(f"these pieces keep no margin of {margin:g} degrees: {keeps}")
    used = tuple(pieces[box.number][0].name for box in laid)
    return DesignResult(
        goal=goal,
        reach_mm=1e3 * reach,
        pieces=used,
        left=tuple(body.name for body, _ in pieces if body.name not in used),
        how=how,
        of_published=published,
        margin_deg=margin,
        tilt_deg=tilt,
        check=answer,
        scene=PublicScene(scene),
    )


def _bottom_up(pieces: Sequence[tuple[Body, Any]], laid: Sequence[Laid]) -> list[Laid]:
    """Returns boxes in an order in which each lies on some before it; of equal pieces the first is laid first."""
    # rounding is no level
    order = sorted(laid, key=lambda box: (round(box.z - box.sides[2] / 2, 9), box.x))
    numbers: dict[Any, list[int]] = {}
    for number in sorted((box.number for box in laid), reverse=True):
        numbers.setdefault(pieces[number][0].piece, []).append(number)
    return [replace(box, number=numbers[pieces[box.number][0].piece].pop()) for box in order]


def _no_bridge(boxes: Sequence[Laid], gap: float) -> NoDesignError:
    """Returns why there is no bridge. gap: mm."""
    from teeter.engine.topple.design.stacks import BEARING

    if 1e3 * sum(math.hypot(*box.sides) for box in boxes) < gap:
        return NoDesignError(f"all these pieces, laid corner to corner, do not reach {gap:g} mm")
    return NoneFoundError(
        f"no bridge over {gap:g} mm was found among those laid one on one, in equal pairs from both sides, with a deck "
        f"that lies on {100 * min(BEARING):g} % of its length at each end; there may be others"
    )


def _counterweighted(
    pieces: Sequence[tuple[Body, Any]], boxes: Sequence[Laid], margin: float
) -> tuple[list[Laid], str] | None:
    """Returns equal boxes with counterweights, and how they lie: as far out as the margin lets them by statics. Fewer
    are lower, so with a margin they may reach farther: fewer and fewer are tried until they do not."""
    from teeter.engine.topple.design.counterweights import FEWEST_WITH_TOWER, longest
    from teeter.engine.topple.design.stacks import reach_of, slope_of

    long, wide, high = boxes[0].sides
    slope = slope_of(margin)
    # sideways the whole tips about the side of the lowest block
    highest = wide / 2 / (slope * high) if slope else math.inf
    count, best = len(boxes), None
    while count >= FEWEST:
        stack = longest(count, LEAST_INSET, slope * high / long, highest)
        laid = None if stack is None else _kept(stack, pieces, boxes[:count], margin)
        if laid is not None and stack is not None and (best is None or reach_of(laid) > reach_of(best[0])):
            spine = _spine(stack.levels)
            best = laid, f"{spine} reaching out and {count - spine} weighing them down"
        elif best is not None:
            break
        # many take long: a good deal fewer are next, and where some keep the margin only few
        few = count - 1 if count < FEWEST_WITH_TOWER else FEWEST_WITH_TOWER - 1
        count = max(few, min(count - 1, round(FEWER * count))) if best is None else few
    return best


def _kept(
    stack: Stack, pieces: Sequence[tuple[Body, Any]], boxes: Sequence[Laid], margin: float
) -> list[Laid] | None:
    """Returns boxes as far out as the margin lets this stack of them by statics; None where it keeps none."""
    from teeter.engine.topple.balance.statics import analyse
    from teeter.engine.topple.design.counterweights import middle_of, placed
    from teeter.engine.topple.design.stacks import reach_of, slope_of

    long, _, high = boxes[0].sides
    floors = stack.levels.max() - stack.levels
    # by moments of the whole, tilted, about the edge
    inset, best = max(LEAST_INSET, SPARE * slope_of(margin) * middle_of(stack) * high / long), None
    for _ in range(ROUNDS):
        places = placed(stack, inset)
        if places is None:
            break
        rows = zip(boxes, (long * places).tolist(), (high * (floors + 0.5)).tolist(), strict=True)
        laid = [replace(box, x=x, z=z) for box, x, z in rows]
        tilt = analyse(_scene("overhang", pieces, laid, (0.0,)).assembly, loads=False).tilt_deg or 0.0
        if tilt >= margin and (best is None or reach_of(laid) > reach_of(best)):
            best = laid
        if margin <= tilt <= ENOUGH * margin or (inset == LEAST_INSET and tilt >= margin):
            break
        # the margin grows about as the inset does
        inset = max(LEAST_INSET, inset * min(8.0, 1.05 * margin / max(tilt, 1e-6)))
    return best


def _spine(levels: Any) -> int:
    """Returns how many blocks the spine has: the first ones, each a level below the one before."""
    return next((at for at in range(1, len(levels)) if levels[at] != levels[at - 1] + 1), len(levels))


def _scene(
    goal: Goal, pieces: Sequence[tuple[Body, Any]], laid: Sequence[Laid], edges: Sequence[float]
) -> Scene:
    """Returns the scene: boxes on piers that end at the edges (metres), or on the table."""
    from teeter.scenes.load import build

    ground = 1e-3 * PIER_MM if edges else 0.0
    rows: list[dict[str, Any]] = []
    for edge, sign in zip(edges, (1.0, -1.0), strict=False):
        mine = [box for box in laid if (box.x - edge) * sign < 0] or list(laid)
        behind = max(sign * (edge - box.x) + box.sides[0] / 2 for box in mine)
        size = 1e3 * max(behind, 0.0) + BEHIND_MM
        wide = 1e3 * max(box.sides[1] for box in laid) + BEHIND_MM
        rows.append(
            {
                "id": f"pier.{len(rows) + 1}" if len(edges) > 1 else "pier",
                "shape": {"box": [size, wide, PIER_MM]},
                "material": "beech",
                "position": [1e3 * edge - sign * size / 2, 0.0, PIER_MM / 2],
                "fixed": True,
            }
        )
    start = rows or [{"id": "pier", "shape": {"box": [10.0, 10.0, 10.0]}, "position": [0.0, 0.0, 5.0]}]
    base = build(start, name=goal)
    bodies = base.assembly.bodies if rows else base.assembly.bodies[:1]
    boxes = tuple(_body(pieces[box.number][0], box, ground) for box in laid)
    tables = {pieces[box.number][0].name: pieces[box.number][1] for box in laid}
    written = {name: table for name, table in {**base.written, **tables}.items() if table is not None}
    if not rows:
        del written["pier"]
    assembly: Assembly = replace(base.assembly, bodies=(*bodies, *boxes))
    return replace(base, assembly=assembly, written=written)


def _body(body: Body, box: Laid, ground: float) -> Body:
    """Returns the piece where its box is laid."""
    import numpy as np

    from teeter.engine.geometry.rotation import quaternion_of
    from teeter.engine.pose import Pose, vector_of

    # which of its own sides goes along x, y and z
    way = [0, 0, 0]
    for mine, at in zip(np.argsort(body.piece.extents), np.argsort(box.sides), strict=True):
        way[int(at)] = int(mine)
    matrix = np.zeros((3, 3))
    matrix[[0, 1, 2], way] = 1.0
    matrix[0] *= np.linalg.det(matrix)
    middle = np.array([box.x, 0.0, ground + box.z]) - matrix @ body.piece.parts[0].centre
    return body.at(Pose(vector_of(middle), quaternion_of(matrix)))
