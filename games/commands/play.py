"""`teeter play`: what was asked, checked, and handed to whoever plays it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from games.commands.console import refuse

if TYPE_CHECKING:
    from games.game import Game

MOST_TURNS = 2000
"""Choices of a player after which a game is broken off; no game of four bots has come near."""
TWO_BOTS = "bot:steady,bot:steady"


@dataclass(frozen=True, slots=True)
class Request:
    """Everything `teeter play` was asked, as typed. tremor: mm. start: seconds into the game that is resumed."""

    game: str | None
    mode: str | None = None
    players: str | None = None
    seed: int = 0
    house: tuple[str, ...] = ()
    record: Path | None = None
    headless: bool = False
    turns: int = MOST_TURNS
    challenge: int | None = None
    tremor: float = 0.0
    resume: Path | None = None
    start: float | None = None
    scene: str | None = None


def run(request: Request, as_json: bool) -> int:
    """Play a game and tell it; the exit code. Raises SetupError and RecordError."""
    from games.commands.headless import begin_game, resume_game

    if request.turns < 1:
        refuse(f"--turns {request.turns}: at least one turn is played")
    if not request.headless:
        return _in_window(request)
    if request.resume is not None:
        _check_resume(request)
        return resume_game(request, as_json)
    if request.start is not None:
        refuse("--from says where a game on file is gone on with: give --resume FILE too")
    if request.game is None:
        refuse("which game? `teeter games` lists them; or --resume FILE")
    game = game_named(request.game)
    return begin_game(request, game, options_of(request, game), as_json)


def _in_window(request: Request) -> int:
    """People and bots at a window. Raises ViewError, SetupError and RecordError."""
    from games.commands.window import run as open_window
    from games.ui.menu import of_game, seated
    from games.ui.messages import Plan
    from games.ui.opening import plan_of

    if request.resume is not None:
        _check_resume(request)
        return open_window(plan_of(request.resume))
    if request.game is None:
        return open_window(None)
    game = game_named(request.game)
    if request.scene is not None and not game.is_free_building:
        refuse(f"--scene {request.scene}: scenes belong to the sandbox, not to {game.name}")
    options = options_of(request, game)
    if request.players is None:
        players = seated(of_game(game.name), str(options.get("mode", ""))).players
    else:
        players = tuple(name.strip() for name in request.players.split(","))
    return open_window(
        Plan(
            game.name,
            players,
            request.seed,
            options,
            request.record,
            scene=request.scene,
            tremor=request.tremor / 1e3,
        )
    )


def options_of(request: Request, game: Game) -> dict[str, object]:
    """The options of a new game. Raises SetupError; what belongs to other games is refused."""
    from games.core.setup import split_texts
    from games.play.held_piece import MAX_TREMOR
    from games.registry import GAMES

    options: dict[str, object] = dict(split_texts(request.house))
    if request.mode is not None:
        options["mode"] = request.mode
    if request.challenge is not None:
        if not game.challenge_mode:
            names = ", ".join(each.name for each in GAMES if each.challenge_mode)
            refuse(f"--challenge {request.challenge}: challenges belong to {names}, not to {game.name}")
        if "challenge" in options:
            refuse(f"--challenge {request.challenge} and --house challenge={options['challenge']}: give one")
        options |= {"challenge": request.challenge, "mode": request.mode or game.challenge_mode}
    if not 0.0 <= request.tremor <= MAX_TREMOR * 1e3:
        most = MAX_TREMOR * 1e3
        refuse(f"--tremor {request.tremor:g}: a hand shakes by 0 to {most:g} mm")
    return options


def _check_resume(request: Request) -> None:
    fresh = Request(None)
    for word, given, usual in (
        ("GAME", request.game, fresh.game),
        ("--mode", request.mode, fresh.mode),
        ("--players", request.players, fresh.players),
        ("--seed", request.seed, fresh.seed),
        ("--house", request.house, fresh.house),
        ("--challenge", request.challenge, fresh.challenge),
        ("--tremor", request.tremor, fresh.tremor),
    ):
        if given != usual:
            refuse(f"--resume {request.resume} knows its game: leave out {word}")
    if request.start is not None and request.record is None:
        refuse(
            f"--from {request.start:g}: name the new game with --record FILE; {request.resume} stays as it is"
        )


def game_named(name: str) -> Game:
    """A game by its name. Raises SetupError with the nearest for an unknown one."""
    from games.core.errors import SetupError, unknown
    from games.registry import GAMES

    found = next((game for game in GAMES if game.name == name), None)
    if found is None:
        raise SetupError(unknown("game", name, [game.name for game in GAMES]))
    return found
