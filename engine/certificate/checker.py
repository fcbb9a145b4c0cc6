"""The independent checker of stability certificates. It trusts nobody: exact fractions, no floats, no solver.

A certificate lists rigid bodies made of convex polyhedra, a plane between any two that are close, and a proof:

* `stands`: a force at every contact point, inside its friction cone, such that every free body is in equilibrium;
* `topples`: a motion of the free bodies that no contact opposes and in which gravity does work. Then no forces in the
  cones balance the weights (Farkas; Livesley 1978, section 4).

Contact points are computed: two polyhedra touch where their outlines near their plane overlap. The plane is no matter
of choice: a face, or two edges that cross, must lie in it. What stands touches with corners near it, and carries
nothing where edges only meet. What topples touches wherever points of the two may be near each other, so that no plane
hides a contact, and stays together where edges meet, as nothing tells the normal there (mu is None). Numbers are texts,
`"3"` or `"-1/3"`; metres, kilograms, seconds."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

VERSION = 1
TOUCH = Fraction(2, 10**5)  # metres: what is this close touches, as in a verdict; so deep it may overlap
ROUNDING = Fraction(1, 10**7)  # metres by which an outline may be cut short
FLAT = Fraction(1, 10**8)  # metres by which corners of a face may lie off its plane, as they are rounded
INSIDE = Fraction(2, 10**4)  # metres from the edge of a face: in what topples, nearer ones tell no normal
WIDE = Fraction(1, 10**4)  # metres: a narrower face, or edges that cross by less, fix no plane


class RefusedError(Exception):
    """Not a valid certificate; the message says why."""


class Vector(tuple[Fraction, ...]):
    """Numbers with the sum, the multiple and the scalar product (`@`)."""

    def __add__(self, other: Iterable[Fraction]) -> Vector:  # type: ignore[override]
        return Vector(a + b for a, b in zip(self, other, strict=True))

    def __sub__(self, other: Iterable[Fraction]) -> Vector:
        return Vector(a - b for a, b in zip(self, other, strict=True))

    def __rmul__(self, factor: Fraction | int) -> Vector:  # type: ignore[override]
        return Vector(factor * a for a in self)

    def __matmul__(self, other: Iterable[Fraction]) -> Fraction:
        return sum((a * b for a, b in zip(self, other, strict=True)), Fraction(0))


Contact = tuple[
    str, str, Vector, Vector, Fraction | None
]  # who is above, below, a point, the normal up, mu squared
Points = list[Vector]
Free = Mapping[str, tuple[Vector, Vector]]  # weight and centre of mass of every free body


def check(certificate: Mapping[str, Any]) -> str:
    """Return what a certificate proves, `stands` or `topples`. Raises RefusedError when it proves nothing."""
    try:
        _require(certificate["certificate"] == VERSION, f"the version is not {VERSION}")
        _require(certificate["digest"] == digest_of(certificate), "the digest does not fit: it was changed")
        bodies, pull = certificate["bodies"], vector(certificate["gravity"])
        whole = all(min(map(len, b["parts"]), default=0) > 3 and isinstance(b["fixed"], bool) for b in bodies)
        loose = [body for body in bodies if not body["fixed"]]
        _require(whole and any(loose), "no body is free, or one has no shape")
        _require(all(_number(b["mass"]) > 0 for b in loose) and any(pull), "a free body has no weight")
        free = {b["name"]: (_number(b["mass"]) * pull, placed(b, [b["centre"]])[0]) for b in loose}
        proof = {"stands": _check_forces, "topples": _check_motion}[certificate["claim"]]
        proof(contacts_of(certificate), certificate, free)
        return str(certificate["claim"])
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise RefusedError(f"malformed: {type(error).__name__}: {error}") from None


def _check_forces(contacts: list[Contact], certificate: Mapping[str, Any], free: Free) -> None:
    forces = [vector(force) for force in certificate["forces"]]
    _require(len(forces) == len(contacts), f"{len(forces)} forces for {len(contacts)} contact points")
    push, moment = ({name: factor * free[name][0] for name in free} for factor in (1, 0))
    for force, (upper, lower, point, normal, friction) in zip(forces, contacts, strict=True):
        along = force @ normal
        is_held = (force @ force) * (normal @ normal) - along**2 <= (friction or 0) * along**2
        _require(along >= 0 and is_held, f"the force of {lower} on {upper} is outside its friction cone")
        for name, sign in ((upper, 1), (lower, -1)):
            if name in free:
                push[name] += sign * force
                moment[name] += sign * cross(point - free[name][1], force)
    for name in free:
        _require(not any(push[name]) and not any(moment[name]), f"{name} is not in equilibrium")


def _check_motion(contacts: list[Contact], certificate: Mapping[str, Any], free: Free) -> None:
    motion = {name: [vector(row) for row in certificate["motion"][name]] for name in free}

    def velocity(name: str, point: Vector) -> Vector:
        return motion[name][0] + cross(motion[name][1], point - free[name][1]) if name in free else 0 * point

    for upper, lower, point, normal, friction in contacts:
        parting = velocity(upper, point) - velocity(lower, point)
        along = parting @ normal
        sliding = (parting @ parting) * (normal @ normal) - along**2
        is_in_dual = friction is not None and along >= 0 and along**2 >= friction * sliding
        _require(is_in_dual or not any(parting), f"the contact of {upper} and {lower} opposes the motion")
    _require(sum(weight @ motion[name][0] for name, (weight, _) in free.items()) > 0, "gravity does no work")


def contacts_of(certificate: Mapping[str, Any]) -> list[Contact]:
    """Return all contact points, in the order of the bodies. Raises RefusedError when two polyhedra overlap."""
    planes: dict[tuple[str, int, str, int], Any] = {}
    for plane in certificate["planes"]:
        one, i, other, j = plane["between"]
        is_new = type(i) is type(j) is int and (one, i, other, j) not in planes
        _require(is_new, f"two planes between {one} and {other}, or their parts are no numbers")
        planes[one, i, other, j] = plane
    is_whole = certificate["claim"] == "topples"
    bodies = certificate["bodies"]
    _require(len({body["name"] for body in bodies}) == len(bodies), "two bodies have one name")
    parts = [(body, k, placed(body, part)) for body in bodies for k, part in enumerate(body["parts"])]
    boxes = [[(min(axis), max(axis)) for axis in zip(*points, strict=True)] for _, _, points in parts]
    contacts: list[Contact] = []
    for (a, box), (b, room) in combinations(zip(parts, boxes, strict=True), 2):
        (one, i, mine), (other, j, theirs) = a, b
        is_apart = any(s[0] - t[1] > TOUCH or t[0] - s[1] > TOUCH for s, t in zip(box, room, strict=True))
        if one is other or (one["fixed"] and other["fixed"]) or is_apart:
            continue
        key, names = (one["name"], i, other["name"], j), f"{one['name']} and {other['name']}"
        _require(key in planes, f"there is no plane between {names}, in this order")
        normal = vector(planes[key]["normal"])
        friction = _number(one["friction"]) * _number(other["friction"])
        _require(any(normal) and friction >= 0, "a plane has no normal, or friction is negative")
        low, high = min(c @ normal for c in mine), max(c @ normal for c in theirs)
        offset, sizes = (low + high) / 2, Vector(map(abs, normal))
        _require(low - high >= -TOUCH * max(sizes), f"{names} overlap")
        reach = TOUCH * (sum if is_whole else max)(sizes)  # no less than the normal is long, or no more
        if low - high > reach:
            continue
        _require(fixes(mine, theirs, normal), f"no face or edges of {names} lie in the plane between them")
        above = _near(mine, normal, offset, high + reach, is_whole)
        below = _near(theirs, -1 * normal, -offset, reach - low, is_whole)
        points = _common(above, below, normal, offset, TOUCH if is_whole else Fraction(0))
        faces = [
            _near(_face(c, up), up, at, None)
            for c, up, at in ((mine, normal, offset), (theirs, -1 * normal, -offset))
        ]
        is_clear = bool(points) and _is_clear(points, normal, -INSIDE if is_whole else Fraction(0), faces)
        grip = friction if is_clear else None
        contacts += [(one["name"], other["name"], p, normal, grip) for p in points if is_clear or is_whole]
    return contacts


def fixes(mine: Points, theirs: Points, normal: Vector) -> bool:
    """Return whether a face, or two edges that cross, of two polyhedra support them along a normal."""
    faces = _face(mine, normal), _face(theirs, -1 * normal)
    ways = [corner - face[0] for face in faces for corner in face[1:]]
    longest = max(ways, key=lambda way: way @ way, default=0 * normal)
    across = [cross(longest, way) for way in ways]
    return any(way @ way >= WIDE**2 * (longest @ longest) > 0 for way in across)


def _face(corners: Points, up: Vector) -> Points:
    least = min(c @ up for c in corners) + FLAT * max(map(abs, up))
    return [c for c in corners if c @ up <= least]


def _near(
    corners: Points, up: Vector, offset: Fraction, level: Fraction | None, is_whole: bool = False
) -> Points:
    """Return the outline in the plane of the corners below a level, or of all; of the whole where it reaches beyond."""
    u, v = (k for k in range(3) if k != _axis(up))
    square, seen = up @ up, []
    for corner in corners:
        rise = (offset - corner @ up) / square
        seen.append((corner @ up, Vector((corner[u] + rise * up[u], corner[v] + rise * up[v]))))
    ring = _hull(foot for height, foot in seen if level is None or height <= level)
    if level is None or not is_whole:
        return ring
    sides = _sides(ring, ROUNDING)

    def is_out(point: Vector) -> bool:
        return any(is_in(point) < 0 for is_in in sides)

    outer = [(height, foot) for height, foot in seen if height > level and is_out(foot)]
    cut = [p + (level - h) / (g - h) * (q - p) for h, p in seen if h <= level for g, q in outer]
    return _hull([*ring, *filter(is_out, _hull([*ring, *cut]))])


def _axis(normal: Vector) -> int:
    return max(range(3), key=lambda k: abs(normal[k]))


def _common(above: Points, below: Points, normal: Vector, offset: Fraction, slack: Fraction) -> Points:
    axis = _axis(normal)
    u, v = (k for k in range(3) if k != axis)
    area, other = sorted((above, below), key=len)
    for is_in in _sides(other, slack):
        ring, area = area, []  # cut off what is outside (Sutherland and Hodgman 1974)
        for a, b in zip(ring, [*ring[1:], *ring[:1]], strict=True):
            at_a, at_b = is_in(a), is_in(b)
            area += [a] if at_a >= 0 else []
            area += [a + at_a / (at_a - at_b) * (b - a)] if (at_a < 0) != (at_b < 0) else []
    heights = {point: (offset - normal[u] * point[0] - normal[v] * point[1]) / normal[axis] for point in area}
    return [Vector({u: x, v: y, axis: z}[k] for k in range(3)) for (x, y), z in heights.items()]


def _is_clear(points: Points, normal: Vector, slack: Fraction, faces: Sequence[Points]) -> bool:
    """Return whether contact points lie about a place in a face, or edges cross: else nothing tells the normal."""
    u, v = (k for k in range(3) if k != _axis(normal))
    part = Fraction(1, len(points))
    middle = Vector((part * sum(p[u] for p in points), part * sum(p[v] for p in points)))
    if max(map(len, faces)) > 2:
        return any(all(is_in(middle) > 0 for is_in in _sides(f, slack)) for f in faces if len(f) > 2)
    return len(points) == 1 and all(len(f) == 2 and (f[0] - middle) @ (f[1] - middle) < 0 for f in faces)


def _hull(points: Iterable[Vector]) -> Points:
    rest, ring = sorted(set(points)), list[Vector]()  # Andrew 1979: counter-clockwise
    for order in (rest, rest[::-1]):
        chain: list[Vector] = []
        for point in order:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
                chain.pop()
            chain.append(point)
        ring += chain[:-1]
    return ring or rest


def _sides(ring: Sequence[Vector], slack: Fraction) -> list[Callable[[Vector], Fraction]]:
    def edge(a: Vector, b: Vector, across: bool) -> Callable[[Vector], Fraction]:
        room = slack * sum(map(abs, b - a))  # not negative within `slack`, linear in the point
        return lambda p: room + ((p - a) @ (b - a) if across else _turn(a, b, p))

    if len(ring) == 1:  # both are points
        return [lambda p: slack - max(map(abs, p - ring[0]))]
    both = (False, True) if len(ring) == 2 else (False,)
    return [edge(a, b, across) for a, b in zip(ring, [*ring[1:], ring[0]], strict=True) for across in both]


def _turn(a: Vector, b: Vector, c: Vector) -> Fraction:
    return (b - a)[0] * (c - a)[1] - (b - a)[1] * (c - a)[0]  # positive when a, b, c turn left


def placed(body: Mapping[str, Any], points: Iterable[Sequence[Any]]) -> list[Vector]:
    """Return points of a body's frame in the world. A quaternion of any length is an exact rotation."""
    x, y, z, w = map(_number, body["rotation"])
    axis, position, scale = Vector((x, y, z)), vector(body["position"]), 2 / (x * x + y * y + z * z + w * w)
    twice = [(point, scale * cross(axis, point)) for point in map(vector, points)]
    return [position + point + w * t + cross(axis, t) for point, t in twice]


def digest_of(certificate: Mapping[str, Any]) -> str:
    """Return the SHA-256 of everything else in a certificate."""
    rest = {key: value for key, value in certificate.items() if key != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode("utf-8")).hexdigest()


def _number(text: str) -> Fraction:
    parts = re.fullmatch(r"(-?[0-9]{1,4000})(?:/([0-9]{1,4000}))?", text)
    _require(parts is not None, f"{text[:40]!r} is no number")
    return Fraction(*map(int, parts.groups("1")))  # type: ignore[union-attr]


def vector(texts: Sequence[str]) -> Vector:
    """Return three numbers of the file."""
    return Vector(_number(text) for text in (texts[0], texts[1], texts[2]))


def _require(holds: bool, why: str) -> None:
    if not holds:
        raise RefusedError(why)


def cross(a: Vector, b: Vector) -> Vector:
    """Return the vector product."""
    return Vector((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]))
