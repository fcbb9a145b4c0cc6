"""teeter for scripts: the four things most people want, without learning the packages behind them.

>>> import teeter
>>> verdict = teeter.check("arch")
>>> verdict.word
'stands'
>>> teeter.check("tower_gone", workers=1).word
'topples'
"""

from __future__ import annotations

from pathlib import Path

from engine.topple.verdict import Options, Verdict
from engine.topple.verdict import check as _check
from scenes.load import load
from scenes.scene import Scene

__all__ = ["Options", "Scene", "Verdict", "check", "load"]


def check(
    scene: str | Path | Scene,
    *,
    settle_mm: float = 0.0,
    friction: float | None = None,
    time: float | None = None,
    seed: int = 0,
    workers: int | None = None,
) -> Verdict:
    """Would it topple? scene: a file, the name of a shipped scene, or a loaded scene.

    settle_mm: gaps and overlaps to close first. friction: of every pair. time: seconds to simulate, None until it is
    decided. seed: of the disturbances. workers: processes, all cores when None. Raises scenes.faults.SceneError.
    """
    loaded = scene if isinstance(scene, Scene) else load(scene, settle_mm=settle_mm)
    options = Options(settle=settle_mm / 1e3, friction=friction, time=time, seed=seed, workers=workers)
    return _check(loaded.assembly, options)
