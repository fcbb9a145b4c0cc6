"""`teeter check --record F`: the trial that decided a check, as a replay to watch, cut and export like a game."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial import ConvexHull

from teeter.engine.record.format import state_digest
from teeter.engine.record.meta import BodyMeta, Meta, Versions, fingerprint
from teeter.engine.record.writer import Recorder
from teeter.engine.topple.grip import within_cones
from teeter.engine.topple.trial import TrialTask, limits_of, run_trial
from teeter.engine.topple.verdict import Verdict, as_asked
from teeter.engine.topple.words import headline
from teeter.engine.world.body import TABLE, Assembly, Body, Tick
from teeter.engine.worlds import using
from teeter.games.play.playback import CHECK
from teeter.models.convex import even_directions
from teeter.models.files import check_output
from teeter.models.piece import Piece

if TYPE_CHECKING:
    from teeter.scenes.scene import Scene
    from teeter.scenes.schema import PieceTable

GAME = CHECK
AFTERMATH = 3.0
"""Seconds for which a fall is followed, to where the pieces lie."""
MOST_CORNERS = 100
"""Of a hull that a recording can name; a mesh from elsewhere is recorded as the hull of so many of its corners."""


def deciding_run(scene: Scene, verdict: Verdict) -> tuple[Assembly, list[Tick], int]:
    """Runs the deciding trial of a check again, to its end: the first that fell, or the first of all where none did.
    Returns what it began with, its readings and the steps a second that they count."""
    options = verdict.options
    assembly = as_asked(scene.assembly, options)
    trials = verdict.dynamics.trials
    fallen = [number for number, trial in enumerate(trials) if not trial.stands]
    if fallen and trials[fallen[0]].is_narrowed:
        assembly = within_cones(assembly)
    limits = replace(limits_of(assembly), aftermath=AFTERMATH)
    seed = (options.seed, fallen[0] if fallen else 0)
    task = TrialTask(assembly, limits, seed, options.time, options.gravity, verdict.dynamics.share)
    ticks: list[Tick] = []
    rate = 0

    def see(tick: Tick, steps_a_second: int) -> None:
        nonlocal rate
        if ticks and tick.step <= ticks[-1].step:
            ticks.clear()
        ticks.append(tick)
        rate = steps_a_second

    with using(verdict.engine):
        run_trial(task, see)
    return assembly, ticks, max(rate, 1)


def record(path: Path, scene: Scene, verdict: Verdict, *, force: bool = False) -> None:
    """Run the deciding trial of a check again and write it. force: a file that is there may be replaced. Raises
    OutputError and RecordError.

    No hand moves anything, so the journal is empty.
    """
    check_output(path, force=force, inputs=scene.files)
    assembly, ticks, rate = deciding_run(scene, verdict)
    fixed = {body.name: np.array(body.pose.row) for body in assembly.bodies if body.fixed}
    meta = Meta(
        game=GAME,
        mode=scene.name[:200],
        seed=verdict.options.seed,
        rate=rate,
        bodies=tuple(_meta(body, scene.written.get(body.name)) for body in assembly.bodies),
        versions=Versions.installed(),
        engine=verdict.engine,
        platform=fingerprint(verdict.engine),
    )
    with Recorder(path, meta, replaces=force) as recorder:
        start = {body.name: np.array(body.pose.row) for body in assembly.bodies}
        recorder.checkpoint(0, start, state_digest(tuple(start), np.array(list(start.values()))))
        for tick in ticks:
            recorder.frame(tick.step, fixed | dict(zip(tick.names, tick.poses, strict=True)))
        recorder.event(ticks[-1].step if ticks else 0, {"type": "verdict", "story": [headline(verdict)]})
        recorder.close({"winners": [], "reason": headline(verdict), "verdict": verdict.word})


def _meta(body: Body, table: PieceTable | None) -> BodyMeta:
    """What the recording says of a body: its model, its own shape, or for a mesh from elsewhere its convex hull."""
    if body.name == TABLE:
        return BodyMeta(id=body.name, model=TABLE, fixed=True)
    if table is not None and table.model is not None and table.colour is None:
        return BodyMeta(id=body.name, model=table.model, fixed=body.fixed)
    look: dict[str, Any] = {"material": body.piece.material.model_dump(mode="json")}
    if body.piece.colour is not None:
        look["colour"] = body.piece.colour
    shape = None if table is None or table.shape is None else table.shape.model_dump(mode="json")
    if shape is None or "mesh" in shape:
        shape = {"hull": hull_of(body.piece)}
    return BodyMeta(id=body.name, spec={"shape": shape, **look}, fixed=body.fixed)


def hull_of(piece: Piece) -> list[list[float]]:
    """Millimetres: the corners of the convex hull of a piece, so many that a recording can name them."""
    points = np.asarray(piece.visual.vertices, dtype=np.float64)
    corners = points[ConvexHull(points).vertices]
    if len(corners) > MOST_CORNERS:
        # those that stand out in evenly spread directions, the axes among them, and so the extents too
        corners = corners[np.unique(np.argmax(corners @ even_directions(MOST_CORNERS).T, axis=0))]
    return [[float(round(1e3 * value, 4)) for value in corner] for corner in corners]
