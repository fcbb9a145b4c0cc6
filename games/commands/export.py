"""`teeter export FILE -o OUT.glb`: a recording as an animated model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from games.commands.console import OK, print_json, refuse

if TYPE_CHECKING:
    from models.piece import Piece


def run(file: Path, out: Path, as_json: bool = False) -> int:
    """Write it and say what was written; the exit code. Raises RecordError, ModelError and ViewError."""
    if out.suffix.lower() != ".glb":
        refuse(f'{out}: recordings are exported as .glb (got "{out.suffix}")')
    if out.is_dir() or not out.parent.is_dir():
        refuse(
            f"{out}: " + ("is a folder; name a file" if out.is_dir() else f"there is no folder {out.parent}")
        )
    from engine.record.gltf import glb_of_replay
    from engine.record.reader import load
    from engine.view.video.encode import whole_or_nothing
    from games.play.replays import bodies_of, telling_of

    replay = load(file)
    if not len(replay.steps):
        refuse(f"{file}: the recording has no pictures: nothing happened in it")
    shared: dict[tuple[str, str], Piece] = {}
    bodies = []
    for body in bodies_of(replay):
        # a mesh for each kind of piece, not for each piece
        kind = (body.piece.model, str(body.piece.extents.tolist()))
        bodies.append(replace(body, piece=shared.setdefault(kind, body.piece)))
    data = glb_of_replay(replay, bodies, title=telling_of(replay).title)
    with whole_or_nothing(out) as part:
        part.write_bytes(data)
    if as_json:
        print_json(
            {"file": str(out), "bytes": len(data), "pieces": len(bodies), "seconds": round(replay.seconds, 3)}
        )
    else:
        Console().print(
            f"{out}: {len(bodies)} pieces, {replay.seconds:.1f} s, {len(data) / 1e6:.1f} MB",
            highlight=False,
            soft_wrap=True,
        )
    return OK
