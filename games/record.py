"""Games on file: a session that is recorded as it goes, and a record that is played again to see whether it agrees."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.record.digest import state_digest
from engine.record.errors import RecordError
from engine.record.meta import BodyMeta, Meta, Versions, fingerprint
from engine.record.reader import Replay, load
from engine.record.writer import Recorder
from engine.settings import Scale
from engine.world import Body
from games.catalogue import stock_of
from games.judge.registry import JUDGES
from games.rules.base import Game
from games.rules.errors import RulesError
from games.rules.registry import GAMES
from games.session import Session, Teller
from games.table import Sink

Bodies = Mapping[str, Body]


def begin(
    game: Game,
    players: Sequence[str],
    seed: int,
    options: Mapping[str, object],
    *,
    path: Path | None = None,
    tell: Sequence[Teller] = (),
    sink: Sink = lambda step, bodies: None,
) -> tuple[Session, Recorder | None]:
    """A game at its first turn, and its recorder when there is a path. sink: sees every look at the world, as the
    recorder does. Raises SetupError and RecordError."""
    state = game.rules.start(players, seed, options, stock_of(game))
    judge = JUDGES[game.name]
    if path is None:
        return Session(game, judge, state, tell=tell, sink=sink), None
    bodies = judge.layout(state)
    names = {body.name: body.piece.model for body in bodies} | {"floor": "floor"}
    for card in getattr(state, "deck", ()) if game.name == "crazy-tower" else ():
        names.setdefault(card, f"crazy_tower/{card}")
    meta = Meta(
        game=game.name,
        mode=str(options.get("mode", "")),
        options={name: _plain(value) for name, value in options.items() if name != "mode"},
        players=tuple(players),
        seed=seed,
        rate=Scale.of(bodies).rate,
        bodies=tuple(BodyMeta(id=name, model=model) for name, model in sorted(names.items())),
        versions=Versions.installed(),
        platform=fingerprint(),
    )
    recorder = Recorder(path, meta)

    def event(before: Any, given: Any, after: Any) -> None:
        step = int(getattr(given, "step", after.step))
        lines = list(game.rules.tell(before, given, after))
        recorder.event(step, {"type": "input", "input": json.loads(game.write_input(given)), "story": lines})

    def look(step: int, bodies: Bodies) -> None:
        recorder.frame(step, _rows(bodies))
        sink(step, bodies)

    session = Session(
        game,
        judge,
        state,
        tell=(*tell, event),
        journal=recorder.journal,
        boundary=lambda step, bodies: recorder.boundary(step, _rows(bodies), _digest(bodies)),
        sink=look,
    )
    return session, recorder


def _plain(value: object) -> str | int | float | bool:
    return value if isinstance(value, (bool, int, float)) else str(value)


def _rows(bodies: Bodies) -> dict[str, np.ndarray[Any, np.dtype[np.float64]]]:
    return {
        name: np.array((*body.pose.position, *body.pose.orientation)) for name, body in sorted(bodies.items())
    }


def _digest(bodies: Bodies) -> str:
    rows = _rows(bodies)
    return state_digest(tuple(rows), np.array(list(rows.values())))


@dataclass(frozen=True, slots=True)
class Verified:
    """agrees: every action boundary was reached again, bit for bit. comparable: recorded on a machine like this one.
    steps: simulated again. difference: the step of the first boundary that differs, and what is wrong in words."""

    agrees: bool
    comparable: bool
    steps: int
    difference: int | None = None
    why: str = ""


def verify(path: Path, progress: Callable[[float], None] = lambda part: None) -> Verified:
    """Play a record again in a fresh world. progress: hears the part (0 to 1) done. Raises RecordError."""
    replay = load(path)
    comparable = replay.meta.platform == fingerprint()
    found: list[tuple[int, str]] = []
    expected = [(boundary.step, boundary.digest) for boundary in replay.boundaries]

    def boundary(step: int, bodies: Bodies) -> None:
        found.append((step, _digest(bodies)))

    session: Session | None = None
    try:
        session = _again(path, replay, boundary)
        for number, (step, entry) in enumerate(replay.journal):
            differs = _first_difference(found, expected)
            if differs is not None:
                return Verified(False, comparable, session.table.step, *differs)
            if step != session.table.step:
                why = f"the record goes on at step {step}, the simulation is at {session.table.step}"
                return Verified(False, comparable, session.table.step, step, why)
            _enter(session, entry)
            progress((number + 1) / len(replay.journal))
        differs = _first_difference(found, expected)
        if differs is None and len(found) < len(expected):
            differs = (
                expected[len(found)][0],
                "the record has boundaries that the simulation does not reach",
            )
        if differs is not None:
            return Verified(False, comparable, session.table.step, *differs)
        return Verified(True, comparable, session.table.step)
    except (RulesError, ValueError, KeyError) as error:
        step = session.table.step if session is not None else 0
        return Verified(False, comparable, step, step, f"the record asks for what the game refuses: {error}")
    finally:
        if session is not None:
            session.close()


def _first_difference(
    found: list[tuple[int, str]], expected: list[tuple[int, str]]
) -> tuple[int, str] | None:
    for (step, digest), (wanted, other) in zip(found, expected, strict=False):
        if (step, digest) != (wanted, other):
            return wanted, f"the poses at the boundary of step {wanted} differ"
    return None


def _again(path: Path, replay: Replay, boundary: Callable[[int, Bodies], None]) -> Session:
    meta = replay.meta
    game = next((each for each in GAMES if each.name == meta.game), None)
    if game is None:
        raise RecordError(path, f"is of a game {meta.game!r} that is not known here")
    options = dict(meta.options) | ({"mode": meta.mode} if meta.mode else {})
    state = game.rules.start(meta.players, meta.seed, options, stock_of(game))
    return Session(game, JUDGES[game.name], state, boundary=boundary)


def _enter(session: Session, entry: Mapping[str, Any]) -> None:
    """Give a session what once came through a door."""
    kind = entry.get("type")
    if kind == "action":
        session.act(session.game.read_input(json.dumps(entry["input"])))
    elif kind == "hand":
        a, b, c, d, e, f, g = (int(value) for value in entry["target"])
        session.aim((a, b, c, d, e, f, g))
    elif kind == "release":
        session.release()
    elif kind == "settle":
        session.settle()
    elif kind == "answer":
        session.answer(bool(entry["yes"]))
    elif kind == "undo":
        session.undo()
    else:
        raise ValueError(f"a journal entry of the unknown type {kind!r}")
