"""COMPAS assemblies in JSON, as compas_assembly and compas_cra write them: blocks are meshes where they lie.

COMPAS names no unit; its assemblies are in metres, and `--unit` says what else. Supports (`is_support`) are fixed. An
assembly without any stands on a table under its lowest block. Of interfaces nothing is read: contacts are found anew.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from teeter.models.mesh_files import cut_alike
from teeter.models.piece import Ints
from teeter.scenes.formats.description import BodyPart, Described, FormatError, RigidBody, check_count
from teeter.scenes.formats.xml import MAX_BYTES

SMALLEST, LARGEST = 1e-3, 100.0
"""Metres, of the longest side: beyond them the unit is asked for."""


def read(path: Path, file: str, unit: float | None = None) -> Described:
    """Raises FormatError. unit: metres."""
    if path.stat().st_size > MAX_BYTES:
        raise FormatError.of(file, f"has more than {MAX_BYTES / 1e6:.0f} MB")
    try:
        document = json.loads(path.read_bytes().decode("utf-8-sig"))
        assembly = _content(document)
        nodes = _nodes(assembly)
        name = str(assembly.get("attributes", {}).get("name") or assembly.get("name") or "")
        check_count(len(nodes), file, "blocks")
        bodies = [_body(str(key), node, unit or 1.0) for key, node in nodes.items()]
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:
        raise FormatError.of(file, f"is not valid JSON, or a number in it is none: {error}") from None
    except (LookupError, TypeError, AttributeError):
        problem = (
            "is no COMPAS assembly, the one kind of JSON that is read: write it with compas.json_dump(assembly, ...), "
            "or export the blocks as .glb or .obj"
        )
        raise FormatError.of(file, problem) from None
    if unit is None and bodies:
        _check_size(bodies, file)
    has_supports = any(body.fixed for body in bodies)
    return Described(name, bodies, has_table=not has_supports, lowest=True)


def _nodes(assembly: Any) -> dict[str, Any]:
    """The blocks by their keys, each with what is said of it; before COMPAS 1 they stood beside the graph."""
    if "blocks" in assembly and "assembly" in assembly:
        said = assembly["assembly"]["vertex"]
        return {key: {**said[key], "block": block} for key, block in assembly["blocks"].items()}
    nodes: dict[str, Any] = _content(assembly["graph"])["node"]
    return nodes


def _content(value: Any) -> Any:
    """The data of an object, as COMPAS 1 (`value`) and 2 (`data`) wrap it."""
    if "dtype" not in value:
        return value
    return value["data"] if "data" in value else value["value"]


def _body(key: str, node: dict[str, Any], unit: float) -> RigidBody:
    mesh = _content(node["block"])
    label = str(node["block"].get("name") or mesh.get("attributes", {}).get("name") or "")
    label = "" if label in ("Box", "Block", "Mesh") else label
    index = {vertex: at for at, vertex in enumerate(mesh["vertex"])}
    points = [[float(corner.get(axis, 0.0)) for axis in "xyz"] for corner in mesh["vertex"].values()]
    vertices = np.array(points).reshape(-1, 3) * unit
    faces = [np.array([index[str(corner)] for corner in face]) for face in mesh["face"].values()]
    triangles, _ = cut_alike(faces, vertices)
    part = BodyPart(np.eye(4), None, vertices, _outward(vertices, triangles))
    is_fixed = node.get("is_support") is True or mesh.get("attributes", {}).get("is_support") is True
    return RigidBody(label or f"block.{key}", np.eye(4), [part], is_fixed)


def _outward(vertices: Any, faces: Ints) -> Ints:
    corners = vertices[faces] - vertices.mean(axis=0)
    volume = np.einsum("fd,fd->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    return faces[:, ::-1] if volume < 0 else faces


def _check_size(bodies: list[RigidBody], file: str) -> None:
    points = np.concatenate([body.parts[0].vertices for body in bodies if body.parts[0].vertices is not None])
    size = float(np.ptp(points, axis=0).max())
    if not SMALLEST <= size <= LARGEST:
        problem = (
            f"is {size:.4g} m in size, read in metres, and COMPAS names no unit: give --unit mm, cm, m or in"
        )
        raise FormatError.of(file, problem)
