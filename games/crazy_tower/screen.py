"""Crazy Tower on the screen: floors, blocks, the boxes a held block would cover, the tutorial."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from teeter.engine.view.panels import Item, Text
from teeter.games.core.words import capital, counted
from teeter.games.crazy_tower.rules_allowed import block_name, is_card
from teeter.games.crazy_tower.state import SABOTEUR, State
from teeter.games.game import Game, stock_of
from teeter.games.present.details import CARRY, COLOURS, SEATS, TAKE, GameDetails, Lesson, carrying, marked

if TYPE_CHECKING:
    from teeter.engine.view.overlays import Overlay
    from teeter.games.present.carry import CarryTarget
    from teeter.games.present.client_state import ClientState

LAST_SECONDS = 20.0
"""CT-37 to CT-39: from here on the clock is red."""


class CrazyDetails(GameDetails[State]):
    """Crazy Tower on the screen."""

    lessons: tuple[Lesson, ...] = (
        Lesson(TAKE, "CHOOSE", "{click} one of your blocks to lay it on the floor card.", CARRY),
        *carrying("flat on the card, and on no red box."),
        Lesson(
            "REVEAL",
            "CHOOSE",
            "Or let the tower grow. {click} 'Reveal the next floor card'.",
            "CARD",
            offered="RevealCard",
        ),
        Lesson("CARD", "CARD", "{click} the new floor card, and lay it on the blocks of the tower."),
        Lesson("BLOCK", "BLOCK", "A new floor wants a block. {click} one of yours.", is_needed=False),
        Lesson("BOXES", "BOXES", "You covered a box that acts. {click} what it shall do.", is_needed=False),
    )

    def items(self, desk: ClientState[State]) -> tuple[Item, ...]:
        """Returns the lines of the panel."""
        state = desk.seen
        stand = counted(len(state.floors), "floor") + (" stands" if len(state.floors) == 1 else " stand")
        items: list[Item] = [
            Text(capital(stand), size="small"),
            Text(f"{capital(counted(len(state.deck), 'floor card'))} in the stack", "quiet", "small"),
        ]
        for number, seat in enumerate(state.seats):
            left = f"{seat.name}: {counted(len(state.hands[number]), 'block')}"
            items.append(Text(left, size="small", mark=self.seat_mark(desk, number)))
        if state.boxes and state.reason is None:
            items.append(
                Text("Boxes: " + ", ".join(box.name.lower() for box in state.boxes), "warn", "small")
            )
        if state.fallen and state.reason is None:
            fallen = counted(len(state.fallen), "fallen piece")
            items.append(Text(f"{capital(fallen)} to put back", "bad", "small"))
        if state.saboteur >= 0:
            name = state.seats[state.saboteur].name
            # CT-25
            task = "You are the saboteur: make the tower fall on another's turn, or lay all your blocks."
            own = name == desk.viewer
            items.append(
                Text(task if own else f"{name} is the saboteur.", "bad" if own else "warn", bold=True)
            )
        if state.challenge is not None:
            items += [Text(_challenge(desk), "accent", "small"), *_clock(desk)]
        return tuple(items)

    def phase(self, state: State) -> str:
        """The stage of the turn."""
        return state.stage.name

    def seat_colour(self, desk: ClientState[State], seat: int) -> str:
        """The first colour that the seat chose."""
        chosen: str = desk.state.colours[seat][0]
        return COLOURS.get(chosen, SEATS[seat % len(SEATS)])

    def home(self, desk: ClientState[State], seat: int) -> tuple[float, float] | None:
        """Where its blocks lie."""
        placed = desk.frame.placed()
        lying = [placed[block].position for block in desk.state.hands[seat] if block in placed]
        x, y, _ = (sum(each) / len(lying) for each in zip(*lying, strict=True)) if lying else (0.0, 0.0, 0.0)
        return (x, y) if lying else None

    def seat_mark(self, desk: ClientState[State], seat: int) -> str:
        """All colours that the seat has (CT-08)."""
        return " ".join(marked(COLOURS[colour]) for colour in desk.state.colours[seat] if colour in COLOURS)

    def values(self, game: Game[State], option: str) -> Mapping[str, str]:
        """The challenges by their numbers."""
        if option != "challenge":
            return {}
        return {
            str(challenge.number): f"{challenge.number}. {challenge.text}"
            for challenge in stock_of(game).challenges
        }

    def shares(self, game: Game[State], option: str) -> tuple[str, ...]:
        """CT-08: the colours."""
        return tuple(stock_of(game).colours) if option == "colours" else ()

    def moot(self, mode: str, options: Mapping[str, str]) -> frozenset[str]:
        """CT-09: with an open saboteur it is the player on their left who starts."""
        return frozenset({"first"} if mode == SABOTEUR and options.get("secret") != "yes" else ())

    def has_print(self, desk: ClientState[State], piece: str) -> bool:
        """A floor card: its boxes."""
        return is_card(desk.state, piece)

    def piece_name(self, piece: str) -> str:
        """A block by its colour and shape, a floor card by its number."""
        return (
            f"floor card {int(piece.removeprefix('card_'))}"
            if piece.startswith("card_")
            else block_name(piece)
        )

    def highlights(self, desk: ClientState[State], grip: CarryTarget) -> list[Overlay]:
        """The boxes that the held block would cover; red ones may not be."""
        from teeter.games.crazy_tower.screen_covering import lit_boxes

        return lit_boxes(desk, grip)


def _clock(desk: ClientState[State]) -> list[Item]:
    """CT-37 to CT-39: the time that is left; the whole of it until the first grab."""
    limit = desk.game.handicaps.limit_s(desk.state)
    if not limit:
        return []
    left = desk.view.left_s if desk.view is not None and desk.view.left_s is not None else limit
    minutes, seconds = divmod(math.ceil(max(0.0, left)), 60)
    return [Text(f"{minutes}:{seconds:02} left", "bad" if left < LAST_SECONDS else "plain")]


def _challenge(desk: ClientState[State]) -> str:
    challenge = desk.seen.challenge
    assert challenge is not None
    return desk.clause(challenge.clause)
