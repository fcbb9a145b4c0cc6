"""A whole game by computer players without a window, begun or gone on with: `teeter play --headless`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console

from games.commands.console import OK, STOPPED, print_json, refuse

if TYPE_CHECKING:
    from engine.record.writer import Recorder
    from games.commands.play import Request
    from games.game import Game
    from games.play.session import Session


class Told:
    """Who is told the story: the terminal, line by line, unless the result is asked for as JSON."""

    def __init__(self, game: Game, as_json: bool) -> None:
        self.events = 0
        self._rules, self._is_mute = game.rules, as_json
        self.console = Console()

    def tell(self, before: Any, given: Any, after: Any) -> None:
        """An input that the rules took."""
        self.events += 1
        self.say(*self._rules.tell(before, given, after))

    def say(self, *lines: str) -> None:
        """Lines of the story."""
        for line in () if self._is_mute else lines:
            self.console.print(line, highlight=False, markup=False)


def begin_game(request: Request, game: Game, options: dict[str, object], as_json: bool) -> int:
    """Play a game from its first turn; the exit code. Raises SetupError and RecordError."""
    from games.play.recording import begin

    told = Told(game, as_json)
    from games.commands.play import TWO_BOTS

    players = tuple(name.strip() for name in (request.players or TWO_BOTS).split(","))
    _check_players(game, players)
    session, recorder = begin(
        game,
        players,
        request.seed,
        options,
        tremor=request.tremor / 1e3,
        path=request.record,
        tell=(told.tell,),
    )
    told.say(*game.rules.opening(session.state))
    return _play(request, session, recorder, request.seed, told, as_json)


def resume_game(request: Request, as_json: bool) -> int:
    """Go on with a game on file, in the same file or in a new one; the exit code. Raises RecordError."""
    from engine.record.reader import load
    from games.commands.progress import bar
    from games.play.playback import checkpoint_at, fork, found, game_of, resume

    assert request.resume is not None
    path = found(request.resume)
    replay = load(path)
    game = game_of(replay)
    _check_players(game, replay.meta.players)
    told = Told(game, as_json)
    recorder: Recorder | None
    with bar("playing up to there") as done:
        if request.record is None and request.start is None:
            session, recorder = resume(request.resume, tell=(told.tell,), progress=done)
        else:
            at = -1 if request.start is None else checkpoint_at(replay, request.start)
            session, recorder = fork(replay, at, path=request.record, tell=(told.tell,), progress=done)
    seconds = session.table.step / session.table.rate
    told.say(f"… after {session.turns} turns and {seconds:.1f} s, the game goes on:")
    return _play(request, session, recorder, replay.meta.seed, told, as_json)


def _check_players(game: Game, players: tuple[str, ...]) -> None:
    from games.core.errors import SetupError
    from games.players.bots import STYLES
    from games.registry import GAMES

    if not game.has_bots:
        names = sorted(each.name for each in GAMES if each.has_bots)
        refuse(f"bots do not play {game.name} yet; they play {', '.join(names)}")
    people = [name for name in players if not name.startswith("bot:")]
    if people:
        raise SetupError(f"{people[0]!r} is a person, and --headless is for bots: write bot:steady")
    strangers = [name for name in players if name[4:] not in STYLES]
    if strangers:
        raise SetupError(
            f"{strangers[0]!r} is no bot; there are {', '.join(f'bot:{each}' for each in STYLES)}"
        )


def _play(
    request: Request, session: Session, recorder: Recorder | None, seed: int, told: Told, as_json: bool
) -> int:
    from games.players.bots import bots_of
    from games.players.player import play

    game = session.game
    try:
        result = play(session, bots_of(session, seed), request.turns)
        outcome = session.outcome
        names = [seat.name for seat in session.state.seats]
        scores = dict(zip(names, game.rules.scores(session.state), strict=True))
        where = recorder.path if recorder is not None else None
        summary: dict[str, Any] = {
            "game": game.name,
            "mode": getattr(session.state, "mode", "") or "",
            "seed": seed,
            "players": names,
            "winners": list(outcome.winners) if outcome else [],
            "reason": outcome.reason.text if outcome else result.why,
            "turns": session.turns,
            "scores": scores,
            "events": told.events,
            "replay": None if where is None else str(where),
        }
        if recorder is not None:
            kept = {key: summary[key] for key in ("winners", "reason", "turns")}
            recorder.close({**kept, "ended": outcome is not None})
    except KeyboardInterrupt:
        hint = "" if recorder is None else f"; go on with: teeter play --resume {recorder.path} --headless"
        Console(stderr=True).print(f"teeter: stopped{hint}", highlight=False, markup=False, soft_wrap=True)
        return STOPPED
    finally:
        session.close()
        if recorder is not None:
            recorder.leave()
    if as_json:
        print_json(summary)
    else:
        points = ", ".join(f"{name} {value}" for name, value in scores.items())
        told.console.print(f"[bold]{summary['reason']}[/bold] ({game.score_word}: {points})")
    return OK
