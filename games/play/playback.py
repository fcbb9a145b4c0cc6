"""A record played again: to see whether it agrees, and to go on with the game from where it was left, or from earlier.

Nothing of the physics is ever read from a file: a game is played again from its inputs, and compared with the record at
every checkpoint (`replay.boundaries`).
"""

import json
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from teeter.engine.hand import Target
from teeter.engine.record.format import HASHES, JOURNAL, META, RecordError
from teeter.engine.record.latest import latest
from teeter.engine.record.meta import Meta, Versions, fingerprint
from teeter.engine.record.part import SUFFIX
from teeter.engine.record.reader import Replay, load
from teeter.engine.record.writer import Recorder
from teeter.engine.scratch import scratch_folder
from teeter.engine.worlds import Engine, EngineError, installed_engines, require_engine
from teeter.games.core.errors import RulesError
from teeter.games.core.events import Question
from teeter.games.core.rules import Input, Wait
from teeter.games.game import Game
from teeter.games.play.claims import (
    difference,
    end_difference,
    head_difference,
    is_of_this_version,
    lacking,
    unproven,
)
from teeter.games.play.recording import RIGID, Tape, first_state, known_game, meta_of
from teeter.games.play.session import IN_HAND, Session, Teller
from teeter.games.play.table import Sink
from teeter.models.errors import Untrue, quote

LONGEST_S = 30 * 24 * 3600
"""Seconds of a game, all thinking included."""

CHECK = "check"
"""The game of a recording that `teeter check --record` has made."""
OF_A_CHECK = "it is the trial of a check, which no journal repeats: run `teeter check` on its scene again"

ANSWERS = {True: "yes", False: "no"}
"""Of a referee, in words."""

Progress = Callable[[int, int], None]
"""Hears how many entries of the journal are done, and of how many."""

Taken = tuple[Any, Input, Any]
"""The state before, what the rules took, and the state after."""


def _unheard(done: int, total: int) -> None:
    """Nobody waits."""


class DiffersError(Exception):
    """The game does not go as the record says. step: from which on. place: in the file, where it is known."""

    def __init__(self, step: int, why: str, place: str = "") -> None:
        self.step, self.why, self.place = step, why, place
        super().__init__(why)


class _OtherRulesError(DiffersError):
    """The rules refuse what the record asks for, or a referee says other than it has it."""


class _OutOfTime(Exception):  # noqa: N818 - caught here; nobody else hears of it
    """The time that was given for it is over."""


@dataclass(frozen=True, slots=True)
class Verified(Untrue):
    """What verification found.

    agrees: the journal, from the seed, gives exactly the pictures and the result of the record: every checkpoint, bit
    for bit, and all else that it claims. comparable: recorded on a machine like this one, by code that
    simulates alike. steps: simulated again.
    difference: the step of the first claim that differs; place: where it stands in the file; why: what is wrong, in
    words. is_verifiable: False when the record lacks what it needs, or the time was over. unproven: what the record
    says that no simulation can prove. is_over: the game was played to its end, and not broken off.
    """

    asked = "agrees"

    agrees: bool
    comparable: bool
    steps: int
    difference: int | None = None
    why: str = ""
    place: str = ""
    is_verifiable: bool = True
    unproven: tuple[str, ...] = ()
    is_over: bool = False


def verify(path: Path, progress: Progress = _unheard, limit_s: float | None = None) -> Verified:
    """Play a record again in a fresh world, record that, and compare the two. limit_s: seconds after which it is given
    up. Raises RecordError, and ValueError for a limit that is none."""
    if limit_s is not None and not 0.0 < limit_s < math.inf:
        raise ValueError(f"a limit of {limit_s} s: give seconds above 0")
    replay = load(path)
    engine = _engine_of(replay)
    if replay.meta.game == CHECK:
        return Verified(False, True, 0, None, OF_A_CHECK, is_verifiable=False)
    game_of(replay)
    if before := replay.meta.made_before:
        return Verified(False, False, 0, None, before)
    if engine is None:
        return Verified(False, False, 0, None, _other_engine(replay))
    comparable = replay.meta.platform == fingerprint(engine)
    if lacks := lacking(replay):
        return Verified(False, comparable, 0, None, lacks, is_verifiable=False)
    with TemporaryDirectory(dir=scratch_folder()) as folder:
        return _verify(replay, engine, Path(folder) / "again.teeter", progress, limit_s)


def _verify(
    replay: Replay, engine: Engine, path: Path, progress: Progress, limit_s: float | None
) -> Verified:
    """Play a record again, recording it at `path`."""
    begun, entries = time.monotonic(), 0

    def watch(*arguments: object) -> None:
        if limit_s is not None and time.monotonic() - begun > limit_s:
            raise _OutOfTime

    def hear(done: int, total: int) -> None:
        nonlocal entries
        entries = done
        watch()
        progress(done, total)

    comparable = replay.meta.platform == fingerprint(engine)
    session: Session | None = None
    tape = Tape(game_of(replay), sink=watch, engine=engine)
    try:
        _check_head(replay)
        tape.recorder = Recorder(path, replay.meta.model_copy(update={"outcome": None}))
        session = _open(replay, tape)
        _play(session, tape, replay, None, hear, asks=True)
        _compare_records(replay, session, tape.recorder)
        seats = [seat.name for seat in session.state.seats]
        notes = unproven(replay, engine, session.turns, seats)
        is_over = session.outcome is not None
        return Verified(True, comparable, session.table.step, unproven=notes, is_over=is_over)
    except DiffersError as fault:
        steps = session.table.step if session is not None else 0
        why = fault.why
        if steps and not comparable:
            why += ". It names another platform than this one, where numbers may round differently"
        elif isinstance(fault, _OtherRulesError) and not is_of_this_version(replay):
            comparable = False
            why += (
                f". It names version {quote(replay.meta.versions.teeter)}, whose rules may have been others"
            )
        return Verified(False, comparable, steps, fault.step, why, fault.place)
    except _OutOfTime:
        steps = session.table.step if session is not None else 0
        why = f"stopped after {limit_s:g} s, at entry {entries} of {len(replay.journal)} of the journal"
        return Verified(False, comparable, steps, None, why, is_verifiable=False)
    finally:
        if session is not None:
            session.close()
        if tape.recorder is not None:
            tape.recorder.discard()


def _check_head(replay: Replay) -> None:
    """Raises DiffersError when the head of a record is not that of such a game."""
    meta, game = replay.meta, game_of(replay)
    try:
        state = first_state(game, meta)
        options = dict(meta.options) | ({"mode": meta.mode} if meta.mode else {})
        made = meta_of(game, state, meta.players, meta.seed, options, _tremor_of(replay))
    except (RulesError, ValueError, ArithmeticError, KeyError, TypeError) as error:
        raise _OtherRulesError(0, f"the record asks for what the game refuses: {error}", META) from None
    if fault := head_difference(meta, made):
        raise DiffersError(fault.step, fault.why, fault.place)


def _compare_records(replay: Replay, session: Session, recorder: Recorder) -> None:
    """Raises DiffersError when the record that was made by playing one again is another."""
    summary = session.summary()
    if replay.is_complete:
        recorder.close(summary)
    else:
        recorder.leave()
    made = load(recorder.path if replay.is_complete else recorder.folder)
    if fault := difference(replay, made) or end_difference(replay, summary):
        raise DiffersError(fault.step, fault.why, fault.place)


def resume(
    path: Path, *, tell: Sequence[Teller] = (), sink: Sink | None = None, progress: Progress = _unheard
) -> tuple[Session, Recorder]:
    """Go on with the game of a record where its last action ended, recording into the same file.

    path: `F.teeter`, or the folder `F.teeter.part` of a game that was interrupted; given the name of the file, the
    folder beside it is found. A game in a file is recorded anew into the folder, and takes the place of the file when
    it is closed. Raises RecordError when there is nothing to go on with, or it goes another way here.
    """
    # whatever links lead there, it is one record, with one folder and one lock
    path = latest(Path(os.path.realpath(path)))
    is_part = path.is_dir()
    target = path.with_name(path.name.removesuffix(SUFFIX))
    if target.exists() and not target.stat().st_mode & 0o222:
        raise RecordError(target, "is read-only: fork the game with --record FILE, or make it writable")
    replay = load(path)
    outcome = replay.meta.outcome or {}
    if outcome.get("ended") is True:
        raise _is_over(path, str(outcome.get("reason", "")))
    tape = _tape_of(replay, tell, sink)
    if not is_part:
        tape.recorder = Recorder(target, _afresh(replay.meta), replaces=True)
        session = _up_to(replay, len(replay.checkpoints), tape, progress)
        if session.outcome is not None:
            _discard(session, tape)
            raise _is_over(path, session.outcome.reason.text)
        return session, tape.recorder
    # the folder is taken before it is played up to its end, so that a second one who resumes it is told at once
    recorder = Recorder.resume(target, replaces=True)
    try:
        if not replay.checkpoints:
            # it was left before its first checkpoint: nothing is in it yet
            tape.recorder = recorder
        session = _up_to(replay, len(replay.checkpoints), tape, progress)
    except BaseException:
        recorder.leave()
        raise
    tape.recorder = recorder
    return session, recorder


def fork(
    replay: Replay,
    checkpoint: int = -1,
    *,
    path: Path | None = None,
    tell: Sequence[Teller] = (),
    sink: Sink | None = None,
    progress: Progress = _unheard,
) -> tuple[Session, Recorder | None]:
    """Go on from a checkpoint of a record as a game of its own. The record stays as it is.

    checkpoint: which of `replay.checkpoints`, counted from the end when negative. path: where the new game is recorded,
    with all that went before. Raises RecordError when it goes another way here, IndexError for no such checkpoint.
    """
    if not replay.checkpoints:
        raise RecordError(replay.path, "has no checkpoint to go on from: it was left before its first turn")
    count = range(1, len(replay.checkpoints) + 1)[checkpoint]
    tape = _tape_of(replay, tell, sink)
    if path is not None:
        tape.recorder = Recorder(path, _afresh(replay.meta))
    return _up_to(replay, count, tape, progress), tape.recorder


def past_of(replay: Replay) -> tuple[Any, tuple[Taken, ...]]:
    """Returns the state of the rules at the end of a record, and all that led there: the rules alone are asked again,
    no world is simulated. Raises RecordError when the rules refuse what the record has them take."""
    game = game_of(replay)
    try:
        state = first_state(game, replay.meta)
        past: list[Taken] = []
        for _, entry in replay.events:
            move = game.read_input(json.dumps(entry["input"]))
            before, state = state, game.rules.apply(state, move)
            past.append((before, move, state))
    except (RulesError, ValueError, KeyError, TypeError) as error:
        raise RecordError(replay.path, f"holds what the game refuses: {error}") from None
    return state, tuple(past)


def left_at(replay: Replay) -> tuple[Any, tuple[Taken, ...]]:
    """Returns the state of the rules where `resume` goes on, and all that led there: a piece that was in the hand lies
    where it was. Raises RecordError as `past_of` does."""
    state, past = past_of(replay)
    rules = game_of(replay).rules
    while past:
        need = rules.needs(state)
        is_held = need.wait in IN_HAND and bool(need.pieces)
        if not is_held and need.wait not in (Wait.HAND, Wait.PULL, Wait.REST, Wait.COUNT):
            break
        state, past = past[-1][0], past[:-1]
    return state, past


def checkpoint_at(replay: Replay, seconds: float) -> int:
    """Returns which checkpoint of a record is the last one until a time; the first if none is."""
    steps = [checkpoint.step for checkpoint in replay.checkpoints]
    return max(0, sum(step <= seconds * replay.meta.rate for step in steps) - 1)


def _afresh(meta: Meta) -> Meta:
    """Returns the head of a record that begins anew, here and now."""
    engine = require_engine(meta.engine)
    here = {"versions": Versions.installed(), "platform": fingerprint(engine), "outcome": None}
    return Meta.model_validate({**dict(meta), **here})


def _is_over(path: Path, reason: str) -> RecordError:
    because = f" ({reason})" if reason else ""
    return RecordError(path, f"this game is over{because}: there is no turn left to go on with")


def _up_to(replay: Replay, count: int, tape: Tape, progress: Progress) -> Session:
    """Returns a session at one of the checkpoints of a record. Raises RecordError when it cannot be reached again."""
    tape.is_quiet = True
    session: Session | None = None
    try:
        session = _open(replay, tape)
        _play(session, tape, replay, count, progress)
    except DiffersError as fault:
        _discard(session, tape)
        problem = f"cannot be gone on with: played again, from step {fault.step} on {fault.why}"
        if replay.meta.platform != fingerprint(_engine_of(replay)):
            problem += f"; it was recorded on another platform ({replay.meta.platform})"
        raise RecordError(replay.path, problem) from None
    except BaseException:
        _discard(session, tape)
        raise
    tape.is_quiet = False
    return session


def _discard(session: Session | None, tape: Tape) -> None:
    if session is not None:
        session.close()
    if tape.recorder is not None:
        tape.recorder.discard()


def game_of(replay: Replay) -> Game:
    """Returns the game that a record is of. Raises RecordError for an unknown one."""
    game = known_game(replay.meta)
    if game is None:
        raise RecordError(replay.path, f"is of a game {replay.meta.game!r} that is not known here")
    return game


def _tape_of(replay: Replay, tell: Sequence[Teller], sink: Sink | None) -> Tape:
    """Returns the tape of a record that is gone on with. Raises RecordError when its engine is not installed."""
    if before := replay.meta.made_before:
        raise RecordError(replay.path, f"cannot be gone on with: {before}")
    game, engine = game_of(replay), _engine_of(replay)
    if engine is None:
        raise RecordError(replay.path, f"cannot be gone on with: {_other_engine(replay)}")
    return Tape(game, tell, sink, engine)


def _engine_of(replay: Replay) -> Engine | None:
    """Returns the engine that a record was made with; None where it is not installed."""
    with suppress(EngineError):
        return require_engine(replay.meta.engine)
    return None


def _other_engine(replay: Replay) -> str:
    here = ", ".join(installed_engines())
    return (
        f"it was simulated by the engine {replay.meta.engine!r}, and here are {here}; no other one repeats it"
    )


def _open(replay: Replay, tape: Tape) -> Session:
    try:
        if (contacts := replay.meta.settings.get("contacts")) != RIGID:
            raise ValueError(f"contacts that are {contacts!r}, not {RIGID!r}")
        return tape.open(first_state(game_of(replay), replay.meta), _tremor_of(replay))
    except (RulesError, ValueError) as error:
        raise DiffersError(0, f"the record asks for what the game refuses: {error}") from None


def _tremor_of(replay: Replay) -> float:
    """Returns metres. Raises ValueError for what is no tremor."""
    tremor = replay.meta.settings.get("tremor_mm", 0.0)
    if not isinstance(tremor, (int, float)):
        raise ValueError(f"a tremor of {tremor!r}")
    return tremor / 1e3


def _play(
    session: Session, tape: Tape, replay: Replay, count: int | None, progress: Progress, *, asks: bool = False
) -> None:
    """Give a session the inputs of a record: all of them, or until it has had so many checkpoints. asks: the referee is
    asked again, too. Raises DiffersError."""
    expected, checked = replay.hashes, 0
    for number, (step, entry) in enumerate(replay.journal):
        checked = _compare(tape.checkpoints, expected, checked)
        if count is not None and checked >= count:
            return
        if step != session.table.step:
            why = f"the record goes on at step {step}, the simulation is at {session.table.step}"
            raise DiffersError(step, why, f"{JOURNAL}, line {number + 1}")
        place = f"{JOURNAL}, line {number + 1}"
        try:
            if asks and entry.get("type") == "answer" and (why := _ask_again(session, entry)):
                raise _OtherRulesError(step, why, place)
            _enter(session, entry)
        except (RulesError, ValueError, ArithmeticError, KeyError, TypeError) as error:
            why = f"the record asks for what the game refuses: {error}"
            raise _OtherRulesError(step, why, place) from None
        progress(number + 1, len(replay.journal))
    checked = _compare(tape.checkpoints, expected, checked)
    if checked < (len(expected) if count is None else count):
        raise DiffersError(
            expected[checked][0], "the simulation does not reach the checkpoints of the record", HASHES
        )


def _compare(checkpoints: Sequence[tuple[int, str]], expected: Sequence[tuple[int, str]], number: int) -> int:
    """Compare the checkpoints reached after the first `told`. Returns how many there are by now; a record that was cut
    off between two checkpoints may have fewer. Raises DiffersError."""
    for here, there in zip(checkpoints[number:], expected[number:], strict=False):
        if here[0] != there[0]:
            why = f"the record has its next checkpoint at step {there[0]}, the simulation at {here[0]}"
            raise DiffersError(min(here[0], there[0]), why, f"{HASHES}, step {there[0]}")
        if here != there:
            why = f"the poses at the checkpoint of step {there[0]} differ"
            raise DiffersError(there[0], why, f"{HASHES}, step {there[0]}")
    return len(checkpoints)


def _thinking_steps(session: Session, steps: object) -> int:
    """Returns how many steps somebody thought. Raises ValueError for more than a game has."""
    if type(steps) is not int or session.table.step + steps > LONGEST_S * session.table.rate:
        raise ValueError(f"{quote(steps)} steps of thinking: a game lasts {LONGEST_S} s at most")
    if session.outcome is not None:
        raise ValueError(f"{steps} steps of thinking after the end of the game")
    return steps


def _target(target: object) -> Target:
    """Returns where a hand is wanted. Raises ValueError for other than seven whole numbers."""
    if not isinstance(target, list) or any(type(value) is not int for value in target):
        raise ValueError(f"a target that is {quote(target)}: seven whole numbers")
    a, b, c, d, e, f, g = target
    return a, b, c, d, e, f, g


def _ask_again(session: Session, entry: Mapping[str, Any]) -> str:
    """Returns where a referee says other than the record has it, in words; empty where they agree."""
    from teeter.games.players.bots import referees

    question = session.need.question
    if question is None or question is Question.HOW_TALL or type(entry["yes"]) is not bool:
        return ""
    said = referees(session, session.need)
    if entry["yes"] is said:
        return ""
    return f"the record has the answer {ANSWERS[entry['yes']]}, where the referee here says {ANSWERS[said]}"


def _enter(session: Session, entry: Mapping[str, Any]) -> None:
    """Give a session an input of a record."""
    kind = entry.get("type")
    if kind == "action":
        session.act(session.game.read_input(json.dumps(entry["input"])))
    elif kind == "hand":
        session.aim(_target(entry["target"]))
    elif kind == "release":
        session.release()
    elif kind == "settle":
        session.settle()
    elif kind == "answer":
        if type(entry["yes"]) is not bool:
            raise ValueError(f"an answer that is {quote(entry['yes'])}: true or false")
        session.answer(entry["yes"])
    elif kind == "wait":
        session.wait(_thinking_steps(session, entry["steps"]))
    elif kind == "undo":
        session.undo()
    else:
        raise ValueError(f"a journal entry of the unknown type {kind!r}")
