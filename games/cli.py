"""The command `teeter`: which commands there are. Their words and options stand with what they do, in `games.commands`.

Nothing heavy is imported here, nor at the top of those modules, so that `teeter --help` answers at once.
"""

import sys

if __name__ == "__main__":
    # before anything is imported that may be missing, or hidden
    from runpy import run_module

    run_module("teeter.games", run_name="__main__")
    sys.exit(70)

import atexit
import gc
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Annotated

import typer

from teeter.games.commands.console import Commands, add_command, exit_on_crash, exit_on_interrupt
from teeter.games.commands.host import with_address
from teeter.games.faults import FAULTS, interrupt_behind, teeter_version


def main(app: Callable[[list[str]], object]) -> None:
    """Run the command. What nobody foresaw ends with a line and exit code 70: 0, 1 and 3 are verdicts."""
    atexit.register(_leave)
    try:
        # `--host` may stand alone
        app(with_address(sys.argv[1:]))
    except KeyboardInterrupt as error:
        exit_on_interrupt(error)
    except SystemExit:
        sys.stderr.write("".join(f"teeter: {fault.line}\n" for fault in FAULTS.noted))
        raise
    except Exception as error:
        if (interrupt := interrupt_behind(error)) is not None:
            exit_on_interrupt(interrupt)
        exit_on_crash(error)


def _leave() -> None:
    """Lets Python go without looking through all objects once more, for a tenth of a second; but what manifold3d made
    it has to collect, or is told of as leaks."""
    if "manifold3d" not in sys.modules:
        gc.freeze()


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(teeter_version())
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


COMMANDS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "Would it topple?": (
        ("check", "check:run", "teeter check scenes/arch.toml --without voussoir.05 --json"),
        ("mend", "mend:run", "teeter mend bridge_bare --margin 2 --apply 1 -o mended.toml"),
        ("design", "design:run", "teeter design overhang --pieces tower_topple/brick:20 -o far.toml"),
        ("probe", "probe:run", "teeter probe tower --piece brick.09.2 --piece brick.17.1"),
        (
            "sweep",
            "sweep:run",
            "teeter sweep bridge --piece counterweight --x -60:60:25 --y -10:10:5 --page map.html",
        ),
        ("merge", "merge:run", "teeter merge part-*.csv -o map.csv"),
        ("poses", "poses:run", "teeter poses egg.stl"),
        ("convert", "convert:run", "teeter convert pile.xml -o pile.toml"),
        (
            "verify-certificate",
            "certificates:verify_certificate",
            "teeter verify-certificate arch.json --scene arch",
        ),
        ("scenes", "listings:list_scenes", "teeter scenes"),
        ("view", "play:view", "teeter view arch"),
    ),
    "Play": (
        (
            "play",
            "play:run",
            "teeter play wonky --players bot:steady,bot:clumsy --seed 3 --headless --record game.teeter",
        ),
        ("games", "listings:list_games", "teeter games"),
        ("rules", "listings:list_rules", "teeter rules wonky"),
        ("models", "listings:models", "teeter models bausack --sheet bausack.png"),
    ),
    "Watch again": (
        ("replay", "recordings:replay", "teeter replay game.teeter"),
        ("verify", "recordings:verify", "teeter verify game.teeter"),
        ("video", "recordings:video", "teeter video game.teeter -o game.mp4 --slow-fall"),
        ("export", "recordings:export", "teeter export game.teeter -o game.glb"),
    ),
    "This machine": (
        ("doctor", "listings:doctor", "teeter doctor"),
        ("demo", "demo:run", "teeter demo"),
        ("bench", "bench:run", "teeter bench --accuracy"),
        ("schema", "schema:run", "teeter schema check"),
    ),
}
"""What each command runs, by its module in `games.commands`, and an example, as `--help` groups them."""


def program(words: Sequence[str] = ()) -> typer.Typer:
    """Returns the command line with the command that is named, or with all where none is: the modules of the others
    take half the time until an answer."""
    app = typer.Typer(
        name="teeter",
        cls=Commands,
        help="A 3D physics sandbox for towers of wooden blocks: play, check, replay.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    app.callback()(_root)
    every = [(panel, *row) for panel, rows in COMMANDS.items() for row in rows]
    for panel, name, run, example in [row for row in every if row[1] in words] or every:
        module, function = run.split(":")
        command = getattr(import_module(f"teeter.games.commands.{module}"), function)
        add_command(app, name, command, example, panel)
    return app


def __getattr__(name: str) -> typer.Typer:
    # made when it is asked for, with all commands
    if name != "app":
        raise AttributeError(name)
    globals()["app"] = app = program()
    return app
