"""What is done with recordings: `teeter verify`, `teeter video`, `teeter export` and `teeter replay`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from games.commands.console import OK, TOPPLES, UNSURE, Json, Recording, bar, print_json, say

DIFFERS, NOT_COMPARABLE = TOPPLES, UNSURE


def replay(
    file: Recording, at: Annotated[float, typer.Option(help="Second of the recording to begin at.")] = 0.0
) -> int:
    """Watch a recording in a window: forward, backward, at any speed; check and go on with it at any moment."""
    from games.api.pages import shown

    recording = shown(file)
    # heavy, and not before it is known that there is something to be seen
    from games.commands.replay import watch

    return watch(recording, at)


def verify(file: Recording, as_json: Json = False) -> int:
    """Play a replay again and compare. Exit code 0: agrees, 1: differs, 3: from another platform."""
    from games.play.playback import verify as play_again

    with bar("playing again") as progress:
        found = play_again(file, progress)
    if as_json:
        difference = None if found.difference is None else {"step": found.difference, "why": found.why}
        print_json(
            {
                "agrees": found.agrees,
                "comparable": found.comparable,
                "steps": found.steps,
                "first_difference": difference,
            }
        )
    elif found.agrees:
        Console().print(f"[green]agrees[/green]: {found.steps} steps simulated again, bit for bit")
    else:
        where = "" if found.difference is None else f" from step {found.difference} on"
        word = "differs" if found.steps else "not comparable"
        Console().print(f"[red]{word}[/red]{where}: {found.why}", highlight=False)
        if found.steps and not found.comparable:
            Console().print("It was recorded on another platform, where numbers may round differently.")
    if found.agrees:
        return OK
    return DIFFERS if found.comparable else NOT_COMPARABLE


def export(
    file: Recording,
    out: Annotated[Path, typer.Option("--out", "-o", help="What to write: .html for browsers, or .glb.")],
    as_json: Json = False,
) -> int:
    """A recording as one page that any browser replays (.html), or as an animated glTF model (.glb)."""
    from games.api import functions

    made = functions.export(file, out)
    if as_json:
        pieces = {} if made.pieces is None else {"pieces": made.pieces}
        print_json({"file": str(out), "bytes": made.size, **pieces, "seconds": round(made.seconds, 3)})
    elif made.pieces is None:
        say(f"{out}: {made.seconds:.1f} s, {made.size / 1e6:.2f} MB; open it in a browser")
    else:
        say(f"{out}: {made.pieces} pieces, {made.seconds:.1f} s, {made.size / 1e6:.1f} MB")
    return OK


@dataclass(frozen=True, slots=True)
class VideoRequest:
    """Everything `teeter video` is asked, as typed; None where nothing was said."""

    file: Recording
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="What to write: .mp4, .webm, .gif, .webp, or .png for a still."),
    ]
    size: Annotated[str | None, typer.Option(help="Width x height in pixels, such as 1280x720.")] = None
    fps: Annotated[int | None, typer.Option(help="Pictures a second.")] = None
    quality: Annotated[str | None, typer.Option(help="low, medium or high.")] = None
    camera: Annotated[str | None, typer.Option(help="director, follow, orbit or front.")] = None
    preset: Annotated[
        str | None, typer.Option(help="web, phone (1080x1920) or chat (a small file of at most 8 MB).")
    ] = None
    slow_fall: Annotated[
        bool, typer.Option("--slow-fall", help="Slow motion from just before each collapse.")
    ] = False
    speed: Annotated[float, typer.Option(help="Of everything; 2 is twice as fast.")] = 1.0
    begin_s: Annotated[float | None, typer.Option("--from", help="Second of the recording to begin at.")] = (
        None
    )
    end_s: Annotated[float | None, typer.Option("--to", help="Second of the recording to end at.")] = None
    pace: Annotated[str | None, typer.Option(help="lively (waiting is shortened) or true (as it was).")] = (
        None
    )
    no_captions: Annotated[bool, typer.Option("--no-captions", help="Nothing written over it.")] = False
    no_hand: Annotated[bool, typer.Option("--no-hand", help="Pieces move without a hand.")] = False
    no_sound: Annotated[bool, typer.Option("--no-sound", help="Without sound.")] = False
    cards: Annotated[
        bool | None,
        typer.Option("--cards/--no-cards", help="A title before and the result after; on for whole games."),
    ] = None
    anonymous: Annotated[bool, typer.Option("--anonymous", help="Numbers instead of names.")] = False
    table: Annotated[str | None, typer.Option(help="wood, felt or linen.")] = None
    strip: Annotated[int, typer.Option(help="With .png: so many pictures side by side.")] = 1
    workers: Annotated[
        int | None, typer.Option(help="Processes to draw with; as many as pay when left out.")
    ] = None
    as_json: Json = False


def video(request: VideoRequest) -> int:
    """A recording as a video with sound, a loop, a picture or a strip of pictures."""
    from engine.view.video.film import size_of
    from games.api.functions import video

    asked = {each.name: getattr(request, each.name) for each in fields(request)}
    for name in ("captions", "hand", "sound"):
        asked[name] = not asked.pop(f"no_{name}")
    asked["size"] = None if request.size is None else size_of(request.size)
    del asked["as_json"]
    with bar("drawing") as progress:
        made = video(asked.pop("file"), **asked, progress=progress)
    size = request.out.stat().st_size
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
        say(f"{request.out}: {made.seconds:.1f} s, {width} x {height}, {size / 1e6:.1f} MB")
    return OK
