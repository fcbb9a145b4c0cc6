"""Materials: density, friction and restitution of wood, card and table, read from `materials.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class Material(BaseModel):
    """What a piece is made of. Friction and restitution are those between two surfaces of this material.

    A pair of different materials uses the geometric mean of the two values.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: str = ""
    density_kg_m3: Annotated[float, Field(gt=0)]
    friction: Annotated[float, Field(ge=0)]
    restitution: Annotated[float, Field(ge=0, le=1)] = 0.15
    colour: Annotated[str, Field(pattern=r"^#[0-9a-f]{6}$")] = "#d9b382"
    finish: Literal["natural", "painted", "matte"] = "natural"


@cache
def materials() -> Mapping[str, Material]:
    """All named materials, by name, in the order of the file."""
    text = resources.files("models").joinpath("materials.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    return MappingProxyType({name: Material(name=name, **values) for name, values in table.items()})
