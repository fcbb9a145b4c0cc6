"""The active game: session, recorder and what else belongs to it. For the process that runs the physics."""

from __future__ import annotations

from dataclasses import dataclass

from engine.record.writer import Recorder
from games.core.errors import SetupError
from games.core.rules import Bring
from games.game import Game
from games.play.playback import Progress, resume
from games.play.recording import begin
from games.play.session import Session, Teller
from games.play.table import Sink
from games.registry import game_named
from games.ui.inventory import Inventory, inventory_of
from games.ui.messages import Plan


@dataclass(eq=False)
class ActiveGame:
    """A game that is being played."""

    game: Game
    session: Session
    recorder: Recorder | None
    tray: Inventory | None = None

    def close(self) -> None:
        """Free the simulator, and pack the record; a game that is not over can be gone on with."""
        self.session.close()
        if self.recorder is not None:
            self.recorder.close(self.session.summary())

    def bring_file(self, session: Session, path: str) -> None:
        """A new piece from a mesh file, into the hand. Raises SetupError, SceneError, ModelError."""
        if self.tray is None:
            raise SetupError(f"{path}: only the sandbox takes pieces from files")
        body = self.tray.read(path)
        self.tray.know(body)
        session.act(Bring(session.need.player, body.name, body.piece.model or body.name))


def open_game(plan: Plan, tell: Teller, sink: Sink, progress: Progress) -> ActiveGame:
    """Begin a game, or go on with one. progress: hears how much of that was played again. Raises SetupError,
    RecordError, SceneError."""
    game = game_named(plan.game)
    recorder: Recorder | None
    if game.is_free_building:
        return _build(game, plan, tell, sink)
    if plan.resume is not None:
        session, recorder = resume(plan.resume, tell=(tell,), sink=sink, progress=progress)
        return ActiveGame(game, session, recorder)
    session, recorder = begin(
        game,
        plan.players,
        plan.seed,
        plan.options,
        tremor=plan.tremor,
        path=plan.record,
        tell=(tell,),
        sink=sink,
    )
    return ActiveGame(game, session, recorder)


def _build(game: Game, plan: Plan, tell: Teller, sink: Sink) -> ActiveGame:
    """Free building; it is not recorded, but can be saved as a scene."""
    tray = inventory_of(plan.scene)
    state = game.rules.start(plan.players, plan.seed, dict(plan.options), game.read_stock(tray.tables()))
    session = Session(game, tray, state, tremor=plan.tremor, tell=(tell,), sink=sink)
    tray.bodies = lambda: session.table.bodies
    return ActiveGame(game, session, None, tray)
