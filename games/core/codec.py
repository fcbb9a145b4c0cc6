"""JSON for frozen dataclasses, both ways, read off their type hints; no game needs a line of its own.

A dataclass is an object of its fields; where a field may hold one of several dataclasses (a union) the object
also has `"type"`, the class's name. Tuples are lists, enum members their names in lower case. Whatever does
not fit is refused with its place (`state.hands[2][0]`), what was found and what is allowed. Fields that
have a default may be missing, so that older files stay readable; unknown fields are faults.
"""

import dataclasses
import json
import re
import types
import typing
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Any

from teeter.games.core.errors import unknown
from teeter.models.errors import quote

_PLAIN = {
    str: "text",
    int: "a whole number",
    bool: "true or false",
    float: "a finite number",
    type(None): "null",
}
_UNIONS = (typing.Union, types.UnionType)


class MisfitError(ValueError):
    """A JSON value that does not fit its type; the message names place, value and what is allowed."""


def to_json(kind: Any, value: Any) -> Any:
    """The value as JSON data (dicts, lists, strings, numbers). Raises TypeError for a type it cannot know."""
    if kind in _PLAIN:
        return value
    origin, arguments = _parts(kind)
    if origin in _UNIONS:
        own = arguments[arguments.index(type(value))]
        data = to_json(own, value)
        return {"type": type(value).__name__, **data} if dataclasses.is_dataclass(own) else data
    if origin is tuple:
        return [to_json(item, part) for item, part in zip(_items(arguments, len(value)), value, strict=True)]
    if _is_enum(kind):
        return value.name.lower()
    return {name: to_json(hint, getattr(value, name)) for name, hint in _fields(kind).items()}


def from_json(kind: Any, data: Any, place: str = "value") -> Any:
    """The value from JSON data. Raises MisfitError with the place inside the data."""
    if kind in _PLAIN:
        # past 1e300 sums overflow; NaN is not below it either
        fits = type(data) in (int, float) and abs(data) <= 1e300 if kind is float else type(data) is kind
        if not fits:
            raise MisfitError(f"{place}: {quote(data)} is not {_PLAIN[kind]}")
        return float(data) if kind is float else data
    origin, arguments = _parts(kind)
    if origin in _UNIONS:
        return _from_union(arguments, data, place)
    if origin is tuple:
        count = "" if arguments[1:] == (Ellipsis,) else f" of {len(arguments)}"
        if not isinstance(data, list) or (count and len(data) != len(arguments)):
            raise MisfitError(f"{place}: {quote(data)} is not a list{count}")
        items = _items(arguments, len(data))
        return tuple([from_json(items[at], value, f"{place}[{at}]") for at, value in enumerate(data)])
    if _is_enum(kind):
        members = _members(kind)
        if not isinstance(data, str) or data not in members:
            words = re.sub(r"(?<!^)(?=[A-Z])", " ", kind.__name__).lower()
            raise MisfitError(f"{place}: {unknown(words, data, members)}")
        return members[data]
    return _from_record(kind, data, place)


def write(kind: Any, value: Any) -> str:
    """The value as one line of JSON text."""
    return json.dumps(to_json(kind, value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def read(kind: Any, text: str, place: str = "value") -> Any:
    """The value from JSON text. Raises MisfitError, also for text that is not JSON."""
    try:
        data = json.loads(text)
    except RecursionError:
        raise MisfitError(f"{place}: nested too deeply") from None
    except (ValueError, TypeError) as error:
        raise MisfitError(f"{place}: not JSON: {error}") from None
    return from_json(kind, data, place)


def rows(kind: Any, tables: Mapping[str, Any], name: str) -> tuple[Any, ...]:
    """The rows of one table of a catalogue as values of `kind`.

    Columns that other readers need are passed over.
    """
    table = tables.get(name, [])
    if not isinstance(table, list):
        raise MisfitError(f"{name}: {quote(table)} is not a list of tables")
    return tuple(record(kind, row, f"{name}[{number}]") for number, row in enumerate(table))


def record(kind: Any, row: Any, place: str) -> Any:
    """One table of a catalogue as a value of `kind`, columns that other readers need passed over."""
    if isinstance(row, Mapping):
        wanted = {field.name for field in dataclasses.fields(kind)}
        row = {key: value for key, value in row.items() if key in wanted}
    return from_json(kind, row, place)


def _from_union(kinds: tuple[type, ...], data: Any, place: str) -> Any:
    records, plain = _kinds_of(kinds)
    if type(data) in plain:
        return from_json(plain[type(data)], data, place)
    if not isinstance(data, Mapping) or "type" not in data:
        names = [*records, *(kind.__name__ for kind in plain.values())]
        raise MisfitError(f"{place}: {quote(data)} is not one of {', '.join(names)}")
    name = data["type"]
    if not isinstance(name, str) or name not in records:
        raise MisfitError(f"{place}: {unknown('type', name, records)}")
    return from_json(records[name], {key: value for key, value in data.items() if key != "type"}, place)


@cache
def _kinds_of(kinds: tuple[type, ...]) -> tuple[dict[str, type], dict[type, type]]:
    """The dataclasses of a union by name, and its other types by the type they have in JSON."""
    records = {kind.__name__: kind for kind in kinds if dataclasses.is_dataclass(kind)}
    # an enum member is text in JSON, so it stands in for `str`; a union of both would be ambiguous
    return records, {str if _is_enum(kind) else kind: kind for kind in kinds if kind.__name__ not in records}


def _from_record(kind: Any, data: Any, place: str) -> Any:
    hints = _fields(kind)
    if not isinstance(data, Mapping):
        raise MisfitError(f"{place}: {quote(data)} is not a {kind.__name__} (an object)")
    for key in data:
        if key not in hints:
            raise MisfitError(f"{place}: {unknown('field', key, hints)}")
    for name in _required(kind):
        if name not in data:
            raise MisfitError(f"{place}: {name!r} is missing")
    return kind(**{name: from_json(hints[name], value, f"{place}.{name}") for name, value in data.items()})


def _items(arguments: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    """The types of a tuple's items. count: how many a list without end has."""
    return arguments[:1] * count if arguments[1:] == (Ellipsis,) else arguments


@cache
def _required(kind: Any) -> tuple[str, ...]:
    """The fields of a dataclass that have no default."""
    return tuple(field.name for field in dataclasses.fields(kind) if field.default is dataclasses.MISSING)


@cache
def _parts(kind: Any) -> tuple[Any, tuple[Any, ...]]:
    return typing.get_origin(kind), typing.get_args(kind)


@cache
def _members(kind: type[Enum]) -> dict[str, Enum]:
    return {member.name.lower(): member for member in kind}


def _is_enum(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Enum)


@cache
def _fields(kind: Any) -> dict[str, Any]:
    """The types of a dataclass's fields by name. Raises TypeError for anything else."""
    if not (isinstance(kind, type) and dataclasses.is_dataclass(kind)):
        raise TypeError(
            f"no JSON for {kind!r}: use dataclasses, tuples, enums, str, int, float, bool, None and unions"
        )
    hints = typing.get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}
