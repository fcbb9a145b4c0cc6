"""A whole game on the scripted world: a session needs no simulator, only what keeps the contract of a world."""

from __future__ import annotations

from functools import partial

from scripted_world import Hold, Keyframes, ScriptedWorld, hold

from engine.hand import packed
from engine.pose import Pose
from engine.world import TABLE
from games.core.events import CountElapsed, Fell
from games.core.rules import Input, Wait
from games.game import stock_of
from games.play.session import Session
from games.registry import game_named
from games.wonky.state import State

FOREVER = 10**9
CARRY_STEPS = 80


class Script:
    """One game of Wonky, in which every block goes where the script says. fall_at: this block, counted from 0, drops
    from the tower onto the table during the count to three."""

    def __init__(self, fall_at: int) -> None:
        self.paths: dict[str, Keyframes] = {}
        self.holds: list[Hold] = []
        self.heard: list[Input] = []
        self.laid, self.fall_at = 0, fall_at
        game = game_named("wonky")
        state: State = game.rules.start(("Ana", "Ben"), 1, {}, stock_of(game))
        self.session = Session(
            game,
            game_named("wonky").judge,
            state,
            tell=[lambda before, given, after: self.heard.append(given)],
            make_world=partial(ScriptedWorld, paths=self.paths, holds=self.holds),
        )

    def lay(self, held: str) -> None:
        """Carry the held block onto the tower and let go."""
        table, tower = self.session.table, self.session.state.tower
        height = sum(float(table.bodies[name].piece.extents[2]) for name in tower)
        start, half = table.bodies[held].pose, float(table.bodies[held].piece.extents[2]) / 2
        begin, end = table.step, table.step + CARRY_STEPS
        goal, beside = Pose((0.0, 0.0, height + half)), Pose((0.0, -0.1, half))
        below = tower[-1] if tower else TABLE
        if self.laid == self.fall_at:
            self.paths[held] = [(begin, start), (end, goal), (end + 60, goal), (end + 100, beside)]
            self.holds += [hold(held, below, end, end + 60), hold(held, TABLE, end + 100, FOREVER)]
        else:
            self.paths[held] = [(begin, start), (end, goal)]
            self.holds.append(hold(held, below, end, FOREVER))
        for _ in range(CARRY_STEPS):
            self.session.aim(packed(table.world.pose(held)))
        self.laid += 1
        self.session.release()

    def play(self, turns: int = 200) -> None:
        """Play until the game is over: the first thing that is legal, every time."""
        for _ in range(turns):
            need = self.session.need
            if need.wait is Wait.OVER:
                return
            if need.wait is Wait.HAND:
                self.lay(need.pieces[0])
            elif need.wait in (Wait.REST, Wait.COUNT):
                self.session.settle()
                if not self.session.state.tower:
                    # what fell was put away
                    self.paths.clear()
                    self.holds.clear()
            else:
                self.session.act(self.session.choices[0].action)
        raise AssertionError(f"the game is not over after {turns} inputs")


def test_a_whole_game_is_played_on_the_scripted_world() -> None:
    script = Script(fall_at=2)
    script.play()
    session = script.session
    assert isinstance(session.table.world, ScriptedWorld)
    falls = [given for given in script.heard if isinstance(given, Fell)]
    stood = [given for given in script.heard if isinstance(given, CountElapsed)]
    assert len(falls) == 1
    assert len(stood) == script.laid - 1
    assert not any(given.broken for given in stood)
    assert session.outcome is not None
    assert session.outcome.winners
    session.close()


def test_a_take_back_restores_the_scripted_world_too() -> None:
    script = Script(fall_at=-1)
    session = script.session
    while session.need.wait is not Wait.HAND:
        session.act(session.choices[0].action)
    held = session.need.pieces[0]
    home = session.checkpoint.moment.bodies[held].pose
    script.paths[held] = [
        (session.table.step, home),
        (session.table.step + CARRY_STEPS, Pose((0.0, 0.0, 0.2))),
    ]
    for _ in range(12):
        session.aim(packed(session.table.world.pose(held)))
    assert session.table.world.pose(held) != home
    script.paths.clear()
    session.undo()
    assert session.table.world.pose(held) == home
    assert session.table.hand.held is None
    session.close()
