"""A sweep: the same tower with one piece in many places, or many scenes, each judged, each a row of a table.

A row is decided by statics where it has leeway (`leeway`), else by a whole check with its simulations, whose word it
then is. Rows depend on nothing but the tower, the place and the seed: not on other rows, their order, the process or
the machine. `key` names what a row was asked, so that a table can be gone on with and rows of several runs put
together.
"""

from __future__ import annotations

import hashlib
import json
import math
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy.spatial import cKDTree

from engine.topple.conic import StaticsError
from engine.topple.equilibrium import balance_of
from engine.topple.known import KnownTower
from engine.topple.leeway import clear
from engine.topple.margins import tilt_of
from engine.topple.verdict import Options, check
from engine.world import Assembly, Body
from models.piece import Piece

FORMAT = 1
"""Of the keys: raised when rows of an earlier version may not be mixed with new ones."""
OVERLAP = 2e-4
"""Metres that the piece may stand in others, as in a scene file."""

Word = Literal["stands", "topples", "unsure", "overlaps", "apart"]
Judge = Literal["statics", "dynamics", "geometry"]


@dataclass(frozen=True, slots=True)
class Row:
    """One place, or one scene. x_mm, y_mm, z_mm: of the piece's frame; yaw_deg: turned from how it lies in the scene;
    empty for a whole scene. verdict: `overlaps` when the place is taken, `apart` when nothing is below it. judge: what
    decided. tilt_deg: as in `teeter check`; empty where statics is silent. weakest: goes first.
    """

    number: int
    scene: str
    x_mm: float | None
    y_mm: float | None
    z_mm: float | None
    yaw_deg: float | None
    verdict: Word
    judge: Judge
    tilt_deg: float | None
    weakest: str | None
    key: str


COLUMNS = tuple(field.name for field in fields(Row))


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where the piece shall be tried: x_mm, y_mm, yaw_deg as asked; body: the piece there, None when there is nothing
    below.
    """

    number: int
    x_mm: float
    y_mm: float
    yaw_deg: float
    body: Body | None


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """What all places have in common. tower: without the piece. margins: with the tilt margin of what stands. digest:
    of the tower and the options, made by `study`.
    """

    tower: Assembly
    seed: int
    margins: bool
    digest: str


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A whole scene to be judged. key: of its pieces and the options, made by `case`."""

    number: int
    assembly: Assembly
    seed: int
    key: str


def study(tower: Assembly, *, seed: int = 0, margins: bool = True) -> Study:
    """A study of places on a tower."""
    return Study(tower, seed, margins, _digest([FORMAT, seed, margins, *map(_of_body, tower.bodies)]))


def case(number: int, assembly: Assembly, seed: int = 0) -> Case:
    """A scene as a row to come."""
    return Case(number, assembly, seed, _digest([FORMAT, seed, *map(_of_body, assembly.bodies)])[:16])


def key_of(one: Study, place: Place) -> str:
    """What a row was asked, in 16 hexadecimal digits."""
    what = None if place.body is None else _of_body(place.body)
    return _digest([one.digest, place.x_mm, place.y_mm, place.yaw_deg, what])[:16]


_guard = threading.Lock()
"""Simulators and known towers are not for several threads at a time."""
_known: dict[str, KnownTower] = {}


def judge_place(one: Study, place: Place) -> Row:
    """The row of one place. Raises nothing for towers and pieces that can be built."""
    with _guard:
        return _judged(one, place)


def judge_case(one: Case) -> Row:
    """The row of one scene: the verdict of `check`."""
    with _guard:
        found = _checked(one.assembly, one.seed)
    return Row(
        number=one.number,
        scene=one.assembly.name,
        x_mm=None,
        y_mm=None,
        z_mm=None,
        yaw_deg=None,
        verdict=found.verdict,
        judge=found.judge,
        tilt_deg=None if found.tilt is None else round(found.tilt, 4),
        weakest=found.weakest,
        key=one.key,
    )


def judge_places(one: Study, places: Iterable[Place]) -> list[Row]:
    """The rows of some places: a parcel for a cluster."""
    return [judge_place(one, place) for place in places]


def _judged(one: Study, place: Place) -> Row:
    height = None if place.body is None else round(place.body.pose.position[2] * 1e3, 6)
    found = _Finding("apart", "geometry") if place.body is None else _find(one, place.body)
    return Row(
        number=place.number,
        scene=one.tower.name,
        x_mm=place.x_mm,
        y_mm=place.y_mm,
        z_mm=height,
        yaw_deg=place.yaw_deg,
        verdict=found.verdict,
        judge=found.judge,
        tilt_deg=None if found.tilt is None else round(found.tilt, 4),
        weakest=found.weakest,
        key=key_of(one, place),
    )


@dataclass(frozen=True, slots=True)
class _Finding:
    verdict: Word
    judge: Judge
    tilt: float | None = None
    weakest: str | None = None


def _find(one: Study, body: Body) -> _Finding:
    """The verdict on the tower with the piece there."""
    known = _tower_of(one)
    added = known.adding(body)
    if any(each.depth > OVERLAP and body.name in (each.first, each.second) for each in added.overlaps):
        return _Finding("overlaps", "geometry")
    if not added.touches:
        return _Finding("apart", "geometry")
    whole, contacts = known.with_piece(body), known.contacts(body)
    quick = None if added.stands is None else clear(whole, contacts=contacts, balanced=added.stands)
    if quick is None:
        return _checked(whole, one.seed)
    if not quick.stands:
        return _Finding("topples", "statics", 0.0, quick.first)
    if not one.margins:
        return _Finding("stands", "statics")
    try:
        margin = tilt_of(balance_of(whole, contacts))
    except StaticsError:
        return _Finding("stands", "statics")
    return _Finding("stands", "statics", margin.degrees, margin.weakest)


def _checked(assembly: Assembly, seed: int) -> _Finding:
    """The verdict of a whole check."""
    found = check(assembly, Options(seed=seed, workers=1))
    falls = found.word == "topples"
    first = found.dynamics.first_to_move if falls else found.statics.weakest
    return _Finding(found.word, "dynamics", found.statics.tilt_deg, first)


def _tower_of(one: Study) -> KnownTower:
    """The known tower of a study, kept for the next place; of earlier studies nothing is kept."""
    if one.digest not in _known:
        _known.clear()
        _known[one.digest] = KnownTower(one.tower)
    return _known[one.digest]


def best(rows: Sequence[Row], count: int) -> list[Row]:
    """The safest: of those that stand, the greatest tilt margin first; of equal ones that which lies farthest from any
    place where it does not stand.
    """
    standing = [row for row in rows if row.verdict == "stands"]
    room = dict(zip((row.number for row in standing), _room(rows, standing), strict=True))
    order = sorted(standing, key=lambda row: (-round(row.tilt_deg or 0.0, 3), -room[row.number], row.number))
    return order[:count]


def _room(rows: Sequence[Row], standing: Sequence[Row]) -> list[float]:
    """Millimetres from places that stand to the nearest one, equally turned, that does not."""
    bad: dict[float | None, list[tuple[float, float]]] = {}
    for row in rows:
        if row.verdict != "stands" and row.x_mm is not None and row.y_mm is not None:
            bad.setdefault(row.yaw_deg, []).append((row.x_mm, row.y_mm))
    trees = {yaw: cKDTree(places) for yaw, places in bad.items()}
    room = []
    for row in standing:
        here = np.array([row.x_mm, row.y_mm], dtype=np.float64)
        room.append(round(float(trees[row.yaw_deg].query(here)[0]), 6) if row.yaw_deg in trees else math.inf)
    return room


def _digest(what: object) -> str:
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()


def _of_body(body: Body) -> list[object]:
    """All of a body that a verdict depends on, as JSON."""
    return [body.name, _of_piece(body.piece), body.pose.position, body.pose.orientation, body.fixed]


@lru_cache(maxsize=1024)
def _of_piece(piece: Piece) -> str:
    material = piece.material
    numbers = [piece.mass, *piece.centre_of_mass.tolist(), *piece.inertia.ravel().tolist(), material.friction]
    shapes = [
        [part.kind, part.centre.tolist(), part.rotation.tolist(), part.vertices.tolist(), part.radius]
        for part in piece.parts
    ]
    rings = [[ring.tolist() for ring in facet.rings] for facet in piece.surface.facets]
    return _digest([numbers, material.restitution, shapes, rings])
