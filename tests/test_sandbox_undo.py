"""What a person has laid in the sandbox is taken back, step by step, and nothing is left without a word."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from teeter.engine.hand import packed
from teeter.engine.pose import Pose
from teeter.engine.world.body import FLOOR
from teeter.games.core.rules import Bring, Take, Wait
from teeter.games.present.asking import CheckQuestion, PlaceQuestion
from teeter.games.present.hint_process import answerer
from teeter.games.present.pages import Pages
from teeter.games.present.sandbox_screen import SandboxScreen
from teeter.games.present.settings import load_settings
from teeter.games.server.follower import HandFollower, laying
from teeter.games.server.messages import Act, Do, Fetch, Plan, Tilt
from teeter.games.server.setup import ActiveGame, open_game


def laid(active: ActiveGame, x: float) -> None:
    """Carry what is held to a place of the table, and lay it."""
    session = active.session
    hand, held = session.table.hand, session.table.hand.held
    assert held is not None
    follow = HandFollower(hand.target, session.table.rate)
    _, y, z = hand.target.position
    for goal in (Pose((x, y, z + 0.05), hand.target.orientation),):
        follow.goal = goal
        while not follow.is_near:
            session.aim(packed(follow.step()))
    for target in laying(hand, session.table.bodies[held].piece.mass, 0.05):
        session.aim(target)
        if session.table.hand.held is None:
            break
    session.release()
    session.settle()


def test_what_slides_off_a_tilted_table_stops_at_the_edge_of_the_floor() -> None:
    nothing: Any = lambda *_: None  # noqa: E731
    active = open_game(Plan("sandbox", ("Ana",), scene="two_bricks"), nothing, nothing, nothing)
    table, building = active.session.table, active.building
    assert building is not None
    try:
        assert building.obey(Tilt(30.0, 0.0))
        bricks = [table.bodies[name].pose.position for name in ("lower", "slab")]
        assert all(x > 10.0 and -0.8 < z < -0.6 for x, _, z in bricks), bricks
        assert building.obey(Tilt(0.0, 0.0))
        begun = table.step
        assert building.obey(Do(Bring("Ana", "cube", "bausack/cube")))
        laid(active, -0.2)
        assert table.step - begun < 4.0 * table.rate, "it waits for what has long gone"
        assert building.obey(Fetch("lower"))
        assert not table.bodies["lower"].fixed
        # put back it lies on the floor again; and so it does once it was laid and that is taken back
        floor = bricks[0]
        for is_laid in (False, True):
            if is_laid:
                assert building.obey(Fetch("lower"))
                laid(active, 0.1)
                assert table.bodies["lower"].pose.position[2] > 0.0
            assert building.obey(Act.UNDO)
            assert math.dist(table.bodies["lower"].pose.position, floor) < 1e-3
            assert active.session.need.wait is Wait.ACTION
        # the cube, then the tilt
        for _ in range(2):
            assert building.can_undo
            assert building.obey(Act.UNDO)
        assert table.world.gravity[:2] == (0.0, 0.0)
        assert table.bodies["lower"].pose.position[2] > 0.0
    finally:
        active.session.close()


def test_the_only_piece_is_brought_back_from_the_edge_of_the_floor() -> None:
    nothing: Any = lambda *_: None  # noqa: E731
    active = open_game(Plan("sandbox", ("Ana",)), nothing, nothing, nothing)
    session, building = active.session, active.building
    assert building is not None
    try:
        assert building.obey(Do(Bring("Ana", "cube", "bausack/cube")))
        laid(active, 0.1)
        assert building.obey(Tilt(30.0, 0.0))
        assert session.table.bodies["cube"].fixed, "it was caught there, so that nothing is loose"
        assert building.obey(Fetch("cube"))
        assert session.table.hand.held == "cube"
    finally:
        session.close()


def test_what_was_laid_brought_and_tilted_is_taken_back_step_by_step() -> None:
    nothing: Any = lambda *_: None  # noqa: E731
    active = open_game(Plan("sandbox", ("Ana",), scene="two_bricks"), nothing, nothing, nothing)
    session, building = active.session, active.building
    assert building is not None
    try:
        name = next(iter(sorted(session.judge.in_play(session.state))))
        start = session.table.bodies[name].pose
        assert not building.can_undo
        assert building.obey(Do(Take("Ana", name)))
        assert not building.can_undo, "a piece in the hand is put back by the rules"
        laid(active, 0.2)
        there = session.table.bodies[name].pose
        assert math.dist(there.position, start.position) > 0.1
        assert building.obey(Do(Bring("Ana", "cube", "bausack/cube")))
        laid(active, -0.2)
        assert building.obey(Tilt(2.0, 0.0))
        assert session.need.wait is Wait.ACTION
        assert building.obey(Act.UNDO)
        assert session.table.world.gravity[:2] == (0.0, 0.0)
        assert building.obey(Act.UNDO)
        assert "cube" not in session.judge.in_play(session.state)
        assert math.dist(session.table.bodies[name].pose.position, there.position) < 1e-5
        assert building.obey(Act.UNDO)
        assert math.dist(session.table.bodies[name].pose.position, start.position) < 1e-5
        assert not building.can_undo
        # the piece that comes back may be taken again
        assert building.obey(Do(Bring("Ana", "cube", "bausack/cube")))
        assert session.table.hand.held == "cube"
    finally:
        active.close()


def test_what_was_built_is_not_left_without_a_word() -> None:
    screen: Any = SandboxScreen.__new__(SandboxScreen)
    settings = load_settings()
    vars(screen).update(
        pages=Pages(settings),
        hand=SimpleNamespace(settings=settings),
        client=SimpleNamespace(in_play=frozenset({"cube"})),
        physics=SimpleNamespace(send=lambda order: None),
        wish="",
        _is_saved=False,
        _leaves=False,
        _teach=lambda: None,
    )
    for fault, wish in (("not saved", ""), ("", "menu")):
        screen.pages.page = "pause"
        screen.pages._click("leave")
        screen._turn_page()
        assert (fault in screen.pages.fault, screen.wish) == (True, wish)
    screen.wish, screen._is_saved = "", True
    screen.pages._click("leave")
    screen._turn_page()
    assert screen.wish == "menu"
    # the window's own way out is asked the same, and takes the second time for an answer
    screen.wish, screen._is_saved = "", False
    assert [screen.keeps_open(), screen.wish, screen.pages.page] == [True, "", "pause"]
    assert not screen.keeps_open()


def test_the_coach_and_the_check_judge_the_table_as_it_is_tilted() -> None:
    nothing: Any = lambda *_: None  # noqa: E731
    active = open_game(Plan("sandbox", ("Ana",)), nothing, nothing, nothing)
    session, building, answer = active.session, active.building, answerer()
    assert building is not None
    found: dict[float, list[Any]] = {}
    try:
        for degrees in (0.0, 5.0, 24.0):
            assert building.obey(Tilt(degrees, 30.0))
            assert building.obey(Do(Bring("Ana", "cube", "bausack/cube")))
            bodies, lean = dict(session.table.bodies), session.table.lean
            held = bodies.pop("cube")
            middle = Pose((0.0, 0.0, float(held.piece.extents[2]) / 2), held.pose.orientation)
            rows = tuple((name, body.pose) for name, body in bodies.items() if name != FLOOR)
            asked = PlaceQuestion("cube", middle, rows, "sandbox", session.state, lean=lean)
            news = [*bodies.values(), held]
            there = CheckQuestion((*rows, ("cube", middle)), lean)
            looks = [replace(asked, wanted="look"), asked, there]
            found[degrees] = [answer(news, each) for each in looks]  # type: ignore[arg-type]
            laid(active, 0.0)
            stays = session.table.bodies["cube"].pose.position[2] > 0.0
            assert stays is (found[degrees][1].risk == "safe")
            assert building.obey(Act.UNDO)
    finally:
        session.close()
    assert [[each.risk for each in two[:2]] for two in found.values()] == [
        ["safe", "safe"],
        ["safe", "safe"],
        ["falls", "falls"],
    ]
    level, tilted, steep = (three[1:] for three in found.values())
    assert level[0].tilt_deg == pytest.approx(tilted[0].tilt_deg + 5.0, abs=0.2)
    assert [each[1].word for each in (level, tilted, steep)] == ["stands", "stands", "topples"]
    assert "tilted" not in level[1].told
    assert tilted[1].told.startswith("On the table as it is tilted, by 5.0 degrees. The table could tilt by ")
    assert steep[1].told.startswith("On the table as it is tilted, by 24.0 degrees")
