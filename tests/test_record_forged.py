"""Recordings forged on purpose: every field of every member is changed, one at a time, and packed again by the writer
of the project itself; each forgery is refused, or named."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from typer.testing import CliRunner

from teeter.engine.record import archive
from teeter.engine.record.format import Contents, RecordError, state_digest
from teeter.engine.record.meta import BodyMeta, Meta, Versions, fingerprint
from teeter.engine.record.reader import Replay, load
from teeter.games.cli import app
from teeter.games.play.claims import difference, end_difference, head_difference, lacking, unproven
from teeter.games.play.playback import verify
from teeter.games.play.recording import begin
from teeter.games.players.bots import play_out
from teeter.games.registry import game_named

TURNS = 3
EVERY = 11
"""Of the forgeries every so-manyth is tried at every run: about as many are made of one value. All are in the soak."""
RUN = CliRunner()
Forgery = tuple[str, Contents]
"""What is changed, and the recording with it."""


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game of Wonky in which a third player would have had a turn."""
    path = tmp_path_factory.mktemp("honest") / "a.teeter"
    session, recorder = begin(game_named("wonky"), ("bot:steady", "bot:bold"), 1, {}, path=path)
    play_out(session, recorder, 1, TURNS)
    return path


def changed_in(contents: Contents, **more: Any) -> Contents:
    return dataclasses.replace(contents, **more)


def packed(contents: Contents, path: Path) -> Path:
    with path.open("wb") as stream:
        archive.write(contents, stream)
    return path


# -- the generator -------------------------------------------------------------------------------------------------


ODD: tuple[Any, ...] = (None, True, 0.5, -1, 10**80, math.nan, math.inf, "", "\u200b", "x\x00", [], {})
"""Where a file has something else."""


def misfits(value: Any) -> Iterator[tuple[str, Any]]:
    """The same JSON value, one value in it at a time replaced by what does not belong there; and what was done."""
    items = (
        [*value.items()]
        if isinstance(value, dict)
        else [*enumerate(value)]
        if isinstance(value, list)
        else []
    )
    for key, each in items:
        for where, other in misfits(each):
            copy = value.copy()
            copy[key] = other
            yield f".{key}{where}", copy
    if items:
        return
    for other in (*ODD, [value], {"a": value}):
        if type(other) is not type(value) or other != value:
            yield f" = {other!r:.20}", other
    if type(value) is int:
        yield " as a float", float(value)
    if isinstance(value, str):
        yield " and what is not seen", value + "\u200b"


def others(value: Any) -> Iterator[tuple[str, Any]]:
    """Other values than a JSON value, and what was done; inside of it one at a time."""
    if isinstance(value, bool):
        yield "", not value
        yield "", int(value)
    elif isinstance(value, (int, float)):
        yield "", value + 1
        yield "", -value - 1
        yield "", 10**300
        yield "", str(value)
    elif isinstance(value, str):
        yield "", value + "x"
        yield "", 7
    elif value is None:
        yield "", "x"
    elif isinstance(value, list):
        yield "[+]", [*value, value[-1] if value else "x"]
        for place, each in enumerate(value):
            yield f"[-{place}]", value[:place] + value[place + 1 :]
            for where, other in others(each):
                yield f"[{place}]{where}", [*value[:place], other, *value[place + 1 :]]
    else:
        yield ".more", {**value, "more": 1}
        for key, each in value.items():
            yield f".-{key}", {name: value[name] for name in value if name != key}
            for where, other in others(each):
                yield f".{key}{where}", {**value, key: other}


def forged_heads(contents: Contents) -> Iterator[Forgery]:
    """Every field that the schema of the head knows."""
    head = json.loads(contents.meta)
    assert set(head) == set(Meta.model_fields)
    assert set(head["versions"]) == set(Versions.model_fields)
    assert set(head["bodies"][0]) == set(BodyMeta.model_fields)
    said = Meta.model_validate_json(contents.meta)
    first = {**head, "bodies": head["bodies"][:1]}
    odd = (
        (where, {**other, "bodies": other["bodies"] + head["bodies"][1:]}) for where, other in misfits(first)
    )
    for where, other in (*others(head), *odd):
        with suppress(ValidationError):
            if Meta.model_validate_json(json.dumps(other)) == said:
                continue  # what is left out means what stood there
        yield f"meta.json{where}", changed_in(contents, meta=json.dumps(other).encode())


def kinds_of(lines: list[dict[str, Any]]) -> tuple[list[int], list[int]]:
    """The first and the last line of every kind there is."""
    first, last = dict[Any, int](), dict[Any, int]()
    for place, line in enumerate(lines):
        given = line.get("input")
        kind = line["type"], given["type"] if isinstance(given, dict) else ""
        first.setdefault(kind, place)
        last[kind] = place
    return sorted(first.values()), sorted(last.values())


def forged_lines(contents: Contents, member: str) -> Iterator[Forgery]:
    """Every key of every kind of line; and lines that are lost, said twice, or taken to another place."""
    text: bytes = getattr(contents, member)
    lines = [json.loads(line) for line in text.splitlines()]
    changed = [("", []), ("[-last]", lines[:-1]), ("[+last]", [*lines, lines[-1]]), ("[-0]", lines[1:])]
    first, last = kinds_of(lines)
    # what does not belong there is refused at once, if it is seen; so it comes first
    for places, forge in ((last, others), (first, misfits)):
        for place in places:
            changed += [
                (f"[{place}]{where}", [*lines[:place], other, *lines[place + 1 :]])
                for where, other in forge(lines[place])
            ]
    for where, rows in changed:
        data = "".join(json.dumps(row) + "\n" for row in rows).encode()
        yield f"{member}{where}", changed_in(contents, **{member: data})


def forged_arrays(contents: Contents) -> Iterator[Forgery]:
    """Every number of a row, at the beginning, in the middle and at the end; rows lost and doubled; all lifted."""
    for steps, poses in (("steps", "poses"), ("state_steps", "state_poses")):
        times, rows = getattr(contents, steps), getattr(contents, poses)
        for place in (0, len(rows) // 2, len(rows) - 1):
            for body in (0, rows.shape[1] - 1):
                for column in range(7):
                    other = rows.copy()
                    other[place, body, column] += 1e-3
                    yield f"{poses}[{place},{body},{column}]", changed_in(contents, **{poses: other})
            other = rows.copy()
            other[place, 0] = np.nan
            yield f"{poses}[{place},0] absent", changed_in(contents, **{poses: other})
            later = times.copy()
            later[place:] += 1
            yield f"{steps}[{place}]", changed_in(contents, **{steps: later})
            fewer = {steps: np.delete(times, place), poses: np.delete(rows, place, axis=0)}
            yield f"{steps}[-{place}]", changed_in(contents, **fewer)
            more = {
                steps: np.insert(times, place, times[place]),
                poses: np.insert(rows, place, rows[place], axis=0),
            }
            yield f"{steps}[+{place}]", changed_in(contents, **more)
        for value in (np.nan, np.inf, -np.inf, 1e30):
            for column in range(7):
                other = rows.copy()
                other[-1, 0, column] = value
                yield f"{poses}[-1,0,{column}] = {value}", changed_in(contents, **{poses: other})
        for kind in ("<f2", ">f4", ">f8", "<f4" if rows.dtype.itemsize == 8 else "<f8", "<i8", "|b1"):
            yield f"{poses} as {kind}", changed_in(contents, **{poses: rows.astype(kind)})
        for kind in ("<i4", ">i8", "<u8", "<f8"):
            yield f"{steps} as {kind}", changed_in(contents, **{steps: times.astype(kind)})
        yield f"{poses} flat", changed_in(contents, **{poses: rows.reshape(len(rows), -1)})
        yield f"{poses} of a body less", changed_in(contents, **{poses: rows[:, 1:]})
        yield f"{poses} turned", changed_in(contents, **{poses: rows[:, ::-1]})
        yield f"{steps} back", changed_in(contents, **{steps: times[::-1]})
        yield f"{steps} below 0", changed_in(contents, **{steps: times - times[-1] - 1})
        lifted = rows.copy()
        lifted[..., 2] += 0.5
        yield f"{poses} lifted", changed_in(contents, **{poses: lifted})
        yield f"{steps} none", changed_in(contents, **{steps: times[:0], poses: rows[:0]})


def forged_hashes(contents: Contents) -> Iterator[Forgery]:
    """Steps and digests; and states with the digests that belong to them, as who knows the format makes them."""
    hashes = contents.hashes
    for place, (step, digest) in enumerate(hashes):
        for row in ((step + 1, digest), (step, digest[::-1])):
            changed = (*hashes[:place], row, *hashes[place + 1 :])
            yield f"hashes[{place}]", changed_in(contents, hashes=changed)
    for where, (row,) in misfits([[*hashes[0]]]):
        yield f"hashes[0]{where}", changed_in(contents, hashes=(tuple(row), *hashes[1:]))
    yield "hashes none", changed_in(contents, hashes=())
    nothing = {"state_steps": contents.state_steps[:0], "state_poses": contents.state_poses[:0]}
    yield "checkpoints none", changed_in(contents, hashes=(), **nothing)
    names = [body["id"] for body in json.loads(contents.meta)["bodies"]]
    for count in range(len(hashes)):
        poses = contents.state_poses.copy()
        poses[count, 0, 2] += 0.001
        there = [body for body in range(len(names)) if not np.isnan(poses[count, body, 0])]
        digest = state_digest([names[body] for body in there], poses[count, there])
        changed = (*hashes[:count], (hashes[count][0], digest), *hashes[count + 1 :])
        yield f"state {count} and its hash", changed_in(contents, state_poses=poses, hashes=changed)


# -- who catches them ----------------------------------------------------------------------------------------------


def is_named(claimed: Replay, made: Replay) -> bool:
    """Whether a forgery of claims alone is caught by what verification compares with, once the game is simulated."""
    outcome = made.meta.outcome or {}
    notes = unproven(claimed, "bullet", int(str(outcome["turns"])), ())
    return bool(
        lacking(claimed)
        or head_difference(claimed.meta, made.meta)
        or difference(claimed, made)
        or end_difference(claimed, outcome)
        or notes
    )


def caught(forgery: Contents, path: Path, catches: Callable[[Path], bool]) -> bool:
    try:
        return catches(packed(forgery, path))
    except RecordError as error:
        return bool(error.problem)


def shared(what: str, forgeries: list[Forgery], path: Path, catches: Callable[[Path], bool]) -> None:
    """Print the share of forgeries that are caught, which is all."""
    missed = [name for name, forgery in forgeries if not caught(forgery, path, catches)]
    print(f"{what}: {len(forgeries) - len(missed)} of {len(forgeries)} forgeries caught")
    assert len(forgeries) > 20
    assert not missed, missed


@pytest.mark.parametrize("every", [EVERY, pytest.param(1, marks=pytest.mark.soak)])
def test_what_is_only_claimed_is_caught(every: int, honest: Path, tmp_path: Path) -> None:
    """The honest recording is what simulating it again gives (the next test says so), so each is held against it."""
    made, contents = load(honest), archive.read(honest)
    assert not is_named(made, made)
    forgeries = [
        *forged_heads(contents),
        *forged_lines(contents, "events"),
        *forged_arrays(contents),
        *forged_hashes(contents),
    ]
    # what the game is made of decides what is simulated: held against a simulation of its own, below
    forgeries = [each for each in forgeries if not is_of_the_game(each[0])]
    shared("claims", forgeries[::every], tmp_path / "b.teeter", lambda path: is_named(load(path), made))


def is_of_the_game(name: str) -> bool:
    return name.startswith(
        (
            "meta.json.seed",
            "meta.json.players",
            "meta.json.options",
            "meta.json.mode",
            "meta.json.game",
            "meta.json.engine",
        )
    )


@pytest.mark.parametrize(
    "every", [pytest.param(EVERY, marks=pytest.mark.slow), pytest.param(1, marks=pytest.mark.soak)]
)
def test_what_decides_the_game_is_caught_when_it_is_simulated(
    every: int, honest: Path, tmp_path: Path
) -> None:
    """A simulation for each: of what does not belong there a quarter; in each run a part of them, all in soak."""
    contents = archive.read(honest)
    found = verify(honest)
    assert (found.agrees, found.unproven, found.is_over) == (True, (), False)
    forgeries = [each for each in forged_heads(contents) if is_of_the_game(each[0])]
    # the last part of a quaternion that points nowhere says nothing: the hand does just the same
    inputs = [each for each in forged_lines(contents, "journal") if not re.search(r"target[.\[]6", each[0])]
    odd = [each for each in inputs if re.search(r"\]\.[^\[]* (=|as|and) ", each[0])]
    forgeries += [each for each in inputs if each[0] not in {name for name, _ in odd}] + odd[::4]
    shared("inputs", forgeries[::every], tmp_path / "b.teeter", lambda path: not verify(path).agrees)


# -- through the command -------------------------------------------------------------------------------------------


def head(contents: Contents, **more: object) -> Contents:
    return changed_in(contents, meta=json.dumps({**json.loads(contents.meta), **more}).encode())


def outcome(contents: Contents, **more: object) -> Contents:
    return head(contents, outcome={**json.loads(contents.meta)["outcome"], **more})


def lifted(contents: Contents) -> Contents:
    poses = contents.poses.copy()
    poses[..., 2] += 0.5
    return changed_in(contents, poses=poses)


def another_model(contents: Contents) -> Contents:
    bodies = json.loads(contents.meta)["bodies"]
    bodies[1]["model"] = "bausack/arch"
    return head(contents, bodies=bodies)


def another_story(contents: Contents) -> Contents:
    lines = [json.loads(line) for line in contents.events.splitlines()]
    lines[0]["story"] = ["Ben wins by cheating."]
    return changed_in(contents, events="".join(json.dumps(line) + "\n" for line in lines).encode())


def aside(contents: Contents) -> Contents:
    """Hashes dropped, and every target of the hand three millimetres aside."""
    lines = [json.loads(line) for line in contents.journal.splitlines()]
    for line in lines:
        if line["type"] == "hand":
            line["target"][0] += 3000
    journal = "".join(json.dumps(line) + "\n" for line in lines).encode()
    return changed_in(without_hashes(contents), journal=journal)


def without_hashes(contents: Contents) -> Contents:
    nothing = {"state_steps": contents.state_steps[:0], "state_poses": contents.state_poses[:0]}
    return changed_in(contents, hashes=(), **nothing)


def stood(contents: Contents) -> Contents:
    """The last piece that was let go is counted as standing, whatever it does: an event, put in by a player."""
    lines = [json.loads(line) for line in contents.journal.splitlines()]
    at = max(number for number, line in enumerate(lines) if line["type"] == "settle")
    piece = next(
        line["input"]["piece"] for line in reversed(lines[:at]) if line.get("input", {}).get("type") == "Take"
    )
    step = lines[at]["step"]
    event = {"type": "CountElapsed", "step": step, "piece": piece, "broken": []}
    lines[at] = {"step": step, "type": "action", "input": event}
    journal = "".join(json.dumps(line) + "\n" for line in lines[: at + 1]).encode()
    return changed_in(contents, journal=journal)


def waiting(steps: str) -> Callable[[Contents], Contents]:
    def forge(contents: Contents) -> Contents:
        first = json.loads(contents.journal.splitlines()[0])["step"]
        line = f'{{"step":{first},"type":"wait","steps":{steps}}}\n'.encode()
        return changed_in(contents, journal=line + contents.journal)

    return forge


FORGED: dict[str, tuple[Callable[[Contents], Contents], int, str]] = {
    "winner": (lambda c: outcome(c, winners=["bold"], ended=True), 1, "meta.json: outcome"),
    "scores": (lambda c: outcome(c, scores={"bold": 9}), 1, "meta.json: outcome.scores"),
    "story": (another_story, 1, "events.jsonl, line 1: 'story': is ['Ben wins by cheating.']"),
    "track": (lifted, 1, "track.npz: poses[0], body 'floor'"),
    "models": (another_model, 1, "meta.json: bodies"),
    "rate": (lambda c: head(c, rate=1), 1, "meta.json: rate: is 1, played again it is 240"),
    "aside": (aside, 3, "not verifiable"),
    "event": (stood, 1, "CountElapsed happens on the table; no player does it"),
    "empty": (lambda c: changed_in(without_hashes(c), journal=b""), 3, "not verifiable"),
    "end": (lambda c: head(c, outcome=None), 3, "not verifiable"),
    "10^300": (waiting("1" + 300 * "0"), 2, "journal.jsonl, line 1"),
    "1e999": (waiting("1e999"), 2, "journal.jsonl, line 1"),
    "NaN": (waiting("NaN"), 2, "journal.jsonl, line 1"),
    "10^12": (waiting("1" + 12 * "0"), 1, "journal.jsonl, line 1"),
    "players": (lambda c: head(c, players=["Ana"]), 1, "refuses"),
    "platform": (lambda c: head(c, platform="vax VMS"), 0, "not proven: meta.json: platform 'vax VMS'"),
    "version": (lambda c: head(c, versions={**json.loads(c.meta)["versions"], "teeter": "9"}), 0, "versions.teeter"),
    "reason": (lambda c: outcome(c, reason="Ben wins: no cards left"), 1, "meta.json: outcome.reason: is 'Ben wins"),
    "turns": (lambda c: outcome(c, reason="broken off after 99 turns"), 1, "meta.json: outcome.reason: is 'broken"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_the_command_names_what_was_forged(name: str, honest: Path, tmp_path: Path) -> None:
    forge, code, words = FORGED[name]
    path = packed(forge(archive.read(honest)), tmp_path / "b.teeter")
    found = RUN.invoke(app, ["verify", str(path)])
    assert found.exit_code == code, found.output
    assert words in " ".join(found.output.split())
    if code:
        assert not found.stdout.startswith("agrees")


def test_the_command_says_what_agreeing_means_and_that_the_game_was_broken_off(honest: Path) -> None:
    found = RUN.invoke(app, ["verify", str(honest)])
    assert found.exit_code == 0
    assert found.stdout.startswith("agrees: ")
    assert "this seed, gives exactly these pictures and this result" in found.stdout
    assert "broken off" in found.stdout
    assert "not proven" not in found.stdout
    assert load(honest).meta.platform == fingerprint()


def test_the_trial_of_a_check_is_told_not_to_be_verifiable(tmp_path: Path) -> None:
    path = tmp_path / "trial.teeter"
    assert RUN.invoke(app, ["check", "two_bricks", "--workers", "1", "--record", str(path)]).exit_code == 0
    found = RUN.invoke(app, ["verify", str(path)])
    assert found.exit_code == 3
    assert "not verifiable: it is the trial of a check" in " ".join(found.stdout.split())


def test_a_limit_ends_it_without_an_answer(honest: Path) -> None:
    found = RUN.invoke(app, ["verify", str(honest), "--limit", "0.001", "--json"])
    assert found.exit_code == 3
    told = json.loads(found.stdout)
    assert (told["agrees"], told["verifiable"], told["first_difference"]) == (False, False, None)
    assert told["why"].startswith("stopped after 0.001 s")
    for wrong in ("0", "-1", "nan", "inf"):
        assert RUN.invoke(app, ["verify", str(honest), "--limit", wrong]).exit_code == 2


def test_what_was_verified_is_neither_true_nor_false(honest: Path) -> None:
    with pytest.raises(TypeError, match=r"ask \.agrees"):
        bool(verify(honest))


# -- going on ------------------------------------------------------------------------------------------------------


def test_a_game_without_a_checkpoint_is_not_gone_on_with_elsewhere(honest: Path, tmp_path: Path) -> None:
    path = packed(without_hashes(archive.read(honest)), tmp_path / "b.teeter")
    asked = ["play", "--resume", str(path), "--headless", "--record", str(tmp_path / "r.teeter")]
    found = RUN.invoke(app, asked)
    assert found.exit_code == 2
    assert "has no checkpoint to go on from" in found.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["b.teeter"]


def test_a_read_only_recording_is_not_replaced(honest: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(honest, tmp_path / "b.teeter"))
    path.chmod(0o444)
    before = path.read_bytes()
    found = RUN.invoke(app, ["play", "--resume", str(path), "--headless", "--turns", "1"])
    assert found.exit_code == 2
    assert "is read-only: fork the game" in found.stderr
    assert path.read_bytes() == before


@pytest.mark.slow
def test_a_recording_that_is_gone_on_with_through_a_link_keeps_its_place_and_its_mode(
    honest: Path, tmp_path: Path
) -> None:
    from teeter.games.play.playback import resume

    path, link = Path(shutil.copy(honest, tmp_path / "b.teeter")), tmp_path / "elsewhere" / "c.teeter"
    path.chmod(0o640)
    link.parent.mkdir()
    link.symlink_to(path)
    session, recorder = resume(link)
    with pytest.raises(RecordError, match="is being recorded by process"):
        resume(path)
    recorder.close(session.summary())
    session.close()
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(each.name for each in tmp_path.rglob("*")) == ["b.teeter", "c.teeter", "elsewhere"]
