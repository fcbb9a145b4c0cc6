"""Recordings as films and as animated models: what `teeter video` and `teeter export` share with scripts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.view.video.film import Film
    from models.piece import Piece

Progress = Callable[[int, int], None]
"""Told how many frames are drawn, of how many."""


def film(
    file: Path,
    out: Path,
    *,
    preset: str | None = None,
    size: str | None = None,
    cards: bool | None = None,
    anonymous: bool = False,
    workers: int | None = None,
    progress: Progress = lambda done, of: None,
    **given: Any,
) -> Film:
    """Draw a recording into a file. given: fields of `Recipe`, None where nothing was said.

    Raises ViewError with everything that is wrong, and RecordError.
    """
    from engine.record.reader import load
    from engine.view.opengl import ViewError
    from engine.view.video.encode import LOOPS, check_path
    from engine.view.video.film import preset as recipe_named
    from engine.view.video.film import size_of
    from engine.view.video.make import make
    from games.play.replays import bodies_of, telling_of

    if workers is not None and not 1 <= workers <= 64:
        raise ViewError(f"--workers {workers}: 1 to 64 processes")
    start = recipe_named(preset or "web")
    is_loop = out.suffix.lower() in LOOPS
    if is_loop and preset is None:
        start = replace(start, size=(640, 360), fps=20)
    is_part = given.get("begin") is not None or given.get("end") is not None
    given["cards"] = (not is_loop and not is_part) if cards is None else cards
    given["size"] = None if size is None else size_of(size)
    asked = replace(start, **{name: value for name, value in given.items() if value is not None})
    # before the recording is read: what cannot be written is said at once
    check_path(out)
    replay = load(file)
    telling = telling_of(replay, anonymous=anonymous)
    return make(replay, bodies_of(replay), telling, asked, out, progress=progress, workers=workers)


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
