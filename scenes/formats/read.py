"""Which module reads a scene of another program."""

from importlib import import_module
from pathlib import Path

from teeter.models.material import Material
from teeter.scenes.formats import compas
from teeter.scenes.formats.description import FormatError
from teeter.scenes.formats.pieces import contents_of
from teeter.scenes.scene import Draft, Fault
from teeter.scenes.schema import Head

READERS = {
    ".xml": "mjcf",
    ".mjcf": "mjcf",
    ".urdf": "urdf",
    ".sdf": "sdf",
    ".world": "sdf",
    ".usd": "usd",
    ".usda": "usd",
    ".usdc": "usd",
    ".usdz": "usd",
    ".json": "compas",
}
"""The module that reads each kind of file."""


def read_format(
    path: Path, file: str, material: Material, unit: float | None = None
) -> tuple[Head, list[Draft], list[Fault], tuple[str, ...]]:
    """Returns the head of a scene, its pieces, what kept others from being one, and what is to be told of it.

    material: of pieces whose file names no density or friction. unit: metres, of files that name none. Raises
    SceneError when nothing can be read at all.
    """
    try:
        kind = READERS[path.suffix.lower()]
        if kind == "compas":
            described = compas.read(path, file, unit)
        else:
            described = import_module(f"teeter.scenes.formats.{kind}").read(path, file)
    except OSError as error:
        raise FormatError.of(file, f"cannot be read: {error.strerror or error}") from None
    return contents_of(described, file, material)
