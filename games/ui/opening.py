"""A planned game before its first turn, as the window sees it; what is heavy is loaded when it is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.world import FLOOR, Body
from games.game import Game, stock_of
from games.registry import game_named
from games.ui.messages import Plan


def plan_of(path: Path) -> Plan:
    """The plan that goes on with a game on file. Raises RecordError, also while another process records it."""
    from engine.record.lock import check_free
    from engine.record.part import folder_of
    from engine.record.reader import load
    from games.play.playback import found

    check_free(folder_of(path))
    meta = load(found(path)).meta
    options: dict[str, object] = {**meta.options, **({"mode": meta.mode} if meta.mode else {})}
    return Plan(meta.game, tuple(meta.players), meta.seed, options, resume=path)


def first_state(plan: Plan) -> tuple[Game, Any, tuple[Body, ...]]:
    """The game, its state before the first turn and where everything lies then, as the physics will have it too.

    Raises SetupError, SceneError.
    """
    from games.ui.tray import tray_of

    game = game_named(plan.game)
    judge, stock = game.judge, stock_of(game)
    if game.is_free_building:
        tray = tray_of(plan.scene)
        judge, stock = tray, game.read_stock(tray.tables())
    state = game.rules.start(plan.players, plan.seed, dict(plan.options), stock)
    return game, state, tuple(body for body in judge.layout(state) if body.name != FLOOR)
