"""Every sentence that the games can say, each kind of it once: names, numbers, colours and pieces are all alike."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

from rules_lab import Lab, playthrough
from rules_labs import LABS

from teeter.games.bausack.state import said
from teeter.games.core.errors import IllegalAction, MalformedAction
from teeter.games.core.setup import options_of
from teeter.games.core.words import ORDINALS
from teeter.games.crazy_tower.rules_allowed import SHAPES
from teeter.games.game import stock_of

GAMES_OF_A_MODE = 8
"""Random games of every mode that are listened to."""
TRIED = 8
"""Inputs of either kind that are tried at every step, for what refuses them."""

NAME = r"(?:Ana|Ben|Cem|Dora|Emil|Fay|Gus|Hana|Ida|Jan|Kim|Lea|(?:steady|bold)(?:-\d+)?)"
COLOUR = r"\b(?:red|yellow|green|purple|blue)\b"
BAUSACK = "|".join(
    sorted(
        {
            re.escape(said(piece.id).removeprefix("the "))
            for lab in LABS
            if lab.game.name == "bausack"
            for piece in stock_of(lab.game).pieces
        },
        key=len,
        reverse=True,
    )
)
CARD = r"(?:(?:any |any-)?(?:small|medium|large)(?: red)?|any[ -]red|pass|reverse|combo draw|combo reverse)"
SAME = (
    (rf"{NAME}(?:\+{NAME})+", "Ana"),
    (rf"\b{NAME}\b", "Ana"),
    (rf"\b(?:{'|'.join(ORDINALS)}|\d+(?:st|nd|rd|th))\b (?=floor|fallen)", "second "),
    (r"(?<=[ (:+,-])\d+(?:\.\d+)?\b", "3"),
    (r"(?<=[ (])[+-]3\b", "+3"),
    (r"\b(?:two|four|five|six)\b", "three"),
    (r"\b(?:Two|Four|Five|Six)\b", "Three"),
)
OF_A_GAME = {
    "bausack": (
        (rf"\b(?:the )(?:{BAUSACK})\b|base 3", "the cone"),
        (rf"\b(?:The )(?:{BAUSACK})\b|Base 3", "The cone"),
        (r"(?<=In play: ).*", "cone."),
    ),
    "crazy-tower": (
        (rf"red (?:{'|'.join(SHAPES.values())})\b", "red cube"),
        (r"\bcard 3\b", "the red cube"),
        (r"\bCard 3\b", "The red cube"),
    ),
    "tower-topple": (
        (r"\b(?:left|centre|right) (?=(?:red )?brick|brick)", "left "),
        (r"left red brick", "left brick"),
    ),
    "wonky": ((CARD, "small red"),),
}
SEVERAL = re.compile(
    r"\b((?:the |Ana )?[+a-z0-9][a-z0-9+() -]*|Ana)((?:, \1)+(?! and)|(?:, \1)*,? and \1)\b", re.I
)


def like(game: str, sentence: str) -> str:
    """Returns a sentence with all names, numbers, colours and pieces the same, and lists of two."""
    for pattern, word in (*SAME, (COLOUR, "red"), *OF_A_GAME.get(game, ())):
        sentence = re.sub(pattern, word, sentence)
    return SEVERAL.sub(
        lambda found: f"{found[1]}{' and ' if ' and ' in found[2] else ', '}{found[1]}", sentence
    )


def spoken(lab: Lab) -> str:
    """Returns what a game says, by when it says it, sorted."""
    found: dict[str, set[str]] = defaultdict(set)
    # most are said hundreds of times
    for when, sentence in set(_all(lab)):
        found[when].add(like(lab.game.name, sentence))
    return "\n".join(line for when in sorted(found) for line in (f"== {when}", *sorted(found[when]), ""))


def _all(lab: Lab) -> Iterator[tuple[str, str]]:
    rules = lab.game.rules
    for each in options_of(lab.game.house):
        yield from (("House rules", words) for words in (each.help, each.told) if words)
    for mode in lab.game.modes:
        for seed in range(GAMES_OF_A_MODE):
            dice = Random(seed)
            for number, (before, given, after) in enumerate(islice(playthrough(lab, mode.name, seed), 1000)):
                if number == 0:
                    yield from (("Opening", line) for line in rules.opening(before))
                yield from (("Story", line) for line in rules.tell(before, given, after))
                for choice in rules.legal(after):
                    yield "Choices", choice.sentence
                    yield from (("Missed", each.missed) for each in choice.conditions)
                yield from _refusals(lab, after, dice)


def _refusals(lab: Lab, state: Any, dice: Random) -> Iterator[tuple[str, str]]:
    for tried in (list(lab.universe(state)), list(lab.events(state))):
        for given in dice.sample(tried, min(TRIED, len(tried))):
            try:
                lab.game.rules.apply(state, given)
            except IllegalAction as refusal:
                yield "Refusals", refusal.sentence
            except MalformedAction:
                continue
