"""Other people's answers to the same question: MuJoCo's simulation and the statics of compas-cra, on an assembly.

Each peer gets the geometry exactly, and settings that its own documentation recommends for stacks; what they are stands
beside them. Both are extras (`bench`, `cra`), imported when they are asked.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
import shapely

from teeter.engine.geometry.rotation import quaternion_of, shortest_rotation
from teeter.engine.topple.trial import Limits, limits_of
from teeter.engine.world.body import DOWN, Assembly, Body, Vector, typical_size
from teeter.models.outline import convex_pieces
from teeter.models.piece import Array

Solver = Literal["rbe", "cra"]

HAS_MUJOCO = find_spec("mujoco") is not None
HAS_CRA = find_spec("compas_cra") is not None
SIMULATED_S = 3.0
"""Simulated by MuJoCo."""
BLUNT_CORNER = 2e-5
"""Metres: corners of an interface within this of the line between their neighbours are left out. A disc has 144, of
which 36 are left; every one costs compas-cra three unknowns."""
TENSION = 1e-3
"""Of the lightest piece's weight: contacts that pull harder than this do not balance. Its solver reaches 1e-6."""


@dataclass(frozen=True, slots=True)
class PeerAnswer:
    """stands: None when the peer gave none. seconds: it took, everything included. why: no answer, in its words."""

    stands: bool | None
    seconds: float
    why: str = ""


# -- MuJoCo --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MujocoSettings:
    """How MuJoCo computes. step: seconds. compliance: seconds, the time constant of contacts (`solref`), of which
    the step allows no less than twice its length. reach: metres between faces at which contacts begin. grip: times
    the friction. drag: 1/s, that everything is slowed by for the first half of the settling; 0: let go at once.
    noslip: iterations against creep. cone, impratio, impedance (`solimp`), integrator, multiccd: as its manual has
    them.
    """

    step: float = 0.002
    compliance: float = 0.004
    reach: float = 0.0
    grip: float = 1.0
    drag: float = 0.0
    noslip: int = 0
    cone: str = "elliptic"
    impratio: float = 10.0
    impedance: str = "0.99 0.999 0.0001"
    integrator: str = "implicitfast"
    multiccd: bool = True


RECOMMENDED = MujocoSettings()
"""Steps as its manual has them, contacts as stiff as they allow."""
AS_IT_COMES = MujocoSettings(
    compliance=0.02,
    cone="pyramidal",
    impratio=1.0,
    impedance="0.9 0.95 0.001",
    integrator="Euler",
    multiccd=False,
)
CHECKS_PER_S = 20
"""A second: what has gone too far does not come back."""


def mujoco_says(
    assembly: Assembly,
    gravity: Vector = DOWN,
    seconds: float = SIMULATED_S,
    tuning: MujocoSettings = RECOMMENDED,
) -> PeerAnswer:
    """Whether everything stays where it is, by the limits of our own trials: after half a second of settling no centre
    moves by 2 mm and nothing turns by 2 degrees. Raises ImportError without the extra `bench`."""
    import mujoco

    started = time.perf_counter()
    model = mujoco.MjModel.from_xml_string(mjcf(assembly.bodies, gravity, tuning))
    data = mujoco.MjData(model)
    limits = limits_of(assembly)
    steps, settling = (round(span / model.opt.timestep) for span in (seconds, limits.settling))
    for step in range(settling):
        mujoco.mj_step(model, data)
        if tuning.drag and 2 * step < settling:
            data.qvel *= 1.0 - tuning.drag * tuning.step
    poses = np.array(data.qpos).reshape(-1, 7)
    every = round(1.0 / (CHECKS_PER_S * tuning.step))
    for step in range(settling, steps):
        mujoco.mj_step(model, data)
        if step % every == 0 and _is_away(poses, np.array(data.qpos).reshape(-1, 7), limits):
            return PeerAnswer(False, time.perf_counter() - started)
    start = np.array([body.pose.position for body in assembly.free])
    sunk = float(np.linalg.norm(poses[:, :3] - start, axis=1).max()) > 4.0 * limits.shift
    stands = not sunk and not _is_away(poses, np.array(data.qpos).reshape(-1, 7), limits)
    return PeerAnswer(stands, time.perf_counter() - started)


def _is_away(before: Array, after: Array, limits: Limits) -> bool:
    cosines = np.abs((before[:, 3:] * after[:, 3:]).sum(axis=1)).clip(0.0, 1.0)
    turned = 2.0 * np.arccos(cosines).max()
    moved = np.linalg.norm(after[:, :3] - before[:, :3], axis=1).max()
    return bool(moved > limits.shift or turned > limits.twist)


def mjcf(bodies: Sequence[Body], gravity: Vector = DOWN, tuning: MujocoSettings = RECOMMENDED) -> str:
    """A scene as MuJoCo's XML: boxes and upright cylinders as themselves, other convex parts as meshes.

    Steps of 2 ms, elliptic friction cones, frictional contacts ten times harder than normal ones (`impratio`), which is
    what its manual has against slip, several contact points for every pair, and contacts as stiff as the step allows:
    with the softness it comes with (`solref` 0.02) columns of ten pieces buckle that statics and Bullet let stand.
    """
    x, y, z = gravity
    assets: list[str] = []
    world = []
    for number, body in enumerate(bodies):
        (a, b, c), (i, j, k, w) = body.pose.position, body.pose.orientation
        geoms = _cylinder(body) or [
            _geom(f"{number}.{at}", part, assets) for at, part in enumerate(body.piece.parts)
        ]
        material = body.piece.material
        common = f'density="{material.density_kg_m3}" friction="{tuning.grip * material.friction} 1e-4 1e-5"'
        joint = "" if body.fixed else "<freejoint/>"
        inside = "".join(f"<geom {geom} {common}/>" for geom in geoms)
        world.append(f'<body pos="{a} {b} {c}" quat="{w} {i} {j} {k}">{joint}{inside}</body>')
    return (
        f'<mujoco><option timestep="{tuning.step}" cone="{tuning.cone}" impratio="{tuning.impratio}" '
        f'gravity="{x} {y} {z}" noslip_iterations="{tuning.noslip}" integrator="{tuning.integrator}">'
        f'<flag multiccd="{"enable" if tuning.multiccd else "disable"}"/></option><default><geom condim="3" '
        f'solref="{tuning.compliance} 1" solimp="{tuning.impedance}" margin="{tuning.reach}"/>'
        "</default>"
        f"<asset>{''.join(assets)}</asset><worldbody>{''.join(world)}</worldbody></mujoco>"
    )


def _cylinder(body: Body) -> list[str] | None:
    """An upright cylinder, told by its surface: two flat ends without holes, all the rest curved."""
    flat = [facet for facet in body.piece.surface.facets if not facet.curved]
    x, y, z = (body.piece.extents / 2).tolist()
    is_one = (
        len(flat) == 2
        and all(abs(abs(facet.normal[2]) - 1.0) < 1e-9 and len(facet.rings) == 1 for facet in flat)
        and abs(x - y) < 1e-6
    )
    return [f'type="cylinder" size="{max(x, y)} {z}"'] if is_one else None


def _geom(name: str, part: Any, assets: list[str]) -> str:
    x, y, z = part.centre.tolist()
    if part.half_extents is not None:
        i, j, k, w = quaternion_of(part.rotation)
        a, b, c = part.half_extents.tolist()
        return f'type="box" size="{a} {b} {c}" pos="{x} {y} {z}" quat="{w} {i} {j} {k}"'
    if part.radius is not None:
        return f'type="sphere" size="{part.radius}" pos="{x} {y} {z}"'
    corners = " ".join(f"{value:.9g}" for value in part.vertices.ravel())
    assets.append(f'<mesh name="{name}" vertex="{corners}"/>')
    return f'type="mesh" mesh="{name}"'


# -- compas-cra ----------------------------------------------------------------------------------------------------


def cra_assembly(assembly: Assembly, gravity: Vector = DOWN) -> Any:
    """Returns the assembly in compas-cra's terms, turned so that gravity points down, scaled to a typical piece of 1.

    Blocks have their flat faces alone while interfaces are looked for: curved sides touch nothing here, and its finder
    compares every face with every other in Python. `complete` gives them their other faces back.
    """
    from compas_cra.datastructures import CRA_Assembly

    made = CRA_Assembly()
    for body in assembly.bodies:
        node = made.add_block(_block(body, gravity, assembly, with_curves=False))
        if body.fixed:
            made.set_boundary_condition(node)
    return made


def complete(problem: Any, assembly: Assembly, gravity: Vector) -> None:
    """Whole blocks, so that masses and centres are right; and interfaces without the corners that do nothing."""
    for node, body in zip(problem.graph.nodes(), assembly.bodies, strict=True):
        problem.graph.node_attribute(node, "block", _block(body, gravity, assembly, with_curves=True))
    blunt = BLUNT_CORNER / typical_size(assembly.bodies)
    for edge in problem.graph.edges():
        for interface in problem.graph.edge_attribute(edge, "interfaces"):
            frame = np.array([interface.frame.xaxis, interface.frame.yaxis])
            flat = (np.array(interface.points) - interface.frame.point) @ frame.T
            kept = np.asarray(shapely.Polygon(flat).simplify(blunt).exterior.coords)[:-1]
            interface.points = (kept @ frame + np.array(interface.frame.point)).tolist()


def _block(body: Body, gravity: Vector, assembly: Assembly, with_curves: bool) -> Any:
    from compas_assembly.datastructures import Block

    down = np.asarray(gravity) / np.linalg.norm(gravity)
    rotation, scale = shortest_rotation(down, np.array([0.0, 0.0, -1.0])), 1.0 / typical_size(assembly.bodies)
    corners: list[list[float]] = []
    faces: list[list[int]] = []
    known: dict[tuple[float, ...], int] = {}
    for facet in body.piece.surface.facets:
        if facet.curved and not with_curves:
            continue
        for loop in _convex(facet.rings[0], facet.normal):
            face = []
            for point in (body.pose.apply(loop) @ rotation.T * scale).tolist():
                key = tuple(round(value, 9) for value in point)
                if key not in known:
                    known[key] = len(corners)
                    corners.append(point)
                face.append(known[key])
            faces.append(face)
    return Block.from_vertices_and_faces(corners, faces)


def find_interfaces(problem: Any, nearest: int | None = None) -> None:
    """Have compas-cra find where blocks meet. nearest: how many neighbours of a block it looks at, all when None: it
    goes by the middles of blocks, and a table's is far from most."""
    from compas_cra.algorithms import assembly_interfaces_numpy

    count = problem.graph.number_of_nodes()
    assembly_interfaces_numpy(problem, nmax=count if nearest is None else nearest, tmax=1e-6, amin=1e-5)


def _convex(ring: Array, normal: Array) -> list[Array]:
    """A facet in convex loops: its finder takes the outline of an overlap, which of concave ones may be several."""
    axis = np.eye(3)[int(np.argmin(np.abs(normal)))]
    across = axis - (axis @ normal) * normal
    across /= np.linalg.norm(across)
    flat = np.stack([ring @ across, ring @ np.cross(normal, across)], axis=1)
    outline = shapely.Polygon(flat)
    if outline.area > (1.0 - 1e-9) * outline.convex_hull.area:
        return [ring]
    return [ring[list(loop)] for loop in convex_pieces([(float(x), float(y)) for x, y in flat])]


def _rbe(problem: Any, friction: float) -> tuple[bool | None, str]:
    from compas_cra.equilibrium import rbe_solve

    try:
        rbe_solve(problem, mu=friction, density=1.0)
    except ValueError as error:
        return _refused(error)
    pulls = [force["c_nn"] for force in _forces(problem)]
    blocks = [problem.graph.node_attribute(node, "block") for node in problem.graph.nodes()]
    lightest = min(abs(block.volume()) for block in blocks)
    return max(pulls, default=math.inf) <= TENSION * lightest, ""


def _cra(problem: Any, friction: float) -> tuple[bool | None, str]:
    from compas_cra.equilibrium import cra_solve

    try:
        cra_solve(problem, mu=friction, density=1.0)
    except ValueError as error:
        return _refused(error)
    return True, ""


def _refused(error: ValueError) -> tuple[bool | None, str]:
    """Infeasible is an answer; running out of iterations, or a solver that breaks down, is none."""
    words = str(error)
    return (False, "") if "infeasible" in words.lower() else (None, words)


def _forces(problem: Any) -> list[dict[str, float]]:
    return [
        force
        for edge in problem.graph.edges()
        for interface in problem.graph.edge_attribute(edge, "interfaces")
        for force in interface.forces
    ]


SOLVERS: dict[Solver, Callable[[Any, float], tuple[bool | None, str]]] = {"rbe": _rbe, "cra": _cra}
