"""Every catalogue piece in Bullet and in statics: it stays where it is put, and tips over an edge where it should."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
import trimesh

from teeter.engine.bench.rigs import over_edge, table
from teeter.engine.geometry.rotation import angle_between
from teeter.engine.pose import Pose
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.world.body import Assembly, Body
from teeter.engine.world.bullet import BulletWorld
from teeter.models.build import build
from teeter.models.catalogue import catalogue, games
from teeter.models.piece import Piece
from teeter.models.spec import PieceSpec

LIKELY = 0.05
"""Stable poses less probable than this are not asked for."""
STAY_S, STAY_MM, STAY_DEG = 5.0, 0.3, 0.5
DYNAMICS_MM, STATICS_MM = 0.20, 0.05
DIRECTIONS = (0.0, 0.65, math.pi / 2, math.pi / 4, 2.0, 3 * math.pi / 4)
"""Radians. Of these the first two in which nothing of the piece reaches round its centre of mass are tried: an arch
over an edge stands on a sliver of its far pier until the sliver is nothing."""
TIP_S, TIP_MM = 3.0, 2.0
"""A piece has tipped when its centre of mass is this much lower after so long."""
UNSTEADY: dict[str, str] = {}
"""Poses that do not hold, by piece and number; the table in models/README.md says why."""


def shapes() -> dict[str, PieceSpec]:
    """One spec for each different shape, material left alone, edges sharp."""
    found: dict[object, tuple[str, PieceSpec]] = {}
    for game in games():
        for name, spec in catalogue(game).items():
            sharp = spec.model_copy(update={"bevel": 0.0})
            found.setdefault((spec.shape, spec.material.density_kg_m3), (name, sharp))
    return dict(found.values())


SPECS = shapes()


def stable_poses(piece: Piece) -> list[tuple[Pose, float]]:
    """Poses on the table by trimesh, an oracle that knows nothing of this project, and their probabilities."""
    mesh = trimesh.Trimesh(piece.visual.vertices, piece.visual.faces)
    transforms, chances = trimesh.poses.compute_stable_poses(mesh, sigma=0.0, threshold=LIKELY)
    return [
        (Pose.of(transform[:3, 3], transform[:3, :3]), float(chance))
        for transform, chance in zip(transforms, chances, strict=True)
    ]


def moved(piece: Piece, pose: Pose, seconds: float = STAY_S) -> tuple[float, float]:
    """How far (mm) and how much (degrees) a piece put on the table has moved after some seconds."""
    with BulletWorld((table(), Body("piece", piece, pose))) as world:
        world.settle()
        world.advance(round(seconds * world.rate))
        after = world.pose("piece")
    shift = np.linalg.norm(after.apply(piece.centre_of_mass) - pose.apply(piece.centre_of_mass))
    return float(shift) * 1e3, math.degrees(angle_between(pose.orientation, after.orientation))


def underside(piece: Piece) -> shapely.Geometry:
    """What of a piece lies on the table as authored: polygons in x and y, metres."""
    low = -piece.extents[2] / 2
    flat = [
        shapely.Polygon(facet.rings[0][:, :2], [ring[:, :2] for ring in facet.rings[1:]])
        for facet in piece.surface.facets
        if not facet.curved and facet.normal[2] < -0.999 and abs(facet.rings[0][0, 2] - low) < 1e-9
    ]
    return shapely.union_all(flat)


def reach(piece: Piece, yaw: float) -> float:
    """Metres the centre of mass must at least be inside the edge: 0 unless the piece reaches round its centre."""
    centre = piece.centre_of_mass[:2]
    turn = [[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]]
    base = shapely.transform(underside(piece), lambda points: (points - centre) @ np.transpose(turn))
    size = float(np.linalg.norm(piece.extents))
    low, high = -size, size
    for _ in range(40):
        inside = (low + high) / 2
        held = base.intersection(shapely.box(-2 * size, -size, inside, size)).convex_hull
        low, high = (low, inside) if held.distance(shapely.Point(0, 0)) == 0 else (inside, high)
    return high


def directions(piece: Piece) -> list[float]:
    """Yaws for the edge test, at most two."""
    return [yaw for yaw in DIRECTIONS if abs(reach(piece, yaw)) < 1e-6][:2]


def tips(piece: Piece, inside: float, yaw: float) -> bool:
    """Whether a piece over an edge falls in Bullet."""
    bodies = over_edge(piece, inside, yaw)
    start = bodies[1].pose.apply(piece.centre_of_mass)[2]
    with BulletWorld(bodies) as world:
        world.settle()
        for _ in range(round(TIP_S * 10)):
            world.advance(world.rate // 10)
            if world.pose("piece").apply(piece.centre_of_mass)[2] < start - TIP_MM * 1e-3:
                return True
    return False


def stands(piece: Piece, inside: float, yaw: float) -> bool | None:
    """What statics says of a piece over an edge."""
    return analyse(Assembly("edge", over_edge(piece, inside, yaw)), margins=False, loads=False).stands


def has_underside(name: str) -> bool:
    return not underside(build(SPECS[name])).is_empty


@pytest.mark.slow
@pytest.mark.parametrize("name", list(SPECS))
@pytest.mark.sampled(6)
def test_a_piece_stays_in_its_stable_poses(name: str) -> None:
    piece = build(SPECS[name])
    for number, (pose, chance) in enumerate(stable_poses(piece)):
        shift, turn = moved(piece, pose)
        holds = shift <= STAY_MM and turn <= STAY_DEG
        assert holds is (f"{name} {number}" not in UNSTEADY), (number, chance, shift, turn)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SPECS if has_underside(name)])
@pytest.mark.sampled(6)
def test_a_piece_tips_over_an_edge_where_it_should(name: str) -> None:
    piece = build(SPECS[name])
    found = directions(piece)
    assert len(found) == 2
    for yaw in found:
        assert stands(piece, STATICS_MM / 1e3, yaw) is True
        assert stands(piece, -STATICS_MM / 1e3, yaw) is False
        assert not tips(piece, DYNAMICS_MM / 1e3, yaw)
        assert tips(piece, -DYNAMICS_MM / 1e3, yaw)
