"""Pieces that are sent to another process, again and again, as the pieces of every new game are."""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
import weakref
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from teeter.models.build import build
from teeter.models.catalogue import catalogue, find
from teeter.models.piece import Piece, Solid

ROOT = Path(__file__).resolve().parent.parent


PACKED = """
import hashlib, pickle
from teeter.models.build import build
from teeter.models.catalogue import catalogue
for game in ("bausack", "wonky", "crazy_tower", "tower_topple"):
    for name, spec in catalogue(game).items():
        print(name, hashlib.sha256(pickle.dumps(build(spec))).hexdigest())
"""


def sent(pieces: list[Piece]) -> list[Piece]:
    received: list[Piece] = pickle.loads(pickle.dumps(pieces))
    return received


def test_a_piece_that_comes_again_is_the_same_one() -> None:
    pieces = [build(spec) for spec in catalogue("bausack").values()]
    first, again = sent(pieces), sent(pieces)
    assert len({id(each) for each in first}) == len(pieces) == 70
    assert all(one is other for one, other in zip(first, again, strict=True))
    assert not any(one is other for one, other in zip(first, pieces, strict=True))
    for piece, other in zip(pieces, first, strict=True):
        assert other.model == piece.model
        assert np.array_equal(other.inertia, piece.inertia)
        assert np.array_equal(other.visual.vertices, piece.visual.vertices)


def test_every_process_sends_the_same_bytes() -> None:
    told = []
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", PACKED],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        told.append(run.stdout.splitlines())
    assert len(told[0]) > 100
    assert [one for one, other in zip(*told, strict=True) if one != other] == []


def test_another_piece_is_another_one() -> None:
    piece = build(find("wonky/large_blue"))
    heavier = replace(piece, mass=1.001 * piece.mass)
    one, other, third = sent([piece, heavier, replace(piece, colour="#102030")])
    assert len({id(one), id(other), id(third)}) == 3
    assert other.mass == heavier.mass
    assert third.colour == "#102030"


def test_what_nobody_has_any_more_is_let_go() -> None:
    piece = replace(build(find("wonky/large_blue")), mass=0.123)
    (received,) = sent([piece])
    assert len(received.visual.faces)
    solid = next(each for each in received.drawn.args if isinstance(each, Solid))  # type: ignore[attr-defined]
    kept: list[Callable[[], object]] = [weakref.ref(received), weakref.ref(solid)]
    assert all(each() is not None for each in kept)
    del received, solid
    gc.collect()
    assert [each() for each in kept] == [None, None]
