"""The command `teeter`: every command's words and options. What they do is in `games.commands`.

Nothing heavy is imported here, so that `teeter --help` answers at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from games import cli_films
from games.commands.console import reports

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
    """Entry point of the command."""
    app()


@app.callback()
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
) -> None:
    if version:
        from games.commands.console import teeter_version

        typer.echo(teeter_version())
        raise typer.Exit


@app.command(epilog="Example: teeter check scenes/arch.toml --without voussoir.05 --json")
@reports
def check(
    scene: Annotated[str, typer.Argument(help="Scene file, mesh file, or the name of a shipped scene.")],
    without: Annotated[
        Optional[list[str]], typer.Option(help="Take this piece out first. May be repeated.")
    ] = None,
    add: Annotated[Optional[Path], typer.Option(help="Put in the pieces of another scene file.")] = None,
    time: Annotated[Optional[float], typer.Option(help="Simulate exactly this many seconds.")] = None,
    settle: Annotated[
        float, typer.Option(help="Allow gaps and overlaps up to this many mm and close them first.")
    ] = 0.0,
    tilt: Annotated[float, typer.Option(help="Tilt the table and the supports by this many degrees.")] = 0.0,
    tilt_direction: Annotated[float, typer.Option(help="Downhill side of --tilt, degrees from +x.")] = 0.0,
    friction: Annotated[Optional[float], typer.Option(help="Coefficient of friction of every pair.")] = None,
    noise: Annotated[
        Optional[float],
        typer.Option(
            help="How surely: every piece is misplaced at random, by so many mm (standard deviation)."
        ),
    ] = None,
    tilt_noise: Annotated[
        Optional[float], typer.Option(help="The same for the table's slope, in degrees.")
    ] = None,
    friction_range: Annotated[
        Optional[str], typer.Option(help="The same for friction, anywhere from LOW to HIGH: `0.3:0.5`.")
    ] = None,
    samples: Annotated[Optional[int], typer.Option(help="Noisy copies to judge, at most; 200.")] = None,
    until: Annotated[
        Optional[float], typer.Option(help="Stop when the 95 % interval is no wider: `0.02` is 2 %.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say which piece, over which edge, and how much is missing.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the small disturbances and of the noise.")] = 0,
    workers: Annotated[Optional[int], typer.Option(help="Processes to use; all cores when left out.")] = None,
    table: Annotated[Optional[str], typer.Option(help="Mesh scenes: `lowest` or `none`.")] = None,
    fixed: Annotated[
        Optional[list[str]], typer.Option(help="Pieces that are supports, by name or pattern.")
    ] = None,
    material: Annotated[Optional[str], typer.Option(help="Material of pieces that name none.")] = None,
    unit: Annotated[Optional[str], typer.Option(help="Unit of a mesh file: mm, cm, m or in.")] = None,
    picture: Annotated[
        Optional[Path], typer.Option(help="Draw the verdict, forces and all, into this PNG.")
    ] = None,
    record: Annotated[Optional[Path], typer.Option(help="Write the deciding trial as a replay.")] = None,
    as_json: Json = False,
) -> None:
    """Would it topple? Exit code 0: stands, 1: topples, 3: unsure, 2: bad input."""
    from games.commands.check import Request, run
    from games.commands.noise import Asked

    request = Request(
        scene=scene,
        without=tuple(without or ()),
        add=add,
        time=time,
        settle=settle,
        tilt=tilt,
        tilt_direction=tilt_direction,
        friction=friction,
        seed=seed,
        workers=workers,
        table=table,
        fixed=tuple(fixed or ()),
        material=material,
        unit=unit,
        noise=Asked(noise, tilt_noise, friction_range, samples, until),
        explain=explain,
        picture=picture,
        record=record,
    )
    raise typer.Exit(run(request, as_json))


@app.command(epilog="Example: teeter probe tower --piece brick.09.2 --piece brick.17.1")
@reports
def probe(
    scene: Annotated[str, typer.Argument(help="Scene file, mesh file, or the name of a shipped scene.")],
    piece: Annotated[
        Optional[list[str]], typer.Option(help="Probe this piece. May be repeated; all when left out.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Which piece can come out: what it carries, how hard it pulls, whether the rest stands without it."""
    from games.commands.probe import Request, run

    raise typer.Exit(run(Request(scene, tuple(piece or ())), as_json))


@app.command(
    epilog="Example: teeter sweep bridge --piece counterweight --x -60:60:25 --y -10:10:5 --plot map.png"
)
@reports
def sweep(
    scene: Annotated[
        Optional[str], typer.Argument(help="Scene file, mesh file, or the name of a shipped scene.")
    ] = None,
    piece: Annotated[Optional[str], typer.Option(help="The piece that is tried in many places.")] = None,
    x: Annotated[Optional[str], typer.Option(help="Where, in mm: a number, or FROM:TO:COUNT.")] = None,
    y: Annotated[Optional[str], typer.Option(help="The same across.")] = None,
    yaw: Annotated[str, typer.Option(help="Turned by, in degrees: a number, or FROM:TO:COUNT.")] = "0",
    samples: Annotated[
        Optional[int], typer.Option(help="So many places at random between the ends, instead of the grid.")
    ] = None,
    keep_height: Annotated[
        bool,
        typer.Option("--keep-height", help="Leave the piece at its height; else it is let down from above."),
    ] = False,
    scenes: Annotated[
        Optional[str], typer.Option(help="Judge many scene files instead: 'folder/*.toml'.")
    ] = None,
    margins: Annotated[bool, typer.Option(help="With the tilt margin of what stands.")] = True,
    best: Annotated[int, typer.Option(help="Name so many of the safest.")] = 5,
    out: Annotated[
        Optional[Path],
        typer.Option(help="Table to write, .csv or .parquet; one that is there already is gone on with."),
    ] = None,
    plot: Annotated[Optional[Path], typer.Option(help="Map to draw, .png, .pdf or .svg.")] = None,
    workers: Annotated[Optional[int], typer.Option(help="Processes to use; all cores when left out.")] = None,
    dask: Annotated[
        Optional[str], typer.Option(help="Address of a dask scheduler to work on instead.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the small disturbances and the places at random.")] = 0,
    as_json: Json = False,
) -> None:
    """Where could this piece go, how safely; or which of many scenes stand."""
    from games.commands.sweep import Request, run

    request = Request(
        scene=scene,
        scenes=scenes,
        piece=piece,
        x=x,
        y=y,
        yaw=yaw,
        samples=samples,
        keep_height=keep_height,
        margins=margins,
        best=best,
        out=out,
        plot=plot,
        workers=workers,
        dask=dask,
        seed=seed,
    )
    raise typer.Exit(run(request, as_json))


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
