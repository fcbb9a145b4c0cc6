"""What a finger feels of a tower: what lies on a piece, how hard it is to move, whether the tower needs it; felt while
somebody thinks, so that it is known when it is asked for."""

from __future__ import annotations

import math
from pathlib import Path
from typing import cast

from teeter.engine.workers import Failed
from teeter.games.core.rules import Wait
from teeter.games.present.asking import (
    Answer,
    Asker,
    CheckAnswer,
    CheckQuestion,
    FeelAnswer,
    FeelQuestion,
    LoadsAnswer,
    Question,
    Risk,
    Rows,
    WhyAnswer,
    WhyQuestion,
)
from teeter.games.present.client_state import ClientState
from teeter.games.present.details import details_of

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
ENOUGH, MOST_FELT = 4, 10
"""Loose pieces that are enough to choose from, and pieces that are felt for them at most."""
UNKNOWN = FeelAnswer(0.0, None, False, is_known=False)
"""Where nobody can say."""


MOVED = 2e-3
"""Metres that a piece has gone for a check to be of another table."""


class Feeling(Asker):
    """What is felt at one table."""

    shows_hint = True
    """Whether pieces are felt before anybody asks."""

    def __init__(self, client: ClientState) -> None:
        super().__init__(client)
        self.felt: FeelAnswer | None = None
        self.feeling = self.over = ""
        """The piece that is felt, and the one below the pointer, which may be felt next."""
        self.loads: dict[str, float] = {}
        self.known: dict[str, FeelAnswer] = {}
        """What was felt of the tower as it stands."""
        self._felt_at = (-1, (0.0, 0.0))
        self.why = ""
        """Why pieces fell, once the game is over and that is known."""
        self.says_why, self._is_why_asked = True, False
        self._asked: Question | None = None
        self.finding: CheckAnswer | None = None
        self._checked = CheckQuestion(())
        self.is_checking = False
        """What the checker said of the table as it is, and whether it was asked."""

    def feel(self, piece: str) -> None:
        """Put a finger to a piece of the tower."""
        self._forget_old()
        if self.client.lean[0]:
            # what a finger feels is known of level tables alone
            self.felt, self.feeling = UNKNOWN, piece
            return
        is_ahead = self._is_felt_ahead
        self.felt, self.feeling = self.known.get(piece) if is_ahead else None, piece
        if not is_ahead:
            self._feel(piece)

    def _feel(self, piece: str) -> None:
        self._ask(FeelQuestion(piece, self._rows("")))

    def _forget_old(self) -> None:
        """What was felt is of the tower as it stood, and so is an answer that is still under way."""
        now = (self.client.told, self.client.lean)
        if self._felt_at != now:
            self._felt_at, self.loads, self.known = now, {}, {}
            self.felt, self.feeling = None, ""
            if isinstance(self._asked, FeelQuestion):
                self._asked = None
        if self.finding is not None and not self._lies_as_checked():
            self.finding = None

    def _lies_as_checked(self) -> bool:
        rows, checked = dict(self._rows(self.client.held)), dict(self._checked.rows)
        is_asked = self._checked.lean == self.client.lean and rows.keys() == checked.keys()
        return is_asked and all(
            math.dist(pose.position, checked[name].position) < MOVED for name, pose in rows.items()
        )

    @property
    def _is_felt_ahead(self) -> bool:
        """Whether pieces are felt before anybody asks."""
        return bool(
            self.shows_hint and not self.client.held and details_of(self.client.game).drawn(self.client)
        )

    def _feel_on(self) -> None:
        """Feel pieces while somebody thinks: what is asked for, what is pointed at, then what carries least, until
        enough are loose."""
        if not self._is_felt_ahead or self.is_waiting:
            return
        drawn = details_of(self.client.game).drawn(self.client)
        if not self.loads:
            self._feel("")
            return
        asked = [piece for piece in (self.feeling, self.over) if piece in drawn and piece not in self.known]
        tried = sorted(drawn, key=lambda piece: self.loads.get(piece, math.inf))[:MOST_FELT]
        more = [piece for piece in tried if piece not in self.known] if len(self.loose) < ENOUGH else []
        if next_one := next(iter(asked + more), ""):
            self._feel(next_one)

    @property
    def felt_colour(self) -> str:
        """How firm the piece is that was felt last, as a colour; empty for none."""
        risk = self.risk_of(self.felt)
        return COLOURS[risk] if risk else ""

    @staticmethod
    def risk_of(felt: FeelAnswer | None) -> Risk:
        """Returns how it is to draw a piece that was felt; empty where nobody knows."""
        if felt is None or not felt.is_known:
            return ""
        return "falls" if not felt.stands else "safe" if felt.is_loose else "risky"

    @property
    def loose(self) -> tuple[str, ...]:
        """The pieces that were felt to be loose, and without which the tower stands."""
        return tuple(piece for piece, felt in self.known.items() if felt.is_loose and felt.stands)

    @property
    def easiest(self) -> tuple[str, ...]:
        """The loose ones; of exact bricks, of which none is, the one felt to come out most easily."""
        safe = [(felt.pull_n, piece) for piece, felt in self.known.items() if felt.stands and felt.pull_n]
        return self.loose or (tuple(min(safe)[1:]) if len(safe) >= ENOUGH else ())

    def _ask_why(self) -> None:
        """Ask why pieces fell, once the game is over and its record is packed."""
        waits, file = self.client.waits, self.client.plan.file
        is_over = waits is not None and waits.need.wait is Wait.OVER
        is_wanted = self.says_why and file is not None and self.client.fell_s is not None
        if is_over and is_wanted and not self._is_why_asked:
            self.why = ""
            self._ask(WhyQuestion(cast("Path", file)))
        self._is_why_asked = is_over

    def check(self) -> None:
        """Ask whether everything on the table stands."""
        self.finding, self.is_checking = None, True
        self._checked = CheckQuestion(self._rows(self.client.held), self.client.lean)
        self._ask(self._checked)

    @property
    def feel_word(self) -> str:
        """What a finger feels; empty for nothing."""
        if self.felt is None:
            load = self.loads.get(self.feeling)
            known = f"{load:.2f} N lie on it; " if load is not None else ""
            return f"{known}feeling how it moves ..." if self.feeling else ""
        if not self.felt.is_known:
            return WORDS[""]
        pull = "stuck" if self.felt.pull_n is None else f"a pull of {self.felt.pull_n:.2f} N moves it"
        rest = "the tower stands without it" if self.felt.stands else "the tower needs it"
        return f"{self.felt.load_n:.2f} N lie on it; {pull}; {rest}."

    def _takes(self, answer: Answer | Failed) -> bool:
        """Takes in what was felt, or why pieces fell. Returns whether it was that."""
        asked = self._asked
        if isinstance(answer, Failed) and isinstance(asked, FeelQuestion):
            answer = UNKNOWN if asked.piece else LoadsAnswer({"": 0.0})
        if isinstance(answer, Failed) and isinstance(asked, CheckQuestion):
            answer = CheckAnswer("unsure", str(answer), "", ())
        if isinstance(answer, CheckAnswer):
            self.finding, self.is_checking = answer, False
        elif isinstance(answer, WhyAnswer):
            self.why = answer.sentence
        elif isinstance(answer, LoadsAnswer) and isinstance(asked, FeelQuestion):
            self.loads = answer.loads
        elif isinstance(answer, FeelAnswer) and isinstance(asked, FeelQuestion):
            self.known[asked.piece] = answer
            if asked.piece == self.feeling:
                self.felt = answer
        return isinstance(answer, CheckAnswer | WhyAnswer | LoadsAnswer | FeelAnswer) or isinstance(
            asked, WhyQuestion
        )

    def _ask(self, question: Question) -> None:
        self._asked = question
        super()._ask(question)

    def _rows(self, held: str) -> Rows:
        """Names and poses of what is in play and of supports."""
        return tuple((body.name, body.pose) for body in self.client.lying(held))
