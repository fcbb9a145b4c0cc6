"""The computer players `steady`, `bold` and `clumsy`: they choose by the rules' legal actions and propose poses; what
they know of each game stands in a module of its own. A bot looks at nothing its seat may not see."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

from engine.hand_noise import Tremor
from engine.pose import Pose
from games.core.errors import SetupError
from games.core.rules import Action, Need
from games.game import Game
from games.play.session import Session
from games.registry import game_named

Array = NDArray[np.float64]

STYLES = ("steady", "bold", "clumsy")
TREMOR = {"steady": 0.0, "bold": 0.0003, "clumsy": 0.002}
"""Metres: how much the hand shakes. A calm hand at rest shakes by a tenth of a millimetre, a nervous one by a few."""


class Bot:
    """A player of one style. seed: of everything it leaves to chance. shakes: times the tremor of its style (CT-40).

    It keeps nothing between two questions: its random numbers begin afresh with each, from the seed and the step
    of the game. A game that is resumed by fresh bots therefore goes on as the one that was never left.
    """

    def __init__(self, style: str, game: str, seed: int, shakes: float = 1.0) -> None:
        if style not in STYLES:
            raise ValueError(f"there is no bot {style!r}; there are {', '.join(STYLES)}")
        self.style = style
        self._seed = f"{style} {game} {seed}"
        self.random = random.Random(self._seed)
        self.tremor = Tremor(shakes * TREMOR[style], seed)
        self._skill = skill_of(game_named(game))

    def choose(self, session: Session, need: Need) -> Action:
        """One of the legal actions."""
        self._begin("choose", session)
        return self._skill.choose(self, session, need)

    def place(self, session: Session, need: Need) -> Pose:
        """Where the held piece shall come to lie."""
        self._begin("place", session)
        return self._skill.place(self, session, need)

    def pull(self, session: Session, need: Need) -> Array | None:
        """The way along which the held piece is drawn."""
        self._begin("pull", session)
        return self._skill.pull(self, session, need)

    def height(self, session: Session, need: Need) -> float | None:
        """Metres above its place from which the held piece is let go."""
        return self._skill.height(session)

    def slide(self, session: Session, need: Need) -> Array | None:
        """The way along which the lowered piece is pushed on."""
        return self._skill.slide(session)

    def answer(self, session: Session, need: Need) -> bool:
        """The referee's question."""
        self._begin("answer", session)
        return self._skill.answer(self, session, need)

    def _begin(self, question: str, session: Session) -> None:
        self.random = random.Random(f"{self._seed} {question} {session.table.step}")


class Skill:
    """What a bot knows of one game. It keeps nothing between two questions; the bot brings style and chance."""

    def choose(self, bot: Bot, session: Session, need: Need) -> Action:
        """Returns one of the legal actions."""
        return bot.random.choice(session.choices).action

    def place(self, bot: Bot, session: Session, need: Need) -> Pose:
        """Returns where the held piece shall come to lie."""
        raise NotImplementedError(f"{type(self).__name__} lays no piece")

    def pull(self, bot: Bot, session: Session, need: Need) -> Array | None:
        """Returns the displacement (3,), metres, by which the held piece is drawn; None to leave it."""
        return None

    def answer(self, bot: Bot, session: Session, need: Need) -> bool:
        """Returns the answer to the referee's question."""
        return False

    def height(self, session: Session) -> float | None:
        """Returns metres above its place from which the held piece is let go; None to lower it onto something."""
        return None

    def slide(self, session: Session) -> Array | None:
        """Returns the displacement (3,), metres, by which the lowered piece is pushed on; None for none."""
        return None


def skill_of(game: Game) -> Skill:
    """Returns what bots know of a game. Raises SetupError for one that they do not play."""
    if not game.has_bots:
        raise SetupError(f"no computer player plays {game.title}")
    return game.part(game.bot_class, Skill)


def bots_of(session: Session, seed: int) -> dict[str, Bot]:
    """The computer players of a game by name, those within teams too. seed: of the game."""
    members = [member for seat in session.state.seats for member in seat.members]
    return {
        member.name: Bot(member.bot, session.game.name, seed + number, session.handling.shakes)
        for number, member in enumerate(members)
        if member.bot
    }
