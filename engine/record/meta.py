"""What a recording is of: game, players, seed, bodies, and the machine it was made on (`meta.json`)."""

from __future__ import annotations

import hashlib
import json
import math
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from teeter.engine.record.format import (
    FORMAT,
    LAST_TO_VERIFY,
    MAX_BODIES,
    MAX_BYTES_OF,
    META,
    RecordError,
    parse,
)
from teeter.engine.settings import REVISIONS
from teeter.engine.worlds import Engine, engine_in_use, package_of
from teeter.models.errors import quote

NO_CONTROLS = r"^\P{Cc}*$"
"""What a terminal or a page shows as it is: letters of any language, nothing that it would obey."""
Word = Annotated[str, Field(max_length=200, pattern=NO_CONTROLS)]
Name = Annotated[str, Field(min_length=1, max_length=200, pattern=NO_CONTROLS)]


class _Table(BaseModel):
    """What all tables share: nothing is converted, no key is unknown, no number infinite, nothing changes."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", allow_inf_nan=False)


class BodyMeta(_Table):
    """A body: its name, and either a `model` of the catalogue or the `spec` of a piece (`models.spec`)."""

    id: Name
    model: Name | None = None
    spec: dict[str, JsonValue] | None = None
    fixed: bool = False

    @model_validator(mode="after")
    def _one_of_each(self) -> BodyMeta:
        if (self.model is None) == (self.spec is None):
            raise ValueError("give either `model` (from the catalogue) or `spec`")
        shape = (self.spec or {}).get("shape")
        if isinstance(shape, dict) and "mesh" in shape:
            raise ValueError(
                "a recording names no files: its pieces are of the catalogue, or described in it"
            )
        return self


class Versions(_Table):
    """The libraries that made the recording; `unknown` where one is not installed."""

    teeter: Word
    python: Word
    numpy: Word
    pybullet: Word
    rapier3d: Word = "unknown"

    @classmethod
    def installed(cls) -> Versions:
        """Returns what runs here and now."""
        return cls(
            teeter=_version("teeter"),
            python=platform.python_version(),
            numpy=_version("numpy"),
            pybullet=_version("pybullet"),
            rapier3d=_version("rapier3d"),
        )


class Meta(_Table):
    """The head of a recording. format: see `FORMAT`. rate: steps a second. bodies: as in the columns of the track.

    options, settings: as the game and the simulation name them. engine: that simulated, of `engine.worlds.ENGINES`.
    platform: `fingerprint()` of the machine that recorded. outcome: None until the game is over.
    """

    format: Annotated[int, Field(ge=1, le=FORMAT)] = FORMAT
    game: Name
    mode: Word = ""
    options: dict[str, JsonValue] = {}
    players: Annotated[tuple[Word, ...], Field(max_length=100)] = ()
    seed: Annotated[int, Field(ge=0)]
    settings: dict[str, JsonValue] = {}
    rate: Annotated[int, Field(ge=1, le=1_000_000)]
    bodies: Annotated[tuple[BodyMeta, ...], Field(max_length=MAX_BODIES)]
    versions: Versions
    engine: Name = "bullet"
    platform: Name
    outcome: dict[str, JsonValue] | None = None

    @model_validator(mode="after")
    def _names_are_unique(self) -> Meta:
        seen: set[str] = set()
        for name in self.names:
            if name in seen:
                raise ValueError(f"two bodies have the id {quote(name)}")
            seen.add(name)
        return self

    @property
    def made_before(self) -> str:
        """Says that it was made when things were simulated otherwise, and what verifies it; "" for today's."""
        if self.format == FORMAT:
            return ""
        last = LAST_TO_VERIFY[self.format]
        return (
            f"made before things fell as they do today (format {self.format}, today's is {FORMAT}): it can be watched, "
            f"not simulated again; {last}, is the last to verify it"
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of the bodies, in the order of the columns of the track."""
        return tuple(body.id for body in self.bodies)


def fingerprint(engine: Engine | None = None) -> str:
    """Returns machine, system, and what decides the bits of a simulation: versions and the processor's rounding.

    engine: that simulates, the one in use when None. Where it differs from a recording's `platform`, re-simulation may
    differ in the last bits without fault.
    """
    here, engine = Versions.installed(), engine or engine_in_use()
    package, revision = package_of(engine), REVISIONS.get(engine)
    libraries = f"python {here.python}, numpy {here.numpy}, {package} {_version(package)}"
    libraries += f" as used since revision {revision}" if revision else ""
    return f"{platform.machine()} {platform.system()}, {libraries}, arithmetic {arithmetic()}"


@cache
def arithmetic() -> str:
    """Returns eight hex digits of how this processor rounds: numpy, its BLAS and the C library take other kernels on
    other processors, whose last bits differ, and a game is recorded to the last bit."""
    count = 240
    ramp = np.linspace(0.1, 3.0, count) ** 1.5
    rows = ramp.reshape(-1, 3)
    square = rows[:33] @ rows[:33].T + np.eye(33)
    few = square[:3, :3]
    samples = (
        rows[:1] @ few,
        rows.T @ ramp[: len(rows)],
        ramp @ ramp[::-1].copy(),
        square @ square,
        np.linalg.inv(few),
        np.linalg.solve(square, ramp[:33]),
        np.linalg.eigh(few)[1],
        np.linalg.svd(rows)[1],
        np.linalg.norm(rows, axis=1),
        np.einsum("ij,kj->ik", rows, few),
        np.sum(ramp),
        *(function(0.3 * ramp) for function in (np.sin, np.cos, np.exp, np.arctan)),
        np.arccos(0.1 * ramp),
        [math.sin(x) + math.acos(0.1 * x) + math.atan2(x, 1.3) for x in ramp.tolist()],
    )
    digest = hashlib.sha256()
    for sample in samples:
        digest.update(np.asarray(sample, dtype=np.float64).tobytes())
    return digest.hexdigest()[:8]


def written(meta: Meta) -> bytes:
    """Returns the text of `meta.json`. Raises ValueError for what would not read back as it is, RecordError for what is
    too long."""
    text = json.dumps(meta.model_dump(mode="json"), indent=1, sort_keys=True, allow_nan=False).encode("ascii")
    if len(text) > MAX_BYTES_OF[META]:
        raise RecordError(META, f"has {len(text)} bytes; at most {MAX_BYTES_OF[META]} are allowed")
    parse(text, "a new recording", META)
    try:
        same = Meta.model_validate_json(text) == meta
    except ValidationError as error:
        raise ValueError(f"the meta data cannot be written: {_first(error)}") from None
    if not same:
        raise ValueError("the meta data does not read back as it is: use JSON values only")
    return text


def read(text: bytes, file: str) -> Meta:
    """Returns the head of a recording from its text. Raises RecordError with the first fault, named by its key."""
    place = META
    data = parse(text, file, place)
    if not isinstance(data, dict):
        raise RecordError(file, f"is {quote(data)}, must be an object", place)
    number = data.get("format")
    # it is read a second time below
    del data
    if type(number) is not int or number < 1:
        raise RecordError(file, f"format is {quote(number)}, must be a number from 1 to {FORMAT}", place)
    if number > FORMAT:
        problem = f"format {number} is newer than this teeter, which reads up to {FORMAT}: update teeter"
        raise RecordError(file, problem, place)
    try:
        return Meta.model_validate_json(text)
    except ValidationError as error:
        raise RecordError(file, _first(error), place) from None


def _first(error: ValidationError) -> str:
    """Returns the first fault in words: key, what is allowed, what was found."""
    faults: list[Any] = error.errors(include_url=False)
    fault = faults[0]
    key = "".join(f"[{step + 1}]" if isinstance(step, int) else f".{step}" for step in fault["loc"])
    key = key.lstrip(".")
    key = key if key.isprintable() and len(key) < 100 else quote(key)
    message = str(fault["msg"]).removeprefix("Value error, ")
    hides_value = fault["type"] in ("missing", "value_error") or isinstance(fault["input"], dict)
    got = "" if hides_value else f" (got {quote(fault['input'])})"
    return (f"{key}: " if key else "") + message + got


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
