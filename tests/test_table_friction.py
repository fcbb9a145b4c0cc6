"""How hard a piece is to draw out in play: as between rigid pieces, though the simulation's contacts are soft."""

from __future__ import annotations

import numpy as np
import pytest

from teeter.engine.bench.rigs import piece, table, tower, wood
from teeter.engine.event_detector import pressing
from teeter.engine.hand import packed
from teeter.engine.pose import Pose
from teeter.engine.settings import GRAVITY
from teeter.engine.topple.resting import resting
from teeter.engine.world.body import Assembly, Body, Contact, Scale
from teeter.engine.worlds import new_world
from teeter.games.play import rigid
from teeter.games.play.table import Table

ROWS, SEED = 8, 1
DRAWN = 4e-3
"""Metres a brick is drawn, at 0.06 m/s."""


def uneven() -> Table:
    bodies = tower(SEED, rows=ROWS)
    return Table(bodies, Scale.of(bodies))


def loads() -> dict[str, float]:
    """Newtons on each brick, by rigid bricks."""
    found = resting(Assembly("tower", tower(SEED, rows=ROWS)))
    assert found is not None
    return found.loads


def force_to_draw(on: Table, name: str, is_soft: bool = False) -> float:
    """Newtons a hand needs, sideways, to go on drawing out a brick that slides. is_soft: as it is simulated."""
    on.grab(name)
    if is_soft:
        on.world.set_friction(name, 1.0)
    start = on.bodies[name].pose
    way = start.matrix[:, int(np.argmax(on.bodies[name].piece.extents))]
    forces = []
    for step in range(1, round(DRAWN / 0.06 * on.rate)):
        x, y, z = (np.asarray(start.position) + way * 0.06 * step / on.rate).tolist()
        on.aim(packed(Pose((x, y, z), start.orientation)))
        forces.append(float(np.linalg.norm(on.hand.force[:2])))
    on.release()
    # the first steps set it going
    return float(np.median(forces[len(forces) // 2 :]))


def test_a_loose_brick_slides_out_though_soft_contacts_press_it() -> None:
    """The one that rigid bricks leave loose and the simulation presses hardest."""
    soft, hard = uneven(), uneven()
    try:
        felt, own = pressing(soft.world.contacts()), loads()
        loose = [name for name, load in own.items() if load < 1e-3 and name < "brick.16"]
        name = max(loose, key=lambda each: felt.get(each, 0.0))
        weight = hard.bodies[name].piece.mass * GRAVITY
        assert felt[name] > weight
        assert hard.pressing()[name] == pytest.approx(0.0, abs=0.1 * weight)
        assert hard.friction_of(name) < 0.5
        assert force_to_draw(hard, name) < 0.6 * force_to_draw(soft, name, is_soft=True)
    finally:
        soft.close()
        hard.close()


def test_what_is_alone_rubs_as_it_is() -> None:
    block = Body("block", piece(wood(), box=(40, 40, 20)), Pose((0.0, 0.0, 0.01)))
    with_block = Table((table(), block), Scale.of([block]))
    try:
        assert with_block.friction_of("block") == 1.0
    finally:
        with_block.close()


def pressed(*forces: tuple[str, str, float]) -> list[Contact]:
    """What the simulation says: newtons between pairs of bodies, on level faces."""
    return [Contact(a, b, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 0.0, force, None) for a, b, force in forces]


def test_only_what_lies_with_others_is_drawn_as_between_rigid_pieces() -> None:
    """Of two blocks the upper one is pressed by its weight; rounded, so that no two machines differ. Nothing else is
    asked about a piece alone, nor about what is fixed."""
    block = piece(wood(), box=(40, 40, 20))
    low, top = (Body(name, block, Pose((0.0, 0.0, z))) for name, z in (("low", 0.01), ("top", 0.03)))
    away = Body("away", block, Pose((0.3, 0.0, 0.01)))
    bodies = {body.name: body for body in (table(), low, top, away)}
    touching = (("away", "table"), ("low", "table"), ("low", "top"))
    weight = block.mass * GRAVITY
    felt = pressed(("low", "table", 2.0 * weight), ("low", "top", 3.0 * weight), ("away", "table", 7.0))
    assert rigid.friction("top", bodies, touching, felt) == 0.333
    assert rigid.friction("away", bodies, touching, felt) == 1.0
    assert rigid.friction("table", bodies, touching, felt) == 1.0
    assert rigid.loads(bodies, touching) == pytest.approx({"low": weight, "top": 0.0, "away": 0.0}, abs=1e-4)


def test_pieces_that_lie_on_what_is_fixed_lie_in_no_group_for_it() -> None:
    """Whichever of the two names comes first."""
    block = piece(wood(), box=(40, 40, 20))
    ones = [Body(name, block, Pose((x, 0.0, 0.01))) for name, x in (("a", 0.0), ("z", 0.2))]
    bodies = {body.name: body for body in (table(), *ones)}
    groups = list(rigid._groups(bodies, (("a", "table"), ("table", "z"))))
    assert [[body.name for body in group.free] for group in groups] == [["a"], ["z"]]


def test_every_stack_on_a_table_is_asked_by_itself() -> None:
    """Two stacks, in either order; and of a plank that leans on a block nothing is said, but of the others it is."""
    block = piece(wood(), box=(40, 40, 20))
    weight = block.mass * GRAVITY
    stacks = [
        Body(f"{name}{floor}", block, Pose((x, 0.0, 0.01 + 0.02 * floor)))
        for name, x in (("a", 0.0), ("b", 0.2))
        for floor in range(2)
    ]
    half = np.radians(-15.0)
    lean = (0.0, float(np.sin(half)), 0.0, float(np.cos(half)))
    plank = Body("plank", piece(wood(), box=(100, 20, 10)), Pose((0.45, 0.0, 0.03), lean))
    foot = Body("foot", block, Pose((0.48, 0.0, 0.01)))
    bodies = {body.name: body for body in (table(), plank, foot, *stacks)}
    touching = (("a0", "a1"), ("b0", "b1"), ("foot", "plank"), ("plank", "table"))
    felt = pressed(("a0", "a1", 2.0 * weight), ("b0", "b1", 4.0 * weight))
    assert rigid.friction("a1", bodies, touching, felt) == 0.5
    assert rigid.friction("b1", bodies, touching, felt) == 0.25
    loads = rigid.loads(bodies, touching)
    assert loads == pytest.approx({"a0": weight, "a1": 0.0, "b0": weight, "b1": 0.0}, abs=1e-4)


@pytest.mark.parametrize("times", [0.25, 1.5])
def test_friction_is_multiplied_until_it_is_set_back(times: float) -> None:
    """Sliding on level ground: the speed lost in a step is friction times gravity."""
    bodies = (table(), Body("block", piece(wood(), box=(40, 40, 20)), Pose((0.0, 0.0, 0.01))))

    def slowed(*factors: float) -> float:
        with new_world(bodies) as world:
            world.settle()
            for factor in factors:
                world.set_friction("block", factor)
            world.run(10)
            world.launch("block", (0.5, 0.0, 0.0))
            world.run(4)
            before = world.speed("block")
            world.run(world.rate // 20)
            return (before - world.speed("block")) * 20

    plain = slowed()
    with new_world(bodies) as world:
        world.settle()
        world.set_friction("block", times)
        world.run(2)
        world.snapshot().restored().close()
    assert slowed(times) == pytest.approx(times * plain, rel=0.08)
    assert slowed(times, 1.0) == pytest.approx(plain, rel=0.02)
