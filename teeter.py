"""teeter for scripts: what the commands do, in a line each. Lengths in mm, masses in g, angles in degrees, forces in N.

Would it topple? `print(verdict)` shows the box of the command line, `verdict.show()` a window or, in a notebook, a
picture.

>>> import teeter
>>> verdict = teeter.check("arch")
>>> verdict.word
'stands'
>>> verdict.statics.weakest, round(verdict.statics.tilt_deg, 1)
('voussoir.03', 5.6)
>>> verdict.dynamics.max_shift_mm < 0.1
True
>>> gone = teeter.check("tower_gone", workers=1)
>>> gone.word
'topples'

Ask why, and what holds it up:

>>> bridge = teeter.load("bridge").without("counterweight")
>>> print(teeter.explain(bridge).sentences[0])
deck tips over the edge at x = 20.0 mm of pier, towards +x.
>>> teeter.probe("bridge", ["counterweight"], workers=1)["counterweight"].stands_without
False
>>> teeter.noise("two_bricks", position_mm=1, samples=20, workers=1).stood
20

Ask many questions under the same conditions:

>>> steep = teeter.Checker(tilt_deg=5, friction=0.3, workers=1)
>>> steep.check("two_bricks").word
'stands'

Load a scene, yours or a shipped one, and look into it:

>>> scene = teeter.load("two_bricks")
>>> scene.ids
('lower', 'slab')
>>> scene.pieces["slab"].position_mm
(20.0, 0.0, 22.5)

Build one. Pieces have the keys of a scene file; one without a height is let down onto those before it:

>>> cube = {"shape": {"box": [30, 30, 30]}, "material": "beech"}
>>> for offset in (14, 16):
...     stack = teeter.build([
...         cube | {"id": "below", "position": [0, 0]},
...         cube | {"id": "above", "position": [offset, 0]},
...     ])
...     print(offset, teeter.check(stack).word)
14 stands
16 topples

Where could this piece go?

>>> rows = teeter.sweep(stack, "above", x=(-16, 16, 5), y=0, workers=1)
>>> [(row.x_mm, row.verdict) for row in rows]
[(-16.0, 'topples'), (-8.0, 'stands'), (0.0, 'stands'), (8.0, 'stands'), (16.0, 'topples')]
>>> max(rows, key=lambda row: row.tilt_deg or 0).x_mm
0.0

Let bots play a game, record it, and verify the replay bit for bit; `teeter.video` and `teeter.export` make a film and
an animated model of it:

>>> import tempfile
>>> from pathlib import Path
>>> folder = tempfile.TemporaryDirectory()
>>> replay = Path(folder.name) / "game.teeter"
>>> game = teeter.play("wonky", ["bot:steady", "bot:clumsy"], seed=2, turns=3, record=replay)
>>> game.players, game.turns, game.reason
(('steady', 'clumsy'), 3, 'broken off after 3 turns')
>>> teeter.verify(replay).agrees
True
>>> teeter.export(replay, Path(folder.name) / "game.glb").seconds > 1
True
>>> folder.cleanup()

Whatever is wrong with what you asked is a `TeeterError` that says what, where and what to do:

>>> try:
...     teeter.load("arhc")
... except teeter.TeeterError as error:
...     print(error)
arhc: there is no such file, nor a shipped scene of this name; did you mean 'arch'?
"""

from __future__ import annotations

if __name__ == "__main__":
    # `python -m teeter` is the command, with its exit codes
    import os
    import sys

    if not sys.flags.safe_path and os.path.realpath(sys.path[0]) != os.path.dirname(
        os.path.realpath(__file__)
    ):
        # the current folder, which `-m` puts first: what lies there by the name of a package is no part of teeter
        del sys.path[0]
    try:
        from games.__main__ import main
    except Exception as error:
        sys.stderr.write(f"teeter: cannot start: {error}\n")
        sys.exit(70)
    main()

from importlib import import_module
from typing import TYPE_CHECKING, Any

from games.api.certificates import CertificateResult, verify_certificate
from games.api.checker import Checker
from games.api.functions import (
    build,
    check,
    explain,
    export,
    load,
    noise,
    play,
    poses,
    probe,
    steps,
    sweep,
    verify,
    video,
)
from games.api.results import (
    CheckResult,
    ExplainResult,
    ExportResult,
    FilmResult,
    NoiseResult,
    Played,
    PoseResult,
    ProbeResult,
    SimulationResult,
    StepResult,
    StepsResult,
)
from games.api.scene import PublicScene as Scene
from games.api.scene import ScenePiece
from models.errors import TeeterError

Verdict = CheckResult
"""The name that earlier scripts annotate with."""

__all__ = [
    "CertificateResult",
    "CheckResult",
    "Checker",
    "ExplainResult",
    "ExportResult",
    "FilmResult",
    "NoiseResult",
    "Played",
    "PoseResult",
    "ProbeResult",
    "Scene",
    "ScenePiece",
    "SimulationResult",
    "Statics",
    "StepResult",
    "StepsResult",
    "SweepRow",
    "TeeterError",
    "Verdict",
    "Verified",
    "__version__",
    "build",
    "check",
    "explain",
    "export",
    "load",
    "noise",
    "play",
    "poses",
    "probe",
    "steps",
    "sweep",
    "verify",
    "verify_certificate",
    "video",
]

if TYPE_CHECKING:
    from engine.topple.balance.statics import Statics
    from engine.topple.laboratory.sweep import SweepRow
    from games.play.playback import Verified

__version__: str
_LATE = {
    "Statics": "engine.topple.balance.statics",
    "SweepRow": "engine.topple.laboratory.sweep",
    "Verified": "games.play.playback",
}
"""Imported when asked for: they take as long as all the rest."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("teeter")
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module 'teeter' has no attribute {name!r}")
