"""`teeter play GAME --headless` and `teeter verify FILE`: whole games by computer players, and records played again."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from games.commands.console import OK, TOPPLES, UNSURE, print_json, refuse

if TYPE_CHECKING:
    from games.rules.base import Game

DIFFERS, NOT_COMPARABLE = TOPPLES, UNSURE
MOST_TURNS = 2000
"""Choices of a player after which a game is broken off; no game of four bots has come near."""


@dataclass(frozen=True, slots=True)
class Request:
    """Everything `teeter play` was asked, as typed."""

    game: str
    mode: str | None = None
    players: str = "bot:steady,bot:steady"
    seed: int = 0
    house: tuple[str, ...] = ()
    record: Path | None = None
    headless: bool = False
    turns: int = MOST_TURNS


def run(request: Request, as_json: bool) -> int:
    """Play a game by computer players and tell it; the exit code. Raises SetupError and RecordError."""
    if not request.headless:
        refuse("there is no window yet: add --headless, with players that are bots")
    if request.turns < 1:
        refuse(f"--turns {request.turns}: at least one turn is played")
    from games.players.bots import SKILLS, STYLES
    from games.rules.errors import SetupError
    from games.rules.options import split_texts

    game = _game(request.game)
    if game.name not in SKILLS:
        refuse(f"bots do not play {game.name} yet; they play {', '.join(sorted(SKILLS))}")
    options: dict[str, object] = dict(split_texts(request.house))
    if request.mode is not None:
        options["mode"] = request.mode
    players = tuple(name.strip() for name in request.players.split(","))
    people = [name for name in players if not name.startswith("bot:")]
    if people:
        raise SetupError(f"{people[0]!r} is a person, and --headless is for bots: write bot:steady")
    strangers = [name for name in players if name[4:] not in STYLES]
    if strangers:
        raise SetupError(
            f"{strangers[0]!r} is no bot; there are {', '.join(f'bot:{each}' for each in STYLES)}"
        )
    return _play(request, game, players, options, as_json)


def _play(
    request: Request, game: Game, players: tuple[str, ...], options: dict[str, object], as_json: bool
) -> int:
    from games.players.bots import Bot
    from games.players.player import play
    from games.record import begin

    console = Console()
    events = 0

    def tell(before: Any, given: Any, after: Any) -> None:
        nonlocal events
        events += 1
        if not as_json:
            for line in game.rules.tell(before, given, after):
                console.print(line, highlight=False, markup=False)

    session, recorder = begin(game, players, request.seed, options, path=request.record, tell=(tell,))
    try:
        seats = session.state.seats
        if not as_json:
            for line in game.rules.opening(session.state):
                console.print(line, highlight=False, markup=False)
        bots = {
            seat.name: Bot(seat.members[0].bot, game.name, request.seed + number)
            for number, seat in enumerate(seats)
        }
        result = play(session, bots, request.turns)
        outcome = session.outcome
        scores = dict(zip([seat.name for seat in seats], game.rules.scores(session.state), strict=True))
        summary: dict[str, Any] = {
            "game": game.name,
            "mode": getattr(session.state, "mode", "") or str(options.get("mode", "")),
            "seed": request.seed,
            "players": [seat.name for seat in seats],
            "winners": list(outcome.winners) if outcome else [],
            "reason": outcome.reason.text if outcome else result.why,
            "turns": result.turns,
            "scores": scores,
            "events": events,
            "replay": None if request.record is None else str(request.record),
        }
        if recorder is not None:
            recorder.close({key: summary[key] for key in ("winners", "reason", "turns")})
    finally:
        session.close()
    if as_json:
        print_json(summary)
    else:
        points = ", ".join(f"{name} {value}" for name, value in scores.items())
        console.print(f"[bold]{summary['reason']}[/bold] ({game.score_word}: {points})")
    return OK


def _game(name: str) -> Game:
    from games.rules.errors import SetupError, unknown
    from games.rules.registry import GAMES

    found = next((game for game in GAMES if game.name == name), None)
    if found is None:
        raise SetupError(unknown("game", name, [game.name for game in GAMES]))
    return found


def run_verify(path: Path, as_json: bool) -> int:
    """Play a record again and say whether it agrees; the exit code. Raises RecordError."""
    from games.record import verify

    bar = Progress(
        TextColumn("playing again"),
        BarColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
        auto_refresh=False,
    )
    with bar:
        task = bar.add_task("", total=1.0)

        def progress(part: float) -> None:
            is_news = int(part * 200) != int(bar.tasks[0].completed * 200)
            bar.update(task, completed=part)
            if is_news:
                bar.refresh()

        found = verify(path, progress)
    if as_json:
        difference = None if found.difference is None else {"step": found.difference, "why": found.why}
        print_json(
            {
                "agrees": found.agrees,
                "comparable": found.comparable,
                "steps": found.steps,
                "first_difference": difference,
            }
        )
    elif found.agrees:
        Console().print(f"[green]agrees[/green]: {found.steps} steps simulated again, bit for bit")
    else:
        where = "" if found.difference is None else f" from step {found.difference} on"
        Console().print(f"[red]differs[/red]{where}: {found.why}", highlight=False)
        if not found.comparable:
            Console().print("It was recorded on another platform, where numbers may round differently.")
    if found.agrees:
        return OK
    return DIFFERS if found.comparable else NOT_COMPARABLE
