"""A verdict as a COMPAS assembly in JSON, as compas_assembly reads it: blocks where they lie, and their interfaces with
the forces at each corner. Metres and newtons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from teeter.engine.topple.contact.patches import axes_across
from teeter.engine.world.body import TABLE, Body
from teeter.games.api.data import contacts, interfaces
from teeter.scenes.formats.write import sharp

if TYPE_CHECKING:
    from teeter.engine.topple.verdict import Verdict

GROUND = "ground"
"""What the table is called: a scene that reads the file keeps `table` for its own."""


def assembly_of(verdict: Verdict) -> dict[str, Any]:
    """Returns the assembly. An edge goes from the second piece of an interface to the first: the frame's z points
    that way, and the forces are those on the first. They are left out where statics has none."""
    bodies = verdict.judged.bodies
    number = {body.name: str(at) for at, body in enumerate(bodies)}
    edges: dict[str, dict[str, Any]] = {}
    points, faces = contacts(verdict), interfaces(verdict)
    for row, (first, second) in enumerate(zip(faces["first"], faces["second"], strict=True)):
        corners = {name: column[points["interface"] == row] for name, column in points.items()}
        ends = edges.setdefault(number[second], {}).setdefault(number[first], {"interfaces": []})
        ends["interfaces"].append(_interface(corners, float(faces["area_mm2"][row]) * 1e-6))
    graph = {
        "attributes": {},
        "default_node_attributes": {"x": 0.0, "y": 0.0, "z": 0.0, "block": None, "is_support": False},
        "default_edge_attributes": {"interfaces": None},
        "node": {number[body.name]: {"block": _block(body), "is_support": body.fixed} for body in bodies},
        "edge": edges,
        "max_node": len(bodies) - 1,
    }
    data = {"attributes": {"name": verdict.scene}, "graph": _object("compas.datastructures/Graph", graph)}
    return _object("compas_assembly.datastructures/Assembly", data)


def _object(kind: str, data: Any) -> dict[str, Any]:
    return {"dtype": kind, "data": data}


def _interface(corners: dict[str, Any], area: float) -> dict[str, Any]:
    places, forces, normals = (
        np.column_stack([corners[name] for name in names])
        for names in (("x_mm", "y_mm", "z_mm"), ("fx_n", "fy_n", "fz_n"), ("nx", "ny", "nz"))
    )
    places, normal = places * 1e-3, normals[0]
    u, v = (axis[0] for axis in axes_across(normals[:1]))
    known = bool(np.isfinite(forces).all())
    parts = [{"c_np": f @ normal, "c_nn": 0.0, "c_u": f @ u, "c_v": f @ v} for f in forces]
    data = {
        "points": places.tolist(),
        "size": area,
        "frame": _object(
            "compas.geometry/Frame",
            {"point": places.mean(axis=0).tolist(), "xaxis": u.tolist(), "yaxis": v.tolist()},
        ),
        "forces": [{name: float(value) for name, value in part.items()} for part in parts] if known else None,
        "mesh": None,
    }
    return _object("compas_assembly.datastructures/Interface", data)


def _block(body: Body) -> dict[str, Any]:
    mesh = sharp(body).visual
    places = np.asarray(mesh.vertices) @ body.pose.matrix.T + body.pose.position
    data = {
        "attributes": {},
        "default_vertex_attributes": {"x": 0.0, "y": 0.0, "z": 0.0},
        "default_edge_attributes": {},
        "default_face_attributes": {},
        "vertex": {str(at): dict(zip("xyz", place, strict=True)) for at, place in enumerate(places.tolist())},
        "face": {str(at): corners for at, corners in enumerate(np.asarray(mesh.faces).tolist())},
        "facedata": {},
        "edgedata": {},
        "max_vertex": len(places) - 1,
        "max_face": len(mesh.faces) - 1,
    }
    name = GROUND if body.name == TABLE else body.name
    return {**_object("compas_assembly.datastructures/Block", data), "name": name}
