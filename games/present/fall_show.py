"""The fall as the show: from the moment it is certain, what is seen lags behind the physics, slowed down, under the
camera of films; then the wreck lies there until somebody goes on.

The physics simulate as ever, and nothing else is recorded: only what they have said is passed on later.
"""

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Literal

import numpy as np

from teeter.engine.record.reader import between
from teeter.engine.view.camera import BOX_CORNERS, Camera, Clear, fitted, raised
from teeter.engine.view.panels import Button, Panel, Row, Text
from teeter.engine.view.video import director
from teeter.engine.view.video.director import FALLS
from teeter.engine.view.video.pace import SLOW_SPEED
from teeter.games.core.rules import Wait
from teeter.games.present.live_director import FallPlan, corners, planned
from teeter.games.server.messages import Busy, GameUpdate, News, TableView, Waits, Wreck
from teeter.models.piece import Array, Piece

KEPT_S = 2.5
"""Seconds of the table that are kept, for the director to see how a fall began."""
LATELY_S = 0.5
"""Seconds within which a piece has come down; what the hand held in them is let go of, and does not count."""
COMING_DOWN = (0.0025, 0.15)
"""Metres lower, and metres a second: what moves so is not caught any more. Settling takes a tenth of that."""
PUT_SPEED = 8.0
"""m/s from which a piece was put elsewhere by the game."""
PLAN_S = 0.5
"""Seconds between two looks of the director at what the physics have come to meanwhile."""
DOUBT_S = 1.5
"""Seconds after which what brought nothing down is no fall."""
LINGER_S = 0.6
"""Seconds of the table after the last piece fell, at which the wreck begins."""
WRECK_S = 2.0
"""Seconds for which a wreck is seen at the least before a key goes on."""
UNSEEN_S = 4.0
"""Seconds after which a game goes on that only bots play."""
WRECK_DEG, WRECK_M = 16.0, 0.12
"""The elevation from which a wreck is looked at, and metres around its middle that are seen with it."""
FLOOR_M = -0.1
"""Metres: what lies lower has left the table."""


class FallShow:
    """Of one table.

    pieces: of the game, as they are known. in_play: those of the tower. go_on: tells the physics to. is_on: not in the
    sandbox, where things fall all the time. has_people: somebody is there who goes on; else it goes on by itself.
    longest: seconds that a wreck lies there at most.
    """

    def __init__(
        self,
        pieces: Mapping[str, Piece],
        in_play: Callable[[], frozenset[str]],
        go_on: Callable[[], None],
        *,
        is_on: bool = True,
        has_people: bool = True,
        longest: float = math.inf,
    ) -> None:
        self._pieces, self._in_play, self._go_on, self._is_on = pieces, in_play, go_on, is_on
        self._tower: frozenset[str] = frozenset()
        self._longest = longest if has_people else UNSEEN_S
        self.state: Literal["", "falls", "wreck"] = ""
        """Empty while nothing falls."""
        self.aspect, self.speed = 16 / 9, 1.0
        """Of the picture, width by height; and how fast time runs."""
        self._views: list[TableView] = []
        self._later: deque[News] = deque()
        self._passed: list[News] = []
        self._waits: Waits | None = None
        self._asked: Waits | None = None
        """Who is asked by what is seen, and by all that was said."""
        self._now = self.began_at = self._lay_at = self._planned_at = self._moved_at = -math.inf
        self._shown = 0.0
        self._plan: FallPlan | None = None
        self._span = (0.0, 0.0)
        self._has_fallen = self._is_done = self._is_left = self._is_again = self._is_asked = False

    # -- what is passed on -------------------------------------------------------------------------------------------

    def take(self, news: Iterable[News], now: float) -> list[News]:
        """Returns what is to be heard now of what the physics said, and have said before. now: seconds on the wall."""
        elapsed, self._now = self.speed * min(now - self._now, 1.0), now
        due, self._passed = self._passed, []
        for item in news:
            if isinstance(item, TableView):
                self._keep(item)
                self._moved_at = now
            elif isinstance(item, (Waits, Busy, Wreck)):
                self._asked = item if isinstance(item, Waits) else None
            if self.state:
                self._later.append(item)
                continue
            due.append(item)
            self._pass(item, due)
        if self.state:
            due += self._run(elapsed)
        if self.state == "wreck":
            # where the director saw nothing there is nothing to look at for long
            longest = self._longest if self._plan is not None else min(self._longest, WRECK_S)
            if now - self._lay_at > longest / max(self.speed, 1.0):
                self.leave()
        return [item for item in due if not isinstance(item, Wreck)]

    def _pass(self, item: News, due: list[News]) -> None:
        """What is heard at once; a fall may begin with it."""
        if isinstance(item, (Waits, Busy)):
            self._waits = item if isinstance(item, Waits) else None
        if isinstance(item, Wreck):
            if self._is_left or not self._is_on:
                self._is_left = False
                self._go_on()
            else:
                self._lie()
                # what the hand had just let go of came down at once: it is seen once more, slowly
                self._plan, self._is_done = planned(self._views, self._pieces, self.aspect), True
                self.again()
        elif isinstance(item, TableView) and self._is_on and not self._is_left and self._is_falling():
            self._begin()
            due.append(Busy(FALLS.rstrip("!").lower()))

    def _keep(self, view: TableView) -> None:
        self._views.append(view)
        if self.state:
            return
        if view.held:
            # what falls is no longer in play
            self._tower = self._in_play()
        first = view.step - KEPT_S * view.rate
        if (
            self._views[0].step < first - view.rate
            or view.step < self._views[-2 if len(self._views) > 1 else 0].step
        ):
            self._views = [other for other in self._views if first <= other.step <= view.step]

    def _is_falling(self) -> bool:
        """Whether a piece that no hand has let go of comes down so fast that nothing stops it."""
        last, rate = self._views[-1], self._views[-1].rate
        lately = [view for view in self._views if view.step >= last.step - LATELY_S * rate]
        before = lately[-2] if len(lately) > 1 else last
        if lately[0].names != last.names or before.names != last.names or before.step >= last.step:
            return False
        lower = lately[0].poses[:, 2] - last.poses[:, 2]
        speeds = (
            np.linalg.norm(last.poses[:, :3] - before.poses[:, :3], axis=1) * rate / (last.step - before.step)
        )
        if lower.max(initial=0.0) <= COMING_DOWN[0]:
            return False
        falls = (lower > COMING_DOWN[0]) & (speeds > COMING_DOWN[1]) & (last.poses[:, 2] < before.poses[:, 2])
        if not falls.any():
            return False
        held = {view.held for view in lately}
        put = any(
            np.abs(b.poses - a.poses).max() * rate > PUT_SPEED * max(b.step - a.step, 1)
            for a, b in pairwise(lately)
            if a.names == b.names
        )
        return not put and any(falls[n] and name not in held for n, name in enumerate(last.names))

    # -- the course of it --------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self.state, self.began_at, self._planned_at = "falls", self._now, self._now
        self._shown, self._plan = float(self._views[-1].step), None
        self._tower |= self._in_play()
        self._has_fallen = self._is_done = self._is_again = self._is_asked = False

    def _lie(self) -> None:
        """The wreck begins."""
        if not self.state:
            self._begin()
        if self.state != "wreck":
            self.state, self._lay_at = "wreck", self._now

    def _run(self, elapsed: float) -> list[News]:
        """Shows what is due."""
        if not self._views:
            return []
        rate = self._views[-1].rate
        if self._now - self._planned_at > PLAN_S and not self._is_done:
            self._is_done = self.state == "wreck" or any(isinstance(item, Wreck) for item in self._later)
            self._planned_at = self._now
            self._plan = planned(self._views, self._pieces, self.aspect) or self._plan
        moment = self.seconds
        speed = SLOW_SPEED if self._plan is None else self._plan.speed(moment)
        newest = self._views[-1].step
        before, self._shown = self._shown, min(self._shown + elapsed * speed * rate, float(newest))
        due = self._again(before) if self._is_again else self._due()
        is_at_end = self._shown >= newest or (self._plan is not None and moment > self._plan.end + LINGER_S)
        if is_at_end and self._is_done and (self._is_again or not self._later):
            self._lie()
        # a hand that goes on holding its piece waits for no wreck
        is_held = self._asked is not None and not self._is_again
        is_doubted = self._now - self.began_at > DOUBT_S and self._plan is None
        is_down = self._plan is not None and moment > self._plan.end + LINGER_S
        is_down |= self._shown >= newest and self._now - self._moved_at > LINGER_S
        is_nothing = self._is_asked or (is_doubted and not self._has_fallen)
        is_nothing |= is_held and (is_doubted or is_down)
        return [*due, *self._end()] if self.state == "falls" and is_nothing else due

    def _due(self) -> list[News]:
        news: list[News] = []
        while self._later:
            item = self._later[0]
            if isinstance(item, TableView) and item.step > self._shown:
                break
            news.append(self._later.popleft())
            self._has_fallen |= isinstance(item, GameUpdate) and item.event == "Fell"
            if isinstance(item, (Waits, Busy)):
                self._waits = item if isinstance(item, Waits) else None
            # a wreck would have been told of before somebody is asked on
            self._is_asked |= isinstance(item, Waits) and item.need.wait not in (Wait.HAND, Wait.PULL)
            if isinstance(item, Wreck):
                self._lie()
        middle = self._between()
        return [*news, middle] if middle is not None and self._later else news

    def _again(self, before: float) -> list[News]:
        views: list[News] = [view for view in self._views if before < view.step <= self._shown]
        middle = self._between()
        return [*views, middle] if middle is not None else views

    def _between(self) -> TableView | None:
        """What is seen between two views."""
        at = next((n for n, view in enumerate(self._views) if view.step > self._shown), 0)
        first, second = self._views[at - 1], self._views[at]
        if not at or first.names != second.names or second.step <= first.step:
            return None
        poses = between(first.poses, second.poses, (self._shown - first.step) / (second.step - first.step))
        return replace(first, step=int(self._shown), poses=poses)

    def _end(self) -> list[News]:
        """Nothing falls, or somebody goes on: what is is seen."""
        rest: list[News] = list(self._later)
        self._later.clear()
        if self._waits is not None and not any(isinstance(item, (Waits, Busy)) for item in rest):
            # who was asked before is asked still
            rest.append(self._waits)
        if self._is_again:
            rest.append(self._views[-1])
        self._span = self.span
        self.state, self._views = "", self._views[-1:]
        return rest

    # -- what people do ----------------------------------------------------------------------------------------------

    def leave(self) -> None:
        """Somebody goes on."""
        if not self.state:
            return
        is_still = self.state == "wreck" and not self._later
        rest = self._end()
        self._is_left = not is_still and not any(isinstance(item, Wreck) for item in rest)
        self._waits = None
        self._passed += rest
        if not self._is_left:
            self._go_on()

    def again(self) -> None:
        """Somebody watches it again."""
        if self.state == "wreck" and self._plan is not None and not self._later:
            # the wreck may have been seen for less than it takes until a plan is made again
            self._plan, self._is_done = planned(self._views, self._pieces, self.aspect) or self._plan, True
            self._is_again, self.state = True, "falls"
            self._shown = (
                self._views[0].step + (self._plan.begin - director.AHEAD_S / 2) * self._views[-1].rate
            )

    def key(self, act: str) -> bool:
        """Whether an act of the keyboard goes on: once the wreck was seen."""
        return self.state == "wreck" and self._now - self._lay_at > WRECK_S and act in ("choose", "lay")

    # -- what is seen ------------------------------------------------------------------------------------------------

    @property
    def seconds(self) -> float:
        """The moment that is seen, seconds since what is kept began."""
        return (self._shown - self._views[0].step) / self._views[-1].rate

    @property
    def span(self) -> tuple[float, float]:
        """From when to when it fell, seconds of the record, with what led up to it and what came of it; of the last
        fall once somebody has gone on."""
        if not self.state:
            return self._span
        rate, plan = self._views[-1].rate, self._plan
        begin = self._views[0].step / rate
        begin, end = (begin, begin + 3.0) if plan is None else (begin + plan.begin, begin + plan.end)
        # the record goes on at once, with what was set up again
        return max(begin - director.AHEAD_S, 0.0), min(end + director.AHEAD_S, self._views[-1].step / rate)

    def camera(self, clear: Clear) -> Camera | None:
        """Returns from where it is seen; None while nobody knows. clear: what panels leave free."""
        if self._plan is None or not self.state:
            return None
        seen = self._plan.camera(self.seconds)
        lies = self.state == "wreck"
        points = self._corners()
        if not len(points):
            return seen
        # a few blocks are no landscape
        points = np.concatenate([points, points.mean(axis=0) + WRECK_M * BOX_CORNERS * (1.0, 1.0, 0.0)])
        whole = fitted(points, raised(seen, WRECK_DEG) if lies else seen, self.aspect, clear)
        return whole if lies or whole.distance > seen.distance else seen

    def _corners(self) -> Array:
        """Returns corners of the tower, and of all that fell and lies on the table, where they are seen now."""
        assert self._plan is not None
        now = next((view for view in reversed(self._views) if view.step <= self._shown), self._views[-1])
        return corners(now, self._pieces, self._tower | set(self._plan.fallen), FLOOR_M)


def panel(
    show: FallShow, story: Iterable[str], film: str = "", *, may_keep: bool, may_go_on: bool = True
) -> Panel:
    """What stands below a fall. story: what happened. film: how the clip is getting on. may_keep: it can be kept.
    may_go_on: who looks decides."""
    if show.state == "falls":
        return Panel("fall", "bottom", (Text(FALLS, "bad", "title", bold=True),), width=150)
    lines = tuple(Text(line, "bad", "large", bold=True) for line in list(story)[:1])
    if not may_go_on:
        return Panel("fall", "bottom", lines or (Text(FALLS, "bad", "title", bold=True),), width=430)
    buttons = Row(
        (
            Button("go_on", "Continue", is_on=True, key="Enter"),
            Button("watch_again", "Watch again"),
            Button("clip", "Save this clip", is_enabled=may_keep and not film),
        )
    )
    said = (Text(f"The clip {film}", "quiet", "small"),) if film else ()
    return Panel("fall", "bottom", (*lines, buttons, *said), width=430)
