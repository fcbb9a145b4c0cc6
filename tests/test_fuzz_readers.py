"""Damaged settings, tables, certificates and recordings: a sentence, never a traceback, whatever was damaged."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzzing import damaged, grafted
from test_record_hostile import Entries, entries, zipped

from teeter.engine.certificate.checker import RefusedError, check, digest_of
from teeter.engine.certificate.maker import certify
from teeter.engine.record.gltf import glb_of_replay
from teeter.engine.record.motion import motion_of
from teeter.engine.record.reader import load
from teeter.engine.topple.laboratory.results_table import ResultsTable
from teeter.engine.topple.laboratory.sweep import COLUMNS
from teeter.engine.view.video.film import film_of, preset
from teeter.games.play.replays import bodies_of, telling_of
from teeter.games.present.settings import load_settings, write_settings
from teeter.models.errors import TeeterError
from teeter.scenes.load import load as load_scene

RECORDINGS = Path(__file__).parent / "recordings"
SETTINGS = (
    '[picture]\nquality = "low"\nletters = 1.25\n\n[sound]\nvolume = 0.5\n\n[help]\nlevel = "coach"\n\n'
    '[keys]\nundo = "u z"\n'
)
ROWS = (
    "0,bridge,-10.0,0.0,120.0,0.0,stands,dynamics,0.7207,deck,b58d05dc60a78ad5\n"
    "1,bridge,0.0,0.0,120.0,0.0,topples,statics,0.0,deck,85398064f947186d\n"
)


def read_settings(state: random.Random, folder: Path) -> None:
    file = folder / "settings.toml"
    file.write_text(damaged(SETTINGS, state), encoding="utf-8")
    load_settings(file)
    write_settings({"sound": {"volume": 0.25}}, file)
    assert load_settings(file).sound.volume == 0.25


def read_table(state: random.Random, folder: Path) -> None:
    file = folder / "table.csv"
    file.write_text(damaged(",".join(COLUMNS) + "\n" + ROWS, state), encoding="utf-8", newline="")
    table = ResultsTable(file)
    table.close()
    json.dumps([row.x_mm for row in table.rows.values()], allow_nan=False)


@cache
def certificate() -> Any:
    return certify(load_scene("two_bricks").assembly, stands=True)


def read_certificate(state: random.Random, folder: Path) -> None:
    """Signed anew, a change may be a true statement about another scene; unsigned, all are refused."""
    found = grafted(certificate(), state)
    is_signed = isinstance(found, dict) and state.random() < 0.7
    if is_signed:
        with suppress(TypeError, ValueError, KeyError):
            found["digest"] = digest_of(found)
    with suppress(RefusedError):
        check(found)
        assert is_signed or found == certificate()


@cache
def recorded(name: str) -> Entries:
    return entries((RECORDINGS / name).read_bytes())


def read_recording(state: random.Random, folder: Path) -> None:
    """What can still be loaded can be told, filmed (but for the drawing) and exported."""
    content = dict(recorded(state.choice(("wonky-2.teeter", "bausack-2.teeter"))))
    name = state.choice(("meta.json", "journal.jsonl", "events.jsonl"))
    if name == "meta.json":
        content[name] = json.dumps(grafted(json.loads(content[name]), state)).encode()
    else:
        lines = content[name].splitlines()
        row = state.randrange(len(lines))
        lines[row] = json.dumps(grafted(json.loads(lines[row]), state)).encode()
        content[name] = b"\n".join(lines) + b"\n"
    file = folder / "game.teeter"
    file.write_bytes(zipped(content))
    replay = load(file)
    bodies = bodies_of(replay)
    telling = telling_of(replay)
    film_of(replay, bodies, telling, preset("web"))
    reach = {body.name: float(np.linalg.norm(body.piece.extents)) / 2 for body in bodies}
    motion_of(replay, [reach.get(name, 0.0) for name in replay.meta.names])
    glb_of_replay(replay, bodies, title=telling.title)


READERS: dict[str, tuple[Callable[[random.Random, Path], None], int]] = {
    "settings": (read_settings, 700),
    "table": (read_table, 700),
    "certificate": (read_certificate, 500),
    "recording": (read_recording, 12),
}


def put_through(reader: Callable[[random.Random, Path], None], seed: int, folder: Path) -> None:
    said = "-"
    try:
        reader(random.Random(seed), folder)
    except TeeterError as error:
        said = str(error)
    except Exception as error:
        error.add_note(f"seed {seed}")
        raise
    assert 0 < len(said) < 2000


@pytest.mark.parametrize("name", [name for name in READERS if name != "recording"])
def test_damage_is_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    reader, count = READERS[name]
    for seed in range(count):
        put_through(reader, seed, tmp_path)


@pytest.mark.slow
def test_damaged_recordings_are_refused_or_can_be_filmed(tmp_path: Path) -> None:
    reader, count = READERS["recording"]
    for seed in range(count):
        put_through(reader, seed, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("name", READERS)
def test_much_damage(name: str, tmp_path: Path) -> None:
    reader, count = READERS[name]
    for seed in range(count, 41 * count):
        put_through(reader, seed, tmp_path)
