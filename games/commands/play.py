"""`teeter play` and `teeter view`: what was asked, checked, and played: in a window, or by bots without one."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.console import Console

from teeter.games.api.arguments import fault
from teeter.games.commands.console import (
    OK,
    Engine,
    Json,
    Unit,
    Up,
    bar,
    exit_on_interrupt,
    print_json,
    refuse,
)

if TYPE_CHECKING:
    from teeter.engine.record.reader import Replay
    from teeter.engine.record.writer import Recorder
    from teeter.games.game import Game
    from teeter.games.play.session import Session
    from teeter.games.server.messages import Plan

MOST_TURNS = 2000
"""Choices of a player after which a game is broken off; no game of four bots has come near."""
OPEN_SEATS = ("Ada", "Ben", "Cem", "Dora")
"""Names of seats that nobody named."""
NOT_WITH_RESUME = ("game", "mode", "players", "seed", "house", "tremor", "engine", "scene", "unit", "up")
"""What a game on file knows."""


@dataclass(frozen=True, slots=True)
class PlayRequest:
    """Everything `teeter play` is asked, as typed."""

    game: Annotated[
        str | None, typer.Argument(help="Game to play; `teeter games` lists them. Not with --resume.")
    ] = None
    mode: Annotated[str | None, typer.Option(metavar="NAME", help="Mode of the game.")] = None
    players: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Names in clockwise order; bots are bot:expert, :steady, :bold and :clumsy. By default, you and "
            "as few bots as the game needs.",
        ),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option(
            help="Random seed of decks, pieces and bots: the same seed, the same game. Unpredictable by default; 0 "
            "with --headless."
        ),
    ] = None
    house: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Option of the game; `teeter games` lists them. Repeatable."),
    ] = None
    tremor: Annotated[float, typer.Option(help="How much hands shake, mm: 0.1 is calm, 2 is nervous.")] = 0.0
    engine: Engine = None
    record: Annotated[
        Path | None, typer.Option(help="Record to this file instead of the games in the menu.")
    ] = None
    resume: Annotated[
        Path | None, typer.Option(help="Continue this game in its own file, or with --record in a new one.")
    ] = None
    start: Annotated[
        float | None,
        typer.Option(
            "--from", help="With --resume and --record: continue from the last action before this second."
        ),
    ] = None
    scene: Annotated[
        str | None, typer.Option(metavar="SCENE", help="Sandbox: scene to start with, a file or a name.")
    ] = None
    unit: Unit = None
    up: Up = None
    host: Annotated[
        str | None,
        typer.Option(
            metavar="[ADDRESS[:PORT]]",
            help="Let others play in their browsers, by the links it prints. Only on this machine unless you give an "
            "address; 0.0.0.0 is all networks.",
        ),
    ] = None
    headless: Annotated[bool, typer.Option("--headless", help="Run without a window; bots only.")] = False
    turns: Annotated[int, typer.Option(help="Stop the game after this many choices.")] = MOST_TURNS
    as_json: Json = False


def run(request: PlayRequest) -> int:
    """Play a game with real physics in a window; without a game, open the menu. `--resume FILE` continues one."""
    from teeter.engine.worlds import using

    with using(request.engine):
        return _run(request)


def _run(request: PlayRequest) -> int:
    from teeter.games.registry import game_named

    if request.turns < 1:
        refuse(f"--turns {request.turns}: at least one turn is played")
    if request.resume is not None:
        _check_resume(request)
    if request.host is not None:
        _host(request, request.host)
    if not request.headless:
        return open_window(_plan_of(request))
    if request.resume is not None:
        return resume_game(request)
    if request.start is not None:
        refuse("--from says where a game on file is gone on with: give --resume FILE too")
    if request.game is None:
        refuse("which game? `teeter games` lists them; or --resume FILE")
    game = game_named(request.game)
    return begin_game(request, game, options_of(request, game))


def _host(request: PlayRequest, where: str) -> NoReturn:
    """Let others join in their browsers. Raises LinksError, SetupError and RecordError."""
    from teeter.games.commands.host import host_game

    if request.headless or request.as_json or request.start is not None:
        refuse("--host is for people: leave out --headless, --json and --from")
    plan = _plan_of(request)
    if plan is None:
        refuse("--host: which game? `teeter games` lists them; or --resume FILE")
    host_game(plan, where)


def view(
    scene: Annotated[str, typer.Argument(help="Scene or mesh file, or a shipped scene's name.")],
    unit: Unit = None,
    up: Up = None,
) -> int:
    """View a scene in a window: orbit it, check it, pick up pieces."""
    return open_window(_plan_of(PlayRequest(game="sandbox", scene=scene, unit=unit, up=up)))


def open_window(plan: Plan | None = None, watched: Replay | None = None, at: float = 0.0) -> int:
    """Open the window and stay until it is closed. Returns the exit code. plan: a game; watched: a recording, from the
    second `at`; without them the menu.

    Raises ViewError without a display, SetupError for a game that cannot begin or broken settings, RecordError.
    """
    from teeter.games.present.settings import load_settings
    from teeter.games.server.setup import left_as
    from teeter.games.ui.app import App

    app = App(load_settings(), plan, watched, at)
    try:
        app.run()
    except KeyboardInterrupt as error:
        exit_on_interrupt(error, left_as(app.file))
    return OK


def _plan_of(request: PlayRequest) -> Plan | None:
    """The game for people and bots at a window; None for the menu. Raises SetupError and RecordError."""
    from teeter.games.core.random_state import draw_seed
    from teeter.games.core.setup import take_mode
    from teeter.games.present.menu import of_game, seated
    from teeter.games.registry import game_named
    from teeter.games.server.messages import Plan
    from teeter.games.server.setup import new_file, plan_of

    if request.start is not None:
        refuse(
            f"--from {request.start:g}: for --headless; `teeter replay FILE` shows any moment, and goes on from it"
        )
    if request.resume is not None:
        return plan_of(request.resume, request.record)
    if request.game is None:
        return None
    game = game_named(request.game)
    options = options_of(request, game)
    players = names_of(request.players)
    if players is None and request.host is not None:
        # a seat for everybody who can play, as far as the mode needs them
        players = OPEN_SEATS[: take_mode(game.modes, options.get("mode")).least]
    if players is None:
        players = seated(of_game(game.name), str(options.get("mode", ""))).players
    seed = draw_seed() if request.seed is None else request.seed
    record = request.record
    if record is not None and game.is_free_building:
        refuse(f"--record {record}: {game.name} is not recorded; save the table as a scene in its window")
    if record is None and not game.is_free_building:
        record = new_file(game.name, seed)
    return Plan(
        game.name,
        players,
        seed,
        options,
        record,
        scene=request.scene,
        unit=request.unit,
        up=request.up,
        tremor=request.tremor / 1e3,
        is_drawn=request.seed is None,
    )


def names_of(players: str | None) -> tuple[str, ...] | None:
    """The names of players, as typed with commas between them."""
    return None if players is None else tuple(name.strip() for name in players.split(","))


def options_of(request: PlayRequest, game: Game) -> dict[str, object]:
    """The options of a new game. Raises SetupError."""
    from teeter.games.core.setup import split_texts
    from teeter.games.play.held_piece import MAX_TREMOR

    if request.scene is not None and not game.is_free_building:
        refuse(f"--scene {request.scene}: scenes belong to the sandbox, not to {game.name}")
    if request.scene is None and (request.unit or request.up) is not None:
        refuse("--unit and --up say how a mesh file is read: give it with --scene")
    options: dict[str, object] = dict(split_texts(request.house or ()))
    if request.mode is not None:
        options["mode"] = request.mode
    if wrong := fault("--tremor", (0.0, MAX_TREMOR * 1e3), request.tremor):
        refuse(f"{wrong} mm")
    return options


def _check_resume(request: PlayRequest) -> None:
    for option in fields(request):
        if option.name in NOT_WITH_RESUME and getattr(request, option.name) != option.default:
            word = "GAME" if option.name == "game" else f"--{option.name}"
            refuse(f"--resume {request.resume} knows its game: leave out {word}")
    if request.start is not None and request.record is None:
        refuse(
            f"--from {request.start:g}: name the new game with --record FILE; {request.resume} stays as it is"
        )


# -- without a window --------------------------------------------------------------------------------------------------


class Narrator:
    """Who is told the story: the terminal, line by line, unless the result is asked for as JSON."""

    def __init__(self, game: Game, as_json: bool) -> None:
        self._rules, self._is_mute = game.rules, as_json
        self.console = Console()

    def tell(self, before: Any, entry: Any, after: Any) -> None:
        """An input that the rules took."""
        self.say(*self._rules.tell(before, entry, after))

    def say(self, *lines: str) -> None:
        """Lines of the story."""
        for line in () if self._is_mute else lines:
            self.console.print(line, highlight=False, markup=False)


def begin_game(request: PlayRequest, game: Game, options: dict[str, object]) -> int:
    """Play a game from its first turn. Returns the exit code. Raises SetupError and RecordError."""
    from teeter.games.core.setup import take_mode
    from teeter.games.play.recording import begin

    narrator = Narrator(game, request.as_json)
    mode = take_mode(game.modes, options.get("mode"))
    players = names_of(request.players or None) or ("bot:steady",) * mode.least
    _check_players(game, players)
    # bots hide nothing from anybody: without a seed they play the same game everywhere
    seed = request.seed or 0
    session, recorder = begin(
        game, players, seed, options, tremor=request.tremor / 1e3, path=request.record, tell=(narrator.tell,)
    )
    narrator.say(*game.opening(session.state))
    return _play(request, session, recorder, seed, narrator)


def resume_game(request: PlayRequest) -> int:
    """Go on with a game on file, in the same file or in a new one. Returns the exit code. Raises RecordError."""
    from teeter.engine.record.latest import latest
    from teeter.engine.record.reader import load
    from teeter.games.play.playback import checkpoint_at, fork, game_of, resume

    assert request.resume is not None
    path = latest(request.resume)
    replay = load(path)
    game = game_of(replay)
    _check_players(game, replay.meta.players)
    narrator = Narrator(game, request.as_json)
    recorder: Recorder | None
    with bar("playing up to there") as done:
        if request.record is None and request.start is None:
            session, recorder = resume(request.resume, tell=(narrator.tell,), progress=done)
        else:
            at = -1 if request.start is None else checkpoint_at(replay, _begun(replay, request.start))
            session, recorder = fork(replay, at, path=request.record, tell=(narrator.tell,), progress=done)
    seconds = session.table.step / session.table.rate
    narrator.say(
        f"… after {session.turns} turn{'s' * (session.turns != 1)} and {seconds:.1f} s, the game goes on:"
    )
    return _play(request, session, recorder, replay.meta.seed, narrator)


def _begun(replay: Replay, seconds: float) -> float:
    """The second from which a record is gone on with; refused when it has none such."""
    if not seconds >= 0.0:
        refuse(f"--from {seconds:g}: seconds from the beginning, not negative")
    # a checkpoint may come after the last frame
    end = max([replay.seconds, *(checkpoint.step / replay.meta.rate for checkpoint in replay.checkpoints)])
    if seconds > end:
        refuse(f"--from {seconds:g}: the recording is {end:.1f} seconds long")
    return seconds


def _check_players(game: Game, players: tuple[str, ...]) -> None:
    from teeter.games.core.errors import SetupError
    from teeter.games.core.setup import STYLES
    from teeter.games.registry import games

    if not game.has_bots:
        names = sorted(game.name for game in games() if game.has_bots)
        refuse(f"bots do not play {game.name} yet; they play {', '.join(names)}")
    members = [name.strip() for team in players for name in team.split("+")]
    people = [name for name in members if not name.startswith("bot:")]
    if people:
        raise SetupError(f"{people[0]!r} is a person, and --headless is for bots: write bot:steady")
    strangers = [name for name in members if name[4:] not in STYLES]
    if strangers:
        raise SetupError(
            f"{strangers[0]!r} is no bot; there are {', '.join(f'bot:{each}' for each in STYLES)}"
        )


def _play(
    request: PlayRequest, session: Session, recorder: Recorder | None, seed: int, narrator: Narrator
) -> int:
    from teeter.games.players.bots import play_out

    game = session.game
    try:
        outcome = play_out(session, recorder, seed, request.turns)
    except KeyboardInterrupt as error:
        exit_on_interrupt(
            error, f"; go on with: teeter play --resume {recorder.path} --headless" if recorder else ""
        )
    if request.as_json:
        mode = getattr(session.state, "mode", "") or ""
        begun = {"game": game.name, "mode": mode, "seed": seed, "players": outcome["players"]}
        ended = {key: outcome[key] for key in ("winners", "reason", "turns", "scores")}
        replay = None if recorder is None else str(recorder.path)
        print_json({**begun, **ended, "events": session.events, "replay": replay})
    else:
        word, scores = game.scoring(session.state)
        points = ", ".join(f"{name} {value}" for name, value in zip(outcome["players"], scores, strict=True))
        narrator.console.print(f"[bold]{outcome['reason']}[/bold] ({word}: {points})")
    return OK
