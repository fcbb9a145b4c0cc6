"""Recordings as films and as animated models: what `teeter video` and `teeter export` share with scripts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.view.video.film import Film, Recipe
    from models.piece import Piece

Progress = Callable[[int, int], None]
"""Told how many frames are drawn, of how many."""


@dataclass(frozen=True, slots=True)
class FilmRequest:
    """What `teeter video` and `teeter.video` are asked; None where nothing was said."""

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


def recipe_of(request: FilmRequest) -> Recipe:
    """The recipe of a request. Raises ViewError with everything that is wrong."""
    from engine.view.opengl import ViewError
    from engine.view.video.encode import LOOPS
    from engine.view.video.film import preset, size_of

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


def film(request: FilmRequest, progress: Progress = lambda done, of: None) -> Film:
    """Draw a recording into a file. Raises ViewError and RecordError."""
    from engine.record.reader import load
    from engine.view.video.encode import check_path
    from engine.view.video.make import make
    from games.play.replays import bodies_of, telling_of

    recipe = recipe_of(request)
    # before the recording is read: what cannot be written is said at once
    check_path(request.out)
    replay = load(request.file)
    telling = telling_of(replay, anonymous=request.anonymous)
    return make(
        replay, bodies_of(replay), telling, recipe, request.out, progress=progress, workers=request.workers
    )


@dataclass(frozen=True, slots=True)
class AnimatedModel:
    """What was exported. file: the .glb; size: in bytes; pieces: animated; seconds: of animation."""

    file: Path
    size: int
    pieces: int
    seconds: float


def animated_model(file: Path, out: Path) -> AnimatedModel:
    """Write a recording as animated glTF. Raises RecordError, ModelError and OutputError."""
    from engine.files import OutputError, check_output, whole_or_nothing
    from engine.record.format import RecordError
    from engine.record.gltf import glb_of_replay
    from engine.record.reader import load
    from games.play.replays import bodies_of, telling_of

    if out.suffix.lower() != ".glb":
        raise OutputError(f'{out}: recordings are exported as .glb (got "{out.suffix}")')
    check_output(out)
    replay = load(file)
    if not len(replay.steps):
        raise RecordError(file, "the recording has no frames: nothing happened in it")
    shared: dict[tuple[str, str], Piece] = {}
    bodies = []
    for body in bodies_of(replay):
        # a mesh for each kind of piece, not for each piece
        kind = (body.piece.model, str(body.piece.extents.tolist()))
        bodies.append(replace(body, piece=shared.setdefault(kind, body.piece)))
    data = glb_of_replay(replay, bodies, title=telling_of(replay).title)
    with whole_or_nothing(out) as part:
        part.write_bytes(data)
    return AnimatedModel(out, len(data), len(bodies), replay.seconds)
