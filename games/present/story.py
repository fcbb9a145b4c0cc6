"""The story of a game as one seat may read it: told from what the rules let that seat see, in the words of people."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from games.core.rules import Choice, Input
from games.game import Game
from games.present.naming import renamed
from games.server.messages import S

HIDDEN = re.compile(r"(?<![\w?])\?(?=[,.;]|$)")
"""How the rules blot out what a player may not see, in a sentence."""


def opening_for(game: Game[S], state: S, viewer: str) -> tuple[str, ...]:
    """Returns the first lines of a game, but those about what is hidden. viewer: a seat; empty: someone who sits at
    none."""
    lines = game.rules.opening(game.rules.seen_by(state, viewer))
    return as_called(game, (line for line in lines if not HIDDEN.search(line)), state)


def told_to(game: Game[S], before: S, given: Input, after: S, viewer: str) -> tuple[str, ...]:
    """Returns the lines about something the rules took. viewer: a seat; empty: someone who sits at none."""
    see = game.rules.seen_by
    return as_called(
        game, readable(game.rules.tell(see(before, viewer), given, see(after, viewer))), before, after
    )


def readable(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Returns lines with what is hidden named as people would."""
    return tuple(HIDDEN.sub("a card", line) for line in lines)


def as_called(game: Game[S], lines: Iterable[str], *states: S) -> tuple[str, ...]:
    """Returns lines with the pieces of free building called as their own game calls them, not by their models."""
    models = _models(game, *states)
    return tuple(renamed(line, models) for line in lines)


def choices_as_called(game: Game[S], choices: Iterable[Choice], state: S) -> tuple[Choice, ...]:
    """Returns choices, their sentences in the words of `as_called`."""
    models = _models(game, state)
    if not models:
        return tuple(choices)
    return tuple(replace(each, sentence=renamed(each.sentence, models)) for each in choices)


def _models(game: Game[S], *states: S) -> set[str]:
    if not game.is_free_building:
        return set()
    return {piece.model for state in states for piece in getattr(state, "pieces", ())}
