"""Margins of large assemblies, found with a few loose pieces, are those of the whole."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from statics_scenes import box, pose, scene, tower

from teeter.engine.topple.balance import few
from teeter.engine.topple.balance.boundary import nearest_boundary
from teeter.engine.topple.balance.equilibrium import MAX_PULL, Balance, SupportFunction, balance_of
from teeter.engine.topple.balance.margins import bearings, beside, push_loads, push_of
from teeter.engine.topple.balance.reached import nearest_reached
from teeter.engine.topple.contact.detection import find_contacts
from teeter.engine.world.body import Assembly, Body

ROOT = Path(__file__).resolve().parent.parent


def wall(across: int, high: int) -> Assembly:
    """A running bond of blocks 40 x 20 x 10."""
    blocks: list[Body] = []
    for row in range(high):
        sizes = [40.0] * across if row % 2 == 0 else [20.0, *[40.0] * (across - 1), 20.0]
        left = -20.0 * across
        for number, size in enumerate(sizes):
            blocks.append(box(f"{row}.{number}", (size, 20.0, 10.0), pose(left + size / 2, 0, 5 + 10 * row)))
            left += size
    return scene(*blocks)


def column(count: int) -> Assembly:
    """Tall, slender and rough: a push at its top tips it."""
    cubes = (box(f"cube {row}", (20.0, 20.0, 20.0), pose(0, 0, 10 + 20 * row), 0.9) for row in range(count))
    return scene(*cubes, mu=0.9)


def slippery(count: int) -> Assembly:
    """A stack that slides on one smooth plate, below what is let loose at first."""
    plates = [
        box(f"plate {row}", (60.0, 60.0, 4.0), pose(0, 0, 2 + 4 * row), 0.0004 if row == 20 else 0.9)
        for row in range(count)
    ]
    return scene(*plates)


def push_of_the_whole(balance: Balance, assembly: Assembly) -> float:
    _, loads = push_loads(balance, assembly)
    ask = SupportFunction(balance.matrix, balance.friction, balance.load(balance.down), loads)
    angles = bearings(balance, *np.eye(3)[:2])
    return nearest_reached(balance, loads, nearest_boundary(ask, MAX_PULL, angles), angles, ()).distance


@pytest.mark.parametrize(
    "assembly", [wall(7, 8), tower(18), column(50), slippery(52)], ids=["wall", "tower", "column", "slippery"]
)
@pytest.mark.sampled(2)
def test_few_loose_pieces_find_the_push_margin_of_the_whole(assembly: Assembly) -> None:
    balance = balance_of(assembly, find_contacts(assembly))
    assert len(balance.names) >= few.MANY
    name, _ = push_loads(balance, assembly)
    weight = float(balance.weights[balance.names.index(name)]) * balance.force
    found = push_of(balance, assembly)
    # a rest that yields nothing passes a little less on
    assert found.newtons == pytest.approx(push_of_the_whole(balance, assembly) * weight, rel=1.5e-2)


def test_the_rest_is_one_rigid_body() -> None:
    """Velocities of the whole that turn with the rest do not press on any contact within it."""
    assembly = wall(7, 8)
    balance = balance_of(assembly, find_contacts(assembly))
    loose = np.zeros(len(balance.names), dtype=np.bool_)
    loose[:5] = True
    spread, inner = few.motions(balance, loose), few._joined(balance, loose)
    motion = np.zeros(spread.shape[1])
    motion[-6:] = [0.1, -0.2, 0.3, 0.4, 0.5, -0.6]
    opening = (balance.matrix.T @ (spread @ motion)).reshape(-1, 3)
    assert np.abs(opening[inner]).max() < 1e-12
    assert np.abs(opening[~inner]).max() > 0.01
    assert few._unlike(spread, spread @ motion).sum() == 0


def test_a_slender_column_tips() -> None:
    """However many cubes tip: k weights 10 mm inside the edge against a push 20 k above it."""
    assembly = column(50)
    balance = balance_of(assembly, find_contacts(assembly))
    weight = float(balance.weights[0]) * balance.force
    assert push_of(balance, assembly).newtons == pytest.approx(weight / 2, rel=1e-4)


def test_work_beside_gives_its_result_or_its_error_to_who_waits() -> None:
    assert beside(lambda: 6 * 7)() == 42
    late = beside(lambda: math.sqrt(-1.0))
    with pytest.raises(ValueError):
        late()


def test_an_interrupted_process_does_not_wait_for_work_beside() -> None:
    words = (
        "import time\nfrom teeter.engine.topple.balance.margins import beside\n"
        "beside(lambda: time.sleep(60))\nexit(7)"
    )
    done = subprocess.run([sys.executable, "-c", words], cwd=ROOT, timeout=30.0, check=False)
    assert done.returncode == 7
