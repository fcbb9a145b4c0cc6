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
        list[str] | None, typer.Option(metavar="NAME", help="Take this piece out first. May be repeated.")
    ] = None
    add: Annotated[Path | None, typer.Option(help="Put in the pieces of another scene file.")] = None
    settle: Annotated[
        float, typer.Option(help="Allow gaps and overlaps up to this many mm and close them first.")
    ] = 0.0
    drop: Annotated[
        bool,
        typer.Option("--drop", help="Let pieces that nothing carries fall first, and judge where they land."),
    ] = False
    fit: Annotated[
        float,
        typer.Option(
            help="Scanned meshes: make faces that are flat or round within this many mm exactly so."
        ),
    ] = 0.0
    tilt: Annotated[float, typer.Option(help="Tilt the table and the supports by this many degrees.")] = 0.0
    tilt_direction: Annotated[float, typer.Option(help="Downhill side of --tilt, degrees from +x.")] = 0.0
    accelerate: Annotated[
        float | None,
        typer.Option(help="Accelerate the table by so many g; pieces feel it towards --direction."),
    ] = None
    wind: Annotated[
        float | None, typer.Option(help="Wind of this pressure in Pa on what faces it, towards --direction.")
    ] = None
    direction: Annotated[
        float | None, typer.Option(help="Where --accelerate and --wind push, degrees from +x.")
    ] = None
    friction: Annotated[float | None, typer.Option(help="Coefficient of friction of every pair.")] = None
    table: Annotated[
        str | None,
        typer.Option(
            metavar="[lowest|none|WxH]", help="Where it is; or how large, in mm: `600` or `600x400`."
        ),
    ] = None
    fixed: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Pieces that are supports, by name or pattern.")
    ] = None
    material: Annotated[
        str | None, typer.Option(metavar="NAME", help="Material of pieces that name none.")
    ] = None
    unit: Unit = None
    up: Up = None
    unite: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Nodes of a mesh file that are one piece, by name or pattern."),
    ] = None
    split: Annotated[
        bool, typer.Option("--split", help="Cut what is not convex in a mesh file into convex blocks.")
    ] = False

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
