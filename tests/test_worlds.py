"""Every engine against the same closed forms, what each may miss side by side; and which engine is used."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from accuracy_bounds import slides_within, tips_within

from teeter.engine import worlds
from teeter.engine.bench.accuracy import (
    bisect,
    come_to_rest,
    coulomb_stop,
    free_fall,
    shapes,
    slope_acceleration,
    stand_still,
)
from teeter.engine.bench.rigs import piece, table, tower, wood
from teeter.engine.event_detector import EventDetector
from teeter.engine.events import Rested, Touched
from teeter.engine.geometry.rotation import quaternion_of_rpy
from teeter.engine.hand import Hand
from teeter.engine.motions import Ending, carry, lower
from teeter.engine.pose import Pose
from teeter.engine.record.reader import load
from teeter.engine.settings import PLAY
from teeter.engine.topple.verdict import CheckOptions, check
from teeter.engine.topple.verdict_json import to_json
from teeter.engine.topple.words import headline, rows
from teeter.engine.world.body import Body, tilted_gravity
from teeter.engine.world.world import World
from teeter.engine.worlds import (
    ENGINES,
    Engine,
    EngineError,
    engine_in_use,
    installed_engines,
    new_world,
    using,
)
from teeter.games.play.playback import resume, verify
from teeter.games.play.recording import begin
from teeter.games.players.bots import bots_of, play
from teeter.games.registry import game_named
from teeter.scenes.load import load as load_scene


@dataclass(frozen=True, slots=True)
class Tolerances:
    """edge, prism: mm by which boxes and polycubes, and other shapes, tip early or late. slide, disc: per cent of their
    angle by which boxes and discs slide early or late. stop, slope, fall: per cent. sink: mm of a tower of 18 rows,
    shift, late: mm by which it moves in 30 s and in the last 10 of them. growth: mJ of 1400 that an uneven tower gains.
    weight: per cent by which a table feels another weight. held: mm by which a brick gives way to nine tenths of its
    friction in half a second. tip: degrees of a column."""

    edge: float
    prism: float
    slide: float
    disc: float
    stop: float
    slope: float
    fall: float
    sink: float
    shift: float
    late: float
    growth: float
    weight: float
    held: float
    tip: float


TOLERANCES: dict[Engine, Tolerances] = {
    "bullet": Tolerances(
        edge=0.10, prism=0.10, slide=1.5, disc=0.2, stop=1.0, slope=1.0, fall=0.01, sink=0.6, shift=0.06, late=0.005,
        growth=1.0, weight=0.5, held=1.0, tip=0.1,
    ),
    "rapier": Tolerances(
        edge=0.06, prism=0.06, slide=0.2, disc=4.5, stop=1.0, slope=0.01, fall=0.2, sink=0.7, shift=0.5, late=0.2,
        growth=1.0, weight=0.01, held=0.05, tip=0.1,
    ),
}  # fmt: skip
BRICK = piece(wood(), box=(75, 25, 15))
needs_both = pytest.mark.skipif(installed_engines() != ENGINES, reason="a witness is a second engine")


@pytest.fixture(params=installed_engines())
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with using(request.param):
        yield request.param


def lying(height: float = 0.0075, friction: float = 0.4) -> tuple[Body, Body]:
    block = piece(wood(friction), box=(75, 25, 15))
    return table(wood(friction)), Body("brick", block, Pose((0.0, 0.0, height)))


@pytest.mark.slow
@pytest.mark.parametrize("yaw", [0.0, 17.0, 45.0])
@pytest.mark.parametrize("shape", sorted(shapes()))
@pytest.mark.sampled(2)
def test_a_piece_tips_over_an_edge_where_it_should(engine: Engine, shape: str, yaw: float) -> None:
    may = (
        TOLERANCES[engine].edge
        if shape in ("box", "polycube L4", "polycube T4")
        else TOLERANCES[engine].prism
    )
    assert tips_within(may, shapes()[shape], yaw)


@pytest.mark.parametrize("yaw", [0.0, 22.5, 45.0])
def test_a_block_slides_at_its_friction_angle(engine: Engine, yaw: float) -> None:
    assert slides_within(TOLERANCES[engine].slide, 0.35, yaw)


@pytest.mark.parametrize("yaw", [pytest.param(0.0, marks=pytest.mark.soak), 22.5])
def test_a_disc_slides_at_its_friction_angle(engine: Engine, yaw: float) -> None:
    disc = piece(wood(0.35), cylinder=(20, 10))
    assert slides_within(TOLERANCES[engine].disc, 0.35, yaw, disc)


@pytest.mark.parametrize("rate", [240, 480])
def test_motion_follows_its_closed_form(engine: Engine, rate: int) -> None:
    may = TOLERANCES[engine]
    assert abs(free_fall(rate)) <= may.fall
    assert abs(coulomb_stop(rate)) <= may.stop
    assert abs(slope_acceleration(rate)) <= may.slope


@pytest.mark.slow
@pytest.mark.parametrize(
    "engine",
    # Bullet's is looked at in `test_engine_tower`, by the same bounds
    [pytest.param(each, marks=[pytest.mark.soak] * (each == "bullet")) for each in installed_engines()],
    indirect=True,
)
def test_an_even_tower_stands_still(engine: Engine) -> None:
    may, found = TOLERANCES[engine], stand_still(tower())
    assert found.sink_mm <= may.sink
    assert found.shift_mm <= may.shift
    assert found.late_mm <= may.late


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (2, 3))])
def test_an_uneven_tower_stands_and_gains_no_energy(engine: Engine, seed: int) -> None:
    found = come_to_rest(tower(seed))
    assert not found.fell
    assert found.growth_mj <= TOLERANCES[engine].growth


def test_a_tower_weighs_on_the_table_what_its_pieces_weigh(engine: Engine) -> None:
    bodies = tower(rows=4)
    with new_world(bodies) as world:
        world.settle()
        world.run(world.rate)
        felt = sum(contact.force for contact in world.contacts(["table"]))
    true = 9.81 * sum(body.piece.mass for body in bodies if not body.fixed)
    assert abs(100 * (felt / true - 1)) <= TOLERANCES[engine].weight


def test_a_brick_that_falls_touches_and_rests(engine: Engine) -> None:
    bodies = lying(0.0275)
    with new_world(bodies) as world:
        detector = EventDetector(bodies, world.rate)
        told = [event for _ in range(2 * world.rate) for event in detector.see(world.advance(contacts=True))]
    touched = [(event.a, event.b) for event in told if isinstance(event, Touched)]
    # wood that falls by 20 mm jumps up by half a millimetre
    assert touched in ([("brick", "table")], 2 * [("brick", "table")])
    rests = [event.step / world.rate for event in told if isinstance(event, Rested)]
    assert len(rests) == 1
    assert 0.5 < rests[0] < 1.2


def test_a_hand_carries_a_brick_and_puts_it_down(engine: Engine) -> None:
    bodies = lying()
    with new_world(bodies, tuning=PLAY) as world:
        world.settle()
        hand = Hand(world)
        hand.grab(bodies[1])
        carried = ended(world, hand, carry(hand, Pose((0.1, 0.05, 0.04)), 0.08))
        assert carried is Ending.DONE
        assert world.pose("brick").position == pytest.approx((0.1, 0.05, 0.04), abs=2e-4)
        assert ended(world, hand, lower(hand, 0.0, BRICK.mass)) is Ending.CONTACT
        hand.release()
        world.run(world.rate // 2)
        assert world.pose("brick").position == pytest.approx((0.1, 0.05, 0.0075), abs=5e-4)


def ended(world: World, hand: Hand, motion: object) -> Ending:
    assert hasattr(motion, "send")
    while True:
        try:
            hand.move(next(motion))  # type: ignore[call-overload]
        except StopIteration as stop:
            return Ending(stop.value)
        hand.act()
        world.run()


def test_what_stood_on_a_removed_piece_falls(engine: Engine) -> None:
    lower_, upper = lying()[1], replace(lying()[1], name="upper", pose=Pose((0.0, 0.0, 0.0225)))
    with new_world((table(), lower_, upper)) as world:
        world.settle()
        world.remove("brick")
        world.run(world.rate)
        assert world.pose("upper").position[2] == pytest.approx(0.0075, abs=3e-4)


def test_a_push_beyond_friction_slides_a_brick_and_one_below_does_not(engine: Engine) -> None:
    def moved(share: float) -> float:
        with new_world(lying()) as world:
            world.settle()
            before = world.pose("brick").position[0]
            for _ in range(world.rate // 2):
                world.push("brick", (share * 0.4 * BRICK.mass * 9.81, 0.0, 0.0), (0.0, 0.0, 0.001))
                world.run()
            return abs(world.pose("brick").position[0] - before)

    assert 1e3 * moved(0.9) < TOLERANCES[engine].held
    assert moved(1.1) > 1e-2


@pytest.mark.parametrize("speed", [0.0, 0.3], ids=["slow", "flying"])
def test_what_was_pushed_goes_through_no_card(engine: Engine, speed: float) -> None:
    """It was far from everything for many steps, until it was pushed once."""
    card = Body("card", piece(wood(), box=(180, 100, 0.3)), Pose((0.0, 0.0, 0.06)), fixed=True)
    for gap in (0.012, 0.02, 0.028, 0.036):
        brick = Body("brick", piece(wood(), box=(75, 25, 15)), Pose((0.0, 0.0, 0.068 + gap)))
        with new_world([table(), card, brick], tuning=PLAY) as world:
            world.launch("brick", (0.0, 0.0, -speed))
            # 5 m/s in one step
            world.push("brick", (0.0, 0.0, -5.0 * brick.piece.mass * world.rate))
            world.run(world.rate // 4)
            assert world.pose("brick").position[2] > 0.06, gap


@pytest.mark.parametrize(("radius", "height", "lean"), [(20, 8, 80.0), (10, 50, 50.0)])
def test_what_is_round_gains_nothing_as_it_strikes(
    engine: Engine, radius: float, height: float, lean: float
) -> None:
    """What its corners turn it by is taken back for as long as it acted: a part of a step, not a whole one."""
    disc, turn = piece(wood(), cylinder=(radius, height)), quaternion_of_rpy(0.0, math.radians(lean), 0.0)
    with new_world([table(), Body("disc", disc, Pose((0.0, 0.0, 0.05), turn))], tuning=PLAY) as world:
        world.launch("disc", (0.3, 0.0, -4.0), (0.0, 5.0, 0.0))
        lowest, gained = math.inf, 0.0
        begun = sum(world.energy())
        for _ in range(world.rate // 5):
            world.run()
            lowest = min(lowest, here := sum(world.energy()))
            gained = max(gained, here - lowest)
        assert gained < 0.002 * begun


def test_a_snapshot_goes_on_bit_for_bit(engine: Engine) -> None:
    with new_world(tower(1, rows=6)) as world:
        world.settle()
        world.run(30)
        moment = world.snapshot()
        with moment.restored() as one, moment.restored() as other:
            assert np.array_equal(one.advance(60).poses, other.advance(60).poses)


def test_a_broken_snapshot_is_refused(engine: Engine) -> None:
    with new_world(lying()) as world:
        broken = replace(world.snapshot(), data=b"nonsense")  # type: ignore[call-arg]
    with pytest.raises(RuntimeError, match="the snapshot of step 0 cannot be restored"):
        broken.restored()


@pytest.mark.parametrize("times", [1.0, 100.0])
def test_a_column_tips_at_atan_of_width_over_height_at_any_size(engine: Engine, times: float) -> None:
    column = piece(wood(), box=(20 * times, 20 * times, 60 * times))
    bodies = (
        table(wood(), (800 * times, 800 * times, 50 * times)),
        Body("column", column, Pose((0.0, 0.0, 0.03 * times))),
    )

    def falls(angle: float) -> bool:
        with new_world(bodies) as world:
            world.set_gravity(tilted_gravity(angle, 0.0))
            world.settle()
            # what is larger falls slower
            world.run(round(2 * math.sqrt(times) * world.rate))
            return world.pose("column").position[2] < 0.027 * times

    found = bisect(falls, math.radians(16.0), math.radians(21.0), math.radians(0.02))
    assert math.degrees(found) == pytest.approx(math.degrees(math.atan(1 / 3)), abs=TOLERANCES[engine].tip)


# -- which engine simulates ---------------------------------------------------------------------------------------


def test_bullet_is_installed_where_it_has_wheels_and_rapier_everywhere() -> None:
    assert installed_engines() == (ENGINES if sys.version_info < (3, 12) else ENGINES[1:])


def test_the_first_that_is_installed_is_used_unless_another_is_asked_for() -> None:
    assert engine_in_use() == installed_engines()[0]
    for named in installed_engines():
        with using(named):
            assert engine_in_use() == named
            with using(None), new_world() as world:
                assert type(world).__name__.lower() == f"{named}world"
    assert engine_in_use() == installed_engines()[0]


def test_an_unknown_engine_is_refused_with_those_that_are_there() -> None:
    with (
        pytest.raises(EngineError, match="engine 'havok': no engine of that name; here are .*rapier"),
        using("havok"),
    ):
        pass


@needs_both
@pytest.mark.parametrize(
    ("scene", "tilt", "word"), [("tower", 0.0, "stands"), ("leaning_tower", 3.0, "topples")]
)
def test_a_verdict_names_its_engine_and_its_witness(scene: str, tilt: float, word: str) -> None:
    options = CheckOptions(tilt=math.radians(tilt), engine="rapier", witness=True)
    found = check(load_scene(scene).assembly, options)
    assert found.witness is not None
    assert (found.word, found.engine, found.witness.word) == (word, "rapier", word)
    told: Any = to_json(found, "0")
    assert (told["engine"], told["witness"]["engine"]) == ("rapier", "bullet")
    assert ("witness", "bullet: stood") in [(label, text[:13]) for label, text in rows(found)]


@needs_both
def test_a_witness_who_says_something_else_makes_a_verdict_unsure(monkeypatch: pytest.MonkeyPatch) -> None:
    maker = worlds.maker_of

    def tilted(engine: Engine) -> worlds.WorldMaker:
        if engine == "bullet":
            return maker(engine)

        def make(bodies: Iterable[Body] = (), **named: Any) -> World:
            world = maker(engine)(bodies, **named)
            monkeypatch.setattr(world, "set_gravity", lambda gravity: None)
            type(world).set_gravity(world, tilted_gravity(math.radians(40.0), 0.0))
            return world

        return make

    monkeypatch.setattr(worlds, "maker_of", tilted)
    found = check(load_scene("two_bricks").assembly, CheckOptions(witness=True, workers=1))
    assert found.word == "unsure"
    assert headline(found) == "Unsure: simulated by bullet it stands, by rapier it falls."


def test_a_witness_needs_a_second_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("teeter.engine.topple.verdict.installed_engines", lambda: (engine_in_use(),))
    with pytest.raises(EngineError, match="is the only one that is installed"):
        check(load_scene("bridge").assembly, CheckOptions(witness=True))


@pytest.mark.slow
def test_a_game_on_the_second_engine_is_recorded_verified_and_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "game.teeter"
    with using("rapier"):
        session, recorder = begin(game_named("wonky"), ["bot:steady", "bot:clumsy"], 4, {}, path=path)
        assert recorder is not None
        play(session, bots_of(session, 4), most_turns=4)
        turns = session.turns
        session.close()
        recorder.leave()
    part = path.with_name("game.teeter.part")
    assert load(part).meta.engine == "rapier"
    assert "rapier3d" in load(part).meta.platform
    found = verify(part)
    assert (found.agrees, found.comparable, found.why) == (True, True, "")
    again, recorder = resume(path)
    assert 0 < again.turns <= turns
    assert type(again.table.world).__name__ == "RapierWorld"
    again.close()
    recorder.leave()


def test_a_recording_is_refused_where_its_engine_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Path(__file__).parent / "recordings" / "wonky-1.teeter"
    for module in ("games.play.playback", "engine.worlds"):
        monkeypatch.setattr(f"teeter.{module}.installed_engines", lambda: ("rapier",))
    found = verify(kept)
    assert (found.agrees, found.comparable, found.steps) == (False, False, 0)
    assert "the engine 'bullet', and here are rapier" in found.why


def test_contacts_are_told_right_after_a_body_was_removed(engine: Engine) -> None:
    upper = replace(lying()[1], name="upper", pose=Pose((0.0, 0.0, 0.0225)))
    with new_world((*lying(), upper)) as world:
        world.settle()
        world.remove("brick")
        assert all({contact.a, contact.b} <= {"table", "upper"} for contact in world.contacts())
