"""`teeter convert IN -o OUT`: a scene in another format."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from teeter.games.commands.console import OK, Force, SceneName, Unit, Up, choice, refuse
from teeter.games.commands.standard_input import scene_of


def run(
    scene: SceneName,
    target: Annotated[Path | None, typer.Argument(hidden=True)] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write: .toml, .glb, .xml (MJCF) or .urdf.")
    ] = None,
    settle: Annotated[float, typer.Option(help="Gaps and overlaps to allow, mm.")] = 0.0,
    table: Annotated[str | None, choice("Table under everything, or none.", "lowest", "none")] = None,
    fixed: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Fixed supports: a name or pattern.")
    ] = None,
    material: Annotated[
        str | None, typer.Option(metavar="NAME", help="Material where none is named.")
    ] = None,
    unit: Unit = None,
    up: Up = None,
    force: Force = False,
) -> int:
    """Convert a scene to another format, with its poses unchanged. Reads what `teeter check` reads."""
    from teeter.models.files import check_output
    from teeter.scenes.formats.write import faceted, lost_in_glb, write_scene
    from teeter.scenes.load import load

    if target is not None and out is not None:
        refuse(f"{target} and --out {out}: one file is written, give one of them")
    out = out or target
    if out is None:
        refuse("which file is to be written? Give it with -o, such as -o pile.toml")
    source = Path(scene)
    inputs = (source,) if source.is_file() else ()
    check_output(out, force=force, inputs=inputs)
    loaded = load(
        scene_of(scene), settle_mm=settle, table=table, fixed=fixed or (), material=material, unit=unit, up=up
    )
    files = write_scene(loaded, out, force=force, inputs=(*inputs, *loaded.files))
    screen = Console()
    for line in loaded.fitted:
        screen.print(line, highlight=False, markup=False, soft_wrap=True)
    if out.suffix.lower() == ".glb" and (lost := lost_in_glb(loaded)):
        screen.print(f"glTF holds shapes and places: {lost} are not in it", highlight=False, soft_wrap=True)
    if out.suffix.lower() not in (".glb", ".toml") and (names := faceted(loaded)):
        line = f"round shapes that the format does not know are written with flat faces: {', '.join(names)}"
        screen.print(line, highlight=False, markup=False, soft_wrap=True)
    meshes = f", with {len(files) - 1} meshes" if len(files) > 1 else ""
    screen.print(
        f"wrote {out}: {len(loaded.ids)} pieces{meshes}", highlight=False, markup=False, soft_wrap=True
    )
    return OK
