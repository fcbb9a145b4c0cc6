"""Recordings and verdicts as one file each: an HTML page for any browser, or an animated model."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from teeter.engine.record.format import RecordError
from teeter.engine.record.gltf import glb_of_replay
from teeter.engine.record.reader import Replay, load
from teeter.engine.topple.laboratory.sweep import SweepPlace, SweepRow
from teeter.engine.view.page import html
from teeter.engine.view.page.blob import Blob
from teeter.engine.view.page.recording import recording_data
from teeter.engine.view.page.sweep import sweep_data
from teeter.engine.view.video.film import Recipe, film_of
from teeter.engine.view.video.model import glb_of_film
from teeter.engine.view.video.scenery import scenery_of
from teeter.engine.world.body import Assembly, Body
from teeter.games.api.results import ExportResult
from teeter.games.play.causes import with_causes
from teeter.games.play.replays import bodies_of, marks_of, placed, telling_of
from teeter.models.files import OutputError, whole_or_nothing
from teeter.models.piece import Piece


def recording_page(file: Path, out: Path, *, force: bool = False) -> ExportResult:
    """Write a recording as a page that replays it. force: a file that is there may be replaced. Raises RecordError and
    OutputError."""
    replay = load_visible(file)
    blob = Blob()
    bodies = placed(replay, bodies_of(replay))
    scenery = scenery_of(replay, bodies)
    marks = [(mark.seconds, mark.kind, mark.text) for mark in marks_of(replay, scenery)]
    telling = with_causes(telling_of(replay), replay, has_margins=True)
    data = recording_data(scenery, bodies, telling, marks, blob)
    text = html.page({"kind": "recording", **data}, blob)
    html.save(out, text, force=force)
    return ExportResult(out, len(text.encode()), replay.seconds)


def animated_model(file: Path, out: Path, *, fps: int | None = None, force: bool = False) -> ExportResult:
    """Write a recording as animated glTF. fps: with a key for every frame, the director's camera and the sun; else with
    as few keys as describe it. force: as for a page. Raises RecordError, ModelError, OutputError and ViewError."""
    if out.suffix.lower() != ".glb":
        raise OutputError(f'{out}: recordings are exported as .html or .glb (got "{out.suffix}")')
    replay = load_visible(file)
    shared: dict[tuple[str, str], Piece] = {}
    bodies = []
    for body in bodies_of(replay):
        # a mesh for each kind of piece, not for each piece
        kind = (body.piece.model, str(body.piece.extents.tolist()))
        bodies.append(replace(body, piece=shared.setdefault(kind, body.piece)))
    telling = telling_of(replay)
    if fps is None:
        data = glb_of_replay(replay, bodies, title=telling.title)
    else:
        recipe = Recipe(fps=fps, pace="true", captions=False, cards=False, hand=False)
        data = glb_of_film(film_of(replay, bodies, telling, recipe), telling.title)
    with whole_or_nothing(out, force=force) as part:
        part.write_bytes(data)
    return ExportResult(out, len(data), replay.seconds, len(bodies))


def load_visible(file: Path) -> Replay:
    """Load a recording in which there is something to be seen. Raises RecordError."""
    replay = load(file)
    if not len(replay.steps):
        raise RecordError(file, "the recording has no frames: nothing happened in it")
    return replay


def sweep_page(
    out: Path,
    tower: Assembly,
    piece: Body,
    places: Sequence[SweepPlace],
    rows: Sequence[SweepRow],
    safest: Sequence[SweepRow],
    *,
    noise: tuple[float, int] | None = None,
    force: bool = False,
) -> None:
    """Write a sweep as a page with its map. tower: without the piece. noise: mm, and of how many copies a row, where
    rows have that. force: a file that is there may be replaced. Raises OutputError."""
    blob = Blob()
    data = sweep_data(tower, piece, places, rows, safest, blob, noise)
    html.save(out, html.page({"kind": "sweep", **data}, blob), force=force)
