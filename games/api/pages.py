"""Recordings and verdicts as one HTML file each, for any browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from games.api.results import CheckResult, as_checked, explained, noise_result

if TYPE_CHECKING:
    from engine.topple.laboratory.noise import Chance
    from engine.topple.laboratory.sweep import SweepPlace, SweepRow
    from engine.world import Assembly, Body

HTML = ".html"


@dataclass(frozen=True, slots=True)
class RecordingPage:
    """What was written. file: the .html; size: in bytes; seconds: of the recording."""

    file: Path
    size: int
    seconds: float


def recording_page(file: Path, out: Path) -> RecordingPage:
    """Write a recording as a page that replays it. Raises RecordError and OutputError."""
    from engine.record.format import RecordError
    from engine.record.reader import load
    from engine.view.page import html
    from engine.view.page.blob import Blob
    from engine.view.page.recording import recording_data
    from engine.view.video.scenery import scenery_of
    from games.play.replays import bodies_of, marks_of, placed, telling_of
    from models.files import check_output

    check_output(out)
    replay = load(file)
    if not len(replay.steps):
        raise RecordError(file, "the recording has no frames: nothing happened in it")
    blob = Blob()
    bodies = placed(replay, bodies_of(replay))
    scenery = scenery_of(replay, bodies)
    marks = [(mark.seconds, mark.kind, mark.text) for mark in marks_of(replay, scenery)]
    data = recording_data(scenery, bodies, telling_of(replay), marks, blob)
    text = html.page({"kind": "recording", **data}, blob)
    html.save(out, text)
    return RecordingPage(out, len(text.encode()), replay.seconds)


def sweep_page(
    out: Path,
    tower: Assembly,
    piece: Body,
    places: Sequence[SweepPlace],
    rows: Sequence[SweepRow],
    safest: Sequence[SweepRow],
) -> None:
    """Write a sweep as a page with its map. tower: without the piece. Raises OutputError."""
    from engine.view.page import html
    from engine.view.page.blob import Blob
    from engine.view.page.sweep import sweep_data

    blob = Blob()
    html.save(out, html.page({"kind": "sweep", **sweep_data(tower, piece, places, rows, safest, blob)}, blob))


def verdict_page(
    found: CheckResult, out: Path, certificate: dict[str, Any], chance: Chance | None = None
) -> int:
    """Write a verdict as a page that explains and proves it. Returns its bytes. Raises OutputError."""
    from engine.topple.laboratory.noise import noisy
    from engine.view.page import html
    from engine.view.page.blob import Blob
    from engine.view.page.verdict import MAX_GHOSTS, verdict_data

    assembly, options = as_checked(found.loaded.assembly, found.options), found.options
    copies = []
    if chance is not None:
        copies = [noisy(assembly, chance.noise, n, options.gravity)[0] for n in chance.fallen[:MAX_GHOSTS]]
    blob = Blob()
    data = verdict_data(
        assembly,
        found.verdict,
        options,
        blob,
        why=explained(found.verdict, options)["sentences"],
        noise="" if chance is None else str(noise_result(chance)),
        copies=copies,
        certificate=certificate,
    )
    text = html.page({"kind": "verdict", **data}, blob)
    html.save(out, text)
    return len(text.encode())
