"""What an MJCF file holds with all that it includes, asked before MuJoCo makes it: how much, and what is not rigid."""

from dataclasses import dataclass, field
from pathlib import Path

from teeter.models.errors import MeshFileError
from teeter.models.mesh_node import check_bytes, check_counts
from teeter.scenes.formats.description import FormatError, check_count
from teeter.scenes.formats.xml import beside, read_xml
from teeter.scenes.reading import MAX_PIECES

MAX_SIZE = 1e6
UNITS = {"K": 2.0**10, "M": 2.0**20, "G": 2.0**30}
MAX_MEMORY = 256 * 2.0**20
"""Bytes: MuJoCo's own examples have up to 100 MB, of which compiling takes little."""
MOST_USER = 1000
GROWING: dict[str, dict[str, float]] = {
    "size": {
        "memory": MAX_MEMORY,
        **dict.fromkeys(("njmax", "nconmax", "nstack"), MAX_SIZE),
        **{
            f"nuser_{kind}": MOST_USER
            for kind in ("body", "jnt", "geom", "site", "cam", "tendon", "actuator", "sensor")
        },
        **dict.fromkeys(("nuserdata", "nkey"), MOST_USER),
    },
    "texture": {"width": 4096, "height": 4096},
    "hfield": {"nrow": MOST_USER, "ncol": MOST_USER},
    "mesh": {"params": 100},
    "user": {"dim": MOST_USER},
}
"""Attributes by which a short file asks for much memory or time, and the most that each may be."""
ELASTIC = ("composite", "flexcomp", "flex", "deformable", "skin")
OTHER_FILES = ("texture", "hfield")
"""What names files that no piece is made of."""


@dataclass(slots=True)
class Total:
    """What a file comes to with all that it includes: counted before MuJoCo makes it."""

    files: set[Path] = field(default_factory=set)
    bodies: int = 0
    geoms: int = 0
    frames: int = 0
    mesh_bytes: int = 0


def scan(path: Path, file: str, assets: Path, total: Total) -> None:
    """Raises FormatError for files outside, for what grows, and for what is not rigid: before MuJoCo sees it."""
    if path.resolve() in total.files:
        raise FormatError.of(file, f"includes {path.name} twice: include it once")
    total.files.add(path.resolve())
    root = read_xml(path, file)
    if root.tag not in ("mujoco", "mujocoinclude"):
        kind = {"robot": "a URDF: call it .urdf", "sdf": "an SDF: call it .sdf"}.get(root.tag, "no MJCF")
        raise FormatError.of(file, f"its root is <{root.tag[:40]}>, so it is {kind}")
    folders = {"mesh": assets}
    for compiler in root.iter("compiler"):
        for key in ("assetdir", "meshdir"):
            if key in compiler.attrib:
                folders["mesh"] = assets / compiler.attrib[key]
    waiting = [(root, 1)]
    while waiting:
        element, copies = waiting.pop()
        if element.tag in ELASTIC:
            raise FormatError.of(file, f"holds <{element.tag}>, which is not rigid: leave it out")
        for key, most in GROWING.get(element.tag, {}).items():
            if _is_huge(value := element.get(key), most):
                what = f'{key}="{value}", more memory than a scene needs'
                raise FormatError.of(file, f"has <{element.tag}> with {what}: leave it out")
        if element.tag == "replicate":
            try:
                copies *= max(int(element.get("count", "1")), 1)
            except ValueError:
                copies = MAX_PIECES + 1
            if copies > MAX_PIECES:
                raise FormatError.of(
                    file, f"replicates a body more than {MAX_PIECES} times: a scene has no more pieces"
                )
        _count(element.tag, copies, total, file)
        name = element.get("file")
        if name and element.tag == "include":
            around = (
                assets if (assets / name).is_file() else path.parent
            )  # MuJoCo asks the main file's folder first
            inner = beside(around, name, file)
            scan(inner, file, assets, total)
        elif name and element.tag in ("mesh", "model"):
            folder = folders["mesh"] if element.tag == "mesh" else path.parent
            if Path(name).is_absolute() or not (folder / name).resolve().is_relative_to(
                assets.resolve().parent
            ):
                raise FormatError.of(file, f"names {name!r}, which lies elsewhere: copy it beside the file")
            _check_mesh(folder / name, total, file)
        elif name and element.tag in OTHER_FILES and Path(name).is_absolute():
            raise FormatError.of(file, f"names {name!r}, which lies elsewhere: copy it beside the file")
        waiting += [(child, copies) for child in element]


def _count(tag: str, copies: int, total: Total, file: str) -> None:
    """Raises FormatError for the first body or geom that is too many."""
    total.bodies += copies * (tag == "body")
    total.geoms += copies * (tag == "geom")
    total.frames += tag == "key"
    check_count(total.bodies, file, "bodies")
    check_count(total.geoms, file, "geoms")
    if total.frames * total.bodies > MAX_SIZE:
        raise FormatError.of(file, f"has {total.frames} keyframes, which are not read: leave them out")


def _check_mesh(path: Path, total: Total, file: str) -> None:
    """Raises FormatError for a mesh that is too large for ours too; MuJoCo says which is not there."""
    if not path.is_file():
        return
    total.mesh_bytes += path.stat().st_size
    try:
        check_bytes(total.mesh_bytes)
        check_counts(path.read_bytes(), path.suffix.lower().removeprefix("."))
    except MeshFileError as error:
        raise FormatError.of(file, f"{path.name} {error}") from None


def _is_huge(text: str | None, most: float) -> bool:
    """Whether one of the numbers of an attribute is more than that, or none. Of memory the last letter is a unit."""
    try:
        return any(
            not float(word.rstrip("KMG")) * UNITS.get(word[-1:], 1.0) <= most for word in (text or "").split()
        )
    except ValueError:
        return True
