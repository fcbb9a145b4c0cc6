"""The story of a game as one seat may read it: told from what the rules let that seat see."""

from __future__ import annotations

import re

from games.core.rules import Input
from games.game import Game
from games.ui.messages import S

HIDDEN = re.compile(r"(?<![\w?])\?(?=[,.;]|$)")
"""How the rules blot out what a player may not see, in a sentence."""


def opening_for(game: Game[S], state: S, viewer: str) -> tuple[str, ...]:
    """Returns the first lines of a game, but those about what is hidden. viewer: a seat; empty: someone who sits at
    none."""
    lines = game.rules.opening(game.rules.seen_by(state, viewer))
    return tuple(line for line in lines if not HIDDEN.search(line))


def told_to(game: Game[S], before: S, given: Input, after: S, viewer: str) -> tuple[str, ...]:
    """Returns the lines about something the rules took. viewer: a seat; empty: someone who sits at none."""
    see = game.rules.seen_by
    return readable(game.rules.tell(see(before, viewer), given, see(after, viewer)))


def readable(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Returns lines with what is hidden named as people would."""
    return tuple(HIDDEN.sub("a card", line) for line in lines)
