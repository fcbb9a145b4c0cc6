"""What a browser may want of the game, and what becomes of it: an order for the physics, or a refusal that says why.

Who is not asked may not answer: seat, turn and hand are checked here, the rules of the game by the session alone.
The coach speaks to browsers, which know no solids.
"""

import time
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from teeter.engine.pose import Pose
from teeter.games.core.rules import Bring, Need, Take, Wait
from teeter.games.core.words import capital
from teeter.games.host.connection import Connection
from teeter.games.host.seats import WishError
from teeter.games.host.views import SeatView
from teeter.games.present.asking import Risk
from teeter.games.present.client_state import ClientState
from teeter.games.present.hand import HandControl
from teeter.games.present.hints import FIRST, Hints
from teeter.games.present.hud_state import HudState
from teeter.games.present.slots import MAGNET
from teeter.games.server import messages
from teeter.games.server.messages import Order
from teeter.games.server.news import Coached, FeltNews, Landing
from teeter.games.server.protocol import AimAt, Choose, Feel, HandAct, PointAt, Shift, Spin
from teeter.models.catalogue import find
from teeter.models.errors import ModelError

AIM_S = 1.0 / 60.0
"""Seconds between two goals that are worked out; of those that come faster the last one counts."""


class Wishes:
    """The wishes of those who sit, for one game. client: the game with all secrets. hand: of who is asked."""

    def __init__(self, client: ClientState, hand: HandControl) -> None:
        self._client, self.hand = client, hand
        self.turn = 0
        """The number of the last question."""
        self.is_asked = False
        """Whether the last question has no answer yet."""
        self.heard = -1
        """The number of the last message that the hand has followed; -1 before the first."""
        self.knows_poses = False
        """Whether a program said last where the piece goes: it asks no coach."""
        self._aimed: AimAt | PointAt | None = None
        self._told: tuple[object, ...] = ()
        self._aimed_at = 0.0

    def ask(self) -> None:
        """A person is asked something new."""
        self.turn += 1
        self.is_asked = True

    def forget(self) -> None:
        """Nobody is asked, or the hand holds something else: what was aimed at means nothing any more."""
        self.is_asked = False
        self.drop()

    def drop(self) -> None:
        """The hand holds something else: what it was wanted to do means nothing any more."""
        self._aimed, self.heard, self.knows_poses = None, -1, False

    @property
    def is_aiming(self) -> bool:
        """Whether there is a goal to be worked out."""
        return self._aimed is not None

    @property
    def need(self) -> Need:
        """What the game waits for."""
        waits = self._client.waits
        return self._client.need if waits is None else waits.need

    def check_seat(self, connection: Connection) -> None:
        """Raises WishError unless somebody sits at this browser."""
        if not connection.seat:
            raise WishError(
                "Take a seat first" if connection.role != "spectator" else "This link is for looking on"
            )

    def check_turn(self, connection: Connection) -> None:
        """Raises WishError unless this browser is asked now."""
        self.check_seat(connection)
        if self.need.player != connection.seat or self.need.wait is Wait.OVER:
            raise WishError("It is not your turn" if self.need.wait is not Wait.OVER else "The game is over")
        if not self.is_asked or self._client.waits is None:
            raise WishError("Too late: that was decided already")

    def choose(self, choice: Choose, view: SeatView) -> Order:
        """Returns the order for a choice. Raises WishError for one of another turn, or none."""
        if choice.turn != self.turn:
            raise WishError("Too late: this was asked before")
        choices = view.choices
        if choice.choice >= len(choices):
            raise WishError(f"There is no choice {choice.choice}")
        return messages.Do(choices[choice.choice].action)

    def take(self, seat: str, piece: str) -> Order:
        """Returns the order for a piece that is no choice, so that the rules say why not. Raises WishError."""
        if piece not in self._client.pieces or self.need.wait is not Wait.ACTION:
            raise WishError("There is no such piece")
        return messages.Do(Take(seat, piece))

    def aim(self, aim: AimAt | PointAt) -> None:
        """Takes in where the held piece shall go; `step` works it out. Raises WishError."""
        self._check_hand()
        if aim.number > max(self.heard, -1 if self._aimed is None else self._aimed.number):
            self._aimed = aim

    def step(self, *, is_moved: bool) -> Landing | None:
        """Follows the last aim when it is due. is_moved: something on the table has. Returns the `landing` message,
        when it says something new."""
        self.hand.follow()
        if is_moved:
            self.hand.settle()
        if time.monotonic() - self._aimed_at >= AIM_S:
            self._flush()
        grip = self.hand.grip
        if grip is None:
            self._told = ()
            return None
        answer = (grip, self.heard, grip.goal, grip.landing, self.hand.place_word, self.hand.slots)
        if answer == self._told:
            return None
        self._told = answer
        landing = None if grip.landing is None else (*grip.goal.position[:2], grip.landing)
        return {
            "type": "landing",
            "number": self.heard,
            "goal": row_of(grip.goal),
            "pose": None if landing is None else row_of(Pose(landing, grip.goal.orientation)),
            "low": round(grip.low, 6),
            "turned": round(grip.yaw),
            "place": self.hand.place_word,
            "slots": [row_of(slot) for slot in self.hand.slots],
            "rail": grip.rail if grip.is_pulling else None,
        }

    def _flush(self) -> None:
        """Works out where the piece goes, as the last aim has it."""
        aim, self._aimed = self._aimed, None
        if aim is None:
            return
        self._aimed_at, self.heard = time.monotonic(), aim.number
        self.knows_poses = isinstance(aim, AimAt)
        if isinstance(aim, AimAt):
            self.hand.aim(aim.goal)
        else:
            self.hand.is_fine = aim.is_fine
            self.hand.point(np.array(aim.origin), np.array(aim.direction), aim.at)

    def act(self, act: HandAct | Shift | Spin, connection: Connection) -> bool:
        """Does what a key or a finger wants of the hand. Returns whether that ends the question. Raises WishError."""
        self._check_hand()
        if not connection.acts.take():
            raise WishError("Too fast: the hand cannot follow")
        self._flush()
        hand, self.heard = self.hand, max(self.heard, act.number)
        hand.follow()
        if isinstance(act, Shift):
            hand.is_free = act.is_free
            hand.shift(*act.by, reach=MAGNET)
            return False
        if isinstance(act, Spin):
            hand.turn(act.degrees)
            return False
        if act.name == "lay":
            if self.need.wait is not Wait.HAND:
                raise WishError("Draw it out of the tower first")
            if hand.grip is None or hand.grip.landing is None:
                raise WishError("There is nothing below it to lay it on")
        hand.is_fine = act.is_fine
        hand.act(act.name, act.right)
        return act.name == "let_go"

    def carry(self, act: HandAct, place: Pose | None) -> None:
        """Carries the held piece to where the coach points. Raises WishError."""
        self._check_hand()
        if place is None:
            raise WishError("The coach points to no place")
        self._flush()
        self.heard = max(self.heard, act.number)
        self.hand.follow()
        self.hand.carry_to(place)

    def undo(self) -> Order:
        """Returns the order to take back. Raises WishError where there is nothing."""
        if self._client.waits is None or not self._client.waits.can_undo:
            raise WishError("There is nothing to take back")
        return messages.Act.UNDO

    def build(self, order: Order) -> Order:
        """Returns an order of free building. Raises WishError."""
        if self._client.held or self.need.wait is not Wait.ACTION:
            raise WishError("The hand holds a piece: lay it first")
        if isinstance(order, messages.Fetch) and order.piece not in self._client.off_table:
            raise WishError("There is no such piece on the floor")
        if isinstance(order, messages.Do) and isinstance(order.action, Bring):
            try:
                find(order.action.model)
            except ModelError as error:
                raise WishError(str(error)) from None
        return order

    def feel(self, message: Feel) -> str:
        """Returns the piece to be felt. Raises WishError."""
        if self._client.held:
            raise WishError("The hand holds a piece: lay it first")
        if message.piece not in self._client.in_play:
            raise WishError("There is no such piece in the tower")
        return message.piece

    def _check_hand(self) -> None:
        if not self._client.held:
            raise WishError("The hand is empty")


def row_of(pose: Pose) -> list[float]:
    """Returns a pose as messages have it."""
    return [round(value, 6) for value in (*pose.position, *pose.orientation)]


COACHED: dict[Risk, Literal["stands", "topples", "unsure", "forbidden"]] = {
    "safe": "stands",
    "risky": "unsure",
    "falls": "topples",
    "against": "forbidden",
    "": "unsure",
}
"""What the coach's word is in a message."""


class Coach(Hints):
    """Tries a place before a piece is laid there, and feels pieces, for the seat that is asked."""

    def __init__(self, client: ClientState) -> None:
        super().__init__(client, ghost=False, hint=True)
        self._said: tuple[object, ...] = ()

    @property
    def is_waiting(self) -> bool:
        """Whether an answer is under way, or a question will be soon."""
        return super().is_waiting or (self._last is not None and self._place is None)

    def look(self, look: HudState) -> HudState:
        """Returns how the panels are looked at, with what is thought of the place of the held piece."""
        hint = self._sentence if self._answer is not None else self._place and FIRST[""]
        building = replace(look.building, finding=self.finding, is_checking=self.is_checking)
        more: Any = {"hint": (self.shows_hint and hint) or "", "risk": self.risk, "feel": self.feel_word}
        return replace(look, is_pointed=self.nearest is not None, building=building, **more)

    def told(self) -> FeltNews:
        """Returns the `felt` message: what was felt to be loose, and what a finger was put to."""
        asked = {self.feeling: self.risk_of(self.felt)} if self.felt is not None else {}
        risks: dict[str, Risk] = {**dict.fromkeys(self.loose, "safe"), **asked}
        return {
            "type": "felt",
            "piece": self.feeling,
            "sentence": capital(self.feel_word),
            "pieces": {piece: COACHED[risk] for piece, risk in risks.items()},
            "may": self._is_felt_ahead,
        }

    def news(self, number: int) -> Coached | None:
        """Returns the `coached` message, None where it says nothing new. number: of the message that the hand has
        followed."""
        said, self._said = self._said, (number, self._answer, self.nearest)
        if self._answer is None or said == self._said:
            return None
        return {
            "type": "coached",
            "number": number,
            "verdict": COACHED[self._answer.risk],
            "is_first": self._answer.is_first,
            "place": None if self.nearest is None else row_of(self.nearest),
        }

    @property
    def _sentence(self) -> str:
        ends = " This would end the game, and not win it." if self.ending is not None else ""
        return f"{capital(self.word).rstrip('.')}.{ends}"
