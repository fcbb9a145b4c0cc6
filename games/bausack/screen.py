"""Bausack on the screen: tokens, the auction, heights, the tutorial."""

from __future__ import annotations

from collections.abc import Mapping

from engine.view.panels import Item, Row, Text
from games.bausack.state import State
from games.ui.details import CARRY, GameDetails
from games.ui.physics_client import ClientState


class BausackDetails(GameDetails[State]):
    """Bausack on the screen: tokens, the auction, heights, the tutorial."""

    lessons: Mapping[str, str] = {
        "CHOOSE": "Click a piece in the middle to pick it up. You may build with it, or push it to somebody else.",
        "LOOK": "Build: you bid tokens for it, and the others may bid more. Push: the next player takes it, or pays.",
        "BID": "Bid more, or pass. Who bids most pays and has to place the piece.",
        "RECEIVE": "Accept the piece and place it, or pay and pass it on.",
        "PLACE": "The piece is yours: take it, and add it to your tower.",
        "CARRY": CARRY + "On your own tower, or as its foundation in your own area. Click to lay it.",
    }

    def items(self, desk: ClientState[State]) -> tuple[Item, ...]:
        """Returns the lines of the panel."""
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
