"""Random scenes of `textbook_kinds` as teeter has them, its answers beside those of `textbook`."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from textbook import ARM, MOST, Block, Program, program
from textbook_kinds import scene

import teeter
from teeter.engine.topple.balance.answer import Statics
from teeter.engine.topple.balance.statics import analyse
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.topple.load_factors import load_factors
from teeter.engine.world.body import DOWN
from teeter.models.piece import Array

WEIGHT = 9.81e-3
"""Newtons of a gram."""
RELATIVE, DEGREES = 1e-3, 0.01
"""How far margins of what cannot be wedged may differ: a solver's tolerance, and what the search for the worst
direction leaves."""


@dataclass(frozen=True, slots=True)
class Beside:
    """One scene by both. stands: by the textbook. along, least: degrees of tilt by the textbook, towards where teeter's
    margin lies, and in the worst of 16 directions. is_level: nothing can be wedged. factors: of each load, teeter's and
    the textbook's."""

    number: int
    kind: str
    statics: Statics
    stands: bool
    along: float
    least: float
    is_level: bool
    factors: tuple[tuple[float, float], ...]


def beside(number: int) -> Beside:
    """Judges a scene by both."""
    kind, blocks = scene(number)
    rows = [_load(block, *pull) for block in blocks for pull in block.pulls]
    built = teeter.build([_table(block) for block in blocks], loads=rows)
    contacts = find_contacts(built.assembly)
    assert contacts.meet, (kind, number)
    statics = analyse(built.assembly, contacts=contacts)
    own = program(blocks)
    if own.most(np.zeros(own.matrix.shape[0])) is None:
        return Beside(number, kind, statics, False, 0.0, 0.0, own.is_level, ())
    # what does not turn with gravity is larger beside tan(tilt) and -1
    tilting = program([_pulled(block, statics.tilt_deg or 0.0) for block in blocks]) if rows else own
    along = tilting.most(own.tilted(math.radians(statics.tilt_direction_deg or 0.0)))
    around = [tilting.most(own.tilted(angle)) or 0.0 for angle in np.arange(16) * math.pi / 8]
    found = load_factors(built.assembly, contacts, statics, DOWN, (0.0, 0.0, 0.0)) if rows else ()
    theirs = _most_of_each(own, blocks)
    factors = tuple(
        (min(ours.factor or math.inf, 1 + MOST), most)
        for ours, most in zip(found, theirs, strict=bool(found))
    )
    return Beside(
        number, kind, statics, True, _degrees(along or 0.0), _degrees(min(around)), own.is_level, factors
    )


def _most_of_each(own: Program, blocks: list[Block]) -> list[float]:
    moving = [block for block in blocks if not block.fixed]
    found = []
    for at, block in enumerate(moving):
        for place, force in block.pulls:
            pull = np.zeros((len(moving), 6))
            pull[at, :3] = force
            pull[at, 3:] = np.cross(np.array(place) - own.centres[at], force) / ARM
            found.append(1 + (own.most(pull.ravel()) or 0.0))
    return found


def _pulled(block: Block, degrees: float) -> Block:
    upright = math.cos(math.radians(degrees))
    pulls = tuple((place, (x / upright, y / upright, z / upright)) for place, (x, y, z) in block.pulls)
    return replace(block, pulls=pulls)


def _load(block: Block, place: tuple[float, ...], force: tuple[float, ...]) -> dict[str, Any]:
    at = (np.array(place) - _middle(block)).tolist()
    return {"piece": block.name, "at": at, "force": (WEIGHT * np.array(force)).tolist()}


def _table(block: Block) -> dict[str, Any]:
    middle = _middle(block)
    row: dict[str, Any] = {"id": block.name, "position": middle.tolist(), "fixed": block.fixed}
    row["material"] = {"density": 1000, "friction": block.friction}
    if block.mass is not None:
        row["mass"] = block.mass
    if "cells" in block.spec:
        cells = [[x, y, 0] for x, y in block.spec["cells"]]
        return row | {"shape": {"polycube": {"cells": cells, "edge": 16}}}
    return row | {"shape": {"hull": (np.vstack(block.solids) - middle).tolist()}}


def _middle(block: Block) -> Array:
    corners = np.vstack(block.solids)
    return np.asarray((corners.min(axis=0) + corners.max(axis=0)) / 2)


def _degrees(slope: float) -> float:
    return math.degrees(math.atan(slope))


def fault(found: Beside) -> str:
    """What is wrong with an answer; empty for nothing."""
    statics = found.statics
    if statics.stands != found.stands:
        return f"stands: {statics.stands}, by the textbook {found.stands}"
    if not found.stands or statics.wedged:
        return ""
    if statics.tilt_deg is None:
        return "has no margin"
    room = RELATIVE * found.along + DEGREES
    # where something can be wedged the textbook counts states that are not reached
    if statics.tilt_deg > min(found.along, found.least) + room:
        return f"margin {statics.tilt_deg:.3f}, by the textbook {min(found.along, found.least):.3f}"
    if found.is_level and statics.tilt_deg < found.along - room:
        return f"margin {statics.tilt_deg:.3f}, by the textbook {found.along:.3f}"
    for ours, theirs in found.factors:
        if abs(ours - theirs) > RELATIVE * theirs:
            return f"carries {ours:.4f} times a load, by the textbook {theirs:.4f}"
    return ""
