"""The words and options of the commands that show recordings. What they do is in `games.commands`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from games.commands.console import reports

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
File = Annotated[Path, typer.Argument(help="A replay, or the folder of a game that was broken off.")]


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    app.command(epilog="Example: teeter video game.teeter -o game.mp4 --slow-fall")(reports(video))
    app.command(epilog="Example: teeter export game.teeter -o game.glb")(reports(export))
    app.command("replay", epilog="Example: teeter replay game.teeter")(reports(watch))


def video(
    file: File,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="What to write: .mp4, .webm, .gif, .webp, or .png for a still."),
    ],
    size: Annotated[Optional[str], typer.Option(help="Width x height in pixels, such as 1280x720.")] = None,
    fps: Annotated[Optional[int], typer.Option(help="Pictures a second.")] = None,
    quality: Annotated[Optional[str], typer.Option(help="low, medium or high.")] = None,
    camera: Annotated[Optional[str], typer.Option(help="director, follow, orbit or front.")] = None,
    preset: Annotated[
        Optional[str], typer.Option(help="web, phone (1080x1920) or chat (a small file of at most 8 MB).")
    ] = None,
    slow_fall: Annotated[
        bool, typer.Option("--slow-fall", help="Slow motion from just before each collapse.")
    ] = False,
    speed: Annotated[float, typer.Option(help="Of everything; 2 is twice as fast.")] = 1.0,
    begin: Annotated[
        Optional[float], typer.Option("--from", help="Second of the recording to begin at.")
    ] = None,
    end: Annotated[Optional[float], typer.Option("--to", help="Second of the recording to end at.")] = None,
    pace: Annotated[
        Optional[str], typer.Option(help="lively (waiting is shortened) or true (as it was).")
    ] = None,
    no_captions: Annotated[bool, typer.Option("--no-captions", help="Nothing written over it.")] = False,
    no_hand: Annotated[bool, typer.Option("--no-hand", help="Pieces move without a hand.")] = False,
    no_sound: Annotated[bool, typer.Option("--no-sound", help="Without sound.")] = False,
    cards: Annotated[
        Optional[bool],
        typer.Option("--cards/--no-cards", help="A title before and the result after; on for whole games."),
    ] = None,
    anonymous: Annotated[bool, typer.Option("--anonymous", help="Numbers instead of names.")] = False,
    strip: Annotated[int, typer.Option(help="With .png: so many pictures side by side.")] = 1,
    workers: Annotated[
        Optional[int], typer.Option(help="Processes to draw with; as many as pay when left out.")
    ] = None,
    as_json: Json = False,
) -> None:
    """A recording as a video with sound, a loop, a picture or a strip of pictures."""
    from games.commands.video import Request, run

    request = Request(
        file=file,
        out=out,
        preset=preset,
        size=size,
        fps=fps,
        quality=quality,
        camera=camera,
        pace=pace,
        speed=speed,
        slow_fall=slow_fall,
        begin=begin,
        end=end,
        captions=not no_captions,
        cards=cards if not no_captions else False,
        hand=not no_hand,
        sound=not no_sound,
        anonymous=anonymous,
        strip=strip,
        workers=workers,
    )
    raise typer.Exit(run(request, as_json))


def export(
    file: File,
    out: Annotated[Path, typer.Option("--out", "-o", help="The .glb file to write.")],
    as_json: Json = False,
) -> None:
    """A recording as an animated glTF model for other programs."""
    from games.commands.export import run

    raise typer.Exit(run(file, out, as_json))


def watch(file: File) -> None:
    """Watch a recording in a window: forward, backward, at any speed; check and go on with it at any moment."""
    from games.commands.replay import run

    raise typer.Exit(run(file))
