"""A verdict as one page for browsers, and as a cell of a notebook."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from teeter.engine.topple.laboratory.noise import noisy
from teeter.engine.topple.verdict import as_asked
from teeter.engine.view.page import html
from teeter.engine.view.page.blob import Blob
from teeter.engine.view.page.verdict import MAX_GHOSTS, verdict_data
from teeter.games.api.scene import png_of_verdict

if TYPE_CHECKING:
    from teeter.engine.topple.laboratory.noise import Chance
    from teeter.engine.topple.verdict import Verdict
    from teeter.engine.world.body import Assembly

MOST_OF_CELL = 300 * 1024
"""Bytes of a page in a notebook, which keeps what every cell has shown."""
FRAME = "width:100%;height:32em;border:0"


def verdict_page(
    verdict: Verdict,
    out: Path,
    why: Sequence[str],
    certificate: Mapping[str, Any],
    *,
    force: bool = False,
    **more: Any,
) -> None:
    """Write a verdict as a page that explains and proves it. why: sentences. more: `noise`, `copies` and `more`, as
    for `verdict_data`. force: a file that is there may be replaced. Raises OutputError."""
    html.save(out, _text(verdict, why=why, certificate=certificate, **more), force=force)


def fallen_copies(assembly: Assembly, verdict: Verdict, chance: Chance) -> list[Assembly]:
    """Returns the first of the noisy copies of an assembly that fell."""
    gravity = verdict.options.gravity
    asked = as_asked(assembly, verdict.options)
    return [noisy(asked, chance.noise, number, gravity)[0] for number in chance.fallen[:MAX_GHOSTS]]


def notebook_cell(verdict: Verdict, why: Sequence[str]) -> str:
    """Returns a verdict as HTML for a notebook: its page, without the proof, in a frame; beyond `MOST_OF_CELL` bytes a
    picture. Raises OutputError and ViewError."""
    # between single quotes, since the page's own double ones are many
    inside = _text(verdict, why=why).replace("&", "&amp;").replace("'", "&#39;")
    if len(inside.encode()) > MOST_OF_CELL:
        picture = base64.b64encode(png_of_verdict(verdict)).decode("ascii")
        return f'<img alt="{verdict.word}" style="max-width:100%" src="data:image/png;base64,{picture}">'
    return f"<iframe sandbox='allow-scripts' style='{FRAME}' srcdoc='{inside}'></iframe>"


def _text(verdict: Verdict, **extras: Any) -> str:
    blob = Blob()
    return html.page({"kind": "verdict", **verdict_data(verdict, blob, **extras)}, blob)
