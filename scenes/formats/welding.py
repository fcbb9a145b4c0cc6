"""Links and joints of robots: what fixed joints join is one body, and what a moving joint carries is refused."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from teeter.scenes.formats.description import FormatError, Mass, RigidBody
from teeter.scenes.scene import Fault


@dataclass(slots=True, eq=False)
class Joint:
    """What joins two links. kind: `fixed`, `floating`, or one that moves."""

    name: str
    kind: str
    parent: str
    child: str


def welded(
    links: Sequence[RigidBody], joints: Sequence[Joint], file: str, notes: list[str], world: str = "world"
) -> list[RigidBody]:
    """Returns the links with those made one that fixed joints join; what joins the world, and what has fixed links
    and no mass, is fixed, link by link. notes: gets what became of links without a mass or a solid.

    Raises FormatError for every joint that moves: it would have to carry what hangs on it.
    """
    names = [link.name for link in links]
    known = {*names, world}
    problem = "joins {}: joints that move are not simulated; make it fixed, or leave out what it carries"
    faults = [
        Fault(
            file,
            problem.format(f'"{joint.parent}" and "{joint.child}"'),
            f'{joint.kind} joint "{joint.name}"',
        )
        for joint in joints
        if joint.kind not in ("fixed", "floating")
    ]
    faults += [
        Fault(file, f'there is no link "{end}"', f'joint "{joint.name}"')
        for joint in joints
        for end in (joint.parent, joint.child)
        if end not in known
    ]
    twice = [name for name, count in Counter(names).items() if count > 1]
    faults += [Fault(file, "is there twice: give one another name", f'link "{name}"') for name in twice]
    if faults:
        raise FormatError(faults)
    group = {name: name for name in known}

    def root(name: str) -> str:
        while group[name] != name:
            name = group[name]
        return name

    for joint in joints:
        if joint.kind == "fixed":
            one, other = root(joint.parent), root(joint.child)
            group[other if one == root(world) else one] = one if one == root(world) else other
    bodies: dict[str, RigidBody] = {}
    heavy = {root(link.name) for link in links if link.masses}
    held = {root(link.name) for link in links if link.fixed} - heavy
    for link in sorted(links, key=lambda link: not link.parts):  # a body is called as what is seen of it
        owner = root(link.name)
        if owner == root(world) or owner in held:
            bodies[f"fixed {link.name}"] = replace(link, fixed=True)
            continue
        if link.usual is not None and owner in heavy:
            added = f"{link.usual:g} kg" if link.usual else "nothing"
            notes.append(f'link "{link.name}" gives no mass: it adds {added} to what it is welded to')
            link = replace(link, masses=[Mass(link.usual, np.zeros(3), None)] if link.usual else [])
        elif link.usual is not None and link.parts:
            said = "has no mass: it is made of the material of pieces without one (--material)"
            notes.append(f'link "{link.name}" {said}')
        if owner not in bodies:
            bodies[owner] = replace(link, fixed=False, parts=list(link.parts), masses=list(link.masses))
        else:
            _weld(bodies[owner], link)
    lost = [body for body in bodies.values() if not body.parts and not body.fixed]
    notes += [f'link "{body.name}" has no <collision> and is left out' for body in lost]
    return [body for body in bodies.values() if body.parts]


def _weld(onto: RigidBody, link: RigidBody) -> None:
    """Add a link to a body."""
    between = np.linalg.inv(onto.matrix) @ link.matrix
    onto.parts += [replace(part, matrix=between @ part.matrix) for part in link.parts]
    onto.masses += [mass.moved(between) for mass in link.masses]
    if onto.friction is None or (link.friction is not None and link.friction < onto.friction):
        onto.friction = link.friction
