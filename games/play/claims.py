"""What a recording claims, held against what its journal gives when it is played again. Nothing is simulated here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teeter.engine.record.format import EVENTS, HASHES, JOURNAL, META, STATES, TRACK, Entry, line_of
from teeter.engine.record.meta import Meta, Versions, fingerprint
from teeter.engine.record.reader import Replay
from teeter.engine.worlds import Engine
from teeter.games.core.words import broken_off, is_broken_off
from teeter.models.errors import quote

DERIVED = ("game", "mode", "options", "players", "seed", "rate", "bodies")
"""Of the head of a recording: what follows from the game and its first state."""
END = ("winners", "reason", "turns", "ended")
"""What the end of a recording says."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first claim that is not true. step: from which on. place: in the file. why: with both values."""

    step: int
    place: str
    why: str


def lacking(replay: Replay) -> str:
    """Returns in words what a recording lacks to be verified at all, "" for nothing."""
    if not replay.checkpoints:
        return f"{HASHES} and {STATES} hold no checkpoint: nothing says where the pieces were"
    if not replay.is_complete:
        return ""
    missing = [key for key in END if key not in (replay.meta.outcome or {})]
    return f"{META}: outcome has no {' and no '.join(missing)}: nothing says how it ended" if missing else ""


def head_difference(claimed: Meta, made: Meta) -> Difference | None:
    """Returns where the head of a recording is not the one that such a game gets; its settings are those that are
    simulated, its versions and its platform nobody can derive (`unproven`)."""
    there, here = claimed.model_dump(mode="json"), made.model_dump(mode="json")
    for key in DERIVED:
        if _text(there[key]) != _text(here[key]):
            return Difference(0, f"{META}: {key}", _values(there[key], here[key]))
    settings = dict(made.settings)
    if "tremor_mm" in settings and claimed.settings.get("tremor_mm"):
        # to metres and back it may lose its last bit
        settings["tremor_mm"] = float(claimed.settings["tremor_mm"])  # type: ignore[arg-type]
    if _text(claimed.settings) != _text(settings):
        return Difference(0, f"{META}: settings", _values(claimed.settings, settings))
    return None


def difference(claimed: Replay, made: Replay) -> Difference | None:
    """Returns the first place where a recording says other than the one made by playing it again."""
    return (
        _checkpoint_difference(claimed, made)
        or _line_difference(claimed.journal, made.journal, JOURNAL)
        or _line_difference(claimed.events, made.events, EVENTS)
        or _track_difference(claimed, made)
    )


def end_difference(claimed: Replay, summary: Mapping[str, Any]) -> Difference | None:
    """Returns where the end of a recording is not the one of the game played again. summary: `Session.summary`."""
    outcome = dict(claimed.meta.outcome or {})
    if not claimed.is_complete and not outcome:
        return None
    expected = dict(summary)
    reason = outcome.get("reason")
    if not summary["ended"] and isinstance(reason, str) and is_broken_off(reason, summary["turns"]):
        # why it was left is in no journal (`unproven`)
        expected["reason"] = reason
    step = claimed.checkpoints[-1].step
    for key in sorted({*outcome, *expected}):
        there, here = outcome.get(key), expected.get(key)
        if key not in expected or _text(there) != _text(here):
            return Difference(step, f"{META}: outcome.{key}", _values(there, here))
    return None


def is_of_this_version(replay: Replay) -> bool:
    """Returns whether it says that it was recorded by this version of teeter."""
    return replay.meta.versions.teeter == Versions.installed().teeter


def unproven(replay: Replay, engine: Engine, turns: int, seats: Sequence[str]) -> tuple[str, ...]:
    """Returns what a recording says that no simulation can prove, in words. turns: played. seats: the names at them."""
    meta = replay.meta
    notes = []
    if meta.platform != fingerprint(engine):
        notes.append(f"{META}: platform {quote(meta.platform)}; this is {fingerprint(engine)}")
    there, here = meta.versions.model_dump(), Versions.installed().model_dump()
    notes += [
        f"{META}: versions.{key} {quote(there[key])}; here it is {quote(here[key])}"
        for key in there
        if there[key] != here[key]
    ]
    outcome = meta.outcome or {}
    reason = outcome.get("reason")
    if replay.is_complete and outcome.get("ended") is False and reason and reason != broken_off(turns):
        notes.append(f"{META}: outcome.reason {quote(reason)}, which is said by whoever broke it off")
    acted = {
        content.get("player")
        for _, entry in replay.journal
        if isinstance(content := entry.get("input"), dict)
    }
    # one more of them might change nothing
    notes += [f"{META}: players: {quote(name)} did nothing here" for name in seats if name not in acted]
    return tuple(notes)


def _checkpoint_difference(claimed: Replay, made: Replay) -> Difference | None:
    for number, (there, here) in enumerate(zip(claimed.checkpoints, made.checkpoints, strict=False)):
        if there.step != here.step:
            return Difference(there.step, f"{HASHES}: [{number}].step", _values(there.step, here.step))
        place = _place_of(there.poses, here.poses, claimed.meta.names)
        if place is not None:
            return Difference(there.step, f"{STATES}: poses[{number}], {place[0]}", place[1])
        if there.digest != here.digest:
            return Difference(there.step, f"{HASHES}: [{number}].sha256", _values(there.digest, here.digest))
    return _count_difference(claimed.hashes, made.hashes, HASHES, "checkpoints")


def _line_difference(claimed: Sequence[Entry], made: Sequence[Entry], name: str) -> Difference | None:
    for number, (there, here) in enumerate(zip(claimed, made, strict=False), 1):
        if line_of(*there) != line_of(*here):
            step, words = _entry_difference(there, here)
            return Difference(step, f"{name}, line {number}", words)
    return _count_difference(claimed, made, name, "lines")


def _entry_difference(there: Entry, here: Entry) -> tuple[int, str]:
    one, other = {"step": there[0], **there[1]}, {"step": here[0], **here[1]}
    keys = [key for key in sorted({*one, *other}) if _text(one.get(key)) != _text(other.get(key))]
    key = keys[0] if keys else next(iter({*one} ^ {*other}))
    return there[0], f"{quote(key)}: {_values(one.get(key), other.get(key))}"


def _track_difference(claimed: Replay, made: Replay) -> Difference | None:
    """The same writer rounds the same poses to the same rows: its quantum leaves nothing open."""
    count = min(len(claimed.steps), len(made.steps))
    wrong = np.flatnonzero(claimed.steps[:count] != made.steps[:count])
    if len(wrong):
        first = int(wrong[0])
        there, here = int(claimed.steps[first]), int(made.steps[first])
        return Difference(there, f"{TRACK}: steps[{first}]", _values(there, here))
    for number in range(count):
        place = _place_of(claimed.poses[number], made.poses[number], claimed.meta.names)
        if place is not None:
            return Difference(int(claimed.steps[number]), f"{TRACK}: poses[{number}], {place[0]}", place[1])
    return _count_difference(claimed.steps.tolist(), made.steps.tolist(), TRACK, "frames")


def _count_difference(
    claimed: Sequence[Any], made: Sequence[Any], place: str, words: str
) -> Difference | None:
    if len(claimed) == len(made):
        return None
    longer = claimed if len(claimed) > len(made) else made
    first = longer[min(len(claimed), len(made))]
    step = first if isinstance(first, int) else first[0]
    return Difference(step, place, f"has {len(claimed)} {words}, played again it has {len(made)}")


def _place_of(claimed: NDArray[Any], made: NDArray[Any], names: Sequence[str]) -> tuple[str, str] | None:
    """Returns the body of the first row that is not the same to the last bit, and the difference in words."""
    kind = np.int32 if claimed.dtype.itemsize == 4 else np.int64
    same = (
        claimed.view(kind) == made.view(kind)
        if claimed.flags.c_contiguous and made.flags.c_contiguous
        else ((claimed == made) & (np.signbit(claimed) == np.signbit(made)))
    )
    same |= np.isnan(claimed) & np.isnan(made)
    if same.all():
        return None
    body = int(np.flatnonzero(~same.all(axis=-1))[0])
    there, here = claimed[body], made[body]
    if np.isnan(there[0]) or np.isnan(here[0]):
        words = ["is absent" if np.isnan(row[0]) else "is there" for row in (there, here)]
        return f"body {quote(names[body])}", f"{words[0]}, played again it {words[1]}"
    away = 1e3 * float(np.linalg.norm(there[:3].astype(np.float64) - here[:3].astype(np.float64)))
    return f"body {quote(names[body])}", f"{_values(there.tolist(), here.tolist())} ({away:.4g} mm apart)"


def _values(there: object, here: object) -> str:
    return f"is {quote(there)}, played again it is {quote(here)}"


def _text(value: object) -> bytes:
    """Equal for equal JSON: 1, 1.0 and true are not."""
    return line_of(0, {"type": "", "value": value})
