"""All games: those of one explicit tuple, where a new game is one import and one line, and those that other
distributions name as `teeter.games`."""

from teeter.games.bausack.game import GAME as BAUSACK
from teeter.games.core.clauses import SHARED, Clause
from teeter.games.core.errors import SetupError, unknown
from teeter.games.crazy_tower.game import GAME as CRAZY_TOWER
from teeter.games.game import Game
from teeter.games.sandbox.game import GAME as SANDBOX
from teeter.games.tower_topple.game import GAME as TOWER_TOPPLE
from teeter.games.wonky.game import GAME as WONKY
from teeter.models.plugins import installed, loaded

GAMES: tuple[Game, ...] = (CRAZY_TOWER, WONKY, BAUSACK, TOWER_TOPPLE, SANDBOX)
"""Those that come with teeter, in the order in which people are shown them; the first is what the menu begins with."""
DEMO, LEARNED = TOWER_TOPPLE.name, WONKY.name
"""What `teeter demo` plays, and what an agent learns unless it is told another."""


def games() -> tuple[Game, ...]:
    """Returns all games that can be played here; of two of one name the first."""
    by_name = {game.name: game for game in GAMES}
    for point in installed("teeter.games").values():
        game = loaded(point)
        if isinstance(game, Game):
            by_name.setdefault(game.name, game)
    return tuple(by_name.values())


def game_of(name: str) -> Game | None:
    """Returns the game of that name, None where there is none."""
    for game in GAMES:  # others are not looked for in vain
        if game.name == name:
            return game
    return next((game for game in games() if game.name == name), None)


def game_named(name: str) -> Game:
    """Returns the game of that name. Raises SetupError with the nearest and all there are."""
    game = game_of(name)
    if game is None:
        raise SetupError(unknown("game", name, [game.name for game in games()]))
    return game


def clauses_of(game: Game) -> tuple[Clause, ...]:
    """Returns all clauses that hold in a game: the shared ones first."""
    return SHARED + game.clauses
