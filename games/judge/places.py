"""Where things lie on the table: the table itself, steady poses, tidy rows; and who lies on a support.

Lengths are millimetres here, as in catalogues and rule books; bodies are in metres, as everywhere.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import shapely

from teeter.engine.geometry.convex import solids_at
from teeter.engine.geometry.drop import drop, extreme_points, resting_faces
from teeter.engine.geometry.rotation import Array, quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.world.body import TABLE, Body
from teeter.games.judge.judge import TableScene
from teeter.models.build import build
from teeter.models.piece import Piece
from teeter.models.spec import PieceSpec
from teeter.scenes.assemble import TABLE_THICKNESS_MM

TABLE_MM = (1200.0, 800.0)
"""As large as the table of scenes."""
STEADY_DEG = 5.0
"""BS-01: a face on which a piece can be tilted so far lets it stand by itself; poles and tees stand, balls do not."""
WORTH_A_TURN = 0.15
"""BS-01: share of the room in a row that turning a piece must save, so that round pieces stay as they are."""
SAUCER = (0.6, 0.4, 0.2)
"""BS-01: outer and inner radius and height of the ring a ball lies on, in ball radii; it does not reach the table."""
GAP_MM = 15.0
"""Between pieces of a supply: room to grip one without touching the next."""


def table(width_mm: float, depth_mm: float) -> Body:
    """A fixed table whose top is at z = 0, centred."""
    spec = {"shape": {"box": [width_mm, depth_mm, TABLE_THICKNESS_MM]}, "material": "table"}
    return Body(
        TABLE, build(PieceSpec.model_validate(spec)), Pose((0.0, 0.0, -TABLE_THICKNESS_MM / 2e3)), fixed=True
    )


def bounds(piece: Piece, pose: Pose) -> tuple[Array, Array]:
    """The least and the greatest corner (3,) of a piece's bounding box in the world, metres."""
    places = [
        (pose.apply(part.centre[None] if part.kind == "sphere" else part.vertices), part.radius or 0.0)
        for part in piece.parts
    ]
    lows = [at.min(axis=0) - radius for at, radius in places]
    highs = [at.max(axis=0) + radius for at, radius in places]
    return np.min(lows, axis=0), np.max(highs, axis=0)


@lru_cache(maxsize=1024)
def steady(piece: Piece) -> Pose:
    """The pose in which a piece lies steadily over the origin, its lowest point at z = 0, its long side along x.

    It lies on the face that brings its centre of mass lowest, of those on which it can be tilted by
    `STEADY_DEG`; a round piece, which has none, on the lowest there is: no other place has less energy.
    """
    if any(part.kind == "sphere" for part in piece.parts):
        return laid(piece, Pose((0.0, 0.0, 0.0)).matrix)
    faces = resting_faces(piece)
    chosen = next((face for face in faces if face.tipping_angle() >= STEADY_DEG), faces[0])
    yaw = _tidy(extreme_points(piece) @ chosen.rotation.T)
    level = Pose((0.0, 0.0, 0.0), quaternion_of_rpy(0.0, 0.0, yaw)).matrix
    return laid(piece, level @ chosen.rotation)


def _tidy(points: Array) -> float:
    """The yaw that brings the sides of an outline along x and y; none where that hardly saves room."""
    # seen from above: areas and rectangles take no notice of heights
    seen = shapely.MultiPoint(points * 1e3)
    square = seen.minimum_rotated_rectangle
    if square.area > (1 - WORTH_A_TURN) * seen.envelope.area:
        return 0.0
    sides = np.diff(shapely.get_coordinates(square), axis=0)
    along = sides[int(np.argmax(np.linalg.norm(sides, axis=1).round(3)))]
    # half a turn more or less is the same outline: the one nearer to the authored direction
    return math.pi / 2 - (math.atan2(along[1], along[0]) + math.pi / 2) % math.pi


def laid(piece: Piece, matrix: Array) -> Pose:
    """A piece turned so, its bounding box centred over the origin and its lowest point at z = 0."""
    low, high = bounds(piece, Pose.of(np.zeros(3), matrix))
    return Pose.of(np.array([*(-(low + high)[:2] / 2), -low[2]]), matrix)


def moved(pose: Pose, x_mm: float, y_mm: float, yaw: float = 0.0) -> Pose:
    """A pose over the origin turned by a yaw (radians) and put elsewhere on the table."""
    return pose.then(Pose((x_mm / 1e3, y_mm / 1e3, 0.0), quaternion_of_rpy(0.0, 0.0, yaw)))


def supply(named: Sequence[tuple[str, Piece]], width_mm: float) -> tuple[tuple[Body, ...], float]:
    """Pieces by name in steady poses, in rows as a reader reads, centred on the origin; and the depth in mm.

    A ball lies on a saucer, a fixed body named after it: on a bare table nothing would keep it.
    """
    sizes = [np.ptp(bounds(piece, steady(piece)), axis=0) * 1e3 for _, piece in named]
    lines: list[list[int]] = [[]]
    for at, size in enumerate(sizes):
        if lines[-1] and sum(sizes[k][0] + GAP_MM for k in lines[-1]) + size[0] > width_mm:
            lines.append([])
        lines[-1].append(at)
    depths = [max((float(sizes[k][1]) for k in line), default=0.0) for line in lines]
    depth = sum(depths) + GAP_MM * (len(lines) - 1)
    bodies: list[Body] = []
    y = depth / 2
    for line, deep in zip(lines, depths, strict=True):
        x = -(sum(float(sizes[k][0]) for k in line) + GAP_MM * (len(line) - 1)) / 2
        for k in line:
            name, piece = named[k]
            pose = moved(steady(piece), x + float(sizes[k][0]) / 2, y - deep / 2)
            bodies += on_saucer(Body(name, piece, pose))
            x += float(sizes[k][0]) + GAP_MM
        y -= deep + GAP_MM
    return tuple(bodies), depth


def on_saucer(body: Body) -> tuple[Body, ...]:
    """A ball let down on its saucer; any other piece by itself."""
    if any(part.kind != "sphere" for part in body.piece.parts):
        return (body,)
    radius = float(body.piece.extents[2]) / 2
    spec = {"shape": {"ring": [share * radius * 1e3 for share in SAUCER]}, "material": "beech"}
    ring = build(PieceSpec.model_validate(spec))
    x, y, _ = body.pose.position
    low = Pose((x, y, float(ring.extents[2]) / 2))
    high = Pose((x, y, float(body.piece.extents[2]) + float(ring.extents[2])))
    fall = drop(solids_at(body.piece, high), solids_at(ring, low))
    assert fall is not None
    return Body(f"saucer.{body.name}", ring, low, fixed=True), body.at(Pose((x, y, high.position[2] - fall)))


def outline(body: Body) -> shapely.Geometry:
    """Returns the convex outline of a piece with corners seen from above, millimetres."""
    corners = np.concatenate([part.vertices for part in body.piece.parts])
    return shapely.MultiPoint(body.pose.apply(corners)[:, :2] * 1e3).convex_hull


def top_of(scene: TableScene) -> float:
    """The height of the table's top in metres; 0 where a scene has no table."""
    support = scene.bodies.get(TABLE)
    return 0.0 if support is None else highest(support)


def highest(body: Body) -> float:
    """The height of a body's highest point in metres."""
    return float(bounds(body.piece, body.pose)[1][2])


def on_support(scene: TableScene, name: str) -> bool:
    """Whether a piece touches the table or the floor beyond it, or has dropped below the table's top."""
    if any(scene.bodies[other].fixed for other in scene.touched_by(name) if other in scene.bodies):
        return True
    return bool(scene.bodies[name].centre_of_mass[2] < top_of(scene))
