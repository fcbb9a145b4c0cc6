"""Scanned meshes made regular: planes, spheres, cylinders and cones that fit their points within a tolerance.

A mesh falls into patches at its sharp edges. A patch becomes the simplest surface that fits all of it, or is grown
into planes, or stays as it is. Planes of several pieces that touch become one. Then every corner moves onto the
surfaces that meet in it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.optimize import least_squares

from teeter.models.convex import mesh_of
from teeter.models.hulls import groups_of
from teeter.models.piece import MM, Array, Flags, Ints
from teeter.models.surface import HalfEdgeMesh, angles_between, half_edges_of

# radians; a turn that a scanner's error does not make
SHARP = np.radians(40)
# part of a patch's area below which a plane grown in it is chance, not a face
SMALLEST_PLANE = 0.25
# times the tolerance: the root mean square of distances, a little more than it for few points; how far single points
# may be off, the tail of a scanner's error; how far touching faces may be apart
SPREAD, FARTHEST, APART = 1.25, 5.0, 2.0
# cosine of the turn between touching faces of two pieces that are taken for one plane
OPPOSITE = float(np.cos(np.radians(15)))
# singular values of the normals in a corner below this part of the largest belong to faces that are almost one plane
ALMOST_ONE = 0.1
STEPS = 8
# metres
SAME_PLACE = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A plane, sphere, cylinder or cone. point: on it, its centre, on its axis, or its apex. axis: (3,) unit."""

    kind: Literal["plane", "sphere", "cylinder", "cone"]
    point: Array
    axis: Array
    radius: float = 0.0
    half_angle: float = 0.0

    def distance(self, points: Array) -> tuple[Array, Array]:
        """Signed distances (n,) of points (n, 3), and the directions (n, 3) in which they grow."""
        offset = points - self.point
        along = offset @ self.axis
        if self.kind == "plane":
            return along, np.broadcast_to(self.axis, points.shape)
        if self.kind == "sphere":
            along = np.zeros(len(points))
        beside = offset - along[:, None] * self.axis
        length = np.linalg.norm(beside, axis=1)
        outward = beside / np.maximum(length, 1e-12)[:, None]
        if self.kind == "cone":
            sine, cosine = np.sin(self.half_angle), np.cos(self.half_angle)
            return length * cosine - along * sine, outward * cosine - sine * self.axis
        return length - self.radius, outward


@dataclass(slots=True, eq=False)
class _Scan:
    """A mesh, what its faces were found to be (-1: left alone), and those surfaces."""

    mesh: HalfEdgeMesh
    label: Ints
    found: list[Fitted]

    def points(self, number: int) -> Array:
        return np.asarray(self.mesh.vertices[np.unique(self.mesh.faces[self.label == number])])


def fit_meshes(
    meshes: Sequence[tuple[Array, Ints]], tolerance: float, ground: float | None
) -> list[tuple[Array, Ints, str]]:
    """Closed meshes with their corners moved onto the surfaces that fit, and what was done to each, in words.

    meshes: metres, in the world. tolerance: metres. ground: the height of the table, to which faces near it go. Corners
    that nothing needs any more are left out.
    """
    scans = [_scanned(half_edges_of(*mesh), tolerance) for mesh in meshes]
    _join_planes(scans, tolerance, ground)
    results = []
    for scan in scans:
        moved = _moved(scan)
        apart = np.linalg.norm(moved - scan.mesh.vertices, axis=1) / MM
        counts = Counter(one.kind for one in scan.found)
        what = ", ".join(f"{count} {kind}" + "s" * (count > 1) for kind, count in counts.items())
        far = f"moved by up to {apart.max():.3f} mm, {apart.mean():.3f} on average"
        results.append((*_simplified(moved, scan.mesh.faces), f"{what or 'nothing fits'}; {far}"))
    return results


def _simplified(vertices: Array, faces: Ints) -> tuple[Array, Ints]:
    from manifold3d import Manifold, Mesh64

    solid = Manifold(Mesh64(vertices, faces.astype(np.uint64))).simplify(SAME_PLACE)
    return (vertices, faces) if solid.is_empty() else mesh_of(solid)


def _scanned(mesh: HalfEdgeMesh, tolerance: float) -> _Scan:
    face, other = np.arange(3 * len(mesh.faces)) // 3, mesh.twin // 3
    smooth = angles_between(mesh.normals[face], mesh.normals[other]) < SHARP
    patch = groups_of(len(mesh.faces), face[smooth], other[smooth])
    scan = _Scan(mesh, np.full(len(mesh.faces), -1, dtype=np.int64), [])
    for number in range(int(patch.max()) + 1):
        mine = patch == number
        points = mesh.vertices[np.unique(mesh.faces[mine])]
        for fit in (_plane, _sphere, _cylinder, _cone):
            one = fit(
                points, mesh.vertices[mesh.faces[mine]].mean(axis=1), mesh.normals[mine], mesh.areas[mine]
            )
            if one is not None and _fits(one, points, tolerance):
                scan.label[mine] = len(scan.found)
                scan.found.append(one)
                break
        else:
            _grow_planes(scan, mine, smooth, tolerance)
    return scan


def _fits(one: Fitted, points: Array, tolerance: float) -> bool:
    aside = np.abs(one.distance(points)[0])
    return bool(aside.max() <= FARTHEST * tolerance and np.sqrt(np.mean(aside**2)) <= SPREAD * tolerance)


def _plane(points: Array, places: Array, normals: Array, areas: Array) -> Fitted | None:
    middle = points.mean(axis=0)
    axis = np.linalg.svd(points - middle, full_matrices=False)[2][2]
    outward = float(axis @ (areas @ normals))
    # what bends round by more than a right angle is none
    return (
        Fitted("plane", middle, np.copysign(1.0, outward) * axis)
        if (normals @ axis * outward).min() > 0
        else None
    )


def _sphere(points: Array, places: Array, normals: Array, areas: Array) -> Fitted | None:
    if len(points) < 10:
        return None
    middle = points.mean(axis=0)
    local = points - middle
    solution = np.linalg.lstsq(np.c_[2 * local, np.ones(len(local))], (local**2).sum(axis=1), rcond=None)[0]
    square = float(solution[3] + solution[:3] @ solution[:3])
    return Fitted("sphere", middle + solution[:3], np.array([0.0, 0.0, 1.0]), np.sqrt(max(square, 0.0)))


def _cylinder(points: Array, places: Array, normals: Array, areas: Array) -> Fitted | None:
    if len(points) < 10:
        return None
    axis = np.linalg.eigh((normals * areas[:, None]).T @ normals)[1][:, 0]
    u, v = _across(axis)
    flat = np.stack([points @ u, points @ v], axis=1)
    solution = np.linalg.lstsq(np.c_[2 * flat, np.ones(len(flat))], (flat**2).sum(axis=1), rcond=None)[0]
    radius = float(np.sqrt(max(solution[2] + solution[:2] @ solution[:2], 0.0)))
    return _refined(Fitted("cylinder", solution[0] * u + solution[1] * v, axis, radius), points)


def _cone(points: Array, places: Array, normals: Array, areas: Array) -> Fitted | None:
    if len(points) < 10:
        return None
    mean = areas @ normals / areas.sum()
    spread = normals - mean
    axis = np.linalg.eigh((spread * areas[:, None]).T @ spread)[1][:, 0]
    # the tangent planes of a cone all go through its apex
    apex = np.linalg.lstsq(normals, (normals * places).sum(axis=1), rcond=None)[0]
    axis = np.copysign(1.0, (points.mean(axis=0) - apex) @ axis) * axis
    return _refined(
        Fitted("cone", apex, axis, half_angle=float(np.arcsin(min(abs(mean @ axis), 1.0)))), points
    )


def _refined(start: Fitted, points: Array) -> Fitted:
    """The same surface with its numbers fitted by least squares."""
    u, v = _across(start.axis)
    size = float(np.ptp(points, axis=0).max())

    def at(x: Array) -> Fitted:
        axis = start.axis + x[0] * u + x[1] * v
        point = start.point + size * (x[2] * u + x[3] * v + x[5] * start.axis)
        return replace(
            start,
            point=point,
            axis=axis / np.linalg.norm(axis),
            radius=start.radius + size * x[4],
            half_angle=start.half_angle + x[4],
        )

    def misses(x: Array) -> Array:
        return at(x).distance(points)[0] / size

    return at(least_squares(misses, np.zeros(6), max_nfev=30).x)


def _across(axis: Array) -> tuple[Array, Array]:
    u = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    u /= np.linalg.norm(u)
    return u, np.cross(axis, u)


def _grow_planes(scan: _Scan, mine: Flags, smooth: Flags, tolerance: float) -> None:
    """Find planes in a patch that is no surface as a whole; what is left stays as it is."""
    mesh = scan.mesh
    least = SMALLEST_PLANE * mesh.areas[mine].sum()
    left = mine.copy()
    for seed in np.argsort(-mesh.areas, kind="stable")[: mine.size].tolist():
        if mesh.areas[left].sum() < least:
            return
        if not left[seed]:
            continue
        region = np.zeros_like(left)
        region[seed] = True
        plane = None
        for _ in range(STEPS):
            points = mesh.vertices[np.unique(mesh.faces[region])]
            plane = _plane(points, points, mesh.normals[region], mesh.areas[region])
            if plane is None:
                break
            near = np.abs(plane.distance(mesh.vertices)[0])[mesh.faces].max(axis=1) <= tolerance
            near &= left & (mesh.normals @ plane.axis > np.cos(SHARP))
            grown = _connected(mesh, near, smooth, seed)
            if (grown == region).all():
                break
            region = grown
        if plane is not None and mesh.areas[region].sum() >= least:
            scan.label[region] = len(scan.found)
            scan.found.append(plane)
        left[region] = False
        left[seed] = False


def _connected(mesh: HalfEdgeMesh, chosen: Flags, smooth: Flags, seed: int) -> Flags:
    face, other = np.arange(3 * len(mesh.faces)) // 3, mesh.twin // 3
    keep = smooth & chosen[face] & chosen[other]
    group = groups_of(len(mesh.faces), face[keep], other[keep])
    return np.asarray(group == group[seed])


def _join_planes(scans: list[_Scan], tolerance: float, ground: float | None) -> None:
    """Make planes of different pieces that touch each other, and those on the table, one."""
    planes = [
        (k, i) for k, scan in enumerate(scans) for i, one in enumerate(scan.found) if one.kind == "plane"
    ]
    points = [scans[k].points(i) for k, i in planes]
    if not planes:
        return
    room = APART * tolerance
    lows = np.array([some.min(axis=0) for some in points])
    highs = np.array([some.max(axis=0) for some in points])
    normals = np.array([scans[k].found[i].axis for k, i in planes])
    middles = np.array([scans[k].found[i].point for k, i in planes])
    piece = np.array([k for k, _ in planes])
    links: list[tuple[int, int]] = []
    for a in range(len(planes)):
        low, high = np.maximum(lows, lows[a]) - room, np.minimum(highs, highs[a]) + room
        turn = angles_between(-normals, np.broadcast_to(normals[a], normals.shape))
        size = np.minimum(np.ptp(points[a], axis=0).max(), (highs - lows).max(axis=1))
        beside = np.flatnonzero(
            (piece > piece[a])
            & (low <= high).all(axis=1)
            & (turn < np.arccos(OPPOSITE))
            & (turn * size < 2 * FARTHEST * tolerance)
        )
        where = (low + high)[beside] / 2
        gap = ((where - middles[a]) @ normals[a]) + ((where - middles[beside]) * normals[beside]).sum(axis=1)
        # faces that only meet along an edge are no contact
        wide = np.sort((high - low)[beside] - 2 * room, axis=1)[:, 1] > room
        links += [(a, int(b)) for b in beside[(np.abs(gap) <= room) & wide]]
    ends = np.array(links, dtype=np.int64).reshape(-1, 2)
    group = groups_of(len(planes), *ends.T)
    for number in range(int(group.max()) + 1):
        members = np.flatnonzero(group == number)
        every = np.concatenate([points[m] for m in members])
        middle, axis = every.mean(axis=0), normals[members[0]]
        if len(members) > 1:
            axis = np.linalg.svd(every - middle, full_matrices=False)[2][2]
        if ground is not None and abs(middle[2] - ground) <= room and abs(axis[2]) > OPPOSITE:
            middle, axis = np.array([0.0, 0.0, ground]), np.array([0.0, 0.0, 1.0])
        for m in members:
            one = Fitted("plane", middle, np.copysign(1.0, axis @ normals[m]) * axis)
            if np.abs(one.distance(points[m])[0]).max() <= FARTHEST * tolerance:
                k, i = planes[m]
                scans[k].found[i] = one


def _moved(scan: _Scan) -> Array:
    """The corners, each on all surfaces that meet in it, by the shortest way."""
    mesh, moved = scan.mesh, scan.mesh.vertices.copy()
    meets = np.zeros((len(moved), len(scan.found)), dtype=bool)
    for corner in range(3):
        known = scan.label >= 0
        meets[mesh.faces[known, corner], scan.label[known]] = True
    for number, one in enumerate(scan.found):
        mine = np.flatnonzero(meets[:, number] & (meets.sum(axis=1) == 1))
        for _ in range(STEPS):
            distance, outward = one.distance(moved[mine])
            moved[mine] -= distance[:, None] * outward
    for vertex in np.flatnonzero(meets.sum(axis=1) > 1).tolist():
        several = [scan.found[number] for number in np.flatnonzero(meets[vertex])]
        for _ in range(STEPS):
            pairs = [one.distance(moved[vertex : vertex + 1]) for one in several]
            normals = np.array([outward[0] for _, outward in pairs])
            distances = np.array([distance[0] for distance, _ in pairs])
            moved[vertex] -= np.linalg.pinv(normals, rcond=ALMOST_ONE) @ distances
    return moved
