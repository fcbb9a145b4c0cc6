"""teeter for scripts: load, build, check, sweep, play and record in a few lines each. Lengths in mm, angles in degrees.

Would it topple?

>>> import teeter
>>> verdict = teeter.check("arch")
>>> verdict.word
'stands'
>>> verdict.statics.weakest, round(verdict.statics.tilt_deg, 1)
('voussoir.09', 5.6)
>>> teeter.check("tower_gone", workers=1).word
'topples'

Load a file of your own or a scene that comes along, and look into it:

>>> scene = teeter.load("two_bricks")
>>> scene.ids
('lower', 'slab')
>>> x, y, z = scene.assembly.free[1].pose.position
>>> round(1000 * z, 1)
22.5

Build one from pieces as in a scene file; without a height a piece is let down onto those before it:

>>> cube = {"shape": {"box": [30, 30, 30]}, "material": "beech"}
>>> for offset in (14, 16):
...     stack = teeter.build([
...         cube | {"id": "below", "position": [0, 0]},
...         cube | {"id": "above", "position": [offset, 0]},
...     ])
...     print(offset, teeter.check(stack).word)
14 stands
16 topples

Sweep: where could this piece go?

>>> rows = teeter.sweep(stack, "above", x=(-16, 16, 5), y=(0, 0, 1), workers=1)
>>> [(row.x_mm, row.verdict) for row in rows]
[(-16.0, 'topples'), (-8.0, 'stands'), (0.0, 'stands'), (8.0, 'stands'), (16.0, 'topples')]
>>> max(rows, key=lambda row: row.tilt_deg or 0).x_mm
0.0

Play a game by computer players, record it, and have the record played again and compared, bit for bit:

>>> import tempfile
>>> from pathlib import Path
>>> folder = tempfile.TemporaryDirectory()
>>> kept = Path(folder.name) / "game.teeter"
>>> game = teeter.play("wonky", ["bot:steady", "bot:clumsy"], seed=2, turns=3, record=kept)
>>> game.players, game.turns, game.reason
(('steady', 'clumsy'), 3, 'broken off after 3 turns')
>>> teeter.verify(kept).agrees
True
>>> folder.cleanup()

Everything that is wrong with what was asked comes as one exception with a sentence for people:

>>> teeter.load("arhc")
Traceback (most recent call last):
scenes.scene.SceneError: arhc: there is no such file, nor a shipped scene of this name; did you mean 'arch'?
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.topple.verdict import CheckOptions, Verdict
from engine.topple.verdict import check as _check
from scenes.load import load
from scenes.scene import Scene

if TYPE_CHECKING:
    from engine.topple.laboratory.sweep import SweepRow
    from games.play.playback import Verified

__all__ = ["Played", "Scene", "Verdict", "build", "check", "load", "play", "sweep", "verify"]

Axis = tuple[float, float, int]
"""From, to (both included), and how many values."""


@dataclass(frozen=True, slots=True)
class Played:
    """A game that was played. winners: nobody, or several. reason: why it ended, in words. scores: by player.
    turns: choices that players made. record: the file it is kept in."""

    players: tuple[str, ...]
    winners: tuple[str, ...]
    reason: str
    scores: dict[str, int]
    turns: int
    record: Path | None = None


def build(pieces: Sequence[Mapping[str, Any]], *, name: str = "built", has_table: bool = True) -> Scene:
    """A scene from pieces, each with the keys of a `[[piece]]` of a scene file (scenes/README.md): `id`, `model` or
    `shape`, `position`, ... has_table: on the usual table. Raises scenes.scene.SceneError with all that is wrong."""
    from scenes.dump import compose
    from scenes.schema import TableTop

    text = compose(name, TableTop() if has_table else None, pieces)
    with tempfile.TemporaryDirectory() as folder:
        # read back like any other scene, so that the same faults are found and named alike
        path = Path(folder) / f"{name}.toml"
        path.write_text(text, encoding="utf-8")
        return replace(load(path), path=None)


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
    decided. seed: of the disturbances. workers: processes, all cores when None. Raises scenes.scene.SceneError.
    """
    loaded = scene if isinstance(scene, Scene) else load(scene, settle_mm=settle_mm)
    options = CheckOptions(settle=settle_mm / 1e3, friction=friction, time=time, seed=seed, workers=workers)
    return _check(loaded.assembly, options)


def sweep(
    scene: str | Path | Scene,
    piece: str,
    *,
    x: Axis,
    y: Axis,
    yaw: Axis = (0.0, 0.0, 1),
    seed: int = 0,
    workers: int | None = None,
) -> list[SweepRow]:
    """Where could this piece go: a verdict and a tilt margin for every place, x fastest and yaw slowest.

    x, y: mm; yaw: degrees from how the piece lies; the piece is let down onto the others at every place. workers:
    processes, all cores when None. Raises scenes.scene.SceneError, engine.topple.errors.SweepError for axes without
    values, and KeyError for a piece that the scene does not have.
    """
    import os
    from functools import partial

    from engine.topple.laboratory.sweep import axis_of, judge_place, spots_of, study
    from engine.workers import in_order
    from games.commands.sweep import places_of

    loaded = scene if isinstance(scene, Scene) else load(scene)
    free = {body.name: body for body in loaded.assembly.free}
    if piece not in free:
        raise KeyError(f"{loaded.name} has no piece {piece!r} that could move; it has {', '.join(free)}")
    others = tuple(body for body in loaded.assembly.bodies if body.name != piece)
    axes = [
        axis_of(f"{low}:{high}:{count}", name)
        for name, (low, high, count) in zip("xyw", (x, y, yaw), strict=True)
    ]
    common = study(replace(loaded.assembly, bodies=others), seed=seed)
    places = list(places_of(free[piece], others, spots_of(axes[0], axes[1], axes[2], None, seed)))
    with in_order(partial(judge_place, common), places, workers or os.cpu_count() or 1) as rows:
        return list(rows)


def play(
    game: str,
    players: Sequence[str] = ("bot:steady", "bot:steady"),
    *,
    seed: int = 0,
    turns: int = 2000,
    record: str | Path | None = None,
    **options: object,
) -> Played:
    """A game by computer players (`bot:steady`, `bot:bold`, `bot:clumsy`), on true physics.

    game: as `teeter games` lists it. turns: choices after which it is broken off. record: a file to keep it in.
    options: the mode and the house rules of the game. Raises games.core.errors.SetupError and
    engine.record.format.RecordError.
    """

    from games.core.errors import SetupError
    from games.play.recording import begin
    from games.players import player
    from games.players.bots import bots_of
    from games.registry import game_named

    people = [name for name in players if not name.startswith("bot:")]
    if people:
        raise SetupError(f"{people[0]!r} is a person; only computer players play here: write bot:steady")
    path = None if record is None else Path(record)
    session, recorder = begin(game_named(game), tuple(players), seed, options, path=path)
    try:
        result = player.play(session, bots_of(session, seed), turns)
        outcome, names = session.outcome, tuple(seat.name for seat in session.state.seats)
        winners = outcome.winners if outcome else ()
        reason = outcome.reason.text if outcome else result.why
        scores = dict(zip(names, session.game.rules.scores(session.state), strict=True))
        if recorder is not None:
            recorder.close({"winners": list(winners), "reason": reason, "turns": result.turns})
    finally:
        session.close()
    return Played(names, winners, reason, scores, result.turns, path)


def verify(record: str | Path) -> Verified:
    """Play a record again in a fresh world; whether it agrees, and the first difference. Raises RecordError."""
    from games.play.playback import verify as again

    return again(Path(record))
