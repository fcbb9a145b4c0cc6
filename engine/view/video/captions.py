"""What is written over a film: whose turn it is, what just happened, a title before and the result after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.view.panels import Gap, Panel, Text
from engine.view.video.pace import Timing

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
    telling: Telling,
    timing: Timing,
    screen: Array,
    lead: float,
    tail: float,
    size: tuple[int, int],
    *,
    is_told: bool,
) -> tuple[tuple[Panel, ...], ...]:
    """Returns the panels of every frame. screen: (n,) seconds of the film. is_told: with the lines of the story."""
    room = 720.0 * size[0] / size[1] - 24.0
    end = lead + timing.seconds
    spans = [
        (at, min(until, end), cards) for at, until, cards in _spans(telling, timing, lead, room) if is_told
    ]
    if lead:
        spans.append((0.0, lead, (_title(telling, room),)))
    if tail and telling.result:
        spans.append((end, np.inf, (_result(telling, room),)))
    found: list[tuple[Panel, ...]] = [()] * len(screen)
    for begin, until, cards in spans:
        for frame in range(*np.searchsorted(screen, (begin, until)).tolist()):
            found[frame] = cards
    return tuple(found)


def _spans(
    telling: Telling, timing: Timing, lead: float, room: float
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
        spans.append((at, min(until, at + STAY_S), _cards(texts, who, room)))
        if until > at + STAY_S:
            spans.append((at + STAY_S, until, _cards([], who, room)))
    return spans


def _cards(texts: Sequence[str], who: str, room: float) -> tuple[Panel, ...]:
    """Returns the cards of a moment, as wide as their longest lines. room: units between the margins of a frame."""

    def width(lines: Sequence[str]) -> float:
        return min(max(len(line) for line in lines) * LETTER_WIDTH + 26.0, room, 640.0)

    cards = []
    if name := clean(who):
        cards.append(Panel("turn", "top-left", (Text(name, "accent", bold=True),), width=width([name])))
    if texts:
        items = tuple(Text(text, "plain" if text is texts[-1] else "quiet", "large") for text in texts)
        cards.append(Panel("line", "bottom", items, width=width(texts)))
    return tuple(cards)


def _title(telling: Telling, room: float) -> Panel:
    items = [Text(clean(telling.title), "plain", "title", bold=True)]
    if telling.players:
        items.append(Text(clean(" · ".join(telling.players)), "accent", "large"))
    if telling.result:
        items += [Text(clean(telling.result), "quiet", "normal")]
    return Panel("title", "centre", tuple(items), width=min(440.0, room))


def _result(telling: Telling, room: float) -> Panel:
    result = Text(clean(telling.result), "plain", "large", bold=True)
    items = (result, Gap(2.0), Text(clean(telling.title), "quiet"))
    return Panel("result", "bottom", items, width=min(440.0, room))
