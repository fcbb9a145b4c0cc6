"""All games, in one explicit tuple: a new game is one import and one line here."""

from __future__ import annotations

from games.bausack.game import GAME as BAUSACK
from games.core.clauses import SHARED, Clause
from games.core.errors import SetupError, unknown
from games.crazy_tower.game import GAME as CRAZY_TOWER
from games.game import Game
from games.sandbox.game import GAME as SANDBOX
from games.tower_topple.game import GAME as TOWER_TOPPLE
from games.wonky.game import GAME as WONKY

GAMES: tuple[Game, ...] = (
    CRAZY_TOWER,
    WONKY,
    BAUSACK,
    TOWER_TOPPLE,
    SANDBOX,
)
"""In the order in which people are shown them; the first is what the menu begins with."""
DEMO, LEARNED = TOWER_TOPPLE.name, WONKY.name
"""What `teeter demo` plays, and what an agent learns unless it is told another."""


def game_named(name: str) -> Game:
    """Returns the game of that name. Raises SetupError with the nearest and all there are."""
    for game in GAMES:
        if game.name == name:
            return game
    raise SetupError(unknown("game", name, [game.name for game in GAMES]))


def clauses_of(game: Game) -> tuple[Clause, ...]:
    """Returns all clauses that hold in a game: the shared ones first."""
    return SHARED + game.clauses
