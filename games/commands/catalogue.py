"""`teeter models`: the pieces as a table, a contact sheet, or a file for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from games.commands.console import OK, print_json

if TYPE_CHECKING:
    from models.piece import Piece
    from models.spec import PieceSpec

MM = 1e3
WIDE = 160


def show(game: str | None, sheet: Path | None, as_json: bool) -> int:
    """Print a catalogue, or all; draw its contact sheet when asked. Raises ModelError, ViewError."""
    from models.build import build
    from models.catalogue import catalogue, games

    names = [game.replace("-", "_")] if game else list(games())
    found: dict[str, tuple[PieceSpec, Piece]] = {}
    for name in names:
        found |= {model: (spec, build(spec)) for model, spec in catalogue(name).items()}
    if sheet is not None:
        from engine.view.render.png import save_png
        from engine.view.render.sheet import sheet as contact_sheet

        save_png(contact_sheet([(model, piece) for model, (_, piece) in found.items()]), sheet)
    rows = [_row(model, spec, piece) for model, (spec, piece) in found.items()]
    if as_json:
        print_json(rows)
        return OK
    screen = Console()
    # a file or a pipe has no width that lines would have to be broken for
    (screen if screen.is_terminal else Console(width=WIDE)).print(_table(rows))
    if sheet is not None:
        Console(stderr=True).print(f"wrote {sheet}")
    return OK


def _table(rows: list[dict[str, Any]]) -> Table:
    """The catalogue for people; what is printed on pieces only when there is any."""
    table = Table(box=None, padding=(0, 2))
    # names are what people copy: on a narrow terminal they go on below, but lose nothing
    table.add_column("model", overflow="fold")
    for heading in ("size mm", "mass g", "material", "colour", "convex parts"):
        table.add_column(heading, justify="right" if heading in ("mass g", "convex parts") else "left")
    has_prints = any(row["print"] for row in rows)
    if has_prints:
        table.add_column("print")
    for row in rows:
        size = " x ".join(f"{value:g}" for value in row["size_mm"])
        cells = [row["model"], size, f"{row['mass_g']:.1f}", row["material"], row["colour"] or ""]
        table.add_row(*cells, str(row["parts"]), *([row["print"] or ""] if has_prints else []))
    return table


def _row(model: str, spec: PieceSpec, piece: Piece) -> dict[str, Any]:
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


def export(model: str, out: Path) -> int:
    """Write one piece as binary glTF. Raises ModelError, OSError."""
    from models.build import build
    from models.catalogue import find
    from models.export import export_glb

    export_glb(build(find(model)), out)
    Console(stderr=True).print(f"wrote {out}")
    return OK
