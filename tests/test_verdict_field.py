"""A new field of the force balance is made in two places, where it is declared and where it is computed: the box, the
JSON and its schema have it from there."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

import pytest

from teeter.engine.topple.balance.answer import Statics
from teeter.engine.topple.verdict import check
from teeter.engine.topple.verdict_json import VerdictJson, to_json
from teeter.engine.topple.words import rows
from teeter.games.api import schema
from teeter.models.printed import KEPT, as_json, keys_of
from teeter.scenes.load import load


@dataclass(frozen=True, slots=True)
class More(Statics):
    """With a margin that nobody else knows."""

    toy_mm: float | None = field(default=None, metadata={"row": ("toy margin", "{:.1f} mm, and {}")})
    secret: int = field(default=1, metadata=KEPT)


def test_a_field_is_in_the_box_and_in_the_json_by_being_declared() -> None:
    verdict = check(load("two_bricks").assembly)
    values = {each.name: getattr(verdict.statics, each.name) for each in fields(Statics)}
    more = replace(verdict, statics=More(**values, toy_mm=12.345678))
    told = to_json(more, "0")["statics"]
    assert told["toy_mm"] == 12.34568
    assert "secret" not in told
    assert dict(rows(more))["toy margin"] == f"12.3 mm, and {verdict.statics.push_piece}"
    without = replace(more, statics=More(**values))
    assert to_json(without, "0")["statics"]["toy_mm"] is None
    assert "toy margin" not in dict(rows(without))
    assert set(told) == {*to_json(verdict, "0")["statics"], "toy_mm"}


def test_a_field_is_in_the_schema_by_being_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(VerdictJson.__annotations__, "statics", More)
    monkeypatch.setitem(schema.KINDS, "toy", VerdictJson)
    keys = schema.schema("toy")["$defs"]["More"]["properties"]
    assert keys["toy_mm"] == {"anyOf": [{"type": "number"}, {"type": "null"}]}
    assert set(keys) == set(keys_of(More))
    assert "secret" not in keys
    assert "pieces" in keys


def test_what_is_printed_is_plain() -> None:
    assert as_json({"a": (1.23456, None, [True])}, 2) == {"a": [1.23, None, [True]]}
