"""What the commands print as JSON, as one JSON Schema: made of the types and dataclasses that make that JSON."""

from __future__ import annotations

from dataclasses import is_dataclass
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    NotRequired,
    TypedDict,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from teeter.engine.topple.laboratory.noise import Method
from teeter.engine.topple.laboratory.sweep import SweepRow
from teeter.engine.topple.mend.changes import Kind
from teeter.engine.topple.verdict import Word
from teeter.engine.topple.verdict_json import VerdictJson
from teeter.games.api import schema_rows
from teeter.games.api.design import DesignResult
from teeter.games.api.mend import MendResult
from teeter.games.api.results import ExplainResult, NoiseResult, PoseResult, ProbeResult
from teeter.models.printed import keys_of

VERSION = 1
"""Raised when something that was printed is not, or means something else; what is added does not raise it."""
SCHEMA = "https://json-schema.org/draft/2020-12/schema"
NAMES: dict[str, Any] = {"Method": Method, "Word": Word, "Kind": Kind}
NAMES |= dict.fromkeys(("Assembly", "Change", "CheckResult"), Any)
"""Types that a dataclass names, but whose module it does not load; what is not printed may be anything."""
PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
Column = list[float | None] | list[str] | list[bool]


class TableJson(TypedDict):
    """The table that a scene stands on."""

    size_mm: list[float]
    top_mm: float


class ReadJson(TypedDict):
    """What was read."""

    pieces: int
    supports: int
    size_mm: list[float]
    mass_g: float
    unit: str
    up: str
    table: TableJson | None
    closed_mm: float
    loads: list[str]


class ClaimJson(TypedDict):
    """What a certificate proves."""

    claim: Literal["stands", "topples"] | None
    why: str | None


class SentencesJson(TypedDict):
    """Why, where statics knows of nothing that moves."""

    sentences: list[str]


class CheckJson(VerdictJson):
    """`teeter check --json`, with what --explain, --noise, --certificate and --data add."""

    read: ReadJson
    explain: NotRequired[ExplainResult | SentencesJson]
    certificate: NotRequired[ClaimJson]
    noise: NotRequired[NoiseResult]
    fitted: NotRequired[list[str]]
    contacts: NotRequired[dict[str, Column]]
    interfaces: NotRequired[dict[str, Column]]
    rest: NotRequired[dict[str, Column]]
    trajectory: NotRequired[dict[str, Column]]


class StepJson(TypedDict):
    """One step."""

    step: int
    piece: str
    verdict: Word
    tilt_deg: float | None


class StepsJson(TypedDict):
    """`teeter check --steps --json`."""

    teeter: str
    scene: str
    verdict: Word
    steps: list[StepJson]
    total: int
    falls_at: int | None
    sentences: list[str]


class CheckedSceneJson(TypedDict):
    """One of many scenes; `first` goes first, if it falls."""

    scene: str
    verdict: Word
    tilt_deg: float | None
    first: str | None


class ScenesJson(TypedDict):
    """`teeter check --scenes FOLDER --json`; the verdict is the worst of all."""

    teeter: str
    verdict: Word
    counts: dict[str, int]
    scenes: list[CheckedSceneJson]


class ErrorsJson(TypedDict):
    """What every command prints with --json where it has no answer. exit: its exit code."""

    teeter: str
    exit: int
    errors: list[str]


class ProbeJson(TypedDict):
    """`teeter probe --json`: newtons; `pull_n` is null for what is stuck."""

    teeter: str
    scene: str
    pieces: dict[str, ProbeResult]


class SweepJson(TypedDict):
    """`teeter sweep --json`: `table` is null where `--out` has it."""

    teeter: str
    scene: str
    piece: str | None
    rows: int
    verdicts: dict[str, int]
    judged_by: dict[str, int]
    best: list[SweepRow]
    out: str | None
    table: list[SweepRow] | None


class PosesJson(TypedDict):
    """`teeter poses --json`."""

    teeter: str
    scene: str
    piece: str
    poses: list[PoseResult]


class VerifyJson(TypedDict):
    """`teeter verify --json`. first_difference: its step, place, and why."""

    agrees: bool
    comparable: bool
    verifiable: bool
    over: bool
    steps: int
    first_difference: dict[str, int | str] | None
    unproven: list[str]
    why: str


class CertificateJson(TypedDict):
    """`teeter verify-certificate --json`. why: it was refused."""

    proven: bool
    claim: Literal["stands", "topples"] | None
    bodies: list[str]
    scene: str | None
    why: str | None


KINDS = {
    "check": CheckJson,
    "steps": StepsJson,
    "scenes": ScenesJson,
    "mend": MendResult,
    "design": DesignResult,
    "probe": ProbeJson,
    "sweep": SweepJson,
    "poses": PosesJson,
    "verify": VerifyJson,
    "verify-certificate": CertificateJson,
    "errors": ErrorsJson,
    **schema_rows.KINDS,
}
"""By what prints it."""


def schema(kind: str) -> dict[str, Any]:
    """Returns the schema of what one command prints, by a name of `KINDS`."""
    parts: dict[str, Any] = {}
    whole = _of(KINDS[kind], parts)
    if is_dataclass(KINDS[kind]):
        # an answer of Python's, beside whose fields the command says who gave it
        answer = parts[KINDS[kind].__name__]
        answer["properties"]["teeter"] = {"type": "string"}
        answer["required"].append("teeter")
    return {"$schema": SCHEMA, "$id": f"urn:teeter:{kind}:{VERSION}", **whole, "$defs": parts}


def _of(kind: Any, parts: dict[str, Any]) -> dict[str, Any]:
    """Returns the schema of a type. parts: those of the objects in it, which are named, are added."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind in PLAIN:
        return {"type": PLAIN[kind]}
    if origin is NotRequired:
        return _of(inner[0], parts)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, UnionType):
        return {"anyOf": [_of(part, parts) for part in inner]}
    if origin is list or (origin is tuple and inner[-1] is Ellipsis):
        return {"type": "array", "items": _of(inner[0], parts)}
    if origin is tuple:
        items = [_of(one, parts) for one in inner]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _of(inner[1], parts)}
    if not (is_typeddict(kind) or is_dataclass(kind)):
        raise TypeError(f"{kind} has no JSON")
    name = kind.__name__
    if name not in parts:
        parts[name] = {}  # before its parts are looked at
        parts[name] = _object(kind, parts)
    return {"$ref": f"#/$defs/{name}"}


def _object(kind: Any, parts: dict[str, Any]) -> dict[str, Any]:
    hints = get_type_hints(kind, localns=NAMES, include_extras=True)
    if is_dataclass(kind):
        also = {
            name: get_type_hints(getattr(kind, name).fget, localns=NAMES)["return"]
            for name in getattr(kind, "also", ())
        }
        hints = {name: {**hints, **also}[name] for name in keys_of(kind)}
    return {
        "type": "object",
        "description": " ".join((kind.__doc__ or "").split()),
        "properties": {name: _of(hint, parts) for name, hint in hints.items()},
        "required": [name for name, hint in hints.items() if get_origin(hint) is not NotRequired],
        "additionalProperties": False,
    }
