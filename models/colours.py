"""Colours of paint by name, read from `colours.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType

from models.errors import ModelError, nearest


@cache
def colours() -> Mapping[str, str]:
    """All named colours as `#rrggbb`, by name."""
    text = resources.files("models").joinpath("colours.toml").read_text(encoding="utf-8")
    return MappingProxyType(dict(tomllib.loads(text)))


def hex_of(colour: str) -> str:
    """A colour's name, or `#rrggbb` in any case, as `#rrggbb`. Raises ModelError for anything else."""
    if re.fullmatch(r"#[0-9a-fA-F]{6}", colour):
        return colour.lower()
    if colour not in colours():
        raise ModelError(f'unknown colour "{colour}": {nearest(colour, colours())} (or write "#rrggbb")')
    return colours()[colour]
