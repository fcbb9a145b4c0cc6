"""What people call the pieces of the catalogues: each game names its own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from games.faults import left_out
from games.game import Game
from games.registry import game_named
from models.errors import ModelError


class PieceNames:
    """How a game names the pieces of its catalogue."""

    def piece_name(self, piece: str) -> str:
        """Returns what people call a piece of the game's catalogue, without an article."""
        return piece.replace("_", " ")


def game_of(shelf: str) -> Game:
    """Returns the game whose pieces a catalogue holds."""
    return game_named(shelf.replace("_", "-"))


def piece_name(model: str) -> str:
    """Returns what people call a piece of a catalogue."""
    shelf, _, piece = model.partition("/")
    game = game_of(shelf)
    with left_out(f"the screen of {game.title}"):
        return game.part(game.screen_class, PieceNames).piece_name(piece)
    return PieceNames().piece_name(piece)


@cache
def is_shipped(model: str) -> bool:
    """Returns whether a piece is one of the catalogues."""
    from models.catalogue import find

    try:
        find(model)
    except ModelError:
        return False
    return True


def renamed(text: str, models: Iterable[str]) -> str:
    """Returns a sentence with pieces called as their own game calls them, not by their models."""
    for model in sorted(filter(is_shipped, models), key=len, reverse=True):
        words = model.rpartition("/")[2].replace("_", " ")
        # as a whole, not as the beginning of another one
        text = re.sub(rf"(?<![\w-]){re.escape(words)}(?![\w-])", piece_name(model), text)
    return text
