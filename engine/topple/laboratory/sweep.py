"""A sweep: the same tower with one piece in many places, or many scenes, each judged, each a row of a table.

A row is decided by statics where it has a safety margin, else by a whole check with its simulations, whose word it
then is. Rows depend on nothing but the tower, the place and the seed: not on other rows, their order, the process or
the machine. `key` names what a row was asked, so that a table can be gone on with and rows of several runs put
together. Under noise a row also has the share of noisy copies that stand.
"""

import hashlib
import json
import math
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field, fields, replace
from functools import lru_cache
from typing import Literal

from scipy.spatial import cKDTree

from teeter.engine.geometry.drop import DropTarget
from teeter.engine.geometry.rotation import quaternion_of, quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.tolerances import MAX_OVERLAP
from teeter.engine.topple.balance.equilibrium import balance_of
from teeter.engine.topple.balance.incremental import IncrementalStatics
from teeter.engine.topple.balance.margins import tilt_of
from teeter.engine.topple.balance.safety_margin import safe_verdict
from teeter.engine.topple.contact.detection import Contacts
from teeter.engine.topple.errors import StaticsError
from teeter.engine.topple.laboratory.noise import Noise, chance
from teeter.engine.topple.laboratory.spots import Spot
from teeter.engine.topple.verdict import CheckOptions, check
from teeter.engine.world.body import Assembly, Body
from teeter.engine.worlds import using
from teeter.models.errors import Untrue
from teeter.models.piece import Piece
from teeter.models.printed import KEPT
from teeter.models.system import after_fork

ONE_PROCESS = CheckOptions(workers=1)
FORMAT = 1
"""Of the keys: raised when rows of an earlier version may not be mixed with new ones."""

Word = Literal["stands", "topples", "unsure", "overlaps", "apart"]
Method = Literal["statics", "dynamics", "geometry"]


@dataclass(frozen=True, slots=True)
class SweepRow(Untrue):
    """One place, or one scene. x_mm, y_mm, z_mm: of the piece's frame; yaw_deg: turned from how it lies in the scene;
    empty for a whole scene. verdict: `overlaps` when the place is taken, `apart` when nothing is below it. judge: what
    decided. tilt_deg: as in `teeter check`; empty where statics is silent. weakest: goes first. chance: the share of
    noisy copies that stand, from chance_low to chance_high at 95 %; empty where no noise was asked for, or the piece
    has no place.
    """

    asked = "verdict"

    number: int
    scene: str
    x_mm: float | None
    y_mm: float | None
    z_mm: float | None
    yaw_deg: float | None
    verdict: Word
    judge: Method
    tilt_deg: float | None
    weakest: str | None
    key: str = field(metadata=KEPT)
    chance: float | None = None
    chance_low: float | None = None
    chance_high: float | None = None


NOISY_COLUMNS = tuple(column.name for column in fields(SweepRow))
COLUMNS = NOISY_COLUMNS[:-3]
"""Of a table, under noise and without."""


@dataclass(frozen=True, slots=True, eq=False)
class SweepPlace:
    """Where the piece shall be tried: x_mm, y_mm, yaw_deg as asked; body: the piece there, None when there is
    nothing below."""

    number: int
    x_mm: float
    y_mm: float
    yaw_deg: float
    body: Body | None


@dataclass(frozen=True, slots=True)
class Terms:
    """What all rows of a sweep are asked under. options: seed, tilt and engine, as for `check`; friction and loads are
    those of the bodies. noise: of `copies` noisy copies a row, None without."""

    options: CheckOptions = ONE_PROCESS
    noise: Noise | None = None
    copies: int = 0

    def told(self) -> list[object]:
        """Returns what a row depends on, as JSON; nothing more than the seed where nothing more is asked."""
        options = self.options
        level = not options.tilt
        asked = (
            [0.0, 0.0, options.engine] if level else [options.tilt, options.tilt_direction, options.engine]
        )
        noise = None if self.noise is None else [*astuple(self.noise), self.copies]
        return [options.seed, *([asked, noise] if not level or options.engine or noise else [])]


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """What all places have in common. tower: without the piece. margins: with the tilt margin of what stands.
    digest: of the tower and the terms, made by `study`."""

    tower: Assembly
    terms: Terms
    margins: bool
    digest: str


@dataclass(frozen=True, slots=True, eq=False)
class SweepScene:
    """A whole scene to be judged. key: of its pieces and the options, made by `case`."""

    number: int
    assembly: Assembly
    terms: Terms
    key: str


def study(tower: Assembly, terms: Terms | None = None, *, margins: bool = True) -> Study:
    """A study of places on a tower."""
    terms = terms or Terms()
    seed, *more = terms.told()
    return Study(tower, terms, margins, _digest([FORMAT, seed, margins, *more, *map(_of_body, tower.bodies)]))


def case(number: int, assembly: Assembly, terms: Terms | None = None) -> SweepScene:
    """A scene as a row to come."""
    terms = terms or Terms()
    return SweepScene(
        number, assembly, terms, _digest([FORMAT, *terms.told(), *map(_of_body, assembly.bodies)])[:16]
    )


def key_of(one: Study, place: SweepPlace) -> str:
    """Returns what a row was asked, in 16 hexadecimal digits."""
    what = None if place.body is None else _of_body(place.body)
    return _digest([one.digest, place.x_mm, place.y_mm, place.yaw_deg, what])[:16]


def whole_of(keys: Sequence[str]) -> tuple[int, str]:
    """Returns how many rows a sweep has, and what tells it from others, in 16 hexadecimal digits."""
    return len(keys), _digest(keys)[:16]


_guard = threading.Lock()
"""Simulators and incremental statics are not for several threads at a time."""
_towers: dict[str, IncrementalStatics] = {}


def _begin_anew() -> None:
    """In a forked process: a thread of the parent may have held the lock, with a tower half made."""
    global _guard
    _guard = threading.Lock()
    _towers.clear()


after_fork(_begin_anew)


def judge_place(one: Study, place: SweepPlace) -> SweepRow:
    """Returns the row of one place. Raises nothing for towers and pieces that can be built."""
    with _guard, using(one.terms.options.engine):
        verdict = _Judged("apart", "geometry") if place.body is None else _find(one, place.body)
    return verdict.row(place.number, one.tower.name, key_of(one, place), place)


def judge_case(one: SweepScene) -> SweepRow:
    """Returns the row of one scene: the verdict of `check`."""
    with _guard, using(one.terms.options.engine):
        verdict = _with_chance(_check(one.assembly, one.terms.options), one.assembly, one.terms)
    return verdict.row(one.number, one.assembly.name, one.key)


@dataclass(frozen=True, slots=True)
class _Judged:
    verdict: Word
    judge: Method
    tilt: float | None = None
    weakest: str | None = None
    chance: tuple[float | None, float | None, float | None] = (None, None, None)

    def row(self, number: int, scene: str, key: str, place: SweepPlace | None = None) -> SweepRow:
        """Returns the row of a scene, or of a place in it."""
        body = None if place is None else place.body
        z = None if body is None else round(body.pose.position[2] * 1e3, 6)
        x, y, yaw = (None, None, None) if place is None else (place.x_mm, place.y_mm, place.yaw_deg)
        tilt = None if self.tilt is None else round(self.tilt, 4)
        return SweepRow(
            number, scene, x, y, z, yaw, self.verdict, self.judge, tilt, self.weakest, key, *self.chance
        )


def _find(one: Study, body: Body) -> _Judged:
    """Returns the verdict on the tower with the piece there."""
    tower = _tower_of(one)
    added = tower.adding(body)
    if any(
        overlap.depth > MAX_OVERLAP and body.name in (overlap.first, overlap.second)
        for overlap in added.overlaps
    ):
        return _Judged("overlaps", "geometry")
    if not added.touches:
        return _Judged("apart", "geometry")
    whole = tower.with_piece(body)
    return _with_chance(_decide(one, whole, tower.contacts(body), added.stands), whole, one.terms)


def _decide(one: Study, whole: Assembly, contacts: Contacts, balanced: bool | None) -> _Judged:
    """Returns the verdict on a whole scene, by statics where it has a safety margin. balanced: on a level table."""
    options = one.terms.options
    if options.tilt:
        quick = safe_verdict(whole, gravity=options.gravity, contacts=contacts)
    else:
        quick = None if balanced is None else safe_verdict(whole, contacts=contacts, balanced=balanced)
    if quick is None:
        return _check(whole, options)
    if not quick.stands:
        return _Judged("topples", "statics", 0.0, quick.first)
    if not one.margins:
        return _Judged("stands", "statics")
    try:
        margin = tilt_of(balance_of(whole, contacts, gravity=options.gravity))
    except StaticsError:
        return _Judged("stands", "statics")
    return _Judged("stands", "statics", margin.degrees, margin.weakest)


def _check(assembly: Assembly, options: CheckOptions) -> _Judged:
    """Returns the verdict of a whole check."""
    verdict = check(assembly, options)
    falls = verdict.word == "topples"
    first = verdict.dynamics.first_to_move if falls else verdict.statics.weakest
    return _Judged(verdict.word, "dynamics", verdict.statics.tilt_deg, first)


def _with_chance(verdict: _Judged, whole: Assembly, terms: Terms) -> _Judged:
    """Returns a verdict with the share of noisy copies that stand, where noise is asked for."""
    if terms.noise is None:
        return verdict
    share = chance(whole, terms.noise, terms.copies, gravity=terms.options.gravity)
    return replace(verdict, chance=(round(share.share, 6), round(share.low, 6), round(share.high, 6)))


def _tower_of(one: Study) -> IncrementalStatics:
    """Returns the incremental statics of a study, kept for the next place; of earlier studies nothing is kept."""
    if one.digest not in _towers:
        _towers.clear()
        _towers[one.digest] = IncrementalStatics(one.tower)
    return _towers[one.digest]


def best(rows: Sequence[SweepRow], count: int) -> list[SweepRow]:
    """The safest: of those that stand, the greatest share of noisy copies first, then the greatest tilt margin; of
    equal ones that which lies farthest from any place where it does not stand."""
    standing = [row for row in rows if row.verdict == "stands"]
    room = dict(zip((row.number for row in standing), _room(rows, standing), strict=True))

    def rank(row: SweepRow) -> tuple[float, float, float, int]:
        return -(row.chance or 0.0), -round(row.tilt_deg or 0.0, 3), -room[row.number], row.number

    return sorted(standing, key=rank)[:count]


def _room(rows: Sequence[SweepRow], standing: Sequence[SweepRow]) -> list[float]:
    """Returns the millimetres from places that stand to the nearest one, equally turned, that does not."""
    bad: dict[float | None, list[tuple[float, float]]] = {}
    for row in rows:
        if row.verdict != "stands" and row.x_mm is not None and row.y_mm is not None:
            bad.setdefault(row.yaw_deg, []).append((row.x_mm, row.y_mm))
    trees = {yaw: cKDTree(places) for yaw, places in bad.items()}
    return [
        round(float(trees[row.yaw_deg].query((row.x_mm or 0.0, row.y_mm or 0.0))[0]), 6)
        if row.yaw_deg in trees
        else math.inf
        for row in standing
    ]


def _digest(what: object) -> str:
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()


def _of_body(body: Body) -> list[object]:
    """Returns all of a body that a verdict depends on, as JSON."""
    more = [body.rolling] if body.rolling else []
    return [body.name, _of_piece(body.piece), body.pose.position, body.pose.orientation, body.fixed, *more]


@lru_cache(maxsize=1024)
def _of_piece(piece: Piece) -> str:
    material = piece.material
    numbers = [piece.mass, *piece.centre_of_mass.tolist(), *piece.inertia.ravel().tolist(), material.friction]
    numbers += [material.rolling_mm] if material.rolling_mm else []
    shapes = [
        [part.kind, part.centre.tolist(), part.rotation.tolist(), part.vertices.tolist(), part.radius]
        for part in piece.parts
    ]
    rings = [[ring.tolist() for ring in facet.rings] for facet in piece.surface.facets]
    return _digest([numbers, material.restitution, shapes, rings])


def places_of(
    body: Body, others: Iterable[Body], spots: Iterable[Spot], keep_height: bool = False
) -> Iterator[SweepPlace]:
    """Yields the piece at every spot (mm, degrees), dropped onto the others unless it keeps its height."""
    target = DropTarget.of(others)
    height, lying = body.pose.position[2], body.pose.matrix
    rotations: dict[float, tuple[float, float, float, float]] = {}
    for number, (x, y, yaw) in enumerate(spots):
        if yaw not in rotations:
            rotation = Pose((0.0, 0.0, 0.0), quaternion_of_rpy(0.0, 0.0, math.radians(yaw))).matrix
            rotations[yaw] = quaternion_of(rotation @ lying) if yaw else body.pose.orientation
        there = body.at(Pose((x / 1e3, y / 1e3, height), rotations[yaw]))
        yield SweepPlace(number, x, y, yaw, there if keep_height else target.dropped(there))
