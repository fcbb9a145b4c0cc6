"""What the coach says of a place before a piece is laid there, beside what happens: pieces laid in games of bots by the
hand of a person, at places that are offered to one key, that bots choose, and near them."""

from __future__ import annotations

import itertools
import math
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from teeter.engine.geometry.drop import DropTarget
from teeter.engine.hand import packed
from teeter.engine.motions import Motion, draw
from teeter.engine.pose import Pose
from teeter.engine.tolerances import FALL_DROP_SEEN
from teeter.engine.world.body import FLOOR, Body
from teeter.games.core.events import Condition, Fell, HitNeighbour, Released
from teeter.games.core.rules import Input, Need, Wait
from teeter.games.play.recording import begin
from teeter.games.play.session import Session
from teeter.games.players.bots import Bot, bots_of, offers, pull, referees, way_clear
from teeter.games.present.asking import Answer, PlaceAnswer, PlaceQuestion
from teeter.games.present.hint_process import ELSEWHERE, answerer
from teeter.games.registry import GAMES, game_named
from teeter.games.server.follower import HandFollower, laying

pytestmark = pytest.mark.soak

LAID = 200
"""Pieces in each game."""
MISSES, FIRST_S, FINAL_S = 0.03, 0.1, 1.0
"""Share of first looks that may be wrong, and seconds of processor time in which most answers come."""
NEAR = (0.0, 0.0, 0.003, 0.003, 0.01, 0.03)
"""Metres from the place that a bot chooses, as far as it is laid from there at most; by turns."""
MOST_TURNS = 60
"""Of a game: then the next begins."""
HELD_S, ARRIVAL_S = 0.3, 6.0
"""Seconds for which a piece is held over its place before it is laid, and in which the hand gets there at most."""
HOVER, ABOVE = 0.004, 0.05
"""Metres above its place at which it is held, and above all that lies, at which it is carried."""


@dataclass(frozen=True, slots=True)
class Lay:
    """A piece that was laid. first, final: what the coach said, and after how many seconds of processor time. told:
    what the rules heard of it."""

    seed: int
    turn: int
    piece: str
    place: Pose
    rest: Pose
    first: PlaceAnswer
    first_s: float
    final: PlaceAnswer
    final_s: float
    told: tuple[Input, ...]

    @property
    def is_laid(self) -> bool:
        """Whether the hand has let go of it: it may have pushed something before."""
        return any(isinstance(each, Released) for each in self.told)

    @property
    def broken(self) -> tuple[Condition, ...]:
        """What the rules missed."""
        return tuple(missed for each in self.told for missed in getattr(each, "broken", ()))

    @property
    def came_down(self) -> bool:
        """Whether something fell, or the piece lies far from where it was laid."""
        is_far = math.dist(self.place.position, self.rest.position) > FALL_DROP_SEEN
        return is_far or any(isinstance(each, (Fell, HitNeighbour)) for each in self.told)

    @property
    def is_bad(self) -> bool:
        """Whether it came down, or broke a rule."""
        return self.came_down or bool(self.broken)

    def is_contradicted(self, said: PlaceAnswer) -> bool:
        """Whether it was otherwise than the coach said."""
        if not said.risk:
            return False
        if said.is_bad:
            is_sure = said.risk == "falls" and not said.is_first and said.why != ELSEWHERE
            return not (self.came_down if is_sure else self.is_bad)
        # that it shifts and may fall says nothing of which; of a rule that is named as a risk nothing else is said
        comes_down = self.came_down and "may fall" not in said.why
        return comes_down or any(missed.missed not in said.why for missed in self.broken)


class Laying:
    """One game of two bots, whose pieces are laid by a person's hand. answers: what the processes for what is said for
    good and at first sight answer."""

    def __init__(
        self, name: str, seed: int, answers: tuple[Callable[..., Answer], Callable[..., Answer]]
    ) -> None:
        self.told: list[Input] = []
        players = ("bot:steady", "bot:steady")
        tell = (lambda before, given, after: self.told.append(given),)
        self.session: Session[Any] = begin(game_named(name), players, seed, {}, tell=tell)[0]
        self.seed, self._bots, self._luck = seed, bots_of(self.session, seed), random.Random(seed)
        self._final, self._look = answers
        self._pulled = ""
        self._ended: Pose | None = None

    def _shown(self) -> dict[str, Body]:
        """What a screen shows."""
        session = self.session
        bodies = {name: body for name, body in session.table.bodies.items() if name != FLOOR}
        scenery = {body.name: body for body in session.judge.scenery(session.state)}
        return {**scenery, **bodies}

    def play(self, near: Iterator[float]) -> Iterator[Lay]:
        """Yields every piece that is laid."""
        session = self.session
        while session.outcome is None and session.turns < MOST_TURNS:
            need = session.need
            bot = self._bots[need.who]
            if need.wait is Wait.ACTION:
                session.act(bot.choose(session, need))
            elif need.wait is Wait.HAND:
                yield from self._lay(bot, need, next(near))
            elif need.wait is Wait.PULL:
                self._pulled = need.pieces[0]
                pull(session, bot, need)
            elif need.wait is Wait.ANSWER:
                session.answer(referees(session, need))
            else:
                session.settle()

    def _lay(self, bot: Bot, need: Need, near: float) -> Iterator[Lay]:
        session, held = self.session, need.pieces[0]
        hand, turn = session.table.hand, session.turns
        if self._pulled == held and (way := way_clear(session, held)) is not None:
            self._run(need, draw(hand, way))
        if session.need != need or hand.held != held:
            return
        self._pulled = ""
        goal = bot.place(session, need)
        places = () if near else offers(session, need)
        if places:
            # as one key takes it there
            goal = self._luck.choice(places)
        far, bearing = near * math.sqrt(self._luck.random()), self._luck.uniform(0.0, 2.0 * math.pi)
        x, y = goal.position[0] + far * math.cos(bearing), goal.position[1] + far * math.sin(bearing)
        top = max(body.pose.position[2] + float(body.piece.extents.max()) / 2 for body in self._lying(held))
        self._carry(need, Pose((*hand.target.position[:2], top + ABOVE), hand.target.orientation))
        if session.need != need or hand.held != held:
            return
        for wanted in ("look", "all"):  # as it is taken up, for what has to be loaded
            self._ask(replace(self._question(held, goal), wanted=wanted))
        self._carry(need, Pose((x, y, top + ABOVE), goal.orientation))
        # on the way, as a screen has it when the tower has come to rest
        self._final(list(self._shown().values()), replace(self._question(held, goal), wanted="nothing"))
        landing = self._landing(held, x, y, goal)
        if landing is None:
            landing = self._landing(held, *goal.position[:2], goal)
            x, y = goal.position[:2]
            assert landing is not None
        self._carry(need, Pose((x, y, landing + HOVER), goal.orientation))
        if session.need != need or hand.held != held:
            return
        landing = self._landing(held, x, y, goal)
        assert landing is not None
        place = Pose((x, y, landing), goal.orientation)
        has_slots = session.game.name == "tower-topple"
        question = replace(self._question(held, place), is_drawn_in=bool(places) and has_slots)
        first, first_s = self._ask(replace(question, wanted="look"))
        final, final_s = self._ask(question)
        self.told.clear()
        self._ended = None
        session.before_tidying = lambda: self._note(held)
        gap = hand.target.position[2] - landing
        self._run(need, laying(hand, session.table.bodies[held].piece.mass, gap))
        if hand.held == held and session.need == need:
            session.release()
        while session.need.wait in (Wait.REST, Wait.COUNT):
            session.settle()
        rest = self._ended or session.table.bodies[held].pose
        yield Lay(self.seed, turn, held, place, rest, first, first_s, final, final_s, tuple(self.told))

    def _note(self, held: str) -> None:
        """Where the piece lies before what has fallen is set up again."""
        self._ended = self._ended or self.session.table.bodies[held].pose

    def _lying(self, held: str) -> list[Body]:
        return [body for name, body in self._shown().items() if name != held]

    def _landing(self, held: str, x: float, y: float, goal: Pose) -> float | None:
        piece = self.session.table.bodies[held].piece
        distance = DropTarget.of(self._lying(held)).distance(piece, Pose((x, y, 10.0), goal.orientation))
        return None if distance is None else 10.0 - distance

    def _question(self, held: str, place: Pose) -> PlaceQuestion:
        session = self.session
        rows = tuple((name, body.pose) for name, body in self._shown().items() if name != held)
        taken = ((name, body.pose) for name, body in session.before.bodies.items() if name != FLOOR)
        return PlaceQuestion(held, place, rows, session.game.name, session.state, taken=tuple(taken))

    def _ask(self, question: PlaceQuestion) -> tuple[PlaceAnswer, float]:
        answer = self._look if question.wanted == "look" else self._final
        started = time.process_time()
        found = answer(list(self._shown().values()), question)
        assert isinstance(found, PlaceAnswer)
        return found, time.process_time() - started

    def _carry(self, need: Need, goal: Pose) -> None:
        """As the physics of the window carries what a person wants somewhere."""
        session, table = self.session, self.session.table
        hand, held = table.hand, need.pieces[0]
        follow = HandFollower(hand.target, table.rate)
        follow.goal = goal
        last, held_for = table.step + round(ARRIVAL_S * table.rate), 0
        while session.need == need and hand.held == held and table.step < last:
            held_for = held_for + 1 if follow.is_near else 0
            if held_for > HELD_S * table.rate:
                break
            session.aim(packed(follow.step()))

    def _run(self, need: Need, motion: Motion) -> None:
        for target in motion:
            if self.session.need != need:
                break
            self.session.aim(target)


def laid(name: str, count: int, seed: int = 1) -> Iterator[Lay]:
    """Yields so many pieces laid in games of bots; not those before which the hand has pushed something."""
    answers = answerer(), answerer()
    near = itertools.cycle(NEAR)
    left = count
    for number in itertools.count(seed):
        game = Laying(name, number, answers)
        try:
            for each in game.play(near):
                if each.is_laid:
                    yield each
                    left -= 1
                if not left:
                    return
        finally:
            game.session.close()


@pytest.mark.parametrize("name", [game.name for game in GAMES if game.has_bots])
def test_what_the_coach_says_is_what_happens(name: str, row: Callable[..., None]) -> None:
    lays = list(laid(name, LAID))
    first = [each for each in lays if each.is_contradicted(each.first)]
    final = [each for each in lays if each.is_contradicted(each.final)]
    first_s, final_s = (
        np.quantile([getattr(each, of) for each in lays], 0.9) for of in ("first_s", "final_s")
    )
    row(
        "what the coach says of pieces that are laid",
        game=name,
        laid=len(lays),
        stand=sum(not each.is_bad for each in lays),
        first_says_nothing=sum(not each.first.risk for each in lays),
        final_says_it_may_fall=sum("may fall" in each.final.why for each in lays),
        first_wrong=len(first),
        final_wrong=len(final),
        first_s=float(first_s),
        final_s=float(final_s),
    )
    assert not final, final
    assert len(first) <= MISSES * len(lays), first
    assert first_s < FIRST_S
    assert final_s < FINAL_S
