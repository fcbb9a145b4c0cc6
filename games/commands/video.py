"""`teeter video FILE -o OUT`: a recording as a video, a loop, a picture or a strip of pictures."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from games.commands.console import OK, print_json

if TYPE_CHECKING:
    from engine.view.video.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Request:
    """Everything `teeter video` was asked, as typed; None where nothing was said."""

    file: Path
    out: Path
    preset: str | None = None
    size: str | None = None
    fps: int | None = None
    quality: str | None = None
    camera: str | None = None
    pace: str | None = None
    speed: float = 1.0
    slow_fall: bool = False
    begin: float | None = None
    end: float | None = None
    captions: bool = True
    cards: bool | None = None
    hand: bool = True
    sound: bool = True
    anonymous: bool = False
    strip: int = 1
    workers: int | None = None


def run(request: Request, as_json: bool = False) -> int:
    """Make it and say what was made; the exit code. Raises ViewError and RecordError."""
    from engine.record.reader import load
    from engine.view.video.encode import check_path
    from engine.view.video.make import make
    from games.play.replays import bodies_of, telling_of

    recipe = recipe_of(request)
    # before the recording is read: what cannot be written is said at once
    check_path(request.out)
    replay = load(request.file)
    telling = telling_of(replay, anonymous=request.anonymous)
    with bar("drawing") as progress:
        task = progress.add_task("", total=None)

        def tell(done: int, of: int) -> None:
            progress.update(task, completed=done, total=of)
            if done % 10 == 0 or done == of:
                progress.refresh()

        film = make(
            replay, bodies_of(replay), telling, recipe, request.out, progress=tell, workers=request.workers
        )
    size = request.out.stat().st_size
    if as_json:
        print_json(
            {
                "file": str(request.out),
                "seconds": round(film.seconds, 3),
                "pictures": len(film),
                "size": list(film.recipe.size),
                "bytes": size,
            }
        )
    else:
        Console().print(
            f"{request.out}: {film.seconds:.1f} s, {film.recipe.size[0]} x {film.recipe.size[1]}, {size / 1e6:.1f} MB",
            highlight=False,
            soft_wrap=True,
        )
    return OK


def recipe_of(request: Request) -> Recipe:
    """The recipe of a request. Raises ViewError with everything that is wrong."""
    from engine.view.opengl import ViewError
    from engine.view.video.encode import LOOPS
    from engine.view.video.recipe import preset, size_of

    if request.workers is not None and not 1 <= request.workers <= 64:
        raise ViewError(f"--workers {request.workers}: 1 to 64 processes")
    recipe = preset(request.preset or "web")
    is_loop = request.out.suffix.lower() in LOOPS
    if is_loop and request.preset is None:
        recipe = replace(recipe, size=(640, 360), fps=20)
    given: dict[str, Any] = {
        "size": None if request.size is None else size_of(request.size),
        "fps": request.fps,
        "quality": request.quality,
        "camera": request.camera,
        "pace": request.pace,
    }
    is_part = request.begin is not None or request.end is not None
    return replace(
        recipe,
        **{name: value for name, value in given.items() if value is not None},
        speed=request.speed,
        slow_fall=request.slow_fall,
        begin=request.begin,
        end=request.end,
        captions=request.captions,
        cards=(not is_loop and not is_part) if request.cards is None else request.cards,
        hand=request.hand,
        sound=request.sound,
        strip=request.strip,
    )


def bar(what: str) -> Progress:
    """A progress bar on standard error, when somebody looks at it."""
    return Progress(
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
        auto_refresh=False,
    )
