"""Piece catalogues: one TOML file per game, a `[[piece]]` table per piece.

    [[piece]]
    id = "brick"                     # known elsewhere as "<file name>/brick"
    shape = { box = [75, 25, 15] }   # mm; mesh files lie beside the catalogue
    material = "beech"
    colour = "red"                   # optional

Catalogues come with the package; a folder `models/` in the current folder may add files, and pieces to a file
of the same name, and override pieces of the same id.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from models.errors import CatalogueError, ModelError, SpecError, UnknownModelError, nearest
from models.shapes import Mesh
from models.spec import PieceSpec, parse

PACKAGED = Path(__file__).resolve().parent
# files of the package that are not catalogues
RESERVED = {"materials", "colours"}


def find(model_id: str) -> PieceSpec:
    """The spec of a catalogue piece. Raises UnknownModelError with the nearest id there is."""
    game, _, _ = model_id.partition("/")
    pieces = catalogue(game) if game in games() else {}
    if model_id not in pieces:
        every = [known for name in games() for known in catalogue(name)]
        raise UnknownModelError(f'unknown model "{model_id}": {nearest(model_id, every)}')
    return pieces[model_id]


def games() -> tuple[str, ...]:
    """Names of all catalogues, sorted."""
    return tuple(sorted({path.stem for folder in _folders() for path in folder.glob("*.toml")} - RESERVED))


def catalogue(game: str) -> Mapping[str, PieceSpec]:
    """All pieces of one catalogue by id, in the order of the files; the user's folder comes after the
    package's.

    Raises CatalogueError when there is no such catalogue or a file cannot be used.
    """
    paths = [path for folder in _folders() if (path := folder / f"{game}.toml").is_file()]
    if not paths or game in RESERVED:
        raise CatalogueError(f'no catalogue "{game}": {nearest(game, games())}')
    pieces: dict[str, PieceSpec] = {}
    for path in paths:
        stamp = path.stat()
        pieces |= _read(path, stamp.st_mtime_ns, stamp.st_size)
    return MappingProxyType(pieces)


def _folders() -> tuple[Path, ...]:
    own = Path.cwd() / "models"
    return (PACKAGED,) if own == PACKAGED else (PACKAGED, own)


@lru_cache(maxsize=64)
def _read(path: Path, changed: int, size: int) -> Mapping[str, PieceSpec]:
    """The pieces of one file; the time and size of the file make the memory forget what has changed."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CatalogueError(f"{path}: cannot be read as TOML: {error}") from error
    rows = table.get("piece")
    if (
        set(table) != {"piece"}
        or not isinstance(rows, list)
        or not all(isinstance(row, dict) for row in rows)
    ):
        raise CatalogueError(
            f"{path}: a catalogue holds [[piece]] tables and nothing else (got {sorted(table)})"
        )
    pieces: dict[str, PieceSpec] = {}
    faults: list[str] = []
    for number, row in enumerate(rows):
        try:
            spec = _spec(path, number, row)
            if spec.model in pieces:
                raise CatalogueError(f'{path}: piece[{number}].id: "{row["id"]}" is taken: choose another')
            pieces[spec.model] = spec
        except ModelError as error:
            faults.append(str(error))
    if faults:
        raise CatalogueError("\n".join(faults))
    return MappingProxyType(pieces)


def _spec(path: Path, number: int, row: Mapping[str, Any]) -> PieceSpec:
    where = f"{path}: piece[{number}]"
    name = row.get("id")
    if not isinstance(name, str) or not name or "/" in name:
        raise SpecError(where, (f"id: a piece needs a name without a slash (got {name!r})",))
    rest = {key: value for key, value in row.items() if key != "id"}
    spec = parse({"model": f"{path.stem}/{name}", **rest}, where)
    if isinstance(spec.shape, Mesh):
        # from here on it no longer matters which catalogue the piece came from
        shape = spec.shape.model_copy(update={"mesh": str(path.parent / spec.shape.mesh)})
        spec = spec.model_copy(update={"shape": shape})
    return spec
