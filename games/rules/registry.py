"""All games, in one explicit tuple: a new game is one import and one entry here."""

from __future__ import annotations

from games.rules.base import Clause, Game
from games.rules.bausack.entry import GAME as BAUSACK
from games.rules.crazy_tower.entry import GAME as CRAZY_TOWER
from games.rules.errors import SetupError, unknown
from games.rules.sandbox.entry import GAME as SANDBOX
from games.rules.shared import CLAUSES as SHARED_CLAUSES
from games.rules.tower_topple.entry import GAME as TOWER_TOPPLE
from games.rules.wonky.entry import GAME as WONKY

GAMES: tuple[Game, ...] = (
    CRAZY_TOWER,
    WONKY,
    BAUSACK,
    TOWER_TOPPLE,
    SANDBOX,
)


def game_named(name: str) -> Game:
    """The game of that name. Raises SetupError with the nearest and all there are."""
    for game in GAMES:
        if game.name == name:
            return game
    raise SetupError(unknown("game", name, [game.name for game in GAMES]))


def clauses_of(game: Game) -> tuple[Clause, ...]:
    """All clauses that hold in a game: the shared ones first."""
    return SHARED_CLAUSES + game.clauses
