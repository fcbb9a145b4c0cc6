"""Hints for a hand: where the held piece would come to rest, whether the tower would bear it, what a check says.

A process of its own is asked, so that no picture waits; the answers are shown as a ghost and in words.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from teeter.engine.pose import Pose
from teeter.engine.view.camera import Vector
from teeter.engine.view.overlays import Ghost, Overlay
from teeter.engine.workers import Failed, Questioner
from teeter.engine.world import FLOOR, Body
from teeter.games.present.carry import CarryTarget
from teeter.games.present.client_state import ClientState
from teeter.models.piece import Piece

Risk = Literal["safe", "risky", "falls", "against", ""]
"""Of letting go; against: the piece would lie, but not as the rules ask."""
Rows = tuple[tuple[str, Pose], ...]
"""Name and pose of what lies on the table."""

COLOURS: dict[Risk, str] = {
    "safe": "#2b7bba",
    "risky": "#e0a030",
    "falls": "#b0301c",
    "against": "#b0301c",
    "": "#8a8378",
}
"""Blue, amber and dark red differ in lightness: told apart with any colour vision."""
WORDS: dict[Risk, str] = {
    "safe": "Safe: it stands, with leeway to spare",
    "risky": "Risky: it stands, but hardly",
    "falls": "It falls",
    "against": "It would be against the rules",
    "": "Nobody can say",
}
PAUSE_S = 0.12
"""How long the hand holds still before it is asked about."""
SAME = 2e-4
"""Metres within which a place is the same."""
TIMEOUT_S = 120.0
"""In which a question is answered, also by a busy machine."""


@dataclass(frozen=True, slots=True)
class PlaceQuestion:
    """What if `held` were let go at a pose? rows: everything else, supplies too. game, state: whose rules it has to
    obey."""

    held: str
    pose: Pose
    rows: Rows
    game: str
    state: Any


@dataclass(frozen=True, slots=True)
class PlaceAnswer:
    """risk: of letting go. tilt_deg: how far the table could tilt then. rest: where the piece comes to rest. why: the
    rule that is in the way, in a sentence. is_end: the game would end, and not be won."""

    risk: Risk
    tilt_deg: float
    rest: Pose | None
    why: str = ""
    is_end: bool = False


@dataclass(frozen=True, slots=True)
class CheckQuestion:
    """Would all this stand?"""

    rows: Rows


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """The checker's verdict. weakest: the piece that goes first. arrows: places and forces (N) of the contacts."""

    word: str
    told: str
    weakest: str
    arrows: tuple[tuple[Vector, Vector], ...]


@dataclass(frozen=True, slots=True)
class FeelQuestion:
    """What of a piece of the tower can be felt with a finger?"""

    piece: str
    rows: Rows


@dataclass(frozen=True, slots=True)
class FeelAnswer:
    """load_n: what it carries. pull_n: how hard it pulls, None when the hand cannot. stands: whether the rest would.
    is_known: false where nobody can say any of it."""

    load_n: float
    pull_n: float | None
    stands: bool
    is_known: bool = True


@dataclass(frozen=True, slots=True)
class WhyQuestion:
    """Why did pieces fall the last time in the game that this file holds?"""

    file: Path


@dataclass(frozen=True, slots=True)
class WhyAnswer:
    """Why, in a sentence; empty where nobody can say."""

    sentence: str


Question = PlaceQuestion | CheckQuestion | FeelQuestion | WhyQuestion
Answer = PlaceAnswer | CheckAnswer | FeelAnswer | WhyAnswer


class Asker:
    """Asks a process of its own about one table. Only the last question is worth an answer."""

    def __init__(self, client: ClientState) -> None:
        self.client = client
        self._questions: Questioner[Question, Answer] = Questioner(
            "hints", "teeter.games.present.hint_process:answerer", TIMEOUT_S
        )
        self._known: dict[str, Piece] = {}
        self._number = 0

    def _ask(self, question: Question) -> None:
        for name, piece in self.client.pieces.items():
            if self._known.get(name) is not piece:
                self._known[name] = piece
                self._questions.tell(Body(name, piece, Pose((0.0, 0.0, 0.0)), self.client.is_fixed(name)))
        self._number = self._questions.ask(question)

    def _ask_place(self, held: str, place: Pose) -> None:
        client = self.client
        placed = client.frame.placed().items()
        rows = tuple((name, pose) for name, pose in placed if name not in (held, FLOOR))
        self._ask(PlaceQuestion(held, place, rows, client.game.name, client.state))

    def _answers(self) -> Iterator[Answer | Failed]:
        return (answer for number, answer in self._questions.poll() if number == self._number)

    def close(self) -> None:
        """Nobody asks any more."""
        self._questions.close()


class Hints(Asker):
    """Ghost, hint and check for one table."""

    def __init__(self, client: ClientState, *, ghost: bool, hint: bool) -> None:
        super().__init__(client)
        self.shows_ghost, self.shows_hint = ghost, hint
        self.finding: CheckAnswer | None = None
        self.felt: FeelAnswer | None = None
        self.feeling = ""
        self.why = ""
        """Why pieces fell, once that was asked and is known."""
        self._asked: Question | None = None
        self._place: Pose | None = None
        """The place that was asked about, as long as the piece is held there."""
        self._answer: PlaceAnswer | None = None
        self._since = 0.0
        self._last: Pose | None = None

    @property
    def word(self) -> str:
        """What the hint says; empty for nothing."""
        if self._answer is None or not self.shows_hint:
            return ""
        tilt = f" ({self._answer.tilt_deg:.0f} degrees)" if self._answer.risk in ("safe", "risky") else ""
        return self._answer.why or WORDS[self._answer.risk] + tilt

    @property
    def ending(self) -> PlaceAnswer | None:
        """What is told of the place, where laying the piece there would end the game without winning it."""
        return self._answer if self.shows_hint and self._answer is not None and self._answer.is_end else None

    @property
    def colour(self) -> str:
        """The colour of the hint; empty for none."""
        return COLOURS[self._answer.risk] if self._answer is not None and self.shows_hint else ""

    def step(self, grip: CarryTarget | None, seconds: float) -> None:
        """Time passes: ask about a place that is held long enough, take in what was answered."""
        self._hear()
        if (
            grip is None
            or grip.is_pulling
            or grip.landing is None
            or not (self.shows_ghost or self.shows_hint)
        ):
            self._place = self._answer = self._last = None
            return
        x, y, _ = grip.goal.position
        place = Pose((x, y, grip.landing), grip.goal.orientation)
        if self._last is None or not _alike(place, self._last):
            self._last, self._since, self._place, self._answer = place, 0.0, None, None
            return
        self._since += seconds
        # asked once: a tower that trembles a little moves the place in every picture, and no answer would be in time
        if self._since >= PAUSE_S and self._place is None:
            self._place = place
            self._ask_place(grip.name, place)

    def check(self) -> None:
        """Ask whether everything on the table stands."""
        self.finding = None
        self._ask(CheckQuestion(self._rows(self.client.held)))

    def feel(self, piece: str) -> None:
        """Put a finger to a piece of the tower."""
        self.felt = None
        self.feeling = piece
        self._ask(FeelQuestion(piece, self._rows("")))

    def ask_why(self, file: Path) -> None:
        """Ask why pieces fell in a game that is over and packed."""
        self.why = ""
        self._ask(WhyQuestion(file))

    @property
    def feel_word(self) -> str:
        """What a finger feels; empty for nothing."""
        if self.felt is None:
            return "feeling ..." if self.feeling else ""
        if not self.felt.is_known:
            return WORDS[""]
        pull = "stuck" if self.felt.pull_n is None else f"a pull of {self.felt.pull_n:.2f} N moves it"
        rest = "the tower stands without it" if self.felt.stands else "the tower needs it"
        return f"{self.felt.load_n:.2f} N lie on it; {pull}; {rest}."

    def guides(self, grip: CarryTarget | None) -> list[Overlay]:
        """The ghost of the held piece, or of the one for which the referee has pointed to a place."""
        answer, pointed = self._answer, self.client.pointed
        if pointed is not None and grip is None and pointed.piece in self.client.pieces:
            return [Ghost(self.client.pieces[pointed.piece], pointed.pose, COLOURS["safe"], 0.6)]
        if grip is None or answer is None or answer.rest is None or not self.shows_ghost:
            return []
        return [
            Ghost(grip.piece, answer.rest, COLOURS[answer.risk] if self.shows_hint else COLOURS[""], 0.45)
        ]

    def _ask(self, question: Question) -> None:
        self._asked = question
        super()._ask(question)

    def _hear(self) -> None:
        for answer in self._answers():
            if isinstance(answer, Failed):
                answer = self._unanswered(str(answer))
            if isinstance(answer, CheckAnswer):
                self.finding = answer
            elif isinstance(answer, FeelAnswer):
                self.felt, self.feeling = answer, ""
            elif isinstance(answer, WhyAnswer):
                self.why = answer.sentence
            elif self._place is not None:
                self._answer = answer

    def _unanswered(self, why: str) -> Answer:
        """What is shown where nobody can say."""
        if isinstance(self._asked, CheckQuestion):
            return CheckAnswer("unsure", why, "", ())
        if isinstance(self._asked, WhyQuestion):
            return WhyAnswer("")
        if isinstance(self._asked, FeelQuestion):
            return FeelAnswer(0.0, None, False, is_known=False)
        return PlaceAnswer("", 0.0, None)

    def _rows(self, held: str) -> Rows:
        """Names and poses of what is in play and of supports."""
        return tuple((body.name, body.pose) for body in self.client.lying(held))


def _alike(one: Pose, other: Pose) -> bool:
    return (
        math.dist(one.position, other.position) < SAME
        and math.dist(one.orientation, other.orientation) < 1e-3
    )
