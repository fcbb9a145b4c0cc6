"""Piece catalogues: one TOML file per game, a `[[piece]]` table per piece.

    [[piece]]
    id = "brick"                     # known elsewhere as "<file name>/brick"
    shape = { box = [75, 25, 15] }   # mm; mesh files lie beside the catalogue
    material = "beech"
    colour = "red"                   # optional
    face = { text = "+2" }           # optional print; or "print.add_two", a row of this file's `[[print]]`

Other tables of a file are for other readers. Catalogues come with the package; a folder `models/` in the
current folder may add files, and pieces to a file of the same name, and override pieces of the same id.
"""

import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

from teeter.models.errors import CatalogueError, ModelError, SpecError, UnknownModelError, nearest
from teeter.models.face import resolved
from teeter.models.plugins import installed
from teeter.models.shapes import Mesh
from teeter.models.spec import PieceSpec, parse

PACKAGED = Path(__file__).resolve().parent
# files of the package that are not catalogues
RESERVED = {"materials", "colours"}
PIECE_TABLE = re.compile(r"^\s*\[\[\s*piece\s*\]\]", re.MULTILINE)


def find(model_id: str) -> PieceSpec:
    """The spec of a catalogue piece. Raises UnknownModelError with the nearest id there is."""
    game = model_id.partition("/")[0]
    pieces = catalogue(game) if game in games() else {}
    if model_id not in pieces:
        raise UnknownModelError(f'unknown model "{model_id}": {nearest(model_id, _every_id())}')
    return pieces[model_id]


def games() -> tuple[str, ...]:
    """Names of all catalogues, sorted. Files without pieces are passed over."""
    return tuple(sorted({path.stem for path in _files("*")}))


def catalogue(game: str) -> Mapping[str, PieceSpec]:
    """All pieces of one catalogue by id, in the order of the files; the user's folder comes after the
    package's.

    Raises CatalogueError when there is no such catalogue or a file cannot be used.
    """
    if game not in games():
        raise CatalogueError(f'no catalogue "{game}": {nearest(game, games())}')
    pieces: dict[str, PieceSpec] = {}
    for path in _files(game):
        pieces |= _pieces(path, _text(path, *_stamp(path)))
    return MappingProxyType(pieces)


def _every_id() -> list[str]:
    """All ids there are, for suggestions; what is wrong in other catalogues is not said here."""
    ids: list[str] = []
    for game in games():
        with suppress(CatalogueError):
            ids.extend(catalogue(game))
    return ids


def _files(game: str) -> list[Path]:
    """Files that hold pieces, the package's first."""
    own = Path.cwd() / "models"
    folders = [PACKAGED, *_others()] + ([own] if own != PACKAGED else [])
    paths = [path for folder in folders for path in sorted(folder.glob(f"{game}.toml")) if path.is_file()]
    return [
        path for path in paths if path.stem not in RESERVED and PIECE_TABLE.search(_text(path, *_stamp(path)))
    ]


@cache
def _others() -> tuple[Path, ...]:
    """Folders of the packages that other distributions name as catalogues."""
    specs = (find_spec(point.module) for point in installed("teeter.catalogues").values())
    return tuple(Path(spec.origin).parent for spec in specs if spec is not None and spec.origin)


def _stamp(path: Path) -> tuple[int, int]:
    """Time and size of a file: what makes the memory forget a file that has changed."""
    state = path.stat()
    return state.st_mtime_ns, state.st_size


@lru_cache(maxsize=256)
def _text(path: Path, changed: int, size: int) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


@lru_cache(maxsize=64)
def _pieces(path: Path, text: str) -> Mapping[str, PieceSpec]:
    """The pieces of one file. Raises CatalogueError with all faults at once."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CatalogueError(f"{path}: is not TOML: {error}") from error
    except (RecursionError, ValueError):
        raise CatalogueError(f"{path}: is not TOML: nested too deeply, or a number too long") from None
    pieces: dict[str, PieceSpec] = {}
    faults: list[str] = []
    for number, row in enumerate(tables.get("piece", [])):
        try:
            spec = _spec(path, number, row, tables)
            if spec.model in pieces:
                raise CatalogueError(f'{path}: piece[{number}]: id: "{row["id"]}" is taken: choose another')
            pieces[spec.model] = spec
        except ModelError as error:
            faults.append(str(error))
    if faults:
        raise CatalogueError("\n".join(faults))
    return MappingProxyType(pieces)


def _spec(path: Path, number: int, row: Mapping[str, Any], tables: Mapping[str, Any]) -> PieceSpec:
    where = f"{path}: piece[{number}]"
    name = row.get("id")
    if not isinstance(name, str) or not name or "/" in name:
        raise SpecError(where, (f"id: a piece needs a name without a slash (got {name!r})",))
    rest = {key: value for key, value in row.items() if key != "id"}
    if "face" in row:
        try:
            rest["face"] = resolved(row["face"], row, tables)
        except ModelError as error:
            raise SpecError(where, (str(error),)) from None
    spec = parse({"model": f"{path.stem}/{name}", **rest}, where)
    if isinstance(spec.shape, Mesh):
        # from here on it no longer matters which catalogue the piece came from
        shape = spec.shape.model_copy(update={"mesh": str(path.parent / spec.shape.mesh)})
        spec = spec.model_copy(update={"shape": shape})
    return spec
