"""What a person has laid in the sandbox is taken back, step by step, and nothing is left without a word."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

from teeter.engine.hand import packed
from teeter.engine.pose import Pose
from teeter.games.core.rules import Bring, Take, Wait
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
