"""What a browser may want of the game, and what becomes of it: an order for the physics, or a refusal that says why.

Who is not asked may not answer: seat, turn and hand are checked here, the rules of the game by the session alone.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from engine.pose import Pose
from games.core.rules import Need, Wait
from games.host.connection import Connection
from games.host.schemas import (
    AimAt,
    BringModel,
    Choose,
    FetchPiece,
    LayDown,
    Plain,
    PushPiece,
    SandboxMessage,
    TiltTable,
)
from games.host.seats import WishError
from games.host.views import SeatView
from games.present.client_state import ClientState
from games.server import messages
from games.server.messages import Order
from models.catalogue import find
from models.errors import ModelError

AIM_S = 1.0 / 60.0
"""Seconds between two aims that are passed on; of those that come faster the last one counts."""
RESTING_S, LANDING_S = 0.1, 0.2
"""Seconds after the last aim, and between two answers, after which the place below it is told."""
IN_HAND = ("let_go", "pull_out", "offer_places", "coach")
"""Acts with a piece in the hand."""


@dataclass(slots=True)
class Aimed:
    """Where the held piece shall go. number: of the message; sent: whether the physics know."""

    goal: Pose
    number: int
    at: float
    is_sent: bool = False
    is_told: bool = False


class Wishes:
    """The wishes of those who sit, for one game. client: the game with all secrets."""

    def __init__(self, client: ClientState) -> None:
        self._client = client
        self.turn = 0
        """The number of the last question."""
        self.is_asked = False
        """Whether the last question has no answer yet."""
        self.aimed: Aimed | None = None
        self.is_offering = False
        """Whether places are being looked for: that takes the physics seconds, in which nothing else happens."""
        self._aim_sent = self._told_at = 0.0

    def ask(self) -> None:
        """A person is asked something new."""
        self.turn += 1
        self.is_asked, self.is_offering = True, False

    def forget(self) -> None:
        """Nobody is asked, or the hand holds something else: what was aimed at means nothing any more."""
        self.is_asked, self.aimed = False, None

    @property
    def need(self) -> Need:
        """What the game waits for."""
        waits = self._client.waits
        return self._client.need if waits is None else waits.need

    def check_turn(self, connection: Connection) -> None:
        """Raises WishError unless this browser is asked now."""
        if not connection.seat:
            raise WishError(
                "Take a seat first" if connection.role != "spectator" else "This link is for looking on"
            )
        if self.need.player != connection.seat or self.need.wait is Wait.OVER:
            raise WishError("It is not your turn" if self.need.wait is not Wait.OVER else "The game is over")
        if not self.is_asked or self._client.waits is None:
            raise WishError("Too late: that was decided already")

    def choose(self, given: Choose, view: SeatView) -> Order:
        """Returns the order for a choice. Raises WishError for one of another turn, or none."""
        if given.turn != self.turn:
            raise WishError("Too late: this was asked before")
        choices = view.client.choices
        if given.choice >= len(choices):
            raise WishError(f"There is no choice {given.choice}")
        return messages.Do(choices[given.choice].action)

    def aim(self, given: AimAt) -> None:
        """Takes in where the held piece shall go; `due` says when. Raises WishError."""
        self._check_hand()
        if self.aimed is None or given.number > self.aimed.number:
            self.aimed = Aimed(given.goal, given.number, time.monotonic())

    def due(self) -> Order | None:
        """Returns the aim that the physics shall hear of now."""
        now, aimed = time.monotonic(), self.aimed
        if aimed is None or aimed.is_sent or now - self._aim_sent < AIM_S:
            return None
        aimed.is_sent, self._aim_sent = True, now
        return messages.Aim(aimed.goal)

    def landing(self) -> dict[str, object] | None:
        """Returns the `landing` message about the last aim, when it has rested or some time has passed."""
        now, aimed = time.monotonic(), self.aimed
        if aimed is None or aimed.is_told or not self._client.held:
            return None
        if now - aimed.at < RESTING_S and now - self._told_at < LANDING_S:
            return None
        aimed.is_told, self._told_at = True, now
        lies = self._landing(aimed.goal)
        return {
            "type": "landing",
            "number": aimed.number,
            "pose": row_of(lies or aimed.goal),
            "verdict": "nothing" if lies is None else "free",
            "clause": "",
            "sentence": "" if lies is not None else "There is nothing below it to lay it on.",
        }

    def lay(self, given: LayDown) -> list[Order]:
        """Returns the orders that lay the held piece where it was aimed at last. Raises WishError."""
        self._check_hand()
        if self.need.wait is not Wait.HAND:
            raise WishError("Draw it out of the tower first")
        goal = self._goal()
        gap = given.gap
        if gap is None:
            gap = max(goal.position[2] - self.place().position[2], 0.0)
        return [messages.Aim(goal), messages.Lay(gap)]

    def place(self) -> Pose:
        """Returns where the held piece would be laid now. Raises WishError over nothing."""
        self._check_hand()
        lies = self._landing(self._goal())
        if lies is None:
            raise WishError("There is nothing below it to lay it on")
        return lies

    def plain(self, given: Plain) -> Order:
        """Returns the order for an act without words. Raises WishError."""
        if given.type in IN_HAND:
            self._check_hand()
        if given.type == "clear":
            self._check_free()
        if given.type == "pull_out" and self.need.wait is not Wait.PULL:
            raise WishError("There is nothing to be pulled")
        if given.type == "offer_places":
            if self.is_offering:
                raise WishError("The places are being looked for")
            self.is_offering = True
        if given.type == "undo" and not (self._client.waits is not None and self._client.waits.can_undo):
            raise WishError("There is nothing to take back")
        return messages.Act[given.type.upper()]

    def build(self, given: SandboxMessage) -> Order:
        """Returns the order for an act of free building. Raises WishError."""
        self._check_free()
        if isinstance(given, TiltTable):
            return messages.Tilt(given.degrees, given.towards)
        if isinstance(given, BringModel):
            try:
                find(given.model)
            except ModelError as error:
                raise WishError(str(error)) from None
            return messages.Do(self._client.bring(given.model))
        known = self._client.off_table if isinstance(given, FetchPiece) else self._client.in_play
        if given.piece not in known:
            raise WishError(
                f"There is no such piece {'on the floor' if isinstance(given, FetchPiece) else ''}".strip()
            )
        if isinstance(given, PushPiece):
            return messages.Shove(given.piece, given.newtons, given.towards)
        return messages.Fetch(given.piece)

    def _check_free(self) -> None:
        if not self._client.game.is_free_building:
            raise WishError("That is for the sandbox")
        if self._client.held or self.need.wait is not Wait.ACTION:
            raise WishError("The hand holds a piece: lay it first")

    def _check_hand(self) -> None:
        if not self._client.held:
            raise WishError("The hand is empty")

    def _goal(self) -> Pose:
        return self.aimed.goal if self.aimed is not None else self._client.pose(self._client.held)

    def _landing(self, goal: Pose) -> Pose | None:
        """Returns where the held piece would meet what is below a pose; None over nothing."""
        client, held = self._client, self._client.held
        height = client.surface(held).landing(client.pieces[held], goal) if held in client.pieces else None
        x, y, _ = goal.position
        return None if height is None else Pose((x, y, height), goal.orientation)


def row_of(pose: Pose) -> list[float]:
    """Returns a pose as messages have it."""
    return [round(value, 6) for value in (*pose.position, *pose.orientation)]
