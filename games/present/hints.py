"""Hints for a hand: where the held piece would come to rest, whether the tower would bear it, what a check says.

A process of its own is asked, so that no picture waits; the answers are shown as a ghost and in words.
"""

from __future__ import annotations

import math

import numpy as np

from teeter.engine.pose import Pose
from teeter.engine.view.overlays import Arrow, Ghost, Overlay
from teeter.engine.workers import Failed
from teeter.games.present.asking import Answer, NearestAnswer, PlaceAnswer, Risk
from teeter.games.present.carry import CarryTarget
from teeter.games.present.client_state import ClientState
from teeter.games.present.feeling import COLOURS, WORDS, Feeling
from teeter.games.present.ways import shift_said, way_said
from teeter.models.piece import Piece

FIRST: dict[Risk, str] = {
    "safe": "First look: it stands",
    "falls": "First look: it falls",
    "against": "First look: against the rules",
    "": "The coach looks ...",
}
"""What is said before it is known for good."""
ARROW, ARROW_HIGH = 0.03, 0.006
"""Metres: the shortest arrow to a better place, and how far it is above the piece."""
PAUSE_S = 0.12
"""How long the hand holds still before it is asked about."""
SAME = 2e-4
"""Metres within which a place is the same."""


class Hints(Feeling):
    """Ghost, hint and check for one table."""

    def __init__(self, client: ClientState, *, ghost: bool, hint: bool) -> None:
        super().__init__(client)
        self.shows_ghost, self.shows_hint = ghost, hint
        self._place: Pose | None = None
        """The place that was asked about, as long as the piece is held there."""
        self._answer: PlaceAnswer | None = None
        self.nearest: Pose | None = None
        """Where the piece may lie instead, if the place is bad and that is known."""
        self.right = (1.0, 0.0)
        """What is to the right of who looks: a level unit vector."""
        self._prepared: CarryTarget | None = None
        self._since = 0.0
        self._last: Pose | None = None
        self._lean = (0.0, 0.0)

    @property
    def word(self) -> str:
        """What the hint says; empty for nothing."""
        if self._answer is None or not self.shows_hint:
            return ""
        return coached(self._answer, self.right, self._place, self.nearest)

    @property
    def risk(self) -> Risk:
        """What the hint comes to; empty for nothing."""
        return self._answer.risk if self._answer is not None else ""

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
        self._forget_old()
        self._hear()
        self._feel_on()
        self._ask_why()
        if (
            grip is None
            or grip.is_pulling
            or grip.landing is None
            or not (self.shows_ghost or self.shows_hint)
        ):
            self._place = self._answer = self._last = self.nearest = None
            return
        x, y, _ = grip.goal.position
        place = Pose((x, y, grip.landing), grip.goal.orientation)
        if grip is not self._prepared and grip.goal != grip.start:
            self._prepared = grip
            self._prepare(grip.name, place)
        if self._last is None or self._lean != self.client.lean or not _alike(place, self._last):
            self._lean = self.client.lean
            self._last, self._since, self._place, self._answer = place, 0.0, None, None
            self.nearest = None
            # while it moves nothing else is asked, whose turn this would take
            self._keep_laid(grip.name, place, seconds)
            return
        self._since += seconds
        # asked once: a tower that trembles a little moves the place in every picture, and no answer would be in time
        if self._since >= PAUSE_S and self._place is None:
            self._place = place
            self._ask_place(grip.name, place)

    def guides(self, grip: CarryTarget | None) -> list[Overlay]:
        """The ghost of the held piece, or of the one for which the referee has pointed to a place."""
        answer, pointed = self._answer, self.client.pointed
        if pointed is not None and grip is None and pointed.piece in self.client.pieces:
            return [Ghost(self.client.pieces[pointed.piece], pointed.pose, COLOURS["safe"], 0.6)]
        if grip is None or answer is None or not self.shows_ghost:
            return []
        colour = COLOURS[answer.risk] if self.shows_hint else COLOURS[""]
        overlays: list[Overlay] = []
        if answer.rest is not None:
            overlays.append(Ghost(grip.piece, answer.rest, colour, 0.45))
        if self.nearest is not None and self._place is not None and self.shows_hint:
            overlays += towards(grip.piece, self._place, self.nearest)
        return overlays

    def _hear(self) -> None:
        for answer in self._answers():
            if self._takes(answer):
                continue
            if isinstance(answer, Failed):
                answer = self._unanswered()
            if self._place is not None and isinstance(answer, NearestAnswer):
                self.nearest = answer.place
            elif self._place is not None and isinstance(answer, PlaceAnswer):
                self._answer = answer.after(self._answer)

    def _unanswered(self) -> Answer:
        """What is shown where nobody can say."""
        is_final = self._answer is not None and not self._answer.is_first
        return NearestAnswer(None) if is_final else PlaceAnswer("", 0.0, None)


def coached(answer: PlaceAnswer, right: tuple[float, float], place: Pose | None, nearest: Pose | None) -> str:
    """Returns what is said of a place. right: of who looks; place: that was asked about; nearest: where the piece may
    lie instead."""
    tilt = f" ({answer.tilt_deg:.0f} degrees)" if answer.risk in ("safe", "risky") and answer.tilt_deg else ""
    if answer.is_first:
        said = f"First look: {answer.why[:1].lower()}{answer.why[1:]}" if answer.why else FIRST[answer.risk]
    else:
        said = answer.why or WORDS[answer.risk] + tilt
    if answer.risk == "falls" and answer.towards is not None and not answer.why:
        said += f" {way_said(answer.towards, right)}"
    if nearest is not None and place is not None:
        shift = tuple(
            there - here for there, here in zip(nearest.position[:2], place.position[:2], strict=True)
        )
        said += f"; it may lie {shift_said((shift[0], shift[1]), right)}"
    return said


def towards(piece: Piece, place: Pose, nearest: Pose) -> list[Overlay]:
    """Returns the ghost of a piece in a better place, and an arrow to it."""
    up = float(np.abs(place.matrix[2]) @ piece.extents) / 2 + ARROW_HIGH
    (x, y, z), (a, b, c) = place.position, nearest.position
    long = math.hypot(a - x, b - y)
    # a short way is drawn longer, so that it can be seen
    more = max(1.0, ARROW / long) if long else 1.0
    top = max(z, c) + up
    end = (x + more * (a - x), y + more * (b - y), top)
    return [Ghost(piece, nearest, COLOURS["safe"], 0.6), Arrow((x, y, top), end, COLOURS["safe"], 0.0015)]


def _alike(one: Pose, other: Pose) -> bool:
    return (
        math.dist(one.position, other.position) < SAME
        and math.dist(one.orientation, other.orientation) < 1e-3
    )
