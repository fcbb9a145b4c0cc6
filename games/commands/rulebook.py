"""`teeter games` and `teeter rules GAME`: what can be played, and by which clauses."""

from __future__ import annotations

from dataclasses import asdict

from rich.console import Console
from rich.table import Table
from rich.text import Text

from games.commands.console import OK, print_json


def list_games(as_json: bool) -> int:
    """Print the games, their modes and options."""
    from games.core.setup import options_of
    from games.registry import GAMES

    if as_json:
        print_json(
            [
                {
                    "name": game.name,
                    "title": game.title,
                    "summary": game.summary,
                    "modes": [
                        {"name": mode.name, "title": mode.title, "least": mode.least, "most": mode.most}
                        for mode in game.modes
                    ],
                    "options": [
                        {
                            "name": each.name,
                            "default": each.default,
                            "allowed": each.allowed,
                            "help": each.help,
                        }
                        for each in options_of(game.house)
                    ],
                }
                for game in GAMES
            ]
        )
        return OK
    console = Console()
    for game in GAMES:
        console.print(f"[bold]{game.name}[/bold]  {game.title}: {game.summary}")
        table = Table(box=None, padding=(0, 2), show_header=False)
        table.add_column(style="cyan", no_wrap=True)
        table.add_column()
        for mode in game.modes:
            table.add_row(f"mode {mode.name}", f"{mode.title}, {mode.least} to {mode.most} players")
        for each in options_of(game.house):
            table.add_row(f"{each.name}={_shown(each.default)}", f"{each.help} ({each.allowed})")
        console.print(table)
        console.print()
    return OK


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def list_clauses(name: str, as_json: bool) -> int:
    """Print every clause of a game. Raises SetupError for an unknown game."""
    from games.registry import clauses_of, game_named

    game = game_named(name)
    clauses = clauses_of(game)
    if as_json:
        print_json({"game": game.name, "clauses": [asdict(clause) for clause in clauses]})
        return OK
    table = Table(title=game.title, title_justify="left", box=None, padding=(0, 2), show_header=False)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column()
    for clause in clauses:
        table.add_row(clause.id, Text(clause.text))
        if clause.decision:
            table.add_row("", Text(f"our decision: {clause.decision}", "dim italic"))
    Console().print(table)
    return OK
