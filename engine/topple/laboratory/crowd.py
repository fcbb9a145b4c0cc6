"""Many small scenes judged by statics alone, a batch at a time: their contacts are found in one go, and where every
piece rests flat on one other, a closed form takes the place of the cone program.

Pieces that each rest on one level face of one other form trees. What an interface carries is then known without solving
anything: the weight of all pieces above it, along a line through their common centre of mass. Contact forces that carry
it exist exactly when that line passes through the polygon of contact and leans by no more than the friction allows. Its
distance from the polygon's edges is the safety margin (`balance.safety_margin`), and the least angle by which it can be
turned until it leaves a polygon or slips is the tilt margin. All other scenes go through `safe_verdict`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from teeter.engine.pose import Pose
from teeter.engine.topple.balance.equilibrium import pair_friction
from teeter.engine.topple.balance.safety_margin import FRICTION_FACTOR, safe_verdict, safety_margin_of
from teeter.engine.topple.balance.statics import curved_reason
from teeter.engine.topple.contact.arrays import Array, Ints
from teeter.engine.topple.contact.detection import Contacts, deepest_first, find_contacts
from teeter.engine.topple.contact.features import reach
from teeter.engine.world.body import Assembly, Body, Vector

BATCH = 32
"""Scenes whose contacts are found together: with more nothing is gained, and an interrupt waits longer."""
LEVEL = 1e-9
"""Sine of the slope up to which an interface is level."""
NEAR = "too near the limit, wedged, or caught half-way: ask for the full check"


@dataclass(frozen=True, slots=True)
class Label:
    """What statics alone says. stands: None when it is not sure, and then `why`. first: goes first if it falls.
    tilt_deg: the tilt margin of what stands, where the closed form has it."""

    stands: bool | None
    first: str | None = None
    tilt_deg: float | None = None
    why: str = ""


def labels(scenes: Sequence[Assembly], gravities: Sequence[Vector]) -> list[Label]:
    """Returns a label for each scene under its gravity, m/s^2, `BATCH` of them at a time."""
    rows: list[Label] = []
    for start in range(0, len(scenes), BATCH):
        batch, pulls = scenes[start : start + BATCH], gravities[start : start + BATCH]
        rows += map(_label, batch, contacts_of_crowd(batch), pulls)
    return rows


def contacts_of_crowd(scenes: Sequence[Assembly]) -> list[Contacts]:
    """Returns the contacts of every scene, as `find_contacts` has them but for rounding: the scenes are set side by
    side, too far apart to touch, and looked at as one."""
    step = 2.0 * max((_span(body) for scene in scenes for body in scene.bodies), default=0.0) + 0.1
    crowd: list[Body] = []
    for number, scene in enumerate(scenes):
        for body in scene.bodies:
            x, y, z = body.pose.position
            pose = Pose((x + number * step, y, z), body.pose.orientation)
            crowd.append(Body(str(len(crowd)), body.piece, pose, body.fixed))
    whole = find_contacts(Assembly("crowd", tuple(crowd)))
    # pair by pair, so those of a scene are neighbours
    begins = np.cumsum([0, *(len(scene.bodies) for scene in scenes)])
    cuts = np.searchsorted(whole.first, begins)
    names = [body.name for scene in scenes for body in scene.bodies]

    def within(at: int, name: str) -> bool:
        return bool(begins[at] <= int(name) < begins[at + 1])

    parts = []
    for at in range(len(scenes)):
        mine, base = slice(cuts[at], cuts[at + 1]), begins[at]
        curved = [(names[int(one)], names[int(other)]) for one, other in whole.curved if within(at, one)]
        overlaps = [overlap for overlap in whole.overlaps if within(at, overlap.first)]
        parts.append(
            Contacts(
                names=tuple(names[base : begins[at + 1]]),
                fixed=whole.fixed[base : begins[at + 1]],
                first=whole.first[mine] - base,
                second=whole.second[mine] - base,
                points=whole.points[mine] - (at * step, 0.0, 0.0),
                normals=whole.normals[mine],
                patch=whole.patch[mine],
                curved=tuple(sorted(curved)),
                floating=tuple(names[int(name)] for name in whole.floating if within(at, name)),
                overlaps=deepest_first(
                    [
                        replace(overlap, first=names[int(overlap.first)], second=names[int(overlap.second)])
                        for overlap in overlaps
                    ]
                ),
            )
        )
    return parts


def _span(body: Body) -> float:
    """Returns how far a body reaches from the origin along x, at most, metres."""
    centre = float(np.linalg.norm(body.piece.centre_of_mass))
    return abs(body.pose.position[0]) + centre + reach(body.piece)


def _label(scene: Assembly, contacts: Contacts, gravity: Vector) -> Label:
    if contacts.overlaps:
        deep = contacts.overlaps[0]
        return Label(None, why=f"{deep.first} and {deep.second} overlap by {1e3 * deep.depth:.3g} mm")
    if contacts.curved:
        return Label(None, why=curved_reason(contacts))
    if contacts.floating:
        return Label(None, why=f"{contacts.floating[0]} rests on nothing that stands")
    tree, balanced = _tree_of(scene, contacts), None
    if tree is not None:
        room, slip, degrees = tree.under(gravity)
        margin = safety_margin_of(scene)
        if room >= margin and slip * FRICTION_FACTOR <= 1.0:
            # of a table that is level now
            return Label(True, tilt_deg=None if slip else degrees)
        if room > -margin and slip <= FRICTION_FACTOR:
            return Label(None, why=NEAR)
        balanced = False
    quick = safe_verdict(scene, gravity=gravity, contacts=contacts, balanced=balanced)
    return Label(None, why=NEAR) if quick is None else Label(quick.stands, quick.first)


@dataclass(frozen=True, slots=True, eq=False)
class _Tree:
    """Every free piece rests on one level polygon. centres: (n, 3) metres, of mass of all that each polygon carries.
    points, owner: (k, 3), (k,) corners of the polygons, in turn, and whose they are. friction: (n,)."""

    centres: Array
    points: Array
    owner: Ints
    friction: Array

    def under(self, gravity: Vector) -> tuple[float, float, float]:
        """Returns how far inside its polygon a line of force passes where one is nearest to an edge, metres, negative
        outside; the share of the friction that is used; and the tilt that moves a line to an edge or slips, degrees."""
        owner, points, centres = self.owner, self.points, self.centres[self.owner]
        starts = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
        following = np.arange(1, len(owner) + 1)
        following[np.append(starts[1:], len(owner)) - 1] = starts
        edge = (points[following] - points)[:, :2]
        inwards = np.stack([-edge[:, 1], edge[:, 0]], axis=1) / np.linalg.norm(edge, axis=1)[:, None]
        middle = np.add.reduceat(points[:, :2], starts) / np.bincount(owner)[:, None]
        inwards *= np.sign(np.einsum("ij,ij->i", inwards, middle[owner] - points[:, :2]))[:, None]
        height = centres[:, 2] - points[:, 2]
        slope = np.array(gravity[:2]) / -gravity[2]
        room = np.einsum("ij,ij->i", inwards, centres[:, :2] + height[:, None] * slope - points[:, :2])
        least = float(self.friction.min())
        degrees = math.degrees(min(float(np.arctan2(room, height).min()), math.atan(least)))
        return float(room.min()), float(np.linalg.norm(slope)) / max(least, 1e-12), degrees


def _tree_of(scene: Assembly, contacts: Contacts) -> _Tree | None:
    """None where a piece rests on more or on less than one level polygon, or a force besides its weight acts on one."""
    if not len(contacts.points) or np.abs(contacts.normals[:, :2]).max() > LEVEL:
        return None
    rises = contacts.normals[:, 2] > 0
    upper = np.where(rises, contacts.first, contacts.second)
    lower = np.where(rises, contacts.second, contacts.first)
    heads = np.flatnonzero(np.append(True, contacts.patch[1:] != contacts.patch[:-1]))
    sizes = np.diff(np.append(heads, len(upper)))
    free = np.flatnonzero(~contacts.fixed)
    if len(heads) != len(free) or sizes.min() < 3 or (np.sort(upper[heads]) != free).any():
        return None
    if any(load.is_force for body in scene.free for load in body.loads):
        return None
    mass = np.array([body.piece.mass for body in scene.bodies])
    moment = np.array([body.piece.mass * body.centre_of_mass for body in scene.bodies])
    # the highest polygon first: what it carries is complete when it is handed down
    level = contacts.points[heads, 2]
    own = np.full(len(mass), -np.inf)
    own[upper[heads]] = level
    if (own[lower[heads]] >= level).any():
        # a piece that hooks over another carries something below its own polygon
        return None
    for row in heads[np.argsort(-level, kind="stable")].tolist():
        mass[lower[row]] += mass[upper[row]]
        moment[lower[row]] += moment[upper[row]]
    carried = upper[heads]
    return _Tree(
        centres=moment[carried] / mass[carried][:, None],
        points=contacts.points,
        owner=np.repeat(np.arange(len(heads)), sizes),
        friction=pair_friction(scene, contacts.first[heads], contacts.second[heads]),
    )
