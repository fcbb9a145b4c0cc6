"""JSON for frozen dataclasses, both ways, read off their type hints; no game needs a line of its own.

A dataclass is an object of its fields; where a field may hold one of several dataclasses (a union) the object
also has `"type"`, the class's name. Tuples are lists, enum members their names in lower case. Whatever does
not fit is refused with its place (`state.hands[2][0]`), what was found and what is allowed. Fields that
have a default may be missing, so that older files stay readable; unknown fields are faults.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
import types
import typing
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from typing import Any

from games.core.errors import shown, unknown

Encode = Callable[[Any], Any]
Decode = Callable[[Any, str], Any]


class MisfitError(ValueError):
    """A JSON value that does not fit its type; the message names place, value and what is allowed."""


def to_json(kind: Any, value: Any) -> Any:
    """The value as JSON data (dicts, lists, strings, numbers). Raises TypeError for a type it cannot know."""
    return _pair(kind)[0](value)


def from_json(kind: Any, data: Any, place: str = "value") -> Any:
    """The value from JSON data. Raises MisfitError with the place inside the data."""
    return _pair(kind)[1](data, place)


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
        raise MisfitError(f"{name}: {shown(table)} is not a list of tables")
    return tuple(record(kind, row, f"{name}[{number}]") for number, row in enumerate(table))


def record(kind: Any, row: Any, place: str) -> Any:
    """One table of a catalogue as a value of `kind`, columns that other readers need passed over."""
    if isinstance(row, Mapping):
        wanted = {field.name for field in dataclasses.fields(kind)}
        row = {key: value for key, value in row.items() if key in wanted}
    return from_json(kind, row, place)


@cache
def _pair(kind: Any) -> tuple[Encode, Decode]:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind in _PLAIN:
        return _same, _PLAIN[kind]
    if origin in (typing.Union, types.UnionType):
        return _union(arguments)
    if origin is tuple:
        return _list(arguments[0]) if arguments[1:] == (Ellipsis,) else _fixed(arguments)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _enum(kind)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _record(kind)
    raise TypeError(
        f"no JSON for {kind!r}: use dataclasses, tuples, enums, str, int, float, bool, None and unions"
    )


def _same(value: Any) -> Any:
    return value


def _plain(kind: type, words: str) -> Decode:
    def decode(data: Any, place: str) -> Any:
        if type(data) is not kind:
            raise MisfitError(f"{place}: {shown(data)} is not {words}")
        return data

    return decode


def _number(data: Any, place: str) -> float:
    if type(data) not in (int, float) or abs(data) > 1e300 or not math.isfinite(data):
        raise MisfitError(f"{place}: {shown(data)} is not a finite number")
    return float(data)


_PLAIN: dict[Any, Decode] = {
    str: _plain(str, "text"),
    int: _plain(int, "a whole number"),
    bool: _plain(bool, "true or false"),
    float: _number,
    type(None): _plain(type(None), "null"),
}


def _enum(kind: type[Enum]) -> tuple[Encode, Decode]:
    members = {member.name.lower(): member for member in kind}
    names = {member: name for name, member in members.items()}

    def decode(data: Any, place: str) -> Any:
        if not isinstance(data, str) or data not in members:
            raise MisfitError(f"{place}: {unknown(_words(kind.__name__), data, members)}")
        return members[data]

    return names.__getitem__, decode


def _words(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", " ", name).lower()


def _list(item: Any) -> tuple[Encode, Decode]:
    encode_item, decode_item = _pair(item)

    def encode(value: Any) -> Any:
        return list(value) if encode_item is _same else [encode_item(each) for each in value]

    def decode(data: Any, place: str) -> Any:
        if not isinstance(data, list):
            raise MisfitError(f"{place}: {shown(data)} is not a list")
        return tuple([decode_item(each, f"{place}[{number}]") for number, each in enumerate(data)])

    return encode, decode


def _fixed(items: tuple[Any, ...]) -> tuple[Encode, Decode]:
    pairs = [_pair(item) for item in items]

    def encode(value: Any) -> Any:
        return [pair[0](each) for pair, each in zip(pairs, value, strict=True)]

    def decode(data: Any, place: str) -> Any:
        if not isinstance(data, list) or len(data) != len(pairs):
            raise MisfitError(f"{place}: {shown(data)} is not a list of {len(pairs)}")
        return tuple(
            [pair[1](each, f"{place}[{at}]") for at, (pair, each) in enumerate(zip(pairs, data, strict=True))]
        )

    return encode, decode


def _record(kind: Any) -> tuple[Encode, Decode]:
    hints = typing.get_type_hints(kind)
    pairs = {field.name: _pair(hints[field.name]) for field in dataclasses.fields(kind)}
    encoders = tuple((name, pair[0]) for name, pair in pairs.items())
    required = [field.name for field in dataclasses.fields(kind) if field.default is dataclasses.MISSING]

    def encode(value: Any) -> Any:
        return {name: encoder(getattr(value, name)) for name, encoder in encoders}

    def decode(data: Any, place: str) -> Any:
        if not isinstance(data, Mapping):
            raise MisfitError(f"{place}: {shown(data)} is not a {kind.__name__} (an object)")
        for key in data:
            if key not in pairs:
                raise MisfitError(f"{place}: {unknown('field', key, pairs)}")
        for name in required:
            if name not in data:
                raise MisfitError(f"{place}: {name!r} is missing")
        return kind(**{name: pairs[name][1](each, f"{place}.{name}") for name, each in data.items()})

    return encode, decode


def _union(kinds: tuple[type, ...]) -> tuple[Encode, Decode]:
    records = {str(kind.__name__): _pair(kind) for kind in kinds if dataclasses.is_dataclass(kind)}
    others = {kind: _pair(kind) for kind in kinds if not dataclasses.is_dataclass(kind)}
    # an enum member is text in JSON, so it stands in for `str`; a union of both would be ambiguous
    plain = {str if issubclass(kind, Enum) else kind: pair[1] for kind, pair in others.items()}
    names = [*records, *(kind.__name__ for kind in others)]

    def encode(value: Any) -> Any:
        kind = type(value)
        if kind in others:
            return others[kind][0](value)
        return {"type": kind.__name__, **records[kind.__name__][0](value)}

    def decode(data: Any, place: str) -> Any:
        if type(data) in plain:
            return plain[type(data)](data, place)
        if not isinstance(data, Mapping) or "type" not in data:
            raise MisfitError(f"{place}: {shown(data)} is not one of {', '.join(names)}")
        name = data["type"]
        if not isinstance(name, str) or name not in records:
            raise MisfitError(f"{place}: {unknown('type', name, records)}")
        return records[name][1]({key: each for key, each in data.items() if key != "type"}, place)

    return encode, decode
