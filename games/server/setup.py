"""Games to be set up: new ones before their first turn, those that are played, and those kept on file.

What is heavy is loaded when it is needed.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platformdirs import user_data_path

from teeter.engine.world.body import FLOOR, Body
from teeter.games.core.random_state import is_drawn
from teeter.games.game import Game, stock_of
from teeter.games.registry import game_named, game_of
from teeter.games.server.messages import Plan
from teeter.models.files import first_free

if TYPE_CHECKING:
    from teeter.engine.record.writer import Recorder
    from teeter.games.play.playback import Progress, Taken
    from teeter.games.play.session import Session, Teller
    from teeter.games.play.table import Sink
    from teeter.games.server.inventory import FreeBuilding

LISTED = 8
"""Games that the menu shows."""
SUFFIX = ".teeter"
PART_SUFFIX = ".teeter.part"


def plan_of(path: Path, record: Path | None = None) -> Plan:
    """The plan that goes on with a game on file. record: a new file for what is played from there on; None: in its own.
    Raises RecordError, also while another process records it."""
    from teeter.engine.record.latest import latest
    from teeter.engine.record.part import check_free, folder_of
    from teeter.engine.record.reader import load

    if record is None:
        check_free(folder_of(path))
    meta = load(latest(path)).meta
    options: dict[str, object] = {**meta.options, **({"mode": meta.mode} if meta.mode else {})}
    return Plan(meta.game, tuple(meta.players), meta.seed, options, record, resume=path)


@dataclass(frozen=True, slots=True)
class FirstView:
    """What a window shows of a game before the physics are ready. past: what the rules have taken, when it is gone on
    with."""

    game: Game
    state: Any
    bodies: tuple[Body, ...]
    past: tuple[Taken, ...] = ()


def first_view(plan: Plan) -> FirstView:
    """Returns the game, its state before the first turn or where it was left, and where everything lies then, as the
    physics will have it too. Raises SetupError, SceneError, RecordError."""
    game = game_named(plan.game)
    if plan.resume is not None:
        from teeter.engine.record.latest import latest
        from teeter.engine.record.reader import load
        from teeter.games.play.playback import left_at
        from teeter.games.play.replays import last_bodies

        replay = load(latest(plan.resume))
        if replay.checkpoints:
            state, past = left_at(replay)
            return FirstView(game, state, last_bodies(replay), past)
    judge, stock = game.judge, stock_of(game)
    if game.is_free_building:
        from teeter.games.server.inventory import inventory_of

        judge = inventory = inventory_of(plan.scene, plan.unit, plan.up)
        stock = game.read_stock(inventory.tables())
    state = game.rules.start(plan.players, plan.seed, dict(plan.options), stock)
    return FirstView(game, state, tuple(body for body in judge.layout(state) if body.name != FLOOR))


@dataclass(eq=False)
class ActiveGame:
    """A game that is being played, for the process that runs the physics. building: in the sandbox."""

    session: Session
    recorder: Recorder | None = None
    building: FreeBuilding | None = None

    def close(self) -> None:
        """Free the simulator, and pack the record; a game that is not over can be gone on with."""
        try:
            self.pack()
        finally:
            self.session.close()

    def pack(self) -> None:
        """End the record here; one that the disk ended stays as it is."""
        recorder, self.recorder = self.recorder, None
        if recorder is not None and recorder.is_open:
            recorder.close(self.session.summary(), is_private=self.session.outcome is None)


def open_game(plan: Plan, tell: Teller, sink: Sink, progress: Progress) -> ActiveGame:
    """Begins a game, or goes on with one. progress: hears how much of that was played again. Raises SetupError,
    RecordError, SceneError."""
    from teeter.engine.record.latest import latest
    from teeter.engine.record.reader import load
    from teeter.games.play.playback import fork, resume
    from teeter.games.play.recording import begin
    from teeter.games.play.session import Session
    from teeter.games.server.inventory import FreeBuilding, inventory_of

    game = game_named(plan.game)
    if game.is_free_building:
        # it is not recorded, but can be saved as a scene
        tray = inventory_of(plan.scene, plan.unit, plan.up)
        stock = game.read_stock(tray.tables())
        state = game.rules.start(plan.players, plan.seed, dict(plan.options), stock)
        session = Session(game, tray, state, tremor=plan.tremor, tell=(tell,), sink=sink)
        tray.bodies = lambda: session.table.bodies
        return ActiveGame(session, building=FreeBuilding(session, tray))
    replay = load(latest(plan.resume)) if plan.resume is not None and plan.record is not None else None
    if replay is not None and replay.checkpoints:
        return ActiveGame(*fork(replay, path=plan.record, tell=(tell,), sink=sink, progress=progress))
    if plan.resume is not None and plan.record is None:
        return ActiveGame(*resume(plan.resume, tell=(tell,), sink=sink, progress=progress))
    return ActiveGame(
        *begin(
            game,
            plan.players,
            plan.seed,
            plan.options,
            tremor=plan.tremor,
            path=plan.record,
            tell=(tell,),
            sink=sink,
        )
    )


@dataclass(frozen=True, slots=True)
class SavedGame:
    """A game on file. when: it was played last, to be read. ended: who won and why; empty for one that goes on."""

    file: Path
    when: str
    ended: str = ""

    @property
    def title(self) -> str:
        """What it is called in the menu."""
        return title_of(self.file)


def title_of(file: Path) -> str:
    """Returns what a game on file is called, by the name that `new_file` gave it, else by that of the file."""
    drawn, _, number = file.stem.rpartition("-")
    game = game_of(drawn)
    if game is not None and number.isdigit():
        return f"{game.title}, game {number}"
    name, *numbers = file.stem.rsplit("-", 2)
    game = game_of(name)
    if game is None or not all(number.isdigit() for number in numbers) or len(numbers) != 2:
        return file.stem
    return f"{game.title}, seed {numbers[0]}" + (f", game {numbers[1]}" if numbers[1] != "1" else "")


def folder() -> Path:
    """The folder of a person's games."""
    return user_data_path("teeter", appauthor=False) / "games"


def scenes_folder() -> Path:
    """The folder of the scenes that a person has built."""
    return folder().parent / "scenes"


def why_not_kept() -> str:
    """Why no game can be kept here, for who plays; empty where games are kept."""
    try:
        # a game that goes on holds what is hidden from others
        folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return f"Games are not kept: {folder()} cannot be made."
    return "" if os.access(folder(), os.W_OK) else f"Games are not kept: {folder()} cannot be written."


def new_file(game: str, seed: int) -> Path | None:
    """A file for a new game that no other game has; None where nothing can be written: then it is not kept."""
    if why_not_kept():
        return None
    # a drawn seed stays out of names: they are printed, and seen over a shoulder
    name = game if is_drawn(seed) else f"{game}-{seed}"
    return first_free(lambda number: folder() / f"{name}-{number}{SUFFIX}")


def next_file(last: Path, game: str, seed: int) -> Path | None:
    """A file for the game after that on file, beside it where a person has chosen the place."""
    if last.parent == folder():
        return new_file(game, seed)
    name, _, number = last.stem.rpartition("-")
    # what is game 2 already is followed by game 3
    stem = (
        name if name and number.isdigit() and last.with_name(f"{name}{last.suffix}").exists() else last.stem
    )
    return first_free(lambda number: last.with_name(f"{stem}-{number + 1}{last.suffix}"))


def saved_games() -> tuple[Path, ...]:
    """Games that were kept, the one played last first."""
    if not folder().is_dir():
        return ()
    listed = [path for path in folder().iterdir() if path.name.endswith((SUFFIX, PART_SUFFIX))]
    paths = {path.with_name(path.name.removesuffix(".part")) for path in listed}
    return tuple(sorted(paths, key=lambda path: (-_time(path), path.name)))


def unfinished_games() -> tuple[Path, ...]:
    """The one of them that was played last of those that have not ended, and that nobody plays now."""
    return next(((path,) for path in saved_games() if not is_played(path) and has_ended(path) is False), ())


def is_played(path: Path) -> bool:
    """Whether a game on file is being recorded now."""
    from teeter.engine.record.format import RecordError
    from teeter.engine.record.part import check_free, folder_of

    try:
        check_free(folder_of(path))
    except RecordError:
        return True
    return False


def left_as(file: Path | None, how: str = "") -> str:
    """Returns what can be done with a game that was stopped, for the end of a sentence. how: options of `--resume`."""
    if file is None or (is_over := has_ended(file)) is None:
        return ""
    return (
        f"; watch it again: teeter replay {file}"
        if is_over
        else f"; go on with: teeter play --resume {file}{how}"
    )


def has_ended(path: Path) -> bool | None:
    """Whether a game on file is over; None for one that cannot be read."""
    from teeter.engine.record.format import RecordError
    from teeter.engine.record.latest import latest
    from teeter.engine.record.reader import load

    try:
        outcome = load(latest(path)).meta.outcome or {}
    except (RecordError, OSError):
        return None
    return outcome.get("ended") is True


def kept() -> tuple[SavedGame, ...]:
    """The games played last, to be watched."""
    return tuple(
        SavedGame(path, time.strftime("%Y-%m-%d %H:%M", time.localtime(_time(path))), _end_of(path))
        for path in saved_games()[:LISTED]
    )


def _end_of(path: Path) -> str:
    from teeter.engine.record.format import RecordError
    from teeter.engine.record.latest import latest
    from teeter.engine.record.reader import load
    from teeter.games.play.replays import result_of

    try:
        meta = load(latest(path)).meta
    except (RecordError, OSError):
        return "cannot be read"
    return result_of(meta) or ("being played now" if is_played(path) else "not ended")


def _time(path: Path) -> float:
    both = (path, path.with_name(path.name + ".part"))
    return max((path.stat().st_mtime for path in both if path.exists()), default=0.0)
