"""A verdict as a page shows it: the scene with its forces, the motion in which it fails, and the proof."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from teeter.engine.topple.verdict import Verdict
from teeter.engine.topple.words import coloured, headline, rows
from teeter.engine.view.camera import bounding_sphere
from teeter.engine.view.overlays import Arrow, Ghost, Overlay
from teeter.engine.view.page.blob import Blob
from teeter.engine.view.page.bodies import BodyWriter
from teeter.engine.view.render.overlays import solids_of
from teeter.engine.view.render.resources import Triangles
from teeter.engine.view.render.shading import srgb_of
from teeter.engine.view.render.verdict_picture import (
    FALL_COLOUR,
    FORCE_COLOUR,
    LEGEND,
    MASS_COLOUR,
    SUPPORT_COLOUR,
    marked,
    overlays_on,
)
from teeter.engine.view.video.captions import clean
from teeter.engine.world.body import Assembly

MAX_GHOSTS = 6
"""Noisy copies that are shown at once; more hide the scene."""
GRID = 2.0**-16
"""Metres (0.015 mm) to which arrows are drawn: what ends in zeros packs well."""
MOST_POINTS = 60_000
"""After which a mesh takes no further arrow: indices have 16 bits, and no arrow has 5,000 points."""


def verdict_data(
    verdict: Verdict,
    blob: Blob,
    *,
    why: Sequence[str] = (),
    noise: str = "",
    copies: Sequence[Assembly] = (),
    more: Sequence[Overlay] = (),
    certificate: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Returns what a page is told of a verdict.

    why: sentences. noise: how surely, in words. copies: noisy ones that fell; without noise, pieces where they were
    before a change. more: shown with these. certificate: the proof, or why there is none.
    """
    seen = verdict.judged
    sphere = bounding_sphere(seen.bodies)
    scene = BodyWriter(blob).scene(seen.bodies, sphere)
    for row, body in zip(scene["bodies"], seen.bodies, strict=True):
        row["pose"] = [*body.pose.row]
    solids = _solids(overlays_on(verdict, sphere)[0], blob)
    solids += [{**solid, "layer": "ghosts"} for solid in _solids(more, blob)]
    frame = marked(verdict)
    weakest = next(iter(frame.highlights.items()), None)
    return {
        "title": clean(verdict.scene),
        "word": verdict.word,
        "headline": headline(verdict),
        "rows": [row for row in rows(verdict) if row[0] != "time"],
        "why": list(why),
        "noise": noise,
        **scene,
        "solids": solids,
        "weakest": weakest and {"name": weakest[0], "colour": [*srgb_of(weakest[1]), 1.0]},
        "legend": _legend(verdict, weakest, {solid["layer"] for solid in solids}),
        "mechanism": _mechanism(seen, verdict),
        "ghosts": _ghosts(seen, copies[:MAX_GHOSTS]),
        "certificate": certificate,
    }


def _mechanism(seen: Assembly, verdict: Verdict) -> dict[str, list[list[float]]]:
    """Returns the linear and angular velocity of each piece that moves, and where its centre of mass is."""
    centres = {body.name: body.centre_of_mass.ravel() for body in seen.free}
    return {
        name: [_short(linear), _short(angular), _short(centres[name])]
        for name, (linear, angular) in verdict.statics.mechanism.items()
        if name in centres
    }


def _short(values: Iterable[float]) -> list[float]:
    """Five digits: more than a picture shows."""
    return [float(f"{value:.5g}") for value in values]


def _ghosts(seen: Assembly, copies: Sequence[Assembly]) -> list[dict[str, Any]]:
    numbers = {body.name: n for n, body in enumerate(seen.bodies)}
    return [
        {"body": numbers[body.name], "pose": [*body.pose.row], "copy": number}
        for number, copy in enumerate(copies)
        for body in copy.free
    ]


def _solids(overlays: Sequence[Overlay], blob: Blob) -> list[dict[str, Any]]:
    """Returns the meshes of overlays, and when they are shown: with the forces, the motion or the support. What is
    shown together in one colour is one mesh, as far as 16 bits number its points."""
    alike: dict[tuple[str, tuple[float, ...], int], list[Triangles]] = {}
    sizes: Counter[tuple[str, tuple[float, ...]]] = Counter()
    for overlay in overlays:
        assert not isinstance(overlay, Ghost)  # verdicts draw none
        layer = "support"
        if isinstance(overlay, Arrow):
            layer = "motion" if overlay.colour == FALL_COLOUR else "forces"
        for triangles, cover in solids_of(overlay):
            look = (layer, (*srgb_of(overlay.colour), cover))
            alike.setdefault((*look, sizes[look] // MOST_POINTS), []).append(triangles)
            sizes[look] += len(triangles.rows)
    return [_solid(parts, ink, layer, blob) for (layer, ink, _), parts in alike.items()]


def _solid(parts: Sequence[Triangles], ink: Sequence[float], layer: str, blob: Blob) -> dict[str, Any]:
    rows = np.concatenate([part.rows for part in parts])
    firsts = np.cumsum([0, *(len(part.rows) for part in parts[:-1])])
    corners = [part.indices.ravel() + first for part, first in zip(parts, firsts, strict=True)]
    return {
        "points": blob.put((np.round(rows[:, :3] / GRID) * GRID).astype(np.float32).T),
        "normals": blob.put(np.round(rows[:, 3:6] * 127).astype(np.int8).T),
        "triangles": blob.put(np.concatenate(corners).astype(np.uint16)),
        "ink": list(ink),
        "layer": layer,
    }


def _legend(verdict: Verdict, weakest: tuple[str, str] | None, layers: set[str]) -> list[tuple[str, str]]:
    colours = {"forces": [FORCE_COLOUR], "motion": [FALL_COLOUR], "support": [MASS_COLOUR, SUPPORT_COLOUR]}
    why = coloured(verdict)
    legend = [] if weakest is None or why is None else [(weakest[1], why[1])]
    shown = (colour for layer, group in colours.items() if layer in layers for colour in group)
    return [*legend, *((colour, LEGEND[colour]) for colour in shown)]
