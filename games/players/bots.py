"""The computer players `steady`, `bold` and `clumsy`: they choose by the rules' legal actions and propose poses; what
they know of each game stands in a module of its own. A bot looks at nothing its seat may not see."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.hand_noise import Tremor
from engine.pose import Pose
from games.play.session import Session
from games.players import bausack, crazy_tower, tower_topple, wonky
from games.rules.base import Action, Need

Array = NDArray[np.float64]

STYLES = ("steady", "bold", "clumsy")
TREMOR = {"steady": 0.0, "bold": 0.0003, "clumsy": 0.002}
"""Metres: how much the hand shakes. A calm hand at rest shakes by a tenth of a millimetre, a nervous one by a few."""


class Bot:
    """A player of one style. seed: of everything it leaves to chance. shakes: times the tremor of its style (CT-40).

    It keeps nothing between two questions: its luck begins afresh with each, from the seed and the step of the game. A
    game that is resumed by fresh bots therefore goes on as the one that was never left.
    """

    def __init__(self, style: str, game: str, seed: int, shakes: float = 1.0) -> None:
        if style not in STYLES:
            raise ValueError(f"there is no bot {style!r}; there are {', '.join(STYLES)}")
        self.style = style
        self._seed = f"{style} {game} {seed}"
        self.luck = random.Random(self._seed)
        self.tremor = Tremor(shakes * TREMOR[style], seed)
        self._skill = SKILLS[game]

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
        self.luck = random.Random(f"{self._seed} {question} {session.table.step}")


class Skill:
    """What a bot knows of one game: four functions of the bot, the session and the need, and two of the session for how
    a piece is let go."""

    def __init__(
        self,
        choose: Callable[[Any, Session, Need], Action],
        place: Callable[[Any, Session, Need], Pose],
        pull: Callable[[Any, Session, Need], Array | None] = lambda bot, session, need: None,
        answer: Callable[[Any, Session, Need], bool] = lambda bot, session, need: False,
        height: Callable[[Session], float | None] = lambda session: None,
        slide: Callable[[Session], Array | None] = lambda session: None,
    ) -> None:
        self.choose, self.place, self.pull, self.answer = choose, place, pull, answer
        self.height, self.slide = height, slide


SKILLS = {
    "bausack": Skill(bausack.choose, bausack.place),
    "crazy-tower": Skill(crazy_tower.choose, crazy_tower.place, crazy_tower.pull, crazy_tower.answer),
    "wonky": Skill(wonky.choose, wonky.place, height=wonky.height),
    "tower-topple": Skill(
        tower_topple.choose,
        tower_topple.place,
        tower_topple.pull,
        tower_topple.answer,
        tower_topple.height,
        tower_topple.slide,
    ),
}
"""By the names of `games.rules.registry`."""


def bots_of(session: Session, seed: int) -> dict[str, Bot]:
    """The players of a game of bots by the names of their seats. seed: of the game."""
    return {
        seat.name: Bot(seat.members[0].bot, session.game.name, seed + number, session.handling.shakes)
        for number, seat in enumerate(session.state.seats)
    }
