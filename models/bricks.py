"""The bricks of Tower Topple: nominal ones, or as uneven as real ones, drawn from a seed.

The numbers are data (`[tower]` and `[scatter]` in `tower_topple.toml`); nothing here knows prints or rules.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Annotated

import numpy as np
from pydantic import Field, ValidationError, model_validator

from teeter.models.catalogue import find
from teeter.models.errors import CatalogueError, faults_of
from teeter.models.material import material_named
from teeter.models.shapes import Box
from teeter.models.spec import PieceSpec
from teeter.models.tables import FileTable

FILE = "tower_topple.toml"
NOMINAL = "tower_topple/brick"
Number = Annotated[float, Field(strict=True)]


class Spread(FileTable):
    """A normal distribution between limits: what falls outside is drawn again."""

    mean: Number
    sd: Annotated[Number, Field(ge=0)]
    low: Number
    high: Number

    @model_validator(mode="after")
    def _likely(self) -> Spread:
        if not self.low <= self.mean <= self.high:
            raise ValueError(f"the mean {self.mean:g} lies outside the limits {self.low:g} to {self.high:g}")
        return self

    def draw(self, rng: np.random.Generator) -> float:
        """One value, rounded to a micrometre (or a gram per cubic metre)."""
        while True:
            value = round(self.mean + self.sd * float(rng.standard_normal()), 3)
            if self.low <= value <= self.high:
                return value


class Scatter(FileTable):
    """How bricks differ: lengths in mm, density in kg/m3. taper: how much higher one end is than the other."""

    length: Spread
    width: Spread
    height: Spread
    taper: Spread
    density: Spread


def draw(seed: int, exact: bool = False) -> tuple[PieceSpec, ...]:
    """All bricks of a game, in the order they are drawn; the same seed draws the same bricks.

    exact: nominal ones, all alike. A brick lies as in the tower: length along x, width along y, height along z.
    A tapered brick is taken as a level one of its mean height: with the slope in its collision shape (a hull, or
    boxes in steps) one tower in five went on rocking for ever. Raises CatalogueError when the data cannot be used.
    """
    count, scatter = _data()
    if exact:
        return (find(NOMINAL),) * count
    rng = np.random.default_rng(seed)
    return tuple(brick(scatter, rng, f"{NOMINAL}.{seed}.{number:02}") for number in range(1, count + 1))


def brick(scatter: Scatter, rng: np.random.Generator, model: str) -> PieceSpec:
    """One brick, under a model id of its own."""
    length, width, height = (spread.draw(rng) for spread in (scatter.length, scatter.width, scatter.height))
    taper, density = scatter.taper.draw(rng), scatter.density.draw(rng)
    shape = Box(box=(length, width, round(height - abs(taper) / 2, 3)))
    wood = material_named("beech").model_copy(update={"density_kg_m3": density})
    nominal = find(NOMINAL)
    return PieceSpec(model=model, shape=shape, material=wood, bevel=nominal.bevel)


@cache
def _data() -> tuple[int, Scatter]:
    """How many bricks a game has, and how they differ."""
    tables = tomllib.loads(resources.files("teeter.models").joinpath(FILE).read_text(encoding="utf-8"))
    try:
        return int(tables["tower"]["bricks"]), Scatter.model_validate(tables["scatter"])
    except ValidationError as error:
        raise CatalogueError("\n".join(f"{FILE}: scatter: {fault}" for fault in faults_of(error))) from None
