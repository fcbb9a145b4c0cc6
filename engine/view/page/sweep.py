"""A sweep as a page shows it: a map of all places, and the piece at the one that is pointed at."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from teeter.engine.topple.laboratory.sweep import SweepPlace, SweepRow
from teeter.engine.view.camera import bounding_sphere
from teeter.engine.view.page.blob import Blob
from teeter.engine.view.page.bodies import BodyWriter
from teeter.engine.view.video.captions import clean
from teeter.engine.world.body import Assembly, Body

VERDICTS = ("stands", "topples", "unsure", "overlaps", "apart")


def sweep_data(
    tower: Assembly,
    piece: Body,
    places: Sequence[SweepPlace],
    rows: Sequence[SweepRow],
    safest: Sequence[SweepRow],
    blob: Blob,
    noise: tuple[float, int] | None = None,
) -> dict[str, Any]:
    """Returns what a page is told of a sweep. tower: without the piece. rows: of the places, in their order. noise: mm,
    and of how many copies a row, where rows have that."""
    bodies = (*tower.bodies, piece)
    scene = BodyWriter(blob).scene(bodies, bounding_sphere(bodies))
    for row, body in zip(scene["bodies"], bodies, strict=True):
        row["pose"] = [*body.pose.position, *body.pose.orientation]
    poses = np.full((len(places), 7), np.nan, dtype=np.float32)
    for number, place in enumerate(places):
        if place.body is not None:
            poses[number] = place.body.pose.row
    asked = np.array([(place.x_mm, place.y_mm, place.yaw_deg) for place in places], dtype=np.float32)
    tilts = np.array([np.nan if row.tilt_deg is None else row.tilt_deg for row in rows], dtype=np.float32)
    names = sorted({row.weakest for row in rows if row.weakest is not None})
    weakest = np.array(
        [0 if row.weakest is None else 1 + names.index(row.weakest) for row in rows], dtype=np.uint16
    )
    chances: dict[str, Any] = {}
    if noise is not None:
        shares = [(row.chance, row.chance_low, row.chance_high) for row in rows]
        chances = {
            "chances": blob.put(np.array(shares, dtype=float).astype(np.float32)),
            "noise_mm": noise[0],
            "copies": noise[1],
        }
    return {
        **chances,
        "title": clean(f"Where could {piece.name} go?"),
        "scene": tower.name,
        **scene,
        "places": blob.put(asked),
        "poses": blob.put(poses),
        "verdicts": blob.put(np.array([VERDICTS.index(row.verdict) for row in rows], dtype=np.uint8)),
        "tilts": blob.put(tilts),
        "weakest": blob.put(weakest),
        "names": names,
        "safest": [row.number for row in safest],
    }
