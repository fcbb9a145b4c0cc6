"""What people call the pieces of the catalogues, each game its own; and the story of a game in these words, as one seat
may read it: told from what the rules let that seat see."""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from teeter.games.core.rules import Choice, Input
from teeter.games.faults import left_out
from teeter.games.game import Game
from teeter.games.registry import game_named
from teeter.games.server.messages import S
from teeter.models.errors import ModelError


class PieceNames:
    """How a game names the pieces of its catalogue."""

    def piece_name(self, piece: str) -> str:
        """Returns what people call a piece of the game's catalogue, without an article."""
        return piece.replace("_", " ")


def game_of(shelf: str) -> Game:
    """Returns the game whose pieces a catalogue holds."""
    return game_named(shelf.replace("_", "-"))


def piece_name(model: str) -> str:
    """Returns what people call a piece of a catalogue."""
    shelf, _, piece = model.partition("/")
    game = game_of(shelf)
    with left_out(f"the screen of {game.title}"):
        return game.part(game.screen_class, PieceNames).piece_name(piece)
    return PieceNames().piece_name(piece)


@cache
def is_shipped(model: str) -> bool:
    """Returns whether a piece is one of the catalogues."""
    from teeter.models.catalogue import find

    try:
        find(model)
    except ModelError:
        return False
    return True


def renamed(text: str, models: Iterable[str]) -> str:
    """Returns a sentence with pieces called as their own game calls them, not by their models."""
    for model in sorted(filter(is_shipped, models), key=len, reverse=True):
        words = model.rpartition("/")[2].replace("_", " ")
        # as a whole, not as the beginning of another one
        text = re.sub(rf"(?<![\w-]){re.escape(words)}(?![\w-])", piece_name(model), text)
    return text


HIDDEN = re.compile(r"(?<![\w?])\?(?=[,.;]|$)")
"""How the rules blot out what a player may not see, in a sentence."""


def opening_for(game: Game[S], state: S, viewer: str) -> tuple[str, ...]:
    """Returns the first lines of a game, but those about what is hidden. viewer: a seat; empty: someone who sits at
    none."""
    lines = game.opening(game.rules.seen_by(state, viewer))
    return as_called(game, (line for line in lines if not HIDDEN.search(line)), state)


def told_to(game: Game[S], before: S, entry: Input, after: S, viewer: str) -> tuple[str, ...]:
    """Returns the lines about something the rules took. viewer: a seat; empty: someone who sits at none."""
    see = game.rules.seen_by
    return as_called(
        game, readable(game.rules.tell(see(before, viewer), entry, see(after, viewer))), before, after
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
    return tuple(replace(choice, sentence=renamed(choice.sentence, models)) for choice in choices)


def _models(game: Game[S], *states: S) -> set[str]:
    if not game.is_free_building:
        return set()
    return {piece.model for state in states for piece in getattr(state, "pieces", ())}
