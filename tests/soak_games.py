"""Whole games by computer players, watched all the way: what the long runs and their tables are made of."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rules_labs import LABS

from teeter.engine.world.body import FLOOR, TABLE, Body
from teeter.games.core.events import Fell
from teeter.games.core.rules import Action, Need
from teeter.games.play.recording import begin
from teeter.games.play.session import Session
from teeter.games.play.table import FLOOR_DEPTH
from teeter.games.players.bots import bots_of, play
from teeter.games.registry import GAMES

SUNK = 0.01
"""Metres that a card which falls edge on may be in the table for a step, before it is pushed out: 2 m/s for 4 ms."""
EDGE = 0.02
"""Metres within the table's edge beyond which a piece may be on its way to the floor."""


@dataclass(slots=True)
class Played:
    """How a game went. seconds: of processor time, turn by turn. heights: pieces that stood each time
    that something fell. fell_at: the phase in which something last fell that had stood."""

    turns: int = 0
    reason: str = ""
    winners: tuple[str, ...] = ()
    seconds: list[float] = field(default_factory=list)
    heights: list[int] = field(default_factory=list)
    placed: int = 0
    fell_at: str = ""
    state: Any = None

    @property
    def median(self) -> float:
        """Seconds of a turn; 0 where the first one ended the game."""
        return statistics.median(self.seconds or [0.0])


class Guard:
    """Looks at every input and at every look at the world: nothing is lost, doubled, sunk into the table or NaN."""

    def __init__(self, game: Any, played: Played) -> None:
        self._lab = next(lab for lab in LABS if lab.game is game)
        self._played = played
        self._names: set[str] | None = None

    def told(self, before: Any, given: Any, after: Any) -> None:
        """An input that the rules took."""
        assert not self._lab.faults(after), (given, self._lab.faults(after))
        if isinstance(given, Fell):
            self._played.heights.append(max(map(len, towers_of(before)), default=0))
            phase = getattr(before, "phase", None)
            if phase is not None and phase.name != "TOPPLED":
                self._played.fell_at = phase.name.lower()
        if type(given).__name__ == "Placed" and not given.broken:
            self._played.placed += 1

    def sees(self, step: int, bodies: Mapping[str, Body]) -> None:
        """All bodies, 60 times a second."""
        names = {name for name in bodies if "card" not in name}
        assert self._names is None or self._names <= names, sorted(self._names - names)
        self._names = names
        table = bodies[TABLE]
        half = 0.5 * table.piece.extents[:2] - EDGE
        for name, body in bodies.items():
            x, y, z = body.pose.position
            assert np.isfinite((*body.pose.position, *body.pose.orientation)).all(), (step, name, body.pose)
            if name in (TABLE, FLOOR):
                continue
            over = abs(x) < half[0] and abs(y) < half[1]
            assert z > (-SUNK if over and z > -0.1 else -FLOOR_DEPTH - SUNK), (step, name, body.pose)


def towers_of(state: Any) -> list[Sequence[Any]]:
    """The pieces of every tower of a game, whatever the game calls it."""
    if hasattr(state, "towers"):
        return list(state.towers)
    tower = getattr(state, "tower", ())
    return [[name for row in tower for name in (row if isinstance(row, tuple) else (row,)) if name]]


def played(
    name: str, players: Sequence[str], seed: int, options: Mapping[str, object], path: Path | None = None
) -> Played:
    """Play a game to its end. path: of its record."""
    game = next(each for each in GAMES if each.name == name)
    found = Played()
    guard = Guard(game, found)
    session, recorder = begin(game, players, seed, options, path=path, tell=(guard.told,), sink=guard.sees)
    try:
        bots, clock = bots_of(session, seed), Clock(found)
        for bot in {id(bot): bot for bot in bots.values()}.values():
            setattr(bot, "choose", clock.around(bot.choose))  # noqa: B010 - a method replaced by its timed self
        why = play(session, bots)
        outcome = session.outcome
        assert outcome is not None, why
        if recorder is not None:
            recorder.close(session.summary(why))
        found.turns, found.reason = session.turns, outcome.reason.text
        found.winners, found.state = tuple(outcome.winners), session.state
        return found
    finally:
        session.close()


class Clock:
    """Processor time of turns: from a player's first choice to the first of the next player; of every choice for one
    who plays alone."""

    def __init__(self, played: Played) -> None:
        self._played = played
        self._player, self._since = "", 0.0

    def around(self, choose: Callable[[Session, Need], Action]) -> Callable[[Session, Need], Action]:
        """A bot's `choose`, timed."""

        def timed(session: Session, need: Need) -> Action:
            if need.player != self._player or len(session.state.seats) == 1:
                now = time.process_time()
                if self._player:
                    self._played.seconds.append(now - self._since)
                self._player, self._since = need.player, now
            return choose(session, need)

        return timed


def verified(path: Path) -> bool:
    """Whether a record agrees when a fresh process plays it again."""
    command = [sys.executable, "-m", "teeter", "verify", str(path), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode == 0 and bool(json.loads(done.stdout)["agrees"])
