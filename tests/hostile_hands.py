"""A hand that tries whatever is forbidden: lets go anywhere, throws, pushes with what it holds, holds it over the
towers of others, says any act while it holds something. Steady players sit with it, and every input is looked at."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from rules_labs import LABS
from soak_games import Guard, Played

from teeter.engine.hand import packed
from teeter.engine.pose import Pose
from teeter.engine.record.writer import Recorder
from teeter.games.bausack.state import IN
from teeter.games.core.errors import IllegalAction, MalformedAction
from teeter.games.core.events import Fell
from teeter.games.core.rules import Action, Need, Wait
from teeter.games.play.playback import resume, verify
from teeter.games.play.recording import begin
from teeter.games.play.session import Session
from teeter.games.players.bots import Bot, bots_of, play

HOSTILE = "bold"
"""The seat of the hand; a bot goes on for it when it has done its worst."""
ACTS = 8
"""Hostile acts of one turn, before the bot goes on."""
LEAVES = 12
"""Turns of a game, at most, after which it is left and gone on with."""
VERIFIED = 4
"""Of so many games one is played again when it is over: a third of the time went into that. Those that were left are
played again up to there."""
REACH = 0.5
"""Metres from the middle of the table over which the hand wanders."""


@dataclass(slots=True)
class Found:
    """What came of it. acts: by kind. holes: what the document forbids and yet happened, in sentences."""

    turns: int = 0
    games: int = 0
    acts: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    holes: list[str] = field(default_factory=list)


class HostileHand:
    """Plays games of one kind until `turns` actions were chosen, and notes every hole. path: where they are recorded,
    left, resumed and verified; None: they are not."""

    def __init__(
        self, name: str, players: int, seed: int, options: dict[str, object], path: Path | None
    ) -> None:
        self._lab = next(lab for lab in LABS if lab.game.name == name)
        self._players = ["bot:bold", *["bot:steady"] * (players - 1)]
        self._dice, self._seed, self._options, self._path = Random(f"{name} {seed}"), seed, options, path
        self.found = Found()
        self._is_hostile = False

    def run(self, turns: int) -> Found:
        """Returns what came of so many turns."""
        while self.found.turns < turns:
            self._seed += 1
            self._game(turns)
        return self.found

    def _game(self, turns: int) -> None:
        path = None if self._path is None else self._path / f"{self._seed}.teeter"
        guard = Guard(self._lab.game, Played())
        session, recorder = begin(
            self._lab.game,
            self._players,
            self._seed,
            self._options,
            path=path,
            tell=(guard.told, self._told),
        )
        self.found.games += 1
        begun = self.found.turns
        try:
            bots, leaves = bots_of(session, self._seed), self._dice.randint(1, LEAVES)
            while session.outcome is None and self.found.turns < turns:
                self._turn(session, bots)
                self.found.turns = begun + session.turns
                leaves -= 1
                if leaves == 0 and recorder is not None and session.outcome is None:
                    state = session.checkpoint.state
                    recorder.leave()
                    session.close()
                    session, recorder = resume(recorder.path, tell=(guard.told, self._told))
                    self.found.acts["leave"] += 1
                    if session.state != state:
                        self.found.holes.append(f"game {self._seed}: gone on with, it is another state")
            if session.outcome is not None:
                self.found.ends[session.outcome.reason.text] += 1
            self._close(session, recorder, path)
        finally:
            session.close()
            if recorder is not None:
                recorder.leave()

    def _close(self, session: Session, recorder: Recorder | None, path: Path | None) -> None:
        """A recording of it agrees, of one game of `VERIFIED`."""
        if recorder is None or path is None or session.outcome is None:
            return
        recorder.close(session.summary())
        if self._seed % VERIFIED:
            return
        if not (checked := verify(path)).agrees:
            self.found.holes.append(f"game {self._seed}: played again it differs: {checked.difference}")

    def _turn(self, session: Session, bots: dict[str, Bot]) -> None:
        for _ in range(ACTS):
            if session.outcome is not None or session.need.player != HOSTILE:
                break
            self._is_hostile = True
            if session.need.wait in (Wait.REST, Wait.COUNT):
                session.settle()
            elif session.need.wait is not Wait.ANSWER:
                self._act(session, session.need)
            self._is_hostile = False
        if session.outcome is None:
            # whatever the hand has left goes on as with any player
            play(session, bots, session.turns + 1)

    def _act(self, session: Session, need: Need) -> None:
        held = session.table.hand.held
        kinds = (
            ["say", "choose"]
            if held is None
            else ["say", "carry", "throw", "push", "let go", "over others", "choose"]
        )
        kind = self._dice.choice(kinds)
        self.found.acts[kind] += 1
        match kind:
            case "say":
                self._say(session, self._dice.choice(list(self._lab.universe(session.state))))
            case "choose":
                if session.choices:
                    self._say(session, self._dice.choice(session.choices).action)
            case "carry":
                self._go(session, self._anywhere(0.02, 0.4), 0.5)
            case "throw":
                self._go(session, self._anywhere(0.05, 0.3), 2.0, let_go=True)
            case "push":
                x, y, _ = self._target(session)
                self._go(session, (x, y, self._dice.uniform(0.0, 0.08)), 0.3)
                self._go(session, self._anywhere(0.0, 0.08), self._dice.uniform(0.1, 1.0))
            case "over others":
                self._go(session, self._over(session), 0.8)
                if self._dice.random() < 0.5:
                    session.release()
            case _:
                session.release()

    def _say(self, session: Session, action: Action) -> None:
        state, lies = session.state, session.table.hand.held
        try:
            session.act(action)
        except (IllegalAction, MalformedAction):
            self.found.refused += 1
            if session.state is not state or session.table.hand.held != lies:
                self.found.holes.append(f"game {self._seed}: {action} was refused and changed something")

    def _anywhere(self, low: float, high: float) -> tuple[float, float, float]:
        x, y = (self._dice.uniform(-REACH, REACH) * self._dice.random() for _ in range(2))
        return x, y, self._dice.uniform(low, high)

    def _over(self, session: Session) -> tuple[float, float, float]:
        play = sorted(self._lab.game.judge.in_play(session.state) - {session.table.hand.held or ""})
        x, y, z = self._anywhere(0.1, 0.2)
        if play:
            x, y, z = session.table.bodies[self._dice.choice(play)].pose.position
        return x, y, z + self._dice.uniform(0.03, 0.1)

    @staticmethod
    def _target(session: Session) -> tuple[float, float, float]:
        return session.table.hand.target.position

    def _go(
        self, session: Session, place: tuple[float, float, float], speed: float, *, let_go: bool = False
    ) -> None:
        """The hand goes straight there, as long as it holds something; m/s. let_go: half way, in full speed."""
        begun = session.table.hand.target
        way = np.subtract(place, begun.position)
        steps = max(1, int(float(np.linalg.norm(way)) / speed * session.table.rate))
        for step in range(1, steps + 1):
            if session.table.hand.held is None or session.need.wait not in (
                Wait.HAND,
                Wait.PULL,
                Wait.ACTION,
            ):
                return
            if let_go and 2 * step > steps:
                session.release()
                return
            a, b, c = (np.asarray(begun.position) + way * (step / steps)).tolist()
            session.aim(packed(Pose((a, b, c), begun.orientation)))

    def _told(self, before: Any, given: Any, after: Any) -> None:
        """Nobody loses, draws cards or gains by what the hand does."""
        try:
            self._lab.check(before, given, after)
        except AssertionError as error:
            self.found.holes.append(f"game {self._seed}: {given}: {error}")
        if not hasattr(after, "out"):
            # WK-13: what a block that stood at three brings down later is the next player's
            charged = self._lab.game.rules.needs(before).player
            is_late = isinstance(given, Fell) and self._is_hostile and charged != HOSTILE
            if is_late and self._lab.game.name != "wonky":
                self.found.holes.append(f"game {self._seed}: {given} falls to {charged}")
            return
        names = [seat.name for seat in after.seats]
        mine = names.index(HOSTILE)
        lost = [name for name, was, now in zip(names, before.out, after.out, strict=True) if was == IN != now]
        if before.actor == mine and HOSTILE not in lost and before.out[mine] == IN and lost:
            self.found.holes.append(f"game {self._seed}: {', '.join(lost)} out by {given}, {HOSTILE} is not")
