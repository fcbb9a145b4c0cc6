"""Pictures of pieces and cards for panels: asked for by name, drawn in a process of its own, kept for the next time.

A name says what is drawn: `piece|bausack/arch`, `above|crazy_tower/card_07`, `card|draw||#8a8378`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path

from teeter.engine.view.window.shapes import Image
from teeter.engine.workers import Failed, Questioner
from teeter.models.files import OutputError, whole_or_nothing

if TYPE_CHECKING:
    from teeter.engine.view.window.hud import Hud

Pixels = NDArray[np.uint8]

DRAWING = "6"
"""How pictures are drawn; another one when what is kept is of no use any more."""
TIMEOUT_S = 60.0
NOTHING: Pixels = np.zeros((1, 1, 4), np.uint8)
"""Shown for what cannot be drawn."""


def of_piece(model: str) -> str:
    """Returns the name of the picture of a piece, by its name in the catalogues."""
    return f"piece|{model}"


def from_above(model: str) -> str:
    """Returns the name of the picture of a piece seen from above, as of something printed."""
    return f"above|{model}"


def of_card(title: str, models: Sequence[str], colour: str) -> str:
    """Returns the name of the picture of a card that shows pieces."""
    return f"card|{title}|{','.join(models)}|{colour}"


def of_recording(file: Path, when: str) -> str:
    """Returns the name of the picture of a game on file, as it was at a time: what it shows is its last tower."""
    return f"recording|{when}|{file}"


class PictureSource:
    """Gets pictures by their names: from what is kept, or from a process of its own that draws one after the other."""

    def __init__(self) -> None:
        self._painter: Questioner[str, Pixels] | None = None
        self._asked = ""

    def found(self, wanted: Iterable[str]) -> dict[str, Pixels | None]:
        """Returns those that have come, None for what cannot be drawn, and asks for the next one that is wanted."""
        pictures: dict[str, Pixels | None] = {}
        for _, answer in self._painter.poll() if self._painter is not None else ():
            if not isinstance(answer, Failed):
                keep(self._asked, answer)
            pictures[self._asked] = None if isinstance(answer, Failed) else answer
            self._asked = ""
        for name in () if self._asked else wanted:
            if name in pictures:
                continue
            if (pixels := kept(name)) is not None:
                pictures[name] = pixels
            else:
                self._painter = self._painter or Questioner(
                    "pictures", "teeter.games.present.pictures:painter", TIMEOUT_S
                )
                self._painter.ask(name)
                self._asked = name
                break
        return pictures

    def close(self) -> None:
        """Ends the process that draws."""
        if self._painter is not None:
            self._painter.close()


class Pictures(PictureSource):
    """Gives a hud the pictures that it shows, each as soon as there is one; until then cards show their words."""

    def __init__(self, hud: Hud) -> None:
        super().__init__()
        self._hud = hud
        self._plain: set[str] = set()

    def step(self) -> None:
        """Take in what was drawn, ask for what is missing."""
        names = {shape.name: None for shape in self._hud.layout.shapes if isinstance(shape, Image)}
        missing = [name for name in names if name in self._plain or not self._hud.has_image(name)]
        found = self.found(missing)
        for name, pixels in found.items():
            if pixels is not None or name not in self._plain:
                self._hud.give_image(name, NOTHING if pixels is None else pixels)
        for name in missing:
            if name.startswith("card|") and name not in found and name not in self._plain:
                _, title, _, colour = name.split("|")
                self._hud.give_image(name, drawn(of_card(title, (), colour)))
        self._plain = {name for name in missing if name.startswith("card|")} - found.keys()


def painter() -> Callable[[list[object], str], Pixels]:
    """Returns what draws the picture of a name, in a process without a screen."""
    return lambda news, name: drawn(name)


def drawn(name: str) -> Pixels:
    """Returns the picture of a name, drawn without a screen."""
    from teeter.engine.view.thumbnails import card_image, piece_image
    from teeter.models.build import build
    from teeter.models.catalogue import find

    kind, *words = name.split("|", 2 if name.startswith("recording|") else -1)
    if kind == "recording":
        return _recording_image(Path(words[1]))
    if kind == "card":
        title, models, colour = words
        shown = [build(find(model)) for model in models.split(",") if model]
        reach = max((reach_of(model) for model in models.split(",") if model), default=0.0)
        pieces = [piece_image(piece, reach=reach) for piece in shown]
        return card_image(title, pieces, colour)
    if kind == "guide":
        return _guide_image(*words)
    return piece_image(build(find(words[0])), from_above=kind == "above")


def _guide_image(game: str, which: str) -> Pixels:
    from teeter.engine.view.thumbnails import scene_image
    from teeter.games.present.guide import guide_of
    from teeter.games.present.guide_scene import scene_of
    from teeter.games.registry import game_named

    guide = guide_of(game_named(game))
    assert guide is not None
    asked = guide.picture(which)
    shown = scene_of(game_named(game), asked)
    cards = [drawn(f"card|{card}") for card in asked.cards]
    return scene_image(shown.bodies, shown.camera, shown.overlays, held=shown.held, cards=cards)


def _recording_image(file: Path) -> Pixels:
    from teeter.engine.record.latest import latest
    from teeter.engine.record.reader import load
    from teeter.engine.view.thumbnails import scene_image, towards
    from teeter.games.play.replays import before_fall, bodies_of

    replay = load(latest(file))
    shown, top = before_fall(replay, bodies_of(replay))
    return scene_image(shown, towards(shown, top))


@cache
def reach_of(model: str) -> float:
    """Returns how far the largest piece of the catalogue of a model reaches from its middle, metres: on cards pieces
    are to one scale."""
    from teeter.models.build import build
    from teeter.models.catalogue import catalogue, find

    names = catalogue(model.partition("/")[0])
    return max(0.5 * float(np.linalg.norm(build(find(name)).extents)) for name in names)


def _file(name: str) -> Path:
    folder = user_cache_path("teeter", appauthor=False) / "pictures"
    return folder / f"{hashlib.sha256(f'{DRAWING} {name}'.encode()).hexdigest()[:24]}.npz"


def kept(name: str) -> Pixels | None:
    """Returns the picture as it was drawn before; None where there is none, or none that can be read."""
    try:
        with np.load(_file(name)) as file:
            pixels = file["pixels"]
    except (OSError, ValueError, KeyError, EOFError):
        return None
    is_picture = pixels.ndim == 3 and pixels.shape[2] == 4 and pixels.dtype == np.uint8
    return pixels if is_picture else None


def keep(name: str, pixels: Pixels) -> None:
    """Keeps a picture for the next time; where nothing can be written it is drawn anew then."""
    file = _file(name)
    try:
        with whole_or_nothing(file, force=True, makes_folder=True) as part, part.open("wb") as out:
            np.savez_compressed(out, pixels=pixels)
    except (OSError, OutputError):
        return
