"""A fall on the stage: what the physics say is passed on later, all of it, and nothing else is asked of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from teeter.engine.view.camera import WHOLE, all_seen_at
from teeter.engine.view.frame import frame_of
from teeter.games.core.rules import Need, Wait
from teeter.games.host.table import WRECK_S as HOSTED_S
from teeter.games.present.fall_show import WRECK_S, FallShow, panel
from teeter.games.present.live_director import corners
from teeter.games.server.messages import Busy, GameUpdate, News, Plan, TableView, Waits, Wreck
from teeter.games.server.setup import first_view

RATE = 240
OPENING = first_view(Plan("tower-topple", ("Ana", "Ben"), 1))
PIECES = {body.name: body.piece for body in OPENING.bodies}
FRAME = frame_of(OPENING.bodies)
TOWER = frozenset(PIECES) - {"table"}
SETS_OFF, LIES = 1.0, 2.2


def view(seconds: float, falls: bool = True) -> TableView:
    """The tower, which leans over and comes down from a moment on."""
    poses, since = FRAME.poses.copy(), min(max(seconds - SETS_OFF, 0.0), 1.0)
    if falls:
        rows = [n for n, name in enumerate(FRAME.names) if name in TOWER]
        heights = poses[rows, 2]
        poses[rows, 2] = np.maximum(heights - 4.9 * since**2, np.minimum(heights, 0.0075))
        poses[rows, 0] += 1.2 * heights * since
    return TableView(round(seconds * RATE), RATE, FRAME.names, poses)


@dataclass
class Stage:
    """A show, and its clock on the wall. heard: what was passed on, when. went_on: when the physics were told to."""

    falls: bool = True
    has_people: bool = True
    longest: float = math.inf
    now: float = 0.0
    said: list[News] = field(default_factory=list)
    heard: list[tuple[float, News]] = field(default_factory=list)
    went_on: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.show = FallShow(
            PIECES,
            lambda: TOWER,
            lambda: self.went_on.append(self.now),
            has_people=self.has_people,
            longest=self.longest,
        )
        self._physics = self._says()

    @property
    def state(self) -> str:
        """What the show is at."""
        return self.show.state

    def _says(self) -> Iterator[list[News]]:
        for number in range(int(LIES * 60)):
            yield [view(number / 60, self.falls)]
        if self.falls:
            yield [GameUpdate(OPENING.state, "Fell"), Wreck()]

    def run(self, seconds: float) -> None:
        """Pass so many seconds on the wall."""
        for _ in range(round(seconds * 60)):
            self.now += 1 / 60
            news = next(self._physics, [])
            self.said += news
            self.heard += [(self.now, each) for each in self.show.take(news, self.now)]


def test_a_fall_is_four_seconds_on_the_stage_and_the_wreck_stays_until_somebody_goes_on() -> None:
    stage = Stage()
    stage.run(SETS_OFF)
    assert stage.state == ""
    stage.run(0.3)
    assert stage.state == "falls", "certain long before the rules have heard of it"
    begun = stage.now
    while stage.state == "falls":
        stage.run(0.1)
    fell = stage.now - begun
    assert 2.0 < fell < 12.0
    stage.run(30.0)
    assert stage.state == "wreck"
    assert stage.went_on == []
    stage.show.leave()
    stage.run(0.1)
    assert stage.state == ""
    assert len(stage.went_on) == 1
    assert fell + WRECK_S >= 4.0


def test_it_is_slow_and_everything_is_heard_once_in_its_order() -> None:
    stage = Stage()
    stage.run(10.0)
    stage.show.leave()
    stage.run(0.1)
    views = [(at, each) for at, each in stage.heard if isinstance(each, TableView)]
    steps = [each.step for _, each in views]
    assert steps == sorted(steps)
    passed = [each for _, each in stage.heard if any(each is said for said in stage.said)]
    assert passed == [each for each in stage.said if not isinstance(each, Wreck)]
    added = [each for _, each in stage.heard if not any(each is said for said in stage.said)]
    assert {type(each) for each in added} <= {TableView, Busy}
    falling = [at for at, each in views if SETS_OFF + 0.1 < each.step / RATE < SETS_OFF + 0.4]
    assert falling[-1] - falling[0] > 1.0, "three tenths of a second"


def test_the_whole_wreck_is_in_the_picture_while_it_falls_and_as_it_lies() -> None:
    stage, size = Stage(), (1280, 720)
    stage.run(SETS_OFF + 1.2)
    for _ in range(60):
        stage.run(0.15)
        camera = stage.show.camera((0.0, 0.0, 1.0, 0.85))
        shown = next(each for _, each in reversed(stage.heard) if isinstance(each, TableView))
        assert camera is not None
        seen = all_seen_at(camera, size, corners(shown, PIECES, TOWER, -0.1))
        assert (seen > -2.0).all()
        assert (seen < (size[0] + 2.0, 0.85 * size[1] + 2.0)).all()
    assert stage.state == "wreck"
    assert float(np.ptp(seen[:, 0])) > 0.5 * size[0]


def test_what_the_hand_let_go_of_is_seen_once_more_slowly_at_once_and_lies_then() -> None:
    stage = Stage()
    stage.show._is_falling = lambda: False  # type: ignore[method-assign]
    stage.run(LIES + 0.1)
    assert stage.state == "falls"
    before = len(stage.heard)
    stage.run(2.0)
    seen = [each.step / RATE for _, each in stage.heard[before:] if isinstance(each, TableView)]
    assert seen[0] < SETS_OFF + 0.1
    assert 0.3 < seen[-1] - seen[0] < 1.0, "of two seconds"
    while stage.state == "falls":
        stage.run(0.1)
    stage.run(1.0)
    assert stage.state == "wreck"
    assert len(stage.show._corners()) >= 8 * len(TOWER), "the whole tower is in the picture"
    assert len([each for _, each in stage.heard if isinstance(each, GameUpdate)]) == 1
    stage.show.again()
    assert stage.state == "falls"
    stage.run(12.0)
    assert stage.state == "wreck"
    stage.show.leave()
    stage.run(0.1)
    assert (stage.state, len(stage.went_on)) == ("", 1)


def test_news_while_it_is_watched_again_hold_up_nothing() -> None:
    stage = Stage()
    stage.run(10.0)
    stage.show.again()
    stage.show.take([Busy("a bot thinks"), view(LIES + 0.1)], stage.now)
    stage.run(12.0)
    assert stage.state == "wreck"
    stage.show.leave()
    stage.run(0.1)
    assert any(each == Busy("a bot thinks") for _, each in stage.heard)


def test_it_is_watched_again_and_nothing_is_told_twice() -> None:
    stage = Stage()
    stage.run(10.0)
    told = len([each for _, each in stage.heard if isinstance(each, GameUpdate)])
    stage.show.again()
    before = len(stage.heard)
    stage.run(1.0)
    assert stage.state == "falls"
    again = [each for _, each in stage.heard[before:]]
    assert again
    assert all(isinstance(each, TableView) for each in again)
    stage.run(8.0)
    assert stage.state == "wreck"
    assert len([each for _, each in stage.heard if isinstance(each, GameUpdate)]) == told == 1


def test_a_clip_that_is_wanted_as_one_goes_on_is_of_the_fall() -> None:
    stage = Stage()
    stage.run(20.0)
    assert stage.state == "wreck"
    begin, end = stage.show.span
    assert begin < SETS_OFF + 0.5 < SETS_OFF + 1.0 < end
    stage.show.leave()
    assert stage.show.span == (begin, end)


def test_where_nothing_falls_nothing_is_held_back() -> None:
    stage = Stage(falls=False)
    stage.run(4.0)
    assert [each for _, each in stage.heard] == stage.said
    assert stage.state == ""


def test_where_nobody_goes_on_the_game_does_after_a_while_also_after_it_was_watched_again() -> None:
    stage = Stage(longest=HOSTED_S)
    while stage.state != "wreck":
        stage.run(0.1)
    stage.run(HOSTED_S - 1.0)
    assert stage.state == "wreck"
    stage.show.again()
    while stage.state != "wreck":
        stage.run(0.1)
    stage.run(HOSTED_S - 1.0)
    assert stage.state == "wreck", "so long again"
    stage.run(1.5)
    assert (stage.state, len(stage.went_on)) == ("", 1)


def test_a_game_of_bots_alone_goes_on_by_itself() -> None:
    stage = Stage(has_people=False)
    stage.run(20.0)
    assert stage.state == ""
    assert len(stage.went_on) == 1


@pytest.mark.parametrize("seconds", [0.5, 5.0])
def test_a_key_goes_on_only_once_the_wreck_was_seen(seconds: float) -> None:
    stage = Stage()
    while stage.state != "wreck":
        stage.run(0.1)
    stage.run(seconds)
    assert stage.show.key("choose") is (seconds > WRECK_S)
    names = [
        item.name
        for row in panel(stage.show, (), "", may_keep=True).items
        for item in getattr(row, "items", ())
    ]
    assert names == ["go_on", "watch_again", "clip"]


def test_who_was_asked_is_asked_still_when_nothing_came_of_it() -> None:
    stage = Stage(falls=False)
    stage.run(1.5)
    waits = Waits(OPENING.game.rules.needs(OPENING.state), (), can_undo=False)
    stage.show.take([waits], stage.now)
    stage.show._begin()
    stage.run(3.0)
    assert stage.state == ""
    assert stage.heard[-1][1] is waits or any(each is waits for _, each in stage.heard)
    assert stage.show.camera(WHOLE) is None


def test_what_only_looked_like_a_fall_ends_when_the_game_asks_on() -> None:
    """By the rules nothing fell, so no wreck is told of: what is shown then hides no turn."""
    stage = Stage()
    waits = Waits(OPENING.game.rules.needs(OPENING.state), (), can_undo=False)
    last: list[News] = [waits]
    stage._physics = (news if isinstance(news[0], TableView) else last for news in stage._says())
    stage.run(30.0)
    assert stage.said[-1] is waits
    assert any(each is waits for _, each in stage.heard)
    assert stage.state == ""
    assert stage.went_on == []


@pytest.mark.parametrize("moves_s", [0.0, 20.0])
def test_a_fall_that_the_hand_goes_on_in_ends_by_itself(moves_s: float) -> None:
    """A brick fell beside the one that is pulled, and the tower stands by the rules: no wreck is told of."""
    stage = Stage()
    pulls = Waits(Need(Wait.PULL, "Ana", ("brick.18",)), (), can_undo=False)
    falls = [news for news in stage._says() if isinstance(news[0], TableView)]
    last = falls[-1][0]
    assert isinstance(last, TableView)
    held: list[list[News]] = [[view(0.0), pulls], *falls, [GameUpdate(OPENING.state, "Fell")]]
    steps = [last.step + n * RATE // 60 for n in range(1, round(60 * moves_s))]
    stage._physics = iter(held + [[replace(last, step=step)] for step in steps])
    stage.run(12.0)
    assert Busy("it falls") in [each for _, each in stage.heard]
    assert stage.state == ""
    assert stage.went_on == []
    asked = [each for _, each in stage.heard if isinstance(each, (Busy, Waits))]
    assert asked[-1] is pulls
