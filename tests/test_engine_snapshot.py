"""A world rebuilt from a snapshot goes on as if nothing had happened, alike in every process."""

from __future__ import annotations

import hashlib
import pickle
import resource
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from teeter.engine.bench.falls import BRICK, MIXED
from teeter.engine.bench.rigs import piece, table, tower, wood
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.pose import Pose
from teeter.engine.scratch import ScratchError
from teeter.engine.settings import PLAY
from teeter.engine.world.body import Body, Tick
from teeter.engine.world.bullet import BulletWorld
from teeter.engine.worlds import Engine, installed_engines, new_world, using
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


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("times", [20, pytest.param(200, marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    ("bodies", "without"), [(tower(), ""), (tower(1), "brick.29")], ids=["even", "uneven, one out"]
)
def test_a_tower_rebuilt_200_times_moves_less_than_0_1_mm(
    bodies: tuple[Body, ...], without: str, times: int
) -> None:
    assert drift(rested(bodies, 5.0, without), times) <= 0.1


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(("name", "finer"), [("arch", 3), ("cone_in_ring", 1), ("standing_arch", 1)])
def test_curved_and_hollow_pieces_rebuilt_50_times_move_less_than_0_1_mm(name: str, finer: int) -> None:
    """The stones of the arch shake each other down in long steps: what is rebuilt here is to stand."""
    bodies = load(name).assembly.bodies
    with BulletWorld(bodies) as plain:
        scale = replace(plain.scale, rate=finer * plain.rate)
    world = BulletWorld(bodies, scale=scale)
    world.settle()
    before = world.read().poses
    after = world.advance(5 * world.rate).poses
    assert np.linalg.norm(after[:, :3] - before[:, :3], axis=1).max() < 2e-3
    assert drift(world, 50) <= 0.1


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


@pytest.mark.slow
@pytest.mark.parametrize("engine", installed_engines())
def test_worlds_made_in_the_middle_of_a_fall_go_on_alike(engine: Engine) -> None:
    """What falls is stepped in parts; how many follows from the snapshot alone."""
    bodies = [table()]
    for n, shape in enumerate((*MIXED, BRICK, BRICK)):
        turn = quaternion_of_rpy(0.7 * n, 0.4 * n, 0.0)
        bodies.append(
            Body(f"piece.{n}", piece(wood(), **shape), Pose((0.005 * n, 0.0, 0.06 + 0.05 * n), turn))
        )
    with using(engine), new_world(bodies, tuning=PLAY) as world:
        for body in bodies[1:]:
            world.launch(body.name, (0.0, 0.0, -2.0), (5.0, 3.0, 8.0))
        for _ in range(3):
            snapshot = pickle.loads(pickle.dumps(world.advance(14) and world.snapshot()))
            again, other = snapshot.restored(), snapshot.restored()
            with again, other:
                assert again.read().poses == pytest.approx(world.read().poses, abs=1e-9)
                assert digest(again.advance(9)) == digest(other.advance(9))
                if engine == "rapier":
                    assert digest(again.read()) == digest(world.advance(9))
                    assert again.contacts() == world.contacts()


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
from teeter.engine.world.bullet import BulletWorld
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
