"""The solids that SDF knows: boxes, balls, cylinders, prisms, and meshes or parts of them."""

from collections.abc import Iterable
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from teeter.models.piece import Array
from teeter.scenes.assemble import MM
from teeter.scenes.formats.description import BodyPart, FormatError, capsule, placed
from teeter.scenes.formats.urdf import Meshes, mesh_parts
from teeter.scenes.formats.xml import beside, numbers


def true(text: str | None) -> bool:
    """Returns whether an element says so."""
    return (text or "").strip().lower() in ("1", "true")


def solids_of(
    solid: Element, at: Array, folder: Path, file: str, place: str, meshes: Meshes
) -> list[BodyPart] | None:
    """Returns the solids of a <collision>; None for a plane. Raises FormatError."""
    geometry = solid.find("geometry")
    if geometry is None or not len(geometry):
        return []
    form = geometry[0]

    def of(key: str, count: int, default: Iterable[float]) -> list[float]:
        return numbers(form.findtext(key), count, tuple(default), file, place)

    if form.tag == "plane":
        return None
    if form.tag == "empty":
        return []
    if form.tag == "box":
        return [BodyPart(at, {"box": [side / MM for side in of("size", 3, (1, 1, 1))]})]
    if form.tag == "sphere":
        return [BodyPart(at, {"sphere": of("radius", 1, (1,))[0] / MM})]
    if form.tag in ("cylinder", "capsule"):
        radius, length = of("radius", 1, (1,))[0], of("length", 1, (1,))[0]
        round_ends = capsule(radius, length)
        return [
            BodyPart(at, round_ends if form.tag == "capsule" else {"cylinder": [radius / MM, length / MM]})
        ]
    if form.tag == "polyline" and len(form.findall("point")) >= 3:
        points = [numbers(e.text, 2, (0, 0), file, place) for e in form.findall("point")]
        return [_extruded(np.array(points), of("height", 1, (1,))[0], at)]
    if form.tag == "mesh":
        mesh = beside(folder, (form.findtext("uri") or "").strip(), file)
        only = (form.findtext("submesh/name") or "").strip()
        is_centred = true(form.findtext("submesh/center"))
        scale = of("scale", 3, (1, 1, 1))
        return mesh_parts(mesh, scale, at, file, place, meshes, only, is_centred)
    raise FormatError.of(file, f"has a <{form.tag[:40]}>, which no piece can be: use a mesh", place)


def _extruded(points: Array, height: float, at: Array) -> BodyPart:
    """A prism that stands on its polygon's plane."""
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    corners = ((points - middle) / MM).tolist()
    return BodyPart(at @ placed((*middle, height / 2)), {"prism": {"points": corners, "height": height / MM}})
