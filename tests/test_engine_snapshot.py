"""A world rebuilt from a snapshot goes on as if nothing had happened, alike in every process."""

from __future__ import annotations

import hashlib
import resource
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from teeter.engine.bench.rigs import piece, table, tower, wood
from teeter.engine.bullet import BulletWorld
from teeter.engine.pose import Pose
from teeter.engine.scratch import ScratchError
from teeter.engine.world import Body, Tick
from teeter.scenes.load import load

BLOCK = piece(wood(), box=(40, 40, 20))


def digest(tick: Tick) -> str:
    return hashlib.sha256(tick.poses.tobytes()).hexdigest()


def rested(bodies: tuple[Body, ...], seconds: float, without: str = "") -> BulletWorld:
    world = BulletWorld(bodies)
    world.settle()
    if without:
        world.remove(without)
    world.run(round(seconds * world.rate))
    return world


def drift(world: BulletWorld, times: int) -> float:
    """Millimetres that the piece that moved most has moved after so many rebuilds, a quarter of a second apart."""
    start = world.read().poses
    for _ in range(times):
        snapshot = world.snapshot()
        world.close()
        world = snapshot.restored()
        tick = world.advance(world.rate // 4)
    world.close()
    return 1e3 * float(np.linalg.norm(tick.poses[:, :3] - start[:, :3], axis=1).max())


@pytest.mark.slow
@pytest.mark.parametrize("times", [40, pytest.param(200, marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    ("bodies", "without"), [(tower(), ""), (tower(1), "brick.29")], ids=["even", "uneven, one out"]
)
def test_a_tower_rebuilt_200_times_moves_less_than_0_1_mm(
    bodies: tuple[Body, ...], without: str, times: int
) -> None:
    assert drift(rested(bodies, 5.0, without), times) <= 0.1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["arch", "cone_in_ring", "standing_arch"])
def test_curved_and_hollow_pieces_rebuilt_50_times_move_less_than_0_1_mm(name: str) -> None:
    assert drift(rested(load(name).assembly.bodies, 5.0), 50) <= 0.1


def test_all_worlds_from_one_snapshot_go_on_alike() -> None:
    with rested(tower(2), 0.5) as world:
        snapshot = world.snapshot()
    ticks = []
    for _ in range(2):
        with snapshot.restored() as again:
            ticks.append(digest(again.advance(50)))
    assert ticks[0] == ticks[1]


def test_a_rebuilt_world_has_the_names_the_step_and_the_poses() -> None:
    with rested(tower(), 0.2, "brick.17") as world:
        world.add(Body("late", BLOCK, Pose((0.5, 0.0, 0.010))))
        world.set_gravity((0.1, 0.0, -9.8))
        world.run(3)
        before = world.read()
        with world.snapshot().restored() as again:
            after = again.read()
            assert (after.names, after.step, again.gravity) == (before.names, before.step, world.gravity)
            assert np.array_equal(after.poses, before.poses)
            assert np.array_equal(after.speeds, before.speeds)
            again.add(Body("later", BLOCK, Pose((0.5, 0.2, 0.010))))
            again.remove("late")
            assert again.names == (*[name for name in world.names if name != "late"], "later")


def test_what_moves_goes_on_moving() -> None:
    with BulletWorld((table(), Body("block", BLOCK, Pose((0.0, 0.0, 0.5))))) as world:
        world.launch("block", (0.3, 0.0, 0.0), (0.0, 1.0, 0.0))
        world.run(10)
        snapshot = world.snapshot()
        on = world.advance(20)
    with snapshot.restored() as again:
        assert again.advance(20).poses == pytest.approx(on.poses, abs=1e-12)


def test_an_empty_world_and_one_that_lost_all_can_be_rebuilt() -> None:
    with BulletWorld() as world, world.snapshot().restored() as again:
        assert again.names == ()
    with BulletWorld((table(), Body("block", BLOCK, Pose((0.0, 0.0, 0.5))))) as world:
        world.remove("table")
        with world.snapshot().restored() as again:
            assert again.names == ("block",)
            assert again.advance(10).poses[0, 2] < 0.5


def test_a_broken_snapshot_leaves_no_world_behind() -> None:
    with BulletWorld((table(),)) as world:
        whole = world.snapshot()
    broken = replace(whole, data=b"")
    with pytest.raises(RuntimeError, match="snapshot"):
        broken.restored()


PROCESS = """
import hashlib
import resource
from teeter.engine.bench.rigs import tower
from teeter.engine.bullet import BulletWorld
world = BulletWorld(tower(3))
world.settle()
for _ in range(3):
    world.run(30)
    snapshot = world.snapshot()
    world.close()
    world = snapshot.restored()
print(hashlib.sha256(world.advance(30).poses.tobytes()).hexdigest())
"""


def test_two_processes_rebuild_alike() -> None:
    runs = [
        subprocess.run([sys.executable, "-c", PROCESS], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert runs[0] == runs[1]


def test_a_state_that_the_disk_did_not_take_whole_is_no_state() -> None:
    """Bullet says nothing of it, and would take half a state for one in which the rest has not moved."""
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    with rested(load("tower").assembly.bodies, 0.1) as world:
        snapshot, size = world.snapshot(), len(world.snapshot().data)
        for room in (0, 5, 500, size // 2, size - 1):
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, limit[1]))
            try:
                with pytest.raises(ScratchError, match="make room, or set TMPDIR"):
                    world.snapshot()
                with pytest.raises(ScratchError, match="make room, or set TMPDIR"):
                    snapshot.restored()
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        assert world.snapshot().data == snapshot.data
