"""Edge anti-aliasing without multisampling: strips over visible edges average the picture along them.

After Persson, "Geometric post-process anti-aliasing" (2011), which takes edges from the geometry, too. Only pixels
beside an edge cost anything; four samples for all of them double the cost where a processor computes them. Edges are
silhouettes and creases of the facets of pieces.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d import core

from teeter.engine.geometry.rotation import matrices_of
from teeter.engine.view.camera import Camera, Vector
from teeter.engine.view.frame import Frame
from teeter.engine.view.render.bounds import WHOLE, ScreenRect
from teeter.engine.view.render.device import Device
from teeter.engine.view.render.passes import confine, covering
from teeter.engine.view.render.resources import Triangles, geom_of, shader, unculled
from teeter.engine.world.body import Body
from teeter.models.hulls import alike_rows
from teeter.models.piece import Array, Piece, Surface

Floats = NDArray[np.float32]

SMOOTH_COSINE = float(np.cos(np.radians(16.0)))
"""Between facets of a curve: they meet in no crease, and are seen as an edge at the silhouette only."""
SAME_POINT_M = 1e-7
"""Corners of facets closer than this are the same."""
TAPS = 4
BAND_PX = 1.15
"""To either side of an edge that is smoothed."""
MAX_STEP_PX, MAX_STEP_CURVED_PX = 8.0, 2.5
"""Half a step of the stairs of an edge, at most; of a part of a curve, which may reach beyond its ends as far."""
MIN_EDGE_PX, MIN_EDGE_CURVED_PX = 1.5, 0.2
"""Shorter edges are left as they are; the same for a part of a curve."""
DEPTH_TOLERANCE_M = 0.0015
"""How far an edge may lie behind what is drawn there: edges are rounded, and surfaces slope away from them."""


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Straight lines in the world. ends: (n, 2, 3) metres. curved: (n,) whether each is a part of a curve."""

    ends: Array
    curved: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """The edges of one or more solids.

    ends: (e, 2, 3) metres. beside: (e, 2) the facets that meet there. sharp: (e,) creases, visible when either facet
    is; others are visible when one facet is and the other is not. curved: (e,) sides of a polygon that stands for a
    curve. normals: (f, 3) of the facets, outward. offsets: (f,) metres, of their planes along the normals. edge_body,
    facet_body: indices of the bodies.
    """

    ends: Floats
    beside: NDArray[np.int64]
    sharp: NDArray[np.bool_]
    curved: NDArray[np.bool_]
    normals: Floats
    offsets: Floats
    edge_body: NDArray[np.int64]
    facet_body: NDArray[np.int64]

    def seen(self, positions: Array, rotations: Array, eye: Array) -> Lines:
        """Returns the edges that face an eye, hidden ones included.

        positions, rotations: (bodies, 3) and (bodies, 3, 3), NaN where absent.
        """
        local = np.einsum("bji,bj->bi", rotations, eye - positions).astype(np.float32)
        # what is absent faces no eye
        faces = np.einsum("fi,fi->f", self.normals, local[self.facet_body]) > self.offsets
        first, second = faces[self.beside[:, 0]], faces[self.beside[:, 1]]
        shown = np.flatnonzero((first ^ second) | (self.sharp & first))
        bodies = self.edge_body[shown]
        world = np.einsum("eij,ekj->eki", rotations[bodies], self.ends[shown].astype(np.float64))
        return Lines(world + positions[bodies, None], self.curved[shown])


def edges_of(surface: Surface) -> Edges:
    """Returns the edges of one solid: where its facets meet."""
    rings = [ring for facet in surface.facets for ring in facet.rings]
    sizes = np.array([len(ring) for ring in rings])
    owners = np.repeat([n for n, facet in enumerate(surface.facets) for _ in facet.rings], sizes)
    points = np.concatenate(rings)
    last = np.cumsum(sizes) - 1
    after = np.arange(1, len(points) + 1)
    after[last] = last - sizes + 1
    steps = np.round((points - points.min(axis=0)) / SAME_POINT_M).astype(np.int64)
    corner = alike_rows(steps)[1]
    low, high = np.minimum(corner, corner[after]), np.maximum(corner, corner[after])
    key = low * (int(corner.max()) + 1) + high
    order = np.argsort(key, kind="stable")
    same = key[order[1:]] == key[order[:-1]]
    met = np.flatnonzero(same)
    one, other = order[met], order[met + 1]
    normals = np.array([facet.normal for facet in surface.facets])
    starts = points[(last - sizes + 1)[np.searchsorted(owners[last], np.arange(len(normals)))]]
    beside = np.stack([owners[one], owners[other]], axis=1)
    cosine = np.einsum("ei,ei->e", normals[beside[:, 0]], normals[beside[:, 1]])
    bent = cosine < 1 - 1e-7
    ends = np.stack([points[one], points[after[one]]], axis=1)
    return Edges(
        ends[bent].astype(np.float32),
        beside[bent],
        (cosine < SMOOTH_COSINE)[bent],
        np.array([facet.curved for facet in surface.facets])[beside].any(axis=1)[bent],
        normals.astype(np.float32),
        np.einsum("fi,fi->f", normals, starts).astype(np.float32),
        np.zeros(int(bent.sum()), dtype=np.int64),
        np.zeros(len(normals), dtype=np.int64),
    )


class VisibleEdges:
    """The edges of the bodies of a stage, posed as in a frame."""

    def __init__(self) -> None:
        self._pieces: dict[str, Piece] = {}
        self._fixed: dict[str, Array] = {}
        self._known: dict[Surface, Edges] = {}
        self._joined: Edges | None = None
        self._frame: Frame | None = None

    def add(self, name: str, piece: Piece) -> None:
        """Adds a body, or another piece for a known one."""
        self._pieces[name] = piece
        self._joined = None

    def fix(self, bodies: Iterable[Body]) -> None:
        """Adds bodies that no frame names."""
        for body in bodies:
            self.add(body.name, body.piece)
            self._fixed[body.name] = np.array([*body.pose.position, *body.pose.orientation])

    def show(self, frame: Frame) -> None:
        """Poses everything as in a frame."""
        self._frame = frame

    def seen(self, eye: Vector) -> Lines:
        """Returns the edges that face an eye, hidden ones included."""
        if self._frame is None:
            return Lines(np.zeros((0, 2, 3)), np.zeros(0, dtype=np.bool_))
        if self._joined is None:
            self._joined = joined([self._edges(piece) for piece in self._pieces.values()])
        rows = self._fixed | dict(zip(self._frame.names, self._frame.poses, strict=True))
        for name in self._frame.airy:
            rows.pop(name, None)
        poses = np.array([rows.get(name, np.full(7, np.nan)) for name in self._pieces])
        return self._joined.seen(poses[:, :3], matrices_of(poses[:, 3:]), np.array(eye))

    def outline(self, name: str, eye: Vector) -> Array:
        """Returns (n, 2, 3): the edges of a body that is shown, as an eye sees it; metres."""
        assert self._frame is not None
        pose = self._frame.poses[self._frame.names.index(name)][None]
        edges = self._edges(self._pieces[name])
        return edges.seen(pose[:, :3], matrices_of(pose[:, 3:]), np.array(eye)).ends

    def _edges(self, piece: Piece) -> Edges:
        if piece.surface not in self._known:
            is_card = piece.face is not None and piece.face.boxes
            self._known[piece.surface] = edges_of(_drawn(piece) if is_card else piece.surface)
        return self._known[piece.surface]


def _drawn(piece: Piece) -> Surface:
    """Returns the surface of a card as it is drawn, with round corners."""
    from teeter.models.surface import surface_of

    return surface_of(piece.visual.vertices, piece.visual.faces)


def joined(parts: list[Edges]) -> Edges:
    """Returns the edges of several bodies, numbered as listed."""
    facets = np.array([len(part.normals) for part in parts])
    edge_body = np.repeat(np.arange(len(parts)), [len(part.ends) for part in parts])
    rows = [(p.ends, p.beside, p.sharp, p.curved, p.normals, p.offsets) for p in parts]
    ends, beside, sharp, curved, normals, offsets = (
        np.concatenate(column) for column in zip(*rows, strict=True)
    )
    beside += (np.cumsum(facets) - facets)[edge_body, None]
    facet_body = np.repeat(np.arange(len(parts)), facets)
    return Edges(ends, beside, sharp, curved, normals, offsets, edge_body, facet_body)


class EdgePass:
    """The finished picture: the drawn one, with smooth edges.

    texture: its colours. size: pixels. below, drawn: the buffer of the drawn picture and the texture of its colours.
    """

    def __init__(
        self, device: Device, size: tuple[int, int], below: Any, drawn: Any, *, to_ram: bool
    ) -> None:
        self._size, self._below = size, below
        deep = device.depths_of(below)
        self.buffer, self.texture = device.onto("smooth", size, below, sort=11)
        if to_ram:
            self.texture = device.read(self.buffer)
        scene = core.NodePath("smooth")
        scene.set_shader_input("u_picture", drawn)
        scene.set_shader_input("u_deep", deep)
        scene.set_shader_input("u_pixel", core.LVecBase2(1 / size[0], 1 / size[1]))
        scene.set_depth_write(False)
        self._copy = covering(shader("picture.vert", "copy.frag"))
        self._copy.set_depth_test(False)
        self._copy.reparent_to(scene)
        self._node = unculled("edges")
        strips = scene.attach_new_node(self._node)
        strips.set_shader(shader("edges.vert", "edges.frag", TAPS=TAPS))
        strips.set_two_sided(True)
        strips.set_bin("fixed", 10)
        # what is in front of the edge stays as it is
        strips.set_attrib(core.DepthTestAttrib.make(core.RenderAttrib.M_less_equal))
        self._camera = scene.attach_new_node(core.Camera("smooth", core.OrthographicLens()))
        self.buffer.make_display_region().set_camera(self._camera)

    def show(self, lines: Lines, camera: Camera, planes: tuple[float, float], changed: ScreenRect) -> None:
        """Smooths these edges. planes: near and far, metres. changed: the part of the picture that is drawn again."""
        confine(self._camera, changed)
        if changed == WHOLE:
            # a part is faster drawn over, the whole faster copied
            self._below.trigger_copy()
            self._copy.hide()
        else:
            self._copy.show()
        self._node.remove_all_geoms()
        triangles = strips(lines, camera, planes, self._size)
        if len(triangles.indices):
            self._node.add_geom(geom_of(triangles))


def strips(lines: Lines, camera: Camera, planes: tuple[float, float], size: tuple[int, int]) -> Triangles:
    """Returns the strips over edges as `edges.vert` takes them. Arguments as in `EdgePass.show`."""
    flat, stored, curved = on_picture(lines, camera, planes, size)
    half = np.array([size[0] / 2, size[1] / 2])
    seen = ((flat.max(axis=1) > -1) & (flat.min(axis=1) < 1)).all(axis=1)
    along = (flat[:, 1] - flat[:, 0]) * half
    major = np.argmax(np.abs(along), axis=1)
    length = np.abs(along).max(axis=1)
    keep = np.flatnonzero(seen & (length >= np.where(curved, MIN_EDGE_CURVED_PX, MIN_EDGE_PX)))
    flat, stored, along, length = flat[keep], stored[keep], along[keep], length[keep]
    major, curved = major[keep], curved[keep]
    steep = np.abs(along).min(axis=1) / length
    reach = np.minimum(0.5 / np.maximum(steep, 1e-6), np.where(curved, MAX_STEP_CURVED_PX, MAX_STEP_PX))
    beyond = np.where(curved, MAX_STEP_CURVED_PX, 0.0)
    across = np.zeros_like(along)
    across[np.arange(len(keep)), 1 - major] = BAND_PX
    table = np.zeros((len(keep), 4, 12), dtype=np.float32)
    for corner, (end, side) in enumerate(((0, -1), (0, 1), (1, 1), (1, -1))):
        table[:, corner, :2] = flat[:, end] + side * across / half
        table[:, corner, 3] = (stored[:, 1] - stored[:, 0]) / length
        table[:, corner, 6] = end * length + beyond
        table[:, corner, 7] = (1 - end) * length + beyond
        table[:, corner, 8] = reach
        table[:, corner, 9:11] = along / length[:, None] / (2 * half)
        table[:, corner, 11] = stored[:, end]
    first = 4 * np.arange(len(keep), dtype=np.uint32)[:, None]
    pair = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.uint32)
    return Triangles(table.reshape(-1, 12), (first[:, None] + pair).reshape(-1, 3))


def on_picture(
    lines: Lines,
    camera: Camera,
    planes: tuple[float, float],
    size: tuple[int, int],
    closer: float = DEPTH_TOLERANCE_M,
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Returns where the ends of lines are in a picture (n, 2, 2), from -1 to 1, how deep (n, 2), from 0 to 1, and which
    are of curves; without those behind the eye. closer: metres by which they seem nearer. Others as in
    `EdgePass.show`."""
    near, far = planes
    local, curved = _clipped(lines, camera, 1.01 * near)
    depth = local[:, :, 1]
    tangent = math.tan(math.radians(camera.fov) / 2)
    flat = local[:, :, (0, 2)] / depth[:, :, None] / [tangent * size[0] / size[1], tangent]
    nearer = np.maximum(depth - closer, near)
    return flat, far * (nearer - near) / (nearer * (far - near)), curved


def _clipped(lines: Lines, camera: Camera, near: float) -> tuple[Array, NDArray[np.bool_]]:
    """Returns lines (n, 2, 3) in eye axes (right, forward, up), cut off at the near plane, and which are of curves."""
    local = (lines.ends - np.array(camera.eye)) @ camera.axes.T
    kept = np.asarray((local[:, :, 1] > near).any(axis=1), dtype=np.bool_)
    local = local[kept]
    depth = local[:, :, 1]
    crossing = np.flatnonzero((depth < near).any(axis=1))
    hidden = np.argmin(depth[crossing], axis=1)
    inner, outer = local[crossing, hidden], local[crossing, 1 - hidden]
    part = (near - inner[:, 1]) / (outer[:, 1] - inner[:, 1])
    local[crossing, hidden] = inner + part[:, None] * (outer - inner)
    return local, lines.curved[kept]
