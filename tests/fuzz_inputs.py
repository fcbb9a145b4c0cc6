"""Damaged inputs of every kind that teeter reads, each drawn from a seed."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from fuzz_processes import ROOT, Tree, Trial, tree_of
from fuzzing import ODD_TEXTS, damaged, grafted
from test_fuzz_scenes import WORDS, edited, seed_of
from test_record_hostile import Entries, entries, zipped

RECORDINGS = ROOT / "tests" / "recordings"
SCENES = ROOT / "scenes"
NOBODY = ("--without", "nobody")
"""A piece that no scene has: what is read is refused at last, before it is simulated."""
SHARE_RUN = 0.03
"""Of sound inputs that are carried out, which takes a hundred times as long as reading them."""
EDITS = ("flip", "drop", "put", "copy", "cut", "number")


def edits(state: random.Random) -> list[tuple[str, float, int, bytes]]:
    """Up to six edits for `edited`."""
    return [
        (state.choice(EDITS), state.random(), state.randrange(256), state.choice(WORDS))
        for _ in range(state.randint(1, 6))
    ]


def bytes_or_text(data: bytes, state: random.Random) -> bytes:
    """A file damaged as bytes, or as the text that it is."""
    if state.random() < 0.5:
        return edited(data, edits(state))
    return damaged(data.decode("utf-8", "replace"), state).encode("utf-8", "replace")


def checked(name: str, data: bytes, state: random.Random, *more: str) -> Trial:
    """A scene or mesh file that is read, and now and then judged."""
    last = ("--workers", "1", "--time", "0.3") if state.random() < SHARE_RUN else NOBODY
    return Trial(("check", name, *more, *last), {name: data})


@cache
def scenes() -> tuple[bytes, ...]:
    own = [path.read_bytes() for path in sorted(SCENES.glob("*.toml")) if path.stat().st_size < 4000]
    return (seed_of("toml"), *own)


def scene_file(state: random.Random) -> Trial:
    data = seed_of("toml") if state.random() < 0.6 else state.choice(scenes())
    return checked("scene.toml", bytes_or_text(data, state), state)


def mesh_file(kind: str) -> Callable[[random.Random], Trial]:
    def make(state: random.Random) -> Trial:
        data = edited(seed_of(kind), edits(state))
        if kind == "gltf" and state.random() < 0.5:
            data = json.dumps(grafted(json.loads(seed_of(kind)), state)).encode()
        if kind == "glb" and state.random() < 0.5:
            data = _glb(grafted(_head(), state))
        return checked(f"mesh.{kind}", data, state, "--table", "lowest")

    return make


@cache
def _head() -> Any:
    data = seed_of("glb")
    return json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])


def _glb(head: Any) -> bytes:
    """A `.glb` with another head, its lengths told as they are."""
    data = seed_of("glb")
    binary = data[20 + int.from_bytes(data[12:16], "little") :]
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 4)
    size = (12 + 8 + len(text) + len(binary)).to_bytes(4, "little")
    return data[:8] + size + len(text).to_bytes(4, "little") + b"JSON" + text + binary


@cache
def recorded(name: str) -> tuple[bytes, Entries]:
    data = (RECORDINGS / name).read_bytes()
    return data, entries(data)


def grafted_lines(data: bytes, state: random.Random) -> bytes:
    """Lines of JSON, one of them odd, gone, twice, or no JSON."""
    lines = data.splitlines()
    row = state.randrange(len(lines))
    match state.randrange(6):
        case 0:
            del lines[row]
        case 1:
            lines.insert(row, lines[row])
        case 2:
            lines[row] = damaged(lines[row].decode("utf-8", "replace"), state).encode("utf-8", "replace")
        case _:
            lines[row] = json.dumps(grafted(json.loads(lines[row]), state)).encode()
    return b"\n".join(lines) + b"\n"


def damaged_entry(name: str, data: bytes, state: random.Random) -> bytes:
    if name == "meta.json" and state.random() < 0.8:
        return json.dumps(grafted(json.loads(data), state)).encode()
    if name.endswith("jsonl") and state.random() < 0.8 and data:
        return grafted_lines(data, state)
    return edited(data, edits(state)) if data else b"{"


def used_recording(name: str, state: random.Random) -> tuple[str, ...]:
    """A command about a recording: mostly one that only reads."""
    if state.random() < SHARE_RUN:
        return state.choice(
            (
                ("play", "--resume", name, "--headless", "--turns", "1"),
                ("verify", name, "--json"),
                ("export", name, "-o", "out.html"),
            )
        )
    return "export", name, "-o", "out.glb"


MAY_WRITE = frozenset(("out.glb", "out.html"))


def replay_file(state: random.Random) -> Trial:
    data, content = recorded(state.choice(("wonky-2.teeter", "bausack-2.teeter")))
    if state.random() < 0.2:
        data = edited(data, edits(state))
    else:
        name = state.choice(("meta.json", "journal.jsonl", "events.jsonl", *content))
        data = zipped(dict(content) | {name: damaged_entry(name, content[name], state)})
    return Trial(used_recording("game.teeter", state), {"game.teeter": data})


@cache
def unfinished() -> Tree:
    """The folder of a game that was killed."""
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom teeter.games.play.recording import begin\n"
        "from teeter.games.players.bots import play_out\nfrom teeter.games.registry import GAMES\n"
        "game = next(each for each in GAMES if each.name == 'wonky')\n"
        "players = ('bot:steady', 'bot:clumsy')\n"
        "session, recorder = begin(game, players, 3, {}, path=Path(sys.argv[1]))\n"
        "end = recorder.checkpoint\nleft = 6\n"
        "def counted(*given):\n    global left\n    end(*given)\n    left -= 1\n    left or os._exit(0)\n"
        "recorder.checkpoint = counted\nplay_out(session, recorder, 3, 40)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", code, f"{folder}/game.teeter"], cwd=ROOT, check=True)
        return tree_of(Path(folder))


def folder(state: random.Random) -> Trial:
    files = {name: data for name, data in unfinished().items() if not name.endswith(("/", "lock"))}
    name = state.choice(sorted(files))
    if state.random() < 0.1:
        del files[name]
    else:
        files[name] = damaged_entry(name, files[name], state)
    arguments = used_recording("game.teeter.part", state)
    if arguments[0] == "play":
        # gone on with: it is the game's own folder, up to its last checkpoint
        return Trial(arguments, files, may_change=frozenset((*files, "game.teeter.part/lock")))
    return Trial(arguments, files)


SETTINGS = (
    '[picture]\nquality = "low"\nletters = 1.25\n\n[sound]\nvolume = 0.5\n\n[help]\nlevel = "coach"\n\n'
    '[keys]\nundo = "u z"\n'
)


def read_settings() -> None:
    from teeter.games.present.settings import load_settings, write_settings

    load_settings(Path("settings.toml"))
    write_settings({"sound": {"volume": 0.25}}, Path("settings.toml"))


def settings_file(state: random.Random) -> Trial:
    return Trial((), {"settings.toml": bytes_or_text(SETTINGS.encode(), state)}, call=read_settings)


SWEEP = ("sweep", "two_bricks", "--piece", "slab", "--x=0:20:2", "--y=0", "--workers", "1", "--no-margins")


@cache
def swept() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/table.csv"
        command = [sys.executable, "-m", "teeter", *SWEEP, "--out", file]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        return Path(file).read_bytes()


def table_file(state: random.Random) -> Trial:
    return Trial((*SWEEP, "--out", "table.csv"), {"table.csv": bytes_or_text(swept(), state)})


@cache
def certificate() -> Any:
    from teeter.engine.certificate.maker import certify
    from teeter.scenes.load import load

    return certify(load("two_bricks").assembly, stands=True)


def certificate_file(state: random.Random) -> Trial:
    from contextlib import suppress

    from teeter.engine.certificate.checker import digest_of

    if state.random() < 0.2:
        data = bytes_or_text(json.dumps(certificate()).encode(), state)
        return Trial(("verify-certificate", "proof.json"), {"proof.json": data})
    found = grafted(certificate(), state)
    if isinstance(found, dict) and state.random() < 0.7:
        with suppress(TypeError, ValueError, KeyError):
            found["digest"] = digest_of(found)
    return Trial(("verify-certificate", "proof.json", "--json"), {"proof.json": json.dumps(found).encode()})


CATALOGUE = b"""[[piece]]
id = "brick"
shape = { box = [75, 25, 15] }
material = "beech"
colour = "red"
face = { text = "+2" }

[[piece]]
id = "bowl"
shape = { revolve = [[0, 0], [20, 0], [24, 12], [0, 8]] }
material = { like = "beech", density = 700 }
face = "print.two"

[[print]]
name = "two"
text = "2"
"""


@cache
def catalogues() -> tuple[bytes, ...]:
    return tuple(
        path.read_bytes() for path in sorted((ROOT / "models").glob("*.toml")) if path.stat().st_size < 20_000
    )


def catalogue_file(state: random.Random) -> Trial:
    data = CATALOGUE if state.random() < 0.6 else state.choice(catalogues())
    return Trial(("models", "mine"), {"models/mine.toml": bytes_or_text(data, state)})


VALUES = (
    *ODD_TEXTS,
    *(
        "0",
        "1",
        "2",
        "-1",
        "0.5",
        "1e308",
        "-1e308",
        "inf",
        "-inf",
        "1:2:3",
        "0:0:0",
        "3:1:1",
        "0:1:99999999999",
    ),
    *(
        "arch",
        "bridge",
        "two_bricks",
        "tower",
        "counterweight",
        "slab",
        "deck",
        "*",
        "[",
        "out.glb",
        "out.png",
    ),
    *(
        "out.csv",
        "out.mp4",
        "out.html",
        "out.teeter",
        ".",
        "/",
        "/dev/null",
        "/proc/self/mem",
        "game.teeter",
        "~",
    ),
    *("bot:steady", "bot:steady,bot:clumsy", "Ana,Ben", "bot:", ",", "a=b", "=", "mode=solo", "challenge=99"),
    *("wonky", "bausack", "crazy-tower", "tower-topple", "sandbox", "solo", "saboteur", "bullet", "rapier"),
    *(
        "mm",
        "cm",
        "lowest",
        "none",
        "beech",
        "1280x720",
        "0x0",
        "99999x99999",
        "tcp://127.0.0.1:1",
        "x" * 3000,
    ),
    *(
        "--",
        "-",
        "--help",
        "--json",
        "-o",
        "\udcff",
        "ｗ",
        "‮abc",
        "\u2028",
        "a\tb",
        "1_000",
        "٣",
        "0x10",
        "1e3",
        "+5",
    ),
)
WINDOWED = {"view", "replay"}
"""Commands that open a window if they can."""
LONG = {"demo", "bench", "doctor"}
"""Commands that begin to work whatever else is said."""


@cache
def options_of() -> dict[str, tuple[tuple[str, ...], int]]:
    """By command: its options, and how many arguments it takes."""
    import typer

    from teeter.games.cli import app

    found: dict[str, tuple[tuple[str, ...], int]] = {}
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        words = [word for each in command.params if each.param_type_name == "option" for word in each.opts]
        arguments = sum(each.param_type_name == "argument" for each in command.params)
        found[name] = tuple(word for word in words if word != "--help"), arguments
    return found


def words(state: random.Random) -> Trial:
    """A command line: a command, what it takes, and odd values of its options."""
    commands = sorted(set(options_of()) - LONG)
    command = state.choice(commands)
    options, arguments = options_of()[command]
    line = [command, *(state.choice(VALUES) for _ in range(arguments))]
    if command in WINDOWED:
        line[1:2] = [state.choice(ODD_TEXTS)]
    if command == "play":
        line.append("--headless")
    if command in ("check", "sweep"):
        line += ["--workers", "1"]
    for _ in range(state.randint(0, 4)):
        option = state.choice(options) if options else "--json"
        line.append(f"{option}={state.choice(VALUES)}" if state.random() < 0.6 else option)
        if state.random() < 0.3:
            line.append(state.choice(VALUES))
    if state.random() < 0.05:
        line[0] = state.choice(VALUES)
    # no argument of a process holds a NUL
    line = [word.replace("\x00", "") for word in line]
    data = {"game.teeter": (RECORDINGS / "wonky-2.teeter").read_bytes()}
    return Trial(line, data, may_last=True)


KINDS: dict[str, Callable[[random.Random], Trial]] = {
    "scene": scene_file,
    **{kind: mesh_file(kind) for kind in ("glb", "gltf", "obj", "stl", "ply", "3mf")},
    "catalogue": catalogue_file,
    "recording": replay_file,
    "folder": folder,
    "settings": settings_file,
    "table": table_file,
    "certificate": certificate_file,
    "words": words,
}
"""By name: what makes a trial of a seed."""
