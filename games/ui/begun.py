"""A game that has begun: session, recorder and what else belongs to it. For the process that runs the physics."""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.record.writer import Recorder
from engine.settings import GRAVITY
from games.playback import resume
from games.record import begin
from games.rules.base import Game
from games.rules.errors import SetupError
from games.rules.registry import game_named
from games.rules.sandbox.game import Bring
from games.session import Session, Teller
from games.table import Sink
from games.ui.messages import Plan, Shove, Tilt
from games.ui.opening import SANDBOX
from games.ui.tray import Tray, tray_of

SHOVE = 0.5
"""Seconds that a push lasts."""


@dataclass(eq=False)
class Begun:
    """A game that has begun."""

    game: Game
    session: Session
    recorder: Recorder | None
    tray: Tray | None = None

    def close(self) -> None:
        """Free the simulator, and pack the record; a game that is not over can be gone on with."""
        outcome = self.session.outcome
        summary: dict[str, object] = {
            "winners": list(outcome.winners) if outcome is not None else [],
            "reason": outcome.reason.text if outcome is not None else "",
            "turns": self.session.turns,
            "ended": outcome is not None,
        }
        self.session.close()
        if self.recorder is not None:
            self.recorder.close(summary)

    def bring_file(self, session: Session, path: str) -> None:
        """A new piece from a mesh file, into the hand. Raises SetupError, SceneError, ModelError."""
        if self.tray is None:
            raise SetupError(f"{path}: only the sandbox takes pieces from files")
        body = self.tray.read(path)
        self.tray.know(body)
        session.act(Bring(session.need.player, body.name, body.piece.model or body.name))

    def shove(self, session: Session, order: Shove) -> None:
        """Push a piece sideways, and let the world come to rest."""
        table = session.table
        table.land()
        steps = round(SHOVE * table.world.rate)
        way = math.radians(order.towards)
        force = (order.newtons * math.cos(way), order.newtons * math.sin(way), 0.0)
        for _ in range(steps):
            table.world.push(order.piece, force)
            table.world.run(1)
            if table.step % 4 == 0:
                table.advance()
        table.run_to_rest()

    def tilt(self, session: Session, order: Tilt) -> None:
        """Tilt the table, which is to say gravity, and let the world come to rest."""
        lean, way = math.radians(order.degrees), math.radians(order.towards)
        flat = GRAVITY * math.sin(lean)
        session.table.world.set_gravity(
            (flat * math.cos(way), flat * math.sin(way), -GRAVITY * math.cos(lean))
        )
        session.table.run_to_rest()


def open_game(plan: Plan, tell: Teller, sink: Sink) -> Begun:
    """Begin, or go on. Raises SetupError, RecordError, SceneError."""
    game = game_named(plan.game)
    recorder: Recorder | None
    if game.name == SANDBOX:
        return _sandbox(plan, tell, sink)
    if plan.resume is not None:
        session, recorder = resume(plan.resume, tell=(tell,), sink=sink)
        return Begun(game, session, recorder)
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
    return Begun(game, session, recorder)


def _sandbox(plan: Plan, tell: Teller, sink: Sink) -> Begun:
    """Free building; it is not recorded, but can be saved as a scene."""
    game = game_named(SANDBOX)
    tray = tray_of(plan.scene)
    state = game.rules.start(plan.players, plan.seed, dict(plan.options), tray.stock())
    session = Session(game, tray.judge(), state, tremor=plan.tremor, tell=(tell,), sink=sink)
    tray.bodies = lambda: session.table.bodies
    return Begun(game, session, None, tray)
