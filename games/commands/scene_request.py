"""The options of commands that read one scene: how it is read, what is put in or taken out, what acts on it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from teeter.games.commands.console import Unit, Up, bar
from teeter.games.commands.standard_input import scene_of

if TYPE_CHECKING:
    from teeter.games.api.checker import Checker
    from teeter.scenes.scene import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneRequest:
    """How a scene is to be read, as typed: millimetres, degrees."""

    without: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Remove this piece first. Repeatable.")
    ] = None
    add: Annotated[Path | None, typer.Option(help="Add the pieces of another scene file.")] = None
    settle: Annotated[float, typer.Option(help="Close gaps and overlaps of up to this many mm first.")] = 0.0
    drop: Annotated[
        bool, typer.Option("--drop", help="Drop unsupported pieces first and judge where they land.")
    ] = False
    fit: Annotated[
        float,
        typer.Option(help="For scanned meshes: snap faces that are flat or round to within this many mm."),
    ] = 0.0
    tilt: Annotated[float, typer.Option(help="Tilt the table and the supports by this many degrees.")] = 0.0
    tilt_direction: Annotated[float, typer.Option(help="Downhill direction, degrees from +x.")] = 0.0
    accelerate: Annotated[
        float | None, typer.Option(help="Accelerate the table, in g; pieces feel it towards --direction.")
    ] = None
    wind: Annotated[
        float | None, typer.Option(help="Blow wind of this pressure, in Pa, towards --direction.")
    ] = None
    direction: Annotated[
        float | None, typer.Option(help="Direction of --accelerate and --wind, degrees from +x.")
    ] = None
    friction: Annotated[float | None, typer.Option(help="Coefficient of friction between all pieces.")] = None
    table: Annotated[
        str | None,
        typer.Option(
            metavar="[lowest|none|WxH]",
            help="Put the table under the lowest point, leave it out, or size it in mm: `600` or `600x400`.",
        ),
    ] = None
    fixed: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Fixed supports: a name or pattern.")
    ] = None
    material: Annotated[str | None, typer.Option(metavar="NAME", help="Material where none is named.")] = None
    unit: Unit = None
    up: Up = None
    unite: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Nodes to unite to one piece: a name or pattern.")
    ] = None
    split: Annotated[bool, typer.Option("--split", help="Split meshes into convex blocks.")] = False

    def limited(self) -> tuple[tuple[str, str, object], ...]:
        """Returns the options that are numbers, as `out_of_range` takes them."""
        return (
            ("--tilt", "tilt_deg", self.tilt),
            ("--tilt-direction", "tilt_direction_deg", self.tilt_direction),
            ("--friction", "friction", self.friction),
            ("--accelerate", "accelerate_g", self.accelerate),
            ("--wind", "wind_pa", self.wind),
            ("--direction", "direction_deg", self.direction),
        )

    def checker(self, *, engine: str | None, seed: int, workers: int | None) -> Checker:
        """The conditions that are asked for."""
        from teeter.games.api.checker import Checker

        return Checker(
            tilt_deg=self.tilt,
            tilt_direction_deg=self.tilt_direction,
            friction=self.friction,
            engine=engine,
            seed=seed,
            workers=workers,
            accelerate_g=self.accelerate,
            wind_pa=self.wind,
            direction_deg=self.direction,
        )

    def faults(self) -> list[str]:
        """Returns a sentence for what makes no sense together."""
        if self.direction is not None and self.accelerate is None and self.wind is None:
            return ["--direction says where --accelerate and --wind push: give one of them too"]
        return []

    def loaded(self, source: str) -> Scene:
        """Returns the scene of this name or file, with pieces added and taken out. Raises SceneError."""
        from teeter.scenes.load import add, load
        from teeter.scenes.scene import without

        with bar("making pieces") as progress:
            scene = load(
                scene_of(source),
                settle_mm=self.settle,
                table=self.table,
                fixed=self.fixed or (),
                material=self.material,
                unit=self.unit,
                fit_mm=self.fit,
                up=self.up,
                drop=self.drop,
                excused=self.without or (),
                unite=self.unite or (),
                split=self.split,
                progress=progress,
            )
        if self.add is not None:
            excused = self.without or ()
            scene = add(scene, self.add, settle_mm=self.settle, drop=self.drop, excused=excused)
        return without(scene, self.without) if self.without else scene
