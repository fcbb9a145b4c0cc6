"""Scenes whose pieces are misplaced at random, with how much: near their limit, so that some copies fall."""

from __future__ import annotations

from collections.abc import Callable

from statics_scenes import box, piece, pose, scene, table

from teeter.engine.world.body import Assembly, Body
from teeter.scenes.load import load


def at_edge(inside: float) -> Assembly:
    """A brick over the table's edge at x = 0, its centre so many millimetres inside."""
    return Assembly("edge", (table(size=(500, 500), x=-250), box("b", (60, 30, 15), pose(-inside, 0, 7.5))))


def cylinder(name: str, radius: float, height: float, x: float, z: float) -> Body:
    return Body(name, piece(cylinder=[radius, height]), pose(x, 0, z))


def polycubes() -> Assembly:
    ell = Body(
        "ell", piece(polycube={"cells": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "edge": 20.0}), pose(0, 0, 10)
    )
    tee = piece(polycube={"cells": [[0, 0, 0], [1, 0, 0], [2, 0, 0], [1, 1, 0]], "edge": 20.0})
    top = (box("b", (60, 20, 20), pose(0, 5, 50, yaw=30)), box("b2", (30, 30, 40), pose(12, 0, 80)))
    return scene(ell, Body("tee", tee, pose(5, 0, 30)), *top)


def cantilever() -> Assembly:
    post, beam = box("post", (30, 30, 60), pose(0, 0, 30)), box("beam", (120, 20, 10), pose(20, 0, 65))
    return scene(post, beam, box("weight", (30, 20, 20), pose(-20, 0, 80)))


def shipped(name: str) -> Callable[[], Assembly]:
    return lambda: load(name).assembly


SCENES: list[tuple[str, Callable[[], Assembly], float, float]] = [
    ("two bricks", shipped("two_bricks"), 4.0, 0.0),
    ("bridge", shipped("bridge"), 3.0, 0.0),
    ("leaning tower", shipped("leaning_tower"), 1.0, 0.3),
    ("overhang", shipped("overhang_inside"), 1.0, 0.2),
    ("harmonic stack", shipped("harmonic_inside"), 1.0, 0.2),
    ("standing arch", shipped("standing_arch"), 4.0, 1.0),
    ("discs", lambda: scene(*(cylinder(f"c{i}", 20, 15, 7.0 * i, 15 * i + 7.5) for i in range(3))), 3.0, 0.5),
    ("polycubes", polycubes, 3.0, 0.5),
    ("slope", shipped("slope_below"), 2.0, 1.0),
    ("cantilever", cantilever, 4.0, 0.5),
    ("edge", lambda: at_edge(1.0), 2.0, 0.5),
]
