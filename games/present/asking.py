"""What is asked about a table, what is answered, and by whom: processes of their own, so that no picture waits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from teeter.engine.pose import Pose
from teeter.engine.view.camera import Vector
from teeter.engine.workers import Failed, Questioner
from teeter.engine.world.body import FLOOR
from teeter.games.present.client_state import ClientState
from teeter.games.present.details import details_of
from teeter.models.piece import Piece

Risk = Literal["safe", "risky", "falls", "against", ""]
"""Of letting go; against: the piece would lie, but not as the rules ask."""
Rows = tuple[tuple[str, Pose], ...]
"""Name and pose of what lies on the table."""

NO_MISS = 5e-4
"""Metres from a place that draws a piece in within which it lies in that place."""
ALIKE = 1e-4
"""Metres and units of a quaternion by which what lies may stir until a table is set up anew for what will be asked."""
LOOKED_AGAIN_S = 0.3
"""Seconds after which it is looked at again whether it has."""
TIMEOUT_S = 120.0
"""In which a question is answered, also by a busy machine."""


@dataclass(frozen=True, slots=True)
class PlaceQuestion:
    """What if `held` were let go at a pose? rows: everything else, supplies too. game, state: whose rules it has to
    obey. wanted: a first look, all that is to be said, the nearest place where it may lie, or nothing but that the
    table is set up for what will be asked. is_drawn_in: the place has drawn it in, and the hand does not miss it.
    taken: where everything lay as the piece was taken up; empty for nothing but where it lies. lean: how the table is
    tilted, as `TableView` has it."""

    held: str
    pose: Pose
    rows: Rows
    game: str
    state: Any
    wanted: Literal["look", "all", "nearest", "nothing"] = "all"
    is_drawn_in: bool = False
    taken: Rows = ()
    lean: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class PlaceAnswer:
    """risk: of letting go. tilt_deg: how far the table could tilt then. rest: where the piece comes to rest. why: the
    rule that is in the way, in a sentence. is_end: the game would end, and not be won. is_first: a first look, by force
    balance and the rules. towards: the level direction in which it falls then."""

    risk: Risk
    tilt_deg: float
    rest: Pose | None
    why: str = ""
    is_end: bool = False
    is_first: bool = False
    towards: tuple[float, float] | None = None

    @property
    def is_bad(self) -> bool:
        """Whether the piece should not be let go there."""
        return self.risk in ("falls", "against")

    def after(self, first: PlaceAnswer | None) -> PlaceAnswer:
        """Returns this answer with the direction of the fall that a first look has found."""
        if self.risk != "falls" or first is None or first.risk != "falls":
            return self
        return replace(self, towards=first.towards)


@dataclass(frozen=True, slots=True)
class NearestAnswer:
    """The nearest place where the piece stands and may lie; None where none is near."""

    place: Pose | None


@dataclass(frozen=True, slots=True)
class CheckQuestion:
    """Would all this stand, on the table as it is tilted?"""

    rows: Rows
    lean: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """The checker's verdict. word: empty where there is nothing to judge. weakest: the piece that goes first. arrows:
    places and forces (N) of the contacts."""

    word: str
    told: str
    weakest: str
    arrows: tuple[tuple[Vector, Vector], ...]


@dataclass(frozen=True, slots=True)
class FeelQuestion:
    """What of a piece of the tower can be felt with a finger? piece: empty for what lies on each of them."""

    piece: str
    rows: Rows


@dataclass(frozen=True, slots=True)
class FeelAnswer:
    """load_n: what it carries. pull_n: how hard it pulls, None when the hand cannot. stands: whether the rest would.
    is_loose: it takes hardly more than its own weight. is_known: false where nobody can say any of it."""

    load_n: float
    pull_n: float | None
    stands: bool
    is_loose: bool = False
    is_known: bool = True


@dataclass(frozen=True, slots=True)
class LoadsAnswer:
    """What lies on each piece of a tower, newtons."""

    loads: dict[str, float]


@dataclass(frozen=True, slots=True)
class WhyQuestion:
    """Why did pieces fall the last time in the game that this file holds?"""

    file: Path


@dataclass(frozen=True, slots=True)
class WhyAnswer:
    """Why, in a sentence; empty where nobody can say."""

    sentence: str


Question = PlaceQuestion | CheckQuestion | FeelQuestion | WhyQuestion
Answer = PlaceAnswer | NearestAnswer | CheckAnswer | FeelAnswer | LoadsAnswer | WhyAnswer


def alike(these: Rows, others: Rows) -> bool:
    """Whether the same pieces lie in the same places."""
    here, there = (np.array([pose.row for _, pose in rows]) for rows in (these, others))
    return [name for name, _ in these] == [name for name, _ in others] and np.allclose(
        here, there, 0.0, ALIKE
    )


class Asker:
    """Asks processes of its own about one table. Only the last question is worth an answer; of a place there are up to
    three: a first look, all that is to be said, and where that is bad the nearest place that is not."""

    def __init__(self, client: ClientState) -> None:
        self.client = client
        self._questions, self._looks = (
            Questioner[Question, Answer](name, "teeter.games.present.hint_process:answerer", TIMEOUT_S)
            for name in ("hints", "first looks")
        )
        self._known: dict[str, Piece] = {}
        self._number = self._look = 0
        self._place_asked: PlaceQuestion | None = None
        self._laid: Rows = ()
        self._seen: Rows = ()
        self._seen_for = 0.0

    @property
    def is_waiting(self) -> bool:
        """Whether an answer is under way."""
        return self._questions.is_busy or self._looks.is_busy

    def _ask(self, question: Question) -> None:
        self._tell()
        self._number, self._look, self._place_asked = self._questions.ask(question), 0, None

    def _tell(self) -> None:
        for name, piece in self.client.pieces.items():
            if self._known.get(name) is not piece:
                self._known[name] = piece
                body = self.client.body(name, Pose((0.0, 0.0, 0.0)))
                self._questions.tell(body)
                self._looks.tell(body)

    def _ask_place(self, held: str, place: Pose) -> None:
        question = self._question(held, place)
        self._ask(question)
        self._place_asked, self._laid = question, question.rows
        self._look = self._looks.ask(replace(question, wanted="look"))

    def _question(self, held: str, place: Pose) -> PlaceQuestion:
        client = self.client
        rows, taken = (
            tuple((name, pose) for name, pose in frame.placed().items() if name not in (held, FLOOR))
            for frame in (client.frame, client.taken)
        )
        spots = client.places if details_of(client.game).has_slots(client) else ()
        near = any(math.dist(spot.position[:2], place.position[:2]) < NO_MISS for spot in spots or ())
        game, state, lean = client.game.name, client.state, client.lean
        return PlaceQuestion(held, place, rows, game, state, is_drawn_in=near, taken=taken, lean=lean)

    def _prepare(self, held: str, place: Pose) -> None:
        """Have the processes load what a piece needs, before anything is asked about it."""
        self._tell()
        question = self._question(held, place)
        self._looks.ask(replace(question, wanted="look"))
        self._questions.ask(question)
        self._laid, self._seen_for = question.rows, 0.0

    def _keep_laid(self, held: str, place: Pose, seconds: float) -> None:
        """Time passes while a piece is carried: have the table set up anew where what lies there has come to rest
        otherwise than it lay, so that the next answer need not wait for it."""
        self._seen_for += seconds
        if self._seen_for < LOOKED_AGAIN_S:
            return
        question = self._question(held, place)
        if alike(question.rows, self._seen) and not alike(question.rows, self._laid):
            self._tell()
            self._questions.ask(replace(question, wanted="nothing"))
            self._laid = question.rows
        self._seen, self._seen_for = question.rows, 0.0

    def _answers(self) -> Iterator[Answer | Failed]:
        looks = [answer for number, answer in self._looks.poll() if number == self._look]
        for number, answer in self._questions.poll():
            if number == self._number:
                # what is known for good comes after a first look, and before no other
                self._look = 0
                asked = self._place_asked
                if asked is not None and isinstance(answer, PlaceAnswer) and answer.is_bad:
                    self._number = self._questions.ask(replace(asked, wanted="nearest"))
                yield answer
                return
        yield from (answer for answer in looks if self._look and not isinstance(answer, Failed))

    def close(self) -> None:
        """Nobody asks any more."""
        self._questions.close()
        self._looks.close()
