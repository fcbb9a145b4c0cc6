"""Materials and colours: density, friction and restitution of wood, card and table, and paint by its name.

Read from `materials.toml` and `colours.toml`.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AliasChoices, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from teeter.models.errors import ModelError, UnknownMaterialError, nearest
from teeter.models.tables import FileTable

Number = Annotated[float, Field(strict=True)]
MAX_DENSITY = 25_000.0
"""kg/m3; heavier than osmium (22590) is a slip of units."""


class Material(FileTable):
    """What a piece is made of. Friction and restitution are those between two surfaces of this material.

    A pair of different materials uses the geometric mean of the two values. rolling_mm: rolling resistance, the length
    b of the couple b N; of a pair the larger one counts. In files the density may be written `density`, and
    `like = "beech"` takes over what is not given from a named material.
    """

    name: str = ""
    density_kg_m3: Annotated[
        Number, Field(gt=0, le=MAX_DENSITY, validation_alias=AliasChoices("density_kg_m3", "density"))
    ]
    friction: Annotated[Number, Field(ge=0, le=10)]
    restitution: Annotated[Number, Field(ge=0, le=1)] = 0.15
    rolling_mm: Annotated[Number, Field(ge=0, le=1000)] = 0.0
    colour: Annotated[str, Field(pattern=r"^#[0-9a-f]{6}$")] = "#d9b382"
    finish: Literal["natural", "painted", "matte"] = "natural"

    @model_serializer(mode="wrap")
    def _without_nothing(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # recordings older than rolling resistance have no word of it
        values: dict[str, Any] = handler(self)
        return {key: value for key, value in values.items() if key != "rolling_mm" or value}

    @model_validator(mode="before")
    @classmethod
    def _like(cls, values: Any) -> Any:
        if not isinstance(values, Mapping) or "like" not in values:
            return values
        own = {key: value for key, value in values.items() if key != "like"}
        if "density" in own:
            own["density_kg_m3"] = own.pop("density")
        return {**material_named(values["like"]).model_dump(), **own}


@cache
def materials() -> Mapping[str, Material]:
    """All named materials, by name, in the order of the file."""
    text = resources.files("teeter.models").joinpath("materials.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    return MappingProxyType({name: Material(name=name, **values) for name, values in table.items()})


def material_named(name: object) -> Material:
    """The material of this name. Raises UnknownMaterialError, with the nearest name there is."""
    material = materials().get(name) if isinstance(name, str) else None
    if material is None:
        raise UnknownMaterialError(f'unknown material "{name}": {nearest(str(name), materials())}')
    return material


def pair_coefficient(a: Any, b: Any) -> Any:
    """Returns the friction, or restitution, between two surfaces: the geometric mean; numbers or arrays."""
    return np.sqrt(a * b)


@cache
def colours() -> Mapping[str, str]:
    """All named colours as `#rrggbb`, by name."""
    text = resources.files("teeter.models").joinpath("colours.toml").read_text(encoding="utf-8")
    return MappingProxyType(dict(tomllib.loads(text)))


def hex_of(colour: str) -> str:
    """A colour's name, or `#rrggbb` in any case, as `#rrggbb`. Raises ModelError for anything else."""
    if re.fullmatch(r"#[0-9a-fA-F]{6}", colour):
        return colour.lower()
    if colour not in colours():
        raise ModelError(f'unknown colour "{colour}": {nearest(colour, colours())} (or write "#rrggbb")')
    return colours()[colour]
