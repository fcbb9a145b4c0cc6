"""What is done with recordings: `teeter verify`, `teeter video`, `teeter export` and `teeter replay`."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

from teeter.games.commands.console import (
    OK,
    TOPPLES,
    UNSURE,
    Force,
    Json,
    Recording,
    bar,
    bytes_said,
    choice,
    plain_table,
    print_json,
    refuse,
    say,
)
from teeter.games.commands.standard_input import STANDARD_INPUT, recording_of
from teeter.games.faults import teeter_version

if TYPE_CHECKING:
    from teeter.games.play.playback import Verified

QUALITIES, CAMERAS = ("low", "medium", "high"), ("director", "follow", "orbit", "front")
PRESETS, PACES, TABLES = ("web", "phone", "chat"), ("lively", "true"), ("wood", "felt", "linen", "none")
DIFFERS, NOT_COMPARABLE = TOPPLES, UNSURE


def replay(
    file: Recording,
    at: Annotated[float, typer.Option(help="Start at this second.")] = 0.0,
    margins: Annotated[
        bool, typer.Option("--margins", help="Print the tower's margin after every move, and why it fell.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Watch a recording in a window, forwards or backwards at any speed; check it or play on at any moment."""
    if margins:
        return _margins(recording_of(file), as_json=as_json)
    if as_json:
        refuse("--json prints what --margins finds: give --margins too")
    if str(file) == STANDARD_INPUT:
        refuse("-: a game is gone on with beside its file: name the file, or give --margins")
    from teeter.games.api.pages import load_visible

    recording = load_visible(file)
    # heavy, and not before it is known that there is something to be seen
    from teeter.games.commands.play import open_window

    return open_window(watched=recording, at=at)


def _margins(file: Path, *, as_json: bool) -> int:
    """Print the margin after every move, and why pieces fell."""
    from teeter.engine.record.reader import load
    from teeter.games.play.causes import causes_of
    from teeter.games.play.margins import margins_of
    from teeter.games.play.recording import known_game

    recording = load(file)
    if known_game(recording.meta) is None:
        refuse(
            f"{file}: it is no recording of a game, which alone has moves; `teeter check` tells margins of scenes"
        )
    with bar("asking moves") as progress:
        margins = margins_of(recording, progress)
    causes = causes_of(recording, margins)
    if as_json:
        rows = [asdict(each) for each in margins]
        moves = [
            {"move": row["number"]} | {key: row[key] for key in row if key not in ("number", "way")}
            for row in rows
        ]
        print_json({"teeter": teeter_version(), "moves": moves, "falls": [asdict(cause) for cause in causes]})
        return OK
    table = plain_table("move", "at", "player", "tilt margin", "", right=("move", "at", "tilt margin"))
    for margin in margins:
        tilt = "unknown" if margin.tilt_deg is None else f"{margin.tilt_deg:.2f} degrees"
        cells = (str(margin.number), f"{margin.seconds:.1f} s", margin.player, tilt, margin.told)
        table.add_row(*(escape(cell) for cell in cells))
    console = Console()
    console.print(table)
    for cause in causes:
        console.print(f"At {cause.seconds:.1f} s: {cause.sentence}", markup=False, highlight=False)
    return OK


def verify(
    file: Recording,
    limit: Annotated[
        float | None, typer.Option(help="Give up after this many seconds (exit code 3).")
    ] = None,
    as_json: Json = False,
) -> int:
    """Simulate a replay again and compare everything it shows. Exit code 0: agrees, 1: differs, 3: cannot be
    verified here.

    Agrees means: this journal, from this seed, gives exactly these pictures and this result. It proves physics and
    rules, not who sat there.
    """
    from teeter.games.play.playback import verify as play_again

    if limit is not None and not 0.0 < limit < math.inf:
        refuse(f"--limit {limit:g}: seconds, above 0")
    with bar("playing again") as progress:
        result = play_again(recording_of(file), progress, limit)
    code = OK if result.agrees else DIFFERS if result.comparable and result.is_verifiable else NOT_COMPARABLE
    if as_json:
        difference = {"step": result.difference, "place": result.place, "why": result.why}
        print_json(
            {
                "agrees": result.agrees,
                "comparable": result.comparable,
                "verifiable": result.is_verifiable,
                "over": result.is_over,
                "steps": result.steps,
                "first_difference": None if result.difference is None else difference,
                "unproven": list(result.unproven),
                "why": result.why,
            }
        )
        return code
    _tell(result, code)
    return code


def _tell(result: Verified, code: int) -> None:
    """Say what verification found."""
    console = Console()

    def line(text: str) -> None:
        console.print(text, highlight=False, markup=False, soft_wrap=True)

    if result.agrees:
        console.print(f"[green]agrees[/green]: {result.steps} steps simulated again, bit for bit")
        from teeter.engine.record.format import MEANING

        for sentence in MEANING:
            line(sentence[0].upper() + sentence[1:])
        if not result.is_over:
            line("The game was broken off: it is not over.")
    else:
        where = "" if result.difference is None else f" from step {result.difference} on"
        word = (
            "differs" if code == DIFFERS else "not comparable" if result.is_verifiable else "not verifiable"
        )
        console.print(f"[red]{word}[/red]{where}: ", end="")
        line(f"{result.place}: {result.why}" if result.place else result.why)
    for note in result.unproven:
        line(f"not proven: {note}")


def export(
    file: Recording,
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write: .html or .glb.")],
    fps: Annotated[
        int | None,
        typer.Option(
            help="With .glb: one key per frame at this rate, with the film's camera and sun, for rendering elsewhere."
        ),
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> int:
    """Export a recording as a web page that replays it (.html) or as an animated glTF model (.glb)."""
    from teeter.games.api import functions

    made = functions.export(recording_of(file), out, fps=fps, force=force)
    if as_json:
        pieces = {} if made.pieces is None else {"pieces": made.pieces}
        print_json({"file": str(out), "bytes": made.size, **pieces, "seconds": round(made.seconds, 3)})
    elif made.pieces is None:
        say(f"{out}: {made.seconds:.1f} s, {bytes_said(made.size)}; open it in a browser")
    else:
        say(f"{out}: {made.pieces} pieces, {made.seconds:.1f} s, {bytes_said(made.size)}")
    return OK


@dataclass(frozen=True, slots=True)
class VideoRequest:
    """Everything `teeter video` is asked, as typed; None where nothing was said."""

    file: Recording
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="File to write: .mp4, .webm, .gif, .webp, .png for a still, frames/%05d.png for all frames and sound.",
        ),
    ]
    size: Annotated[
        str | None, typer.Option(metavar="WxH", help="Width and height in pixels, such as 1280x720.")
    ] = None
    fps: Annotated[int | None, typer.Option(help="Frames per second.")] = None
    quality: Annotated[str | None, choice("Rendering quality.", *QUALITIES)] = None
    camera: Annotated[str | None, choice("How the camera moves.", *CAMERAS)] = None
    preset: Annotated[
        str | None, choice("Target: phone is 1080x1920, chat is a file of at most 8 MB.", *PRESETS)
    ] = None
    slow_fall: Annotated[bool, typer.Option("--slow-fall", help="Show each collapse in slow motion.")] = False
    speed: Annotated[float, typer.Option(help="Playback speed; 2 is twice as fast.")] = 1.0
    begin_s: Annotated[float | None, typer.Option("--from", help="Start at this second.")] = None
    end_s: Annotated[float | None, typer.Option("--to", help="End at this second.")] = None
    pace: Annotated[str | None, choice("Shorten waits (lively) or keep them (true).", *PACES)] = None
    no_captions: Annotated[bool, typer.Option("--no-captions", help="Leave out captions.")] = False
    no_hand: Annotated[bool, typer.Option("--no-hand", help="Leave out the hands.")] = False
    no_sound: Annotated[bool, typer.Option("--no-sound", help="Leave out sound.")] = False
    cards: Annotated[
        bool | None, typer.Option("--cards/--no-cards", help="Show title and result; on for whole games.")
    ] = None
    anonymous: Annotated[bool, typer.Option("--anonymous", help="Show numbers instead of names.")] = False
    table: Annotated[
        str | None, choice("Table to show; none leaves it transparent, as in frames/.", *TABLES)
    ] = None
    strip: Annotated[int, typer.Option(help="With .png: this many pictures side by side.")] = 1
    workers: Annotated[int | None, typer.Option(help="Rendering processes; as many as pay by default.")] = (
        None
    )
    force: Force = False
    as_json: Json = False


def video(request: VideoRequest) -> int:
    """Export a recording as a video with sound, a loop, a picture or a strip of pictures."""
    from teeter.engine.view.video.film import size_of
    from teeter.games.api.functions import video

    asked = {field.name: getattr(request, field.name) for field in fields(request)}
    for name in ("captions", "hand", "sound"):
        asked[name] = not asked.pop(f"no_{name}")
    asked["size"] = None if request.size is None else size_of(request.size)
    del asked["as_json"]
    with bar("drawing") as progress:
        made = video(recording_of(asked.pop("file")), **asked, progress=progress)
    files = [request.out] if request.out.is_file() else request.out.parent.iterdir()
    size = sum(file.stat().st_size for file in files)
    if request.as_json:
        print_json(
            {
                "file": str(request.out),
                "seconds": round(made.seconds, 3),
                "pictures": made.frames,
                "size": list(made.size),
                "bytes": size,
            }
        )
    else:
        width, height = made.size
        runs = f"{made.seconds:.1f} s, " if made.seconds else ""
        say(f"{request.out}: {runs}{width} x {height}, {bytes_said(size)}")
    return OK
