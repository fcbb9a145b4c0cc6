"""Games on file: a session that is recorded as it is played. What is done with a record later stands in `playback`."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Generic

import numpy as np

from teeter.engine.record.format import MAX_BITS, state_digest
from teeter.engine.record.meta import BodyMeta, Meta, Versions, fingerprint
from teeter.engine.record.writer import Recorder
from teeter.engine.world.body import Body, Scale
from teeter.engine.worlds import Engine, engine_in_use, maker_of
from teeter.games.core.errors import SetupError
from teeter.games.core.rules import Input
from teeter.games.faults import or_else
from teeter.games.game import Game, stock_of
from teeter.games.play.checkpoints import S
from teeter.games.play.session import Session, Teller
from teeter.games.play.table import Sink
from teeter.games.registry import game_of

RIGID = "rigid"
"""The setting `contacts` of games: pieces are as hard to draw out as rigid ones."""

Bodies = Mapping[str, Body]


class Tape(Generic[S]):
    """Stands between a session and all who follow it: the recorder, those who are told the story, those who watch.

    recorder: may come later. checkpoints: step and digest of every one so far. is_quiet: nobody but the recorder hears
    anything, while a record is played again up to where it goes on. engine: that simulates, the one in use when None.
    """

    def __init__(
        self,
        game: Game,
        tell: Sequence[Teller[S]] = (),
        sink: Sink | None = None,
        engine: Engine | None = None,
    ) -> None:
        self.recorder: Recorder | None = None
        self.checkpoints: list[tuple[int, str]] = []
        self.is_quiet = False
        self._game, self._tell, self._sink = game, tuple(tell), sink
        self._session: Session[S] | None = None
        self._make_world = maker_of(engine or engine_in_use())

    def open(self, state: S, tremor: float = 0.0) -> Session[S]:
        """Returns the session that is followed, at its first checkpoint. tremor: as for `Session`."""
        self._session = Session(
            self._game,
            self._game.judge,
            state,
            tremor=tremor,
            tell=(self._record,),
            journal=self._journal,
            checkpoint=self._checkpoint,
            sink=self._frame,
            make_world=self._make_world,
        )
        return self._session

    def _record(self, before: S, move: Input, after: S) -> None:
        if self.recorder is not None and self._session is not None:
            entry = {
                "type": "input",
                "input": json.loads(self._game.write_input(move)),
                # a game is worth more than the words about it
                "story": list(or_else("the story", lambda: self._game.rules.tell(before, move, after), ())),
            }
            self.recorder.event(self._session.table.step, entry)
        if not self.is_quiet:
            for tell in self._tell:
                tell(before, move, after)

    def _journal(self, step: int, entry: dict[str, Any]) -> None:
        if self.recorder is not None:
            self.recorder.journal(step, entry)

    def _checkpoint(self, step: int, bodies: Bodies) -> None:
        digest = digest_of(bodies)
        self.checkpoints.append((step, digest))
        if self.recorder is not None:
            self.recorder.checkpoint(step, rows_of(bodies), digest)

    def _frame(self, step: int, bodies: Bodies) -> None:
        if self.recorder is not None:
            self.recorder.frame(step, rows_of(bodies))
        if self._sink is not None and not self.is_quiet:
            self._sink(step, bodies)


def begin(
    game: Game,
    players: Sequence[str],
    seed: int,
    options: Mapping[str, object],
    *,
    tremor: float = 0.0,
    path: Path | None = None,
    replaces: bool = False,
    tell: Sequence[Teller] = (),
    sink: Sink | None = None,
) -> tuple[Session, Recorder | None]:
    """Returns a game at its first turn, and its recorder when there is a path.

    tremor: metres that the hands shake. replaces: as for `Recorder`. sink: sees every reading of the world, as the
    recorder does. Raises SetupError, RecordError, and ValueError for the tremor.
    """
    if not 0 <= seed < 2**MAX_BITS:
        # below 0 it deals what its opposite deals
        raise SetupError(
            f"seed = {seed}: must be from 0 to 2**{MAX_BITS} - 1, the largest that a recording holds"
        )
    state = game.rules.start(players, seed, options, stock_of(game))
    tape = Tape(game, tell, sink)
    if path is not None:
        meta = meta_of(game, state, players, seed, options, tremor)
        tape.recorder = Recorder(path, meta, replaces=replaces)
    return tape.open(state, tremor), tape.recorder


def meta_of(
    game: Game,
    state: object,
    players: Sequence[str],
    seed: int,
    options: Mapping[str, object],
    tremor: float = 0.0,
) -> Meta:
    """Returns the head of the record of a game, from its first state."""
    bodies = game.judge.layout(state)
    names = {body.name: body.piece.model for body in bodies} | {"floor": "floor"}
    names = {**game.judge.later_models(state), **names}
    return Meta(
        game=game.name,
        mode=str(options.get("mode", "")),
        options={name: _plain(value) for name, value in options.items() if name != "mode"},
        players=tuple(players),
        seed=seed,
        settings={"contacts": RIGID} | ({"tremor_mm": tremor * 1e3} if tremor else {}),
        rate=Scale.of(bodies).rate,
        bodies=tuple(BodyMeta(id=name, model=model) for name, model in sorted(names.items())),
        versions=Versions.installed(),
        engine=engine_in_use(),
        platform=fingerprint(),
    )


def known_game(meta: Meta) -> Game | None:
    """Returns the game that a record is of; None when there is no such game here."""
    return game_of(meta.game)


def first_state(game: Game, meta: Meta) -> Any:
    """Returns the state that a recorded game began with. Raises SetupError."""
    options = dict(meta.options) | ({"mode": meta.mode} if meta.mode else {})
    return game.rules.start(meta.players, meta.seed, options, stock_of(game))


def rows_of(bodies: Bodies) -> dict[str, np.ndarray[Any, np.dtype[np.float64]]]:
    """Returns rows of 7 (metres, xyzw) by name."""
    return {name: np.array(body.pose.row) for name, body in sorted(bodies.items())}


def digest_of(bodies: Bodies) -> str:
    """Returns the fingerprint of where everything is."""
    rows = rows_of(bodies)
    return state_digest(tuple(rows), np.array(list(rows.values())))


def _plain(value: object) -> str | int | float | bool:
    return value if isinstance(value, (bool, int, float)) else str(value)
