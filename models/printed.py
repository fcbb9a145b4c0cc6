"""Results as `--json` prints them: the fields of a dataclass are the keys."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

KEPT = {"is_printed": False}
"""Metadata of a field that is not printed, or under another name."""


def keys_of(kind: Any) -> tuple[str, ...]:
    """Returns the keys of a dataclass: its fields but the `KEPT` ones, and the properties that `also` names."""
    own = (field.name for field in fields(kind) if field.metadata.get("is_printed", True))
    return (*own, *getattr(kind, "also", ()))


def as_json(value: Any, digits: int) -> Any:
    """Returns a value, and what is in it, as JSON has it; numbers to so many digits after the point."""
    if is_dataclass(value):
        return {key: as_json(getattr(value, key), digits) for key in keys_of(type(value))}
    if isinstance(value, dict):
        return {key: as_json(item, digits) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [as_json(item, digits) for item in value]
    return round(value, digits) if isinstance(value, float) else value
