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

And what to do about it, the least effort first, each change checked by both methods:

>>> mended = teeter.mend(bridge, kinds=["move"], pieces=["deck"], workers=1)
>>> print(mended.changes[0].sentence)
Move deck 35.8 mm towards -x: it stands, 5.8 degrees in hand.

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

Would each of these? By the forces alone, hundreds a second, with `unsure` where only a simulation can tell; as a table
that pandas and polars take:

>>> table = teeter.check_many(["two_bricks", "arch", stack], method="statics", workers=1)
>>> table.columns["word"].tolist()
['stands', 'unsure', 'topples']
>>> table.columns["tilt_deg"].round(2).tolist()[0]
21.8

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

import os
from importlib import import_module

TYPE_CHECKING = False
"""As in `typing`, which takes long to load."""
if TYPE_CHECKING:
    from typing import Any

    from teeter.engine.topple.balance.answer import Statics as Statics
    from teeter.engine.topple.laboratory.sweep import SweepRow as SweepRow
    from teeter.engine.topple.verdict_json import SimulationResult as SimulationResult
    from teeter.engine.workers import Interrupted as Interrupted
    from teeter.games.api.certificates import CertificateResult as CertificateResult
    from teeter.games.api.certificates import verify_certificate as verify_certificate
    from teeter.games.api.checker import Checker as Checker
    from teeter.games.api.dataset import DatasetResult as DatasetResult
    from teeter.games.api.dataset import write_dataset as write_dataset
    from teeter.games.api.design import DesignResult as DesignResult
    from teeter.games.api.design import NoDesignError as NoDesignError
    from teeter.games.api.functions import build as build
    from teeter.games.api.functions import check as check
    from teeter.games.api.functions import check_many as check_many
    from teeter.games.api.functions import design as design
    from teeter.games.api.functions import explain as explain
    from teeter.games.api.functions import export as export
    from teeter.games.api.functions import load as load
    from teeter.games.api.functions import mend as mend
    from teeter.games.api.functions import noise as noise
    from teeter.games.api.functions import play as play
    from teeter.games.api.functions import poses as poses
    from teeter.games.api.functions import probe as probe
    from teeter.games.api.functions import steps as steps
    from teeter.games.api.functions import sweep as sweep
    from teeter.games.api.functions import verify as verify
    from teeter.games.api.functions import video as video
    from teeter.games.api.many import ManyResult as ManyResult
    from teeter.games.api.many import ManyRow as ManyRow
    from teeter.games.api.mend import MendChange as MendChange
    from teeter.games.api.mend import MendResult as MendResult
    from teeter.games.api.results import CheckResult as CheckResult
    from teeter.games.api.results import ExplainResult as ExplainResult
    from teeter.games.api.results import ExportResult as ExportResult
    from teeter.games.api.results import FilmResult as FilmResult
    from teeter.games.api.results import NoiseResult as NoiseResult
    from teeter.games.api.results import Played as Played
    from teeter.games.api.results import PoseResult as PoseResult
    from teeter.games.api.results import ProbeResult as ProbeResult
    from teeter.games.api.results import StepResult as StepResult
    from teeter.games.api.results import StepsResult as StepsResult
    from teeter.games.api.scene import PublicScene
    from teeter.games.api.scene import ScenePiece as ScenePiece
    from teeter.games.play.playback import Verified as Verified
    from teeter.models.errors import TeeterError as TeeterError

    Scene = PublicScene
    __version__: str

_FUNCTIONS = (
    "build check check_many design explain export load mend noise play poses probe steps sweep verify video"
)
_RESULTS = (
    "CheckResult ExplainResult ExportResult FilmResult NoiseResult Played PoseResult ProbeResult StepResult "
    "StepsResult"
)
_HOMES = {
    "engine.topple.balance.answer": "Statics",
    "engine.topple.laboratory.sweep": "SweepRow",
    "engine.topple.verdict_json": "SimulationResult",
    "engine.workers": "Interrupted",
    "games.api.certificates": "CertificateResult verify_certificate",
    "games.api.checker": "Checker",
    "games.api.dataset": "DatasetResult write_dataset",
    "games.api.functions": _FUNCTIONS,
    "games.api.many": "ManyResult ManyRow",
    "games.api.design": "DesignResult NoDesignError",
    "games.api.mend": "MendChange MendResult",
    "games.api.results": _RESULTS,
    "games.api.scene": "ScenePiece",
    "games.play.playback": "Verified",
    "models.errors": "TeeterError",
}
"""What a script may ask for, by where it is. Nothing is imported before it is asked for."""
_PLACES = {name: (module, name) for module, names in _HOMES.items() for name in names.split()} | {
    "Scene": ("games.api.scene", "PublicScene"),
}
__all__ = [*sorted(_PLACES), "__version__"]

if not os.path.isdir(os.path.join(os.path.dirname(__file__), "engine")):
    # a checkout, where the packages lie beside this folder
    __path__.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("teeter")
    if name not in _PLACES:
        raise AttributeError(f"module 'teeter' has no attribute {name!r}")
    module, original = _PLACES[name]
    found = globals()[name] = getattr(import_module(f"teeter.{module}"), original)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
