"""XML from anywhere: no document types, hence no entities that grow; few elements; paths that stay near the file."""

from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, fromstring
from xml.parsers import expat

from teeter.scenes.formats.description import FormatError

MAX_BYTES = 16_000_000
MAX_ELEMENTS = 200_000
MAX_DEPTH = 200


class _RefusedError(Exception):
    """Why the text is not read."""


def read_xml(path: Path, file: str) -> Element:
    """Returns the root of an XML file. Raises FormatError."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise FormatError.of(file, f"has more than {MAX_BYTES / 1e6:.0f} MB")
        data = path.read_bytes()
    except OSError as error:
        raise FormatError.of(file, f"cannot be read: {error.strerror or error}") from None
    try:
        _check(data)
        return fromstring(data)
    except _RefusedError as error:
        raise FormatError.of(file, str(error)) from None
    except (expat.ExpatError, ParseError, LookupError, ValueError) as error:
        raise FormatError.of(file, f"is not valid XML: {error}") from None


def _check(data: bytes) -> None:
    """Raises _RefusedError or expat's error."""
    parser = expat.ParserCreate()
    counts = [0, 0]

    def start(*_: object) -> None:
        counts[0] += 1
        counts[1] += 1
        if counts[0] > MAX_ELEMENTS or counts[1] > MAX_DEPTH:
            raise _RefusedError(f"has more than {MAX_ELEMENTS} elements, or {MAX_DEPTH} within each other")

    def end(*_: object) -> None:
        counts[1] -= 1

    def doctype(*_: object) -> None:
        raise _RefusedError("has a DOCTYPE, which may hide entities: take it out")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = doctype
    parser.Parse(data, True)


def numbers(text: str | None, count: int, default: tuple[float, ...], file: str, place: str) -> list[float]:
    """Returns the numbers of an attribute or element. Raises FormatError unless there are so many, all finite."""
    if text is None or not text.strip():
        return list(default)
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        values = []
    if len(values) != count or not all(abs(value) < 1e300 for value in values):
        raise FormatError.of(file, f"must be {count} finite numbers, not {text.strip()[:60]!r}", place)
    return values


def beside(folder: Path, name: str, file: str) -> Path:
    """Returns a file named in another one: in its folder, in those below it or in the folder around it.

    `package://NAME/...` and `model://NAME/...` are looked for in folders of that name around the file. Raises
    FormatError for one that is elsewhere or not there.
    """
    for scheme in ("package://", "model://"):
        if name.startswith(scheme):
            package, _, rest = name.removeprefix(scheme).partition("/")
            for around in (folder, *folder.resolve().parents):
                for root in (around / package, around) if around.name != package else (around,):
                    if (root / rest).is_file() and (root / rest).resolve().is_relative_to(root.resolve()):
                        return root / rest
            raise FormatError.of(file, f"there is no file {name!r} in a folder {package!r} around it")
    path = folder / name.removeprefix("file://")
    if not path.resolve().is_relative_to(folder.resolve().parent):
        raise FormatError.of(file, f"names {name!r}, which lies elsewhere: copy it beside the file")
    if not path.is_file():
        raise FormatError.of(file, f"names {name!r}: there is no such file")
    return path
