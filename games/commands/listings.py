"""What there is: `teeter scenes`, `teeter games`, `teeter rules GAME`, `teeter models`, `teeter doctor`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from teeter.games.commands.console import OK, Force, Json, plain_table, print_json, refuse, say
from teeter.games.health import as_json as json_of
from teeter.games.health import code_of, findings

if TYPE_CHECKING:
    from teeter.games.game import Game
    from teeter.models.piece import Piece
    from teeter.models.spec import PieceSpec

MM = 1e3
WIDE = 160
"""Letters of a line where nothing has a width: a file or a pipe."""
VERDICTS = {"stands": "[green]stands[/green]", "topples": "[red]topples[/red]"}


def _screen() -> Console:
    screen = Console()
    return screen if screen.is_terminal else Console(width=WIDE)


def list_scenes(as_json: Json = False) -> int:
    """List the shipped scenes: what each shows and whether it should stand."""
    from teeter.scenes.load import shipped

    rows = [_scene_row(name) for name in shipped()]
    if as_json:
        print_json(rows)
        return OK
    table = plain_table("scene", "pieces", "should", "what it shows", right=("pieces",))
    for row in rows:
        shown = escape(row["title"]) + (f": [dim]{escape(row['why'])}[/dim]" if row["why"] else "")
        table.add_row(row["name"], str(row["pieces"]), VERDICTS.get(row["verdict"], ""), shown)
    _screen().print(table)
    return OK


def _scene_row(name: str) -> dict[str, Any]:
    """What a scene file says of itself; no mesh is built."""
    from teeter.scenes.load import SHIPPED

    written = tomllib.loads((SHIPPED / f"{name}.toml").read_text(encoding="utf-8"))
    expected = written.get("expect", {})
    return {
        "name": name,
        "title": written.get("name", name),
        "pieces": len(written.get("piece", ())),
        "verdict": expected.get("verdict"),
        "why": expected.get("why"),
    }


def list_games(as_json: Json = False) -> int:
    """List the games with their modes and options."""
    from teeter.games.core.setup import options_of
    from teeter.games.registry import games

    if as_json:
        print_json([_game_row(game) for game in games()])
        return OK
    console = Console()
    for game in games():
        console.print(f"[bold]{game.name}[/bold]  {game.title}: {game.summary}")
        table = Table(box=None, padding=(0, 2), show_header=False)
        table.add_column(style="cyan", no_wrap=True)
        table.add_column()
        for mode in game.modes:
            table.add_row(f"mode {mode.name}", f"{mode.title}, {mode.players}")
        for option in options_of(game.house):
            default = ("no", "yes")[option.default] if isinstance(option.default, bool) else option.default
            table.add_row(f"{option.name}={default}", f"{option.help} ({option.allowed})")
        console.print(table)
        console.print()
    return OK


def _game_row(game: Game) -> dict[str, Any]:
    from teeter.games.core.setup import options_of

    def rows(things: Iterable[Any], *keys: str) -> list[dict[str, Any]]:
        return [{key: getattr(thing, key) for key in keys} for thing in things]

    return {
        **rows([game], "name", "title", "summary")[0],
        "modes": rows(game.modes, "name", "title", "least", "most"),
        "options": rows(options_of(game.house), "name", "default", "allowed", "help"),
    }


def list_rules(
    game: Annotated[str, typer.Argument(help="A game of `teeter games`.")],
    as_json: Json = False,
) -> int:
    """List every rule of a game in our own words, with our decisions marked."""
    from teeter.games.registry import clauses_of, game_named

    chosen = game_named(game)
    clauses = clauses_of(chosen)
    if as_json:
        print_json({"game": chosen.name, "clauses": [asdict(clause) for clause in clauses]})
        return OK
    table = Table(title=chosen.title, title_justify="left", box=None, padding=(0, 2), show_header=False)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column()
    for clause in clauses:
        table.add_row(clause.id, Text(clause.text))
        if clause.decision:
            table.add_row("", Text(f"our decision: {clause.decision}", "dim italic"))
    Console().print(table)
    return OK


def models(
    game: Annotated[
        str | None,
        typer.Argument(help="Game whose pieces to list; or `export` to write one."),
    ] = None,
    model: Annotated[
        str | None, typer.Argument(help="With `export`: piece to write, such as tower_topple/brick.")
    ] = None,
    sheet: Annotated[
        Path | None, typer.Option(help="Draw a contact sheet of the pieces to this PNG.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="With `export`: .glb file to write.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> int:
    """List the pieces with size, mass, material and picture. `teeter models export ID -o F.glb` writes one."""
    if game == "export":
        if model is None or out is None:
            refuse(
                "models export: give a piece and a file, such as `teeter models export tower_topple/brick -o f.glb`"
            )
        from teeter.models.build import build
        from teeter.models.catalogue import find
        from teeter.models.export import export_glb
        from teeter.models.files import check_output

        check_output(out, force=force)
        export_glb(build(find(model)), out, force=force)
        say(f"wrote {out}")
        return OK
    if model is not None or out is not None:
        refuse("models: a second word and --out belong to `teeter models export ID -o F.glb`")
    if sheet is not None:
        from teeter.models.files import check_output

        check_output(sheet, force=force)
    return _list_models(game, sheet, as_json, force=force)


def _list_models(game: str | None, sheet: Path | None, as_json: bool, *, force: bool) -> int:
    from teeter.models.build import build
    from teeter.models.catalogue import catalogue, games

    names = [game.replace("-", "_")] if game else list(games())
    known: dict[str, tuple[PieceSpec, Piece]] = {}
    for name in names:
        known |= {model: (spec, build(spec)) for model, spec in catalogue(name).items()}
    if sheet is not None:
        from teeter.engine.view.render.png import save_png
        from teeter.engine.view.render.sheet import sheet as contact_sheet

        save_png(contact_sheet([(model, piece) for model, (_, piece) in known.items()]), sheet, force=force)
    rows = [_model_row(model, spec, piece) for model, (spec, piece) in known.items()]
    if as_json:
        print_json(rows)
        return OK
    _screen().print(_model_table(rows))
    if sheet is not None:
        say(f"wrote {sheet}")
    return OK


def _model_table(rows: list[dict[str, Any]]) -> Table:
    """The catalogue for people; what is printed on pieces only when there is any."""
    has_prints = any(row["print"] for row in rows)
    headings = ("model", "size mm", "mass g", "material", "colour", "convex parts", "print")
    table = plain_table(*headings[: None if has_prints else -1], right=("mass g", "convex parts"))
    for row in rows:
        size = " x ".join(f"{value:g}" for value in row["size_mm"])
        cells = [row["model"], size, f"{row['mass_g']:.1f}", row["material"], row["colour"] or ""]
        table.add_row(*cells, str(row["parts"]), *([row["print"] or ""] if has_prints else []))
    return table


def _model_row(model: str, spec: PieceSpec, piece: Piece) -> dict[str, Any]:
    return {
        "model": model,
        "size_mm": [round(float(value) * MM, 3) for value in piece.extents],
        "mass_g": round(piece.mass * MM, 3),
        "material": piece.material.name or "inline",
        "colour": spec.colour,
        "shape": spec.shape.key(),
        "parts": len(piece.parts),
        "value": spec.value,
        "print": None if spec.face is None else spec.face.summary,
    }


def doctor(as_json: Json = False) -> int:
    """Show versions, the renderer, and how to install what is missing."""
    lines = findings()
    if as_json:
        print(json_of(lines))
        return code_of(lines)
    table = plain_table("what", "found", "to mend it")
    for finding in lines:
        style = "red" if finding.fix and finding.is_needed else "dim" if finding.fix else ""
        table.add_row(*(Text(text, style) for text in (finding.what, finding.found, finding.fix)))
    Console().print(table)
    return code_of(lines)
