"""The loads of a scene file on the bodies of the scene, and what it says of pairs of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from teeter.engine.load import Load
from teeter.engine.world.body import Body
from teeter.models.ballast import with_weight
from teeter.models.errors import ModelError
from teeter.scenes.assemble import GRAM, MM
from teeter.scenes.friction import Names, rubbing
from teeter.scenes.scene import Fault, Scene, SceneError, nearest, quote
from teeter.scenes.schema import LoadTable, PairTable, PieceTable, tables_of_all

ROUNDING = 1e-6
"""Millimetres, outside of a piece."""


def loaded(
    bodies: Iterable[Body], tables: Sequence[LoadTable], file: str, excused: Collection[str] = ()
) -> tuple[tuple[Body, ...], list[Fault]]:
    """Returns the bodies with the loads of a file, and what is wrong with these. excused: pieces that will be taken
    out, also those that are no more."""
    by_name = {body.name: body for body in bodies}
    faults: list[Fault] = []
    names: set[str] = set()
    for number, table in enumerate(tables, start=1):
        name = table.id or f"load {number}"
        blank = partial(Fault, file, table=f"load[{number}]")
        if table.id in names:
            faults.append(blank("is the id of a load before: choose another", key="id", value=quote(name)))
        names.add(name)
        body = by_name.get(table.piece)
        if body is None or body.fixed:
            known = [body.name for body in by_name.values() if not body.fixed]
            problem = "is a support, which carries any load" if body else "there is no such piece"
            if body is not None or table.piece not in excused:
                faults.append(
                    blank(problem + nearest(table.piece, known), key="piece", value=quote(table.piece))
                )
            continue
        beyond = np.abs(table.at) - np.array(body.piece.extents) / MM / 2
        if (worst := float(beyond.max())) > ROUNDING:
            problem = (
                f"lies {worst:.4g} mm outside the piece: a place is measured from the middle of its bounding box, "
                "along its own axes"
            )
            faults.append(
                blank(problem, key="at", value=quote([f"{value:g}" for value in table.at]).replace('"', ""))
            )
            continue
        by_name[body.name] = _with_load(body, name, table)
    return tuple(by_name.values()), faults


def _with_load(body: Body, name: str, table: LoadTable) -> Body:
    x, y, z = table.at
    point = (x * MM, y * MM, z * MM)
    if table.mass is None:
        assert table.force is not None
        return replace(body, loads=(*body.loads, Load(name, point, table.force)))
    load = Load(name, point, mass=table.mass * GRAM)
    return replace(body, piece=with_weight(body.piece, load.mass, point), loads=(*body.loads, load))


def tables_of(bodies: Iterable[Body]) -> list[dict[str, object]]:
    """Returns the `[[load]]` tables of bodies."""
    rows: list[dict[str, object]] = []
    for body in bodies:
        for load in body.loads:
            row: dict[str, object] = {"id": load.name, "piece": body.name}
            row["at"] = [round(value / MM, 9) for value in load.point]
            row |= {"force": list(load.force)} if load.is_force else {"mass": round(load.mass / GRAM, 9)}
            rows.append(row)
    return rows


MAX_PAIRS = 100_000
"""Of bodies that `[[pair]]` tables name: materials of many pieces on both sides."""


def paired(
    bodies: Iterable[Body], tables: Sequence[PairTable], file: str, excused: Collection[str] = ()
) -> tuple[tuple[Body, ...], list[Fault]]:
    """Returns the bodies with friction and rolling resistance of each pair, a later table before an earlier one, and
    what is wrong with the tables. excused: as for `loaded`."""
    by_name = {body.name: body for body in bodies}
    known = [*by_name, *(body.piece.material.name for body in by_name.values())]
    lengths: dict[Names, float] = {}
    frictions: dict[Names, float] = {}
    faults: list[Fault] = []
    seen: set[tuple[str, ...]] = set()
    for number, table in enumerate(tables, start=1):
        sides = [_named(name, by_name) for name in table.between]
        for name, side in zip(table.between, sides, strict=True):
            if not side and name not in excused:
                problem = f"there is no such piece or material{nearest(name, dict.fromkeys(known))}"
                faults.append(Fault(file, problem, f"pair[{number}]", "between", quote(name)))
        faults += [
            Fault(file, problem, f"pair[{number}]", "between", quote(list(table.between)))
            for problem in _misnamed(table, by_name, seen)
        ]
        if len(sides[0]) * len(sides[1]) + len(lengths) + len(frictions) > MAX_PAIRS:
            problem = (
                f"names more than {MAX_PAIRS} pairs of pieces: give the values to their material instead"
            )
            return tuple(by_name.values()), [*faults, Fault(file, problem, f"pair[{number}]")]
        named = {(min(one, other), max(one, other)) for one in sides[0] for other in sides[1] if one != other}
        if table.rolling_mm is not None:
            lengths |= dict.fromkeys(sorted(named), table.rolling_mm * MM)
        if table.friction is not None:
            frictions |= dict.fromkeys(sorted(named), table.friction)
    for (one, other), length in lengths.items():
        by_name[one] = replace(by_name[one], rolling=(*by_name[one].rolling, (other, length)))
    try:
        return (rubbing(by_name.values(), frictions) if frictions else tuple(by_name.values())), faults
    except ModelError as error:
        return tuple(by_name.values()), [*faults, Fault(file, str(error), "pair", "friction")]


def _misnamed(table: PairTable, bodies: Mapping[str, Body], seen: set[tuple[str, ...]]) -> Iterator[str]:
    """What is wrong with the names of a pair: a piece and itself, or names given before. (A later table goes before an
    earlier one for a piece among those of its material.) seen: what was given before, added to."""
    one, other = table.between
    if one == other and one in bodies:
        yield "a piece does not touch itself: name two pieces, or a material"
    for what in ("friction", "rolling_mm"):
        if getattr(table, what) is not None:
            key = (what, *sorted(table.between))
            if key in seen:
                yield f"{what} of these is given twice: keep one"
            seen.add(key)


def rubbed(
    written: Mapping[str, PieceTable], bodies: Iterable[Body], tables: Sequence[PairTable]
) -> dict[str, PieceTable]:
    """Returns what a file says of its pieces with the frictions that its pairs give them."""
    if all(table.friction is None for table in tables):
        return dict(written)
    values = {body.name: body.piece.material.friction for body in bodies}
    return {name: one.model_copy(update={"friction": values[name]}) for name, one in written.items()}


def _named(name: str, bodies: Mapping[str, Body]) -> list[str]:
    """The bodies of a name: one, or all of a material."""
    if name in bodies:
        return [name]
    return [body.name for body in bodies.values() if body.piece.material.name == name]


def pair_tables_of(bodies: Iterable[Body]) -> list[dict[str, object]]:
    """Returns the `[[pair]]` tables of bodies; their frictions are in the pieces' own values."""
    return [
        {"between": [body.name, other], "rolling_mm": round(length / MM, 9)}
        for body in bodies
        for other, length in body.rolling
    ]


def refuse_loads(scene: Scene, what: str, *, weights: bool = True) -> None:
    """Raises SceneError for a scene with loads on its pieces. what: that does not take them. weights: but those."""
    names = dict.fromkeys(
        load.name for body in scene.assembly.free for load in body.loads if load.is_force or not weights
    ) | dict.fromkeys(tables_of_all(scene.head))
    if names:
        problem = f"{what} does not take loads ({', '.join(names)}): `teeter check` does, or leave them out"
        raise SceneError.of(scene.name, problem)
