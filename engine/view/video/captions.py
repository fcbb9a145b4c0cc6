"""What is written over a film: whose turn it is, what just happened, a title before and the result after."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from teeter.engine.view.panels import Gap, Panel, Place, Size, Text
from teeter.engine.view.render.bounds import ScreenRect
from teeter.engine.view.video.director import FALLS
from teeter.engine.view.video.pace import Timing
from teeter.engine.view.window.fonts import width_of
from teeter.engine.view.window.items import FONT_UNITS, PADDING
from teeter.engine.view.window.layout import HEIGHT_UNITS, LEAST_UNIT, WIDTH_UNITS
from teeter.engine.view.window.shapes import wrapped
from teeter.models.piece import Array

STAY_S = 3.2
"""Seconds that a line stays when no other comes."""
MIN_STAY_S = 0.7
"""Seconds that a line stays at the least before the next takes its place; lines that come faster share a card."""
MAX_LINES = 2
MAX_LETTERS, MAX_LINE_LETTERS = 90, 240
"""Of a name, and of a line of the story, which goes over several."""
LETTERS_PER_S = 18.0
"""That are read: long lines stay longer."""
HIGHEST = 0.45
"""Of a frame that the lines of a card may fill; longer ones are shortened."""
LINE_HEIGHTS = {"small": 18.0, "normal": 21.0, "large": 27.0, "title": 39.0, "huge": 108.0}
"""Units that a line takes, by its size."""
PLACES: tuple[Place, ...] = ("bottom", "bottom-left", "bottom-right", "top-right", "top")
"""Where a line of the story stands, the first that is clear of the tower."""
AREA_EVERY = 6
"""Frames between two looks at where the tower is."""
WIDER = 1.05
"""Times as wide as it is measured a line may be in a picture, where letters have whole pixels."""


@dataclass(frozen=True, slots=True)
class Caption:
    """Something to tell. seconds: of the recording. who: whose turn it is then, empty when it is nobody's."""

    seconds: float
    text: str
    who: str = ""


@dataclass(frozen=True, slots=True)
class Telling:
    """What words go with a recording. lines: of the story, in order. result: one sentence, empty without an end.
    margins: seconds, and the degrees of tilt that the tower of a game bears from then on, None where nobody knows.
    unread: seconds, and the pieces whose print nobody has seen from then on."""

    title: str
    players: tuple[str, ...] = ()
    result: str = ""
    lines: tuple[Caption, ...] = ()
    margins: tuple[tuple[float, float | None], ...] = ()
    unread: tuple[tuple[float, frozenset[str]], ...] = ()

    def unread_at(self, seconds: float) -> frozenset[str]:
        """Returns the pieces whose print nobody has seen at a moment."""
        return next((names for since, names in reversed(self.unread) if since <= seconds), frozenset())


def clean(text: str, most: int = MAX_LETTERS) -> str:
    """Returns a text that can be drawn: printable, on one line, of so many letters at most."""
    kept = "".join(letter for letter in text if letter.isprintable()).strip()
    return kept if len(kept) <= most else _shortened(kept[:most])


def _shortened(text: str) -> str:
    """Returns a text that goes on up to its last whole clause, or else without what may be a part of a word."""
    clause = max(text.rfind("; "), text.rfind(". "))
    if 2 * clause > len(text):
        return f"{text[:clause]}."
    head = text[:-1].rpartition(" ")[0] or text[:-1]
    return head.rstrip(" ,;:-") + "…"


def panels(
    telling: Telling,
    falls: Sequence[float],
    timing: Timing,
    screen: Array,
    stays: tuple[float, float],
    size: tuple[int, int],
    *,
    is_told: bool,
    covered: Callable[[int], ScreenRect],
) -> tuple[tuple[Panel, ...], ...]:
    """Returns the panels of every frame.

    falls: seconds of the recording at which something begins to come down. screen: (n,) seconds of the film. stays:
    seconds of its title and of its result. is_told: with the lines of the story. covered: what of a frame nothing
    should be written over.
    """
    lead, tail = stays
    room = size[0] / _unit(size) - 24.0
    end = lead + timing.seconds
    spans = [
        (at, min(until, end), cards)
        for at, until, cards in _spans(telling, falls, timing, lead, size)
        if is_told
    ]
    if lead:
        spans.append((0.0, lead, (_title(telling, room),)))
    if tail and telling.result:
        spans.append((end, np.inf, (_result(telling, room),)))
    screens: list[tuple[Panel, ...]] = [()] * len(screen)
    for begin, until, cards in spans:
        frames = range(*np.searchsorted(screen, (begin, until)).tolist())
        if frames:
            some = {*frames[::AREA_EVERY], frames[-1]}
            cards = tuple(_apart(card, [covered(frame) for frame in sorted(some)], size) for card in cards)
        for frame in frames:
            screens[frame] = cards
    return tuple(screens)


def _apart(card: Panel, areas: Sequence[ScreenRect], size: tuple[int, int]) -> Panel:
    """Returns a card with lines of the story at the first place where it lies over no area, or over least of them."""
    if card.name != "line":
        return card
    unit = _unit(size) / size[1]
    lines = [item.size for item in card.items if isinstance(item, Text) for _ in _lines(item, card.width)]
    high = (sum(LINE_HEIGHTS[style] for style in lines) + 24.0) * unit
    wide, margin = card.width * unit * size[1] / size[0], 12.0 * unit
    aside = margin * size[1] / size[0]

    def over(place: Place) -> float:
        low = 1.0 - margin - high if place.startswith("top") else margin
        left = {"left": aside, "right": 1.0 - aside - wide}.get(place.partition("-")[2], 0.5 - wide / 2)
        own = ScreenRect(left, left + wide, low, low + high)
        shared = [own.within(area) for area in areas]
        return sum((rect.right - rect.left) * (rect.high - rect.low) for rect in shared if rect is not None)

    return replace(card, place=min(PLACES, key=over))


def _unit(size: tuple[int, int]) -> float:
    """Returns the pixels of a unit in a frame, as `window.layout` has them."""
    return max(min(size[1] / HEIGHT_UNITS, size[0] / WIDTH_UNITS), LEAST_UNIT)


def _lines(item: Text, width: float) -> list[str]:
    """Returns the lines that a text goes over on a card."""
    font = round(FONT_UNITS[item.size])
    return wrapped(item.text, (width - 2 * PADDING) / WIDER, lambda line: width_of(line, font, item.bold))


def _fitted(item: Text, width: float, most: int) -> Text:
    """Returns a text that goes over so many lines at most."""
    while len(lines := _lines(item, width)) > most:
        item = replace(item, text=_shortened(" ".join(lines[:most])))
    return item


def _spans(
    telling: Telling, falls: Sequence[float], timing: Timing, lead: float, size: tuple[int, int]
) -> list[tuple[float, float, tuple[Panel, ...]]]:
    """Returns when which cards stand: begin and end in seconds of the film."""
    first, last = timing.moments[0], timing.moments[-1]
    shown: list[tuple[float, list[str], str]] = []
    lines = sorted((*telling.lines, *_fallen(telling, falls)), key=lambda line: line.seconds)
    for line in lines:
        if not first - 1e-9 <= line.seconds <= last:
            continue
        at = lead + float(timing.seen(np.array([line.seconds]))[0])
        text = clean(line.text, MAX_LINE_LETTERS)
        if line.text == FALLS:
            # what was said before it no longer holds
            shown.append((at, [text], line.who))
        elif shown and at - shown[-1][0] < MIN_STAY_S:
            texts = shown[-1][1]
            if text and text not in texts:
                texts.append(text)
            shown[-1] = (shown[-1][0], texts[-MAX_LINES:], line.who)
        elif not (shown and shown[-1][1] == [text]):
            shown.append((at, [text] if text else [], line.who))
    spans = []
    for number, (at, texts, who) in enumerate(shown):
        until = shown[number + 1][0] if number + 1 < len(shown) else np.inf
        stay = max(STAY_S, len(" ".join(texts)) / LETTERS_PER_S)
        spans.append((at, min(until, at + stay), _cards(texts, who, size)))
        if until > at + stay:
            spans.append((at + stay, until, _cards([], who, size)))
    return spans


def _fallen(telling: Telling, falls: Sequence[float]) -> list[Caption]:
    """Returns what is said when something begins to come down."""
    captions = []
    for seconds in falls:
        before = [line.who for line in telling.lines if line.seconds <= seconds]
        captions.append(Caption(seconds, FALLS, before[-1] if before else ""))
    return captions


def _cards(texts: Sequence[str], who: str, size: tuple[int, int]) -> tuple[Panel, ...]:
    """Returns the cards of a moment, as wide as their longest lines, as far as there is room."""
    unit = _unit(size)
    room = size[0] / unit - 24.0

    def width(lines: Sequence[str], kind: Size = "large", *, bold: bool = False) -> float:
        # small letters are wider than those of a larger font made smaller
        small = max(1, round(FONT_UNITS[kind] * unit))
        sizes = ((round(FONT_UNITS[kind]), 1.0), (small, unit))
        widest = max(width_of(line, font, bold) / one for line in lines for font, one in sizes)
        return min(WIDER * widest + 2 * PADDING + 2.0, room, 640.0)

    cards = []
    if name := clean(who):
        chip = Text(name, "accent", "title", bold=True)
        cards.append(Panel("turn", "top-left", (chip,), width=width([name], "title", bold=True)))
    if texts == [FALLS]:
        cards.append(
            Panel(
                "line",
                "bottom",
                (Text(FALLS, "bad", "title", bold=True),),
                width=width([FALLS], "title", bold=True),
            )
        )
    elif texts:
        wide, most = width(texts), int(HIGHEST * size[1] / _unit(size) / LINE_HEIGHTS["large"] / len(texts))
        items = [Text(text, "plain" if text is texts[-1] else "quiet", "large") for text in texts]
        fitted = tuple(_fitted(item, wide, max(1, most)) for item in items)
        cards.append(Panel("line", "bottom", fitted, width=wide))
    return tuple(cards)


def _title(telling: Telling, room: float) -> Panel:
    items = [Text(clean(telling.title), "plain", "title", bold=True)]
    if telling.players:
        items.append(Text(clean(" · ".join(telling.players)), "accent", "large"))
    # who wins is told at the end
    return Panel("title", "bottom", tuple(items), width=min(440.0, room))


def _result(telling: Telling, room: float) -> Panel:
    result = Text(clean(telling.result, MAX_LINE_LETTERS), "plain", "large", bold=True)
    items = (result, Gap(2.0), Text(clean(telling.title), "quiet"))
    return Panel("result", "bottom", items, width=min(440.0, room))
