"""Letters of every size that panels need, each drawn for its pixels and therefore sharp."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from panda3d import core

from engine.view.errors import ViewError

FILES = {False: "SourceSansPro-Regular.ttf", True: "SourceSansPro-Semibold.ttf"}
"""By whether letters are bold. Source Sans Pro, SIL Open Font License; the package font-source-sans-pro brings it."""
PAGE = 512
"""Pixels along the side of the pictures in which the card keeps letters."""


def folder() -> Path:
    """Where the font files are. Raises ViewError when they are not installed."""
    found = find_spec("font_source_sans_pro")
    if found is None or not found.submodule_search_locations:
        raise ViewError("the letters of the window are missing: pip install font-source-sans-pro")
    return Path(found.submodule_search_locations[0]) / "files"


@lru_cache(maxsize=64)
def font(size: int, bold: bool) -> Any:
    """A font for letters of a size in pixels."""
    # not through Panda3D's search path, which would stop at the first space of a name
    made = core.DynamicTextFont(core.Filename.from_os_specific(str(folder() / FILES[bold])))
    if not made.is_valid():
        raise ViewError(
            f"{folder() / FILES[bold]}: is no font; pip install --force-reinstall font-source-sans-pro"
        )
    made.set_scale_factor(1)
    made.set_pixels_per_unit(size)
    made.set_page_size(PAGE, PAGE)
    made.set_texture_margin(1)
    made.set_minfilter(core.SamplerState.FT_linear)
    made.set_magfilter(core.SamplerState.FT_linear)
    made.set_native_antialias(True)
    return made


@lru_cache(maxsize=4096)
def width_of(text: str, size: int, bold: bool) -> float:
    """How wide a line of text is, pixels."""
    node = core.TextNode("measure")
    node.set_font(font(size, bold))
    return float(node.calc_width(text)) * size


def line_of(text: str, size: int, bold: bool) -> Any:
    """A node with a line of text, its base line at 0, one unit to the size."""
    node = core.TextNode("line")
    node.set_font(font(size, bold))
    node.set_text(text)
    return node.generate()
