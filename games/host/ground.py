"""Where a held piece would come to lie, measured for browsers, which know no solids; and what the coach says."""

from __future__ import annotations

from typing import Literal

import numpy as np

from engine.pose import Pose
from engine.workers import Failed, Questioner
from engine.world import FLOOR, Body
from games.core.words import capital
from games.ui.carry import LandingSurface
from games.ui.hints import TIMEOUT_S, WORDS, Answer, PlaceAnswer, PlaceQuestion, Question, Risk
from games.ui.physics_client import ClientState
from models.piece import Piece

Word = Literal["stands", "topples", "unsure", "forbidden"]
COACHED: dict[Risk, Word] = {
    "safe": "stands",
    "risky": "unsure",
    "falls": "topples",
    "against": "forbidden",
    "": "unsure",
}
"""What the coach's word is in a message."""


class Ground:
    """Everything the held piece may be laid on, kept while nothing else moves."""

    def __init__(self, client: ClientState) -> None:
        self._client = client
        self._kept: tuple[object, LandingSurface] | None = None

    def landing(self, goal: Pose) -> Pose | None:
        """Returns where the held piece would meet what is below a pose; None over nothing, and for an empty hand."""
        client, held = self._client, self._client.held
        if held not in client.pieces:
            return None
        rest = np.array([name != held for name in client.frame.names])
        key = (client.frame.names, held, client.frame.poses[rest].round(5).tobytes())
        if self._kept is None or self._kept[0] != key:
            self._kept = (key, LandingSurface(client.frame, client.pieces, {held, FLOOR}))
        height = self._kept[1].landing(client.pieces[held], goal)
        x, y, _ = goal.position
        return None if height is None else Pose((x, y, height), goal.orientation)

    def gap(self, goal: Pose) -> float | None:
        """Returns the metres that are free below a pose; None over nothing."""
        lies = self.landing(goal)
        return None if lies is None else max(goal.position[2] - lies.position[2], 0.0)


class Coach:
    """Tries a place before a piece is laid there, in a process of its own. Only the last question is answered."""

    def __init__(self, client: ClientState) -> None:
        self._client = client
        self._questions: Questioner[Question, Answer] = Questioner(
            "hints", "games.ui.hint_process:answerer", TIMEOUT_S
        )
        self._known: dict[str, Piece] = {}
        self._number, self._aim = 0, -1
        self.seat = ""
        """Who asked; empty while nobody waits for an answer."""

    def ask(self, place: Pose, seat: str, aim: int = -1) -> None:
        """Asks what laying the held piece at a place would come to, for a seat. aim: the number of the message that
        has brought it there."""
        client = self._client
        for name, piece in client.pieces.items():
            if self._known.get(name) is not piece:
                self._known[name] = piece
                self._questions.tell(Body(name, piece, Pose((0.0, 0.0, 0.0)), client.is_fixed(name)))
        held, placed = client.held, client.frame.placed().items()
        rows = tuple((name, pose) for name, pose in placed if name not in (held, FLOOR))
        self.seat, self._aim = seat, aim
        self._number = self._questions.ask(PlaceQuestion(held, place, rows, client.game.name, client.state))

    def poll(self) -> tuple[str, dict[str, object]] | None:
        """Returns who asked, and the `coached` message; None while there is no answer."""
        for number, answer in self._questions.poll():
            if number != self._number or not self.seat:
                continue
            seat, self.seat = self.seat, ""
            coached: dict[str, object] = {"type": "coached", "number": self._aim}
            if isinstance(answer, Failed) or not isinstance(answer, PlaceAnswer):
                return seat, {**coached, "verdict": "unsure", "sentence": "Nobody can say"}
            ends = " This would end the game, and not win it." if answer.is_end else ""
            said = capital(answer.why or WORDS[answer.risk]) + "."
            return seat, {**coached, "verdict": COACHED[answer.risk], "sentence": said + ends}
        return None

    def close(self) -> None:
        """Ends the process."""
        self._questions.close()
