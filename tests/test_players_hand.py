"""How a player's hand lays and pulls pieces, step by step, and what bots are asked; the hand does as it is told."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from teeter.engine.hand import Target, Tremor, packed, unpacked
from teeter.engine.motions import HOVER, SINK, Ending, Motion
from teeter.engine.pose import Pose
from teeter.engine.settings import GRAVITY
from teeter.engine.world.body import Body
from teeter.games.core.events import Condition
from teeter.games.core.rules import Need, TakeBack, Wait
from teeter.games.play.session import Session
from teeter.games.players import bots
from teeter.games.players.bots import APART, ASIDE, CLEARANCE, DROP, PAUSE, lay, pull, way_clear
from teeter.games.tower_topple.state import Leave
from teeter.models.build import build
from teeter.models.catalogue import find
from teeter.models.piece import Array, Piece
from teeter.models.spec import PieceSpec
from teeter.scenes.assemble import table_body
from teeter.scenes.schema import TableTop

RATE = 240
BRICK = build(find("tower_topple/brick"))
HALF = 0.5 * float(np.linalg.norm(BRICK.extents))
GOAL = Pose((0.1, 0.05, 0.3))
START = Pose((-0.2, 0.0, 0.0075))
LEAVE = Leave("Ana")


def box(*size: float) -> Piece:
    return build(PieceSpec.model_validate({"shape": {"box": size}, "material": "beech"}))


def post(height: float) -> Body:
    """A post on the table, metres, far from where a brick is laid."""
    return Body("post", box(20, 20, 1e3 * height), Pose((0.4, 0.4, height / 2)))


class Hands(bots.Player, bots.Release):
    """A player, its release, and the session it plays: the held brick is wherever the hand wants it.

    bears: metres of the level at which something carries the brick. then: is called after every step of the hand.
    """

    def __init__(self, wait: Wait, *others: Body, conditions: tuple[Condition, ...] = ()) -> None:
        self.tremor, self.release = Tremor(0.0), self
        self.way: Array | None = None
        self.further: Array | None = None
        self.over: float | None = None
        self.bears = -math.inf
        self.then: Callable[[], None] = lambda: None
        self.asked: list[int] = []
        self.sway = np.zeros(3)
        self.aims: list[Pose] = []
        self.done: list[Any] = []
        world, force = SimpleNamespace(rate=RATE), (0.0, 0.0, BRICK.mass * GRAVITY)
        hand = SimpleNamespace(held="held", target=START, lag=(0.0, 0.0), world=world, force=force)
        bodies = {body.name: body for body in (table_body(TableTop()), Body("held", BRICK, START), *others)}
        table = SimpleNamespace(hand=hand, bodies=bodies, rate=RATE, step=1000)
        session = SimpleNamespace(table=table, aim=self.aim, act=self.done.append, release=self.let_go)
        session.need = Need(wait, "Ana", ("held",), conditions)
        session.before = SimpleNamespace(bodies=dict(bodies))
        session.handling = SimpleNamespace(swaying=self.swaying, is_tied=False)
        session.choices = [SimpleNamespace(action=action) for action in (TakeBack("Ana"), LEAVE)]
        self.session, self.hand, self.table = session, hand, table

    def swaying(self, step: int, rate: int) -> Array:
        assert rate == RATE
        self.asked.append(step)
        return self.sway

    def aim(self, target: Target) -> None:
        pose = unpacked(target)
        self.aims.append(pose)
        self.hand.target = pose
        self.table.bodies["held"] = self.table.bodies["held"].at(pose)
        self.table.step += 1
        is_borne = pose.position[2] < self.bears
        self.hand.force = (0.0, 0.0, 0.0 if is_borne else BRICK.mass * GRAVITY)
        self.then()

    def let_go(self) -> None:
        self.done.append("released")
        self.hand.held = None

    def wait_for(self, wait: Wait) -> None:
        self.session.need = Need(wait, "Ana", ("held",))

    def place(self, session: Session, need: Need) -> Pose:
        return GOAL

    def pull(self, session: Session, need: Need) -> Array | None:
        return self.way

    def height(self, session: Session) -> float | None:
        return self.over

    def slide(self, session: Session) -> Array | None:
        return self.further

    def lays(self) -> list[float]:
        """How high the brick was wanted at every step, metres."""
        lay(cast(Session, self.session), self, self.session.need)
        return [pose.position[2] for pose in self.aims]

    def pulls(self) -> list[float]:
        """How far along x the brick was wanted at every step, metres."""
        pull(cast(Session, self.session), self, self.session.need)
        return [pose.position[0] - START.position[0] for pose in self.aims]


# -- laying


@pytest.mark.parametrize(
    ("height", "over"), [(0.35, 0.175 + 0.5 * math.hypot(0.35, 0.02, 0.02)), (0.8, 0.45)]
)
def test_a_brick_is_carried_over_what_is_highest_but_not_over_the_sky(height: float, over: float) -> None:
    """150 mm above its place are enough; the table and the brick itself are nothing to be carried over."""
    levels = Hands(Wait.HAND, post(height)).lays()
    assert max(levels) == pytest.approx(over + HALF + CLEARANCE)
    alone = Hands(Wait.HAND)
    assert max(alone.lays()) == pytest.approx(GOAL.position[2] + HOVER)


def test_a_brick_is_lowered_until_something_carries_it_and_let_go() -> None:
    hands = Hands(Wait.HAND)
    hands.bears = 0.299
    levels = hands.lays()
    assert 0.298 < levels[-1] < hands.bears
    assert hands.aims[-1].position[:2] == pytest.approx(GOAL.position[:2])
    assert pytest.approx(GOAL.position[2] + HOVER) in levels
    assert hands.done == ["released"]


def test_over_nothing_a_brick_is_lowered_a_little_below_its_place() -> None:
    hands = Hands(Wait.HAND)
    assert hands.lays()[-1] == pytest.approx(GOAL.position[2] - SINK)
    assert hands.done == ["released"]


def test_a_brick_may_be_let_go_above_its_place_and_pushed_on() -> None:
    hands = Hands(Wait.HAND)
    hands.over, hands.further = 0.003, np.array([0.0, 0.01, 0.0])
    assert hands.lays()[-1] == pytest.approx(GOAL.position[2] + 0.003)
    assert hands.aims[-1].position[:2] == pytest.approx((0.1, 0.06))
    assert hands.done == ["released"]


def test_CT_50_a_card_is_dropped_from_above_its_place() -> None:
    """CT-50: not lowered onto it."""
    hands = Hands(Wait.HAND, conditions=(Condition.DROPPED_FROM_ABOVE,))
    levels = hands.lays()
    assert levels[-1] == pytest.approx(GOAL.position[2] + DROP)
    assert min(levels[len(levels) // 2 :]) == pytest.approx(levels[-1], abs=1e-4)
    assert hands.done == ["released"]


def under_another() -> Hands:
    """A brick that was drawn out and still lies half beneath another."""
    hands = Hands(Wait.HAND, Body("above", BRICK, Pose((-0.25, 0.0, 0.0225))))
    hands.session.before.bodies["held"] = Body("held", BRICK, Pose((-0.25, 0.0, 0.0075)))
    return hands


LOST: dict[str, Callable[[Hands], bool]] = {
    "drawn aside": lambda hands: len(hands.aims) == 7,
    "carried": lambda hands: hands.aims[-1].position[0] > 0.0,
    "lowered": lambda hands: hands.aims[-1].position[2] < GOAL.position[2] and len(hands.aims) > 200,
    "pushed on": lambda hands: hands.aims[-1].position[1] > GOAL.position[1] + 0.003,
}


@pytest.mark.parametrize("when", LOST)
@pytest.mark.parametrize("is_empty", [True, False])
def test_what_leaves_the_hand_or_its_turn_is_moved_no_further(when: str, is_empty: bool) -> None:
    hands = under_another()
    hands.further = np.array([0.0, 0.01, 0.0])
    lost: list[int] = []

    def then() -> None:
        if not lost and LOST[when](hands):
            lost.append(len(hands.aims))
            if is_empty:
                hands.hand.held = None
            else:
                hands.wait_for(Wait.ACTION)

    hands.then = then
    assert [len(hands.lays())] == lost
    assert hands.done == []


def test_a_brick_drawn_out_beneath_others_goes_on_from_under_them_before_it_is_lifted() -> None:
    hands = under_another()
    levels = hands.lays()
    risen = next(at for at, level in enumerate(levels) if level > 0.0085)
    # its length of 75 mm and 8 more from the one above, in steps of 8 mm from where it is
    assert hands.aims[risen].position[:2] == pytest.approx((START.position[0] + 0.04, 0.0))


def test_the_hand_makes_up_for_the_sway_it_felt_and_trembles() -> None:
    """CT-41, CT-45: 0.15 s late."""
    hands, still = Hands(Wait.HAND), Hands(Wait.HAND)
    hands.sway, hands.tremor = np.array([0.004, 0.0, -0.001]), Tremor(0.001, 3)
    hands.lays()
    still.lays()
    assert hands.asked[:2] == [1000 - 36, 1001 - 36]
    for step, (pose, plain) in enumerate(zip(hands.aims[:50], still.aims[:50], strict=True), 1000):
        expected = np.asarray(plain.position) - hands.sway + hands.tremor.at(step / RATE)
        assert pose.position == pytest.approx(expected, abs=2e-6)


def test_a_calm_hand_wants_to_the_last_digit_what_it_is_told() -> None:
    """A target taken apart and put together again may be off by a millionth; recordings hold every digit."""
    random = np.random.default_rng(1)
    turns = [turn / np.linalg.norm(turn) for turn in random.normal(size=(500, 4))]
    told = [packed(Pose((0.1, 0.2, 0.3), (float(a), float(b), float(c), float(d)))) for a, b, c, d in turns]
    assert any(packed(unpacked(target)) != target for target in told)

    def motion() -> Motion:
        yield from told
        return Ending.DONE

    hands = Hands(Wait.HAND)
    heard: list[Target] = []
    hands.session.aim = heard.append
    assert bots._drive(cast(Session, hands.session), hands, motion(), Wait.HAND) is Ending.DONE
    assert heard == told


# -- pulling


def test_a_brick_is_drawn_out_held_still_and_then_left_where_the_rules_want_more() -> None:
    hands = Hands(Wait.PULL)
    hands.way = np.array([0.09, 0.0, 0.0])
    ways = hands.pulls()
    assert sum(way > 0.09 - 1e-6 for way in ways) == 1 + round(PAUSE * RATE)
    assert ways == sorted(ways)
    assert hands.done == [LEAVE]


def test_a_stuck_brick_is_left_at_once() -> None:
    hands = Hands(Wait.PULL)
    hands.way, hands.hand.lag = np.array([0.09, 0.0, 0.0]), (1.0, 0.0)
    assert len(hands.pulls()) == 1
    assert hands.done == [LEAVE]


def test_a_brick_that_is_out_is_pulled_no_further_and_not_left() -> None:
    hands = Hands(Wait.PULL)
    hands.way = np.array([0.09, 0.0, 0.0])
    hands.then = lambda: hands.wait_for(Wait.HAND) if len(hands.aims) == 9 else None
    assert len(hands.pulls()) == 9
    assert hands.done == []


def test_a_player_that_finds_no_way_leaves_the_brick_or_takes_it_back() -> None:
    hands = Hands(Wait.PULL)
    assert hands.pulls() == []
    assert hands.done == [LEAVE]
    hands.done.clear()
    hands.session.choices = hands.session.choices[:1]
    hands.pulls()
    assert hands.done == [TakeBack("Ana")]


# -- the way on from beneath others


@pytest.mark.parametrize(
    ("drawn", "on"),
    [(0.006, None), (0.06, 0.024), (0.08, 0.008), (0.0829, 0.008), (0.0831, None), (0.2, None)],
)
def test_a_drawn_brick_goes_on_until_what_is_above_is_8_mm_away(drawn: float, on: float | None) -> None:
    """One that has hardly moved was not drawn out; what lies below it is in nobody's way."""
    turned = (0.0, 0.0, 0.5**0.5, 0.5**0.5)
    start, now = Pose((0.0, 0.0, 0.03)), Pose((0.0, drawn, 0.031), turned)
    above = Body("above", BRICK, Pose((0.0, 0.0, 0.045), turned))
    below = Body("below", BRICK, Pose((0.0, drawn, 0.015), turned))
    bodies = {body.name: body for body in (Body("held", BRICK, now), above, below)}
    session = SimpleNamespace(
        table=SimpleNamespace(bodies=bodies),
        before=SimpleNamespace(bodies={"held": Body("held", BRICK, start)}),
    )
    found = way_clear(cast(Session, session), "held")
    if on is None:
        assert found is None
    else:
        assert found == pytest.approx((0.0, on, 0.0))


def test_CT_20_what_fell_under_a_tower_is_drawn_from_under_it_before_it_is_lifted() -> None:
    """CT-20: lifted straight up it would take the tower along."""
    held = Body("held", BRICK, Pose((0.0, 0.05, 0.02)))
    roof = Body("roof", box(80, 80, 10), Pose((0.0, 0.0, 0.05)))
    far = Body("far", box(80, 80, 10), Pose((0.0, 0.5, 0.05)))
    bodies = {body.name: body for body in (held, roof, far)}
    table = SimpleNamespace(bodies=bodies)
    session = SimpleNamespace(table=table, before=SimpleNamespace(bodies=bodies))
    assert way_clear(cast(Session, session), "held") == pytest.approx((0.0, 0.016, 0.0))
    del bodies["roof"]
    assert way_clear(cast(Session, session), "held") is None


def test_a_drawn_brick_goes_no_further_than_its_own_length() -> None:
    """Beneath a roof there is no end."""
    roof = Body("roof", box(900, 900, 10), Pose((0.0, 0.0, 0.1)))
    bodies = {"held": Body("held", BRICK, Pose((0.05, 0.0, 0.03))), "roof": roof}
    session = SimpleNamespace(
        table=SimpleNamespace(bodies=bodies),
        before=SimpleNamespace(bodies={"held": Body("held", BRICK, Pose((0.0, 0.0, 0.03)))}),
    )
    found = way_clear(cast(Session, session), "held")
    assert found is not None
    most = 2 * HALF + ASIDE
    assert most <= float(np.linalg.norm(found)) < most + ASIDE


# -- places to choose from


def offered(
    monkeypatch: pytest.MonkeyPatch, by_bots: list[float], listed: list[float] | None, **more: Any
) -> list[float]:
    """The places offered, as millimetres along x, when bots propose some and the game lists others."""

    def pose(x: float) -> Pose:
        return Pose((x / 1e3, 0.0, 0.0))

    asked: list[tuple[str, int]] = []

    def bot(style: str, game: str, seed: int, *, patience_s: float) -> Any:
        assert patience_s <= 1.0, "somebody waits"
        asked.append((style, seed))
        return SimpleNamespace(place=lambda session, need: pose(by_bots[len(asked) - 1]))

    places = None if listed is None else [pose(x) for x in listed]
    skill = SimpleNamespace(places=lambda session, need: places)
    monkeypatch.setattr(bots, "skill_of", lambda game: skill)
    monkeypatch.setattr(bots, "Bot", bot)
    session = SimpleNamespace(game=SimpleNamespace(has_bots=more.pop("has_bots", True), name="any"))
    found = bots.offers(cast(Session, session), Need(Wait.HAND, "Ana"), **more)
    assert asked == [] or asked[0] == ("steady", 0)
    return [round(1e3 * each.position[0], 3) for each in found]


def test_the_steady_bots_place_is_offered_first_and_none_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the place that the game lists beside it, where there is one: that is where the piece lies square."""
    beside = 1e3 * APART
    assert offered(monkeypatch, [50], [0, 49 + beside, 7, 51 + beside]) == [49 + beside, 0, 7]
    assert offered(monkeypatch, [50], [0, 51 + beside]) == [50, 0, 51 + beside]
    assert offered(monkeypatch, [0], [beside]) == [beside]
    assert offered(monkeypatch, [0, 10, 20, 30, 40, 50], None) == [0, 10, 20, 30, 40, 50]
    assert offered(monkeypatch, [0, 10], []) == [], "the game says that there is none"
    assert offered(monkeypatch, [0], [10, 20, 30, 40, 50, 60]) == [0, 10, 20, 30, 40, 50]
    assert offered(monkeypatch, [0], [10, 20, 30], most=2) == [0, 10]
    assert offered(monkeypatch, [0], [10], has_bots=False) == []
