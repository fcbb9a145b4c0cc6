"""Writing glTF 2.0 binary files, for other people's viewers: pieces, and the builder that recordings use too.

glTF is in metres and Y-up; teeter's Z-up is turned about x. The file of a piece holds one node, named by the model,
with one mesh and one material of physically based shading.
"""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teeter.models.errors import ModelError
from teeter.models.files import whole_or_nothing
from teeter.models.hulls import alike_rows
from teeter.models.piece import Array, Ints, Piece

# from our axes, Z up, to glTF's, Y up
Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
_ROUGHNESS = {"natural": 0.6, "painted": 0.3, "matte": 0.95}
# numbers the glTF 2.0 specification gives to types and targets
COMPONENTS = {"<f4": 5126, "<i2": 5122, "<u2": 5123, "<u4": 5125}
_ARRAY, _ELEMENTS = 34962, 34963
_MAGIC, _VERSION, _JSON, _BINARY = 0x46546C67, 2, 0x4E4F534A, 0x004E4942

TILE_M = 0.12
"""Metres of wood that a picture of its grain shows along each side."""
CREASE = np.radians(30.0)
"""Faces that meet at a smaller turn are shaded as one curve: a circle of 13 sides or more looks round."""
# a corner where more faces meet than this is not worth the quadratic number of pairs; its faces look flat
MAX_FACES_AT_CORNER = 600


def corner_normals(vertices: Array, faces: Ints) -> Array:
    """(f, 3, 3) unit normals at the corners of the faces, for shading.

    Each is the mean of the face normals around the corner that turn less than `CREASE` from its own
    face, weighted by area, so that broad flat faces stay flat and narrow bevels carry the bend.
    """
    corners = vertices[faces]
    doubled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(doubled, axis=1)
    unit = doubled / np.maximum(area, np.finfo(float).tiny)[:, None]
    span = max(float(np.ptp(vertices, axis=0).max()), np.finfo(float).tiny)
    # meshes come with a corner of their own for every face, so corners are told by their place
    flat = alike_rows(np.round(vertices / span, 7))[1][faces].reshape(-1)
    order = np.argsort(flat, kind="stable")
    counts = np.bincount(flat)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    total = np.repeat(unit, 3, axis=0)
    for size in np.unique(counts[(counts > 1) & (counts <= MAX_FACES_AT_CORNER)]):
        chunk = max(1, 4_000_000 // int(size * size))
        chosen = starts[counts == size]
        for begin in range(0, len(chosen), chunk):
            members = order[chosen[begin : begin + chunk, None] + np.arange(size)]
            own = unit[members // 3]
            near = np.einsum("cid,cjd->cij", own, own) > np.cos(CREASE)
            total[members] = np.einsum("cij,cjd->cid", near, doubled[members // 3])
    length = np.linalg.norm(total, axis=1)
    good = length > np.finfo(float).tiny
    total[good] /= length[good, None]
    total[~good] = (0.0, 0.0, 1.0)
    return np.asarray(total.reshape(-1, 3, 3))


@dataclass(frozen=True, slots=True, eq=False)
class Skin:
    """Triangles with shared corners. points, normals: (n, 3) float32; triangles: (f, 3) rows of them."""

    points: NDArray[np.float32]
    normals: NDArray[np.float32]
    triangles: NDArray[np.uint32]


def skin_of(piece: Piece) -> Skin:
    """The visual mesh of a piece, in the piece frame, corners with the same place and normal shared."""
    faces = np.asarray(piece.visual.faces, dtype=np.int64)
    points = np.asarray(piece.visual.vertices, dtype=np.float64)
    normals = corner_normals(points, faces)
    rows = np.concatenate([points[faces].reshape(-1, 3), normals.reshape(-1, 3)], axis=1)
    # equal up to a rounding that nobody sees
    scale = np.repeat([1 / max(float(np.ptp(points, axis=0).max()), 1e-12), 1.0], 3)
    first, inverse = alike_rows(np.round(rows * scale, 6))
    kept = rows[first].astype(np.float32)
    return Skin(
        np.ascontiguousarray(kept[:, :3]),
        np.ascontiguousarray(kept[:, 3:]),
        inverse.reshape(-1, 3).astype(np.uint32),
    )


def export_glb(piece: Piece, path: Path | str, *, force: bool = False) -> None:
    """Write a piece as `.glb`. force: a file that is there may be replaced. Raises ModelError for another ending,
    OutputError for a file that cannot be written."""
    path = Path(path)
    if path.suffix.lower() != ".glb":
        raise ModelError(f'{path}: models are exported as .glb (got "{path.suffix}")')
    with whole_or_nothing(path, force=force) as part:
        part.write_bytes(glb_of(piece))


def glb_of(piece: Piece) -> bytes:
    """Returns the bytes of the `.glb` file of a piece."""
    writer = GltfWriter()
    extras = {"mass_kg": piece.mass, "material": piece.material.name}
    node = {"name": piece.model, "mesh": writer.mesh(piece, Y_UP), "extras": extras}
    return writer.finish([node])


@dataclass(slots=True)
class GltfWriter:
    """Builds a `.glb` file: collects blobs of numbers and the tables that point to them."""

    blobs: list[bytes] = field(default_factory=list)
    size: int = 0
    views: list[dict[str, Any]] = field(default_factory=list)
    accessors: list[dict[str, Any]] = field(default_factory=list)
    meshes: list[dict[str, Any]] = field(default_factory=list)
    materials: list[dict[str, Any]] = field(default_factory=list)
    images: list[dict[str, Any]] = field(default_factory=list)

    def put(self, values: NDArray[Any], kind: str, **more: Any) -> int:
        """Stores values and returns the number of their accessor. kind: `SCALAR`, `VEC3` or `VEC4`.

        more: keys of the accessor, and `target` of the view.
        """
        target = more.pop("target", None)
        accessor = {
            "bufferView": self._view(values.tobytes(), **({} if target is None else {"target": target})),
            "componentType": COMPONENTS[values.dtype.str],
            "count": len(values),
            "type": kind,
        }
        self.accessors.append(accessor | more)
        return len(self.accessors) - 1

    def _view(self, blob: bytes, **more: Any) -> int:
        self.views.append({"buffer": 0, "byteOffset": self.size, "byteLength": len(blob), **more})
        # views stay aligned to four bytes
        self.blobs.append(blob + b"\0" * (-len(blob) % 4))
        self.size += len(self.blobs[-1])
        return len(self.views) - 1

    def picture(self, png: bytes) -> int:
        """Stores a picture that repeats itself, and returns the number of its texture."""
        self.images.append({"bufferView": self._view(png), "mimeType": "image/png"})
        return len(self.images) - 1

    def mesh(self, piece: Piece, axes: Array | None = None, *, grain: int | None = None) -> int:
        """Stores the shape and the material of a piece and returns the mesh's number. axes: (3, 3), to turn it by.
        grain: the texture of what is of bare wood; it, and whatever else one paints, is laid on from six sides."""
        skin, texture = skin_of(piece), grain if is_bare(piece) else None
        if grain is not None:
            skin = _unfolded(skin)
        points, normals = skin.points, skin.normals
        if axes is not None:
            points, normals = (points @ axes.T).astype("<f4"), (normals @ axes.T).astype("<f4")
        # rounding to 24 bits leaves normals a little off; the format wants unit length
        normals = normals / np.linalg.norm(normals, axis=1, keepdims=True)
        is_small = len(points) < 65_535
        indices = skin.triangles.reshape(-1).astype("<u2" if is_small else "<u4")
        limits = {"min": points.min(axis=0).tolist(), "max": points.max(axis=0).tolist()}
        primitive: dict[str, Any] = {
            "attributes": {
                "POSITION": self.put(points.astype("<f4"), "VEC3", target=_ARRAY, **limits),
                "NORMAL": self.put(normals.astype("<f4"), "VEC3", target=_ARRAY),
            },
            "indices": self.put(indices, "SCALAR", target=_ELEMENTS),
            "material": self._material(piece, texture),
            "mode": 4,
        }
        if grain is not None:
            primitive["attributes"]["TEXCOORD_0"] = self.put(_laid_on(skin, piece), "VEC2", target=_ARRAY)
        self.meshes.append({"name": piece.model or "piece", "primitives": [primitive]})
        return len(self.meshes) - 1

    def _material(self, piece: Piece, texture: int | None) -> int:
        material = material_of(piece)
        if texture is not None:
            material["pbrMetallicRoughness"]["baseColorTexture"] = {"index": texture}
        if material not in self.materials:
            self.materials.append(material)
        return self.materials.index(material)

    def finish(
        self,
        nodes: list[dict[str, Any]],
        name: str = "",
        animation: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> bytes:
        """Returns the whole file. nodes: the first is the root of the scene. more: other tables of the document."""
        document: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "teeter"},
            "scene": 0,
            "scenes": [({"name": name} if name else {}) | {"nodes": [0]}],
            "nodes": nodes,
            "meshes": self.meshes,
            "materials": self.materials,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": self.size}],
            **more,
        }
        if animation is not None:
            document["animations"] = [animation]
        if self.images:
            document["images"] = self.images
            document["textures"] = [{"source": number} for number in range(len(self.images))]
        return _packed(document, b"".join(self.blobs))


def is_bare(piece: Piece) -> bool:
    """Whether the grain of a piece's wood is seen: it has its material's own colour and finish."""
    return piece.colour is None and piece.material.finish == "natural"


def _unfolded(skin: Skin) -> Skin:
    """The same with corners of their own for every triangle: each is seen from one side."""
    corners = skin.triangles.reshape(-1)
    order = np.arange(len(corners), dtype=np.uint32).reshape(-1, 3)
    return Skin(skin.points[corners], skin.normals[corners], order)


def _laid_on(skin: Skin, piece: Piece) -> NDArray[np.float32]:
    """Places (n, 2) in the texture, in tiles: from the side that a triangle faces most, the grain along the piece."""
    triangles = skin.points.reshape(-1, 3, 3).astype(np.float64)
    across = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    seen, along = np.abs(across).argmax(axis=1), int(np.argmax(piece.extents))
    sides = [
        sorted((axis for axis in range(3) if axis != side), key=lambda axis: axis != along)
        for side in range(3)
    ]
    chosen = np.repeat(np.array(sides)[seen], 3, axis=0)
    return np.asarray(np.take_along_axis(skin.points, chosen, axis=1) / TILE_M, dtype="<f4")


def material_of(piece: Piece) -> dict[str, Any]:
    """The glTF material of a piece: base colour in linear light, no metal, roughness by its finish."""
    colour = piece.colour or piece.material.colour
    is_painted = piece.colour is not None and piece.material.finish == "natural"
    finish = "painted" if is_painted else piece.material.finish
    values = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]
    shading = {
        "baseColorFactor": [round(value, 6) for value in linear] + [1.0],
        "metallicFactor": 0.0,
        "roughnessFactor": _ROUGHNESS[finish],
    }
    return {"name": f"{piece.material.name or 'material'} {colour}", "pbrMetallicRoughness": shading}


def _packed(document: dict[str, Any], binary: bytes) -> bytes:
    """Returns a `.glb` file of a glTF document and its buffer; chunks are padded to four bytes."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    chunks = struct.pack("<II", len(text), _JSON) + text + struct.pack("<II", len(binary), _BINARY) + binary
    return struct.pack("<III", _MAGIC, _VERSION, 12 + len(chunks)) + chunks
