"""Reading a scene file into checked tables, with every fault of the text named by place."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, cast

from pydantic import BaseModel, ValidationError

from teeter.models.errors import words_of
from teeter.models.material import Material
from teeter.models.piece import Array, Ints
from teeter.models.spec import SHAPES
from teeter.scenes.scene import Fault, SceneError, nearest, quote
from teeter.scenes.schema import FORMAT, TABLES, Head, PieceTable

MAX_PIECES = 5000
"""More than any table holds; refused before anything is built."""
MAX_BYTES = 16_000_000
"""Of a scene file: 5000 pieces of 3 kB each."""
_HEADING = re.compile(r"^[ \t]*\[\[[ \t]*piece[ \t]*\]\]")
_LONG_KEY = re.compile(r"(?<![\w\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){100}")
"""A key of a hundred parts, for which tomllib takes time by the square."""
_TAGS = {shape.key() for shape in SHAPES}


@dataclass(frozen=True, slots=True)
class Written:
    """A `[[piece]]` of a file. place: such as `piece[3] "slab"`. line: of its heading, None if unknown. mesh:
    corners in metres and triangles, which a script gave in place of a shape."""

    place: str
    line: int | None
    table: PieceTable
    mesh: tuple[Array, Ints] | None = None


@dataclass(frozen=True, slots=True)
class Sheet:
    """A scene file whose tables are each right by themselves, as far as `faults` says so."""

    head: Head
    pieces: tuple[Written, ...]
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class GivenText:
    """A TOML scene that is no file, such as what comes through a pipe. stem: its name. Paths in it are from the current
    folder."""

    data: bytes
    stem: str
    suffix: ClassVar[str] = ".toml"
    parent: ClassVar[Path] = Path()


def read(path: Path | GivenText, file: str) -> Sheet:
    """Read a TOML scene. file: how messages call it. Raises SceneError when it is no scene file at all."""
    text = _text(path, file)
    lines = [number for number, line in enumerate(text.split("\n"), start=1) if _HEADING.match(line)]
    if len(lines) > MAX_PIECES:
        raise SceneError([_too_many(file, len(lines))])
    return sheet_of(_toml(text, file), file, lines)


def sheet_of(data: Mapping[str, Any], file: str, headings: Sequence[int] = ()) -> Sheet:
    """The checked tables of a scene. headings: the lines of its `[[piece]]`, if known. Raises SceneError."""
    rest = dict(data)
    rows = rest.pop("piece", [])
    version = _version(rest, file)
    if version:
        raise SceneError([version])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise SceneError.of(file, "must be [[piece]] tables", key="piece", value=quote(rows))
    if len(rows) > MAX_PIECES:
        raise SceneError([_too_many(file, len(rows))])
    lines: list[int | None] = [*headings] if len(headings) == len(rows) else [None] * len(rows)
    head, faults = _head(rest, file)
    own = _models(head, file, faults)
    pieces: list[Written] = []
    for number, (row, line) in enumerate(zip(rows, lines, strict=True), start=1):
        model = own.get(str(row.get("model")))
        if model is not None:
            row = model | {key: value for key, value in row.items() if key != "model"}
        written, more = _piece(row, number, line, file)
        faults += more
        pieces += [written] if written else []
    faults += _doubled(rows, lines, file)
    if not rows:
        faults.append(Fault(file, "there are no pieces: add a [[piece]] table"))
    return Sheet(head, tuple(pieces), tuple(faults))


def _models(head: Head, file: str, faults: list[Fault]) -> dict[str, dict[str, Any]]:
    """The keys of pieces that a `[[model]]` stands for, by its id. Faults are added; those of the keys are the
    pieces'."""
    models: dict[str, dict[str, Any]] = {}
    for number, row in enumerate(head.model, start=1):
        name = row.get("id")
        if not isinstance(name, str) or "/" in name or name in models:
            problem = "must be a name that no other model has, without a slash"
            faults.append(Fault(file, problem, table=f"model[{number}]", key="id", value=quote(name)))
        else:
            models[name] = {key: value for key, value in row.items() if key != "id"}
    return models


def plain(value: Any) -> Any:
    """A value as TOML would have it: tuples and arrays as lists, NumPy's numbers as Python's own."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def place_of(number: int, name: object) -> str:
    """How messages call a piece: its number in the file from one, and its id when it has a usable one."""
    return f"piece[{number}]" + (f" {quote(name)}" if isinstance(name, str) else "")


def _too_many(file: str, count: int) -> Fault:
    return Fault(file, f"there are {count} pieces; at most {MAX_PIECES} are allowed")


def _text(path: Path | GivenText, file: str) -> str:
    try:
        size = path.stat().st_size if isinstance(path, Path) else len(path.data)
        if size > MAX_BYTES:
            problem = f"the file has {size / 1e6:.0f} MB; a scene file has at most {MAX_BYTES / 1e6:.0f} MB"
            raise SceneError.of(file, problem)
        data = path.read_bytes() if isinstance(path, Path) else path.data
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        problem = f"is not a text file in UTF-8 (byte {error.start}); a scene is TOML"
        raise SceneError.of(file, problem) from None
    except OSError as error:
        raise SceneError.of(file, f"cannot be read: {error.strerror or error}") from None


def _toml(text: str, file: str) -> dict[str, Any]:
    if match := _LONG_KEY.search(text):
        line = text.count("\n", 0, match.start()) + 1
        raise SceneError.of(file, "is not valid: a key of a hundred parts or more", line=line)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column (\d+)\)$", str(error))
        line = int(place[1]) if place else text.count("\n") + 1
        problem = re.sub(r" \(at .*\)$", "", str(error))
        column = f" (column {place[2]})" if place else " (end of the file)"
        raise SceneError.of(file, f"is not valid TOML: {problem}{column}", line=line) from None
    except (RecursionError, ValueError):
        raise SceneError.of(file, "is not valid TOML: nested too deeply, or a number too long") from None


def _version(data: Mapping[str, Any], file: str) -> Fault | None:
    """The one fault that makes all others meaningless: a format we do not know."""
    version = data.get("teeter")
    if version is None:
        return Fault(
            file, f"the format version is missing: begin the file with `teeter = {FORMAT}`", key="teeter"
        )
    if type(version) is not int or version < 1:
        return Fault(file, f"must be the format version {FORMAT}", key="teeter", value=quote(version))
    if version > FORMAT:
        problem = f"is newer than this teeter, which reads up to format {FORMAT}: update teeter"
        return Fault(file, problem, key="teeter", value=quote(version))
    return None


def _head(data: dict[str, Any], file: str) -> tuple[Head, list[Fault]]:
    faults: list[Fault] = []
    good: dict[str, Any] = {}
    for key, value in data.items():
        try:
            Head.model_validate({"teeter": FORMAT, key: value})
            good[key] = value
        except ValidationError as error:
            faults += [_fault(item, Head, Fault(file, "")) for item in _errors(error)]
    return Head.model_validate({"teeter": FORMAT, **good}), faults


def _piece(
    row: dict[str, Any], number: int, line: int | None, file: str
) -> tuple[Written | None, list[Fault]]:
    place = place_of(number, row.get("id"))
    try:
        return Written(place, line, PieceTable.model_validate(row)), []
    except ValidationError as error:
        blank = Fault(file, "", table=place, line=line)
        return None, [_fault(item, PieceTable, blank) for item in _errors(error)]


def _doubled(rows: list[dict[str, Any]], lines: list[int | None], file: str) -> list[Fault]:
    first: dict[str, str] = {}
    faults = []
    for number, (row, line) in enumerate(zip(rows, lines, strict=True), start=1):
        name = row.get("id")
        place = place_of(number, name)
        if isinstance(name, str) and first.setdefault(name, place) != place:
            problem = f"is taken by {first[name]}: choose another"
            faults.append(Fault(file, problem, table=place, key="id", value=quote(name), line=line))
    return faults


def _errors(error: ValidationError) -> list[dict[str, Any]]:
    found = cast(list[dict[str, Any]], error.errors(include_url=False))
    # entries that are wrong are not counted: a list is not too short for that
    return [
        one for one in found if one["type"] != "too_short" or len(one["input"]) < one["ctx"]["min_length"]
    ]


def _fault(item: dict[str, Any], model: type[BaseModel], blank: Fault) -> Fault:
    """A fault of one pydantic error: the same place, in the words of the file."""
    steps: list[int | str] = []
    for step in item["loc"]:
        # the union of shapes names the one it chose, which is the key that follows: once is enough
        if not (steps and step == steps[-1] and step in _TAGS):
            steps.append(step)
    table = blank.table
    if model is Head and len(steps) > 1 and isinstance(steps[1], int):
        table, steps = f"{steps[0]}[{steps[1] + 1}]", steps[2:]
    elif model is Head and len(steps) > 1:
        table, steps = f"[{steps[0]}]", steps[1:]
    key = "".join(f"[{step + 1}]" if isinstance(step, int) else f".{step}" for step in steps).lstrip(".")
    hides_value = item["type"] in ("missing", "extra_forbidden") or isinstance(item["input"], dict)
    value = None if hides_value else quote(item["input"])
    return replace(blank, problem=_words(item, model), table=table, key=key, value=value)


def _words(item: dict[str, Any], model: type[BaseModel]) -> str:
    kind: str = item["type"]
    if kind == "extra_forbidden" and item["loc"][-1] == "rolling":
        return "rolling resistance is a length: write rolling_mm, in mm (rolling_mm = 2 for 0.002 m)"
    if kind == "extra_forbidden":
        known = _keys(model, item["loc"])
        return f"unknown key{nearest(str(item['loc'][-1]), known)} (allowed: {', '.join(known)})"
    return words_of(item) + " of numbers" * (kind == "tuple_type")


def _keys(model: Any, loc: tuple[int | str, ...]) -> list[str]:
    """The keys allowed in the table where a key was refused."""
    fields: Any = model.model_fields
    if model is Head and len(loc) > 1:
        fields = TABLES[str(loc[0])].model_fields
    elif loc[0] == "material" and len(loc) > 1:
        written = {"density_kg_m3": "density"}
        return [*(written.get(key, key) for key in Material.model_fields if key != "name"), "like"]
    elif loc[0] == "shape" and len(loc) > 1:
        shape: Any = next(shape for shape in SHAPES if shape.key() == loc[1])
        inner: Any = shape.model_fields[shape.key()].annotation
        fields = inner.model_fields if len(loc) > 3 and hasattr(inner, "model_fields") else shape.model_fields
    keys = ["piece", *fields] if model is Head and len(loc) == 1 else [*fields]
    return [key for key in keys if key != "name" or model is Head]
