"""Random stacks that topple, and the best level move found by trying places one by one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import teeter
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.topple.mend.changes import Change, changed
from teeter.engine.topple.mend.demand import Demand
from teeter.engine.topple.mend.search import carried_by
from teeter.engine.world.body import DOWN, Assembly

BEARINGS = 24
SHARES = (0.95,)
"""Of the effort that is to be beaten."""
ANYWHERE = tuple(np.geomspace(0.01, 1.0, 16).tolist())
"""Of the reach, where no move was found."""


def toppling(seed: int, most: int = 12) -> Assembly:
    """Three to `most` boxes that stood, put down one on another, until one was pushed, with what rests on it."""
    random = np.random.default_rng(seed)
    while True:
        stack = _standing(random, int(random.integers(3, most + 1)))
        demand = Demand.on(stack, DOWN, None)
        every = groups(stack)
        for _ in range(20):
            names = every[int(random.integers(len(every)))]
            angle, far = random.uniform(0, 2 * math.pi), random.uniform(5, 40) / 1e3
            pushed = changed(
                stack, Change("move", names, (far * math.cos(angle), far * math.sin(angle), 0.0))
            )
            if find_contacts(pushed).meet and not demand.holds(pushed):
                return pushed


def _standing(random: np.random.Generator, count: int) -> Assembly:
    pieces: list[dict[str, Any]] = []
    for _ in range(100 * count):
        onto = pieces[int(random.integers(max(0, len(pieces) - 3), len(pieces)))] if pieces else None
        size = random.integers(2, 7, 3) * 10.0
        centre = np.zeros(2) if onto is None else np.array(onto["position"])
        reach = 0.0 if onto is None else 0.35 * float(onto["shape"]["box"][0])
        yaw = float(random.choice([0.0, 0.0, random.uniform(0, 90)]))
        piece: dict[str, Any] = {
            "id": f"p{len(pieces)}",
            "shape": {"box": size.tolist()},
            "material": "beech",
        }
        piece["position"] = (centre + random.uniform(-reach, reach, 2)).round(2).tolist()
        piece["rotation"] = [0.0, 0.0, round(yaw, 1)]
        stack = teeter.build([*pieces, piece]).assembly
        if Demand.on(stack, DOWN, None).holds(stack):
            pieces.append(piece)
            if len(pieces) == count:
                return stack
        elif random.random() < 0.1:
            pieces.clear()
    raise AssertionError("no stack stood")


def scene_of(assembly: Assembly, name: str) -> Any:
    """The same boxes as a scene that can be written."""
    pieces = []
    for body in assembly.free:
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = body.pose.matrix, 1e3 * np.array(body.pose.position)
        size = (1e3 * body.piece.extents).round(6).tolist()
        pieces.append({"id": body.name, "shape": {"box": size}, "material": "beech", "pose": pose})
    return teeter.build(pieces, name=name)


def groups(assembly: Assembly) -> list[tuple[str, ...]]:
    """Every free piece alone, and with all that rests on it."""
    above = carried_by(find_contacts(assembly))
    found = [(body.name,) for body in assembly.free]
    return found + [(name, *sorted(above[name])) for (name,) in found if above[name]]


def better(
    assembly: Assembly, demand: Demand, effort: float, shares: Sequence[float] = SHARES
) -> Iterator[Change]:
    """Yields moves of less effort (metres) after which statics finds what is asked, tried place by place."""
    for names in groups(assembly):
        for share in shares:
            for angle in np.arange(BEARINGS) * 2 * math.pi / BEARINGS:
                far = share * effort / len(names)
                change = Change("move", names, (far * math.cos(angle), far * math.sin(angle), 0.0))
                if demand.holds(changed(assembly, change)):
                    yield change
                    break
