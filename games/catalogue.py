"""What is in the box of a game: the tables of `models/<game>.toml`, handed to the rules as plain values.

The rules never open a file; this loader stands between them and the catalogue. Columns the rules do not know
(shapes, materials, looks) are for other readers of the same file.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from games.rules.base import Game, stock_from
from games.rules.errors import SetupError


@cache
def stock_of(game: Game) -> Any:
    """The `stock` that the game's start() takes; a game without a catalogue gets an empty one.

    Raises SetupError with file and key for a catalogue that does not fit.
    """
    name = f"{game.name.replace('-', '_')}.toml"
    path = resources.files("models") / name
    if not path.is_file():
        return stock_from(game.read_stock, {}, name)
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise SetupError(f"{name}: {error}") from None
    return stock_from(game.read_stock, tables, name)
