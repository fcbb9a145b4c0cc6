"""`teeter demo`: the main job in a minute or two and without a screen: a game, its replay, a video, a verdict."""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from teeter.games import exits
from teeter.games.commands.console import OK, Force, plain_table, refuse, stages

PLAYERS, SEED = ("bot:bold", "bot:clumsy"), 38
HOUSE = {"rounds": 1}
SCENE = "arch"
FILES = ("game.teeter", "highlight.mp4", "check.png", "game.html")
SECONDS = 10.0
"""Of the highlight."""


def run(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to.")] = Path("demo"),
    force: Force = False,
) -> int:
    """Make a game by bots, verify its replay, and export ten seconds of video, the picture of a verdict and a page.

    Exit code 70 if the replay does not agree with the game just played.
    """
    replay, film, picture, page = (out / name for name in FILES)
    _check_outputs(out, force)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        refuse(f"{out}: cannot be made: {error.strerror or error}")
    differs: list[str] = []
    steps: Sequence[tuple[str, Callable[[], tuple[str, Path]]]] = (
        ("playing a game", lambda: (_game(replay, force), replay)),
        ("playing it again", lambda: (_verify(replay, differs), replay)),
        ("filming its highlight", lambda: _video(replay, film, force)),
        ("checking a scene", lambda: _picture(picture, force)),
        ("writing a page", lambda: _page(replay, page, force)),
    )
    console = Console()
    table = plain_table("what", "where", "size", "time", title="What was made")
    with stages(always=True) as tell:
        for words, step in steps:
            tell(words)
            started = time.perf_counter()
            what, where = step()
            took, size = time.perf_counter() - started, where.stat().st_size / 1e6
            table.add_row(what, str(where), f"{size:.2f} MB", f"{took:.0f} s")
    console.print(table)
    console.print(
        f"Watch it with [bold]teeter replay {replay}[/bold], or play with [bold]teeter play[/bold]."
    )
    if differs:
        sys.stderr.write(f"teeter: {replay}: {differs[0]}\n")
        return exits.CRASHED
    return OK


def _check_outputs(out: Path, force: bool) -> None:
    """Refuse what is in the folder already, all of it in one message, before anything is made."""
    from teeter.models.files import output_fault

    if out.is_dir():
        faults = {out / name: output_fault(out / name, force=force) for name in FILES}
        if wrong := [f"{path}: {fault}" for path, fault in faults.items() if fault]:
            refuse("\n".join(wrong))


def _game(path: Path, force: bool) -> str:
    from teeter.games.api.functions import play
    from teeter.games.registry import DEMO, game_named

    result = play(DEMO, PLAYERS, seed=SEED, turns=60, record=path, force=force, **HOUSE)
    return f"a game of {game_named(DEMO).title} by two bots, {result.turns} turns: {result.reason}"


def _verify(path: Path, differs: list[str]) -> str:
    from teeter.games.play.playback import verify

    result = verify(path)
    if result.agrees:
        return f"its replay, verified: {result.steps} steps agree bit for bit"
    differs.append(f"played again, it differs: {result.why}")
    return differs[-1]


def _video(replay: Path, path: Path, force: bool) -> tuple[str, Path]:
    import numpy as np

    from teeter.engine.record.motion import motion_of
    from teeter.engine.record.reader import load
    from teeter.engine.view.video.pace import highlight
    from teeter.games.api.functions import video
    from teeter.games.play.replays import bodies_of

    recording = load(replay)
    reach = {body.name: float(np.linalg.norm(body.piece.extents)) / 2 for body in bodies_of(recording)}
    motion = motion_of(recording, [reach.get(name, 0.0) for name in recording.meta.names])
    begin, end = highlight(motion, recording.seconds, SECONDS)
    made = video(replay, path, begin_s=begin, end_s=end, slow_fall=True, force=force)
    return f"its highlight, {made.seconds:.0f} s in slow motion, with sound", path


def _picture(path: Path, force: bool) -> tuple[str, Path]:
    from teeter.games.api.functions import check

    verdict = check(SCENE)
    return f"the scene `{SCENE}` {verdict.word}: its forces", verdict.picture(path, force=force)


def _page(replay: Path, path: Path, force: bool) -> tuple[str, Path]:
    from teeter.games.api.functions import export

    return f"the game as a page for any browser, {export(replay, path, force=force).seconds:.0f} s", path
