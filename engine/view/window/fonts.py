"""The letters of windows and films: Source Sans Pro, and for scripts that it lacks what the system has."""

import subprocess
import sys
import unicodedata
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from panda3d import core

from teeter.engine.view.opengl import ViewError

FONT_FILES = {False: "SourceSansPro-Regular.ttf", True: "SourceSansPro-Semibold.ttf"}
"""By whether letters are bold. Source Sans Pro, SIL Open Font License; the package font-source-sans-pro brings it."""
FONT_PAGE_PX = 512
"""Side of the textures that hold letters."""
SYSTEM_FONTS = {
    "win32": (
        "C:/Windows/Fonts/",
        (
            "segoeui.ttf",
            "msyh.ttc",
            "YuGothM.ttc",
            "malgun.ttf",
            "Nirmala.ttc",
            "Nirmala.ttf",
            "seguisym.ttf",
        ),
    ),
    "darwin": (
        "/System/Library/Fonts/",
        ("Supplemental/Arial Unicode.ttf", "SFNS.ttf", "PingFang.ttc", "AppleSDGothicNeo.ttc"),
    ),
}
"""The folder and the files of fonts that come with a system and have other scripts; elsewhere fontconfig is asked."""
MOST_FONTS = 8
"""That are tried for a letter: of an emoji fontconfig names pictures first, which cannot be drawn."""
PATIENCE_S = 5.0
Run = tuple[str, Any, bool]
"""Letters in one font, and whether they are of another script: shaped, and from right to left where it is."""


def font_folder() -> Path:
    """Returns the folder of the font files. Raises ViewError when they are not installed."""
    spec = find_spec("font_source_sans_pro")
    if spec is None or not spec.submodule_search_locations:
        raise ViewError("the letters of the window are missing: pip install font-source-sans-pro")
    return Path(spec.submodule_search_locations[0]) / "files"


@lru_cache(maxsize=64)
def font(size: int, bold: bool) -> Any:
    """Returns a font for letters of a size in pixels, each drawn for its pixels and therefore sharp.

    Where a letter lies on the font's page moves its rim by a shade: all are laid there at once, so that a picture does
    not hang on what was written before.
    """
    file = font_folder() / FONT_FILES[bold]
    # not through Panda3D's search path, which would stop at the first space of a name
    made = core.DynamicTextFont(core.Filename.from_os_specific(str(file)))
    if not made.is_valid():
        raise ViewError(f"{file}: is no font; pip install --force-reinstall font-source-sans-pro")
    _prepare(made, size)
    for code in range(ord(" "), ord("~") + 1):
        made.get_glyph(code)
    clear_edges(made)
    return made


def _prepare(made: Any, size: int) -> None:
    made.set_scale_factor(1)
    made.set_pixels_per_unit(size)
    made.set_page_size(FONT_PAGE_PX, FONT_PAGE_PX)
    made.set_texture_margin(1)
    made.set_minfilter(core.SamplerState.FT_linear)
    made.set_magfilter(core.SamplerState.FT_linear)
    made.set_native_antialias(True)


def clear_edges(made: Any) -> None:
    """Beyond a page of letters lies nothing: Panda3D's border there, transparent white, is ink to OpenGL."""
    nothing = core.LColor(0, 0, 0, 0)
    for page in made.get_pages():
        if page.get_border_color() != nothing:
            page.set_border_color(nothing)


def _has(made: Any, letter: str) -> bool:
    glyph = made.get_glyph(ord(letter))
    return glyph is not None and glyph.get_character() == ord(letter)


@lru_cache(maxsize=1024)
def _other_file(letter: str, bold: bool) -> tuple[str, int] | None:
    """Returns a font file of the system that has a letter, and its face therein; None for none."""
    folder, names = SYSTEM_FONTS.get(sys.platform, ("", ""))
    named = [(folder + name, 0) for name in names] or _by_fontconfig(letter, bold)
    for file, face in named[:MOST_FONTS]:
        if Path(file).is_file() and (made := _face(file, face)) is not None and _has(made, letter):
            return file, face
    return None


def _by_fontconfig(letter: str, bold: bool) -> list[tuple[str, int]]:
    style = f"sans{':bold' if bold else ''}:charset={ord(letter):x}"
    try:
        told = subprocess.run(
            ["fc-match", "--sort", "--format", "%{file}\t%{index}\n", style],
            capture_output=True,
            timeout=PATIENCE_S,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    rows = [line.rpartition("\t") for line in told.decode("utf-8", "surrogateescape").splitlines()]
    # the upper half of the number is a variation of the face
    return [(file, int(face) & 0xFFFF) for file, _, face in rows if face.isdigit()]


@lru_cache(maxsize=16)
def _face(file: str, face: int) -> Any:
    made = core.DynamicTextFont(core.Filename.from_os_specific(file), face)
    return made if made.is_valid() else None


@lru_cache(maxsize=64)
def _other_font(file: str, face: int, size: int) -> Any:
    # a copy shares the file, which may have 20 MB
    made = _face(file, face).make_copy()
    _prepare(made, size)
    return made


@lru_cache(maxsize=4096)
def runs(text: str, size: int, bold: bool) -> tuple[Run, ...]:
    """Returns a line cut where its font changes. Letters that no font has stay with their own, which draws a box."""
    own = font(size, bold)
    parts: list[tuple[str, Any, bool]] = []
    for letter in text:
        found, is_other = own, False
        if not _has(own, letter):
            if unicodedata.category(letter) == "Cf":
                continue  # marks of direction and joiners have nothing to draw
            file = _other_file(letter, bold)
            found, is_other = (own, False) if file is None else (_other_font(*file, size), True)
        if parts and parts[-1][1] is found:
            parts[-1] = (parts[-1][0] + letter, found, is_other)
        elif is_other and len(parts) > 1 and parts[-1][0].isspace() and parts[-2][1] is found:
            # spaces between words of one script: they are shaped together
            parts[-2:] = [(parts[-2][0] + parts[-1][0] + letter, found, True)]
        else:
            parts.append((letter, found, is_other))
    return tuple(parts)


def written(run: Run) -> tuple[Any, float]:
    """Returns a node with the letters of a run, of size 1, and their width."""
    text, made, is_other = run
    node = core.TextNode("line")
    node.set_font(made)
    if not is_other:
        node.set_text(text)
        drawn, width = node.generate(), node.calc_width(text)
    else:
        # for other scripts alone: its kerning would move every letter of the rest
        shaping = core.ConfigVariableBool("text-use-harfbuzz")
        shaping.set_value(True)
        try:
            node.set_text(text)
            drawn, width = node.generate(), node.get_width()
        finally:
            shaping.set_value(False)
    clear_edges(made)
    return drawn, float(width)


@lru_cache(maxsize=4096)
def width_of(text: str, size: int, bold: bool) -> float:
    """Returns the width of a line of text in pixels."""
    parts = runs(text, size, bold)
    if len(parts) == 1 and not parts[0][2]:
        node = core.TextNode("measure")
        node.set_font(parts[0][1])
        return float(node.calc_width(parts[0][0])) * size
    return sum(written(run)[1] for run in parts) * size
