"""What is written over a film: whose turn it is, what just happened, a title before and the result after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.view.panels import Gap, Panel, Text
from engine.view.video.pace import Timing
from engine.view.video.recipe import Recipe

Array = NDArray[np.float64]

STAY_S = 3.2
"""Seconds that a line stays when no other comes."""
MIN_STAY_S = 0.7
"""Seconds that a line stays at the least before the next takes its place; lines that come faster share a card."""
MAX_LINES = 3
MAX_LETTERS = 90
"""Of a line."""
LETTER_WIDTH = 9.4
"""Units that a letter of a caption takes, at most, on average."""


@dataclass(frozen=True, slots=True)
class Caption:
    """Something to tell. seconds: of the recording. who: whose turn it is then, empty when it is nobody's."""

    seconds: float
    text: str
    who: str = ""


@dataclass(frozen=True, slots=True)
class Telling:
    """What words go with a recording. lines: of the story, in order. result: one sentence, empty without an end."""

    title: str
    players: tuple[str, ...] = ()
    result: str = ""
    lines: tuple[Caption, ...] = ()


def clean(text: str) -> str:
    """Returns a text that can be drawn: printable, on one line, not too long."""
    kept = "".join(letter for letter in text if letter.isprintable()).strip()
    return kept if len(kept) <= MAX_LETTERS else kept[: MAX_LETTERS - 1] + "…"


def panels(
    telling: Telling, timing: Timing, screen: Array, lead: float, tail: float, recipe: Recipe
) -> tuple[tuple[Panel, ...], ...]:
    """Returns the panels of every frame. screen: (n,) seconds of the film."""
    nothing: tuple[Panel, ...] = ()
    found = [nothing] * len(screen)
    end = lead + timing.seconds
    if recipe.captions:
        for begin, until, cards in _spans(telling, timing, lead, recipe):
            for frame in range(*np.searchsorted(screen, (begin, min(until, end))).tolist()):
                found[frame] = cards
    if lead:
        title = (_title(telling, recipe),)
        for frame in range(int(np.searchsorted(screen, lead))):
            found[frame] = title
    if tail and telling.result:
        result = (_result(telling, recipe),)
        for frame in range(int(np.searchsorted(screen, end)), len(screen)):
            found[frame] = result
    return tuple(found)


def _spans(
    telling: Telling, timing: Timing, lead: float, recipe: Recipe
) -> list[tuple[float, float, tuple[Panel, ...]]]:
    """Returns when which cards stand: begin and end in seconds of the film."""
    first, last = timing.moments[0], timing.moments[-1]
    shown: list[tuple[float, list[str], str]] = []
    for line in telling.lines:
        if not first - 1e-9 <= line.seconds <= last:
            continue
        at = lead + float(timing.seen(np.array([line.seconds]))[0])
        text = clean(line.text)
        if shown and at - shown[-1][0] < MIN_STAY_S:
            texts = shown[-1][1]
            if text and text not in texts:
                texts.append(text)
            shown[-1] = (shown[-1][0], texts[-MAX_LINES:], line.who)
        elif not (shown and shown[-1][1] == [text]):
            shown.append((at, [text] if text else [], line.who))
    spans = []
    for number, (at, texts, who) in enumerate(shown):
        until = shown[number + 1][0] if number + 1 < len(shown) else np.inf
        cards = _cards(texts, who, recipe)
        spans.append((at, min(until, at + STAY_S), cards))
        if until > at + STAY_S:
            spans.append((at + STAY_S, until, _cards([], who, recipe)))
    return spans


def _cards(texts: Sequence[str], who: str, recipe: Recipe) -> tuple[Panel, ...]:
    cards = []
    if name := clean(who):
        cards.append(
            Panel("turn", "top-left", (Text(name, "accent", bold=True),), width=_width([name], recipe))
        )
    if texts:
        items = tuple(Text(text, "plain" if text is texts[-1] else "quiet", "large") for text in texts)
        cards.append(Panel("line", "bottom", items, width=_width(texts, recipe)))
    return tuple(cards)


def _width(texts: Sequence[str], recipe: Recipe) -> float:
    """Returns the width, in units, of a card that holds its longest line and stays within the frame."""
    return min(max(len(text) for text in texts) * LETTER_WIDTH + 26.0, _room(recipe), 640.0)


def _title(telling: Telling, recipe: Recipe) -> Panel:
    items = [Text(clean(telling.title), "plain", "title", bold=True)]
    if telling.players:
        items.append(Text(clean(" · ".join(telling.players)), "accent", "large"))
    if telling.result:
        items += [Text(clean(telling.result), "quiet", "normal")]
    return Panel("title", "centre", tuple(items), width=min(440.0, _room(recipe)))


def _result(telling: Telling, recipe: Recipe) -> Panel:
    items = (
        Text(clean(telling.result), "plain", "large", bold=True),
        Gap(2.0),
        Text(clean(telling.title), "quiet"),
    )
    return Panel("result", "bottom", items, width=min(440.0, _room(recipe)))


def _room(recipe: Recipe) -> float:
    """Returns the width, in units, of the frame between its margins."""
    return 720.0 * recipe.size[0] / recipe.size[1] - 24.0
