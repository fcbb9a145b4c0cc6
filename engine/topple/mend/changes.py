"""Changes to an assembly: what they are, what it is afterwards, and how much effort each is."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, count
from statistics import median
from typing import Literal, get_args

import numpy as np

from teeter.engine.geometry.rotation import quaternion_of, quaternion_of_rpy
from teeter.engine.load import Load
from teeter.engine.pose import Pose, vector_of
from teeter.engine.topple.contact.arrays import Array
from teeter.engine.world.body import Assembly, Body, Vector, typical_size
from teeter.models.ballast import with_weight
from teeter.models.build import build
from teeter.models.material import material_named
from teeter.models.piece import Piece
from teeter.models.shapes import Box
from teeter.models.spec import PieceSpec

Kind = Literal["move", "turn", "remove", "place", "add_mass", "friction", "prop"]
KINDS: tuple[Kind, ...] = get_args(Kind)

PROP_SIDE = 0.2
"""Of the median piece: how thick a prop is."""
WEIGHT, PROP = "weight", "prop"
"""Names of what is added, followed by a number where they are taken."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change. pieces: whom it is about; of those that move together the lowest first. shift: metres; turn: radians
    about the upright through the middle of the first piece. amount: kilograms of a weight, the coefficient of friction
    of the piece, newtons that a prop bears. point: metres in the world, where the weight lies (on the piece, where it
    then is), or the top of the prop. height: metres of the prop."""

    kind: Kind
    pieces: tuple[str, ...]
    shift: Vector = (0.0, 0.0, 0.0)
    turn: float = 0.0
    amount: float = 0.0
    point: Vector = (0.0, 0.0, 0.0)
    height: float = 0.0

    @property
    def distance(self) -> float:
        """Metres that the pieces are shifted."""
        return math.hypot(*self.shift)


def changed(assembly: Assembly, change: Change) -> Assembly:
    """Returns the assembly after a change."""
    if change.kind == "remove":
        return assembly.without(change.pieces)
    if change.kind == "prop":
        return replace(assembly, bodies=(*assembly.bodies, prop_of(assembly, change)))
    mine = {body.name: body for body in assembly.bodies if body.name in change.pieces}
    done = {name: _changed_body(mine[change.pieces[0]], body, change) for name, body in mine.items()}
    return replace(assembly, bodies=tuple(done.get(body.name, body) for body in assembly.bodies))


def _changed_body(leader: Body, body: Body, change: Change) -> Body:
    if change.kind == "friction":
        return body.rubbing(change.amount)
    if change.kind == "add_mass":
        local = vector_of(body.pose.matrix.T @ (np.array(change.point) - body.pose.position))
        load = Load(free_name(body, WEIGHT), local, mass=change.amount)
        return replace(body, piece=with_weight(body.piece, change.amount, local), loads=(*body.loads, load))
    return moved(body, np.array(leader.pose.position), np.array(change.shift), change.turn)


def free_name(body: Body, name: str) -> str:
    """Returns a name that no load on a piece has."""
    taken = {load.name for load in body.loads}
    full = f"{name} on {body.name}"
    return full if full not in taken else f"{full} {len(taken) + 1}"


def moved(body: Body, pivot: Array, shift: Array, turn: float) -> Body:
    """Returns a body turned about an upright axis through a point (3,), then shifted."""
    if not turn:
        return body.at(Pose(vector_of(np.array(body.pose.position) + shift), body.pose.orientation))
    rotation = turned(turn)
    place = pivot + rotation @ (np.array(body.pose.position) - pivot) + shift
    return body.at(Pose(vector_of(place), quaternion_of(rotation @ body.pose.matrix)))


def turned(turn: float) -> Array:
    """Returns the rotation (3, 3) about the upright."""
    return Pose((0.0, 0.0, 0.0), quaternion_of_rpy(0.0, 0.0, turn)).matrix


def prop_of(assembly: Assembly, change: Change) -> Body:
    """Returns the prop: a fixed square post below a point."""
    side = PROP_SIDE * typical_size(assembly.bodies)
    x, y, z = change.point
    names = {body.name for body in assembly.bodies}
    name = next(name for name in chain((PROP,), (f"{PROP}.{n}" for n in count(2))) if name not in names)
    return Body(name, _post(side, change.height), Pose((x, y, z - change.height / 2)), fixed=True)


def prop_shape(assembly: Assembly, change: Change) -> Box:
    """Returns the shape of that post, millimetres."""
    side = 1e3 * PROP_SIDE * typical_size(assembly.bodies)
    return Box(box=(side, side, 1e3 * change.height))


@lru_cache(maxsize=256)
def _post(side: float, height: float) -> Piece:
    sides = (1e3 * side, 1e3 * side, 1e3 * height)
    return build(PieceSpec(model=PROP, shape=Box(box=sides), material=material_named("beech")))


def effort_of(assembly: Assembly, change: Change) -> float:
    """Returns the effort of a change, metres: how far pieces are moved, added up. A piece taken away is moved by four
    of its sizes; a weight counts as many sizes of the median piece as it has its masses, friction as many as it grows
    by parts of itself, a prop as one."""
    size = typical_size(assembly.bodies)
    mine = [body for body in assembly.bodies if body.name in change.pieces]
    if change.kind == "remove":
        return sum(4 * float(body.piece.extents.mean()) for body in mine)
    if change.kind in ("add_mass", "prop"):
        mass = float(median([body.piece.mass for body in assembly.free]))
        return size * (1.0 if change.kind == "prop" else change.amount / mass)
    if change.kind == "friction":
        return size * (change.amount / max(mine[0].piece.material.friction, 1e-3) - 1)
    reach = float(np.linalg.norm(mine[0].piece.extents[:2])) / 2
    return len(mine) * (change.distance + abs(change.turn) * reach)
