"""The guide of a game: its aim, a turn in four pictures, what loses, as told by the `guide.toml` of its folder."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from teeter.engine.view.panels import Item, Picture, Row, Text
from teeter.games.game import Game
from teeter.models.errors import TeeterError

Spot = tuple[str, float, float, float]
"""A piece on what lies below it: its name in the game's catalogue, or in another one (`bausack/arch`), x and y in
millimetres, its turn in degrees."""
STILL = "still"
"""Which picture is that of the menu; the others have their numbers."""
PICTURE_UNITS = (300.0, 168.75)
WIDTH = 660.0
"""Units of a page that shows two pictures beside each other."""


class GuideError(TeeterError):
    """A guide that cannot be read."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Drawn(_Table):
    """A picture. scene: one that is shipped, `laid` on it in turn; out: its pieces that are not there, pulled: one that
    is half out, and how far, millimetres. held: a piece in the hand above where it is going, and how high, millimetres.
    cards: pictures of cards beside it, as the game's panels name them. view: azimuth and elevation of the eye,
    degrees; zoom: how much nearer it is than to have all in view; centre: what it looks at, millimetres."""

    scene: str = ""
    out: tuple[str, ...] = ()
    pulled: tuple[str, float] | None = None
    laid: tuple[Spot, ...] = ()
    held: tuple[str, float, float, float, float] | None = None
    cards: tuple[str, ...] = ()
    view: tuple[float, float] = (-58.0, 22.0)
    zoom: float = Field(default=1.0, gt=0.0)
    centre: tuple[float, float, float] | None = None


class GuideStep(_Table):
    """A step of a turn: a sentence or two, and a picture."""

    text: str
    picture: Drawn


class Guide(_Table):
    """What somebody needs to know to begin. still: the picture of the game."""

    aim: str
    loses: str
    still: Drawn
    step: Annotated[tuple[GuideStep, ...], Field(min_length=4, max_length=4)]

    def picture(self, which: str) -> Drawn:
        """Returns a picture by its number from 0, or `still`."""
        return self.still if which == STILL else self.step[int(which)].picture


@cache
def guide_of(game: Game) -> Guide | None:
    """Returns the guide of a game; None where its folder has none. Raises GuideError for one that cannot be read."""
    package = game.state.__module__.rpartition(".")[0]
    try:
        text = resources.files(package).joinpath("guide.toml").read_text(encoding="utf-8")
    except (OSError, ModuleNotFoundError, ValueError, TypeError):
        return None
    try:
        return Guide.model_validate(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise GuideError(f"{package}: guide.toml: {error}") from None


def picture_of(game: Game, which: str) -> str:
    """Returns the name of a picture of a game's guide; empty where it has none."""
    return f"guide|{game.name}|{which}" if guide_of(game) is not None else ""


def guide_items(game: Game) -> tuple[Item, ...]:
    """Returns the page of a guide: the aim, a turn in four pictures, what loses; empty where there is none."""
    guide = guide_of(game)
    if guide is None:
        return ()
    pairs: list[Item] = []
    for number in range(0, len(guide.step), 2):
        pair = range(number, number + 2)
        pairs += [
            Row(tuple(Picture(picture_of(game, str(item)), *PICTURE_UNITS) for item in pair)),
            Row(tuple(Text(f"{item + 1}  {guide.step[item].text}", size="small") for item in pair)),
        ]
    return (Text(guide.aim, bold=True), *pairs, Text(guide.loses, "bad"))
