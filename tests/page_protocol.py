"""Writes `protocol.ts`: the messages between browser and server, the keys of the shipped settings, and how fast a hand
goes, as Python has them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, get_args

from pydantic import TypeAdapter

from teeter.engine.view.panels import Item
from teeter.games.present import hand, slots
from teeter.games.present.settings import SAID, shipped
from teeter.games.server import follower
from teeter.games.server.news import SeatNews
from teeter.games.server.protocol import Given

HEAD = """// What a seat in the browser and the server of a hosted game say to each other, the keys, how a hand goes.
// Made by `make page` of games/server (protocol.py, news.py, follower.py) and games/present/settings.toml.

import type { Triple } from "./data";
import type { SceneParts } from "./props";

export type Pose = number[]; // x, y, z in metres and the quaternion x, y, z, w
"""
OWN = {"scene": "SceneParts", "points": "Triple[]"}
"""Fields whose form stands in TypeScript alone."""
ITEMS = {kind.__name__ for kind in get_args(Item)}


def protocol() -> str:
    """The whole file."""
    parts = [HEAD]
    for name, adapter, mode in (
        ("Order", TypeAdapter[Any](Given), "validation"),
        ("News", TypeAdapter[Any](SeatNews), "serialization"),
    ):
        schema = adapter.json_schema(mode=mode)  # type: ignore[arg-type]
        for title, form in sorted(schema["$defs"].items()):
            kind = f'kind: "{title.lower()}"; ' if title in ITEMS else ""
            parts.append(f"export interface {title} {{{kind}{_object(form)[1:]}\n")
        union = [_type(form) for form in schema.get("anyOf") or schema["oneOf"]]
        parts.append(f"export type {name} = {' | '.join(union)};\n")
    keys = {
        key: act
        for act, named in shipped("settings.toml")["keys"].items()
        for key in named.split()
        if not key.startswith(("pad_", "wheel_"))
    }
    parts.append(f"export const KEYS: Record<string, string> = {json.dumps(keys)};\n")
    acts = {
        act: f"{words[0].upper()}{words[1:]} ({_said(act, keys)})"
        for act, words in shipped("acts.toml").items()
    }
    parts.append(f"export const ACTS: Record<string, string> = {json.dumps(acts)};\n")
    hand_set = shipped("settings.toml")["hand"]
    numbers = {
        **{name: getattr(follower, name) for name in ("SPEED", "TURNING", "LAG", "RISE_FIRST")},
        "NUDGE": hand.NUDGE,
        "MAGNET": slots.MAGNET,
        "STEP": hand_set["step_deg"],
        "FINE": hand_set["fine"],
    }
    parts += [f"export const {name} = {value};\n" for name, value in numbers.items()]
    return "".join(parts)


def _said(act: str, keys: dict[str, str]) -> str:
    key = next((key for key, other in keys.items() if other == act), "")
    return SAID.get(key, key)


def _object(form: dict[str, Any]) -> str:
    wanted = form.get("required", ())
    fields = [
        f"{name}{'' if _is_there(name, each, wanted) else '?'}: {OWN.get(name) or _type(each)};"
        for name, each in form["properties"].items()
    ]
    return "{" + " ".join(fields) + "}"


def _is_there(name: str, form: dict[str, Any], wanted: Sequence[str]) -> bool:
    """Whether a field is always there: what is as by default is not sent."""
    return name == "type" or (name in wanted and "default" not in form)


def _type(form: dict[str, Any]) -> str:
    if "$ref" in form:
        return str(form["$ref"]).rpartition("/")[2]
    if "const" in form:
        return json.dumps(form["const"])
    if "enum" in form:
        return " | ".join(json.dumps(each) for each in form["enum"])
    if "anyOf" in form:
        return " | ".join(_type(each) for each in form["anyOf"])
    if form["type"] == "array":
        if "prefixItems" in form:
            return f"[{', '.join(_type(each) for each in form['prefixItems'])}]"
        return f"({_type(form['items'])})[]"
    if form["type"] == "object":
        return f"Record<string, {_type(form['additionalProperties'])}>"
    return {
        "integer": "number",
        "number": "number",
        "string": "string",
        "boolean": "boolean",
        "null": "null",
    }[form["type"]]
