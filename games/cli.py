"""The command `teeter`: every command's words and options. What they do is in `games.commands`.

Nothing heavy is imported here, so that `teeter --help` answers at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from games import cli_films, cli_laboratory
from games.commands.console import crashed, reports, stopped

app = typer.Typer(
    name="teeter",
    help="A 3D physics sandbox for towers of wooden blocks: play, check, replay.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def main() -> None:
    """Entry point of the command. What nobody foresaw ends with a line and exit code 70: 0, 1 and 3 are verdicts."""
    try:
        app()
    except KeyboardInterrupt:
        stopped()
    except Exception as error:
        crashed(error)


@app.callback()
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
) -> None:
    if version:
        from games.commands.console import teeter_version

        typer.echo(teeter_version())
        raise typer.Exit


cli_laboratory.register(app)


@app.command(
    epilog="Example: teeter play wonky --players bot:steady,bot:clumsy --seed 3 --headless --record game.teeter"
)
@reports
def play(
    game: Annotated[
        Optional[str], typer.Argument(help="What to play; `teeter games` lists it. Not with --resume.")
    ] = None,
    mode: Annotated[Optional[str], typer.Option(help="Mode of the game.")] = None,
    players: Annotated[
        Optional[str],
        typer.Option(
            help="Names in clockwise order; bot:steady, bot:bold, bot:clumsy. Two bots, or you and one."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of decks, pieces and bots.")] = 0,
    challenge: Annotated[
        Optional[int], typer.Option(help="Crazy Tower alone: the solo challenge, 1 to 20.")
    ] = None,
    house: Annotated[Optional[list[str]], typer.Option(help="KEY=VALUE of an option; repeatable.")] = None,
    tremor: Annotated[float, typer.Option(help="How much hands shake, mm; 0.1 calm, 2 nervous.")] = 0.0,
    record: Annotated[Optional[Path], typer.Option(help="Write a replay to this file.")] = None,
    resume: Annotated[
        Optional[Path],
        typer.Option(help="Go on with this game, in its file; with --record in a new one."),
    ] = None,
    start: Annotated[
        Optional[float],
        typer.Option("--from", help="With --resume and --record: from the action before this second."),
    ] = None,
    scene: Annotated[
        Optional[str], typer.Option(help="Sandbox: the scene that lies on the table, a file or a name.")
    ] = None,
    headless: Annotated[bool, typer.Option("--headless", help="Without a window; bots only.")] = False,
    turns: Annotated[int, typer.Option(help="Break the game off after so many choices.")] = 2000,
    as_json: Json = False,
) -> None:
    """A whole game on true physics, in a window; without a game its menu. `--resume FILE` goes on with one."""
    from games.commands.play import Request, run

    request = Request(
        game=game,
        mode=mode,
        players=players,
        seed=seed,
        house=tuple(house or ()),
        record=record,
        headless=headless,
        turns=turns,
        challenge=challenge,
        tremor=tremor,
        resume=resume,
        start=start,
        scene=scene,
    )
    raise typer.Exit(run(request, as_json))


@app.command(epilog="Example: teeter view arch")
@reports
def view(
    scene: Annotated[str, typer.Argument(help="Scene file, mesh file, or the name of a shipped scene.")],
) -> None:
    """Look at a scene in a window: go round it, check it, take pieces in the hand."""
    from games.commands.play import Request, run

    raise typer.Exit(run(Request(game="sandbox", scene=scene), as_json=False))


@app.command(epilog="Example: teeter verify game.teeter")
@reports
def verify(
    file: Annotated[Path, typer.Argument(help="A replay, or the folder of a game that was broken off.")],
    as_json: Json = False,
) -> None:
    """Play a replay again and compare. Exit code 0: agrees, 1: differs, 3: from another platform."""
    from games.commands.verify import run

    raise typer.Exit(run(file, as_json))


@app.command(epilog="Example: teeter doctor")
@reports
def doctor(as_json: Json = False) -> None:
    """Versions, the renderer found, and the line that installs what is missing."""
    from games.commands.doctor import report

    raise typer.Exit(report(as_json))


@app.command(epilog="Example: teeter bench --accuracy")
@reports
def bench(
    accuracy: Annotated[
        bool, typer.Option("--accuracy", help="How exact, beside closed forms, instead.")
    ] = False,
    as_json: Json = False,
) -> None:
    """The benchmark table: this machine, side by side with what else is installed."""
    from games.commands.bench import report

    raise typer.Exit(report(accuracy, as_json))


@app.command(epilog="Example: teeter demo")
@reports
def demo(
    out: Annotated[Path, typer.Option("--out", help="The folder for what is made.")] = Path("demo"),
) -> None:
    """A game by bots, its replay verified, ten seconds of video with sound, and the picture of a verdict."""
    from games.commands.demo import show

    raise typer.Exit(show(out))


@app.command("games", epilog="Example: teeter games")
@reports
def list_games(as_json: Json = False) -> None:
    """The games, their modes and options."""
    from games.commands.rulebook import list_games as show

    raise typer.Exit(show(as_json))


@app.command("rules", epilog="Example: teeter rules wonky")
@reports
def list_rules(
    game: Annotated[str, typer.Argument(help="The game, as `teeter games` names it.")], as_json: Json = False
) -> None:
    """Every clause of a game in our own words, our decisions marked."""
    from games.commands.rulebook import list_clauses

    raise typer.Exit(list_clauses(game, as_json))


@app.command("models", epilog="Example: teeter models bausack --sheet bausack.png")
@reports
def models(
    game: Annotated[
        Optional[str], typer.Argument(help="A game; `export` to write a piece; all when left out.")
    ] = None,
    model: Annotated[
        Optional[str], typer.Argument(help="With `export`: the piece, such as tower_topple/brick.")
    ] = None,
    sheet: Annotated[
        Optional[Path], typer.Option(help="Draw a contact sheet of the pieces into this PNG.")
    ] = None,
    out: Annotated[
        Optional[Path], typer.Option("--out", "-o", help="With `export`: the .glb file to write.")
    ] = None,
    as_json: Json = False,
) -> None:
    """The piece catalogue: size, mass, material, picture. `teeter models export ID -o F.glb` writes a piece."""
    from games.commands.catalogue import export, show
    from games.commands.console import refuse

    if game == "export":
        if model is None or out is None:
            refuse(
                "models export: give a piece and a file, such as `teeter models export tower_topple/brick -o f.glb`"
            )
        raise typer.Exit(export(model, out))
    if model is not None or out is not None:
        refuse("models: a second word and --out belong to `teeter models export ID -o F.glb`")
    raise typer.Exit(show(game, sheet, as_json))


cli_films.register(app)
