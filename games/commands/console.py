"""What all commands share: options, exit codes, consoles, progress, and one way to report bad input."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import MISSING, fields, is_dataclass
from inspect import Parameter, Signature, cleandoc, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, get_type_hints

import typer
from typer.core import TyperGroup

from teeter.engine.process import load_no_tools
from teeter.engine.settings import PACKAGES
from teeter.games.commands.standard_input import renamed
from teeter.games.exits import CRASHED, OUT_OF_MEMORY, answer, ask, hiding, missing, out_of_memory
from teeter.games.faults import one_line, teeter_version, write_report
from teeter.models.errors import TeeterError

if TYPE_CHECKING:
    from rich.table import Table


def choice(words: str, *names: str) -> Any:
    """Returns an option that takes one of some names: help shows them, and shells complete them. What takes the value
    refuses others, in its own words."""
    return typer.Option(help=words, metavar=f"[{'|'.join(names)}]", autocompletion=lambda: list(names))


Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
SCENE: Any = typer.Argument(
    help="Scene or mesh file, or a shipped scene's name; `-` reads a scene from standard input."
)
SceneName = Annotated[str, SCENE]
Recording = Annotated[
    Path, typer.Argument(help="Replay, or the folder of an interrupted game; `-` reads standard input.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]
Engine = Annotated[str | None, choice("Physics engine; the first one installed by default.", *PACKAGES)]
Unit = Annotated[str | None, choice("Unit of a mesh file.", "mm", "cm", "m", "in")]
Up = Annotated[str | None, choice("Up axis of a mesh file other than .3mf.", "x", "y", "z")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Log each step to standard error.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only; the exit code is the answer.")]
SceneOut = Annotated[Path | None, typer.Option("--out", "-o", help="Scene file to write (.toml).")]
Workers = Annotated[int | None, typer.Option(help="Number of processes; all cores by default.")]


def suffix_fault(option: str, path: Path | None, what: str, suffix: str) -> str:
    """Returns what is wrong with the name of an output; empty for nothing."""
    if path is None or path.suffix.lower() == suffix:
        return ""
    return f'{option} {path}: {what} are written as {suffix} (got "{path.suffix}")'


OK, TOPPLES, BAD_INPUT, UNSURE = 0, 1, 2, 3
STOPPED, TERMINATED = 130, 143
"""By Ctrl-C and by SIGTERM, as shells say it."""
MAX_FAULTS = 21
"""Lines about bad input: twenty, and how many more there are."""
MAX_LINE = 300
"""Characters of such a line."""
GONE = "the current folder was removed: change to one that exists"
LEAST_COLUMNS = 40
"""Of a terminal; COLUMNS that says fewer is not heard."""
BAR_AFTER_S = 1.0
"""Before a progress bar appears, and between two lines of -v."""
PLAIN_S = 10.0
"""Between two lines in the place of a bar, where there is no terminal."""
_told: list[bool] = []
"""Whether the command that runs tells more than usual (-v), or nothing (-q); empty for as usual."""
_as_json: list[bool] = [False]
"""Whether --json is among its words: then what is wrong with others is printed so too."""

Progressed = Callable[[int, int], None]
"""Called with how many are done, of how many."""


# -- commands --------------------------------------------------------------------------------------------------------


class Commands(TyperGroup):
    """All commands of a program. What is wrong with a command line is said in few plain letters, whatever its words."""

    def make_context(self, *arguments: Any, **more: Any) -> Any:
        """Read the options of the program itself."""
        _as_json[:] = ["--json" in arguments[1]]
        columns = os.environ.get("COLUMNS", "")
        if not columns.isdecimal() or int(columns) < LEAST_COLUMNS:
            # rich would print no words, or letters one below the other
            os.environ.pop("COLUMNS", None)
        with _said_shortly():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: Any) -> Any:
        """Read those of a command, and run it."""
        with _said_shortly():
            return super().invoke(ctx)


@contextmanager
def _said_shortly() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        # the base class of typer's errors of usage is private
        if isinstance(message := getattr(error, "message", None), str):
            lines = "\n".join(map(_without_controls, message.split("\n")))
            error.message = lines if len(lines) <= MAX_LINE else f"{lines[:MAX_LINE]} ..."  # type: ignore[attr-defined]
            print_errors(BAD_INPUT, [error.message])  # type: ignore[attr-defined]
        raise


def add_command(
    app: typer.Typer, name: str, run: Callable[..., int], example: str, panel: str | None = None
) -> None:
    """Add a command that leaves with the exit code `run` returns, and with one clear message for bad input.

    Its help is the docstring of `run`. Its options are the parameters of `run`, each written there with its words as
    `Annotated[type, typer.Option(help=...)]`; where the only parameter is a dataclass, they are the fields of
    that. panel: the group that it stands with in the help of the program.
    """
    hints = get_type_hints(run, include_extras=True)
    request: Any = next(iter(hints.values()))
    has_request = is_dataclass(request)
    options = dict(signature(run).parameters)
    if has_request:
        hints = get_type_hints(request, include_extras=True)
        options = {
            field.name: Parameter(
                field.name,
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if field.default is MISSING else field.default,
            )
            for field in fields(request)
        }

    def command(*, verbose: bool, quiet: bool, **values: Any) -> None:
        ask()
        if verbose and quiet:
            refuse("-v says more, -q nothing: give one of them")
        _told[:] = [True] if verbose else [False] if quiet else []
        load_no_tools()
        try:
            with _without_words(quiet and not values.get("as_json")):
                code = run(request(**values)) if has_request else run(**values)
        except KeyboardInterrupt as error:
            exit_on_interrupt(error)
        except (TeeterError, OSError) as error:
            # about the input: one of our own, or the file system's
            refuse(renamed(GONE if _is_nowhere(error) else str(error)))
        raise typer.Exit(answer(code))

    hints |= {"verbose": Verbose, "quiet": Quiet}
    options |= {word: Parameter(word, Parameter.KEYWORD_ONLY, default=False) for word in ("verbose", "quiet")}
    parameters = [parameter.replace(annotation=hints[word]) for word, parameter in options.items()]
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    # lines of source are none of the help
    paragraphs = cleandoc(run.__doc__ or "").split("\n\n")
    command.__doc__ = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    app.command(name, epilog=f"Example: {example}", rich_help_panel=panel)(command)


def _is_nowhere(error: Exception) -> bool:
    """Whether it is that the current folder was removed: the system names no file then."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return isinstance(error, FileNotFoundError) and error.filename is None
    return False


def refuse(message: str) -> NoReturn:
    """Report bad input on standard error, a line for each fault, and leave with exit code 2."""
    faults = message.split("\n")
    lines = [_without_controls(fault) for fault in faults[:MAX_FAULTS]]
    lines = [line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]} ..." for line in lines]
    if len(faults) > MAX_FAULTS:
        lines.append(f"... and {len(faults) - MAX_FAULTS} more")
    print_errors(BAD_INPUT, lines)
    sys.stderr.write("teeter: " + "".join(f"{line}\n" for line in lines))
    raise typer.Exit(BAD_INPUT)


class Terminated(KeyboardInterrupt):
    """SIGTERM: everything ends as after Ctrl-C, with an exit code of its own."""


def print_errors(code: int, errors: list[str]) -> None:
    """Print why there is no answer, where one is awaited as JSON. code: with which the program leaves."""
    if _as_json[0]:
        print_json({"teeter": teeter_version(), "exit": code, "errors": errors})


def exit_on_interrupt(error: KeyboardInterrupt, hint: str = "") -> NoReturn:
    """Leave because of Ctrl-C or SIGTERM. hint: what can be done now."""
    code = TERMINATED if isinstance(error, Terminated) else STOPPED
    print_errors(code, [f"stopped{hint}"])
    sys.stderr.write(f"teeter: stopped{hint}\n")
    sys.exit(code)


def exit_on_crash(error: Exception) -> NoReturn:
    """Leave because of a fault of the program: one line, and a file with what a report needs; where memory has run out
    only the line."""
    if out_of_memory(error):
        sys.stderr.write(OUT_OF_MEMORY)
        sys.exit(CRASHED)
    files = hiding(error)
    if not files and (why := missing(error)):
        sys.stderr.write(f"teeter: no verdict: {why}\n")
        sys.exit(CRASHED)
    file = write_report(error)
    where = f"please report it with {file}" if file is not None else "please report it"
    if files:
        where = f"{files} may hide a package; if it does not, {where}"
    why = f"internal error, no verdict: {one_line(error)}; {where}"
    print_errors(CRASHED, [why])
    sys.stderr.write(f"teeter: {why}\n")
    sys.exit(CRASHED)


def _without_controls(text: str) -> str:
    """Text that moves no cursor and changes no colour of a terminal: what is not a letter of any language, escaped."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def print_json(value: Any) -> None:
    """Print a result as JSON, one document on standard output."""
    sys.stdout.write(json.dumps(value, indent=2, allow_nan=False) + "\n")


def plain_table(*headings: str, right: Container[str] = (), title: str | None = None) -> Table:
    """A table without lines. right: the headings of columns of numbers."""
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=None, padding=(0, 2))
    for heading in headings:
        # names are what people copy: on a narrow terminal they go on below, but lose nothing
        table.add_column(heading, justify="right" if heading in right else "left", overflow="fold")
    return table


def bytes_said(size: int) -> str:
    """How large a file is, in words."""
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"


def say(text: str) -> None:
    """Print a line about a file, however long its name is."""
    from rich.console import Console

    Console().print(text, highlight=False, markup=False, soft_wrap=True)


# -- progress, on standard error -------------------------------------------------------------------------------------
# without the thread of rich, which would keep the work from forking its processes


@contextmanager
def _without_words(quiet: bool) -> Iterator[None]:
    """Drops what is printed inside, when asked to."""
    if not quiet:
        yield
        return
    # names that are no text are written as anywhere else
    with (
        open(os.devnull, "w", encoding="utf-8", errors="backslashreplace") as nowhere,
        redirect_stdout(nowhere),
    ):
        yield


@contextmanager
def _live(*columns: Any, after_s: float = BAR_AFTER_S) -> Iterator[Callable[..., None]]:
    """What brings a line of progress up to date: on the terminal, once the work takes longer than a moment."""
    from rich.console import Console
    from rich.progress import Progress

    started = time.perf_counter()
    progress = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
    task = progress.add_task("", total=None)
    showing = False

    def tell(**news: Any) -> None:
        nonlocal showing
        if not showing and time.perf_counter() - started >= after_s:
            showing = True
            progress.start()
        progress.update(task, **news, refresh=showing)

    try:
        yield tell
    finally:
        if showing:
            progress.stop()


@contextmanager
def bar(words: str) -> Iterator[Progressed]:
    """Something to tell how far the work is: a bar on a terminal, once it takes longer than a moment; elsewhere, and
    with -v, lines."""
    if _told or not sys.stderr.isatty():
        yield _lines_of(words) if _told != [False] else lambda done, total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

    with _live(TextColumn(words), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()) as tell:
        yield lambda done, total: tell(completed=done, total=total)


@contextmanager
def stages(*, always: bool = False) -> Iterator[Callable[[str], None]]:
    """Something to tell what is asked now: on a terminal, with the time it takes; with -v lines. always: at once, and
    in lines where there is no terminal."""
    if _told or not sys.stderr.isatty():
        yield _line if _told == [True] or (always and not _told) else lambda words: None
        return
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with _live(*columns, after_s=0.0 if always else BAR_AFTER_S) as tell:
        yield lambda words: tell(description=words)


def _line(words: str) -> None:
    # what is made does not hang on who listens
    with suppress(OSError):
        sys.stderr.write(f"teeter: {words}\n")
        sys.stderr.flush()


def _lines_of(words: str) -> Progressed:
    """A line of progress now and then, and for the end if there was one before."""
    every_s, begun = BAR_AFTER_S if _told else PLAIN_S, time.perf_counter()
    last = first = 0.0 if _told else begun

    def tell(done: int, total: int) -> None:
        nonlocal last
        now = time.perf_counter()
        if now - last > every_s or (done == total and last > first):
            last = now
            # the first of many take longer than any other
            left = (now - begun) * (total - done) / done if 10 * done > total else 0.0
            _line(f"{words}: {done} of {total}" + f", about {left:.0f} s left" * (left >= 1.0))

    return tell


def check_outputs(paths: Iterable[Path | None], *, force: bool, inputs: Iterable[Path]) -> None:
    """Before anything is simulated: what cannot be written is said at once. inputs: the files that are read."""
    from teeter.models.files import check_output, same_output

    outputs = [path for path in paths if path is not None]
    for path in outputs:
        check_output(path, force=force, inputs=inputs)
    if pair := same_output(outputs):
        refuse(f"{pair[0]} and {pair[1]} are one file: give each output a file of its own")
