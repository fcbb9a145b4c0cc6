"""What is particular to each game on the screen: cards, tokens, stacks, requirements, colours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from engine.view.panels import Button, Item, Panel, Row, Text
from games.rules.base import Choice
from games.rules.conditions import Condition as Condition
from games.ui.desk import Desk

COLOURS = {
    "red": "#c22f22",
    "green": "#2f7d32",
    "blue": "#1f5fa8",
    "yellow": "#d9a514",
    "purple": "#6a3390",
    "orange": "#d8741a",
    "black": "#2b2620",
    "white": "#f4f0e6",
    "natural": "#d9b380",
}
SEATS = ("#1f5fa8", "#d8741a", "#2f7d32", "#8a2f7a", "#8a6d1f", "#2f7a7a", "#a8324a", "#5a5a5a")
"""Spots of seats where the game gives no colours."""


def colour_of(desk: Desk, choice: Choice) -> str:
    """The colour in the words of a choice, as `#rrggbb`; empty for none."""
    words = choice.sentence.replace("_", " ").split()
    return next((COLOURS[word] for word in words if word in COLOURS), "")


def seat_colour(desk: Desk, seat: int) -> str:
    """The colour of a seat."""
    chosen = getattr(desk.state, "colours", ())
    if chosen and desk.game.name == "crazy-tower":
        return COLOURS.get(chosen[seat][0], SEATS[seat % len(SEATS)])
    return "" if desk.game.endless else SEATS[seat % len(SEATS)]


def panels(desk: Desk) -> tuple[Panel, ...]:
    """What a game shows beside turns and scores."""
    make = MAKERS.get(desk.game.name)
    items = make(desk) if make is not None else ()
    return (Panel("details", "top-right", tuple(items), width=230),) if items else ()


def _wonky(desk: Desk) -> tuple[Item, ...]:
    from games.rules.wonky.cards import said

    state = desk.seen
    items: list[Item] = [
        Text(f"{len(state.tower)} of {len(state.stock.blocks)} blocks stand", size="small"),
        Text(f"{len(state.deck)} cards to draw, {len(state.discard)} played", "quiet", "small"),
        Text(
            "play goes " + ("clockwise" if state.direction == 1 else "the other way round"), "quiet", "small"
        ),
    ]
    viewer = desk.viewer
    if viewer:
        hand = next(hand for seat, hand in zip(state.seats, state.hands, strict=True) if seat.name == viewer)
        items.append(Text(f"{viewer}'s cards", bold=True, size="small"))
        for card, count in Counter(hand).items():
            text = said(card) + (f"  x{count}" if count > 1 else "")
            items.append(Text(text, size="small", mark=_mark(card)))
    return tuple(items)


def _mark(name: str) -> str:
    return next((colour for word, colour in COLOURS.items() if word in name.split("_")), "#b9ad98")


def _crazy(desk: Desk) -> tuple[Item, ...]:
    state = desk.seen
    items: list[Item] = [
        Text(f"{len(state.floors)} floors stand", size="small"),
        Text(f"{len(state.deck)} floor cards in the stack", "quiet", "small"),
    ]
    for number, seat in enumerate(state.seats):
        items.append(
            Text(
                f"{seat.name}: {len(state.hands[number])} blocks",
                size="small",
                mark=seat_colour(desk, number),
            )
        )
    if state.boxes:
        items.append(Text("boxes: " + ", ".join(box.name.lower() for box in state.boxes), "warn", "small"))
    if state.fallen:
        items.append(Text(f"{len(state.fallen)} fallen pieces to put back", "bad", "small"))
    if state.saboteur >= 0:
        items.append(Text(f"saboteur: {state.seats[state.saboteur].name}", "warn", "small"))
    if state.challenge is not None:
        items += [Text(_challenge(desk), "accent", "small")]
    return tuple(items)


def _challenge(desk: Desk) -> str:
    challenge = desk.seen.challenge
    text = next(
        (clause.text for clause in desk.game.clauses if clause.id == getattr(challenge, "clause", "")), ""
    )
    return f"Challenge {desk.state.house.challenge}" + (f": {text}" if text else "")


def _bausack(desk: Desk) -> tuple[Item, ...]:
    state = desk.seen
    items: list[Item] = []
    for number, seat in enumerate(state.seats):
        out = " (out)" if state.out[number] != -1 else ""
        items.append(
            Row(
                (
                    Text(seat.name + out, size="small"),
                    Text(f"{state.tokens[number]} tokens", "quiet", "small"),
                ),
                (1.4, 1),
            )
        )
    items.append(Text(f"bank {state.bank}, {len(state.supply)} pieces left", "quiet", "small"))
    if state.phase.name == "BID" and state.leader >= 0:
        items.append(Text(f"auction: {state.bid} by {state.seats[state.leader].name}", "warn", "small"))
    if state.phase.name == "RECEIVE":
        items.append(Text(f"passing it on costs {state.price}", "warn", "small"))
    if any(state.heights_mm):
        for seat, height in zip(state.seats, state.heights_mm, strict=True):
            items.append(Text(f"{seat.name}: {height:.0f} mm", size="small"))
    return tuple(items)


def _topple(desk: Desk) -> tuple[Item, ...]:
    state = desk.seen
    items: list[Item] = [
        Text(f"round {state.round} of {state.house.rounds}, {len(state.tower)} rows high", size="small"),
        Text("play goes " + ("to the left" if state.direction == 1 else "to the right"), "quiet", "small"),
    ]
    for task in state.owed:
        mark = COLOURS.get(task.colour, "")
        colour = f" ({task.colour})" if task.colour else ""
        items.append(
            Text("owed: " + task.sort.value + colour, "warn" if colour else "plain", "small", mark=mark)
        )
    for seat, topples in zip(state.seats, state.topples, strict=True):
        if topples:
            items.append(Text(f"{seat.name} toppled it {topples} times", "bad", "small"))
    return tuple(items)


def _sandbox(desk: Desk) -> tuple[Item, ...]:
    return (Button("pieces", "Pieces ..."), Button("check", "Check"), Button("save", "Save the scene"))


MAKERS: dict[str, Callable[[Desk], tuple[Item, ...]]] = {
    "wonky": _wonky,
    "crazy-tower": _crazy,
    "bausack": _bausack,
    "tower-topple": _topple,
}
"""By the names of `games.rules.registry`."""


def unread(desk: Desk) -> frozenset[str]:
    """Pieces whose print nobody may see yet."""
    if desk.game.name != "tower-topple":
        return frozenset()
    seen = set(desk.state.seen)
    return frozenset(
        brick.id
        for brick in desk.state.bricks
        if not brick.colour
        and brick.id not in seen
        and brick.print.name != "PLAIN"
        and brick.id in desk.frame.names
    )
