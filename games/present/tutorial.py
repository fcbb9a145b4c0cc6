"""The tutorial of a game: what to do next, one act at a time; each lesson waits until its act is done.

What a game teaches stands in its `screen.py`, as `Lesson`s in the order in which they are taught.
"""

import math

from teeter.engine.geometry.rotation import angle_between
from teeter.engine.pose import Pose
from teeter.games.core.rules import Wait
from teeter.games.present.carry import CarryTarget
from teeter.games.present.client_state import ClientState
from teeter.games.present.details import CARRY, LAY, PULL, TURN, Lesson, details_of
from teeter.games.present.settings import Settings

CARRIED = 0.03
"""Metres from which a piece was carried."""
TURNED = math.radians(5.0)
"""By which a piece was turned."""
LAID = 0.015
"""Metres from where it was taken, from which a piece was laid, and not put back."""
DONE = "That was all there is to know. What is asked for stands here; {help} tells all keys."
DONE_S = 12.0
"""Seconds for which that is said."""


class Tutorial:
    """What one person has learned of one game. lessons: those of the game."""

    def __init__(self, lessons: tuple[Lesson, ...]) -> None:
        self._lessons = lessons
        self._done: set[str] = set()
        self._player = self._before = self._stage = ""
        """Who was asked last, in which stage, and in which before that."""
        self._ticked: set[str] = set()
        """What the last change of stage has shown to be learned."""
        self._taken: tuple[str, Pose] | None = None
        self._in_play = frozenset[str]()
        """The pieces that were in play while nothing was carried."""

    @property
    def is_over(self) -> bool:
        """Whether everything was learned that has to be."""
        return all(lesson.act in self._done for lesson in self._needed)

    @property
    def progress(self) -> tuple[int, int]:
        """How many acts were learned, and how many there are."""
        return sum(lesson.act in self._done for lesson in self._needed), len(self._needed)

    @property
    def _needed(self) -> tuple[Lesson, ...]:
        return tuple(lesson for lesson in self._lessons if lesson.is_needed)

    def step(self, desk: ClientState, grip: CarryTarget | None) -> None:
        """Take note of what was done."""
        if desk.game.rules.outcome(desk.state) is not None:
            self._done.update(lesson.act for lesson in self._lessons)
        stage = stage_of(desk)
        before, now = self._in_play, desk.in_play
        self._in_play = before if stage == CARRY else now
        # the hand may have been told a moment later that the brick is out
        if grip is not None and not grip.is_pulling and stage == CARRY:
            if self._taken is None or self._taken[0] != grip.name:
                self._taken = grip.name, grip.start
            away = math.dist(grip.goal.position[:2], self._taken[1].position[:2])
            if away > CARRIED:
                self._done.add(CARRY)
            turned = angle_between(grip.rotation.orientation, self._taken[1].orientation)
            if CARRY in self._done and turned > TURNED:
                self._done.add(TURN)
        if desk.need.player != self._player:
            # what another has done meanwhile is not taken back
            self._player, self._before = desk.need.player, ""
        if not stage or stage == self._stage:
            return
        is_back = stage == self._before
        if self._stage == CARRY and self._taken is not None:
            name, start = self._taken
            self._taken = None
            # what is gone where it began was put back, as new pieces of the sandbox are
            is_gone = name not in desk.frame.names
            # one that was brought out may be laid where it came
            if is_gone:
                is_laid = not is_back
            else:
                is_laid = name in now - before or math.dist(desk.pose(name).position, start.position) > LAID
            if is_laid:
                self._done.add(LAY)
                is_back = False
        if is_back:
            # it was taken back, and is taught again
            self._done -= self._ticked
            self._before, self._stage, self._ticked = "", stage, set()
            return
        learned = {
            lesson.act
            for lesson in self._lessons
            if lesson.stage == self._stage != CARRY and lesson.reaches in ("", stage)
        }
        self._ticked = learned - self._done
        self._done |= learned
        self._before, self._stage = self._stage, stage

    def lesson(self, desk: ClientState) -> Lesson | None:
        """Returns what is taught now; None where there is nothing new."""
        stage = stage_of(desk)
        ahead = (each for each in self._lessons if each.stage == stage and each.act not in self._done)
        return next((lesson for lesson in ahead if lesson.fits(desk.choices)), None)

    def told(self, desk: ClientState, words: dict[str, str]) -> str:
        """Returns what to do now, in the words of the device that is used; empty for nothing."""
        lesson = self.lesson(desk)
        return "" if lesson is None else lesson.text.format(**words)

    def suggested(self, desk: ClientState, loose: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Returns the pieces that are good to take now, as far as something is taught. loose: those felt to
        come out most easily."""
        is_taught = self.lesson(desk) is not None and desk.need.wait is Wait.ACTION and not desk.held
        return (*details_of(desk.game).suggested(desk), *loose) if is_taught else ()


def stage_of(desk: ClientState) -> str:
    """Returns where in a turn the person is who is asked; empty while nobody is."""
    if desk.waits is None or desk.need.player not in desk.people:
        return ""
    wait = desk.need.wait
    return {Wait.HAND: CARRY, Wait.PULL: PULL}.get(wait) or details_of(desk.game).phase(desk.state)


def words_of(settings: Settings, *, is_pad: bool, is_scanning: bool) -> dict[str, str]:
    """Returns what the acts of lessons are called with the device that is used."""

    def keys(*acts: str) -> str:
        return " or ".join(settings.key_said(act, is_pad=is_pad) for act in acts)

    own = {
        "turn": keys("turn_left", "turn_right"),
        "turn_left": keys("turn_left"),
        "flip": keys("flip"),
        "lift": keys("lift", "lower"),
        "feel": keys("feel"),
        "help": settings.key_said("help"),
    }
    if is_scanning:
        return {**own, "click": "Choose", "move": "Choose a place for it", "lay": "Choose Lay"}
    if is_pad:
        return {**own, "click": "Press (A) on", "move": "Push the left stick", "lay": "Press (A)"}
    return {**own, "lift": "the wheel", "click": "Click", "move": "Move the pointer", "lay": "Click again"}
