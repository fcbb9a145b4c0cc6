"""What the coach says to browsers, which know no solids."""

from __future__ import annotations

from typing import Literal

from engine.pose import Pose
from engine.workers import Failed
from games.core.words import capital
from games.present.client_state import ClientState
from games.present.hints import WORDS, Asker, PlaceAnswer, Risk
from games.server.news import Coached

COACHED: dict[Risk, Literal["stands", "topples", "unsure", "forbidden"]] = {
    "safe": "stands",
    "risky": "unsure",
    "falls": "topples",
    "against": "forbidden",
    "": "unsure",
}
"""What the coach's word is in a message."""


class Coach(Asker):
    """Tries a place before a piece is laid there, in a process of its own. Only the last question is answered."""

    def __init__(self, client: ClientState) -> None:
        super().__init__(client)
        self._aim = -1
        self.seat = ""
        """Who asked; empty while nobody waits for an answer."""

    def ask(self, place: Pose, seat: str, aim: int = -1) -> None:
        """Asks what laying the held piece at a place would come to, for a seat. aim: the number of the message that
        has brought it there."""
        self.seat, self._aim = seat, aim
        self._ask_place(self.client.held, place)

    def poll(self) -> tuple[str, Coached] | None:
        """Returns who asked, and the `coached` message; None while there is no answer."""
        for answer in self._answers():
            seat, self.seat = self.seat, ""
            coached: Coached = {
                "type": "coached",
                "number": self._aim,
                "verdict": "unsure",
                "sentence": WORDS[""],
            }
            if isinstance(answer, Failed) or not isinstance(answer, PlaceAnswer):
                return seat, coached
            ends = " This would end the game, and not win it." if answer.is_end else ""
            said = capital(answer.why or WORDS[answer.risk]) + "."
            return seat, {**coached, "verdict": COACHED[answer.risk], "sentence": said + ends}
        return None
